"""Reports in a real browser: chromium through playwright, offline, and any fault fails the test."""

import shutil
from contextlib import contextmanager

import pytest

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
ARGUMENTS = ["--no-sandbox", *(f"--disable-{x}" for x in (
    "gpu", "quic", "background-networking", "component-update", "sync")), "--no-first-run"]  # fmt: skip

# The page draws after the address has changed, in a task of its own: at once on an idle machine, late on a busy one.
# Here it is late always, so that a test that does not wait fails always. What was drawn last is in window.drawnFor.
DRAW_LATE = """
    window.drawnFor = location.hash;
    addEventListener("hashchange", event => {
        if (!event.isTrusted) return; // the page's own, or the one from below: its listeners come next
        event.stopImmediatePropagation();
        setTimeout(() => {
            const address = location.hash;
            dispatchEvent(new HashChangeEvent("hashchange"));
            window.drawnFor = address;
        }, 20);
    });
    const replaceState = history.replaceState;
    history.replaceState = function (...given) {
        replaceState.apply(this, given);
        window.drawnFor = location.hash; // drawn in the same task
    };
"""

in_browser = [
    pytest.mark.browser,
    pytest.mark.skipif(sync_playwright is None, reason="playwright is not installed"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on the path"),
]
"""Marks of a module whose tests need a browser: ``pytestmark = in_browser``."""


@contextmanager
def report_page(browser, path, address="", *, width=1280, height=900, scheme="light", **context):
    """Open a report, wait until it is drawn; at the end no error, warning or request was seen."""
    faults = []
    viewport = {"width": width, "height": height}
    opened = browser.new_context(viewport=viewport, color_scheme=scheme, offline=True, **context)
    page = opened.new_page()
    page.set_default_timeout(10_000)
    page.add_init_script(DRAW_LATE)
    page.on("console", lambda said: said.type in ("error", "warning") and faults.append(said.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
    file = path.resolve().as_uri()
    page.on("request", lambda asked: faults.append(asked.url) if is_request(asked, file) else None)
    try:
        page.goto(file + address)
        wait_until_ready(page, faults)
        yield page
        assert faults == [], faults
    finally:
        opened.close()


def wait_until_ready(page, faults=()):
    """Wait until all is drawn; what went wrong is said where it never is."""
    try:
        page.wait_for_selector("html[data-ready='1']", state="attached", timeout=20_000)
    except Exception as error:
        raise AssertionError(f"the page was never ready: {faults}") from error


def is_request(asked, file):
    """Whether something other than the file itself, or what it holds, was asked for."""
    return asked.url.split("#")[0] != file and not asked.url.startswith(("data:", "blob:"))


def go(page, address):
    """Follow an address within the page; return when its view is drawn."""
    page.evaluate("address => { location.hash = address; }", address)
    wait_until_drawn(page)


def wait_until_drawn(page):
    """Wait until what the address says is drawn: after a link, a key that opens something, or "back"."""
    page.wait_for_function("() => window.drawnFor === location.hash")


def address_of(page):
    """Return the address within the page, when what it says is drawn."""
    wait_until_drawn(page)
    return page.evaluate("location.hash")
