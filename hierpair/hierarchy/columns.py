"""What columns of a table, or keys of objects, mean: one table of names, decided on rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from hierpair.errors import BadInput, listed, unknown
from hierpair.hierarchy.building import is_missing

__all__ = [
    "KEY_WORDS",
    "MISSING_WORDS",
    "ROLES",
    "TOP_WORDS",
    "WHOLE",
    "has_role",
    "is_word",
    "names_edges",
    "normal",
    "say_direction",
    "spelled_as",
    "table_roles",
    "whole_column",
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

MISSING_WORDS = ("nan", "none", "null", "na", "n/a", "<na>", "nat", "-1", "-1.0", "#", "-", "\\n")
"""What programs write for no parent, and what would become a class of its own."""

TOP_WORDS = ("0", "0.0", "root", "top")
"""What tables also write for no parent, though it may be a class."""

KEY_WORDS = frozenset(word for words in ROLES.values() for word in words) | {
    word for pair in PAIRS for word in pair
}

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


def say_direction(roles: Mapping[str, Any]) -> bool:
    """Whether columns are called so that they say themselves which holds the parents."""
    return normal(roles.get("parent", "")) not in {above for above, _ in PAIRS[:3]}


def is_word(name: object) -> bool:
    """Whether a class is called as columns and keys are, so that it may be a header or a key."""
    return isinstance(name, str) and (normal(name) in KEY_WORDS or has_role(name, "parent"))


def names_edges(header: Sequence[Any]) -> bool:
    """Whether a header names the parent of something, so that its lines are rows of a table.

    >>> names_edges(["ID", "Parent ID", "Name"]), names_edges(["animal", "cat"])
    (True, False)
    """
    parents, children = _candidates(header)
    return bool(parents and children) or any(has_role(title, "ancestry") for title in header)


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
    parents = [parent] if parent is not None else [t for t in parents if t != child]
    children = [child] if child is not None else children
    roles: dict[str, Any] = {}
    if parents and children:
        found = _fitting(parents, [t for t in children if t not in parents[:1]], values)
        roles["child"], roles["parent"] = found
    else:
        paths = [t for t in header if has_role(t, "ancestry") and parent is None]
        ids = [child] if child is not None else [t for t in header if has_role(t, "id")]
        if not (paths and ids):
            return None
        roles["child"], roles["ancestry"] = ids[0], paths[0]
    free = [t for t in header if t not in roles.values() and t != weight]
    for role, named, names in (("weight", weight, "weight"), ("title", None, "name")):
        usual = [named] if named is not None else _by_usage(free, names)
        if usual:
            roles[role] = usual[0]
    return roles


def _candidates(header: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return the columns that may hold parents, and those that may hold classes, the firm first."""
    words = {normal(t): t for t in reversed(header)}
    for above, below in PAIRS:
        if above in words and below in words:
            return [words[above]], [words[below]]
    parents = [t for t in header if has_role(t, "parent")]
    children = [t for role in ("child", "id", "name") for t in _by_usage(header, role)]
    return parents, [t for t in dict.fromkeys(children) if t not in parents]


def _by_usage(header: Sequence[Any], role: str) -> list[Any]:
    """Return the columns of a role, those with the usual names first."""
    order = {word: k for k, word in enumerate(ROLES[role])}
    found = [t for t in header if has_role(t, role)]
    return sorted(found, key=lambda t: order.get(normal(t), len(order)))


def _fitting(
    parents: Sequence[Any], children: Sequence[Any], values: Callable[[Any], Sequence[Any]]
) -> tuple[Any, Any]:
    """Return the columns of classes and parents of which the second are among the first."""
    only_names = has_role(children[0], "name") and not has_role(children[0], "id")
    if len(parents) == len(children) == 1 and not only_names:
        return children[0], parents[0]
    fits: dict[tuple[Any, Any], tuple[int, int]] = {}
    for above in parents:
        wanted = {
            x for x in values(above) if not is_missing(x) and str(x).lower() not in MISSING_WORDS
        }
        for below in children:
            known = set(values(below))
            inside = sum(_spelling(x, known) is not None for x in wanted)
            # a column of children says so itself; ids and names are known by parents among them
            kind = 0 if has_role(below, "child") else 1 if has_role(below, "id") else 2
            if kind < 2 or inside or len(wanted) < 2:
                fit = 0 if kind == 0 else 1 if inside == len(wanted) else 2 if inside else 3
                fits[below, above] = fit, kind
    if not fits:
        raise BadInput(
            f"which column is the class and which its parent? No parent in {listed(parents)} is "
            f"among {listed(children)}"
        )
    best = [pair for pair, fit in fits.items() if fit == min(fits.values())]
    named = [(b, a) for b, a in best if normal(a).replace("parent", "").strip("_") == normal(b)]
    (below, above), *others = named if len(named) == 1 else best
    for another, other in others:
        if [*values(other), *values(another)] != [*values(above), *values(below)]:
            raise BadInput(
                f"which column is the class and which its parent? Both {below!r} with the parent "
                f"{above!r} and {another!r} with the parent {other!r} would do"
            )
    return below, above


# ---------------------------------------------------------------- a number is a number


def _spelling(name: Any, known: Collection[Any]) -> Any:
    """Return a name as it is spelled among the known ones, None where it is none of them."""
    if name in known:
        return name
    text = _whole(name)
    forms = (text, int(text)) if re.fullmatch(r"-?\d{1,18}", text) else (text,)
    return next((form for form in forms if form in known), None)


def _whole(name: Any) -> str:
    """Return a name as text, a number such as 1.0 as 1."""
    text = str(name)
    return text.split(".", maxsplit=1)[0] if WHOLE.fullmatch(text) else text


def spelled_as(names: Iterable[Any], classes: Collection[Any]) -> list[Any]:
    """Return names as the classes among them are spelled.

    A number is a number, however a program wrote it: gaps in a column turn 1 into 1.0. A whole
    number that is none of the classes is written as they are, as a number or as its digits.

    >>> spelled_as([1.0, "2.0", "x"], {"1", 2}), spelled_as([3.0], ["1", "2"])
    (['1', 2, 'x'], ['3'])
    """
    known = set(classes)
    texts = bool(known) and all(isinstance(x, str) for x in known)
    digits = texts and all(map(str.isdecimal, known))
    found: dict[Any, Any] = {}
    result = []
    for name in names:
        key = type(name), name
        if key not in found:
            same = _spelling(name, known)
            if same is None:
                same = name if texts else whole_column([name])[0]
                same = _whole(name) if digits and WHOLE.fullmatch(str(name)) else same
            found[key] = same
        result.append(found[key])
    return result


def whole_numbers(texts: Sequence[str], others: Collection[str] = ()) -> Sequence[str]:
    """Return a column of texts such as ``1.0`` as ``1``, if all are such and none is among others.

    >>> whole_numbers(["1.0", "2.0"], ["2", "3"]), whole_numbers(["1.0", "1.1"])
    (['1', '2'], ['1.0', '1.1'])
    """
    if all(WHOLE.fullmatch(t) for t in texts if t) and not set(texts) & set(others) - {""}:
        return list(map(_whole, texts))
    return texts


def whole_column(names: Sequence[Any]) -> Sequence[Any]:
    """Return whole numbers as such, where gaps in a column made floats of them."""
    if all(isinstance(x, str) for x in names):
        return whole_numbers(names)
    return [int(x) if isinstance(x, float) and x.is_integer() else x for x in names]
