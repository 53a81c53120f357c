"""What is written: names as text, refused where a form would read them back differently."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from itertools import pairwise

import numpy as np

from hierpair.errors import BadInput, first_repeated
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets


def plain_names(hierarchy: Hierarchy, forbidden: str) -> list[str]:
    """Return the class names as text, none of which may hold these characters."""
    return checked(hierarchy.names, forbidden, "class")


def written_ids(sets: LabelSets, forbidden: str = "") -> list[str]:
    """Return the instance ids as text; instances without ids get their positions."""
    if sets.ids is None:
        return [str(i) for i in range(len(sets))]
    return checked(sets.ids, forbidden, "instance")


def label_names(sets: LabelSets, hierarchy: Hierarchy, forbidden: str) -> list[list[str]]:
    """Return the labels of every instance as text; only those in use are checked."""
    used = np.unique(sets.indices)
    names = np.empty(len(hierarchy), dtype=object)
    names[used] = checked([hierarchy.names[c] for c in used.tolist()], forbidden, "class")
    flat = names[sets.indices].tolist()
    return [flat[a:b] for a, b in pairwise(sets.indptr.tolist())]


def checked(names: Sequence[Hashable], forbidden: str, what: str) -> list[str]:
    """Return names as text; each must be unique, not blank, and without these characters."""
    texts = [str(name) for name in names]
    if len(set(texts)) < len(set(names)):
        twice = first_repeated(dict(zip(names, texts, strict=True)).values())
        raise BadInput(f"two different names are written {twice!r}")
    blanks = r"\s" if " " in forbidden else ""  # where blanks separate, all kinds of them do
    odd = re.compile(rf"[\0\ufeff{re.escape(forbidden)}{blanks}]")
    for text in texts:
        found = odd.search(text)
        if found is not None:
            raise BadInput(f"{what} {text!r} holds {found[0]!r}, which this form cannot hold")
        if not text or text != text.strip():
            raise BadInput(f"{what} {text!r} starts or ends with a blank, which would be lost")
    return texts


def named_edges(hierarchy: Hierarchy, names: list[str]) -> list[tuple[str, str]]:
    """Return parent and child of every edge by these names."""
    ptr, parents = hierarchy.parent_ptr.tolist(), hierarchy.parents.tolist()
    return [(names[p], names[c]) for c in range(len(names)) for p in parents[ptr[c] : ptr[c + 1]]]
