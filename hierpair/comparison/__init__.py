"""Systems and measures compared: intervals, tests, ranks, agreement, sensitivity, differences."""

from hierpair.comparison.comparing import compare
from hierpair.comparison.contrasts import DepthScores, Difference, Differences, by_depth, differ
from hierpair.comparison.convention_sensitivity import Conclusion, Sensitivity, Variant, sensitivity
from hierpair.comparison.measure_agreement import Agreement, agreement, kendall_tau, spearman_rho
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
    "Comparison",
    "Conclusion",
    "DepthScores",
    "Difference",
    "Differences",
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
    "kendall_tau",
    "rank_biserial",
    "ranked",
    "seed_interval",
    "sensitivity",
    "sign_test",
    "signed_rank_test",
    "spearman_rho",
    "t_test",
]
