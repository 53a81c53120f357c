"""Probabilities, losses and gradients of the heads that Plaud et al. (2024) compare."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy

from hierpair.errors import BadInput, unknown
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import Floats, Ints, inverse, row_numbers, sparse_rows
from hierpair.labels import LabelSets
from hierpair.labels.naming import refuse
from hierpair.labels.node_scores import NodeScores
from hierpair.probabilistic.distributions import LabelDistribution

LossGradient = tuple[float, Floats]


@dataclass(frozen=True, eq=False)
class Head:
    """From logits to probabilities, with the loss.

    Parameters
    ----------
    kind
        A name in ``HEADS``:

        - ``"conditional_softmax"``: a softmax over every group of siblings, multiplied along the
          path; loss ``-sum over true y of log p(y | parent)`` (eqs 4–5);
        - ``"adjusted_softmax"``: the same, trained on ``s + tau log shares`` (logit adjustment,
          §4.2); probabilities are those of the logits as they are;
        - ``"conditional_sigmoid"``: sigmoids multiplied along the path; binary cross-entropy
          over the children of the root and of every true class (§4.3, masked);
        - ``"leaf_softmax"``: a softmax over the leaves, added up upwards; loss ``-log p(label)``;
        - ``"bce"``: sigmoids; binary cross-entropy, mean over classes;
        - ``"champ"``: sigmoids; binary cross-entropy summed over classes, where a false positive
          counts more the further it is from the truth (Vaswani et al. 2022).
    hierarchy
        The classes: a tree or forest for conditional heads, a tree for ``champ``, else any.
    shares
        For ``adjusted_softmax``: share of every class among its siblings, shape
        ``(n_classes,)``; see :func:`sibling_shares`.
    tau
        For ``adjusted_softmax``: strength of the adjustment.
    beta
        For ``champ``: strength of distances; 0 gives cross-entropy summed over classes.

    Notes
    -----
    Losses are means over instances. With t = 1 for the true classes and those above them, the
    gradient for a logit is ``m softmax - t`` with m true classes in its group; ``sigmoid - t``
    under the mask; ``softmax - t``; ``(sigmoid - t) / n_columns``; and for champ the same without
    the mean, times the weight where t = 0. So those of the first and third are of one form and
    not equal, as the paper says: one has the softmax where the other has the sigmoid.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4"), ("1", "5")])
    >>> head = Head("conditional_softmax", tree)
    >>> head.classes
    ('1', '2', '3', '4', '5')
    >>> logits = [[0.3, -0.2, 0.5, -1.0, 0.7]]
    >>> head.probabilities(logits).round(3).tolist()
    [[1.0, 0.622, 0.378, 0.255, 0.057, 0.311]]
    >>> round(head.loss(logits, [["5"]])[0], 4)
    1.1679
    """

    kind: str
    hierarchy: Hierarchy
    shares: Any = None
    tau: float = 1.0
    beta: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "hierarchy", Hierarchy.of(self.hierarchy))
        h, kind = self.hierarchy, self.kind
        if kind not in HEADS:
            raise unknown("head", kind, HEADS)
        if h.shape not in HEADS[kind].shapes:
            raise BadInput(f"{kind} is defined on a {HEADS[kind].shapes}, not on a {h.shape}")
        if kind == "adjusted_softmax":
            shares = np.asarray(np.nan if self.shares is None else self.shares, dtype=np.float64)
            if shares.shape != (len(h),) or not (shares > 0).all():
                mend = "one per class; sibling_shares counts them"
                raise BadInput(f"adjusted_softmax needs shares > 0, {mend}")
        if not (np.isfinite(self.tau) and 0 <= self.beta < 1e100):
            raise BadInput("tau must be finite, and beta a finite number ≥ 0")

    @cached_property
    def columns(self) -> Ints:
        """Class number of every logit: siblings side by side."""
        h = self.hierarchy
        if self.kind == "leaf_softmax":
            return h.leaf_indices
        top = h.root_indices[h.has_one_root :]
        below = np.unique(h.children) if h.shape == "DAG" else h.children
        return np.concatenate([top, below]).astype(np.int64)

    @cached_property
    def parent(self) -> Ints:
        """Logit of a parent of every logit's class, -1 where it has none."""
        place = inverse(self.columns, len(self.hierarchy) + 1)
        return place[self.hierarchy.parent[self.columns]]

    @cached_property
    def starts(self) -> Ints:
        """Where the logits of every group of siblings begin; leaves are one group."""
        return np.flatnonzero(np.diff(self.parent, prepend=-2))

    @property
    def group(self) -> Ints:
        """Group of siblings of every logit."""
        return row_numbers(np.append(self.starts, len(self.columns)))

    @property
    def above(self) -> Any:
        """A sparse row for every class, with 1 for itself and all that are above it."""
        closure = ancestor_closure(self.hierarchy)
        return closure.with_data(np.ones(len(closure.indices)))

    @property
    def classes(self) -> tuple[Hashable, ...]:
        """The class of every logit: siblings side by side."""
        return tuple(self.hierarchy.names[c] for c in self.columns)

    @property
    def is_distribution(self) -> bool:
        """Whether its probabilities are a distribution over leaves: coherent and exhaustive."""
        return HEADS[self.kind].softmax

    def probabilities(self, logits: Any) -> Floats:
        """Return the probability of every class from logits in the order of ``classes``."""
        s, kind = self._checked(logits), HEADS[self.kind]
        log_p = _log_softmax(self, s) if kind.softmax else -np.logaddexp(0.0, -s)
        if self.kind == "leaf_softmax":
            return np.asarray(np.minimum(np.exp(log_p) @ self.above[self.columns], 1.0))
        each = scipy.sparse.eye_array(len(self.hierarchy), format="csr")
        over = self.above.T.tocsr() if kind.along_paths else each
        return np.asarray(np.exp(log_p @ over[self.columns]))  # a single root has 1

    def loss(self, logits: Any, y_true: Any) -> LossGradient:
        """Return the mean loss and its gradient; softmax over leaves needs one label each."""
        s = self._checked(logits)
        labels = LabelSets.from_labels(y_true, self.hierarchy, source="y_true")
        if len(labels) != len(s):
            raise BadInput(f"y_true has {len(labels)} instances and the logits have {len(s)} rows")
        loss, gradient = HEADS[self.kind].loss(self, s, self.targets(labels))
        return float(loss) / max(1, len(s)), gradient / max(1, len(s))

    def targets(self, labels: LabelSets) -> Floats:
        """Return 1 for what is true or above it (leaf softmax: leaves at or below the label)."""
        member = sparse_rows(labels.indptr, labels.indices, len(self.hierarchy))
        if self.kind != "leaf_softmax":
            truth = (member @ self.above).toarray()[:, self.columns]
            return np.asarray(np.minimum(truth, 1.0))
        below = (member @ self.above[self.columns].T).toarray() == labels.lengths[:, None]
        refuse((labels.lengths == 0) | ~below.any(axis=1), lambda i: (
            f"leaf_softmax needs labels on one path, and there are {labels.lengths[i]}"
        ), int)  # fmt: skip
        return np.where(below, 1.0, 0.0)

    def distribution(self, logits: Any, ids: Any = None) -> LabelDistribution:
        """Return the distribution over leaves, for heads that have one (``is_distribution``)."""
        if not self.is_distribution:
            mend = "take its scores, or LabelDistribution.from_nodes with excess='rescale'"
            raise BadInput(f"{self.kind} is not a distribution over single paths; {mend}")
        p = self.probabilities(logits)[:, self.hierarchy.is_leaf]
        return LabelDistribution.from_leaves(p, self.hierarchy, ids=ids)

    def scores(self, logits: Any, ids: Any = None) -> NodeScores:
        """Return the probabilities as scores of the classes."""
        return NodeScores.from_array(self.probabilities(logits), self.hierarchy, ids=ids)

    def _checked(self, logits: Any) -> Floats:
        s = np.asarray(logits, dtype=np.float64)
        n = len(self.columns)
        if s.ndim != 2 or s.shape[1] != n:
            raise BadInput(f"logits must have {n} columns, those of Head.classes, got {s.shape}")
        if not np.isfinite(s).all():
            raise BadInput("logits must be finite")
        return s


