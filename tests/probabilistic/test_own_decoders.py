"""A decoder declared outside the package serves decode() and the command line, and no other task."""

from pathlib import Path

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Bottleneck,
    Hierarchy,
    Infeasible,
    LabelDistribution,
    decode,
    pair_measure,
)
from hierpair.cli import main
from hierpair.pairing import (
    AS_MANY_AS_THERE_ARE,
    Cardinality,
    CountCost,
    Degree,
    Forbid,
    Groups,
    Hops,
    Lexicographic,
    MaxDistance,
    Pairs,
    Require,
    Rule,
    Unmatched,
    by_level,
    formulate,
    solve_pairing,
)
from hierpair.probabilistic import Task, decode_hf, decode_pairing, decoder, expected
from hierpair.probabilistic.decoding import DECODERS, candidates
from tests import effort
from tests.probabilistic.test_decoding import subsets
from tests.scenarios import distribution_of, hierarchy_of, random_parents, random_scenarios

TREE = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4"), ("1", "5")])
FIG3 = LabelDistribution.from_leaves([[0.25, 0.2, 0.2, 0.35]], TREE, classes=["2", "3", "4", "5"])
PLUGIN = '''
from hierpair.probabilistic import decode_hf, decoder

@decoder(lambda task: task.formula == "lca_f" and task.options["extension"] == "full")
def mine(task):
    """Not the best for lca_f, but it shows who decoded."""
    return decode_hf(task.full, 2)
'''


@pytest.fixture
def declared():
    """Whatever is declared in a test is gone after it."""
    before = list(DECODERS)
    yield DECODERS
    DECODERS[:] = before


def test_a_decoder_from_outside_is_found_for_its_tasks_alone(declared):
    seen = []

    @decoder(lambda task: task.formula == "hf" and task.options["beta"] == 2)
    def mine(task: Task):
        seen.append(task.measure.name)
        return decode_hf(task.full, 2) if task.options["root"] == "include" else None

    decode(FIG3, "hf")
    assert seen == []
    assert decode(FIG3, "hf(beta=2)").is_exact  # mine gives up, and the library's own is asked
    best = decode(FIG3, "hf(beta=2, root=include)")
    assert seen == ["hf(beta=2)", "hf(beta=2, root='include')"]
    assert best.value.tolist() == decode_hf(FIG3, 2).value.tolist()


