"""Labels as they are written, and the classes that they are, or what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, partial
from os.path import commonprefix
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, check_choice, counted, first_repeated, listed, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, Floats, Ints, groups_by, offsets, row_numbers
from hierpair.hierarchy.building import is_missing, plain_names
from hierpair.hierarchy.columns import is_blank, whole
from hierpair.labels.coded import Coded, all_distinct, coded, taken

__all__ = [
    "GO_ON",
    "NO_TRUTH",
    "AsWritten",
    "Fault",
    "Faults",
    "LabelRows",
    "PathNames",
    "Unknown",
    "check_ids",
    "check_order",
    "is_missing",
    "is_truth",
    "numbers_of",
    "resolve_rows",
    "split_path",
]

Path = tuple[Any, ...]

NO_TRUTH = (
    "a truth value is no class; give rows of 0 and 1 as the pair (matrix, classes), or use "
    "LabelSets.from_indicator"
)


def check_order(sequence: object, what: str) -> None:
    """Refuse a set where the order says which entry belongs to which instance or column.

    A set of texts has another order in every run of Python, so the numbers would differ too.
    The keys of a dict count as a set.
    """
    if isinstance(sequence, Set):
        raise BadInput(
            f"{what} must have an order, and a {type(sequence).__name__} has none; give a list"
        )


def check_ids(ids: Sequence[Hashable], n: int) -> None:
    """Refuse ids that are not one per instance or not unique."""
    check_order(ids, "ids (one per instance)")
    if len(ids) != n:
        raise BadInput(f"got {counted(len(ids), 'id')} for {counted(n, 'instance')}")
    if not all_distinct(ids):
        twice = first_repeated(ids)
        raise BadInput(f"instance {shown(twice)} occurs twice; every id must be unique")


def numbers_of(names: Sequence[Any], hierarchy: Hierarchy) -> Ints:
    """Return the class number of every name, -1 for an unknown one."""
    get = hierarchy.position.get
    try:
        return np.array([get(name, -1) for name in names], dtype=np.int64)
    except TypeError:
        nested = next((x for x in names if not isinstance(x, Hashable)), names)
        raise BadInput(f"a label must be one class name, got {shown(nested)}") from None


def is_truth(name: Any) -> bool:
    """Whether a label is True or False, or a path with one of these."""
    held = name if isinstance(name, tuple) else (name,)
    return any(isinstance(x, (bool, np.bool_)) for x in held)


def split_path(text: str, separator: str) -> Path:
    """Return the names in a text that is a path; one before the first name says nothing.

    >>> split_path("/a/b", "/"), split_path("a/b", "/"), split_path("", "/")
    (('a', 'b'), ('a', 'b'), ('',))
    """
    names = tuple(text.split(separator))
    return names[1:] if names[0] == "" and len(names) > 1 else names


class PathNames:
    """Turns paths into class names, each path once.

    A path ``("a", "b")`` is the class ``"a/b"`` where the hierarchy names classes by their paths,
    whatever separates the names there, and otherwise the class ``"b"``, if every class on it is a
    child of the one before. ``found`` holds the class of every path seen and, in the second
    case, the numbers of the classes on it.
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self.found: dict[Path, tuple[Hashable | None, list[int]]] = {}

    def __call__(self, path: Path) -> Hashable | None:
        """Return the class that a path ends at; None for one that does not exist."""
        if path not in self.found:
            self.found[path] = self._resolved(path)
        return self.found[path][0]

    def _resolved(self, path: Path) -> tuple[Hashable | None, list[int]]:
        numbers = self._chain(path)
        signs = ["/"] if numbers else ["/", *path_separators(self.hierarchy)]
        numbers_as_such = [whole(name) if isinstance(name, float) else name for name in path]
        names = (sign.join(map(str, texts)) for sign in signs for texts in (path, numbers_as_such))
        joined = next((name for name in names if name in self.hierarchy), None)
        return (joined, []) if joined is not None or not numbers else (path[-1], numbers)

    def _chain(self, path: Path) -> list[int]:
        """Return the numbers of the classes on a path, if each is a child of the one before."""
        h = self.hierarchy
        numbers = [h.position.get(name, -1) for name in path]
        below = (h.parents[h.parent_ptr[c] : h.parent_ptr[c + 1]] for c in numbers[1:])
        if -1 in numbers or not all(map(np.isin, numbers, below)):
            return []
        return numbers

    def fault(self, path: Path) -> str:
        """Return why a path does not exist."""
        for name in path:
            if name not in self.hierarchy:
                return self.hierarchy.unknown_message(name)
        k = next(k for k in range(1, len(path)) if not self._chain(path[k - 1 : k + 1]))
        return (
            f"{shown(path[k])} is not a child of {shown(path[k - 1])} (levels {k} and {k + 1} of "
            f"the path {'/'.join(map(str, path))!r}); paths run from the top to the label"
        )


