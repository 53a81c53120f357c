"""What any source says of a hierarchy, before it is checked, and whether it was read as meant."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.errors import BadInput, HierarchyWarning, check_choice, counted, listed, shown
from hierpair.hierarchy.arrays import Ints
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
    each_of,
    has_role,
    is_blank,
    is_word,
    normal,
    spelled_as,
    spellings,
    table_roles,
    whole,
    whole_numbers,
)

if TYPE_CHECKING:
    from hierpair.hierarchy.graph import Hierarchy

__all__ = [
    "BREAKING_RULES",
    "DIRECTIONS",
    "EdgeList",
    "Naming",
    "Record",
    "collected",
    "cycles_broken",
    "doubts_about",
    "read_table",
    "refuse",
    "table_edges",
]

DIRECTIONS = ("parent-to-child", "child-to-parent")
"""Which way edges lead."""

BREAKING_RULES = ("depth-first",)
"""Rules that say which edges to leave out of a hierarchy with cycles."""

WRAPPERS = ("hierarchy", "tree", "taxonomy", "ontology", "data", "graph", "classes", "categories")
"""Keys that hold a whole hierarchy."""

GO_ON = "if it is meant, go on with roots='any'"
"""What can be done about roots that look misread."""

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
        Which way the source or its reader says that edges lead; None where only their order does.
    lines
        Whether every line is an edge, so that the first may be a header that is not known.
    keyed
        Whether names of columns or keys say which is the parent, whatever the direction.
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
    keyed: bool = False
    declared: bool = False
    notes: Sequence[str] = ()

    def build(
        self,
        roots: str | None = None,
        tell: Tell | None = None,
        trouble: Trouble = refuse_fault,
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
            raise BadInput(f"{said}; {GO_ON}")
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
        names = [graph.names[c] for c in roots.tolist()]
        alone = set(self.classes if self.declared else ())
        blank = [name for name in names if is_blank(name) and name not in alone]
        if blank and len(graph) > 1:
            return f"the root {shown(blank[0])} looks like a blank: leave the parent of roots out"
        if len(roots) == 1:
            if n_children[0] > 1 or len(graph) < 3 or names[0] not in WRAPPERS:
                return ""
            return (
                f"the root {shown(names[0])} has one class below it: is it the key of the "
                "hierarchy? Give what it holds"
            )
        several, ends = _roots(graph), np.flatnonzero(n_children == 0)
        if twins := _twins(graph, names):
            return (
                f"{twins[0]!r} and {twins[1]!r} are two classes: one number that was written in "
                "two ways? Write it in one way, as whole numbers or as texts"
            )
        joined = n_children.max() == 1 < np.diff(graph.parent_ptr).max()
        if self.direction is None and (len(ends) == 1 or joined):
            sign = "no class has two children, but some have several parents"
            if len(ends) == 1:
                sign = f"turned round there would be one ({graph.names[ends[0]]})"
            mend = "direction='child-to-parent' turns it round, direction='parent-to-child' takes "
            mend = "Exchange their names" if self.keyed else f"{mend}it as it is"
            return f"{several}, and {sign}: are parent and child swapped? {mend}"
        both = np.intersect1d(roots, ends)
        bare = both[[graph.names[c] not in alone for c in both.tolist()]]
        if len(bare) == len(graph):
            such = shown(graph.names[0], 40)
            return f"{counted(len(bare), 'class')} and no edge, such as {such}"
        if len(bare):
            return (
                f"{several}, of which {_first_few(graph, bare)} "
                f"{'has' if len(bare) == 1 else 'have'} no children: was a line of another kind "
                "read as a class? Leave it out"
            )
        header = "or write a header that is known, such as parent, child"
        word = next(filter(is_word, names), None)
        if word is not None:
            return (
                f"{several}, and {shown(word)} is what columns are called: is it a header? Leave "
                f"that line out, {header}"
            )
        some = roots[n_children[roots] == 1]
        child = graph.children[graph.child_ptr[some]]
        lonely = some[(n_children[child] == 0) & (np.diff(graph.parent_ptr)[child] == 1)].tolist()
        first = self.edges[0][0] if self.lines and len(self.edges) else None
        if first is not None and len(lonely) == len(roots):
            return (
                f"{several}, and no two lines have a class in common, so there are no levels: are "
                "they codes with their names, or instances with their labels (a hierarchy comes "
                "first, then the truth, then predictions)? Codes have a format of their own"
            )
        if first in [graph.names[c] for c in lonely]:
            return (
                f"{several}, and only the first line brings {shown(first, 40)}: is it a header? "
                f"Leave it out, {header}"
            )
        return ""

    def led(self, direction: str | None) -> EdgeList:
        """Return the edges as a caller says that they lead, where the source does not say it."""
        check_choice("direction", direction, (None, *DIRECTIONS))
        if direction is None or self.direction is not None:
            return self
        if self.keyed:
            raise BadInput(
                "names of columns or keys say which is the parent, so leave direction out; it is "
                "for edges, maps and lineages whose order alone says it"
            )
        edges = self.edges if direction == "parent-to-child" else list(map(_turned, self.edges))
        return replace(self, edges=edges, direction=direction)


def _turned(edge: Any) -> Any:
    """Return an edge with both ends exchanged; what is no edge stays for who refuses it."""
    is_edge = isinstance(edge, (list, tuple)) and len(edge) > 1
    return (edge[1], edge[0], *edge[2:]) if is_edge else edge


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


def _twins(graph: ClassGraph, roots: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Return a root and the class that is the same number, written in another way.

    A parent that is written otherwise than the same class as a child becomes a root.
    """
    numbers = [(name, (*spellings(name), f"{whole(name)}.0")) for name in roots if spellings(name)]
    known = set(graph.names) if numbers else set()
    for root, forms in numbers:
        for form in known.intersection(forms) - {root}:
            c = graph.names.index(root)
            below = graph.children[graph.child_ptr[c] : graph.child_ptr[c + 1]].tolist()
            if form not in [graph.names[b] for b in below]:  # as the code 1.0 is below 1
                return root, form
    return ()


