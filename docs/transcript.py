"""Run the examples of pages, renew what they print and draw: ``python docs/transcript.py PAGE …``.

What a command prints takes the place of what stood there: as many lines as there were, where they
end with three dots. Commands in blocks of text need labels of GermEval, which do not come with
hierpair: without them in the data folder they are kept as they are, as is what shows an error.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from hierpair.cli import main
from hierpair.verification.cases import DATA

BLOCK = re.compile(r"^```(console|text|python)\n(.*?)^```", re.DOTALL | re.MULTILINE)
"""What a page shows of a terminal or of Python,"""

COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ |```).*\n?)*)", re.MULTILINE)
"""and in it a command and what it prints."""

CUT = "..."


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


def renewed(page: Path, folder: Path) -> str:
    """Return a page with what its commands print now; its pictures are left in the folder."""
    data = Path(os.environ.get(DATA, "nowhere")).resolve() / "germeval2019"
    names: dict[str, object] = {}

    def command(found: re.Match[str], kind: str) -> str:
        line, before = found.groups()
        if before.startswith("hierpair: ") or (kind == "text" and not data.is_dir()):
            return found[0]
        with contextlib.chdir(data if "gold.tsv" in line else folder):
            printed = "" if line.startswith("cd ") else ran(line)
        if not before or shows(before, printed):
            return found[0]
        lines, kept = [text.rstrip() for text in printed.rstrip().splitlines()], before.splitlines()
        if kept[-1] == CUT:
            lines = [*lines[: len(kept) - 1], CUT]
        return "".join(f"{text}\n" for text in [f"$ {line}", *lines])

    def block(found: re.Match[str]) -> str:
        kind, text = found.groups()
        if kind != "python":
            return COMMAND.sub(lambda each: command(each, kind), found[0])
        test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
        doctest.DebugRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, clear_globs=False)
        names.update(test.globs)
        return found[0]

    with contextlib.chdir(folder):
        return BLOCK.sub(block, page.read_text("utf-8"))


if __name__ == "__main__":
    for page in map(Path.resolve, map(Path, sys.argv[1:])):
        with tempfile.TemporaryDirectory() as place:
            page.write_text(renewed(page, Path(place)), "utf-8")
            for link in re.findall(r"\]\((\S+\.svg)\)", page.read_text("utf-8")):
                shutil.copy(Path(place, Path(link).name), page.parent / link)