def path_separators(hierarchy: Hierarchy) -> list[str]:
    """Return what may stand between the names of a path where classes are named by their paths.

    >>> path_separators(Hierarchy.from_paths([["a", "b"], ["a", "c"]], separator=" > "))
    [' > ', ' >', ' ']
    """

    def found() -> list[str]:
        names, below = list(map(str, hierarchy.names)), row_numbers(hierarchy.parent_ptr).tolist()
        pairs = (
            (names[p], names[c]) for p, c in zip(hierarchy.parents.tolist(), below, strict=True)
        )
        rests = [child[len(parent) :] for parent, child in pairs if child.startswith(parent)]
        sign = re.match(r"[\W_]*", commonprefix(rests))[0]  # type: ignore[index]  # noqa: RUF071
        return [sign[:k] for k in range(len(sign), 0, -1)]

    return hierarchy.cached("path separators", found)


@dataclass(frozen=True, eq=False)
class LabelRows:
    """The labels of every instance as they were written.

    Attributes
    ----------
    rows
        The labels of every instance, as lists or coded (:class:`Coded`, which they become); a blank
        field is the label ``""``. With ``levels`` each label is a path, a tuple of names from the
        top.
    where
        Tells where label ``k`` of instance ``i`` stands, or the instance itself with k = 0.
    ids
        Instance ids, or None where instances are known by their position.
    levels
        Whether labels are paths.
    hint
        Words to add to an error about a label, such as how the file was read.
    notes
        What a user should know beside the labels.
    bare
        Numbers of the instances whose text of labels is blank: no labels, or, where blank labels
        count, a single blank one.
    scores
        The score of every label, row by row, if all have one.
    unused_scores
        Whether there were scores that no label was chosen by.
    header
        What to do if the first instance is a header; None where it cannot be one.
    from_file
        Whether labels were written by somebody who can be told about bars, lines and options.
    """

    rows: Sequence[list[Any]]
    where: Callable[[int, int], str]
    ids: list[Hashable] | None = None
    levels: bool = False
    hint: str = ""
    notes: tuple[str, ...] = ()
    bare: Sequence[int] = ()
    scores: Floats | None = None
    unused_scores: bool = False
    header: str | None = None
    from_file: bool = True

    @classmethod
    def in_memory(
        cls, rows: Sequence[Any], ids: Sequence[Hashable] | None = None, **more: Any
    ) -> LabelRows:
        """Return labels of instances that are told by their ids or positions."""
        if ids is not None:
            check_ids(ids, len(rows))
        names = None if ids is None else plain_names(ids)
        where = lambda i, k=0: f"instance {shown(i if names is None else names[i])}"  # noqa: E731
        return cls(rows, where, names, from_file=False, **more)

    @cached_property
    def coded(self) -> Coded:
        """The labels as pointer, codes and values."""
        return coded(self.rows).lists

    def place(self, entry: int, *, who: bool = False) -> str:
        """Return where an entry of ``coded`` stands, with the instance if it has an id."""
        i, k = self.coded.row_of(entry)
        named = f", instance {shown(self.ids[i])}" if who and self.ids else ""
        return f"{self.where(i, k)}{named}"

    def as_paths(self, separator: str) -> LabelRows:
        """Return the labels as paths: ``"a/b"`` is the class b below the class a.

        Raises
        ------
        BadInput
            For a blank label.
        """

        def path(label: Any, entry: int) -> tuple[Any, ...]:
            names = label if isinstance(label, tuple) else split_path(str(label), separator)
            if names == ("",):
                raise BadInput(f"{self.place(entry)}: a label is missing (got '')")
            return names

        rows = self.coded
        return replace(self, rows=replace(rows, values=rows.each(path)), levels=True)


