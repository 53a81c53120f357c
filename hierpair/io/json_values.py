"""JSON as files hold it: no repeated keys, no NaN, no halves of characters; names as text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput, first_repeated, shown
from hierpair.io.formats import Source

__all__ = ["json_objects", "parse_json", "text_name"]

NUL = re.compile(r"(?<!\\)(\\\\)*\\u0000")
"""The character in JSON, not a backslash before these letters."""


def parse_json(path: str | Path, text: str) -> Any:
    """Return the value of a JSON text; ``path`` may carry the line of a JSON-lines file."""
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
        if error.lineno == 1 and "\n" not in text:
            raise BadInput(f"{path}: not JSON: {error.msg} (column {error.colno})") from None
        raise BadInput(f"{path}:{error.lineno}: not JSON: {error.msg}") from None
    except ValueError as error:  # Python's own go on about its settings after a semicolon
        raise BadInput(f"{path}: {str(error).partition(';')[0]}") from None


def json_objects(
    source: Source, lines: Iterable[str] | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of JSON lines with their line numbers; blank lines are passed over."""
    first = True
    for number, line in enumerate(source.lines if lines is None else lines, start=1):
        bare = line.strip()
        if not bare:
            continue
        if bare == "{" or (first and bare.startswith("[")):
            raise BadInput(
                f"{source.path}:{number}: every line must hold one whole JSON object, such as "
                '{"id": "1", "labels": ["a"]}, with nothing around or between them'
            )
        try:
            record = parse_json(source.place(number), line)
        except BadInput as error:
            source.trouble(str(error))
            continue
        if isinstance(record, dict):
            first = False
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
