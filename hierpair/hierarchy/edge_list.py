"""What any source says of a hierarchy before it is checked, and whether it was read as meant."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.errors import (
    BadInput,
    HierarchyWarning,
    check_choice,
    check_known,
    counted,
    listed,
    shown,
)
from hierpair.hierarchy.arrays import OnDemand
from hierpair.hierarchy.building import (
    EdgeFault,
    Place,
    Tell,
    Trouble,
    check_other_names,
    in_order,
    is_edge,
    is_missing,
    normal_name,
    numbered_edges,
    plain_names,
    refuse_fault,
)
from hierpair.hierarchy.closure import ClassGraph

if TYPE_CHECKING:
    from hierpair.hierarchy.graph import Hierarchy


NAMES = {
    "parent": "parent parents parentid parent_id superclass super_class supercategory "
    "superordinate broader broader_term is_a isa sub_class_of subclass_of hypernym father mother "
    "upper pid",
    "child": "child childid subclass sub_class narrower hyponym",
    "id": "id code class class_id term term_id taxon taxon_id taxonid tax_id taxid uid uuid node "
    "node_id nodeid key identifier concept concept_id category category_id categoryid item item_id "
    "notation uri iri index idx label_name",
    "name": "name title label description text pref_label preferred_label display_name tag "
    "scientific_name canonical_name",
    "rank": "rank taxon_rank rank_name",
    "weight": "weight edge_weight",
    "children": "children child_ids childids childs child_nodes childnodes subclasses subcategory "
    "subcategories sub_categories subconcepts subtypes subtree kids nodes items narrower hyponyms "
    "branches",
    "ancestry": "ancestry ancestors lineage ancestor_ids materialized_path tree_path",
}
"""What columns and keys are called, in normal form, the usual names first."""

ROLES = {role: tuple(words.split()) for role, words in NAMES.items()}

PAIRS = (("source", "target"), ("from", "to"), ("src", "dst"), ("superclass", "subclass"))
"""Two columns that name the upper and the lower end of an edge together."""

RANK_WORDS = (
    "domain superkingdom realm kingdom subkingdom superphylum phylum division subphylum superclass "
    "class subclass infraclass superorder order suborder infraorder superfamily family subfamily "
    "supertribe tribe subtribe genus subgenus species subspecies variety form"
)
RANKS = tuple(RANK_WORDS.split())
"""Ranks of taxa from the top; Darwin Core has a column for each."""

PLAIN_RANKS = frozenset({"kingdom", "phylum", "order", "family", "genus", "species"})
"""Of these two columns show that a table has a column per rank."""

EPITHETS = {"specific_epithet": "species", "infraspecific_epithet": "subspecies"}
"""Columns with the second and third word of a name."""

NO_RANK = frozenset({"", "no rank", "clade", "unranked"})
"""What stands for the rank of a class that has none."""

MISSING_WORDS = ("nan", "none", "null", "na", "n/a", "<na>", "nat", "-1", "-1.0", "#n/a", "#", "-",
                 "--", "nil", "undefined", "no parent", "\\n")  # fmt: skip
"""What programs write for no parent, and what would become a class of its own."""

ZERO = ("0", "0.0")
TOP_WORDS = (*ZERO, "root", "top")
"""What tables also write for no parent, though it may be a class."""

KEY_WORDS = {word for words in (*ROLES.values(), *PAIRS) for word in words}

SPREADSHEET = re.compile(r"\d\d?-[A-Z][a-z]{2}|[A-Z][a-z]{2}-\d\d|\d(\.\d+)?E\+\d\d")
"""What spreadsheets make of MAR1 and of 100000000000."""

WHOLE = re.compile(r"-?\d+\.0+")

Values = Callable[[Any], Sequence[Any]]
"""Returns the values of a column."""


def normal(title: object) -> str:
    """Return a title in small letters, its words joined by ``_``."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", str(title).strip())
    return re.sub(r"[\W_]+", "_", split.casefold()).strip("_")


def has_role(title: object, role: str) -> bool:
    """Whether a column or key of this title is known to have a role."""
    word = normal(title)
    return word in ROLES[role] or (role in ("parent", "child") and role in word.split("_"))


