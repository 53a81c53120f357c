"""Run the examples of pages: consoles, Python, and the pictures that they leave."""

import contextlib
import doctest
import io
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from hierpair.cli import main

BLOCK = re.compile(r"^```(console|text|python)\n(.*?)^```", re.DOTALL | re.MULTILINE)
"""What a page shows of a terminal or of Python,"""

COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ |```).*\n?)*)", re.MULTILINE)
"""and in it a command and what it prints."""


def console_examples(text: str) -> list[tuple[str, str]]:
    """Return the commands of all console blocks, each with the output that the page shows."""
    blocks = [block for kind, block in BLOCK.findall(text) if kind == "console"]
    return [found for block in blocks for found in COMMAND.findall(block)]


def ran(command: str) -> str:
    """Run one command in the working folder and return what it prints on stdout."""
    if not command.startswith("hierpair "):
        done = subprocess.run(command, shell=True, check=True, capture_output=True, text=True)
        return done.stdout
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = main(shlex.split(command)[1:])
    if code:
        raise RuntimeError(f"exit code {code}: {command}")
    return out.getvalue()


def shows(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed; a line of three dots stands for any lines."""
    pattern = re.escape(f"{shown.strip()}\n").replace("\\\n\\.\\.\\.\\\n", "\n(?:.*\n)*?")
    return re.fullmatch(pattern, f"{printed.strip()}\n") is not None


def draw(page: Path, folder: Path) -> None:
    """Run the Python examples of a page in a folder, where they leave their pictures."""
    names: dict[str, object] = {}
    blocks = [block for kind, block in BLOCK.findall(page.read_text("utf-8")) if kind == "python"]
    with contextlib.chdir(folder):
        for block in blocks:
            test = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
            doctest.DocTestRunner().run(test, clear_globs=False)
            names.update(test.globs)


def write(docs: Path) -> None:
    """Run the start page in a folder of its own and keep its picture beside the page."""
    text = (docs / "index.md").read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for command, _ in console_examples(text):
            ran(f"{command} --quiet" if command.startswith("hierpair ") else command)
        for picture in Path(folder).glob("*.svg"):
            shutil.copy(picture, docs)
