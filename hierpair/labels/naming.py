"""Labels as they are written, and the classes that they are, or what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import accumulate, repeat
from typing import Any, Literal, Self, get_args

import numpy as np

from hierpair.errors import (
    BadInput,
    HierpairError,
    check_choice,
    check_unique,
    counted,
    shown,
)
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import (
    Bools,
    Floats,
    Indices,
    Ints,
    Ragged,
    Shorts,
    groups_by,
    offsets,
    row_sums,
    taken,
)
from hierpair.hierarchy.building import is_missing, plain_names, plain_number
from hierpair.hierarchy.edge_list import is_blank, whole
from hierpair.labels.coded import Coded, Texts, are_texts, coded

Path = tuple[Any, ...]
Ids = Sequence[Hashable] | None
Named = tuple[Hashable, ...] | None

TRUTHS = (bool, np.bool_)

NO_CLASSES = (
    "of an indicator matrix (instances × classes) the class of every column must be given: as "
    "the pair (matrix, classes), such as (y, binarizer.classes_), or by a data frame with the "
    "classes as columns (of files an npz with --columns FILE), or use LabelSets.from_indicator "
    "where columns are in the order of hierarchy.names; scores go into measures of scores "
    "(hierpair measures lists them), or cut them at a threshold, as by "
    "NodeScores.from_array(scores, hierarchy).above(0.5)"
)

NO_NAME = (
    "of labels with scores give the names alone, or {id: {label: score}} to a measure of scores; "
    "of paths use LabelSets.from_levels"
)

NO_TRUTH = (
    "a truth value is no class; give rows of 0 and 1 as the pair (matrix, classes), or use "
    "LabelSets.from_indicator"
)


def check_order(sequence: object, what: str) -> None:
    """Refuse a set, whose order differs in every run, where the order tells what entries are."""
    if isinstance(sequence, Set):
        raise BadInput(f"{what} must have an order, and a set has none; give a list")


def checked_ids(ids: Ids, n: int) -> Named:
    """Return ids as values of Python; refuse those that are not one per instance or not unique."""
    if ids is None:
        return None
    check_order(ids, "ids (one per instance)")
    if len(ids) != n:
        raise BadInput(f"got {counted(len(ids), 'id')} for {counted(n, 'instance')}")
    said = "occurs twice; every id must be unique"
    check_unique(ids, lambda name: f"instance {shown(name)} {said}")
    return tuple(plain_names(ids))


def refuse(
    bad: Bools,
    said: Callable[[int], str],
    name: Callable[[int], Hashable] = lambda _: None,
    error: type[HierpairError] = BadInput,
) -> None:
    """Refuse the first entry that is bad, if there is one; ``name`` is that of its instance."""
    for k in np.flatnonzero(bad)[:1].tolist():
        raise error(said(k), name(k))


Orders = Mapping[str, tuple[int, int]]
"""By what a column is called, a number for its values in their order, and one in any order."""


def orders_of(columns: Mapping[str, Iterable[Any]]) -> Orders:
    """Return the orders of the columns whose values all differ, and may tell which row is which."""
    found = {}
    for name, column in columns.items():
        with suppress(TypeError):  # lists
            values = tuple(column)
            alone = frozenset(values)
            if len(alone) == len(values):
                found[name] = hash(values), hash(alone)
    return found


def order_of_index(thing: Any) -> Orders:
    """Return the order of the index of a Series or a data frame of pandas."""
    index: Any = getattr(thing, "index", None)
    return orders_of({"the index": index.tolist()}) if hasattr(index, "get_indexer") else {}


def check_position(true: Any, ids: Ids, orders: Orders, system: str) -> None:
    """Refuse instances by position where what is beside them says that they stand otherwise."""
    here, there = getattr(true, "orders", {}), orders  # a law has none
    named = true.ids if ids is None else ids
    if named is None:
        pairs = [(name, here[name], there[name]) for name in here if name in there]
    else:
        beside = there if ids is None else here
        own = orders_of({"ids": named} if beside else {}).values()
        pairs = [(name, one, beside[name]) for one in own for name in beside]
        if any(one == other for _, one, other in pairs):
            return
    odd = [name for name, one, other in pairs if one[1] == other[1] and one != other]
    for name in odd[:1]:
        mend = "name it as that of ids (--id-column, ids=); otherwise leave it out"
        if name == "the index":
            mend = "give .loc[truth.index]; otherwise give both with .reset_index(drop=True)"
        raise BadInput(
            f"{system}: do instances go by position, or by {name}, whose values stand in another "
            f"order than those of the truth? To match by it {mend}"
        )


def numbers_of(names: Sequence[Any], hierarchy: Hierarchy) -> Ints:
    """Return the class number of every name, -1 for what is none; True is not the class 1."""
    get = hierarchy.position.get
    if names is hierarchy.names:
        return np.arange(len(names))
    if isinstance(names, Texts) and (
        known := hierarchy.cached("texts", partial(_texts_of, hierarchy))
    ):
        return np.append(known[1], -1)[names.places(known[0])]

    def number(name: Any) -> int:
        try:
            return -1 if isinstance(name, TRUTHS) else get(name, -1)
        except TypeError:  # a list
            return -1

    found = map(get, names, repeat(-1)) if are_texts(names) else map(number, names)
    return np.fromiter(found, np.int64, len(names))


def _texts_of(hierarchy: Hierarchy) -> tuple[Any, Ints] | None:
    """Return all names as an array of Arrow, and their classes; None: it cannot hold them."""
    import pyarrow as pa

    known = hierarchy.position
    try:
        return pa.array(known, pa.string()), np.fromiter(known.values(), np.int64, len(known))
    except (TypeError, ValueError):  # numbers, halves of characters
        return None


# ---------------------------------------------------------------- paths


def path_end(path: Path, hierarchy: Hierarchy) -> tuple[int, list[int]]:
    """Return the class that a path ends at, -1 for none, and those on it where they are known."""
    texts = [str(whole(name) if isinstance(name, float) else name) for name in path]
    for sign in ("/", *_path_signs(hierarchy)):  # classes may be named by their paths
        joined = numbers_of(list(accumulate(texts, f"{{}}{sign}{{}}".format)), hierarchy).tolist()
        if _break(joined, hierarchy) == len(joined) > 0:
            return joined[-1], []
    numbers = numbers_of(path, hierarchy).tolist()
    return (numbers[-1], numbers) if _break(numbers, hierarchy) == len(path) else (-1, [])


def _break(numbers: list[int], hierarchy: Hierarchy) -> int:
    """Return where on a path a class is none, or no child of the one before; its length if none."""
    ptr = hierarchy.parent_ptr
    for k, c in enumerate(numbers):
        if c < 0 or (k and numbers[k - 1] not in hierarchy.parents[ptr[c] : ptr[c + 1]]):
            return k
    return len(numbers)


def _gap(path: Path, hierarchy: Hierarchy) -> str:
    """Return why a path does not exist."""
    numbers = numbers_of(path, hierarchy).tolist()
    if -1 in numbers:
        k = numbers.index(-1)
        blank = f"level {k + 1} of the path is blank: {shown(list(path))}"
        return blank if is_missing(path[k]) else hierarchy.unknown_message(path[k])
    k = _break(numbers, hierarchy)
    return (
        f"{shown(path[k])} is not a child of {shown(path[k - 1])} (levels {k} and {k + 1} "
        f"of the path {'/'.join(map(str, path))!r}); paths run from the top to the label"
    )


def _path_signs(hierarchy: Hierarchy) -> list[str]:
    """Return what stands between the names of the first edge, if its class is named by a path."""
    if not len(hierarchy.parents):
        return []
    above, below = (
        str(hierarchy.names[c]) for c in (hierarchy.parents[0], len(hierarchy.root_indices))
    )
    found = re.match(rf"{re.escape(above)}([\W_]*)", below)
    sign = found[1] if found else ""
    return [sign[:k] for k in range(len(sign), 0, -1)]


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
    amounts
        Whether the scores are amounts of the labels.
    from_file
        Whether labels were written by somebody who can be told about bars, lines and options.
    orders
        Of instances without ids what else may tell which they are (:func:`orders_of`).
    n_columns
        Of a matrix in a file how many columns it has.
    """

    rows: Sequence[list[Any]] | Coded
    where: Callable[[int, int], str]
    ids: Ids = None
    levels: bool = False
    hint: str = ""
    notes: tuple[str, ...] = ()
    bare: Sequence[int] = ()
    scores: Floats | None = None
    unused_scores: bool = False
    header: str | None = None
    amounts: bool = False
    from_file: bool = True
    orders: Orders = field(default_factory=dict)
    n_columns: int | None = None

    @classmethod
    def in_memory(cls, rows: Sequence[Any] | Coded, ids: Ids = None, **more: Any) -> LabelRows:
        """Return labels of instances that are told by their ids or positions."""
        names = checked_ids(ids, len(rows))
        where = lambda i, k=0: f"instance {shown(i if names is None else names[i])}"  # noqa: E731
        return cls(rows, where, names, from_file=False, **more)

    @cached_property
    def coded(self) -> Coded:
        """The labels as pointer, codes and values."""
        found = coded(self.rows)
        return replace(found, pointer=found.row_ends)

    def place(self, entry: int, *, who: bool = False) -> str:
        """Return where an entry of ``coded`` stands, with the instance if it has an id."""
        i, k = self.coded.row_of(entry)
        named = f", instance {shown(self.ids[i])}" if who and self.ids else ""
        return f"{self.where(i, k)}{named}"

    def label(self, entry: int) -> Any:
        """Return an entry of ``coded``."""
        return self.coded.values[self.coded.codes[entry]]

    def repeated(self) -> Iterator[tuple[str, str]]:
        """Yield where an id comes again, and what is to be said of it."""
        names, first = self.ids or (), dict[Any, int]()
        for i, name in enumerate(names if len(set(names)) < len(names) else ()):  # usually none
            if first.setdefault(name, i) != i:
                before = self.where(first[name], 0)
                yield self.where(i, 0), f"instance {shown(name)} already occurs at {before}"

    def as_paths(self, separator: str) -> LabelRows:
        """Return the labels as paths: ``"a/b"`` is the class b below the class a, as is
        ``"/a/b"``.
        """

        def path(label: Any, entry: int) -> Path:
            names = label if isinstance(label, tuple) else _parts(str(label), separator)
            if names == ("",):
                raise BadInput(f"{self.place(entry)}: a label is missing (got '')")
            return names

        rows = self.coded
        return replace(self, rows=replace(rows, values=rows.each(path)), levels=True)


