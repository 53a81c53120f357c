"""How far two measures rank systems alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from hierpair.comparison.shared_instances import common_notes, on_common
from hierpair.errors import BadInput, unknown
from hierpair.evaluation.score_tables import heading_of
from hierpair.evaluation.scores import Scores
from hierpair.hierarchy.arrays import Floats
from hierpair.tables.forms import Shown
from hierpair.tables.records import Block, Content, Form, Page, Records
from hierpair.tables.text import number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COEFFICIENTS", "Agreement", "agreement", "kendall_tau", "spearman_rho"]


def kendall_tau(x: ArrayLike, y: ArrayLike, variant: Literal["a", "b"] = "b") -> float:
    """Kendall's rank correlation of two rankings of the same systems.

    Parameters
    ----------
    x, y
        One number per system, higher is better in both: turn the sign of errors and ranks.
    variant
        ``"b"``: (C − D) / √((n₀ − n₁)(n₀ − n₂)), with the pairs tied in ``x`` or ``y`` taken out
        of n₀ = n(n − 1)/2; ``"a"``: (C − D) / n₀.

    Returns
    -------
    float
        In [−1, 1]; NaN if there is nothing to compare (all systems tied, or fewer than two).

    Raises
    ------
    BadInput
        If the lengths differ, a number is NaN, or the variant is unknown.

    References
    ----------
    Kendall 1938; the published tables of Kosmopoulos et al. 2014 are tau-b of the scores.

    Examples
    --------
    >>> x, y = [3, 2, 1], [3, 1, 1]
    >>> round(kendall_tau(x, y), 4), round(kendall_tau(x, y, "a"), 4)
    (0.8165, 0.6667)
    """
    a, b = _checked(x, y)
    if variant not in ("a", "b"):
        raise BadInput(f"variant must be 'a' or 'b', got {variant!r}")
    one, other = (np.sign(side[:, None] - side) for side in (a, b))
    concordance = float((one * other).sum())
    if variant == "a":
        return concordance / (len(a) * (len(a) - 1)) if len(a) > 1 else float("nan")
    untied = float(np.abs(one).sum()) * float(np.abs(other).sum())
    return concordance / untied**0.5 if untied else float("nan")


def spearman_rho(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rank correlation: Pearson's correlation of the (mean) ranks.

    Parameters, range and errors are those of :func:`kendall_tau`.

    Examples
    --------
    >>> round(spearman_rho([3, 2, 1], [3, 1, 1]), 4)
    0.866
    """
    a, b = _checked(x, y)
    if len(a) < 2 or (a == a[0]).all() or (b == b[0]).all():
        return float("nan")
    from scipy.stats import spearmanr

    return float(spearmanr(a, b).statistic)


