"""``hierpair compare``: which systems differ, how sure that is, and sensitivity to conventions."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from hierpair.cli.looks import (
    LOOK,
    THRESHOLDS,
    caption_of,
    digits_of,
    in_order,
    look_of,
    missed,
    shown_briefly,
    thresholds_of,
)
from hierpair.cli.options import Outcome, Verb
from hierpair.cli.output import Meter, say, say_last
from hierpair.cli.partials import partial_scores
from hierpair.cli.reading import READING, Inputs, are_partials, asked_measures, read_inputs
from hierpair.cli.score import CHOSEN, SCORING, scoring_of
from hierpair.errors import BadInput

if TYPE_CHECKING:
    from hierpair.evaluation.scores import Scores

STATISTICS = """\
# statistics
--test TEST               permutation, bootstrap, sign, sign_normal, wilcoxon, t, or runs
                          [default: permutation]
--correction NAME         holm, bonferroni, bh or none [default: holm]
--alpha A:float           level of significance [default: 0.05]
--level L:float           level of the confidence intervals [default: 0.95]
--seed N:int              seed of the random numbers [default: 0]
--runs SYSTEM=RUN,…*      files that are runs of one system (once per system)
## more statistics
--family NAME             what is corrected together: all pairs of one measure, or all
                          [default: measure]
--interval NAME           percentile or bca [default: percentile]
--effect NAME             rank_biserial or cliffs_delta [default: rank_biserial]
--permutations N:int      random exchanges (default: 10000, more for many systems)
--bootstrap N:int         resamples [default: 2000]
"""
"""Tests, intervals, random numbers and runs."""

FILES = """
FILE…                     hierarchy, truth, and a file or NAME=FILE per system; or what hierpair
                          partial --blocks wrote, for all systems or some of them
"""

OPTIONS = """
# other questions | one of
--pairs                   all pairs: difference, interval, wins, effect, p
--agreement [NAME=kendall_b]
                          how measures agree: kendall_b, kendall_a or spearman
--power                   discriminative power: share of pairs that differ, also on fewer instances
                          {with labels}
--sensitivity             which conclusions depend on root, average, Dmax, threshold or pairing
                          {with labels; without --vary, --picture, --runs}
--vary NAME=VALUE,…*      the same for conventions of your choice (repeatable) {with labels;
                          without --picture, --runs}
--differ A,B              where two systems differ: instances, classes, subtrees {with labels}
--fail-if-worse A,B       exit code 1 if the first is significantly worse under any measure
## about the questions
--of {instances,systems}  agreement on the values of instances and the decisions between two
                          systems, or on the order of systems {with --agreement or --view clusters}
--sizes N,N,…             numbers of instances (default: 25, 50, 100 …) {with --power or --view
                          power}
--top K:int               rows of each kind [default: 10] {with --differ}
--baseline SYSTEM         test every system against this one alone, not all pairs {without
                          --picture, --fail-if-worse, --agreement, --power, --sensitivity, --vary,
                          --differ}
--intervals               in LaTeX the table of intervals, too, which other forms have {with
                          --format latex; without --agreement, --power, --sensitivity, --vary,
                          --differ}
# pictures
--picture FILE            draw the comparison under every measure as .svg, .pdf or .png (extra
                          plot)
--view {ranks,intervals,significance,agreement,clusters,power,depth}
                          what is drawn (default: ranks; in VIEW.svg)
"""

NO_TABLE = " {without --agreement, --power, --sensitivity, --vary, --differ}"
"""Questions whose answer is not a table of scores by system and measure."""


def statistics_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the keywords of ``compare`` that say how.

    Raises
    ------
    BadInput
        For a test, a level or a number that there cannot be.
    """
    from hierpair.comparison.statistics import Plan

    names = ("test", "correction", "family", "alpha", "level", "interval", "effect", "seed")
    chosen = {name: getattr(options, name) for name in names}
    chosen |= {"n_permutations": options.permutations, "n_bootstrap": options.bootstrap}
    Plan(**chosen)
    return chosen


def runs_of(given: list[str]) -> dict[str, list[str]] | None:
    """Return the runs of every system that has several."""
    runs: dict[str, list[str]] = {}
    for text in given:
        name, equals, named = text.partition("=")
        if not equals or not name:
            raise BadInput(f"cannot read the runs {text!r}; write SYSTEM=RUN,RUN once per system")
        if name in runs:
            raise BadInput(
                f"--runs: {name!r} is named twice; name all its runs at once ({name}=RUN,RUN)"
            )
        runs[name] = named.split(",")
    return runs or None


