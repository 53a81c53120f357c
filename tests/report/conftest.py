"""A browser for the tests that open reports."""

import pytest

from .browser import ARGUMENTS, CHROMIUM, sync_playwright


@pytest.fixture(scope="module")
def browser():
    """Chromium, without a window."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        launched.close()
