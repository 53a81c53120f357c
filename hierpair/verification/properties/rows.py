"""The table of properties: what each says, in words, in cells and as a condition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hierpair.verification.properties.statement import PROPERTIES, Property
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
    return w.unrelated[x, b] & (w.depth[x] == w.depth[b]) & w.one_way[x]


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


CROWD: tuple[Callable[..., Any], ...] = (
    lambda w, t, a: leaves(w, t, a),
    lambda w, t, a, b: (t != b) & leaves(w, a, b),
    lambda w, t, a, b, x: alone(w, x, b) & w.unrelated[x, t] & w.unrelated[x, a],
)
"""Two siblings a and b of t, and x that is as deep as they are in another branch."""


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


# T is the truth, empty in nothing_true alone, P a prediction; v is the value, turned so that higher
# is better; â and P̂ are with ancestors, without the root. Related: one is above the other.
# Unrelated: only the root is above both. Depth: fewest edges from the root; d: shortest way through
# a common ancestor.
for _row in (
    Property(
        name="identity", kind="D", relation="≥", cells="T|T T|P_",
        statement="v(T,T) ≥ v(T,P)", source=AMIGO,
    ),
    Property(
        name="strictness", kind="T", relation=">", cells="T|T T|P",
        when=(lambda w, T, P: T != P,),
        statement="P ≠ T ⇒ v(T,T) > v(T,P)", source=SEBASTIANI,
    ),
    Property(
        name="strict_closed", kind="D", relation=">", cells="T|T T|P",
        when=(lambda w, T, P: w.closure(T) != w.closure(P),),
        statement="P̂ ≠ T̂ ⇒ v(T,T) > v(T,P)", source=f"{KOSMOPOULOS}, eqs 2–3",
    ),
    Property(
        name="symmetric", kind="T", relation="=", cells="T|P P|T",
        when=(lambda w, T, P: T != P,),
        statement="v(T,P) = v(P,T)", source=f"{KOSMOPOULOS}, §3.1 Table 1",
    ),
    Property(
        name="bounded", kind="T", relation="in [0, 1]", cells="T|P_",
        statement="0 ≤ value ≤ 1", source="the registry of measures",
    ),
    Property(
        name="constant_optimum", kind="D", relation="=", cells="T|T P|P",
        when=(lambda w, T, P: T != P,),
        statement="v(T,T) = v(T′,T′)", source="needed for means",
    ),
    Property(
        name="ancestor_redundancy", kind="C", relation="=", cells="T|P+a T|P",
        when=(lambda w, T, P, a: in_set(w.closure(P) & ~P, a),),
        statement="a above p ∈ P ⇒ v(T,P∪{a}) = v(T,P)",
        source=f"{PLAUD}, Prop. 1; {KIRITCHENKO}; against: {KOSMOPOULOS}, §2.3",
    ),
    Property(
        name="triangle", kind="T", relation="triangle", cells="T|T T|P T|Q Q|Q Q|P", scope=4,
        statement="e(T,P) ≤ e(T,Q) + e(Q,P), e(T,P) = v(T,T) − v(T,P)", source="axiom of metrics",
    ),
    Property(
        name="add_right", kind="D", relation="≥", cells="T|P_+t T|P_",
        when=(lambda w, T, P_, t: in_set(T & ~P_, t),),
        statement="t ∈ T∖P ⇒ v(T,P∪{t}) ≥ v(T,P)", source=f"{AMIGO}; {SEBASTIANI}",
    ),
    Property(
        name="add_right_strict", kind="D", relation=">", cells="T|P_+t T|P_",
        when=(lambda w, T, P_, t: in_set(T & ~w.closure(P_), t),),
        statement="t ∈ T∖P, t ∉ P̂ ⇒ v(T,P∪{t}) > v(T,P)", source="strict monotonicity",
    ),
    Property(
        name="add_wrong", kind="D", relation="≥", cells="T|P T|P+x",
        when=(lambda w, T, P, x: ~in_set(P, x) & strange(w, x, T),),
        statement="x ∉ P unrelated to all of T ⇒ v(T,P) ≥ v(T,P∪{x})", source="monotonicity",
    ),
    Property(
        name="add_wrong_strict", kind="D", relation=">", cells="T|P T|P+x",
        when=(lambda w, T, P, x: ~in_set(w.closure(P), x) & strange(w, x, T),),
        statement="x ∉ P̂ unrelated to all of T ⇒ v(T,P) > v(T,P∪{x})",
        source="strict monotonicity",
    ),
    Property(
        name="swap_right", kind="D", relation=">", cells="T|P-x+t T|P",
        when=(
            lambda w, T, P, t: in_set(T & ~P, t),
            lambda w, T, P, x: in_set(P & ~w.closure(T), x),
        ),
        statement="x ∈ P∖T̂, t ∈ T∖P ⇒ v(T,P∖{x}∪{t}) > v(T,P)",
        source="Ferrante et al. 2015 (replacement)",
    ),
    Property(
        name="silence", kind="T", relation="≥", cells="T|∅ T|x",
        when=(lambda w, T, x: strange(w, x, T),),
        statement="x unrelated to all of T ⇒ v(T,∅) ≥ v(T,{x})",
        source=f"{KOSMOPOULOS}, §2.3 (default class)",
    ),
    Property(
        name="nothing_true", kind="D", relation=">", cells="∅|∅ ∅|P",
        statement="P ≠ ∅ ⇒ v(∅,∅) > v(∅,P)", source="ours: instances without a label",
    ),
    Property(
        name="partial_credit", kind="D", relation=">", cells="t|p t|∅",
        when=(lambda w, t, p: w.parent[p, t],),
        statement="p parent of t ⇒ v({t},{p}) > v({t},∅)",
        source=f"{KIRITCHENKO}, in {RIEHL}, §II",
    ),
    Property(
        name="near_beats_far", kind="D", relation=">", cells="t|s t|x",
        when=(
            lambda w, t, s: near(w, s, t),
            lambda w, t, s, x: w.unrelated[t, x] & (w.depth[s] == w.depth[x]),
        ),
        statement="s sibling of t (not unrelated), x unrelated, equal depth ⇒ "
        "v({t},{s}) > v({t},{x})",
        source=f"{KOSMOPOULOS}, §2.2; {COSTA}; {PLAUD}, §2; {RIEHL}, §II",
    ),
    Property(
        name="distance_order", kind="D", relation="≥", cells="t|x t|y",
        when=(lambda w, t, x, y: w.distance[t, x] < w.distance[t, y],),
        statement="d(t,x) < d(t,y) ⇒ v({t},{x}) ≥ v({t},{y})",
        source=f"{KOSMOPOULOS}, §2.2; {COSTA}; {RIEHL}, §II",
    ),
    Property(
        name="over_graded", kind="D", relation=">", cells="t|t t|c t|g",
        when=(
            lambda w, t, c: w.parent[t, c],
            lambda w, t, c, g: w.parent[c, g] & (w.distance[t, g] == 2),
        ),
        statement="t→c→g, d = 2 ⇒ v({t},{t}) > v({t},{c}) > v({t},{g})",
        source=f"{KOSMOPOULOS}, §2.2 Fig. 2(a), §3.6; against: eq. 5",
    ),
    Property(
        name="under_graded", kind="D", relation=">", cells="t|t t|p t|g",
        when=(
            lambda w, g, p: w.parent[g, p],
            lambda w, g, p, t: w.parent[p, t] & (w.distance[t, g] == 2),
        ),
        statement="g→p→t, d = 2 ⇒ v({t},{t}) > v({t},{p}) > v({t},{g})",
        source=f"{KOSMOPOULOS}, §2.2 Fig. 2(b), §3.6",
    ),
    Property(
        name="over_beats_unrelated", kind="D", relation=">", cells="t|c t|x",
        when=(
            lambda w, t, c: w.parent[t, c],
            lambda w, t, c, x: w.unrelated[x, t] & w.unrelated[x, c] & (w.depth[x] == w.depth[c]),
        ),
        statement="c child of t, x unrelated to t and c, equal depth ⇒ v({t},{c}) > v({t},{x})",
        source=f"{KOSMOPOULOS}, §2.2",
    ),
    Property(
        name="under_beats_unrelated", kind="D", relation=">", cells="t|p t|x",
        when=(
            lambda w, t, p: w.parent[p, t],
            lambda w, t, p, x: w.unrelated[x, t] & (w.depth[x] == w.depth[p]),
        ),
        statement="p parent of t, x unrelated to t, equal depth ⇒ v({t},{p}) > v({t},{x})",
        source=f"{KOSMOPOULOS}, §2.2",
    ),
    Property(
        name="deeper_error_milder", kind="C", relation=">", cells="t|s u|r",
        when=(
            lambda w, t, s: w.siblings[t, s] & (w.depth[t] == w.depth[s]),
            lambda w, u, r: w.siblings[u, r] & (w.depth[u] == w.depth[r]),
            lambda w, t, u: w.depth[t] > w.depth[u],
        ),
        statement="depth t > depth u, each mistaken for a sibling of its depth ⇒ "
        "v deep > v shallow",
        source=f"{COSTA}; {KIRITCHENKO}, in {RIEHL}, §II; against: stem_invariance",
    ),
    Property(
        name="unrelated_constant", kind="C", relation="=", cells="t|x u|y",
        when=(lambda w, t, x: w.unrelated[t, x], lambda w, u, y: w.unrelated[u, y]),
        statement="t, x unrelated, u, y unrelated ⇒ v({t},{x}) = v({u},{y})",
        source=f"{COSTA} (unbalanced trees); against: distance",
    ),
    Property(
        name="specific_hit", kind="D", relation="≥", cells="a+b|a a+b|b",
        when=(lambda w, a, b: w.unrelated[a, b] & (w.depth[a] > w.depth[b]),),
        statement="a, b unrelated, depth a > depth b ⇒ v({a,b},{a}) ≥ v({a,b},{b})",
        source=f"{AMIGO} (specificity)",
    ),
    Property(
        name="pairing_extra", kind="D", relation=">", cells="t|t+s t|t+x",
        when=(
            lambda w, t, s: apart(w, t, s),
            lambda w, t, s, x: apart(w, t, x)
            & (w.depth[s] == w.depth[x])
            & (w.distance[t, s] < w.distance[t, x]),
        ),
        statement="s, x not related to t, equal depth, s nearer ⇒ v({t},{t,s}) > v({t},{t,x})",
        source=f"{KOSMOPOULOS}, §2.2 Fig. 2(d)",
    ),
    Property(
        name="flood", kind="D", relation=">", cells="t|s t|*",
        when=(lambda w, t, s: near(w, s, t) & (w.n > LEAST_FLOOD),),
        statement="s sibling of t, at least 8 classes ⇒ v({t},{s}) > v({t},all classes)",
        source=f"{RIEHL}, §V on many predictions",
    ),
    Property(
        name="pairing_fig12", kind="D", relation=">", cells="t|t+s t|t+x", rare=True,
        when=(
            lambda w, t, s: beside(w, s, t) & (w.distance[t, s] == 2),
            lambda w, t, x: beside(w, x, t)
            & (w.distance[t, x] > 2)
            & (np.bitwise_count(w.closed[t] & ~w.closed[x]) == w.distance[t, x] - 1),
        ),
        statement="s, x each one class beside the path of t, s nearer ⇒ "
        "v({t},{t,s}) > v({t},{t,x})",
        source=f"{KOSMOPOULOS}, §3.1 case 2, Fig. 12",
    ),
    Property(
        name="pairing_shared", kind="T", relation=">", cells="a+d|b+c a+d|b+x", rare=True,
        when=(
            lambda w, a, b: leaves(w, a, b),
            lambda w, a, b, c: (a != c) & leaves(w, b, c),
            lambda w, a, b, c, x: alone(w, x, c) & w.unrelated[x, a] & w.unrelated[x, b],
            lambda w, a, b, c, d: w.unrelated[d, a] & w.unrelated[d, b] & w.unrelated[d, c],
            lambda w, d, x: w.unrelated[d, x],
        ),
        statement="b, c siblings of a; d, x unrelated to all ⇒ v({a,d},{b,c}) > v({a,d},{b,x})",
        source=f"our reading of {KOSMOPOULOS}, Fig. 2(d)",
    ),
    Property(
        name="pairing_crowd", kind="D", relation=">", cells="t|a+b t|a+x", rare=True, when=CROWD,
        statement="a, b siblings of t, x unrelated ⇒ v({t},{a,b}) > v({t},{a,x})",
        source=f"{KOSMOPOULOS}, §3.1 case 1, Fig. 11",
    ),
    Property(
        name="two_near_beat_one_far", kind="T", relation=">", cells="t|a+b t|x", rare=True,
        when=(*CROWD, lambda w, a, b: a < b),
        statement="a, b siblings of t, x unrelated ⇒ v({t},{a,b}) > v({t},{x})",
        source=f"{KOSMOPOULOS}, §3.1 case 1",
    ),
    Property(
        name="alternative_path", kind="D", relation="=", cells="T|P T|P′", invariance=True,
        when=(
            lambda w, T, P, f_, p: in_set(P, p) & w.above[f_, p],
            lambda w, f_, p: w.ways_up[p, f_] >= 2,
        ),
        change=second_way, scope=4,
        statement="a second way of equal length from the fork to p changes nothing",
        source=f"{KOSMOPOULOS}, §2.2 Fig. 2(c), §3.2",
    ),
    Property(
        name="long_distance", kind="D", relation="=", cells="t|p t|q", invariance=True, rare=True,
        when=(
            lambda w, t, p: far_apart(w, t, p, FAR, w.n),
            lambda w, t, p, q: w.above[p, q] & far_apart(w, t, q, FAR, w.n),
        ),
        statement="12 edges apart and more: further changes nothing (Dmax 5)",
        source=f"{KOSMOPOULOS}, §2.2 Fig. 2(e), §3.5",
    ),
    Property(
        name="long_distance_4", kind="D", relation="=", cells="t|p t|q", invariance=True,
        rare=True,
        when=(
            lambda w, t, p: far_apart(w, t, p, FAR_4, TWICE_DMAX),
            lambda w, t, p, q: w.above[p, q] & far_apart(w, t, q, FAR_4, TWICE_DMAX),
        ),
        statement="6 edges apart and more: further changes nothing (threshold 4)",
        source=f"{KOSMOPOULOS}, §3.5",
    ),
    Property(
        name="path_count", kind="D", relation="same difference",
        cells="t|p t|p′ t+v|p+q t+v|p+q′", lower_only=True,
        when=(
            lambda w, u, t: through(w, t, u),
            lambda w, u, v: through(w, v, u),
            lambda w, t, v: apart(w, t, v),
            lambda w, u, p: apart(w, u, p),
            lambda w, u, q: apart(w, u, q),
            lambda w, p, q: apart(w, p, q),
            lambda w, t, v, p, q: np.maximum(w.distance[t, p], w.distance[v, q]) < PAIRED,
            lambda w, t, v, p, q: np.maximum(w.distance[t, q], w.distance[v, p]) < PAIRED,
        ),
        change=longer, scope=5,
        statement="lengthening a shared stretch costs the same for one and for two pairs over it",
        source=f"{KOSMOPOULOS}, §3.4, Table 9",
    ),
    Property(
        name="stem_invariance", kind="C", relation="=", cells="T|P T|P′", invariance=True,
        change=stem, scope=3, statement="a longer stem above all classes changes nothing",
        source=f"{KOSMOPOULOS}, §3.1 case 1; against: deeper_error_milder",
    ),
    Property(
        name="unused_subtree", kind="D", relation="=", cells="T|P T|P′", invariance=True,
        when=(lambda w, T, P, c: ~in_set(w.closure(T | P), c),),
        change=new_leaf, scope=3,
        statement="a subtree hung where no label is below changes nothing",
        source="irrelevant classes",
    ),
    Property(
        name="sibling_count", kind="T", relation="=", cells="T|P T|P′", invariance=True,
        when=(lambda w, T, P, c: in_set(T | P, c),),
        change=new_sibling, scope=3, statement="new leaf siblings of a label change nothing",
        source=f"{RIEHL}, §III (TN); Cesa-Bianchi et al. 2006 (costs of siblings)",
    ),
    Property(
        name="refinement_below", kind="T", relation="=", cells="T|P T|P′", invariance=True,
        when=(lambda w, T, P, c: in_set(T | P, c),),
        change=new_leaf, scope=3, statement="new leaves below labels change nothing",
        source="refinement; Ipeirotis et al. 2001 count them",
    ),
    Property(
        name="refinement_order", kind="T", relation="same order", cells="T|P T|Q T|P′ T|Q′",
        when=(lambda w, T, P, Q: P != Q,), change=split_edges, scope=3,
        statement="splitting every edge keeps the order of two predictions",
        source="refinement",
    ),
    Property(
        name="renaming", kind="D", relation="=", cells="T|P T|P′", change=other_names, scope=3,
        when=(lambda w, T, P, c: c > 0,),
        statement="names, order of edges and labels change nothing", source="determinism",
    ),
):  # fmt: skip
    PROPERTIES[_row.name] = _row
