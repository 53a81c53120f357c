"""Which files a line reads, and how: columns, options for one file, evaluation files, large data; none is lost."""

import ast
import json
import os
import threading
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hierpair
from hierpair import BadInput, read_hierarchy, score
from hierpair.cli import score as scoring
from hierpair.io import files, table_titles, text
from hierpair.io.datasets import open_dataset, tables

from .conftest import FILES, write

TABLE = {"id": ["1", "2", "3"], "gold": ["c", "d|e", "e"], "bert": ["c", "d", "d"],
         "svm": ["e", "d|e", "e"]}  # fmt: skip
MEASURES = " -m hf -m gie --format csv"
WANTED = "score tree.tsv true.tsv bert.tsv svm.tsv" + MEASURES


def table(path, columns=TABLE):
    """Write columns in the form that the ending says."""
    lines = [list(columns), *zip(*columns.values(), strict=True)]
    if path.endswith(".parquet"):
        pq.write_table(pa.table(columns), path)
        return
    if path.endswith(".jsonl"):
        records = [json.dumps(dict(zip(columns, line, strict=True))) for line in lines[1:]]
    else:
        records = [("," if path.endswith(".csv") else "\t").join(line) for line in lines]
    Path(path).write_text("\n".join(records) + "\n")


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.txt", "t.jsonl", "t.parquet"])
@pytest.mark.parametrize("options", ["", " --truth-column gold", " --system-columns bert,svm"])
def test_columns_of_one_table_are_the_same_as_files(run, name, options):
    table(name)
    line = f"tree.tsv {name}{options}"
    assert run(f"score {line}{MEASURES}").out == run(WANTED).out
    assert run(f"compare {line}{MEASURES}").out == run(WANTED.replace("score", "compare")).out
    assert run(f"check {line}").out
    assert "for instance 2 of bert" in run(f"explain {line} --system bert").out


def test_columns_are_chosen(run):
    table("t.csv", {"doc": TABLE["id"], "best guess": TABLE["bert"], "label": TABLE["gold"],
                    "svm": TABLE["svm"], "split": ["x", "x", "y"], "note": ["?"] * 3})  # fmt: skip
    line = "tree.tsv t.csv --id-column doc --truth-column label"
    out = run(f"score {line} --system-columns svm --where split=x{MEASURES}").out
    assert [row.split(",")[0] for row in out.splitlines()] == ["system", "svm", "svm"]
    assert ",2,0,0,0," in out
    said = run(f"score {line} -m hf", code=2).err
    assert "class 'x' is not in the hierarchy" in said
    assert "the column 'split' was taken for a system; --system-columns" in said
    assert "class '?' is not in the hierarchy" in run(f"check {line}", code=1).out
    table("labels.csv", {"id": ["1"], "labels": ["c"], "gold": ["?"]})  # a table of labels is one
    assert "1 instance with" in run("check tree.tsv labels.csv").out
    table("apart.csv", TABLE | {"gold": ["c", "d;e", "e"]})
    apart = run(f"score tree.tsv apart.csv --separator truth:;{MEASURES}").out
    assert apart == run(WANTED).out
    for titles in ("gold,y_true,bert", "id,labelled,bert"):
        said = run("score tree.tsv many.csv", code=2, files={"many.csv": f"{titles}\nc,c,d\n"}).err
        assert "--truth-column" in said


