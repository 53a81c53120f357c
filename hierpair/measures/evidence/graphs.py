"""What is drawn of an instance: the part of the hierarchy around its labels, and its network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.arrays import Array, Indices

if TYPE_CHECKING:
    import networkx as nx

    from hierpair.measures.evidence.flows import FlowEvidence

__all__ = [
    "ClassNode", "Neighbourhood", "distances", "edges_within", "flow_digraph",
    "hierarchy_digraph", "nearest", "neighbourhood",
]  # fmt: skip


@dataclass(frozen=True)
class ClassNode:
    """One class in a neighbourhood.

    Attributes
    ----------
    name
        The class.
    level
        Longest path from a parentless class in the whole hierarchy, in edges.
    true, predicted
        Whether it is a label of that side.
    above_true, above_predicted
        Whether a true, a predicted label is the class or below it.
    alone
        Whether it is a label that paid the default cost on at least one side.
    n_hidden
        Number of its children that are not shown.
    """

    name: Hashable
    level: int
    true: bool
    predicted: bool
    above_true: bool
    above_predicted: bool
    alone: bool = False
    n_hidden: int = 0


@dataclass(frozen=True)
class Neighbourhood:
    """The part of a hierarchy around the labels of one instance.

    Attributes
    ----------
    nodes
        The classes, parents before children.
    edges
        Pairs of positions in ``nodes``: parent, child.
    pairs
        Chosen pairs as positions in ``nodes``: predicted, true.
    n_left_out
        Ancestors of labels that were left out to keep it readable.
    lcas
        Positions in ``nodes`` of the chosen lowest common ancestors; None if the classes are
        labels and their ancestors. Otherwise they are two LCA graphs, and ``above_true`` and
        ``above_predicted`` say which of them each class is in.
    fields
        The fields of the confusion matrix that each class is in, or None.
    """

    nodes: tuple[ClassNode, ...]
    edges: tuple[tuple[int, int], ...]
    pairs: tuple[tuple[int, int], ...] = ()
    n_left_out: int = 0
    lcas: tuple[int, ...] | None = None
    fields: tuple[tuple[str, ...], ...] | None = None

    @property
    def framed(self) -> tuple[bool, ...]:
        """Whether each class gets a second border: it paid the default cost, or is an LCA."""
        return tuple(node.alone or i in (self.lcas or ()) for i, node in enumerate(self.nodes))


@takes_hierarchy
def neighbourhood(
    hierarchy: Hierarchy,
    true: Indices,
    predicted: Indices,
    *,
    pairs: Sequence[tuple[int, int]] = (),
    alone: Collection[int] = (),
    most: int = 60,
) -> Neighbourhood:
    """Return the labels and their ancestors, at most so many classes.

    Parameters
    ----------
    hierarchy
        The classes.
    true, predicted
        Class numbers of the labels.
    pairs
        Chosen pairs as class numbers: predicted, true.
    alone
        Labels that paid the default cost.
    most
        When there are more classes, ancestors far from all labels are left out first, of equally
        far ones those of one side only; labels always stay.
    """
    h = hierarchy
    up = [distances(x.tolist(), lambda c: _range(h.parent_ptr, h.parents, c))
          for x in (true, predicted)]  # fmt: skip
    steps = {c: min(side[c] for side in up if c in side) for c in up[0] | up[1]}
    kept = nearest(steps, lambda c: c in up[0] and c in up[1], most)
    place = {c: i for i, c in enumerate(kept)}
    edges = edges_within(hierarchy, kept)
    shown = Counter(parent for parent, _ in edges)
    nodes = tuple(
        ClassNode(
            h.names[c],
            int(h.levels[c]),
            up[0].get(c) == 0,
            up[1].get(c) == 0,
            c in up[0],
            c in up[1],
            c in alone,
            len(_range(h.child_ptr, h.children, c)) - shown[place[c]],
        )
        for c in kept
    )
    drawn = tuple((place[p], place[t]) for p, t in pairs)
    return Neighbourhood(nodes, edges, drawn, len(steps) - len(kept))


def _range(pointer: Array, values: Array, c: int) -> list[int]:
    found: list[int] = values[pointer[c] : pointer[c + 1]].tolist()
    return found


def distances(start: Iterable[int], beside: Callable[[int], Iterable[int]]) -> dict[int, int]:
    """Return these classes and all that are reached from them, with the fewest steps to each."""
    steps = dict.fromkeys(start, 0)
    front = list(steps)
    while front:
        reached = {other: steps[c] + 1 for c in front for other in beside(c) if other not in steps}
        steps |= reached
        front = list(reached)
    return steps


def nearest(steps: Mapping[int, int], first: Callable[[int], bool], most: int) -> list[int]:
    """Return the nearest classes, of equally near ones these first; those at no distance stay."""
    order = sorted(steps, key=lambda c: (steps[c], not first(c), c))
    return sorted(order[: max(most, sum(n == 0 for n in steps.values()))])


def edges_within(hierarchy: Hierarchy, classes: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return the edges between classes, as positions: parent, child."""
    place = {c: i for i, c in enumerate(classes)}
    children = ((c, _range(hierarchy.child_ptr, hierarchy.children, c)) for c in classes)
    return tuple((place[c], place[b]) for c, below in children for b in below if b in place)


