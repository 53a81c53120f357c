"""Every option of every measure can be given from Python and from the command line alike."""

import inspect
import itertools
import json
import math

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, NodeScores, compare, explain, measure, score
from hierpair.cli.main import VERBS
from hierpair.cli.reading import conventions_of
from hierpair.measures import OPTIONS, REGISTRY, measures_of
from hierpair.measures.option import option_text, same

from .conftest import write

TREE = Hierarchy.from_edges([("r", "a"), ("r", "d"), ("a", "b"), ("a", "c")])
P = {"a": [0.7, 0.75, 0.4], "b": [0.5, 0.2, 0.1], "c": [0.2, 0.55, 0.3], "d": [0.3, 0.25, 0.6]}
SIDES = {"labels": "bcd ccb", "path": "dad ddb", "leaves": "bcd bcd", "scores": "bcd abcd"}
"""Truth, and predicted labels or classes with scores; some roots of paths are left out."""
OTHERS = {"beta": 2, "limit": 30.0, "max_distance": 9.0, "root": "include"}
"""A value of options that have no list of usual ones."""


def other(name, option):
    """A value of an option that is not its default."""
    default = REGISTRY[name].options[option]
    listed = (*REGISTRY[name].option(option).values, OTHERS.get(option))
    found = [v for v in listed if v not in (None, default, "weights", "cosine", "matrix")]
    if name in ("level_accuracy", "level_hamming", "leaf_accuracy") and option == "augment":
        found = [v for v in found if v in ("none", "ancestors")]
    if option == "zero_division":
        found = [v for v in found if not math.isnan(v)]
    return found[0] if found else default


EVERY = sorted((option, name) for name, d in REGISTRY.items() for option in d.options)


def kind_of(name):
    d = REGISTRY[name]
    if d.consumes == "scores":
        return "leaves" if d.scored_classes == "leaves" else "scores"
    return "path" if d.family == "path" else "labels"


@pytest.mark.parametrize("option", sorted(OPTIONS))
def test_an_option_that_is_typed_is_the_option_in_python(run, option):
    """Of all measures that have it, at a value that is not its default; what one refuses the other does."""
    groups = {}
    for name in (name for o, name in EVERY if o == option):
        groups.setdefault((kind_of(name), other(name, option)), []).append(name)
    for (kind, value), names in groups.items():
        truth, said = SIDES[kind].split()
        rows = [f"{i}\t{c}\n" for i, c in enumerate(said)]
        given = list(said)
        if kind in ("leaves", "scores"):
            rows = [f"{i}\t{c}\t{P[c][i]}\n" for i in range(3) for c in said]
            p = np.array([P[c] for c in said]).T
            given = NodeScores.from_array(p, TREE, classes=said, with_root=False)
        write({"tree.tsv": "r\ta\nr\td\na\tb\na\tc\n", "one.tsv": "".join(rows),
               "true.tsv": "".join(f"{i}\t{c}\n" for i, c in enumerate(truth))})  # fmt: skip

        def told(names, code=0, value=value):
            asked = [x for name in names for x in ("-m", name)]
            line = f"score tree.tsv true.tsv one.tsv -q --format json --set {option}={value}"
            return run(line, *asked, code=code).out

        scored, taken = [], []
        for name in names:
            try:
                found = score(TREE, list(truth), {"one": given}, [name], **{option: value})
            except BadInput:
                assert kind in ("leaves", "scores")
                told([name], code=2)
                continue
            [m] = found.measures
            assert m == measure(name, **{option: value})
            assert same(measure(f"{name}({option}={value!r})").options[option], m.options[option])
            taken.append(name)
            x = found.values[0, 0]
            scored.append((found.signatures[0], pytest.approx(x) if math.isfinite(x) else None))
        rows = json.loads(told(taken))["scores"] if taken else []
        assert [(row["signature"], row["value"]) for row in rows] == scored


@pytest.mark.parametrize("function", [score, compare, explain])
def test_no_option_has_the_name_of_a_parameter(function):
    taken = set(inspect.signature(function).parameters) - {"conventions", "classes"}
    names = measures_of("labels")
    assert not taken & {o for o, name in EVERY if function is score or name in names}


VALUE_TEXTS = {
    "root": ("include", "a"), "limit": ("30", "none"), "max_distance": ("9", "none"), "largest": ("4", "none"),
    "cost": ("hops", "weights", "ancestors(w0=0.75,depth='mean',normalise='none')"),
}  # fmt: skip
"""What is typed for options whose usual values say little."""


