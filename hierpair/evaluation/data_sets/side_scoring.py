"""Truth and systems in data sets of their own: read side by side, or joined by id first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from hierpair.evaluation.data_sets.dataset_scoring import score_dataset
from hierpair.evaluation.data_sets.value_parts import ValueParts
from hierpair.evaluation.partials.partial import Partial
from hierpair.evaluation.results.scores import Scores
from hierpair.io.datasets import DataSet, joined
from hierpair.io.datasets.zipping import OtherOrder, zipped

__all__ = ["score_sides"]


def score_sides(
    hierarchy: Any,
    truth: DataSet,
    systems: Mapping[str, DataSet],
    *,
    missing: Literal["error", "empty"] = "error",
    sample_weight: str | None = None,
    values: str | Path | None = None,
    folder: str | Path | None = None,
    on_note: Callable[[str], None] | None = None,
    **how: Any,
) -> Scores:
    """Score systems whose labels are in other data sets than the truth.

    Where the instances come in the same order everywhere, the data sets are read side by side, and
    every id is compared; otherwise they are joined by id first (extra ``join``).

    Parameters
    ----------
    hierarchy
        As for :func:`score_dataset`.
    truth, systems
        Data sets whose ``columns`` say which column holds the labels.
    missing
        What an instance without prediction is: an error, or an empty set.
    sample_weight
        A column of the truth.
    values
        As for :func:`score_dataset`.
    folder
        Where a join puts what does not fit in memory.
    on_note
        Called with a sentence on how instances are matched.
    how
        All else as for :func:`score_dataset`.

    Raises
    ------
    BadInput
        As :func:`score_dataset` and :func:`hierpair.io.datasets.joined`: instances that only one
        side has, ids that come twice, a join without the package that it needs.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from hierpair import Hierarchy
    >>> from hierpair.io.datasets import open_dataset
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, labels in (("truth", "bc"), ("mine", "bb")):
    ...         rows = [f"{i},{label}" for i, label in enumerate(labels)]
    ...         path = pathlib.Path(folder) / f"{name}.csv"
    ...         _ = path.write_text(chr(10).join(["id,label", *rows, ""]))
    ...     truth, mine = (open_dataset(f"{folder}/{name}.csv") for name in ("truth", "mine"))
    ...     score_sides(tree, truth, {"mine": mine}, measures="gie")["mine", "gie"]
    1.0
    """
    tell = on_note or (lambda _: None)
    if values is not None:
        for side in (truth, *systems.values()):
            ValueParts(str(values)).check_apart(side.source)
    both = None
    try:
        both = zipped(truth, systems)
        for note in both.notes:
            tell(note)
        return score_dataset(
            hierarchy, both.data, truth=both.truth, systems=both.systems, values=values,
            sample_weight=sample_weight, **how,
        )  # fmt: skip
    except OtherOrder:
        tell("the instances do not come in the same order everywhere; they are joined by id")
    if values is not None:
        parts = ValueParts(str(values))
        if both is not None:  # this run has written them; before it, they are somebody else's
            parts.remove()
        parts.prepare()  # not only after a long join
    with joined(
        truth, systems, missing=missing, sample_weight=sample_weight, folder=folder
    ) as table:
        scores = score_dataset(
            hierarchy, table.data, truth=table.truth, systems=table.systems, values=values,
            sample_weight=table.sample_weight, **how,
        )  # fmt: skip
    total = scores.partial
    if not isinstance(total, Partial):
        raise AssertionError
    sums = tuple(
        replace(
            one, n_missing=table.n_missing[name],
            unused_scores=one.unused_scores or name in table.unused_scores,
        )
        for name, one in zip(total.systems, total.sums, strict=True)
    )  # fmt: skip
    return replace(total, sums=sums).scores()
