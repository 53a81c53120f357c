"""Partials of other systems on the same instances, as one."""

from __future__ import annotations

from dataclasses import replace

from hierpair.errors import BadInput, listed, shown
from hierpair.evaluation.partials.partial import Partial

__all__ = ["beside"]

SAME = {
    "fingerprint": "hierarchies",
    "signatures": "measures, options or versions",
    "parts": "parts",
    "ids": "instances (their ids have other ranges)",
    "n_instances": "instances (their numbers differ)",
    "weight": "instances (their weights differ)",
    "n_labels": "instances (their true labels differ)",
    "n_unknown": "instances (their unknown true labels differ)",
    "keep_worst": "keep_worst",
    "n_blocks": "n_blocks",
    "block_seed": "block_seed",
    "numbering": "orders of the classes",
    "files": "contents of a file that measures read",
}
"""What partials of the same instances have in common, and how it is called where they do not."""


def beside(first: Partial, *others: Partial) -> Partial:
    """Return partials of other systems on the same parts as one; none of them is changed.

    So a new system can be compared with older ones whose parts are not scored again. Partials
    hold no instances: what they know of them (parts, ranges of ids, sums of weights and true
    labels, which blocks occur) has to be the same.

    Raises
    ------
    BadInput
        If they are of other parts, measures or instances, have no part ids, or have a system in
        common.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> from hierpair.evaluation import partial
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> old = partial(tree, [["b"]], {"old": [["c"]]}, ["hf"], part="monday")
    >>> new = partial(tree, [["b"]], {"new": [["b"]]}, ["hf"], part="monday")
    >>> beside(old, new).scores().values.tolist()
    [[0.5], [1.0]]
    """
    total = first
    for other in others:
        total = _both(total, other)
    return total


def _both(one: Partial, other: Partial) -> Partial:
    for side in (one, other):
        if not isinstance(side, Partial):
            raise BadInput(f"partials are put beside each other, got {shown(side)}")
    names = f"the partials of {listed(one.systems)} and of {listed(other.systems)}"
    if twice := [s for s in other.systems if s in one.systems]:
        raise BadInput(
            f"two systems are called {twice[0]!r}, in {names}; score one of them under another "
            "name (or, for more parts of the same systems, give them in the same order)"
        )
    for field, what in SAME.items():
        if getattr(one, field) != getattr(other, field):
            raise BadInput(f"{names} are of different {what}; score all systems on the same parts")
    if not one.parts or "" in one.ids:
        raise BadInput(
            f"{names} have no part ids, so nothing tells that their instances are the same; make "
            "both with the same parts (part, --part)"
        )
    if _blocks(one) != _blocks(other):
        raise BadInput(f"{names} are of different instances (other blocks occur)")
    return replace(
        one,
        systems=(*one.systems, *other.systems),
        sums=(*one.sums, *other.sums),
        uneven=tuple(_uneven(one, other, k) for k in range(len(one.measures))),
        doubts=min(one.doubts, other.doubts),
        in_order=one.in_order | other.in_order,
        turned={**other.turned, **one.turned},
    )


def _blocks(one: Partial) -> list[list[int]]:
    """Return which blocks occur, of the first system: they are the same for all."""
    kept = [of.blocks for of in one.sums[:1]]
    return [blocks.classes.tolist() for blocks in kept if blocks is not None]


def _uneven(one: Partial, other: Partial, k: int) -> int:
    """Return how many instances may have no pairing under some of the systems only.

    Which ones a partial leaves out is not known, so those of two partials may all be others.
    """
    return one.uneven[k] + other.uneven[k] + one.n_infeasible(k) + other.n_infeasible(k)
