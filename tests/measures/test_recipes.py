"""Recipes: columns, entries and evidence agree, cells are sets, and nothing is shared or changed."""

import pickle
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
import pytest
import scipy.sparse as sp

from hierpair import BadInput, Hierarchy, LabelSets, explain, measure, score, set_measure
from hierpair.errors import HierpairError
from hierpair.hierarchy.closure import MOST_KEPT
from hierpair.labels.node_scores import NodeScores
from hierpair.measures import REGISTRY, Batch, Column
from hierpair.measures.recipes.batch import Counted, Units
from hierpair.pairing import CosineDistance, CostMatrix, Hops, Pairs
from hierpair.probabilistic.distributions import LabelDistribution

OPTIONS = (
    "hf(augment=none,root=include)", "hf(threshold=2)", "hf(augment=pruned)", "hf(weights=ic)",
    "hf(augment=descendants)", "level_f(at_level=1)", "constrained_f(inconsistent=drop)", "constrained_f(parents=any)",
    "level_accuracy(absent_level='none-class')", "level_accuracy(augment=none)", "contribution_f(theta=mean)",
    "depth_loss(w0=0.5)", "h_loss(costs=subtree)", "shortest_path(tips=single)",
    "simgic(weights=ia,smooth=0)",
)  # fmt: skip


@cache
def recipes():
    """The recipes of all measures of labels, and of some options."""
    measures = [measure(text) for text in (*REGISTRY, *OPTIONS)]
    return list(dict.fromkeys(m.recipe for m in measures if not m.of_scores))


def batch(kind, lo=0, hi=12, on_infeasible="raise"):
    """Some instances of a random tree, DAG or forest; some labels are whole paths."""
    rng = np.random.default_rng(4)
    first = 2 if kind == "forest" else 1
    edges = [
        (int(p), c)
        for c in range(first, 30)
        for p in np.unique(rng.integers(max(0, c - 6), c, 2 if kind == "DAG" else 1))
    ]
    hierarchy = Hierarchy.from_edges(edges)

    def side():
        names = list(hierarchy.names)
        sets = [rng.choice(names, rng.integers(0, 4), replace=False).tolist() for _ in range(12)]
        for i in range(0, 12, 3):  # a class with its ancestors
            c = int(rng.integers(len(names)))
            sets[i] = [names[x] for x in np.flatnonzero(hierarchy.ancestor_numbers(c))] or []
        return LabelSets.from_labels(sets, hierarchy)

    true, predicted = side(), side()
    return Batch(
        hierarchy, true.part(lo, hi), predicted.part(lo, hi), first=lo, n_all=12,
        on_infeasible=on_infeasible, counts=None,
    )  # fmt: skip


def tried(find, recipe):
    """What is found, or the error."""
    try:
        return find(recipe)
    except HierpairError as error:
        return error


KINDS = ("tree", "DAG", "forest")


@pytest.mark.parametrize("kind", KINDS)
def test_columns_and_entries_add_up_the_units(kind):
    for recipe in recipes():
        if not isinstance(recipe, Counted) or getattr(recipe, "weighting", None):
            continue
        whole = batch(kind)
        columns = tried(whole.defined, recipe)
        if isinstance(columns, BadInput):  # of the hierarchy, whatever the labels are
            assert columns.instance is None
            continue
        entries = whole.entries(recipe)
        units = Counted.compute(recipe, batch(kind))
        refused = [*whole.reasons(recipe)]
        for name in {name for part in recipe.found(whole) for name in part.columns} & {*columns}:
            assert np.array_equal(
                np.delete(units[name], refused), np.delete(columns[name], refused)
            )
        for name, each in entries.columns.items():
            if recipe.seen_by and name not in recipe.seen_by:
                continue
            sums = np.bincount(entries.row, each, minlength=12)
            sums += entries.n_classes * (name in entries.every)
            assert np.delete(sums, refused) == pytest.approx(np.delete(columns[name], refused))


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS)
def test_an_instance_is_refused_as_if_it_were_alone(kind):
    """What is impossible for one instance has a reason, and the others are what they are."""
    for recipe in recipes():
        if getattr(recipe, "weighting", None):
            continue  # these count the whole truth
        whole = batch(kind, on_infeasible="nan")
        columns = tried(whole.defined, recipe)
        if isinstance(columns, BadInput):
            assert columns.instance is None
            continue
        reasons, none = whole.reasons(recipe), columns.get("infeasible", np.zeros(12, bool))
        assert {*reasons} <= {*np.flatnonzero(none).tolist()}
        for i in range(12):
            alone = tried(batch(kind, i, i + 1).columns, recipe)
            assert none[i] == isinstance(alone, HierpairError)
            if none[i]:
                assert i not in reasons or reasons[i].reason == alone.reason
            else:
                assert all(
                    columns[name][i] == each[0] for name, each in alone.items() if each.any()
                )
        if reasons:
            with pytest.raises(type(reasons[min(reasons)])) as raised:
                batch(kind).columns(recipe)
            assert raised.value.instance == min(np.flatnonzero(none))


