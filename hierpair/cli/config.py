"""A file that says how an evaluation is run: the options of the command line in TOML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hierpair as hp
from hierpair.cli.options import Options, Verb
from hierpair.errors import BadInput, shown, unknown

PATHS = ("output", "picture", "plugin", "columns", "data", "texts")
"""Options that name files or folders."""

FILES = ("hierarchy", "table", "truth", "systems")
TOGETHER = ("", "hierarchy", "hierarchy table", "hierarchy truth", "hierarchy truth systems")
"""What is read, and which of them can be given together."""

SHORT = {"hierarchy": {"format": "hierarchy-format"}, "output": {"file": "output"}}
"""What options are called where the table says what they are for; other files are labels."""

CONFIG = """
--config FILE.toml  hierarchy, truth, systems, measures and options from a file; the command
                    line takes precedence
"""


def configured(options: Options, verbs: Mapping[str, Verb]) -> Options:
    """Return options with those of their configuration file, over which they take precedence."""
    from hierpair.io.text import read_toml

    verb: Verb = options.verb
    able = {name: other.entries for name, other in verbs.items() if "--config" in other.entries}
    every = dict.fromkeys(word for entries in able.values() for word in entries)
    file = _File(
        Path(options.config), verb, [w for w in every if w.startswith("--") and w != "--config"]
    )
    data, words = read_toml(file.path), list[str]()
    given = {key: data.pop(key) for key in FILES if key in data}
    files, of_files = file.files(given)
    tables = {
        key: data.pop(key)
        for key in ("options", "output", *able)
        if isinstance(data.get(key), dict)
    }
    for name, table in {"": data, **tables}.items():
        some = [*file.words(table, f"[{name}] " if name else "", SHORT.get(name, {}))]
        words += some if name in ("", "options", "output", verb.name) else []
    found = verb.read(words + ([] if options.files else of_files))
    found.files = options.files or files
    for name in options.typed:
        typed = getattr(options, name)
        setattr(found, name, [*found.set, *typed] if name == "set" else typed)
    found.typed |= options.typed
    return found


@dataclass
class _File:
    """A configuration file that is read for one of the verbs that take it."""

    path: Path
    verb: Verb
    known: list[str]

    def files(self, given: dict[str, Any]) -> tuple[list[str], list[str]]:
        """Return the files as they are typed, and the options that are for one of them."""
        systems = given.get("systems", {})
        if not isinstance(systems, dict):
            raise self.fault("systems", "a table such as bert = 'run1.tsv'", systems)
        if " ".join(given) not in TOGETHER:
            raise BadInput(
                f"{self.path}: give hierarchy, truth and systems, or hierarchy and table"
            )
        files: list[str] = []
        words: list[str] = []
        sides = {key: x for key, x in given.items() if key != "systems"}
        for key, side in (sides | {f"systems.{name}": x for name, x in systems.items()}).items():
            table = {"file": side} if isinstance(side, str) else side
            if not isinstance(table, dict) or not isinstance(table.get("file"), str):
                raise self.fault(key, "a file, or a table with file and options", side)
            name = key.removeprefix("systems.")
            files.append(("" if key in sides else f"{name}=") + self.place(table["file"]))
            rest = {k: x for k, x in table.items() if k != "file"}
            whose = "" if key in ("hierarchy", "table") else f"{name}:"
            short = SHORT.get(key, {"format": "label-format"})
            words += self.words(rest, f"{key}: ", short, whose)
        return files, words

    def words(
        self, table: Mapping[str, Any], where: str, short: Mapping[str, str],
        whose: str = "",
    ) -> Iterator[str]:  # fmt: skip
        """Yield options of a table as words; ``whose`` stands before the values for one file."""
        for key, value in table.items():
            word = f"--{short.get(key, key).replace('_', '-')}"
            entry = self.verb.entries.get(word)
            if word not in self.known:
                at, names = f"{self.path}: {where}".strip(": "), [x[2:] for x in self.known]
                if key.replace("-", "_") in hp.measures.OPTIONS:
                    raise BadInput(f"{at}: conventions, such as {key!r}, stand under [set]")
                raise unknown("option", key, [*names, "format", "file", *FILES], at)
            if entry is None:  # of another verb
                continue
            if whose and not entry.many:
                raise BadInput(
                    f"{self.path}: {where}{key!r} cannot be set for one file; write it above the "
                    "tables (in place of long: rows = 'label')"
                )
            if entry.kind == "switch":
                if not isinstance(value, bool):
                    raise self.fault(where + key, "true or false", value)
                yield from [entry.word] * value
                continue
            parts: Any = value if entry.many and isinstance(value, list) else [value]
            if entry.many and isinstance(value, dict):
                parts = [f"{k}={self.text(x, where + key)}" for k, x in value.items()]
            for part in parts:
                text = self.text(part, where + key)
                placed = self.place(text) if entry.name in PATHS else self.with_files(text)
                yield f"{entry.word}={whose}{placed}"

    def text(self, value: Any, key: str) -> str:
        """Return a value as it is typed; of a list with commas."""
        if isinstance(value, list) and not any(isinstance(x, (list, dict)) for x in value):
            return ",".join(self.text(x, key) for x in value)
        is_long = isinstance(value, int) and value.bit_length() > 64
        if is_long or isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise self.fault(key, "a text or a number of at most 64 bits", value)
        return str(value)

    def place(self, given: str) -> str:
        """Return the place of a file that is named in this one."""
        return given if given == "-" else str(self.path.parent / given)

    def with_files(self, text: str) -> str:
        """Return a measure or cost with the files that it names relative to this file."""

        def path(found: re.Match[str]) -> str:
            there = self.path.parent / found[2]
            return f"{found[1]}{there}{found[1]}" if there.is_file() else found[0]

        return re.sub(r"(['\"])(.*?)\1", path, text) if "(" in text else text

    def fault(self, key: str, wanted: str, given: Any) -> BadInput:
        return BadInput(f"{self.path}: {key} must be {wanted}, got {shown(given, 40)}")
