"""The builder that constraints write on: its verbs are the whole vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, did_you_mean, shown
from hierpair.pairing.constraints.amounts import OPEN, costs, kept, limits, limits_of_instances
from hierpair.pairing.constraints.bounds import NOBODY, Bounds, Contradiction, Source
from hierpair.pairing.constraints.groups import (
    Grouping,
    bounded,
    lacking,
    members,
    needed,
    same_sets,
)
from hierpair.pairing.pairs import Labels, Pairs, Side

__all__ = ["VERBS", "Absent", "Builder", "Compiled", "Remark"]

Absent = Literal["skip", "error"]

VERBS = ("bound", "allow_missing", "forbid", "require", "total", "within")


class Remark(NamedTuple):
    """What has to be known of a problem beside its cost: a sentence, and for which instances."""

    text: str
    instances: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Compiled:
    """What all constraints of a rule come to, in arrays; see :class:`PairingProblem`."""

    candidate: NDArray[np.bool_]
    required: NDArray[np.bool_]
    lower: dict[Side, NDArray[np.int64]]
    upper: dict[Side, NDArray[np.int64]]
    default: dict[Side, NDArray[Any]]
    default_in_turn: dict[Side, dict[int, NDArray[Any]]]
    total: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    groupings: tuple[Grouping, ...]
    kinds: frozenset[str]
    remarks: tuple[Remark, ...]
    impossible: tuple[Remark, ...]


class Builder:
    """A pairing problem in the making; its verbs are all that a constraint can say.

    Every verb has an exact place in a flow network, so whatever can be said can be solved. A
    verb that is not here fails by name. What is said again is said as well: the largest lower and
    the smallest upper bound count, and a contradiction is an error that names both constraints.

    Attributes
    ----------
    pairs
        All pairs of the batch.
    """

    __slots__ = (
        "_bounds",
        "_candidate",
        "_default",
        "_groupings",
        "_impossible",
        "_in_turn",
        "_kinds",
        "_priced",
        "_remarks",
        "_required",
        "_source",
        "_total",
        "pairs",
    )  # fmt: skip

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs
        sides: tuple[Side, Side] = ("predicted", "true")
        count = {s: len(self.labels(s).classes) for s in sides}
        self._candidate = np.ones(len(pairs.instance), dtype=bool)
        self._required = np.zeros(len(pairs.instance), dtype=bool)
        self._bounds = {s: Bounds(count[s]) for s in sides}
        self._default: dict[Side, NDArray[Any]] = {s: np.full(count[s], np.inf) for s in sides}
        self._in_turn: dict[Side, dict[int, NDArray[Any]]] = {s: {} for s in sides}
        self._priced: dict[Side, list[tuple[Source, NDArray[np.bool_] | None]]]
        self._priced = {s: [] for s in sides}
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
        if side not in ("predicted", "true"):
            raise BadInput(f"side must be 'predicted' or 'true', got {side!r}")
        return self.pairs.predicted_labels if side == "predicted" else self.pairs.true_labels

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
        lowest, some = limits(lower, labels, "lower")
        highest, others = limits(upper, labels, "upper")
        # a class that a dict does not name has no such bound
        lowest = lowest if some is None else np.where(some, lowest, 0)
        highest = highest if others is None else np.where(others, highest, OPEN)
        self._check(np.asarray(lowest), np.asarray(highest), chosen, labels)
        clash = self._bounds[side].add(lowest, highest, chosen, self._source)
        if clash is not None:
            name = labels.hierarchy.names[labels.classes[clash.at]]
            self._contradict(
                clash, f"the {side} class {name!r}", "partners", int(labels.instance[clash.at])
            )

    def _check(
        self,
        lowest: NDArray[np.int64],
        highest: NDArray[np.int64],
        chosen: NDArray[np.bool_] | None,
        labels: Labels,
    ) -> None:
        """Refuse bounds that contradict themselves."""
        bad = (lowest < 0) | (lowest > highest)
        if chosen is not None or bad.ndim:
            bad = np.broadcast_to(bad, labels.classes.shape) & (True if chosen is None else chosen)
        if bad.any():
            at = int(bad.argmax())
            low, high = (int(np.broadcast_to(x, bad.shape or (1,))[at]) for x in (lowest, highest))
            most = "any number of" if high == OPEN else f"at most {high}"
            raise BadInput(
                f"a label cannot have at least {low} and {most} partners; the bounds must "
                "be whole numbers with 0 ≤ lower ≤ upper",
                int(labels.instance[at]) if bad.ndim else None,
            )

    def allow_missing(self, side: Side, cost: Any, where: NDArray[np.bool_] | None = None) -> None:
        """Let labels lack partners at a cost each; a tuple is a cost for every turn.

        A cost is a number, an array with one per label, or a function of :class:`Labels`.
        """
        labels = self.labels(side)
        self._kinds.add("allow_missing")
        chosen = None if where is None else self._mask(where, labels.classes.shape, "label")
        first, *later = cost if isinstance(cost, tuple) and cost else (cost,)
        defaults, some = costs(first, labels)
        if some is not None:
            chosen = some if chosen is None else chosen & some
        turns = {turn: costs(one, labels)[0] for turn, one in enumerate(later, start=1)}
        if self._priced[side]:
            self._same_cost(side, defaults, turns, chosen)
        if defaults.dtype == object and self._default[side].dtype != object:
            self._default[side] = self._default[side].astype(object)
        at: Any = slice(None) if chosen is None else chosen
        self._default[side][at] = defaults[at]
        for turn, values in turns.items():
            known = self._in_turn[side]
            known.setdefault(turn, np.zeros(len(defaults)))[at] = values[at]
        self._priced[side].append((self._source, chosen))

    def _same_cost(
        self,
        side: Side,
        costs: NDArray[Any],
        turns: dict[int, NDArray[Any]],
        chosen: NDArray[np.bool_] | None,
    ) -> None:
        """Refuse a second default cost of a label that is not the first one."""
        labels = self.labels(side)
        now = np.ones(len(costs), dtype=bool) if chosen is None else chosen
        for source, before in self._priced[side]:
            both = now if before is None else now & before
            differ = both & (self._default[side] != costs)
            for turn in {*turns, *self._in_turn[side]}:
                one, other = turns.get(turn), self._in_turn[side].get(turn)
                differ |= both & ((0 if one is None else one) != (0 if other is None else other))
            if differ.any():
                at = int(differ.argmax())
                name = labels.hierarchy.names[labels.classes[at]]
                one, other = self._default[side][at], costs[at]
                raise BadInput(
                    f"the {side} class {name!r} has two default costs, {_short(one)} ({source}) "
                    f"and {_short(other)} ({self._source}); say for which labels each is meant "
                    "(where), or give one function of labels",
                    int(labels.instance[at]),
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
        n = len(instances.n_true)
        least = limits_of_instances(lower, instances, "lower")
        most = limits_of_instances(upper, instances, "upper")
        bad = np.atleast_1d((np.asarray(least) < 0) | (np.asarray(least) > most))
        if bad.any():
            low, high = (np.broadcast_to(x, bad.shape)[bad.argmax()] for x in (least, most))
            said = "open" if high == OPEN else f"at most {high}"
            raise BadInput(f"a total cannot be at least {low} and {said}")
        self._total = self._total or Bounds(n)
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
            raise BadInput(f"expected one group per label {labels.classes.shape}, "
                           f"got shape {group.shape}")  # fmt: skip
        least = kept(lower)
        new = bounded(labels, group.astype(np.int64), kept(upper), least, self._source)
        for known in self._groupings:
            clash = same_sets(labels, known, new) if known.side == side else None
            if clash is not None:
                whose = f"the {side} group {members(labels, new, clash[1])}"
                self._contradict(clash[0], whose, "pairs", int(labels.instance[clash[1]]))
        if absent not in ("skip", "error"):
            raise BadInput(f"absent must be 'skip' or 'error', got {shown(absent)}")
        if every is not None:
            where = lacking(labels, new.group, needed(labels, least, every))
            if absent == "error":
                said = f"{self._source}, has a minimum for a group without labels"
                self._impossible.append(Remark(said, where))
            elif where.any():
                said = f"the minimum of {self._source}, asks nothing of groups without labels"
                self._remarks.append(Remark(said, where))
        self._groupings.append(new)

    def compiled(self) -> Compiled:
        """Return what was said, in arrays."""
        pairs = self.pairs
        lower = {s: b.lower for s, b in self._bounds.items()}
        upper: dict[Side, NDArray[np.int64]] = {  # more is never used
            s: np.minimum(b.upper, np.maximum(self.others(s), b.lower))
            for s, b in self._bounds.items()
        }
        total = None
        if self._total is not None:
            most = np.minimum(np.diff(pairs.ptr), self._total.upper)
            total = self._total.lower, np.maximum(most, self._total.lower)
        return Compiled(
            self._candidate, self._required, lower, upper, self._default, self._in_turn,
            total, tuple(self._groupings), frozenset(self._kinds), tuple(self._remarks),
            tuple(self._impossible),
        )  # fmt: skip

    def speaking(self, source: Source) -> None:
        """Note which constraint writes from now on."""
        self._source = source

    def _contradict(self, clash: Contradiction, whose: str, what: str, instance: int) -> None:
        one, other = clash.says_lower, clash.says_upper
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
