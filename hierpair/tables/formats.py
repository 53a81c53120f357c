"""Tables out: aligned text, Markdown, LaTeX, CSV, TSV, JSON."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import textwrap
import unicodedata
from collections.abc import Sequence

from hierpair.errors import BadInput, visible

__all__ = [
    "any_table", "csv_table", "folded_table", "latex_listing", "latex_table", "latex_text",
    "markdown_table", "number", "spreadsheet_safe", "text_table", "text_width",
]  # fmt: skip


def number(value: float, digits: int) -> str:
    """Return a value with so many decimals; one that would show as 0 keeps two digits.

    >>> number(2 / 3, 4), number(0.0, 4), number(9.01e-6, 4), number(float("nan"), 4)
    ('0.6667', '0.0000', '9.0e-06', 'nan')
    """
    if math.isnan(value):
        return "nan"
    tiny = value != 0 and float(f"{value:.{digits}f}") == 0
    return f"{value:.1e}" if tiny else f"{value:.{digits}f}"


def text_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], align: str | None = None
) -> str:
    """Return an aligned table; ``align`` has an l or r per column (default: l, then r).

    Line ends and signs that steer a terminal are spelled out in cells.

    >>> print(text_table(["measure", "A"], [["hf", "0.5"]]))
    measure    A
    hf       0.5
    """
    header, rows = [*map(visible, header)], [[*map(visible, row)] for row in rows]
    widths = [max(map(text_width, column)) for column in zip(header, *rows, strict=True)]
    sides = align or "l" + "r" * (len(header) - 1)
    lines = []
    for row in [header, *rows]:
        cells = [_pad(*cell) for cell in zip(row, widths, sides, strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def folded_table(header: Sequence[str], rows: Sequence[Sequence[str]], width: int = 100) -> str:
    """Return an aligned table in parts that are no wider than this, each with the first column.

    A row that is blank in one of several parts is left out there.

    >>> print(folded_table(["", "one", "two"], [["x", "1", "2"]], 7))
       one
    x    1
    <BLANKLINE>
       two
    x    2
    """
    widths = [2 + max(map(text_width, column)) for column in zip(header, *rows, strict=True)]
    parts: list[list[int]] = [[]]
    for k in range(1, len(header)):
        if parts[-1] and widths[0] - 2 + sum(widths[j] for j in parts[-1]) + widths[k] > width:
            parts.append([])
        parts[-1].append(k)
    shown = []
    for part in parts:
        cells = [[row[0], *(row[k] for k in part)] for row in rows]
        kept = [row for row in cells if len(parts) == 1 or any(row[1:])]
        shown.append(text_table([header[0], *(header[k] for k in part)], kept))
    return "\n\n".join(shown)


def markdown_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], best: Sequence[set[int]] = ()
) -> str:
    """Return a Markdown table; ``best`` holds the columns to set bold, row by row."""
    lines = [[_markdown(c) for c in header], ["---", *["---:"] * (len(header) - 1)]]
    for i, row in enumerate(rows):
        bold = best[i] if best else set()
        cells = [_markdown(c) for c in row]
        lines.append([f"**{c}**" if k in bold else c for k, c in enumerate(cells)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def latex_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    best: Sequence[set[int]] = (),
    foot: Sequence[str] = (),
) -> str:
    """Return a LaTeX tabular in booktabs style; ``best`` as in :func:`markdown_table`.

    ``foot`` holds notes that are printed below the last rule.
    """
    lines = [r"\begin{tabular}{l" + "r" * (len(header) - 1) + "}", r"\toprule"]
    lines += [" & ".join(map(latex_text, header)) + r" \\", r"\midrule"]
    for i, row in enumerate(rows):
        bold = best[i] if best else set()
        cells = [
            rf"\textbf{{{_latex_cell(c)}}}" if k in bold else _latex_cell(c)
            for k, c in enumerate(row)
        ]
        lines.append(" & ".join(cells) + r" \\")
    notes = [
        rf"\multicolumn{{{len(header)}}}{{l}}{{\footnotesize {latex_text(line)}}} \\"
        for note in foot
        for line in textwrap.wrap(
            note, LINE_LETTERS, break_long_words=False, break_on_hyphens=False
        )
    ]
    return "\n".join([*lines, r"\bottomrule", *notes, r"\end{tabular}"])


LINE_LETTERS, PAGE_ROWS, GAP = 80, 30, 0.03
"""Letters of a line, rows of a page, and the share of a line that is blank between two columns."""


def latex_listing(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    r"""Return a LaTeX table of texts: long ones are broken, and many rows go over pages.

    >>> print(latex_listing(["a", "b"], [["x", "≤ 1"]]).splitlines()[0])
    \begin{tabular}{ll}
    """
    texts = [*zip(header, *rows, strict=True)]
    widths = [max(map(len, column)) for column in texts]
    if sum(widths) <= LINE_LETTERS:
        columns, start = "l" * len(widths), ""
    else:
        words = [max(len(w) for text in column for w in ("", *text.split())) for column in texts]
        wanted = [min(w, max(word, 2 * w**0.5)) for w, word in zip(widths, words, strict=True)]
        room = (1 - GAP * len(widths)) / sum(wanted)
        columns = "".join(rf"p{{{room * part:.3f}\textwidth}}" for part in wanted)
        start = r"\raggedright "
    lines = [" & ".join(start + _latex_cell(c) for c in row) + r" \tabularnewline" for row in rows]
    head = [r"\toprule", " & ".join(map(latex_text, header)) + r" \tabularnewline", r"\midrule"]
    if len(rows) <= PAGE_ROWS:
        whole = [rf"\begin{{tabular}}{{{columns}}}", *head, *lines]
        return "\n".join([*whole, r"\bottomrule", r"\end{tabular}"])
    return "\n".join([
        r"% \usepackage{booktabs,longtable}", r"{\footnotesize",
        rf"\begin{{longtable}}{{{columns}}}", *head, r"\endhead", *lines,
        r"\bottomrule", r"\end{longtable}}",
    ])  # fmt: skip


def csv_table(header: Sequence[str], rows: Sequence[Sequence[object]], separator: str = ",") -> str:
    """Return comma- or tab-separated values, quoted where needed."""
    if len(separator) != 1:
        raise BadInput(f"separator must be one character, got {separator!r}")
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue().rstrip("\n")


def spreadsheet_safe(content: str, separator: str = ",") -> str:
    r"""Return separated values in which no text is a formula to a spreadsheet.

    What begins with ``= + - @``, in their wide forms too, a tab or a line end, and is no number,
    gets an apostrophe before it.

    >>> spreadsheet_safe("id,value\n=1+1,-2")
    "id,value\n'=1+1,-2"
    """
    before = csv.field_size_limit(max(len(content), 1))
    try:
        rows = list(csv.reader(io.StringIO(content, newline=""), delimiter=separator))
    finally:
        csv.field_size_limit(before)
    safe = [[f"'{c}" if c[:1] in FORMULA and not _is_number(c) else c for c in row] for row in rows]
    return csv_table(safe[0], safe[1:], separator) if safe else content


FORMULA = (*"=+-@＝＋－＠", "\t", "\r", "\n")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def any_table(
    fmt: str, header: Sequence[str], rows: Sequence[Sequence[str]], *, spreadsheet: bool = False
) -> str:
    """Return a table of texts in the form that ``--format`` names; see :func:`spreadsheet_safe`.

    >>> print(any_table("jsonl", ["a", "b"], [["1", "x"]]))
    {"a": "1", "b": "x"}
    """
    records = [dict(zip(header, row, strict=True)) for row in rows]
    if fmt == "json":
        return json.dumps(records, ensure_ascii=False, indent=2)
    if fmt == "jsonl":
        return "\n".join(json.dumps(r, ensure_ascii=False) for r in records)
    if fmt in ("csv", "tsv"):
        separator = "," if fmt == "csv" else "\t"
        content = csv_table(header, rows, separator)
        return spreadsheet_safe(content, separator) if spreadsheet else content
    if fmt == "markdown":
        return markdown_table(header, rows)
    if fmt == "latex":
        return latex_listing(header, rows)
    return text_table(header, rows, "l" * len(header))


def text_width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def _pad(text: str, width: int, side: str) -> str:
    blanks = " " * (width - text_width(text))
    return text + blanks if side == "l" else blanks + text


def _greek() -> dict[str, str]:
    """Return Greek letters in LaTeX; those that look as Latin ones have no sign of their own."""
    names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
             "lamda", "mu", "nu", "xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi",
             "chi", "psi", "omega"]  # fmt: skip
    latin = {"alpha": "A", "beta": "B", "epsilon": "E", "zeta": "Z", "eta": "H", "iota": "I",
             "kappa": "K", "mu": "M", "nu": "N", "omicron": "O", "rho": "P", "tau": "T",
             "chi": "X"}  # fmt: skip
    found = {"ς": r"$\varsigma$", "ϑ": r"$\vartheta$", "ϕ": r"$\phi$", "ϵ": r"$\epsilon$"}
    for name in names:
        sign = "lambda" if name == "lamda" else name
        small = unicodedata.lookup(f"GREEK SMALL LETTER {name}")
        large = unicodedata.lookup(f"GREEK CAPITAL LETTER {name}")
        found[small] = "$o$" if name == "omicron" else f"$\\{sign}$"
        found[large] = latin.get(name, f"$\\{sign.title()}$")
    return found


LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    "“": "``", "”": "''", "‘": "`", "’": "'", "–": "--", "—": "---", "…": r"\ldots{}",
    "†": r"$^{\dagger}$", "‡": r"$^{\ddagger}$", "§": r"\S{}", "•": r"$\bullet$",
    "µ": r"$\mu$", "ℓ": r"$\ell$", "\u00a0": "~", "\u2009": r"\,", "\u202f": r"\,",
    **{sign: f"${command}$" for sign, command in {
        "−": "-", "±": r"\pm", "×": r"\times", "·": r"\cdot", "÷": r"\div", "∗": r"\ast",
        "∘": r"\circ", "°": r"^{\circ}", "¬": r"\neg", "′": r"^{\prime}",
        "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "≈": r"\approx", "≡": r"\equiv", "∼": r"\sim",
        "≪": r"\ll", "≫": r"\gg", "∝": r"\propto", "≺": r"\prec", "≻": r"\succ",
        "∞": r"\infty", "√": r"\surd", "∑": r"\sum", "∏": r"\prod", "∫": r"\int",
        "∂": r"\partial", "∇": r"\nabla", "∩": r"\cap", "∪": r"\cup", "∖": r"\setminus",
        "∅": r"\emptyset", "∈": r"\in", "∉": r"\notin", "∋": r"\ni", "⊂": r"\subset",
        "⊃": r"\supset", "⊆": r"\subseteq", "⊇": r"\supseteq", "∀": r"\forall", "∃": r"\exists",
        "∧": r"\wedge", "∨": r"\vee", "⊕": r"\oplus", "⊗": r"\otimes", "⊥": r"\bot",
        "⊤": r"\top", "∆": r"\Delta", "∥": r"\parallel", "↑": r"\uparrow", "↓": r"\downarrow",
        "←": r"\leftarrow", "→": r"\rightarrow", "↔": r"\leftrightarrow", "⇐": r"\Leftarrow",
        "⇒": r"\Rightarrow", "⇔": r"\Leftrightarrow", "⇄": r"\leftrightarrow",
        "⟨": r"\langle", "⟩": r"\rangle", "⌈": r"\lceil", "⌉": r"\rceil", "⌊": r"\lfloor",
        "⌋": r"\rfloor", "⋅": r"\cdot", "⋯": r"\cdots",
    }.items()},
    **{sign: f"$^{{{plain}}}$" for sign, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿⁱ", "0123456789+-ni",
                                                      strict=True)},
    **{sign: f"$_{{{plain}}}$" for sign, plain in zip("₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₙ", "0123456789+-ijn",
                                                      strict=True)},
    **_greek(),
}  # fmt: skip
"""What plain LaTeX does not print as it stands, without packages; letters with accents it knows."""


MARKDOWN = {
    "&": "&amp;", "<": "&lt;", ">": "&gt;", **{c: f"\\{c}" for c in "\\`*[]|"},
}  # fmt: skip
"""Signs that Markdown would take for a cell, a link, emphasis or HTML."""


def _markdown(text: str) -> str:
    return "".join(MARKDOWN.get(c, c) for c in visible(text))


def latex_text(text: str) -> str:
    r"""Return a text as LaTeX prints it.

    >>> latex_text("Ours_α ≥ 5 %")
    'Ours\\_$\\alpha$ $\\ge$ 5 \\%'
    """
    return "".join(LATEX.get(c, c) for c in visible(unicodedata.normalize("NFC", text)))


NEGATIVE = re.compile(r"(?<![\w.\-])-(?=\.?\d|inf\b|∞)")


def _latex_cell(text: str) -> str:
    """Return a cell as LaTeX prints it; numbers below 0 have a minus sign, not a hyphen."""
    return latex_text(NEGATIVE.sub("−", text))
