"""What is counted: sets of pairs, how many there may be in each, and what every number costs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, called, listed, shown
from hierpair.hierarchy import Hierarchy, ancestors_of
from hierpair.hierarchy.arrays import Bools, Floats, Indices, Ints
from hierpair.pairing.pairs import (
    OPEN,
    Array,
    Labels,
    Pairs,
    Side,
    Things,
    applied,
    named,
    other_side,
)

Kind = Literal["label", "group", "partners", "instance", "quota"]
"""Whose pairs a set holds: a label's, a group's of labels, those of a label with a group of
partners, an instance's, or those of several instances."""

PerCost = tuple[Array, ...]
"""Numbers for each of the costs of a ``Lexicographic``; a single one otherwise."""


@dataclass(frozen=True, eq=False)
class Partition(Things):
    """Sets of pairs of which no two share a pair.

    Everything that a rule can say, it says of how many pairs are in each of such sets: a
    :class:`Count`. Where these are groups, functions of a user's own see them like this.

    Attributes
    ----------
    kind
        What the sets hold.
    side
        On which side of the network they hang; None for instances, which lie between both, and for
        sets across instances, which find their side when the network is written.
    pairs
        The pairs.
    instance
        Of every set, its instance; 0 where sets span instances.
    of_member, by
        Of every member the set that it is in, -1 for none. Members are the labels of the side
        ``by``, or the pairs themselves.
    number, size
        Of groups: the number of each, and how many members it has.
    by_class
        Whether these numbers are those of classes.
    """

    kind: Kind
    side: Side | None
    pairs: Pairs
    instance: Ints
    of_member: Ints
    by: Side | None
    number: Ints
    size: Ints
    by_class: bool = False

    one = "group"

    @property
    def hierarchy(self) -> Hierarchy:
        """The classes."""
        return self.pairs.hierarchy

    def keys_of(self, names: Iterable[Hashable]) -> Array:
        """Return which numbers some names are."""
        return self.hierarchy.index(names) if self.by_class else super().keys_of(names)

    @property
    def things(self) -> Things:
        """What the numbers of a constraint see of the sets."""
        if self.kind == "label" and self.by:
            return self.pairs.labels(self.by)
        return self.pairs.instances if self.kind == "instance" else self

    @property
    def what(self) -> tuple[Any, ...]:
        """What is counted: sets of the same kind on the same side."""
        return self.kind, self.side, self.by, len(self)

    @cached_property
    def of_pair(self) -> Ints:
        """Of every pair, the set that it is in, -1 for none."""
        if self.by is None:
            return self.of_member
        of_pair = self.pairs.at(self.by)
        return of_pair if self.kind == "label" else self.of_member[of_pair]

    @cached_property
    def sizes(self) -> Ints:
        """How many pairs are in each set."""
        return self.units(slice(None))

    def units(self, pairs: Indices | slice, each: Ints | None = None) -> Ints:
        """Return how many of these pairs, given by number, or of their units, are in each set."""
        at = self.of_pair[pairs]
        if each is None or (each == 1).all():
            return np.bincount(at if self.kind == "label" else at[at >= 0], minlength=len(self))
        count = np.zeros(len(self), dtype=np.int64)
        np.add.at(count, at[at >= 0], each[at >= 0])
        return count

    def total(self, values: NDArray[Any]) -> Ints:
        """Return the sum of what the sets of every instance have."""
        found = np.zeros(len(self.pairs.ptr) - 1, dtype=np.int64)
        np.add.at(found, self.instance, values.astype(np.int64))
        return found

    def members(self, at: int) -> Ints:
        """Return the positions of the labels of a set, or of the partners that are grouped."""
        inside = np.flatnonzero(self.of_member == at)
        return inside if self.by else np.unique(self.pairs.at(self.of_labels)[inside])

    @property
    def of_labels(self) -> Side:
        """The side whose labels :meth:`members` are."""
        assert self.side is not None  # instances and sets across them have pairs
        return other_side(self.side) if self.kind == "partners" else self.side

    def owner(self, at: int) -> int:
        """Return the position of the label whose partners a set holds."""
        pair = np.flatnonzero(self.of_member == at)[0]
        return int(self.pairs.at(other_side(self.of_labels))[pair])

    def place(self, at: int) -> tuple[str, int | None]:
        """Return one set in words, and its instance."""
        if self.kind == "label":
            return self.things.place(at)
        if self.kind == "instance":
            return "all pairs of the instance", int(self.instance[at])
        if self.kind == "quota":
            number = int(self.number[at])
            if self.by:
                whose = (
                    f"class {self.hierarchy.names[number]!r}"
                    if self.by_class
                    else f"group {number}"
                )
                return f"the {self.by} {whose} in all instances", None
            whose = f"instances of group {number}" if len(self) > 1 else "data set"
            return f"all pairs of the {whose}", None
        names = self.pairs.labels(self.of_labels).names
        inside = listed(names[i] for i in self.members(at).tolist())
        if self.kind == "group":
            return f"the {self.side} group {inside}", int(self.instance[at])
        whose, instance = self.pairs.labels(other_side(self.of_labels)).place(self.owner(at))
        return f"{whose} with {inside}", instance


