"""A table of classes and their parents, whatever holds it: columns, records, lines or a map."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from hierpair.errors import BadInput, shown
from hierpair.hierarchy.building import Place, Tell, is_missing
from hierpair.hierarchy.columns import (
    PAIRS,
    TOP_WORDS,
    has_role,
    is_blank,
    normal,
    spelled_as,
    table_roles,
    whole_column,
)
from hierpair.hierarchy.edge_list import EdgeList

__all__ = ["read_table", "table_edges"]


def read_table(
    header: Sequence[Any],
    values: Callable[[Any], Sequence[Any]],
    place: Place,
    trouble: Tell,
    *,
    named: Sequence[Any] = (),
    about: str = "",
    name_them: str = "",
    name_of: Callable[[Any], Hashable | None] = lambda x: x,
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
    columns = {role: values(name) for role, name in roles.items()}
    for role in columns.keys() & {"child", "parent"}:
        cells = columns[role]
        columns[role] = [x if is_missing(x) else name_of(x) for x in cells]
        for cell, name in zip(cells, columns[role], strict=True):
            if name is None and cell is not None:
                raise BadInput(
                    f"expected the name of a class or of its parent, got {shown(cell, 40)}"
                )
    # rows are classes, and not edges, where they have an id or a name
    rows_are_classes = has_role(roles["child"], "id") or has_role(roles["child"], "name")
    by_order = normal(roles.get("parent", "")) in {above for above, _ in PAIRS[:3]}
    signs = TOP_WORDS if rows_are_classes else ()
    return table_edges(columns, place, trouble, signs=signs, keyed=not by_order)


def table_edges(
    columns: Mapping[str, Sequence[Any]],
    place: Place,
    trouble: Tell,
    *,
    signs: Sequence[str] = (),
    **said: Any,
) -> EdgeList:
    """Return edges, classes and titles of a table; a blank parent is a root.

    Parameters
    ----------
    columns
        ``child``, and ``parent`` or ``ancestry`` (the ids above, from the top, between slashes),
        and, if there are any, ``weight`` and ``title``: equally long.
    place, trouble
        As for :func:`read_table`.
    signs
        What a parent is called, alone among all without a row, that may say that there is none.
    **said
        Further fields of the list.
    """
    children = whole_column(columns["child"])
    parents = columns.get("parent")
    if parents is None:
        parents = list(map(_last_above, columns["ancestry"], children))
    known = set(children)
    weights, titles = columns.get("weight"), columns.get("title", children)
    edges: list[tuple[Any, ...]] = []
    rows: list[int] = []
    titled: dict[Any, str] = {}
    classes: dict[Hashable, None] = {}
    strange: list[int] = []
    parents = spelled_as(parents, known)
    for i, (child, parent, title) in enumerate(zip(children, parents, titles, strict=True)):
        if is_missing(child):
            trouble(f"{place(i)}: a class name is missing")
            continue
        classes[child] = None
        if title is not child and not is_missing(title) and str(title) != str(child):
            titled[child] = str(title)
        if is_missing(parent):
            continue
        if parent not in known:
            if is_blank(parent):
                trouble(f"{place(i)}: the parent {shown(parent)}; leave the parent of a root blank")
                continue
            strange.append(i)
        edges.append((parent, child) if weights is None else (parent, child, weights[i]))
        rows.append(i)
    if len(strange) == 1 < len(edges) and str(parents[strange[0]]).lower() in signs:
        trouble(
            f"{place(strange[0])}: is the parent {shown(parents[strange[0]])} a class, or does it "
            "say that there is none? Add a row for it, or leave the parent of a root blank"
        )
    return EdgeList(edges, lambda i: place(rows[i]), list(classes), titles=titled, **said)


def _last_above(path: Any, child: Hashable) -> Any:
    """Return the last class of a path of ids that may end with the class itself."""
    parts = "" if is_missing(path) else str(path)
    names = [part.strip() for part in re.split(r"[/|>;,]", parts) if part.strip()]
    return next((name for name in reversed(names) if name != str(child)), None)
