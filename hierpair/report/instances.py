"""The instances of a page: which are listed, with labels, values, texts and explanations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import Any, NamedTuple

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


class InstanceList(NamedTuple):
    """Instances that stand together on a page: ``"worst"`` ones of a system, or those in which two
    differ (``"difference"``), by number of the measure.
    """

    kind: str
    title: str
    systems: tuple[int, ...]
    measure: int
    places: Ints


def instance_lists(subject: Subject, k: int) -> list[InstanceList]:
    """Return the lists of ``k`` instances, the most telling first."""
    n_listed = LISTED_OF_LARGE if subject.is_large else len(subject.measures)
    measures = range(min(n_listed, len(subject.measures)))
    lists = (_lists(subject, k, m) for m in measures)
    return [found for of_measure in lists for found in of_measure if len(found.places)]


def _upwards(subject: Subject, system: str, m: int) -> Floats:
    """Return the values of the instances, errors with their sign turned."""
    values: Floats = subject.scores.per_instance[subject.shown_runs[system]][:, m]
    return values if subject.measures[m].higher_is_better else -values


def _named(subject: Subject, system: str) -> str:
    """Return the name of a system, with its run where it has several."""
    run = subject.shown_runs[system]
    return system if run == system else f"{system} (run {run})"


def _lists(subject: Subject, k: int, m: int) -> Iterator[InstanceList]:
    """Yield the worst instances of every system, of which those for which it has no pairing come
    first, and the largest gains and losses of the best system against every other.

    What is left out since another system has no pairing has no value, and is in no list.
    """
    own = subject.scores.no_pairing_at or subject.scores.infeasible_at
    label, best = subject.measures[m].label, subject.best
    values = [_upwards(subject, system, m) for system in subject.systems]
    names = [_named(subject, system) for system in subject.systems]
    for i, run in enumerate(subject.shown_runs.values()):
        none = np.zeros(0, dtype=np.int64)
        blocked = own.get((run, subject.measures[m].name), none)[:k]
        lowest = np.concatenate([blocked, lowest_places(values[i], k - len(blocked))])
        yield InstanceList("worst", f"{names[i]}: worst by {label}", (i,), m, lowest)
    for i in range(len(names) if subject.paired else 0):
        for a, b in ((best, i), (i, best)) if i != best else ():
            lead = values[a] - values[b]
            places = lowest_places(np.where(lead > 0, -lead, np.nan), k)
            title = f"{names[a]} ahead of {names[b]} by {label}"
            yield InstanceList("difference", title, (best, i), m, places)


LONGEST_TEXT = 5_000
"""Characters of a text that a page shows."""

TextOf = Callable[[int], str | None]
"""The text of the instance at a position, or None."""


def texts_of(texts: Any, scores: Scores) -> tuple[TextOf, list[str]]:
    """Return what tells the text of an instance, and sentences on texts that are of none.

    Texts are one per instance in their order, ``{id: text}``, or a Series of pandas with ids as
    its index. An id may be a text in one place and a number in the other.
    """
    if texts is None:
        return lambda at: None, []
    names = range(scores.n_instances) if scores.ids is None else scores.ids
    known = [str(name) for name in names]
    ids = set(known)
    if not hasattr(texts, "items") or (  # a Series without ids is in their order
        "0" not in ids and not isinstance(texts, Mapping) and [*texts.index] == [*range(len(texts))]
    ):
        if isinstance(texts, (str, bytes)) or not hasattr(texts, "__iter__"):
            raise BadInput(f"texts are a list of texts or {{id: text}}, got {shown(texts)}")
        if len(texts := list(texts)) != len(known):
            raise BadInput(
                f"{counted(len(texts), 'text')} for {counted(len(known), 'instance')}; "
                "give one per instance, or {id: text}"
            )
        texts = dict(zip(known, texts, strict=True))
    given = [(str(name), text) for name, text in texts.items()]
    spelled, foreign = dict(given), [name for name, _ in given if name not in ids]
    if (twice := first_repeated([name for name, _ in given])) is not None:
        raise BadInput(f"the instance {shown(twice, 40)} has two texts; give it one")
    if not given:
        raise BadInput("there is no text among the texts; give {id: text}, or leave them out")
    if len(foreign) == len(given):
        raise BadInput(
            f"no text has the id of an instance: there is {shown(foreign[0], 40)} among the texts "
            f"and {shown(names[0], 40)} among the instances"
        )
    told = (
        f"Texts whose id is of no instance are left out, {len(foreign):,} of "
        f"{counted(len(given), 'text')}: {listed(foreign, 5)}. "
        f"Instances without a text: {len(ids - spelled.keys()):,}."
    )
    return lambda at: _cut(spelled.get(known[at])), [told] * bool(foreign)


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


def instances_data(
    subject: Subject, labels: ScoredLabels, k: int, place: Ints, text_of: TextOf
) -> dict[str, Any]:
    """Return the lists of ``k`` instances, and what is known of every instance in one of them;
    ``place`` is the number of every class on the page.
    """
    every = instance_lists(subject, k)
    kept, rows = _kept(subject, every)
    at = {key: number for number, key in enumerate(rows)}
    explained, n_left_out = _explanations(subject, labels, kept, at)
    data = [
        _row(subject, labels, key, place, text_of) | {"explained": explained.get(i, {})}
        for i, key in enumerate(rows)
    ]
    lists = [_list(subject, found, at) for found in kept]
    n = sum(map(len, explained.values())), n_left_out
    return {"note": _note(subject, k, every, kept, *n), "lists": lists, "rows": data}


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
) -> tuple[dict[int, dict[str, Any]], int]:
    """Explain the instances of the lists, as many as there is room for; return how many are not."""
    by_row: dict[int, dict[str, Any]] = {}
    left, room, n_left_out = MOST_EXPLAINED, MOST_BYTES, 0
    if subject.is_large:
        left = EXPLAINED_OF_LARGE
    for row, position, i, m in _wanted(subject, lists, at):
        told = _explanation(subject, labels, position, i, m) if left and room > 0 else None
        size = len(small_json(told))
        if told is None or size > min(room, MOST_BYTES_EACH):
            n_left_out += 1
            continue
        by_row.setdefault(row, {})[f"{i},{m}"] = told
        left, room = left - 1, room - size
    return by_row, n_left_out


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
    n_made: int,
    n_left_out: int,
) -> str:
    """Say what is listed, and what was left out."""
    told = [f"Every list has at most {counted(k, 'instance')}"]
    if len(kept) < len(every):
        told.append(
            f"{len(every) - len(kept)} of {len(every)} lists are left out, since the page has "
            f"room for {MOST_ROWS} instances"
        )
    if n_left_out:
        told.append(
            f"{n_made:,} of {n_made + n_left_out:,} explanations are on the page, those that stand "
            "first in their lists; hierpair explain makes the others"
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
