"""Truth and systems on the command line: columns of one table, and options for one file alone."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierpair.cli import main

FILES = {
    "tree.tsv": "r\ta\nr\tb\na\tc\na\td\nb\te\n",
    "true.tsv": "1\tc\n2\td|e\n3\te\n",
    "bert.tsv": "1\tc\n2\td\n3\td\n",
    "svm.tsv": "1\te\n2\td|e\n3\te\n",
}
TABLE = {"id": ["1", "2", "3"], "gold": ["c", "d|e", "e"], "bert": ["c", "d", "d"],
         "svm": ["e", "d|e", "e"]}  # fmt: skip


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)

    def command(line, code=0, **files):
        for name, text in files.items():
            (tmp_path / name.replace("_", ".")).write_text(text)
        assert main(line.split()) == code, capsys.readouterr().err
        out, err = capsys.readouterr()
        return out if code == 0 else out + err

    return command


def table(path, table=None):
    rows = table or TABLE
    lines = [list(rows), *zip(*rows.values(), strict=True)]
    if path.endswith(".parquet"):
        pq.write_table(pa.table(rows), path)
        return
    with Path(path).open("w") as out:
        for line in lines[1:] if path.endswith("jsonl") else lines:
            if path.endswith("jsonl"):
                out.write(json.dumps(dict(zip(rows, line, strict=True))) + "\n")
            else:
                out.write(("," if path.endswith("csv") else "\t").join(line) + "\n")


MEASURES = " -m hf -m gie --format csv"


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.txt", "t.jsonl", "t.parquet"])
@pytest.mark.parametrize("options", ["", " --truth-column gold", " --system-columns bert,svm"])
def test_columns_of_one_table_are_the_same_as_files(run, name, options):
    table(name)
    wanted = run("score tree.tsv true.tsv bert.tsv svm.tsv" + MEASURES)
    assert run(f"score tree.tsv {name}{options}{MEASURES}") == wanted
    assert run(f"check tree.tsv {name}{options}")
    compared = run("compare tree.tsv true.tsv bert.tsv svm.tsv -m hf --format csv")
    assert run(f"compare tree.tsv {name}{options} -m hf --format csv") == compared
    assert "for instance 2 of bert" in run(f"explain tree.tsv {name}{options} --system bert")


def test_columns_are_chosen(run):
    other = {"doc": TABLE["id"], "best guess": TABLE["bert"], "label": TABLE["gold"],
             "svm": TABLE["svm"], "split": ["x", "x", "y"], "note": ["?"] * 3}  # fmt: skip
    table("t.csv", other)
    out = run("score tree.tsv t.csv --id-column doc --truth-column label --system-columns svm "
              "--where split=x" + MEASURES)  # fmt: skip
    assert [line.split(",")[0] for line in out.splitlines()] == ["system", "svm", "svm"]
    assert ",2,0,0,0," in out
    said = run("score tree.tsv t.csv --id-column doc --truth-column label -m hf", 2)
    assert "class 'x' is not in the hierarchy" in said
    assert "the column 'split' was taken for a system; --system-columns" in said
    said = run("check tree.tsv t.csv --id-column doc --truth-column label", 1)
    assert "class '?' is not in the hierarchy" in said


@pytest.mark.parametrize(('line', 'says'), [
    ('t.csv --truth-column golt', "no column 'golt'; did you mean 'gold'?"),
    ('t.csv --system-columns bert,svn', "no column 'svn'; did you mean 'svm'?"),
    ('t.csv --system-columns gold', "the column 'gold' is the truth, and no system"),
    ('t.csv svm.tsv --truth-column gold', 'for one table with truth and systems'),
    ('t.csv --truth-column gold --label-column bert', '--truth-column cannot be given with --label-column'),
    ('- --truth-column gold', 'which is no standard input: give HIERARCHY TABLE'),
    ('two.csv', 'give a hierarchy, a truth and at least one file of predictions'),
    ('two.csv --system-columns y', 'which column is the truth? There are id, x, y'),
    ('only.csv', 'give a hierarchy, a truth and at least one file of predictions'),
    ('true.tsv', 'give a hierarchy, a truth and at least one file of predictions'),
])  # fmt: skip
def test_what_is_wrong_with_columns(run, line, says):
    table("t.csv")
    table("two.csv", {"id": ["1"], "x": ["c"], "y": ["c"]})
    table("only.csv", {"id": ["1"], "gold": ["c"]})
    assert says in run(f"score tree.tsv {line} -m hf", 2)


def test_a_table_of_labels_stays_one(run):
    table("t.csv", {"id": ["1"], "labels": ["c"], "gold": ["?"]})
    assert "1 instance with" in run("check tree.tsv t.csv")


# -------------------------------------------------------------------- options for one file alone

WANTED = "score tree.tsv true.tsv bert.tsv svm.tsv" + MEASURES


@pytest.mark.parametrize(
    ("files", "options"),
    [
        ({"bert_txt": "id,topics\n1,c\n2,d\n3,d\n"},
         "--label-format bert:csv --label-column bert:topics"),
        ({"true_txt": "1\tc\n2\td;e\n3\te\n", "bert_txt": FILES["bert.tsv"]},
         "--separator truth:; --label-format bert:table"),
        ({"bert_txt": "1\tr/a/c\n2\tr/a/d\n3\tr/a/d\n"}, "--paths bert:/"),
        ({"bert_csv": "id,labels,run\n1,c,x\n1,e,y\n2,d,x\n3,d,x\n"}, "--where bert:run=x"),
        ({"bert_csv": "key,x\n1,c\n2,d\n3,d\n"}, "--id-column bert:key --label-column bert:x"),
        ({"bert_tsv": "1\tc\t0.9\n1\te\t0.2\n2\td\t0.9\n3\td\t0.8\n"}, "--min-score bert:0.5"),
        ({"bert_csv": "id,x\n1,c\n2,d\n3,d\n"}, "--rows bert:label --label-column bert:x"),
        ({"bert_csv": "id,x\n1,c\n2,d\n3,d\n", "true_csv": "id,x\n1,c\n2,d\n2,e\n3,e\n"},
         "--long --rows bert:instance --label-column bert:x --label-column truth:x --rows "
         "svm:instance --label-format svm:table"),
        ({"svm_txt": "1\te\n2\td+e\n3\te\n", "bert_txt": "1\tc\n2\td\n3\td\n"},
         "--separator + --separator truth:| --separator bert:|"),
    ],
)  # fmt: skip
def test_options_for_one_file_leave_the_others_alone(run, files, options):
    wanted = run(WANTED)
    names = {"true": "true.tsv", "bert": "bert.tsv", "svm": "svm.tsv"}
    names |= {name.partition("_")[0]: name.replace("_", ".") for name in files}
    line = f"tree.tsv {names['true']} {names['bert']} {names['svm']}"
    assert run(f"score {line} {options}{MEASURES}", **files) == wanted
    assert "error" not in run(f"check {line} {options}")


def test_what_is_wrong_with_options_for_one_file(run):
    said = run("score tree.tsv true.tsv bert.tsv --label-format brt:csv", 2)
    assert "the label format must be one of" in said
    said = run("score tree.tsv true.tsv bert.tsv --rows bert:lable", 2)
    assert "--rows must be one of instance, label, got 'lable'; did you mean 'label'?" in said
    said = run("score tree.tsv true.tsv bert.tsv --min-score bert:high", 2)
    assert "cannot read 'high'; write a number" in said
    assert "1 file" not in run("convert tree.tsv true.tsv --to lines")


def test_a_table_in_which_the_truth_is_not_plain_is_told_its_columns(run):
    for titles in ("gold,y_true,bert", "id,labelled,bert"):
        text = f"{titles}\nc,c,d\n"
        err = run("score tree.tsv many.csv", code=2, many_csv=text)
        assert "--truth-column" in err


def test_each_level_is_a_label(run):
    """Heads predict level by level: truth and prediction are tables with a column for each."""
    files = {"true_csv": "id,top,low\n1,a,c\n2,b,e\n", "mine_csv": "id,top,low\n1,b,c\n2,b,\n"}
    columns = " --label-column top --label-column low"
    line = "score tree.tsv true.csv mine.csv -m point_overlap -m tree_inconsistency --format csv"
    out = run(f"{line}{columns} --each-level", **files)
    assert [row.split(",")[1:3] for row in out.splitlines()[1:]] == [
        ["point_overlap", "0.5"],
        ["tree_inconsistency", "1.0"],
    ]
    assert "is not a child of 'b'" in run(line + columns, 2, **files)
    assert "--each-level needs --label-column" in run(f"{line} --each-level", 2, **files)
    plain = {**files, "mine_tsv": "1\tb|c\n2\tb\n"}
    some = " --label-column truth:top --label-column truth:low --each-level"
    again = run(
        line.replace("mine.csv", "mine.tsv").replace("true.csv", "true.csv") + some, **plain
    )
    assert again == out


def test_a_name_with_a_slash_and_signs_of_a_pattern(run):
    """As models on hubs are called; a folder that tells a column is no name."""
    out = run("score tree.tsv true.tsv org/m[2]=bert.tsv -m hf --format csv")
    assert out.splitlines()[1].startswith("org/m[2],hf,")
