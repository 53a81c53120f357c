"""What the overview and the measures say in words: folded, counted, without a value."""

import json

import pytest

from hierpair import Hierarchy, score
from hierpair.report import write_report

from .browser import in_browser, report_page
from .scored import NAMES, scored

pytestmark = in_browser

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "a1"), ("b", "b1")])


def test_what_is_folded_is_printed(browser, tmp_path):
    write_report(scored(measures=NAMES[:2]), tmp_path / "r.html", sensitivity=False)
    with report_page(browser, tmp_path / "r.html") as page:
        assert page.locator("div.measures h3").count() == 2
        folded = page.locator("#view-overview details").first
        page.evaluate("""() => addEventListener("afterprint", () => {
            window.unfolded = [...document.querySelectorAll("#view-overview details")].every(
                (one) => one.open); })""")
        page.pdf(format="A4")
        assert page.evaluate("window.unfolded")
        assert not folded.evaluate("one => one.open")


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


def test_letters_of_charts_stay_legible(browser, tmp_path):
    write_report(scored(measures=NAMES[:1]), tmp_path / "r.html", sensitivity=False)
    with report_page(browser, tmp_path / "r.html", "#/measures", width=390) as page:
        for image in page.locator("[data-chart] img").all():
            width = float(image.evaluate("one => one.style.width").removesuffix("px"))
            assert image.bounding_box()["width"] > 0.64 * width
