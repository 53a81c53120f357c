"""From names to class numbers, and what becomes of names that are no class."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, check_choice, first_repeated, listed, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, Ints, groups_by, offsets, row_numbers
from hierpair.hierarchy.columns import is_blank, whole
from hierpair.labels.coded import Coded, all_distinct
from hierpair.labels.naming import NO_TRUTH, PathNames, is_missing, is_truth, numbers_of, split_path
from hierpair.labels.rows import AsWritten, LabelRows

__all__ = ["GO_ON", "Fault", "Faults", "Unknown", "resolve_rows"]

Unknown = Literal["error", "drop", "root"]

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
        scoring allows) or ``"unknown label"``: one fault for every label that is no class.
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
    faults: Faults | None = None,
) -> tuple[AsWritten, Bools]:
    """Return the classes of all labels, and which were none; errors name instance and label.

    With ``faults`` nothing is refused: every fault is handed over, what it concerns is left out,
    and repeated ids stay.
    """
    check_choice("unknown", unknown, ("error", "drop", "root"))
    table = _Table(rows, hierarchy)
    if faults is None:
        table.check(unknown)
        return table.kept(unknown)
    for fault in table.faults():
        faults(fault)
    return table.kept("drop")


class _Table:
    """The different labels of some rows: class numbers, -1 for no class, and what is wrong.

    ``wrong`` is, by the number of a different label, one of the rules of :class:`Fault`.
    """

    def __init__(self, rows: LabelRows, hierarchy: Hierarchy) -> None:
        self.rows, self.hierarchy, self.coded = rows, hierarchy, rows.coded
        self.paths, self.names = PathNames(hierarchy), rows.coded.values
        self.wrong: dict[int, str] = {}
        if rows.levels:
            self.names = self.coded.each(lambda path, _: self.paths(path))
        number = numbers_of(self.names, hierarchy)
        texts = set(map(type, self.coded.values)) == {str}  # mostly, and classes need no look
        for k in np.flatnonzero(number < 0).tolist() if texts else range(len(number)):
            given, name = self.coded.values[k], self.names[k]
            if number[k] < 0 and rows.from_file and isinstance(name, str):
                number[k] = hierarchy.position.get(whole(name), -1)
            if is_truth(given):
                self.wrong[k], number[k] = "truth value", -1
            elif number[k] < 0:
                no_path = rows.levels and name is None
                blank = "blank label" if is_missing(name) else "unknown label"
                self.wrong[k] = "path" if no_path else blank
        self.numbers = number[self.coded.codes]

    def _entries(self, *rules: str, without: Iterable[int] = ()) -> Ints:
        """Return the entries whose labels are wrong by one of these rules, or by any."""
        found = {k for k, rule in self.wrong.items() if not rules or rule in rules}
        return np.flatnonzero(np.isin(self.coded.codes, sorted(found.difference(without))))

    def message(self, entry: int, rule: str) -> str:
        """Return what is wrong with an entry."""
        k = int(self.coded.codes[entry])
        name, given, hint = self.names[k], self.coded.values[k], self.rows.hint
        if rule == "header":
            return self.header
        if rule == "repeated label":
            return f"{shown(name)} occurs twice"
        if rule == "path":
            return f"{self.paths.fault(given)}{hint}"
        if rule == "truth value":
            return f"{NO_TRUTH} (got {shown(given)})"
        if rule == "blank label":
            bars = "is there a bar too many?"
            remedy = bars if self.rows.from_file else "write an empty set for no labels"
            return f"a label is missing (got {shown(name)}); {remedy}{hint}"
        known = self.hierarchy.twin_of(name) is not None
        mend = "" if known else f"{self._remedy(name)} {GO_ON}"
        return f"{self.hierarchy.unknown_message(name)}{mend}{hint}"

    def _remedy(self, name: Any) -> str:
        return remedy_for(name, self.hierarchy, by_blanks=bool(self.rows.hint))

    def check(self, unknown: Unknown) -> None:
        """Refuse the first label that will not do."""
        if self.rows.from_file and self.rows.ids and not all_distinct(self.rows.ids):
            raise BadInput(_twice(self.rows))
        n_roots = len(self.hierarchy.root_indices)
        if unknown == "root" and n_roots != 1 and (self.numbers < 0).any():
            raise BadInput(f"unknown='root' needs a single root; this hierarchy has {n_roots}")
        if unknown != "error" and self.header:
            raise BadInput(f"{self.rows.where(0, 0)}: {self.header}")
        passed: list[int] = []
        if unknown != "error":
            strange = [k for k, rule in self.wrong.items() if rule == "unknown label"]
            passed = [k for i, k in enumerate(strange) if not self._is_misread(self.names[k], i)]
        if unknown == "drop" and self.rows.from_file:
            passed += [k for k, rule in self.wrong.items() if rule == "blank label"]
        for entry in self._entries(without=passed)[:1].tolist():
            message = self.message(entry, self.wrong[int(self.coded.codes[entry])])
            more = ""
            if entry == 0 and self.header:
                more = f"; or is this line a header? Then {self.rows.header}"
            raise BadInput(f"{self.rows.place(entry, who=self.rows.from_file)}: {message}{more}")

    def _is_misread(self, name: Any, before: int) -> bool:
        """Whether an unknown label is, or is made of, known ones: such must not be dropped."""
        blank = is_blank(name) or before >= MOST_MENDS
        made = self.rows.from_file and not blank and bool(self._remedy(name))
        return made or self.hierarchy.twin_of(name) is not None

    @cached_property
    def header(self) -> str:
        """What to say where the first line looks like a header: no class in it, classes below.

        A label that looks like others of the file, sign by sign, is rather a class that is gone,
        and so is one for which there is a mend.
        """
        if self.rows.header is None or not self.wrong or not len(self.coded):
            return ""
        n, known = int(self.coded.row_ends[1]), self.numbers >= 0
        first, others = np.split(self.coded.codes, [n])
        if not n or known[:n].any() or 2 * np.count_nonzero(known[n:]) <= len(others):
            return ""
        shapes = {_shape(self.names[k]) for k in np.unique(others).tolist()}
        names = [self.names[k] for k in first.tolist()]
        for name in map(str, names):
            same = any(map(str.isdigit, name)) and _shape(name) in shapes
            if not name or same or self._remedy(name):
                return ""
        return (
            f"this line looks like a header: {listed(names)} is no class, and labels of other "
            f"lines are; {self.rows.header}"
        )

    def faults(self) -> Iterator[Fault]:
        """Yield everything that is wrong, one fault for every label that is no class."""
        codes, bad = self.coded.codes, self._entries()
        groups = [bad[group] for group in sorted(groups_by(codes[bad]), key=min)]
        found = [("repeated label", self._repeated()), ("header", np.arange(self.header != ""))]
        found += [(self.wrong[int(codes[entries[0]])], entries) for entries in groups]
        for rule, entries in found:
            if len(entries):
                message = partial(self.message, rule=rule)
                yield Fault(rule, entries, message, self.names[codes[entries[0]]])

    def _repeated(self) -> Ints:
        """Return labels that stand twice in an instance, the first of every instance."""
        owner = row_numbers(self.coded.row_ends)
        key = owner * max(1, len(self.names)) + self.coded.codes
        again = np.delete(np.arange(len(key)), np.unique(key, return_index=True)[1])
        again = np.setdiff1d(again, self._entries("blank label", "path"))
        first: Ints = again[np.unique(owner[again], return_index=True)[1]]
        return first

    def kept(self, unknown: Unknown) -> tuple[AsWritten, Bools]:
        """Return the labels that are classes, what takes the place of others, and which others."""
        pointer, numbers, codes = self.coded.row_ends, self.numbers, self.coded.codes
        bad, blank = numbers < 0, np.zeros(len(pointer) - 1, dtype=np.int64)
        if unknown == "root":
            numbers = np.where(bad, self.hierarchy.root_indices[0], numbers)
        elif bad.any():
            np.add.at(blank, row_numbers(pointer)[self._entries("blank label")], 1)
            pointer = offsets(~bad)[pointer]
            numbers, codes = numbers[~bad], codes[~bad]
        if unknown == "drop":
            blank[list(self.rows.bare)] += 1
        written = AsWritten(
            pointer, numbers.astype(np.int32), n_blank=blank if blank.any() else None
        )
        if self.rows.levels:
            above = [self.paths.found.get(path, (None, []))[1] for path in self.coded.values]
            nodes = Coded(codes, self.coded.values).spread(above)
            known = np.array(nodes.values, dtype=np.int32)
            written = replace(written, node_ptr=nodes.row_ends, nodes=known[nodes.codes])
        return written, bad


def _shape(name: object) -> str:
    """Return a name with 9 for digits and a for letters."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", str(name)))


