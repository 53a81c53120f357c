"""Files of labels: every form read, known, written; headers, columns, places of errors, what is refused."""

import gc
import gzip
import json
import re
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from hierpair import Hierarchy, LabelSets, read_labels
from hierpair.io import LABEL_FORMATS
from hierpair.labels import Columns, LabelRows
from hierpair.probabilistic import read_scored_labels
from tests.reading import error_of, names_in, put, refuses

TREE = Hierarchy.from_edges([("root", "a"), ("root", "b"), ("a", "c"), ("a", "d")])
NUMBERS = Hierarchy.from_edges([("0", "1"), ("0", "2"), ("1", "3"), ("1", "4")])
IDS = ("x", "y", "z")


TEXTS = {
    "lines": ("", lambda i, row: " ".join(row)),
    "table": ("", lambda i, row: f"{i}\t{'|'.join(row)}"),
    "long": ("id\tlabel\n", lambda i, row: "\n".join(f"{i}\t{x}" for x in row or [""])),
    "csv": ("id,labels\n", lambda i, row: f"{i},{'|'.join(row)}"),
    "tsv": ("id\tlabels\tmore\n", lambda i, row: f"{i}\t{'|'.join(row)}\tx"),
    "jsonl": ("", lambda i, row: json.dumps({"id": i, "labels": row})),
}


def written(folder, form, rows):
    path = folder / f"labels.{form if form in ('csv', 'jsonl', 'npz', 'parquet') else 'txt'}"
    ids = list(IDS[: len(rows)])
    if form == "npz":
        classes = sorted({x for row in rows for x in row})
        matrix = np.array([[c in row for c in classes] for row in rows], dtype=int)
        np.savez(path, m=matrix, classes=np.array(classes), ids=np.array(ids))
    elif form == "parquet":
        pq.write_table(pa.table({"id": ids, "labels": ["|".join(row) for row in rows]}), path)
    else:
        head, line = TEXTS[form]
        put(path, head + "".join(line(i, row) + "\n" for i, row in zip(ids, rows, strict=True)))
    return path


def read(path, tree=TREE, **how):
    """The names of the labels in a file."""
    return names_in(read_labels(path, tree, **how), tree)


def said_of(path, tree=TREE, **how):
    return error_of(read_labels, path, tree, **how)


PLACES = {"lines": ":2", "table": ":2", "long": ":4", "csv": ":3",
          "tsv": ":3", "jsonl": ":2", "npz": ": row 2", "parquet": ": row 2"}  # fmt: skip


