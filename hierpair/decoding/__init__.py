"""Best predictions under a law: one decoder per kind of measure."""

from hierpair.decoding.bysize import decode_hf, decode_hp, decode_hr
from hierpair.decoding.decoded import Decoded, DecodingCertificate
from hierpair.decoding.facilities import decode_gie
from hierpair.decoding.micro import decode_micro_hf
from hierpair.decoding.nodes import (
    decode_depth_cost,
    decode_distance,
    decode_edge_cost,
    decode_most_probable,
    decode_node_cost,
)
from hierpair.decoding.pairing import decode_pairing
from hierpair.decoding.rules import apply_threshold, walk_down
from hierpair.decoding.separable import decode_h_loss, decode_hamming
from hierpair.decoding.setvalue import decode_set_value

__all__ = [
    "Decoded",
    "DecodingCertificate",
    "apply_threshold",
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
    "walk_down",
]
