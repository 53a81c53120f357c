"""Label sets: every container says the same, or the same words; what is matched, and what has no order."""

import inspect
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from hierpair import Hierarchy, LabelSets, NodeScores, compare, explain, metrics, score
from hierpair.comparison import sensitivity
from hierpair.evaluation import partial as partial_score
from hierpair.labels import match_instances
from hierpair.labels.coded import Texts, stripped
from hierpair.labels.naming import AsWritten
from hierpair.labels.node_scores import has_scores, scores_of_labels
from hierpair.labels.positions import Positions
from hierpair.metrics import ahd_loss, class_areas, h_fbeta_score, micro_auprc_score
from hierpair.metrics.presets import score_like
from hierpair.probabilistic.curves import precision_recall_curves
from hierpair.probabilistic.distributions import LabelDistribution
from tests.reading import error_of, names_in, refuses

TREE = Hierarchy.from_edges([("root", "a"), ("root", "b"), ("a", "c"), ("a", "d")])
WILD = Hierarchy.from_edges([("r", "cat"), ("r", "dog"), ("cat", "lion"), ("dog", "wolf")])
NUMBERS = Hierarchy.from_edges([(0, 1), (0, 2), (1, 3), (1, 4)])
TEXTS_OF_NUMBERS = Hierarchy.from_edges([("0", "1"), ("0", "2"), ("1", "3"), ("1", "4")])


class Held:
    """What has a shape."""

    def __init__(self, values):
        self.values = np.asarray(values)

    shape = property(lambda self: self.values.shape)
    ndim = property(lambda self: self.values.ndim)


def refusing(error):
    def refuse(self, *given, **how):
        raise error

    return refuse


Given = type("Given", (Held,), {  # has DLPack and nothing else
    "__dlpack__": lambda self, **how: self.values.__dlpack__(**how),
    "__dlpack_device__": lambda self: self.values.__dlpack_device__(),
})  # fmt: skip
Tensor = type("Tensor", (Held,), {  # going through one gives tensors without dimensions
    "__len__": lambda self: len(self.values),
    "__iter__": lambda self: (type(self)(x) for x in self.values),
    "__getitem__": lambda self, i: type(self)(self.values[i]),
    "__array__": lambda self, dtype=None, copy=None: self.values,
    "tolist": lambda self: self.values.tolist(),
})  # fmt: skip
OnDevice = type("OnDevice", (Tensor,), {  # becomes no array by itself, as on another device, but lists
    "__array__": refusing(TypeError("cannot convert a tensor on another device")),
    "__dlpack__": refusing(BufferError("on another device")),
})  # fmt: skip
SINGLES = {
    "list": list, "tuple": tuple, "generator": iter,
    "values of a dict": lambda x: dict(enumerate(x)).values(), "array": np.array,
    "array of objects": lambda x: np.array(x, dtype=object), "scalars": lambda x: list(np.array(x)),
    "arrays without dimensions": lambda x: [np.array(y) for y in x], "Arrow": pa.array,
    "chunks of Arrow": lambda x: pa.chunked_array([pa.array(x[:1]), pa.array(x[1:])]),
    "dictionary of Arrow": lambda x: pa.array(x).dictionary_encode(),
    "scalars of Arrow": lambda x: list(pa.array(x)), "series": pd.Series,
    "series with an index": lambda x: pd.Series(x, index=range(7, 7 + len(x))),
    "categories": pd.Categorical, "series of categories": lambda x: pd.Series(x, dtype="category"),
    "index": pd.Index, "polars": pl.Series, "lists of one": lambda x: [[y] for y in x],
    "sets of one": lambda x: [{y} for y in x],
}  # fmt: skip
OF_NUMBERS = {
    "tensor": Tensor, "tensors": lambda x: list(Tensor(x)), "tensor elsewhere": OnDevice,
    "DLPack": Given, "small numbers": lambda x: np.array(x, dtype=np.uint8),
    "whole floats": lambda x: np.array(x, dtype=float),
    "Arrow's floats": lambda x: pa.array(list(map(float, x))),
    "series of floats": lambda x: pd.Series(x, dtype=float),
    "nullable": lambda x: pd.Series(x, dtype="Int64"),
}  # fmt: skip
SEVERAL = {
    "lists": list, "tuples": lambda rows: tuple(map(tuple, rows)),
    "sets": lambda rows: list(map(set, rows)),
    "generator of sets": lambda rows: map(frozenset, rows),
    "values of a dict of sets": lambda rows: dict(enumerate(map(set, rows))).values(),
    "arrays": lambda rows: [np.array(row, dtype=object) for row in rows],
    "array of arrays": lambda rows: np.array([np.array(r, dtype=object) for r in rows] + [None],
                                             dtype=object)[:-1],
    "Arrow": pa.array,
    "large lists of Arrow": lambda rows: pa.array(rows, pa.large_list(pa.array(rows[0]).type)),
    "arrays of Arrow": lambda rows: [pa.array(row, pa.array(rows[0]).type) for row in rows],
    "series of lists": pd.Series, "series of sets": lambda rows: pd.Series([set(x) for x in rows]),
    "array of sets": lambda rows: pd.Series(list(map(frozenset, rows))).to_numpy(),
    "arrays without dimensions": lambda rows: [[np.array(x) for x in row] for row in rows],
    "list of series": lambda rows: [pd.Series(row, dtype=object) for row in rows],
    "polars": pl.Series, "mixed": lambda rows: [tuple(rows[0]), set(rows[1]), *rows[2:]],
}  # fmt: skip


