"""Partials: any partition and any order give the same bytes; strangers and damage are refused."""

import dataclasses
import pickle
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import ClassVar
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, Infeasible, Partial, measure, score, set_measure
from hierpair.evaluation import merge, partial
from hierpair.evaluation.checked import counting_truth
from hierpair.evaluation.partial import MAGIC
from hierpair.evaluation.sums import block_numbers, class_sums
from hierpair.measures import REGISTRY, Column, Counted, Entries, Units, measures_of
from tests import effort
from tests.strategies import problems

MEASURES = [
    "hf", "gie", "hf(average=micro)", "hr(average=macro)", "f(average=weighted)", "recall(average=macro)", "level_accuracy",
    "contribution_f(average=macro, classes=all)", "contribution_precision(average=weighted, theta=3)",
    "contribution_error(average=macro)", "lca_f(average=micro)", "depth_loss", "hp(average=micro)", "tree_induced_error",
]  # fmt: skip
TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
TRUTH, GUESS = [["c"], ["d", "b"], ["b"], ["a"]], [["d"], ["a"], ["b"], ["c", "d"]]
NAN = {"on_infeasible": "nan"}


def with_ids(rows):
    return {f"i{i % 7}-{i:02}": row for i, row in enumerate(rows)}


def sides_of(truth, guess, lo=0, hi=None):
    """Truth and three systems, of instances with ids; some have no pairing under the last."""
    names = list(with_ids(truth))[lo:hi]
    sides = truth, guess, truth[::-1], [[*t, *g] for t, g in zip(truth, guess, strict=True)]
    first, *others = (dict(zip(names, rows[lo:hi], strict=True)) for rows in sides)
    return first, {f"s{k}": labels for k, labels in enumerate(others)}


def summed(hierarchy, truth, guess, weight, lo=0, hi=None, part="all"):
    return partial(hierarchy, *sides_of(truth, guess, lo, hi), MEASURES, part=part,
                   sample_weight=weight[lo:hi], keep_worst=3, blocks=4, **NAN)  # fmt: skip


@given(problems(instances=12), st.data())
@settings(max_examples=effort.cases(120))
def test_any_partition_and_any_order_give_the_same_bits(problem, data):
    """Those of the whole; also with weights that are floats, and what is shown is what score shows."""
    hierarchy, _, truth, guess = problem
    weights = st.one_of(st.integers(0, 3), st.floats(0, 1e9), st.sampled_from([0.1, 1 / 3, 1e-300]))
    weight = data.draw(st.lists(weights, min_size=len(truth), max_size=len(truth)))
    whole = summed(hierarchy, truth, guess, weight)
    cuts = data.draw(st.lists(st.integers(0, len(truth)), max_size=4))
    edges = pairwise(sorted({0, len(truth), *cuts}))
    parts = [summed(hierarchy, truth, guess, weight, lo, hi, f"rows {lo}") for lo, hi in edges]
    parts = data.draw(st.permutations(parts))
    while len(parts) > 1:
        i = data.draw(st.integers(0, len(parts) - 2))
        parts[i : i + 2] = [merge(*parts[i : i + 2])]
    renamed = dataclasses.replace(parts[0], parts=frozenset(["all"]))
    assert renamed.to_bytes() == whole.to_bytes()
    again = Partial.from_bytes(whole.to_bytes())
    assert again.to_bytes() == whole.to_bytes()
    if any(weight):
        found, sides = again.scores(), sides_of(truth, guess)
        wanted = score(hierarchy, *sides, MEASURES, sample_weight=weight, **NAN)
        assert found.values.tobytes() == wanted.values.tobytes()
        for what in ("mean_labels", "notes", "solver_notes", "solved_by"):
            assert getattr(found, what) == getattr(wanted, what)
        assert found.to_json() == whole.scores().to_json()


def test_batches_become_a_part_and_merging_changes_nothing():
    names = [f"id {i}" for i in (3, 10, 2, 1)]
    batches = [partial(TREE, {n: t}, {"s": {n: g}}, MEASURES, **NAN)
               for n, t, g in zip(names, TRUTH, GUESS, strict=True)]  # fmt: skip
    before = [one.to_bytes() for one in batches]
    sides = (dict(zip(names, side, strict=True)) for side in (TRUTH, GUESS))
    wanted = partial(TREE, next(sides), {"s": next(sides)}, MEASURES, part="file 1", **NAN)
    total, again = (merge(*some).as_part("file 1") for some in (batches, batches[::-1]))
    assert total.to_bytes() == wanted.to_bytes() == again.to_bytes()
    assert total.n_instances == 4
    assert [one.to_bytes() for one in batches] == before
    assert merge(total).to_bytes() == total.to_bytes()
    for ask, says in ((lambda: total.as_part("file 2"), "of the parts file 1 already"),
                      (lambda: batches[0].as_part(""), "part must be a text, got ''")):  # fmt: skip
        with pytest.raises(BadInput, match=says):
            ask()


