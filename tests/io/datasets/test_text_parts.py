"""Text read in blocks of rows: the same labels and messages as read at once."""

import gzip
import json
import os
import re
import tracemalloc

import pytest

from hierpair import BadInput
from hierpair.io import LABEL_FORMATS, Format, formats
from hierpair.io import text as text_blocks
from hierpair.io.datasets import label_sets, open_dataset
from hierpair.labels import Columns, LabelRows

from .streamed import TREE, check_same, streamed, where, whole

BROKEN = {
    "table": ["x\ta1", "y a1", "z\tb1"],
    "table ": ["x\ta1", "\ta1"],
    "long": ["x\ta1\t0.5", "y\ta1", "z\tb1\t0.5"],
    "long ": ["x\ta1\tlow", "y\ta1\thigh"],
    "csv": ["id,labels", "x,a1", "y"],
    "csv ": ["id,labels", 'x,"a1', "y,a1"],
    "csv  ": ["id;labels", "x;a1"],
    "csv   ": ["id,id,labels", "x,x,a1"],
    "tsv": ["id\tlabels", "x\ta1\ta1"],
    "jsonl": ['{"id": "x", "labels": ["a1"]}', '{"id": "y"}'],
    "jsonl ": ['{"id": "x", "labels": ["a1"]}', '{"id": "y", "labels": [1.5]}'],
    "jsonl  ": ['{"id": "x", "labels": ["a1"]}', '{"id": "y", "labels": ["a1"]'],
    "jsonl   ": ['{"id": "x", "labels": ["a1"]}', '{"id": "", "labels": []}'],
    "lines": ["a1", "a1 zz"],
    "lines ": ["a1", "a1\0"],
}


@pytest.mark.parametrize("form", BROKEN)
@pytest.mark.parametrize("before", [0, 20])
def test_faults_are_named_by_their_line(tmp_path, form, before):
    fmt, lines = form.strip(), BROKEN[form]
    filler = {"lines": "r", "jsonl": '{{"id": "n{}", "labels": ["r"]}}', "csv": "n{},r",
              "tsv": "n{}\tr", "table": "n{}\tr", "long": lines[0].replace("x", "n{}")}[fmt]  # fmt: skip
    at = 1
    lines = lines[:at] + [filler.format(i) for i in range(before)] + lines[at:]
    path = tmp_path / f"t.{fmt}"
    path.write_text("\n".join(lines) + "\n")
    said = check_same(path, (1, 2, 7, 1000), fmt=fmt)
    assert isinstance(said, str)
    assert f"t.{fmt}" in said


def test_bombs_and_endless_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(text_blocks, "BOMB_TEXT", 1000)
    path = tmp_path / "t.gz"
    path.write_bytes(gzip.compress(b"a1\n" * 100_000))
    assert re.search(r"t\.gz: [\d,]+ bytes unpack to more than", streamed(path, fmt="lines"))
    monkeypatch.setattr(text_blocks, "LONGEST_LINE", 1000)
    monkeypatch.setattr(text_blocks, "BLOCK", 512)
    path = tmp_path / "t.txt"
    path.write_bytes(b"a1\na2\n" + b"a1 " * 100_000)
    assert "t.txt:3: a line of 4," in streamed(path, fmt="lines")


