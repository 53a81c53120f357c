"""From names to class numbers, and what becomes of names that are no class."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, check_choice, first_repeated, listed, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers
from hierpair.hierarchy.building import plain_number
from hierpair.labels.coded import all_distinct, coded
from hierpair.labels.naming import (
    NO_TRUTH,
    PathNames,
    is_missing,
    is_truth,
    numbers_of,
    whole_text,
)
from hierpair.labels.rows import AsWritten, LabelRows

__all__ = [
    "GO_ON",
    "Fault",
    "Faults",
    "Resolved",
    "Unknown",
    "remedy_for",
    "resolve_rows",
    "unknown_message",
]

Unknown = Literal["error", "drop", "root"]

NO_LABEL = ("nan", "none", "null", "na", "n/a", "#n/a", "-")
"""How programs write that there is no label."""

MOST_MENDS = 100
"""Unknown labels that are looked at for a mend before they are left out: each takes a while."""

GO_ON = "(to go on without it: unknown='drop' or 'root')"
"""What can be done about a label that is no class."""


@dataclass(frozen=True, eq=False)
class Resolved:
    """Class numbers of all labels, row by row, and how many labels were no class.

    ``as_written`` holds paths, or blanks that were dropped, where there were some.
    """

    pointer: NDArray[np.int64]
    numbers: NDArray[np.int64]
    n_unknown: int = 0
    as_written: AsWritten | None = None


@dataclass(frozen=True, eq=False)
class Fault:
    """What is wrong with some labels, for who collects faults instead of stopping at the first.

    Attributes
    ----------
    rule
        ``"path"``, ``"truth value"``, ``"blank label"``, ``"header"``, ``"repeated label"`` (which
        scoring allows) or ``"unknown label"`` (one fault for every label that is unknown).
    entries
        The labels concerned, as numbers of entries of ``rows.coded``.
    message
        Tells of an entry what is wrong and what to do.
    rows
        The labels as they were read: ``rows.place(entry)`` says where one stands.
    label
        The first label concerned.
    """

    rule: str
    entries: NDArray[np.integer]
    message: Callable[[int], str]
    rows: LabelRows
    label: Any = None


Faults = Callable[[Fault], None]


def resolve_rows(
    rows: LabelRows,
    hierarchy: Hierarchy,
    unknown: Unknown = "error",
    *,
    from_file: bool = False,
    faults: Faults | None = None,
) -> Resolved:
    """Look all names up; errors name place, instance and label.

    With ``faults`` nothing is refused: every fault is handed over, what it concerns is left out,
    and repeated ids stay.
    """
    check_choice("unknown", unknown, ("error", "drop", "root"))
    if faults is None and rows.ids is not None and not all_distinct(rows.ids):
        raise BadInput(_twice(rows))
    table = _Table(rows, hierarchy, from_file)
    if faults is not None:
        for fault in table.faults():
            faults(fault)
        return table.kept("drop")
    table.check(unknown)
    return table.kept(unknown)


class _Table:
    """The different labels of some rows with their class numbers, -1 for what is no class."""

    def __init__(self, rows: LabelRows, hierarchy: Hierarchy, from_file: bool) -> None:
        self.rows, self.hierarchy, self.from_file = rows, hierarchy, from_file
        self.coded = rows.coded
        self.paths = PathNames(hierarchy)
        self.lost = np.zeros(len(self.coded.values), dtype=bool)  # paths that do not exist
        self.names = self._class_names() if rows.levels else self.coded.values
        self.number = numbers_of(self.names, hierarchy)
        if from_file and (self.number < 0).any():
            whole = [whole_text(name) if self.number[k] < 0 and isinstance(name, str) else None
                     for k, name in enumerate(self.names)]  # fmt: skip
            self.number = np.maximum(self.number, numbers_of(whole, hierarchy))
        self.blank = np.zeros(len(self.names), dtype=bool)
        self.truth = np.zeros(len(self.names), dtype=bool)
        for k, name in enumerate(self.names):
            if is_truth(self.coded.values[k]):
                self.truth[k], self.lost[k], self.number[k] = True, False, -1
            elif self.number[k] < 0:
                self.blank[k] = is_missing(name) and not self.lost[k]
        self.numbers = self.number[self.coded.codes] if len(self.number) else np.zeros(0, np.int64)

    def _class_names(self) -> list[Any]:
        """Return the classes that the different paths end at; None for those that do not exist."""
        names = self.coded.each(lambda path, _: None if path is None else self.paths(path))
        met = self.coded.firsts() < len(self.coded.codes)
        self.lost = np.array([m and name is None for m, name in zip(met, names, strict=True)], bool)
        return names

    def fault_of(self, k: int) -> str:
        """Return what is wrong with a different label that is no class."""
        name = self.names[k]
        if self.lost[k]:
            return self.paths.fault(self.coded.values[k])
        if self.truth[k]:
            return f"{NO_TRUTH} (got {shown(self.coded.values[k])})"
        if self.blank[k]:
            remedy = "is there a bar too many?"
            if not self.from_file:
                remedy = "write an empty set for no labels"
            return f"a label is missing (got {shown(name)}); {remedy}{self.rows.hint}"
        if self.from_file:
            remedy = remedy_for(name, self.hierarchy, by_blanks=bool(self.rows.hint))
        else:
            remedy = split_remedy(name, self.hierarchy)
        said = unknown_message(name, self.hierarchy)
        go_on = f" {GO_ON}" if twin_of(name, self.hierarchy) is None else ""
        return f"{said}{remedy}{go_on}{self.rows.hint}"

    def check(self, unknown: Unknown) -> None:
        """Refuse the first label that will not do."""
        refused = self.truth | self.lost
        if not (self.from_file and unknown == "drop"):
            refused |= self.blank
        if unknown == "error":
            refused |= self.number < 0
        else:
            for i, k in enumerate(
                np.flatnonzero((self.number < 0) & ~self.blank & ~refused).tolist()
            ):
                refused[k] = twin_of(self.names[k], self.hierarchy) is not None or (
                    i < MOST_MENDS and self._is_misread(self.names[k])
                )
        if self.lost.any():  # paths before all else, since what they end at is not known
            self._refuse(int(self.coded.codes[np.flatnonzero(self.lost[self.coded.codes])[0]]))
        codes = self.coded.codes
        bad = np.flatnonzero(refused[codes]) if refused.any() else codes[:0]
        if unknown == "root" and (self.number < 0).any():
            single_root(self.hierarchy)
        if unknown != "error" and self.is_headed:
            raise BadInput(f"{self.rows.where(0, 0)}: {self._header()}")
        if len(bad):
            more = f"; or is this line a header? Then {self.rows.header}"
            self._refuse(int(codes[bad[0]]), more if bad[0] == 0 and self.is_headed else "")

    def _is_misread(self, name: Any) -> bool:
        """Whether an unknown label is made of known ones, which must not be dropped."""
        if str(name).strip().lower() in NO_LABEL:
            return False
        return bool(remedy_for(name, self.hierarchy, by_blanks=bool(self.rows.hint)))

    def _refuse(self, k: int, more: str = "") -> None:
        entry = int(self.coded.firsts()[k])
        place = self.rows.place(entry, who=self.from_file)
        raise BadInput(f"{place}: {self.fault_of(k)}{more}")

    @property
    def is_headed(self) -> bool:
        """Whether the first line looks like a header: no class in it, and classes below.

        A label that looks like others of the file, sign by sign, is rather a class that is gone,
        and so is one for which there is a mend.
        """
        n, codes, known = int(self.coded.row_ends[:2][-1]), self.coded.codes, self.numbers >= 0
        if self.rows.header is None or not n or known[:n].any():
            return False
        if self.blank[codes[:n]].any() or 2 * np.count_nonzero(known[n:]) <= len(known) - n:
            return False
        first = [str(self.names[k]) for k in codes[:n].tolist()]
        others = {_shape(str(self.names[k])) for k in np.unique(codes[n:]).tolist()}
        by_blanks = bool(self.rows.hint)
        return not any(
            (any(map(str.isdigit, name)) and _shape(name) in others)
            or remedy_for(name, self.hierarchy, by_blanks=by_blanks)
            for name in first
        )

    def _header(self) -> str:
        names = [self.names[k] for k in self.coded.codes[: int(self.coded.row_ends[1])].tolist()]
        return (
            f"this line looks like a header: {listed(names)} is no class, and labels of other "
            f"lines are; {self.rows.header}"
        )

    def faults(self) -> Iterator[Fault]:
        """Yield everything that is wrong, by rules."""
        codes = self.coded.codes
        missing = "a label is missing (unknown='drop' passes over it)"
        for rule, chosen, message in (
            ("path", self.lost, None),
            ("truth value", self.truth, None),
            ("blank label", self.blank, missing),
        ):
            entries = np.flatnonzero(chosen[codes]) if len(chosen) else codes[:0]
            if len(entries):
                yield self._fault(rule, entries, message)
        if self.is_headed:
            yield self._fault("header", np.zeros(1, dtype=np.int64), self._header())
        again = self._repeated()
        if len(again):
            yield self._fault("repeated label", again, lambda k: f"{shown(self.names[k])} occurs "
                              "twice")  # fmt: skip
        odd = (self.number < 0) & ~self.blank & ~self.truth & ~self.lost
        unknown = np.flatnonzero(odd[codes]) if odd.any() else codes[:0]
        unknown = unknown[np.argsort(codes[unknown], kind="stable")]
        each = np.split(unknown, np.flatnonzero(np.diff(codes[unknown])) + 1)
        for entries in sorted((x for x in each if len(x)), key=lambda x: int(x[0])):
            yield self._fault("unknown label", entries)

    def _fault(
        self,
        rule: str,
        entries: NDArray[np.integer],
        message: str | Callable[[int], str] | None = None,
    ) -> Fault:
        say = self.fault_of if message is None else message
        codes = self.coded.codes

        def told(entry: int) -> str:
            return say if isinstance(say, str) else say(int(codes[entry]))

        return Fault(rule, entries, told, self.rows, self.names[codes[entries[0]]])

    def _repeated(self) -> NDArray[np.int64]:
        """Return labels that stand twice in an instance, the first of every instance."""
        codes, owner = self.coded.codes, row_numbers(self.coded.row_ends)
        order = np.lexsort((codes, owner))
        before, after = order[:-1], order[1:]
        same = (owner[before] == owner[after]) & (codes[before] == codes[after])
        again = np.sort(after[same])
        if len(again):
            again = again[~(self.blank | self.lost)[codes[again]]]
        first: NDArray[np.int64] = again[np.unique(owner[again], return_index=True)[1]]
        return first

    def kept(self, unknown: Unknown) -> Resolved:
        """Return the labels that are classes, and what takes the place of the others."""
        pointer, numbers, rows = self.coded.row_ends, self.numbers, self.rows
        bad = numbers < 0
        n_bad, n = int(np.count_nonzero(bad)), len(pointer) - 1
        blank = np.zeros(n, dtype=np.int64)
        codes = self.coded.codes
        if n_bad and unknown == "root":
            numbers = np.where(bad, single_root(self.hierarchy), numbers)
        elif n_bad:
            lost = bad & self.blank[codes]
            blank = np.bincount(row_numbers(pointer)[lost], minlength=n)
            pointer, numbers, codes = (
                offsets((~bad).astype(np.int64))[pointer],
                numbers[~bad],
                codes[~bad],
            )
        if self.from_file and unknown == "drop" and len(rows.bare):
            bare = np.asarray(rows.bare, dtype=np.int64)
            whole = self.coded.row_ends
            bare = bare[whole[bare] == whole[bare + 1]]
            blank = blank + np.bincount(bare, minlength=n)
        n_blank = blank if blank.any() else None
        if not rows.levels:
            written = None
            if n_blank is not None:
                written = AsWritten(pointer, numbers.astype(np.int32), n_blank=n_blank)
            return Resolved(pointer, numbers, n_bad, written)
        nodes = coded([self.paths.numbers.get(p, []) if p is not None else []
                       for p in self.coded.values]).lists  # fmt: skip
        size = np.diff(nodes.row_ends)[codes]
        known = np.array(nodes.values, dtype=np.int32)
        listed = known[nodes.codes[ragged_ranges(nodes.row_ends[codes], size)]]
        written = AsWritten(pointer, numbers.astype(np.int32), offsets(size), listed, n_blank)
        return Resolved(pointer, numbers, n_bad, written)


def single_root(hierarchy: Hierarchy) -> int:
    """Return the number of the only root, which stands in for unknown labels."""
    if len(hierarchy.root_indices) != 1:
        raise BadInput(
            f"unknown='root' needs a single root; this hierarchy has {len(hierarchy.roots)}"
        )
    return int(hierarchy.root_indices[0])


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

WRAPPING = "[](){}'\""
"""What languages write around lists and texts, and label files do not."""


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
    found = next((hierarchy.position[form] for form in forms if form in hierarchy), None)
    return None if found is None else hierarchy.names[found]


def unknown_message(name: Any, hierarchy: Hierarchy) -> str:
    """Return the sentence that says that a label is no class, and which one may be meant."""
    twin = twin_of(name, hierarchy)
    if twin is None:
        return hierarchy.unknown_message(name)
    kind = type(name.item() if isinstance(name, np.generic) else name).__name__
    mend = "; decode the labels, as by .decode()" if isinstance(name, bytes) else ""
    return (
        f"class {shown(name)} is not in the hierarchy; {twin!r} is, but as "
        f"{type(twin).__name__}, not {kind}{mend}"
    )


def remedy_for(name: Any, hierarchy: Hierarchy, *, by_blanks: bool) -> str:
    """Return what to do about a field that holds a path, several labels, or none."""
    if not isinstance(name, str):
        return ""
    if name.strip().lower() in NO_LABEL:
        return "; leave the field blank where there are no labels"
    for separator in LIST_SIGNS:
        parts = [part.strip() for part in name.split(separator)]
        if not by_blanks and len(parts) > 1:
            sign = _path_sign(parts, hierarchy)
            if sign:
                return (
                    f"; are these several paths from the top, separated by {separator!r}? Then "
                    f"give --separator '{separator}' --paths '{sign}' "
                    f"(Columns(separator={separator!r}, paths={sign!r}))"
                )
    sign = _path_sign([name], hierarchy)
    if sign:
        several = sign in LIST_SIGNS and not by_blanks
        return (
            f"; is this a path from the top to its class? Then give --paths '{sign}' "
            f"(Columns(paths={sign!r}))"
            + (f"; or several labels, one above the other? --separator {sign!r}" if several else "")
        )
    for separator in (*LIST_SIGNS, "/", *PATH_SIGNS):
        parts = [part.strip() for part in name.split(separator)]
        bare = [part.strip(WRAPPING + " ") for part in parts]
        if len(parts) > 1 and separator not in LIST_SIGNS and _above_each_other(parts, hierarchy):
            return (
                f"; is this a path? --paths '{separator}' takes paths that run from the top to the "
                "class and leave out none; or give the class alone"
            )
        if by_blanks and separator == "|" and all(part in hierarchy for part in parts):
            return "; separate labels by blanks or commas"
        if all(part in hierarchy for part in parts):
            return f"; are these several, separated by {separator!r} (--separator)?"
        if all(part in hierarchy for part in bare):
            return "; write labels without quotes and brackets, as a|b"
    return ""


def split_remedy(name: Any, hierarchy: Hierarchy) -> str:
    """Return what to do about a label in memory that is a whole path."""
    sign = _path_sign([name], hierarchy) if isinstance(name, str) else ""
    return f"; if this is a path, split it at {sign!r} for LabelSets.from_levels" if sign else ""


def _path_sign(texts: list[str], hierarchy: Hierarchy) -> str:
    """Return the text between the classes of these paths, if all of them are paths that exist."""
    resolve = PathNames(hierarchy)
    for sign in (*PATH_SIGNS, *LIST_SIGNS):
        try:
            paths = LabelRows([texts], lambda i, k: "").as_paths(sign).coded[0]
        except BadInput:
            continue
        if any(resolve(path) is None for path in paths):
            continue
        if any(len(path) > 1 for path in paths) or any(t.startswith(sign) for t in texts):
            return sign
    return ""


def _above_each_other(parts: list[str], hierarchy: Hierarchy) -> bool:
    """Whether one of these classes is an ancestor of another one."""
    if not all(part in hierarchy for part in parts):
        return False
    numbers = hierarchy.index(parts).tolist()
    return any(a in hierarchy.ancestor_numbers(b) for a in numbers for b in numbers)
