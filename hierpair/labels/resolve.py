"""From names to class numbers, and what becomes of names that are no class."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, check_choice, first_repeated, listed, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import groups_by, offsets, row_numbers
from hierpair.hierarchy.building import plain_number
from hierpair.labels.coded import all_distinct, coded
from hierpair.labels.naming import (
    NO_TRUTH,
    PathNames,
    is_missing,
    is_truth,
    numbers_of,
    split_path,
    whole_text,
)
from hierpair.labels.rows import AsWritten, LabelRows

__all__ = ["GO_ON", "Fault", "Faults", "Unknown", "resolve_rows"]

Unknown = Literal["error", "drop", "root"]

RULES = ("path", "truth value", "blank label", "header", "repeated label", "unknown label")
"""What may be wrong with labels."""

MOST_MENDS = 100
"""Unknown labels that are looked at for a mend before they are left out: each takes a while."""

GO_ON = "(to go on without it: unknown='drop' or 'root')"
"""What can be done about a label that is no class."""


@dataclass(frozen=True, eq=False)
class Fault:
    """What is wrong with some labels, for who collects faults instead of stopping at the first.

    Attributes
    ----------
    rule
        ``"path"``, ``"truth value"``, ``"blank label"``, ``"header"``, ``"repeated label"`` (which
        scoring allows) or ``"unknown label"`` (one fault for every label that is unknown).
    entries
        The labels concerned, as numbers of entries of ``LabelRows.coded``;
        ``LabelRows.place(entry)`` says where one stands.
    message
        Tells of an entry what is wrong and what to do.
    label
        The first label concerned.
    """

    rule: str
    entries: NDArray[np.integer]
    message: Callable[[int], str]
    label: Any = None


Faults = Callable[[Fault], None]


def resolve_rows(
    rows: LabelRows,
    hierarchy: Hierarchy,
    unknown: Unknown = "error",
    *,
    from_file: bool = False,
    faults: Faults | None = None,
) -> tuple[AsWritten, NDArray[np.bool_]]:
    """Return the classes of all labels, and which were none; errors name instance and label.

    With ``faults`` nothing is refused: every fault is handed over, what it concerns is left out,
    and repeated ids stay.
    """
    check_choice("unknown", unknown, ("error", "drop", "root"))
    if faults is None and rows.ids is not None and not all_distinct(rows.ids):
        raise BadInput(_twice(rows))
    table = _Table(rows, hierarchy, from_file)
    if faults is None:
        table.check(unknown)
        return table.kept(unknown)
    for fault in table.faults():
        faults(fault)
    return table.kept("drop")


class _Table:
    """The different labels of some rows: class numbers, -1 for no class, and what is wrong."""

    def __init__(self, rows: LabelRows, hierarchy: Hierarchy, from_file: bool) -> None:
        self.rows, self.hierarchy, self.from_file = rows, hierarchy, from_file
        self.coded, self.paths = rows.coded, PathNames(hierarchy)
        self.names = self.coded.values
        if rows.levels:
            self.names = self.coded.each(lambda path, _: self.paths(path))
        number = numbers_of(self.names, hierarchy)
        self.wrong = [""] * len(self.names)
        texts = set(map(type, self.coded.values)) == {str}  # mostly, and classes need no look
        for k in np.flatnonzero(number < 0).tolist() if texts else range(len(number)):
            given, name = self.coded.values[k], self.names[k]
            if number[k] < 0 and from_file and isinstance(name, str):
                number[k] = hierarchy.position.get(whole_text(name), -1)
            if is_truth(given):
                self.wrong[k], number[k] = "truth value", -1
            elif number[k] < 0:
                lost = rows.levels and name is None
                rule = "blank label" if is_missing(name) else "unknown label"
                self.wrong[k] = "path" if lost else rule
        self.numbers = number[self.coded.codes]

    def _are(self, *rules: str) -> NDArray[np.bool_]:
        """Return of every entry whether one of these things is wrong with it."""
        are = np.array([wrong in rules for wrong in self.wrong], dtype=bool)
        found: NDArray[np.bool_] = are[self.coded.codes]
        return found

    def message(self, k: int, rule: str = "") -> str:
        """Return what is wrong with a different label."""
        if rule == "header":
            first = [self.names[k] for k in self.coded.codes[: self.coded.row_ends[1]].tolist()]
            return (
                f"this line looks like a header: {listed(first)} is no class, and labels of other "
                f"lines are; {self.rows.header}"
            )
        if rule == "repeated label":
            return f"{shown(self.names[k])} occurs twice"
        name, given, hierarchy, hint = (
            self.names[k], self.coded.values[k], self.hierarchy, self.rows.hint)  # fmt: skip
        if self.wrong[k] == "path":
            return self.paths.fault(given)
        if self.wrong[k] == "truth value":
            return f"{NO_TRUTH} (got {shown(given)})"
        if self.wrong[k] == "blank label":
            remedy = "write an empty set for no labels"
            if self.from_file:
                remedy = "is there a bar too many?"
            return f"a label is missing (got {shown(name)}); {remedy}{hint}"
        twin = twin_of(name, hierarchy)
        if twin is None:
            remedy = remedy_for(name, hierarchy, from_file=self.from_file, by_blanks=bool(hint))
            return f"{hierarchy.unknown_message(name)}{remedy} {GO_ON}{hint}"
        kind = type(name.item() if isinstance(name, np.generic) else name).__name__
        mend = "; decode the labels, as by .decode()" if isinstance(name, bytes) else ""
        return (
            f"class {shown(name)} is not in the hierarchy; {twin!r} is, but as "
            f"{type(twin).__name__}, not {kind}{mend}{hint}"
        )

    def check(self, unknown: Unknown) -> None:
        """Refuse the first label that will not do."""
        bad = np.flatnonzero(self._are("path"))  # before all else, as their ends are not known
        if not len(bad):
            n_roots = len(self.hierarchy.root_indices)
            if unknown == "root" and n_roots != 1 and (self.numbers < 0).any():
                raise BadInput(f"unknown='root' needs a single root; this hierarchy has {n_roots}")
            if unknown != "error" and self.is_headed:
                raise BadInput(f"{self.rows.where(0, 0)}: {self.message(0, 'header')}")
            passed = ["blank label"] if self.from_file and unknown == "drop" else []
            if unknown != "error":
                passed.append("unknown label")
            refused = [bool(wrong) and wrong not in passed for wrong in self.wrong]
            strange = [k for k, wrong in enumerate(self.wrong) if wrong == "unknown label"]
            for i, k in enumerate(strange):
                refused[k] |= twin_of(self.names[k], self.hierarchy) is not None
                refused[k] |= self.from_file and i < MOST_MENDS and self._is_misread(self.names[k])
            bad = np.flatnonzero(np.array(refused, dtype=bool)[self.coded.codes])
        if len(bad):
            more = f"; or is this line a header? Then {self.rows.header}"
            place = self.rows.place(int(bad[0]), who=self.from_file)
            more = more if bad[0] == 0 and self.is_headed else ""
            raise BadInput(f"{place}: {self.message(int(self.coded.codes[bad[0]]))}{more}")

    def _is_misread(self, name: Any) -> bool:
        """Whether an unknown label of a file is made of known ones, which must not be dropped."""
        if str(name).strip().lower() in NOTHING:
            return False
        return bool(remedy_for(name, self.hierarchy, by_blanks=bool(self.rows.hint)))

    @property
    def is_headed(self) -> bool:
        """Whether the first line looks like a header: no class in it, and classes below.

        A label that looks like others of the file, sign by sign, is rather a class that is gone,
        and so is one for which there is a mend.
        """
        n, codes, known = int(self.coded.row_ends[:2][-1]), self.coded.codes, self.numbers >= 0
        if self.rows.header is None or not n or known[:n].any():
            return False
        if self._are("blank label")[:n].any() or 2 * np.sum(known[n:]) <= len(known) - n:
            return False
        first = [str(self.names[k]) for k in codes[:n].tolist()]
        others = {_shape(str(self.names[k])) for k in np.unique(codes[n:]).tolist()}
        return not any(
            (any(map(str.isdigit, name)) and _shape(name) in others)
            or remedy_for(name, self.hierarchy, by_blanks=bool(self.rows.hint))
            for name in first
        )

    def faults(self) -> Iterator[Fault]:
        """Yield everything that is wrong, by rules."""
        codes = self.coded.codes
        found = {rule: [np.flatnonzero(self._are(rule))] for rule in RULES}
        found["header"] = [np.arange(int(self.is_headed))]
        found["repeated label"] = [self._repeated()]
        (unknown,) = found["unknown label"]
        groups = [unknown[group] for group in groups_by(codes[unknown])]
        found["unknown label"] = sorted(groups, key=lambda group: int(group[0]))
        for rule in RULES:
            for entries in found[rule]:
                if len(entries):
                    message = partial(self._message_of, rule)
                    yield Fault(rule, entries, message, self.names[codes[entries[0]]])

    def _message_of(self, rule: str, entry: int) -> str:
        return self.message(int(self.coded.codes[entry]), rule)

    def _repeated(self) -> NDArray[np.int64]:
        """Return labels that stand twice in an instance, the first of every instance."""
        codes, owner = self.coded.codes, row_numbers(self.coded.row_ends)
        order = np.lexsort((codes, owner))
        before, after = order[:-1], order[1:]
        same = (owner[before] == owner[after]) & (codes[before] == codes[after])
        again = np.sort(after[same & ~self._are("blank label", "path")[after]])
        first: NDArray[np.int64] = again[np.unique(owner[again], return_index=True)[1]]
        return first

    def kept(self, unknown: Unknown) -> tuple[AsWritten, NDArray[np.bool_]]:
        """Return the labels that are classes, what takes the place of others, and which others."""
        pointer, numbers, codes = self.coded.row_ends, self.numbers, self.coded.codes
        bad, n = numbers < 0, len(pointer) - 1
        blank = np.zeros(n, dtype=np.int64)
        if bad.any() and unknown == "root":
            numbers = np.where(bad, self.hierarchy.root_indices[0], numbers)
        elif bad.any():
            lost = bad & self._are("blank label")
            blank += np.bincount(row_numbers(pointer)[lost], minlength=n)
            pointer = offsets((~bad).astype(np.int64))[pointer]
            numbers, codes = numbers[~bad], codes[~bad]
        if self.from_file and unknown == "drop" and len(self.rows.bare):
            bare = np.asarray(self.rows.bare, dtype=np.int64)
            empty = np.diff(self.coded.row_ends)[bare] == 0
            blank += np.bincount(bare[empty], minlength=n)
        written = AsWritten(
            pointer, numbers.astype(np.int32), n_blank=blank if blank.any() else None
        )
        if self.rows.levels:
            above = [self.paths.found.get(path, (None, []))[1] for path in self.coded.values]
            nodes = coded(above).lists.take(codes)
            known = np.array(nodes.values, dtype=np.int32)
            written = replace(written, node_ptr=nodes.row_ends, nodes=known[nodes.codes])
        return written, bad


def _shape(text: str) -> str:
    """Return a text with 9 for digits and a for letters."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", text))


