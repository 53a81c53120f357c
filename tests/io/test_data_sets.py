"""A table that does not fit is read as one that does: the same labels, and the same refusals.

Parquet and text, files and folders, part by part and batch by batch, against the reader of whole files.
"""

import gzip
import json
import os
import pickle
import re
import tracemalloc
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, read_labels
from hierpair.io import LABEL_FORMATS, Format, formats
from hierpair.io import text as text_blocks
from hierpair.io.datasets import check_ids, joined, label_sets, open_dataset
from hierpair.io.files import inputs_guarded, replace_file
from hierpair.labels import Columns, LabelRows
from hierpair.labels.naming import AsWritten
from tests import effort
from tests.reading import put, refuses

EDGES = [("r", f"a{i}") for i in range(4)] + [(f"a{i % 4}", f"b{i}") for i in range(12)]
TREE = Hierarchy.from_edges([*EDGES, ("r", "p|q"), ("r", "é"), ("r", "7")])


def plain(sets, ids):
    """Return everything that label sets say, as lists; labels as they were written count."""
    written = sets.as_written or AsWritten(sets.indptr, sets.indices)
    blank = np.zeros(len(sets), int) if written.n_blank is None else written.n_blank
    said = {"ids": ids, "blank": blank.tolist(), "n_unknown": sets.n_unknown}
    said["unused"] = sets.unused_scores
    for name, flat, ends in (("sets", sets.indices, sets.indptr), ("rows", written.classes, written.ptr),
                             ("paths", written.nodes, written.node_ptr)):  # fmt: skip
        said[name] = [] if flat is None else [flat[a:b].tolist() for a, b in pairwise(ends)]
    return said


def whole(path, *, columns=None, unknown="error", fmt="auto"):
    """Read a file at once; return what it says, or what is wrong with it."""
    try:
        sets = read_labels(path, TREE, columns=columns, unknown=unknown, fmt=fmt)
    except BadInput as error:
        return str(error)
    return plain(sets, None if sets.ids is None else list(sets.ids))


def streamed(path, *, columns=None, unknown="error", rows=7, fmt="auto", **how):
    """Read a data set batch by batch; return the same."""
    columns = columns or Columns()
    try:
        data = open_dataset(path, fmt, columns=columns, batch_rows=rows, **how)
        if columns.long or data.columns.long:
            with joined(data, {}) as table:
                total = read(table.data, table.truth, unknown)
                return {**total, "unused": bool(table.unused_scores)}
        return read(data, data.columns, unknown)
    except BadInput as error:
        return str(error)


def read(data, meaning, unknown):
    """Return what one column of a data set says."""
    total = None
    for batch in data.rows():
        found = label_sets(batch, TREE, truth=replace(meaning, where=()), unknown=unknown)
        one = plain(found.truth, None if found.ids is None else found.ids.to_pylist())
        total = {k: x if x is None else total[k] + x for k, x in one.items()} if total else one
    return total and {**total, "unused": bool(total["unused"])}


CLASSES = ["a0", "a1", "b2", "r", "7", "é", "p"]
LABEL = st.sampled_from([*CLASSES, " a1", "a1 ", "zz", "", "\u00a0a1", "A1", '"a1"', "1.0"])
CELL = st.lists(LABEL, max_size=3).map("|".join)
LISTS = [pa.list_(pa.string()), pa.large_list(pa.string()),
         pa.list_(pa.dictionary(pa.int32(), pa.large_string()))]  # fmt: skip


ODD_IDS = st.sampled_from(["", " ", "d0", " d1", "é", "NA", "1"])


