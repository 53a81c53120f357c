"""Names that are HTML, scripts, quotes, right-to-left or very long are texts, wherever a browser shows them."""

import pytest

from hierpair.report import write_report

from .browser import go, in_browser, report_page
from .pages import HOSTILE, scored

pytestmark = in_browser


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    names = [f"{name}{k}" if k > 5 else name for k, name in enumerate(HOSTILE)]
    found = scored(names, systems=tuple(HOSTILE[:3]), prefix=HOSTILE[0])
    texts = [HOSTILE[k % len(HOSTILE)] for k in range(36)]
    write_report(found, path, title=HOSTILE[2], texts=texts, warnings=HOSTILE)
    return path


ADDRESSES = [
    "#/overview", "#/overview?ref=1", "#/classes", "#/classes/3", "#/instances", "#/instances/4", "#/measures",
    *(f"#/instances?measure={k}" for k in range(1, 6)), "#/instances?kind=difference",
]  # fmt: skip


def test_nothing_of_the_data_becomes_markup(browser, file):
    with report_page(browser, file) as page:
        assert page.title() == HOSTILE[2]
        for address in ADDRESSES:
            go(page, address)
            page.evaluate(
                "document.querySelectorAll('details').forEach(part => { part.open = true; })"
            )
            assert page.evaluate("window.harmed") is None
            assert page.locator("img:not([src^='data:image/svg+xml,'])").count() == 0
            scripts = page.locator("body script")  # three of data, two of the page
            assert scripts.count() == 5
            assert (
                page.locator(
                    "[style*=url], [onerror], [onload], iframe, object, embed, form, base"
                ).count()
                == 0
            )
            links = page.evaluate(
                "[...document.querySelectorAll('a')].map(a => a.getAttribute('href'))"
            )
            assert all(link.startswith("#") for link in links)


def test_names_are_shown_as_they_are(browser, file):
    with report_page(browser, file) as page:
        systems = page.locator("table.scores tbody th .name").all_text_contents()
        assert systems == HOSTILE[:3]
        warned = page.locator(".warnings li").all_text_contents()
        short = [name for name in HOSTILE if len(name) < 1000]
        assert [text for text in warned if len(text) < 1000][: len(short)] == short
        go(page, "#/instances")
        assert page.locator("table.rows a").first.text_content().startswith(HOSTILE[0])
        read = set()
        for row in range(4):
            go(page, f"#/instances/{row}")
            read.add(page.locator(".instance .long-text").first.text_content())
        assert read <= set(HOSTILE)


@pytest.mark.parametrize("width", [1280, 380])
def test_long_names_break_no_view(browser, file, width):
    with report_page(browser, file, width=width) as page:
        for address in ADDRESSES:
            go(page, address)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address


RUNS = [f"roberta_large_xnli_adapter_fusion_epoch20_lr1e5_warmup500_run{k}" for k in (1, 2, 3)]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A page of systems that differ in the last sign of a long name."""
    path = tmp_path_factory.mktemp("runs") / "report.html"
    write_report(scored(systems=RUNS), path, title="Runs")
    return path


def test_numbers_are_in_sight_on_a_narrow_screen(browser, runs):
    """Beside the names, which stay where they are, there is room for a column of numbers."""
    with report_page(browser, runs, width=390) as page:
        table = page.locator("[role=tabpanel] .scroll", has=page.locator("table.scores"))
        room = table.bounding_box()
        for row in table.locator("tbody tr").all():
            name = row.locator("th").bounding_box()
            value = row.locator("td .interval").first.bounding_box()
            assert name["width"] < 0.4 * room["width"]
            assert value["x"] + value["width"] <= room["x"] + room["width"]