def test_unknown_and_missing_labels_are_counted():
    truth, guess = {"x": ["c", "?"], "y": ["d"]}, {"y_pred": {"x": ["!", "?", "c"]}}
    one = partial(TREE, truth, guess, ["hf"], unknown="drop", missing="empty")
    for found, n in ((one.scores(), 1), (merge(one, one).scores(), 2)):
        assert found.n_unknown == {"y_true": n, "y_pred": 2 * n}
        assert (found.n_missing, found.n_instances) == ({"y_pred": n}, 2 * n)


def test_nothing_seen_is_nan_for_every_measure_and_average():
    tree = Hierarchy.from_edges([("r", "a", 1), ("a", "b", 2)])
    every = [
        measure(n).with_options(average=a)
        for n, d in measures_of("labels").items()
        for a in d.averages
    ]
    every = [m.with_options(reference=["a"]) if counting_truth([m]) else m for m in every]
    nothing = partial(tree, [], [], every)
    assert np.isnan(nothing.scores().values).all()
    assert merge(nothing, nothing).to_bytes() == nothing.to_bytes()
    total, one = (partial(tree, rows, rows, "hf(average='macro')") for rows in ([], [[]]))
    assert merge(total, one).scores().values.tolist() == [[1.0]]  # nothing to find, nothing said


@pytest.mark.exhaustive
def test_partials_are_small_and_hold_no_hierarchy():
    """As large as the classes that occur, however many there are; equal recipes are kept once."""
    wide = Hierarchy.from_edges([("r", f"c{i}") for i in range(100_000)])
    of = ["hp(average=macro)", "hr(average=macro)", "hf(average=weighted)", "hf(average=macro)"]
    one = partial(wide, [["c5"], ["c7"]], [["c5"], ["c9"]], of)
    assert len(one.to_bytes()) < 6_000
    assert len(pickle.dumps(one)) < 20_000
    (by_class,) = one.sums[0].tables.values()
    assert by_class.classes.tolist() == wide.index(["c5", "c7", "c9"]).tolist()


def test_costs_that_are_callables_are_given_again():
    own = measure("gie", cost=lambda pairs: 2 * pairs.distance)
    one = partial(TREE, TRUTH, GUESS, [own])
    with pytest.raises(BadInput):
        Partial.from_bytes(one.to_bytes())
    assert Partial.from_bytes(one.to_bytes(), [own]).scores().values == one.scores().values


@dataclasses.dataclass(frozen=True)
class Shared(Counted):
    """Columns of any names."""

    columns: ClassVar = (Column("array", "a true label", support=True), Column("fraction", "found"))

    def units(self, batch):
        for part in batch.cells("none"):
            found = {"array": part.in_true, "fraction": part.in_true & part.in_pred}
            yield Units(part.first, part.row_ptr, part.column, found)


@patch.dict(REGISTRY)
def test_columns_may_have_any_names():
    @set_measure(formula="x", source="ours", direction="higher", range="[0, 1]", recipe=Shared)
    def own_recall(array, fraction):
        """Mine."""
        return fraction / array.clip(1)

    one = partial(TREE, TRUTH, GUESS, "own_recall(average=macro)", sample_weight=[0.1, 1, 2, 3])
    assert Partial.from_bytes(one.to_bytes()).scores().values == one.scores().values


def test_files_that_measures_read_are_told_apart_by_what_they_hold(tmp_path, monkeypatch):
    """And no others, though they be called like a measure."""
    monkeypatch.chdir(tmp_path)
    named = "hf", """hf(weights="mum's.tsv")""", """gie(cost="matrix('mum.tsv', other=3)")"""
    parts = []
    for k in "12":
        Path("hf").write_text(k)
        Path("mum's.tsv").write_text("".join(f"{c}\t{k}\n" for c in "rabcd"))
        Path("mum.tsv").write_text(f"true\tpredicted\tcost\nc\td\t{k}\n")
        parts.append([partial(TREE, TRUTH, GUESS, name) for name in named])
    assert merge(*(same[0] for same in parts)).n_instances == 8
    for one, other in [*zip(*parts, strict=True)][1:]:
        with pytest.raises(BadInput, match=r"different .* files that measures read, do not"):
            merge(one, other)
    for name in "zwyxvu":
        Path(name).write_text("".join(f"{c}\t1\n" for c in "rabcd"))
    names = [f"hf(weights='{name}')" for name in "zwyxvu"]
    every = [partial(TREE, TRUTH, GUESS, names, part=f"p{k}") for k in range(8)]
    told = every[0].numbering.split(", ")
    assert told == sorted(told)  # in every process, and so are the parts
    assert b'"parts":["p0","p1","p2","p3","p4","p5","p6","p7"]' in merge(*every).to_bytes()


