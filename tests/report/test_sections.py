"""What a page holds of classes: counts and confusions are those of sets, places of a walk; all comes back as packed."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierpair import score
from hierpair.hierarchy import Hierarchy, closure
from hierpair.labels import LabelSets
from hierpair.report import counts as module
from hierpair.report.counts import class_sections, confusion_sections, confusions
from hierpair.report.drawn_tree import drawn_tree
from hierpair.report.packing import packed_text, small_numbers
from tests import effort
from tests.strategies import dags, problems

from .conftest import read_container

# ------------------------------------------------------------------------------ counts


def slowly(hierarchy, true, pred):
    """Flat and augmented counts of truth, prediction and both, one instance after the other."""

    def grown(names):
        return {a for name in names for a in (name, *hierarchy.ancestors(name))}

    found = []
    for of in (set, grown):
        sides = [[of(names) for names in side] for side in (true, pred)]
        sides.append([t & p for t, p in zip(*sides, strict=True)])
        count = [Counter(name for names in side for name in names) for side in sides]
        found.append([[c[name] for name in hierarchy.names] for c in count])
    return list(zip(*found, strict=True))


def sections_of(hierarchy, true, pred):
    """What a page holds of two systems, of which the first is the truth itself."""
    sides = [LabelSets.from_labels(side, hierarchy) for side in (true, pred)]
    tree = drawn_tree(hierarchy)
    return sides, tree, class_sections(hierarchy, sides[0], sides, tree)


def test_no_labels_no_instances_and_one_class():
    hierarchy = Hierarchy.from_edges([], classes=["only"])
    names = ("true", "missed:0", "missed:1", "wrong:1", "true_o", "pred_o:1", "both_o:1")
    for true, pred, counts in (
        ([[], ["only"], ["only"]], [["only"], [], ["only"]], [2, 0, 1, 1, 0, 0, 0]),
        ([], [], [0] * 7),
    ):
        found = sections_of(hierarchy, true, pred)[2]
        assert [found[name].tolist() for name in names] == [[n] for n in counts]


@given(problems(30, max_labels=8, instances=8), st.sampled_from([3, 20, 2**20]), st.booleans())
def test_counts_and_their_sections_are_those_of_sets(problem, block, in_use_only):
    """In blocks of any size; what is wrong of the pooled hf adds up over classes, as the page says."""
    hierarchy, _, true, pred = problem
    wanted = slowly(hierarchy, true, pred)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "BLOCK", block)
        patched.setattr(closure, "WHOLE_LIMIT", 1 if in_use_only else closure.WHOLE_LIMIT)
        sides, tree, sections = sections_of(hierarchy, true, pred)
    found = read_container(packed_text(sections))
    assert found["missed:0"] == found["wrong:0"] == [0] * len(hierarchy)
    assert found["true_o"] == found["pred_o:0"] == found["both_o:0"]
    (true, true_a), (pred, pred_a), (both, both_a) = wanted
    assert found["true"] == [true[c] for c in tree.order]
    assert found["wrong:1"] == [pred[c] - both[c] for c in tree.order]
    assert found["missed:1"] == [true[c] - both[c] for c in tree.order]
    below = {int(c): [] for c in tree.order}
    links = [*enumerate(tree.above.tolist()), *tree.more.tolist()]
    for i, above in ((i, above) for i, above in links if above >= 0):
        below[tree.order[above]].append(tree.order[i])
    overlaps = {"true_o": (true, true_a), "pred_o:1": (pred, pred_a), "both_o:1": (both, both_a)}
    for name, (flat, grown) in overlaps.items():
        for i, c in enumerate(tree.order):
            assert grown[c] == flat[c] - found[name][i] + sum(grown[b] for b in below[c])
    per_system = ("missed:{}", "wrong:{}", "pred_o:{}", "both_o:{}")
    assert list(found) == ["true", "true_o", *(x.format(k) for k in (0, 1) for x in per_system)]
    n_true, n_pred, n_both = (sum(x) for x in (true_a, pred_a, both_a))
    [[hf]] = score(hierarchy, sides[0], {"s": sides[1]}, "hf(average=micro,root=include)").values
    assert not n_true + n_pred or hf == pytest.approx(2 * n_both / (n_true + n_pred), rel=1e-15)


# ------------------------------------------------------------------------------ confusions


def sets_of(rows, n):
    pointer = np.cumsum([0, *map(len, rows)])
    labels = [label for row in rows for label in row]
    return LabelSets.from_arrays(pointer, np.array(labels, dtype=np.int64), n)


def pairs_of(true, pred):
    return Counter((missed, wrong) for t, p in zip(true, pred, strict=True)
                   for missed in set(t) - set(p) for wrong in set(p) - set(t))  # fmt: skip


def kept_of(counts, most):
    """The most frequent; of equally frequent ones, one of each missed class in turn."""
    total, seen, ranked = Counter(), Counter(), []
    for (missed, _), count in counts.items():
        total[missed] += count
    for (missed, wrong), count in sorted(counts.items()):
        ranked.append((-count, seen[missed, count], -total[missed], missed, wrong))
        seen[missed, count] += 1
    return sorted((missed, wrong, -count) for count, *_, missed, wrong in sorted(ranked)[:most])


@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(effort.cases(160)))
def test_confusions_are_those_of_sets(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n, most, block = (int(rng.choice(x)) for x in ([2, 6, 30], [1, 5, 20, 333], [1, 40, 2**20]))
    true, pred = ([rng.choice(n, int(rng.integers(min(n, 9))), replace=False).tolist() for _ in range(40)]
                  for _ in range(2))  # fmt: skip
    counts = pairs_of(true, pred)
    monkeypatch.setattr(module, "BLOCK", block)
    found, total = confusions(sets_of(true, n), sets_of(pred, n), most)
    assert [tuple(row) for row in found.T.tolist()] == kept_of(counts, most)
    assert total == counts.total()
    hierarchy = Hierarchy.from_edges([(c // 3, c) for c in range(n - 1, 0, -1)], classes=range(n))
    tree, missed, back = drawn_tree(hierarchy), 0, {}
    sections = confusion_sections([(found[:, :0], 0), (found, total)], tree)
    read = read_container(packed_text(sections))
    columns = (read[f"conf_{name}:1"] for name in ("missed", "wrong", "times"))
    for step, further, times in zip(*columns, strict=True):
        missed += step
        back[tree.order[missed], tree.order[missed + further]] = times
    assert back == {(missed, wrong): times for missed, wrong, times in found.T.tolist()}
    shown = {"shown": sum(back.values()), "all": total}
    assert read["conf_of"] == [{"shown": 0, "all": 0}, shown]


# ------------------------------------------------------------------------------ the drawn tree


def check_drawn(hierarchy):
    """Every class once, below one of its nearest parents, each branch together."""
    n, graph = len(hierarchy), hierarchy.to_networkx()
    depth = dict.fromkeys(range(n), n)
    for root in hierarchy.roots:
        for name, d in nx.single_source_shortest_path_length(graph, root).items():
            c = hierarchy.position[name]
            depth[c] = min(depth[c], d)
    parents = [x.tolist() for x in np.split(hierarchy.parents, hierarchy.parent_ptr[1:-1])]
    parent = [min(above, key=depth.get, default=-1) for above in parents]
    order, todo = [], [c for c in reversed(range(n)) if parent[c] == -1]
    while todo:  # a walk from the top
        order.append(todo.pop())
        todo += [c for c in reversed(range(n)) if parent[c] == order[-1]]
    tree = drawn_tree(hierarchy)
    place = {c: i for i, c in enumerate(order)} | {-1: -1}
    assert tree.order.tolist() == order
    assert tree.depth.tolist() == [depth[c] for c in order]
    assert tree.place.tolist() == [place[c] for c in range(n)]
    assert tree.above.tolist() == [place[parent[c]] for c in order]
    more = [[place[c], place[p]] for c in range(n) for p in parents[c] if p != parent[c]]
    assert tree.more.tolist() == sorted(more)
    found = read_container(packed_text(tree.sections(hierarchy)))
    assert found["names"] == [str(hierarchy.names[c]) for c in order]
    for i, up in enumerate(found["up"]):  # from the class before it
        at = order[i - 1] if i else -1
        for _ in range(up):
            at = parent[at]
        assert at == parent[order[i]]
    links = zip(np.cumsum(found["more"]).tolist(), found["more_up"], strict=True)
    assert [[c, c - up] for c, up in links] == sorted(more)
    return tree, found


@given(dags(12))
def test_places_are_those_of_a_walk_from_the_top(drawn):
    edges, names = drawn
    check_drawn(Hierarchy.from_edges(edges, classes=names, roots="any"))


def test_chains_stars_and_several_parents():
    tree, found = check_drawn(Hierarchy.from_edges([], classes=["only"]))
    assert (len(tree.order), tree.sentence, "titles" in found) == (1, None, False)
    check_drawn(Hierarchy.from_edges([(i, i + 1) for i in range(200)]))
    check_drawn(Hierarchy.from_edges([(0, i) for i in range(1, 200)]))
    edges = [("r", "a"), ("a", "b"), ("b", 3), ("r", 3), ("b", "y"), ("a", "z\0"), ("r2", "z\0")]
    tree, found = check_drawn(Hierarchy.from_edges(edges, titles={3: "three"}))
    assert found["titles"] == ["three" if n == "3" else "" for n in found["names"]]
    parents = {found["names"][i]: found["names"][p] for i, p in enumerate(tree.above) if p >= 0}
    assert (parents["3"], parents["z\0"]) == ("r", "r2")
    assert tree.sentence.startswith("2 classes have several parents; ")


# ------------------------------------------------------------------------------ packing

NASTY = ["", "a\0b", "two\nlines\r\n\u2028", "</script><script>alert(1)</script>", "<!--", '"\\', "\ud800",
         "\udc00 and \ud800", "\U0001f600 \u202e evil", "x" * 10_000, "é" * 10_000]  # fmt: skip
changes = st.integers(-(2**62), 2**62 - 1)
anything = st.text(st.characters(codec=None, exclude_categories=()))


@given(st.lists(anything), st.lists(changes))
def test_every_section_comes_back(texts, numbers):
    sections = {"t": texts, "none": [], "d": numbers}
    arrays = {name: np.array(sections[name], dtype=np.int64) for name in ("none", "d")}
    assert read_container(packed_text(sections | arrays)) == sections


def test_names_of_any_characters_and_repeated_numbers():
    values = [s * (2**power + d) for power in range(0, 62, 7) for s in (1, -1) for d in (-1, 0, 1)]
    text = packed_text({"names": NASTY, "v": np.array(values)})
    assert read_container(text) == {"names": NASTY, "v": values}
    sevens = np.full(100_000, -7)
    assert len(small_numbers(sevens)) == 100_000
    assert len(packed_text({"v": sevens})) < 500
    with pytest.raises(ValueError, match="JSON"):
        packed_text({"v": [float("nan")]})
