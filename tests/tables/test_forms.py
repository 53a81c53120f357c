"""Every result in every form, on a page of a notebook and on paper, with names that are HTML, scripts or endless."""

import csv
import io
import json
import re
import unicodedata
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import hierpair as hp
from hierpair import BadInput, Hierarchy, NodeScores, compare, explain, measure, score
from hierpair.checks import Finding, Report
from hierpair.cli import main
from hierpair.comparison import agreement, by_depth, differ, discrimination, respond, sensitivity
from hierpair.evaluation.looks import TableLook
from hierpair.explanation import FieldEvidence
from hierpair.lca.graphs import SOLVED_BY
from hierpair.measures import REGISTRY
from hierpair.metrics import classification_report, score_like
from hierpair.probabilistic import pooled_curve
from hierpair.tables import FORMS, Block, Form, listing, show
from hierpair.tables import Page as PageOfTables
from hierpair.tables.forms import html_page, latex_table, small_page
from hierpair.tables.latex import LATEX, latex_text
from hierpair.tables.records import Records
from hierpair.tables.result import crossed
from hierpair.tables.text import folded_table, text_table, text_width
from hierpair.verification import verify
from hierpair.verification.printed import CaseRemark, Verdict, Verification

LONG = "x" * 10_000
NASTY = [
    "<script>alert('s')</script>", "</td></table><b>", "\"quoted\" & 'single'", "&lt;b&gt; &#60;",
    "<img src=x onerror=alert(1)>", "-->]]><!--", "\u202eabc\u2066", "שלום עולם", "🧀👩‍👩‍👧", "\ud800lone\udfff",
    "a\nb\tc\x00\x1b[31m", "{{ 7*7 }} ${x} %s {0}", LONG + "1", LONG + "2",
]  # fmt: skip
TITLES = {NASTY[0]: NASTY[1], NASTY[3]: LONG}
TREE = Hierarchy.from_edges([("<root>", n) for n in NASTY], titles=TITLES)
TRUTH = {n: [n] for n in NASTY}
TURNED = dict(zip(NASTY, [[n] for n in [*NASTY[1:], NASTY[0]]], strict=True))
SYSTEMS = {NASTY[0]: TRUTH, NASTY[7]: TURNED, NASTY[9]: TRUTH, LONG: TURNED}
P = np.full((len(NASTY), len(NASTY)), 1 / len(NASTY))
SCORES = score(TREE, TRUTH, SYSTEMS, ["hf", "gie", "hcm_f"])


def verification():
    real = verify(["kosmopoulos2014-figure11a"]).verdicts[0]
    wrong = [Verdict(n, real.published, 0.5, "wrong", n) for n in NASTY]
    return Verification(tuple(wrong), tuple(CaseRemark(n, "error", n) for n in NASTY))


def explanations():
    names = ("gie", "hf", "lca_f", "hcm_f", "contribution_f", "depth_loss", "level_accuracy")
    how = {"instances": NASTY, "system": LONG}
    return [why for name in names for why in explain(TREE, TRUTH, TURNED, name, **how)]


LAWS = NodeScores.from_array(P, TREE, classes=NASTY, ids=NASTY)
RESULTS = {
    "Scores": lambda: [SCORES],
    "Comparison": lambda: [compare(SCORES, n_bootstrap=20, n_permutations=20)],
    "Agreement": lambda: [agreement(SCORES), agreement(SCORES, of="instances")],
    "Discrimination": lambda: [discrimination(SCORES, splits=5, repeats=1, n_bootstrap=9)],
    "Response": lambda: [respond(TREE, TRUTH, ["hf", "gie"], n_bootstrap=20)],
    "Sensitivity": lambda: [sensitivity(TREE, TRUTH, SYSTEMS, ["hf"], test=None)],
    "Differences": lambda: [differ(SCORES, NASTY[0], LONG, TREE, TRUTH)],
    "DepthScores": lambda: [by_depth(SCORES, TREE, TRUTH)],
    "ToolScores": lambda: [score_like("hemkit", TREE, TRUTH, SYSTEMS)],
    "ClassificationReport": lambda: [
        classification_report(TRUTH, TURNED, TREE, labels=labels) for labels in (None, NASTY[::-1])],
    "Explanation": explanations,
    "PooledCurve": lambda: [pooled_curve(TRUTH, LAWS)],
    "Report": lambda: [Report([Finding("error", n, n, n) for n in NASTY * 9])],
    "Verification": lambda: [verification()],
    "Advice": lambda: [hp.advise(TREE, TRUTH, scope=3, samples=0)],
}  # fmt: skip
INTERVAL = re.compile(r"(-?[\d.]+)(?: … |, )(-?[\d.]+)\]?(?=\s|$)")
"""An interval as tables for readers show it: its low end is the left one."""

