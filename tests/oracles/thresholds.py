"""Sweeps over thresholds as their definitions say, set by set, in exact fractions."""

from fractions import Fraction
from math import sqrt


def above(parents, label):
    found = {label}
    for p in parents[label]:
        found |= above(parents, p)
    return found


def propagated(parents, scores, how):
    """Scores of classes above 0; classes are numbers, parents before children."""
    found = {c: s for c, s in scores.items() if s > 0}
    children = {c: [d for d in parents if c in parents[d]] for c in parents}
    if how is None:
        return found
    for c in sorted(parents, reverse=True):
        below = max((found.get(d, 0) for d in children[c]), default=0)
        own = found.get(c, 0)
        value = max(own, below) if how == "max" else own or below
        if value:
            found[c] = value
    return found


def sweep(parents, truth, scores, weights, counts, how, norm, zero_weight, thresholds=None):
    """One row per threshold, falling; all numbers are fractions, None where they are 0/0."""
    total = lambda s: sum((weights[c] for c in s), Fraction(0))  # noqa: E731
    rows = []
    for labels, said in zip(truth, scores, strict=True):
        true = set().union(*(above(parents, y) for y in labels)) & counts if labels else set()
        if true or (zero_weight == "count" and labels):
            rows.append((true, propagated(parents, said, how)))
    recalled = [i for i, (t, _) in enumerate(rows) if total(t) > 0 or zero_weight == "count"]
    if thresholds is None:
        seen = {s for _, said in rows for c, s in said.items() if c in counts and weights[c] > 0}
        thresholds = sorted(seen, reverse=True)
    ratio = lambda a, b: a / b if b else None  # noqa: E731
    table = []
    for tau in thresholds:
        pr = rc = tp = fp = fn = Fraction(0)
        m = m_recalled = 0
        for i, (true, said) in enumerate(rows):
            chosen = {c for c, s in said.items() if s >= tau} & counts
            hit = total(true & chosen)
            if total(chosen) > 0:
                m += 1
                m_recalled += i in recalled
                pr += hit / total(chosen)
            rc += hit / total(true) if total(true) else 0
            tp, fp, fn = tp + hit, fp + total(chosen - true), fn + total(true - chosen)
        n = m if norm == "pred" else len(rows)
        table.append({
            "threshold": tau,
            "n": m,
            "precision": ratio(pr, len(rows) if norm == "gt" else m),
            "recall": ratio(rc, m_recalled if norm == "pred" else len(recalled)),
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
