"""Texts as LaTeX prints them: numbers, captions, and the signs of plain LaTeX."""

from __future__ import annotations

import re
import unicodedata

from hierpair.errors import visible

LONG = 60
"""Letters of a text from which on it is broken."""


def captioned(latex: str, caption: str | None, label: str | None) -> str:
    """Return a tabular that stands in a table if it has a caption or a label."""
    if caption is None and label is None:
        return latex
    head = [r"\begin{table}", r"\centering"]
    if caption is not None:
        head.append(rf"\caption{{{latex_text(' '.join(caption.split()))}}}")
    if label is not None:
        head.append(rf"\label{{{label}}}")
    return "\n".join([*head, latex, r"\end{table}"])


def latex_text(text: str) -> str:
    r"""Return a text as LaTeX prints it.

    >>> latex_text("Ours_α ≥ 5 %")
    'Ours\\_$\\alpha$ $\\ge$ 5 \\%'
    """
    return "".join(LATEX.get(c, c) for c in visible(unicodedata.normalize("NFC", text)))


NEGATIVE = re.compile(r"(?<![\w.\-])-(?=\.?\d|inf\b|∞)")
"""A sign before a number, which is a minus and no hyphen."""


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
⊊ \subsetneq  ⋯ \cdots  ς \varsigma  ϑ \vartheta  ϕ \phi  ϵ \epsilon  α \alpha  β \beta  γ \gamma
Γ \Gamma  δ \delta  Δ \Delta  ε \epsilon  ζ \zeta  η \eta  θ \theta  Θ \Theta  ι \iota  κ \kappa
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
