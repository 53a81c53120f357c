"""Predicted labels that carry scores, from files, as scores of classes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hierpair.errors import BadInput, counted
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.io import parse_labels
from hierpair.io.text import collector_paused
from hierpair.labels import Columns, Unknown
from hierpair.labels.node_scores import NodeScores

__all__ = ["read_scored_labels"]


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
        scores (``npz``). A label without a row has no score, of several scores the highest
        counts; a root is a class as any other.

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
    rows = parse_labels(path, fmt=fmt, columns=columns, column_names=column_names, scored=True)
    if not rows.rows:
        raise BadInput(f"{path}: the file has no instances")
    for note in rows.notes if on_note is not None else ():
        on_note(note)  # type: ignore[misc]
    if rows.scores is None:
        raise BadInput(
            f"{path}: the labels have no scores, and a threshold is chosen by them: write one "
            "label a line, id TAB label TAB score, not label:score, or name the column of scores "
            "(--score-column)"
        )
    scores = NodeScores.from_rows(rows, hierarchy, unknown=unknown)
    if scores.n_unknown and on_note is not None:
        lost = counted(scores.n_unknown, "label")
        on_note(f"{path}: {lost} outside the hierarchy, dropped or replaced on request")
    return scores
