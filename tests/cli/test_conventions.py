"""Every option of every measure can be given from Python and from the command line alike."""

import inspect
import json
import math
from pathlib import Path

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, NodeScores, compare, explain, measure, score
from hierpair.cli.main import VERBS
from hierpair.cli.reading import conventions_of
from hierpair.explanation import explain_worst
from hierpair.measures import OPTIONS, REGISTRY, measures_of
from hierpair.measures.option import option_text, same

from .conftest import write

TREE = Hierarchy.from_edges([("r", "a"), ("r", "d"), ("a", "b"), ("a", "c")])
LABELS = ("bcd", "ccb")
OF_PATHS = ("dad", "ddb")
"""True and predicted labels; of the second measures of paths have a value, as roots may be left out."""
OTHERS = {"beta": 2, "limit": 30.0, "max_distance": 9.0, "root": "include"}
"""A value of options that have no list of usual ones."""
P = {"a": [0.7, 0.75, 0.4], "b": [0.5, 0.2, 0.1], "c": [0.2, 0.55, 0.3], "d": [0.3, 0.25, 0.6]}


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


EVERY = sorted((name, option) for name, d in REGISTRY.items() for option in d.options)
OF_LABELS = [(name, option) for name, option in EVERY if name in measures_of("labels")]
OF_SCORES = [(name, option) for name, option in EVERY if name in measures_of("scores")]


@pytest.fixture
def told(run):
    """Score the written files by the command line; return (signature, value) of the measures."""
    write({"tree.tsv": "r\ta\nr\td\na\tb\na\tc\n"})

    def told(names, option, value, code=0):
        line = [
            "score",
            "tree.tsv",
            "true.tsv",
            "one.tsv",
            *(x for name in names for x in ("-m", name)),
        ]
        out = run([*line, "--set", f"{option}={value}", "--format", "json", "-q"], code=code).out
        rows = json.loads(out)["scores"] if code == 0 else []
        return [(row["signature"], row["value"]) for row in rows]

    return told


def side(labels):
    return "".join(f"{i}\t{label}\n" for i, label in enumerate(labels))


def wanted(scores):
    """What is told of scores in memory; JSON has no number for nan."""
    values = [pytest.approx(x) if math.isfinite(x) else None for x in scores.values[0].tolist()]
    return list(zip(scores.signatures, values, strict=True))


@pytest.mark.parametrize(("name", "option"), OF_SCORES)
def test_options_of_measures_of_scores(told, name, option):
    classes = "bcd" if REGISTRY[name].scored_classes == "leaves" else "abcd"
    rows = [f"{i}\t{c}\t{P[c][i]}\n" for i in range(3) for c in classes]
    write({"true.tsv": side(LABELS[0]), "one.tsv": "".join(rows)})
    p = np.array([P[c] for c in classes]).T
    given = {"one": NodeScores.from_array(p, TREE, classes=classes, with_root=False)}
    value = other(name, option)
    try:
        scores = score(TREE, list(LABELS[0]), given, [name], **{option: value})
    except BadInput:
        told([name], option, value, code=2)
        return
    assert scores.measures == (measure(name, **{option: value}),)
    assert told([name], option, value) == wanted(scores)


@pytest.mark.parametrize("option", sorted({option for _, option in OF_LABELS}))
def test_options_of_measures_of_labels(told, option):
    by_value = {}
    for name in (name for name, o in OF_LABELS if o == option):
        sides = OF_PATHS if REGISTRY[name].family == "path" else LABELS
        by_value.setdefault((other(name, option), sides), []).append(name)
    for (value, sides), names in by_value.items():
        write({"true.tsv": side(sides[0]), "one.tsv": side(sides[1])})
        scores = score(TREE, list(sides[0]), {"one": list(sides[1])}, names, **{option: value})
        for m in scores.measures:
            assert m == measure(m.definition.name, **{option: value})
            written = measure(f"{m.definition.name}({option}={value!r})")
            assert m.options[option] == written.options[option]
        assert told(names, option, value) == wanted(scores)


def test_most_options_are_tried_with_another_value_than_their_default():
    alike = {o for name, o in EVERY if other(name, o) == REGISTRY[name].options[o]}
    assert {o for _, o in EVERY} - alike >= {"absent_level", "tips", "cost", "theta", "normalise"}


@pytest.mark.parametrize("function", [score, compare, explain, explain_worst])
def test_no_option_has_the_name_of_a_parameter(function):
    taken = set(inspect.signature(function).parameters) - {"conventions", "classes"}
    assert not taken & {option for _, option in (EVERY if function is score else OF_LABELS)}