def each_label(pairs: Pairs, side: Side) -> Partition:
    """Return a set for every label of a side."""
    labels = pairs.labels(side)
    every = np.arange(len(labels))
    return Partition("label", side, pairs, labels.instance, every, side, every, every)


def each_instance(pairs: Pairs) -> Partition:
    """Return a set for every instance."""
    every = np.arange(len(pairs.ptr) - 1)
    return Partition("instance", None, pairs, every, pairs.instance, None, every, every)


def grouped(
    kind: Kind,
    side: Side | None,
    pairs: Pairs,
    owner: Ints,
    number: Ints,
    by: Side | None,
    **more: Any,
) -> Partition:
    """Return a set for every owner (instance, 0 for all, or label) and number; -1 is in none."""
    inside = np.flatnonzero(number >= 0)
    known, which = np.unique(number[inside], return_inverse=True)
    found, place = np.unique(owner[inside] * len(known) + which, return_inverse=True)
    of_member = np.full(len(number), -1, dtype=np.int64)
    of_member[inside] = place
    size = np.bincount(place, minlength=len(found))
    instance, which = np.divmod(found, max(1, len(known)))
    numbers = known[which].astype(np.int64)
    if kind == "partners" and side:
        instance = pairs.labels(side).instance[instance]
    return Partition(kind, side, pairs, instance, of_member, by, numbers, size, **more)


NOBODY = "another bound"  # for a builder that is written on without a rule


def constraint_text(constraint: Callable[..., Any]) -> str:
    """Return a constraint as it is written, without what is left at its default."""
    if not is_dataclass(constraint):
        return called(constraint)
    parts = []
    for number, f in enumerate(fields(constraint)):
        value = getattr(constraint, f.name)
        if value is f.default or (isinstance(value, int) and value == f.default):
            continue
        text = called(value) if callable(value) else shown(value, 40)
        parts.append(text if number == 0 else f"{f.name}={text}")
    return f"{type(constraint).__name__}({', '.join(parts)})"


class CostStep(NamedTuple):
    """Units of some sets, more or fewer than those that cost nothing, at one cost each."""

    sign: int  # 1: more of them, -1: fewer
    sets: Ints  # by number
    start: Ints  # from how many units they are counted, upwards or downwards
    length: Ints  # how many there are
    costs: PerCost  # of each of them

    def some(self, at: Array) -> CostStep:
        """Return the run of some of its sets."""
        costs = tuple(c[at] for c in self.costs)
        return CostStep(self.sign, self.sets[at], self.start[at], self.length[at], costs)


