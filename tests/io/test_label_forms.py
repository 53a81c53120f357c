"""The same labels in every form give the same label sets."""

import gzip
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from hierpair import BadInput, Hierarchy, LabelSets, read_hierarchy, read_labels
from hierpair.cli import main
from hierpair.io import LABEL_FORMATS, write_labels
from hierpair.labels import Columns

EDGES = [("food", "bread"), ("food", "cheese"), ("cheese", "brie"), ("tools", "saw")]
SHOP = Hierarchy.from_edges([("shop", "food"), ("shop", "tools"), *EDGES])
TRUTH = {"d1": ["brie", "saw"], "d2": [], "d3": ["bread"]}
GUESS = {"d3": ["cheese"], "d1": ["saw"], "d2": ["food"]}
LEVELS = {"brie": ["food", "cheese", "brie"], "saw": ["tools", "saw", ""], "bread": ["food", "bread", ""],
          "cheese": ["food", "cheese", ""], "food": ["food", "", ""]}  # fmt: skip


def in_every_form(labels, folder, name):
    """Write the labels in each form; yield how to read it back."""
    ids, rows = list(labels), list(labels.values())
    sets = LabelSets.from_labels(labels, SHOP)
    for fmt in LABEL_FORMATS.written_forms:
        if fmt == "lines":
            continue  # has no ids; has a test of its own
        content, _ = write_labels(sets, SHOP, fmt)
        path = (
            folder
            / f"{name}-{fmt}{ {'csv': '.csv', 'jsonl': '.jsonl', 'npz': '.npz', 'parquet': '.parquet'}.get(fmt, '.tsv') }"
        )
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        yield fmt, read_labels(path, SHOP)
        yield f"{fmt}, said", read_labels(path, SHOP, fmt=fmt)
        packed = folder / f"{path.name}.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        yield f"{fmt}, packed", read_labels(packed, SHOP)
    long = [(i, x) for i, row in labels.items() for x in (row or [None])]
    frames = {
        "wide": {"id": ids, "labels": ["|".join(row) or None for row in rows]},
        "lists": {"id": ids, "labels": rows},
    }
    for kind, columns in frames.items():
        yield f"pandas, {kind}", LabelSets.from_frame(pd.DataFrame(columns), SHOP)
        yield f"polars, {kind}", LabelSets.from_frame(pl.DataFrame(columns), SHOP)
        yield f"pyarrow, {kind}", LabelSets.from_frame(pa.table(columns), SHOP)
    tall = pd.DataFrame(long, columns=["id", "label"])
    yield "pandas, long", LabelSets.from_frame(tall, SHOP, long=True)
    indicator = np.array([[c in row for c in SHOP.names] for row in rows])
    for kind in (np.array, sp.csr_array, sp.csc_matrix, sp.coo_array, np.ndarray.tolist):
        yield "indicator", LabelSets.from_indicator(kind(indicator), SHOP, ids=ids)
    order = [SHOP.names[i] for i in (3, 1, 0, 6, 2, 5, 4)]
    mixed = np.array([[c in row for c in order] for row in rows], dtype=float)
    yield "indicator, named", LabelSets.from_indicator(mixed, SHOP, classes=order, ids=ids)
    deep = [[LEVELS[x] for x in row] for row in rows]
    yield "levels", LabelSets.from_levels(deep, SHOP, ids=ids)
    scipy_file = folder / f"{name}-scipy.npz"
    sp.save_npz(scipy_file, sp.csr_matrix(indicator))
    names = folder / "classes.txt"
    names.write_text("\n".join(SHOP.names))
    yield "scipy", _with_ids(read_labels(scipy_file, SHOP, column_names=names), ids)
    np.save(folder / f"{name}.npy", indicator)
    yield "npy", _with_ids(read_labels(folder / f"{name}.npy", SHOP, column_names=names), ids)


def _with_ids(sets, ids):
    return LabelSets.from_arrays(sets.indptr, sets.indices, sets.n_classes, ids)


