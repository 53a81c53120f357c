"""Rules as statements: sets of pairs, and what every number of units among them costs.

A statement becomes a constraint of the library, and is told to the oracles as it is. Labels are
numbered by place; those of one instance are the classes c0, c1 …
"""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from hierpair import Hierarchy, LabelSets
from hierpair.pairing import (
    Bottleneck,
    Capacity,
    Cardinality,
    CountCost,
    Degree,
    Groups,
    Lexicographic,
    Mass,
    Pairs,
    Quota,
    Require,
    Rule,
    Unmatched,
    WhatIf,
    by_class,
)
from hierpair.pairing.pairings import why_no_smaller
from tests.oracles.pairings import AllPairings

FLAT = Hierarchy.from_parents({f"c{i}": None for i in range(8)}, roots="any")
SIDES = ("predicted", "true")
BASE = 2**80
"""No total of a later cost is as large."""


def pairs_of(n_predicted, n_true, instances=1):
    """All pairs of instances with so many labels a side."""
    sides = [
        LabelSets.from_arrays(
            np.arange(instances + 1) * n, np.tile(np.arange(n), instances), len(FLAT)
        )
        for n in (n_true, n_predicted)
    ]
    return Pairs.between(FLAT, *sides)


def worth(cost):
    """A cost as one number; of several in turn the first decides."""
    total = Fraction(0)
    for one in cost if isinstance(cost, tuple) else (cost,):
        total = total * BASE + Fraction(one)
    return total


def ends_of(pairs, numbers=slice(None)):
    """Pairs, given by number, by the places of their labels."""
    ends = pairs.predicted_at[numbers], pairs.true_at[numbers]
    return [*zip(*(at.tolist() for at in ends), strict=True)]


def by_place(numbers, other=math.inf):
    """An array of the numbers of all pairs, from a dict by the places of their labels."""
    return lambda pairs: np.array([numbers.get(p, other) for p in ends_of(pairs)], dtype=object)


def priced(price, n_costs=0):
    """A cost, or so many in turn, by (predicted, true) place; what is missing is impossible."""
    each = [by_place({pair: x[k] for pair, x in price.items()}) for k in range(n_costs)]
    return Lexicographic(tuple(each)) if each else by_place(price)


class Statement(NamedTuple):
    """Which pairs are counted, and what their number costs."""

    kind: str  # label, missing, alone, mass, group, partners, total, quota
    side: str | None = None
    members: tuple[int, ...] | None = None  # labels whose pairs are counted; None: all
    partners: tuple[int, ...] | None = None  # only pairs with one of these
    low: Any = 0
    high: Any = None
    under: Any = None  # what each unit less costs; None: not allowed
    over: Any = None
    table: tuple[Any, ...] | None = None  # what 0, 1, 2 … units cost; None: not allowed

    def pairs(self, every):
        """Which of all pairs are counted."""
        at = SIDES.index(self.side) if self.side else 0
        return {
            pair
            for pair in every
            if (self.members is None or pair[at] in self.members)
            and (self.partners is None or pair[1 - at] in self.partners)
        }

    def cost(self, units):
        """What so many units cost, as one number; between whole ones of a table what is between."""
        if self.table is not None:
            ends = [math.floor(units), math.ceil(units)]
            found = [self.table[k] if k < len(self.table) else None for k in ends]
            if None in found:
                return math.inf
            first, second = map(worth, found)
            return first + (units - ends[0]) * (second - first)
        less, more = max(self.low - units, 0), max(units - (self.high or 0), 0)
        more = more if self.high is not None else 0
        if (less and self.under is None) or (more and self.over is None):
            return math.inf
        return less * worth(self.under or 0) + more * worth(self.over or 0)

    def constraints(self, layout=None):
        """The same in the words of the library."""
        side, table = self.side, self.table
        bounds = {"lower": self.low, "upper": self.high, "under": self.under, "over": self.over}
        where = tuple(f"c{i}" for i in self.members or ())
        if layout and side:
            where = layout.mask(side, self.members)
        inside = self.partners if self.kind == "partners" else self.members

        def grouped(labels):
            chosen = where(labels) if callable(where) else np.isin(labels.classes, list(inside))
            return np.where(chosen, 0, -1)

        match self.kind:
            case "label" if table is None:
                return (Degree(side, where=where, **bounds),)
            case "label":
                return (CountCost(side, table, where=where),)
            case "missing":
                alone = Unmatched(side, self.under, where=where)
                return Degree(side, self.low, where=where), alone
            case "alone":
                return (Unmatched(side, self.under, where=where),)
            case "quota":
                return (Quota(side, grouped if side else None, **bounds),)
            case "mass":
                low = None if self.low == self.high else self.low
                alone = () if self.under is None else (Unmatched(side, self.under, where=where),)
                return Mass(side, self.high, where, lower=low), *alone
            case "group" if table is None:
                return (Groups(side, grouped, **bounds),)
            case "group":
                return (CountCost(side, table, groups=grouped),)
            case "partners":
                return (Groups(side, grouped, of="partners", where=where, **bounds),)
            case "total" if table is None:
                return (Cardinality(**bounds),)
        return (CountCost("instance", table),)


