"""What a decoder returns: sets, their expected values, and why there is nothing better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import counted
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats, offsets
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import NodeScores
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.tables.forms import small_table
from hierpair.tables.records import Block

__all__ = ["Decoded", "DecodingCertificate", "Direction", "label_sets", "proved"]

Direction = Literal["higher", "lower"]

SHOWN_ROWS = 10
"""Instances that a notebook shows."""


@dataclass(frozen=True, eq=False)
class DecodingCertificate:
    """Why a prediction is the best, or how far it may be from it.

    Attributes
    ----------
    method
        How the prediction was found, in a sentence.
    exact
        Whether no prediction has a better expected value (to rounding).
    bound
        No prediction is better than this, per value; where the method is exact it is the value.
        NaN where nothing is known.
    """

    method: str
    exact: bool
    bound: Floats

    def __repr__(self) -> str:
        return f"DecodingCertificate({self.method!r}, exact={self.exact})"


@dataclass(frozen=True, eq=False)
class Decoded:
    """Best predictions of many instances.

    Attributes
    ----------
    sets
        The predicted label set of every instance.
    value
        Its expected value under the distribution, shape ``(n_instances,)``; for measures of a
        whole data set (micro averages) one value, shape ``(1,)``.
    direction
        Whether higher or lower values are better.
    certificate
        Why there is nothing better.
    is_pooled
        False where ``value`` holds values of instances although the measure is one of the data
        set, which need not be their mean.
    """

    sets: LabelSets
    value: Floats
    direction: Direction
    certificate: DecodingCertificate
    is_pooled: bool = True

    def __len__(self) -> int:
        return len(self.sets)

    def __repr__(self) -> str:
        proof = "exact" if self.is_exact else "not proved to be the best"
        return f"<Decoded: {counted(len(self), 'instance')}, {self.certificate.method} ({proof})>"

    def _repr_html_(self) -> str:
        rows = []
        for i in range(min(len(self), SHOWN_ROWS)):
            name = str(i if self.sets.ids is None else self.sets.ids[i])
            value = f"{self.value[i]:.4f}" if len(self.value) == len(self) else ""
            n_classes = int(self.sets.lengths[i])
            rows.append([name, counted(n_classes, "class"), value])
        if len(self) > SHOWN_ROWS:
            rows.append(["…", f"{len(self) - SHOWN_ROWS} more", ""])
        header = ["instance", "predicted", "expected value"]
        return small_table(Block(header, rows, repr(self), align="llr"))

    @property
    def is_exact(self) -> bool:
        """Whether no prediction has a better expected value."""
        return self.certificate.exact


Numbers = NDArray[np.integer] | Sequence[NDArray[Any]]


def proved(
    instances: LabelDistribution | NodeScores,
    rows: Numbers,
    nodes: Numbers,
    value: Floats,
    direction: Direction,
    method: str,
    *,
    bound: Floats | None = None,
    exact: bool = True,
) -> Decoded:
    """Return pairs (instance, class) with their certificate; the value bounds itself by default."""
    certificate = DecodingCertificate(method, exact, value if bound is None else bound)
    sets = label_sets(instances.hierarchy, instances, rows, nodes)
    return Decoded(sets, value, direction, certificate)


def label_sets(
    hierarchy: Hierarchy,
    instances: LabelDistribution | NodeScores | LabelSets,
    rows: Numbers = (),
    nodes: Numbers = (),
) -> LabelSets:
    """Return label sets from (instance, class) pairs: two arrays, or two lists of parts."""
    if not isinstance(rows, np.ndarray):
        rows = np.concatenate([np.empty(0, np.int64), *rows])
        nodes = np.concatenate([np.empty(0, np.int64), *nodes])
    order = np.lexsort((nodes, rows))
    pointer = offsets(np.bincount(rows, minlength=len(instances)))
    indices = np.asarray(nodes)[order].astype(np.int32)
    sets = LabelSets.from_arrays(pointer, indices, len(hierarchy), instances.ids)
    return replace(sets, numbering=hierarchy.numbering)
