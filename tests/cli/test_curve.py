"""``hierpair curve`` with weights, norms and namespaces, from an ontology, scores and weights."""

import csv
import io
import json
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from hierpair import Hierarchy, read_hierarchy, read_labels
from hierpair.io.class_tables import class_weights
from hierpair.labels.annotation_counts import information_accretion
from hierpair.metrics.presets import cafaeval_table
from hierpair.probabilistic import answers, level_thresholds, selective_curve
from hierpair.probabilistic.curves import pooled_curves
from hierpair.probabilistic.probability_files import read_scored_labels

from .conftest import write


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
    plain, heavy = (
        pooled_curves(truth, scores, spaces(hierarchy), weights=w) for w in (None, weights)
    )
    assert [row["namespace"] for row in data["curves"]] == list(plain) == ["F", "P"]
    for row in data["curves"]:
        one, other = plain[row["namespace"]], heavy[row["namespace"]]
        best = one.best()
        wanted = {"fmax": one.fmax(), "threshold": one.threshold[best], "wfmax": other.fmax(),
                  "smin": other.smin(), "coverage": one.coverage[best]}  # fmt: skip
        assert {name: row[name] for name in wanted} == wanted
    kinds = {(p["namespace"], p["weights"]) for p in data["points"]}
    assert kinds == {(space, how) for space in "FP" for how in ("ones", "given")}
    assert len(data["points"]) == sum(map(len, [*plain.values(), *heavy.values()]))
    text = curve("--by namespace --weights ia.tsv")
    assert text.startswith("system  namespace  Fmax ↑  threshold  precision  recall  coverage")
    assert "2 instances in F, 1 instance in P with true classes" in text
    assert all(said in text for said in ("wFmax ↑", "weights=ia.tsv", "by=namespace"))


def rows_of(text):
    return [*csv.DictReader(io.StringIO(text))]


def test_the_table_of_the_tool_at_its_grid(curve):
    rows = rows_of(curve("--by namespace --weights ia.tsv --step 0.25 --root include --norm gt "
                         "--zero-weight count --prop fill --format csv"))  # fmt: skip
    at = {(r["namespace"], float(r["threshold"]), r["weights"]): r for r in rows}
    table = cafaeval_table(terms(), LABELS, SAID, weights=OF, th_step=0.25, norm="gt", prop="fill",
                           by=spaces(terms()))  # fmt: skip
    assert len(table.rows)
    for row, (mark, kind) in product(table.rows, (("", "ones"), ("_w", "given"))):
        mine = at[row["namespace"], row["tau"], kind]
        for name, column in (("pr", "precision"), ("rc", "recall"), ("f", "f"), ("s", "s")):
            assert float(mine[column] or 0) == pytest.approx(row[name + mark], abs=1e-12)


@pytest.mark.parametrize("verb", ["curve", "score"])
def test_the_numbers_of_the_tool_by_namespace(curve, verb):
    rows = rows_of(
        curve("--preset cafaeval --by namespace --weights ia.tsv --format csv", verb=verb)
    )
    assert [(row["system"], row["namespace"]) for row in rows] == [("s", "F"), ("s", "P")]
    best = cafaeval_table(terms(), LABELS, SAID, weights=OF, by=spaces(terms())).best
    for (at, row), criterion in product(enumerate(rows), ("f", "f_w", "s")):
        assert float(row[criterion]) == best[criterion][at][criterion]
        assert float(row[f"{criterion}_tau"]) == best[criterion][at]["tau"]
    assert len({row["f"] for row in rows} | {row["f_w"] for row in rows}) > 2


def test_classes_and_namespaces_from_files(curve):
    by = "".join(f"{c}\t{c[0].lower()}\n" for c in OF)
    write({"by.tsv": by, "some.txt": "F:00\nF:1\n\nF:2\n"})
    data = json.loads(curve("--by by.tsv --classes some.txt --format json"))
    assert [row["namespace"] for row in data["curves"]] == ["f"]
    assert "classes=some.txt" in data["signature"]
    counted = json.loads(curve("--weights ic --format json"))
    assert np.isfinite(counted["curves"][0]["wfmax"])


def test_what_is_unknown_is_dropped_on_request(curve, run):
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


def test_a_term_without_a_namespace_is_named(curve):
    Path("o.obo").write_text(OBO.replace("id: F:1\nnamespace: F\n", "id: F:1\n"))
    assert "o.obo:9: the term 'F:1' has no namespace" in curve("--by namespace", code=2)


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
    assert (
        "--rule cannot be given with --ignore"
        in run("curve t y p --rule climb --ignore y", code=2).err
    )