class Asked:
    """One run: what it reads and computes, each when an answer or a picture first needs it."""

    def __init__(self, options: argparse.Namespace, meter: Meter) -> None:
        self.options, self.meter = options, meter
        self.of_partials = are_partials(options)
        self.kind = options.view or "ranks"
        self.how = statistics_of(options)
        self.runs = runs_of(options.runs)

    @cached_property
    def inputs(self) -> Inputs:
        """What was read, of at least two systems."""
        if self.of_partials:
            raise BadInput(f"--view {self.kind} goes with labels, and a partial has sums")
        scored = asked_measures(self.options, of_scores="sums")[0].of_scores or None
        found = read_inputs(self.options, self.meter, scored=scored)
        if len(found.systems) < 2:
            only = ", ".join(found.systems)
            raise BadInput(f"comparing needs at least two systems, and there is only {only}")
        return found

    @cached_property
    def scores(self) -> Scores:
        """The scores of files, or those of partials."""
        from hierpair.evaluation.scoring import score

        o = self.options
        if self.of_partials:
            return in_order(partial_scores(o)[0], o)
        measures = asked_measures(o, of_scores="sums")
        thresholds_of(o, measures, list(self.inputs.systems))
        found = score(
            self.inputs.hierarchy, self.inputs.truth, self.inputs.systems, measures,
            keep_classes=True, **scoring_of(o, self.inputs, self.meter),
        )  # fmt: skip
        say_last(o, f"scored on a {self.inputs.hierarchy.describe()}")
        return in_order(found, o)

    @cached_property
    def paired(self) -> Scores:
        """The scores, whose instances are the same objects for all systems."""
        if not self.of_partials and not self.inputs.paired:
            raise BadInput(
                f"the instances of case {self.options.case!r} are not the same objects for all "
                "systems, so they cannot be compared one by one; --agreement, --sensitivity and "
                "hierpair score need only the scores"
            )
        return self.scores

    @cached_property
    def compared(self) -> Any:
        """The comparison by tests; what it leaves out is said, or an error if it was asked for."""
        from hierpair.comparison import compare

        steps = partial(self.meter.show, unit="steps")
        found = compare(
            self.paired, runs=self.runs, baseline=self.options.baseline,
            n_jobs=self.options.jobs, on_progress=steps, **self.how,
        )  # fmt: skip
        for line in found.left_out:
            if self.options.fail_if_worse is not None:
                raise BadInput(f"--fail-if-worse: {line}; or name the other measures with -m")
            say(self.options, line)
        return found

    @cached_property
    def discriminated(self) -> Any:
        """The discriminative power of the measures."""
        from hierpair.comparison import discrimination

        o = self.options
        more: dict[str, Any] = {"sizes": _sizes(o.sizes)} if o.sizes else {}
        if o.permutations is not None:
            more["n_permutations"] = o.permutations
        return discrimination(self.paired, n_bootstrap=o.bootstrap, n_jobs=o.jobs, alpha=o.alpha,
                              level=o.level, seed=o.seed, **more)  # fmt: skip

    def agreed(self, of: str, n_bootstrap: int = 0) -> Any:
        """Return how measures agree."""
        from hierpair.comparison import agreement

        o = self.options
        how: Any = {"of": of, "n_bootstrap": n_bootstrap}
        how |= {"level": o.level, "seed": o.seed, "n_jobs": o.jobs}
        return agreement(self.paired if o.of else self.scores, o.agreement or "kendall_b", **how)

    # ---------------------------------------------------------------- answers

    def agreement(self) -> str:
        """Answer how measures agree; with intervals where it was said of what."""
        o = self.options
        found = self.agreed(o.of or "systems", o.bootstrap if o.of else 0)
        pairs: dict[str, Any] = {"pairs": True} if o.of == "systems" else {}
        digits = min(digits_of(o), 3)
        return str(found.to_table(o.format, digits, **pairs, **caption_of(o)))

    def power(self) -> str:
        """Answer which measures tell systems apart."""
        o = self.options
        return str(self.discriminated.to_table(o.format, o.digits, **caption_of(o)))

    def sensitivity(self) -> str:
        """Answer which conclusions depend on conventions."""
        from hierpair.comparison import sensitivity

        o, i = self.options, self.inputs
        how = dict(self.how)
        test = how.pop("test") if i.paired else None
        found = sensitivity(
            i.hierarchy, i.truth, i.systems, asked_measures(o), vary=_varied(o.vary) or None,
            test=test, comparing={k: v for k, v in how.items() if k != "test"},
            **scoring_of(o, i, self.meter),
        )  # fmt: skip
        return found.to_table(o.format, digits_of(o), **caption_of(o))

    def differ(self) -> str:
        """Answer where two systems differ, and say how to go on."""
        from hierpair.comparison import differ

        o = self.options
        one, other = _two(o.differ, "--differ")
        found = differ(self.paired, one, other, self.inputs.hierarchy, self.inputs.truth, k=o.top)
        for note in found.first_only:
            say(o, note)
        for first in (*found.ahead, *found.behind)[:1]:
            say(o, f"why: hierpair explain … --instance {first.name} -m '{found.measure.name}'")
        return found.to_table(o.format, digits_of(o), **caption_of(o))

    def table(self) -> Outcome:
        """Answer with scores, intervals and ranks, or with all pairs."""
        o = self.options
        thresholds = thresholds_of(o, self.scores.measures, self.scores.systems)
        found = self.compared
        look = look_of(o, found.systems, found.measures)
        content = found.content(o.digits, pairs=o.pairs, intervals=o.intervals or None, **look)
        worse = o.fail_if_worse is not None and self.is_worse(found)
        scores = self.scores if self.of_partials else found.scores
        failed = missed(scores, thresholds, o)
        return Outcome(shown_briefly(content, found.measures, o), 1 if worse else failed)

    def is_worse(self, found: Any) -> bool:
        """Say under which measures the first system is significantly worse than the second."""
        o = self.options
        new, old = map(found.system_number, _two(o.fail_if_worse, "--fail-if-worse"))
        worse = (found.upwards[new] < found.upwards[old]) & found.significant[:, new, old]
        for m in (m for m, is_worse in zip(found.measures, worse, strict=True) if is_worse):
            names = found.systems[new], found.systems[old]
            say(o, f"{names[0]} is significantly worse than {names[1]} under {m.name}")
        return bool(worse.any())

    # ---------------------------------------------------------------- pictures

    def view(self) -> list[Callable[[Any], Any]]:
        """Return what draws the view that is asked for, once for each measure if it is of one."""
        from hierpair import comparison, plots

        view = self.kind
        whole: dict[str, Callable[[], tuple[Any, Any]]] = {
            "agreement": lambda: (plots.AgreementDisplay.from_agreement, self.agreed("systems")),
            "clusters": lambda: (plots.DendrogramDisplay.from_clusters,
                                 self.agreed(self.options.of or "instances").clusters()),
            "power": lambda: (plots.PowerDisplay.from_discrimination, self.discriminated),
        }  # fmt: skip
        if view in whole:
            return [partial(_drawn, *whole[view]())]
        names = look_of(self.options, self.scores.systems, self.scores.measures)["rename"]

        def renamed(found: Any) -> Any:
            return replace(found, systems=tuple(names.get(name, name) for name in found.systems))

        if view == "depth":
            i = self.inputs
            by_depth = (comparison.by_depth(self.scores, i.hierarchy, i.truth, measure=m)
                        for m in self.scores.measures)  # fmt: skip
            return [partial(_drawn, plots.DepthDisplay.from_depths, renamed(x)) for x in by_depth]
        displays: dict[str, Any] = {
            "ranks": plots.RankDisplay,
            "intervals": plots.IntervalDisplay,
            "significance": plots.SignificanceDisplay,
        }
        make, found = displays[view].from_comparison, renamed(self.compared)
        return [partial(_drawn, make, found, m) for m in found.measures]


