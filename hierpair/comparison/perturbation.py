"""Controlled errors: label sets in which one label is replaced, added or left out by a rule."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from hierpair.comparison.samples import stream
from hierpair.errors import BadInput, check_unique
from hierpair.hierarchy import Hierarchy, ancestor_closure, excluded_classes
from hierpair.hierarchy.arrays import (
    Bools,
    Floats,
    Ints,
    leaders,
    offsets,
    pieces,
    ragged_ranges,
    row_numbers,
    sorted_unique,
    sparse_rows,
    taken,
)
from hierpair.labels import LabelSets
from hierpair.labels.naming import check_order
from hierpair.labels.sets import lowest_labels

UNIT = "unrelated"
"""The replacement that others are measured in."""

DEFAULT_STEPS = (
    "up1",
    "up2",
    "sibling",
    "cousin",
    UNIT,
    "add_up1",
    "add_sibling",
    "add_cousin",
    "add_unrelated",
    "drop",
    "drop_all",
)
"""What is done to labels if nothing is asked for; descendants and noise are to be asked for, since
leaves have none of the one, and the other does not say what is wrong."""

RELATIONS = ("up", "down", "sibling", "cousin", UNIT)
"""How the class that comes in is related to the label."""

FORM = re.compile(
    r"drop|drop_all|noise_(?P<rate>\d*\.?\d+)|(?P<add>add_(?:(?P<n>[1-9]\d*)_(?=unrelated))?)?"
    r"(?:(?P<kin>sibling|cousin|unrelated)|(?P<line>up|down)(?P<k>[1-9]\d*))"
)

WORDS = {"up1": "parent", "up2": "grandparent", "down1": "child", "drop": "left out",
         "drop_all": "all left out"}  # fmt: skip

HELP = (
    "a step is up<k> or down<k> (its k-th ancestor, a descendant k below), sibling, cousin or "
    "unrelated in place of a label, add_ before one of these beside it (add_<n>_unrelated: n of "
    "them), drop, drop_all, or noise_<rate>"
)


@dataclass(frozen=True)
class Step:
    """One controlled error: what is done, with a class how related, how far up or how many.

    A ``kind`` is replace, add, drop, drop_all or noise (``rate``: labels that any class replaces).
    """

    name: str
    kind: str
    relation: str = ""
    amount: int = 1
    rate: float = 0.0

    @property
    def words(self) -> str:
        """What is done, as people say it."""
        other = self.name.removeprefix("add_")
        return "+ " * (other != self.name) + WORDS.get(other, other.replace("_", " "))

    @property
    def source(self) -> tuple[int, int]:
        """What its random numbers depend on; what replaces a label is also what is added to it."""
        return RELATIONS.index(self.relation), 1 if self.relation == UNIT else self.amount


def read_steps(steps: Sequence[str] | str) -> tuple[Step, ...]:
    """Return steps by their names; refuses what is no step, comes twice, or no name at all.

    >>> [step.words for step in read_steps(["add_3_unrelated", "up2"])]
    ['+ 3 unrelated', 'grandparent']
    """
    check_order(steps, "steps")
    names = [steps] if isinstance(steps, str) else [*map(str, steps)]
    if not names:
        raise BadInput(f"no step is given; {HELP}")
    check_unique(names, lambda double: f"the step {double!r} is named twice")
    found = []
    for name in names:
        if not (form := FORM.fullmatch(name)):
            raise BadInput(f"there is no step {name!r}: {HELP}")
        rate = float(form["rate"] or 0)
        if form["rate"] and not 0 < rate <= 1:
            raise BadInput(f"the rate of {name!r} must be above 0 and at most 1")
        relation = form["kin"] or form["line"] or ""
        kind = "noise" if rate else "add" if form["add"] else "replace" if relation else name
        found.append(Step(name, kind, relation, int(form["k"] or form["n"] or 1), rate))
    return tuple(found)


# ----------------------------------------------------------------------------- labels, relatives


GUESSES = 12
"""Unrelated classes are drawn and refused so often, before the rest are looked up one and all."""

CELLS = 1_000_000
"""Classes × labels that are looked up at a time."""


@dataclass(frozen=True, eq=False)
class Tips:
    """Labels that are above no other label of their instance, and who is related to them.

    Labels above others say nothing more; with them a set measure would see a replaced label as one
    that is left out. Relatives are -1 where there are none.
    """

    hierarchy: Hierarchy
    sets: LabelSets

    @classmethod
    def of(cls, hierarchy: Hierarchy, truth: LabelSets) -> Tips:
        """Return the tips of label sets."""
        row, label = lowest_labels(hierarchy, truth)
        return cls(hierarchy, sets_of(row, label, len(truth), len(hierarchy)))

    @cached_property
    def row(self) -> Ints:
        """The instance of every tip."""
        return self.sets.row

    @cached_property
    def label(self) -> Ints:
        """The class of every tip."""
        return self.sets.indices.astype(np.int64)

    @cached_property
    def low(self) -> int:
        """The least level of a class that counts."""
        return len(excluded_classes(self.hierarchy, "exclude"))

    @cached_property
    def parents(self) -> Any:
        """The parents of every class, a sparse row per class."""
        return sparse_rows(self.hierarchy.parent_ptr, self.hierarchy.parents, len(self.hierarchy))

    @cached_property
    def class_tops(self) -> Any:
        """Which highest classes every class is below (or is); unrelated ones share none."""
        h = self.hierarchy
        top = h.root_indices if not self.low else h.children[h.child_ptr[0] : h.child_ptr[1]]
        return scipy.sparse.csr_array(ancestor_closure(h, np.arange(len(h))).pattern[:, top])

    @cached_property
    def tops(self) -> Any:
        """Which highest classes the labels of every instance are below, a row per instance."""
        sets = sparse_rows(self.sets.indptr, self.label, len(self.hierarchy))
        return scipy.sparse.csr_array(sets @ self.class_tops)

    def line(self, u: Floats, *, up: bool) -> list[Ints]:
        """Return the tips and the classes on a random way of some edges up, or down, from each.

        ``u`` has a row of random numbers for every edge.
        """
        h = self.hierarchy
        ptr, next_to, left = h.child_ptr, h.children, h.heights[h.children]
        if up:
            ptr, next_to, left = h.parent_ptr, h.parents, h.levels[h.parents] - self.low
        way = [self.label]
        for more, numbers in zip(range(len(u) - 1, -1, -1), u, strict=True):
            good, found = left >= more, np.full(len(self.label), -1, dtype=np.int64)
            kept = offsets(good.astype(np.int64))[ptr]
            length = np.where(way[-1] >= 0, kept[way[-1] + 1] - kept[way[-1]], 0)
            place = kept[way[-1]] + (numbers * length).astype(np.int64)
            found[length > 0] = next_to[good][place[length > 0]]
            way.append(found)
        return way

    def kin(self, generations: int, u: Floats) -> Ints:
        """Return another child of a random parent (1 generation): a sibling; or a cousin (2).

        That is a random child of the other children of a random grandparent, and no sibling by
        another parent. ``u`` has a row of random numbers for every generation, and one.
        """
        h = self.hierarchy
        *_, own, above = self.line(np.delete(u, 1, axis=0), up=True)
        ptr, through, below = h.child_ptr, h.children, h.children.astype(np.int64)
        width = np.diff(ptr) if generations > 1 else np.ones(len(h), dtype=np.int64)
        if generations > 1:  # children of children, those of one child after the other
            lengths = width[through]
            below = below[ragged_ranges(ptr[through], lengths)]
            ptr, through = offsets(lengths)[ptr], np.repeat(through, lengths)
        n_other = np.where(above >= 0, ptr[above + 1] - ptr[above] - width[own], 0)
        some, found = np.flatnonzero(n_other > 0), np.full(len(own), -1, dtype=np.int64)
        place = ptr[above[some]] + (u[1][some] * n_other[some]).astype(np.int64)
        place += np.where(through[place] >= own[some], width[own[some]], 0)
        of, other = self.label[some], below[place]
        closure = ancestor_closure(h, np.union1d(of, other))
        related = (closure.find(of, other) >= 0) | (closure.find(other, of) >= 0)
        if generations > 1:
            related |= np.ravel((self.parents[of] * self.parents[other]).sum(axis=1)) > 0
        found[some] = np.where(related, -1, other)
        return found

    def unrelated(self, tops: Any, taken: list[Ints], rng: np.random.Generator) -> Ints:
        """Return a random class as deep as each tip, below none of its row of highest classes.

        It is none of those that have been ``taken`` for that tip before.
        """
        h = self.hierarchy
        order, sizes = np.argsort(h.depths, kind="stable"), offsets(np.bincount(h.depths))
        depth = h.depths[self.label].astype(np.int64)
        found, left = np.full(len(depth), -1, dtype=np.int64), np.arange(len(depth))

        def free(at: Ints, classes: Ints) -> Bools:
            good: Bools = np.ravel((self.class_tops[classes] * tops[at]).sum(axis=1)) == 0
            for earlier in taken:
                good &= classes != earlier[at]
            good &= h.levels[classes] >= self.low
            return good

        for _ in range(GUESSES):
            d = depth[left]
            nth = (rng.random(len(left)) * (sizes[d + 1] - sizes[d])).astype(np.int64)
            good = free(left, guess := order[sizes[d] + nth])
            found[left[good]] = guess[good]
            left = left[~good]
        first, width = sizes[depth[left]], np.diff(sizes)[depth[left]]
        for part in pieces(len(left), CELLS // int(width.max(initial=1))):
            at = np.repeat(left[part], width[part])
            classes = order[ragged_ranges(first[part], width[part])]
            some = rng.permutation(np.flatnonzero(free(at, classes)))
            found[at[some]] = classes[some]
        return found


# --------------------------------------------------------------------------------------- draws


def sets_of(row: Ints, label: Any, n: int, n_classes: int) -> LabelSets:
    """Return label sets of (instance, class) in any order."""
    return LabelSets.of_keys(sorted_unique(row * n_classes + label), n, n_classes)


def one_below_the_other(parts: Sequence[LabelSets]) -> LabelSets:
    """Return several label sets of the same classes as one."""
    ends = offsets(np.array([*map(len, parts)]))
    keys = [of.keys + of.n_classes * end for of, end in zip(parts, ends[:-1], strict=True)]
    return LabelSets.of_keys(np.concatenate(keys), int(ends[-1]), parts[0].n_classes)


LABELS, RELATIVES, NOISE = 0, 1, 2
"""Streams of random numbers; a step more or less changes none of the others."""


@dataclass(frozen=True, eq=False)
class Draw:
    """One draw of all errors.

    Attributes
    ----------
    rows
        The instances that have a label for which every step exists.
    truth
        Their tips.
    systems
        By step, what stands in place of the truth.
    reach
        By step, how many labels have such a relative, each step by itself.
    """

    rows: Ints
    truth: LabelSets
    systems: Mapping[str, LabelSets]
    reach: Mapping[str, int]


def drawn(tips: Tips, steps: Sequence[Step], seed: int, number: int) -> Draw:
    """Return draw ``number`` of these steps, on common support.

    One label of an instance is drawn among those that have a relative for every step. A draw in
    which the class that comes in is itself a label of the instance would be no error and is left
    out, for all steps.
    """
    n_classes = len(tips.hierarchy)
    relatives = {s.name: _incoming(tips, s, seed, number) for s in steps if s.relation}
    exist = {name: (classes >= 0).all(axis=0) for name, classes in relatives.items()}
    exists = np.logical_and.reduce([np.ones(len(tips.label), dtype=bool), *exist.values()])
    chance = np.where(exists, stream(seed, LABELS, number).random(len(exists)), -1.0)
    chosen = leaders(tips.row, -chance)
    chosen = chosen[exists[chosen]]
    held = tips.sets.keys
    for one in (one for classes in relatives.values() for one in classes):
        chosen = chosen[~np.isin(tips.row[chosen] * n_classes + one[chosen], held)]
    rows = tips.row[chosen]
    n, (ptr, place) = len(rows), taken(tips.sets.indptr, rows)
    row, label, truth = row_numbers(ptr), tips.label[place], tips.sets.take(rows)
    is_chosen = place == chosen[row]

    def sets(step: Step) -> LabelSets:
        kept = np.full(len(place), step.kind != "drop_all")
        if step.kind in ("replace", "drop"):
            kept &= ~is_chosen
        named = replaced(tips, step.rate, seed, number)[place] if step.rate else label
        new = relatives.get(step.name, np.zeros((0, len(exists)), dtype=np.int64))[:, chosen]
        rows_in = np.concatenate([row[kept], np.tile(np.arange(n), len(new))])
        return sets_of(rows_in, np.concatenate([named[kept], new.ravel()]), n, n_classes)

    reach = {name: int(some.sum()) for name, some in exist.items()}
    return Draw(rows, truth, {step.name: sets(step) for step in steps}, reach)


def replaced(tips: Tips, rate: float, seed: int, number: int) -> Ints:
    """Return a class for every tip: any one for a share of them, more of them at higher rates."""
    rng = stream(seed, NOISE, number)
    when, which = rng.random(len(tips.label)), rng.random(len(tips.label))
    n = len(tips.hierarchy)
    classes = np.delete(np.arange(n), excluded_classes(tips.hierarchy, "exclude"))
    any_class = classes[(which * len(classes)).astype(np.int64)]
    return np.where(when < rate, any_class, tips.label)


def _incoming(tips: Tips, step: Step, seed: int, number: int) -> Ints:
    """Return what comes in for every tip, -1 where nothing can; a row per class that comes in."""
    rng = stream(seed, RELATIVES, *step.source, number)
    n = len(tips.label)
    if step.relation == UNIT:
        several: list[Ints] = []
        for _ in range(step.amount):
            several.append(tips.unrelated(tips.tops[tips.row], several, rng))
        return np.array(several)
    if step.relation in ("up", "down"):
        return tips.line(rng.random((step.amount, n)), up=step.relation == "up")[-1][None]
    generations = 1 + (step.relation == "cousin")
    return tips.kin(generations, rng.random((generations + 1, n)))[None]
