"""Probabilities in: scores of classes and distributions over label sets, from files."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy

from hierpair.errors import BadInput, first_repeated, shown
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.arrays import offsets
from hierpair.hierarchy.building import plain_number
from hierpair.io.formats import Format, Formats, Source
from hierpair.io.json_values import json_objects, text_name
from hierpair.io.labels.matrices import matrix_file
from hierpair.io.text import collector_paused
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import Closing, NodeScores
from hierpair.probabilistic.distributions import LabelDistribution

__all__ = ["DISTRIBUTION_FORMATS", "Over", "read_distribution", "read_scores"]

Over = Literal["leaves", "nodes"]
Probabilities = NodeScores | LabelDistribution
Row = tuple[str, Hashable, float]


@takes_hierarchy
def read_scores(
    path: str | Path,
    hierarchy: Hierarchy,
    *,
    fmt: str = "auto",
    column_names: str | Path | None = None,
) -> NodeScores:
    r"""Read a score in [0, 1] for every instance and class from a file.

    Parameters
    ----------
    path
        The file; ``-`` is standard input, ``.gz`` is unpacked.
    hierarchy
        The classes.
    fmt
        A name in ``DISTRIBUTION_FORMATS`` (``long``, ``jsonl``, ``matrix``), or ``"auto"``: by
        ending and content.
    column_names
        For a matrix without names: a file with the class of every column, one a line.

    Returns
    -------
    NodeScores
        A single root without a score has 1.

    Raises
    ------
    BadInput
        Names file, line, instance and label.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> tree = Hierarchy.from_edges([("root", "a"), ("root", "b")])
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "scores.tsv")
    ...     _ = file.write_text("x\ta\t0.75\nx\tb\t0.5\n")
    ...     read_scores(file, tree).dense().tolist()
    [[1.0, 0.75, 0.5]]
    """
    probabilities = _read(path, hierarchy, fmt, column_names)
    if isinstance(probabilities, LabelDistribution):
        raise BadInput(f"{path}: holds scenarios, not scores of classes; read it as a distribution")
    return probabilities


@collector_paused()
@takes_hierarchy
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
    r"""Read the distribution of every instance from a file.

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

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> tree = Hierarchy.from_edges([("root", "a"), ("root", "b")])
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "scores.tsv")
    ...     _ = file.write_text("x\ta\t0.75\nx\tb\t0.25\n")
    ...     read_distribution(file, tree)
    <LabelDistribution: 1 instance, 2 scenarios, single labels>
    """
    if over not in ("leaves", "nodes"):
        raise BadInput(f"over must be 'leaves' or 'nodes', got {over!r}")
    probabilities = _read(path, hierarchy, fmt, column_names, with_root=over == "nodes")
    if isinstance(probabilities, LabelDistribution):
        return probabilities
    try:
        if over == "nodes":
            return LabelDistribution.from_nodes(
                probabilities, hierarchy, closure=closure, excess=excess
            )
        return LabelDistribution.from_leaves(
            probabilities.matrix(), hierarchy, classes=hierarchy.names, ids=probabilities.ids
        )
    except BadInput as error:
        reading = "nodes" if over == "leaves" else "leaves"
        raise BadInput(
            f"{path}: {error} [read as probabilities over {over}; over={reading!r} is the other "
            "reading]"
        ) from None


def _read(
    path: str | Path,
    hierarchy: Hierarchy,
    fmt: str,
    column_names: str | Path | None,
    *,
    with_root: bool = True,
) -> Probabilities:
    options = {"hierarchy": hierarchy, "column_names": column_names}
    source = Source(path, {**options, "with_root": with_root})
    return DISTRIBUTION_FORMATS.choose(source, fmt).read(source)


def _matrix(source: Source) -> NodeScores:
    path, o = source.path, source.options
    matrix, classes, ids = matrix_file(path, o["column_names"])
    try:
        return NodeScores.from_array(
            matrix, o["hierarchy"], classes=classes, ids=ids, with_root=o["with_root"]
        )
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None


def _long(source: Source) -> NodeScores:
    rows: list[Row] = []
    numbers: list[int] = []
    titled = source.lines[0].split("\t")[0].strip().lower() in ("id", "instance")
    for number, line in enumerate(source.lines[titled:], start=1 + titled):
        if not line.strip():
            continue
        place = f"{source.path}:{number}"
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) != 3 or not fields[0] or not fields[1]:
            raise BadInput(f"{place}: expected id TAB label TAB score, got {shown(line)}")
        score = plain_number(fields[2])
        _check(place, fields[0], fields[1], score, fields[2])
        rows.append((fields[0], fields[1], score))
        numbers.append(number)
    ids = list(dict.fromkeys(row[0] for row in rows))
    return _scores(source, rows, ids, lambda i: f"{source.path}:{numbers[i]}")


def _json_lines(source: Source) -> Probabilities:
    path = source.path
    rows: list[Row] = []
    places: list[str] = []
    ids: list[str] = []
    scenarios: list[list[tuple[float, list[str]]]] = []
    for number, record in json_objects(source):
        place = f"{path}:{number}"
        name = text_name(record.get("id", len(ids)))
        if name is None or name in ids[-1:]:
            raise BadInput(f"{place}: id must be a text or a whole number that comes once")
        ids.append(name)
        if isinstance(record.get("scores"), dict):
            for label, as_written in record["scores"].items():
                real = isinstance(as_written, (int, float)) and not isinstance(as_written, bool)
                _check(place, name, label, as_written if real else -1.0, as_written)
                rows.append((name, label, float(as_written)))
                places.append(place)
        elif isinstance(record.get("scenarios"), list):
            scenarios.append([_scenario(place, x) for x in record["scenarios"]])
        else:
            raise BadInput(f"{place}: no 'scores' (an object) and no 'scenarios' (a list)")
    if len(set(ids)) < len(ids):
        twice = first_repeated(ids)
        raise BadInput(f"{path}: instance {twice!r} occurs twice; keep one of them")
    if scenarios and rows:
        raise BadInput(f"{path}: some lines have scores and some have scenarios; give one of both")
    if not scenarios:
        return _scores(source, rows, ids, lambda i: places[i])
    hierarchy = source.options["hierarchy"]
    owner = [ids[i] for i, row in enumerate(scenarios) for _ in row]
    sets = LabelSets.from_labels(
        [labels for row in scenarios for _, labels in row],
        hierarchy,
        where=lambda j: f"{path}, instance {owner[j]!r}",
    )
    indptr = offsets(np.array([len(row) for row in scenarios]))
    p = np.array([p for row in scenarios for p, _ in row])
    try:
        return LabelDistribution.from_sets(hierarchy, indptr, p, sets, ids)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None


def _check(place: str, name: object, label: object, score: float, as_written: object) -> None:
    if not 0 <= score <= 1:
        raise BadInput(
            f"{place}, instance {name!r}, class {label!r}: a probability must be a number in "
            f"[0, 1], got {shown(as_written)}"
        )


def _scores(
    source: Source, rows: list[Row], ids: list[str], place: Callable[[int], str]
) -> NodeScores:
    """Build scores from (id, label, score)."""
    hierarchy, position = source.options["hierarchy"], {name: i for i, name in enumerate(ids)}
    if not ids:
        raise BadInput(f"{source.path}: the file has no instances")
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
    matrix = scipy.sparse.csr_array((value, (row, column)), shape=(len(ids), len(hierarchy)))
    return NodeScores.from_array(matrix, hierarchy, ids=ids, with_root=source.options["with_root"])


def _scenario(place: str, as_written: Any) -> tuple[float, list[str]]:
    good = isinstance(as_written, dict) and isinstance(as_written.get("labels"), list)
    p = as_written.get("p") if good else None
    if not isinstance(p, (int, float)) or isinstance(p, bool) or not 0 <= p <= 1:
        raise BadInput(
            f'{place}: a scenario is {{"p": 0.5, "labels": […]}}, got {shown(as_written, 60)}'
        )
    labels = [text_name(x) for x in as_written["labels"]]
    if None in labels:
        raise BadInput(f"{place}: a label must be a text, got {shown(as_written['labels'], 60)}")
    return float(p), [str(x) for x in labels]


DISTRIBUTION_FORMATS: Formats[Probabilities] = Formats(
    "format of probabilities",
    "probabilities",
    [
        Format(
            "long",
            "`id TAB label TAB score`, one class a line, an id comes again",
            _long,
            detect=lambda source: True,
        ),
        Format(
            "jsonl",
            'a JSON object per line: `{"id": …, "scores": {label: p, …}}`, or the scenarios of a '
            'distribution, `{"id": …, "scenarios": [{"p": 0.5, "labels": […]}, …]}`',
            _json_lines,
            detect=lambda source: source.text.lstrip()[:1] == "{",
        ),
        Format(
            "matrix",
            "`.npy` or `.npz`: a row per instance, a column per class, with `classes` and `ids`",
            _matrix,
            endings=(".npy", ".npz"),
        ),
    ],
)
"""Every format of probabilities; a further one is added here and known everywhere."""