# ------------------------------------------------------------------------------ what is refused

CHAIN, STAR, WIDER, OTHER_NAME, HEAVY = (Hierarchy.from_edges(edges) for edges in (
    [("r", "a"), ("a", "b"), ("b", "c"), ("c", "d")], [("r", "a"), ("r", "b"), ("r", "c"), ("r", "d")],
    [("r", "a"), ("r", "b"), ("a", "c"), ("b", "d")], [("r", "a"), ("r", "b"), ("a", "C"), ("a", "d")],
    [("r", "a", 1), ("r", "b", 1), ("a", "c", 1), ("a", "d", 1)],
))  # fmt: skip


@pytest.mark.parametrize("average", ["samples", "micro", "macro", "weighted"])
@pytest.mark.parametrize("other", [CHAIN, STAR, WIDER, OTHER_NAME, HEAVY])
def test_partials_of_different_hierarchies_do_not_merge(other, average):
    one, two = (partial(h, [["a"]], [["b"]], ["hf"], average=average) for h in (TREE, other))
    for a, b in ((one, two), (two, one), (one, partial(other, [], [], ["hf"], average=average))):
        with pytest.raises(BadInput, match="different hierarchies") as found:
            merge(a, b)
        assert all(h.describe() in str(found.value) for h in (TREE, other))


def test_partials_of_the_same_hierarchy_in_another_order():
    edges = [("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")]
    both = Hierarchy.from_edges(edges), Hierarchy.from_edges(edges[::-1], classes="cb")
    assert both[0].numbering != both[1].numbering
    rows = [([["a"]], [["b"]]), ([["c"], ["b"]], [["b"], ["b"]])]
    chosen = ["hf", "gie", "hf(average='micro')"]
    parts = [partial(h, *row, chosen) for h, row in zip(both, rows, strict=True)]
    whole = partial(both[0], *([*a, *b] for a, b in zip(*rows, strict=True)), chosen)
    assert merge(*parts).to_bytes() == whole.to_bytes()
    macro = [partial(h, *row, "hf(average='macro')") for h, row in zip(both, rows, strict=True)]
    with pytest.raises(BadInput, match="different orders of the classes"):
        merge(*macro)


