"""What columns of a table, or keys of objects, mean: one table of names, decided on rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np

from hierpair.errors import BadInput, listed, unknown
from hierpair.hierarchy.building import in_order, is_missing, plain_names

__all__ = [
    "PAIRS",
    "ROLES",
    "TOP_WORDS",
    "WHOLE",
    "each_of",
    "has_role",
    "is_blank",
    "is_word",
    "names_edges",
    "normal",
    "spelled_as",
    "spellings",
    "table_roles",
    "whole",
    "whole_numbers",
]

NAMES = {
    "parent": "parent parents parentid parent_id superclass super_class supercategory "
    "superordinate broader broader_term is_a isa sub_class_of subclass_of hypernym father mother "
    "upper pid",
    "child": "child childid subclass sub_class narrower hyponym",
    "id": "id code class class_id term term_id taxon taxon_id taxonid tax_id taxid uid uuid node "
    "node_id nodeid key identifier concept concept_id category category_id categoryid item item_id "
    "notation uri iri index idx label_name",
    "name": "name title label description text pref_label preferred_label display_name tag",
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

MISSING_WORDS = ("nan", "none", "null", "na", "n/a", "<na>", "nat", "-1", "-1.0", "#n/a", "#", "-",
                 "\\n")  # fmt: skip
"""What programs write for no parent, and what would become a class of its own."""

TOP_WORDS = ("0", "0.0", "root", "top")
"""What tables also write for no parent, though it may be a class."""

KEY_WORDS = {word for words in (*ROLES.values(), *PAIRS) for word in words}

WHOLE = re.compile(r"-?\d+\.0+")


def normal(title: object) -> str:
    """Return a title in small letters, its words joined by ``_``.

    >>> normal("Parent ID"), normal("parentId"), normal(" parent-id ")
    ('parent_id', 'parent_id', 'parent_id')
    """
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", str(title).strip())
    return re.sub(r"[\W_]+", "_", split.casefold()).strip("_")


def has_role(title: object, role: str) -> bool:
    """Whether a column or key of this title is known to have a role.

    >>> has_role("ParentTaxon", "parent"), has_role("Subcategory", "children")
    (True, True)
    """
    word = normal(title)
    if role == "parent" and word not in ROLES["child"]:
        return word in ROLES[role] or "parent" in word.split("_")
    if role == "child":
        return word in ROLES[role] or "child" in word.split("_")
    return word in ROLES[role]


def is_word(name: object) -> bool:
    """Whether a class is called as columns and keys are, so that it may be a header or a key."""
    return isinstance(name, str) and (normal(name) in KEY_WORDS or has_role(name, "parent"))


def names_edges(header: Sequence[Any]) -> bool:
    """Whether a header names the parent of something, so that its lines are rows of a table.

    >>> names_edges(["ID", "Parent ID", "Name"]), names_edges(["animal", "cat"])
    (True, False)
    """
    return all(_candidates(header)) or any(has_role(title, "ancestry") for title in header)


def table_roles(
    header: Sequence[Any],
    values: Callable[[Any], Sequence[Any]],
    child: Any = None,
    parent: Any = None,
    weight: Any = None,
) -> dict[str, Any] | None:
    """Return which column is ``child``, ``parent`` (or ``ancestry``), ``weight`` and ``title``.

    Names decide which columns may be what; the rows decide between them: parents must be among
    the classes. None where no column is called like a parent, or none like a class.

    Parameters
    ----------
    header
        The titles.
    values
        Returns the values of a column.
    child, parent, weight
        Columns that the caller names: they are not looked for.

    Raises
    ------
    BadInput
        For a named column that is not there, and where two readings remain.

    Examples
    --------
    >>> table = {"code": ["1", "11"], "name": ["all", "some"], "parent": ["", "1"]}
    >>> table_roles(list(table), table.get)
    {'child': 'code', 'parent': 'parent', 'title': 'name'}
    """
    for name in (child, parent, weight):
        if name is not None and name not in header:
            raise unknown("column", name, header)
    parents, children = _candidates([t for t in header if t != weight])
    parents = [t for t in parents if t != child] if parent is None else [parent]
    children = children if child is None else [child]
    roles: dict[str, Any] = {}
    if parents and children:
        free = [t for t in children if t not in parents[:1]]
        roles["child"], roles["parent"] = _fitting(parents, free, values)
    else:
        paths = [] if parent is not None else _by_usage(header, "ancestry")
        ids = [child] if child is not None else _by_usage(header, "id")
        if not (paths and ids):
            return None
        roles["child"], roles["ancestry"] = ids[0], paths[0]
    free = [t for t in header if t not in roles.values() and t != weight]
    weights = _by_usage(free, "weight") if weight is None else [weight]
    for role, titles in (("weight", weights), ("title", _by_usage(free, "name"))):
        roles |= {role: titles[0]} if titles else {}
    return roles


def _candidates(header: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return the columns that may hold parents, and those that may hold classes, the firm first."""
    words = {normal(t): t for t in reversed(header)}
    for above, below in PAIRS:
        if above in words and below in words:
            return [words[above]], [words[below]]
    parents = [t for t in header if has_role(t, "parent")]
    ids = [t for role in ("id", "name") for t in _by_usage(header, role)]
    children = _by_usage(header, "child") or list(dict.fromkeys(ids))
    return parents, [t for t in children if t not in parents]