@pytest.mark.parametrize(("given", "options"), [
    ({"bert.txt": "id,topics\n1,c\n2,d\n3,d\n"}, "--label-format bert:csv --label-column bert:topics"),
    ({"true.txt": "1\tc\n2\td;e\n3\te\n", "bert.txt": FILES["bert.tsv"]}, "--separator truth:; --label-format bert:table"),
    ({"bert.txt": "1\tr/a/c\n2\tr/a/d\n3\tr/a/d\n"}, "--paths bert:/"),
    ({"bert.csv": "id,labels,run\n1,c,x\n1,e,y\n2,d,x\n3,d,x\n"}, "--where bert:run=x"),
    ({"bert.csv": "key,x\n1,c\n2,d\n3,d\n"}, "--id-column bert:key --label-column bert:x"),
    ({"bert.tsv": "1\tc\t0.9\n1\te\t0.2\n2\td\t0.9\n3\td\t0.8\n"}, "--min-score bert:0.5"),
    ({"bert.csv": "id,x\n1,c\n2,d\n3,d\n"}, "--rows bert:label --label-column bert:x"),
    ({"bert.csv": "id,x\n1,c\n2,d\n3,d\n", "true.csv": "id,x\n1,c\n2,d\n2,e\n3,e\n"},
     "--long --rows bert:instance --label-column bert:x --label-column truth:x --rows svm:instance --label-format svm:table"),
    ({"true.csv": "id,top,low\n1,c,\n2,d,e\n3,e,\n", "svm.csv": "id,x\n1,e\n2,d|e\n3,e\n"},
     "--label-column truth:top --label-column truth:low --label-column svm:x --each-level"),
    ({"svm.txt": "1\te\n2\td+e\n3\te\n", "bert.txt": "1\tc\n2\td\n3\td\n"}, "--separator + --separator truth:| --separator bert:|"),
])  # fmt: skip
def test_options_for_one_file_leave_the_others_alone(run, given, options):
    wanted = run(WANTED).out
    names = {name: f"{name}.tsv" for name in ("true", "bert", "svm")}
    names |= {name.partition(".")[0]: name for name in given}
    line = f"tree.tsv {names['true']} {names['bert']} {names['svm']} {options}"
    assert run(f"score {line}{MEASURES}", files=given).out == wanted
    assert "error" not in run(f"check {line}").out


def test_a_name_with_a_slash_and_signs_of_a_pattern(run):
    """As models on hubs are called; a folder that tells a column is no name."""
    out = run("score tree.tsv true.tsv org/m[2]=bert.tsv -m hf --format csv").out
    assert out.splitlines()[1].startswith("org/m[2],hf,")


# --------------------------------------------------------------------- the file of an evaluation

CONFIG = """
hierarchy = "tree.tsv"
truth = "true.tsv"
measures = ["hf", "gie(default=4)"]
label-format = "bert:csv"
id-column = "bert:doc"
label-column = "bert:topics"
{}
[systems]
svm = "svm.tsv"
bert = "bert.csv"

[set]
root = "include"
"""
WRITTEN, CONFIG = CONFIG.format('output = "out.csv"\nformat = "csv"'), CONFIG.format("")
READ = "--label-format bert:csv --id-column bert:doc --label-column bert:topics"
SAME = f"tree.tsv true.tsv svm=svm.tsv bert=bert.csv {READ}"
HOW = "-m hf -m gie(default=4) --set root=include"


@pytest.fixture
def inside(run, monkeypatch):
    """The folder with the files, as the working one; ``eval`` names it from above."""
    above = Path.cwd()
    write({f"eval/{name}": content for name, content in FILES.items()})
    write({"eval/e.toml": CONFIG, "eval/bert.csv": "doc,topics\n1,c\n2,d\n3,d\n"})
    monkeypatch.chdir("eval")
    return lambda: monkeypatch.chdir(above)


def systems_in(out):
    return [row.split(",")[0] for row in out.splitlines()[1:]]


def test_a_file_says_what_the_command_line_says_with_paths_of_its_own(run, inside):
    wanted = run(f"score {SAME} {HOW} --format csv").out
    assert run("score --format=csv --config=e.toml").out == wanted
    inside()
    line = "score --config eval/e.toml --format csv"
    assert run(line).out == wanted
    said = run("compare --config eval/e.toml --format json").out
    signature = json.loads(said)["scores"][0]["signature"]
    assert signature.startswith("hf(beta=1,augment=ancestors,root=")
    other = run(f"{line} --set root=exclude -m hf").out
    assert other.count("root=exclude") == 2  # the command line counts more
    assert "gie" not in other
    out = run(f"{line} eval/tree.tsv eval/true.tsv bert=eval/bert.csv -m hf").out
    assert systems_in(out) == ["bert"]
    config = WRITTEN.replace('"gie(default=4)"', "\"gie(cost=lin('counts.tsv', smooth=1))\"")
    write({"eval/e.toml": config, "eval/counts.tsv": "c\t1\nd\t1\ne\t1\n"})
    run("score --config eval/e.toml")
    assert "lin" in Path("eval/out.csv").read_text()
    assert not Path("out.csv").exists()
    assert "this file is read" in run("score --config eval/e.toml -o eval/e.toml", code=2).err


