"""What is asked of a measure: needs as sets of properties, and what data say of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hierpair.errors import BadInput, counted, did_you_mean, shown
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets
from hierpair.labels.sets import lowest_labels
from hierpair.measures import Batch, measure
from hierpair.verification.properties import DOMAINS, PROPERTIES


@dataclass(frozen=True)
class DataFacts:
    """What is read from a hierarchy, and from true labels if there are any.

    Attributes
    ----------
    shape
        ``"tree"``, ``"forest"`` or ``"DAG"``.
    n_classes, height
        Classes, and most edges from the top to one of them.
    n_instances, n_empty
        Instances, and those without a label; of a hierarchy alone 0, as all that follows.
    fewest, most
        Labels of an instance that has some.
    most_tips
        Most labels of an instance that are above none of its others.
    n_labels, n_inner
        Labels of all instances that are above none of their others, and those of them that are
        inner classes.
    n_coherent
        Instances with labels that contain every class above them, but for the top.
    shallowest, deepest
        Depths of these labels, in edges from the top.
    """

    shape: str
    n_classes: int
    height: int
    n_instances: int = 0
    n_empty: int = 0
    fewest: int = 0
    most: int = 0
    most_tips: int = 0
    n_labels: int = 0
    n_inner: int = 0
    n_coherent: int = 0
    shallowest: int = 0
    deepest: int = 0

    @property
    def single(self) -> bool:
        """Whether no instance has several labels, but for those above others."""
        return self.most_tips == 1

    @property
    def coherent(self) -> bool:
        """Whether all label sets contain what is above them, and there is something above."""
        return self.deepest > 1 and self.n_coherent == self.n_instances - self.n_empty

    def __str__(self) -> str:
        text = f"{self.shape} of {counted(self.n_classes, 'class', ',')}, height {self.height}"
        if not self.n_instances:
            return text
        return (
            f"{text}; {counted(self.n_instances, 'instance', ',')}, {self.n_empty:,} without "
            f"labels, the others with {self.fewest} to {self.most}; {self.n_inner:,} of "
            f"{self.n_labels:,} labels are inner classes; depth {self.shallowest} to "
            f"{self.deepest}; {self.n_coherent:,} label sets are coherent"
        )


def facts_of(hierarchy: Hierarchy, y_true: LabelSets | None = None) -> DataFacts:
    """Return what a hierarchy and true labels say.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> facts = facts_of(tree, LabelSets.from_labels([["c", "b"], ["a"], []], tree))
    >>> facts.most_tips, facts.n_inner, facts.n_coherent, facts.n_empty
    (2, 1, 1, 1)
    """
    shape = hierarchy.shape, len(hierarchy), int(hierarchy.levels.max(initial=0))
    if y_true is None:
        return DataFacts(*shape)
    n = y_true.lengths
    some = n[n > 0] if n.any() else n[:0]
    row, tip = lowest_labels(hierarchy, y_true)
    depths = hierarchy.depths[tip]
    batch = Batch(hierarchy, y_true, y_true)
    closed, alone = (
        batch.columns(measure(text).recipe)["n_true"] for text in ("hf", "hf(augment=none)")
    )
    return DataFacts(
        *shape,
        n_instances=len(y_true),
        n_empty=len(y_true) - len(some),
        fewest=int(some.min(initial=n.max(initial=0))),
        most=int(some.max(initial=0)),
        most_tips=int(np.bincount(row).max(initial=0)),
        n_labels=len(tip),
        n_inner=int((np.diff(hierarchy.child_ptr)[tip] > 0).sum()),
        n_coherent=int(((closed == alone) & (n > 0)).sum()),
        shallowest=int(depths.min(initial=hierarchy.levels.max(initial=0))) if len(tip) else 0,
        deepest=int(depths.max(initial=0)),
    )


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
    if names is None:
        return ()
    given = [names] if isinstance(names, (str, Need)) else list(names)
    found: dict[str, Need] = {}
    for name in given:
        need = name if isinstance(name, Need) else _named(name)
        found[need.name] = need
    for one, other in EXCLUSIVE:
        if one in found and other in found:
            raise BadInput(
                f"the needs {one} and {other} exclude each other: {NEEDS[one].question} "
                f"{NEEDS[other].question} Choose one"
            )
    return tuple(found.values())


def _named(name: object) -> Need:
    key = str(name).replace("-", "_")
    if key in NEEDS:
        return NEEDS[key]
    if key in PROPERTIES:
        return Need(key, f"Must {key} hold: {PROPERTIES[key].statement}?", (key,))
    known = [*NEEDS, *PROPERTIES]
    raise BadInput(
        f"there is no need {shown(name)}{did_you_mean(key, known)}; there are {', '.join(NEEDS)}, "
        "or the name of a property"
    )


def needs_of(facts: DataFacts | None, asked: Iterable[Need] = ()) -> tuple[Need, ...]:
    """Return the needs that data show, without those that are asked for or excluded by them.

    Examples
    --------
    >>> [need.name for need in needs_of(DataFacts("DAG", 9, 4))]
    ['alternative_paths']
    """
    if facts is None:
        return ()
    found = ["alternative_paths"] if facts.shape == "DAG" else []
    if facts.single:
        found.append("inner_classes" if facts.n_inner else "nearness")
    elif facts.n_labels:
        found.append("label_counts")
    if facts.coherent:
        found.append("coherent_labels")
    taken = {need.name for need in asked}
    taken |= {other for pair in EXCLUSIVE for one in pair if one in taken for other in pair}
    return tuple(NEEDS[name] for name in found if name not in taken)
