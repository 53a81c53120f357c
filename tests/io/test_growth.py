"""Hostile and unlucky input takes time in proportion to its size: twice as much, not four times."""

import time

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelSets, read_hierarchy, read_labels, score
from hierpair.checks import lint
from hierpair.errors import did_you_mean, first_repeated
from hierpair.labels import Columns
from hierpair.labels.node_scores import NodeScores
from hierpair.probabilistic.probability_files import read_scores

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b")])
FACTOR, MOST = 8, 24
"""An input of eight times the size may take 24 times as long; a square would take 64."""


def names(n):
    return [f"name {i}" for i in range(n)]


def twice_at_the_end(n):
    return [*names(n), f"name {n - 2}"]


def repeated_keys(tmp_path, n):
    path = tmp_path / "t.json"
    path.write_text("{" + ",".join(f'"{name}": "r"' for name in twice_at_the_end(n)) + "}")
    with pytest.raises(BadInput, match="twice in one JSON object"):
        read_hierarchy(path)


def different_keys(tmp_path, n):
    path = tmp_path / "y.jsonl"
    lines = (f'{{"id": "{i}", "labels": ["a"], "k{i}": 1}}' for i in range(n))
    path.write_text("\n".join(lines))
    assert len(read_labels(path, TREE)) == n


def repeated_header(tmp_path, n):
    path = tmp_path / "y.csv"
    path.write_text(",".join(twice_at_the_end(n)) + "\n")
    with pytest.raises(BadInput, match="two columns are called"):
        read_labels(path, TREE)


def repeated_instances(tmp_path, n):
    path = tmp_path / "s.jsonl"
    path.write_text(
        "\n".join(f'{{"id": "{i}", "scores": {{"a": 1}}}}' for i in twice_at_the_end(n))
    )
    with pytest.raises(BadInput, match="already occurs"):
        read_scores(path, TREE)


def replaced_terms(tmp_path, n):
    path = tmp_path / "t.obo"
    chain = "".join(f"[Term]\nid: {i}\nis_obsolete: true\nreplaced_by: {i + 1}\n" for i in range(n))
    path.write_text(f"{chain}[Term]\nid: {n}\n")
    assert read_hierarchy(path).aliases[str(n - 1)] == str(n)


def strange_paths(tmp_path, n):
    (tmp_path / "t").write_text("".join(f"r\t{name}\n" for name in names(n)))
    (tmp_path / "y").write_text("".join(f"r/{name}x\n" for name in names(n)))
    options = {"columns": Columns(paths="/", separator=";")}
    report = lint(tmp_path / "t", tmp_path / "y", label_options=options)
    assert report.count("error") == n


def repeated_columns(_, n):
    columns = twice_at_the_end(n)
    with pytest.raises(BadInput, match="two columns"):
        LabelSets.from_indicator(np.zeros((1, n + 1)), TREE, classes=columns)
    tree = Hierarchy.from_edges([("r", name) for name in names(n)])
    with pytest.raises(BadInput, match="two columns"):
        NodeScores.from_array(np.zeros((1, n + 1)), tree, classes=columns)


def many_measures(_, n):
    listed = [f"hf(beta={i + 1})" for i in range(n // 200)]
    score(TREE, ["a"], ["b"], listed)


GROWING = {
    "repeated keys": (repeated_keys, 3_000),
    "different keys": (different_keys, 1_000),
    "repeated header": (repeated_header, 3_000),
    "repeated instances": (repeated_instances, 2_000),
    "replaced terms": (replaced_terms, 1_000),
    "strange paths": (strange_paths, 500),
    "repeated columns": (repeated_columns, 2_000),
    "many measures": (many_measures, 2_000),
}


def took(grow, tmp_path, n):
    """Return the least CPU time of three runs: others on the machine only add to it."""
    times = []
    for _ in range(3):
        began = time.process_time()
        grow(tmp_path, n)
        times.append(time.process_time() - began)
    return min(times)


@pytest.mark.release
@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", GROWING)
def test_time_grows_with_the_size(tmp_path, kind):
    grow, n = GROWING[kind]
    small, large = took(grow, tmp_path, n), took(grow, tmp_path, FACTOR * n)
    assert large < MOST * max(small, 0.003), (small, large)


def test_long_names_are_not_compared():
    word = "".join(chr(97 + i * i % 26) for i in range(3_000))
    began = time.process_time()
    assert did_you_mean(word, [word[:-k] for k in range(1, 300)]) == ""
    assert time.process_time() - began < 2
    assert did_you_mean("abcd" * 40, ["abcd" * 40 + "e"])


def test_first_repeated():
    assert first_repeated([]) is None
    assert first_repeated([1, 2, 3, 2, 1]) == 2


def test_a_word_in_other_capitals_is_meant_before_a_similar_one():
    known = ["Sports", "Spots", "Pots", "Potts"]
    assert did_you_mean("pots", known) == "; did you mean 'Pots'?"
    assert did_you_mean("POTS", known) == "; did you mean 'Pots'?"


def test_of_ids_that_are_equally_near_none_is_suggested():
    ids = [f"sku-{k:03d}" for k in range(60)]
    assert did_you_mean("sku-999", ids) == ""
    assert did_you_mean("SKU-999", ids) == ""
    assert did_you_mean("SKU-007", ids) == "; did you mean 'sku-007'?"
    assert did_you_mean("dog1", ["dog12", "cat"]) == "; did you mean 'dog12'?"
    assert did_you_mean("recal", ["recall1", "recall2", "x"])  # words are