@pytest.mark.parametrize("labels", [TRUTH, GUESS], ids=["truth", "guess"])
def test_every_form_gives_the_same_sets(tmp_path, labels):
    wanted = LabelSets.from_labels(labels, SHOP)
    found = list(in_every_form(labels, tmp_path, "labels"))
    assert len(found) > 30
    for form, sets in found:
        assert sets.ids == tuple(labels), form
        assert sets.indptr.tolist() == wanted.indptr.tolist(), form
        assert sets.indices.tolist() == wanted.indices.tolist(), form


def test_lines_go_by_position(tmp_path):
    sets = LabelSets.from_labels(TRUTH, SHOP)
    content, notes = write_labels(sets, SHOP, "lines")
    path = tmp_path / "true.txt"
    path.write_text(content)
    again = read_labels(path, SHOP)
    assert again.ids is None
    assert again.indices.tolist() == sets.indices.tolist()
    assert again.indptr.tolist() == sets.indptr.tolist()
    assert "ids are lost" in notes[0]


SEPARATORS = {
    "lines": " ,\t\n\r", "table": "|\t\n\r", "csv": "|\n\r", "tsv": "|\t\n\r"
}  # fmt: skip


@pytest.mark.parametrize(("fmt", "sign"), [(f, s) for f in SEPARATORS for s in SEPARATORS[f]])
def test_a_name_that_holds_what_separates_labels_is_not_written(fmt, sign):
    classes = Hierarchy.from_edges([("r", f"a{sign}b"), ("r", "a")])
    write_labels(LabelSets.from_labels({"x": ["a"]}, classes), classes, fmt)  # it is not used
    with pytest.raises(BadInput, match="which this form cannot hold"):
        write_labels(LabelSets.from_labels({"x": [f"a{sign}b"]}, classes), classes, fmt)


# ------------------------------------------------------------------------------ columns


