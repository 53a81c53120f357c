"""LaTeX compiles as it comes, whatever stands in cells, and numbers below 0 have a minus sign."""

from __future__ import annotations

import shutil
import subprocess
import unicodedata

import pytest

from hierpair.cli.main import main
from hierpair.lca.graphs import SOLVED_BY
from hierpair.measures import REGISTRY
from hierpair.tables import Block, listing, show
from hierpair.tables.forms import latex_table
from hierpair.tables.latex import LATEX, latex_text

FILES = {"tree.tsv": "r\ta\nr\tb\n", "truth.tsv": "x\ta\ny\tb\n", "Ours_α.tsv": "x\ta\ny\ta\n"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_sign_of_the_registry_is_known_to_plain_latex():
    texts = [
        text
        for d in REGISTRY.values()
        for text in (d.name, d.range, d.formula, d.source, d.summary, d.direction)
    ]
    signs = {c for text in [*texts, *SOLVED_BY] for c in text if not c.isascii()}
    assert len(signs) > 10
    for sign in signs - LATEX.keys():
        base, *marks = unicodedata.normalize("NFD", sign)
        assert base.isascii(), sign
        assert base.isalpha(), sign
        assert len(marks) == 1, sign


def test_signs():
    assert latex_text("Ours_α") == r"Ours\_$\alpha$"
    assert latex_text("Ω Α Λ ο ² ₀ − ∩") == (r"$\Omega$ A $\Lambda$ $o$ $^{2}$ $_{0}$ $-$ $\cap$")
    assert latex_text("u\u0308ber") == "über"  # without a letter for it, LaTeX fails at the mark


def test_numbers_below_0_have_a_minus_sign():
    rows = [["a-1", "-0.0478"], ["b", "0.1 [-0.2, -.3]"], ["c", "9.0e-06"], ["d", "2020-01"]]
    table = latex_table(Block(["", "x"], rows, best=[{1}, set(), set(), set()]))
    assert r"a-1 & \textbf{$-$0.0478} \\" in table.splitlines()
    assert "0.1 [$-$0.2, $-$.3]" in table
    assert "9.0e-06" in table
    assert "2020-01" in table


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX is installed")
def test_latex_of_all_verbs_compiles(folder, capsys):
    parts = ["".join(LATEX[c] + "\n" for c in sorted(LATEX))]
    for words in (
        ["measures"],
        ["measures", "hf"],
        ["verify", "--list"],
        ["verify", "kosmopoulos2014-figure17a"],
        ["score", "tree.tsv", "truth.tsv", "Ours_α.tsv"],
    ):
        assert main([*words, "--format", "latex"]) == 0
        parts.append(capsys.readouterr().out)
    whole = "\n\n".join(parts)
    (folder / "t.tex").write_text(
        "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
        f"{whole}\n\\end{{document}}\n",
        "utf-8",
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"], cwd=folder,
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]


def test_long_texts_are_broken():
    table = show(listing(["a", "b"], [["x", "long " * 40]]), "latex")
    assert r"{lp{0.4\textwidth}}" in table
