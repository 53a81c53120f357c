"""Best predictions under a distribution of labels: what every decoder is given and returns.

A decoder takes instances in batches and gives the best sets of each (:class:`Best`); ``decoded``
makes one answer of them, with its certificate. For which measures it is exact it declares by
:func:`decoder`, and :func:`decode_exactly` asks all that were declared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hierpair.errors import BadInput, HierpairError, counted
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats, Ints, offsets, pieces, places_in_rows
from hierpair.labels import LabelSets, lowest_labels
from hierpair.labels.node_scores import NodeScores
from hierpair.measures import Measure
from hierpair.measures.recipes.sets import SetRecipe, WeightedSetRecipe
from hierpair.measures.recipes.solved import PairRecipe
from hierpair.measures.registry import Direction
from hierpair.probabilistic.distributions import LabelDistribution, LawOrScores
from hierpair.solvers import Chosen

# ------------------------------------------------------------------- what a decoder returns


@dataclass(frozen=True, eq=False)
class DecodingCertificate:
    """Why a prediction is the best, or how far it may be from it.

    Attributes
    ----------
    method
        How the prediction was found, in a sentence.
    exact
        Whether no prediction has a better expected value (to rounding).
    bound
        No prediction is better than this, per value; where the method is exact it is the value.
        NaN where nothing is known.
    """

    method: str
    exact: bool
    bound: Floats


@dataclass(frozen=True, eq=False)
class Decoded:
    """Best predictions of many instances.

    Attributes
    ----------
    sets
        The predicted label set of every instance.
    value
        Its expected value under the distribution, shape ``(n_instances,)``; for measures of a
        whole data set (micro averages) one value, shape ``(1,)``.
    direction
        Whether higher or lower values are better.
    certificate
        Why there is nothing better.
    is_pooled
        False where ``value`` holds values of instances although the measure is one of the data
        set, which need not be their mean.
    one_label_of
        The classes, where it is known that one label of each instance is true.
    """

    sets: LabelSets
    value: Floats
    direction: Direction
    certificate: DecodingCertificate
    is_pooled: bool = True
    one_label_of: Hierarchy | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.sets)

    def __repr__(self) -> str:
        proof = "exact" if self.is_exact else "not proved to be the best"
        return f"<Decoded: {counted(len(self), 'instance')}, {self.certificate.method} ({proof})>"

    @property
    def is_exact(self) -> bool:
        """Whether no prediction has a better expected value."""
        return self.certificate.exact

    @property
    def note(self) -> str:
        """What may surprise: several most specific classes although one label is true; or ``""``.

        That is no fault. A set with several classes is often worth more on average than any one of
        them, if it is not known which one is true.
        """
        if self.one_label_of is None:
            return ""
        row, _ = lowest_labels(self.one_label_of, self.sets)
        n = int((np.bincount(row, minlength=len(self)) > 1).sum())
        if not n:
            return ""
        return (
            f"{n} of {counted(len(self), 'prediction')} with several most specific classes, though "
            "one label is true: on average they are worth more than a single one; labels='one' or "
            "labels='path' gives that"
        )

    def mapped(self, change: Callable[[Floats], Floats], **more: Any) -> Decoded:
        """Return the same sets with their values, and the bounds of these, changed."""
        certificate = replace(self.certificate, bound=change(self.certificate.bound))
        return replace(self, value=change(self.value), certificate=certificate, **more)


NONE: Ints = np.empty(0, np.int64)


class Best(NamedTuple):
    """The best predictions of consecutive instances.

    ``row`` and ``node`` are pairs of an instance, counted from the first one, and a class that is
    predicted for it; ``value`` is of every instance, or one of all. No prediction is better than
    ``bound`` (None: than the value).
    """

    row: Any
    node: Any
    value: Any
    bound: Any = None
    exact: bool = True


def decoded(
    instances: LawOrScores,
    parts: Iterable[Best],
    direction: Direction,
    method: str,
    unproved: str = ", stopped before the end",
) -> Decoded:
    """Return the best predictions of all instances from those of one part after the other.

    ``unproved`` is said of the method where some are not known to be the best.
    """
    found = [Best(NONE, NONE, np.empty(0)), *parts]
    first = offsets(np.array([len(part.value) for part in found]))
    rows = np.concatenate([part.row + at for part, at in zip(found, first, strict=False)])
    value = np.concatenate([part.value for part in found])
    bound = np.concatenate([p.value if p.bound is None else p.bound for p in found])
    exact = all(part.exact for part in found)
    method += "" if exact else unproved
    sets = label_sets(instances, rows, np.concatenate([part.node for part in found]))
    return Decoded(sets, value, direction, DecodingCertificate(method, exact, bound))


def label_sets(instances: LawOrScores, row: Any = NONE, node: Any = NONE) -> LabelSets:
    """Return label sets of these instances from pairs (instance, class); one below 0 is none."""
    row, node = row[node >= 0], node[node >= 0]
    ones, n = np.ones(len(row)), len(instances)
    return NodeScores.of_cells(instances.hierarchy, n, row, node, ones, instances.ids).above(0.0)


def in_parts(instances: Any, cells: int, width: int) -> Iterator[Any]:
    """Return instances in parts of so many cells at most, a width each."""
    found = pieces(len(instances), cells // max(1, width))
    return (instances.part(part.start, part.stop) for part in found)


def distinct_sets(sets: LabelSets, group: Ints) -> tuple[Ints, Ints]:
    """Return the first of all equal sets of a group, and which of these each set is equal to."""
    padded = np.full((len(sets), int(sets.lengths.max(initial=0)) + 1), -1, dtype=np.int64)
    padded[:, 0] = group
    padded[sets.row, places_in_rows(sets.indptr) + 1] = sets.indices
    _, first, kind = np.unique(padded, axis=0, return_index=True, return_inverse=True)
    return first, kind.ravel()


def one_by_one(
    distribution: LabelDistribution, sets: LabelSets, best: Callable[[Floats, LabelSets], Chosen]
) -> Iterator[Best]:
    """Yield what is best for each instance, by the probabilities of its different sets.

    ``sets`` has one for every scenario. An error names the instance.
    """
    plain = LabelSets(sets.indptr, sets.indices, sets.n_classes)
    for i, (lo, hi) in enumerate(pairwise(distribution.indptr.tolist())):
        scenario = lo + np.flatnonzero(distribution.p[lo:hi] > 0)
        first, kind = distinct_sets(plain.take(scenario), np.zeros_like(scenario))
        p: Any = np.bincount(first[kind], distribution.p[scenario])
        first.sort()
        try:
            nodes, value, bound, exact = best(p[first], plain.take(scenario[first]))
        except HierpairError as error:
            raise type(error)(error.reason, distribution.name(i)) from None
        row = np.zeros(len(nodes), np.int64)
        yield Best(row, nodes, np.array([value]), np.array([bound]), exact)


# -------------------------------------------------------------------- what a decoder is given


class NotExact(BadInput):
    """What a decoder is not exact for; :func:`decode_exactly` then asks the next one."""


NotExact.__name__ = BadInput.__name__  # whoever calls a decoder directly gave it bad input


def marginals_of(distribution: LawOrScores) -> NodeScores:
    """Return the probability of every class; scores stand for it."""
    if isinstance(distribution, NodeScores):
        return distribution
    if not isinstance(distribution, LabelDistribution):
        raise BadInput(
            f"expected a LabelDistribution or NodeScores, got {type(distribution).__name__}"
        )
    return distribution.marginals()


def need_distribution(distribution: Any, what: str) -> LabelDistribution:
    """Return a distribution; refuse anything else, scores of classes too."""
    if not isinstance(distribution, LabelDistribution):
        raise NotExact(
            f"{what} needs a LabelDistribution, got {type(distribution).__name__}; make one with "
            "LabelDistribution.from_nodes or LabelDistribution.from_leaves"
        )
    return distribution


def need_tree(hierarchy: Hierarchy, what: str, allowed: str = "a tree") -> None:
    """Refuse a hierarchy whose shape is not allowed."""
    if hierarchy.shape not in allowed:
        raise NotExact(f"{what} is decoded exactly on {allowed}, and this is a {hierarchy.shape}")


def need_single_paths(distribution: Any, what: str, *, labelled: bool = False) -> None:
    """Refuse scenarios of several labels, and if they must be labelled those without a label."""
    known = need_distribution(distribution, what)
    if not known.is_single_path:
        raise NotExact(
            f"{what} is decoded for distributions over single labels; this distribution has "
            "scenarios of several"
        )
    if labelled and (known.tips < 0).any():
        raise NotExact(f"{what} is not defined for scenarios without a label")


@dataclass(frozen=True, eq=False)
class DecodingTask:
    """What is to be decoded, as the declarations of decoders see it.

    Parameters
    ----------
    distribution
        A distribution, or scores of classes.
    measure
        The measure with its options.
    limit
        Seconds for an instance that a solver decodes, or None.

    Examples
    --------
    >>> from hierpair import measure
    >>> tree = Hierarchy.from_edges([("root", "a"), ("root", "b")])
    >>> distribution = LabelDistribution.from_leaves([[0.4, 0.6]], tree)
    >>> task = DecodingTask(distribution, measure("gie(default=2)"))
    >>> task.formula, task.average, task.rule.cost, task.has_single_paths
    ('gie', 'samples', Hops(), True)
    """

    distribution: LawOrScores
    measure: Measure
    limit: float | None = None

    @property
    def hierarchy(self) -> Hierarchy:
        """The classes."""
        return self.distribution.hierarchy

    @property
    def options(self) -> dict[str, Any]:
        """All options of the measure."""
        return self.measure.options

    @property
    def formula(self) -> str:
        """The name of the measure without its options."""
        return self.measure.definition.name

    @property
    def average(self) -> str:
        """How the measure is pooled."""
        return str(self.options.get("average", "samples"))

    @property
    def rule(self) -> Any:
        """The pairing rule of a measure that is the cost of the best pairing, otherwise None."""
        recipe = self.measure.recipe
        is_cost = self.measure.definition.is_pairing_cost
        return recipe.rule if is_cost and isinstance(recipe, PairRecipe) else None

    @property
    def is_distribution(self) -> bool:
        """Whether the distribution is known, not only scores of classes."""
        return isinstance(self.distribution, LabelDistribution)

    @property
    def full(self) -> LabelDistribution:
        """The distribution; scores are refused."""
        return need_distribution(self.distribution, self.measure.name)

    @property
    def has_single_paths(self) -> bool:
        """Whether no scenario has several labels; scores are taken for those of such a one."""
        return not self.is_distribution or self.full.is_single_path

    @cached_property
    def weights(self) -> Any:
        """The weight of every class, where classes do not weigh the same in the measure's sets."""
        recipe = self.measure.recipe
        if not isinstance(recipe, WeightedSetRecipe) or recipe.weighting.weights == "ones":
            return None
        return recipe.weighting.array(self.hierarchy)

    @property
    def sets(self) -> Any:
        """The sets that a set-based measure compares."""
        recipe = self.measure.recipe
        recipe = recipe.sets if isinstance(recipe, WeightedSetRecipe) else recipe
        return recipe if isinstance(recipe, SetRecipe) else None

    @property
    def root(self) -> Any:
        """The class that does not count, as the measure says it."""
        return self.sets.root if self.sets else self.options.get("root")

    @property
    def augment(self) -> str:
        """How sets are augmented before they are compared."""
        return self.sets.augment if self.sets else "ancestors"

    @property
    def is_plain(self) -> bool:
        """Whether sets are compared with all their ancestors, or as they are."""
        return self.augment in ("ancestors", "none")

    @cached_property
    def is_coherent(self) -> bool:
        """Whether no class is more probable than one above it, where sets are augmented."""
        return self.augment != "ancestors" or self.path_marginals.is_coherent()

    @cached_property
    def path_marginals(self) -> NodeScores:
        """The probability of every class to be a true label or above one."""
        return marginals_of(self.distribution)

    @cached_property
    def marginals(self) -> NodeScores:
        """The probability of every class to be in the true set, augmented or not."""
        if self.augment == "ancestors" or not self.is_distribution:
            return self.path_marginals
        return self.full.label_marginals()

    def pooled(self, best: Decoded) -> Decoded:
        """Return the values of instances, added up where the measure is a sum over a data set."""
        if self.average == "samples":
            return best
        return best.mapped(lambda values: values.sum(keepdims=True))