class Draft:
    """Constraints, and what they say of the sets of all pairs."""

    def __init__(self, every, layout=None):
        self.every, self.layout = [*every], layout
        self.constraints, self.said, self.soft = [], [], []

    def say(self, *args, **more):
        """One statement."""
        statement = Statement(*args, **more)
        self.constraints += statement.constraints(self.layout)
        self.said.append((statement.pairs(self.every), statement.cost))
        self.soft += [statement] * (statement.under is not None)

    def shuffled(self, rng):
        """All constraints in any order."""
        return tuple(self.constraints[i] for i in rng.permutation(len(self.constraints)))


def bounds(rng, low_below=3, more_below=3, unit=1):
    """Random bounds."""
    low, more = int(rng.integers(0, low_below)) * unit, int(rng.integers(0, more_below)) * unit
    return {"low": low, "high": low + more}


def convex(rng, most, low=None, n_costs=None):
    """A random convex table of costs of 0 … most units; None where so many are not allowed."""
    first = int(rng.integers(0, 2)) if low is None else low
    steps = int(rng.integers(first, most + 1)) - first
    if n_costs is None:
        slopes = [Fraction(int(x), 2) for x in sorted(rng.integers(-6, 9, steps))]
        values = [*itertools.accumulate(slopes, initial=Fraction(0))]
        return (*[None] * first, *(v - min(values) for v in values))
    slopes = sorted(rng.integers(-2, 4, (steps, n_costs)).tolist())  # steps rise in turn
    sums = np.cumsum([[0] * n_costs, *slopes], axis=0)
    return (*[None] * first, *map(tuple, sums.tolist()))


def draw_counts(rng, draft, m, n, n_costs=None, scale=1):
    """Bounds, soft bounds and costs of labels, groups, partners, and the instance."""

    def cost(high, below=1):
        if n_costs is None:
            return Fraction(int(rng.integers(0, high)), below)
        return tuple(int(x) * scale for x in rng.integers(0, 4, n_costs))

    for side, size, others in (("predicted", m, n), ("true", n, m)):
        for label in range(size):
            kind = rng.integers(0, 5)
            if kind == 0:
                draft.say("label", side, (label,), **bounds(rng))
            elif kind == 1:
                soft = {"under": cost(9, 3), "over": cost(9, 3)}
                draft.say("label", side, (label,), **bounds(rng), **soft)
            elif kind == 2:
                table = convex(rng, others + 1, None, n_costs)
                draft.say("label", side, (label,), table=table)
            elif kind == 3:
                low = int(rng.integers(0, 3))
                draft.say("missing", side, (label,), low=low, under=cost(6))
        labels = rng.permutation(size).tolist()
        nested = sorted(rng.integers(0, size + 1, 2).tolist(), reverse=rng.random() < 0.5)
        for some in (tuple(labels[:k]) for k in nested if k):
            if rng.random() < 0.5:
                draft.say("group", side, some, **bounds(rng, 2, 4))
            else:
                table = convex(rng, len(some) * others, 0, n_costs)
                draft.say("group", side, some, table=table)
        if rng.random() < 0.5:
            some = tuple(x for x in range(others) if rng.random() < 0.6) or (0,)
            soft = {"under": cost(3), "over": cost(3)} if rng.random() < 0.6 else {}
            own = int(rng.integers(0, size))
            draft.say("partners", side, (own,), some, **bounds(rng, 2, 3), **soft)
    kind = rng.integers(0, 8)
    if kind < 5:
        soft = {"under": cost(3), "over": cost(3)} if kind else {}
        draft.say("total", **bounds(rng, 4 if kind else 2, 4), **soft)
    elif kind == 5:
        draft.say("total", table=convex(rng, m * n, 0, n_costs))


