"""What controlled errors cost under measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierpair.comparison.analysis import Analysis, check_share, check_whole
from hierpair.comparison.common_scores import signs_of
from hierpair.comparison.perturbation import (
    DEFAULT_STEPS,
    UNIT,
    Draw,
    Step,
    Tips,
    drawn,
    one_below_the_other,
    read_steps,
    replaced,
    sets_of,
)
from hierpair.comparison.samples import bootstrap, values_sample
from hierpair.comparison.statistics import bootstrap_interval
from hierpair.errors import BadInput, check_known, counted
from hierpair.evaluation.batches import Task, found_of
from hierpair.evaluation.checked import (
    chosen_measures,
    default_measures,
    refuse_counting,
    truth_of,
)
from hierpair.evaluation.looks import TableLook
from hierpair.evaluation.scores import ByName
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.arrays import Floats, ratio
from hierpair.labels import LabelSets, Unknown
from hierpair.measures import Measure
from hierpair.tables.records import Block, Form, Records, pinned
from hierpair.tables.result import crossed, down, flattened


@dataclass(frozen=True, eq=False, repr=False)
class Response(ByName, Analysis):
    """What controlled errors cost under measures.

    Matrices have the shape ``(n_measures, n_steps + 1)``. All steps are of the same labels of the
    same instances, so that they differ in nothing but the error.

    Attributes
    ----------
    measures, steps
        The measures, and what was done to a label.
    numbers
        By name, with a column for every step, and one for the *floor*: the mean value of instances
        all whose labels are replaced by any class, which is chance level.

        - ``cost``, ``low``, ``high``: mean of v(T, T) − v(T, P), with the sign turned for errors:
          above 0 is worse. nan where the measure is not defined; with percentile intervals of a
          bootstrap over instances.
        - ``in_units``, ``units_low``, ``units_high``: the same in units of the replacement by an
          unrelated class: ratio of the means, 0 for right and 1 for unrelated; nan where that was
          not among the steps or costs nothing, and for the floor.
    n_support
        Instances with a label for which every step exists.
    n_instances
        Instances with a label.
    level
        Level of the intervals.
    notes
        What has to be known beside the numbers.
    signature
        One line that pins how it was computed, with the seed.
    """

    measures: tuple[Measure, ...]
    steps: tuple[Step, ...]
    numbers: dict[str, Floats]
    n_support: int
    n_instances: int
    level: float
    notes: tuple[str, ...]
    signature: str

    done = "examined"
    decimals = 2
    table = "responses"
    told = ("signature", "n_support", "n_instances", "steps=words", "notes")

    def __getitem__(self, key: tuple[str | Measure, str]) -> float:
        """Return ``found[measure, step]``, in units of the unrelated replacement."""
        name, step = key
        check_known("step", step, self.names)
        return float(self.numbers["in_units"][self.measure_number(name), self.names.index(step)])

    @property
    def names(self) -> list[str]:
        """The names of the steps."""
        return [step.name for step in self.steps]

    @property
    def words(self) -> dict[str, str]:
        """What is done by step, as people say it."""
        return {step.name: step.words for step in self.steps}

    @property
    def in_units(self) -> bool:
        """Whether the unrelated replacement is among the steps."""
        return UNIT in self.names

    @property
    def signatures(self) -> list[str]:
        """How it was computed, and the conventions of every measure for an instance."""
        return [self.signature, *(m.of_instance for m in self.measures)]

    def views(self, form: Form, look: TableLook, *, intervals: bool = False) -> list[Block | str]:
        """Return costs in units and as they are, with the interval of each if asked for."""
        titles = {"in_units": "what an error costs, in units of an unrelated class in its place",
                  "cost": "what an error costs; floor: the value at full noise"}  # fmt: skip
        columns = {"in_units": ("units_low", "units_high")} if self.in_units else {}
        columns |= {"cost": ("low", "high")}
        heads, shown = self.words | self.heads(form), {"in_units": {"step": self.names}}
        wide = f"{100 * self.level:g} % intervals are over instances"
        known = "; csv and json have them (in Python: intervals=True)"
        return [
            *(
                crossed(form, look, self.records(), "measure", "step", value,
                        ends if intervals else (), shown.get(value), heads, title=titles[value],
                        corner="")
                for value, ends in columns.items()
            ),
            wide + known * (not intervals),
        ]  # fmt: skip

    def records(self) -> Records:
        """Return a record per measure and step, and one for the floor of each measure."""
        steps = [*self.names, "floor"]
        return flattened(
            (len(self.measures), len(steps)), measure=down([m.name for m in self.measures]),
            step=steps, kind=[*(step.kind for step in self.steps), "value"], **self.numbers,
            n_support=self.n_support, n_instances=self.n_instances,
            signature=down([m.of_instance for m in self.measures]),
        )  # fmt: skip


# ------------------------------------------------------------------------------------ computing


def _tips_of(hierarchy: Hierarchy, truth: LabelSets) -> Tips:
    """Return the labels that are replaced; what does not count of a truth cannot be left out."""
    if truth.ignored is not None:
        raise BadInput(
            "labels are replaced here, so none can be ignored; leave out what does not count"
        )
    return Tips.of(hierarchy, truth)


@takes_hierarchy
def respond(
    hierarchy: Hierarchy,
    y_true: Any,
    measures: Sequence[str | Measure] | str | Measure | None = None,
    *,
    steps: Sequence[str] | str | None = None,
    rounds: int = 1,
    seed: int = 0,
    n_bootstrap: int = 2_000,
    level: float = 0.95,
    unknown: Unknown = "error",
    n_jobs: int = 1,
    **conventions: Any,
) -> Response:
    """Return what controlled errors cost under measures.

    In every instance one of the labels that are above none of its others is replaced, joined by
    another class, or left out, and the cost is E[v(T, T) − v(T, P)] over instances and draws.
    Divided by the cost of an unrelated class of the same depth in its place (ratio of means) it
    can be compared between measures: 0 is right, 1 is as bad as unrelated.

    Parameters
    ----------
    hierarchy, y_true, unknown, n_jobs
        As for :func:`hierpair.score`; no systems are needed.
    measures
        Measures or their names; by default the common ones of label sets. Their values of
        instances are used, whatever they are averaged as.
    steps
        ``"up<k>"``, ``"down<k>"``: the k-th ancestor, or a descendant k below, in place of the
        label; ``"sibling"``, ``"cousin"`` (another child of the grandparent's other children),
        ``"unrelated"`` (no class but a single root above both, equal depth); ``"add_…"``: that
        class beside the label, ``"add_<n>_unrelated"``: n of them; ``"drop"``, ``"drop_all"``;
        ``"noise_<rate>"``: each label replaced with this probability by any class. By default
        ancestors, siblings, cousins and unrelated classes in place of a label and beside it, and
        labels left out; of these, without the rarest, as many as some label has together.
    rounds
        Draws of every instance; its values are their mean.
    seed
        Seed of the random numbers. One more step does not change the draws of
        others, but the instances that have all steps.
    n_bootstrap, level
        Rounds and level of the percentile intervals over instances.
    conventions
        Options for all measures that have them.

    Returns
    -------
    Response
        Costs, raw and in units of the unrelated replacement, with intervals, and the value at full
        noise.

    Raises
    ------
    BadInput
        For input that cannot be used, steps that no label has together, or measures that weigh
        classes by the truth that is scored (here it is perturbed: give them a reference).

    Examples
    --------
    >>> tree = Hierarchy.from_nested({"r": {"a": {"b": ["c", "d"], "e": ["f"]},
    ...                                     "z": {"y": ["w", "x"]}}})
    >>> steps = ["up1", "cousin", "unrelated"]
    >>> found = respond(tree, ["c", "d", "f", "w"], ["hf", "f"], steps=steps)
    >>> found.n_support, found["hf", "up1"].__round__(2), found["f", "cousin"]
    (3, 0.2, 1.0)
    """
    chosen = chosen_measures(default_measures() if measures is None else measures, conventions)
    refuse_counting(chosen)
    check_whole(rounds=rounds, n_bootstrap=n_bootstrap)
    check_whole(0, seed=seed)
    check_share(level=level)
    truth = truth_of(y_true, hierarchy, unknown)
    tips = _tips_of(hierarchy, truth)
    if not len(tips.label):
        raise BadInput("there is no true label to replace: all instances are empty")
    listed = read_steps(DEFAULT_STEPS if steps is None else steps)
    absent: list[Step] = []
    while True:
        draws = [drawn(tips, listed, seed, k) for k in range(rounds)]
        if steps is not None or any(len(draw.rows) for draw in draws):
            break
        rare = min((s for s in listed if s.relation), key=lambda s: draws[0].reach[s.name])
        absent += [s for s in listed if s.relation and s.source == rare.source]
        listed = tuple(s for s in listed if s not in absent)
    owner, names = np.concatenate([draw.rows for draw in draws]), [step.name for step in listed]
    if not len(owner):
        raise _nothing_left(listed, draws[0], tips)
    several = one_below_the_other([draw.truth for draw in draws])
    sides = {"truth": several} | {
        name: one_below_the_other([draw.systems[name] for draw in draws]) for name in names
    }
    values, undefined = _values(hierarchy, several, sides, chosen, n_jobs)
    order = np.argsort(owner, kind="stable")
    _, first, counts = np.unique(owner[order], return_index=True, return_counts=True)
    costs = ((values[:1] - values[1:]) * signs_of(chosen))[:, order]
    each, n = np.add.reduceat(costs, first, axis=1) / counts[:, None], len(counts)
    labelled = np.flatnonzero(tips.sets.lengths)
    whole = tips.sets.take(labelled)
    noise = [
        sets_of(tips.row, replaced(tips, 1.0, seed, k), len(truth), len(hierarchy))
        for k in range(rounds)
    ]
    at_chance: Any = sum(
        _values(hierarchy, whole, {"noise": of.take(labelled)}, chosen, n_jobs)[0][0]
        for of in noise
    ) / rounds  # fmt: skip
    floors = bootstrap([values_sample(at_chance)], n_bootstrap, seed)[0]
    samples = [values_sample(np.ascontiguousarray(each[:, :, k].T)) for k in range(len(chosen))]
    raw = np.column_stack([_known_mean(each, 1).T, _known_mean(at_chance, 0)])
    resampled = np.dstack([bootstrap(samples, n_bootstrap, seed), floors.T])
    known = np.arange(raw.shape[1]) < len(names) * (UNIT in names)
    u = [names.index(UNIT) if UNIT in names else 0]
    units, relative = (np.where(known, ratio(of, of[..., u]), np.nan) for of in (raw, resampled))
    ends, of_units = (bootstrap_interval(x.swapaxes(0, 1), level) for x in (resampled, relative))
    numbers = {
        "cost": raw, "low": ends[0], "high": ends[1],
        "in_units": units, "units_low": of_units[0], "units_high": of_units[1],
    }  # fmt: skip
    by_reason: dict[tuple[str, str], list[str]] = {}
    for s, k in np.argwhere(np.isnan(each).any(axis=1)):
        told = f"no value in {np.isnan(each[s, :, k]).sum():,} of {n:,} instances"
        m, step = chosen[k].name, names[s]
        by_reason.setdefault((m, undefined.get((m, step), told)), []).append(step)
    above, left = len(truth.indices) - len(tips.label), ", ".join(step.name for step in absent)
    notes = {
        f"costs are of {n:,} of {len(labelled):,} instances with labels: those with a label for "
        "which every step exists": True,
        f"left out: {counted(above, 'true label')} above others of the same instance; with these a "
        "label replaced would be a label less": above,
        f"left out, since no label has them and all other steps: {left}": absent,
    } | {f"{m}, {', '.join(of)}: {why}": True for (m, why), of in by_reason.items()}
    return Response(
        chosen, listed, numbers, n, len(labelled), level,
        tuple(note for note, holds in notes.items() if holds),
        pinned("respond", hierarchy.describe(), steps=" ".join(names), rounds=rounds,
               bootstrap=n_bootstrap, level=level, seed=seed),
    )  # fmt: skip


def perturbed(
    hierarchy: Hierarchy,
    y_true: Any,
    steps: Sequence[str] | str,
    *,
    seed: int = 0,
    unknown: Unknown = "error",
) -> Draw:
    """Return label sets with controlled errors, as systems to score where there are none.

    Parameters
    ----------
    hierarchy, y_true, steps, seed, unknown
        As for :func:`respond`; the errors are those of its first round.

    Returns
    -------
    Draw
        ``truth`` and ``systems`` (by step) of the instances ``rows``, for :func:`hierpair.score`;
        :func:`agreement` over instances then says which errors two measures order differently.

    Raises
    ------
    BadInput
        As :func:`respond` does.

    Examples
    --------
    >>> from hierpair import agreement, score
    >>> tree = Hierarchy.from_nested({"r": {"a": {"b": ["c", "d"]}, "z": {"y": ["w", "x"]}}})
    >>> draw = perturbed(tree, ["c", "d"], ["up1", "add_sibling", "unrelated"])
    >>> scores = score(tree, draw.truth, draw.systems, ["hf", "gie"])
    >>> agreement(scores, of="instances").evidence["reversed_share"][0].round(2).tolist()
    [0.0, 0.33]
    """
    truth = truth_of(y_true, hierarchy, unknown)
    tips, listed = _tips_of(hierarchy, truth), read_steps(steps)
    draw = drawn(tips, listed, seed, 0)
    if not len(draw.rows):
        raise _nothing_left(listed, draw, tips)
    return draw


def _nothing_left(steps: Sequence[Step], draw: Draw, tips: Tips) -> BadInput:
    """Return why no label is left, and what can be done."""
    told = ", ".join(f"{s.name} for {draw.reach[s.name]:,}" for s in steps if s.relation)
    return BadInput(
        f"no label has all these steps: of {len(tips.label):,} labels there is {told}; leave out "
        "the steps that few have"
    )


def _values(
    hierarchy: Hierarchy,
    truth: LabelSets,
    sides: Mapping[str, LabelSets],
    measures: Sequence[Measure],
    n_jobs: int,
) -> tuple[Floats, dict[tuple[str, str], str]]:
    """Return values, shape ``(sides, instances, measures)``, and by measure and side why not.

    What is not defined for the truth itself is an error; so is a rule that goes by the places of
    instances, which are a part of those of the data here, some of them several times.
    """
    undefined = dict[tuple[str, str], str]()

    def found(name: str, some: Sequence[Measure]) -> Floats:
        task = Task(hierarchy, tuple(some), truth, on_infeasible="nan", of_whole=False,
                    n_jobs=n_jobs)  # fmt: skip
        try:
            return found_of(task, sides[name], name).values
        except BadInput as error:
            if len(some) > 1:  # of one measure: the others can be told
                return np.hstack([found(name, [m]) for m in some])
            if name == "truth":
                raise
            undefined[some[0].name, name] = str(error).splitlines()[0]
            return np.full((len(truth), 1), np.nan)

    return np.array([found(name, measures) for name in sides]), undefined


def _known_mean(values: Floats, axis: int) -> Floats:
    """Return means of what is defined; nan where nothing is."""
    known = ~np.isnan(values)
    return ratio(np.where(known, values, 0.0).sum(axis=axis), known.sum(axis=axis))
