"""Augmented cells against sets of Python, however they are gathered, keyed and sorted."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

from hierpair import Hierarchy, LabelSets
from hierpair.hierarchy import arrays
from hierpair.hierarchy.arrays import row_sums
from hierpair.measures import Batch
from hierpair.measures.recipes import augmentation


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


@pytest.mark.parametrize("kept", [0, 10_000_000])
@pytest.mark.parametrize("bits", [9, 32])  # 9: an instance or two in a block
@pytest.mark.parametrize("block", [50_000, 200, 1])
@pytest.mark.parametrize(
    "how",
    [("ancestors",) * 2, ("descendants",) * 2, ("none",) * 2, ("ancestors", "none")],
    ids=" and ".join,
)
def test_cells_are_the_augmented_sets(monkeypatch, how, block, bits, kept):
    monkeypatch.setattr(augmentation, "KEY_BITS", bits)
    monkeypatch.setattr("hierpair.measures.recipes.batch.KEPT_ENTRIES", kept)
    monkeypatch.setattr(augmentation, "BLOCK_ENTRIES", block)
    for seed in range(3):
        case = random_case(seed)
        cells = batch_of(*case).cells(how[0], of_predicted=how[1])
        assert sets_of(cells) == expected_sets(*case, how)


@pytest.mark.parametrize("kept", [0, 10_000_000])
def test_labels_are_kept_beside_what_grew_from_them(monkeypatch, kept):
    monkeypatch.setattr("hierpair.measures.recipes.batch.KEPT_ENTRIES", kept)
    case = random_case(2)
    batch = batch_of(*case)
    for how in ("ancestors", "none", "descendants", "none", "ancestors"):
        assert sets_of(batch.cells(how)) == expected_sets(*case, (how, how))
        assert bool(batch.cache) == (kept > 0)


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


# ---------------------------------------------------------------------------------------- sums


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int32, np.int64, np.uint8])
@pytest.mark.parametrize("mean", [0, 1, 5, 50])
def test_rows_are_summed_alike_whether_long_or_short(dtype, mean):
    rng = np.random.default_rng(mean)
    for n_rows in (0, 1, 2, 30):
        lengths = rng.poisson(mean, n_rows) * (rng.random(n_rows) < 0.7)
        before, behind = rng.integers(0, 3, 2)  # entries of no row
        pointer = before + arrays.offsets(lengths)
        values = rng.integers(0, 100, pointer[-1] + behind).astype(dtype)
        expected = [int(values[a:b].sum(dtype=np.int64)) for a, b in pairwise(pointer.tolist())]
        sums = row_sums(values, pointer)
        assert sums.dtype == np.int64
        assert sums.tolist() == expected
