"""The page: its numbers are those of score and compare, and nothing in it runs but its own script."""

import base64
import json
import re
import xml.etree.ElementTree as ET
import zlib
from collections import Counter
from math import isnan

import numpy as np
import pandas as pd
import pytest

from hierpair import BadInput, Hierarchy, compare, explain, pair_measure, score, set_measure
from hierpair.comparison import agreement
from hierpair.evaluation import partial
from hierpair.measures import Option, measure, measures_of
from hierpair.pairing import Degree, Hops, Rule
from hierpair.report import report_html, write_report
from hierpair.report.page import embedded_json, loader, script, style
from hierpair.report.subject import conventions_in_words
from hierpair.tables import FORMS
from tests.paths import ROOT

from .conftest import HOSTILE, PLAIN, Page, digest, scored

TREE = Hierarchy.from_edges(map(tuple, ("ra", "rb", "ac", "ad", "be", "bf", "fg")))
TRUTH = {f"i{k}": row for k, row in enumerate([["c"], ["d", "e"], ["g"], ["f"], [], ["c"]] * 4)}
SYSTEMS = {
    "one": {name: row or ["a"] for name, row in TRUTH.items()},
    "two": {name: ["c", "g"] for name in TRUTH},
    "three": {name: ["d"] if k % 3 else row for k, (name, row) in enumerate(TRUTH.items())},
}
NAMES = ["hf", "gie", "hp(root=include)"]
FOLDER = ROOT / "hierpair" / "report"
COMPARED = ("low", "high", "ranks", "p", "p_adjusted", "difference", "difference_low", "difference_high", "effect")  # fmt: skip


@pytest.fixture(scope="module")
def scores():
    return score(TREE, TRUTH, SYSTEMS, NAMES)


@pytest.fixture
def plain(monkeypatch):
    """No charts, which take most of the time."""
    monkeypatch.setattr("hierpair.report.tables.find_spec", lambda name: None)


@pytest.fixture(scope="module")
def page(scores):
    return Page(report_html(scores, texts={"i0": "about c"}, worst=3))


def shows(page, found, names=COMPARED):
    """The comparison on the page is that one, number by number."""
    compared = page.data["comparison"]
    how = found.signature, found.plan.alpha, found.plan.level
    assert (compared["signature"], compared["alpha"], compared["level"]) == how
    for name in names:
        assert np.array_equal(np.array(compared[name]), getattr(found, name)), name
    best, (k, s) = np.argmax(found.upwards, axis=0), np.indices(found.values.T.shape)
    assert compared["worse"] == found.significant[k, best[:, None], s].T.tolist()
    return compared


def said_on(page):
    """All sentences of a page: what is absent, notes of the page, of its tables and its instances."""
    data = page.data
    found = [*data["absent"], *data["notes"], *data["warnings"]]
    found += [f"{table['id']}: {table['note']}" for table in data["tables"]]
    return "\n".join([*found, page.sections.get("instances", {}).get("note", "")])


def is_readable_without_scripts(page, found):
    """The tables of the result, and every sentence on it, stand in the page one after the other."""
    data, wanted = page.data, [page.data["title"]]
    shown = found.content().page(FORMS["html"])
    for b in shown.blocks:
        wanted += filter(None, [b.title, *b.header, *(x for row in b.rows for x in row)])
    wanted += dict.fromkeys([*data["warnings"], *shown.notes, *data["absent"]])
    wanted += ["signatures", *shown.signatures]
    told = [text.strip() for text in page.shown if text.strip()]
    assert told[1:-1] == wanted  # after the link for keyboards, before the foot
    told = [m["conventions"] for m in data["measures"]]
    assert told == [conventions_in_words(measure(m["name"])) for m in data["measures"]]


# ------------------------------------------------------------------------------ numbers


