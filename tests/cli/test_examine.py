"""hierpair examine: properties of measures on the command line."""

import json

import pytest

from hierpair.cli.main import main

OWN = '''
from hierpair import property_of_measures, set_measure

@set_measure(formula="1", source="ours", direction="higher", range="[0, 1]")
def content(n_both):
    """Everything is fine."""
    return 0 * n_both + 1

@property_of_measures(relation=">")
def no_flattery(world):
    """Right is better than wrong."""
    for c in range(2, world.n):
        yield [([1], [1]), ([1], [c])]
'''

FEW = ["--scope", "3", "--samples", "0"]


@pytest.fixture
def forgotten():
    """Forget what a plugin registers."""
    from hierpair.verification.properties import PROPERTIES

    yield
    for known in (PROPERTIES,):
        known.pop("no_flattery", None)


def test_a_demanded_property_that_is_violated_ends_with_1(capsys):
    """It names the case."""
    words = ["examine", "-m", "mgia", "-m", "symmetric_difference", "--property", "add_wrong", *FEW]
    assert main([*words, "--fail-if-violated", "add_wrong"]) == 1
    out, err = capsys.readouterr()
    assert "mgia violates add_wrong: 0→1, 0→2, 0→3: expected" in err
    assert "symmetric_difference violates" not in err
    assert "property   kind" in out
    assert (
        main(
            ["examine", "-m", "symmetric_difference", *words[5:], "--fail-if-violated", "add_wrong"]
        )
        == 0
    )


@pytest.mark.exhaustive
def test_the_least_case_is_explained_and_drawn(tmp_path, capsys):
    """Of a single measure and property."""
    words = ["examine", "-m", "gie", "--property", "add_right", *FEW]
    assert main([*words, "--picture", str(tmp_path / "why.svg")]) == 0
    out = capsys.readouterr().out
    assert "gie = 5.0000 (lower is better)" in out
    assert "gie = 2.0000 (lower is better)" in out
    assert (tmp_path / "why.svg").read_text("utf-8").startswith("<?xml")
    assert main([*words, "-m", "hf", "--picture", str(tmp_path / "other.svg")]) == 2
    assert "a single measure and a single --property" in capsys.readouterr().err
    assert main(["examine", "-m", "hf", *words[3:], "--picture", str(tmp_path / "none.svg")]) == 0
    assert "nothing to draw" in capsys.readouterr().err
    assert not (tmp_path / "none.svg").exists()


def test_a_measure_and_a_property_of_ones_own(tmp_path, capsys, forgotten):
    """From a plugin; also in other forms."""
    own = tmp_path / "own.py"
    own.write_text(OWN, encoding="utf-8")
    words = ["examine", "--plugin", str(own), "-m", "content", "--property", "no_flattery", *FEW]
    assert main([*words, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["outcomes"][0]["verdict"] == "always violated"
    assert told["properties"][0]["statement"] == "Right is better than wrong."


def test_the_list_of_properties(capsys):
    """In every form."""
    assert main(["examine", "--list", "--format", "tsv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 42
    assert lines[1].startswith("identity\tD\tv(T,T) ≥ v(T,P)\t")
    assert main(["examine", "--list"]) == 0


@pytest.mark.parametrize(('words', 'message'), [
    ([], 'name the measures to examine, such as hf'),
    (['-m', 'hf', '--property', 'add_wrnog'], "did you mean 'add_wrong'"),
    (['-m', 'hf', '--fail-if-violated', 'x'], "there is no property 'x'"),
    (['-m', 'hf', '--scope', '9'], '0 to 6, got 9'),
])  # fmt: skip
def test_what_cannot_be_meant_is_refused(words, message, capsys):
    """With exit code 2."""
    assert main(["examine", *words]) == 2
    assert message in capsys.readouterr().err


def test_random_witnesses_in_parts_of_a_hierarchy(tmp_path, capsys):
    """Read as by every verb; counterexamples are named by its classes."""
    tree = tmp_path / "tree.tsv"
    tree.write_text("food\tbread\nfood\tcheese\ncheese\tbrie\ncheese\tgouda\n", encoding="utf-8")
    words = ["examine", str(tree), "-m", "f", "--property", "partial_credit", "--scope", "0"]
    assert main([*words, "--samples", "96", "--format", "csv"]) == 0
    out = capsys.readouterr().out
    assert "violated in all drawn" in out
    assert "cheese" in out
    assert main([*words, str(tmp_path / "truth.tsv")]) == 2
    assert "truth.tsv" in capsys.readouterr().err
