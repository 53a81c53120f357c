"""Scores in files and in every other form: presets, tables and curves say the same everywhere."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelDistribution, NodeScores, score
from hierpair.cli import main
from hierpair.labels.node_scores import scores_of_labels
from hierpair.metrics import class_areas, level_scores, reliability, score_like
from hierpair.metrics.presets import PRESETS
from hierpair.probabilistic import pooled_curve
from hierpair.probabilistic.probability_files import read_scored_labels

EDGES = [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f"), ("c", "g")]


DAG_EDGES = [*EDGES, ("e", "g"), ("f", "d")]


OF_LABELS = [name for name, preset in PRESETS.items() if not preset.of_scores]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(edges, seed, n=30):
    """Write a hierarchy, a truth and predictions with scores; return them as Python has them."""
    rng = np.random.default_rng(seed)
    Path("tree.tsv").write_text("".join(f"{p}\t{c}\n" for p, c in edges))
    truth = {
        f"p{i}": rng.choice(list("abcdefg"), rng.integers(1, 3), replace=False).tolist()
        for i in range(n)
    }
    said = {
        i: {
            c: float(np.round(rng.uniform(0.4, 1) if c in y else rng.uniform(0.01, 0.7), 3))
            for c in sorted({*rng.choice(list("abcdefg"), 3).tolist(), *y})
        }
        for i, y in truth.items()
    }
    Path("truth.tsv").write_text("".join(f"{i}\t{'|'.join(y)}\n" for i, y in truth.items()))
    Path("long.tsv").write_text(
        "".join(f"{i}\t{c}\t{s}\n" for i, of in said.items() for c, s in of.items())
    )
    rows = [{"id": i, "class": c, "conf": s} for i, of in said.items() for c, s in of.items()]
    with Path("named.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, ["id", "class", "conf"])
        writer.writeheader()
        writer.writerows(rows)
    Path("named.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    Path("scores.jsonl").write_text(
        "".join(json.dumps({"id": i, "scores": of}) + "\n" for i, of in said.items())
    )
    matrix = np.array([[of.get(c, 0.0) for c in "abcdefg"] for of in said.values()])
    np.savez("matrix.npz", matrix=matrix, classes=list("abcdefg"), ids=list(said))
    return Hierarchy.from_edges(edges), truth, said


def printed(args, capsys):
    assert main(args) == 0
    return capsys.readouterr().out


def values_of(table):
    return [float(row["value"]) for row in csv.DictReader(io.StringIO(table))]


@pytest.mark.parametrize("preset", OF_LABELS)
@pytest.mark.parametrize("edges", [EDGES, DAG_EDGES], ids=["tree", "dag"])
def test_every_preset_gives_the_same_on_the_command_line(preset, edges, folder, capsys):
    hierarchy, truth, said = written(edges, 0)
    plain = {i: list(of) for i, of in said.items()}
    Path("plain.tsv").write_text("".join(f"{i}\t{'|'.join(y)}\n" for i, y in plain.items()))
    scored = PRESETS[preset].scored
    if preset == "hierverb" and edges == DAG_EDGES:
        with pytest.raises(BadInput, match="a class has many paths in a DAG"):
            score_like(preset, hierarchy, truth, {"s": plain})
        files = ["tree.tsv", "truth.tsv", "s=plain.tsv"]
        assert main(["score", *files, "--preset", preset, "-q"]) == 2
        assert "a class has many paths in a DAG" in capsys.readouterr().err
        return
    wanted = score_like(preset, hierarchy, truth, {"s": said if scored else plain})
    file = "long.tsv" if scored else "plain.tsv"
    args = ["score", "tree.tsv", "truth.tsv", f"s={file}", "--preset", preset, "-q"]
    assert values_of(printed([*args, "--format", "csv"], capsys)) == wanted.values.ravel().tolist()
    assert printed(args, capsys) == f"{wanted}\n"
    if scored:  # and not what counts every prediction
        every = score_like(preset, hierarchy, truth, {"s": plain})
        assert (wanted.values != every.values).any()


@pytest.mark.parametrize(
    ("file", "options"),
    [
        ("long.tsv", []),
        ("named.csv", ["--score-column", "conf"]),
        ("named.jsonl", ["--score-column", "conf"]),
        ("scores.jsonl", []),
        ("matrix.npz", []),
        ("table.parquet", ["--score-column", "conf"]),
    ],
)
def test_scores_are_read_from_every_format(file, options, folder, capsys):
    hierarchy, truth, said = written(DAG_EDGES, 5)
    if file.endswith("parquet"):
        pa = pytest.importorskip("pyarrow")
        import pyarrow.parquet as pq

        rows = [(i, c, s) for i, of in said.items() for c, s in of.items()]
        columns = dict(zip(("id", "class", "conf"), zip(*rows, strict=True), strict=True))
        pq.write_table(pa.table({k: list(v) for k, v in columns.items()}), file)
    wanted = score_like("cafaeval", hierarchy, truth, {"s": said})
    args = ["score", "tree.tsv", "truth.tsv", f"s={file}", "--preset", "cafaeval", "-q"]
    if "--score-column" in options:
        args += ["--label-column", "class"]
        Path("truth.csv").write_text(
            "id,class\n" + "".join(f"{i},{'|'.join(y)}\n" for i, y in truth.items())
        )
        args[2] = "truth.csv"
    got = values_of(printed([*args, *options, "--format", "csv"], capsys))
    assert got == wanted.values.ravel().tolist()


def test_predictions_without_scores_are_refused(folder, capsys):
    written(EDGES, 0)
    Path("plain.tsv").write_text("p0\ta|c\n")
    Path("pairs.tsv").write_text("id\tlabel\np0\ta\n")
    Path("plain.csv").write_text("id,labels\np0,a|c\n")
    for file in ("plain.tsv", "pairs.tsv", "plain.csv"):
        for verb in (["score", "--preset", "cafaeval"], ["curve"]):
            assert main([*verb, "tree.tsv", "truth.tsv", file, "--missing", "empty"]) == 2
            err = capsys.readouterr().err
            assert file in err
            assert "no scores" in err
            assert "--score-column" in err


def test_presets_without_scores_refuse_files_with_scores(folder, capsys):
    written(EDGES, 0)
    for preset in OF_LABELS:
        if PRESETS[preset].scored:
            continue
        args = ["score", "tree.tsv", "truth.tsv", "long.tsv", "--preset", preset, "--missing",
                "empty"]  # fmt: skip
        assert main(args) == 2
        err = capsys.readouterr().err
        assert "long.tsv: the labels have scores" in err
        assert "--min-score" in err
        assert main([*args, "--min-score", "0.5", "-q"]) == 0
        capsys.readouterr()


def test_what_was_left_out_is_said(folder, capsys):
    written(EDGES, 0)
    rows = Path("long.tsv").read_text().splitlines(keepends=True)
    Path("odd.tsv").write_text("p1\tzebra\t0.5\n" + "".join(r for r in rows if "p0\t" not in r))
    for verb in (["curve"], ["score", "--preset", "cafaeval"]):
        args = [*verb, "tree.tsv", "truth.tsv", "odd.tsv", "--missing", "empty"]
        assert main(args) == 2
        assert "zebra" in capsys.readouterr().err
        assert main([*args, "--unknown", "drop"]) == 0
        err = capsys.readouterr().err
        assert "odd.tsv: 1 label outside the hierarchy, dropped" in err
        if verb == ["curve"]:
            assert "odd: 1 instance without scores" in err


@pytest.mark.parametrize(
    "preset", [name for name in OF_LABELS if name != "hierverb"]
)  # refuses DAGs
def test_doubts_of_the_hierarchy_stay_with_the_numbers(tmp_path, monkeypatch, capsys, preset):
    monkeypatch.chdir(tmp_path)
    Path("t.tsv").write_text("b\ta\nd\tc\nc\tr\na\tr\n")  # upside down: child TAB parent
    Path("y.tsv").write_text("x\ta\n")
    takes_scores = PRESETS[preset].scored or PRESETS[preset].of_scores
    Path("p.tsv").write_text("x\ta\t0.9\n" if takes_scores else "x\ta\n")
    files = ["t.tsv", "y.tsv", "p.tsv", "--preset", preset, "-q", "--roots", "any"]
    doubts = Hierarchy.from_edges(
        [("b", "a"), ("d", "c"), ("c", "r"), ("a", "r")], roots="any"
    ).doubts
    assert doubts
    for fmt, separator in (("csv", ","), ("tsv", "\t")):
        assert main(["score", *files, "--format", fmt]) == 0
        rows = list(csv.DictReader(capsys.readouterr().out.splitlines(), delimiter=separator))
        assert {row["doubts"] for row in rows} == {"; ".join(doubts)}
    assert main(["score", *files, "--format", "jsonl"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {json.loads(line)["doubts"] for line in lines} == {"; ".join(doubts)}
    plain = score_like(preset, TREE, ["c"], {"s": ["c"]}).to_table("csv")
    assert "doubts" not in plain


def test_bad_scores_are_named():
    tree = Hierarchy.from_edges(EDGES)
    for bad, words in (
        (1.5, r"\[0, 1\]"),
        (-0.1, r"\[0, 1\]"),
        (np.nan, "finite"),
        ("x", "finite"),
    ):
        with pytest.raises(BadInput, match=words) as error:
            score_like("cafaeval", tree, {"x": ["c"]}, {"s": {"x": {"c": bad}}})
        assert "s: instance 'x', class 'c': a score must be" in str(error.value)
    with pytest.raises(BadInput, match="labels without scores"):
        scores_of_labels({"x": {"a": 0.5}, "y": ["a"]}, tree)
    other = NodeScores.from_array([[0.5]], Hierarchy.from_edges([("q", "z")]), classes="z")
    with pytest.raises(BadInput, match="another hierarchy"):
        scores_of_labels(other, tree)


@pytest.mark.parametrize("score", ["1.5", "-0.1", '"high"'])
def test_bad_scores_of_files_are_named(score, folder):
    tree = Hierarchy.from_edges(EDGES)
    Path("s.jsonl").write_text(
        f'{{"id": "w", "scores": {{}}}}\n{{"id": "x", "scores": {{"c": {score}}}}}\n'
    )
    with pytest.raises(BadInput, match=r"s.jsonl:2(.* class 'c')?: a score must be"):
        read_scored_labels("s.jsonl", tree)
    word = score.strip('"')
    Path("s.tsv").write_text(f"w\ta\t0.5\nx\tc\t{word}\ny\tc\t1\n")
    with pytest.raises(BadInput, match=r"s.tsv:2(, instance 'x', class 'c')?: a score must be"):
        read_scored_labels("s.tsv", tree)


def test_of_several_scores_the_highest_counts(folder):
    Path("s.tsv").write_text("x\ta\t0.2\nx\ta\t0.9\nx\ta\t0.4\nx\tb\t0.1\n")
    tree = Hierarchy.from_edges(EDGES)
    found = read_scored_labels("s.tsv", tree)
    assert found.dense()[0, tree.index(["r", "a", "b"])].tolist() == [0.0, 0.9, 0.1]


# ---------------------------------------------------------------------------------- curves


@pytest.mark.parametrize("average", ["samples", "micro"])
@pytest.mark.parametrize("root", ["exclude", "include"])
def test_the_curve_on_the_command_line(average, root, folder, capsys):
    hierarchy, truth, said = written(DAG_EDGES, 7)
    curve = pooled_curve(truth, scores_of_labels(said, hierarchy), average=average, root=root)
    args = ["curve", "tree.tsv", "truth.tsv", "s=long.tsv", "--average", average, "--root", root]
    rows = list(csv.DictReader(io.StringIO(printed([*args, "-q", "--format", "csv"], capsys))))
    assert [float(r["threshold"]) for r in rows] == curve.threshold.tolist()
    assert [float(r["precision"]) for r in rows] == curve.precision.tolist()
    assert [float(r["recall"]) for r in rows] == curve.recall.tolist()
    assert [float(r["f"]) for r in rows] == curve.f().tolist()
    data = json.loads(printed([*args, "-q", "--format", "json"], capsys))
    assert data["curves"][0]["fmax"] == curve.fmax()
    assert len(data["points"]) == len(rows)
    text = printed([*args, "-q", "--digits", "3"], capsys)
    assert f"{curve.fmax():.3f}" in text.splitlines()[1]
    assert max(map(len, text.splitlines()[:2])) <= 100


def test_a_score_on_a_step_is_reached(folder, capsys):
    hierarchy = Hierarchy.from_edges(EDGES)
    name = hierarchy.names[-1]
    Path("tree.tsv").write_text("".join(f"{p}\t{c}\n" for p, c in EDGES))
    Path("truth.tsv").write_text(f"1\t{name}\n")
    Path("s.tsv").write_text(f"1\t{name}\t0.3\n")
    args = ["curve", "tree.tsv", "truth.tsv", "s.tsv", "--step", "0.1", "-q", "--format", "csv"]
    rows = list(csv.DictReader(io.StringIO(printed(args, capsys))))
    reached = [float(r["threshold"]) for r in rows if float(r["recall"]) == 1]
    assert reached == [0.3, 0.2, 0.1]  # three times 0.1 is above 0.3
    thresholds = [float(r["threshold"]) for r in rows]
    assert thresholds == [k / 10 for k in range(9, 0, -1)]  # below 1


def test_the_curve_is_drawn(folder, capsys):
    pytest.importorskip("matplotlib")
    written(EDGES, 2)
    args = ["curve", "tree.tsv", "truth.tsv", "one=long.tsv", "two=scores.jsonl"]
    assert main([*args, "--picture", "curve.svg"]) == 0
    assert "drew the curves in curve.svg" in capsys.readouterr().err
    assert "<svg " in Path("curve.svg").read_text("utf-8")
    for bad, words in (
        (["--picture", "long.tsv"], "must end in"),
        (["--step", "1"], "--step: must be a number such as 0.01"),
        (["--step", "1e-9"], "--step: must be a number such as 0.01, of at most 6 decimals"),
        (["--beta", "-1"], "beta must be"),
        (["--root", "zebra"], "zebra"),
    ):
        assert main([*args, *bad]) == 2
        assert words in capsys.readouterr().err


def test_the_example_of_the_tool_itself(folder, capsys):
    cafaeval = pytest.importorskip("cafaeval")
    data = Path(cafaeval.__file__).parent / "data" / "example"
    if not data.is_dir():
        pytest.skip("the example does not come with this version")
    runs = sorted((data / "predictions").glob("*.tsv"))
    args = ["score", str(next(data.glob("*.obo"))), str(data / "ground_truth.tsv"),
            *map(str, runs), "--preset", "cafaeval", "--missing", "empty", "--label-format",
            "long", "-q", "--format", "csv"]  # fmt: skip
    rows = csv.DictReader(io.StringIO(printed(args, capsys)))
    f = {
        r["system"]: (float(r["value"]), float(r["threshold"])) for r in rows if r["column"] == "f"
    }
    # what the tool prints for its example
    wanted = {"pred_1": (0.517120, 0.04), "pred_2": (0.539604, 0.84), "pred_3": (0.668637, 0.89),
              "pred_4": (0.776137, 0.06), "pred_5": (0.674768, 0.38)}  # fmt: skip
    assert f.keys() == wanted.keys()
    for name, pair in wanted.items():
        assert f[name] == pytest.approx(pair, abs=1e-6)


# ----------------------------------------------------------------- tables in every other form

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])


LAWS = [[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0, 0, 1]]


LEAVES = list("cde")


TRUTH = {"x": "c", "y": "d", "z": "c"}


def forms():
    law = LabelDistribution.from_leaves(LAWS, TREE, classes=LEAVES, ids=list("xyz"))
    table = law.marginals().dense()
    named = {
        name: dict(zip(TREE.names, row.tolist(), strict=True))
        for name, row in zip("xyz", table, strict=True)
    }
    turned = dict(reversed(named.items()))
    return {
        "law": law,
        "scores": law.marginals(),
        "names": named,
        "turned": turned,
        "levels": [table[:, 1:3], table[:, 3:]],
    }


@pytest.mark.parametrize("form", forms())
def test_every_form_of_scores(form):
    given, law = forms()[form], forms()["law"]
    assert class_areas(TRUTH, given, TREE).to_json() == class_areas(TRUTH, law, TREE).to_json()
    assert level_scores(TRUTH, given, TREE).to_json() == level_scores(TRUTH, law, TREE).to_json()
    found = reliability(TRUTH, given, TREE, bins=4)
    assert found.error() == pytest.approx(level_scores(TRUTH, law, TREE, bins=4).ece)


def test_tables_hold_what_the_measures_say():
    law = forms()["law"]
    names = ["micro_auprc", "macro_auprc", "weighted_auprc", "macro_auroc", "micro_auroc"]
    options = ["", "(interpolation=clus)"]
    for name in names:
        for option in options[: 2 if name.endswith("prc") else 1]:
            areas = class_areas(TRUTH, law, TREE, **({"interpolation": "clus"} if option else {}))
            value = score(TREE, TRUTH, {"s": law}, [name + option]).values[0, 0]
            assert value == getattr(areas, name)()
    levels = level_scores(TRUTH, law, TREE, bins=5, clip=0.01)
    for name, options in (
        ("brier", ""),
        ("log_loss", "clip=0.01, "),
        ("ece", "bins=5, "),
        ("sce", "bins=5, "),
        ("ace", "bins=5, "),
    ):
        called = "level_log_loss" if name == "log_loss" else name
        for how in ("mean", "sum"):
            measure = f"{called}({options}over_levels={how})"
            value = score(TREE, TRUTH, {"s": law}, [measure]).values[0, 0]
            assert value == levels.over_levels(name, how)


def test_predictions_are_matched_by_id():
    said = {"z": "c", "y": "c", "x": "c"}
    found = level_scores(TRUTH, forms()["law"], TREE, y_pred=said, preset="hiclass")
    turned = level_scores(TRUTH, forms()["turned"], TREE, y_pred=dict(TRUTH), preset="hiclass")
    assert found.ece.tolist() != turned.ece.tolist()
    again = level_scores(TRUTH, forms()["law"], TREE, y_pred=list("ccc"), preset="hiclass")
    assert again.records.to_dicts()[0]["brier"] == found.brier[0]


def test_levels_may_have_their_classes_in_any_order():
    named = NodeScores.from_levels([[[0.5, 0.25]]], TREE, classes=[["e", "c"]], ids=["x"])
    assert named.dense()[0].tolist() == [1, 0, 0, 0.25, 0, 0.5]


def test_on_the_command_line(tmp_path, capsys):
    for name, text in (
        ("tree", "r\ta\nr\tb\n"),
        ("truth", "x\ta\ny\tb\n"),
        ("scores", "x\ta\t0.75\nx\tb\t0.5\ny\tb\t0.25\n"),
        ("nobody", "x\tr\ny\tr\n"),
        ("odd", "x\ta\t1.5\ny\ta\t1\n"),
    ):
        (tmp_path / f"{name}.tsv").write_text(text)
    files = [str(tmp_path / f"{name}.tsv") for name in ("tree", "truth", "scores")]
    main(["score", *files, "-m", "micro_auprc", "-m", "node_brier", "--format", "csv"])
    assert "0.833" in capsys.readouterr().out
    main(["score", *files, "--preset", "clus"])
    assert "Average AUPRC (weighted)" in capsys.readouterr().out
    for changed, measure, why in (
        ({1: "nobody"}, "macro_auprc", "no instance has a true class that counts"),
        ({1: "nobody"}, "ece", "has a true class that counts"),
        ({2: "odd"}, "brier", "1.5"),
        ({}, "macro_auroc(least=5)", "lower least"),
        ({}, "ece(bins=0)", "bins must be a whole number from 1"),
        ({}, "log_score(clip=0.1)", "has no option 'clip'"),
    ):
        chosen = [
            str(tmp_path / f"{changed[i]}.tsv") if i in changed else f for i, f in enumerate(files)
        ]
        with pytest.raises(SystemExit) as stopped:
            raise SystemExit(main(["score", *chosen, "-m", measure]))
        assert stopped.value.code == 2
        told = capsys.readouterr().err
        assert why in told
        assert "Traceback" not in told