def write(tmp_path, text, name="labels.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def names(sets):
    return [sets.names_of(i, SHOP) for i in range(len(sets))]


def test_columns_are_named_filtered_and_split(tmp_path):
    text = 'book,task,classes found\n1,A,food\n1,B,"bread; saw"\n2,B,\n'
    sets = read_labels(
        write(tmp_path, text), SHOP,
        columns=Columns("book", ("classes found",), ";", where=(("task", "B"),)),
    )  # fmt: skip
    assert (sets.ids, names(sets)) == (("1", "2"), [["bread", "saw"], []])


def test_level_columns(tmp_path):
    text = "id,top,middle,leaf\nx,food,cheese,brie\ny,tools,saw,\nz,,,\n"
    columns = Columns(labels=("top", "middle", "leaf"))
    sets = read_labels(write(tmp_path, text), SHOP, columns=columns)
    assert names(sets) == [["brie"], ["saw"], []]
    for row, message in [
        (
            "x,food,brie,",
            "labels.csv:2, instance 'x': 'brie' is not a child of 'food' (levels 1 and 2 of",
        ),
        ("x,brie,cheese,food", "'cheese' is not a child of 'brie'"),
        ("x,food,,brie", "labels.csv:2, instance 'x': level 2 of the path is blank"),
        ("x,food,chese,", "class 'chese' is not in the hierarchy; did you mean 'cheese'?"),
    ]:
        path = write(tmp_path, f"id,top,middle,leaf\n{row}\n")
        with pytest.raises(BadInput) as caught:
            read_labels(path, SHOP, columns=columns)
        assert message in str(caught.value)


def test_long_files_with_scores(tmp_path):
    text = "id\tlabel\tscore\nx\tbrie\t0.9\nx\tsaw\t0.2\ny\tfood\t0.5\nz\t\n"
    path = write(tmp_path, text, "run.tsv")
    assert names(read_labels(path, SHOP)) == [["saw", "brie"], ["food"], []]
    some = read_labels(path, SHOP, columns=Columns(long=True, min_score=0.5))
    assert (some.ids, names(some)) == (("x", "y", "z"), [["brie"], ["food"], []])
    frame = pd.DataFrame({"id": ["x", "x"], "label": ["brie", "saw"], "p": [0.9, 0.2]})
    best = LabelSets.from_frame(frame, SHOP, long=True, score="p", min_score=0.5)
    assert names(best) == [["brie"]]
    for line, message in [
        ("x\tbrie\tnan", "run.tsv:3: a score must be a finite number, got 'nan'"),
        ("x\tbrie\thigh", "run.tsv:3: a score must be a finite number, got 'high'"),
        ("x\tsaw\t0.4", "run.tsv:3: instance 'x' has the label 'saw' with another score"),
        ("x\tsaw", "run.tsv:3: a score must be a finite number, got ''"),
        ("x\tsaw\t1\t2", "run.tsv:3: expected id TAB label [TAB score], got 4 fields"),
        ("\tsaw\t1", "run.tsv:3: the instance id is missing"),
        ("x\tbire\t1", "run.tsv:3, instance 'x': class 'bire' is not in the hierarchy"),
    ]:
        bad = write(tmp_path, f"id\tlabel\tscore\nx\tsaw\t0.2\n{line}\n", "run.tsv")
        with pytest.raises(BadInput) as caught:
            read_labels(bad, SHOP)
        assert message in str(caught.value)


def test_json_lines_as_published_data_have_them(tmp_path):
    lines = [{"token": ["x"], "label": ["food", "bread"]}, {"token": [], "label": []}]
    path = write(tmp_path, "\n".join(map(json.dumps, lines)), "data.json")
    notes = []
    sets = read_labels(path, SHOP, on_note=notes.append)
    assert (sets.ids, names(sets)) == (None, [["food", "bread"], []])
    assert "taken by position" in notes[0]


# ------------------------------------------------------------------------------ hierarchies


def test_cycles_are_broken_by_a_named_rule(tmp_path):
    path = write(tmp_path, "r a\na b\nb c\nc a\nb b\nc d\n", "tree.txt")
    with pytest.raises(BadInput, match="or break_cycles='depth-first'"):
        read_hierarchy(path)
    notes = []
    hierarchy = read_hierarchy(path, break_cycles="depth-first", on_note=notes.append)
    assert set(hierarchy.to_networkx().edges) == {("r", "a"), ("a", "b"), ("b", "c"), ("c", "d")}
    assert sorted(n.split("tree.txt")[1].split(":")[1] for n in notes) == ["4", "5"]
    assert any(
        "the edge 'c' → 'a' closes a cycle and is left out (rule depth-first)" in n for n in notes
    )


def test_a_namespace_of_an_ontology(tmp_path):
    text = "[Term]\nid: a\nnamespace: x\n[Term]\nid: b\nnamespace: y\n[Term]\nid: c\nnamespace: x\nis_a: a\nis_a: b\n"
    path = write(tmp_path, text, "go.obo")
    assert list(read_hierarchy(path, namespace="x").to_networkx().edges) == [("a", "c")]
    with pytest.raises(BadInput, match="there is no namespace 'z'; there are x, y"):
        read_hierarchy(path, namespace="z")
    with pytest.raises(BadInput, match="namespace is for OBO files; this file was read as edges"):
        read_hierarchy(write(tmp_path, "a\tb\n", "t.tsv"), namespace="x")


def test_convert(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "shop\tfood\nshop\ttools\nfood\tbread\n", "tree.tsv")
    write(tmp_path, "x\tbread|tools\ny\t\n", "true.tsv")
    for fmt in LABEL_FORMATS.written_forms:
        assert main(["convert", "tree.tsv", "true.tsv", "--to", fmt, "-o", f"out.{fmt}"]) == 0
        back = ["convert", "tree.tsv", f"out.{fmt}", "--to", "table", "--label-format", fmt]
        assert main(back) == 0
        out, err = capsys.readouterr()
        first = "0" if fmt == "lines" else "x"
        assert out == f"id\tlabels\n{first}\ttools|bread\n{'1' if fmt == 'lines' else 'y'}\t\n"
        assert ("lost" in err) == (fmt == "lines")
    assert main(["convert", "tree.tsv", "--to", "csv"]) == 2
    assert (
        "the form of written hierarchies must be one of edges, json, got 'csv'"
        in capsys.readouterr().err
    )
