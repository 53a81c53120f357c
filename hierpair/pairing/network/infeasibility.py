"""Why an instance has no pairing: bounds that cannot hold together, in labels and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from hierpair.errors import listed
from hierpair.hierarchy.arrays import Ints
from hierpair.pairing.constraints.partition import other_side
from hierpair.pairing.constraints.units import Moved, mass_text
from hierpair.pairing.network.compiled import PAIR, build
from hierpair.pairing.pairs import SIDES, Side
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import blocking_bounds, solve

__all__ = ["Blocking", "Statement", "why_infeasible", "why_none"]

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
        Positions of the labels in the instance, of one side; of a pair, predicted and true.
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
    problem = problem.part(instance)
    size = [len(problem.labels(s)) for s in SIDES]
    found = _without_network(problem) or _of_bounds(problem)
    text = f"{found.text}; it has {size[0]} predicted and {size[1]} true classes"
    return replace(found, text=text)


def why_none(problem: PairingProblem) -> tuple[str, int | None]:
    """Return why instances that quotas join have no pairing, and the instance if it is one."""
    alone = replace(problem, counts=tuple(c for c in problem.counts if c.kind != "quota"))
    network, _ = build(alone, reduce=False)
    stuck = [solve(network).infeasible, alone.pairs.instance[alone.required & ~alone.candidate]]
    stuck += [np.flatnonzero(remark.instances) for remark in alone.impossible]
    impossible = np.concatenate(stuck)
    if len(impossible):
        instance = int(impossible.min())
        return why_infeasible(alone, instance).text, instance
    found = _of_bounds(problem)
    return f"all instances together: these cannot hold: {_all([*found.statements])}", None


def _without_network(problem: PairingProblem) -> Blocking | None:
    """Return what makes an instance impossible by itself, such as a required impossible pair."""
    for text, _ in problem.impossible[:1]:
        return Blocking((Statement("other", None, (), "at least", 1, text),), text)
    for pair in np.flatnonzero(problem.required & ~problem.candidate)[:1].tolist():
        text = f"the pair {problem.pairs.text(pair)} is required and cannot be chosen"
        statement = Statement("pair", None, _ends(problem, pair), "at least", 1, text)
        return Blocking((statement,), text)
    return None


def _as_stated(problem: PairingProblem, moved: Moved) -> tuple[PairingProblem, int]:
    """Return a problem whose bounds are those that were said, and what is as good as no bound.

    What pairs and labels can carry has been cut to what other bounds let them; here each bound has
    to stand for itself.
    """
    least = sum(int(c.lower.sum()) for c in problem.counts)
    enough = 1 + least + int(moved.whole[problem.pairs.instance[problem.required]].sum())
    counts = []
    for k, c in enumerate(problem.counts):
        upper = moved.upper[SIDES[k]] if k < len(SIDES) else c.upper
        if c.kind == "instance" and c.is_hard:
            upper = moved.total
        counts.append(replace(c, upper=np.maximum(np.minimum(upper, enough), c.lower)))
    moved = replace(moved, capacity=np.minimum(moved.given, enough))
    return replace(problem, moved=moved, counts=tuple(counts)), enough


def _of_bounds(problem: PairingProblem) -> Blocking:
    enough = None
    if problem.moved is not None:
        problem, enough = _as_stated(problem, problem.moved)
    problem = replace(problem, counts=tuple(c.hard() for c in problem.counts))
    network, inverse = build(problem, reduce=False)  # every bound where it is written
    # groups and totals are left out first, so that labels are named where they suffice
    rank, most = np.ones(len(network.tail), dtype=np.int64), np.zeros(len(network.tail))
    # an upper bound that lets all pairs be chosen was not given, or does not matter
    for k, family in enumerate(inverse.families):
        own = inverse.layout.arcs(k)
        if family.count != PAIR:
            count = inverse.counts[family.count]
            rank[own] = 2 if count.kind == "label" else 0
            most[own] = count.sizes[family.subject]
    if enough is not None:
        most[:] = enough
    lower, upper, met, _ = blocking_bounds(network, network.upper < most, rank)
    sides: list[tuple[Bound, Ints, Ints]] = [
        ("at least", lower, network.lower),
        ("at most", upper, network.upper),
    ]
    wanting, limiting = (
        [
            _statement(problem, int(inverse.count[a]), int(inverse.subject[a]), bound, int(most[a]))
            for a in arcs.tolist()
        ]
        for bound, arcs, most in sides
    )
    return Blocking((*wanting, *limiting), _sentence(problem, wanting, limiting, met))


def _statement(problem: PairingProblem, k: int, at: int, bound: Bound, units: int) -> Statement:
    """Return a bound of a set of a count, or of a pair, in words."""
    value: int | float = units
    if problem.moved is not None:
        value = units / int(problem.moved.whole[0])
        value = int(value) if value.is_integer() else value
    if k == PAIR:
        whose, owner = problem.pairs.place(at)
        text = f"{whose} is required"
        if bound == "at most":
            text = f"{whose} may carry at most {_many(problem, units, 'unit')}"
        return Statement("pair", None, _ends(problem, at), bound, value, _in(problem, text, owner))
    count = problem.counts[k]  # joined instances have lost theirs in the network
    (whose, instance), kind, side = count.place(at), count.kind, count.side
    labels: tuple[int, ...] = ()
    partners: tuple[int, ...] = ()
    if kind in ("label", "group"):
        labels = tuple(count.members(at).tolist())
    elif kind == "partners":
        labels, partners = (count.owner(at),), tuple(count.members(at).tolist())
    verb = "must have at least" if bound == "at least" else "may have at most"
    whose = "the instance" if kind == "instance" else whose
    what = "partner" if kind == "label" else "pair"
    text = _in(problem, f"{whose} {verb} {_many(problem, units, what)}", instance)
    said: Kind = "total" if kind == "instance" else kind
    return Statement(said, side, labels, bound, value, text, partners)


def _sentence(
    problem: PairingProblem, wanting: list[Statement], limiting: list[Statement], met: int
) -> str:
    """Return what is wanted, what there is, and what keeps it so small."""
    masses = problem.moved is not None and problem.moved.whole[0] > 1
    sides = {s.side if s.kind == "label" else None for s in wanting}
    side = sides.pop()
    if masses or side is None or sides:
        every, had = _all([*wanting, *limiting]), _many(problem, met, "pair")
        return f"these cannot hold together: {every}; of what is asked for only {had} can be had"
    labels = [s.labels[0] for s in wanting]
    whose = f"the {side} class{'es' * (len(labels) > 1)} {_names(problem, side, labels)}"
    together, they = (" together", "they") if len(labels) > 1 else ("", "it")
    units = _count(int(sum(s.value for s in wanting)), "partner")
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


def _in(problem: PairingProblem, text: str, instance: int | None) -> str:
    """Return a text with the instance that it is of, where several are one problem."""
    return f"{text} (instance {instance})" if problem.joined and instance is not None else text


def _all(statements: list[Statement]) -> str:
    """Return statements in a row; of many the first ones."""
    texts = [s.text for s in statements]
    if len(texts) > MOST_NAMES:
        texts = [*texts[:MOST_NAMES], f"… ({len(statements)} bounds)"]
    return ", ".join(texts)


def _names(problem: PairingProblem, side: Side, labels: Sequence[int]) -> str:
    every = problem.labels(side).names
    names = [repr(every[i]) for i in labels]
    return ", ".join(names) if len(names) <= MOST_NAMES else listed(names, MOST_NAMES)


def _ends(problem: PairingProblem, pair: int) -> tuple[int, int]:
    """Return the positions of a pair's labels."""
    return int(problem.pairs.predicted_at[pair]), int(problem.pairs.true_at[pair])


def _many(problem: PairingProblem, units: int, what: str = "partner") -> str:
    """Return how many partners or pairs these are, or how much mass."""
    if problem.moved is None or problem.moved.whole[0] == 1:
        return _count(units, what)
    return f"the mass {mass_text(units, int(problem.moved.whole[0]))}"


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"
