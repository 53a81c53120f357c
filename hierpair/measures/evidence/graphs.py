"""What is drawn of an instance: the part of the hierarchy around its labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.arrays import Indices

Name = Hashable

ARTIFICIAL = "(any class)"
"""What the class that a path threshold puts on top is called; its number is -1."""

BOTH, ONLY_TRUE, ONLY_PREDICTED = "in both", "only true", "only predicted"
CHOSEN_LCAS = "chosen LCAs"

IN_SETS = {
    BOTH: (True, True), ONLY_TRUE: (True, False), ONLY_PREDICTED: (False, True),
    "TP": (True, True), "FP": (False, True), "FN": (True, False), "TN": (False, False),
}  # fmt: skip
"""Fields of what is compared: whether their classes are on the true side, and on the predicted."""


@dataclass(frozen=True)
class ClassNode:
    """One class in a neighbourhood.

    Attributes
    ----------
    name
        The class.
    level
        Longest path from a parentless class in the whole hierarchy, in edges.
    true, predicted
        Whether it is a label of that side.
    above_true, above_predicted
        Whether a true, a predicted label is the class or below it.
    alone
        Whether it is a label that paid the default cost on at least one side.
    n_hidden
        Number of its children that are not shown.
    """

    name: Name
    level: int
    true: bool
    predicted: bool
    above_true: bool
    above_predicted: bool
    alone: bool = False
    n_hidden: int = 0


@dataclass(frozen=True)
class Neighbourhood:
    """The part of a hierarchy around the labels of one instance.

    Attributes
    ----------
    nodes
        The classes, parents before children.
    edges
        Pairs of positions in ``nodes``: parent, child.
    pairs
        Chosen pairs as positions in ``nodes``: predicted, true.
    n_left_out
        Ancestors of labels that were left out to keep it readable.
    lcas
        Positions in ``nodes`` of the chosen lowest common ancestors; None if the classes are
        labels and their ancestors. Otherwise they are two LCA graphs, and ``above_true`` and
        ``above_predicted`` say which of them each class is in.
    fields
        The fields of the confusion matrix that each class is in, or None.
    """

    nodes: tuple[ClassNode, ...]
    edges: tuple[tuple[int, int], ...]
    pairs: tuple[tuple[int, int], ...] = ()
    n_left_out: int = 0
    lcas: tuple[int, ...] | None = None
    fields: tuple[tuple[str, ...], ...] | None = None

    @property
    def framed(self) -> tuple[bool, ...]:
        """Whether each class gets a second border: it paid the default cost, or is an LCA."""
        return tuple(node.alone or i in (self.lcas or ()) for i, node in enumerate(self.nodes))


@takes_hierarchy
def neighbourhood(
    hierarchy: Hierarchy,
    true: Indices,
    predicted: Indices,
    *,
    pairs: Sequence[tuple[int, int]] = (),
    alone: Collection[int] = (),
    most: int = 60,
    fields: Mapping[int, Collection[str]] | None = None,
    lcas: Sequence[int] | None = None,
    edges: Iterable[tuple[int, int]] = (),
) -> Neighbourhood:
    """Return the labels and their ancestors, at most so many classes.

    Parameters
    ----------
    hierarchy
        The classes.
    true, predicted
        Class numbers of the labels.
    pairs
        Chosen pairs as class numbers: predicted, true.
    alone
        Labels that paid the default cost.
    most
        When there are more classes, ancestors far from all labels are left out first, of equally
        far ones those of one side only; labels and LCAs always stay.
    fields
        Instead of labels and their ancestors these classes, and which fields they are in.
    lcas
        Chosen lowest common ancestors: then the classes are two graphs with these ``edges``.
    """
    h, labels = hierarchy, (true.tolist(), predicted.tolist())
    up = [_steps_up(h, own) for own in (true, predicted)]
    steps = {c: min(side[c] for side in up if c in side) for c in up[0] | up[1]}
    above: Sequence[Collection[int]] = up
    if fields is not None:
        steps = {c: 0 if c in (lcas or ()) else steps.get(c, len(h)) for c in fields}
        above = [
            {c for c, own in fields.items() if any(IN_SETS[f][k] for f in own)} for k in (0, 1)
        ]
    order = sorted(steps, key=lambda c: (steps[c], not all(c in side for side in above), c))
    kept = sorted(order[: max(most, sum(n == 0 for n in steps.values()))])
    place = {c: i for i, c in enumerate(kept)}
    if lcas is None:
        ptr, above_each = h.parents_of(np.array(kept, np.int64))
        edges = zip(above_each.tolist(), np.repeat(kept, np.diff(ptr)).tolist(), strict=True)
    linked = sorted({*edges})
    shown, n_children = Counter(p for p, _ in linked), h.n_children
    nodes = tuple(
        ClassNode(
            ARTIFICIAL if c < 0 else h.names[c],
            0 if c < 0 else int(h.levels[c]) + (-1 in place),
            c in labels[0],
            c in labels[1],
            c in above[0],
            c in above[1],
            c in alone,
            0 if lcas is not None else int(n_children[c]) - shown[c],
        )
        for c in kept
    )
    drawn, links = (
        tuple((place[a], place[b]) for a, b in among if a in place and b in place)
        for among in (pairs, linked)
    )
    return Neighbourhood(
        nodes, links, drawn, len(steps) - len(kept),
        None if lcas is None else tuple(place[c] for c in lcas),
        None if fields is None or lcas is not None
        else tuple(tuple(x for x in IN_SETS if x in fields[c]) for c in kept),
    )  # fmt: skip


def _steps_up(h: Hierarchy, front: Indices) -> dict[int, int]:
    """Return classes and their ancestors, with the fewest steps up to each."""
    steps, n = dict[int, int](), 0
    while len(front):
        steps |= dict.fromkeys(front.tolist(), n)
        front, n = np.setdiff1d(h.parents_of(front)[1], [*steps]), n + 1
    return steps
