"""Forms of files: one entry each, their registries, the records of texts, and written names."""

from __future__ import annotations

import csv
import json
import re
from collections import UserDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, dropwhile, islice, pairwise
from operator import methodcaller
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from hierpair.errors import BadInput, check_choice, counted, first_repeated, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.building import Tell
from hierpair.hierarchy.edge_list import refuse
from hierpair.io.files import FilePath
from hierpair.io.text import LONGEST_LINE, lines_in_blocks, read_bytes, read_text, split_lines
from hierpair.labels import Columns, LabelSets

Content = TypeVar("Content")

COMMENT = re.compile("#(#| |$)")


@dataclass(eq=False)
class Source:
    """A file that is being read; it is opened when its content is first asked for.

    ``path`` may be ``-``, standard input. ``options`` are what the caller said about the file, by
    the names of the reader's keywords; ``trouble`` is told of a faulty line, by default an error.
    What a reader returns should hold on to ``path`` alone: the source holds the whole file, or
    where that is read ``in_parts`` its first lines.
    """

    path: FilePath
    options: Mapping[str, Any] = field(default_factory=dict)
    trouble: Tell = refuse
    in_parts: bool = False

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
        if self.in_parts:
            return "\n".join([*next(lines_in_blocks(self.path)), ""])
        return read_text(self.path)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text without their ends."""
        return split_lines(self.path, self.text)

    def every_line(self) -> Iterator[str]:
        """Yield all lines, which need not be in memory together."""
        blocks = lines_in_blocks(self.path) if self.in_parts else [self.lines]
        return chain.from_iterable(blocks)

    @cached_property
    def content(self) -> tuple[Sequence[int], list[str]]:
        """The numbers, from 1, and the lines that are not blank, without comments at the beginning.

        These are lines that begin with ``##``, or ``#`` and a blank: ``#news`` may be a class.
        """
        said = dropwhile(lambda k: COMMENT.match(self.lines[k]), range(len(self.lines)))
        filled = [k for k in said if self.lines[k].strip()]
        return [k + 1 for k in filled], [self.lines[k] for k in filled]

    @property
    def head(self) -> str:
        """The first of these lines; there may be none."""
        return [*self.content[1][:1], ""][0]

    @cached_property
    def rows(self) -> tuple[Sequence[int], list[list[str]]]:
        """The same lines split by tabs or, without any tab in the file, by blanks."""
        sign = "\t" if "\t" in self.text else None
        numbers, lines = self.content
        return numbers, [[*map(str.strip, line.split(sign))] for line in lines]

    @cached_property
    def data(self) -> bytes:
        """The bytes of a file of arrays or tables."""
        return read_bytes(self.path)


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
    titled
        Whether its columns have names.
    table
        Takes a source and returns ``hierpair.io.formats.TableRows``, rows that come some at a
        time; None for a form that is only read at once.

    Examples
    --------
    A form of one's own is added once, and known to readers, writers and the command line:

    >>> from hierpair.io import LABEL_FORMATS
    >>> from hierpair.labels import LabelRows
    >>> def read(source):
    ...     rows, path = [line.split("+") for line in source.lines], source.path
    ...     return LabelRows(rows, lambda i, k: f"{path}:{i + 1}")
    >>> LABEL_FORMATS["plus"] = Format("plus", "labels joined by plus signs", read)
    >>> del LABEL_FORMATS["plus"]
    """

    name: str
    summary: str
    read: Callable[[Source], Content]
    write: Callable[..., str | bytes] | None = None
    detect: Callable[[Source], bool] | None = None
    endings: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    notes: Callable[[Any], list[str]] = lambda _: []
    titled: bool = False
    table: Callable[[Source], TableRows] | None = None


class Formats(dict[str, Format[Content]]):
    """The forms of one kind of content by name; to detect one, the last one is asked first.

    Parameters
    ----------
    what
        What an unknown name is called in errors, such as ``"label format"``.
    written
        What is written, such as ``"labels"``.
    formats
        The forms, the plainest first; the first one should recognise everything.
    """

    def __init__(self, what: str, written: str, formats: Iterable[Format[Content]]) -> None:
        super().__init__((form.name, form) for form in formats)
        self.what, self.written = what, written

    @property
    def written_forms(self) -> list[str]:
        """The names of the forms that can be written."""
        return [name for name, form in self.items() if form.write is not None]

    def check(self, name: str) -> None:
        """Refuse a name that is neither ``"auto"`` nor a form."""
        check_choice(f"the {self.what}", name, ["auto", *self])

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
        check_choice(f"the format for writing {self.written}", name, self.written_forms)
        write: Any = self[name].write
        return write(*content), self[name].notes(content[0])


