"""How scores are shown: the table, its order and its looks; and scores that must be reached."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hierpair.cli.options import FACTS, Options
from hierpair.errors import BadInput, unknown
from hierpair.tables.forms import FORMS, show
from hierpair.tables.records import listing
from hierpair.tables.text import terminal_width, wrapped_table

if TYPE_CHECKING:
    from hierpair.evaluation.scores import Scores
    from hierpair.measures import Measure
    from hierpair.tables.records import Content

FACTS["tables to read (text/markdown/latex/html)"] = lambda o: (
    o.format in FORMS and FORMS[o.format].paper
)

LOOK = """
{mark} table of scores{rules}
--sort MEASURE     the best system by this measure first
--percent          multiply measures that are shares of 1 by 100
                   {{with tables to read (text/markdown/latex/html)}}
--transpose        measures as rows {{with tables to read (text/markdown/latex/html)}}
--rename OLD=NEW:pair*
                   another name for a system or measure (repeatable)
                   {{with tables to read (text/markdown/latex/html)}}
--signatures       all conventions of every measure below the table, not only those that differ
                   from the defaults {{with --format text}}
{mark} any table
--digits N:digits  decimals (default: 4; of values in per cent 2)
--caption TEXT     caption of a LaTeX table, plain text {{with --format latex}}
--label NAME       label of a LaTeX table {{with --format latex}}
"""

THRESHOLDS = """
{mark} thresholds{rules} | exit code 1 if a system misses one
--fail-under MEASURE=X:threshold*
                         a score under X fails, where higher is better; NAME:MEASURE=X for one
                         system (repeatable)
--fail-over MEASURE=X:threshold*
                         a score over X fails, where lower is better
"""

MISSED = 1
"""Exit code when a score misses a threshold."""


def draw(options: Options, display: Any, what: str, more: str = "") -> None:
    """Save a picture; of several functions of axes, one below the other."""
    from hierpair.plots import save_picture
    from hierpair.plots.saving import stacked

    shown = stacked(display) if isinstance(display, list) else display
    save_picture(shown, options.picture or options.show)
    options.say(f"drew {what} in {options.picture or options.show}{more}")


def list_shown(options: Options, header: list[str], rows: list[list[str]]) -> str:
    """Return a list of texts, as text as wide as the terminal."""
    if options.format == "text":
        return wrapped_table(header, rows, "l" * len(header), terminal_width())
    return show(listing(header, rows), options.format)


def digits_of(options: Options) -> int:
    """Return the decimals of tables that are not of scores."""
    return 4 if options.digits is None else int(options.digits)


def look_of(options: Options) -> dict[str, Any]:
    """Return the keywords of the methods that make tables."""
    from hierpair.evaluation.looks import Look

    look = {"rename": dict(options.rename), **options.take("percent transpose caption label")}
    Look(options.digits, **look)
    return look


def in_order(scores: Scores, options: Options) -> Scores:
    """Return scores with the systems in the order that was asked for; undefined ones are last."""
    if options.sort is None:
        return scores
    m = scores.measure_number(options.sort)
    column = scores.values[:, m] * (-1 if scores.measures[m].higher_is_better else 1)
    order = column.argsort(kind="stable")
    names = tuple(scores.systems[i] for i in order)
    part = scores.partial
    if part is not None:  # which holds its systems by place, too
        part = replace(part, systems=names, sums=tuple(part.sums[i] for i in order))
    return replace(scores, systems=names, values=scores.values[order], partial=part)


def told(scores: Scores, options: Options, known: tuple[str, ...] = ()) -> str:
    """Return the table of scores, with notes on stderr, but for those that are known already."""
    scores = in_order(scores, options)
    each = bool(options.per_instance)
    content = scores.content(options.digits, per_instance=each, **look_of(options))
    shown = shown_briefly(content, () if each else scores.measures, options)
    for note in [*scores.notes[1:], *scores.hard_solver_notes]:
        if not note.endswith((*known, *scores.doubts)):  # told while the files were read
            options.say(note)
    return shown


def shown_briefly(content: Content, measures: Sequence[Measure], options: Options) -> str:
    """Return a content in its form; as text with one line for the signatures of all measures."""
    if options.format != "text" or options.signatures or not measures:
        return show(content, options.format)
    full = {m.signature for m in measures}
    whole = content.page(FORMS["text"])
    version = measures[0].signature.rpartition("|")[2]
    line = f"{', '.join(m.name for m in measures)}|{version} (all conventions: --signatures)"
    brief = replace(whole, signatures=[*(s for s in whole.signatures if s not in full), line])
    return show(replace(content, page=lambda form: brief), "text")


# ------------------------------------------------------------------------------- thresholds


Threshold = tuple[str | None, int, float, str]
"""A system (or every one, None), the number of a measure, what it must reach, and how typed."""


def thresholds_of(
    options: Options, measures: Sequence[Measure], systems: Sequence[str]
) -> list[Threshold]:
    """Return the thresholds, or refuse those that cannot be meant.

    Raises
    ------
    BadInput
        For a measure that is not scored, an unknown system, or a bound on the wrong side.
    """
    from hierpair.evaluation.looks import number_of

    found = []
    words = ("--fail-over", "--fail-under")
    given = [(words[1], x) for x in options.fail_under] + [(words[0], x) for x in options.fail_over]
    for word, (system, name, bound, text) in given:
        if system is not None and system not in systems:
            raise unknown("system", system, systems, word)
        k = number_of(name, measures, "scored")
        m = measures[k]
        right = words[m.higher_is_better]
        if word != right:
            better = "higher" if m.higher_is_better else "lower"
            raise BadInput(
                f"{word} {text}: of {m.name}, {better} values are better; write {right} {text}"
            )
        found.append((system, k, bound, text.rpartition("=")[2]))
    return found


def missed(scores: Scores, thresholds: Sequence[Threshold], options: Options) -> int:
    """Say which scores miss a threshold, and return the exit code; undefined ones do."""
    code = 0
    for only, k, bound, text in thresholds:
        m = scores.measures[k]
        side, reach = ("under", "least") if m.higher_is_better else ("over", "most")
        for system in scores.systems if only is None else [only]:
            value = float(scores.values[scores.systems.index(system), k])
            if value < bound if m.higher_is_better else value > bound:
                options.say(f"{system}: {m.name} = {value:.6g} is {side} {text}")
            elif math.isnan(value):
                options.say(f"{system}: {m.name} = nan is undefined, not at {reach} {text}")
            else:
                continue
            code = MISSED
    return code
