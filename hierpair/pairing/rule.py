"""Pairing rules, and the problems that they make of the pairs of a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from hierpair.errors import BadInput, shown
from hierpair.pairing.composed import Bottleneck, Lexicographic
from hierpair.pairing.counts import Source, constraint_text
from hierpair.pairing.named_pairs import NamedPairs
from hierpair.pairing.pairings import limited
from hierpair.pairing.pairs import SIDES, Array, Pairs, checked_cost, run
from hierpair.pairing.problem import Builder, PairingProblem
from hierpair.solvers import to_integers


@dataclass(frozen=True)
class Rule:
    """A pairing rule: a cost for every pair and the constraints on who is paired with whom.

    Parameters
    ----------
    cost
        Any vectorised callable that takes :class:`Pairs` and returns one cost per pair
        (inf: the pair is impossible), such as ``Hops()`` or ``lambda pairs: pairs.distance``.
    constraints
        Constraints: callables that write on a :class:`Builder`, such as ``Degree("true", 1, 1)``.
        They all hold together, in any order; two that contradict each other are an error.
    signed
        Allow negative costs.
    """

    cost: Callable[[Pairs], Array]
    constraints: tuple[Callable[[Builder], None], ...]
    signed: bool = False

    def __post_init__(self) -> None:
        if not callable(self.cost):
            raise BadInput(f"a cost must be callable, got {shown(self.cost)}")
        if not isinstance(self.constraints, Iterable):
            raise BadInput(
                f"constraints come as a tuple, (…,) for a single one; got {shown(self.constraints)}"
            )
        object.__setattr__(self, "constraints", tuple(self.constraints))
        odd = [d for d in self.constraints if not callable(d)]
        if odd:
            raise BadInput(f"a constraint must be callable, got {shown(odd[0])}")

    @property
    def spans(self) -> Literal["instance", "data set"]:
        """Whether every instance is solved alone, or quotas make one problem of the data set."""
        over_all = any(getattr(c, "spans", "instance") == "data set" for c in self.constraints)
        return "data set" if over_all else "instance"

    @property
    def named_pairs(self) -> tuple[NamedPairs, ...]:
        """The pairs that its constraints name, whose order has to be right."""
        parts = [v for d in self.constraints for v in getattr(d, "__dict__", {}).values()]
        return tuple(v for v in parts if isinstance(v, NamedPairs))


def formulate(rule: Rule, pairs: Pairs) -> PairingProblem:
    """Apply a rule to all pairs of a batch.

    Raises
    ------
    BadInput
        For costs of the wrong shape, NaN or (unless ``rule.signed``) negative ones; for
        constraints that contradict themselves or each other, which names both; and for a pair of
        names that occurs only the other way round.
    """
    builder = Builder(pairs)
    for number, constraint in enumerate(rule.constraints, start=1):
        builder.source = Source(number, constraint_text(constraint))
        run(constraint, builder)
    cost = rule.cost.cost if isinstance(rule.cost, Bottleneck) else rule.cost
    parts = cost.costs if isinstance(cost, Lexicographic) else (cost,)
    if any(isinstance(part, Bottleneck) for part in parts):
        raise BadInput(
            "a Bottleneck cannot be one of several costs: Bottleneck(Lexicographic((…))) minimises "
            "the largest of the first cost before all of them"
        )
    costs = [checked_cost(cost, pairs, signed=rule.signed) for cost in parts]
    problem = builder.problem(costs, signed=rule.signed)
    for k, count in enumerate(problem.counts):
        if count.n_costs > len(costs):
            what = "a default" if k < len(SIDES) else str(count.source)
            raise BadInput(
                f"{what} has {count.n_costs} costs and the cost of pairs {len(costs)}; "
                "lexicographic costs are a Lexicographic of as many"
            )
    if isinstance(rule.cost, Bottleneck):
        if problem.joined:
            raise BadInput(
                f"{problem.quotas[0].source}, joins all instances, and a Bottleneck is of each; "
                "leave out one of them"
            )
        problem = limited(problem)
    for k, each in enumerate(problem.costs if len(costs) > 1 else ()):
        runs = [r.costs[k] for c in problem.counts for r in c.runs if k < len(r.costs)]
        if not to_integers([each[problem.candidate], *runs]).exact:
            raise BadInput(
                f"cost {k + 1} of a Lexicographic must be whole numbers, Fractions, or floats that "
                "are multiples of 2**-20, so that equal ones are known to be equal"
            )
    return problem