TABLE_OPTIONS = tuple(Columns.__dataclass_fields__)
"""All that can be said about a table with named columns."""

Row = tuple[Any, ...]
"""The line on which a row of a text begins, or another place, and what is in it."""

Table = tuple[Sequence[Any], Mapping[str, Any]]
"""The lines of some rows, and their columns by name."""

Fields = tuple[int, list[str]]
"""The line on which a row starts, and its fields."""

BATCH_CHARACTERS, STEP = 2**25, 2**12
"""Lines that are read at a time hold about so many characters; they are looked at step by step."""


class LazyColumns(UserDict[str, Any]):
    """Columns by name, each made by a function when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        return super().__getitem__(name)()


@dataclass(frozen=True, eq=False)
class TableRows:
    """A file as rows that come some at a time, so that it may be of any size.

    ``batches`` takes how many rows are wanted at a time (None: all). ``meaning`` is what the form
    itself says that columns mean; ``header`` is what to do if the first row is one. A row stands
    at ``mark`` and its number. ``groups`` are the sizes of groups of rows that can be read on
    their own, None where only reading tells.
    """

    names: tuple[str, ...]
    batches: Callable[[int | None], Iterator[Table]]
    meaning: Mapping[str, Any] = field(default_factory=dict)
    hint: str = ""
    header: str | None = None
    mark: str = ":"
    groups: Sequence[int] | None = None

    def whole(self) -> Table:
        """Return the numbers of all rows, and their columns by name."""
        return next(self.batches(None), ([], {name: [] for name in self.names}))


def tables_of(names: Sequence[str], rows: Iterable[Row], n: int | None) -> Iterator[Table]:
    """Yield the lines and the columns of so many rows at a time; None: of all."""
    several, width = iter(rows), len(names) + 1
    while some := list(islice(several, n)):
        flat = list(chain.from_iterable(some))
        yield flat[::width], {name: flat[k::width] for k, name in enumerate(names, start=1)}


def quoted_rows(
    path: FilePath, lines: Iterable[str], sign: str, first: int = 1
) -> Iterator[Fields]:
    """Yield the line on which each row starts, and its fields, which may be quoted."""
    csv.field_size_limit(LONGEST_LINE)
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=sign, strict=True)
    start = first
    try:
        for fields in reader:
            yield start, fields
            start = first + reader.line_num
    except csv.Error as error:
        reason = str(error).replace(
            "unexpected end of data", "a quotation mark opens here and none closes it"
        )
        raise BadInput(f"{path}:{start}: not CSV: {reason}") from None


def split_batches(
    source: Source, lines: Iterator[str], names: Sequence[str], sign: str | None, first: int,
    *form: Any,
) -> Callable[[int | None], Iterator[Table]]:  # fmt: skip
    """Return what yields the rows of a text some at a time; ``form`` as for :func:`table_rows`.

    Fields between commas may be quoted; without a sign blanks separate them.
    """
    width, at_once = len(names), _arrow_fields if source.in_parts else _plain_fields

    def batches(n: int | None) -> Iterator[Table]:
        number = first
        while some := list(lines) if n is None else _some(lines, n):
            numbers = range(number, number := number + len(some))
            rows: Iterable[Fields] = zip(numbers, (x.split(sign) for x in some), strict=True)
            if sign == "," and '"' in "".join(some):
                rows = quoted_rows(source.path, chain(some, lines), sign, numbers[0])
            elif sign and (flat := at_once(some, sign, width)) is not None:  # as nearly always
                yield numbers, {name: flat[k::width] for k, name in enumerate(names)}
                continue
            kept = table_rows(source, rows, width, *form)
            yield from tables_of(names, ((k, *fields) for k, fields in kept), n)

    return batches


def table_rows(
    source: Source, rows: Iterable[Fields], width: int = 0, least: int = 0, wanted: str = "",
    mend: str = "",
) -> Iterator[Fields]:  # fmt: skip
    """Yield rows of so many fields; blank rows are none, and further fields must be blank."""
    for number, fields in rows:
        if not any(map(str.strip, fields)):
            continue
        width = width or len(fields)
        if len(fields) < (least or width) or any(map(str.strip, fields[width:])):
            said = wanted or f"{width} fields as in the header"
            source.fault(number, f"expected {said}, got {counted(len(fields), 'field')}{mend}")
        else:
            yield number, [*fields[:width], *[""] * (width - len(fields))]
    if not width:
        raise BadInput(f"{source.path}: the file has no header")


def _some(lines: Iterator[str], n: int) -> list[str]:
    found, size = list[str](), 0
    while size < BATCH_CHARACTERS and (more := list(islice(lines, min(STEP, n - len(found))))):
        found += more
        size += sum(map(len, more))
    return found


def _plain_fields(lines: list[str], sign: str, width: int) -> list[str] | None:
    """Return the fields of lines that all have as many and begin with a text, or None."""
    fields = sign.join(lines).split(sign)
    plain = set(map(methodcaller("count", sign), lines)) == {width - 1}
    return fields if plain and all(map(str.strip, fields[::width])) else None


def _arrow_fields(lines: list[str], sign: str, width: int) -> Any:
    """Return the same as an array of Arrow."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = pc.split_pattern(pa.array(lines, pa.string()), sign)
    fields = rows.flatten()
    blank = pc.equal(pc.binary_length(pc.utf8_trim_whitespace(fields[::width])), 0)
    plain = pc.all(pc.equal(pc.list_value_length(rows), width)).as_py()
    return fields if plain and not pc.any(blank).as_py() else None


