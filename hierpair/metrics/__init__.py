"""The measures as functions, in the habit of scikit-learn: ``f(y_true, y_pred, hierarchy)``.

All are made from the registry of measures and return a Python float, or with ``average=None``
the values of the classes as an array. ``_score`` and
``_accuracy``: higher is better; ``_error``, ``_cost`` and ``_loss``: lower is better. Beside them
stand the classification report, the confusion matrix, the contributions by class, the numbers of
ranked predictions, and those of other tools.
"""

from typing import Any

from hierpair.errors import BadInput
from hierpair.measures.registry import found
from hierpair.measures.scored.calibration import (
    LevelScores,
    Reliability,
    level_scores,
    reliability,
)
from hierpair.measures.scored.curves import ClassAreas, class_areas
from hierpair.metrics import functions
from hierpair.metrics.class_tables import (
    ClassContributions,
    ClassificationReport,
    ConfusionMatrix,
    classification_report,
    contributions_by_class,
    hierarchical_confusion_matrix,
)
from hierpair.metrics.functions import *  # noqa: F403 - what the registry has
from hierpair.metrics.functions import function_of
from hierpair.metrics.presets import (
    CafaTable,
    SoftContrast,
    cafaeval_table,
    pyevall_icm_soft,
    score_like,
)

__all__ = [  # noqa: PLE0604
    *functions.__all__,
    "ClassAreas",
    "CafaTable",
    "ClassContributions",
    "ClassificationReport",
    "ConfusionMatrix",
    "LevelScores",
    "Reliability",
    "SoftContrast",
    "class_areas",
    "cafaeval_table",
    "classification_report",
    "contributions_by_class",
    "function_of",
    "hierarchical_confusion_matrix",
    "level_scores",
    "pyevall_icm_soft",
    "reliability",
    "score_like",
]


def __getattr__(name: str) -> Any:
    """Return the function of a measure by another name that it is known by."""
    try:
        return getattr(functions, found(name).function)
    except BadInput as error:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from error
