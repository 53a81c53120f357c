"""``hierpair compare`` and ``hierpair report``: which systems differ, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import hierpair as hp
from hierpair.cli.looks import LOOK, THRESHOLDS, draw, in_order, look_of, missed, shown_briefly
from hierpair.cli.options import Answer, Options, Verb
from hierpair.cli.reading import (
    READING,
    Inputs,
    are_partials,
    asked_measures,
    read_inputs,
)
from hierpair.cli.score import CHOSEN, SCORING, partial_scores, scored, scoring_of
from hierpair.errors import BadInput

STATISTICS = """\
# statistics
--test TEST               permutation, bootstrap, sign, sign_normal, wilcoxon, t, or runs
                          [default: permutation]{tests}
--alpha A:float           level of significance [default: 0.05]{alpha}
--runs SYSTEM=RUN,…:lists*
                          files that are runs of one system (once per system){rules}
## more statistics
--level L:float           level of the confidence intervals [default: 0.95]{intervals}
--correction NAME         of p: holm, bonferroni, bh or none [default: holm]{tests}
--family NAME             tests that are corrected together: those of one measure (measure), or
                          of all measures (all) [default: measure]{tests}
--interval NAME           bootstrap interval: percentile or bca [default: percentile]{table}
--effect NAME             effect size: rank_biserial or cliffs_delta [default: rank_biserial]{table}
--permutations N:int      random permutations (default: 10000, more for many systems){alpha}
--bootstrap N:int         bootstrap samples [default: 2000]{seed}
--seed N:int              seed of the random numbers [default: 0]{seed}
"""

FILES = """
FILE…                     hierarchy, truth, and a file or NAME=FILE per system; or what hierpair
                          partial --blocks wrote
"""

OPTIONS = """
# other questions, one of
--pairs                   every pair: difference, interval, wins, effect size, p
--agreement [{kendall_b,kendall_a,spearman}]
                          how measures agree {without --runs}
--power                   discriminative power: share of pairs that differ, also on fewer instances
                          {with labels; without --runs}
--sensitivity             which conclusions depend on root, average, Dmax, threshold or pairing
                          {with labels; without --vary, --picture, --runs}
--vary NAME=VALUE,…:lists*
                          the same for conventions of your choice (repeatable) {with labels;
                          without --picture, --runs}
--differ A,B:two          where two systems differ: instances, classes, subtrees {with labels;
                          without --runs}
--fail-if-worse A,B:two   exit code 1 if A is significantly worse than B
## about the questions
--of {instances,systems}  agreement on values of instances and on which of two systems is better,
                          or on the order of all systems {with --agreement or --view clusters}
--sizes N,N,…:numbers     numbers of instances (default: 25, 50, 100 …) {with --power or --view
                          power}
--top K:some              instances, classes and subtrees to list [default: 10] {with --differ}
--baseline SYSTEM         test every system against this one alone, not all pairs {without
                          --picture, --fail-if-worse, --agreement, --power, --sensitivity, --vary,
                          --differ}
--intervals               add the table of intervals, which other formats have anyway {with
                          --format latex; without --agreement, --power, --sensitivity, --vary,
                          --differ}
# pictures
--picture FILE            draw the comparison under every measure as .svg, .pdf or .png (extra
                          plot)
--view {ranks,intervals,significance,agreement,clusters,power,depth}
                          what is drawn (default: ranks; in VIEW.svg)