def names(labels, tree=TREE):
    return names_in(LabelSets.from_labels(labels, tree), tree)


def said_of(labels, tree=TREE, **how):
    return error_of(LABELS, labels, tree, source="y", **how).replace("np.str_", "")


@pytest.mark.parametrize("kind", SINGLES)
def test_one_label_each(kind):
    make = SINGLES[kind]
    assert names(make(["c", "b", "c"])) == [["c"], ["b"], ["c"]]
    assert names(make([3, 2, 3]), NUMBERS) == [[3], [2], [3]]
    assert said_of(make(["c", "zz", "aa"])) == said_of(["c", "zz", "b"])  # the first, not the least
    dropped = LabelSets.from_labels(make(["c", "zz"]), TREE, unknown="drop")
    assert (names_in(dropped, TREE), dropped.n_unknown) == ([["c"], []], 1)
    assert h_fbeta_score(make(["c", "b"]), make(["d", "b"]), TREE) == 0.75
    assert score(TREE, make(["c", "b"]), {"s": make(["d", "b"])}, "hf")["s", "hf"] == 0.75


@pytest.mark.parametrize("kind", OF_NUMBERS)
def test_whole_numbers(kind):
    make = OF_NUMBERS[kind]
    assert names(make([3, 2, 3]), NUMBERS) == [[3], [2], [3]]
    assert h_fbeta_score(make([3, 2]), make([4, 2]), NUMBERS) == 0.75
    assert re.search(r"class 9(\.0)? is not in the hierarchy", said_of(make([3, 9]), NUMBERS))
    for unknown in ("error", "drop"):
        said = said_of(make([3, 2]), TEXTS_OF_NUMBERS, unknown=unknown)
        assert re.search(r"instance 0: class 3(\.0)? is not .* '3' is, but as str", said)


@pytest.mark.parametrize("kind", SEVERAL)
def test_several_labels_each(kind):
    rows, others = [["c", "b"], [], ["d"]], [["d"], ["b"], ["d"]]
    make = SEVERAL[kind]
    assert names(make(rows)) == [["b", "c"], [], ["d"]]
    assert names(make([[3, 2], [], [4]]), NUMBERS) == [[2, 3], [], [4]]
    assert said_of(make([["c"], ["b", "zz"]])) == said_of([["c"], ["b", "zz"]])
    expected = score(TREE, rows, {"s": others}, ["hf", "gie"])
    found = score(TREE, make(rows), {"s": make(others)}, ["hf", "gie"])
    assert found.values.tobytes() == expected.values.tobytes()


MATRIX = np.array([[0, 1, 1], [1, 0, 0]])
INDICATORS = {
    "array": lambda m, c: (m, c), "flags": lambda m, c: (m.astype(bool), tuple(c)),
    "tensor": lambda m, c: (Tensor(m), c), "elsewhere": lambda m, c: (OnDevice(m), np.array(c)),
    "sparse": lambda m, c: (sp.csc_array(m), c), "frame": lambda m, c: pd.DataFrame(m, columns=c),
    "frame of floats": lambda m, c: pd.DataFrame(m.astype(float), columns=c),
    "nullable": lambda m, c: pd.DataFrame(m, columns=c).astype("Int64"),
    "texts": lambda m, c: pd.DataFrame(m, columns=c).astype(str),
    "polars": lambda m, c: pl.DataFrame({n: m[:, k] for k, n in enumerate(c)}),
    "Arrow": lambda m, c: pa.table({n: m[:, k] for k, n in enumerate(c)}),
}  # fmt: skip


@pytest.mark.parametrize("kind", INDICATORS)
def test_indicators(kind):
    assert names(INDICATORS[kind](MATRIX, ["d", "b", "c"])) == [["b", "c"], ["d"]]
    given = INDICATORS[kind] if kind != "flags" else INDICATORS["array"]
    said = said_of(given(MATRIX * 2, ["d", "b", "c"]))
    assert re.search(r"column 'b'.*must hold 0 and 1, got 2", said)


@pytest.mark.parametrize("separator", ["/", " > ", "|", "--"])
@pytest.mark.parametrize("make", [np.array, Tensor, lambda x: np.array(x, dtype=object),
                                  lambda x: np.array(x)[:, None]])  # fmt: skip
def test_levels_whatever_separates_the_paths(separator, make):
    paths = [["Art", "Music"], ["Art", "Draw / Paint"], ["Toys", "Music"]]
    paths = [[name.replace(" / ", "" if separator == "/" else " / ") for name in x] for x in paths]
    tree = Hierarchy.from_paths(paths, separator=separator)
    some = names(make([["Art", "Music"], ["Toys", ""]]), tree)
    assert some == [[f"Art{separator}Music"], ["Toys"]]
    assert names(make(paths), tree) == [[separator.join(path)] for path in paths]
    assert ahd_loss(make(paths), make(paths), tree) == 0  # no classes, best first
    assert h_fbeta_score(make([paths[0]]), make([paths[1]]), tree) == 0.5
    assert h_fbeta_score(make([paths[0]]), make([paths[2]]), tree) == 0
    assert "'Wood' is not in the hierarchy" in said_of(make([["Art", "Wood"]]), tree)


