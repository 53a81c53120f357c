"""Expected values of any measure under a distribution: every scenario, or a sample of them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np

from hierpair.errors import BadInput, Infeasible, SolverLimit, counted
from hierpair.evaluation.batches import Task, found_of
from hierpair.evaluation.checked import chosen_measures
from hierpair.evaluation.partial import partial
from hierpair.hierarchy.arrays import Floats, Ints, pieces, ratio, row_numbers, taken
from hierpair.labels import LabelSets, match_instances
from hierpair.labels.naming import refuse
from hierpair.measures import Measure, measure
from hierpair.measures.recipes.solved import NO_WAY
from hierpair.pairing import Cost, Masses, cost_named, transport_costs
from hierpair.pairing.costs import check_number
from hierpair.probabilistic.decoding import need_distribution
from hierpair.probabilistic.distributions import TOLERANCE, LabelDistribution

OnInfeasible = Literal["raise", "nan"]

BLOCK = 200_000
"""Scenarios evaluated at a time."""


@dataclass(frozen=True, eq=False)
class Expected:
    """Expected values of a measure.

    Attributes
    ----------
    measure
        The measure.
    values, errors
        Of every instance the expected value and its standard error (0 where every scenario was
        evaluated). NaN where the measure is not defined in any scenario; what is not defined in
        some is left out, as in means.
    value, error
        Of the data set, and the standard error.
    ids
        Instance ids, or None.
    """

    measure: Measure
    values: Floats
    errors: Floats
    value: float
    error: float
    ids: tuple[Hashable, ...] | None = None

    def __repr__(self) -> str:
        error = f" ± {self.error:.2g}" if self.error > 0 else ""
        n = counted(len(self.values), "instance")
        return f"<Expected: {self.measure.name} = {self.value:.4f}{error}, {n}>"


def expected(
    distribution: LabelDistribution,
    prediction: Any,
    measure: str | Measure,
    *,
    samples: int | None = None,
    seed: int | np.random.Generator = 0,
    **conventions: Any,
) -> Expected:
    """Return the expected value of a prediction under a distribution.

    Parameters
    ----------
    distribution
        What may be true.
    prediction
        Predicted labels, as :func:`hierpair.score` takes them, or a :class:`Decoded`.
    measure
        Any registered measure, or its name.
    samples
        None evaluates every scenario; a number ≥ 2 draws so many of every instance instead, and
        gives standard errors. Measures pooled otherwise than by the mean over instances (micro,
        macro) need samples: each draw of the whole data set has one value.
    seed
        Of the draws.
    conventions
        Options of the measure, such as ``root="include"``.

    Returns
    -------
    Expected
        Values of instances and of the data set.

    Raises
    ------
    BadInput
        For labels that do not fit, or a pooled measure without samples.
    Infeasible
        If the measure is not defined for some scenario; the message names the instance.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4"), ("1", "5")])
    >>> distribution = LabelDistribution.from_leaves([[0.25, 0.2, 0.2, 0.35]], tree)
    >>> expected(distribution, [["1", "5"]], "hf")
    <Expected: hf = 0.5500, 1 instance>
    >>> round(expected(distribution, [["1", "5"]], "shortest_path").value, 4)
    1.55
    """
    need_distribution(distribution, "an expected value")
    check_samples(samples)
    (chosen,) = chosen_measures(measure, conventions)
    labels = getattr(prediction, "sets", prediction)
    predicted = LabelSets.from_labels(labels, distribution.hierarchy, source="prediction")
    predicted = match_instances(cast(Any, distribution), predicted, system="prediction")
    if chosen.options.get("average", "samples") == "samples":
        return expected_by_instance(chosen, distribution, predicted, samples, seed)
    if samples is None:
        raise BadInput(
            f"{chosen.name} is not a mean over instances; its expectation over data sets is drawn: "
            "give samples, such as samples=1000"
        )
    drawn = distribution.sample(samples, seed)
    pooled = np.empty(samples)
    for k in range(samples):
        truth = replace(distribution.sets.take(drawn[:, k]), ids=None)
        total = partial(distribution.hierarchy, truth, replace(predicted, ids=None), chosen)
        pooled[k] = total.scores().values[0, 0]
    error, none = float(pooled.std(ddof=1) / np.sqrt(samples)), np.full(len(distribution), np.nan)
    return Expected(chosen, none, none, float(pooled.mean()), error, distribution.ids)


def expected_by_instance(
    chosen: Measure,
    distribution: LabelDistribution,
    predicted: LabelSets,
    samples: int | None,
    seed: int | np.random.Generator,
    on_infeasible: OnInfeasible = "raise",
    instance: Ints | None = None,
) -> Expected:
    """Return the expected value of every prediction, however the measure is pooled.

    They are of the instances in their order, or each of an ``instance`` as given. With
    ``on_infeasible="nan"`` a prediction that has no pairing in some scenario has no value.
    """
    n = len(predicted)
    instance = np.arange(n) if instance is None else instance
    if samples is None:
        pointer, scenarios = taken(distribution.indptr, instance)
        some = distribution.p[scenarios] > 0
        owner, scenarios = row_numbers(pointer)[some], scenarios[some]
    else:
        owner = np.repeat(np.arange(n), samples)
        scenarios = distribution.sample(samples, seed)[instance].ravel()
    p, variance = distribution.p[scenarios], np.zeros(n)
    values, none = scenario_values(chosen, distribution, scenarios, predicted, owner, on_infeasible)
    known = ~np.isnan(values)

    def total(of_scenario: Any) -> Any:
        if samples is not None:
            return np.where(known, of_scenario, 0.0).reshape(n, samples).sum(axis=1)
        return np.bincount(owner[known], (p * of_scenario)[known], minlength=n)

    count = total(1.0)
    each = ratio(total(values), count)
    if samples is not None:
        spread = total((values - each[owner]) ** 2)
        variance = np.where(count > 1, ratio(spread, (count - 1) * count), np.nan)
    each[owner[none]] = np.nan
    defined = ~np.isnan(each)
    mean = float(each[defined].mean()) if defined.any() else float("nan")
    error = float(np.sqrt(variance[defined].sum()) / max(1, defined.sum()))
    return Expected(chosen, each, np.sqrt(variance), mean, error, distribution.ids)


def check_samples(samples: Any) -> None:
    """Refuse what is no number of draws; None evaluates every scenario."""
    if samples is not None:
        check_number(
            "samples",
            samples,
            "a whole number ≥ 2",
            lambda x: isinstance(x, int) and x >= 2,
        )


def scenario_values(
    chosen: Measure,
    distribution: LabelDistribution,
    scenarios: Ints,
    predicted: LabelSets,
    owner: Ints,
    on_infeasible: OnInfeasible = "raise",
) -> tuple[Floats, Ints]:
    """Return the value of the owner's prediction in every scenario, and which have no pairing.

    An error names the instance of the scenario.
    """
    out, none = np.empty(len(scenarios)), [np.empty(0, np.int64)]
    for some in pieces(len(scenarios), BLOCK):
        truth = distribution.sets.take(scenarios[some])
        task = Task(distribution.hierarchy, (chosen,), truth, on_infeasible=on_infeasible,
                    of_whole=False)  # fmt: skip
        try:
            found = found_of(task, predicted.take(owner[some]))
        except (BadInput, Infeasible, SolverLimit) as error:
            if not isinstance(error.instance, int):
                raise
            at = int(distribution.row[scenarios[some.start + error.instance]])
            raise type(error)(error.reason, distribution.name(at)) from error
        out[some] = found.values[:, 0]
        none += [some.start + rows for rows in found.infeasible.values()]
    return out, np.concatenate(none)


def wasserstein_distances(
    law: LabelDistribution,
    other: LabelDistribution | Any,
    *,
    cost: str | Cost = "hops",
    default: float | None = None,
) -> Floats:
    """Return what it costs to move the mass of a law over classes to another one.

    W1 = min over couplings Σ mass · d. In trees and forests it is
    Σ over edges (p, c) of w(p, c) ``|law(at or below c) - other(at or below c)|`` (Evans & Matsen
    2012); elsewhere a minimum-cost flow in whole units, 2**52 to an instance.

    Parameters
    ----------
    law
        A distribution whose scenarios have one label each.
    other
        Another one of the same instances; or label sets, as :func:`hierpair.score` takes them,
        whose labels share the mass 1 evenly. Of single labels it is Σ p(v) d(t, v).
    cost
        Of moving the mass 1, as in ``measure("tree_wasserstein(cost=weights)")``, or a callable.
    default
        In a forest: the length of an edge from each root to a virtual class above them all; and
        the price of all mass where the label set is empty. None: such instances are an error, and
        nan.

    Returns
    -------
    numpy.ndarray
        The distances, shape ``(n_instances,)``.

    Raises
    ------
    BadInput
        For scenarios of several labels or of none, and instances that do not fit.
    Infeasible
        If masses of several trees have no way to each other.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> law = LabelDistribution.from_leaves([[0.5, 0.25, 0.25]], tree, classes="cdb")
    >>> wasserstein_distances(law, [["c"]]).tolist()  # 0.25 · 2 + 0.25 · 3
    [1.25]
    """
    measure("tree_wasserstein").with_options(cost=cost, default=default)  # refuses what is wrong
    sets, mass = _law(law)
    h = law.hierarchy
    if isinstance(other, LabelDistribution):
        if other.hierarchy.fingerprint != h.fingerprint:
            raise BadInput("both distributions must be over the classes of the same hierarchy")
        others, other_mass = _law(other)
    else:
        others = LabelSets.from_labels(other, h, source="labels")
        other_mass = (1 / np.maximum(others.lengths, 1))[others.row]
    if len(others) != len(sets) or (law.ids and others.ids and law.ids != others.ids):
        raise BadInput("both sides must have the same instances in the same order")
    masses = Masses.of_laws(h, others, sets, {"true": other_mass, "predicted": mass})
    found = transport_costs(masses, cost_named(cost), default)
    refuse(np.isinf(found), lambda _: NO_WAY, law.name, Infeasible)
    return np.where(others.lengths > 0, found, np.nan if default is None else default)


def _law(distribution: LabelDistribution) -> tuple[LabelSets, Floats]:
    """Return the classes with mass of every instance, and their masses."""
    if not isinstance(distribution, LabelDistribution) or not distribution.is_single_path:
        raise BadInput(
            "expected a LabelDistribution over single labels (of several take the mean, "
            f"expected(…, 'tree_wasserstein')); got {distribution!r}"
        )
    law = distribution.label_marginals()
    total = np.bincount(law.row, law.values, minlength=len(law))
    refuse(total < 1 - 2 * TOLERANCE, lambda i: (
        f"no label has the probability {1 - total[i]:.4g}; give it to a root"
    ), distribution.name)  # fmt: skip
    return LabelSets.from_arrays(law.indptr, law.indices, len(law.hierarchy), law.ids), law.values
