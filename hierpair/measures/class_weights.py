"""Weights of classes: all alike, counted from annotations, or given; resolved to an array."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from hierpair.errors import BadInput, did_you_mean, shown
from hierpair.hierarchy import Hierarchy, leaf_information
from hierpair.hierarchy.arrays import Floats
from hierpair.io import read_labels
from hierpair.io.class_tables import class_weights as read_class_weights
from hierpair.io.files import file_state
from hierpair.labels import LabelSets
from hierpair.labels.annotation_counts import AnnotationCounts, annotation_counts, counted_weights
from hierpair.labels.naming import GO_ON

COUNTED = ("ia", "ic", "icm")
"""Weights that are counted from annotations."""

WORDS = ("ones", "leaves", *COUNTED)
"""Weights that have a name."""

DIGEST = 6
"""Bytes of the digests that signatures show."""


@dataclass(frozen=True)
class InMemoryData:
    """Weights by class or annotations in memory, as a measure holds them: equal by their digest."""

    kind: str
    digest: str
    content: Any = field(compare=False)

    def __repr__(self) -> str:
        return f"{self.kind}({self.digest})"


def weights_given(weights: Any) -> Any:
    """Return the option ``weights`` as a measure holds it: a word, a path, or given weights.

    A text that is no word must be a file; weights by class must be numbers ≥ 0, or inf.

    >>> weights_given({"a": 1, "b": 0.5})
    given(6855fa9f2214)
    """
    if isinstance(weights, Path):
        weights = str(weights)
    if isinstance(weights, str) and weights not in WORDS:
        try:
            file_state(weights)
        except BadInput as error:
            raise BadInput(
                f"the weights must be one of {', '.join(WORDS)}, a mapping, or a file of weights; "
                f"{error}{did_you_mean(weights, WORDS)}"
            ) from None
    if not hasattr(weights, "items"):
        return weights
    found: dict[Hashable, float] = {}
    for name, weight in weights.items():
        if name in found:
            raise BadInput(f"weights: class {shown(name)} has several weights; give it one")
        try:
            found[name] = float(weight)
        except (TypeError, ValueError):
            found[name] = float("nan")
        if not found[name] >= 0:
            raise BadInput(
                f"the weight of class {shown(name)} must be a number ≥ 0, got {shown(weight)}"
            )
    named = sorted((repr(name), weight) for name, weight in found.items())
    numbers = np.array([weight for _, weight in named], dtype="<f8")
    texts = "\n".join(name for name, _ in named)
    return InMemoryData("given", _digest(texts.encode(), numbers.tobytes()), found)


def annotations_given(reference: Any) -> Any:
    """Return the option ``reference`` as a measure holds it: None, a path, or annotations."""
    if isinstance(reference, (str, Path)):
        file_state(str(reference))
        return str(reference)
    if reference is None or isinstance(reference, InMemoryData):
        return reference
    if isinstance(reference, LabelSets):
        parts = (reference.numbering or "").encode(), reference.indptr, reference.indices
        return InMemoryData("annotations", _digest(*map(bytes, parts)), reference)
    if not isinstance(reference, Iterable):
        raise BadInput(
            f"reference must be annotations: label sets or a file of them, got {shown(reference)}"
        )
    labels = list(reference) if isinstance(reference, Iterator) else reference
    return InMemoryData("annotations", _digest(_text(labels).encode()), labels)


@dataclass(frozen=True)
class Weighting:
    """How classes weigh, before there are classes."""

    weights: Any = "ones"
    smooth: int = 1
    reference: Any = None

    @property
    def counts_truth(self) -> bool:
        """Whether it is counted from the truth that is evaluated, of which all has to be seen."""
        return self.weights in COUNTED and self.reference is None

    def array(
        self,
        hierarchy: Hierarchy,
        counts: AnnotationCounts | None = None,
        truth: LabelSets | None = None,
    ) -> Floats:
        """Return the weight of every class."""
        if self.counts_truth:
            if counts is None and truth is not None:
                counts = counts_of_truth(hierarchy, truth)
            if counts is None:
                raise BadInput(NEEDS_REFERENCE.format(self.weights))
            return counted_weights(hierarchy, counts, self.weights, self.smooth)
        files = [x for x in (self.weights, self.reference) if isinstance(x, str) and x not in WORDS]
        key = "class weights", self.weights, self.smooth, self.reference, *map(file_state, files)
        weights = hierarchy.cached(key, lambda: self._resolved(hierarchy))
        weights.setflags(write=False)
        return weights

    def _resolved(self, hierarchy: Hierarchy) -> Floats:
        if self.weights in COUNTED:
            counts = annotation_counts(hierarchy, _read(self.reference, hierarchy))
            return counted_weights(hierarchy, counts, self.weights, self.smooth)
        if self.weights == "ones":
            return np.ones(len(hierarchy))
        if self.weights == "leaves":
            return leaf_information(hierarchy)
        if isinstance(self.weights, InMemoryData):
            found = _by_class(self.weights.content, hierarchy)
        else:
            found = read_class_weights(self.weights, hierarchy)
        if not found.any():
            raise BadInput("weights: all classes have the weight 0, so none would count")
        return found


NOT_FINITE = (
    "class {} has no finite weight: it was never seen in the annotations that were counted "
    "(smooth=1 gives it one, or more annotations), or what is given as weights says inf"
)
NEEDS_REFERENCE = (
    "weights of classes ({0}) are counted from the whole truth, and here only a part of it can be "
    "seen; name the annotations that are counted: reference='FILE', or weigh by a file, which "
    "hierpair weights writes"
)


def class_weights(
    hierarchy: Hierarchy,
    weights: Any = "ones",
    *,
    smooth: int = 1,
    reference: Any = None,
    truth: LabelSets | None = None,
) -> Floats:
    """Return the weight of every class, in the order of their numbers."""
    chosen = Weighting(weights_given(weights), smooth, annotations_given(reference))
    return chosen.array(hierarchy, None, truth)


def counts_of_truth(hierarchy: Hierarchy, truth: LabelSets) -> AnnotationCounts:
    """Return how often the classes are annotated in a truth, counted once."""
    known: WeakKeyDictionary[LabelSets, AnnotationCounts]
    known = hierarchy.cached(("counted truths",), WeakKeyDictionary)
    if truth not in known:
        known[truth] = annotation_counts(hierarchy, truth)
    return known[truth]


def _read(reference: Any, hierarchy: Hierarchy) -> LabelSets:
    try:
        if isinstance(reference, str):
            return read_labels(reference, hierarchy)
        return LabelSets.from_labels(reference.content, hierarchy, source="reference")
    except BadInput as error:  # how labels of systems are treated says nothing of annotations
        remedy = "(leave it out of the annotations that are counted)"
        raise BadInput(error.reason.replace(GO_ON, remedy), error.instance) from None


def _by_class(weights: Mapping[Hashable, float], hierarchy: Hierarchy) -> Floats:
    for name in weights:
        if name not in hierarchy:
            raise BadInput(f"weights: {hierarchy.unknown_message(name)}")
    found = np.full(len(hierarchy), np.nan)
    found[hierarchy.index(weights)] = list(weights.values())
    absent = np.flatnonzero(np.isnan(found))
    if len(absent):
        raise BadInput(
            f"weights: class {shown(hierarchy.names[absent[0]])} has no weight; give it "
            "one, 0 if it should not count"
        )
    return found


def _text(labels: Any) -> str:
    """Return labels as a text that is the same in every process: sets have no order."""
    if isinstance(labels, Mapping):
        return f"{{{', '.join(f'{name!r}: {_text(row)}' for name, row in labels.items())}}}"
    if isinstance(labels, (set, frozenset)):
        return f"{{{', '.join(sorted(map(_text, labels)))}}}"
    if hasattr(labels, "tocsr"):
        cells = labels.tocsr()
        labels = [cells.shape, cells.indptr, cells.indices, cells.data]
    elif hasattr(labels, "columns"):
        labels = [list(labels.columns), np.asarray(labels)]
    elif hasattr(labels, "__array__"):
        labels = np.asarray(labels).tolist()
    if isinstance(labels, (list, tuple)):
        return f"[{', '.join(map(_text, labels))}]"
    return repr(labels)


def _digest(*lines: bytes) -> str:
    return hashlib.blake2b(b"".join(line + b"\n" for line in lines), digest_size=DIGEST).hexdigest()
