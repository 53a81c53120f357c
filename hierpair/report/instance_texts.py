"""The texts of instances that a page shows: matched with the instances, and cut."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isnan
from typing import Any

from hierpair.errors import BadInput, counted, first_repeated, listed, shown
from hierpair.evaluation import Scores

__all__ = ["LONGEST_TEXT", "TextOf", "texts_of"]

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
    if hasattr(texts, "index") and hasattr(texts, "items"):  # a Series
        names = list(texts.index)
        known = {str(name) for name in scores.ids or ()}
        in_order = scores.ids is None or names == list(range(len(names)))
        if not in_order or any(str(name) in known for name in names):
            twice = first_repeated(names)
            if twice is not None:
                raise BadInput(f"the instance {shown(twice, 40)} has two texts; give it one")
            return _by_id(dict(zip(names, texts, strict=True)), scores)
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Sequence):
        texts = _listed(texts)
    if len(texts) != scores.n_instances:
        raise BadInput(
            f"{counted(len(texts), 'text')} for {counted(scores.n_instances, 'instance')}; "
            "give one per instance, or {id: text}"
        )
    return lambda at: _cut(texts[at]), []


def _listed(texts: Any) -> list[Any]:
    if isinstance(texts, (str, bytes)) or not hasattr(texts, "__iter__"):
        raise BadInput(f"texts are a list of texts or {{id: text}}, got {shown(texts)}")
    return list(texts)


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
