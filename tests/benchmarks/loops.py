"""Tight compiled loops (numba) for the same jobs: the bound that the library is held against."""

import numpy as np
from numba import njit


@njit(cache=True)
def _room(ids, up, used):
    """Twice as much, where all is used."""
    if used + 1 < len(ids):
        return ids, up
    return np.append(ids, np.empty_like(ids)), np.append(up, np.empty_like(up))


@njit(cache=True)
def closure(parent_ptr, parents, n):
    """Ancestors (itself included) with least upward distances; parents come before children."""
    ptr = np.zeros(n + 1, np.int64)
    ids, up = np.empty(8 * n, np.int32), np.empty(8 * n, np.uint8)
    stamp, at = np.full(n, -1, np.int32), np.empty(n, np.int64)
    used = 0
    for v in range(n):
        for k in range(parent_ptr[v], parent_ptr[v + 1]):
            p = parents[k]
            for e in range(ptr[p], ptr[p + 1]):
                ids, up = _room(ids, up, used)
                a = ids[e]
                if stamp[a] == v:
                    up[at[a]] = min(up[at[a]], up[e] + 1)
                else:
                    stamp[a], at[a] = v, used
                    ids[used], up[used] = a, up[e] + 1
                    used += 1
        ids, up = _room(ids, up, used)
        ids[used], up[used] = v, 0
        used += 1
        ptr[v + 1] = used
    return ptr, ids[:used].copy(), up[:used].copy()


@njit(cache=True)
def distances(ptr, ids, up, pred_ptr, pred, true_ptr, true, n_classes, out):
    """All (predicted, true) distances, instance by instance, with a stamp array per class."""
    stamp = np.full(n_classes, -1, np.int64)
    height = np.zeros(n_classes, np.int32)
    used = 0
    mark = 0
    for i in range(len(pred_ptr) - 1):
        for a in range(pred_ptr[i], pred_ptr[i + 1]):
            for e in range(ptr[pred[a]], ptr[pred[a] + 1]):
                stamp[ids[e]] = mark
                height[ids[e]] = up[e]
            for b in range(true_ptr[i], true_ptr[i + 1]):
                best = 1 << 30
                for e in range(ptr[true[b]], ptr[true[b] + 1]):
                    if stamp[ids[e]] == mark and height[ids[e]] + up[e] < best:
                        best = height[ids[e]] + up[e]
                out[used] = best
                used += 1
            mark += 1
    return used


@njit(cache=True)
def set_sizes(ptr, ids, pred_ptr, pred, true_ptr, true, n_classes, root, out):
    """Sizes of both ancestor sets and of their intersection, the root not counted."""
    in_true = np.full(n_classes, -1, np.int64)
    in_pred = np.full(n_classes, -1, np.int64)
    for i in range(len(pred_ptr) - 1):
        in_true[root] = in_pred[root] = i
        t = p = b = 0
        for k in range(true_ptr[i], true_ptr[i + 1]):
            for e in range(ptr[true[k]], ptr[true[k] + 1]):
                a = ids[e]
                if in_true[a] != i:
                    in_true[a] = i
                    t += 1
        for k in range(pred_ptr[i], pred_ptr[i + 1]):
            for e in range(ptr[pred[k]], ptr[pred[k] + 1]):
                a = ids[e]
                if in_pred[a] != i:
                    in_pred[a] = i
                    p += 1
                    b += in_true[a] == i
        out[0, i], out[1, i], out[2, i] = t, p, b


@njit(cache=True)
def level_columns(ptr, ids, pred_ptr, pred, true_ptr, true, level, size, root, judged, right, share):  # fmt: skip
    """Levels that are judged, those that are right, and the share of wrong classes over levels."""
    n_levels = len(size)
    n_true = np.zeros(n_levels, np.int64)
    n_off = np.zeros(n_levels, np.int64)
    mark = np.full(len(level), -1, np.int64)
    for i in range(len(true_ptr) - 1):
        n_true[:] = 0
        n_off[:] = 0
        for side in range(2):
            sets, of = (true_ptr, true) if side == 0 else (pred_ptr, pred)
            for k in range(sets[i], sets[i + 1]):
                for e in range(ptr[of[k]], ptr[of[k] + 1]):
                    c = ids[e]
                    if c == root or mark[c] == 3 * i + 2 or mark[c] == 3 * i + side:
                        continue
                    known = mark[c] == 3 * i  # in the truth, and met in the prediction
                    mark[c] = 3 * i + 2 if known else 3 * i + side
                    n_off[level[c]] += -1 if known else 1
                    if side == 0:
                        n_true[level[c]] += 1
        judged[i] = right[i] = 0
        share[i] = 0.0
        for at in range(n_levels):
            if n_true[at] > 0:
                judged[i] += 1
                right[i] += n_off[at] == 0
            if size[at] > 0:
                share[i] += n_off[at] / size[at]


