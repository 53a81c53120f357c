"""Distributions and scores of classes: built, checked, repaired, read."""

import json
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from hierpair import (
    BadInput,
    Hierarchy,
    LabelDistribution,
    NodeScores,
    read_distribution,
    read_scores,
)
from tests.oracles.distributions import ancestors, closed
from tests.scenarios import distribution_of, hierarchy_of, random_parents, random_scenarios

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])


def as_dict(scores, i=0):
    row = scores.dense()[i]
    return {name: row[k] for k, name in enumerate(scores.hierarchy.names) if row[k]}


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["tree", "forest", "dag"])
@pytest.mark.parametrize("several", [False, True])
def test_marginals_add_up_what_implies_each_class(kind, several):
    rng = np.random.default_rng(1)
    for _ in range(150):
        parents = random_parents(
            rng, int(rng.integers(2, 9)), dag=kind == "dag", forest=kind == "forest"
        )
        hierarchy = hierarchy_of(parents)
        rows = [random_scenarios(rng, parents, several=several) for _ in range(3)]
        distribution = distribution_of(rows, hierarchy)
        assert distribution.is_single_path or several
        dense = distribution.marginals().dense()
        flat = distribution.label_marginals().dense()
        for i, row in enumerate(rows):
            for k, v in enumerate(hierarchy.names):
                want = sum((p for p, ys in row if v in closed(parents, ys)), Fraction(0))
                assert dense[i, k] == pytest.approx(float(want), abs=1e-12)
                said = sum((p for p, ys in row if v in ys), Fraction(0))
                assert flat[i, k] == pytest.approx(float(said), abs=1e-12)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["tree", "forest", "dag"])
def test_a_law_over_single_paths_comes_back_from_its_marginals(kind):
    rng = np.random.default_rng(2)
    for _ in range(300):
        parents = random_parents(
            rng, int(rng.integers(2, 10)), dag=kind == "dag", forest=kind == "forest"
        )
        hierarchy = hierarchy_of(parents)
        row = random_scenarios(rng, parents)
        if kind == "forest" and rng.random() < 0.5:
            p, labels = row[0]
            row = [(p / 2, labels), *row[1:], (p / 2, [])]
        distribution = distribution_of([row, row], hierarchy)
        back = LabelDistribution.from_nodes(distribution.marginals().dense(), hierarchy)
        for i in range(2):
            lo, hi = back.indptr[i : i + 2]
            got = {
                tuple(back.sets.names_of(j, hierarchy)): back.p[j] for j in range(lo, hi)
                if back.p[j] > 1e-9
            }  # fmt: skip
            want = {tuple(ys): float(p) for p, ys in row}
            assert got.keys() == want.keys()
            assert all(got[k] == pytest.approx(want[k], abs=1e-9) for k in want)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["tree", "forest", "dag"])
def test_repairs_lift_parents_or_lower_children(kind):
    rng = np.random.default_rng(3)
    for _ in range(200):
        parents = random_parents(
            rng, int(rng.integers(2, 9)), dag=kind == "dag", forest=kind == "forest"
        )
        hierarchy = hierarchy_of(parents)
        table = np.round(rng.random((2, len(parents))), 1)
        scores = NodeScores.from_array(table, hierarchy, classes=list(parents))
        given = [as_dict(scores, i) for i in range(2)]
        high, low = scores.closed("max"), scores.closed("min")
        for i in range(2):
            for k, v in enumerate(hierarchy.names):
                below = [u for u in parents if v in ancestors(parents, u)]
                assert high.dense()[i, k] == max(given[i].get(u, 0.0) for u in below)
                assert low.dense()[i, k] == min(given[i].get(u, 0.0) for u in ancestors(parents, v))
        worst = max(
            given[i].get(v, 0.0) - given[i].get(p, 0.0) for i in range(2) for v in parents for p in parents[v]
        ) if any(parents.values()) else 0.0  # fmt: skip
        assert scores.incoherence()[0] == pytest.approx(max(0.0, worst), abs=1e-15)
        assert scores.is_coherent() == (worst <= 1e-6)
        assert high.is_coherent()
        assert low.is_coherent()
        assert scores.closed(None) is scores


