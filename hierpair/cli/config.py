"""A file that says how an evaluation is run: the options of the command line in TOML."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hierpair.cli.options import Verb
from hierpair.errors import BadInput, did_you_mean, shown

PATHS = ("output", "picture", "plugin", "columns", "data", "texts")
"""Options that name files or folders."""

SECTIONS = ("options", "output", "score", "partial", "compare", "report", "check")
"""Tables of options: for any verb, for what comes out, for one verb alone."""

FILES = ("hierarchy", "table", "truth", "systems")
"""What is read."""

SHORT = {"hierarchy": {"format": "hierarchy-format"}, "label": {"format": "label-format"},
         "output": {"file": "output"}}  # fmt: skip
"""What options are called where the table says what they are for."""

CONFIG = """
--config FILE.toml  hierarchy, truth, systems, measures and options from a file; the command
                    line takes precedence
"""


def configured(
    words: Sequence[str], options: argparse.Namespace, verbs: Mapping[str, Verb]
) -> list[str]:
    """Return the words of a command line with those of its configuration file before them.

    Raises
    ------
    BadInput
        For a file that cannot be read, an unknown key, or a value of a wrong kind.
    """
    reading = _Reading(Path(options.config), options.verb, verbs)
    files, of_files = reading.files()
    told = [*reading.options(), *(() if options.files else of_files)]
    given = {
        dest for dest, action in reading.actions[options.verb].items()
        if isinstance(action, argparse._AppendAction) and getattr(options, action.dest)
        and dest != "set"  # of which the last one counts, name by name
    }  # fmt: skip
    added = [f"--{name}{value}" for name, value in told if name not in given]
    return [words[0], *(() if options.files else files), *added, *words[1:]]


class _Reading:
    """One configuration file, read for one verb."""

    def __init__(self, path: Path, verb: str, verbs: Mapping[str, Verb]) -> None:
        from hierpair.io.text import read_toml

        self.path, self.verb, self.data = path, verb, read_toml(path)
        self.actions = {
            name: {action.option_strings[-1][2:]: action
                   for action in known.parser._actions if action.dest != "config"}
            for name, known in verbs.items() if name == verb or name in SECTIONS
        }  # fmt: skip

    def options(self) -> Iterator[tuple[str, str]]:
        """Yield the options as their name and what follows it on the command line."""
        rest = {key: value for key, value in self.data.items() if key not in FILES}
        tables = {key: rest.pop(key) for key in SECTIONS if isinstance(rest.get(key), dict)}
        yield from self._words(rest, {}, "")
        for section, table in tables.items():
            where = f"[{section}] "
            if section in (self.verb, "options", "output"):
                yield from self._words(table, SHORT.get(section, {}), where)
            for key in table if section in self.actions else ():
                self._named(key, {}, where, section)

    def files(self) -> tuple[list[str], list[tuple[str, str]]]:
        """Return the files as they are typed, and the options that are for one of them."""
        given = {key: self.data[key] for key in FILES if key in self.data}
        systems = given.pop("systems", {})
        if not isinstance(systems, dict):
            raise self._fault("systems", "a table such as bert = 'run1.tsv'", systems)
        if "table" in given and ("truth" in given or systems):
            raise BadInput(f"{self.path}: give either table, or truth and systems")
        sides = [
            (key, value, f"{key}:" if key == "truth" else "", "") for key, value in given.items()
        ]
        sides += [(f"systems.{name}", s, f"{name}:", f"{name}=") for name, s in systems.items()]
        files, words = [], []
        for key, side, prefix, called in sides:
            table = {"file": side} if isinstance(side, str) else side
            if not isinstance(table, dict) or not isinstance(table.get("file"), str):
                raise self._fault(key, "a file, or a table with file and options", side)
            files.append(called + self._place(table["file"]))
            rest = {k: v for k, v in table.items() if k != "file"}
            short = SHORT.get(key, SHORT["label"])
            for name, value in self._words(rest, short, f"{key}: "):
                action = self.actions[self.verb][name]
                if prefix and not isinstance(action, argparse._AppendAction):
                    mend = "write rows = 'label'" if name == "long" else "write it above the tables"
                    raise BadInput(
                        f"{self.path}: {key}: {name!r} cannot be set for one file; {mend}"
                    )
                words.append((name, f"={prefix}{value[1:]}" if value else ""))
        if (given or systems) and ("hierarchy" not in given or (systems and "truth" not in given)):
            raise BadInput(f"{self.path}: beside systems there must be hierarchy and truth")
        return files, words

    def _words(
        self, table: Mapping[str, Any], short: Mapping[str, str], where: str
    ) -> Iterator[tuple[str, str]]:
        for key, value in table.items():
            name = self._named(key, short, where, self.verb)
            action = self.actions[self.verb].get(name)
            if isinstance(action, argparse._StoreTrueAction):
                if not isinstance(value, bool):
                    raise self._fault(where + key, "true or false", value)
                yield from [(name, "")] if value else []
            elif action is not None:
                several = isinstance(action, argparse._AppendAction)
                parts: Any = [value]
                if several and isinstance(value, dict):
                    parts = [f"{k}={self._text(v, where + key)}" for k, v in value.items()]
                elif several and isinstance(value, list):
                    parts = value
                for text in (self._text(part, where + key) for part in parts):
                    yield name, f"={self._place(text) if name in PATHS else self._with_files(text)}"

    def _named(self, key: str, short: Mapping[str, str], where: str, verb: str) -> str:
        """Return the name of an option; of ``check`` also one of what is scored afterwards."""
        name = key.replace("_", "-")
        name = short.get(name, name)
        others = [v for v in SECTIONS if name in self.actions.get(v, ())]
        if name in self.actions[verb] or (verb == "check" and {"score", "compare"} & {*others}):
            return name
        if others:
            raise BadInput(f"{self.path}: {where}{key!r} is no option of {verb}; it is one of "
                           f"{others[0]}: write it under [{others[0]}]")  # fmt: skip
        from hierpair.measures import OPTIONS

        known = [*self.actions[verb], *short, *(() if where else FILES)]
        convention = key.replace("-", "_") in OPTIONS
        mend = "; conventions stand under [set]" if convention else did_you_mean(name, known)
        raise BadInput(f"{self.path}: {where}there is no option {key!r}{mend}")

    def _text(self, value: Any, key: str) -> str:
        if isinstance(value, list) and not any(isinstance(x, (list, dict)) for x in value):
            return ",".join(self._text(x, key) for x in value)
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise self._fault(key, "a text or a number", value)
        if isinstance(value, int) and value.bit_length() > 64:
            raise self._fault(key, "a number of at most 64 bits", value)
        return str(value)

    def _place(self, given: str) -> str:
        """Return the place of a file that is named in this one."""
        return given if given == "-" else str(self.path.parent / given)

    def _with_files(self, text: str) -> str:
        """Return a measure or cost with the files that it names relative to this file."""

        def path(found: re.Match[str]) -> str:
            sign, name = found[1], found[2]
            there = self.path.parent / name
            return f"{sign}{there}{sign}" if name and there.is_file() else found[0]

        return re.sub(r"(['\"])(.*?)\1", path, text) if "(" in text else text

    def _fault(self, key: str, wanted: str, given: Any) -> BadInput:
        return BadInput(f"{self.path}: {key} must be {wanted}, got {shown(given, 40)}")
