"""Options that say how systems are compared, for all verbs that do."""

from __future__ import annotations

import argparse
from typing import Any

from hierpair.errors import BadInput

__all__ = ["STATISTICS", "runs_of", "statistics_of"]

STATISTICS = """\
# statistics
--test TEST               permutation, bootstrap, sign, sign_normal, wilcoxon, t, or runs
                          [default: permutation]
--correction NAME         holm, bonferroni, bh or none [default: holm]
--family NAME             what is corrected together: all pairs of one measure, or all
                          [default: measure]
--alpha A:float           level of significance [default: 0.05]
--level L:float           level of the confidence intervals [default: 0.95]
--interval NAME           percentile or bca [default: percentile]
--effect NAME             rank_biserial or cliffs_delta [default: rank_biserial]
--permutations N:int      random exchanges (default: 10000, more for many systems)
--bootstrap N:int         resamples [default: 2000]
--seed N:int              seed of the random numbers [default: 0]
--runs SYSTEM=RUN,RUN,…*  files that are runs of one system, such as seeds (once per system)"""
"""Tests, intervals, random numbers and runs."""


def statistics_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the keywords of ``compare`` that say how."""
    names = ("test", "correction", "family", "alpha", "level", "interval", "effect", "seed")
    chosen = {name: getattr(options, name) for name in names}
    return {**chosen, "n_permutations": options.permutations, "n_bootstrap": options.bootstrap}


def runs_of(given: list[str]) -> dict[str, list[str]]:
    """Return the runs of every system that has several."""
    runs: dict[str, list[str]] = {}
    for text in given:
        name, equals, named = text.partition("=")
        if not equals or not name:
            raise BadInput(f"cannot read the runs {text!r}; write SYSTEM=RUN,RUN once per system")
        if name in runs:
            raise BadInput(
                f"--runs: {name!r} is named twice; name all its runs at once ({name}=RUN,RUN)"
            )
        runs[name] = named.split(",")
    return runs