ALLOWED = {
    "div", "table", "caption", "thead", "tbody", "tr", "th", "td", "strong", "ul", "li", "p", "br",
    "details", "summary",
}  # fmt: skip


class Page(HTMLParser):
    """Reads HTML; refuses tags that are not ours, are not closed, or carry more than a style."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.texts, self.rows = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        assert tag in ALLOWED
        assert [name for name, _ in attributes] in ([], ["style"])
        assert all(value in ("text-align: left", "text-align: right") for _, value in attributes)
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag, attributes):
        assert (tag, attributes) == ("br", [])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data!r}")

    handle_decl = handle_pi = unknown_decl = handle_comment


# ------------------------------------------------------------------------------ forms


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_says_the_same_in_every_form_and_a_small_page(name):
    """Cells of CSV are the values of JSON Lines; a notebook's page is sound whatever the names."""
    results = RESULTS[name]()
    assert {type(result).__name__ for result in results} == {name}
    for result in results:
        text = result._repr_html_()
        page = Page(text)
        assert text.isascii()
        assert len(text) < 200_000
        assert 0 < len(page.rows) <= 160
        shown = "".join(page.texts)
        assert not {c for c in shown if c in "\x00\x1b\u202e\u2066" or "\ud800" <= c <= "\udfff"}
        assert LONG not in shown
        assert len(repr(result)) < 11_000
        for line in (repr(result), text):
            assert "array(" not in line
        told = "\n".join(map("\t".join, page.rows))
        if name in ("Comparison", "Agreement"):
            told += result.to_text(pairs=True)
        for low, high in INTERVAL.findall(told.replace("−", "-")):
            assert float(low) <= float(high)
        assert "\n" not in repr(result)
    if name in ("Scores", "Comparison", "ClassificationReport", "Explanation"):
        pages = (Page(result._repr_html_()) for result in results)
        assert any(NASTY[0] in "".join(page.texts) for page in pages)
    for result in results[::13]:
        if not hasattr(result, "to_table"):
            assert name in ("PooledCurve", "Report")
            continue
        for form in FORMS:
            assert result.to_table(form).strip()
        header, *rows = csv.reader(io.StringIO(result.to_table("csv"), newline=""))
        lines = [json.loads(line) for line in result.to_table("jsonl").splitlines()]
        assert [list(line) for line in lines] == [header] * len(rows)
        for row, line in zip(rows, lines, strict=True):
            for cell, value in zip(row, line.values(), strict=True):
                if type(value) in (int, float):
                    assert float(cell) == value
        json.loads(result.to_table("json"))


def test_what_a_notebook_leaves_out():
    """Rows, notes and signatures beyond 50, which the whole table has."""
    block = Block(["class", "x"], [[f"c{k}", LONG] for k in range(400)])
    notes = [f"note {k}" for k in range(500)]
    small = small_page(PageOfTables([block], notes, [LONG] * 500))
    page = Page(small)
    assert len(page.rows) == 51
    assert {"and 350 more rows; to_table() has all", "note 49", "c49"} <= set(page.texts)
    assert not {"note 50", "c50"} & set(page.texts)
    assert page.texts.count("…") == 2
    assert len(small) < 120_000
    assert len(Page(html_page(PageOfTables([block]))).rows) == 401


