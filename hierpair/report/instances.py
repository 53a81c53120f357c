"""The instances of a page: which are listed, with labels, values, texts and explanations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np

from hierpair.errors import BadInput, HierpairError, counted, first_repeated, listed, shown
from hierpair.evaluation import Scores
from hierpair.evaluation.scores import ScoredLabels, lowest_places
from hierpair.explanation import Explanation, FlowEvidence
from hierpair.explanation.instances import check_value, explained_at
from hierpair.hierarchy.arrays import Floats, Ints
from hierpair.plots.letters import Letters
from hierpair.plots.neighbourhoods import neighbourhood_scene
from hierpair.plots.networks import pairing_scene
from hierpair.plots.scene import svg
from hierpair.report.packing import small_json
from hierpair.report.subject import Subject
from hierpair.tables.forms import FORMS

LISTED_OF_LARGE = 3
"""Measures of large data that have lists: the first ones."""


@dataclass(frozen=True, eq=False)
class InstanceList:
    """Instances that stand together on a page.

    Attributes
    ----------
    kind
        ``"worst"`` or ``"difference"``.
    title
        Above the list.
    systems
        Numbers of one system, or of two that differ.
    measure
        Number of the measure.
    places
        Positions of the instances.
    """

    kind: str
    title: str
    systems: tuple[int, ...]
    measure: int
    places: Ints


def instance_lists(subject: Subject, k: int) -> list[InstanceList]:
    """Return the lists of ``k`` instances, the most telling first.

    Parameters
    ----------
    subject
        With labels and values of instances.
    k
        Instances of a list.
    """
    n_listed = LISTED_OF_LARGE if subject.is_large else len(subject.measures)
    measures = range(min(n_listed, len(subject.measures)))
    lists = [
        *_worst(subject, k, 0),
        *_differences(subject, k, 0),
        *(found for m in measures[1:] for found in _worst(subject, k, m)),
        *(found for m in measures[1:] for found in _differences(subject, k, m)),
    ]
    return [found for found in lists if len(found.places)]


def _upwards(subject: Subject, system: str, m: int) -> Floats:
    """Return the values of the instances, errors with their sign turned."""
    values: Floats = subject.scores.per_instance[subject.shown_runs[system]][:, m]
    return values if subject.measures[m].higher_is_better else -values


def _named(subject: Subject, system: str) -> str:
    """Return the name of a system, with its run where it has several."""
    run = subject.shown_runs[system]
    return system if run == system else f"{system} (run {run})"


def _worst(subject: Subject, k: int, m: int) -> Iterator[InstanceList]:
    """Yield the worst instances of every system; those for which it has no pairing come first.

    What is left out since another system has no pairing has no value, and is in no list.
    """
    own = subject.scores.no_pairing_at or subject.scores.infeasible_at
    label, name = subject.measures[m].label, subject.measures[m].name
    for i, system in enumerate(subject.systems):
        none = np.zeros(0, dtype=np.int64)
        blocked = own.get((subject.shown_runs[system], name), none)[:k]
        values = _upwards(subject, system, m)
        lowest = lowest_places(values, k - len(blocked))
        title = f"{_named(subject, system)}: worst by {label}"
        yield InstanceList("worst", title, (i,), m, np.concatenate([blocked, lowest]))


def _differences(subject: Subject, k: int, m: int) -> Iterator[InstanceList]:
    """Yield the largest gains and losses of the best system against every other."""
    best = subject.best
    if len(subject.systems) < 2 or not subject.paired:
        return
    name, label = subject.systems[best], subject.measures[m].label
    ours = _upwards(subject, name, m)
    for i, other in enumerate(subject.systems):
        if i == best:
            continue
        gain = ours - _upwards(subject, other, m)
        for who, whom, lead in ((name, other, gain), (other, name, -gain)):
            places = lowest_places(np.where(lead > 0, -lead, np.nan), k)
            title = f"{_named(subject, who)} ahead of {_named(subject, whom)} by {label}"
            yield InstanceList("difference", title, (best, i), m, places)


LONGEST_TEXT = 5_000
"""Characters of a text that a page shows."""

TextOf = Callable[[int], str | None]
"""The text of the instance at a position, or None."""


def texts_of(texts: Any, scores: Scores) -> tuple[TextOf, list[str]]:
    """Return what tells the text of an instance, and sentences on texts that are of none.

    Parameters
    ----------
    texts
        A text per instance in their order, or ``{id: text}``; None: there are none. A Series of
        pandas is matched by its index where that has ids of instances.
    scores
        What was scored.

    Raises
    ------
    BadInput
        For another number of texts, or ids none of which is that of an instance.
    """
    if texts is None:
        return lambda at: None, []
    if isinstance(texts, Mapping):
        return _by_id(texts, scores)
    if hasattr(texts, "items"):  # a Series; without ids of instances it is in their order
        names, known = list(texts.index), set(map(str, scores.ids or ()))
        if names != list(range(len(names))) or any(str(name) in known for name in names):
            if (twice := first_repeated(names)) is not None:
                raise BadInput(f"the instance {shown(twice, 40)} has two texts; give it one")
            return _by_id(dict(zip(names, texts, strict=True)), scores)
    if isinstance(texts, (str, bytes)) or not hasattr(texts, "__iter__"):
        raise BadInput(f"texts are a list of texts or {{id: text}}, got {shown(texts)}")
    texts = list(texts)
    if len(texts) != scores.n_instances:
        raise BadInput(
            f"{counted(len(texts), 'text')} for {counted(scores.n_instances, 'instance')}; "
            "give one per instance, or {id: text}"
        )
    return lambda at: _cut(texts[at]), []


def _by_id(texts: Mapping[Any, Any], scores: Scores) -> tuple[TextOf, list[str]]:
    """Match by id; an id may be a text in one place and a number in the other."""
    names = range(scores.n_instances) if scores.ids is None else scores.ids
    spelled = {str(name): text for name, text in texts.items()}
    if not spelled:
        raise BadInput("there is no text among the texts; give {id: text}, or leave them out")
    known = {str(name) for name in names}
    foreign = [name for name in texts if str(name) not in known]
    if len(foreign) == len(texts):
        raise BadInput(
            f"no text has the id of an instance: there is {shown(foreign[0], 40)} among the texts "
            f"and {shown(names[0], 40)} among the instances"
        )
    told = []
    if foreign:
        n_without = len(known - spelled.keys())
        told.append(
            f"Texts whose id is of no instance are left out, {len(foreign):,} of "
            f"{counted(len(texts), 'text')}: {listed(foreign, 5)}."
            + (f" Instances without a text: {n_without:,}." if n_without else "")
        )
    return lambda at: _cut(spelled.get(str(names[at]))), told


def _cut(text: Any) -> str | None:
    if text is None or (isinstance(text, float) and isnan(text)):  # as data frames write it
        return None
    told = str(text)
    return told if len(told) <= LONGEST_TEXT else f"{told[:LONGEST_TEXT]}…"


MOST_ROWS, MOST_EXPLAINED, EXPLAINED_OF_LARGE = 300, 150, 60
"""Instances that a page shows, and explanations of one system under one measure, at most; and
of large data, of which each takes longer."""

MOST_BYTES, MOST_BYTES_EACH = 5_000_000, 125_000
"""Size of all explanations and of each, before they are packed."""

MOST_PAIRS, MOST_LCA_PAIRS = 20_000, 400
"""Pairs of labels of an instance beyond which an explanation is not tried: the graphs of LCA
measures are searched for once more, which may take minutes."""


MOST_DRAWN, MOST_LINES = 150, 200
"""Pairs of a picture, of more the chosen ones are drawn; and rows of a table that explains."""


@dataclass(frozen=True, eq=False)
class _Explained:
    """Explanations by row and key, and how many were not made."""

    by_row: dict[int, dict[str, Any]]
    n_made: int
    n_left_out: int


def instances_data(
    subject: Subject, labels: ScoredLabels, k: int, place: Ints, text_of: TextOf
) -> dict[str, Any]:
    """Return the lists, and what is known of every instance in one of them.

    Parameters
    ----------
    subject, labels
        What the page is about, with values of instances.
    k
        Instances of a list.
    place
        The number on the page of every class.
    text_of
        The text of an instance.
    """
    every = instance_lists(subject, k)
    kept, rows = _kept(subject, every)
    at = {key: number for number, key in enumerate(rows)}
    explained = _explanations(subject, labels, kept, at)
    data = [
        _row(subject, labels, key, place, text_of) | {"explained": explained.by_row.get(i, {})}
        for i, key in enumerate(rows)
    ]
    lists = [_list(subject, found, at) for found in kept]
    return {"note": _note(subject, k, every, kept, explained), "lists": lists, "rows": data}


_Key = tuple[int, int | None]
"""An instance: its position and, where it is another object for every system, the system."""


def _keys(subject: Subject, found: InstanceList) -> list[_Key]:
    of = None if subject.paired else found.systems[0]
    return [(i, of) for i in found.places.tolist()]


def _kept(
    subject: Subject, lists: Sequence[InstanceList]
) -> tuple[list[InstanceList], dict[_Key, None]]:
    """Return the lists that have room, and the instances in them."""
    kept, rows = [], dict[_Key, None]()
    for found in lists:
        with_it = rows | dict.fromkeys(_keys(subject, found))
        if len(with_it) <= MOST_ROWS:
            rows = with_it
            kept.append(found)
    return kept, rows


def _row(
    subject: Subject, labels: ScoredLabels, key: _Key, place: Ints, text_of: TextOf
) -> dict[str, Any]:
    i, of = key
    scores = subject.scores
    pred: list[list[int] | None] = []
    values: list[list[float | None]] = []
    for number, (system, run) in enumerate(subject.shown_runs.items()):
        foreign = of is not None and number != of
        numbers = scores.per_instance[run][i].tolist()
        pred.append(None if foreign else _placed(labels.systems[system], i, place))
        values.append([None if foreign or isnan(x) else x for x in numbers])
    return {
        "id": str(i if scores.ids is None else scores.ids[i]),
        "text": text_of(i),
        "true": _placed(labels.truth, i, place),
        "pred": pred,
        "values": values,
    }


def _placed(sets: Any, i: int, place: Ints) -> list[int]:
    found: list[int] = place[sets.indices[sets.indptr[i] : sets.indptr[i + 1]]].tolist()
    return found


def _list(subject: Subject, found: InstanceList, at: dict[_Key, int]) -> dict[str, Any]:
    one, *other = found.systems
    return {
        "kind": found.kind,
        "title": found.title,
        "system": [one, *other] if other else one,
        "measure": found.measure,
        "rows": [at[key] for key in _keys(subject, found)],
    }


def _wanted(
    subject: Subject, lists: Sequence[InstanceList], at: dict[_Key, int]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield row, position, system and measure, each once: the first of all lists, the second …"""
    seen = set()
    for rank in range(max((len(found.places) for found in lists), default=0)):
        for found in lists:
            for i in found.systems if rank < len(found.places) else ():
                key = _keys(subject, found)[rank]
                job = (at[key], key[0], i, found.measure)
                if job not in seen:
                    seen.add(job)
                    yield job