def is_word(name: object) -> bool:
    """Whether a class is called as columns and keys are, so that it may be a header or a key."""
    return isinstance(name, str) and (normal(name) in KEY_WORDS or has_role(name, "parent"))


def names_edges(header: Sequence[Any]) -> bool:
    """Whether a header names the parent of something, so that its lines are rows of a table."""
    found = _by_role(header)
    return bool(_pairs(found) or found["ancestry"])


def rank_columns(header: Sequence[Any]) -> tuple[dict[str, Any], list[Any]]:
    """Return the columns of a table with a column per rank, by rank from the top, and the rest."""
    usual = sorted(header, key=lambda title: normal(title) in EPITHETS)
    of_rank = {EPITHETS.get(normal(title), normal(title)): title for title in reversed(usual)}
    ranked = {rank: of_rank[rank] for rank in RANKS if rank in of_rank}
    ranked = ranked if len(PLAIN_RANKS & {*ranked}) > 1 else {}
    return ranked, [title for title in header if title not in ranked.values()]


def names_ranks(header: Sequence[Any]) -> bool:
    """Whether a header names columns of ranks, such as order, family, genus, and no parent."""
    ranked, rest = rank_columns(header)
    return bool(ranked) and not names_edges(rest)


def table_roles(
    header: Sequence[Any], values: Values, child: Any = None, parent: Any = None, weight: Any = None
) -> dict[str, Any]:
    """Return the columns by role: names say which may be what, rows decide between them."""
    found = _by_role([title for title in header if title != weight])
    for role, name in (("child", child), ("parent", parent), ("weight", weight)):
        if name is not None:
            check_known("column", name, header)
            found[role] = [name]
    others = [title for title in header if not any(title in of for of in found.values())]
    lone = others[:1] if len(others) == 1 else []
    if pairs := _pairs(found) or [(t, above) for above in found["parent"] for t in lone]:
        below = _fitting(pairs, found, values)
        roles = dict(zip(("child", "parent"), below, strict=True))
    elif found["ancestry"] and found["id"]:
        roles = {"child": (found["child"] or found["id"])[0], "ancestry": found["ancestry"][0]}
    else:
        said = f"which column is the class and which its parent? There are {listed(header)}"
        raise BadInput(said)
    for role, of in (("weight", "weight"), ("title", "name"), ("rank", "rank")):
        free = [title for title in found[of] if title not in roles.values()]
        roles |= {role: free[0]} if free else {}
    return roles


def _by_role(header: Sequence[Any]) -> dict[str, list[Any]]:
    """Return the columns of every role, those with the usual names first."""
    words = {normal(t): t for t in reversed(header)}
    found = {
        role: sorted(
            (t for t in header if has_role(t, role)),
            key=lambda t, usual=usual: (*usual, normal(t)).index(normal(t)),  # type: ignore[misc]
        )
        for role, usual in ROLES.items()
    }
    for above, below in reversed(PAIRS):
        if above in words and below in words:
            found |= {"parent": [words[above]], "child": [words[below]]}
    return found


def _pairs(found: dict[str, list[Any]]) -> list[tuple[Any, Any]]:
    children = found["child"] or dict.fromkeys([*found["id"], *found["name"]])
    return [(t, above) for above in found["parent"] for t in children if t != above]


def _fitting(
    pairs: Sequence[tuple[Any, Any]], found: Mapping[str, Sequence[Any]], values: Values
) -> tuple[Any, Any]:
    """Return the columns of classes and parents of which the second are among the first.

    Columns of children and ids are known by the title, those of names and others by parents among
    them, unless there is a single parent of names.
    """
    firm = {*found["child"], *found["id"]}
    if len(pairs) == 1 and pairs[0][0] in firm:
        return pairs[0]

    def fit(pair: tuple[Any, Any]) -> int:
        every = {x for cell in values(pair[1]) for x in each_of(cell)}
        wanted = {digits(x) for x in every if not (is_missing(x) or is_blank(x))}
        inside = wanted.intersection(map(digits, values(pair[0])))
        if not inside and pair[0] not in firm and (len(wanted) > 1 or pair[0] not in found["name"]):
            return -1
        return (inside == wanted) + bool(inside)

    fits = list(map(fit, pairs))
    best = [pair for pair, n in zip(pairs, fits, strict=True) if n == max(fits)]
    if max(fits) < 0 or any([*map(values, pair)] != [*map(values, best[0])] for pair in best):
        each = " or ".join(f"{below!r} with the parent {above!r}" for below, above in best)
        raise BadInput(f"which column is the class and which its parent? It may be {each}")
    return best[0]


