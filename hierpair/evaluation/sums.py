"""Exact sums over instances, which add up in any order and any partition.

Everything that is known of any number of instances of one system is in one record, by name:
numbers are added, extremes are the least or the greatest of all, tables of sums by class (or by
block of instances) are added class by class, and of the worst instances the first are kept.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted, shown
from hierpair.hierarchy.arrays import Floats, Ints, ratio
from hierpair.labels import LabelSets
from hierpair.measures import Batch, Columns, Entries, Measure, Recipe
from hierpair.measures.columns import INFEASIBLE
from hierpair.measures.limbs import BASE, BITS, LimbSums, canonical, limbs_of
from hierpair.measures.pooling import ClassTotals, mean_over_classes, rounded_means

REMARKS = "remarks"
"""Under this name the sentences of remarks are counted, as words of a column are under its."""

MOST_KEPT = 2**20
"""Blocks, or worst instances; no estimate of a standard error, and no reader, needs as many."""

WAYS = {"micro": "columns", "macro": "classes", "weighted": "classes"}
"""What pooling needs of instances beside their values."""

Worst = tuple[tuple[float, str], ...]
"""Values (negative where lower is better) and ids of instances, lowest first, then by id."""


# ------------------------------------------------------------------------------- exact numbers


def exact_sum(column: NDArray[Any], weight: Floats | None = None) -> int | Fraction:
    """Return the exact sum of finite numbers, of which each may be weighted.

    >>> exact_sum(np.array([1e16, 1.0, -1e16]))
    Fraction(1, 1)
    """
    if weight is None and column.dtype.kind != "f":
        return int(column.sum())
    lowest, limbs = limbs_of(column if weight is None else column * weight)
    total = sum(int(limb.astype(np.int64).sum()) << BITS * k for k, limb in enumerate(limbs))
    return total * Fraction(BASE) ** lowest


Limbs = Mapping[str, tuple[int, Any]]
"""By column, the exponent of the lowest limb in units of 32 bits, and limbs, lowest first."""


@dataclass(frozen=True, eq=False)
class ClassSums:
    """Exact sums of columns for the classes that occur, whose numbers are ascending.

    All limbs of a column but the highest are in [0, 2³²), and they are as few as possible, so that
    equal sums have equal limbs.
    """

    classes: Ints
    limbs: Limbs

    def floats(self, column: str, plus: Fraction = Fraction(0)) -> Floats:
        """Return the sums of a column, ``plus`` ≥ 0 added to each; each is rounded once."""
        lowest, limbs = self.limbs[column]
        if plus:
            behind = -(-(plus.denominator.bit_length() - 1) // BITS)
            units = int(plus * BASE**behind)
            digits = np.frombuffer(
                units.to_bytes(units.bit_length() // BITS * 4 + 4, "little"), "<u4"
            )
            every = -behind, np.outer(digits, np.ones(len(self.classes), dtype=np.int64))
            parts = ((self.classes, {column: one}) for one in ((lowest, limbs), every))
            lowest, limbs = numbered_sums(*parts).limbs[column]
        if len(limbs) < 2:
            return np.ldexp(np.sum(limbs, axis=0, dtype=np.float64), BITS * lowest)
        sign = np.where(limbs[-1] < 0, -1, 1)
        return sign * LimbSums(lowest, sign * limbs).floats()

    def plus(self, other: ClassSums) -> ClassSums:
        """Return the sums of both."""
        return numbered_sums((self.classes, self.limbs), (other.classes, other.limbs))


def numbered_sums(*parts: tuple[NDArray[np.integer], Limbs]) -> ClassSums:
    """Return the sums of numbers with the same class, as limbs, of one or more tables.

    >>> whole = numbered_sums((np.array([4, 1, 1]), {"n": (0, [np.arange(3)])}))
    >>> whole.classes.tolist(), whole.floats("n").tolist()
    ([1, 4], [3.0, 0.0])
    """
    width = max(int(numbers.max(initial=-1)) for numbers, _ in parts) + 1
    occurs = np.zeros(width, dtype=bool)
    for numbers, _ in parts:
        occurs[numbers] = True
    classes, place = np.flatnonzero(occurs), np.cumsum(occurs) - 1
    at, tables = [place[numbers] for numbers, _ in parts], [limbs for _, limbs in parts]
    found = {}
    for name in tables[0]:
        columns = [table[name] for table in tables]
        lowest = min(low for low, _ in columns)
        n = max(low + len(limbs) for low, limbs in columns) - lowest
        total = np.zeros((n, len(classes)), dtype=np.int64)
        for where, (low, limbs) in zip(at, columns, strict=True):
            for k, limb in enumerate(limbs, low - lowest):
                np.add.at(total[k], where, limb)
        found[name] = canonical(lowest, total)
    return ClassSums(classes, found)


def class_sums(entries: Entries, weight: Floats | None) -> ClassSums:
    """Return the exact sums of the columns of entries, weighted by instance."""
    limbs, heavy = {}, 1.0 if weight is None else weight[entries.row]
    for name, column in entries.columns.items():
        plain = weight is None and column.dtype.kind != "f"
        lowest, each = (0, [column]) if plain else limbs_of(column * heavy)
        limbs[name] = lowest, [limb.astype(np.int64, copy=False) for limb in each]
    return numbered_sums((entries.number, limbs))


# ------------------------------------------------------------------------- one record of all


@dataclass(frozen=True)
class Keeping:
    """What sums keep of instances: the worst by measure, and blocks by a hash of ids; 0: none."""

    keep_worst: int = 0
    blocks: int = 0

    def check(self, *, has_ids: bool) -> None:
        """Refuse numbers that mean nothing, and what cannot be told without ids."""
        for name, n in vars(self).items():
            if type(n) is not int or not 0 <= n <= MOST_KEPT:
                raise BadInput(
                    f"{name} must be a whole number from 0, at most {MOST_KEPT}, got {shown(n)}"
                )
            if n and not has_ids:
                raise BadInput(
                    f"{name} tells instances by their ids, and these have none; give the truth "
                    "with ids: {id: labels}, or files with a column of ids"
                )


@dataclass(frozen=True, eq=False)
class SumPlan:
    """What has to be added up for some measures; equal recipes are added up once."""

    measures: tuple[Measure, ...]

    @cached_property
    def place(self) -> tuple[int, ...]:
        """By measure, the first measure with the same recipe, by whose number a recipe goes."""
        recipes = [m.recipe for m in self.measures]
        return tuple(map(recipes.index, recipes))

    def names(self, k: int) -> dict[str, str]:
        """Return by column under which name a measure has sums, by block as of all.

        Micro averages need all columns, averages over classes those that are of all together.
        """
        m, i = self.measures[k], self.place[k]
        if m.average == "samples":
            return {"value": f"value {k}", "weight": f"weight {k}"}
        whole = {c.name for c in m.recipe.columns if c.whole or m.average == "micro"}
        return {c: f"sum {i} {c}" for c in m.definition.columns if c in whole}

    @cached_property
    def by_class(self) -> tuple[str, ...]:
        """By measure, the key of its sums by class: its recipe, or its own by true class; or ""."""
        return tuple(
            (f"true {k}" if m.by_true_class else f"{i}") if WAYS.get(m.average) == "classes" else ""
            for k, (m, i) in enumerate(zip(self.measures, self.place, strict=True))
        )


@dataclass(frozen=True, eq=False)
class Sums:
    """The sums over instances of one system (or of the truth that systems share).

    Measures go by their numbers, and recipes by those of the first measure that has them.
    ``numbers`` add up exactly: counts (``instances``, ``unknown``, ``missing``), of how many
    instances a word of a column or a remark holds (``counted 0 solved_by …``), and sums
    (``labels``; ``weight``, which every class has of the columns ``every 0``, less that of
    instances that are left out, ``aside 0``; by measure ``value 0`` and ``weight 0``; by recipe and
    column ``sum 0 …``). ``most`` is the greatest of what is known of single parts. ``tables`` are
    by class (``classes 0``) and by block (``blocks``), ``worst`` the worst instances by measure.
    """

    numbers: Mapping[str, Any] = field(default_factory=dict)
    most: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, ClassSums] = field(default_factory=dict)
    worst: Mapping[str, Worst] = field(default_factory=dict)

    def plus(self, other: Sums) -> Sums:
        """Return the sums of both."""
        most = together(self.most, other.most, max)
        return Sums(
            together(self.numbers, other.numbers, add),
            most,
            together(self.tables, other.tables, ClassSums.plus),
            together(self.worst, other.worst, lambda a, b: _first([*a, *b], most["worst"])),
        )

    def __getitem__(self, name: str) -> Any:
        """Return a number; 0 where nothing was added up."""
        return self.numbers.get(name, 0)

    @property
    def blocks(self) -> ClassSums:
        """Exact sums by block of instances; :meth:`SumPlan.names` names them."""
        return self.tables.get("blocks", ClassSums(np.zeros(0, dtype=np.int64), {}))

    @classmethod
    def of_batch(
        cls, plan: SumPlan, batch: Batch, values: Floats, weight: Floats | None, kept: Keeping,
        ids: Sequence[str],
    ) -> Sums:  # fmt: skip
        """Return the sums of a batch; ``values`` has a column per measure."""
        numbers: dict[str, Any] = {"instances": len(batch)}
        numbers["weight"] = exact_sum(np.ones(len(batch), dtype=bool), weight)
        most: dict[str, Any] = {"worst": kept.keep_worst}
        tables, amounts = {}, dict[str, NDArray[Any]]()  # of every instance
        for k, (m, i, key) in enumerate(zip(plan.measures, plan.place, plan.by_class, strict=True)):
            columns = batch.columns(m.recipe)
            if m.average == "samples":
                amounts |= _known(k, values[:, k])
            else:
                amounts |= {at: columns[c] for c, at in plan.names(k).items()}
            if i == k:
                numbers |= {f"counted {i} {word}": n for word, n in _counted(m.recipe, columns)}
            if key and f"classes {key}" not in tables:
                entries = entries_of(batch, m)
                most |= {f"every {key}": list(entries.every), f"n_classes {key}": entries.n_classes}
                tables[f"classes {key}"] = class_sums(entries, weight)
                if entries.aside is not None:
                    numbers[f"aside {key}"] = exact_sum(entries.aside, weight)
        numbers |= {name: exact_sum(column, weight) for name, column in amounts.items()}
        if kept.blocks:
            at = block_numbers(ids, kept.blocks).astype(np.int32)
            rows = np.arange(len(at), dtype=np.int32)
            tables["blocks"] = class_sums(Entries(len(at), rows, at, amounts, kept.blocks), weight)
        worst = {}
        for k, m in enumerate(plan.measures if kept.keep_worst else ()):
            down = m.sign * values[:, k] + 0.0  # -0.0 is 0.0
            known = (pair for pair in zip(down.tolist(), ids, strict=True) if pair[0] == pair[0])
            worst[str(k)] = _first(known, kept.keep_worst)
        return cls(numbers, most, tables, worst)

    def pooled(self, plan: SumPlan, k: int) -> float:
        """Return the pooled score of a measure; nan if there is no instance."""
        m, sums = plan.measures[k], {c: self[name] for c, name in plan.names(k).items()}
        if self["instances"] <= self[f"counted {plan.place[k]} infeasible infeasible"]:
            return np.nan
        if m.average == "samples":
            return _ratio(*sums.values())
        if m.average == "micro":
            return _of_sums(m, sums)
        return float(mean_over_classes(m, self.class_totals(plan, k), rounded_means)[0])

    def by_class(self, plan: SumPlan, k: int) -> ClassSums:
        """Return the sums by class of a measure that is averaged over classes."""
        return self.tables[f"classes {plan.by_class[k]}"]

    def class_totals(self, plan: SumPlan, k: int) -> ClassTotals:
        """Return what a measure needs of the classes that occur, as one data set.

        What is of all instances together every class has, and what every instance adds to.
        """
        key, table = plan.by_class[k], self.by_class(plan, k)
        judged = Fraction(self["weight"]) - Fraction(self[f"aside {key}"])
        every = {c: judged for c in self.most[f"every {key}"] if c in table.limbs}
        columns = {c: table.floats(c, every.get(c, Fraction(0))) for c in table.limbs}
        every |= {c: self[name] for c, name in plan.names(k).items() if c not in table.limbs}
        whole = {c: np.full(len(table.classes), float(x)) for c, x in every.items()}
        return ClassTotals(
            {c: column[None] for c, column in {**whole, **columns}.items()},
            {c: np.array([float(x)]) for c, x in every.items()},
            self.most[f"n_classes {key}"],
            table.classes,
        )


def entries_of(batch: Batch, m: Measure) -> Entries:
    """Return what instances add to classes: what their recipe counts, or values by true class."""
    if not m.by_true_class:
        return batch.entries(m.recipe)

    def found() -> Entries:
        values, n_classes = m.values(batch.columns(m.recipe)), len(batch.hierarchy)
        return values_by_true_class(batch.y_true, values, n_classes)

    return batch.once(("by true class", m), found)


def values_by_true_class(truth: LabelSets, values: Floats, n_classes: int) -> Entries:
    """Return what values of instances add to their one true class; nan adds nothing.

    Raises
    ------
    BadInput
        For another number of true classes than one, and an infinite value.
    """
    known = np.flatnonzero(~np.isnan(values))
    for i in known[truth.lengths[known] != 1][:1].tolist():
        n = counted(int(truth.lengths[i]), "true class")
        raise BadInput(f"a mean by true class needs one true class of an instance; it has {n}", i)
    for i in np.flatnonzero(np.isinf(values))[:1].tolist():
        raise BadInput("its value is infinite, and so would be every mean by true class", i)
    columns = {"value": values[known], "of": np.ones(len(known), dtype=bool)}
    number = truth.indices[truth.indptr[known]].astype(np.int32)
    return Entries(len(values), known.astype(np.int32), number, columns, n_classes)


def mean_by_true_class(by_class: Entries, weight: Floats | None) -> float:
    """Return the mean over true classes of the mean value of the instances of each."""
    table = class_sums(by_class, weight)
    each = ratio(table.floats("value"), table.floats("of"))
    known, none = each[None, ~np.isnan(each)], np.zeros(1)
    return float(rounded_means(known, np.ones(known.shape), none, none)[0])


def together(
    one: Mapping[str, Any], other: Mapping[str, Any], both: Callable[[Any, Any], Any]
) -> dict[str, Any]:
    """Return two mappings as one, and ``both`` of two values under the same name."""
    found = {**one, **other}
    return found | {name: both(one[name], other[name]) for name in one.keys() & other.keys()}


def pooled_values(values: Floats, weight: Floats | None) -> float:
    """Return the mean of the values of instances; nan is left out."""
    return _ratio(*(exact_sum(column, weight) for column in _known(0, values).values()))


def pooled_columns(m: Measure, columns: Columns, weight: Floats | None) -> float:
    """Return the micro average of a measure from the columns of instances."""
    return _of_sums(m, {c: exact_sum(columns[c], weight) for c in m.definition.columns})


def _ratio(above: Any, below: Any) -> float:
    return float(above / below) if below else np.nan


def _of_sums(m: Measure, sums: Mapping[str, Any]) -> float:
    whole = {c: np.array([float(x)]) for c, x in sums.items()}
    return float(m.values(whole)[0])


def _known(k: int, values: Floats) -> dict[str, NDArray[Any]]:
    """Return the amounts whose sums are a mean over instances: what is nan has none of both."""
    known = ~np.isnan(values)
    return {f"value {k}": np.where(known, values, 0.0), f"weight {k}": known}


def _counted(recipe: Recipe, columns: Columns) -> Iterable[tuple[str, int]]:
    """Yield how often words occur, and of how many instances a remark holds."""
    declared = {column.name: column for column in recipe.columns}
    for name, values in columns.items():
        column = declared.get(name)
        if name == INFEASIBLE.name:
            yield f"{name} {name}", int(values.sum())
        elif column is None:
            yield f"{REMARKS} {name}", int(values.sum())
        elif column.words:
            sums = np.bincount(values, minlength=len(column.words)).tolist()
            yield from ((f"{name} {w}", n) for w, n in zip(column.words, sums, strict=True) if n)


# ----------------------------------------------------------------------- by block of instances


def block_numbers(ids: Sequence[str], n_blocks: int) -> Ints:
    """Return the block of every id: a hash of the id, the same on every machine.

    >>> block_numbers(["a", "b", "a"], 1000).tolist()
    [928, 668, 928]
    """
    each = (blake2b(x.encode("utf-8", "surrogatepass"), digest_size=8).digest() for x in ids)
    hashes = np.frombuffer(b"".join(each), dtype="<u8")
    return (hashes % np.uint64(n_blocks)).astype(np.int64)


def _first(some: Iterable[tuple[float, str]], most: int) -> Worst:
    return tuple(heapq.nsmallest(most, some))
