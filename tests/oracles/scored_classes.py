"""Slow, obvious areas, sweeps, calibration errors and Brier scores: all pairs, all thresholds.

Nothing here imports the code that it checks. Scores are fractions, ``{class: score}`` per instance.
"""

import itertools
from fractions import Fraction
from math import sqrt

from tests.oracles.distributions import closed


def cuts(ranked):
    """Of (score, true) pairs: how many are true, and how many there are, above every threshold."""
    falling = sorted({score for score, _ in ranked}, reverse=True)
    chosen = ([true for score, true in ranked if score >= t] for t in falling)
    return [(0, 0), *((sum(some), len(some)) for some in chosen)]


def average_precision(ranked):
    """Every gain of recall at the precision of its threshold."""
    n_true = sum(true for _, true in ranked)
    steps = itertools.pairwise(cuts(ranked))
    return sum(Fraction((hits - before) * hits, n_true * n) for (before, _), (hits, n) in steps)


def straight(ranked):
    """Straight lines between the points of thresholds, the first of which is (0, 1)."""
    n_true = sum(true for _, true in ranked)
    points = [(Fraction(x, n_true), Fraction(x, n) if n else 1) for x, n in cuts(ranked)]
    return sum((r - q) * (p + s) / 2 for (q, p), (r, s) in itertools.pairwise(points))


def davis_goadrich(ranked):
    """Trapezoids between single hits; false ones come evenly between two thresholds."""
    n_true, area = sum(true for _, true in ranked), Fraction(0)
    for (hits, before), (more, n) in itertools.pairwise(cuts(ranked)):
        each = Fraction(n - before, max(1, more - hits))
        chosen = [(hits + k, before + each * k) for k in range(more - hits + 1)]
        heights = [Fraction(x) / m if m else None for x, m in chosen]
        if heights[0] is None:
            heights[0] = heights[min(1, more - hits)]
        area += sum((p + q) / 2 / n_true for p, q in itertools.pairwise(heights))
    return area


def roc_area(ranked):
    """The probability that a true pair is above a false one; ties count one half."""
    true = [score for score, is_true in ranked if is_true]
    false = [score for score, is_true in ranked if not is_true]
    wins = sum(Fraction((a > b) * 2 + (a == b), 2) for a in true for b in false)
    return wins / (len(true) * len(false))


def rankings(parents, truth, scores, out=()):
    """{class: [(score, true)]} over all instances."""
    both = [(row, closed(parents, labels)) for row, labels in zip(scores, truth, strict=True)]
    return {
        v: [(row.get(v, Fraction(0)), v in s) for row, s in both] for v in parents if v not in out
    }


def node_brier(parents, labels, row, weight, out=()):
    """Of one instance."""
    true = closed(parents, labels, frozenset(out))
    return sum(weight[v] * (row.get(v, 0) - (v in true)) ** 2 for v in parents if v not in out)


def levels(parents, truth, scores, out=(), known=None):
    """[(rows, columns)] of every level: scores {class: p} and true classes of its instances.

    What is known of an instance, with its ancestors, does not count there.
    """
    known = [closed(parents, x) for x in known or [()] * len(truth)]
    depth = {}
    for v, above in parents.items():
        depth[v] = 1 + max((depth[p] for p in above), default=-1)
    for level in sorted(set(depth.values())):
        classes = [v for v in parents if depth[v] == level and v not in out]
        every = (
            (set(classes) - gone, closed(parents, x), row)
            for x, row, gone in zip(truth, scores, known, strict=True)
        )
        judged = [
            ({v: row.get(v, Fraction(0)) for v in classes if v in of}, true & of)
            for of, true, row in every
            if true & of
        ]
        if judged:
            yield classes, judged


def brier(classes, judged):
    return sum((p - (v in true)) ** 2 for row, true in judged for v, p in row.items()) / len(judged)


def _in_bins(pairs, bins):
    """Σ |what happened − probability| over bins [a, b), the last one closed."""
    found = [Fraction(0)] * bins
    for p, happened, *of in pairs:
        found[min(int(p * bins), bins - 1)] += (happened - p) / Fraction(*of or [1])
    return sum(map(abs, found))