def _by_usage(header: Sequence[Any], role: str) -> list[Any]:
    """Return the columns of a role, those with the usual names first."""
    order = {word: k for k, word in enumerate(ROLES[role])}
    found = [t for t in header if has_role(t, role)]
    return sorted(found, key=lambda t: order.get(normal(t), len(order)))


def _fitting(
    parents: Sequence[Any], children: Sequence[Any], values: Callable[[Any], Sequence[Any]]
) -> tuple[Any, Any]:
    """Return the columns of classes and parents of which the second are among the first."""
    firm = [below for below in children if has_role(below, "child") or has_role(below, "id")]
    if len(parents) == len(children) == 1 and (firm or not has_role(children[0], "name")):
        return children[0], parents[0]
    fits: dict[tuple[Any, Any], int] = {}
    for above in parents:
        above_all = (x for cell in values(above) for x in each_of(cell))
        wanted = {x for x in above_all if not (is_missing(x) or is_blank(x))}
        for below in children:
            known = set(values(below))
            inside = sum(_spelling(x, known) is not None for x in wanted)
            if below in firm or inside or len(wanted) < 2:  # names are known by parents among them
                fits[below, above] = 2 if inside == len(wanted) else 1 if inside else 0
    if not fits:
        raise BadInput(
            f"which column is the class and which its parent? No parent in {listed(parents)} is "
            f"among {listed(children)}"
        )
    best = [pair for pair, fit in fits.items() if fit == max(fits.values())]
    named = [(b, a) for b, a in best if normal(a).replace("parent", "").strip("_") == normal(b)]
    (below, above), *others = named if len(named) == 1 else best
    for another, other in others:
        if [*values(other), *values(another)] != [*values(above), *values(below)]:
            raise BadInput(
                f"which column is the class and which its parent? Both {below!r} with the parent "
                f"{above!r} and {another!r} with the parent {other!r} would do"
            )
    return below, above


def each_of(cell: Any) -> list[Any]:
    """Return the names in a cell, which may be one, or a list of them."""
    several = isinstance(cell, (list, tuple, set, frozenset, np.ndarray))
    return plain_names(in_order(cell)) if several else [cell]


def is_blank(name: object) -> bool:
    """Whether a name is what programs write for none.

    >>> is_blank(-1), is_blank("N/A"), is_blank("a")
    (True, True, False)
    """
    return str(name).strip().lower() in MISSING_WORDS


# ---------------------------------------------------------------- a number is a number


def whole(name: Any) -> Any:
    """Return the text of a whole number without ``.0``; other names as they are.

    >>> whole("7.0"), whole(7.0), whole("7.50"), whole("a"), whole(7)
    ('7', '7', '7.50', 'a', 7)
    """
    text = str(name) if isinstance(name, float) else name
    return text.split(".")[0] if isinstance(text, str) and WHOLE.fullmatch(text) else name


def spellings(name: Any) -> tuple[Any, ...]:
    """Return how else a whole number may be written: as a number, and as its digits.

    >>> spellings("1.0"), spellings(1.0), spellings(1), spellings("a")
    (('1', 1), ('1', 1), ('1', 1), ())
    """
    text = str(whole(name))
    is_number = re.fullmatch(r"-?\d{1,18}", text) and not isinstance(name, bool)
    return (text, int(text)) if is_number else ()


def _spelling(name: Any, known: Collection[Any]) -> Any:
    """Return a name as it is spelled among the known ones, None where it is none of them."""
    if name in known:
        return name
    return next((form for form in spellings(name) if form in known), None)


def spelled_as(names: Iterable[Any], classes: Collection[Any]) -> list[Any]:
    """Return names as they are written among the classes.

    A number is a number, however a program wrote it: gaps in a column turn 1 into 1.0. A whole
    number that is none of the classes is written as they are, as a number or as its digits.

    >>> spelled_as([1.0, "2.0", "x"], {"1", 2}), spelled_as([3.0], ["1", "2"])
    (['1', 2, 'x'], ['3'])
    """
    known = set(classes)
    texts = bool(known) and all(isinstance(x, str) for x in known)
    digits = texts and all(map(str.isdecimal, known))

    def same(name: Any) -> Any:
        found = _spelling(name, known)
        if found is not None:
            return found
        return (whole(name) if digits else name) if texts else whole_numbers([name])[0]

    return [name if name in known else same(name) for name in names]


def whole_numbers(names: Sequence[Any], others: Collection[str] = ()) -> Sequence[Any]:
    """Return whole numbers of a column as such, where gaps made ``1.0`` of 1.

    Texts must all be such, and none of them among those of another column: they may be codes.

    >>> whole_numbers(["1.0", "2.0"], ["2", "3"]), whole_numbers(["1.0", "1.1"])
    (['1', '2'], ['1.0', '1.1'])
    >>> whole_numbers([1.0, None])
    [1, None]
    """
    if not all(isinstance(x, str) for x in names):
        return [int(x) if isinstance(x, float) and x.is_integer() else x for x in names]
    codes = set(names) & set(others) - {""} or not all(WHOLE.fullmatch(x) for x in names if x)
    return names if codes else list(map(whole, names))