def test_levels_of_whole_numbers_and_of_a_frame():
    for sign in ("/", " > "):
        tree = Hierarchy.from_paths([["1", "11"], ["1", "12"], ["2", "11"]], separator=sign)
        for row, end in ((["2", ""], "2"), ([2, np.nan], "2"), ([2, 11], f"2{sign}11")):
            first = ["1", "12"] if row[0] == "2" else [1, 12]
            assert names(np.array([first, row]), tree) == [[f"1{sign}12"], [end]]
    plain = Hierarchy.from_edges([(1, 11), (1, 12), (2, 21)], roots="any")
    assert names(np.array([[1, 12], [2, 21]]), plain) == [[12], [21]]
    named = Hierarchy.from_edges([("r", "r/(ab"), ("r", "r/(bb")])
    assert "'b' is not in the hierarchy" in said_of(np.array([["r", "b"]]), named)
    frame = pd.DataFrame({"one": ["food", "food", "tools"], "two": ["cheese", "bread", None]})
    tree = Hierarchy.from_frame(frame, levels=["one", "two"], roots="any")
    found = [names_in(LabelSets.from_levels(some, tree), tree) for some in (frame, frame.iloc[:0])]
    assert found == [[["food/cheese"], ["food/bread"], ["tools"]], []]


class Frame:
    """A data frame of no known library: columns and their names."""

    def __init__(self, table):
        self.table, self.columns = table, list(table)

    def __getitem__(self, name):
        return self.table[name]

    def __len__(self):
        return len(self.table[self.columns[0]])


FRAMES = {
    "pandas": pd.DataFrame, "polars": pl.DataFrame, "Arrow": pa.table, "another": Frame,
    "batch": pa.RecordBatch.from_pydict,
    "categories": lambda table: pd.DataFrame(table).astype({"labels": "category"}),
}  # fmt: skip


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_of_every_library(kind):
    def said(table, words, **how):
        refuses(words, LabelSets.from_frame, make(table), TREE, **how)

    def found(table, **how):
        sets = LabelSets.from_frame(make(table), TREE, **how)
        return sets.ids, names_in(sets, TREE)

    make, wide = FRAMES[kind], {"id": ["x", "y", "z"], "labels": ["c|b", None, "d"]}
    assert found(wide) == (("x", "y", "z"), [["b", "c"], [], ["d"]])
    wrong = wide | {"labels": ["c|b", None, "dd"]}
    said(wrong, r"row 2, instance 'z': class 'dd' .*did you mean 'd'")
    said(wrong, "no column 'lables'; did you mean 'labels'", labels="lables")
    twice = r"^row 2: instance 'y' already occurs at row 1; keep one"
    said({"id": ["x", "y", "y"], "labels": ["c", "b", "d"]}, twice)
    named = make({"id": ["x"], "labels": ["c"], "bert": ["b"]})
    assert list(LabelSets.from_columns(named, TREE)) == ["labels", "bert"]
    if kind == "categories":
        return
    assert found({"labels": [["c", "b"], []]}) == (None, [["b", "c"], []])
    tall = {"id": ["x", "x", "y"], "label": ["c", "b", None], "p": [0.9, 0.2, 0.7]}
    assert found(tall, long=True) == (("x", "y"), [["b", "c"], []])
    assert found(tall, long=True, score="p", min_score=0.5) == (("x", "y"), [["c"], []])


