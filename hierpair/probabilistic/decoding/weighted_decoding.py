"""Exact decoding where classes weigh: hF, hP, hR and simGIC, by :mod:`.weighted_search`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import scipy

from hierpair.errors import BadInput, shown
from hierpair.hierarchy.arrays import Floats, Ints, offsets
from hierpair.measures.class_weights import NOT_FINITE
from hierpair.probabilistic.decoding.decoded import Decoded, proved
from hierpair.probabilistic.decoding.exact_decoders import Task, decoder
from hierpair.probabilistic.decoding.probability_rows import merged_scenarios
from hierpair.probabilistic.decoding.size_probabilities import closed_members
from hierpair.probabilistic.decoding.weighted_search import ChordForm, Found, Instance, Matrix

__all__ = ["chord_form"]

DENSE = 1_000_000
"""Cells of a matrix that is held whole."""


def chord_form(task: Task) -> ChordForm:
    """Return the form of ``hf``, ``hp``, ``hr`` or ``simgic`` with their options."""
    if task.formula == "simgic":
        return ChordForm(
            lambda k, whole, s: s / (k + whole - s),
            lambda k, whole, lo, hi: (k + whole) / ((k + whole - hi) * (k + whole - lo)),
        )
    aside = float(task.options["zero_division"])
    if task.formula == "hr":
        return ChordForm(
            lambda k, whole, s: s / whole, lambda k, whole, lo, hi: 1 / whole,
            nothing_true=aside, plain=True,
        )  # fmt: skip
    square = 0.0 if task.formula == "hp" else float(task.options["beta"]) ** 2

    def each(k: float, whole: Floats) -> Floats:
        share: Floats = (1 + square) / (k + square * whole)
        return share

    return ChordForm(
        lambda k, whole, s: s * each(k, whole),
        lambda k, whole, lo, hi: each(k, whole),
        nothing_predicted=0.0 if square else aside,
        plain=not square,
    )


def _instance(
    task: Task,
    form: ChordForm,
    sets: dict[tuple[int, ...], float],
    name: object,
    ancestors: Callable[[int], list[int]],
) -> tuple[Instance, Ints]:
    """Return what is known of an instance, and the classes that its columns are."""
    weights = task.weights
    assert weights is not None
    there = np.array(sorted({v for key in sets for v in key}), dtype=np.int64)
    odd = there[~np.isfinite(weights[there])]
    if len(odd):
        raise BadInput(NOT_FINITE.format(shown(task.hierarchy.names[odd[0]])), name)
    node = there[weights[there] > 0]
    place = {int(v): i for i, v in enumerate(node)}
    rows = [[place[v] for v in key if v in place] for key in sets]
    p = np.array(list(sets.values()))
    something = np.array([bool(row) for row in rows], dtype=bool)
    member = _rows_of([row for row in rows if row], len(node))
    above = [[place[u] for u in ancestors(v) if u in place] for v in place]
    nothing = float(p[~something].sum())
    return Instance(
        form, p[something], member.astype(np.float64), weights[node],
        _rows_of(above, len(node)), nothing,
    ), node  # fmt: skip


def _rows_of(rows: list[list[int]], width: int) -> Matrix:
    pointer = offsets(np.array([len(row) for row in rows], dtype=np.int64))
    columns = np.array([c for row in rows for c in row], dtype=np.int64)
    cells = np.ones(len(columns), dtype=bool)
    found = scipy.sparse.csr_array((cells, columns, pointer), shape=(len(rows), width))
    return found.toarray() if len(rows) * width <= DENSE else found


@decoder(
    lambda task: (
        task.formula in ("hf", "hp", "hr", "simgic")
        and task.weights is not None
        and task.is_distribution
        and task.average == "samples"
        and task.options["augment"] in ("ancestors", "none")
        and not np.isnan(task.options.get("zero_division", 0))
    ),
    weights=True,
)
def _by_search(task: Task) -> Decoded:
    """Weights of classes leave neither whole sizes nor closed sets by themselves: search."""
    distribution, sets = task.full, task.sets
    assert sets is not None
    form = chord_form(task)
    pointer, members = closed_members(distribution, sets.root, closed=task.is_augmented)
    counted = np.zeros(len(task.hierarchy), dtype=bool)
    counted[members] = True
    value, bound = np.empty(len(distribution)), np.empty(len(distribution))
    rows, nodes, exact = list[Ints](), list[Ints](), True
    known = dict[object, tuple[Found, Ints]]()

    @cache
    def ancestors(v: int) -> list[int]:
        """Return what comes with a class, itself too."""
        above = task.hierarchy.ancestor_numbers(v).tolist() if task.is_augmented else []
        return [v, *(u for u in above if counted[u])]

    for i in range(len(distribution)):
        scenarios = merged_scenarios(distribution, i, pointer, members)
        key = tuple(sorted(scenarios.items()))
        if key not in known:
            instance, node = _instance(task, form, scenarios, distribution.name(i), ancestors)
            found = instance.best(task.limit)
            chosen = {u for v in node[found.classes].tolist() for u in ancestors(v)}
            full = np.array(sorted(chosen), dtype=np.int64)
            known = {key: (found, full)}  # equal instances often follow each other
        found, full = known[key]
        value[i], bound[i] = found.value, found.bound
        exact = exact and found.optimal
        rows.append(np.full(len(full), i))
        nodes.append(full)
    method = "branch and bound over weights and classes"
    method += "" if exact else ", stopped before the end"
    return proved(distribution, rows, nodes, value, "higher", method, bound=bound, exact=exact)