# ------------------------------------------------------------------------------ who decodes


Decode = Callable[[DecodingTask], Decoded | None]


class Declared(NamedTuple):
    """A decoder, and for which tasks it is exact."""

    when: Callable[[DecodingTask], bool]
    decode: Decode
    weights: bool


DECODERS: list[Declared] = []
"""All decoders, in the order of their declaration."""


def decoder(
    when: Callable[[DecodingTask], bool], *, weights: bool = False
) -> Callable[[Decode], Decode]:
    """Declare for which tasks a decoder is exact; :func:`decode` then finds it.

    The one that was declared last is asked first.

    Parameters
    ----------
    when
        Whether it is exact for a :class:`DecodingTask`: for this measure with these options, this
        distribution and this hierarchy.
    weights
        Whether it knows weights of classes (:attr:`DecodingTask.weights`); others are not asked
        where classes weigh.

    Returns
    -------
    Callable
        A decorator of a function that takes the task and returns :class:`Decoded`; where it turns
        out that it is not exact it returns None, or a decoder that it calls says so (NotExact).

    Examples
    --------
    A file of your own, used with ``hierpair decode --plugin my_decoder.py``::

        from hierpair.probabilistic import decode_hf, decoder

        @decoder(lambda task: task.formula == "my_f" and task.is_distribution)
        def my_f_is_hf(task):
            return decode_hf(task.full, 1)
    """

    def declare(decode: Decode) -> Decode:
        DECODERS.append(Declared(when, decode, weights))
        return decode

    return declare


def decode_exactly(task: DecodingTask) -> Decoded | None:
    """Return what the first decoder that is exact for the task predicts; None if there is none."""
    if task.options.get("threshold") is not None or task.options.get("deeper") == "right":
        return None  # no decoder knows a hierarchy that is cut, or a truth that may be coarse
    for declared in reversed(DECODERS):
        if (task.weights is None or declared.weights) and declared.when(task):
            try:
                best = declared.decode(task)
            except NotExact:
                best = None
            if best is not None:
                return best
    return None
