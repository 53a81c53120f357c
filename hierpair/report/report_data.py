"""All data of a page: what stands in it as it is, and the container of what is large."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hierpair._version import __version__
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Ints
from hierpair.probabilistic.curves import Curves, PooledCurve
from hierpair.report.charts import charts
from hierpair.report.class_figures import class_figures
from hierpair.report.comparison_block import comparison_block, warnings_and_notes
from hierpair.report.confusions import MOST_CONFUSIONS, confusion_sections, confusions
from hierpair.report.drawn_tree import drawn_tree
from hierpair.report.instance_texts import TextOf
from hierpair.report.instances import instances_data
from hierpair.report.measure_words import measure_record
from hierpair.report.packing import Section, packed_text, section
from hierpair.report.side_tables import side_results, side_tables
from hierpair.report.subject import Subject

__all__ = ["FORMAT", "Extras", "ReportData", "report_data"]

FORMAT = 1
"""Of the data of a page; it rises where scripts of older pages could not read newer data."""


@dataclass(frozen=True, eq=False)
class Extras:
    """What a page has beside its subject.

    Attributes
    ----------
    title
        Of the page.
    worst
        Instances of a list.
    text_of
        The text of an instance.
    vary
        Whether conventions are varied.
    curves
        Of precision and recall, by system.
    warnings
        Sentences that were said before there were scores.
    """

    title: str
    worst: int
    text_of: TextOf
    vary: bool
    curves: Mapping[str, Curves | PooledCurve]
    warnings: Sequence[str]


@dataclass(frozen=True, eq=False)
class ReportData:
    """Data of a page: ``main`` is shown at once, ``packed`` is unpacked by the page."""

    main: dict[str, Any]
    packed: str


def report_data(subject: Subject, extras: Extras) -> ReportData:
    """Return the data of a page."""
    sections = list[Section]()
    has_classes = has_instances = False
    place = None
    if subject.labels is not None:
        place, n_true, sections = _classes(subject)
        has_classes = True
        if subject.has_instances:
            found = instances_data(
                subject, subject.labels, extras.worst, n_true, place, extras.text_of
            )
            sections.append(section("instances", "json", found))
            has_instances = True
    sides = side_results(subject, vary=extras.vary)
    drawn = charts(subject, sides, extras.curves)
    sections += drawn
    warnings, notes = warnings_and_notes(subject)
    scores = subject.scores
    main = {
        "format": FORMAT,
        "title": extras.title,
        "version": __version__,
        "hierarchy": _hierarchy(subject),
        "n_instances": scores.n_instances,
        "n_labels": scores.mean_labels or None,
        "systems": subject.systems,
        "measures": [measure_record(m) for m in subject.measures],
        "warnings": [*extras.warnings, *warnings],
        "notes": notes,
        "scores": subject.values,
        "comparison": comparison_block(subject),
        "tables": side_tables(subject, sides),
        "has": {"classes": has_classes, "instances": has_instances, "charts": bool(drawn)},
        "absent": subject.absent,
    }
    return ReportData(main, packed_text(sections))


def _classes(subject: Subject) -> tuple[Ints, Ints, list[Section]]:
    """Return the place of every class on the page, its true instances, and the sections."""
    labels = subject.labels
    assert labels is not None
    tree = drawn_tree(labels.hierarchy)
    figures = class_figures(labels.hierarchy, labels.truth, labels.systems, tree)
    cut = tree.cut_sentence()
    subject.absent.extend([cut] if cut else [])
    most = MOST_CONFUSIONS // len(labels.systems)
    found = [confusions(labels.truth, sets, most) for sets in labels.systems.values()]
    sections = [
        *tree.sections(labels.hierarchy),
        *figures.sections(tree),
        *confusion_sections(found, tree),
    ]
    return tree.place, figures.true.augmented, sections


def _hierarchy(subject: Subject) -> dict[str, Any] | None:
    labels = subject.labels
    if labels is None:
        return None
    h: Hierarchy = labels.hierarchy
    drawn = drawn_tree(h).sentence
    return {
        "text": h.describe(","),
        "n_classes": len(h),
        "is_tree": h.shape == "tree",
        "drawn": drawn,
    }
