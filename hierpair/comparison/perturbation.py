"""Controlled errors: label sets in which one label is replaced, added or left out by a rule."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.comparison.resampling import stream
from hierpair.comparison.samples import pieces
from hierpair.errors import BadInput, first_repeated
from hierpair.hierarchy import Hierarchy, ancestor_closure, excluded_classes
from hierpair.hierarchy.arrays import (
    Bools,
    Ints,
    offsets,
    ragged_ranges,
    row_numbers,
    sorted_unique,
)
from hierpair.labels import LabelSets
from hierpair.labels.naming import check_order
from hierpair.labels.sets import lowest_labels

UNIT = "unrelated"
"""The replacement that others are measured in."""

DEFAULT_STEPS = (
    *("up1", "up2", "sibling", "cousin", UNIT),
    *("add_up1", "add_sibling", "add_cousin", "add_unrelated", "drop", "drop_all"),
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
    """One controlled error.

    Attributes
    ----------
    name
        As it is asked for.
    kind
        ``"replace"``, ``"add"``, ``"drop"``, ``"drop_all"`` or ``"noise"``.
    relation
        How the class that comes in is related to the label (:data:`RELATIONS`), or ``""``.
    amount
        How far up or down, or how many are added.
    rate
        Share of labels that are replaced by any class.
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
    def line(self) -> bool:
        """Whether the class that comes in is above or below the label."""
        return self.relation in ("up", "down")

    @property
    def source(self) -> tuple[int, int]:
        """What its random numbers depend on; what replaces a label is also what is added to it."""
        return RELATIONS.index(self.relation), self.amount if self.line else 1


def read_step(name: str) -> Step:
    """Return the step of this name.

    >>> read_step("add_3_unrelated").words, read_step("up2").words
    ('+ 3 unrelated', 'grandparent')
    """
    found = FORM.fullmatch(name)
    if not found:
        raise BadInput(f"there is no step {name!r}: {HELP}")
    if found["rate"]:
        rate = float(found["rate"])
        if not 0 < rate <= 1:
            raise BadInput(f"the rate of {name!r} must be above 0 and at most 1")
        return Step(name, "noise", rate=rate)
    relation = found["kin"] or found["line"] or ""
    kind = "add" if found["add"] else "replace" if relation else name
    return Step(name, kind, relation, int(found["k"] or found["n"] or 1))


def read_steps(steps: Sequence[str] | str) -> tuple[Step, ...]:
    """Return steps by their names.

    Raises
    ------
    BadInput
        For a name that says no step, one that comes twice, or no name at all.
    """
    names = [steps] if isinstance(steps, str) else steps
    check_order(names, "steps")
    found = tuple(read_step(str(name)) for name in names)
    if not found:
        raise BadInput(f"no step is given; {HELP}")
    double = first_repeated([step.name for step in found])
    if double is not None:
        raise BadInput(f"the step {double!r} is named twice")
    return found


# ----------------------------------------------------------------------------------- relatives


GUESSES = 12
"""Unrelated classes are drawn and refused so often, before the rest are looked up one and all."""

CELLS = 4_000_000
"""Classes × labels that are looked up at a time."""


