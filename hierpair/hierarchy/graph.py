"""The class hierarchy: a checked, immutable, integer-indexed forest or DAG."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted, facts_table
from hierpair.hierarchy.building import LARGEST_NUMBER, check_other_names, numbered_edges
from hierpair.hierarchy.class_graph import ClassGraph
from hierpair.hierarchy.closure import ancestor_closure
from hierpair.hierarchy.common_ancestors import common_ancestor_distances
from hierpair.hierarchy.fingerprint import fingerprint_of, numbering_of
from hierpair.hierarchy.interchange import frame_columns, level_rows, networkx_edges, networkx_graph
from hierpair.hierarchy.sources import (
    nested_edges,
    parent_map_edges,
    path_edges,
    plain_name,
    refuse,
    refuse_records,
    table_edges,
)
from hierpair.hierarchy.wording import (
    described,
    doubts_about,
    hierarchy_facts,
    numbers_of_names,
    unknown_class,
)

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Hierarchy"]

Name = Hashable


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Hierarchy(ClassGraph):
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

    @staticmethod
    def of(hierarchy: object) -> Hierarchy:
        """Return what is a hierarchy, and refuse anything else."""
        if not isinstance(hierarchy, Hierarchy):
            raise BadInput(
                f"hierarchy must be a Hierarchy, got {type(hierarchy).__name__}; make one with "
                "Hierarchy.from_edges or read_hierarchy (score takes hierarchy, y_true, systems; "
                "the functions take y_true, y_pred, hierarchy)"
            )
        return hierarchy

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
        arrays = numbered_edges(edges, classes, where or (lambda i: f"edge {i + 1}"))
        check_other_names(arrays["names"], aliases or {}, titles or {})
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
        return cls.from_edges(parent_map_edges(parents), classes=parents, where=where)

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
        refuse_records(nested)
        return cls.from_edges(**nested_edges(nested, plain_name, refuse))

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
        return cls.from_edges(**path_edges(paths, separator))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        child: str | None = None,
        parent: str | None = None,
        weight: str | None = None,
        levels: Sequence[str] | None = None,
        separator: str = "/",
    ) -> Hierarchy:
        """Build from a data frame with a row per edge, or a row per path in columns of levels.

        Parameters
        ----------
        frame
            A frame of pandas, polars, pyarrow or another that narwhals knows (extra
            ``dataframe``). A parent that is blank, None, NaN or NA marks a root; several rows of a
            class are several parents. A column ``title`` (or ``name`` beside an id) holds what
            classes are called for people.
        child, parent, weight
            The columns; by default those with usual names, such as ``child`` and ``parent``,
            ``id`` and ``parent_id``, or ``source`` and ``target``.
        levels
            Instead of these: the columns of the levels from the top; blanks end a path. A class is
            named by its whole path, as in :meth:`from_paths`.
        separator
            Between the names of a path, with ``levels``.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"id": ["food", "bread"], "parent": [None, "food"]})
        >>> Hierarchy.from_frame(frame)
        Hierarchy(2 classes, 1 edge, tree)
        >>> frame = pd.DataFrame({"aisle": ["food", "food"], "shelf": ["bread", "cheese"]})
        >>> Hierarchy.from_frame(frame, levels=["aisle", "shelf"]).names
        ('food', 'food/bread', 'food/cheese')
        """
        if levels is not None:
            if (child, parent, weight) != (None, None, None):
                raise BadInput("give either levels or child, parent and weight")
            return cls.from_paths(level_rows(frame, levels), separator=separator)
        columns = frame_columns(frame, child, parent, weight)
        return cls.from_edges(**table_edges(columns, "row {}".format, refuse))

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph, *, weight: str | None = None) -> Hierarchy:
        """Build from a directed graph whose edges run from parent to child.

        ``weight`` names the edge attribute to use as weight.
        """
        return cls.from_edges(networkx_edges(graph, weight), classes=graph.nodes())

    def to_networkx(self) -> nx.DiGraph:
        """Return a ``networkx.DiGraph`` with edges from parent to child."""
        return networkx_graph(self)

    def with_weights(self, weights: NDArray[np.float64]) -> Hierarchy:
        """Return the same hierarchy with edge weights in the order of ``parents``."""
        weights = np.array(weights, dtype=np.float64)
        if weights.shape != self.parents.shape:
            raise BadInput(f"expected {len(self.parents)} weights, got shape {weights.shape}")
        if not ((weights >= 0) & (weights < LARGEST_NUMBER)).all():
            raise BadInput("edge weights must be finite and not negative")
        return replace(self, weights=weights)

    def __contains__(self, name: object) -> bool:
        return name in self.position

    def __repr__(self) -> str:
        n_classes, n_edges = counted(len(self), "class"), counted(len(self.parents), "edge")
        return f"Hierarchy({n_classes}, {n_edges}, {self.shape})"

    def _repr_html_(self) -> str:
        return facts_table("Hierarchy", hierarchy_facts(self))

    def describe(self) -> str:
        """Return size, shape, roots and depth in one line; a misread file shows here."""
        return described(self)

    @property
    def doubts(self) -> list[str]:
        """What looks as if the hierarchy was misread: several roots, or top and bottom swapped.

        >>> Hierarchy.from_edges([("cat", "animal"), ("dog", "animal")]).doubts
        ['2 roots (cat, dog) and 1 class without children (animal): are parent and child swapped?']
        >>> Hierarchy.from_edges([("animal", "cat"), ("animal", "dog")]).doubts
        []
        """
        return doubts_about(self)

    @cached_property
    def position(self) -> dict[Name, int]:
        """Class name, or another name of it → number."""
        numbers = {name: i for i, name in enumerate(self.names)}
        return numbers | {alias: numbers[name] for alias, name in self.aliases.items()}

    @cached_property
    def fingerprint(self) -> str:
        """A digest of names, edges and weights: equal for the same hierarchy, 32 hex digits.

        It depends neither on the order of classes and edges nor on the process or the machine,
        so that results of several machines can say which hierarchy they are of. Aliases do not
        count. Names should be texts, numbers or tuples of these: of other objects the
        representation counts.

        >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
        >>> same = Hierarchy.from_edges([("r", "b"), ("r", "a")])
        >>> tree.fingerprint == same.fingerprint
        True
        >>> tree.fingerprint
        'e693806d47379ec72be72a5a72b578ee'
        """
        return fingerprint_of(self.names, self.parent_ptr, self.parents, self.weights)

    @cached_property
    def numbering(self) -> str:
        """A digest of the class names in their order: label sets remember whose they are."""
        return numbering_of(self.names)

    @property
    def roots(self) -> list[Name]:
        """The names of the parentless classes."""
        return [self.names[i] for i in self.root_indices]

    def index(self, names: Iterable[Name]) -> NDArray[np.int32]:
        """Return the numbers of these classes; an unknown one raises ``BadInput``."""
        return numbers_of_names(self, self.position, list(names))

    def unknown_message(self, name: object) -> str:
        """Return the sentence that says that ``name`` is not a class here."""
        return unknown_class(self, name)

    def ancestors(self, name: Name) -> list[Name]:
        """Return the proper ancestors of a class, higher ones first."""
        return [self.names[i] for i in self.ancestor_numbers(int(self.index([name])[0]))]

    def descendants(self, name: Name) -> list[Name]:
        """Return the proper descendants of a class, higher ones first."""
        number = int(self.index([name])[0])
        return [self.names[i] for i in self.reached(number, upwards=False)]

    def distance(self, u: Name, v: Name) -> float:
        """Return d(u, v), the shortest path through a common ancestor (inf without one).

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
