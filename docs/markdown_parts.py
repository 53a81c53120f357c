"""Pieces of Markdown, and parts of pages that are written by what hierpair says."""

import re
from pathlib import Path

PART = re.compile(r"(<!-- Written by .*? -->\n).*?(\n<!-- End of what is written. -->)", re.DOTALL)


def renewed(page: Path, part: str) -> str:
    """Return a page with another part between its marks."""
    return PART.sub(lambda marks: f"{marks[1]}\n{part}\n{marks[2]}", page.read_text("utf-8"))


def number(value: float | None, digits: int = 4) -> str:
    """Return a number with so many decimals at most; a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}".rstrip("0").rstrip(".")


def listed(names: tuple[object, ...]) -> str:
    """Return names as a set."""
    return "{" + ", ".join(map(str, names)) + "}"


def bullets(sentences: list[str]) -> str:
    """Return a Markdown list."""
    return "\n".join(f"- {sentence}" for sentence in sentences)


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def escaped(text: str) -> str:
    """Return a text on one line that Markdown shows letter by letter, in a table too."""
    return re.sub(r"([\\|*_<>\[\]`])", r"\\\1", " ".join(text.split()))
