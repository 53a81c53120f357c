"""Which conclusions survive all conventions, and which depend on one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.comparison.comparing import compare
from hierpair.comparison.convention_results import Sensitivity, Variant
from hierpair.comparison.shared_instances import common_notes, on_common
from hierpair.comparison.statistics.ranks import ranked
from hierpair.errors import BadInput
from hierpair.evaluation.checked import chosen_measures
from hierpair.evaluation.scores import Scores
from hierpair.evaluation.scoring import score
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.arrays import Ints
from hierpair.labels.naming import check_order
from hierpair.measures import OPTIONS, Measure

__all__ = ["sensitivity"]

MOST_VARIANTS = 500
"""More conventions of one measure than this are a mistake."""


@takes_hierarchy
def sensitivity(
    hierarchy: Hierarchy,
    y_true: Any,
    systems: Any,
    measures: Sequence[str | Measure] | str,
    *,
    vary: Mapping[str, Sequence[Any]] | None = None,
    test: str | None = "permutation",
    comparing: Mapping[str, Any] | None = None,
    **how: Any,
) -> Sensitivity:
    """Return how the ranking of systems changes with conventions.

    Every measure is scored under all combinations of the options that are varied and that it
    has. A conclusion about two systems survives if every combination finds it.

    Parameters
    ----------
    hierarchy, y_true, systems, measures
        As for :func:`hierpair.score`; a measure's own options are where it starts from.
    vary
        Values per option, such as ``{"root": ["exclude", "include"]}``; by default root, average,
        Dmax (``default``), path threshold and pairing mode, without combinations that a measure
        refuses, such as weights of classes under a path threshold.
    test
        A test of :func:`hierpair.compare`: a conclusion is a significant difference. With None it
        is a difference of the scores, however small, which needs no pairing of instances.
    comparing
        Further options of :func:`hierpair.compare`.
    how
        Further options of :func:`hierpair.score`.

    Raises
    ------
    BadInput
        For an option that none of the measures has, and as the two functions do.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c")])
    >>> found = sensitivity(tree, ["b", "c"], {"x": ["b", "b"], "y": ["a", "a"]}, ["hf"],
    ...                     vary={"root": ["exclude", "include"]}, test=None)
    >>> [(c.better, c.worse, c.verdict) for c in found.conclusions]
    [('x', 'y', 'survives all')]
    """
    given = chosen_measures(measures, {})
    records = OPTIONS | {
        name: option for m in given for name, option in m.definition.own_options.items()
    }
    varied: Mapping[str, Sequence[Any]] = {
        name: option.varied for name, option in records.items() if option.varied
    }
    if vary is not None:
        varied = {name: _checked_values(name, values, given) for name, values in vary.items()}
    listed = [
        (base, *found)
        for base, m in enumerate(given)
        for found in _variants(m, varied, all_must_be=vary is not None)
    ]
    several = list(dict.fromkeys(m for _, m, _ in listed))
    scores = on_common(score(hierarchy, y_true, systems, several, keep_classes=True, **how))
    outcomes, ranks, signature = _outcomes(scores, test, comparing or {})
    variants = []
    for base, m, chosen in listed:
        k = scores.measures.index(m)
        variants.append(Variant(m, base, chosen, scores.values[:, k], ranks[k], outcomes[k]))
    return Sensitivity(
        scores.systems, given, tuple(variants), signature, tuple(common_notes(scores))
    )


def _checked_values(
    option: str, values: Sequence[Any], measures: Sequence[Measure]
) -> tuple[Any, ...]:
    """Return the values that an option of these measures is to take."""
    check_order(values, f"the values of {option}")
    if not any(option in m.options for m in measures):
        raise BadInput(f"none of the measures has an option {option!r}")
    chosen = tuple(values)
    if not chosen:
        raise BadInput(f"no values are given for {option!r}")
    return chosen


def _variants(
    m: Measure, varied: Mapping[str, Sequence[Any]], *, all_must_be: bool
) -> list[tuple[Measure, dict[str, Any]]]:
    """Return a measure under all combinations of its options, the given ones first."""
    names = [name for name in varied if name in m.options]
    choices = []
    for name in names:
        possible = [v for v in varied[name] if name != "average" or v in m.definition.averages]
        choices.append(list(dict.fromkeys([m.options[name], *possible])))
    if np.prod([len(c) for c in choices]) > MOST_VARIANTS:
        raise BadInput(f"{m.name} would have more than {MOST_VARIANTS} conventions; vary fewer")
    found = list[tuple[Measure, dict[str, Any]]]()
    for combination in product(*choices):
        chosen = dict(zip(names, combination, strict=True))
        variant = m.with_options(**chosen)
        if all_must_be or not found or _is_possible(variant):
            found.append((variant, chosen))
    return found


def _is_possible(variant: Measure) -> bool:
    """Whether these options go together."""
    try:
        return bool(variant.recipe)
    except BadInput:
        return False


def _outcomes(
    scores: Scores, test: str | None, comparing: Mapping[str, Any]
) -> tuple[NDArray[np.int8], Ints, str]:
    """Return who is found better, and ranks, per measure."""
    signs = np.array([1 if m.higher_is_better else -1 for m in scores.measures])
    upwards = (scores.values * signs).T
    if len(scores.systems) < 2:
        raise BadInput("a ranking needs at least two systems")
    if test is None:
        if np.isnan(upwards).any():
            raise BadInput("a score is not defined (nan); leave the measure out")
        ahead = np.sign(upwards[:, :, None] - upwards[:, None, :])
        ranks = np.stack([ranked(row) for row in upwards])
        return ahead.astype(np.int8), ranks, "scores alone, no test"
    found = compare(scores, test=test, **comparing)
    ahead = np.sign(upwards[:, :, None] - upwards[:, None, :]) * found.significant
    return ahead.astype(np.int8), found.ranks.T, found.signature