def doubts_about(graph: ClassGraph) -> list[str]:
    """Return what a user should know of a hierarchy beside its size: several roots."""
    roots = graph.root_indices
    if len(roots) < 2:
        return []
    ends = np.flatnonzero(np.diff(graph.child_ptr) == 0)
    if len(ends) < len(roots):
        return [
            f"{_roots(graph)} and {counted(len(ends), 'class')} without children "
            f"({_first_few(graph, ends)}): are parent and child swapped?"
        ]
    return [f"{_roots(graph)}: classes under different roots have no common ancestor"]


def _roots(graph: ClassGraph) -> str:
    return f"{len(graph.root_indices)} roots ({_first_few(graph, graph.root_indices)})"


def _first_few(graph: ClassGraph, classes: Ints) -> str:
    return listed(graph.names[c] for c in classes[:5].tolist()) + ", …" * (len(classes) > 5)


def read_table(
    header: Sequence[Any],
    values: Callable[[Any], Sequence[Any]],
    place: Place,
    trouble: Tell,
    *,
    named: Sequence[Any] = (),
    about: str = "",
    name_them: str = "",
    name_of: Naming | None = None,
) -> EdgeList | None:
    """Return what a table says; None where no column is called like a parent, or like a class.

    Parameters
    ----------
    header, values
        The titles, and what returns the values of a column.
    place, trouble
        Where row ``i`` stands, and what to do with a faulty one.
    named
        The columns of the class, the parent and the weight, as far as the caller names them.
    about, name_them
        What the table is called, and how its columns are named: for errors.
    name_of
        Returns the class name that something in a cell is, or None.
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
        {role: values(name) for role, name in roles.items()}, place, trouble, name_of=name_of,
        signs=TOP_WORDS if rows_are_classes else (), keyed=not by_order,
    )  # fmt: skip


def table_edges(
    columns: Mapping[str, Sequence[Any]],
    place: Place,
    trouble: Tell,
    *,
    name_of: Naming | None = None,
    none: Sequence[str] = (),
    signs: Sequence[str] = (),
    down: bool = False,
    **said: Any,
) -> EdgeList:
    """Return edges, classes and titles of a table; a blank parent is a root.

    Parameters
    ----------
    columns
        ``child``, and ``parent`` (or a list of them) or ``ancestry`` (the ids above, from the top,
        between slashes), and, if there are any, ``weight`` and ``title``: equally long.
    place, trouble, name_of
        As for :func:`read_table`.
    none
        What a parent is called where there is none, beside blanks.
    signs
        What a parent is called, alone among all without a row, that may say that there is none.
    down
        Whether the parents are children.
    **said
        Further fields of the list.
    """

    def named(cells: Sequence[Any], at: Sequence[int]) -> list[Any]:
        blank = [is_missing(x) or (bool(none) and str(x) in none) for x in cells]
        names = [None if no else name_of(x) for x, no in zip(cells, blank, strict=True)]  # type: ignore[misc]
        for k in [k for k, name in enumerate(names) if name is None and not blank[k]]:
            trouble(
                f"{place(at[k])}: expected the name of a class or of its parent, "
                f"got {shown(cells[k], 40)}"
            )
        return names

    children, cells = columns["child"], columns.get("parent")
    if cells is None:
        cells = list(map(_last_above, columns["ancestry"], children))
    held = list(map(each_of, cells))
    rows = [i for i, several in enumerate(held) for _ in several or [None]]
    cells = [x for several in held for x in several or [None]]
    if name_of is not None:
        children, cells = named(children, range(len(children))), named(cells, rows)
    children = whole_numbers(children)
    known = set(children)
    weights, titles = columns.get("weight"), columns.get("title", children)
    edges: list[tuple[Any, ...]] = []
    kept: list[int] = []
    titled: dict[Any, str] = {}
    classes: dict[Hashable, None] = {}
    strange: list[Any] = []
    for i, parent in zip(rows, spelled_as(cells, known), strict=True):
        child, title = children[i], titles[i]
        if is_missing(child):
            trouble(f"{place(i)}: a class name is missing")
            continue
        classes[child] = None
        if title is not child and not is_missing(title) and str(title) != str(child):
            titled[child] = str(title)
        if is_missing(parent):
            continue
        if parent not in known and not down:
            if is_blank(parent):
                trouble(f"{place(i)}: the parent {shown(parent)}; leave the parent of a root blank")
                continue
            strange.append((i, parent))
        ends = (child, parent) if down else (parent, child)
        edges.append(ends if weights is None else (*ends, weights[i]))
        kept.append(i)
    if len(strange) == 1 < len(edges) and str(strange[0][1]).lower() in signs:
        trouble(
            f"{place(strange[0][0])}: is the parent {shown(strange[0][1])} a class, or does it "
            "say that there is none? Add a row for it, or leave the parent of a root blank"
        )
    return EdgeList(edges, lambda k: place(kept[k]), list(classes), titles=titled, **said)


def _last_above(path: Any, child: Hashable) -> Any:
    """Return the last class of a path of ids that may end with the class itself."""
    parts = "" if is_missing(path) else str(path)
    names = [part.strip() for part in re.split(r"[/|>;,]", parts) if part.strip()]
    return next((name for name in reversed(names) if name != str(child)), None)
