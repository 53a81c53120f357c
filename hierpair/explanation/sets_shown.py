"""The augmented sets of one instance, in names."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hierpair.explanation.evidence import ARTIFICIAL, SetEvidence
from hierpair.measures import (
    Amounts,
    Batch,
    Recipe,
    SetRecipe,
    ShowsPrediction,
    ShowsSets,
    WeighsSets,
)

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
    prediction = counted.shown_prediction if isinstance(counted, ShowsPrediction) else recipe
    both = recipe, prediction
    remarks = []
    if prediction.augment != recipe.augment:
        grown = "as they are" if prediction.augment == "none" else f"with {prediction.augment}"
        remarks.append(f"only the true labels have {recipe.augment}; predicted ones are {grown}")
    true, predicted = _members(batch, *both)
    uncut = [replace(r, augment="ancestors") if r.augment == "pruned" else r for r in both]
    before = np.union1d(*_members(batch, *uncut))
    whole = np.union1d(*_members(batch, *(replace(r, root="include") for r in uncut)))
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
        (*remarks, *amounts.remarks),
    )


def _members(
    batch: Batch, of_true: SetRecipe, of_predicted: SetRecipe
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the classes of the true and of the predicted augmented set."""
    none = np.empty(0, dtype=np.int64)
    true = [p.column[p.in_true] for p in of_true.augmented(batch)]
    predicted = [p.column[p.in_pred] for p in of_predicted.augmented(batch)]
    return np.concatenate([none, *true]), np.concatenate([none, *predicted])
