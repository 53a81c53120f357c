"""What the values of the cells of a witness must obey: a small closed set of relations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["RELATIONS", "TOLERANCE", "Relation", "RelationName"]

TOLERANCE = 1e-9
"""Values that differ by less are equal: equal ratios of unequal counts can differ in the last
bit."""

RelationName = Literal["≥", ">", "=", "in [0, 1]", "triangle", "same order", "same difference"]

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Relation:
    """A relation between the values of the cells of one witness.

    Attributes
    ----------
    name
        How properties name it.
    arity
        How many cells a witness has; None: two or more.
    test
        From values, shape ``(n, arity)``, turned so that higher is better, to ``(n,)``.
    """

    name: RelationName
    arity: int | None
    test: Callable[[Values], Any]

    def holds(self, values: Values) -> NDArray[np.bool_]:
        """Whether values, shape ``(n, arity)``, obey it, witness by witness."""
        return np.asarray(self.test(values), dtype=bool)


def _sign(difference: Values) -> Values:
    return np.where(np.abs(difference) <= TOLERANCE, 0.0, np.sign(difference))


RELATIONS: dict[str, Relation] = {
    relation.name: relation
    for relation in (
        # every value is at least, or more than, the next one
        Relation("≥", None, lambda v: (v[:, :-1] >= v[:, 1:] - TOLERANCE).all(axis=1)),
        Relation(">", None, lambda v: (v[:, :-1] > v[:, 1:] + TOLERANCE).all(axis=1)),
        Relation("=", None, lambda v: (np.abs(v - v[:, :1]) <= TOLERANCE).all(axis=1)),
        # of each cell alone; values as they are, whatever is better
        Relation(
            "in [0, 1]", None, lambda v: ((v >= -TOLERANCE) & (v <= 1 + TOLERANCE)).all(axis=1)
        ),
        # of (T,T), (T,P), (T,Q), (Q,Q), (Q,P): the errors v(T,T) − v(T,P), … are lengths of ways
        Relation("triangle", 5, lambda v: v[:, 2] - v[:, 1] <= v[:, 3] - v[:, 4] + TOLERANCE),
        # the first and the second compare as the third and the fourth do
        Relation("same order", 4, lambda v: _sign(v[:, 0] - v[:, 1]) == _sign(v[:, 2] - v[:, 3])),
        Relation(
            "same difference",
            4,
            lambda v: np.abs((v[:, 0] - v[:, 1]) - (v[:, 2] - v[:, 3])) <= TOLERANCE,
        ),
    )
}
"""Every relation by name."""
