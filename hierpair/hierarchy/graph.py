"""The class hierarchy: a checked, immutable, integer-indexed forest or DAG."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set, Sized
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import MOST_COMPARED, BadInput, did_you_mean, listed, shown
from hierpair.hierarchy.building import (
    LARGEST_NUMBER,
    assemble,
    check_name,
    check_weight,
    in_order,
    is_missing,
    plain_names,
)
from hierpair.hierarchy.cache import BoundedCache
from hierpair.hierarchy.closure import ancestor_closure
from hierpair.hierarchy.distance import common_ancestor_distances
from hierpair.hierarchy.fingerprint import fingerprint_of
from hierpair.hierarchy.sources import (
    frame_columns,
    nested_edges,
    path_edges,
    table_columns,
    table_edges,
)
from hierpair.hierarchy.walking import walk

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Hierarchy"]

Name = Hashable


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy:
    """Classes that form a tree, a forest or a directed acyclic graph (DAG).

    Build one with :meth:`from_edges`, :meth:`from_parents`, :meth:`from_nested`,
    :meth:`from_paths`, :meth:`from_frame`, :meth:`from_networkx` or a reader.
    Classes are numbered so that parents come before their children; everything below the door
    works with these numbers.

    Attributes
    ----------
    names
        The class names in the order of their numbers.
    parent_ptr, parents
        CSR arrays: the parents of class ``c`` are ``parents[parent_ptr[c]:parent_ptr[c + 1]]``.
    child_ptr, children
        The same for children.
    levels
        Longest way from a parentless class, in edges, shape ``(n_classes,)``.
    weights
        Edge weights in the order of ``parents``, or None where every edge counts 1.
    aliases
        Other names of classes, such as alternative ids: other name → name.
    titles
        What classes are called for people, such as the names of terms in an OBO file: name →
        title. Pictures and explanations show them; labels are still looked up by name.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "animal"), ("animal", "cat"), ("animal", "dog")])
    >>> tree
    Hierarchy(4 classes, 3 edges, tree)
    >>> tree.ancestors("cat")
    ['root', 'animal']
    >>> tree.distance("cat", "dog")
    2.0
    """

    names: tuple[Name, ...]
    parent_ptr: NDArray[np.int64]
    parents: NDArray[np.int32]
    child_ptr: NDArray[np.int64]
    children: NDArray[np.int32]
    levels: NDArray[np.int32]
    weights: NDArray[np.float64] | None = None
    aliases: Mapping[Name, Name] = field(default_factory=dict)
    titles: Mapping[Name, str] = field(default_factory=dict)
    cache: BoundedCache = field(default_factory=BoundedCache, init=False)

    def __post_init__(self) -> None:
        for array in (self.parent_ptr, self.parents, self.child_ptr, self.children, self.levels):
            array.setflags(write=False)
        if self.weights is not None:
            self.weights.setflags(write=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the cache at home: it is large and quickly made again."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init} | {
            "cache": BoundedCache()
        }

    # ------------------------------------------------------------------ building

    @staticmethod
    def expected(given: object) -> Hierarchy:
        """Return ``given`` if it is a hierarchy, and refuse anything else."""
        if not isinstance(given, Hierarchy):
            raise BadInput(
                f"hierarchy must be a Hierarchy, got {type(given).__name__}; make one with "
                "Hierarchy.from_edges or read_hierarchy (score takes hierarchy, y_true, systems; "
                "the functions take y_true, y_pred, hierarchy)"
            )
        return given

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[Sequence[Any]],
        *,
        classes: Iterable[Name] = (),
        aliases: Mapping[Any, Any] | None = None,
        titles: Mapping[Any, str] | None = None,
        where: Callable[[int], str] | None = None,
    ) -> Hierarchy:
        """Build from ``(parent, child)`` or ``(parent, child, weight)`` tuples.

        Parameters
        ----------
        edges
            One tuple per edge; either all carry a weight (a finite number ≥ 0) or none does. The
            edges may be a set: they are then sorted, so that classes are numbered alike in every
            run.
        classes
            Classes that may have no edge at all.
        aliases
            Other names of classes: other name → name.
        titles
            What classes are called for people: name → title.
        where
            Tells where edge number ``i`` stands (such as ``"tree.txt:7"``); used in errors.

        Raises
        ------
        BadInput
            For an empty hierarchy, a self-loop, a duplicate edge, a cycle (spelled out class by
            class), a missing name, or a bad weight.
        """
        place = where or (lambda i: f"edge {i + 1}")
        position: dict[Name, int] = {}
        tails: list[int] = []
        heads: list[int] = []
        weights: list[float] = []
        for name in in_order(classes):
            check_name(name, "classes")
            position.setdefault(name, len(position))
        for i, edge in enumerate(in_order(edges)):
            plain = type(edge) is tuple or type(edge) is list
            odd = not plain and (isinstance(edge, (str, Set)) or not isinstance(edge, Sized))
            if odd or len(edge) not in (2, 3):
                raise BadInput(f"{place(i)}: expected (parent, child[, weight]), got {shown(edge)}")
            parent, child = edge[0], edge[1]
            for name in (parent, child):
                if type(name) is not str or not name:  # most are texts, and places take time
                    check_name(name, place(i))
            if parent == child:
                raise BadInput(
                    f"{place(i)}: class {shown(parent)} is its own parent; remove that edge"
                )
            tails.append(position.setdefault(parent, len(position)))
            heads.append(position.setdefault(child, len(position)))
            if len(edge) == 3:
                weights.append(check_weight(edge[2], place(i)))
        if weights and len(weights) != len(tails):
            raise BadInput("some edges carry a weight and some do not; give all of them one")
        arrays = assemble(
            plain_names(position),
            np.array(tails, dtype=np.int64),
            np.array(heads, dtype=np.int64),
            np.array(weights) if weights else None,
            place,
        )
        for other, name in (aliases or {}).items():
            if other in position or name not in position:
                raise BadInput(f"{shown(other)} cannot be another name of {shown(name)}")
        stray = next((name for name in titles or {} if name not in position), None)
        if stray is not None:
            raise BadInput(f"there is a title of {shown(stray)}, which is no class")
        return cls(**arrays, aliases=dict(aliases or {}), titles=dict(titles or {}))

    @classmethod
    def from_parents(
        cls,
        parents: Mapping[Name, Any],
        *,
        where: Callable[[int], str] | None = None,
    ) -> Hierarchy:
        """Build from ``{class: parent}``, ``{class: [parents]}`` or ``{class: None}``.

        A blank, NaN or NA counts as None: the class is a root.

        >>> Hierarchy.from_parents({"root": None, "a": "root", "b": ["root"]}).roots
        ['root']
        """
        edges: list[tuple[Name, Name]] = []
        for child, given in parents.items():
            several = isinstance(given, (list, tuple, set, frozenset, np.ndarray))
            above = given if several else [] if is_missing(given) else [given]
            edges += [(parent, child) for parent in in_order(above)]
        return cls.from_edges(edges, classes=parents, where=where)

    @classmethod
    def from_nested(cls, nested: Any) -> Hierarchy:
        """Build from nested dicts and lists.

        A dict maps a class to what is below it, a list holds classes or dicts of them, None and
        empty ones are nothing; ``{"name": …, "children": […]}`` is understood too. A class that
        stands in several places has several parents.

        >>> tree = Hierarchy.from_nested({"food": {"cheese": ["brie", "gouda"], "bread": None}})
        >>> tree, tree.ancestors("brie")
        (Hierarchy(5 classes, 4 edges, tree), ['food', 'cheese'])
        """

        def trouble(message: str) -> None:
            raise BadInput(message)

        def name_of(thing: Any) -> Name | None:
            return thing if isinstance(thing, Hashable) and not is_missing(thing) else None

        rows = nested if isinstance(nested, list) else []
        if rows and all(isinstance(row, Mapping) and table_columns(list(row)) for row in rows):
            raise BadInput("these are the rows of a table; give a data frame of them to from_frame")
        edges, classes = nested_edges(nested, name_of, trouble)
        return cls.from_edges(edges, classes=classes)

    @classmethod
    def from_paths(cls, paths: Iterable[Any], *, separator: str = "/") -> Hierarchy:
        """Build from paths from the top; a class is named by its whole path.

        Parameters
        ----------
        paths
            Texts such as ``"food/cheese/brie"``, or lists of names, whose end may be blank. The
            classes on the way need no path of their own.
        separator
            Between the names of a text; names of classes are joined by it.

        Examples
        --------
        >>> tree = Hierarchy.from_paths(["food/cheese/brie", "food/bread"])
        >>> tree.names
        ('food', 'food/cheese', 'food/bread', 'food/cheese/brie')
        >>> Hierarchy.from_paths([("a", "b"), ("a", None)]).names
        ('a', 'a/b')
        """
        if isinstance(paths, str):
            raise BadInput(f"paths must be a list of paths, got the text {shown(paths)}")
        if not separator:
            raise BadInput("the separator of paths must not be empty")
        edges, tops = path_edges(in_order(paths), separator)
        numbers = list(edges.values())
        return cls.from_edges(edges, classes=tops, where=lambda i: f"path {numbers[i]}")

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        child: str | None = None,
        parent: str | None = None,
        weight: str | None = None,
    ) -> Hierarchy:
        """Build from a data frame with a row per edge (needs the extra ``dataframe``).

        Parameters
        ----------
        frame
            A frame of pandas, polars, pyarrow or another that narwhals knows. A parent that is
            blank, None, NaN or NA marks a root; several rows of a class are several parents. A
            column ``title`` (or ``name`` beside an id) holds what classes are called for people.
        child, parent, weight
            The columns; by default those with usual names, such as ``child`` and ``parent``,
            ``id`` and ``parent_id``, or ``source`` and ``target``.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"id": ["food", "bread"], "parent": [None, "food"]})
        >>> Hierarchy.from_frame(frame)
        Hierarchy(2 classes, 1 edges, tree)
        """

        def trouble(message: str) -> None:
            raise BadInput(message)

        columns = frame_columns(frame, child, parent, weight)
        found = table_edges(columns, lambda i: f"row {i}", trouble)
        return cls.from_edges(
            found.edges, classes=found.classes, titles=found.titles,
            where=lambda i: f"row {found.rows[i]}",
        )  # fmt: skip

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph, *, weight: str | None = None) -> Hierarchy:
        """Build from a directed graph whose edges run from parent to child.

        ``weight`` names the edge attribute to use as weight.
        """
        if not graph.is_directed():
            raise BadInput("the graph is undirected; give a DiGraph with edges parent → child")
        if weight is None:
            return cls.from_edges(graph.edges(), classes=graph.nodes())
        lacking = [(u, v) for u, v, w in graph.edges(data=weight) if w is None]
        if lacking:
            raise BadInput(f"edge {shown(lacking[0])} has no attribute {weight!r}")
        return cls.from_edges(graph.edges(data=weight), classes=graph.nodes())

    def to_networkx(self) -> nx.DiGraph:
        """Return a ``networkx.DiGraph`` with edges from parent to child."""
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_nodes_from(self.names)
        child = np.repeat(np.arange(len(self)), np.diff(self.parent_ptr))
        for i, (u, v) in enumerate(zip(self.parents.tolist(), child.tolist(), strict=True)):
            extra = {} if self.weights is None else {"weight": float(self.weights[i])}
            graph.add_edge(self.names[u], self.names[v], **extra)
        return graph

    def with_weights(self, weights: NDArray[np.float64]) -> Hierarchy:
        """Return the same hierarchy with edge weights in the order of ``parents``."""
        weights = np.array(weights, dtype=np.float64)
        if weights.shape != self.parents.shape:
            raise BadInput(f"expected {len(self.parents)} weights, got shape {weights.shape}")
        if not ((weights >= 0) & (weights < LARGEST_NUMBER)).all():
            raise BadInput("edge weights must be finite and not negative")
        return Hierarchy(
            self.names, self.parent_ptr, self.parents, self.child_ptr, self.children,
            self.levels, weights, self.aliases, self.titles,
        )  # fmt: skip

    # ------------------------------------------------------------------ looking

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.position

    def __repr__(self) -> str:
        return f"Hierarchy({len(self)} classes, {len(self.parents)} edges, {self.shape})"

    @property
    def shape(self) -> str:
        """``"tree"``, ``"forest"`` or ``"DAG"``."""
        many = int(np.diff(self.parent_ptr).max(initial=0)) > 1
        return "DAG" if many else "tree" if len(self.root_indices) == 1 else "forest"

    def describe(self) -> str:
        """Return size, shape, roots and depth in one line; a misread file shows here."""
        n_roots = len(self.root_indices)
        top = f"root {shown(self.roots[0])}" if n_roots == 1 else f"{n_roots} roots"
        return (
            f"{self.shape} of {len(self)} classes and {len(self.parents)} edges, {top}, "
            f"{int(self.levels[-1])} levels below"
        )

    @property
    def doubts(self) -> list[str]:
        """What looks as if the hierarchy was misread: several roots, or top and bottom swapped.

        >>> Hierarchy.from_edges([("cat", "animal"), ("dog", "animal")]).doubts
        ['2 roots (cat, dog) and 1 class without children (animal): are parent and child swapped?']
        >>> Hierarchy.from_edges([("animal", "cat"), ("animal", "dog")]).doubts
        []
        """
        roots = self.root_indices
        if len(roots) < 2:
            return []
        some = listed(self.names[c] for c in roots[:5].tolist()) + ", …" * (len(roots) > 5)
        ends = np.flatnonzero(np.diff(self.child_ptr) == 0)
        if len(ends) < len(roots):
            lowest = listed(self.names[c] for c in ends[:5].tolist()) + ", …" * (len(ends) > 5)
            classes = "class" if len(ends) == 1 else "classes"
            return [
                f"{len(roots)} roots ({some}) and {len(ends)} {classes} without children "
                f"({lowest}): are parent and child swapped?"
            ]
        return [
            f"{len(roots)} roots ({some}): classes under different roots have no common ancestor"
        ]

    @cached_property
    def position(self) -> dict[Name, int]:
        """Class name, or another name of it → number."""
        numbers = {name: i for i, name in enumerate(self.names)}
        return numbers | {other: numbers[name] for other, name in self.aliases.items()}

    @cached_property
    def fingerprint(self) -> str:
        """A digest of names, edges and weights: equal for the same hierarchy, 32 hex digits.

        It depends neither on the order of classes and edges nor on the process or the machine,
        so that results of several machines can say which hierarchy they are of. Aliases do not
        count. Names should be texts, numbers or tuples of these: of other objects the
        representation counts.

        >>> one = Hierarchy.from_edges([("r", "a"), ("r", "b")])
        >>> other = Hierarchy.from_edges([("r", "b"), ("r", "a")])
        >>> one.fingerprint == other.fingerprint
        True
        >>> one.fingerprint
        'e693806d47379ec72be72a5a72b578ee'
        """
        return fingerprint_of(self.names, self.parent_ptr, self.parents, self.weights)

    @cached_property
    def numbering(self) -> str:
        """A digest of the class names in their order: label sets remember whose they are."""
        digest = hashlib.blake2b(digest_size=12)
        for name in self.names:
            digest.update(repr(name).encode("utf-8", "backslashreplace") + b"\0")
        return digest.hexdigest()

    @cached_property
    def root_indices(self) -> NDArray[np.int64]:
        """The numbers of the parentless classes."""
        return np.flatnonzero(np.diff(self.parent_ptr) == 0)

    @property
    def roots(self) -> list[Name]:
        """The names of the parentless classes."""
        return [self.names[i] for i in self.root_indices]

    @cached_property
    def depths(self) -> NDArray[np.int32]:
        """Fewest edges from a parentless class, shape ``(n_classes,)``."""
        depths = np.zeros(len(self), dtype=np.int32)
        for lo, hi in self.level_ranges()[1:]:
            starts = self.parent_ptr[lo:hi]
            above = depths[self.parents[self.parent_ptr[lo] : self.parent_ptr[hi]]]
            depths[lo:hi] = np.minimum.reduceat(above, starts - starts[0]) + 1
        return depths

    def level_ranges(self) -> list[tuple[int, int]]:
        """Return the first and the past-the-last class number of every level."""
        bounds = np.searchsorted(self.levels, np.arange(int(self.levels[-1]) + 2))
        return [(int(a), int(b)) for a, b in pairwise(bounds)]

    def index(self, names: Iterable[Name]) -> NDArray[np.int32]:
        """Return the numbers of these classes; an unknown one raises ``BadInput``."""
        position = self.position
        wanted = list(names)
        try:
            return np.fromiter((position[n] for n in wanted), dtype=np.int32, count=len(wanted))
        except TypeError:
            odd = next(n for n in wanted if not isinstance(n, Hashable))
            raise BadInput(f"a class name must be one value, got {shown(odd)}") from None
        except KeyError:
            unknown = next(n for n in wanted if n not in position)
            raise BadInput(self.unknown_message(unknown)) from None

    def unknown_message(self, name: object) -> str:
        """Return the sentence that says that ``name`` is not a class here."""
        text = f"class {shown(name)} is not in the hierarchy"
        called = [c for c, title in self.titles.items() if title == name]
        if called:
            return f"{text}; {listed(called, 3)} is called so, and labels are ids"
        twin = next((n for n in self.names if str(n) == str(name)), None)
        if twin is not None:
            return f"{text}; {twin!r} is, but as {type(twin).__name__}, not {type(name).__name__}"
        if isinstance(name, str):
            same = unicodedata.normalize("NFC", name)
            twins = (n for n in self.names if isinstance(n, str) and n != name)
            if any(unicodedata.normalize("NFC", n) == same for n in twins):
                return f"{text}; the same characters are, in another Unicode normal form"
        first = str(name)[:1].casefold()
        near: list[Name] = [n for n in self.names if str(n)[:1].casefold() == first]
        return text + did_you_mean(name, near if len(self) > MOST_COMPARED else self.names)

    def ancestors(self, name: Name) -> list[Name]:
        """Return the proper ancestors of a class, higher ones first."""
        return [self.names[i] for i in self.ancestor_numbers(int(self.index([name])[0]))]

    def ancestor_numbers(self, number: int) -> NDArray[np.int64]:
        """Return the numbers of the proper ancestors of one class, ascending."""
        return self._reached(number, self.parent_ptr, self.parents)

    def descendants(self, name: Name) -> list[Name]:
        """Return the proper descendants of a class, higher ones first."""
        number = int(self.index([name])[0])
        return [self.names[i] for i in self._reached(number, self.child_ptr, self.children)]

    def _reached(
        self, number: int, ptr: NDArray[np.int64], next_to: NDArray[np.int32]
    ) -> NDArray[np.int64]:
        """Return all other classes that edges of one kind lead to, ascending."""
        _, found, _ = walk(ptr, next_to, np.array([number]), int(self.levels[-1]))
        others: NDArray[np.int32] = found[found != number]
        return others.astype(np.int64)

    def distance(self, u: Name, v: Name) -> float:
        """Return d(u, v), the shortest way through a common ancestor (inf without one).

        d(u, v) = min over common ancestors a of up(u, a) + up(v, a), where up counts edges, or
        adds their weights if the hierarchy has weights. A way that turns at a common
        *descendant* does not count. Both orders give the same value.
        """
        both = self.index([u, v])
        return float(self.pair_distances(both[:1], both[1:])[0])

    def pair_distances(
        self, u: NDArray[np.integer], v: NDArray[np.integer], *, weighted: bool | None = None
    ) -> NDArray[np.float64]:
        """Return d(u[i], v[i]) for arrays of class numbers, shape ``(n_pairs,)``.

        ``weighted`` defaults to True where the hierarchy has weights.
        """
        use = self.weights is not None if weighted is None else weighted
        closure = ancestor_closure(self, np.concatenate([u, v]), weighted=use)
        return common_ancestor_distances(closure, u, v)
