"""The instances of a page: which are listed, with labels, values, texts and explanations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest
from math import isnan
from typing import Any

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
from hierpair.evaluation.scores import lowest_places, worst_places
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

LONGEST_TEXT = 5_001
"""Characters of a text that a page shows."""


def texts_of(texts: Any, scores: Scores) -> tuple[dict[str, str], list[str]]:
    """Return texts by the ids of their instances, and sentences on texts that are of none.

    Texts are one per instance in their order, ``{id: text}``, or a Series of pandas with ids as
    its index. An id may be a text in one place and a number in the other.
    """
    if texts is None:
        return {}, []
    names = [str(name) for name in scores.ids or range(scores.n_instances)]
    if hasattr(texts, "items"):
        given = [(str(name), text) for name, text in texts.items()]
    else:
        check_several(texts, "texts are a list of texts or {id: text}")
        if len(texts) != len(names):
            raise BadInput(
                f"{counted(len(texts), 'text')} for {counted(len(names), 'instance')}; "
                "give one per instance, or {id: text}"
            )
        given = [*zip(names, texts, strict=True)]
    check_unique(
        (name for name, _ in given),
        lambda twice: f"the instance {shown(twice, 40)} has two texts; give it one",
    )
    known = {*names}
    foreign = [name for name, _ in given if name not in known]
    if len(foreign) == len(given):
        raise BadInput(
            f"no text has the id of an instance: there is {listed(foreign, 1)} among the texts "
            f"and {shown(names[0], 40)} among the instances"
        )
    told = (
        f"Texts whose id is of no instance are left out, {len(foreign):,} of "
        f"{counted(len(given), 'text')}: {listed(foreign, 5)}."
    )
    cut = {
        name: shortened(str(text), LONGEST_TEXT)
        for name, text in given
        if text is not None and not (isinstance(text, float) and isnan(text))
    }
    return cut, [told] * bool(foreign)


MOST_ROWS = 300
"""Instances that a page shows, at most."""

MOST_EXPLAINED, EXPLAINED_OF_LARGE = 150, 60
"""Explanations of one system under one measure, at most; and of large data, of which each takes
longer."""

MOST_BYTES = 125_000
"""Size of an explanation, before it is packed."""

MOST_PAIRS, MOST_LCA_PAIRS = 20_000, 400
"""Pairs of labels of an instance beyond which an explanation is not tried: the graphs of LCA
measures are searched for once more, which may take minutes."""

MOST_DRAWN, MOST_LINES = 150, 200
"""Pairs of a picture, of more the chosen ones are drawn; and rows of a table that explains."""


def instances_data(
    subject: Subject, k: int, place: Ints, texts: Mapping[str, str]
) -> dict[str, Any]:
    """Return the lists of ``k`` instances, and what is known of every instance in one of them.

    ``place`` is the number of every class on the page; texts are by id. The first instances of all
    lists are explained, then the second ones …, while there is room.
    """
    n_measures = len(subject.scores.measures)
    n_listed = min(LISTED_OF_LARGE, n_measures) if subject.large else n_measures
    every = [found for m in range(n_listed) for found in _lists(subject, k, m) if found["rows"]]
    lists, rows = list[dict[str, Any]](), dict[int, dict[str, Any]]()
    for found in every:
        if len({*rows, *found["rows"]}) <= MOST_ROWS:
            lists.append(found)
            rows |= {at: _row(subject, at, place, texts) for at in found["rows"] if at not in rows}
    wanted = dict.fromkeys(
        (at, i, found["measure"])
        for turn in zip_longest(*(found["rows"] for found in lists))
        for found, at in zip(lists, turn, strict=True)
        for i in np.atleast_1d(found["system"]).tolist()
        if at is not None
    )
    left, n_made = EXPLAINED_OF_LARGE if subject.large else MOST_EXPLAINED, 0
    for at, i, m in wanted:
        told = _explanation(subject, at, i, m) if n_made < left else None
        if told is not None and len(small_json(told)) <= MOST_BYTES:
            rows[at]["explained"][f"{i},{m}"] = told
            n_made += 1
    number = {at: k for k, at in enumerate(rows)}
    notes = {
        f"Every list has at most {counted(k, 'instance')}": True,
        f"{len(every) - len(lists)} of {len(every)} lists are left out, since the page has room "
        f"for {MOST_ROWS} instances": len(every) > len(lists),
        f"{n_made:,} of {len(wanted):,} explanations are on the page, those that stand first in "
        "their lists; hierpair explain makes the others": n_made < len(wanted),
        f"of {n_measures} measures the first {n_listed} have lists": n_listed < n_measures,
        "an instance for which one system has no pairing is left out for all under that measure, "
        "so it has no value (–) and stands in the lists of that system alone": bool(
            subject.scores.no_pairing_at
        ),
    }
    note = "; ".join(text for text, occurs in notes.items() if occurs)
    return {
        "note": f"{note}.",
        "lists": [found | {"rows": [number[at] for at in found["rows"]]} for found in lists],
        "rows": [*rows.values()],
    }


def _lists(subject: Subject, k: int, m: int) -> Iterator[dict[str, Any]]:
    """Yield the worst instances of every system, and the largest gains and losses of the best
    system against every other.
    """
    scores, measure, names = subject.scores, subject.scores.measures[m], subject.systems
    upwards = [measure.sign * scores.per_instance[name][:, m] for name in names]
    wanted: list[tuple[str, str, Any, Any]] = [
        ("worst", f"{name}: worst", i, worst_places(scores, name, m, k))
        for i, name in enumerate(names)
    ]
    best = int(np.nan_to_num(scores.measures[0].sign * subject.values[:, 0], nan=-np.inf).argmax())
    for i in range(len(names)):
        for a, b in ((best, i), (i, best)) if i != best else ():
            lead = upwards[a] - upwards[b]
            most = lowest_places(np.where(lead > 0, -lead, np.nan), k).tolist()
            wanted.append(("difference", f"{names[a]} ahead of {names[b]}", [best, i], most))
    for kind, title, system, rows in wanted:
        by = f"{title} by {measure.label}"
        yield {"kind": kind, "title": by, "system": system, "measure": m, "rows": rows}


def _row(subject: Subject, i: int, place: Ints, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return what is known of an instance."""
    scores, labels = subject.scores, subject.labels
    name = str(i if scores.ids is None else scores.ids[i])
    every = (scores.per_instance[system][i].tolist() for system in subject.systems)

    def placed(sets: Any) -> Any:
        return place[sets.part(i, i + 1).indices].tolist()

    return {
        "id": name, "text": texts.get(name), "true": placed(labels.truth),
        "pred": [placed(labels.systems[system]) for system in subject.systems],
        "values": [[None if isnan(x) else x for x in each] for each in every], "explained": {},
    }  # fmt: skip


