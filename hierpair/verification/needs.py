"""What is asked of a measure: needs as sets of properties, and what data say of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hierpair.errors import BadInput, counted, unknown
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets
from hierpair.labels.sets import lowest_labels
from hierpair.measures import Batch, measure
from hierpair.verification.properties import DOMAINS, PROPERTIES


@dataclass(frozen=True)
class DataFacts:
    """What is read from a hierarchy, and from true labels if there are any.

    ``n_labels`` are above none of their instance's others, ``n_inner`` the inner classes of them;
    ``single``: nobody has several of these; ``coherent``: all sets contain what is above them.
    """

    shape: str
    told: str
    n_empty: int = 0
    most: int = 0
    n_labels: int = 0
    n_inner: int = 0
    single: bool = False
    coherent: bool = False


def facts_of(hierarchy: Hierarchy, y_true: LabelSets | None = None) -> DataFacts:
    """Return what a hierarchy and true labels say.

    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> facts = facts_of(tree, LabelSets.from_labels([["c", "b"], ["a"], []], tree))
    >>> facts.single, facts.n_inner, facts.coherent, facts.n_empty
    (False, 1, False, 1)
    """
    told = hierarchy.describe(",")
    if y_true is None:
        return DataFacts(hierarchy.shape, told)
    row, tip = lowest_labels(hierarchy, y_true)
    depths, n = hierarchy.depths[tip], y_true.lengths
    batch = Batch(hierarchy, y_true, y_true)
    closed, alone = (
        batch.columns(measure(text).recipe)["n_true"] for text in ("hf", "hf(augment=none)")
    )
    coherent = bool((closed == alone).all() and depths.max(initial=0) > 1)
    n_empty, n_inner = int((n == 0).sum()), int(np.isin(tip, hierarchy.parents).sum())
    most, tips = int(n.max(initial=0)), int(np.bincount(row).max(initial=0))
    told += (
        f"; {counted(len(n), 'instance', ',')}, {n_empty:,} without labels, at most {most:,} labels"
        f"; {n_inner:,} of {len(tip):,} lowest labels are inner classes; label sets are "
        f"{'' if coherent else 'not '}coherent"
    )
    return DataFacts(hierarchy.shape, told, n_empty, most, len(tip), n_inner, tips == 1, coherent)


TREES = tuple(d for d in DOMAINS if d.startswith("tree"))
DAGS = tuple(d for d in DOMAINS if d.startswith("DAG"))
ONE_LABEL = tuple(d for d in DOMAINS if not d.endswith("several"))


@dataclass(frozen=True)
class Need:
    """A question about the data or the evaluation, and what a measure must do if it is so.

    Attributes
    ----------
    name, question
        How it is called, and what is asked.
    properties
        What must hold.
    reversed_properties
        What must not hold: where one paper wants what another forbids.
    first, avoid
        Measures that are a first choice, and measures that are none, the usual ones.
    domains
        Where it is asked: of ``DOMAINS``; where data say otherwise, that counts.
    remark
        What has to be known beside it.
    """

    name: str
    question: str
    properties: tuple[str, ...] = ()
    reversed_properties: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    domains: tuple[str, ...] = DOMAINS
    remark: str = ""

    @property
    def asked(self) -> tuple[str, ...]:
        """All properties that it is about."""
        return self.properties + self.reversed_properties


NEEDS = {
    need.name: need
    for need in (
        Need(
            "nearness", "One label per instance: is a near miss better than a far one?",
            ("near_beats_far", "distance_order"),
            first=("hf", "shortest_path", "tree_induced_error"), avoid=("f",),
            domains=("tree, one label",),
            remark="one label per instance: report hf and shortest_path or tree_induced_error, "
            "one counts what is shared, the other how far it is",
        ),
        Need(
            "inner_classes",
            "Inner classes as labels: do answers that are too deep or too high cost by distance?",
            ("over_graded", "under_graded", "over_beats_unrelated", "under_beats_unrelated"),
            first=("hf", "gie", "mgia", "symmetric_difference"),
            avoid=("hp", "hr", "hf(augment=pruned)", "hcm_mcc"), domains=ONE_LABEL,
            remark="hp alone does not see answers that are too high, hr none that are too deep",
        ),
        Need(
            "too_deep_tolerated", "Should answers below the true class be tolerated?",
            reversed_properties=("over_graded",), first=("hf(augment=pruned)", "hr"),
            avoid=("gie",), domains=ONE_LABEL,
        ),
        Need(
            "label_counts", "Several labels: do systems differ in how many they give?",
            ("add_right", "add_wrong", "silence", "flood"), first=("hf", "symmetric_difference"),
            avoid=("gie", "mgia", "lca_f"), domains=TREES,
            remark="report symmetric_difference beside hf where the numbers of labels differ: a "
            "wrong label beside no hit costs hf nothing",
        ),
        Need(
            "near_extras", "Several labels: are wrong labels near a true one milder than far ones?",
            ("pairing_extra", "pairing_fig12", "pairing_crowd"),
            first=("mgia(default=40)", "depth_loss"), avoid=("hcm_f", "gie", "hf"), domains=TREES,
            remark="mgia only where systems give similar numbers of labels, and with a Dmax "
            "(default=) above all distances: from Dmax on all classes are alike to it; depth_loss "
            "on trees",
        ),
        Need(
            "alternative_paths", "A DAG: do several ways to a class count once?",
            ("alternative_path", "triangle"), first=("lca_f", "gie"),
            avoid=("hf", "symmetric_difference", "h_loss", "hcm_f"), domains=DAGS,
        ),
        Need(
            "top_mistakes", "Are mistakes near the top worse than those far down?",
            ("deeper_error_milder",), first=("hcm_f", "hf", "depth_loss"),
            avoid=("gie", "lca_f", "contribution_f"), domains=TREES,
        ),
        Need(
            "depth_ignored", "Must it not matter how deep in the hierarchy something happens?",
            ("stem_invariance",), first=("lca_f", "gie", "contribution_f(theta=4)"),
            avoid=("hf", "depth_loss", "depth_accuracy"),
            remark="contribution_f with a theta that is larger than the distance of siblings: with "
            "theta=2 it holds for nothing, as no near miss is better than a far one",
        ),
        Need(
            "growing_taxonomy", "Do branches differ in size, or does the taxonomy grow?",
            ("unused_subtree", "sibling_count", "refinement_below"),
            first=("hf", "gie", "lca_f", "symmetric_difference"),
            avoid=("hamming_loss", "hcm_mcc", "hcm_acc", "h_loss", "descendant_f"),
        ),
        Need(
            "far_alike", "Are all classes that are far away equally wrong?",
            ("long_distance",), first=("gie", "mgia", "hf(threshold=4)"),
            avoid=("symmetric_difference", "tree_induced_error", "shortest_path"),
            remark="gie and mgia: from twice Dmax on; between Dmax and that they still differ",
        ),
        Need(
            "coherent_labels", "Do label sets contain everything above their labels?",
            ("ancestor_redundancy",), first=("hf",),
            remark="on coherent labels hf is f, so give one of them and say so; hierarchical set "
            "measures are flat ones there",
        ),
        Need(
            "probabilities", "Do systems give probabilities?",
            remark="probabilities: decode for the measure that is reported (hierpair decode), not "
            "by a threshold of .5; beside it curves, and areas per instance",
        ),
        Need(
            "report", "Nothing of this is known?", first=("hf", "gie", "mgia", "lca_f"),
            remark="report two measures that disagree, hf and one of gie, mgia, lca_f, with hp, hr "
            "and the numbers of labels; never one number alone",
        ),
    )
}  # fmt: skip
"""The table of advice: every need by name."""

EXCLUSIVE = (("top_mistakes", "depth_ignored"), ("inner_classes", "too_deep_tolerated"))
"""Needs of which a paper wants one and another paper the other."""


def needs_named(names: Iterable[str | Need] | str | Need | None) -> tuple[Need, ...]:
    """Return needs by their names; the name of a property is a need for it alone.

    Raises
    ------
    BadInput
        For an unknown one, with the nearest known one, and for two that exclude each other.

    Examples
    --------
    >>> [need.name for need in needs_named(["top_mistakes", "add_right"])]
    ['top_mistakes', 'add_right']
    """
    found: dict[str, Need] = {}
    for name in [names] if isinstance(names, (str, Need)) else names or ():
        key = name.name if isinstance(name, Need) else str(name).replace("-", "_")
        if isinstance(name, Need):
            found[key] = name
        elif key in NEEDS:
            found[key] = NEEDS[key]
        elif key in PROPERTIES:
            question = f"Must {key} hold: {PROPERTIES[key].statement}?"
            found[key] = Need(key, question, (key,))
        else:
            raise unknown("need", name, [*NEEDS, *PROPERTIES])
    for pair in EXCLUSIVE:
        if found.keys() >= {*pair}:
            asked = " ".join(NEEDS[name].question for name in pair)
            raise BadInput(f"the needs {' and '.join(pair)} exclude each other: {asked} Choose one")
    return tuple(found.values())


def needs_of(facts: DataFacts | None, asked: Iterable[Need] = ()) -> tuple[Need, ...]:
    """Return the needs that data show, without those that are asked for or excluded by them.

    >>> [need.name for need in needs_of(DataFacts("DAG", ""))]
    ['alternative_paths']
    """
    if facts is None:
        return ()
    shown = {
        "alternative_paths": facts.shape == "DAG",
        "inner_classes": facts.single and facts.n_inner,
        "nearness": facts.single and not facts.n_inner,
        "label_counts": facts.n_labels and not facts.single,
        "coherent_labels": facts.coherent,
    }
    taken = {need.name for need in asked}
    taken |= {name for pair in EXCLUSIVE if taken & {*pair} for name in pair}
    return tuple(NEEDS[name] for name, is_so in shown.items() if is_so and name not in taken)
