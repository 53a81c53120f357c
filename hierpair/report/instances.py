"""The instances of a page: labels, values, texts and explanations of those that lists name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

from hierpair.errors import HierpairError, counted, listed
from hierpair.evaluation.scores import ScoredLabels
from hierpair.explanation import Explanation, FlowEvidence
from hierpair.explanation.instances import check_value, explained_at
from hierpair.hierarchy.arrays import Ints
from hierpair.plots.letters import Letters
from hierpair.plots.neighbourhoods import neighbourhood_scene
from hierpair.plots.networks import pairing_scene
from hierpair.plots.scene import svg
from hierpair.report.instance_lists import InstanceList, instance_lists
from hierpair.report.instance_texts import TextOf
from hierpair.report.packing import small_json
from hierpair.report.subject import Subject

__all__ = ["instances_data"]

MOST_ROWS, MOST_EXPLAINED, EXPLAINED_OF_LARGE = 300, 150, 60
"""Instances that a page shows, and explanations of one system under one measure, at most; and
of large data, of which each takes longer."""

MOST_BYTES, MOST_BYTES_EACH = 5_000_000, 125_000
"""Size of all explanations and of each, before they are packed."""

MOST_PAIRS, MOST_LCA_PAIRS = 20_000, 400
"""Pairs of labels of an instance beyond which an explanation is not tried: the graphs of LCA
measures are searched for once more, which may take minutes."""


MOST_DRAWN = 150
"""Pairs of a picture; of more the chosen ones are drawn."""


@dataclass(frozen=True, eq=False)
class _Explained:
    """Explanations by row and key, and how many were not made."""

    by_row: dict[int, dict[str, Any]]
    n_made: int
    n_left_out: int


def instances_data(
    subject: Subject, labels: ScoredLabels, k: int, n_true: Ints, place: Ints, text_of: TextOf
) -> dict[str, Any]:
    """Return the lists, and what is known of every instance in one of them.

    Parameters
    ----------
    subject, labels
        What the page is about, with values of instances.
    k
        Instances of a list.
    n_true
        By class, the instances whose truth has it or a class below.
    place
        The number on the page of every class.
    text_of
        The text of an instance.
    """
    every = instance_lists(subject, k, n_true)
    kept, rows = _kept(subject, every)
    at = {key: number for number, key in enumerate(rows)}
    explained = _explanations(subject, labels, kept, at)
    data = [
        _row(subject, labels, key, place, text_of) | {"explained": explained.by_row.get(i, {})}
        for i, key in enumerate(rows)
    ]
    lists = [_list(subject, found, at, place) for found in kept]
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


def _list(
    subject: Subject, found: InstanceList, at: dict[_Key, int], place: Ints
) -> dict[str, Any]:
    one, *other = found.systems
    return {
        "kind": found.kind,
        "title": found.title,
        "system": [one, *other] if other else one,
        "measure": found.measure,
        "subtree": None if found.subtree is None else int(place[found.subtree]),
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
    told = why.to_dict()
    del told["hierarchy"]  # its picture says it
    return told | {"drawings": _drawings(why.named("names"))}


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
