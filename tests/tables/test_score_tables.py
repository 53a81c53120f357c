"""Tables of scores on paper: headings, which way round, what is the same, LaTeX that compiles."""

import re
import unicodedata

import pytest

from hierpair import BadInput, Hierarchy, compare, measure, score, set_measure
from hierpair.comparison import agreement
from hierpair.evaluation.looks import TableLook
from hierpair.lca.graphs import SOLVED_BY
from hierpair.measures import REGISTRY
from hierpair.tables import Block, listing, show
from hierpair.tables.forms import latex_table
from hierpair.tables.latex import LATEX, latex_text
from hierpair.tables.text import text_width

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
TRUTH = [["c"], ["d"], ["e"], ["c", "e"], ["a"]] * 6
SYSTEMS = {
    "one": [["c"], ["c"], ["b"], ["c", "e"], ["a"]] * 6,
    "two_2": [["c"], ["d"], ["e"], ["d"], ["d"]] * 6,
}
MEASURES = ["hf", "hf(average=micro)", "gie(default=4)", "mgia"]


@pytest.fixture
def scores():
    return score(TREE, TRUTH, SYSTEMS, MEASURES)


@pytest.fixture
def compared(scores):
    return compare(scores, n_permutations=200, n_bootstrap=100)


def table_of(latex):
    """Return the cells of the first tabular."""
    body = latex.partition(r"\begin{tabular}")[2].partition(r"\end{tabular}")[0]
    return [line.removesuffix(r" \\").split(" & ") for line in body.splitlines() if " & " in line]


HEADINGS = """
hf: hF | hf(average=micro): hF (micro) | hf(beta=2, root=include): hF (β = 2, with root)
hp(root='a'): hP (without a) | gie: GIE | gie(default=4): GIE (Dmax = 4)
mgia(denominator=symdiff): MGIA (denominator = symdiff) | lca_f(extension=greedy): LCA F (greedy)
hcm_mcc(pairing=published): HCM MCC (published) | tree_induced_error: Tree-induced error
contribution_f(theta=mean): Con-F (θ = mean) | hp(zero_division=nan): hP (0/0 = nan)
gie(max_distance=3): GIE (max distance = 3)
"""


def test_headings_as_people_write_them():
    for heading in re.split(r" \| |\n", HEADINGS.strip()):
        name, _, label = heading.partition(": ")
        assert measure(name).label == label
    asked = ["subset_accuracy", "symmetric_difference", "symmetric_difference(root=include)"]
    head = score(TREE, TRUTH, SYSTEMS, asked).to_text().splitlines()[0].split()
    assert [x.replace("'", "") for x in head if len(x) > 1] == [
        "system",
        *asked,
    ]  # all, if asked for
    labels = [measure(name).label for name in REGISTRY]
    assert len(set(labels)) == len(labels)
    assert all("_" not in label and label == label.strip() for label in labels)
    about = {"formula": "0", "source": "none", "direction": "higher", "range": "[0, 1]"}
    for name, more in (("mine_own", {"label": "Jaccard (h)"}), ("plain_own_f", {})):
        own = set_measure(**about, **more, name=name, averages=("samples", "micro"))
        own(lambda n_true: 0 * n_true)
    assert measure("mine_own(average=micro)").label == "Jaccard (h) (micro)"
    assert measure("plain_own_f").label == "Plain own F"


def test_a_table_turned_in_per_cent_and_renamed(scores, compared):
    """Bold cells follow; values are those of the numbers; names are those that were asked for."""
    new = {"two_2": "Ours", "hf(average='micro')": "micro hF", "gie": "error"}
    for found in (scores, compared):
        upright, turned = (table_of(found.to_latex(transpose=turn)) for turn in (False, True))
        cells = [list(row) for row in zip(*upright[1:], strict=True)][1:]
        assert cells == [row[1:] for row in turned[1:]]
        assert sum(cell.startswith(r"\textbf") for row in upright for cell in row) >= len(MEASURES)
        table = table_of(found.to_latex(rename=new))
        heads = [cell.partition(" $")[0] for cell in table[0][1:5]]
        assert heads == ["hF", "micro hF", "error", "MGIA"]
        assert {row[0] for row in table[1:]} >= {"one", "Ours"}
    table = table_of(scores.to_latex(percent=True))
    assert table[0] == ["system", r"hF [\%] $\uparrow$", r"hF (micro) [\%] $\uparrow$",
                        r"GIE (Dmax = 4) $\downarrow$", r"MGIA [\%] $\uparrow$"]  # fmt: skip
    one, values = [re.sub(r"\\textbf\{(.*)\}", r"\1", cell) for cell in table[1]], scores.values[0]
    shares = [f"{100 * values[k]:.2f}" for k in (0, 1, 3)]
    assert one == ["one", *shares[:2], f"{values[2]:.4f}", shares[2]]
    assert f"{100 * values[0]:.1f}" in scores.to_text(1, percent=True)
    text, at = compared.to_text(percent=True, pairs=True), (0, 0)
    assert f"{100 * compared.values[at]:.2f}" in text
    assert f"{100 * compared.low[at]:.2f} … {100 * compared.high[at]:.2f}" in text
    assert f"{100 * compared.difference[0, 0, 1]:+.2f}" in text
    with pytest.raises(BadInput, match="share"):
        score(TREE, TRUTH, SYSTEMS, ["gie"]).to_text(percent=True)