@pytest.mark.parametrize(("text", "content"), [
    ("hf(weights='file')", "r\t1\na\t2\nb\t1\nc\t1\nd\t1\n"), ("gie(cost=lin('file'))", "c\t1\nd\t1\n"),
    ("gie(cost=matrix('file', other=1))", "true\tpredicted\tcost\nc\td\t2\n"),
    ("hf(weights=ia, reference='file')", "a\nd\n"), ("hf(weights=leaves)", None), ("gie(cost=wu_palmer)", None),
])  # fmt: skip
def test_files_that_measures_read_are_told_by_their_content(tmp_path, monkeypatch, text, content):
    """A word of an option is none, whatever stands in the working folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("file", "leaves", "min"):
        Path(name).write_text(content or "")
    one, again = of(text), of(text)
    for name in ("file", "leaves", "min"):
        Path(name).write_text(f"{content or ''}\n")
    merge(one, again)
    if content is None:
        assert merge(one, of(text)).n_instances == 4
    else:
        with pytest.raises(BadInput, match="files that measures read"):
            merge(one, of(text))


def of(*measures, systems=("s",), **how):
    """A partial of some measures and systems."""
    truth = {"x": ["c"], "y": ["d"]}
    return partial(
        TREE, truth, {name: {"x": ["c"], "y": ["c"]} for name in systems}, measures or ["hf"], **how
    )


def scores_of_parts():
    return of(systems="st").scores()


@pytest.mark.parametrize(("call", "says"), [
    (lambda: merge(of("hf"), of("hf(beta=2)")), r"of hf\(beta=1,.*the other of hf\(beta=2,"),
    (lambda: merge(of("hf", "gie"), of("gie", "hf")), r"of hf.*, gie.*the other of gie.*, hf"),
    (lambda: merge(of("hf"), None), "partials merge with each other, got None"),
    (lambda: partial(TREE, [], [], []), "no measure is given"),
    *((lambda names=names: merge(of(systems="st"), of(systems=names)), r"different systems .* one is of s, t, the other of [st]")
      for names in ("ts", "s")),
    (lambda: partial(TREE, {"x": ["c"]}, {"x": ["d"]}, ["hf"]), "the keys of systems are instance ids"),
    (lambda: merge(merge(of(part="mo"), of(part="tu")), of(part="mo")), "mo, which both partials have; leave one of them out"),
    (lambda: merge(*[merge(*(of(part=x) for x in "decab"))] * 2), "a, b, c, d, e, which both"),
    (lambda: of(part=7), "part must be a text, got 7"),
    *((lambda what=what, a=a, b=b: merge(*(of(**{"blocks": 2, what: x}) for x in (a, b))),
       f"different {what} do not .* of {a}, the other of {b}; make both") for what, a, b in
      (("keep_worst", 1, 2), ("blocks", 2, 3))),
    *((lambda how=how: partial(TREE, ["c"], ["c"], "hf", **how), "tells instances by their ids, and these have none")
      for how in ({"blocks": 2}, {"keep_worst": 2})),
    *((lambda how=how: of(**how), "must be a whole number from 0, at most") for how in
      ({"blocks": -1}, {"keep_worst": 1.5}, {"blocks": True}, {"blocks": 2**20 + 1})),
    *((lambda name=name: of(name), "reference") for name in ("icm", "icm_norm", "hf(weights='ia')", "ru(weights='ic')")),
    (lambda: scores_of_parts().to_csv(per_instance=True), r"values of instances of [st]: .*hierpair\.score"),
    (lambda: scores_of_parts().worst("s", "hf", 1), r"values of instances of [st]: .*hierpair\.score"),
    (lambda: scores_of_parts().per_instance["t"], r"values of instances of [st]: .*hierpair\.score"),
    (lambda: of().scores().worst("s", "hf", 1), "keep_worst"),
    (lambda: of(keep_worst=1).scores().worst("s", "hf", 2), r"only the 1 worst .* and 2 are asked for; .* keep_worst=2"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(call, says):
    with pytest.raises(BadInput, match=says):
        call()


def test_a_part_that_fails_leaves_no_trace():
    chosen = ["hf", "tree_induced_error"]
    before = partial(TREE, ["a"], ["b"], chosen)
    systems = {"s": ["a"] * 4, "bad": [*["a"] * 3, ["a", "b"]]}
    with pytest.raises(Infeasible, match=r"^instance 3: .*system bad.*on_infeasible='nan'"):
        partial(TREE, ["a"] * 4, systems, chosen, chunk=2)
    assert partial(TREE, ["a"], ["b"], chosen).to_bytes() == before.to_bytes()


WHOLE = summed(TREE, TRUTH, GUESS, [0.1, 1, 2, 1e-9], part="é").to_bytes()


@pytest.mark.parametrize(("data", "says"), [
    (b"", "no partial of version 6, .*: they begin with b''"), (b"PK\x03\x04", "no partial"), (pickle.dumps({}), "no partial"),
    (WHOLE[:-1], "damaged"), (WHOLE + b"\0", "damaged"), (WHOLE[:40], "damaged"),
    (WHOLE.replace(MAGIC, MAGIC[:-1] + b"2", 1), "no partial of version 6, which this hierpair reads: they begin with b'hierpair partial 2"),
])  # fmt: skip
def test_bytes_that_are_no_partial(data, says):
    with pytest.raises(BadInput, match=says):
        Partial.from_bytes(data)


@given(st.integers(0, len(WHOLE) * 8 - 1))
@settings(max_examples=effort.cases(100))
def test_a_flipped_bit_is_noticed(at):
    broken = bytearray(WHOLE)
    broken[at // 8] ^= 1 << at % 8
    with pytest.raises(BadInput):
        Partial.from_bytes(bytes(broken))


def test_another_version_is_refused(monkeypatch):
    monkeypatch.setattr("hierpair.measures.named.__version__", "9.9")
    with pytest.raises(BadInput, match=r"a partial is of .*hierpair 1.*, and here .* is .*9\.9"):
        Partial.from_bytes(WHOLE)


# ------------------------------------------------------------------------- worst and blocks


@given(problems(instances=12), st.integers(1, 5))
@settings(max_examples=effort.cases(40))
def test_the_worst_are_those_of_all_values(problem, most):
    hierarchy, _, truth, guess = problem
    truth, guess = with_ids(truth), {"s": with_ids(guess)}
    kept = partial(hierarchy, truth, guess, MEASURES, keep_worst=most, **NAN)
    found = Partial.from_bytes(kept.to_bytes()).scores()
    whole = score(hierarchy, truth, guess, MEASURES, **NAN)
    for k, m in enumerate(whole.measures):
        sign = 1 if m.higher_is_better else -1
        values = zip(whole.per_instance["s"][:, k].tolist(), truth, strict=True)
        wanted = sorted((sign * value, name) for value, name in values if not np.isnan(value))
        assert found.worst("s", m, most) == [name for _, name in wanted[:most]]


@given(problems(instances=12), st.integers(1, 4),
       st.none() | st.lists(st.sampled_from([0.1, 1.0, 3.7, 0]), min_size=12, max_size=12))  # fmt: skip
@settings(max_examples=effort.cases(40))
def test_every_block_is_a_partial_of_its_own(problem, n_blocks, weight):
    """The sums of a block are those of the instances in it."""
    hierarchy, _, truth, guess = problem
    names = list(with_ids(truth))
    weight = None if weight is None else np.array(weight[: len(names)])

    def sums_of(some, **more):
        sides = [{names[i]: rows[i] for i in some} for rows in (truth, guess)]
        how = {"sample_weight": None if weight is None else weight[some], **NAN, **more}
        return partial(hierarchy, sides[0], {"s": sides[1]}, MEASURES, **how).sums[0]

    found = sums_of(np.arange(len(names)), blocks=n_blocks).blocks
    numbers = block_numbers(names, n_blocks)
    assert found.classes.tolist() == sorted({*numbers.tolist()})
    micro = {f"sum {i} {c}" for i in (0, 10) for c in ("n_true", "n_pred", "n_both")}
    assert {*found.limbs} == micro | {
        f"{x} {k}" for x in ("value", "weight") for k in (0, 1, 11, 13)
    }
    for at, block in enumerate(found.classes.tolist()):
        own = sums_of(np.flatnonzero(numbers == block))
        assert {c: found.floats(c)[at] for c in found.limbs} == {
            c: float(own[c]) for c in found.limbs
        }


def test_blocks_are_the_same_everywhere():
    names = [f"instance {i}" for i in range(10_000)]
    found = block_numbers(names, 10)
    assert found[:6].tolist() == [8, 5, 7, 7, 3, 0]
    assert np.bincount(found).min() > 900


# ------------------------------------------------------------------------------- sums by class

NUMBERS = st.one_of(
    st.floats(-1e6, 1e6), st.integers(-(2**52), 2**52).map(float), st.floats(-1e-280, 1e-280),
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e100, max_value=1e100),
)  # fmt: skip


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), NUMBERS), max_size=30),
       st.none() | st.lists(NUMBERS.map(abs), min_size=4, max_size=4), st.integers(0, 30))  # fmt: skip
@settings(max_examples=effort.cases(150))
def test_sums_by_class_against_fractions(rows, weight, cut):
    def sums(some):
        row, number, value = (
            (np.array(x) for x in zip(*some, strict=True)) if some else [np.empty(0)] * 3
        )
        columns = {"x": value, "some": value > 0, "down": -(value > 1).astype(np.int8)}
        entries = Entries(4, row.astype(np.int32), number.astype(np.int32), columns, 5)
        return class_sums(entries, None if weight is None else np.array(weight))

    whole, parts = sums(rows), (sums(rows[:cut]), sums(rows[cut:]))
    for total in (parts[0].plus(parts[1]), parts[1].plus(parts[0])):
        assert total.classes.tolist() == whole.classes.tolist()
        for name, (lowest, limbs) in whole.limbs.items():
            assert total.limbs[name][0] == lowest
            assert total.limbs[name][1].tolist() == limbs.tolist()
    of_value = {"x": lambda v: v, "some": lambda v: float(v > 0), "down": lambda v: -float(v > 1)}
    for name, value in of_value.items():
        exact = Counter()
        for r, n, v in rows:
            exact[n] += Fraction(value(v) * (1 if weight is None else weight[r]))
        for c, found in zip(whole.classes.tolist(), whole.floats(name), strict=True):
            assert found == float(exact[c])


def test_a_sum_of_many_counts_with_long_weights_is_exact():
    """A limb that is taken several times fills the 53 bits of a float sooner."""
    n, times = 1 << 20, 7
    weight = np.full(n, 1 + (2**31 - 1) / 2**31)
    row, number = np.arange(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
    (found,) = class_sums(Entries(n, row, number, {"n": np.full(n, times)}, 1), weight).floats("n")
    assert found == float(n * times * Fraction(weight[0]))
