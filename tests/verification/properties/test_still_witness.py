"""What is drawn is a witness by a definition that does not know how it was drawn, and is exact."""

import numpy as np
import pytest

from hierpair.verification.properties import DRAWN, PROPERTIES, Witnesses
from hierpair.verification.properties.still_witness import OF_DRAWN, still
from hierpair.verification.properties.worlds import draws
from tests.effort import cases

NAMES = list(OF_DRAWN)


def drawn(name, n):
    """Return what is drawn of a property from n hierarchies of every kind."""
    places = [(kind, k) for k in range(n) for kind in range(4)]
    found = (DRAWN[name](draws(3, [name], *place)[name]) for place in places)
    return [one for one in found if one is not None]


def row(one, k):
    """Return one witness of several."""
    return Witnesses(one.truth[k : k + 1], one.predicted[k : k + 1], one.worlds)


def test_every_property_that_is_drawn_alone_has_a_definition():
    """Others are checked against those of small hierarchies."""
    assert set(NAMES) == {name for name, p in PROPERTIES.items() if p.every is None and p.drawn}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_drawn_is_a_witness(name):
    """In all four kinds of hierarchies."""
    for one in drawn(name, cases(80) // 5):
        for k in range(len(one)):
            assert still(name, row(one, k)), (name, one.worlds, one.truth[k], one.predicted[k])


@pytest.mark.parametrize("name", NAMES)
def test_others_are_none(name):
    """Not with another truth, without a prediction, or with the cells in another order."""
    some = drawn(name, 4)
    rng = np.random.default_rng(0)
    n_other = n = 0
    for one in some:
        for k in range(len(one)):
            n += 1
            w = row(one, k)
            empty = w.predicted.copy()
            empty[0, -1] = 0
            assert not still(name, Witnesses(w.truth, empty, w.worlds))
            random = np.int64(1) << rng.integers(1, min(x.n for x in w.worlds), w.truth.shape)
            n_other += not still(name, Witnesses(random, w.predicted, w.worlds))
    assert n_other > 0.75 * n
