"""Copies of the files of cases that tests may change; none of the data that do not come with them."""

import shutil

import pytest

from hierpair.verification import case_folder


@pytest.fixture(autouse=True)
def no_data(monkeypatch):
    """Cases whose labels do not come with hierpair have no data unless a test gives them."""
    monkeypatch.delenv("HIERPAIR_DATA", raising=False)


@pytest.fixture
def cases(tmp_path, monkeypatch):
    """A copy of all cases, which is read instead of these."""
    home = tmp_path / "cases"
    shutil.copytree(case_folder(), home)
    monkeypatch.setattr("hierpair.verification.cases.case_folder", lambda: home)
    return home
