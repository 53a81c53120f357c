"""Every option of every measure can be given from Python and from the command line alike."""

import inspect
import json
import math
from pathlib import Path

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, NodeScores, compare, explain, measure, score
from hierpair.cli import main
from hierpair.cli.main import VERBS
from hierpair.cli.reading import conventions_of
from hierpair.explanation import explain_worst
from hierpair.measures import OPTIONS, REGISTRY, measures_of
from hierpair.measures.option import option_text, same

TREE = Hierarchy.from_edges([("r", "a"), ("r", "d"), ("a", "b"), ("a", "c")])
TRUTH, GUESS = [["b"], ["c"], ["d"]], [["c"], ["c"], ["b"]]
PATH_TRUTH, PATH_GUESS = [["d"], ["a"], ["d"]], [["d"], ["d"], ["b"]]
"""Labels of which measures of paths have a value: the root of a tree may be left out."""
OTHERS = {"beta": 2, "limit": 30.0, "max_distance": 9.0, "root": "include"}
"""A value of options that have no list of usual ones."""


@pytest.fixture(autouse=True)
def _same_registry():
    """Measures that a test registers do not stay."""
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


def usual(name, option):
    """A value of an option that is not its default."""
    default = REGISTRY[name].options[option]
    listed = (*REGISTRY[name].option(option).values, OTHERS.get(option))
    found = [
        v for v in listed if v is not None and v not in (default, "weights", "cosine", "matrix")
    ]
    if name in ("level_accuracy", "level_hamming", "leaf_accuracy") and option == "augment":
        found = [v for v in found if v in ("none", "ancestors")]
    if option == "zero_division":
        found = [v for v in found if not math.isnan(v)]
    return found[0] if found else default


EVERY = sorted((name, option) for name, d in REGISTRY.items() for option in d.options)
OF_LABELS = [(name, option) for name, option in EVERY if name in measures_of("labels")]
OF_SCORES = [(name, option) for name, option in EVERY if name in measures_of("scores")]
P = {"a": [0.7, 0.75, 0.4], "b": [0.5, 0.2, 0.1], "c": [0.2, 0.55, 0.3], "d": [0.3, 0.25, 0.6]}


