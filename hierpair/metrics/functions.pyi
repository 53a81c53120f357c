# Written by docs/write_functions.py from the registry of measures.
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy

__all__ = [
    "adaptive_calibration_error",
    "ahd_loss",
    "ahd_mistakes_loss",
    "all_pairs_cost",
    "best_of_loss",
    "brier_score_loss",
    "c_f1_score",
    "c_fbeta_score",
    "c_precision_score",
    "c_recall_score",
    "con_accuracy_score",
    "con_error",
    "con_f1_score",
    "con_fbeta_score",
    "con_precision_score",
    "con_recall_score",
    "coverage_score",
    "depth_accuracy_score",
    "depth_euclidean_loss",
    "depth_weighted_loss",
    "descendant_f1_score",
    "descendant_fbeta_score",
    "descendant_precision_score",
    "descendant_recall_score",
    "edge_inconsistency_error",
    "expected_calibration_error",
    "flat_f1_score",
    "flat_fbeta_score",
    "flat_hamming_loss",
    "flat_precision_score",
    "flat_recall_score",
    "flat_specificity_score",
    "fmax_score",
    "fnerror",
    "full_path_accuracy_score",
    "graph_induced_error",
    "h_f1_score",
    "h_fbeta_score",
    "h_loss",
    "h_precision_score",
    "h_recall_score",
    "hcm_accuracy_score",
    "hcm_balanced_accuracy_score",
    "hcm_f1_score",
    "hcm_fbeta_score",
    "hcm_fn_loss",
    "hcm_fnr_loss",
    "hcm_fp_loss",
    "hcm_fpr_loss",
    "hcm_informedness_score",
    "hcm_jaccard_score",
    "hcm_kappa_score",
    "hcm_markedness_score",
    "hcm_mcc_score",
    "hcm_precision_score",
    "hcm_prevalence_score",
    "hcm_prevalence_threshold_loss",
    "hcm_recall_score",
    "hcm_tn_score",
    "hcm_tnr_score",
    "hcm_tp_score",
    "hprecision_score",
    "information_contrast_score",
    "lca_depth_score",
    "lca_depth_share_score",
    "lca_f1_score",
    "lca_fbeta_score",
    "lca_precision_score",
    "lca_recall_score",
    "leaf_accuracy_score",
    "leaf_brier_loss",
    "leaf_macro_accuracy_score",
    "level_accuracy_score",
    "level_f1_score",
    "level_fbeta_score",
    "level_hamming_loss",
    "level_log_loss",
    "macro_auprc_score",
    "macro_auroc_score",
    "micro_auprc_score",
    "micro_auroc_score",
    "misclassification_cost",
    "misinformation_loss",
    "mistake_severity_cost",
    "multi_label_graph_induced_accuracy",
    "node_brier_loss",
    "normalised_information_contrast_score",
    "normalised_misclassification_cost",
    "p_f1_score",
    "p_factor_score",
    "p_fbeta_score",
    "p_precision_score",
    "p_recall_score",
    "path_f1_score",
    "path_fbeta_score",
    "path_log_loss",
    "path_prefix_score",
    "por_score",
    "remaining_uncertainty_loss",
    "semantic_distance_loss",
    "shortest_path_cost",
    "simgic_score",
    "similarity_precision_score",
    "smin_loss",
    "static_calibration_error",
    "subset_accuracy_score",
    "symmetric_difference_loss",
    "tice_error",
    "top_accuracy_score",
    "tor_score",
    "total_misclassification_cost",
    "tree_induced_error",
    "tree_wasserstein_cost",
    "wap_score",
    "weighted_auprc_score",
]