@njit(cache=True)
def _up_to(ptr, ids, up, x, a):
    for e in range(ptr[x], ptr[x + 1]):
        if ids[e] == a:
            return up[e]
    return -1


@njit(cache=True)
def _walk(closed, parent_ptr, parents, start, goal, length, stamp, mark, stack, left):
    """Stamp all classes on shortest ways up; return how many are new."""
    stack[0], left[0] = start, length
    used, new = 1, 0
    while used:
        used -= 1
        x, r = stack[used], left[used]
        if stamp[x] != mark:
            stamp[x] = mark
            new += 1
        for k in range(parent_ptr[x], parent_ptr[x + 1]):
            y = parents[k]
            if r > 0 and _up_to(*closed, y, goal) == r - 1:
                stack[used], left[used] = y, r - 1
                used += 1
    return new


@njit(cache=True)
def extended_graphs(closed, parent_ptr, parents, true_ptr, true, pred_ptr, pred, n, out):
    """Sizes of both extended graphs: distances, nearest partners, their LCAs, ways up to these."""
    ptr, ids, up = closed
    stamp, height = np.full(n, -1, np.int64), np.zeros(n, np.int32)
    in_true, in_pred = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    stack, left = np.empty(100_000, np.int64), np.empty(100_000, np.int64)
    mark = 0
    for i in range(len(true_ptr) - 1):
        t0, p0 = true_ptr[i], pred_ptr[i]
        n_t, n_p = true_ptr[i + 1] - t0, pred_ptr[i + 1] - p0
        d = np.full((n_p, n_t), 1 << 30, np.int64)
        for b in range(n_p):
            for e in range(ptr[pred[p0 + b]], ptr[pred[p0 + b] + 1]):
                stamp[ids[e]], height[ids[e]] = mark, up[e]
            for a in range(n_t):
                for e in range(ptr[true[t0 + a]], ptr[true[t0 + a] + 1]):
                    if stamp[ids[e]] == mark:
                        d[b, a] = min(d[b, a], height[ids[e]] + up[e])
            mark += 1
        size_t, size_p = n_t, n_p
        in_true[true[t0 : t0 + n_t]], in_pred[pred[p0 : p0 + n_p]] = i, i
        for b in range(n_p):
            for a in range(n_t):
                least = d[b, a]
                if least == 1 << 30 or (least > d[b].min() and least > d[:, a].min()):
                    continue
                u, v = pred[p0 + b], true[t0 + a]
                for e in range(ptr[u], ptr[u + 1]):
                    h = _up_to(ptr, ids, up, v, ids[e])
                    if h >= 0 and h + up[e] == least:
                        goal = ids[e]
                        ways = closed, parent_ptr, parents
                        size_p += _walk(*ways, u, goal, up[e], in_pred, i, stack, left)
                        size_t += _walk(*ways, v, goal, h, in_true, i, stack, left)
        out[0, i], out[1, i] = size_t, size_p


@njit(cache=True)
def assignments(pred_ptr, true_ptr, distance, default, out):
    """Least costs of one-to-one pairings, where a class without partner costs the default (Hungarian)."""
    at = 0
    for i in range(len(pred_ptr) - 1):
        rows, columns = pred_ptr[i + 1] - pred_ptr[i], true_ptr[i + 1] - true_ptr[i]
        n = rows + columns
        cost = np.zeros((n + 1, n + 1))
        cost[1 : rows + 1, columns + 1 :] = default
        cost[rows + 1 :, 1 : columns + 1] = default
        for a in range(rows):
            cost[a + 1, 1 : columns + 1] = distance[at : at + columns]
            at += columns
        u, v = np.zeros(n + 1), np.zeros(n + 1)
        of, way = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
        for a in range(1, n + 1):
            of[0], j = a, 0
            least, used = np.full(n + 1, np.inf), np.zeros(n + 1, np.bool_)
            while of[j]:
                used[j] = True
                delta, after = np.inf, 0
                for k in range(1, n + 1):
                    if not used[k]:
                        reduced = cost[of[j], k] - u[of[j]] - v[k]
                        if reduced < least[k]:
                            least[k], way[k] = reduced, j
                        if least[k] < delta:
                            delta, after = least[k], k
                for k in range(n + 1):
                    if used[k]:
                        u[of[k]] += delta
                        v[k] -= delta
                    else:
                        least[k] -= delta
                j = after
            while j:
                of[j] = of[way[j]]
                j = way[j]
        out[i] = -v[0]