def _explanations(
    subject: Subject, labels: ScoredLabels, lists: Sequence[InstanceList], at: dict[_Key, int]
) -> _Explained:
    """Explain the instances of the lists, as many as there is room for."""
    by_row: dict[int, dict[str, Any]] = {}
    n_made, n_left_out, room = 0, 0, MOST_BYTES
    most = EXPLAINED_OF_LARGE if subject.is_large else MOST_EXPLAINED
    for row, position, i, m in _wanted(subject, lists, at):
        told = None
        if n_made < most and room > 0:
            told = _explanation(subject, labels, position, i, m)
        size = len(small_json(told))
        if told is None or size > min(room, MOST_BYTES_EACH):
            n_left_out += 1
            continue
        by_row.setdefault(row, {})[f"{i},{m}"] = told
        n_made, room = n_made + 1, room - size
    return _Explained(by_row, n_made, n_left_out)


def _explanation(
    subject: Subject, labels: ScoredLabels, position: int, i: int, m: int
) -> dict[str, Any] | None:
    """Explain one instance; None where it has too many labels, or cannot be explained."""
    system, measure = subject.systems[i], subject.measures[m]
    prediction = labels.systems[system]
    n_true, n_pred = (
        int(sets.indptr[position + 1] - sets.indptr[position])
        for sets in (labels.truth, prediction)
    )
    if n_true * n_pred > (MOST_LCA_PAIRS if measure.definition.family == "lca" else MOST_PAIRS):
        return None
    try:
        why = explained_at(labels.hierarchy, labels.truth, prediction, measure, position, system)
    except HierpairError:  # told as one that was left out
        return None
    value = float(subject.scores.per_instance[subject.shown_runs[system]][position, m])
    if not isnan(value):  # nan: another system has no pairing, so it is left out for all
        if not why.evidence.repeatable:
            return None
        check_value(why, value, "score() gives")
        why = replace(why, value=value)
    page = why.content().page(FORMS["text"])
    tables = [
        {
            "title": block.title,
            "header": block.header,
            "rows": block.rows[:MOST_LINES],
            "align": block.align or f"l{'r' * (len(block.header) - 1)}",
            "left": max(0, len(block.rows) - MOST_LINES),
        }
        for block in page.blocks[1:]  # the first one has the labels, which the page shows
    ]
    return {
        "value": None if isnan(why.value) else why.value,
        "tables": tables,
        "notes": list(page.notes),
        "signature": page.signatures[0],
        "drawings": _drawings(why.named("names")),
    }


