"""The files that measures read, such as weights of classes, by digests of what they hold."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from hierpair.io.files import read_file
from hierpair.measures import Measure
from hierpair.measures.class_weights import WORDS
from hierpair.pairing import cost_named

__all__ = ["files_read"]

FILES_OF_COSTS = ("vectors", "costs", "counts")


def files_read(measures: Iterable[Measure]) -> dict[str, str]:
    """Return by name of a file the digest of its bytes: a signature has but the name.

    Parts that were scored with other contents of one file must not be added up.
    """
    names = dict.fromkeys(name for m in measures for name in _names(m))
    return {name: _digest(name) for name in names if Path(name).is_file()}


def _names(m: Measure) -> Iterator[str]:
    options = m.options
    given = [options.get(option) for option in ("weights", "reference")]
    if isinstance(options.get("cost"), str):
        cost = cost_named(options["cost"])
        given += [getattr(cost, name, None) for name in FILES_OF_COSTS]
    yield from (text for text in given if isinstance(text, str) and text not in WORDS)


def _digest(path: str) -> str:
    return hashlib.blake2b(read_file(path, binary=True), digest_size=12).hexdigest()
