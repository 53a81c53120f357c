"""Heads: the bundled vectors, finite differences, distributions; the linear head of docs/."""

import numpy as np
import pytest
from scipy.optimize import check_grad

from hierpair import BadInput, Hierarchy
from hierpair.probabilistic import Head, sibling_shares
from hierpair.probabilistic.heads import HEADS
from tests import effort
from tests.oracles.distributions import ancestors, closed, tree_distance
from tests.scenarios import hierarchy_of, parents_of, random_parents, vectors
from tests.scoring import is_exhaustive

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])

KEYS = {
    "cond_softmax": "conditional_softmax",
    "cond_softmax_LA tau=1 (train)": "adjusted_softmax",
    "cond_sigmoid (masked BCE)": "conditional_sigmoid",
    "bce mean": "bce",
    "champ beta=0.2 (sum over nodes)": "champ",
}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("case", vectors("losses")["cases"])
def test_vectors(case, key):
    hierarchy, want = hierarchy_of(parents_of(case["parents"])), case[key]
    nodes = hierarchy.index(list(range(1, len(case["parents"]))))
    shares = np.ones(len(hierarchy))
    shares[nodes] = case["nu"]
    head = Head(KEYS[key], hierarchy, shares=shares, beta=0.2)
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


def random_head(rng, kind):
    parents = random_parents(
        rng, int(rng.integers(3, 9)), forest=kind != "champ" and rng.random() < 0.3
    )
    hierarchy, several = hierarchy_of(parents), kind in ("conditional_sigmoid", "bce", "champ")
    few = [int(rng.integers(0, 4)) % len(parents) if several else 1 for _ in range(3)]
    y = [sorted(map(int, rng.choice(len(parents), n, replace=False))) for n in few]
    shares = sibling_shares(hierarchy, y) if kind == "adjusted_softmax" else None
    head = Head(kind, hierarchy, shares=shares, tau=1.3, beta=0.7)
    return parents, hierarchy, y, head, rng.normal(size=(3, len(head.classes))) * 2


def loss_by_hand(head, parents, at, s, labels):
    """Class by class, with plain Python sets; ``at`` are the logits of classes."""
    true, q = closed(parents, labels) & set(at), {v: 1 / (1 + np.exp(-s[k])) for v, k in at.items()}
    cross = {v: -np.log(q[v] if v in true else 1 - q[v]) for v in at}
    if head.kind == "leaf_softmax":
        e = np.exp(s)
        return -np.log(
            sum(e[k] for u, k in at.items() if labels[0] in ancestors(parents, u)) / e.sum()
        )
    if head.kind == "conditional_sigmoid":
        tops = [v for v in parents if not parents[v]]
        seen = [
            v
            for v in at
            if not parents[v] or parents[v][0] in {*true, *(tops if len(tops) == 1 else ())}
        ]
        return sum(cross[v] for v in seen)
    if head.kind == "bce":
        return np.mean([*cross.values()])
    if head.kind == "champ":
        away = {(u, v): tree_distance(parents, u, v) for u in at for v in at}
        widest = max(away.values(), default=1) or 1

        def weight(v):
            near = [away[v, t] for t in true]
            return near.count(min(near)) * (1 + head.beta * ((min(near) / widest + 1) ** 2 - 1))

        return sum(c * (weight(v) if true - {v} and v not in true else 1) for v, c in cross.items())
    adjusted = head.kind == "adjusted_softmax"
    shares = head.shares if adjusted else np.ones(len(head.hierarchy))
    e = {
        v: np.exp(s[k] + head.tau * np.log(shares[head.hierarchy.position[v]]))
        for v, k in at.items()
    }
    return -sum(np.log(e[v] / sum(e[u] for u in at if parents[u] == parents[v])) for v in true)