def both(path, fmt="auto", columns=None, unknown="error", *, at_once=True, exact=False):
    """Compare the readers; ids that come twice are found by another check in the large.

    Of several faults another one may come first in parts, if it need not be ``exact``.
    """
    expected = whole(path, fmt=fmt, columns=columns, unknown=unknown)
    wrong = expected if isinstance(expected, str) else ""
    if wrong:  # only of a small file the first line may be asked about
        expected = wrong.partition("; or is this line a header?")[0]
    no_text = "is not UTF-8" in wrong or "a NUL byte" in wrong
    for rows in (1, 3, 7, 1000):
        found = streamed(path, fmt=fmt, columns=columns, unknown=unknown, rows=rows)
        if found is None:  # scoring says so
            found = f"{path}: the file has no instances"
        two = isinstance(found, str) and wrong
        if "already occurs at" in wrong and found != expected:
            refuses("already occurs at", check_ids, open_dataset(path, fmt, columns=columns))
        elif two and (no_text or not at_once or not (exact or rows == 1000)):
            assert str(path) in found
        elif two and (columns or fmt == "long"):  # what is put together does not know its row
            assert without_row(found) == without_row(expected), rows
        elif not (wrong or columns) and len(expected["ids"] or "") < len(found["ids"] or ""):
            assert len({*found["ids"]}) < len(found["ids"])  # a small file may have a label per row
        elif "looks like a header" not in wrong:
            assert found == expected, rows
    return expected


def without_row(said):
    return re.sub(r":( row )?\d+(?=, instance)", "", said)


@given(st.data())
@settings(max_examples=effort.cases(150), deadline=None)
def test_generated_tables(tmp_path_factory, data):
    """Columns in any order and by any of their names, blanks, odd labels, quotes, line ends."""
    folder = tmp_path_factory.mktemp("t")
    fmt = data.draw(st.sampled_from(["csv", "tsv", "table", "jsonl", "lines", "parquet"]))
    n = data.draw(st.integers(0, 12))
    labels = [data.draw(CELL) for _ in range(n)]
    odd = [data.draw(st.integers(0, 14)) == 7 for _ in range(n)]
    ids = [data.draw(ODD_IDS) if one else f"d{i}" for i, one in enumerate(odd)]
    table = {data.draw(st.sampled_from(["id", "Instance", " instance_id"])): ids,
             data.draw(st.sampled_from(["labels", "Class", "classes"])): labels,
             "note": [data.draw(st.sampled_from(["", "x", "a, b", 'say "x"'])) for _ in range(n)]}  # fmt: skip
    names = data.draw(st.permutations(list(table)))
    path, end = folder / f"t.{fmt}", data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    if fmt == "parquet":
        if data.draw(st.booleans()):  # lists come numbered, as the file has them
            lists = st.none() | st.lists(LABEL | st.sampled_from(["a1", None]), max_size=4)
            kind = data.draw(st.sampled_from(LISTS))
            table[[*table][1]] = pa.array([data.draw(lists) for _ in range(n)], LISTS[0]).cast(kind)
        numbered = data.draw(st.booleans())
        pq.write_table(pa.table(table), path, row_group_size=4, use_dictionary=numbered)
    else:
        path.write_bytes(text_of(fmt, names, table, end, data).encode())
    with pytest.MonkeyPatch.context() as patched:
        block = data.draw(st.sampled_from([5, 40, 2**20]))
        patched.setattr(text_blocks, "BLOCK", block)
        unknown = data.draw(st.sampled_from(["error", "drop", "root"]))
        both(path, fmt, unknown=unknown, at_once=block == 2**20)


def text_of(fmt, names, table, end, data):
    """Write a table as text, with blank lines here and there."""
    columns = list(table.values())
    if fmt == "lines":
        return end.join(x.replace("|", " ") for x in columns[1]) + end
    if fmt == "jsonl":
        rows = [dict(zip(table, row, strict=True)) for row in zip(*columns, strict=True)]
        return "".join(json.dumps(row) + end for row in rows)
    if fmt == "table":
        rows = [f"{a}\t{b}" for a, b in zip(columns[0], columns[1], strict=True)]
    else:
        cells = [names, *zip(*(table[name] for name in names), strict=True)]
        if fmt == "csv":
            marks = data.draw(st.sampled_from([".", '[,"\r\n]']))  # always, or where it must be
            cells = [['"' + x.replace('"', '""') + '"' if re.search(marks, x) else x for x in row]
                     for row in cells]  # fmt: skip
        rows = [{"csv": ",", "tsv": "\t"}[fmt].join(row) for row in cells]
    blank = st.sampled_from(["", "", "", end, f" {end}"])
    return "".join(row + end + data.draw(blank) for row in rows)


