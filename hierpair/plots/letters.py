"""Texts in pictures: what is written of a name, and how much room it takes."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from hierpair.errors import REORDERING, BadInput

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties

LONGEST = 40
HINTED = 1.1
"""Letters that are fitted to pixels are up to so much wider."""
WIDE = 0x2E80
"""The characters from here on are about as wide as high."""
OTHER_SCRIPTS = (
    "DejaVu Sans, Noto Sans CJK JP, Noto Sans CJK SC, Noto Sans SC, Noto Sans JP, "
    "Noto Sans KR, Source Han Sans, WenQuanYi Zen Hei, Microsoft YaHei, PingFang SC, "
    "Hiragino Sans, Malgun Gothic, Apple SD Gothic Neo, Yu Gothic, Noto Sans, "
    "Noto Sans Devanagari, Noto Sans Symbols, Noto Sans Symbols2, Segoe UI Symbol, "
    "Arial Unicode MS"
)
"""Fonts that are asked for characters that the font of the text lacks."""


def need_matplotlib() -> None:
    """Raise BadInput if matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise BadInput("pictures need matplotlib: pip install 'hierpair[plot]'") from None


@dataclass(frozen=True)
class Letters:
    """How much room texts take in fonts of these families; without any in those of a page, which
    nobody knows beforehand: an estimate.
    """

    families: tuple[str, ...] = ()

    def font(self, size: float, kind: str = "") -> FontProperties:
        """Return the font in a size: bold, italic or neither."""
        from matplotlib.font_manager import FontProperties

        style: Any = "italic" if kind == "italic" else "normal"
        weight, families = "bold" if kind == "bold" else "normal", list(self.families)
        return FontProperties(family=families, size=size, weight=weight, style=style)

    def width(self, text: str, size: float, kind: str = "") -> float:
        """Return how wide a text is, in points, in whatever form it is written."""
        if self.families:
            return HINTED * _width(self, self.legible(text), size, kind)
        each = 0.64 if kind == "bold" else 0.6
        return size * sum(each if ord(c) < WIDE else 1.1 for c in text)

    def legible(self, text: str) -> str:
        """Return a text with a box for every character that no font has.

        matplotlib would draw such a box, too, but warns every time that it measures the text.
        """
        if not self.families:
            return text
        known, kept = _characters(self.families), ""
        for c in text:
            if ord(c) in known and c not in REORDERING:
                kept += c
            elif unicodedata.category(c) not in ("Cf", "Mn", "Mc", "Me"):
                kept += "□"
        return kept

    def wrapped(self, text: str, size: float, room: float) -> list[str]:
        """Return lines no wider than ``room``, unless one word is."""
        lines: list[str] = []
        for word in text.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self.width(longer, size) <= room:
                lines[-1] = longer
            else:
                lines.append(word)
        return lines


def fonts_of_figures() -> Letters:
    """Return the fonts of matplotlib's setting, then installed ones for other scripts."""
    need_matplotlib()
    import matplotlib as mpl
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    others = [name for name in OTHER_SCRIPTS.split(", ") if name in installed]
    return Letters((*mpl.rcParams["font.family"], *others))


def shortened(names: Sequence[Hashable], most: int = LONGEST) -> list[str]:
    """Return names as one line each, cut to so many characters; cut ones stay distinct.

    >>> shortened(["a" * 9 + "x", "a" * 9 + "y", "b" * 10, 3], 8)
    ['aaaa…aax', 'aaaa…aay', 'bbbbbbb…', '3']
    """
    full = [_one_line(str(name)) for name in names]
    ends = {t: t if len(t) <= most else t[: most - 1].rstrip() + "…" for t in full}
    alike = Counter(ends.values())
    keep = (most - 1) // 2
    for t, end in ends.items():
        if t != end and alike[end] > 1:
            ends[t] = f"{t[: most - 1 - keep].rstrip()}…{t[-keep:].lstrip()}"
    return [ends[t] for t in full]


def _one_line(text: str) -> str:
    """Return a text without line breaks, signs that steer or reorder, halves of characters."""
    kinds = {"Cc": " ", "Cs": "\N{REPLACEMENT CHARACTER}"}
    kept = (c for c in text if c not in REORDERING)
    plain = "".join(kinds.get(unicodedata.category(c), c) for c in kept)
    return " ".join(plain.split()) or "(no name)"


@lru_cache(maxsize=8)
def _characters(families: tuple[str, ...]) -> frozenset[int]:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    paths = {str(findfont(FontProperties(family=[family]))) for family in families}
    return frozenset().union(*(get_font(path).get_charmap() for path in paths))


@lru_cache(maxsize=4096)
def _width(letters: Letters, text: str, size: float, kind: str) -> float:
    from matplotlib.textpath import text_to_path

    return float(
        text_to_path.get_text_width_height_descent(text, letters.font(size, kind), False)[0]
    )
