"""What columns of a table, or keys of objects, mean: one table of names, decided on rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

from hierpair.errors import BadInput, listed, shown, unknown
from hierpair.hierarchy.building import is_missing

__all__ = [
    "KEY_WORDS",
    "MISSING_WORDS",
    "WHOLE",
    "has_role",
    "is_word",
    "lone_top",
    "names_classes",
    "names_edges",
    "say_direction",
    "spelled_as",
    "table_edges",
    "table_roles",
    "whole_as",
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


def names_classes(title: object) -> bool:
    """Whether a column of this title has a row per class, and not per edge."""
    return has_role(title, "id") or has_role(title, "name")


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
    return bool(parents and children) or _ancestry(header) is not None


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
        if found is None:
            return None
        roles["parent"], roles["child"] = found
    else:
        path = _ancestry(header) if parent is None else None
        ids = [child] if child is not None else [t for t in header if has_role(t, "id")]
        if path is None or not ids:
            return None
        roles["child"], roles["ancestry"] = ids[0], path
    for role, names in (("weight", "weight"), ("title", "name")):
        named = weight if role == "weight" else None
        free = [t for t in header if t not in roles.values() and has_role(t, names)]
        if named is not None or free:
            order = ROLES[names]
            roles[role] = (
                named if named is not None else min(free, key=lambda t: order.index(normal(t)))
            )
    order = ("child", "parent", "ancestry", "weight", "title")
    return {role: roles[role] for role in order if role in roles}


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
    order = {word: k for k, word in enumerate(ROLES[role])}
    found = [t for t in header if has_role(t, role)]
    return sorted(found, key=lambda t: order.get(normal(t), len(order)))


def _ancestry(header: Sequence[Any]) -> Any:
    return next((t for t in header if has_role(t, "ancestry")), None)


def _fitting(
    parents: Sequence[Any], children: Sequence[Any], values: Callable[[Any], Sequence[Any]]
) -> tuple[Any, Any] | None:
    """Return the columns of parents and classes of which the first are among the second."""
    only_names = has_role(children[0], "name") and not has_role(children[0], "id")
    if len(parents) == len(children) == 1 and not only_names:
        return parents[0], children[0]
    fits: list[tuple[int, int, Any, Any]] = []
    for above in parents:
        wanted = {x for x in values(above) if not _is_no_parent(x)}
        for below in children:
            known = {x for x in values(below) if not is_missing(x)}
            inside = sum(same is not None for same in (_spelling(x, known) for x in wanted))
            # a column of children says so itself; ids and names are known by parents among them
            kind = 0 if has_role(below, "child") else 1 if has_role(below, "id") else 2
            whole = inside == len(wanted)
            if kind == 2 and not inside and len(wanted) > 1:
                continue
            fits.append(
                (0 if kind == 0 else 1 if whole else 2 if inside else 3, kind, above, below)
            )
    if not fits:
        raise BadInput(
            f"which column is the class and which its parent? No parent in {listed(parents)} is "
            f"among {listed(children)}"
        )
    best = min(fit[:2] for fit in fits)
    chosen = [(above, below) for *fit, above, below in fits if tuple(fit) == best]
    named = [(a, b) for a, b in chosen if normal(a).replace("parent", "").strip("_") == normal(b)]
    chosen = named if len(named) == 1 else chosen
    above, below = chosen[0]
    for other, another in chosen[1:]:
        if list(values(other)) != list(values(above)) or list(values(another)) != list(
            values(below)
        ):
            raise BadInput(
                f"which column is the class and which its parent? Both {below!r} with the parent "
                f"{above!r} and {another!r} with the parent {other!r} would do"
            )
    return above, below


def _is_no_parent(name: Any) -> bool:
    return is_missing(name) or str(name).strip().lower() in MISSING_WORDS


def _spelling(name: Any, known: Collection[Any]) -> Any:
    """Return a name as it is spelled among the known ones, None where it is none of them."""
    if name in known:
        return name
    text = str(name)
    text = text.split(".", maxsplit=1)[0] if WHOLE.fullmatch(text) else text
    forms: tuple[Any, ...] = (text,)
    if re.fullmatch(r"-?\d{1,18}", text):
        forms = (text, int(text))
    return next((form for form in forms if form in known), None)


def spelled_as(names: Iterable[Any], known: Collection[Any]) -> list[Any]:
    """Return names as they are spelled among the known ones; others stay as they are.

    A number is a number, however a program wrote it: gaps in a column turn 1 into 1.0.

    >>> spelled_as([1.0, "2.0", "x"], {"1", 2})
    ['1', 2, 'x']
    """
    found: dict[Any, Any] = {}
    result = []
    for name in names:
        key = (type(name), name)
        if key not in found:
            same = _spelling(name, known)
            found[key] = name if same is None else same
        result.append(found[key])
    return result


def whole_numbers(texts: Sequence[str], others: Collection[str]) -> Sequence[str]:
    """Return a column of texts such as ``1.0`` as ``1``, if all are such and none is among others.

    >>> whole_numbers(["1.0", "2.0"], ["2", "3"]), whole_numbers(["1.0", "1.1"], [])
    (['1', '2'], ['1.0', '1.1'])
    """
    first = next((text for text in texts if text), "")
    if not WHOLE.fullmatch(first) or not all(WHOLE.fullmatch(t) for t in texts if t):
        return texts
    return texts if set(texts) & set(others) - {""} else [text.split(".")[0] for text in texts]


def table_edges(
    columns: Mapping[str, Sequence[Any]],
    place: Callable[[int], str],
    trouble: Callable[[str], None],
    *,
    own_rows: bool = True,
) -> dict[str, Any]:
    """Return edges, classes and titles of a table; a blank parent is a root.

    Parameters
    ----------
    columns
        ``child``, and ``parent`` or ``ancestry`` (the ids above, from the top, between slashes),
        and, if there are any, ``weight`` and ``title``: equally long.
    place
        Tells where row ``i`` stands.
    trouble
        What to do with a faulty row.
    own_rows
        Whether rows are classes, and not edges.
    """
    children = whole_column(columns["child"])
    known = set(children)
    if "ancestry" in columns:
        paths = zip(columns["ancestry"], children, strict=True)
        parents = [_last_above(path, child) for path, child in paths]
    else:
        parents = list(columns["parent"])
    parents = whole_as(spelled_as(parents, known), children)
    edges: list[tuple[Any, ...]] = []
    rows: list[int] = []
    titled: dict[Any, str] = {}
    weights, titles = columns.get("weight"), columns.get("title")
    seen: dict[Any, None] = {}
    for i, (child, parent) in enumerate(zip(children, parents, strict=True)):
        if is_missing(child):
            trouble(f"{place(i)}: a class name is missing")
            continue
        seen[child] = None
        if titles is not None and not is_missing(titles[i]) and str(titles[i]) != str(child):
            titled[child] = str(titles[i])
        if is_missing(parent):
            continue
        if parent not in known and str(parent).lower() in MISSING_WORDS:
            trouble(f"{place(i)}: the parent {shown(parent)}; leave the field of a root blank")
            continue
        edges.append((parent, child) if weights is None else (parent, child, weights[i]))
        rows.append(i)
    lone = lone_top([edge[0] for edge in edges], known, TOP_WORDS) if own_rows else None
    if lone is not None:
        trouble(
            f"{place(rows[lone])}: is the parent {shown(edges[lone][0])} a class, or does it say "
            "that there is none? Add a row for it, or leave the field blank"
        )
    told = {"edges": edges, "classes": list(seen), "titles": titled}
    return {**told, "where": lambda i: place(rows[i])}


def whole_column(names: Sequence[Any]) -> list[Any]:
    """Return whole numbers as such, where gaps in a column made floats of them."""
    if names and all(isinstance(x, str) for x in names):
        return list(whole_numbers(names, ()))
    return [int(x) if isinstance(x, float) and x.is_integer() else x for x in names]


def lone_top(parents: Sequence[Any], known: Collection[Any], words: Sequence[str]) -> int | None:
    """Return where the only parent without a row stands, if it may be a sign for no parent."""
    strange = [i for i, parent in enumerate(parents) if parent not in known]
    lone = len(strange) == 1 < len(parents) and str(parents[strange[0]]).lower() in words
    return strange[0] if lone else None


def whole_as(parents: Sequence[Any], children: Sequence[Any]) -> list[Any]:
    """Return parents that have no row as whole numbers too, as texts where classes are texts."""
    if children and all(isinstance(x, str) for x in children):
        if not all(x.isdecimal() for x in children):
            return list(parents)
        return [str(x).split(".")[0] if WHOLE.fullmatch(str(x)) else x for x in parents]
    return whole_column(parents)


def _last_above(path: Any, child: Hashable) -> Any:
    """Return the last class of a path of ids that may end with the class itself."""
    names = (
        [part for part in re.split(r"[/|>;,]", str(path)) if part.strip()]
        if not is_missing(path)
        else []
    )
    if names and names[-1].strip() == str(child):
        names.pop()
    return names[-1].strip() if names else None