ALL = ("error", "drop", "root")
MISSING = [
    list,
    pd.Series,
    SINGLES["series of categories"],
    pa.array,
    pl.Series,
    SINGLES["array of objects"],
]
TRUTH_VALUES = [
    [[True, False], [False, True]], [True, 2], [[1, 2], [2, True]], np.array([True, True]), [np.True_, 2],
    pa.array([True, False]), pa.array([[True], [False]]), pd.Series([True, False]),
    pd.Series([True, False], dtype="boolean"), pl.Series([True, False]), Tensor([True, False]),
    {"x": True, "y": False}, np.array([[True, False, False, True, False]]), Tensor([[True, False]]),
    np.array([[0, 1], [True, True]], dtype=object), [[0, 1, 0, 0, 0], [1, 0, 0, 0, 0]],
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], [np.array([0, 1, 0]), np.array([1, 0, 0])],
    pa.array([[0, 1, 0], [1, 0, 0]]),
]  # fmt: skip
BYTES = [
    [b"c", b"b"], np.array([b"c", b"b"]), np.array([b"c", b"b"], dtype=object), [[b"c"], [b"b"]],
    pa.array([b"c", b"b"]), pd.Series([b"c", b"b"]), [np.bytes_(b"c"), np.bytes_(b"b")],
]  # fmt: skip
OTHERS = Hierarchy.from_edges([("1", "2")]), Hierarchy.from_edges([(1, 2)])
FOREST = Hierarchy.from_edges([("a", "b"), ("c", "d")], roots="any")
TURNED_ROUND = Hierarchy.from_edges([("r", "dog"), ("r", "cat"), ("cat", "lion"), ("dog", "wolf")])
REFUSED = [
    *((labels, WILD, ALL[:2], said) for labels, said in (
        ("cat", "got 'cat'"), (None, "or a dict, got None"), (3, "or a dict, got 3"), (np.array(3), "or a dict, got array(3)"),
        ([["cat", None]], "instance 0: a label is missing (got None)"), (pa.array([["cat"], None]), "instance 1: a label is missing (got None)"), ([None], "instance 0: a label is missing (got None)"),
        ([[pd.NA]], "a label is missing (got <NA>)"), ([["dog"], [float("nan")]], "instance 1: a label is missing (got nan)"),
        ([[""]], "a label is missing (got '')"), (["dog", [["cat"]]], "instance 1: a label must be one class name, got ['cat']"),
        (np.ma.array(["cat", "dog"], mask=[0, 1]), "instance 1: a label is missing (got None)"),
        ((pd.DataFrame([[1, 0, 0]], columns=["dog", "cat", "wolf"]), ["wolf", "dog", "cat"]), "in another order than classes="),
        (sp.csr_array(np.eye(2)), "use LabelSets.from_indicator"),
        ([{"cat": 1}], "a label must be one class name, got {'cat': 1} (of labels with scores"),
        (np.zeros((1, 1, 1, 1), dtype=object), "a label must be one class name, got [0]"),
        *((LabelSets.from_labels([tree.names[1]], tree), "belong to another hierarchy") for tree in (FOREST, TURNED_ROUND)))),
    (["2.0"], OTHERS[0], ALL[:2], "class '2.0' is not in the hierarchy; write '2'"),
    (["2"], OTHERS[1], ALL[:2], "class '2' is not in the hierarchy; 2 is, but as int, not str"),
    (["yeti", "unicorn", "yeti"], WILD, ALL[:1], "instance 0: class 'yeti' is not in the hierarchy"),
    ([["dog"], ["unicorn"]], WILD, ALL[:1], "instance 1: class 'unicorn' is not in the hierarchy ("),
    ({"a": ["lino"]}, WILD, ALL[:1], "'lino' is not in the hierarchy; did you mean 'lion'"),
    (["cat"], WILD, ["ignore"], "unknown must be"),
    ([["x"]], FOREST, ["root"], "needs a single root; this hierarchy has 2"),
    (["x" * 5000], WILD, ALL[:1], "x… is not in the hierarchy"),
    *((make(["c", None, "b"]), TREE, ALL, ("instance 1: a label is missing", "an empty set")) for make in MISSING),
    *((given, NUMBERS, ALL[:2], ("(matrix, classes)", "LabelSets.from_indicator")) for given in TRUTH_VALUES),
    *((given, TREE, ALL, ("instance 0: class b'c' ", "'c' is, but as str, not bytes")) for given in BYTES),
]  # fmt: skip


@pytest.mark.parametrize(("labels", "tree", "modes", "words"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_never_a_label_is_not_left_out_as_unknown(labels, tree, modes, words):
    for unknown in modes:
        said = said_of(labels, tree, unknown=unknown)
        assert all(x in said for x in ([words] if isinstance(words, str) else words))
        assert len(said) < 600


BELOW = {"pet": ["cat", "dog"], "cat": ["persian", "siamese"], "dog": ["poodle"]}
PETS = Hierarchy.from_edges([(p, c) for p, below in BELOW.items() for c in below])
COLUMNS = ["cat", "persian", "poodle", "siamese"]
CELLS = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]])
TWICE = pd.DataFrame([["x", "c", "b"]], columns=["id", "labels", "labels"])
LABELS, FRAME, PATHS = LabelSets.from_labels, LabelSets.from_frame, LabelSets.from_levels


def test_two_instances_in_a_tuple_stay_two_instances():
    sets = LabelSets.from_labels(([[1, 0]], ["persan", "cat"]), PETS, unknown="drop")
    assert (len(sets), sets.n_unknown) == (1, 1)
    assert names((["cat"], ["dog"]), PETS) == [["cat"], ["dog"]]
    assert names((np.array(["cat", "dog"]), ["poodle"]), PETS) == [["cat", "dog"], ["poodle"]]
    assert names((CELLS, [*COLUMNS[:3], "?"]), PETS) == [["persian"], ["poodle"], ["cat"]]


SCORED = Hierarchy.from_edges(list(zip("rraabb", "abcdef", strict=True)))
LAST = ["c", "d", "e", "f"]
RIGHT = ["c", "d"]
P = np.array([[0.7, 0.1, 0.15, 0.05], [0.2, 0.3, 0.4, 0.1]])
EACH = np.array([[1, 0.8, 0.2, *P[0]], [1, 0.5, 0.5, *P[1]]])
TURNED = [3, 0, 2, 1]

OF_LEAVES = {
    "array": P, "single precision": P.astype(np.float32), "lists": P.tolist(),
    "sparse": sp.csr_array(P),
    "pair of a sparse one": (sp.coo_matrix(P[:, TURNED]), [LAST[k] for k in TURNED]),
    "tensor": Tensor(P), "elsewhere": OnDevice(P),
    "pair": (P[:, TURNED], [LAST[k] for k in TURNED]),
    "pair of a tensor": (Tensor(P[:, TURNED]), np.array(LAST)[TURNED]),
    "frame": pd.DataFrame(P[:, TURNED], columns=[LAST[k] for k in TURNED]),
    "frame without names": pd.DataFrame(P),
    "polars": pl.DataFrame({LAST[k]: P[:, k] for k in TURNED}),
}  # fmt: skip
OF_CLASSES = {
    "array": EACH, "lists": EACH.tolist(), "sparse": sp.csc_array(EACH),
    "pair": (EACH[:, ::-1], list(SCORED.names)[::-1]),
    "frame": pd.DataFrame(EACH, columns=list(SCORED.names)), "levels": [EACH[:, 1:3], EACH[:, 3:]],
    "lists by level": [EACH[:, 1:3].tolist(), EACH[:, 3:].tolist()],
    "scores": NodeScores.from_array(EACH, SCORED),
}  # fmt: skip


