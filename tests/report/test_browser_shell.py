"""The frame of a report in a real browser: views by mouse and keyboard, colours, paper, assistive technology."""

import re

import pytest

from hierpair.report import write_report

from .browser import address_of, go, in_browser, report_page, wait_until_drawn
from .pages import scored

pytestmark = in_browser

VIEWS = ["Overview", "Classes", "Instances", "Measures"]
ADDRESSES = {
    "Overview": ["#/overview", "#/overview?ref=1&sort=0&dir=down"],
    "Classes": ["#/classes"],
    "Instances": ["#/instances", "#/instances/1", "#/instances?measure=1"]
    + [f"#/instances?measure={k}" for k in range(1, 6)],
    "Measures": ["#/measures"],
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    texts = [f"The text of instance {k}." for k in range(36)]
    write_report(scored(), path, title="A page", texts=texts, warnings=["Something is doubtful."])
    return path


def open_view(page):
    """Return the title of the one view that is shown and of the tab that says so, after what is under way."""
    wait_until_drawn(page)
    tab = page.get_by_role("tab", selected=True)
    assert tab.count() == 1
    shown = page.get_by_role("tabpanel")
    assert shown.count() == 1
    assert shown.get_attribute("aria-labelledby") == tab.get_attribute("id")
    return tab.inner_text()


def test_every_view_is_reached_by_mouse_and_back_again(browser, file):
    with report_page(browser, file) as page:
        assert page.title() == "A page"
        assert page.get_by_role("heading", level=1).inner_text() == "A page"
        assert page.get_by_role("tab").all_inner_texts() == VIEWS
        for view in [*VIEWS[1:], *VIEWS[:1]]:
            page.get_by_role("tab", name=view).click()
            assert open_view(page) == view
        for view in reversed(VIEWS[1:]):
            page.go_back()
            assert open_view(page) == view
        page.go_forward()
        assert open_view(page) == "Instances"


def test_every_view_is_reached_by_keyboard(browser, file):
    with report_page(browser, file) as page:
        page.keyboard.press("Tab")
        assert page.locator(":focus").inner_text() == "Skip to the results"
        page.keyboard.press("Enter")
        assert page.locator(":focus").get_attribute("id") == "main"
        assert address_of(page) == ""
        page.keyboard.press("Shift+Tab")  # the button of the colours
        page.keyboard.press("Shift+Tab")
        assert page.locator(":focus").inner_text() == "Overview"
        for key, view in [
            ("ArrowRight", "Classes"), ("ArrowRight", "Instances"), ("End", "Measures"),
            ("ArrowRight", "Overview"), ("ArrowLeft", "Measures"), ("Home", "Overview"),
        ]:  # fmt: skip
            page.keyboard.press(key)
            page.wait_for_function("view => document.activeElement.innerText === view", arg=view)
            assert open_view(page) == view
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        assert page.locator(":focus").get_attribute("role") == "tabpanel"


def test_the_keyboard_sees_where_it_is(browser, file):
    """Everything that takes the focus shows it, on every view."""
    with report_page(browser, file) as page:
        for addresses in ADDRESSES.values():
            go(page, addresses[0])
            page.evaluate("document.activeElement.blur()")
            seen = set()
            for _ in range(25):
                page.keyboard.press("Tab")
                found = page.evaluate(
                    """() => {
                        const at = document.activeElement;
                        const style = getComputedStyle(at);
                        return [at.outerHTML.slice(0, 200), at === document.body, style.outlineStyle !== "none"
                            || (at.role === "treeitem" && document.querySelector(".cls-ring").getBBox().width >= at.getBBox().width)];
                    }"""
                )
                if found[1]:
                    break
                seen.add(found[0])
                assert found[2], found[0]
            assert len(seen) > 5


def test_an_address_opens_its_view_and_nonsense_opens_the_first(browser, file):
    for address, view in [
        ("#/instances/2", "Instances"), ("#/measures", "Measures"), ("#/nowhere/%/?x=%&sort=99", "Overview"),
        ("#/instances/999?kind=none", "Instances"), ("#%%%", "Overview"), ("#/overview?ref=77&sort=constructor", "Overview"),
    ]:  # fmt: skip
        with report_page(browser, file, address) as page:
            assert open_view(page) == view


def test_a_view_is_left_and_found_again_as_it_was(browser, file):
    with report_page(browser, file) as page:
        page.get_by_label("Compare with").select_option("1")
        assert address_of(page) == "#/overview?ref=1"
        page.get_by_role("tab", name="Measures").click()
        wait_until_drawn(page)
        page.get_by_role("tab", name="Overview").click()
        wait_until_drawn(page)
        assert page.get_by_label("Compare with").input_value() == "1"
        for _ in range(3):
            page.go_back()
            wait_until_drawn(page)
        assert page.get_by_label("Compare with").input_value() == ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 380])
