"""What is said of a hierarchy: its size and shape, and a name that is no class of it."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable, Mapping

import numpy as np

from hierpair.errors import MOST_COMPARED, BadInput, counted, did_you_mean, listed, shown
from hierpair.hierarchy.arrays import Shorts
from hierpair.hierarchy.class_graph import ClassGraph

__all__ = ["described", "hierarchy_facts", "numbers_of_names", "unknown_class"]


def described(graph: ClassGraph, form: str = "") -> str:
    """Return size, shape, roots and depth in one line, numbers in a form such as ``","``."""
    n_roots = len(graph.root_indices)
    top = f"{n_roots:{form}} roots"
    if n_roots == 1:
        top = f"root {shown(graph.names[graph.root_indices[0]])}"
    return (
        f"{graph.shape} of {counted(len(graph), 'class', form)} and "
        f"{counted(len(graph.parents), 'edge', form)}, {top}, "
        f"{counted(int(graph.levels[-1]), 'level', form)} below"
    )


def hierarchy_facts(graph: ClassGraph) -> list[tuple[str, str]]:
    """Return what a notebook shows of a hierarchy: what it is called, and what it is."""
    leaves = np.diff(graph.child_ptr) == 0
    rows = [
        ("shape", graph.shape),
        ("classes", f"{len(graph):,}"),
        ("edges", f"{len(graph.parents):,}{'' if graph.weights is None else ', with weights'}"),
        ("roots", listed((graph.names[c] for c in graph.root_indices.tolist()), 3)),
        ("leaves", f"{int(leaves.sum()):,}"),
        ("levels below the roots", str(int(graph.levels[-1]))),
    ]
    beside = (("other names", graph.aliases), ("titles", graph.titles))
    return rows + [(what, f"{len(names):,}") for what, names in beside if names]


def numbers_of_names(
    graph: ClassGraph, position: Mapping[Hashable, int], names: list[Hashable]
) -> Shorts:
    """Return the numbers of classes by name; refuse what is none."""
    try:
        return np.fromiter((position[n] for n in names), dtype=np.int32, count=len(names))
    except TypeError:
        odd = next(n for n in names if not isinstance(n, Hashable))
        raise BadInput(f"a class name must be one value, got {shown(odd)}") from None
    except KeyError:
        unknown = next(n for n in names if n not in position)
        raise BadInput(unknown_class(graph, unknown)) from None


def unknown_class(graph: ClassGraph, name: object) -> str:
    """Return the sentence that says that ``name`` is no class, and which one may be meant."""
    text = f"class {shown(name)} is not in the hierarchy"
    titled = [c for c, title in graph.titles.items() if title == name]
    if titled:
        return f"{text}; {listed(titled, 3)} is called so, and labels are ids"
    twin = next((n for n in graph.names if str(n) == str(name)), None)
    if twin is not None:
        return f"{text}; {twin!r} is, but as {type(twin).__name__}, not {type(name).__name__}"
    if isinstance(name, str):
        same = unicodedata.normalize("NFC", name)
        twins = (n for n in graph.names if isinstance(n, str) and n != name)
        if any(unicodedata.normalize("NFC", n) == same for n in twins):
            return f"{text}; the same characters are, in another Unicode normal form"
    first = str(name)[:1].casefold()
    near = [n for n in graph.names if str(n)[:1].casefold() == first]
    return text + did_you_mean(name, near if len(graph) > MOST_COMPARED else graph.names)