@pytest.mark.parametrize(("fmt", "text"), [
    ("csv", 'x,"a1" \n'), ("csv", 'x,"a1\n'), ("csv", 'x, "a1"\n'), ("csv", "x,a1,\n"), ("csv", '"x"",a1\n'),
    ("csv", "\nx,a1\r\ny,b2\r"), ("csv", ","), ("tsv", "x\ta1\t\n"), ("tsv", "x\t\0a1\n"), ("tsv", 'x\t"a1\n'),
    ("table", "x\ta1\t\ny\tb2\n"), ("table", "\x0cx\ta1\u2028\n\ufeffy\tb2\n"),
])  # fmt: skip
@pytest.mark.parametrize("block", [3, 16, 2**20])
@pytest.mark.parametrize("last", [b"", b"\xff", b"\xc3"])
def test_odd_bytes_are_read_alike_or_refused(tmp_path, monkeypatch, fmt, text, block, last):
    """Short and long rows, open quotes, NUL, broken UTF-8, odd line ends; packed or not."""
    head = {"csv": "id,labels\nx0,a1\n", "tsv": "id\tlabels\nx0\ta1\n", "table": "x0\ta1\n"}[fmt]
    content = (head + text).encode() + last
    monkeypatch.setattr(text_blocks, "BLOCK", block)
    for name, written in (("t", content), ("t.gz", gzip.compress(content))):
        (tmp_path / name).write_bytes(written)
        both(tmp_path / name, fmt, at_once=block == 2**20)


@pytest.mark.parametrize(("fmt", "sign"), [("csv", b","), ("tsv", b"\t")])
def test_rows_without_text_are_passed_over_and_bytes_that_are_none_never(
    tmp_path, monkeypatch, fmt, sign
):
    """Before the header and between the rows, counted by errors; in columns that are not read."""
    path, lines = tmp_path / "t", b"\n \nid,labels,note\nx,a1,\n , ,\n\n,,\ny,b2,one\n"
    few = b"\nid,labels,note\nx,a1,\n"
    for text, meant in (
        (lines, ["x", "y"]), (lines + b"z,zz,\n", ":9, instance 'z': class 'zz'"),
        (few + b"z,zz,\n", ":4, instance 'z': class 'zz'"), (few + b"z,a1,\n", ["x", "z"]),
    ):  # fmt: skip
        path.write_bytes(text.replace(b",", sign))
        found = both(path, fmt)
        assert meant in found if isinstance(meant, str) else found["ids"] == meant
    for fault, said in ((b"\0", ":3: a NUL byte"), (b"\xff", ":3: byte 0xff is not UTF-8")):
        text = b"id,labels,note\nx,a1,one\ny,b2,t" + fault + b"\nz,r,three\n"
        path.write_bytes(text.replace(b",", sign))
        assert said in both(path, fmt)
        with monkeypatch.context() as patched:
            patched.setattr(text_blocks, "BLOCK", 8)  # far behind what tells the form
            refuses(said, list, open_dataset(path, fmt).rows(["labels"]))


def written(path, columns, group=5):
    pq.write_table(pa.table(columns), path, row_group_size=group)
    return path