def test_weights_that_are_not_finite_are_refused_instance_by_instance():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    sides = (LabelSets.from_labels(["a", "b", "a"], tree) for _ in "tp")
    recipe = measure("hf", weights={"r": 1, "a": 1, "b": np.inf}).recipe
    found = Batch(tree, *sides)
    columns = found.defined(recipe)
    assert columns["infeasible"].tolist() == [False, True, False]
    assert columns["tp"].tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match="read-only"):  # formulas cannot spoil the counts of others
        columns["tp"][0] = 7
    with pytest.raises(BadInput, match="'b' has no finite weight"):
        found.columns(recipe)


def test_a_recipe_from_outside_says_its_units():
    """It has columns, averages over classes, a remark, and evidence."""

    @dataclass(frozen=True)
    class Named(Counted):
        columns: ClassVar = (
            Column("n_long", "a true label with a long name", support=True),
            Column("n_found", "one that is predicted"),
        )

        def units(self, batch):
            long = np.array([len(name) > 1 for name in batch.hierarchy.names])
            for part in batch.cells("none"):
                some = part.in_true & long[part.column]
                columns = {"n_long": some, "n_found": some & part.in_pred,
                           "short labels do not count": part.in_true & ~some}  # fmt: skip
                yield Units(part.first, part.row_ptr, part.column, columns)

    @set_measure(formula="found / long", source="ours", direction="higher", range="[0, 1]",
                 recipe=Named)  # fmt: skip
    def long_recall(n_long, n_found, *, zero_division: float = 0):
        """Share of the true labels with long names that are predicted."""
        return np.divide(n_found, np.maximum(n_long, 1))

    tree = Hierarchy.from_edges([("r", "aa"), ("r", "bb"), ("r", "c")])
    true, predicted = [["aa", "c"], ["bb"], ["bb"]], [["aa"], ["c"], ["bb"]]
    scores = score(tree, true, {"s": predicted}, ["long_recall", "long_recall(average=macro)"])
    (why,) = explain(tree, true[:1], predicted[:1], "long_recall")
    assert scores.values.tolist() == [[2 / 3, 3 / 4]]
    assert dict(why.evidence.counts) == {"n_long": 1, "n_found": 1}
    assert "short labels do not count" in str(why)
    assert "a true label with a long name        1  aa" in str(why)


# --------------------------------------------------------------------- copies, and what is kept

EDGES = [("r", "a", 1), ("r", "b", 2), ("a", "c", 1), ("a", "d", 1), ("b", "e", 1)]
TREE = Hierarchy.from_edges(EDGES)
TRUE, PREDICTED = [["c"], ["d", "e"], ["b"]], [["d"], ["d"], ["a", "e"]]


@pytest.mark.parametrize("name", REGISTRY)
def test_every_measure_travels(name):
    """Also with each of its options at each word that it may have."""
    plain = measure(name)
    every = [plain]
    for option in plain.options:
        for value in plain.definition.option(option).values:
            with suppress(BadInput):  # a word that this measure does not know, or not with others
                every.append(plain.with_options(**{option: value}))
    for m in every:
        back = sent(m)
        assert (back, back.signature, hash(back)) == (m, m.signature, hash(m))
        for one in (m, back):
            assert one.definition.recipe is None or callable(one.definition.recipe)


