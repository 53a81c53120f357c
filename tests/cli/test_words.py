"""Words of the command line that nobody expects: two dashes, none at all, endless ones; and names."""

from pathlib import Path

import numpy as np
import pytest

from hierpair.cli import main
from hierpair.cli.main import VERBS
from hierpair.cli.sides import name_of, systems_of
from hierpair.errors import BadInput
from hierpair.io import LABEL_FORMATS

NEEDED = {"convert": ["t", "--to=json"], "decode": ["t", "d", "-m=hf"], "merge": ["x.hp"]}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t").write_text("r\ta\nr\tb\na\tc\n")
    Path("y").write_text("1\tc\n2\tb\n")
    Path("p").write_text("1\ta\n2\tb\n")
    Path("d").write_text("1\ta\t0.6\n1\tc\t0.4\n")


def options(verb):
    """The options of a verb that take a value."""
    return [a for a in VERBS[verb].parser._actions if a.nargs in (None, "?")]


@pytest.mark.parametrize("verb", VERBS)
def test_two_dashes_are_a_value_of_every_option(verb, capsys):
    """They are taken as they stand, or refused as what they are."""
    for action in options(verb):
        words = [*NEEDED.get(verb, ["t", "y", "p"]), f"{action.option_strings[-1]}=--"]
        try:
            given = getattr(VERBS[verb].parser.parse_known_args(words)[0], action.dest)
        except SystemExit:
            assert action.type
            assert "'--'" in capsys.readouterr().err
        else:
            assert given in ("--", ["--"], ["hf", "--"])


@pytest.mark.parametrize("verb", ["score", "check", "compare"])
def test_two_dashes_end_in_no_internal_error(verb, capsys):
    for action in options(verb):
        assert main([verb, "t", "y", "p", "-q", f"{action.option_strings[-1]}=--"]) in (0, 1, 2)
        assert "internal error" not in capsys.readouterr().err


def test_two_dashes_as_a_separator_and_before_files(capsys):
    Path("gold.jsonl").write_text('{"id":"x","labels":["a","a--c"]}\n')
    Path("run.jsonl").write_text('{"id":"x","labels":["a--c"]}\n')
    said = ["score", "-m", "hf", "--format=csv", "-q", "--paths=--"]
    assert main([*said, "--", "t", "gold.jsonl", "run.jsonl"]) == 0
    assert "run,hf,1.0" in capsys.readouterr().out


# ------------------------------------------------------------------------------ names of systems

KNOWN = sorted(
    {"", ".txt", ".tsv", ".TSV", ".json"}.union(*(f.endings for f in LABEL_FORMATS.values()))
)


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("ending", KNOWN)
@pytest.mark.parametrize(
    "name", ["bert-0.1", "model_v1.2", "a", "2024.05.01-run", "x.y", ".hidden"]
)
def test_only_known_endings_are_cut_from_names(name, ending, packed):
    assert name_of(f"some/where.else/{name}{ending}{packed}") == name


def test_systems_with_dots_in_their_names(capsys):
    for name in ("bert-0.1.tsv", "bert-0.2.tsv"):
        Path(name).write_text(Path("p").read_text())
    assert (
        main(["score", "t", "y", "bert-0.1.tsv", "bert-0.2.tsv", "-m", "hf", "--format=csv"]) == 0
    )
    rows = capsys.readouterr().out.splitlines()[1:]
    assert [row.split(",")[0] for row in rows] == ["bert-0.1", "bert-0.2"]
    with pytest.raises(BadInput, match="cannot read the system"):
        systems_of([".."], folders=True)


# ------------------------------------------------------------------------------ what is said


@pytest.mark.parametrize("files", [["", "y", "p"], ["t", "", "p"], ["t", "y", ""], [""]])
@pytest.mark.parametrize("verb", ["score", "check", "compare", "explain", "curve", "report"])
def test_a_file_without_a_name(verb, files, capsys):
    assert main([verb, *files]) == 2
    assert capsys.readouterr().err == "hierpair: the name of a file is empty\n"


def test_costs_without_a_name(capsys):
    assert main(["score", "t", "y", "p", "-m", "mean_cost(cost=lin(''))"]) == 2
    assert "'': there is no such file" in capsys.readouterr().err


LONG = "x" * 100_000


