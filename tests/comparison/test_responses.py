"""Responses of measures to controlled errors: draws against their definitions, numbers against loops."""

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, score
from hierpair.comparison import perturbation as relatives_module
from hierpair.comparison import perturbed, respond
from hierpair.comparison.perturbation import Tips, drawn, read_steps, replaced, sets_of
from hierpair.labels import LabelSets
from hierpair.verification import load_case
from tests import effort
from tests.paths import SHARED

ALL = ("up1", "up2", "down1", "down2", "sibling", "cousin", "unrelated", "add_sibling",
       "add_3_unrelated", "drop", "drop_all", "noise_0.4")  # fmt: skip


def hierarchy(rng, n, *, dag, roots=1):
    edges = [(f"c{max(0, i - int(rng.integers(1, 6)))}", f"c{i}") for i in range(roots, n)]
    if roots > 1:
        edges = [(f"c{int(rng.integers(0, i))}", f"c{i}") for i in range(roots, n)]
    if dag:
        for i in range(3, n):
            if rng.random() < 0.3:
                edges.append((f"c{int(rng.integers(roots, i)) if i > roots else 0}", f"c{i}"))
    return Hierarchy.from_edges(list(dict.fromkeys(edges)), roots="any")


class Slow:
    """The relations of a hierarchy, from sets of names, by their definitions."""

    def __init__(self, h):
        self.h, graph = h, h.to_networkx()
        self.parents = {c: set(graph.predecessors(c)) for c in h.names}
        self.children = {c: set(graph.successors(c)) for c in h.names}
        self.up = {c: {c, *h.ancestors(c)} for c in h.names}
        self.root = set(h.roots) if len(h.roots) == 1 else set()

    def walks(self, c, k, step):
        front = {c}
        for _ in range(k):
            front = {x for f in front for x in step[f]}
        return front - (self.root if step is self.parents else set())

    def in_line(self, a, b):
        return a in self.up[b] or b in self.up[a]

    def siblings(self, c):
        found = {x for p in self.parents[c] - self.root for x in self.children[p]}
        return {x for x in found if not self.in_line(x, c)}

    def cousins(self, c):
        found = set()
        for p in self.parents[c] - self.root:
            for g in self.parents[p] - self.root:
                for q in self.children[g] - {p}:
                    found |= self.children[q]
        near = {x for p in self.parents[c] for x in self.children[p]}
        return {x for x in found - near if not self.in_line(x, c)}

    def unrelated(self, c, labels):
        above = {x for t in labels for x in self.up[t]} - self.root
        depth = dict(zip(self.h.names, self.h.depths.tolist(), strict=True))
        return {x for x in set(self.h.names) - self.root
                if depth[x] == depth[c] and not self.up[x] & above}  # fmt: skip


@pytest.mark.parametrize("shape", [{"dag": False}, {"dag": True}, {"dag": True, "roots": 3}])
def test_relatives_are_what_they_are_called(shape, monkeypatch):
    rng = np.random.default_rng(7)
    for _ in range(effort.cases(30)):
        monkeypatch.setattr(relatives_module, "GUESSES", int(rng.integers(0, 3)))
        check_relatives(
            hierarchy(rng, int(rng.integers(6, 40)), **shape), rng, tree=not shape["dag"]
        )


def tips_of(h, classes):
    """Every class as the only label of an instance."""
    return Tips(h, np.arange(len(classes)), classes, len(classes))


def check_relatives(h, rng, *, tree):
    """Compare what is drawn for every class with all that may be drawn."""
    slow = Slow(h)
    classes = np.repeat([h.names.index(c) for c in h.names if c not in slow.root], 8)
    tips, labels = tips_of(h, classes), [h.names[c] for c in classes.tolist()]

    def agree(drawn_classes, definition, *, complete=True):
        for c, x in zip(labels, drawn_classes.tolist(), strict=True):
            possible = definition(c)
            if x >= 0:
                assert h.names[x] in possible
            elif complete:
                assert not possible

    u = rng.random((3, len(classes)))
    for k in (1, 2, 3):
        for up, step in ((True, slow.parents), (False, slow.children)):
            agree(tips.line(u[:k], up=up)[-1], lambda c, k=k, step=step: slow.walks(c, k, step))
    agree(tips.kin(1, u[:2]), slow.siblings, complete=tree)
    agree(tips.kin(2, u), slow.cousins, complete=tree)
    first = tips.unrelated(tips.tops, [], rng)
    agree(first, lambda c: slow.unrelated(c, [c]))
    second = tips.unrelated(tips.tops, [first], rng)
    assert not ((first == second) & (first >= 0)).any()