@pytest.mark.parametrize(("name", "option"), OF_SCORES)
def test_every_option_of_a_measure_of_scores_from_python_and_from_the_command_line(
    name, option, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    classes = "bcd" if REGISTRY[name].scored_classes == "leaves" else "abcd"
    Path("tree.tsv").write_text("r\ta\nr\td\na\tb\na\tc\n")
    Path("true.tsv").write_text("".join(f"{i}\t{row[0]}\n" for i, row in enumerate(TRUTH)))
    rows = [f"{i}\t{c}\t{P[c][i]}\n" for i in range(3) for c in classes]
    Path("one.tsv").write_text("".join(rows))
    p = np.array([P[c] for c in classes]).T
    given = {"one": NodeScores.from_array(p, TREE, classes=classes, with_root=False)}
    value = usual(name, option)
    line = [
        "score",
        "tree.tsv",
        "true.tsv",
        "one.tsv",
        "-m",
        name,
        "--set",
        f"{option}={value}",
        "--format",
        "json",
        "-q",
    ]
    try:
        scores = score(TREE, TRUTH, given, [name], **{option: value})
    except BadInput:
        assert main(line) == 2
        return
    assert scores.measures == (measure(name, **{option: value}),)
    assert main(line) == 0
    (told,) = json.loads(capsys.readouterr().out)["scores"]
    assert told["signature"] == scores.signatures[0]
    value = float(scores.values[0, 0])
    assert told["value"] == (pytest.approx(value) if math.isfinite(value) else None)


@pytest.mark.parametrize("option", sorted({option for _, option in OF_LABELS}))
def test_every_option_of_every_measure_from_python_and_from_the_command_line(
    option, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    Path("tree.tsv").write_text("r\ta\nr\td\na\tb\na\tc\n")
    names = [name for name, o in OF_LABELS if o == option]
    by_value = {}
    for name in names:
        paths = REGISTRY[name].family == "path"
        by_value.setdefault((usual(name, option), paths), []).append(name)
    for (value, paths), having in by_value.items():
        truth, guess = (PATH_TRUTH, PATH_GUESS) if paths else (TRUTH, GUESS)
        for path, rows in (("true.tsv", truth), ("one.tsv", guess)):
            Path(path).write_text("".join(f"{i}\t{row[0]}\n" for i, row in enumerate(rows)))
        scores = score(TREE, truth, {"one": guess}, having, **{option: value})
        for m in scores.measures:
            assert m == measure(m.definition.name, **{option: value})
            assert (
                m.options[option]
                == measure(f"{m.definition.name}({option}={value!r})").options[option]
            )
        arguments = [x for name in having for x in ("-m", name)]
        assert main(["score", "tree.tsv", "true.tsv", "one.tsv", *arguments, "--set",
                     f"{option}={value}", "--format", "json", "--quiet"]) == 0  # fmt: skip
        told = json.loads(capsys.readouterr().out)["scores"]
        assert [row["signature"] for row in told] == scores.signatures
        wanted = [None if math.isnan(x) else pytest.approx(x) for x in scores.values[0]]
        assert [row["value"] for row in told] == wanted


def test_most_options_are_tried_with_another_value_than_their_default():
    same = {
        option for name, option in EVERY if usual(name, option) == REGISTRY[name].options[option]
    }
    assert {o for _, o in EVERY} - same >= {"absent_level", "tips", "cost", "theta", "normalise"}


@pytest.mark.parametrize("function", [score, compare, explain, explain_worst])
def test_no_option_has_the_name_of_a_parameter(function):
    taken = set(inspect.signature(function).parameters) - {"conventions", "classes"}
    assert not taken & {option for _, option in (EVERY if function is score else OF_LABELS)}


VALUE_TEXTS = {
    "root": ("include", "a"),
    "limit": ("30", "none"),
    "max_distance": ("9", "none"),
    "largest": ("4", "none"),
    "cost": ("hops", "weights", "ancestors(w0=0.75,depth='mean',normalise='none')"),
}
"""What is typed for options whose usual values say little."""


@pytest.mark.exhaustive
def test_every_option_of_every_measure_is_typed_as_its_record_says():
    """Every usual value is read, and gives what Python gives."""
    assert {name for _, name in EVERY} == set(OPTIONS)
    for name, option in OPTIONS.items():
        texts = VALUE_TEXTS.get(name) or [option_text(v) for v in option.values]
        assert texts
        for text in texts:
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


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("tree.tsv").write_text("r\ta\nr\tb\n")
    for name in ("true.tsv", "one.tsv", "two.tsv"):
        Path(name).write_text("1\ta\n")
    Path("p.py").write_text(PLUGIN)


@pytest.mark.parametrize('words', [
    '--plugin p.py --set bonus=2 --set plain=4 --set digits=two --digits 3',
    '--plugin p.py generous(bonus=2,plain=4,digits=two)', '--config e.toml --set plain=4',
])  # fmt: skip
def test_options_of_a_plugin_are_typed_too(plugin, words, capsys):
    Path("e.toml").write_text('plugin = "p.py"\n[set]\nbonus = 2\nplain = 3\ndigits = "two"\n')
    files = ["tree.tsv", "true.tsv", "one.tsv"]
    more = [] if "generous" in words else ["-m", "generous"]
    assert main(["score", *files, *words.split(), *more, "--format", "json"]) == 0
    [row] = json.loads(capsys.readouterr().out)["scores"]
    assert row["value"] == 412
    assert "bonus=2,digits=two,plain=4" in row["signature"]


def test_options_of_a_plugin_are_checked_and_shown(plugin, capsys):
    files = ["tree.tsv", "true.tsv", "one.tsv", "-m", "generous", "--plugin", "p.py"]
    assert main(["score", *files, "--set", "bonus=-1"]) == 2
    assert "generous: bonus must be a number ≥ 0, got -1.0" in capsys.readouterr().err
    assert main(["score", *files, "--set", "bonus=x"]) == 2
    assert "bonus must be a number ≥ 0, got 'x'" in capsys.readouterr().err
    assert main(["score", *files, "--set", "digits=on"]) == 2
    assert "must be one of 'one', 'two', got 'on'; did you mean 'one'?" in capsys.readouterr().err
    assert main(["score", *files, "--set", "bonuss=1"]) == 2
    assert "there is no convention 'bonuss'" in capsys.readouterr().err
    for name in ("beta", "root"):  # --roots is another option
        assert main(["score", *files, f"--{name}", "1"]) == 2
        assert f"a convention is given as --set {name}=VALUE" in capsys.readouterr().err
    assert main(["measures", "--plugin", "p.py", "generous"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "bonus=0.5 added to every instance: a number ≥ 0" in shown
    assert "plain=3 an option of this measure, 3 by default" in shown
    assert main(["compare", *files[:2], "one.tsv", "two.tsv", *files[3:], "--vary",
                 "bonus=1,2"]) == 0  # fmt: skip


def test_messages_are_spelled_for_those_who_read_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("tree.tsv").write_text("r\ta\nr\tb\n")
    Path("true.tsv").write_text("1\ta\n2\tx\n")
    Path("one.tsv").write_text("1\ta\n2\ta\n")
    assert main(["score", "tree.tsv", "true.tsv", "one.tsv", "-m", "hf"]) == 2
    assert "(to go on without it: --unknown drop or root)" in capsys.readouterr().err
    with pytest.raises(BadInput, match=r"\(to go on without it: unknown='drop' or 'root'\)"):
        score(TREE, [["x"]], {"s": [["b"]]}, "hf")
    assert main(["check", "tree.tsv", "true.tsv", "one.tsv"]) == 1


def test_costs_inside_measures_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("tree.tsv").write_text("r\ta\nr\td\na\tb\na\tc\n")
    Path("true.tsv").write_text("1\tb\n2\td\n")
    Path("one.tsv").write_text("1\tc\n2\tc\n")
    Path("two.tsv").write_text("1\tb\n2\tc\n")
    files = ["tree.tsv", "true.tsv", "one.tsv"]
    tell = ["--format", "json", "--quiet"]
    main(["score", *files, "-m", "gie(cost=decayed(w0=0.25))", *tell])
    main(["score", *files, "-m", "gie", "--set", "cost=decayed(w0=0.25)", *tell])
    main(["score", *files, "-m", "gie(cost='decayed(w0=0.25)')", *tell])
    out = capsys.readouterr().out
    one, two, three = (json.loads(part + "}") for part in out.split("\n}\n")[:3])
    assert one == two == three
    assert main(["compare", *files, "two.tsv", "-m", "gie", "--quiet",
                 "--vary", "cost=hops,decayed(w0=0.5,depth=max),wu_palmer"]) == 0  # fmt: skip
    assert "decayed(w0=0.5,depth='max',normalise='none')" in capsys.readouterr().out
