"""Draw docs/architecture.svg: ``python docs/draw_architecture.py``."""

from html import escape
from pathlib import Path

WIDTH, HEIGHT = 1000, 800
STYLE = """\
text { font-family: "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; fill: #1f2933; }
.title { font-size: 14px; font-weight: 600; }
.small { font-size: 11.5px; fill: #52606d; }
.verb { font-size: 12px; font-style: italic; fill: #334e68; }
.lane { fill: #f5f7fa; stroke: #cbd2d9; }
.data { fill: #ffffff; stroke: #627d98; }
.work { fill: #e3f2fd; stroke: #2f80c1; }
.solver { fill: #fdebd3; stroke: #d9822b; }
.out { fill: #e3f5ea; stroke: #2f9e63; }
.arrow { fill: none; stroke: #486581; stroke-width: 1.6; marker-end: url(#head); }
.inverse { stroke-dasharray: 5 4; stroke: #9fb3c8; }
.floor { stroke: #d9822b; stroke-width: 1.2; stroke-dasharray: 2 4; }
"""


def picture() -> str:
    """Return the whole picture."""
    parts = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="#ffffff"/>',
        # what comes in
        box("data", 30, 26, 150, 64, "files, frames", "lists, matrices, arrays"),
        box("work", 230, 26, 150, 64, "io/, labels/", "names become numbers"),
        box("data", 430, 18, 160, 36, "Hierarchy"),
        box("data", 430, 62, 160, 36, "LabelSets"),
        box("work", 660, 26, 170, 64, "Batch", "all instances at once"),
        arrow((180, 58), (228, 58)),
        arrow((380, 48), (428, 38)),
        arrow((380, 68), (428, 78)),
        arrow((590, 36), (658, 50)),
        arrow((590, 80), (658, 66)),
        # recipes
        '<rect class="lane" x="20" y="118" width="960" height="392" rx="9"/>',
        '<text class="small" x="34" y="140">measures/recipes: from a batch to columns</text>',
        lane(34, 150, 214, 344, "sets: hierarchy/"),
        box("work", 50, 190, 182, 60, "augment", "ancestors, descendants, …"),
        box("data", 50, 290, 182, 60, "cells", "(instance, class, side), once"),
        box("work", 50, 390, 182, 60, "row sums", "sizes, weights, levels"),
        arrow((141, 250), (141, 288)),
        arrow((141, 350), (141, 388)),
        lane(260, 150, 196, 344, "LCA: lca/"),
        box("data", 276, 190, 164, 60, "links", "nearest partners, paths"),
        box("work", 276, 290, 164, 60, "exact, greedy, full", "arrays, enumeration"),
        box("solver", 276, 390, 164, 60, "CP-SAT", "solvers/: for the hardest"),
        arrow((358, 250), (358, 288)),
        arrow((358, 350), (358, 388)),
        lane(468, 150, 500, 344, "pairings: pairing/; confusion/ is a rule"),
        box("data", 484, 190, 130, 60, "Rule", "cost and constraints"),
        box("data", 652, 190, 150, 60, "PairingProblem", "pairs, costs, bounds"),
        box("data", 836, 190, 118, 60, "Pairing", "pairs, cost, gap"),
        box("data", 652, 290, 150, 60, "FlowNetwork", "arcs of all instances"),
        box("data", 836, 290, 118, 60, "Flow", "one unit per pair"),
        box(
            "solver",
            652,
            390,
            302,
            60,
            "minimum-cost flow",
            "solvers/: OR-Tools; explanations prove it",
        ),
        arrow((614, 220), (650, 220), label="formulate", at=(633, 264)),
        arrow((727, 250), (727, 288), label="build", at=(749, 274)),
        arrow((727, 350), (727, 388), label="solve", at=(703, 374)),
        arrow((895, 388), (895, 352)),
        arrow((895, 290), (895, 252), label="read", at=(916, 276)),
        arrow((802, 335), (819, 335), (819, 238), (834, 238), kind="arrow inverse"),
        words("verb", 815, 370, "inverse data"),
        '<line class="floor" x1="484" y1="270" x2="954" y2="270"/>',
        words("small", 560, 287, "below: integers, no labels"),
        arrow((745, 90), (745, 116)),
        # what comes out
        box("data", 30, 548, 150, 64, "Columns", "n_both, cost, tp, …"),
        box("work", 230, 548, 150, 64, "formula", "measures/families"),
        box("work", 430, 548, 160, 64, "Partial", "evaluation/: exact sums"),
        box("out", 640, 548, 130, 64, "Scores", "evaluation/"),
        box("out", 820, 548, 150, 64, "Explanation", "explanation/"),
        arrow((105, 510), (105, 546)),
        arrow((895, 510), (895, 546), label="evidence", at=(930, 534)),
        arrow((180, 580), (228, 580)),
        arrow((380, 580), (428, 580)),
        arrow((590, 580), (638, 580)),
        box("work", 30, 690, 170, 64, "probabilistic/", "distributions, decoding"),
        box("work", 225, 690, 170, 64, "comparison/", "intervals, tests, ranks"),
        box("work", 420, 690, 170, 64, "verification/", "claims and verdicts"),
        box("out", 615, 690, 170, 64, "tables/, plots/", "every form of a result"),
        box("out", 810, 690, 160, 64, "metrics/, cli/", "functions, commands"),
        arrow((705, 612), (705, 650), (115, 650), (115, 688)),
        arrow((705, 612), (705, 650), (310, 650), (310, 688)),
        arrow((705, 612), (705, 650), (505, 650), (505, 688)),
        arrow((705, 612), (705, 688)),
        arrow((705, 612), (705, 650), (890, 650), (890, 688)),
    ]
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="img">\n'
        "<title>From labels to scores</title>\n"
        f"<style>\n{STYLE}</style>\n"
        '<defs><marker id="head" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0,0 L10,5 L0,10 z" fill="#486581"/>'
        "</marker></defs>\n"
        f"{body}\n</svg>\n"
    )


def box(kind: str, x: float, y: float, w: float, h: float, title: str, small: str = "") -> str:
    """Return a box with one line of text or two."""
    middle = x + w / 2
    lines = words("title", middle, y + h / 2 + (-3 if small else 5), title)
    if small:
        lines += "\n" + words("small", middle, y + h / 2 + 16, small)
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{w}" height="{h}" rx="7"/>\n{lines}'


def lane(x: float, y: float, w: float, h: float, title: str) -> str:
    """Return the ground on which one family stands."""
    return (
        f'<rect class="lane" x="{x}" y="{y}" width="{w}" height="{h}" rx="9"/>\n'
        f'<text class="small" x="{x + 14}" y="{y + 24}">{escape(title)}</text>'
    )


def words(kind: str, x: float, y: float, text: str) -> str:
    """Return a centred line of text."""
    return f'<text class="{kind}" x="{x}" y="{y}" text-anchor="middle">{escape(text)}</text>'


def arrow(
    *points: tuple[float, float],
    label: str = "",
    at: tuple[float, float] = (0, 0),
    kind: str = "arrow",
) -> str:
    """Return a line through points with a head at its end."""
    route = " L".join(f"{x},{y}" for x, y in points)
    line = f'<path class="{kind}" d="M{route}"/>'
    return f"{line}\n{words('verb', *at, label)}" if label else line


if __name__ == "__main__":
    Path(__file__).with_name("architecture.svg").write_text(picture(), encoding="utf-8")
