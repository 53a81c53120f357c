"""What the overview and the measures say in words: folded, counted, without a value."""

import pytest

from hierpair import Hierarchy, score
from hierpair.report import write_report

from .browser import in_browser, report_page
from .pages import NAMES, scored

pytestmark = in_browser

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "a1"), ("b", "b1")])


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


def test_letters_of_charts_stay_legible(browser, tmp_path):
    write_report(scored(measures=NAMES[:1]), tmp_path / "r.html", sensitivity=False)
    with report_page(browser, tmp_path / "r.html", "#/measures", width=390) as page:
        for image in page.locator("[data-chart] img").all():
            width = float(image.evaluate("one => one.style.width").removesuffix("px"))
            assert image.bounding_box()["width"] > 0.64 * width