def ece(classes, judged, bins):
    pairs = []
    for row, true in judged:
        top = max(row.values())
        tied = [v for v in row if row[v] == top]
        pairs.append((top, Fraction(len(true & set(tied)), len(tied))))
    return _in_bins(pairs, bins) / len(judged)


def sce(classes, judged, bins):
    """Of every class among those that count for an instance, which weigh the same together."""
    gaps = sum(
        _in_bins([(row[v], int(v in true), len(row)) for row, true in judged if v in row], bins)
        for v in classes
    )
    return gaps / len(judged)


def ace(classes, judged, ranges):
    every = []
    for v in classes:
        pairs = sorted((row[v], int(v in true)) for row, true in judged if v in row)
        n, found = len(pairs), {}
        for p, happened in pairs:
            first = next(i for i, (q, _) in enumerate(pairs) if q == p)
            at = max(j for j in range(ranges) if j * n // ranges <= first)
            found.setdefault(at, []).append(happened - p)
        if pairs:
            gaps = [abs(Fraction(sum(g), len(g))) for g in found.values()]
            every.append(sum(gaps) / len(found))
    return Fraction(sum(every), len(every))


# --------------------------------------------- sweeps over thresholds, set by set


def propagated(parents, scores, how):
    """Scores of classes above 0; classes are numbers, parents before children."""
    found = {c: scores.get(c, 0) for c in parents}
    for c in sorted(parents, reverse=True) if how else ():
        if how == "max" or not found[c]:
            found[c] = max(found[d] for d in parents if d == c or c in parents[d])
    return {c: s for c, s in found.items() if s > 0}


def sweep(parents, truth, scores, weights, counts, how, norm, zero_weight, thresholds=None):
    """One row per threshold, falling; all numbers are fractions, None where they are 0/0."""
    total = lambda some: sum((weights[c] for c in some), Fraction(0))  # noqa: E731
    ratio = lambda a, b: a / b if b else None  # noqa: E731
    count_all = zero_weight == "count"
    closed_sets = ((closed(parents, labels) & counts, labels) for labels in truth)
    rows = [(true, propagated(parents, said, how))
            for (true, labels), said in zip(closed_sets, scores, strict=True)
            if true or (count_all and labels)]  # fmt: skip
    if thresholds is None:
        seen = {s for _, said in rows for c, s in said.items() if c in counts and weights[c] > 0}
        thresholds = sorted(seen, reverse=True)
    table = []
    for tau in thresholds:
        chosen = [(true, {c for c, s in said.items() if s >= tau} & counts) for true, said in rows]
        some = [(t, p) for t, p in chosen if total(p) > 0]
        tp, fp, fn = (sum(map(total, x), Fraction(0)) for x in (
            [t & p for t, p in chosen], [p - t for t, p in chosen], [t - p for t, p in chosen]
        ))  # fmt: skip
        asked = some if norm == "pred" else chosen
        recalled = [t for t, _ in asked if total(t) > 0 or count_all]
        n = len(some) if norm == "pred" else len(rows)
        recall = sum((ratio(total(t & p), total(t)) or 0 for t, p in chosen), Fraction(0))
        table.append({
            "threshold": tau,
            "n": len(some),
            "precision": ratio(sum(total(t & p) / total(p) for t, p in some),
                               len(rows) if norm == "gt" else len(some)),
            "recall": ratio(recall, len(recalled)),
            "found": ratio(tp, n),
            "mi": ratio(fp, n),
            "ru": ratio(fn, n),
            "precision_micro": ratio(tp, tp + fp),
            "recall_micro": ratio(tp, tp + fn),
        })  # fmt: skip
    of_truth = sum((total(t) for t, _ in rows), Fraction(0))
    return table, len(rows), ratio(of_truth, len(rows))


def best_f(table, of_truth):
    """Fmax; None where there is no recall because all true classes weigh nothing."""
    if of_truth == 0 and all(row["recall"] is None for row in table):
        return None
    return max(map(f_of, table))


def f_of(row):
    p, r = row["precision"] or Fraction(0), row["recall"] or Fraction(0)
    return 2 * p * r / (p + r) if p + r else Fraction(0)


def s_of(row):
    return sqrt(row["ru"] ** 2 + row["mi"] ** 2)
