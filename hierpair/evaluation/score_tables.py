"""Tables of scores as people read them: which way round, what headings, per cent, LaTeX floats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted, did_you_mean
from hierpair.measures import Measure, measure
from hierpair.tables.formats import latex_text, number, text_width

__all__ = [
    "Block",
    "Look",
    "ScoreTable",
    "by_system",
    "captioned",
    "each_of",
    "equal_columns",
    "laid_out",
    "measure_called",
]

WIDTH = 100
"""Columns of a terminal that a table of text is made for."""


@dataclass(frozen=True)
class Block:
    """A table as people read it: rounded, with a title, cells to set bold, notes below LaTeX."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    best: Sequence[set[int]] = ()
    align: str | None = None
    fold: bool = False
    foot: Sequence[str] = ()


@dataclass(frozen=True)
class Look:
    """How a table of scores is shown; data forms such as CSV do not depend on it.

    Attributes
    ----------
    digits
        Decimals; by default 4, of values in per cent 2.
    percent
        Values of measures that are shares of 1 are multiplied by 100, which the heading says.
    transpose
        Measures as rows and systems as columns, instead of systems as rows as in papers.
    rename
        New names of systems and measures by their old ones.
    caption, label
        Make the LaTeX tabular a table with these; the caption is plain text.
    """

    digits: int | None = None
    percent: bool = False
    transpose: bool = False
    rename: Mapping[str, str] = field(default_factory=dict)
    caption: str | None = None
    label: str | None = None

    def __post_init__(self) -> None:
        if self.digits is not None and self.digits < 0:
            raise BadInput(f"digits must be at least 0, got {self.digits}")
        if self.label is not None and not re.fullmatch(r"[\w:.+/-]+", self.label, re.ASCII):
            raise BadInput(
                f"a label is one word of letters, digits and :.+/_-, such as tab:scores, got "
                f"{self.label!r}"
            )

    @property
    def decimals(self) -> int:
        """Decimals of shares; see :meth:`cell`."""
        return (2 if self.percent else 4) if self.digits is None else self.digits

    def checked(self, systems: Sequence[str], measures: Sequence[Measure]) -> Look:
        """Return the look with old names as the table spells them.

        Raises
        ------
        BadInput
            For an old name that is no system and no measure of the table, two systems that would
            share a name, and for per cent where no measure is a share.
        """
        if self.percent and not any(m.is_share for m in measures):
            raise BadInput("none of the measures is a share of 1, so none is shown in per cent")
        names = [*systems, *(m.name for m in measures)]
        renamed = {}
        for old, new in self.rename.items():
            known = old if old in names else measure_called(old, measures)
            if known is None:
                raise BadInput(
                    f"there is no system or measure {old!r} to rename{did_you_mean(old, names)}; "
                    f"there are {', '.join(names)}"
                )
            renamed[known] = new
        shown = [renamed.get(name, name) for name in systems]
        twice = next((name for name in shown if shown.count(name) > 1), None)
        if twice is not None:
            raise BadInput(f"two systems would be called {twice!r}")
        return replace(self, rename=renamed)

    def name(self, system: str) -> str:
        """Return the name of a system."""
        return self.rename.get(system, system)

    def heading(self, m: Measure, fmt: str, *, arrow: bool = True) -> str:
        """Return the name of a measure as it heads a table.

        In LaTeX as people write it (``hF (micro)``), otherwise as it is typed (``hf(average=…)``).
        """
        name = self.rename.get(m.name, m.label if fmt == "latex" else m.name)
        unit = " [%]" if self.percent and m.is_share else ""
        return f"{name}{unit}{(' ↑' if m.higher_is_better else ' ↓') if arrow else ''}"

    def cell(self, m: Measure, value: float, *, sign: bool = False) -> str:
        """Return a value of a measure."""
        shown = 100 * value if self.percent and m.is_share else value
        digits = self.decimals
        if self.percent and self.digits is None and not m.is_share:
            digits = 4
        return f"{shown:+.{digits}f}" if sign else number(shown, digits)


def measure_called(old: str, measures: Sequence[Measure]) -> str | None:
    """Return the name of the measure that is meant, in whatever order its options are given."""
    alike = [m.name for m in measures if m.definition.name == old]
    if len(alike) == 1:
        return alike[0]
    try:
        wanted = measure(old)
    except BadInput:
        return None
    return wanted.name if wanted in measures else None


@dataclass(frozen=True)
class ScoreTable:
    """Cells by system and column; a column is a measure or has a heading of its own.

    ``best`` holds, row by row, the numbers of the columns to set bold.
    """

    systems: Sequence[str]
    columns: Sequence[Measure | str]
    cells: Sequence[Sequence[str]]
    best: Sequence[set[int]] = ()
    title: str = ""

    def block(self, fmt: str, look: Look, *, transpose: bool) -> Block:
        """Return the table as rows of text, one way round or the other."""
        heads = [c if isinstance(c, str) else look.heading(c, fmt) for c in self.columns]
        names = [look.name(system) for system in self.systems]
        if not transpose:
            rows = [[name, *cells] for name, cells in zip(names, self.cells, strict=True)]
            best = [{1 + k for k in row} for row in self.best]
            return Block(["system", *heads], rows, self.title, best, fold=True)
        rows = [[head, *(cells[k] for cells in self.cells)] for k, head in enumerate(heads)]
        bold = [{1 + i for i, row in enumerate(self.best) if k in row} for k in range(len(heads))]
        return Block(["measure", *names], rows, self.title, bold if self.best else (), fold=True)


