"""One entry per form of a file: how it is read, written and known; and the registries of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from hierpair.errors import BadInput, did_you_mean
from hierpair.io.files import FilePath
from hierpair.io.text import read_bytes, read_text, split_lines

if TYPE_CHECKING:
    from hierpair.io.records import Records

Content = TypeVar("Content")

COMMENT = re.compile("#(#| |$)")

Trouble = Callable[[str], None]
"""What to do with a fault of a line: stop, or collect it and go on with the next line."""


def stop(message: str) -> None:
    """Raise the fault; the way of all readers but the lint's."""
    raise BadInput(message)


@dataclass(eq=False)
class Source:
    """A file that is being read; it is opened when its content is first asked for.

    What a reader returns should hold on to ``path`` alone: the source holds the whole file.

    Attributes
    ----------
    path
        The file; ``-`` is standard input.
    options
        What the caller said about the file, by the names of the reader's keywords.
    trouble
        What to do with a faulty line: by default it is an error.
    plain
        What takes plain lines apart, if not texts of Python are wanted; see
        ``hierpair.io.records.split_batches``.
    """

    path: FilePath
    options: Mapping[str, Any] = field(default_factory=dict)
    trouble: Trouble = stop
    plain: Callable[..., Any] | None = None

    def fault(self, line: int | str, said: str) -> None:
        """Tell what is wrong with a line; 0 is the file."""
        self.trouble(f"{self.place(line)}: {said}")

    def place(self, line: int | str) -> str:
        """Return what a line is called in errors; 0 is the file."""
        return f"{self.path}:{line}" if line else str(self.path)

    @property
    def ending(self) -> str:
        """The ending of the file without ``.gz``, in small letters."""
        return Path(str(self.path).removesuffix(".gz")).suffix.lower()

    @cached_property
    def text(self) -> str:
        """The text of a UTF-8 file, decompressed; sizes are limited."""
        return read_text(self.path)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text without their ends."""
        return split_lines(self.path, self.text)

    def _filled(self) -> Iterator[tuple[int, str]]:
        is_text = (k for k, line in enumerate(self.lines) if not COMMENT.match(line))
        first = next(is_text, 0)
        numbered = enumerate(self.lines[first:] if first else self.lines, first + 1)
        return ((i, line) for i, line in numbered if line.strip())

    @cached_property
    def content(self) -> list[tuple[int, str]]:
        """The lines that are not blank, from 1, without comments at the beginning.

        These are lines that begin with ``# `` or ``##``: a class may be called ``#news``.
        """
        return list(self._filled())

    @property
    def head(self) -> str:
        """The first of these lines; there may be none."""
        return next(self._filled(), (0, ""))[1]

    @cached_property
    def rows(self) -> list[tuple[int, list[str]]]:
        """The same lines split by tabs or, without any tab in the file, by blanks."""
        if "\t" in self.text:
            return [(i, [f.strip() for f in x.split("\t")]) for i, x in self._filled()]
        return [(i, x.split()) for i, x in self._filled()]

    @cached_property
    def data(self) -> bytes:
        """The bytes of a file of arrays or tables."""
        return read_bytes(self.path, binary=True)


@dataclass(frozen=True)
class Format(Generic[Content]):
    """One form of files.

    Attributes
    ----------
    name
        What ``fmt=`` and the command line call it.
    summary
        What a file of this form looks like, in one line.
    read
        Takes a :class:`Source`, returns what it says: an :class:`hierpair.io.EdgeList` for
        hierarchies, :class:`hierpair.labels.LabelRows` for labels.
    write
        Takes a hierarchy, or label sets and their hierarchy; returns the content of a file. None
        for a form that is only read.
    detect
        Whether a source looks like this form; None for a form that is only chosen by its name or
        ending.
    endings
        Endings that tell this form, such as ``".obo"``.
    options
        Options of the caller that mean something to the reader.
    notes
        Takes what is written; returns sentences about what this form cannot hold.
    titles
        Takes a source, returns the names of its columns; None for forms without named columns.
    records
        Takes a source, of which only the beginning may be known, and its lines, which may come one
        by one; returns ``hierpair.io.records.Records``. None for a form that is only read at once.

    Examples
    --------
    A form of one's own is added once, and known to readers, writers and the command line:

    >>> from hierpair.io import LABEL_FORMATS
    >>> from hierpair.labels import LabelRows
    >>> def read(source):
    ...     rows, path = [line.split("+") for line in source.lines], source.path
    ...     return LabelRows(rows, lambda i, k: f"{path}:{i + 1}")
    >>> form = LABEL_FORMATS.add(Format("plus", "labels joined by plus signs", read))
    >>> "plus" in LABEL_FORMATS
    True
    >>> LABEL_FORMATS.remove("plus")
    """

    name: str
    summary: str
    read: Callable[[Source], Content]
    write: Callable[..., str | bytes] | None = None
    detect: Callable[[Source], bool] | None = None
    endings: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    notes: Callable[[Any], list[str]] = lambda _: []
    titles: Callable[[Source], list[str]] | None = None
    records: Callable[[Source, Iterator[str]], Records] | None = None


class Formats(dict[str, Format[Content]]):
    """The forms of one kind of content by name; to detect one, the last one is asked first.

    Parameters
    ----------
    what
        What an unknown name is called in errors, such as ``"label format"``.
    written
        What cannot be written in a form without writer, such as ``"labels"``.
    formats
        The forms, the plainest first; the first one should recognise everything.
    """

    def __init__(self, what: str, written: str, formats: Iterable[Format[Content]]) -> None:
        super().__init__((form.name, form) for form in formats)
        self.what, self.written = what, written

    def add(self, form: Format[Content]) -> Format[Content]:
        """Add a form, which is asked before all others; one of the same name is replaced."""
        if form.name == "auto":
            raise BadInput("no format can be called 'auto', which chooses one of them")
        self.pop(form.name, None)
        self[form.name] = form
        return form

    def remove(self, name: str) -> None:
        """Take a form away."""
        del self[name]

    @property
    def written_forms(self) -> list[str]:
        """The names of the forms that can be written."""
        return [name for name, form in self.items() if form.write is not None]

    def check(self, name: str) -> None:
        """Refuse a name that is neither ``"auto"`` nor a form."""
        if name != "auto" and name not in self:
            raise BadInput(
                f"unknown {self.what} {name!r}; it is one of {', '.join(['auto', *self])}"
                f"{did_you_mean(name, self)}"
            )

    def of_ending(self, path: FilePath) -> str:
        """Return the form that the ending of a file tells, or ``"auto"``."""
        ending = Source(path).ending
        asked = reversed(self.values())
        return next((form.name for form in asked if ending in form.endings), "auto")

    def choose(self, source: Source, name: str = "auto") -> Format[Content]:
        """Return the form of this name, or the first one whose ending or content fits."""
        self.check(name)
        name = self.of_ending(source.path) if name == "auto" else name
        if name != "auto":
            return self[name]
        return next(form for form in reversed(self.values()) if form.detect and form.detect(source))

    def written_as(self, name: str, *content: Any) -> tuple[str | bytes, list[str]]:
        """Return the content of a file of this form, and notes about what the form cannot hold."""
        write = self[name].write if name in self else None
        if write is None:
            raise BadInput(
                f"{self.written} cannot be written as {name!r}; it is one of "
                f"{', '.join(self.written_forms)}{did_you_mean(name, self.written_forms)}"
            )
        return write(*content), self[name].notes(content[0])
