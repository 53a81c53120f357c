"""Probabilities, losses and gradients of the heads that Plaud et al. (2024) compare."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from hierpair.errors import BadInput, unknown
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import Bools, Floats, row_numbers
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import NodeScores
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.probabilistic.heads.sibling_groups import Layout, leaf_layout, node_layout

__all__ = ["HEADS", "Head", "sibling_shares"]

LossGradient = tuple[float, Floats]


@dataclass(frozen=True, eq=False)
class Head:
    """From logits to probabilities, and the loss that goes with them.

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
    the mean, times the weight where t = 0. The paper says that the gradients of the first and
    third are equal; they have the same form, but one has the softmax where the other has the
    sigmoid, so they are not.

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
        if self.kind not in HEADS:
            raise unknown("head", self.kind, HEADS)
        if self.kind == "adjusted_softmax":
            shares = np.asarray(np.nan if self.shares is None else self.shares, dtype=np.float64)
            if shares.shape != (len(self.hierarchy),) or not (shares > 0).all():
                raise BadInput(
                    "adjusted_softmax needs shares > 0, one per class; sibling_shares counts them"
                )
        if not (np.isfinite(self.tau) and 0 <= self.beta < 1e100):
            raise BadInput("tau must be finite, and beta a finite number ≥ 0")
        if self.kind == "champ" and self.hierarchy.shape != "tree":
            raise BadInput(f"champ is defined on a tree, and this is a {self.hierarchy.shape}")

    @cached_property
    def layout(self) -> Layout:
        """Columns and groups.

        :meta private:
        """
        if self.kind == "leaf_softmax":
            return leaf_layout(self.hierarchy)
        return node_layout(self.hierarchy, self.kind, tree=self.kind != "bce")

    @property
    def classes(self) -> tuple[Hashable, ...]:
        """The class of every logit: siblings side by side."""
        return tuple(self.hierarchy.names[c] for c in self.layout.columns)

    @property
    def is_distribution(self) -> bool:
        """Whether its probabilities are a distribution over leaves: coherent and exhaustive."""
        return self.kind in ("conditional_softmax", "adjusted_softmax", "leaf_softmax")

    def probabilities(self, logits: Any) -> Floats:
        """Return the probability of every class, in the order of ``hierarchy.names``.

        ``logits`` has shape ``(n_instances, n_columns)`` in the order of ``classes``.
        """
        return HEADS[self.kind].probabilities(self, self._checked(logits))

    def loss(self, logits: Any, y_true: Any) -> LossGradient:
        """Return the mean loss and its gradient, of the shape of the logits.

        ``y_true`` is given as for :func:`hierpair.score`. Softmax heads other than the
        conditional ones need one label per instance.
        """
        s = self._checked(logits)
        labels = LabelSets.from_labels(y_true, self.hierarchy, source="y_true")
        if len(labels) != len(s):
            raise BadInput(f"y_true has {len(labels)} instances and the logits have {len(s)} rows")
        return self.loss_of(s, self.targets(labels))

    def targets(self, labels: LabelSets) -> Floats:
        """Return what the loss compares the logits with; make it once for many losses."""
        if self.kind == "leaf_softmax":
            return _leaves_below(self, labels)
        return self.layout.truth(labels)

    def loss_of(self, logits: Floats, targets: Floats) -> LossGradient:
        """Return loss and gradient for targets made by :meth:`targets`."""
        loss, gradient = HEADS[self.kind].loss(self, logits, targets)
        n = max(1, len(logits))
        return float(loss) / n, gradient / n

    def distribution(self, logits: Any, ids: Any = None) -> LabelDistribution:
        """Return the distribution over leaves, for heads that have one (``is_distribution``)."""
        if not self.is_distribution:
            raise BadInput(
                f"the probabilities of {self.kind} are not those of a distribution over single "
                "paths; take its scores, or LabelDistribution.from_nodes with excess='rescale'"
            )
        p = self.probabilities(logits)
        leaf = np.flatnonzero(np.diff(self.hierarchy.child_ptr) == 0)
        names = [self.hierarchy.names[c] for c in leaf]
        return LabelDistribution.from_leaves(p[:, leaf], self.hierarchy, classes=names, ids=ids)

    def scores(self, logits: Any, ids: Any = None) -> NodeScores:
        """Return the probabilities as scores of the classes."""
        return NodeScores.from_array(self.probabilities(logits), self.hierarchy, ids=ids)

    def _checked(self, logits: Any) -> Floats:
        s = np.asarray(logits, dtype=np.float64)
        if s.ndim != 2 or s.shape[1] != len(self.layout.columns):
            raise BadInput(
                f"logits must have shape (n_instances, {len(self.layout.columns)}), a column for "
                f"each of Head.classes, got {s.shape}"
            )
        if not np.isfinite(s).all():
            raise BadInput("logits must be finite")
        return s


