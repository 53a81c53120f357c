"""Tables III to V of Riehl et al. 2023: every printed number whose data are there."""

import json

import pytest

from hierpair import BadInput, load_case, score
from hierpair.cli import main
from hierpair.metrics import hierarchical_confusion_matrix
from hierpair.verification import read_published
from tests.paths import BUNDLED, SHARED

DATA = SHARED
WITH_DATA = pytest.mark.skipif(
    not (DATA / "germeval2019").is_dir(), reason=f"no germeval2019 in {DATA}; set HIERPAIR_DATA"
)

TABLES = json.loads((BUNDLED / "riehl2023" / "published_tables.json").read_text())
COUNTS = ("TP", "TN", "FP", "FN")
RATIOS = {
    "ACC": "hcm_accuracy",
    "PPV": "hcm_precision",
    "TPR": "hcm_recall",
    "F1": "hcm_f",
    "MCC": "hcm_mcc",
}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "n_systems"),
    [
        ("transposon", 6),
        pytest.param("germeval2019-a", 6, marks=WITH_DATA),
        pytest.param("germeval2019-b", 5, marks=WITH_DATA),
    ],
)
def test_every_row_whose_system_is_there(name, n_systems):
    case = load_case(name, DATA)
    assert len(case.systems) >= n_systems  # more files may have been added to the folder
    rows = [(r.system, r.measure, r.where, r.printed, r.unit) for r in read_published(name)]
    checked = 0
    for system, labels in case.systems.items():
        mine = [row for row in rows if row[0] == system and "GermEval" not in row[2]]
        scores = score(case.hierarchy, case.y_true, {system: labels}, [row[1] for row in mine])
        for (_, _, where, printed, unit), value in zip(
            mine, scores.values[0].tolist(), strict=True
        ):
            found = value * 100 if unit == "%" else value
            assert f"{found:.2f}" == f"{float(printed):.2f}", (system, where)
            checked += 1
    assert checked == 9 * len(case.systems)


@WITH_DATA
def test_data_that_are_not_there_are_named(tmp_path, monkeypatch):
    monkeypatch.delenv("HIERPAIR_DATA", raising=False)
    with pytest.raises(BadInput, match="name the folder above it with --data or HIERPAIR_DATA"):
        load_case("germeval2019-b")
    with pytest.raises(BadInput, match="there is no folder"):
        load_case("germeval2019-b", tmp_path)
    # a file that appears in the folder is served as it stands
    folder, given = tmp_path / "germeval2019", DATA / "germeval2019"
    folder.mkdir()
    for file in ("hierarchy.tsv", "gold.tsv"):
        (folder / file).symlink_to(given / file)
    assert load_case("germeval2019-b", tmp_path).systems == {}
    (folder / "Comtravo-DS__local_clf_logit_cnn.tsv").symlink_to(given / "Averbis__BOHB_CNN.tsv")
    monkeypatch.setenv("HIERPAIR_DATA", str(tmp_path))
    assert list(load_case("germeval2019-b").systems) == ["Comtravo-DS"]


@pytest.mark.parametrize(
    ("name", "blank", "flat"),
    [
        ("transposon", "ignore", ("hp", "hr", "hf")),  # single labels on a tree
        pytest.param("germeval2019-a", "count", ("precision", "recall", "f"), marks=WITH_DATA),
        pytest.param("germeval2019-b", "ignore", None, marks=[WITH_DATA, pytest.mark.exhaustive]),
    ],
)
def test_exact_finds_no_fewer_tp_in_any_instance(name, blank, flat):
    """Some ratios are those of another family, pooled."""
    case = load_case(name, DATA)
    for labels in case.systems.values():
        ours, theirs = (
            hierarchical_confusion_matrix(
                case.y_true, labels, case.hierarchy, per="instance", pairing=pairing, blank=blank
            )
            for pairing in ("exact", "published")
        )
        assert (ours.tp >= theirs.tp).all()
        assert (ours.tp + ours.fp == theirs.tp + theirs.fp).all()
        assert (ours.tp + ours.fn == theirs.tp + theirs.fn).all()
    if flat:
        names = ["hcm_precision", "hcm_recall", "hcm_f", *(f"{x}(average=micro)" for x in flat)]
        scores = score(case.hierarchy, case.y_true, case.systems, names)
        assert (scores.values[:, :3] == scores.values[:, 3:]).all()


def printed_row(table, system):
    return next(row for row in TABLES[table] if row["model"] == system)


def through_the_command_line(capsys, row, hierarchy, task, *options, **chosen):
    """Score a system from its files; return the values of the printed ratios and counts."""
    names = {c: f"hcm_{c.lower()}" for c in COUNTS} | RATIOS
    files = [hierarchy, *(DATA / "germeval2019" / f"{name}.tsv" for name in ("gold", row["file"]))]
    given = ["score", *map(str, files), "--id-column", "book", "--label-column", "labels",
             "--where", f"task={task}", "--unknown", "drop", "--missing", "empty",
             "--format", "json", "--quiet", *options]  # fmt: skip
    chosen |= {"average": "micro"}
    text = ", ".join(f"{k}={v}" for k, v in chosen.items())
    for name in names.values():
        given += ["-m", f"{name}({text})"]
    assert main(given) == 0
    found = [r["value"] for r in json.loads(capsys.readouterr().out)["scores"]]
    return dict(zip(names, found, strict=True))


@WITH_DATA
def test_table_v_through_the_command_line(capsys):
    row = printed_row("V", "Averbis")
    top = DATA / "germeval2019" / "hierarchy.tsv"
    found = through_the_command_line(capsys, row, top, "B", pairing="published")
    assert {c: found[c] for c in COUNTS} == {c: row[c] for c in COUNTS}
    for column in RATIOS:
        assert 100 * found[column] == pytest.approx(row[column], rel=0, abs=0.005 + 1e-9), column


@WITH_DATA
def test_blank_cells_of_table_iv_through_the_command_line(capsys, tmp_path):
    """Contender has 1,442 blank labels, 30 of them alone in their cell."""
    row = printed_row("IV", "Contender")
    top = tmp_path / "top.tsv"
    lines = (DATA / "germeval2019" / "hierarchy.tsv").read_text("utf-8").splitlines()
    top.write_text("".join(f"{x}\n" for x in lines if x.startswith("root\t")), "utf-8")
    found = through_the_command_line(capsys, row, top, "A", pairing="published", blank="count")
    assert {c: found[c] for c in COUNTS} == {c: row[c] for c in COUNTS}
    found = through_the_command_line(capsys, row, top, "A", pairing="published")
    assert found["FP"] == 859
