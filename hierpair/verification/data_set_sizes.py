"""Sizes of a data set: classes at a level, levels, instances of a file."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.io import read_hierarchy, read_labels
from hierpair.verification.case_folders import data_folder
from hierpair.verification.published_numbers import Published, printed_value

__all__ = ["statistics_of"]

FORMULA = re.compile(r"(\w+)\((.*)\)")


def statistics_of(
    name: str, about: Mapping[str, Any], rows: Sequence[Published], data: str | Path | None
) -> list[float]:
    """Return the value of each row; NaN where the data are not there.

    ``classes_at(K)``: classes of the hierarchy K edges below the root; ``instances(FILE)``: of a
    file of JSON lines with labels. Both need the data folder. ``levels()`` and
    ``sum_of_levels()`` follow from what is printed for ``classes_at(…)`` of the same system.

    Raises
    ------
    BadInput
        For another formula, or data that cannot be read.
    """
    wanted = about["statistics"]
    try:
        folder = data_folder(name, wanted["data"], data)
    except BadInput:
        folder = None

    @cache
    def hierarchy() -> Hierarchy:
        assert folder is not None
        return read_hierarchy(folder / wanted["hierarchy"])

    def value(row: Published) -> float:
        found = FORMULA.fullmatch(row.measure)
        kind, inside = found.groups() if found else ("", "")
        if kind in ("levels", "sum_of_levels"):
            printed = [
                printed_value(other.printed)[0]
                for other in rows
                if other.system == row.system and other.measure.startswith("classes_at(")
            ]
            return float(len(printed) if kind == "levels" else sum(printed))
        if kind not in ("classes_at", "instances") or not inside:
            raise BadInput(f"cannot read {row.measure!r}; write it like classes_at(1)")
        if folder is None:
            return math.nan
        if kind == "instances":
            return float(len(read_labels(folder / inside, hierarchy(), fmt="jsonl")))
        return float(np.count_nonzero(hierarchy().depths == int(inside)))

    return [math.nan if row.expect == "needs data" else value(row) for row in rows]
