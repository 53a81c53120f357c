"""Graphs in the DOT language of Graphviz."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hierpair.errors import visible

if TYPE_CHECKING:
    import networkx as nx


def dot_text(graph: nx.DiGraph[Any]) -> str:
    r"""Return a directed graph as DOT text, with all attributes and all texts quoted.

    A node without a ``label`` is labelled by its name.

    >>> import networkx as nx
    >>> print(dot_text(nx.DiGraph([('say "hi"', "b")])))
    digraph "" {
      n0 [label="say \"hi\""];
      n1 [label="b"];
      n0 -> n1;
    }
    """
    place = {node: f"n{i}" for i, node in enumerate(graph.nodes)}
    attributes = dict(graph.graph)
    lines = [f"digraph {_quoted(attributes.pop('name', ''))} {{"]
    lines += [f"  {k}={_quoted(v)};" for k, v in attributes.items()]
    for node, given in graph.nodes(data=True):
        lines.append(f"  {place[node]}{_listed({'label': node, **given})};")
    for tail, head, given in graph.edges(data=True):
        lines.append(f"  {place[tail]} -> {place[head]}{_listed(given)};")
    return "\n".join([*lines, "}"])


def _listed(attributes: dict[str, Any]) -> str:
    texts = [f"{k}={_quoted(v)}" for k, v in attributes.items() if v is not None]
    return f" [{', '.join(texts)}]" if texts else ""


def _quoted(value: Any) -> str:
    """Return a text in quotes; what would end it or start an escape of Graphviz is escaped."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    lines = (visible(line).replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n"))
    return '"' + "\\n".join(lines) + '"'
