"""The confusion matrix of one instance, in names: every pair with its fields."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hierpair.confusion import CONFUSION_RULE, FIELDS, Confusion, fields_of
from hierpair.hierarchy import Hierarchy
from hierpair.measures.evidence.base import (
    MOST_CLASSES,
    Evidence,
    Name,
    listed_classes,
)
from hierpair.measures.evidence.flow_rows import pair_evidence
from hierpair.measures.evidence.flows import FlowEvidence
from hierpair.measures.evidence.neighbourhoods import ClassNode, Neighbourhood, edges_within
from hierpair.pairing import formulate
from hierpair.tables import Block

__all__ = ["ConfusionEvidence", "ConfusionRow", "confusion_evidence"]

BLANK = "(blank)"
"""Name of a blank label that counts."""

MOST_ROWS = 40
"""Of more pairs than this the first ones are listed, and how many are not."""


@dataclass(frozen=True)
class ConfusionRow:
    """A predicted path with its true class, or one of both without partner.

    Attributes
    ----------
    path
        The predicted path from the root; empty for a true class without partner.
    true
        The true class; None for a path without partner.
    tp, fp, fn, tn
        Classes in each field. The shortest true path is the root, TP, then FN.
    """

    path: tuple[Name, ...]
    true: Name | None
    tp: tuple[Name, ...]
    fp: tuple[Name, ...]
    fn: tuple[Name, ...]
    tn: tuple[Name, ...]


@dataclass(frozen=True)
class ConfusionEvidence(Evidence):
    """The hierarchical confusion matrix of an instance, pair by pair.

    Attributes
    ----------
    pairing
        ``"exact"`` or ``"published"``.
    rows
        The pairs, then paths, then true classes without partner.
    proof
        Of the exact pairing: its costs under :data:`~hierpair.confusion.CONFUSION_RULE` (FP, then
        FN, then TN missed) and the proof that none is better; a path is called by its end.
    """

    pairing: str
    rows: tuple[ConfusionRow, ...]
    proof: FlowEvidence | None = None

    kind: ClassVar[str] = "confusion"

    @property
    def columns(self) -> Mapping[str, float]:
        """The numbers of classes in the fields of all pairs."""
        tp, fp, fn, tn = self._totals()
        return {"tp": tp, "fp": fp, "fn": fn, "tn": tn}

    def _totals(self) -> list[int]:
        fields = [(row.tp, row.fp, row.fn, row.tn) for row in self.rows]
        return [sum(map(len, column)) for column in zip(*fields, strict=True)] or [0] * 4

    def parts(self, digits: int) -> Sequence[str | Block]:
        """Return the pairs with their fields."""
        rows = [
            [
                _path_text(row.path),
                "(no class)" if row.true is None else str(row.true),
                *(
                    f"{len(classes)}  {listed_classes(classes) if classes else ''}".strip()
                    for classes in (row.tp, row.fp, row.fn, row.tn)
                ),
            ]
            for row in self.rows[:MOST_ROWS]
        ]
        left_out = len(self.rows) - len(rows)
        notes = [f"{left_out:,} more pairs are not listed; JSON has all"] * (left_out > 0)
        rows.append(["all pairs", "", *map(str, self._totals())])
        header = [f"predicted path ({self.pairing} pairing)", "true class", *FIELDS]
        block = Block(header, rows, align="llllll", foot=notes)
        return [block] if self.proof is None else [block, self.proof.proof_text(digits)]

    def around(
        self,
        hierarchy: Hierarchy,
        true: NDArray[np.integer],
        predicted: NDArray[np.integer],
        most: int,
    ) -> Neighbourhood:
        """Return all classes in a field, and the root, with their fields."""
        found: dict[int, set[str]] = {int(hierarchy.root_indices[0]): set()}
        position, names = hierarchy.position, hierarchy.names
        for row in self.rows:
            for field, classes in zip(FIELDS, (row.tp, row.fp, row.fn, row.tn), strict=True):
                for name in classes:
                    if name in position:
                        found.setdefault(position[name], set()).add(field)
        order = sorted(found)
        place = {c: i for i, c in enumerate(order)}
        ends = {row.path[-1] for row in self.rows if row.path}
        known = {row.true for row in self.rows if row.true is not None}
        nodes = tuple(
            ClassNode(
                names[c],
                int(hierarchy.levels[c]),
                names[c] in known,
                names[c] in ends,
                bool(found[c] & {"TP", "FN"}),
                bool(found[c] & {"TP", "FP"}),
            )
            for c in order
        )
        pairs = tuple(
            (place[position[row.path[-1]]], place[position[row.true]])
            for row in self.rows
            if row.path and row.true is not None and row.path[-1] in position
        )
        fields = tuple(tuple(f for f in FIELDS if f in found[c]) for c in order)
        return Neighbourhood(nodes, edges_within(hierarchy, order), pairs, fields=fields)


def _path_text(path: Sequence[Hashable]) -> str:
    """Return the two ends of a path, and how many classes of a long one are between them."""
    steps = list(map(str, path))
    if len(steps) > MOST_CLASSES:
        half = MOST_CLASSES // 2
        steps[half:-half] = [f"({len(steps) - 2 * half:,} more, JSON has all)"]
    return " → ".join(steps) or "(no path)"


def confusion_evidence(hierarchy: Hierarchy, found: Confusion, pairing: str) -> ConfusionEvidence:
    """Spell out the fields of a batch of one."""
    fields = fields_of(found)
    names = [*hierarchy.names, BLANK]
    ends = found.pairs.true_labels.classes
    rows = []
    for owner, (path, true) in enumerate(_owners(found)):
        mine = fields.owner == owner
        tp, fp, fn, tn = (
            tuple(names[c] for c in fields.classes[mine & (fields.field == k)].tolist())
            for k in range(len(FIELDS))
        )
        rows.append(
            ConfusionRow(
                () if path is None else _path(found, names, path),
                None if true is None else names[ends[true]],
                tp,
                fp,
                fn[::-1],  # they come from below
                tn,
            )
        )
    proof = None
    if pairing == "exact":
        proof = pair_evidence(formulate(CONFUSION_RULE, found.pairs), found.pairing)
    return ConfusionEvidence(pairing, tuple(rows), proof)


def _owners(found: Confusion) -> list[tuple[int | None, int | None]]:
    """Return (path, true class) of the chosen pairs, then paths, then classes without partner."""
    chosen, missing = found.pairing.chosen, found.pairing.missing
    path, true = found.pairs.predicted_at[chosen], found.pairs.true_at[chosen]
    pairs: list[tuple[int | None, int | None]] = list(
        zip(path.tolist(), true.tolist(), strict=True)
    )
    pairs += [(int(k), None) for k in np.flatnonzero(missing["predicted"])]
    pairs += [(None, int(k)) for k in np.flatnonzero(missing["true"])]
    return pairs


def _path(found: Confusion, names: list[Hashable], path: int) -> tuple[Hashable, ...]:
    paths = found.pairs.paths
    lo, hi = paths.node_ptr[path : path + 2]
    blank = (BLANK,) * int(paths.beyond[path])
    return tuple(names[c] for c in paths.nodes[lo:hi].tolist()) + blank
