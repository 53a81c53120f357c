"""From pairing to flow: what a pairing, however it was found, is in the full network."""

from __future__ import annotations

import numpy as np

from hierpair.pairing.network.counters import counters
from hierpair.pairing.network.full import KINDS
from hierpair.pairing.network.inverse_data import DEFAULT, LESS, MORE, PAIR, InverseData, Pairing
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import Flow, FlowNetwork

__all__ = ["flow_of"]


def flow_of(
    problem: PairingProblem, pairing: Pairing, network: FlowNetwork, inverse: InverseData
) -> Flow:
    """Return the flow in the full network that the pairings of a batch are.

    Components without a pairing carry what no bound allows; nothing is to be read from them.
    """
    chosen = np.flatnonzero(pairing.chosen)
    flow = np.zeros(len(network.tail), dtype=np.int64)
    kind, subject = inverse.kind, inverse.subject
    carried = pairing.chosen if pairing.units is None else pairing.units
    flow[kind == PAIR] = carried[subject[kind == PAIR]]
    each = None if pairing.units is None else pairing.units[chosen]
    for k, counter in enumerate(counters(problem)):
        own = inverse.counter == k
        units = np.zeros(len(flow), dtype=np.int64)
        units[own] = counter.units(chosen, each)[subject[own]]
        room = network.upper - network.lower
        for what, through in (
            (MORE, np.clip(units - inverse.start, 0, room)),
            (LESS, np.clip(inverse.start - units, 0, room)),
            (KINDS[counter.kind], np.clip(units, network.lower, network.upper)),
        ):
            flow = np.where(own & (kind == what), through, flow)
        if counter.side is not None:
            bought = np.flatnonzero(own & (kind == DEFAULT))
            flow[bought] = pairing.missing[counter.side][subject[bought]]
    return Flow(flow, np.empty(0, dtype=np.int64))
