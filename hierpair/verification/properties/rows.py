"""The table of properties: what each says, in words, in cells and in conditions."""

from __future__ import annotations

from typing import Any

from hierpair.verification.properties.statement import PROPERTIES, Kind, Property
from hierpair.verification.properties.worlds import Growing

__all__: list[str] = []

KOSMOPOULOS = "Kosmopoulos et al. 2014"
AMIGO = "after Amigó & Delgado 2022"
SEBASTIANI = "after Sebastiani 2015"
COSTA = "Costa et al. 2007"
RIEHL = "Riehl et al. 2023"
PLAUD = "Plaud et al. 2024"
KIRITCHENKO = "Kiritchenko 2006"


def row(
    name: str, kind: Kind, text: str, statement: str, source: str, when: str = "", **more: Any
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


CROWD = (
    "leaves t a, different t b, leaves a b, level b x, alone x, unrelated b x, unrelated t x, "
    "unrelated a x"
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
    "different T P",
)
row(
    "strict_closed", "D", "T|T > T|P", "P̂ ≠ T̂ ⇒ v(T,T) > v(T,P)", f"{KOSMOPOULOS}, eqs 2–3",
    "different_closed T P",
)
row(
    "symmetric", "T", "T|P = P|T", "v(T,P) = v(P,T)", f"{KOSMOPOULOS}, §3.1 Table 1",
    "different T P",
)
row("bounded", "T", "T|P_ in [0, 1]", "0 ≤ value ≤ 1", "the registry of measures")
row(
    "constant_optimum", "D", "T|T = P|P", "v(T,T) = v(T′,T′)", "needed for means",
    "different T P",
)
row(
    "ancestor_redundancy", "C", "T|P+a = T|P", "a above p ∈ P ⇒ v(T,P∪{a}) = v(T,P)",
    f"{PLAUD}, Prop. 1; {KIRITCHENKO}; against: {KOSMOPOULOS}, §2.3",
    "implied T P a",
)
row(
    "triangle", "T", "T|T T|P T|Q Q|Q Q|P triangle",
    "e(T,P) ≤ e(T,Q) + e(Q,P), e(T,P) = v(T,T) − v(T,P)", "axiom of metrics", scope=4,
)
row(
    "add_right", "D", "T|P_+t ≥ T|P_", "t ∈ T∖P ⇒ v(T,P∪{t}) ≥ v(T,P)", f"{AMIGO}; {SEBASTIANI}",
    "missing T P_ t",
)
row(
    "add_right_strict", "D", "T|P_+t > T|P_", "t ∈ T∖P, t ∉ P̂ ⇒ v(T,P∪{t}) > v(T,P)",
    "strict monotonicity",
    "missing_closed T P_ t",
)
row(
    "add_wrong", "D", "T|P ≥ T|P+x", "x ∉ P unrelated to all of T ⇒ v(T,P) ≥ v(T,P∪{x})",
    "monotonicity",
    "wrong T P x",
)
row(
    "add_wrong_strict", "D", "T|P > T|P+x", "x ∉ P̂ unrelated to all of T ⇒ v(T,P) > v(T,P∪{x})",
    "strict monotonicity",
    "wrong_closed T P x",
)
row(
    "swap_right", "D", "T|P-x+t > T|P", "x ∈ P∖T̂, t ∈ T∖P ⇒ v(T,P∖{x}∪{t}) > v(T,P)",
    "Ferrante et al. 2015 (replacement)",
    "missing T P t, missing_closed P T x",
)
row(
    "silence", "T", "T|∅ ≥ T|x", "x unrelated to all of T ⇒ v(T,∅) ≥ v(T,{x})",
    f"{KOSMOPOULOS}, §2.3 (default class)",
    "strange T x",
)
row(
    "nothing_true", "D", "∅|∅ > ∅|P", "P ≠ ∅ ⇒ v(∅,∅) > v(∅,P)", "ours: instances without a label",
)
row(
    "partial_credit", "D", "t|p > t|∅", "p parent of t ⇒ v({t},{p}) > v({t},∅)",
    f"{KIRITCHENKO}, in {RIEHL}, §II",
    "child t p",
)
row(
    "near_beats_far", "D", "t|s > t|x",
    "s sibling of t (not unrelated), x unrelated, equal depth ⇒ v({t},{s}) > v({t},{x})",
    f"{KOSMOPOULOS}, §2.2; {COSTA}; {PLAUD}, §2; {RIEHL}, §II",
    "near t s, unrelated t x, level s x",
)
row(
    "distance_order", "D", "t|x ≥ t|y", "d(t,x) < d(t,y) ⇒ v({t},{x}) ≥ v({t},{y})",
    f"{KOSMOPOULOS}, §2.2; {COSTA}; {RIEHL}, §II",
    "nearer t x y",
)
row(
    "over_graded", "D", "t|t > t|c > t|g", "t→c→g, d = 2 ⇒ v({t},{t}) > v({t},{c}) > v({t},{g})",
    f"{KOSMOPOULOS}, §2.2 Fig. 2(a), §3.6; against: eq. 5",
    "parent t c, parent c g, two_away t g",
)
row(
    "under_graded", "D", "t|t > t|p > t|g", "g→p→t, d = 2 ⇒ v({t},{t}) > v({t},{p}) > v({t},{g})",
    f"{KOSMOPOULOS}, §2.2 Fig. 2(b), §3.6",
    "parent g p, parent p t, two_away t g",
)
row(
    "over_beats_unrelated", "D", "t|c > t|x",
    "c child of t, x unrelated to t and c, equal depth ⇒ v({t},{c}) > v({t},{x})",
    f"{KOSMOPOULOS}, §2.2",
    "parent t c, unrelated t x, unrelated c x, level c x",
)
row(
    "under_beats_unrelated", "D", "t|p > t|x",
    "p parent of t, x unrelated to t, equal depth ⇒ v({t},{p}) > v({t},{x})",
    f"{KOSMOPOULOS}, §2.2",
    "child t p, unrelated t x, level p x",
)
row(
    "deeper_error_milder", "C", "t|s > u|r",
    "depth t > depth u, each mistaken for a sibling of its depth ⇒ v deep > v shallow",
    f"{COSTA}; {KIRITCHENKO}, in {RIEHL}, §II; against: stem_invariance",
    "sibling t s, level t s, sibling u r, level u r, deeper t u",
)
row(
    "unrelated_constant", "C", "t|x = u|y",
    "t, x unrelated, u, y unrelated ⇒ v({t},{x}) = v({u},{y})",
    f"{COSTA} (unbalanced trees); against: distance",
    "unrelated t x, unrelated u y",
)
row(
    "specific_hit", "D", "a+b|a ≥ a+b|b",
    "a, b unrelated, depth a > depth b ⇒ v({a,b},{a}) ≥ v({a,b},{b})", f"{AMIGO} (specificity)",
    "unrelated a b, deeper a b",
)
row(
    "pairing_extra", "D", "t|t+s > t|t+x",
    "s, x not related to t, equal depth, s nearer ⇒ v({t},{t,s}) > v({t},{t,x})",
    f"{KOSMOPOULOS}, §2.2 Fig. 2(d)",
    "apart t s, apart t x, level s x, nearer t s x",
)
row(
    "flood", "D", "t|s > t|*",
    "s sibling of t, at least 8 classes ⇒ v({t},{s}) > v({t},all classes)",
    f"{RIEHL}, §V on many predictions",
    "near t s, crowded t s",
)
row(
    "pairing_fig12", "D", "t|t+s > t|t+x",
    "s, x each one class beside the path of t, s nearer ⇒ v({t},{t,s}) > v({t},{t,x})",
    f"{KOSMOPOULOS}, §3.1 case 2, Fig. 12",
    "beside t s, two_away t s, beside t x, further_beside t x",
    rare=True,
)
row(
    "pairing_shared", "T", "a+d|b+c > a+d|b+x",
    "b, c siblings of a; d, x unrelated to all ⇒ v({a,d},{b,c}) > v({a,d},{b,x})",
    f"our reading of {KOSMOPOULOS}, Fig. 2(d)",
    "leaves a b, different a c, leaves b c, level c x, alone x, unrelated c x, unrelated a x, "
    "unrelated b x, unrelated a d, unrelated b d, unrelated c d, unrelated d x",
    rare=True,
)
row(
    "pairing_crowd", "D", "t|a+b > t|a+x",
    "a, b siblings of t, x unrelated ⇒ v({t},{a,b}) > v({t},{a,x})",
    f"{KOSMOPOULOS}, §3.1 case 1, Fig. 11", CROWD, rare=True,
)
row(
    "two_near_beat_one_far", "T", "t|a+b > t|x",
    "a, b siblings of t, x unrelated ⇒ v({t},{a,b}) > v({t},{x})",
    f"{KOSMOPOULOS}, §3.1 case 1", f"{CROWD}, ordered a b", rare=True,
)
row(
    "alternative_path", "D", "T|P = T|P′",
    "a second way of equal length from the fork to p changes nothing",
    f"{KOSMOPOULOS}, §2.2 Fig. 2(c), §3.2",
    "among T P f_ p, far_above f_ p",
    change=second_way, invariance=True, scope=4,
)
row(
    "long_distance", "D", "t|p = t|q", "12 edges apart and more: further changes nothing (Dmax 5)",
    f"{KOSMOPOULOS}, §2.2 Fig. 2(e), §3.5",
    "far t p, above p q, far t q",
    invariance=True, rare=True,
)
row(
    "long_distance_4", "D", "t|p = t|q",
    "6 edges apart and more: further changes nothing (threshold 4)", f"{KOSMOPOULOS}, §3.5",
    "far_4 t p, above p q, far_4 t q",
    invariance=True, rare=True,
)
row(
    "path_count", "D", "t|p t|p′ t+v|p+q t+v|p+q′ same difference",
    "lengthening a shared stretch costs the same for one and for two pairs over it",
    f"{KOSMOPOULOS}, §3.4, Table 9",
    "through u t, through u v, apart t v, apart u p, apart u q, apart p q, pairs t p, pairs v q, "
    "pairs t q, pairs v p",
    change=longer, scope=5, lower_only=True,
)
row(
    "stem_invariance", "C", "T|P = T|P′", "a longer stem above all classes changes nothing",
    f"{KOSMOPOULOS}, §3.1 case 1; against: deeper_error_milder", change=stem, **CHANGED,
)
row(
    "unused_subtree", "D", "T|P = T|P′", "a subtree hung where no label is below changes nothing",
    "irrelevant classes",
    "unused T P c",
    change=new_leaf, **CHANGED,
)
row(
    "sibling_count", "T", "T|P = T|P′", "new leaf siblings of a label change nothing",
    f"{RIEHL}, §III (TN); Cesa-Bianchi et al. 2006 (costs of siblings)",
    "used T P c",
    change=new_sibling, **CHANGED,
)
row(
    "refinement_below", "T", "T|P = T|P′", "new leaves below labels change nothing",
    "refinement; Ipeirotis et al. 2001 count them",
    "used T P c",
    change=new_leaf, **CHANGED,
)
row(
    "refinement_order", "T", "T|P T|Q T|P′ T|Q′ same order",
    "splitting every edge keeps the order of two predictions", "refinement",
    "other T P Q",
    change=split_edges, scope=3,
)
row(
    "renaming", "D", "T|P = T|P′", "names, order of edges and labels change nothing", "determinism",
    "any T P c",
    change=other_names, scope=3,
)
