"""Advice: what is read from data, what is asked, the table against the evidence, and the order."""

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelSets, __version__, advise, measure
from hierpair.verification import NEEDS
from hierpair.verification.advice import (
    DataFacts,
    advised,
    evidence_of,
    facts_of,
    needs_named,
    needs_of,
)
from hierpair.verification.properties import DOMAINS, PROPERTIES, examine

TREE = Hierarchy.from_edges(
    [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("c", "e"), ("c", "f"), ("b", "g")]
)
DAG = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("c", "d")])
QUICK = {"scope": 3, "samples": 24}
MEASURED = [need for need in NEEDS.values() if need.asked]


@pytest.mark.release
@pytest.mark.exhaustive
@pytest.mark.parametrize("need", MEASURED, ids=lambda need: need.name)
def test_the_table_of_advice_is_what_the_measures_do(need):
    """A first choice violates no property of the need in more than 5 % of the witnesses in its
    domain, and each measure that is none violates one. The page's figures are checked with it."""
    found = examine([*need.first, *need.avoid], properties=need.asked, scope=5, samples=600)
    for name in (*need.first, *need.avoid):
        evidence = [evidence_of(found[measure(name), p], need) for p in need.asked]
        if name in need.first:
            assert [str(e) for e in evidence if not e.meets] == [], f"{need.name}: {name}"
        else:
            assert any(e.fails for e in evidence), f"{need.name}: nothing speaks against {name}"


def test_the_table_names_what_there_is():
    for need in NEEDS.values():
        assert set(need.asked) <= set(PROPERTIES)
        assert set(need.domains) <= set(DOMAINS)
        assert need.question.endswith("?")
        assert not {measure(m) for m in need.first} & {measure(m) for m in need.avoid}


def test_evidence_is_of_the_shape_of_the_data_and_first_choices_come_first():
    """What is said of two labels in trees is asked of trees; some needs want a violation."""
    found = examine(["hf", "hr"], properties=["specific_hit", "over_graded"], scope=4, samples=0)
    need, outcome = NEEDS["too_deep_tolerated"], found["hf", "specific_hit"]
    one_label = DataFacts("", DOMAINS[:1])
    assert evidence_of(outcome, need, one_label).n == outcome.inside(DOMAINS[:2]).n < outcome.n
    told = [evidence_of(found[m, "over_graded"], need).status for m in ("hf", "hr")]
    assert told == ["not violated", "violated as wanted"]
    first = [*map(measure, NEEDS["report"].first)]
    order = advised([*reversed(first)], [NEEDS["report"]], None, None)
    assert [one.measure for one in order] == first


@pytest.mark.parametrize("hierarchy", [TREE, DAG], ids=["tree", "DAG"])
def test_what_is_read_from_data(hierarchy):
    """Instance by instance."""
    rng = np.random.default_rng(3)
    below = [c for c in hierarchy.names if c != "r"]
    above = {c: set(hierarchy.ancestors(c)) - {c} for c in hierarchy.names}
    for closed, most in ((False, 3), (True, 1), (False, 1)):
        sizes = rng.integers(0, most + 1, 60)
        rows = [[*rng.choice(below, size, replace=False)] for size in sizes]
        for row in rows if closed else rows[::3]:
            row[:] = {a for c in row for a in hierarchy.ancestors(c)} - {"r"}
        tips = [[x for x in row if not any(x in above[y] for y in row)] for row in rows]
        flat = [x for row in tips for x in row]
        found = facts_of(hierarchy, LabelSets.from_labels(rows, hierarchy))
        inner = any(set(hierarchy.descendants(x)) - {x} for x in flat)
        single = max(map(len, tips)) == 1
        assert found.n_empty == rows.count([])
        assert (len(found.domains) == 1) == (max(map(len, rows)) == 1)
        shown = {
            "alternative_paths": hierarchy is DAG, "inner_classes": single and inner,
            "nearness": single and not inner, "label_counts": not single,
            "coherent_labels": all(above[x] - {"r"} <= set(row) for row in rows for x in row),
        }  # fmt: skip
        assert found.needs == tuple(name for name, is_so in shown.items() if is_so)


def test_what_is_asked_comes_first_and_overrules_data():
    for hierarchy, names in ((DAG, ["alternative_paths"]), (TREE, [])):
        assert [need.name for need in needs_of(facts_of(hierarchy))] == names
    asked = needs_named(["too-deep-tolerated"])
    facts = DataFacts("", DOMAINS[2:3], ("alternative_paths", "inner_classes"))
    assert [n.name for n in needs_of(facts, asked)] == ["alternative_paths"]
    assert [n.name for n in needs_of(facts)] == ["alternative_paths", "inner_classes"]
    needs = ["top_mistakes", "unused_subtree"]
    found = advise(TREE, [["e", "g"]], needs=needs, measures="hf", scope=2, samples=0)
    assert [n.name for n in found.needs] == ["top_mistakes", "unused_subtree", "label_counts"]
    assert found.n_asked == 2