def _twice(rows: LabelRows) -> str:
    """Say where the first repeated id stands."""
    ids = list(rows.ids or ())
    name = first_repeated(ids)
    before = ids.index(name)
    place = rows.where(ids.index(name, before + 1), 0)
    long = (np.diff(rows.coded.row_ends) == 1).all()
    remedy = "for one label per line use the format long" if long else "keep one of them"
    return f"{place}: instance {shown(name)} already occurs at {rows.where(before, 0)}; {remedy}"


# ---------------------------------------------------------------- what may be meant

LIST_SIGNS = ("|", ";", ",", " ")
"""What stands between the labels of a list."""

PATH_SIGNS = (" -> ", "->", " > ", ">", "::", "\\", "/", ".", ":")
"""What stands between the classes of a path."""

WRAPPING = "[](){}'\" "
"""What languages write around lists and texts, and label files do not."""


def remedy_for(name: Any, hierarchy: Hierarchy, *, by_blanks: bool = False) -> str:
    """Return what to do about a label that holds a path, several labels, or none."""
    if not isinstance(name, str):
        return ""
    if is_blank(name):
        return "; leave the field blank where there are no labels"
    parts = {s: [part.strip() for part in name.split(s)] for s in (*LIST_SIGNS, *PATH_SIGNS)}
    for sign in LIST_SIGNS if not by_blanks else ():
        inner = _path_sign(parts[sign], hierarchy) if sign in name else ""
        if inner:
            return (
                f"; are these several paths from the top, separated by {sign!r}? Then "
                f"give --separator '{sign}' --paths '{inner}' "
                f"(Columns(separator={sign!r}, paths={inner!r}))"
            )
    path = _path_sign([name], hierarchy)
    if path:
        several = f"; or several labels, one above the other? --separator {path!r}"
        return (
            f"; is this a path from the top to its class? Then split it at {path!r} for "
            f"LabelSets.from_levels, or of files give --paths '{path}' (Columns(paths={path!r}))"
            f"{several if path in LIST_SIGNS and not by_blanks else ''}"
        )
    for sign, some in parts.items():
        if all(part in hierarchy for part in some):
            numbers = hierarchy.index(some)
            if sign in PATH_SIGNS and hierarchy.reaches(numbers, upwards=True)[numbers].any():
                return (
                    f"; is this a path? --paths '{sign}' takes paths that run from the top "
                    "to the class and leave out none; or give the class alone"
                )
            if by_blanks and sign == "|":
                return "; separate labels by blanks or commas"
            return f"; are these several, separated by {sign!r} (--separator)?"
        if all(part.strip(WRAPPING) in hierarchy for part in some):
            return "; write labels without quotes and brackets, as a|b"
    return ""


def _path_sign(texts: list[str], hierarchy: Hierarchy) -> str:
    """Return the text between the classes of these paths, if all of them are paths that exist."""
    resolve = PathNames(hierarchy)
    for sign in (*PATH_SIGNS, *LIST_SIGNS):
        paths = (split_path(text, sign) for text in texts)
        if any(sign in text for text in texts) and None not in map(resolve, paths):
            return sign
    return ""
