"""``hierpair compare``: which systems differ, how sure that is, and sensitivity to conventions."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from hierpair.cli.about_measures import (
    VIEWS,
    about_measures,
    asks_about_measures,
    check_about_measures,
    drawn,
)
from hierpair.cli.conventions import (
    asked_measures,
    conventions_of,
)
from hierpair.cli.looks import LOOK, caption_of, check_look, digits_of, look_of
from hierpair.cli.parser import Outcome, Verb, say, say_last
from hierpair.cli.partial_files import are_partials
from hierpair.cli.pictures import check_picture
from hierpair.cli.progress import Meter
from hierpair.cli.reading import (
    HIERARCHY,
    LABELS,
    Inputs,
    read_inputs,
)
from hierpair.cli.score import CHOSEN, SCORING, scoring_of
from hierpair.cli.statistics import STATISTICS, runs_of, statistics_of
from hierpair.cli.thresholds import THRESHOLDS, Threshold, missed, thresholds_of
from hierpair.errors import BadInput

if TYPE_CHECKING:
    from hierpair.comparison import Comparison
    from hierpair.evaluation.scores import Scores
    from hierpair.measures import Measure

__all__ = ["VERB"]

OPTIONS = f"""
FILE…                     hierarchy, truth, and a file or NAME=FILE per system; or what hierpair
                          partial --blocks wrote, for all systems or some of them
--picture FILE            draw the comparison under every measure as .svg, .pdf or .png (extra
                          plot)
--view {{ranks,intervals,significance,agreement,clusters,power,depth}}
                          what the picture shows [default: ranks]
--of {{instances,systems}}  with --agreement: on the values of instances and the decisions between
                          two systems, or on the order of systems with all that stands beside it
--sizes N,N,…             with --power: numbers of instances (default: 25, 50, 100 …)
--top K:int               rows of each kind that --differ shows [default: 10]
{STATISTICS}
# other questions | one of
--pairs                   all pairs: difference, interval, wins, effect, p
--agreement [NAME=kendall_b]
                          how measures agree: kendall_b, kendall_a or spearman
--power                   discriminative power: share of pairs that differ, also on fewer instances
--sensitivity             which conclusions depend on root, average, Dmax, threshold or pairing
--vary OPTION=VALUE,VALUE*
                          the same for conventions of your choice (repeatable)
--differ SYSTEM,SYSTEM    where two systems differ: instances, classes, subtrees
--fail-if-worse SYSTEM,SYSTEM
                          exit code 1 if the first is significantly worse than the second under any
                          measure
