"""Examining measures: which properties they have, with the least counterexamples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hierpair.errors import BadInput, shown
from hierpair.evaluation.checked import chosen_measures, refuse_counting
from hierpair.evaluation.processes import check_jobs
from hierpair.evaluation.progress import OnProgress, shown_progress
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.measures import Measure
from hierpair.verification.properties.examination import Examination
from hierpair.verification.properties.going_through import Plan, Tallies, tallies_of
from hierpair.verification.properties.hierarchy_parts import check_parts
from hierpair.verification.properties.outcomes import outcome_of
from hierpair.verification.properties.small_posets import check_scope
from hierpair.verification.properties.statement import PROPERTIES, Property, property_named

__all__ = ["examine"]

SEES, SEEN_FROM = "near_beats_far", 5
"""The property that an invariance is worth nothing without, and classes of its least witnesses."""


@takes_hierarchy
def examine(
    measures: Sequence[str | Measure] | str | Measure,
    *,
    properties: Iterable[str] | str | None = None,
    hierarchy: Hierarchy | None = None,
    scope: int = 5,
    samples: int = 2400,
    seed: int = 0,
    n_jobs: int = 1,
    on_progress: OnProgress = None,
) -> Examination:
    """Examine which properties measures have: by trying them, with the least counterexamples.

    Every hierarchy of a root and at most ``scope`` further classes is gone through with every
    pair of label sets, and random witnesses are drawn from larger ones. A property holds if no
    witness of either kind violates it.

    Parameters
    ----------
    measures
        Measures of label sets or their names. A verdict belongs to all options: others may have
        other properties.
    properties
        Names of properties, by default all; ``hierpair.verification.properties.PROPERTIES`` lists
        them, :func:`property_of_measures` adds others.
    hierarchy
        A hierarchy of your own: random witnesses are in parts of it, and in these with what a
        property builds into them. By default they are in any hierarchies.
    scope
        Most classes below the root of the hierarchies that are gone through, at most 6; 0: none.
    samples
        Random witnesses of every property; 0: none.
    seed
        Of the random witnesses. They depend on the property, the kind of hierarchy and their
        number besides, on nothing else that is asked for.
    n_jobs
        Processes; what is found is the same.
    on_progress
        As in :func:`hierpair.score`.

    Returns
    -------
    Examination
        ``found[measure, property]`` has ``verdict``, ``share``, ``counterexample``, …; as a whole
        it is a table in every form.

    Raises
    ------
    BadInput
        For unknown measures or properties, measures of scores, measures whose weights are counted
        from the truth, a ``limit`` that leaves instances unsolved, or a scope that is too large.

    Examples
    --------
    >>> found = examine(["gie", "hf"], properties=["add_right", "add_wrong"], scope=4, samples=0)
    >>> found["hf", "add_right"].verdict, found["hf", "add_right"].n
    ('holds', 4353)
    >>> worst = found["gie", "add_right"]
    >>> worst.verdict, round(worst.share, 2)
    ('violated', 0.34)
    >>> print(worst.counterexample)
    0→1, 0→2: expected gie({1}, {1, 2}) ≤ gie({1}, {2}); is 5 > 2
    """
    check_scope(scope)
    for name, value in (("samples", samples), ("seed", seed)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise BadInput(f"{name} must be a whole number ≥ 0, got {shown(value)}")
    if scope == samples == 0:
        raise BadInput("with scope=0 and samples=0 there is nothing to try; raise one of them")
    check_jobs(n_jobs)
    chosen = chosen_measures(measures, {})
    refuse_counting(chosen)
    for m in chosen:
        if m.options.get("limit") is not None:
            raise BadInput(
                f"{m.name}: with a limit some values are given up, so no property can be told; "
                "leave the limit out"
            )
    names = [properties] if isinstance(properties, (str, Property)) else properties
    wanted = tuple(dict.fromkeys(map(property_named, PROPERTIES if names is None else names)))
    if not wanted:
        raise BadInput("no property is named")
    invariant = any(p.invariance for p in wanted)
    tried = tuple(dict.fromkeys((*wanted, PROPERTIES[SEES]))) if invariant else wanted
    plan = Plan(
        chosen,
        tried,
        scope,
        samples,
        seed,
        {p.name: p.every for p in tried if p.every is not None},
        {p.name: p.drawn for p in tried if p.drawn is not None},
        None if hierarchy is None else check_parts(hierarchy),
    )
    with shown_progress(on_progress, "part") as tell:
        tallies = tallies_of(plan, n_jobs, tell)
    blind = _blind(plan, tallies) if invariant else set()
    outcomes = {
        (k, p.name): outcome_of(m, p, tallies[k, p.name], blind=k in blind)
        for k, m in enumerate(chosen)
        for p in wanted
    }
    return Examination(chosen, wanted, outcomes, scope, samples, seed, hierarchy)


def _blind(plan: Plan, tallies: Tallies) -> set[int]:
    """Return the numbers of the measures that never prefer a near miss to a far one.

    Its smallest witnesses have five classes, so these are gone through whatever the scope.
    """
    more: Tallies = {}
    if plan.scope < SEEN_FROM:
        small = replace(plan, properties=(PROPERTIES[SEES],), scope=SEEN_FROM)
        more = tallies_of(replace(small, samples=0))
    blind = set()
    for k in range(len(plan.measures)):
        verdicts = {x[k, SEES].whole.verdict for x in (tallies, more) if x} - {"undefined"}
        if verdicts == {"always violated"}:
            blind.add(k)
    return blind
