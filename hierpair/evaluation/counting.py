"""What does not count, of classes and of instances: ``classes=`` and ``ignore=`` of all doors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Ints
from hierpair.labels import LabelSets, Unknown
from hierpair.labels.sets import without_truth
from hierpair.measures import Batch, Measure
from hierpair.measures.scored.system import ScoredRecipe


@dataclass(frozen=True)
class Counting:
    """The classes of interest, and the labels of every instance that do not count there.

    ``ancestors`` says whether all that is above these labels does not count either. None: nothing
    is left out so. Beside a part of the instances (not ``of_whole``) all others may be ignored.
    """

    ignore: Any = None
    ancestors: bool = True
    classes: Iterable[Any] | None = None
    of_whole: bool = True

    def of_classes(self, hierarchy: Hierarchy) -> Hierarchy:
        """Return the hierarchy in which the classes of interest alone count."""
        return hierarchy if self.classes is None else hierarchy.counting(self.classes)

    def of_truth(
        self, truth: LabelSets, hierarchy: Hierarchy, unknown: Unknown = "error"
    ) -> LabelSets:
        """Return the truth of a whole data set, which knows what does not count of instances."""
        if self.ignore is None:
            return truth
        given = LabelSets.from_labels(self.ignore, hierarchy, unknown=unknown, source="ignore")
        if self.of_whole and truth.ids and given.ids and {*truth.ids}.isdisjoint(given.ids):
            raise without_truth("ignore", len(given), given.ids[0], truth.ids[0])
        return replace(self, ignore=given).of_part(truth, hierarchy)

    def by_id(self, hierarchy: Hierarchy, unknown: Unknown, *, has_ids: bool) -> Counting:
        """Return the same for a truth that is read part by part and matched by ids."""
        if self.ignore is None:
            return self
        given = LabelSets.from_labels(self.ignore, hierarchy, unknown=unknown, source="ignore")
        if given.ids is None or not has_ids:
            raise BadInput("ignore is matched with a data set by ids, and both need them")
        return replace(self, ignore=given)

    def of_part(self, truth: LabelSets, hierarchy: Hierarchy) -> LabelSets:
        """Return the truth of some instances of a data set, of which something does not count."""
        return truth.ignoring(self.ignore, hierarchy, ancestors=self.ancestors)


def judged_rows(hierarchy: Hierarchy, truth: LabelSets, m: Measure) -> Ints:
    """Return the instances that a measure of scores judges: those with a class that counts left."""
    labels = m.definition.scored_classes == "leaves"
    recipe = ScoredRecipe(dict, (), of_labels=labels)
    judged = ~Batch(hierarchy, truth, truth).left_out(recipe)
    if not judged.any():
        raise BadInput("no instance has a true class that counts")
    return np.flatnonzero(judged)


def asked_to_count(
    ignore: Any, ancestors: bool, classes: Any, conventions: Mapping[str, Any]
) -> tuple[Counting, dict[str, Any]]:
    """Return what counts and the conventions, of which ``classes`` is one if it is a word."""
    if isinstance(classes, str):
        return Counting(ignore, ancestors), {**conventions, "classes": classes}
    return Counting(ignore, ancestors, classes), dict(conventions)
