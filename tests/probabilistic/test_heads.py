"""Heads: losses and probabilities by hand, finite differences, distributions."""

import numpy as np
import pytest
from scipy.optimize import check_grad

from hierpair import BadInput, Hierarchy
from hierpair.probabilistic import Head, sibling_shares
from hierpair.probabilistic.heads import HEADS
from tests import effort
from tests.oracles.distributions import ancestors, closed, tree_distance
from tests.scenarios import hierarchy_of, random_parents
from tests.scoring import is_exhaustive

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])


def random_head(rng, kind):
    forest, n = kind != "champ" and rng.random() < 0.3, int(rng.integers(3, 9))
    parents, several = random_parents(rng, n, forest=forest), not kind.endswith("softmax")
    few = [int(rng.integers(0, 4)) % n if several else 1 for _ in range(3)]
    y = [sorted(map(int, rng.choice(n, k, replace=False))) for k in few]
    hierarchy = hierarchy_of(parents)
    shares = sibling_shares(hierarchy, y) if kind == "adjusted_softmax" else None
    head = Head(kind, hierarchy, shares=shares, tau=1.3, beta=0.7)
    return parents, hierarchy, y, head, rng.normal(size=(3, len(head.classes))) * 2


def probability_by_hand(head, parents, at, s, v):
    """Class by class; ``at`` are the logits of classes."""
    e = np.exp(s)
    if head.kind == "leaf_softmax":
        return sum(e[k] for u, k in at.items() if v in ancestors(parents, u)) / e.sum()
    if v not in at:  # a single root
        return 1
    own = e[at[v]] / (1 + e[at[v]])
    if head.kind.endswith("softmax"):
        own = e[at[v]] / sum(e[k] for u, k in at.items() if parents[u] == parents[v])
    above = () if head.kind in ("bce", "champ") else parents[v]
    return own * np.prod([probability_by_hand(head, parents, at, s, u) for u in above])


def loss_by_hand(head, parents, at, s, labels):
    if head.kind.endswith("softmax"):
        places = [head.hierarchy.position[v] for v in at]
        more = head.tau * np.log(head.shares[places]) if head.kind == "adjusted_softmax" else 0
        return -np.log(probability_by_hand(head, parents, at, s + more, labels[0]))
    true, q = closed(parents, labels) & set(at), {v: 1 / (1 + np.exp(-s[k])) for v, k in at.items()}
    cross = {v: -np.log(q[v] if v in true else 1 - q[v]) for v in at}
    if head.kind == "conditional_sigmoid":
        tops = [v for v in parents if not parents[v]]
        open_ = {*true, *(tops if len(tops) == 1 else ())}
        return sum(cross[v] for v in at if not parents[v] or parents[v][0] in open_)
    if head.kind == "bce":
        return np.mean([*cross.values()])
    away = {(u, v): tree_distance(parents, u, v) for u in at for v in at}
    widest = max(away.values(), default=1) or 1

    def weight(v):
        near = [away[v, t] for t in true]
        return near.count(min(near)) * (1 + head.beta * ((min(near) / widest + 1) ** 2 - 1))

    return sum(c * (weight(v) if true - {v} and v not in true else 1) for v, c in cross.items())


@pytest.mark.random_cases
@pytest.mark.parametrize("kind", HEADS)
def test_losses_gradients_and_probabilities(kind):
    """By hand, by finite differences, and what the head promises."""
    rng = np.random.default_rng(52)
    for _ in range(effort.cases(160)):
        parents, hierarchy, y, head, logits = random_head(rng, kind)
        at = {c: k for k, c in enumerate(head.classes)}
        each = [loss_by_hand(head, parents, at, *row) for row in zip(logits, y, strict=True)]
        assert head.loss(logits, y)[0] == pytest.approx(np.mean(each), rel=1e-9)
        for s, found in zip(logits, head.probabilities(logits), strict=True):
            wanted = [probability_by_hand(head, parents, at, s, v) for v in hierarchy.names]
            assert found == pytest.approx(np.array(wanted), abs=1e-12)

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
    """The paper says they are; the numbers on its tree are those of docs/errata.md."""
    tree = Hierarchy.from_edges([(0, 1), (0, 2), (1, 3), (1, 4), (1, 5)])
    for kind, gradient in (("softmax", [-0.378, 0.378, 0.409, 0.091, -0.5]),
                           ("sigmoid", [-0.426, 0.45, 0.622, 0.269, -0.332])):  # fmt: skip
        _, found = Head(f"conditional_{kind}", tree).loss([[0.3, -0.2, 0.5, -1, 0.7]], [[5]])
        assert found[0].round(3).tolist() == gradient


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
    *((lambda x=x: Head("adjusted_softmax", TREE, shares=x), "shares > 0") for x in (None, [1, 1], [0, 1, 1, 1, 1])),
    *((lambda how=how: Head("champ", TREE, **how), "tau must be finite, and beta") for how in ({"tau": np.inf}, {"beta": -1})),
    (lambda: HEAD.probabilities([[1, 2]]), "logits must have 3 columns"),
    (lambda: HEAD.probabilities([[1, 2, np.nan]]), "finite"),
    (lambda: HEAD.loss([[1, 2, 3]], [[]]), "instance 0: leaf_softmax needs labels on one path, and there are 0"),
    (lambda: HEAD.loss([[1, 2, 3]], [["c", "b"]]), "labels on one path, and there are 2"),
    (lambda: HEAD.loss([[1, 2, 3]], [["c"], ["b"]]), "2 instances and the logits have 1 rows"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(BadInput, match=message):
        call()
