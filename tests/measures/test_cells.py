"""Augmented cells against sets of Python, however they are gathered, keyed and sorted."""

from itertools import pairwise
from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest

from hierpair import Hierarchy, LabelSets
from hierpair.hierarchy import arrays
from hierpair.hierarchy.arrays import row_sums
from hierpair.measures import Batch
from hierpair.measures.recipes import augmentation, levels
from hierpair.measures.recipes.augmentation import KeyLayout, distinct
from hierpair.measures.recipes.levels import LevelRecipe


def random_case(seed, n_classes=60, n=40, most=6):
    """A DAG with one root, and sets of labels on both sides, some of them empty or shared."""
    rng = np.random.default_rng(seed)
    edges = [
        (int(p), c)
        for c in range(1, n_classes)
        for p in np.unique(rng.integers(max(0, c - 12), c, rng.integers(1, 4)))
    ]
    hierarchy = Hierarchy.from_edges(edges)

    def labels():
        return rng.choice(n_classes, rng.integers(0, most), replace=False).tolist()

    true = [labels() for _ in range(n)]
    pred = [list({*t[: len(t) // 2], *labels()}) if rng.random() < 0.7 else t for t in true]
    return hierarchy, true, pred


def batch_of(hierarchy, true, pred):
    return Batch(hierarchy, *(LabelSets.from_labels(side, hierarchy) for side in (true, pred)))


def sets_of(cells):
    """Return the classes of every instance on either side, and whether all is in order."""
    found = []
    for part in cells:
        assert part.first == len(found)
        assert part.column.dtype == np.int32
        assert part.row_ptr.dtype == np.int64
        assert (part.in_true | part.in_pred).all()
        for lo, hi in pairwise(part.row_ptr.tolist()):
            column = part.column[lo:hi]
            assert (np.diff(column) > 0).all()
            sides = (column[side[lo:hi]] for side in (part.in_true, part.in_pred))
            found.append(tuple(set(side.tolist()) for side in sides))
    return found


def expected_sets(hierarchy, true, pred, how):
    """Return the same by walks through the graph."""
    graph = nx.DiGraph(
        (p, c)
        for c in range(len(hierarchy))
        for p in hierarchy.parents[hierarchy.parent_ptr[c] : hierarchy.parent_ptr[c + 1]].tolist()
    )
    walk = {"ancestors": nx.ancestors, "descendants": nx.descendants, "none": lambda *_: set()}

    def grown(labels, augment):
        classes = hierarchy.index(labels).tolist()
        return set().union(*({c} | walk[augment](graph, c) for c in classes))

    sides = zip(true, pred, strict=True)
    return [tuple(grown(x, a) for x, a in zip(both, how, strict=True)) for both in sides]


@pytest.mark.parametrize("few", [0, 10_000_000])
@pytest.mark.parametrize("kept", [0, 10_000_000])
@pytest.mark.parametrize(
    ("block", "gathered"), [(50_000, 8), (200, 1), (200, 3), (200, 1_000), (1, 8)]
)
@pytest.mark.parametrize(
    "how",
    [("ancestors",) * 2, ("descendants",) * 2, ("none",) * 2, ("ancestors", "none")],
    ids=" and ".join,
)
def test_cells_are_the_augmented_sets(monkeypatch, how, block, gathered, kept, few):
    monkeypatch.setattr(augmentation, "FEW_LABELS", few)
    monkeypatch.setattr("hierpair.measures.recipes.batch.KEPT_ENTRIES", kept)
    monkeypatch.setattr(augmentation, "BLOCK_ENTRIES", block)
    monkeypatch.setattr(augmentation, "GATHERED_BLOCKS", gathered)
    for seed in range(3):
        case = random_case(seed)
        cells = batch_of(*case).cells(how[0], of_predicted=how[1])
        assert sets_of(cells) == expected_sets(*case, how)


@pytest.mark.parametrize("kept", [0, 10_000_000])
def test_labels_are_kept_beside_what_grew_from_them(monkeypatch, kept):
    monkeypatch.setattr(augmentation, "FEW_LABELS", 0)
    monkeypatch.setattr("hierpair.measures.recipes.batch.KEPT_ENTRIES", kept)
    case = random_case(2)
    batch = batch_of(*case)
    for how in ("ancestors", "none", "descendants", "none", "ancestors"):
        assert sets_of(batch.cells(how)) == expected_sets(*case, (how, how))
        assert ("labels" in batch.cache) == ("grown" in batch.cache) == (kept > 0)


def test_no_labels_at_all():
    hierarchy, _, _ = random_case(0)
    for how in ("ancestors", "none"):
        batch = batch_of(hierarchy, [[], [], []], [[], [], []])
        assert sets_of(batch.cells(how)) == [(set(), set())] * 3


@pytest.mark.parametrize("threshold", [2, 4])
def test_the_artificial_class_is_a_cell(threshold):
    hierarchy, true, pred = random_case(4)
    found = sets_of(batch_of(hierarchy, true, pred).cells("ancestors", threshold=threshold))
    for labels, sides in zip(zip(true, pred, strict=True), found, strict=True):
        for own, side in zip(labels, sides, strict=True):
            assert (len(hierarchy) in side) == bool(own)
            assert set(hierarchy.index(own).tolist()) <= side


@pytest.mark.parametrize("with_both", [False, True])
@pytest.mark.parametrize("wide", [False, True])
def test_keys_say_instance_class_and_side(with_both, wide):
    layout = KeyLayout.of(300, with_both=with_both, wide=wide)
    assert (layout.most_rows is None) == wide
    row = np.array([3, 0, 0, 3, 1, 1, 1])
    classes = np.array([299, 0, 0, 7, 5, 5, 5], dtype=np.int32)
    side = np.array([0, 0, layout.predicted, layout.predicted, 0, layout.predicted, 0])
    keys = layout.keys(classes, layout.owners(row, side))
    keys.sort()
    ptr, column, in_true, in_pred = distinct(keys, 5, layout)
    assert ptr.tolist() == [0, 1, 2, 2, 4, 4]
    assert column.tolist() == [0, 5, 7, 299]
    assert in_true.tolist() == [True, True, False, True]
    assert in_pred.tolist() == [True, True, True, False]


def test_the_last_instance_and_class_of_a_narrow_key():
    n_classes = 2 ** (augmentation.MOST_CLASS_BITS - 2)
    layout = KeyLayout.of(n_classes, with_both=True)
    assert layout.bits == augmentation.MOST_CLASS_BITS
    assert layout.key_type is np.uint32
    last = layout.most_rows - 1
    keys = layout.keys(np.array([n_classes - 1, 0]), layout.owners(np.array([last, last]), 2))
    ptr, column, _, in_pred = distinct(np.sort(keys), last + 1, layout)
    assert ptr[-2:].tolist() == [0, 2]
    assert column.tolist() == [0, n_classes - 1]
    assert in_pred.all()
    assert KeyLayout.of(n_classes + 1, with_both=True).key_type is np.int64


# ---------------------------------------------------------------------------------------- sums


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int32, np.int64, np.uint8])
@pytest.mark.parametrize("mean", [0, 1, 5, 50])
def test_rows_are_summed_alike_whether_long_or_short(monkeypatch, dtype, mean):
    rng = np.random.default_rng(mean)
    for n_rows in (0, 1, 2, 30):
        lengths = rng.poisson(mean, n_rows) * (rng.random(n_rows) < 0.7)
        before, behind = rng.integers(0, 3, 2)  # entries of no row
        pointer = before + arrays.offsets(lengths)
        values = rng.integers(0, 100, pointer[-1] + behind).astype(dtype)
        expected = [int(values[a:b].sum(dtype=np.int64)) for a, b in pairwise(pointer.tolist())]
        for limit in (0, 10**12):
            monkeypatch.setattr(arrays, "LONG_ROWS", limit)
            sums = row_sums(values, pointer)
            assert sums.dtype == np.int64
            assert sums.tolist() == expected


# -------------------------------------------------------------------------------------- levels


@pytest.mark.parametrize("absent", ["skip", "none-class"])
@pytest.mark.parametrize("root", ["exclude", "include", 7])
@pytest.mark.parametrize("augment", ["ancestors", "none"])
def test_levels_in_order_are_counted_like_any_groups(root, augment, absent):
    """A class of no level may stand among others (root=7); what does not has a shorter way."""
    recipe = LevelRecipe("levels", augment, root, absent)
    for seed in range(3):
        hierarchy, true, pred = random_case(seed)
        groups = recipe._groups(hierarchy)
        middle = root == 7 and int(hierarchy.index([7])[0]) > 0
        assert groups.in_order != middle
        results = []
        for in_order in {groups.in_order, False}:
            batch = batch_of(hierarchy, true, pred)
            shown = groups._replace(in_order=in_order)
            with patch.object(LevelRecipe, "_groups", lambda *_, shown=shown: shown):
                entries = batch.entries(recipe)
                results.append({
                    **batch.columns(recipe), **entries.columns, "row": entries.row,
                    "number": entries.number,
                })  # fmt: skip
        for column in results[0]:
            assert all(r[column].tobytes() == results[0][column].tobytes() for r in results)


def test_the_levels_of_each_instance():
    hierarchy, true, pred = random_case(5)
    groups = LevelRecipe()._groups(hierarchy)
    (part,) = batch_of(hierarchy, true, pred).cells("ancestors")
    found = levels._found_levels(part, groups)
    sides = expected_sets(hierarchy, true, pred, ("ancestors", "ancestors"))
    expected = []
    for i, (t, p) in enumerate(sides):
        for level in range(1, len(groups.size)):
            a, b = ({c for c in s if hierarchy.levels[c] == level} for s in (t, p))
            if a | b:
                expected.append((i, level, bool(a), bool(b), a == b))
    row = arrays.row_numbers(found.row_ptr)
    columns = (row, found.level, found.of_truth, found.said, found.right)
    assert list(zip(*(x.tolist() for x in columns), strict=True)) == expected
