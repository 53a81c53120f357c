"""Decoders, curves and heads against worked vectors: exact values, and all best answers."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from hierpair import BadInput, LabelDistribution, NodeScores
from hierpair.measures.families import pair_measures
from hierpair.probabilistic import Head, precision_recall_curves
from hierpair.probabilistic.curves import AREAS
from hierpair.probabilistic.decoding.by_class import (
    decode_distance,
    decode_edge_cost,
    decode_h_loss,
    decode_hamming,
    decode_micro_hf,
    decode_most_probable,
)
from hierpair.probabilistic.decoding.by_size import (
    decode_hf,
    decode_hp,
    decode_hr,
    decode_set_value,
)
from hierpair.probabilistic.decoding.pairings import decode_gie, decode_pairing
from tests.paths import BUNDLED
from tests.scenarios import hierarchy_of, names


def vectors(name):
    return json.loads((BUNDLED / "probabilistic" / f"{name}.json").read_text())


def parents_of(given):
    """{class: its parents} of a list of parents (None for the root)."""
    return {v: [] if p is None else [p] for v, p in enumerate(given)}


def jaccard(k, a, s):
    return np.where(k + a == 0, 1.0, s / np.maximum(k + a - s, 1))


CASES = [
    *((f"random {i}", case) for i, case in enumerate(vectors("decodings")["random"])),
    *vectors("decodings")["special"].items(),
    *vectors("worked_examples")["examples"].items(),
]


def decoder_of(key, law, hierarchy):
    """What the key of a vector asks for."""
    size = int(key.split("=")[1].split()[0]) if "|S|=" in key else None
    leaves = np.flatnonzero(np.diff(hierarchy.child_ptr) == 0)
    halves = hierarchy.with_weights(0.5 ** hierarchy.levels[1:].astype(float))
    if key.startswith("hF_beta="):
        beta = float(key.split()[0].removeprefix("hF_beta="))
        return decode_hf(law, beta, root="include" if "root counted" in key else "exclude")
    if key.startswith("GIE"):
        dmax = float(Fraction(key.split("dmax=")[1].split(",")[0]))
        return decode_gie(law, dmax, predictable=np.arange(len(hierarchy)) != hierarchy.position[0])
    known = {
        "jaccard": lambda: decode_set_value(law, jaccard),
        "hP": lambda: decode_hp(law, size=size), "hR": lambda: decode_hr(law, size=size),
        "symmetric difference": lambda: decode_hamming(law),
        "H-loss unit costs": lambda: decode_h_loss(law, costs="ones"),
        "tree distance, unit edges": lambda: decode_distance(law),
        "tree distance, 1/2^depth": lambda: decode_distance(
            LabelDistribution(halves, law.indptr, law.p, law.sets), weighted=True),
        "asymmetric edges over=2 under=1": lambda: decode_edge_cost(law, 2, 1),
        "leaf accuracy": lambda: decode_most_probable(law, leaves),
    }  # fmt: skip
    [asked] = [decoder for start, decoder in known.items() if key.startswith(start)]
    return asked()


@pytest.mark.parametrize(("name", "case"), CASES, ids=[name for name, _ in CASES])
def test_decoders(name, case):
    hierarchy = hierarchy_of(parents_of(case["parents"]))
    leaves = {int(k): float(Fraction(v)) for k, v in case["leaf_probs"].items()}
    law = LabelDistribution.from_leaves([list(leaves.values())], hierarchy, classes=list(leaves))
    most = (law.marginals().dense()[0] > 0).sum() - 1
    assert len(case["optimal"]) >= 20
    for key, want in case["optimal"].items():
        if "|S|=" in key and int(key.split("=")[1].split()[0]) > most:
            with pytest.raises(BadInput, match="fewer than size"):  # vectors take impossible ones
                decoder_of(key, law, hierarchy)
            continue
        found = decoder_of(key, law, hierarchy)
        assert found.value[0] == pytest.approx(want["value"]["float"], abs=1e-12), key
        assert found.is_exact
        assert found.certificate.bound[0] == pytest.approx(found.value[0], abs=1e-9)
        got = sorted(names(found.sets, hierarchy))
        assert got in [sorted(s) for s in want["argopt_all"]], key


@pytest.mark.parametrize("case", vectors("decodings_multipath"))
def test_several_paths(case):
    hierarchy = hierarchy_of(parents_of(case["parents"]))
    rows = [(float(Fraction(s["p"])), s) for s in case["scenarios"]]
    law, tips = (
        LabelDistribution.from_scenarios([[(p, s[which]) for p, s in rows]], hierarchy)
        for which in ("Y", "most_specific")
    )
    for key, want in case["optimal"].items():
        if key.startswith("hF"):
            found = decode_hf(law, float(key.split()[0].removeprefix("hF_beta=")))
            assert found.value[0] == pytest.approx(want["value"]["float"], abs=1e-12)
        else:
            dmax = float(Fraction(key.split("dmax=")[1].split(",")[0]))
            may = [v for v in range(len(hierarchy)) if hierarchy.names[v] != 0]
            found = decode_pairing(tips, pair_measures.gie(dmax), candidates=may)
            assert found.value[0] == pytest.approx(want["mip_value_any_size"], abs=1e-9)
            assert found.value[0] <= want["value"]["float"] + 1e-9
            if len(names(found.sets, hierarchy)) > 3:
                continue
        assert sorted(names(found.sets, hierarchy)) in [sorted(s) for s in want["argopt_all"]], key


@pytest.mark.parametrize("case", vectors("micro_hf")["cases"])
def test_micro_hf(case):
    hierarchy = hierarchy_of(parents_of(case["parents"]))
    rows = [[(float(Fraction(p)), [int(v)]) for v, p in row.items()] for row in case["leaf_probs"]]
    found = decode_micro_hf(LabelDistribution.from_scenarios(rows, hierarchy))
    assert found.value[0] == pytest.approx(case["max_expected_ratio"]["float"], abs=1e-12)
    got = [sorted(names(found.sets, hierarchy, i)) for i in range(len(rows))]
    assert got in case["argopt_all"]
    assert got == case["decoder_sets"]


KEYS = ("auc_trapezoid", "average_precision_step", "auc_envelope_step")
SAMPLES = vectors("pr_curves")["samples"]


@pytest.mark.parametrize("closure", [None, "max", "min"])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: s["name"])
def test_curves(sample, closure):
    hierarchy = hierarchy_of(parents_of(sample["parents"]))
    classes = list(range(1, len(sample["parents"])))
    scores = NodeScores.from_array([sample["scores"]], hierarchy, classes=classes)
    curves = precision_recall_curves([sample["Y"]], scores, closure=closure)
    want = sample["curves"][str(closure)]
    for name in ("recall", "precision", "threshold"):
        points = [p[name] for p in want["points"]]
        numbers = [math.inf if x == "inf" else float(Fraction(x)) for x in points]
        assert getattr(curves, name).tolist() == pytest.approx(numbers, rel=1e-15)
    for how, key in zip(AREAS, KEYS, strict=True):
        assert curves.areas(how)[0] == pytest.approx(want[key]["float"], abs=1e-14)


LOSSES = {
    "cond_softmax": "conditional_softmax",
    "cond_softmax_LA tau=1 (train)": "adjusted_softmax",
    "cond_sigmoid (masked BCE)": "conditional_sigmoid",
    "bce mean": "bce",
    "champ beta=0.2 (sum over nodes)": "champ",
}


@pytest.mark.parametrize("key", LOSSES)
@pytest.mark.parametrize("case", vectors("losses")["cases"])
def test_losses(case, key):
    hierarchy, want = hierarchy_of(parents_of(case["parents"])), case[key]
    nodes = hierarchy.index(list(range(1, len(case["parents"]))))
    shares = np.ones(len(hierarchy))
    shares[nodes] = case["nu"]
    head = Head(LOSSES[key], hierarchy, shares=shares, beta=0.2)
    order = [c - 1 for c in head.classes]
    logits = np.array(case["logits(nodes 1..)"])[order]
    loss, gradient = head.loss([logits], [case["Y"]])
    assert loss == pytest.approx(want["loss"], abs=1e-12)
    assert gradient[0] == pytest.approx(np.array(want["grad"])[order], abs=1e-12)
    probabilities = head.probabilities([logits])[0]
    assert probabilities[hierarchy.index([0])[0]] == 1
    if "probs" in want:
        assert probabilities[nodes] == pytest.approx(want["probs"], abs=1e-12)
    if "train_probs" in want:  # of the adjusted logits; afterwards the logits are taken as they are
        plain = Head("conditional_softmax", hierarchy)
        moved = plain.probabilities([logits + np.log(shares[hierarchy.index(head.classes)])])
        assert moved[0, nodes] == pytest.approx(want["train_probs"], abs=1e-12)
        assert probabilities.tolist() == plain.probabilities([logits])[0].tolist()


def test_leaf_softmax_vector():
    case = vectors("losses")["leaf_softmax"]
    hierarchy = hierarchy_of(parents_of(case["parents"]))
    head = Head("leaf_softmax", hierarchy)
    logits = [[case["leaf_logits"][case["leaves"].index(c)] for c in head.classes]]
    got = head.probabilities(logits)[0, hierarchy.index(list(range(1, len(case["parents"]))))]
    assert got == pytest.approx(case["probs(nodes 1..)"], abs=1e-12)
