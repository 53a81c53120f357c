"""Measures of label sets by their definitions: units of instances, and a formula of their sums.

A unit is a class, a level, or an instance as a whole; it has named amounts. A value of an instance
is the formula of the sums of its units, a micro average that of the sums of all, and a macro
average the mean over units of the formula of their sums. Nothing here imports what it checks.
"""

import itertools
import math
import re
from collections import Counter
from fractions import Fraction
from functools import partial

import numpy as np
from scipy.optimize import linear_sum_assignment

from tests.oracles.pairs_and_sets import fnerror_closed, gie_closed

DEFINED = {}
"""By measure: what gives the units of an instance, and the formula."""


class NoValue(Exception):
    """The instance has no value."""


def defines(**formulas):
    def note(units):
        DEFINED.update({name: (units, formula) for name, formula in formulas.items()})
        return units

    return note


def ratio(above, below, else_=math.nan):
    return above / below if below else else_


def overlap(beta=None, *, perfect):
    """F of amounts t, p and b; ``perfect``: two empty sets agree."""

    def value(x, o):
        square = Fraction(o.get("beta", 1) if beta is None else beta) ** 2
        t, p, b = x["t"], x["p"], x["b"]
        if perfect and not t and not p:
            return 1
        return ratio((1 + square) * b, square * t + p, o["zero_division"])

    return value


def precision_and_recall(*, perfect):
    def recall(x, o):
        return overlap(0, perfect=perfect)({"t": x["p"], "p": x["t"], "b": x["b"]}, o)

    return overlap(perfect=perfect), overlap(0, perfect=perfect), recall


# ------------------------------------------------------------------------------- sets


f, precision, recall = precision_and_recall(perfect=True)


@defines(
    hf=f, hp=precision, hr=recall,
    symmetric_difference=lambda x, o: x["t"] + x["p"] - 2 * x["b"],
    stopped_early=lambda x, o: x["b"] == x["p"] < x["t"],
    too_deep=lambda x, o: x["b"] == x["t"] < x["p"],
    off_path=lambda x, o: x["b"] < x["t"] and x["b"] < x["p"],
    right=lambda x, o: x["t"] == x["p"] == x["b"],
    subset_accuracy=lambda x, o: x["t"] == x["p"] == x["b"],
    simgic=lambda x, o: ratio(x["b"], x["t"] + x["p"] - x["b"], 1),
    remaining_uncertainty=lambda x, o: x["t"] - x["b"],
    misinformation=lambda x, o: x["p"] - x["b"],
    semantic_distance=lambda x, o: ratio(math.hypot(x["t"] - x["b"], x["p"] - x["b"]), x["n"], 0),
)  # fmt: skip
def sets(h, true, said, o, data, **fixed):
    """Classes of augmented sets, in weights."""
    o = {**o, **fixed}
    named = {k: o[k] for k in ("augment", "root", "threshold", "deeper") if k in o}
    t, p = h.sides(true, said, **{"augment": "none", "root": "include", **named})
    weight = data.weights(o.get("weights", "ones"), o.get("smooth", 1))
    w = {c: weight.get(c, 1) for c in t | p}
    side = lambda c: {"t": c in t, "p": c in p, "b": c in t & p}  # noqa: E731
    return {c: {"here": 1} | {k: w[c] * x for k, x in side(c).items()} for c in w}


below = partial(sets, augment="descendants")
defines(descendant_f=f, descendant_precision=precision, descendant_recall=recall)(below)
f, precision, recall = precision_and_recall(perfect=False)
defines(f=f, precision=precision, recall=recall)(sets)


@defines(
    specificity=lambda x, o: 1 - ratio(x["p"] - x["b"], x["all"] - x["t"], 1 - o["zero_division"]),
    hamming_loss=lambda x, o: ratio(x["t"] + x["p"] - 2 * x["b"], x["all"], 0),
)
def counted_sets(h, true, said, o, data):
    """The same with the number of classes that count."""
    found = sets(h, true, said, o, data)
    return {**found, None: {"all": len(set(h.names) - h.left_out(o.get("root", "include")))}}


