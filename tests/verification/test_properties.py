"""What examine says of measures: verdicts, domains, claims, planted faults, properties of one's own."""

import json
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, HierpairError, examine, measure, set_measure
from hierpair.measures import Batch
from hierpair.measures.columns import Column
from hierpair.verification.judge import Numbers
from hierpair.verification.properties import DOMAINS, PROPERTIES
from hierpair.verification.properties.laws import against
from hierpair.verification.properties.statement import property_of_measures
from hierpair.verification.properties.worlds import small_worlds
from tests.verification.test_witnesses import WITNESSES

FEW = {"scope": 3, "samples": 96}
UNTOLD = {"formula": "?", "source": "planted", "range": "[0, ∞)"}

# ----------------------------------------------------------------------------- verdicts


@pytest.mark.exhaustive
def test_verdicts_of_known_measures():
    """One of each; flat F has an invariance for nothing, and hcm no value beside another path."""
    names = ["alternative_path", "partial_credit", "symmetric", "path_count"]
    found = examine(["f", "hf", "hcm_f", "gie"], properties=names, scope=3, samples=48)
    wanted = {
        ("f", "alternative_path"): "vacuous", ("gie", "alternative_path"): "holds",
        ("hcm_f", "alternative_path"): "undefined", ("f", "partial_credit"): "always violated",
        ("hf", "partial_credit"): "holds", ("gie", "path_count"): "violated in all drawn",
    }  # fmt: skip
    assert {key: found[key].verdict for key in wanted} == wanted
    assert found["hf", "path_count"].reason.startswith("it is about losses")
    with pytest.raises(BadInput, match="did you mean 'gie, path_count'"):
        found["gie", "path_counts"]
    with pytest.raises(BadInput, match="no outcome"):
        found["symmetric_difference", "symmetric"]


def test_a_measure_may_hold_on_trees_alone():
    """Distances of pairs are no metric where a class has two parents."""
    found = examine("gie", properties="triangle", scope=4, samples=0)["gie", "triangle"]
    assert found.where == "DAGs"
    verdicts = [found.by_domain[name].verdict for name in DOMAINS]
    assert verdicts == ["holds"] * 2 + ["violated"] * 2
    assert sum(c.n for c in found.by_domain.values()) == found.n == 55_770
    assert found.n_hierarchies == 24


@pytest.mark.exhaustive
def test_traits_are_checked_in_both_directions():
    """hcm_accuracy is symmetric where both sides have labels, and not declared so."""
    names = ["symmetric", "bounded", "identity", "constant_optimum"]
    found = examine(["hcm_accuracy", "precision"], properties=names, scope=4, samples=0)
    claims = {(c.measure.name, c.trait): (c.declared, c.found) for c in found.claims}
    assert claims == claims | {
        ("hcm_accuracy", "symmetric"): (False, True), ("hcm_accuracy", "perfect"): (True, True),
        ("hcm_accuracy", "total"): (False, False), ("precision", "symmetric"): (False, False),
        ("precision", "perfect"): (False, True),  # the truth is never empty here
    }  # fmt: skip
    assert "hcm_accuracy is symmetric as far as was looked, and not declared so" in found.notes


def test_a_declared_trait_that_is_none_is_told_with_its_least_case():
    """As for measures of the library, so for those of a user's own."""

    def sizes_alone(n_pred):
        """How much is predicted."""
        return n_pred

    set_measure(direction="lower", traits=["symmetric"], **UNTOLD)(sizes_alone)
    notes = examine("sizes_alone", properties="symmetric", scope=2, samples=0).notes
    assert (
        "sizes_alone is declared symmetric and is not: 0→1→2: expected sizes_alone({1}, {2}) = "
        "sizes_alone({2}, {1}); is 2 > 1"
    ) in notes


def counts(found):
    """Return all that was counted, and the least cases."""
    told = "gone_through", "drawn", "by_domain", "interval"
    return [
        (o.stated.name, o.least and o.least.rank, *(getattr(o, x) for x in told)) for o in found
    ]


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


