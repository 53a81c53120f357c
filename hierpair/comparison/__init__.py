"""Systems and measures compared: intervals, tests, ranks, sensitivity, what measures respond to."""

from hierpair.comparison.agreements import Agreement, Clusters, agreement
from hierpair.comparison.conventions import Conclusion, Sensitivity, Variant, sensitivity
from hierpair.comparison.differences import DepthScores, Difference, Differences, by_depth, differ
from hierpair.comparison.perturbation import Draw
from hierpair.comparison.power import Discrimination, discrimination
from hierpair.comparison.responses import Response, perturbed, respond
from hierpair.comparison.statistics import (
    adjusted,
    cliffs_delta,
    cliques,
    differences_of,
    kendall_tau,
    rank_biserial,
    ranked,
    seed_interval,
    sign_test,
    signed_rank_test,
    t_test,
    tau_ap,
)
from hierpair.comparison.systems import Comparison, compare

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
    "Response",
    "Sensitivity",
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
    "t_test",
    "tau_ap",
]
