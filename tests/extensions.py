"""Extended graphs from names, their values as fractions, and links that are written out."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np

from hierpair import LabelSets
from hierpair.lca import extended_graphs
from hierpair.lca.encoding import coded, encoded
from hierpair.lca.links import link, without_ancestors
from tests.oracles.lca import of_sizes

ONE = np.array([True])


def labels(hierarchy, rows):
    return LabelSets.from_labels(rows, hierarchy)


def graphs(hierarchy, y_true, y_pred, **options):
    sides = (labels(hierarchy, rows) for rows in (y_true, y_pred))
    return extended_graphs(hierarchy, *sides, **options)


def values(g, i=0):
    """Precision, recall and F as fractions; a missing denominator gives 0."""
    return of_sizes(*(int(n[i]) for n in (g.n_true, g.n_predicted, g.n_both)))


def linked(hierarchy, true, predicted, threshold=None):
    """The links of one instance."""
    sides = labels(hierarchy, [true]), labels(hierarchy, [predicted])
    return link(hierarchy, without_ancestors(hierarchy, *sides), threshold)


def whole(hierarchy, links):
    """The links of the only instance with all that they lead through."""
    code = encoded(links)
    code = code._replace(single=np.zeros_like(code.single))
    return next((found for _, found in coded(hierarchy, links, code, ONE)), [])


def written(hierarchy, links, rows):
    """Links of a batch with their classes by step, and edges as pairs of classes."""
    found = []
    for row in rows:
        here = slice(*links.node_ptr[row : row + 2].tolist())
        steps = [[] for _ in range(int(links.length[row]) + 1)]
        for c, k in zip(links.node[here].tolist(), links.step[here].tolist(), strict=True):
            steps[k].append(c)
        above = {c: {len(hierarchy), *parents_of(hierarchy, c)} for low in steps for c in low}
        edges = [(c, p) for low, up in pairwise(steps) for c in low for p in up if p in above[c]]
        label = int(links.label[row])
        found.append(SimpleNamespace(
            owner=label, side=int(label >= links.members.n_true), end=int(links.lca[row]),
            own=bool(links.own[row]), steps=steps, edges=edges,
        ))  # fmt: skip
    return found


def parents_of(hierarchy, c):
    return hierarchy.parents[slice(*hierarchy.parent_ptr[c : c + 2])] if c < len(hierarchy) else ()
