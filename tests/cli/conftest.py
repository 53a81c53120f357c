"""The command line, run in a folder of its own with the files that a test names."""

from pathlib import Path
from typing import NamedTuple

import pytest

from hierpair.cli import main

FILES = {
    "tree.tsv": "r\ta\nr\tb\na\tc\na\td\nb\te\n",
    "true.tsv": "1\tc\n2\td|e\n3\te\n",
    "bert.tsv": "1\tc\n2\td\n3\td\n",
    "svm.tsv": "1\te\n2\td|e\n3\te\n",
}


class Said(NamedTuple):
    """What a run ended with."""

    code: int
    out: str
    err: str


def write(files):
    """Write texts, bytes or (None) folders into the working folder."""
    for name, content in files.items():
        path = Path(name)
        if content is None:
            path.mkdir()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run words, or a line of words, after writing files; the exit code is looked at but for None."""
    monkeypatch.chdir(tmp_path)
    write(FILES)

    def command(line, *more, code=0, files=None):
        write(files or {})
        words = line.split() if isinstance(line, str) else [str(word) for word in line]
        found = Said(main([*words, *map(str, more)]), *capsys.readouterr())
        assert code in (None, found.code), found
        return found

    return command