@pytest.mark.usefixtures("inside")
def test_columns_of_one_table_and_sections_of_verbs(run):
    """For a check, what says how files are read counts; how they are scored is passed over."""
    config = (
        'hierarchy = "tree.tsv"\nhierarchy-format = "edges"\nmeasures = "hf"\ntruth = "t.csv"\n'
        'truth-column = "gold"\nsystem-columns = ["bert", "svm"]\n'
        "[score]\nfail-under = {hf = 0.5}\n[compare]\nalpha = 0.1\npairs = true\n"
    )
    table("t.csv")
    out = run("score --config t.toml --format csv", files={"t.toml": config}).out
    assert systems_in(out) == ["bert", "svm"]
    assert "difference" in run("compare --config t.toml --format csv").out
    config = 'missing = "empty"\n' + CONFIG + '[check]\nstrict = true\n[compare]\ntest = "sign"\n'
    out = run("check --config e.toml --format json", files={"e.toml": config}).out
    assert out == run(f"check {SAME} --strict --format json").out
    run("score --config e.toml")
    said = run("check --config e.toml", code=2, files={"e.toml": "strikt = true\n" + CONFIG}).err
    assert "there is no option 'strikt'" in said


# --------------------------------------------------------------------- folders and large files

NAMES = ["a", "b", "c", "d"]


def rows_of(n=40, start=0):
    """Ids, truth and two systems, none of which is another's."""
    columns = {name: [NAMES[(i + start) % k] for i in range(n)]
               for name, k in (("truth", 4), ("one", 3), ("two", 2))}  # fmt: skip
    return pa.table({"id": [f"i{i + start}" for i in range(n)], **columns})


def as_parts(folder, table, cuts=()):
    folder.mkdir(parents=True, exist_ok=True)
    for k, (a, b) in enumerate(pairwise(sorted({0, len(table), *cuts}))):
        pq.write_table(table.slice(a, b - a), folder / f"part-{k:03}.parquet", row_group_size=3)


LOOKS = (
    "-m hf -m gie --format json", "-m lca_f --format csv --unknown drop", "-m hf --fail-under hf=0.99",
    "-m hf(average=macro) --where day=1", "-m hf --truth-column one --system-columns two",
)  # fmt: skip


def test_both_sides_of_the_limit_say_the_same(run, monkeypatch):
    """A file beyond it is read part by part, with the same output byte by byte."""
    whole = rows_of().append_column("day", pa.array(["1", "2"] * 20))
    spoilt = {"table": whole, "bad": whole.set_column(1, "truth", pa.array([*["a"] * 39, "?"])),
              "guess": whole.set_column(2, "one", pa.array([*["a"] * 39, "A"]))}  # fmt: skip
    for name, content in spoilt.items():
        pq.write_table(content, f"{name}.parquet", row_group_size=9)
    opened = recorded(monkeypatch, "dataset_of")
    for look in LOOKS:
        more = "" if "-column" in look else " --system-columns one,two"
        for name in spoilt:
            line = f"score tree.tsv {name}.parquet {look}{more}"
            expected, n = run(line, code=None), len(opened)
            with monkeypatch.context() as patched:
                patched.setattr(tables, "WHOLE_BYTES", 1)
                assert run(line, code=None) == expected
            assert len(opened) == n + 1
            assert name != "table" or expected.code == ("--fail-under" in look)
    monkeypatch.setattr(tables, "WHOLE_BYTES", 1)
    for look in ("--per-instance", "--by level"):  # which parts cannot give
        run(f"score tree.tsv table.parquet -m hf --system-columns one {look}")
    assert len(opened) == len(LOOKS) * len(spoilt)


def recorded(monkeypatch, name):
    """A list to which every call of a function adds its arguments."""
    calls, plain = [], getattr(scoring, name)
    monkeypatch.setattr(scoring, name, lambda *x, **how: calls.append(x) or plain(*x, **how))
    return calls


@pytest.mark.parametrize("label", ["labels", "label"])
@pytest.mark.parametrize("fault", [None, "?"])
def test_two_files_beyond_the_limit_say_the_same(run, monkeypatch, label, fault):
    """Truth and run in other order are joined on disk; of labels at fault the instance is told."""
    whole = rows_of()
    truth = whole.select(["id", "truth"]).rename_columns(["id", label])
    guess = pa.array([*whole["one"].to_pylist()[:-1], fault or "a"])
    mine = pa.table({"id": whole["id"], label: guess}).take(pa.array(range(39, -1, -1)))
    pq.write_table(truth, "truth.parquet")
    pq.write_table(mine, "mine.parquet", row_group_size=7)
    line = "score tree.tsv truth.parquet me=mine.parquet -m hf -m gie --format json"
    expected, made = run(line, code=None), recorded(monkeypatch, "score_parts")
    as_parts(Path("parts"), mine, (20,))
    assert run(line.replace("mine.parquet", "parts"), code=None).out == expected.out
    made.clear()
    monkeypatch.setattr(tables, "WHOLE_BYTES", 1)
    joined, code = run(line, code=None), 0 if fault is None else 2
    assert (len(made), joined.code, expected.code, joined.out) == (1, code, code, expected.out)
    assert fault is None or "mine.parquet: row 1, instance 'i39': class '?'" in joined.err
    run(f"{line} --per-instance", code=None)
    run(line.replace("-m hf -m gie", "-m auprc"), code=None)
    assert len(made) == 1