def sibling_shares(hierarchy: Hierarchy, y_true: Any) -> Floats:
    """Return the share of every class among the true classes of its group of siblings.

    Labels count for their ancestors too. A class that never occurs counts once, so that every
    share is above 0; a single root has 1.
    """
    labels = LabelSets.from_labels(y_true, hierarchy, source="y_true")
    layout = node_layout(hierarchy, "the share among siblings", tree=True)
    count = np.maximum(layout.truth(labels).sum(axis=0), 1.0)
    total = np.add.reduceat(count, layout.group_ptr[:-1])
    shares = np.ones(len(hierarchy))
    shares[layout.columns] = count / total[layout.group]
    return shares


def _log_softmax(layout: Layout, s: Floats) -> Floats:
    """Return the logarithm of the softmax in every group."""
    start, group = layout.group_ptr[:-1], layout.group
    shifted = s - np.maximum.reduceat(s, start, axis=1)[:, group]
    total = np.add.reduceat(np.exp(shifted), start, axis=1)
    log_p: Floats = shifted - np.log(total)[:, group]
    return log_p


def _conditional(head: Head, s: Floats) -> Floats:
    layout = head.layout
    return layout.all_classes(np.exp(layout.along_paths(_log_softmax(layout, s))))


def _conditional_loss(head: Head, s: Floats, t: Floats) -> LossGradient:
    layout = head.layout
    log_p = _log_softmax(layout, s)
    true = np.add.reduceat(t, layout.group_ptr[:-1], axis=1)[:, layout.group]
    return float(-(t * log_p).sum()), true * np.exp(log_p) - t


def _adjusted_loss(head: Head, s: Floats, t: Floats) -> LossGradient:
    shares = np.asarray(head.shares, dtype=np.float64)[head.layout.columns]
    return _conditional_loss(head, s + head.tau * np.log(shares), t)


def _paths(head: Head) -> Any:
    """Return a sparse row for every leaf, with 1 for the classes on its path."""
    closure = ancestor_closure(head.hierarchy)
    return closure.with_data(np.ones(len(closure.indices)))[head.layout.columns]


def _leaf(head: Head, s: Floats) -> Floats:
    p: Floats = np.exp(_log_softmax(head.layout, s)) @ scipy.sparse.csr_array(_paths(head))
    capped: Floats = np.minimum(p, 1.0)
    return capped


def _leaves_below(head: Head, labels: LabelSets) -> Floats:
    """Return 1 for the leaves at or below the one label of every instance."""
    odd = np.flatnonzero(labels.lengths == 0)
    if len(odd):
        raise BadInput("leaf_softmax needs a label", int(odd[0]))
    rows = _paths(head).toarray()
    member = np.zeros((len(labels), len(head.hierarchy)))
    member[row_numbers(labels.indptr), labels.indices] = 1.0
    full: Bools = (member @ rows.T) == labels.lengths[:, None]
    odd = np.flatnonzero(~full.any(axis=1))
    if len(odd):
        reason = "leaf_softmax needs labels on one path, and these are on several"
        raise BadInput(reason, int(odd[0]))
    targets: Floats = full.astype(np.float64)
    return targets


def _leaf_loss(head: Head, s: Floats, t: Floats) -> LossGradient:
    log_p = _log_softmax(head.layout, s)
    inside = np.where(t > 0, log_p, -np.inf)
    top = inside.max(axis=1, keepdims=True)
    log_label = top + np.log(np.exp(inside - top).sum(axis=1, keepdims=True))
    return float(-log_label.sum()), np.exp(log_p) - np.exp(inside - log_label)


