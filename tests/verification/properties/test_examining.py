"""What examine says: verdicts, domains, claims of the registry, and the same from anywhere."""

import json
from contextlib import suppress

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Hierarchy,
    HierpairError,
    examine,
    measure,
    property_of_measures,
    set_measure,
)
from hierpair.measures import REGISTRY, Batch
from hierpair.verification.properties import DOMAINS, PROPERTIES
from hierpair.verification.properties.worlds import part_of, small_worlds

FEW = {"scope": 3, "samples": 96}


@pytest.mark.exhaustive
def test_verdicts_of_known_measures():
    """One of each; flat F has an invariance for nothing, and hcm no value beside another path."""
    names = ["alternative_path", "partial_credit", "symmetric", "path_count"]
    found = examine(["f", "hf", "hcm_f", "gie"], properties=names, scope=3, samples=48)
    assert found["f", "alternative_path"].verdict == "vacuous"
    assert found["gie", "alternative_path"].verdict == "holds"
    assert found["hcm_f", "alternative_path"].verdict == "undefined"
    assert found["f", "partial_credit"].verdict == "always violated"
    assert found["hf", "partial_credit"].verdict == "holds"
    assert found["hf", "path_count"].reason.startswith("it is about losses")
    assert found["gie", "path_count"].verdict == "violated in all drawn"
    assert "near_beats_far" not in [p.name for p in found.properties]
    with pytest.raises(BadInput, match="did you mean 'gie, path_count'"):
        found["gie", "path_counts"]
    with pytest.raises(BadInput, match="no outcome of 'symmetric_difference, symmetric'"):
        found["symmetric_difference", "symmetric"]


def test_a_measure_may_hold_on_trees_alone():
    """Distances of pairs are no metric where a class has two parents."""
    found = examine("gie", properties="triangle", scope=4, samples=0)["gie", "triangle"]
    assert found.where == "DAGs"
    assert [found.by_domain[name].verdict for name in DOMAINS] == [
        "holds", "holds", "violated", "violated",
    ]  # fmt: skip
    assert sum(c.n for c in found.by_domain.values()) == found.n == 55_770
    assert found.n_hierarchies == 24


@pytest.mark.exhaustive
def test_traits_are_checked_in_both_directions():
    """hcm_accuracy is symmetric where both sides have labels, and not declared so."""
    names = ["symmetric", "bounded", "identity", "constant_optimum"]
    found = examine(["hcm_accuracy", "precision"], properties=names, scope=4, samples=0)
    claims = {(c.measure.name, c.trait): (c.declared, c.found) for c in found.claims}
    assert claims["hcm_accuracy", "symmetric"] == (False, True)
    assert claims["hcm_accuracy", "perfect"] == (True, True)
    assert claims["hcm_accuracy", "total"] == (False, False)
    assert claims["precision", "perfect"] == (False, True)  # the truth is never empty here
    assert claims["precision", "symmetric"] == (False, False)
    assert "hcm_accuracy is symmetric as far as was looked, and not declared so" in found.notes
    whole = examine("hcm_accuracy", properties="symmetric", samples=0)["hcm_accuracy", "symmetric"]
    assert (whole.verdict, whole.n) == ("holds", 26_388)  # all pairs that are defined


def test_a_declared_trait_that_is_none_is_told_with_its_least_case():
    """As for measures of the library, so for those of a user's own."""

    @set_measure(
        formula="|P|", source="planted", direction="lower", range="[0, ∞)", traits=["symmetric"]
    )
    def sizes_alone(n_pred):
        """How much is predicted."""
        return n_pred

    try:
        notes = examine("sizes_alone", properties="symmetric", scope=2, samples=0).notes
    finally:
        del REGISTRY["sizes_alone"]
    assert (
        "sizes_alone is declared symmetric and is not: 0→1→2: expected sizes_alone({1}, {2}) = "
        "sizes_alone({2}, {1}); is 2 > 1"
    ) in notes


def counts(found):
    """Return all that was counted, and the least cases."""
    return [(o.stated.name, o.gone_through, o.drawn, o.by_domain, o.interval, o.least and o.least.rank)
            for o in found]  # fmt: skip


