"""Labels in, a partial out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.evaluation.checked import (
    check_policy,
    check_weight,
    chosen_measures,
    refuse_counting,
)
from hierpair.evaluation.partials.blocks import block_numbers, block_sums
from hierpair.evaluation.partials.exact_sums import exact_sum, in_units
from hierpair.evaluation.partials.files_read import files_read
from hierpair.evaluation.partials.partial import Partial
from hierpair.evaluation.partials.partial_data import SystemSums
from hierpair.evaluation.partials.totals import Plan
from hierpair.evaluation.partials.worst_kept import worst_of
from hierpair.evaluation.processes import check_jobs
from hierpair.evaluation.progress import OnProgress, shown_progress
from hierpair.evaluation.systems import (
    Task,
    labels_of_frame,
    named_systems,
    weighted_labels,
)
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.labels import LabelSets, Unknown
from hierpair.measures import Measure
from hierpair.measures.recipes.pairings import named_pairs_of
from hierpair.pairing import OrderOfPairs

__all__ = ["Kept", "Places", "partial", "partial_of", "summed"]

MOST_BLOCKS = 2**20
"""Sums are laid out by block; no estimate of a standard error needs as many."""

Places = Mapping[int, NDArray[np.int64]]
"""By number of a measure, the instances that have no pairing."""


@dataclass(frozen=True)
class Kept:
    """What a partial keeps of instances on request; see :func:`partial`."""

    worst: int = 0
    blocks: int = 0
    block_seed: int = 0

    def check(self, *, has_ids: bool) -> None:
        """Refuse numbers that mean nothing, and what cannot be told without ids."""
        given = {"keep_worst": self.worst, "blocks": self.blocks, "block_seed": self.block_seed}
        for name, n in given.items():
            end = {"block_seed": 2**64, "blocks": MOST_BLOCKS + 1}.get(name, 2**31)
            if not isinstance(n, int) or isinstance(n, bool) or not 0 <= n < end:
                raise BadInput(f"{name} must be a whole number from 0, below {end}, got {shown(n)}")
            if n and not has_ids:
                raise BadInput(
                    f"{name} tells instances by their ids, and these have none; give the truth "
                    "with ids: {id: labels}, or files with a column of ids"
                )


@takes_hierarchy
def partial(
    hierarchy: Hierarchy,
    y_true: Any,
    systems: Any,
    measures: Iterable[str | Measure] | str | Measure,
    *,
    part: str | None = None,
    sample_weight: Any = None,
    unknown: Unknown = "error",
    missing: Literal["error", "empty"] = "error",
    on_infeasible: Literal["raise", "nan"] = "raise",
    chunk: int | None = None,
    n_jobs: int = 1,
    on_progress: OnProgress = None,
    keep_worst: int = 0,
    blocks: int = 0,
    block_seed: int = 0,
    **conventions: Any,
) -> Partial:
    """Return what the instances of one part leave behind.

    Parameters
    ----------
    hierarchy
        The classes.
    y_true, systems
        Labels of this part, as for :func:`hierpair.score`: ``{name: y_pred}``, or one ``y_pred``
        (not a dict), which is called ``system``.
    measures
        Measures or their names.
    part
        An id of the part, by which merging notices that it comes a second time; without one
        nothing can be noticed.
    sample_weight, unknown, missing, on_infeasible, chunk, n_jobs, on_progress, conventions
        As for :func:`hierpair.score`.
    keep_worst
        How many instances with the worst values are kept by system and measure, for
        :meth:`Scores.worst`; of equal values, those whose ids come first as texts.
    blocks
        Put every instance into one of so many blocks (up to 2²⁰), by a hash of its id and
        ``block_seed``, and keep exact sums by block, of means over instances and micro averages,
        so that :func:`hierpair.compare` can compare the systems. Averages over classes keep none.
    block_seed
        A whole number from 0 to 2⁶⁴ - 1.

    Raises
    ------
    BadInput
        For labels that do not fit (see :class:`LabelSets`), bad weights, or worst instances and
        blocks of instances without ids.
    Infeasible
        If a pairing rule cannot be met, unless ``on_infeasible="nan"``; the message names the
        instance.

    Examples
    --------
    >>> from hierpair.evaluation import merge
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> one = partial(tree, [["b"]], {"mine": [["b"]]}, ["hf", "gie"], part="monday")
    >>> two = partial(tree, [["b"]], {"mine": [["c"]]}, ["hf", "gie"], part="tuesday")
    >>> found = merge(one, two).scores()
    >>> found["mine", "hf"], found["mine", "gie"]
    (0.75, 1.0)
    """
    check_jobs(n_jobs, forks=True)
    check_policy(on_infeasible)
    chosen = chosen_measures(measures, conventions, of_scores="sums")
    refuse_counting(chosen)
    if part is not None and (not isinstance(part, str) or not part):
        raise BadInput(f"part must be a text, got {shown(part)}")
    if hasattr(systems, "columns"):
        y_true, systems = labels_of_frame(hierarchy, y_true, systems, unknown)
    truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
    named = named_systems(systems, truth)
    weight = check_weight(sample_weight, len(truth))
    keep = Kept(keep_worst, blocks, block_seed)
    keep.check(has_ids=truth.ids is not None)
    with shown_progress(on_progress, "instance") as tell:
        task = Task(
            hierarchy, chosen, truth, weight, unknown, missing, on_infeasible, chunk,
            keep="columns" if blocks else "nothing", n_jobs=n_jobs, on_progress=tell,
        )  # fmt: skip
        whole = summed(task, named, [str(name) for name in truth.ids or ()], keep)
    return whole if part is None else whole.as_part(part)


def summed(
    task: Task,
    named: Mapping[str, Any],
    ids: Sequence[str],
    keep: Kept,
    on_values: Callable[[str, NDArray[np.float64]], None] | None = None,
) -> Partial:
    """Return what the instances of a task leave behind, without a part; ``ids`` may be empty.

    Where blocks are kept, the task keeps columns. ``on_values`` is called with every system and
    the values of the instances, a column per measure, which a partial does not keep.
    """
    chosen, n_blocks = task.measures, keep.blocks
    order, sums, left_out = OrderOfPairs(), dict[str, SystemSums](), list[Places]()
    numbers = block_numbers(ids, n_blocks, keep.block_seed) if n_blocks else None
    for name, _, of_system, found in task.systems(named, order):
        worst = worst_of(chosen, found.values, ids, keep.worst) if keep.worst else ()
        by_block = (
            None if numbers is None
            else block_sums(chosen, found, task.weight, numbers, n_blocks)
        )  # fmt: skip
        sums[name] = replace(of_system, worst=worst, blocks=by_block)
        left_out.append(found.infeasible)
        if on_values is not None:
            on_values(name, found.values)
    return replace(
        partial_of(task, sums, left_out, order),
        keep_worst=keep.worst,
        n_blocks=n_blocks,
        block_seed=keep.block_seed,
        ids={"": (min(ids), max(ids))} if len(ids) else {},
    )


def partial_of(
    task: Task,
    sums: Mapping[str, SystemSums],
    left_out: Sequence[Places],
    order: OrderOfPairs,
    *,
    to_merge: bool = True,
) -> Partial:
    """Return what all systems leave behind, and the truth that they share.

    What is not ``to_merge`` has no digests of the hierarchy, which take their time.
    """
    hierarchy, truth, plan = task.hierarchy, task.truth, Plan(task.measures)
    by_class = any(plan.columns_by_class(i) for i in range(len(plan.recipes)))
    pairs = [pair for some in named_pairs_of(task.measures) for pair in some.names]
    known = range(len(pairs))
    return Partial(
        fingerprint=hierarchy.fingerprint if to_merge else "",
        hierarchy=hierarchy.describe(),
        numbering=hierarchy.numbering if by_class and to_merge else "",
        measures=task.measures,
        systems=tuple(sums),
        sums=tuple(sums.values()),
        n_instances=len(truth),
        weight=in_units(len(truth)) if task.weight is None else exact_sum(task.weight),
        n_labels=weighted_labels(truth, task.weight),
        n_unknown=truth.n_unknown,
        uneven=tuple(_uneven(left_out, k) for k in range(len(task.measures))),
        doubts=tuple(hierarchy.doubts),
        files=files_read(task.measures) if to_merge else {},
        in_order=frozenset(i for i in known if pairs[i] in order.right),
        turned={
            i: str(order.turned[pairs[i]])
            for i in known
            if pairs[i] in order.turned and pairs[i] not in order.right
        },
    )


def _uneven(left_out: Sequence[Places], k: int) -> int:
    """Return how many instances have no pairing under some of the systems only."""
    places = [places[k] for places in left_out if k in places]
    times = np.unique(np.concatenate(places), return_counts=True)[1] if places else np.zeros(0)
    return int((times < len(left_out)).sum())
