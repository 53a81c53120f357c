"""Pairing rules: a cost, and constraints on how many partners and pairs there are, and which."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Set
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

import numpy as np
import scipy

from hierpair.errors import BadInput, shown
from hierpair.hierarchy.arrays import Bools, Ints
from hierpair.hierarchy.building import plain_names
from hierpair.pairing.costs import Bottleneck, Lexicographic, check_choices
from hierpair.pairing.counts import by_class, checked_table, constraint_text, each_label
from hierpair.pairing.given_costs import CostMatrix
from hierpair.pairing.pairings import limited
from hierpair.pairing.pairs import (
    SIDES,
    Array,
    Labels,
    Pairs,
    Side,
    Table,
    applied,
    checked_cost,
    frozen,
    named,
    other_side,
)
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
        for constraint in self.constraints:
            if not callable(constraint):
                raise BadInput(f"a constraint must be callable, got {shown(constraint)}")

    @property
    def spans(self) -> bool:
        """Whether quotas make one problem of the data set; else every instance is solved alone."""
        return any(getattr(c, "spans", False) for c in self.constraints)

    @property
    def never_paid(self) -> list[str]:
        """Costs of missing partners, as they are written, that no label can lack a partner for."""
        return [
            constraint_text(d) for d in self.constraints if isinstance(d, Unmatched)
            and not any(_asks(c, d.side) for c in self.constraints)
        ]  # fmt: skip


def _asks(constraint: Any, side: Side) -> bool:
    """Whether a label of a side may need partners by a constraint, or may leave mass behind."""
    if isinstance(constraint, Degree):
        return constraint.side == side and constraint.lower != 0
    return isinstance(constraint, Mass) or not isinstance(constraint, Frozen)


def formulate(rule: Rule, pairs: Pairs) -> PairingProblem:
    """Apply a rule to all pairs of a batch.

    BadInput is raised for costs of the wrong shape, NaN or (unless ``rule.signed``) negative, and
    for constraints that contradict each other.
    """
    builder = Builder(pairs)
    for number, constraint in enumerate(rule.constraints, start=1):
        builder.source = f"constraint {number}, {constraint_text(constraint)}"
        with named(builder.source):
            applied(constraint, builder)
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
            what = "a default" if k < len(SIDES) else count.source
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


Where = Callable[[Labels], Bools] | tuple[Hashable, ...] | None

AS_MANY_AS_THERE_ARE = "as many as there are"
"""For ``Degree.lower``: every label of the other side."""


class Frozen:
    """A constraint, whose numbers and ``where`` are kept in a form that cannot change."""

    def __post_init__(self) -> None:
        for f in fields(self):  # type: ignore[arg-type]
            kept = getattr(self, f.name)  # a tuple has one for each of the lexicographic costs
            if f.name == "where":
                kept = _listed(kept)
            elif f.name == "costs":
                kept = checked_table(kept)
            elif f.name in ("when", "pairs"):
                kept = named_pairs(kept, type(self).__name__.lower())
            else:
                kept = tuple(map(frozen, kept)) if isinstance(kept, tuple) else frozen(kept)
            object.__setattr__(self, f.name, kept)


def _listed(where: Any) -> Any:
    """Return a list of names as a tuple; refuse a single text, whose letters are not meant."""
    if where is None or callable(where):
        return where
    if isinstance(where, str) or not isinstance(where, Iterable):
        raise BadInput(f"give several names as a tuple, got {shown(where)}")
    names = plain_names(where)
    return tuple(sorted(names, key=repr) if isinstance(where, Set) else names)


@dataclass(frozen=True)
class Degree(Frozen):
    """Every label of a side has at least and at most so many partners.

    Repeated for the same labels both hold: the largest ``lower`` and the smallest
    ``upper`` count, and a contradiction is an error.

    Parameters
    ----------
    side
        ``"predicted"`` or ``"true"``.
    lower, upper
        Bounds: a number; an array with one per class, in the order of ``hierarchy.names``; a dict
        ``{class: bound}`` (other classes have none); or a callable that takes :class:`Labels` and
        returns one per label. ``upper=None`` is open, ``lower=AS_MANY_AS_THERE_ARE`` is
        everybody.
    where
        Only for these labels: a tuple of class names, or a callable that takes
        :class:`Labels` and returns one truth value per label.
    under, over
        Cost of every partner that a label lacks of ``lower``, or has beyond ``upper``; None: not
        allowed. In the forms of an :class:`Unmatched` cost. Costs of several constraints add up.

    Examples
    --------
    >>> Degree("true", 1, {"saw": 2})
    Degree(side='true', lower=1, upper={'saw': 2}, where=None, under=None, over=None)
    """

    side: Side
    lower: Any = 0
    upper: Any = None
    where: Where = None
    under: Any = None
    over: Any = None

    def __call__(self, builder: Builder) -> None:
        """Write the bounds on the arc between the source (or the sink) and the label."""
        everybody = self.lower == AS_MANY_AS_THERE_ARE
        lower = each_label(builder.pairs, self.side).sizes if everybody else self.lower
        where = builder.labels(self.side).chosen(self.where)
        builder.count(self.side, lower, self.upper, under=self.under, over=self.over, where=where)


@dataclass(frozen=True)
class Unmatched(Frozen):
    """A label of a side may lack partners at this cost each (the default class).

    Parameters
    ----------
    side
        ``"predicted"`` or ``"true"``.
    cost
        A number ≥ 0; an array by class, a dict by name, or a callable on :class:`Labels`, as the
        bounds of :class:`Degree`; or a tuple of these, one for each of the costs of a
        ``Lexicographic``. A label that is given two different costs is an error.
    where
        As for :class:`Degree`.
    """

    side: Side
    cost: Any
    where: Where = None

    def __call__(self, builder: Builder) -> None:
        """Open the arc to the default class of the other side."""
        builder.short(self.side, self.cost, builder.labels(self.side).chosen(self.where))


@dataclass(frozen=True)
class CountCost(Frozen):
    """So many partners of a label, or pairs of a group or an instance, cost so much.

    Costs may fall and rise, but a later unit must not be cheaper than an earlier one: a flow would
    take the cheaper one first. Costs of several constraints add up.

    Parameters
    ----------
    of
        ``"predicted"`` or ``"true"``: of every label of the side, or of groups of them;
        ``"instance"``: of all pairs of an instance.
    costs
        The cost of 0, 1, 2 … partners: a sequence, with None for a number that is not allowed, as
        all beyond its end are; or a callable that takes :class:`Labels` (:class:`Partition`,
        :class:`Instances`) and how many, and returns one cost for each. An entry may be a tuple
        of one for each cost of a ``Lexicographic``.
    where
        Only for these labels, as for :class:`Degree`.
    groups
        Takes :class:`Labels` and returns the group of each, -1 for none: pairs of a group are
        counted together.

    Examples
    --------
    The third partner of a true class costs 1, the fourth one 2, and there is no fifth.

    >>> CountCost("true", (0, 0, 0, 1, 3))
    CountCost(of='true', costs=(0, 0, 0, 1, 3), where=None, groups=None)
    """

    of: Side | Literal["instance"]
    costs: Any
    where: Where = None
    groups: Callable[[Labels], Ints] | None = None

    def __post_init__(self) -> None:
        check_choices(self, of=(*SIDES, "instance"))
        if (self.of == "instance") + (self.where is not None) + (self.groups is not None) > 1:
            raise BadInput("costs are of instances, of groups, or of labels somewhere")
        super().__post_init__()

    def __call__(self, builder: Builder) -> None:
        """Put an arc for every step of the costs beside the one that bounds what is counted."""
        if self.of == "instance":
            builder.count("instance", costs=self.costs)
            return
        labels = builder.labels(self.of)
        of = self.of if self.groups is None else builder.groups(self.of, self.groups(labels))
        builder.count(of, costs=self.costs, where=labels.chosen(self.where))


@dataclass(frozen=True)
class Cardinality(Frozen):
    """Every instance has at least and at most so many pairs (default classes not counted).

    A bound is a number, an array with one per instance of all that are evaluated together, or a
    callable that takes :class:`Instances` and returns one per instance. Several of them intersect.
    Places of instances are known where all are scored together, and refused in parts of a data set.
    With ``under`` and ``over`` the bounds are soft: every pair too few or too many costs so much.
    """

    lower: Any = 0
    upper: Any = None
    under: Any = None
    over: Any = None

    def __call__(self, builder: Builder) -> None:
        """Bound the arc from the sink back to the source."""
        builder.count("instance", self.lower, self.upper, under=self.under, over=self.over)


@dataclass(frozen=True)
class Groups(Frozen):
    """Each group of labels of a side has at most so many pairs, its labels taken together.

    Several ``Groups`` of a side must be nested; of the same groups they intersect.

    Parameters
    ----------
    side
        ``"predicted"`` or ``"true"``.
    groups
        Takes :class:`Labels` and returns one whole number per label, -1 for no group. The labels
        are those of the side, or with ``of="partners"`` those of the other side.
    upper, lower
        Bounds: a number; an array or a dict by the number of the group; or a callable that takes
        :class:`Partition` and returns one per group. ``upper=None`` is open. Where an instance has
        no label in a group, a minimum asks nothing.
    under, over
        Cost of every pair that a group has too few or too many; None: not allowed.
    of
        What is counted: the pairs of a group of ``"labels"`` of the side, or for each label of the
        side the pairs with each group of its ``"partners"``.
    where
        Only for these labels of the side, as for :class:`Degree`: others are in no group, or their
        partners are not grouped.
    """

    side: Side
    groups: Callable[[Labels], Ints]
    upper: Any = None
    lower: Any = 0
    under: Any = None
    over: Any = None
    of: Literal["labels", "partners"] = "labels"
    where: Where = None

    def __post_init__(self) -> None:
        check_choices(self, of=("labels", "partners"))
        if not callable(self.groups):
            raise BadInput(f"groups must be a callable on labels, got {shown(self.groups)}")
        super().__post_init__()

    def __call__(self, builder: Builder) -> None:
        """Put a node between the source (or the sink) and the labels of a group."""
        partners = self.of == "partners"
        labels = builder.labels(other_side(self.side) if partners else self.side)
        where = builder.labels(self.side).chosen(self.where)
        of = builder.groups(self.side, self.groups(labels), partners=partners, where=where)
        builder.count(of, self.lower, self.upper, under=self.under, over=self.over)


@dataclass(frozen=True)
class Quota(Frozen):
    """All instances together have at least and at most so many pairs; each class, or in all.

    What is said of all instances is solved at once, by :func:`hierpair.pair_data_set`; only the
    total over the data set is determined, so such a rule is no measure of instances. Sets without
    any label or instance have no bound.

    Parameters
    ----------
    side
        Whose classes are counted, ``"predicted"`` or ``"true"``; None: all pairs.
    groups
        Takes :class:`Labels` of the side (:class:`Instances` where there is none) and returns a
        whole number for each, -1 for none: the pairs of all labels with one number are counted
        together. By default each class of the side is counted, or all pairs are.
    lower, upper
        Bounds: a number; an array by class or by the number of the group; a dict by the name of the
        class or by the number of the group (others have none); or a callable that takes
        :class:`Partition` and returns one per set. ``upper=None`` is open.
    under, over
        Cost of every pair too few or too many; None: not allowed.
    costs
        What 0, 1, 2 … pairs of a set cost, as for a :class:`CountCost`.

    Examples
    --------
    >>> Quota("predicted", upper={"saw": 2}).upper
    {'saw': 2}
    """

    side: Side | None = None
    groups: Callable[[Any], Ints] | None = None
    lower: Any = 0
    upper: Any = None
    under: Any = None
    over: Any = None
    costs: Any = None

    spans: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_choices(self, side=(*SIDES, None))
        super().__post_init__()

    def __call__(self, builder: Builder) -> None:
        """Put a node for each set between the source (or the sink) and what is in it."""
        things = builder.pairs.instances if self.side is None else builder.labels(self.side)
        groups: Any = self.groups or by_class
        if self.side is None and self.groups is None:
            groups = lambda each: np.zeros(len(each), dtype=np.int64)  # noqa: E731
        of = builder.across(self.side, groups(things), by_class=groups is by_class)
        if isinstance(self.lower, Table):
            for name, least in zip(self.lower.names or (), self.lower.numbers, strict=False):
                if least != 0 and of.keys_of([name])[0] not in of.keys:
                    raise BadInput(f"lower is {least} for {name!r}, which is in no instance")
        builder.count(
            of, self.lower, self.upper, under=self.under, over=self.over, costs=self.costs
        )


@dataclass(frozen=True)
class Forbid(Frozen):
    """Pairs for which the vectorised predicate is true, or that are listed, may not be chosen.

    ``when`` is a callable on :class:`Pairs`, or a tuple of ``(predicted, true)`` names, as for
    :class:`Require`.
    """

    when: Callable[[Pairs], Bools] | NamedPairs

    def __call__(self, builder: Builder) -> None:
        """Leave the arcs out."""
        builder.count("pair", 0, 0, where=self.when(builder.pairs))


@dataclass(frozen=True)
class Require(Frozen):
    """Pairs for which the predicate is true, or that are listed, must be chosen.

    ``pairs`` is a callable on :class:`Pairs`, or a tuple of ``(predicted, true)`` names, which
    binds wherever an instance has both labels on these sides. Where data are scored or
    explained, names that occur in the other order alone are an error.
    """

    pairs: Callable[[Pairs], Bools] | NamedPairs

    def __call__(self, builder: Builder) -> None:
        """Put a lower bound of 1 on the arcs."""
        builder.count("pair", 1, where=self.pairs(builder.pairs))


@dataclass(frozen=True)
class MaxDistance(Frozen):
    """Classes more than ``limit`` edges apart may not be paired.

    ``limit`` is a number, or a callable that takes :class:`Pairs` and returns one per pair.
    """

    limit: Any

    def __call__(self, builder: Builder) -> None:
        """Leave the arcs out."""
        limit, _ = builder.pairs.numbers(self.limit, "the largest distance")
        builder.count("pair", 0, 0, where=builder.pairs.distance > limit)


@dataclass(frozen=True)
class Mass(Frozen):
    """Every label of a side has a mass, which pairs carry to the other side in any parts.

    With a ``Mass`` on both sides a pairing is an optimal transport, and costs are of the mass 1:
    of pairs, and of what :class:`Unmatched` lets stay behind. All other bounds are masses too, and
    may be fractions. Masses of a label by several constraints must be the same.

    Parameters
    ----------
    side
        ``"predicted"`` or ``"true"``.
    mass
        A number ≥ 0; an array with one per class, in the order of ``hierarchy.names``; a dict
        ``{class: mass}``; or a callable that takes :class:`Labels` and returns one per label. Whole
        numbers and Fractions are exact, and so are floats of up to 40 binary digits that are
        multiples of 2**-40; others are rounded to at most 2**40 units of an instance, by largest
        remainder, so that sums stay.
    where
        Only for these labels, as for :class:`Degree`.
    lower
        How much of it must be moved at least, in the same forms; None: all. ``lower=0`` and a
        :class:`Cardinality` say how much is moved in all (partial transport).
    share
        Divide the masses of an instance by their sum, so that both sides have the mass 1.

    Raises
    ------
    BadInput
        Where a rule is applied, for a mass that is no number ≥ 0.
    Infeasible
        Where it is solved, for masses of both sides with different sums that have no
        :class:`Unmatched`.

    Examples
    --------
    Both sides share the mass 1 evenly: a Wasserstein distance of label sets.

    >>> from hierpair import Hierarchy
    >>> from hierpair.pairing import Hops, Rule
    >>> from hierpair.labels import LabelSets
    >>> from hierpair.pairing import Pairs, formulate, solve_pairing
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
    >>> truth = LabelSets.from_labels([["b", "c", "d"]], tree)
    >>> said = LabelSets.from_labels([["b", "d"]], tree)
    >>> even = Rule(Hops(), (Mass("predicted", 1, share=True), Mass("true", 1, share=True)))
    >>> found = solve_pairing(formulate(even, Pairs.between(tree, truth, said)))
    >>> found.cost.tolist(), found.units.reshape(2, 3).sum(axis=1).tolist(), found.whole.tolist()
    ([0.8333333333333334], [3, 3], [6])
    """

    side: Side
    mass: Any
    where: Where = None
    lower: Any = None
    share: bool = False

    def __post_init__(self) -> None:
        check_choices(self, share=(True, False))
        if self.share and self.lower is not None:
            raise BadInput(
                "lower is for given masses; for shares say with a Cardinality how much is moved"
            )
        super().__post_init__()

    def __call__(self, builder: Builder) -> None:
        """Let as many units through the arc of the label as its mass has."""
        labels = builder.labels(self.side)
        where = labels.chosen(self.where)
        some = labels.truths(where)
        mass, listed = labels.numbers(self.mass, "the mass", some, endless=False)
        labels.refuse(
            np.zeros(0, bool) if listed is None else some & ~listed,
            lambda _, whose: (
                f"{whose} has no mass; list it (0 for none), or say for which labels "
                "masses are meant (where)"
            ),
        )
        labels.too_large(mass, "the mass")
        lower = mass if self.lower is None else self.lower
        carried: Any = "shares" if self.share else True
        builder.count(self.side, lower, mass, where=where, carried=carried)


@dataclass(frozen=True, eq=False)
class Capacity:
    """Every pair may be used so many times, or carry so much mass.

    Without it a pair is used once, or carries all that the masses of its labels let it.
    Several of them hold together: the least counts.

    Parameters
    ----------
    capacity
        A number ≥ 0, None for any; a scipy sparse array by class, ``[predicted, true]``, in the
        order of ``hierarchy.names`` (pairs that it does not hold have 0), or a dense one; or a
        callable that takes :class:`Pairs` and returns one number per pair.

    Examples
    --------
    >>> Capacity(2).capacity
    2
    """

    capacity: Any

    def __post_init__(self) -> None:
        given = self.capacity
        if scipy.sparse.issparse(given) or isinstance(given, (np.ndarray, list)):
            object.__setattr__(self, "capacity", CostMatrix(given))

    def __call__(self, builder: Builder) -> None:
        """Put the upper bound on the arcs of pairs."""
        builder.count("pair", 0, self.capacity, carried=True)


@dataclass(frozen=True)
class NamedPairs:
    """Pairs of class names, (predicted, true); called with :class:`Pairs`, which those are."""

    names: tuple[tuple[Hashable, Hashable], ...]

    def __repr__(self) -> str:
        return repr(self.names)

    def __call__(self, pairs: Pairs) -> Bools:
        """Return one truth value per pair."""
        mask = np.zeros(len(pairs), dtype=bool)
        for predicted, true in self.names:
            p, t = pairs.hierarchy.index((predicted, true))
            mask |= (pairs.predicted == p) & (pairs.true == t)
        return mask


def named_pairs(given: Any, verb: str) -> Any:
    """Return a predicate on pairs: a callable as it is, names as :class:`NamedPairs`."""
    if callable(given):
        return given
    several = isinstance(given, Iterable) and not isinstance(given, str)
    # a set has another order in every run, which error messages would show
    pairs: list[Any] = [*given] if several else [None]
    pairs = sorted(pairs, key=repr) if isinstance(given, Set) else pairs
    if any(not isinstance(p, (tuple, list, np.ndarray)) or len(p) != 2 for p in pairs):
        raise BadInput(
            f"{verb} by a callable on pairs, or by a tuple of (predicted, true) pairs of names, "
            f"got {shown(given)}"
        )
    return NamedPairs(tuple(tuple(plain_names(pair)) for pair in pairs))
