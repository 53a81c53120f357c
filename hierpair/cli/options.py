"""Options of a verb as a text that reads like its help: what they are, and with which they go."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import hierpair as hp
from hierpair.cli.output import Meter, as_typed, tell
from hierpair.errors import BadInput, check_choice, did_you_mean, shown
from hierpair.tables.forms import FORMS
from hierpair.tables.records import Content

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

HEAD = re.compile(
    r"(?P<words>(?:--?[\w-]+, )*--[\w-]+)"
    r"(?: \[?(?P<value>\{.*\}|[^\s*\]]+?)(?::(?P<kind>[a-z]+))?(?P<end>[*\]]?))?"
)
DEFAULT = re.compile(r"(.*) \[([^\s\]:]+): ([^\]]+)\]")
RULES = re.compile(r" ?\{((?:with|without) [^}]*)\}")
WIDTH, MARGIN = 80, 24
"""Columns of the help, and those before what an option means."""

PAIR = re.compile(r"([^(=]+(?:\(.*\))?)=(.+)", re.DOTALL)
"""``NAME=VALUE``; the options of a measure have a ``=``, too."""

THRESHOLD = re.compile(r"(?:([^:(]+):)?(.+)=([^=]*)", re.DOTALL)
"""``MEASURE=X`` or ``SYSTEM:MEASURE=X``."""


def _pair(text: str) -> tuple[str, str]:
    found = PAIR.fullmatch(text)
    if found is None or not found[2].strip():
        raise ValueError
    return found[1].strip(), found[2].strip()


def _lists(text: str) -> tuple[str, list[str]]:
    name, listed = _pair(text)
    return name, re.split(r",(?![^()]*\))", listed)  # not at the commas of decayed(w0=1,depth=max)


def _two(text: str) -> list[str]:
    one, other = text.split(",")
    if one == other:
        raise ValueError
    return [one, other]


def _threshold(text: str) -> tuple[str | None, str, float, str]:
    found = THRESHOLD.fullmatch(text)
    if found is None or not math.isfinite(float(found[3])):
        raise ValueError
    return found[1], found[2], float(found[3]), text


KINDS: dict[str, tuple[Callable[[str], Any], str]] = {
    "": (str, "a text"),
    "int": (int, "a whole number"),
    "digits": (lambda text: range(101).index(int(text)), "a whole number from 0 to 100"),
    "float": (float, "a number"),
    "numbers": (lambda text: [*map(int, text.split(","))], "whole numbers such as 100,400"),
    "pair": (_pair, "NAME=VALUE or OLD=NEW"),
    "lists": (_lists, "NAME=VALUE,VALUE"),
    "two": (_two, "two different systems, A,B"),
    "threshold": (_threshold, "MEASURE=X or SYSTEM:MEASURE=X, and X a number"),
}
"""What reads a value, by what stands behind the colon, and what it must be."""


FACTS: dict[str, Callable[[Options], bool]] = {}
"""What stands beside options after ``with`` and ``without``."""


class Options(SimpleNamespace):
    """What was typed after a verb: values by the names of options, and ``files``.

    An option that the verb does not have is None. ``typed`` are the names of options that were
    given, ``said`` the messages so far, ``last`` those for when nothing can fail any more.
    """

    def __init__(self, verb: Verb) -> None:
        entries = {entry.name: entry for entry in verb.entries.values()}
        values = {name: [] if e.many else e.default for name, e in entries.items()}
        super().__init__(verb=verb, files=[], typed=set(), said=[], last=[], **values)

    def __getattr__(self, name: str) -> Any:
        return None

    def take(self, names: str) -> dict[str, Any]:
        """Return options as keywords of a function, some with another name.

        >>> verb = Verb("v", "", "", "", "--jobs N:int  processes [default: 1]", print)
        >>> verb.read(["--jobs", "2"]).take("n_jobs=jobs")
        {'n_jobs': 2}
        """
        pairs = (text.partition("=") for text in names.split())
        return {name: getattr(self, own or name) for name, _, own in pairs}

    def has(self, word: str) -> bool:
        """Whether an option of the verb has another value than its default."""
        entry = self.verb.entries.get(word)
        return entry is not None and getattr(self, entry.name) not in (entry.default, [])

    def say(self, message: str) -> None:
        """Print a message on stderr, unless it should be quiet."""
        self.said.append(message)
        if not self.quiet:
            self.meter.wipe()
            tell(as_typed(message, self.verb.entries))

    @cached_property
    def meter(self) -> Meter:
        """Shows how far the work is."""
        return Meter(self.quiet)


@dataclass(frozen=True)
class Entry:
    """An option, or files, as the text of a verb has it.

    ``word`` is typed, ``name`` that of its value, whose ``kind`` is ``switch`` if it has none; it
    may be given ``many`` times or its value be left out (``may_lack``). ``rules`` are ``with A or
    B`` and ``without A, B``, in which each is an option, an option with a value, or a fact.
    """

    shown: str
    told: str
    rules: list[str]
    words: Sequence[str] = ()
    choices: Sequence[str] = ()
    kind: str = ""
    many: bool = False
    may_lack: bool = False
    default: Any = None

    @property
    def word(self) -> str:
        """What is typed, at length."""
        return max(self.words, key=len)

    @property
    def name(self) -> str:
        """What its value is called."""
        return _name(self.word)

    def read(self, text: str) -> Any:
        """Return the value that a text stands for."""
        what = f"argument {'/'.join(self.words)}:"
        if self.choices:
            check_choice(what, text, self.choices)
        reader, meaning = KINDS[self.kind]
        try:
            return reader(text)
        except ValueError:
            raise BadInput(f"{what} must be {meaning}, got {shown(text)}") from None


@dataclass(frozen=True)
class Group:
    """Options under a title; those of a rare group are only named in the short help."""

    title: str
    about: str
    rare: bool
    rules: list[str]
    entries: list[Entry]

    @property
    def heading(self) -> str:
        """The title, with what all its options go."""
        return f"{self.title} ({'; '.join(self.rules)})" if self.rules else self.title


def groups_of(text: str) -> list[Group]:
    """Return the groups of options that a text describes.

    Each option starts a line: its words, what stands for its value, and after two spaces what it
    means. Without a value it is a switch; ``{a,b}`` is a choice, of which ``[{a,b}]`` may be left
    out and is the first then, ``N:int`` one of :data:`KINDS`, and ``NAME*`` may be given several
    times. ``[default: x]`` is a default, ``[x: in words]`` one that is told in words. ``FILE…`` are
    files. ``# title | more`` begins a group, ``## title`` one that is rarely used; of a group whose
    title ends in ``one of`` only one can be given. ``{with --a or --b x; without --c}`` says with
    which it goes, of an option or of a whole group.

    >>> [group] = groups_of('''
    ... # looks
    ... --picture FILE   where to draw
    ... --view {a,b}     what is shown [default: a] {with --picture}
    ... ''')
    >>> [entry.rules for entry in group.entries]
    [[], ['with --picture']]
    """
    at = Group("", "", False, [], [])
    groups = {"": at}
    for entry in re.split(r"\n(?=\S)", text.strip()):
        line = " ".join(entry.split())
        rules = [rule for found in RULES.findall(line) for rule in found.split("; ")]
        if line.startswith("#"):
            title, _, more = RULES.sub("", line).lstrip("# ").partition(" | ")
            at = groups.pop(title, None) or Group(title, more, line[1] == "#", rules, [])
            groups[title] = at
        else:
            head, words = re.split(r"\s{2,}|\n", entry, maxsplit=1)
            at.entries.append(_entry(head, RULES.sub("", " ".join(words.split())), rules))
    return [group for group in groups.values() if group.entries]


def _entry(head: str, told: str, rules: list[str]) -> Entry:
    found = HEAD.fullmatch(head)
    if found is None:
        return Entry(head.replace("…", " …"), told, rules)
    value, kind, end = found["value"], found["kind"] or "", found["end"]
    default: Any = None if value else False
    notes = rules
    if said := DEFAULT.fullmatch(told):
        told, notes = said[1], [f"default: {said[3]}", *rules]
        default = KINDS[kind][0](said[3] if said[2] == "default" else said[2])
    if notes:
        told = f"{told} ({'; '.join(notes)})"
    return Entry(
        re.sub(r"(:[a-z]+)?\*?$", "", head), told, rules, found["words"].split(", "),
        value[1:-1].split(",") if value and value[0] == "{" else [],
        kind if value else "switch", end == "*", end == "]", default,
    )  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """What a verb found: what is delivered as it is or shown in a form, and the exit code."""

    content: str | bytes | Content
    code: int = 0


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
    run: Callable[[Options], Outcome | Content | str]
    formats: Sequence[str] | None = None

    @cached_property
    def groups(self) -> list[Group]:
        """Its options and those of all verbs."""
        text = COMMON.format(forms=", ".join(FORMS if self.formats is None else self.formats))
        if self.formats is not None and not self.formats:
            text = re.sub(r"--format.*\n", "", text)
        return groups_of(f"{self.options}\n{text}")

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """Its options by what is typed."""
        return {word: entry for group in self.groups for entry in group.entries
                for word in entry.words}  # fmt: skip

    def read(self, words: Sequence[str]) -> Options:
        """Return the options; files may stand among them.

        Raises
        ------
        BadInput
            For an option that there is not, or a value that it cannot have.
        """
        options, rest = Options(self), [*words]
        while rest:
            word = rest.pop(0)
            if word == "--":
                options.files += rest
                break
            if not word.startswith("-") or word == "-":
                options.files.append(word)
                continue
            name, equals, text = word.partition("=")
            entry = self.entries.get(name)
            if entry is None:
                raise BadInput(f"unrecognized arguments: {word}{self._meant(name)}")
            value: Any = True
            if entry.kind == "switch":
                if equals:
                    raise BadInput(f"argument {name}: it takes no value, got {shown(text)}")
            elif equals:
                value = entry.read(text)
            elif entry.may_lack and not (rest and rest[0] in entry.choices):
                value = entry.choices[0]
            elif not rest or rest[0] in self.entries:
                raise BadInput(f"argument {name}: a value is missing")
            else:
                value = entry.read(rest.pop(0))
            if entry.many:
                value = [*getattr(options, entry.name), value]
            setattr(options, entry.name, value)
            options.typed.add(entry.name)
        return options

    def _meant(self, word: str) -> str:
        """Return what an option that there is not may be meant to be."""
        name = _name(word)
        if "--set" in self.entries and name in hp.measures.OPTIONS:
            return f"; a convention is given as --set {name}=VALUE, or in the name of a measure"
        return did_you_mean(word, self.entries)

    def help_text(self, *, everything: bool) -> str:
        """Return the help; options that are rarely used are only named unless all are wanted."""
        files = "".join(f" {e.shown}" for g in self.groups for e in g.entries if not e.words)
        lines = [f"usage: hierpair {self.name} [options]{files}", "", *_wrapped(self.description),
                 "", "example:", f"  {self.example}"]  # fmt: skip
        for group in self.groups:
            lines += ["", *([f"{group.heading}:"] if group.title else [])]
            if group.rare and not everything:
                lines += _wrapped(", ".join(e.word for e in group.entries), "  ", "  ")
                continue
            lines += _wrapped(group.about, "  ", "  ")
            for entry in group.entries:
                head = f"  {entry.shown}"
                if len(head) > MARGIN - 2:
                    lines.append(head)
                    head = ""
                lines += _wrapped(entry.told, f"{head:<{MARGIN}}", " " * MARGIN)
        if not everything and any(group.rare for group in self.groups):
            lines += ["", f"What the last options mean: hierpair {self.name} --help-all"]
        return "\n".join(lines)

    def check(self, options: Options) -> None:
        """Refuse an option that is given beside what it does not go with; both are named."""
        for group in self.groups:
            given = [e.word for e in group.entries if e.words and options.has(e.word)]
            if group.title.endswith("one of") and len(given) > 1:
                raise BadInput(f"{given[0]} goes without {given[1]}")
            for word in given:
                for rule in (*self.entries[word].rules, *group.rules):
                    how, _, what = rule.partition(" ")
                    held = [term for term in re.split(r" or |, ", what) if _holds(options, term)]
                    if how == "with" and not held:
                        raise BadInput(f"{word} goes with {what}")
                    if how == "without" and held:
                        raise BadInput(f"{word} goes without {held[0]}")


def _wrapped(text: str, first: str = "", others: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=others,
                         break_on_hyphens=False)  # fmt: skip


def _holds(options: Options, term: str) -> bool:
    if term in FACTS:
        return FACTS[term](options)
    word, _, value = term.partition(" ")
    return bool(getattr(options, _name(word)) == value) if value else options.has(word)


def _name(word: str) -> str:
    return word.lstrip("-").replace("-", "_")