def _twice(rows: LabelRows) -> str:
    """Say where the first repeated id stands."""
    ids = list(rows.ids or ())
    name = first_repeated(ids)
    before = ids.index(name)
    again = ids.index(name, before + 1)
    long = (np.diff(rows.coded.row_ends) == 1).all()
    remedy = "; for one label per line use the format long" if long else "; keep one of them"
    return (
        f"{rows.where(again, 0)}: instance {shown(name)} already occurs at "
        f"{rows.where(before, 0)}{remedy}"
    )


# ---------------------------------------------------------------- what may be meant

LIST_SIGNS = ("|", ";", ",", " ")
"""What stands between the labels of a list."""

PATH_SIGNS = (" -> ", "->", " > ", ">", "::", "\\", "/", ".", ":")
"""What stands between the classes of a path."""

WRAPPING = "[](){}'\" "
"""What languages write around lists and texts, and label files do not."""

NOTHING = ("nan", "none", "null", "na", "n/a", "#n/a", "-")
"""What tables write where there is nothing."""


def twin_of(name: Any, hierarchy: Hierarchy) -> Any:
    """Return the class that is written like a label of another type, or None.

    >>> tree = Hierarchy.from_edges([("r", "3"), ("r", "c")])
    >>> [twin_of(name, tree) for name in (3, 3.0, b"c", "d")]
    ['3', '3', 'c', None]
    """
    forms: list[Any] = []
    if isinstance(name, bytes):
        forms = [name.decode("utf-8", "replace")]
    elif isinstance(name, (int, float, np.number)):
        forms = [str(name), whole_text(name)]
    elif isinstance(name, str):
        forms = [number for number in (plain_number(whole_text(name)),) if number.is_integer()]
    position = hierarchy.position
    return next((hierarchy.names[position[form]] for form in forms if form in position), None)


