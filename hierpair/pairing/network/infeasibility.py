"""Why an instance has no pairing: bounds that cannot hold together, in labels and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from hierpair.errors import listed
from hierpair.pairing.network.full import build_full
from hierpair.pairing.network.inverse_data import BOUND, GROUP, PAIR, TOTAL, InverseData
from hierpair.pairing.pairs import SIDES, Side
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import FlowNetwork, blocking_bounds

__all__ = ["Blocking", "Statement", "why_infeasible"]

MOST_NAMES = 12
"""Labels that a sentence names, at most."""

Kind = Literal["label", "group", "total", "pair", "other"]


@dataclass(frozen=True)
class Statement:
    """One bound of a rule as it holds for an instance.

    Attributes
    ----------
    kind
        What is counted: the pairs of a ``"label"``, of a ``"group"`` of labels, of the instance
        (``"total"``), or a single ``"pair"``; ``"other"`` is described by ``text``.
    side
        Of a label or group, else None.
    labels
        Positions of the labels in the instance, of one side; of a pair, predicted and true.
    bound, value
        ``"at least"`` or ``"at most"``, and how many.
    text
        The statement in words.
    """

    kind: Kind
    side: Side | None
    labels: tuple[int, ...]
    bound: Literal["at least", "at most"]
    value: int
    text: str


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


def _of_bounds(problem: PairingProblem) -> Blocking:
    network, inverse = build_full(problem, hold=False)  # every bound where it is written
    kind = inverse.kind
    whole = np.isin(kind, (BOUND, GROUP, TOTAL))
    # groups and totals are left out first, so that labels are named where they suffice
    rank = np.where(kind == BOUND, 2, np.where(kind == PAIR, 1, 0))
    # an upper bound that lets all pairs be chosen was not given, or does not matter
    enough = np.full(len(kind), len(problem.cost))
    for number in range(len(SIDES)):
        own = (kind == BOUND) & (inverse.side == number)
        enough[own] = len(problem.labels(SIDES[1 - number]))
    given = whole & (network.upper < enough)
    lower, upper, met = blocking_bounds(network, whole | (kind == PAIR), given, rank)
    wanting = [_statement(problem, network, inverse, a, "at least") for a in lower.tolist()]
    limiting = [_statement(problem, network, inverse, a, "at most") for a in upper.tolist()]
    return Blocking((*wanting, *limiting), _sentence(problem, wanting, limiting, met))


def _statement(
    problem: PairingProblem,
    network: FlowNetwork,
    inverse: InverseData,
    arc: int,
    bound: Literal["at least", "at most"],
) -> Statement:
    value = int((network.lower if bound == "at least" else network.upper)[arc])
    kind, side = int(inverse.kind[arc]), SIDES[inverse.side[arc]]
    subject = int(inverse.subject[arc])
    verb = "must have at least" if bound == "at least" else "may have at most"
    if kind == TOTAL:
        text = f"{bound} {_count(value, 'pair')} in all"
        return Statement("total", None, (), bound, value, text)
    if kind == PAIR:
        text = f"the pair {problem.pairs.text(subject)} is required"
        return Statement("pair", None, _ends(problem, subject), bound, value, text)
    if kind == BOUND:
        text = f"{_classes(problem, side, [subject])} {verb} {_count(value)}"
        return Statement("label", side, (subject,), bound, value, text)
    alike = np.flatnonzero((inverse.kind == GROUP) & (inverse.subject == subject))
    at = problem.groupings[subject].members(alike.tolist().index(arc)).tolist()
    text = f"the {side} group {_names(problem, side, at)} {verb} {_count(value, 'pair')}"
    return Statement("group", side, tuple(at), bound, value, text)


def _sentence(
    problem: PairingProblem, wanting: list[Statement], limiting: list[Statement], met: int
) -> str:
    """Return what is wanted, what there is, and what keeps it so small."""
    one = wanting[0] if len(wanting) == 1 else None
    if one is not None and one.kind == "pair":
        return f"the required pair {one.text[9:-12]} breaks another bound: {_all(limiting)}"
    reason = f": {_all(limiting)}" if limiting else ""
    if one is not None and one.kind == "group" and one.side is not None:
        names = _names(problem, one.side, one.labels)
        must = f"a {one.side} group must have {one.value} pairs and can get only {met}"
        return f"{must} ({names}){reason}"
    if one is not None and one.kind == "total":
        return f"at least {one.value} pairs are required in all, but only {met} fit{reason}"
    if {s.kind for s in wanting} != {"label"} or len({s.side for s in wanting}) > 1:
        return f"these cannot hold together: {_all([*wanting, *limiting])}"
    side: Side = "predicted" if wanting[0].side == "predicted" else "true"
    labels = [s.labels[0] for s in wanting]
    together, they = (" together", "they") if len(labels) > 1 else ("", "it")
    wanted = f"{_count(sum(s.value for s in wanting))}{together}"
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


def _count(n: int, what: str = "partner") -> str:
    return f"{n} {what}{'s' * (n != 1)}"
