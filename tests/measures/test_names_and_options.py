"""What measures are called, how they are declared, and which values of options they refuse."""

import math
import pickle
import re
import sys
import types
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from hierpair import BadInput, Hierarchy, Infeasible, measure, metrics, score
from hierpair.measures import (
    OPTIONS,
    REGISTRY,
    Option,
    measures_of,
    pair_measure,
    scored_measure,
    set_measure,
    share,
)
from hierpair.measures.option import same
from hierpair.pairing import CosineDistance, CostMatrix, Rule
from tests.everything import variants
from tests.oracles.classes import Classes

EDGES = [("r", "a"), ("r", "b"), ("a", "d"), ("a", "e"), ("b", "f")]
TREE = Hierarchy.from_edges(EDGES)
DAG = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
FOREST = Hierarchy.from_edges([("a", "b"), ("c", "d")])
TRUTH = dict(zip("012345", [["d"], ["e"], ["f"], ["a", "b"], ["d", "f"], []], strict=True))
GUESS = dict(zip("012345", [["d"], ["d"], ["b"], ["e"], ["e", "f"], ["a"]], strict=True))

# ------------------------------------------------------------------------------------ names


def with_words(plain):
    """A measure with each of its options at each word that it may have."""
    yield plain
    for option in plain.options:
        for value in plain.definition.option(option).values:
            with suppress(BadInput):  # a word that this measure does not know, or not with others
                yield plain.with_options(**{option: value})


@pytest.mark.parametrize("name", [*measures_of("labels"), *measures_of("scores")])
def test_every_name_and_option_is_read_back_and_travels(name):
    """The text comes before the keyword, and that before the default; functions are names too."""
    plain = measure(name)
    assert measure(plain.definition.function).definition is plain.definition
    single = {*with_words(plain)}
    assert len({m.label for m in single}) == len(single)
    for m in single | {*(() if plain.of_scores else variants((name,)))}:
        back = pickle.loads(pickle.dumps(m))
        assert (back, back.signature, hash(back)) == (m, m.signature, hash(m))
        assert back.definition.recipe is None or callable(back.definition.recipe)
        assert measure(m.name) == m
        assert measure(m.signature.partition("|")[0]).signature == m.signature
        for option, value in m.chosen:
            assert m.signature != plain.signature
            assert measure(name, **{option: value}) == plain.with_options(**{option: value})
            assert measure(m.name, **{option: plain.options[option]}) == m
            assert option not in dict(plain.chosen)


DECAYED = "gie(cost=\"decayed(w0=0.25,depth='mean',normalise='none')\")"


@pytest.mark.parametrize(("text", "name"), [
    ("hF", "hf"), ("h_f1", "hf"), ("hierarchical_f1", "hf"), ("h_fbeta_score", "hf"),
    ("Hierarchical_precision", "hp"), ("graph_induced_error", "gie"), ("lca_f1", "lca_f"),
    ("h_f1(root=include)", "hf(root='include')"), ("hf(zero_division=nan)", "hf(zero_division=nan)"),
    ("hf(root='x y')", "hf(root='x y')"), ("gie(max_distance=inf)", "gie(max_distance=inf)"),
    ("hf(root=include, beta=2)", "hf(beta=2, root='include')"), ("gie()", "gie"),
    ("gie(cost=decayed(w0=0.25))", DECAYED), ("gie(cost='decayed(w0=0.25)')", DECAYED),
    ("gie( cost = decayed( w0 = .25 , depth = mean ) )", DECAYED), ("gie(cost=decayed(0.25))", DECAYED),
    ("mgia(cost=wu_palmer(depth=max),default=1)", "mgia(cost=\"wu_palmer(depth='max')\", default=1)"),
    ("gie(cost='hops()')", "gie"), ("gie(cost=hops)", "gie"),
    (measure("hf", beta=np.int64(2)), "hf(beta=2)"), (measure("hf", beta=np.float32(0.5)), "hf(beta=0.5)"),
    # signs of papers
    ("sdl", "symmetric_difference"), ("con_f", "contribution_f"), ("con_error", "contribution_error"),
    ("c_f", "constrained_f"), ("c_precision", "constrained_precision"), ("p_ori", "path_f"),
    ("p_f", "scaled_path_f"), ("p_factor", "path_factor"), ("p_recall", "path_recall"),
    ("ru", "remaining_uncertainty"), ("mi", "misinformation"), ("TICE", "tree_inconsistency"),
    ("wAP", "weighted_average_precision"), ("POR", "point_overlap"), ("TOR", "tree_overlap"),
    ("hcm_acc", "hcm_accuracy"), ("hcm_ppv", "hcm_precision"), ("hcm_tpr", "hcm_recall"),
    ("hcm_tnr", "hcm_specificity"), ("hcm_fnr", "hcm_false_negative_rate"),
    ("hcm_fpr", "hcm_false_positive_rate"),
])  # fmt: skip
def test_measures_are_found_by_what_people_call_them(text, name):
    m, same = measure(text), measure(measure(text).name)
    assert (m.name, same, hash(same)) == (name, m, hash(m))
    if str(text).isidentifier():
        assert getattr(metrics, text) is getattr(metrics, m.definition.function)