@dataclass(frozen=True, eq=False)
class Count(Partition):
    """Sets of pairs with a convex cost of how many pairs, or units of them, are in each.

    In a network that is a base arc for the numbers that cost nothing, and an arc for every step
    of costs: beside it for more units, back for fewer. Counts of the same sets follow each
    other there, so that each keeps arcs and a dual price of its own.
    """

    lower: Ints = field(kw_only=True)  # from how many units on they cost nothing, in every set
    upper: Ints = field(kw_only=True)  # and up to how many
    source: str = field(kw_only=True)  # which constraint says so
    runs: tuple[CostStep, ...] = ()  # what more and fewer units cost; others are not allowed
    constant: PerCost = ()  # what the cheapest number costs; empty where it costs nothing

    @classmethod
    def of(cls, sets: Partition, lower: Ints, upper: Ints, source: str, **more: Any) -> Count:
        """Return a count of sets with these bounds."""
        own = {name: getattr(sets, name) for name in Partition.__dataclass_fields__}
        return cls(**own, lower=lower, upper=upper, source=source, **more)

    @property
    def is_hard(self) -> bool:
        """Whether it bounds numbers and no more."""
        return not self.runs and not self.constant

    @property
    def n_costs(self) -> int:
        """How many costs of a ``Lexicographic`` it has."""
        return max((len(x) for x in (self.constant, *(r.costs for r in self.runs))), default=1)

    def hard(self) -> Count:
        """Return it without costs: what is possible stays possible."""
        bounds = {1: self.upper.copy(), -1: self.lower.copy()}
        for run in self.runs:
            np.add.at(bounds[run.sign], run.sets, run.sign * run.length)
        return replace(self, lower=bounds[-1], upper=bounds[1], runs=(), constant=())

    def beyond(self, sign: int, costs: Sequence[Array], where: Any = True) -> Count:
        """Return it with a cost of units below (-1) or above (1) its bounds; inf: not allowed."""
        some = np.flatnonzero(where & (costs[0].astype(np.float64) != np.inf))
        start = (self.lower if sign < 0 else self.upper)[some]
        length, paid = start if sign < 0 else OPEN - start, tuple(c[some] for c in costs)
        run = CostStep(sign, some, start, length, paid)
        return replace(self, runs=(*self.runs, run)) if len(some) else self

    @property
    def must(self) -> Bools:
        """Of which labels no partner may be lacking, at any cost."""
        found: Bools = self.under()[0] == np.inf
        return found

    def under(self, n_costs: int = 1) -> PerCost:
        """Return what every unit below the lower bound costs, inf in the first where it is hard.

        Of so many costs, or more where it has them.
        """
        n_more = max(n_costs, self.n_costs) - 1
        found = [np.full(len(self), np.inf)] + [np.zeros(len(self))] * n_more
        for run in self.runs[:1]:
            for k, cost in enumerate(run.costs):
                found[k] = found[k].astype(np.result_type(found[k], cost))
                found[k][run.sets] = cost
        return tuple(found)

    def capped(self, most: Ints) -> Count:
        """Return it without numbers above what the sets can have."""
        upper = np.minimum(self.upper, np.maximum(most, self.lower))
        runs = []
        for run in self.runs:
            length = run.length
            if run.sign > 0:
                length = np.clip(most[run.sets] - run.start, 0, length)
            runs.append(run._replace(length=length).some((length > 0) | (run.sign < 0)))
        return replace(self, upper=upper, runs=tuple(runs))

    def owed(self, units: Ints) -> Iterator[tuple[Ints, Ints, Array]]:
        """Yield what so many units of the sets cost: sets, how often each pays, its first cost."""
        if self.constant:
            yield np.arange(len(self)), np.ones(len(self), np.int64), self.constant[0]
        for run in self.runs:
            beyond = np.clip(run.sign * (units[run.sets] - run.start), 0, run.length)
            yield run.sets, beyond, run.costs[0]

    def paid(self, units: Ints) -> Floats:
        """Return what so many units of every set cost by the first cost."""
        total = np.zeros(len(self))
        for sets, often, cost in self.owed(units):
            np.add.at(total, sets, often * cost.astype(np.float64))
        return total


def soft_count(
    sets: Partition, lower: Ints, upper: Ints, beyond: tuple[Any, Any], source: str
) -> Count:
    """Return what units below a lower and above an upper bound cost; a bound without is hard."""
    found = Count.of(sets, lower, upper, source)
    either = ((-1, lower > 0, "under"), (1, upper < OPEN, "over"))
    for (sign, where, what), given in zip(either, beyond, strict=True):
        each = given if isinstance(given, tuple) else (given or 0,)
        with named(source):
            costs = [sets.things.numbers(c, f"the cost {what!r}")[0] for c in each]
        found = found.beyond(sign, costs, where)
    return found


def at_least(one: Sequence[Any] | Array, other: Sequence[Any] | Array) -> Bools:
    """Return where costs, one after the other, are not less than others."""
    *first, (a, b) = zip(one, other, strict=True)
    with np.errstate(invalid="ignore"):
        found = a >= b
        for a, b in reversed(first):
            found = (a > b) | ((a == b) & found)
    return np.asarray(found, dtype=bool)


