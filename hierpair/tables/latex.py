"""Tables as LaTeX (booktabs): numbers, texts, captions, and the signs of plain LaTeX."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Sequence

from hierpair.errors import visible

__all__ = ["captioned", "latex_listing", "latex_table", "latex_text"]


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
    top = [r"% \usepackage{booktabs,longtable}", r"{\footnotesize"]
    top.append(rf"\begin{{longtable}}{{{columns}}}")
    end = [r"\bottomrule", r"\end{longtable}}"]
    return "\n".join([*top, *head, r"\endhead", *lines, *end])


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


# ------------------------------------------------------- what plain LaTeX does not print as it is


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


TEXT = _pairs(r"""
\ \textbackslash{}  & \&  % \%  $ \$  # \#  _ \_  { \{  } \}  ~ \textasciitilde{}
^ \textasciicircum{}  < \textless{}  > \textgreater{}  | \textbar{}  “ ``  ” ''  ‘ `  ’ '  – --
— ---  … \ldots{}  § \S{}  Α A  Β B  Ε E  Ζ Z  Η H  Ι I  Κ K  Μ M  Ν N  Ο O  Ρ P  Τ T  Χ X
""")
"""Signs and what stands for them in text; capital Greek letters that look as Latin ones."""

MATH = _pairs(r"""
† ^{\dagger}  ‡ ^{\ddagger}  • \bullet  µ \mu  ℓ \ell  − -  ± \pm  × \times  · \cdot  ÷ \div
∗ \ast  ∘ \circ  ° ^{\circ}  ¬ \neg  ′ ^{\prime}  ≤ \le  ≥ \ge  ≠ \ne  ≈ \approx  ≡ \equiv
∼ \sim  ≪ \ll  ≫ \gg  ∝ \propto  ≺ \prec  ≻ \succ  ∞ \infty  √ \surd  ∑ \sum  ∏ \prod  ∫ \int
∂ \partial  ∇ \nabla  ∩ \cap  ∪ \cup  ∖ \setminus  ∅ \emptyset  ∈ \in  ∉ \notin  ∋ \ni
⊂ \subset  ⊃ \supset  ⊆ \subseteq  ⊇ \supseteq  ∀ \forall  ∃ \exists  ∧ \wedge  ∨ \vee  ⊕ \oplus
⊗ \otimes  ⊥ \bot  ⊤ \top  ∆ \Delta  ∥ \parallel  ↑ \uparrow  ↓ \downarrow  ← \leftarrow
→ \rightarrow  ↔ \leftrightarrow  ⇐ \Leftarrow  ⇒ \Rightarrow  ⇔ \Leftrightarrow
⇄ \leftrightarrow  ⟨ \langle  ⟩ \rangle  ⌈ \lceil  ⌉ \rceil  ⌊ \lfloor  ⌋ \rfloor  ⋅ \cdot
⋯ \cdots  ς \varsigma  ϑ \vartheta  ϕ \phi  ϵ \epsilon  α \alpha  β \beta  γ \gamma  Γ \Gamma
δ \delta  Δ \Delta  ε \epsilon  ζ \zeta  η \eta  θ \theta  Θ \Theta  ι \iota  κ \kappa
λ \lambda  Λ \Lambda  μ \mu  ν \nu  ξ \xi  Ξ \Xi  ο o  π \pi  Π \Pi  ρ \rho  σ \sigma  Σ \Sigma
τ \tau  υ \upsilon  Υ \Upsilon  φ \phi  Φ \Phi  χ \chi  ψ \psi  Ψ \Psi  ω \omega  Ω \Omega
""")
"""Signs and what stands for them between two dollars."""

HIGH = zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿⁱ", "0123456789+-ni", strict=True)
LOW = zip("₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₙ", "0123456789+-ijn", strict=True)

LATEX = {
    **TEXT,
    **{sign: f"${command}$" for sign, command in MATH.items()},
    **{sign: f"$^{{{plain}}}$" for sign, plain in HIGH},
    **{sign: f"$_{{{plain}}}$" for sign, plain in LOW},
    "\u00a0": "~",
    "\u2009": r"\,",
    "\u202f": r"\,",
}
"""Every sign and what LaTeX prints it by."""
