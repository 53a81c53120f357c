"""Tables that do not fit are read, and joined by id, as those that do: the same labels, the same refusals.

Parquet and text, files and folders, part by part and batch by batch, against whole files and memory.
"""

import gzip
import json
import os
import pickle
import random
import re
import sys
import tempfile
import tracemalloc
from dataclasses import replace
from itertools import pairwise, product
from operator import itemgetter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, read_labels
from hierpair.io import LABEL_FORMATS, Format, formats
from hierpair.io import text as text_blocks
from hierpair.io.datasets import check_ids, joined, label_sets, open_dataset, sides
from hierpair.io.files import inputs_guarded, replace_file
from hierpair.labels import Columns, LabelRows, match_instances
from hierpair.labels.naming import AsWritten
from tests import effort
from tests.reading import error_of, names_in, put, refuses

EDGES = [("r", f"a{i}") for i in range(4)] + [(f"a{i % 4}", f"b{i}") for i in range(12)]
TREE = Hierarchy.from_edges([*EDGES, ("r", "p|q"), ("r", "é"), ("r", "7")])


def plain(sets, ids):
    """Return everything that label sets say, as lists; labels as they were written count."""
    written = AsWritten(sets.indptr, sets.indices) if sets.as_written is None else sets.as_written
    blank = np.zeros(len(sets), int) if written.n_blank is None else written.n_blank
    said = {"ids": ids, "blank": blank.tolist(), "n_unknown": sets.n_unknown}
    said["unused"] = sets.unused_scores
    for name, flat, ends in (("sets", sets.indices, sets.indptr), ("rows", written.indices, written.indptr),
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
        found = label_sets(batch, TREE, replace(meaning, where=()), unknown=unknown)
        one = plain(found, None if batch.ids is None else batch.ids.to_pylist())
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
        elif "is this line a header?" not in wrong:
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
    group = data.draw(st.sampled_from([4, 100])) if fmt == "parquet" else 100
    if fmt == "parquet":
        if data.draw(st.booleans()):  # lists come numbered, as the file has them
            lists = st.none() | st.lists(LABEL | st.sampled_from(["a1", None]), max_size=4)
            kind = data.draw(st.sampled_from(LISTS))
            table[[*table][1]] = pa.array([data.draw(lists) for _ in range(n)], LISTS[0]).cast(kind)
        numbered = data.draw(st.booleans())
        pq.write_table(pa.table(table), path, row_group_size=group, use_dictionary=numbered)
    else:
        names = names if fmt != "table" else [*table][:2]
        text = text_of(fmt, names, table, lambda some: data.draw(st.sampled_from(some)), end)
        put(path, text)
    with pytest.MonkeyPatch.context() as patched:
        block = data.draw(st.sampled_from([5, 40, 2**20]))
        patched.setattr(text_blocks, "BLOCK", block)
        unknown = data.draw(st.sampled_from(["error", "drop", "root"]))
        both(path, fmt, unknown=unknown, at_once=block == 2**20 and group > 12)


def text_of(fmt, names, table, choose, end="\n"):
    """Write a table as text, with blank lines here and there."""
    columns = list(table.values())
    if fmt == "lines":
        return end.join(x.replace("|", " ") for x in columns[1]) + end
    if fmt == "jsonl":
        rows = [dict(zip(table, row, strict=True)) for row in zip(*columns, strict=True)]
        return "".join(json.dumps(row) + end for row in rows)
    cells = zip(*(table[name] for name in names), strict=True)
    cells = [["" if x is None else str(x) for x in row] for row in cells]
    if fmt == "csv":
        marks = choose(['[,"\r\n]', "."])  # quoted where they must be, or always
        cells = [['"' + x.replace('"', '""') + '"' if re.search(marks, x) else x for x in row]
                 for row in [names, *cells]]  # fmt: skip
    lines = ["\t,"[fmt == "csv"].join(row) for row in ([names] * (fmt == "tsv")) + cells]
    return "".join(line + end + choose(["", "", "", end, f" {end}"]) for line in lines)


ODD = [
    *(("csv", "id,labels\nx0,a1\n", text) for text in (
        'x,"a1" \n', 'x,"a1\n', 'x, "a1"\n', "x,a1,\n", '"x"",a1\n', "\nx,a1\r\ny,b2\r", ",")),
    *(("tsv", "id\tlabels\nx0\ta1\n", text) for text in ("x\ta1\t\n", "x\t\0a1\n", 'x\t"a1\n')),
    *(("table", "x0\ta1\n", text) for text in ("x\ta1\t\ny\tb2\n", "\x0cx\ta1\u2028\n\ufeffy\tb2\n")),
]  # fmt: skip
BROKEN = [
    *(("table", "x\ta1\n", text) for text in ("y a1\nz\tb1\n", "\ta1\n")),
    ("long", "x\ta1\t0.5\n", "y\ta1\nz\tb1\t0.5\n"), ("long", "x\ta1\tlow\n", "y\ta1\thigh\n"),
    *(("csv", "id,labels\n", text) for text in ("x,a1\ny\n", 'x,"a1\ny,a1\n')),
    ("csv", "id;labels\n", "x;a1\n"), ("csv", "id,id,labels\n", "x,x,a1\n"), ("tsv", "id\tlabels\n", "x\ta1\ta1\n"),
    *(("jsonl", '{"id": "x", "labels": ["a1"]}\n', line) for line in (
        '{"id": "y"}\n', '{"id": "y", "labels": [1.5]}\n', '{"id": "y", "labels": ["a1"]\n', '{"id": "", "labels": []}\n')),
    ("lines", "a1\n", "a1 zz\n"), ("lines", "a1\n", "a1\0\n"),
]  # fmt: skip


@pytest.mark.parametrize(("fmt", "head", "text"), [*ODD, *BROKEN])
def test_odd_bytes_are_read_alike_or_refused_by_their_line(tmp_path, monkeypatch, fmt, head, text):
    """Short and long rows, open quotes, NUL, broken UTF-8, odd line ends; early or late; packed or not."""
    filler = {"lines": "r\n", "jsonl": '{{"id": "n{}", "labels": ["r"]}}\n', "csv": "n{},r\n",
              "tsv": "n{}\tr\n", "table": "n{}\tr\n", "long": head.replace("x", "n{}")}[fmt]  # fmt: skip
    for before in (0, 20) if (fmt, head, text) in BROKEN else ():
        lines = "".join(filler.format(i) for i in range(before))
        path = put(tmp_path / f"t.{fmt}", head + lines + text)
        assert both(path, fmt, exact=True).startswith(str(path))
    blocks = (3, 16, 2**20) if fmt != "long" else ()
    for block, last, pack in product(blocks, (b"", b"\xff", b"\xc3"), (bytes, gzip.compress)):
        monkeypatch.setattr(text_blocks, "BLOCK", block)
        path = put(tmp_path / "t", pack((head + text).encode() + last))
        both(path, fmt, at_once=block == 2**20)


@pytest.mark.parametrize(("fmt", "sign"), [("csv", b","), ("tsv", b"\t")])
def test_rows_without_text_are_passed_over_but_never_bytes(tmp_path, monkeypatch, fmt, sign):
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


def written(path, table=None, group=5, n_files=1, **columns):
    """Write a table as one file, or where its name has no ending as a folder of several."""
    table = pa.table(table or columns)
    if path.suffix:
        pq.write_table(table, path, row_group_size=group)
        return path
    path.mkdir()
    for k, (a, b) in enumerate(pairwise(np.linspace(0, len(table), n_files + 1).astype(int))):
        pq.write_table(table.slice(a, b - a), path / f"{k}.parquet", row_group_size=group)
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
    path, headed = tmp_path / f"t.{fmt}", fmt in ("csv", "tsv")
    if fmt == "parquet":
        written(path, table)
    else:
        put(path, text_of(fmt, [*table], table, itemgetter(0)))
    found = both(path, fmt, Columns(**how), exact=True)
    if isinstance(meant, list):
        assert [[TREE.names[c] for c in row] for row in found["sets"]] == meant
    elif not headed or "must be a name" not in meant:  # in text 1.5 and True are names
        places = [f": row {k}" if fmt == "parquet" else f":{k + headed}" for k in range(4)]
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
    assert rows.ids.to_pylist() == table["doc"]
    sets = [label_sets(rows, TREE, column, unknown="drop") for column in ("truth", "svm", "id")]
    assert [one.lengths.tolist() for one in sets] == [[1, 1, 2], [1, 0, 0], [1, 1, 1]]
    assert [one.n_unknown for one in sets] == [0, 1, 0]
    assert {one.ids for one in sets} == {None}
    (few,) = data.read(data.parts[0], ["truth"])
    assert set(few.columns) == {"doc", "truth"}
    refuses("row 2, instance 'y': class 'zz' is", label_sets, rows, TREE, "svm")
    refuses("there is no column 'svm'", label_sets, few, TREE, "svm")


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
    for above in (
        tmp_path,
        f"{tmp_path}/",
        f"{tmp_path}/*/part-0.parquet",
    ):  # another file may come
        assert open_dataset(above).parts[0].id == "d/part-0.parquet#0-4"
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
    refuses("'idd'; did you mean 'id'", open_dataset, names, columns=Columns(ids="idd"))


def test_parts_that_differ_are_refused_by_both_names(tmp_path):
    for split in ("a", "b"):
        (tmp_path / "d" / f"split={split}").mkdir(parents=True)
        (tmp_path / "d" / f"split={split}" / "0.csv").write_text(f"id,truth,svm\n{split}1,a1,a2\n")
    data = open_dataset(tmp_path / "d")
    assert (data.names, data.n_rows) == (("id", "truth", "svm"), None)
    assert [part.id for part in data.parts] == ["split=a/0.csv", "split=b/0.csv"]
    (rows,) = data.read(data.parts[1])
    assert [rows.columns[x].to_pylist() for x in data.names] == [["b1"], ["a1"], ["a2"]]
    (tmp_path / "d" / "split=b" / "0.csv").write_text("id,z,y,x\nb1,a1,a1,a1\n")
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
        mend = "; another format must be named" * (wrong[:4] != b"PAR1")
        refuses(rf"part-1\.parquet: not a Parquet file{mend}", open_dataset, folder)
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
    path = put(tmp_path / "t.csv", "id,label,task\nx,r/a,A\ny,r/b,B\n")
    assert read_labels(
        path, {"a": "r", "b": "r"}, columns=Columns(paths="/", where={"task": "A"})
    ).ids == ("x",)
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


# ------------------------------------------------------------------------------ sides joined by id

NUMBERED = Hierarchy.from_edges(list(zip("0011226", "1234567", strict=True)))
LEAVES = ["3", "4", "5", "7"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    yield tmp_path
    assert not list((tmp_path / "temporary").iterdir())  # whatever happened


def refused(truth, systems, **options):
    return error_of(joined(truth, systems, **options).__enter__)


def sets_of(one):
    """Return the names of the labels that a joined table holds, by side and id."""
    found = {}
    for rows in one.data.rows():
        for name, column in {"truth": one.truth, **one.systems}.items():
            names = names_in(label_sets(rows, NUMBERED, column), NUMBERED)
            found.setdefault(name, {}).update(zip(rows.ids.to_pylist(), names, strict=True))
    return found


def in_memory(paths, columns, missing):
    """Return the same, read as whole files and matched in memory, and how many are missing."""
    found, truth, lacking = {}, None, {}
    for name, path in paths.items():
        if path.is_dir():
            tables = pa.concat_tables(map(pq.read_table, sorted(path.iterdir())))
            path = written(path.with_name(f"{name} whole.parquet"), tables)  # noqa: PLW2901
        sets = read_labels(path, NUMBERED, columns=columns[name])
        if truth is not None:
            lacking[name] = len({*truth.ids} - {*sets.ids})
            sets = match_instances(truth, sets, missing=missing, system=name)
        truth = truth or sets
        found[name] = dict(zip(sets.ids, names_in(sets, NUMBERED), strict=True))
    return found, lacking


ARRAYS = {
    "text": lambda rows: pa.array(["|".join(x) or None for x in rows]),
    "blank": lambda rows: pa.array([" | ".join(x) for x in rows], pa.large_string()),
    "codes": lambda rows: pa.array(["|".join(x) for x in rows]).dictionary_encode(),
    "lists": lambda rows: pa.array(rows, pa.list_(pa.string())),
    "large": lambda rows: pa.array([x or None for x in rows], pa.large_list(pa.large_string())),
    "numbers": lambda rows: pa.array([int(x[0]) if x else None for x in rows], pa.int8()),
    "number lists": lambda rows: pa.array([list(map(int, x)) for x in rows], pa.list_(pa.int32())),
    "pairs": lambda rows: pa.array([["3", "7"]] * len(rows), pa.list_(pa.string(), 2)),
}
FORMS = [*ARRAYS, "rows", "scored rows", "levels", "each"]
SPELLED = [lambda ids: pa.array(ids, pa.uint16()), lambda ids: pa.array(map(str, ids)),
           lambda ids: pa.array([f"\x1f{x} \t" for x in ids]),
           lambda ids: pa.array(map(str, ids)).dictionary_encode()]  # fmt: skip


def drawn(rng, ids, form):
    """Return a table with a label or a few for each id, in any order, and what its columns mean."""
    ids = rng.sample(ids, len(ids))
    of_rows = [rng.sample(LEAVES, rng.choice([0, 1, 1, 2])) for _ in ids]
    if form in ARRAYS:
        return ids, {"labels": ARRAYS[form](of_rows)}, {}
    if "rows" not in form:
        levels = zip(*rng.choices(["13", "26", "2\0", "14"], k=len(ids)), strict=True)
        cells = [[None if x == "\0" else x for x in level] for level in levels]
        how = {"labels": ("top", "low"), "each": form == "each"}
        return ids, dict(zip(how["labels"], cells, strict=True)), how
    rows = [(i, x) for i, some in zip(ids, of_rows, strict=True) for x in [*some, None, " "][:2]]
    rows = [(i, x, rng.random() if x in LEAVES else None) for i, x in rows]
    ids, labels, scores = zip(*rng.sample(rows, len(rows)), strict=True)
    scored = {"score": scores} if form == "scored rows" else {}
    return ids, {"label": labels, **scored}, {"long": True, "min_score": 0.5 if scored else None}


@pytest.mark.parametrize("seed", range(effort.cases(192)))
def test_joining_gives_what_matching_in_memory_gives(folder, monkeypatch, seed):
    """Of any forms, in any order and parts; or the same words where instances are missing or foreign."""
    rng, truth = random.Random(seed), list(range(60))
    paths, columns, missing = {}, {}, rng.choice(["error", "empty"])
    others = [range(60)] * 3 + [range(5, 40), range(5, 65), range(60, 70)]
    for name in ("truth", "a", "b"):
        some = truth if seed < 12 or name != "a" else list(rng.choice(others))
        ids, table, how = drawn(rng, some, FORMS[seed % 12] if name == "a" else rng.choice(FORMS))
        table = {"id": rng.choice(SPELLED)(ids), **table}
        path = folder / rng.choice([name, f"{name}.parquet"])
        paths[name] = written(path, table, rng.choice([5, 100]), rng.randint(1, 4))
        columns[name] = Columns(**how)
    batch = rng.choice([1, 7, 100])
    data = {k: open_dataset(x, columns=columns[k], batch_rows=batch) for k, x in paths.items()}
    monkeypatch.setattr(sides, "ROWS_PER_PART", 25)
    table = joined(data.pop("truth"), data, missing=missing)
    try:
        expected, said = in_memory(paths, columns, missing), ""
    except BadInput as error:
        said = str(error)
    if said:
        assert error_of(table.__enter__) == said
        return
    with table as one:
        found = sets_of(one)
        assert (found, one.n_missing) == expected
        assert [[*sets] for sets in found.values()] == [[*expected[0]["truth"]]] * 3


def test_a_system_may_be_called_truth(folder):
    good, bad = (open_dataset(written(folder / f"{x}.parquet", id=["x"], label=[x])) for x in "35")
    with joined(good, {"truth": bad, "mine": good}) as one:
        (rows,) = one.data.rows()
        columns = (one.truth, one.systems["truth"], one.systems["mine"])
        sets = [label_sets(rows, NUMBERED, column) for column in columns]
        assert [names_in(one, NUMBERED)[0] for one in sets] == [["3"], ["5"], ["3"]]


def test_scores_that_are_not_used_are_told_and_contradict_each_other_as_in_memory(folder):
    truth = open_dataset(written(folder / "t.parquet", id=["x", "y", "z"], label=["3", "5", "7"]))
    for ids, scores, how, unused in (
        ("xyyz", [0.5, 0.7, None, 0.1], {}, {"mine"}), ("xyyz", [0.5, 0.7, None, 0.1], {"min_score": 0.5}, set()),
        ("xxyz", [0.5, 0.4, 1.0, 1.0], {}, None), ("xyyz", ["0.5", "much", "1", "1"], {}, None),
        ("xyyz", [1.0, np.inf, 1.0, 1.0], {}, None),
    ):  # fmt: skip
        columns, labels = Columns(long=True, **how), [None if x is None else "3" for x in scores]
        path = written(folder / "m.parquet", id=list(ids), label=labels, score=scores)
        systems = {"mine": open_dataset(path, columns=columns)}
        if unused is None:
            assert refused(truth, systems) == error_of(read_labels, path, NUMBERED, columns=columns)
            continue
        with joined(truth, systems) as one:
            assert one.unused_scores == unused


def test_paths_conditions_and_weights_come_along(folder):
    truth = written(
        folder / "t.parquet", id=[1, 2, 3], top=["1", "2", "2"], low=["3", "6", None],
        weight=pa.array([2, 1, 4], pa.int8()), split=["test", "test", "train"],
    )  # fmt: skip
    labels = ["0/2/6/7", "1/4;1/3", "0/2/5", "1/3"]
    mine = written(folder / "m", n_files=2, id=list("2129"), labels=labels, fold=[1, 1, 2, 2])
    meant = Columns(labels=("top", "low"), where=(("split", "test"),))
    how = Columns(separator=";", paths="/", where=(("fold", "1"),))
    data = {"mine": open_dataset(mine, columns=how)}
    with joined(open_dataset(truth, columns=meant), data, sample_weight="weight") as one:
        found = {"truth": {"1": ["3"], "2": ["6"]}, "mine": {"1": ["3", "4"], "2": ["7"]}}
        assert sets_of(one) == found
        (rows,) = one.data.read(one.data.parts[0], [one.sample_weight])
        assert rows.columns[one.sample_weight].to_pylist() == [2.0, 1.0]
    with (
        pytest.raises(BadInput, match=r"there is no column 'w'.*name the weight column"),
        joined(open_dataset(truth, columns=meant), data, sample_weight="w"),
    ):
        pass
    for bad in (-1, None, np.nan, np.inf):
        weighed = written(
            folder / "w.parquet", id=["1"], labels=["3"], weight=pa.array([bad], pa.float64())
        )
        said = r"w\.parquet: row 1: the weight .* in the column 'weight'; weights must be finite"
        with (
            pytest.raises(BadInput, match=said),
            joined(open_dataset(weighed), data, sample_weight="weight"),
        ):
            pass


@pytest.mark.parametrize(("fmt", "sign"), [("csv", ","), ("tsv", "\t"), ("parquet", "")])
@pytest.mark.parametrize("batch", [1, 4, 1000])
def test_both_places_of_an_id_are_named(tmp_path, fmt, sign, batch):
    """Of files in any order; on a side of a join and of a whole data set."""
    names = [f"d{i:02}" for i in range(20)]
    random.Random(batch).shuffle(names)
    for k, ids in enumerate((names[:11], [*names[11:], names[4], names[2]])):
        path = tmp_path / f"{k}.{fmt}"
        if sign:
            path.write_text(f"id{sign}labels\n" + "".join(f"{x}{sign}3\n" for x in ids))
        else:
            written(path, group=3, id=ids, labels=["3"] * len(ids))
    here, there = ("1.csv:12", "0.csv:4") if sign else ("1.csv: row 11", "0.csv: row 3")
    said = (
        f"{tmp_path}/{here}: instance {names[2]!r} already occurs at {tmp_path}/{there}; keep one of "
        "them, or, for one label per row, say so (--rows label, Columns(long=True))"
    ).replace("csv", fmt)
    good, bad = (open_dataset(x, batch_rows=batch) for x in (tmp_path / f"0.{fmt}", tmp_path))
    check_ids(good)
    assert error_of(check_ids, bad) == said
    assert refused(good, {"mine": bad}) == refused(bad, {"mine": good}) == said


def test_blanks_around_ids_make_no_other_ids_and_alone_none(tmp_path):
    again, none = "instance 'a' already occurs at", "the instance id is missing"
    for ids, said in ((["b", " a\u00a0", "a"], again), (["a", "b", " "], none)):
        text, table = tmp_path / "t.csv", written(tmp_path / "t.parquet", id=ids, labels=["3"] * 3)
        text.write_text("".join(f"{line}\n" for line in ["id,labels", *(f"{x},3" for x in ids)]))
        for path, place in ((text, ":4"), (table, ": row 3")):
            assert error_of(check_ids, open_dataset(path)).startswith(f"{path}{place}: {said}")


def test_sides_need_ids_labels_rows_duckdb_and_a_folder(folder, monkeypatch):
    for labels in ([1.5, 2.0], [[["4"]], [["4"]]], [[1.5], []]):  # what is no label
        bad = written(folder / "b.parquet", id=["a", "b"], label=labels)
        data = open_dataset(bad)
        assert refused(data, {"m": data}) == error_of(read_labels, bad, NUMBERED)
    good = open_dataset(written(folder / "g.parquet", id=["a"], label=["3"]))
    bare = open_dataset(written(folder / "b.parquet", label=["3"]))
    odd = open_dataset(written(folder / "o.parquet", id=["a"], guess=["3"]))
    empty = open_dataset(folder / "g.parquet", columns=Columns(where=(("label", "4"),)))
    for both in ((good, bare), (bare, good)):
        said = refused(both[0], {"m": both[1]})
        assert said.startswith(f"{bare.source}: there is no column id or instance or instance_id")
    assert "there is no column 'labels' (there are id, guess" in refused(good, {"m": odd})
    logs = written(folder / "l.parquet", id=["a", "a"], label=["3", "4"], score=[-0.5, -2.0])
    least = Columns(long=True, min_score=0.5)
    said = error_of(read_labels, logs, NUMBERED, columns=least).replace(": row 1", "")
    assert refused(good, {"m": open_dataset(logs, columns=least)}) == said
    assert refused(good, {"m": empty}).endswith("no row has label=4")
    assert "missing must be" in refused(good, {"m": good}, missing="drop")
    amounts = open_dataset(logs, columns=Columns(long=True, amounts=True))
    assert f"{logs}: amounts of labels (--amounts) are of files" in refused(good, {"m": amounts})
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder / "nowhere"))
        assert "nowhere: no room for temporary files (No such file" in refused(good, {"m": good})
    monkeypatch.setitem(sys.modules, "duckdb", None)
    said = "ids of data sets are compared by DuckDB: pip install 'hierpair[data]'"
    assert refused(good, {"m": good}) == said


def test_errors_and_other_processes_know_the_joined_table_and_nothing_is_left_behind(folder):
    truth = open_dataset(written(folder / "t.parquet", id=["a", "b"], label=["3", "cat"]))
    mine = open_dataset(written(folder / "m.parquet", id=["b", "a"], label=["3", "3"]))
    with pytest.raises(KeyboardInterrupt), joined(truth, {"mine": mine}) as one:  # noqa: PT012
        assert Path(one.data.parts[0].path).exists()
        data, part = pickle.loads(pickle.dumps((one.data, one.data.parts[0])))
        (rows,) = data.read(part)
        said = error_of(label_sets, rows, NUMBERED, one.truth)
        raise KeyboardInterrupt
    assert said.startswith(f"{truth.source}: row 2, instance 'b': class 'cat' is not in")
