"""The table of properties: what each says, in words, in cells and as a condition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hierpair.verification.properties.statement import PROPERTIES, Kind, Property
from hierpair.verification.properties.worlds import Growing, World

__all__: list[str] = []

KOSMOPOULOS = "Kosmopoulos et al. 2014"
AMIGO = "after Amigó & Delgado 2022"
SEBASTIANI = "after Sebastiani 2015"
COSTA = "Costa et al. 2007"
RIEHL = "Riehl et al. 2023"
PLAUD = "Plaud et al. 2024"
KIRITCHENKO = "Kiritchenko 2006"

LEAST_FLOOD = 8
"""Classes below the root from which on naming all of them is called a flood."""

FAR, FAR_4 = 12, 6
"""Edges from which on further away should not matter: more than Dmax 5, more than threshold 4."""

TWICE_DMAX = 10
"""Up to here measures with Dmax 5 still react, and a threshold of 4 should make no difference."""

PAIRED = 8
"""Nearer than this, twice the smallest default in use, no measure of pairs leaves both alone."""


def row(
    name: str, kind: Kind, text: str, statement: str, source: str, *when: Any, **more: Any
) -> None:
    """Put a property into the table.

    Its text has the cells with their relation between or behind them: ``"t|s > t|x"``.
    """
    words = text.split()
    cells = [word for word in words if "|" in word]
    relation = " ".join(dict.fromkeys(word for word in words if "|" not in word))
    PROPERTIES[name] = Property(
        name, kind, statement, source, relation, " ".join(cells), when, **more
    )


def in_set(labels: Any, c: Any) -> Any:
    """Whether a class is in a set."""
    return labels >> c & 1 == 1


def strange(w: World, x: Any, truth: Any) -> Any:
    """Whether a class is unrelated to all of a set."""
    return w.closed[x] & w.closure(truth) == 0


def near(w: World, s: Any, t: Any) -> Any:
    """Whether classes are siblings below another class than the root alone."""
    return w.siblings[t, s] & ~w.unrelated[t, s]


def leaves(w: World, s: Any, t: Any) -> Any:
    """Whether two classes are leaves below one class, their only parent, not the root."""
    single = w.leaf & (w.parent.sum(axis=0) == 1)
    return near(w, s, t) & single[s] & single[t]


def alone(w: World, x: Any, b: Any) -> Any:
    """Whether a class has one way up to the root and the depth of another, unrelated one."""
    one_way = np.bitwise_count(w.closed[x]) == w.depth[x]
    return w.unrelated[x, b] & (w.depth[x] == w.depth[b]) & one_way


def beside(w: World, x: Any, t: Any) -> Any:
    """Whether a leaf adds itself alone to the path of another one."""
    new = w.closed[x] & ~w.closed[t] == np.int64(1) << x
    return w.leaf[t] & w.leaf[x] & new


def far_apart(w: World, t: Any, p: Any, least: int, most: int) -> Any:
    """Whether two classes are so far apart, by one way alone, neither above the other."""
    d = w.distance[t, p]
    single = np.bitwise_count(w.closed[t] ^ w.closed[p]) == d
    return apart(w, t, p) & single & (least <= d) & (d <= most)


def through(w: World, t: Any, u: Any) -> Any:
    """Whether all ways up from a class pass through another one, or it is that one."""
    return w.ways_up[t, u] == np.bitwise_count(w.closed[t] & ~w.closed[u])


def apart(w: World, s: Any, t: Any) -> Any:
    """Whether neither of two different classes is above the other."""
    return (s != t) & ~w.line[s, t]


def level(w: World, s: Any, t: Any) -> Any:
    """Whether two classes are equally deep."""
    return w.depth[s] == w.depth[t]


CROWD: tuple[Callable[..., Any], ...] = (
    lambda w, t, a: leaves(w, t, a),
    lambda w, t, a, b: (t != b) & leaves(w, a, b),
    lambda w, t, a, b, x: alone(w, x, b) & w.unrelated[x, t] & w.unrelated[x, a],
)
"""Two siblings a and b of t, and x that is as deep as they are in another branch."""

CHANGED: dict[str, Any] = {"invariance": True, "scope": 3}
"""Properties of a hierarchy that is changed: what comes to the same must be the same."""


def second_way(tree: Growing, f_: int, p: int) -> None:
    """Let another chain as long lead from f to p; f may be the root."""
    tree.parents[p].append(tree.below(f_, int(tree.world.ways_up[p, f_]) - 1))


def stem(tree: Growing) -> None:
    """Put a class between the root and all others."""
    end = tree.below(0)
    for above in tree.parents[1 : tree.world.n]:
        above[:] = [p or end for p in above]


def new_leaf(tree: Growing, c: int) -> None:
    """Add a leaf below a class."""
    tree.below(c)


def new_sibling(tree: Growing, c: int) -> None:
    """Add a leaf beside a class."""
    tree.below(tree.parents[c][0])


def split_edges(tree: Growing) -> None:
    """Put a class in the middle of every edge."""
    for above in tree.parents[1 : tree.world.n]:
        above[:] = [tree.below(p) for p in above]


def other_names(tree: Growing, c: int) -> None:
    """Give other names, by which classes and edges are put in order: they begin with c."""
    n = tree.world.n
    tree.names = [f"class {(c - k) % n:02}" for k in range(n)]


def longer(tree: Growing, u: int) -> None:
    """Put a class above u."""
    tree.parents.append(tree.parents[u])
    tree.names.append(tree.world.n)
    tree.parents[u] = [tree.world.n]


# fmt: off
# T is the truth, empty in nothing_true alone, P a prediction; v is the value, turned so that higher
# is better; â and P̂ are with ancestors, without the root. Related: one is above the other.
# Unrelated: only the root is above both. Depth: fewest edges from the root; d: shortest way through
# a common ancestor.
row("identity", "D", "T|T ≥ T|P_", "v(T,T) ≥ v(T,P)", AMIGO)
row(
    "strictness", "T", "T|T > T|P", "P ≠ T ⇒ v(T,T) > v(T,P)", SEBASTIANI,
    lambda w, T, P: T != P,
)
row(
    "strict_closed", "D", "T|T > T|P", "P̂ ≠ T̂ ⇒ v(T,T) > v(T,P)", f"{KOSMOPOULOS}, eqs 2–3",
    lambda w, T, P: w.closure(T) != w.closure(P),
)
row(
    "symmetric", "T", "T|P = P|T", "v(T,P) = v(P,T)", f"{KOSMOPOULOS}, §3.1 Table 1",
    lambda w, T, P: T != P,
)
row("bounded", "T", "T|P_ in [0, 1]", "0 ≤ value ≤ 1", "the registry of measures")
row(
    "constant_optimum", "D", "T|T = P|P", "v(T,T) = v(T′,T′)", "needed for means",
    lambda w, T, P: T != P,
)
row(
    "ancestor_redundancy", "C", "T|P+a = T|P", "a above p ∈ P ⇒ v(T,P∪{a}) = v(T,P)",
    f"{PLAUD}, Prop. 1; {KIRITCHENKO}; against: {KOSMOPOULOS}, §2.3",
    lambda w, T, P, a: in_set(w.closure(P) & ~P, a),
)
row(
    "triangle", "T", "T|T T|P T|Q Q|Q Q|P triangle",
    "e(T,P) ≤ e(T,Q) + e(Q,P), e(T,P) = v(T,T) − v(T,P)", "axiom of metrics", scope=4,
)
row(
    "add_right", "D", "T|P_+t ≥ T|P_", "t ∈ T∖P ⇒ v(T,P∪{t}) ≥ v(T,P)", f"{AMIGO}; {SEBASTIANI}",
    lambda w, T, P_, t: in_set(T & ~P_, t),
)
row(
    "add_right_strict", "D", "T|P_+t > T|P_", "t ∈ T∖P, t ∉ P̂ ⇒ v(T,P∪{t}) > v(T,P)",
    "strict monotonicity",
    lambda w, T, P_, t: in_set(T & ~w.closure(P_), t),
)
row(
    "add_wrong", "D", "T|P ≥ T|P+x", "x ∉ P unrelated to all of T ⇒ v(T,P) ≥ v(T,P∪{x})",
    "monotonicity",
    lambda w, T, P, x: ~in_set(P, x) & strange(w, x, T),
)
row(
    "add_wrong_strict", "D", "T|P > T|P+x", "x ∉ P̂ unrelated to all of T ⇒ v(T,P) > v(T,P∪{x})",
    "strict monotonicity",
    lambda w, T, P, x: ~in_set(w.closure(P), x) & strange(w, x, T),
)
row(
    "swap_right", "D", "T|P-x+t > T|P", "x ∈ P∖T̂, t ∈ T∖P ⇒ v(T,P∖{x}∪{t}) > v(T,P)",
    "Ferrante et al. 2015 (replacement)",
    lambda w, T, P, t: in_set(T & ~P, t),
    lambda w, T, P, x: in_set(P & ~w.closure(T), x),
)
row(
    "silence", "T", "T|∅ ≥ T|x", "x unrelated to all of T ⇒ v(T,∅) ≥ v(T,{x})",
    f"{KOSMOPOULOS}, §2.3 (default class)",
    lambda w, T, x: strange(w, x, T),
)
row(
    "nothing_true", "D", "∅|∅ > ∅|P", "P ≠ ∅ ⇒ v(∅,∅) > v(∅,P)", "ours: instances without a label",
)
row(
    "partial_credit", "D", "t|p > t|∅", "p parent of t ⇒ v({t},{p}) > v({t},∅)",
    f"{KIRITCHENKO}, in {RIEHL}, §II",
    lambda w, t, p: w.parent[p, t],
)
row(
    "near_beats_far", "D", "t|s > t|x",
    "s sibling of t (not unrelated), x unrelated, equal depth ⇒ v({t},{s}) > v({t},{x})",
    f"{KOSMOPOULOS}, §2.2; {COSTA}; {PLAUD}, §2; {RIEHL}, §II",
    lambda w, t, s: near(w, s, t),
    lambda w, t, s, x: w.unrelated[t, x] & level(w, s, x),
)
row(
    "distance_order", "D", "t|x ≥ t|y", "d(t,x) < d(t,y) ⇒ v({t},{x}) ≥ v({t},{y})",
    f"{KOSMOPOULOS}, §2.2; {COSTA}; {RIEHL}, §II",
    lambda w, t, x, y: w.distance[t, x] < w.distance[t, y],
)
row(
    "over_graded", "D", "t|t > t|c > t|g", "t→c→g, d = 2 ⇒ v({t},{t}) > v({t},{c}) > v({t},{g})",
    f"{KOSMOPOULOS}, §2.2 Fig. 2(a), §3.6; against: eq. 5",
    lambda w, t, c: w.parent[t, c],
    lambda w, t, c, g: w.parent[c, g] & (w.distance[t, g] == 2),
)
row(
    "under_graded", "D", "t|t > t|p > t|g", "g→p→t, d = 2 ⇒ v({t},{t}) > v({t},{p}) > v({t},{g})",
    f"{KOSMOPOULOS}, §2.2 Fig. 2(b), §3.6",
    lambda w, g, p: w.parent[g, p],
    lambda w, g, p, t: w.parent[p, t] & (w.distance[t, g] == 2),
)
row(
    "over_beats_unrelated", "D", "t|c > t|x",
    "c child of t, x unrelated to t and c, equal depth ⇒ v({t},{c}) > v({t},{x})",
    f"{KOSMOPOULOS}, §2.2",
    lambda w, t, c: w.parent[t, c],
    lambda w, t, c, x: w.unrelated[x, t] & w.unrelated[x, c] & level(w, x, c),
)
row(
    "under_beats_unrelated", "D", "t|p > t|x",
    "p parent of t, x unrelated to t, equal depth ⇒ v({t},{p}) > v({t},{x})",
    f"{KOSMOPOULOS}, §2.2",
    lambda w, t, p: w.parent[p, t],
    lambda w, t, p, x: w.unrelated[x, t] & level(w, x, p),
)
row(
    "deeper_error_milder", "C", "t|s > u|r",
    "depth t > depth u, each mistaken for a sibling of its depth ⇒ v deep > v shallow",
    f"{COSTA}; {KIRITCHENKO}, in {RIEHL}, §II; against: stem_invariance",
    lambda w, t, s: w.siblings[t, s] & level(w, t, s),
    lambda w, u, r: w.siblings[u, r] & level(w, u, r),
    lambda w, t, u: w.depth[t] > w.depth[u],
)
row(
    "unrelated_constant", "C", "t|x = u|y",
    "t, x unrelated, u, y unrelated ⇒ v({t},{x}) = v({u},{y})",
    f"{COSTA} (unbalanced trees); against: distance",
    lambda w, t, x: w.unrelated[t, x],
    lambda w, u, y: w.unrelated[u, y],
)
row(
    "specific_hit", "D", "a+b|a ≥ a+b|b",
    "a, b unrelated, depth a > depth b ⇒ v({a,b},{a}) ≥ v({a,b},{b})", f"{AMIGO} (specificity)",
    lambda w, a, b: w.unrelated[a, b] & (w.depth[a] > w.depth[b]),
)
row(
    "pairing_extra", "D", "t|t+s > t|t+x",
    "s, x not related to t, equal depth, s nearer ⇒ v({t},{t,s}) > v({t},{t,x})",
    f"{KOSMOPOULOS}, §2.2 Fig. 2(d)",
    lambda w, t, s: apart(w, t, s),
    lambda w, t, s, x: apart(w, t, x) & level(w, s, x) & (w.distance[t, s] < w.distance[t, x]),
)
row(
    "flood", "D", "t|s > t|*",
    "s sibling of t, at least 8 classes ⇒ v({t},{s}) > v({t},all classes)",
    f"{RIEHL}, §V on many predictions",
    lambda w, t, s: near(w, s, t) & (w.n > LEAST_FLOOD),
)
row(
    "pairing_fig12", "D", "t|t+s > t|t+x",
    "s, x each one class beside the path of t, s nearer ⇒ v({t},{t,s}) > v({t},{t,x})",
    f"{KOSMOPOULOS}, §3.1 case 2, Fig. 12",
    lambda w, t, s: beside(w, s, t) & (w.distance[t, s] == 2),
    lambda w, t, x: beside(w, x, t)
    & (w.distance[t, x] > 2)
    & (np.bitwise_count(w.closed[t] & ~w.closed[x]) == w.distance[t, x] - 1),
    rare=True,
)
row(
    "pairing_shared", "T", "a+d|b+c > a+d|b+x",
    "b, c siblings of a; d, x unrelated to all ⇒ v({a,d},{b,c}) > v({a,d},{b,x})",
    f"our reading of {KOSMOPOULOS}, Fig. 2(d)",
    lambda w, a, b: leaves(w, a, b),
    lambda w, a, b, c: (a != c) & leaves(w, b, c),
    lambda w, a, b, c, x: alone(w, x, c) & w.unrelated[x, a] & w.unrelated[x, b],
    lambda w, a, b, c, d: w.unrelated[d, a] & w.unrelated[d, b] & w.unrelated[d, c],
    lambda w, d, x: w.unrelated[d, x],
    rare=True,
)
row(
    "pairing_crowd", "D", "t|a+b > t|a+x",
    "a, b siblings of t, x unrelated ⇒ v({t},{a,b}) > v({t},{a,x})",
    f"{KOSMOPOULOS}, §3.1 case 1, Fig. 11", *CROWD, rare=True,
)
row(
    "two_near_beat_one_far", "T", "t|a+b > t|x",
    "a, b siblings of t, x unrelated ⇒ v({t},{a,b}) > v({t},{x})",
    f"{KOSMOPOULOS}, §3.1 case 1", *CROWD, lambda w, a, b: a < b, rare=True,
)
row(
    "alternative_path", "D", "T|P = T|P′",
    "a second way of equal length from the fork to p changes nothing",
    f"{KOSMOPOULOS}, §2.2 Fig. 2(c), §3.2",
    lambda w, T, P, f_, p: in_set(P, p) & w.above[f_, p],
    lambda w, f_, p: w.ways_up[p, f_] >= 2,
    change=second_way, invariance=True, scope=4,
)
row(
    "long_distance", "D", "t|p = t|q", "12 edges apart and more: further changes nothing (Dmax 5)",
    f"{KOSMOPOULOS}, §2.2 Fig. 2(e), §3.5",
    lambda w, t, p: far_apart(w, t, p, FAR, w.n),
    lambda w, t, p, q: w.above[p, q] & far_apart(w, t, q, FAR, w.n),
    invariance=True, rare=True,
)
row(
    "long_distance_4", "D", "t|p = t|q",
    "6 edges apart and more: further changes nothing (threshold 4)", f"{KOSMOPOULOS}, §3.5",
    lambda w, t, p: far_apart(w, t, p, FAR_4, TWICE_DMAX),
    lambda w, t, p, q: w.above[p, q] & far_apart(w, t, q, FAR_4, TWICE_DMAX),
    invariance=True, rare=True,
)
row(
    "path_count", "D", "t|p t|p′ t+v|p+q t+v|p+q′ same difference",
    "lengthening a shared stretch costs the same for one and for two pairs over it",
    f"{KOSMOPOULOS}, §3.4, Table 9",
    lambda w, u, t: through(w, t, u),
    lambda w, u, v: through(w, v, u),
    lambda w, t, v: apart(w, t, v),
    lambda w, u, p: apart(w, u, p),
    lambda w, u, q: apart(w, u, q),
    lambda w, p, q: apart(w, p, q),
    lambda w, t, v, p, q: np.maximum(w.distance[t, p], w.distance[v, q]) < PAIRED,
    lambda w, t, v, p, q: np.maximum(w.distance[t, q], w.distance[v, p]) < PAIRED,
    change=longer, scope=5, lower_only=True,
)
row(
    "stem_invariance", "C", "T|P = T|P′", "a longer stem above all classes changes nothing",
    f"{KOSMOPOULOS}, §3.1 case 1; against: deeper_error_milder", change=stem, **CHANGED,
)
row(
    "unused_subtree", "D", "T|P = T|P′", "a subtree hung where no label is below changes nothing",
    "irrelevant classes",
    lambda w, T, P, c: ~in_set(w.closure(T | P), c),
    change=new_leaf, **CHANGED,
)
row(
    "sibling_count", "T", "T|P = T|P′", "new leaf siblings of a label change nothing",
    f"{RIEHL}, §III (TN); Cesa-Bianchi et al. 2006 (costs of siblings)",
    lambda w, T, P, c: in_set(T | P, c),
    change=new_sibling, **CHANGED,
)
row(
    "refinement_below", "T", "T|P = T|P′", "new leaves below labels change nothing",
    "refinement; Ipeirotis et al. 2001 count them",
    lambda w, T, P, c: in_set(T | P, c),
    change=new_leaf, **CHANGED,
)
row(
    "refinement_order", "T", "T|P T|Q T|P′ T|Q′ same order",
    "splitting every edge keeps the order of two predictions", "refinement",
    lambda w, T, P, Q: P != Q,
    change=split_edges, scope=3,
)
row(
    "renaming", "D", "T|P = T|P′", "names, order of edges and labels change nothing", "determinism",
    lambda w, T, P, c: c > 0,
    change=other_names, scope=3,
)
