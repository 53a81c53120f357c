"""Other tools' numbers, against the tools themselves and their vectors; and scores in every file and form."""

import csv
import io
import json
import math
import re
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from hierpair import BadInput, Hierarchy, LabelDistribution, LabelSets, NodeScores, score
from hierpair.cli import main
from hierpair.cli.score import MORE
from hierpair.labels.node_scores import scores_of_labels
from hierpair.metrics import cafaeval_table, class_areas, level_scores, reliability
from hierpair.metrics.presets import CRITERIA, HIDDEN, PRESETS, pyevall_icm_soft, score_like
from hierpair.probabilistic import pooled_curve, pooled_curves
from hierpair.probabilistic.probability_files import read_scored_labels
from tests import effort
from tests.paths import BUNDLED, SHARED
from tests.scenarios import hierarchy_of_case, modern

EDGES = [*(tuple(edge) for edge in ("ra", "rb", "ac", "ad", "be", "bf", "cg", "eh"))]
DAG_EDGES = [*EDGES, ("e", "g"), ("f", "d")]
TREE = Hierarchy.from_edges(EDGES)
SMALL = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
TWO = Hierarchy.from_edges([("r", "a"), ("r", "b")])
WITHIN = 1e-12
OF_LABELS = [name for name, preset in PRESETS.items() if not preset.of_scores]
PATHS = {path[-1]: [*path] for path in ("a", "b", "ac", "ad", "be", "bf", "acg", "beh")}


def several(rng, n=150, least=1, most=3):
    sizes = (rng.integers(least, most + 1) for _ in range(n))
    return [rng.choice(list(PATHS), size, replace=False).tolist() for size in sizes]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("most", [1, 3])
def test_hiclass(most, seed):
    metrics = pytest.importorskip("hiclass.metrics")
    rng = np.random.default_rng(seed)
    arrays = []
    for labels in (several(rng, most=most) for _ in range(2)):
        array = np.full((len(labels), most, 3), "", dtype="<U1")
        for row, names in zip(array, labels, strict=True):
            for cell, name in zip(row, names, strict=False):
                cell[: len(PATHS[name])] = PATHS[name]
        arrays.append(array if most > 1 else array[:, 0])
    y_true, y_pred = (LabelSets.from_levels(a, TREE) for a in arrays)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # hiclass warns for every instance with nothing in common
        for average in ("micro", "macro"):
            found = score_like(f"hiclass-{average}", TREE, y_true, {"s": y_pred})
            for name in ("precision", "recall", "f1"):
                known = getattr(metrics, name)(*arrays, average=average)
                assert found["s", name] == pytest.approx(known, abs=1e-12)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("edges", [EDGES, [*EDGES, ("b", "d"), ("b", "c")]], ids=["tree", "dag"])
def test_sklearn_hierarchical_classification(edges, seed):
    metrics = pytest.importorskip("sklearn_hierarchical_classification.metrics")
    rng = np.random.default_rng(seed)
    truth, said = several(rng), several(rng)
    graph = nx.DiGraph([(metrics.ROOT if p == "r" else p, c) for p, c in edges])
    tool, hierarchy = "sklearn-hierarchical-classification", Hierarchy.from_edges(edges)
    found = score_like(tool, hierarchy, truth, {"s": said})
    with metrics.multi_labeled(truth, said, graph) as sides:
        for column in ("h_precision", "h_recall", "h_fbeta"):
            known = getattr(metrics, f"{column}_score")(*sides)
            assert found["s", column] == pytest.approx(known, abs=1e-12)


@pytest.mark.parametrize("kind", ["tree_small", "dag_small"])
def test_hemkit(kind):
    folder = BUNDLED / "hemkit_set_measures" / kind
    files = (folder / f"{name}.txt" for name in ("hierarchy", "true", "pred"))
    edges, truth, said = ([x.split() for x in file.read_text().splitlines()] for file in files)
    expected = np.loadtxt(folder / "expected.tsv", skiprows=1)
    found = score_like("hemkit", Hierarchy.from_edges(edges), truth, {"s": said})
    assert found.columns == ("hP", "hR", "hF", "SDL")
    assert found.values[0] == pytest.approx(expected.mean(axis=0), abs=1e-12)


# --------------------------------------------------------------------------- CAFA-evaluator


