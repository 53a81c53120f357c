"""What tells that a hierarchy was read otherwise than it was meant."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Hashable, Iterable

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, HierarchyWarning, check_choice, counted, listed, shown
from hierpair.hierarchy.class_graph import ClassGraph
from hierpair.hierarchy.columns import MISSING_WORDS, WHOLE, is_word

__all__ = ["GO_ON", "check_roots", "doubts_about", "misreading"]

WRAPPERS = ("hierarchy", "tree", "taxonomy", "ontology", "data", "graph", "classes", "categories")
"""Keys that hold a whole hierarchy."""

KEYED = (
    "names of columns or keys say which is the parent, so leave direction out; it is for edges, "
    "maps and lineages whose order alone says it"
)
"""What is wrong with a direction where there is nothing to turn round."""

GO_ON = "if it is meant, go on with roots='any'"
"""What can be done about roots that look misread."""


def check_roots(
    graph: ClassGraph,
    roots: str | None,
    direction: str | None,
    tell: Callable[[str], None] | None = None,
    *,
    listed_classes: Iterable[object] = (),
    first: object = None,
    keyed: bool = False,
) -> None:
    """Refuse a hierarchy that looks misread; tell in one line of several roots.

    ``roots="any"`` takes every hierarchy. Without ``tell`` a warning is given. Classes that the
    caller lists by themselves may be alone; ``first`` is the parent of a first line that may be a
    header, and ``keyed`` tells whether names of columns or keys say which is the parent.
    """
    check_choice("roots", roots, (None, "any"))
    if roots == "any":
        return
    alone = frozenset(listed_classes)
    said = misreading(graph, turned=direction is None, alone=alone, first=first, keyed=keyed)
    if said:
        raise BadInput(said)
    for doubt in doubts_about(graph):
        if tell is None:
            warnings.warn(doubt, HierarchyWarning, stacklevel=4)
        else:
            tell(doubt)


def misreading(
    graph: ClassGraph,
    *,
    turned: bool = True,
    alone: Collection[object] = frozenset(),
    first: object = None,
    keyed: bool = False,
) -> str:
    """Return the evidence that a hierarchy was misread, with what to write; or nothing.

    Several roots alone are no evidence: forests, and ontologies with several roots, are ordinary.

    Parameters
    ----------
    graph
        The classes.
    turned
        Whether parent and child may have been exchanged; False where the caller said which is
        which.
    alone
        Classes that are known to have no edges.
    first
        The parent of the first line, if that may be a header.
    keyed
        Whether names of columns or keys say which is the parent.
    """
    roots = graph.root_indices
    names = [graph.names[c] for c in roots.tolist()]
    words = (name for name in names if str(name).strip().lower() in MISSING_WORDS)
    blank = next((name for name in words if name not in alone), None)
    if blank is not None and len(graph) > 1:
        return f"the root {shown(blank)} looks like a blank: leave the parent of roots out; {GO_ON}"
    one_below = np.diff(graph.child_ptr)[roots[0]] == 1 and len(graph) > 2
    if len(roots) == 1 and one_below and names[0] in WRAPPERS:
        return (
            f"the root {shown(names[0])} has one class below it: is it the key of the "
            f"hierarchy? Give what it holds; {GO_ON}"
        )
    if len(roots) < 2:
        return ""
    twins = _twins(graph, names)
    if twins:
        return twins
    ends = np.flatnonzero(np.diff(graph.child_ptr) == 0)
    joined = np.diff(graph.child_ptr).max() == 1 < np.diff(graph.parent_ptr).max()
    if turned and (len(ends) == 1 or joined):
        sign = (
            f"turned round there would be one ({graph.names[ends[0]]})"
            if len(ends) == 1
            else "no class has two children, but some have several parents"
        )
        mend = (
            "direction='child-to-parent' turns it round, direction='parent-to-child' takes it as "
            "it is"
        )
        return (
            f"{_roots(graph)}, and {sign}: are parent and child swapped? "
            f"{f'Exchange their names; {GO_ON}' if keyed else mend}"
        )
    bare = np.array(
        [c for c in roots[np.isin(roots, ends)].tolist() if graph.names[c] not in alone]
    )
    if len(bare) == len(graph):
        such = shown(graph.names[0], 40)
        return f"{counted(len(bare), 'class')} and no edge, such as {such}; {GO_ON}"
    if len(bare):
        have = "has" if len(bare) == 1 else "have"
        return (
            f"{_roots(graph)}, of which {_first_few(graph, bare)} {have} no children: was a line "
            f"of another kind read as a class? Leave it out; {GO_ON}"
        )
    word = next((name for name in names if is_word(name)), None)
    if word is not None:
        return (
            f"{_roots(graph)}, and {shown(word)} is what columns are called: is it a header? Leave "
            f"that line out, or write a header that is known, such as parent, child; {GO_ON}"
        )
    single = _single_trees(graph)
    if first is not None and len(single) == len(roots):
        return (
            f"{_roots(graph)}, and no two lines have a class in common, so there are no levels: "
            "are they codes with their names, or instances with their labels (a hierarchy comes "
            f"first, then the truth, then predictions)? Codes have a format of their own; {GO_ON}"
        )
    if first in single:
        return (
            f"{_roots(graph)}, and only the first line brings {shown(first, 40)}: is it a header? "
            f"Leave it out, or write a header that is known, such as parent, child; {GO_ON}"
        )
    return ""


def _single_trees(graph: ClassGraph) -> set[Hashable]:
    """Return the roots whose whole tree is one edge."""
    below = np.diff(graph.child_ptr)
    some = graph.root_indices[below[graph.root_indices] == 1]
    child = graph.children[graph.child_ptr[some]]
    lonely = some[(below[child] == 0) & (np.diff(graph.parent_ptr)[child] == 1)]
    return {graph.names[c] for c in lonely.tolist()}


def _twins(graph: ClassGraph, roots: list[Hashable]) -> str:
    """Return what to do about a root that is another class, written in another way; or nothing.

    A parent that is written otherwise than the same class as a child becomes a root.
    """
    spelled = [(name, form) for name in roots for form in _spellings(name)]
    known = set(graph.names) if spelled else set()
    pairs = (pair for pair in spelled if pair[1] in known and not _are_linked(graph, *pair))
    pair = next(pairs, None)
    if pair is None:
        return ""
    return (
        f"{pair[0]!r} and {pair[1]!r} are two classes: one number that was written in two ways? "
        f"Write it in one way, as whole numbers or as texts; {GO_ON}"
    )


def _spellings(name: Hashable) -> list[Hashable]:
    """Return how else a whole number may be written: 1, '1', '1.0'."""
    text = str(name)
    whole = text.split(".", maxsplit=1)[0] if WHOLE.fullmatch(text) else text
    if not whole.removeprefix("-").isdecimal() or isinstance(name, bool) or len(whole) > 18:
        return []
    return [form for form in (whole, f"{whole}.0", int(whole)) if form != name]


def _are_linked(graph: ClassGraph, upper: object, lower: object) -> bool:
    """Whether one class is the parent of another, as the code 1 is of 1.0."""
    number = graph.names.index(upper)
    below = graph.children[graph.child_ptr[number] : graph.child_ptr[number + 1]]
    return any(graph.names[c] == lower for c in below.tolist())


def doubts_about(graph: ClassGraph) -> list[str]:
    """Return what a user should know of a hierarchy beside its size: several roots."""
    roots = graph.root_indices
    if len(roots) < 2:
        return []
    ends = np.flatnonzero(np.diff(graph.child_ptr) == 0)
    if len(ends) < len(roots):
        return [
            f"{_roots(graph)} and {counted(len(ends), 'class')} without children "
            f"({_first_few(graph, ends)}): are parent and child swapped?"
        ]
    return [f"{_roots(graph)}: classes under different roots have no common ancestor"]


def _roots(graph: ClassGraph) -> str:
    return f"{len(graph.root_indices)} roots ({_first_few(graph, graph.root_indices)})"


def _first_few(graph: ClassGraph, classes: NDArray[np.integer]) -> str:
    return listed(graph.names[c] for c in classes[:5].tolist()) + ", …" * (len(classes) > 5)
