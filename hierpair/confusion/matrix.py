"""The hierarchical confusion matrix of every instance of a batch, in numbers and in classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierpair.confusion.path_pairs import PathPairs, ways_down
from hierpair.confusion.root_paths import root_of, spread
from hierpair.confusion.two_pairings import CONFUSION_RULE, greedy_pairing
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.arrays import Ints
from hierpair.labels import LabelSets
from hierpair.pairing import Pairing, formulate, solve_pairing

__all__ = [
    "BLANKS",
    "EMPTY",
    "FIELDS",
    "NESTED",
    "PAIRINGS",
    "Confusion",
    "Fields",
    "confusion",
    "fields_of",
]

PAIRINGS = ("exact", "published")
EMPTY = ("root", "none")
NESTED = ("drop", "keep")
BLANKS = ("ignore", "count")
FIELDS = ("TP", "FP", "FN", "TN")


@dataclass(frozen=True, eq=False)
class Confusion:
    """The pairing of a batch and its counts.

    Attributes
    ----------
    pairs
        All pairs of a predicted path and a true class, with their counts.
    pairing
        Which were chosen, and which paths and classes are without partner (``missing``).
    tp, fp, fn, tn
        Counts of every instance.
    """

    pairs: PathPairs
    pairing: Pairing
    tp: Ints
    fp: Ints
    fn: Ints
    tn: Ints


@takes_hierarchy
def confusion(
    hierarchy: Hierarchy,
    y_true: LabelSets,
    y_pred: LabelSets,
    pairing: str = "exact",
    empty: str = "root",
    nested: str = "drop",
    blank: str = "ignore",
) -> Confusion:
    """Pair predicted paths with true classes and count.

    Parameters
    ----------
    hierarchy, y_true, y_pred
        The classes, true labels, and predictions: classes with a single root path, or paths
        (:meth:`LabelSets.from_levels`).
    pairing
        ``"exact"``: by :data:`CONFUSION_RULE`; ``"published"``: the static greedy.
    empty
        A prediction without any label is the path of the root alone (``"root"``), which earns
        TN and takes a class, or no path (``"none"``).
    nested
        Labels above others of their set are left out (``"drop"``) or stay (``"keep"``).
    blank
        Blank labels do not count (``"ignore"``), or each is a path to no class (``"count"``).

    Raises
    ------
    BadInput
        For several roots, a class with several root paths, or a broken path.
    """
    pairs = PathPairs.of_labels(hierarchy, y_true, y_pred, empty=empty, nested=nested, blank=blank)
    if pairing == "published":
        found = greedy_pairing(pairs, y_true)
    else:
        found = solve_pairing(formulate(CONFUSION_RULE, pairs))

    def total(values: Ints, instance: Ints) -> Ints:
        return np.bincount(instance, values, minlength=len(y_true)).astype(np.int64)

    instance = pairs.instance[found.chosen]
    tp, fp, fn, tn = (
        total(x[found.chosen], instance) for x in (pairs.tp, pairs.fp, pairs.fn, pairs.tn)
    )
    path, true = (np.flatnonzero(found.missing[s]) for s in ("predicted", "true"))
    depth = hierarchy.depths[pairs.true_labels.classes[true]].astype(np.int64)
    fp += total(pairs.paths.lengths[path], pairs.predicted_labels.instance[path])
    fn += total(depth, pairs.true_labels.instance[true])
    return Confusion(pairs, found, tp, fp, fn, tn)


@dataclass(frozen=True, eq=False)
class Fields:
    """Classes in fields, an entry for each.

    A class is in several entries if it is in several pairs. TN of a class can be counted twice in
    a pair (beside the shared part and below its end), as the counts do.

    Attributes
    ----------
    owner
        Number of the pair; paths without partner follow, then true classes without partner.
    field
        Position in ``FIELDS``.
    classes
        The class; the number of classes stands for a blank label.
    instance
        The instance.
    """

    owner: Ints
    field: Ints
    classes: Ints
    instance: Ints


def fields_of(c: Confusion) -> Fields:
    """Spell out the chosen pairs, the paths without partner and the true classes without one.

    Owners number the chosen pairs in the order of all pairs.
    """
    pairs, h, n = c.pairs, c.pairs.hierarchy, len(c.pairs.hierarchy)
    picked = np.flatnonzero(c.pairing.chosen)
    unpaired, late = (np.flatnonzero(c.pairing.missing[s]) for s in ("predicted", "true"))
    # paths with partner, then those without, which share the root alone
    path = np.concatenate([pairs.predicted_at[picked], unpaired])
    last = np.concatenate([pairs.fork_at[picked], pairs.paths.node_ptr[unpaired]])
    at = np.arange(len(pairs.paths.nodes), dtype=np.int32)
    owner, at = spread(pairs.paths.node_ptr, at, np.arange(len(path)), path)
    below_root = at > pairs.paths.node_ptr[path][owner]
    shared, alone = (
        (owner[some], pairs.paths.nodes[at[some]])
        for some in (below_root & (at <= last[owner]), at > last[owner])
    )
    blank = np.flatnonzero(pairs.paths.beyond[path])
    # true classes with partner, then those without, whose way begins at the root
    fork, classes = pairs.fork[picked], pairs.true_labels.classes[late]
    down, node = ways_down(
        h,
        pairs.closure,
        np.concatenate([fork, np.full_like(classes, root_of(h))]),
        np.concatenate([pairs.true[picked], classes]),
    )
    missed = down + len(unpaired) * (down >= len(picked)), node
    # siblings of the shared nodes and children of the last one, which neither path takes
    parents = spread(h.parent_ptr, h.parents, *shared)
    beside = spread(h.child_ptr, h.children, *parents)
    below = spread(h.child_ptr, h.children, np.arange(len(picked)), fork)
    keys = [of * n + some for of, some in (beside, below, shared, missed, alone)]
    negative = [np.setdiff1d(keys[0], np.concatenate(keys[2:4]))]
    negative.append(np.setdiff1d(keys[1], np.concatenate(keys[2:])))
    parts = [
        (0, shared),
        (1, alone),
        (1, (blank, np.full(len(blank), n))),
        (2, missed),
        *((3, np.divmod(key, n)) for key in negative),
    ]
    owner, found = (np.concatenate([part[k] for _, part in parts]) for k in range(2))
    field = np.repeat([f for f, _ in parts], [len(part[0]) for _, part in parts])
    instances = [
        pairs.instance[picked],
        pairs.predicted_labels.instance[unpaired],
        pairs.true_labels.instance[late],
    ]
    return Fields(owner, field, found.astype(np.int64), np.concatenate(instances)[owner])