def test_the_numbers_are_those_of_score_and_compare(scores, page):
    data = page.data
    assert data["systems"] == list(scores.systems)
    assert (data["n_instances"], data["n_labels"]) == (24, scores.mean_labels)
    tree = {"text": TREE.describe(","), "n_classes": 8, "shape": "tree", "drawn": None}
    assert data["hierarchy"] == tree
    for told, m in zip(data["measures"], scores.measures, strict=True):
        known = m.name, m.label, m.signature, m.higher_is_better
        assert [told[x] for x in ("name", "label", "signature", "higher")] == [*known]
        assert (told["range"], told["meaning"]) == (m.definition.range, m.definition.summary)
    assert np.array_equal(np.array(data["scores"]), scores.values)
    shows(page, compare(scores))
    assert page.inside["title"] == data["title"]
    is_readable_without_scripts(page, compare(scores))


@pytest.mark.usefixtures("plain")
def test_comparisons_are_shown_as_they_were_made_and_of_very_many_instances_by_blocks(
    monkeypatch, scores
):
    found = compare(scores, test="wilcoxon", alpha=0.2, n_bootstrap=50, seed=3)
    compared = shows(Page(report_html(found, sensitivity=False)), found)
    assert compared["alpha"] == 0.2
    assert "test=wilcoxon" in compared["signature"]
    monkeypatch.setattr("hierpair.report.subject.MANY_INSTANCES", 20)
    monkeypatch.setattr("hierpair.report.subject.BLOCKS", 6)
    page = Page(report_html(scores))
    compared = shows(page, compare(scores, blocks=6), ("low", "high", "p", "p_adjusted"))
    assert compared["effect"] is None
    assert any("6 blocks of instances" in line for line in compared["notes"])
    assert "conclusions" in {table["id"] for table in page.data["tables"]}


SHARES = "accuracy precision recall f1 stopped too_deep off_path answered_leaf"


def test_tables_are_those_of_the_functions(scores, page):
    tables = {}
    for table in page.data["tables"]:
        tables.setdefault(table["id"], table)
        assert len(table["align"]) == len(table["header"])
        assert all(len(row) == len(table["header"]) for row in table["rows"])
        assert all(isinstance(cell, str) for row in table["rows"] for cell in row)
    shown = [[float(x) for x in row[1:]] for row in tables["agreement"]["rows"]]
    assert shown == pytest.approx(agreement(scores).values, abs=5e-4)
    for row, r in zip(tables["level"]["rows"], scores.by_level().to_dict(), strict=True):
        cells = ["–" if isnan(r[x]) else f"{r[x]:.4f}" for x in SHARES.split()]
        assert row == [str(r["level"]), r["system"], str(r["n_instances"]), *cells]
    assert {name: table["title"] for name, table in tables.items()} == {
        "level": "Level by level", "agreement": "How alike the measures rank the systems",
        "depth": f"{scores.measures[0].label} by the depth of the deepest true label",
        "conventions": "Scores and ranks under every convention",
        "conclusions": "Which conclusions depend on conventions",
    }  # fmt: skip
    assert "all 24 instances" in tables["conclusions"]["note"]


