"""Label sets from text files: one line per instance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from hierpair.errors import BadInput, did_you_mean
from hierpair.hierarchy.graph import Hierarchy
from hierpair.labels import LabelSets, Unknown
from hierpair.readers.text import read_lines

__all__ = ["LABEL_FORMATS", "read_labels"]

Parsed = tuple[list[str] | None, list[list[str]], Sequence[int]]


def read_labels(
    path: str | Path, hierarchy: Hierarchy, *, fmt: str = "auto", unknown: Unknown = "error"
) -> LabelSets:
    """Read one label set per instance from a text file.

    Parameters
    ----------
    path
        The file; ``-`` is standard input, ``.gz`` is unpacked.
    hierarchy
        The classes.
    fmt
        - ``"lines"`` (LSHTC, HEMKit): the labels of an instance on a line, separated by blanks
          or commas; an empty line is an empty set;
        - ``"table"``: ``id TAB label|label``; a first line that starts with ``id`` is a header,
          empty lines are passed over;
        - ``"auto"``: ``table`` if the file holds a tab, otherwise ``lines``.
    unknown
        As in :meth:`hierpair.LabelSets.from_labels`.

    Raises
    ------
    BadInput
        Names file, line, instance and label: unknown label, wrong number of fields, repeated
        id, unreadable file.
    """
    if fmt != "auto" and fmt not in LABEL_FORMATS:
        known = ", ".join(["auto", *LABEL_FORMATS])
        raise BadInput(
            f"unknown label format {fmt!r}; it is one of {known}{did_you_mean(fmt, LABEL_FORMATS)}"
        )
    lines = read_lines(path)
    if fmt == "auto":
        fmt = "table" if any("\t" in line for line in lines) else "lines"
    ids, rows, numbers = LABEL_FORMATS[fmt](path, lines)

    def where(i: int) -> str:
        return f"{path}:{numbers[i]}"

    if ids is None:
        try:
            return LabelSets.from_labels(rows, hierarchy, unknown=unknown, where=where)
        except BadInput as error:
            raise BadInput(
                f"{error} [read as lines of labels separated by blanks or commas; "
                "ids, and names with blanks, need tabs: id TAB label|label]"
            ) from None
    keyed = dict(zip(ids, rows, strict=True))
    if len(keyed) < len(ids):
        seen: dict[str, int] = {}
        for i, name in enumerate(ids):
            if name in seen:
                raise BadInput(
                    f"{where(i)}: instance {name!r} stands already at {where(seen[name])}"
                )
            seen[name] = i
    return LabelSets.from_labels(keyed, hierarchy, unknown=unknown, where=where)


def _lines(path: str | Path, lines: list[str]) -> Parsed:
    return None, [line.replace(",", " ").split() for line in lines], range(1, len(lines) + 1)


def _table(path: str | Path, lines: list[str]) -> Parsed:
    header = lines[0].split("\t")[0].strip().lower() in ("id", "instance")
    ids: list[str] = []
    rows: list[list[str]] = []
    numbers: list[int] = []
    for number, line in enumerate(lines[header:], start=1 + header):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) == 3 and not fields[2].strip():
            fields.pop()
        if len(fields) != 2:
            raise BadInput(
                f"{path}:{number}: expected id TAB label|label, got {len(fields)} fields"
            )
        name, labels = fields[0].strip(), fields[1].strip()
        if not name:
            raise BadInput(f"{path}:{number}: the instance id is missing")
        ids.append(name)
        numbers.append(number)
        rows.append([x.strip() for x in labels.split("|")] if labels else [])
    return ids, rows, numbers


LABEL_FORMATS: dict[str, Callable[[str | Path, list[str]], Parsed]] = {
    "lines": _lines,
    "table": _table,
}
"""Reader of every label format, by the name that ``fmt`` takes."""
