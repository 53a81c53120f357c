# Written by docs/write_functions.py from the registry of measures.
from typing import Any, Literal

from hierpair.hierarchy import Hierarchy

__all__ = [
    "all_pairs_cost",
    "con_accuracy_score",
    "con_error",
    "con_f1_score",
    "con_fbeta_score",
    "con_precision_score",
    "con_recall_score",
    "depth_accuracy_score",
    "depth_euclidean_loss",
    "depth_weighted_loss",
    "descendant_f1_score",
    "descendant_fbeta_score",
    "descendant_precision_score",
    "descendant_recall_score",
    "flat_f1_score",
    "flat_fbeta_score",
    "flat_hamming_loss",
    "flat_precision_score",
    "flat_recall_score",
    "fnerror",
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
    "lca_f1_score",
    "lca_fbeta_score",
    "lca_precision_score",
    "lca_recall_score",
    "leaf_accuracy_score",
    "level_accuracy_score",
    "level_hamming_loss",
    "misclassification_cost",
    "multi_label_graph_induced_accuracy",
    "normalised_misclassification_cost",
    "shortest_path_cost",
    "subset_accuracy_score",
    "symmetric_difference_loss",
    "total_misclassification_cost",
    "tree_induced_error",
]

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
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Precision with contributions: near misses count in part, far ones count against it.

    Formula: ``max(0, TP + FpCon + FnCon) / (TP + FP + FnCon)`` (Sun & Lim 2001; Costa et al.
    2007, eq. 11).
    """

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
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Recall with contributions: near misses count in part, far ones count against it.

    Formula: ``max(0, TP + FpCon + FnCon) / (TP + FN + FpCon)`` (Sun & Lim 2001; Costa et al.
    2007, eq. 12).
    """

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
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""F-beta of precision and recall with contributions.

    Formula: ``(1 + β²) P R / (β² P + R) of con_precision P and con_recall R`` (Sun & Lim 2001;
    Costa et al. 2007, eqs 6, 11–12).
    """

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
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""F-beta of precision and recall with contributions.

    Here beta is 1. Formula: ``(1 + β²) P R / (β² P + R) of con_precision P and con_recall R``
    (Sun & Lim 2001; Costa et al. 2007, eqs 6, 11–12).
    """

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
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Accuracy with contributions, over all (instance, class) decisions.

    Formula: ``(TP + TN + FpCon + FnCon) / (TP + TN + FP + FN)`` (Sun & Lim 2001; Costa et al.
    2007, eq. 13 (per class, as its contributions are)).
    """

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
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
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

def descendant_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Share of the predicted subtree that belongs to the true one.

    Formula: ``|D(Ŷ) ∩ D(Y)| / |D(Ŷ)|, D: the classes and all below them`` (Ipeirotis et al.
    2001; Costa et al. 2007, eqs 18–19).
    """

def descendant_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Share of the true subtree that was predicted.

    Formula: ``|D(Ŷ) ∩ D(Y)| / |D(Y)|, D: the classes and all below them`` (Ipeirotis et al.
    2001; Costa et al. 2007, eqs 18–19).
    """

def descendant_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    root: Any = "include",
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""F-beta of descendant precision and recall, instance by instance.

    Formula: ``(1 + β²) |D(Ŷ) ∩ D(Y)| / (β² |D(Y)| + |D(Ŷ)|), D: the classes and all below
    them`` (Ipeirotis et al. 2001; Costa et al. 2007, eqs 18–19).
    """

def descendant_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    root: Any = "include",
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
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

def flat_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Flat precision: the share of predicted labels that are true.

    Formula: ``|Ŷ ∩ Y| / |Ŷ|`` (scikit-learn, sklearn.metrics.precision_score).
    """

def flat_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Flat recall: the share of true labels that are predicted.

    Formula: ``|Ŷ ∩ Y| / |Y|`` (scikit-learn, sklearn.metrics.recall_score).
    """

def flat_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Flat F-beta: the weighted harmonic mean of precision and recall.

    Formula: ``(1 + β²) |Ŷ ∩ Y| / (β² |Y| + |Ŷ|)`` (scikit-learn, sklearn.metrics.fbeta_score).
    """

def flat_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
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
) -> float:
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

def h_precision_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Hierarchical precision: the share of the augmented prediction that is true.

    Formula: ``|Ŷ_aug ∩ Y_aug| / |Ŷ_aug|`` (Kiritchenko et al. 2005; Kosmopoulos et al. 2014,
    §2.4, eqs 2–3).
    """

def h_recall_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Hierarchical recall: the share of the augmented truth that is predicted.

    Formula: ``|Ŷ_aug ∩ Y_aug| / |Y_aug|`` (Kiritchenko et al. 2005; Kosmopoulos et al. 2014,
    §2.4, eqs 2–3).
    """

def h_fbeta_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    beta: float = 1,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Hierarchical F-beta: the weighted harmonic mean of hierarchical precision and recall.

    Formula: ``(1 + β²) |Ŷ_aug ∩ Y_aug| / (β² |Y_aug| + |Ŷ_aug|)`` (Kiritchenko et al. 2005;
    Kosmopoulos et al. 2014, §2.4, eqs 2–3).
    """

def h_f1_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    augment: Literal["none", "ancestors", "descendants", "pruned"] = "ancestors",
    root: Any = "exclude",
    threshold: int | None = None,
    average: Literal["samples", "micro", "macro", "weighted"] = "samples",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
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
    average: Literal["samples"] = "samples",
    sample_weight: Any = None,
    unknown: Literal["error", "drop", "root"] = "error",
) -> float:
    r"""Symmetric difference loss: the number of classes that only one of the augmented sets has.

    Formula: ``|Ŷ_aug Δ Y_aug|`` (Kosmopoulos et al. 2014, §2.4 (l_Δ)).
    """
