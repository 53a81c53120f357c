"""Random rules, and what they say in terms of the oracles: sets of pairs, and a cost of how many."""

import itertools
import math
from fractions import Fraction

import numpy as np

from hierpair import (
    Bottleneck,
    Capacity,
    Cardinality,
    CountCost,
    Degree,
    Forbid,
    Groups,
    Hierarchy,
    LabelSets,
    Mass,
    Quota,
    Require,
    Rule,
    Unmatched,
)
from hierpair.pairing import Pairs, by_class

FLAT = Hierarchy.from_parents({f"c{i}": None for i in range(8)}, roots="any")
SIDES = ("predicted", "true")


def pairs_of(n_predicted, n_true, instances=1):
    """All pairs of instances with so many labels a side."""
    sides = [
        LabelSets.from_arrays(
            np.arange(instances + 1) * n, np.tile(np.arange(n), instances), len(FLAT)
        )
        for n in (n_true, n_predicted)
    ]
    return Pairs.between(FLAT, *sides)


def weigh(n, cost):
    return tuple(n * x for x in cost) if isinstance(cost, tuple) else n * cost


def plus(a, b):
    return tuple(map(sum, zip(a, b, strict=True))) if isinstance(a, tuple) else a + b


def convex(rng, most, low=None, n_costs=None):
    """A random convex table of costs of 0 … most units; None where so many are not allowed."""
    first = int(rng.integers(0, 2)) if low is None else low
    last = int(rng.integers(first, most + 1))
    if n_costs is None:
        slopes, values = (
            [Fraction(int(x), 2) for x in rng.integers(-6, 9, last - first)],
            [Fraction(0)],
        )
    else:  # steps rise in lexicographic order
        slopes, values = (
            [*map(tuple, rng.integers(-2, 4, (last - first, n_costs)).tolist())],
            [(0,) * n_costs],
        )
    for slope in sorted(slopes):
        values.append(plus(values[-1], slope))
    if n_costs is None:
        values = [v - min(values) for v in values]
    return (*[None] * first, *values)


def cost_of_table(table):
    return lambda n: math.inf if n >= len(table) or table[n] is None else table[n]


def soft(low, high, under, over):
    return lambda n: plus(weigh(max(low - n, 0), under), weigh(max(n - high, 0), over))


def hard(low, high):
    return lambda n: 0 if low <= n <= high else math.inf


def priced(price, k=None):
    """A cost, or one of several, by (predicted, true) position; what is missing is impossible."""

    def cost(pairs):
        ends = zip(pairs.predicted_at.tolist(), pairs.true_at.tolist(), strict=True)
        found = (price.get(pair, math.inf) for pair in ends)
        return np.array([x[k] if isinstance(x, tuple) else x for x in found], dtype=object)

    return cost


