"""Which decoder is exact for which measure: every decoder declares it, and decoding asks them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats
from hierpair.labels.node_scores import NodeScores
from hierpair.measures import Measure
from hierpair.measures.recipes.pairings import PairRecipe
from hierpair.measures.recipes.set_sizes import SetRecipe
from hierpair.measures.recipes.weighted_sets import WeightedSetRecipe
from hierpair.pairing import Rule
from hierpair.probabilistic.decoding.decoded import Decoded
from hierpair.probabilistic.decoding.probability_rows import need_distribution
from hierpair.probabilistic.distributions import LabelDistribution

__all__ = ["DECODERS", "Task", "decode_exactly", "decoder"]


@dataclass(frozen=True, eq=False)
class Task:
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
    >>> task = Task(distribution, measure("gie(default=2)"))
    >>> task.formula, task.average, task.rule.cost, task.has_single_labels
    ('gie', 'samples', Hops(), True)
    """

    distribution: LabelDistribution | NodeScores
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

    @cached_property
    def rule(self) -> Rule | None:
        """The pairing rule of a measure that is the cost of the best pairing, otherwise None."""
        recipe = self.measure.recipe
        is_cost = self.measure.definition.is_pairing_cost
        return recipe.rule if is_cost and isinstance(recipe, PairRecipe) else None

    @property
    def is_distribution(self) -> bool:
        """Whether the distribution is known, not only scores of classes."""
        return isinstance(self.distribution, LabelDistribution)

    @property
    def has_single_paths(self) -> bool:
        """Whether no scenario has several labels; scores are taken for those of such a one."""
        return not isinstance(self.distribution, LabelDistribution) or (
            self.distribution.is_single_path
        )

    @property
    def has_single_labels(self) -> bool:
        """Whether it is known that every scenario has exactly one label."""
        return isinstance(self.distribution, LabelDistribution) and bool(
            (self.distribution.sets.lengths == 1).all()
        )

    @cached_property
    def weights(self) -> Floats | None:
        """The weight of every class, where classes weigh in the sets of the measure."""
        recipe = self.measure.recipe
        if not isinstance(recipe, WeightedSetRecipe):
            return None
        return recipe.weighting.array(self.hierarchy)

    @cached_property
    def sets(self) -> SetRecipe | None:
        """The sets that a set-based measure compares."""
        recipe = self.measure.recipe
        recipe = recipe.sets if isinstance(recipe, WeightedSetRecipe) else recipe
        return recipe if isinstance(recipe, SetRecipe) else None

    @cached_property
    def amounts(self) -> tuple[float, float, float] | None:
        """What a class adds that is in both sets, only predicted or only true, if it is a sum.

        For each unit of weight; None for measures without the trait ``"additive"``.
        """
        if "additive" not in self.measure.definition.traits or self.sets is None:
            return None
        unit = np.eye(3)  # one class of weight 1: in both sets, only predicted, only true
        tp, fp, fn = unit
        columns = {"tp": tp, "fp": fp, "fn": fn}
        columns |= {"n_true": tp + fn, "n_pred": tp + fp, "n_both": tp}
        both, predicted, true = self.measure.values(columns).tolist()
        return both, predicted, true

    @property
    def full(self) -> LabelDistribution:
        """The distribution; scores are refused."""
        return need_distribution(self.distribution, self.measure.name)

    @property
    def is_augmented(self) -> bool:
        """Whether sets are compared with all their ancestors."""
        return self.options.get("augment") == "ancestors"

    @cached_property
    def marginals(self) -> NodeScores:
        """The probability of every class to be in the true set, augmented or not."""
        if isinstance(self.distribution, NodeScores):
            return self.distribution
        if self.is_augmented:
            return self.distribution.marginals()
        return self.distribution.label_marginals()

    @cached_property
    def path_marginals(self) -> NodeScores:
        """The probability of every class to be a true label or above one."""
        if isinstance(self.distribution, NodeScores):
            return self.distribution
        return self.distribution.marginals()

    def pooled(self, decoded: Decoded) -> Decoded:
        """Return the values of instances, added up where the measure is a sum over a data set."""
        if self.average == "samples":
            return decoded
        bound = decoded.certificate.bound.sum(keepdims=True)
        return replace(
            decoded,
            value=decoded.value.sum(keepdims=True),
            certificate=replace(decoded.certificate, bound=bound),
        )


class Declared(NamedTuple):
    """A decoder, and for which tasks it is exact."""

    when: Callable[[Task], bool]
    decode: Callable[[Task], Decoded | None]
    general: bool
    weights: bool


DECODERS: list[Declared] = []
"""All decoders, in the order of their declaration."""

Decode = Callable[[Task], Decoded | None]


def decoder(
    when: Callable[[Task], bool], *, general: bool = False, weights: bool = False
) -> Callable[[Decode], Decode]:
    """Declare for which tasks a decoder is exact; :func:`decode` then finds it.

    Parameters
    ----------
    when
        Whether it is exact for a :class:`Task`: for this measure with these options, this
        distribution and this hierarchy.
    general
        Whether a decoder that is exact as well and not ``general`` comes first. Otherwise the one
        that was declared last comes first.
    weights
        Whether it knows weights of classes (:attr:`Task.weights`); others are not asked where
        classes weigh.

    Returns
    -------
    Callable
        A decorator of a function that takes the task and returns :class:`Decoded`, or None where
        it turns out that it is not exact.

    Examples
    --------
    A file of your own, used with ``hierpair decode --plugin my_decoder.py``::

        from hierpair.probabilistic import decode_hf, decoder

        @decoder(lambda task: task.formula == "my_f" and task.is_distribution)
        def my_f_is_hf(task):
            return decode_hf(task.full, 1)
    """

    def declare(decode: Decode) -> Decode:
        DECODERS.append(Declared(when, decode, general, weights))
        return decode

    return declare


def decode_exactly(task: Task) -> Decoded | None:
    """Return what the first decoder that is exact for the task predicts; None if there is none."""
    if task.options.get("threshold") is not None:
        return None  # no decoder knows a hierarchy that is cut
    weighs = task.weights is not None
    for general in (False, True):
        for declared in reversed(DECODERS):
            if weighs and not declared.weights:
                continue
            if declared.general is general and declared.when(task):
                decoded = declared.decode(task)
                if decoded is not None:
                    return decoded
    return None