def _parts(text: str, sign: str) -> Path:
    """Return the names in a path; a sign before the first one says nothing."""
    return tuple(text.removeprefix(sign).split(sign))


@dataclass(frozen=True, eq=False)
class AsWritten(Ragged):
    """The labels of instances in their order, with repeated ones, paths, and blanks that were
    dropped: label ``k`` has the path ``nodes[node_ptr[k]:node_ptr[k + 1]]``, empty without one.
    """

    indptr: Ints
    indices: Shorts
    node_ptr: Ints | None = None
    nodes: Shorts | None = None
    n_blank: Ints | None = None

    def some(self, indptr: Ints, at: Any, **more: Any) -> Self:
        """Return rows of some labels, with their paths."""
        if self.node_ptr is not None and self.nodes is not None:
            at = np.arange(len(self.indices))[at]
            node_ptr, inner = taken(self.node_ptr, at)
            more |= {"node_ptr": node_ptr, "nodes": self.nodes[inner]}
        return super().some(indptr, at, **more)

    def take(self, rows: Indices | slice) -> Self:
        """Return these instances in this order; the row number -1 gives an empty one."""
        blank = None if self.n_blank is None else np.append(self.n_blank, 0)[rows]
        return replace(super().take(rows), n_blank=blank)


Unknown = Literal["error", "drop", "root"]
"""What happens to a label that is no class: an error; it is dropped; the root takes its place."""