"""

OF_FILES = " {without --view agreement, --view clusters, --view power, --view depth}"
"""Pictures of every file by itself."""

NO_TABLE = " {without --agreement, --power, --sensitivity, --vary, --differ}"

UNUSED = {
    "tests": " {without --agreement, --power, --differ}",
    "alpha": " {without --agreement, --differ}",
    "intervals": " {without --sensitivity, --vary, --differ}", "seed": " {without --differ}",
    "table": NO_TABLE, "rules": OF_FILES,
}  # fmt: skip
"""Questions that do not ask for some of the statistics."""


class ComparisonRun:
    """One run: what it reads and computes, each once, when an answer or a picture needs it."""

    def __init__(self, options: Options, least: int = 2, of_scores: Any = "sums") -> None:
        from hierpair.comparison.statistics import Plan

        self.options, self.least, self.of_scores = options, least, of_scores
        self.of_partials = are_partials(options)
        self.how = options.take(
            "test correction family alpha level interval effect seed n_permutations=permutations "
            "n_bootstrap=bootstrap"
        )
        Plan(**self.how)  # refuses what is impossible before anything is read
        self.runs = dict(options.runs) or None

    @cached_property
    def measures(self) -> tuple[hp.Measure, ...]:
        """The measures that were asked for."""
        return asked_measures(self.options, of_scores=self.of_scores)

    @cached_property
    def inputs(self) -> Inputs:
        """What was read, of enough systems."""
        if self.of_partials:
            raise BadInput(f"--view {self.options.view} needs labels, and a partial has only sums")
        found = read_inputs(self.options, scored=self.measures[0].of_scores or None)
        if len(found.systems) < self.least:
            only = ", ".join(found.systems)
            raise BadInput(
                f"comparing needs at least two systems, and there is only {only}; give another file"
            )
        return found

    @cached_property
    def scores(self) -> hp.Scores:
        """The scores of files, or those of partials."""
        if self.of_partials:
            return in_order(partial_scores(self.options), self.options)
        found = scored(self.options, self.inputs, self.measures, keep_classes=True)
        return in_order(found, self.options)

    @cached_property
    def paired(self) -> hp.Scores:
        """The scores, whose instances are the same objects for all systems."""
        if not self.of_partials and not self.inputs.paired:
            raise BadInput(
                f"the instances of case {self.options.case!r} are not the same objects for all "
                "systems, so they cannot be compared one by one; hierpair score, and hierpair "
                "compare with --agreement or --sensitivity, need only the scores"
            )
        return self.scores

    @cached_property
    def compared(self) -> Any:
        """The comparison by tests; what it leaves out is said, or an error if it was asked for."""
        o = self.options
        found = hp.compare(
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
        how = self.options.take("sizes n_permutations=permutations n_bootstrap=bootstrap "
                                "n_jobs=jobs alpha level seed")  # fmt: skip
        given = {name: x for name, x in how.items() if x is not None}
        return hp.discrimination(self.paired, **given)

    def agreed(self, of: str, n_bootstrap: int = 0) -> Any:
        """Return how measures agree."""
        o = self.options
        scores: Any = self.paired if o.of else self.scores
        how: Any = {"of": of, "n_bootstrap": n_bootstrap, **o.take("level seed n_jobs=jobs")}
        return hp.agreement(scores, o.agreement or "kendall_b", **how)

    def answer(self) -> Answer:
        """Answer the question, or show scores, intervals and ranks."""
        o = self.options
        look = o.take("caption label")
        if o.agreement is not None:
            found = self.agreed(o.of or "systems", o.bootstrap if o.of else 0)
            look |= {"pairs": True} if o.of == "systems" else {}
        elif o.power:
            found = self.discriminated
        elif o.sensitivity or o.vary:
            found = self.sensitivity()
        elif o.differ is not None:
            found = self.differ(*o.differ)
        else:
            found = self.compared
            look = {**look_of(o), **o.take("pairs"), "intervals": o.intervals or None}
            code = missed(self.scores if self.of_partials else found.scores, o)
            shown = shown_briefly(found.content(o.digits, **look), found.measures, o)
            return Answer(shown, self.worse(found) or code)
        return Answer(found.content(o.digits, **look))

    def sensitivity(self) -> Any:
        """Return which conclusions depend on conventions."""
        from hierpair.measures.option import literal

        o, i = self.options, self.inputs
        varied: dict[str, list[Any]] = {}
        for name, values in o.vary:
            varied.setdefault(name.replace("-", "_"), []).extend(map(literal, values))
        return hp.comparison.sensitivity(
            i.hierarchy, i.truth, i.systems, asked_measures(o), test=o.test if i.paired else None,
            vary=varied or None,
            comparing={k: v for k, v in self.how.items() if k != "test"}, **scoring_of(o, i),
        )  # fmt: skip

    def differ(self, one: str, other: str) -> Any:
        """Return where two systems differ."""
        i = self.inputs
        found = hp.comparison.differ(
            self.paired, one, other, i.hierarchy, i.truth, k=self.options.top
        )
        self.options.say(*found.first_only)
        return found

    def worse(self, found: Any) -> int:
        """Say under which measures the first system is significantly worse than the second."""
        if self.options.fail_if_worse is None:
            return 0
        new, old = self.options.fail_if_worse
        i, k = found.system_number(new), found.system_number(old)
        worse = (found.upwards[i] < found.upwards[k]) & found.significant[:, i, k]
        for m in (found.measures[at] for at in worse.nonzero()[0]):
            self.options.say(f"{new} is significantly worse than {old} under {m.name}")
        return int(worse.any())

    def pictures(self, view: str) -> Iterator[Any]:
        """Yield what draws the view on axes ``ax``, once for each measure if it is of one."""
        names = dict(self.options.rename)

        def renamed(found: Any) -> Any:
            return replace(found, systems=tuple(names.get(name, name) for name in found.systems))

        if view == "agreement":
            yield partial(hp.plots.plot_agreement, self.agreed("systems"))
        elif view == "clusters":
            found = self.agreed(self.options.of or "instances").clusters()
            yield partial(hp.plots.plot_clusters, found)
        elif view == "power":
            yield partial(hp.plots.plot_power, self.discriminated)
            if self.discriminated.sizes:
                yield partial(hp.plots.plot_power, self.discriminated, show="power")
        elif view == "depth":
            i = self.inputs
            for m in self.scores.measures:
                found = hp.comparison.by_depth(self.scores, i.hierarchy, i.truth, measure=m)
                yield partial(hp.plots.plot_depths, renamed(found))
        else:
            for m in self.compared.measures:
                yield partial(getattr(hp.plots, f"plot_{view}"), renamed(self.compared), m)


def run(options: Options) -> Answer:
    """Compare, draw if asked, and say on stderr what was compared."""
    asked, view = ComparisonRun(options), options.view or "ranks"
    if options.picture is not None:
        drawn = [*asked.pictures(view)]
        more = f", one for each of {len(drawn)} measures" if len(drawn) > 1 else ""
        draw(options, drawn, view, more)
    return asked.answer()


COMPARE = Verb(
    "compare",
    "compare systems: intervals, ranks, tests",
    "Compare two or more systems: scores with confidence intervals and ranks, equal where no "
    "significant difference is found; or how measures agree, what depends on conventions, where "
    "two systems differ.",
    "hierpair compare tree.tsv truth.tsv mine=run1.tsv theirs=run2.tsv -m hf -m gie",
    FILES + CHOSEN + SCORING + OPTIONS + STATISTICS.format(**UNUSED)
    + THRESHOLDS.format(mark="##", rules=NO_TABLE)
    + LOOK.format(mark="##", rules=NO_TABLE, scores=NO_TABLE) + READING,
    run,
)  # fmt: skip


PAGE = """
--title TEXT              title of the page
--worst K:int             instances in each list of the worst ones and of differences [default: 5]
                          {with labels}
