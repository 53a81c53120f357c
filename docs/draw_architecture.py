"""Draw docs/architecture.svg: ``python docs/draw_architecture.py``."""

from html import escape
from pathlib import Path

WIDTH, HEIGHT = 1000, 640
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
.parcel { stroke-dasharray: 5 4; stroke: #9fb3c8; }
.floor { stroke: #d9822b; stroke-width: 1.2; stroke-dasharray: 2 4; }
"""


def picture() -> str:
    """Return the whole picture."""
    parts = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="#ffffff"/>',
        # what comes in
        box("data", 30, 30, 150, 64, "files, frames", "lists, matrices"),
        box("work", 230, 30, 150, 64, "readers/, labels/", "names become numbers"),
        box("data", 430, 22, 160, 36, "Hierarchy"),
        box("data", 430, 66, 160, 36, "LabelSets"),
        box("work", 660, 30, 170, 64, "Batch", "all instances at once"),
        arrow((180, 62), (228, 62)),
        arrow((380, 52), (428, 42)),
        arrow((380, 72), (428, 82)),
        arrow((590, 40), (658, 54)),
        arrow((590, 84), (658, 70)),
        # sets
        lane(30, 150, 250, 330, "SetRecipe: set-based and flat"),
        box("work", 60, 196, 190, 60, "augment", "ancestors, descendants, …"),
        box("data", 60, 292, 190, 60, "both sets in one array", "sorted: equal is adjacent"),
        box("work", 60, 388, 190, 60, "count", "|Y|, |Ŷ|, |Y ∩ Ŷ|"),
        arrow((155, 256), (155, 290)),
        arrow((155, 352), (155, 386)),
        arrow((745, 94), (745, 126), (225, 126), (225, 194)),
        # pairs
        lane(320, 150, 650, 330, "PairRecipe: pair-based"),
        box("data", 340, 196, 140, 60, "Rule", "cost and constraints"),
        box("data", 560, 196, 180, 60, "PairingProblem", "pairs, costs, bounds"),
        box("data", 800, 196, 145, 60, "Pairing", "pairs, cost, gap"),
        box("data", 560, 292, 180, 60, "FlowNetwork", "arcs of all instances"),
        box("data", 800, 292, 145, 60, "Flow", "one unit per pair"),
        box(
            "solver", 560, 388, 385, 60, "OR-Tools minimum-cost flow", "proved by check, without it"
        ),
        arrow((480, 226), (558, 226), label="formulate", at=(518, 217)),
        arrow((650, 256), (650, 290), label="build", at=(672, 278)),
        arrow((650, 352), (650, 386), label="solve", at=(672, 374)),
        arrow((872, 388), (872, 354)),
        arrow((872, 292), (872, 258), label="read", at=(893, 278)),
        arrow((740, 312), (770, 312), (770, 240), (798, 240), kind="arrow parcel"),
        words("verb", 770, 330, "meaning"),
        '<line class="floor" x1="335" y1="274" x2="955" y2="274"/>',
        words("small", 430, 291, "below: integers, no labels"),
        arrow((745, 126), (650, 126), (650, 194)),
        # what comes out
        box("data", 30, 540, 150, 64, "Columns", "sizes, cost"),
        box("work", 230, 540, 150, 64, "formula", "a value per instance"),
        box("work", 430, 540, 160, 64, "Partial", "sums that add up exactly"),
        box("out", 640, 540, 130, 64, "Scores", "with signatures"),
        box("out", 820, 540, 150, 64, "Explanation", "evidence and proof"),
        arrow((155, 448), (155, 504), (105, 504), (105, 538)),
        arrow((945, 226), (984, 226), (984, 504), (105, 504), (105, 538)),
        arrow((895, 504), (895, 538)),
        arrow((180, 572), (228, 572)),
        arrow((380, 572), (428, 572)),
        arrow((590, 572), (638, 572)),
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
