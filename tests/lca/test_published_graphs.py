"""LCA graphs of the papers: constraints, extended and minimal graphs, values; vectors."""

import json
from fractions import Fraction

import numpy as np
import pytest

from hierpair import Hierarchy, explain, score
from hierpair.lca import extended_graphs
from hierpair.measures.evidence import ARTIFICIAL
from tests.extensions import graphs, labels, values
from tests.oracles.lca import extension_problem, full_sides, minimal_sides
from tests.paths import BUNDLED

DATA = BUNDLED
CASES = {c["id"]: c for c in json.loads((DATA / "kosmopoulos2014.json").read_text("utf-8"))}


def threshold_of(case):
    return case["params"].get("path_threshold") if case["id"] == "x9" else None


def shown(case, extension):
    """What is shown of the graphs of a case."""
    hierarchy = Hierarchy.from_edges(case["edges"])
    threshold = threshold_of(case)
    measure = f"lca_f(extension={extension}" + (f",threshold={threshold})" if threshold else ")")
    found = explain(hierarchy, [case["true"]], [case["pred"]], measure)
    return found[0].evidence


def sides(evidence):
    """The classes of both graphs; the artificial class is written as in the data."""
    return [
        {"*" if c == ARTIFICIAL else c for c in evidence.of("in both", only)}
        for only in ("only true", "only predicted")
    ]


@pytest.mark.parametrize("case", list(CASES.values()), ids=lambda c: c["id"])
def test_published_values(case):
    hierarchy = Hierarchy.from_edges(case["edges"])
    for extension, suffix in (("exact", ""), ("full", "_ex")):
        found = graphs(
            hierarchy, [case["true"]], [case["pred"]],
            extension=extension, threshold=threshold_of(case),
        )  # fmt: skip
        expected = [Fraction(case["computed"][f"{k}LCA{suffix}"]) for k in "PRF"]
        assert list(values(found)) == expected


@pytest.mark.parametrize("case", list(CASES.values()), ids=lambda c: c["id"])
def test_demands(case):
    if case["id"] == "x9":  # the data state constraints on uncut hierarchies only
        assert case["lca"] == {}
        return
    evidence = shown(case, "exact")
    found = {
        f"{'t' if field.true else 'p'}:{(field.true or field.predicted)[0]}": sorted(field.classes)
        for field in evidence.fields
        if field.name == "LCAs" and field.classes
    }
    assert found == {label: sorted(lcas) for label, lcas in case["lca"].items()}


@pytest.mark.parametrize("case", [c for c in CASES.values() if "Gex_t" in c], ids=lambda c: c["id"])
def test_extended_graphs(case):
    assert sides(shown(case, "full")) == [set(case["Gex_t"]), set(case["Gex_p"])]


@pytest.mark.parametrize("case", list(CASES.values()), ids=lambda c: c["id"])
def test_minimal_graphs(case):
    """Where several graphs are equally good, the data name one of them, and we find one."""
    evidence = shown(case, "exact")
    assert evidence.remarks[0].startswith("proof:")
    problem = extension_problem(case["edges"], case["true"], case["pred"], threshold_of(case))
    best = {(frozenset(lcas), v_t, v_p) for lcas, v_t, v_p in minimal_sides(problem)[1]}
    lcas = frozenset("*" if a == ARTIFICIAL else a for a in evidence.of("chosen LCAs"))
    assert (lcas, *map(frozenset, sides(evidence))) in best
    named = (case["selected_LCAs"], case["Gt"], case["Gp"])
    assert tuple(map(frozenset, named)) in best
    if len(best) == 1:
        assert sides(evidence) == [set(case["Gt"]), set(case["Gp"])]
    full = full_sides(problem)
    assert all(mine <= whole for mine, whole in zip(sides(evidence), full, strict=True))


def test_the_worked_example_of_the_paper():
    case = CASES["fig8b"]
    y = ([case["true"]], {"s": [case["pred"]]})
    scores = score(
        Hierarchy.from_edges(case["edges"]), *y,
        ["lca_f", "lca_f(extension=full)", "lca_precision", "lca_recall"],
    )  # fmt: skip
    assert scores.values.tolist() == [[0.5, 0.6, 0.5, 0.5]]


@pytest.mark.parametrize("shape", ["tree", "dag"])
def test_vectors(shape):
    data = json.loads((DATA / "lca_vectors" / f"{shape}.json").read_text("utf-8"))
    n = 0
    for given_hierarchy in data["hierarchies"]:
        hierarchy = Hierarchy.from_edges(map(tuple, given_hierarchy["edges"]))
        rows = given_hierarchy["instances"]
        y = [labels(hierarchy, [row[k] for row in rows]) for k in ("true", "pred")]
        for extension, key in (("exact", "lca_minimal"), ("full", "lca_full")):
            found = extended_graphs(hierarchy, *y, extension)
            for i, row in enumerate(rows):
                assert list(values(found, i)) == list(map(Fraction, row[key]))
                n += 1
    assert n == 2 * np.sum([len(h["instances"]) for h in data["hierarchies"]])
