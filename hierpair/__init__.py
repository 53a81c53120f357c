"""hierpair: every published measure for hierarchical classification, exact and explained."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hierpair._version import __version__

if TYPE_CHECKING:
    from hierpair.comparison import (
        Agreement,
        Comparison,
        Differences,
        Sensitivity,
        agreement,
        by_depth,
        compare,
        differ,
        seed_interval,
        sensitivity,
    )
    from hierpair.errors import BadInput, HierpairError, Infeasible, SolverLimit
    from hierpair.evaluation import Accumulator, Scores, score
    from hierpair.explanation import Explanation, explain, explain_worst
    from hierpair.hierarchy import Hierarchy
    from hierpair.io import (
        parse_hierarchy,
        parse_labels,
        read_hierarchy,
        read_labels,
        write_hierarchy,
        write_labels,
    )
    from hierpair.labels import Columns, LabelSets
    from hierpair.measures import Counts, Measure, measure, pair_measure, set_measure
    from hierpair.metrics import (
        ClassContributions,
        ConfusionMatrix,
        all_pairs_cost,
        con_accuracy_score,
        con_error,
        con_fbeta_score,
        con_precision_score,
        con_recall_score,
        contributions_by_class,
        depth_accuracy_score,
        depth_weighted_loss,
        descendant_fbeta_score,
        descendant_precision_score,
        descendant_recall_score,
        graph_induced_error,
        h_fbeta_score,
        h_loss,
        h_precision_score,
        h_recall_score,
        hierarchical_confusion_matrix,
        lca_fbeta_score,
        lca_precision_score,
        lca_recall_score,
        misclassification_cost,
        multi_label_graph_induced_accuracy,
        score_like,
        symmetric_difference_loss,
        tree_induced_error,
    )
    from hierpair.pairing import (
        AS_MANY_AS_THERE_ARE,
        AncestorDifference,
        Cardinality,
        CosineDistance,
        CostMatrix,
        DecayedEdges,
        Degree,
        EdgeWeights,
        Forbid,
        Groups,
        Hops,
        Lexicographic,
        Lin,
        MaxDistance,
        Pairing,
        Pairs,
        Require,
        Resnik,
        Rule,
        Unmatched,
        WuPalmer,
        build,
        by_level,
        by_subtree,
        formulate,
        read,
        solve_pairing,
    )
    from hierpair.plots import (
        AgreementDisplay,
        DepthDisplay,
        IntervalDisplay,
        RankDisplay,
        SignificanceDisplay,
        plot_curves,
        plot_neighbourhood,
        plot_pairing,
        save_picture,
    )
    from hierpair.probabilistic import (
        Curves,
        Decoded,
        DecodingCertificate,
        Expected,
        Head,
        LabelDistribution,
        LinearHead,
        NodeScores,
        PooledCurve,
        apply_threshold,
        decode,
        decode_depth_cost,
        decode_distance,
        decode_edge_cost,
        decode_gie,
        decode_h_loss,
        decode_hamming,
        decode_hf,
        decode_hp,
        decode_hr,
        decode_micro_hf,
        decode_most_probable,
        decode_node_cost,
        decode_pairing,
        decode_set_value,
        expected,
        pooled_curve,
        precision_recall_curves,
        read_distribution,
        read_scores,
        sibling_shares,
        walk_down,
    )
    from hierpair.solvers import check, solve
    from hierpair.verification import Case, Verification, load_case, verify, verify_claims

HOMES = {
    "comparison": [
        "Agreement", "Comparison", "Differences", "Sensitivity", "agreement", "by_depth",
        "compare", "differ", "seed_interval", "sensitivity",
    ],
    "errors": ["BadInput", "HierpairError", "Infeasible", "SolverLimit"],
    "evaluation": ["Accumulator", "Scores", "score"],
    "explanation": ["Explanation", "explain", "explain_worst"],
    "hierarchy": ["Hierarchy"],
    "io": [
        "parse_hierarchy", "parse_labels", "read_hierarchy", "read_labels", "write_hierarchy",
        "write_labels",
    ],
    "labels": ["Columns", "LabelSets"],
    "measures": ["Counts", "Measure", "measure", "pair_measure", "set_measure"],
    "metrics": [
        "ConfusionMatrix", "hierarchical_confusion_matrix",
        "all_pairs_cost", "graph_induced_error", "h_fbeta_score", "h_precision_score",
        "h_recall_score", "lca_fbeta_score", "lca_precision_score", "lca_recall_score",
        "multi_label_graph_induced_accuracy", "symmetric_difference_loss", "tree_induced_error",
        "ClassContributions", "con_accuracy_score", "con_error", "con_fbeta_score",
        "con_precision_score", "con_recall_score", "contributions_by_class",
        "depth_accuracy_score", "depth_weighted_loss", "descendant_fbeta_score",
        "descendant_precision_score", "descendant_recall_score", "h_loss",
        "misclassification_cost", "score_like",
    ],
    "pairing": [
        "AS_MANY_AS_THERE_ARE", "AncestorDifference", "CosineDistance", "DecayedEdges", "Unmatched",
        "EdgeWeights", "Forbid", "Hops", "Lexicographic", "Lin", "MaxDistance", "Pairs", "Degree",
        "CostMatrix", "Require", "Resnik", "Rule", "Cardinality", "Groups", "WuPalmer", "by_level",
        "Pairing", "build", "read", "solve_pairing",
        "by_subtree", "formulate",
    ],
    "plots": [
        "AgreementDisplay", "DepthDisplay", "IntervalDisplay", "RankDisplay",
        "SignificanceDisplay", "plot_curves", "plot_neighbourhood", "plot_pairing",
        "save_picture",
    ],
    "probabilistic": [
        "Curves", "Decoded", "DecodingCertificate", "Expected", "Head", "LabelDistribution", "LinearHead",
        "NodeScores", "PooledCurve", "apply_threshold", "decode", "decode_depth_cost",
        "decode_distance", "decode_edge_cost", "decode_gie", "decode_h_loss", "decode_hamming",
        "decode_hf", "decode_hp", "decode_hr", "decode_micro_hf", "decode_most_probable",
        "decode_node_cost", "decode_pairing", "decode_set_value", "expected", "pooled_curve",
        "precision_recall_curves", "read_distribution", "read_scores", "sibling_shares", "walk_down",
    ],
    "solvers": ["check", "solve"],
    "verification": ["Case", "Verification", "load_case", "verify", "verify_claims"],
}  # fmt: skip
"""Where the public names live; modules are imported when a name is first used."""

__all__ = ["__version__", *(name for names in HOMES.values() for name in names)]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    for module, names in HOMES.items():
        if name in names:
            return getattr(import_module(f"hierpair.{module}"), name)
    raise AttributeError(f"module 'hierpair' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
