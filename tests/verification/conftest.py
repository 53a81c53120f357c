"""Copies of the files of cases that tests may change; none of the data that do not come with them."""

import re
import shutil
from pathlib import Path

import pytest

from hierpair.verification import case_folder
from hierpair.verification import cases as cases_of_hierpair


class CaseFiles:
    """A folder of cases, and changes of its files."""

    def __init__(self, home):
        self.home = Path(home)

    def write(self, path, text):
        """Write a file, and forget what was read."""
        path.write_text(text, "utf-8")
        cases_of_hierpair._texts.cache_clear()

    def put(self, name, file, text):
        """Let a case hold another text as one of its files: a text, or a function of the old one."""
        path = self.home / f"{name.partition('-')[0]}.toml"
        before, rest = path.read_text("utf-8").split(f"[{name}.data]\n")
        found = re.search(rf"\"{re.escape(file)}\" = '''\n(.*?)'''", rest, flags=re.DOTALL)
        new = text(found[1]) if callable(text) else text
        whole = f"{before}[{name}.data]\n{rest[: found.start(1)]}{new}{rest[found.end(1) :]}"
        self.write(path, whole)

    def rows_of(self, name):
        """Return the file of the printed rows of a case, its lines, and the numbers of its own."""
        path = self.home / f"{name.partition('-')[0]}.tsv"
        lines = path.read_text("utf-8").splitlines()
        return path, lines, [k for k, line in enumerate(lines) if line.startswith(f"{name}\t")]

    def change_row(self, name, before, after):
        """Change the first printed row of a case that has a text."""
        path, lines, own = self.rows_of(name)
        k = next(k for k in own if before in lines[k])
        lines[k] = lines[k].replace(before, after, 1)
        self.write(path, "\n".join(lines))


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
    return CaseFiles(home)