def random_counts(rng, n_costs=None, most=20, scales=(1,)):
    """A rule of one instance with all kinds of constraints; its pairs, prices, and what it says."""
    m, n = (int(x) for x in rng.integers(1, 4, 2))
    draft = Draft(itertools.product(range(m), range(n)))
    pairs = [p for p in draft.every if rng.random() < 0.85]
    scale = int(rng.choice(scales))
    if n_costs:
        drawn = map(tuple, (rng.integers(0, 4, (len(pairs), n_costs)) * scale).tolist())
    else:
        drawn = (Fraction(int(x), 2) for x in rng.integers(0, most, len(pairs)))
    price = dict(zip(pairs, drawn, strict=True))
    draw_counts(rng, draft, m, n, n_costs, scale)
    rule = Rule(priced(price, n_costs or 0), draft.shuffled(rng), signed=bool(n_costs))
    return rule, pairs_of(m, n), price, draft.said


class Case(NamedTuple):
    """A rule, the least cost that enumeration finds (None: there is no pairing), and what holds."""

    rule: Rule
    pairs: Pairs
    best: Fraction | None
    holds: Callable[..., Any]


def carried(problem, pairing):
    """What every chosen pair carries, by places of its labels."""
    ends, whole = ends_of(problem.pairs), 1 if pairing.whole is None else int(pairing.whole[0])
    return {p: Fraction(n, whole) for p, n in zip(ends, pairing.carried.tolist(), strict=True) if n}


def told(price, said, best, of=carried):
    """What a pairing costs by what was said is the least there is."""

    def holds(problem, pairing):
        units = of(problem, pairing)
        counted = (cost(sum(units.get(p, 0) for p in members)) for members, cost in said)
        assert sum(worth(price[p]) * x for p, x in units.items()) + sum(counted) == best

    return holds


def least(price, said, most=None, unit=1):
    """The least cost of units that have so much mass each; None where nothing is allowed."""
    each = [(members, lambda n, cost=cost: cost(n * unit)) for members, cost in said]
    every = AllPairings({p: worth(cost) * unit for p, cost in price.items()}, each, most)
    return next(iter(every.costs()), None)


def counts(rng, n_costs=None):
    """Bounds, soft bounds and costs of labels, groups, partners, instances; pairs that are needed."""
    rule, pairs, price, said = random_counts(rng, n_costs, scales=(1, 1, 2**20, 2**40))
    needed = [p for p in ends_of(pairs) if rng.random() < 0.02]  # some cannot be had
    said += [({p}, lambda n: 0 if n else math.inf) for p in needed]
    require = Require(tuple((f"c{p}", f"c{t}") for p, t in needed))
    best = least(price, said)
    rule = Rule(rule.cost, (*rule.constraints, require), signed=rule.signed)
    return Case(rule, pairs, best, told(price, said, best))


def lexicographic(rng):
    """The same with several costs."""
    return counts(rng, int(rng.integers(2, 5)))


