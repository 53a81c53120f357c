"""What every recipe must keep: columns, entries and evidence agree, and nothing refuses a batch."""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
import pytest

from hierpair import Hierarchy, LabelSets, explain, measure, score, set_measure
from hierpair.errors import BadInput, HierpairError
from hierpair.measures import REGISTRY, Batch, Column
from hierpair.measures.recipes.batch import Counted, Units

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
    assert found.defined(recipe)["infeasible"].tolist() == [False, True, False]
    assert found.defined(recipe)["tp"].tolist() == [1, 0, 1]
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
    try:
        scores = score(tree, true, {"s": predicted}, ["long_recall", "long_recall(average=macro)"])
        (why,) = explain(tree, true[:1], predicted[:1], "long_recall")
    finally:
        del REGISTRY["long_recall"]
    assert scores.values.tolist() == [[2 / 3, 3 / 4]]
    assert dict(why.evidence.counts) == {"n_long": 1, "n_found": 1}
    assert "short labels do not count" in str(why)
    assert "a true label with a long name        1  aa" in str(why)
