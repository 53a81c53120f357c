"""Tables behind measures of scores: areas by class, scores by level, and reliability."""

from __future__ import annotations

from typing import Any, Literal

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets, NodeScores, Unknown, match_instances
from hierpair.labels.node_scores import Closing, has_scores, match_scores, scores_of_labels
from hierpair.measures.scored import class_areas as areas_of_classes
from hierpair.measures.scored import level_tables
from hierpair.measures.scored.class_areas import ClassAreas
from hierpair.measures.scored.curves import Interpolation
from hierpair.measures.scored.level_tables import Judged, LevelScores, Reliability

__all__ = ["class_areas", "level_scores", "reliability"]


def class_areas(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    interpolation: Interpolation = "step",
    closure: Closing = None,
    root: Any = "exclude",
    unknown: Unknown = "error",
) -> ClassAreas:
    """Return the areas under precision-recall and ROC curves of every class.

    The measures ``micro_auprc``, ``macro_auprc``, ``weighted_auprc``, ``macro_auroc`` and
    ``micro_auroc`` are methods of what is returned.

    Parameters
    ----------
    y_true
        Labels of every instance: one label or a collection of them, or ``{id: labels}``.
    y_score
        Scores of the classes: NodeScores, a LabelDistribution, ``{id: {label: score}}``, a
        matrix with a column per class or leaf, the pair ``(matrix, classes)``, or a list with a
        matrix per level (:meth:`NodeScores.from_levels`).
    hierarchy
        The classes.
    interpolation
        ``"step"``: average precision; ``"clus"``: trapezoids between single hits, as Clus has it;
        ``"trapezoid"``: straight lines between thresholds, which are optimistic.
    closure
        ``"max"`` gives a class the highest score below it first; None takes scores as given.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.
    unknown
        Labels outside the hierarchy: an error, left out, or replaced by the root.

    Raises
    ------
    BadInput
        Where no instance has a class that counts, and for input that does not fit.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    >>> found = class_areas({"x": "c", "y": "b"}, {"x": {"a": 0.9}, "y": {"a": 0.4}}, tree)
    >>> found.auprc.tolist(), found.auroc.tolist()
    ([1.0, 0.5, 0.5], [1.0, 0.5, 0.5])
    """
    truth, scores = _sides(y_true, y_score, hierarchy, unknown)
    how: dict[str, Any] = {"interpolation": interpolation, "closure": closure, "root": root}
    return areas_of_classes.class_areas(truth, scores, **how)


def level_scores(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    bins: int = 10,
    clip: float = 0,
    root: Any = "exclude",
    y_pred: Any = None,
    preset: Literal["hiclass"] | None = None,
    unknown: Unknown = "error",
) -> LevelScores:
    """Return Brier score, log loss, ECE, SCE and ACE of every level.

    What they are stands at :func:`hierpair.measures.scored.level_tables.level_scores`.

    Parameters
    ----------
    y_true, y_score, hierarchy, root, unknown
        As for :func:`class_areas`.
    bins
        Bins of equal width, or ranges of equally many instances.
    clip
        Probabilities are moved into [clip, 1 − clip] before their logarithm is taken.
    y_pred
        Predicted labels: what is right in ECE is then these, not the top class of the level.
    preset
        ``"hiclass"``: as hiclass 5.0 computes them from ``y_pred``, with its faults.

    Raises
    ------
    BadInput
        Where no instance has a class that counts, and for input that does not fit.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "d")])
    >>> matrices = [[[0.75, 0.25], [0.5, 0.5]], [[0.75, 0.25], [0.25, 0.75]]]
    >>> found = level_scores(["c", "d"], matrices, tree)
    >>> found.brier.tolist(), found.over_levels("ece")
    ([0.3125, 0.125], 0.1875)
    """
    truth, scores = _sides(y_true, y_score, hierarchy, unknown)
    predicted = None
    if y_pred is not None:
        given = LabelSets.from_labels(y_pred, hierarchy, unknown=unknown, source="y_pred")
        predicted = match_instances(truth, given, system="y_pred")
    how: dict[str, Any] = {"bins": bins, "clip": clip, "root": root, "preset": preset}
    return level_tables.level_scores(truth, scores, predicted=predicted, **how)


def reliability(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    bins: int = 10,
    judged: Judged = "top",
    root: Any = "exclude",
    unknown: Unknown = "error",
) -> Reliability:
    """Return what probabilities came to, level by level, with counts.

    :meth:`hierpair.plots.ReliabilityDisplay.from_reliability` draws it.

    Parameters
    ----------
    y_true, y_score, hierarchy, root, unknown
        As for :func:`class_areas`.
    bins
        How many bins [a, b) of equal width; the last one is closed.
    judged
        ``"top"``: the largest probability of every instance and whether its class is true;
        ``"classes"``: the probabilities of all classes of the level.

    Raises
    ------
    BadInput
        Where no instance has a class that counts, and for input that does not fit.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> found = reliability(["a", "b"], [[[0.75, 0.25], [1, 0]]], tree, bins=2)
    >>> found.n.tolist(), found.confidence[0, 1], found.accuracy[0, 1]
    ([[0, 2]], np.float64(0.875), np.float64(0.5))
    """
    truth, scores = _sides(y_true, y_score, hierarchy, unknown)
    return level_tables.reliability(truth, scores, bins=bins, judged=judged, root=root)


def _sides(
    y_true: Any, y_score: Any, hierarchy: Hierarchy, unknown: Unknown
) -> tuple[LabelSets, NodeScores]:
    """Return the truth, and the scores in its order."""
    truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
    if not has_scores(y_score):
        raise BadInput(
            "y_score must be NodeScores, a LabelDistribution, {id: {label: score}}, a matrix with "
            "a column per class or leaf, the pair (matrix, classes), or a list with a matrix per "
            f"level, got {type(y_score).__name__}"
        )
    scores = scores_of_labels(y_score, hierarchy, unknown=unknown, source="y_score", ids=truth.ids)
    return truth, match_scores(truth, scores, system="y_score")
