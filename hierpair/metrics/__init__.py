"""The measures as functions, in the habit of scikit-learn: ``f(y_true, y_pred, hierarchy)``.

All are made from the registry of measures and return a Python float. ``_score`` and
``_accuracy``: higher is better; ``_error``, ``_cost`` and ``_loss``: lower is better. Beside them
stand the confusion matrix, the contributions by class, and the numbers of other tools.
"""

from hierpair.metrics import functions
from hierpair.metrics.confusion import ConfusionMatrix, hierarchical_confusion_matrix
from hierpair.metrics.contributions import ClassContributions, contributions_by_class
from hierpair.metrics.from_registry import function_of
from hierpair.metrics.functions import *  # noqa: F403 - what the registry has
from hierpair.metrics.tool_scores import score_like

__all__ = [  # noqa: PLE0604
    *functions.__all__,
    "ClassContributions",
    "ConfusionMatrix",
    "contributions_by_class",
    "function_of",
    "hierarchical_confusion_matrix",
    "score_like",
]
