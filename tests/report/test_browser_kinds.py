"""Pages of other kinds in a browser: one system, unpaired or many systems, titles, no labels, no pairing."""

from hierpair import (
    Degree,
    Hierarchy,
    Hops,
    MaxDistance,
    NetworkRule,
    Rule,
    pair_measure,
    score,
)
from hierpair.evaluation import partial
from hierpair.report import write_report

from .browser import go, in_browser, report_page, wait_until_drawn
from .pages import scored

pytestmark = in_browser

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


def every_view(page):
    for tab in page.get_by_role("tab").all():
        tab.click()
        wait_until_drawn(page)
        assert page.get_by_role("tabpanel").locator("> *").count() > 0
    return page.get_by_role("tab").all_inner_texts()


def test_one_system_has_nothing_to_compare_with(browser, tmp_path):
    write_report(score(TERMS, TRUTH, {"mine": GUESS}, ["hf"]), tmp_path / "r.html")
    with report_page(browser, tmp_path / "r.html") as page:
        assert "Instances" in every_view(page)
        go(page, "#/overview")
        assert page.get_by_label("Compare with").count() == 0
        assert page.get_by_text("There is one system, so nothing is compared.").is_visible()


def test_instances_of_unpaired_systems_are_of_one_system(browser, tmp_path):
    found = score(TERMS, TRUTH, {"mine": GUESS, "other": TRUTH}, ["hf", "gie"])
    write_report(found, tmp_path / "r.html", paired=False)
    with report_page(browser, tmp_path / "r.html", "#/instances") as page:
        every_view(page)
        go(page, "#/instances")
        assert page.locator("table.labels th").all_inner_texts() == ["true", "mine"]
        page.locator("[data-key=list-system]").select_option(label="other")
        wait_until_drawn(page)
        assert page.locator("table.labels th").all_inner_texts() == ["true", "other"]
        go(page, "#/overview")
        assert page.locator("table.scores .interval").count() == 0


def test_of_many_systems_those_of_the_list_come_first(browser, tmp_path):
    systems = {f"s{k}": GUESS[k:] + GUESS[:k] for k in range(10)}
    write_report(score(TERMS, TRUTH, systems, ["hf"]), tmp_path / "r.html", sensitivity=False)
    with report_page(browser, tmp_path / "r.html", "#/instances?system=3") as page:
        shown = page.locator("table.labels th:visible").all_inner_texts()
        assert shown == ["true", "s3"]
        page.get_by_text("Labels and values of 9 other systems").click()
        shown = page.locator("table.labels th:visible").all_inner_texts()
        assert sorted(shown) == sorted(["true", "true", *systems])


def test_classes_are_called_by_titles_that_are_theirs_alone(browser, tmp_path):
    write_report(score(TERMS, TRUTH, {"mine": GUESS}, ["gie"]), tmp_path / "r.html")
    with report_page(browser, tmp_path / "r.html", "#/instances") as page:
        seen = set()
        for row in page.locator("table.rows a").all():
            row.click()
            wait_until_drawn(page)
            seen |= set(page.locator(".explanation svg .name").all_text_contents())
        assert {"cell growth", "death", "growth (T:1)", "growth (T:2)", "T:5"} <= seen
        assert "growth" not in seen


def test_scores_without_labels_have_an_overview(browser, tmp_path):
    found = partial(TERMS, TRUTH, {"mine": GUESS, "other": TRUTH}, ["hf"], part="all").scores()
    write_report(found, tmp_path / "r.html")
    with report_page(browser, tmp_path / "r.html") as page:
        assert every_view(page)[0] == "Overview"
        assert "Classes" not in every_view(page)
        go(page, "#/overview")
        values = [
            one.get_attribute("data-value") for one in page.locator("table.scores .value").all()
        ]
        assert [float(text) for text in values] == sorted(found.values[:, 0], reverse=True)


def test_an_instance_without_pairing_says_what_cannot_hold(browser, tmp_path):
    @pair_measure()
    def strict(far: int = 1):
        """Every class needs a partner that is near."""
        return Rule(Hops(), (Degree("predicted", 1, 1), Degree("true", 1, 1), MaxDistance(far)))

    found = score(TERMS, TRUTH, {"mine": GUESS}, ["strict", "hf"], on_infeasible="nan")
    write_report(found, tmp_path / "r.html", sensitivity=False)
    with report_page(browser, tmp_path / "r.html", "#/instances?measure=0") as page:
        why = page.locator(".why")
        assert "has no value" in why.inner_text()
        assert "these cannot hold together" in why.inner_text()


def test_a_network_of_ones_own_is_told_by_what_its_arcs_say(browser, tmp_path):
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

    write_report(
        score(TERMS, TRUTH, {"mine": GUESS}, ["at_a_desk"]), tmp_path / "r.html", sensitivity=False
    )
    with report_page(browser, tmp_path / "r.html", "#/instances?measure=0") as page:
        said = page.locator(".explanation").inner_text()
        assert "is predicted" in said
        assert "every flow costs at least 4" in said


def test_every_measure_that_is_explained_is_drawn(browser, tmp_path):
    """Options that draw something of their own: weights, pruning, greedy graphs, published pairs."""
    measures = [
        "hf", "depth_loss", "lca_f(extension='greedy')", "hcm_f(pairing='published')",
        "contribution_f", "h_loss", "gie(threshold=4)", "mgia",
    ]  # fmt: skip
    write_report(scored(measures=measures), tmp_path / "r.html", sensitivity=False)
    with report_page(browser, tmp_path / "r.html") as page:
        for k in range(len(measures)):
            go(page, f"#/instances?measure={k}")
            assert page.locator(".explanation svg").count() >= 1, measures[k]
            assert page.locator(".explanation pre").count() == 0, measures[k]


def test_of_many_measures_eight_are_shown_at_once(browser, tmp_path):
    """Those that were named first come first; the others are one choice away."""
    measures = ["hf", "hp", "hr", "gie", "mgia", "lca_f", "hcm_f", "f", "precision", "recall"]
    write_report(scored(measures=measures), tmp_path / "r.html", sensitivity=False)
    with report_page(browser, tmp_path / "r.html") as page:
        heads = page.locator("table.scores thead th")
        assert heads.count() == 9
        page.locator("[data-key=measures]").select_option("8")
        wait_until_drawn(page)
        assert heads.count() == 3
        values = page.locator("table.scores td .value")
        assert values.count() == 2 * 3
