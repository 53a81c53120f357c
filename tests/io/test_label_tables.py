"""Tables of labels, column by column: the same labels as row by row, whatever the form."""

import json
import random

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierpair import BadInput, Hierarchy, LabelSets, read_labels
from hierpair.checks import lint
from hierpair.labels import Columns

EDGES = [("r", f"a{i}") for i in range(4)] + [(f"a{i % 4}", f"b{i}") for i in range(12)]
TREE = Hierarchy.from_edges(EDGES)
NAMES = [str(name) for name in TREE.names]


def written(path, fmt, table):
    """Write columns of texts (or lists, or numbers) in one of the formats."""
    names, n = list(table), len(next(iter(table.values())))
    rows = [{name: table[name][i] for name in names} for i in range(n)]
    if fmt == "parquet":
        pq.write_table(pa.table(table), path)
    elif fmt == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        sign = {"csv": ",", "tsv": "\t"}[fmt]
        lines = [sign.join(names)]
        lines += [sign.join("" if row[k] is None else str(row[k]) for k in names) for row in rows]
        path.write_text("\n".join(lines) + "\n")
    return path


def sets_of(found):
    return [set(found.names_of(i, TREE)) for i in range(len(found))]


@pytest.mark.parametrize("fmt", ["csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize("seed", range(2))
def test_one_row_an_instance(tmp_path, fmt, seed):
    rng = random.Random(seed)
    wanted = [rng.sample(NAMES, rng.choice([0, 1, 1, 2, 3])) for _ in range(60)]
    part = [rng.choice("xy") for _ in wanted]
    ids = [f"d{i}" for i in rng.sample(range(1000), len(wanted))]
    cells = ["|".join(labels) for labels in wanted]
    table = {"id": ids, "labels": cells, "part": part}
    path = written(tmp_path / f"t.{fmt}", fmt, table)
    found = read_labels(path, TREE)
    assert list(found.ids) == ids
    assert sets_of(found) == list(map(set, wanted))
    some = read_labels(path, TREE, columns=Columns(where=(("part", "x"),)))
    kept = [i for i, p in enumerate(part) if p == "x"]
    assert list(some.ids) == [ids[i] for i in kept]
    assert sets_of(some) == [set(wanted[i]) for i in kept]
    if fmt in ("jsonl", "parquet"):
        lists = written(tmp_path / f"l.{fmt}", fmt, {"id": ids, "labels": wanted})
        assert sets_of(read_labels(lists, TREE)) == list(map(set, wanted))
    frame = pd.DataFrame({"id": ids, "labels": [x or None for x in cells]})
    assert sets_of(LabelSets.from_frame(frame, TREE)) == list(map(set, wanted))


@pytest.mark.parametrize("fmt", ["csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize("seed", range(2))
def test_one_row_a_label(tmp_path, fmt, seed):
    rng = random.Random(seed)
    rows = {(rng.randrange(20), rng.choice(NAMES)): rng.choice([0.25, 0.5, 1.0]) for _ in range(80)}
    keys = rng.sample(list(rows), len(rows))
    table = {"id": [f"d{i}" for i, _ in keys], "label": [x for _, x in keys],
             "score": [rows[key] for key in keys]}  # fmt: skip
    path = written(tmp_path / f"t.{fmt}", fmt, table)
    found = read_labels(path, TREE, columns=Columns(long=True, min_score=0.5))
    order = list(dict.fromkeys(table["id"]))
    assert list(found.ids) == order
    wanted = [{x for i, x in keys if f"d{i}" == name and rows[i, x] >= 0.5} for name in order]
    assert sets_of(found) == wanted


ARROW_NAMES = (
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.dictionary(pa.int8(), pa.string()),
)


@pytest.mark.parametrize("kind", ARROW_NAMES, ids=str)
@pytest.mark.parametrize("how", ["cells", "lists", "large lists", "long", "levels"])
def test_tables_of_arrow_give_what_other_frames_give(kind, how):
    """Names are not made objects; what is said of them and refused is the same."""
    ids, how_read = pa.array(["x", "y", "z", "x2", "y2"]), {}
    if how in ("lists", "large lists"):
        values = [["b1", "a1"], None, [], ["b2"], ["b1"]]
        of = pa.list_ if how == "lists" else pa.large_list
        table = {"id": ids, "labels": pa.array(values, of(pa.string()))}
        if not pa.types.is_dictionary(kind):
            table["labels"] = table["labels"].cast(of(kind))
    elif how == "levels":
        one, two = ["r", "r", None, "r", None], ["a1", None, None, "a2", None]
        table = {"id": ids, "l1": pa.array(one).cast(kind), "l2": pa.array(two).cast(kind)}
        how_read = {"labels": ["l1", "l2"]}
    else:
        cells = (
            ["b1|a1", None, " ", "b2", "b1"] if how == "cells" else ["b1", "a1", "b2", "b1", "a2"]
        )
        table = {"id": ids, "label": pa.array(cells).cast(kind)}
        if how == "long":
            table["id"] = pa.array(["x", "y", "x", "z", "y"])
            table["score"], how_read = (
                pa.array([1, 0.5, 0.1, 1, 1]),
                {"long": True, "min_score": 0.5},
            )
    for chunks in (1, 2):
        arrow = pa.table(table)
        arrow = pa.concat_tables([arrow.slice(0, 2), arrow.slice(2)]) if chunks == 2 else arrow
        found = LabelSets.from_frame(arrow, TREE, **how_read)
        plain = pd.DataFrame(
            {name: arrow[name].to_pylist() for name in arrow.column_names}, dtype=object
        )
        wanted = LabelSets.from_frame(plain, TREE, **how_read)
        assert found.ids == wanted.ids
        assert found.indptr.tolist() == wanted.indptr.tolist()
        assert found.indices.tolist() == wanted.indices.tolist()


@pytest.mark.parametrize("fmt", ["csv", "tsv", "jsonl", "parquet"])
def test_levels_in_columns(tmp_path, fmt):
    rng = random.Random(1)
    b = [rng.choice([x for x in NAMES if x[0] == "b"] + [None]) for _ in range(50)]
    a = [f"a{int(x[1:]) % 4}" if x else rng.choice(["a1", None]) for x in b]
    top = ["r" if x else rng.choice(["r", None]) for x in a]
    table = {"id": [str(i) for i in range(50)], "l1": top, "l2": a, "l3": b}
    path = written(tmp_path / f"t.{fmt}", fmt, table)
    found = read_labels(path, TREE, columns=Columns(labels=("l1", "l2", "l3")))
    lowest = [z or y or x for x, y, z in zip(top, a, b, strict=True)]
    assert sets_of(found) == [{x} if x else set() for x in lowest]
    assert [
        len(row) for row in np.split(found.as_written.nodes, found.as_written.node_ptr[1:-1])
    ] == [
        n if n > 1 else 0  # a single name is the name of a class, not a path
        for n in (sum(map(bool, levels)) for levels in zip(top, a, b, strict=True))
        if n
    ]
    frame = pd.DataFrame({k: table[k] for k in ("l1", "l2", "l3")})
    assert sets_of(LabelSets.from_frame(frame, TREE, labels=["l1", "l2", "l3"])) == sets_of(found)


@pytest.mark.parametrize("fmt", ["csv", "tsv", "jsonl", "parquet"])
def test_each_of_several_columns_may_hold_a_label(tmp_path, fmt):
    """As heads predict level by level: no path is asked for, and a blank is no label."""
    table = {"id": ["x", "y", "z"], "l1": ["a1", "a2", None], "l2": ["b2", None, None]}
    path = written(tmp_path / f"t.{fmt}", fmt, table)
    found = read_labels(path, TREE, columns=Columns(labels=("l1", "l2"), each=True))
    assert sets_of(found) == [{"a1", "b2"}, {"a2"}, set()]
    with pytest.raises(BadInput, match="'b2' is not a child of 'a1'"):
        read_labels(path, TREE, columns=Columns(labels=("l1", "l2")))
    table["l2"][2] = "zz"
    path = written(tmp_path / f"u.{fmt}", fmt, table)
    with pytest.raises(BadInput, match="instance 'z': class 'zz' is not in the hierarchy"):
        read_labels(path, TREE, columns=Columns(labels=("l1", "l2"), each=True))
    for how in ({"labels": ("l1",)}, {"long": True}, {"paths": "/"}):
        with pytest.raises(BadInput, match="each level is a label only where several columns"):
            Columns(**{"labels": ("l1", "l2"), "each": True, **how})


def test_check_counts_what_it_does_not_spell_out(tmp_path):
    n = 500
    table = {"id": [f"d{i % 400}" for i in range(n)], "labels": ["b1|b1|zz"] * 400 + ["|b2"] * 100}
    written(tmp_path / "t.csv", "csv", table)
    (tmp_path / "tree.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in EDGES))
    report = lint(tmp_path / "tree.tsv", tmp_path / "t.csv")
    times = {}
    for f in report.findings:
        if f.level != "note":
            times[f.rule] = times.get(f.rule, 0) + f.times
    assert times == {
        "duplicate id": 100, "repeated label": 400, "blank label": 100, "unknown label": 1,
    }  # fmt: skip
    unknown = next(f for f in report.findings if f.rule == "unknown label")
    assert "instance 'd0': class 'zz' is not in the hierarchy" in unknown.message
    assert "(400 times in all)" in unknown.message
    assert unknown.place.endswith("t.csv:2")
    blank = next(f for f in report.findings if f.rule == "blank label")
    assert blank.place.endswith("t.csv:402")
    clean = next(f for f in report.findings if f.rule == "labels")
    assert clean.message.startswith("500 instances with 1.00 labels")


@pytest.mark.parametrize("fmt", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    ("table", "columns", "says"),
    [
        ({"id": ["x", "", "y"], "labels": ["b1", "b1", "b1"]}, {}, "2: the instance id is missing"),
        ({"id": ["x", "y", "x"], "labels": ["b1"] * 3}, {}, "instance 'x' already occurs at"),
        ({"id": ["x", "y", "z"], "labels": ["b1", "b2", "zz"]}, {}, "instance 'z': class 'zz'"),
        ({"id": ["x", "x"], "label": ["b1", "b1"], "score": [0.5, 1.0]}, {"long": True},
         "instance 'x' has the label 'b1' with another score at"),
        ({"id": ["x", "y"], "label": ["b1", "b1"], "score": [0.5, float("nan")]},
         {"long": True}, "score must be a finite number"),
        ({"id": ["x", "y"], "a": ["r", ""], "b": ["a1", "a2"]}, {"labels": ("a", "b")},
         "instance 'y': level 1 of the path is blank"),
        ({"id": ["x", "y"], "a": ["r", "r"], "b": ["a1", "b2"]}, {"labels": ("a", "b")},
         "instance 'y': 'b2' is not a child of 'r'"),
    ],
)  # fmt: skip
def test_faults_are_named_where_they_first_stand(tmp_path, fmt, table, columns, says):
    if fmt == "jsonl" and any(str(x) == "nan" for column in table.values() for x in column):
        pytest.skip("no number in JSON")
    path = written(tmp_path / f"t.{fmt}", fmt, table)
    with pytest.raises(BadInput) as caught:
        read_labels(path, TREE, columns=Columns(**columns))
    offset = {"csv": 1, "jsonl": 0, "parquet": 0}[fmt]
    head, _, tail = says.partition(":")
    if head.isdigit():
        says = f"{int(head) + offset}:{tail}"
    assert says in str(caught.value)


# ------------------------------------------------------------------- one label per row, unsaid


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("t.tsv", "x\tb1\nx\tb2\ny\tb3\n", [{"b1", "b2"}, {"b3"}]),
        ("t.tsv", "id\tlabel\nx\tb1\ny\tb3\nx\tb2\n", [{"b1", "b2"}, {"b3"}]),
        ("t.csv", "id,label\nx,b1\ny,b3\nx,b2\n", [{"b1", "b2"}, {"b3"}]),
        ("t.csv", "instance_id,class\nx,b1\nx,b2\ny,b3\n", [{"b1", "b2"}, {"b3"}]),
        ("t.jsonl", '{"id":1,"label":"b1"}\n{"id":1,"label":"b2"}\n', [{"b1", "b2"}]),
    ],
)
def test_one_label_a_row_needs_no_option(tmp_path, name, text, wanted):
    (tmp_path / name).write_text(text)
    notes = []
    found = read_labels(tmp_path / name, TREE, on_note=notes.append)
    assert sets_of(found) == wanted
    assert ["one label per row" in note for note in notes] == [True] * (text[:4] != "id\tl")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.tsv", "x\tb1\ny\tb3\nx\tb2\n"),  # apart
        ("t.tsv", "x\tb1|b2\nx\tb3\n"),  # several in a field
        ("t.tsv", "x\tb1\nx\tb1\n"),  # the same again
        ("t.csv", "id,labels\nx,b1\nx,b2\n"),  # the plural
        ("t.csv", "id,label\nx,b1\nx,b1\n"),
        ("t.csv", "id,label\nx,b1\nx,\n"),
    ],
)
def test_an_id_that_comes_again_may_be_a_mistake(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(BadInput, match="'x' already occurs at"):
        read_labels(tmp_path / name, TREE)


# ------------------------------------------------------------------------------------- frames
