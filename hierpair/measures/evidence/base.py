"""What every kind of evidence can do: show itself, and say which columns it stands for."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Indices
from hierpair.measures.evidence.graphs import Neighbourhood, neighbourhood
from hierpair.tables import Block
from hierpair.tables.text import number

__all__ = ["MOST_CLASSES", "Evidence", "Name", "cost_text", "listed_classes"]

Name = Hashable

MOST_CLASSES = 60
"""Of more classes or edges in a line than this, the first ones are listed, and how many are not."""


@dataclass(frozen=True)
class Evidence(ABC):
    """What the value of one instance rests on, in names instead of numbers.

    A recipe of your own may return a frozen dataclass that inherits from this one. Its fields are
    what :meth:`~hierpair.explanation.Explanation.to_dict` gives; fields that hold names of
    classes are annotated as ``Hashable``, so that an explanation can put titles in their place.

    Attributes
    ----------
    kind
        What it is called in JSON.
    """

    kind: ClassVar[str] = "evidence"

    @property
    def obstacle(self) -> str:
        """What there is none of, such as ``"pairing"``, so that there is no value; often empty."""
        return ""

    @property
    def repeatable(self) -> bool:
        """Whether computing it once more gives the same: not where a time limit stopped it."""
        return True

    @property
    def columns(self) -> Mapping[str, float]:
        """The columns that follow from what is shown; they have to be those that were scored."""
        return {}

    @abstractmethod
    def parts(self, digits: int) -> Sequence[str | Block]:
        """Return what is shown of it, tables and lines."""

    def around(
        self,
        hierarchy: Hierarchy,
        true: Indices,
        predicted: Indices,
        most: int,
    ) -> Neighbourhood:
        """Return the part of the hierarchy that it is about, of ``most`` classes if possible.

        ``true`` and ``predicted`` are the labels: all of them and their nearest ancestors.
        """
        return neighbourhood(hierarchy, true, predicted, most=most)


def cost_text(cost: float | None, digits: int = 4) -> str:
    """Return a cost as short as it is exact, with so many decimals at most.

    >>> cost_text(2.0), cost_text(1 / 3), cost_text(None), cost_text(float("inf"))
    ('2', '0.3333', '-', '∞')
    """
    if cost is None or math.isnan(cost):
        return "-"
    if cost == float("inf"):
        return "∞"
    return f"{cost:.0f}" if cost == round(cost) else number(cost, digits)


def listed_classes(names: Sequence[Hashable], between: str = ", ") -> str:
    """Return the first names, and how many more there are."""
    left_out = len(names) - MOST_CLASSES
    more = [f"and {left_out:,} more (JSON has all)"] if left_out > 0 else []
    return between.join([*map(str, names[:MOST_CLASSES]), *more]) or "(none)"
