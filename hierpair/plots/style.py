"""Sizes and looks of all pictures, in points; colours that colour-blind people tell apart."""

from __future__ import annotations

from typing import Any, NamedTuple

NAME, SMALL, NOTE, HEAD = 8.0, 6.5, 7.0, 9.0
"""Font sizes of names, of costs and bounds, of notes below, and of titles."""

HIGH = 1.15
"""How much higher a line is than its letters are large."""

PAD = 4.0
"""Room between a name and the border of its box."""

MARGIN = 6.0

WIDEST, HIGHEST = 504.0, 690.0
"""What a page has room for."""

INK, GREY, FAINT, PAPER = "#1a1a1a", "#636363", "#bdbdbd", "#ffffff"
ACCENT = "#0060a8"
"""What charts are about; of networks and hierarchies chosen pairs, and all of the true side."""

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


class Look(NamedTuple):
    """How a box, a line or a text looks; ``font`` is bold, italic or neither, ``head`` the length
    of an arrow's head.
    """

    fill: str
    edge: str
    width: float
    dashes: tuple[float, ...]
    ink: str
    font: str
    head: float


LOOK_TABLE = """\
both           |#17493f|#17493f|1.0|       |#ffffff|      |0.0
true           |#d7e8f6|#0060a8|1.6|       |#1a1a1a|      |0.0
predicted      |#fbe5d3|#c04a00|1.4|3.2 1.6|#1a1a1a|      |0.0
true_both      |#c2c2c2|#0060a8|1.6|       |#1a1a1a|      |0.0
predicted_both |#c2c2c2|#c04a00|1.4|3.2 1.6|#1a1a1a|      |0.0
shared         |#dcdcdc|#636363|0.7|       |#1a1a1a|      |0.0
above_true     |#ffffff|#0060a8|0.7|       |#1a1a1a|      |0.0
above_predicted|#ffffff|#c04a00|0.7|1.2 1.4|#1a1a1a|      |0.0
plain          |#ffffff|#636363|0.7|       |#1a1a1a|      |0.0
other          |#ffffff|#bdbdbd|0.5|       |#636363|      |0.0
label          |#ffffff|#1a1a1a|0.7|       |#1a1a1a|      |0.0
end            |#ffffff|#636363|0.7|2.4 1.6|#636363|italic|0.0
edge           |#ffffff|#636363|0.7|       |#1a1a1a|      |0.0
further        |#ffffff|#636363|0.7|       |#1a1a1a|      |4.0
pair           |#ffffff|#7a2a7a|1.1|3.0 1.8|#1a1a1a|      |5.0
chosen         |#ffffff|#0060a8|1.8|       |#0060a8|bold  |0.0
flow           |#ffffff|#0060a8|1.8|       |#0060a8|bold  |4.0
bought         |#ffffff|#c04a00|1.8|4.0 1.6|#c04a00|bold  |0.0
paid           |#ffffff|#c04a00|1.8|4.0 1.6|#c04a00|bold  |4.0
bound          |#ffffff|#636363|1.2|       |#636363|      |4.0
idle_chosen    |#ffffff|#8f8f8f|0.5|       |#636363|      |0.0
idle_flow      |#ffffff|#8f8f8f|0.5|       |#636363|      |3.0
idle_bought    |#ffffff|#8f8f8f|0.5|4.0 1.6|#636363|      |0.0
idle_paid      |#ffffff|#8f8f8f|0.5|4.0 1.6|#636363|      |3.0
idle_bound     |#ffffff|#636363|0.5|       |#636363|      |3.0
note           |#ffffff|#636363|0.7|       |#636363|      |0.0
words          |#ffffff|#636363|0.7|       |#1a1a1a|      |0.0
"""

LOOKS = {
    name: Look(fill, edge, float(width), (*map(float, dashes.split()),), ink, font, float(head))
    for line in LOOK_TABLE.splitlines()
    for name, fill, edge, width, dashes, ink, font, head in [map(str.strip, line.split("|"))]
}
"""By name, which is its class in a page too: of classes of a hierarchy, whose fill, border and text
all differ without colour; of nodes of networks; of lines and the texts on them, of arcs that carry
nothing ``idle_…``; and of other texts. Blue are chosen pairs and the true side, orange what the
default class was paid for and the predicted side, purple chosen pairs in a hierarchy.
"""