def test_caption_label_and_headings_of_other_tables(scores, compared):
    for found in (scores, compared):
        latex = found.to_latex(caption="50 % of a_b & c\nare right", label="tab:x-1")
        assert r"\caption{50 \% of a\_b \& c are right}" in latex
        assert latex.index(r"\caption") < latex.index(r"\label{tab:x-1}") < latex.index("tabular")
        assert latex.rstrip().endswith(r"\end{table}")
        assert r"\begin{table}" not in found.to_latex()
    for bad in ("a b", "{x}", "a%", "", "ä"):
        with pytest.raises(BadInput, match="label"):
            TableLook(label=bad)
    latex = agreement(scores).to_table("latex")
    assert r"& hF & hF (micro) & GIE (Dmax = 4) & MGIA \\" in latex
    assert "hf(average='micro')" in agreement(scores).to_table("text")


def test_notes_of_systems_with_the_same_numbers_are_one_line():
    """As many as say it are named, and all of them by their number."""
    one = dict(enumerate(SYSTEMS["one"]))
    given = {"less": dict([*one.items()][2:]), "few": dict([*one.items()][5:]), "one": one}

    def notes(*names):
        systems = {f"{name} {k}": given[name] for k, name in enumerate(names)}
        found = score(TREE, dict(enumerate(TRUTH)), systems, ["hf"], missing="empty").notes
        return [note.partition(" with")[0] for note in found if "without prediction" in note]

    assert notes("less", "less") == ["each of the 2 systems: 2 instances"]
    wanted = ["each of less 0, less 1: 2 instances", "few 2: 5 instances"]
    assert notes("less", "less", "few", "one") == wanted
    names = ["tree_induced_error", "mean_cost(cost=hops)"]
    systems = {"x": [["a", "b"], ["c"]], "y": [["a", "b"], ["c"]]}
    for more, who in (({}, "the 2 systems"), ({"z": [["a"], ["c"]]}, "x, y")):
        found = score(TREE, [["a"], ["c"]], systems | more, names, on_infeasible="nan")
        lines = [note for note in found.notes if "without a possible pairing" in note]
        wanted = [f"each of {who}, {m.name}" for m in found.measures]
        assert [line.partition(": ")[0] for line in lines] == wanted


@pytest.mark.parametrize("n", [1, 2, 8, 20])
def test_text_is_readable_in_100_columns(n):
    systems = {f"a system with a name {k}": SYSTEMS["one"] for k in range(n)}
    found = score(TREE, TRUTH, systems, keep_classes=True)
    texts = [found.to_text(transpose=turn) for turn in (False, True)]
    for text in texts:
        assert all(m.name in text for m in found.measures)
        assert "a system with a name 0" in text
    if n == 2:
        compared = compare(found, n_permutations=50, n_bootstrap=50)
        texts += [compared.to_text(), str(agreement(found))]
    for text in texts:
        tables = re.split(r"\n\n(?=9|30 instances|no interval|hf\()", text)[0]
        assert max(map(text_width, tables.splitlines())) <= 100


# ------------------------------------------------------------------------------ LaTeX


def test_every_sign_of_the_registry_is_known_to_plain_latex():
    texts = [text for d in REGISTRY.values()
             for text in (d.name, d.range, d.formula, d.source, d.summary, d.direction)]  # fmt: skip
    signs = {c for text in [*texts, *SOLVED_BY] for c in text if not c.isascii()}
    assert len(signs) > 10
    for sign in signs - LATEX.keys():
        base, *marks = unicodedata.normalize("NFD", sign)
        assert (base.isascii(), base.isalpha(), len(marks)) == (True, True, 1), sign
    assert latex_text("Ours_α") == r"Ours\_$\alpha$"
    assert latex_text("Ω Α Λ ο ² ₀ − ∩") == (r"$\Omega$ A $\Lambda$ $o$ $^{2}$ $_{0}$ $-$ $\cap$")
    assert latex_text("u\u0308ber") == "über"  # without a letter for it, LaTeX fails at the mark


def test_numbers_below_0_have_a_minus_sign_and_long_texts_are_broken():
    rows = [["a-1", "-0.0478"], ["b", "0.1 [-0.2, -.3]"], ["c", "9.0e-06"], ["d", "2020-01"]]
    table = latex_table(Block(["", "x"], rows, best=[{1}, set(), set(), set()]))
    assert r"a-1 & \textbf{$-$0.0478} \\" in table.splitlines()
    for cell in ("0.1 [$-$0.2, $-$.3]", "9.0e-06", "2020-01"):
        assert cell in table
    table = show(listing(["a", "b"], [["x", "long " * 40]]), "latex")
    assert r"{lp{0.4\textwidth}}" in table
