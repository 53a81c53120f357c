"""Labels in data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hierpair.errors import BadInput, did_you_mean, listed
from hierpair.hierarchy.sources import known_frame
from hierpair.labels.columns import ID_NAMES, Columns, column_rows, found_column
from hierpair.labels.naming import check_order
from hierpair.labels.rows import LabelRows

__all__ = ["frame_rows", "label_columns"]


def frame_rows(frame: Any, columns: Columns) -> LabelRows:
    """Return the labels of a data frame (needs the extra ``dataframe``)."""
    table = _Lazily(known_frame(frame))
    return column_rows(table, columns, lambda i: f"row {i}", source="the frame", as_text=False)


def label_columns(frame: Any, columns: Sequence[str] | None, ids: str | None) -> list[str]:
    """Return the columns of a frame that hold labels: those named, or all but the ids."""
    names = list(known_frame(frame).columns)
    if isinstance(columns, str):
        raise BadInput(f"columns must be a list of names, got the text {columns!r}")
    check_order(columns, "columns")
    if columns is None:
        key = ids if ids is not None else found_column(dict.fromkeys(names), ID_NAMES, "the frame")
        return [name for name in names if name != key]
    absent = next((name for name in columns if name not in names), None)
    if absent is not None:
        near = did_you_mean(absent, names)
        raise BadInput(f"the frame: there is no column {absent!r}{near}; there are {listed(names)}")
    return list(columns)


class _Lazily(Mapping[str, Sequence[Any]]):
    """The columns of a frame as lists, made when they are asked for."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __getitem__(self, name: str) -> list[Any]:
        values: list[Any] = self.frame[name].to_list()
        return values

    def __iter__(self) -> Any:
        return iter(self.frame.columns)

    def __len__(self) -> int:
        return len(self.frame.columns)