def amounts(h, true, said, o, data, how):
    """How much is below each class, on both sides, times the length of the edge above it."""
    x, y, level = h.amounts(true, how), h.amounts(said, how), o.get("at_level")
    lengths = o.get("lengths", "ones")
    length = {
        "ones": lambda c: Fraction(1),
        "depth": lambda c: Fraction(1, max(h.level(c) + (len(h.roots) > 1), 1)),
        "weights": lambda c: h.weight[h.parents[c][0], c] if h.parents[c] else Fraction(1),
    }[lengths]
    return {
        c: {"t": length(c) * x[c], "p": length(c) * y[c], "b": length(c) * min(x[c], y[c]),
            "single": length(c) * abs(x[c] - y[c])}
        for c in set(x | y) - h.left_out(o.get("root", "exclude")) if level in (None, h.level(c))
    }  # fmt: skip


f, precision, recall = precision_and_recall(perfect=True)
counts, shares, presence = (partial(amounts, how=how) for how in ("counts", "shares", "presence"))
defines(count_f=f, count_precision=precision, count_recall=recall)(counts)
moved, normalised = lambda x, o: x["single"], lambda x, o: ratio(x["single"], x["t"] + x["p"], 0)
defines(weighted_unifrac=moved, normalised_unifrac=normalised)(shares)
defines(bray_curtis=normalised, abundance_l1=moved)(shares)
either = lambda x, o: ratio(x["single"], x["t"] + x["p"] - x["b"], 0)  # noqa: E731
defines(unweighted_unifrac=either)(presence)

WORTH = {"1/s": (1, 0), "u65": (1.6, 0.6), "u80": (2.2, 1.2)}


def utility(x, o):
    (a, b), s = WORTH[o["utility"]], x["leaves"]
    return ratio(x["covered"], x["t"], o["zero_division"]) * (a / s - b / s**2 if s else 0)


@defines(
    answer_utility=utility, answer_size=lambda x, o: x["leaves"],
    answer_coverage=lambda x, o: ratio(x["covered"], x["t"], o["zero_division"]),
)  # fmt: skip
def answers(h, true, said, o, data):
    leaves = set().union(*map(h.leaves_below, said))
    covered = sum(bool(h.above(c) & set(said)) for c in set(true))
    return {None: {"t": len(set(true)), "covered": covered, "leaves": len(leaves)}}


@defines(answer_complexity=lambda x, o: x["fewest"])
def fewest(h, true, said, o, data):
    """The fewest classes with the same leaves, by trying all."""
    covered = lambda some: frozenset().union(*map(h.leaves_below, some))  # noqa: E731
    some = [c for c in h.names if h.leaves_below(c) <= covered(said)]
    every = (chosen for k in range(len(some) + 1) for chosen in itertools.combinations(some, k))
    return {None: {"fewest": next(len(x) for x in every if covered(x) == covered(said))}}


# ---------------------------------------------------------------------- levels and depth


@defines(
    level_accuracy=lambda x, o: ratio(x["right"], x["judged"], o["zero_division"] if x["said"] else 1),
    level_hamming=lambda x, o: ratio(x["wrong"], x["levels"], 0),
)  # fmt: skip
def levels(h, true, said, o, data):
    out, depth = h.left_out(o["root"]), {c: h.level(c) for c in h.names}
    t, p = h.grown(true) - out, h.grown(said, o["augment"]) - out
    found = {}
    for level in {depth[c] for c in set(h.names) - out}:
        mine, theirs = ({c for c in s if depth[c] == level} for s in (t, p))
        judged = bool(mine) or o.get("absent_level") == "none-class"
        size = sum(d == level for c, d in depth.items() if c not in out)
        found[level] = {"judged": int(judged), "said": int(bool(theirs)),
                        "right": int(judged and mine == theirs),
                        "wrong": Fraction(len(mine ^ theirs), size), "levels": 1}  # fmt: skip
    return found


@defines(
    answered_leaf=lambda x, o: x["p"] > 0, leaf_accuracy=lambda x, o: ratio(x["right"], x["t"], o["zero_division"]),
    leaf_macro_accuracy=lambda x, o: ratio(x["right"], x["t"]),
)  # fmt: skip
def leaves(h, true, said, o, data):
    some = set(h.leaves) - h.left_out(o["root"])
    t, p = some & set(true), some & set(said)
    return {c: {"t": int(c in t), "right": int(c in t and t == p), "p": int(c in p)} for c in t | p}


