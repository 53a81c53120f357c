"""Amounts that labels come with, and lists in which classes come again, against loops over dicts."""

import itertools

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Hierarchy,
    Infeasible,
    LabelSets,
    score,
)
from hierpair.io import read_labels
from hierpair.labels import Columns
from hierpair.measures import measure
from tests.everything import random_problem
from tests.measures.test_definitions import Data
from tests.oracles.classes import Classes
from tests.oracles.measures import values

SHAPES = {
    "tree": {}, "forest": {"roots": 3}, "DAG": {"parents": 3},
    "edge lengths": {"weights": (0.5, 1.0, 2.25)},
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_amounts_that_labels_come_with(shape, tmp_path):
    """In every form, against shares of their sum; unweighted UniFrac and hF see only which."""
    problem, rng = random_problem(shape, 5, **SHAPES[shape]), np.random.default_rng(5)
    tree, h = problem.fresh()[0], Classes(problem.edges, problem.classes)
    sides = [
        {f"i{k}": {c: float(rng.integers(1, 9)) for c in labels} for k, labels in enumerate(side)}
        for side in (problem.y_true, problem.y_pred)
    ]
    truth, said = (LabelSets.from_amounts(side, tree) for side in sides)
    options = "lengths=weights" if shape == "edge lengths" else "lengths=depth"
    names = [f"{x}_unifrac({options})" for x in ("weighted", "normalised", "unweighted")]
    names += ["bray_curtis(at_level=1)", "abundance_l1(at_level=2)", "count_f", "hf"]
    found = score(tree, truth, {"s": said}, names).per_instance["s"]
    rows = list(zip(*(side.values() for side in sides), strict=True))
    for name, got in zip(names, found.T, strict=True):
        m = measure(name)
        wanted, _ = values(m.definition.name, h, rows, m.options, Data(h, problem.y_true))
        assert got == pytest.approx([float(x) for x in wanted], abs=1e-9), name
    cells = [(i, c, v) for i, of in sides[1].items() for c, v in of.items()]
    cells = [cells[k] for k in rng.permutation(len(cells))]
    cells += [(i, "", "") for i, of in sides[1].items() if not of]
    path = tmp_path / "said.csv"
    path.write_text("".join(f"{i},{c},{v}\n" for i, c, v in [("id", "label", "share"), *cells]))
    read = read_labels(path, tree, columns=Columns(long=True, score="share", amounts=True))
    assert score(tree, truth, {"s": read}, names).per_instance["s"].tolist() == found.tolist()


def test_amounts_are_checked():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    for bad in (-1, float("nan"), float("inf"), "much", None, True):
        with pytest.raises(BadInput, match="instance 'x', class 'a': an amount must be a number"):
            LabelSets.from_amounts({"x": {"b": 1, "a": bad}}, tree)
    sets = LabelSets.from_amounts([{"a": 0, "b": 2}], tree)
    assert (sets.names_of(0, tree), sets.amounts.tolist()) == (["b"], [2.0])
    with pytest.raises(BadInput, match="here they have even shares; weighted_unifrac takes"):
        score(tree, sets, {"s": ["a"]}, "tree_wasserstein")


@pytest.mark.parametrize("cost", ["height", "lin(intrinsic=seco)"])
@pytest.mark.parametrize("shape", ["tree", "forest", "DAG"])
def test_average_precision_of_lists_in_which_classes_come_again(shape, cost):
    """Relevance lists one by one, of few levels and of many; also from a file of labels."""
    tree, *_ = random_problem(shape, 4, n=14, **SHAPES[shape]).fresh()
    rng, names = np.random.default_rng(2), list(tree.names)
    truth = rng.choice(names, 30).tolist()
    lists = [rng.choice([*names[-8:], y], rng.integers(0, 25)).tolist() for y in truth]
    every = list(itertools.product(names, names))
    far = dict(zip(every, score(
        tree, [[d] for _, d in every], {"s": [[c] for c, _ in every]}, [f"mean_cost(cost={cost})"],
        on_infeasible="nan",
    ).per_instance["s"][:, 0].tolist(), strict=True))  # fmt: skip
    name, wanted = f"retrieved_average_precision(cost={cost},largest=0.75)", []
    for y, items in zip(truth, lists, strict=True):
        rel = [0 if np.isnan(far[c, y]) else max(0, 1 - far[c, y] / 0.75) for c in items]
        rank = [sum(min(rel[j], x) for x in rel[: j + 1]) / (j + 1) for j in range(len(rel))]
        wanted.append(sum(rank) / sum(rel) if sum(rel) else 0)
    found = score(tree, truth, {"s": lists}, [name])
    assert found.per_instance["s"][:, 0] == pytest.approx(wanted)
    assert 0.1 < found.values[0, 0] < 0.9
    with pytest.raises(Infeasible, match="compared with one true class, and there are 2"):
        score(tree, [names[-2:]], {"s": [["a"] * 0]}, [name])