def random_rule(rng, n_predicted, n_true, n_costs=None, scale=1):
    """Constraints with what they say of sets of pairs, for the oracle."""
    count = {"predicted": n_predicted, "true": n_true}
    every = list(itertools.product(range(n_predicted), range(n_true)))
    constraints, said = [], []

    def add(constraint, members, costs, *more):
        constraints.extend((constraint, *more))
        said.append((members, costs))

    def cost(high, below=1):
        if n_costs is None:
            return Fraction(int(rng.integers(0, high)), below)
        return tuple(int(x) * scale for x in rng.integers(0, 4, n_costs))

    def grouped(some):
        return lambda labels: np.where(np.isin(labels.classes, list(some)), 0, -1)

    for at, (side, n_labels) in enumerate(count.items()):
        others = count["true" if side == "predicted" else "predicted"]
        for label in range(n_labels):
            where, own = (f"c{label}",), {p for p in every if p[at] == label}
            kind = rng.integers(0, 5)
            low, more = (int(x) for x in rng.integers(0, 3, 2))
            bounds = Degree(side, low, low + more, where=where)
            if kind == 0:
                add(bounds, own, hard(low, low + more))
            elif kind == 1:
                under, over = cost(9, 3), cost(9, 3)
                soft_bounds = Degree(side, low, low + more, where, under, over)
                add(soft_bounds, own, soft(low, low + more, under, over))
            elif kind == 2:
                table = convex(rng, others + 1, None, n_costs)
                add(CountCost(side, table, where=where), own, cost_of_table(table))
            elif kind == 3:
                miss = cost(6)
                alone = Unmatched(side, miss, where=where)
                add(
                    Degree(side, low, where=where),
                    own,
                    soft(low, math.inf, miss, weigh(0, miss)),
                    alone,
                )
        labels = rng.permutation(n_labels)
        for size in sorted(rng.integers(0, n_labels + 1, 2).tolist(), reverse=rng.random() < 0.5):
            some = set(labels[:size].tolist())
            members = {p for p in every if p[at] in some}
            low, more = int(rng.integers(0, 2)), int(rng.integers(0, 4))
            if some and rng.random() < 0.5:
                add(Groups(side, grouped(some), low + more, low), members, hard(low, low + more))
            elif some:
                table = convex(rng, len(members), 0, n_costs)
                add(CountCost(side, table, groups=grouped(some)), members, cost_of_table(table))
        if rng.random() < 0.5:
            own, most, over = int(rng.integers(0, n_labels)), int(rng.integers(0, 3)), cost(3)
            some = {x for x in range(others) if rng.random() < 0.6}
            members = {p for p in every if p[at] == own and p[1 - at] in some}
            where = (f"c{own}",)
            partners = Groups(side, grouped(some), most, of="partners", where=where, over=over)
            add(partners, members, soft(0, most, weigh(0, over), over))
    if rng.random() < 0.6:
        low, more = (int(x) for x in rng.integers(0, 4, 2))
        under, over = cost(3), cost(3)
        total = Cardinality(low, low + more, under=under, over=over)
        add(total, set(every), soft(low, low + more, under, over))
    order = rng.permutation(len(constraints))
    return tuple(constraints[i] for i in order), said


def by_pair(numbers):
    """A capacity from numbers by (predicted, true) position."""

    def capacity(pairs):
        ends = zip(pairs.predicted_at.tolist(), pairs.true_at.tolist(), strict=True)
        return np.array([numbers[pair] for pair in ends], dtype=object)

    return Capacity(capacity)


def linear(table):
    """The cost of a mass, between the entries of a table for whole ones."""

    def cost(mass):
        low = math.floor(mass)
        ends = [table[k] if k < len(table) else None for k in (low, low + 1)]
        if ends[0] is None or (mass > low and ends[1] is None):
            return math.inf
        return ends[0] + (mass - low) * ((ends[1] if mass > low else 0) - ends[0] * (mass > low))

    return cost


def at_most(high, unmatched=None):
    """A mass that must be moved, or what stays behind is paid."""
    return lambda mass: (
        math.inf if mass > high or (unmatched is None and mass < high) else
        (unmatched or 0) * (high - mass)
    )  # fmt: skip


