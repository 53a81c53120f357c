"""Run the console examples of a page, and draw the picture of the start page on the way."""

import contextlib
import io
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from hierpair.cli import main

PICTURE = "worst.svg"

BLOCK = re.compile(r"^```(?:console|text)\n.*?^```", re.DOTALL | re.MULTILINE)
"""What a page shows of a terminal,"""

COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ |```).*\n?)*)", re.MULTILINE)
"""and in it a command and what it prints."""


def console_examples(text: str) -> list[tuple[str, str]]:
    """Return the commands of all console blocks, each with the output that the page shows."""
    blocks = (block for block in BLOCK.findall(text) if block.startswith("```console"))
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


def write(docs: Path) -> None:
    """Run the start page in a folder of its own and keep its picture beside the page."""
    text = (docs / "index.md").read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for command, _ in console_examples(text):
            ran(f"{command} --quiet" if command.startswith("hierpair ") else command)
        shutil.copy(PICTURE, docs / PICTURE)