@pytest.mark.exhaustive
def test_large_evidence_is_a_small_page(monkeypatch):
    classes = [f"c{k}" for k in range(400)]
    wide = Hierarchy.from_edges([("r", c) for c in classes])
    for name in ("gie", "hf", "lca_f", "hcm_f", "contribution_f"):
        (why,) = explain(wide, [classes[:120]], [classes[60:180]], name)
        page = why._repr_html_()
        assert len(page) < 60_000
        assert len(Page(page).rows) < 400
    monkeypatch.setattr(FieldEvidence, "parts", lambda *_: ["\n".join(["line"] * 500)])
    (why,) = explain(TREE, TRUTH, TURNED, "hf", instances=NASTY[:1])
    assert Page(why._repr_html_()).texts.count("line") == 50


LEAVES = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
SMALL = score(LEAVES, list("bcdc"), {"x&y": list("bcac"), "<script>": list("abdc")}, ["hf", "gie"])


def test_html_says_what_text_says():
    page = Page(SMALL.to_table("html", 3))
    rows = [[s, f"{SMALL[s, 'hf']:.3f}", f"{SMALL[s, 'gie']:.3f}"] for s in SMALL.systems]
    assert page.rows == [["system", "hf ↑", "gie ↓"], *rows]
    assert SMALL.signatures[0] in page.texts
    assert SMALL.to_table("html").count("<strong>") == 2
    with pytest.raises(BadInput, match="did you mean 'json'"):
        SMALL.to_table("jsn")


def test_a_form_is_added_in_one_place(tmp_path, monkeypatch, capsys):
    """Results, listings and the command line know it, by its name and by the ending of a file."""

    def lines(content, _):
        records = content.records()
        return "\n".join(f"| {' | '.join(map(str, x))} |" for x in [records.header, *records.rows])

    monkeypatch.setitem(FORMS, "org", None)  # it is taken away again
    bare = FORMS["org"] = Form("org", lines, (".org",))
    assert SMALL.to_table("org").startswith("| system | measure | value |")
    pairs = compare(SMALL, n_bootstrap=50).to_table("org", pairs=True)
    assert pairs.startswith("| measure | system | other")
    assert show(listing(["a"], [["x"]]), bare.name) == "| a |\n| x |"
    monkeypatch.chdir(tmp_path)
    Path("t").write_text("r\ta\nr\tb\n")
    Path("y").write_text("a\nb\n")
    assert main(["score", "t", "y", "y", "-m", "hf", "--format", "org"]) == 0
    assert "| y | hf | 1.0 |" in capsys.readouterr().out
    assert main(["measures", "hf", "-o", "out.org"]) == 0
    assert Path("out.org").read_text().startswith("| measure | family | of | better |")


# ------------------------------------------------------------------------------ on paper

LETTERS = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
GOLD = [["c"], ["d"], ["e"], ["c", "e"], ["a"]] * 6
RUNS = {
    "one": [["c"], ["c"], ["b"], ["c", "e"], ["a"]] * 6,
    "two_2": [["c"], ["d"], ["e"], ["d"], ["d"]] * 6,
}
MEASURES = ["hf", "hf(average=micro)", "gie(default=4)", "mgia"]


