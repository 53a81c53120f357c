"""Why an instance has no pairing: bounds that cannot hold together, in labels and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from hierpair.hierarchy.arrays import Ints
from hierpair.pairing.network import PAIR, build
from hierpair.pairing.pairs import OPEN, SIDES, Side, other_side
from hierpair.pairing.problem import PairingProblem
from hierpair.pairing.units import mass_text
from hierpair.solvers import blocking_bounds, solve

MOST_NAMES = 12
"""Labels that a sentence names, at most."""

Bound = Literal["at least", "at most"]

Kind = Literal["label", "group", "partners", "total", "pair", "quota", "other"]


@dataclass(frozen=True)
class Statement:
    """One bound of a rule as it holds for an instance.

    Attributes
    ----------
    kind
        What is counted: the pairs of a ``"label"``, of a ``"group"`` of labels, of the instance
        (``"total"``), of a set of all instances (``"quota"``), or a single ``"pair"``;
        ``"other"`` is described by ``text``.
    side
        Of a label or group, else None.
    labels
        Positions of the labels in the batch, of one side; of a pair, predicted and true.
    bound, value
        ``"at least"`` or ``"at most"``, and how many, or how much where labels have masses.
    text
        The statement in words.
    partners
        Of ``"partners"``, the pairs of one label with some of the other side: positions of these.
    """

    kind: Kind
    side: Side | None
    labels: tuple[int, ...]
    bound: Bound
    value: int | float
    text: str
    partners: tuple[int, ...] = ()


@dataclass(frozen=True)
class Blocking:
    """Statements that cannot hold together, while any of them could without one of the others.

    Attributes
    ----------
    statements
        The set; of its pairs there are only those that may be chosen.
    text
        Why they contradict each other, in one sentence.
    """

    statements: tuple[Statement, ...]
    text: str


def why_infeasible(problem: PairingProblem, instance: int) -> Blocking:
    """Return statements that cannot hold together in an instance without a pairing.

    None of them can be left out: without it the others have a pairing.
    """
    n_pred, n_true = (int(np.diff(problem.labels(s).ptr)[instance]) for s in SIDES)
    found = _without_network(problem, instance) or _of_bounds(problem, instance)
    text = f"{found.text}; it has {n_pred} predicted and {n_true} true classes"
    return replace(found, text=text)


def why_none(problem: PairingProblem) -> tuple[str, int | None]:
    """Return why instances that quotas join have no pairing, and the instance if it is one."""
    alone = replace(problem, counts=tuple(c for c in problem.counts if c.kind != "quota"))
    network, _ = build(alone, reduce=False)
    stuck = np.isin(np.arange(alone.n_instances), solve(network).infeasible)
    for i in np.flatnonzero(stuck | alone.hopeless)[:1].tolist():
        return why_infeasible(alone, i).text, i
    found = _of_bounds(problem, 0)
    return f"all instances together: these cannot hold: {_all([*found.statements])}", None


def _without_network(problem: PairingProblem, instance: int) -> Blocking | None:
    """Return what makes an instance impossible by itself, such as a required impossible pair."""
    for text, of in problem.impossible:
        if of[instance]:
            return Blocking((Statement("other", None, (), "at least", 1, text),), text)
    here = problem.pairs.instance == instance
    for pair in np.flatnonzero(here & problem.required & ~problem.candidate)[:1].tolist():
        text = f"the pair {problem.pairs.text(pair)} is required and cannot be chosen (or carry 1)"
        statement = Statement("pair", None, _ends(problem, pair), "at least", 1, text)
        return Blocking((statement,), text)
    return None


def _as_stated(problem: PairingProblem) -> tuple[PairingProblem, Ints]:
    """Return a problem whose bounds are those that were said, and what is no bound in an instance.

    What pairs and labels can carry has been cut to what other bounds let them; here each bound has
    to stand for itself.
    """
    moved = problem.moved
    assert moved is not None  # otherwise nothing has been cut
    pairs, n = problem.pairs, problem.n_instances
    enough = 1 + np.bincount(pairs.instance, problem.required, n).astype(np.int64) * moved.whole
    enough += sum(c.total(c.lower) for c in problem.counts)
    counts = []
    for c in problem.counts:
        stated = np.minimum.reduce([np.full(len(c), OPEN), *(most for _, _, most in c.said)])
        upper = np.maximum(c.upper, stated) if c.kind in ("label", "instance") else c.upper
        upper = np.maximum(np.minimum(upper, enough[c.instance]), c.lower)
        counts.append(replace(c, upper=upper))
    capacity = np.minimum(moved.given, enough[pairs.instance])
    moved = moved._replace(capacity=capacity)
    return replace(problem, moved=moved, counts=tuple(counts)), enough


def _of_bounds(problem: PairingProblem, component: int) -> Blocking:
    """Return bounds that cannot hold together in an instance, or in all that are joined."""
    enough = None
    if problem.moved is not None:
        problem, enough = _as_stated(problem)
    whole = 1 if problem.moved is None else int(problem.moved.whole[component])
    problem = replace(problem, counts=tuple(c.hard() for c in problem.counts))
    network, inverse = build(problem, reduce=False)  # every bound where it is written
    # groups and totals are left out first, so that labels are named where they suffice
    rank, most = np.ones(len(network.tail), dtype=np.int64), np.zeros(len(network.tail))
    # an upper bound that lets all pairs be chosen was not given, or does not matter
    for k, family in enumerate(inverse.families):
        if family.count != PAIR:
            own, count = inverse.layout.arcs(k), inverse.counts[family.count]
            rank[own] = 2 if count.kind == "label" else 0
            most[own] = count.sizes[family.subject]
    if enough is not None:
        most[:] = enough[component]
    alone, arcs = network.copies(np.array([component]))
    found = blocking_bounds(alone, alone.upper < most[arcs], rank[arcs])
    sides: tuple[tuple[Bound, Ints, Ints], ...] = (
        ("at least", found.lower, alone.lower),
        ("at most", found.upper, alone.upper),
    )
    of = [inverse.count[arcs].tolist(), inverse.subject[arcs].tolist()]
    wanting, limiting = (
        [_statement(problem, whole, of[0][a], of[1][a], bound, int(values[a])) for a in some]
        for bound, some, values in sides
    )
    return Blocking((*wanting, *limiting), _sentence(problem, whole, wanting, limiting, found.met))


def _statement(
    problem: PairingProblem, whole: int, k: int, at: int, bound: Bound, units: int
) -> Statement:
    """Return a bound of a set of a count, or of a pair, in words."""
    sets = problem.pairs if k == PAIR else problem.counts[k]
    whose, instance = sets.place(at)
    value = units // whole if units % whole == 0 else units / whole
    of = f" (instance {instance})" if problem.joined and instance is not None else ""
    if k == PAIR:
        text = f"{whose} is required"
        if bound == "at most":
            text = f"{whose} may carry at most {_many(units, whole, 'unit')}"
        return Statement("pair", None, _ends(problem, at), bound, value, text + of)
    count = problem.counts[k]
    labels: tuple[int, ...] = ()
    partners: tuple[int, ...] = ()
    if count.kind in ("label", "group"):
        labels = tuple(count.members(at).tolist())
    elif count.kind == "partners":
        labels, partners = (count.owner(at),), tuple(count.members(at).tolist())
    verb = "must have at least" if bound == "at least" else "may have at most"
    whose = "the instance" if count.kind == "instance" else whose
    what = "partner" if count.kind == "label" else "pair"
    text = f"{whose} {verb} {_many(units, whole, what)}{of}"
    kind: Kind = "total" if count.kind == "instance" else count.kind
    return Statement(kind, count.side, labels, bound, value, text, partners)


def _sentence(
    problem: PairingProblem,
    whole: int,
    wanting: list[Statement],
    limiting: list[Statement],
    met: int,
) -> str:
    """Return what is wanted, what there is, and what keeps it so small."""
    sides = {s.side if s.kind == "label" else None for s in wanting}
    side = sides.pop()
    if whole > 1 or side is None or sides:
        every, had = _all([*wanting, *limiting]), _many(met, whole, "pair")
        return f"these cannot hold together: {every}; of what is asked for only {had} can be had"
    labels = [s.labels[0] for s in wanting]
    whose = f"the {side} class{'es' * (len(labels) > 1)} {_names(problem, side, labels)}"
    together, they = (" together", "they") if len(labels) > 1 else ("", "it")
    units = _many(int(sum(s.value for s in wanting)), 1, "partner")
    must = f"{whose} must have at least {units}{together} and can get only {met}"
    across = other_side(side)
    of_these = np.isin(problem.pairs.at(side), labels) & problem.candidate
    partners = np.unique(problem.pairs.at(across)[of_these]).tolist()
    if not partners:
        return (
            f"{must}: no candidate is left and it has no default (no common ancestor, too far, "
            "forbidden, or the other side is empty)"
        )
    may = f"{must}: {they} may be paired with {_names(problem, across, partners)} only"
    return f"{may}, and {_all(limiting)}" if limiting else may


def _all(statements: list[Statement]) -> str:
    return _some([s.text for s in statements])


def _names(problem: PairingProblem, side: Side, labels: Sequence[int]) -> str:
    names = problem.pairs.hierarchy.names
    return _some([repr(names[c]) for c in problem.labels(side).classes[labels].tolist()])


def _some(texts: list[str]) -> str:
    """Return texts in a row; of many the first ones."""
    more = [f"… ({len(texts)} in all)"] * (len(texts) > MOST_NAMES)
    return ", ".join(texts[:MOST_NAMES] + more)


def _ends(problem: PairingProblem, pair: int) -> tuple[int, int]:
    """Return the positions of a pair's labels."""
    return int(problem.pairs.predicted_at[pair]), int(problem.pairs.true_at[pair])


def _many(units: int, whole: int, what: str) -> str:
    """Return how many partners or pairs these are, or how much mass."""
    if whole == 1:
        return f"{units} {what}{'s' * (units != 1)}"
    return f"the mass {mass_text(units, whole)}"
