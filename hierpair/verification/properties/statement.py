"""What a property of measures is: a statement, a relation, and where its witnesses come from."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, check_choice, did_you_mean, shown
from hierpair.verification.properties.relations import RELATIONS, Relation
from hierpair.verification.properties.small_world import World, mask_of

__all__ = [
    "DOMAINS",
    "DRAWN",
    "EVERY",
    "KINDS",
    "PROPERTIES",
    "Draw",
    "Property",
    "Witnesses",
    "drawn",
    "every",
    "property_named",
    "property_of_measures",
    "witnesses",
]

Masks = NDArray[np.int64]

Kind = Literal["D", "T", "C"]

KINDS = {
    "D": "desired by a paper",
    "T": "a trait: neither good nor bad",
    "C": "contested: two papers want opposites",
}
"""What the kind of a property says."""

DOMAINS = ("tree, one label", "tree, several", "DAG, one label", "DAG, several")
"""Verdicts are given apart for these."""


@dataclass(frozen=True, eq=False)
class Witnesses:
    """Witnesses of one property: some cells each, whose values must obey its relation.

    Attributes
    ----------
    truth, predicted
        Label sets as bit masks, shape ``(n, arity)``.
    worlds
        The hierarchy of the cells, column by column.
    """

    truth: Masks
    predicted: Masks
    worlds: tuple[World, ...]

    def __post_init__(self) -> None:
        fits = self.truth.shape == self.predicted.shape and self.truth.ndim == 2
        if not fits or self.truth.shape[1] != len(self.worlds):
            raise BadInput(
                f"witnesses need truth and predictions of one shape (n, {len(self.worlds)}), got "
                f"{self.truth.shape} and {self.predicted.shape}"
            )

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def domains(self) -> NDArray[np.int64]:
        """The number in ``DOMAINS`` of every witness."""
        several = (self.truth & (self.truth - 1)) | (self.predicted & (self.predicted - 1))
        in_trees = all(world.is_tree for world in self.worlds)
        numbers: NDArray[np.int64] = (several != 0).any(axis=1) + (0 if in_trees else 2)
        return numbers


def witnesses(
    worlds: World | Sequence[World],
    cells: Iterable[Sequence[tuple[int | Masks, int | Masks]]],
    arity: int,
) -> Witnesses:
    """Return witnesses from cells ``(truth, prediction)``, which are bit masks.

    Parameters
    ----------
    worlds
        The hierarchy of all cells, or that of each cell of a witness.
    cells
        Per witness ``arity`` pairs of masks.
    arity
        Cells of a witness.

    Examples
    --------
    >>> star = World(((), (0,), (0,)))
    >>> found = witnesses(star, [[(0b010, 0b010), (0b010, 0b110)]], 2)
    >>> len(found), found.predicted.tolist()
    (1, [[2, 6]])
    """
    listed = np.array(list(cells), dtype=np.int64).reshape(-1, arity, 2)
    each = (worlds,) * arity if isinstance(worlds, World) else tuple(worlds)
    return Witnesses(listed[:, :, 0], listed[:, :, 1], each)


@dataclass(frozen=True, eq=False)
class Draw:
    """What random witnesses are drawn from.

    Attributes
    ----------
    world
        A random hierarchy, which all properties see; one may change it.
    several
        Whether label sets may have several labels; otherwise they have one.
    rng
        Of this property and this hierarchy alone: no other property changes what it gives.
    n
        How many witnesses are wanted at most; fewer will do, or none.
    """

    world: World
    several: bool
    rng: np.random.Generator
    n: int


Every = Callable[[World], Witnesses]
"""From a small hierarchy to all witnesses in it, in the order in which the least one is sought."""

Drawn = Callable[[Draw], Witnesses | None]
"""From a random hierarchy to some random witnesses in it, or in a change of it."""


@dataclass(frozen=True)
class Property:
    """A property that measures have or have not.

    Attributes
    ----------
    name, statement, source
        How it is called, what it says in one line, and who asks for it.
    kind
        ``"D"`` desired by a paper, ``"T"`` a trait, neither good nor bad, ``"C"`` contested.
    relation
        What the values of the cells of a witness obey, by its name in ``RELATIONS``.
    invariance
        Whether a measure that does not see the difference has it for nothing: then it is called
        vacuous for one that never prefers a near miss to a far one.
    scope
        Most classes below the root of the hierarchies that are gone through.
    lower_only
        Whether it is about losses that add up: undefined where higher is better, and of shares.
    """

    name: str
    kind: Kind
    statement: str
    source: str
    relation: str
    invariance: bool = False
    scope: int = 6
    lower_only: bool = False

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, KINDS)
        check_choice("relation", self.relation, RELATIONS)

    @property
    def rule(self) -> Relation:
        """Its relation."""
        return RELATIONS[self.relation]

    @property
    def every(self) -> Every | None:
        """All its witnesses in a small hierarchy, or None where they are drawn alone."""
        return EVERY.get(self.name)

    @property
    def drawn(self) -> Drawn | None:
        """Random witnesses of it, or None where they are gone through alone."""
        return DRAWN.get(self.name)


PROPERTIES: dict[str, Property] = {}
"""Every property by name, in the order of the table."""

EVERY: dict[str, Every] = {}
"""By the name of a property: all witnesses in a small hierarchy."""

DRAWN: dict[str, Drawn] = {}
"""By the name of a property: random witnesses."""


def every(*names: str) -> Callable[[Every], Every]:
    """Register a function from a small hierarchy to all witnesses of properties in it."""

    def registered(function: Every) -> Every:
        EVERY.update(dict.fromkeys(names, function))
        return function

    return registered


def drawn(*names: str) -> Callable[[Drawn], Drawn]:
    """Register a function from a random hierarchy to random witnesses of properties."""

    def registered(function: Drawn) -> Drawn:
        DRAWN.update(dict.fromkeys(names, function))
        return function

    return registered


def property_named(name: str | Property) -> Property:
    """Return a property by its name.

    Raises
    ------
    BadInput
        For an unknown one, with the nearest known one.
    """
    if isinstance(name, Property):
        return name
    if name not in PROPERTIES:
        raise BadInput(
            f"there is no property {name!r}{did_you_mean(str(name), PROPERTIES)}; there are "
            f"{', '.join(PROPERTIES)}"
        )
    return PROPERTIES[name]


Own = Callable[..., Iterable[Sequence[tuple[Iterable[int], Iterable[int]]]]]


def property_of_measures(
    *,
    relation: str = "≥",
    kind: Kind = "D",
    source: str = "ours",
    statement: str = "",
    invariance: bool = False,
    scope: int = 6,
) -> Callable[[Own], Own]:
    """Register a property of one's own.

    The decorated function yields witnesses: each is a list of cells ``(truth, predicted)``, which
    are collections of class numbers of a :class:`World`, whose root is 0. A function of the world
    alone yields all witnesses in it and is called for every small hierarchy; one of ``world, rng``
    yields a random one and is called several times for random hierarchies.

    Parameters
    ----------
    relation
        What the values of the cells must obey, higher being better: ``"≥"`` and ``">"`` (each
        value against the next one), ``"="``, ``"in [0, 1]"``, ``"same order"`` and
        ``"same difference"`` (of the first two cells as of the last two), or ``"triangle"`` (of
        the cells (T,T), (T,P), (T,Q), (Q,Q), (Q,P)).
    kind
        ``"D"`` desired, ``"T"`` a trait, ``"C"`` contested.
    source
        Who asks for it.
    statement
        What it says; by default the first line of the docstring.
    invariance
        Whether a measure that does not see the difference has it for nothing.
    scope
        Most classes below the root of the hierarchies that are gone through.

    Raises
    ------
    BadInput
        For a function without a statement or with other parameters, or a name that is taken.

    Examples
    --------
    >>> @property_of_measures(relation=">", source="ours")
    ... def parent_beats_nothing(world):
    ...     "The parent of the true class is better than nothing."
    ...     for parent, child in world.edges:
    ...         if parent:
    ...             yield [([child], [parent]), ([child], [])]
    >>> "parent_beats_nothing" in PROPERTIES
    True
    >>> for known in (PROPERTIES, EVERY):
    ...     _ = known.pop("parent_beats_nothing")
    """

    def registered(function: Own) -> Own:
        name = function.__name__
        takes = list(inspect.signature(function).parameters)
        said = statement or (inspect.getdoc(function) or "").split("\n")[0]
        if not said:
            raise BadInput(f"property {name}: say in its docstring, or as statement=, what it is")
        if len(takes) not in (1, 2):
            raise BadInput(
                f"property {name} must take a world, or a world and a random generator; it takes "
                f"{', '.join(takes) or 'nothing'}"
            )
        if name in PROPERTIES:
            raise BadInput(f"there is already a property {name!r}; choose another name")
        arity = RELATIONS[check_relation(relation)].arity
        PROPERTIES[name] = Property(name, kind, said, source, relation, invariance, scope)

        @wraps(function, assigned=())
        def of_world(world: World) -> Witnesses:
            return _own(name, world, function(world), arity)

        @wraps(function, assigned=())
        def of_draw(draw: Draw) -> Witnesses:
            found = (x for _ in range(draw.n) for x in function(draw.world, draw.rng))
            return _own(name, draw.world, found, arity)

        if len(takes) == 1:
            EVERY[name] = of_world
        else:
            DRAWN[name] = of_draw
        return function

    return registered


def check_relation(relation: str) -> str:
    """Return the name of a relation, or refuse it."""
    check_choice("relation", relation, RELATIONS)
    return relation


def _own(name: str, world: World, yielded: Iterable[Any], arity: int | None) -> Witnesses:
    """Return what a function of a user's own yields, checked."""
    rows: list[list[tuple[int, int]]] = []
    for cells in yielded:
        try:
            row = [(mask_of(true), mask_of(predicted)) for true, predicted in cells]
        except (TypeError, ValueError) as error:
            raise BadInput(
                f"property {name}: a witness is a list of cells (truth, predicted), two "
                f"collections of class numbers each; got {shown(cells)}"
            ) from error
        outside = [mask for cell in row for mask in cell if mask >> world.n]
        if len(row) < 1 or len(row) != (arity or len(rows[0] if rows else row)) or outside:
            wanted = f"{arity} cells" if arity else "cells, always as many,"
            raise BadInput(
                f"property {name}: a witness needs {wanted} of classes 0 to {world.n - 1}, got "
                f"{shown(cells)}"
            )
        rows.append(row)
    return witnesses(world, rows, len(rows[0]) if rows else arity or 1)
