"""Folders, patterns and large files on the command line: read part by part, written part by part."""

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierpair import read_hierarchy, score
from hierpair.cli import main
from hierpair.cli import score as datasets
from hierpair.io import table_titles, text
from hierpair.io.datasets import open_dataset, paths
from tests.evaluation.streamed_scores import as_parts, table_of

NAMES = ["a", "b", "c", "d"]
LOOKS = (
    "-m hf -m gie", "", "-m hf --format json", "-m lca_f --format csv --unknown drop",
    "-m hf -m gie --system-columns two --format markdown", "-m hf(average=macro) --format latex",
    "-m hf --fail-under hf=0.99", "-m hf --where day=1", "-m hf --truth-column one --system-columns two",
)  # fmt: skip


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("tree.tsv").write_text("r\ta\nr\tb\na\tc\na\td\n")

    def command(line):
        code = main(line.split())
        return (code, *capsys.readouterr())

    return command


def rows_of(n=40, start=0):
    truth, one, two = ([[NAMES[(i + start) % k]] for i in range(n)] for k in (4, 3, 2))
    table = table_of(truth, {"one": one, "two": two})
    ids = pa.array([f"i{i + start}" for i in range(n)])
    return table.set_column(0, "id", ids)


@pytest.mark.exhaustive
def test_folder_pattern_and_whole_file_say_the_same(run, monkeypatch):
    table = rows_of()
    pq.write_table(table, "table.parquet", row_group_size=9)
    as_parts(Path("d"), table, (7, 30))
    for look in LOOKS[:7]:
        whole = run(f"score tree.tsv table.parquet {look}")
        assert whole[0] == ("--fail-under" in look), whole
        for name in ("d", "d/part-*.parquet", "d --jobs 2" if look == LOOKS[0] else "./d"):
            assert run(f"score tree.tsv {name} {look}") == whole
    for day in (1, 2):
        as_parts(Path(f"days/day={day}"), rows_of(10, start=10 * day))
    expected = run("score tree.tsv days/day=2 -m hf")
    assert expected[0] == 0
    assert run("score tree.tsv days/day=2/* -m hf") == expected
    code, out, _ = run("score tree.tsv days -m hf --format json")
    assert code == 0
    assert {record["system"] for record in json.loads(out)["scores"]} == {"one", "two"}


@pytest.mark.exhaustive
def test_both_sides_of_the_limit_say_the_same(run, monkeypatch):
    """A file beyond it is read part by part, with the same output byte by byte."""
    table = rows_of().append_column("day", pa.array(["1", "2"] * 20))
    pq.write_table(table, "table.parquet", row_group_size=9)
    bad = table.set_column(1, "truth", pa.array([*["a"] * 39, "?"]))
    pq.write_table(bad, "bad.parquet", row_group_size=9)
    guess = table.set_column(2, "one", pa.array([*["a"] * 39, "A"]))
    pq.write_table(guess, "guess.parquet", row_group_size=9)
    opened = []
    monkeypatch.setattr(
        datasets,
        "dataset_of",
        lambda s, f=datasets.dataset_of, **how: opened.append(s) or f(s, **how),
    )
    for look in LOOKS:
        more = "" if "--system" in look or "--truth" in look else " --system-columns one,two"
        for name in ("table", "bad", "guess"):
            line = f"score tree.tsv {name}.parquet {look}{more}"
            whole = run(line)
            n = len(opened)
            with monkeypatch.context() as patched:
                patched.setattr(paths, "WHOLE_BYTES", 1)
                assert run(line) == whole
            assert len(opened) == n + 1
            assert name != "table" or whole[0] == ("--fail-under" in look)
    monkeypatch.setattr(paths, "WHOLE_BYTES", 1)
    n = len(opened)
    assert run("score tree.tsv table.parquet -m hf --per-instance --system-columns one")[0] == 0
    assert len(opened) == n


def test_values_come_as_parts(run):
    """They are the values of the whole, once each, with the ids beside them."""
    folder = as_parts(Path("d"), rows_of(), (7, 30))
    assert run(f"score tree.tsv {folder} -m hf -m hf(average=micro) -m gie --values v")[0] == 0
    assert sorted(path.name for path in Path("v").iterdir()) == [
        f"part-0000{k}.parquet" for k in range(3)
    ]
    found = pq.read_table("v").to_pandas()
    table = rows_of().to_pandas()
    whole = score(
        read_hierarchy("tree.tsv"), dict(zip(table.id, table.truth, strict=True)),
        {name: dict(zip(table.id, table[name], strict=True)) for name in ("one", "two")},
        ["hf", "gie"],
    ).to_dataframe(per_instance=True)  # fmt: skip
    assert found.columns[:2].tolist() == ["system", "instance"]
    assert [name.partition("(")[0] for name in found.columns[2:]] == ["hf", "gie"]
    found.columns = whole.columns
    order = ["system", "instance"]
    pairs = [x.astype({"system": str}).sort_values(order).to_numpy() for x in (found, whole)]
    assert (pairs[0] == pairs[1]).all()
    code, _, err = run("score tree.tsv d -m hf --values v")
    assert (code, "v: this folder holds part-00000.parquet" in err) == (2, True)
    Path("file").write_text("x")
    code, _, err = run("score tree.tsv d -m hf --values file")
    assert (code, "file: the values of instances cannot be written" in err) == (2, True)
    pq.write_table(rows_of().drop(["id"]), "plain.parquet")
    assert run("score tree.tsv plain.parquet -m hf --values w --jobs 2")[0] == 0
    names = pq.read_table("w")["instance"].to_pylist()
    assert names[:2] == ["plain.parquet: row 1", "plain.parquet: row 2"]


