"""Constrained and path-based F: labels of text classification that count with their whole path."""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy

from hierpair.measures.definition import set_measure
from hierpair.measures.ratios import Floats, fbeta, ratio
from hierpair.measures.recipes.rooted_labels import ConstrainedRecipe, WholePathRecipe

__all__ = ["c_f", "c_precision", "c_recall", "p_f", "p_factor", "p_ori", "p_precision", "p_recall"]

YU = "Yu et al. 2022 (SIGIR), arXiv 2204.00811"
JI = "Ji et al. 2023 (HierVerb, ACL), code of the authors"

GIVEN = (
    "Label sets are compared as they are, so that inconsistent predictions show; predictions that "
    "name only the most specific classes have no hit at all."
)
CLOSED = (
    "The truth should hold the ancestors of its labels (a single root may be left out of all); "
    "where it does not, these labels cannot be right, and a note says of how many instances."
)
ALL_CLASSES = (
    "A macro average is over all classes that count, those that never occur with 0: many zeros. "
    "scikit-learn's macro average, over the classes that occur, is larger (classes='seen')."
)
PATHS = (
    "A label that ends at an inner class has no whole path, so it is no unit: not right, not wrong."
)


def _constrained(
    *, inconsistent: str = "wrong", parents: str = "all", root: str = "include"
) -> ConstrainedRecipe:
    return ConstrainedRecipe(inconsistent, parents, root)


def _whole_paths(*, root: str = "include") -> WholePathRecipe:
    return WholePathRecipe(root)


constrained_measure = partial(
    set_measure,
    direction="higher",
    range="[0, 1]",
    averages=("micro", "macro", "samples", "weighted"),
    recipe=_constrained,
    classes="all",
    by_default=False,
)
"""Declares a measure of hits; what differs from these is given."""

HITS = "H the shared labels whose ancestors are shared too"


@constrained_measure(
    formula=f"|H| / |Ŷ|, {HITS}",
    source=YU,
    traits=("bounded", "total"),
    label="C-precision",
    cautions=(GIVEN, CLOSED, "Says nothing about true labels that are missing.", ALL_CLASSES),
)
def c_precision(n_pred: Floats, n_hit: Floats, *, zero_division: float = 0) -> Floats:
    """Constrained precision: the share of predicted labels that are right with their paths."""
    return ratio(n_hit, n_pred, zero_division)


@constrained_measure(
    formula=f"|H| / |Y|, {HITS}",
    source=YU,
    traits=("bounded", "total"),
    label="C-recall",
    cautions=(
        GIVEN,
        CLOSED,
        "Says nothing about wrong labels: every class is perfect.",
        ALL_CLASSES,
    ),
)
def c_recall(n_true: Floats, n_hit: Floats, *, zero_division: float = 0) -> Floats:
    """Constrained recall: the share of true labels that are predicted with their paths."""
    return ratio(n_hit, n_true, zero_division)


@constrained_measure(
    formula=f"(1 + β²) |H| / (β² |Y| + |Ŷ|), {HITS}",
    source=f"{YU} (C-MicroF1, C-MacroF1)",
    traits=("bounded", "total"),
    label="C-F",
    cautions=(
        GIVEN,
        CLOSED,
        "Two readings are met: an inconsistent label is wrong, or it is dropped before a flat F "
        "(inconsistent='drop'); they seldom give the same number.",
        ALL_CLASSES,
    ),
    parts=("c_precision", "c_recall"),
)
def c_f(
    n_true: Floats, n_pred: Floats, n_hit: Floats, *, beta: float = 1, zero_division: float = 0
) -> Floats:
    """Constrained F-beta: a label is a hit only if all its ancestors are hits too."""
    return fbeta(n_true, n_pred, n_hit, beta, zero_division)


path_measure = partial(set_measure, direction="higher", recipe=_whole_paths, by_default=False)
"""Declares a measure of whole paths; what differs from these is given."""