def sibling_shares(hierarchy: Hierarchy, y_true: Any) -> Floats:
    """Return the share of every class among the true classes of its group of siblings.

    Labels count for their ancestors too. A class that never occurs counts once, so that every
    share is above 0; a single root has 1.
    """
    labels = LabelSets.from_labels(y_true, hierarchy, source="y_true")
    head = Head("conditional_softmax", hierarchy)
    count = np.maximum(head.targets(labels).sum(axis=0), 1.0)
    shares = np.ones(len(hierarchy))
    shares[head.columns] = count / np.bincount(head.group, count)[head.group]
    return shares


# --------------------------------------------------------- losses: summed over instances


def _log_softmax(head: Head, s: Floats) -> Floats:
    """Return the logarithm of the softmax in every group."""
    shifted = s - np.maximum.reduceat(s, head.starts, axis=1)[:, head.group]
    total = np.add.reduceat(np.exp(shifted), head.starts, axis=1)
    return np.asarray(shifted - np.log(total)[:, head.group])


def _conditional_loss(head: Head, s: Floats, t: Floats) -> LossGradient:
    if head.kind == "adjusted_softmax":
        s = s + head.tau * np.log(np.asarray(head.shares, dtype=np.float64)[head.columns])
    log_p = _log_softmax(head, s)
    true = np.add.reduceat(t, head.starts, axis=1)[:, head.group]
    return float(-(t * log_p).sum()), true * np.exp(log_p) - t


