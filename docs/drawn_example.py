"""Draw the hierarchy of a worked example as a small SVG."""

from html import escape
from pathlib import Path

from hierpair.explanation import ClassNode, Explanation, Neighbourhood, PairEvidence

STEP_X, STEP_Y, BOX_W, BOX_H, MARGIN = 118, 84, 92, 34, 24
LEGEND = (
    ("true", "true"),
    ("predicted", "predicted"),
    ("both", "both"),
    ("above", "above a label"),
)
STYLE = """\
text { font: 13px "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; fill: #1f2933;
  text-anchor: middle; }
.legend { font-size: 12px; text-anchor: start; fill: #52606d; }
.price { font-size: 12px; font-weight: 600; fill: #b35c00; stroke: #ffffff; stroke-width: 4px;
  paint-order: stroke; }
rect { stroke: #9fb3c8; fill: #ffffff; }
.true { fill: #d9f2e3; stroke: #2f9e63; stroke-width: 1.6; }
.predicted { fill: #dbeafe; stroke: #2f80c1; stroke-width: 1.6; }
.both { fill: #ece3fb; stroke: #7c4dbd; stroke-width: 1.6; }
.above { fill: #f5f7fa; stroke: #829ab1; }
.grown { stroke-width: 1; stroke-opacity: 0.7; fill-opacity: 0.45; }
.alone { stroke-dasharray: 4 3; }
.edge { stroke: #9fb3c8; fill: none; }
.pair { stroke: #d9822b; stroke-width: 2; fill: none; stroke-dasharray: 6 4; }
"""


def drawn(why: Explanation, path: Path) -> str:
    """Write the picture to a file and return the Markdown that shows it."""
    prices: dict[tuple[object, object], float] = {}
    added: dict[object, str] = {}
    if isinstance(e := why.evidence, PairEvidence):
        prices = {
            (e.predicted[p.predicted].name, e.true[p.true].name): p.price
            for p in e.pairs
            if p.chosen
        }
    elif e.augment != "none":
        added = dict.fromkeys(e.shared, "both") | dict.fromkeys(e.only_true, "true")
        added |= dict.fromkeys(e.only_predicted, "predicted")
    path.write_text(picture(why.neighbourhood, prices, added), encoding="utf-8")
    return f"![{described(why)}]({path.name})"


def described(why: Explanation) -> str:
    """Return the picture in words."""
    true, predicted = (", ".join(map(str, names)) for names in (why.y_true, why.y_pred))
    return f"The classes around the labels. True: {true}. Predicted: {predicted}."


def picture(
    shown: Neighbourhood,
    prices: dict[tuple[object, object], float],
    added: dict[object, str],
) -> str:
    """Return classes by level, labels in the colour of their side, chosen pairs as arcs.

    What was ``added`` to the augmented sets has the paler colour of its side.
    """
    place = layout(shown)
    parts = [
        f'<path class="edge" d="M{place[a][0]},{place[a][1] + BOX_H / 2} '
        f"C{place[a][0]},{place[a][1] + STEP_Y / 2} {place[b][0]},{place[b][1] - STEP_Y / 2} "
        f'{place[b][0]},{place[b][1] - BOX_H / 2}"/>'
        for a, b in shown.edges
    ]
    parts += [box(node, *place[i], added) for i, node in enumerate(shown.nodes)]
    bottom = max(y for _, y in place) + BOX_H / 2
    lowest = bottom
    for a, b in shown.pairs:
        price = prices.get((shown.nodes[a].name, shown.nodes[b].name))
        if a != b:
            curve, low = arc(place[a], place[b], price)
            parts.append(curve)
            lowest = max(lowest, low)
    width = max(max(x for x, _ in place) + BOX_W / 2 + MARGIN, 560)
    legend_y = lowest + 30
    parts += legend(legend_y, bool(prices), bool(added), any(node.alone for node in shown.nodes))
    body = "\n".join(parts)
    height = legend_y + 18
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img">\n<style>\n{STYLE}</style>\n'
        f'<rect x="0" y="0" width="{width:g}" height="{height:g}" rx="8" style="stroke: none"/>\n'
        f"{body}\n</svg>\n"
    )


def layout(shown: Neighbourhood) -> list[tuple[float, float]]:
    """Return where the classes stand: leaves side by side, parents above their children."""
    below: dict[int, list[int]] = {}
    for a, b in shown.edges:
        below.setdefault(a, []).append(b)
    x: dict[int, float] = {}
    leaves = 0

    def walk(at: int) -> None:
        nonlocal leaves
        if at in x:
            return
        for child in below.get(at, ()):
            walk(child)
        children = [x[child] for child in below.get(at, ())]
        x[at] = sum(children) / len(children) if children else MARGIN + BOX_W / 2 + leaves * STEP_X
        leaves += not children

    for at in range(len(shown.nodes)):
        walk(at)
    top = min(node.level for node in shown.nodes)
    return [
        (x[i], MARGIN + BOX_H / 2 + (node.level - top) * STEP_Y)
        for i, node in enumerate(shown.nodes)
    ]


def box(node: ClassNode, x: float, y: float, added: dict[object, str]) -> str:
    """Return one class."""
    kind = "both" if node.true and node.predicted else "true" if node.true else "predicted"
    if not (node.true or node.predicted):
        kind = f"grown {added[node.name]}" if node.name in added else "above"
    alone = " alone" if node.alone else ""
    return (
        f'<rect class="{kind}{alone}" x="{x - BOX_W / 2:g}" y="{y - BOX_H / 2:g}" '
        f'width="{BOX_W}" height="{BOX_H}" rx="7"/>\n'
        f'<text x="{x:g}" y="{y + 4.5:g}">{escape(str(node.name))}</text>'
    )


def arc(a: tuple[float, float], b: tuple[float, float], price: float | None) -> tuple[str, float]:
    """Return a chosen pair as an arc below its classes, with its price, and how low it goes."""
    (x1, y1), (x2, y2) = a, b
    start, end = y1 + BOX_H / 2, y2 + BOX_H / 2
    dip = 22 + abs(x1 - x2) * 0.2
    low = max(start, end) + dip
    text = "" if price is None else f"{price:g}"
    middle = (start + end + 6 * low) / 8
    curve = (
        f'<path class="pair" d="M{x1:g},{start:g} C{x1:g},{low:g} {x2:g},{low:g} {x2:g},{end:g}"/>'
    )
    label = f'<text class="price" x="{(x1 + x2) / 2:g}" y="{middle + 4:g}">{text}</text>'
    return f"{curve}\n{label}", middle + 8


def legend(y: float, pairs: bool, grown: bool, alone: bool) -> list[str]:
    """Return what the colours say."""
    shown = [*LEGEND[:3], *((("grown both", "added above"),) if grown else LEGEND[3:])]
    shown += [("above", "not counted")] * grown + [("above alone", "alone")] * alone
    parts, x = [], MARGIN
    for kind, words in shown:
        parts.append(f'<rect class="{kind}" x="{x}" y="{y - 10:g}" width="16" height="12" rx="3"/>')
        parts.append(f'<text class="legend" x="{x + 22}" y="{y:g}">{words}</text>')
        x += 38 + 7 * len(words)
    if pairs:
        parts.append(f'<path class="pair" d="M{x},{y - 4:g} h22"/>')
        parts.append(f'<text class="legend" x="{x + 28}" y="{y:g}">pair, price</text>')
    return parts
