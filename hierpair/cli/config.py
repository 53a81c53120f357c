"""A file that says how an evaluation is run: the options of the command line in TOML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import hierpair as hp
from hierpair.cli.options import Entry, Options, Verb
from hierpair.errors import BadInput, shown, unknown

PATHS = ("output", "picture", "plugin", "columns", "data", "texts")
"""Options that name files or folders."""

FILES = ("hierarchy", "truth", "systems")
"""What is read; each needs those before it."""

CONFIG = """
--config FILE.toml  hierarchy, truth, systems, measures and options from a file; the command
                    line takes precedence
"""


def configured(options: Options, verbs: Mapping[str, Verb]) -> Options:
    """Return options with those of their configuration file, over which they take precedence."""
    from hierpair.io.text import read_toml

    verb: Verb = options.verb
    path = Path(options.config)
    able = {name: other.entries for name, other in verbs.items() if "--config" in other.entries}
    options_of = (word for entries in able.values() for word in entries if word[1] == "-")
    every = {word[2:]: None for word in options_of if word != "--config"}
    data, words = read_toml(path), list[str]()
    files = _files(path, {key: data.pop(key) for key in FILES if key in data})
    tables = {key: data.pop(key) for key in able if isinstance(data.get(key), dict)}
    asked = {entry.word for group in verb.groups for entry in group.entries
             if group.one_of and options.has(entry.word)}  # fmt: skip
    for name, table in {"": data, **tables}.items():
        for key, value in table.items():
            word, at = key.replace("_", "-"), f"{path}: [{name}]" if name else str(path)
            if word not in every:
                if key.replace("-", "_") in hp.measures.OPTIONS:
                    raise BadInput(f"{at}: conventions, such as {key!r}, stand under [set]")
                raise unknown("option", key, [*every, *FILES], at)
            entry = verb.entries.get(f"--{word}")
            if entry is not None and name in ("", verb.name) and not asked & entry.barred:
                words += _typed(path, key, entry, value)
    found = verb.read(words)
    found.files = options.files or files
    for name in options.typed:
        said = getattr(options, name)
        setattr(found, name, [*found.set, *said] if name == "set" else said)
    found.typed |= options.typed
    return found


def _files(path: Path, given: Mapping[str, Any]) -> list[str]:
    """Return the files as they are typed."""
    systems = given.get("systems", {})
    if not isinstance(systems, dict):
        raise _fault(path, "systems", "a table such as bert = 'run1.tsv'", systems)
    if (*given,) != FILES[: len(given)]:
        raise BadInput(f"{path}: give hierarchy, truth and systems, or as truth a table of both")
    named = [("", key, file) for key, file in given.items() if key != "systems"]
    named += [(f"{name}=", f"systems.{name}", file) for name, file in systems.items()]
    return [start + _place(path, _text(path, key, file)) for start, key, file in named]


def _place(path: Path, given: str) -> str:
    """Return the place of a file that is named in this one."""
    return given if given == "-" else str(path.parent / given)


def _typed(path: Path, key: str, entry: Entry, value: Any) -> list[str]:
    """Return an option as it is typed; the files that it names are relative to this one."""

    def there(found: re.Match[str]) -> str:
        beside = path.parent / found[2]
        return f"{found[1]}{beside}{found[1]}" if beside.is_file() else found[0]

    if entry.kind == "switch":
        if not isinstance(value, bool):
            raise _fault(path, key, "true or false", value)
        return [entry.word] * value
    if isinstance(value, dict) and entry.many:
        value = [f"{name}={_text(path, key, x)}" for name, x in value.items()]
    words = []
    for part in value if isinstance(value, list) and entry.many else [value]:
        text = _text(path, key, part)
        if entry.name in PATHS:
            text = _place(path, text)
        elif "(" in text:  # a measure or cost that reads files
            text = re.sub(r"(['\"])(.*?)\1", there, text)
        words.append(f"{entry.word}={text}")
    return words


def _text(path: Path, key: str, value: Any) -> str:
    """Return a value as it is typed; a list with commas."""
    if isinstance(value, list):
        return ",".join(_text(path, key, x) for x in value)
    is_long = isinstance(value, int) and value.bit_length() > 64
    if is_long or isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise _fault(path, key, "a text or a number of at most 64 bits", value)
    return str(value)


def _fault(path: Path, key: str, wanted: str, given: Any) -> BadInput:
    return BadInput(f"{path}: {key} must be {wanted}, got {shown(given, 40)}")