def short_text(cost: Any) -> str:
    """Return a cost as it was written: 5, not 5.0."""
    return f"{float(cost):.12g}" if not hasattr(cost, "numerator") else str(cost)


def checked_table(table: Any) -> Any:
    """Return a table of costs that cannot change; a function as it is."""
    if table is None or callable(table):
        return table
    if isinstance(table, str) or not isinstance(table, Iterable):
        raise BadInput(
            "a table of costs is a sequence of numbers for 0, 1, 2 … partners (None: not allowed), "
            f"or a function of the labels and of how many; got {shown(table)}"
        )
    entries = tuple(map(_entry, table))
    if all(entry is None for entry in entries):
        raise BadInput(f"a table of costs allows some number, got {shown(table)}")
    return entries


def _entry(value: Any) -> Any:
    """Return what a number of units costs, None where so many are not allowed."""
    if isinstance(value, (tuple, list)):
        each = tuple(map(_entry, value))
        return None if None in each else each
    value = value.item() if isinstance(value, np.generic) else value
    try:
        number = np.inf if value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if isinstance(value, (bool, str)) or not number > -np.inf:
        raise BadInput(f"a table of costs holds numbers and None, got {shown(value)}")
    return None if number == np.inf else value


def count_of_tables(
    sets: Partition,
    said: Sequence[tuple[str, Any, Bools]],
    most: Ints,
    bounds: tuple[Ints, Ints],
    step: Ints,
    *,
    signed: bool,
) -> Count:
    """Return what constraints together say that units cost, of ``most``; ``step`` units are 1.

    Where costs fall, or a number is left out, numbers that bounds do not allow are none; what still
    falls is refused, and so are tables that allow no number together.
    """
    most, source = -(-most // step), " and ".join(dict.fromkeys(x[0] for x in said))
    tables = [(*_by_units(sets, costs, some, most), some) for _, costs, some in said]
    n_costs, size = (max(len(table[k]) for table in tables) for k in range(2))
    of = np.any([some for *_, some in tables], axis=0)
    allowed, costs = np.ones((size, len(sets)), dtype=bool), np.zeros(1, dtype=np.int64)
    each_allows = of  # some number; together they may still allow none
    for (given, open_, some), (by, *_) in zip(tables, said, strict=True):
        here, ok = np.zeros((n_costs, size, len(sets)), given.dtype), np.zeros_like(allowed)
        here[: len(given), : len(open_)] = np.where(open_ & some, given, 0)
        ok[: len(open_)] = open_
        allowed, costs = allowed & (ok | ~some), costs + here
        each_allows = each_allows & (ok.any(axis=0) | ~some)
        if not signed and (here < 0).any():
            raise BadInput(
                f"{by}, has a negative cost; a rule whose costs may be negative is "
                "Rule(…, signed=True)"
            )
    what = "partner" if sets.kind == "label" else "pair"
    sets.refuse(
        each_allows & ~allowed.any(axis=0),
        lambda _, whose: f"{source}, contradict each other: {whose} may have no number of {what}s",
    )
    slope, falls = _slopes(costs, allowed)
    if falls.any():
        units = np.arange(size)[:, None]
        within = allowed & (bounds[0] // step <= units) & (units <= -(-bounds[1] // step))
        left = within.any(axis=0)  # elsewhere bounds and tables cannot hold together
        allowed, costs = np.where(left, within, allowed), np.where(left, costs, 0)
        slope, falls = _slopes(costs, allowed)

    def why(at: int, whose: str) -> str:
        n = int(falls[:, at].argmax())
        if slope[0, n + 1, at] == -np.inf:
            return (
                f"{source}, {whose} may have numbers of units with others between that it "
                "may not have; a flow cannot leave out a number between two others"
            )
        before, after = (
            ", then ".join(map(short_text, step)) for step in slope[:, n : n + 2, at].T.tolist()
        )
        return (
            f"{source}, {whose}: {what} {n + 2} costs {after} and {what} {n + 1} costs "
            f"{before}; a flow needs costs per {what} that do not fall, as it would take the "
            "cheaper one first"
        )

    sets.refuse(np.asarray(falls.any(axis=0)), why)
    nothing, none = [0] * n_costs, ~allowed.any(axis=0)
    sign = at_least(slope, nothing) * 1 - at_least(nothing, slope)
    least = (sign < 0).sum(axis=0) + none  # of which no number is allowed, more than there are
    upper = np.where(of, (least + (sign == 0).sum(axis=0)) * step, OPEN)
    constant = costs[:, least - none, np.arange(len(sets))] * step
    runs = []
    for more in (1, -1):
        at, own = np.nonzero((sign == more) & (np.abs(slope[0]) < np.inf))
        each = tuple(more * slope[:, at, own])
        if len(own):
            runs.append(CostStep(more, own, (at + (more < 0)) * step[own], step[own], each))
    return Count.of(sets, least * step, upper, source, runs=(*runs,), constant=(*constant,))


def _by_units(sets: Partition, costs: Any, some: Bools, most: Ints) -> tuple[Array, Bools]:
    """Return by cost, units and set what a table says of some sets, and which units it allows."""
    size = int(most[some].max(initial=0)) + 1
    if callable(costs):
        asked = [_asked(costs, sets.things, n) for n in range(size)]
        given = np.stack([np.stack(x) for x in asked], axis=1)
        return given, (given[0].astype(np.float64) < np.inf) & (np.arange(size)[:, None] <= most)
    rows = costs[: size + 1]  # one more, for what a unit would save
    each = [x if isinstance(x, tuple) else (x or 0,) for x in rows]
    given = np.array([*zip_longest(*each, fillvalue=0)]).reshape(-1, len(rows), 1)
    allowed = np.array([[x is not None] for x in rows])
    return given, np.broadcast_to(allowed, (len(rows), len(sets)))


def _asked(table: Callable[..., Any], things: Things, n: int) -> list[Array]:
    """Return what a function of a user's own says that n units of each thing cost, by cost."""
    given = applied(table, things, n)
    what = f"the cost of {n} units by {called(table)}"
    each = given if isinstance(given, tuple) else (given,)
    return [things.numbers(lambda _, x=x: x, what, signed=True)[0] for x in each]


def _slopes(costs: Array, allowed: Bools) -> tuple[Array, Bools]:
    """Return by cost what the next unit costs, and where it is cheaper than the one before.

    The first cost is inf for one more than is allowed, and -inf below what is allowed.
    """
    both, begun = allowed[1:] & allowed[:-1], np.logical_or.accumulate(allowed)[:-1]
    first, *later = np.where(both, np.diff(costs, axis=1), 0)
    beyond = np.where(allowed[1:] | ~begun, -np.inf, np.inf)
    slope = np.array([np.where(both, first, beyond), *later])
    before, after = slope[:, :-1], slope[:, 1:]
    falls = ~at_least(after, before)
    if len(slope) == 1 and slope.dtype == np.float64:  # what floats lose in differences
        with np.errstate(invalid="ignore"):  # inf after inf
            falls &= before[0] - after[0] > 1e-12 * np.abs(costs[0]).max(axis=0, initial=1)
    return slope, falls


def by_class(labels: Labels) -> Ints:
    """Group labels by their class: the number of each is its place in ``hierarchy.names``."""
    return labels.classes.astype(np.int64)


def by_level(labels: Labels) -> Ints:
    """Group labels by their depth (fewest edges from a parentless class)."""
    return labels.hierarchy.depths[labels.classes].astype(np.int64)


@dataclass(frozen=True)
class by_subtree:  # noqa: N801 - used like the function by_level
    """Group labels by their ancestor at a depth; labels above it are in no group.

    Raises ``BadInput`` where a class has several ancestors at that depth (in a DAG).
    """

    depth: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.depth, int) or self.depth < 0:
            raise BadInput(f"by_subtree takes a depth, a whole number ≥ 0, got {shown(self.depth)}")

    def __call__(self, labels: Labels) -> Ints:
        """Return the number of that ancestor, or -1."""
        h = labels.hierarchy
        owner, above = ancestors_of(h, labels.classes)
        at_depth = h.depths[above] == self.depth
        owner, above = owner[at_depth], above[at_depth]
        labels.refuse(
            np.bincount(owner, minlength=len(labels)) > 1,
            lambda _, whose: (
                f"{whose} lies in several subtrees at depth {self.depth}; by_subtree "
                "needs a tree, or a grouping of your own"
            ),
        )
        top = np.full(len(labels), -1, dtype=np.int64)
        top[owner] = above
        return top
