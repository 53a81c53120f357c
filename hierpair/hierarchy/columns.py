"""What columns of a table, or keys of objects, mean: one table of names, decided on rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np

from hierpair.errors import BadInput, unknown
from hierpair.hierarchy.building import in_order, is_missing, plain_names

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

Values = Callable[[Any], Sequence[Any]]
"""Returns the values of a column."""


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
    return word in ROLES[role] or (role in ("parent", "child") and role in word.split("_"))


def is_word(name: object) -> bool:
    """Whether a class is called as columns and keys are, so that it may be a header or a key."""
    return isinstance(name, str) and (normal(name) in KEY_WORDS or has_role(name, "parent"))


def names_edges(header: Sequence[Any]) -> bool:
    """Whether a header names the parent of something, so that its lines are rows of a table.

    >>> names_edges(["ID", "Parent ID", "Name"]), names_edges(["animal", "cat"])
    (True, False)
    """
    found = _by_role(header)
    return bool(_pairs(found) or found["ancestry"])


def table_roles(
    header: Sequence[Any], values: Values, child: Any = None, parent: Any = None, weight: Any = None
) -> dict[str, Any] | None:
    """Return which column is ``child``, ``parent`` (or ``ancestry``), ``weight`` and ``title``.

    Names decide which columns may be what; the rows decide between them: parents must be among
    the classes. None where no column is called like a parent, or none like a class. ``values``
    returns those of a column; ``child``, ``parent`` and ``weight`` are columns that the caller
    names. Where two readings remain it is refused.

    >>> table = {"code": ["1", "11"], "name": ["all", "some"], "parent": ["", "1"]}
    >>> table_roles(list(table), table.get)
    {'child': 'code', 'parent': 'parent', 'title': 'name'}
    """
    found = _by_role([title for title in header if title != weight])
    for role, name in (("child", child), ("parent", parent), ("weight", weight)):
        if name is not None:
            if name not in header:
                raise unknown("column", name, header)
            found[role] = [name]
    if pairs := _pairs(found):
        roles = dict(zip(("child", "parent"), _fitting(pairs, found, values), strict=True))
    elif found["ancestry"] and found["id"]:
        roles = {"child": (found["child"] or found["id"])[0], "ancestry": found["ancestry"][0]}
    else:
        return None
    for role, of in (("weight", "weight"), ("title", "name")):
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
    """Return the columns that may be class and parent."""
    children = found["child"] or dict.fromkeys([*found["id"], *found["name"]])
    return [(t, above) for above in found["parent"] for t in children if t != above]


def _fitting(
    pairs: Sequence[tuple[Any, Any]], found: dict[str, list[Any]], values: Values
) -> tuple[Any, Any]:
    """Return the columns of classes and parents of which the second are among the first."""
    firm = {*found["child"], *found["id"]}
    if len(pairs) == 1 and pairs[0][0] in firm:
        return pairs[0]

    def fit(pair: tuple[Any, Any]) -> int:
        known = set(values(pair[0]))
        every = {x for cell in values(pair[1]) for x in each_of(cell)}
        wanted = [x for x in every if not (is_missing(x) or is_blank(x))]
        inside = sum(_spelling(x, known) is not None for x in wanted)
        if pair[0] not in firm and not inside and len(wanted) > 1:
            return -1  # names are known by parents among them
        return (inside == len(wanted)) + (inside > 0)

    fits = list(map(fit, pairs))
    best = [pair for pair, n in zip(pairs, fits, strict=True) if n == max(fits)]
    named = [(b, a) for b, a in best if normal(a).replace("parent", "").strip("_") == normal(b)]
    best = named if len(named) == 1 else best
    if max(fits) < 0 or any([*map(values, pair)] != [*map(values, best[0])] for pair in best):
        each = " or ".join(f"{below!r} with the parent {above!r}" for below, above in best)
        raise BadInput(f"which column is the class and which its parent? It may be {each}")
    return best[0]


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