def test_neither_processes_nor_other_properties_nor_measures_change_what_is_found():
    """Witnesses depend on the seed, the property, the kind of hierarchy and its number alone."""
    names = ["add_wrong", "flood"]
    alone = examine("hf", properties=names, **FEW)
    together = examine(["gie", "hf"], properties=[*names, "stem_invariance"], n_jobs=2, **FEW)
    assert counts(alone) == counts(together["hf", name] for name in names)
    other = examine("hf", properties=names, **{**FEW, "seed": 1})
    assert counts(alone) != counts(other)
    assert alone["hf", "add_wrong"].gone_through == other["hf", "add_wrong"].gone_through


def test_a_share_of_random_witnesses_has_an_interval_and_an_exact_one_has_none():
    """And where nothing is violated, the number of hierarchies bounds it."""
    found = examine("hf", properties=["add_wrong_strict", "flood", "renaming"], **FEW)
    exact, random, held = (found["hf", p.name] for p in found.properties)
    assert exact.interval == (exact.share, exact.share)
    assert random.interval[0] <= random.share <= random.interval[1] < 1
    assert held.share == held.interval[0] == 0
    assert held.interval[1] > 3 / held.drawn.n  # hierarchies count, not witnesses


def test_random_counterexamples_are_made_small():
    """A second near miss costs more than nonsense: eight classes are more than are needed."""
    found = examine("lca_f", properties="pairing_crowd", scope=0, samples=96)
    case = found["lca_f", "pairing_crowd"].counterexample
    assert case.drawn
    assert case.cells[0].world.n == 7
    assert case.values == pytest.approx((0.4, 0.5))


def test_a_property_of_ones_own():
    """In all small hierarchies, or random ones; with the numbers of classes of a world."""

    @property_of_measures(relation=">")
    def parent_beats_nothing(world):
        """The parent of the true class is better than nothing."""
        for parent, child in world.edges:
            if parent:
                yield [([child], [parent]), ([child], [])]

    @property_of_measures(relation="=", statement="An empty prediction is always as bad.")
    def nothing_is_nothing(world, rng):
        one, other = rng.integers(1, world.n, 2)
        yield [([one], []), ([other], [])]

    try:
        names = ["parent_beats_nothing", "nothing_is_nothing"]
        found = examine(["f", "gie", "remaining_uncertainty"], properties=names, n_jobs=2, **FEW)
        with pytest.raises(BadInput, match="already a property"):
            property_of_measures()(parent_beats_nothing)
    finally:
        for name in ("parent_beats_nothing", "nothing_is_nothing"):
            PROPERTIES.pop(name, None)
    assert found["f", "parent_beats_nothing"].verdict == "always violated"
    assert found["gie", "parent_beats_nothing"].verdict == "holds"
    assert found["gie", "nothing_is_nothing"].verdict == "holds"
    assert found["remaining_uncertainty", "nothing_is_nothing"].verdict == "violated"
    assert found["remaining_uncertainty", "nothing_is_nothing"].drawn.n == 96


@pytest.mark.parametrize(("yielded", "message"), [
    ([[([99], []), ([1], [])]], r"of classes 0 to \d"),
    ([[([], [])], [([], []), ([], [])]], "a list of 1 cells"), ([3], "a list of some cells"),
])  # fmt: skip
def test_witnesses_of_ones_own_are_checked(yielded, message):
    """With the name of the property and what was yielded."""

    @property_of_measures(statement="It says nothing.")
    def own_witnesses(world):
        return yielded

    try:
        with pytest.raises(BadInput, match=f"property own_witnesses.*{message}"):
            examine("hf", properties="own_witnesses", **FEW)
    finally:
        del PROPERTIES["own_witnesses"]


def test_a_property_needs_a_statement_a_relation_and_a_world():
    """Otherwise it is not registered."""
    for how, own, message in (
        ({}, lambda world: [], "say in its docstring"),
        ({"statement": "x", "relation": "=="}, lambda world: [], "relation"),
        ({"statement": "x", "kind": "Z"}, lambda world: [], "kind"),
        ({"statement": "x"}, lambda: [], "must take a world"),
    ):
        with pytest.raises(BadInput, match=message):
            property_of_measures(**how)(own)
    assert "<lambda>" not in PROPERTIES


