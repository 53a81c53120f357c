"""What scores are of: the hierarchy and the labels, for what shows instances and classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets

if TYPE_CHECKING:
    import os

__all__ = ["Reported", "ScoredLabels", "beside_each_other"]


@dataclass(frozen=True, eq=False)
class ScoredLabels:
    """The labels behind scores, by reference: nothing is copied.

    Attributes
    ----------
    hierarchy
        The classes.
    truth
        The true labels.
    systems
        By system, its labels in the order of the truth; empty where an instance has none.
    """

    hierarchy: Hierarchy
    truth: LabelSets
    systems: Mapping[str, LabelSets]

    def __repr__(self) -> str:
        return f"ScoredLabels({self.truth!r}, {len(self.systems)} systems)"


def beside_each_other(parts: list[ScoredLabels | None]) -> ScoredLabels | None:
    """Return the labels of several scores of the same instances as one.

    None where one has no labels, or another hierarchy or truth: then they are not of one thing.
    """
    first, *others = parts
    if first is None:
        return None
    systems = dict(first.systems)
    for other in others:
        if other is None or not _same_truth(first, other):
            return None
        systems |= other.systems
    return replace(first, systems=systems)


def _same_truth(one: ScoredLabels, other: ScoredLabels) -> bool:
    if one.hierarchy is not other.hierarchy:
        alike = one.hierarchy.fingerprint == other.hierarchy.fingerprint
        if not alike or one.hierarchy.numbering != other.hierarchy.numbering:
            return False
    a, b = one.truth, other.truth
    if a is b:
        return True
    return bool(
        len(a.indices) == len(b.indices)
        and (a.indptr == b.indptr).all()
        and (a.indices == b.indices).all()
    )


class Reported:
    """A result of which a page can be written."""

    def to_report(self, path: str | os.PathLike[str], **how: Any) -> None:
        """Write one HTML file that shows everything, with drill-down; it needs no network.

        Parameters
        ----------
        path
            The file; one that exists is replaced in one step.
        how
            As for :func:`hierpair.report.write_report`, such as ``title`` or ``texts``.
        """
        # The report stands on the highest floor and looks down on all others; this method only
        # leads there, so the module is named when it is called.
        import_module("hierpair.report").write_report(self, path, **how)
