"""Where the nodes and arcs of a flow network go: sides as nested boxes, numbers only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hierpair.measures.evidence import cost_text
from hierpair.pairing import mass_text
from hierpair.plots.diagrams.cost_texts import Arc, place_texts
from hierpair.plots.style import NAME, PAD, SMALL
from hierpair.plots.text_metrics import TextMetrics

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Line", "NetworkPlan", "planned_network"]

BESIDE = 1.25 * SMALL
"""Distance of arcs that run beside each other."""
BACK = ("default", "less")
"""Arcs that go back; they are drawn below the bounds of the same set, others above."""
BOUNDS = ("label", "group", "instance")

Corners = tuple[float, float, float, float]


@dataclass(frozen=True)
class Line:
    """An arc: its points, what is written on it and where, its kind, and its flow."""

    points: tuple[tuple[float, float], ...]
    text: str
    at: tuple[float, float] | None
    kind: str
    flow: int


@dataclass(frozen=True)
class NetworkPlan:
    """Corners of the picture; boxes by node; the lines."""

    corners: Corners
    boxes: dict[int, Corners]
    lines: Sequence[Line]


def planned_network(
    graph: nx.MultiDiGraph[Any], metrics: TextMetrics, digits: int, names: dict[int, str]
) -> NetworkPlan:
    """Place everything: a row for every innermost set, a column for every depth of nesting."""
    flows = list(graph.edges(data=True))
    ends = _ends(graph)
    trees = {s: _Tree.of(graph, s, ends[s], flows) for s in ("predicted", "true")}
    trees["true"].sort(_mean_partners(trees["predicted"], flows))
    beside = {s: _beside(flows, s, trees[s]) for s in trees}
    ups, downs = zip(
        (0, 0), *(n for of_side in beside.values() for n in of_side.values()), strict=True
    )
    pitch = max(3.1 * PAD + SMALL, BESIDE * (1.6 + max(ups) + max(downs)))
    most = max(tree.n_rows for tree in trees.values())
    heights = {s: tree.heights(pitch, (most - tree.n_rows) / 2) for s, tree in trees.items()}
    inwards = {s: list(tree.columns(ends[s])) for s, tree in trees.items()}
    columns = [*inwards["predicted"], *reversed(inwards["true"])]
    n_left = len(inwards["predicted"])
    tall = metrics.height("Ag", NAME) + 5
    left, right, boxes = 0.0, 0.0, {}
    texts = {id(e): _text(e, digits, graph.graph.get("whole")) for _, _, e in flows}
    widest = max((metrics.width(t, SMALL) for t in texts.values()), default=0.0)
    for k, column in enumerate(columns):
        side = "predicted" if k < n_left else "true"
        wide = max((metrics.width(names[node], NAME) for node in column), default=0.0) + 2 * PAD
        for node in column:
            low, high = heights[side][node]
            key = node if node != ends[side] or side == "predicted" else -1
            up, down = (max(tall / 2, BESIDE * k + 3) for k in beside[side].get(node, (0, 0)))
            middle = (low + high) / 2
            lowest, highest = min(low - tall / 2, middle - down), max(high + tall / 2, middle + up)
            boxes[key] = (left, lowest, left + wide, highest)
        right = left + wide
        left += wide + (max(130.0, 60 + 8.0 * most) if k == n_left - 1 else widest + 26)
    for key, side in ((ends["predicted"], "predicted"), (-1, "true")):  # around all of their side
        beside_it = [boxes[node] for node in trees[side].kinds] or [boxes[key]]
        low, high = min(c[1] for c in beside_it), max(c[3] for c in beside_it)
        boxes[key] = (boxes[key][0], low, boxes[key][2], high)
    where = _Where(boxes, ends, heights, tall)
    lines = [*_links(flows, where, texts), *_pairs(flows, where, texts, metrics)]
    bottom = min(c[1] for c in boxes.values()) - 8
    whole = [e for _, _, e in flows if e["of"] == "instance"]
    if whole:
        start, end = boxes[ends["predicted"]], boxes[-1]
        a, b = (start[0] + start[2]) / 2, (end[0] + end[2]) / 2
        bottom -= 14
        corner = ((b, end[1]), (b, bottom), (a, bottom), (a, start[1]))
        said = ", ".join(texts[id(e)] + f" {e['kind']}" * (e["kind"] != "instance") for e in whole)
        flow = next(e["flow"] for e in whole if e["kind"] == "instance")
        lines.append(Line(corner, said, ((a + b) / 2, bottom), "instance", flow))
        bottom -= 6
    top = max(c[3] for c in boxes.values())
    return NetworkPlan((0.0, bottom, right, top + 4), boxes, lines)


def _ends(graph: nx.MultiDiGraph[Any]) -> dict[str, int]:
    """Return where everything starts and ends: one hub is both."""
    of = {node["kind"]: k for k, node in graph.nodes(data=True)}
    hub = of.get("hub", -1)
    return {"predicted": of.get("source", hub), "true": of.get("sink", hub)}


def _text(edge: dict[str, Any], digits: int, whole: int | None) -> str:
    """Return what is written on an arc."""
    lower, most, flow = (mass_text(edge[x], whole, digits) for x in ("lower", "capacity", "flow"))
    if edge["kind"] in BOUNDS:
        return f"[{lower}, {most}]"
    text = "; ".join(cost_text(cost, digits) for cost in edge["costs"])
    if edge["kind"] == "pair":
        if edge["flow"] not in (0, whole or 1):
            text += f" ×{flow}"
        return text + (" required" if edge["lower"] else "")
    return f"≤{most} at {text}"


def _beside(
    flows: Sequence[tuple[int, int, dict[str, Any]]], side: str, tree: _Tree
) -> dict[int, tuple[int, int]]:
    """Return of every set of a side how many arcs run above and below its bounds."""
    count: dict[int, tuple[int, int]] = {}
    for a, b, e in flows:
        if e["of"] in (None, "instance") or e["kind"] in BOUNDS:
            continue
        back = e["kind"] in BACK
        inner = a if back == (side == "predicted") else b
        if inner in tree.kinds:
            up, down = count.get(inner, (0, 0))
            count[inner] = up + (not back), down + back
    return count


@dataclass
class _Tree:
    """One side: the sets inside every set, and which of them have pairs of their own."""

    root: int
    children: dict[int, list[int]]
    kinds: dict[int, str]
    own: set[int]

    @classmethod
    def of(
        cls,
        graph: nx.MultiDiGraph[Any],
        side: str,
        root: int,
        flows: Sequence[tuple[int, int, dict[str, Any]]],
    ) -> _Tree:
        kinds = {k: n["kind"] for k, n in graph.nodes(data=True) if n["side"] == side}
        children: dict[int, list[int]] = {root: [], **{k: [] for k in kinds}}
        own = set()
        for a, b, e in flows:
            inner, outer = (b, a) if side == "predicted" else (a, b)
            if e["kind"] in ("label", "group") and inner in kinds:
                children[outer].append(inner)
            elif e["kind"] == "pair":
                own.add(outer)
        for inside in children.values():
            inside.sort()
        return cls(root, children, kinds, own)

    @property
    def n_rows(self) -> int:
        """How many rows it takes, at least one."""
        return max(1, sum(1 for _ in self.rows(self.root)))

    def rows(self, node: int) -> Iterator[int]:
        """Yield the nodes that have a row, from the top."""
        if node != self.root and (node in self.own or not self.children[node]):
            yield node
        for child in self.children[node]:
            yield from self.rows(child)

    def sort(self, key: dict[int, float]) -> None:
        """Order the sets inside every set by the mean of a number of their rows."""

        def mean(node: int) -> float:
            known = [key[row] for row in self.rows(node) if row in key]
            return sum(known) / len(known) if known else float("inf")

        for inner in self.children.values():
            inner.sort(key=lambda node: (mean(node), node))

    def heights(self, pitch: float, above: float) -> dict[int, tuple[float, float]]:
        """Return lowest and highest row of every node."""
        row = {node: -(above + k) * pitch for k, node in enumerate(self.rows(self.root))}
        found = {}
        for node in (self.root, *self.kinds):
            inside = [row[k] for k in self.rows(node)] or [-above * pitch]
            found[node] = min(inside), max(inside)
        return found

    def columns(self, root: int) -> Iterator[list[int]]:
        """Yield the nodes of every column, from the outside: labels that are in none share one."""
        level, within = {root: 0}, {root: 0}
        stack = [root]
        while stack:
            node = stack.pop()
            for child in self.children[node]:
                level[child] = level[node] + 1
                within[child] = within[node] + (self.kinds[child] == "label")
                stack.append(child)
        labels = 1 + max((level[k] for k, kind in self.kinds.items() if kind == "group"), default=0)
        for node, kind in self.kinds.items():
            if kind == "label":
                level[node] = labels + within[node] - 1
            elif kind == "partners":
                level[node] = labels + max(within.values())
        for at in range(max(level.values()) + 1):
            yield [node for node, where in level.items() if where == at]


def _mean_partners(
    tree: _Tree, flows: Sequence[tuple[int, int, dict[str, Any]]]
) -> dict[int, float]:
    """Return of every node of the true side the mean row of what it is paired with."""
    row = {node: k for k, node in enumerate(tree.rows(tree.root))}
    paired: dict[int, list[int]] = {}
    for a, b, e in flows:
        if e["kind"] == "pair" and e["flow"]:
            paired.setdefault(b, []).append(row[a])
    return {node: sum(rows) / len(rows) for node, rows in paired.items()}


@dataclass(frozen=True)
class _Where:
    """Boxes of nodes (−1: the hub as sink), and where arcs meet them."""

    boxes: dict[int, Corners]
    ends: dict[str, int]
    heights: dict[str, dict[int, tuple[float, float]]]
    tall: float

    def box(self, node: int, side: str) -> Corners:
        """Return the box of a node on a side."""
        hub = node == self.ends["true"] and side == "true"
        return self.boxes[-1 if hub else node]

    def own_row(self, node: int, side: str) -> float:
        """Return where the pairs of a node leave it: at its highest row."""
        return self.heights[side][node][1]


def _links(
    flows: Sequence[tuple[int, int, dict[str, Any]]], where: _Where, texts: dict[int, str]
) -> Iterator[Line]:
    """Yield the arcs between a set and the one around it."""
    used: dict[tuple[int, str, bool], int] = {}
    for a, b, e in flows:
        if e["of"] in (None, "instance"):
            continue
        back = e["kind"] in BACK
        outer, inner = (b, a) if back else (a, b)
        left_side = inner in where.heights["predicted"] and inner != where.ends["predicted"]
        side = "predicted" if left_side else "true"
        if side == "true":
            outer, inner = inner, outer
        low, high = where.heights[side][inner]
        y = (low + high) / 2
        if e["kind"] not in BOUNDS:
            k = used[inner, side, back] = used.get((inner, side, back), 0) + 1
            y += (-k if back else k) * BESIDE
        out, into = where.box(outer, side), where.box(inner, side)
        x = (out[2], into[0]) if side == "predicted" else (into[2], out[0])
        points = ((x[0], y), (x[1], y))
        near = into[0] - (into[0] - out[2]) / 2 if side == "predicted" else sum(x) / 2
        yield Line(points[::-1] if back else points, texts[id(e)], (near, y), e["kind"], e["flow"])


def _pairs(
    flows: Sequence[tuple[int, int, dict[str, Any]]],
    where: _Where,
    texts: dict[int, str],
    metrics: TextMetrics,
) -> Iterator[Line]:
    """Yield the arcs between the sides, with costs where they have room."""
    pairs = [(a, b, e) for a, b, e in flows if e["kind"] == "pair"]
    left = max((where.box(a, "predicted")[2] for a, _, _ in pairs), default=0.0)
    right = min((where.box(b, "true")[0] for _, b, _ in pairs), default=1.0)
    arcs = []
    for a, b, e in pairs:
        y = where.own_row(a, "predicted"), where.own_row(b, "true")
        said = texts[id(e)]
        size = metrics.width(said, SMALL, bold=e["flow"] > 0), metrics.height(said, SMALL) + 1.6
        arcs.append(Arc(*y, size[0] + 1.6, size[1], 40.0 if e["flow"] else 1.0, e["flow"] > 0))
    for (a, b, e), arc, place in zip(pairs, arcs, place_texts(arcs, (left, right)), strict=True):
        x = where.box(a, "predicted")[2], where.box(b, "true")[0]
        at = None
        if place is not None:
            at = left + place * (right - left), arc.left + place * (arc.right - arc.left)
        points = ((x[0], arc.left), (left, arc.left), (right, arc.right), (x[1], arc.right))
        yield Line(points, texts[id(e)], at, "pair", e["flow"])
