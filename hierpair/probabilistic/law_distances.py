"""The Wasserstein distance of laws over classes, from each other or from label sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from hierpair.errors import BadInput, Infeasible, counted, shown
from hierpair.hierarchy.arrays import Floats, row_numbers
from hierpair.labels import LabelSets
from hierpair.measures import measure
from hierpair.pairing import Cost, Masses, cost_named, transport_costs
from hierpair.probabilistic.distributions import TOLERANCE, LabelDistribution

__all__ = ["wasserstein_distances"]


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
            raise BadInput("both laws must be over the classes of the same hierarchy")
        others, other_mass = _law(other)
    else:
        others = LabelSets.from_labels(other, h, source="labels")
        other_mass = (1 / np.maximum(others.lengths, 1))[row_numbers(others.indptr)]
    if len(others) != len(sets):
        raise BadInput(f"{counted(len(sets), 'law')} and {len(others)} of the other side")
    if law.ids is not None and others.ids is not None and law.ids != others.ids:
        raise BadInput("both sides have ids, and they are not the same in the same order")
    masses = Masses.of_laws(h, others, sets, {"true": other_mass, "predicted": mass})
    found = transport_costs(masses, cost_named(cost), default)
    if np.isinf(found).any():
        raise Infeasible(
            "some of the mass has no way: classes have no common ancestor; give default, the "
            "length of an edge from each root to a class above them all",
            law.name(int(np.isinf(found).argmax())),
        )
    return np.where(others.lengths > 0, found, np.nan if default is None else default)


def _law(distribution: LabelDistribution) -> tuple[LabelSets, Floats]:
    """Return the classes with mass of every instance, and their masses."""
    if not isinstance(distribution, LabelDistribution):
        raise BadInput(f"a law is a LabelDistribution, got {shown(distribution)}")
    if not distribution.is_single_path:
        raise BadInput(
            "scenarios of several labels are no law over classes; expected(…, "
            "'tree_wasserstein') averages over label sets"
        )
    law = distribution.label_marginals()
    total = np.bincount(row_numbers(law.indptr), law.values, minlength=len(law))
    lacking = np.flatnonzero(total < 1 - 2 * TOLERANCE)
    if len(lacking):
        i = int(lacking[0])
        raise BadInput(
            f"no label has the probability {1 - total[i]:.4g}, and that mass is at no class; give "
            "it to a root",
            distribution.name(i),
        )
    sets = LabelSets.from_arrays(law.indptr, law.indices, len(law.hierarchy), law.ids)
    return sets, law.values
