r"""Partials as bytes: documented, versioned, without pickle.

The form, version 2::

    hierpair partial 2\n
    32 hexadecimal digits: BLAKE2b (16 bytes) of all that follows, and \n
    a JSON object in one line, and \n
    whole numbers of 64 bits, little-endian

The JSON object holds ``fingerprint``, ``hierarchy``, ``numbering``, ``doubts``, ``names`` and
``signatures`` of the measures, ``parts``, ``ids`` (by part, the least and the greatest),
``n_instances``, ``weight``, ``n_labels`` and ``n_unknown`` of the truth, ``uneven`` (by measure),
``in_order``, ``turned``, ``keep_worst``, ``n_blocks``, ``block_seed``, ``files`` (digests by name,
where measures read files), and ``systems``, a list. A
system has its ``name``, ``n_labels``, ``n_unknown``, ``n_missing``, ``unused_scores``, ``means``
(by measure, two sums) ``tallies`` (by recipe), ``worst`` (by measure, values as hexadecimal
floats, and ids), and ``blocks`` (sums by block in the form of ``by_class``). Sums are hexadecimal
texts of whole multiples of 2**-1200. A tally has ``sums`` by column, ``every``, ``weight``,
``n_classes``, ``counted``, and ``by_class``: null, or ``n`` (the number of classes that occur)
and ``limbs``: by column the exponent of the lowest limb in units of 32 bits, and how many limbs.
The numbers behind the header are, system by system and tally by tally and then of the blocks, the
classes, and then column by column the limbs, lowest first.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.evaluation.partials.blocks import all_block_columns
from hierpair.evaluation.partials.exact_sums import ClassSums
from hierpair.evaluation.partials.partial_data import PartialData, SystemSums
from hierpair.evaluation.partials.totals import Plan, Tally, Totals
from hierpair.evaluation.partials.worst_kept import Worst, worst_together
from hierpair.measures.limbs import BASE

__all__ = ["checked", "packed", "unpacked"]

MAGIC = b"hierpair partial "
VERSION = b"2"
DIGITS = 32
MOST_LIMBS = 80
"""More than the bits of any float need."""

FAULTS = (
    ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OverflowError,
)  # fmt: skip
"""What reading may meet in bytes that nobody wrote."""


def checked(data: PartialData, *, n_named: int) -> None:
    """Refuse sums that are not those of the measures."""
    for one in data.sums:
        _check_totals(one.totals, data.plan)
        _check_instances(one, data)
    if len(data.uneven) != len(data.measures):
        raise _damaged("another number of measures")
    if any(not 0 <= i < n_named for i in (*data.in_order, *data.turned)):
        raise _damaged("pairs that no rule names")


def _check_totals(totals: Totals, plan: Plan) -> None:
    if len(totals.tallies) != len(plan.recipes) or len(totals.means) != len(plan.measures):
        raise _damaged("another number of measures or recipes")
    for i, (recipe, tally) in enumerate(zip(plan.recipes, totals.tallies, strict=True)):
        declared = {column.name: column for column in recipe.columns}
        limbs = {} if tally.by_class is None else tally.by_class.limbs
        needed = plan.columns_by_class(i)
        known = tally.by_class is None or (bool(needed) and needed <= {*limbs})
        counted = {name for name, c in declared.items() if not c.is_sum} | {"remarks"}
        if list(tally.sums) != plan.summed(i) or not known or not counted >= {*tally.counted}:
            raise _damaged("sums of other columns")
        if not {*tally.every, *limbs} <= {*declared}:
            raise _damaged("columns that no recipe has")


def _check_instances(one: SystemSums, data: PartialData) -> None:
    """Refuse worst instances and blocks that no instances leave behind."""
    most = data.keep_worst
    if len(one.worst) != (len(data.measures) if most else 0):
        raise _damaged("another number of measures")
    nothing: list[Worst] = [()] * len(one.worst)
    values = [value for some in one.worst for value, _ in some]
    if any(map(math.isnan, values)) or one.worst != (
        worst_together(data.measures, one.worst, nothing, most) if most else ()
    ):
        raise _damaged("worst instances out of order")
    if (one.blocks is not None) != (data.n_blocks > 0):
        raise _damaged("another number of blocks")
    if one.blocks is not None and (
        list(one.blocks.limbs) != all_block_columns(data.measures)
        or one.blocks.classes.max(initial=-1) >= data.n_blocks
    ):
        raise _damaged("sums of other blocks")


def packed(data: PartialData) -> bytes:
    """Return a partial as bytes."""
    numbers = list[bytes]()
    header: dict[str, Any] = {
        "fingerprint": data.fingerprint,
        "hierarchy": data.hierarchy,
        "numbering": data.numbering,
        "doubts": list(data.doubts),
        "names": [m.name for m in data.measures],
        "signatures": list(data.signatures),
        "parts": sorted(data.parts),
        "ids": {part: list(ends) for part, ends in sorted(data.ids.items())},
        "n_instances": data.n_instances,
        "weight": f"{data.weight:x}",
        "n_labels": f"{data.n_labels:x}",
        "n_unknown": data.n_unknown,
        "uneven": list(data.uneven),
        "in_order": sorted(data.in_order),
        "turned": {str(i): at for i, at in sorted(data.turned.items())},
        "keep_worst": data.keep_worst,
        "n_blocks": data.n_blocks,
        "block_seed": data.block_seed,
        **({"files": dict(sorted(data.files.items()))} if data.files else {}),
        "systems": [
            _system(name, one, numbers) for name, one in zip(data.systems, data.sums, strict=True)
        ],
    }
    text = json.dumps(header, separators=(",", ":")).encode("ascii")
    body = b"".join([text, b"\n", *numbers])
    digest = hashlib.blake2b(body, digest_size=DIGITS // 2).hexdigest().encode("ascii")
    return b"".join([MAGIC, VERSION, b"\n", digest, b"\n", body])


def _system(name: str, one: SystemSums, numbers: list[bytes]) -> dict[str, Any]:
    """Return what the header says of a system; its numbers are added to the others."""
    return {
        "name": name,
        "n_labels": f"{one.n_labels:x}",
        "n_unknown": one.n_unknown,
        "n_missing": one.n_missing,
        "unused_scores": one.unused_scores,
        "means": [[f"{value:x}", f"{weight:x}"] for value, weight in one.totals.means],
        "tallies": [_packed_tally(tally, numbers) for tally in one.totals.tallies],
        "worst": [[[value.hex(), name] for value, name in some] for some in one.worst],
        "blocks": _packed_sums(one.blocks, numbers),
    }


def _packed_tally(tally: Tally, numbers: list[bytes]) -> dict[str, Any]:
    return {
        "sums": {name: f"{units:x}" for name, units in tally.sums.items()},
        "every": list(tally.every),
        "weight": f"{tally.weight:x}",
        "n_classes": tally.n_classes,
        "counted": {
            name: dict(sorted(words.items())) for name, words in sorted(tally.counted.items())
        },
        "by_class": _packed_sums(tally.by_class, numbers),
    }


def _packed_sums(sums: ClassSums | None, numbers: list[bytes]) -> dict[str, Any] | None:
    if sums is None:
        return None
    tables = [sums.classes, *(table for _, table in sums.limbs.values())]
    numbers += [table.astype("<i8").tobytes() for table in tables]
    limbs = {name: [lowest, len(table)] for name, (lowest, table) in sums.limbs.items()}
    return {"n": len(sums.classes), "limbs": limbs}


def unpacked(data: bytes) -> tuple[list[str], list[str], dict[str, Any]]:
    """Return names and signatures of the measures, and the other fields of a partial.

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
        return _fields(json.loads(text), numbers)
    except BadInput:
        raise
    except FAULTS as error:
        raise _damaged(type(error).__name__) from error