def test_what_is_no_law_is_refused_by_instance_and_class():
    with pytest.raises(BadInput, match=r"instance 1: the probabilities add up to 0\.9, not 1"):
        LabelDistribution.from_leaves([[0.5, 0.5, 0], [0.4, 0.5, 0]], TREE)
    with pytest.raises(BadInput, match="instance 0, class 'b': a score must be in"):
        LabelDistribution.from_leaves([[1.5, 0, 0]], TREE)
    with pytest.raises(
        BadInput, match=r"class 'c' is more probable than its parent 'a' \(by 0\.1\)"
    ):
        LabelDistribution.from_nodes([[0.5, 0.5, 0.6, 0]], TREE, classes="abcd")
    with pytest.raises(BadInput, match=r"below class 'a' adds up to 0\.3 more than it has"):
        LabelDistribution.from_nodes([[0.5, 0.5, 0.4, 0.4]], TREE, classes="abcd")
    with pytest.raises(BadInput, match="two columns of the matrix are called 'a'"):
        NodeScores.from_array([[0, 0]], TREE, classes=["a", "a"])
    with pytest.raises(BadInput, match="class 'x' is not in the hierarchy"):
        NodeScores.from_array([[0, 0]], TREE, classes=["a", "x"])
    with pytest.raises(BadInput, match="a row per instance"):
        NodeScores.from_array([[0.0, 0.0]], TREE)
    with pytest.raises(BadInput, match="closure must be"):
        NodeScores.from_array([[0.5]], TREE, classes=["a"]).closed("mean")
    with pytest.raises(BadInput, match="instance 'x'"):
        LabelDistribution.from_scenarios({"x": [(0.5, ["zz"]), (0.5, [])]}, TREE)


def test_rescaling_gives_children_what_their_parent_has():
    distribution = LabelDistribution.from_nodes(
        [[0.9, 0.6, 0.6, 0.6]], TREE, classes="abcd", excess="rescale"
    )
    assert as_dict(distribution.marginals()) == pytest.approx(
        {"r": 1, "a": 0.6, "b": 0.4, "c": 0.3, "d": 0.3}
    )
    fits = LabelDistribution.from_nodes(
        [[0.6, 0.4, 0.3, 0.2]], TREE, classes="abcd", excess="rescale"
    )
    assert as_dict(fits.marginals()) == pytest.approx(
        {"r": 1, "a": 0.6, "b": 0.4, "c": 0.3, "d": 0.2}
    )


def test_sampling_follows_the_law_and_the_seed():
    distribution = LabelDistribution.from_scenarios(
        [[(1, ["c"])], [(0.25, ["a"]), (0, ["b"]), (0.75, ["c"])]], TREE
    )
    drawn = distribution.sample(20_000, seed=5)
    assert (drawn[0] == 0).all()
    share = np.bincount(drawn[1], minlength=4) / 20_000
    assert share[2] == 0
    assert share[1] == pytest.approx(0.25, abs=0.015)
    assert (distribution.sample(20, seed=5) == distribution.sample(20, seed=5)).all()
    assert (distribution.sample(20, seed=5) != distribution.sample(20, seed=6)).any()