def large(folder, n_parts=12, rows=60_000):
    folder.mkdir()
    rng = np.random.default_rng(1)
    for k in range(n_parts):
        columns = {
            name: pa.array(np.array(NAMES)[rng.integers(0, 4, rows)]) for name in ("truth", "one")
        }
        ids = {"id": pa.array([f"{k}.{i}" for i in range(rows)])}
        pq.write_table(pa.table(ids | columns), folder / f"{k:02}.parquet")


@pytest.mark.exhaustive
@pytest.mark.parametrize("jobs", [1, 2])
def test_interrupted_runs_leave_whole_parts_only(tmp_path, run, jobs):
    large(tmp_path / "d")
    words = f"score tree.tsv d -m hf -m gie -m lca_f --values v --jobs {jobs}".split()
    target, deadline = tmp_path / "v", time.monotonic() + 120
    with subprocess.Popen(
        [sys.executable, "-m", "hierpair", *words], stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    ) as process:  # fmt: skip
        while not (target.is_dir() and any(target.glob("part-*"))):
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, err = process.communicate(timeout=120)
    assert (process.returncode, "interrupted" in err) == (130, True), err
    time.sleep(0.2)
    left = sorted(path.name for path in target.iterdir())
    assert left
    assert len(left) < 12
    assert all(name.startswith("part-") for name in left), left
    assert {pq.read_table(target / name).num_rows for name in left} == {60_000}


@pytest.mark.exhaustive
def test_a_full_disk_is_one_error(tmp_path, run):
    large(tmp_path / "d", 2)
    words = ["score", "tree.tsv", "d", "-m", "hf", "--values", "v"]
    done = subprocess.run(
        [sys.executable, "-m", "hierpair", *words], capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)),
    )  # fmt: skip
    assert done.returncode == 2
    assert (
        done.stderr == "hierpair: v: the values of instances cannot be written (File too large)\n"
    )
    assert list(Path("v").iterdir()) == []


