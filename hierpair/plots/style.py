"""Sizes and looks of all pictures, in points; colours that colour-blind people tell apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

NAME, SMALL, NOTE, HEAD = 8.0, 6.5, 7.0, 9.0
"""Font sizes of names, of costs and bounds, of notes below, and of titles."""

PAD = 4.0
"""Room between a name and the border of its box."""

MARGIN = 6.0

WIDEST, HIGHEST = 504.0, 690.0
"""What a page has room for."""

INK, GREY, LIGHT, FAINT, PAPER = "#1a1a1a", "#636363", "#8f8f8f", "#bdbdbd", "#ffffff"
ACCENT = "#0060a8"
"""Chosen pairs, and everything of the true side."""
DEFAULTS = "#c04a00"
"""What the default class was paid for, and everything of the predicted side."""
PAIRED = "#7a2a7a"
"""Connections of chosen pairs in a hierarchy."""

SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#1a1a1a", "#8f8f8f")
"""Colours of series that colour-blind people tell apart (Okabe and Ito)."""

Keywords = dict[str, Any]

CYCLE: Keywords = {
    "color": list(SERIES * 5),
    "marker": list("osD^vPX*<>" * 4),
    "linestyle": ["-"] * 8 + [(0, (4, 1.5))] * 32,
    "markersize": [4] * 40,
    "linewidth": [1.1] * 40,
}
"""Lines of forty series differ without colour too,"""

CURVES: Keywords = {
    "color": list(SERIES),
    "linestyle": ["-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (3, 2)), "-"],
}
"""and curves of eight."""

AS_IT_IS: Keywords = {"parse_math": False, "usetex": False}
"""How every text is written: a $ is a $."""


@dataclass(frozen=True)
class Look:
    """How a box, a line or a text looks; ``head`` is the length of an arrow's head."""

    fill: str = PAPER
    edge: str = GREY
    width: float = 0.7
    dashes: tuple[float, ...] = ()
    ink: str = INK
    bold: bool = False
    italic: bool = False
    head: float = 0.0


LOOKS = {
    # classes of a hierarchy: fill, border and text all differ without colour
    "both": Look("#17493f", "#17493f", 1.0, ink=PAPER),
    "true": Look("#d7e8f6", ACCENT, 1.6),
    "predicted": Look("#fbe5d3", DEFAULTS, 1.4, (3.2, 1.6)),
    "true_both": Look("#c2c2c2", ACCENT, 1.6),
    "predicted_both": Look("#c2c2c2", DEFAULTS, 1.4, (3.2, 1.6)),
    "shared": Look("#dcdcdc", GREY, 0.7),
    "above_true": Look(PAPER, ACCENT, 0.7),
    "above_predicted": Look(PAPER, DEFAULTS, 0.7, (1.2, 1.4)),
    "plain": Look(PAPER, GREY, 0.7),
    "other": Look(PAPER, FAINT, 0.5, ink=GREY),
    # nodes of networks
    "label": Look(PAPER, INK),
    "end": Look(PAPER, GREY, dashes=(2.4, 1.6), ink=GREY, italic=True),
    # lines, and the texts on them
    "edge": Look(edge=GREY),
    "further": Look(edge=GREY, head=4.0),
    "pair": Look(edge=PAIRED, width=1.1, dashes=(3.0, 1.8), head=5.0),
    "chosen": Look(edge=ACCENT, width=1.8, ink=ACCENT, bold=True),
    "bought": Look(edge=DEFAULTS, width=1.8, dashes=(4.0, 1.6), ink=DEFAULTS, bold=True),
    "bound": Look(edge=GREY, width=1.2, ink=GREY, head=4.0),
    "note": Look(ink=GREY),
    "words": Look(),
}
"""By name, which is its class in a page too; of arcs that carry nothing ``idle_…``."""

for _new, _old in {"paid": "bought", "flow": "chosen"}.items():
    LOOKS[_new] = replace(LOOKS[_old], head=4.0)
for _name in ("chosen", "bought", "paid", "flow", "bound"):
    _look = replace(LOOKS[_name], width=0.5, ink=GREY, bold=False, head=LOOKS[_name].head * 0.75)
    LOOKS[f"idle_{_name}"] = _look if _name == "bound" else replace(_look, edge=LIGHT)
