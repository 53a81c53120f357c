"""What the overview and the measures say in words: folded, counted, without a value."""

import json
from math import nextafter

import pytest

from hierpair import Hierarchy, score
from hierpair.report import write_report

from .browser import in_browser, report_page
from .scored import NAMES, scored

pytestmark = in_browser

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "a1"), ("b", "b1")])
TITLE = "What was measured, and how"


def test_many_measures_are_folded_and_printed(browser, tmp_path):
    found = scored(measures=[*NAMES, "contribution_accuracy"])
    write_report(found, tmp_path / "r.html", sensitivity=False)
    with report_page(browser, tmp_path / "r.html") as page:
        about = page.locator("div.measures")
        assert not about.is_visible()
        page.evaluate("""() => addEventListener("afterprint", () => {
            window.unfolded = document.querySelector("details.whole").open; })""")
        page.pdf(format="A4")
        assert page.evaluate("window.unfolded")
        assert not about.is_visible()
        page.get_by_role("heading", name=TITLE).click()
        assert about.is_visible()
        assert about.locator("h3").count() == 7


def test_few_measures_are_not_folded(browser, tmp_path):
    write_report(scored(measures=NAMES[:2]), tmp_path / "r.html", sensitivity=False)
    with report_page(browser, tmp_path / "r.html") as page:
        assert page.get_by_role("heading", name=TITLE).is_visible()
        assert page.locator("div.measures").is_visible()


@pytest.mark.parametrize("n", [1, 2])
def test_counts_agree_with_their_nouns(browser, tmp_path, n):
    found = score(TREE, [["a1"]] * n, {f"s{k}": [["a1"]] * n for k in range(n)}, ["hf", "f"][:n])
    write_report(found, tmp_path / "r.html", sensitivity=False)
    with report_page(browser, tmp_path / "r.html") as page:
        facts = page.locator(".facts dt").all_text_contents()
        nouns = (
            ["instance", "system", "measure"] if n == 1 else ["instances", "systems", "measures"]
        )
        assert facts == [*nouns, "true label per instance", "classes in a tree"]


def changed(path, change):
    """Change the data of a page in place, as a page of other data would have it."""
    text = path.read_text("utf-8")
    data = text.split('id="data">')[1].split("</script>")[0]
    main = json.loads(data)
    change(main)
    path.write_text(text.replace(data, json.dumps(main)), "utf-8")


def test_equal_numbers_are_not_drawn_apart(browser, tmp_path):
    """Sums in another order differ in their last digit: that is no interval to draw."""
    write_report(scored(measures=NAMES[:1]), tmp_path / "r.html", sensitivity=False)
    third = [[1 / 3], [nextafter(1 / 3, 1)], [1 / 3]]

    def nearly_equal(main):
        main["scores"] = main["comparison"]["low"] = main["comparison"]["high"] = third

    with report_page(browser, tmp_path / "r.html") as page:
        assert page.locator("table.scores .whisker").count() == 3
    changed(tmp_path / "r.html", nearly_equal)
    with report_page(browser, tmp_path / "r.html") as page:
        assert page.locator("table.scores .value").count() == 3
        assert page.locator("table.scores .whisker").count() == 0


def test_letters_of_charts_stay_legible(browser, tmp_path):
    write_report(scored(measures=NAMES[:1]), tmp_path / "r.html", sensitivity=False)
    with report_page(browser, tmp_path / "r.html", "#/measures", width=390) as page:
        for image in page.locator("[data-chart] img").all():
            width = float(image.evaluate("one => one.style.width").removesuffix("px"))
            assert image.bounding_box()["width"] > 0.64 * width