@pytest.mark.exhaustive
def test_every_usual_value_is_typed_as_its_record_says():
    for name, option in OPTIONS.items():
        for text in VALUE_TEXTS.get(name) or [option_text(v) for v in option.values]:
            given = conventions_of(VERBS["score"].read([f"--set={name}={text}"]))
            assert list(given) == [name]
            for d in REGISTRY.values():
                if name in d.options and (name != "average" or text in d.averages):
                    m = measure(d.name, **given)
                    assert same(m.options[name], option.read(text))
                    assert same(m.options[name], measure(m.name).options[name])
    typed = ["--set=beta=1", "--set=beta = 2", "--set=zero-division=nan"]
    assert conventions_of(VERBS["score"].read(typed))["beta"] == 2


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda o: o.name)
def test_domains_are_what_is_checked(option):
    """What the record allows is right, and a value beyond it is refused in its words."""
    for value in option.values:
        if value not in ("cosine", "matrix", "lin", "resnik"):  # these need a file
            option.refuse_wrong(value, "m")
    wrong = [[1], {"x": 1}]
    if option.kind is not object:
        wrong += ["so", True] if option.kind is not str else ["so", 1]
    if option.kind in (int, float):
        wrong += [-1, math.inf] if option.name != "max_distance" else [-1, math.nan]
    for value in wrong:
        with pytest.raises(BadInput) as caught:
            option.refuse_wrong(value, "m")
        assert str(caught.value).startswith(f"m: {option.name} must be ")
        assert option.allowed in str(caught.value) or isinstance(value, (list, dict))


def test_the_largest_numbers_give_finite_scores_or_are_refused(run):
    for name in ("contribution_f(theta=9e99)", "hf(beta=9e99)", "contribution_error(theta=1e-300)"):
        assert 0 <= score(TREE, ["c", "b"], ["a", "b"], [name]).values[0, 0] <= 1
    option = ("contribution_f(theta=", "gie(default=", "hf(beta=", "mean_cost(cost=decayed(w0=")
    for name, number in itertools.product(option, ("1e308", "1e101", "inf", "nan")):
        said = run(f"{OWN} -q -m {name}{number}{')' * name.count('(')}", code=2).err
        assert (said.count("\n"), "internal" in said) == (1, False)
    with pytest.raises(BadInput, match="finite and not negative, got 1e\\+308"):
        Hierarchy.from_edges([("r", "a", 1e308)])
    with pytest.raises(BadInput, match="finite and not negative"):
        TREE.with_weights([1e300, 1, 1, 1])
    huge = measure("gie", cost=lambda pairs: pairs.distance * 1e200)
    with pytest.raises(BadInput, match="a cost must be a number"):
        score(TREE, ["c"], ["b"], [huge])


PLUGIN = """
from hierpair import set_measure
from hierpair.measures import Option

@set_measure(formula="bonus", source="mine", direction="higher", range="[0, ∞)")
@Option("bonus", "added to every instance", kind=float, domain="a number ≥ 0",
        check=lambda x: x >= 0)
@Option("digits", "has the name of another option", {"one": 2, "two": 2})
def generous(n_true, *, bonus: float = 0.5, digits: str = "one", plain: int = 3):
    "Always the same."
    return n_true * 0 + bonus + (10 if digits == "two" else 0) + 100 * plain
"""
CONFIG = 'plugin = "p.py"\n[set]\nbonus = 2\nplain = 3\ndigits = "two"\n'
OWN = "score tree.tsv true.tsv svm.tsv"


@pytest.mark.parametrize(("words", "says"), [
    ("-m generous --plugin p.py --set bonus=2 --set plain=4 --set digits=two --digits 3", 412),
    ("--plugin p.py generous(bonus=2,plain=4,digits=two)", 412), ("--plugin p.py --plugin x/p.py generous(bonus=2,plain=4,digits=two)", 412),
    ("-m generous --config e.toml --set plain=4", 412),
    ("--set bonus=-1", "generous: bonus must be a number ≥ 0, got -1.0"), ("--set bonus=x", "bonus must be a number ≥ 0, got 'x'"),
    ("--set digits=on", "must be one of 'one', 'two', got 'on'; did you mean 'one'?"), ("--set bonuss=1", "there is no convention 'bonuss'"),
    ("--beta 1", "a convention is given as --set beta=VALUE"),
])  # fmt: skip
def test_options_of_a_plugin_are_typed_and_checked_too(run, words, says):
    files = {"p.py": PLUGIN, "e.toml": CONFIG, "x/p.py": "pass\n"}
    if isinstance(says, str):
        assert says in run(f"{OWN} -m generous --plugin p.py {words}", code=2, files=files).err
        return
    [row] = json.loads(run(f"{OWN} {words} --format json", files=files).out)["scores"]
    assert row["value"] == says
    assert "bonus=2,digits=two,plain=4" in row["signature"]
    shown = " ".join(run("measures --plugin p.py generous").out.split())
    assert "bonus=0.5 added to every instance (a number ≥ 0)" in shown
    assert "plain=3 an option of this measure, 3 by default" in shown


def test_costs_inside_measures(run):
    cost = "cost=decayed(w0=0.25)"
    ways = (f"gie({cost})", f"gie --set {cost}", "gie(cost='decayed(w0=0.25)')")
    [found] = {run(f"{OWN} -m {words} --format json --quiet").out for words in ways}
    assert json.loads(found)["scores"][0]["value"] > 0
    line = "compare tree.tsv true.tsv bert.tsv svm.tsv -m gie --quiet --vary"
    out = run(f"{line} cost=hops,decayed(w0=0.5,depth=max),wu_palmer").out
    assert "decayed(w0=0.5,depth='max',normalise='none')" in out
