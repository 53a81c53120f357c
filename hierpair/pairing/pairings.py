"""From network to pairing, what it costs, or why an instance has none, in labels and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from hierpair.errors import BadInput, Infeasible
from hierpair.hierarchy.arrays import Bools, Floats, Ints
from hierpair.pairing.network import PAIR, InverseData, build
from hierpair.pairing.pairs import SIDES, Array, Side, other_side
from hierpair.pairing.problem import CostLimit, PairingProblem
from hierpair.pairing.units import mass_text
from hierpair.solvers import Flow, FlowNetwork, blocking_bounds, solve, to_integers

EXACT = 2**53  # sums below this are whole numbers in floats as well


@dataclass(frozen=True, eq=False)
class Pairing:
    """An optimal pairing of every instance of a batch, or of all of them where quotas join them.

    An instance without a pairing has the cost nan.
    """

    chosen: Bools  # over the pairs of the problem: part of the pairing
    missing: dict[Side, Ints]  # by side, of labels: partners that are lacking, and paid for
    cost: Floats  # in the original costs
    gap: Floats  # how far each can be from the optimum because costs had to be rounded for the
    # solver; 0 for integers, Fractions and floats that are multiples of 2**-20
    infeasible: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    units: Ints | None = None  # with masses or capacities: how many units every pair carries,
    whole: Ints | None = None  # and by instance how many make the mass 1 (``missing`` are such)

    @property
    def carried(self) -> Ints:
        """How many units every pair carries, 1 or 0 where it is chosen or not."""
        return self.chosen.astype(np.int64) if self.units is None else self.units


def solve_pairing(
    problem: PairingProblem,
    *,
    reduce: bool = True,
    on_infeasible: Literal["raise", "nan"] = "raise",
) -> Pairing:
    """Build the network, solve it, and read the pairing; ``reduce=False`` solves the full one.

    Infeasible is raised for an instance without a pairing, with constraints that cannot hold
    together there, or its cost is nan; SolverLimit for costs that are too large for the solver.
    """
    network, inverse = build(problem, reduce=reduce)
    return read(solve(network), inverse, problem, on_infeasible=on_infeasible)


def read(
    flow: Flow,
    inverse: InverseData,
    problem: PairingProblem,
    *,
    on_infeasible: Literal["raise", "nan"] = "raise",
) -> Pairing:
    """Translate a flow back into pairs, count what they leave missing and what all costs.

    Infeasible is raised, or costs are nan, as by :func:`solve_pairing`.
    """
    infeasible = np.union1d(flow.infeasible, np.flatnonzero(problem.hopeless))
    if problem.joined and len(infeasible):
        infeasible = np.arange(problem.n_instances)
    if len(infeasible) and on_infeasible == "raise":
        if problem.joined:
            raise Infeasible(*why_none(problem))
        instance = int(infeasible[0])
        raise Infeasible(why_infeasible(problem, instance).text, instance)
    none = np.zeros(problem.n_instances, dtype=bool)
    none[infeasible] = True
    carried = np.zeros(len(problem.cost), dtype=np.int64)
    arcs, of_pair = inverse.pairs
    carried[of_pair] = flow.flow[arcs]
    carried[inverse.decided] = 1
    used = np.flatnonzero(carried) if inverse.instead else ()
    for s, pair in zip(SIDES, inverse.instead, strict=False):  # labels that no other came to
        alone = pair >= 0
        alone[problem.pairs.at(s)[used]] = False
        carried[pair[alone]] = 1
    if len(infeasible):
        carried[none[problem.pairs.instance]] = 0
    used = np.flatnonzero(carried)
    units, of, moved = carried[used], problem.component, problem.moved
    missing: dict[Side, Ints] = {}
    owed = [(of(problem.pairs.instance[used]), units, problem.cost[used])]
    for k, count in enumerate(problem.counts):
        here, known = count.units(used, units), ~none[count.instance]
        if k < len(SIDES):
            missing[SIDES[k]] = np.maximum(count.lower - here, 0) * known
        for sets, often, cost in count.owed(here):
            some = np.flatnonzero((often > 0) & known[sets])
            owed.append((of(count.instance[sets[some]]), often[some], cost[some]))
    n = problem.n_components
    whole = np.ones(n, dtype=np.int64) if moved is None else moved.whole
    total, gap = paid(owed, whole), _gap(problem, inverse)
    total[none[:n]], gap[none[:n]] = np.nan, 0.0  # where instances are joined it is all of them
    masses = () if moved is None else (carried, whole)
    return Pairing(carried > 0, missing, total, gap, infeasible, *masses)


def flow_of(pairing: Pairing, network: FlowNetwork, inverse: InverseData) -> Flow:
    """Return the flow in the full network that pairings are; without one it means nothing."""
    carried, used = pairing.carried, np.flatnonzero(pairing.chosen)
    flow = np.zeros(len(network.tail), dtype=np.int64)
    for k, family in enumerate(inverse.families):
        if family.count == PAIR:
            units = carried[family.subject]
        else:
            units = inverse.counts[family.count].units(used, carried[used])[family.subject]
            units = family.sign * (units - family.start) if family.sign else units
        at = inverse.arcs(k)
        flow[at] = np.clip(units, network.lower[at], network.upper[at])
    return Flow(flow, np.empty(0, dtype=np.int64))


def paid(owed: Sequence[tuple[Ints, Ints, Array]], whole: Ints) -> Floats:
    """Return what everybody owes: by whom, how many units, at which cost of the mass 1 each.

    Exact costs are added up as whole numbers and divided once.
    """
    in_whole = to_integers([cost for *_, cost in owed])
    scale, costs = in_whole.scale, in_whole.values
    if not in_whole.exact:
        scale, costs = 1, [cost.astype(np.float64) for *_, cost in owed]
    parts = [(owner, units, x) for (owner, units, _), x in zip(owed, costs, strict=True)]
    most = float(whole.max(initial=1)) * scale
    most += sum(float(units.sum()) * float(np.abs(x).max(initial=0)) for _, units, x in parts)
    kind = object if in_whole.exact and most >= EXACT else np.float64
    total = np.zeros(len(whole), dtype=kind)
    for owner, units, price in parts:
        here = np.zeros_like(total)
        np.add.at(here, owner, units.astype(kind) * price.astype(kind))
        total += here
    found: Floats = (total / (whole.astype(kind) * scale)).astype(np.float64)
    return found


def _gap(problem: PairingProblem, inverse: InverseData) -> Floats:
    """Return how far costs can be from the least, for costs that were rounded, and for masses.

    A rounded mass goes another way at most as often as the shorter side has labels; each time a
    pair takes the place of another one, or of two labels that pay their defaults.
    """
    pairs, moved, costs, of = problem.pairs, problem.moved, inverse.costs[0], problem.component
    gap, largest = np.zeros((2, problem.n_components))
    if not costs.exact:
        most = np.ones(len(problem.cost)) if moved is None else moved.capacity
        np.add.at(gap, of(pairs.instance), most)
        for count in inverse.counts:
            for run in count.runs:
                np.add.at(gap, count.instance[run.sets], run.length)
        gap /= costs.scale * (1 if moved is None else moved.whole)
    if moved is not None and moved.rounding.any():
        paid = [(pairs.instance, np.where(problem.candidate, problem.cost, 0))]
        paid += [(pairs.labels(s).instance, cost) for s, cost in problem.default.items()]
        for owner, cost in paid:
            each = np.abs(cost.astype(np.float64))
            np.maximum.at(largest, owner, np.where(each < np.inf, each, 0))
        ways = np.minimum(*(np.diff(pairs.labels(s).ptr) for s in SIDES))
        gap += 3 * moved.rounding * largest * np.maximum(ways, 1)
    return gap


def limited(problem: PairingProblem) -> PairingProblem:
    """Return the problem without what is above the least largest cost, found by bisection."""
    every = [0, *(x for c in (problem.cost, *problem.default.values()) for x in c.tolist())]
    levels = np.array(sorted({x for x in every if x < np.inf}))  # Fractions stay what they are
    if levels[0] < 0:
        raise BadInput("a Bottleneck needs costs ≥ 0, as the largest of no cost at all is 0")
    high = np.full(problem.n_instances, len(levels) - 1)
    low, open_ = np.full_like(high, -1), np.ones_like(high, dtype=bool)  # low is too low
    while open_.any():  # in the last turn all is up to ``high``, which is met or has no pairing
        open_ = low + 1 < high
        middle = np.where(open_, (low + high) // 2, high)
        found = solve_pairing(_up_to(problem, levels[middle]), on_infeasible="nan")
        met = ~np.isnan(found.cost)
        high, low = np.where(met, middle, high), np.where(met | ~open_, low, middle)
    largest = np.where(met, levels[high].astype(np.float64), np.nan)
    below = np.where(met & (high > 0), levels[high - 1], -1)
    return replace(_up_to(problem, levels[high]), limit=CostLimit(problem, largest, below))


def why_no_smaller(problem: PairingProblem, instance: int) -> Blocking | None:
    """Return why not all is cheaper than the largest cost; None where it is 0 or there is none."""
    limit = problem.limit
    if limit is None or limit.below[instance] < 0:
        return None
    return why_infeasible(_up_to(limit.of, limit.below), instance)


def _up_to(problem: PairingProblem, most: Array) -> PairingProblem:
    """Return the problem without what costs more than so much in every instance."""
    candidate = problem.candidate & (problem.cost <= most[problem.pairs.instance])
    counts = list(problem.counts)
    for k, count in enumerate(counts[: len(SIDES)]):
        cheap = (run.some(run.costs[0] <= most[count.instance[run.sets]]) for run in count.runs)
        counts[k] = replace(count, runs=tuple(cheap))
    return replace(problem, candidate=candidate, counts=tuple(counts))


MOST_NAMED = 12  # labels or bounds that a sentence names, at most

BOUNDS = ("at least", "at most")


@dataclass(frozen=True)
class Statement:
    """One bound of a rule as it holds for an instance."""

    kind: str  # of a "label", "group", label with some "partners", the "total", "quota", "pair"
    side: Side | None  # of a label or group
    of: tuple[Any, ...]  # names of the labels; of a pair, predicted and true
    bound: str  # "at least" or "at most"
    value: float  # how many, or how much where labels have masses
    text: str  # all this in words
    partners: tuple[Any, ...] = ()  # names of the partners that are grouped


@dataclass(frozen=True)
class Blocking:
    """Statements that cannot hold together, while any could without one, and why in a sentence."""

    statements: tuple[Statement, ...]
    text: str


def why_infeasible(problem: PairingProblem, instance: int) -> Blocking:
    """Return statements that cannot hold together in an instance without a pairing.

    None of them can be left out: without it the others have a pairing.
    """
    n_pred, n_true = (int(np.diff(problem.pairs.labels(s).ptr)[instance]) for s in SIDES)
    wrong = problem.required & ~problem.candidate & (problem.pairs.instance == instance)
    if wrong.any():
        pair = int(wrong.argmax())
        text = f"the pair {problem.pairs.text(pair)} is required and cannot be chosen (or carry 1)"
        found = Blocking(
            (Statement("pair", None, _ends(problem, pair), "at least", 1, text),), text
        )
    else:
        found = _of_bounds(problem, instance)
    text = f"{found.text}; it has {n_pred} predicted and {n_true} true classes"
    sides, moved = problem.counts[: len(SIDES)], problem.moved
    least = [int(c.total(c.lower)[instance]) for c in sides]
    most = [int(c.total(c.upper)[instance]) for c in sides]
    if moved is not None and (least[0] > most[1] or least[1] > most[0]):
        one, other = (mass_text(x, int(moved.whole[instance]), 12) for x in most)
        text += (
            f", which can move the masses {one} and {other}; for masses that differ give both "
            "sides an Unmatched, or take their shares of the sum, Mass(…, share=True)"
        )
    return replace(found, text=text)


def why_none(problem: PairingProblem) -> tuple[str, int | None]:
    """Return why instances that quotas join have no pairing, and the instance if it is one."""
    alone = replace(problem, counts=tuple(c for c in problem.counts if c.kind != "quota"))
    stuck = solve(build(alone, reduce=False)[0]).infeasible
    for i in np.union1d(stuck, np.flatnonzero(alone.hopeless))[:1].astype(int).tolist():
        return why_infeasible(alone, i).text, i
    said = in_a_row(s.text for s in _of_bounds(problem, 0).statements)
    return f"all instances together: these cannot hold: {said}", None


def _of_bounds(problem: PairingProblem, component: int) -> Blocking:
    """Return bounds that cannot hold together in an instance, or in all that are joined."""
    moved, whole, enough = problem.moved, 1, 0
    hard = [c.hard() for c in problem.counts]
    if moved is not None:  # pairs and sets have what they were given, not what others let them
        whole = int(moved.whole[component])
        enough = 1 + sum(int(c.lower[c.instance == component].sum()) for c in problem.counts)
        enough += whole * int(problem.required.sum())
        moved = moved._replace(capacity=np.minimum(moved.given, enough))
        uppers = [*moved.stated, *(c.upper for c in hard[len(moved.stated) :])]
        hard = [replace(c, upper=np.minimum(x, enough)) for c, x in zip(hard, uppers, strict=True)]
    problem = replace(problem, moved=moved, counts=tuple(hard))
    network, inverse = build(problem, reduce=False)  # every bound where it is written
    # groups and totals are left out first, so that labels are named where they suffice
    rank, most = np.ones(len(network.tail), dtype=np.int64), np.full(len(network.tail), enough)
    # an upper bound that lets all pairs be chosen was not given, or does not matter
    for k, family in enumerate(inverse.families[:-1]):
        own, count = inverse.arcs(k), inverse.counts[family.count]
        rank[own] = 2 if count.kind == "label" else 0
        if moved is None:
            most[own] = count.sizes[family.subject]
        else:
            network.upper[own] = hard[family.count].upper[family.subject]
    alone, arcs = network.alone(component)
    found = blocking_bounds(alone, alone.upper < most[arcs], rank[arcs])
    of, subject, units = inverse.count[arcs], inverse.subject[arcs], (alone.lower, alone.upper)
    said = [
        _statement(problem, whole, int(of[arc]), int(subject[arc]), bound, int(values[arc]))
        for bound, some, values in zip(BOUNDS, (found.lower, found.upper), units, strict=True)
        for arc in some.tolist()
    ]
    sides = {s.side if s.kind == "label" else None for s in said[: len(found.lower)]}
    side, text = sides.pop(), in_a_row(s.text for s in said)
    if whole > 1 or side is None or sides:
        had = _many(found.met, whole, "pair")
        text = f"these cannot hold together: {text}; of what is asked for only {had} can be had"
        return Blocking((*said,), text)
    labels, other = subject[found.lower], other_side(side)
    wanted, more = int(alone.lower[found.lower].sum()), len(labels) > 1
    text = (
        f"the {side} class{'es' * more} {_names(problem, side, labels)} must have at least "
        f"{_many(wanted, 1, 'partner')}{' together' * more} and can get only {found.met}: "
    )
    of_these = np.isin(problem.pairs.at(side), labels) & problem.candidate
    partners = np.unique(problem.pairs.at(other)[of_these])
    if len(partners):
        text += (
            f"{'they' if more else 'it'} may be paired with {_names(problem, other, partners)} only"
        )
        limits = [s.text for s in said[len(labels) :]]
        text += f", and {in_a_row(limits)}" * bool(limits)
    else:
        text += (
            "no candidate is left and it has no default (no common ancestor, too far, forbidden, "
            "or the other side is empty)"
        )
    return Blocking((*said,), text)


def _statement(
    problem: PairingProblem, whole: int, k: int, at: int, bound: str, units: int
) -> Statement:
    """Return a bound of a set of a count, or of a pair, in words."""
    pairs = problem.pairs
    whose, instance = (pairs if k == PAIR else problem.counts[k]).place(at)
    value = units // whole if units % whole == 0 else units / whole
    within = f" (instance {instance})" if problem.joined and instance is not None else ""
    if k == PAIR:
        text = f"{whose} is required"
        if bound == "at most":
            text = f"{whose} may carry at most {_many(units, whole, 'unit')}"
        return Statement("pair", None, _ends(problem, at), bound, value, text + within)
    count = problem.counts[k]
    kind, names, partners = str(count.kind), tuple[Any, ...](), tuple[Any, ...]()
    if kind in ("label", "group", "partners"):
        here = pairs.labels(count.of_labels).names
        names = tuple(here[i] for i in count.members(at).tolist())
        if kind == "partners":
            owner = pairs.labels(other_side(count.of_labels)).names[count.owner(at)]
            names, partners = (owner,), names
    whose = "the instance" if kind == "instance" else whose
    verb = f"{'must' if bound == 'at least' else 'may'} have {bound}"
    text = f"{whose} {verb} {_many(units, whole, 'partner' if kind == 'label' else 'pair')}{within}"
    kind = "total" if kind == "instance" else kind
    return Statement(kind, count.side, names, bound, value, text, partners)


def _names(problem: PairingProblem, side: Side, labels: Ints) -> str:
    names = problem.pairs.labels(side).names
    return in_a_row(repr(names[at]) for at in labels.tolist())


def in_a_row(texts: Iterable[str]) -> str:
    """Return texts in a row; of many the first ones."""
    every = [*texts]
    more = [f"… ({len(every)} in all)"] * (len(every) > MOST_NAMED)
    return ", ".join(every[:MOST_NAMED] + more)


def _ends(problem: PairingProblem, pair: int) -> tuple[Any, Any]:
    """Return the names of a pair's labels."""
    names = problem.pairs.hierarchy.names
    return names[problem.pairs.predicted[pair]], names[problem.pairs.true[pair]]


def _many(units: int, whole: int, what: str) -> str:
    """Return how many partners or pairs these are, or how much mass."""
    if whole == 1:
        return f"{units} {what}{'s' * (units != 1)}"
    return f"the mass {mass_text(units, whole)}"
