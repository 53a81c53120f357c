"""Which measure: needs from data and from the user in, measures with evidence out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hierpair.errors import BadInput
from hierpair.evaluation.checked import chosen_measures
from hierpair.evaluation.progress import OnProgress
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.labels import LabelSets, Unknown
from hierpair.measures import Measure, measure
from hierpair.verification.advice_result import Advice
from hierpair.verification.label_facts import facts_of
from hierpair.verification.need_evidence import advised
from hierpair.verification.needs import NEEDS, Need, needs_named, needs_of
from hierpair.verification.properties import examine

__all__ = ["advise"]

SCOPE, SAMPLES = 5, 480
"""What is gone through and drawn for advice: enough to see a violation of more than 5 %."""


@takes_hierarchy
def advise(
    hierarchy: Hierarchy | None = None,
    y_true: Any = None,
    *,
    needs: Iterable[str | Need] | str | Need | None = None,
    measures: Sequence[str | Measure] | str | Measure | None = None,
    scope: int = SCOPE,
    samples: int = SAMPLES,
    seed: int = 0,
    unknown: Unknown = "error",
    n_jobs: int = 1,
    on_progress: OnProgress = None,
) -> Advice:
    """Advise which measure to use, with the evidence for and against each.

    Tree or DAG, numbers of labels, inner classes as labels, coherence, depths and empty sets are
    read from the data; what data cannot say is asked by ``needs``. A need is a set of properties,
    and all measures that come into question are examined for them, so the advice is derived from
    what the measures do. A need is met where each of its properties is violated by at most 5 % of
    the witnesses in small hierarchies, and by at most 5 % of the random ones.

    Parameters
    ----------
    hierarchy, y_true
        The classes, and the true labels in any form that :func:`hierpair.score` takes; without
        them only the needs count.
    needs
        Names of needs (``hierpair.verification.NEEDS``) or of properties, most important first;
        those that the data show come after them.
    measures
        Measures that are compared, also your own; by default those that the needs name.
    scope, samples, seed, n_jobs, on_progress
        As for :func:`hierpair.examine`.
    unknown
        What to do with labels outside the hierarchy, as for :func:`hierpair.score`.

    Returns
    -------
    Advice
        Measures ranked by the first need, in the order of the needs, that one meets and the other
        does not; each with needs that are met and violated, least cases, cautions, and what papers
        recommend.

    Raises
    ------
    BadInput
        For unknown needs or measures, needs that exclude each other, true labels without a
        hierarchy, or labels that cannot be read.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> found = advise(tree, ["c", "d", "b"], samples=0)
    >>> [need.name for need in found.needs], found.best.name
    (['nearness'], 'hf')
    >>> found["f"].rank > found["hf"].rank
    True
    >>> print(found["f"].violations[0].case)
    0→1→2, 1→3, 0→4→5: expected f({2}, {3}) > f({2}, {5}); is 0 = 0
    """
    if y_true is not None and hierarchy is None:
        raise BadInput("give the hierarchy of these labels too")
    facts = None
    if hierarchy is not None:
        truth = None
        if y_true is not None:
            truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
        facts = facts_of(hierarchy, truth)
    asked = needs_named(needs)
    wanted = (*asked, *needs_of(facts, asked))
    if not any(need.asked for need in wanted):
        wanted = tuple(dict.fromkeys((*wanted, NEEDS["report"])))
    chosen = _candidates(measures, wanted)
    properties = tuple(dict.fromkeys(name for need in wanted for name in need.asked))
    examined = None
    if properties:
        examined = examine(
            chosen, properties=properties, scope=scope, samples=samples, seed=seed, n_jobs=n_jobs,
            on_progress=on_progress,
        )  # fmt: skip
    ranked = advised(chosen, wanted, examined, facts)
    return Advice(ranked, wanted, len(asked), facts, examined, (scope, samples, seed))


def _candidates(
    given: Sequence[str | Measure] | str | Measure | None, needs: Iterable[Need]
) -> tuple[Measure, ...]:
    """Return the measures that are compared: those that were given, or that the needs name.

    Of properties alone no need names any: then all that the table of advice names.
    """
    if given is not None:
        return chosen_measures(given, {})
    needs = list(needs)
    named = [name for need in needs for name in (*need.first, *need.avoid)]
    if not named:
        named = [name for need in NEEDS.values() for name in (*need.first, *need.avoid)]
    return tuple(dict.fromkeys(map(measure, named)))