@dataclass(frozen=True, eq=False)
class Relatives:
    """Who is related to whom in a hierarchy."""

    hierarchy: Hierarchy

    @cached_property
    def low(self) -> int:
        """The least level of a class that counts."""
        return len(excluded_classes(self.hierarchy, "exclude"))

    @cached_property
    def counting(self) -> Ints:
        """All classes that count."""
        left_out = excluded_classes(self.hierarchy, "exclude")
        return np.delete(np.arange(len(self.hierarchy)), left_out)

    @cached_property
    def parents(self) -> scipy.sparse.csr_array:
        """The parents of every class, a row per class."""
        h = self.hierarchy
        ones, n = np.ones(len(h.parents)), len(h)
        return scipy.sparse.csr_array((ones, h.parents, h.parent_ptr), shape=(n, n))

    @cached_property
    def tops(self) -> scipy.sparse.csr_array:
        """Which highest classes every class is below (or is), shape ``(n_classes, n_tops)``.

        Two classes are unrelated if they share none of these.
        """
        h = self.hierarchy
        top = h.root_indices if not self.low else h.children[h.child_ptr[0] : h.child_ptr[1]]
        own = scipy.sparse.eye_array(len(h), format="csc")[:, top].tocsr()
        found = own
        for _ in range(int(h.levels.max(initial=0))):
            found = own + self.parents @ found
            found.data[:] = 1.0
        return scipy.sparse.csr_array(found)

    @cached_property
    def by_depth(self) -> list[Ints]:
        """The classes of every depth."""
        depths = self.hierarchy.depths
        order = np.argsort(depths, kind="stable")
        return np.split(order, np.searchsorted(depths[order], np.arange(1, depths.max() + 1)))

    def in_line(self, of: Ints, u: NDArray[np.float64], *, up: bool) -> Ints:
        """Return a class some edges above or below each, by random parents or children.

        ``u`` has a row of random numbers for every edge.
        """
        h = self.hierarchy
        ptr, next_to, left = h.child_ptr, h.children, h.heights[h.children]
        if up:
            ptr, next_to, left = h.parent_ptr, h.parents, h.levels[h.parents] - self.low
        for more, numbers in zip(range(len(u) - 1, -1, -1), u, strict=True):
            good = left >= more
            kept = offsets(good.astype(np.int64))[ptr]
            of = _picked(kept, next_to[good].astype(np.int64), of, numbers)
        return of

    def kin(self, of: Ints, generations: int, u: NDArray[np.float64]) -> Ints:
        """Return another child of a random parent (1 generation): a sibling; or a cousin (2).

        That is a random child of the other children of a random grandparent, and no sibling by
        another parent. ``u`` has the shape (2, n).
        """
        h = self.hierarchy
        at, own, above, good = np.arange(len(of)), of, of, np.ones(len(of), dtype=bool)
        for _ in range(generations):
            lengths = h.parent_ptr[above + 1] - h.parent_ptr[above]
            row = np.repeat(np.arange(len(above)), lengths)
            parent = h.parents[ragged_ranges(h.parent_ptr[above], lengths)].astype(np.int64)
            at, own, above = at[row], above[row], parent
            good = good[row] & (h.levels[above] >= self.low)
        # by edge: how many kin are in reach, and how many of all edges before
        width = np.diff(h.child_ptr)[h.children] ** (generations - 1)
        before, edge = offsets(width), self._edge(above, own)
        first = before[h.child_ptr[above]]
        n_other = before[h.child_ptr[above + 1]] - first - width[edge]
        ways = np.flatnonzero(good & (n_other > 0))
        ptr = offsets(np.bincount(at[ways], minlength=len(of)))
        chosen = _picked(ptr, ways, np.arange(len(of)), u[0])
        some = chosen >= 0
        way = chosen[some]
        place = first[way] + (u[1][some] * n_other[way]).astype(np.int64)
        place += np.where(place >= before[edge[way]], width[edge[way]], 0)
        nth = np.searchsorted(before, place, side="right") - 1
        other = h.children[nth].astype(np.int64)
        if generations > 1:
            other = h.children[h.child_ptr[other] + place - before[nth]].astype(np.int64)
        closure = ancestor_closure(h, np.union1d(of[some], other))
        related = (closure.find(of[some], other) >= 0) | (closure.find(other, of[some]) >= 0)
        if generations > 1:
            shared = self.parents[of[some]] * self.parents[other]
            related |= np.ravel(shared.sum(axis=1)) > 0
        found = np.full(len(of), -1, dtype=np.int64)
        found[some] = np.where(related, -1, other)
        return found

    def unrelated(
        self, of: Ints, labels: scipy.sparse.csr_array, taken: list[Ints], rng: np.random.Generator
    ) -> Ints:
        """Return a random class as deep as each that is unrelated to all labels beside it.

        Parameters
        ----------
        of
            Classes.
        labels
            Of each, the highest classes that its instance's labels are below.
        taken
            What has been drawn for each before.
        rng
            Random numbers.
        """
        h = self.hierarchy
        sizes = offsets(np.array([len(classes) for classes in self.by_depth]))
        order = np.concatenate(self.by_depth)
        depth = h.depths[of].astype(np.int64)
        found = np.full(len(of), -1, dtype=np.int64)
        left = np.arange(len(of))
        for _ in range(GUESSES):
            d = depth[left]
            nth = (rng.random(len(left)) * (sizes[d + 1] - sizes[d])).astype(np.int64)
            guess = order[sizes[d] + nth]
            free = np.ravel((self.tops[guess] * labels[left]).sum(axis=1)) == 0
            for earlier in taken:
                free &= guess != earlier[left]
            free &= h.levels[guess] >= self.low
            found[left[free]] = guess[free]
            left = left[~free]
        for d in np.unique(depth[left]):  # the rest are looked up one and all
            rows, classes = left[depth[left] == d], self.by_depth[d]
            for part in pieces(len(rows), CELLS // len(classes)):
                at = rows[part]
                free = (labels[at] @ self.tops[classes].T).toarray() == 0
                for earlier in taken:
                    free &= classes != earlier[at][:, None]
                free &= h.levels[classes] >= self.low
                drawn = np.where(free, rng.random(free.shape), -1.0)
                found[at] = np.where(free.any(axis=1), classes[drawn.argmax(axis=1)], -1)
        return found

    def _edge(self, parent: Ints, child: Ints) -> Ints:
        """Return the place of these children in the list of all children."""
        keys, order = self._edges
        wanted = parent.astype(np.int64) * len(self.hierarchy) + child
        return order[np.searchsorted(keys, wanted, sorter=order)]

    @cached_property
    def _edges(self) -> tuple[Ints, Ints]:
        """A number for every edge, and their order."""
        h = self.hierarchy
        keys = row_numbers(h.child_ptr) * len(h) + h.children
        return keys, np.argsort(keys, kind="stable")


def _picked(ptr: Ints, values: Ints, rows: Ints, u: NDArray[np.float64]) -> Ints:
    """Return a value of each row of a CSR array, by a number in [0, 1); a negative row has none."""
    known = rows >= 0
    start = np.where(known, ptr[rows], 0)
    length = np.where(known, ptr[rows + 1] - start, 0)
    place = start + (u * length).astype(np.int64)
    found = np.full(len(rows), -1, dtype=np.int64)
    some = length > 0
    found[some] = values[place[some]]
    return found


# --------------------------------------------------------------------------------------- draws


@dataclass(frozen=True, eq=False)
class Tips:
    """Labels that are above no other label of their instance.

    Labels above others say nothing more; with them a set measure would see a replaced label as one
    that is left out.

    Attributes
    ----------
    relatives
        Who is related to whom.
    row, label
        Instance and class of every tip, ascending.
    n_instances
        Number of instances, with or without labels.
    """

    relatives: Relatives
    row: Ints
    label: Ints
    n_instances: int

    @classmethod
    def of(cls, relatives: Relatives, truth: LabelSets) -> Tips:
        """Return the tips of label sets."""
        row, label = lowest_labels(relatives.hierarchy, truth)
        return cls(relatives, row, label.astype(np.int64), len(truth))

    @cached_property
    def ptr(self) -> Ints:
        """CSR row pointer of the instances."""
        return offsets(np.bincount(self.row, minlength=self.n_instances))

    @cached_property
    def tops(self) -> scipy.sparse.csr_array:
        """Which highest classes the labels of every instance are below, a row per instance."""
        n = len(self.relatives.hierarchy)
        ones = np.ones(len(self.label))
        sets = scipy.sparse.csr_array((ones, self.label, self.ptr), shape=(self.n_instances, n))
        return scipy.sparse.csr_array(sets @ self.relatives.tops)

    def hold(self, row: Ints, label: Ints) -> Bools:
        """Return whether an instance has a label."""
        n = len(self.relatives.hierarchy)
        held: Bools = np.isin(row * n + label, self.row * n + self.label)
        return held


def sets_of(row: Ints, label: Ints, n_instances: int, n_classes: int) -> LabelSets:
    """Return label sets of (instance, class) in any order."""
    keys = sorted_unique(row * n_classes + label)
    row, label = np.divmod(keys, max(1, n_classes))
    ptr = offsets(np.bincount(row, minlength=n_instances))
    return LabelSets.from_arrays(ptr, label, n_classes)


def one_below_the_other(parts: Sequence[LabelSets]) -> LabelSets:
    """Return several label sets of the same classes as one."""
    ptr = offsets(np.concatenate([part.lengths for part in parts]))
    return LabelSets.from_arrays(
        ptr, np.concatenate([p.indices for p in parts]), parts[0].n_classes
    )


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
    relatives = {s.name: _incoming(tips, s, seed, number) for s in steps if s.relation}
    exists = np.ones(len(tips.label), dtype=bool)
    for classes in relatives.values():
        exists &= (classes >= 0).all(axis=0)
    chance = np.where(exists, stream(seed, LABELS, number).random(len(exists)), -1.0)
    order = np.lexsort((chance, tips.row))
    some = np.flatnonzero(np.diff(tips.ptr))
    chosen = order[tips.ptr[some + 1] - 1]
    chosen = chosen[exists[chosen]]
    for classes in relatives.values():
        for one in classes:
            chosen = chosen[~tips.hold(tips.row[chosen], one[chosen])]
    rows = tips.row[chosen]
    n, n_classes = len(rows), len(tips.relatives.hierarchy)
    lengths = np.diff(tips.ptr)[rows]
    place = ragged_ranges(tips.ptr[rows], lengths)
    row, label = np.repeat(np.arange(n), lengths), tips.label[place]
    is_chosen = place == np.repeat(chosen, lengths)

    def sets(step: Step) -> LabelSets:
        kept = np.full(len(place), step.kind != "drop_all")
        if step.kind in ("replace", "drop"):
            kept &= ~is_chosen
        named = _replaced(tips, step.rate, seed, number)[place] if step.kind == "noise" else label
        new = relatives.get(step.name, np.zeros((0, len(exists)), dtype=np.int64))[:, chosen]
        rows_in = np.concatenate([row[kept], np.tile(np.arange(n), len(new))])
        return sets_of(rows_in, np.concatenate([named[kept], new.ravel()]), n, n_classes)

    reach = {name: int((classes >= 0).all(axis=0).sum()) for name, classes in relatives.items()}
    truth = sets_of(row, label, n, n_classes)
    return Draw(rows, truth, {step.name: sets(step) for step in steps}, reach)


def noise(tips: Tips, rate: float, seed: int, number: int) -> LabelSets:
    """Return the tips of all instances, a share of them replaced by any class that counts."""
    label = _replaced(tips, rate, seed, number)
    return sets_of(tips.row, label, tips.n_instances, len(tips.relatives.hierarchy))


def _replaced(tips: Tips, rate: float, seed: int, number: int) -> Ints:
    """Return a class for every tip: any one for a share of them, more of them at higher rates."""
    rng = stream(seed, NOISE, number)
    when, which = rng.random(len(tips.label)), rng.random(len(tips.label))
    classes = tips.relatives.counting
    any_class = classes[(which * len(classes)).astype(np.int64)]
    return np.where(when < rate, any_class, tips.label)


def _incoming(tips: Tips, step: Step, seed: int, number: int) -> Ints:
    """Return what comes in for every tip, -1 where nothing can; a row per class that comes in."""
    rng = stream(seed, RELATIVES, *step.source, number)
    found, n = tips.relatives, len(tips.label)
    if step.relation == UNIT:
        several: list[Ints] = []
        for _ in range(step.amount):
            several.append(found.unrelated(tips.label, tips.tops[tips.row], several, rng))
        return np.array(several)
    if step.line:
        u = rng.random((step.amount, n))
        return found.in_line(tips.label, u, up=step.relation == "up")[None]
    return found.kin(tips.label, 1 + (step.relation == "cousin"), rng.random((2, n)))[None]