def _sigmoid(s: Floats) -> Floats:
    p: Floats = np.exp(-np.logaddexp(0.0, -s))
    return p


def _cross_entropy(s: Floats, t: Floats) -> Floats:
    """Return ``-[t log q + (1 - t) log(1 - q)]`` for q = sigmoid(s), without overflow."""
    loss: Floats = np.logaddexp(0.0, s) - t * s
    return loss


def _conditional_sigmoid(head: Head, s: Floats) -> Floats:
    layout = head.layout
    return layout.all_classes(np.exp(layout.along_paths(-np.logaddexp(0.0, -s))))


def _masked_loss(head: Head, s: Floats, t: Floats) -> LossGradient:
    parent = head.layout.parent
    mask = np.where(parent >= 0, t[:, np.maximum(parent, 0)], 1.0)
    return float((mask * _cross_entropy(s, t)).sum()), mask * (_sigmoid(s) - t)


def _sigmoids(head: Head, s: Floats) -> Floats:
    return head.layout.all_classes(_sigmoid(s))


def _mean_loss(head: Head, s: Floats, t: Floats) -> LossGradient:
    n = s.shape[1]
    return float(_cross_entropy(s, t).sum() / n), (_sigmoid(s) - t) / n


def _champ_loss(head: Head, s: Floats, t: Floats) -> LossGradient:
    weight = np.where(t > 0, 1.0, _false_positive_weights(head, t))
    return float((weight * _cross_entropy(s, t)).sum()), weight * (_sigmoid(s) - t)


def _false_positive_weights(head: Head, t: Floats) -> Floats:
    """``m (1 + beta ((d / Dmax + 1)² - 1))`` with m true classes at the least distance d.

    The true classes are closed, so the nearest one is the lowest true ancestor; a class of
    another branch is nearest to the true classes right below the root.
    """
    layout = head.layout
    depth = head.hierarchy.depths[layout.columns].astype(np.float64)
    lowest = np.where(t > 0, depth, 0.0)
    for some in layout.by_level:
        below = some[layout.parent[some] >= 0]
        lowest[:, below] = np.maximum(lowest[:, below], lowest[:, layout.parent[below]])
    top = t[:, layout.parent < 0].sum(axis=1, keepdims=True)
    elsewhere = lowest == 0
    distance = np.where(elsewhere, depth + 1, depth - lowest)
    nearest = np.where(elsewhere, top, 1.0)
    nearest = np.where(top == 0, 1.0, nearest)  # nothing is true: plain cross-entropy
    distance = np.where(top == 0, 0.0, distance)
    scaled = distance / max(1.0, _widest(head.hierarchy))
    weights: Floats = nearest * (1 + head.beta * ((scaled + 1) ** 2 - 1))
    return weights


def _widest(hierarchy: Hierarchy) -> float:
    """Return the largest distance between two classes other than the root of a tree."""
    height = np.zeros(len(hierarchy), dtype=np.int64)
    widest = 0
    for v in range(len(hierarchy) - 1, -1, -1):
        below = hierarchy.children[hierarchy.child_ptr[v] : hierarchy.child_ptr[v + 1]]
        arms = np.sort(height[below] + 1)[::-1]
        if len(arms):
            height[v] = arms[0]
        if len(arms) > 1 or (len(arms) and hierarchy.parent_ptr[v] < hierarchy.parent_ptr[v + 1]):
            widest = max(widest, int(arms[:2].sum()))
    return float(widest)


@dataclass(frozen=True)
class _Rules:
    probabilities: Callable[[Head, Floats], Floats]
    loss: Callable[[Head, Floats, Floats], LossGradient]


HEADS: Mapping[str, _Rules] = {
    "conditional_softmax": _Rules(_conditional, _conditional_loss),
    "adjusted_softmax": _Rules(_conditional, _adjusted_loss),
    "conditional_sigmoid": _Rules(_conditional_sigmoid, _masked_loss),
    "leaf_softmax": _Rules(_leaf, _leaf_loss),
    "bce": _Rules(_sigmoids, _mean_loss),
    "champ": _Rules(_sigmoids, _champ_loss),
}
"""Every head by its name."""