def test_titles_are_read_from_the_beginning_of_a_file(monkeypatch, tmp_path):
    """Of a pipe, which can be read once, all is read, so that nothing is lost without a word."""
    file, asked = tmp_path / "table.tsv", []
    file.write_text("id\tgold\tmine\n" + "1\ta\tb\n" * 500_000)
    plain = text.blocks_of
    monkeypatch.setattr(text, "blocks_of", lambda *x: (asked.append(0) or b for b in plain(*x)))
    assert table_titles(file) == ("tsv", ["id", "gold", "mine"])
    assert len(asked) == 2  # to know the form, and its titles
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(file.read_bytes(),))
    writer.start()
    assert table_titles(pipe)[1] == ["id", "gold", "mine"]
    writer.join()
    assert len(asked) > 3


def test_values_come_as_parts(run):
    """They are the values of the whole, once each, with the ids beside them."""
    as_parts(Path("d"), rows_of(), (7, 30))
    run("score tree.tsv d -m hf -m hf(average=micro) -m gie --values v")
    names = [f"part-0000{k}.parquet" for k in range(3)]
    assert sorted(path.name for path in Path("v").iterdir()) == names
    rows = rows_of().to_pandas().set_index("id")
    systems = {name: rows[name].to_dict() for name in ("one", "two")}
    whole = score(read_hierarchy("tree.tsv"), rows["truth"].to_dict(), systems, ["hf", "gie"])
    found, whole = pq.read_table("v").to_pandas(), whole.to_dataframe(per_instance=True)
    assert found.columns[:2].tolist() == ["system", "instance"]
    assert [name.partition("(")[0] for name in found.columns[2:]] == ["hf", "gie"]
    pairs = [sorted(map(tuple, x.astype({"system": str}).to_numpy())) for x in (found, whole)]
    assert pairs[0] == pairs[1]
    Path("file").write_text("x")
    for target, says in (("v", "v: this folder holds part-00000.parquet"),
                         ("file", "file: the values of instances cannot be written")):  # fmt: skip
        assert says in run(f"score tree.tsv d -m hf --values {target}", code=2).err
    pq.write_table(rows_of().drop(["id"]), "plain.parquet")
    run("score tree.tsv plain.parquet -m hf --values w --jobs 2")
    names = pq.read_table("w")["instance"].to_pylist()
    assert names[:2] == ["plain.parquet: row 1", "plain.parquet: row 2"]


def test_faulty_data_sets_are_one_error(run, monkeypatch):
    bad = rows_of(5, start=5).set_column(2, "one", pa.array(["a", "b", "x", "a", "a"]))
    for k, part in enumerate((rows_of(5), bad)):
        as_parts(Path(f"d/{k}"), part)
    _code, out, err = run("score tree.tsv d -m hf", code=2)
    assert (out, err.count("\n")) == ("", 1)
    assert "d/1/part-000.parquet: row 3, instance 'i7': class 'x' is not in" in err
    assert "[the column 'one' was taken for a system; --system-columns names them]" in err
    run("score tree.tsv d -m hf --unknown drop")
    said = run("score tree.tsv d -m hf --per-instance", code=2).err
    assert "--per-instance needs files that are read whole; --values DIR" in said
    data = open_dataset("d")
    monkeypatch.setattr(scoring, "dataset_of", lambda side, **how: data)
    Path("d/0/part-000.parquet").unlink()  # while the run is on its way
    said = run("score tree.tsv d -m hf", code=2).err
    assert "d/0/part-000.parquet: there is no such file" in said


# --------------------------------------------------------------------- no input is overwritten

