"""Decoders of measures that compare class with class: leaves, levels, paths, pairs and costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import excluded_classes
from hierpair.hierarchy.arrays import row_numbers
from hierpair.pairing import cost_named
from hierpair.probabilistic.decoding.decoded import Decoded, DecodingCertificate, label_sets
from hierpair.probabilistic.decoding.gie_decoding import decode_gie
from hierpair.probabilistic.decoding.pairing_decoding import decode_pairing
from hierpair.probabilistic.decoding.single_class import (
    decode_distance,
    decode_most_probable,
    decode_node_cost,
)
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.probabilistic.node_scores import NodeScores

__all__ = ["CLASSWISE", "Decoder"]

Decoder = Callable[[], Decoded]


def _leaves(
    distribution: LabelDistribution | NodeScores, o: Mapping[str, Any], limit: float | None
) -> Decoder | None:
    if isinstance(distribution, LabelDistribution) and not distribution.is_single_path:
        return None
    h = distribution.hierarchy
    leaf = np.flatnonzero(np.diff(h.child_ptr) == 0)

    def decoder() -> Decoded:
        found = decode_most_probable(distribution, leaf)
        if not isinstance(distribution, LabelDistribution):
            return found
        scores = (
            distribution.marginals()
            if isinstance(distribution, LabelDistribution)
            else distribution
        )
        is_leaf = np.isin(scores.indices, leaf)
        rows = row_numbers(scores.indptr)[is_leaf]
        judged = np.bincount(rows, scores.values[is_leaf], minlength=len(distribution))
        value = np.divide(
            found.value, judged, out=np.full(len(distribution), np.nan), where=judged > 0
        )
        value = np.minimum(value, 1.0)
        return replace(found, value=value, certificate=replace(found.certificate, bound=value))

    return decoder


def _each_level(
    distribution: LabelDistribution | NodeScores, o: Mapping[str, Any], limit: float | None
) -> Decoder | None:
    """An argmax per level; its value is a ratio of expectations, as the mean is one of sums."""
    if isinstance(distribution, LabelDistribution) and not distribution.is_single_path:
        return None
    h = distribution.hierarchy
    if o["augment"] != "none" or o["average"] == "samples" or h.shape == "DAG":
        return None
    scores = (
        distribution.marginals() if isinstance(distribution, LabelDistribution) else distribution
    )
    none = o["absent_level"] == "none-class"
    counted = np.ones(len(h), dtype=bool)
    counted[excluded_classes(h, o["root"])] = False

    def decoder() -> Decoded:
        rows, nodes, right, judged = [], [], [], []
        for a, b in h.level_ranges():
            here = a + np.flatnonzero(counted[a:b])
            if not len(here):
                continue
            found = decode_most_probable(scores, here, none=none)
            rows.append(np.repeat(np.arange(len(distribution)), found.sets.lengths))
            nodes.append(found.sets.indices)
            right.append(found.value.sum())
            inside = np.isin(scores.indices, here)
            judged.append(len(distribution) if none else scores.values[inside].sum())
        sets = label_sets(
            h, len(distribution), np.concatenate(rows), np.concatenate(nodes), distribution.ids
        )
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


def _path(
    distribution: LabelDistribution | NodeScores, o: Mapping[str, Any], limit: float | None
) -> Decoder | None:
    if isinstance(distribution, LabelDistribution) and not distribution.is_single_path:
        return None
    h = distribution.hierarchy
    if h.shape == "tree":
        return lambda: decode_distance(distribution)
    if (
        isinstance(distribution, LabelDistribution)
        and not (distribution.tips < 0).any()
        and len(h.root_indices) == 1
    ):
        return lambda: decode_node_cost(distribution, _hops(distribution))
    return None


def _hops(distribution: LabelDistribution) -> Callable[[Any, Any], NDArray[np.float64]]:
    return lambda u, v: distribution.hierarchy.pair_distances(u, v, weighted=False)


def _tree_induced(
    distribution: LabelDistribution | NodeScores, o: Mapping[str, Any], limit: float | None
) -> Decoder | None:
    if (
        not isinstance(distribution, LabelDistribution)
        or not distribution.is_single_path
        or (distribution.tips < 0).any()
    ):
        return None
    if o["max_distance"] is not None:
        return None
    if o["cost"] not in ("hops", "weights"):
        return _priced(distribution, o, limit)
    h = distribution.hierarchy
    weighted = o["cost"] == "weights"
    if weighted and h.weights is None:
        return None
    if h.shape == "tree":
        return lambda: decode_distance(distribution, weighted=weighted)
    return lambda: decode_node_cost(
        distribution, lambda u, v: h.pair_distances(u, v, weighted=weighted)
    )


def _priced(
    distribution: LabelDistribution | NodeScores, o: Mapping[str, Any], limit: float | None
) -> Decoder | None:
    """One class for one class, at any cost."""
    if (
        not isinstance(distribution, LabelDistribution)
        or not distribution.is_single_path
        or (distribution.tips < 0).any()
    ):
        return None
    cost = cost_named(o["cost"])
    if o.get("average", "samples") == "samples":
        return lambda: decode_node_cost(distribution, cost)

    def summed() -> Decoded:
        each = decode_node_cost(distribution, cost)
        value = each.value.sum(keepdims=True)
        return replace(each, value=value, certificate=replace(each.certificate, bound=value))

    return summed


def _paired(many: bool) -> Callable[..., Decoder | None]:
    def find(
        distribution: LabelDistribution | NodeScores, o: Mapping[str, Any], limit: float | None
    ) -> Decoder | None:
        if not isinstance(distribution, LabelDistribution) or o["cost"] not in ("hops", "weights"):
            return None
        h = distribution.hierarchy
        weighted = o["cost"] == "weights"
        if weighted and h.weights is None:
            return None
        free = o["max_distance"] is None
        if not many and free and distribution.is_single_path and h.shape == "tree":
            return lambda: decode_gie(distribution, o["default"], weighted=weighted)

        def cost(u: Any, v: Any) -> NDArray[np.float64]:
            away = h.pair_distances(u, v, weighted=weighted)
            if not free:
                hops = h.pair_distances(u, v, weighted=False)
                away = np.where(hops > o["max_distance"], np.inf, away)
            return away

        most = None if many else 1
        return lambda: decode_pairing(
            distribution, o["default"], cost=cost, upper=most, upper_true=most, limit=limit
        )

    return find


CLASSWISE: dict[str, Callable[..., Decoder | None]] = {
    "leaf_accuracy": _leaves,
    "level_accuracy": _each_level,
    "shortest_path": _path,
    "tree_induced_error": _tree_induced,
    "mean_cost": _priced,
    "total_cost": _priced,
    "gie": _paired(many=False),
    "fnerror": _paired(many=True),
}
"""Measures of classes with a decoder of their own."""
