"""Options of a verb as a text that reads like its help."""

from __future__ import annotations

import argparse
import re
from typing import Any

__all__ = ["add_options"]

TYPES = {"int": int, "float": float}
HEAD = re.compile(r"(?P<words>(?:--?[\w-]+, )*--[\w-]+)(?: (?P<value>[^\s*!]+)(?P<mark>[*!]?))?")
GROUP = re.compile(r"# (?P<title>[^|]+?)(?: \| (?P<more>.+))?")
DEFAULT = re.compile(r"(?P<help>.*) \[(?P<first>[^\s\]:]+): (?P<second>[^\]]+)\]")


def add_options(parser: argparse.ArgumentParser, text: str) -> None:
    """Add options to a parser.

    Each starts a line: its words, what stands for its value, and after two spaces its help.
    Without a value it is a switch; ``{a,b}`` is a choice, ``N:int`` a number, ``[NAME=x]`` may be
    left out and is x then, ``NAME*`` may be given several times and ``NAME!`` must be given.
    ``[default: x]`` at the end of the help is a default, ``[x: in words]`` one that is told in
    words. ``FILE…`` are files without words, ``[NAME]`` may
    stand alone. ``# title | description`` begins a group, and of
    a group described as ``one of`` only one can be given.

    >>> parser = argparse.ArgumentParser()
    >>> add_options(parser, '''
    ... FILE…          what is read
    ... --jobs N:int   processes [default: 1]
    ... # looks
    ... --view {a,b}   what is shown
    ... -m, --measures MEASURE*
    ...                names, and a long text in
    ...                several lines
    ... ''')
    >>> parser.parse_args(["x.tsv", "-m", "hf", "--view", "b"])
    Namespace(files=['x.tsv'], jobs=1, view='b', measures=['hf'])
    """
    group: argparse._ActionsContainer = parser
    for entry in re.split(r"\n(?=\S)", text.strip()):
        title = GROUP.fullmatch(" ".join(entry.split()))
        if title is not None:
            one_of = title["more"] == "one of"
            made = parser.add_argument_group(title["title"], None if one_of else title["more"])
            group = made.add_mutually_exclusive_group() if one_of else made
            continue
        head, words = re.split(r"\s{2,}|\n", entry, maxsplit=1)
        words = " ".join(words.split()).replace("%", "%%")
        if head.startswith("["):
            parser.add_argument(head[1:-1].lower(), nargs="?", metavar=head[1:-1], help=words)
            continue
        if not head.startswith("-"):
            nargs = "+" if head.endswith("!") else "*"
            parser.add_argument("files", nargs=nargs, metavar=head.rstrip("…!"), help=words)
            continue
        found = HEAD.fullmatch(head)
        if found is None:
            raise ValueError(f"no option: {entry!r}")
        how = _how(found["value"], found["mark"] or "")
        given = DEFAULT.fullmatch(words)
        if given is not None:
            default = given["second"] if given["first"] == "default" else given["first"]
            how["default"] = how.get("type", str)(default)
            words = f"{given['help']} (default: {given['second']})"
        group.add_argument(*found["words"].split(", "), help=words, **how)


def _how(value: str | None, mark: str) -> dict[str, Any]:
    """Return the keywords of an option by what stands for its value."""
    if value is None:
        return {"action": "store_true"}
    if value.startswith("{"):
        return {"choices": tuple(value[1:-1].split(","))}
    if value.startswith("["):
        name, _, const = value[1:-1].partition("=")
        return {"metavar": name, "nargs": "?", "const": const}
    if mark == "*":
        return {"metavar": value, "action": "append", "default": []}
    metavar, colon, kind = value.rpartition(":")
    how: dict[str, Any] = {"required": True} if mark == "!" else {}
    if colon and kind in TYPES:
        return {**how, "metavar": metavar, "type": TYPES[kind]}
    return {**how, "metavar": value}
