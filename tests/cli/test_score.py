"""``score``, ``measures``, ``weights``, ``decode`` and ``curve`` as a user meets them: what comes out, and where."""

import csv
import io
import json
import os
import re
import threading
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from hierpair import Hierarchy, __version__, read_hierarchy, read_labels
from hierpair.io.class_tables import class_weights
from hierpair.labels.annotation_counts import information_accretion
from hierpair.metrics.presets import cafaeval_table
from hierpair.probabilistic import answers, level_thresholds, selective_curve
from hierpair.probabilistic.curves import pooled_curves
from hierpair.probabilistic.probability_files import read_scored_labels

from .conftest import write

DESCRIBED = "scored on a tree of 6 classes and 5 edges, root 'r', 2 levels below"
SCORE = "score tree.tsv true.tsv svm.tsv bert.tsv"


def values(text, *columns):
    """Columns of a CSV table, row by row."""
    return [tuple(row[c] for c in columns) for row in csv.DictReader(io.StringIO(text))]


def words_of(out, n=None):
    return [line.split() for line in out.splitlines()[:n]]


def test_a_table_of_systems_and_measures(run):
    line = "score tree.tsv true.tsv svm.tsv best=true.tsv -m"
    _code, out, err = run(f"{line} hf gie(default=4)")
    assert err == f"{DESCRIBED}\n"
    assert words_of(out, 3) == [
        ["system", "hf", "↑", "gie(default=4)", "↓"],
        ["svm", "0.6667", "1.3333"],  # e for c: nothing shared; the others right; 4 hops of 3
        ["best", "1.0000", "0.0000"],
    ]
    assert words_of(run(f"{line} gie(default=4) hf -q").out)[1] == ["svm", "1.3333", "0.6667"]
    Path("hf").write_text("1\tc\n2\tc\n3\te\n")  # a file of that name is a file
    assert "hf  " in run("score tree.tsv true.tsv hf -m gie -q").out
    _code, out, err = run("score --case transposon -m hf(average=micro)")
    values = [words[-1] for words in words_of(out, 7)[1:]]
    assert values == ["0.7105", "0.6834", "0.6533", "0.8480", "0.0159", "0.0630"]
    assert "Table III" in err
    assert run("score --case transposon -m hf -q").err == ""


def test_the_first_look_has_seven_measures_and_one_line_of_signatures(run):
    out = run(f"{SCORE} -q").out
    seven = ["hf", "hp", "hr", "gie", "mgia", "lca_f", "subset_accuracy"]
    assert [x for x in words_of(out)[0] if x not in "↑↓"] == ["system", *seven]
    said = f"{', '.join(seven)}|hierpair {__version__} (all conventions: --signatures)"
    assert out.splitlines()[-1] == said
    for full in ("--signatures", "--per-instance"):
        assert run(f"{SCORE} -q {full}").out.count("|hierpair") == 7
    everything = run("score tree.tsv true.tsv svm.tsv all -q --format csv").out
    assert len(everything.splitlines()) == 18


def test_unknown_labels_and_matching_by_position_are_told(run):
    files = {"odd.tsv": "1\tc|zebra\n", "lines.txt": "c\nd\ne\n"}
    said = run("score tree.tsv true.tsv odd.tsv --unknown drop --missing empty -m hf", files=files)
    for told in (said.out, said.err):
        assert "odd: 1 label outside the hierarchy" in told
    said = run("score tree.tsv true.tsv lines.txt -m hf").err
    assert "lines: only the truth has ids, so instances are matched by position" in said


