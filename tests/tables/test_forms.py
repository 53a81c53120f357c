"""Every result in every form, and on a page of a notebook, with names that are HTML, scripts or endless."""

import csv
import io
import json
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, NodeScores, advise, compare, explain, score
from hierpair.checks import Finding, Report
from hierpair.cli import main
from hierpair.comparison import agreement, by_depth, differ, discrimination, respond, sensitivity
from hierpair.explanation import FieldEvidence
from hierpair.metrics import classification_report, score_like
from hierpair.probabilistic import pooled_curve
from hierpair.tables import FORMS, Block, Form, add_form, listing, show
from hierpair.tables import Page as PageOfTables
from hierpair.tables.forms import html_page, small_page
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
    "Agreement": lambda: [agreement(SCORES)],
    "InstanceAgreement": lambda: [agreement(SCORES, of="instances")],
    "Clusters": lambda: [agreement(SCORES, of="instances").clusters()],
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
    "Advice": lambda: [advise(TREE, TRUTH, scope=3, samples=0)],
}  # fmt: skip
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


def test_the_reader_of_pages_refuses_what_it_should():
    Page("<div><p>a<br/>b</p></div>")
    for bad in ("<div>", "<b>x</b>", "<p></div>", '<p onclick="x">a</p>', "<p><!-- x --></p>",
                '<td style="color: red">x</td>'):  # fmt: skip
        with pytest.raises((AssertionError, IndexError)):
            Page(bad)


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
    bare = add_form(Form("org", lines, (".org",)))
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