def _drawings(why: Explanation) -> list[tuple[str, Any]]:
    """Return the pictures of an explanation, each with its title, as elements of SVG."""
    found, letters, around = list[tuple[str, Any]](), Letters(), why.neighbourhood
    flow = (
        why.evidence
        if isinstance(why.evidence, FlowEvidence)
        else getattr(why.evidence, "proof", None)
    )
    if flow is not None and not flow.written and not flow.blocking:
        scene = pairing_scene(flow, letters)
        if len(flow.pairs) > MOST_DRAWN:
            kept = [shape for shape in scene.shapes if not shape.look.startswith("idle")]
            scene = replace(scene, shapes=kept)
        pairs = ["–".join(map(str, p.of)) for p in flow.pairs if p.units]
        found.append(("The pairing", svg(scene, _words("The pairing", pairs))))
    if around.nodes:
        title = "In the hierarchy" if around.lcas is None else "The two graphs"
        sides = {
            which: [str(node.name) for node in around.nodes if getattr(node, which)]
            for which in ("true", "predicted")
        }
        words = "; ".join(_words(which, names) for which, names in sides.items())
        found.append((title, svg(neighbourhood_scene(around, letters), f"{title}: {words}")))
    return found


def _words(what: str, names: Sequence[str]) -> str:
    """Return what a picture shows, for those who do not see it."""
    return f"{what}: {listed(names, 20) or 'none'}"


def _note(
    subject: Subject,
    k: int,
    every: Sequence[InstanceList],
    kept: Sequence[InstanceList],
    explained: _Explained,
) -> str:
    """Say what is listed, and what was left out."""
    told = [f"Every list has at most {counted(k, 'instance')}"]
    if len(kept) < len(every):
        told.append(
            f"{len(every) - len(kept)} of {len(every)} lists are left out, since the page has "
            f"room for {MOST_ROWS} instances"
        )
    if explained.n_left_out:
        n = explained.n_made + explained.n_left_out
        told.append(
            f"{explained.n_made:,} of {n:,} explanations are on the page, those that stand first "
            "in their lists; hierpair explain makes the others"
        )
    n_listed = max((found.measure for found in every), default=0) + 1
    if subject.is_large and n_listed < len(subject.measures):
        told.append(f"of {len(subject.measures)} measures the first {n_listed} have lists")
    if subject.scores.no_pairing_at:
        told.append(
            "an instance for which one system has no pairing is left out for all under that "
            "measure, so it has no value (–) and stands in the lists of that system alone"
        )
    if not subject.paired:
        told.append("the instances are other objects for every system")
    return " ".join(["; ".join(told) + ".", subject.first_runs]).strip()
