"""Label sets with controlled errors, all of the same labels of the same instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hierpair.comparison.meta_evaluation.perturbation.steps import UNIT, Step
from hierpair.comparison.meta_evaluation.perturbation.tips import Tips, sets_of
from hierpair.hierarchy.arrays import Ints, ragged_ranges
from hierpair.labels import LabelSets

__all__ = ["Draw", "drawn", "noise"]

LABELS, RELATIVES, NOISE = 0, 1, 2
"""Streams of random numbers; a step more or less changes none of the others."""


@dataclass(frozen=True, eq=False)
class Draw:
    """One draw of all errors.

    Attributes
    ----------
    rows
        The instances that have a label for which every step exists.
    truth
        Their tips.
    systems
        By step, what stands in place of the truth.
    reach
        By step, how many labels have such a relative, each step by itself.
    """

    rows: Ints
    truth: LabelSets
    systems: Mapping[str, LabelSets]
    reach: Mapping[str, int]


def _stream(seed: int, *key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def drawn(tips: Tips, steps: Sequence[Step], seed: int, number: int) -> Draw:
    """Return draw ``number`` of these steps, on common support.

    One label of an instance is drawn among those that have a relative for every step. A draw in
    which the class that comes in is itself a label of the instance would be no error and is left
    out, for all steps.
    """
    relatives = {s.name: _incoming(tips, s, seed, number) for s in steps if s.relation}
    exists = np.ones(len(tips.label), dtype=bool)
    for classes in relatives.values():
        exists &= (classes >= 0).all(axis=0)
    chance = np.where(exists, _stream(seed, LABELS, number).random(len(exists)), -1.0)
    order = np.lexsort((chance, tips.row))
    some = np.flatnonzero(np.diff(tips.ptr))
    chosen = order[tips.ptr[some + 1] - 1]
    chosen = chosen[exists[chosen]]
    for classes in relatives.values():
        for one in classes:
            chosen = chosen[~tips.hold(tips.row[chosen], one[chosen])]
    rows = tips.row[chosen]
    n, n_classes = len(rows), len(tips.relatives.hierarchy)
    lengths = np.diff(tips.ptr)[rows]
    place = ragged_ranges(tips.ptr[rows], lengths)
    row, label = np.repeat(np.arange(n), lengths), tips.label[place]
    is_chosen = place == np.repeat(chosen, lengths)

    def sets(step: Step) -> LabelSets:
        if step.kind == "drop_all":
            return sets_of(row[:0], label[:0], n, n_classes)
        if step.kind == "drop":
            return sets_of(row[~is_chosen], label[~is_chosen], n, n_classes)
        if step.kind == "noise":
            return sets_of(row, _replaced(tips, step.rate, seed, number)[place], n, n_classes)
        new = relatives[step.name][:, chosen]
        kept = ~is_chosen if step.kind == "replace" else slice(None)
        rows_in = np.tile(np.arange(n), len(new))
        return sets_of(
            np.concatenate([row[kept], rows_in]),
            np.concatenate([label[kept], new.ravel()]),
            n,
            n_classes,
        )

    reach = {name: int((classes >= 0).all(axis=0).sum()) for name, classes in relatives.items()}
    truth = sets_of(row, label, n, n_classes)
    return Draw(rows, truth, {step.name: sets(step) for step in steps}, reach)


def noise(tips: Tips, rate: float, seed: int, number: int) -> LabelSets:
    """Return the tips of all instances, a share of them replaced by any class that counts."""
    label = _replaced(tips, rate, seed, number)
    return sets_of(tips.row, label, tips.n_instances, len(tips.relatives.hierarchy))


def _replaced(tips: Tips, rate: float, seed: int, number: int) -> Ints:
    """Return a class for every tip: any one for a share of them, more of them at higher rates."""
    rng = _stream(seed, NOISE, number)
    when, which = rng.random(len(tips.label)), rng.random(len(tips.label))
    classes = tips.relatives.counting
    any_class = classes[(which * len(classes)).astype(np.int64)]
    return np.where(when < rate, any_class, tips.label)


def _incoming(tips: Tips, step: Step, seed: int, number: int) -> Ints:
    """Return what comes in for every tip, -1 where nothing can; a row per class that comes in."""
    rng = _stream(seed, RELATIVES, *step.source, number)
    found, n = tips.relatives, len(tips.label)
    if step.relation == UNIT:
        several: list[Ints] = []
        for _ in range(step.amount):
            several.append(found.unrelated(tips.label, tips.tops[tips.row], several, rng))
        return np.array(several)
    if step.line:
        walk = found.ancestors if step.relation == "up" else found.descendants
        return walk(tips.label, step.amount, rng.random((step.amount, n)))[None]
    kin = found.siblings if step.relation == "sibling" else found.cousins
    return kin(tips.label, rng.random((2, n)))[None]