def written(tmp_path, kind, ids, table):
    if kind == "npz":
        np.savez(tmp_path / "p.npz", p=table, classes=np.array(list("bcd")), ids=np.array(ids))
        return tmp_path / "p.npz"
    if kind == "sparse":
        sp.save_npz(tmp_path / "p.npz", sp.csr_array(table))
        arrays = dict(np.load(tmp_path / "p.npz"))
        np.savez(tmp_path / "q.npz", **arrays, classes=np.array(list("bcd")), ids=np.array(ids))
        return tmp_path / "q.npz"
    if kind == "long":
        lines = [
            f"{i}\t{c}\t{x}"
            for i, row in zip(ids, table, strict=True)
            for c, x in zip("bcd", row, strict=True)
        ]
        (tmp_path / "p.tsv").write_text("id\tlabel\tscore\n" + "\n".join(lines) + "\n")
        return tmp_path / "p.tsv"
    lines = [
        json.dumps({"id": i, "scores": dict(zip("bcd", row, strict=True))})
        for i, row in zip(ids, table.tolist(), strict=True)
    ]
    (tmp_path / "p.jsonl").write_text("\n".join(lines))
    return tmp_path / "p.jsonl"


@pytest.mark.parametrize("kind", ["npz", "sparse", "long", "jsonl"])
def test_every_format_gives_the_same_law(kind, tmp_path):
    table = np.array([[0.25, 0.5, 0.25], [1, 0, 0]])
    path = written(tmp_path, kind, ["x", "y"], table)
    distribution = read_distribution(path, TREE)
    direct = LabelDistribution.from_leaves(table, TREE, classes="bcd")
    assert distribution.ids == ("x", "y")
    assert (distribution.marginals().dense() == direct.marginals().dense()).all()
    scores = read_scores(path, TREE)
    assert scores.dense()[:, TREE.index("bcd")].tolist() == table.tolist()
    assert scores.dense()[:, 0].tolist() == [1, 1]


def test_laws_over_nodes_and_scenarios_are_read(tmp_path):
    path = tmp_path / "p.tsv"
    path.write_text("x\ta\t0.75\nx\tb\t0.25\nx\tc\t0.5\n")
    distribution = read_distribution(path, TREE, over="nodes")
    assert {tuple(distribution.sets.names_of(j, TREE)): float(distribution.p[j]) for j in range(3)} == {
        ("a",): 0.25, ("b",): 0.25, ("c",): 0.5,
    }  # fmt: skip
    with pytest.raises(BadInput, match=r"add up to 1\.5, not 1.*over='nodes' is the other reading"):
        read_distribution(path, TREE)
    path = tmp_path / "s.jsonl"
    path.write_text(
        '{"id": "x", "scenarios": [{"p": 0.5, "labels": ["c", "b"]}, {"p": 0.5, "labels": []}]}'
    )
    distribution = read_distribution(path, TREE)
    assert as_dict(distribution.marginals()) == {"r": 0.5, "a": 0.5, "b": 0.5, "c": 0.5}
    with pytest.raises(BadInput, match="holds scenarios"):
        read_scores(path, TREE)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("p.tsv", "x\ta\t0.5\nx\tzz\t0.5\n", "instance 'x': class 'zz' is not in the hierarchy"),
        ("p.tsv", "x\ta\t1.5\n", r"p.tsv:1, instance 'x', class 'a': .* in \[0, 1\], got 1.5"),
        ("p.tsv", "x\ta\n", "p.tsv:1: expected id TAB label TAB score"),
        ("p.tsv", "x\ta\tnan\n", "got 'nan'"),
        ("p.tsv", "x\ta\t0.5\nx\ta\t0.5\n", "instance 'x': class 'a' has two scores"),
        ("p.jsonl", '{"id": "x", "scores": {"a": true}}', "p.jsonl:1: a score must be a finite number, got True"),
        ("p.jsonl", '{"id": "x"}', "no 'scores'"),
        ("p.jsonl", '{"id": "x", "scores": {"a": 1}}\n{"id": "y", "scenarios": []}', "p.jsonl:2: no 'scores'"),
        ("p.jsonl", '{"id": "x", "scenarios": [{"labels": ["a"]}]}', "a scenario is"),
        ("p.jsonl", '{"id": "x", "scores": {}}\n{"id": "z", "scores": {}}\n{"id": "x", "scores": {}}', "p.jsonl:3: instance 'x' already occurs at"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_by_place(name, text, message, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(BadInput, match=message):
        read_distribution(tmp_path / name, TREE)
