"""Why an instance has no pairing: bounds that cannot hold together, in labels and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from hierpair.errors import listed
from hierpair.pairing.constraints.units import Moved, mass_text
from hierpair.pairing.network.compiled import PAIR, InverseData, build
from hierpair.pairing.pairs import SIDES, Side
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import FlowNetwork, blocking_bounds, solve

__all__ = ["Blocking", "Statement", "why_infeasible", "why_none"]

MOST_NAMES = 12
"""Labels that a sentence names, at most."""

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
    bound: Literal["at least", "at most"]
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
    if problem.impossible:
        text = problem.impossible[0].text
        return Blocking((Statement("other", None, (), "at least", 1, text),), text)
    clash = np.flatnonzero(problem.required & ~problem.candidate)
    if not len(clash):
        return None
    pair = int(clash[0])
    text = f"the pair {problem.pairs.text(pair)} is required and cannot be chosen"
    return Blocking((Statement("pair", None, _ends(problem, pair), "at least", 1, text),), text)


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
    of_pairs = inverse.count == PAIR
    # groups and totals are left out first, so that labels are named where they suffice
    rank = np.where(of_pairs, 1, 0)
    # an upper bound that lets all pairs be chosen was not given, or does not matter
    most = np.full(len(rank), 0 if enough is None else enough)
    every = np.arange(len(problem.cost))
    for k, count in enumerate(inverse.counts):
        own = inverse.count == k
        rank[own] = 2 if count.kind == "label" else 0
        if enough is None:
            most[own] = count.units(every)[inverse.subject[own]]
    given = network.upper < most
    lower, upper, met, _ = blocking_bounds(network, given, rank)
    given_by = partial(_statement, problem, network, inverse)
    wanting = [given_by(a, "at least") for a in lower.tolist()]
    limiting = [given_by(a, "at most") for a in upper.tolist()]
    return Blocking((*wanting, *limiting), _sentence(problem, wanting, limiting, met))


def _statement(
    problem: PairingProblem,
    network: FlowNetwork,
    inverse: InverseData,
    arc: int,
    bound: Literal["at least", "at most"],
) -> Statement:
    units = int((network.lower if bound == "at least" else network.upper)[arc])
    value: int | float = units
    if problem.moved is not None and units % (one := int(problem.moved.whole[0])):
        value = units / one
    elif problem.moved is not None:
        value = units // one
    many = partial(_many, problem, units)
    k, subject = int(inverse.count[arc]), int(inverse.subject[arc])
    verb = "must have at least" if bound == "at least" else "may have at most"
    if k == PAIR:
        where = _where(problem, int(problem.pairs.instance[subject]))
        text = f"the pair {problem.pairs.text(subject)} is required{where}"
        if bound == "at most":
            text = f"the pair {problem.pairs.text(subject)} may carry {bound} {many('unit')}"
        return Statement("pair", None, _ends(problem, subject), bound, value, text)
    count = problem.counts[k]  # joined instances have lost theirs in the network
    if count.kind == "quota":
        text = f"{count.place(subject)[0]} {verb} {many('pair')}"
        return Statement("quota", None, (), bound, value, text)
    where = _where(problem, int(count.instance[subject]))
    if count.kind == "instance":
        text = f"{bound} {many('pair')} in all{where}"
        return Statement("total", None, (), bound, value, text)
    assert count.side is not None  # labels and groups have one
    side, at = count.side, count.members(subject).tolist()
    if count.kind == "label":
        text = f"{_classes(problem, side, at)} {verb} {many()}{where}"
        return Statement("label", side, tuple(at), bound, value, text)
    names = _names(problem, count.of_labels, at)
    if count.kind == "partners":
        own = count.owner(subject)
        text = f"{_classes(problem, side, [own])} {verb} {many()} among {names}{where}"
        return Statement("partners", side, (own,), bound, value, text, tuple(at))
    text = f"the {side} group {names} {verb} {many('pair')}{where}"
    return Statement("group", side, tuple(at), bound, value, text)


def _sentence(
    problem: PairingProblem, wanting: list[Statement], limiting: list[Statement], met: int
) -> str:
    """Return what is wanted, what there is, and what keeps it so small."""
    one = wanting[0] if len(wanting) == 1 else None
    if one is not None and one.kind == "pair":
        return f"the required pair {one.text[9:-12]} breaks another bound: {_all(limiting)}"
    reason = f": {_all(limiting)}" if limiting else ""
    moved = problem.moved
    if moved is not None and moved.whole[0] > 1:
        least = f"; of what must be moved only {_many(problem, met)} can be"
        return f"these cannot hold together: {_all([*wanting, *limiting])}{least}"
    if one is not None and one.kind == "group" and one.side is not None:
        names = _names(problem, one.side, one.labels)
        pairs = f"{one.value} pair{'s' * (one.value != 1)}"
        must = f"a {one.side} group must have {pairs} and can get only {met}"
        return f"{must} ({names}){reason}"
    if one is not None and one.kind == "total":
        are = "pair is" if one.value == 1 else "pairs are"
        return f"at least {one.value} {are} required in all, but only {met} fit{reason}"
    if {s.kind for s in wanting} != {"label"} or len({s.side for s in wanting}) > 1:
        return f"these cannot hold together: {_all([*wanting, *limiting])}"
    side: Side = "predicted" if wanting[0].side == "predicted" else "true"
    labels = [s.labels[0] for s in wanting]
    together, they = (" together", "they") if len(labels) > 1 else ("", "it")
    wanted = f"{_count(int(sum(s.value for s in wanting)))}{together}"
    must = f"{_classes(problem, side, labels)} must have at least {wanted}"
    across: Side = "true" if side == "predicted" else "predicted"
    of_these = np.isin(problem.pairs.at(side), labels) & problem.candidate
    partners = np.unique(problem.pairs.at(across)[of_these]).tolist()
    if not partners:
        return (
            f"{must} and can get only 0: no candidate is left and it has no default (no common "
            "ancestor, too far, forbidden, or the other side is empty)"
        )
    only = _names(problem, across, partners)
    may = f"{must} and can get only {met}: {they} may be paired with {only} only"
    return f"{may}, and {_all(limiting)}" if limiting else may


def _where(problem: PairingProblem, instance: int) -> str:
    """Return of which instance something is, where several are one problem."""
    return f" (instance {instance})" if problem.joined else ""


def _all(statements: list[Statement]) -> str:
    """Return statements in a row; equal bounds of many labels are one."""
    texts = [s.text for s in statements]
    if len(texts) > MOST_NAMES:
        texts = [*texts[:MOST_NAMES], f"… ({len(statements)} bounds)"]
    return ", ".join(texts)


def _classes(problem: PairingProblem, side: Side, labels: list[int]) -> str:
    return f"the {side} class{'es' * (len(labels) > 1)} {_names(problem, side, labels)}"


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


def _count(n: int, what: str = "partner") -> str:
    return f"{n} {what}{'s' * (n != 1)}"