@pytest.fixture
def scores():
    return score(LETTERS, GOLD, RUNS, MEASURES)


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
    head = score(LETTERS, GOLD, RUNS, asked).to_text().splitlines()[0].split()
    wanted = ["system", *asked]  # all, if asked for
    assert [x.replace("'", "") for x in head if len(x) > 1] == wanted
    labels = [measure(name).label for name in REGISTRY]
    assert len(set(labels)) == len(labels)
    assert all("_" not in label and label == label.strip() for label in labels)
    about = {"formula": "0", "source": "none", "direction": "higher", "range": "[0, 1]"}
    for name, more in (("mine_own", {"label": "Jaccard (h)"}), ("plain_own_f", {})):
        own = hp.set_measure(**about, **more, name=name, averages=("samples", "micro"))
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
    for n in (0, 1):
        assert f"{100 * values[0]:.{n}f} " in scores.to_text(n, percent=True)
    text, at = compared.to_text(percent=True, pairs=True), (0, 0)
    assert f"{100 * compared.values[at]:.2f}" in text
    assert f"{100 * compared.low[at]:.2f} … {100 * compared.high[at]:.2f}" in text
    assert f"{100 * compared.difference[0, 0, 1]:+.2f}" in text
    with pytest.raises(BadInput, match="share"):
        score(LETTERS, GOLD, RUNS, ["gie"]).to_text(percent=True)


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
    one = dict(enumerate(RUNS["one"]))
    given = {"less": dict([*one.items()][2:]), "few": dict([*one.items()][5:]), "one": one}

    def notes(*names):
        systems = {f"{name} {k}": given[name] for k, name in enumerate(names)}
        found = score(LETTERS, dict(enumerate(GOLD)), systems, ["hf"], missing="empty").notes
        return [note.partition(" with")[0] for note in found if "without prediction" in note]

    assert notes("less", "less") == ["each of the 2 systems: 2 instances"]
    wanted = ["each of less 0, less 1: 2 instances", "few 2: 5 instances"]
    assert notes("less", "less", "few", "one") == wanted
    names = ["tree_induced_error", "mean_cost(cost=hops)"]
    systems = {"x": [["a", "b"], ["c"]], "y": [["a", "b"], ["c"]]}
    for more, who in (({}, "the 2 systems"), ({"z": [["a"], ["c"]]}, "x, y")):
        found = score(LETTERS, [["a"], ["c"]], systems | more, names, on_infeasible="nan")
        lines = [note for note in found.notes if "without a possible pairing" in note]
        wanted = [f"each of {who}, {m.name}" for m in found.measures]
        assert [line.partition(": ")[0] for line in lines] == wanted


@pytest.mark.parametrize("n", [1, 2, 8, 20])
def test_text_is_readable_in_100_columns(n):
    systems = {f"a system with a name {k}": RUNS["one"] for k in range(n)}
    found = score(LETTERS, GOLD, systems, keep_classes=True)
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
    for last, folded in ((42, False), (43, True)):
        assert ("\n" in folded_table(["x" * 10, "y" * 44, "z" * last], [])) == folded
    rows = [["one", "1", "2"], ["other", "", "3"]]  # in parts no row is blank
    told = folded_table(["x" * 10, "y" * 60, "z" * 60], rows).split("\n\n")
    assert [[line.split()[0] for line in part.split("\n")[1:]] for part in told] == [
        ["one"], ["one", "other"]]  # fmt: skip
    assert folded_table(["x", "y"], [["other", ""]]).split() == ["x", "y", "other"]


def test_long_texts_go_on_in_further_lines():
    """Down to 20 columns, the widest first; numbers, and tables that fit, stay as they are."""
    words = "ab " * 30
    for n, lines in ((7, 2), (8, 3)):
        told = text_table(["x", "y", "n"], [["a" * 25, words, "1" * n], ["", "b", "2"]], "llr", 80)
        head, *rows = told.split("\n")
        assert max(map(len, [head, *rows])) <= 80
        assert len(rows) == 1 + lines
        assert [len(x) - len(x.lstrip()) for x in rows[1:lines]] == [27] * (lines - 1)
        assert rows[0].endswith("1" * n)
        assert "".join(rows).count("ab") == 30
    assert text_table(["x", "y"], [["c" * 60, "1" * 60]], "lr", 80).split("\n")[1:] == [
        "c" * 20 + "  " + "1" * 60, "c" * 20, "c" * 20]  # fmt: skip
    assert text_table(["x", "y"], [[words, "1"]], "lr", 93) == text_table(
        ["x", "y"], [[words, "1"]]
    )


def test_a_view_has_the_records_that_it_is_of_and_no_others():
    rows = [["a", "x", "one", 1.0], ["a", "y", "two", 2.0]]
    records = Records(["m", "of", "kind", "value"], rows)
    block = crossed(FORMS["text"], TableLook(2), records, "m", "of", which={"kind": ["one"]})
    assert (block.header, block.rows) == (["system", "x"], [["a", "1.00"]])


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
