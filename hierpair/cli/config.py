"""A file that says how an evaluation is run: the options of the command line in TOML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hierpair.cli.options import Entry, Options, Verb
from hierpair.errors import BadInput, did_you_mean, shown

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
    """Return options with those of their configuration file, over which they take precedence.

    Raises
    ------
    BadInput
        For a file that cannot be read, an unknown key, or a value of a wrong kind.
    """
    reading = _Reading(Path(options.config), options.verb, verbs)
    files, of_files = reading.files()
    words = [*reading.options(), *([] if options.files else of_files)]
    verb: Verb = options.verb
    found = verb.read(words)
    found.files = options.files or files
    for name in options.typed:
        typed = getattr(options, name)
        setattr(found, name, [*found.set, *typed] if name == "set" else typed)
    return found


class _Reading:
    """One configuration file, read for one verb; options that only other verbs have are skipped."""

    def __init__(self, path: Path, verb: Verb, verbs: Mapping[str, Verb]) -> None:
        from hierpair.io.text import read_toml

        self.path, self.verb, self.data = path, verb, read_toml(path)
        self.verbs = {name: v for name, v in verbs.items() if "--config" in v.entries}

    def options(self) -> Iterator[str]:
        """Yield the options as they are typed: for any verb, for what comes out, for this verb."""
        sections = {"options", "output", *self.verbs}
        tables = {key: x for key, x in self.data.items() if key in sections and isinstance(x, dict)}
        rest = {key: x for key, x in self.data.items() if key not in (*FILES, *tables)}
        yield from self._words(rest, {}, "")
        for section, table in tables.items():
            words = [*self._words(table, SHORT.get(section, {}), f"[{section}] ")]
            yield from words if section in ("options", "output", self.verb.name) else ()

    def files(self) -> tuple[list[str], list[str]]:
        """Return the files as they are typed, and the options that are for one of them."""
        given = {key: self.data[key] for key in FILES if key in self.data}
        systems = given.get("systems", {})
        if not isinstance(systems, dict):
            raise self._fault("systems", "a table such as bert = 'run1.tsv'", systems)
        if " ".join(given) not in TOGETHER:
            raise BadInput(
                f"{self.path}: give hierarchy, truth and systems, or hierarchy and table"
            )
        files: list[str] = []
        words: list[str] = []
        for key, side in (given | {f"systems.{name}": x for name, x in systems.items()}).items():
            if key == "systems":
                continue
            table = {"file": side} if isinstance(side, str) else side
            if not isinstance(table, dict) or not isinstance(table.get("file"), str):
                raise self._fault(key, "a file, or a table with file and options", side)
            name = key.removeprefix("systems.")
            files.append(("" if key in given else f"{name}=") + self._place(table["file"]))
            rest = {k: v for k, v in table.items() if k != "file"}
            short = SHORT.get(key, {"format": "label-format"})
            whose = "" if key in ("hierarchy", "table") else f"{name}:"
            words += self._words(rest, short, f"{key}: ", whose)
        return files, words

    def _words(
        self, table: Mapping[str, Any], short: Mapping[str, str], where: str, whose: str = ""
    ) -> Iterator[str]:
        """Yield options of a table as words; ``whose`` stands before the values for one file."""
        for key, value in table.items():
            entry = self._entry(key, short, where)
            if entry is None:
                continue
            if whose and not entry.many:
                raise BadInput(
                    f"{self.path}: {where}{key!r} cannot be set for one file; write it above the "
                    "tables (in place of long: rows = 'label')"
                )
            if entry.kind == "switch":
                if not isinstance(value, bool):
                    raise self._fault(where + key, "true or false", value)
                yield from [entry.word] if value else []
                continue
            parts: Any = [value]
            if entry.many and isinstance(value, dict):
                parts = [f"{k}={self._text(v, where + key)}" for k, v in value.items()]
            elif entry.many and isinstance(value, list):
                parts = value
            for part in parts:
                text = self._text(part, where + key)
                placed = self._place(text) if entry.name in PATHS else self._with_files(text)
                yield f"{entry.word}={whose}{placed}"

    def _entry(self, key: str, short: Mapping[str, str], where: str) -> Entry | None:
        """Return the option that a key means, or None if another verb has it."""
        from hierpair.measures import OPTIONS

        word = f"--{short.get(key, key).replace('_', '-')}"
        if word in self.verb.entries and word != "--config":
            return self.verb.entries[word]
        if word != "--config" and any(word in verb.entries for verb in self.verbs.values()):
            return None
        known = (word[2:] for verb in self.verbs.values() for word in verb.entries)
        mend = did_you_mean(key, [*known, *short, *FILES])
        if key.replace("-", "_") in OPTIONS:
            mend = "; conventions stand under [set]"
        raise BadInput(f"{self.path}: {where}there is no option {key!r}{mend}")

    def _text(self, value: Any, key: str) -> str:
        if isinstance(value, list) and not any(isinstance(x, (list, dict)) for x in value):
            return ",".join(self._text(x, key) for x in value)
        is_long = isinstance(value, int) and value.bit_length() > 64
        if is_long or isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise self._fault(key, "a text or a number of at most 64 bits", value)
        return str(value)

    def _place(self, given: str) -> str:
        """Return the place of a file that is named in this one."""
        return given if given == "-" else str(self.path.parent / given)

    def _with_files(self, text: str) -> str:
        """Return a measure or cost with the files that it names relative to this file."""

        def path(found: re.Match[str]) -> str:
            there = self.path.parent / found[2]
            return f"{found[1]}{there}{found[1]}" if there.is_file() else found[0]

        return re.sub(r"(['\"])(.*?)\1", path, text) if "(" in text else text

    def _fault(self, key: str, wanted: str, given: Any) -> BadInput:
        return BadInput(f"{self.path}: {key} must be {wanted}, got {shown(given, 40)}")