def _checked(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise BadInput(f"two rankings need one number per system each, got {a.shape}, {b.shape}")
    if np.isnan(a).any() or np.isnan(b).any():
        raise BadInput("a ranking cannot hold nan")
    return a, b


COEFFICIENTS: dict[str, tuple[str, Callable[[ArrayLike, ArrayLike], float]]] = {
    "kendall_b": ("Kendall's tau-b", kendall_tau),
    "kendall_a": ("Kendall's tau-a", lambda x, y: kendall_tau(x, y, "a")),
    "spearman": ("Spearman's rho", spearman_rho),
}
"""Rank correlations: what they are called, and how they are computed."""


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Shown):
    """Rank correlations between the rankings that measures induce.

    Attributes
    ----------
    measures
        Names of the measures.
    values
        Square matrix; NaN where a measure cannot tell any systems apart.
    coefficient
        A name in :data:`COEFFICIENTS`.
    n_systems
        Systems that were ranked.
    signatures
        One line per measure that pins all its conventions.
    notes
        Measures whose systems are ranked on some of the instances only.
    """

    measures: tuple[str, ...]
    values: Floats
    coefficient: str
    n_systems: int
    signatures: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def __getitem__(self, key: tuple[str, str]) -> float:
        """Return the correlation of two measures, by name."""
        for name in key:
            if name not in self.measures:
                raise unknown("measure", name, self.measures)
        row, column = (self.measures.index(name) for name in key)
        return float(self.values[row, column])

    def __repr__(self) -> str:
        return f"Agreement({len(self.measures)} measures, {self.n_systems} systems)"

    @property
    def title(self) -> str:
        """What the numbers are."""
        name, _ = COEFFICIENTS[self.coefficient]
        return f"{name} between rankings of {self.n_systems} systems"

    def content(self, digits: int | None = None, **how: Any) -> Content:
        """Return what is shown: the matrix (with 3 decimals), and a record per two measures."""
        decimals = 3 if digits is None else digits
        data = {
            "coefficient": self.coefficient,
            "n_systems": self.n_systems,
            "measures": self.measures,
            "values": self.values,
            "signatures": self.signatures,
            **({"notes": self.notes} if self.notes else {}),
        }
        return Content(
            lambda: self.records, lambda form: self._page(form, decimals, **how), lambda: data
        )

    def _page(
        self, form: Form, digits: int, caption: str | None = None, label: str | None = None
    ) -> Page:
        heads = [heading_of(name, typeset=form.typeset) for name in self.measures]
        rows = [
            [name, *(number(v, digits) for v in row)]
            for name, row in zip(heads, self.values.tolist(), strict=True)
        ]
        notes = [self.title, *self.notes]
        return Page([Block(["", *heads], rows, fold=True)], notes, self.signatures, caption, label)

    @property
    def records(self) -> Records:
        """One record per two measures."""
        named = list(enumerate(zip(self.measures, self.signatures, strict=True)))
        header = ["measure", "other", "coefficient", "value", "n_systems", "signature"]
        rows = [
            [one, other, self.coefficient, float(self.values[i, j]), self.n_systems, s, t]
            for i, (one, s) in named
            for j, (other, t) in named
        ]
        return Records([*header, "signature_other"], rows)

    def to_dataframe(self) -> pd.DataFrame:
        """Return a pandas DataFrame, measures × measures."""
        import pandas as pd

        return pd.DataFrame(self.values, index=list(self.measures), columns=list(self.measures))


def agreement(scores: Scores, coefficient: str = "kendall_b") -> Agreement:
    """Return how far measures rank the systems alike.

    Parameters
    ----------
    scores
        Scores of at least two systems.
    coefficient
        ``"kendall_b"``, ``"kendall_a"`` or ``"spearman"``; of scores, errors with their sign
        turned.

    Raises
    ------
    BadInput
        For fewer than two systems, an undefined score, or an unknown coefficient.

    Examples
    --------
    >>> from hierpair import Hierarchy, score
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("b", "c"), ("r", "d")])
    >>> systems = {"deep": [["c", "d"]], "high": [["a"]], "none": [[]]}
    >>> found = agreement(score(tree, [["b"]], systems, ["hp", "hr", "hf"]))
    >>> round(found["hp", "hr"], 3)
    0.333
    """
    if coefficient not in COEFFICIENTS:
        raise unknown("coefficient", coefficient, COEFFICIENTS)
    if len(scores.systems) < 2:
        raise BadInput("a ranking needs at least two systems")
    scores = on_common(scores)
    undefined = np.argwhere(np.isnan(scores.values))
    if len(undefined):
        i, k = undefined[0]
        raise BadInput(f"the {scores.measures[k]} of {scores.systems[i]} is not defined (nan)")
    _, correlation = COEFFICIENTS[coefficient]
    signs = [1 if m.higher_is_better else -1 for m in scores.measures]
    upwards = (scores.values * signs).T
    values = np.array([[correlation(x, y) for y in upwards] for x in upwards])
    names, notes = tuple(m.name for m in scores.measures), tuple(common_notes(scores))
    n = len(scores.systems)
    return Agreement(names, values, coefficient, n, tuple(scores.signatures), notes)
