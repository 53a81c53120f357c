"""Bring docs/comparing.md and its pictures up to date: ``python docs/write_comparing.py``.

Every command of the page is run, and what it prints takes the place of what stood there: as many
lines as there were, where they end with three dots. The GermEval labels do not come with hierpair:
without them in the data folder, what the page says of them is kept as it is.
"""

import contextlib
import os
import re
import shutil
import tempfile
from pathlib import Path

from transcript import BLOCK, COMMAND, ran

from hierpair.verification.cases import DATA

CUT = "..."


def write(docs: Path) -> None:
    """Write the page and its pictures."""
    with tempfile.TemporaryDirectory() as folder:
        (docs / "comparing.md").write_text(page(docs, Path(folder)), "utf-8")
        for picture in Path(folder).glob("*.svg"):
            shutil.copy(picture, docs / picture.name)


def page(docs: Path, folder: Path) -> str:
    """Return the page; pictures go into the folder."""
    data = os.environ.get(DATA)
    top = Path(data).resolve() if data and (Path(data) / "germeval2019").is_dir() else None

    def shown(found: re.Match[str]) -> str:
        return f"$ {found[1]}\n{output(found[1], found[2], folder, top)}"

    text = (docs / "comparing.md").read_text("utf-8")
    return BLOCK.sub(lambda block: COMMAND.sub(shown, block[0]), text)


def output(command: str, before: str, folder: Path, top: Path | None) -> str:
    """Return what a command prints, where the page shows it and its data are there."""
    of_germeval = "germeval2019" in command or "gold.tsv" in command
    is_error = before.startswith("hierpair: ")
    if not command.startswith("hierpair ") or is_error or (of_germeval and top is None):
        return before
    away = top / "germeval2019" if top is not None and "gold.tsv" in command else folder
    with contextlib.chdir(away):
        lines = [line.rstrip() for line in ran(command).rstrip("\n").splitlines()]
    kept = before.splitlines()
    if kept[-1:] in ([], [CUT]):
        lines = [*lines[: len(kept) - 1], CUT] if kept else []
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    write(Path(__file__).parent)
