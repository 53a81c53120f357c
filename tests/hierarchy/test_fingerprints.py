"""Fingerprints of hierarchies: of names, edges and weights, the same in every process."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierpair import Hierarchy
from tests import effort
from tests.strategies import problems


@pytest.mark.exhaustive
@given(problems(9), st.randoms())
def test_fingerprints_know_names_edges_and_weights_but_no_order(problem, random):
    hierarchy, edges, _, _ = problem
    names = list(hierarchy.names)
    mixed = [random.sample(x, len(x)) for x in (edges, names)]
    again = Hierarchy.from_edges(
        mixed[0], classes=mixed[1], aliases={"alias": names[0]}, roots="any"
    )
    assert again.fingerprint == hierarchy.fingerprint
    known = {
        hierarchy.fingerprint,
        Hierarchy.from_edges(edges, classes=[*names, "x"], roots="any").fingerprint,
    }
    assert len(known) == 2
    if edges:
        weights = [float(random.randint(0, 2)) for _ in edges]
        weighted = [(*e, w) for e, w in zip(edges, weights, strict=True)]
        changed = [*weighted[:-1], (*edges[-1], weights[-1] + 0.5)]
        known |= {
            Hierarchy.from_edges(e, classes=names, roots="any").fingerprint
            for e in (weighted, changed)
        }
        known.add(Hierarchy.from_edges(edges[1:], classes=names, roots="any").fingerprint)
        assert len(known) == 5


@pytest.mark.random_cases
def test_fingerprints_are_the_same_in_every_process():
    names = ["a", 1, 2.5, ("x", 3), "\ud800", "ä\0"]
    code = (
        "from hierpair import Hierarchy\n"
        f"h = Hierarchy.from_edges([('r', n) for n in {names!r}])\n"
        "print(h.fingerprint)"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("012" if effort.exhaustive else "1")
    }  # fmt: skip
    assert found == {Hierarchy.from_edges([("r", n) for n in names]).fingerprint + "\n"}
    plain = Hierarchy.from_edges([("r", "a"), ("r", 1)])
    same = Hierarchy.from_edges([(np.str_("r"), np.str_("a")), ("r", 1.0)])
    assert plain.fingerprint == same.fingerprint
    assert plain.fingerprint != Hierarchy.from_edges([("r", "a"), ("r", "1")]).fingerprint