def flow_digraph(evidence: FlowEvidence) -> nx.DiGraph[Any]:
    """Return a flow network with its flow: that of a pairing, or one that a rule wrote itself.

    That of a pairing (Kosmopoulos et al. 2014, Figure 3) has the nodes ``"source"``, ``"sink"``,
    ``("predicted", i)`` and ``("true", j)`` by position among the rows, and ``("default", side)``
    where a default class of that side has a flow; a label's node has its ``name`` and ``dual``
    price. Edges have ``lower``, ``capacity``, ``flow`` and, for pairs and defaults, ``cost``; pairs
    that are not allowed have none. What has no bound has no ``capacity``. With masses these are
    units, of which the graph's attribute ``whole`` make the mass 1.

    In another network nodes are numbered and have ``name`` and ``supply``; edges have ``family``,
    ``says``, ``lower``, ``capacity``, ``cost`` and ``flow``.
    """
    import networkx as nx

    graph: nx.DiGraph[Any] = (nx.MultiDiGraph if evidence.written else nx.DiGraph)(rankdir="LR")

    def add(ends: Any, lower: float, upper: float, flow: int, **more: Any) -> None:
        numbers = {"lower": lower, "capacity": upper, "flow": flow}
        if "cost" in more:
            style = "bold" if flow else "dashed"
            more |= {"label": f"{more['cost']:.4g}", "style": style}
        graph.add_edge(*ends, **{k: x for k, x in numbers.items() if isfinite(x)}, **more)

    if evidence.written:
        for i, node in enumerate(evidence.counted):
            graph.add_node(i, label=node.says, name=node.says, supply=node.units)
        for a in evidence.arcs:
            add((a.tail, a.head), a.lower, a.upper, a.units, family=a.source, says=a.says,
                cost=a.cost)  # fmt: skip
        return graph
    if evidence.whole is not None:
        graph.graph["whole"] = evidence.whole
    graph.add_node("source", label="source")
    graph.add_node("sink", label="sink")
    text = evidence.mass_text
    for side, rows, way in (("predicted", evidence.predicted, 1), ("true", evidence.true, -1)):
        end, other_end = ("source", "sink")[::way]
        # a missing partner of a label is bought from the default class of the other side
        default = ("default", "true" if side == "predicted" else "predicted")
        for i, row in enumerate(rows):
            used, name = row.units + row.missing, row.of[0]
            graph.add_node((side, i), label=str(name), name=name, side=side, dual=row.price)
            label = f"{text(used)} of {text(row.lower)}…{text(row.upper)}"
            add((end, (side, i))[::way], row.lower, row.upper, used, label=label)
            if isfinite(row.cost):
                graph.add_node(default, label=f"default ({default[1]})", side=default[1])
                add(((side, i), default)[::way], 0, row.lower, row.missing, cost=row.cost)
        if default in graph:
            missing = sum(row.missing for row in rows)
            add((default, other_end)[::way], 0, np.inf, missing, label=text(missing))
    first = len(evidence.predicted)
    for a in evidence.pairs:
        if a.upper > 0:
            ends = ("predicted", a.tail), ("true", a.head - first)
            add(ends, a.lower, a.upper, a.units, cost=a.cost)
    return graph


def hierarchy_digraph(part: Neighbourhood) -> nx.DiGraph[Any]:
    """Return the drawn part of a hierarchy, parents to children, with the chosen pairs.

    Nodes are positions in ``part.nodes`` and have ``name``, ``level``, ``true``, ``predicted``
    and, in a confusion matrix, ``fields``. Edges of the hierarchy have ``hierarchy=True``,
    chosen pairs, from predicted to true, ``pair=True``; one edge can be both.
    """
    import networkx as nx

    graph = nx.DiGraph()
    for i, (node, framed) in enumerate(zip(part.nodes, part.framed, strict=True)):
        which = ", ".join(side for side in ("true", "predicted") if getattr(node, side))
        fields = None if part.fields is None else " ".join(part.fields[i])
        graph.add_node(
            i, name=node.name, level=node.level, true=node.true, predicted=node.predicted,
            fields=fields, label="\n".join(filter(None, [str(node.name), which, fields])),
            peripheries=1 + framed,
        )  # fmt: skip
    graph.add_edges_from(part.edges, hierarchy=True)
    for predicted, true in part.pairs:
        if predicted != true:
            graph.add_edge(predicted, true, pair=True, style="dashed", constraint=False)
    return graph