def micro_auprc_score(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    least: int = 0,
    interpolation: Literal["step", "clus", "trapezoid"] = "step",
    closure: Literal["none", "max"] = "none",
    root: Any = "exclude",
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Area under the pooled precision-recall curve: micro average precision.

    Formula: ``area under precision and recall of all pairs of instance and class`` (Vens et al.
    2008, §5.2 (AU(PRC)); scikit-learn, average_precision_score(average='micro')).
    """

def macro_auprc_score(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    least: int = 1,
    interpolation: Literal["step", "clus", "trapezoid"] = "step",
    closure: Literal["none", "max"] = "none",
    root: Any = "exclude",
    zero_division: float = ...,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Mean over classes of the area under the precision-recall curve.

    Formula: ``mean over classes of the area under their precision and recall`` (Vens et al.
    2008, §5.2 (average AUPRC); scikit-learn, average_precision_score(average='macro')).
    """

def weighted_auprc_score(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    interpolation: Literal["step", "clus", "trapezoid"] = "step",
    closure: Literal["none", "max"] = "none",
    root: Any = "exclude",
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Mean over classes of the area under precision and recall, weighted by their frequency.

    Formula: ``Σ_v f(v) AUPRC(v) / Σ_v f(v), f(v) the share of instances that have v`` (Vens et
    al. 2008, §5.2 (weighted average AUPRC); scikit-learn, average='weighted').
    """

def macro_auroc_score(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    least: int = 1,
    one_sided: float = ...,
    closure: Literal["none", "max"] = "none",
    root: Any = "exclude",
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Mean over classes of the area under the ROC curve (term-centric AUROC).

    Formula: ``mean over classes of P(score of a true instance > of a false one), ties one
    half`` (Jiang et al. 2016 (term-centric AUROC of CAFA 2); scikit-learn, roc_auc_score).
    """

def micro_auroc_score(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    least: int = 0,
    one_sided: float = ...,
    closure: Literal["none", "max"] = "none",
    root: Any = "exclude",
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Area under the ROC curve of all pairs of instance and class.

    Formula: ``P(score of a true pair > of a false pair), pairs of instance and class, ties one
    half`` (scikit-learn, roc_auc_score(average='micro'); Costa et al. 2007 (ROC)).
    """

def brier_score_loss(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    over_levels: Literal["mean", "sum"] = "mean",
    root: Any = "exclude",
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Brier score, level by level: the squared error of probabilities, a proper score.

    Formula: ``mean over levels of (1/n) Σ_i Σ_k (p_i(k) − [k is true])²`` (Brier 1950; hiclass,
    hiclass.metrics.multiclass_brier_score).
    """

def level_log_loss(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    clip: float = 0,
    over_levels: Literal["mean", "sum"] = "mean",
    root: Any = "exclude",
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Log loss, level by level, in nats: a proper score.

    Formula: ``mean over levels of −(1/n) Σ_i log p_i(true class)`` (scikit-learn,
    sklearn.metrics.log_loss; hiclass, hiclass.metrics.log_loss).
    """

def expected_calibration_error(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    bins: int = 10,
    over_levels: Literal["mean", "sum"] = "mean",
    root: Any = "exclude",
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Expected calibration error, level by level.

    Formula: ``mean over levels of Σ_b (n_b / n) |share of right top classes − mean top p|``
    (Guo et al. 2017, eq. 3; hiclass, hiclass.metrics.expected_calibration_error).
    """

def static_calibration_error(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    bins: int = 10,
    over_levels: Literal["mean", "sum"] = "mean",
    root: Any = "exclude",
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Static calibration error, level by level: the calibration of every class.

    Formula: ``mean over levels, classes k of Σ_b (n_bk / n) |share of instances of k − mean
    p(k)|`` (Nixon et al. 2019, “Measuring Calibration in Deep Learning”; hiclass,
    hiclass.metrics.static_calibration_error).
    """

def adaptive_calibration_error(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    bins: int = 10,
    over_levels: Literal["mean", "sum"] = "mean",
    root: Any = "exclude",
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Adaptive calibration error, level by level: ranges of equally many instances.

    Formula: ``mean over levels, classes k, ranges r of |share of instances of k − mean p(k)|``
    (Nixon et al. 2019, “Measuring Calibration in Deep Learning”; hiclass,
    hiclass.metrics.adaptive_calibration_error).
    """

def node_brier_loss(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any | None = None,
    root: Any = "exclude",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Brier score over all classes: a strictly proper score in which near classes cost less.

    Formula: ``mean of Σ_v w(v) (p(v) − [v ∈ Y])²`` (Brier 1950, over the classes of a hierarchy
    (ours)).
    """

def leaf_brier_loss(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Brier score over the leaves.

    Formula: ``mean of Σ_leaves (p(leaf) − [leaf ∈ Y])²`` (Brier 1950).
    """

def path_log_loss(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Log score of the true path, in nats: the sum of the log losses on the way down.

    Formula: ``mean of −log P(the true path)`` (Good 1952, “Rational Decisions”).
    """

def hcm_tp_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Shared classes of predicted and true paths (true positives).

    Formula: ``TP`` (Riehl et al. 2023, §IV, Table II).
    """

def hcm_tn_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Classes beside the shared part that are on neither path (true negatives).

    Formula: ``TN`` (Riehl et al. 2023, §IV, Table II).
    """

def hcm_fp_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Classes of predicted paths that are not true (false positives).

    Formula: ``FP`` (Riehl et al. 2023, §IV, Table II).
    """

def hcm_fn_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Classes of true paths that were not predicted (false negatives).

    Formula: ``FN`` (Riehl et al. 2023, §IV, Table II).
    """

def hcm_accuracy_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Share of all counted classes that both sides agree on (accuracy, ACC).

    Formula: ``(TP + TN) / (TP + TN + FP + FN)`` (Riehl et al. 2023, §IV, Table II).
    """

def hcm_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Share of what was predicted that is true (precision, positive predictive value, PPV).

    Formula: ``TP / (TP + FP)`` (Riehl et al. 2023, §IV, Table II).
    """

def hcm_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Share of what is true that was predicted (recall, sensitivity, TPR).

    Formula: ``TP / (TP + FN)`` (Riehl et al. 2023, §IV, Table II).
    """

def hcm_fnr_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Share of what is true that was missed (false negative rate, FNR).

    Formula: ``FN / (FN + TP)`` (Riehl et al. 2023, §IV, Table II).
    """

def hcm_fpr_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Share of what is not true that was predicted (false positive rate, FPR).

    Formula: ``FP / (FP + TN)`` (Riehl et al. 2023, §IV, Table II).
    """

def hcm_tnr_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Share of what is not true that was not predicted (specificity, TNR).

    Formula: ``TN / (TN + FP)`` (Riehl et al. 2023, §IV, Table II).
    """

def hcm_prevalence_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Share of all counted classes that are true.

    Formula: ``(TP + FN) / (TP + TN + FP + FN)`` (counts of Riehl et al. 2023, §IV, Table II).
    """

def hcm_prevalence_threshold_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Prevalence below which predictions soon become unreliable (PT).

    Formula: ``√FPR / (√TPR + √FPR)`` (Riehl et al. 2023, §IV, Table II (there: prevalence);
    Balayla 2020).
    """

def hcm_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""F-beta of precision and recall.

    Formula: ``(1 + β²) TP / ((1 + β²) TP + β² FN + FP)`` (Riehl et al. 2023, §IV, Table II).
    """

def hcm_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""F-beta of precision and recall.

    Here beta is 1. Formula: ``(1 + β²) TP / ((1 + β²) TP + β² FN + FP)`` (Riehl et al. 2023,
    §IV, Table II).
    """

def hcm_mcc_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Matthews correlation coefficient (MCC).

    Formula: ``(TP · TN − FP · FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN))`` (Riehl et al.
    2023, §IV, Table II).
    """

def hcm_balanced_accuracy_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Mean of recall and specificity.

    Formula: ``(TPR + TNR) / 2`` (counts of Riehl et al. 2023, §IV, Table II).
    """

def hcm_informedness_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""How much better than guessing (Youden, informedness).

    Formula: ``TPR + TNR − 1`` (counts of Riehl et al. 2023, §IV, Table II).
    """

def hcm_markedness_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""How much a prediction reveals about the truth (markedness).

    Formula: ``TP / (TP + FP) + TN / (TN + FN) − 1`` (counts of Riehl et al. 2023, §IV, Table
    II).
    """

def hcm_jaccard_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Share of what is true or predicted that is both.

    Formula: ``TP / (TP + FP + FN)`` (counts of Riehl et al. 2023, §IV, Table II).
    """

def hcm_kappa_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    pairing: Literal["exact", "published"] = "exact",
    empty: Literal["root", "none"] = "root",
    nested: Literal["drop", "keep"] = "drop",
    blank: Literal["ignore", "count"] = "ignore",
    average: Literal["micro", "samples"] = "micro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Agreement beyond chance (Cohen's kappa).

    Formula: ``2 (TP · TN − FN · FP) / ((TP + FP)(FP + TN) + (TP + FN)(FN + TN))`` (counts of
    Riehl et al. 2023, §IV, Table II).
    """

@overload
def c_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    inconsistent: Literal["wrong", "drop"] = "wrong",
    parents: Literal["all", "any"] = "all",
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: Literal["micro", "macro", "samples", "weighted"] = "micro",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def c_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    inconsistent: Literal["wrong", "drop"] = "wrong",
    parents: Literal["all", "any"] = "all",
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Constrained precision: the share of predicted labels that are right with their paths.

    Formula: ``|H| / |Ŷ|, H the shared labels whose ancestors are shared too`` (Yu et al. 2022
    (SIGIR), arXiv 2204.00811).
    """

@overload
def c_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    inconsistent: Literal["wrong", "drop"] = "wrong",
    parents: Literal["all", "any"] = "all",
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: Literal["micro", "macro", "samples", "weighted"] = "micro",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def c_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    inconsistent: Literal["wrong", "drop"] = "wrong",
    parents: Literal["all", "any"] = "all",
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Constrained recall: the share of true labels that are predicted with their paths.

    Formula: ``|H| / |Y|, H the shared labels whose ancestors are shared too`` (Yu et al. 2022
    (SIGIR), arXiv 2204.00811).
    """

@overload
def c_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    inconsistent: Literal["wrong", "drop"] = "wrong",
    parents: Literal["all", "any"] = "all",
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: Literal["micro", "macro", "samples", "weighted"] = "micro",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def c_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    inconsistent: Literal["wrong", "drop"] = "wrong",
    parents: Literal["all", "any"] = "all",
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Constrained F-beta: a label is a hit only if all its ancestors are hits too.

    Formula: ``(1 + β²) |H| / (β² |Y| + |Ŷ|), H the shared labels whose ancestors are shared
    too`` (Yu et al. 2022 (SIGIR), arXiv 2204.00811 (C-MicroF1, C-MacroF1)).
    """

@overload
def c_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    inconsistent: Literal["wrong", "drop"] = "wrong",
    parents: Literal["all", "any"] = "all",
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: Literal["micro", "macro", "samples", "weighted"] = "micro",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def c_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    inconsistent: Literal["wrong", "drop"] = "wrong",
    parents: Literal["all", "any"] = "all",
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Constrained F-beta: a label is a hit only if all its ancestors are hits too.

    Here beta is 1. Formula: ``(1 + β²) |H| / (β² |Y| + |Ŷ|), H the shared labels whose
    ancestors are shared too`` (Yu et al. 2022 (SIGIR), arXiv 2204.00811 (C-MicroF1,
    C-MacroF1)).
    """

@overload
def p_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: Literal["micro", "macro", "samples"] = "micro",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def p_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Path-based precision: the share of whole predicted paths that are true.

    Formula: ``n_both / n_pred of the root paths of leaves that a set holds`` (Ji et al. 2023
    (HierVerb, ACL), code of the authors).
    """

@overload
def p_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: Literal["micro", "macro", "samples"] = "micro",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def p_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Path-based recall: the share of whole true paths that are predicted.

    Formula: ``n_both / n_true of the root paths of leaves that a set holds`` (Ji et al. 2023
    (HierVerb, ACL), code of the authors).
    """

@overload
def path_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: Literal["micro", "macro", "samples"] = "micro",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def path_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Path-based F-beta: the units are whole paths from the root to a leaf.

    Formula: ``(1 + β²) n_both / (β² n_true + n_pred) of the root paths of leaves that a set
    holds`` (Ji et al. 2023 (HierVerb, ACL), code of the authors (P-F1 before its factor)).
    """

@overload
def path_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: Literal["micro", "macro", "samples"] = "micro",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def path_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Path-based F-beta: the units are whole paths from the root to a leaf.

    Here beta is 1. Formula: ``(1 + β²) n_both / (β² n_true + n_pred) of the root paths of
    leaves that a set holds`` (Ji et al. 2023 (HierVerb, ACL), code of the authors (P-F1 before
    its factor)).
    """

def p_factor_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    average: Literal["micro"] = "micro",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Factor of the path-based F: below 1 where labels are predicted outside whole paths.

    Formula: ``2 / (1 + e^x), x = (labels predicted − labels on whole predicted paths) / true
    labels`` (Ji et al. 2023 (HierVerb, ACL), code of the authors (the factor a of P-F1)).
    """

@overload
def p_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: Literal["micro", "macro", "samples"] = "micro",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def p_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Path-based F-beta as it is published: multiplied by a factor for labels outside paths.

    Formula: ``p_ori · p_factor`` (Ji et al. 2023 (HierVerb, ACL), code of the authors
    (P-MicroF1, P-MacroF1)).
    """

@overload
def p_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: Literal["micro", "macro", "samples"] = "micro",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def p_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    classes: Literal["seen", "all"] = "all",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Path-based F-beta as it is published: multiplied by a factor for labels outside paths.

    Here beta is 1. Formula: ``p_ori · p_factor`` (Ji et al. 2023 (HierVerb, ACL), code of the
    authors (P-MicroF1, P-MacroF1)).
    """

@overload
def con_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    cost: Any = "hops",
    root: Any = "exclude",
    classes: Literal["seen", "all"] = "seen",
    average: Literal["micro", "macro", "weighted", "samples"] = "micro",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def con_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    cost: Any = "hops",
    root: Any = "exclude",
    classes: Literal["seen", "all"] = "seen",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Precision with contributions: near misses count in part, far ones count against it.

    Formula: ``max(0, TP + FpCon + FnCon) / (TP + FP + FnCon)`` (Sun & Lim 2001; Costa et al.
    2007, eq. 11).
    """

@overload
def con_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    cost: Any = "hops",
    root: Any = "exclude",
    classes: Literal["seen", "all"] = "seen",
    average: Literal["micro", "macro", "weighted", "samples"] = "micro",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def con_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    cost: Any = "hops",
    root: Any = "exclude",
    classes: Literal["seen", "all"] = "seen",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Recall with contributions: near misses count in part, far ones count against it.

    Formula: ``max(0, TP + FpCon + FnCon) / (TP + FN + FpCon)`` (Sun & Lim 2001; Costa et al.
    2007, eq. 12).
    """

@overload
def con_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    theta: float | Literal["mean"] = 2,
    cost: Any = "hops",
    root: Any = "exclude",
    classes: Literal["seen", "all"] = "seen",
    average: Literal["micro", "macro", "weighted", "samples"] = "micro",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def con_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    theta: float | Literal["mean"] = 2,
    cost: Any = "hops",
    root: Any = "exclude",
    classes: Literal["seen", "all"] = "seen",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""F-beta of precision and recall with contributions.

    Formula: ``(1 + β²) P R / (β² P + R) of con_precision P and con_recall R`` (Sun & Lim 2001;
    Costa et al. 2007, eqs 6, 11–12).
    """

@overload
def con_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    cost: Any = "hops",
    root: Any = "exclude",
    classes: Literal["seen", "all"] = "seen",
    average: Literal["micro", "macro", "weighted", "samples"] = "micro",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def con_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    cost: Any = "hops",
    root: Any = "exclude",
    classes: Literal["seen", "all"] = "seen",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""F-beta of precision and recall with contributions.

    Here beta is 1. Formula: ``(1 + β²) P R / (β² P + R) of con_precision P and con_recall R``
    (Sun & Lim 2001; Costa et al. 2007, eqs 6, 11–12).
    """

@overload
def con_accuracy_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    cost: Any = "hops",
    root: Any = "exclude",
    classes: Literal["seen", "all"] = "all",
    average: Literal["micro", "macro", "weighted", "samples"] = "micro",
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def con_accuracy_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    cost: Any = "hops",
    root: Any = "exclude",
    classes: Literal["seen", "all"] = "all",
    average: None,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Accuracy with contributions, over all (instance, class) decisions.

    Formula: ``(TP + TN + FpCon + FnCon) / (TP + TN + FP + FN)`` (Sun & Lim 2001; Costa et al.
    2007, eq. 13 (per class, as its contributions are)).
    """

@overload
def con_error(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    cost: Any = "hops",
    root: Any = "exclude",
    classes: Literal["seen", "all"] = "all",
    average: Literal["micro", "macro", "weighted", "samples"] = "micro",
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def con_error(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    cost: Any = "hops",
    root: Any = "exclude",
    classes: Literal["seen", "all"] = "all",
    average: None,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Error with contributions: 1 minus the accuracy.

    Formula: ``(FP + FN − FpCon − FnCon) / (TP + TN + FP + FN)`` (Sun & Lim 2001; Costa et al.
    2007, eq. 14 (per class, as its contributions are)).
    """

def misclassification_cost(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    cost: Any = "hops",
    threshold: int | None = None,
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Mean cost of what was predicted, by a matrix of costs or any other cost.

    Formula: ``mean over instances of C(y, ŷ)`` (Freitas & Carvalho 2007; Costa et al. 2007,
    “Other evaluation measures”).
    """

def total_misclassification_cost(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    cost: Any = "hops",
    threshold: int | None = None,
    average: Literal["micro"] = "micro",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Sum of the costs of what was predicted, over all instances.

    Formula: ``Σ C(y, ŷ) over all instances`` (Freitas & Carvalho 2007; Costa et al. 2007,
    “Other evaluation measures”).
    """

def normalised_misclassification_cost(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    cost: Any = "hops",
    average: Literal["micro", "samples"] = "micro",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Costs of what was predicted, as a share of the worst that could have been predicted.

    Formula: ``Σ C(y, ŷ) / Σ max over classes c of C(y, c)`` (Freitas & Carvalho 2007; Costa et
    al. 2007, “Other evaluation measures”).
    """

def mistake_severity_cost(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    cost: Any = "height",
    zero_division: float = ...,
    average: Literal["micro", "samples"] = "micro",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Mistake severity: how bad mistakes are on average, however many there are.

    Formula: ``Σ C(y, ŷ) / (number of true labels that were not predicted)`` (Bertinetto et al.
    2020, §4.1 (height of the lowest common ancestor)).
    """

def depth_weighted_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    w0: float = 0.75,
    depth: Literal["min", "max", "mean", "sum"] = "mean",
    normalise: Literal["none", "max-path", "path"] = "none",
    root: Any = "exclude",
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Depth-weighted symmetric difference; of two single classes of a tree, their weighted path.

    Formula: ``Σ w(c) over c ∈ Ŷ_aug Δ Y_aug, w(c) = w0^depth(c)`` (Blockeel et al. 2002; Costa
    et al. 2007, “Depth-dependent measures”).
    """

def depth_euclidean_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    w0: float = 0.75,
    depth: Literal["min", "max", "mean", "sum"] = "mean",
    root: Any = "exclude",
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Weighted Euclidean distance of the class vectors: the root of depth_loss.

    Formula: ``√(Σ w(c) over c ∈ Ŷ_aug Δ Y_aug), w(c) = w0^depth(c)`` (Blockeel et al. 2002;
    Vens et al. 2008; Costa et al. 2007, “Depth-dependent measures”).
    """

def depth_accuracy_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    w0: float = 0.75,
    depth: Literal["min", "max", "mean", "sum"] = "mean",
    normalise: Literal["none", "max-path", "path"] = "max-path",
    root: Any = "exclude",
    average: Literal["samples", "micro"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Depth-weighted accuracy: 1 minus the weighted path relative to the longest possible one.

    Formula: ``1 − Σ w(c) over c ∈ Ŷ_aug Δ Y_aug / (largest such sum of two classes)`` (Holden &
    Freitas 2006; Costa et al. 2007, “Depth-dependent measures”).
    """

def h_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    costs: Literal["sibling", "ones", "subtree"] = "sibling",
    root: Any = "exclude",
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""H-loss: on every path from the root, only the first mistake counts.

    Formula: ``Σ c_i over wrong classes i whose ancestors are all right`` (Cesa-Bianchi et al.
    2006, §2; Rousu et al. 2006 (costs)).
    """

def lca_depth_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Depth of the deepest common ancestor: down to which level the prediction is right.

    Formula: ``max depth(c) over c ∈ Ŷ_aug ∩ Y_aug`` (depth of the lowest common ancestor, as
    reported beside mistake severity).
    """

def lca_depth_share_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: Literal["samples", "micro"] = "samples",
    zero_division: float = 1,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Depth of the deepest common ancestor, as a share of the depth of the true class.

    Formula: ``max depth(c) over c ∈ Ŷ_aug ∩ Y_aug / (depth of the deepest true class)``
    (lca_depth, normalised by the depth of the true class).
    """

@overload
def descendant_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def descendant_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Share of the predicted subtree that belongs to the true one.

    Formula: ``|D(Ŷ) ∩ D(Y)| / |D(Ŷ)|, D: the classes and all below them`` (Ipeirotis et al.
    2001; Costa et al. 2007, eqs 18–19).
    """

@overload
def descendant_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def descendant_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Share of the true subtree that was predicted.

    Formula: ``|D(Ŷ) ∩ D(Y)| / |D(Y)|, D: the classes and all below them`` (Ipeirotis et al.
    2001; Costa et al. 2007, eqs 18–19).
    """

@overload
def descendant_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    root: Any = "include",
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def descendant_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    root: Any = "include",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""F-beta of descendant precision and recall, instance by instance.

    Formula: ``(1 + β²) |D(Ŷ) ∩ D(Y)| / (β² |D(Y)| + |D(Ŷ)|), D: the classes and all below
    them`` (Ipeirotis et al. 2001; Costa et al. 2007, eqs 18–19).
    """

@overload
def descendant_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def descendant_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""F-beta of descendant precision and recall, instance by instance.

    Here beta is 1. Formula: ``(1 + β²) |D(Ŷ) ∩ D(Y)| / (β² |D(Y)| + |D(Ŷ)|), D: the classes and
    all below them`` (Ipeirotis et al. 2001; Costa et al. 2007, eqs 18–19).
    """

def subset_accuracy_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Share of instances whose predicted set is exactly the true set.

    Formula: ``1 if Ŷ = Y, else 0`` (scikit-learn, sklearn.metrics.accuracy_score).
    """

@overload
def flat_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def flat_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Flat precision: the share of predicted labels that are true.

    Formula: ``|Ŷ ∩ Y| / |Ŷ|`` (scikit-learn, sklearn.metrics.precision_score).
    """

@overload
def flat_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def flat_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Flat recall: the share of true labels that are predicted.

    Formula: ``|Ŷ ∩ Y| / |Y|`` (scikit-learn, sklearn.metrics.recall_score).
    """

def flat_specificity_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "exclude",
    average: Literal["samples", "micro"] = "samples",
    zero_division: float = 1,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Specificity: the share of classes that are not true that are not predicted either.

    Formula: ``(K − |Ŷ ∪ Y|) / (K − |Y|), K the number of classes`` (Costa et al. 2007, eq. 4).
    """

@overload
def flat_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def flat_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Flat F-beta: the weighted harmonic mean of precision and recall.

    Formula: ``(1 + β²) |Ŷ ∩ Y| / (β² |Y| + |Ŷ|)`` (scikit-learn, sklearn.metrics.fbeta_score).
    """

@overload
def flat_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def flat_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Flat F-beta: the weighted harmonic mean of precision and recall.

    Here beta is 1. Formula: ``(1 + β²) |Ŷ ∩ Y| / (β² |Y| + |Ŷ|)`` (scikit-learn,
    sklearn.metrics.fbeta_score).
    """

def flat_hamming_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "exclude",
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Share of (instance, class) decisions that are wrong.

    Formula: ``|Ŷ Δ Y| / number of classes`` (scikit-learn, sklearn.metrics.hamming_loss).
    """

def lca_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    extension: Literal["exact", "greedy", "full"] = "exact",
    threshold: int | None = None,
    limit: float | None = None,
    average: Literal["samples", "micro"] = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""LCA precision: the share of the predicted graph that the true graph has too.

    Formula: ``|V_pred ∩ V_true| / |V_pred| over the minimal LCA graphs`` (Kosmopoulos et al.
    2014, §2.4.2, Definitions 1–6, Problem 2, Algorithm 1).
    """

def lca_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    extension: Literal["exact", "greedy", "full"] = "exact",
    threshold: int | None = None,
    limit: float | None = None,
    average: Literal["samples", "micro"] = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""LCA recall: the share of the true graph that the predicted graph has too.

    Formula: ``|V_pred ∩ V_true| / |V_true| over the minimal LCA graphs`` (Kosmopoulos et al.
    2014, §2.4.2, Definitions 1–6, Problem 2, Algorithm 1).
    """

def lca_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    extension: Literal["exact", "greedy", "full"] = "exact",
    threshold: int | None = None,
    limit: float | None = None,
    average: Literal["samples", "micro"] = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""LCA F-beta: agreement of two label sets on the paths to their lowest common ancestors.

    Formula: ``(1 + β²) |V_pred ∩ V_true| / (β² |V_true| + |V_pred|) over the minimal LCA
    graphs`` (Kosmopoulos et al. 2014, §2.4.2, Definitions 1–6, Problem 2, Algorithm 1).
    """

def lca_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    extension: Literal["exact", "greedy", "full"] = "exact",
    threshold: int | None = None,
    limit: float | None = None,
    average: Literal["samples", "micro"] = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""LCA F-beta: agreement of two label sets on the paths to their lowest common ancestors.

    Here beta is 1. Formula: ``(1 + β²) |V_pred ∩ V_true| / (β² |V_true| + |V_pred|) over the
    minimal LCA graphs`` (Kosmopoulos et al. 2014, §2.4.2, Definitions 1–6, Problem 2, Algorithm
    1).
    """

@overload
def level_accuracy_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    absent_level: Literal["skip", "none-class"] = "skip",
    average: Literal["macro", "micro", "samples"] = "macro",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def level_accuracy_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    absent_level: Literal["skip", "none-class"] = "skip",
    average: None,
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Accuracy by level: whether exactly the true classes of a level are predicted there.

    Formula: ``mean over levels of the share of instances whose classes at the level are right``
    (Plaud et al. 2024, §5.3.1).
    """

def leaf_accuracy_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    average: Literal["samples"] = "samples",
    zero_division: float = ...,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Accuracy at the leaves, whatever their depths; truths without a leaf are excluded.

    Formula: ``1 if the leaves of Ŷ_aug are the leaves of Y_aug, else 0`` (Plaud et al. 2024,
    §5.3.1).
    """

def level_hamming_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Hamming loss by level: the share of the classes of a level on which the two sides differ.

    Formula: ``mean over levels of |Ŷ_l Δ Y_l| / (number of classes at level l)`` (Plaud et al.
    2024, §5.3.2).
    """

def shortest_path_cost(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    tips: Literal["best", "sum", "single"] = "best",
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Shortest path: how far the end of the predicted path is from the end of the true one.

    Formula: ``edges between the most specific classes of both sides, paired at the least cost``
    (Plaud et al. 2024, §3.1; Garnot and Landrieu 2021).
    """

@overload
def leaf_macro_accuracy_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "exclude",
    average: Literal["macro", "micro", "samples", "weighted"] = "macro",
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def leaf_macro_accuracy_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "exclude",
    average: None,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Leaf-macro accuracy: the recall of every true leaf, and their mean.

    Formula: ``mean over the leaves that are true of (instances whose leaves are right) /
    (instances with this leaf)`` (Plaud et al. 2024, App. B.3).
    """

@overload
def level_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "none",
    root: Any = "include",
    at_level: int | None = None,
    classes: Literal["seen", "all"] = "seen",
    average: Literal["micro", "macro", "samples", "weighted"] = "micro",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def level_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "none",
    root: Any = "include",
    at_level: int | None = None,
    classes: Literal["seen", "all"] = "seen",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Flat F-beta of the classes of one level.

    Formula: ``(1 + β²) |Ŷ_l ∩ Y_l| / (β² |Y_l| + |Ŷ_l|), of the classes of level l`` (common in
    hierarchical text classification).
    """

@overload
def level_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "none",
    root: Any = "include",
    at_level: int | None = None,
    classes: Literal["seen", "all"] = "seen",
    average: Literal["micro", "macro", "samples", "weighted"] = "micro",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def level_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "none",
    root: Any = "include",
    at_level: int | None = None,
    classes: Literal["seen", "all"] = "seen",
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Flat F-beta of the classes of one level.

    Here beta is 1. Formula: ``(1 + β²) |Ŷ_l ∩ Y_l| / (β² |Y_l| + |Ŷ_l|), of the classes of
    level l`` (common in hierarchical text classification).
    """

def tree_induced_error(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    cost: Any = "hops",
    max_distance: float | None = None,
    threshold: int | None = None,
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Distance between the predicted and the true class; every class needs exactly one partner.

    Formula: ``Σ d(ŷ, y) over the best one-to-one pairing`` (Dekel et al. 2004; Kosmopoulos et
    al. 2014, §2.3.2, Figure 4, eq. 1).
    """

def all_pairs_cost(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    cost: Any = "hops",
    threshold: int | None = None,
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Sum of the distances of all pairs of a predicted and a true class.

    Formula: ``Σ d(ŷ, y) over all pairs`` (Sun & Lim 2001; Kosmopoulos et al. 2014, §2.3.2).
    """

def graph_induced_error(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    default: float = 5,
    cost: Any = "hops",
    max_distance: float | None = None,
    threshold: int | None = None,
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Graph-induced error: the best one-to-one pairing; an unmatched class costs Dmax.

    Formula: ``min over one-to-one pairings: Σ d(ŷ, y) + Dmax · (classes without partner)``
    (Kosmopoulos et al. 2014, §2.3.2, Figure 5 (LSHTC)).
    """

def multi_label_graph_induced_accuracy(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    default: float = 5,
    cost: Any = "hops",
    max_distance: float | None = None,
    threshold: int | None = None,
    denominator: Literal["union", "symdiff"] = "union",
    average: Literal["samples", "micro"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Multi-label graph-induced accuracy: 1 minus the share of the largest possible error.

    Formula: ``1 − fnerror / (|P ∪ T| · Dmax)`` (Kosmopoulos et al. 2014, §2.3.3, Figure 6).
    """

def fnerror(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    default: float = 5,
    cost: Any = "hops",
    max_distance: float | None = None,
    threshold: int | None = None,
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""The error inside MGIA: the best pairing when a class may have any number of partners.

    Formula: ``min over pairings: Σ d(ŷ, y) + Dmax · (classes without partner)`` (Kosmopoulos et
    al. 2014, §2.3.3, Figure 6).
    """

def full_path_accuracy_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Full-path accuracy (FPA, HCA): the share of instances that are right at every level.

    Formula: ``1 if ŷ_l = y_l at all levels l and nothing else is predicted, else 0`` (Park et
    al. 2025 (H-CAST), arXiv 2406.11608 (FPA); Wu et al. 2024 (ProTeCt: hierarchical consistent
    accuracy, HCA)).
    """

def tice_error(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Tree-based inconsistency error (TICE): the share of predictions that are not a path.

    Formula: ``1 if ŷ_(l−1) is no parent of ŷ_l at some level l of the true path, else 0`` (Wang
    et al. 2023 (ACM MM), tree-based inconsistency error).
    """

@overload
def wap_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: Literal["weighted", "samples", "micro"] = "weighted",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def wap_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Weighted average precision (wAP): accuracies of levels, weighted by their classes.

    Formula: ``Σ_l K_l a_l / Σ_l K_l, a_l the accuracy of level l and K_l its number of
    classes`` (Liu et al. 2022; Park et al. 2025 (H-CAST), arXiv 2406.11608 (weighted average
    precision, wAP)).
    """

@overload
def por_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: Literal["samples", "micro", "macro"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def por_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Point-overlap ratio (POR): the share of levels that are right.

    Formula: ``(1/L) Σ_l [ŷ_l = y_l] over the L levels of the true path`` (Tan et al. 2025,
    arXiv 2505.24840 (point-overlap ratio, POR)).
    """

def tor_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: Literal["samples", "micro"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Tree-overlap ratio (TOR): the share of edges of the true path that are predicted.

    Formula: ``(1/(L−1)) Σ_(l≥2) [ŷ_l = y_l and ŷ_(l−1) = y_(l−1)]`` (Tan et al. 2025, arXiv
    2505.24840 (tree-overlap ratio, TOR)).
    """

def path_prefix_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: Literal["samples", "micro"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Common prefix: the share of the true path down to the first level that is wrong.

    Formula: ``(length of the longest common beginning of both paths) / L`` (common in
    hierarchical image classification).
    """

def edge_inconsistency_error(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: Literal["samples", "micro"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Edge inconsistency: the share of neighbouring predicted classes without an edge.

    Formula: ``(levels l ≥ 2 of the true path whose ŷ_(l−1) is no parent of ŷ_l) / (L − 1)`` (a
    share where TICE asks for any; common in hierarchical image classification).
    """

def ahd_loss(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    k: int = 1,
    cost: Any = "height",
    ties: Literal["error", "name"] = "error",
    candidates: Literal["leaves", "all"] = "leaves",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Average hierarchical distance of the first k classes of a ranking from the true one.

    Formula: ``mean over instances of (1/k) Σ d(t, p_j) over the first k`` (Bertinetto et al.
    2020, CVPR, §4.1; Deng et al. 2010 (height of the lowest common ancestor)).
    """

def ahd_mistakes_loss(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    k: int = 1,
    cost: Any = "height",
    ties: Literal["error", "name"] = "error",
    candidates: Literal["leaves", "all"] = "leaves",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Average hierarchical distance of the first k classes where the first one is wrong.

    Formula: ``Σ over mistakes of Σ d(t, p_j) over the first k / (k · number of mistakes)``
    (Bertinetto et al. 2020, CVPR, §4.1; logged by their code beside the mean over all
    instances).
    """

def best_of_loss(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    k: int = 1,
    cost: Any = "height",
    ties: Literal["error", "name"] = "error",
    candidates: Literal["leaves", "all"] = "leaves",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Hierarchical distance of the nearest of the first k classes from the true one.

    Formula: ``mean over instances of min d(t, p_j) over the first k`` (Bertinetto et al. 2020,
    CVPR, §4.1, code).
    """

def similarity_precision_score(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    k: int = 1,
    cost: Any = "height",
    ties: Literal["error", "name"] = "error",
    candidates: Literal["leaves", "all"] = "leaves",
    largest: float | None = None,
    ideal: Literal["instances", "classes"] = "instances",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Similarity of the first k classes to the true one, as a share of the best k's.

    Formula: ``Σ_i Σ_j≤k (1 − d(t, p_j)/D) / Σ_i (largest such sum of k classes)`` (Bertinetto
    et al. 2020, CVPR, §4.1, code (hP@k by similarity); Deng, Berg & Fei-Fei 2011).
    """

def hprecision_score(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    k: int = 1,
    cost: Any = "height",
    ties: Literal["error", "name"] = "error",
    candidates: Literal["leaves", "all"] = "leaves",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Hierarchical precision at k: the share of the first k that are among the nearest k.

    Formula: ``|C_k(t) ∩ first k| / k, C_k(t) = {x : d(t, x) ≤ r}, r least with |C_k(t)| ≥ k``
    (Frome et al. 2013 (DeViSE), appendix; Deng, Berg & Fei-Fei 2011).
    """

def top_accuracy_score(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    k: int = 1,
    ties: Literal["error", "name"] = "error",
    candidates: Literal["leaves", "all"] = "leaves",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Top-k accuracy: whether the true class is among the first k of a ranking.

    Formula: ``share of instances whose true class is among the first k`` (flat top-k accuracy).
    """

@overload
def h_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any | None = None,
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def h_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any | None = None,
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Hierarchical precision: the share of the augmented prediction that is true.

    Formula: ``|Ŷ_aug ∩ Y_aug| / |Ŷ_aug|`` (Kiritchenko et al. 2005; Kosmopoulos et al. 2014,
    §2.4, eqs 2–3).
    """

@overload
def h_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any | None = None,
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def h_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any | None = None,
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Hierarchical recall: the share of the augmented truth that is predicted.

    Formula: ``|Ŷ_aug ∩ Y_aug| / |Y_aug|`` (Kiritchenko et al. 2005; Kosmopoulos et al. 2014,
    §2.4, eqs 2–3).
    """

@overload
def h_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any | None = None,
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def h_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any | None = None,
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Hierarchical F-beta: the weighted harmonic mean of hierarchical precision and recall.

    Formula: ``(1 + β²) |Ŷ_aug ∩ Y_aug| / (β² |Y_aug| + |Ŷ_aug|)`` (Kiritchenko et al. 2005;
    Kosmopoulos et al. 2014, §2.4, eqs 2–3).
    """

@overload
def h_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any | None = None,
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    labels: None = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float: ...
@overload
def h_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any | None = None,
    average: None,
    zero_division: float = 0,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> NDArray[np.float64]:
    r"""Hierarchical F-beta: the weighted harmonic mean of hierarchical precision and recall.

    Here beta is 1. Formula: ``(1 + β²) |Ŷ_aug ∩ Y_aug| / (β² |Y_aug| + |Ŷ_aug|)`` (Kiritchenko
    et al. 2005; Kosmopoulos et al. 2014, §2.4, eqs 2–3).
    """

def symmetric_difference_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any | None = None,
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Symmetric difference loss: the number of classes that only one of the augmented sets has.

    Formula: ``|Ŷ_aug Δ Y_aug|`` (Kosmopoulos et al. 2014, §2.4 (l_Δ)).
    """

def fmax_score(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    average: Literal["samples", "micro"] = "samples",
    beta: float = 1,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any | None = None,
    norm: Literal["cafa", "pred", "gt"] = "cafa",
    prop: Literal["max", "fill"] = "max",
    root: Any = "exclude",
    zero_weight: Literal["skip", "count"] = "skip",
    thresholds: float | Literal["distinct"] = "distinct",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Best F of all thresholds; with weights='ia' the weighted Fmax of CAFA (wFmax).

    Formula: ``max over τ of (1 + β²) pr(τ) rc(τ) / (β² pr(τ) + rc(τ)), pr the mean of w(Ŷ ∩ Y)
    / w(Ŷ) over instances with a prediction, rc the mean of w(Ŷ ∩ Y) / w(Y)`` (Radivojac et al.
    2013; weighted: Jiang et al. 2016).
    """

def coverage_score(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any | None = None,
    norm: Literal["cafa", "pred", "gt"] = "cafa",
    prop: Literal["max", "fill"] = "max",
    root: Any = "exclude",
    zero_weight: Literal["skip", "count"] = "skip",
    thresholds: float | Literal["distinct"] = "distinct",
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Share of the instances that have a prediction where F is best.

    Formula: ``share of the instances with w(Ŷ) > 0 at the threshold of Fmax`` (Radivojac et al.
    2013).
    """

def smin_loss(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy,
    *,
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any | None = None,
    norm: Literal["cafa", "pred", "gt"] = "cafa",
    prop: Literal["max", "fill"] = "max",
    root: Any = "exclude",
    zero_weight: Literal["skip", "count"] = "skip",
    thresholds: float | Literal["distinct"] = "distinct",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Smallest semantic distance of all thresholds; that of CAFA has weights='ia'.

    Formula: ``min over τ of √(ru(τ)² + mi(τ)²), ru the mean of w(Y ∖ Ŷ), mi that of w(Ŷ ∖ Y)``
    (Clark & Radivojac 2013; Jiang et al. 2016).
    """

def tree_wasserstein_cost(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    default: float | None = None,
    cost: Any = "hops",
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Wasserstein distance of both label sets, each with the mass 1 shared evenly by its labels.

    Formula: ``min over couplings of the masses 1/|Ŷ| and 1/|Y|: Σ mass · d(ŷ, y)`` (Kantorovich
    1942; on trees Evans & Matsen 2012; Le et al. 2019, NeurIPS).
    """

def simgic_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any | None = None,
    average: Literal["samples", "micro"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Similarity of graphs by information: the weighted Jaccard index of augmented sets.

    Formula: ``W(Ŷ_aug ∩ Y_aug) / W(Ŷ_aug ∪ Y_aug), W(S) = Σ w(c) over c ∈ S`` (Pesquita et al.
    2008 (simGIC); Gentleman 2005 (simUI: weights='ones')).
    """

def remaining_uncertainty_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any | None = None,
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Remaining uncertainty: the weight of true classes that are not predicted.

    Formula: ``Σ w(c) over c ∈ Y_aug ∖ Ŷ_aug`` (Clark & Radivojac 2013, §2).
    """

def misinformation_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any | None = None,
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Misinformation: the weight of predicted classes that are not true.

    Formula: ``Σ w(c) over c ∈ Ŷ_aug ∖ Y_aug`` (Clark & Radivojac 2013, §2).
    """

def semantic_distance_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    weights: Any = "ones",
    smooth: int = 1,
    reference: Any | None = None,
    average: Literal["micro", "samples"] = "micro",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Semantic distance: how far remaining uncertainty and misinformation are from nothing.

    Formula: ``√(ru² + mi²)`` (Clark & Radivojac 2013, §2 (k = 2)).
    """

def information_contrast_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    reference: Any | None = None,
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Information contrast: the information of what is shared, less that of what is not.

    Formula: ``W(Ŷ_aug ∩ Y_aug) − W(Ŷ_aug ∖ Y_aug) − W(Y_aug ∖ Ŷ_aug), w(c) = log₂(p(pa(c)) /
    p(c))`` (Amigó & Delgado 2022, §5).
    """

def normalised_information_contrast_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    reference: Any | None = None,
    average: Literal["micro"] = "micro",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Information contrast between that of minus the truth (0) and that of the truth (1).

    Formula: ``max(0, (ICM(Ŷ, Y) + ICM(Y, Y)) / (2 ICM(Y, Y))), of the means`` (EXIST 2023–2025,
    lab overviews).
    """