def test_it_is_a_table_in_every_form():
    """With notes and signatures; least cases below it while they are few."""
    found = examine(["gie", "hf"], properties=["add_right", "triangle", "flood"], **FEW)
    text, signature = found.to_text(), "examine(scope=3,samples=96,seed=0)|hierpair"
    for told in ("add_right     D  31 % (several labels)", "Least violations", signature):
        assert told in text
    assert "4 classes" not in text
    assert found.to_markdown().startswith("| property | kind | gie | hf |")
    assert r"\%" in found.to_latex()
    row, *others = found.records.to_dicts()
    assert len(others) == 5
    assert (row["measure"], row["n"]) == ("gie", found["gie", "add_right"].drawn.n + 257)
    told = json.loads(found.to_json())
    assert told["outcomes"][0]["counterexample"].endswith("is 5 > 2")


def test_random_witnesses_in_a_hierarchy_of_ones_own():
    """Counterexamples are named by its classes; a tree has no witnesses in DAGs."""
    dairy = {"milk": [], "cheese": ["brie", "gouda"]}
    tree = Hierarchy.from_nested(
        {"food": {"dairy": dairy, "bread": ["rye", "rolls"], "fruit": ["apple"]}}
    )
    names, how = ["partial_credit", "sibling_count"], {"hierarchy": tree, "scope": 0, "samples": 96}
    found = examine("f", properties=names, **how)
    credit = found["f", "partial_credit"]
    assert credit.verdict == "violated in all drawn"  # nothing is gone through
    assert credit.by_domain["DAG, several"].n == 0
    assert found["f", "sibling_count"].drawn.n_violated == 0
    assert f"hierarchy={tree.fingerprint[:8]})" in found.signature
    cells = credit.counterexample.cells
    assert cells[0].predicted[0] in tree.ancestors(cells[0].truth[0])
    again = examine("f", properties="partial_credit", n_jobs=2, **how)
    assert again["f", "partial_credit"].by_domain == credit.by_domain


@pytest.mark.parametrize("name", ["tree_inconsistency", "edge_inconsistency"])
def test_what_has_values_is_what_has_values_alone(name):
    """A recipe that refuses some cells of a batch keeps all others."""
    m, n = measure(name), 0
    for world in [*small_worlds(1), *small_worlds(2)]:
        for row in product(world.sets, (0, *world.sets)):
            sides = (world.label_sets(np.array([of])) for of in row)
            with suppress(HierpairError):
                columns = Batch(world.hierarchy, *sides).columns(m.recipe)
                n += int(np.isfinite(m.values(columns)).sum())
    assert examine(name, properties="bounded", scope=2, samples=0)[name, "bounded"].n == n


# ----------------------------------------------------------------------------- as claims

