"""The forms in which results of comparing leave the house, each with its signatures."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.errors import BadInput, did_you_mean, visible
from hierpair.evaluation.score_tables import Block, captioned
from hierpair.tables.formats import (
    csv_table,
    folded_table,
    latex_table,
    markdown_table,
    spreadsheet_safe,
    text_table,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FORMS", "Block", "Records", "json_text", "paper_form", "record_form"]

FORMS = ("text", "markdown", "latex", "csv", "tsv", "json", "jsonl")


@dataclass(frozen=True)
class Records:
    """A table as programs read it: one record per row, in full precision."""

    header: Sequence[str]
    rows: Sequence[Sequence[Any]] = field(default_factory=list)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dict per row."""
        return [dict(zip(self.header, row, strict=True)) for row in self.rows]

    def to_dataframe(self) -> pd.DataFrame:
        """Return a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(list(self.rows), columns=list(self.header))


def paper_form(
    fmt: str,
    blocks: Sequence[Block],
    notes: Sequence[str],
    signatures: Sequence[str],
    caption: str | None = None,
    label: str | None = None,
) -> str:
    """Return tables as text, Markdown or LaTeX (booktabs), with notes and signatures.

    A caption or label makes the first LaTeX tabular a table.
    """
    if fmt == "markdown":
        parts = [_titled(b, markdown_table(b.header, b.rows, b.best), "**{}**") for b in blocks]
        said = [*(f"- {visible(note)}" for note in notes), *(f"- `{s}`" for s in signatures)]
        return "\n\n".join([*parts, "\n".join(said)])
    if fmt == "latex":
        head = [f"% {visible(line)}" for line in [*notes, *signatures]]
        parts = [_titled(b, latex_table(b.header, b.rows, b.best, b.foot), "% {}") for b in blocks]
        return captioned("\n".join([*head, "\n\n".join(parts)]), caption, label)
    parts = [
        _titled(b, folded_table(b.header, b.rows) if b.fold
                else text_table(b.header, b.rows, b.align), "{}")
        for b in blocks
    ]  # fmt: skip
    return "\n\n".join([*parts, *("\n".join(map(visible, x)) for x in (notes, signatures))])


def record_form(fmt: str, records: Records, *, spreadsheet: bool = False) -> str:
    """Return records as CSV, TSV or JSON lines; ``spreadsheet``: without formulas."""
    if fmt == "jsonl":
        return "\n".join(json_text(record, indent=None) for record in records.to_dicts())
    if fmt not in ("csv", "tsv"):
        raise BadInput(f"format must be one of {', '.join(FORMS)}, got {fmt!r}"
                       f"{did_you_mean(fmt, FORMS)}")  # fmt: skip
    separator = "," if fmt == "csv" else "\t"
    content = csv_table(records.header, records.rows, separator)
    return spreadsheet_safe(content, separator) if spreadsheet else content


def json_text(data: Any, indent: int | None = 2) -> str:
    """Return JSON in full precision; NaN becomes null, numbers of NumPy become plain."""
    return json.dumps(_plain(data), ensure_ascii=False, indent=indent, allow_nan=False)


def _plain(thing: Any) -> Any:
    if isinstance(thing, dict):
        return {str(key): _plain(value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [_plain(value) for value in thing]
    if isinstance(thing, np.ndarray):
        return _plain(thing.tolist())
    if isinstance(thing, np.generic):
        return _plain(thing.item())
    if isinstance(thing, float):
        return thing if math.isfinite(thing) else None
    return thing if isinstance(thing, (str, int, bool, type(None))) else str(thing)


def _titled(block: Block, table: str, form: str) -> str:
    if not block.title:
        return table
    return f"{form.format(visible(block.title))}\n{'' if form == '% {}' else chr(10)}{table}"
