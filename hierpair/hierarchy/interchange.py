"""Hierarchies as objects of other libraries: data frames, graphs of networkx."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hierpair.errors import BadInput, listed, shown, unknown
from hierpair.hierarchy.arrays import row_numbers
from hierpair.hierarchy.class_graph import ClassGraph
from hierpair.hierarchy.sources import table_columns

__all__ = ["frame_columns", "known_frame", "level_rows", "networkx_edges", "networkx_graph"]


def known_frame(frame: Any) -> Any:
    """Return a data frame of any library that narwhals knows, as one of narwhals."""
    try:
        import narwhals as nw
    except ModuleNotFoundError:
        raise BadInput("data frames need narwhals: pip install 'hierpair[dataframe]'") from None
    try:
        return nw.from_native(frame, eager_only=True)
    except TypeError:
        raise BadInput(
            "expected a data frame of pandas, polars, pyarrow or another that narwhals knows, "
            f"got {type(frame).__name__}"
        ) from None


def frame_columns(
    frame: Any, child: str | None, parent: str | None, weight: str | None
) -> dict[str, list[Any]]:
    """Return the columns of a data frame by what they mean."""
    known = known_frame(frame)
    roles = table_columns(known.columns, child, parent, weight)
    if roles is None:
        raise BadInput(
            f"the frame: which column is the class and which its parent? There are "
            f"{listed(known.columns)}; name them (child=…, parent=…)"
        )
    return {role: [_name(x) for x in known[name].to_list()] for role, name in roles.items()}


def level_rows(frame: Any, levels: Sequence[str]) -> list[list[Any]]:
    """Return the paths in columns of a data frame, one column per level."""
    known = known_frame(frame)
    if isinstance(levels, str) or not levels:
        raise BadInput(f"levels must be a list of columns from the top, got {shown(levels)}")
    for name in levels:
        if name not in known.columns:
            raise unknown("column", name, known.columns, "the frame")
    columns = [map(_name, known[name].to_list()) for name in levels]
    return [list(row) for row in zip(*columns, strict=True)]


def _name(cell: Any) -> Any:
    """Return a name without blanks around it; a column with gaps makes whole numbers floats."""
    if isinstance(cell, str):
        return cell.strip()
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def networkx_edges(graph: Any, weight: str | None) -> Iterable[Sequence[Any]]:
    """Return the edges of a directed graph of networkx, with an attribute as weight."""
    if not graph.is_directed():
        raise BadInput("the graph is undirected; give a DiGraph with edges parent → child")
    edges: Iterable[Sequence[Any]] = graph.edges() if weight is None else graph.edges(data=weight)
    if weight is not None:
        bare = next(((u, v) for u, v, w in edges if w is None), None)
        if bare is not None:
            raise BadInput(f"edge {shown(bare)} has no attribute {weight!r}")
    return edges


def networkx_graph(graph: ClassGraph) -> Any:
    """Return a ``networkx.DiGraph`` with edges from parent to child."""
    import networkx as nx

    names, result = graph.names, nx.DiGraph()
    result.add_nodes_from(names)
    child = row_numbers(graph.parent_ptr).tolist()
    for i, (u, v) in enumerate(zip(graph.parents.tolist(), child, strict=True)):
        extra = {} if graph.weights is None else {"weight": float(graph.weights[i])}
        result.add_edge(names[u], names[v], **extra)
    return result