def test_systems_in_the_order_of_a_measure_and_a_table_by_level(run):
    """The best first; undefined scores last, whatever the form and the direction."""
    write({"none.tsv": "1\t\n2\t\n3\t\n", "svm.tsv": "1\tc\n2\td|e\n3\tb\n"})
    line = "score tree.tsv true.tsv bert.tsv none.tsv svm.tsv -q --set zero-division=nan -m hp"
    for sort in ("hp", "gie", "hr"):
        out = run(f"{line} -m hr -m gie --format csv --sort {sort}").out
        assert list(dict.fromkeys(values(out, "system"))) == [("svm",), ("bert",), ("none",)]
    write({"t.tsv": "x\ta\ny\tb\nz\tc\n", "p.tsv": "x\ta\ny\tq\nz\tb\n"})
    line = "score tree.tsv t.tsv p.tsv --unknown drop --by level"
    assert "without --by level there are the scores" in run(f"{line} -m hf").err
    out = run(f"{line} -q --format csv --sort hf --fail-under hf=1", code=1).out
    found = [(a, b, c[:4]) for a, b, c in values(out, "level", "accuracy", "stopped")]
    assert found == [("1", "0.3333333333333333", "0.33"), ("2", "0.0", "1.0")]


MICRO, TWO = "-m hf(average=micro,beta=2)", "-m hf(beta=2) -m hf(beta=3)"


@pytest.mark.parametrize(("options", "code", "faults"), [
    ("--fail-under hf=0.5", 0, []), ("--fail-under svm:hf=0.6", 0, []), ("--fail-under hf=0.6", 1, ["bert: hf = 0.555556 is under 0.6"]),
    ("--fail-under svm:hf=0.67", 1, ["svm: hf = 0.666667 is under 0.67"]), ("--fail-over gie=1.7", 1, ["bert: gie = 3 is over 1.7"]),
    ("--fail-over gie=2 --fail-under svm:hf=1", 1, ["svm: hf = 0.666667 is under 1", "bert: gie = 3 is over 2"]),
    ("--fail-under svm:hf=0.9 --fail-under svm:hf=0.7", 1, ["svm: hf = 0.666667 is under 0.9", "svm: hf = 0.666667 is under 0.7"]),
    *((f"{MICRO} --fail-under svm:hf({of})=1.5", 1, ["svm: hf(average='micro', beta=2) = 0.75 is under 1.5"])  # as the measure was written, or otherwise
      for of in ("average=micro,beta=2", "beta=2,average='micro'")),
    (f"{TWO} --fail-under svm:hf(beta=2)=0.99", 1, ["svm: hf(beta=2) = 0.666667 is under 0.99"]), (f"{TWO} --fail-under hf=1", 2, []),
    ("none.tsv -m hp --set zero_division=nan --fail-under none:hp=0", 1, ["none: hp(zero_division=nan) = nan is undefined and misses 0"]),
])  # fmt: skip
def test_thresholds(run, options, code, faults):
    for verb in ("score",) if "nan" in options else ("score", "compare"):
        measures = "" if "-m" in options else "-m hf -m gie"
        line = f"{SCORE.replace('score', verb)} {measures} {options}"
        said = run(line, code=code, files={"none.tsv": "1\t\n2\t\n3\t\n"})
        told = (said.out + said.err).splitlines()
        assert [line for line in told if re.search(" is (under|over|undefined) ", line)] == faults
        assert code < 2 or "'hf' was not scored" in said.err


