"""How scores are shown: the table, its order and its looks; and scores that must be reached."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hierpair.cli.options import FACTS, Fact
from hierpair.cli.output import say
from hierpair.errors import BadInput, unknown
from hierpair.tables.forms import FORMS, show

if TYPE_CHECKING:
    from hierpair.evaluation.scores import Scores
    from hierpair.measures import Measure
    from hierpair.tables.records import Content, Form, Page

FACTS["tables to read"] = Fact(
    lambda o: o.format in FORMS and FORMS[o.format].paper,
    "text, markdown, latex and html; the others have full names and precision",
)

LOOK = """
{mark} table of scores{rules}
--sort MEASURE     the best system by this measure first
--percent          multiply measures that are shares of 1 by 100 {{with tables to read}}
--transpose        measures as rows {{with tables to read}}
--rename OLD=NEW*  another name for a system or measure (repeatable) {{with tables to read}}
--signatures       all conventions of every measure below the table, not only those that differ
                   from the defaults {{with --format text}}
{mark} any table
--digits N:digits  decimals (default: 4; of values in per cent 2)
--caption TEXT     caption of a LaTeX table, plain text {{with --format latex}}
--label NAME       label of a LaTeX table {{with --format latex}}
"""

THRESHOLDS = """
{mark} thresholds{rules} | exit code 1 if a system misses one
--fail-under MEASURE=X*  a score under X fails, where higher is better; NAME:MEASURE=X for one
                         system (repeatable)
--fail-over MEASURE=X*   a score over X fails, where lower is better
"""

MISSED = 1
"""Exit code when a score misses a threshold."""


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

    names = {*systems, *(m.name for m in measures)}
    renamed = dict(_renamed(text, names) for text in options.rename)
    look = {"percent": options.percent, "transpose": options.transpose, "rename": renamed}
    look |= caption_of(options)
    Look(options.digits, **look)
    return look


def _renamed(text: str, names: set[str]) -> tuple[str, str]:
    parts = text.split("=")
    cuts = [("=".join(parts[:k]), "=".join(parts[k:])) for k in range(1, len(parts))]
    cuts = [(old, new.strip()) for old, new in cuts if old and new.strip()]
    if not cuts:
        raise BadInput(f"cannot read --rename {text!r}; write OLD=NEW")
    known = [cut for cut in cuts if cut[0] in names]
    closed = [cut for cut in cuts if cut[0].count("(") == cut[0].count(")")]
    return (known or closed or cuts)[0]


def in_order(scores: Scores, options: argparse.Namespace) -> Scores:
    """Return scores with the systems in the order that was asked for; undefined ones are last."""
    if options.sort is None:
        return scores
    m = scores.measure_number(options.sort)
    sign = -1 if scores.measures[m].higher_is_better else 1
    column = [sign * float(value) for value in scores.values[:, m]]
    order = sorted(range(len(column)), key=lambda i: (math.isnan(column[i]), column[i]))
    names = tuple(scores.systems[i] for i in order)
    part = scores.partial
    if part is not None:  # which holds its systems by place, too
        part = replace(part, systems=names, sums=tuple(part.sums[i] for i in order))
    return replace(scores, systems=names, values=scores.values[order], partial=part)


def told(
    scores: Scores,
    options: argparse.Namespace,
    *,
    per_instance: bool = False,
    known: tuple[str, ...] = (),
) -> str:
    """Return the table of scores, with notes on stderr, but for those that are known already."""
    scores = in_order(scores, options)
    how = look_of(options, scores.systems, scores.measures)
    content = scores.content(options.digits, per_instance=per_instance,
                             grouped="all" in getattr(options, "measures", ()), **how)  # fmt: skip
    shown = shown_briefly(content, () if per_instance else scores.measures, options)
    for note in [*scores.notes[1:], *scores.hard_solver_notes]:
        if not note.endswith((*known, *scores.doubts)):  # told while the files were read
            say(options, note)
    return shown


def shown_briefly(
    content: Content, measures: Sequence[Measure], options: argparse.Namespace
) -> str:
    """Return a content in its form; as text with one line for the signatures of all measures."""
    if options.format != "text" or options.signatures or not measures:
        return show(content, options.format)
    full = {m.signature for m in measures}

    def page(form: Form) -> Page:
        whole = content.page(form)
        version = measures[0].signature.rpartition("|")[2]
        line = f"{', '.join(m.name for m in measures)}|{version} (all conventions: --signatures)"
        others = [text for text in whole.signatures if text not in full]
        return replace(whole, signatures=[*others, line])

    return show(replace(content, page=page), options.format)


# ------------------------------------------------------------------------------- thresholds


@dataclass(frozen=True)
class Threshold:
    """A score that a system (or every system, None) must reach."""

    system: str | None
    measure: int
    bound: float
    text: str


def thresholds_of(
    options: argparse.Namespace, measures: Sequence[Measure], systems: Sequence[str]
) -> list[Threshold]:
    """Return the thresholds, or refuse those that cannot be meant.

    Raises
    ------
    BadInput
        For a measure that is not scored, an unknown system, a bound that is no number, or one on
        the wrong side.
    """
    given = [(text, True) for text in options.fail_under]
    given += [(text, False) for text in options.fail_over]
    return [_threshold(text, measures, systems, upwards=upwards) for text, upwards in given]


def _threshold(
    text: str, measures: Sequence[Measure], systems: Sequence[str], *, upwards: bool
) -> Threshold:
    from hierpair.evaluation.looks import number_of

    word, other = ("--fail-under", "--fail-over")[:: 1 if upwards else -1]
    name, equals, value = text.rpartition("=")
    if not equals or not name:
        raise BadInput(f"cannot read {word} {text!r}; write MEASURE=X")
    before, colon, after = name.partition(":")
    of_one = bool(colon) and "(" not in before
    if of_one and before not in systems:
        raise unknown("system", before, systems, word)
    k = number_of(after if of_one else name, measures, "scored")
    m = measures[k]
    if m.higher_is_better != upwards:
        better = "lower" if upwards else "higher"
        raise BadInput(
            f"{word} {text}: of {m.name}, {better} values are better; write {other} {text}"
        )
    try:
        bound = float(value)
    except ValueError:
        bound = math.nan
    if not math.isfinite(bound):
        raise BadInput(f"{word} {text}: the threshold must be a number, got {value!r}")
    return Threshold(before if of_one else None, k, bound, value)


def missed(scores: Scores, thresholds: Sequence[Threshold], options: argparse.Namespace) -> int:
    """Say which scores miss a threshold, and return the exit code; undefined ones do."""
    code = 0
    for t in thresholds:
        m = scores.measures[t.measure]
        for system in scores.systems if t.system is None else [t.system]:
            value = float(scores.values[scores.systems.index(system), t.measure])
            if value >= t.bound if m.higher_is_better else value <= t.bound:
                continue
            side, reach = ("under", "least") if m.higher_is_better else ("over", "most")
            how = f"is undefined, not at {reach}" if math.isnan(value) else f"is {side}"
            say(options, f"{system}: {m.name} = {value:.6g} {how} {t.text}")
            code = MISSED
    return code