def _explanation(subject: Subject, position: int, i: int, m: int) -> dict[str, Any] | None:
    """Explain one instance; None where it has too many labels, or cannot be explained."""
    labels, system, measure = subject.labels, subject.systems[i], subject.scores.measures[m]
    sides = labels.truth, labels.systems[system]
    n_pairs = np.prod([side.lengths[position] for side in sides])
    if n_pairs > (MOST_LCA_PAIRS if measure.definition.family == "lca" else MOST_PAIRS):
        return None
    try:
        why = explained_at(labels.hierarchy, *sides, measure, position, system)
    except HierpairError:  # told as one that was left out
        return None
    value = float(subject.scores.per_instance[system][position, m])
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
    """Return the pictures of an explanation, each with its title, as elements of SVG that say what
    they show to those who do not see them.
    """
    found, letters, around = list[tuple[str, Any]](), Letters(), why.neighbourhood
    flow = getattr(why.evidence, "proof", why.evidence)
    if isinstance(flow, FlowEvidence) and not flow.written and not flow.blocking:
        scene = pairing_scene(flow, letters)
        if len(flow.pairs) > MOST_DRAWN:
            kept = [shape for shape in scene.shapes if not shape.look.startswith("idle")]
            scene = replace(scene, shapes=kept)
        pairs = ["–".join(map(str, p.of)) for p in flow.pairs if p.units]
        found.append(("The pairing", svg(scene, f"The pairing: {listed(pairs)}")))
    if around.nodes:
        title = "In the hierarchy" if around.lcas is None else "The two graphs"
        words = "; ".join(
            f"{side}: {listed([str(node.name) for node in around.nodes if getattr(node, side)])}"
            for side in ("true", "predicted")
        )
        found.append((title, svg(neighbourhood_scene(around, letters), f"{title}: {words}")))
    return found
