"""Cheapest flows of small networks, by listing all of them."""

import itertools


def cheapest_flow(n_nodes, arcs, supply):
    """The least cost of all flows, and how many have it; None if there is none.

    ``arcs`` are (tail, head, lower, upper, cost); ``supply`` is what each node sends.
    """
    best, many = None, 0
    for flow in itertools.product(*(range(low, high + 1) for _, _, low, high, _ in arcs)):
        sent = [0] * n_nodes
        for (tail, head, *_), units in zip(arcs, flow, strict=True):
            sent[tail] += units
            sent[head] -= units
        if sent != list(supply):
            continue
        cost = sum(units * arc[4] for arc, units in zip(arcs, flow, strict=True))
        if best is None or cost < best:
            best, many = cost, 0
        many += cost == best
    return None if best is None else (best, many)