def test_the_command_line_uses_a_decoder_of_a_plugin(declared, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("tree.tsv").write_text("r\t1\nr\t2\n1\t3\n1\t4\n1\t5\n")
    Path("p.tsv").write_text("x\t2\t0.25\nx\t3\t0.2\nx\t4\t0.2\nx\t5\t0.35\n")
    Path("mine.py").write_text(PLUGIN)
    command = ["decode", "tree.tsv", "p.tsv", "-m", "lca_f(extension=full)"]
    assert main(command) == 0
    assert "candidates" in capsys.readouterr().err
    assert main([*command, "--plugin", "mine.py"]) == 0
    assert "best classes of every size" in capsys.readouterr().err


# ------------------------------------------------------------------ any rule


def by_listing(rule, hierarchy, distribution):
    """The least expected cost of all sets that have a pairing in every scenario."""
    sets = [[hierarchy.names[c] for c in s] for s in subsets(list(range(len(hierarchy))))]
    best = np.inf
    for chosen in sets:
        cost = 0.0
        for j in range(len(distribution.p)):
            pairs = Pairs.between(
                hierarchy,
                distribution.sets.part(j, j + 1),
                type(distribution.sets).from_labels([chosen], hierarchy),
            )
            problem = formulate(rule, pairs)
            cost += distribution.p[j] * solve_pairing(problem, on_infeasible="nan").cost[0]
        best = min(best, np.nan_to_num(cost, nan=np.inf))
    return best


def both(lower, upper, cost):
    sides = ("predicted", "true")
    return (*(Degree(s, lower, upper) for s in sides), *(Unmatched(s, cost) for s in sides))


RULES = {
    "one to one": Rule(Hops(), both(1, 1, 2)),
    "two partners wanted": Rule(Hops(), both(2, 3, 1.5)),
    "at least one true partner": Rule(
        Hops(), (Degree("predicted", 1, 1), Degree("true", 1, 2), Unmatched("true", 3))
    ),
    "at most one pair": Rule(Hops(), (*both(1, 1, 2), Cardinality(0, 1))),
    "at least one pair": Rule(Hops(), (*both(1, 2, 4), Cardinality(1, None))),
    "near pairs": Rule(Hops(), (*both(1, None, 3), MaxDistance(1))),
    "not the same": Rule(Hops(), (*both(1, 1, 3), Forbid(lambda p: p.predicted == p.true))),
    "the same": Rule(Hops(), (*both(1, 2, 3), Require(lambda p: p.predicted == p.true))),
    "by name": Rule(Hops(), (*both(1, 1, 2), Degree("true", 1, 1, where=(1,)))),
    "a cost of each class": Rule(
        Hops(),
        (
            Degree("predicted", 1, 1),
            Degree("true", 1, 1),
            Unmatched("predicted", lambda labels: 1.0 + labels.classes),
            Unmatched("true", lambda labels: 4.0 / (1 + labels.classes)),
        ),
    ),
}


@pytest.mark.exhaustive
@pytest.mark.random_cases
@pytest.mark.parametrize("name", RULES)
def test_no_set_costs_less_under_any_rule(name):
    rng = np.random.default_rng(61)
    for k in range(6 if effort.exhaustive else 2):
        parents = random_parents(rng, 4, dag=bool(k % 2))
        hierarchy = hierarchy_of(parents)
        distribution = distribution_of(
            [random_scenarios(rng, parents, several=bool(k % 3))], hierarchy
        )
        least = by_listing(RULES[name], hierarchy, distribution)
        if np.isinf(least):  # such as a pair wanted where nothing may be true
            with pytest.raises(Infeasible, match="no prediction has a pairing in every scenario"):
                decode_pairing(distribution, RULES[name])
            continue
        best = decode_pairing(distribution, RULES[name])
        assert best.is_exact
        assert best.value[0] == pytest.approx(least, abs=1e-7)
        assert best.certificate.bound[0] == pytest.approx(least, abs=1e-6)


NOT_EXPRESSED = {
    "groups": Rule(Hops(), (*both(1, 1, 2), Groups("true", by_level, 1))),
    "lexicographic": Rule(Lexicographic((Hops(), Hops())), both(1, 1, 2)),
    "counts": Rule(Hops(), (*both(1, 1, 2), CountCost("true", (0, 0, 1)))),
    "soft": Rule(Hops(), (Degree("true", 1, under=2),)),
    "everybody": Rule(Hops(), (Degree("true", AS_MANY_AS_THERE_ARE),)),
    "cost of a set": Rule(lambda p: p.distance + len(p.predicted_labels.classes), both(1, 1, 5)),
    "total": Rule(Hops(), (*both(1, 1, 2), Cardinality(0, lambda some: some.n_predicted - 1))),
    "tighter": Rule(  # nothing would be predicted, which costs the same either way
        Hops(), (*both(1, 1, 2), Cardinality(0, lambda some: np.where(some.n_predicted > 1, 0, 9)))
    ),
    "impossible": Rule(
        Hops(),
        (
            *both(1, 1, 2),
            Forbid(lambda p: p.predicted == p.true),
            Require(lambda p: p.predicted == p.true),
        ),
    ),
    "largest": Rule(Bottleneck(Hops()), both(1, 1, 2)),
    "own": Rule(
        Hops(), (*both(1, 1, 2), lambda builder: builder.count("pair", 0, 2, carried=True))
    ),
}


@pytest.mark.parametrize("name", NOT_EXPRESSED)
def test_a_rule_that_the_program_cannot_express_is_refused(name):
    with pytest.raises(BadInput, match="cannot be decoded exactly: groups of labels"):
        decode_pairing(FIG3, NOT_EXPRESSED[name])


def test_a_cost_that_hides_what_it_depends_on_is_refused_by_its_value():
    """Alone the last class costs what it costs among all; between two it costs more."""

    def crowded(pairs):
        n_predicted = np.diff(pairs.predicted_labels.ptr)[pairs.instance]
        return pairs.distance + 0.25 * ((n_predicted > 1) & (n_predicted < 6))

    rule = Rule(crowded, both(1, 1, 1))
    several = LabelDistribution.from_scenarios([[(1.0, ["3", "2"])]], TREE)
    with pytest.raises(BadInput, match="cannot be decoded exactly"):
        decode_pairing(several, rule)


@pytest.mark.parametrize("rule", ["counts", "largest"])
def test_measures_whose_rule_the_program_cannot_express_are_not_called_exact(rule):
    @pair_measure(name=f"of_{rule}")
    def mine():
        """A further partner costs extra, or the dearest pair counts alone."""
        return NOT_EXPRESSED[rule]

    best = decode(FIG3, f"of_{rule}")
    assert not best.is_exact
    worth = expected(FIG3, [best.sets.names_of(0, TREE)], f"of_{rule}")
    assert best.value[0] == pytest.approx(worth.value, abs=1e-12)


def test_candidates_of_measures_of_paths_keep_the_most_probable_class_of_a_level():
    """Class 4 has a higher probability than 3 and 5, and no threshold separates it from them."""
    several = LabelDistribution.from_scenarios(
        [[(0.34, ["1", "4"]), (0.33, ["1", "3"]), (0.33, ["1", "5"])]], TREE
    )
    best = decode(several, "full_path_accuracy")
    assert best.value[0] == pytest.approx(0.34)
    scores = several.label_marginals().closed("max")
    sets = scores.above(0.1)
    kept = candidates._best_of_level(scores, sets)
    assert [TREE.names[c] for c in sets.indices[kept]] == ["r", "1", "4"]
