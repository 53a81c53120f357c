"""Pieces of Markdown."""

import re


def number(value: float, digits: int = 4) -> str:
    """Return a number with so many decimals at most."""
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


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
    """Return a text that Markdown shows letter by letter, in a table too."""
    return re.sub(r"([\\|*_<>\[\]`])", r"\\\1", text)
