"""Which decoder is exact for which measure: the user names the measure, this finds the decoder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import depth_weights, excluded_classes, grown_weights
from hierpair.hierarchy.arrays import row_numbers
from hierpair.measures import Counts, Measure
from hierpair.probabilistic.decoding.class_by_class import CLASSWISE, Decoder
from hierpair.probabilistic.decoding.decoded import Decoded, DecodingCertificate
from hierpair.probabilistic.decoding.f_maximisation import decode_hf, decode_hp, decode_hr
from hierpair.probabilistic.decoding.micro_f import decode_micro_hf
from hierpair.probabilistic.decoding.separable_losses import decode_h_loss, decode_hamming
from hierpair.probabilistic.decoding.set_values import decode_set_value
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.probabilistic.node_scores import NodeScores

__all__ = ["exact_decoder"]


def exact_decoder(
    distribution: LabelDistribution | NodeScores, chosen: Measure, limit: float | None
) -> Decoder | None:
    """Return the decoder that is exact for the measure with its options, or None."""
    o = chosen.options
    if o.get("threshold") is not None:
        return None
    find = BY_NAME.get(chosen.definition.name)
    if find is not None:
        found = find(distribution, o, limit)
        if found is not None:
            return found
    return _by_sizes(distribution, chosen, limit)


# ------------------------------------------------------------------------------ sets


def _hierarchical(name: str) -> Callable[..., Decoder | None]:
    def find(
        distribution: LabelDistribution | NodeScores, o: Mapping[str, Any], limit: float | None
    ) -> Decoder | None:
        if o["augment"] not in ("ancestors", "none"):
            return None
        closed = o["augment"] == "ancestors"
        if o["average"] == "micro" and name == "hf" and o["beta"] > 0:
            scores = _marginals(distribution, closed)
            if closed and not scores.is_coherent():
                return None  # augmenting would add classes that the threshold left out
            return lambda: decode_micro_hf(scores, o["beta"], root=o["root"])
        if (
            o["average"] != "samples"
            or not isinstance(distribution, LabelDistribution)
            or np.isnan(o["zero_division"])
        ):
            return None
        common = {"root": o["root"], "closed": closed, "zero_division": o["zero_division"]}
        if name == "hf":
            return lambda: decode_hf(distribution, o["beta"], **common)
        decoder = decode_hp if name == "hp" else decode_hr
        return lambda: decoder(distribution, **common)

    return find


def _marginals(distribution: LabelDistribution | NodeScores, closed: bool) -> NodeScores:
    if isinstance(distribution, NodeScores):
        return distribution
    return distribution.marginals() if closed else distribution.label_marginals()


def _symmetric_difference(
    distribution: LabelDistribution | NodeScores, o: Mapping[str, Any], limit: float | None
) -> Decoder | None:
    if o["augment"] not in ("ancestors", "none"):
        return None
    scores = _marginals(distribution, o["augment"] == "ancestors")
    if o["augment"] == "ancestors" and not scores.is_coherent():
        return None
    return lambda: decode_hamming(scores, root=o["root"])


def _weighted_difference(
    distribution: LabelDistribution | NodeScores, o: Mapping[str, Any], limit: float | None
) -> Decoder | None:
    """Depth-weighted symmetric difference, as it is or as a share of a constant."""
    scores = _marginals(distribution, closed=True)
    if o.get("average") != "samples" or o["normalise"] == "path" or not scores.is_coherent():
        return None
    h = scores.hierarchy
    weight = depth_weights(h, o["w0"], o["depth"])
    if o["normalise"] == "max-path":
        weight = weight / (2 * grown_weights(h, o["w0"], o["depth"], o["root"]).max())
    return lambda: decode_hamming(scores, root=o["root"], weights=weight)


def _weighted_agreement(
    distribution: LabelDistribution | NodeScores, o: Mapping[str, Any], limit: float | None
) -> Decoder | None:
    find = _weighted_difference(distribution, o, limit)

    def decoder() -> Decoded:
        assert find is not None
        lost = find()
        value = 1 - lost.value
        said = replace(lost.certificate, bound=1 - lost.certificate.bound)
        return Decoded(lost.sets, value, "higher", said)

    return None if find is None else decoder


def _first_mistakes(
    distribution: LabelDistribution | NodeScores, o: Mapping[str, Any], limit: float | None
) -> Decoder | None:
    scores = _marginals(distribution, closed=True)
    h = scores.hierarchy
    left_out = excluded_classes(h, o["root"])
    if h.shape == "DAG" or np.diff(h.parent_ptr)[left_out].any() or not scores.is_coherent():
        return None
    return lambda: decode_h_loss(scores, costs=o["costs"], root=o["root"])


def _hamming(
    distribution: LabelDistribution | NodeScores, o: Mapping[str, Any], limit: float | None
) -> Decoder:
    scores = _marginals(distribution, closed=False)
    h = scores.hierarchy
    counted = len(h) - len(excluded_classes(h, o["root"]))
    return lambda: decode_hamming(scores, root=o["root"], weights=1 / max(1, counted))


def _level_hamming(
    distribution: LabelDistribution | NodeScores, o: Mapping[str, Any], limit: float | None
) -> Decoder | None:
    scores = _marginals(distribution, closed=True)
    if not scores.is_coherent():
        return None
    h = scores.hierarchy
    counted = np.ones(len(h), dtype=bool)
    counted[excluded_classes(h, o["root"])] = False
    size = np.bincount(h.levels[counted], minlength=int(h.levels[-1]) + 1)
    weight = 1 / (np.maximum(size, 1)[h.levels] * max(1, int((size > 0).sum())))
    return lambda: decode_hamming(scores, root=o["root"], weights=weight)


def _exact_match(
    distribution: LabelDistribution | NodeScores, o: Mapping[str, Any], limit: float | None
) -> Decoder | None:
    """The most probable label set."""
    if not isinstance(distribution, LabelDistribution):
        return None

    def decoder() -> Decoded:
        width = int(distribution.sets.lengths.max(initial=0))
        padded = np.full((len(distribution.p), width + 1), -1, dtype=np.int64)
        padded[:, 0] = row_numbers(distribution.indptr)
        column = np.arange(len(distribution.sets.indices)) - np.repeat(
            distribution.sets.indptr[:-1], distribution.sets.lengths
        )
        padded[row_numbers(distribution.sets.indptr), column + 1] = distribution.sets.indices
        kinds, first, kind = np.unique(padded, axis=0, return_index=True, return_inverse=True)
        mass = np.bincount(kind.ravel(), distribution.p, minlength=len(kinds)).astype(np.float64)
        owner = kinds[:, 0]
        order = np.lexsort((first, -mass, owner))
        lead = order[np.unique(owner[order], return_index=True)[1]]
        value = mass[lead]
        sets = replace(distribution.sets.take(first[lead]), ids=distribution.ids)
        said = DecodingCertificate("most probable label set", True, value)
        return Decoded(sets, value, "higher", said)

    return decoder


def _by_sizes(
    distribution: LabelDistribution | NodeScores, chosen: Measure, limit: float | None
) -> Decoder | None:
    """Any set-based measure of augmented sets is a value of three sizes."""
    o = chosen.options
    if (
        not isinstance(distribution, LabelDistribution)
        or chosen.definition.family != "set"
        or o.get("augment") != "ancestors"
        or o.get("average") != "samples"
    ):
        return None
    n_classes = len(distribution.hierarchy) - len(
        excluded_classes(distribution.hierarchy, o["root"])
    )

    def value(k: Any, a: Any, s: Any) -> NDArray[np.float64]:
        return chosen.values(Counts(a, k, s, np.zeros(len(a)), n_classes))

    size = np.arange(3)
    if np.isnan(value(size, size[::-1].copy(), np.zeros(3, np.int64))).any():
        return None
    return lambda: decode_set_value(
        distribution, value, direction=chosen.definition.direction, root=o["root"], limit=limit
    )


# ------------------------------------------------------------------------------ flat


def _flat_f(
    distribution: LabelDistribution | NodeScores, o: Mapping[str, Any], limit: float | None
) -> Decoder | None:
    empty = bool(
        isinstance(distribution, LabelDistribution)
        and (distribution.sets.lengths == 0)[distribution.p > 0].any()
    )
    if (
        o["average"] != "samples"
        or not isinstance(distribution, LabelDistribution)
        or empty
        or o["beta"] == 0
    ):
        return None  # with an empty truth flat F is zero_division where hierarchical F is 1
    return lambda: decode_hf(distribution, o["beta"], root="include", closed=False)


BY_NAME: dict[str, Callable[..., Decoder | None]] = {
    **CLASSWISE,
    "hf": _hierarchical("hf"),
    "hp": _hierarchical("hp"),
    "hr": _hierarchical("hr"),
    "sdl": _symmetric_difference,
    "hamming_loss": _hamming,
    "level_hamming": _level_hamming,
    "subset_accuracy": _exact_match,
    "f": _flat_f,
    "h_loss": _first_mistakes,
    "depth_loss": _weighted_difference,
    "depth_accuracy": _weighted_agreement,
}
"""Measures with a decoder of their own; other set-based measures are decoded by their sizes."""
