"""What tells that a hierarchy was read otherwise than it was meant."""

from __future__ import annotations

from collections.abc import Collection, Hashable

import numpy as np

from hierpair.errors import counted, listed, shown
from hierpair.hierarchy.arrays import Ints
from hierpair.hierarchy.class_graph import ClassGraph
from hierpair.hierarchy.columns import MISSING_WORDS, WHOLE, is_word

__all__ = ["GO_ON", "doubts_about", "misreading"]

WRAPPERS = ("hierarchy", "tree", "taxonomy", "ontology", "data", "graph", "classes", "categories")
"""Keys that hold a whole hierarchy."""

GO_ON = "if it is meant, go on with roots='any'"
"""What can be done about roots that look misread."""


def misreading(
    graph: ClassGraph,
    *,
    turned: bool,
    alone: Collection[object],
    first: object,
    keyed: bool,
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
    roots, n_children = graph.root_indices, np.diff(graph.child_ptr)
    names = [graph.names[c] for c in roots.tolist()]
    for name in names:
        if str(name).strip().lower() in MISSING_WORDS and name not in alone and len(graph) > 1:
            blank = f"the root {shown(name)} looks like a blank"
            return f"{blank}: leave the parent of roots out; {GO_ON}"
    if len(roots) == 1:
        if n_children[0] > 1 or len(graph) < 3 or names[0] not in WRAPPERS:
            return ""
        return (
            f"the root {shown(names[0])} has one class below it: is it the key of the "
            f"hierarchy? Give what it holds; {GO_ON}"
        )
    several, ends = _roots(graph), np.flatnonzero(n_children == 0)
    if said := _twins(graph, names):
        return said
    joined = n_children.max() == 1 < np.diff(graph.parent_ptr).max()
    if turned and (len(ends) == 1 or joined):
        sign = "no class has two children, but some have several parents"
        if len(ends) == 1:
            sign = f"turned round there would be one ({graph.names[ends[0]]})"
        mend = (
            f"Exchange their names; {GO_ON}"
            if keyed
            else "direction='child-to-parent' turns it round, direction='parent-to-child' takes it "
            "as it is"
        )
        return f"{several}, and {sign}: are parent and child swapped? {mend}"
    both = np.intersect1d(roots, ends).tolist()
    bare = np.array([c for c in both if graph.names[c] not in alone])
    if len(bare) == len(graph):
        such = shown(graph.names[0], 40)
        return f"{counted(len(bare), 'class')} and no edge, such as {such}; {GO_ON}"
    if len(bare):
        return (
            f"{several}, of which {_first_few(graph, bare)} {'has' if len(bare) == 1 else 'have'} "
            f"no children: was a line of another kind read as a class? Leave it out; {GO_ON}"
        )
    header = f"or write a header that is known, such as parent, child; {GO_ON}"
    word = next(filter(is_word, names), None)
    if word is not None:
        return (
            f"{several}, and {shown(word)} is what columns are called: is it a header? Leave that "
            f"line out, {header}"
        )
    some = roots[n_children[roots] == 1]
    child = graph.children[graph.child_ptr[some]]
    lonely = some[(n_children[child] == 0) & (np.diff(graph.parent_ptr)[child] == 1)].tolist()
    if first is not None and len(lonely) == len(roots):
        return (
            f"{several}, and no two lines have a class in common, so there are no levels: are they "
            "codes with their names, or instances with their labels (a hierarchy comes first, then "
            f"the truth, then predictions)? Codes have a format of their own; {GO_ON}"
        )
    if first in [graph.names[c] for c in lonely]:
        return (
            f"{several}, and only the first line brings {shown(first, 40)}: is it a header? Leave "
            f"it out, {header}"
        )
    return ""


def _twins(graph: ClassGraph, roots: list[Hashable]) -> str:
    """Return what to do about a root that is another class, written in another way; or nothing.

    A parent that is written otherwise than the same class as a child becomes a root.
    """
    spelled = [(name, form) for name in roots for form in _spellings(name)]
    known = set(graph.names) if spelled else set()
    for root, form in spelled:
        if form not in known:
            continue
        c = graph.names.index(root)
        below = graph.children[graph.child_ptr[c] : graph.child_ptr[c + 1]].tolist()
        if form not in [graph.names[b] for b in below]:  # as the code 1.0 is below 1
            return (
                f"{root!r} and {form!r} are two classes: one number that was written in two ways? "
                f"Write it in one way, as whole numbers or as texts; {GO_ON}"
            )
    return ""


def _spellings(name: Hashable) -> list[Hashable]:
    """Return how else a whole number may be written: 1, '1', '1.0'."""
    text = str(name)
    whole = text.split(".", maxsplit=1)[0] if WHOLE.fullmatch(text) else text
    if not whole.removeprefix("-").isdecimal() or isinstance(name, bool) or len(whole) > 18:
        return []
    return [form for form in (whole, f"{whole}.0", int(whole)) if form != name]


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


def _first_few(graph: ClassGraph, classes: Ints) -> str:
    return listed(graph.names[c] for c in classes[:5].tolist()) + ", …" * (len(classes) > 5)