SCORES = OF_LEAVES | {f"classes: {name}": given for name, given in OF_CLASSES.items()}


@pytest.mark.parametrize("form", SCORES)
def test_every_form_says_the_same(form):
    given = SCORES[form]
    assert has_scores(given)
    wanted = NodeScores.from_array(EACH, SCORED)
    assert np.allclose(scores_of_labels(given, SCORED).dense(), EACH, atol=1e-6)
    assert ahd_loss(RIGHT, given, SCORED) == ahd_loss(RIGHT, wanted, SCORED) == 1
    if form == "single precision":
        return  # sums of other classes tie, or do not
    measures = ["ahd", "micro_auprc", "top_accuracy"]
    found = score(SCORED, {"x": "c", "y": "d"}, {"s": given}, measures)
    assert np.allclose(found.values, score(SCORED, RIGHT, {"s": wanted}, measures).values)
    areas = class_areas(RIGHT, given, SCORED)
    assert np.allclose(areas.auprc, class_areas(RIGHT, wanted, SCORED).auprc, equal_nan=True)


NUMBERED = Hierarchy.from_edges(list(zip([0, 0, 1, 1, 2, 2], range(1, 7), strict=True)))


MAKE = [np.array, Tensor, lambda x: np.array(x, dtype=object)]


@pytest.mark.parametrize("make", MAKE)
def test_matrices_of_the_first_k_classes(make):
    texts, numbers = make([["c", "d"], ["e", "d"]]), make([[3, 4], [5, 4]])
    for k, wanted in ((1, 1.0), (2, 0.75)):
        assert ahd_loss(RIGHT, texts, SCORED, k=k) == wanted
        assert ahd_loss([3, 4], numbers, NUMBERED, k=k) == wanted
    places = Positions(SCORED, ["c", "d", "e"])
    for given in ([[0, 1], [2, 1]], np.array([[0, 1], [2, 1]])):
        assert ahd_loss(RIGHT, places.named(given, rankings=True), SCORED, k=2) == 0.75
    levels = [[["r", "a"], ["r", "a", "c"]], [["r"]]]  # of several labels
    for odd in (levels, [0, True], [[0, True], [1]]):
        assert places.named(odd) is odd
    assert not any(map(has_scores, ([["0", "1"]], [[0, 1]], [["c"]], pa.array(["c"]))))
    of_labels = micro_auprc_score(RIGHT, RIGHT, SCORED)
    assert micro_auprc_score(RIGHT, pa.array(RIGHT), SCORED) == of_labels
    inner = scores_of_labels(np.eye(7)[3:], SCORED).dense()[:, 1:3]
    assert inner.max() == 0  # as the columns of these classes say
    assert ahd_loss(RIGHT, P / 2, SCORED) == 1  # leaves that do not sum to one can be ranked alone
    assert micro_auprc_score(RIGHT, NodeScores.from_array(P / 2, SCORED), SCORED) > 0


MATCHED, SHUFFLED, PART, EXTRA, BARE = (LABELS(x, WILD) for x in (
    {"a": "cat", "b": "dog", "c": []}, {"c": "wolf", "a": "lion", "b": []}, {"b": "wolf"},
    dict.fromkeys("abcd", "cat"), ["cat"]))  # fmt: skip


def test_instances_are_matched_by_id():
    assert names_in(match_instances(MATCHED, SHUFFLED), WILD) == [["lion"], [], ["wolf"]]
    assert names_in(match_instances(MATCHED, PART, missing="empty"), WILD) == [[], ["wolf"], []]