Missing = Literal["error", "empty"]
"""What an instance without a prediction is: an error, or one with an empty set."""

GO_ON = "(to go on without it: unknown='drop' or 'root')"
"""What can be done about a label that is no class."""


@dataclass(frozen=True, eq=False)
class LabelFault:
    """What is wrong with some labels, for who collects faults instead of stopping at the first.

    The rule is ``"path"``, ``"truth value"``, ``"blank label"``, ``"header"`` or ``"unknown
    label"``: one fault for every label that is no class. The labels concerned are numbers of
    entries of ``LabelRows.coded``; ``LabelRows.place(entry)`` says where one stands, and
    ``message()`` what is wrong and what to do. It is ``certain`` if the label can mean no class.
    """

    rule: str
    entries: Indices
    message: Callable[[], str]
    label: Any = None
    certain: bool = False


Faults = Callable[[LabelFault], None]


def resolve_rows(
    rows: LabelRows, hierarchy: Hierarchy, unknown: Unknown, *,
    faults: Faults | None = None,
) -> tuple[AsWritten, Bools, int]:  # fmt: skip
    """Return the classes of labels, which labels have one, and how many were none.

    Errors name instance and label. With ``faults`` nothing is refused: every fault is handed over,
    and left out.
    """
    check_choice("unknown", unknown, get_args(Unknown))
    labels, pointer = rows.coded, rows.coded.row_ends
    number, on_paths = _looked_up(rows, hierarchy)
    numbers = number[labels.codes]
    kept: Any = numbers >= 0
    n_unknown, n_blank = len(kept) - int(np.count_nonzero(kept)), np.zeros(len(labels), np.int64)
    if faults is None:
        _check(rows, hierarchy, numbers, unknown)
    else:
        unknown = "drop"
        for fault in _faults(rows, hierarchy, numbers):
            faults(fault)
    if unknown == "root":
        numbers = np.where(kept, numbers, hierarchy.root_indices[0])
        kept = np.ones(len(kept), dtype=bool)
    if unknown == "drop":
        n_blank[list(rows.bare)] += 1
    if not kept.all():
        blank = np.array([not rows.levels and is_missing(x) for x in labels.values])
        n_blank += row_sums(~kept & blank[labels.codes], pointer)
    written = AsWritten(
        offsets(row_sums(kept, pointer)), numbers[kept].astype(np.int32),
        n_blank=n_blank if n_blank.any() else None,
    )  # fmt: skip
    if rows.levels:
        nodes = replace(labels, codes=labels.codes[kept], pointer=None).spread(on_paths)
        known = np.array(nodes.values, dtype=np.int32)
        written = replace(written, node_ptr=nodes.row_ends, nodes=known[nodes.codes])
    return written, kept, n_unknown


