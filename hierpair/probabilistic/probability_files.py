"""Probabilities in: scores of classes or labels, and distributions over label sets, from files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hierpair.errors import BadInput, check_choice, counted, first_repeated, shown
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.arrays import Ints, row_numbers
from hierpair.io import LABEL_FORMATS, parse_labels
from hierpair.io.formats import Format, Formats, Source, json_objects, text_name
from hierpair.io.text import collector_paused
from hierpair.labels import Columns, LabelRows, Unknown
from hierpair.labels.naming import GO_ON
from hierpair.labels.node_scores import Closing, NodeScores, summed_scores
from hierpair.probabilistic.distributions import LabelDistribution

Over = Literal["leaves", "nodes"]


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
    probabilities = _read(path, hierarchy, fmt, column_names, "scores")
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
        Names file, line, instance and label, or what keeps the numbers from being a distribution;
        also for scenarios as ``over="nodes"``.

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
    check_choice("over", over, ("leaves", "nodes"))
    probabilities = _read(path, hierarchy, fmt, column_names, over)
    if isinstance(probabilities, LabelDistribution):
        if over == "nodes":
            raise BadInput(
                f"{path}: holds scenarios of whole label sets, and no probabilities of nodes; "
                "leave out over='nodes'"
            )
        return probabilities
    try:
        if over == "nodes":
            return LabelDistribution.from_nodes(
                probabilities, hierarchy, closure=closure, excess=excess
            )
        return LabelDistribution.from_leaves(probabilities, hierarchy)
    except BadInput as error:
        reading = "nodes" if over == "leaves" else "leaves"
        raise BadInput(f"{path}: {error} [over={reading!r} is the other reading]") from None


@collector_paused()
@takes_hierarchy
def read_scored_labels(
    path: str | Path,
    hierarchy: Hierarchy,
    *,
    fmt: str = "auto",
    unknown: Unknown = "error",
    columns: Columns | None = None,
    column_names: str | Path | None = None,
    on_note: Callable[[str], None] | None = None,
) -> NodeScores:
    r"""Read predicted labels with their scores.

    Parameters
    ----------
    path, hierarchy, fmt, unknown, columns, column_names, on_note
        As for :func:`read_labels`. One label a line with its score (``long``, and tables with a
        column of scores), JSON lines ``{"id": …, "scores": {label: score}}``, or a matrix of
        scores (``npz``): where its columns are the leaves, whose scores add up to 1, an inner
        class has the sum of those below it. A label without a row has no score, of several scores
        the highest counts; a root is a class as any other.

    Raises
    ------
    BadInput
        For a file without scores, and as :func:`read_labels`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> tree = Hierarchy.from_edges([("root", "a"), ("root", "b")])
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "run.tsv")
    ...     _ = file.write_text("x\ta\t0.75\nx\tb\t0.5\n")
    ...     read_scored_labels(file, tree).dense().tolist()
    [[0.0, 0.75, 0.5]]
    """
    tell = on_note or str
    rows = parse_labels(path, fmt=fmt, columns=columns, column_names=column_names, scored=True)
    if not rows.rows:
        raise BadInput(f"{path}: the file has no instances")
    for note in rows.notes:
        tell(note)
    if rows.scores is None:
        raise BadInput(
            f"{path}: the labels have no scores: write one label a line, id TAB label TAB score, "
            "not label:score, or name the column of scores (--score-column)"
        )
    if len(_again(rows)):
        tell(f"{path}: where a label of an instance has several scores, the highest counts")
    scores = NodeScores.from_rows(rows, hierarchy, unknown=unknown)
    if scores.n_unknown:
        lost = counted(scores.n_unknown, "label")
        tell(f"{path}: {lost} outside the hierarchy, dropped or replaced on request")
    n = rows.n_columns
    return scores if n is None else summed_scores(scores, n, with_root=False)


def _read(
    path: str | Path, hierarchy: Hierarchy, fmt: str, column_names: str | Path | None, over: str
) -> NodeScores | LabelDistribution:
    options = {"columns": Columns(highest=True, long=True), "column_names": column_names}
    source = Source(path, {**options, "hierarchy": hierarchy, "scored": True})
    form = DISTRIBUTION_FORMATS.choose(source, fmt)
    if column_names is not None and form.name != "matrix":
        raise BadInput(
            f"{path}: a file that names columns is for a matrix; this one was read as {form.name}"
        )
    found = form.read(source)
    if isinstance(found, LabelDistribution):
        return found
    if not found.rows:
        raise BadInput(f"{path}: the file has no instances")
    if found.scores is None:
        at = found.where(0, 0)
        at = at if at.startswith(str(path)) else f"{path}, {at}"
        raise BadInput(
            f"{at}: expected id TAB label TAB score, and there is no score; of a table with a "
            "column for each class, such as CSV, write each cell into a line of its own"
        )
    if (again := first_repeated(found.ids or ())) is not None:
        raise BadInput(f"{path}: instance {shown(again)} occurs twice; keep one of them")
    for twice in _again(found)[:1].tolist():
        label = found.coded.values[found.coded.codes[twice]]
        raise BadInput(
            f"{found.place(twice, who=True)}: class {shown(label)} has two scores; keep one"
        )
    try:
        scores = NodeScores.from_rows(found, hierarchy)
    except BadInput as error:  # without some classes probabilities are no longer what they were
        raise BadInput(str(error).removesuffix(f" {GO_ON}")) from None
    return scores if over == "leaves" else scores.rooted()


def _again(rows: LabelRows) -> Ints:
    """Return the labels that their instance has already had, by instance."""
    coded = rows.coded
    cells = row_numbers(coded.row_ends) * len(coded.values) + coded.codes
    order = np.argsort(cells, kind="stable")
    return np.asarray(order[1:][np.diff(cells[order]) == 0])


def _json_lines(source: Source) -> LabelRows | LabelDistribution:
    """Objects with scores, read as labels are, or with scenarios."""
    if '"scores"' in source.lines[0]:
        return LABEL_FORMATS["jsonl"].read(source)
    rows = dict[str, Any]()
    for number, record in json_objects(source):
        place, given = source.place(number), record.get("scenarios")
        name = text_name(record.get("id", len(rows)))
        if name is None or name in rows:
            raise BadInput(f"{place}: id must be a text or a whole number that comes once")
        if not isinstance(given, list):
            raise BadInput(f"{place}: no 'scores' (an object) and no 'scenarios' (a list)")
        rows[name] = [_scenario(place, scenario) for scenario in given]
    try:
        return LabelDistribution.from_scenarios(rows, source.options["hierarchy"])
    except BadInput as error:
        raise BadInput(f"{source.path}: {error}") from None


def _scenario(place: str, as_written: Any) -> tuple[float, list[Any]]:
    try:
        p, labels = as_written["p"], as_written["labels"]
        names = [*map(text_name, labels)]
        good = 0 <= p <= 1 and isinstance(labels, list) and None not in names
    except (KeyError, TypeError):
        good = False
    if not good:
        raise BadInput(
            f'{place}: a scenario is {{"p": 0.5, "labels": ["a", …]}}, got {shown(as_written, 60)}'
        )
    return float(p), names


DISTRIBUTION_FORMATS: Formats[LabelRows | LabelDistribution] = Formats(
    "format of probabilities",
    "probabilities",
    [
        Format(
            "long",
            "`id TAB label TAB score`, one class a line, ids are repeated",
            LABEL_FORMATS["long"].read,
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
            LABEL_FORMATS["npz"].read,
            endings=(".npy", ".npz"),
        ),
    ],
)
"""Every format of probabilities; a further one is added here and known everywhere."""
