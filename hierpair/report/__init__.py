"""One HTML file of scores and comparisons that people open: no network, no other file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hierpair.errors import BadInput, shown
from hierpair.io.files import replace_file

if TYPE_CHECKING:
    from hierpair.comparison import Comparison
    from hierpair.evaluation import Scores
    from hierpair.probabilistic.curves import Curves, PooledCurve

__all__ = ["report_html", "write_report"]

TITLE = "Scores of a hierarchical classification"


def write_report(found: Scores | Comparison, path: str | os.PathLike[str], **how: Any) -> None:
    """Write one HTML file that shows scores, classes, instances and measures, with drill-down.

    It works without a network, as an attachment of a mail too, and its numbers are those of the
    scores to the last digit. The same input gives the same bytes.

    Parameters
    ----------
    found
        What :func:`hierpair.score` or :func:`hierpair.compare` returned.
    path
        The file; one that exists is replaced, in one step.
    how
        As for :func:`report_html`.

    Raises
    ------
    BadInput
        For a file that cannot be written, and as :func:`report_html`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hierpair import Hierarchy, score
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c")])
    >>> scores = score(tree, ["b", "c"], {"mine": ["b", "b"]}, ["hf"])
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "report.html")
    ...     write_report(scores, file, title="My system")
    ...     "<title>My system</title>" in file.read_text("utf-8")
    True
    """
    target = Path(os.path.realpath(path))
    if target.is_dir() or not target.parent.is_dir():
        raise BadInput(f"{path}: cannot be written; name a file in a folder that exists")
    replace_file(path, report_html(found, **how).encode())


def report_html(
    found: Scores | Comparison,
    *,
    worst: int = 5,
    texts: Mapping[Any, str] | Sequence[str] | None = None,
    title: str | None = None,
    sensitivity: bool = True,
    paired: bool = True,
    curves: Mapping[str, Curves | PooledCurve] | None = None,
    warnings: Sequence[str] = (),
) -> str:
    """Return the page that :func:`write_report` writes.

    Parameters
    ----------
    found
        What :func:`hierpair.score` or :func:`hierpair.compare` returned. Scores of several
        systems are compared with the defaults, where that is possible.
    worst
        Instances in each list: the worst ones by system and measure, and those on which the best
        system and another one differ most.
    texts
        What the instances are about: a text for each in their order, or ``{id: text}``, as a
        Series of pandas with ids as its index is too.
    title
        Of the page.
    sensitivity
        Whether conventions are varied, to see which conclusions depend on them: of the first six
        measures, on a random sample where there are more than 5,000 instances.
    paired
        False: instances are other objects for every system, so systems are not compared and no
        instances are shown.
    curves
        Curves of precision and recall by system (:func:`hierpair.probabilistic.pooled_curve`).
    warnings
        Further sentences that stand first on the page.

    Raises
    ------
    BadInput
        For something else than scores or a comparison, texts that are not those of the instances,
        or curves that are none.

    Notes
    -----
    Of scores that come from partials or data sets there are no labels: the page then says that
    it has no classes and no instances, and why. It always says what was left out for its size.

    Examples
    --------
    >>> from hierpair import Hierarchy, score
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c")])
    >>> scores = score(tree, ["b", "c"], {"mine": ["b", "b"]}, ["hf"])
    >>> page = report_html(scores, texts=["a text about b", "another about c"])
    >>> ">0.7500</td>" in page
    True
    """
    from hierpair.comparison.analysis import check_whole
    from hierpair.plots.charts import curves_by_name
    from hierpair.report.instances import texts_of
    from hierpair.report.page import page_html, report_data
    from hierpair.report.subject import subject_of

    check_whole(worst=worst)
    if title is not None and not isinstance(title, str):
        raise BadInput(f"the title must be a text, got {shown(title)}")
    drawn = curves_by_name(curves) if curves else {}
    subject = subject_of(found, paired=paired)
    by_id, unused = texts_of(texts, subject.scores)
    subject.absent.extend(unused)
    data = report_data(
        subject, title=title or TITLE, worst=worst, texts=by_id, vary=sensitivity,
        curves=drawn, warnings=warnings,
    )  # fmt: skip
    return page_html(*data)
