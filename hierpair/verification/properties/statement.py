"""A property of measures: a row of text and a condition, from which all its witnesses follow."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from types import CodeType
from typing import Any, Literal, NamedTuple

import numpy as np

from hierpair.errors import BadInput, check_choice, check_known, shown
from hierpair.hierarchy.arrays import Floats
from hierpair.io.text import read_toml
from hierpair.measures import Measure
from hierpair.verification.properties import worlds
from hierpair.verification.properties.worlds import BITS, Masks, World, mask_of

Values = Floats
Assigned = dict[str, Masks]
"""The value of every variable in every witness: the number of a class, or a set as bits."""

Kind = Literal["D", "T", "C"]

KINDS = {
    "D": "desired by a paper",
    "T": "a trait: neither good nor bad",
    "C": "contested: two papers want opposites",
}
"""What the kind of a property says."""

DOMAINS = ("tree, one label", "tree, several", "DAG, one label", "DAG, several")
"""Verdicts are given apart for these."""

TOLERANCE = 1e-9
"""Values that differ by less are equal: equal ratios of unequal counts can differ in the last
bit."""


class Relation(NamedTuple):
    """A relation between the values of the cells of one witness.

    Attributes
    ----------
    says
        How it reads, of cells from the first one that does not obey it on.
    sides
        What is compared, of values of shape ``(…, arity)``: two arrays, a column for each
        comparison.
    obeyed
        Whether two sides obey it.
    arity
        How many cells a witness has; None: two or more.
    of_errors
        Whether it is told of values that are turned: of errors.
    """

    says: str
    sides: Callable[[Values], tuple[Values, Values]]
    obeyed: Callable[[Values, Values], Any]
    arity: int | None = None
    of_errors: bool = False


def _sign(difference: Values) -> Values:
    return np.where(np.abs(difference) <= TOLERANCE, 0.0, np.sign(difference))


def _next(v: Values) -> tuple[Values, Values]:
    return v[..., :-1], v[..., 1:]


def _differences(v: Values) -> tuple[Values, Values]:
    return v[..., :1] - v[..., 1:2], v[..., 2:3] - v[..., 3:4]


def _equal(a: Values, b: Values) -> Any:
    return np.abs(a - b) <= TOLERANCE


RELATIONS = {
    # every value is at least, or more than, the next one, or the same
    "≥": Relation("{0} ≥ {1}", _next, lambda a, b: a >= b - TOLERANCE),
    ">": Relation("{0} > {1}", _next, lambda a, b: a > b + TOLERANCE),
    "=": Relation("{0} = {1}", _next, _equal),
    # of each cell alone; values as they are, whatever is better
    "in [0, 1]": Relation("0 ≤ {0} ≤ 1", lambda v: (v, np.clip(v, 0, 1)), _equal),
    # of (T,T), (T,P), (T,Q), (Q,Q), (Q,P): the errors v(T,T) − v(T,P), … are lengths of ways
    "triangle": Relation(
        "e({1}) ≤ e({2}) + e({4})",
        lambda v: (v[..., :1] - v[..., 1:2], v[..., :1] - v[..., 2:3] + v[..., 3:4] - v[..., 4:]),
        lambda a, b: a <= b + TOLERANCE,
        5,
        True,
    ),
    # the first and the second compare, or differ, as the third and the fourth do
    "same order": Relation(
        "{0} − {1} to have the sign of {2} − {3}", _differences,
        lambda a, b: _sign(a) == _sign(b), 4,
    ),
    "same difference": Relation("{0} − {1} = {2} − {3}", _differences, _equal, 4),
}  # fmt: skip
"""Every relation by name."""

CELL = re.compile(r"([^|\s]+)\|([^|′\s]+)(′?)")
"""Truth and prediction of a cell, and whether it is in the hierarchy after the change."""

VARIABLE = re.compile(r"\b[A-Za-mo-z]_?(?!\w)")
"""A variable; ``n`` is how many classes there are, with the root."""

CLASSES = 12
"""How many classes of a random hierarchy witnesses are sought among."""


@cache
def _code(text: str) -> CodeType:
    """Return a condition or a side of a cell as code; sets are bits there, which are added."""
    return compile(text.replace("∅", "0").replace("*", "every"), text, "eval")


@cache
def _conditions(when: str) -> list[tuple[CodeType, set[str]]]:
    """Return each condition with the variables that it needs."""
    texts = filter(None, when.rpartition(": ")[2].split(" and "))
    return [(_code(text), {*VARIABLE.findall(text)}) for text in texts]


class Sampling(NamedTuple):
    """How random witnesses are drawn: among which label sets, by what, and how many."""

    sets: Masks
    rng: np.random.Generator
    n: int


@dataclass(frozen=True, eq=False)
class Witnesses:
    """Witnesses of one property: some cells each, whose values must obey its relation.

    Attributes
    ----------
    truth, predicted
        Label sets as bit masks, shape ``(n, arity)``.
    worlds
        The hierarchy of the cells, column by column.
    assigned
        The value of every variable; of a user's own property there are none.
    drawn
        Whether they are random.
    """

    truth: Masks
    predicted: Masks
    worlds: tuple[World, ...]
    assigned: Assigned = field(default_factory=dict)
    drawn: bool = False

    def __len__(self) -> int:
        return len(self.truth)

    def take(self, rows: Any) -> Witnesses:
        """Return some of them."""
        assigned = {name: values[rows] for name, values in self.assigned.items()}
        return replace(
            self, truth=self.truth[rows], predicted=self.predicted[rows], assigned=assigned
        )

    @cached_property
    def domains(self) -> Masks:
        """The number in ``DOMAINS`` of every witness."""
        several = (self.truth & (self.truth - 1)) | (self.predicted & (self.predicted - 1))
        in_trees = all(world.is_tree for world in self.worlds)
        numbers: Masks = (several != 0).any(axis=1) + (0 if in_trees else 2)
        return numbers

    @cached_property
    def ranks(self) -> Masks:
        """By which of several the least is shown: random ones last, then by classes and labels."""
        labels = np.bitwise_count([self.truth, self.predicted]).sum(axis=(0, 2), dtype=np.int64)
        size = max(world.n for world in self.worlds)
        return np.asarray((self.drawn * 100 + size) * 1000 + labels)


@dataclass(frozen=True)
class Property:
    """A property that measures have or have not.

    Attributes
    ----------
    name
        How it is called.
    kind
        ``"D"`` desired by a paper, ``"T"`` a trait, neither good nor bad, ``"C"`` contested.
    text
        The cells as ``truth|prediction`` with the name of their relation in ``RELATIONS`` between
        or behind them, such as ``"T|P+t ≥ T|P"``. A small letter is a class, a capital a set of
        labels; if ``_`` follows, also the root or none; ``∅`` is none, ``*`` all classes; ``′`` at
        the end: in the hierarchy after the change.
    statement, source
        What it says in one line, and who asks for it.
    when
        Which values of the variables are a witness, in relations of a :class:`World`, such as
        ``"parent[t, c] and depth[c] == depth[x]"``. All values of all variables are gone through
        in the order of the cells, or in one that stands before a colon; each condition as soon as
        all of its variables have values.
    change
        What changes the hierarchy: it takes this, its parents to be changed, and variables by
        name, and may return which class is the first one by name.
    invariance
        Whether a measure that does not see the difference has it for nothing: then it is called
        vacuous for one that never prefers a near miss to a far one.
    scope
        Most classes below the root of the hierarchies that are gone through.
    rare
        Whether its witnesses are so rare that random hierarchies need them built in.
    lower_only
        Whether it is about losses that add up: undefined where higher is better, and of shares.
    own
        A user's own function that yields cells; its text is the relation alone.
    """

    name: str
    kind: Kind
    text: str
    statement: str
    source: str
    when: str = ""
    change: Callable[..., int | None] | None = None
    invariance: bool = False
    scope: int = 6
    rare: bool = False
    lower_only: bool = False
    own: Callable[..., Iterable[Any]] | None = None

    @property
    def relation(self) -> str:
        """What the values of the cells of a witness obey, by its name in ``RELATIONS``."""
        return " ".join(dict.fromkeys(x for x in self.text.split() if "|" not in x))

    @property
    def rule(self) -> Relation:
        """Its relation."""
        return RELATIONS[self.relation]

    def turned(self, values: Values, measures: Sequence[Measure]) -> Values:
        """Return values, by measure, so that higher is better, where that matters."""
        signs = [1 if self.relation == "in [0, 1]" else m.sign for m in measures]
        turned: Values = values * np.reshape(signs, (-1, *[1] * (values.ndim - 1)))
        return turned

    def holds(self, values: Values, measures: Sequence[Measure]) -> Any:
        """Whether values of shape ``(n_measures, …, arity)`` obey it."""
        return self.rule.obeyed(*self.rule.sides(self.turned(values, measures))).all(axis=-1)

    def excuse(self, m: Measure) -> str:
        """Return why it is not about a measure; nothing if it is."""
        if not self.lower_only:
            return ""
        if m.higher_is_better:
            return "it is about losses, and higher values of this measure are better"
        share = "it is about losses that add up, and this one is a share"
        return share if "bounded" in m.definition.traits else ""

    @cached_property
    def changed_by(self) -> list[str]:
        """The variables that the change depends on."""
        return [] if self.change is None else _parameters(self.change)[2:]

    @cached_property
    def variables(self) -> list[str]:
        """The variables in the order in which their values are gone through."""
        order, _, conditions = self.when.rpartition(": ")
        named = VARIABLE.findall(f"{order} {self.text} {conditions}")
        return list(dict.fromkeys(named + self.changed_by))

    def witnesses(self, world: World, draw: Sampling | None = None) -> Iterator[Witnesses]:
        """Yield all witnesses in a hierarchy, or some of one change.

        They are apart where the hierarchy is changed in several ways. Where witnesses are not rare
        and the hierarchy is not changed, random ones are sought among a few classes.
        """
        drawn = draw is not None
        if self.own is not None:
            if (len(_parameters(self.own)) == 2) == drawn:  # it takes a random generator, too
                rng, n = ((), 1) if draw is None else ((draw.rng,), draw.n)
                own = self._own(world, (x for _ in range(n) for x in self.own(world, *rng)))
                yield replace(own, drawn=drawn)
            return
        classes, sets = world.classes, world.sets if draw is None else draw.sets
        if draw is not None and not self.rare and self.change is None:
            classes = draw.rng.permutation(classes)[:CLASSES]
        found = self.assigned(
            world, {v: np.append(0, classes if v.islower() else sets) for v in self.variables}
        )
        way = np.zeros(len(_first(found)), dtype=np.int64)
        rows = np.arange(len(way)) if draw is None else draw.rng.permutation(len(way))
        for v in self.changed_by:
            way = way * world.n + found[v]
        for one in np.unique(way) if draw is None else way[rows[:1]]:
            here = rows[way[rows] == one][: draw and draw.n]
            cells = self.one(world, {name: values[here] for name, values in found.items()})
            yield replace(cells, drawn=drawn)

    def is_witness(self, world: World, one: Assigned) -> bool:
        """Whether the values of the variables are a witness in a hierarchy."""
        return len(_first(self.assigned(world, one))) > 0

    def assigned(self, world: World, domains: Assigned) -> Assigned:
        """Return the values of the variables, among these of each, of all witnesses.

        Neither the root nor the empty set is one of a variable without ``_``.
        """
        found: Assigned = {}
        n = 1
        for variable in self.variables:
            domain = domains[variable]
            domain = domain if variable.endswith("_") else domain[domain != 0]
            found = {name: np.repeat(x, len(domain)) for name, x in found.items()}
            found[variable] = np.tile(domain, n)
            for code, names in _conditions(self.when):
                if variable in names <= found.keys():
                    told = {x: getattr(world, x) for x in code.co_names if x not in found}
                    kept = eval(code, told, found)
                    found = {name: values[kept] for name, values in found.items()}
            n = len(found[variable])
        return found

    def one(self, world: World, found: Assigned) -> Witnesses:
        """Return the cells of values of the variables, of which each gives the same change."""
        after = world
        if self.change is not None:
            tree = world.tree
            of = {name: int(found[name][0]) for name in self.changed_by}
            first = self.change(world, tree, **of) or 0
            after = World.grown(tree, first)
        bits = {v: x if v[0].isupper() else BITS[x] for v, x in found.items()}
        every, each = {"every": (1 << world.n) - 2}, np.zeros_like(_first(found))

        def masks(side: str) -> Masks:
            return np.asarray(eval(_code(side), every, bits) + each)

        cells = CELL.findall(self.text)
        return Witnesses(
            np.stack([masks(true) for true, *_ in cells], axis=1),
            np.stack([masks(said) for _, said, _ in cells], axis=1),
            tuple(after if changed else world for *_, changed in cells),
            found,
        )

    def _own(self, world: World, yielded: Iterable[Any]) -> Witnesses:
        """Return what a function of a user's own yields, checked."""
        rows: list[list[list[int]]] = []
        arity = self.rule.arity
        for cells in yielded:
            row: list[list[int]] = []
            with suppress(TypeError, ValueError):
                row = [[mask_of(true), mask_of(predicted)] for true, predicted in cells]
            arity = arity or len(row)
            if len(row) != arity or not row or max(map(max, row)) >> world.n:
                raise BadInput(
                    f"property {self.name}: a witness is a list of {arity or 'some'} cells (truth, "
                    f"predicted), two collections of classes 0 to {world.n - 1} each; got "
                    f"{shown(cells)}"
                )
            rows.append(row)
        truth, predicted = np.array(rows, dtype=np.int64).reshape(len(rows), arity or 1, 2).T
        return Witnesses(truth.T, predicted.T, (world,) * (arity or 1))


def _parameters(function: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(function).parameters)


def _first(found: Assigned) -> Masks:
    return next(iter(found.values()))


PROPERTIES: dict[str, Property] = {}
"""Every property by name, in the order of the table, which rows.toml holds."""


def property_named(name: str | Property) -> Property:
    """Return a property by its name; refuse an unknown one, with the nearest known one."""
    if isinstance(name, Property):
        return name
    check_known("property", name, PROPERTIES)
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
    >>> del PROPERTIES["parent_beats_nothing"]
    """

    def registered(function: Own) -> Own:
        name, takes = function.__name__, _parameters(function)
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
        check_choice("kind", kind, KINDS)
        check_choice("relation", relation, RELATIONS)
        PROPERTIES[name] = Property(
            name, kind, relation, said, source, invariance=invariance, scope=scope, own=function
        )
        return function

    return registered


CLAIMED: dict[str, Property] = {}
"""Properties that only claims are about."""

for _name, _row in read_toml(Path(__file__).with_name("rows.toml")).items():
    if "change" in _row:
        _row["change"] = getattr(worlds, _row["change"])
    _table = CLAIMED if _row.pop("claimed", False) else PROPERTIES
    _table[_name] = Property(_name, **_row)