"""


def run(options: argparse.Namespace) -> str | Outcome:
    """Compare, draw if asked, and say on stderr what was compared."""
    from hierpair.comparison.statistics.tests_by_name import Plan

    check_look(options, plain=_plain(options))
    plan = Plan(**statistics_of(options))
    for option in ("--differ", "--fail-if-worse"):
        given = getattr(options, option[2:].replace("-", "_"))
        if given is not None:
            _two(given, option)
    check_picture(options, default_view="ranks")
    check_about_measures(options)
    if are_partials(options.files):
        return _of_partials(options)
    with Meter(options.quiet) as meter:
        scored = asked_measures(options, of_scores="sums")[0].of_scores or None
        inputs = read_inputs(options, meter, scored=scored)
        if len(inputs.systems) < 2:
            only = ", ".join(inputs.systems)
            raise BadInput(f"comparing needs at least two systems, and there is only {only}")
        if not inputs.paired:
            _check_unpaired(options)
        return _answer(options, inputs, meter, plan.test)


def _answer(
    options: argparse.Namespace, inputs: Inputs, meter: Meter, test: str | None
) -> str | Outcome:
    thresholds = _thresholds(options, asked_measures(options), list(inputs.systems))
    if options.sensitivity or options.vary:
        from hierpair.comparison import sensitivity

        if options.picture is not None or options.runs:
            raise BadInput("--sensitivity and --vary go without --picture and --runs")
        found = sensitivity(
            inputs.hierarchy, inputs.truth, inputs.systems, asked_measures(options),
            vary=_varied(options.vary) or None, test=test if inputs.paired else None,
            comparing={k: v for k, v in statistics_of(options).items() if k != "test"},
            **scoring_of(options, inputs, meter),
        )  # fmt: skip
        return found.to_table(options.format, digits_of(options), **caption_of(options))
    from hierpair.evaluation.scoring import score

    scores = score(
        inputs.hierarchy, inputs.truth, inputs.systems, options.measures or None,
        keep_classes=True, **scoring_of(options, inputs, meter), **conventions_of(options),
    )  # fmt: skip
    say_last(options, f"scored on a {inputs.hierarchy.describe()}")
    return _told(options, scores, thresholds, inputs, grouped=not options.measures)


def _of_partials(options: argparse.Namespace) -> str | Outcome:
    """Compare what partials keep by block, or say what needs labels."""
    from hierpair.cli.partial_files import asked_of, beside_each_other, how_many, refuse_unused
    from hierpair.evaluation.checked import default_measures

    drawn = options.picture is not None and options.view == "depth"
    plain = "--view depth" if drawn else _plain(options)
    if plain not in ("", "--agreement"):
        raise BadInput(
            f"{plain} needs labels and values of instances, and a partial has sums; give the "
            "hierarchy, the truth and the files of labels"
        )
    refuse_unused(
        options, SCORING + CHOSEN + HIERARCHY + LABELS, ["--jobs", "--config", "--measures"]
    )
    total = beside_each_other(options.files)
    scores = asked_of(options, total.scores())
    thresholds = _thresholds(options, scores.measures, scores.systems)
    say_last(options, f"{how_many(options.files, total)}, scored on a {total.hierarchy}")
    grouped = [m.definition.name for m in scores.measures] == default_measures()
    return _told(options, scores, thresholds, None, grouped=grouped)


def _thresholds(
    options: argparse.Namespace, measures: Sequence[Measure], systems: Sequence[str]
) -> list[Threshold]:
    thresholds = thresholds_of(options, measures, systems)
    if thresholds and _plain(options):
        raise BadInput(f"--fail-under and --fail-over go without {_plain(options)}")
    return thresholds


def _told(
    options: argparse.Namespace,
    scores: Scores,
    thresholds: Sequence[Threshold],
    inputs: Inputs | None,
    *,
    grouped: bool,
) -> str | Outcome:
    """Return the answer about scores; of those of partials there are no inputs."""
    fmt = options.format
    compared = None
    if _needs_tests(options):
        from hierpair.comparison import compare

        with Meter(options.quiet) as meter:
            compared = compare(
                scores,
                runs=runs_of(options.runs) or None,
                n_jobs=options.jobs,
                on_progress=partial(meter.show, unit="steps"),
                **statistics_of(options),
            )
        for line in compared.left_out:
            if options.fail_if_worse is not None:
                raise BadInput(f"--fail-if-worse: {line}; or name the other measures with -m")
            say(options, line)
    found: dict[str, Any] = {}
    if options.picture is not None:
        _draw(options, inputs, scores, compared, found)
    if asks_about_measures(options):
        return about_measures(options, scores, found)
    if options.differ is not None and inputs is not None:
        return _where(options, inputs, scores)
    if compared is None:
        raise BadInput("the instances of this case are not the same objects for all systems")
    look = look_of(options, compared.systems, compared.measures)
    content = compared.to_table(fmt, options.digits, pairs=options.pairs, grouped=grouped, **look)
    worse = options.fail_if_worse is not None and _worse(compared, options)
    failed = missed(scores if inputs is None else compared.scores, thresholds, options)
    return Outcome(content, 1 if worse or failed else 0)


def _plain(options: argparse.Namespace) -> str:
    """Return the question whose answer is not a table of scores by system and measure."""
    asked = {"--agreement": options.agreement is not None, "--differ": options.differ is not None,
             "--power": options.power, "--sensitivity": options.sensitivity,
             "--vary": bool(options.vary)}  # fmt: skip
    return next((option for option, given in asked.items() if given), "")


def _needs_tests(options: argparse.Namespace) -> bool:
    asked = asks_about_measures(options) or options.differ is not None
    pictured = options.picture is not None and options.view not in (*VIEWS, "depth")
    return pictured or not asked


def _check_unpaired(options: argparse.Namespace) -> None:
    """Refuse what compares instances, where they are other objects for every system."""
    of_scores = options.agreement is not None and not options.of
    asked = of_scores or options.sensitivity or options.vary
    if not asked or (options.picture is not None and options.view != "agreement"):
        raise BadInput(
            f"the instances of case {options.case!r} are not the same objects for all systems, so "
            "they cannot be compared one by one; --agreement, --sensitivity and hierpair score "
            "need only the scores"
        )
    if options.on_infeasible != "raise":
        raise BadInput(
            f"the instances of case {options.case!r} are not the same objects for all systems, so "
            "none can be left out for all of them; leave --on-infeasible out"
        )


def _varied(given: list[str]) -> dict[str, list[Any]]:
    from hierpair.measures.measure_text import literal

    varied: dict[str, list[Any]] = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not equals or not name or not values:
            raise BadInput(f"cannot read {text!r}; write OPTION=VALUE,VALUE")
        listed = re.split(r",(?![^()]*\))", values)  # not at the commas of decayed(w0=1,depth=max)
        varied.setdefault(name.replace("-", "_"), []).extend(map(literal, listed))
    return varied


def _two(given: str, option: str) -> list[str]:
    names = given.split(",")
    if len(names) != 2:
        raise BadInput(f"{option} takes two systems, SYSTEM,SYSTEM, got {given!r}")
    if names[0] == names[1]:
        raise BadInput(f"{option} takes two different systems, and both are {names[0]!r}")
    return names


def _where(options: argparse.Namespace, inputs: Inputs, scores: Scores) -> str:
    """Show where two systems differ, and how to go on."""
    from hierpair.comparison import differ

    one, other = _two(options.differ, "--differ")
    found = differ(scores, one, other, inputs.hierarchy, inputs.truth, k=options.top)
    for note in found.first_only:
        say(options, note)
    first = next(iter((*found.ahead, *found.behind)), None)
    if first is not None:
        say(options, f"why: hierpair explain … --instance {first.name} -m '{found.measure.name}'")
    return found.to_table(options.format, digits_of(options), **caption_of(options))


def _worse(compared: Comparison, options: argparse.Namespace) -> bool:
    new, old = map(compared.system_number, _two(options.fail_if_worse, "--fail-if-worse"))
    worse = (compared.upwards[new] < compared.upwards[old]) & compared.significant[:, new, old]
    for k, m in enumerate(compared.measures):
        if worse[k]:
            say(options, f"{compared.systems[new]} is significantly worse than "
                f"{compared.systems[old]} under {m.name}")  # fmt: skip
    return bool(worse.any())


def _draw(
    options: argparse.Namespace,
    inputs: Inputs | None,
    scores: Scores,
    compared: Comparison | None,
    about: dict[str, Any],
) -> None:
    """Draw the view that was asked for, once for each measure where it is of one measure."""
    from hierpair import plots
    from hierpair.plots.saving import stacked

    draw: list[Any] = []
    names = look_of(options, scores.systems, scores.measures)["rename"]

    def shown(systems: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(names.get(name, name) for name in systems)

    if options.view in VIEWS:
        draw = [drawn(options, scores, about)]
    elif options.view == "depth" and inputs is not None:
        from hierpair.comparison import by_depth

        for m in scores.measures:
            depths = by_depth(scores, inputs.hierarchy, inputs.truth, measure=m)
            depths = replace(depths, systems=shown(depths.systems))
            draw.append(partial(_drawn, plots.DepthDisplay.from_depths, depths))
    else:
        assert compared is not None  # these views need tests
        kinds: dict[str, Any] = {
            "ranks": plots.RankDisplay,
            "intervals": plots.IntervalDisplay,
            "significance": plots.SignificanceDisplay,
        }
        renamed = replace(compared, systems=shown(compared.systems))
        draw = [
            partial(_drawn, kinds[options.view].from_comparison, renamed, m)
            for m in compared.measures
        ]
    plots.save_picture(stacked(draw), options.picture)
    each = f", one for each of {len(draw)} measures" if len(draw) > 1 else ""
    say(options, f"drew {options.view} in {options.picture}{each}")


def _drawn(make: Any, *about: Any) -> Any:
    """Return a display on the axes that come last."""
    *about_it, axes = about
    return make(*about_it, ax=axes)


VERB = Verb(
    "compare",
    "compare systems: intervals, ranks, tests",
    "Compare two or more systems: hierpair compare HIERARCHY TRUTH PREDICTIONS "
    "PREDICTIONS …. Scores with confidence intervals and ranks, equal where no significant "
    "difference is found; or how measures agree, what depends on conventions, where two systems "
    "differ.",
    SCORING + CHOSEN + OPTIONS + HIERARCHY + LABELS + THRESHOLDS + LOOK,
    run,
    has_measures=True,
)