@pytest.mark.random_cases
@pytest.mark.parametrize("kind", HEADS)
def test_losses_gradients_and_probabilities(kind):
    """By hand, by finite differences, and what the head promises."""
    rng = np.random.default_rng(52)
    for _ in range(effort.cases(160)):
        parents, _, y, head, logits = random_head(rng, kind)
        at = {c: k for k, c in enumerate(head.classes)}
        each = [loss_by_hand(head, parents, at, *row) for row in zip(logits, y, strict=True)]
        assert head.loss(logits, y)[0] == pytest.approx(np.mean(each), rel=1e-9)

        def loss(s, head=head, y=y, shape=logits.shape):
            return head.loss(s.reshape(shape), y)[0]

        def gradient(s, head=head, y=y, shape=logits.shape):
            return head.loss(s.reshape(shape), y)[1].ravel()

        assert check_grad(loss, gradient, logits.ravel()) < 2e-6
        if kind not in ("bce", "champ"):
            assert head.scores(logits).is_coherent(1e-9)
        if head.is_distribution:
            assert is_exhaustive(head.scores(logits), 1e-9)
            law = head.distribution(logits)
            assert law.marginals().dense() == pytest.approx(head.probabilities(logits), abs=1e-12)
            assert law.is_single_path
        else:
            with pytest.raises(BadInput, match="is not a distribution"):
                head.distribution(logits)
        extreme = head.probabilities(np.sign(logits) * 800)
        assert ((extreme >= 0) & (extreme <= 1)).all()


def test_the_gradients_of_softmax_and_sigmoid_are_not_equal():
    """The paper says they are equivalent; on its own tree they differ by up to 0.21."""
    case = vectors("losses")["cases"][0]
    hierarchy = hierarchy_of(parents_of(case["parents"]))
    heads = [Head(kind, hierarchy) for kind in ("conditional_softmax", "conditional_sigmoid")]

    def gradients(logits):
        return [head.loss([logits], [case["Y"]])[1][0] for head in heads]

    logits = np.array(case["logits(nodes 1..)"])
    one, other = gradients(logits)
    assert one.round(3).tolist() == [-0.378, 0.378, 0.409, 0.091, -0.5]
    assert other.round(3).tolist() == [-0.426, 0.45, 0.622, 0.269, -0.332]
    moved = gradients(logits + np.array([0, 0, 2, 2, 2]))
    assert moved[0] == pytest.approx(one)
    assert np.abs(moved[1] - other).max() > 0.4
    one, other = gradients(np.array([-np.log(1)] * 2 + [-np.log(2)] * 3))
    assert np.abs(one - other).max() < 1e-12  # only where all K siblings are at -log(K - 1)


def test_shares_of_siblings():
    shares = sibling_shares(TREE, [["c"], ["c"], ["b"], ["a"]])
    assert dict(zip(TREE.names, shares.tolist(), strict=True)) == pytest.approx(
        {"r": 1, "a": 3 / 4, "b": 1 / 4, "c": 2 / 3, "d": 1 / 3}
    )


DAG = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
HEAD = Head("leaf_softmax", TREE)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: Head("softmaxx", TREE), "no head 'softmaxx'"),
    (lambda: Head("conditional_softmax", DAG), "conditional_softmax is defined on a tree or forest"),
    (lambda: Head("champ", DAG), "champ is defined on a tree"),
    (lambda: Head("adjusted_softmax", TREE), "shares > 0"),
    (lambda: HEAD.probabilities([[1, 2]]), "logits must have 3 columns"),
    (lambda: HEAD.probabilities([[1, 2, np.nan]]), "finite"),
    (lambda: HEAD.loss([[1, 2, 3]], [[]]), "instance 0: leaf_softmax needs labels on one path, and there are 0"),
    (lambda: HEAD.loss([[1, 2, 3]], [["c", "b"]]), "labels on one path, and there are 2"),
    (lambda: HEAD.loss([[1, 2, 3]], [["c"], ["b"]]), "2 instances and the logits have 1 rows"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(BadInput, match=message):
        call()
