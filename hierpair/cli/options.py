"""Options of a verb as a text that reads like its help: what they are, and with which they go."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NoReturn

from hierpair.cli.output import tell
from hierpair.errors import BadInput, did_you_mean, listed, shown
from hierpair.tables.forms import FORMS

COMMON = """
# output and messages
-o, --output FILE  write to a file, in whole or not at all
--format FORM      {forms} (default: by the ending of -o, else text)
-q, --quiet        no messages and no progress on stderr
--plugin FILE.py*  load measures of your own (repeatable)
## rarely needed
--csv-safe         in csv and tsv, an apostrophe before texts that a spreadsheet would run as
                   formulas
--debug            show a traceback for internal errors
"""
"""Options that every verb has."""

HEAD = re.compile(r"(?P<words>(?:--?[\w-]+, )*--[\w-]+)(?: (?P<value>[^\s*!]+)(?P<mark>[*!]?))?")
DEFAULT = re.compile(r"(.*) \[([^\s\]:]+): ([^\]]+)\]")
RULES = re.compile(r" ?\{((?:with|without) [^}]*)\}")
WIDTH, MARGIN = 80, 24
"""Columns of the help, and those before what an option means."""


MOST_DIGITS = 100
"""Decimals; a float has fewer that mean anything."""


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, got {shown(text)}") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, got {shown(text)}") from None


def _digits(text: str) -> int:
    found = _whole(text)
    if not 0 <= found <= MOST_DIGITS:
        raise argparse.ArgumentTypeError(
            f"digits must be at least 0 and at most {MOST_DIGITS}, got {found}"
        )
    return found


def _choice(known: Sequence[str], text: str) -> str:
    if text not in known:
        near = did_you_mean(text, known)
        raise argparse.ArgumentTypeError(f"must be one of {listed(known)}, got {shown(text)}{near}")
    return text


TYPES: dict[str, Callable[[str], Any]] = {"int": _whole, "float": _number, "digits": _digits}
"""What reads a value, by what stands behind the colon."""


@dataclass(frozen=True)
class Fact:
    """What an option may need beside other options: whether it is so, and what it is."""

    holds: Callable[[argparse.Namespace], bool]
    meaning: str


FACTS: dict[str, Fact] = {}
"""What stands beside options after ``with`` and ``without``."""


@dataclass(frozen=True)
class Entry:
    """An option, or files, as the text of a verb has it.

    ``rules`` are ``with A or B`` and ``without A, B``, in which each is an option, an option with
    a value, or a fact.
    """

    head: str
    help: str
    rules: tuple[str, ...]

    @property
    def words(self) -> list[str]:
        """What is typed, the long word last; nothing for files."""
        return re.findall(r"(?:^|, )(--?[\w-]+)", self.head)

    @property
    def shown(self) -> str:
        """The head as help shows it."""
        found = HEAD.fullmatch(self.head)
        if found is None:
            return re.sub(r"[…!\[\]]", "", self.head) + (" …" if "…" in self.head else "")
        value = re.sub(r":(int|float|digits)$|=\w+(?=\])", "", found["value"] or "")
        return f"{found['words']} {value}".rstrip()

    @property
    def told(self) -> str:
        """What it means, with what it goes."""
        default = DEFAULT.fullmatch(self.help)
        text = self.help if default is None else default[1]
        notes = [*([f"default: {default[3]}"] if default is not None else []), *self.rules]
        return f"{text} ({'; '.join(notes)})" if notes else text


@dataclass(frozen=True)
class Group:
    """Options under a title; those of a rare group are only named in the short help."""

    title: str
    about: str
    rare: bool
    rules: tuple[str, ...]
    entries: list[Entry]

    @property
    def heading(self) -> str:
        """The title, with what all its options go."""
        notes = [*([self.about] if self.about == "one of" else []), *self.rules]
        return f"{self.title} ({'; '.join(notes)})" if notes else self.title


def groups_of(text: str) -> list[Group]:
    """Return the groups of options that a text describes.

    Each option starts a line: its words, what stands for its value, and after two spaces what it
    means. Without a value it is a switch; ``{a,b}`` is a choice, ``N:int`` a number,
    ``[NAME=x]`` may be left out and is x then, ``NAME*`` may be given several times and ``NAME!``
    must be given. ``[default: x]`` is a default, ``[x: in words]`` one that is told in words.
    ``FILE…`` are files. ``# title | more`` begins a group, ``## title`` one that is rarely used;
    of a group with ``one of`` only one can be given. ``{with --a or --b x; without --c}`` says
    with which it goes, of an option or of a whole group.

    >>> [group] = groups_of('''
    ... # looks
    ... --picture FILE   where to draw
    ... --view {a,b}     what is shown [default: a] {with --picture}
    ... ''')
    >>> [entry.rules for entry in group.entries]
    [(), ('with --picture',)]
    """
    groups = [Group("", "", False, (), [])]
    for entry in re.split(r"\n(?=\S)", text.strip()):
        line = " ".join(entry.split())
        rules = tuple(r for found in RULES.findall(line) for r in found.split("; "))
        if line.startswith("#"):
            title, _, more = RULES.sub("", line).lstrip("# ").partition(" | ")
            found = next((group for group in groups if group.title == title), None)
            groups = [group for group in groups if group is not found]
            groups.append(found or Group(title, more, line.startswith("##"), rules, []))
            continue
        head, words = re.split(r"\s{2,}|\n", entry, maxsplit=1)
        meaning = RULES.sub("", " ".join(words.split()))
        groups[-1].entries.append(Entry(head, meaning, rules))
    return [group for group in groups if group.entries]


def _keywords(entry: Entry) -> dict[str, Any]:
    """Return the keywords of argparse for an option."""
    found = HEAD.fullmatch(entry.head)
    if found is None:
        raise ValueError(f"no option: {entry.head!r}")
    value, mark = found["value"], found["mark"]
    if value is None:
        return {"action": "store_true"}
    name, colon, kind = value.rpartition(":")
    how: dict[str, Any] = {"metavar": name, "type": TYPES[kind]} if colon and kind in TYPES else {}
    if value.startswith("{"):
        how = {"metavar": value, "type": partial(_choice, value[1:-1].split(","))}
    elif value.startswith("["):
        return {"nargs": "?", "const": value[1:-1].partition("=")[2]}
    default = DEFAULT.fullmatch(entry.help)
    if default is not None:
        given = default[3] if default[2] == "default" else default[2]
        how["default"] = how.get("type", str)(given)
    if mark == "*":
        how |= {"action": "append", "default": []}
    return {**how, "required": mark == "!"}


@dataclass(frozen=True)
class Verb:
    """What comes after ``hierpair``: its words of help, its options, and what it does.

    ``formats`` are those of its output, by default all; of an empty list there is no choice.
    """

    name: str
    help: str
    description: str
    example: str
    options: str
    run: Callable[[argparse.Namespace], Outcome | str]
    formats: Sequence[str] | None = None

    @cached_property
    def groups(self) -> list[Group]:
        """Its options and those of all verbs."""
        text = COMMON.format(forms=", ".join(FORMS if self.formats is None else self.formats))
        if self.formats is not None and not self.formats:
            text = re.sub(r"--format.*\n", "", text)
        return groups_of(f"{self.options}\n{text}")

    @cached_property
    def parser(self) -> Parser:
        """What takes its words apart."""
        parser = Parser(prog=f"hierpair {self.name}", add_help=False, allow_abbrev=False)
        for group in self.groups:
            one_of: Any = parser
            if group.about == "one of":
                one_of = parser.add_mutually_exclusive_group()
            for entry in group.entries:
                if entry.words:
                    one_of.add_argument(*entry.words, **_keywords(entry))
        words = [word for action in parser._actions for word in action.option_strings]
        given = {action.dest: action.default for action in parser._actions}
        parser.set_defaults(verb=self.name, words=words, defaults=given)
        return parser

    def help_text(self, *, everything: bool) -> str:
        """Return the help; options that are rarely used are only named unless all are wanted."""
        head = [e for group in self.groups for e in group.entries if not e.words]
        usage = f"usage: hierpair {self.name} [options]{''.join(f' {e.shown}' for e in head)}"
        lines = [usage, "", *textwrap.wrap(self.description, WIDTH), "", "example:",
                 f"  {self.example}"]  # fmt: skip
        for group in self.groups:
            lines += ["", f"{group.heading}:"] if group.title else [""]
            if group.rare and not everything:
                names = ", ".join(e.words[-1] for e in group.entries)
                lines += textwrap.wrap(names, WIDTH, initial_indent="  ", subsequent_indent="  ",
                                       break_on_hyphens=False)  # fmt: skip
                continue
            if group.about and group.about != "one of":
                lines += textwrap.wrap(group.about, WIDTH, initial_indent="  ",
                                       subsequent_indent="  ")  # fmt: skip
            for entry in group.entries:
                lines += _in_columns(entry)
        if not everything and any(group.rare for group in self.groups):
            lines += ["", f"What the last options mean: hierpair {self.name} --help-all"]
        return "\n".join(lines)

    def check(self, options: argparse.Namespace) -> None:
        """Refuse an option that is given beside what it does not go with.

        Raises
        ------
        BadInput
            Names both.
        """
        for group in self.groups:
            for entry in group.entries:
                if entry.words and _given(options, word := entry.words[-1]):
                    for rule in (*entry.rules, *group.rules):
                        _check(options, word, rule)


def _in_columns(entry: Entry) -> Iterator[str]:
    text = textwrap.wrap(with_formats(entry.told), WIDTH - MARGIN,
                         break_on_hyphens=False)  # fmt: skip
    head = f"  {entry.shown}"
    if len(head) > MARGIN - 2:
        yield head
        head = ""
    for line in text:
        yield f"{head:<{MARGIN}}{line}"
        head = ""


def _check(options: argparse.Namespace, word: str, rule: str) -> None:
    how, _, what = rule.partition(" ")
    terms = re.split(r" or |, ", what)
    held = [term for term in terms if _holds(options, term)]
    if how == "with" and not held:
        meant = [f" ({FACTS[term].meaning})" for term in terms if term in FACTS]
        raise BadInput(f"{word} goes with {what}{''.join(meant)}")
    if how == "without" and held:
        raise BadInput(f"{word} goes without {held[0]}")


def _holds(options: argparse.Namespace, term: str) -> bool:
    if not term.startswith("--"):
        return FACTS[term].holds(options)
    word, _, value = term.partition(" ")
    return bool(getattr(options, _dest(word), None) == value) if value else _given(options, word)


def _given(options: argparse.Namespace, word: str) -> bool:
    """Whether an option of the verb has another value than its default."""
    name = _dest(word)
    return bool(getattr(options, name, None) != options.defaults.get(name))


def _dest(word: str) -> str:
    return word.lstrip("-").replace("-", "_")


@dataclass(frozen=True)
class Outcome:
    """What a verb found: the text or bytes to deliver, and the exit code."""

    content: str | bytes
    code: int = 0


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; the help of a verb is made from its text."""

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Take ``--`` as the value of an option (``--paths=--``), where argparse loses it."""
        if action.option_strings and arg_strings == ["--"]:
            return self._get_value(action, "--")
        return super()._get_values(action, arg_strings)

    def error(self, message: str) -> NoReturn:
        """Print the message and leave."""
        tell(f"hierpair: {' '.join(message.split())}; see {self.prog} --help")
        raise SystemExit(2)


def with_formats(text: str) -> str:
    """Return the text of options with the names of formats, also those that plugins add."""

    def names(found: re.Match[str]) -> str:
        which, kind = found.groups()
        if kind == "probability":
            from hierpair.probabilistic.probability_files import DISTRIBUTION_FORMATS

            return ", ".join(DISTRIBUTION_FORMATS)
        from hierpair import io

        known = io.HIERARCHY_FORMATS if kind == "hierarchy" else io.LABEL_FORMATS
        return ", ".join(known.written_forms if which else known)

    return re.sub(r"<(written )?(hierarchy|label|probability) formats>", names, text)
