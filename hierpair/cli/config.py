"""A file that says how an evaluation is run: the options of the command line in TOML."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput, did_you_mean, shown

PATHS = ("output", "picture", "plugin", "columns", "data", "texts")
"""Options that name files or folders."""

NOT_OPTIONS = ("help", "config", "files")

SECTIONS = ("options", "output", "score", "partial", "compare", "report", "check")
"""Tables of options: for any verb, for what comes out, for one verb alone."""

SHORT = {"hierarchy": {"format": "hierarchy-format"}, "label": {"format": "label-format"},
         "output": {"file": "output"}}  # fmt: skip
"""What options are called where the table says what they are for."""


CONFIG = """
--config FILE.toml  hierarchy, truth, systems, measures and options from a file; the command
                    line takes precedence
"""


def configured(
    argv: Sequence[str], options: argparse.Namespace, parser: argparse.ArgumentParser
) -> list[str]:
    """Return the words of a command line with those of its configuration file before them.

    Raises
    ------
    BadInput
        For a file that cannot be read, an unknown key, or a value of a wrong kind.
    """
    at = list(argv).index(options.verb)
    reading = _Reading(Path(options.config), options.verb)
    reading.know(parser)
    given = {
        action.dest
        for action in reading.actions.values()
        if isinstance(action, argparse._AppendAction)
        and getattr(options, action.dest)
        and action.dest != "set"  # of which the last one counts, name by name
    }
    words = [word for dest, word in reading.words() if dest not in given]
    if not options.files:
        words += [word for dest, word in reading.of_files if dest not in given]
    files = [] if options.files else reading.files
    return [*argv[: at + 1], *files, *words, *argv[at + 1 :]]


class _Reading:
    """One configuration file, read for one verb."""

    def __init__(self, path: Path, verb: str) -> None:
        from hierpair.io.text import read_toml

        self.path, self.base, self.verb = path, path.parent, verb
        self.files: list[str] = []
        self.of_files: list[tuple[str, str]] = []
        self.data = read_toml(path)

    def know(self, parser: argparse.ArgumentParser) -> None:
        """Learn which options there are, and take the files."""
        [choices] = [action.choices for action in parser._actions if action.dest == "verb"]
        self.verbs: dict[str, argparse.ArgumentParser] = dict(choices or {})
        self.actions = _actions(self.verbs[self.verb])
        self._take_files()

    def words(self) -> list[tuple[str, str]]:
        """Return the options as destination and word of the command line."""
        found: list[tuple[str, str]] = []
        rest = dict(self.data)
        for section in SECTIONS:
            table = rest.get(section)
            if isinstance(table, dict):
                del rest[section]
                if section in (self.verb, "options", "output"):
                    found += self._options(table, SHORT.get(section, {}), f"[{section}] ")
                elif section in self.verbs:
                    for key in table:
                        self._action(key, {}, f"[{section}] ", section)
        return [*self._options(rest, {}, ""), *found]

    def _take_files(self) -> None:
        hierarchy, truth = self.data.pop("hierarchy", None), self.data.pop("truth", None)
        systems, table = self.data.pop("systems", {}), self.data.pop("table", None)
        if not isinstance(systems, dict):
            raise self._fault("systems", "a table such as bert = 'run1.tsv'", systems)
        if table is not None and (truth is not None or systems):
            raise BadInput(f"{self.path}: give either table, or truth and systems")
        if hierarchy is not None:
            self.files.append(self._file(hierarchy, "hierarchy", SHORT["hierarchy"], ""))
        if table is not None:
            self.files.append(self._file(table, "table", SHORT["label"], ""))
        if truth is not None:
            self.files.append(self._file(truth, "truth", SHORT["label"], "truth:"))
        for name, system in systems.items():
            file = self._file(system, f"systems.{name}", SHORT["label"], f"{name}:")
            self.files.append(f"{name}={file}")
        if self.files and (hierarchy is None or (systems and truth is None)):
            raise BadInput(f"{self.path}: beside systems there must be hierarchy and truth")

    def _file(self, given: Any, key: str, short: Mapping[str, str], prefix: str) -> str:
        """Return the path of a file; a table holds its options too."""
        table = {"file": given} if isinstance(given, str) else given
        if not isinstance(table, dict) or not isinstance(table.get("file"), str):
            raise self._fault(key, "a file, or a table with file and options", given)
        rest = {k: v for k, v in table.items() if k != "file"}
        for dest, word in self._options(rest, short, f"{key}: "):
            option, _, value = word.partition("=")
            if prefix and not isinstance(self.actions[option[2:]], argparse._AppendAction):
                mend = "write rows = 'label'" if dest == "long" else "write it above the tables"
                raise BadInput(
                    f"{self.path}: {key}: {option[2:]!r} cannot be set for one file; {mend}"
                )
            self.of_files.append((dest, f"{option}={prefix}{value}"))
        return self.place(table["file"])

    def place(self, given: str) -> str:
        """Return the place of a file that is named in this one."""
        return given if given == "-" else str(self.base / given)

    def _options(
        self, table: Mapping[str, Any], short: Mapping[str, str], where: str
    ) -> Iterator[tuple[str, str]]:
        for key, value in table.items():
            if self.verb == "check" and self._is_of_scoring(key, short):
                continue
            action = self._action(key, short, where, self.verb)
            word = action.option_strings[-1]
            if isinstance(action, argparse._StoreTrueAction):
                if not isinstance(value, bool):
                    raise self._fault(where + key, "true or false", value)
                if value:
                    yield action.dest, word
                continue
            for text in self._texts(action, value, where + key):
                yield action.dest, f"{word}={text}"

    def _is_of_scoring(self, key: str, short: Mapping[str, str]) -> bool:
        """Whether an option is not of ``check`` but of a verb whose files it checks."""
        name = key.replace("_", "-")
        name = short.get(name, name)
        others = (_actions(self.verbs[verb]) for verb in ("score", "compare"))
        return name not in self.actions and any(name in actions for actions in others)

    def _action(self, key: str, short: Mapping[str, str], where: str, verb: str) -> argparse.Action:
        actions = _actions(self.verbs[verb])
        name = key.replace("_", "-")
        name = short.get(name, name)
        if name in actions:
            return actions[name]
        other = next(
            (v for v, p in self.verbs.items() if v in SECTIONS and name in _actions(p)), ""
        )
        if other:
            raise BadInput(f"{self.path}: {where}{key!r} is no option of {verb}; it is one of "
                           f"{other}: write it under [{other}]")  # fmt: skip
        from hierpair.measures import OPTIONS

        known = [*actions, *short, *(() if where else ("hierarchy", "truth", "systems", "table"))]
        convention = key.replace("-", "_") in OPTIONS
        mend = "; conventions stand under [set]" if convention else did_you_mean(name, known)
        raise BadInput(f"{self.path}: {where}there is no option {key!r}{mend}")

    def _texts(self, action: argparse.Action, value: Any, key: str) -> list[str]:
        """Return the values of an option as texts."""
        several = isinstance(action, argparse._AppendAction)
        if isinstance(value, dict) and several:
            parts = [f"{k}={self._joined(v, key)}" for k, v in value.items()]
        elif isinstance(value, list) and several:
            parts = [self._joined(part, key) for part in value]
        else:
            parts = [self._joined(value, key)]
        if action.dest in PATHS:
            return [self.place(part) for part in parts]
        return [self._with_files(part) for part in parts]

    def _joined(self, value: Any, key: str) -> str:
        if isinstance(value, list) and not any(isinstance(x, (list, dict)) for x in value):
            return ",".join(self._joined(x, key) for x in value)
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise self._fault(key, "a text or a number", value)
        if isinstance(value, int) and value.bit_length() > 64:
            raise self._fault(key, "a number of at most 64 bits", value)
        return str(value)

    def _with_files(self, text: str) -> str:
        """Return a measure or cost with the files that it names relative to this file."""

        def path(found: re.Match[str]) -> str:
            sign, name = found[1], found[2]
            there = self.base / name
            return f"{sign}{there}{sign}" if name and there.is_file() else found[0]

        return re.sub(r"(['\"])(.*?)\1", path, text) if "(" in text else text

    def _fault(self, key: str, wanted: str, given: Any) -> BadInput:
        return BadInput(f"{self.path}: {key} must be {wanted}, got {shown(given, 40)}")


def _actions(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """Return the options of a verb by the long names that they have."""
    return {
        word[2:]: action
        for action in parser._actions
        if action.dest not in NOT_OPTIONS
        for word in action.option_strings
        if word.startswith("--")
    }
