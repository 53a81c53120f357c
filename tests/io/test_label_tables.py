"""Tables of labels, column by column: the same labels as row by row, whatever the form."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierpair import BadInput, Hierarchy, read_labels
from hierpair.checks import lint
from hierpair.labels import Columns

EDGES = [("r", f"a{i}") for i in range(4)] + [(f"a{i % 4}", f"b{i}") for i in range(12)]
TREE = Hierarchy.from_edges(EDGES)


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
    assert times == {"duplicate id": 100, "blank label": 100, "unknown label": 1}
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


@pytest.mark.parametrize(("name", "text", "wanted"), [
    ("t.tsv", "x\tb1\nx\tb2\ny\tb3\n", [{"b1", "b2"}, {"b3"}]),
    ("t.tsv", "id\tlabel\nx\tb1\ny\tb3\nx\tb2\n", [{"b1", "b2"}, {"b3"}]),
    ("t.csv", "id,label\nx,b1\ny,b3\nx,b2\n", [{"b1", "b2"}, {"b3"}]),
    ("t.csv", "instance_id,class\nx,b1\nx,b2\ny,b3\n", [{"b1", "b2"}, {"b3"}]),
    ("t.jsonl", '{"id":1,"label":"b1"}\n{"id":1,"label":"b2"}\n', [{"b1", "b2"}]),
])  # fmt: skip
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
