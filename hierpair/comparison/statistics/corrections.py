"""Corrections of p-values for several comparisons."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from hierpair.errors import BadInput, unknown
from hierpair.hierarchy.arrays import Floats

__all__ = ["CORRECTIONS", "adjusted"]


def adjusted(p: ArrayLike, correction: str = "holm") -> Floats:
    """Return p-values adjusted for how many there are.

    A pair is then significant at level α if its adjusted p-value is at most α.

    Parameters
    ----------
    p
        One p-value per comparison of the family.
    correction
        ``"holm"`` (Holm 1979) and ``"bonferroni"`` bound the chance of any false finding of the
        family by α, whatever the dependence; Holm never finds less. ``"bh"`` (Benjamini and
        Hochberg 1995) bounds the expected share of false findings among the findings.
        ``"none"`` leaves the values as they are.

    Returns
    -------
    ndarray
        Adjusted values in [0, 1], in the order given.

    Raises
    ------
    BadInput
        For a number outside [0, 1], or an unknown correction.

    Examples
    --------
    >>> [round(float(x), 3) for x in adjusted([0.01, 0.04, 0.03, 0.005])]
    [0.03, 0.06, 0.06, 0.02]
    >>> [round(float(x), 3) for x in adjusted([0.01, 0.04, 0.03, 0.005], "bh")]
    [0.02, 0.04, 0.04, 0.02]
    """
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise BadInput("p-values must be one list of numbers from 0 to 1")
    if correction not in CORRECTIONS:
        raise unknown("correction", correction, CORRECTIONS)
    return np.minimum(CORRECTIONS[correction](values), 1.0)


def _holm(p: Floats) -> Floats:
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    out = np.empty_like(p)
    out[order] = steps
    return out


def _benjamini_hochberg(p: Floats) -> Floats:
    from scipy.stats import false_discovery_control

    found: Floats = false_discovery_control(p)
    return found


CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {
    "holm": _holm,
    "bonferroni": lambda p: p * len(p),
    "bh": _benjamini_hochberg,
    "none": lambda p: p,
}
"""Every correction by name."""