VALUE_TEXTS = {
    "root": ("include", "a"), "limit": ("30", "none"), "max_distance": ("9", "none"), "largest": ("4", "none"),
    "cost": ("hops", "weights", "ancestors(w0=0.75,depth='mean',normalise='none')"),
}  # fmt: skip
"""What is typed for options whose usual values say little."""


@pytest.mark.exhaustive
def test_every_option_of_every_measure_is_typed_as_its_record_says():
    """Every usual value is read, and gives what Python gives."""
    assert {name for _, name in EVERY} == set(OPTIONS)
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


@pytest.mark.parametrize("number", ["1e308", "1e101", "1.7976931348623157e308", "inf", "nan"])
@pytest.mark.parametrize("name", ["contribution_f(theta={})", "gie(default={})", "contribution_error(theta={})",
                                  "mgia(default={})", "hf(beta={})", "mean_cost(cost=decayed(w0={}))"])  # fmt: skip
def test_numbers_without_measure_are_refused(run, name, number):
    line = ["score", "tree.tsv", "true.tsv", "svm.tsv", "-q", "-m", name.format(number)]
    said = run(line, code=2).err
    assert len(said.splitlines()) == 1
    assert "internal" not in said


def test_the_largest_numbers_give_finite_scores_or_are_refused():
    for name in ("contribution_f(theta=9e99)", "hf(beta=9e99)", "contribution_error(theta=1e-300)"):
        assert 0 <= score(TREE, ["c", "b"], ["a", "b"], [name]).values[0, 0] <= 1
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
OWN = "score tree.tsv true.tsv svm.tsv"


@pytest.mark.parametrize("words", [
    "-m generous --plugin p.py --set bonus=2 --set plain=4 --set digits=two --digits 3",
    "--plugin p.py generous(bonus=2,plain=4,digits=two)", "-m generous --config e.toml --set plain=4",
])  # fmt: skip
def test_options_of_a_plugin_are_typed_too(run, words):
    config = 'plugin = "p.py"\n[set]\nbonus = 2\nplain = 3\ndigits = "two"\n'
    out = run(f"{OWN} {words} --format json", files={"p.py": PLUGIN, "e.toml": config}).out
    [row] = json.loads(out)["scores"]
    assert row["value"] == 412
    assert "bonus=2,digits=two,plain=4" in row["signature"]


@pytest.mark.parametrize(("words", "says"), [
    ("--set bonus=-1", "generous: bonus must be a number ≥ 0, got -1.0"), ("--set bonus=x", "bonus must be a number ≥ 0, got 'x'"),
    ("--set digits=on", "must be one of 'one', 'two', got 'on'; did you mean 'one'?"), ("--set bonuss=1", "there is no convention 'bonuss'"),
    ("--beta 1", "a convention is given as --set beta=VALUE"), ("--root 1", "a convention is given as --set root=VALUE"),
])  # fmt: skip
def test_options_of_a_plugin_are_checked(run, words, says):
    Path("p.py").write_text(PLUGIN)
    assert says in run(f"{OWN} -m generous --plugin p.py {words}", code=2).err


def test_options_of_a_plugin_are_shown(run):
    Path("p.py").write_text(PLUGIN)
    shown = " ".join(run("measures --plugin p.py generous").out.split())
    assert "bonus=0.5 added to every instance: a number ≥ 0" in shown
    assert "plain=3 an option of this measure, 3 by default" in shown
    run("compare tree.tsv true.tsv bert.tsv svm.tsv -m generous --plugin p.py --vary bonus=1,2")


def test_messages_are_spelled_for_those_who_read_them(run):
    files = {"y": "1\tc\n2\tx\n", "p": "1\tc\n2\ta\n"}
    said = run("score tree.tsv y p -m hf", code=2, files=files).err
    assert "(to go on without it: --unknown drop or root)" in said
    with pytest.raises(BadInput, match=r"\(to go on without it: unknown='drop' or 'root'\)"):
        score(TREE, [["x"]], {"s": [["b"]]}, "hf")


def test_costs_inside_measures(run):
    tell = "--format json --quiet"
    found = [run(f"{OWN} {words} {tell}").out for words in (
        "-m gie(cost=decayed(w0=0.25))", "-m gie --set cost=decayed(w0=0.25)", "-m gie(cost='decayed(w0=0.25)')",
    )]  # fmt: skip
    assert found[0] == found[1] == found[2]
    out = run("compare tree.tsv true.tsv bert.tsv svm.tsv -m gie --quiet "
              "--vary cost=hops,decayed(w0=0.5,depth=max),wu_palmer").out  # fmt: skip
    assert "decayed(w0=0.5,depth='max',normalise='none')" in out
