"""The frame of a report in a real browser: views by mouse and keyboard, colours, paper, assistive technology, names, kinds."""

import re

import pytest

from hierpair import Hierarchy, pair_measure, score
from hierpair.evaluation import partial
from hierpair.pairing import Degree, Hops, MaxDistance, NetworkRule, Rule
from hierpair.report import write_report

from .conftest import address_of, go, in_browser, report_page, wait_until_drawn
from .pages import HOSTILE, NAMES, scored

pytestmark = in_browser

VIEWS = ["Overview", "Classes", "Instances", "Measures"]
ADDRESSES = [
    "#/overview", "#/classes", "#/instances", "#/measures", "#/overview?ref=1&sort=0&dir=down", "#/classes/3",
    "#/instances/1", "#/instances?kind=difference", *(f"#/instances?measure={k}" for k in range(1, 6)),
]  # fmt: skip
"""One for every view, and then others."""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    texts = [f"The text of instance {k}." for k in range(36)]
    write_report(scored(), path, title="A page", texts=texts, warnings=["Something is doubtful."])
    return path


def open_view(page):
    """Return the title of the one view that is shown and of the tab that says so, after what is under way."""
    wait_until_drawn(page)
    tab, shown = page.get_by_role("tab", selected=True), page.get_by_role("tabpanel")
    assert (tab.count(), shown.count()) == (1, 1)
    assert shown.get_attribute("aria-labelledby") == tab.get_attribute("id")
    return tab.inner_text()


def unfold(page):
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")


def test_every_view_is_reached_by_mouse_and_back_again(browser, file):
    with report_page(browser, file) as page:
        assert page.title() == page.get_by_role("heading", level=1).inner_text() == "A page"
        assert page.get_by_role("tab").all_inner_texts() == VIEWS
        first = page.get_by_role("tabpanel").locator("> *").first  # warnings come first
        assert "Something is doubtful." in first.inner_text()
        assert first.get_attribute("class") == "warnings"
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
        for address in ADDRESSES[:4]:
            go(page, address)
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


@pytest.mark.parametrize(("address", "view"), [
    ("#/instances/2", "Instances"), ("#/measures", "Measures"), ("#/nowhere/%/?x=%&sort=99", "Overview"),
    ("#/instances/999?kind=none", "Instances"), ("#%%%", "Overview"), ("#/overview?ref=77&sort=constructor", "Overview"),
])  # fmt: skip
def test_an_address_opens_its_view_and_nonsense_opens_the_first(browser, file, address, view):
    with report_page(browser, file, address) as page:
        assert open_view(page) == view


def test_a_view_is_left_and_found_again_as_it_was(browser, file):
    with report_page(browser, file) as page:
        chosen = page.get_by_label("Compare with")
        chosen.select_option("1")
        assert address_of(page) == "#/overview?ref=1"
        for name in ("Measures", "Overview"):
            page.get_by_role("tab", name=name).click()
            wait_until_drawn(page)
        assert chosen.input_value() == "1"
        for _ in range(3):
            page.go_back()
            wait_until_drawn(page)
        assert chosen.input_value() == ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 380])