def random_masses(rng):  # noqa: PLR0912 - every kind of statement
    """A rule with masses, and what it says in terms of the oracle."""
    m, n = (int(x) for x in rng.integers(1, 4, 2))
    if m * n > 6:
        n = 2
    every = list(itertools.product(range(m), range(n)))
    unit = Fraction(1, int(rng.choice([1, 1, 2, 3, 6])))
    price = {p: Fraction(int(rng.integers(0, 20)), 2) for p in every if rng.random() < 0.85}
    most, constraints, said = 3, [], []
    kind = rng.choice(["balanced", "dump", "partial", "degrees", "one side"])
    sizes = {s: rng.integers(0, most + 1, k) for s, k in zip(SIDES, (m, n), strict=True)}
    if kind == "balanced":
        short, long = sorted(SIDES, key=lambda s: sizes[s].sum())
        for _ in range(int(sizes[long].sum() - sizes[short].sum())):
            sizes[short][rng.integers(0, len(sizes[short]))] += 1
    rewarded = False
    for side in SIDES:
        for label, size in enumerate(sizes[side].tolist()):
            members = {p for p in every if p[side == "true"] == label}
            where, mass = (f"c{label}",), size * unit
            if kind in ("balanced", "dump") or (kind == "one side" and side == "true"):
                pays = int(rng.integers(0, 9)) if kind == "dump" else None
                constraints.append(Mass(side, mass, where))
                if pays is not None:
                    constraints.append(Unmatched(side, pays, where=where))
                said.append((members, at_most(mass, pays)))
            elif kind == "partial":
                constraints.append(Mass(side, mass, where, lower=0))
                said.append((members, hard(0, mass)))
            elif kind == "degrees":
                low = int(rng.integers(0, 2)) * unit
                constraints.append(Degree(side, low, low + mass, where=where))
                said.append((members, hard(low, low + mass)))
    capacity = dict.fromkeys(every, 2 * most)
    if kind == "degrees" or rng.random() < 0.5:
        capacity = {p: int(rng.integers(0, most + 1)) for p in every}
        constraints.append(by_pair({p: k * unit for p, k in capacity.items()}))
    else:
        capacity = {
            p: min(
                capacity[p],
                *(
                    int(sizes[s][p[s == "true"]])
                    for s in SIDES
                    if kind != "one side" or s == "true"
                ),
            )
            for p in every
        }
    if kind == "partial" or rng.random() < 0.2:
        low, more = (int(x) * unit for x in rng.integers(0, 3, 2))
        constraints.append(Cardinality(low, low + more * (kind != "partial")))
        said.append((set(every), hard(low, low + more * (kind != "partial"))))
    if rng.random() < 0.3:
        side = str(rng.choice(SIDES))
        some = {x for x in range(len(sizes[side])) if rng.random() < 0.6} or {0}
        members = {p for p in every if p[side == "true"] in some}
        low, more = (int(x) * unit for x in rng.integers(0, 3, 2))

        def group(labels, some=some):
            return np.where(np.isin(labels.classes, list(some)), 0, -1)

        how = rng.integers(0, 3)
        if how == 0:
            constraints.append(Groups(side, group, low + more, low))
            said.append((members, hard(low, low + more)))
        elif how == 1:
            constraints.append(Groups(side, group, low + more, low, under=2, over=Fraction(1, 3)))
            said.append((members, soft(low, low + more, 2, Fraction(1, 3))))
        else:
            table = (0, 0, Fraction(1, 2), 2, 5, 9)
            constraints.append(CountCost(side, table, groups=group))
            said.append((members, linear(table)))
    if rng.random() < 0.3:
        side, label = str(rng.choice(SIDES)), 0
        members = {p for p in every if p[side == "true"] == label}
        table = (3, 1, 1, 2, 6, 12, 20, 30, 41)
        constraints.append(CountCost(side, table, where=("c0",)))
        said.append((members, linear(table)))
        rewarded = True
    least = {}
    if rng.random() < 0.1:
        p, t = every[int(rng.integers(0, len(every)))]
        constraints.append(Require(lambda pairs: (pairs.predicted_at == p) & (pairs.true_at == t)))
        least = {(p, t): int(1 / unit)}
        if (p, t) not in price:
            said.append((set(), lambda mass: math.inf))
    if rng.random() < 0.1:
        p = int(rng.integers(0, m))
        constraints.append(Forbid(lambda pairs: pairs.predicted_at == p))
        if any(pair[0] == p for pair in least):
            said.append((set(), lambda mass: math.inf))
        price = {pair: c for pair, c in price.items() if pair[0] != p}
    order = rng.permutation(len(constraints))
    rule = Rule(priced(price), tuple(constraints[i] for i in order))
    if kind == "one side" and rewarded and not any(isinstance(c, Capacity) for c in constraints):
        rule = Rule(rule.cost, (*rule.constraints, Capacity(most * unit)))
        capacity = {pair: min(k, most) for pair, k in capacity.items()}
    return rule, pairs_of(m, n), (price, capacity, least, said, unit)


