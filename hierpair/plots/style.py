"""Sizes and colours of all pictures, in points; colours that colour-blind people tell apart."""

from __future__ import annotations

from dataclasses import dataclass
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

AS_IT_IS: dict[str, Any] = {"parse_math": False, "usetex": False}
"""How every text is written: a $ is a $."""


@dataclass(frozen=True)
class State:
    """How one kind of class looks: fill, border and text all differ without colour."""

    legend: str
    fill: str = PAPER
    edge: str = GREY
    width: float = 0.7
    dashes: tuple[float, ...] = ()
    ink: str = INK

    @property
    def box(self) -> dict[str, Any]:
        """How its box is drawn."""
        return {"fill": self.fill, "edge": self.edge, "width": self.width, "dashes": self.dashes}


FIELD_STATES = {
    "TP": State("TP", "#17493f", "#17493f", 1.0, ink=PAPER),
    "FN": State("FN", "#d7e8f6", ACCENT, 1.6),
    "FP": State("FP", "#fbe5d3", DEFAULTS, 1.4, (3.2, 1.6)),
    "TN": State("TN", PAPER, GREY, 0.7),
    "several": State("in several fields", "#dcdcdc", INK, 1.0),
    "root": State("root", PAPER, FAINT, 0.5, ink=GREY),
}
"""The same for the fields of a confusion matrix."""

STATES = {
    "both": State("true and predicted", "#17493f", "#17493f", 1.0, ink=PAPER),
    "true": State("true", "#d7e8f6", ACCENT, 1.6),
    "predicted": State("predicted", "#fbe5d3", DEFAULTS, 1.4, (3.2, 1.6)),
    "true_both": State("true, above predicted", "#c2c2c2", ACCENT, 1.6),
    "predicted_both": State("predicted, above true", "#c2c2c2", DEFAULTS, 1.4, (3.2, 1.6)),
    "shared": State("above both", "#dcdcdc", GREY, 0.7),
    "above_true": State("above true", PAPER, ACCENT, 0.7),
    "above_predicted": State("above predicted", PAPER, DEFAULTS, 0.7, (1.2, 1.4)),
    "other": State("other", PAPER, FAINT, 0.5, ink=GREY),
}
