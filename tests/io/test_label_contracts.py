"""What holds of every form of label files: headers, whole numbers, places, and one pass for all."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierpair import BadInput, Hierarchy, LabelSets, read_labels
from hierpair.cli import main
from hierpair.io import LABEL_FORMATS, parse_labels
from hierpair.labels import Columns
from hierpair.probabilistic import read_scored_labels

TREE = Hierarchy.from_edges([("root", "a"), ("root", "b"), ("a", "c"), ("a", "d")])
NUMBERS = Hierarchy.from_edges([("0", "1"), ("0", "2"), ("1", "3"), ("1", "4")])


def _npz(rows, ids):
    import io

    classes = sorted({x for row in rows for x in row})
    content = io.BytesIO()
    np.savez(content, m=np.array([[c in row for c in classes] for row in rows], dtype=int),
             classes=np.array(classes), ids=np.array(ids))  # fmt: skip
    return content.getvalue()


def _parquet(rows, ids):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"id": ids, "labels": ["|".join(row) for row in rows]}), sink)
    return sink.getvalue().to_pybytes()


WRITTEN = {
    "lines": lambda rows, ids: "".join(" ".join(row) + "\n" for row in rows),
    "table": lambda rows, ids: "".join(f"{i}\t{'|'.join(r)}\n" for i, r in zip(ids, rows, strict=True)),
    "long": lambda rows, ids: "id\tlabel\n"
    + "".join(f"{i}\t{x}\n" for i, row in zip(ids, rows, strict=True) for x in row or [""]),
    "csv": lambda rows, ids: "id,labels\n"
    + "".join(f"{i},{'|'.join(r)}\n" for i, r in zip(ids, rows, strict=True)),
    "tsv": lambda rows, ids: "id\tlabels\tmore\n"
    + "".join(f"{i}\t{'|'.join(r)}\tx\n" for i, r in zip(ids, rows, strict=True)),
    "jsonl": lambda rows, ids: "".join(
        json.dumps({"id": i, "labels": r}) + "\n" for i, r in zip(ids, rows, strict=True)
    ),
    "npz": _npz,
    "parquet": _parquet,
}  # fmt: skip
ENDINGS = {"csv": ".csv", "jsonl": ".jsonl", "npz": ".npz", "parquet": ".parquet"}


def written(folder, form, rows, ids=("x", "y", "z")):
    content = WRITTEN[form](rows, list(ids)[: len(rows)])
    path = folder / f"labels{ENDINGS.get(form, '.txt')}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def names(sets, tree=TREE):
    return [sets.names_of(i, tree) for i in range(len(sets))]


def test_every_form_is_written_here():
    assert set(WRITTEN) == set(LABEL_FORMATS)


@pytest.mark.parametrize("form", WRITTEN)
@pytest.mark.parametrize("said", [True, False])
def test_every_form_is_read_and_known_by_its_content(tmp_path, form, said):
    path = written(tmp_path, form, [["c", "b"], ["d"], ["b"]])
    found = read_labels(path, TREE, **({"fmt": form} if said else {}))
    assert names(found) == [["b", "c"], ["d"], ["b"]]
    assert found.ids == (None if form in ("lines",) else ("x", "y", "z"))


@pytest.mark.parametrize("form", WRITTEN)
def test_whole_numbers_written_as_floats_are_the_classes(tmp_path, form):
    path = written(tmp_path, form, [["3.0", "2"], ["4.00"], ["2"]])
    assert names(read_labels(path, NUMBERS, fmt=form), NUMBERS) == [["2", "3"], ["4"], ["2"]]
    spelled = Hierarchy.from_edges([("0", x) for x in ("2", "3", "3.0", "4.00")], roots="any")
    assert names(read_labels(path, spelled, fmt=form), spelled)[:2] == [["2", "3.0"], ["4.00"]]
    path = written(tmp_path, form, [["3.5", "2"], ["4.0"]])
    with pytest.raises(BadInput, match=r"class '3.5' is not in the hierarchy"):
        read_labels(path, NUMBERS, fmt=form)


def test_whole_numbers_of_tables_that_hold_floats(tmp_path):
    pq.write_table(pa.table({"id": ["x", "y"], "labels": [3.0, None]}), tmp_path / "t.parquet")
    assert names(read_labels(tmp_path / "t.parquet", NUMBERS), NUMBERS) == [["3"], []]
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": 1, "labels": [3.0, 2]}\n{"id": 2, "labels": 4.0}\n')
    assert names(read_labels(path, NUMBERS), NUMBERS) == [["2", "3"], ["4"]]
    path.write_text('{"id": 1, "labels": [true]}\n')
    with pytest.raises(
        BadInput, match=r"t.jsonl:1, instance '1': a label must be a name, got True"
    ):
        read_labels(path, NUMBERS)


PLACES = {"lines": ":2", "table": ":2", "long": ":3", "csv": ":3",
          "tsv": ":3", "jsonl": ":2", "npz": ": row 2", "parquet": ": row 2"}  # fmt: skip


@pytest.mark.parametrize("form", WRITTEN)
def test_an_unknown_label_is_named_with_its_place(tmp_path, form):
    path = written(tmp_path, form, [["c"], ["root", "rooot"], ["b"]])
    who = "" if form in ("lines",) else ", instance 'y'"
    place = PLACES[form].replace("3", "4") if form == "long" else PLACES[form]
    with pytest.raises(BadInput) as caught:
        read_labels(path, TREE, fmt=form)
    said = f"{path}{place}{who}: class 'rooot' is not in the hierarchy; did you mean 'root'?"
    assert str(caught.value).startswith(said)
    sets = read_labels(path, TREE, fmt=form, unknown="drop")
    assert (names(sets), sets.n_unknown) == ([["c"], ["root"], ["b"]], 1)


# ---------------------------------------------------------------- headers

IDS = ["image", "doc_id", "Filename", "protein", "sample", "pmid"]
LABELS = ["category", "Label", "class", "species", "target", "terms"]
ODD = [
    ("picture", "animal"),
    ("0", "1"),
    ("who", "what kind"),
    ("Bild", "Klasse"),
    ("image", "kind"),
]


@pytest.mark.parametrize("pair", list(zip(IDS, LABELS, strict=True)))
@pytest.mark.parametrize("unknown", ["error", "drop", "root"])
def test_a_header_of_known_words_is_passed_over(tmp_path, pair, unknown):
    path = tmp_path / "t.tsv"
    path.write_text("\t".join(pair) + "\nx\tc\ny\tb|d\n")
    sets = read_labels(path, TREE, unknown=unknown)
    assert (sets.ids, names(sets), sets.n_unknown) == (("x", "y"), [["c"], ["b", "d"]], 0)


@pytest.mark.parametrize("pair", ODD)
@pytest.mark.parametrize("unknown", ["error", "drop", "root"])
@pytest.mark.parametrize("body", ["x\tc\n", "x\tc\ny\tb|d\nz\t\n", "x\tc\nx\td\ny\tb\n"])
def test_a_header_of_other_words_is_no_instance(tmp_path, pair, unknown, body):
    path = tmp_path / "t.tsv"
    path.write_text("\t".join(pair) + "\n" + body)
    with pytest.raises(BadInput, match=r"t\.tsv:1\b.*a header\b.* begin it with id"):
        read_labels(path, TREE, unknown=unknown)
    path.write_text("id\tlabels\n" + "\t".join(pair) + "\n" + body)
    if unknown == "drop":  # who says that there is a header means the line
        assert read_labels(path, TREE, unknown=unknown).n_unknown == 1
    path.write_text("\t".join(("id", *pair[1:])) + "\n" + body)
    assert "c" in names(read_labels(path, TREE, unknown=unknown))[0]


@pytest.mark.parametrize("unknown", ["drop", "root"])
def test_a_header_of_lines(tmp_path, unknown):
    path = tmp_path / "t.txt"
    path.write_text("animal\nc\nb d\n")
    with pytest.raises(BadInput, match=r"t\.txt:1: this line looks like a header: animal"):
        read_labels(path, TREE, unknown=unknown)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("P1\tGO:0000001\nP2\tGO:0000002\nP3\tGO:0000003\n", ("GO:0000002", "GO:0000003")),
        ("x\tzz\ny\tqq\nz\tc\n", ("b", "c")),  # most others are none either
        ("x\tc|zz\ny\tc\n", ("b", "c")),  # one of the first line is
        ("x\tzz\n", ("b", "c")),  # there are no others
        ("x\tzz\t0.5\ny\tc\t0.5\n", ("b", "c")),  # a header has no score
    ],
)
def test_a_first_line_that_may_be_an_instance_is_one(tmp_path, text, tree):
    path = tmp_path / "t.tsv"
    path.write_text(text)
    known = Hierarchy.from_edges([("root", x) for x in tree])
    columns = Columns(long=True, min_score=0.1) if "0.5" in text else None
    sets = read_labels(path, known, unknown="drop", columns=columns)
    assert len(sets) == text.count("\n")


def test_a_header_from_the_command_line(tmp_path, capsys):
    (tmp_path / "tree.tsv").write_text("root\ta\nroot\tb\n")
    for name in ("truth", "run"):
        (tmp_path / f"{name}.tsv").write_text("picture\tanimal\nx\ta\n")
    files = [str(tmp_path / f"{name}.tsv") for name in ("tree", "truth", "run")]
    assert main(["score", *files, "-m", "hf", "--unknown", "drop"]) == 2
    assert "truth.tsv:1: this line looks like a header" in capsys.readouterr().err


# ---------------------------------------------------------------- forms of other programs


@pytest.mark.parametrize("sign", ["\t", " ", "   "])
def test_predictions_of_cafa(tmp_path, sign):
    lines = [("T1", "c", "0.90"), ("T1", "d", "0.20"), ("T2", "b", "1.00")]
    path = tmp_path / "t.txt"
    path.write_text("".join(sign.join(line) + "\n" for line in lines))
    scores = read_scored_labels(path, TREE)
    assert scores.ids == ("T1", "T2")
    assert scores.at(np.array([0, 0, 1]), TREE.index(["c", "d", "b"])).tolist() == [0.9, 0.2, 1]
    sets = read_labels(path, TREE, columns=Columns(long=True, min_score=0.5))
    assert names(sets) == [["c"], ["b"]]


@pytest.mark.parametrize(("text", "said"), [
    ("!gaf-version: 2.2\nUniProtKB\tP1\tx\tinvolved_in\tGO:1\n", "GO annotations .*awk"),
    ("% made by hand\n@RELATION r\n@ATTRIBUTE class hierarchical a/b\n", "ARFF .*--paths /"),
    ("AUTHOR TEAM\nMODEL 1\nT1\tc\t0.9\nEND\n", "a CAFA submission; .*grep"),
    ("AUTHOR TEAM\nMODEL 1\nT1 c 0.9\nEND\n", "a CAFA submission; .*grep"),
    ('{"documents": [{"labels": ["c"], "pmid": 1}]}', "the documents of BioASQ; .* jq"),
    ('{\n"documents": [{"labels": ["c"], "pmid": 1}]}', "one whole JSON object"),
    ("c:0.9 d:0.3\nb:1\n", "'c:0.9' looks like label:score or feature:value"),
    ("c,d 12:0.3 40:1.0\nb 3:0.5\n", "'12:0.3' looks like label:score or feature:value"),
])  # fmt: skip
def test_forms_that_are_refused_by_name(tmp_path, text, said):
    path = tmp_path / "t.txt"
    path.write_text(text)
    with pytest.raises(BadInput, match=said):
        read_labels(path, TREE)


# ---------------------------------------------------------------- one pass that collects faults


def test_one_pass_collects_what_is_wrong(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("x\tc|c\ny\nz\tzz|b|zz\nu\t|zz\nv\tqq\nw\td\te\nx\tb\n")
    troubles, faults = [], []
    rows = parse_labels(path, fmt="table", trouble=troubles.append)
    assert [text.partition(": ")[0] for text in troubles] == [f"{path}:2", f"{path}:6"]
    sets = LabelSets.from_rows(rows, TREE, faults=faults.append)
    assert names(sets) == [["c"], ["b"], [], [], ["b"]]
    told = {(f.rule, f.label): [rows.place(entry) for entry in f.entries.tolist()] for f in faults}
    assert told == {
        ("blank label", ""): [f"{path}:4"],
        ("unknown label", "zz"): [f"{path}:3", f"{path}:3", f"{path}:4"],
        ("unknown label", "qq"): [f"{path}:5"],
    }
    assert "class 'qq' is not in the hierarchy" in faults[-1].message(int(faults[-1].entries[0]))


@pytest.mark.parametrize("unknown", ["error", "drop", "root"])
def test_labels_with_scores_behind_them_are_no_labels(tmp_path, unknown):
    """Left out as unknown they would be a system without any label."""
    tree = Hierarchy.from_edges([("r", "c"), ("r", "d"), ("r", "at:0.5")])
    path = tmp_path / "t.tsv"
    path.write_text("id\tlabels\nx\tc:0.9|d:1\ny\t\n")
    with pytest.raises(BadInput, match=r"t\.tsv:2, instance 'x': 'c:0.9' looks like label:score"):
        read_labels(path, tree, unknown=unknown)
    path.write_text("id\tlabels\nx\tat:0.5\n")
    assert read_labels(path, tree, unknown=unknown).n_unknown == 0
