"""Expected values of any measure under a law: every scenario, or a sample of them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, Infeasible, SolverLimit
from hierpair.evaluation.scoring import Accumulator, chosen_measures
from hierpair.hierarchy.arrays import row_numbers
from hierpair.labels import LabelSets, match_instances
from hierpair.measures import Measure
from hierpair.probabilistic.distributions import Law

__all__ = ["Expected", "expected", "expected_by_instance"]

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
    values: NDArray[np.float64]
    errors: NDArray[np.float64]
    value: float
    error: float
    ids: tuple[Hashable, ...] | None = None


def expected(
    measure: str | Measure,
    law: Law,
    prediction: Any,
    *,
    samples: int | None = None,
    seed: int | np.random.Generator = 0,
    **conventions: Any,
) -> Expected:
    """Return the expected value of a prediction under a law.

    Parameters
    ----------
    measure
        Any registered measure, or its name.
    law
        What may be true.
    prediction
        Predicted labels, as :func:`hierpair.score` takes them, or a :class:`Decoded`.
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
    >>> law = Law.from_leaves([[0.25, 0.2, 0.2, 0.35]], tree, classes=["2", "3", "4", "5"])
    >>> round(expected("hf", law, [["1", "5"]]).value, 4)
    0.55
    >>> round(expected("shortest_path", law, [["1", "5"]]).value, 4)
    1.55
    """
    if not isinstance(law, Law):
        raise BadInput(f"expected values need a Law, got {type(law).__name__}")
    (chosen,) = chosen_measures(measure, conventions)
    said = _prediction(law, prediction)
    by_instance = chosen.options.get("average", "samples") == "samples"
    if samples is None and not by_instance:
        raise BadInput(
            f"{chosen.name} is not a mean over instances; its expectation over data sets is drawn: "
            "give samples, such as samples=1000"
        )
    _check_samples(samples)
    if by_instance or samples is None:
        return expected_by_instance(chosen, law, said, samples, seed)
    return _pooled(chosen, law, said, samples, seed)


def expected_by_instance(
    chosen: Measure,
    law: Law,
    said: LabelSets,
    samples: int | None = None,
    seed: int | np.random.Generator = 0,
) -> Expected:
    """Return the expected value of every instance, however the measure is pooled.

    ``said`` is in the order of the law.
    """
    _check_samples(samples)
    if samples is None:
        return _enumerated(chosen, law, said)
    return _sampled(chosen, law, said, samples, seed)


def _check_samples(samples: int | None) -> None:
    if samples is not None and (not isinstance(samples, int) or samples < 2):
        raise BadInput(f"samples must be None or a whole number ≥ 2, got {samples!r}")


def _prediction(law: Law, prediction: Any) -> LabelSets:
    """Return the predicted sets in the order of the law."""
    given = getattr(prediction, "sets", prediction)
    said = LabelSets.from_labels(given, law.hierarchy, source="prediction")
    n = len(law)
    positions = LabelSets.from_arrays(np.arange(n + 1), np.arange(n), max(1, n), law.ids)
    return match_instances(positions, said, system="prediction")


def _enumerated(chosen: Measure, law: Law, said: LabelSets) -> Expected:
    some = np.flatnonzero(law.p > 0)
    owner = row_numbers(law.indptr)[some]
    values = _values(chosen, law, some, said, owner)
    known = ~np.isnan(values)
    mass = np.bincount(owner[known], law.p[some][known], minlength=len(law))
    total = np.bincount(owner[known], (law.p[some] * values)[known], minlength=len(law))
    each = np.full(len(law), np.nan)
    np.divide(total, mass, out=each, where=mass > 0)
    defined = each[~np.isnan(each)]
    mean = float(defined.mean()) if len(defined) else float("nan")
    return Expected(chosen, each, np.zeros(len(law)), mean, 0.0, law.ids)


def _sampled(
    chosen: Measure, law: Law, said: LabelSets, samples: int, seed: int | np.random.Generator
) -> Expected:
    drawn = law.sample(samples, seed)
    owner = np.repeat(np.arange(len(law)), samples)
    values = _values(chosen, law, drawn.ravel(), said, owner).reshape(len(law), samples)
    known = ~np.isnan(values)
    n = known.sum(axis=1)
    filled = np.where(known, values, 0.0)
    each, errors = np.full(len(law), np.nan), np.full(len(law), np.nan)
    np.divide(filled.sum(axis=1), n, out=each, where=n > 0)
    spread = np.where(known, (values - each[:, None]) ** 2, 0.0).sum(axis=1)
    variance = np.divide(spread, (n - 1) * n, out=np.full(len(law), np.nan), where=n > 1)
    errors = np.sqrt(variance)
    defined = ~np.isnan(each)
    mean = float(each[defined].mean()) if defined.any() else float("nan")
    error = float(np.sqrt(variance[defined].sum()) / max(1, defined.sum()))
    return Expected(chosen, each, errors, mean, error, law.ids)


def _pooled(
    chosen: Measure, law: Law, said: LabelSets, samples: int, seed: int | np.random.Generator
) -> Expected:
    drawn = law.sample(samples, seed)
    pooled = np.empty(samples)
    for k in range(samples):
        total = Accumulator(law.hierarchy, [chosen])
        total.update(replace(law.sets.take(drawn[:, k]), ids=None), replace(said, ids=None))
        pooled[k] = total.pooled()[0]
    error = float(pooled.std(ddof=1) / np.sqrt(samples))
    none = np.full(len(law), np.nan)
    return Expected(chosen, none, none, float(pooled.mean()), error, law.ids)


def _values(
    chosen: Measure,
    law: Law,
    scenarios: NDArray[np.int64],
    said: LabelSets,
    owner: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the value of the owner's prediction in every scenario."""
    out = np.empty(len(scenarios))
    total = Accumulator(law.hierarchy, [chosen])
    for lo in range(0, len(scenarios), BLOCK):
        some = slice(lo, lo + BLOCK)
        truth, answer = law.sets.take(scenarios[some]), said.take(owner[some])
        try:
            out[some] = total.update(truth, answer)[:, 0]
        except (BadInput, Infeasible, SolverLimit) as error:
            if not isinstance(error.instance, int):
                raise
            at = int(owner[lo + error.instance])
            raise type(error)(error.reason, law.name(at)) from error
    return out