@defines(level_f=overlap(perfect=False))
def one_level(h, true, said, o, data):
    found = sets(h, true, said, {**o, "weights": "ones"}, data)
    return {c: x for c, x in found.items() if o["at_level"] in (None, h.level(c))}


def tips(h, labels):
    some = [c for c in labels if not any(c in h.above(x) for x in labels if x != c)]
    if not some and not h.single:
        raise NoValue
    return some or list(h.single)


@defines(shortest_path=lambda x, o: x["cost"])
def shortest_path(h, true, said, o, data):
    t, p = tips(h, set(true)), tips(h, set(said))
    if o["tips"] == "single" and (len(t) > 1 or len(p) > 1):
        raise NoValue
    away = {(a, b): h.hops(a, b) for a in t for b in p}
    covers = [sum(away.values())] if o["tips"] == "sum" else [
        sum(away[x] for x in some) for k in range(1, len(t) + len(p)) for some in itertools.combinations(away, k)
        if {a for a, _ in some} == set(t) and {b for _, b in some} == set(p)
    ]  # fmt: skip
    if min(covers) == math.inf:
        raise NoValue
    return {None: {"cost": min(covers)}}


def depth_loss(x, o):
    how = o["normalise"]
    if how == "none":
        return ratio(x["differ"], x["n"], 0)
    worst = x["heaviest"] if how == "max-path" else x["differ"] + 2 * x["both"]
    return ratio(x["differ"], worst, 0)


@defines(
    depth_loss=depth_loss, depth_euclidean=lambda x, o: math.sqrt(x["differ"]),
    depth_accuracy=lambda x, o: 1 - depth_loss(x, o),
)  # fmt: skip
def depths(h, true, said, o, data):
    weight, out = h.depth_weights(o["w0"], o["depth"]), h.left_out(o["root"])
    t, p = (h.grown(labels) - out for labels in (true, said))
    heaviest = max(sum(weight[a] for a in h.above(c) - out) for c in h.names)
    differ, both = (sum(weight[c] for c in s) for s in (t ^ p, t & p))
    return {None: {"differ": differ, "both": both, "heaviest": 2 * heaviest}}


@defines(h_loss=lambda x, o: x["cost"])
def first_mistakes(h, true, said, o, data):
    cost = {"ones": dict.fromkeys(h.names, 1), "sibling": h.sibling_costs,
            "subtree": {c: Fraction(len(h.below(c)), len(h.names)) for c in h.names}}[o["costs"]]  # fmt: skip
    t, p = h.sides(true, said, root=o["root"])
    wrong = t ^ p
    return {None: {"cost": sum(cost[c] for c in wrong if not set(h.parents[c]) & wrong)}}


@defines(
    lca_depth=lambda x, o: x["shared"],
    lca_depth_share=lambda x, o: ratio(x["shared"], x["own"], o["zero_division"]),
)  # fmt: skip
def shared_depths(h, true, said, o, data):
    sides = {"shared": h.grown(true) & h.grown(said), "own": true}
    return {None: {k: max(map(h.level, x), default=0) for k, x in sides.items()}}


# ------------------------------------------------------------------------------ paths


@defines(
    full_path_accuracy=lambda x, o: x["right"] == x["levels"] and not x["extra"],
    tree_inconsistency=lambda x, o: x["links wrong"] > 0,
    weighted_average_precision=lambda x, o: ratio(x["k right"], x["k"]),
    point_overlap=lambda x, o: ratio(x["right"], x["levels"]),
    tree_overlap=lambda x, o: ratio(x["links right"], x["links"]),
    path_prefix=lambda x, o: ratio(x["prefix"], x["levels"]),
    edge_inconsistency=lambda x, o: ratio(x["links wrong"], x["links"]),
)
def path_levels(h, true, said, o, data):
    t, p = ({h.level(c): c for c in side} for side in (true, said))
    found, prefix, before = {}, True, None
    for k in sorted(t):
        size = sum(h.level(c) == k for c in h.names)
        hit, link = t[k] == p.get(k), before is not None
        prefix &= hit
        edge = link and before in p and k in p and p[before] in h.parents[p[k]]
        found[k] = {"levels": 1, "right": int(hit), "prefix": int(prefix), "links": int(link),
                    "links right": int(link and hit and t[before] == p.get(before)),
                    "links wrong": int(link and not edge), "k": size, "k right": size * hit}  # fmt: skip
        before = k
    return {**found, None: {"extra": len(set(p) - set(t))}}