--texts FILE              texts of the instances: a table with a column text, or lines id TAB text
                          {with labels}
--text-column NAME        the column of texts in that file, by default text {with --texts}
--no-sensitivity          leave out which conclusions depend on conventions {with labels}
"""


def run_report(options: Options) -> Answer:
    """Score, compare, and return the page."""
    from hierpair.io.labels.label_files import read_texts

    asked = ComparisonRun(options, least=1, of_scores=False)
    page = {**options.take("title worst"), "sensitivity": not options.no_sensitivity}
    if options.texts is not None:
        page["texts"] = read_texts(options.texts, options.text_column)
    found: Any = asked.scores
    if asked.of_partials:
        comparable = bool(found.partial.n_blocks)
    else:
        i = asked.inputs
        comparable = i.paired
        page |= {"paired": i.paired, "warnings": [*options.said],
                 "title": options.title or i.title}  # fmt: skip
    wanted = any(options.has(entry.word) for group in options.verb.groups
                 if group.title.endswith("statistics") for entry in group.entries)  # fmt: skip
    if wanted or (comparable and len(found.systems) > 1):  # what cannot be, and is wanted, is told
        found = asked.compared
    return Answer(hp.report.report_html(found, **page).encode())


REPORT = Verb(
    "report",
    "one HTML file to look at: scores, classes, instances, measures",
    "Write one HTML file that needs no network: scores with intervals and ranks, the class tree "
    "with what went wrong where, the worst instances with explanations, and what depends on "
    "conventions.",
    "hierpair report tree.tsv truth.tsv run1.tsv run2.tsv -o report.html",
    FILES + CHOSEN + PAGE + SCORING + STATISTICS.format(**dict.fromkeys(UNUSED, "")) + READING,
    run_report,
    formats=(),
)