@pytest.mark.parametrize(
    "words",
    [
        [LONG], ["score", LONG, "y", "p"], ["score", "t", LONG, "p"], ["score", "t", "y", LONG],
        ["score", "t", "y", "p", "-m", LONG], ["score", "t", "y", "p", f"--{LONG}"],
        ["score", "t", "y", "p", "--average", LONG], ["score", "t", "y", "p", "--config", LONG],
        ["score", "t", "y", "p", "--plugin", LONG], ["score", "t", "y", "p", "--format", LONG],
        ["score", "t", "y", "p", "--rename", LONG], ["check", "t", "y", "--label-format", LONG],
        ["verify", LONG], ["convert", "t", "--to", LONG],
    ],
)  # fmt: skip
def test_messages_do_not_repeat_endless_words(words, capsys):
    try:
        code = main(words)
    except SystemExit as stop:
        code = stop.code
    err = capsys.readouterr().err
    assert code == 2, err[:300]
    assert err.startswith("hierpair: ")
    assert len(err.splitlines()) == 1
    assert len(err) < 1500


@pytest.mark.parametrize(
    "words",
    [
        ["score", "t", "y", "p", "-m", "hf", "--rename", "x"],
        ["compare", "t", "y", "p", "q=p", "-m", "hf", "--bootstrap", "9", "--picture", "no/x.svg"],
        ["curve", "t", "y", "d", "--picture", "no/x.svg"],
        ["score", "t", "y", "p", "-m", "hf", "-o", "no/x"],
    ],
)
def test_nothing_is_said_to_be_done_before_an_error(words, capsys):
    assert main(words) == 2
    assert "scored on" not in capsys.readouterr().err


def test_what_was_done_is_said(capsys):
    for verb in ("score", "compare"):
        assert main([verb, "t", "y", "p", "q=p", "-m", "hf"]) == 0
        assert capsys.readouterr().err.endswith("scored on a tree of 4 classes and 3 edges, root "
                                                "'r', 2 levels below\n")  # fmt: skip


# ------------------------------------------------------------------------------ files of options

TOML = {
    "deep": "a = " + "[" * 20_000 + "]" * 20_000,
    "long": f"beta = {'9' * 5000}",
    "hexadecimal": f"beta = 0x{'f' * 90_000}",
    "hierarchy": f"hierarchy = 0x{'f' * 90_000}",
    "value": 'hierarchy = "t"\ntruth = "y"\nsystems = {s = "p"}\n[[claims]]\nsystem = "s"\n'
             f'measure = "hf"\nvalue = 0x{"f" * 90_000}',
}  # fmt: skip


@pytest.mark.parametrize(
    "words", [["score", "t", "y", "p", "--config", "x.toml"], ["verify", "x.toml"]]
)
@pytest.mark.parametrize("kind", TOML)
def test_hostile_toml_is_one_message(kind, words, capsys):
    Path("x.toml").write_text(TOML[kind])
    assert main(words) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert "x.toml" in err
    assert len(err) < 300


@pytest.mark.parametrize("digits", [400, 5000])
@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("t.json", '[["r", "a", {}]]', ["convert", "t.json", "--to", "json"]),
        ("d.jsonl", '{{"id": 1, "scores": {{"a": {}}}}}', ["decode", "t", "d.jsonl", "-m", "hf"]),
        ("d.jsonl", '{{"id": 1, "scores": {{"a": {}}}}}', ["curve", "t", "y", "d.jsonl"]),
        ("d.jsonl", '{{"id": 1, "scenarios": [{{"p": {}, "labels": ["a"]}}]}}',
         ["decode", "t", "d.jsonl", "-m", "hf"]),
    ],
)  # fmt: skip
def test_endless_numbers_in_json_are_one_message(file, text, words, digits, capsys):
    Path(file).write_text(text.format("9" * digits) + "\n")
    assert main(words) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert err.startswith(f"hierpair: {file}")


@pytest.mark.parametrize("absent", ["indptr", "indices", "data", "shape"])
@pytest.mark.parametrize("form", [{"format": np.array("csr")}, {"format": np.array(b"csr")}, {}])
def test_a_sparse_matrix_that_lacks_a_part(absent, form, capsys):
    parts = {"data": np.ones(2), "indices": np.array([0, 1]), "indptr": np.array([0, 1, 2]),
             "shape": np.array([2, 2])}  # fmt: skip
    np.savez("p.npz", **{k: v for k, v in parts.items() if k != absent}, **form)
    assert main(["score", "t", "y", "p.npz"]) == 2
    said = capsys.readouterr().err
    assert "p.npz: no matrix of NumPy or scipy.sparse (names are texts, dtype str): " in said
    assert absent in said if form else "expected one matrix beside" in said
