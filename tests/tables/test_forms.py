"""Forms of output: every result in every form, and a form that is added from outside."""

import csv
import io
import json
from html.parser import HTMLParser

import pytest

from hierpair import BadInput, Hierarchy, advise, compare, score
from hierpair.cli import main
from hierpair.comparison import agreement, by_depth, differ, discrimination, respond, sensitivity
from hierpair.metrics import classification_report, score_like
from hierpair.tables import FORMS, Form, add_form, listing, show
from hierpair.verification import verify

TREE = Hierarchy.from_edges([("r", "a"), ("a", "<b>"), ("a", "c"), ("r", "d")])
TRUTH = ["<b>", "c", "d", "c"]
SYSTEMS = {"x&y": ["<b>", "c", "a", "c"], "<script>": ["a", "<b>", "d", "c"]}
RESULTS = {
    "score": lambda: score(TREE, TRUTH, SYSTEMS, ["hf", "gie"]),
    "compare": lambda: compare(score(TREE, TRUTH, SYSTEMS, ["hf", "gie"]), n_bootstrap=50),
    "agreement": lambda: agreement(score(TREE, TRUTH, SYSTEMS, ["hf", "gie"])),
    "sensitivity": lambda: sensitivity(TREE, TRUTH, SYSTEMS, ["hf"], test=None),
    "differ": lambda: differ(score(TREE, TRUTH, SYSTEMS, ["hf"]), "x&y", "<script>", TREE, TRUTH),
    "by depth": lambda: by_depth(score(TREE, TRUTH, SYSTEMS, ["hf"]), TREE, TRUTH),
    "decisions": lambda: agreement(score(TREE, TRUTH, SYSTEMS, ["hf", "gie"]), of="instances"),
    "clusters": lambda: agreement(
        score(TREE, TRUTH, SYSTEMS, ["hf", "gie"]), of="instances"
    ).clusters(),
    "power": lambda: discrimination(
        score(TREE, TRUTH, SYSTEMS, ["hf", "gie"]), splits=9, repeats=2
    ),
    "response": lambda: respond(TREE, TRUTH, ["hf", "gie"], n_bootstrap=20),
    "advice": lambda: advise(TREE, TRUTH, scope=3, samples=0),
    "classes": lambda: classification_report(TRUTH, SYSTEMS["x&y"], TREE),
    "preset": lambda: score_like("hemkit", TREE, TRUTH, SYSTEMS),
    "verify": lambda: verify(["kosmopoulos2014-figure11a"]),
}


KNOWN = {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "strong", "ul", "li"}
KNOWN |= {"p", "details", "summary"}


class Tables(HTMLParser):
    """Reads tables, and refuses what is not closed or was not written by us."""

    def __init__(self, text):
        super().__init__()
        self.open, self.rows, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        assert tag in KNOWN
        assert not attributes or [name for name, _ in attributes] == ["style"]
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


@pytest.fixture
def bare():
    """A form that is no part of the package."""
    form = Form(
        "org",
        lambda content, _: "\n".join(
            "| " + " | ".join(map(str, row)) + " |"
            for row in [content.records().header, *content.records().rows]
        ),
        (".org",),
    )
    yield add_form(form)
    del FORMS["org"]


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_has_every_form(name):
    result = RESULTS[name]()
    for form in FORMS:
        assert result.to_table(form).strip()
    rows = list(csv.reader(io.StringIO(result.to_table("csv"))))
    lines = [json.loads(line) for line in result.to_table("jsonl").splitlines()]
    assert [list(line) for line in lines] == [rows[0]] * (len(rows) - 1)
    json.loads(result.to_table("json"))


@pytest.mark.parametrize("name", RESULTS)
def test_in_a_notebook_a_small_table_and_one_line_otherwise(name):
    result = RESULTS[name]()
    shown = result._repr_html_()
    page = Tables(shown)
    assert shown.isascii()
    assert "array(" not in shown
    assert len(repr(result)) < 200
    assert "\n" not in repr(result)
    assert len(page.rows) <= 120
    if name not in (
        "verify",
        "agreement",
        "classes",
        "response",
        "decisions",
        "clusters",
        "power",
        "advice",
    ):
        assert any("<script>" in text for text in page.texts)


def test_html_says_what_text_says():
    scores = RESULTS["score"]()
    page = Tables(scores.to_table("html", 3))
    assert page.rows == [
        ["system", "hf ↑", "gie ↓"],
        *([s, f"{scores[s, 'hf']:.3f}", f"{scores[s, 'gie']:.3f}"] for s in scores.systems),
    ]
    assert scores.signatures[0] in page.texts
    assert scores.to_table("html").count("<strong>") == 2


def test_long_tables_are_cut_in_a_notebook_only():
    many = {f"s{i}": TRUTH for i in range(80)}
    scores = score(TREE, TRUTH, many, ["hf"])
    assert len(Tables(scores._repr_html_()).rows) == 51
    assert "and 30 more rows" in scores._repr_html_()
    assert len(Tables(scores.to_table("html")).rows) == 81


def test_a_form_is_added_in_one_place(bare, tmp_path, capsys):
    scores = RESULTS["score"]()
    assert scores.to_table("org").startswith("| system | measure | value |")
    assert RESULTS["compare"]().to_table("org", pairs=True).startswith("| measure | system | other")
    assert show(listing(["a"], [["x"]]), bare.name) == "| a |\n| x |"
    edges, truth = tmp_path / "edges.tsv", tmp_path / "truth.txt"
    edges.write_text("r\ta\nr\tb\n")
    truth.write_text("a\nb\n")
    assert main(["score", str(edges), str(truth), str(truth), "-m", "hf", "--format", "org"]) == 0
    assert "| truth | hf | 1.0 |" in capsys.readouterr().out
    out = tmp_path / "out.org"
    assert main(["measures", "hf", "-o", str(out)]) == 0
    assert out.read_text().startswith("| measure | family | of | better |")
    assert main(["score", str(edges), str(truth), str(truth), "--format", "og"]) == 2


def test_a_plugin_adds_a_form(tmp_path, capsys):
    plugin = tmp_path / "forms.py"
    plugin.write_text(
        "from hierpair.tables import Form, add_form\n"
        "add_form(Form('count', lambda content, form: str(len(content.records().rows))))\n"
    )
    try:
        assert main(["measures", "hf", "--plugin", str(plugin), "--format", "count"]) == 0
    finally:
        FORMS.pop("count", None)
    assert capsys.readouterr().out == "1\n"


def test_what_is_no_form():
    with pytest.raises(BadInput, match="did you mean 'json'"):
        RESULTS["score"]().to_table("jsn")
