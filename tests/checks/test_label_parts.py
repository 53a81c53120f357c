"""Checks of data sets that are read part by part: what is found in the whole, in the same words."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hierpair.checks import lint
from hierpair.cli import main
from hierpair.io.datasets import paths, tables
from hierpair.labels import Columns
from tests import effort
from tests.evaluation.streamed_scores import as_parts

TREE = "r\ta\nr\tb\na\tc\na\td\nc\te\n"
LABELS = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "x", "y", "", "A", "é"]), max_size=4)
SIDES = {"fmt": "auto"}


def findings(tree, path, *, paths=None):
    """What is found in truth and predictions that are columns of a table."""
    sides = {
        name: {"fmt": "auto", "columns": Columns(labels=(name,), paths=paths)}
        for name in ("truth", "one")
    }
    report = lint(
        tree,
        path,
        {"one": path},
        truth_options=sides["truth"],
        system_options={"one": sides["one"]},
    )
    return report.findings


@pytest.mark.exhaustive
@given(
    st.lists(st.tuples(st.integers(0, 30), LABELS, LABELS), min_size=1, max_size=40),
    st.booleans(), st.booleans(), st.sampled_from([1, 2, 7, 10**6]),
)  # fmt: skip
@settings(max_examples=effort.cases(40), deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
def test_parts_have_the_findings_of_the_whole(tmp_path_factory, rows, lists, ids, size):
    """Unknown, blank, repeated and nested labels, ids that come twice; ten of each are told."""
    folder = tmp_path_factory.mktemp("d")
    (folder / "tree.tsv").write_text(TREE)
    columns = {"id": [f"i{k}" for k, _, _ in rows]} if ids else {}
    for at, name in enumerate(("truth", "one"), start=1):
        cells = [row[at] if lists else "|".join(row[at]) for row in rows]
        columns[name] = pa.array(cells, pa.list_(pa.string()) if lists else pa.string())
    path = folder / "table.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=5)
    whole = findings(folder / "tree.tsv", path)
    # parts have to be told what a whole file may be taken for
    assume(not any("read as one label per row" in f.message for f in whole))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(paths, "WHOLE_BYTES", 1)
        patched.setattr(tables.open_dataset, "__kwdefaults__",
                        tables.open_dataset.__kwdefaults__ | {"rows_per_part": size, "batch_rows": size})  # fmt: skip
        assert findings(folder / "tree.tsv", path) == whole


def test_folders_are_checked_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree.tsv").write_text(TREE)
    ids, labels = [f"i{k}" for k in range(30)], ["a"] * 30
    table = {"id": ids, "truth": labels, "one": [*labels[:25], "x", *labels[26:]]}
    as_parts(tmp_path / "d", pa.table(table), (10, 20))
    assert main(["check", "tree.tsv", "d", "--format", "csv"]) == 1
    out = capsys.readouterr().out
    assert "d/part-002.parquet: row 6,instance 'i25': class 'x' is not in the hierarchy" in out
    assert "30 instances with 1.00 labels on average, at most 1; 1 different class" in out
    table["id"][29] = "i3"
    as_parts(tmp_path / "d", pa.table(table), (10, 20))
    assert main(["check", "tree.tsv", "d"]) == 1
    out = capsys.readouterr().out
    assert "instance 'i3' already occurs at d/part-000.parquet: row 4" in out
    (tmp_path / "d" / "part-001.parquet").write_bytes(b"PAR1 and no more")
    assert main(["check", "tree.tsv", "d"]) == 2
    assert "d/part-001.parquet: not a Parquet file" in capsys.readouterr().err


@pytest.mark.exhaustive
def test_truth_and_predictions_in_folders_of_their_own(tmp_path, monkeypatch, capsys):
    """Every side is checked, and their instances are compared, in one order or by id."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree.tsv").write_text(TREE)
    ids, labels = [f"i{k:02}" for k in range(30)], ["a"] * 30
    as_parts(tmp_path / "truth", pa.table({"id": ids, "labels": labels}), (10, 20))

    def check(ids, labels=labels, name="one"):
        as_parts(tmp_path / name, pa.table({"id": ids, "labels": labels}), (7, 15))
        code = main(["check", "tree.tsv", "truth", name, "--format", "csv"])
        return code, capsys.readouterr().out

    assert "error" not in (whole := check(ids))[1]
    assert whole[0] == 0
    assert check(ids[::-1], name="turned")[0] == 0
    code, out = check([*ids[:-1], "other"], name="gone")
    assert code == 1
    assert "error,instances," in out
    assert "'other'" in out or "'i29'" in out
    code, out = check(ids, ["x", *labels[1:]], name="odd")
    assert code == 1
    assert "class 'x' is not in the hierarchy" in out
