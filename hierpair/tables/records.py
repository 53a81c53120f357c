"""What a result shows: records for programs, and a page of rounded tables for readers."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from hierpair._version import __version__
from hierpair.tables.text import Rows, Texts

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Records:
    """A table as programs read it: one record per row, in full precision."""

    header: Texts
    rows: Sequence[Sequence[Any]] = field(default_factory=list)

    @classmethod
    def from_dicts(cls, rows: Sequence[dict[str, Any]]) -> Records:
        """Return records from one dict per row, all with the same names; at least one."""
        return cls(list(rows[0]), [list(row.values()) for row in rows])

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dict per row."""
        return [dict(zip(self.header, row, strict=True)) for row in self.rows]

    def headed(self, heads: Mapping[str, str]) -> tuple[list[str], list[list[Any]]]:
        """Return the headings of the fields that have one, and what stands below them."""
        names = [name for name in heads if name in self.header]
        rows = [[record[name] for name in names] for record in self.to_dicts()]
        return [heads[name] for name in names], rows

    def to_dataframe(self) -> pd.DataFrame:
        """Return a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(list(self.rows), columns=list(self.header))


@dataclass(frozen=True)
class Block:
    """One table as people read it: every cell is a text.

    Attributes
    ----------
    header, rows
        Headings, and cells row by row.
    title
        Stands above the table.
    best
        Numbers of the columns to set bold, row by row.
    align
        An l or r per column (default: l, then r).
    fold
        Whether aligned text that is too wide goes into parts below each other; or ``"cells"``:
        long texts go on in further lines.
    foot
        Notes that LaTeX prints below the table.
    """

    header: Texts
    rows: Rows
    title: str = ""
    best: Sequence[set[int]] = ()
    align: str | None = None
    fold: bool | Literal["cells"] = False
    foot: Texts = ()


@dataclass(frozen=True)
class Page:
    """Tables with what has to be known beside them, and the caption and label of the first."""

    blocks: Sequence[Block]
    notes: Texts = ()
    signatures: Texts = ()
    caption: str | None = None
    label: str | None = None


@dataclass(frozen=True)
class Form:
    r"""A form of output.

    Attributes
    ----------
    name
        What ``--format`` and ``to_table`` call it.
    show
        From the content of a result and this form to a text.
    endings
        Endings of output files that stand for it, such as ``".md"``.
    paper
        Made to be read: rounded tables with notes; otherwise records in full precision.
    typeset
        Measures are headed as papers write them (``hF (micro)``), not as they are typed.
    separator
        Between two values of a line, for forms that spreadsheets open.

    Examples
    --------
    >>> def bare(content, form):
    ...     return "\n".join(str(row) for row in content.records().rows)
    >>> Form("bare", bare).paper
    False
    """

    name: str
    show: Callable[[Content, Form], str]
    endings: tuple[str, ...] = ()
    paper: bool = False
    typeset: bool = False
    separator: str | None = None


@dataclass(frozen=True)
class Content:
    """What a result gives to be shown in any form.

    Attributes
    ----------
    records
        Makes the records.
    page
        Makes the rounded tables for a form, which says how headings are spelled.
    data
        Makes what a JSON object holds; by default it is the list of records.
    """

    records: Callable[[], Records]
    page: Callable[[Form], Page]
    data: Callable[[], Any] | None = None

    def facts(self) -> Any:
        """Return what a JSON object holds."""
        return self.data() if self.data else self.records().to_dicts()


def listing(header: Texts, rows: Rows) -> Content:
    """Return a table of texts, the same for programs and for readers."""
    block = Block(header, rows, align="l" * len(header))
    return Content(lambda: Records(header, rows), lambda form: Page([block]))


def pinned(what: str, *more: str, **how: Any) -> str:
    """Return one line that pins how something was computed; what is None is left out.

    >>> pinned("agreement", of="systems", level=0.95, seed=None).rpartition("|")[0]
    'agreement(of=systems,level=0.95)'
    """
    told = {k: f"{x:g}" if isinstance(x, float) else x for k, x in how.items() if x is not None}
    options = ",".join(f"{name}={value}" for name, value in told.items())
    return "|".join([f"{what}({options})", *more, f"hierpair {__version__}"])


def json_text(data: Any, indent: int | None = 2) -> str:
    """Return JSON in full precision; NaN becomes null, numbers of NumPy become plain, and what has
    no form of its own its text.

    >>> json_text({"value": float("nan"), "of": (1, 2j)}, indent=None)
    '{"value": null, "of": [1, "2j"]}'
    """
    return json.dumps(_plain(data), ensure_ascii=False, indent=indent, allow_nan=False)


def _plain(thing: Any) -> Any:
    if thing is None or isinstance(thing, (str, int)):
        return thing
    if isinstance(thing, float):
        return float(thing) if math.isfinite(thing) else None
    if isinstance(thing, dict):
        return {str(key): _plain(value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [_plain(value) for value in thing]
    return _plain(thing.tolist()) if hasattr(thing, "tolist") else str(thing)