@pytest.mark.exhaustive
def test_faulty_data_sets_are_one_error(run, monkeypatch):
    for k in range(40):
        as_parts(Path(f"d/{k:02}"), rows_of(5, start=5 * k))
    good = run("score tree.tsv d -m hf")
    assert good[0] == 0

    def error(line="score tree.tsv d -m hf"):
        code, out, err = run(line)
        assert (code, out) == (2, ""), err
        assert err.count("\n") == 1
        return err

    part = Path("d/37/part-000.parquet")
    kept = part.read_bytes()
    bad = rows_of(5, start=5 * 37).set_column(1, "truth", pa.array(["a", "b", "x", "a", "a"]))
    pq.write_table(bad, part)
    assert "d/37/part-000.parquet: row 3, instance 'i187': class 'x' is not in" in error()
    assert run("score tree.tsv d -m hf --unknown drop")[0] == 0
    guess = bad.set_column(1, "truth", rows_of(5)["truth"]).set_column(2, "one", bad["truth"])
    pq.write_table(guess, part)
    said = error("score tree.tsv d -m hf --jobs 2")
    assert "instance 'i187': class 'x'" in said
    assert "[the column 'one' was taken for a system; --system-columns names them]" in said
    part.write_bytes(kept[: len(kept) // 2])
    assert "d/37/part-000.parquet: not a Parquet file" in error()
    pq.write_table(rows_of(5).drop(["two"]), part)
    assert "there is no column 'two', which d/00/part-000.parquet has" in error()
    part.write_bytes(kept)
    assert run("score tree.tsv d -m hf") == good
    repeated = rows_of(5, start=5 * 37)
    ids = [*repeated["id"].to_pylist()[:4], "i12"]
    pq.write_table(repeated.set_column(0, "id", pa.array(ids)), part)
    for jobs in (1, 2):
        said = error(f"score tree.tsv d -m hf --jobs {jobs}")
        assert (
            "d/37/part-000.parquet: row 5: instance 'i12' already occurs at d/02/part-000" in said
        )
    part.write_bytes(kept)
    assert "d/37/part-000.parquet: this file is given twice" in twice(error, part)
    assert "nowhere-*.parquet: there are no files in this folder, or none fits" in error(
        "score tree.tsv nowhere-*.parquet -m hf"
    )
    data = open_dataset("d")
    part.unlink()  # while the run is on its way
    monkeypatch.setattr(datasets, "dataset_of", lambda side, **how: data)
    assert "d/37/part-000.parquet: there is no such file" in error()
    assert "--per-instance needs files that are read whole; --values DIR" in error(
        "score tree.tsv d -m hf --per-instance"
    )
    assert "--values needs files of labels" in error("score --case x --values v")


def twice(error, part):
    """What is said of a part that has another name, too."""
    link = part.with_name("part-001.parquet")
    link.symlink_to(part.name)
    try:
        return error()
    finally:
        link.unlink()


@pytest.mark.exhaustive
def test_sides_in_folders_of_their_own(run):
    """They are joined by id, in whatever order they come."""
    table = rows_of()
    for name in ("truth", "one", "two"):
        side = pa.table({"id": table["id"], "label": table[name]})
        as_parts(Path(name), side, (13, 20) if name == "truth" else (29,))
        pq.write_table(side, f"{name}.parquet")
    back = np.arange(40)[::-1]
    one = pa.table({"id": table["id"], "label": table["one"]})
    as_parts(Path("back"), one.take(back), (5,))
    as_parts(Path("fewer"), one.take(back[:-1]), (5,))
    whole = run("score tree.tsv truth.parquet one.parquet two.parquet -m hf -m lca_f")
    assert whole[0] == 0
    assert run("score tree.tsv truth one two=two/*.parquet -m hf -m lca_f") == whole
    code, out, err = run("score tree.tsv truth one=back two -m hf -m lca_f --values v --jobs 2")
    assert (code, out) == whole[:2]
    assert pq.read_table("v").num_rows == 80
    code, out, err = run("score tree.tsv truth one=fewer -m hf")
    assert (code, "one: 1 instance has no prediction, such as 'i0'" in err) == (2, True), err
    pq.write_table(one.take(back[:-1]), "fewer.parquet")
    whole = run("score tree.tsv truth.parquet one=fewer.parquet -m hf --missing empty")
    found = run("score tree.tsv truth one=fewer -m hf --missing empty")
    assert found[:2] == whole[:2]
    assert found[2] == whole[2]


def test_one_label_per_row_and_other_rows_for_each_column(run):
    """Rows of an instance may be in any file; conditions of one column are not those of others."""
    rows = [(f"i{k % 9}", NAMES[k % 4], NAMES[k % 3], str(k % 2)) for k in range(36)]
    Path("d").mkdir()
    for name, some in (("0", rows[:20]), ("1", rows[20:])):
        lines = [",".join(row) for row in [("id", "truth", "one", "odd"), *some]]
        Path(f"d/{name}.csv").write_text("\n".join(lines) + "\n")
    lines = [",".join(row) for row in [("id", "truth", "one", "odd"), *rows]]
    Path("whole.csv").write_text("\n".join(lines) + "\n")
    for look in ("--long", "--long --where odd=1", "--long --where truth:odd=1 --where one:odd=0"):
        words = f"-m hf -m gie --truth-column truth --system-columns one {look}"
        whole = run(f"score tree.tsv whole.csv {words}")
        assert whole[0] == 0, whole
        assert run(f"score tree.tsv d {words}") == whole


@pytest.mark.parametrize("label", ["labels", "label"])
@pytest.mark.parametrize("fault", [None, "?"])
def test_two_files_beyond_the_limit_say_the_same(run, monkeypatch, label, fault):
    """Truth and run in other order are joined on disk if rows cannot be read as one label each."""
    table = rows_of()
    truth = table.select(["id", "truth"]).rename_columns(["id", label])
    guess = pa.array([*table["one"].to_pylist()[:-1], fault or "a"])
    mine = pa.table({"id": table["id"], label: guess}).take(pa.array(range(39, -1, -1)))
    pq.write_table(truth, "truth.parquet")
    pq.write_table(mine, "mine.parquet", row_group_size=7)
    line = "score tree.tsv truth.parquet mine.parquet -m hf -m gie --format json"
    whole, made = run(line), []
    monkeypatch.setattr(paths, "WHOLE_BYTES", 1)
    monkeypatch.setattr(
        datasets, "score_parts", lambda *x, f=datasets.score_parts: made.append(x) or f(*x)
    )
    assert run(line) == whole
    assert (len(made), whole[0]) == (label == "labels", 0 if fault is None else 2)
    assert fault is None or "mine.parquet: row 1, instance" in whole[2]
    run(f"{line} --per-instance"), run(line.replace("-m hf -m gie", "-m auprc"))
    assert len(made) == (label == "labels")


def test_titles_are_read_from_the_beginning_of_a_file(monkeypatch, tmp_path):
    """Of a pipe, which can be read once, all is read, so that nothing is lost without a word."""
    lines, asked = [f"{i}\ta\tb" for i in range(300_000)], []
    file = tmp_path / "table.tsv"
    file.write_text("\n".join(["id\tgold\tmine", *lines]))
    monkeypatch.setattr(
        text, "blocks_of", lambda *x, f=text.blocks_of: (asked.append(0) or b for b in f(*x))
    )
    assert table_titles(file) == ("tsv", ["id", "gold", "mine"])
    assert len(asked) == 1
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(file.read_bytes(),))
    writer.start()
    assert table_titles(pipe)[1] == ["id", "gold", "mine"]
    writer.join()
    assert len(asked) > 3
