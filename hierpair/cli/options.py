"""Options of a verb as a text that reads like its help: what they are, and with which they go."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import hierpair as hp
from hierpair.cli.output import as_typed, tell
from hierpair.errors import BadInput, check_choice, close_names, did_you_mean, shown
from hierpair.tables.forms import FORMS
from hierpair.tables.records import Content

COMMON = """
# output and messages
-o, --output FILE  write to a file; if anything fails, it stays as it was
--format FORM      {forms} (default: by the ending of -o, else text)
-q, --quiet        no messages and no progress on stderr
--plugin FILE.py*  load measures of your own (repeatable)
## rarely needed
--csv-safe         put an apostrophe before texts that a spreadsheet would run as formulas
                   {{with --format csv or --format tsv}}
--debug            show a traceback for internal errors
"""
"""Options that every verb has."""

HEAD = re.compile(
    r"(?P<words>(?:--?[\w-]+, )*--[\w-]+)"
    r"(?: \[?(?P<value>\{.*\}|[^\s*\]]+?)(?::(?P<kind>[a-z]+))?(?P<end>[*\]]?))?"
)
DEFAULT = re.compile(r"(.*) \[default: ([^\]]+)\]")
RULES = re.compile(r" ?\{((?:with|without) [^}]*)\}")
WIDTH, MARGIN = 80, 24
"""Columns of the help, and those before what an option means."""

PAIR = r"\s*([^(=]+?(?:\(.*\))?)\s*=\s*(.*\S)\s*"
"""``NAME=VALUE``; the options of a measure have a ``=``, too."""


FILE_WORDS = ["tree", "hierarchy", "taxonomy", "truth", "gold", "run", "predictions"]
"""What people call options for files, which have none."""

APART = r",(?![^()]*\))"
"""A comma between values, none of those of decayed(w0=1,depth=max)."""


def _least(text: str) -> Any:
    if "=" not in text:
        return float(text)
    pairs = [pair.split("=") for pair in text.split(",")]
    found = {int(level): float(x) for level, x in pairs}
    if len(found) < len(pairs):
        raise ValueError
    return found


KINDS: dict[str, tuple[str, Callable[..., Any], str]] = {
    "": ("(.*)", str, "a text"),
    "int": ("(.*)", int, "a whole number"),
    "some": (r"(0*[1-9]\d*)", int, "a whole number of at least 1"),
    "digits": (r"(\d\d?|100)", int, "a whole number from 0 to 100"),
    "float": ("(.*)", float, "a number"),
    "positive": (r"(?=[\d.]*[1-9])(\d*\.?\d*)", float, "a number above 0"),
    "step": (
        r"(0?\.(?!0*$)\d{1,6})",
        float,
        "a number below 1 with at most 6 decimals, as 0.01",
    ),
    "least": ("(.*)", _least, "a number, or by level as in 1=0.9,2=0.8"),
    "numbers": ("(.*)", lambda x: [*map(int, x.split(","))], "whole numbers such as 100,400"),
    "names": ("(.*)", lambda x: (*map(str.strip, x.split(",")),), "names such as one,two"),
    "pair": (PAIR, lambda *pair: pair, "NAME=VALUE"),
    "lists": (PAIR, lambda name, x: (name, re.split(APART, x)), "NAME=VALUE,VALUE"),
    "two": (r"([^,]*),(?!\1$)([^,]*)", lambda *two: two, "two different systems, A,B"),
    "threshold": (
        r"((?:([^:(]+):)?(.+)=([-+]?[\d.][^=]*))",
        lambda text, system, name, bound: (system, name, float(bound), text),
        "MEASURE=X or SYSTEM:MEASURE=X, and X a number",
    ),
}
"""How a value is written, what makes it of the parts, and what it must be, by its kind."""


def read_as(kind: str, text: str) -> Any:
    """Return the value of a kind that a text stands for, or raise ValueError."""
    pattern, made, _ = KINDS[kind]
    found = re.fullmatch(pattern, text, re.DOTALL)
    if found is None:
        raise ValueError
    return made(*found.groups())


CONVENTIONS = (
    ": a preset has the conventions of its tool; for others name the measures, such as "
    "-m hf --set root=include"
)
"""What to do where a preset and a convention are wanted."""

Keywords = dict[str, Any]

FACTS: dict[str, Callable[[Options], bool]] = {}
"""What stands beside options after ``with`` and ``without``."""


class Options(SimpleNamespace):
    """What was typed after a verb: ``files``, and values by the names of options (or None).

    ``typed`` are the options that were given, ``said`` the messages so far, ``last`` those for when
    nothing can fail any more.
    """

    def __init__(self, verb: Verb) -> None:
        entries = {entry.name: entry for entry in verb.entries.values()}
        values = {name: [] if e.many else e.default for name, e in entries.items()}
        super().__init__(verb=verb, files=[], typed=set(), said=[], last=[], **values)

    def __getattr__(self, name: str) -> Any:
        return None

    def take(self, names: str) -> Keywords:
        """Return options as keywords of a function, some with another name.

        >>> verb = Verb("v", "", "", "", "--jobs N:int  processes [default: 1]", print)
        >>> verb.read(["--jobs", "2"]).take("n_jobs=jobs")
        {'n_jobs': 2}
        """
        pairs = (text.partition("=") for text in names.split())
        return {name: getattr(self, own or name) for name, _, own in pairs}

    def has(self, word: str) -> bool:
        """Whether an option of the verb was given, also with its default, or has another value."""
        entry = self.verb.entries.get(word)
        return entry is not None and (
            entry.name in self.typed or getattr(self, entry.name) not in (entry.default, [])
        )

    def say(self, *messages: str) -> None:
        """Print messages on stderr, each once, unless it should be quiet."""
        for message in messages:
            if message not in self.said:
                self.said.append(message)
                if not self.quiet:
                    self.meter.write("")
                    tell(as_typed(message, self.verb.entries))

    @cached_property
    def meter(self) -> Any:
        """Shows how far the work is."""
        from hierpair.evaluation.progress import Meter

        return Meter(not self.quiet and getattr(sys.stderr, "isatty", bool)())


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

    @property
    def barred(self) -> set[str]:
        """Options beside which it cannot stand."""
        return {x for rule in self.rules if rule[:8] == "without " for x in rule[8:].split(", ")}

    def read(self, text: str) -> Any:
        """Return the value that a text stands for."""
        if self.choices:
            check_choice(self.word, text, self.choices)
        try:
            return read_as(self.kind, text)
        except ValueError:
            wanted = KINDS[self.kind][-1]
            raise BadInput(f"{self.word} must be {wanted}, got {shown(text)}") from None


@dataclass(frozen=True)
class Group:
    """Options under a title; those of a rare group are only named in the short help."""

    title: str
    rare: bool
    rules: list[str]
    entries: list[Entry]

    @property
    def one_of(self) -> bool:
        """Whether only one of its options can be given, as of questions."""
        return self.title.endswith("one of")

    @property
    def heading(self) -> str:
        """The title, with what all its options go."""
        return f"{self.title} ({'; '.join(self.rules)})" if self.rules else self.title


def groups_of(text: str) -> list[Group]:
    """Return the groups of options that a text describes.

    Each option starts a line: its words, what stands for its value, and after two spaces what it
    means. Without a value it is a switch; ``{a,b}`` is a choice, of which ``[{a,b}]`` may be left
    out and is the first then, ``N:int`` one of :data:`KINDS`, and ``NAME*`` may be given several
    times. ``[default: x]`` is a default. ``FILE…`` are files. ``# title`` begins a group, ``##
    title`` one that is rarely used; of a group whose title ends in ``one of`` only one can be
    given. ``{with --a or --b x; without --c}`` says with which it goes, of an option or of a whole
    group.
    """
    at = Group("", False, [], [])
    groups = {"": at}
    for entry in re.split(r"\n(?=\S)", text.strip()):
        line = " ".join(entry.split())
        rules = [rule for found in RULES.findall(line) for rule in found.split("; ")]
        if line.startswith("#"):
            title = RULES.sub("", line).lstrip("# ")
            at = groups.pop(title, Group(title, line[1] == "#", rules, []))
            groups[title] = at
        else:
            head, words = re.split(r"\s{2,}|\n", entry, maxsplit=1)
            at.entries.append(_entry(head, RULES.sub("", " ".join(words.split())), rules))
    return [*groups.values()]


def _entry(head: str, told: str, rules: list[str]) -> Entry:
    found = HEAD.fullmatch(head)
    if found is None:
        return Entry(head.replace("…", " …"), told, rules)
    value, kind, end = found["value"], found["kind"] or "", found["end"]
    default: Any = None if value else False
    notes = rules
    if said := DEFAULT.fullmatch(told):
        told, notes = said[1], [f"default: {said[2]}", *rules]
        default = read_as(kind, said[2])
    if notes:
        told = f"{told} ({'; '.join(notes)})"
    return Entry(
        re.sub(r"(:[a-z]+)?\*?$", "", head), told, rules, found["words"].split(", "),
        value[1:-1].split(",") if value and value[0] == "{" else [],
        kind if value else "switch", end == "*", end == "]", default,
    )  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """What a verb found: what is delivered as it is or shown in a form, and the exit code."""

    content: str | bytes | Content
    code: int = 0


@dataclass(frozen=True)
class Verb:
    """What comes after ``hierpair``; of no ``formats`` of the output there is no choice."""

    name: str
    help: str
    description: str
    example: str
    options: str
    run: Callable[[Options], Answer | Content | str]
    formats: Collection[str] = field(default_factory=lambda: FORMS)

    @cached_property
    def groups(self) -> list[Group]:
        """Its options and those of all verbs."""
        text = COMMON.format(forms=", ".join(self.formats))
        if "csv" not in self.formats:
            text = re.sub(r"--csv-safe.*\n.*\n", "", text)
        if not self.formats:
            text = re.sub(r"--format.*\n", "", text)
        return groups_of(f"{self.options}\n{text}")

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """Its options by what is typed."""
        return {word: entry for group in self.groups for entry in group.entries
                for word in entry.words}  # fmt: skip

    def read(self, words: Sequence[str]) -> Options:
        """Return the options, or refuse one that there is not; files may stand among them."""
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
                raise BadInput(f"there is no option {word}{self._meant(name)}")
            value: Any = True
            if entry.kind == "switch":
                if equals:
                    raise BadInput(f"{name} takes no value, got {shown(text)}")
            elif entry.may_lack and not (equals or (rest and _is_meant(rest[0], entry.choices))):
                value = entry.choices[0]
            elif not equals and (not rest or rest[0] in self.entries):
                raise BadInput(f"{name} needs a value: {entry.shown}")
            else:
                value = entry.read(text if equals else rest.pop(0))
            if entry.many:
                value = [*getattr(options, entry.name), value]
            elif entry.name in options.typed and entry.kind in ("names", "numbers"):
                raise BadInput(f"{name} is given twice; write one list, with commas")
            setattr(options, entry.name, value)
            options.typed.add(entry.name)
        return options

    def _meant(self, word: str) -> str:
        """Return what an option that there is not may be meant to be."""
        name = _name(word)
        if name.startswith("metric") and "--measures" in self.entries:
            return "; measures are named with -m or --measures"
        if "--set" in self.entries and name in hp.measures.OPTIONS:
            return f"; a convention is given as --set {name}=VALUE, or in the name of a measure"
        if "--hierarchy-format" in self.entries and name in FILE_WORDS:
            return "; files are named without options, the hierarchy first"
        return did_you_mean(word.lstrip("-"), self.entries)  # dashes make all alike

    def help_text(self, *, everything: bool) -> str:
        """Return the help; options that are rarely used are only named unless all are wanted."""
        files = "".join(f" {e.shown}" for g in self.groups for e in g.entries if not e.words)
        lines = [f"usage: hierpair {self.name} [options]{files}", "", *_wrapped(self.description),
                 "", "example:", f"  {self.example}"]  # fmt: skip
        for group in self.groups:
            lines += ["", f"{group.heading}:"] if group.title else [""]
            if group.rare and not everything:
                lines += _wrapped(", ".join(e.word for e in group.entries), "  ", "  ")
                continue
            for entry in group.entries:
                head = f"  {entry.shown}".ljust(MARGIN)
                fits = head[MARGIN - 2 :] == "  "
                lines += [] if fits else [head.rstrip()]
                lines += _wrapped(entry.told, head if fits else " " * MARGIN, " " * MARGIN)
        if not everything and any(group.rare for group in self.groups):
            lines += ["", f"What the last options mean: hierpair {self.name} --help-all"]
        return "\n".join(lines)

    def check(self, options: Options) -> None:
        """Refuse an option that is given beside what it does not go with; both are named."""
        for group in self.groups:
            given = [e.word for e in group.entries if e.words and options.has(e.word)]
            if group.one_of and len(given) > 1:
                raise BadInput(f"{given[0]} cannot be given with {given[1]}")
            for word in given:
                for rule in (*self.entries[word].rules, *group.rules):
                    how, _, what = rule.partition(" ")
                    held = [term for term in re.split(r" or |, ", what) if _holds(options, term)]
                    if how == "with" and not held:
                        none = "labels" in what and not (options.files or options.case)
                        lack = ", and no file is named" if none else ""
                        raise BadInput(f"{word} needs {what}{lack}")
                    if how == "without" and held:
                        mend = CONVENTIONS if {word, held[0]} == {"--set", "--preset"} else ""
                        raise BadInput(f"{word} cannot be given with {held[0]}{mend}")


def _is_meant(word: str, choices: Sequence[str]) -> bool:
    """Whether a word is a choice, or one that is misspelled, and no option and no file."""
    other = word.startswith("-") or os.path.lexists(word.rpartition("=")[2])
    return word in choices or (not other and bool(close_names(word, choices)))


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