@pytest.mark.exhaustive
def test_the_first_need_that_differs_decides():
    """Numbers do not count: lca_f fails three needs that hf meets, and comes first by the first one."""
    one, other = "deeper_error_milder", "stem_invariance"
    more = other, "add_wrong", "silence", "flood"
    for needs, best in (((one, other), "hf"), ((other, one), "lca_f"), (more, "lca_f")):
        found = advise(TREE, needs=needs, measures=["lca_f", "hf"], scope=4, samples=240)
        assert [x.rank for x in found] == [1, 2]
        assert (found.best.name, found.best.met[0]) == (best, needs[0])
        assert len(found.best.violated) == len(needs) - 1


def test_cautions_say_what_the_data_need():
    found = advise(TREE, [["a", "c", "e"], ["b", "g"], []], **QUICK)
    for told in ("of coherent predictions it is f", "1 instance without labels"):
        assert told in " ".join(found["hf"].cautions)
    found = advise(
        needs=["add_right", "report"], measures="hp(zero_division=nan)", scope=2, samples=0
    )
    assert found.best.met == ("add_right",)  # no property stands for the other
    told = "its formula gives nan for truth {1} and prediction {}"
    assert found.best.cautions[0] == f"it does not have a value everywhere, for example: {told}"


def test_the_page_has_ranks_evidence_cautions_and_questions():
    labels = [["e", "g"], "f", []]
    found = advise(TREE, labels, needs="add_right", measures=["hf", "gie", "f"], **QUICK)
    text = found.to_text()
    lines = [" ".join(line.split()) for line in text.splitlines()]
    at = [lines.index(line) for line in (
        "rank measure meets does not meet", "1 hf add_right, label_counts –", "2 f add_right label_counts",
        "3 gie – add_right, label_counts",
        "What speaks against", "f label_counts flood violated in all drawn",
        "gie label_counts silence violated (100 %) 0→1, 0→2: expected gie({1}, ∅) ≤ gie({1}, {2}); is 5 > 2",
        "Cautions", "hf 1 instance without labels: say what an empty truth counts",
        "Questions that were not answered", "top_mistakes Are mistakes near the top worse than those far down?",
        "data: tree of 8 classes and 7 edges, root 'r', 3 levels below; 3 instances, 1 without labels",
        "needs: asked add_right; others label_counts",
        next(line for line in lines if line.startswith("report symmetric_difference beside hf")),
        next(line for line in lines if line.startswith("ranked by the first need that one measure meets")),
        "advise(needs=add_right+label_counts,scope=3,samples=24,seed=0)|hierpair " + __version__,
    )]  # fmt: skip
    assert at == sorted(at)
    assert not [
        line for line in lines[at[7] : at[9]] if line.startswith("gie")
    ]  # it is not advised
    assert not [line for line in lines if line.startswith(("inner_classes", "label_counts "))]
    assert found["gie"].met == ()
    told = [(r["rank"], r["measure"], r["need"], r["status"]) for r in found.records.to_dicts()]
    assert told[:2] == [(1, "hf", "add_right", "holds"), (1, "hf", "label_counts", "holds")]
    assert len(told) == 15


def test_blindness_is_not_a_virtue():
    found = advise(needs="stem_invariance", measures=["f", "lca_f"], scope=5, samples=60)
    assert found.best.name == "lca_f"
    assert [str(e) for e in found["f"].violations] == ["stem_invariance blind"]


def test_what_was_not_tried_is_said_and_counts_for_nobody():
    found = advise(needs="near_beats_far", measures=["f", "hf"], scope=3, samples=0)
    assert all(one.met == () and one.violated == () for one in found)
    assert any("not tried: near_beats_far" in note for note in found.notes)


def test_without_needs_two_measures_that_disagree_are_advised():
    for found in (advise(), advise(TREE), advise(needs="report")):
        assert [n.name for n in found.needs] == ["report"]
        assert [one.name for one in found] == ["hf", "gie", "mgia", "lca_f"]
        assert found.examination is None
        assert any("never one number alone" in note for note in found.notes)
        assert "top_mistakes" in {n.name for n in found.open_questions}
    assert any("hierpair decode" in note for note in advise(needs="probabilities").notes)


@pytest.mark.parametrize(("words", "message"), [
    ({"needs": "top_mistake"}, "no need 'top_mistake'; did you mean 'top_mistakes'"),
    ({"needs": ["add_rigt"]}, "no need 'add_rigt'; did you mean 'add_right'"),
    ({"needs": ["top_mistakes", "depth_ignored"]}, "exclude each other"),
    ({"y_true": ["e"]}, "give the hierarchy"),
    ({"hierarchy": TREE, "y_true": ["z"]}, "y_true: instance 0: 'z'|y_true.*'z'"),
    ({"hierarchy": "tree.tsv"}, "tree.tsv: there is no such file"),
    ({"needs": "add_right", "measures": "hff"}, "there is no measure 'hff'"),
    ({"needs": "add_right", "scope": 9}, "scope"),
])  # fmt: skip
def test_what_cannot_be_advised(words, message):
    with pytest.raises(BadInput, match=message):
        advise(**words)


def test_a_measure_is_found_by_its_options_in_any_spelling():
    found = advise(needs="far_alike", scope=0, samples=12)
    assert found["hf( threshold = 4 )"] is found["hf(threshold=4)"]
    message = r"compared: there is no measure 'symmetric_difference' \(there are hf"
    with pytest.raises(BadInput, match=message):
        advise()["symmetric_difference"]