def each_of(cell: Any) -> list[Any]:
    """Return the names in a cell, which may be one, or a list of them."""
    several = isinstance(cell, (list, tuple, set, frozenset, np.ndarray))
    return plain_names(in_order(cell)) if several else [cell]


def is_blank(name: object) -> bool:
    """Whether a name is what programs write for none."""
    return str(name).strip().lower() in MISSING_WORDS


def whole(name: Any) -> Any:
    """Return the text of a whole number without ``.0``; other names as they are."""
    text = str(name) if isinstance(name, float) else name
    return text.split(".")[0] if isinstance(text, str) and WHOLE.fullmatch(text) else name


def digits(name: Any) -> str:
    """Return a name as text, which is one for 1, 1.0, ``"1"`` and ``"1.0"``."""
    return str(whole(name))


def spelled_as(names: Iterable[Any], classes: Collection[Any]) -> list[Any]:
    """Return names as they are written among the classes: gaps in a column turn 1 into 1.0."""
    exact = set(classes)  # of texts "1.0" may be a code below 1
    known = {c if isinstance(c, str) else digits(c): c for c in classes}
    in_digits = bool(known) and all(isinstance(c, str) and c.isdecimal() for c in known.values())

    def same(name: Any) -> Any:
        if name is None or name in exact:
            return name
        bare = name if isinstance(name, str) else whole_numbers([name])[0]
        return known.get(digits(name), digits(name) if in_digits else bare)

    return list(map(same, names))