def sent(thing):
    return pickle.loads(pickle.dumps(thing))


def test_what_users_hold_travels():
    law = LabelDistribution.from_leaves([[0.5, 0.25, 0.25]], TREE, classes=["c", "d", "e"])
    scores = score(TREE, TRUE, {"s": PREDICTED}, ["hf", "gie"])
    why = explain(TREE, TRUE, PREDICTED, ["hf", "gie"])
    for thing in (
        TREE,
        LabelSets.from_labels(TRUE, TREE),
        law,
        law.marginals(),
        scores,
        why,
        Hops(),
    ):
        assert type(sent(thing)) is type(thing)
    assert sent(scores).to_text() == scores.to_text()
    assert sent(scores).worst("s", "hf", 2) == scores.worst("s", "hf", 2)
    assert sent(why)[0].to_text() == why[0].to_text()


def test_inputs_are_neither_shared_nor_changed():
    weight = np.array([1.0, 2.0, 3.0])
    scores = score(TREE, TRUE, {"s": PREDICTED}, ["hf"], sample_weight=weight)
    pointer, numbers = np.array([0, 2, 3]), np.array([4, 1, 2])
    sets = LabelSets.from_arrays(pointer, numbers, len(TREE))
    before = [sets.names_of(i, TREE) for i in range(2)], sets.as_written.ptr.tolist()
    table = np.array([[0.5, 0.25]])
    nodes = NodeScores.from_array(table, TREE, classes=["a", "b"])
    indptr, p = np.array([0, 2]), np.array([0.5, 0.5])
    labels = LabelSets.from_labels(["c", "d"], TREE)
    law = LabelDistribution.from_sets(TREE, indptr, p, labels)
    parts = np.array([1, 1]), np.array([2, 0]), np.array([0, 2])
    matrix = sp.csr_array(parts, shape=(1, 3))
    LabelSets.from_indicator(matrix, TREE, classes=["c", "d", "e"])
    assert matrix.indices.tolist() == [2, 0]
    for array in (weight, pointer, numbers, table, indptr, p, *parts, matrix.data):
        array[:] = 0
    assert scores.weight.tolist() == [1, 2, 3]
    assert ([sets.names_of(i, TREE) for i in range(2)], sets.as_written.ptr.tolist()) == before
    assert sorted(nodes.values.tolist()) == [0.25, 0.5, 1]
    assert (law.indptr.tolist(), law.p.tolist()) == ([0, 2], [0.5, 0.5])


def test_what_is_kept_is_computed_once_and_never_too_much():
    tree = Hierarchy.from_edges([("r", "a")])
    for i in range(MOST_KEPT + 5):
        assert [tree.cached(("a", i), lambda x=x: x) for x in (i, 0)] == [i, i]
        assert len(tree.cache) <= MOST_KEPT
    assert tree.cached(("a", 5), lambda: 7) == 7


@pytest.mark.parametrize("form", ["dense", "sparse", "list"])
@pytest.mark.parametrize("make", [CostMatrix, CosineDistance])
def test_costs_do_not_follow_the_array_they_came_from(make, form):
    array = np.random.default_rng(3).random((len(TREE), len(TREE)))
    given = {"dense": array, "sparse": sp.csr_array(array), "list": array.tolist()}[form]
    cost = make(given)

    def seen(tree):
        pairs = Pairs.between(tree, *(LabelSets.from_labels(x, tree) for x in (TRUE, PREDICTED)))
        scores = score(tree, TRUE, PREDICTED, [measure("gie", cost=cost)])
        return cost(pairs).tolist(), sent(cost)(pairs).tolist(), scores.values[0, 0]

    before = seen(TREE)
    for part in {"dense": [array], "list": given}.get(form) or [given.data]:
        part[:] = [0.5] * len(part) if form == "list" else 0.5
    # what was not computed yet must not see this either
    assert seen(TREE) == seen(Hierarchy.from_edges(EDGES)) == before


@pytest.mark.parametrize("make", [CostMatrix, CosineDistance])
def test_rows_of_several_lengths_are_no_matrix(make):
    with pytest.raises(BadInput, match="must be one array, and these rows differ in length"):
        make([[1.0, 2.0], [3.0]])
