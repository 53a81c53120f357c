"""The table by level, against a reference that goes through labels one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, score
from hierpair.evaluation import partial
from tests.strategies import problems

COUNTS = ("n", "t", "p", "both", "judged", "right_judged", "leaf")
KINDS = ("right", "stopped", "too_deep", "off_path")


def above(h, labels, root):
    """All ancestors of labels, without the root that does not count."""
    found = {int(a) for c in labels for a in h.ancestor_numbers(int(c))} | {int(c) for c in labels}
    return found if root == "include" else found - {int(h.root_indices[0])}


def reference(h, truth, predicted, weight, root):
    rows = {}
    for true, said, w in zip(truth, predicted, weight, strict=True):
        sides = [above(h, side, root) for side in (true, said)]
        for level in {int(x) for x in h.levels}:
            t, p = ({c for c in side if h.levels[c] == level} for side in sides)
            sums = rows.setdefault(level, dict.fromkeys((*COUNTS, *KINDS), 0.0))
            sums["n"] += bool(t)
            sums["t"] += w * len(t)
            sums["p"] += w * len(p)
            sums["both"] += w * len(t & p)
            sums["judged"] += w * bool(t)
            sums["right_judged"] += w * (bool(t) and t == p)
            kind = (
                "right" if t == p else "stopped" if not p else "too_deep" if not t else "off_path"
            )
            sums[kind] += w * bool(t | p)
            sums["leaf"] += w * any(c not in h.parents for c in p)
    return rows


def shares(a, b):
    return a / b if b else np.nan


@given(problems(instances=6, single_root=True), st.sampled_from(["exclude", "include"]))
def test_every_number_is_that_of_the_reference(problem, root):
    h, _, truth, predicted = problem
    weight = np.arange(1.0, len(truth) + 1)
    systems = {"a": predicted, "b": predicted[::-1]}
    table = score(h, truth, systems, ["hf"], sample_weight=weight).by_level(root=root)
    numbers = [[h.index(row) for row in side] for side in (truth, *systems.values())]
    for k in (0, 1):
        rows = reference(h, numbers[0], numbers[k + 1], weight, root)
        for at, level in enumerate(table.levels):
            r = rows[level]
            every = r["right"] + r["stopped"] + r["too_deep"] + r["off_path"]
            expected = {
                "accuracy": shares(r["right_judged"], r["judged"]),
                "precision": shares(r["both"], r["p"]),
                "recall": shares(r["both"], r["t"]),
                "f1": shares(2 * r["both"], r["t"] + r["p"]),
                **{kind: shares(r[kind], every) for kind in KINDS},
                "answered_leaf": shares(r["leaf"], every),
            }
            assert table.n_instances[at] == r["n"]
            for name, value in expected.items():
                np.testing.assert_allclose(table.values[name][at, k], value, rtol=1e-12)


def test_levels_without_a_class_that_counts_are_left_out():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    scores = score(tree, ["c", "b"], {"s": ["a", "c"]}, ["hf"])
    assert scores.by_level().levels == (1, 2)
    assert scores.by_level(root="include").levels == (0, 1, 2)
    assert scores.by_level().records().to_dicts()[1] == {
        "level": 2, "system": "s", "n_classes": 1, "n_instances": 1, "accuracy": 0.0,
        "precision": 0.0, "recall": 0.0, "f1": 0.0, "right": 0.0, "stopped": 0.5,
        "too_deep": 0.5, "off_path": 0.0, "answered_leaf": 0.5, "signature": scores.by_level().signatures[0],
    }  # fmt: skip
    assert "level  system  instances  accuracy" in scores.by_level().to_text()


def test_scores_of_parts_have_none():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    parts = partial(tree, ["a"], {"s": ["a"]}, ["hf"])
    with pytest.raises(BadInput, match="added up from parts"):
        parts.scores().by_level()


RANKED = {
    "edges": [
        ["life", "Bac"],
        ["Bac", "x"],
        ["x", "E"],
        ["E", "coli"],
        ["life", "Arc"],
        ["Arc", "M"],
    ],
    "ranks": {"Bac": "domain", "Arc": "domain", "E": "genus", "M": "genus", "coli": "species"},
}


def test_levels_are_ranks_where_classes_have_some():
    """x has none, and M is a genus at another depth than E: their ranks are what counts."""
    tree = Hierarchy.of(RANKED)
    truth, said = [["coli"], ["M"], ["E"]], [["E"], ["E"], ["x"]]
    scores = score(
        tree,
        truth,
        {"s": said},
        ["level_f(at_level=genus)", "level_f(at_level=genus,augment=ancestors)"],
    )
    table = scores.by_level()
    assert table.levels == ("domain", "genus", "species")
    assert table.n_instances.tolist() == [3, 3, 1]
    assert table.values["accuracy"][:, 0].tolist() == [2 / 3, 1 / 3, 0]
    assert table.values["stopped"][:, 0].tolist() == [0, 1 / 3, 1]
    assert [row[0] for row in table.records().rows] == ["domain", "genus", "species"]
    flat, grown = scores.per_instance["s"].T
    assert flat.tolist() == [0, 0, 0]
    assert grown.tolist() == [1, 0, 0]
    with pytest.raises(
        BadInput, match="there is no rank 'genera'; it is one of domain, genus, species"
    ):
        score(tree, truth, {"s": said}, "level_f(at_level=genera)")
    plain = Hierarchy.of(RANKED["edges"])
    with pytest.raises(BadInput, match="at_level: there is no rank 'genus'; classes have no ranks"):
        score(plain, truth, {"s": said}, "level_f(at_level=genus)")