def _damaged(what: str) -> BadInput:
    return BadInput(f"the bytes of a partial are damaged ({what})")


def _fields(header: dict[str, Any], numbers: bytes) -> tuple[list[str], list[str], dict[str, Any]]:
    if len(numbers) % 8:
        raise _damaged("its numbers end early")
    rest = _Numbers(np.frombuffer(numbers, dtype="<i8").astype(np.int64))
    names, signatures = (_texts(header[key]) for key in ("names", "signatures"))
    if not names or len(names) != len(signatures):
        raise _damaged("another number of measures")
    n = _count(header["n_instances"])
    systems = [_text(one["name"]) for one in header["systems"]]
    if not systems or len({*systems}) < len(systems):
        raise _damaged("two systems of one name")
    fields = {
        "fingerprint": _text(header["fingerprint"]),
        "hierarchy": _text(header["hierarchy"]),
        "numbering": _text(header["numbering"]),
        "doubts": tuple(_texts(header["doubts"])),
        "parts": frozenset(_texts(header["parts"])),
        "ids": {_text(part): _ends(ends) for part, ends in header["ids"].items()},
        "n_instances": n,
        "weight": _units(header["weight"]),
        "n_labels": _units(header["n_labels"]),
        "n_unknown": _count(header["n_unknown"]),
        "uneven": tuple(_count(i) for i in header["uneven"]),
        "in_order": frozenset(_count(i) for i in header["in_order"]),
        "turned": {int(i): _text(at) for i, at in header["turned"].items()},
        "keep_worst": _count(header["keep_worst"]),
        "n_blocks": _count(header["n_blocks"]),
        "block_seed": _count(header["block_seed"]),
        "files": {_text(name): _text(of) for name, of in header.get("files", {}).items()},
        "systems": tuple(systems),
        "sums": tuple(_sums(one, n, rest) for one in header["systems"]),
    }
    if rest.at != len(rest.cells):
        raise _damaged("more numbers than its header says")
    return names, signatures, fields