def masses(rng):
    """Masses, capacities, and all bounds in parts."""
    m, n = (int(x) for x in rng.integers(1, 4, 2))
    n = 2 if m * n > 6 else n
    draft = Draft(itertools.product(range(m), range(n)))
    every, unit, most = draft.every, Fraction(1, int(rng.choice([1, 1, 2, 3, 6]))), 3 - m * n // 6
    price = {p: Fraction(int(rng.integers(0, 20)), 2) for p in every if rng.random() < 0.85}
    kind = rng.choice(["balanced", "dump", "partial", "degrees", "one side"])
    sizes = {s: rng.integers(0, most + 1, k) for s, k in zip(SIDES, (m, n), strict=True)}
    if kind == "balanced":
        short, long = sorted(SIDES, key=lambda s: sizes[s].sum())
        for _ in range(int(sizes[long].sum() - sizes[short].sum())):
            sizes[short][rng.integers(0, len(sizes[short]))] += 1
    bound_by = [s for s in SIDES if kind != "one side" or s == "true"]
    for side in bound_by:
        for label, size in enumerate(sizes[side].tolist()):
            mass = size * unit
            if kind == "degrees":
                low = int(rng.integers(0, 2)) * unit
                draft.say("label", side, (label,), low=low, high=low + mass)
            else:
                pays = int(rng.integers(0, 9)) if kind == "dump" else None
                low = 0 if kind == "partial" else mass
                draft.say("mass", side, (label,), low=low, high=mass, under=pays)
    if kind == "degrees" or rng.random() < 0.5:
        capacity = {p: int(rng.integers(0, most + 1)) for p in every}
        draft.constraints.append(Capacity(by_place({p: k * unit for p, k in capacity.items()})))
    else:
        capacity = {p: min(int(sizes[s][p[s == "true"]]) for s in bound_by) for p in every}
    if kind == "partial" or rng.random() < 0.2:
        draft.say("total", **bounds(rng, 3, 3 if kind != "partial" else 1, unit))
    if rng.random() < 0.4:
        side = str(rng.choice(SIDES))
        some = tuple(x for x in range(len(sizes[side])) if rng.random() < 0.6) or (0,)
        how, found = rng.integers(0, 3), bounds(rng, 3, 3, unit)
        soft = ({}, {"under": 2, "over": Fraction(1, 3)})
        table = (0, 0, Fraction(1, 2), 2, 5, 9, 14, 20, 27, 35)
        draft.say("group", side, some, **({"table": table} if how == 2 else found | soft[how]))
    best = least(price, draft.said, capacity, unit)
    rule = Rule(by_place(price), draft.shuffled(rng))
    return Case(rule, pairs_of(m, n), best, told(price, draft.said, best))


class Layout:
    """Labels of several instances, each with a class that its instance has once."""

    def __init__(self, instance_of, class_of, n_instances):
        self.at, sets = {}, {}
        for side in SIDES:
            owner, classes = instance_of[side], class_of[side]
            order = sorted(range(len(owner)), key=lambda i: (owner[i], classes[i]))
            self.at[side] = {given: place for place, given in enumerate(order)}
            ptr = np.searchsorted([owner[i] for i in order], np.arange(n_instances + 1))
            sets[side] = LabelSets.from_arrays(ptr, np.array([classes[i] for i in order], int), 8)
        self.pairs = Pairs.between(FLAT, sets["true"], sets["predicted"])

    def mask(self, side, labels):
        """A ``where`` for some labels, given by number."""
        places = [self.at[side][i] for i in labels]
        return lambda given: np.isin(np.arange(len(given)), places)

    def placed(self, price):
        """Costs by the places of labels, from those by their numbers."""
        return {(self.at["predicted"][p], self.at["true"][t]): c for (p, t), c in price.items()}

    def chosen(self, pairing):
        """The chosen pairs by numbers of labels."""
        p, t = ({place: given for given, place in self.at[side].items()} for side in SIDES)
        return {(p[a], t[b]) for a, b in ends_of(self.pairs, pairing.chosen)}