@pytest.mark.parametrize(("text", "message"), [
    ("f1", "no measure 'f1' alone; say which of them: hf, descendant_f, f, constrained_f, path_f, count_f, lca_f"),
    ("accuracy", "no measure 'accuracy' alone; say which of them: right, subset_accuracy, level_accuracy"),
    ("gie(cost=lin(counts.tsv))", "a cost from a file like matrix"),
    ("hff", "there is no measure 'hff'; did you mean 'hf'?"),
    ("hf(bta=2)", "hf has no option 'bta'; did you mean 'beta'? (it has: beta"),
    ("hf(beta=1, beta=2)", "gives an option twice"),
    (None, "a measure is a name or a Measure, got None"),
    ("hf(average='mikro')", "average must be one of 'samples', 'micro', 'macro', 'weighted'"),
    ("gie(average=micro)", "average must be one of 'samples', 'macro', got 'micro'"),
    ("gie(cost='hop')", "unknown cost 'hop'; it is one of hops, weights, decayed, ancestors, height, climb, "
     "wu_palmer, lin, resnik, cosine, matrix, or a callable; did you mean 'hops'?"),
    ("gie(cost='decayed(w1=2)')", "cannot read the cost 'decayed(w1=2)'"),
    ("gie(cost='decayed(w0=0.5)(w0=1)')", "cannot read the cost"),
    ("gie(cost='lin(intrinsic=seco, smooth=1)')", "counts classes alone; leave counts out"),
    ("gie(cost='lin(intrinsic=zhou)')", "intrinsic must be one of"),
    ("gie(cost='decayed(w0=2)')", "w0 must be in (0, 1]"),
    ("hf(", "cannot read the measure 'hf('"),
    ("hf(2)", "cannot read the measure"),
    ("hf(beta)", "cannot read the measure"),
    ("hf + 1", "cannot read the measure"),
    ("hf(**x)", "cannot read the measure"),
    ("hf(beta=f())", "hf: beta must be a finite number ≥ 0, got 'f()'"),
    ("", "cannot read the measure"),
])  # fmt: skip
def test_bad_measures_are_refused_by_name(text, message):
    with pytest.raises(BadInput, match=re.escape(message)):
        measure(text)


@pytest.mark.parametrize(
    "given", [np.ones((2, 2)), np.ones(2), pd.DataFrame({"a": [1, 2]}), [1, 2]]
)
def test_an_array_is_no_option_and_is_shown_in_one_line(given):
    with pytest.raises(BadInput, match=r"^gie: cost must be a name or a callable, got [^\n]*$"):
        measure("gie", cost=given)


# ------------------------------------------------------------------------------------ options

SILENT = {
    "deeper": "wrong", "weights": "ones", "smooth": 1, "least": 0, "closure": "none", "one_sided": math.nan,
    "clip": 0, "ties": "error", "norm": "cafa", "prop": "max", "zero_weight": "skip", "thresholds": "distinct",
}  # fmt: skip


def test_values_of_options_say_what_they_do_but_for_the_usual_ones():
    silent = {(name, x) for name, o in OPTIONS.items() for x, said in o.told.items() if not said}
    assert {(name, str(x)) for name, x in silent} == {(name, str(x)) for name, x in SILENT.items()}


