"""The view of all classes in a real browser: its numbers, its controls, its search, its names."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from hierpair import Hierarchy, score
from hierpair.report import write_report
from tests.oracles.classes import Classes

from .conftest import HOSTILE, address_of, go, in_browser, report_page, wait_until_drawn

pytestmark = in_browser

ODD = [*HOSTILE[:8], "toString", HOSTILE[8], "  ", "İstanbul Straße"]
PLAIN = ["the first", "the other one"]


class Drawn(Classes):
    """What the page must show, counted with sets."""

    def __init__(self, edges, truth, systems):
        super().__init__(edges, dict.fromkeys(name for edge in edges for name in edge))
        self.truth, self.systems, depth, self.parent = truth, systems, {}, {}
        for name in self.names:  # parents come first
            depth[name] = 1 + min((depth[p] for p in self.parents[name]), default=-1)
            self.parent[name] = min(self.parents[name], key=depth.get, default=None)

    def counts(self, system, augmented):
        """Return Counters of true, predicted and both, by class."""
        of, found = self.grown if augmented else set, [Counter() for _ in range(3)]
        for t, p in zip(self.truth, self.systems[system], strict=True):
            for counter, labels in zip(found, (of(t), of(p), of(t) & of(p)), strict=True):
                counter.update(labels)
        return found

    def path(self, name):
        return [] if name is None else [name, *self.path(self.parent[name])]

    def branch(self, name):
        return [one for one in self.names if name in self.path(one)]

    def shown(self, name=None):
        """The classes in the order of the page: branch by branch, siblings as they came."""
        children = [self.shown(child) for child in self.names if self.parent[child] == name]
        return sum(children, [] if name is None else [name])

    def confusions(self, system):
        return Counter((a, b) for t, p in zip(self.truth, self.systems[system], strict=True)
                       for a in set(t) - set(p) for b in set(p) - set(t))  # fmt: skip


@pytest.fixture(scope="module")
def made(n=70, n_rows=300, seed=3):
    """A DAG with names of all kinds and two systems with several labels."""
    rng = np.random.default_rng(seed)
    names = ["the top", *ODD, *(f"class {i}" for i in range(n - len(ODD) - 1))]
    edges = [(names[int(rng.integers(max(0, i // 3 - 2), max(1, i // 2)))], names[i])
             for i in range(1, n)]  # fmt: skip
    edges += [(names[5], names[60]), (names[7], names[60]), (names[2], names[50])]
    low = np.arange(n // 4, n)

    def rows():
        sizes = rng.integers(1, 4, n_rows)
        return [[names[c] for c in rng.choice(low, k, replace=False) if c % 11] or [names[low[0]]]
                for k in sizes]  # fmt: skip

    truth, systems = rows(), {}
    for share, name in zip((0.7, 0.5), PLAIN, strict=True):
        keeps = rng.random(n_rows) < share
        systems[name] = [t if keep else p for t, p, keep in zip(truth, rows(), keeps, strict=True)]
    return Drawn(list(dict.fromkeys(edges)), truth, systems)


def written(folder, edges, truth, systems):
    scores = score(Hierarchy.from_edges(edges), truth, systems, ["hf"])
    write_report(scores, folder / "r.html", sensitivity=False)
    return folder / "r.html"


@pytest.fixture(scope="module")
def path(made, tmp_path_factory):
    edges = [(p, name) for name in made.names for p in made.parents[name]]
    return written(tmp_path_factory.mktemp("report"), edges, made.truth, made.systems)


@pytest.fixture
def page(browser, path):
    with report_page(browser, path, "#/classes") as opened:
        yield opened


def label(name):
    """What the page calls a class: a blank name is put in quotes to be seen."""
    return name if name.strip() else f"“{name}”"


def stands_for(shown, name):
    """Whether a name is shown, or cut in the middle."""
    start, cut, end = shown.partition("…")
    if not cut:
        return shown == name
    return len(shown) < len(name) and name.startswith(start) and name.endswith(end)


def heading(page):
    """Return the class that is chosen, after what is under way."""
    wait_until_drawn(page)
    return page.locator("#cls-name bdi").text_content()


def cells(page, level=None):
    """Return the cells (of a level) as the drawing holds them, after what is under way."""
    wait_until_drawn(page)
    found = page.evaluate(CELLS)
    return [cell for cell in found if level in (None, cell["level"])]


def control(page, name):
    return page.get_by_role("combobox", name=name, exact=True)


def focused(page, what):
    return page.evaluate(f"document.activeElement.{what}")


FIGURES = """() => Object.fromEntries([...document.querySelectorAll(".cls-details [data-figure]")]
    .map(node => [node.dataset.figure, node.dataset.value]))"""
GROUPS = """() => [...document.querySelectorAll(".cls-group[data-above]")].map(group => [
    +group.dataset.above, +group.dataset.count,
    [...group.querySelectorAll("li .num")].map(n => +n.dataset.value)])"""
LISTED = """key => [...document.querySelectorAll(`.cls-group[data-list=${key}] li`)].map(row => [
    row.querySelector("a")?.dataset.class ?? null, +row.querySelector(".num").dataset.value])"""
CELLS = """() => [...document.querySelectorAll("[role=treeitem]")].map(r => ({
    label: r.getAttribute("aria-label"), level: +r.getAttribute("aria-level"), fill: r.getAttribute("fill"),
    y: +r.getAttribute("y"), h: +r.getAttribute("height"), more: r.classList.contains("more")}))"""


def test_numbers_of_every_class_and_where_its_mistakes_left_the_path(page, made):
    counted = {(s, a): made.counts(system, a) for s, system in enumerate(made.systems)
               for a in (False, True)}  # fmt: skip
    names, pairs, seen = made.shown(), made.confusions(PLAIN[0]), 0
    for i, name in enumerate(names):
        go(page, f"#/classes/{i}")
        assert stands_for(heading(page), label(name)), i
        found = page.evaluate(FIGURES)
        for (s, augmented), counts in counted.items():
            kind = f"{s} {'augmented' if augmented else 'flat'}"
            t, p, b = (count[name] for count in counts)
            assert found[f"true {kind[2:]}"] == str(t)
            assert [found[f"{x} {kind}"] for x in ("predicted", "both")] == [str(p), str(b)]
            for figure, n, of in (("precision", b, p), ("recall", b, t), ("f", 2 * b, p + t)):
                text = found[f"{figure} {kind}"]
                value = None if text in ("", "NaN") else float(text)
                assert value == (n / of if of else None), (name, figure)
        below = made.below(name)  # by whatever parents
        leaves = Counter()
        for (missed, wrong), n in pairs.items():
            if missed in below:
                above = made.above(wrong)
                leaves[next(one for one in made.path(name) if one in above)] += n
        fact = page.locator(".cls-head p").text_content()
        assert f"{len(below) - 1} class" in fact or len(below) == 1, fact
        assert ("drawn elsewhere" in fact) == (len(below) > len(made.branch(name)))
        if len(below) > 1:
            groups = page.evaluate(GROUPS)
            assert {names[above]: n for above, n, _ in groups} == dict(leaves)
            assert all(sum(parts) == n for _, n, parts in groups)
            seen += len(groups)
        for key, at, other in (("instead", 0, 1), ("taken", 1, 0)):
            want = Counter({pair[other]: n for pair, n in pairs.items() if pair[at] == name})
            rows = page.evaluate(LISTED, key)
            assert sum(n for _, n in rows) == want.total()
            assert all(want[names[int(number)]] == n for number, n in rows if number is not None)
            assert [n for number, n in rows if number] == sorted(want.values())[::-1][:8]
    assert seen > 20
    kept = page.locator("[data-kept]")
    assert kept.get_attribute("data-kept") == kept.get_attribute("data-all") == str(pairs.total())


def test_heights_are_true_labels_or_numbers_of_classes(page, made):
    flat, top = made.counts(PLAIN[0], False)[0], made.shown()[0]
    children = [name for name in made.names if made.parent[name] == top]
    for size, own in (("labels", flat), ("classes", Counter(made.names))):
        control(page, "Height").select_option(size)
        [first], found = cells(page, 1), cells(page, 2)
        whole = {name: sum(own[b] for b in made.branch(name)) for name in (top, *children)}
        heights = sorted((c["h"] for c in found if not c["more"]), reverse=True)
        assert len(heights) >= 2
        expected = sorted((first["h"] * whole[c] / whole[top] for c in children), reverse=True)
        assert any(c["more"] for c in found) or heights == pytest.approx(expected, abs=1.5)
        assert all(c["h"] >= 1.4 for c in cells(page))
        assert max(c["y"] + c["h"] for c in found) <= first["y"] + first["h"] + 1


def test_clicks_and_enter_go_down_escape_backspace_path_and_back_go_up(page, made):
    top = made.shown()[0]
    second = page.locator("[role=treeitem][aria-level='2']:not(.more)").first
    name = second.get_attribute("aria-label").split(",")[0]
    second.click()
    assert heading(page).startswith(name[:50])
    assert focused(page, "getAttribute('aria-selected')") == "true"
    page.keyboard.press("Escape")
    assert heading(page) == top
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    inner = address_of(page)
    assert heading(page) != top
    page.keyboard.press("Backspace")
    assert heading(page) == top
    page.go_back()
    assert address_of(page) == inner
    page.get_by_role("navigation", name="Path").get_by_role("link").first.click()
    assert heading(page) == top
    page.go_back()
    wait_until_drawn(page)
    up = page.get_by_role("button", name="Up")
    up.click()
    assert heading(page) == top
    assert up.get_attribute("aria-disabled") == "true"
    assert focused(page, "textContent") == "↑ Up"
    for address in ("#/classes/99999", "#/classes/x?of=9&by=toString&count=__proto__&from=-1"):
        go(page, address)
        assert heading(page) == top


def test_arrows_walk_in_the_drawing(page):
    page.locator("[role=treeitem][tabindex='0']").focus()

    def at(key=None):
        if key:
            page.keyboard.press(key)
        return focused(page, "getAttribute('aria-label')")

    top, first = at(), at("ArrowRight")
    assert at("ArrowDown") not in (top, first)
    assert at("ArrowUp") == first
    assert at("End") != first
    assert at("Home") == first
    assert page.locator(".cls-tip").is_visible()
    assert at("ArrowLeft") == top
    assert page.locator("[role=treeitem][tabindex='0']").count() == 1


def test_every_control_by_mouse_and_by_keyboard(page):
    legend, seen = page.locator(".cls-bar"), set()
    for name, value in (("Colour", "recall"), ("Counts", "flat"), ("System", "1"), ("minus", "0")):
        seen.add(legend.get_attribute("aria-label"))
        control(page, name).select_option(value)
        wait_until_drawn(page)
        assert legend.get_attribute("aria-label") not in seen, name
    before = address_of(page)
    assert "by=recall&count=flat&of=1&minus=0" in before
    for name in ("Colour", "Counts", "System", "Height"):
        control(page, name).focus()
        page.keyboard.press("ArrowDown" if name == "Height" else "ArrowUp")
        assert address_of(page) != before, name
        assert focused(page, "tagName") == "SELECT"
        before = address_of(page)
    page.reload()
    page.wait_for_selector("html[data-ready='1']", state="attached")
    assert address_of(page) == before


def test_colours_follow_the_figure_and_the_legend_says_which_are_better(page, made):
    true, _, both = made.counts(PLAIN[0], True)
    control(page, "Colour").select_option("recall")
    recalls = {label(n)[:30]: both[n] / true[n] if true[n] else None for n in made.names}
    found = [(recalls[c["label"].split(", recall")[0][:30]], c["fill"])
             for c in cells(page) if not c["more"]]  # fmt: skip
    assert len(found) > 20
    by_value = sorted((value, sum(bytes.fromhex(fill[1:]))) for value, fill in found
                      if value is not None)  # fmt: skip
    assert all(a[1] <= b[1] + 2 for a, b in pairwise(by_value))
    assert {fill for value, fill in found if value is None} <= {"url(#cls-hatch)"}
    first, second = PLAIN
    for address, said in {
        "": "lighter is better", "?of=1&minus=0": f"blue: {second} is better; orange: {first} is better",
        "?minus=1": f"blue: {first} is better; orange: {second} is better",
    }.items():  # fmt: skip
        go(page, f"#/classes{address}")
        assert page.locator(".cls-better").text_content() == said
    sided = 0
    for cell in (one for one in cells(page) if not one["more"] and one["fill"].startswith("#")):
        value = cell["label"].split(", ")[-2].split()[-1]
        red, blue = int(cell["fill"][1:3], 16), int(cell["fill"][5:7], 16)
        if value[0] in "+−" and abs(red - blue) > 40:  # neither is nearly grey
            assert (blue > red) == (value[0] == "+"), cell
            sided += 1
    assert sided
    page.get_by_role("button", name="Dark colours").click()
    go(page, "#/classes")
    assert page.locator(".cls-better").text_content() == "darker is better"


def test_search_by_keyboard_and_by_mouse(page, made):
    field = page.get_by_role("combobox", name="Find a class")
    options = page.locator("#cls-found").get_by_role("option")
    field.fill("CLASS 1")
    count = sum("class" in name and "1" in name for name in made.names)
    assert options.count() == count
    assert page.locator(".cls-total").text_content() == f"{count} classes"
    assert options.first.text_content().startswith("class 1 in ")
    assert field.get_attribute("aria-expanded") == "true"
    field.press("ArrowDown")
    field.press("ArrowDown")
    marked = page.locator("#cls-found [aria-selected=true]")
    assert field.get_attribute("aria-activedescendant") == marked.get_attribute("id")
    name = marked.locator("bdi").first.text_content()
    field.press("Enter")
    assert heading(page) == name
    assert page.locator("[role=treeitem][aria-selected=true]").count() == 1
    field.fill("emoji")
    options.first.click()
    assert "emoji" in heading(page)
    for words, want in (("straße ISTANBUL", 1), ("nothing like it", 0), ("window harmed", 3)):
        field.fill(words)
        assert options.count() == want, words
    field.press("Escape")
    assert not page.locator("#cls-found").is_visible()
    page.go_back()
    assert heading(page) == name


def test_other_parents_are_links(page, made):
    names = made.shown()
    several = [name for name in made.names if len(made.parents[name]) > 1]
    assert len(several) >= 2
    for name in several:
        go(page, f"#/classes/{names.index(name)}")
        links = page.locator(".cls-parents a")
        others = {names[int(link.get_attribute("data-class"))] for link in links.all()}
        assert others == set(made.parents[name]) - {made.parent[name]}
    links.first.click()
    assert heading(page) in map(label, others)
    assert focused(page, "id") == "cls-name"


def test_several_roots_and_what_is_drawn_elsewhere(browser, tmp_path):
    edges = [("r1", "x"), ("r2", "x"), ("r1", "y")]
    path = written(tmp_path, edges, [["x"], ["y"], ["r2"]], {"one": [["x"], ["x"], ["r2"]]})
    with report_page(browser, path, "#/classes") as page:
        assert heading(page) == "All classes"
        assert "1 of 1 wrong pair" in page.locator("[data-kept='1']").text_content()
        assert [c["label"].split(",")[0] for c in cells(page, 2)] == ["r1", "r2"]
        page.locator("[role=treeitem][aria-level='2']").first.click()
        assert heading(page) == "r1"
        page.keyboard.press("Escape")
        assert heading(page) == "All classes"
        go(page, "#/classes/3")
        assert heading(page) == "r2"
        fact = page.locator(".cls-head p").text_content()
        assert fact == "depth 0 · 1 class below · 1 of them drawn elsewhere"
        assert "in and below a class, as drawn." in page.locator(".cls-map").text_content()
        page.locator(".cls-parents a", has_text="x").click()
        assert heading(page) == "x"
        go(page, "#/classes/2")
        mark = page.locator("[role=treeitem][aria-selected=true]").get_attribute("aria-label")
        assert mark.endswith(", 1 true label")


def test_small_classes_are_gathered_and_all_can_be_reached(browser, tmp_path):
    leaves = [f"leaf {i}" for i in range(900)]
    rng = np.random.default_rng(0)
    truth = [[leaves[int(900 * rng.random() ** 6)]] for _ in range(3000)]
    path = written(tmp_path, [("top", leaf) for leaf in leaves], truth, {"one": truth})
    with report_page(browser, path, "#/classes") as page:
        seen, stripes = [], True
        while stripes:
            found = cells(page, 2)
            assert len(found) > 3
            seen += [c["label"].split(",")[0] for c in found if not c["more"]]
            stripes = [c["label"] for c in found if c["more"]]
            if stripes:
                assert stripes == [f"{len(leaves) - len(seen)} more of top"]
                assert len(seen) < len(leaves)
                address = address_of(page)
                page.locator(".more").click()
                assert address_of(page) != address
        assert sorted(seen) == sorted(leaves)
        page.go_back()
        assert address_of(page) == address
        page.get_by_role("button", name="Up").click()
        assert "from" not in address_of(page)
