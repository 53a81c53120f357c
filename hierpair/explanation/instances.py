"""One explained instance: its evidence, checked against its score, as text and as plain data."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from functools import cache
from itertools import product
from typing import Any, cast

import numpy as np

from hierpair.errors import (
    BadInput,
    Infeasible,
    SolverLimit,
    check_choice,
    check_several,
    shown,
    visible,
)
from hierpair.errors import unknown as unknown_name
from hierpair.evaluation.checked import asked_to_count, chosen_measures, counting_truth, truth_of
from hierpair.evaluation.progress import OnProgress
from hierpair.evaluation.scores import worst_places
from hierpair.evaluation.scoring import score
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.labels import LabelSets, Unknown, match_instances
from hierpair.labels.naming import Missing, check_order
from hierpair.measures import Batch, Measure, PairRecipe, SetRecipe
from hierpair.measures.class_weights import counts_of_truth
from hierpair.measures.evidence import FieldEvidence, FlowEvidence, Neighbourhood
from hierpair.measures.evidence.flows import listed_classes
from hierpair.measures.evidence.graphs import Name
from hierpair.measures.recipes.solved import check_named_pairs, pairs_seen
from hierpair.tables import Block, Content, Page, Records, Tabular, json_text
from hierpair.tables.text import number

VIEWS = ("auto", "network", "hierarchy")
"""What a picture shows: the flow network of a pairing or the hierarchy around the labels."""

STYLES = ("ids", "names", "both")
"""How classes are shown: by id, by what people call them, or by both."""


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Tabular):
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
    left_out
        Labels of either side that do not count (``ignore``, ``classes``).
    """

    system: str
    instance: Hashable
    measure: Measure
    value: float
    y_true: tuple[Name, ...]
    y_pred: tuple[Name, ...]
    evidence: FieldEvidence | FlowEvidence
    neighbourhood: Neighbourhood
    titles: Mapping[Hashable, str] = field(default_factory=dict)
    left_out: tuple[Name, ...] = ()

    def __repr__(self) -> str:
        return f"Explanation({self.measure.name} of {shown(self.instance)}: {self.value!r})"

    @property
    def no_pairing(self) -> bool:
        """Whether there is no value because no pairing is possible."""
        return isinstance(self.evidence, FlowEvidence) and bool(self.evidence.blocking)

    @property
    def title(self) -> str:
        """System, instance, measure and value in one line."""
        value = ": no pairing" if self.no_pairing else f" = {self.value:.4g}"
        return f"{self.system}, instance {self.instance}: {self.measure.name}{value}"

    def named(self, names: str = "both") -> Explanation:
        """Return the explanation with other names of classes, such as for a picture.

        Parameters
        ----------
        names
            ``"ids"``: as labels are written; ``"names"``: what people call the classes, where
            the hierarchy has titles; ``"both"``.
        """
        known = shown_names(self.classes(), self.titles, names)
        return cast(Explanation, _renamed(self, known.__getitem__))

    def classes(self) -> list[Hashable]:
        """Return all classes that occur."""
        found: dict[Hashable, Hashable] = {}
        _renamed(self, lambda name: found.setdefault(name, name))
        return [*found]

    def content(self, digits: int | None = None, names: str = "both") -> Content:
        """Return tables of the evidence and what it proves; ``names`` as in :meth:`named`."""
        header = ["system", "instance", "measure", "value"]
        row = [self.system, self.instance, self.measure.name, self.value]
        return Content(
            lambda: Records(header, [row]),
            lambda form: self._page(4 if digits is None else digits, names),
            self.to_dict,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; infinite and undefined numbers become None."""
        data = {
            "system": self.system,
            "instance": self.instance,
            "measure": self.measure.name,
            "value": self.value,
            "y_true": self.y_true,
            "y_pred": self.y_pred,
            **({"titles": dict(self.titles)} if self.titles else {}),
            self.evidence.kind: asdict(self.evidence),
            "hierarchy": asdict(self.neighbourhood),
            "signature": self.measure.of_instance,
        }
        return cast(dict[str, Any], json.loads(json_text(data, indent=None)))

    def network_in(self, view: str) -> FlowEvidence | None:
        """Return the pairing or network that a view shows; None if it shows the hierarchy.

        Parameters
        ----------
        view
            ``"network"``: the pairing; ``"hierarchy"``: the part of the hierarchy around the
            labels; ``"auto"``: the pairing of a pair-based measure, else the hierarchy.

        Raises
        ------
        BadInput
            For the network of a measure that pairs nothing at least cost.
        """
        check_choice("view", view, VIEWS)
        own = self.evidence
        flow = own if isinstance(own, FlowEvidence) else own.proof
        if view == "network" and flow is None:
            raise BadInput(f"{self.measure.name} has no pairing to draw; take view='hierarchy'")
        return flow if view == "network" or (view == "auto" and flow is own) else None

    def _page(self, digits: int, names: str) -> Page:
        """Return all that is shown."""
        named = self.named(names)
        is_ = "has no value: no pairing is possible"
        if not self.no_pairing:
            arrow = "higher" if self.measure.higher_is_better else "lower"
            is_ = f"= {number(self.value, digits)} ({arrow} is better)"
        title = f"{self.measure.name} {is_} for instance {self.instance} of {self.system}"
        labels = [["true", listed_classes(named.y_true)]]
        labels.append(["predicted", listed_classes(named.y_pred)])
        if self.left_out:
            labels.append(["not counted", listed_classes(named.left_out)])
        blocks, notes = [Block(["", "labels"], labels, title, align="ll")], list[str]()
        for part in named.evidence.parts(digits):
            if isinstance(part, Block):
                blocks.append(replace(part, foot=()))
            notes += part.foot if isinstance(part, Block) else part.split("\n")
        notes.append(f"formula: {self.measure.definition.formula}")
        return Page(blocks, notes, [self.measure.of_instance])


def shown_names(
    names: Iterable[Hashable], titles: Mapping[Hashable, str], style: str
) -> dict[Hashable, str]:
    """Return what each class is shown as; classes of the same title keep their ids too.

    >>> shown_names(["G:1", "G:2"], {"G:1": "death"}, "both")
    {'G:1': 'death (G:1)', 'G:2': 'G:2'}
    >>> shown_names(["G:1", "G:2", "G:3"], {"G:1": "death", "G:2": "death", "G:3": "life"}, "names")
    {'G:1': 'death (G:1)', 'G:2': 'death (G:2)', 'G:3': 'life'}
    """
    check_choice("names", style, STYLES)
    found = {name: str(name) if style == "ids" else titles.get(name, str(name)) for name in names}
    times = Counter(found.values())
    for name, title in found.items():
        if title != str(name) and (style == "both" or times[title] > 1):
            found[name] = f"{title} ({name})"
    return {name: visible(text) for name, text in found.items()}


@cache
def _parts(kind: type) -> tuple[tuple[str, bool], ...]:
    """Return the fields of a part of an explanation, and whether they hold names of classes."""
    if not is_dataclass(kind) or issubclass(kind, Measure):
        return ()
    return tuple((f.name, "Name" in str(f.type)) for f in fields(kind))


def _renamed(thing: Any, call: Callable[[Hashable], Hashable], names: bool = False) -> Any:
    """Return a part of an explanation with other names of classes."""
    if each := _parts(thing.__class__):
        changed = {name: _renamed(getattr(thing, name), call, has) for name, has in each}
        return replace(thing, **changed)
    if isinstance(thing, tuple):
        return tuple(_renamed(x, call, names) for x in thing)
    return call(thing) if names else thing


@takes_hierarchy
def explain(
    hierarchy: Hierarchy,
    y_true: Any,
    y_pred: Any,
    measures: Sequence[str | Measure] | str | Measure = ("gie", "hf"),
    *,
    instances: Iterable[Hashable] = (0,),
    worst: int | None = None,
    system: str = "system",
    on_progress: OnProgress = None,
    unknown: Unknown = "error",
    missing: Missing = "error",
    ignore: Any = None,
    ignore_ancestors: bool = True,
    classes: Any = None,
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
    worst
        Instead, how many instances with the worst values of the first measure. Of equal values
        the first instances are taken; one without a possible pairing is worse than any other.
    system
        What the system is called.
    on_progress
        That of :func:`hierpair.score`, which finds the worst ones.
    unknown, missing
        See :meth:`LabelSets.from_labels` and :func:`hierpair.labels.match_instances`.
    ignore, ignore_ancestors, classes
        What does not count, as for :func:`hierpair.score`.
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
    >>> why.value, [(p.cost, p.units) for p in why.evidence.pairs]
    (7.0, [(3.0, 0), (2.0, 1)])
    >>> why.evidence.optimal, why.evidence.bound
    (True, 7.0)
    """
    check_several(instances, "instances must be a list of ids or positions")
    check_order(instances, "instances")
    if worst is not None and (not isinstance(worst, int) or worst < 1):
        raise BadInput(f"worst must be a whole number of at least 1, got {shown(worst)}")
    counting, conventions = asked_to_count(ignore, ignore_ancestors, classes, conventions)
    hierarchy = counting.of_classes(hierarchy)
    chosen, places = chosen_measures(measures, conventions), list[int]()
    truth, prediction = matched_sides(
        [m.recipe for m in chosen], hierarchy, y_true, y_pred, unknown, missing, system
    )
    truth = counting.of_truth(truth, hierarchy, unknown)
    names, values = truth.ids or range(len(truth)), None
    if worst is not None:
        scores = score(
            hierarchy, truth, {system: prediction}, chosen[:1],
            on_infeasible="nan", on_progress=on_progress,
        )  # fmt: skip
        values = scores.per_instance[system][:, 0]
        places = worst_places(scores, system, 0, worst)
    else:
        known = {str(name): i for i, name in enumerate(names)}
        for wanted in instances:
            if str(wanted) not in known:
                raise unknown_name("instance", wanted, names)
            places.append(known[str(wanted)])
    found = []
    for at, m in product(places, chosen):
        try:
            why = explained_at(hierarchy, truth, prediction, m, at, system, most)
        except (BadInput, Infeasible, SolverLimit) as error:
            said = f"{error.reason} (measure {m.name}) (system {system})"
            raise type(error)(said, names[at]) from error
        if values is not None and m is chosen[0] and why.evidence.repeatable:
            check_value(why, float(values[at]), "score() gives")
        found.append(why)
    return found


def matched_sides(
    recipes: Iterable[Any],
    hierarchy: Hierarchy,
    y_true: Any,
    y_pred: Any,
    unknown: Unknown,
    missing: Missing,
    system: str,
) -> tuple[LabelSets, LabelSets]:
    """Return truth and prediction in one order, in which pairs that rules name may occur."""
    truth = truth_of(y_true, hierarchy, unknown)
    prediction = LabelSets.from_labels(y_pred, hierarchy, unknown=unknown, source=system)
    prediction = match_instances(truth, prediction, missing=missing, system=system)
    check_named_pairs(recipes, pairs_seen(recipes, hierarchy, truth, [prediction]))
    return truth, prediction


def explained_at(
    hierarchy: Hierarchy,
    truth: LabelSets,
    prediction: LabelSets,
    measure: Measure,
    at: int,
    system: str,
    most: int = 60,
) -> Explanation:
    """Explain the instance at a position; truth and prediction are matched already.

    An instance without a pairing is explained, too.
    """
    recipe = measure.recipe
    batch = Batch(
        hierarchy, truth.part(at, at + 1), prediction.part(at, at + 1), first=at, n_all=len(truth),
        on_infeasible="nan" if isinstance(recipe, PairRecipe) else "raise",
        counts=counts_of_truth(hierarchy, truth) if counting_truth([measure]) else None,
    )  # fmt: skip
    columns = batch.columns(recipe)
    value = float(measure.values(columns)[0])
    shows: Any = recipe if hasattr(recipe, "evidence") else SetRecipe("ancestors")
    evidence = shows.evidence(batch)
    around = evidence.around(hierarchy, batch.y_true.indices, batch.y_pred.indices, most)
    true, pred = (tuple(side.names_of(0, hierarchy)) for side in (batch.y_true, batch.y_pred))
    instance = at if truth.ids is None else truth.ids[at]
    why = Explanation(system, instance, measure, value, true, pred, evidence, around)
    if batch.given is not None:
        came = [name for side in batch.sides for name in side.names_of(0, hierarchy)]
        why = replace(why, left_out=tuple(x for x in dict.fromkeys(came) if x not in true + pred))
    if titles := hierarchy.titles:
        why = replace(why, titles={c: titles[c] for c in why.classes() if c in titles})
    if shows is recipe and evidence.repeatable:
        again = {name: np.array([x]) for name, x in evidence.columns.items()}
        check_value(why, float(measure.values({**columns, **again})[0]), "its evidence gives")
    return why


def check_value(why: Explanation, value: float, whose: str) -> None:
    """Refuse to explain a value that is not the one that was scored."""
    both_nan = math.isnan(why.value) and math.isnan(value)
    if not (both_nan or math.isclose(why.value, value, rel_tol=1e-12, abs_tol=1e-12)):
        raise AssertionError(
            f"{why.title}: the score is {why.value!r}, and {whose} {value!r}; please report this"
        )