CLAIMS = [
    ("fails(silence, gie)", 1, None), ("holds(silence, hf)", 1, "it holds wherever it was tried"),
    ("holds(alternative_paths, symmetric_difference)", 0, "violated: 0→1→2 and then ′ 0→1, 0→3, 1→2, 3→2: expected"),
    ("holds(equal_gradients, conditional_softmax, conditional_sigmoid)", 0, None),
    # what fails now and then neither holds nor always fails
    ("fails(equal_if_incoherent, hf(average=micro))", 1, None), ("holds(equal_if_incoherent, hf(average=micro))", 0, None),
    ("holds(equal_if_incoherent, hf)", 0, "it fails in ((), (0,), (1,)), the parents of each class"),
    # flat measures change with no path and no distance: that is blindness, which is told
    ("holds(alternative_paths, f)", 0, "vacuous: f never prefers"), ("holds(long_distance, mgia)", 1, None),
    # Kosmopoulos et al. 2014: Table 9 by the two cases of §3.1
    ("holds(pairing_fig12, mgia)", 1, None), ("fails(pairing_fig12, hf(root=include))", 1, None),
    ("fails(pairing_crowd, lca_f)", 1, None), ("fails(long_distance_4, gie)", 1, None),
    # Riehl et al. 2023, §VI; Costa et al. 2007 on measures of distance
    ("fails(add_right, hcm_f)", 1, None), ("holds(two_near_beat_one_far, hcm_f)", 1, None),
    ("fails(deeper_error_milder, mgia)", 1, None), ("holds(over_specialization, gie)", 1, None),
    ("holds(over_specialization, gie(default=1))", 0, None), ("holds(under_specialization, subset_accuracy)", 0, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value", "said"),
    [pytest.param(*row, marks=[pytest.mark.exhaustive] * (k > 1)) for k, row in enumerate(CLAIMS)],
)
def test_properties_are_claims_about_all_hierarchies(text, value, said):
    assert Numbers("", []).value(text, None) == value
    if said:
        assert next(against(text), "it holds wherever it was tried").startswith(said)


@pytest.mark.parametrize(("text", "message"), [
    ("alternative_paths", "cannot calculate 'alternative_paths'; write it like 1 - 12"),
    ("holds(alternative, gie)", "there is no property 'alternative'"),
    ("holds(alternative_paths, gee)", "there is no measure 'gee'"),
    ("holds(path_count, hf)", "path_count says nothing of hf: it is about losses"),
    ("holds(add_rigt, hf)", "no property 'add_rigt'; did you mean 'add_right'"),
])  # fmt: skip
def test_what_cannot_be_claimed_is_named(text, message):
    with pytest.raises(BadInput, match=message):
        Numbers("", []).value(text, None)


# ----------------------------------------------------------------------------- planted faults

BREAKS = {
    "upside_down": "identity add_right add_wrong silence distance_order",
    "lopsided": "symmetric bounded constant_optimum ancestor_redundancy triangle",
    "of_products": "specific_hit unrelated_constant path_count",
    "of_all_above": "alternative_path long_distance long_distance_4 stem_invariance",
    "of_classes": "unused_subtree sibling_count refinement_below",
    "of_odd_and_even": "refinement_order",
    "of_numbers": "renaming",
}
"""What bad measures break, beside one that sees nothing, which is never strict."""
BROKEN = {name: bad for bad, names in BREAKS.items() for name in names.split()}
BROKEN |= {name: "seeing_nothing" for name, p in PROPERTIES.items() if p.relation == ">"}


@dataclass(frozen=True)
class NumbersOfClasses:
    """What no measure may use: the numbers that classes happen to have."""

    family: ClassVar = "set"
    columns: ClassVar = (Column("number", "a class number", float),)

    def compute(self, batch):
        """Return the largest number of the predicted labels."""
        rows = np.split(batch.y_pred.indices, batch.y_pred.indptr[1:-1])
        return {"number": np.array([row.max(initial=0) for row in rows], dtype=np.float64)}


def strict_share(n_pred, n_both):
    """No prediction, no value."""
    with np.errstate(invalid="ignore"):
        return n_both / n_pred


BAD = {
    "seeing_nothing": ("higher", lambda n_both: 0 * n_both + 0.5),
    "upside_down": ("higher", lambda n_true, n_pred, n_both: n_true + n_pred - 2 * n_both),
    "lopsided": ("lower", lambda n_true, n_pred: n_true * n_pred**2),  # sizes, and not alike
    "of_products": ("lower", lambda n_true, n_pred: n_true * n_pred),  # deep classes are dear
    "of_all_above": ("lower", lambda n_pred: n_pred),
    "of_classes": ("lower", lambda n_classes: n_classes),
    "of_odd_and_even": ("lower", lambda n_pred: n_pred % 2),
    "of_numbers": ("lower", lambda number: number),  # what the last label is called inside
    "strict_share": ("higher", strict_share),
}


@pytest.fixture
def planted():
    """Bad measures, for a while."""
    for name, (direction, function) in BAD.items():
        function.__name__, function.__doc__ = name, "Bad on purpose."
        own = {"averages": ("samples",), "recipe": NumbersOfClasses} if name == "of_numbers" else {}
        set_measure(direction=direction, **UNTOLD, **own)(function)


@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize("name", BROKEN)
def test_a_measure_that_breaks_a_property_is_caught(name):
    """In small hierarchies, where the values of the least case are in no order that is wanted, or random ones."""
    bad = BROKEN[name]
    if name not in WITNESSES:
        found = examine([bad, "seeing_nothing"], properties=name, scope=0, samples=48)
        outcome = found[bad, name]
        assert outcome.verdict in ("violated", "violated in all drawn")
        assert outcome.n_hierarchies >= 2
        assert outcome.counterexample.drawn
        assert len(outcome.counterexample.cells) in (outcome.stated.rule.arity, 2)
        if PROPERTIES[name].relation != ">":  # one that sees nothing has every equality for nothing
            assert found["seeing_nothing", name].n_violated == 0
        return
    bad = "lopsided(augment='none')" if bad == "lopsided" else bad
    for scope in range(1, 6):
        outcome = next(iter(examine(bad, properties=name, scope=scope, samples=0)))
        if outcome.n_violated:
            break
    assert outcome.n_violated
    values = outcome.counterexample.values
    if bad == "seeing_nothing":
        assert outcome.verdict == "always violated"
        assert set(values) == {0.5}
    elif bad == "upside_down":
        assert values[0] < values[1]


@pytest.mark.usefixtures("planted")
def test_only_what_has_values_is_counted():
    """A formula that gives nan for an empty prediction leaves these witnesses out, and says why."""
    assert set(BROKEN) == set(PROPERTIES)  # a property that no measure can fail would say nothing
    found = examine("strict_share", properties=["identity", "silence"], scope=3, samples=0)
    whole, silent = found["strict_share", "identity"], found["strict_share", "silence"]
    assert (silent.verdict, silent.n, silent.share != silent.share) == ("undefined", 0, True)
    assert whole.n_undefined == 1 + 2 * 3 + 5 * 7  # every truth without a prediction
    assert whole.reason == "its formula gives nan for truth {1} and prediction {}"
    assert "have no value: its formula gives nan" in found.notes[-1]


# ----------------------------------------------------------------------------- one's own, and refused


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

    names = ["parent_beats_nothing", "nothing_is_nothing"]
    asked = ["f", "gie", "remaining_uncertainty"]
    found = examine(asked, properties=names, n_jobs=2, **FEW)
    with pytest.raises(BadInput, match="already a property"):
        property_of_measures()(parent_beats_nothing)
    assert [found[m, names[0]].verdict for m in asked[:2]] == ["always violated", "holds"]
    assert [found[m, names[1]].verdict for m in asked[1:]] == ["holds", "violated"]
    assert found["remaining_uncertainty", "nothing_is_nothing"].drawn.n == 96


@pytest.mark.parametrize(("yielded", "message"), [
    ([[([99], []), ([1], [])]], r"of classes 0 to \d"),
    ([[([], [])], [([], []), ([], [])]], "a list of 1 cells"), ([3], "a list of some cells"),
])  # fmt: skip
def test_witnesses_of_ones_own_are_checked(yielded, message):
    def own_witnesses(world):
        return yielded

    property_of_measures(statement="It says nothing.")(own_witnesses)
    with pytest.raises(BadInput, match=f"property own_witnesses.*{message}"):
        examine("hf", properties="own_witnesses", **FEW)


@pytest.mark.parametrize(("how", "own", "message"), [
    ({}, lambda world: [], "say in its docstring"),
    ({"statement": "x", "relation": "=="}, lambda world: [], "relation"),
    ({"statement": "x", "kind": "Z"}, lambda world: [], "kind"),
    ({"statement": "x"}, lambda: [], "must take a world"),
])  # fmt: skip
def test_a_property_needs_a_statement_a_relation_and_a_world(how, own, message):
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
    *(({"scope": scope}, "classes below the root") for scope in (7, -1, 2.0, True)),
])  # fmt: skip
def test_what_cannot_be_examined_is_refused(how, message):
    with pytest.raises(BadInput, match=message):
        examine(**{"measures": "hf", **how})