class Layout:
    """Labels of several instances, each with a class that its instance has once."""

    def __init__(self, instance_of, class_of, n_instances):
        self.at = {}
        sets = {}
        for side in ("predicted", "true"):
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

    def priced(self, price):
        """A cost from a dict by numbers of labels."""
        known = {(self.at["predicted"][p], self.at["true"][t]): c for (p, t), c in price.items()}

        def cost(pairs):
            ends = zip(pairs.predicted_at.tolist(), pairs.true_at.tolist(), strict=True)
            return np.array([known.get(pair, math.inf) for pair in ends], dtype=object)

        return cost

    def chosen(self, pairing):
        """The chosen pairs by numbers of labels."""
        back = {s: {place: given for given, place in self.at[s].items()} for s in self.at}
        picked = np.flatnonzero(pairing.chosen)
        return {
            (back["predicted"][int(self.pairs.predicted_at[i])],
             back["true"][int(self.pairs.true_at[i])])
            for i in picked
        }  # fmt: skip


def random_layout(rng):
    """Two or three instances with one to three labels a side, at most nine pairs."""
    while True:
        n = int(rng.integers(2, 4))
        sizes = rng.integers(0, 3, (n, 2))
        if 0 < int(np.prod(sizes, axis=1).sum()) <= 9:
            break
    instance_of, class_of = {}, {}
    for k, side in enumerate(("predicted", "true")):
        instance_of[side] = np.repeat(np.arange(n), sizes[:, k]).tolist()
        class_of[side] = [c for m in sizes[:, k] for c in rng.permutation(3)[:m].tolist()]
    return n, instance_of, class_of


def random_quotas(rng, layout, n, instance_of, class_of):
    """Constraints, and what they say of sets of pairs for the oracle."""
    every = [
        (p, t)
        for p, t in itertools.product(*(range(len(instance_of[s])) for s in instance_of))
        if instance_of["predicted"][p] == instance_of["true"][t]
    ]
    constraints, said = [], []
    for place, side in enumerate(("predicted", "true")):
        for label in range(len(instance_of[side])):
            own = {e for e in every if e[place] == label}
            where = layout.mask(side, [label])
            low, more = (int(x) for x in rng.integers(0, 2, 2))
            kind = rng.integers(0, 4)
            if kind == 0:
                constraints.append(Degree(side, low, low + more, where=where))
                said.append((own, hard(low, low + more)))
            elif kind < 3:
                miss = int(rng.integers(0, 9))
                constraints += [Degree(side, 1, where=where), Unmatched(side, miss, where=where)]
                said.append((own, soft(1, math.inf, miss, 0)))

    def quota(kind):
        """A quota of a kind, and its sets of pairs."""
        if kind == "all":
            return (None, None), [set(every)]
        if kind == "instances":
            of = rng.integers(0, 2, n)
            groups = [{e for e in every if of[instance_of["true"][e[1]]] == g} for g in range(2)]
            return (None, lambda x: of[x.position]), [s for g, s in enumerate(groups) if g in of]
        place = ("predicted", "true").index(kind)
        classes = sorted(set(class_of[kind]))
        sets = [{e for e in every if class_of[kind][e[place]] == c} for c in classes]
        return (kind, by_class if rng.random() < 0.5 else None), sets

    kinds = [k for k in ("all", "predicted", "true", "instances") if rng.random() < 0.5]
    kinds = kinds or ["all"]
    if {"predicted", "true", "instances"} <= set(kinds):
        kinds.remove(rng.choice(["predicted", "true", "instances"]))
    for kind in kinds:
        where, sets = quota(kind)
        low, more = int(rng.integers(0, 2)), int(rng.integers(0, 3))
        form = rng.integers(0, 3)
        if form == 0:
            constraints.append(Quota(*where, low, low + more))
            said += [(s, hard(low, low + more)) for s in sets]
        elif form == 1:
            under, over = (Fraction(int(x), 3) for x in rng.integers(0, 15, 2))
            constraints.append(Quota(*where, low, low + more, under=under, over=over))
            said += [(s, soft(low, low + more, under, over)) for s in sets]
        else:
            most = max(map(len, sets), default=0)
            table = convex(rng, max(most, 1), low=0)
            constraints.append(Quota(*where, costs=table))
            said += [(s, cost_of_table(table)) for s in sets]
    if not {"predicted", "true"} <= set(kinds) and rng.random() < 0.5:
        low, more = (int(x) for x in rng.integers(0, 2, 2))
        constraints.append(Cardinality(low, low + more, under=1, over=Fraction(1, 2)))
        for i in range(n):
            own = {e for e in every if instance_of["true"][e[1]] == i}
            said.append((own, soft(low, low + more, 1, Fraction(1, 2))))
    order = rng.permutation(len(constraints))
    return every, tuple(constraints[i] for i in order), said


