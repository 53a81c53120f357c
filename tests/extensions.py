"""Extended graphs from names, and their values as fractions."""

from fractions import Fraction

from hierpair import LabelSets
from hierpair.lca import extended_graphs


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
