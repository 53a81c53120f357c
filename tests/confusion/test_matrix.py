"""The confusion matrix: Figure 4, enumeration, closed form on trees, laws, ambiguous classes."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, LabelSets
from hierpair.confusion import CONFUSION_RULE, FIELDS, confusion, fields_of
from hierpair.io import read_labels
from hierpair.labels import match_instances
from hierpair.labels.naming import LabelRows
from hierpair.pairing import Pairs, build, formulate, read
from hierpair.solvers import check, solve
from tests import effort
from tests.oracles import confusion as reference
from tests.paths import BUNDLED
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
            found = confusion(
                hierarchy,
                LabelSets.from_labels([classes], hierarchy),
                LabelSets.from_levels([list(paths)], hierarchy),
                pairing,
            )
            assert counts(found) == {f: column[f] for f in FIELDS}
            assert spelled(found, hierarchy) == sorted(wanted, key=str)


@st.composite
def instances(draw, max_classes=8, most=3, **options):
    """A hierarchy with one root, and predicted paths and true classes of some instances."""
    edges, names = draw(dags(max_classes, single_root=True, **options))
    edges, root = list(edges), names[0]
    path = st.sampled_from([p for c in names for p in reference.root_paths(edges, root, c)])
    paths = st.lists(path, max_size=most, unique=True)
    classes = st.lists(st.sampled_from(names[1:]), max_size=most, unique=True) if (
        len(names) > 1
    ) else st.just([])  # fmt: skip
    rows = draw(st.lists(st.tuples(paths, classes), min_size=1, max_size=3))
    return edges, names, [list(p) for p, _ in rows], [list(c) for _, c in rows]


def computed(edges, names, paths, classes, pairing="exact"):
    hierarchy = Hierarchy.from_edges(edges, classes=names)
    y_pred = LabelSets.from_levels(paths, hierarchy) if any(paths) else LabelSets.from_labels(
        paths, hierarchy
    )  # fmt: skip
    y_true = LabelSets.from_labels(classes, hierarchy)
    return hierarchy, confusion(hierarchy, y_true, y_pred, pairing, empty="none", nested="keep")


@settings(max_examples=effort.cases(350), deadline=None)
@given(instances(tree=False))
def test_exact_equals_exhaustive_search(problem):
    edges, names, paths, classes = problem
    _, found = computed(*problem)
    _, greedy = computed(*problem, pairing="published")
    for i in range(len(paths)):
        assert counts(found, i) == reference.exact(edges, names[0], paths[i], classes[i])
        assert greedy.tp[i] <= found.tp[i]


def test_a_class_without_partner_counts_as_fn_where_pairings_tie():
    """The path to a misses two classes with c, and d alone is one FN; with d one, and c three."""
    edges = [("r", "a"), ("a", "b"), ("b", "c"), ("r", "d"), ("a", "d")]
    paths, classes = [["r", "a", "b"], ["r", "a"]], ["d", "c", "b"]
    _, found = computed(edges, list("rabcd"), [paths], [classes])
    assert counts(found) == {"TP": 3, "FP": 0, "FN": 3, "TN": 4}
    assert counts(found) == reference.exact(edges, "r", paths, classes)


@settings(max_examples=effort.cases(200), deadline=None)
@given(instances(max_classes=9, most=4))
def test_the_published_pairing_step_by_step(problem):
    edges, names, paths, classes = problem
    # The published order of the true classes: most newly covered first, of equal ones as given.
    _, found = computed(*problem, pairing="published")
    for i in range(len(paths)):
        order, open_ = [], set(classes[i])
        left = list(classes[i])
        above = {c: {x for p in reference.root_paths(edges, names[0], c) for x in p} for c in left}
        while left:
            best = max(left, key=lambda c: len(above[c] & open_))
            left.remove(best)
            order.append(best)
            open_ -= above[best]
        assert counts(found, i) == reference.published(edges, names[0], paths[i], order)


@settings(max_examples=effort.cases(350), deadline=None)
@given(instances(max_classes=12, most=4, tree=True))
def test_trees_have_a_closed_form(problem):
    edges, names, paths, classes = problem
    _, found = computed(*problem)
    for i in range(len(paths)):
        assert counts(found, i) == reference.closed_form(edges, names[0], paths[i], classes[i])


@settings(max_examples=effort.cases(200), deadline=None)
@given(instances())
def test_the_classes_of_the_fields_are_those_of_the_definition(problem):
    edges, names, paths, _ = problem
    hierarchy, found = computed(*problem)
    fields = fields_of(found)
    picked = np.flatnonzero(found.pairing.chosen)
    for k, pair in enumerate(picked.tolist()):
        o = found.pairs
        path = tuple(
            hierarchy.names[c]
            for c in o.paths.nodes[
                slice(*o.paths.node_ptr[o.predicted_at[pair] : o.predicted_at[pair] + 2])
            ]
        )
        wanted = reference.sets_of(edges, names[0], path, hierarchy.names[o.true[pair]])
        mine = fields.owner == k
        for number, field in enumerate(FIELDS):
            of_field = fields.classes[mine & (fields.field == number)].tolist()
            assert sorted(hierarchy.names[c] for c in of_field) == wanted[field]
    for number, field in enumerate(FIELDS):
        total = np.bincount(fields.instance[fields.field == number], minlength=len(paths))
        assert total.tolist() == getattr(found, field.lower()).tolist()


@settings(max_examples=effort.cases(100), deadline=None)
@given(instances(tree=False), st.randoms(use_true_random=False))
def test_orders_and_numbering_change_nothing(problem, random):
    edges, names, paths, classes = problem
    _, before = computed(*problem)
    edges, mixed = list(edges), list(names)
    random.shuffle(edges)
    random.shuffle(mixed)
    paths, classes = [p[::-1] for p in paths], [c[::-1] for c in classes]
    _, after = computed(edges, mixed, paths, classes)
    for field in FIELDS:
        assert counts(before) == counts(after), field


TREE = Hierarchy.from_edges(
    [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("c", "e"), ("b", "f")]
)


def of(y_true, y_pred, **options):
    found = confusion(
        TREE, LabelSets.from_labels(y_true, TREE), LabelSets.from_labels(y_pred, TREE), **options
    )
    return [
        tuple(counts(found, i)[f] for f in ("TP", "TN", "FP", "FN")) for i in range(len(y_true))
    ]


def test_empty_sides_by_hand():
    # The path of the root alone earns its other child as TN; "none" earns nothing.
    assert of([["c"], [], ["c"], []], [[], ["c"], ["c"], []]) == [
        (0, 1, 0, 2), (0, 0, 2, 0), (2, 3, 0, 0), (0, 0, 0, 0),
    ]  # fmt: skip
    assert of([["c"], []], [[], []], empty="none") == [(0, 0, 0, 2), (0, 0, 0, 0)]


def test_too_high_and_too_deep_by_hand():
    assert of([["e"]], [["a"]]) == [(1, 2, 0, 2)]  # TN: b, and d below a
    assert of([["a"]], [["e"]]) == [(1, 2, 2, 0)]
    assert of([["r"]], [["a"]]) == [(0, 0, 1, 0)]  # the root is any class: nothing is true


def test_classes_above_others_of_their_set():
    assert of([["a", "c"]], [["c", "a"]]) == of([["c"]], [["c"]])
    kept = of([["a", "c"]], [["c", "a"]], nested="keep")
    assert kept == [(3, 2 + 1 + 1 + 2, 0, 0)]


def test_blank_labels_count_on_request():
    said = LabelRows([["c", ""], [""]], lambda i, k: f"line {i + 1}")
    rows = LabelSets.from_rows(said, TREE, unknown="drop")
    truth = LabelSets.from_labels([["c"], ["c"]], TREE)
    ignored = confusion(TREE, truth, rows)
    counted = confusion(TREE, truth, rows, blank="count")
    assert [tuple(counts(ignored, i).values()) for i in (0, 1)] == [(2, 0, 0, 3), (0, 0, 2, 1)]
    assert [tuple(counts(counted, i).values()) for i in (0, 1)] == [(2, 1, 0, 3), (0, 1, 2, 1)]
    assert len(fields_of(counted).classes[fields_of(counted).classes == len(TREE)]) == 2


@pytest.mark.parametrize("form", ["table", "tsv", "csv"])
def test_a_blank_cell_is_a_blank_label_on_request(form, tmp_path):
    """The second cell is blank, the third has a blank beside a label; the fourth is not there."""
    sign = "," if form == "csv" else "\t"
    lines = ["id\tlabels", "1\tc", "2\t ", "3\tc|"]
    path = tmp_path / "pred"
    path.write_text("".join(f"{line.replace(chr(9), sign)}\n" for line in lines))
    truth = LabelSets.from_labels({str(i): ["c"] for i in range(1, 5)}, TREE)
    read = read_labels(path, TREE, fmt=form, unknown="drop")
    prediction = match_instances(truth, read, missing="empty")
    ignored = confusion(TREE, truth, prediction)
    counted = confusion(TREE, truth, prediction, blank="count")
    assert ignored.fp.tolist() == [0, 0, 0, 0]
    assert counted.fp.tolist() == [0, 1, 1, 0]
    assert counted.tp.tolist() == ignored.tp.tolist() == [2, 0, 2, 0]


def test_an_empty_list_is_no_blank_label(tmp_path):
    path = tmp_path / "pred.jsonl"
    path.write_text('{"id": "1", "labels": []}\n{"id": "2", "labels": ""}\n')
    read = read_labels(path, TREE, unknown="drop")
    truth = LabelSets.from_labels({"1": ["c"], "2": ["c"]}, TREE)
    assert confusion(TREE, truth, read, blank="count").fp.tolist() == [0, 1]


def test_a_blank_cell_is_no_label_unless_unknown_labels_are_dropped(tmp_path):
    path = tmp_path / "pred.tsv"
    path.write_text("id\tlabels\n1\t\n")
    truth = LabelSets.from_labels({"1": ["c"]}, TREE)
    read = read_labels(path, TREE, fmt="tsv")
    assert confusion(TREE, truth, read, blank="count").fp.tolist() == [0]


def test_a_class_with_several_root_paths_is_refused():
    dag = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("c", "d")])
    sets = LabelSets.from_labels([["a"], ["d"]], dag)
    with pytest.raises(BadInput, match=r"instance 1: the class 'd' has 2 paths from the root"):
        confusion(dag, sets, sets)
    paths = LabelSets.from_levels([["a"], ["b", "c", "d"]], dag)
    assert confusion(dag, sets, paths).tp.tolist() == [1, 3]
    skip = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("b", "c"), ("a", "c")])
    with pytest.raises(BadInput, match="'c' has 2 paths"):
        confusion(skip, *[LabelSets.from_labels([["c"]], skip)] * 2)


def test_paths_start_at_the_root():
    sets = LabelSets.from_labels([["e"]], TREE)
    with pytest.raises(BadInput, match=r"instance 0: the path 'c/e' must start at the root 'r'"):
        confusion(TREE, sets, LabelSets.from_levels([["c", "e"]], TREE))
    forest = Hierarchy.from_edges([("a", "b"), ("c", "d")])
    sets = LabelSets.from_labels([["b"]], forest)
    with pytest.raises(BadInput, match=r"one root, and the hierarchy has 2 \('a', 'c', …\)"):
        confusion(forest, sets, sets)


def test_a_ladder_with_65536_paths():
    edges = []
    for i in range(16):
        edges += [(f"{i}", f"{i}{x}") for x in "ab"] + [(f"{i}{x}", f"{i + 1}") for x in "ab"]
    ladder = Hierarchy.from_edges(edges)
    assert len(ladder) == 49
    y_true = LabelSets.from_labels([["16"]], ladder)
    path = ["0", *(name for i in range(16) for name in (f"{i}a", f"{i + 1}"))]
    found = confusion(ladder, y_true, LabelSets.from_levels([path], ladder))
    assert counts(found) == {"TP": 32, "FP": 0, "FN": 0, "TN": 16}
    with pytest.raises(BadInput, match="has 65,536 paths"):
        confusion(ladder, y_true, y_true)


@settings(max_examples=effort.cases(60), deadline=None)
@given(instances())
def test_the_rule_is_a_constant_and_its_flow_is_certified(problem):
    """The pairing rests on one rule for all batches, proved without the solver."""
    hierarchy, found = computed(*problem)
    again = formulate(CONFUSION_RULE, found.pairs)
    network, meaning = build(again, reduce=False)
    flow = solve(network)
    assert check(network, flow).optimal
    full = read(network, flow, meaning, again)
    assert full.cost.tolist() == found.pairing.cost.tolist() == found.fp.tolist()
    assert {CONFUSION_RULE: 1}[CONFUSION_RULE]
    with pytest.raises(BadInput, match="pairs root paths"):
        formulate(CONFUSION_RULE, Pairs.of_classes(hierarchy, np.array([0]), np.array([0])))
