"""Other tools' numbers, against the tools themselves, their vectors and their examples."""

import json
import math
import re
import warnings

import networkx as nx
import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelSets, NodeScores, score
from hierpair.cli.score import MORE
from hierpair.labels.node_scores import scores_of_labels
from hierpair.metrics import cafaeval_table, class_areas, pyevall_icm_soft, score_like
from hierpair.metrics.presets import CRITERIA, HIDDEN, PRESETS
from hierpair.probabilistic import pooled_curve, pooled_curves
from tests import effort
from tests.paths import BUNDLED, SHARED
from tests.scenarios import hierarchy_of_case, modern

EDGES = [*(tuple(edge) for edge in ("ra", "rb", "ac", "ad", "be", "bf", "cg", "eh"))]
TREE = Hierarchy.from_edges(EDGES)
SMALL = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
TWO = Hierarchy.from_edges([("r", "a"), ("r", "b")])
WITHIN = 1e-12
OF_LABELS = [name for name, preset in PRESETS.items() if not preset.of_scores]


PATHS = {path[-1]: [*path] for path in ("a", "b", "ac", "ad", "be", "bf", "acg", "beh")}


def several(rng, n=150, least=1, most=3):
    return [
        rng.choice(list(PATHS), rng.integers(least, most + 1), replace=False).tolist()
        for _ in range(n)
    ]


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
    edges = [line.split() for line in (folder / "hierarchy.txt").read_text().splitlines()]
    truth, said = (
        [line.split() for line in (folder / f"{side}.txt").read_text().splitlines()]
        for side in ("true", "pred")
    )
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


@pytest.mark.parametrize(
    "edges", [EDGES, [*EDGES, ("e", "d"), ("f", "g"), ("c", "h")]], ids=["tree", "DAG"]
)
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
        parents = {0: []} | {
            c: sorted({int(p) for p in rng.choice(c, min(c, 1 + int(rng.random() < 0.4)))})
            for c in range(1, n)
        }
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
        hierarchy = Hierarchy.from_edges(
            [(p, c) for c, above in parents.items() for p in above], classes=list(parents)
        )
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


def test_forms_of_a_table():
    truth, said = {"x": ["a"], "y": ["c"]}, {"x": {"a": 0.5}, "y": {"b": 0.5}}
    found = cafaeval_table(SMALL, truth, said, by=dict.fromkeys("rabc", "F"))
    assert found.to_csv().startswith("namespace,tau,n,tp,fp,fn,pr,rc,cov,mi,ru,f,s,pr_micro")
    assert found.to_table().startswith("best")
    assert '"best"' in found.to_json()
    assert repr(found) == "CafaTable(50 rows)"
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


@pytest.mark.exhaustive
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
    assert pyevall_icm_soft(truth, odd, TWO).icm_soft == pytest.approx(
        alike.icm_soft - 2 * math.log2(3) / 3
    )


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


def test_forms_and_what_is_not_defined():
    found = score_like("hiclass-micro", TREE, ["g", "h"], {"x": ["c", "h"], "y": ["g", "a"]})
    assert str(found).startswith("system  precision  recall      f1")
    assert "preset=hiclass-micro|hierpair" in str(found)
    assert found.to_dataframe().loc["x", "f1"] == found["x", "f1"]
    for preset in OF_LABELS:
        empty = score_like(preset, TREE, ["g"], {"x": [[]]})
        assert np.isnan(PRESETS[preset].undefined) or not np.isnan(empty.values).any()


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
    assert not score_like("hemkit", tree, ["c"], {"mine": ["c"]}).remarks


FOREST_EDGES = [(f"r{k}", f"{k}{i}") for k in "ab" for i in range(3)]
FOREST_EDGES += [(f"{k}{i % 3}", f"{k}{i}") for k in "ab" for i in range(3, 9)]


@pytest.mark.parametrize("seed", range(effort.cases(50)))
def test_what_does_not_count_counts_for_no_tool(seed):
    """Presets and namespaces apart are the measures and curves that know it, also on wider trees."""
    rng, edges = np.random.default_rng(seed), FOREST_EDGES
    forest = Hierarchy.from_edges(edges, roots="any")
    names = np.array([c for c in forest.names if c[0] != "r"])
    truth, said = (
        {i: rng.choice(names, rng.integers(1, 4), replace=False).tolist() for i in range(8)}
        for _ in range(2)
    )
    known = {i: rng.choice(names, 1).tolist() for i in range(0, 8, 2)}
    interest = [*rng.choice(names, 12, replace=False).tolist(), "r" + "ab"[seed % 2]]
    how = {"ignore": known, "classes": interest, "ignore_ancestors": seed % 3 > 0}
    hidden = Hierarchy.from_edges([*edges, (HIDDEN, "ra"), (HIDDEN, "rb")])
    for name in ("hiclass-micro", "sklearn-hierarchical-classification", "hemkit", "hierverb"):
        preset = PRESETS[name]
        found = score_like(name, forest, truth, {"s": said}, **how)
        tree, measures = hidden if preset.hidden_root else forest, [*preset.columns.values()]
        expected = score(tree, truth, {"s": said}, measures, **how).values[0]
        row = [found["s", column] for column in preset.columns]
        assert row == np.nan_to_num(expected, nan=preset.undefined).tolist()
    scores = {
        i: {c: float(x) for c, x in zip(of, rng.random(3).round(2), strict=False)}
        for i, of in said.items()
    }

    def sides(tree, truth, known, scores, interest):
        tree = tree.counting(interest)
        true = LabelSets.from_labels(truth, tree)
        true = true.ignoring(known, tree, ancestors=how["ignore_ancestors"])
        return tree, true, scores_of_labels(scores, tree)

    by = {c: c[-1] if c[0] == "r" else c[0] for c in forest.names}
    together = sides(forest, truth, known, scores, interest)
    table, counted = cafaeval_table(*together, by=by), {"root": "include", "zero_weight": "count"}
    for space, curve in pooled_curves(*together[1:], by, **counted).items():
        here = lambda of, space=space: [c for c in of if by[c] == space]  # noqa: E731
        tree = Hierarchy.from_edges([(a, b) for a, b in edges if by[a] == space])
        some, left = ({i: here(of) for i, of in side.items()} for side in (truth, known))
        own = {i: {c: of[c] for c in here(of)} for i, of in scores.items()}
        alone = sides(tree, some, left, own, here(interest))
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
    weight = np.arange(1, len(truth) + 1)
    twice = {f"{i}-{k}": y for n, (i, y) in enumerate(truth.items()) for k in range(n + 1)}
    one = score_like("cafaeval", TREE, truth, {"s": said}, sample_weight=weight)
    other = score_like("cafaeval", TREE, twice, {"s": {i: said[i.split("-")[0]] for i in twice}})
    assert one.values == pytest.approx(other.values, abs=1e-12)
    assert one.thresholds == other.thresholds
    less, odd = {i: of for i, of in said.items() if i != "p3"}, {**said, "p3": {"zebra": 0.5}}
    want = score_like("cafaeval", TREE, truth, {"s": {**said, "p3": {}}}).values.tolist()
    for given, how, message in ((less, {"missing": "empty"}, "no prediction"),
                                (odd, {"unknown": "drop"}, "zebra")):  # fmt: skip
        with pytest.raises(BadInput, match=message):
            score_like("cafaeval", TREE, truth, {"s": given})
        assert score_like("cafaeval", TREE, truth, {"s": given}, **how).values.tolist() == want
