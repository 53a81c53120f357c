"""Reports in a real browser: views by mouse and keyboard, colours, paper, names, kinds, numbers; the view of all classes."""

import math
import re

import numpy as np
import pytest

from hierpair import Hierarchy, compare, explain, pair_measure, score
from hierpair.evaluation import partial
from hierpair.pairing import Degree, Hops, MaxDistance, NetworkRule, Rule
from hierpair.report import write_report
from hierpair.tables.forms import FORMS

from .conftest import HOSTILE, address_of, go, in_browser, report_page, scored, wait_until_drawn

pytestmark = in_browser

VIEWS = ["Overview", "Classes", "Instances", "Measures"]
ADDRESSES = [
    "#/overview", "#/classes", "#/instances", "#/measures", "#/overview?ref=1&sort=0&dir=down", "#/classes/3",
    "#/instances/1", "#/instances?kind=difference", *(f"#/instances?measure={k}" for k in range(1, 6)),
]  # fmt: skip
"""One for every view, and then others."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def file(folder):
    texts = [f"The text of instance {k}." for k in range(36)]
    warnings = ["Something is doubtful."]
    write_report(scored(), folder / "plain.html", title="A page", texts=texts, warnings=warnings)
    return folder / "plain.html"


@pytest.fixture(scope="module")
def hostile(folder):
    """A page on which all names and texts are HTML, scripts, quotes, right-to-left or very long."""
    names = [f"{name}{k}" if k > 5 else name for k, name in enumerate(HOSTILE)]
    found = scored(names, systems=tuple(HOSTILE[:3]), prefix=HOSTILE[0])
    texts = [HOSTILE[k % len(HOSTILE)] for k in range(36)]
    write_report(found, folder / "odd.html", title=HOSTILE[2], texts=texts, warnings=HOSTILE)
    return folder / "odd.html"


@pytest.fixture
def page_of(browser, tmp_path):
    """Write a page of scores and open it."""

    def opened(scores, address="", width=1280, **more):
        write_report(scores, tmp_path / "r.html", **{"sensitivity": False, **more})
        return report_page(browser, tmp_path / "r.html", address, width=width)

    return opened


def open_view(page):
    """Return the title of the one view that is shown and of the tab that says so, after what is under way."""
    wait_until_drawn(page)
    tab, shown = page.get_by_role("tab", selected=True), page.get_by_role("tabpanel")
    assert (tab.count(), shown.count()) == (1, 1)
    assert shown.get_attribute("aria-labelledby") == tab.get_attribute("id")
    return tab.inner_text()


def unfold(page):
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")


# ------------------------------------------------------------------------------ the frame


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
    """Everything that takes the focus shows it, on every view."""
    with report_page(browser, file) as page:
        focus, press = page.locator(":focus"), page.keyboard.press
        press("Tab")
        assert focus.inner_text() == "Skip to the results"
        press("Enter")
        assert (focus.get_attribute("id"), address_of(page)) == ("main", "")
        press("Shift+Tab")  # the button of the colours
        press("Shift+Tab")
        assert focus.inner_text() == "Overview"
        for key, view in [
            ("ArrowRight", "Classes"), ("ArrowRight", "Instances"), ("End", "Measures"),
            ("ArrowRight", "Overview"), ("ArrowLeft", "Measures"), ("Home", "Overview"),
        ]:  # fmt: skip
            press(key)
            page.wait_for_function("view => document.activeElement.innerText === view", arg=view)
            assert open_view(page) == view
        press("Tab")
        press("Tab")
        assert focus.get_attribute("role") == "tabpanel"
        for address in ADDRESSES[:4]:
            go(page, address)
            page.evaluate("document.activeElement.blur()")
            seen = set()
            for _ in range(25):
                press("Tab")
                name, at_end, shown = page.evaluate("""() => {
                    const at = document.activeElement, style = getComputedStyle(at);
                    return [at.outerHTML.slice(0, 200), at === document.body, style.outlineStyle !== "none" ||
                        (at.role === "treeitem" && document.querySelector(".cls-ring").getBBox().width >= at.getBBox().width)];
                }""")  # fmt: skip
                if at_end:
                    break
                seen.add(name)
                assert shown, name
            assert len(seen) > 5


def test_addresses_open_views_and_nonsense_the_first(browser, file):
    """A view is left and found again as it was."""
    views = {"#/instances/2": "Instances", "#/measures": "Measures", "#/nowhere/%/?x=%&sort=99": "Overview",
             "#/instances/999?kind=none": "Instances", "#%%%": "Overview", "#/overview?ref=77&sort=constructor": "Overview"}  # fmt: skip
    for address, view in views.items():
        with report_page(browser, file, address) as page:
            assert open_view(page) == view
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
def test_axe_finds_nothing_and_no_view_is_too_wide(browser, file, scheme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with report_page(browser, file, scheme=scheme, width=width, reduced_motion="reduce") as page:
        for address in ADDRESSES if width > 1000 else ADDRESSES[:4]:
            go(page, address)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address
            unfold(page)
            found = axe.run(page).response
            assert len(found["passes"]) > 20
            said = [(v["id"], v["help"], v["nodes"][0]["html"]) for v in found["violations"]]
            assert said == [], address


def test_colours_follow_the_system_and_the_button_and_every_view_prints(browser, file):
    lightness = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
    with report_page(browser, file) as page:
        seen = [sum(page.evaluate(lightness))]
        page.emulate_media(color_scheme="dark")
        seen.append(sum(page.evaluate(lightness)))
        for name in ("Light colours", "Dark colours"):
            page.get_by_role("button", name=name).click()
            seen.append(sum(page.evaluate(lightness)))
        assert [light > 600 for light in seen] == [light > 150 for light in seen] == [1, 0, 1, 0]
        for address in [*ADDRESSES[1:4], ADDRESSES[0]]:
            go(page, address)
            assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) >= 1
        folded = page.locator("#view-overview details:not([open])")
        n = folded.count()
        page.evaluate("""() => addEventListener("afterprint", () => { window.unfolded =
            [...document.querySelectorAll("#view-overview details")].every(part => part.open); })""")
        page.pdf(format="A4")
        assert page.evaluate("window.unfolded")
        assert folded.count() == n > 0
        page.emulate_media(media="print")
        go(page, "#/overview")
        assert not page.get_by_role("tab", name="Overview").is_visible()
        assert page.get_by_role("tabpanel").locator("table.scores").is_visible()


@pytest.mark.parametrize("script", [None, "delete window.DecompressionStream"])
def test_it_is_readable_without_scripts_and_without_unpacking(browser, file, script):
    opened = browser.new_context(offline=True, java_script_enabled=script is not None)
    page = opened.new_page()
    page.add_init_script(script or "")
    page.goto(file.resolve().as_uri())
    if script:
        page.wait_for_selector("[role=alert]")
        told = page.locator("[role=alert]").inner_text()
        assert told.startswith("Only what is below can be shown")
    told = " ".join(page.locator("#static table td").all_inner_texts()).split()
    assert {f"{x:.4f}" for x in scored().values.ravel()} <= {x.rstrip("†") for x in told}
    assert page.locator("#static table").first.is_visible()
    assert page.locator("#static").get_by_text("Something is doubtful.").is_visible()
    opened.close()


@pytest.mark.parametrize("width", [380, 1280])
def test_nothing_of_the_data_becomes_markup_and_names_are_shown_as_they_are(
    browser, hostile, width
):
    harmful = "[style*=url], [onerror], [onload], iframe, object, embed, form, base"
    with report_page(browser, hostile, width=width) as page:
        assert page.title() == HOSTILE[2]
        for address in ADDRESSES:
            go(page, address)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address
            unfold(page)
            assert page.evaluate("window.harmed") is None
            assert page.locator("img:not([src^='data:image/svg+xml,'])").count() == 0
            assert page.locator("body script").count() == 5  # three of data, two of the page
            assert page.locator(harmful).count() == 0
            links = page.locator("a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
            assert all(link.startswith("#") for link in links)
        go(page, "#/overview")
        assert page.locator("table.scores tbody th .name").all_text_contents() == HOSTILE[:3]
        warned = page.locator(".warnings li").all_text_contents()
        short = [name for name in HOSTILE if len(name) < 1000]
        assert [text for text in warned if len(text) < 1000][: len(short)] == short
        go(page, "#/instances")
        assert page.locator("table.rows a").first.text_content().startswith(HOSTILE[0])
        for row in range(4):
            go(page, f"#/instances/{row}")
            assert page.locator(".instance .long-text").first.text_content() in HOSTILE


# ------------------------------------------------------------------------------ kinds of pages

TERMS = Hierarchy.from_edges(
    [("T:0", "T:1"), ("T:0", "T:2"), ("T:1", "T:3"), ("T:2", "T:3"), ("T:1", "T:4"), ("T:2", "T:5")],
    titles={"T:0": "all", "T:1": "growth", "T:2": "growth", "T:3": "cell growth", "T:4": "death"},
)  # fmt: skip
TRUTH = [["T:3"], ["T:4", "T:5"], ["T:5"], ["T:4"]] * 3
GUESS = [["T:4"], ["T:3"], ["T:5", "T:3"], ["T:4"]] * 3
TURNED = {f"s{k}": GUESS[k:] + GUESS[:k] for k in range(10)}
TWO = {"mine": GUESS, "other": TRUTH}


def strict(far: int = 1):
    """Every class needs a partner that is near."""
    return Rule(Hops(), (Degree("predicted", 1, 1), Degree("true", 1, 1), MaxDistance(far)))


def at_a_desk():
    """Every predicted class costs 2."""

    def write(pairs, net):
        labels = pairs.labels("predicted")
        hub = net.nodes(len(pairs.ptr) - 1, "hub")
        own = net.nodes(labels.instance, "{}", of=labels)
        net.arcs(hub[labels.instance], own, 1, cost=2, says="{} is predicted", of=labels)
        net.arcs(own, hub[labels.instance], says="and back")

    return NetworkRule(write)


DRAWN = ["hf", "depth_loss", "lca_f(extension='greedy')", "hcm_f(pairing='published')", "contribution_f",
         "h_loss", "gie(threshold=4)", "mgia"]  # fmt: skip
TEN = ["hf", "hp", "hr", "gie", "mgia", "lca_f", "hcm_f", "f", "precision", "recall"]


def terms(systems, measures=("hf",), rule=None, **how):
    measures = measures if rule is None else [pair_measure()(rule).__name__]
    return score(TERMS, TRUTH, systems, list(measures), **how)


KINDS = {
    "one system": (lambda: terms({"mine": GUESS}), "", {
        "label:has-text('Compare with')": 0, "[role=tabpanel]:visible": "There is one system, so nothing is compared."}),
    "unpaired": (lambda: terms(TWO, ["hf", "gie"]), "", {
        "table.scores .value": 4, "[role=tab]:has-text('Instances')": 0, "table.scores .interval": 0}),
    "many systems": (lambda: terms(TURNED), "#/instances?system=3", {
        "table.labels th:visible": ["true", "s3"], "[role=tabpanel]:visible": "Labels and values of 9 other systems"}),
    "sums": (lambda: partial(TERMS, TRUTH, TWO, ["hf"], part="all").scores(), "", {
        "table.scores .value": 2, "[role=tab]:has-text('Classes')": 0}),
    "no pairing": (lambda: terms({"mine": GUESS}, rule=strict, on_infeasible="nan"), "#/instances?measure=0", {
        ".why": "these cannot hold together"}),
    "own network": (lambda: terms({"mine": GUESS}, rule=at_a_desk), "#/instances?measure=0", {
        ".explanation": "every flow costs at least 4"}),
    "ten measures": (lambda: scored(measures=TEN), "", {"table.scores thead th": 9}),
    "one instance": (lambda: score(TERMS, TRUTH[:1], {"mine": GUESS[:1]}, ["hf"]), "", {
        ".facts dt": ["instance", "system", "measure", "true label per instance", "classes in a directed acyclic graph"]}),
}  # fmt: skip
"""Scores, an address, and what is there by selector: how many, which texts, or words among them."""


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_page_shows_what_it_has(page_of, kind):
    scores, address, shown = KINDS[kind]
    with page_of(scores(), address, **({"paired": False} if kind == "unpaired" else {})) as page:
        for selector, expected in shown.items():
            place = page.locator(selector)
            if isinstance(expected, int):
                assert place.count() == expected, selector
            elif isinstance(expected, list):
                assert place.all_inner_texts() == expected
            else:
                assert expected in place.first.inner_text()
        for tab in page.get_by_role("tab").all():
            tab.click()
            wait_until_drawn(page)
            assert page.get_by_role("tabpanel").locator("> *").count() > 0


def test_every_measure_that_is_explained_is_drawn_with_titles_of_classes(page_of):
    """Options that draw something of their own: weights, pruning, greedy graphs, published pairs."""
    with page_of(terms({"mine": GUESS}, ["gie"]), "#/instances") as page:
        seen = set()
        for row in page.locator("table.rows a").all():
            row.click()
            wait_until_drawn(page)
            seen |= set(page.locator(".explanation svg .name").all_text_contents())
        assert {"cell growth", "death", "growth (T:1)", "growth (T:2)", "T:5"} <= seen
        assert "growth" not in seen
    with page_of(scored(measures=DRAWN)) as page:
        for k, name in enumerate(DRAWN):
            go(page, f"#/instances?measure={k}")
            assert page.locator(".explanation svg").count() >= 1, name
            assert page.locator(".explanation pre").count() == 0, name


def test_names_leave_room_for_numbers_and_letters_stay_legible_on_a_narrow_screen(page_of):
    pytest.importorskip("matplotlib")
    runs = [f"roberta_large_xnli_adapter_fusion_epoch20_lr1e5_warmup500_run{k}" for k in (1, 2, 3)]
    with page_of(scored(systems=runs), width=390) as page:
        table = page.locator("[role=tabpanel] .scroll", has=page.locator("table.scores"))
        room = table.bounding_box()
        for row in table.locator("tbody tr").all():
            assert row.locator("th").bounding_box()["width"] < 0.4 * room["width"]
            value = row.locator("td .interval").first.bounding_box()
            assert value["x"] + value["width"] <= room["x"] + room["width"]
        go(page, "#/measures")
        images = page.locator("[data-chart] img").all()
        assert len(images) >= 3
        for image in images:
            width = float(image.evaluate("one => one.style.width").removesuffix("px"))
            assert image.bounding_box()["width"] > 0.64 * width
            assert len(image.get_attribute("alt")) > 20
            assert image.evaluate("image => image.complete && image.naturalWidth > 100")


# ------------------------------------------------------------------------------ numbers


@pytest.fixture(scope="module")
def scores():
    return scored()


@pytest.fixture(scope="module")
def compared(scores):
    return compare(scores)


@pytest.fixture(scope="module")
def page(browser, scores, folder):
    write_report(scores, folder / "numbers.html")
    with report_page(browser, folder / "numbers.html") as opened:
        yield opened


def numbers(place):
    """Return the numbers of an element in full; None where there is none."""
    found = [one.get_attribute("data-value") for one in place.locator("[data-value]").all()]
    return [float(text) if text else None for text in found]


def test_scores_intervals_ranks_marks_and_differences_to_a_reference(page, compared):
    best, marked, words = compared.upwards.argmax(axis=0), 0, set()
    shown = [[getattr(compared, x) for x in names.split()] for names in (
        "values low high ranks", "difference difference_low difference_high p_adjusted")]  # fmt: skip
    for reference in (None, 0, 1, 2):
        go(page, f"#/overview{'' if reference is None else f'?ref={reference}'}")
        for i, k in np.ndindex(compared.values.shape):
            place = page.locator(f"table.scores tr[data-system='{i}'] td[data-measure='{k}']")
            text = place.inner_text()
            if reference is None:
                assert numbers(place) == [float(x[i, k]) for x in shown[0]]
                worse = bool(compared.significant[k, best[k], i])
                assert ("†" in text) == worse
                assert (place.get_attribute("class") == "num best") == (compared.ranks[i, k] == 1)
                marked += worse
            elif i != reference:
                of = (k, i, reference)
                assert numbers(place) == [float(x[of]) for x in shown[1]]
                word = next((x for x in ("better", "worse") if x in text), "")
                upwards = (compared.difference[of] > 0) == compared.measures[k].higher_is_better
                clear = compared.p_adjusted[of] < compared.plan.alpha
                assert word == ("" if not clear else "better" if upwards else "worse")
                words.add(word)
        if reference is not None:
            assert page.get_by_label("Compare with").input_value() == str(reference)
            assert page.locator("tr.reference").get_attribute("data-system") == str(reference)
    assert 0 < marked < compared.values.size
    assert {"better", "worse"} <= words


def test_columns_are_sorted_both_ways(page, scores):
    go(page, "#/overview")
    heads, rows = (page.locator(f"table.scores {x}") for x in ("thead th", "tbody tr"))
    best = "descending" if scores.measures[0].higher_is_better else "ascending"
    assert heads.nth(1).get_attribute("aria-sort") == best  # without being asked
    assert page.locator("table.scores thead th", has_text="↕").count() == len(scores.measures)
    page.locator("[data-key='sort-name']").click()
    wait_until_drawn(page)
    for k, m in enumerate(scores.measures):
        for turned in (False, True):
            page.locator(f"[data-key='sort-{k}']").click()
            wait_until_drawn(page)
            [by] = [h for h in heads.all() if h.get_attribute("aria-sort") != "none"]
            assert m.label in by.inner_text()
            descending = by.get_attribute("aria-sort") == "descending"
            assert descending == (m.higher_is_better != turned)  # the best first, then turned
            column = [scores.values[int(row.get_attribute("data-system")), k] for row in rows.all()]
            assert column == sorted(column, reverse=descending)
            assert page.locator(":focus").get_attribute("data-key") == f"sort-{k}"


def test_values_of_instances_and_the_largest_differences(page, scores):
    go(page, "#/instances")
    links = page.locator("table.rows a").all_inner_texts()
    assert links == list(scores.worst(scores.systems[0], scores.measures[0].name, 5))
    for link in links:
        page.get_by_role("link", name=link, exact=True).first.click()
        wait_until_drawn(page)
        at = list(scores.ids).index(page.locator(".instance").get_attribute("data-instance"))
        for i, k in np.ndindex(scores.values.shape):
            place = page.locator(f".instance [data-system='{i}'][data-measure='{k}']")
            value = scores.per_instance[scores.systems[i]][at, k]
            assert place.get_attribute("data-value") == written_by_javascript(value)
    go(page, "#/instances?kind=difference")
    i, j = (int(k) for k in page.locator("[data-key=list-system]").input_value().split("-"))
    k = int(page.locator("[data-key=list-measure]").input_value())
    first = numbers(page.locator("table.rows tbody tr").first)
    of = [scores.per_instance[scores.systems[s]][:, k] for s in (i, j)]
    assert abs(first[0] - first[1]) == np.nanmax(np.abs(of[0] - of[1]))


def written_by_javascript(value):
    if math.isnan(value):
        return ""
    return str(int(value)) if value == int(value) else repr(float(value))


@pytest.mark.parametrize("measure", range(6))
def test_explanations_are_those_of_explain(page, scores, measure):
    go(page, f"#/instances?measure={measure}")
    why = page.locator(".why")
    system = scores.systems[int(why.get_attribute("data-why").split(",")[0])]
    name = page.locator(".instance").get_attribute("data-instance")
    labels = scores.scored
    [expected] = explain(labels.hierarchy, labels.truth, labels.systems[system], scores.measures[measure],
                         instances=[name], system=system)  # fmt: skip
    assert numbers(why.locator(".value-line")) == [expected.value]
    evidence = expected.evidence
    proof = evidence if evidence.kind == "flow" else getattr(evidence, "proof", None)
    if proof is not None:
        chosen = sum(p.units > 0 for p in proof.pairs)
        assert why.locator("path.chosen").count() == chosen
        costs = why.locator("svg .cost").all_text_contents()
        assert len(costs) == chosen + sum(bool(row.missing) for row in proof.counted)
    cells = why.locator("tbody td").all_text_contents()
    printed = expected.content().page(FORMS["text"])
    assert cells == [x for b in printed.blocks[1:] for line in b.rows for x in line]
    assert why.locator(".certificate p").all_text_contents() == list(printed.notes)
    drawn = why.locator(".scroll svg").last.locator("text.name").all_text_contents()
    assert drawn == [str(node.name) for node in expected.neighbourhood.nodes]
