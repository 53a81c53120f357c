"""What any source says of a hierarchy, before it is checked, and whether it was read as meant."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.errors import BadInput, HierarchyWarning, check_choice, counted, listed, shown
from hierpair.hierarchy.arrays import Ints, row_numbers
from hierpair.hierarchy.building import (
    Fault,
    Place,
    Tell,
    Trouble,
    check_other_names,
    is_missing,
    numbered_edges,
    refuse_fault,
)
from hierpair.hierarchy.class_graph import ClassGraph
from hierpair.hierarchy.columns import (
    PAIRS,
    TOP_WORDS,
    Values,
    each_of,
    has_role,
    is_blank,
    is_word,
    normal,
    spelled_as,
    spellings,
    table_roles,
    whole_numbers,
)

if TYPE_CHECKING:
    from hierpair.hierarchy.graph import Hierarchy

DIRECTIONS = ("parent-to-child", "child-to-parent")
"""Which way edges lead."""

BREAKING_RULES = ("depth-first",)
"""Rules that say which edges to leave out of a hierarchy with cycles."""

WRAPPERS = ("hierarchy", "tree", "taxonomy", "ontology", "data", "graph", "classes", "categories")
"""Keys that hold a whole hierarchy."""

Naming = Callable[[Any], Hashable | None]
"""Returns the class name that something is, or None."""

Record = tuple[int, Hashable | None, Hashable]
"""The line (0 for none), the parent (None for a class alone) and the class."""


def refuse(message: str) -> None:
    """Raise a fault of what was given in memory."""
    raise BadInput(message)


@dataclass(frozen=True, eq=False)
class EdgeList:
    """What a file, or a thing in memory, says.

    Attributes
    ----------
    edges
        ``(parent, child)`` or ``(parent, child, weight)``.
    where
        Tells where edge number ``i`` stands.
    classes
        Classes that are named, in their order; those of the edges need not be among them.
    aliases
        Other names of classes.
    titles
        What classes are called for people.
    direction
        Which way the source or its reader says that edges lead; None where only their order does,
        and ``"keys"`` where names of columns or keys say which is the parent.
    lines
        Whether every line is an edge, so that the first may be a header that is not known.
    declared
        Whether classes are declared one by one, so that some may be alone.
    notes
        What was left out, in sentences.
    """

    edges: Sequence[Sequence[Any]]
    where: Place = lambda i: f"edge {i + 1}"
    classes: Sequence[Hashable] = ()
    aliases: Mapping[Any, Any] = field(default_factory=dict)
    titles: Mapping[Any, str] = field(default_factory=dict)
    direction: str | None = None
    lines: bool = False
    declared: bool = False
    notes: Sequence[str] = ()

    def build(
        self, roots: str | None = None, tell: Tell | None = None, trouble: Trouble = refuse_fault
    ) -> Hierarchy:
        """Return the checked hierarchy.

        ``tell`` is told of several roots in one line, and ``trouble`` of each faulty edge, as by
        :meth:`hierpair.Hierarchy.from_edges`.
        """
        from hierpair.hierarchy.graph import Hierarchy

        arrays = numbered_edges(self.edges, self.classes, self.where, trouble)
        check_other_names(arrays["names"], self.aliases, self.titles)
        built = Hierarchy(**arrays, aliases=dict(self.aliases), titles=dict(self.titles))
        self.check_roots(built, roots, tell)
        return built

    def check_roots(self, built: ClassGraph, roots: str | None, tell: Tell | None = None) -> None:
        """Refuse a hierarchy that looks misread; tell, or warn, in one line of several roots."""
        check_choice("roots", roots, (None, "any"))
        if roots == "any":
            return
        if said := self.misread(built):
            raise BadInput(f"{said}; if it is meant, go on with roots='any'")
        for doubt in doubts_about(built):
            if tell is None:
                warnings.warn(doubt, HierarchyWarning, stacklevel=4)
            else:
                tell(doubt)

    def misread(self, graph: ClassGraph) -> str:
        """Return the evidence that the hierarchy was misread, with what to write; or nothing.

        Several roots alone are no evidence: forests, and ontologies with several roots, are
        ordinary.
        """
        roots, n_children = graph.root_indices, np.diff(graph.child_ptr)
        n_parents, names = np.diff(graph.parent_ptr), [graph.names[c] for c in roots.tolist()]
        alone = set(self.classes if self.declared else ())
        blank = [name for name in names if is_blank(name) and name not in alone]
        if blank and len(graph) > 1:
            return f"the root {shown(blank[0])} looks like a blank: leave the parent of roots out"
        if len(roots) == 1:
            around = n_children[0] == 1 or names[0] in self.titles
            wraps = names[0] in WRAPPERS and len(graph) > 2 and around
            said = f"is the root {shown(names[0])} the key of the hierarchy? Give what it holds"
            return said if wraps else ""
        several, ends = _roots(graph), np.flatnonzero(n_children == 0)
        if twins := _twins(graph, names):
            return (
                f"{twins[0]!r} and {twins[1]!r} are two classes: one number that was written in "
                "two ways? Write it in one way, as whole numbers or as texts"
            )
        joined = n_children.max() == 1 < n_parents.max(initial=0)
        if self.direction in (None, "keys") and (len(ends) == 1 or joined):
            sign = f"turned round there would be one ({graph.names[ends[0]]})"
            sign = sign if len(ends) == 1 else "classes have several parents, but none two children"
            mend = "direction='child-to-parent' turns it round, direction='parent-to-child' takes "
            mend = "Exchange their names" if self.direction else f"{mend}it as it is"
            return f"{several}, and {sign}: are parent and child swapped? {mend}"
        if not len(graph.parents) and not alone.issuperset(names):
            return f"{counted(len(graph), 'class')} and no edge, such as {shown(names[0], 40)}"
        # roots of a single edge, which only a line of its own can bring
        up, down = graph.parents, row_numbers(graph.parent_ptr)
        single = (n_parents[up] == 0) & (n_children[up] == 1) & (n_parents[down] == 1)
        lonely = set(up[single & (n_children[down] == 0)].tolist() if self.lines else ())
        if len(lonely) == len(roots):
            return (
                f"{several}, and no two lines have a class in common: are they codes with their "
                "names, or instances with their labels? Codes have a format of their own, and a "
                "hierarchy comes first, then the truth, then predictions"
            )
        for c, name in zip(roots.tolist(), names, strict=True):
            why = "is what columns are called" if is_word(name) else ""
            if c in lonely and name == self.edges[0][0]:
                why = why or "stands in the first line alone"
            if not n_children[c] and name not in alone:
                why = "has no children"
            if why:
                return (
                    f"{several}, and {shown(name, 40)} {why}: was a header, or a line of another "
                    "kind, read as a class? Leave that line out, or write a header that is known, "
                    "such as parent, child"
                )
        return ""

    def led(self, direction: str | None) -> EdgeList:
        """Return the edges as a caller says that they lead, where the source does not say it."""
        check_choice("direction", direction, (None, *DIRECTIONS))
        if direction is None or self.direction in DIRECTIONS:
            return self
        if self.direction == "keys":
            raise BadInput(
                "names of columns or keys say which is the parent, so leave direction out; it is "
                "for edges, maps and lineages whose order alone says it"
            )
        edges = self.edges
        if direction == "child-to-parent":
            edges = [
                (e[1], e[0], *e[2:]) if isinstance(e, (list, tuple)) and len(e) > 1 else e
                for e in edges
            ]
        return replace(self, edges=edges, direction=direction)


def collected(place: Place, records: Iterable[Record], **said: Any) -> EdgeList:
    """Collect what a form says record by record; other fields of the list are given."""
    edges: list[tuple[Hashable, Hashable]] = []
    lines: list[int] = []
    classes: dict[Hashable, None] = {}
    for line, parent, child in records:
        if parent is None:
            classes[child] = None
        else:
            edges.append((parent, child))
            lines.append(line)

    def where(i: int) -> str:
        return place(lines[i]) if lines[i] else f"{place(0)}: {edges[i][1]!r}"

    return EdgeList(edges, where, list(classes), **said)


def cycles_broken(rule: str | None, note: Tell, trouble: Trouble) -> Trouble:
    """Return what is told faults: edges that close cycles are left out by a rule, with a note."""
    if rule not in (None, *BREAKING_RULES):
        raise BadInput(f"there is no rule {rule!r} for cycles; there is {listed(BREAKING_RULES)}")

    def told(fault: Fault) -> None:
        if rule is None or fault.rule not in ("cycle", "self-loop"):
            trouble(fault)
            return
        parent, child = fault.edge
        note(
            f"{fault.place}: the edge {parent!r} → {child!r} closes a cycle and is left out "
            f"(rule {rule})"
        )

    return told


# ---------------------------------------------------------------- what is told of roots


def _twins(graph: ClassGraph, roots: Iterable[Hashable]) -> list[Hashable]:
    """Return a root and the class that is the same number, written in another way.

    A parent that is written otherwise than the same class as a child becomes a root.
    """
    forms = [(root, form) for root in roots for form in spellings(root)]
    forms += [(root, f"{form}.0") for root, form in forms]
    known = set(graph.names) if forms else set()
    return next(([root, form] for root, form in forms if form != root and form in known), [])


def doubts_about(graph: ClassGraph) -> list[str]:
    """Return what a user should know of a hierarchy beside its size: several roots."""
    roots = graph.root_indices
    ends = np.flatnonzero(np.diff(graph.child_ptr) == 0)
    said = "classes under different roots have no common ancestor"
    if len(ends) < len(roots):
        n = counted(len(ends), "class")
        few = f"{n} without children ({_first_few(graph, ends)})"
        return [f"{_roots(graph)} and {few}: are parent and child swapped?"]
    return [f"{_roots(graph)}: {said}"] if len(roots) > 1 else []


def _roots(graph: ClassGraph) -> str:
    return f"{len(graph.root_indices)} roots ({_first_few(graph, graph.root_indices)})"


def _first_few(graph: ClassGraph, classes: Ints) -> str:
    return listed(graph.names[c] for c in classes[:5].tolist()) + ", …" * (len(classes) > 5)


def read_table(
    header: Sequence[Any],
    values: Values,
    place: Place,
    trouble: Tell,
    *,
    named: Sequence[Any] = (),
    about: str = "",
    name_them: str = "",
    name_of: Naming = lambda cell: cell,
) -> EdgeList | None:
    """Return what a table says; None where no column is called like a parent, or like a class.

    ``values`` returns those of a column; ``place`` tells where row ``i`` stands; ``trouble`` is
    told what is wrong with it. ``named`` are the columns of class, parent and weight, as
    far as the caller names them; ``about`` is what the table is called in errors, and
    ``name_them`` how its columns are named. ``name_of`` returns the class that a cell is, or None.
    """
    try:
        roles = table_roles(header, values, *named)
    except BadInput as error:
        raise BadInput(f"{about}{error}{name_them}") from None
    if roles is None:
        return None
    # rows are classes, and not edges, where they have an id or a name
    rows_are_classes = has_role(roles["child"], "id") or has_role(roles["child"], "name")
    by_order = normal(roles.get("parent", "")) in {above for above, _ in PAIRS[:3]}
    return table_edges(
        {role: values(name) for role, name in roles.items()}, place, trouble, name_of,
        signs=TOP_WORDS if rows_are_classes else (), direction=None if by_order else "keys",
    )  # fmt: skip


def table_edges(
    columns: Mapping[str, Sequence[Any]],
    place: Place,
    trouble: Tell,
    name_of: Naming,
    *,
    none: Sequence[str] = (),
    signs: Sequence[str] = (),
    down: bool = False,
    **said: Any,
) -> EdgeList:
    """Return edges, classes and titles of a table; a blank parent is a root.

    The columns are ``child``, ``parent`` (or a list of them) or ``ancestry`` (the ids above, from
    the top, between slashes), and, if there are any, ``weight`` and ``title``. ``none`` is what a
    parent is called where there is none, beside blanks; ``signs`` what may say so where one parent
    alone has no row. With ``down`` the parents are children.
    """

    def named(cell: Any, i: int) -> Any:
        if is_missing(cell) or (none and str(cell) in none):
            return None
        name = name_of(cell)
        if name is None:
            trouble(
                f"{place(i)}: expected the name of a class or of its parent, got {shown(cell, 40)}"
            )
        return name

    above = columns.get("parent")
    if above is None:
        above = list(map(_last_above, columns["ancestry"], columns["child"]))
    children = whole_numbers([named(cell, i) for i, cell in enumerate(columns["child"])])
    classes = dict(zip(children, columns.get("title", children), strict=True))
    for i in [i for i, child in enumerate(children) if child is None]:
        trouble(f"{place(i)}: a class name is missing")
    classes.pop(None, None)
    rows = [(i, named(x, i)) for i, cell in enumerate(above) for x in each_of(cell)]
    weights = columns.get("weight")
    edges: dict[int, tuple[Any, ...]] = {}
    strange: list[tuple[int, Any]] = []
    for k, parent in enumerate(spelled_as([x for _, x in rows], classes)):
        i = rows[k][0]
        child = children[i]
        if child is None or parent is None:
            continue
        if parent not in classes and not down:
            if is_blank(parent):
                trouble(f"{place(i)}: the parent {shown(parent)}; leave the parent of a root blank")
                continue
            strange.append((i, parent))
        ends = (child, parent) if down else (parent, child)
        edges[k] = ends if weights is None else (*ends, weights[i])
    if len(strange) == 1 < len(edges) and str(strange[0][1]).lower() in signs:
        trouble(
            f"{place(strange[0][0])}: is the parent {shown(strange[0][1])} a class, or does it "
            "say that there is none? Add a row for it, or leave the parent of a root blank"
        )
    at = list(edges)
    return EdgeList(
        list(edges.values()), lambda k: place(rows[at[k]][0]), list(classes),
        titles={
            c: str(x) for c, x in classes.items()
            if x is not c and not is_missing(x) and str(x) != str(c)
        },
        **said,
    )  # fmt: skip


def _last_above(path: Any, child: Hashable) -> Any:
    """Return the last class of a path of ids that may end with the class itself."""
    names = [] if is_missing(path) else re.split(r"\s*[/|>;,]\s*", str(path).strip())
    return next((name for name in reversed(names) if name not in ("", str(child))), None)
