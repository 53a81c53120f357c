"""Why an instance has no pairing: bounds that cannot hold together, in labels and numbers."""

from __future__ import annotations

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
    found = _impossible(problem, instance) or _clash(problem, instance)
    if found is None:
        network, inverse = build_full(problem, hold=False)  # every bound where it is written
        found = _of_bounds(problem, *_component(network, inverse, instance), instance)
    size = [int(np.diff(problem.labels(s).ptr)[instance]) for s in SIDES]
    return replace(
        found, text=f"{found.text}; it has {size[0]} predicted and {size[1]} true classes"
    )


def _impossible(problem: PairingProblem, instance: int) -> Blocking | None:
    for remark in problem.impossible:
        if remark.instances[instance]:
            return Blocking(
                (Statement("other", None, (), "at least", 1, remark.text),), remark.text
            )
    return None


def _clash(problem: PairingProblem, instance: int) -> Blocking | None:
    """Return a required pair that cannot be chosen."""
    pairs = problem.pairs
    here = slice(int(pairs.ptr[instance]), int(pairs.ptr[instance + 1]))
    clash = np.flatnonzero(problem.required[here] & ~problem.candidate[here])
    if not len(clash):
        return None
    at = int(clash[0]) + here.start
    text = f"the pair {pairs.text(at)} is required and cannot be chosen"
    return Blocking((Statement("pair", None, _ends(problem, at), "at least", 1, text),), text)


def _component(
    network: FlowNetwork, inverse: InverseData, instance: int
) -> tuple[FlowNetwork, InverseData]:
    """Return one component as a network of its own."""
    arcs = slice(int(network.arc_ptr[instance]), int(network.arc_ptr[instance + 1]))
    nodes = slice(int(network.node_ptr[instance]), int(network.node_ptr[instance + 1]))
    one = FlowNetwork(
        network.tail[arcs] - nodes.start, network.head[arcs] - nodes.start, network.lower[arcs],
        network.upper[arcs], network.cost[arcs], network.supply[nodes],
        np.array([0, arcs.stop - arcs.start]), np.array([0, nodes.stop - nodes.start]),
    )  # fmt: skip
    return one, replace(
        inverse, kind=inverse.kind[arcs], side=inverse.side[arcs], subject=inverse.subject[arcs]
    )


def _of_bounds(
    problem: PairingProblem, network: FlowNetwork, inverse: InverseData, instance: int
) -> Blocking:
    kind = inverse.kind
    whole = np.isin(kind, (BOUND, GROUP, TOTAL))
    # groups and totals are left out first, so that labels are named where they suffice
    rank = np.where(kind == BOUND, 2, np.where(kind == PAIR, 1, 0))
    # an upper bound that lets all pairs be chosen was not given, or does not matter
    n_pairs = int(np.diff(problem.pairs.ptr)[instance])
    enough = np.full(len(kind), n_pairs)
    for number in range(len(SIDES)):
        own = (kind == BOUND) & (inverse.side == number)
        other = problem.labels(SIDES[1 - number])
        enough[own] = np.diff(other.ptr)[instance]
    given = whole & (network.upper < enough)
    lower, upper, met = blocking_bounds(network, whole | (kind == PAIR), given, rank)
    wanting = [_statement(problem, network, inverse, int(a), "at least", instance) for a in lower]
    limiting = [_statement(problem, network, inverse, int(a), "at most", instance) for a in upper]
    return Blocking((*wanting, *limiting), _sentence(problem, instance, wanting, limiting, met))