def best_by_enumeration(price, missing, said):
    """(largest, sum) of the best sets of pairs, and how many there are; None without any.

    ``missing`` are (members, least, cost of one that lacks), ``said`` as in the other oracles.
    """
    pairs, found = sorted(price), []
    for chosen in itertools.product((False, True), repeat=len(pairs)):
        picked = {p for p, yes in zip(pairs, chosen, strict=True) if yes}
        paid, counted = [price[p] for p in picked], Fraction(0)
        for members, costs in said:
            cost = costs(len(picked & members))
            if cost == math.inf:
                break
            counted += cost
        else:
            for members, least, cost in missing:
                paid += [cost] * max(least - len(picked & members), 0)
            found.append((max(paid, default=Fraction(0)), sum(paid, counted)))
    if not found:
        return None
    return min(found), found.count(min(found))


def random_bottleneck(rng):
    """A rule with the least largest cost, and its best; None where defaults would be paid twice."""
    m, n = (int(x) for x in rng.integers(1, 4, 2))
    every = list(itertools.product(range(m), range(n)))
    price = {p: Fraction(int(rng.integers(0, 9)), 2) for p in every if rng.random() < 0.85}
    missing, defaults = [], []
    for side, count in (("predicted", m), ("true", n)):
        if rng.random() < 0.5:
            continue
        at, low, cost = int(side == "true"), int(rng.integers(0, 3)), int(rng.integers(0, 6))
        defaults += [Degree(side, low), Unmatched(side, cost)]
        missing += [({p for p in every if p[at] == i}, low, Fraction(cost)) for i in range(count)]
    constraints, said = random_rule(rng, m, n)
    if missing:  # both would write defaults and bounds of labels
        constraints, said = (), []
        for side, count in (("predicted", m), ("true", n)):
            at, high = int(side == "true"), int(rng.integers(0, 4))
            sets = [{p for p in every if p[at] == i} for i in range(count)]
            if any(members in sets and low > high for members, low, _ in missing):
                continue
            constraints += (Degree(side, 0, high),)
            said += [(s, hard(0, high)) for s in sets]
    elif any(isinstance(c, Unmatched) for c in constraints):
        return None  # defaults of random_rule are paid like costs of counts
    rule = Rule(Bottleneck(priced(price)), (*constraints, *defaults))
    return rule, pairs_of(m, n), best_by_enumeration(price, missing, said)


def random_repeated(rng, m, n):
    """Many bounds of the same labels and of the instance."""
    every = list(itertools.product(range(m), range(n)))
    said, constraints = [], []
    for k, (side, size) in enumerate((("predicted", m), ("true", n)) * 2):
        low, more = (int(x) for x in rng.integers(0, 3, 2))
        some = [i for i in range(size) if rng.random() < 0.7]
        high = None if rng.random() < 0.3 else low + more
        constraints.append(Degree(side, low, high, where=[f"c{i}" for i in some]))
        sets = [{p for p in every if p[k % 2] == i} for i in some]
        said += [(s, hard(low, 99 if high is None else high)) for s in sets]
    for low, high in rng.integers((0, 1), (2, 5), (2, 2)).tolist():
        constraints.append(Cardinality(low, max(low, high)))
        said.append(({*every}, hard(low, max(low, high))))
    rng.shuffle(constraints)
    return tuple(constraints), said
