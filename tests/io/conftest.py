"""Files of a few lines for tests of files."""

import pytest


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a text (or bytes) into a file of the current folder."""
    monkeypatch.chdir(tmp_path)

    def write_file(text, name="file.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write_file