def _statement(
    problem: PairingProblem,
    network: FlowNetwork,
    inverse: InverseData,
    arc: int,
    bound: Literal["at least", "at most"],
    instance: int,
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
    lo = int(problem.labels(side).ptr[instance])
    if kind == BOUND:
        text = f"{_classes(problem, side, instance, [subject - lo])} {verb} {_count(value)}"
        return Statement("label", side, (subject - lo,), bound, value, text)
    at = _group_of(problem, inverse, arc, instance)
    text = f"the {side} group {_names(problem, side, instance, at)} {verb} {_count(value, 'pair')}"
    return Statement("group", side, at, bound, value, text)


def _group_of(
    problem: PairingProblem, inverse: InverseData, arc: int, instance: int
) -> tuple[int, ...]:
    """Return the positions of the labels in the group that an arc bounds."""
    grouping = problem.groupings[int(inverse.subject[arc])]
    alike = np.flatnonzero((inverse.kind == GROUP) & (inverse.subject == inverse.subject[arc]))
    group = np.flatnonzero(grouping.instance == instance)[alike.tolist().index(arc)]
    start = problem.labels(grouping.side).ptr[instance]
    return tuple((grouping.members(int(group)) - start).tolist())


def _sentence(
    problem: PairingProblem,
    instance: int,
    wanting: list[Statement],
    limiting: list[Statement],
    met: int,
) -> str:
    """Return what is wanted, what there is, and what keeps it so small."""
    if len(wanting) == 1 and wanting[0].kind == "pair":
        return f"the required pair {wanting[0].text[9:-12]} breaks another bound: {_all(limiting)}"
    sides = {s.side for s in wanting if s.kind == "label"}
    if len(sides) == 1 and all(s.kind == "label" for s in wanting):
        (side,) = sides
        assert side is not None  # of a label
        labels = [s.labels[0] for s in wanting]
        wanted = sum(s.value for s in wanting)
        together = " together" if len(labels) > 1 else ""
        must = (f"{_classes(problem, side, instance, labels)} must have at least "
                f"{_count(wanted)}{together}")  # fmt: skip
        partners = _partners(problem, side, instance, labels)
        if not partners:
            return (
                f"{must} and can get only 0: no candidate is left and it has no default (no common "
                "ancestor, too far, forbidden, or the other side is empty)"
            )
        other: Side = "true" if side == "predicted" else "predicted"
        only = _names(problem, other, instance, partners)
        they = "they" if len(labels) > 1 else "it"
        may = f"{must} and can get only {met}: {they} may be paired with {only} only"
        return f"{may}, and {_all(limiting)}" if limiting else may
    if len(wanting) == 1 and wanting[0].kind == "group":
        group = wanting[0]
        assert group.side is not None  # of a group
        names = _names(problem, group.side, instance, group.labels)
        text = (
            f"a {group.side} group must have {group.value} pairs and can get only {met} ({names})"
        )
        return f"{text}: {_all(limiting)}" if limiting else text
    if len(wanting) == 1 and wanting[0].kind == "total":
        text = f"at least {wanting[0].value} pairs are required in all, but only {met} fit"
        return f"{text}: {_all(limiting)}" if limiting else text
    return f"these cannot hold together: {_all([*wanting, *limiting])}"


def _all(statements: list[Statement]) -> str:
    """Return statements in a row; equal bounds of many labels are one."""
    texts = [s.text for s in statements]
    if len(texts) > MOST_NAMES:
        texts = [*texts[:MOST_NAMES], f"… ({len(statements)} bounds)"]
    return ", ".join(texts)


def _partners(
    problem: PairingProblem, side: Side, instance: int, labels: list[int]
) -> tuple[int, ...]:
    """Return the labels of the other side that any of these may be paired with."""
    pairs = problem.pairs
    here = slice(int(pairs.ptr[instance]), int(pairs.ptr[instance + 1]))
    across: Side = "true" if side == "predicted" else "predicted"
    own, other = (pairs.at(s)[here] - problem.labels(s).ptr[instance] for s in (side, across))
    of_these = np.isin(own, labels) & problem.candidate[here]
    return tuple(np.unique(other[of_these]).tolist())


def _classes(problem: PairingProblem, side: Side, instance: int, labels: list[int]) -> str:
    names = _names(problem, side, instance, labels)
    return f"the {side} class{'es' * (len(labels) > 1)} {names}"


def _names(
    problem: PairingProblem, side: Side, instance: int, labels: tuple[int, ...] | list[int]
) -> str:
    of_side = problem.labels(side)
    classes = of_side.classes[np.array(labels, dtype=np.int64) + of_side.ptr[instance]]
    names = [repr(problem.pairs.hierarchy.names[c]) for c in classes]
    return ", ".join(names) if len(names) <= MOST_NAMES else listed(names, MOST_NAMES)


def _ends(problem: PairingProblem, pair: int) -> tuple[int, int]:
    """Return the positions of a pair's labels in their instance."""
    pairs = problem.pairs
    at = int(pairs.instance[pair])
    predicted, true = (int(pairs.at(s)[pair] - problem.labels(s).ptr[at]) for s in SIDES)
    return predicted, true


def _count(n: int, what: str = "partner") -> str:
    return f"{n} {what}{'s' * (n != 1)}"