CALLS = [
    *((LABELS, (given, PETS), {"source": "y"}, words) for given, words in (
        (CELLS, "y: .* of an indicator matrix .* the class of every column must be given"),
        (CELLS.astype(bool), "y: instance 0: a truth value is no class"),
        (sp.csr_array(CELLS), r"as the pair \(matrix, classes\)"),
        ((CELLS, COLUMNS[:3]), r"y: the matrix has shape \(3, 4\), and there are 3 classes"),
        ((CELLS * 2, COLUMNS), "instance 0, column 'persian': .* must hold 0 and 1, got 2"),
        ((CELLS, ["persan", *COLUMNS[1:]]), "class 'persan' is not .*did you mean 'persian'"),
        (np.array([["pet", "poodle"]]), r"'poodle' is not a child of 'pet' .*level by level\)$"),
        ((np.array([[1, None]], dtype=object), ["cat", "dog"]), "column 'dog': .* must hold 0 and 1, got nan"),
        (np.array([["pet", "", "cat"]]), "y: instance 0: level 2 of the path is blank"),
        *((make({"id": ["x"], "labels": ["cat"]}), "'id' is none; .* LabelSets.from_frame")
          for make in (pd.DataFrame, pa.table)))),
    *((FRAME, (given, PETS), how, words) for given, how, words in (
        ([["cat"]], {}, "expected a data frame with named columns"),
        (pd.DataFrame({"id": [["x"], ["y"]], "label": ["cat", "dog"]}), {}, r"row 0: an instance id must be .* got \['x'\]"),
        (pa.table({"id": ["x", "x"], "label": pa.DictionaryArray.from_arrays([0, 1], ["cat", "cat"]), "p": [0.5, 1]}),
         {"long": True, "score": "p"}, "row 1: instance 'x' has the label 'cat' with another score at row 0"),
        (TWICE, {}, "two columns of the frame are called 'labels'"),
        (pd.DataFrame({"a": [False], "b": [True]}), {"labels": ["a", "b"]}, "a truth value is no class"),
        *((make({"labels": [True]}), {}, "a truth value is no class") for make in (pd.DataFrame, pa.table)))),
    *((PATHS, ([["pet", "cat"], [True, True]], PETS), {"each": each}, "a truth value is no class")
      for each in (False, True)),
    *((ahd_loss, (RIGHT, given, SCORED), {}, words) for given, words in (
        (P[:, :3], r"shape \(2, 3\), and there are 7 classes .* class of every column"),
        (P * 9.5, r"instance 0, class 'c': a score must be in \[0, 1\].*softmax"),
        (np.where(P.max() > P, P, np.nan), r"a score must be in \[0, 1\], got nan"),
        ((P, ["c", "d", "e", "zz"]), "class 'zz' is not in the hierarchy"),
        ({0: {"c": "high"}, 1: {"d": 1}}, "instance 0, class 'c': expected a number, got 'high'"),
        ((P, ["c", "d", "e", "e"]), "two columns of the matrix are called 'e'"),
        ((P, ["c", "d", "e", ["f"]]), r"class \['f'\] is not in the hierarchy"),
        ([np.ones((2, 0)), np.ones((2, 4))], "a label must be one class name, got "),
        (P[:1], "y_true has 2 instances and y_score has 1"),
        *((make([["a", "f"], ["a", "d"]]), "'f' is not a child of 'a'") for make in MAKE))),
    *((ahd_loss, ([3, 4], make([[3, 3], [5, 4]]), NUMBERED), {}, "names a class twice") for make in MAKE),
    *((micro_auprc_score, ([3, 4], make([[3, 4], [5, 4]]), NUMBERED), {}, "micro_auprc: these are classes, best first")
      for make in MAKE),
    (micro_auprc_score, (RIGHT, P / 2, SCORED), {}, "micro_auprc: these are scores of leaves that do not add"),
    *((call, given, {}, r"scores go into measures of scores .*above\(0.5\)") for form in ("array", "tensor", "single precision")
      for call, given in ((h_fbeta_score, (RIGHT, OF_LEAVES[form], SCORED)), (LABELS, (OF_LEAVES[form], SCORED)))),
    *((LabelSets.from_arrays, (np.array(pointer), np.array(numbers), 5, *ids), {}, words)
      for pointer, numbers, words, *ids in (
        ([0, 1], [5], "instance 0: class number 5 is outside 0 … 4"), ([0, 1], [-1], "class number -1"),
        ([0, 2], [1], "indptr must run from 0"), ([0, 2, 1], [1], "to the number of labels, and must not descend"),
        ([0, 1], [0.5], "class numbers must be integers"), ([0, 1.7], [1], "indptr must hold whole numbers"),
        ([0, 1], [1], "got 2 ids for 1 instance", ["a", "b"]), ([0, 1, 1], [1], "instance 'a' occurs twice", ["a", "a"]))),
    *((match_instances, (MATCHED, other), {"missing": missing, "system": "mine"}, words) for other, missing, words in (
        (PART, "error", "mine: 2 instances have no prediction, such as 'a'"),
        *((EXTRA, missing, "1 instance has no truth, such as 'd'") for missing in ("error", "empty")),
        (BARE, "error", "y_true has 3 instances and mine has 1"), (PART, "drop", "missing must be"))),
    *((h_fbeta_score, (given, pd.Series(["dog", "cat"], index=[1, 0]), PETS), {}, "y_pred: .* by position, or by the index")
      for given in (pd.Series(["cat", "dog"]), {0: "cat", 1: "dog"})),
    *((h_fbeta_score, (given, ["cat", "cat"], PETS), {"sample_weight": pd.Series([1, 2], index=[1, 0])}, "sample_weight: .* by the index")
      for given in (pd.Series(["cat", "dog"]), {0: "cat", 1: "dog"})),
    (h_fbeta_score, (*(FRAME(pd.DataFrame({"label": ["cat", "dog"]}, index=x), PETS) for x in ([0, 1], [1, 0])), PETS), {},
     "by the index, whose values stand in another order"),
    (h_fbeta_score, (pd.Series([0, 1]), pd.Series([1, 0], index=[1, 0]), PETS), {"classes": ["cat", "dog"]}, "y_pred: .* by the index"),
    (score_like, ("hemkit", PETS, pd.Series(["cat", "dog"]), {"m": pd.Series(["dog", "cat"], index=[1, 0])}), {}, "m: .* by the index"),
    (ahd_loss, (pd.Series(["c", "d"]), pd.DataFrame(P[:, :4], columns=["c", "d", "e", "f"], index=[1, 0]), SCORED), {},
     "y_score: do instances go by position, or by the index"),
    (score, (PETS, *[pd.DataFrame({"cat": [1], "dog": [0]})] * 2, ["hf"]), {}, "there are cat, dog; the labels of a single system"),
    (h_fbeta_score, (*(FRAME(pd.DataFrame({"doc": x, "label": "cat"}), PETS) for x in ([1, 2], [2, 1])), PETS), {},
     "by the column 'doc', whose values stand in another order"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "given", "how", "words"), CALLS, ids=range(len(CALLS)))