def test_instances_are_listed_with_the_explanations_of_explain(scores, page):
    """The worst ones of every system, and those in which the best is far from another."""
    found, names, kinds = page.sections["instances"], page.sections["names"], Counter()
    rows, systems = found["rows"], [scores.per_instance[system] for system in scores.systems]
    for one in found["lists"]:
        ids, k = [rows[row]["id"] for row in one["rows"]], one["measure"]
        kinds[one["kind"], str(one["system"])] += 1
        if one["kind"] == "worst":
            name = scores.measures[k].name
            assert ids == scores.worst(scores.systems[one["system"]], name, 3)
            continue
        sign = 1 if scores.measures[k].higher_is_better else -1
        sign = sign if one["title"].startswith("one ahead") else -sign
        best, other = (systems[i][:, k] for i in one["system"])
        gain = sign * (best - other)
        listed = gain[[scores.ids.index(name) for name in ids]]
        assert listed.tolist() == sorted(gain, reverse=True)[: len(listed)]
        assert (listed > 0).all()
    worst = {("worst", str(system)): 3 for system in range(3)}
    assert kinds.items() >= worst.items()
    assert kinds.keys() - worst.keys() == {("difference", "[0, 1]"), ("difference", "[0, 2]")}
    n_explained = 0
    for row in rows:
        at, labels = scores.ids.index(row["id"]), scores.scored
        assert [names[c] for c in row["true"]] == labels.truth.names_of(at, TREE)
        for i, system in enumerate(scores.systems):
            said = labels.systems[system].names_of(at, TREE)
            assert [names[c] for c in row["pred"][i]] == said
            assert row["values"][i] == systems[i][at].tolist()
        for key, told in row["explained"].items():
            i, k = map(int, key.split(","))
            system = scores.systems[i]
            [why] = explain(TREE, TRUTH, SYSTEMS[system], [scores.measures[k]], instances=[row["id"]],
                            system=system)  # fmt: skip
            is_flow = why.evidence.kind == "flow"
            assert [tag for _, (tag, *_) in told["drawings"]] == ["svg"] * (1 + is_flow)
            pairs = why.evidence.pairs if is_flow else ()
            pairs = [f"{p.of[0]}–{p.of[1]}" for p in pairs if p.units]
            words = told["drawings"][0][1][1]["aria-label"]
            assert (words.count("–"), all(pair in words for pair in pairs)) == (len(pairs), True)
            assert told["value"] == row["values"][i][k] == why.value
            assert told["signature"] == why.measure.of_instance
            printed = " ".join(str(why).split())
            cells = [x for t in told["tables"] for line in t["rows"] for x in line]
            assert not any(t["left"] for t in told["tables"])
            columns = [c for t in told["tables"] for c in zip(*t["rows"], strict=True)]
            assert all(map(any, columns))  # what says nothing is no column
            assert cells
            assert all(" ".join(text.split()) in printed for text in [*cells, *told["notes"]])
            n_explained += 1
    assert n_explained > 20
    assert {row["id"]: row["text"] for row in rows if row["text"]} in ({"i0": "about c"}, {})


@pytest.mark.usefixtures("plain")
def test_what_another_system_cannot_pair_is_not_among_the_worst_of_a_system():
    @pair_measure
    def strictly_paired():
        """Every class has exactly one partner."""
        return Rule(Hops(), tuple(Degree(side, 1, 1) for side in ("predicted", "true")))

    given = {"good": [["c"]] * 8 + [["g"]] * 2, "bad": [["c", "g"]] * 6 + [["c"]] * 4}
    blocked = score(TREE, [["c"]] * 10, given, ["strictly_paired", "hf"], on_infeasible="nan")
    page = Page(report_html(blocked, worst=3, sensitivity=False))
    assert any("without a possible pairing" in line for line in page.data["warnings"])
    found = page.sections["instances"]
    listed = {one["system"]: [found["rows"][k]["id"] for k in one["rows"]] for one in found["lists"]
              if (one["kind"], one["measure"]) == ("worst", 0)}  # fmt: skip
    assert listed == {0: ["8", "9", "6"], 1: ["0", "1", "2"]}
    for row in found["rows"]:  # no value beside an explanation that has one
        for key, told in row["explained"].items():
            i, m = map(int, key.split(","))
            assert told["value"] == row["values"][i][m]
    assert "left out for all under that measure" in found["note"]


