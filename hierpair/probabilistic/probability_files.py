"""Probabilities in: scores of classes and distributions over label sets, from files."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hierpair.errors import BadInput, did_you_mean, first_repeated, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets
from hierpair.hierarchy.building import plain_number
from hierpair.io.json_values import parse_json, text_name
from hierpair.io.labels.matrices import matrix_file
from hierpair.io.text import collector_paused, read_text, split_lines
from hierpair.labels import LabelSets
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.probabilistic.node_scores import Closing, NodeScores

__all__ = ["DISTRIBUTION_FORMATS", "Over", "read_distribution", "read_scores"]

Over = Literal["leaves", "nodes"]
DISTRIBUTION_FORMATS = {
    "matrix": "`.npy` or `.npz`: a row per instance, a column per class, with `classes` and `ids`",
    "long": "`id TAB label TAB score`, one class a line, an id comes again",
    "jsonl": 'a JSON object per line: `{"id": …, "scores": {label: p, …}}`, or the scenarios of a '
    'distribution, `{"id": …, "scenarios": [{"p": 0.5, "labels": […]}, …]}`',
}
"""Every format of probabilities, and what it looks like."""

Row = tuple[str, Hashable, float]


def read_scores(
    path: str | Path,
    hierarchy: Hierarchy,
    *,
    fmt: str = "auto",
    column_names: str | Path | None = None,
) -> NodeScores:
    """Read a score in [0, 1] for every instance and class from a file.

    Parameters
    ----------
    path
        The file; ``-`` is standard input, ``.gz`` is unpacked.
    hierarchy
        The classes.
    fmt
        ``"matrix"``, ``"long"``, ``"jsonl"``, or ``"auto"``: by ending and content.
    column_names
        For a matrix without names: a file with the class of every column, one a line.

    Raises
    ------
    BadInput
        Names file, line, instance and label.
    """
    found = _read(path, hierarchy, fmt, column_names)
    if isinstance(found, LabelDistribution):
        raise BadInput(f"{path}: holds scenarios, not scores of classes; read it as a distribution")
    return found


@collector_paused()
def read_distribution(
    path: str | Path,
    hierarchy: Hierarchy,
    *,
    over: Over = "leaves",
    fmt: str = "auto",
    closure: Closing = None,
    excess: Literal["error", "rescale"] = "error",
    column_names: str | Path | None = None,
) -> LabelDistribution:
    """Read the distribution of every instance from a file.

    Parameters
    ----------
    path, hierarchy, fmt, column_names
        As for :func:`read_scores`.
    over
        What the numbers of a file without scenarios are: the probability of each class to be the
        one label (``"leaves"``; inner classes may be among them), or to be on the path
        (``"nodes"``).
    closure, excess
        Repairs of probabilities over nodes; see :meth:`LabelDistribution.from_nodes`.

    Raises
    ------
    BadInput
        Names file, line, instance and label, or what keeps the numbers from being a distribution.
    """
    if over not in ("leaves", "nodes"):
        raise BadInput(f"over must be 'leaves' or 'nodes', got {over!r}")
    found = _read(path, hierarchy, fmt, column_names, plain=over == "leaves")
    if isinstance(found, LabelDistribution):
        return found
    try:
        if over == "nodes":
            return LabelDistribution.from_nodes(found, hierarchy, closure=closure, excess=excess)
        return LabelDistribution.from_leaves(
            found.matrix(), hierarchy, classes=hierarchy.names, ids=found.ids
        )
    except BadInput as error:
        other = "nodes" if over == "leaves" else "leaves"
        raise BadInput(f"{path}: {error} [read as probabilities over {over}; over={other!r} is "
                       "the other reading]") from None  # fmt: skip


def _read(
    path: str | Path,
    hierarchy: Hierarchy,
    fmt: str,
    column_names: str | Path | None,
    *,
    plain: bool = False,
) -> NodeScores | LabelDistribution:
    """Read any format; ``plain`` adds no score for the root."""
    Hierarchy.expected(hierarchy)
    if fmt not in ("auto", *DISTRIBUTION_FORMATS):
        raise BadInput(
            f"unknown format of probabilities {fmt!r}; it is one of "
            f"{', '.join(['auto', *DISTRIBUTION_FORMATS])}{did_you_mean(fmt, DISTRIBUTION_FORMATS)}"
        )
    bare = str(path).removesuffix(".gz").lower()
    if fmt == "matrix" or (fmt == "auto" and bare.endswith((".npy", ".npz"))):
        matrix, classes, ids = matrix_file(path, column_names)
        try:
            return NodeScores.from_array(
                matrix, hierarchy, classes=classes, ids=ids, with_root=not plain
            )
        except BadInput as error:
            raise BadInput(f"{path}: {error}") from None
    text = read_text(path)
    lines = split_lines(path, text)
    if fmt == "jsonl" or (fmt == "auto" and text.lstrip()[:1] == "{"):
        return _json_lines(path, lines, hierarchy, plain=plain)
    rows, at = _long_rows(path, lines)
    return _of_rows(path, rows, hierarchy, lambda i: f"{path}:{at[i]}", plain=plain)


def _long_rows(path: str | Path, lines: list[str]) -> tuple[list[Row], list[int]]:
    """Return the rows and the line of each."""
    rows: list[Row] = []
    at: list[int] = []
    titled = lines[0].split("\t")[0].strip().lower() in ("id", "instance")
    for number, line in enumerate(lines[titled:], start=1 + titled):
        if not line.strip():
            continue
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) != 3 or not fields[0] or not fields[1]:
            raise BadInput(f"{path}:{number}: expected id TAB label TAB score, got {shown(line)}")
        score = plain_number(fields[2])
        _check(f"{path}:{number}", fields[0], fields[1], score, fields[2])
        rows.append((fields[0], fields[1], score))
        at.append(number)
    return rows, at


def _check(place: str, name: object, label: object, score: float, given: object) -> None:
    if not 0 <= score <= 1:
        raise BadInput(
            f"{place}, instance {name!r}, class {label!r}: a probability must be a number in "
            f"[0, 1], got {shown(given)}"
        )


def _of_rows(
    path: str | Path,
    rows: list[Row],
    hierarchy: Hierarchy,
    place: Callable[[int], str],
    names: list[str] | None = None,
    *,
    plain: bool = False,
) -> NodeScores:
    """Build scores from (id, label, score); ids in the order in which they come first."""
    import scipy.sparse as sp

    position: dict[str, int] = dict.fromkeys(names or (row[0] for row in rows), 0)
    position = {name: i for i, name in enumerate(position)}
    if not position:
        raise BadInput(f"{path}: the file has no instances")
    number = hierarchy.position
    for i, (name, label, _) in enumerate(rows):
        if label not in number:
            raise BadInput(f"{place(i)}, instance {name!r}: {hierarchy.unknown_message(label)}")
    row = np.array([position[r[0]] for r in rows], dtype=np.int64)
    column = np.array([number[r[1]] for r in rows], dtype=np.int64)
    keys = row * len(hierarchy) + column
    order = np.argsort(keys, kind="stable")
    twice = np.flatnonzero(np.diff(keys[order]) == 0)
    if len(twice):
        second = int(order[twice[0] + 1])
        name, label, _ = rows[second]
        raise BadInput(
            f"{place(second)}: instance {name!r} gives class {label!r} two scores; keep one"
        )
    value = np.array([r[2] for r in rows])
    matrix = sp.csr_array((value, (row, column)), shape=(len(position), len(hierarchy)))
    return NodeScores.from_array(matrix, hierarchy, ids=list(position), with_root=not plain)


def _json_lines(
    path: str | Path, lines: list[str], hierarchy: Hierarchy, *, plain: bool
) -> NodeScores | LabelDistribution:
    rows: list[Row] = []
    places: list[str] = []
    names: list[str] = []
    scenarios: list[list[tuple[float, list[str]]]] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        record = parse_json(place, line)
        if not isinstance(record, dict):
            raise BadInput(f"{place}: expected a JSON object, got {shown(record, 40)}")
        name = text_name(record.get("id", len(names)))
        if name is None or name in names[-1:]:
            raise BadInput(f"{place}: id must be a text or a whole number that comes once")
        names.append(name)
        if isinstance(record.get("scores"), dict):
            for label, given in record["scores"].items():
                real = isinstance(given, (int, float)) and not isinstance(given, bool)
                _check(place, name, label, float(given) if real else -1.0, given)
                rows.append((name, label, float(given)))
                places.append(place)
        elif isinstance(record.get("scenarios"), list):
            scenarios.append([_scenario(place, x) for x in record["scenarios"]])
        else:
            raise BadInput(f"{place}: no 'scores' (an object) and no 'scenarios' (a list)")
    if len(set(names)) < len(names):
        twice = first_repeated(names)
        raise BadInput(f"{path}: instance {twice!r} stands there twice; keep one of them")
    if scenarios and rows:
        raise BadInput(f"{path}: some lines have scores and some have scenarios; give one of both")
    if not scenarios:
        return _of_rows(path, rows, hierarchy, lambda i: places[i], names, plain=plain)
    flat = [labels for row in scenarios for _, labels in row]
    owner = [names[i] for i, row in enumerate(scenarios) for _ in row]
    sets = LabelSets.from_labels(flat, hierarchy, where=lambda j: f"{path}, instance {owner[j]!r}")
    indptr = offsets(np.array([len(row) for row in scenarios]))
    p = np.array([p for row in scenarios for p, _ in row])
    try:
        return LabelDistribution.from_sets(hierarchy, indptr, p, sets, names)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None


def _scenario(place: str, given: Any) -> tuple[float, list[str]]:
    good = isinstance(given, dict) and isinstance(given.get("labels"), list)
    p = given.get("p") if good else None
    if not isinstance(p, (int, float)) or isinstance(p, bool) or not 0 <= p <= 1:
        raise BadInput(
            f'{place}: a scenario is {{"p": 0.5, "labels": […]}}, got {shown(given, 60)}'
        )
    labels = [text_name(x) for x in given["labels"]]
    if None in labels:
        raise BadInput(f"{place}: a label must be a text, got {shown(given['labels'], 60)}")
    return float(p), [str(x) for x in labels]
