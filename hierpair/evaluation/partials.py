"""A partial: what any number of instances leave behind to be merged and pooled elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from hierpair.errors import BadInput, listed, shown
from hierpair.evaluation.batches import Job, ranges_of, work
from hierpair.evaluation.checked import check_policy, check_weight, chosen_measures
from hierpair.evaluation.partial_bytes import Content, packed, unpacked
from hierpair.evaluation.totals import REMARKS, Plan, Totals
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets, Unknown, match_instances
from hierpair.measures import Measure, measure
from hierpair.measures.recipes.pairings import named_pairs_of
from hierpair.pairing import OrderOfPairs

__all__ = ["Partial", "merge", "partial"]


@dataclass(frozen=True, eq=False)
class Partial:
    """What instances leave behind: exact sums, without labels and without the hierarchy.

    Partials are made by :func:`partial`, added by :func:`merge`, and travel as bytes
    (:meth:`to_bytes`, :meth:`from_bytes`). Whatever the partition into parts and the order of
    merging, the result is the same to the last bit.

    Attributes
    ----------
    fingerprint, hierarchy
        :attr:`Hierarchy.fingerprint` of the classes, and what they are in one line.
    numbering
        Digest of the order of the classes, where sums are kept by class number; else ``""``.
    measures
        The measures, in their order.
    parts
        Ids of the parts that were seen; a part is refused a second time.
    totals
        The sums, by measure and by recipe.
    n_unknown
        By side (``"y_true"``, ``"y_pred"``), labels that were dropped or replaced.
    n_missing
        Instances without prediction that were counted as empty.
    in_order, turned
        Of the pairs of classes that rules name, those that occur as (predicted, true), and those
        that occur the other way round with an instance.
    """

    fingerprint: str
    hierarchy: str
    numbering: str
    measures: tuple[Measure, ...]
    parts: frozenset[str]
    totals: Totals
    n_unknown: Mapping[str, int] = field(default_factory=dict)
    n_missing: int = 0
    in_order: frozenset[int] = frozenset()
    turned: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def plan(self) -> Plan:
        """What is added up."""
        return Plan(self.measures)

    @property
    def n_instances(self) -> int:
        """Number of instances."""
        return self.totals.n_instances

    @property
    def signatures(self) -> tuple[str, ...]:
        """One line per measure that pins all its conventions and the version."""
        return tuple(m.signature for m in self.measures)

    @property
    def n_infeasible(self) -> dict[str, int]:
        """By measure, instances without a possible pairing that are left out."""
        counted = self.totals.counted(self.plan, "infeasible")
        return {name: sum(words.values()) for name, words in counted.items()}

    @property
    def solved_by(self) -> dict[str, dict[str, int]]:
        """By LCA measure, how many instances were solved in which way."""
        return self.totals.counted(self.plan, "solved_by")

    @property
    def remarks(self) -> dict[str, dict[str, int]]:
        """By measure, sentences of what has to be known, and of how many instances."""
        return self.totals.counted(self.plan, REMARKS)

    def scores(self) -> dict[str, float]:
        """Return the pooled score of every measure by its name; nan where there is no instance.

        Raises
        ------
        BadInput
            If a pair of classes that a rule names occurs only the other way round, or if sums are
            beyond all floats, which no instances leave behind.

        Examples
        --------
        >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
        >>> partial(tree, [["b"]], [["c"]], ["hf", "gie"]).scores()
        {'hf': 0.5, 'gie': 2.0}
        """
        named = named_pairs_of(self.measures)
        pairs = [pair for some in named for pair in some.names]
        right = {pairs[i] for i in self.in_order}
        turned = {pairs[i]: instance for i, instance in self.turned.items()}
        OrderOfPairs(set(named), right, turned).check()
        names = [m.name for m in self.measures]
        try:
            return dict(zip(names, self.totals.pooled(self.plan), strict=True))
        except OverflowError:
            raise BadInput("the sums of a partial are beyond all floats") from None

    def to_bytes(self) -> bytes:
        """Return the partial as bytes; equal partials give equal bytes.

        The form is that of ``hierpair/evaluation/partial_bytes.py``: a line with its version, a
        digest, a header in JSON, and whole numbers. Measures are kept by name; those of your own
        have to be registered where the bytes are read.

        Examples
        --------
        >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
        >>> one = partial(tree, [["b"]], [["c"]], ["hf"], part="day 1")
        >>> Partial.from_bytes(one.to_bytes()).scores() == one.scores()
        True
        """
        content = Content(
            self.fingerprint,
            self.hierarchy,
            self.numbering,
            [m.name for m in self.measures],
            list(self.signatures),
            sorted(self.parts),
            self.totals,
            dict(self.n_unknown),
            self.n_missing,
            sorted(self.in_order),
            dict(self.turned),
        )
        return packed(content)

    @classmethod
    def from_bytes(cls, data: bytes, measures: Iterable[str | Measure] = ()) -> Partial:
        """Read a partial.

        Parameters
        ----------
        data
            What :meth:`to_bytes` returned.
        measures
            Measures whose names alone do not make them, such as those with a cost that is a
            callable; the others are looked up by name.

        Raises
        ------
        BadInput
            For anything else, and for measures that are not known here or are of another version.
        """
        content = unpacked(data)
        given = {m.signature: m for m in map(measure, measures)}
        found = []
        for name, signature in zip(content.names, content.signatures, strict=True):
            known = given[signature] if signature in given else measure(name)
            if known.signature != signature:
                raise BadInput(
                    f"a partial is of {shown(signature, 200)}, and here {shown(name, 100)} is "
                    f"{known.signature}"
                )
            found.append(known)
        plan = Plan(tuple(found))
        content.check(plan, n_named=sum(len(pairs.names) for pairs in named_pairs_of(found)))
        return cls(
            content.fingerprint,
            content.hierarchy,
            content.numbering,
            plan.measures,
            frozenset(content.parts),
            content.totals,
            content.n_unknown,
            content.n_missing,
            frozenset(content.in_order),
            content.turned,
        )

    def _check_kin(self, other: Partial) -> None:
        """Refuse a partial that does not add up with this one, naming both."""
        if self.fingerprint != other.fingerprint:
            raise BadInput(
                "partials of different hierarchies do not add up: one is of a "
                f"{_described(self)}, the other of a {_described(other)}"
            )
        ours, others = self.signatures, other.signatures
        if ours != others:
            differ = [set(ours) - set(others), set(others) - set(ours)]
            lists = [sorted(d) for d in differ] if all(differ) else [ours, others]
            first, second = map(", ".join, lists)
            raise BadInput(
                "partials of different measures, options or versions do not add up: one is of "
                f"{first}, the other of {second}"
            )
        if self.numbering != other.numbering:
            raise BadInput(
                "both partials are of the same hierarchy, but its classes came in another order "
                f"({self.numbering[:8]} and {other.numbering[:8]}), and averages over classes are "
                "kept by class number; build both hierarchies from the same file"
            )
        if twice := sorted(self.parts & other.parts):
            raise BadInput(
                f"a part is counted once: {listed(twice)} "
                f"{'is' if len(twice) == 1 else 'are'} in both partials, one of "
                f"{_parts(self)}, the other of {_parts(other)}"
            )


def partial(
    hierarchy: Hierarchy,
    y_true: Any,
    y_pred: Any,
    measures: Iterable[str | Measure] | str | Measure,
    *,
    part: str | None = None,
    sample_weight: Any = None,
    unknown: Unknown = "error",
    missing: Literal["error", "empty"] = "error",
    on_infeasible: Literal["raise", "nan"] = "raise",
    chunk: int | None = None,
    **conventions: Any,
) -> Partial:
    """Return what the instances of one part leave behind.

    Parameters
    ----------
    hierarchy
        The classes.
    y_true, y_pred
        Labels of this part, as for :func:`hierpair.score`.
    measures
        Measures or their names.
    part
        An id of the part, by which merging notices that it comes a second time; without one
        nothing can be noticed.
    sample_weight, unknown, missing, on_infeasible, chunk, conventions
        As for :func:`hierpair.score`.

    Raises
    ------
    BadInput
        For labels that do not fit (see :class:`LabelSets`) or bad weights.
    Infeasible
        If a pairing rule cannot be met, unless ``on_infeasible="nan"``; the message names the
        instance.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> one = partial(tree, [["b"]], [["b"]], ["hf", "gie"], part="monday")
    >>> two = partial(tree, [["b"]], [["c"]], ["hf", "gie"], part="tuesday")
    >>> merge(one, two).scores()
    {'hf': 0.75, 'gie': 1.0}
    """
    check_policy(on_infeasible)
    hierarchy = Hierarchy.expected(hierarchy)
    chosen = chosen_measures(measures, conventions)
    if part is not None and not isinstance(part, str):
        raise BadInput(f"part must be a text, got {shown(part)}")
    truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
    prediction = LabelSets.from_labels(y_pred, hierarchy, unknown=unknown, source="y_pred")
    n_missing = 0 if prediction.ids is None else len(truth) - len(prediction)
    prediction = match_instances(truth, prediction, missing=missing)
    weight = check_weight(sample_weight, len(truth))
    ranges = ranges_of(hierarchy, truth, prediction, chunk)
    job = Job(hierarchy, chosen, truth, prediction, weight, ranges, on_infeasible=on_infeasible)
    totals = work(job).totals
    in_order, turned = [], {}
    named = [pair for some in named_pairs_of(chosen) for pair in some.names]
    order = OrderOfPairs()
    order.look(named_pairs_of(chosen), truth, prediction, hierarchy)
    for i, pair in enumerate(named):
        if pair in order.right:
            in_order.append(i)
        elif pair in order.turned:
            turned[i] = str(order.turned[pair])
    plan = Plan(chosen)
    by_class = any(plan.columns_by_class(i) for i in range(len(plan.recipes)))
    return Partial(
        hierarchy.fingerprint,
        hierarchy.describe(),
        hierarchy.numbering if by_class else "",
        chosen,
        frozenset() if part is None else frozenset([part]),
        totals,
        {"y_true": truth.n_unknown, "y_pred": prediction.n_unknown},
        n_missing,
        frozenset(in_order),
        turned,
    )


def merge(first: Partial, *others: Partial) -> Partial:
    """Return what the instances of all partials leave behind; none of them is changed.

    Raises
    ------
    BadInput
        If they are of different hierarchies (by :attr:`Hierarchy.fingerprint`), of different
        measures, options or versions, or have a part in common; averages over classes are kept by
        class number, so for them the classes must have come in the same order, too.
    """
    total = first
    for one in (first, *others):
        if not isinstance(one, Partial):
            raise BadInput(f"partials merge with each other, got {shown(one)}")
    for other in others:
        total._check_kin(other)
        sides = sorted({*total.n_unknown, *other.n_unknown})
        turned = dict(other.turned)
        for i, instance in total.turned.items():
            turned[i] = min(instance, turned.get(i, instance))
        total = Partial(
            total.fingerprint,
            total.hierarchy,
            total.numbering,
            total.measures,
            total.parts | other.parts,
            total.totals.plus(other.totals),
            {s: total.n_unknown.get(s, 0) + other.n_unknown.get(s, 0) for s in sides},
            total.n_missing + other.n_missing,
            total.in_order | other.in_order,
            turned,
        )
    return total


def _described(one: Partial) -> str:
    return f"{one.hierarchy} [{one.fingerprint[:8]}, parts {_parts(one)}]"


def _parts(one: Partial) -> str:
    return listed(sorted(one.parts)) if one.parts else "without a name"