def test_what_does_not_fit_is_told(call, given, how, words):
    refuses(words, call, *given, **how)


def test_rows_by_position_may_have_any_other_index():
    true, same, other = (pd.Series(["cat", "dog"], index=x) for x in ([3, 1], [3, 1], [0, 1]))
    assert [h_fbeta_score(true, x, PETS) for x in (same, other, other.tolist())] == [1, 1, 1]
    sides = [FRAME(pd.DataFrame({"label": ["cat", "dog"], **x}), PETS)
             for x in ({"doc": [1, 2]}, {"doc": [3, 4]}, {"other": [2, 1]})]  # fmt: skip
    assert [h_fbeta_score(sides[0], x, PETS) for x in sides] == [1, 1, 1]
    both = pd.DataFrame({"row": ["7", "9"], "doc": ["1", "2"], "label": ["cat", "dog"]})
    by_id = FRAME(both, PETS, ids="doc")  # of several columns one that agrees will do
    assert (
        h_fbeta_score(by_id, FRAME(both[::-1].assign(doc=["1", "2"], also=["2", "1"]), PETS), PETS)
        < 1
    )


def test_sets_stay_as_they_are_and_unknown_labels_are_dropped_or_lifted():
    sets = LabelSets.from_labels(["cat", "wolf"], WILD)
    assert LabelSets.from_labels(sets, Hierarchy.from_edges(WILD.edges_by(WILD.names))) is sets
    for array in (sets.indices, sets.indptr, WILD.parents, WILD.levels):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    rows = [["cat", "unicorn"], ["unicorn:0.5"], ["dog"]]
    for unknown, above in (("drop", []), ("root", ["r"])):
        found = LabelSets.from_labels(rows, WILD, unknown=unknown)
        assert (names_in(found, WILD), found.n_unknown) == ([[*above, "cat"], above, ["dog"]], 2)
        assert found.part(0, 1).n_unknown + found.part(1, 3).n_unknown == 0  # they are of the whole
        found = LabelSets.from_amounts([{"cat": 2, "unicorn": 3}], WILD, unknown=unknown)
        assert found.amounts.tolist() == [3.0, 2.0][-len(found.indices) :]
        assert names_in(found, WILD) == [[*above, "cat"]]


def test_paths_and_blanks_go_with_their_instances():
    dag = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    paths = [[["a", "c"], ["b", "c"]], [["b"]], [], [["b", "c"]]]
    whole = LabelSets.from_levels(paths, dag)
    for rows in ([0, 1, 2, 3], [3, -1, 0, 0], [2], []):
        taken = whole.take(np.array(rows, dtype=np.int64))
        again = LabelSets.from_levels([[] if i < 0 else paths[i] for i in rows], dag)
        for sets in (taken, taken.part(0, len(rows))):
            found, wanted = (
                [getattr(of, name).tolist() for of in (x, x.as_written) for name in ("indptr", "indices")]
                + [x.as_written.node_ptr.tolist(), x.as_written.nodes.tolist()] for x in (sets, again))  # fmt: skip
            assert found == wanted, rows
    assert whole.part(1, 4).as_written.nodes.tolist() == whole.as_written.nodes.tolist()[4:]
    kept = AsWritten(np.array([0, 1, 1]), np.array([2], np.int32), n_blank=np.array([1, 3]))
    assert kept.take(np.array([1, -1, 0])).n_blank.tolist() == [3, 0, 1]


LISTED = ["cat", "wolf", "lion"]
UNORDERED = [set(LISTED), frozenset(LISTED), dict.fromkeys(LISTED).keys(), {"cat": "cat"}.items()]
LISTS = pd.DataFrame({"cat": LISTED, "wolf": LISTED, "lion": LISTED})
BOTH = {"s": LISTED, "t": LISTED}
ONE = [[1, 0, 0]]
COLUMN = [[0.5], [0.2], [0.1]]
DOORS = {
    "score, truth": lambda x: score(WILD, x, {"s": LISTED}, ["hf"]),
    "score, prediction": lambda x: score(WILD, LISTED, {"s": x}, ["hf"]),
    "score, one system": lambda x: score(WILD, LISTED, x, ["hf"]),
    "score like": lambda x: score_like("hemkit", WILD, LISTED, {"s": x}),
    "partial": lambda x: partial_score(WILD, LISTED, x, ["hf"]),
    "explain": lambda x: explain(WILD, LISTED, x, "gie"),
    "sensitivity": lambda x: sensitivity(WILD, LISTED, {"s": x, "t": LISTED}, ["hf"], test=None),
    "function": lambda x: h_fbeta_score(LISTED, x, WILD),
    "confusion": lambda x: metrics.hierarchical_confusion_matrix(LISTED, x, WILD),
    "label sets": lambda x: LabelSets.from_labels(x, WILD),
    "levels": lambda x: LabelSets.from_levels(x, WILD),
    "columns": lambda x: LabelSets.from_indicator(ONE, WILD, classes=x),
    "ids": lambda x: LabelSets.from_indicator(COLUMN, WILD, classes=["cat"], ids=x),
    "score columns": lambda x: NodeScores.from_array(ONE, WILD, classes=x),
    "score ids": lambda x: NodeScores.from_array(COLUMN, WILD, classes=["cat"], ids=x),
    "distribution": lambda x: LabelDistribution.from_leaves(ONE, WILD, classes=x),
    "scenarios": lambda x: LabelDistribution.from_scenarios(x, WILD),
    "curves": lambda x: precision_recall_curves(x, NodeScores.from_array(COLUMN, WILD, classes=["cat"])),
    "measures": lambda x: score(WILD, LISTED, {"s": LISTED}, x),
    "instances": lambda x: explain(WILD, LISTED, LISTED, "gie", instances=x),
    "runs": lambda x: compare(score(WILD, LISTED, BOTH, ["hf"]), runs={"one": x, "other": ["t"]}),
    "values to vary": lambda x: sensitivity(WILD, LISTED, BOTH, ["hf"], vary={"root": x}),
    "columns of a frame": lambda x: LabelSets.from_columns(LISTS, WILD, columns=x),
}  # fmt: skip


