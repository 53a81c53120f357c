"""Systems and measures compared: intervals, tests, ranks, agreement, sensitivity, differences."""

from hierpair.comparison.agreement import Agreement, agreement, kendall_tau, spearman_rho
from hierpair.comparison.comparing import compare
from hierpair.comparison.corrections import adjusted
from hierpair.comparison.paired import (
    cliffs_delta,
    differences_of,
    rank_biserial,
    sign_test,
    signed_rank_test,
    t_test,
)
from hierpair.comparison.ranks import cliques, ranked
from hierpair.comparison.result import Comparison

__all__ = [
    "Agreement",
    "Comparison",
    "adjusted",
    "agreement",
    "cliffs_delta",
    "cliques",
    "compare",
    "differences_of",
    "kendall_tau",
    "rank_biserial",
    "ranked",
    "sign_test",
    "signed_rank_test",
    "spearman_rho",
    "t_test",
]
