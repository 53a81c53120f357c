"""Explanations as aligned tables."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from hierpair.explanation.evidence import (
    ConfusionEvidence,
    ExtensionEvidence,
    LabelRow,
    PairEvidence,
    SetEvidence,
)
from hierpair.tables.formats import number, text_table

if TYPE_CHECKING:
    from hierpair.explanation.explaining import Explanation

__all__ = ["explanation_text", "with_amounts"]

MOST_PAIRS = 40
"""With more pairs than this, only chosen and cheap ones are listed."""

MOST_CLASSES = 60
"""Of more classes or edges in a line than this, the first ones are listed, and how many are not."""


def explanation_text(why: Explanation, digits: int = 4) -> str:
    """Return the explanation of one instance as text."""
    arrow = "higher is better" if why.measure.higher_is_better else "lower is better"
    parts = [
        f"{why.measure.name} {_value(why, digits)} ({arrow}) "
        f"for instance {why.instance} of {why.system}",
        text_table(
            ["", ""],
            [["true", _listed(why.y_true)], ["predicted", _listed(why.y_pred)]],
            "ll",
        ).lstrip("\n"),
    ]
    if isinstance(why.evidence, PairEvidence):
        parts += _pairing(why.evidence, digits)
    elif isinstance(why.evidence, ExtensionEvidence):
        parts += _graphs(why.evidence)
    elif isinstance(why.evidence, ConfusionEvidence):
        parts.append(_confusion(why.evidence))
    else:
        parts.append(_sets(why.evidence, digits))
    formula = why.measure.definition.formula
    return "\n\n".join([*parts, f"formula: {formula}\n{why.measure.of_instance}"])


def _value(why: Explanation, digits: int) -> str:
    """Return ``= 0.5``, or that there is none."""
    blocked = isinstance(why.evidence, PairEvidence) and why.evidence.blocking
    return "has no value: no pairing is possible" if blocked else f"= {number(why.value, digits)}"


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


def _listed(names: Sequence[Hashable]) -> str:
    left_out = len(names) - MOST_CLASSES
    more = [f"and {left_out:,} more (JSON has all)"] if left_out > 0 else []
    return ", ".join([*map(str, names[:MOST_CLASSES]), *more]) or "(none)"


def _pairing(evidence: PairEvidence, digits: int) -> list[str]:
    parts = []
    rows = _pair_rows(evidence, digits)
    if rows:
        parts.append(text_table(["", "predicted", "true", "cost", "slack"], rows, "lllrr"))
    left_out = len(evidence.pairs) - len(rows)
    if left_out:
        parts.append(f"{left_out} dearer pairs are not listed; JSON has all")
    labels = [
        _label(side, row, digits)
        for side, of_side in (("predicted", evidence.predicted), ("true", evidence.true))
        for row in of_side
    ]
    header = ["side", "class", "partners", "allowed", "missing", "default", "dual price"]
    parts.append(text_table(header, labels, "llrrrrr"))
    parts += [f"bound: {text}" for text in evidence.bounds]
    parts.append(_proof(evidence, digits))
    return parts


def _pair_rows(evidence: PairEvidence, digits: int) -> list[list[str]]:
    """Return chosen pairs first, then the others by cost."""
    order = sorted(evidence.pairs, key=lambda p: (not p.chosen, p.cost))
    if len(order) > MOST_PAIRS:
        seen: dict[tuple[int, int], int] = {}
        kept = []
        for p in order:
            ends = [(0, p.predicted), (1, p.true)]
            if p.chosen or any(seen.get(end, 0) < 2 for end in ends):
                kept.append(p)
                for end in ends:
                    seen[end] = seen.get(end, 0) + 1
        order = kept
    return [
        [
            "●" if p.chosen else "",
            str(evidence.predicted[p.predicted].name),
            str(evidence.true[p.true].name),
            cost_text(p.cost, digits) + ("" if p.allowed else " forbidden"),
            cost_text(p.slack, digits),
        ]
        for p in order
    ]


def _label(side: str, row: LabelRow, digits: int) -> list[str]:
    allowed = str(row.lower) if row.lower == row.upper else f"{row.lower}…{row.upper}"
    return [
        side,
        str(row.name),
        str(row.n_partners),
        allowed,
        str(row.n_missing) if row.n_missing else "",
        cost_text(row.default, digits),
        cost_text(row.dual, digits),
    ]


def _proof(evidence: PairEvidence, digits: int) -> str:
    """Return the sum that is the cost, and what proves that no pairing is cheaper."""
    if evidence.blocking:
        return "\n".join(
            [
                f"no pairing: {evidence.why}",
                "these cannot hold together; without any one of them the others could:",
            ]
            + [f"- {row.text}" for row in evidence.blocking]
        )
    chosen = [p.cost for p in evidence.pairs if p.chosen]
    missing = [
        f"{row.n_missing} × {cost_text(row.default, digits)}" if row.n_missing > 1
        else cost_text(row.default, digits)
        for row in (*evidence.predicted, *evidence.true)
        if row.n_missing
    ]  # fmt: skip
    pairs = f"pairs {' + '.join(cost_text(p, digits) for p in chosen) or '0'}"
    defaults = f", defaults {' + '.join(missing)}" if missing else ""
    text = f"cost {cost_text(evidence.cost, digits)} = {pairs}{defaults}"
    if not evidence.optimal:
        return f"{text}\nthe flow could not be proved optimal; please report this"
    bound = cost_text(evidence.bound, digits)
    close = f" (costs were rounded; the optimum is within {evidence.gap:.1e})"
    proof = "the dual prices show that every pairing costs at least"
    if evidence.lexicographic is not None:
        whole = cost_text(evidence.lexicographic, digits)
        proof = f"with all costs in turn as one number, this pairing costs {whole}, and {proof}"
    return f"{text}\nproof: {proof} {bound}{close if evidence.gap else ''}"


def with_amounts(
    evidence: SetEvidence, names: Sequence[Hashable], digits: int = 4
) -> list[Hashable]:
    """Return the names of classes, each with its number in brackets where it has one."""
    known = dict(evidence.amounts)
    return [f"{c} ({cost_text(known[c], digits)})" if c in known else c for c in names]


def _sets(evidence: SetEvidence, digits: int) -> str:
    rows: list[tuple[str, Sequence[Hashable]]] = [
        ("in both", evidence.shared),
        ("only true", evidence.only_true),
        ("only predicted", evidence.only_predicted),
        ("not counted", evidence.excluded_classes),
        ("pruned", evidence.pruned),
    ]
    kept = [
        [name, str(len(classes)), _listed(with_amounts(evidence, classes, digits))]
        for name, classes in rows
        if classes or name not in ("not counted", "pruned")
    ]
    grown = "labels" if evidence.augment == "none" else f"labels with {evidence.augment}"
    said = f"({evidence.amount})" if evidence.amount else ""
    return "\n".join([text_table([grown, "classes", said], kept, "lrl"), *evidence.remarks])


def _graphs(evidence: ExtensionEvidence) -> list[str]:
    header = ["side", "label", "nearest partner", "lowest common ancestors"]
    rows = [
        [row.side, str(row.name), _listed(row.partners), _listed(row.lcas)]
        for row in evidence.constraints
    ]
    parts = [text_table(header, rows, "llll")] if rows else []
    if evidence.removed:
        left_out = _listed([f"{name} ({side})" for side, name in evidence.removed])
        parts.append(f"left out as ancestors of other labels of their side: {left_out}")
    found: list[tuple[str, Sequence[Hashable]]] = [
        ("in both", evidence.shared),
        ("only true", evidence.only_true),
        ("only predicted", evidence.only_predicted),
        ("chosen LCAs", evidence.lcas),
    ]
    kept = [[str(name), str(len(classes)), _listed(classes)] for name, classes in found]
    parts.append(text_table([f"{evidence.extension} graphs", "classes", ""], kept, "lrl"))
    for side, edges in (("true", evidence.edges_true), ("predicted", evidence.edges_predicted)):
        if edges:
            said = _listed([f"{parent} → {child}" for parent, child in edges])
            parts.append(f"{side} graph: {said}")
    if evidence.optimal:
        parts.append(
            "proof: no graphs that meet all constraints come before these (all aims settled)"
        )
    elif evidence.extension == "exact":
        parts.append("the time limit was over before the graphs were proved minimal")
    return parts


def _path(path: Sequence[Hashable]) -> str:
    """Return the two ends of a path, and how many classes of a long one are between them."""
    steps = list(map(str, path))
    if len(steps) > MOST_CLASSES:
        half = MOST_CLASSES // 2
        steps[half:-half] = [f"({len(steps) - 2 * half:,} more, JSON has all)"]
    return " → ".join(steps) or "(no path)"


def _confusion(evidence: ConfusionEvidence) -> str:
    rows = [
        [
            _path(row.path),
            "(no class)" if row.true is None else str(row.true),
            *(
                f"{len(classes)}  {_listed(classes) if classes else ''}".strip()
                for classes in (row.tp, row.fp, row.fn, row.tn)
            ),
        ]
        for row in evidence.rows
    ]
    fields = [(row.tp, row.fp, row.fn, row.tn) for row in evidence.rows]
    totals = [str(sum(map(len, column))) for column in zip(*fields, strict=True)] or ["0"] * 4
    rows.append(["all pairs", "", *totals])
    header = [
        f"predicted path ({evidence.pairing} pairing)",
        "true class",
        *("TP", "FP", "FN", "TN"),
    ]
    return text_table(header, rows, "llllll")