f, precision, recall = precision_and_recall(perfect=False)


@defines(constrained_f=f, constrained_precision=precision, constrained_recall=recall)
def hits(h, true, said, o, data):
    """What does not count need not be there, nor need a single root that is not true."""
    out = h.left_out(o["root"])
    given = out | (h.single - set(true))
    t, p = set(true) - out, set(said) - out
    b = h.rooted(t & p, given, o["parents"])
    if o["inconsistent"] == "drop":
        p = h.rooted(p, given, o["parents"])
        b = t & p
    return {c: {"t": int(c in t), "p": int(c in p), "b": int(c in b)} for c in t | p}


def factor(x):
    beside = x["beside"]
    far = ratio(beside, x["labels"], math.copysign(math.inf, beside) if beside else 0)
    return 2 / (1 + math.exp(min(far, 700)))


@defines(
    path_f=f, path_precision=precision, path_recall=recall,
    path_factor=lambda x, o: factor(x), scaled_path_f=lambda x, o: f(x, o) * factor(x),
)  # fmt: skip
def whole_paths(h, true, said, o, data):
    out = h.left_out(o["root"])
    given = out | (h.single - set(true))
    ends = set(h.leaves) - out
    t, p = (h.rooted(set(side) - out, given) & ends for side in (true, said))
    own = set(said) - out
    on_paths = sum(len(h.above(c) - out - (given - own)) for c in p)
    found = {c: {"t": int(c in t), "p": int(c in p), "b": int(c in t & p)} for c in t | p}
    return {**found, None: {"labels": len(set(true) - out), "beside": len(own) - on_paths}}


# ------------------------------------------------------------------------------ pairs


def cost_of(h, name, data, threshold=None):
    """What it costs to predict p where t is true."""
    if callable(name):
        return name
    if name == "hops":
        return lambda p, t: h.hops(p, t, threshold)
    if name == "weights":
        ups = h.weighted_ups
        return lambda p, t: min((ups(p)[a] + ups(t)[a] for a in h.common(p, t)), default=math.inf)
    if name.startswith("height"):
        highest = max(1, *map(h.height, h.names)) if "root" in name else 1
        return lambda p, t: 0 if p == t else min(
            (Fraction(h.height(a), highest) for a in h.common(p, t)), default=math.inf
        )  # fmt: skip
    if name.startswith("climb"):
        return lambda p, t: h.level(t) - max(map(h.level, h.common(p, t)), default=-math.inf)
    if name.startswith("ancestors"):
        o = dict(re.findall(r"(\w+)='?([\w.-]+)", name)) | {"root": "exclude"}
        return lambda p, t: depth_loss({**depths(h, [t], [p], o, data)[None], "n": 1}, o)
    raise NotImplementedError(name)


def distances(h, true, said, o, data):
    cost = cost_of(h, o["cost"], data, o.get("threshold"))
    most = o.get("max_distance")
    if o.get("lift") and o["default"] is not None:  # over the roots, and the class above them all
        top = {c: o["default"] + min(h.ups(c).get(a, math.inf) for a in h.roots) for c in h.names}
        below = cost
        cost = lambda p, t: top[p] + top[t] if below(p, t) == math.inf else below(p, t)  # noqa: E731
    found = {(i, j): cost(p, t) for i, p in enumerate(said) for j, t in enumerate(true)}
    return {k: x for k, x in found.items() if x < math.inf and (most is None or x <= most)}


def in_sum(h, true, said, o, data, pairing):
    d = distances(h, true, said, {**o, "lift": pairing is transported}, data)
    return {None: {"cost": pairing(d, true, said, o)}}


def best(d, true, said, o):
    """Every class has a partner of its own; a true one that has none may cost a default."""
    left_over = len(true) - len(said)
    if left_over < 0 or (left_over and o.get("default") is None):
        raise NoValue
    table = np.full((len(said), len(true)), 1e9)
    for k, x in d.items():
        table[k] = x
    some = linear_sum_assignment(table)
    if table[some].sum() > 1e8:
        raise NoValue
    pairs = zip(*map(np.ndarray.tolist, some), strict=True)
    return sum(d[k] for k in pairs) + (left_over * o["default"] if left_over else 0)


