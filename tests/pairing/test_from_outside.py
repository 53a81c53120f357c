"""A cost and constraints of a user's own: one class each, known to everything at once."""

import json
from contextlib import contextmanager
from itertools import combinations

import numpy as np
import pytest

from hierpair import (
    AS_MANY_AS_THERE_ARE,
    Degree,
    Hierarchy,
    Hops,
    Mass,
    Rule,
    Unmatched,
    explain,
    pair_measure,
    score,
)
from hierpair.cli import main
from hierpair.measures import REGISTRY
from hierpair.pairing import NAMED

OWN = '''
from dataclasses import dataclass

import numpy as np

from hierpair.measures import pair_measure
from hierpair.pairing import Degree, Rule, Unmatched, cost_named, named_cost


@named_cost("squared")
@dataclass(frozen=True)
class Squared:
    """Edges between two classes, to a power."""

    power: float = 2

    def __call__(self, pairs):
        return pairs.distance**self.power


@dataclass(frozen=True)
class SameInitial:
    """Classes are paired only with classes of the same first letter."""

    def __call__(self, builder):
        names = np.array([str(name)[0] for name in builder.pairs.hierarchy.names])
        builder.count("pair", 0, 0, where=names[builder.pairs.predicted] != names[builder.pairs.true])


@dataclass(frozen=True)
class FarPartners:
    """So many partners of a predicted class may be more than two edges away; more cost extra."""

    most: int
    extra: float

    def __call__(self, builder):
        far = np.where(builder.pairs.distance > 2, 0, -1)
        sets = builder.groups("predicted", far, partners="pairs")
        builder.count(sets, 0, self.most, over=self.extra)


@pair_measure()
def few_far(extra: float = 1.5):
    """Every true class needs a partner; a prediction has one far partner, or pays for more."""
    return Rule(cost_named("hops"), (Degree("true", 1, 1), FarPartners(1, extra)))


@pair_measure()
def by_initial(cost="squared", default: float = 100):
    """Best pairing among classes of the same first letter."""
    sides = [c for s in ("predicted", "true") for c in (Degree(s, 1, 1), Unmatched(s, default))]
    return Rule(cost_named(cost), (*sides, SameInitial()))
'''
EDGES = [("r", "a"), ("r", "b"), ("a", "a1"), ("a", "a2"), ("b", "b1"), ("b", "b2")]
TREE = Hierarchy.from_edges(EDGES)
TRUE, GUESS = [["a1"], ["b1"], ["b1"]], [["a2"], ["b1"], ["a1"]]
WANT = [4, 0, 200]


@contextmanager
def own_names():
    """Forget afterwards what is declared meanwhile."""
    known = dict(NAMED)
    yield
    NAMED.clear()
    NAMED.update(known)
    for name in ("by_initial", "few_far"):
        REGISTRY.pop(name, None)


@pytest.fixture
def own():
    with own_names():
        exec(compile(OWN, "own.py", "exec"), {"__name__": __name__})
        yield


@pytest.mark.usefixtures("own")
def test_score_and_explain_know_a_cost_and_a_constraint_of_ones_own():
    found = score(TREE, TRUE, {"s": GUESS}, ["by_initial", "by_initial(cost=squared(power=1))"])
    assert found.per_instance["s"].T.tolist() == [WANT, [2, 0, 200]]
    assert found.measures[0].name == "by_initial"
    # the library's measures know the cost as well
    assert score(TREE, TRUE, {"s": GUESS}, "gie(cost=squared,default=9)").values[0, 0] == 20 / 3
    for want, why in zip(
        WANT, explain(TREE, TRUE, GUESS, "by_initial", instances=range(3)), strict=True
    ):
        assert (why.value, why.evidence.cost, why.evidence.optimal) == (want, want, True)
    assert [p.upper for p in why.evidence.pairs] == [0]


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("extra", [0, 1.5, 10])
def test_a_constraint_counts_over_a_partition_of_its_own(extra):
    """Sets that no constraint of the library has, against all ways of choosing partners."""
    rng = np.random.default_rng(1)
    names = [x for x in TREE.names if x != "r"]
    for _ in range(20):
        true, said = ([*rng.choice(names, rng.integers(1, 4), False).tolist()] for _ in "ab")
        away = TREE.pair_distances(*map(np.ravel, np.meshgrid(*map(TREE.index, (said, true)))))
        away = away.reshape(len(true), len(said))
        cells = [*np.ndindex(away.shape)]
        costs = [
            sum(away[c] for c in chosen)
            + extra * sum(max(0, sum(away[c] > 2 and c[1] == p for c in chosen) - 1) for p in range(len(said)))
            for chosen in combinations(cells, len(true))
            if {t for t, _ in chosen} == {*range(len(true))}
        ]  # fmt: skip
        why = explain(TREE, [true], [said], f"few_far(extra={extra})")[0].evidence
        assert (why.cost, why.optimal) == (min(costs), True)


@pytest.mark.parametrize(
    ("measure_text", "value"), [("by_initial", 204 / 3), ("gie(cost=squared,default=100)", 20 / 3)]
)
def test_a_plugin_of_the_command_line(tmp_path, monkeypatch, capsys, measure_text, value):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "tree.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in EDGES))
    for name, rows in (("true", TRUE), ("guess", GUESS)):
        lines = "".join(f"{i}\t{row[0]}\n" for i, row in enumerate(rows))
        (tmp_path / f"{name}.tsv").write_text(lines)
    files = ["tree.tsv", "true.tsv", "guess.tsv", "--plugin", "own.py", "-m", measure_text]

    def run(verb, *more):
        with own_names():
            assert main([verb, *files, *more]) == 0
        return json.loads(capsys.readouterr().out)

    assert run("score", "--format", "json")["scores"][0]["value"] == value
    why = run("explain", "--format", "json", "--instance", "0")
    assert '"value": 4.0' in json.dumps(why)


@pytest.mark.parametrize(("lower", "more", "n"), [
    (0, (), 1), (None, (), 1), (1, (), 0), ({"b": 1}, (), 0), (0, (Mass("true", 1),), 0),
    (0, (lambda builder: None,), 0), (AS_MANY_AS_THERE_ARE, (), 0),
])  # fmt: skip
def test_a_cost_that_is_never_paid_is_a_note(lower, more, n):
    """Nobody lacks a partner where nobody needs one, of the same side and without masses."""
    sides = () if lower is None else (Degree("true", lower, 2), Degree("predicted", 1, 1))
    rule = Rule(Hops(), (*sides, Unmatched("true", 4), *more))
    assert rule.never_paid == ["Unmatched('true', cost=4)"] * n
    if sides and not more:
        tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])

        @pair_measure(formula="", source="", direction="lower", range="[0, inf)")
        def noted():
            """Mine."""
            return rule

        notes = score(tree, ["a"], {"s": ["b"]}, ["noted", "hf", "gie"]).notes
        assert sum("noted: Unmatched('true', cost=4) is never paid" in x for x in notes) == n
