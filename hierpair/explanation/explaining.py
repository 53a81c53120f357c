"""Why an instance got its value: evidence, value and proof, as text and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import numpy as np

from hierpair.errors import (
    BadInput,
    Infeasible,
    SolverLimit,
    did_you_mean,
    shown,
    visible,
    visible_lines,
)
from hierpair.evaluation.scoring import chosen_measures, score
from hierpair.explanation.class_titles import names_in, renamed, shown_names
from hierpair.explanation.confusion_shown import confusion_evidence, field_neighbourhood
from hierpair.explanation.evidence import (
    ConfusionEvidence,
    Evidence,
    ExtensionEvidence,
    Neighbourhood,
    PairEvidence,
    SetEvidence,
)
from hierpair.explanation.explanation_text import explanation_text
from hierpair.explanation.graphs_shown import extension_evidence
from hierpair.explanation.pairing_shown import pair_evidence
from hierpair.explanation.sets_shown import set_evidence
from hierpair.explanation.surroundings import grown_neighbourhood, neighbourhood
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets, Unknown, match_instances
from hierpair.labels.naming import check_order
from hierpair.measures import (
    Batch,
    ConfusionRecipe,
    LcaRecipe,
    Measure,
    PairRecipe,
)
from hierpair.measures.recipes.pairings import named_pairs_of
from hierpair.pairing import OrderOfPairs

__all__ = ["Explanation", "explain", "explain_worst"]

KINDS: dict[type, str] = {
    PairEvidence: "pairing",
    SetEvidence: "sets",
    ExtensionEvidence: "graphs",
    ConfusionEvidence: "confusion",
}
"""What the evidence is called in JSON."""


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Why one instance of one system got its value under one measure.

    Attributes
    ----------
    system, instance
        Whose prediction, and the id (or position) of the instance.
    measure
        The measure.
    value
        The value of the instance.
    y_true, y_pred
        Its labels.
    evidence
        The pairing, the augmented sets, the graphs, or the confusion matrix.
    neighbourhood
        The part of the hierarchy around the labels.
    titles
        What people call the classes that occur, such as the names of terms: name → title.
    """

    system: str
    instance: Hashable
    measure: Measure
    value: float
    y_true: tuple[Hashable, ...]
    y_pred: tuple[Hashable, ...]
    evidence: Evidence
    neighbourhood: Neighbourhood
    titles: Mapping[Hashable, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Explanation({self.measure.name} of {shown(self.instance)}: {self.value!r})"

    @property
    def title(self) -> str:
        """System, instance, measure and value in one line."""
        if isinstance(self.evidence, PairEvidence) and self.evidence.blocking:
            return f"{self.system}, instance {self.instance}: {self.measure.name}: no pairing"
        return f"{self.system}, instance {self.instance}: {self.measure.name} = {self.value:.4g}"

    def named(self, names: str = "both") -> Explanation:
        """Return the explanation with other names of classes, such as for a picture.

        Parameters
        ----------
        names
            ``"ids"``: as labels are written; ``"names"``: what people call the classes, where
            the hierarchy has titles; ``"both"``.
        """
        parts = (self.evidence, self.neighbourhood)
        classes = {*self.y_true, *self.y_pred}.union(*map(names_in, parts))
        known = shown_names(classes, self.titles, names)
        return self if not self.titles or names == "ids" else self._called(known)

    def _called(self, known: Mapping[Hashable, str]) -> Explanation:
        evidence, around = (renamed(part, known) for part in (self.evidence, self.neighbourhood))
        true, pred = (tuple(known[c] for c in side) for side in (self.y_true, self.y_pred))
        return replace(
            self, y_true=true, y_pred=pred, evidence=evidence, neighbourhood=around, titles={}
        )

    def _visible(self) -> Explanation:
        """Return the explanation with all names in one line each."""
        parts = (self.evidence, self.neighbourhood)
        classes = {*self.y_true, *self.y_pred}.union(*map(names_in, parts))
        known = {name: visible(str(name)) for name in classes}
        called = self._called(known) if any(k != name for name, k in known.items()) else self
        return replace(
            called, system=visible(str(self.system)), instance=visible(str(self.instance))
        )

    def to_text(self, digits: int = 4, names: str = "both") -> str:
        """Return tables of the evidence, followed by the signature; ``names`` as in named().

        Line ends and signs that steer a terminal are spelled out.
        """
        return visible_lines(explanation_text(self.named(names)._visible(), digits))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; infinite and undefined numbers become None."""
        kind = KINDS[type(self.evidence)]
        data = {
            "system": self.system,
            "instance": self.instance,
            "measure": self.measure.name,
            "value": self.value,
            "y_true": self.y_true,
            "y_pred": self.y_pred,
            **({"titles": dict(self.titles)} if self.titles else {}),
            kind: asdict(self.evidence),
            "hierarchy": asdict(self.neighbourhood),
            "signature": self.measure.of_instance,
        }
        plain: dict[str, Any] = _plain(data)
        return plain

    def to_json(self) -> str:
        """Return :meth:`to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)


def explain(
    hierarchy: Hierarchy,
    y_true: Any,
    y_pred: Any,
    measures: Sequence[str | Measure] | str | Measure = ("gie", "hf"),
    *,
    instances: Iterable[Hashable] = (0,),
    system: str = "system",
    unknown: Unknown = "error",
    missing: Literal["error", "empty"] = "error",
    most: int = 60,
    **conventions: Any,
) -> list[Explanation]:
    """Explain instances under measures.

    Parameters
    ----------
    hierarchy, y_true, y_pred
        The classes and the labels, as :func:`hierpair.score` takes them (one system).
    measures
        Measures or their names.
    instances
        Ids of instances or, where there are none, positions from 0.
    system
        What the system is called.
    unknown, missing
        See :meth:`LabelSets.from_labels` and :func:`hierpair.labels.match_instances`.
    most
        Classes in the neighbourhood, at most.
    conventions
        Options for all measures that have them.

    Returns
    -------
    list of Explanation
        Instance by instance, measure by measure.

    Raises
    ------
    BadInput
        For an unknown instance, or labels that do not fit.
    Infeasible
        If an instance has no value for a reason other than its pairing. An instance without a
        possible pairing is explained: its value is nan, and ``evidence.blocking`` holds the bounds
        that cannot hold together.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
    >>> why = explain(tree, [["b", "d"]], [["c"]], "gie")[0]
    >>> why.value, [(p.cost, p.chosen) for p in why.evidence.pairs]
    (7.0, [(3.0, False), (2.0, True)])
    >>> why.evidence.optimal, why.evidence.bound
    (True, 7.0)
    """
    _whole(most, "most")
    truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
    prediction = LabelSets.from_labels(y_pred, hierarchy, unknown=unknown, source=system)
    prediction = match_instances(truth, prediction, missing=missing, system=system)
    chosen = chosen_measures(measures, conventions)
    order = OrderOfPairs()
    order.look(named_pairs_of(chosen), truth, prediction, hierarchy)
    order.check()
    found = []
    for at in _positions(truth, instances):
        for m in chosen:
            try:
                found.append(_explained(hierarchy, truth, prediction, m, at, system, most))
            except (BadInput, Infeasible, SolverLimit) as error:
                name = truth.ids[at] if truth.ids is not None else at
                said = f"{error.reason} (measure {m.name}) (system {system})"
                raise type(error)(said, name) from error
    return found


def explain_worst(
    hierarchy: Hierarchy,
    y_true: Any,
    y_pred: Any,
    measures: Sequence[str | Measure] | str | Measure = ("gie", "hf"),
    *,
    k: int = 3,
    system: str = "system",
    on_progress: Callable[[str, int, int], None] | None = None,
    unknown: Unknown = "error",
    missing: Literal["error", "empty"] = "error",
    most: int = 60,
    **conventions: Any,
) -> list[Explanation]:
    """Explain the ``k`` instances with the worst values of the first measure.

    Of equal values the first instances are taken; an instance without a possible pairing is worse
    than any other. ``on_progress`` is that of
    :func:`hierpair.score`, the other parameters are those of :func:`explain`.
    """
    _whole(k, "the number of instances")
    chosen = chosen_measures(measures, conventions)
    truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
    prediction = LabelSets.from_labels(y_pred, hierarchy, unknown=unknown, source=system)
    scores = score(
        hierarchy, truth, {system: prediction}, chosen[:1], missing=missing,
        on_infeasible="nan", on_progress=on_progress,
    )  # fmt: skip
    names: Any = scores.ids or range(scores.n_instances)
    undefined = np.isnan(scores.per_instance[system][:, 0])
    blocked = [names[i] for i in np.flatnonzero(undefined)[:k]] if scores.n_infeasible else []
    worst = [*blocked, *scores.worst(system, chosen[0].name, k - len(blocked))]
    return explain(
        hierarchy, truth, prediction, chosen, instances=worst, system=system, missing=missing,
        most=most,
    )  # fmt: skip


def _whole(given: Any, what: str) -> None:
    """Refuse what is no whole number from 1."""
    if not isinstance(given, int) or isinstance(given, bool):
        raise BadInput(f"{what} must be a whole number, got {shown(given)}")
    if given < 1:
        raise BadInput(f"{what} must be at least 1, got {given}")


def _positions(truth: LabelSets, instances: Iterable[Hashable]) -> list[int]:
    """Return the positions of instances; a text may stand for a number."""
    if isinstance(instances, (str, bytes)) or not isinstance(instances, Iterable):
        raise BadInput(f"instances are a list of ids or positions, got {shown(instances)}")
    check_order(instances, "instances")
    if not len(truth):
        raise BadInput("y_true has no instances")
    known: Mapping[Any, int] = (
        {i: i for i in range(len(truth))}
        if truth.ids is None
        else {name: i for i, name in enumerate(truth.ids)}
    )
    spelled: dict[str, int] | None = None
    found = []
    for wanted in instances:
        at = known.get(wanted)
        if at is None:
            spelled = spelled or {str(name): i for name, i in known.items()}
            at = spelled.get(str(wanted))
        if at is None:
            near = did_you_mean(wanted, known) if truth.ids is not None else ""
            some = (
                f"0 … {len(truth) - 1}" if truth.ids is None else f"such as {shown(truth.ids[0])}"
            )
            raise BadInput(
                f"there is no instance {shown(wanted)}{near}; there are {len(truth)}: {some}"
            )
        found.append(at)
    return found


def _explained(
    hierarchy: Hierarchy,
    truth: LabelSets,
    prediction: LabelSets,
    chosen: Measure,
    at: int,
    system: str,
    most: int,
) -> Explanation:
    name = truth.ids[at] if truth.ids is not None else at
    one = truth.part(at, at + 1)
    recipe = chosen.recipe
    batch = Batch(
        hierarchy, one, prediction.part(at, at + 1), first=at, n_all=len(truth),
        on_infeasible="nan" if isinstance(recipe, PairRecipe) else "raise",
    )  # fmt: skip
    evidence: Evidence
    if isinstance(recipe, PairRecipe):
        evidence = pair_evidence(batch, recipe)
    elif isinstance(recipe, LcaRecipe):
        evidence = extension_evidence(batch, recipe)
    elif isinstance(recipe, ConfusionRecipe):
        evidence = confusion_evidence(batch, recipe)
    else:
        evidence = set_evidence(batch, recipe)
    value = chosen.values(batch.counts(recipe))
    labels = one.indices, batch.y_pred.indices
    if isinstance(evidence, ExtensionEvidence):
        around = grown_neighbourhood(hierarchy, *labels, evidence, most=most)
    elif isinstance(evidence, ConfusionEvidence):
        around = field_neighbourhood(hierarchy, evidence)
    else:
        pairing = evidence if isinstance(evidence, PairEvidence) else None
        around = neighbourhood(hierarchy, *labels, pairing, most=most)
    true, pred = (tuple(side.names_of(0, hierarchy)) for side in (batch.y_true, batch.y_pred))
    titles = hierarchy.titles
    parts = () if not titles else (evidence, around)
    occurring = {*true, *pred}.union(*map(names_in, parts))
    return Explanation(
        system,
        name,
        chosen,
        float(value[0]),
        true,
        pred,
        evidence,
        around,
        {c: titles[c] for c in sorted(occurring & titles.keys(), key=str)} if titles else {},
    )


def _plain(thing: Any) -> Any:
    """Return data that JSON knows."""
    if isinstance(thing, Mapping):
        return {str(k): _plain(v) for k, v in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [_plain(v) for v in thing]
    if isinstance(thing, np.generic):
        thing = thing.item()
    if isinstance(thing, float):
        return thing if math.isfinite(thing) else None
    return thing if isinstance(thing, (str, int, bool, type(None))) else str(thing)