IDS = {"id": ["x", "y"]}
LEVELS = {"labels": ("l1", "l2")}
MEANT = [
    ({"id": [3, 1, 2], "label": [7, 7, None]}, {}, [["7"], ["7"], []]),
    ({"id": [3, 1], "label": [7.0, 1.5]}, {}, "{2}, instance '1': a label must be a name, got 1.5"),
    ({"id": ["x"], "label": [True]}, {}, "a label must be a name"),
    ({"id": list("xyzu"), "labels": ["r/a1/b1", "/r/a2", None, "r/a1/b1|a2"]}, {"paths": "/"},
     [["b1"], ["a2"], [], ["a2", "b1"]]),
    ({**IDS, "labels": ["r/a1", "r/b1"]}, {"paths": "/"}, "{2}, instance 'y': 'b1' is not a child of 'r'"),
    ({"id": list("xyz"), "l1": ["r", None, "r"], "l2": ["a1", None, ""]}, LEVELS, [["a1"], [], ["r"]]),
    ({**IDS, "l1": ["r", ""], "l2": ["a1", "a2"]}, LEVELS, "{2}, instance 'y': level 1 of the path is blank"),
    ({**IDS, "l1": ["r", "r"], "l2": ["a1", "b1"]}, LEVELS, "{2}, instance 'y': 'b1' is not a child of 'r' (levels 1 and 2"),
    ({**IDS, "l1": ["r", None], "l2": ["b1", "a2"]}, {**LEVELS, "each": True}, [["r", "b1"], ["a2"]]),
    ({**IDS, "l1": ["r", None], "l2": ["b1", "zz"]}, {**LEVELS, "each": True}, "instance 'y': class 'zz' is not"),
    ({"book": [1, 1, 2], "half": list("122"), "found": ["a1", "b1; a2", None]},
     {"ids": "book", "labels": ("found",), "separator": ";", "where": (("half", "2"),)}, [["a2", "b1"], []]),
    ({"id": list("xyz"), "labels": ["a1", "zz", "b1"], "half": list("121")}, {"where": (("half", "2"),)},
     "{2}, instance 'y': class 'zz'"),
    ({"id": ["x", "", "y"], "labels": ["a1"] * 3}, {}, "{2}: the instance id is missing"),
    ({"id": ["x", "y", "x"], "labels": ["a1"] * 3}, {}, "{3}: instance 'x' already occurs at {path}{1}"),
    ({"id": ["x", "x"], "label": ["a1", "a1"], "score": [0.5, 1.0]}, {"long": True},
     "{2}: instance 'x' has the label 'a1' with another score at {path}{1}"),
    ({**IDS, "label": ["a1", "a1"], "score": ["0.5", "much"]}, {"long": True},
     "{2}: a score must be a finite number, got 'much'"),
]  # fmt: skip


