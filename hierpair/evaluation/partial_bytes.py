r"""Partials as bytes: documented, versioned, without pickle.

The form, version 1::

    hierpair partial 1\n
    32 hexadecimal digits: BLAKE2b (16 bytes) of all that follows, and \n
    a JSON object in one line, and \n
    whole numbers of 64 bits, little-endian

The JSON object holds ``fingerprint``, ``hierarchy``, ``numbering``, ``names`` and ``signatures`` of
the measures, ``parts``, ``n_instances``, ``n_unknown``, ``n_missing``, ``in_order``, ``turned``,
``means`` (by measure, two sums) and ``tallies`` (by recipe). Sums are hexadecimal texts of whole
multiples of 2**-1200. A tally has ``sums`` by column, ``every``, ``weight``, ``n_classes``,
``counted``, and ``by_class``: null, or ``n`` (the number of classes that occur) and ``limbs``: by
column the exponent of the lowest limb in units of 32 bits, and how many limbs. The numbers behind
the header are, tally by tally, the classes, and then column by column the limbs, lowest first.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.evaluation.exact_sums import BASE, ClassSums
from hierpair.evaluation.totals import Plan, Tally, Totals

__all__ = ["Content", "packed", "unpacked"]

MAGIC = b"hierpair partial "
VERSION = b"1"
DIGITS = 32
MOST_LIMBS = 80
"""More than the bits of any float need."""

KEYS = (
    "fingerprint", "hierarchy", "numbering", "names", "signatures", "parts", "n_unknown",
    "n_missing", "in_order", "turned",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Content:
    """What the bytes of a partial hold; measures are names still."""

    fingerprint: str
    hierarchy: str
    numbering: str
    names: list[str]
    signatures: list[str]
    parts: list[str]
    totals: Totals
    n_unknown: dict[str, int]
    n_missing: int
    in_order: list[int]
    turned: dict[int, str]

    def check(self, plan: Plan, *, n_named: int) -> None:
        """Refuse sums that are not those of the measures."""
        for i, (recipe, tally) in enumerate(zip(plan.recipes, self.totals.tallies, strict=False)):
            declared = {column.name: column for column in recipe.columns}
            limbs = {} if tally.by_class is None else tally.by_class.limbs
            needed = plan.columns_by_class(i)
            known = tally.by_class is None or (bool(needed) and needed <= {*limbs})
            counted = {name for name, c in declared.items() if not c.is_sum} | {"remarks"}
            if list(tally.sums) != plan.summed(i) or not known or not counted >= {*tally.counted}:
                raise _damaged("sums of other columns")
            if not {*tally.every, *limbs} <= {*declared}:
                raise _damaged("columns that no recipe has")
        if len(self.totals.tallies) != len(plan.recipes):
            raise _damaged("another number of recipes")
        if any(not 0 <= i < n_named for i in (*self.in_order, *self.turned)):
            raise _damaged("pairs that no rule names")


def packed(content: Content) -> bytes:
    """Return content as bytes."""
    totals = content.totals
    header: dict[str, Any] = {key: getattr(content, key) for key in KEYS}
    header["n_unknown"] = dict(sorted(content.n_unknown.items()))
    header["turned"] = {str(i): at for i, at in sorted(content.turned.items())}
    header["n_instances"] = totals.n_instances
    header["means"] = [[f"{value:x}", f"{weight:x}"] for value, weight in totals.means]
    header["tallies"], numbers = [], list[bytes]()
    for tally in totals.tallies:
        found = None
        if tally.by_class is not None:
            limbs = tally.by_class.limbs
            found = {
                "n": len(tally.by_class.classes),
                "limbs": {name: [low, len(table)] for name, (low, table) in limbs.items()},
            }
            tables = [tally.by_class.classes, *(table for _, table in limbs.values())]
            numbers += [table.astype("<i8").tobytes() for table in tables]
        header["tallies"].append({
            "sums": {name: f"{units:x}" for name, units in tally.sums.items()},
            "every": list(tally.every),
            "weight": f"{tally.weight:x}",
            "n_classes": tally.n_classes,
            "counted": {
                name: dict(sorted(words.items())) for name, words in sorted(tally.counted.items())
            },
            "by_class": found,
        })  # fmt: skip
    text = json.dumps(header, separators=(",", ":")).encode("ascii")
    body = b"".join([text, b"\n", *numbers])
    digest = hashlib.blake2b(body, digest_size=DIGITS // 2).hexdigest().encode("ascii")
    return b"".join([MAGIC, VERSION, b"\n", digest, b"\n", body])


def unpacked(data: bytes) -> Content:
    """Read content.

    Raises
    ------
    BadInput
        For anything that :func:`packed` did not write.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise BadInput(f"a partial is read from bytes, got {shown(data)}")
    data = bytes(data)
    first, _, rest = data.partition(b"\n")
    if not first.startswith(MAGIC):
        raise BadInput(f"these bytes are no partial: they begin with {shown(data[:20])}")
    if first != MAGIC + VERSION:
        version = first[len(MAGIC) :][:20].decode("ascii", "replace")
        raise BadInput(
            f"a partial of version {version!r}; this hierpair reads version {VERSION.decode()!r}"
        )
    digest, _, body = rest.partition(b"\n")
    if digest != hashlib.blake2b(body, digest_size=DIGITS // 2).hexdigest().encode("ascii"):
        raise _damaged("its digest is another one")
    text, _, numbers = body.partition(b"\n")
    try:
        return _content(json.loads(text), numbers)
    except BadInput:
        raise
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise _damaged(type(error).__name__) from error


def _damaged(what: str) -> BadInput:
    return BadInput(f"the bytes of a partial are damaged ({what})")


def _content(header: dict[str, Any], numbers: bytes) -> Content:
    if len(numbers) % 8:
        raise _damaged("its numbers end early")
    cells = np.frombuffer(numbers, dtype="<i8").astype(np.int64)
    names, signatures = (_texts(header[key]) for key in ("names", "signatures"))
    tallies, at = [], 0
    for tally in header["tallies"]:
        made, at = _tally(tally, cells, at)
        tallies.append(made)
    if at != len(cells):
        raise _damaged("more numbers than its header says")
    means = tuple((_units(value), _units(weight)) for value, weight in header["means"])
    if not names or not len(names) == len(signatures) == len(means):
        raise _damaged("another number of measures")
    return Content(
        _text(header["fingerprint"]),
        _text(header["hierarchy"]),
        _text(header["numbering"]),
        names,
        signatures,
        _texts(header["parts"]),
        Totals(_count(header["n_instances"]), means, tuple(tallies)),
        {_text(side): _count(n) for side, n in header["n_unknown"].items()},
        _count(header["n_missing"]),
        [_count(i) for i in header["in_order"]],
        {int(i): _text(at) for i, at in header["turned"].items()},
    )


def _tally(found: dict[str, Any], cells: NDArray[np.int64], at: int) -> tuple[Tally, int]:
    """Return a tally, and where its numbers end."""
    by_class = None
    if found["by_class"] is not None:
        n = _count(found["by_class"]["n"])
        classes, at = _taken(cells, at, 1, n)
        if (np.diff(classes[0]) <= 0).any() or (classes < 0).any():
            raise _damaged("classes out of order")
        limbs = {}
        for name, (lowest, n_limbs) in found["by_class"]["limbs"].items():
            if type(lowest) is not int or abs(lowest) > MOST_LIMBS or _count(n_limbs) > MOST_LIMBS:
                raise _damaged("limbs beyond all floats")
            table, at = _taken(cells, at, n_limbs, n)
            if (table[:-1] < 0).any() or (np.abs(table) >= BASE).any():
                raise _damaged("limbs that are too large")
            limbs[_text(name)] = (lowest, table)
        by_class = ClassSums(classes[0], limbs)
    tally = Tally(
        {_text(name): _units(units) for name, units in found["sums"].items()},
        by_class,
        tuple(_texts(found["every"])),
        _units(found["weight"]),
        _count(found["n_classes"]),
        {
            _text(name): {_text(word): _count(n) for word, n in words.items()}
            for name, words in found["counted"].items()
        },
    )
    return tally, at


def _taken(cells: NDArray[np.int64], at: int, rows: int, n: int) -> tuple[NDArray[np.int64], int]:
    end = at + rows * n
    if end > len(cells):
        raise _damaged("its numbers end early")
    return cells[at:end].reshape(rows, n), end


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _texts(values: Any) -> list[str]:
    if not isinstance(values, list):
        raise TypeError
    return [_text(value) for value in values]


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError
    return value


def _units(text: Any) -> int:
    return int(_text(text), 16)
