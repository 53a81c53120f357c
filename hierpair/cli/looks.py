"""How scores are shown: the table, its order and its looks; and scores that must be reached."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import hierpair as hp
from hierpair.cli.options import FACTS, Answer, Keywords, Options
from hierpair.errors import BadInput
from hierpair.tables.forms import FORMS
from hierpair.tables.records import Content

FACTS["--format text/markdown/latex/html"] = lambda o: o.format in FORMS and FORMS[o.format].paper

LOOK = """
{mark} table of scores{scores}
--percent          show measures that are shares of 1 in per cent
                   {{with --format text/markdown/latex/html}}
--transpose        measures as rows {{with --format text/markdown/latex/html}}
--rename OLD=NEW:pair*
                   another name for a system or measure (repeatable)
                   {{with --format text/markdown/latex/html}}
--signatures       all conventions of every measure below the table, not only those that differ
                   from the defaults {{with --format text}}
{mark} any table
--sort MEASURE     the best system by this measure first{rules}
--digits N:digits  decimals (default: 4, or 2 in per cent)
--caption TEXT     caption of a LaTeX table, plain text {{with --format latex}}
--label NAME       label of a LaTeX table {{with --format latex}}
"""

THRESHOLDS = """
{mark} thresholds{rules}
--fail-under MEASURE=X:threshold*
                         exit code 1 if a score is under X, where higher is better;
                         SYSTEM:MEASURE=X for one system (repeatable)
--fail-over MEASURE=X:threshold*
                         exit code 1 if a score is over X, where lower is better
"""


def draw(options: Options, display: Any, what: str, more: str = "") -> None:
    """Save a picture; of several functions of axes, one below the other."""
    from hierpair.plots.saving import stacked

    hp.plots.save_picture(
        stacked(display) if isinstance(display, list) else display, options.picture
    )
    options.say(f"drew {what} in {options.picture}{more}")


def look_of(options: Options) -> Keywords:
    """Return the keywords of the methods that make tables of scores."""
    return {"rename": dict(options.rename), **options.take("percent transpose caption label")}


def in_order(scores: hp.Scores, options: Options) -> hp.Scores:
    """Return scores with the systems in the order that was asked for; undefined ones are last."""
    if options.sort is None:
        return scores
    m = scores.measure_number(options.sort)
    order = (-scores.measures[m].sign * scores.values[:, m]).argsort(kind="stable")
    names = tuple(scores.systems[i] for i in order)
    return replace(scores, systems=names, values=scores.values[order])


def told(scores: hp.Scores, options: Options) -> Answer:
    """Return the table of scores, with notes on stderr, and whether one misses a threshold."""
    scores = in_order(scores, options)
    each = bool(options.per_instance)
    content = scores.content(options.digits, per_instance=each, **look_of(options))
    notes = [*scores.notes[1:], *scores.solver_notes]
    options.say(*(note for note in notes if not note.endswith(scores.doubts)))
    shown = content if each else shown_briefly(content, scores.measures, options)
    return Answer(shown, missed(scores, options))


def shown_briefly(content: Content, measures: Sequence[hp.Measure], options: Options) -> Content:
    """Return a content that as text has one line for the signatures of all measures."""
    if options.format != "text" or options.signatures:
        return content
    full = {m.signature for m in measures}
    whole = content.page(FORMS["text"])
    version = measures[0].signature.rpartition("|")[2]
    line = f"{', '.join(m.name for m in measures)}|{version} (all conventions: --signatures)"
    brief = replace(whole, signatures=[*(s for s in whole.signatures if s not in full), line])
    return replace(content, page=lambda form: brief)


def missed(scores: hp.Scores, options: Options) -> int:
    """Say which scores miss a threshold, and return the exit code; undefined ones do."""
    code, words = 0, ("--fail-under", "--fail-over")
    for word, given in zip(words, (options.fail_under, options.fail_over), strict=True):
        for only, name, bound, text in given:
            m = scores.measures[scores.measure_number(name)]
            right = words[m.sign < 0]
            if word != right:
                raise BadInput(f"{word} {text}: {m.definition.direction} values of {m.name} are "
                               f"better; write {right} {text}")  # fmt: skip
            for system in scores.systems if only is None else [only]:
                value = scores[system, m.name]
                if not m.sign * value >= m.sign * bound:
                    said = "undefined and misses" if math.isnan(value) else right[7:]
                    bar = text.rpartition("=")[2]
                    options.say(f"{system}: {m.name} = {value:.6g} is {said} {bar}")
                    code = 1
    return code
