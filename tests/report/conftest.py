"""Reports in a real browser: chromium through playwright, offline, and any fault fails the test."""

import base64
import hashlib
import json
import shutil
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser

import pytest

from hierpair import Hierarchy, score

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


@pytest.fixture(scope="module")
def browser():
    """Chromium, without a window."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        launched.close()


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
    own = (file, "data:", "blob:")  # the file itself, or what it holds
    page.on("request", lambda asked: asked.url.startswith(own) or faults.append(asked.url))
    try:
        page.goto(file + address)
        try:
            page.wait_for_selector("html[data-ready='1']", state="attached", timeout=20_000)
        except Exception as error:
            raise AssertionError(f"the page was never ready: {faults}") from error
        yield page
        assert faults == [], faults
    finally:
        opened.close()


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


# ------------------------------------------------------------------------------ pages

NAMES = ["hf", "gie", "mgia", "lca_f", "hcm_f", "f"]
PLAIN = [f"class {k}" for k in range(13)]
HOSTILE = [
    "<script>window.harmed = 1</script>",
    "<img src=x onerror=window.harmed=1>",
    "\"'`&amp;</style></script><svg onload=window.harmed=1>",
    "\u202eright to left \u05d0\u05d1\u05d2",
    "👩\u200d👩\u200d👧 emoji",
    "x" * 10_000,
    "__proto__",
    "constructor",
    "${1}@data@\\u003c",
    "a\tb\nc",
    "]]><!--",
    "javascript:window.harmed=1",
    "#/classes/1?of=%",
]


def scored(classes=PLAIN, systems=("one", "two", "three"), prefix="i", measures=NAMES):
    """Return scores of three systems on a tree: the first is right, the others err more and more."""
    root, *others = classes
    edges = [(root, name) for name in others[:3]]
    edges += [(others[k % 3], name) for k, name in enumerate(others[3:])]
    leaves = others[3:]
    n = len(leaves)
    truth = [[leaves[k % n], *([leaves[(3 * k + 1) % n]] if k % 3 else [])] for k in range(36)]
    near = [[leaves[(k + (k % 4 == 0)) % n]] for k in range(36)]
    far = [[leaves[0], leaves[(k + 3) % n], leaves[(k + 5) % n]] for k in range(36)]
    best = [labels if k % 6 else near[k] for k, labels in enumerate(truth)]
    ids = [f"{prefix}{k}" for k in range(36)]
    given = {name: dict(zip(ids, rows, strict=True))
             for name, rows in zip(systems, (best, near, far), strict=True)}  # fmt: skip
    return score(Hierarchy.from_edges(edges), dict(zip(ids, truth, strict=True)), given, measures)


@dataclass
class Page(HTMLParser):
    """A page taken apart: elements, data, container, policy."""

    text: str
    tags: list = field(default_factory=list)
    inside: dict = field(default_factory=dict)
    shown: list = field(default_factory=list)

    def __post_init__(self):
        HTMLParser.__init__(self, convert_charrefs=True)
        self.open = None
        self.feed(self.text)
        self.close()

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.tags.append((tag, named))
        if tag in ("script", "style", "title"):
            self.open = named.get("id", tag)
            self.inside.setdefault(self.open, "")

    def handle_endtag(self, tag):
        if tag in ("script", "style", "title"):
            self.open = None

    def handle_data(self, data):
        if self.open is None:
            self.shown.append(data)
        else:
            self.inside[self.open] += data

    @property
    def data(self):
        return json.loads(self.inside["data"])

    @property
    def sections(self):
        return read_container(self.inside["packed"])

    @property
    def policy(self):
        [content] = [named["content"] for tag, named in self.tags
                     if named.get("http-equiv") == "Content-Security-Policy"]  # fmt: skip
        return content


def digest(text):
    return base64.b64encode(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()).decode()


def read_container(text):
    """Return the values of every section by name, from the text in the page."""
    data = zlib.decompress(base64.b64decode(text, validate=True), wbits=-15)
    at, found = 4 + int.from_bytes(data[:4], "little"), {}
    for name, is_numbers, size in json.loads(data[4:at].decode("utf-8")):
        raw = data[at : at + size]
        at += size
        assert name not in found, name
        found[name] = whole_numbers(raw) if is_numbers else json.loads(raw.decode("utf-8"))
    assert at == len(data)
    return found


def whole_numbers(raw):
    values, value, shift = [], 0, 0
    for byte in raw:
        value += (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(-(value + 1) // 2 if value % 2 else value // 2)
            value = shift = 0
    assert shift == 0
    return values
