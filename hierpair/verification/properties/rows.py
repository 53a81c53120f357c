"""The table of properties: what each says, in words, in cells and in conditions."""

from __future__ import annotations

from typing import Any

from hierpair.verification.properties.statement import PROPERTIES, Property
from hierpair.verification.properties.worlds import Growing

__all__: list[str] = []

KOSMOPOULOS = "Kosmopoulos et al. 2014"
AMIGO = "after Amigó & Delgado 2022"
SEBASTIANI = "after Sebastiani 2015"
COSTA = "Costa et al. 2007"
RIEHL = "Riehl et al. 2023"
PLAUD = "Plaud et al. 2024"
KIRITCHENKO = "Kiritchenko 2006"


CROWD = (
    "siblings[t, a] and ~unrelated[t, a] and single[t] and single[a] and t != b and "
    "siblings[a, b] and ~unrelated[a, b] and single[b] and depth[b] == depth[x] and "
    "own[x, 0] == depth[x] and unrelated[b, x] and unrelated[t, x] and unrelated[a, x]"
)
"""Two siblings a and b of t, and x that is as deep as they are in another branch."""

FAR = (
    "apart[t, p] and own[t, p] + own[p, t] == distance[t, p] and above[p, q] and apart[t, q] and "
    "own[t, q] + own[q, t] == distance[t, q]"
)
"""From t one way alone leads to p, and one to q below p."""

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
TABLE = (
    Property("identity", "D", "T|T ≥ T|P_", "v(T,T) ≥ v(T,P)", AMIGO),
    Property(
        "strictness", "T", "T|T > T|P", "P ≠ T ⇒ v(T,T) > v(T,P)", SEBASTIANI,
        "T != P",
    ),
    Property(
        "strict_closed", "D", "T|T > T|P", "P̂ ≠ T̂ ⇒ v(T,T) > v(T,P)", f"{KOSMOPOULOS}, eqs 2–3",
        "closure(T) != closure(P)",
    ),
    Property(
        "symmetric", "T", "T|P = P|T", "v(T,P) = v(P,T)", f"{KOSMOPOULOS}, §3.1 Table 1",
        "T != P",
    ),
    Property("bounded", "T", "T|P_ in [0, 1]", "0 ≤ value ≤ 1", "the registry of measures"),
    Property(
        "constant_optimum", "D", "T|T = P|P", "v(T,T) = v(T′,T′)", "needed for means",
        "T != P",
    ),
    Property(
        "ancestor_redundancy", "C", "T|P+a = T|P", "a above p ∈ P ⇒ v(T,P∪{a}) = v(T,P)",
        f"{PLAUD}, Prop. 1; {KIRITCHENKO}; against: {KOSMOPOULOS}, §2.3",
        "has(closure(P) & ~P, a)",
    ),
    Property(
        "triangle", "T", "T|T T|P T|Q Q|Q Q|P triangle",
        "e(T,P) ≤ e(T,Q) + e(Q,P), e(T,P) = v(T,T) − v(T,P)", "axiom of metrics", scope=4,
    ),
    Property(
        "add_right", "D", "T|P_+t ≥ T|P_", "t ∈ T∖P ⇒ v(T,P∪{t}) ≥ v(T,P)",
        f"{AMIGO}; {SEBASTIANI}",
        "has(T & ~P_, t)",
    ),
    Property(
        "add_right_strict", "D", "T|P_+t > T|P_", "t ∈ T∖P, t ∉ P̂ ⇒ v(T,P∪{t}) > v(T,P)",
        "strict monotonicity",
        "has(T & ~closure(P_), t)",
    ),
    Property(
        "add_wrong", "D", "T|P ≥ T|P+x", "x ∉ P unrelated to all of T ⇒ v(T,P) ≥ v(T,P∪{x})",
        "monotonicity",
        "~has(P, x) and closed[x] & closure(T) == 0",
    ),
    Property(
        "add_wrong_strict", "D", "T|P > T|P+x",
        "x ∉ P̂ unrelated to all of T ⇒ v(T,P) > v(T,P∪{x})",
        "strict monotonicity",
        "~has(closure(P), x) and closed[x] & closure(T) == 0",
    ),
    Property(
        "swap_right", "D", "T|P+t-x > T|P", "x ∈ P∖T̂, t ∈ T∖P ⇒ v(T,P∖{x}∪{t}) > v(T,P)",
        "Ferrante et al. 2015 (replacement)",
        "has(T & ~P, t) and has(P & ~closure(T), x)",
    ),
    Property(
        "silence", "T", "T|∅ ≥ T|x", "x unrelated to all of T ⇒ v(T,∅) ≥ v(T,{x})",
        f"{KOSMOPOULOS}, §2.3 (default class)",
        "closed[x] & closure(T) == 0",
    ),
    Property(
        "nothing_true", "D", "∅|∅ > ∅|P", "P ≠ ∅ ⇒ v(∅,∅) > v(∅,P)",
        "ours: instances without a label",
    ),
    Property(
        "partial_credit", "D", "t|p > t|∅", "p parent of t ⇒ v({t},{p}) > v({t},∅)",
        f"{KIRITCHENKO}, in {RIEHL}, §II",
        "parent[p, t]",
    ),
    Property(
        "near_beats_far", "D", "t|s > t|x",
        "s sibling of t (not unrelated), x unrelated, equal depth ⇒ v({t},{s}) > v({t},{x})",
        f"{KOSMOPOULOS}, §2.2; {COSTA}; {PLAUD}, §2; {RIEHL}, §II",
        "siblings[t, s] and ~unrelated[t, s] and unrelated[t, x] and depth[s] == depth[x]",
    ),
    Property(
        "distance_order", "D", "t|x ≥ t|y", "d(t,x) < d(t,y) ⇒ v({t},{x}) ≥ v({t},{y})",
        f"{KOSMOPOULOS}, §2.2; {COSTA}; {RIEHL}, §II",
        "distance[t, x] < distance[t, y]",
    ),
    Property(
        "over_graded", "D", "t|t > t|c > t|g",
        "t→c→g, d = 2 ⇒ v({t},{t}) > v({t},{c}) > v({t},{g})",
        f"{KOSMOPOULOS}, §2.2 Fig. 2(a), §3.6; against: eq. 5",
        "parent[t, c] and parent[c, g] and distance[t, g] == 2",
    ),
    Property(
        "under_graded", "D", "t|t > t|p > t|g",
        "g→p→t, d = 2 ⇒ v({t},{t}) > v({t},{p}) > v({t},{g})",
        f"{KOSMOPOULOS}, §2.2 Fig. 2(b), §3.6",
        "g p t: parent[g, p] and parent[p, t] and distance[t, g] == 2",
    ),
    Property(
        "over_beats_unrelated", "D", "t|c > t|x",
        "c child of t, x unrelated to t and c, equal depth ⇒ v({t},{c}) > v({t},{x})",
        f"{KOSMOPOULOS}, §2.2",
        "parent[t, c] and unrelated[t, x] and unrelated[c, x] and depth[c] == depth[x]",
    ),
    Property(
        "under_beats_unrelated", "D", "t|p > t|x",
        "p parent of t, x unrelated to t, equal depth ⇒ v({t},{p}) > v({t},{x})",
        f"{KOSMOPOULOS}, §2.2",
        "parent[p, t] and unrelated[t, x] and depth[p] == depth[x]",
    ),
    Property(
        "deeper_error_milder", "C", "t|s > u|r",
        "depth t > depth u, each mistaken for a sibling of its depth ⇒ v deep > v shallow",
        f"{COSTA}; {KIRITCHENKO}, in {RIEHL}, §II; against: stem_invariance",
        "siblings[t, s] and depth[t] == depth[s] and siblings[u, r] and "
        "depth[u] == depth[r] and depth[t] > depth[u]",
    ),
    Property(
        "unrelated_constant", "C", "t|x = u|y",
        "t, x unrelated, u, y unrelated ⇒ v({t},{x}) = v({u},{y})",
        f"{COSTA} (unbalanced trees); against: distance",
        "unrelated[t, x] and unrelated[u, y]",
    ),
    Property(
        "specific_hit", "D", "a+b|a ≥ a+b|b",
        "a, b unrelated, depth a > depth b ⇒ v({a,b},{a}) ≥ v({a,b},{b})", f"{AMIGO} (specificity)",
        "unrelated[a, b] and depth[a] > depth[b]",
    ),
    Property(
        "pairing_extra", "D", "t|t+s > t|t+x",
        "s, x not related to t, equal depth, s nearer ⇒ v({t},{t,s}) > v({t},{t,x})",
        f"{KOSMOPOULOS}, §2.2 Fig. 2(d)",
        "apart[t, s] and apart[t, x] and depth[s] == depth[x] and distance[t, s] < distance[t, x]",
    ),
    Property(
        "flood", "D", "t|s > t|*",
        "s sibling of t, at least 8 classes ⇒ v({t},{s}) > v({t},all classes)",
        f"{RIEHL}, §V on many predictions",
        "(n > 8) & siblings[t, s] and ~unrelated[t, s]",
    ),
    Property(
        "pairing_fig12", "D", "t|t+s > t|t+x",
        "s, x each one class beside the path of t, s nearer ⇒ v({t},{t,s}) > v({t},{t,x})",
        f"{KOSMOPOULOS}, §3.1 case 2, Fig. 12",
        "leaf[t] and leaf[s] and own[s, t] == 1 and distance[t, s] == 2 and leaf[x] and "
        "own[x, t] == 1 and distance[t, x] > 2 and own[t, x] == distance[t, x] - 1",
        rare=True,
    ),
    Property(
        "pairing_shared", "T", "a+d|b+c > a+d|b+x",
        "b, c siblings of a; d, x unrelated to all ⇒ v({a,d},{b,c}) > v({a,d},{b,x})",
        f"our reading of {KOSMOPOULOS}, Fig. 2(d)",
        "a b c x: siblings[a, b] and ~unrelated[a, b] and single[a] and single[b] and a != c and "
        "siblings[b, c] and ~unrelated[b, c] and single[c] and depth[c] == depth[x] and "
        "own[x, 0] == depth[x] and unrelated[c, x] and unrelated[a, x] and unrelated[b, x] and "
        "unrelated[a, d] and unrelated[b, d] and unrelated[c, d] and unrelated[d, x]",
        rare=True,
    ),
    Property(
        "pairing_crowd", "D", "t|a+b > t|a+x",
        "a, b siblings of t, x unrelated ⇒ v({t},{a,b}) > v({t},{a,x})",
        f"{KOSMOPOULOS}, §3.1 case 1, Fig. 11", CROWD, rare=True,
    ),
    Property(
        "two_near_beat_one_far", "T", "t|a+b > t|x",
        "a, b siblings of t, x unrelated ⇒ v({t},{a,b}) > v({t},{x})",
        f"{KOSMOPOULOS}, §3.1 case 1", f"{CROWD} and a < b", rare=True,
    ),
    Property(
        "alternative_path", "D", "T|P = T|P′",
        "a second way of equal length from the fork to p changes nothing",
        f"{KOSMOPOULOS}, §2.2 Fig. 2(c), §3.2",
        "above[f_, p] and has(P, p) and ways_up[p, f_] >= 2",
        change=second_way, invariance=True, scope=4,
    ),
    Property(
        "long_distance", "D", "t|p = t|q", "12 edges apart and "
        "more: further changes nothing (Dmax 5)",
        f"{KOSMOPOULOS}, §2.2 Fig. 2(e), §3.5",
        f"{FAR} and distance[t, p] >= 12 and distance[t, q] >= 12",
        invariance=True, rare=True,
    ),
    Property(
        "long_distance_4", "D", "t|p = t|q",
        "6 edges apart and more: further changes nothing (threshold 4)", f"{KOSMOPOULOS}, §3.5",
        f"{FAR} and distance[t, p] >= 6 and distance[t, p] <= 10 and distance[t, q] <= 10",
        invariance=True, rare=True,
    ),
    Property(
        "path_count", "D", "t|p t|p′ t+v|p+q t+v|p+q′ same difference",
        "lengthening a shared stretch costs the same for one and for two pairs over it",
        f"{KOSMOPOULOS}, §3.4, Table 9",
        # nearer than 8, twice the smallest default, no measure of pairs leaves both classes alone
        "u t v p q: ways_up[t, u] == own[t, u] and ways_up[v, u] == own[v, u] and apart[t, v] and "
        "apart[u, p] and apart[u, q] and apart[p, q] and distance[t, p] < 8 and "
        "distance[v, q] < 8 and "
        "distance[t, q] < 8 and distance[v, p] < 8",
        change=longer, scope=5, lower_only=True,
    ),
    Property(
        "stem_invariance", "C", "T|P = T|P′", "a longer stem above all classes changes nothing",
        f"{KOSMOPOULOS}, §3.1 case 1; against: deeper_error_milder", change=stem, **CHANGED,
    ),
    Property(
        "unused_subtree", "D", "T|P = T|P′",
        "a subtree hung where no label is below changes nothing",
        "irrelevant classes",
        "~has(closure(T | P), c)",
        change=new_leaf, **CHANGED,
    ),
    Property(
        "sibling_count", "T", "T|P = T|P′", "new leaf siblings of a label change nothing",
        f"{RIEHL}, §III (TN); Cesa-Bianchi et al. 2006 (costs of siblings)",
        "has(T | P, c)",
        change=new_sibling, **CHANGED,
    ),
    Property(
        "refinement_below", "T", "T|P = T|P′", "new leaves below labels change nothing",
        "refinement; Ipeirotis et al. 2001 count them",
        "has(T | P, c)",
        change=new_leaf, **CHANGED,
    ),
    Property(
        "refinement_order", "T", "T|P T|Q T|P′ T|Q′ same order",
        "splitting every edge keeps the order of two predictions", "refinement",
        "P != Q",
        change=split_edges, scope=3,
    ),
    Property(
        "renaming", "D", "T|P = T|P′", "names, order of edges and "
        "labels change nothing", "determinism",
        change=other_names, scope=3,
    ),
)
# fmt: on
PROPERTIES.update((stated.name, stated) for stated in TABLE)
