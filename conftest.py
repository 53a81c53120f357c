"""What every test is kept from, and how many random cases are drawn."""

import signal

import pytest
from hypothesis import settings

from hierpair.measures import OPTIONS, REGISTRY
from hierpair.verification.properties import PROPERTIES
from tests import effort


def pytest_configure(config):
    """Where exhaustive tests are asked for, random ones draw more cases."""
    config.draws_again = effort.ask_for(config.option.markexpr)
    # Other work on a machine is no fault of a test; a change is judged by the same cases twice, and
    # what nobody has drawn before is drawn where everything is.
    most = 100 if config.draws_again else 33
    settings.register_profile(
        "house", deadline=None, derandomize=not effort.exhaustive, max_examples=most
    )
    settings.load_profile("house")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and not hasattr(config, "workerinput"):
        # as a shell starts what runs in the background; programs that tests interrupt inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Random tests run twice: a few cases in the quick run, more in the exhaustive one."""
    if config.draws_again:
        for item in items:
            of_hypothesis = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
            if of_hypothesis or item.get_closest_marker("random_cases"):
                item.add_marker("exhaustive")


@pytest.fixture(autouse=True)
def _measures_of_a_test_end_with_it():
    """Measures and properties that a test declares are not there for those that come after it."""
    tables = (REGISTRY, OPTIONS, PROPERTIES)
    before = [dict(table) for table in tables]
    yield
    for table, entries in zip(tables, before, strict=True):
        table.clear()
        table.update(entries)
