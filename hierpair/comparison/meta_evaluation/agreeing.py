"""Scores in, how far the measures agree out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, overload

import numpy as np

from hierpair.comparison.joined_scores import joined_scores
from hierpair.comparison.meta_evaluation.instance_agreement import (
    InstanceAgreement,
    instance_agreement,
)
from hierpair.comparison.meta_evaluation.rank_correlations import COEFFICIENTS
from hierpair.comparison.meta_evaluation.system_agreement import Agreement
from hierpair.comparison.meta_evaluation.system_evidence import system_evidence
from hierpair.comparison.shared_instances import common_notes, on_common
from hierpair.comparison.statistics.tests_by_name import Plan
from hierpair.errors import BadInput, check_choice, unknown
from hierpair.evaluation.partial import Partial
from hierpair.evaluation.processes import check_jobs
from hierpair.evaluation.scores import Scores

__all__ = ["agreement"]

Given = Scores | Partial | Sequence[Scores | Partial]


@overload
def agreement(
    scores: Given,
    coefficient: str = "kendall_b",
    *,
    of: Literal["systems"] = "systems",
    n_bootstrap: int = 2_000,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int = 1,
) -> Agreement: ...


@overload
def agreement(
    scores: Given,
    coefficient: str = "kendall_b",
    *,
    of: Literal["instances"],
    n_bootstrap: int = 2_000,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int = 1,
) -> InstanceAgreement: ...


def agreement(
    scores: Given,
    coefficient: str = "kendall_b",
    *,
    of: Literal["instances", "systems"] = "systems",
    n_bootstrap: int = 2_000,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int = 1,
) -> Agreement | InstanceAgreement:
    """Return how far measures agree: on the order of systems, or on the answers to instances.

    Parameters
    ----------
    scores
        Scores of at least two systems, partials, or a list of these.
    coefficient
        ``"kendall_b"``, ``"kendall_a"`` or ``"spearman"``; of scores, errors with their sign
        turned. Over instances it is always ``"kendall_b"``.
    of
        ``"systems"``: the rankings of the systems, with intervals over resampled instances (one
        set of weights for all systems and measures), the range with one system left out, with 10
        systems or more intervals over resampled systems, pairwise and soft pairwise accuracy, and
        AP correlation. ``"instances"``: the values of all instances, and the decisions between
        two systems on an instance: how many each measure makes, and how many two measures reverse.
    n_bootstrap
        Rounds, also of exchanges for soft pairwise accuracy; 0: the correlations alone.
    level, seed
        Of the intervals; of the random numbers.
    n_jobs
        Processes (needs the extra ``parallel``); the result does not depend on it.

    Returns
    -------
    Agreement or InstanceAgreement
        Over systems, or over instances; both have ``clusters()``.

    Raises
    ------
    BadInput
        For fewer than two systems, an undefined score, an unknown coefficient, or partials if it
        is over instances.

    Examples
    --------
    >>> from hierpair import Hierarchy, score
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("b", "c"), ("r", "d")])
    >>> systems = {"deep": [["c", "d"]], "high": [["a"]], "none": [[]]}
    >>> scores = score(tree, [["b"]], systems, ["hp", "hr", "hf"])
    >>> round(agreement(scores)["hp", "hr"], 3)
    0.333
    >>> decisions = agreement(scores, of="instances")
    >>> decisions.decided.round(2).tolist(), decisions.reversed_share[0].round(2).tolist()
    ([1.0, 1.0, 0.67], [0.0, 0.33, 0.0])
    """
    check_choice("of", of, ("systems", "instances"))
    if coefficient not in COEFFICIENTS:
        raise unknown("coefficient", coefficient, COEFFICIENTS)
    if of == "instances" and coefficient != "kendall_b":
        raise BadInput(
            f"over instances the coefficient is kendall_b, since values are tied; got {coefficient}"
        )
    Plan(n_bootstrap=n_bootstrap or 1, level=level, seed=seed)  # says what is wrong with a number
    check_jobs(n_jobs)
    joined = joined_scores(scores)
    if len(joined.systems) < 2:
        raise BadInput("a ranking needs at least two systems")
    joined = on_common(joined)
    notes = tuple(common_notes(joined))
    if of == "instances":
        return instance_agreement(joined, notes)
    undefined = np.argwhere(np.isnan(joined.values))
    if len(undefined):
        i, k = undefined[0]
        raise BadInput(f"the {joined.measures[k]} of {joined.systems[i]} is not defined (nan)")
    _, correlation = COEFFICIENTS[coefficient]
    signs = [1 if m.higher_is_better else -1 for m in joined.measures]
    upwards = (joined.values * signs).T
    values = np.array([[correlation(x, y) for y in upwards] for x in upwards])
    names, signatures = tuple(m.name for m in joined.measures), tuple(joined.signatures)
    evidence = None
    if n_bootstrap:
        evidence, lacking = system_evidence(joined, coefficient, n_bootstrap, level, seed, n_jobs)
        notes = (*notes, *lacking)
    return Agreement(names, values, coefficient, len(joined.systems), signatures, notes, evidence)