CHOICES = {
    "absent_level": "skip none-class", "augment": "ancestors none descendants pruned", "blank": "ignore count",
    "candidates": "leaves all", "classes": "all seen", "closure": "none max", "costs": "sibling ones subtree",
    "deeper": "wrong right", "denominator": "union symdiff", "depth": "mean min max sum", "empty": "root none",
    "extension": "exact greedy full", "ideal": "instances classes", "inconsistent": "wrong drop",
    "interpolation": "step clus trapezoid", "lengths": "ones weights depth", "nested": "drop keep",
    "norm": "cafa pred gt", "normalise": "none max-path path", "over_levels": "mean sum", "pairing": "exact published",
    "parents": "all any", "prop": "max fill", "ties": "error name", "tips": "best sum single", "utility": "u65 1/s u80",
    "zero_weight": "skip count",
}  # fmt: skip
"""Of every option of words these, the default first."""

NUMBERS = {
    "at_level": (None, "a whole number ≥ 0, the rank of classes or None", [0, "genus"], [-1, 0.5, True, " "]),
    "beta": (1, "a finite number ≥ 0", [0, 9e99], [-0.1, 1e100, math.nan, "x", True, 10**400]),
    "bins": (10, "a whole number from 1 to 100000", [1, 100_000], [0, 100_001, 2.5]),
    "clip": (0, "a number ≥ 0 and < 0.5", [0.49], [-0.1, 0.5]),
    "cost": ("hops", "a name or a callable", ["weights", len], [3]),
    "default": (None, "a finite number > 0", [0.1], [0, 1e100, math.nan]),
    "k": (1, "a whole number ≥ 1", [2], [0, 1.5, True]),
    "largest": (None, "a finite number > 0 or None", [0.1], [0, math.inf]),
    "least": (0, "a whole number ≥ 0", [2], [-1]),
    "limit": (None, "a number of seconds > 0 or None", [0.1], [0, math.inf, math.nan]),
    "max_distance": (None, "a number ≥ 0 or None", [0, math.inf], [-0.1, math.nan]),
    "one_sided": (math.nan, "0.5 or nan", [0.5], [0, 1]),
    "reference": (None, "a file of labels or label sets or None", [], []),
    "root": ("exclude", "'exclude', 'include' or the name of a class", ["include"], [["a"]]),
    "smooth": (1, "0 or 1", [0], [2, -1, 0.5]),
    "theta": (2, "a finite number > 0 or 'mean'", ["mean", 0.1], [0, math.inf, "x"]),
    "threshold": (None, "an even whole number ≥ 2 or None", [2, 2**31 - 2], [0, 3, 2**31, 4.0]),
    "thresholds": ("distinct", "a number ≥ 0.000001 and < 1 or 'distinct'", [1e-6, 0.99], [9e-7, 1, "x"]),
    "w0": (0.75, "a number > 0 and ≤ 1", [1, 0.01], [0, 1.01]),
    "weights": ("ones", "'ones', 'leaves', 'ia', 'ic', 'icm', a file of weights or a mapping", ["ia"], [3]),
    "zero_division": (0, "0, 1 or nan", [1, math.nan], [0.5, -1]),
}  # fmt: skip
"""Of every option its default, in words what it may be, and values that are right and wrong."""

HEADINGS = {
    "at_level": "level 7", "beta": "β = 7", "bins": "7 bins", "default": "Dmax = 7", "interpolation": "7 areas",
    "k": "@7", "least": "≥ 7 true", "one_sided": "one-sided = 7", "over_levels": "7 of levels", "root": "without 7",
    "theta": "θ = 7", "zero_division": "0/0 = 7", "zero_weight": "zero weight: 7",
} | dict.fromkeys(("cost", "extension", "lengths", "pairing"), "7")  # fmt: skip
"""How the value 7 stands at the head of a table, if not as ``option = 7``."""

