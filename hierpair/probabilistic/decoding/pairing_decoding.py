"""Exact decoding of expected pairing costs with any costs: a mixed-integer programme."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from hierpair.errors import BadInput, SolverLimit
from hierpair.probabilistic.decoding.decoded import Decoded, DecodingCertificate, label_sets
from hierpair.probabilistic.decoding.probability_rows import candidate_classes
from hierpair.probabilistic.distributions import LabelDistribution

__all__ = ["decode_pairing"]

Cost = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]


def decode_pairing(
    distribution: LabelDistribution,
    default: float = 5,
    *,
    cost: Cost | None = None,
    default_true: float | None = None,
    upper: int | None = 1,
    upper_true: int | None = 1,
    candidates: Any = None,
    limit: float | None = None,
) -> Decoded:
    """Return the set with the least expected cost of its best pairing with the true set.

    Every predicted and every true class has at least one partner, or stays alone for its
    default cost; ``upper`` bounds the partners. With one partner each it is GIE, without a
    bound the cost behind MGIA, where a pair counts once for both of its classes. Once the
    prediction is fixed, pairing is a flow for every scenario, so only the choice of classes
    needs whole numbers; HiGHS branches on it. The problem is NP-hard for arbitrary costs.

    Parameters
    ----------
    distribution
        Any distribution. Labels are compared as they are; ancestors are not added.
    default
        Cost ≥ 0 of a predicted class without partner.
    cost
        ``cost(predicted, true)`` on arrays of class numbers, ≥ 0, inf where a pair is
        impossible; by default the distance in edges through a common ancestor.
    default_true
        Cost of a true class without partner; by default the same.
    upper, upper_true
        Partners of a predicted and of a true class; None for any number.
    candidates
        Class numbers that may be predicted, in any order; by default all.
    limit
        Seconds for an instance; the best set so far then counts and the certificate is not
        exact.

    Raises
    ------
    SolverLimit
        If nothing was found in time.
    """
    if not isinstance(distribution, LabelDistribution):
        raise BadInput(
            f"expected pairing costs need a LabelDistribution, got {type(distribution).__name__}"
        )
    h = distribution.hierarchy
    alone = _priced("default", default)
    alone_true = alone if default_true is None else _priced("default_true", default_true)
    chosen = candidate_classes(h, candidates)
    cost = cost or (lambda u, v: h.pair_distances(u, v, weighted=False))
    value, bound = np.empty(len(distribution)), np.empty(len(distribution))
    exact = True
    rows: list[NDArray[np.int64]] = []
    nodes: list[NDArray[np.int64]] = []
    for i in range(len(distribution)):
        scenarios = _merged(distribution, i)
        arcs = _arcs(scenarios, chosen, cost, alone + alone_true, upper == upper_true == 1)
        model = _Model(scenarios, arcs, len(chosen), alone, alone_true, upper, upper_true)
        taken, value[i], bound[i], proved = model.solve(limit, distribution.name(i))
        exact = exact and proved
        rows.append(np.full(len(taken), i))
        nodes.append(chosen[taken])
    none = np.empty(0, dtype=np.int64)
    row, node = np.concatenate([none, *rows]), np.concatenate([none, *nodes])
    sets = label_sets(h, len(distribution), row, node, distribution.ids)
    said = "mixed-integer programme" if exact else "mixed-integer programme, stopped by the limit"
    return Decoded(sets, value, "lower", DecodingCertificate(said, exact, bound))


Scenarios = list[tuple[float, NDArray[np.int64]]]


def _priced(name: str, given: float) -> float:
    if not 0 <= float(given) < 1e100:
        raise BadInput(f"{name} must be a finite number ≥ 0, got {given!r}")
    return float(given)


def _merged(distribution: LabelDistribution, i: int) -> Scenarios:
    """Return the distinct true sets of an instance with their probabilities."""
    merged: dict[tuple[int, ...], float] = {}
    for j in range(int(distribution.indptr[i]), int(distribution.indptr[i + 1])):
        key = tuple(
            distribution.sets.indices[
                distribution.sets.indptr[j] : distribution.sets.indptr[j + 1]
            ].tolist()
        )
        if distribution.p[j] > 0:
            merged[key] = merged.get(key, 0.0) + float(distribution.p[j])
    return [(p, np.array(key, dtype=np.int64)) for key, p in merged.items()]


def _arcs(
    scenarios: Scenarios,
    chosen: NDArray[np.int64],
    cost: Cost,
    useless: float,
    one_to_one: bool,
) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]]:
    """Return of every scenario the pairs that may pay: places of both classes, and the cost.

    A pair that costs as much as both classes alone is never needed. Where classes may have
    several partners, it can still not be cheaper than leaving both alone.
    """
    true = np.unique(np.concatenate([np.empty(0, np.int64), *(y for _, y in scenarios)]))
    paid = np.asarray(cost(np.repeat(chosen, len(true)), np.tile(true, len(chosen))), float)
    if np.isnan(paid).any() or (paid < 0).any():
        raise BadInput("costs of pairs must be ≥ 0")
    table = paid.reshape(len(chosen), len(true))
    found = []
    for _, y in scenarios:
        part = table[:, np.searchsorted(true, y)]
        useful = part < useless if one_to_one else (part <= useless) & np.isfinite(part)
        u, v = np.nonzero(useful)
        found.append((u, v, part[u, v]))
    return found


class _Model:
    """The programme of one instance.

    Variables: z, which classes are predicted; then of every scenario x for its pairs, d for
    predicted classes without partner, w for true ones. Constraints: a predicted class has
    partners or pays, at most so many; a true class too; only predicted classes have partners.
    """

    def __init__(
        self,
        scenarios: Scenarios,
        arcs: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]],
        n: int,
        alone: float,
        alone_true: float,
        upper: int | None,
        upper_true: int | None,
    ) -> None:
        self.n = n
        self.cost, self.upper = [np.zeros(n)], [np.ones(n)]
        self.rows: list[tuple[Any, Any, Any]] = []
        self.low: list[NDArray[np.float64]] = []
        self.high: list[NDArray[np.float64]] = []
        self.n_rows, self.n_columns = 0, n
        for (p, y), (u, v, cost) in zip(scenarios, arcs, strict=True):
            x = self._columns(p * cost)
            d = self._columns(np.full(n, p * alone))
            w = self._columns(np.full(len(y), p * alone_true))
            z = np.arange(n)
            # partners or default: sum x + d - z >= 0, and at most so many with the default
            self._add([(u, x, 1.0), (z, d, 1.0), (z, z, -1.0)], n, 0.0, np.inf)
            if upper is not None:
                self._add([(u, x, 1.0), (z, z, -float(upper))], n, -np.inf, 0.0)
            t = np.arange(len(y))
            self._add([(v, x, 1.0), (t, w, 1.0)], len(y), 1.0, np.inf)
            if upper_true is not None:
                self._add([(v, x, 1.0)], len(y), -np.inf, float(upper_true))
            pairs = np.arange(len(x))
            self._add([(pairs, x, 1.0), (pairs, u, -1.0)], len(x), -np.inf, 0.0)

    def _columns(self, cost: NDArray[np.float64]) -> NDArray[np.int64]:
        first = self.n_columns
        self.n_columns += len(cost)
        self.cost.append(cost)
        self.upper.append(np.ones(len(cost)))
        return np.arange(first, self.n_columns)

    def _add(self, terms: list[tuple[Any, Any, float]], n: int, low: float, high: float) -> None:
        for row, column, factor in terms:
            self.rows.append((row + self.n_rows, column, np.full(len(row), factor)))
        self.low.append(np.full(n, low))
        self.high.append(np.full(n, high))
        self.n_rows += n

    def solve(self, limit: float | None, name: Any) -> tuple[NDArray[np.int64], float, float, bool]:
        """Return the chosen places, the cost, a bound from below, and whether it is proved."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        row, column, factor = (np.concatenate(part) for part in zip(*self.rows, strict=True))
        # HiGHS counts in 32 bits, and SciPy before 1.15 does not convert
        places = (row.astype(np.int32), column.astype(np.int32))
        matrix = sp.csr_array((factor, places), shape=(self.n_rows, self.n_columns))
        whole = np.zeros(self.n_columns)
        whole[: self.n] = 1
        options = {"mip_rel_gap": 0.0} | ({} if limit is None else {"time_limit": float(limit)})
        found = milp(
            np.concatenate(self.cost),
            integrality=whole,
            bounds=Bounds(0, np.concatenate(self.upper)),
            constraints=LinearConstraint(
                matrix, np.concatenate(self.low), np.concatenate(self.high)
            ),
            options=options,
        )
        if found.x is None:
            raise SolverLimit(f"the programme was not solved ({found.message.strip()})", name)
        taken = np.flatnonzero(found.x[: self.n] > 0.5)
        bound = found.fun if found.mip_dual_bound is None else found.mip_dual_bound
        return taken, float(found.fun), float(min(bound, found.fun)), bool(found.status == 0)