NUL = re.compile(r"(?<!\\)(\\\\)*\\u0000")
"""The character in JSON, not a backslash before these letters."""


def parse_json(path: FilePath, text: str) -> Any:
    """Return the value of a JSON text; repeated keys, NaN, NUL and half characters are refused."""
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
        if "\\u0000" in text and NUL.search(text):
            raise ValueError("a NUL character (\\u0000) in a text, write names without it")
        if "\\ud" in text.lower():  # half of a pair, such as \ud800, is not a character
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except RecursionError:
        raise BadInput(f"{path}: the JSON is nested too deeply") from None
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise BadInput(f"{path}: {half!r} is half of a character; write both halves") from None
    except json.JSONDecodeError as error:
        if "\n" not in text:
            raise BadInput(f"{path}: not JSON: {error.msg} (column {error.colno})") from None
        raise BadInput(f"{path}:{error.lineno}: not JSON: {error.msg}") from None
    except ValueError as error:  # Python's own go on about its settings after a semicolon
        raise BadInput(f"{path}: {str(error).partition(';')[0]}") from None


def json_objects(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of JSON lines with their line numbers; blank lines are passed over."""
    for number, line in enumerate(source.every_line(), start=1):
        bare = line.strip()
        if bare == "{" or (number == 1 and bare.startswith("[")):
            said = (
                'every line must hold one whole JSON object, such as {"id": "1", "labels": ["a"]}'
            )
            raise BadInput(f"{source.path}:{number}: {said}, with nothing around or between them")
        if bare:
            try:
                record = parse_json(source.place(number), line)
            except BadInput as error:
                source.trouble(str(error))
                continue
            if isinstance(record, dict):
                yield number, record
            else:
                source.fault(number, f"expected a JSON object, got {shown(record, 40)}")


def text_name(value: Any) -> str | None:
    """Return a name as text; a whole number is one too, anything else gives None.

    >>> [text_name(x) for x in (" a b ", 2, 2.0, 2.5, True, None)]
    ['a b', '2', '2', None, None, None]
    """
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = first_repeated(key for key, _ in pairs)
        raise ValueError(f"the key {twice!r} occurs twice in one JSON object")
    return values


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is not a JSON number")


def written_ids(sets: LabelSets, forbidden: str = "") -> list[str]:
    """Return the instance ids as text; instances without ids get their positions."""
    if sets.ids is None:
        return [str(i) for i in range(len(sets))]
    return checked(sets.ids, forbidden, "instance")


def label_names(sets: LabelSets, hierarchy: Hierarchy, forbidden: str) -> list[list[str]]:
    """Return the labels of every instance as text; only those in use are checked."""
    used = np.unique(sets.indices).tolist()
    named = zip(used, checked([hierarchy.names[c] for c in used], forbidden, "class"), strict=True)
    flat = list(map(dict(named).__getitem__, sets.indices.tolist()))
    return [flat[a:b] for a, b in pairwise(sets.indptr.tolist())]


def checked(names: Sequence[Hashable], forbidden: str, what: str) -> list[str]:
    """Return names as text; each must be unique, not blank, and without these characters."""
    texts = [str(name) for name in names]
    if len(set(texts)) < len(set(names)):
        twice = first_repeated(dict(zip(names, texts, strict=True)).values())
        raise BadInput(f"two different names are written {twice!r}")
    blanks = r"\s" if " " in forbidden else ""  # where blanks separate, all kinds of them do
    odd = re.compile(rf"[\0\ufeff{re.escape(forbidden)}{blanks}]")
    for text in texts:
        found = odd.search(text)
        if found is not None:
            raise BadInput(f"{what} {text!r} holds {found[0]!r}, which this form cannot hold")
        if not text or text != text.strip():
            raise BadInput(f"{what} {text!r} starts or ends with a blank, which would be lost")
    return texts