def whole_numbers(names: Sequence[Any], others: Collection[str] = ()) -> Sequence[Any]:
    """Return ``1.0`` as 1 where all of a column are such, and none is a code of another column."""
    if not all(isinstance(x, str) for x in names):
        return [int(x) if isinstance(x, float) and x.is_integer() else x for x in names]
    codes = not all(WHOLE.fullmatch(x) for x in names if x) or set(names) & set(others) - {""}
    return names if codes else list(map(whole, names))


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
    edges, where
        ``(parent, child)`` or ``(parent, child, weight)``; and what tells where number ``i``
        stands.
    classes, aliases, titles, ranks
        Classes that are named, in their order; those of the edges need not be among them. Other
        names of classes, what they are called for people, and what their level is called.
    synonyms
        Pairs (name, class): what classes are called besides, where the reader was asked for it.
    direction
        Which way the source or its reader says that edges lead; None where only their order does,
        and ``"keys"`` where names of columns or keys say which is the parent.
    lines
        Whether every line is an edge, so that the first may be a header that is not known.
    declared
        Whether classes are declared one by one, so that some may be alone.
    notes
        What was left out, in sentences.
    separator
        Between the names of a class that is called by its path; a blank for others.
    """

    edges: Sequence[Sequence[Any]]
    where: Place = lambda i: f"edge {i + 1}"
    classes: Sequence[Hashable] = ()
    aliases: Mapping[Any, Any] = field(default_factory=dict)
    titles: Mapping[Any, str] = field(default_factory=dict)
    ranks: Mapping[Any, str] = field(default_factory=dict)
    synonyms: Sequence[tuple[str, Any]] = ()
    direction: str | None = None
    lines: bool = False
    declared: bool = False
    notes: Sequence[str] = ()
    separator: str = ""

    def build(
        self, roots: str | None = None, tell: Tell | None = None, trouble: Trouble = refuse_fault
    ) -> Hierarchy:
        """Return the checked hierarchy.

        ``tell`` is told of several roots in one line, and ``trouble`` of each faulty edge, as by
        :meth:`hierpair.Hierarchy.from_edges`.
        """
        from hierpair.hierarchy.graph import Hierarchy

        arrays = numbered_edges(self.edges, self.classes, self.where, trouble)
        said = {"aliases": self.aliases, "titles": self.titles, "ranks": self.ranks}
        # what is made on demand is made of the classes themselves
        given = {what: dict(of) for what, of in said.items() if not isinstance(of, OnDemand)}
        check_other_names(arrays["names"], **given)
        built = Hierarchy(**arrays | said | given)
        self.check_roots(built, roots, tell)
        return built

    def check_roots(self, built: Hierarchy, roots: str | None, tell: Tell | None) -> None:
        """Refuse a hierarchy that looks misread; tell, or warn, in one line of several roots.

        Where nobody is told, what was left out stands beside it: that may be why.
        """
        check_choice("roots", roots, (None, "any"))
        if roots == "any":
            return
        left_out = self.notes if tell is None else ()
        if said := self.misread(built):
            said = "; ".join([said, *left_out])
            raise BadInput(f"{said}; if it is meant, go on with roots='any'")
        for doubt in built.doubts:
            if tell is None:
                warnings.warn("; ".join([doubt, *left_out]), HierarchyWarning, stacklevel=4)
            else:
                tell(doubt)

    def misread(self, graph: Hierarchy) -> str:
        """Return the evidence that the hierarchy was misread, with what to write; or nothing.

        Several roots alone are no evidence: forests, and ontologies with several roots, are
        ordinary.
        """
        roots, n_children, names = graph.root_indices, graph.n_children, graph.roots
        alone = set(self.classes if self.declared else ())
        sign = self.separator
        for name in (graph.names if sign else names) if len(graph) > 1 else ():
            if is_blank(str(name).rpartition(sign or "\0")[2]) and name not in alone:
                what = "the end of the path" if sign else "the parent of roots"
                return f"{shown(name)} looks like a blank: leave {what} out"
        if len(roots) == 1:
            wraps = names[0] in WRAPPERS and len(graph) > 2
            wraps = wraps and (n_children[0] == 1 or names[0] in self.titles)
            said = f"is the root {shown(names[0])} the key of the hierarchy? Give what it holds"
            return said if wraps else ""
        several, ends = some_roots(graph), graph.leaf_indices
        declared = set() if sign else set(self.classes)
        if twins := _twins(graph, names, declared):
            return (
                f"{twins[0]!r} and {twins[1]!r} are two classes: one that was written in two ways? "
                "Write it in one way (without quotes; numbers as whole numbers or as texts)"
            )
        if self.direction in (None, "keys") and len(ends) < len(roots):
            one = f"one ({graph.names[ends[0]]})" if len(ends) == 1 else len(ends)
            mend = (
                "direction='child-to-parent' turns it round, direction='parent-to-child' takes it "
                "as it is"
            )
            mend = "Exchange their names" if self.direction else mend
            return (
                f"{several}, and turned round there would be {one}: are parent and child swapped? "
                f"{mend}"
            )
        if not len(graph.parents) and not alone.issuperset(names):
            return (
                f"{counted(len(graph), 'class')} and no edge, such as {shown(names[0], 40)} "
                "(labels? Lineages and codes need a separator)"
            )
        if made := next((x for x in names if SPREADSHEET.fullmatch(str(x))), ""):
            return (
                f"{several}, and {shown(made)} is what spreadsheets make of MAR1 or 100000: write "
                "the ids as they were"
            )
        if len(graph) == 2 * len(graph.parents) > 4 and (n_children[roots] == 1).all() and not sign:
            return (
                f"{several}, and as many classes below: are these pairs, such as of code and "
                "title, and not parent and child (codes have a format of their own)?"
            )
        for c, name in zip(roots.tolist(), names, strict=True):
            why = "is what columns are called" if is_word(name) else ""
            # a root of a single edge, which only a line of its own can bring
            if self.lines and name == self.edges[0][0]:
                single = graph.n_parents[graph.descendant_numbers(c)].tolist() == [1]
                why = why or "stands in the first line alone" * single
            if not n_children[c] and name not in alone:
                why = "has no children"
            if why:
                return (
                    f"{several}, and {shown(name, 40)} {why}: was a header, or a line of another "
                    "kind, read as a class (codes have a format of their own, a hierarchy comes "
                    "first)? Leave that line out, or write a known header, such as parent, child"
                )
        return ""

    def led(self, direction: str | None) -> EdgeList:
        """Return the edges as a caller says that they lead, where the source does not say it."""
        check_choice("direction", direction, (None, *DIRECTIONS))
        if direction is None or self.direction in DIRECTIONS:
            return self
        if self.direction == "keys":
            raise BadInput("names of columns or keys say which is the parent: leave direction out")
        edges = self.edges
        if direction == "child-to-parent":
            edges = [_turned(*edge) if is_edge(edge) else edge for edge in edges]
        return replace(self, edges=edges, direction=direction)


def _turned(child: Any, parent: Any, *weight: Any) -> tuple[Any, ...]:
    return parent, child, *weight


def collected(place: Place, records: Iterable[Record], **said: Any) -> EdgeList:
    """Collect what a form says record by record; other fields of the list are given."""
    edges, lines, classes = [], [], dict[Any, None]()
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
    check_choice("break_cycles", rule, (None, *BREAKING_RULES))

    def told(fault: EdgeFault) -> None:
        if rule is None or fault.rule not in ("cycle", "self-loop"):
            trouble(fault)
            return
        parent, child = fault.edge
        note(
            f"{fault.place}: the edge {parent!r} → {child!r} closes a cycle and is left out "
            f"(rule {rule})"
        )

    return told


def _twins(graph: ClassGraph, roots: Iterable[Hashable], declared: Set[Hashable]) -> list[Hashable]:
    """Return a root and the class that is the same number or text, written in another way."""
    called = {_bare(x): x for x in roots if x not in declared or digits(x).isdecimal()}
    pairs = ([called.get(_bare(x), x), x] for x in (graph.names if called else ()))
    return next((pair for pair in pairs if pair[0] != pair[1]), [])


def _bare(name: Hashable) -> str:
    """Return a text without regard to capitals, blanks, quotes around it, and marks of no width."""
    return normal_name(digits(name).strip(" \"'\u200b\ufeff"))


def some_roots(graph: ClassGraph) -> str:
    """Return how many roots there are, and the first ones."""
    roots = graph.root_indices
    few = listed(graph.names[c] for c in roots[:5].tolist())
    return f"{len(roots)} roots ({few}{', …' * (len(roots) > 5)})"


def read_table(
    header: Sequence[Any], values: Values, place: Place, trouble: Tell, *,
    named: Sequence[Any] = (), about: str = "", mend: str = "",
    name_of: Naming = lambda cell: cell,
) -> EdgeList:  # fmt: skip
    """Return what a table says; the caller may name class, parent and weight (``named``)."""
    ranked, rest = rank_columns(header)
    above = _by_role(rest)
    blank = all(is_missing(x) for x in above["parent"] + above["ancestry"] for x in values(x))
    if ranked and blank and not any(named):
        return rank_edges(ranked, rest, values, place, trouble)
    try:
        roles = table_roles(header, values, *named)
    except BadInput as error:
        raise BadInput(f"{about}{error}{mend}") from None
    # rows are classes, and not edges, where they have an id or a name
    rows_are_classes = has_role(roles["child"], "id") or has_role(roles["child"], "name")
    by_order = normal(roles.get("parent", "")) in {above for above, _ in PAIRS[:3]}
    return table_edges(
        {role: values(name) for role, name in roles.items()}, place, trouble, name_of,
        signs=TOP_WORDS if rows_are_classes else (), rows_are_classes=rows_are_classes,
        direction=None if by_order else "keys",
    )  # fmt: skip


def table_edges(
    columns: Mapping[str, Sequence[Any]], place: Place, trouble: Tell, name_of: Naming, *,
    none: Sequence[str] = (), signs: Sequence[str] | None, rows_are_classes: bool = False,
    direction: str | None = None,
) -> EdgeList:  # fmt: skip
    """Return edges, classes and titles of a table; a blank parent is a root.

    ``none`` is what a parent is called where there is none, beside blanks; ``signs`` what may say
    so where one parent alone has no row, None where parents need none. A parent 0 without a row is
    always asked about where every row is a class.
    """

    def named(cell: Any, i: int) -> Any:
        if is_missing(cell) or str(cell) in none:
            return None
        name = name_of(cell)
        if name is None:
            trouble(f"{place(i)}: expected the name of a class, got {shown(cell, 40)}")
        return name

    above = columns.get("parent")
    if above is None:
        above = _last_above(columns["ancestry"], columns["child"], place, trouble)
    children = whole_numbers([named(cell, i) for i, cell in enumerate(columns["child"])])
    classes = dict(zip(children, columns.get("title", children), strict=True))
    for i, cell in enumerate(columns["child"]):
        if is_missing(cell):
            trouble(f"{place(i)}: a class name is missing")
    classes.pop(None, None)
    rows = [(i, named(x, i)) for i, cell in enumerate(above) for x in each_of(cell)]
    parents = spelled_as([parent for _, parent in rows], classes)
    weights, strange, edges, at = columns.get("weight"), list[Any](), list[Any](), list[int]()
    for (i, _), parent in zip(rows, parents, strict=True):
        if parent is None or children[i] is None:
            continue
        if signs is not None and parent not in classes:
            if is_blank(parent):
                trouble(f"{place(i)}: the parent {shown(parent)}; leave the parent of a root blank")
                continue
            strange.append((i, parent))
        edges.append((parent, children[i], *([] if weights is None else [weights[i]])))
        at.append(i)
    known = {str(x) for x in (*classes, *(parent for _, parent in strange)) if strange}
    for i, parent in strange:
        parts = re.findall(r"[^\s|;,()\[\]{}'\"]+", str(parent))
        if parts != [str(parent)] and known.issuperset(parts):
            trouble(
                f"{place(i)}: is {shown(parent)} one parent, or {listed(parts) or 'none'}? Write a "
                "row for each parent (in JSON and in memory a list of them), or a row for this one"
            )
        word, alone = str(parent).lower(), len(strange) == 1 < len(edges)
        if word in (signs or ()) and (alone or (rows_are_classes and word in ZERO)):
            trouble(
                f"{place(i)}: is the parent {shown(parent)} a class, or does it say that there is "
                "none? Add a row for it, or leave the parent of a root blank"
            )
    return EdgeList(
        edges, lambda k: place(at[k]), list(classes), direction=direction,
        titles={
            c: str(x) for c, x in classes.items()
            if x is not c and not is_missing(x) and str(x) != str(c)
        },
        ranks=_ranks(children, columns.get("rank", ())),
    )  # fmt: skip


def _ranks(classes: Sequence[Any], given: Sequence[Any]) -> dict[Any, str]:
    """Return the ranks of classes; a column of other things than ranks of taxa says nothing."""
    words = [str(rank).strip().lower() for rank in given]
    if not {*RANKS} & {*words}:
        return {}
    held = zip(classes, words, strict=True)
    return {c: rank for c, rank in held if rank not in NO_RANK and not is_blank(rank)}


TWO_TAXA = (
    "are these two taxa of one name? Name the columns of ranks (--hierarchy-levels, in Python "
    "levels=[…]), and a class is named by its whole path"
)


def rank_edges(
    ranked: Mapping[str, Any], rest: Sequence[Any], values: Values, place: Place, trouble: Tell
) -> EdgeList:
    """Return the taxa of a table with a column per rank, as Darwin Core has; ranks may be blank.

    What rows say of the ranks above a name is put together, as far as it agrees. A species may be
    told by its epithet beside the genus, and the taxon of the row by its scientific name and rank.
    """
    words = {normal(title): title for title in reversed(rest)}
    more = [words.get("scientific_name"), words.get("taxon_rank", words.get("rank"))]
    columns = (() if title is None else map(_text, values(title))
               for title in (*ranked.values(), *more))  # fmt: skip
    rows = dict[tuple[str, ...], int]()
    for i, row in enumerate(zip_longest(*columns, fillvalue="")):
        rows.setdefault(row, i)
    above, first = dict[str, dict[str, str]](), dict[str, tuple[str, int]]()
    titles = dict[str, str]()
    for (*names, scientific, own), i in rows.items():
        way = {rank: name for rank, name in zip(ranked, names, strict=True) if name}
        for word, rank in EPITHETS.items():  # species come before their subspecies
            if rank in way and normal(ranked[rank]) == word:
                before = "genus" if rank == "species" else "species"
                if before not in way:
                    trouble(f"{place(i)}: the epithet {shown(way[rank])} stands without a {before}")
                way[rank] = f"{way.get(before)} {way[rank]}"
        last = next(reversed(way.values()), "")
        epithet, rank = scientific.removeprefix(f"{last} "), own.lower()
        if not rank and "species" not in way and epithet != scientific and epithet[:1].islower():
            rank = "species"
        if scientific in ("", last):
            pass
        elif rank not in NO_RANK and all(_place(rank) > _place(r) for r in way):
            way[rank] = scientific
        elif not last or (not rank and epithet == scientific):
            way[""] = scientific
        elif rank in ("", next(reversed(way))):
            titles.setdefault(last, scientific)
        held = dict[str, str]()
        for rank, name in way.items():
            (usual, line), known = first.setdefault(name, (rank, i)), above.setdefault(name, {})
            if usual != rank or any(known.setdefault(r, x) != x for r, x in held.items()):
                trouble(
                    f"{place(i)}: {shown(name)} stands here otherwise than at {place(line)}: "
                    f"{TWO_TAXA}"
                )
            held[rank] = name
    edges = _taxon_edges(above, first, place, trouble)
    return EdgeList(
        edges, lambda k: place(first[edges[k][1]][1]), list(above), declared=True, titles=titles,
        ranks={name: rank for name, (rank, _) in first.items() if rank},
        direction="parent-to-child",
    )  # fmt: skip


def _taxon_edges(
    above: dict[str, dict[str, str]], first: Mapping[str, tuple[str, int]], place: Place,
    trouble: Tell,
) -> list[tuple[str, str]]:  # fmt: skip
    """Return every taxon with the lowest one above it, which stands below the others above it."""
    edges = list[tuple[str, str]]()
    for name in sorted(above, key=lambda name: -_place(first[name][0])):
        if way := dict(above[name]):
            parent = way.pop(max(way, key=_place))
            edges.append((parent, name))
            if any(above[parent].setdefault(r, x) != x for r, x in way.items()):
                trouble(
                    f"{place(first[name][1])}: {shown(parent)} stands above {shown(name)} "
                    f"otherwise than at {place(first[parent][1])}: {TWO_TAXA}"
                )
    return edges


def _place(rank: str) -> int:
    """Return where a rank stands from the top; those that are not known stand below all others."""
    return RANKS.index(rank) if rank in RANKS else len(RANKS)


def _text(cell: Any) -> str:
    return "" if is_blank(cell) else str(cell).strip()


def _last_above(
    paths: Sequence[Any], children: Sequence[Any], place: Place, trouble: Tell
) -> list[str | None]:
    """Return the last id of every path of those above, which may end with the class itself."""
    texts = ["" if is_missing(path) else str(path) for path in paths]
    own = list(map(digits, children))
    ways = [
        [name for name in re.split(r"\s*[/|>;,]\s*", text.strip()) if name not in ("", child)]
        for text, child in zip(texts, own, strict=True)
    ]
    way_of = dict(zip(own, ways, strict=True))
    for i, way in enumerate(ways):
        if way and way_of.get(way[-1], []) != way[:-1]:
            trouble(
                f"{place(i)}: {shown(own[i])} stands below {shown(way[-1])}, which has no "
                f"row with those above it, {shown(texts[i], 40)}; ids run from the top, and "
                "all but the highest need a row"
            )
    return [next(reversed(way), None) for way in ways]