def quotas(rng):
    """Bounds over two or three instances."""
    sizes = np.zeros((1, 2), int)
    while not 0 < int(np.prod(sizes, axis=1).sum()) <= 9:
        n = int(rng.integers(2, 4))
        sizes = rng.integers(0, 3, (n, 2))
    instance_of, class_of = {}, {}
    for k, side in enumerate(SIDES):
        instance_of[side] = np.repeat(np.arange(n), sizes[:, k]).tolist()
        class_of[side] = [c for size in sizes[:, k] for c in rng.permutation(3)[:size].tolist()]
    layout = Layout(instance_of, class_of, n)
    owner = instance_of["true"]
    every = [
        (p, t)
        for p, t in itertools.product(*(range(len(instance_of[s])) for s in SIDES))
        if instance_of["predicted"][p] == owner[t]
    ]
    draft = Draft(every, layout)
    for side in SIDES:
        for label in range(len(instance_of[side])):
            kind = rng.integers(0, 4)
            if kind == 0:
                draft.say("label", side, (label,), **bounds(rng, 2, 2))
            elif kind < 3:
                draft.say("missing", side, (label,), low=1, under=int(rng.integers(0, 9)))
    of = rng.integers(0, 2, n)
    shares = {
        "all": (None, None, lambda p, t: 0),
        "instances": (None, lambda x: of[x.position], lambda p, t: of[owner[t]]),
        "predicted": ("predicted", by_class, lambda p, t: class_of["predicted"][p]),
        "true": ("true", None, lambda p, t: class_of["true"][t]),
    }
    kinds = [kind for kind in shares if rng.random() < 0.5] or ["all"]
    if {"predicted", "true", "instances"} <= set(kinds):  # three ways to cross are no flow
        kinds.remove(rng.choice(["predicted", "true", "instances"]))
    for kind in kinds:
        side, by, number = shares[kind]
        numbers = set(class_of[kind]) if side else {0} if by is None else {*of.tolist()}
        sets = [{e for e in every if number(*e) == k} for k in numbers]
        form, found = rng.integers(0, 3), bounds(rng, 2, 3)
        if form == 1:
            found |= {k: Fraction(int(rng.integers(0, 15)), 3) for k in ("under", "over")}
        elif form == 2:
            found = {"table": convex(rng, max(1, *map(len, sets), 1), low=0)}
        says = Statement("quota", **found)
        more = {"lower": says.low, "upper": says.high, "under": says.under, "over": says.over}
        more = {"costs": says.table} if form == 2 else more
        draft.constraints.append(Quota(side, by, **more))
        draft.said += [(members, says.cost) for members in sets]
    if not {"predicted", "true"} <= set(kinds) and rng.random() < 0.5:
        says = Statement("total", **bounds(rng, 2, 2), under=1, over=Fraction(1, 2))
        draft.constraints += says.constraints()
        draft.said += [({e for e in every if owner[e[1]] == i}, says.cost) for i in range(n)]
    price = {e: Fraction(int(rng.integers(0, 20)), 2) for e in every if rng.random() < 0.9}

    def chosen(problem, pairing):
        assert problem.joined
        assert pairing.cost.shape == (1,)
        return dict.fromkeys(layout.chosen(pairing), 1)

    best = least(price, draft.said)
    rule = Rule(priced(layout.placed(price)), draft.shuffled(rng))
    return Case(rule, layout.pairs, best, told(price, draft.said, best, chosen))


def bottleneck(rng):
    """The least largest cost, also of what labels that lack partners pay, then the least sum."""
    m, n = (int(x) for x in rng.integers(1, 4, 2))
    draft = Draft(itertools.product(range(m), range(n)))
    price = {p: Fraction(int(rng.integers(0, 9)), 2) for p in draft.every if rng.random() < 0.85}
    for side, size in (("predicted", m), ("true", n)):
        low, cost, high = (int(rng.integers(0, k)) for k in (3, 6, 4))
        for label in range(size):
            if pays := rng.random() < 0.5 and low <= high:
                draft.say("missing", side, (label,), low=low, under=cost)
            draft.say("label", side, (label,), high=max(high, low * pays))
    if rng.random() < 0.3:
        draft.say("total", **bounds(rng, 4, 3))
    every, found = AllPairings(price, draft.said), []
    for units, total in every.cost.items():
        picked = {*itertools.compress(every.pairs, units)}
        if total < math.inf:  # one partner less than there are at least costs as much as a pair
            paid = [price[p] for p in picked]
            paid += [
                says.under for says in draft.soft if len(picked & says.pairs(price)) < says.low
            ]
            found.append((max(paid, default=0), total))
    largest, total = best = min(found, default=(None, None))

    def holds(problem, pairing):
        assert problem.limit.largest[0] == float(largest)
        assert WhatIf(problem, pairing).unique == (found.count(best) == 1)
        assert (why_no_smaller(problem, 0) is None) == (largest == 0)

    rule = Rule(Bottleneck(by_place(price)), draft.shuffled(rng))
    return Case(rule, pairs_of(m, n), total, holds)