def laid_out(tables: Sequence[ScoreTable], fmt: str, look: Look) -> list[Block]:
    """Return tables with systems as rows, all the same way round.

    A text that would be wider than a terminal is turned if that makes it fit.
    """
    upright = [t.block(fmt, look, transpose=False) for t in tables]
    turned = [t.block(fmt, look, transpose=True) for t in tables]
    if look.transpose or (
        fmt == "text" and max(map(_width, upright)) > WIDTH >= max(map(_width, turned))
    ):
        return turned
    return upright


def _width(block: Block) -> int:
    columns = zip(block.header, *block.rows, strict=True)
    return sum(2 + max(map(text_width, column)) for column in columns) - 2


def equal_columns(
    values: NDArray[np.float64], measures: Sequence[Measure], look: Look
) -> tuple[list[int], list[str]]:
    """Return the numbers of measures of which no earlier one has the same values, and notes.

    Parameters
    ----------
    values
        Shape ``(n_systems, n_measures)``.
    measures
        Their measures; one where higher is better and one where lower is are never the same.
    look
        What the measures are called.
    """
    names = [look.rename.get(m.name, m.name) for m in measures]
    kept: list[int] = []
    same: dict[int, list[str]] = {}
    for k, m in enumerate(measures):
        first = next((j for j in kept if measures[j].higher_is_better == m.higher_is_better
                      and np.allclose(values[:, j], values[:, k], rtol=1e-12, atol=0,
                                      equal_nan=True)), None)  # fmt: skip
        if first is None:
            kept.append(k)
        else:
            same.setdefault(first, []).append(names[k])
    what = "the same value as" if len(values) == 1 else "for all systems the same values as"
    return kept, [f"{', '.join(others)}: {what} {names[j]}" for j, others in same.items()]


def heading_of(name: str, fmt: str) -> str:
    """Return what a measure is called at the head of a table in this form, by its name.

    >>> heading_of("hf(average=micro)", "latex"), heading_of("hf(average=micro)", "text")
    ('hF (micro)', 'hf(average=micro)')
    """
    try:
        return measure(name).label if fmt == "latex" else name
    except BadInput:  # a name with a function of the user's own does not parse back
        return name


def by_system(
    counts: Mapping[str, int], systems: Sequence[str], thing: str, words: str
) -> list[str]:
    """Return a line for every number of things above 0, one for all systems with the same.

    >>> by_system({"y_true": 1, "a": 2, "b": 2, "c": 0}, ["a", "b", "c"], "label", "left out")
    ['y_true: 1 label left out', 'each of a, b: 2 labels left out']
    """
    alike: dict[int, list[str]] = {}
    for name in systems:
        if counts.get(name):
            alike.setdefault(counts[name], []).append(name)
    others = {name: n for name, n in counts.items() if n and name not in systems}
    return [
        *(f"{name}: {counted(n, thing)} {words}" for name, n in others.items()),
        *(f"{each_of(of, systems)}: {counted(n, thing)} {words}" for n, of in alike.items()),
    ]


Said = tuple[str, str, str]
"""System, measure, and what is said of them."""


def together(said: Iterable[Said], systems: Sequence[str]) -> list[str]:
    """Return a line for all of these systems and measures of which the same is said.

    >>> together([("a", "hf", "1 x"), ("b", "hf", "1 x"), ("b", "hp", "2 x")], ["a", "b"])
    ['each of the 2 systems, hf: 1 x', 'b, hp: 2 x']
    """
    measures: dict[tuple[str, str], list[str]] = {}
    for system, name, text in said:
        if system in systems:
            measures.setdefault((system, text), []).append(name)
    alike: dict[str, list[str]] = {}
    for (system, text), names in measures.items():
        alike.setdefault(f"{', '.join(names)}: {text}", []).append(system)
    return [f"{each_of(of, systems)}, {line}" for line, of in alike.items()]


def each_of(some: Sequence[str], systems: Sequence[str]) -> str:
    """Return whom a number belongs to: a system, or each of several."""
    if len(some) == 1:
        return some[0]
    every = len(some) == len(systems)
    return f"each of {f'the {len(systems)} systems' if every else ', '.join(some)}"


def captioned(latex: str, caption: str | None, label: str | None) -> str:
    r"""Return LaTeX whose first tabular stands in a table with a caption and a label.

    >>> print(captioned("\\begin{tabular}{l}\nx\n\\end{tabular}", "50 % of all", "tab:x"))
    \begin{table}
    \centering
    \caption{50 \% of all}
    \label{tab:x}
    \begin{tabular}{l}
    x
    \end{tabular}
    \end{table}
    """
    if caption is None and label is None:
        return latex
    start, end = "\n\\begin{tabular}", "\n\\end{tabular}"  # no name in a comment opens a line
    head = ["\\begin{table}\n\\centering"]
    if caption is not None:
        head.append(f"\\caption{{{latex_text(' '.join(caption.split()))}}}")
    if label is not None:
        head.append(f"\\label{{{label}}}")
    before, _, rest = f"\n{latex}".partition(start)
    inside, _, after = rest.partition(end)
    opened = "\n".join([before, *head]).removeprefix("\n")
    return "".join([opened, start, inside, end, "\n\\end{table}", after])
