"""The measures as functions, in the habit of scikit-learn: ``f(y_true, y_pred, hierarchy)``.

All are thin over the registry. They return a Python float; the confusion matrix is a named tuple.
``_score`` and ``_accuracy``: higher is better; ``_error``, ``_cost`` and ``_loss``: lower is
better. ``sample_weight`` holds one weight per instance, ``unknown`` says what to do with labels
outside the hierarchy, and every function raises :class:`hierpair.BadInput` for input that does not
fit.
"""

from hierpair.metrics.confusion import ConfusionMatrix, hierarchical_confusion_matrix
from hierpair.metrics.contributions import (
    ClassContributions,
    con_accuracy_score,
    con_error,
    con_fbeta_score,
    con_precision_score,
    con_recall_score,
    contributions_by_class,
)
from hierpair.metrics.lca import lca_fbeta_score, lca_precision_score, lca_recall_score
from hierpair.metrics.pairs import (
    all_pairs_cost,
    graph_induced_error,
    multi_label_graph_induced_accuracy,
    tree_induced_error,
)
from hierpair.metrics.presets import score_like
from hierpair.metrics.reviewed import (
    depth_accuracy_score,
    depth_weighted_loss,
    descendant_fbeta_score,
    descendant_precision_score,
    descendant_recall_score,
    h_loss,
    misclassification_cost,
)
from hierpair.metrics.sets import (
    h_fbeta_score,
    h_precision_score,
    h_recall_score,
    symmetric_difference_loss,
)

__all__ = [
    "ClassContributions",
    "ConfusionMatrix",
    "all_pairs_cost",
    "con_accuracy_score",
    "con_error",
    "con_fbeta_score",
    "con_precision_score",
    "con_recall_score",
    "contributions_by_class",
    "depth_accuracy_score",
    "depth_weighted_loss",
    "descendant_fbeta_score",
    "descendant_precision_score",
    "descendant_recall_score",
    "graph_induced_error",
    "h_fbeta_score",
    "h_loss",
    "h_precision_score",
    "h_recall_score",
    "hierarchical_confusion_matrix",
    "lca_fbeta_score",
    "lca_precision_score",
    "lca_recall_score",
    "misclassification_cost",
    "multi_label_graph_induced_accuracy",
    "score_like",
    "symmetric_difference_loss",
    "tree_induced_error",
]