def run_cafaeval(folder, parents, truth, said, spaces, weights, **how):
    """What CAFA-evaluator finds in files: its table over thresholds, and the rows that are best."""
    evaluation = pytest.importorskip("cafaeval.evaluation")
    lines = ["format-version: 1.2", ""]
    for c, above in parents.items():
        lines += ["[Term]", f"id: T:{c}", f"name: {c}", f"namespace: {spaces[c]}"]
        ways = ("is_a:", *["relationship: part_of"] * len(above))
        lines += [*(f"{way} T:{p}" for way, p in zip(ways, above, strict=False)), ""]
    (folder / "o.obo").write_text("\n".join(lines))
    (folder / "gt.tsv").write_text("".join(f"{i}\tT:{c}\n" for i, of in truth.items() for c in of))
    (folder / "pred").mkdir()
    rows = [f"{i}\tT:{c}\t{s!r}\n" for i, of in said.items() for c, s in of.items()]
    (folder / "pred" / "s.tsv").write_text("".join(rows))
    (folder / "ia.tsv").write_text("".join(f"T:{c}\t{w!r}\n" for c, w in weights.items()))
    paths = [str(folder / name) for name in ("o.obo", "pred", "gt.tsv", "ia.tsv")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluation.cafa_eval(*paths[:3], ia=paths[3], **how)


@pytest.mark.parametrize("edges", [EDGES, [*EDGES, ("e", "d"), ("f", "g"), ("c", "h")]])
def test_cafaeval_by_name_is_the_best_row_of_its_table(edges):
    """Labels are certain there, which counts as 0.99."""
    rng, hierarchy = np.random.default_rng(1), Hierarchy.from_edges(edges)
    truth = dict(enumerate(several(rng, 60)))
    said = {i: {c: round(float(rng.uniform(0.01, 1)), 3) for c in [*y, *truth[i]]}
            for i, y in enumerate(several(rng, 60))}  # fmt: skip
    labels = dict(enumerate(several(rng, 60, least=0)))
    certain = {i: dict.fromkeys(y, 0.995) for i, y in labels.items()}
    for given, scores in ((said, said), (labels, certain)):
        found = score_like("cafaeval", hierarchy, truth, {"s": given})
        row = cafaeval_table(hierarchy, truth, scores).best["f"][0]
        wanted = [row[column] for column in found.columns]
        assert found.values[0] == pytest.approx(wanted, abs=WITHIN)
        assert found.thresholds.get("s", row["tau"]) == row["tau"]
        assert ("threshold 0." in str(found)) == (given is said)


VECTORS = SHARED / "modern" / "cafa.json"


def same(got, want):
    assert set(got) == set(want)
    for name, x in want.items():
        assert got[name] == (x if name == "namespace" else pytest.approx(x, abs=WITHIN)), name


@pytest.mark.skipif(not VECTORS.exists(), reason=f"there is no {VECTORS}")
def test_every_number_of_the_vectors():
    n = 0
    for case in json.loads(VECTORS.read_text("utf-8"))["cases"]:
        given, want = case["options"], case["expected"]
        edges, classes = map(tuple, case["edges"]), case["classes"]
        how = {name: given[name] for name in ("norm", "prop", "no_orphans", "th_step")}
        if case["weights"] is not None:
            some = {c: float(x) for c, x in case["weights"].items() if x is not None}
            how["weights"] = some
        h = Hierarchy.from_edges(edges, classes=classes, roots="any")
        found = cafaeval_table(h, case["truth"], case["scores"], by=case["namespace"], **how)
        place = {(row["namespace"], row["tau"]): row for row in found.rows}
        assert given["th_step"] == 0.01 or len(place) == len(want["rows"])
        pairs = [(place[row["namespace"], row["tau"]], row) for row in want["rows"]]
        for criterion, rows in want["best"].items():
            mine = {row["namespace"]: row for row in found.best.get(criterion, [])}
            assert set(mine) == {row["namespace"] for row in rows}
            pairs += [(mine[row["namespace"]], row) for row in rows]
        for got, row in pairs:
            same(got, row)
            n += len(row) - 1
    assert n > 20_000


@pytest.mark.random_cases
def test_the_tool_itself_on_random_data(tmp_path):
    rng = np.random.default_rng(20)
    for k in range(effort.cases(48)):
        n = int(rng.integers(3, 25))
        few = {c: min(c, 1 + int(rng.random() < 0.4)) for c in range(n)}
        parents = {c: sorted({*rng.choice(max(c, 1), k).tolist()}) for c, k in few.items()}
        spaces = {c: "FP"[k % 2 and int(rng.random() < 0.4)] for c in parents}
        truth = {f"i{i}": [int(c) for c in rng.choice(n, rng.integers(1, 4))] for i in range(9)}
        said = {i: {int(c): float(round(rng.random(), 3)) or 0.5 for c in rng.choice(n, 4)}
                for i in [*list(truth)[: rng.integers(1, 9)], "unknown"]}  # fmt: skip
        weights = {c: float(rng.choice([0.0, 0.4, 1.3, 7.0, np.inf])) for c in parents}
        folder = tmp_path / str(k)
        folder.mkdir()
        how = {"norm": ("cafa", "pred", "gt")[k % 3], "prop": ("max", "fill")[k % 2],
               "no_orphans": bool(k % 4 == 1), "th_step": 0.05}  # fmt: skip
        table, best = run_cafaeval(folder, parents, truth, said, spaces, weights, **how)
        edges = [(p, c) for c, above in parents.items() for p in above]
        hierarchy = Hierarchy.from_edges(edges, classes=list(parents))
        found = cafaeval_table(hierarchy, truth, said, weights=weights, by=spaces, **how)
        if table is None:
            assert not found.rows
            continue
        rows = {(row["namespace"], row["tau"]): row for row in found.rows}
        wanted = table.reset_index().drop(columns="filename")
        assert len(rows) == len(wanted)
        for row in wanted.rename(columns={"ns": "namespace"}).to_dict("records"):
            same(rows[row["namespace"], row["tau"]], row)
        for criterion, way in CRITERIA.items():
            tool = best[criterion].reset_index().set_index("ns")[criterion]
            for row in found.best[criterion]:
                assert row[criterion] == pytest.approx(tool[row["namespace"]], abs=WITHIN), way


def test_a_table_has_all_columns_and_is_empty_where_nothing_is_known():
    truth, said = {"x": ["a"], "y": ["c"]}, {"x": {"a": 0.5}, "y": {"b": 0.5}}
    found = cafaeval_table(SMALL, truth, said, by=dict.fromkeys("rabc", "F"))
    assert found.to_csv().startswith("namespace,tau,n,tp,fp,fn,pr,rc,cov,mi,ru,f,s,pr_micro")
    assert (found.to_table()[:4], repr(found)) == ("best", "CafaTable(50 rows)")
    assert json.loads(found.to_json())["best"]
    (best,), (row,) = found.best["f"], found.numbers()
    assert [row[x] for x in ("f", "f_tau", "coverage")] == [
        best[x] for x in ("f", "tau", "cov_max")
    ]
    nothing = cafaeval_table(SMALL, truth, {"z": {"a": 0.5}})
    assert (nothing.rows, nothing.best) == ([], {})
    assert nothing.to_csv() == "namespace,tau,f,pr,rc,cov,s,ru,mi"


def test_of_equally_good_thresholds_a_tool_takes_the_lowest():
    """Precision 1 and recall 1/2 at one threshold, 1/2 and 1 at a lower one: the same F."""
    flat = Hierarchy.from_edges([("r", x) for x in "abcdefg"])
    said = {"p": {"a": 0.9, **dict.fromkeys("bcdefg", 0.4)}}
    found = score_like("cafaeval", flat, {"p": ["a", "b", "c"]}, {"s": said})
    assert [found["s", column] for column in ("pr", "rc")] == [0.5, 1.0]
    assert found.thresholds["s"] == pytest.approx(0.01)


# --------------------------------------------------------------------------- PyEvALL and Clus


def test_a_label_of_no_class_is_a_root_of_its_own():
    """It costs log2 n: 2 bits of four instances."""
    truth = {"1": ["a"], "2": ["b"], "3": ["a"], "4": ["b"]}
    right = score_like("pyevall", TWO, truth, {"s": truth})["s", "ICM"]
    odd = {**truth, "4": ["b", "strange"]}
    assert right == 1
    assert score_like("pyevall", TWO, truth, {"s": odd})["s", "ICM"] == right - math.log2(4) / 4


def test_where_all_truths_are_alike_there_is_no_norm():
    found = score_like("pyevall", TWO, ["a", "a"], {"s": ["a", "b"]})
    assert math.isnan(found["s", "ICMNorm"])
    assert found["s", "ICM"] == -0.5  # one of two has b, which was never seen: p = 1/2


SOFT = SHARED / "modern" / "icm_soft.json"


@pytest.mark.skipif(not SOFT.is_file(), reason=f"no {SOFT}; set HIERPAIR_DATA")
def test_icm_soft_is_that_of_the_tool():
    cases = json.loads(SOFT.read_text())["cases"]
    assert len(cases) == 35
    for case in cases:
        tree = Hierarchy.from_edges(case["edges"], classes=case["classes"])
        sides = [case[side] for side in ("truth", "prediction")]
        turned = [[dict(reversed(row.items())) for row in side] for side in sides]
        wanted = [case["expected"][key] for key in ("ICMSoft", "ICMSoftNorm")]
        for given in (sides, turned):
            found = pyevall_icm_soft(*given, tree)
            got = [found.icm_soft, found.icm_soft_norm]
            assert got == pytest.approx(wanted, rel=0, abs=WITHIN), case["name"]


def test_icm_soft_is_matched_by_id():
    truth = {"x": {"a": 0.75, "b": 0.25}, "y": {"b": 1.0}, "z": {"a": 0.5}}
    guess = {"z": {"a": 1.0}, "x": {"b": 0.5}}
    alike = pyevall_icm_soft(truth, guess, TWO)
    assert alike == pyevall_icm_soft(list(truth.values()), [guess["x"], {}, guess["z"]], TWO)
    assert pyevall_icm_soft(truth, truth, TWO).icm_soft_norm == 1
    odd = {**guess, "x": {"b": 0.5, "strange": 0.0, "odd": 1.0}}  # two roots of their own
    wanted = alike.icm_soft - 2 * math.log2(3) / 3
    assert pyevall_icm_soft(truth, odd, TWO).icm_soft == pytest.approx(wanted)


@pytest.mark.parametrize("case", modern("auprc"))
def test_clus_by_name(case):
    hierarchy = hierarchy_of_case(case)
    table = [[row.get(c, 0) for c in hierarchy.names] for row in case["scores"]]
    given = NodeScores.from_array(table, hierarchy, with_root=False)
    found = score_like("clus", hierarchy, case["truth"], {"s": given})
    words = {"Average AUROC": "average_auroc", "Average AUPRC": "average_auprc",
             "Average AUPRC (weighted)": "weighted_average_auprc",
             "Pooled AUROC": "pooled_auroc", "Pooled AUPRC": "pooled_auprc"}  # fmt: skip
    for column, key in words.items():
        assert found["s", column] == pytest.approx(case["expected"]["clus"][key], rel=0, abs=WITHIN)


def test_clus_forgets_what_is_predicted_for_a_class_that_nobody_has():
    truth, scores = ["a", "r"], [[0.9, 0.9], [0.1, 0.9]]
    given = NodeScores.from_array(scores, TWO, classes=["a", "b"])
    assert score_like("clus", TWO, truth, {"s": given})["s", "Pooled AUPRC"] == 1
    assert class_areas(truth, given, TWO).micro_auprc() == pytest.approx(1 / 3)


# ------------------------------------------------------------------------ what all presets do


def test_a_tool_prints_a_number_where_nothing_is_predicted():
    for preset in OF_LABELS:
        empty = score_like(preset, TREE, ["g"], {"x": [[]]})
        assert np.isnan(PRESETS[preset].undefined) or not np.isnan(empty.values).any()
        assert preset != "cafaeval" or empty["x", "f"] == 0


def test_the_help_names_every_preset():
    [said] = re.findall(r"--preset TOOL(.*?)\{", MORE, re.DOTALL)
    of_labels, mark, of_scores = " ".join(said.split()).partition("with scores: ")
    assert mark
    for name, preset in PRESETS.items():
        assert name in (of_scores if preset.of_scores or preset.scored else of_labels), name


def test_what_is_known_of_the_labels_is_told_beside_the_numbers():
    """What is dropped, missing or cannot be right, once for all columns."""
    tree = Hierarchy.from_edges([("r", "a"), ("a", "c"), ("r", "b")])
    truth, guess = {"x": ["c"], "y": ["a", "c"]}, {"x": ["c", "zz"]}
    found = score_like("hierverb", tree, truth, {"mine": guess}, unknown="drop", missing="empty")
    told = [line for line in found.notes if line.startswith("mine: ")]
    assert told == [
        "mine: 1 label outside the hierarchy, dropped or replaced on request",
        "mine: 1 instance without prediction, counted as empty on request",
        "mine: the true set lacks ancestors of its labels, which then cannot be right (1 instance)",
    ]
    assert json.loads(found.to_json())["remarks"] == told
    right = score_like("hemkit", tree, {"x": ["c"], "y": ["b"]}, {"mine": {"y": ["b"], "x": ["c"]}})
    assert (right["mine", "hF"], right.remarks) == (1, ())


FOREST_EDGES = [(f"r{k}", f"{k}{i}") for k in "ab" for i in range(3)]
FOREST_EDGES += [(f"{k}{i % 3}", f"{k}{i}") for k in "ab" for i in range(3, 9)]


@pytest.mark.parametrize("seed", range(effort.cases(50)))
def test_what_does_not_count_counts_for_no_tool(seed):
    """Presets and namespaces apart are the measures and curves that know it, also on wider trees."""
    rng, forest = np.random.default_rng(seed), Hierarchy.from_edges(FOREST_EDGES, roots="any")
    names = np.array([c for c in forest.names if c[0] != "r"])
    sets = [rng.choice(names, rng.integers(1, 4), replace=False).tolist() for _ in range(16)]
    truth, said = (dict(enumerate(rows)) for rows in (sets[:8], sets[8:]))
    known = {i: rng.choice(names, 1).tolist() for i in range(0, 8, 2)}
    interest = [*rng.choice(names, 12, replace=False).tolist(), "r" + "ab"[seed % 2]]
    how = {"ignore": known, "classes": interest, "ignore_ancestors": seed % 3 > 0}
    hidden = Hierarchy.from_edges([*FOREST_EDGES, (HIDDEN, "ra"), (HIDDEN, "rb")])
    for name in ("hiclass-micro", "sklearn-hierarchical-classification", "hemkit", "hierverb"):
        preset = PRESETS[name]
        found = score_like(name, forest, truth, {"s": said}, **how)
        tree, measures = hidden if preset.hidden_root else forest, [*preset.columns.values()]
        expected = score(tree, truth, {"s": said}, measures, **how).values[0]
        row = [found["s", column] for column in preset.columns]
        assert row == np.nan_to_num(expected, nan=preset.undefined).tolist()
    numbers = {i: rng.random(3).round(2).tolist() for i in said}
    scores = {i: dict(zip(of, numbers[i], strict=False)) for i, of in said.items()}
    by = {c: c[-1] if c[0] == "r" else c[0] for c in forest.names}

    def sides(spaces):
        """Of some namespaces: the trees, the truth and the scores."""
        here = lambda of: [c for c in of if by[c] in spaces]  # noqa: E731
        edges = [edge for edge in FOREST_EDGES if by[edge[0]] in spaces]
        tree = Hierarchy.from_edges(edges, roots="any").counting(here(interest))
        some, left = ({i: here(of) for i, of in side.items()} for side in (truth, known))
        true = LabelSets.from_labels(some, tree)
        true = true.ignoring(left, tree, ancestors=how["ignore_ancestors"])
        own = {i: {c: of[c] for c in here(of)} for i, of in scores.items()}
        return tree, true, scores_of_labels(own, tree)

    together, counted = sides("ab"), {"root": "include", "zero_weight": "count"}
    table = cafaeval_table(*together, by=by)
    for space, curve in pooled_curves(*together[1:], pd.Series(by)[::-1], **counted).items():
        alone = sides(space)
        assert curve.records().rows == pooled_curve(*alone[1:], **counted).records().rows
        rows = [r for r in table.rows if r["namespace"] == space]
        assert rows == [{**its, "namespace": space} for its in cafaeval_table(*alone).rows]


def test_presets_refuse_conventions_and_scores_they_do_not_know():
    for name, preset in PRESETS.items():
        for option in ("zero_division", "beta", "root", "average", "measures"):
            with pytest.raises(BadInput, match=f"leave '{option}' out"):
                score_like(name, TREE, ["c"], {"s": ["e"]}, **{option: 1})
        if name in OF_LABELS and not preset.scored:
            with pytest.raises(BadInput, match="knows no scores"):
                score_like(name, TREE, {"x": ["a"]}, {"s": {"x": {"a": 0.5}}})


def test_presets_take_weights_and_policies():
    rng = np.random.default_rng(1)
    truth = {f"p{i}": y for i, y in enumerate(several(rng, 12))}
    said = {i: {c: float(rng.random()) for c in [*y, "a"]} for i, y in truth.items()}

    def found(truth, said, **how):
        return score_like("cafaeval", TREE, truth, {"s": said}, **how)

    names = [(f"{i}-{k}", i) for n, i in enumerate(truth) for k in range(n + 1)]
    one = found(truth, said, sample_weight=np.arange(1, len(truth) + 1))
    other = found(*({new: of[i] for new, i in names} for of in (truth, said)))
    assert one.values == pytest.approx(other.values, abs=1e-12)
    assert one.thresholds == other.thresholds
    less, odd = {i: of for i, of in said.items() if i != "p3"}, {**said, "p3": {"zebra": 0.5}}
    want = found(truth, {**said, "p3": {}}).values.tolist()
    for given, how, message in ((less, {"missing": "empty"}, "no prediction"),
                                (odd, {"unknown": "drop"}, "zebra")):  # fmt: skip
        with pytest.raises(BadInput, match=message):
            found(truth, given)
        assert found(truth, given, **how).values.tolist() == want


# ---------------------------------------------------------------------- scores in files


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(edges, seed, n=30):
    """Write a hierarchy, a truth and predictions with scores; return them as Python has them."""
    rng = np.random.default_rng(seed)
    names = list("abcdefg")
    drawn = (rng.choice(names, rng.integers(1, 3), replace=False).tolist() for _ in range(n))
    truth = {f"p{i}": y for i, y in enumerate(drawn)}
    said = {
        i: {c: float(np.round(rng.uniform(0.4, 1) if c in y else rng.uniform(0.01, 0.7), 3))
            for c in sorted({*rng.choice(names, 3).tolist(), *y})}
        for i, y in truth.items()
    }  # fmt: skip
    cells = [(i, c, s) for i, of in said.items() for c, s in of.items()]
    texts = {
        "tree.tsv": [f"{p}\t{c}" for p, c in edges],
        "truth.tsv": [f"{i}\t{'|'.join(y)}" for i, y in truth.items()],
        "truth.csv": ["id,class", *(f"{i},{'|'.join(y)}" for i, y in truth.items())],
        "plain.tsv": [f"{i}\t{'|'.join(of)}" for i, of in said.items()],
        "long.tsv": [f"{i}\t{c}\t{s}" for i, c, s in cells],
        "named.csv": ["id,class,conf", *(f"{i},{c},{s}" for i, c, s in cells)],
        "named.jsonl": [json.dumps({"id": i, "class": c, "conf": s}) for i, c, s in cells],
        "scores.jsonl": [json.dumps({"id": i, "scores": of}) for i, of in said.items()],
    }
    for name, lines in texts.items():
        Path(name).write_text("\n".join(lines) + "\n")
    matrix = np.array([[of.get(c, 0.0) for c in names] for of in said.values()])
    np.savez("matrix.npz", matrix=matrix, classes=names, ids=list(said))
    return Hierarchy.from_edges(edges), truth, said


def printed(line, capsys):
    assert main(line.split()) == 0
    return capsys.readouterr().out


def refused(line, capsys):
    assert main(line.split()) == 2
    return capsys.readouterr().err


def rows_of(line, capsys):
    return list(csv.DictReader(io.StringIO(printed(f"{line} -q --format csv", capsys))))


def values_of(line, capsys):
    return [float(row["value"]) for row in rows_of(line, capsys)]


@pytest.mark.parametrize("preset", OF_LABELS)
@pytest.mark.parametrize("edges", [EDGES, DAG_EDGES], ids=["tree", "dag"])
def test_every_preset_gives_the_same_on_the_command_line(preset, edges, folder, capsys):
    hierarchy, truth, said = written(edges, 0)
    plain, scored = {i: list(of) for i, of in said.items()}, PRESETS[preset].scored
    line = f"score tree.tsv truth.tsv s={'long' if scored else 'plain'}.tsv --preset {preset}"
    if preset == "hierverb" and edges == DAG_EDGES:
        with pytest.raises(BadInput, match="a class has many paths in a DAG"):
            score_like(preset, hierarchy, truth, {"s": plain})
        assert "a class has many paths in a DAG" in refused(line, capsys)
        return
    wanted = score_like(preset, hierarchy, truth, {"s": said if scored else plain})
    assert values_of(line, capsys) == wanted.values.ravel().tolist()
    assert printed(f"{line} -q", capsys) == f"{wanted}\n"
    if scored:  # and not what counts every prediction
        assert (wanted.values != score_like(preset, hierarchy, truth, {"s": plain}).values).any()
        return
    line = line.replace("plain", "long")  # refused by what knows no scores, unless they reach one
    told = refused(line, capsys)
    assert "long.tsv: the labels have scores" in told
    assert "--min-score" in told
    assert printed(f"{line} --min-score 0.01 -q", capsys)


@pytest.mark.parametrize(
    "file", ["long.tsv", "named.csv", "named.jsonl", "scores.jsonl", "matrix.npz", "table.parquet"]
)
def test_scores_are_read_from_every_format(file, folder, capsys):
    hierarchy, truth, said = written(DAG_EDGES, 5)
    if file.endswith("parquet"):
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        rows = [{"id": i, "class": c, "conf": s} for i, of in said.items() for c, s in of.items()]
        pq.write_table(pa.Table.from_pylist(rows), file)
    named = file.startswith(("named", "table"))
    line = f"score tree.tsv truth.{'csv' if named else 'tsv'} s={file} --preset cafaeval"
    line += " --score-column conf --label-column class" if named else ""
    wanted = score_like("cafaeval", hierarchy, truth, {"s": said})
    assert values_of(line, capsys) == wanted.values.ravel().tolist()


@pytest.mark.parametrize("verb", ["score --preset cafaeval", "curve"])
def test_what_has_no_scores_and_what_was_left_out_is_said(verb, folder, capsys):
    written(EDGES, 0)
    Path("pairs.tsv").write_text("id\tlabel\np0\ta\n")
    Path("plain.csv").write_text("id,labels\np0,a|c\n")
    rows = Path("long.tsv").read_text().splitlines(keepends=True)
    Path("odd.tsv").write_text("p1\tzebra\t0.5\n" + "".join(r for r in rows if "p0\t" not in r))
    line = f"{verb} tree.tsv truth.tsv --missing empty"
    for file in ("plain.tsv", "pairs.tsv", "plain.csv"):
        err = refused(f"{line} {file}", capsys)
        assert all(word in err for word in (file, "no scores", "--score-column"))
    assert "zebra" in refused(f"{line} odd.tsv", capsys)
    assert main(f"{line} odd.tsv --unknown drop".split()) == 0
    err = capsys.readouterr().err
    assert "odd.tsv: 1 label outside the hierarchy, dropped" in err
    assert ("odd: 1 instance without scores" in err) == (verb == "curve")


@pytest.mark.parametrize(("preset", "row"), [("hemkit", "x\ta\n"), ("clus", "x\ta\t0.9\n")])
def test_doubts_of_the_hierarchy_stay_with_the_numbers(preset, row, folder, capsys):
    Path("t.tsv").write_text("b\ta\nd\tc\nc\tr\na\tr\n")  # upside down: child TAB parent
    Path("y.tsv").write_text("x\ta\n")
    Path("p.tsv").write_text(row)
    tree = Hierarchy.from_edges([tuple(e) for e in ("ba", "dc", "cr", "ar")], roots="any")
    line = f"score t.tsv y.tsv p.tsv --preset {preset} --roots any"
    assert {row["doubts"] for row in rows_of(line, capsys)} == {"; ".join(tree.doubts)} != {""}
    Path("t.tsv").write_text("r\ta\nr\tb\n")
    assert not any("doubts" in row for row in rows_of(line, capsys))


@pytest.mark.parametrize("bad", [1.5, -0.1, np.nan, "x"])
def test_bad_scores_are_named(bad, folder):
    message = r"s: instance 'x', class 'c': (a score must be in \[0, 1\]|expected a number), got"
    with pytest.raises(BadInput, match=message):
        score_like("cafaeval", TREE, {"x": ["c"]}, {"s": {"x": {"c": bad}}})
    row = json.dumps({"id": "x", "scores": {"c": bad}})
    Path("s.jsonl").write_text(f'{{"id": "w", "scores": {{}}}}\n{row}\n')
    Path("s.tsv").write_text(f"w\ta\t0.5\nx\tc\t{bad}\ny\tc\t1\n")
    what = "(, instance 'x'|.* class 'c')?.*(a score must be|NaN is not a JSON number)"
    for file in ("s.jsonl", "s.tsv"):
        with pytest.raises(BadInput, match=f"{file}:2{what}"):
            read_scored_labels(file, TREE)


def test_of_several_scores_the_highest_counts(folder):
    Path("s.tsv").write_text("x\ta\t0.2\nx\ta\t0.9\nx\ta\t0.4\nx\tb\t0.1\n")
    found = read_scored_labels("s.tsv", TREE)
    assert found.dense()[0, TREE.index(["r", "a", "b"])].tolist() == [0.0, 0.9, 0.1]
    with pytest.raises(BadInput, match="labels without scores"):
        scores_of_labels({"x": {"a": 0.5}, "y": ["a"]}, TREE)
    other = NodeScores.from_array([[0.5]], Hierarchy.from_edges([("q", "z")]), classes="z")
    with pytest.raises(BadInput, match="another hierarchy"):
        scores_of_labels(other, TREE)


# ---------------------------------------------------------------------------------- curves


def test_the_curve_on_the_command_line(folder, capsys):
    hierarchy, truth, said = written(DAG_EDGES, 7)
    curve = pooled_curve(truth, scores_of_labels(said, hierarchy), average="micro", root="include")
    line = "curve tree.tsv truth.tsv s=long.tsv --average micro --root include"
    rows = rows_of(line, capsys)
    columns = {"threshold": curve.threshold, "precision": curve.precision, "recall": curve.recall,
               "f": curve.f()}  # fmt: skip
    for column, wanted in columns.items():
        assert [float(r[column]) for r in rows] == wanted.tolist()
    text = printed(f"{line} -q --digits 3", capsys)
    assert f"{curve.fmax():.3f}" in text.splitlines()[1]


def test_steps_and_pictures_of_curves(folder, capsys):
    written(EDGES, 2)
    Path("one.tsv").write_text("1\tg\n")
    Path("s.tsv").write_text("1\tg\t0.3\n")
    rows = rows_of("curve tree.tsv one.tsv s.tsv --step 0.1", capsys)
    reached = [float(r["threshold"]) for r in rows if float(r["recall"]) == 1]
    assert reached == [0.3, 0.2, 0.1]  # three times 0.1 is above 0.3
    assert [float(r["threshold"]) for r in rows] == [k / 10 for k in range(9, 0, -1)]  # below 1
    pytest.importorskip("matplotlib")
    line = "curve tree.tsv truth.tsv one=long.tsv two=scores.jsonl"
    assert main(f"{line} --picture curve.svg".split()) == 0
    assert "drew the curves in curve.svg" in capsys.readouterr().err
    assert "<svg " in Path("curve.svg").read_text("utf-8")
    for option, words in {
        "--picture long.tsv": "must end in", "--beta -1": "beta must be", "--root zebra": "zebra",
        "--step 1": "--step must be a number below 1",
        "--step 1e-9": "--step must be a number below 1 with at most 6 decimals",
    }.items():  # fmt: skip
        assert words in refused(f"{line} {option}", capsys)


# ----------------------------------------------------------------- tables in every other form

TRUTH = {"x": "c", "y": "d", "z": "c"}
WIDER = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
LEAVES = [[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0, 0, 1]]
LAW = LabelDistribution.from_leaves(LEAVES, WIDER, classes="cde", ids="xyz")
TABLE = LAW.marginals().dense()
ROWS = [dict(zip(WIDER.names, row, strict=True)) for row in TABLE.tolist()]
NAMED = dict(zip("xyz", ROWS, strict=True))
FORMS = {
    "scores": LAW.marginals(), "names": NAMED, "turned": dict(reversed(NAMED.items())),
    "levels": [TABLE[:, 1:3], TABLE[:, 3:]],
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_scores(form):
    given = FORMS[form]
    for table in (class_areas, level_scores):
        assert table(TRUTH, given, WIDER).to_json() == table(TRUTH, LAW, WIDER).to_json()
    found = reliability(TRUTH, given, WIDER, bins=4)
    assert found.error() == pytest.approx(level_scores(TRUTH, LAW, WIDER, bins=4).ece)


def test_tables_hold_what_the_measures_say():
    def value(name):
        return score(WIDER, TRUTH, {"s": LAW}, [name]).values[0, 0]

    for how in ("step", "clus"):
        areas = class_areas(TRUTH, LAW, WIDER, interpolation=how)
        for name in ("micro_auprc", "macro_auprc", "weighted_auprc"):
            assert value(f"{name}(interpolation={how})") == getattr(areas, name)()
        for name in ("macro_auroc", "micro_auroc"):
            assert value(name) == getattr(areas, name)()
    levels = level_scores(TRUTH, LAW, WIDER, bins=5, clip=0.01)
    names = {"brier": "brier(", "log_loss": "level_log_loss(clip=0.01, "}
    for name in ("brier", "log_loss", "ece", "sce", "ace"):
        for how in ("mean", "sum"):
            called = names.get(name, f"{name}(bins=5, ")
            assert value(f"{called}over_levels={how})") == levels.over_levels(name, how)


def test_predictions_are_matched_by_id_and_levels_have_any_order():
    said = {"z": "c", "y": "c", "x": "c"}
    found = level_scores(TRUTH, LAW, WIDER, y_pred=said, preset="hiclass")
    turned = level_scores(TRUTH, FORMS["turned"], WIDER, y_pred=dict(TRUTH), preset="hiclass")
    assert found.ece.tolist() != turned.ece.tolist()
    again = level_scores(TRUTH, LAW, WIDER, y_pred=list("ccc"), preset="hiclass")
    assert again.records.to_dicts()[0]["brier"] == found.brier[0]
    named = NodeScores.from_levels([[[0.5, 0.25]]], WIDER, classes=[["e", "c"]], ids=["x"])
    assert named.dense()[0].tolist() == [1, 0, 0, 0.25, 0, 0.5]


def test_measures_of_scores_on_the_command_line(folder, capsys):
    for name, text in (("tree", "r\ta\nr\tb\n"), ("truth", "x\ta\ny\tb\n"), ("nobody", "x\tr\ny\tr\n"),
                       ("scores", "x\ta\t0.75\nx\tb\t0.5\ny\tb\t0.25\n")):  # fmt: skip
        Path(f"{name}.tsv").write_text(text)
    line = "score tree.tsv truth.tsv scores.tsv"
    assert "0.833" in printed(f"{line} -m micro_auprc --format csv", capsys)
    assert "Average AUPRC (weighted)" in printed(f"{line} --preset clus", capsys)
    told = refused("score tree.tsv nobody.tsv scores.tsv -m macro_auprc", capsys)
    assert "no instance has a true class that counts" in told
