"""Distributions and scores of classes: built, checked, repaired, read; how far laws are apart."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import hierpair as hp
from hierpair import BadInput, Hierarchy, LabelDistribution, NodeScores, read_distribution
from hierpair.labels.node_scores import raised_scores
from hierpair.probabilistic import expected, read_scored_labels, wasserstein_distances
from tests import effort
from tests.oracles.distributions import ancestors, closed
from tests.oracles.scored_classes import propagated
from tests.scenarios import distribution_of, hierarchy_of, random_parents, random_scenarios
from tests.scoring import values

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
KINDS = ({}, {"forest": True}, {"dag": True})


def as_dict(scores, i=0):
    row = scores.dense()[i]
    return {name: row[k] for k, name in enumerate(scores.hierarchy.names) if row[k]}


@pytest.mark.random_cases
@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("kind", KINDS, ids=("tree", "forest", "dag"))
def test_marginals_add_up_and_laws_over_single_paths_come_back_from_them(kind, several):
    rng = np.random.default_rng(1)
    for _ in range(effort.cases(150)):
        parents = random_parents(rng, int(rng.integers(2, 10)), **kind)
        hierarchy = hierarchy_of(parents)
        rows = [random_scenarios(rng, parents, several=several) for _ in range(3)]
        if not several and "forest" in kind and rng.random() < 0.5:
            p, labels = rows[0][0]
            rows[0] = [(p / 2, labels), *rows[0][1:], (p / 2, [])]
        law = distribution_of(rows, hierarchy)
        assert law.is_single_path or several
        dense, flat = law.marginals().dense(), law.label_marginals().dense()
        for i, row in enumerate(rows):
            for k, v in enumerate(hierarchy.names):
                want = sum(p for p, ys in row if v in closed(parents, ys))
                said = sum(p for p, ys in row if v in ys)
                found = [dense[i, k], flat[i, k]]
                assert found == pytest.approx([float(want), float(said)], abs=1e-12)
        if several:
            continue
        back = LabelDistribution.from_nodes(dense, hierarchy)
        for i, row in enumerate(rows):
            lo, hi = back.indptr[i : i + 2]
            some = [j for j in range(lo, hi) if back.p[j] > 1e-9]
            got = {tuple(back.sets.names_of(j, hierarchy)): back.p[j] for j in some}
            assert got == pytest.approx({tuple(ys): float(p) for p, ys in row}, abs=1e-9)


@pytest.mark.random_cases
@pytest.mark.parametrize("kind", KINDS, ids=("tree", "forest", "dag"))
def test_repairs_lift_parents_or_lower_children(kind, monkeypatch):
    """To the best below, to the least above, or where a class has no score of its own; in parts."""
    rng = np.random.default_rng(3)
    for _ in range(effort.cases(300)):
        n = int(rng.integers(2, 9))
        parents, how = (
            random_parents(rng, n, **kind),
            {"classes": list(range(n)), "with_root": False},
        )
        table = np.round(rng.random((6, n)) * (rng.random((6, n)) < 0.7), 1)
        scores = NodeScores.from_array(table, hierarchy_of(parents), **how)
        names = scores.hierarchy.names
        monkeypatch.setattr("hierpair.labels.node_scores.CELLS", int(rng.integers(1, 4 * n)))
        found = {how: scores.closed(how) for how in ("max", "fill", "min")}
        for how, repaired in found.items():
            for row, given in zip(repaired.dense().tolist(), table.tolist(), strict=True):
                want = propagated(parents, dict(enumerate(given)), how if how != "min" else None)
                if how == "min":
                    want = {v: min(given[u] for u in ancestors(parents, v)) for v in parents}
                assert row == [want.get(v, 0.0) for v in names]
        given = scores.hierarchy, scores.indptr, scores.indices, scores.values
        lifted = [*raised_scores(*given, "max")]
        assert [part.rows[0] for part in lifted[1:]] == [part.rows[1] for part in lifted[:-1]]
        gaps = [row[v] - row[p] for row in table for v in parents for p in parents[v]]
        assert scores.incoherence()[0] == pytest.approx(max([0.0, *gaps]), abs=1e-15)
        assert scores.is_coherent() == (max([0.0, *gaps]) <= 1e-6)
        assert found["max"].is_coherent() == found["min"].is_coherent() is True
        assert scores.closed(None) is scores


@pytest.mark.parametrize(("row", "want"), [
    ([0.9, 0.6, 0.6, 0.6], {"r": 1, "a": 0.6, "b": 0.4, "c": 0.3, "d": 0.3}),
    ([0.6, 0.4, 0.3, 0.2], {"r": 1, "a": 0.6, "b": 0.4, "c": 0.3, "d": 0.2}),
])  # fmt: skip
def test_rescaling_gives_children_what_their_parent_has(row, want):
    law = LabelDistribution.from_nodes([row], TREE, classes="abcd", excess="rescale")
    assert as_dict(law.marginals()) == pytest.approx(want)


def test_the_columns_of_a_frame_are_the_classes_that_they_name():
    for columns, want in (("dcb", "dcb"), ("cda", "cda"), (range(3), "bcd")):
        law = LabelDistribution.from_leaves(
            pd.DataFrame([[0.5, 0.3, 0.2]], columns=[*columns]), TREE
        )
        assert as_dict(law.label_marginals()) == dict(zip(want, (0.5, 0.3, 0.2), strict=True))


def test_sampling_follows_the_law_and_the_seed():
    rows = [[(1, ["c"])], [(0.25, ["a"]), (0, ["b"]), (0.75, ["c"])]]
    distribution = LabelDistribution.from_scenarios(rows, TREE)
    drawn = distribution.sample(20_000, seed=5)
    assert (drawn[0] == 0).all()
    share = np.bincount(drawn[1], minlength=4) / 20_000
    assert share[2] == 0
    assert share[1] == pytest.approx(0.25, abs=0.015)
    assert (distribution.sample(20, seed=5) == distribution.sample(20, seed=5)).all()
    assert (distribution.sample(20, seed=5) != distribution.sample(20, seed=6)).any()


def test_scores_of_nothing_but_zeros():
    """In a forest, where no root is certain, nothing at all is left of them."""
    forest = Hierarchy.from_edges([("r1", "a"), ("r2", "b")])
    scores = NodeScores.from_array(np.zeros((2, len(forest))), forest)
    assert not len(scores.values)
    assert scores.at(np.array([0, 1]), np.array([1, 2])).tolist() == [0.0, 0.0]


LAW = LabelDistribution
STRANGE = NodeScores.from_array(  # as many classes as TREE
    [[0.5, 0.5]], Hierarchy.from_edges([("s", c) for c in "wxyz"]), classes="yz", with_root=False
)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: LAW.from_leaves([[0.5, 0.5, 0], [0.4, 0.5, 0]], TREE),
     r"instance 1: the probabilities add up to 0\.9, not 1"),
    (lambda: LAW.from_leaves([[1.5, 0, 0]], TREE), "instance 0, class 'b': a score must be in"),
    (lambda: LAW.from_nodes([[0.5, 0.5, 0.6, 0]], TREE, classes="abcd"),
     r"class 'c' is more probable than its parent 'a' \(by 0\.1\)"),
    (lambda: LAW.from_nodes([[0.5, 0.5, 0.4, 0.4]], TREE, classes="abcd"),
     r"below class 'a' adds up to 0\.3 more than it has"),
    (lambda: NodeScores.from_array([[0, 0]], TREE, classes=["a", "a"]), "two columns of the matrix are called 'a'"),
    (lambda: NodeScores.from_array([[0, 0]], TREE, classes=["a", "x"]), "class 'x' is not in the hierarchy"),
    (lambda: NodeScores.from_array([[0.0, 0.0]], TREE), "a row per instance"),
    (lambda: NodeScores.from_array([[0.5]], TREE, classes=["a"]).closed("mean"), "closure must be"),
    (lambda: LAW.from_scenarios({"x": [(0.5, ["zz"]), (0.5, [])]}, TREE), "instance 'x'"),
    *((lambda build=build: build(STRANGE, TREE), "these scores belong to another hierarchy") for build in (LAW.from_leaves, LAW.from_nodes)),
    (lambda: LAW.from_sets(TREE, [0, 1], np.ones(1), hp.LabelSets.from_labels(["y"], STRANGE.hierarchy)), "belong to another hierarchy"),
    (lambda: LAW.from_sets(TREE, [0, 1], np.full(2, 0.5), hp.LabelSets.from_labels(["a", "b"], TREE)), "2 probabilities, 2 label sets, and indptr ends at 1"),
])  # fmt: skip
def test_what_is_no_law_is_refused_by_instance_and_class(call, message):
    with pytest.raises(BadInput, match=message):
        call()


# ------------------------------------------------------------------------------------ files


def written(folder, kind, table):
    names = {"classes": np.array(list("bcd")), "ids": np.array(["x", "y"])}
    path = folder / {"long": "p.tsv", "jsonl": "p.jsonl"}.get(kind, "p.npz")
    rows = [dict(zip("bcd", row, strict=True)) for row in table.tolist()]
    if kind == "npz":
        np.savez(path, p=table, **names)
    elif kind == "sparse":
        sp.save_npz(path, sp.csr_array(table))
        np.savez(path, **dict(np.load(path)), **names)
    elif kind == "long":
        cells = [
            f"{i}\t{c}\t{x}\n" for i, row in zip("xy", rows, strict=True) for c, x in row.items()
        ]
        path.write_text("id\tlabel\tscore\n" + "".join(cells))
    else:
        lines = [json.dumps({"id": i, "scores": row}) for i, row in zip("xy", rows, strict=True)]
        path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("kind", ["npz", "sparse", "long", "jsonl"])
def test_every_format_gives_the_same_law(kind, tmp_path):
    table = np.array([[0.25, 0.5, 0.25], [1, 0, 0]])
    path = written(tmp_path, kind, table)
    law, scores = read_distribution(path, TREE), hp.read_scores(path, TREE)
    direct = LabelDistribution.from_leaves(table, TREE, classes="bcd")
    assert law.ids == ("x", "y")
    assert (law.marginals().dense() == direct.marginals().dense()).all()
    assert scores.dense()[:, TREE.index("rbcd")].tolist() == np.c_[[1, 1], table].tolist()
    if kind in ("npz", "sparse"):  # measures of scores take a matrix as they do in memory
        assert (read_scored_labels(path, TREE).dense() == direct.marginals().dense()).all()


def test_laws_over_nodes_and_scenarios_are_read(tmp_path):
    path = tmp_path / "p.tsv"
    path.write_text("x\ta\t0.75\nx\tb\t0.25\nx\tc\t0.5\n")
    distribution = read_distribution(path, TREE, over="nodes")
    found = {distribution.sets.names_of(j, TREE)[0]: float(distribution.p[j]) for j in range(3)}
    assert found == {"a": 0.25, "b": 0.25, "c": 0.5}
    with pytest.raises(BadInput, match=r"add up to 1\.5, not 1.*over='nodes' is the other reading"):
        read_distribution(path, TREE)
    path, rows = tmp_path / "s.jsonl", [{"p": 0.5, "labels": y} for y in (["c", "b"], [])]
    path.write_text(json.dumps({"id": "x", "scenarios": rows}))
    distribution = read_distribution(path, TREE)
    assert as_dict(distribution.marginals()) == {"r": 0.5, "a": 0.5, "b": 0.5, "c": 0.5}
    with pytest.raises(BadInput, match="holds scenarios"):
        hp.read_scores(path, TREE)


@pytest.mark.parametrize(("text", "message"), [
    ("x\ta\t0.5\nx\tzz\t0.5\n", "instance 'x': class 'zz' is not in the hierarchy"),
    ("x\ta\t1.5\n", r"p.tsv:1, instance 'x', class 'a': .* in \[0, 1\], got 1.5"),
    ("x\ta\n", "p.tsv:1: expected id TAB label TAB score"),
    ("id\tlabel\tscore\n", "p.tsv: the file has no instances"),
    ("x\ta\tnan\n", "got 'nan'"),
    ("x\ta\t0.5\nx\ta\t0.5\n", "instance 'x': class 'a' has two scores"),
    ('{"id": "x", "scores": {"a": true}}', "p.jsonl:1: a score must be a finite number, got True"),
    ('{"id": "x"}', "no 'scores'"),
    ('{"id": "x", "scores": {"a": 1}}\n{"id": "y", "scenarios": []}', "p.jsonl:2: no 'scores'"),
    ('{"id": "x", "scenarios": [{"labels": ["a"]}]}', "a scenario is"),
    ('{"id": "x", "scenarios": [{"p": 0.5, "labels": ["a"]}]}', "p.jsonl: instance 'x': the probabilities add up to 0.5"),
    *((f'{{"id": {x}, "scenarios": [{{"p": 1, "labels": ["a"]}}]}}\n{{"id": {y}, "scenarios": []}}', "p.jsonl:2: id must be a text or a whole")
      for x, y in (('"x"', '"x"'), (1, 1.5))),
    ('{"id": "x", "scores": {}}\n{"id": "z", "scores": {}}\n{"id": "x", "scores": {}}',
     "p.jsonl:3: instance 'x' already occurs at"),
])  # fmt: skip
def test_bad_files_are_refused_by_place(text, message, tmp_path):
    path = tmp_path / ("p.jsonl" if text.startswith("{") else "p.tsv")
    path.write_text(text)
    with pytest.raises(BadInput, match=message):
        read_distribution(path, TREE)


# ------------------------------------------------------- how far laws and label sets are apart

DAG = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("a", "d"), ("b", "e")])
FOREST = Hierarchy.from_edges([("r", "a"), ("s", "b")])


@pytest.mark.parametrize("hierarchy", [TREE, DAG])
@pytest.mark.parametrize("cost", ["hops", "wu_palmer"])
def test_what_is_explained_is_what_was_scored(hierarchy, cost):
    """What is moved costs what the prices of both classes add up to, and nothing else less."""
    rng = np.random.default_rng(4)
    drawn = [rng.choice(hierarchy.names, k, replace=False).tolist() for k in rng.integers(1, 4, 16)]
    sides = drawn[:8], drawn[8:]
    scored = values("tree_wasserstein", hierarchy, *sides, cost=cost)
    for why in hp.explain(hierarchy, *sides, f"tree_wasserstein(cost={cost})", instances=range(8)):
        e = why.evidence
        assert why.value == scored[why.instance]
        assert e.optimal
        assert e.bound == pytest.approx(why.value, abs=1e-12)
        for rows in (e.predicted, e.true):
            assert sum(row.units for row in rows) == e.whole
        for i, row in enumerate(e.counted):
            assert sum(m.units for m in e.pairs if i in (m.tail, m.head)) == row.units
        for m in e.pairs:
            prices = e.counted[m.tail].price + e.counted[m.head].price
            assert m.cost == pytest.approx(prices, abs=1e-9) if m.units else m.cost >= prices - 1e-9


def test_a_law_against_a_label_is_the_expected_distance():
    """Against even shares of labels it is that of the sets, either way round."""
    rng = np.random.default_rng(5)
    for dag in (False, True):
        hierarchy = hierarchy_of(random_parents(rng, 15, dag=dag))
        p = rng.dirichlet(np.ones(15), 8)
        law = LabelDistribution.from_leaves(p, hierarchy, classes=list(range(15)))
        labels = [[int(v)] for v in rng.integers(0, 15, 8)]
        want = expected(law, labels, "shortest_path").values
        assert wasserstein_distances(law, labels) == pytest.approx(want, abs=1e-12)
        sets = [rng.choice(15, 3, replace=False).tolist() for _ in range(8)]
        shares = [[(1 / 3, [v]) for v in s] for s in sets]
        even = LabelDistribution.from_scenarios(shares, hierarchy)
        assert wasserstein_distances(even, sets) == pytest.approx(np.zeros(8), abs=1e-12)
        one = wasserstein_distances(law, sets)
        for both in ((law, even), (even, law)):
            assert wasserstein_distances(*both) == pytest.approx(one, abs=1e-12)


SINGLE = LAW.from_leaves([[0, 1, 0]], TREE)
OTHER = LAW.from_leaves([[1.0, 0]], FOREST)
SOME = LAW.from_scenarios({"x": [(0.5, ["c"]), (0.5, [])]}, TREE)
ALONE = {name: LAW.from_scenarios({name: [(1, ["c"])]}, TREE) for name in "xy"}


@pytest.mark.parametrize(("one", "other", "how", "message"), [
    (SINGLE, OTHER, {}, "the same hierarchy"), ([["c"]], SINGLE, {}, "expected a LabelDistribution"),
    (SINGLE, LAW.from_scenarios([[(1, ["c", "d"])]], TREE), {}, "expected a LabelDistribution over single labels"),
    (SINGLE, SOME, {}, "instance 'x': no label has the probability 0.5"),
    (SINGLE, [["c"], ["d"]], {}, "both sides must have the same instances"),
    (ALONE["x"], ALONE["y"], {}, "both sides must have the same instances"),
    (SINGLE, SINGLE, {"default": -1}, "default must be a finite number > 0"),
    (OTHER, [["b"]], {}, "instance 0: some of the mass has no way"),
])  # fmt: skip
def test_laws_that_do_not_fit_are_refused(one, other, how, message):
    with pytest.raises((BadInput, hp.Infeasible), match=message):
        wasserstein_distances(one, other, **how)


def test_what_has_no_way_costs_a_default():
    assert wasserstein_distances(OTHER, [["b"]], default=2).tolist() == [6]
    assert wasserstein_distances(ALONE["x"], ALONE["x"]).tolist() == [0]
    assert np.isnan(wasserstein_distances(SINGLE, [[]])).all()
    assert wasserstein_distances(SINGLE, [[]], default=2).tolist() == [2]


def test_a_whole_default_does_not_make_lengths_whole():
    forest = Hierarchy.from_edges([("r", "a", 0.5), ("s", "b", 0.25)], roots="any")
    for cost, found in (("weights", 2.75), ("decayed(w0=0.5)", 3)):
        m = hp.measure("tree_wasserstein", cost=cost, default=1)
        assert hp.score(forest, ["a"], {"s": ["b"]}, m).values == found
