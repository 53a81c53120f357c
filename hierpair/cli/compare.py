"""``hierpair compare``: which systems differ, how sure that is, and sensitivity to conventions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from hierpair.cli.looks import (
    LOOK,
    THRESHOLDS,
    digits_of,
    draw,
    in_order,
    look_of,
    missed,
    shown_briefly,
    thresholds_of,
)
from hierpair.cli.options import Options, Outcome, Verb
from hierpair.cli.partials import partial_scores
from hierpair.cli.reading import READING, Inputs, are_partials, asked_measures, read_inputs
from hierpair.cli.score import CHOSEN, SCORING, scoring_of
from hierpair.errors import BadInput, first_repeated

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
--runs SYSTEM=RUN,…:lists*
                          files that are runs of one system (once per system)
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
# other questions, one of
--pairs                   all pairs: difference, interval, wins, effect, p
--agreement [{kendall_b,kendall_a,spearman}]
                          how measures agree
--power                   discriminative power: share of pairs that differ, also on fewer instances
                          {with labels}
--sensitivity             which conclusions depend on root, average, Dmax, threshold or pairing
                          {with labels; without --vary, --picture, --runs}
--vary NAME=VALUE,…:lists*
                          the same for conventions of your choice (repeatable) {with labels;
                          without --picture, --runs}
--differ A,B:two          where two systems differ: instances, classes, subtrees {with labels}
--fail-if-worse A,B:two   exit code 1 if A is significantly worse than B
## about the questions
--of {instances,systems}  agreement on the values of instances and the decisions between two
                          systems, or on the order of systems {with --agreement or --view clusters}
--sizes N,N,…:numbers     numbers of instances (default: 25, 50, 100 …) {with --power or --view
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


def statistics_of(options: Options) -> dict[str, Any]:
    """Return the keywords of ``compare`` that say how.

    Raises
    ------
    BadInput
        For a test, a level or a number that there cannot be.
    """
    from hierpair.comparison.statistics import Plan

    chosen = options.take(
        "test correction family alpha level interval effect seed n_permutations=permutations "
        "n_bootstrap=bootstrap"
    )
    Plan(**chosen)
    return chosen


def runs_of(options: Options) -> dict[str, list[str]] | None:
    """Return the runs of every system that has several."""
    twice = first_repeated(name for name, _ in options.runs)
    if twice is not None:
        raise BadInput(f"--runs: {twice!r} is named twice; name all its runs at once")
    return dict(options.runs) or None


class Asked:
    """One run: what it reads and computes, each when an answer or a picture first needs it."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.of_partials = are_partials(options)
        self.how = statistics_of(options)
        self.runs = runs_of(options)

    @cached_property
    def inputs(self) -> Inputs:
        """What was read, of at least two systems."""
        if self.of_partials:
            raise BadInput(f"--view {self.options.view} goes with labels, and a partial has sums")
        scored = asked_measures(self.options, of_scores="sums")[0].of_scores or None
        found = read_inputs(self.options, scored=scored)
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
        i, measures = self.inputs, asked_measures(o, of_scores="sums")
        thresholds_of(o, measures, list(i.systems))
        found = score(i.hierarchy, i.truth, i.systems, measures, keep_classes=True,
                      **scoring_of(o, i))  # fmt: skip
        o.last.append(f"scored on a {i.hierarchy.describe()}")
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

        o = self.options
        found = compare(
            self.paired, runs=self.runs, on_progress=partial(o.meter.show, unit="steps"),
            **self.how, **o.take("baseline n_jobs=jobs"),
        )  # fmt: skip
        for line in found.left_out:
            if o.fail_if_worse is not None:
                raise BadInput(f"--fail-if-worse: {line}; or name the other measures with -m")
            o.say(line)
        return found

    @cached_property
    def discriminated(self) -> Any:
        """The discriminative power of the measures."""
        from hierpair.comparison import discrimination

        o = self.options
        more = {"sizes": o.sizes} if o.sizes else {}
        more |= {"n_permutations": o.permutations} if o.permutations is not None else {}
        how = o.take("n_bootstrap=bootstrap n_jobs=jobs alpha level seed")
        return discrimination(self.paired, **how, **more)

    def agreed(self, of: str, n_bootstrap: int = 0) -> Any:
        """Return how measures agree."""
        from hierpair.comparison import agreement

        o = self.options
        scores: Any = self.paired if o.of else self.scores
        how: Any = {"of": of, "n_bootstrap": n_bootstrap, **o.take("level seed n_jobs=jobs")}
        return agreement(scores, o.agreement or "kendall_b", **how)

    def answer(self) -> Outcome | str:
        """Answer the question, or show scores, intervals and ranks."""
        o = self.options
        look, digits = o.take("caption label"), digits_of(o)
        if o.agreement is not None:
            found = self.agreed(o.of or "systems", o.bootstrap if o.of else 0)
            look |= {"pairs": True} if o.of == "systems" else {}
            digits = min(digits, 3)
        elif o.power:
            found, digits = self.discriminated, o.digits
        elif o.sensitivity or o.vary:
            found = self.sensitivity()
        elif o.differ is not None:
            found = self.differ()
        else:
            return self.table()
        return str(found.to_table(o.format, digits, **look))

    def sensitivity(self) -> Any:
        """Return which conclusions depend on conventions."""
        from hierpair.comparison import sensitivity
        from hierpair.measures.option import literal

        o, i = self.options, self.inputs
        varied: dict[str, list[Any]] = {}
        for name, values in o.vary:
            varied.setdefault(name.replace("-", "_"), []).extend(map(literal, values))
        return sensitivity(
            i.hierarchy, i.truth, i.systems, asked_measures(o), test=o.test if i.paired else None,
            vary=varied or None,
            comparing={k: v for k, v in self.how.items() if k != "test"}, **scoring_of(o, i),
        )  # fmt: skip

    def differ(self) -> Any:
        """Return where two systems differ."""
        from hierpair.comparison import differ

        o, i = self.options, self.inputs
        one, other = o.differ
        found = differ(self.paired, one, other, i.hierarchy, i.truth, k=o.top)
        for note in found.first_only:
            o.say(note)
        return found

    def table(self) -> Outcome:
        """Answer with scores, intervals and ranks, or with all pairs."""
        o = self.options
        thresholds = thresholds_of(o, self.scores.measures, self.scores.systems)
        found = self.compared
        look = {**look_of(o), **o.take("pairs"), "intervals": o.intervals or None}
        shown = shown_briefly(found.content(o.digits, **look), found.measures, o)
        failed = missed(self.scores if self.of_partials else found.scores, thresholds, o)
        return Outcome(shown, self.worse(found) or failed)

    def worse(self, found: Any) -> int:
        """Say under which measures the first system is significantly worse than the second."""
        o = self.options
        if o.fail_if_worse is None:
            return 0
        names = o.fail_if_worse
        new, old = map(found.system_number, names)
        worse = (found.upwards[new] < found.upwards[old]) & found.significant[:, new, old]
        for k in worse.nonzero()[0]:
            o.say(f"{names[0]} is significantly worse than {names[1]} under "
                  f"{found.measures[k].name}")  # fmt: skip
        return int(worse.any())

    def pictures(self) -> Iterator[Any]:
        """Yield what draws the view on axes, once for each measure if it is of one."""
        from hierpair import comparison, plots

        names = dict(self.options.rename)

        def renamed(found: Any) -> Any:
            return replace(found, systems=tuple(names.get(name, name) for name in found.systems))

        match self.options.view or "ranks":
            case "agreement":
                yield partial(plots.AgreementDisplay.from_agreement, self.agreed("systems"))
            case "clusters":
                found = self.agreed(self.options.of or "instances").clusters()
                yield partial(plots.DendrogramDisplay.from_clusters, found)
            case "power":
                yield partial(plots.PowerDisplay.from_discrimination, self.discriminated)
            case "depth":
                i = self.inputs
                for m in self.scores.measures:
                    found = comparison.by_depth(self.scores, i.hierarchy, i.truth, measure=m)
                    yield partial(plots.DepthDisplay.from_depths, renamed(found))
            case view:
                display: Any = {
                    "ranks": plots.RankDisplay, "intervals": plots.IntervalDisplay,
                    "significance": plots.SignificanceDisplay,
                }[view]  # fmt: skip
                for m in self.compared.measures:
                    yield partial(display.from_comparison, renamed(self.compared), m)


def run(options: Options) -> str | Outcome:
    """Compare, draw if asked, and say on stderr what was compared."""
    asked = Asked(options)
    if options.picture is not None:
        drawn = [lambda ax, one=one: one(ax=ax) for one in asked.pictures()]
        more = f", one for each of {len(drawn)} measures" if len(drawn) > 1 else ""
        draw(options, drawn, options.view or "ranks", more)
    return asked.answer()


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
