"""Files of a few lines, and the command, for tests of files."""

import pytest

from hierpair.cli import main
from tests.reading import put


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a text (or bytes) into a file of the current folder."""
    monkeypatch.chdir(tmp_path)
    return lambda text, name="file.txt": put(tmp_path / name, text)


@pytest.fixture
def ran(capsys):
    """Run a line of the command; return what it prints, and what it says beside."""

    def run(line, code=0):
        assert main(line.split()) == code
        return capsys.readouterr()

    return run
