"""From names to class numbers, and what becomes of names that are no class."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers
from hierpair.labels.coded import Coded, CodedLists, all_distinct, coded_lists
from hierpair.labels.naming import PathNames, is_missing, numbers_of, single_root
from hierpair.labels.rows import AsWritten, LabelRows

__all__ = ["GO_ON", "Resolved", "Unknown", "remedy_for", "resolve_numbers", "resolve_rows"]

Unknown = Literal["error", "drop", "root"]


@dataclass(frozen=True, eq=False)
class Resolved:
    """Class numbers of all labels, row by row, and how many labels were no class.

    ``as_written`` holds paths, or blanks that were dropped, where there were some.
    """

    pointer: NDArray[np.int64]
    numbers: NDArray[np.int64]
    n_unknown: int
    as_written: AsWritten | None = None

    def sorted_in(self, rows: list[int]) -> Resolved:
        """Return the labels ascending in these rows, which came as sets, in any order."""
        if not rows or self.as_written is not None:
            return self
        owner = row_numbers(self.pointer)
        loose = np.zeros(len(self.pointer) - 1, dtype=bool)
        loose[rows] = True
        at = np.flatnonzero(loose[owner])  # sorting them alone keeps every row in its place
        width = int(self.numbers.max(initial=0)) + 1
        numbers = self.numbers.copy()
        numbers[at] = np.sort(owner[at] * width + numbers[at]) % width
        return replace(self, numbers=numbers)


def resolve_rows(
    source: LabelRows, hierarchy: Hierarchy, unknown: Unknown, *, from_file: bool = False
) -> Resolved:
    """Look all names up; errors name place, instance and label."""
    if source.ids is not None and not all_distinct(source.ids):
        raise BadInput(_twice(source))
    resolve = PathNames(hierarchy)
    if source.levels or isinstance(source.rows, CodedLists):
        rows = coded_lists(source.rows)
        pointer, codes, names = rows.pointer, rows.codes, rows.labels
        if source.levels:
            names = _resolved(rows, resolve, source, from_file=from_file)
        numbers = numbers_of(names, hierarchy)[codes] if len(codes) else codes.astype(np.int64)
        label: Callable[[int], Any] = lambda i: names[codes[i]]  # noqa: E731
    else:
        pointer = offsets(np.fromiter(map(len, source.rows), np.int64, count=len(source.rows)))
        flat = list(chain.from_iterable(source.rows))
        numbers, label = numbers_of(flat, hierarchy), flat.__getitem__
    resolved = resolve_numbers(
        pointer,
        numbers,
        label,
        source.where,
        hierarchy,
        unknown,
        source.ids,
        source.hint,
        from_file=from_file,
    )
    blank = None
    bare = [i for i in source.bare if pointer[i] == pointer[i + 1]]
    if bare and from_file and unknown == "drop":
        blank = np.bincount(bare, minlength=len(source.rows))
    if not source.levels:
        return resolved if blank is None else _with_blanks(resolved, blank)
    nodes = coded_lists([[] if p is None else resolve.numbers[p] for p in rows.labels])
    size, at = np.diff(nodes.pointer), rows.codes
    known = np.array(nodes.labels, dtype=np.int32)
    listed = known[nodes.codes[ragged_ranges(nodes.pointer[at], size[at])]]
    written = AsWritten(
        pointer, resolved.numbers.astype(np.int32), offsets(size[at]), listed, blank
    )
    return replace(resolved, as_written=written)


def _resolved(
    rows: CodedLists, resolve: PathNames, source: LabelRows, *, from_file: bool
) -> list[Any]:
    """Return the classes that the different paths end at."""

    def name(path: Any, at: int) -> Any:
        try:
            return resolve(path)
        except BadInput as error:
            row = int(np.searchsorted(rows.pointer, at, side="right")) - 1
            place = source.where(row, at - int(rows.pointer[row]))
            if source.ids and from_file:
                place += f", instance {shown(source.ids[row])}"
            raise BadInput(f"{place}: {error}") from None

    return Coded(rows.codes, rows.labels).each(name)


def _with_blanks(resolved: Resolved, blank: NDArray[np.int64]) -> Resolved:
    """Add blank labels that were a whole field to those among other labels."""
    written = resolved.as_written or AsWritten(resolved.pointer, resolved.numbers.astype(np.int32))
    before = 0 if written.n_blank is None else written.n_blank
    return replace(resolved, as_written=replace(written, n_blank=before + blank))


def resolve_numbers(
    pointer: NDArray[np.int64],
    numbers: NDArray[np.int64],
    label: Callable[[int], Any],
    where: Callable[[int, int], str],
    hierarchy: Hierarchy,
    unknown: Unknown,
    ids: list[Hashable] | None = None,
    hint: str = "",
    *,
    from_file: bool = False,
) -> Resolved:
    """Say what happens to unknown labels (-1), and return the rest."""
    if unknown not in ("error", "drop", "root"):
        raise BadInput(f"unknown must be 'error', 'drop' or 'root', got {unknown!r}")
    bad = np.flatnonzero(numbers < 0)
    if len(bad) and not (from_file and unknown == "drop"):
        faulty = (i for i in map(int, bad) if unknown == "error" or is_missing(label(i)))
        for i in faulty:
            row = int(np.searchsorted(pointer, i, side="right")) - 1
            place = where(row, i - int(pointer[row]))
            if ids and from_file:
                place += f", instance {shown(ids[row])}"
            raise BadInput(_fault(label(i), place, hierarchy, hint, from_file=from_file))
    written = None
    if len(bad) and unknown == "root":
        numbers = np.where(numbers < 0, single_root(hierarchy), numbers)
    elif len(bad):
        kept, n = numbers >= 0, len(pointer) - 1
        owner = row_numbers(pointer)
        blank = np.bincount(owner[[i for i in bad.tolist() if is_missing(label(i))]], minlength=n)
        pointer, numbers = offsets(np.bincount(owner[kept], minlength=n)), numbers[kept]
        if blank.any():
            written = AsWritten(pointer, numbers.astype(np.int32), n_blank=blank)
    return Resolved(pointer, numbers, len(bad), written)


def _fault(name: Any, place: str, hierarchy: Hierarchy, hint: str, *, from_file: bool) -> str:
    """Return what is wrong with a label that is no class."""
    if is_missing(name):
        remedy = "is there a bar too many?" if from_file else "write an empty set for no labels"
        return f"{place}: a label is missing (got {shown(name)}); {remedy}{hint}"
    if from_file:
        remedy = remedy_for(name, hierarchy, by_blanks=bool(hint))
    else:
        remedy = _split_remedy(name, hierarchy)
    return f"{place}: {hierarchy.unknown_message(name)}{remedy} {GO_ON}{hint}"


GO_ON = "(to go on without it: unknown='drop' or 'root')"
"""What can be done about a label that is no class."""

LIST_SIGNS = ("|", ";", ",", " ")
"""What stands between the labels of a list."""

PATH_SIGNS = (" -> ", "->", " > ", ">", "::", "\\", "/", ".", ":")
"""What stands between the classes of a path."""

WRAPPING = "[](){}'\""
"""What languages write around lists and texts, and label files do not."""


def remedy_for(name: Any, hierarchy: Hierarchy, *, by_blanks: bool) -> str:
    """Return what to do about a field that holds a path, several labels, or none."""
    if not isinstance(name, str):
        return ""
    if name.strip().lower() in ("nan", "none", "null", "na", "n/a", "#n/a", "-"):
        return "; leave the field blank where there are no labels"
    for separator in LIST_SIGNS:
        parts = [part.strip() for part in name.split(separator)]
        if not by_blanks and len(parts) > 1:
            sign = _path_sign(parts, hierarchy)
            if sign:
                return (
                    f"; are these several paths from the top, separated by {separator!r}? Then "
                    f"give --separator '{separator}' --paths '{sign}' "
                    f"(Columns(separator={separator!r}, paths={sign!r}))"
                )
    sign = _path_sign([name], hierarchy)
    if sign:
        several = sign in LIST_SIGNS and not by_blanks
        return (
            f"; is this a path from the top to its class? Then give --paths '{sign}' "
            f"(Columns(paths={sign!r}))"
            + (f"; or several labels, one above the other? --separator {sign!r}" if several else "")
        )
    for separator in (*LIST_SIGNS, "/", *PATH_SIGNS):
        parts = [part.strip() for part in name.split(separator)]
        bare = [part.strip(WRAPPING + " ") for part in parts]
        if len(parts) > 1 and separator not in LIST_SIGNS and _above_each_other(parts, hierarchy):
            return (
                f"; is this a path? --paths '{separator}' takes paths that run from the top to the "
                "class and leave out none; or give the class alone"
            )
        if by_blanks and separator == "|" and all(part in hierarchy for part in parts):
            return "; separate labels by blanks or commas"
        if all(part in hierarchy for part in parts):
            return f"; are these several, separated by {separator!r} (--separator)?"
        if all(part in hierarchy for part in bare):
            return "; write labels without quotes and brackets, as a|b"
    return ""


def _split_remedy(name: Any, hierarchy: Hierarchy) -> str:
    """Return what to do about a label in memory that is a whole path."""
    sign = _path_sign([name], hierarchy) if isinstance(name, str) else ""
    return f"; if this is a path, split it at {sign!r} for LabelSets.from_levels" if sign else ""


def _path_sign(texts: list[str], hierarchy: Hierarchy) -> str:
    """Return the text between the classes of these paths, if all of them are paths that exist."""
    for sign in (*PATH_SIGNS, *LIST_SIGNS):
        rows = LabelRows([texts], lambda i, k: "")
        try:
            paths = rows.as_paths(sign).rows[0]
            for path in paths:
                PathNames(hierarchy)(path)
        except BadInput:
            continue
        if any(len(path) > 1 for path in paths) or any(t.startswith(sign) for t in texts):
            return sign
    return ""


def _above_each_other(parts: list[str], hierarchy: Hierarchy) -> bool:
    """Whether one of these classes is an ancestor of another one."""
    if not all(part in hierarchy for part in parts):
        return False
    numbers = hierarchy.index(parts).tolist()
    return any(a in hierarchy.ancestor_numbers(b) for a in numbers for b in numbers)


def _twice(source: LabelRows) -> str:
    """Say where the first repeated id stands."""
    seen: dict[Hashable, int] = {}
    for i, name in enumerate(source.ids or ()):
        if name in seen:
            at, before = source.where(i, 0), source.where(seen[name], 0)
            long = all(len(row) == 1 for row in source.rows)
            remedy = (
                "; for one label per line use the format long" if long else "; keep one of them"
            )
            return f"{at}: instance {shown(name)} already occurs at {before}{remedy}"
        seen[name] = i
    raise AssertionError
