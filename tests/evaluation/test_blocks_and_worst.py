"""What a partial keeps of instances: the worst ones, and sums by block; both exact."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, Partial, score
from hierpair.evaluation import merge, partial
from hierpair.evaluation.sums import Plan, block_columns, block_numbers
from tests import effort
from tests.strategies import problems

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
CHOSEN = ["hf", "gie", "hf(average=micro)", "hp(average=micro)", "hf(average=macro)",
          "tree_induced_error"]  # fmt: skip


def with_ids(rows):
    return {f"i{i % 7}-{i}": row for i, row in enumerate(rows)}


@given(problems(instances=12), st.integers(1, 5))
@settings(max_examples=effort.cases(40), deadline=None)
def test_the_worst_are_those_of_all_values(problem, most):
    hierarchy, _, truth, guess = problem
    truth, guess = with_ids(truth), with_ids(guess)
    how = {"on_infeasible": "nan"}
    found = partial(hierarchy, truth, {"s": guess}, CHOSEN, keep_worst=most, **how).scores()
    whole = score(hierarchy, truth, {"s": guess}, CHOSEN, **how)
    for k, m in enumerate(whole.measures):
        sign = 1 if m.higher_is_better else -1
        values = zip(whole.per_instance["s"][:, k].tolist(), truth, strict=True)
        wanted = sorted((sign * value, name) for value, name in values if not np.isnan(value))
        assert found.worst("s", m, most) == [name for _, name in wanted[:most]]


@pytest.mark.exhaustive
@given(problems(instances=12), st.integers(1, 4),
       st.none() | st.lists(st.sampled_from([0.1, 1.0, 3.7, 0]), min_size=12, max_size=12))  # fmt: skip
@settings(max_examples=effort.cases(40), deadline=None)
def test_every_block_is_a_partial_of_its_own(problem, n_blocks, weight):
    """The sums of a block are those of the instances in it, and all add up to the totals."""
    hierarchy, _, truth, guess = problem
    names = list(with_ids(truth))
    weight = None if weight is None else np.array(weight[: len(names)])
    how = {"on_infeasible": "nan"}

    def of(some, **more):
        sides = [{names[i]: rows[i] for i in some} for rows in (truth, guess)]
        each = None if weight is None else weight[some]
        return partial(
            hierarchy, sides[0], {"s": sides[1]}, CHOSEN, sample_weight=each, **how, **more
        )

    (found,) = of(np.arange(len(names)), blocks=n_blocks, block_seed=3).sums
    numbers = block_numbers(names, n_blocks, 3)
    assert found.blocks.classes.tolist() == sorted({*numbers.tolist()})
    measures = score(hierarchy, truth, guess, CHOSEN, **how).measures
    for at, block in enumerate(found.blocks.classes.tolist()):
        (own,) = of(np.flatnonzero(numbers == block)).sums
        for k, m in enumerate(measures):
            sums = [found.blocks.floats(c)[at] for c in block_columns(measures, k)]
            i = Plan(measures).place[k]
            if m.average == "samples":
                wanted = [own[f"value {k}"], own[f"weight {k}"]]
                assert sums == [float(units) for units in wanted]
            elif m.average == "micro":
                assert sums == [float(own[f"sum {i} {c}"]) for c in m.definition.columns]
            else:
                assert sums == []


def test_blocks_are_the_same_everywhere():
    names = [f"instance {i}" for i in range(10_000)]
    found = block_numbers(names, 10, 0)
    assert found[:6].tolist() == [8, 5, 7, 7, 3, 0]
    assert np.bincount(found).min() > 900
    assert block_numbers(["\ud800", ""], 5, 2**64 - 1).tolist() == [1, 0]
    other = block_numbers(names, 10, 1)
    assert 0.05 < (found == other).mean() < 0.15


def one(**how):
    return partial(TREE, {"x": ["c"], "y": ["d"]}, {"s": {"x": ["c"], "y": ["c"]}}, "hf", **how)


def test_what_was_not_kept_is_refused():
    found = one(keep_worst=1).scores()
    assert found.worst("s", "hf", 1) == ["y"]
    with pytest.raises(BadInput, match=r"only the 1 worst .* and 2 are asked for; .* keep_worst=2"):
        found.worst("s", "hf", 2)
    assert one(keep_worst=3).scores().worst("s", "hf", 9) == ["y", "x"]
    with pytest.raises(BadInput, match="keep_worst"):
        one().scores().worst("s", "hf", 1)


def test_partials_that_keep_other_things_do_not_merge():
    for what, a, b in (("keep_worst", 1, 2), ("blocks", 2, 3), ("block_seed", 0, 1)):
        keys = ({"blocks": 2, what: a}, {"blocks": 2, what: b})
        with pytest.raises(
            BadInput, match=f"different {what} do not .* of {a}, the other of {b}; make both"
        ):
            merge(*(one(**how) for how in keys))


def test_instances_without_ids_have_no_blocks():
    for how in ({"blocks": 2}, {"keep_worst": 2}):
        with pytest.raises(BadInput, match="tells instances by their ids, and these have none"):
            partial(TREE, ["c"], ["c"], "hf", **how)
    for how in (
        {"blocks": -1},
        {"keep_worst": 1.5},
        {"blocks": True},
        {"blocks": 2**20 + 1},
        {"block_seed": 2**64},
    ):
        with pytest.raises(BadInput, match="must be a whole number from 0, below"):
            one(**how)


def test_worst_instances_and_blocks_travel():
    good = one(keep_worst=2, blocks=3)
    again = Partial.from_bytes(good.to_bytes())
    assert again.scores().worst("s", "hf", 2) == ["y", "x"]
    assert again.to_bytes() == good.to_bytes()
    assert again.sums[0].blocks.classes.tolist() == good.sums[0].blocks.classes.tolist()
