"""Which decoder is exact for which measure: the user names the measure, this finds the decoder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.decoding import (
    Decoded,
    DecodingCertificate,
    decode_distance,
    decode_gie,
    decode_hamming,
    decode_hf,
    decode_hp,
    decode_hr,
    decode_micro_hf,
    decode_most_probable,
    decode_node_cost,
    decode_pairing,
    decode_set_value,
)
from hierpair.decoding.decoded import label_sets
from hierpair.hierarchy import uncounted
from hierpair.hierarchy.arrays import row_numbers
from hierpair.law import Law, NodeScores
from hierpair.measures import Counts, Measure

__all__ = ["exact_decoder"]

Decoder = Callable[[], Decoded]


def exact_decoder(law: Law | NodeScores, chosen: Measure, limit: float | None) -> Decoder | None:
    """Return the decoder that is exact for the measure with its options, or None."""
    o = chosen.options
    if o.get("threshold") is not None:
        return None
    find = BY_NAME.get(chosen.definition.name)
    if find is not None:
        found = find(law, o, limit)
        if found is not None:
            return found
    return _by_sizes(law, chosen, limit)


# ------------------------------------------------------------------------------ sets


def _hierarchical(name: str) -> Callable[..., Decoder | None]:
    def find(law: Law | NodeScores, o: Mapping[str, Any], limit: float | None) -> Decoder | None:
        if o["augment"] not in ("ancestors", "none"):
            return None
        closed = o["augment"] == "ancestors"
        if o["average"] == "micro" and name == "hf" and o["beta"] > 0:
            scores = _marginals(law, closed)
            if closed and not scores.is_coherent():
                return None  # augmenting would add classes that the threshold left out
            return lambda: decode_micro_hf(scores, o["beta"], root=o["root"])
        if o["average"] != "samples" or not isinstance(law, Law) or np.isnan(o["zero_division"]):
            return None
        common = {"root": o["root"], "closed": closed, "zero_division": o["zero_division"]}
        if name == "hf":
            return lambda: decode_hf(law, o["beta"], **common)
        decoder = decode_hp if name == "hp" else decode_hr
        return lambda: decoder(law, **common)

    return find


def _marginals(law: Law | NodeScores, closed: bool) -> NodeScores:
    if isinstance(law, NodeScores):
        return law
    return law.marginals() if closed else law.label_marginals()


def _symmetric_difference(
    law: Law | NodeScores, o: Mapping[str, Any], limit: float | None
) -> Decoder | None:
    if o["augment"] not in ("ancestors", "none"):
        return None
    scores = _marginals(law, o["augment"] == "ancestors")
    if o["augment"] == "ancestors" and not scores.is_coherent():
        return None
    return lambda: decode_hamming(scores, root=o["root"])


def _hamming(law: Law | NodeScores, o: Mapping[str, Any], limit: float | None) -> Decoder:
    scores = _marginals(law, closed=False)
    h = scores.hierarchy
    counted = len(h) - len(uncounted(h, o["root"]))
    return lambda: decode_hamming(scores, root=o["root"], weights=1 / max(1, counted))


def _level_hamming(
    law: Law | NodeScores, o: Mapping[str, Any], limit: float | None
) -> Decoder | None:
    scores = _marginals(law, closed=True)
    if not scores.is_coherent():
        return None
    h = scores.hierarchy
    counted = np.ones(len(h), dtype=bool)
    counted[uncounted(h, o["root"])] = False
    size = np.bincount(h.levels[counted], minlength=int(h.levels[-1]) + 1)
    weight = 1 / (np.maximum(size, 1)[h.levels] * max(1, int((size > 0).sum())))
    return lambda: decode_hamming(scores, root=o["root"], weights=weight)


def _exact_match(
    law: Law | NodeScores, o: Mapping[str, Any], limit: float | None
) -> Decoder | None:
    """The most probable label set."""
    if not isinstance(law, Law):
        return None

    def decoder() -> Decoded:
        width = int(law.sets.lengths.max(initial=0))
        padded = np.full((len(law.p), width + 1), -1, dtype=np.int64)
        padded[:, 0] = row_numbers(law.indptr)
        column = np.arange(len(law.sets.indices)) - np.repeat(
            law.sets.indptr[:-1], law.sets.lengths
        )
        padded[row_numbers(law.sets.indptr), column + 1] = law.sets.indices
        kinds, first, kind = np.unique(padded, axis=0, return_index=True, return_inverse=True)
        mass = np.bincount(kind.ravel(), law.p, minlength=len(kinds)).astype(np.float64)
        owner = kinds[:, 0]
        order = np.lexsort((first, -mass, owner))
        lead = order[np.unique(owner[order], return_index=True)[1]]
        value = mass[lead]
        sets = replace(law.sets.take(first[lead]), ids=law.ids)
        said = DecodingCertificate("most probable label set", True, value)
        return Decoded(sets, value, "higher", said)

    return decoder


def _by_sizes(law: Law | NodeScores, chosen: Measure, limit: float | None) -> Decoder | None:
    """Any set-based measure of augmented sets is a value of three sizes."""
    o = chosen.options
    if (
        not isinstance(law, Law)
        or chosen.definition.family != "set"
        or o.get("augment") != "ancestors"
        or o.get("average") != "samples"
    ):
        return None
    n_classes = len(law.hierarchy) - len(uncounted(law.hierarchy, o["root"]))

    def value(k: Any, a: Any, s: Any) -> NDArray[np.float64]:
        return chosen.values(Counts(a, k, s, np.zeros(len(a)), n_classes))

    size = np.arange(3)
    if np.isnan(value(size, size[::-1].copy(), np.zeros(3, np.int64))).any():
        return None
    return lambda: decode_set_value(
        law, value, direction=chosen.definition.direction, root=o["root"], limit=limit
    )


# ------------------------------------------------------------------------------ flat


def _flat_f(law: Law | NodeScores, o: Mapping[str, Any], limit: float | None) -> Decoder | None:
    empty = bool(isinstance(law, Law) and (law.sets.lengths == 0)[law.p > 0].any())
    if o["average"] != "samples" or not isinstance(law, Law) or empty or o["beta"] == 0:
        return None  # with an empty truth flat F is zero_division where hierarchical F is 1
    return lambda: decode_hf(law, o["beta"], root="include", closed=False)


# ------------------------------------------------------------------------------ levels, paths


def _leaves(law: Law | NodeScores, o: Mapping[str, Any], limit: float | None) -> Decoder | None:
    if isinstance(law, Law) and not law.is_single_path:
        return None
    h = law.hierarchy
    leaf = np.flatnonzero(np.diff(h.child_ptr) == 0)

    def decoder() -> Decoded:
        found = decode_most_probable(law, leaf)
        if not isinstance(law, Law):
            return found
        scores = _marginals(law, closed=True)
        is_leaf = np.isin(scores.indices, leaf)
        rows = row_numbers(scores.indptr)[is_leaf]
        judged = np.bincount(rows, scores.values[is_leaf], minlength=len(law))
        value = np.divide(found.value, judged, out=np.full(len(law), np.nan), where=judged > 0)
        value = np.minimum(value, 1.0)
        return replace(found, value=value, certificate=replace(found.certificate, bound=value))

    return decoder


def _each_level(law: Law | NodeScores, o: Mapping[str, Any], limit: float | None) -> Decoder | None:
    """An argmax per level; its value is a ratio of expectations, as the mean is one of sums."""
    if isinstance(law, Law) and not law.is_single_path:
        return None
    h = law.hierarchy
    if o["augment"] != "none" or o["average"] == "samples" or h.shape == "DAG":
        return None
    scores = _marginals(law, closed=True)
    none = o["missing"] == "none-class"
    counted = np.ones(len(h), dtype=bool)
    counted[uncounted(h, o["root"])] = False

    def decoder() -> Decoded:
        rows, nodes, right, judged = [], [], [], []
        for a, b in h.level_ranges():
            here = a + np.flatnonzero(counted[a:b])
            if not len(here):
                continue
            found = decode_most_probable(scores, here, none=none)
            rows.append(np.repeat(np.arange(len(law)), found.sets.lengths))
            nodes.append(found.sets.indices)
            right.append(found.value.sum())
            inside = np.isin(scores.indices, here)
            judged.append(len(law) if none else scores.values[inside].sum())
        sets = label_sets(h, len(law), np.concatenate(rows), np.concatenate(nodes), law.ids)
        hits, total = np.array(right), np.array(judged)
        known = total > 0
        value = np.full(1, np.nan)  # where no level is judged at all
        if known.any():
            ratios = hits[known] / total[known]
            micro = o["average"] == "micro"
            value[0] = hits[known].sum() / total[known].sum() if micro else ratios.mean()
        said = DecodingCertificate(
            "most probable class of every level (ratio of expectations)", True, value
        )
        return Decoded(sets, value, "higher", said)

    return decoder


def _path(law: Law | NodeScores, o: Mapping[str, Any], limit: float | None) -> Decoder | None:
    if isinstance(law, Law) and not law.is_single_path:
        return None
    h = law.hierarchy
    if h.shape == "tree":
        return lambda: decode_distance(law)
    if isinstance(law, Law) and not (law.tips < 0).any() and len(h.root_indices) == 1:
        return lambda: decode_node_cost(law, _hops(law))
    return None


def _hops(law: Law) -> Callable[[Any, Any], NDArray[np.float64]]:
    return lambda u, v: law.hierarchy.pair_distances(u, v, weighted=False)


# ------------------------------------------------------------------------------ pairs


def _tree_induced(
    law: Law | NodeScores, o: Mapping[str, Any], limit: float | None
) -> Decoder | None:
    if not isinstance(law, Law) or not law.is_single_path or (law.tips < 0).any():
        return None
    if o["price"] not in ("hops", "weights") or o["max_distance"] is not None:
        return None
    h = law.hierarchy
    weighted = o["price"] == "weights"
    if weighted and h.weights is None:
        return None
    if h.shape == "tree":
        return lambda: decode_distance(law, weighted=weighted)
    return lambda: decode_node_cost(law, lambda u, v: h.pair_distances(u, v, weighted=weighted))


def _paired(many: bool) -> Callable[..., Decoder | None]:
    def find(law: Law | NodeScores, o: Mapping[str, Any], limit: float | None) -> Decoder | None:
        if not isinstance(law, Law) or o["price"] not in ("hops", "weights"):
            return None
        h = law.hierarchy
        weighted = o["price"] == "weights"
        if weighted and h.weights is None:
            return None
        free = o["max_distance"] is None
        if not many and free and law.is_single_path and h.shape == "tree":
            return lambda: decode_gie(law, o["default"], weighted=weighted)

        def price(u: Any, v: Any) -> NDArray[np.float64]:
            away = h.pair_distances(u, v, weighted=weighted)
            if not free:
                hops = h.pair_distances(u, v, weighted=False)
                away = np.where(hops > o["max_distance"], np.inf, away)
            return away

        most = None if many else 1
        return lambda: decode_pairing(
            law, o["default"], price=price, at_most=most, at_most_true=most, limit=limit
        )

    return find


BY_NAME: dict[str, Callable[..., Decoder | None]] = {
    "hf": _hierarchical("hf"),
    "hp": _hierarchical("hp"),
    "hr": _hierarchical("hr"),
    "sdl": _symmetric_difference,
    "hamming_loss": _hamming,
    "level_hamming": _level_hamming,
    "subset_accuracy": _exact_match,
    "f": _flat_f,
    "leaf_accuracy": _leaves,
    "level_accuracy": _each_level,
    "shortest_path": _path,
    "tree_induced_error": _tree_induced,
    "gie": _paired(many=False),
    "fnerror": _paired(many=True),
}
"""Measures with a decoder of their own; other set-based measures are decoded by their sizes."""
