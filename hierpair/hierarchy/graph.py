"""The class hierarchy: a checked, immutable, integer-indexed forest or DAG."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from importlib import import_module
from inspect import signature
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

import numpy as np

from hierpair.errors import (
    BadInput,
    check_choice,
    check_several,
    counted,
    did_you_mean,
    listed,
    shown,
)
from hierpair.hierarchy.arrays import Floats, Indices, OnDemand, Shorts, marked, row_numbers
from hierpair.hierarchy.building import LARGEST_NUMBER, in_order, normal_name
from hierpair.hierarchy.closure import ClassGraph, ancestor_closure, common_ancestor_distances
from hierpair.hierarchy.edge_list import EdgeList, digits, refuse, some_roots
from hierpair.hierarchy.sources import (
    code_edges,
    edges_of,
    frame_edges,
    level_rows,
    nested_edges,
    networkx_edges,
    object_edges,
    parent_edges,
    path_edges,
    plain_name,
)

if TYPE_CHECKING:
    import networkx as nx

Name = Hashable
Given = ParamSpec("Given")
Returned = TypeVar("Returned")
Direction = Literal["parent-to-child", "child-to-parent", None]
Roots = Literal["any", None]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Hierarchy(ClassGraph):
    """Classes that form a tree, a forest or a directed acyclic graph (DAG).

    :meth:`of` takes whatever a hierarchy is held in, and so does every function that takes a
    hierarchy; :meth:`from_edges`, :meth:`from_parents`, :meth:`from_nested`, :meth:`from_paths`,
    :meth:`from_codes`, :meth:`from_frame` and :meth:`from_networkx` are for one form each, and
    :func:`hierpair.read_hierarchy` for files.

    What may have been read otherwise than meant is refused: where parent and child exchanged would
    give a single root, where a root among others has no children or is called like a header, a
    key or a blank, and where only the first line of a file brings it. ``roots="any"`` takes it all
    the same;
    ``direction`` says which way edges lead. Several roots alone are ordinary and are told by a
    :class:`hierpair.errors.HierarchyWarning`.

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
    ranks
        What the level of a class is called, such as ``"genus"``: name → rank. Classes may have
        none.
    called
        Which classes a name means that is none itself, by :func:`normal_name`; see
        :meth:`with_names`.
    of_interest
        Which classes count, or None where all do (:meth:`counting`).

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

    @classmethod
    def of(cls, thing: Any, *, direction: Direction = None, roots: Roots = None) -> Hierarchy:
        """Return the hierarchy that a thing of any known kind is.

        Parameters
        ----------
        thing
            A :class:`Hierarchy`; the name of a file; edges ``(parent, child)``; a map
            ``{class: parent}`` or ``{class: [parents]}``; the list or array of the parents of the
            classes 0, 1, 2, … (-1, None or nan for a root); nested dicts and lists; objects with
            known keys, such as ``name`` and ``children``, ``id`` and ``parent``, or ``child_ids``;
            texts of lineages, such as ``"food/cheese"``; a data frame of classes
            and parents; a directed graph of networkx, also one of obonet.
        direction
            ``"parent-to-child"`` or ``"child-to-parent"``: which way edges lead, and what the
            lists of a map hold; by default as above.
        roots
            ``"any"``: take what looks misread, too.

        Raises
        ------
        BadInput
            For what is no hierarchy, may be read in two ways, or looks misread.

        Examples
        --------
        >>> forms = [
        ...     [("r", "a"), ("r", "b")],
        ...     {"a": "r", "b": "r"},
        ...     {"r": ["a", {"b": []}]},
        ...     [{"name": "r", "children": [{"name": "a"}, {"name": "b"}]}],
        ... ]
        >>> {Hierarchy.of(form).fingerprint[:6] for form in forms}
        {'e69380'}
        >>> Hierarchy.of([-1, 0, 0, 1]).ancestors(3)
        [0, 1]
        """
        if isinstance(thing, Hierarchy):
            return thing
        if isinstance(thing, (str, PathLike)):
            read: Callable[..., Hierarchy] = import_module("hierpair.io").read_hierarchy
            return read(thing, direction=direction, roots=roots)
        return edges_of(thing, direction).led(direction).build(roots)

    @classmethod
    def from_edges(
        cls, edges: Iterable[Sequence[Any]], *, classes: Iterable[Name] = (),
        aliases: Mapping[Any, Any] | None = None, titles: Mapping[Any, str] | None = None,
        direction: Direction = None, roots: Roots = None,
    ) -> Hierarchy:  # fmt: skip
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
        direction
            ``"child-to-parent"``: the tuples are ``(child, parent)``.
        roots
            ``"any"``: take what looks misread, too.

        Raises
        ------
        BadInput
            For an empty hierarchy, a self-loop, a duplicate edge, a cycle (spelled out class by
            class), a missing name, a bad weight, or roots that look misread.

        Examples
        --------
        >>> up = [("cat", "animal"), ("dog", "animal")]
        >>> Hierarchy.from_edges(up, direction="child-to-parent").roots
        ['animal']
        """
        check_several(edges, "edges must be a list of pairs")
        found = EdgeList(
            list(in_order(edges)), classes=list(in_order(classes)), aliases=aliases or {},
            titles=titles or {}, declared=True,
        )  # fmt: skip
        return found.led(direction).build(roots)

    @classmethod
    def from_parents(
        cls, parents: Mapping[Name, Any] | Sequence[Any], *, direction: Direction = None,
        roots: Roots = None,
    ) -> Hierarchy:  # fmt: skip
        """Build from the parents of classes, by name or by number.

        Parameters
        ----------
        parents
            ``{class: parent}`` or ``{class: [parents]}``, or a Series with the classes as its
            index; a blank, None, NaN or NA says that the class is a root. Or a list or array with
            the parent of the class 0, 1, 2, …, where -1 says so, too.
        direction
            ``"parent-to-child"``: the map is ``{class: [children]}``.
        roots
            ``"any"``: take what looks misread, too.

        Raises
        ------
        BadInput
            As :meth:`from_edges`, and for a parent by number that is none of the classes.

        Examples
        --------
        >>> Hierarchy.from_parents({"root": None, "a": "root", "b": ["root"]}).roots
        ['root']
        >>> Hierarchy.from_parents([-1, 0, 0, 1]).ancestors(3)
        [0, 1]
        """
        return parent_edges(parents, direction).led(direction).build(roots)

    @classmethod
    def from_nested(
        cls, nested: Any, *, direction: Direction = None, roots: Roots = None
    ) -> Hierarchy:
        """Build from nested dicts and lists.

        A dict maps a class to what is below it, a list holds classes or dicts of them, None and
        empty ones are nothing, and a number at a leaf is an index or a size. Objects with known
        keys are understood, too: ``{"name": …, "children": […]}``, ``{"id": …, "child_ids": […]}``
        and the like; of an id and a name the name is the title. A class that stands in several
        places has several parents. ``direction`` and ``roots`` are those of :meth:`from_edges`.

        Raises
        ------
        BadInput
            As :meth:`from_edges`, and for a key such as ``children`` that would become a class.

        Examples
        --------
        >>> tree = Hierarchy.from_nested({"food": {"cheese": ["brie", "gouda"], "bread": None}})
        >>> tree, tree.ancestors("brie")
        (Hierarchy(5 classes, 4 edges, tree), ['food', 'cheese'])
        """
        check_several(nested, "nested dicts and lists are wanted")
        found = object_edges(nested, plain_name, refuse) or nested_edges(nested, plain_name, refuse)
        return found.led(direction).build(roots)

    @classmethod
    def from_paths(
        cls, paths: Any, *, separator: str = "/", direction: Direction = None, roots: Roots = None
    ) -> Hierarchy:
        """Build from lineages from the top; a class is named by its whole path.

        Parameters
        ----------
        paths
            Texts such as ``"food/cheese/brie"``, or lists of names, whose end may be blank; a data
            frame is a path per row, with a column per level. The classes on the way need no path
            of their own.
        separator
            Between the names of a text; names of classes are joined by it.
        direction
            ``"child-to-parent"``: the paths run up to the top.
        roots
            ``"any"``: take what looks misread, too.

        Examples
        --------
        >>> tree = Hierarchy.from_paths(["food/cheese/brie", "food/bread"])
        >>> tree.names
        ('food', 'food/cheese', 'food/bread', 'food/cheese/brie')
        >>> Hierarchy.from_paths([("a", "b"), ("a", None)]).names
        ('a', 'a/b')
        """
        return path_edges(paths, separator, direction).build(roots)

    @classmethod
    def from_codes(
        cls, codes: Iterable[str], *, separator: str | None = None,
        widths: Sequence[int] | None = None,
        titles: Mapping[Any, str] | None = None, roots: Roots = None,
    ) -> Hierarchy:  # fmt: skip
        """Build from codes that begin with the code of the class above them.

        Parameters
        ----------
        codes
            Such as NAICS ``11``, ``111``, ``1112``: the parent of a code is the longest other one
            that it begins with.
        separator
            Such as ``"."`` for EC ``1.1.1.1``, MeSH tree numbers and ICD-10 ``A00.1``: the parent
            is what stands before the last one, and need not be listed itself.
        widths
            Instead of it: how many characters each level adds, such as ``(1, 1, 1, 1)`` for ISCO
            ``2512`` and ``(2, 2, 2)`` for HS ``010121``; codes above need not be listed either.
        titles
            What classes are called for people: code → title.
        roots
            ``"any"``: take what looks misread, too.

        Examples
        --------
        >>> Hierarchy.from_codes(["11", "111", "1112", "112"]).ancestors("1112")
        ['11', '111']
        >>> Hierarchy.from_codes(["1.1.1", "1.2"], separator=".").ancestors("1.1.1")
        ['1', '1.1']
        >>> Hierarchy.from_codes(["010121", "010129"], widths=(2, 2, 2)).ancestors("010121")
        ['01', '0101']
        """
        return replace(code_edges(codes, separator, widths), titles=titles or {}).build(roots)

    @classmethod
    def from_frame(
        cls, frame: Any, *, child: str | None = None, parent: str | None = None,
        weight: str | None = None, levels: Sequence[str] | None = None, separator: str = "/",
        direction: Direction = None, roots: Roots = None,
    ) -> Hierarchy:  # fmt: skip
        """Build from a data frame with a row per edge, or a row per path in columns of levels.

        Parameters
        ----------
        frame
            A frame of pandas, polars or pyarrow. A parent that is blank, None, NaN or NA marks a
            root; several rows of a class are several parents. A column ``title`` (or ``name``
            beside an id) holds what classes are called for people.
        child, parent, weight
            The columns; by default those with usual names, such as ``child`` and ``parent``,
            ``id`` and ``parent_id``, or ``source`` and ``target``, as far as parents are among
            the classes.
        levels
            Instead of these: the columns of the levels from the top, whose titles are the ranks of
            classes; blanks end a path. A class is named by its whole path, as in
            :meth:`from_paths`. Without levels, two columns or more that are called by ranks of
            taxa (Darwin Core), such as order and genus, hold classes by their own names.
        separator
            Between the names of a path, with ``levels``.
        direction
            With ``levels``: ``"child-to-parent"`` where they run up to the top. Elsewhere the
            names of the columns say which is the parent.
        roots
            ``"any"``: take what looks misread, too.

        Raises
        ------
        BadInput
            As :meth:`from_edges`, and where the columns may be read in two ways.

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
            rows = level_rows(frame, levels)
            return path_edges(rows, separator, direction, levels).build(roots)
        return frame_edges(frame, child, parent, weight).led(direction).build(roots)

    @classmethod
    def from_networkx(
        cls, graph: nx.DiGraph, *, weight: str | None = None, relations: Sequence[str] = ("is_a",),
        direction: Direction = None, roots: Roots = None,
    ) -> Hierarchy:  # fmt: skip
        """Build from a directed graph.

        Parameters
        ----------
        graph
            Edges run from parent to child. In a graph whose edges are keyed by relations, as
            obonet makes them, they run from a class to its parent.
        weight
            The edge attribute to use as weight.
        relations
            The keys that count, where edges have keys.
        direction
            Which way edges run, if not so.
        roots
            ``"any"``: take what looks misread, too.
        """
        return networkx_edges(graph, weight, relations, direction).build(roots)

    def to_networkx(self) -> nx.DiGraph:
        """Return a ``networkx.DiGraph`` with edges from parent to child."""
        import networkx as nx

        result = nx.DiGraph()
        result.add_nodes_from(self.names)
        add = result.add_edges_from if self.weights is None else result.add_weighted_edges_from
        add(self.edges_by(self.names))
        return result

    def edges_by(self, names: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Return parent, child and, if there are weights, that of every edge by these names."""
        both = self.parents, row_numbers(self.parent_ptr)
        ends = [[names[c] for c in of.tolist()] for of in both]
        weights = [] if self.weights is None else [self.weights.tolist()]
        return list(zip(*ends, *weights, strict=True))

    def with_weights(self, weights: Floats) -> Hierarchy:
        """Return the same hierarchy with edge weights in the order of ``parents``."""
        weights = np.array(weights, dtype=np.float64)
        if weights.shape != self.parents.shape:
            raise BadInput(f"expected {len(self.parents)} weights, got shape {weights.shape}")
        if not ((weights >= 0) & (weights < LARGEST_NUMBER)).all():
            raise BadInput("edge weights must be finite and not negative")
        return replace(self, weights=weights)

    def with_names(self, names: Any) -> Hierarchy:
        """Return the same hierarchy, whose classes may also be called by other names in labels.

        A label that is a class, or one of :attr:`aliases`, stays what it is; another one is looked
        for among these names, without regard to capitals, blanks and forms of characters (NFKC).
        One that means several classes is refused.

        Parameters
        ----------
        names
            ``"titles"``, or what maps names to classes: a dict ``{name: class}`` or
            ``{name: [classes]}``, or pairs (name, class). Files go to
            :func:`hierpair.read_hierarchy`.

        Raises
        ------
        BadInput
            For a class that is not in the hierarchy.

        Examples
        --------
        >>> tree = Hierarchy.from_edges([("r", "GO:1"), ("r", "GO:2")])
        >>> named = tree.with_names({"cell death": "GO:1", "Apoptosis": ["GO:1", "GO:2"]})
        >>> from hierpair import LabelSets
        >>> LabelSets.from_labels([["Cell  Death"]], named).names_of(0, named)
        ['GO:1']
        >>> LabelSets.from_labels([["apoptosis"]], named)
        Traceback (most recent call last):
        hierpair.errors.BadInput: instance 0: 'apoptosis' may be GO:1, GO:2; write the class itself
        """
        if isinstance(names, str):
            check_choice("names", names, ("titles",))
            return self._called(lambda: ((title, c) for c, title in self.titles.items()))
        pairs = [
            (name, c)
            for name, classes in (names.items() if isinstance(names, Mapping) else names)
            for c in (classes if isinstance(classes, (list, tuple, set)) else [classes])
        ]
        meant = self.index(c for _, c in pairs).tolist()
        return self._called(
            lambda: ((name, self.names[c]) for (name, _), c in zip(pairs, meant, strict=True))
        )

    def _called(self, pairs: Callable[[], Iterable[tuple[Any, Name]]]) -> Hierarchy:
        """Return the same hierarchy, whose classes are called by these names besides."""

        def called() -> dict[str, tuple[Name, ...]]:
            found = dict(self.called)
            for name, c in pairs():
                key = normal_name(name)
                found[key] = (*dict.fromkeys((*found.get(key, ()), c)),)
            return found

        return replace(self, called=OnDemand(called))

    def classes_called(self, name: Any) -> tuple[Name, ...]:
        """Return the classes that a label of another name means: none, one or several."""
        return self.called.get(normal_name(name), ()) if isinstance(name, str) else ()

    def counting(self, classes: Iterable[Name]) -> Hierarchy:
        """Return the same hierarchy in which these classes alone count.

        Whatever is computed with it leaves all other classes out, as it does a root that does not
        count: of label sets after they are completed, and of pairs the labels themselves.

        Raises
        ------
        BadInput
            For a text instead of a list, no class at all, or an unknown one.

        Examples
        --------
        >>> from hierpair.metrics import h_f1_score
        >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c")])
        >>> h_f1_score([["b"]], [["c"]], tree), h_f1_score([["b"]], [["c"]], tree.counting(["a"]))
        (0.5, 1.0)
        """
        check_several(classes, "the classes that count are a list of classes")
        counts = marked(self.index(classes), len(self))
        if not counts.any():
            raise BadInput("classes: none of them counts; name some")
        counts.setflags(write=False)
        return replace(self, of_interest=counts)

    def __contains__(self, name: object) -> bool:
        return name in self.position

    def __repr__(self) -> str:
        n_classes, n_edges = counted(len(self), "class"), counted(len(self.parents), "edge")
        return f"Hierarchy({n_classes}, {n_edges}, {self.shape})"

    def describe(self, form: str = "") -> str:
        """Return size, shape, roots and depth in one line; a misread file shows here.

        Numbers are written in a form of Python, such as ``","`` for 1,000.
        """
        roots = self.roots
        top = f"root {shown(roots[0])}" if self.has_one_root else f"{len(roots):{form}} roots"
        only = ""
        if (counts := self.of_interest) is not None:
            names = sorted(_text(self.names[c]) for c in np.flatnonzero(counts).tolist())
            digest = hashlib.blake2b(b"\0".join(names), digest_size=6).hexdigest()
            only = f", of which {counted(len(names), 'class', form)} ({digest}) count"
        return (
            f"{self.shape} of {counted(len(self), 'class', form)} and "
            f"{counted(len(self.parents), 'edge', form)}, {top}, "
            f"{counted(int(self.levels[-1]), 'level', form)} below{only}"
        )

    @property
    def doubts(self) -> list[str]:
        """What looks as if the hierarchy was misread: several roots, or top and bottom swapped.

        >>> Hierarchy.from_edges([("cat", "animal"), ("dog", "animal")], roots="any").doubts
        ['2 roots (cat, dog), more than classes without children: are parent and child swapped?']
        >>> Hierarchy.from_edges([("animal", "cat"), ("animal", "dog")]).doubts
        []
        """
        n, said = len(self.root_indices), ": classes under different roots have no common ancestor"
        if n > np.count_nonzero(self.is_leaf):
            said = ", more than classes without children: are parent and child swapped?"
        return [some_roots(self) + said] if n > 1 else []

    @cached_property
    def position(self) -> dict[Name, int]:
        """Class name, or another name of it → number."""
        numbers = dict(zip(self.names, range(len(self)), strict=True))
        numbers.update([(alias, numbers[name]) for alias, name in self.aliases.items()])
        return numbers

    @cached_property
    def fingerprint(self) -> str:
        """A digest of names, edges and weights: equal for the same hierarchy, 32 hex digits.

        It depends neither on the order of classes and edges nor on the process or the machine,
        so that results of several machines can say which hierarchy they are of. Aliases do not
        count, and equal names, such as 1 and 1.0, are the same. Names should be texts, numbers or
        tuples of these: of other objects than texts and numbers the representation counts.

        >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
        >>> same = Hierarchy.from_edges([("r", "b"), ("r", "a")])
        >>> tree.fingerprint == same.fingerprint
        True
        >>> tree.fingerprint
        'e693806d47379ec72be72a5a72b578ee'
        """
        each = b"".join(hashlib.blake2b(_text(n), digest_size=16).digest() for n in self.names)
        of_class = np.frombuffer(each, dtype=">u8").reshape(len(self), -1)
        edges = [of_class[self.parents], of_class[row_numbers(self.parent_ptr)]]
        if self.weights is not None:
            edges.append((self.weights + 0.0).astype(">f8").view(">u8")[:, None])  # -0.0 is 0.0
        digest = hashlib.blake2b(b"hierpair hierarchy 1", digest_size=16)
        for table in (of_class, np.concatenate(edges, axis=1)):
            digest.update(f"{table.shape}".encode())
            digest.update(table[np.lexsort(table.T[::-1])].tobytes())
        return digest.hexdigest()

    @cached_property
    def numbering(self) -> str:
        """A digest of the class names in their order: label sets remember whose they are."""
        names = b"".join(repr(n).encode("utf-8", "backslashreplace") + b"\0" for n in self.names)
        return hashlib.blake2b(names, digest_size=12).hexdigest()

    @property
    def roots(self) -> list[Name]:
        """The names of the parentless classes."""
        return [self.names[i] for i in self.root_indices]

    def index(self, names: Iterable[Name]) -> Shorts:
        """Return the numbers of these classes; an unknown one raises ``BadInput``."""
        given = list(names)
        try:
            return np.fromiter(map(self.position.__getitem__, given), np.int32, len(given))
        except (KeyError, TypeError):
            odd = next(n for n in given if not isinstance(n, Hashable) or n not in self)
            raise BadInput(self.unknown_message(odd)) from None

    def twin_of(self, name: Any) -> Any:
        """Return the class that is written like a name of another type, or None.

        >>> tree = Hierarchy.from_edges([("r", "3"), ("r", "c"), ("r", "4.0")])
        >>> [tree.twin_of(name) for name in (3, 3.0, b"c", "4", "d")]
        ['3', '3', 'c', '4.0', None]
        """
        text = name.decode("utf-8", "replace") if isinstance(name, bytes) else name
        number = digits(text)
        # Python does not read numbers of any length
        whole = map(int, re.findall(r"^\d{1,18}$", number))
        forms = str(text), number, *whole, f"{number}.0"
        return next((self.names[self.position[x]] for x in forms if x in self.position), None)

    def unknown_message(self, name: Any) -> str:
        """Return the sentence that says that a name is no class, and which one may be meant."""
        if several := self.classes_called(name):
            return f"{shown(name)} may be {listed(several, 3)}; write the class itself"
        text = f"class {shown(name)} is not in the hierarchy"
        if titled := [c for c, title in self.titles.items() if title == name]:
            said = f"{text}; {listed(titled, 3)} is called so, and labels are ids"
            return f"{said} (names too: with_names('titles'), --other-names all)"
        path = re.compile(rf"(.*?)[/>|;:. -]+{re.escape(str(name))}")
        read = zip(map(path.fullmatch, map(str, self.names)), self.parent.tolist(), strict=True)
        if paths := [x[0] for x, above in read if x and x[1] == self.names[above]]:
            return f"{text}; classes are named by their whole paths: {listed(paths, 3)}"
        twin = self.twin_of(name)
        if twin is None:
            return text + did_you_mean(name, chain(self.names, self.called))
        if type(twin) is type(name):
            return f"{text}; write {twin!r}"
        return f"{text}; {twin!r} is, but as {type(twin).__name__}, not {type(name).__name__}"

    def ancestors(self, name: Name) -> list[Name]:
        """Return the proper ancestors of a class, higher ones first."""
        return [self.names[i] for i in self.ancestor_numbers(int(self.index([name])[0]))]

    def descendants(self, name: Name) -> list[Name]:
        """Return the proper descendants of a class, higher ones first."""
        return [self.names[i] for i in self.descendant_numbers(int(self.index([name])[0]))]

    def distance(self, u: Name, v: Name) -> float:
        """Return d(u, v), the shortest path through a common ancestor (inf without one).

        d(u, v) = min over common ancestors a of up(u, a) + up(v, a), where up counts edges, or
        adds their weights if the hierarchy has weights. A way that turns at a common
        *descendant* does not count. Both orders give the same value.
        """
        both = self.index([u, v])
        return float(self.pair_distances(both[:1], both[1:])[0])

    def pair_distances(self, u: Indices, v: Indices, *, weighted: bool | None = None) -> Floats:
        """Return d(u[i], v[i]) for arrays of class numbers, shape ``(n_pairs,)``.

        ``weighted`` defaults to True where the hierarchy has weights.
        """
        use = self.weights is not None if weighted is None else weighted
        closure = ancestor_closure(self, np.concatenate([u, v]), weighted=use)
        return common_ancestor_distances(closure, u, v)


def _text(name: Any) -> bytes:
    """Return bytes that are equal where names are, and different where they are not."""
    if isinstance(name, str):
        return b"s" + name.encode("utf-8", "surrogatepass")
    if isinstance(name, (int, float)) and math.isfinite(name):
        ratio = name.as_integer_ratio()
        return f"n{ratio[0]}/{ratio[1]}".encode()
    return b"o" + repr(name).encode("utf-8", "backslashreplace")


def takes_hierarchy(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Let the argument ``hierarchy`` of a function be whatever :meth:`Hierarchy.of` takes.

    >>> @takes_hierarchy
    ... def n_classes(hierarchy):
    ...     return len(hierarchy)
    >>> n_classes({"a": "r", "b": "r"})
    3
    """
    parameters = signature(function)
    optional = parameters.parameters["hierarchy"].default is None

    @wraps(function)
    def taking(*args: Given.args, **kwargs: Given.kwargs) -> Returned:
        given = parameters.bind_partial(*args, **kwargs)
        if "hierarchy" in given.arguments:
            held = given.arguments["hierarchy"]
            given.arguments["hierarchy"] = held if held is None and optional else Hierarchy.of(held)
        return function(*given.args, **given.kwargs)

    return taking