def case(seed=3, n=60, *, dag=False):
    rng = np.random.default_rng(seed)
    edges = [((i - 1) // 3, i) for i in range(1, 60)]
    edges += [(0 if i < 4 else int(rng.integers(1, i)), i) for i in range(20, 60, 7)] if dag else []
    h = Hierarchy.from_edges([(f"c{a}", f"c{b}") for a, b in edges])
    truth = [[h.names[c] for c in rng.choice(np.arange(1, 60), rng.integers(0, 4), replace=False)]
             for _ in range(n)]  # fmt: skip
    return h, truth


@pytest.mark.parametrize("dag", [False, True])
def test_label_sets_with_errors_are_what_the_steps_say(dag):
    h, truth = case(dag=dag)
    slow = Slow(h)
    tips = Tips.of(h, LabelSets.from_labels(truth, h))
    steps = read_steps([s for s in ALL if not s.startswith("down")])
    draw = drawn(tips, steps, seed=4, number=0)
    assert 5 < len(draw.rows) == len(set(draw.rows.tolist())) == len(draw.truth)
    relation = {"up1": lambda c: slow.walks(c, 1, slow.parents), "sibling": slow.siblings,
                "up2": lambda c: slow.walks(c, 2, slow.parents), "cousin": slow.cousins}  # fmt: skip
    for i, row in enumerate(draw.rows.tolist()):
        labels = set(truth[row])
        t = {c for c in labels if not any(c != x and c in slow.up[x] for x in labels)}
        of = {s: set(draw.systems[s].names_of(i, h)) for s in draw.systems}
        assert set(draw.truth.names_of(i, h)) == t
        (gone,) = t - of["drop"]
        assert of["drop"] == t - {gone}
        assert of["drop_all"] == set()
        assert len(of["noise_0.4"]) <= len(t)
        for name, relatives in relation.items():
            (new,) = of[name] - (t - {gone})
            assert new in relatives(gone)
        assert of["add_sibling"] == t | of["sibling"]
        new = of["add_3_unrelated"] - t
        assert len(new) == 3
        assert new <= slow.unrelated(gone, t)
        assert of["unrelated"] - t <= new  # the first of them


def test_costs_against_loops():
    rounds = 2
    h, truth = case()
    measures = ["gie", "contribution_f", "hf(average=micro)"]
    steps = ["up1", "sibling", "unrelated", "add_2_unrelated", "drop", "noise_0.5"]
    found = respond(h, truth, measures, steps=steps, rounds=rounds, seed=2, n_bootstrap=200)
    tips = Tips.of(h, LabelSets.from_labels(truth, h))
    signs = np.array([1 if m.higher_is_better else -1 for m in found.measures])
    costs = {}  # by step, by instance: the costs of its draws
    for number in range(rounds):
        draw = drawn(tips, read_steps(steps), 2, number)
        for step, sets in draw.systems.items():
            sides = {"t": draw.truth, "p": sets}
            each = score(h, draw.truth, sides, measures).per_instance
            for row, t, p in zip(draw.rows.tolist(), each["t"], each["p"], strict=True):
                costs.setdefault(step, {}).setdefault(row, []).append(signs * (t - p))
    for s, step in enumerate(steps):
        means = [np.mean(of, axis=0) for of in costs[step].values()]
        np.testing.assert_allclose(found.raw[:, s], np.mean(means, axis=0), atol=1e-12)
        assert (found.raw_low[:, s] <= found.raw[:, s] + 1e-12).all()
        assert (found.raw_high[:, s] >= found.raw[:, s] - 1e-12).all()
    np.testing.assert_allclose(found.units, found.raw / found.raw[:, 2:3])
    assert found["gie", "unrelated"] == 1
    again = respond(h, truth, measures, steps=steps, rounds=rounds, seed=2, n_bootstrap=200)
    assert again.to_csv() == found.to_csv()
    assert found.n_support == len(costs["drop"])
    assert found.n_instances == sum(bool(row) for row in truth)
    some = np.flatnonzero(np.diff(tips.ptr))
    whole, *noise = (sets_of(tips.row, replaced(tips, rate, 2, k), len(truth), len(h)).take(some)
                     for rate, k in [(0, 0), *((1, k) for k in range(rounds))])  # fmt: skip
    floor = [score(h, whole, {"n": sets}, measures).per_instance["n"].mean(0) for sets in noise]
    np.testing.assert_allclose(found.floor, np.mean(floor, axis=0), atol=1e-12)


def test_what_is_not_defined_is_said():
    tree = Hierarchy.from_nested({"r": {"a": {"b": ["c", "d"]}, "z": {"y": ["w", "x"]}}})
    found = respond(tree, ["c", "w"], ["tree_induced_error", "hf"], n_bootstrap=20,
                    steps=["up1", "add_sibling", "unrelated"])  # fmt: skip
    assert np.isnan(found.units).tolist() == [[False, True, False], [False, False, False]]
    assert "tree_induced_error, add_sibling: no value in 2 of 2 instances" in found.notes
    assert "–" in found.to_text()


def test_default_steps_that_no_label_has_together_are_left_out():
    star = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    found = respond(star, ["a", "b"], ["hf"], n_bootstrap=9)
    assert [s.name for s in found.steps] == ["unrelated", "add_unrelated", "drop", "drop_all"]
    rare = {"up1", "up2", "sibling", "cousin", "add_up1", "add_sibling", "add_cousin"}
    (note,) = (note for note in found.notes if note.startswith("left out, since"))
    assert set(note.partition(": ")[2].split(", ")) == rare
    assert found["hf", "drop"] == 1
    lone = respond(Hierarchy.from_edges([("r", "a")]), ["a"], ["hf"], n_bootstrap=9)
    assert [s.name for s in lone.steps] == ["drop", "drop_all"]


def test_label_sets_with_errors_can_be_scored_as_systems():
    h, truth = case()
    draw = perturbed(h, truth, ["up1", "unrelated"], seed=2)
    given = score(h, draw.truth, draw.systems, ["hf"])
    found = respond(h, truth, ["hf"], steps=["up1", "unrelated"], seed=2, n_bootstrap=9)
    assert (1 - given.values[:, 0]).tolist() == pytest.approx(found.raw[0].tolist())
    assert draw.rows.tolist() == sorted(set(draw.rows.tolist()))
    with pytest.raises(BadInput, match="no label has all these steps"):
        perturbed(h, [["c0"]], ["sibling"])


PRINTED = """
parent       .21 .18 .17 .17 .44 .22 .09 .13 .01 .11 .89 1 1 1
grandparent  .50 .34 .33 .33 .66 .53 .22 .29 .04 .25 1.21 1 1 1
sibling      .36 .36 .33 .33 .67 .33 .14 .27 .01 .28 1 1 1 1
cousin       .70 .69 .67 .67 .90 .67 .36 .60 .08 .83 1 1 1 1
"""
FLOOR = {"hf": 0.09, "hf(root='include')": 0.31, "lca_f": 0.29, "mgia": 0.53, "hcm_accuracy": 0.62,
         "hcm_mcc": -0.15, "f": 0.0}  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.skipif(not (SHARED / "germeval2019").is_dir(), reason="no data of GermEval")
def test_the_table_of_germeval(monkeypatch):
    monkeypatch.setenv("HIERPAIR_DATA", str(SHARED))
    books = load_case("germeval2019-b")
    measures = ["hf", "symmetric_difference", "gie", "mgia", "lca_f", "hcm_f", "hcm_accuracy", "depth_accuracy", "h_loss",
                "contribution_f(theta=4)", "descendant_f", "f", "subset_accuracy", "hamming_loss"]  # fmt: skip
    steps = ["up1", "up2", "sibling", "cousin", "unrelated", "add_sibling", "add_unrelated"]
    found = respond(books.hierarchy, books.y_true, measures, steps=steps, n_bootstrap=200)
    printed = np.array([row.split()[1:] for row in PRINTED.strip().splitlines()], dtype=float)
    assert np.abs(found.units[:, :4].T - printed).max() < 0.02
    assert abs(found.n_support - 2162) < 20
    assert found.n_instances == 4157
    gie = found.raw[measures.index("gie")]
    assert gie[5:].tolist() == [5.0, 5.0]
    levels = respond(books.hierarchy, books.y_true, list(FLOOR), steps=["drop"], n_bootstrap=9)
    assert np.abs(levels.floor - list(FLOOR.values())).max() < 0.015
