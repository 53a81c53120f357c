"""What the properties say: the rows of the table, in its order."""

from __future__ import annotations

from hierpair.verification.properties.statement import PROPERTIES, Property

__all__: list[str] = []

KOSMOPOULOS = "Kosmopoulos et al. 2014"
AMIGO = "after Amigó & Delgado 2022"
SEBASTIANI = "after Sebastiani 2015"
COSTA = "Costa et al. 2007"
RIEHL = "Riehl et al. 2023"
PLAUD = "Plaud et al. 2024"
KIRITCHENKO = "Kiritchenko 2006"

# T is the truth, empty in nothing_true alone, P a prediction; v is the value, turned so that higher
# is better; â and P̂ are with ancestors, without the root. Related: one is above the other.
# Unrelated: only the root is above both. Depth: fewest edges from the root; d: shortest way through
# a common ancestor.
for _row in (
    Property("identity", "D", "v(T,T) ≥ v(T,P)", AMIGO, "≥"),
    Property("strictness", "T", "P ≠ T ⇒ v(T,T) > v(T,P)", SEBASTIANI, ">"),
    Property("strict_closed", "D", "P̂ ≠ T̂ ⇒ v(T,T) > v(T,P)", f"{KOSMOPOULOS}, eqs 2–3", ">"),
    Property("symmetric", "T", "v(T,P) = v(P,T)", f"{KOSMOPOULOS}, §3.1 Table 1", "="),
    Property("bounded", "T", "0 ≤ value ≤ 1", "the registry of measures", "in [0, 1]"),
    Property("constant_optimum", "D", "v(T,T) = v(T′,T′)", "needed for means", "="),
    Property(
        "ancestor_redundancy", "C", "a above p ∈ P ⇒ v(T,P∪{a}) = v(T,P)",
        f"{PLAUD}, Prop. 1; {KIRITCHENKO}; against: {KOSMOPOULOS}, §2.3", "=",
    ),
    Property(
        "triangle", "T", "e(T,P) ≤ e(T,Q) + e(Q,P), e(T,P) = v(T,T) − v(T,P)", "axiom of metrics",
        "triangle", scope=4,
    ),
    Property(
        "add_right", "D", "t ∈ T∖P ⇒ v(T,P∪{t}) ≥ v(T,P)", f"{AMIGO}; {SEBASTIANI}", "≥",
    ),
    Property(
        "add_right_strict", "D", "t ∈ T∖P, t ∉ P̂ ⇒ v(T,P∪{t}) > v(T,P)", "strict monotonicity",
        ">",
    ),
    Property(
        "add_wrong", "D", "x ∉ P unrelated to all of T ⇒ v(T,P) ≥ v(T,P∪{x})", "monotonicity", "≥",
    ),
    Property(
        "add_wrong_strict", "D", "x ∉ P̂ unrelated to all of T ⇒ v(T,P) > v(T,P∪{x})",
        "strict monotonicity", ">",
    ),
    Property(
        "swap_right", "D", "x ∈ P∖T̂, t ∈ T∖P ⇒ v(T,P∖{x}∪{t}) > v(T,P)",
        "Ferrante et al. 2015 (replacement)", ">",
    ),
    Property(
        "silence", "T", "x unrelated to all of T ⇒ v(T,∅) ≥ v(T,{x})",
        f"{KOSMOPOULOS}, §2.3 (default class)", "≥",
    ),
    Property(
        "nothing_true", "D", "P ≠ ∅ ⇒ v(∅,∅) > v(∅,P)", "ours: instances without a label", ">",
    ),
    Property(
        "partial_credit", "D", "p parent of t ⇒ v({t},{p}) > v({t},∅)",
        f"{KIRITCHENKO}, in {RIEHL}, §II", ">",
    ),
    Property(
        "near_beats_far", "D",
        "s sibling of t (not unrelated), x unrelated, equal depth ⇒ v({t},{s}) > v({t},{x})",
        f"{KOSMOPOULOS}, §2.2; {COSTA}; {PLAUD}, §2; {RIEHL}, §II", ">",
    ),
    Property(
        "distance_order", "D", "d(t,x) < d(t,y) ⇒ v({t},{x}) ≥ v({t},{y})",
        f"{KOSMOPOULOS}, §2.2; {COSTA}; {RIEHL}, §II", "≥",
    ),
    Property(
        "over_graded", "D", "t→c→g, d = 2 ⇒ v({t},{t}) > v({t},{c}) > v({t},{g})",
        f"{KOSMOPOULOS}, §2.2 Fig. 2(a), §3.6; against: eq. 5", ">",
    ),
    Property(
        "under_graded", "D", "g→p→t, d = 2 ⇒ v({t},{t}) > v({t},{p}) > v({t},{g})",
        f"{KOSMOPOULOS}, §2.2 Fig. 2(b), §3.6", ">",
    ),
    Property(
        "over_beats_unrelated", "D",
        "c child of t, x unrelated to t and c, equal depth ⇒ v({t},{c}) > v({t},{x})",
        f"{KOSMOPOULOS}, §2.2", ">",
    ),
    Property(
        "under_beats_unrelated", "D",
        "p parent of t, x unrelated to t, equal depth ⇒ v({t},{p}) > v({t},{x})",
        f"{KOSMOPOULOS}, §2.2", ">",
    ),
    Property(
        "deeper_error_milder", "C",
        "depth t > depth u, each mistaken for a sibling of its depth ⇒ v deep > v shallow",
        f"{COSTA}; {KIRITCHENKO}, in {RIEHL}, §II; against: stem_invariance", ">",
    ),
    Property(
        "unrelated_constant", "C", "t, x unrelated, u, y unrelated ⇒ v({t},{x}) = v({u},{y})",
        f"{COSTA} (unbalanced trees); against: distance", "=",
    ),
    Property(
        "specific_hit", "D", "a, b unrelated, depth a > depth b ⇒ v({a,b},{a}) ≥ v({a,b},{b})",
        f"{AMIGO} (specificity)", "≥",
    ),
    Property(
        "pairing_extra", "D",
        "s, x not related to t, equal depth, s nearer ⇒ v({t},{t,s}) > v({t},{t,x})",
        f"{KOSMOPOULOS}, §2.2 Fig. 2(d)", ">",
    ),
    Property(
        "flood", "D", "s sibling of t, at least 8 classes ⇒ v({t},{s}) > v({t},all classes)",
        f"{RIEHL}, §V on many predictions", ">",
    ),
    Property(
        "pairing_fig12", "D",
        "s, x each one class beside the path of t, s nearer ⇒ v({t},{t,s}) > v({t},{t,x})",
        f"{KOSMOPOULOS}, §3.1 case 2, Fig. 12", ">",
    ),
    Property(
        "pairing_shared", "T",
        "b, c siblings of a; d, x unrelated to all ⇒ v({a,d},{b,c}) > v({a,d},{b,x})",
        f"our reading of {KOSMOPOULOS}, Fig. 2(d)", ">",
    ),
    Property(
        "pairing_crowd", "D", "a, b siblings of t, x unrelated ⇒ v({t},{a,b}) > v({t},{a,x})",
        f"{KOSMOPOULOS}, §3.1 case 1, Fig. 11", ">",
    ),
    Property(
        "two_near_beat_one_far", "T", "a, b siblings of t, x unrelated ⇒ v({t},{a,b}) > v({t},{x})",
        f"{KOSMOPOULOS}, §3.1 case 1", ">",
    ),
    Property(
        "alternative_path", "D", "a second way of equal length from the fork to p changes nothing",
        f"{KOSMOPOULOS}, §2.2 Fig. 2(c), §3.2", "=", invariance=True,
    ),
    Property(
        "long_distance", "D", "12 edges apart and more: further changes nothing (Dmax 5)",
        f"{KOSMOPOULOS}, §2.2 Fig. 2(e), §3.5", "=", invariance=True,
    ),
    Property(
        "long_distance_4", "D", "6 edges apart and more: further changes nothing (threshold 4)",
        f"{KOSMOPOULOS}, §3.5", "=", invariance=True,
    ),
    Property(
        "path_count", "D",
        "lengthening a shared stretch costs the same for one and for two pairs over it",
        f"{KOSMOPOULOS}, §3.4, Table 9", "same difference", lower_only=True,
    ),
    Property(
        "stem_invariance", "C", "a longer stem above all classes changes nothing",
        f"{KOSMOPOULOS}, §3.1 case 1; against: deeper_error_milder", "=", invariance=True,
    ),
    Property(
        "unused_subtree", "D", "a subtree hung where no label is below changes nothing",
        "irrelevant classes", "=", invariance=True,
    ),
    Property(
        "sibling_count", "T", "new leaf siblings of a label change nothing",
        f"{RIEHL}, §III (TN); Cesa-Bianchi et al. 2006 (costs of siblings)", "=", invariance=True,
    ),
    Property(
        "refinement_below", "T", "new leaves below labels change nothing",
        "refinement; Ipeirotis et al. 2001 count them", "=", invariance=True,
    ),
    Property(
        "refinement_order", "T", "splitting every edge keeps the order of two predictions",
        "refinement", "same order",
    ),
    Property(
        "renaming", "D", "names, order of edges and labels change nothing", "determinism", "=",
    ),
):  # fmt: skip
    PROPERTIES[_row.name] = _row
