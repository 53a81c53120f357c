"""``hierpair weights``."""

import pytest

from hierpair.cli import main

FILES = {
    "tree.tsv": "r\ta\nr\tb\na\td\nb\td\n",
    "labels.tsv": "x\ta\ny\tb\nz\ta|b\nw\td\n",
    "spaces.tsv": "r\tp\na\tp\nb\tq\nd\tq\n",
    "few.tsv": "r\tp\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def weights(capsys, *more):
    assert main(["weights", "tree.tsv", "labels.tsv", *more]) == 0
    out, err = capsys.readouterr()
    lines = [line.split("\t") for line in out.splitlines()]
    return {c: round(float(w), 3) for c, w in lines}, err


def test_every_kind(capsys):
    found, said = weights(capsys)
    assert found == {"r": 0, "a": 0.322, "b": 0.322, "d": 0.585}
    assert said == ""
    assert weights(capsys, "--kind", "ic", "--smooth", "0")[0] == {
        "r": 0,
        "a": 0.415,
        "b": 0.415,
        "d": 2,
    }
    assert weights(capsys, "--kind", "icm")[0]["d"] == 1


def test_namespaces(capsys):
    assert weights(capsys, "--by", "spaces.tsv")[0] == {"r": 0, "a": 0, "b": 0, "d": 1}


def test_what_was_written_is_read(capsys, folder):
    assert main(["weights", "tree.tsv", "labels.tsv", "-o", "ia.tsv", "-q"]) == 0
    assert (folder / "ia.tsv").read_text().startswith("r\t0.0\na\t0.32192809488736235\n")


@pytest.mark.parametrize(('words', 'said'), [
    (['tree.tsv'], 'give a hierarchy, and a file of annotations'),
    (['tree.tsv', 'labels.tsv', '--smooth', '2'], 'smooth must be 0 or 1, got 2'),
    (['tree.tsv', 'labels.tsv', '--by', 'few.tsv'], 'few.tsv: 3 classes of the hierarchy without a group'),
    (['tree.tsv', 'labels.tsv', '--kind', 'icm', '--by', 'spaces.tsv'], '--by cannot be given with --kind icm'),
    (['tree.tsv', 'spaces.tsv'], 'spaces.tsv:'),
])  # fmt: skip
def test_errors_are_one_line(capsys, words, said):
    assert main(["weights", *words]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