@pytest.mark.usefixtures("plain")
def test_what_does_not_count_at_all_is_not_among_the_worst():
    """An instance whose true classes are all ignored has no value; one without a pairing comes first."""
    known = {name: ["c", "d"] for name in TRUTH if name < "i2"}
    found = score(TREE, TRUTH, SYSTEMS, ["hf", "gie"], ignore=known)
    assert found.n_infeasible["two", "hf"] > 3
    listed = Page(report_html(found, worst=3, sensitivity=False)).sections["instances"]
    for one in (one for one in listed["lists"] if one["kind"] == "worst"):
        system, m = found.systems[one["system"]], found.measures[one["measure"]]
        assert [listed["rows"][k]["id"] for k in one["rows"]] == found.worst(system, m.name, 3)


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("weight", [None, [1.0, 2.0] * 12])
def test_averages_over_classes_are_compared_whether_their_classes_were_kept_or_not(weight):
    names = ["hf", "f(average=macro)", "level_accuracy"]
    found, kept = (score(TREE, TRUTH, SYSTEMS, names, sample_weight=weight, keep_classes=keep)
                   for keep in (False, True))  # fmt: skip
    page = Page(report_html(found, sensitivity=False))
    shows(page, compare(kept))
    assert not any("not compared" in line for line in page.data["absent"])


# ------------------------------------------------------------------------------ safety


@pytest.mark.usefixtures("plain")
def test_hostile_names_are_texts_everywhere_and_bytes_are_always_the_same(scores, tmp_path):
    def page(names, words):
        found = scored(names, systems=tuple(words[:3]), prefix=words[0], measures=["gie"])
        texts = [words[k % len(words)] for k in range(36)]
        more = {"title": words[2], "texts": texts, "warnings": words, "worst": 2, **how}
        return Page(report_html(found, **more))

    how = {"sensitivity": False}
    odd = [*HOSTILE, "\ud800", "\U0001f600\u2028\u2029", "a\0b", "@data@@script@", "&lt;"]
    names = [f"{name}{k}" if k > 5 else name for k, name in enumerate(HOSTILE)]
    found, usual = page(names, odd), page(PLAIN, [f"word {k}" for k in range(len(odd))])
    assert [tag for tag, _ in found.tags] == [tag for tag, _ in usual.tags]
    assert not [a for _, named in found.tags for a in named if a.startswith("on") or a == "style"]
    data, sections = found.data, found.sections
    assert (data["title"], data["systems"]) == (odd[2], odd[:3])
    assert data["warnings"][: len(odd)] == odd
    assert sorted(sections["names"]) == sorted(names)
    shown = {row["text"] for row in sections["instances"]["rows"]}
    assert shown <= {text if len(text) < 5000 else f"{text[:5000]}…" for text in odd}
    write_report(score(TREE, TRUTH, SYSTEMS, NAMES), tmp_path / "a.html", **how)
    compare(scores).to_report(tmp_path / "b.html", **how)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_only_the_own_script_runs(page):
    own = f"script-src 'sha256-{digest(page.inside['script'])}' 'sha256-{digest(script())}';"
    assert own in page.policy
    assert f"style-src 'sha256-{digest(page.inside['style'])}'" in page.policy
    assert page.policy.startswith("default-src 'none'; ")
    assert page.inside["script"] == loader()
    packed = base64.b64decode(page.inside["code"], validate=True)
    assert zlib.decompress(packed, wbits=-15).decode() == script()
    assert page.inside["style"] == style()
    for whole, ending, last in ((style(), "css", "views"), (script(), "js", "main")):
        first = {"css": "page", "js": "dom"}[ending]
        parts = {file.stem: file.read_text("utf-8") for file in FOLDER.rglob(f"*.{ending}")}
        parts.pop("loader", None)  # stands by itself
        order = sorted(parts, key=lambda name: whole.index(parts[name]))
        inner = sorted({*parts} - {first, last})
        assert order == [first, *inner, last]
    kinds = [named.get("type") for tag, named in page.tags if tag == "script"]
    assert kinds == ["application/json", "text/plain", "text/plain", None]
    for tag, named in page.tags:
        assert not {"src", "srcset", "data", "action", "ping"} & set(named), tag
        assert named.get("href", "#").startswith("#")
    assert "</script" not in (script() + loader()).lower()
    assert "<!--" not in loader()
    assert "</style" not in style().lower()
    text = embedded_json({"a": "</script>\u2028\ud800", "b": [float("nan"), np.float64(0.1)]})
    assert not set("<\u2028\u2029") & set(text)
    assert json.loads(text) == {"a": "</script>\u2028\ud800", "b": [None, 0.1]}


