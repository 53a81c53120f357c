"""Constraints on how much: masses of labels, and capacities of pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from hierpair.errors import BadInput, shown
from hierpair.pairing.constraints.builder import Builder
from hierpair.pairing.constraints.numbers import (
    Where,
    chosen_labels,
    freeze,
    numbers_of,
    spread,
    too_large,
)
from hierpair.pairing.constraints.units import exact_amount, shares
from hierpair.pairing.pairs import Array, Pairs, Side

__all__ = ["Capacity", "Mass"]


@dataclass(frozen=True)
class Mass:
    """Every label of a side has a mass, which pairs carry to the other side in any parts.

    With a ``Mass`` on both sides a pairing is an optimal transport, and costs are of the mass 1:
    of pairs, and of what :class:`Unmatched` lets stay behind. All other bounds are masses too, and
    may be fractions. Masses of a label by several constraints must be the same.

    Parameters
    ----------
    side
        ``"predicted"`` or ``"true"``.
    mass
        A number ≥ 0; an array with one per class, in the order of ``hierarchy.names``; a dict
        ``{class: mass}``; or a callable that takes :class:`Labels` and returns one per label. Whole
        numbers and Fractions are exact, and so are floats of up to 40 binary digits that are
        multiples of 2**-40; others are rounded to at most 2**40 units of an instance, by largest
        remainder, so that sums stay.
    where
        Only for these labels, as for :class:`Degree`.
    lower
        How much of it must be moved at least, in the same forms; None: all. ``lower=0`` and a
        :class:`Cardinality` say how much is moved in all (partial transport).
    share
        Divide the masses of an instance by their sum, so that both sides have the mass 1.

    Raises
    ------
    BadInput
        Where a rule is applied: for a mass that is no number ≥ 0, and for masses of both sides
        with different sums that have no :class:`Unmatched`.

    Examples
    --------
    Both sides share the mass 1 evenly: a Wasserstein distance of label sets.

    >>> from hierpair import Hierarchy, Hops, Rule
    >>> from hierpair.labels import LabelSets
    >>> from hierpair.pairing import Pairs, formulate, solve_pairing
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
    >>> truth = LabelSets.from_labels([["b", "c", "d"]], tree)
    >>> said = LabelSets.from_labels([["b", "d"]], tree)
    >>> even = Rule(Hops(), (Mass("predicted", 1, share=True), Mass("true", 1, share=True)))
    >>> found = solve_pairing(formulate(even, Pairs.between(tree, truth, said)))
    >>> found.cost.tolist(), found.units.reshape(2, 3).sum(axis=1).tolist(), found.whole.tolist()
    ([0.8333333333333334], [3, 3], [6])
    """

    side: Side
    mass: Any
    where: Where = None
    lower: Any = None
    share: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.share, bool):
            raise BadInput(f"share must be True or False, got {shown(self.share)}")
        if self.share and self.lower is not None:
            raise BadInput("lower is of given masses; of shares say how much with a Cardinality")
        freeze(self, "mass", "lower")

    def __call__(self, builder: Builder) -> None:
        """Let as many units through the arc of the label as its mass has."""
        labels = builder.labels(self.side)
        where = chosen_labels(self.where, labels)
        some = np.ones(len(labels), dtype=bool) if where is None else where
        given, listed = spread(self.mass, labels, "the mass")
        unlisted = np.zeros(0) if listed is None else np.flatnonzero(some & ~listed)
        if len(unlisted):
            whose, instance = labels.place(int(unlisted[0]))
            raise BadInput(
                f"{whose} has no mass; list it (0 for none), or say for which labels masses are "
                "meant (where)",
                instance,
            )
        mass = numbers_of(given, len(labels), "the mass", labels.place, some, endless=False)
        too_large(np.where(some, mass, 0), "the mass", labels)
        if self.share:
            amount = exact_amount(np.where(some, mass, 0), labels, "the mass")
            shared = shares(amount, labels, some)
            builder.count(self.side, shared, shared, where=where, carried=True)
        else:
            lower = mass if self.lower is None else self.lower
            builder.count(self.side, lower, mass, where=where, carried=True)


@dataclass(frozen=True, eq=False)
class Capacity:
    """Every pair may be used so many times, or carry so much mass.

    Without it a pair is used once, or carries all that the masses of its labels let it.
    Several of them hold together: the least counts.

    Parameters
    ----------
    capacity
        A number ≥ 0, None for any; a scipy sparse array by class, ``[predicted, true]``, in the
        order of ``hierarchy.names`` (pairs that it does not hold have 0), or a dense one; or a
        callable that takes :class:`Pairs` and returns one number per pair.

    Examples
    --------
    >>> from hierpair.pairing.constraints.source import constraint_text
    >>> constraint_text(Capacity(2))
    'Capacity(2)'
    """

    capacity: Any | Callable[[Pairs], Array]

    def __post_init__(self) -> None:
        given = self.capacity
        if scipy.sparse.issparse(given):
            given = scipy.sparse.csr_array(given, copy=True)
        elif isinstance(given, (np.ndarray, list)):
            given = np.array(given)
            if given.ndim == 0:
                given = given.item()
            elif given.ndim != 2:
                raise BadInput(
                    "a capacity is a number, an array [predicted, true] by class, or a function of "
                    f"Pairs; got an array of shape {given.shape}"
                )
        elif isinstance(given, (str, dict, tuple, bool)):
            raise BadInput(
                "a capacity is a number, an array [predicted, true] by class, or a function of "
                f"Pairs; got {shown(given)}"
            )
        object.__setattr__(self, "capacity", given)

    def __call__(self, builder: Builder) -> None:
        """Put the upper bound on the arcs of pairs."""
        builder.count("pair", 0, self._of(builder.pairs), carried=True)

    def _of(self, pairs: Pairs) -> Any:
        n = len(pairs.hierarchy)
        given: Any = self.capacity
        if not scipy.sparse.issparse(given) and not isinstance(given, np.ndarray):
            return given
        if given.shape != (n, n):
            raise BadInput(f"expected {n} × {n} capacities, got shape {given.shape}")
        picked = given[pairs.predicted, pairs.true]
        return np.asarray(picked.todense() if scipy.sparse.issparse(picked) else picked).ravel()
