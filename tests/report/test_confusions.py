"""Confusions are those of sets, one instance after the other, and the most frequent are kept."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets
from hierpair.report import counts as module
from hierpair.report.counts import confusion_sections, confusions
from hierpair.report.drawn_tree import drawn_tree
from hierpair.report.packing import packed_text

from .reading import read_container

rows = st.lists(st.tuples(*[st.lists(st.integers(0, 5), unique=True)] * 2), max_size=8)


def sets_of(rows, n=6):
    labels = [label for row in rows for label in row]
    pointer = np.cumsum([0, *map(len, rows)])
    return LabelSets.from_arrays(pointer, np.array(labels, dtype=np.int64), n)


def slowly(true, pred):
    return Counter(
        (missed, wrong)
        for t, p in zip(true, pred, strict=True)
        for missed in set(t) - set(p)
        for wrong in set(p) - set(t)
    )


def kept_of(counts, most):
    """The most frequent; of equally frequent ones, one of each missed class in turn."""
    total = Counter()
    for (missed, _), count in counts.items():
        total[missed] += count
    seen, ranked = Counter(), []
    for (missed, wrong), count in sorted(counts.items()):
        ranked.append((-count, seen[missed, count], -total[missed], missed, wrong))
        seen[missed, count] += 1
    return sorted((missed, wrong, -count) for count, *_, missed, wrong in sorted(ranked)[:most])


def triples(found):
    return [tuple(row) for row in found[0].T.tolist()]


@given(rows, st.integers(1, 40))
def test_confusions_are_those_of_sets(rows, most):
    true, pred = [t for t, _ in rows], [p for _, p in rows]
    counts = slowly(true, pred)
    found = confusions(sets_of(true), sets_of(pred), most)
    assert triples(found) == kept_of(counts, most)
    assert found[1] == counts.total()


@pytest.mark.parametrize("most", [1, 20, 333, 100_000])
@pytest.mark.parametrize("block", [1, 40, 2000])
def test_many_confusions_in_small_blocks(most, block, monkeypatch):
    rng = np.random.default_rng(4)
    true, pred = (
        [rng.choice(30, int(rng.integers(0, 9)), replace=False).tolist() for _ in range(200)]
        for _ in range(2)
    )
    sides = sets_of(true, 30), sets_of(pred, 30)
    whole = confusions(*sides, most)
    assert triples(whole) == kept_of(slowly(true, pred), most)
    monkeypatch.setattr(module, "BLOCK", block)
    cut = confusions(*sides, most)
    assert triples(cut) == triples(whole)
    assert cut[1] == whole[1]


def test_single_labels_give_the_confusion_matrix_off_its_diagonal():
    from sklearn.metrics import confusion_matrix

    rng = np.random.default_rng(1)
    true, pred = rng.integers(0, 7, (2, 300))
    found = confusions(*(sets_of(side[:, None].tolist(), 7) for side in (true, pred)))
    matrix = np.zeros((7, 7), dtype=int)
    matrix[*found[0][:2]] = found[0][2]
    expected = confusion_matrix(true, pred, labels=range(7))
    np.fill_diagonal(expected, 0)
    assert (matrix == expected).all()
    assert found[1] == (true != pred).sum()


def test_sections_of_the_page():
    edges = [("r", "a"), ("r", "b"), ("a", "a1"), ("a", "a2"), ("b", "b1"), ("b", "b2")]
    hierarchy = Hierarchy.from_edges(edges)
    tree = drawn_tree(hierarchy)
    true = [["a1"], ["a1"], ["b2", "a"], ["b1"], ["r"]]
    pred = [["b1"], ["b1"], ["b1", "b"], ["a2"], ["r"]]
    sides = [LabelSets.from_labels(side, hierarchy) for side in (true, pred)]
    found = [confusions(*sides), confusions(*sides, most=1), confusions(sides[0], sides[0])]
    read = read_container(packed_text(confusion_sections(found, tree)))
    names = [hierarchy.names[c] for c in tree.order]

    def named(k):
        missed, out = 0, {}
        columns = (read[f"conf_{name}:{k}"] for name in ("missed", "wrong", "times"))
        for step, further, times in zip(*columns, strict=True):
            missed += step
            out[names[missed], names[missed + further]] = times
        return out

    assert named(0) == slowly(true, pred)
    assert named(1) == {("a1", "b1"): 2}
    assert named(2) == {}
    counts = [(7, 7), (2, 7), (0, 0)]
    assert read["conf_of"] == [{"shown": some, "all": every} for some, every in counts]