@pytest.mark.parametrize(("how", "message"), [
    ({"measures": "hff"}, "did you mean 'hf'"),
    ({"measures": "lca_f(limit=10)"}, "leave the limit out"),
    ({"measures": "hf(weights='ia')"}, "reference"), ({"measures": "fmax"}, "measure of scores"),
    ({"properties": "add_wrnog"}, "did you mean 'add_wrong'"),
    ({"properties": []}, "no property is named"),
    ({"samples": -1}, "samples must be a whole number"),
    ({"seed": 1.5}, "seed must be a whole number"), ({"scope": 0, "samples": 0}, "nothing to try"),
    ({"n_jobs": 0}, "n_jobs must be at least 1"),
])  # fmt: skip
def test_what_cannot_be_examined_is_refused(how, message):
    """Before any work is done."""
    with pytest.raises(BadInput, match=message):
        examine(**{"measures": "hf", **how})


def test_it_is_a_table_in_every_form():
    """With notes and signatures; least cases below it while they are few."""
    found = examine(["gie", "hf"], properties=["add_right", "triangle", "flood"], **FEW)
    text = found.to_text()
    assert "add_right     D  31 % (several labels)" in text
    assert "Least violations" in text
    assert "examine(scope=3,samples=96,seed=0)|hierpair" in text
    assert "4 classes" not in text
    assert found.to_markdown().startswith("| property | kind | gie | hf |")
    assert r"\%" in found.to_latex()
    rows = found.records.to_dicts()
    assert len(rows) == 6
    assert rows[0]["measure"] == "gie"
    assert rows[0]["n"] == found["gie", "add_right"].drawn.n + 257
    told = json.loads(found.to_json())
    assert told["outcomes"][0]["counterexample"].endswith("is 5 > 2")


def test_random_witnesses_in_a_hierarchy_of_ones_own():
    """Counterexamples are named by its classes; a tree has no witnesses in DAGs."""
    names = ["dairy", "milk", "cheese", "brie", "gouda", "bread", "rye", "rolls", "fruit", "apple"]
    parents = [None, 0, 0, 2, 2, None, 5, 5, None, 8]
    edges = [("food" if p is None else names[p], c) for p, c in zip(parents, names, strict=True)]
    tree = Hierarchy.from_edges(edges)
    found = examine(
        "f", properties=["partial_credit", "sibling_count"], hierarchy=tree, scope=0, samples=96
    )
    credit = found["f", "partial_credit"]
    assert credit.verdict == "violated in all drawn"  # nothing is gone through
    assert credit.by_domain["DAG, several"].n == 0
    assert found["f", "sibling_count"].drawn.n_violated == 0
    assert f"hierarchy={tree.fingerprint[:8]})" in found.signature
    cells = credit.counterexample.cells
    assert cells[0].predicted[0] in tree.ancestors(cells[0].truth[0])
    again = examine("f", properties="partial_credit", hierarchy=tree, scope=0, samples=96, n_jobs=2)
    assert again["f", "partial_credit"].by_domain == credit.by_domain


@pytest.mark.exhaustive
def test_parts_of_a_hierarchy_have_its_edges():
    """With all classes above; several roots get one above; too little is refused."""
    dag = Hierarchy.from_edges(
        [(f"c{p}", f"c{c}") for c in range(2, 60) for p in sorted({c // 2, c // 3} - {0})]
    )
    rng = np.random.default_rng(0)
    for hierarchy in (dag, Hierarchy.from_edges([(k % 4, k) for k in range(4, 40)])):
        for _ in range(30):
            world = part_of(hierarchy, rng)
            assert 2 <= world.n <= 17
            names = world.names
            for p, c in world.edges:
                if names[p] != "(root)":
                    above = {str(a) for a in hierarchy.ancestors(_named(hierarchy, names[c]))}
                    assert names[p] in above


def _named(hierarchy, text):
    """Return the class that a text stands for."""
    return next(name for name in hierarchy.names if str(name) == text)


@pytest.mark.parametrize("name", ["tree_inconsistency", "edge_inconsistency"])
def test_what_has_values_is_what_has_values_alone(name):
    """A recipe that refuses some cells of a batch keeps all others."""
    m, n = measure(name), 0
    for world in [*small_worlds(1), *small_worlds(2), *small_worlds(3)]:
        for t in world.sets:
            for p in (0, *world.sets):
                sides = world.label_sets(np.array([t])), world.label_sets(np.array([p]))
                with suppress(HierpairError):
                    columns = Batch(world.hierarchy, *sides).columns(m.recipe)
                    n += int(np.isfinite(m.values(columns)).sum())
    assert examine(name, properties="bounded", scope=3, samples=0)[name, "bounded"].n == n
