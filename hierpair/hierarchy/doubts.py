"""What tells that a hierarchy was read otherwise than it was meant."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, HierarchyWarning, check_choice, counted, listed, shown
from hierpair.hierarchy.class_graph import ClassGraph
from hierpair.hierarchy.columns import MISSING_WORDS, WHOLE, is_word

WRAPPERS = ("hierarchy", "tree", "taxonomy", "ontology", "data", "graph", "classes", "categories")
"""Keys that hold a whole hierarchy."""

__all__ = ["GO_ON", "check_roots", "doubts_about", "misreading"]

GO_ON = "if it is meant, go on with roots='any'"
"""What can be done about roots that look misread."""


def check_roots(
    graph: ClassGraph,
    roots: str | None,
    direction: str | None,
    tell: Callable[[str], None] | None = None,
    *,
    listed_classes: Iterable[object] = (),
    lines: bool = False,
) -> None:
    """Refuse a hierarchy that looks misread; tell in one line of several roots.

    ``roots="any"`` takes every hierarchy. Without ``tell`` a warning is given. Classes that the
    caller lists by themselves may be alone; ``lines`` tells whether a line may be a header.
    """
    check_choice("roots", roots, (None, "any"))
    if roots == "any":
        return
    alone = frozenset(listed_classes)
    said = misreading(graph, turned=direction is None, alone=alone, lines=lines)
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
    lines: bool = True,
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
    lines
        Whether edges stand alone, so that one of them may be a header.
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
    twins = _twins(graph)
    if twins:
        return twins
    if len(roots) < 2:
        return ""
    ends = np.flatnonzero(np.diff(graph.child_ptr) == 0)
    if len(ends) == 1 and turned:
        return (
            f"{_roots(graph)}, and turned round there would be one ({graph.names[ends[0]]}): are "
            "parent and child swapped? direction='child-to-parent' turns it round, "
            "direction='parent-to-child' takes it as it is"
        )
    if turned and np.diff(graph.child_ptr).max() == 1 < np.diff(graph.parent_ptr).max():
        return (
            f"{_roots(graph)}, and no class has two children, but some have several parents: are "
            "parent and child swapped? direction='child-to-parent' turns it round, "
            "direction='parent-to-child' takes it as it is"
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
            f"of another kind read as a class? {GO_ON}"
        )
    word = next((name for name in names if is_word(name)), None)
    if word is not None:
        return (
            f"{_roots(graph)}, and {shown(word)} is what columns are called: is it a header? Leave "
            f"that line out, or write a header that is known, such as parent, child; {GO_ON}"
        )
    single = _single_edges(graph)
    if lines and len(single) == 1:
        root = int(single[0])
        child = graph.names[graph.children[graph.child_ptr[root]]]
        return (
            f"{_roots(graph)}, and only one line brings {shown(graph.names[root])}, with "
            f"{shown(child)}: is it a header? Leave that line out, or write a header that is "
            f"known, such as parent, child; {GO_ON}"
        )
    return ""


def _single_edges(graph: ClassGraph) -> NDArray[np.int64]:
    """Return the roots whose whole tree is one edge, if there are other trees."""
    below = np.diff(graph.child_ptr)
    some: NDArray[np.int64] = graph.root_indices[below[graph.root_indices] == 1]
    child = graph.children[graph.child_ptr[some]]
    lonely: NDArray[np.int64] = some[(below[child] == 0) & (np.diff(graph.parent_ptr)[child] == 1)]
    return lonely if len(lonely) < len(graph.root_indices) else lonely[:0]


def _twins(graph: ClassGraph) -> str:
    """Return what to do about classes that are one number, written in two ways; or nothing."""
    names, kinds = graph.names, set(map(type, graph.names))
    pair: tuple[object, object] | None = None
    if kinds == {str} and ".0\n" in "\n".join([*names, ""]):  # type: ignore[list-item]
        known = set(names)
        wide = (str(name) for name in names if WHOLE.fullmatch(str(name)))
        pairs = ((name, name.split(".")[0]) for name in wide)
        pair = next((p for p in pairs if p[1] in known and not _are_linked(graph, *p)), None)
    elif str in kinds and len(kinds) > 1:
        spelled = {_spelled(x): x for x in names if isinstance(x, (int, float))}
        pair = next(((spelled[x], x) for x in names if isinstance(x, str) and x in spelled), None)
    if pair is None:
        return ""
    return (
        f"{pair[0]!r} and {pair[1]!r} are two classes: one number that was written in two ways? "
        f"Write it in one way, as whole numbers or as texts; {GO_ON}"
    )


def _spelled(number: float) -> str:
    """Return how a number is written as a whole one, if it is."""
    return str(int(number) if float(number).is_integer() else number)


def _are_linked(graph: ClassGraph, lower: object, upper: object) -> bool:
    """Whether one class is the parent of another, as the code 1 is of 1.0."""
    number = graph.names.index(lower)
    above = graph.parents[graph.parent_ptr[number] : graph.parent_ptr[number + 1]]
    return any(graph.names[p] == upper for p in above.tolist())


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
