"""The numbers that a browser shows are those of score, compare and explain, to the last digit."""

import math

import numpy as np
import pytest

from hierpair import compare, explain
from hierpair.report import write_report
from hierpair.tables.forms import FORMS

from .conftest import go, in_browser, report_page, wait_until_drawn
from .pages import scored

pytestmark = in_browser


@pytest.fixture(scope="module")
def scores():
    return scored()


@pytest.fixture(scope="module")
def compared(scores):
    return compare(scores)


@pytest.fixture(scope="module")
def page(browser, scores, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(scores, path)
    with report_page(browser, path) as opened:
        yield opened


def numbers(place):
    """Return the numbers of an element in full; None where there is none."""
    found = [one.get_attribute("data-value") for one in place.locator("[data-value]").all()]
    return [float(text) if text else None for text in found]


def cell(page, system, measure):
    return page.locator(f"table.scores tr[data-system='{system}'] td[data-measure='{measure}']")


def test_scores_intervals_ranks_and_marks(page, scores, compared):
    go(page, "#/overview")
    best = compared.upwards.argmax(axis=0)
    marked = 0
    for at in np.ndindex(compared.values.shape):
        place = cell(page, *at)
        expected = [x[at] for x in (compared.values, compared.low, compared.high, compared.ranks)]
        assert numbers(place) == [float(x) for x in expected]
        worse = bool(compared.significant[at[1], best[at[1]], at[0]])
        assert ("†" in place.inner_text()) == worse
        assert (place.get_attribute("class") == "num best") == (compared.ranks[at] == 1)
        marked += worse
    assert 0 < marked < compared.values.size
    assert np.array_equal(compared.values, scores.values)


@pytest.mark.parametrize("reference", range(3))
def test_differences_to_a_reference(page, compared, reference):
    go(page, "#/overview")
    page.get_by_label("Compare with").select_option(str(reference))
    wait_until_drawn(page)
    said = set()
    tables = [
        getattr(compared, x)
        for x in ("difference", "difference_low", "difference_high", "p_adjusted")
    ]
    for i, k in np.ndindex(compared.values.shape):
        if i == reference:
            continue
        place, of = cell(page, i, k), (k, i, reference)
        assert numbers(place) == [float(x[of]) for x in tables]
        word = next((x for x in ("better", "worse") if x in place.inner_text()), "")
        said.add(word)
        upwards = (compared.difference[of] > 0) == compared.measures[k].higher_is_better
        clear = compared.p_adjusted[of] < compared.plan.alpha
        assert word == ("" if not clear else "better" if upwards else "worse")
    assert len(said) > 1 or reference != 1  # the system in the middle
    assert page.locator("tr.reference").get_attribute("data-system") == str(reference)


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


def test_values_of_instances(page, scores):
    go(page, "#/instances")
    ids = list(scores.ids)
    links = page.locator("table.rows a").all()
    assert len(links) == 5
    shown = [one.inner_text() for one in links]
    assert shown == list(scores.worst(scores.systems[0], scores.measures[0].name, 5))
    for link in shown:
        page.get_by_role("link", name=link, exact=True).first.click()
        wait_until_drawn(page)
        at = ids.index(page.locator(".instance").get_attribute("data-instance"))
        for i, k in np.ndindex(scores.values.shape):
            place = page.locator(f".instance [data-system='{i}'][data-measure='{k}']")
            value = scores.per_instance[scores.systems[i]][at, k]
            shown = place.get_attribute("data-value")
            assert shown == ("" if math.isnan(value) else repr_of(value))


def repr_of(value):
    """A float as JavaScript writes it."""
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


def test_the_largest_differences_are_those_of_the_values(page, scores):
    go(page, "#/instances?kind=difference")
    i, j = (int(k) for k in page.locator("[data-key=list-system]").input_value().split("-"))
    k = int(page.locator("[data-key=list-measure]").input_value())
    first = numbers(page.locator("table.rows tbody tr").first)
    of = [scores.per_instance[scores.systems[s]][:, k] for s in (i, j)]
    assert abs(first[0] - first[1]) == np.nanmax(np.abs(of[0] - of[1]))


def test_charts_are_images_with_words(page):
    pytest.importorskip("matplotlib")
    go(page, "#/measures")
    images = page.locator("figure img").all()
    assert len(images) >= 3
    for image in images:
        assert len(image.get_attribute("alt")) > 20
        assert image.evaluate("image => image.complete && image.naturalWidth > 100")
