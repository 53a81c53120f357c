"""What a source of labels says, before the hierarchy is asked."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hierpair.errors import BadInput
from hierpair.labels.coded import Coded, coded_lists

__all__ = ["LabelRows"]


@dataclass(frozen=True, eq=False)
class LabelRows:
    """The labels of every instance as they were written.

    Attributes
    ----------
    rows
        The labels of every instance; a blank field is the label ``""``. With ``levels`` each
        label is a path, a tuple of names from the top.
    where
        Tells where label ``k`` of instance ``i`` stands, or the instance itself with k = 0.
    ids
        Instance ids, or None where instances are known by their position.
    levels
        Whether labels are paths.
    hint
        Words to add to an error about a label, such as how the file was read.
    notes
        What a user should know beside the labels.
    bare
        Numbers of the instances whose text of labels is blank: no labels, or, where blank labels
        count, a single blank one.
    scores
        The score of every label of ``rows``, if all have one.
    unused_scores
        Whether there were scores that no label was chosen by.
    """

    rows: Sequence[list[Any]]
    where: Callable[[int, int], str]
    ids: list[Hashable] | None = None
    levels: bool = False
    hint: str = ""
    notes: tuple[str, ...] = ()
    bare: tuple[int, ...] = ()
    scores: list[list[float]] | None = None
    unused_scores: bool = False

    def as_paths(self, separator: str) -> LabelRows:
        """Return the labels as paths: ``"a/b"`` is the class b below the class a.

        Raises
        ------
        BadInput
            For a blank label.
        """
        rows = coded_lists(self.rows)
        flat = Coded(rows.codes, rows.labels)

        def path(label: Any, at: int) -> tuple[Any, ...]:
            names = label if isinstance(label, tuple) else tuple(str(label).split(separator))
            if names[0] == "" and len(names) > 1:
                names = names[1:]  # /a/b
            if names == ("",):
                i = int(np.searchsorted(rows.pointer, at, side="right")) - 1
                place = self.where(i, at - int(rows.pointer[i]))
                raise BadInput(f"{place}: a label is missing (got '')")
            return names

        return replace(self, rows=rows.with_labels(flat.each(path)), levels=True)