def test_charts_are_pictures_of_their_own(scores, page):
    pytest.importorskip("matplotlib")
    found = page.sections["charts"]
    first, second, _ = (m.label for m in scores.measures)
    wanted = [
        f"{kind} by {first}" for kind in ("Ranks", "Intervals", "Significance of differences")
    ]
    wanted += [*(f"{kind} by {second}" for kind in ("Ranks", "Intervals"))]
    wanted += [f"{label} by depth of the truth" for label in (first, second)]
    assert [chart["title"] for chart in found] == wanted
    pinned = page.data["comparison"]["signature"]
    assert [chart["note"] for chart in found] == [pinned] * 5 + ["", ""]
    for chart in found:
        used = set(re.findall(r'href="#([\w.-]+)"', chart["svg"]))
        assert used <= {node.get("id") for node in ET.fromstring(chart["svg"]).iter()}
        assert chart["alt"]
        assert not re.search(r"<script|href=\"http|onload", chart["svg"])


# ------------------------------------------------------------------------------ kinds of pages


@pytest.mark.usefixtures("plain")
def test_what_was_left_out_stands_first_and_partials_have_what_they_can():
    forest, said = Hierarchy.from_edges([("r", "c"), ("s", "d")]), {"one": [["c"], [], ["d"]]}
    scores = score(forest, [["c"], ["nowhere"], ["d"]], said, ["hf", "gie"], unknown="drop")
    page = Page(report_html(scores))
    assert "agreement" not in {table["id"] for table in page.data["tables"]}
    for words in ("1 label outside the hierarchy", "2 roots"):
        assert any(words in line for line in page.data["warnings"])
    is_readable_without_scripts(page, scores)
    assert page.data["comparison"] is None
    assert any("one system" in line for line in page.data["absent"])
    one = partial(TREE, TRUTH, SYSTEMS, ["hf", "gie"], part="p", blocks=8)
    page = Page(report_html(one.scores()))
    is_readable_without_scripts(page, compare(one.scores()))
    data = page.data
    assert np.array_equal(np.array(data["scores"]), one.scores().values)
    assert data["has"]["classes"] is data["has"]["instances"] is False
    assert data["hierarchy"] is data["comparison"]["effect"] is None
    assert sum("added up from parts" in line for line in data["absent"]) == 1
    assert set(page.sections) <= {"charts"}
    plain = partial(TREE, TRUTH, SYSTEMS, ["hf"], part="p").scores()
    absent = Page(report_html(plain)).data["absent"]
    assert any(line.startswith("The systems are not compared: ") for line in absent)


@pytest.mark.usefixtures("plain")
def test_unpaired_systems_are_not_compared(scores):
    page = Page(report_html(scores, paired=False))
    assert page.data["comparison"] is None
    assert "There are no instances: they are other objects for every system." in said_on(page)
    assert "instances" not in page.sections
    tables = {t["id"]: t for t in page.data["tables"]}
    assert "conclusions" in tables
    assert "in brackets ranks" in tables["conventions"]["note"]
    with pytest.raises(BadInput, match="leave paired=False out"):
        report_html(compare(scores), paired=False)


@pytest.mark.usefixtures("plain")
def test_a_system_of_several_runs_is_one():
    names = {name: [f"{name}1", f"{name}2"] for name in SYSTEMS}
    runs = {run: rows for name, rows in SYSTEMS.items() for run in names[name]}
    found = compare(score(TREE, TRUTH, runs, NAMES), test="runs", runs=names, n_bootstrap=50)
    page = Page(report_html(found))
    assert page.data["systems"] == list(SYSTEMS)
    assert np.array_equal(np.array(page.data["scores"]), found.values)
    assert any(
        x.startswith("Scores are means over runs; classes, inst") for x in page.data["absent"]
    )
    assert set(page.sections) <= {"charts"}
    assert not page.data["tables"]


