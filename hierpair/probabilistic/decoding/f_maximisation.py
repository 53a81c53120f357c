"""Exact decoding of measures that are modular once the size of the prediction is fixed: hF_β."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hierpair.errors import BadInput, counted
from hierpair.hierarchy.arrays import Floats, Ints
from hierpair.probabilistic.decoding.decoded import Decoded, proved
from hierpair.probabilistic.decoding.exact_decoders import Task, decoder
from hierpair.probabilistic.decoding.probability_rows import need_distribution
from hierpair.probabilistic.decoding.size_probabilities import Support, supports
from hierpair.probabilistic.distributions import LabelDistribution

__all__ = ["decode_hf", "decode_hp", "decode_hr"]

Weight = Callable[[int, int], float]
SLACK = 1e-12
"""A larger set must be better by so much: less is rounding."""


def decode_hf(
    distribution: LabelDistribution,
    beta: float = 1,
    *,
    root: Any = "exclude",
    closed: bool = True,
    zero_division: float = 0,
) -> Decoded:
    """Return the set with the largest expected hierarchical F-beta, on any hierarchy.

    For predictions S of k classes the expected value is the sum over S of
    ``sum of p_j (1 + β²) / (k + β² |Y_j|)`` over the scenarios j that hold the class. So the k
    classes with the largest sums are the best of size k, and they are closed by themselves, since
    a parent's sum is never below its child's. The best size is found by trying them; from the
    largest true set on, ``(1 + β²) sum of P(|Y| = d) min(k, d) / (k + β² d)`` bounds all larger
    sizes, and ends the search (general F maximisation: Dembczyński et al. 2011; Waegeman et al.
    2014).

    Parameters
    ----------
    distribution
        Any distribution: single or several paths, on a tree, forest or DAG.
    beta
        Weight of recall, a finite number ≥ 0.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.
    closed
        Whether label sets are augmented by their ancestors; False decodes flat F-beta.
    zero_division
        What F is worth where 0/0: for ``beta=0`` an empty prediction with a true class.

    Returns
    -------
    Decoded
        Of equally good sets a smallest one, with higher classes first.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4"), ("1", "5")])
    >>> distribution = LabelDistribution.from_leaves([[0.25, 0.2, 0.2, 0.35]], tree)
    >>> best = decode_hf(distribution)
    >>> best.sets.names_of(0, tree), round(float(best.value[0]), 4)
    (['1', '2', '5'], 0.565)
    """
    if not 0 <= beta < 1e100:
        raise BadInput(f"beta must be a finite number ≥ 0, got {beta!r}")
    square = float(beta) ** 2

    def weight(k: int, d: int) -> float:
        return (1 + square) / (k + square * d)

    method = "best classes of every size, larger sizes bounded"
    alone = zero_division if beta == 0 else 0.0
    return _decode(distribution, weight, root, closed, method, nothing_predicted=alone)


def decode_hp(
    distribution: LabelDistribution,
    *,
    size: int | None = None,
    root: Any = "exclude",
    closed: bool = True,
    zero_division: float = 0,
) -> Decoded:
    """Return the set with the largest expected hierarchical precision.

    One most probable class at the top is as good as any set: precision alone does not ask for
    more.

    Parameters
    ----------
    distribution, root, closed
        As for :func:`decode_hf`.
    size
        How many classes to predict, the most probable ones; by default one or none.
    zero_division
        What the precision of an empty prediction is worth where something is true.

    Raises
    ------
    BadInput
        If fewer than ``size`` classes of an instance have a probability.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> distribution = LabelDistribution.from_leaves([[0.3, 0.5, 0.2]], tree)
    >>> best = decode_hp(distribution, size=2)
    >>> best.sets.names_of(0, tree), float(best.value[0])
    (['1', '3'], 0.6)
    """
    only = 1 if size is None else _checked(size)
    return _decode(
        distribution,
        lambda k, d: 1 / k,
        root,
        closed,
        "most probable classes",
        nothing_predicted=zero_division,
        only=only,
        empty=size is None,
    )


def decode_hr(
    distribution: LabelDistribution,
    *,
    size: int | None = None,
    root: Any = "exclude",
    closed: bool = True,
    zero_division: float = 0,
) -> Decoded:
    """Return the set with the largest expected hierarchical recall.

    Without ``size`` every class that may be true.

    Parameters
    ----------
    distribution, root, closed
        As for :func:`decode_hf`.
    size
        How many classes to predict: those with the largest ``sum of p_j / |Y_j|`` over the
        scenarios that hold them.
    zero_division
        What the recall of a prediction is worth where nothing is true.

    Raises
    ------
    BadInput
        If fewer than ``size`` classes of an instance have a probability.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> distribution = LabelDistribution.from_leaves([[0.3, 0.5, 0.2]], tree)
    >>> best = decode_hr(distribution, size=2)
    >>> best.sets.names_of(0, tree), round(float(best.value[0]), 4)
    (['1', '2'], 0.65)
    """
    only = -1 if size is None else _checked(size)
    return _decode(
        distribution,
        lambda k, d: 1 / d,
        root,
        closed,
        "largest shares of the true sets",
        only=only,
        empty=size is None,
        nothing_true=zero_division,
    )


def _checked(size: int) -> int:
    if not isinstance(size, int) or size < 1:
        raise BadInput(f"size must be a whole number ≥ 1, got {size!r}")
    return size


def _decode(
    distribution: LabelDistribution,
    weight: Weight,
    root: Any,
    closed: bool,
    method: str,
    *,
    nothing_predicted: float = 0.0,
    only: int = 0,
    empty: bool = True,
    nothing_true: float = 0.0,
) -> Decoded:
    """Find the best set of every instance.

    ``nothing_predicted`` is the value of an empty prediction where something is true, and
    ``nothing_true`` that of a prediction where nothing is; with both empty it is 1. ``only`` is
    the one size to look at (-1: all classes there are) besides none.
    """
    need_distribution(distribution, "this measure")
    value = np.empty(len(distribution))
    rows: list[Ints] = []
    nodes: list[Ints] = []
    for s in supports(distribution, root, closed=closed):
        short = np.flatnonzero(s.length < only)
        if len(short) and not empty:
            raise BadInput(
                f"{counted(int(s.length[short[0]]), 'class')} with a probability, fewer than "
                f"size={only}",
                distribution.name(s.first + int(short[0])),
            )
        best, size = _best_sizes(s, weight, only, empty, nothing_predicted, nothing_true)
        value[s.first : s.first + len(best)] = best
        for k in np.unique(size[size > 0]).tolist():
            some = np.flatnonzero(size == k)
            gain = _gains(s, weight, k, some)
            top = np.argsort(-gain, axis=1, kind="stable")[:, :k]
            rows.append(np.repeat(some, k) + s.first)
            nodes.append(np.take_along_axis(s.node[some], top, axis=1).ravel())
    return proved(distribution, rows, nodes, value, "higher", method)


def _gains(s: Support, weight: Weight, k: int, rows: Ints) -> Floats:
    """Return what every class adds to a prediction of k classes; -1 where a row has ended.

    The sum is made size by size in one order, so that rounding keeps a parent's gain at or above
    its child's.
    """
    gain = np.zeros((len(rows), s.node.shape[1]))
    for d, mass in zip(s.sizes.tolist(), s.mass, strict=True):
        if d > 0:
            gain += weight(k, d) * mass[rows]
    gain[s.node[rows] < 0] = -1.0
    return gain


def _best_sizes(
    s: Support,
    weight: Weight,
    only: int,
    empty: bool,
    nothing_predicted: float,
    nothing_true: float,
) -> tuple[Floats, Ints]:
    """Return the best value of every row and the size that has it."""
    n = len(s.node)
    zero = s.of_size[:, s.sizes == 0].sum(axis=1)
    there = s.of_size[:, s.sizes > 0].sum(axis=1)
    best = zero + nothing_predicted * there if empty else np.full(n, -np.inf)
    size = np.zeros(n, dtype=np.int64)
    if only:
        # every row has one size to try: the given one, or all its classes
        wanted = s.length if only == -1 else np.minimum(only, s.length)
        for k in np.unique(wanted[wanted > 0]).tolist():
            some = np.flatnonzero(wanted == k)
            _try(s, weight, k, some, nothing_true * zero, best, size)
        return best, size
    active = np.flatnonzero(s.length > 0)
    largest = int(s.sizes.max(initial=0))
    positive = s.sizes > 0
    d = s.sizes[positive].astype(np.float64)
    k = 0
    while len(active):
        k += 1
        _try(s, weight, k, active, nothing_true * zero, best, size)
        active = active[s.length[active] > k]
        if k + 1 >= largest and len(active):
            factor = np.array([weight(k + 1, int(x)) for x in d]) * np.minimum(k + 1, d)
            bound = s.of_size[active][:, positive] @ factor + nothing_true * zero[active]
            active = active[bound > best[active] + SLACK]
    return best, size


def _try(
    s: Support, weight: Weight, k: int, rows: Ints, extra: Floats, best: Floats, size: Ints
) -> None:
    """Value the best k classes as a prediction and keep what is better."""
    gain = _gains(s, weight, k, rows)
    if k < gain.shape[1]:
        gain = np.partition(gain, gain.shape[1] - k, axis=1)[:, -k:]
    value = np.maximum(gain, 0).sum(axis=1) + extra[rows]
    better = value > best[rows] + SLACK
    best[rows[better]] = value[better]
    size[rows[better]] = k


@decoder(
    lambda task: (
        task.formula in ("hf", "hp", "hr")
        and task.is_distribution
        and task.average == "samples"
        and task.options["augment"] in ("ancestors", "none")
        and not np.isnan(task.options["zero_division"])
    )
)
def _hierarchical(task: Task) -> Decoded:
    o = task.options
    common = {"root": o["root"], "closed": task.is_augmented, "zero_division": o["zero_division"]}
    if task.formula == "hf":
        return decode_hf(task.full, o["beta"], **common)
    return (decode_hp if task.formula == "hp" else decode_hr)(task.full, **common)


def _has_labels(task: Task) -> bool:
    """Whether every scenario has one: of none flat F is zero_division, hierarchical F is 1."""
    return bool((task.full.sets.lengths > 0)[task.full.p > 0].all())


@decoder(
    lambda task: (
        task.formula == "f"
        and task.is_distribution
        and task.average == "samples"
        and task.options["beta"] != 0
        and _has_labels(task)
    )
)
def _flat(task: Task) -> Decoded:
    return decode_hf(task.full, task.options["beta"], root="include", closed=False)
