"""Why an instance has no pairing: bounds that cannot hold together, in labels and numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hierpair.hierarchy.arrays import Ints
from hierpair.pairing.network import PAIR, build
from hierpair.pairing.pairs import OPEN, SIDES, Side, other_side
from hierpair.pairing.problem import PairingProblem
from hierpair.pairing.units import mass_text
from hierpair.solvers import blocking_bounds, solve

MOST_NAMES = 12
"""Labels that a sentence names, at most."""

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
    """Statements that cannot hold together, while any of them could without one of the others.

    Of their pairs there are only those that may be chosen; ``text`` says in one sentence why they
    contradict each other.
    """

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
    return replace(found, text=f"{found.text}; it has {n_pred} predicted and {n_true} true classes")


def why_none(problem: PairingProblem) -> tuple[str, int | None]:
    """Return why instances that quotas join have no pairing, and the instance if it is one."""
    alone = replace(problem, counts=tuple(c for c in problem.counts if c.kind != "quota"))
    stuck = solve(build(alone, reduce=False)[0]).infeasible
    for i in np.union1d(stuck, np.flatnonzero(alone.hopeless))[:1].astype(int).tolist():
        return why_infeasible(alone, i).text, i
    said = _some(s.text for s in _of_bounds(problem, 0).statements)
    return f"all instances together: these cannot hold: {said}", None


def _as_stated(problem: PairingProblem) -> tuple[PairingProblem, Ints]:
    """Return a problem whose bounds are those that were said, and what is no bound in an instance.

    What pairs and labels can carry has been cut to what other bounds let them; here each bound has
    to stand for itself.
    """
    pairs, moved, counts = problem.pairs, problem.moved, []
    assert moved is not None  # otherwise nothing has been cut
    enough = 1 + np.bincount(pairs.instance, problem.required, problem.n_instances) * moved.whole
    enough = enough.astype(np.int64) + sum(c.total(c.lower) for c in problem.counts)
    for c in problem.counts:
        upper = c.upper
        if c.kind in ("label", "instance"):
            stated = [np.full(len(c), OPEN), *(most for _, _, most in c.said)]
            upper = np.maximum(upper, np.minimum.reduce(stated))
        upper = np.maximum(np.minimum(upper, enough[c.instance]), c.lower)
        counts.append(replace(c, upper=upper))
    moved = moved._replace(capacity=np.minimum(moved.given, enough[pairs.instance]))
    return replace(problem, moved=moved, counts=tuple(counts)), enough


def _of_bounds(problem: PairingProblem, component: int) -> Blocking:
    """Return bounds that cannot hold together in an instance, or in all that are joined."""
    enough, whole = None, 1
    if problem.moved is not None:
        whole = int(problem.moved.whole[component])
        problem, enough = _as_stated(problem)
    problem = replace(problem, counts=tuple(c.hard() for c in problem.counts))
    network, inverse = build(problem, reduce=False)  # every bound where it is written
    # groups and totals are left out first, so that labels are named where they suffice
    rank, most = np.ones(len(network.tail), dtype=np.int64), np.zeros(len(network.tail))
    # an upper bound that lets all pairs be chosen was not given, or does not matter
    for k, family in enumerate(inverse.families[:-1]):
        own, count = inverse.layout.arcs(k), inverse.counts[family.count]
        rank[own] = 2 if count.kind == "label" else 0
        most[own] = count.sizes[family.subject]
    if enough is not None:
        most[:] = enough[component]
    alone, arcs = network.copies(np.array([component]))
    found = blocking_bounds(alone, alone.upper < most[arcs], rank[arcs])
    of, subject, units = inverse.count[arcs], inverse.subject[arcs], (alone.lower, alone.upper)
    said = [
        _statement(problem, whole, int(of[arc]), int(subject[arc]), bound, int(values[arc]))
        for bound, some, values in zip(BOUNDS, (found.lower, found.upper), units, strict=True)
        for arc in some.tolist()
    ]
    sides = {s.side if s.kind == "label" else None for s in said[: len(found.lower)]}
    side, text = sides.pop(), _some(s.text for s in said)
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
        text += f", and {_some(limits)}" * bool(limits)
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
    return _some(repr(names[at]) for at in labels.tolist())


def _some(texts: Iterable[str]) -> str:
    """Return texts in a row; of many the first ones."""
    every = [*texts]
    more = [f"… ({len(every)} in all)"] * (len(every) > MOST_NAMES)
    return ", ".join(every[:MOST_NAMES] + more)


def _ends(problem: PairingProblem, pair: int) -> tuple[Any, Any]:
    """Return the names of a pair's labels."""
    names = problem.pairs.hierarchy.names
    return names[problem.pairs.predicted[pair]], names[problem.pairs.true[pair]]


def _many(units: int, whole: int, what: str) -> str:
    """Return how many partners or pairs these are, or how much mass."""
    if whole == 1:
        return f"{units} {what}{'s' * (units != 1)}"
    return f"the mass {mass_text(units, whole)}"
