"""The augmented sets of one instance, in names."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hierpair.explanation.evidence import ARTIFICIAL, SetEvidence
from hierpair.measures import Amounts, Batch, Recipe, SetRecipe, ShowsSets, WeighsSets

__all__ = ["set_evidence"]


def set_evidence(batch: Batch, counted: Recipe) -> SetEvidence:
    """Augment both sets of a batch of one and name their classes.

    A recipe that says nothing of sets gets the labels as they are.
    """
    amounts = Amounts("", np.empty(0, np.int64), np.empty(0))
    recipe = counted if isinstance(counted, SetRecipe) else SetRecipe()
    if isinstance(counted, ShowsSets):
        recipe = counted.shown
    if isinstance(counted, WeighsSets):
        amounts = counted.amounts(batch)
    plain = "ancestors" if recipe.augment == "pruned" else recipe.augment
    true, predicted = _members(batch, recipe)
    uncut = replace(recipe, augment=plain)
    before = np.union1d(*_members(batch, uncut))
    whole = np.union1d(*_members(batch, replace(uncut, root="include")))
    names = [*batch.hierarchy.names, ARTIFICIAL]

    def named(classes: NDArray[np.integer]) -> tuple[Hashable, ...]:
        return tuple(names[c] for c in classes.tolist())

    return SetEvidence(
        recipe.augment,
        named(np.intersect1d(true, predicted)),
        named(np.setdiff1d(true, predicted)),
        named(np.setdiff1d(predicted, true)),
        named(np.setdiff1d(whole, before)),
        named(np.setdiff1d(before, np.union1d(true, predicted))),
        amounts.word,
        tuple(zip(named(amounts.classes), amounts.numbers.tolist(), strict=True)),
        amounts.remarks,
    )


def _members(batch: Batch, recipe: SetRecipe) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the classes of the true and of the predicted augmented set."""
    none = np.empty(0, dtype=np.int64)
    parts = list(recipe.augmented(batch))
    true = np.concatenate([none, *(p.column[p.in_true] for p in parts)])
    predicted = np.concatenate([none, *(p.column[p.in_pred] for p in parts)])
    return true, predicted
