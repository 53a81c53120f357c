"""Tables III to V of Riehl et al. 2023: every printed number whose data are there."""

import os
from pathlib import Path

import pytest

from hierpair import load_case, score
from hierpair.casebook import case_folder

DATA = Path(os.environ.get("HIERPAIR_DATA", Path(__file__).parents[2] / "shared" / "data"))
WITH_DATA = pytest.mark.skipif(
    not (DATA / "germeval2019").is_dir(), reason=f"no germeval2019 in {DATA}; set HIERPAIR_DATA"
)


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
    assert len(case.systems) == n_systems
    rows = [
        line.split("\t")
        for line in (case_folder(name) / "published.tsv").read_text("utf-8").splitlines()[1:]
    ]
    checked = 0
    for system, labels in case.systems.items():
        mine = [row for row in rows if row[0] == system and "GermEval" not in row[2]]
        scores = score(case.hierarchy, case.y_true, {system: labels}, [row[1] for row in mine])
        for (_, _, where, printed, unit, *_), value in zip(
            mine, scores.values[0].tolist(), strict=True
        ):
            found = value * 100 if unit == "%" else value
            assert f"{found:.2f}" == f"{float(printed):.2f}", (system, where)
            checked += 1
    assert checked == 9 * n_systems


@WITH_DATA
def test_data_that_are_not_there_are_named(tmp_path, monkeypatch):
    monkeypatch.delenv("HIERPAIR_DATA", raising=False)
    from hierpair import BadInput

    with pytest.raises(BadInput, match="name the folder above it with --data or HIERPAIR_DATA"):
        load_case("germeval2019-b")
    with pytest.raises(BadInput, match="there is no folder"):
        load_case("germeval2019-b", tmp_path)
    # A file that appears in the folder is served as it stands.
    folder = tmp_path / "germeval2019"
    folder.mkdir()
    for file in ("hierarchy.tsv", "gold.tsv"):
        (folder / file).symlink_to(DATA / "germeval2019" / file)
    assert load_case("germeval2019-b", tmp_path).systems == {}
    (folder / "Comtravo-DS__local_clf_logit_cnn.tsv").symlink_to(
        DATA / "germeval2019" / "Averbis__BOHB_CNN.tsv"
    )
    monkeypatch.setenv("HIERPAIR_DATA", str(tmp_path))
    assert list(load_case("germeval2019-b").systems) == ["Comtravo-DS"]