def test_axe_finds_nothing(browser, file, scheme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with report_page(browser, file, scheme=scheme, width=width, reduced_motion="reduce") as page:
        for address in ADDRESSES if width > 1000 else ADDRESSES[:4]:
            go(page, address)
            unfold(page)
            found = axe.run(page).response
            assert len(found["passes"]) > 20
            said = [
                (v["id"], v["impact"], v["help"], v["nodes"][0]["html"])
                for v in found["violations"]
            ]
            assert said == [], address


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


def test_every_view_prints(browser, file):
    with report_page(browser, file) as page:
        for address in ADDRESSES[:4]:
            go(page, address)
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


def test_it_is_readable_without_scripts_and_without_unpacking(browser, file):
    for how, script in (
        ({"java_script_enabled": False}, ""),
        ({}, "delete window.DecompressionStream"),
    ):
        opened = browser.new_context(offline=True, **how)
        page = opened.new_page()
        page.add_init_script(script)
        page.goto(file.resolve().as_uri())
        if script:
            page.wait_for_selector("[role=alert]")
            told = page.locator("[role=alert]").inner_text()
            assert told.startswith("Only what is below can be shown")
        read = [
            float(one.get_attribute("value")) for one in page.locator("#static table data").all()
        ]
        assert read == scored().values.ravel().tolist()
        assert page.locator("#static table").is_visible()
        assert page.locator("#static").get_by_text("Something is doubtful.").is_visible()
        opened.close()


# ------------------------------------------------------------------------------ hostile and long names


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A page on which all names and texts are HTML, scripts, quotes, right-to-left or very long."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    names = [f"{name}{k}" if k > 5 else name for k, name in enumerate(HOSTILE)]
    found = scored(names, systems=tuple(HOSTILE[:3]), prefix=HOSTILE[0])
    texts = [HOSTILE[k % len(HOSTILE)] for k in range(36)]
    write_report(found, path, title=HOSTILE[2], texts=texts, warnings=HOSTILE)
    return path


def test_nothing_of_the_data_becomes_markup(browser, hostile):
    harmful = "[style*=url], [onerror], [onload], iframe, object, embed, form, base"
    with report_page(browser, hostile) as page:
        assert page.title() == HOSTILE[2]
        for address in ADDRESSES:
            go(page, address)
            unfold(page)
            assert page.evaluate("window.harmed") is None
            assert page.locator("img:not([src^='data:image/svg+xml,'])").count() == 0
            assert page.locator("body script").count() == 5  # three of data, two of the page
            assert page.locator(harmful).count() == 0
            links = page.evaluate(
                "[...document.querySelectorAll('a')].map(a => a.getAttribute('href'))"
            )
            assert all(link.startswith("#") for link in links)


def test_names_are_shown_as_they_are(browser, hostile):
    with report_page(browser, hostile) as page:
        assert page.locator("table.scores tbody th .name").all_text_contents() == HOSTILE[:3]
        warned = page.locator(".warnings li").all_text_contents()
        short = [name for name in HOSTILE if len(name) < 1000]
        assert [text for text in warned if len(text) < 1000][: len(short)] == short
        go(page, "#/instances")
        assert page.locator("table.rows a").first.text_content().startswith(HOSTILE[0])
        for row in range(4):
            go(page, f"#/instances/{row}")
            assert page.locator(".instance .long-text").first.text_content() in HOSTILE


@pytest.mark.parametrize(("names", "width"), [("usual", 380), ("hostile", 380), ("hostile", 1280)])
def test_no_view_scrolls_the_page_sideways(browser, file, hostile, names, width):
    with report_page(browser, hostile if names == "hostile" else file, width=width) as page:
        for address in ADDRESSES:
            go(page, address)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address


def test_numbers_are_in_sight_on_a_narrow_screen(browser, tmp_path):
    """Beside names that differ in their last sign alone there is room for a column of numbers."""
    runs = [f"roberta_large_xnli_adapter_fusion_epoch20_lr1e5_warmup500_run{k}" for k in (1, 2, 3)]
    write_report(scored(systems=runs), tmp_path / "r.html", title="Runs")
    with report_page(browser, tmp_path / "r.html", width=390) as page:
        table = page.locator("[role=tabpanel] .scroll", has=page.locator("table.scores"))
        room = table.bounding_box()
        for row in table.locator("tbody tr").all():
            name = row.locator("th").bounding_box()
            value = row.locator("td .interval").first.bounding_box()
            assert name["width"] < 0.4 * room["width"]
            assert value["x"] + value["width"] <= room["x"] + room["width"]


# ------------------------------------------------------------------------------ kinds of pages

TERMS = Hierarchy.from_edges(
    [
        ("T:0", "T:1"),
        ("T:0", "T:2"),
        ("T:1", "T:3"),
        ("T:2", "T:3"),
        ("T:1", "T:4"),
        ("T:2", "T:5"),
    ],
    titles={"T:0": "all", "T:1": "growth", "T:2": "growth", "T:3": "cell growth", "T:4": "death"},
)
TRUTH = [["T:3"], ["T:4", "T:5"], ["T:5"], ["T:4"]] * 3
GUESS = [["T:4"], ["T:3"], ["T:5", "T:3"], ["T:4"]] * 3


@pytest.fixture
def page_of(browser, tmp_path):
    """Write scores of the terms, or scores that are given, and open the page."""

    def opened(systems, measures=("hf",), address="", width=1280, how=None, **more):
        found = systems
        if isinstance(systems, dict):
            found = score(TERMS, TRUTH, systems, list(measures), **(how or {}))
        write_report(found, tmp_path / "r.html", **{"sensitivity": False, **more})
        return report_page(browser, tmp_path / "r.html", address, width=width)

    return opened


def every_view(page):
    for tab in page.get_by_role("tab").all():
        tab.click()
        wait_until_drawn(page)
        assert page.get_by_role("tabpanel").locator("> *").count() > 0
    found = page.get_by_role("tab").all_inner_texts()
    go(page, "#/overview")
    return found


def test_one_system_has_nothing_to_compare_with(page_of):
    with page_of({"mine": GUESS}) as page:
        assert "Instances" in every_view(page)
        assert page.get_by_label("Compare with").count() == 0
        assert page.get_by_text("There is one system, so nothing is compared.").is_visible()


def test_instances_of_unpaired_systems_are_of_one_system(page_of):
    with page_of({"mine": GUESS, "other": TRUTH}, ["hf", "gie"], paired=False) as page:
        every_view(page)
        assert page.locator("table.scores .interval").count() == 0
        go(page, "#/instances")
        assert page.locator("table.labels th").all_inner_texts() == ["true", "mine"]
        page.locator("[data-key=list-system]").select_option(label="other")
        wait_until_drawn(page)
        assert page.locator("table.labels th").all_inner_texts() == ["true", "other"]


def test_of_many_systems_those_of_the_list_come_first(page_of):
    systems = {f"s{k}": GUESS[k:] + GUESS[:k] for k in range(10)}
    with page_of(systems, address="#/instances?system=3") as page:
        assert page.locator("table.labels th:visible").all_inner_texts() == ["true", "s3"]
        page.get_by_text("Labels and values of 9 other systems").click()
        shown = page.locator("table.labels th:visible").all_inner_texts()
        assert sorted(shown) == sorted(["true", "true", *systems])


def test_classes_are_called_by_titles_that_are_theirs_alone(page_of):
    with page_of({"mine": GUESS}, ["gie"], "#/instances") as page:
        seen = set()
        for row in page.locator("table.rows a").all():
            row.click()
            wait_until_drawn(page)
            seen |= set(page.locator(".explanation svg .name").all_text_contents())
        assert {"cell growth", "death", "growth (T:1)", "growth (T:2)", "T:5"} <= seen
        assert "growth" not in seen


def test_scores_without_labels_have_an_overview(page_of):
    found = partial(TERMS, TRUTH, {"mine": GUESS, "other": TRUTH}, ["hf"], part="all").scores()
    with page_of(found) as page:
        views = every_view(page)
        assert views[0] == "Overview"
        assert "Classes" not in views
        values = [
            one.get_attribute("data-value") for one in page.locator("table.scores .value").all()
        ]
        assert [float(text) for text in values] == sorted(found.values[:, 0], reverse=True)


def test_an_instance_without_pairing_says_what_cannot_hold(page_of):
    @pair_measure()
    def strict(far: int = 1):
        """Every class needs a partner that is near."""
        return Rule(Hops(), (Degree("predicted", 1, 1), Degree("true", 1, 1), MaxDistance(far)))

    with page_of(
        {"mine": GUESS}, ["strict", "hf"], "#/instances?measure=0", how={"on_infeasible": "nan"}
    ) as page:
        said = page.locator(".why").inner_text()
        assert "has no value" in said
        assert "these cannot hold together" in said


def test_a_network_of_ones_own_is_told_by_what_its_arcs_say(page_of):
    @pair_measure()
    def at_a_desk():
        """Every predicted class costs 2."""

        def write(pairs, net):
            labels = pairs.labels("predicted")
            hub = net.nodes(len(pairs.ptr) - 1, "hub")
            own = net.nodes(labels.instance, "{}", of=labels)
            net.arcs(hub[labels.instance], own, 1, cost=2, says="{} is predicted", of=labels)
            net.arcs(own, hub[labels.instance], says="and back")

        return NetworkRule(write)

    with page_of({"mine": GUESS}, ["at_a_desk"], "#/instances?measure=0") as page:
        said = page.locator(".explanation").inner_text()
        assert "is predicted" in said
        assert "every flow costs at least 4" in said


def test_every_measure_that_is_explained_is_drawn(page_of):
    """Options that draw something of their own: weights, pruning, greedy graphs, published pairs."""
    measures = ["hf", "depth_loss", "lca_f(extension='greedy')", "hcm_f(pairing='published')", "contribution_f",
                "h_loss", "gie(threshold=4)", "mgia"]  # fmt: skip
    with page_of(scored(measures=measures)) as page:
        for k in range(len(measures)):
            go(page, f"#/instances?measure={k}")
            assert page.locator(".explanation svg").count() >= 1, measures[k]
            assert page.locator(".explanation pre").count() == 0, measures[k]


def test_of_many_measures_eight_are_shown_at_once(page_of):
    """Those that were named first come first; the others are one choice away."""
    measures = ["hf", "hp", "hr", "gie", "mgia", "lca_f", "hcm_f", "f", "precision", "recall"]
    with page_of(scored(measures=measures)) as page:
        heads = page.locator("table.scores thead th")
        assert heads.count() == 9
        page.locator("[data-key=measures]").select_option("8")
        wait_until_drawn(page)
        assert heads.count() == 3
        assert page.locator("table.scores td .value").count() == 2 * 3


@pytest.mark.parametrize("n", [1, 2])
def test_counts_agree_with_their_nouns(page_of, n):
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "a1"), ("b", "b1")])
    found = score(tree, [["a1"]] * n, {f"s{k}": [["a1"]] * n for k in range(n)}, ["hf", "f"][:n])
    with page_of(found) as page:
        facts = page.locator(".facts dt").all_text_contents()
        nouns = [f"{x}{'s' * (n > 1)}" for x in ("instance", "system", "measure")]
        assert facts == [*nouns, "true label per instance", "classes in a tree"]


def test_letters_of_charts_stay_legible(page_of):
    pytest.importorskip("matplotlib")
    with page_of(scored(measures=NAMES[:1]), address="#/measures", width=390) as page:
        images = page.locator("[data-chart] img").all()
        assert images
        for image in images:
            width = float(image.evaluate("one => one.style.width").removesuffix("px"))
            assert image.bounding_box()["width"] > 0.64 * width
