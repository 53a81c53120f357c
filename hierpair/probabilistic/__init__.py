"""Probabilities of labels: distributions, scores of classes, curves, heads, best predictions."""

from hierpair.labels.node_scores import CLOSURES, Closing, NodeScores
from hierpair.probabilistic.curves import (
    AREAS,
    Curves,
    PooledCurve,
    pooled_curve,
    pooled_curves,
    precision_recall_curves,
)
from hierpair.probabilistic.decoding import (
    DECODERS,
    Decoded,
    DecodingCertificate,
    DecodingTask,
    decoder,
)
from hierpair.probabilistic.decoding import weighted_sets as _  # noqa: F401 - declares a decoder
from hierpair.probabilistic.decoding.by_class import (
    apply_threshold,
    decode_depth_cost,
    decode_distance,
    decode_edge_cost,
    decode_h_loss,
    decode_hamming,
    decode_micro_hf,
    decode_most_probable,
    decode_node_cost,
    walk_down,
)
from hierpair.probabilistic.decoding.by_size import (
    decode_hf,
    decode_hp,
    decode_hr,
    decode_set_value,
)
from hierpair.probabilistic.decoding.candidates import decode
from hierpair.probabilistic.decoding.pairings import decode_gie, decode_pairing
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.probabilistic.expectation import Expected, expected, wasserstein_distances
from hierpair.probabilistic.heads import HEADS, Head, sibling_shares
from hierpair.probabilistic.probability_files import (
    DISTRIBUTION_FORMATS,
    read_distribution,
    read_scored_labels,
    read_scores,
)
from hierpair.probabilistic.selective import (
    SelectiveCurve,
    answers,
    level_thresholds,
    selective_curve,
)

__all__ = [
    "AREAS",
    "CLOSURES",
    "DECODERS",
    "DISTRIBUTION_FORMATS",
    "HEADS",
    "Closing",
    "Curves",
    "Decoded",
    "DecodingCertificate",
    "DecodingTask",
    "Expected",
    "Head",
    "LabelDistribution",
    "NodeScores",
    "PooledCurve",
    "SelectiveCurve",
    "answers",
    "apply_threshold",
    "decode",
    "decode_depth_cost",
    "decode_distance",
    "decode_edge_cost",
    "decode_gie",
    "decode_h_loss",
    "decode_hamming",
    "decode_hf",
    "decode_hp",
    "decode_hr",
    "decode_micro_hf",
    "decode_most_probable",
    "decode_node_cost",
    "decode_pairing",
    "decode_set_value",
    "decoder",
    "expected",
    "level_thresholds",
    "pooled_curve",
    "pooled_curves",
    "precision_recall_curves",
    "read_distribution",
    "read_scored_labels",
    "read_scores",
    "selective_curve",
    "sibling_shares",
    "walk_down",
    "wasserstein_distances",
]  # fmt: skip