INPUTS = FILES | {
    "counts": "a\t3\nc\t4\nd\t2\ne\t1\n", "own.py": "x = 1\n",
    "vectors": "".join(f"{c}\t1\t{k}\n" for k, c in enumerate("rabcde")),
    "costs": "".join(["-\tr\ta\tb\tc\td\te\n", *(f"{c}\t1\t2\t3\t4\t5\t6\n" for c in "rabcde")]),
    "claims.toml": 'hierarchy = "tree.tsv"\ntruth = "true.tsv"\nsystems = {s = "svm.tsv"}\n[[claims]]\n'
                   'system = "s"\nmeasure = "hf"\nvalue = "0.6667"\n',
}  # fmt: skip
BASE = "tree.tsv true.tsv svm.tsv -m"
READS = [
    ("tree.tsv", f"score {BASE} hf"), ("true.tsv", "check tree.tsv true.tsv svm.tsv"), ("svm.tsv", f"explain {BASE} hf --format text"),
    ("counts", f"score {BASE} mean_cost(cost=lin('counts'))"), ("costs", f"score {BASE} gie --set cost=matrix('costs')"),
    ("vectors", f'score {BASE} total_cost(cost=cosine("vectors"))'), ("claims.toml", "verify claims.toml"),
    ("tree.tsv", "verify claims.toml"), ("svm.tsv", "verify claims.toml"), ("own.py", f"score {BASE} hf --plugin own.py"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "line"), READS)
def test_an_input_is_not_overwritten_however_it_is_named(run, name, line):
    write(INPUTS)
    Path("sub").mkdir()
    Path("sub/link").symlink_to(Path(name).resolve())
    os.link(name, "sub/hard")
    whole = str(Path(name).resolve())
    for target in (name, f"sub/../{name}", whole, "sub/link", "sub/hard", f"/proc/self/cwd/{name}"):
        said = run(f"{line} -q -o {target}", code=2).err
        assert "this file is read; write the output elsewhere" in said
        assert Path(name).read_text() == INPUTS[name]
    assert run(f"{line} -q -o fresh", code=None).code in (0, 1)


def test_standard_input_and_what_is_read_late_are_not_overwritten(run, monkeypatch):
    """The guard does not depend on how a measure or a claim names its files."""
    with Path("svm.tsv").open() as given:
        monkeypatch.setattr("sys.stdin", given)
        said = run("score tree.tsv true.tsv - -q -m hf -o svm.tsv", code=2).err
    assert "svm.tsv: this file is read" in said
    assert Path("svm.tsv").read_text() == FILES["svm.tsv"]
    write(INPUTS)
    with files.inputs_guarded():
        text.read_bytes("counts")
        with pytest.raises(BadInput, match="this file is read"):
            files.replace_file(Path("counts"), b"x")
    assert Path("counts").read_text().startswith("a\t3")
    files.replace_file(Path("counts"), b"x")  # in Python, everybody may write what they like
    assert Path("counts").read_bytes() == b"x"


OPENERS = {"open", "read_text", "read_bytes", "fdopen", "load", "loadtxt", "genfromtxt", "fromfile",
           "ParquetFile", "read_csv"}  # fmt: skip


@pytest.mark.exhaustive
def test_files_are_opened_in_one_place():
    """What opens a file elsewhere would not be known to the guard."""
    root = Path(hierpair.__file__).parent
    trees = ((path, ast.parse(path.read_text())) for path in root.rglob("*.py"))
    called = ((path, ast.unparse(node.func)) for path, tree in trees for node in ast.walk(tree)
              if isinstance(node, ast.Call))  # fmt: skip
    found = {f"{path.relative_to(root)}: {name}" for path, name in called
             if name.rpartition(".")[2] in OPENERS and name not in ("read_text", "read_bytes")}  # fmt: skip
    assert {line for line in found if not line.startswith("io/files.py")} <= {
        "cli/output.py: os.open", "cli/main.py: os.open", "cli/main.py: Path(os.devnull).open",  # the null device
        "io/labels/binary.py: np.load", "evaluation/partial.py: np.load",  # bytes in memory
        "io/labels/binary.py: pq.ParquetFile", "io/text.py: Path(path).open", "io/labels/binary.py: Path(path).open",  # noted for the guard
        "metrics/functions.py: EXAMPLE_VALUES.read_text", "report/page.py: files(__package__).joinpath(*path).read_text",  # of the package
        "evaluation/processes.py: MAPS.read_text",  # of the kernel: which libraries are loaded
    }  # fmt: skip
