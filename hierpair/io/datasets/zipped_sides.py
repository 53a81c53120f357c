"""One data set among several that are read side by side: a row per instance, under new names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hierpair.io.datasets.batch_labels import Ids, ids_of
from hierpair.io.datasets.parts import DataPart, DataSet, OnDemand, PartReader, PartRows
from hierpair.labels import Columns, column_rows
from hierpair.labels.columns import LABEL_NAMES, SCORE_NAMES, column_named, found_column

__all__ = ["Piece", "Side", "side_of"]

BETWEEN = "\x1f"
"""Between the names of a path that was given level by level; no name holds it."""


@dataclass(frozen=True)
class Piece:
    """Some rows of a part: all but the first ``skip``, and at most ``most`` (None: all)."""

    part: DataPart
    skip: int = 0
    most: int | None = None


@dataclass(frozen=True)
class Side:
    """A data set whose columns have other names among those of several.

    Attributes
    ----------
    name
        The name of the system; None for the truth.
    reader, given
        What reads its parts, and what the columns there mean; the labels are named.
    score
        The column of scores there, or None.
    columns
        New names and names there; those of the truth stay.
    ids
        The new name of the column of ids, or None.
    meaning
        What the new columns mean, of which every row is an instance.
    """

    name: str | None
    reader: PartReader
    given: Columns
    score: str | None
    columns: tuple[tuple[str, str], ...]
    ids: str | None
    meaning: Columns

    def rows(self, pieces: Sequence[Piece], names: set[str] | None) -> Iterator[PartRows]:
        """Yield a row per instance, under the new names."""
        wanted = {
            new: old
            for new, old in self.columns
            if names is None or new in names or new == self.ids
        }
        if self.given.long:
            read = [*self.given.labels, *([self.score] if self.score else [])]
        else:
            read = list(wanted.values())
        for piece in pieces:
            skip, most = piece.skip, piece.most
            for rows in self.reader.read(piece.part, read):
                found = self._gathered(rows) if self.given.long else self._renamed(rows, wanted)
                low = min(skip, found.n_rows)
                high = found.n_rows if most is None else min(found.n_rows, low + most)
                skip -= low
                most = None if most is None else most - (high - low)
                if high > low:
                    yield found.between(low, high)
                if most == 0:
                    break

    def ids_in(self, rows: PartRows) -> Ids:
        """Return the ids of rows of this side."""
        return ids_of(replace(rows, meaning=Columns(ids=self.ids)))

    def _check(self, rows: PartRows) -> None:
        if rows.check is not None and len(self.given.labels) == 1:
            rows.check(self.given.labels[0])

    def _renamed(self, rows: PartRows, wanted: Mapping[str, str]) -> PartRows:
        self._check(rows)
        columns = rows.columns
        there = [new for new, old in wanted.items() if old in columns]
        return replace(rows, columns=OnDemand(there, lambda new: columns[wanted[new]]), check=None)

    def _gathered(self, rows: PartRows) -> PartRows:
        """Return a row per instance, its labels as a list."""
        self._check(rows)
        given = replace(self.given, where=())
        found = column_rows(rows.columns, given, rows.place, source=rows.part.path)
        lists, where = found.coded, found.where
        if found.levels:
            lists = replace(lists, values=[BETWEEN.join(map(str, path)) for path in lists.values])
        columns: dict[str, Any] = {self.meaning.labels[0]: lists, str(self.ids): found.ids}
        return replace(
            rows,
            columns=columns,
            n_rows=len(lists),
            place=lambda i: where(i, 0),
            meaning=Columns(ids=self.ids),
            check=None,
        )


def side_of(name: str | None, data: DataSet, taken: Mapping[str, Any]) -> Side:
    """Return a data set as one side; columns of a system get its name before theirs."""
    given, table = data.columns, _as_table(data.names)
    usual = found_column(table, LABEL_NAMES, data.source) if not given.labels else None
    labels = given.labels or (usual or LABEL_NAMES[0],)
    for label in labels:
        column_named(table, label, (), "label", data.source, needed=True)
    # as in whole tables: where columns of labels are named, a score may belong to any of them
    sought = () if given.labels and not given.long else SCORE_NAMES
    score = given.score or found_column(table, sought, data.source)
    new = {}
    for old in data.names:
        new[old] = old if name is None else f"{name}: {old}"
        while name is not None and new[old] in taken:
            new[old] += "'"
    meaning = Columns(
        labels=tuple(new[label] for label in labels),
        separator=given.separator,
        paths=given.paths,
        each=given.each,
        score=None if score is None or given.min_score is not None else new[score],
    )
    if given.long:
        paths = BETWEEN if len(labels) > 1 else given.paths
        meaning = replace(meaning, labels=(new[labels[0]],), paths=paths)
    return Side(
        name,
        data.reader,
        replace(given, labels=labels),
        score,
        tuple((new[old], old) for old in data.names),
        None if given.ids is None else new[given.ids],
        meaning,
    )


def _as_table(names: Sequence[str]) -> dict[str, Any]:
    return dict.fromkeys(names)