@path_measure(
    formula="n_both / n_pred of the root paths of leaves that a set holds",
    source=JI,
    range="[0, 1]",
    traits=("bounded",),
    averages=("micro", "macro", "samples"),
    classes="all",
    label="P-precision",
    cautions=(GIVEN, PATHS, "Says nothing about true paths that are missing.", ALL_CLASSES),
)
def p_precision(n_pred: Floats, n_both: Floats, *, zero_division: float = 0) -> Floats:
    """Path-based precision: the share of whole predicted paths that are true."""
    return ratio(n_both, n_pred, zero_division)


@path_measure(
    formula="n_both / n_true of the root paths of leaves that a set holds",
    source=JI,
    range="[0, 1]",
    traits=("bounded",),
    averages=("micro", "macro", "samples"),
    classes="all",
    label="P-recall",
    cautions=(GIVEN, PATHS, "Says nothing about wrong paths: every class is perfect.", ALL_CLASSES),
)
def p_recall(n_true: Floats, n_both: Floats, *, zero_division: float = 0) -> Floats:
    """Path-based recall: the share of whole true paths that are predicted."""
    return ratio(n_both, n_true, zero_division)


@path_measure(
    formula="(1 + β²) n_both / (β² n_true + n_pred) of the root paths of leaves that a set holds",
    source=f"{JI} (P-F1 before its factor)",
    range="[0, 1]",
    traits=("bounded",),
    averages=("micro", "macro", "samples"),
    classes="all",
    label="P-F without factor",
    cautions=(GIVEN, CLOSED, PATHS, ALL_CLASSES, "A DAG is refused: a class may have many paths."),
    parts=("p_precision", "p_recall"),
    function_name="path_fbeta_score",
)
def p_ori(
    n_true: Floats, n_pred: Floats, n_both: Floats, *, beta: float = 1, zero_division: float = 0
) -> Floats:
    """Path-based F-beta: the units are whole paths from the root to a leaf."""
    return fbeta(n_true, n_pred, n_both, beta, zero_division)


@path_measure(
    formula="2 / (1 + e^x), x = (labels predicted − labels on whole predicted paths) / true labels",
    source=f"{JI} (the factor a of P-F1)",
    range="[0, 2)",
    averages=("micro",),
    label="P-F factor",
    cautions=(
        "Paths that share ancestors count these several times, so x can be negative and the factor "
        "above 1: paths near each other are rewarded.",
        "Report it beside p_ori; their product alone cannot be read.",
        CLOSED,
    ),
    function_name="p_factor_score",
)
def p_factor(labels_true: Floats, labels_pred: Floats, labels_on_paths: Floats) -> Floats:
    """Factor of the path-based F: below 1 where labels are predicted outside whole paths."""
    beside = labels_pred - labels_on_paths
    x = ratio(beside, labels_true, 0)
    x = np.where((labels_true == 0) & (beside != 0), np.copysign(np.inf, beside), x)
    return np.asarray(2 * scipy.special.expit(-x))


@path_measure(
    formula="p_ori · p_factor",
    source=f"{JI} (P-MicroF1, P-MacroF1)",
    range="[0, 2)",
    averages=("micro", "macro", "samples"),
    classes="all",
    label="P-F",
    cautions=(
        "It may exceed 1: the factor is above 1 where predicted paths share ancestors.",
        GIVEN,
        CLOSED,
        PATHS,
        ALL_CLASSES,
        "A DAG is refused: a class may have many paths.",
    ),
)
def p_f(
    n_true: Floats,
    n_pred: Floats,
    n_both: Floats,
    labels_true: Floats,
    labels_pred: Floats,
    labels_on_paths: Floats,
    *,
    beta: float = 1,
    zero_division: float = 0,
) -> Floats:
    """Path-based F-beta as it is published: multiplied by a factor for labels outside paths."""
    factor = p_factor(labels_true, labels_pred, labels_on_paths)
    return fbeta(n_true, n_pred, n_both, beta, zero_division) * factor
