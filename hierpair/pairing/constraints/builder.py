"""The builder that constraints write on: its verbs are the whole vocabulary."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, did_you_mean, shown
from hierpair.pairing.constraints.bounds import NOBODY, Bounds, Contradiction, Source
from hierpair.pairing.constraints.grouping import Grouping, without_labels
from hierpair.pairing.constraints.values import bounds_of, default_costs, frozen
from hierpair.pairing.pairs import SIDES, Labels, Pairs, Side
from hierpair.pairing.problem import PairingProblem, Remark

__all__ = ["VERBS", "Absent", "Builder"]

Absent = Literal["skip", "error"]

VERBS = ("bound", "allow_missing", "forbid", "require", "total", "within")


class Builder:
    """A pairing problem in the making; its verbs are all that a constraint can say.

    Every verb has an exact place in a flow network, so whatever is written can be solved. A verb
    that is not here fails by name. Repeated bounds intersect: the largest lower and the smallest
    upper one count, and a contradiction is an error that names both constraints.

    Attributes
    ----------
    pairs
        All pairs of the batch.
    """

    __slots__ = (
        "_bounds",
        "_candidate",
        "_costs",
        "_defaults",
        "_groupings",
        "_impossible",
        "_kinds",
        "_remarks",
        "_required",
        "_source",
        "_total",
        "pairs",
    )

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs
        count = {s: len(self.labels(s)) for s in SIDES}
        self._candidate = np.ones(len(pairs.instance), dtype=bool)
        self._required = np.zeros(len(pairs.instance), dtype=bool)
        self._bounds = {s: Bounds(count[s]) for s in SIDES}
        # default costs, the first and later ones; and who gave them to which labels
        self._costs: dict[Side, list[NDArray[Any]]] = {
            s: [np.full(count[s], np.inf)] for s in SIDES
        }
        self._defaults: dict[Side, list[tuple[Source, NDArray[np.bool_] | None]]]
        self._defaults = {s: [] for s in SIDES}
        self._total: Bounds | None = None
        self._groupings: list[Grouping] = []
        self._kinds: set[str] = set()
        self._remarks: list[Remark] = []
        self._impossible: list[Remark] = []
        self._source = NOBODY

    def __getattr__(self, verb: str) -> NoReturn:
        if verb.startswith("__"):
            raise AttributeError(verb)
        known = [*VERBS, "labels", "others"]
        raise BadInput(
            f"a pairing has no verb {verb!r}; it has {', '.join(known)}"
            f"{did_you_mean(verb, known)} (what a flow network cannot say has no verb)"
        )

    def labels(self, side: Side) -> Labels:
        """Return the labels of a side."""
        return self.pairs.labels(side)

    def others(self, side: Side) -> NDArray[np.int64]:
        """Return, per label, how many labels the other side of its instance has."""
        other = self.labels("true" if side == "predicted" else "predicted")
        count: NDArray[np.int64] = np.diff(other.ptr)[self.labels(side).instance]
        return count

    def bound(
        self,
        side: Side,
        lower: Any,
        upper: Any,
        where: NDArray[np.bool_] | None = None,
    ) -> None:
        """Bound the number of partners of labels; ``upper=None`` leaves it open.

        A bound is a number, an array with one per label, or a function of :class:`Labels`.
        """
        labels = self.labels(side)
        self._kinds.add("bound")
        chosen = None if where is None else self._mask(where, labels.classes.shape, "label")
        lowest, highest = bounds_of(lower, upper, labels, chosen)
        clash = self._bounds[side].add(lowest, highest, chosen, self._source)
        if clash is not None:
            whose, instance = labels.place(clash.at)
            self._contradict(clash, whose, "partners", instance)

    def allow_missing(self, side: Side, cost: Any, where: NDArray[np.bool_] | None = None) -> None:
        """Let labels lack partners at a cost each; a tuple is a cost for each lexicographic one.

        A cost is a number, an array with one per label, or a function of :class:`Labels`.
        """
        labels = self.labels(side)
        self._kinds.add("allow_missing")
        chosen = None if where is None else self._mask(where, labels.classes.shape, "label")
        given = [
            default_costs(c, labels)
            for c in (cost if isinstance(cost, tuple) and cost else (cost,))
        ]
        if given[0][1] is not None:
            chosen = given[0][1] if chosen is None else chosen & given[0][1]
        new, known = [values for values, _ in given], self._costs[side]
        self._same_cost(side, new, chosen)
        if new[0].dtype == object and known[0].dtype != object:
            known[0] = known[0].astype(object)
        known += [np.zeros(len(labels)) for _ in new[len(known) :]]
        at: Any = slice(None) if chosen is None else chosen
        for values, before in zip(new, known, strict=False):
            before[at] = values[at]
        self._defaults[side].append((self._source, chosen))

    def _same_cost(
        self, side: Side, new: list[NDArray[Any]], chosen: NDArray[np.bool_] | None
    ) -> None:
        """Refuse a second default cost of a label that is not the first one."""
        known = self._costs[side]
        for source, before in self._defaults[side]:
            differ = np.zeros(len(known[0]), dtype=bool)
            for one, other in zip_longest(known, new, fillvalue=np.zeros(1)):
                differ |= one != other
            for mask in (chosen, before):
                differ &= True if mask is None else mask
            if differ.any():
                at = int(differ.argmax())
                whose, instance = self.labels(side).place(at)
                raise BadInput(
                    f"{whose} has two default costs, {_short(known[0][at])} ({source}) "
                    f"and {_short(new[0][at])} ({self._source}); say for which labels each is "
                    "meant "
                    "(where), or give one function of labels",
                    instance,
                )

    def forbid(self, where: NDArray[np.bool_]) -> None:
        """Take pairs out."""
        self._kinds.add("forbid")
        self._candidate &= ~self._mask(where, self._candidate.shape, "pair")

    def require(self, where: NDArray[np.bool_]) -> None:
        """Choose these pairs in any case."""
        self._kinds.add("require")
        self._required |= self._mask(where, self._required.shape, "pair")

    def total(self, lower: Any, upper: Any) -> None:
        """Bound the number of chosen pairs of every instance.

        A bound is a number, an array with one per instance of the batch, or a function of
        :class:`Instances`.
        """
        self._kinds.add("total")
        instances = self.pairs.instances
        least, most = bounds_of(lower, upper, instances)
        self._total = self._total or Bounds(len(instances))
        clash = self._total.add(least, most, None, self._source)
        if clash is not None:
            self._contradict(clash, "all pairs of an instance", "pairs", clash.at)

    def within(
        self,
        side: Side,
        group: NDArray[np.int64],
        upper: Any,
        lower: Any = 0,
        *,
        every: NDArray[np.int64] | None = None,
        absent: Absent = "skip",
    ) -> None:
        """Bound the pairs of each group of labels (-1: no group); groups must be nested.

        A bound is a number, an array with one per number of a group, or a function of
        :class:`GroupsOf`. ``every`` holds the numbers of all groups that there can be. For a
        group without labels a minimum means nothing: ``absent="skip"`` leaves it out and remarks
        upon the instance; with ``absent="error"`` the instance has no pairing.
        """
        labels = self.labels(side)
        self._kinds.add("within")
        if group.shape != labels.classes.shape:
            raise BadInput(
                f"expected one group per label {labels.classes.shape}, got shape {group.shape}"
            )
        lower = frozen(lower)
        new = Grouping.of_labels(labels, group.astype(np.int64), lower, upper, self._source)
        for known in self._groupings:
            clash = new.contradiction(known) if known.side == side else None
            if clash is not None:
                whose = new.text(labels, clash.at)
                self._contradict(clash, whose, "pairs", int(new.instance[clash.at]))
        if absent not in ("skip", "error"):
            raise BadInput(f"absent must be 'skip' or 'error', got {shown(absent)}")
        if every is not None:
            where = without_labels(new, labels, lower, every)
            if absent == "error":
                text = f"{self._source}, has a minimum for a group without labels"
                self._impossible.append(Remark(text, where))
            elif where.any():
                text = f"the minimum of {self._source}, asks nothing of groups without labels"
                self._remarks.append(Remark(text, where))
        self._groupings.append(new)

    def problem(self, cost: NDArray[Any]) -> PairingProblem:
        """Return the problem that the constraints make of pairs with these costs."""
        lower = {s: b.lower for s, b in self._bounds.items()}
        upper: dict[Side, NDArray[np.int64]] = {  # more is never used
            s: np.minimum(b.upper, np.maximum(self.others(s), b.lower))
            for s, b in self._bounds.items()
        }
        total = None
        if self._total is not None:
            most = np.minimum(np.diff(self.pairs.ptr), self._total.upper)
            total = self._total.lower, np.maximum(most, self._total.lower)
        return PairingProblem(
            self.pairs,
            self._candidate & ~np.isposinf(cost.astype(np.float64)),
            self._required,
            cost,
            lower,
            upper,
            {s: costs[0] for s, costs in self._costs.items()},
            total,
            tuple(self._groupings),
            kinds=frozenset(self._kinds),
            remarks=tuple(self._remarks),
            impossible=tuple(self._impossible),
        )

    def default_costs(self, side: Side) -> list[NDArray[Any]]:
        """Return the default costs of a side: the first, which are inf for none, and later ones."""
        return self._costs[side]

    def written_by(self, source: Source) -> None:
        """Note which constraint writes from now on."""
        self._source = source

    def _contradict(self, clash: Contradiction, whose: str, what: str, instance: int) -> None:
        one, other = clash.from_lower, clash.from_upper
        if other.number > one.number:
            one, other = other, one
        raise BadInput(
            f"{one}, contradicts {other}: {whose} cannot have at least {clash.lower} and at most "
            f"{clash.upper} {what}",
            instance,
        )

    def _mask(self, where: Any, shape: tuple[int, ...], one: str) -> NDArray[np.bool_]:
        mask = np.asarray(where)
        if mask.dtype != bool or mask.shape != shape:
            raise BadInput(
                f"expected one truth value per {one} {shape}, got {mask.dtype} of shape "
                f"{mask.shape}"
            )
        return mask


def _short(cost: Any) -> str:
    """Return a cost as it was written: 5, not 5.0."""
    return f"{cost:.0f}" if isinstance(cost, float) and cost.is_integer() else str(cost)