OTHERWISE = {
    "augment": {"none": "level_f"}, "classes": {"seen": "level_f|contribution_[prf].*"},
    "cost": {"lin": "best_match.*", "height": "mistake.*|ahd.*|best_of|(similarity_|h|[a-z_]*average_)precision"},
    "default": {5: "gie|mgia|fnerror", 1: "best_match.*"}, "least": {1: "macro_.*"},
    "normalise": {"max-path": "depth_accuracy"},
    "root": {"include": "level_f|(descendant|constrained|path|scaled_path)_.*"},
    "zero_division": {math.nan: "leaf_accuracy|mistake.*|answer.*|macro_auprc", 1: "specificity|lca_depth_share"},
}  # fmt: skip
"""Which measures have another default."""

AVERAGES = {
    "samples micro macro weighted": "h[fpr]|(descendant_|count_)?(f|precision|recall)",
    "micro samples macro": "hcm_.*|semantic_distance|normalised_cost|mistake_severity",
    "samples micro macro": "simgic|specificity|.*_overlap|path_prefix|edge_inc.*|mgia|best_match_[pr].*"
                           "|answer_coverage|lca_(?!depth$).*|depth_accuracy",
    "micro macro": "ahd.*|best_of|similarity_precision|hprecision|h_average.*|top.*|.*_brier|log_score",
    "": "coverage|smin|.*au(prc|roc)|brier|level_log_loss|.ce", "samples micro": "fmax",
    "micro macro weighted samples": "contribution.*", "micro macro samples weighted": "level_f|constr.*",
    "micro macro samples": "(scaled_)?path_[fpr](?!actor|refix).*", "micro": "icm_norm|path_factor|total_cost",
    "macro micro samples": "level_accuracy", "macro micro samples weighted": "leaf_macro_accuracy",
    "weighted samples micro": "weighted_average_precision",
}  # fmt: skip
"""The averages of measures, the default first, where they are not "samples" and "macro"."""


def said_of(name, table, else_):
    """What a table of patterns says of a measure."""
    return next((said for said, names in table.items() if re.fullmatch(names, name)), else_)


@pytest.mark.parametrize("name", REGISTRY)
def test_options_have_the_defaults_and_averages_that_are_told(name):
    usual = {option: words.split()[0] for option, words in CHOICES.items()}
    usual |= {option: default for option, (default, *_) in NUMBERS.items()}
    averages = said_of(name, AVERAGES, "samples macro").split()
    usual["average"] = averages[0] if averages else None
    d = REGISTRY[name]
    assert d.averages == tuple(averages)
    for option, default in d.options.items():
        assert same(default, said_of(name, OTHERWISE.get(option, {}), usual[option])), option


@pytest.mark.parametrize(
    "option", sorted({o for d in REGISTRY.values() for o in d.options} - {"average"})
)
def test_options_take_what_is_right_and_refuse_the_rest(option):
    plain = next(m for m in map(measure, REGISTRY) if option in m.options)
    words, known = CHOICES.get(option, "").split(), OPTIONS[option]
    told = f"one of {', '.join(map(repr, known.values))}"
    _, told, right, wrong = NUMBERS.get(option, (None, told, words, ["x", 1, None]))
    assert not words or {*words} == {*known.values}
    assert {*known.usual.values()} <= {1, 2, 3, 4, 5}
    assert known.heading_of("7") == HEADINGS.get(option, f"{option.replace('_', ' ')} = 7")
    assert len({*map(known.in_words, known.values)}) == len(known.values)
    assert all(word in known.meaning for word in words or [" "])
    usual = () if option == "cost" else (*known.values, *known.varied)  # some costs need a file
    for value in (*right, *usual):
        assert same(plain.with_options(**{option: value}).options[option], value)
    for value in wrong:
        message = f"{plain.definition.name}: {option} must be {told}, got "
        with pytest.raises(BadInput, match=re.escape(message)):
            plain.with_options(**{option: value})


# -------------------------------------------------------------------------------- declaring