class _Numbers:
    """The numbers behind the header, taken one table after the other."""

    def __init__(self, cells: NDArray[np.int64]) -> None:
        self.cells, self.at = cells, 0

    def take(self, rows: int, n: int) -> NDArray[np.int64]:
        end = self.at + rows * n
        if end > len(self.cells):
            raise _damaged("its numbers end early")
        table = self.cells[self.at : end].reshape(rows, n)
        self.at = end
        return table


def _sums(found: dict[str, Any], n: int, rest: _Numbers) -> SystemSums:
    tallies = tuple(_tally(tally, rest) for tally in found["tallies"])
    means = tuple((_units(value), _units(weight)) for value, weight in found["means"])
    if not isinstance(found["unused_scores"], bool):
        raise TypeError
    return SystemSums(
        Totals(n, means, tallies),
        _units(found["n_labels"]),
        _count(found["n_unknown"]),
        _count(found["n_missing"]),
        found["unused_scores"],
        tuple(
            tuple((float.fromhex(_text(value)), _text(name)) for value, name in some)
            for some in found["worst"]
        ),
        _class_sums(found["blocks"], rest),
    )


def _tally(found: dict[str, Any], rest: _Numbers) -> Tally:
    return Tally(
        {_text(name): _units(units) for name, units in found["sums"].items()},
        _class_sums(found["by_class"], rest),
        tuple(_texts(found["every"])),
        _units(found["weight"]),
        _count(found["n_classes"]),
        {
            _text(name): {_text(word): _count(n) for word, n in words.items()}
            for name, words in found["counted"].items()
        },
    )


def _class_sums(found: dict[str, Any] | None, rest: _Numbers) -> ClassSums | None:
    if found is None:
        return None
    n = _count(found["n"])
    (classes,) = rest.take(1, n)
    if (np.diff(classes) <= 0).any() or (classes < 0).any():
        raise _damaged("classes out of order")
    limbs = {}
    for name, (lowest, n_limbs) in found["limbs"].items():
        if type(lowest) is not int or abs(lowest) > MOST_LIMBS or _count(n_limbs) > MOST_LIMBS:
            raise _damaged("limbs beyond all floats")
        table = rest.take(n_limbs, n)
        if (table[:-1] < 0).any() or (np.abs(table) >= BASE).any():
            raise _damaged("limbs that are too large")
        limbs[_text(name)] = (lowest, table)
    return ClassSums(classes, limbs)


def _ends(value: Any) -> tuple[str, str]:
    least, greatest = _texts(value)
    if least > greatest:
        raise ValueError
    return least, greatest


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