def _looked_up(rows: LabelRows, hierarchy: Hierarchy) -> tuple[Ints, list[list[int]]]:
    """Return the class number of every different label, -1 for none, and the classes on a path."""
    labels, position = rows.coded, hierarchy.position
    if rows.levels:
        known = labels.each(lambda path, _: path_end(path, hierarchy))
        ends = [end or (-1, list[int]()) for end in known]  # conditions on rows leave paths out
        return np.array([c for c, _ in ends], np.int64), [nodes for _, nodes in ends]
    found = numbers_of(labels.values, hierarchy)
    for k in np.flatnonzero(found < 0).tolist():
        label = labels.values[k]
        if rows.from_file and isinstance(label, str):
            found[k] = position.get(whole(label), -1)
        meant = hierarchy.classes_called(label)
        if found[k] < 0 and len(meant) == 1:
            found[k] = position[meant[0]]
    return found, []


def _fault(rows: LabelRows, hierarchy: Hierarchy, entries: Ints) -> LabelFault:
    """Return what is wrong with the label of these entries."""
    label, rule, certain, hint = rows.label(int(entries[0])), "unknown label", False, rows.hint
    said: Callable[[], str]
    parts = label if isinstance(label, tuple) else [label]
    if nested := [x for x in parts if not isinstance(x, Hashable)]:
        said = lambda: f"a label must be one class name, got {shown(nested[0])} ({NO_NAME})"  # noqa: E731
    elif any(isinstance(x, TRUTHS) for x in parts):
        rule, hint, said = "truth value", "", lambda: f"{NO_TRUTH} (got {shown(label)})"
    elif rows.levels:
        rule, said = "path", lambda: _gap(label, hierarchy)
    elif is_missing(label):
        rule, certain = "blank label", rows.from_file
        bar = "is there a bar too many? " * rows.from_file
        said = lambda: (  # noqa: E731
            f"a label is missing (got {shown(label)}); {bar}give an empty set for no labels"
        )
    elif rows.from_file and isinstance(label, str) and SCORED.fullmatch(label):
        said = lambda: (  # noqa: E731
            f"{shown(label)} looks like label:score or feature:value; write labels alone, or "
            "scores in a column of their own, one label a row (id TAB label TAB score)"
        )
    elif hierarchy.twin_of(label) is not None or len(hierarchy.classes_called(label)) > 1:
        said = lambda: hierarchy.unknown_message(label)  # noqa: E731
    else:
        remedy = remedy_for(label, hierarchy)
        certain = not (rows.from_file and remedy)
        mend = "; leave the field blank for no labels" if is_blank(label) else remedy
        mend = f"{'' if rows.hint else mend} {GO_ON}"
        said = lambda: f"{hierarchy.unknown_message(label)}{mend}"  # noqa: E731
    return LabelFault(rule, entries, lambda: f"{said()}{hint}", label, certain)


SCORED = re.compile(r"\S.*:\d*\.\d+(?:[eE]-?\d+)?")
"""A label with its score behind it, or a feature."""