def _drawn(make: Any, *about: Any) -> Any:
    """Return a display on the axes that come last."""
    *about_it, axes = about
    return make(*about_it, ax=axes)


def _sizes(text: str) -> list[int]:
    parts = text.split(",")
    if not all(part.strip().isdecimal() for part in parts):
        raise BadInput(f"cannot read the sizes {text!r}; write --sizes N,N,…, such as 100,400")
    return [int(part) for part in parts]


def _varied(given: list[str]) -> dict[str, list[Any]]:
    from hierpair.measures.measure_text import literal

    varied: dict[str, list[Any]] = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not equals or not name or not values:
            raise BadInput(f"cannot read {text!r}; write NAME=VALUE,VALUE")
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


def run(options: argparse.Namespace) -> str | Outcome:
    """Compare, draw if asked, and say on stderr what was compared."""
    for option in ("differ", "fail_if_worse"):
        if getattr(options, option) is not None:
            _two(getattr(options, option), f"--{option.replace('_', '-')}")
    with Meter(options.quiet) as meter:
        asked = Asked(options, meter)
        if options.picture is not None:
            from hierpair.plots import save_picture
            from hierpair.plots.saving import stacked

            draw = asked.view()
            save_picture(stacked(draw), options.picture)
            each = f", one for each of {len(draw)} measures" if len(draw) > 1 else ""
            say(options, f"drew {asked.kind} in {options.picture}{each}")
        answers: dict[Callable[[], str | Outcome], Any] = {
            asked.agreement: options.agreement is not None, asked.power: options.power,
            asked.sensitivity: options.sensitivity or options.vary,
            asked.differ: options.differ is not None, asked.table: True,
        }  # fmt: skip
        return next(answer for answer, wanted in answers.items() if wanted)()


COMPARE = Verb(
    "compare",
    "compare systems: intervals, ranks, tests",
    "Compare two or more systems: scores with confidence intervals and ranks, equal where no "
    "significant difference is found; or how measures agree, what depends on conventions, where "
    "two systems differ.",
    "hierpair compare tree.tsv truth.tsv mine=run1.tsv theirs=run2.tsv -m hf -m gie",
    FILES + CHOSEN + SCORING + OPTIONS + STATISTICS + THRESHOLDS.format(mark="##", rules=NO_TABLE)
    + LOOK.format(mark="##", rules=NO_TABLE) + READING,
    run,
)  # fmt: skip