def _leaf_loss(head: Head, s: Floats, t: Floats) -> LossGradient:
    log_p = _log_softmax(head, s)
    inside = np.where(t > 0, log_p, -np.inf)
    log_label = np.logaddexp.reduce(inside, axis=1, keepdims=True)
    return float(-log_label.sum()), np.exp(log_p) - np.exp(inside - log_label)


def _cross_entropy(s: Floats, t: Floats, weight: Any = 1.0) -> LossGradient:
    """Return ``-w [t log q + (1 - t) log(1 - q)]``, q = sigmoid(s), summed, without overflow."""
    loss = float((weight * (np.logaddexp(0.0, s) - t * s)).sum())
    return loss, weight * (np.exp(-np.logaddexp(0.0, -s)) - t)


def _masked_loss(head: Head, s: Floats, t: Floats) -> LossGradient:
    return _cross_entropy(s, t, np.where(head.parent >= 0, t[:, head.parent], 1.0))


def _mean_loss(head: Head, s: Floats, t: Floats) -> LossGradient:
    loss, gradient = _cross_entropy(s, t)
    return loss / s.shape[1], gradient / s.shape[1]


def _champ_loss(head: Head, s: Floats, t: Floats) -> LossGradient:
    """False positives weigh ``m (1 + beta ((d / Dmax + 1)² - 1))``, m true classes at distance d.

    The true classes are closed, so the nearest is the lowest true ancestor; a class of another
    branch is nearest to the true ones right below the root. If nothing is true, all weigh 1.
    """
    h, top = head.hierarchy, t[:, head.parent < 0].sum(axis=1, keepdims=True)
    depth = h.depths[head.columns].astype(np.float64)
    # as many classes are true on the way down
    lowest = t @ head.above.T.tocsr()[head.columns][:, head.columns]
    distance = np.where(lowest == 0, depth + 1, depth - lowest)
    nearest = np.where((lowest == 0) & (top > 0), top, 1.0)
    # what is farthest from a deepest class is at the other end of a longest way
    deepest = np.full(len(depth), head.columns[depth.argmax()])
    widest = h.pair_distances(deepest, head.columns, weighted=False).max()
    scaled = np.where(top > 0, distance, 0.0) / max(1.0, widest)
    weight = nearest * (1 + head.beta * ((scaled + 1) ** 2 - 1))
    return _cross_entropy(s, t, np.where(t > 0, 1.0, weight))


class _Kind(NamedTuple):
    """Softmax or sigmoid; whether probabilities multiply along paths; where; the loss."""

    softmax: bool
    along_paths: bool
    shapes: str
    loss: Callable[[Head, Floats, Floats], LossGradient]


HEADS: Mapping[str, _Kind] = {
    "conditional_softmax": _Kind(True, True, "tree or forest", _conditional_loss),
    "adjusted_softmax": _Kind(True, True, "tree or forest", _conditional_loss),
    "conditional_sigmoid": _Kind(False, True, "tree or forest", _masked_loss),
    "leaf_softmax": _Kind(True, False, "tree or forest or DAG", _leaf_loss),
    "bce": _Kind(False, False, "tree or forest or DAG", _mean_loss),
    "champ": _Kind(False, False, "tree", _champ_loss),
}
"""Every head by its name."""
