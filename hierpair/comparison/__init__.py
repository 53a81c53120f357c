"""Systems and measures compared: intervals, tests, ranks, sensitivity, what measures respond to."""

from hierpair.comparison.comparing import compare
from hierpair.comparison.contrasts import Difference, Differences, differ
from hierpair.comparison.convention_results import Conclusion, Sensitivity, Variant
from hierpair.comparison.convention_sensitivity import sensitivity
from hierpair.comparison.depth_scores import DepthScores, by_depth
from hierpair.comparison.meta_evaluation.agreeing import agreement
from hierpair.comparison.meta_evaluation.clusters import Clusters
from hierpair.comparison.meta_evaluation.discriminating import discrimination
from hierpair.comparison.meta_evaluation.discrimination import Discrimination
from hierpair.comparison.meta_evaluation.instance_agreement import InstanceAgreement
from hierpair.comparison.meta_evaluation.perturbation import Draw
from hierpair.comparison.meta_evaluation.rank_correlations import (
    kendall_tau,
    spearman_rho,
    tau_ap,
)
from hierpair.comparison.meta_evaluation.responding import perturbed, respond
from hierpair.comparison.meta_evaluation.response import Response
from hierpair.comparison.meta_evaluation.system_agreement import Agreement
from hierpair.comparison.meta_evaluation.system_evidence import SystemEvidence
from hierpair.comparison.result import Comparison
from hierpair.comparison.statistics.corrections import adjusted
from hierpair.comparison.statistics.intervals import seed_interval
from hierpair.comparison.statistics.paired_tests import (
    cliffs_delta,
    differences_of,
    rank_biserial,
    sign_test,
    signed_rank_test,
    t_test,
)
from hierpair.comparison.statistics.ranks import cliques, ranked

__all__ = [
    "Agreement",
    "Clusters",
    "Comparison",
    "Conclusion",
    "DepthScores",
    "Difference",
    "Differences",
    "Discrimination",
    "Draw",
    "InstanceAgreement",
    "Response",
    "Sensitivity",
    "SystemEvidence",
    "Variant",
    "adjusted",
    "agreement",
    "by_depth",
    "cliffs_delta",
    "cliques",
    "compare",
    "differ",
    "differences_of",
    "discrimination",
    "kendall_tau",
    "perturbed",
    "rank_biserial",
    "ranked",
    "respond",
    "seed_interval",
    "sensitivity",
    "sign_test",
    "signed_rank_test",
    "spearman_rho",
    "t_test",
    "tau_ap",
]
