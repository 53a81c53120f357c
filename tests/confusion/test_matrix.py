"""The confusion matrix: Figure 4, slow searches, by hand, ambiguous classes, blank labels, ratios."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from hierpair import (
    BadInput,
    Hierarchy,
    LabelSets,
    explain,
    load_case,
    measure,
    read_hierarchy,
    read_labels,
    score,
)
from hierpair.cli import main
from hierpair.confusion import FIELDS, confusion, fields_of
from hierpair.labels import Columns, match_instances
from hierpair.measures import OPTIONS
from hierpair.metrics import hierarchical_confusion_matrix
from hierpair.verification.cases import case_text
from tests import effort, limits
from tests.everything import random_problem
from tests.oracles import confusion as reference
from tests.oracles.classes import Classes
from tests.paths import BUNDLED, SHARED
from tests.strategies import dags

FIGURE_4 = json.loads((BUNDLED / "riehl2023_figure4.json").read_text())


def counts(found, i=0):
    return {f: int(getattr(found, f.lower())[i]) for f in FIELDS}


def spelled(found, hierarchy):
    """The classes of every pair, path or class without partner, as sorted lists by field."""
    fields = fields_of(found)
    owners = {}
    rows = zip(fields.owner.tolist(), fields.field.tolist(), fields.classes.tolist(), strict=True)
    for owner, field, c in rows:
        sets = owners.setdefault(owner, {f: [] for f in FIELDS})
        sets[FIELDS[field]].append(hierarchy.names[c])
    return sorted([{f: sorted(s[f]) for f in FIELDS} for s in owners.values()], key=str)


@pytest.mark.parametrize("pairing", ["exact", "published"])
@pytest.mark.parametrize("column", FIGURE_4["columns"], ids=lambda c: c["problem"] + c["column"])
def test_figure_4_with_node_sets_under_every_permutation(column, pairing):
    hierarchy = Hierarchy.from_edges(map(tuple, FIGURE_4["graphs"][column["problem"]]))
    wanted = [{f: sorted(s[f]) for f in FIELDS} for s in column["sets"]]
    for paths in itertools.permutations(column["predicted_paths"]):
        for classes in itertools.permutations(column["true_classes"]):
            y_true = LabelSets.from_labels([classes], hierarchy)
            y_pred = LabelSets.from_levels([list(paths)], hierarchy)
            found = confusion(hierarchy, y_true, y_pred, pairing)
            assert counts(found) == {f: column[f] for f in FIELDS}
            assert spelled(found, hierarchy) == sorted(wanted, key=str)


@st.composite
def instances(draw, max_classes=8, most=3, **options):
    """A hierarchy with one root, and predicted paths and true classes of some instances."""
    edges, names = draw(dags(max_classes, single_root=True, **options))
    h = Classes(edges, names)
    path = st.sampled_from([p for c in names for p in reference.root_paths(h, c)])
    paths = st.lists(path, max_size=most, unique=True)
    classes = st.just([])
    if names[1:]:
        classes = st.lists(st.sampled_from(names[1:]), max_size=most, unique=True)
    rows = draw(st.lists(st.tuples(paths, classes), min_size=1, max_size=3))
    return list(edges), names, [list(p) for p, _ in rows], [list(c) for _, c in rows]


def computed(edges, names, paths, classes, pairing="exact"):
    hierarchy = Hierarchy.from_edges(edges, classes=names)
    form = LabelSets.from_levels if any(paths) else LabelSets.from_labels
    y_pred = form(paths, hierarchy)
    y_true = LabelSets.from_labels(classes, hierarchy)
    return hierarchy, confusion(hierarchy, y_true, y_pred, pairing, empty="none", nested="keep")


@settings(max_examples=effort.cases(700), deadline=None)
@given(instances(max_classes=9, most=4), st.randoms(use_true_random=False))
def test_both_pairings_against_slow_ones(problem, random):
    """Whatever the order and numbering; the classes of the fields are those of the definition.

    The published order of true classes: most newly covered first, of equal ones as given.
    """
    edges, names, paths, classes = problem
    with limits.turn(len(edges), "confusion.paths."):
        h, (hierarchy, found) = Classes(edges, names), computed(*problem)
    _, greedy = computed(*problem, pairing="published")
    mixed = [random.sample(names, len(names)), [p[::-1] for p in paths], [c[::-1] for c in classes]]
    _, turned = computed(random.sample([*edges], len(edges)), *mixed)
    for i in range(len(paths)):
        assert counts(found, i) == reference.exact(h, paths[i], classes[i])
        assert counts(found, i) == counts(turned, i)
        assert greedy.tp[i] <= found.tp[i]
        order, open_, left = [], set(classes[i]), list(classes[i])
        above = {c: {x for p in reference.root_paths(h, c) for x in p} for c in left}
        while left:
            order.append(max(left, key=lambda c: len(above[c] & open_)))
            left.remove(order[-1])
            open_ -= above[order[-1]]
        assert counts(greedy, i) == reference.published(h, paths[i], order)
    check_fields(hierarchy, found, h)


def instances_of(found, fields):
    """The instance of every class in a field."""
    pairs, (path, true) = found.pairs, map(np.flatnonzero, found.pairing.missing.values())
    alone = pairs.predicted_labels.instance[path], pairs.true_labels.instance[true]
    return np.concatenate([pairs.instance[found.pairing.chosen], *alone])[fields.owner]


def check_fields(hierarchy, found, h):
    """The classes of every pair are those of its path and its class."""
    fields, pairs = fields_of(found), found.pairs
    for k, pair in enumerate(np.flatnonzero(found.pairing.chosen).tolist()):
        at = slice(*pairs.paths.node_ptr[pairs.predicted_at[pair] : pairs.predicted_at[pair] + 2])
        path = tuple(hierarchy.names[c] for c in pairs.paths.nodes[at])
        wanted = reference.sets_of(h, path, hierarchy.names[pairs.true[pair]])
        for number, field in enumerate(FIELDS):
            of_field = fields.classes[(fields.owner == k) & (fields.field == number)].tolist()
            assert sorted(hierarchy.names[c] for c in of_field) == wanted[field]
    for number, field in enumerate(FIELDS):
        at = instances_of(found, fields)[fields.field == number]
        total = np.bincount(at, minlength=len(found.tp))
        assert total.tolist() == getattr(found, field.lower()).tolist()


@settings(max_examples=effort.cases(350), deadline=None)
@given(instances(max_classes=12, most=4, tree=True))
def test_the_ways_of_counting_agree(problem):
    edges, names, paths, classes = problem
    hierarchy = Hierarchy.from_edges(edges, classes=names)
    labels = [[path[-1] for path in row] for row in paths]
    for empty in ("root", "none"):
        whole, *others = (
            hierarchical_confusion_matrix(classes, labels, hierarchy, empty=empty, per=per)
            for per in ("all", "instance", "class")
        )
        assert [whole] * 2 == [tuple(int(x.sum()) for x in other) for other in others]
        sides = (LabelSets.from_labels(rows, hierarchy) for rows in (classes, labels))
        matrix = confusion(hierarchy, *sides, empty=empty)
        fields = fields_of(matrix)
        for number, name in enumerate(FIELDS):
            of = fields.field == number
            each = instances_of(matrix, fields)[of], fields.classes[of]
            for found, at, n in zip(others, each, (len(labels), len(hierarchy)), strict=True):
                counted = np.bincount(at, minlength=n)
                assert getattr(found, name.lower()).tolist() == counted.tolist()
        measures = ["hcm_tp", "hcm_tn", "hcm_fp", "hcm_fn"]
        pooled = score(hierarchy, classes, {"s": labels}, measures, empty=empty, chunk=1)
        assert pooled.values[0].tolist() == list(whole)


@pytest.mark.parametrize("option", ["pairing", "empty", "nested", "blank"])
def test_every_convention_reaches_the_function(option):
    """It is that of the measures of the same name, and some classes are counted otherwise."""
    problem, found = random_problem("", 4, 12, 60), []
    hierarchy = Hierarchy.from_edges(problem.edges)
    for chosen in OPTIONS[option].usual:
        sides = problem.y_true, problem.y_pred
        counted = hierarchical_confusion_matrix(*sides, hierarchy, **{option: chosen})
        names = ["hcm_tp", "hcm_tn", "hcm_fp", "hcm_fn"]
        wanted = score(
            hierarchy, sides[0], {"s": sides[1]}, [f"{x}({option}={chosen})" for x in names]
        )
        assert wanted.values[0].tolist() == list(counted)
        found.append(counted)
    assert len({*found}) > 1 or option == "blank"  # no label of these is blank


# ----------------------------------------------------------------------------- by hand

TREE = Hierarchy.from_edges(
    [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("c", "e"), ("b", "f")]
)


def of(y_true, y_pred, hierarchy=TREE, **options):
    """(TP, TN, FP, FN) by instance."""
    sets = (LabelSets.from_labels(rows, hierarchy) for rows in (y_true, y_pred))
    found = confusion(hierarchy, *sets, **options)
    return [*zip(*(x.tolist() for x in (found.tp, found.tn, found.fp, found.fn)), strict=True)]


BY_HAND = [
    # the path of the root alone earns its other child as TN; "none" earns nothing
    (["c", "", "c", ""], ["", "c", "c", ""], {}, [(0, 1, 0, 2), (0, 0, 2, 0), (2, 3, 0, 0), (0, 0, 0, 0)]),
    (["c", ""], ["", ""], {"empty": "none"}, [(0, 0, 0, 2), (0, 0, 0, 0)]),
    (["e"], ["a"], {}, [(1, 2, 0, 2)]),  # TN: b, and d below a
    (["a"], ["e"], {}, [(1, 2, 2, 0)]),
    (["r"], ["a"], {}, [(0, 0, 1, 0)]),  # the root is any class: nothing is true
    (["a c"], ["c a"], {}, [(2, 3, 0, 0)]),
    (["a c"], ["c a"], {"nested": "keep"}, [(3, 6, 0, 0)]),
    # c covers more true classes than a, so it comes first
    (["a c"], ["d"], {"nested": "keep", "pairing": "published"}, [(1, 1, 1, 2)]),
    (["a c"], ["d"], {"nested": "keep"}, [(1, 2, 1, 2)]),
    # of paths that share as much with a, that to c has the larger name and comes first
    (["a b"], ["a c"], {"nested": "keep", "pairing": "published"}, [(1, 2, 2, 1)]),
]  # fmt: skip


@pytest.mark.parametrize(("true", "pred", "options", "found"), BY_HAND)
def test_counts_by_hand(true, pred, options, found):
    rows = ([row.split() for row in side] for side in (true, pred))
    assert of(*rows, **options) == found


def test_a_class_without_partner_counts_as_fn_where_pairings_tie():
    """The path to a misses two classes with c, and d alone is one FN; with d one, and c three."""
    edges = [("r", "a"), ("a", "b"), ("b", "c"), ("r", "d"), ("a", "d")]
    paths, classes = [["r", "a", "b"], ["r", "a"]], ["d", "c", "b"]
    _, found = computed(edges, list("rabcd"), [paths], [classes])
    assert counts(found) == {"TP": 3, "FP": 0, "FN": 3, "TN": 4}
    assert counts(found) == reference.exact(Classes(edges, "rabcd"), paths, classes)


DAG = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("c", "d")])
SKIP = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("b", "c"), ("a", "c")])
FOREST = Hierarchy.from_edges([("a", "b"), ("c", "d")])
LADDER = Hierarchy.from_edges(
    edge for i in range(16) for x in "ab" for edge in ((f"{i}", f"{i}{x}"), (f"{i}{x}", f"{i + 1}"))
)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: of([["a"], ["d"]], [["a"], ["d"]], DAG), r"instance 1: the class 'd' has 2 paths from the root"),
        (lambda: of([["c"]], [["c"]], SKIP), "'c' has 2 paths"),
        (lambda: of([["16"]], [["16"]], LADDER), "has 65,536 paths"),
        (lambda: of([["b"]], [["b"]], FOREST), r"one root, and the hierarchy has 2 \('a', 'c', …\)"),
        (lambda: confusion(TREE, LabelSets.from_labels([["e"]], TREE), LabelSets.from_levels([["c", "e"]], TREE)),
         r"instance 0: the path 'c/e' must start at the root 'r'"),
        (lambda: hierarchical_confusion_matrix([], [], TREE, per="label"), "per must be one of all, instance, class, got 'label'"),
        (lambda: hierarchical_confusion_matrix([], [], TREE, pairing="greedy"), "pairing must be one of 'exact', 'published'"),
    ],
)  # fmt: skip
def test_what_is_refused(call, message):
    with pytest.raises(BadInput, match=message):
        call()


def test_paths_say_which_way_is_meant():
    """Of classes with several; and of 65,536 ways of a ladder."""
    steps = ["0", *(name for i in range(16) for name in (f"{i}a", f"{i + 1}"))]
    for hierarchy, true, paths, tp in (
        (DAG, [["a"], ["d"]], [["a"], ["b", "c", "d"]], [1, 3]), (LADDER, [["16"]], [steps], [32])
    ):  # fmt: skip
        y_true = LabelSets.from_labels(true, hierarchy)
        found = confusion(hierarchy, y_true, LabelSets.from_levels(paths, hierarchy))
        assert found.tp.tolist() == tp
    assert counts(found) == {"TP": 32, "FP": 0, "FN": 0, "TN": 16}


# ----------------------------------------------------------------------------- files


BLANKS = [  # of the instances 1, 2, …: a blank cell is no blank label unless unknown ones are dropped
    ("table", "id\tlabels\n1\tc\n2\t \n3\tc|\n", "drop", [0, 1, 1, 0]),  # the fourth is not there
    ("tsv", "id\tlabels\n1\tc\n2\t \n3\tc|\n", "drop", [0, 1, 1, 0]),
    ("csv", "id,labels\n1,c\n2, \n3,c|\n", "drop", [0, 1, 1, 0]),
    ("jsonl", '{"id": "1", "labels": []}\n{"id": "2", "labels": ""}\n', "drop", [0, 1]),
    ("tsv", "id\tlabels\n1\t\n", "error", [0]),
]


@pytest.mark.parametrize(("form", "text", "unknown", "fp"), BLANKS)
def test_a_blank_cell_is_a_blank_label_on_request(form, text, unknown, fp, tmp_path):
    (tmp_path / "pred").write_text(text)
    truth = LabelSets.from_labels({str(i + 1): ["c"] for i in range(len(fp))}, TREE)
    read_rows = read_labels(tmp_path / "pred", TREE, fmt=form, unknown=unknown)
    prediction = match_instances(truth, read_rows, missing="empty")
    ignored, counted = (
        confusion(TREE, truth, prediction, blank=how) for how in ("ignore", "count")
    )
    assert not ignored.fp.any()
    assert counted.fp.tolist() == fp
    assert counted.tp.tolist() == ignored.tp.tolist()
    assert (fields_of(counted).classes == len(TREE)).sum() == sum(fp)


def test_paths_of_files(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in case_text("riehl2023-figure4c")["data"].items():
        Path(name).write_text(text)
    Path("3.tsv").write_text("1\troot/B/D|A/C\n")
    command = ["score", "edges.tsv", "truth.tsv", "-m", "hcm(tp)", "-m", "hcm(tn)"]
    assert main([*command, "one=1.tsv", "two=2.tsv", "--paths", "/", "--format", "csv"]) == 0
    rows = [line.split(",")[:3] for line in capsys.readouterr().out.splitlines()]
    assert rows[1:] == [
        ["one", "hcm_tp", "3.0"], ["one", "hcm_tn", "5.0"],
        ["two", "hcm_tp", "2.0"], ["two", "hcm_tn", "4.0"],
    ]  # fmt: skip
    hierarchy = read_hierarchy("edges.tsv")
    sets = read_labels("2.tsv", hierarchy, columns=Columns(paths="/"))
    same = LabelSets.from_levels([[["A", "C", "H"], ["B", "E", "M"]]], hierarchy)
    for per in ("all", "class"):
        found = [
            hierarchical_confusion_matrix([["I", "F"]], x, hierarchy, per=per) for x in (sets, same)
        ]
        assert np.array_equal(*found)
    for file, more, message in (
        ("1.tsv", [], "1.tsv:1, instance '1': class 'root/A/D/I' is not in the"),
        ("3.tsv", ["--paths", "/"], "3.tsv:1, instance '1': 'D' is not a child of 'B'"),
        ("3.tsv", ["--paths", "|"], "the names of a path need a separator of their own"),
    ):
        assert main([*command, file, *more]) == 2
        assert message in capsys.readouterr().err


# ----------------------------------------------------------------------------- explanations


def test_an_instance_without_paths_is_explained():
    [why] = explain(TREE, [["c"]], [[]], "hcm_fn", empty="none")
    assert why.value == why.evidence.columns["fn"] == 2


def test_an_instance_without_partners_is_explained():
    [why] = explain(TREE, [["c", "f"]], [["e"]], "hcm_f")
    found = {(f.predicted, f.true, f.name): f.classes for f in why.evidence.fields if f.classes}
    pair, late = (("r", "a", "c", "e"), ("c",)), ((), ("f",))
    assert {k: x for k, x in found.items() if k[2] != "TN"} == {
        (*pair, "TP"): ("a", "c"), (*pair, "FP"): ("e",), (*late, "FN"): ("b", "f"),
    }  # fmt: skip
    assert why.to_dict()["fields"]["title"] == "exact pairing"
    assert why.evidence.proof.cost == why.evidence.columns["fp"]
    for words in ("(none)", "in all: tp 2, fp 1, fn 2, tn 2", "every pairing costs at least"):
        assert words in why.to_text()


# ----------------------------------------------------------------------------- ratios


def ratio(name, tp, tn, fp, fn, **options):
    columns = {"tp": tp, "tn": tn, "fp": fp, "fn": fn}
    m = measure(f"hcm_{name}").with_options(**options)
    return float(m.values({key: np.array([n]) for key, n in columns.items()})[0])


@pytest.mark.parametrize("cells", [(5, 7, 2, 3), (1, 0, 4, 4), (8, 1, 0, 2), (3, 3, 3, 3)])
def test_every_ratio_against_scikit_learn(cells):
    tp, tn, fp, fn = cells
    sides = [1] * tp + [0] * (tn + fp) + [1] * fn, [1] * tp + [0] * tn + [1] * fp + [0] * fn
    tpr, tnr = tp / (tp + fn), tn / (tn + fp) if tn + fp else 0
    printed = (math.sqrt(tpr * (1 - tnr)) + tnr - 1) / (tpr + tnr - 1) if tpr + tnr != 1 else 0.5
    wanted = {
        "acc": metrics.accuracy_score(*sides), "ppv": metrics.precision_score(*sides),
        "tpr": metrics.recall_score(*sides), "f": metrics.f1_score(*sides),
        "mcc": metrics.matthews_corrcoef(*sides), "jaccard": metrics.jaccard_score(*sides),
        "kappa": metrics.cohen_kappa_score(*sides), "fnr": fn / (fn + tp), "fpr": fp / (fp + tn), "tnr": tnr,
        "balanced_accuracy": metrics.balanced_accuracy_score(*sides), "informedness": tpr + tnr - 1,
        "markedness": tp / (tp + fp) + tn / (tn + fn) - 1, "prevalence": (tp + fn) / sum(cells),
        "prevalence_threshold": printed,
    }  # fmt: skip
    for name, value in wanted.items():
        assert ratio(name, *cells) == pytest.approx(value, abs=1e-12), name
    assert ratio("f", *cells, beta=2) == pytest.approx(metrics.fbeta_score(*sides, beta=2))


def test_undefined_ratios():
    assert ratio("mcc", 4, 0, 0, 0) == 0
    assert math.isnan(ratio("mcc", 4, 0, 0, 0, zero_division=math.nan))
    assert ratio("ppv", 0, 0, 0, 0) == 1  # nothing to find, nothing said
    assert ratio("ppv", 0, 3, 0, 2) == 0
    assert ratio("ppv", 0, 3, 0, 2, zero_division=1) == 1
    assert ratio("prevalence_threshold", 0, 3, 0, 2) == 0


# ----------------------------------------------------------------------------- GermEval 2019

PRINTED = {c.upper(): f"hcm_{c}" for c in ("tp", "tn", "fp", "fn", "mcc")} | {
    "ACC": "hcm_accuracy", "PPV": "hcm_precision", "TPR": "hcm_recall", "F1": "hcm_f",
}  # fmt: skip


@pytest.mark.skipif(not (SHARED / "germeval2019").is_dir(), reason=f"no germeval2019 in {SHARED}")
@pytest.mark.parametrize(("table", "model"), [("V", "Averbis"), ("IV", "Contender")])
def test_printed_rows(table, model):
    """Contender has 1,442 blank labels, 30 of them alone in their cell."""
    tables = json.loads((BUNDLED / "riehl2023" / "published_tables.json").read_text())
    row = next(row for row in tables[table] if row["model"] == model)
    case = load_case("germeval2019-b" if table == "V" else "germeval2019-a", SHARED)

    def found(blank):
        said = [f"{m}(average=micro,pairing=published,blank={blank})" for m in PRINTED.values()]
        scores = score(case.hierarchy, case.y_true, {model: case.systems[model]}, said)
        return dict(zip(PRINTED, scores.values[0].tolist(), strict=True))

    values = found("ignore" if table == "V" else "count")
    assert [values[field] for field in FIELDS] == [row[field] for field in FIELDS]
    if table == "IV":
        assert found("ignore")["FP"] == 859
        return
    for column in ("ACC", "PPV", "TPR", "F1", "MCC"):
        assert 100 * values[column] == pytest.approx(row[column], rel=0, abs=0.005 + 1e-9), column


def test_data_that_are_not_there_are_named(tmp_path, monkeypatch):
    monkeypatch.delenv("HIERPAIR_DATA", raising=False)
    with pytest.raises(BadInput, match="name the folder above it with --data or HIERPAIR_DATA"):
        load_case("germeval2019-b")
    with pytest.raises(BadInput, match="there is no folder"):
        load_case("germeval2019-b", tmp_path)
    # a file that appears in the folder is served as it stands
    folder = tmp_path / "germeval2019"
    folder.mkdir()
    (folder / "hierarchy.tsv").write_text("root\tart\nroot\tlaw\n")
    for name, label in (("gold.tsv", "art"), ("Comtravo-DS__local_clf_logit_cnn.tsv", "law")):
        assert (name == "gold.tsv") or load_case("germeval2019-b", tmp_path).systems == {}
        (folder / name).write_text(f"book\ttask\tlabels\n1\tA\troot\n1\tB\t{label}\n")
    monkeypatch.setenv("HIERPAIR_DATA", str(tmp_path))
    case = load_case("germeval2019-b")
    sides = case.y_true, case.systems["Comtravo-DS"]
    assert [side.names_of(0, case.hierarchy) for side in sides] == [["art"], ["law"]]
    assert len(case.systems) == 1
