"""Calibration errors as hiclass 5.0 computes them, with its faults."""

from __future__ import annotations

import math

import numpy as np

from hierpair.hierarchy.arrays import Floats, ratio
from hierpair.measures.scored.calibration_bins import Bins
from hierpair.measures.scored.pairs import LevelPairs

__all__ = ["as_hiclass", "log_loss_as_hiclass"]


def log_loss_as_hiclass(level: LevelPairs) -> float:
    """Return the log loss of a level in single precision, clipped by what it can tell from 0."""
    p, eps = level.true_values().astype(np.float32), np.finfo(np.float32).eps
    return float(np.mean(-np.log(np.clip(p, eps, 1 - eps))))


def as_hiclass(level: LevelPairs, bins: int, right: Floats) -> tuple[float, float, float]:
    """Return ECE, SCE and ACE of a level whose pairs are all listed (:meth:`LevelPairs.full`).

    A top probability of 1 falls out of all bins. SCE and ACE count the instances whose
    prediction is right, whatever the class; SCE is NaN for two classes, where hiclass stops. In
    ACE equal probabilities are parted by an unstable sort, and empty ranges count as 0.
    """
    edges = np.linspace(0, 1, bins + 1)
    value = level.value.reshape(level.n, level.k)
    top = value.max(axis=1)
    inside = top < 1  # the last bin is open
    ece = Bins.of(np.digitize(top[inside], edges) - 1, (bins,), top[inside], right[inside])
    inside = level.value < 1
    cell, outcome = level.column * bins + np.digitize(level.value, edges) - 1, right[level.row]
    sce = Bins.of(cell[inside], (level.k, bins), level.value[inside], outcome[inside])
    # the sort of NumPy in single precision decides where equal probabilities go
    order = np.argsort(np.ascontiguousarray(value.T.astype(np.float32)), axis=1)
    cuts = np.floor(np.linspace(0, level.n, bins + 1)).astype(int)
    place = np.digitize(np.arange(level.n), cuts) - 1
    cell = (np.arange(level.k)[:, None] * bins + place).ravel()
    confidence = np.take_along_axis(value.T, order, axis=1).ravel()
    ace = Bins.of(cell, (level.k, bins), confidence, right[order].ravel())
    return (
        ece.gap_sum() / level.n,
        sce.gap_sum() / level.n / level.k if level.k > 2 else math.nan,
        float(ratio(ace.gaps, ace.n, 0).sum() / (level.k * bins)),
    )