def test_two_options_never_share_a_name():
    def declare(parameter, *option, name="theirs"):
        function = {
            "strict": lambda n_true, *, strict=1: 0.0 * n_true,
            "beta": lambda n_true, *, beta=1: 0.0 * n_true,
            "limit": lambda n_true, *, limit=0: 0.0 * n_true,
            "strict again": lambda n_true, *, strict=1: 0.0 * n_true,
        }[parameter]
        function.__module__, function.__qualname__ = name, parameter
        words = {"formula": "", "source": "", "direction": "higher", "range": "", "name": name}
        return set_measure(**words)(Option(*option, kind=float)(function) if option else function)

    for name, said in (("mine", "so"), ("mine", "how strict it is"), ("yours", "how strict it is")):
        declare("strict", "strict", said, name=name)  # anew, and the same one
    for wrong, message in (
        (("strict", "strict", "something else"), "there is already an option 'strict' .how strict it is"),
        (("beta", "beta", "something else"), "there is already an option 'beta' .weight of recall in F"),
        (("limit",), "limit must be .*, got 0; there is already an option .*: ch"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=message):
            declare(*wrong)
    with pytest.raises(BadInput, match="there is already an option 'strict'"):
        declare("strict again", "strict", "something else", name="mine")
    with pytest.raises(
        BadInput,
        match="has a record of the option 'strikt', and no parameter of that name; did you",
    ):
        declare("strict", "strikt", "how strict it is", name="mine")
    assert "strikt" not in OPTIONS


CELL = """
from hierpair import pair_measure, set_measure
from hierpair.pairing import Unmatched, Hops, Degree, Rule

@pair_measure({arguments})
def {name}() -> Rule:
    return Rule(Hops(), (Degree("predicted", 1, 1), Unmatched("predicted", {cost}),
                         Degree("true", 1, 1), Unmatched("true", {cost})))
"""


@pytest.fixture
def declare(monkeypatch):
    """Run a cell that declares a measure, or a file of a module."""

    def run(where, name, filename="<cell>", cost=2, arguments=""):
        module = sys.modules.get(where) or types.ModuleType(where)
        monkeypatch.setitem(sys.modules, where, module)
        text = CELL.format(arguments=arguments, name=name, cost=cost)
        exec(compile(text, filename, "exec"), module.__dict__)

    return run


def test_a_cell_that_runs_twice_declares_its_measure_anew(declare):
    for where, name, filename, cost, *arguments in (
        ("__main__", "mine", "<ipython-1>", 2), ("__main__", "mine", "<ipython-2>", 3),
        ("__main__", "other", "<cell>", 4, "name='mine'"),
        ("my_measures", "yours", "<cell>", 2), ("my_measures", "yours", "<cell>", 7),
    ):  # fmt: skip
        declare(where, name, filename, cost, *arguments)
        name = "mine" if arguments else name  # noqa: PLW2901
        assert score(TREE, [["b"]], {"s": [[]]}, name).values[0, 0] == cost


def test_a_cell_may_declare_a_mean_of_scores_anew():
    def declare(total):
        def sure(scored):
            "Mine."
            return {"total": total, "of": 1}

        sure.__module__ = "__main__"
        words = {"formula": "", "source": "", "direction": "higher", "range": ""}
        scored_measure(value=share, **words)(sure)

    for total in (1, 0):
        declare(total)
        assert score(TREE, {0: "b"}, {"s": {0: {"b": 1.0}}}, "sure").values == total


@pytest.mark.parametrize(("first", "second"), [
    (("__main__", "mine", "<a>"), ("my_measures", "mine", "<a>")),
    (("my_measures", "mine", "<a>"), ("my_others", "mine", "<a>")),
    (None, ("__main__", "gie", "<a>")), (None, ("my_measures", "gie", "<a>")),
])  # fmt: skip
def test_measures_of_two_places_clash(first, second, declare):
    """A measure of the library is never replaced."""
    if first:
        declare(*first)
    with pytest.raises(BadInput, match=f"there is already a measure '{second[1]}'"):
        declare(*second)


def test_a_measure_need_not_be_averaged_by_samples():
    @pair_measure(averages=("micro",))
    def summed() -> Rule:
        """GIE without options."""
        return REGISTRY["gie"].rule()

    for conventions in ({}, {"average": "micro"}):
        assert measure("summed", **conventions).options["average"] == "micro"
    assert score(TREE, ["a", "a"], {"s": ["b", "a"]}, ["summed"]).values.tolist() == [[2.0]]


# ------------------------------------------------------- options that do not go with the data


def cost_at(predicted, true, x):
    costs = np.zeros((len(TREE), len(TREE)))
    costs[TREE.position[predicted], TREE.position[true]] = x
    return measure("mean_cost", cost=CostMatrix(costs))


@pytest.mark.parametrize(("tree", "text", "true", "said", "error", "message"), [
    (TREE, "shortest_path(tips=single)", ["d", "e"], ["d"], Infeasible, "instance 1: several most specific"),
    (FOREST, "shortest_path", [], ["b"], Infeasible, "no label stands for the root"),
    (FOREST, "shortest_path(tips=sum)", ["b"], ["d"], Infeasible,
     "instance 1: the predicted class .d. must have at least 1 partner.*no common ancestor"),
    (FOREST, "tree_induced_error", ["b"], ["d"], Infeasible, "instance 1.*no candidate is left"),
    (FOREST, "tree_wasserstein", ["b", "d"], ["b"], Infeasible, "instance 1: some of the mass has no way"),
    (TREE, "weighted_unifrac(lengths=weights)", ["d"], ["d"], BadInput, "needs a hierarchy with edge weights; it has none"),
    (TREE, "level_accuracy(augment=descendants)", ["d"], ["d"], BadInput, "augment 'ancestors' or 'none'"),
    (TREE, "level_f(at_level=3)", ["d"], ["d"], BadInput, "at_level must be a level of the hierarchy, 0 to 2, got 3"),
    (TREE, "level_f(at_level=-1)", ["d"], ["d"], BadInput, "at_level must be a whole number ≥ 0, the rank"),
    (DAG, "answer_complexity", ["c"], ["a"], BadInput, "'c' has 2 parents; take answer_size"),
    *((DAG, name, ["a"], ["a"], BadInput, r"many paths in a DAG.*'c' has 2 parents")
      for name in ("path_f", "path_precision", "path_recall", "path_factor", "scaled_path_f")),
    (FOREST, "point_overlap", ["b"], ["b"], BadInput, "its true set has 'b' of level 1, and no class of level 0"),
    (TREE, "mean_cost", ["a", "b"], ["a"], Infeasible, "instance 1"),
    (TREE, "mistake_severity", ["d", "e"], ["d"], Infeasible, "instance 1"),
    (TREE, cost_at("a", "a", 1), ["a"], ["a"], BadInput, "the cost of predicting 'a' where it is true is 1"),
    *((TREE, cost_at("b", "a", x), ["a"], ["b"], BadInput, f"the cost {x} from CostMatrix; a cost must be")
      for x in (-2.0, math.nan)),
    (TREE, measure("contribution_f", theta="mean", cost=CosineDistance(np.ones((6, 1)))), ["d"], ["d"],
     BadInput, "all classes are alike"),
    (TREE, "gie(default=None)", ["d"], ["d"], BadInput, "gie: default must be a finite number > 0, got None"),
    *((TREE, name, true, said, BadInput, f"instance 1: its {message}")
      for name in ("full_path_accuracy", "tree_inconsistency", "wap", "por", "tor", "path_prefix", "edge_inconsistency")
      for true, said, message in (
          (["a", "b"], ["a"], "true set has several classes of level 1, 'a' and 'b'"),
          (["a"], ["a", "d", "e"], "predicted set has several classes of level 2, 'd' and 'e'"),
          (["d"], ["d"], "true set has 'd' of level 2, and no class of level 1"))),
])  # fmt: skip
def test_what_has_no_value_is_refused_by_instance(tree, text, true, said, error, message):
    with pytest.raises(error, match=message):
        score(tree, [[tree.names[1]], true], {"s": [[tree.names[1]], said]}, text)


def test_the_worst_of_too_many_pairs_is_not_looked_for(monkeypatch):
    monkeypatch.setattr("hierpair.pairing.costs.MOST_PAIRS", 3)
    with pytest.raises(BadInput, match="give the costs as a matrix"):
        score(TREE, ["b"], {"s": ["a"]}, "normalised_cost")


# ------------------------------------------------------------------- weights and annotations


@pytest.mark.parametrize(("options", "said"), [
    ({"weights": "iaa"}, "weights must be one of ones, leaves, ia, .*did you mean 'ia'"),
    ({"weights": {"a": -1}}, "the weight of class 'a' must be a number ≥ 0, got -1"),
    ({"weights": {"a": float("nan")}}, "must be a number ≥ 0, got nan"),
    ({"weights": {"a": "x"}}, "must be a number ≥ 0, got 'x'"),
    ({"weights": {"a": 1}}, "weights: class 'r' has no weight"),
    ({"weights": {"A": 1}}, "weights: .*'A'"),
    ({"weights": "ia", "reference": "none.tsv"}, "none.tsv: there is no such file"),
    ({"weights": "ia", "reference": 3}, "reference must be annotations"),
    ({"weights": "ia", "threshold": 4}, "leave threshold or weights out"),
    ({"weights": "ia", "reference": [["d"], ["q"]]},
     r"instance 1: class 'q' .*\(leave it out of the annotations that are counted\)"),
    ({"weights": "ia", "reference": [{"d"}, {"e"}], "smooth": 0}, "'[bf]' has no finite weight"),
    ({"weights": "ia", "reference": {"d"}}, "must have an order, and a set has none"),
    ({"reference": [["d"]]}, "reference says nothing where weights='ones'"),
    ({"weights": dict.fromkeys(TREE.names, 1), "smooth": 0}, "smooth says nothing where"),
    ({"weights": dict.fromkeys(TREE.names, 0)}, "all classes have the weight 0"),
])  # fmt: skip
def test_bad_weights_are_one_sentence(options, said):
    with pytest.raises(BadInput, match=said):
        score(TREE, TRUTH, {"s": GUESS}, "hf", **options)


def test_annotations_come_in_every_form_of_labels(tmp_path):
    """Levels and indicators are read as such; sets have one digest in every process."""
    pd = pytest.importorskip("pandas")
    labels = [["a", "d"], ["b", "f"], ["a", "e"]]
    wanted = score(TREE, TRUTH, {"s": GUESS}, "icm", reference=labels).values.tolist()
    table = np.array([[c in row for c in TREE.names] for row in labels])
    for form in (
        np.array(labels), (table, TREE.names), (sp.csr_array(table), TREE.names),
        pd.DataFrame(table, columns=TREE.names), pd.Series(labels), iter(labels), dict(enumerate(labels)),
    ):  # fmt: skip
        found = score(TREE, TRUTH, {"s": GUESS}, "icm", reference=form)
        assert found.values.tolist() == wanted, form
    file = tmp_path / "labels"
    file.write_text("".join(f"{i}\t{'|'.join(row)}\n" for i, row in enumerate(labels)))
    for form in (file, str(file)):
        assert score(TREE, TRUTH, {"s": GUESS}, "icm", reference=form).values.tolist() == wanted
    given = (sp.csr_array(table), TREE.names)
    signature = measure("icm", reference=given).signature
    assert given[0].has_canonical_format  # which it is asked once
    assert measure("icm", reference=given).signature == signature
    one, other = ([set(order)] for order in ("abcdefgh", "hgfedcba"))
    assert measure("icm", reference=one).signature == measure("icm", reference=other).signature
    signature = measure("icm", reference=[{"a", "b"}, {"c"}]).signature
    assert "annotations(1866074e7acd)" in signature


def test_weights_of_a_series():
    pd = pytest.importorskip("pandas")
    given = dict(zip("rabdef", (9.0, 1.0, 0.5, 0.25, 3.0, 0.0), strict=True))
    h, plain = Classes(EDGES, "rabdef"), ["symmetric_difference", "mi", "ru", "simgic"]
    for weights in (given, pd.Series(given)):
        found = score(TREE, TRUTH, {"s": GUESS}, plain, weights=weights, root="include")
        for i, got in zip(TRUTH, found.per_instance["s"], strict=True):
            t, p = h.grown(TRUTH[i]), h.grown(GUESS[i])
            w = [sum(map(given.get, some)) for some in (t ^ p, p - t, t - p, t & p)]
            assert got.tolist() == [*w[:3], pytest.approx(w[3] / (w[0] + w[3]))]
    orders = {"a": 1, "b": 2}, {"b": 2.0, "a": 1}, {"a": 2, "b": 1}
    one, same, other = (measure("hf", weights=w).signature for w in orders)
    assert one == same != other
    assert "weights=given(" in one
    with pytest.raises(BadInput, match="weights: class 'a' has several weights"):
        measure("symmetric_difference", weights=pd.Series([1, 2, 3], index=["a", "b", "a"]))