def test_axe_finds_nothing(browser, file, scheme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with report_page(browser, file, scheme=scheme, width=width, reduced_motion="reduce") as page:
        most = None if width > 1000 else 1
        for address in [one for addresses in ADDRESSES.values() for one in addresses[:most]]:
            go(page, address)
            page.evaluate(
                "document.querySelectorAll('details').forEach(part => { part.open = true; })"
            )
            found = axe.run(page).response
            assert len(found["passes"]) > 20
            said = [
                (v["id"], v["impact"], v["help"], v["nodes"][0]["html"])
                for v in found["violations"]
            ]
            assert said == [], address


@pytest.mark.parametrize("view", VIEWS)
def test_a_narrow_screen_scrolls_no_page_sideways(browser, file, view):
    with report_page(browser, file, width=380) as page:
        for address in ADDRESSES[view]:
            go(page, address)
            assert page.evaluate("document.documentElement.scrollWidth") <= 380, address


def test_colours_follow_the_system_and_the_button(browser, file):
    lightness = """() => {
        const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number);
        return r + g + b;
    }"""
    with report_page(browser, file) as page:
        assert page.evaluate(lightness) > 600
        page.emulate_media(color_scheme="dark")
        assert page.evaluate(lightness) < 150
        page.get_by_role("button", name="Light colours").click()
        assert page.evaluate(lightness) > 600
        page.get_by_role("button", name="Dark colours").click()
        assert page.evaluate(lightness) < 150


def test_warnings_come_first(browser, file):
    with report_page(browser, file) as page:
        first = page.get_by_role("tabpanel").locator("> *").first
        assert "Something is doubtful." in first.inner_text()
        assert first.get_attribute("class") == "warnings"


def test_every_view_prints(browser, file):
    with report_page(browser, file) as page:
        for addresses in ADDRESSES.values():
            go(page, addresses[0])
            printed = page.pdf(format="A4")
            assert printed.startswith(b"%PDF")
            assert len(re.findall(rb"/Type\s*/Page\b", printed)) >= 1
        go(page, "#/overview")
        page.evaluate("""() => addEventListener("afterprint", () => { window.unfolded =
            [...document.querySelectorAll("#view-overview details")].every(part => part.open); })""")
        assert page.locator("#view-overview details[open]").count() == 0
        page.pdf(format="A4")
        assert page.evaluate("window.unfolded")
        assert page.locator("#view-overview details[open]").count() == 0
        page.emulate_media(media="print")
        go(page, "#/overview")
        assert not page.get_by_role("tab", name="Overview").is_visible()
        assert page.get_by_role("heading", level=1).is_visible()
        assert page.get_by_role("tabpanel").locator("table.scores").is_visible()


def test_it_is_readable_without_scripts(browser, file):
    opened = browser.new_context(java_script_enabled=False, offline=True)
    page = opened.new_page()
    page.goto(file.resolve().as_uri())
    values = scored().values
    read = [float(one.get_attribute("value")) for one in page.locator("#static table data").all()]
    assert read == values.ravel().tolist()
    assert page.get_by_text("Something is doubtful.").is_visible()
    opened.close()


def test_a_browser_that_cannot_unpack_says_so_above_the_table(browser, file):
    opened = browser.new_context(offline=True)
    page = opened.new_page()
    page.add_init_script("delete window.DecompressionStream")
    page.goto(file.resolve().as_uri())
    page.wait_for_selector("[role=alert]")
    assert page.locator("[role=alert]").inner_text().startswith("Only what is below can be shown")
    assert page.locator("#static table").is_visible()
    opened.close()