@pytest.mark.parametrize("form", LABEL_FORMATS)
def test_every_form_is_read_known_by_its_content_and_names_what_is_wrong(tmp_path, form):
    path = written(tmp_path, form, [["c", "b"], ["d"], ["b"]])
    packed = path.with_name(f"{path.name}.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for given, how in ((path, {"fmt": form}), (path, {}), (packed, {})):
        found = read_labels(given, TREE, **how)
        assert names_in(found, TREE) == [["b", "c"], ["d"], ["b"]]
        assert found.ids == (None if form == "lines" else IDS)
    path = written(tmp_path, form, [["c"], ["root", "rooot"], ["b"]])
    who = "" if form == "lines" else ", instance 'y'"
    said = f"{path}{PLACES[form]}{who}: class 'rooot' is not in the hierarchy; did you mean 'root'?"
    assert said_of(path, fmt=form).startswith(said)
    sets = read_labels(path, TREE, fmt=form, unknown="drop")
    assert (names_in(sets, TREE), sets.n_unknown) == ([["c"], ["root"], ["b"]], 1)


@pytest.mark.parametrize("form", LABEL_FORMATS)
def test_whole_numbers_written_as_floats_are_the_classes(tmp_path, form):
    path = written(tmp_path, form, [["3.0", "2"], ["4.00"], ["2"]])
    assert read(path, NUMBERS, fmt=form) == [["2", "3"], ["4"], ["2"]]
    spelled = Hierarchy.from_edges([("0", x) for x in ("2", "3", "3.0", "4.00")], roots="any")
    assert read(path, spelled, fmt=form)[:2] == [["2", "3.0"], ["4.00"]]
    path = written(tmp_path, form, [["3.5", "2"], ["4.0"]])
    assert "class '3.5' is not in the hierarchy" in said_of(path, NUMBERS, fmt=form)
    if form in ("jsonl", "parquet"):  # as numbers, which no text says
        path.write_bytes(b'{"id": "x", "labels": 3.0}\n{"id": "y", "labels": []}\n')
        if form == "parquet":
            pq.write_table(pa.table({"id": ["x", "y"], "labels": [3.0, None]}), path)
        assert read(path, NUMBERS) == [["3"], []]


@pytest.mark.parametrize(("name", "save"), [
    ("m.npz", lambda path, m: sp.save_npz(path, sp.csr_matrix(m))), ("m.npy", np.save),
])  # fmt: skip
def test_matrices_whose_classes_stand_in_another_file(write, tmp_path, monkeypatch, name, save):
    rows = [["b", "c"], ["d"], []]
    monkeypatch.setattr("hierpair.io.text.BLOCK", 64)
    matrix = np.array([[c in row for c in TREE.names] for row in rows])
    save(tmp_path / name, matrix)
    classes = write("\n".join(TREE.names), "classes.txt")
    assert read(name, column_names=classes) == rows
    np.savez("both.npz", m=matrix, classes=np.array(TREE.names))
    assert read("both.npz", column_names=classes) == rows
    write("\n".join(TREE.names[::-1]), "classes.txt")
    assert "otherwise; leave one of them out" in said_of("both.npz", column_names=classes)


def test_line_ends_blanks_and_the_garbage_collector(write):
    sets = read_labels(write("d1\ta\t\r\rd2\tb\r"), TREE)
    assert (sets.ids, names_in(sets, TREE)) == (("d1", "d2"), [["a"], ["b"]])
    sets = read_labels(write("d1\ta||b|\n"), TREE, unknown="drop")
    assert (names_in(sets, TREE), sets.n_unknown) == ([["a", "b"]], 2)
    assert read_labels(write("a\n\nb\n"), TREE, unknown="drop").as_written is None  # no blank label
    for switch, on in ((gc.disable, False), (gc.enable, True)):
        switch()
        read_labels(write("a\n"), TREE)
        said_of(write("zz\n"))
        assert gc.isenabled() == on


MODES = ["error", "drop", "root"]
KNOWN = ["image\tcategory", "doc_id\tLabel", "Filename\tclass", "protein\tspecies", "sample\ttarget",
         '"id"\t"label"']  # fmt: skip
OTHER = ["picture\tanimal", "0\t1", "who\twhat kind", "Bild\tKlasse", "image\tkind"]


@pytest.mark.parametrize("unknown", MODES)
def test_a_header_of_known_words_is_passed_over_and_another_is_no_instance(write, unknown):
    for head in KNOWN:
        sets = read_labels(write(f"{head}\nx\tc\ny\tb|d\n"), TREE, unknown=unknown)
        assert (sets.ids, names_in(sets, TREE)) == (("x", "y"), [["c"], ["b", "d"]])
        assert sets.n_unknown == 0
    for head, body in product(OTHER, ("x\tc\n", "x\tc\ny\tb|d\nz\t\n", "x\tc\nx\td\ny\tb\n")):
        said = said_of(write(f"{head}\n{body}"), unknown=unknown)
        assert all(words in said for words in (".txt:1", "a header", "begin it with id"))
        if unknown == "drop":  # who says that there is a header means the line
            path = write(f"id\tx\n{head}\n{body}")
            assert read_labels(path, TREE, unknown=unknown).n_unknown == 1
        path = write("id\t" + head.partition("\t")[2] + "\n" + body)
        assert "c" in read(path, unknown=unknown)[0]
    for first, text in (("animal", "animal\nc\nb d\n"), ("nan", "x\tnan\ny\tc\n")):
        mend = "; leave the field blank for no labels" * (first == "nan")
        said = said_of(write(text), unknown=unknown)
        assert f".txt:1: class {first!r} is not in the hierarchy{mend}" in said
        assert "; or is this line a header? Then remove it" in said
        assert "to go on" not in said  # it is never left out


@pytest.mark.parametrize(("text", "tree"), [
    ("P1\tGO:0000001\nP2\tGO:0000002\nP3\tGO:0000003\n", ("GO:0000002", "GO:0000003")),
    ("x\tzz\ny\tqq\nz\tc\n", ("b", "c")),  # most others are none either
    ("x\tc|zz\ny\tc\n", ("b", "c")),  # one of the first line is
    ("x\tzz\n", ("b", "c")),  # there are no others
    ("x\tzz\t0.5\ny\tc\t0.5\n", ("b", "c")),  # a header has no score
])  # fmt: skip
def test_a_first_line_that_may_be_an_instance_is_one(write, text, tree):
    known = Hierarchy.from_edges([("root", x) for x in tree])
    columns = Columns(long=True, min_score=0.1) if "0.5" in text else None
    assert len(read_labels(write(text), known, unknown="drop", columns=columns)) == text.count("\n")


def test_each_column_needs_several_and_nothing_else():
    for how in ({"labels": ("l1",)}, {"long": True}, {"paths": "/"}):
        columns = {"labels": ("l1", "l2"), "each": True, **how}
        refuses("each level is a label only where several columns", Columns, **columns)


@pytest.mark.parametrize("sign", ["\t", " ", "   "])
def test_long_files_with_scores_and_predictions_of_cafa(write, sign):
    path = write("T1 c 0.90\nT1 d 0.20\nT2 b 1.00\n".replace(" ", sign), "t.txt")
    scores, high = read_scored_labels(path, TREE), Columns(long=True, min_score=0.5)
    assert scores.ids == ("T1", "T2")
    assert scores.at(np.array([0, 0, 1]), TREE.index(["c", "d", "b"])).tolist() == [0.9, 0.2, 1]
    assert read(path, columns=high) == [["c"], ["b"]]
    write(path.read_text().replace("1.00", "1"), "t.txt")  # a score may be a whole number
    assert read(path, columns=high) == [["c"], ["b"]]
    notes = []
    for twice in ("", "T1\tc\t0.3\n"):
        text = f"T1\tc\t0.9\nT1\td\t0.2\n{twice}"
        read_scored_labels(write(text, "t.txt"), TREE, on_note=notes.append)
        assert ["the highest counts" in note for note in notes] == [True] * bool(twice)
    path = write("id\tlabel\tscore\nx\tc\t0.9\nx\td\t0.2\ny\ta\t0.5\nz\t\n")
    assert read(path) == [["c", "d"], ["a"], []]
    some = read_labels(path, TREE, columns=high)
    assert (some.ids, names_in(some, TREE)) == (IDS, [["c"], ["a"], []])


@pytest.mark.parametrize(("name", "text", "wanted"), [
    *((name, text, [["c", "d"], ["b"]]) for name, text in (
        ("t.tsv", "x\tc\nx\td\ny\tb\n"), ("t.tsv", "id\tlabel\nx\tc\ny\tb\nx\td\n"),
        ("t.csv", "instance_id,class\nx,c\nx,d\ny,b\n"))),
    ("t.jsonl", '{"id":1,"label":"c"}\n{"id":1,"label":"d"}\n', [["c", "d"]]),
    ("t.json", '{"label": ["c"]}', [["c"]]),
    ("t.json", '{"token": ["x"], "label": ["a", "b"]}\n{"token": [], "label": []}\n', [["a", "b"], []]),
    ("t.txt", "c d\nb\n\n", [["c", "d"], ["b"], []]),
    *(("t.tsv", text, None) for text in ("x\tc\ny\tb\nx\td\n", "x\tc|d\nx\tb\n", "x\tc\nx\tc\n")),
    *(("t.csv", f"id,label{x}\n", None) for x in ("s\nx,c\nx,d", "\nx,c\nx,c", "\nx,c\nx,", "\nx,c\ny,b\nx,d")),
])  # fmt: skip
def test_an_id_that_comes_again_is_a_mistake_or_a_label_a_row_is_told(write, name, text, wanted):
    """Rows of published data without ids go by position, and that is told too, as a blank end is."""
    notes, path = [], write(text, name)
    if wanted is None:
        assert "'x' already occurs at" in said_of(path)
        return
    assert read(path, on_note=notes.append) == wanted
    said = "taken by position" if path.suffix == ".json" else "one label per row"
    said = f"{path}:3: the last line is blank" if text.endswith("\n\n") else said
    assert [said in note for note in notes] == [True] * (text[:4] != "id\tl")


@pytest.mark.parametrize(("text", "said"), [
    ("!gaf-version: 2.2\nUniProtKB\tP1\tx\tinvolved_in\tGO:1\n", "GO annotations .*awk"),
    ("% made by hand\n@RELATION r\n@ATTRIBUTE class hierarchical a/b\n", "ARFF .*--paths /"),
    ("AUTHOR TEAM\nMODEL 1\nT1\tc\t0.9\nEND\n", "a CAFA submission; .*grep"),
    ("AUTHOR TEAM\nMODEL 1\nT1 c 0.9\nEND\n", "a CAFA submission; .*grep"),
    ('{"documents": [{"labels": ["c"], "pmid": 1}]}', "the documents of BioASQ; .* jq"),
    ('{\n"documents": [{"labels": ["c"], "pmid": 1}]}', "one whole JSON object"),
    ("c:0.9 d:0.3\nb:1\n", "'c:0.9' looks like label:score or feature:value"),
    ("c,d 12:0.3 40:1.0\nb 3:0.5\n", "'12:0.3' looks like label:score or feature:value"),
    ("d1,a\n", "need tabs: id TAB label"),
    *((text, "rows of 0 and 1 .* --columns FILE") for text in (
        "0 1 0\n1 0 0\n", "0,0,1\n", '{"id": "x", "labels": ["1", "0", "0"]}\n', '{"id": "x", "labels": [0, 1.0, 0]}\n')),
    *((text, "an id and its labels, or labels.*label format to lines")
      for text in ("0,2\n1,3\n2,2\n", "3 2\n1 2\n2 3\n", "1 3\n2 4\n\n3 3\n", "10 2 3\n11 3\n12 4 1 0\n")),
    *((f"id\tlabel\tscore\nx\tb\t0.2\n{line}\n", f"t.txt:3{said}") for line, said in (
        *((f"x\tc\t{x}", f": a score must be a finite number, got '{x}'") for x in ("nan", "-inf")),
        ("x\tb\t0.4", ": instance 'x' has the label 'b' with another score"),
        ("x\tb", ": a score must be a finite number, got ''"),
        ("x\tb\t1\t2", r": expected id TAB label \[TAB score\], got 4 fields"),
        ("\tb\t1", ": the instance id is missing"),
        ("x\tbb\t1", ", instance 'x': class 'bb' is not in the hierarchy"))),
])  # fmt: skip
def test_forms_and_lines_that_are_refused(write, text, said):
    refuses(said, read_labels, write(text, "t.txt"), TREE)


@pytest.mark.parametrize("name", ["rank", "Confidence", "prob", "probability", "proba", "logit"])
def test_whether_a_column_chooses_among_the_labels_of_an_id_is_asked(write, name):
    path = write(f"id,label,{name}\n1,b,1\n1,c,2\n2,c,1\n", "t.csv")
    mend = "--where rank=1," if name == "rank" else rf"--score-column {name} --min-score X\)"
    refuses(f"a column is called '{name}': do all labels count .*{mend}", read_labels, path, TREE)
    assert read(path, columns=Columns(long=True)) == [["b", "c"], ["c"]]


@pytest.mark.parametrize(
    "header", ["id,labels", "ID,LABELS", " id , Labels ", "Instance_ID, label"]
)
def test_titles_of_columns_are_known_however_they_are_spelled(write, header):
    sets = read_labels(write(f"{header}\nx,b\ny,c\n", "t.csv"), TREE)
    assert (sets.ids, names_in(sets, TREE)) == (("x", "y"), [["b"], ["c"]])
    path = write("id,name,label\n1,x,b\n", "t.csv")
    assert read_labels(path, TREE, columns=Columns(ids="name")).ids == ("x",)


def test_the_advised_command_leaves_the_predictions_of_a_submission(write):
    """What CAFA's rules put around them: a head, a line for each model, an end."""
    head = "AUTHOR TEAM\nMODEL 1\nKEYWORDS sequence alignment.\nACCURACY 1 PR=0.9; RC=0.8\n"
    text = f"{head}T1\tc\t0.9\nT2\tb\t0.4\nEND\n"
    others = re.search(r"grep -vE '(.*?)'", said_of(write(text, "cafa.txt")))[1]
    left = [line for line in text.splitlines(keepends=True) if not re.search(others, line)]
    assert read(write("".join(left), "t.txt")) == read(write("T1\tc\t0.9\nT2\tb\t0.4\n", "u.txt"))


@pytest.mark.parametrize("unknown", ["error", "drop", "root"])
def test_labels_that_are_made_of_others_are_not_left_out_as_unknown(write, unknown):
    """With scores behind them, or as lists of texts: a system would lose all of its labels."""
    tree = Hierarchy.from_edges([("r", "c"), ("r", "d"), ("r", "at:0.5")])
    said = said_of(write("id\tlabels\nx\tc:0.9|d:1\ny\t\n"), tree, unknown=unknown)
    assert ".txt:2, instance 'x': 'c:0.9' looks like label:score" in said
    assert read_labels(write("id\tlabels\nx\tat:0.5\n"), tree, unknown=unknown).n_unknown == 0
    for field in ("c,d", "c;d", "['c', 'd']", '["c"]', "{'c'}"):
        assert "not in the hier" in said_of(write(f"y\td\nx\t{field}\n"), tree, unknown="drop")
    assert len(read_labels(write("y\td\nx\tgone\n"), tree, unknown="drop")) == 2


@pytest.mark.parametrize(("label", "said"), [
    *((sign.join(["root", "a", "c"]), f"--paths '{sign}' (Columns(paths={sign!r}))")  # a shell, and Python
      for sign in ("/", ">", " > ", "::", "\\", ".", "->")),
    *((label, "separated by '/'? Then give a list of them, or of files --separator; or paths? Those run from the top") for label in ("c/a/root", "root/c")),
    ("root/a/c;root/b", "separated by ';'? Then give a list of them, or of files --separator; or paths?"),
    *((f"c{sign}b", f"separated by {sign!r}? Then give a list of them, or of files --separator") for sign in ";, /"),
    *((f"root{sign}a", f"(Columns(paths={sign!r})); or several labels? --separator {sign!r}") for sign in ";, "),
])  # fmt: skip
def test_paths_are_offered_paths_and_several_labels_a_separator(label, said):
    error = error_of(LabelSets.from_rows, LabelRows([[label]], lambda i, k: "x:1", hint=""), TREE)
    assert said in error
    assert ("--separator" in error) == ("--separator" in said)
