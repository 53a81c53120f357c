"""What scoring is asked for, checked: measures, systems, weights, and what does not count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from hierpair.errors import BadInput, check_unique, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats
from hierpair.labels import LabelSets, Unknown
from hierpair.labels.naming import check_order, check_position, order_of_index
from hierpair.labels.sets import without_truth
from hierpair.measures import Measure, measure, measures_of
from hierpair.measures.class_weights import NEEDS_REFERENCE
from hierpair.measures.named import check_options


def default_measures() -> list[str]:
    """Return the common measures that are defined for any label sets, as the registry has them."""
    of_labels = measures_of("labels").items()
    return [name for name, d in of_labels if "total" in d.traits and d.by_default]


def chosen_measures(
    measures: Iterable[str | Measure] | str | Measure | None,
    conventions: Mapping[str, Any],
    *,
    of_scores: bool | Literal["sums"] = False,
) -> tuple[Measure, ...]:
    """Return measures (None: the default ones) with the conventions that each of them has.

    Measures of scores are refused, unless ``of_scores`` says that they will do, or with ``"sums"``
    those whose sums over instances add up; then all must be.
    """
    if measures is None:
        measures = default_measures()
    elif isinstance(measures, (str, Measure)):
        measures = [measures]
    check_order(measures, "measures")
    chosen = tuple(dict.fromkeys(measure(m, **conventions) for m in measures))
    check_unique((m.signature for m in chosen), lambda double: (
        f"two different measures would both be called {double}; give their costs "
        "names of their own (a function's name is used)"
    ))  # fmt: skip
    if not chosen:
        raise BadInput("no measure is given")
    if of_scores:
        _refuse_mixed(chosen)
    if of_scores is not True:
        refuse_of_scores(m for m in chosen if not (of_scores and m.adds_up))
    check_options(conventions, chosen)
    average = conventions.get("average")
    if average and all(m.options.get("average") != average for m in chosen):
        raise BadInput(f"none of the measures can be averaged as {average!r}")
    _refuse_idle(chosen)
    return chosen


def _refuse_idle(chosen: Sequence[Measure]) -> None:
    """Refuse options that are given and say nothing beside the others, in all measures."""
    for m in chosen:
        for option, _ in m.chosen:
            if all(x.is_idle(option) for x in chosen if option in x.options):
                weights = shown(m.options.get("weights", "ones"))
                raise BadInput(
                    f"{m.name}: {option} says nothing where weights={weights}; it is for weights "
                    "that are counted, such as weights='ia'"
                )


def refuse_of_scores(measures: Iterable[Measure]) -> None:
    """Refuse measures of scores where values of instances or sums of parts are needed."""
    for m in measures:
        if m.of_scores:
            sums = "" if m.adds_up else ", compared, added up from parts"
            raise BadInput(
                f"{m.name} is a measure of scores, so it cannot be explained, decoded{sums}, "
                "reported or read from a data set; hierpair.score (hierpair score) computes it"
            )


def _refuse_mixed(measures: Sequence[Measure]) -> None:
    """Refuse measures of scores beside those of label sets."""
    first = {m.of_scores: m.name for m in reversed(measures)}
    if len(first) > 1:
        raise BadInput(
            f"{first[True]} is a measure of scores, and {first[False]} is one of label sets: score "
            "them one after the other; a threshold makes label sets of scores (NodeScores.above, "
            "--min-score)"
        )


def counting_truth(measures: Iterable[Measure]) -> list[Measure]:
    """Return the measures whose weights of classes are counted from the truth that is evaluated."""
    found = [(m, getattr(m.recipe, "weighting", None)) for m in measures]
    return [m for m, given in found if getattr(given, "counts_truth", False)]


def refuse_counting(measures: Iterable[Measure]) -> None:
    """Refuse measures that would have to see the whole truth where only parts of it are seen."""
    for m in counting_truth(measures):
        counted = m.options.get("weights", "icm")
        raise BadInput(f"measure {m.name}: {NEEDS_REFERENCE.format(counted)}")


def truth_of(y_true: Any, hierarchy: Hierarchy, unknown: Unknown = "error") -> LabelSets:
    """Return the true labels that a function is given, which errors call ``y_true``."""
    return LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")


def check_weight(sample_weight: Any, truth: LabelSets) -> Floats | None:
    """Return weights as numbers of our own, one per instance; None: all count the same."""
    if sample_weight is None:
        return None
    n = len(truth)
    try:
        weight = np.array(sample_weight, dtype=np.float64)  # of our own: the scores keep it
    except (TypeError, ValueError):
        raise BadInput("sample_weight must hold one number per instance") from None
    if weight.shape != (n,):
        raise BadInput(f"sample_weight must have shape ({n},), got {weight.shape}")
    check_position(truth, None, order_of_index(sample_weight), "sample_weight")
    bad = np.flatnonzero(~((weight >= 0) & (weight < 1e100)))  # their sum is finite, too
    if len(bad):
        raise BadInput(
            f"sample_weight of instance {bad[0]} is {weight[bad[0]]}; weights must be finite "
            "and not negative"
        )
    weight.setflags(write=False)
    return weight


def check_names(systems: Mapping[str, Any], mend: str = "") -> None:
    """Refuse no system, and one that is called as the truth; ``mend`` says what there is."""
    if not systems:
        raise BadInput(f"no system is given{mend}")
    if "y_true" in systems:
        raise BadInput("a system cannot be called y_true; choose another name")


@dataclass(frozen=True)
class Counting:
    """The classes of interest, and the labels of every instance that do not count there.

    ``ancestors`` says whether all that is above these labels does not count either. None: nothing
    is left out so. Beside a part of the instances (not ``of_whole``) all others may be ignored.
    """

    ignore: Any = None
    ancestors: bool = True
    classes: Iterable[Any] | None = None
    of_whole: bool = True

    def of_classes(self, hierarchy: Hierarchy) -> Hierarchy:
        """Return the hierarchy in which the classes of interest alone count."""
        return hierarchy if self.classes is None else hierarchy.counting(self.classes)

    def read(self, hierarchy: Hierarchy, unknown: Unknown = "error") -> Counting:
        """Return the same, with the labels that do not count looked up."""
        if self.ignore is None:
            return self
        given = LabelSets.from_labels(self.ignore, hierarchy, unknown=unknown, source="ignore")
        return replace(self, ignore=given)

    def of_truth(
        self, truth: LabelSets, hierarchy: Hierarchy, unknown: Unknown = "error"
    ) -> LabelSets:
        """Return the truth, which knows what does not count of instances."""
        known = self.read(hierarchy, unknown).ignore
        if known is None:
            return truth
        ids = known.ids
        if self.of_whole and truth.ids and ids and {*truth.ids}.isdisjoint(ids):
            raise without_truth("ignore", len(ids), ids[0], truth.ids[0])
        return truth.ignoring(known, hierarchy, ancestors=self.ancestors)


def asked_to_count(
    ignore: Any, ancestors: bool, classes: Any, conventions: Mapping[str, Any]
) -> tuple[Counting, dict[str, Any]]:
    """Return what counts and the conventions, of which ``classes`` is one if it is a word."""
    if isinstance(classes, str):
        return Counting(ignore, ancestors), {**conventions, "classes": classes}
    return Counting(ignore, ancestors, classes), dict(conventions)