@pytest.mark.parametrize("fmt", ["csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize(("table", "how", "meant"), MEANT, ids=range(len(MEANT)))
def test_what_columns_mean_and_where_they_are_wrong(tmp_path, fmt, table, how, meant):
    """At once and in parts; the place is that of the file, whatever was left out before."""
    path, sign = tmp_path / f"t.{fmt}", {"csv": ",", "tsv": "\t"}.get(fmt)
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    if fmt == "parquet":
        written(path, table)
    elif fmt == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        cells = [[*table], *(["" if x is None else str(x) for x in row.values()] for row in rows)]
        path.write_text("".join(sign.join(line) + "\n" for line in cells))
    found = both(path, fmt, Columns(**how), exact=True)
    if isinstance(meant, list):
        assert [[TREE.names[c] for c in row] for row in found["sets"]] == meant
    elif sign is None or "must be a name" not in meant:  # in text 1.5 and True are names
        places = [f": row {k}" if fmt == "parquet" else f":{k + bool(sign)}" for k in range(4)]
        assert meant.format(*places, path=path) in found


def many(folder):
    folder.mkdir()
    for k in range(3):
        ids, labels = zip(*[(f"{k}.{i}", CLASSES[(i * 5 + k) % 6]) for i in range(20)], strict=True)
        written(folder / f"part-{k}.parquet", {"id": ids, "labels": labels}, 4)
    return folder


def test_truth_and_systems_of_one_table(tmp_path):
    table = {"doc": ["x", "y", "z"], "truth": ["a1", "a2", "b1|b2"], "id": ["a1", "a1", "a1"],
             "svm": ["a1", "zz", None]}  # fmt: skip
    data = open_dataset(written(tmp_path / "t.parquet", table), columns=Columns(ids="doc"))
    assert (data.names, data.n_rows, len(data.parts)) == (("doc", "truth", "id", "svm"), 3, 1)
    (rows,) = data.read(data.parts[0], ["truth", "svm", "id"])
    how = {"truth": "truth", "systems": {"s": "svm", "i": "id"}, "unknown": "drop"}
    for keep in (False, True):
        found = label_sets(rows, TREE, **how, keep_ids=keep)
        assert found.ids.to_pylist() == table["doc"]
        sets = {"truth": found.truth, **found.systems}
        lengths = {name: one.lengths.tolist() for name, one in sets.items()}
        assert lengths == {"truth": [1, 1, 2], "s": [1, 0, 0], "i": [1, 1, 1]}
        assert found.systems["s"].n_unknown == 1
        assert {one.ids for one in sets.values()} == {("x", "y", "z") if keep else None}
    (few,) = data.read(data.parts[0], ["truth"])
    assert set(few.columns) == {"doc", "truth"}
    refuses("row 2, instance 'y': class 'zz' is", label_sets, rows, TREE, systems=["svm"])
    refuses("there is no column 'svm'", label_sets, few, TREE, systems=["svm"])


def test_parts_are_runs_of_row_groups(tmp_path):
    folder = many(tmp_path / "d")
    for other in ("_SUCCESS", ".part-0.crc"):
        (folder / other).write_text("x")
    data = open_dataset(folder, rows_per_part=8)
    assert [(p.id, p.first_row, p.n_rows) for p in data.parts[:4]] == [
        ("part-0.parquet#0-1", 0, 8), ("part-0.parquet#2-3", 8, 8), ("part-0.parquet#4", 16, 4),
        ("part-1.parquet#0-1", 0, 8),
    ]  # fmt: skip
    assert (len(data.parts), len({part.id for part in data.parts}), data.n_rows) == (9, 9, 60)
    places = [next(data.read(part)).place(0) for part in data.parts[:3]]
    assert places == [f"{folder}/part-0.parquet: row {r}" for r in (1, 9, 17)]
    alone = [streamed(folder / f"part-{k}.parquet") for k in range(3)]
    for size in (1, 3, 8, 100):
        found = streamed(folder, rows_per_part=size, rows=3)
        for what in ("ids", "sets"):
            assert found[what] == [i for x in alone for i in x[what]]
    assert len(pickle.dumps(data.parts[1])) < 400
    reader, part = pickle.loads(pickle.dumps((data.reader, data.parts[1])))
    assert sum(rows.n_rows for rows in reader.read(part)) == 8


def test_ways_to_say_which_files(tmp_path, monkeypatch):
    folder = many(tmp_path / "d")
    ids = streamed(folder)["ids"]
    names = [str(folder / f"part-{k}.parquet") for k in range(3)]
    assert streamed(names)["ids"] == streamed(str(folder / "part-*.parquet"))["ids"] == ids
    assert open_dataset(names[::-1]).parts[0].id == "part-2.parquet#0-4"
    assert streamed(str(tmp_path / "**" / "part-[01].parquet"))["ids"] == ids[:40]
    monkeypatch.chdir(folder)
    for here in (".", "./", "part-?.parquet", "./part-?.parquet", "../d"):
        found = [p.id for p in open_dataset(here).parts]
        assert found == [f"part-{k}.parquet#0-4" for k in range(3)]
    strange = written(folder / "a[1].parquet", {"id": ["x"], "labels": ["a1"]})
    assert streamed(str(strange))["ids"] == ["x"]
    (folder / "empty").mkdir()
    for name, text in (("t.csv", "id,labels\n"), ("t.npz", ""), ("t.plus", "a1+b1\n")):
        (folder / name).write_text(text)
    monkeypatch.setitem(LABEL_FORMATS, "plus", Format("plus", "", LabelRows, endings=(".plus",)))
    for wrong, said in (
        (([*names, "./part-1.parquet"],), r"part-1\.parquet: this file is given twice"),
        (("nowhere.parquet",), "nowhere.parquet: there is no such file"),
        (("x-*.parquet",), "x-.*: there are no files in this folder, or none fits"),
        (("-",), "not from an address or standard input"),
        (("s3://b/x.parquet",), "not from an address or standard input; download or mount"),
        (([],), "needs at least one file"),
        ((3,), "expected a file, a folder, a pattern or a list, got 3"),
        (("empty",), "there are no files in this folder"),
        ((["t.csv", names[0]],), r"is csv and .*parquet is parquet; a data set is of one form"),
        ((folder, "parket"), "the label format must be one of"),
        (("t.npz",), r"npz is only read whole; data sets are Parquet or text"),
        (("t.plus",), "plus is only read whole"),
    ):
        refuses(said, open_dataset, *wrong)


def test_parts_that_differ_are_refused_by_both_names(tmp_path):
    for split in ("a", "b"):
        (tmp_path / "d" / f"split={split}").mkdir(parents=True)
        (tmp_path / "d" / f"split={split}" / "0.csv").write_text(f"id,truth,svm\n{split}1,a1,a2\n")
    data = open_dataset(tmp_path / "d")
    assert (data.names, data.n_rows) == (("id", "truth", "svm"), None)
    assert [part.id for part in data.parts] == ["split=a/0.csv", "split=b/0.csv"]
    (rows,) = data.read(data.parts[1])
    assert [rows.columns[x].to_pylist() for x in data.names] == [["b1"], ["a1"], ["a2"]]
    (tmp_path / "d" / "split=b" / "0.csv").write_text("id,truth\nb1,a1\n")
    said = r"{}: there is no column '{}', which .*{}".format
    refuses(said(r"split=b/0\.csv", "svm", "split=a"), open_dataset, tmp_path / "d")
    table, names = {"id": ["x"], "labels": ["a1"]}, [tmp_path / f"{k}.parquet" for k in range(3)]
    for path, more in zip(names, ({}, {"w": [1.5]}, {"w": [2], "v": [1]}), strict=True):
        written(path, table | more)
    refuses(said("0.parquet", "w", "1.parquet has"), open_dataset, names[1::-1])
    refuses(said("1.parquet", "v", "2.parquet has"), open_dataset, names[1:])
    for labels in (pa.nulls(1), [["a1"]], ["a1"]):  # each file is read as it is
        ids = pa.array(["y"], pa.large_string())
        written(names[2], {"w": pa.array([2]), "id": ids, "labels": labels})
        assert streamed(names[1:])["ids"] == ["x", "y"]


def test_a_damaged_part_is_named(tmp_path):
    folder = many(tmp_path / "d")
    path = folder / "part-1.parquet"
    content = path.read_bytes()
    for wrong in (content[:-20], content[: len(content) // 2], b"", b"id,labels\n", b"PAR1"):
        path.write_bytes(wrong)
        refuses(r"part-1\.parquet: not a Parquet file", open_dataset, folder)
    path.write_bytes(content)
    data = open_dataset(folder, rows_per_part=4)
    with inputs_guarded():
        open_dataset(folder)
        refuses("this file is read", replace_file, path, b"")
    path.unlink()
    refuses(r"part-1\.parquet: there is no such file", next, data.read(data.parts[7]))
    written(path, {"id": ["x"], "labels": ["a1"]})
    refuses(r"part-1\.parquet: not a Parquet file", next, data.read(data.parts[7]))
    pq.write_table(pa.table({"id": ["x"], "labels": ["a1zz"]}), path, compression="none")
    path.write_bytes(path.read_bytes().replace(b"a1zz", b"a1\xff\xfe"))
    for said in (streamed(path), whole(path)):
        assert "Invalid UTF8 sequence" in said


def test_links_in_folders_are_followed_and_none_is_lost(tmp_path):
    """A link that leads nowhere, a pipe or a circle is no reason to score fewer rows."""
    away, here = (tmp_path / str(k) for k in (1, 0))
    for folder in (away, here):
        folder.mkdir()
        put(folder / f"{folder.name}.csv", "id,truth\na,a1\n")
    (here / "day 1").symlink_to(away)
    assert [part.id for part in open_dataset(here).parts] == ["0.csv", "day 1/1.csv"]
    odd = here / "2.csv"
    for make in (lambda: odd.symlink_to(tmp_path / "gone.csv"), lambda: os.mkfifo(odd)):
        odd.unlink(missing_ok=True)
        make()
        for place in (here, str(here / "*.csv")):
            refuses(r"2\.csv: there is no such file, or it is a pipe, or", open_dataset, place)
    odd.rename(here / "_2.csv")
    assert len(open_dataset(here).parts) == 2
    (away / "back").symlink_to(here)
    (here / "circle").symlink_to(here)
    refuses("circle: this folder comes twice, by a link", open_dataset, here)


BROKEN = [
    ("table", ["x\ta1", "y a1", "z\tb1"]), ("table", ["x\ta1", "\ta1"]),
    ("long", ["x\ta1\t0.5", "y\ta1", "z\tb1\t0.5"]), ("long", ["x\ta1\tlow", "y\ta1\thigh"]),
    ("csv", ["id,labels", "x,a1", "y"]), ("csv", ["id,labels", 'x,"a1', "y,a1"]),
    ("csv", ["id;labels", "x;a1"]), ("csv", ["id,id,labels", "x,x,a1"]),
    ("tsv", ["id\tlabels", "x\ta1\ta1"]),
    *(("jsonl", ['{"id": "x", "labels": ["a1"]}', line]) for line in (
        '{"id": "y"}', '{"id": "y", "labels": [1.5]}', '{"id": "y", "labels": ["a1"]',
        '{"id": "", "labels": []}')),
    ("lines", ["a1", "a1 zz"]), ("lines", ["a1", "a1\0"]),
]  # fmt: skip


@pytest.mark.parametrize(("fmt", "lines"), BROKEN)
def test_faults_are_named_by_their_line(tmp_path, fmt, lines):
    filler = {"lines": "r", "jsonl": '{{"id": "n{}", "labels": ["r"]}}', "csv": "n{},r",
              "tsv": "n{}\tr", "table": "n{}\tr", "long": lines[0].replace("x", "n{}")}[fmt]  # fmt: skip
    for before in (0, 20):
        more = lines[:1] + [filler.format(i) for i in range(before)] + lines[1:]
        path = put(tmp_path / f"t.{fmt}", "\n".join(more) + "\n")
        assert both(path, fmt, exact=True).startswith(str(path))


def test_bombs_endless_lines_and_bounded_memory(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("id,labels\n" + "".join(f"d{i},a1\n" for i in range(40_000)))
    monkeypatch.setattr(text_blocks, "BLOCK", 2**16)
    data = open_dataset(path, batch_rows=2000)
    tracemalloc.start()
    assert sum(rows.n_rows for rows in data.read(data.parts[0])) == 40_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3_000_000
    monkeypatch.setattr(formats, "BATCH_CHARACTERS", 20_000)
    monkeypatch.setattr(formats, "STEP", 100)
    assert max(rows.n_rows for rows in open_dataset(path).rows()) < 3000  # long lines, fewer rows
    bomb, line = gzip.compress(b"a1\n" * 100_000), b"a1\na2\n" + b"a1 " * 100_000
    for limit, content, said in (("BOMB_TEXT", bomb, r"t: [\d,]+ bytes unpack to more than"),
                                 ("LONGEST_LINE", line, "t:3: a line of 4,")):  # fmt: skip
        monkeypatch.setattr(text_blocks, limit, 1000)
        assert re.search(said, streamed(put(tmp_path / "t", content), fmt="lines"))
        monkeypatch.setattr(text_blocks, "BLOCK", 512)


def test_conditions_scores_and_keys_that_come_later(tmp_path):
    path = tmp_path / "t.jsonl"
    rows = enumerate(["", "", ', "w": "x"'] * 3)
    path.write_text("".join(f'{{"id": {i}, "labels": ["a1"]{more}}}\n' for i, more in rows))
    assert both(path, columns=Columns(where=(("w", "x"),)), exact=True)["ids"] == ["2", "5", "8"]
    path = put(tmp_path / "t.tsv", "id\tlabels\tscore\nx\ta1\t0.5\n")
    assert both(path)["unused"]
    said = "read as lines, which has no named columns"
    refuses(said, open_dataset, path, "lines", columns=Columns(ids="id"))


@pytest.mark.parametrize(("fmt", "text"), [
    ("long", "x a1 0.5\n\ny a2 0.25\nx b3 1.00\n"), ("long", "instance_id\tlabel\nx\ta1\ny\n"),
    ("table", "\nid\tcategory\nx\ta1|b2\ny\t\n"),
])  # fmt: skip
def test_all_that_a_form_passes_over_is_passed_over_in_parts_too(tmp_path, fmt, text):
    path = put(tmp_path / "t", text)
    columns = Columns(long=fmt == "long", min_score=0.3 if "0.5" in text else None)
    assert len(both(path, fmt, columns)["sets"]) == 2
