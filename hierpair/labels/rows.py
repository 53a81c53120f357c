"""Labels as they were written: in a source, and beside the sets that they became."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy.arrays import Floats, Ints
from hierpair.hierarchy.building import plain_names
from hierpair.labels.coded import Coded, coded, taken
from hierpair.labels.naming import check_ids, split_path

__all__ = ["AsWritten", "LabelRows"]


@dataclass(frozen=True, eq=False)
class LabelRows:
    """The labels of every instance as they were written.

    Attributes
    ----------
    rows
        The labels of every instance, as lists or coded (:class:`Coded`, which they become); a blank
        field is the label ``""``. With ``levels`` each label is a path, a tuple of names from the
        top.
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
        The score of every label, row by row, if all have one.
    unused_scores
        Whether there were scores that no label was chosen by.
    header
        What to do if the first instance is a header; None where it cannot be one.
    from_file
        Whether labels were written by somebody who can be told about bars, lines and options.
    """

    rows: Sequence[list[Any]]
    where: Callable[[int, int], str]
    ids: list[Hashable] | None = None
    levels: bool = False
    hint: str = ""
    notes: tuple[str, ...] = ()
    bare: Sequence[int] = ()
    scores: Floats | None = None
    unused_scores: bool = False
    header: str | None = None
    from_file: bool = True

    @classmethod
    def in_memory(
        cls, rows: Sequence[Any], ids: Sequence[Hashable] | None = None, **more: Any
    ) -> LabelRows:
        """Return labels of instances that are told by their ids or positions."""
        if ids is not None:
            check_ids(ids, len(rows))
        names = None if ids is None else plain_names(ids)
        where = lambda i, k=0: f"instance {shown(i if names is None else names[i])}"  # noqa: E731
        return cls(rows, where, names, from_file=False, **more)

    @cached_property
    def coded(self) -> Coded:
        """The labels as pointer, codes and values."""
        return coded(self.rows).lists

    def place(self, entry: int, *, who: bool = False) -> str:
        """Return where an entry of ``coded`` stands, with the instance if it has an id."""
        i, k = self.coded.row_of(entry)
        named = f", instance {shown(self.ids[i])}" if who and self.ids else ""
        return f"{self.where(i, k)}{named}"

    def as_paths(self, separator: str) -> LabelRows:
        """Return the labels as paths: ``"a/b"`` is the class b below the class a.

        Raises
        ------
        BadInput
            For a blank label.
        """

        def path(label: Any, entry: int) -> tuple[Any, ...]:
            names = label if isinstance(label, tuple) else split_path(str(label), separator)
            if names == ("",):
                raise BadInput(f"{self.place(entry)}: a label is missing (got '')")
            return names

        rows = self.coded
        return replace(self, rows=replace(rows, values=rows.each(path)), levels=True)


@dataclass(frozen=True, eq=False)
class AsWritten:
    """The labels of instances as they came: in their order, with repeated ones, with paths.

    Kept where the sets alone do not tell it. Only measures that read root paths or break ties by
    the order of the labels use it.

    Attributes
    ----------
    ptr, classes
        Labels of instance ``i`` are ``classes[ptr[i]:ptr[i + 1]]``.
    node_ptr, nodes
        The path of label ``k`` is ``nodes[node_ptr[k]:node_ptr[k + 1]]``, from the top to its
        class; empty where no path was given. None where labels are classes.
    n_blank
        Number of blank labels of every instance, which were dropped on request, or None.
    """

    ptr: Ints
    classes: NDArray[np.int32]
    node_ptr: Ints | None = None
    nodes: NDArray[np.int32] | None = None
    n_blank: Ints | None = None

    def take(self, rows: NDArray[np.integer]) -> AsWritten:
        """Return these instances in this order; the row number -1 gives an empty one."""
        ptr, at = taken(self.ptr, rows)
        node_ptr = nodes = blank = None
        if self.node_ptr is not None and self.nodes is not None:
            node_ptr, inner = taken(self.node_ptr, at)
            nodes = self.nodes[inner]
        if self.n_blank is not None:
            blank = np.append(self.n_blank, 0)[rows]
        return AsWritten(ptr, self.classes[at], node_ptr, nodes, blank)