LEFT_OUT = [
    ({}, {"sensitivity": False}, ["hierpair\\[plot\\]"]),
    ({"instances.MOST_ROWS": 4, "instances.MOST_EXPLAINED": 2}, {"worst": 2, "sensitivity": False},
     [r"\d+ of \d+ lists are left out", r"\d+ of \d+ explanations are on the page"]),
    ({"subject.MOST_CELLS": 20}, {"worst": 2, "sensitivity": False}, ["3 pairs of 3 systems"]),
    ({"tables.MOST_SYSTEMS": 2}, {"worst": 2, "sensitivity": False},
     ["Ranks and intervals of 3 systems are not drawn: a chart has room for 2; the table of scores has them"]),
    ({"tables.SAMPLE": 10}, {}, [r"conclusions: .*random sample of 10 of the 24 instances \(seed 0\)"]),
    ({"tables.MOST_VARIED_SYSTEMS": 2}, {"worst": 2}, ["conventions is left out: .* more than 2 systems"]),
    ({"subject.LARGE_HIERARCHY": 3, "instances.LISTED_OF_LARGE": 1}, {},
     ["of 3 measures the first 1 have lists", r"first \d have lists", "conclusions: .*of the first 2 of 3 measures"]),
    ({"subject.LARGE_HIERARCHY": 3}, {"sensitivity": False},  # lists of all measures
     [r"\d+ of \d+ explanations are on the page"]),
    ({}, {"texts": {"i0": "one", "i1": "two", "j7": "of nothing"}, "worst": 2, "sensitivity": False},
     [r"Texts whose id is of no instance are left out, 1 of 3 texts: j7\."]),
]  # fmt: skip


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(("limits", "how", "told"), LEFT_OUT)
def test_what_is_left_out_is_told(monkeypatch, scores, limits, how, told):
    for name, most in limits.items():
        monkeypatch.setattr(f"hierpair.report.{name}", most)
    page = Page(report_html(scores, **how))
    for words in {words for *_, every in LEFT_OUT[1:] for words in every} | {*told}:
        assert bool(re.search(words, said_on(page))) == (words in told), words
    found = page.sections["instances"]["rows"]
    assert len(found) <= limits.get("instances.MOST_ROWS", 300)
    assert sum(len(r["explained"]) for r in found) <= limits.get("instances.MOST_EXPLAINED", 150)
    assert (page.data["comparison"]["p"] is None) == ("subject.MOST_CELLS" in limits)
    varied = how.get("sensitivity", True) and "tables.MOST_VARIED_SYSTEMS" not in limits
    ids = [table["id"] for table in page.data["tables"]]
    assert ids[0] == "level"
    assert {*ids} == {"level", "agreement", "depth", *["conventions", "conclusions"] * varied}
    assert page.data["has"]["charts"] is False


