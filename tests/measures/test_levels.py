"""Accuracy and Hamming loss by level, leaves, shortest path: against sets, by hand, in edge cases."""

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, Infeasible, score
from tests.effort import cases
from tests.oracles.distributions import ancestors, closed, tree_distance
from tests.scenarios import hierarchy_of, random_parents

UNEVEN = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("c", "e")])


def each(name, hierarchy, y_true, y_pred):
    return score(hierarchy, y_true, {"s": y_pred}, [name]).per_instance["s"][:, 0].tolist()


def pooled(name, hierarchy, y_true, y_pred, **more):
    return score(hierarchy, y_true, {"s": y_pred}, [name], **more)["s", name]


def levels_of(parents):
    depth = {}
    for v in parents:
        depth[v] = max((depth[p] + 1 for p in parents[v]), default=0)
    return depth


def random_labels(rng, parents, n):
    return [
        sorted(map(int, rng.choice(len(parents), int(rng.integers(0, 3)), replace=False)))
        for _ in range(n)
    ]


@pytest.mark.random_cases
@pytest.mark.parametrize("dag", [False, True])
@pytest.mark.parametrize("absent_level", ["skip", "none-class"])
@pytest.mark.parametrize("augment", ["ancestors", "none"])
@pytest.mark.parametrize("root", ["exclude", "include"])
def test_levels_against_sets(dag, absent_level, augment, root):
    rng = np.random.default_rng(31)
    out = {0} if root == "exclude" else set()
    for _ in range(cases(50)):
        parents = random_parents(rng, int(rng.integers(2, 9)), dag=dag)
        hierarchy = hierarchy_of(parents)
        depth = levels_of(parents)
        y_true, y_pred = random_labels(rng, parents, 6), random_labels(rng, parents, 6)
        weight = rng.integers(1, 4, 6)
        judged, right = np.zeros((2, 6, max(depth.values()) + 1))
        hamming = []
        for i, (t, p) in enumerate(zip(y_true, y_pred, strict=True)):
            a = closed(parents, t, out)
            b = closed(parents, p, out) if augment == "ancestors" else frozenset(p) - out
            share = []
            for level in range(len(out), max(depth.values()) + 1):
                mine, theirs = ({v for v in s if depth[v] == level} for s in (a, b))
                judged[i, level] = bool(mine) or absent_level == "none-class"
                right[i, level] = judged[i, level] and mine == theirs
                share.append(len(mine ^ theirs) / sum(d == level for d in depth.values()))
            hamming.append(sum(share) / len(share))
        how = f"augment={augment}, root={root}"
        name = f"level_accuracy(absent_level={absent_level!r}, {how})"
        total, hits = weight @ judged, weight @ right
        by_level = [h / t for h, t in zip(hits, total, strict=True) if t]
        want = sum(by_level) / len(by_level) if by_level else 0.0
        if by_level:
            assert pooled(name, hierarchy, y_true, y_pred, sample_weight=weight) == pytest.approx(
                want
            )
            chunked = pooled(name, hierarchy, y_true, y_pred, sample_weight=weight, chunk=2)
            assert chunked == pytest.approx(want)
            micro = pooled(
                name[:-1] + ", average=micro)", hierarchy, y_true, y_pred, sample_weight=weight
            )
            assert micro == pytest.approx(hits.sum() / total.sum())
        got = each(f"level_hamming({how})", hierarchy, y_true, y_pred)
        assert got == pytest.approx(hamming)


@pytest.mark.random_cases
@pytest.mark.parametrize("tips", ["single", "best", "sum"])
def test_shortest_path_of_single_paths_is_the_tree_distance(tips):
    rng = np.random.default_rng(32)
    for _ in range(cases(150)):
        parents = random_parents(rng, int(rng.integers(2, 10)))
        hierarchy = hierarchy_of(parents)
        labels = [
            [[int(v)] if v >= 0 else [] for v in rng.integers(-1, len(parents), 4)]
            for _ in range(2)
        ]
        full = [[sorted(closed(parents, y)) for y in side] for side in labels]
        want = [
            tree_distance(parents, (t or [0])[0], (p or [0])[0])
            for t, p in zip(*labels, strict=True)
        ]
        name = f"shortest_path(tips={tips})"
        assert each(name, hierarchy, *labels) == want
        assert each(name, hierarchy, *full) == want  # ancestors in the set change nothing


@pytest.mark.random_cases
def test_shortest_path_of_several_paths():
    def tips(parents, y):
        return [v for v in y if not any(v in ancestors(parents, u) for u in y if u != v)] or [0]

    rng = np.random.default_rng(33)
    for _ in range(cases(150)):
        parents = random_parents(rng, int(rng.integers(2, 9)))
        hierarchy = hierarchy_of(parents)
        y_true, y_pred = random_labels(rng, parents, 4), random_labels(rng, parents, 4)
        sums = each("shortest_path(tips=sum)", hierarchy, y_true, y_pred)
        best = each("shortest_path", hierarchy, y_true, y_pred)
        for t, p, total, least in zip(y_true, y_pred, sums, best, strict=True):
            a, b = tips(parents, t), tips(parents, p)
            away = {(u, v): tree_distance(parents, u, v) for u in b for v in a}
            assert total == sum(away.values())
            every = [
                [x for k, x in enumerate(away) if bits >> k & 1] for bits in range(1 << len(away))
            ]
            covers = [
                sum(away[x] for x in chosen)
                for chosen in every
                if {u for u, _ in chosen} == set(b) and {v for _, v in chosen} == set(a)
            ]
            assert least == min(covers)


def test_what_has_no_shortest_path_is_refused_by_instance():
    with pytest.raises(Infeasible, match="instance 1: several most specific"):
        each("shortest_path(tips=single)", UNEVEN, [["c"], ["c", "d"]], [["c"], ["c"]])
    forest = Hierarchy.from_edges([("a", "b"), ("c", "d")])
    with pytest.raises(Infeasible, match="no label stands for the root"):
        each("shortest_path", forest, [["b"], []], [["b"], ["b"]])
    with pytest.raises(
        Infeasible,
        match=r"instance 0: the predicted class .d. must have at least 1 partner.*no common ancestor",
    ):
        each("shortest_path(tips=sum)", forest, [["b"]], [["d"]])
    with pytest.raises(Infeasible):
        each("shortest_path", forest, [["b"]], [["d"]])
    with pytest.raises(BadInput, match="tips must be one of"):
        each("shortest_path(tips=all)", UNEVEN, [["c"]], [["c"]])
    with pytest.raises(BadInput, match="absent_level must be one of"):
        each("level_accuracy(absent_level=drop)", UNEVEN, [["c"]], [["c"]])
    with pytest.raises(BadInput, match="augment 'ancestors' or 'none'"):
        each("level_accuracy(augment=descendants)", UNEVEN, [["c"]], [["c"]])
