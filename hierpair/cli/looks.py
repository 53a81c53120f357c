"""Options that say how a table of scores looks on paper."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hierpair.cli.parser import check_digits
from hierpair.errors import BadInput
from hierpair.tables.forms import FORMS

if TYPE_CHECKING:
    from hierpair.measures import Measure

__all__ = ["LOOK", "caption_of", "check_look", "digits_of", "look_of"]

LOOK = """
# how the table looks | text, Markdown, LaTeX and HTML
--digits N:int     decimals (default: 4; of values in per cent 2)
--percent          multiply measures that are shares of 1 by 100
--transpose        measures as rows (default: systems as rows)
--rename OLD=NEW*  another name for a system or measure (may be repeated)
--caption TEXT     caption of a LaTeX table, plain text
--label NAME       label of a LaTeX table
"""


def check_look(options: argparse.Namespace, *, plain: str = "") -> None:
    """Refuse what would be without effect; ``plain`` says what has no table of scores.

    Raises
    ------
    BadInput
        Names the option.
    """
    if options.digits is not None:
        check_digits(options.digits)
    given = {"--percent": options.percent, "--transpose": options.transpose,
             "--rename": options.rename}  # fmt: skip
    used = next((option for option, value in given.items() if value), None)
    paper = [form.name for form in FORMS.values() if form.paper]
    if used is not None and not FORMS[options.format].paper:
        raise BadInput(f"{used} is for {', '.join(paper)}; {options.format} has full names "
                       "and precision")  # fmt: skip
    if used is not None and plain:
        raise BadInput(f"{used} is for tables of scores by system and measure, not for {plain}")
    for option in ("caption", "label"):
        if getattr(options, option) is not None and options.format != "latex":
            raise BadInput(f"--{option} is for --format latex")
    look_of(options)


def caption_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the caption and the label that were given, of any table."""
    return {"caption": options.caption, "label": options.label}


def digits_of(options: argparse.Namespace) -> int:
    """Return the decimals of tables that are not of scores."""
    return 4 if options.digits is None else int(options.digits)


def look_of(
    options: argparse.Namespace, systems: Iterable[str] = (), measures: Iterable[Measure] = ()
) -> dict[str, Any]:
    """Return the keywords of the methods that make tables.

    ``OLD=NEW`` is taken apart at the ``=`` before which stands a system or a measure, whose
    options have a ``=``, too.
    """
    from hierpair.evaluation.looks import Look

    look: dict[str, Any] = {"percent": options.percent, "transpose": options.transpose}
    look["rename"] = dict(_renamed(text, [*systems], [*measures]) for text in options.rename)
    look |= caption_of(options)
    Look(options.digits, **look)
    return look


def _renamed(text: str, systems: list[str], measures: list[Measure]) -> tuple[str, str]:
    parts = text.split("=")
    cuts = [("=".join(parts[:k]), "=".join(parts[k:])) for k in range(1, len(parts))]
    cuts = [(old, new.strip()) for old, new in cuts if old and new.strip()]
    if not cuts:
        raise BadInput(f"cannot read --rename {text!r}; write OLD=NEW")
    names = {*systems, *(m.name for m in measures)}
    known = [cut for cut in cuts if cut[0] in names]
    closed = [cut for cut in cuts if cut[0].count("(") == cut[0].count(")")]
    return (known or closed or cuts)[0]
