"""Extended graphs from names, their values as fractions, and links that are written out."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np

from hierpair import LabelSets
from hierpair.lca import extended_graphs
from hierpair.lca.encoding import coded, encoded
from hierpair.lca.links import link, without_ancestors

ONE = np.array([True])


def labels(hierarchy, rows):
    return LabelSets.from_labels(rows, hierarchy)


def graphs(hierarchy, y_true, y_pred, **options):
    return extended_graphs(
        hierarchy, labels(hierarchy, y_true), labels(hierarchy, y_pred), **options
    )


def values(g, i=0):
    """Precision, recall and F as fractions; a missing denominator gives 0."""
    t, p, both = int(g.n_true[i]), int(g.n_predicted[i]), int(g.n_both[i])
    if not t and not p:
        return Fraction(1), Fraction(1), Fraction(1)
    precision = Fraction(both, p) if p else Fraction(0)
    return precision, Fraction(both, t) if t else Fraction(0), Fraction(2 * both, t + p)


def linked(hierarchy, true, predicted, threshold=None):
    """The links of one instance."""
    sides = labels(hierarchy, [true]), labels(hierarchy, [predicted])
    return link(hierarchy, without_ancestors(hierarchy, *sides), threshold)


def whole(hierarchy, links):
    """The links of the only instance with all that they lead through."""
    return next(
        (found for _, found in coded(hierarchy, links, encoded(links), ONE, edges_of_all=True)), []
    )


def written(hierarchy, links, rows):
    """Links of a batch with their classes by step, and edges as pairs of classes."""
    found = []
    for row in rows:
        here = slice(*links.node_ptr[row : row + 2].tolist())
        steps = [[] for _ in range(int(links.length[row]) + 1)]
        for c, k in zip(links.node[here].tolist(), links.step[here].tolist(), strict=True):
            steps[k].append(c)
        edges = [
            (c, p)
            for low, up in zip(steps, steps[1:], strict=False)
            for c in low
            for p in up
            if p == len(hierarchy)
            or p in hierarchy.parents[slice(*hierarchy.parent_ptr[c : c + 2].tolist())]
        ]
        label, end = int(links.label[row]), int(links.lca[row])
        side = int(label >= links.members.n_true)
        found.append(
            SimpleNamespace(
                owner=label, side=side, end=end, own=bool(links.own[row]), steps=steps, edges=edges
            )
        )
    return found
