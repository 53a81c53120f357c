"""The pairing problems of a whole batch of instances, as arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hierpair.hierarchy.arrays import Bools, Floats, Ints
from hierpair.pairing.constraints.counts import Count
from hierpair.pairing.constraints.units import Moved
from hierpair.pairing.pairs import SIDES, Array, Labels, Pairs, Side


class Remark(NamedTuple):
    """What has to be known of a problem beside its cost: a sentence, and for which instances."""

    text: str
    instances: Bools


class CostLimit(NamedTuple):
    """How dear a pair or a missing partner may be, where that is minimised first.

    Attributes
    ----------
    of
        The problem without the limit.
    largest
        Of every instance the largest cost that may be paid; nan without a pairing.
    below
        The next smaller one that it has; -1 where there is none.
    """

    of: PairingProblem
    largest: Floats
    below: Array


@dataclass(frozen=True, eq=False)
class PairingProblem:
    """Problem 1 of Kosmopoulos et al. (2014, §2.3) for a whole batch of instances.

    Minimise the total cost of the chosen pairs plus what the numbers of pairs in sets cost. All
    arrays are NumPy arrays over labels or pairs.

    Attributes
    ----------
    pairs
        All pairs; only those in ``candidate`` may be chosen.
    candidate, required
        Over the pairs: may be chosen, must be chosen.
    costs
        Over the pairs: the cost, or those that are minimised one after the other.
    counts
        What is counted: the partners of the labels of both sides, with what it costs to lack them;
        groups of labels, and of a label's partners, those of a side nested; instances; and sets
        across instances, which make one problem of all of them.
    remarks
        What has to be known beside the costs, and of which instances.
    impossible
        Instances that cannot have a pairing whatever is chosen, and why.
    moved
        Where labels have masses or pairs capacities: what every pair may carry, and in which
        units. All bounds and numbers are in units then, and costs are of the mass 1. None: every
        pair is chosen once or not at all.
    limit
        Where the largest cost is minimised first: how dear a pair or a missing partner may be; the
        dearer ones are no candidates, or may not be missing. None: any.
    """

    pairs: Pairs
    candidate: Bools
    required: Bools
    costs: tuple[Array, ...]
    counts: tuple[Count, ...]
    remarks: tuple[Remark, ...] = ()
    impossible: tuple[Remark, ...] = ()
    moved: Moved | None = None
    limit: CostLimit | None = None

    @property
    def cost(self) -> Array:
        """The cost of every pair, of several the first, which makes the cost of a pairing."""
        return self.costs[0]

    def _by_side(self, of: Callable[[Count], Array]) -> dict[Side, Array]:
        return {s: of(count) for s, count in zip(SIDES, self.counts, strict=False)}

    @property
    def lower(self) -> dict[Side, Ints]:
        """By side, how many partners every label has at least, or pays for."""
        return self._by_side(lambda count: count.lower)

    @property
    def upper(self) -> dict[Side, Ints]:
        """By side, how many partners every label has at most."""
        return self._by_side(lambda count: count.upper)

    @property
    def default(self) -> dict[Side, Array]:
        """By side, the cost of a partner that a label lacks; inf where none may be lacking."""
        return self._by_side(lambda count: count.under()[0])

    @property
    def joined(self) -> bool:
        """Whether some sets span the instances, which are then one problem."""
        return bool(self.quotas)

    @property
    def quotas(self) -> tuple[Count, ...]:
        """The sets that span instances."""
        return tuple(c for c in self.counts if c.kind == "quota")

    @property
    def groups(self) -> tuple[Count, ...]:
        """Bounds of groups of labels, and of partners."""
        return tuple(c for c in self.counts if c.kind in ("group", "partners") and c.is_hard)

    @property
    def total(self) -> tuple[Ints, Ints] | None:
        """Least and largest number of pairs of every instance, where a constraint bounds them."""
        said = (c for c in self.counts if c.kind == "instance" and c.is_hard)
        return next(((c.lower, c.upper) for c in said), None)

    @property
    def costs_of_numbers(self) -> tuple[Count, ...]:
        """What numbers of pairs cost, but for labels that lack partners."""
        return tuple(c for c in self.counts[len(SIDES) :] if not c.is_hard)

    @cached_property
    def carried(self) -> tuple[Ints, Ints]:
        """How many units every pair carries at least and at most."""
        most, whole = self.candidate.astype(np.int64), np.ones(1, dtype=np.int64)
        if self.moved is not None:
            most, whole = self.moved.capacity, self.moved.whole[self.pairs.instance]
        least = self.required.astype(np.int64)
        return np.minimum(least * whole, most) if least.any() else least, most

    @property
    def hopeless(self) -> Bools:
        """Which instances can have no pairing, as is known without a network."""
        of = self.pairs.instance[self.required & ~self.candidate]
        known = np.bincount(of, minlength=self.n_instances) > 0
        for remark in self.impossible:
            known |= remark.instances
        return known

    @property
    def n_components(self) -> int:
        """Number of problems that are solved apart: one per instance, or one if they are joined."""
        return 1 if self.joined else self.n_instances

    def component(self, instance: Ints) -> Ints:
        """Return which of these problems things of instances belong to."""
        return np.zeros_like(instance) if self.joined else instance

    @property
    def n_instances(self) -> int:
        """Number of instances in the batch."""
        return len(self.pairs.ptr) - 1

    def labels(self, side: Side) -> Labels:
        """Return the labels of a side."""
        return self.pairs.labels(side)
