"""Records of text: rows that come some at a time, delimited fields, and objects of JSON."""

from __future__ import annotations

import csv
import json
import re
from collections import UserDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import methodcaller
from typing import Any

from hierpair.errors import BadInput, first_repeated, shown
from hierpair.io.files import FilePath
from hierpair.io.formats import Source
from hierpair.io.text import LONGEST_LINE

Row = tuple[Any, ...]
"""The line on which a row of a text begins, or another place, and what is in it."""

Table = tuple[Sequence[Any], Mapping[str, Any]]
"""The lines of some rows, and their columns by name."""

Fields = tuple[int, list[str]]
"""The line on which a row starts, and its fields."""

BATCH_CHARACTERS, STEP = 2**25, 2**12
"""Lines that are read at a time hold about so many characters; they are looked at step by step."""


class Lazy(UserDict[str, Any]):
    """Columns by name, each made by a function when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        return super().__getitem__(name)()


@dataclass(frozen=True, eq=False)
class Records:
    """A text as rows that come some at a time, so that it may be of any size.

    Attributes
    ----------
    names
        The columns, as far as the first row tells them.
    batches
        Takes how many rows are wanted at a time (None: all); yields their lines, and their columns
        by name.
    meaning
        What the form itself says that columns mean, by the names of the fields of
        :class:`hierpair.labels.Columns`.
    hint
        Words to add to an error about a label.
    header
        What to do if the first row is a header; None where it cannot be one.
    """

    names: tuple[str, ...]
    batches: Callable[[int | None], Iterator[Table]]
    meaning: Mapping[str, Any] = field(default_factory=dict)
    hint: str = ""
    header: str | None = None

    def table(self) -> Table:
        """Return the lines of all rows, and their columns by name."""
        return next(self.batches(None), ([], {name: [] for name in self.names}))


def tables_of(names: Sequence[str], rows: Iterable[Row], n: int | None) -> Iterator[Table]:
    """Yield the lines and the columns of so many rows at a time; None: of all."""
    several, width = iter(rows), len(names) + 1
    while some := list(islice(several, n)):
        flat = list(chain.from_iterable(some))
        yield flat[::width], {name: flat[k::width] for k, name in enumerate(names, start=1)}


# ---------------------------------------------------------------- delimited fields


def quoted_rows(
    path: FilePath, lines: Iterable[str], sign: str, first: int = 1
) -> Iterator[Fields]:
    """Yield the line on which each row starts, and its fields, which may be quoted."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=sign, strict=True)
    start = first
    while True:
        limit = csv.field_size_limit(LONGEST_LINE)  # of the whole process: put back row by row
        try:
            fields = next(reader, None)
        except csv.Error as error:
            reason = str(error).replace(
                "unexpected end of data", "a quotation mark opens here and none closes it"
            )
            raise BadInput(f"{path}:{start}: not CSV: {reason}") from None
        finally:
            csv.field_size_limit(limit)
        if fields is None:
            return
        yield start, fields
        start = first + reader.line_num


def table_rows(source: Source, rows: Iterable[Fields], width: int = 0) -> Iterator[Fields]:
    """Yield the rows that are as long as the first one, or have this width; blank ones are none."""
    for number, fields in rows:
        if not any(map(str.strip, fields)):
            continue
        width = width or len(fields)
        if len(fields) == width:
            yield number, fields
        else:
            said = f"expected {width} fields as in the header, got {len(fields)}"
            source.fault(number, said)
    if not width:
        raise BadInput(f"{source.path}: the file has no header")


def split_batches(
    source: Source,
    lines: Iterator[str],
    names: Sequence[str],
    sign: str | None,
    kept: Callable[[Iterable[Fields]], Iterable[Fields]],
    *,
    first: int = 1,
    quoted: bool = False,
) -> Callable[[int | None], Iterator[Table]]:
    """Return what yields the rows of a text, a number of lines at a time.

    ``first`` is the number of the first line; without a ``sign`` fields stand between blanks, and
    ``quoted`` ones may hold separators and line ends. ``kept`` takes rows and yields those that
    count, or tells what is wrong with one. Lines that each have as many fields as there are names,
    and begin with a text, are such rows: they are taken apart at once.
    """
    width, at_once = len(names), source.plain or _plain_fields

    def batches(n: int | None) -> Iterator[Table]:
        number = first
        while some := list(lines) if n is None else _some(lines, n):
            numbers = range(number, number + len(some))
            flat = at_once(some, sign, width, quoted) if sign else None
            if flat is not None:
                yield numbers, {name: flat[k::width] for k, name in enumerate(names)}
            else:
                rows: Iterable[Fields] = zip(numbers, (x.split(sign) for x in some), strict=True)
                if quoted:
                    rows = quoted_rows(source.path, chain(some, lines), sign or ",", number)
                yield from tables_of(names, ((k, *fields) for k, fields in kept(rows)), n)
            number = numbers.stop

    return batches


def _some(lines: Iterator[str], n: int) -> list[str]:
    """Return so many lines, or fewer where they are long."""
    found, size = list[str](), 0
    while size < BATCH_CHARACTERS and (more := list(islice(lines, min(STEP, n - len(found))))):
        found += more
        size += sum(map(len, more))
    return found


def _plain_fields(lines: list[str], sign: str, width: int, quoted: bool) -> list[str] | None:
    """Return the fields of plain lines, or None."""
    text = sign.join(lines)
    if quoted and '"' in text:
        return None
    fields = text.split(sign)
    plain = set(map(methodcaller("count", sign), lines)) == {width - 1}
    return fields if plain and all(map(str.strip, fields[::width])) else None


# ---------------------------------------------------------------- JSON

NUL = re.compile(r"(?<!\\)(\\\\)*\\u0000")
"""The character in JSON, not a backslash before these letters."""


def parse_json(path: FilePath, text: str) -> Any:
    """Return the value of a JSON text; ``path`` may carry the line of a JSON-lines file.

    Repeated keys, NaN, NUL characters and halves of characters are refused.
    """
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


def json_objects(
    source: Source, lines: Iterable[str] | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of JSON lines with their line numbers; blank lines are passed over."""
    for number, line in enumerate(source.lines if lines is None else lines, start=1):
        bare = line.strip()
        if bare == "{" or (number == 1 and bare.startswith("[")):
            raise BadInput(
                f"{source.path}:{number}: every line must hold one whole JSON object, such as "
                '{"id": "1", "labels": ["a"]}, with nothing around or between them'
            )
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
    """Return a name as text; a whole number is one too, anything else gives None."""
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