def remedy_for(
    name: Any, hierarchy: Hierarchy, *, from_file: bool = True, by_blanks: bool = False
) -> str:
    """Return what to do about a label that holds a path, several labels, or none."""
    if not isinstance(name, str):
        return ""
    sign = _path_sign([name], hierarchy)
    if not from_file:
        said = f"; if this is a path, split it at {sign!r} for LabelSets.from_levels"
        return said if sign else ""
    if name.strip().lower() in NOTHING:
        return "; leave the field blank where there are no labels"
    parts = {s: [part.strip() for part in name.split(s)] for s in (*LIST_SIGNS, *PATH_SIGNS)}
    for separator in LIST_SIGNS if not by_blanks else ():
        inner = _path_sign(parts[separator], hierarchy) if separator in name else ""
        if inner:
            return (
                f"; are these several paths from the top, separated by {separator!r}? Then "
                f"give --separator '{separator}' --paths '{inner}' "
                f"(Columns(separator={separator!r}, paths={inner!r}))"
            )
    if sign:
        several = sign in LIST_SIGNS and not by_blanks
        return (
            f"; is this a path from the top to its class? Then give --paths '{sign}' "
            f"(Columns(paths={sign!r}))"
            + (f"; or several labels, one above the other? --separator {sign!r}" if several else "")
        )
    for separator, some in parts.items():
        if all(part in hierarchy for part in some):
            numbers = hierarchy.index(some).tolist()
            if separator in PATH_SIGNS and any(a in hierarchy.ancestor_numbers(b)
                                               for a in numbers for b in numbers):  # fmt: skip
                return (
                    f"; is this a path? --paths '{separator}' takes paths that run from the top "
                    "to the class and leave out none; or give the class alone"
                )
            if by_blanks and separator == "|":
                return "; separate labels by blanks or commas"
            return f"; are these several, separated by {separator!r} (--separator)?"
        if all(part.strip(WRAPPING) in hierarchy for part in some):
            return "; write labels without quotes and brackets, as a|b"
    return ""


def _path_sign(texts: list[str], hierarchy: Hierarchy) -> str:
    """Return the text between the classes of these paths, if all of them are paths that exist."""
    resolve = PathNames(hierarchy)
    return next(
        (
            sign
            for sign in (*PATH_SIGNS, *LIST_SIGNS)
            if any(sign in text for text in texts)
            and all(resolve(split_path(text, sign)) is not None for text in texts)
        ),
        "",
    )