@pytest.mark.parametrize("door", DOORS)
def test_a_set_of_instances_or_columns_is_refused(door):
    for unordered in UNORDERED:
        refuses(r"must have an order, and a .* has none; give a list", DOORS[door], unordered)


NAMED = "xyz"
FRAMED = pd.DataFrame({"name": [*NAMED], "cat": LISTED})
MADE = {
    "LabelSets.from_amounts": lambda **how: LabelSets.from_amounts(np.eye(3), WILD, classes=LISTED, **how),
    "LabelSets.from_arrays": lambda **how: LabelSets.from_arrays(np.arange(4), np.arange(3), 5, **how),
    "LabelSets.from_columns": lambda **how: LabelSets.from_columns(FRAMED, WILD, columns=["cat"], **how)["cat"],
    "LabelSets.from_frame": lambda **how: LabelSets.from_frame(FRAMED, WILD, labels="cat", **how),
    "LabelSets.from_indicator": lambda **how: LabelSets.from_indicator(np.eye(3), WILD, classes=LISTED, **how),
    "LabelSets.from_levels": lambda **how: LabelSets.from_levels([["cat"], ["dog"], []], WILD, **how),
    "NodeScores.from_array": lambda **how: NodeScores.from_array(np.eye(3), WILD, classes=LISTED, **how),
    "NodeScores.from_levels": lambda **how: NodeScores.from_levels(
        [np.eye(3)[:, :2], np.eye(3)[:, 1:]], WILD, **how
    ),
    "NodeScores.of_cells": lambda **how: NodeScores.of_cells(
        WILD, 3, np.arange(3), np.arange(3), np.ones(3), **how
    ),
    "LabelDistribution.from_leaves": lambda **how: LabelDistribution.from_leaves(
        np.eye(2)[[0, 1, 1]], WILD, classes=LISTED[1:], **how
    ),
    "LabelDistribution.from_nodes": lambda **how: LabelDistribution.from_nodes(
        np.eye(3), WILD, classes=LISTED, closure="fill", **how
    ),
    "LabelDistribution.from_sets": lambda **how: LabelDistribution.from_sets(
        WILD, np.arange(4), np.ones(3), LabelSets.from_labels(LISTED, WILD), **how
    ),
}  # fmt: skip


def test_every_maker_of_labels_keeps_the_names_of_instances():
    """Those are a list, or name a column; a part has the names of its instances."""
    taking = {
        f"{kind.__name__}.{name}"
        for kind in (LabelSets, NodeScores, LabelDistribution)
        for name, maker in inspect.getmembers(kind, callable)
        if name[0] != "_" and "ids" in inspect.signature(maker).parameters
    }
    assert taking == {*MADE}
    for name, maker in MADE.items():
        of_frame = name.endswith(("_columns", "_frame"))
        found = maker(ids="name" if of_frame else [*NAMED])
        assert (name, [*found.ids]) == (name, [*NAMED])
        assert (name, maker().ids) == (name, None)


def test_sets_of_edges_parents_and_labels_have_the_same_order_in_every_run():
    """Texts have another hash in each."""
    edges = {(p, f"c{i:02}") for i in range(30) for p in ("r", "s")}
    ordered = Hierarchy.from_edges(sorted(edges), roots="any")
    graph = Hierarchy.from_edges(
        edges, classes={name for edge in edges for name in edge}, roots="any"
    )
    assert graph.names == ("r", "s", *sorted(ordered.names[2:]))
    above = {c: {p for p, d in sorted(edges) if d == c} for c in ordered.names}
    parents = Hierarchy.from_parents(above, roots="any")
    assert (parents.names, parents.numbering) == (ordered.names, ordered.numbering)
    assert LabelSets.from_labels([{*graph.names}], graph).as_written is None  # as classes come


def test_blanks_around_texts_of_arrow_are_those_of_python():
    texts = [f"{c}a b{c}" for c in map(chr, range(0x3001)) if c.isspace()]
    assert len(texts) > 20
    assert [*stripped(Texts(pa.array(texts)))] == stripped(texts) == ["a b"] * len(texts)