def every(d, true, said, o):
    if len(d) < len(true) * len(said):
        raise NoValue
    return sum(d.values())


def transported(d, true, said, o):
    """Both sides cut into equal units, each of which has one partner."""
    if not true and not said:
        return 0
    if not true or not said:
        if o["default"] is None:
            raise NoValue
        return o["default"]
    n = math.lcm(len(true), len(said))
    lots = [i for i in range(len(said)) for _ in range(n // len(said))]
    ends = [j for j in range(len(true)) for _ in range(n // len(true))]
    units = {(a, b): d[i, j] for a, i in enumerate(lots) for b, j in enumerate(ends) if (i, j) in d}
    return best(units, ends, lots, o) / Fraction(n)


def closed(d, true, said, o, function):
    return function(d, len(said), len(true), Fraction(o["default"]))


GIE, FNERROR = (partial(closed, function=of) for of in (gie_closed, fnerror_closed))
for pairing, *names in (
    (GIE, "gie"), (FNERROR, "fnerror"), (best, "tree_induced_error", "total_cost"), (every, "all_pairs"),
    (transported, "tree_wasserstein"),
):  # fmt: skip
    defines(**dict.fromkeys(names, lambda x, o: x["cost"]))(partial(in_sum, pairing=pairing))
defines(mean_cost=lambda x, o: ratio(x["cost"], x["n"]))(partial(in_sum, pairing=best))


@defines(mgia=lambda x, o: 1 - ratio(x["error"], x["size"] * Fraction(o["default"]), 0))
def mgia(h, true, said, o, data):
    error = in_sum(h, true, said, o, data, FNERROR)[None]["cost"]
    sizes = {"union": {*true, *said}, "symdiff": {*true} ^ {*said}}
    return {None: {"error": error, "size": len(sizes[o["denominator"]])}}


@defines(
    normalised_cost=lambda x, o: ratio(x["cost"], x["worst"], 0),
    mistake_severity=lambda x, o: ratio(x["cost"], x["wrong"], o["zero_division"]),
)  # fmt: skip
def normalised_cost(h, true, said, o, data):
    """And what counts mistakes."""
    found, far = in_sum(h, true, said, o, data, best)[None], cost_of(h, o["cost"], data)
    worst = sum(max(x for p in h.names if (x := far(p, t)) < math.inf) for t in true)
    return {None: {**found, "worst": worst, "wrong": len(set(true) - set(said))}}


def halves(x, o):
    z = o["zero_division"]
    return ratio(x["like p"], x["p"], z), ratio(x["like t"], x["t"], z)


@defines(
    best_match_precision=lambda x, o: halves(x, o)[0],
    best_match_recall=lambda x, o: halves(x, o)[1],
    best_match_average=lambda x, o: sum(halves(x, o)) / 2,
)  # fmt: skip
def best_matches(h, true, said, o, data):
    d = distances(h, true, said, o, data)
    like = {k: max(0, 1 - Fraction(x) / Fraction(o["default"])) for k, x in d.items()}
    best_of = lambda side, i: max((x for k, x in like.items() if k[side] == i), default=0)  # noqa: E731
    p, t = (sum(best_of(side, i) for i in range(len(x))) for side, x in enumerate((said, true)))
    return {None: {"like p": p, "like t": t, "p": len(said), "t": len(true)}}


# ---------------------------------------------------------------------- contributions


def con_ratio(x, o, missing, con):
    """Nothing is earned where the denominator is not positive."""
    below = x["tp"] + x[missing] + x[con]
    if below > 0:
        return max(0, x["tp"] + x["fp con"] + x["fn con"]) / below
    empty = not x["tp"] + x[missing] or math.isnan(o["zero_division"])
    return o["zero_division"] if empty else 0


con_precision = partial(con_ratio, missing="fp", con="fn con")
con_recall = partial(con_ratio, missing="fn", con="fp con")


def con_f(x, o):
    if not any(x[k] for k in ("tp", "fp", "fn")):
        return o["zero_division"]
    p, r = (of(x, {"zero_division": 0}) for of in (con_precision, con_recall))
    square = Fraction(o["beta"]) ** 2
    return ratio((1 + square) * p * r, square * p + r, 0)


def con_error(x, o):
    wrong = x["fp"] + x["fn"] - x["fp con"] - x["fn con"]
    return ratio(wrong, x["tp"] + x["fp"] + x["fn"] + x["tn"], 0)


@defines(
    contribution_precision=con_precision, contribution_recall=con_recall,
    contribution_f=con_f, contribution_error=con_error,
    contribution_accuracy=lambda x, o: 1 - con_error(x, o),
)  # fmt: skip
def contributions(h, true, said, o, data):
    """Eqs 7-10 of Sun & Lim, class by class."""
    cost, theta = cost_of(h, o["cost"], data), Fraction(o["theta"])
    some = set(h.names) - h.left_out(o["root"])
    t, p = set(true) & some, set(said) & some

    def con(pairs):
        total = sum(1 - (x if x == math.inf else Fraction(x) / theta) for x in pairs)
        return max(-1, min(1, total))

    return {
        c: {"tp": int(c in t & p), "fp": int(c in p - t), "fn": int(c in t - p), "tn": int(c not in t | p),
            "fp con": con(cost(c, x) for x in t) if c in p - t else 0,
            "fn con": con(cost(x, c) for x in p) if c in t - p else 0}
        for c in some
    }  # fmt: skip


# -------------------------------------------------------------------------- averages


def summed(rows):
    total = Counter()
    for w, row in rows:
        for k, x in row.items():
            total[k] += w * x
    return total


def mean(pairs):
    """Of (weight, value); nan counts for nothing."""
    known = [(w, x) for w, x in pairs if not math.isnan(x)]
    return ratio(sum(w * x for w, x in known), sum(w for w, _ in known))


def values(name, h, rows, options, data):
    """The value of every instance, and what an average takes: amounts of units by instance."""
    units, formula = DEFINED[name]
    each, found = [], []
    for true, said in rows:
        try:
            of = units(h, true, said, options, data)
            each.append(formula(summed((1, x) for x in [*of.values(), {"n": 1}]), options))
        except NoValue:
            of = None
            each.append(math.nan)
        found.append(of)
    return each, found


def average(name, h, rows, options, data, weight, by_true_class=False):
    """The pooled value, by the option ``average``."""
    formula, how = DEFINED[name][1], options["average"]
    if how in ("macro", "weighted"):  # what a class weighs cancels out
        options = {**options, "weights": "ones"} if "weights" in options else options
    each, found = values(name, h, rows, options, data)
    if how == "samples":
        return mean(zip(weight, each, strict=True))
    if how == "macro" and by_true_class:  # the mean of the means of the instances of a class
        by_class = {}
        for w, x, ((true,), _) in zip(weight, each, rows, strict=True):
            by_class.setdefault(true, []).append((w, x))
        return mean((1, mean(of)) for of in by_class.values())
    by_unit = {None: []}
    for w, of in zip(weight, found, strict=True):
        for unit, x in [] if of is None else [*of.items(), (None, {"n": 1})]:
            by_unit.setdefault(unit, []).append((w, x))
    if how == "micro":
        return formula(summed(itertools.chain(*by_unit.values())), options)
    whole = summed(by_unit.pop(None))
    sums = {u: summed([*x, (1, whole)]) for u, x in by_unit.items()}
    present = ("here", "t", "p", "tp", "fp", "fn", "levels", "judged")
    sums = {u: x for u, x in sums.items() if any(x[k] for k in present)}
    worth = {u: formula(x, options) for u, x in sums.items()}
    worth = {u: x for u, x in worth.items() if not math.isnan(x)}
    true = lambda x: x["t"] + x["tp"] + x["fn"] + ratio(x["k"], x["levels"], 0)  # noqa: E731
    support = {u: true(x) for u, x in sums.items()}
    if how == "macro" or not any(support[u] for u in worth):
        support = dict.fromkeys(worth, 1)
    pairs = [(support[u], x) for u, x in worth.items()]
    if options.get("classes") == "all" and how == "macro":
        counts = set(h.leaves if "path_" in name else h.names) - h.left_out(options["root"])
        pairs.append((len(counts - set(sums)), formula(Counter({"tn": 1}) + whole, options)))
    nothing = options.get("zero_division", math.nan) if sums else formula(Counter(), options)
    return mean(pairs) if sum(w for w, x in pairs if not math.isnan(x)) else nothing