@pytest.mark.usefixtures("plain")
def test_weights_what_is_not_defined_and_texts():
    scores = score(TREE, TRUTH, SYSTEMS, ["hf"], sample_weight=np.arange(24) + 1.0)
    page = Page(report_html(scores))
    varied = [
        cell
        for t in page.data["tables"]
        if t["id"] == "conventions"
        for row in t["rows"]
        for cell in row
    ]
    assert all(any(cell.startswith(f"{x:.4f}") for cell in varied) for x in scores.values[:, 0])
    assert "scores and the number of true labels per instance are weighted; " in said_on(page)
    assert re.search("depth: .*Scores are weighted, and these means are not", said_on(page))
    assert np.array_equal(np.array(page.data["scores"]), scores.values)
    same = score(TREE, TRUTH, {"one": TRUTH, "two": dict(TRUTH)}, NAMES)
    page = Page(report_html(same))
    assert {one["kind"] for one in page.sections["instances"]["lists"]} == {"worst"}
    cells = [x for t in page.data["tables"] for row in t["rows"] for x in row]
    assert "–" in cells
    assert not [x for x in cells if "nan" in x]
    texts = pd.Series({name: f"text of {name}" for name in reversed(TRUTH)})  # matched by its index
    for given in (texts, texts.to_list()[::-1]):
        page = Page(report_html(scores, texts=given, worst=2, sensitivity=False))
        found = page.sections["instances"]
        assert all(row["text"] == f"text of {row['id']}" for row in found["rows"])
        assert max(len(one["rows"]) for one in found["lists"]) == 2
    texts[:] = [None, np.nan] * (len(texts) // 2)  # what pandas has where there is none
    page = Page(report_html(scores, texts=texts, worst=2, sensitivity=False))
    assert {row["text"] for row in page.sections["instances"]["rows"]} == {None}


TWICE = pd.Series(["a", "b"], index=["i0", "i0"])


@pytest.mark.parametrize(("how", "said"), [
    ({"worst": 0}, "worst must be a whole number of at least 1, got 0"), ({"worst": True}, "worst must be a whole number of at least 1, got True"),
    ({"title": 3}, "the title must be a text, got 3"), ({"texts": TWICE}, "the instance 'i0' has two texts"),
    ({"curves": [1]}, "curves must be Curves or PooledCurve, or a dict of one of them by system, got [1]"),
    ({"curves": {"one": 3}}, "curves must be Curves or PooledCurve, or a dict of one of them by system, got {'one'"),
    ({"texts": {}}, "no text has the id of an instance: there is none among the texts"),
    ({"texts": ["one"]}, "1 text for 24 instances; give one per instance, or {id: text}"),
    ({"texts": {"x": "one"}}, "no text has the id of an instance: there is x among the texts and 'i0' among"),
    ({"texts": "one"}, "texts are a list of texts or {id: text}, got 'one'"),
    ({"texts": np.array("one")}, "texts are a list of texts or {id: text}, got array('one'"),
])  # fmt: skip
def test_what_cannot_be_shown_is_refused_in_a_line(scores, how, said):
    with pytest.raises(BadInput) as caught:
        report_html(scores, **how)
    assert str(caught.value).startswith(said)


def test_no_page_is_written_of_something_else_or_into_nowhere(scores, tmp_path):
    with pytest.raises(BadInput, match=r"is written of Scores or of a Comparison, got dict$"):
        report_html({})
    for path in (tmp_path, tmp_path / "no" / "x.html"):
        with pytest.raises(BadInput, match="name a file in a folder that exists"):
            scores.to_report(path)


# ------------------------------------------------------------------------------ words


def test_every_measure_says_its_conventions_in_words():
    for name in measures_of("labels"):
        m = measure(name)
        told = conventions_in_words(m)
        assert told.endswith(".")
        assert not any(x in told for x in ("{", "None"))
        assert all(m.definition.option(option).told for option in m.options), name
    perfect = "an instance without classes on both sides is perfect; any other 0/0 "
    ours = ["hf", "hp(zero_division=nan)", "lca_f", "hcm_acc", "level_accuracy"]
    for name in [*ours, "f", "contribution_f", "leaf_accuracy", "gie"]:  # as docs/conventions.md
        assert (perfect in conventions_in_words(measure(name))) == (name in ours), name
    for name, over in (("level_accuracy", "levels"), ("hf(average=macro)", "classes")):
        assert conventions_in_words(measure(name)).endswith(f"the mean over {over}.")

    @set_measure(formula="1", source="ours", direction="higher", range="[0, 1]")
    @Option("slack", "what {} is not counted", kind=float)
    def slacked(n_true, *, slack: float = 1, other: int = 3):
        """Always right."""
        return 0 * n_true + 1

    told = conventions_in_words(measure("slacked"))
    own = "Slack = 1 (what … is not counted); other = 3 (an option of this measure"
    assert told.startswith(own)
