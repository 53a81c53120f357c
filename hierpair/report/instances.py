"""The instances of a page: which are listed, with labels, values, texts and explanations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from hierpair.errors import (
    BadInput,
    HierpairError,
    check_several,
    check_unique,
    counted,
    listed,
    shortened,
    shown,
)
from hierpair.evaluation import Scores
from hierpair.evaluation.scores import ScoredLabels, lowest_places
from hierpair.explanation import Explanation, FlowEvidence
from hierpair.explanation.instances import check_value, explained_at
from hierpair.hierarchy.arrays import Ints
from hierpair.plots.letters import Letters
from hierpair.plots.neighbourhoods import neighbourhood_scene
from hierpair.plots.networks import pairing_scene
from hierpair.plots.scene import svg
from hierpair.report.packing import small_json
from hierpair.report.subject import Subject
from hierpair.report.tables import table_of
from hierpair.tables.forms import FORMS

LISTED_OF_LARGE = 3
"""Measures of large data that have lists: the first ones."""


Key = tuple[int, int | None]
"""An instance: its position and, where it is another object for every system, the system."""


class InstanceList(NamedTuple):
    """Instances that stand together on a page: ``"worst"`` ones of a system, or those in which two
    differ (``"difference"``), by number of the measure.
    """

    kind: str
    title: str
    systems: tuple[int, ...]
    measure: int
    keys: list[Key]


def _lists(subject: Subject, k: int, m: int) -> Iterator[InstanceList]:
    """Yield the worst instances of every system, of which those for which it has no pairing come
    first, and the largest gains and losses of the best system against every other.

    What is left out since another system has no pairing has no value, and is in no list.
    """
    scores, measure, best = subject.scores, subject.measures[m], subject.best
    own, runs = scores.no_pairing_at or scores.infeasible_at, subject.shown_runs
    upwards = [measure.sign * scores.per_instance[run][:, m] for run in runs.values()]
    names = [name if name == run else f"{name} (run {run})" for name, run in runs.items()]
    for i, run in enumerate(runs.values()):
        blocked = [*own.get((run, measure.name), ())][:k]
        lowest = [*blocked, *lowest_places(upwards[i], k - len(blocked))]
        keys: list[Key] = [(int(at), None if subject.paired else i) for at in lowest]
        yield InstanceList("worst", f"{names[i]}: worst by {measure.label}", (i,), m, keys)
    others = [i for i in range(len(names) if subject.paired else 0) if i != best]
    for a, b in (ends for i in others for ends in ((best, i), (i, best))):
        lead = upwards[a] - upwards[b]
        places = lowest_places(np.where(lead > 0, -lead, np.nan), k)
        title = f"{names[a]} ahead of {names[b]} by {measure.label}"
        keys = [(int(at), None) for at in places]
        yield InstanceList("difference", title, (best, a + b - best), m, keys)


LONGEST_TEXT = 5_001
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
    names = scores.ids or range(scores.n_instances)
    known = [str(name) for name in names]
    by_id = hasattr(texts, "items")
    if by_id and not isinstance(texts, Mapping) and "0" not in known:
        by_id = [*texts.index] != [*range(len(texts))]  # a Series without ids is in their order
    if by_id:
        given = [(str(name), text) for name, text in texts.items()]
    else:
        check_several(texts, "texts are a list of texts or {id: text}")
        in_order = [*texts]
        if len(in_order) != len(known):
            raise BadInput(
                f"{counted(len(in_order), 'text')} for {counted(len(known), 'instance')}; "
                "give one per instance, or {id: text}"
            )
        given = [*zip(known, in_order, strict=True)]
    spelled, ids = dict(given), set(known)
    foreign = [name for name in spelled if name not in ids]
    check_unique(
        (name for name, _ in given),
        lambda twice: f"the instance {shown(twice, 40)} has two texts; give it one",
    )
    if not given:
        raise BadInput("texts are empty; give {id: text}, or leave texts out")
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
    return shortened(str(text), LONGEST_TEXT)


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
    n_listed = LISTED_OF_LARGE if subject.is_large else len(subject.measures)
    measures = range(len(subject.measures))[:n_listed]
    every = [found for m in measures for found in _lists(subject, k, m) if found.keys]
    kept, rows = list[InstanceList](), dict[Key, dict[str, Any]]()
    for found in every:
        new = dict.fromkeys(key for key in found.keys if key not in rows)
        if len(rows) + len(new) <= MOST_ROWS:
            rows |= {key: _row(subject, labels, key, place, text_of) for key in new}
            kept.append(found)
    n_left_out = _explain(subject, labels, kept, rows)
    number = {key: at for at, key in enumerate(rows)}
    lists = [
        {
            "kind": kind,
            "title": title,
            "system": [*systems] if len(systems) > 1 else systems[0],
            "measure": measure,
            "rows": [number[key] for key in keys],
        }
        for kind, title, systems, measure, keys in kept
    ]
    n_made = sum(len(row["explained"]) for row in rows.values())
    note = _note(subject, k, every, len(every) - len(kept), n_made, n_left_out)
    return {"note": note, "lists": lists, "rows": [*rows.values()]}


def _row(
    subject: Subject, labels: ScoredLabels, key: Key, place: Ints, text_of: TextOf
) -> dict[str, Any]:
    i, of = key
    scores = subject.scores

    def placed(sets: Any) -> list[int]:
        found: list[int] = place[sets.part(i, i + 1).indices].tolist()
        return found

    row: dict[str, Any] = {
        "id": str(i if scores.ids is None else scores.ids[i]),
        "text": text_of(i),
        "true": placed(labels.truth),
        "pred": [],
        "values": [],
        "explained": {},
    }
    for number, (system, run) in enumerate(subject.shown_runs.items()):
        own = of is None or of == number
        values = scores.per_instance[run][i].tolist()
        row["pred"].append(placed(labels.systems[system]) if own else None)
        row["values"].append([x if own and not isnan(x) else None for x in values])
    return row


def _explain(
    subject: Subject,
    labels: ScoredLabels,
    lists: Sequence[InstanceList],
    rows: dict[Key, dict[str, Any]],
) -> int:
    """Explain the first instances of all lists, the second ones …, while there is room; return how
    many are not explained.
    """
    wanted = dict.fromkeys(
        (key, i, found.measure)
        for turn in zip_longest(*(found.keys for found in lists))
        for found, key in zip(lists, turn, strict=True)
        for i in found.systems
        if key is not None
    )
    left, room = EXPLAINED_OF_LARGE if subject.is_large else MOST_EXPLAINED, MOST_BYTES
    n_made = 0
    for key, i, m in wanted:
        told = _explanation(subject, labels, key[0], i, m) if n_made < left and room > 0 else None
        size = len(small_json(told))
        if told is not None and size <= min(room, MOST_BYTES_EACH):
            rows[key]["explained"][f"{i},{m}"] = told
            n_made, room = n_made + 1, room - size
    return len(wanted) - n_made


def _explanation(
    subject: Subject, labels: ScoredLabels, position: int, i: int, m: int
) -> dict[str, Any] | None:
    """Explain one instance; None where it has too many labels, or cannot be explained."""
    system, measure = subject.systems[i], subject.measures[m]
    prediction = labels.systems[system]
    sides = (sets.part(position, position + 1) for sets in (labels.truth, prediction))
    n_pairs = np.prod([side.lengths for side in sides])
    if n_pairs > (MOST_LCA_PAIRS if measure.definition.family == "lca" else MOST_PAIRS):
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
        table_of(replace(block, rows=block.rows[:MOST_LINES]))
        | {"title": block.title, "left": max(0, len(block.rows) - MOST_LINES)}
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
    flow = getattr(why.evidence, "proof", why.evidence)
    if isinstance(flow, FlowEvidence) and not flow.written and not flow.blocking:
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
    n_lists_left_out: int,
    n_made: int,
    n_left_out: int,
) -> str:
    """Say what is listed, and what was left out."""
    told = [f"Every list has at most {counted(k, 'instance')}"]
    if n_lists_left_out:
        told.append(
            f"{n_lists_left_out} of {len(every)} lists are left out, since the page has "
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