def test_output_follows_links_keeps_modes_and_reaches_pipes(run):
    real, link = Path("real.txt"), Path("link.txt")
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to("real.txt")
    run(f"{SCORE} -m hf -o link.txt")
    assert link.is_symlink()
    assert "0.6667" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o600
    os.mkfifo("pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_text()))
    reader.start()
    run(f"{SCORE} -m hf -o pipe")
    reader.join(timeout=30)
    assert "0.6667" in read[0]
    assert Path("pipe").is_fifo()


def test_which_measure(run):
    """Advice from files, and from needs alone; least cases are told for what speaks against."""
    line = "measures --for tree.tsv true.tsv --samples 0 --scope 3 --format json"
    found = json.loads(run(line).out)
    assert found[0]["rank"] == 1
    assert {"measure", "need", "property", "status"} <= found[0].keys()
    out = run("measures --for --need silence -m lca_f -m hf --samples 0 --scope 3").out
    assert [words[:2] for words in words_of(out, 3)[1:]] == [["1", "hf"], ["2", "lca_f"]]
    assert "expected lca_f({1}, ∅) ≥ lca_f({1}, {2}); is 0 < 0.5" in out


LONG = "x\tb\t0.9\nx\tc\t0.1\ny\tc\t0.8\nz\td\t0.3\n"
UNUSED = "scores of predictions were not used"


@pytest.mark.parametrize(("name", "text", "options", "unused"), [
    ("s.tsv", LONG, "", True), ("s.csv", "id,label,how\n" + LONG.replace("\t", ","), "--long --score-column how", True),
    ("s.tsv", LONG, "--min-score 0", False), ("s.tsv", "x\tb\ny\tb\nz\td\n", "", False),
])  # fmt: skip
def test_scores_that_choose_nothing_are_told_where_the_numbers_go(run, name, text, options, unused):
    write({"t": "r\ta\na\tb\na\tc\nr\td\n", "y": "x\tb\ny\tc\nz\td\n", name: text})
    line = f"score t y {name} {options} -m hf"
    said, rows, data = run(line), run(f"{line} -q --format csv"), run(f"{line} -q --format json")
    told = [said.out, said.err, run(f"{line} -q").out, rows.out, data.out]
    told += [run(f"explain t y {name} {options}").err]
    counts = [1, 1, 1, 1, 2, 1] if unused else [0] * 6
    assert [text.count(UNUSED) for text in told] == counts
    assert run(f"{line} -q").err == ""
    said = run(f"score t y {name} --preset cafaeval {options}", code=None)
    assert UNUSED not in said.out + said.err


# ------------------------------------------------------------------------------ weights, decode

COUNTED = {"dag": "r\ta\nr\tb\na\td\nb\td\n", "l": "x\ta\ny\tb\nz\ta|b\nw\td\n",
           "by": "r\tp\na\tp\nb\tq\nd\tq\n"}  # fmt: skip


@pytest.mark.parametrize(("options", "expected"), [
    ("", (0, 0.322, 0.322, 0.585)), ("--kind ic --smooth 0", (0, 0.415, 0.415, 2)),
    ("--kind icm", (0, None, None, 1)), ("--by by", (0, 0, 0, 1)),
])  # fmt: skip
def test_weights_of_classes(run, options, expected):
    out = run(f"weights dag l {options}", files=COUNTED).out
    found = {c: float(w) for c, w in (line.split("\t") for line in out.splitlines())}
    assert list(found) == list("rabd")
    for weight, wanted in zip(found.values(), expected, strict=True):
        assert wanted is None or weight == pytest.approx(wanted, abs=5e-4)


P = {"tree": "r\t1\nr\t2\n1\t3\n1\t4\n1\t5\n",
     "p": "x\t2\t0.25\nx\t3\t0.2\nx\t4\t0.2\nx\t5\t0.35\ny\t3\t1.0\n",
     "nodes": "x\t1\t0.75\nx\t2\t0.25\nx\t3\t0.2\nx\t4\t0.2\nx\t5\t0.35\n",
     "odd": "x\t1\t0.3\nx\t2\t0.2\nx\t4\t0.6\nx\t5\t0.9\n"}  # fmt: skip


@pytest.mark.parametrize(("words", "sets", "says"), [
    ("p -m hf", {"x": "1|2|5", "y": "1|3"}, "expected hf ↑ 0.7825; best classes of every size"),
    ("p -m gie", {"x": "1", "y": "3"}, "expected gie ↓"),
    ("p -m hf --set average=micro", None, "expected hf ↑ 0.8"),
    ("p -m lca_f", None, "candidates (not proved to be the best)"),
    ("p -m hf --labels path", {"x": "1|5", "y": "1|3"}, "best of 6 classes (exact)"),
    ("p -m hf --labels one", {"x": "5", "y": "3"}, ""),
    ("nodes -m hf --over nodes", {"x": "1|2|5"}, ""),
    ("odd -m hamming_loss --over scores", {"x": "4|5"}, ""),
    ("odd -m symmetric_difference --over scores --closure max", {"x": "1|4|5"}, ""),
    ("odd -m hf --over nodes --closure min --excess rescale", None, ""),
])  # fmt: skip
def test_decoding(run, words, sets, says):
    _code, out, err = run(f"decode tree {words}", files=P)
    rows = [line.split("\t") for line in out.splitlines()]
    assert rows[0] == ["id", "labels"]
    assert sets is None or dict(rows[1:]) == sets
    assert says in err
    assert ("note: 1 of 2 predictions with several" in err) == (words == "p -m hf")


def test_what_is_decoded_is_scored(run):
    for fmt in ("csv", "tsv", "jsonl"):
        run(f"decode tree p -m hf -o pred.{fmt}", files={**P, "true": "x\t5\ny\t3\n"})
        assert "0.9000" in run(f"score tree true pred.{fmt} -m hf").out
    assert json.loads(Path("pred.jsonl").read_text().splitlines()[0])["labels"] == ["1", "2", "5"]


# ------------------------------------------------------------------------------ curve


def term(name, *lines):
    return "\n".join(["[Term]", f"id: {name}", f"namespace: {name[0]}", *lines, "", ""])


OBO = "format-version: 1.2\n\n" + "".join([
    term("F:0", "alt_id: F:00"), term("F:1", "is_a: F:0"), term("F:2", "is_a: F:0"),
    term("F:3", "is_a: F:1", "relationship: part_of F:2", "relationship: part_of P:1"),
    term("P:0"), term("P:1", "is_a: P:0"),
])  # fmt: skip
TRUTH = "x\tF:3\nx\tP:1\ny\tF:2\n"
SCORES = "x\tF:1\t0.9\nx\tF:3\t0.4\nx\tP:1\t0.35\ny\tF:2\t0.7\ny\tF:1\t0.8\n"
WEIGHTS = "F:0\t0\nF:1\t0.5\nF:2\t1.5\nF:3\t2\nP:0\t0\nP:1\t1\n"
FILES = "o.obo truth.tsv s.tsv --relations is_a,part_of -q"
LABELS = {"x": ["F:3", "P:1"], "y": ["F:2"]}
SAID = {"x": {"F:1": 0.9, "F:3": 0.4, "P:1": 0.35}, "y": {"F:2": 0.7, "F:1": 0.8}}
OF = {c: float(w) for c, w in (line.split("\t") for line in WEIGHTS.splitlines())}


@pytest.fixture
def curve(run):
    """Run ``curve`` on these files; return what is printed, or the error."""
    write({"o.obo": OBO, "truth.tsv": TRUTH, "s.tsv": SCORES, "ia.tsv": WEIGHTS})

    def curve(words, code=0, verb="curve"):
        found = run(f"{verb} {FILES} {words}", code=code)
        return found.err if code else found.out

    return curve


def terms(**how):
    return read_hierarchy("o.obo", relations=("is_a", "part_of"), **how)


def spaces(hierarchy):
    return {name: name[0] for name in hierarchy.names}


def test_namespaces_with_weights(curve):
    data = json.loads(curve("--by namespace --weights ia.tsv --format json"))
    hierarchy = terms()
    truth, scores = read_labels("truth.tsv", hierarchy), read_scored_labels("s.tsv", hierarchy)
    weights = class_weights("ia.tsv", hierarchy)
    plain, heavy = (pooled_curves(truth, scores, spaces(hierarchy), weights=w)
                    for w in (None, weights))  # fmt: skip
    assert [row["namespace"] for row in data["curves"]] == list(plain) == ["F", "P"]
    for row in data["curves"]:
        one, other = plain[row["namespace"]], heavy[row["namespace"]]
        best = one.best()
        wanted = {"fmax": one.fmax(), "threshold": one.threshold[best], "wfmax": other.fmax(),
                  "smin": other.smin(), "coverage": one.coverage[best]}  # fmt: skip
        assert {name: row[name] for name in wanted} == wanted
    for how, curves in (("ones", plain), ("given", heavy)):
        for space, one in curves.items():
            drawn = [p for p in data["points"] if (p["namespace"], p["weights"]) == (space, how)]
            assert [p["recall"] for p in drawn] == one.recall.tolist()
    assert len(data["points"]) == sum(map(len, [*plain.values(), *heavy.values()]))
    text = curve("--by namespace --weights ia.tsv")
    assert text.startswith("system  namespace  Fmax ↑  threshold  precision  recall  coverage")
    assert "2 instances in F, 1 instance in P with true classes" in text
    assert all(said in text for said in ("wFmax ↑", "weights=ia.tsv", "by=namespace"))


@pytest.mark.parametrize("verb", ["curve", "score"])
def test_the_numbers_of_the_tool_by_namespace(curve, verb):
    out = curve("--preset cafaeval --by namespace --weights ia.tsv --format csv", verb=verb)
    rows = [*csv.DictReader(io.StringIO(out))]
    assert [(row["system"], row["namespace"]) for row in rows] == [("s", "F"), ("s", "P")]
    best = cafaeval_table(terms(), LABELS, SAID, weights=OF, by=spaces(terms())).best
    for (at, row), criterion in product(enumerate(rows), ("f", "f_w", "s")):
        assert float(row[criterion]) == best[criterion][at][criterion]
        assert float(row[f"{criterion}_tau"]) == best[criterion][at]["tau"]
    assert len({row["f"] for row in rows} | {row["f_w"] for row in rows}) > 2


def test_classes_and_namespaces_from_files_and_what_is_unknown(curve, run):
    by = "".join(f"{c}\t{c[0].lower()}\n" for c in OF)
    write({"by.tsv": by, "some.txt": "F:00\nF:1\n\nF:2\n"})
    data = json.loads(curve("--by by.tsv --classes some.txt --format json"))
    assert [row["namespace"] for row in data["curves"]] == ["f"]
    assert "classes=some.txt" in data["signatures"][0]
    counted = json.loads(curve("--weights ic --format json"))
    assert np.isfinite(counted["curves"][0]["wfmax"])
    plain = curve("--format csv")
    for more, says in (("x\tX:9\t0.9\n", "X:9"), ("z\tF:1\t0.9\n", "no truth")):
        Path("s.tsv").write_text(SCORES + more)
        assert says in curve("", code=2)
        assert curve("--unknown drop --format csv") == plain
    Path("few.tsv").write_text("x\tF:1\t0.9\nz\tF:1\t0.9\nw\tF:1\t0.8\n")
    line = FILES.replace("s.tsv", "few.tsv").removesuffix(" -q")
    assert "scored on" in run(f"curve {line} --unknown drop --missing empty").err


def test_weights_are_counted_in_every_namespace_apart(curve, run):
    write({"truth.tsv": "x\tF:3\ny\tF:2\nz\tF:3\nw\tP:1\nw\tF:1\n",
           "s.tsv": "x\tF:1\t0.9\nx\tF:3\t0.4\ny\tF:2\t0.7\nw\tP:1\t0.5\nz\tF:1\t1\n"})  # fmt: skip
    run(f"weights {FILES.replace('s.tsv', '')} --by namespace -o by.tsv")
    how = "--by namespace --format json --weights"
    read, found = (json.loads(curve(f"{how} {of}")) for of in ("by.tsv", "ia"))
    assert [found[x] for x in ("curves", "points")] == [read[x] for x in ("curves", "points")]
    hierarchy, alone = terms(), terms(namespace="F")
    truth = read_labels("truth.tsv", alone, unknown="drop")
    want = dict(zip(alone.names, information_accretion(alone, truth).tolist(), strict=True))
    got = dict(zip(hierarchy.names, class_weights("by.tsv", hierarchy).tolist(), strict=True))
    assert want == {name: x for name, x in got.items() if name in want}
    assert "cannot be counted in namespaces apart" in curve(f"{how} icm", code=2)
    Path("o.obo").write_text(OBO.replace("id: F:1\nnamespace: F\n", "id: F:1\n"))
    assert "o.obo:9: the term 'F:1' has no namespace" in curve("--by namespace", code=2)


def test_who_says_nothing_in_a_namespace_has_no_f_there(curve):
    pytest.importorskip("matplotlib")
    Path("few.tsv").write_text("x\tF:3\t0.4\ny\tF:2\t0.7\n")
    out = curve("few.tsv --by namespace --format json --picture c.svg")
    assert Path("c.svg").exists()
    rows = {(row["system"], row["namespace"]): row for row in json.loads(out)["curves"]}
    nothing = {"fmax": 0, "recall": 0, "coverage": 0, "area": 0, "smin": 1, "ru": 1}
    assert {name: rows["few", "P"][name] for name in nothing} == nothing
    alone = curve("--by namespace --format json")
    assert [r for key, r in rows.items() if key[0] == "s"] == json.loads(alone)["curves"]
    Path("s.tsv").write_text("x\tF:3\t0\ny\tF:2\t0\n")
    assert "no curve to draw" in curve("--picture d.svg", code=2)
    assert not Path("d.svg").exists()
    Path("truth.tsv").write_text("x\tF:0\ny\tF:0\n")
    assert "no instance has a true class that counts" in curve("--root F:0", code=2)


def test_risk_over_coverage_and_thresholds_for_others(run):
    """What the functions say, of files; and the thresholds are read again as they are shown."""
    rng = np.random.default_rng(3)
    edges = [("r", a) for a in "abc"] + [(a, f"{a}{i}") for a in "abc" for i in range(3)]
    tree = Hierarchy.from_edges(edges)
    leaves = [c for c in tree.names if len(c) == 2]
    p, truth = rng.dirichlet(np.full(9, 0.3), 40), rng.choice(leaves, 40).tolist()
    rows = [f"{i}\t{c}\t{x!r}\n" for i, of in enumerate(p.tolist())
            for c, x in zip(leaves, of, strict=True)]  # fmt: skip
    write({"t": "".join(f"{a}\t{b}\n" for a, b in edges), "p": "".join(rows),
           "y": "".join(f"{i}\t{c}\n" for i, c in enumerate(truth))})  # fmt: skip
    rules = ("climb", "leaf_or_root", "largest_coverage")
    curves = {rule: selective_curve(truth, p, rule, hierarchy=tree) for rule in rules}
    for rule, curve in curves.items():
        found = json.loads(run(f"curve t y p --rule {rule} --risk 0.5 --format json").out)
        row = {name: x for name, x in found["curves"][0].items() if name != "by level"}
        gain = curve.gain(curves["leaf_or_root"])
        assert row == {"system": "p", **curve.summary(0.5), "gain": gain}
        assert len(found["points"]) == len(curve)
    out = run("curve t y p -q --rule climb --risk 0.5 --picture risk.svg").out
    assert "svg" in Path("risk.svg").read_text()
    by_level = re.search(r"0=\S+,1=\S+,2=\S+", out)[0]
    out = run(f"decode t p -q --rule climb --threshold {by_level}").out
    sets = answers(p, "climb", level_thresholds(truth, p, 0.5, hierarchy=tree), hierarchy=tree)
    chosen = [f"{i}\t{'|'.join(sets.names_of(i, tree))}" for i in range(40)]
    assert out.splitlines()[1:] == chosen
    assert chosen != [f"{i}\t{c}" for i, c in enumerate(np.array(leaves)[p.argmax(1)])]
