"""Measures with costs inside their names, and measures that are declared twice."""

import inspect
import sys
import types

import pytest

from hierpair import (
    BadInput,
    Degree,
    Hierarchy,
    Hops,
    Rule,
    measure,
    metrics,
    pair_measure,
    score,
    set_measure,
)
from hierpair.measures import Option

TREE = Hierarchy.from_edges([("r", "a"), ("r", "d"), ("a", "b"), ("a", "c")])


def test_two_options_never_share_a_name():
    def declare(name, option, function="mine"):
        def mine(n_true, **_):
            return 0.0 * n_true

        mine.__signature__ = inspect.Signature([
            inspect.Parameter("n_true", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=1),
        ])  # fmt: skip
        words = {"formula": "", "source": "", "direction": "higher", "range": "", "name": function}
        return set_measure(**words)(option(mine))

    declare("strict", Option("strict", "how strict it is", kind=float))
    declare("strict", Option("strict", "how strict it is", kind=float), "yours")  # the same one
    with pytest.raises(BadInput, match=r"there is already an option 'strict' \(how strict it is\)"):
        declare("strict", Option("strict", "something else", kind=float), "theirs")
    with pytest.raises(
        BadInput, match=r"there is already an option 'beta' \(weight of recall in F"
    ):
        declare("beta", Option("beta", "something else", kind=float), "theirs")
    with pytest.raises(BadInput, match="has a record of the option 'strikt', and no parameter"):
        declare("strict", Option("strikt", "how strict it is"), "theirs")


@pytest.mark.parametrize(
    ("texts", "canonical"),
    [
        (
            ("gie(cost=decayed(w0=0.25))", "gie(cost='decayed(w0=0.25)')",
             "gie( cost = decayed( w0 = .25 , depth = mean ) )", "gie(cost=decayed(0.25))"),
            "gie(cost=\"decayed(w0=0.25,depth='mean',normalise='none')\")",
        ),
        (
            ("mgia(cost=wu_palmer(depth=max),default=1)", "mgia(default=1, cost='wu_palmer(depth=max)')"),
            "mgia(cost=\"wu_palmer(depth='max')\", default=1)",
        ),
        (("gie(cost=decayed(w0=1))", "gie(cost=decayed(w0=1.0))"),
         "gie(cost=\"decayed(w0=1,depth='mean',normalise='none')\")"),
        (("gie(cost=hops())", "gie(cost='hops()')", "gie(cost=hops)", "gie()"), "gie"),
    ],
)  # fmt: skip
def test_costs_with_options_inside_measures_with_or_without_quotes(texts, canonical):
    for text in texts:
        m = measure(text)
        assert m.name == canonical
        assert measure(m.name) == m
        assert measure(m.signature.partition("|")[0]) == m
        assert m.signature == measure(texts[0]).signature


def test_costs_inside_measures_from_files(tmp_path):
    path = tmp_path / "counts.tsv"
    path.write_text("b\t1\nc\t3\nd\t2\n")
    for text in (f"gie(cost=lin('{path}'), default=1)", f"gie(cost=\"lin('{path}')\", default=1)"):
        m = measure(text)
        assert measure(m.name) == m
        assert score(TREE, [["b"]], {"s": [["c"]]}, [m]).values[0, 0] > 0
    with pytest.raises(BadInput, match="a cost from a file like matrix"):
        measure("gie(cost=lin(counts.tsv))")


def in_module(name, text, monkeypatch, filename="<cell>"):
    module = sys.modules.get(name) or types.ModuleType(name)
    monkeypatch.setitem(sys.modules, name, module)
    exec(compile(text, filename, "exec"), module.__dict__)


CELL = """
from hierpair import Unmatched, Hops, Degree, Rule, pair_measure, set_measure

@pair_measure({arguments})
def {name}() -> Rule:
    return Rule(Hops(), (Degree("predicted", 1, 1), Unmatched("predicted", {cost}),
                         Degree("true", 1, 1), Unmatched("true", {cost})))
"""


def test_a_cell_that_runs_twice_declares_its_measure_anew(monkeypatch):
    ask = lambda: score(TREE, [["b"]], {"s": [[]]}, "mine").values[0, 0]  # noqa: E731
    for cost, cell in ((2, "<ipython-1>"), (3, "<ipython-2>")):
        in_module("__main__", CELL.format(arguments="", name="mine", cost=cost), monkeypatch, cell)
        assert ask() == cost
    in_module("__main__", CELL.format(arguments="name='mine'", name="other", cost=4), monkeypatch)
    assert ask() == 4
    in_module("my_measures", CELL.format(arguments="", name="yours", cost=2), monkeypatch)
    in_module("my_measures", CELL.format(arguments="", name="yours", cost=7), monkeypatch)
    assert score(TREE, [["b"]], {"s": [[]]}, "yours").values[0, 0] == 7


@pytest.mark.parametrize(("first", "second"), [
    (("__main__", "mine", "<a>"), ("my_measures", "mine", "<a>")),
    (("my_measures", "mine", "<a>"), ("my_measures", "mine", "<b>")),
    (("my_measures", "mine", "<a>"), ("my_others", "mine", "<a>")),
])  # fmt: skip
def test_measures_of_two_places_clash(first, second, monkeypatch):
    in_module(first[0], CELL.format(arguments="", name=first[1], cost=2), monkeypatch, first[2])
    with pytest.raises(BadInput, match="there is already a measure 'mine'"):
        in_module(
            second[0], CELL.format(arguments="", name=second[1], cost=2), monkeypatch, second[2]
        )


@pytest.mark.parametrize("module", ["__main__", "my_measures"])
def test_no_measure_of_the_library_is_replaced(module, monkeypatch):
    with pytest.raises(BadInput, match="there is already a measure 'gie'"):
        in_module(module, CELL.format(arguments="", name="gie", cost=2), monkeypatch)
    with pytest.raises(BadInput, match="there is already a measure 'hf'"):

        @pair_measure(name="hf")
        def mine() -> Rule:
            return Rule(Hops(), (Degree("true"),))


@pytest.mark.parametrize(("other", "name"), [
    ("sdl", "symmetric_difference"), ("con_f", "contribution_f"), ("con_error", "contribution_error"),
    ("c_f", "constrained_f"), ("c_precision", "constrained_precision"), ("p_ori", "path_f"),
    ("p_f", "scaled_path_f"), ("p_factor", "path_factor"), ("p_recall", "path_recall"),
    ("ru", "remaining_uncertainty"), ("mi", "misinformation"), ("TICE", "tree_inconsistency"),
    ("wAP", "weighted_average_precision"), ("POR", "point_overlap"), ("TOR", "tree_overlap"),
    ("hcm_acc", "hcm_accuracy"), ("hcm_ppv", "hcm_precision"), ("hcm_tpr", "hcm_recall"),
    ("hcm_tnr", "hcm_specificity"), ("hcm_fnr", "hcm_false_negative_rate"),
    ("hcm_fpr", "hcm_false_positive_rate"),
])  # fmt: skip
def test_signs_of_papers_lead_to_the_measure(other, name):
    assert measure(other) == measure(name)
    found = getattr(metrics, other)
    assert found is getattr(metrics, measure(name).definition.function)
    with pytest.raises(AttributeError, match="has no attribute 'no_measure'"):
        metrics.no_measure  # noqa: B018