@dataclass(frozen=True, eq=False)
class AsWritten:
    """The labels of instances as they came: in their order, with repeated ones, with paths.

    Kept where the sets alone do not tell it. Only measures that read root paths or break ties by
    the order of the labels use it.

    Attributes
    ----------
    ptr, classes
        Labels of instance ``i`` are ``classes[ptr[i]:ptr[i + 1]]``.
    node_ptr, nodes
        The path of label ``k`` is ``nodes[node_ptr[k]:node_ptr[k + 1]]``, from the top to its
        class; empty where no path was given. None where labels are classes.
    n_blank
        Number of blank labels of every instance, which were dropped on request, or None.
    """

    ptr: Ints
    classes: NDArray[np.int32]
    node_ptr: Ints | None = None
    nodes: NDArray[np.int32] | None = None
    n_blank: Ints | None = None

    def take(self, rows: NDArray[np.integer]) -> AsWritten:
        """Return these instances in this order; the row number -1 gives an empty one."""
        ptr, at = taken(self.ptr, rows)
        node_ptr = nodes = blank = None
        if self.node_ptr is not None and self.nodes is not None:
            node_ptr, inner = taken(self.node_ptr, at)
            nodes = self.nodes[inner]
        if self.n_blank is not None:
            blank = np.append(self.n_blank, 0)[rows]
        return AsWritten(ptr, self.classes[at], node_ptr, nodes, blank)


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
    for fault in (*table.repeated(), *table.faults()):
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

    def _entries(self, *rules: str) -> Ints:
        """Return the entries whose labels are wrong by one of these rules, or by any."""
        found = [k for k, rule in self.wrong.items() if not rules or rule in rules]
        return np.flatnonzero(np.isin(self.coded.codes, found)) if found else np.arange(0)

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
        for i, fault in enumerate(self.faults()):
            if self._is_passed(fault, unknown, i):
                continue
            entry = int(fault.entries[0])
            place, more = self.rows.place(entry, who=self.rows.from_file), ""
            if fault.rule == "header":
                place = self.rows.where(0, 0)
            elif entry == 0 and self.header:
                more = f"; or is this line a header? Then {self.rows.header}"
            raise BadInput(f"{place}: {fault.message(entry)}{more}")

    def _is_passed(self, fault: Fault, unknown: Unknown, before: int) -> bool:
        """Whether to go on in spite of a fault; what is made of known labels is never dropped."""
        if fault.rule == "blank label":
            return unknown == "drop" and self.rows.from_file
        if fault.rule != "unknown label" or unknown == "error":
            return fault.rule == "header" and unknown == "error"
        looked_at = self.rows.from_file and before < MOST_MENDS and not is_blank(fault.label)
        made = looked_at and bool(self._remedy(fault.label))
        return not made and self.hierarchy.twin_of(fault.label) is None

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
        """Yield what is wrong, in the order of the labels: one fault for each that is no class."""
        if self.header:
            yield self._fault("header", np.arange(1))
        bad, codes = self._entries(), self.coded.codes
        for group in sorted(groups_by(codes[bad]), key=lambda group: int(group[0])):
            yield self._fault(self.wrong[int(codes[bad[group[0]]])], bad[group])

    def repeated(self) -> Iterator[Fault]:
        """Yield labels that stand twice in an instance, the first of every instance."""
        owner = row_numbers(self.coded.row_ends)
        key = owner * max(1, len(self.names)) + self.coded.codes
        again = np.delete(np.arange(len(key)), np.unique(key, return_index=True)[1])
        again = np.setdiff1d(again, self._entries("blank label", "path"))
        first = again[np.unique(owner[again], return_index=True)[1]]
        if len(first):
            yield self._fault("repeated label", first)

    def _fault(self, rule: str, entries: Ints) -> Fault:
        label = self.names[int(self.coded.codes[entries[0]])]
        return Fault(rule, entries, partial(self.message, rule=rule), label)

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
