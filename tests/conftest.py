"""What every test is kept from."""

import pytest

from hierpair.measures import REGISTRY


@pytest.fixture(autouse=True)
def _measures_of_a_test_end_with_it():
    """Measures that a test declares are not there for those that come after it."""
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)