def test_memory_is_bounded_by_what_is_read_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(text_blocks, "BLOCK", 2**16)
    path = tmp_path / "t.csv"
    with path.open("w") as out:
        out.write("id,labels\n")
        out.writelines(f"d{i},a1\n" for i in range(40_000))
    data = open_dataset(path, batch_rows=2000)
    tracemalloc.start()
    n = sum(rows.n_rows for rows in data.read(data.parts[0]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n == 40_000
    assert peak < 3_000_000
    monkeypatch.setattr(formats, "BATCH_CHARACTERS", 20_000)
    monkeypatch.setattr(formats, "STEP", 100)
    assert max(rows.n_rows for rows in open_dataset(path).rows()) < 3000  # long lines, fewer rows


def test_conditions_scores_and_keys_that_come_later(tmp_path):
    path = tmp_path / "t.jsonl"
    rows = [{"id": i, "labels": ["a1"], **({"w": "x"} if i > 3 else {})} for i in range(9)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = check_same(path, (4, 100), columns=where(Columns(), ("w", "x")))
    assert found["ids"] == ["4", "5", "6", "7", "8"]
    path = tmp_path / "t.tsv"
    path.write_text("id\tlabels\tscore\nx\ta1\t0.5\n")
    assert check_same(path)["unused"]
    with pytest.raises(BadInput, match="read as lines, which has no named columns"):
        open_dataset(path, "lines", columns=Columns(ids="id"))


def test_forms_that_are_read_at_once_only(tmp_path):
    path = tmp_path / "t.npz"
    path.write_bytes(b"")
    with pytest.raises(BadInput, match=r"npz is only read whole; data sets are Parquet or text"):
        open_dataset(path)
    form = Format("plus", "", lambda s: LabelRows([], lambda i, k: ""), endings=(".plus",))
    LABEL_FORMATS.add(form)
    try:
        (tmp_path / "t.plus").write_text("a1+b1\n")
        with pytest.raises(BadInput, match="plus is only read whole"):
            open_dataset(tmp_path / "t.plus")
    finally:
        LABEL_FORMATS.remove("plus")


def test_folders_of_text(tmp_path):
    for split in ("a", "b"):
        (tmp_path / f"split={split}").mkdir()
        (tmp_path / f"split={split}" / "0.csv").write_text(f"id,truth,svm\n{split}1,a1,a2\n")
    data = open_dataset(tmp_path)
    assert (data.names, data.n_rows) == (("id", "truth", "svm"), None)
    assert [part.id for part in data.parts] == ["split=a/0.csv", "split=b/0.csv"]
    (rows,) = data.read(data.parts[1])
    found = label_sets(rows, TREE, truth="truth", systems=["svm"])
    assert found.ids.to_pylist() == ["b1"]
    assert found.systems["svm"].names_of(0, TREE) == ["a2"]
    (tmp_path / "split=b" / "0.csv").write_text("id,truth\nb1,a1\n")
    with pytest.raises(
        BadInput, match=r"split=b/0\.csv: there is no column 'svm', which .*split=a"
    ):
        open_dataset(tmp_path)
    some = open_dataset(tmp_path / "split=a", columns=where(Columns(), ("truth", "zz")))
    assert list(some.read(some.parts[0])) == []


def test_links_in_folders_are_followed_and_none_is_lost(tmp_path):
    """A link that leads nowhere, a pipe or a circle is no reason to score fewer rows."""
    away, here = tmp_path / "away", tmp_path / "here"
    for folder in (away, here):
        folder.mkdir()
    (away / "1.csv").write_text("id,truth\nb,a1\n")
    (here / "0.csv").write_text("id,truth\na,a1\n")
    (here / "day 1").symlink_to(away)
    assert [part.id for part in open_dataset(here).parts] == ["0.csv", "day 1/1.csv"]
    odd = here / "2.csv"
    odd.symlink_to(tmp_path / "gone.csv")
    for given in (here, str(here / "*.csv")):
        with pytest.raises(BadInput, match=r"2\.csv: there is no such file, or it is a pipe, or a"):
            open_dataset(given)
    odd.unlink()
    os.mkfifo(odd)
    with pytest.raises(BadInput, match=r"2\.csv: there is no such file, or it is a pipe"):
        open_dataset(here)
    odd.rename(here / "_2.csv")
    assert len(open_dataset(here).parts) == 2
    (away / "back").symlink_to(here)
    (here / "circle").symlink_to(here)
    with pytest.raises(BadInput, match="circle: this folder comes twice, by a link"):
        open_dataset(here)


@pytest.mark.parametrize(("fmt", "text"), [
    ("long", "x a1 0.5\n\ny a2 0.25\nx b3 1.00\n"),
    ("long", "instance_id\tlabel\nx\ta1\ny\n"),
    ("table", "\nimage\tcategory\nx\ta1|b2\ny\t\n"),
])  # fmt: skip
@pytest.mark.parametrize("rows", [1, 1000])
def test_all_that_a_form_passes_over_is_passed_over_in_parts_too(tmp_path, fmt, text, rows):
    path = tmp_path / "t"
    path.write_text(text)
    columns = Columns(long=fmt == "long", min_score=0.3 if "0.5" in text else None)
    expected = whole(path, fmt=fmt, columns=columns)
    assert len(expected["sets"]) == 2
    assert streamed(path, fmt=fmt, columns=columns, rows=rows) == expected