def _faults(rows: LabelRows, hierarchy: Hierarchy, numbers: Ints) -> Iterator[LabelFault]:
    """Yield what is wrong, in the order of the labels: one fault for each that is no class."""
    values, ends = rows.coded.values, rows.coded.row_ends
    bits = not rows.levels and len(values) < 3 and {*map(plain_number, values)} <= {0, 1}
    if bits and len(numbers) and ends[1] > 2 and (np.diff(ends) == ends[1]).all():
        said = f"rows of 0 and 1 are no names of classes: {NO_CLASSES}"
        yield LabelFault("truth value", np.arange(1), lambda: said, rows.label(0))
    if _has_header(rows, hierarchy, numbers):
        first = _fault(rows, hierarchy, np.arange(1))
        yield LabelFault("header", first.entries, lambda: (
            f"{first.message().replace(f' {GO_ON}', '')}; or is this line a header? "
            f"Then {rows.header}"
        ))  # fmt: skip
    bad = np.flatnonzero(numbers < 0)
    groups = (bad[group] for group in groups_by(rows.coded.codes[bad]))
    for entries in sorted(groups, key=lambda entries: int(entries[0])):
        yield _fault(rows, hierarchy, entries)


def _has_header(rows: LabelRows, hierarchy: Hierarchy, numbers: Ints) -> bool:
    """Whether the first line looks like a header: no class in it, nor what looks like others."""
    known, n, codes = numbers >= 0, int(rows.coded.row_ends[:2][-1]), rows.coded.codes
    most_below = 2 * np.count_nonzero(known[n:]) > len(known) - n
    if rows.header is None or not n or known[:n].any() or not most_below:
        return False
    shapes = {_shape(rows.coded.values[k]) for k in np.unique(codes[n:]).tolist()} - {"a"}
    names = [str(rows.label(k)) for k in range(n)]
    return not any(not x or _shape(x) in shapes or remedy_for(x, hierarchy) for x in names)


def _shape(name: object) -> str:
    """Return a name with 9 for digits and a for letters; of one without digits a."""
    text = str(name)
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", text)) if re.search(r"\d", text) else "a"


def _check(rows: LabelRows, hierarchy: Hierarchy, numbers: Ints, unknown: Unknown) -> None:
    """Refuse the first label that will not do; what is made of known labels is never dropped."""
    for place, said in rows.repeated() if rows.from_file else ():
        raise BadInput(
            f"{place}: {said}; keep one of them, or, for one label per line, say so "
            "(--long, or for one file --rows truth:label; Columns(long=True))"
        )
    n_roots = len(hierarchy.root_indices)
    if unknown == "root" and n_roots != 1 and (numbers < 0).any():
        raise BadInput(
            f"unknown='root' needs a single root; this hierarchy has {n_roots}; unknown='drop' "
            "leaves such labels out"
        )
    for fault in _faults(rows, hierarchy, numbers):
        passed = fault.certain and unknown != "error"
        if not passed or (fault.rule == "blank label" and unknown == "root"):
            entry, who = int(fault.entries[0]), rows.from_file and fault.rule != "header"
            raise BadInput(f"{rows.place(entry, who=who)}: {fault.message()}")


SIGNS = ("|", ";", ",", " -> ", "->", " > ", ">", "::", "\\", "/", ".", ":", " ")
"""What stands between the labels of a list, and between them or the classes of a path."""

WRAPPING = str.maketrans("", "", "[](){}'\"")
"""What languages write around lists and texts, and label files do not, left out."""


def remedy_for(name: Any, hierarchy: Hierarchy) -> str:
    """Return what to do about a label that is made of classes; nothing for another one."""
    if not isinstance(name, str):
        return ""
    bare = name.translate(WRAPPING)
    if bare != name and (bare in hierarchy or remedy_for(bare, hierarchy)):
        return "; write labels without quotes and brackets, as a|b"
    for sign in (sign for sign in SIGNS if sign in name):
        parts = _parts(name, sign)
        if path_end(parts, hierarchy)[0] >= 0:
            several = f"; or several labels? --separator {sign!r}" if sign in "|;, " else ""
            return (
                f"; is this a path from the top to its class? Then split it at {sign!r} for "
                f"LabelSets.from_levels, or of files give --paths '{sign}' "
                f"(Columns(paths={sign!r})){several}"
            )
        names = map(str.strip, parts)
        if all(part in hierarchy or remedy_for(part, hierarchy) for part in names):
            return (
                f"; are these several, separated by {sign!r}? Then give a list of them, or of "
                "files --separator; or paths? Those run from the top to the class and leave out "
                "none (--paths)"
            )
    return ""
