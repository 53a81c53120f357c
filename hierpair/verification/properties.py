"""Claims about all hierarchies, tried on random ones: Table 9, equal measures, equal gradients."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from hierpair.errors import BadInput, did_you_mean
from hierpair.evaluation import partial
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets
from hierpair.measures import Batch, Measure, measure
from hierpair.probabilistic.heads.losses import HEADS, Head

__all__ = ["PROPERTIES", "is_property", "property_outcome", "property_value"]

TRIALS = 100
"""Random hierarchies on which a property is tried."""

DMAX = 5

MOST_EDGES = 3
"""How far a class of the right path is from the true one where the penalty must grow."""


@dataclass
class Growing:
    """A tree in the making; classes are numbers, 0 is the root."""

    edges: list[tuple[int, int]] = field(default_factory=list)
    n: int = 1

    def below(self, parent: int, steps: int = 1) -> int:
        """Add a chain below a class and return its last class."""
        for _ in range(steps):
            self.edges.append((parent, self.n))
            parent = self.n
            self.n += 1
        return parent

    def values(self, m: Measure, true: list[int], *predicted: list[int]) -> list[float]:
        """Return the value of every prediction of one truth."""
        batch = self._batch([true] * len(predicted), list(predicted))
        return [float(x) for x in m.values(batch.columns(m.recipe))]

    def error(self, m: Measure, true: list[int], predicted: list[int]) -> float:
        """Return the cost of the pairing, or the classes that only one of both sets has."""
        c = self._batch([true], [predicted]).columns(m.recipe)
        found = c["cost"] if "cost" in c else c["n_true"] + c["n_pred"] - 2 * c["n_both"]
        return float(found[0])

    def _batch(self, true: list[list[int]], predicted: list[list[int]]) -> Batch:
        hierarchy = Hierarchy.from_edges(self.edges, classes=range(self.n))
        return Batch(
            hierarchy,
            LabelSets.from_labels(true, hierarchy),
            LabelSets.from_labels(predicted, hierarchy),
        )


def grown(rng: np.random.Generator) -> tuple[Growing, int]:
    """Return a random tree, and a class that is at least two steps below the root."""
    tree = Growing()
    for _ in range(int(rng.integers(0, 8))):
        tree.below(int(rng.integers(0, tree.n)))
    return tree, tree.below(int(rng.integers(0, tree.n)), int(rng.integers(2, 4)))


def alternative_paths(rng: np.random.Generator, m: Measure) -> bool:
    """A second way of the same length to the predicted class changes nothing."""
    tree, fork = grown(rng)
    steps = int(rng.integers(2, 4))
    truth, predicted = tree.below(fork, int(rng.integers(1, 3))), tree.below(fork, steps)
    before = tree.values(m, [truth], [predicted])
    last = tree.below(fork, steps - 1)
    tree.edges.append((last, predicted))
    return tree.values(m, [truth], [predicted]) == before


def over_specialization(rng: np.random.Generator, m: Measure) -> bool:
    """Too deep is worse than right, and every edge deeper is worse again."""
    tree, truth = grown(rng)
    chain = [truth]
    for _ in range(MOST_EDGES):
        chain.append(tree.below(chain[-1]))
    return _each_worse(m, tree.values(m, [truth], *([x] for x in chain)))


def under_specialization(rng: np.random.Generator, m: Measure) -> bool:
    """Too high is worse than right, and every edge higher is worse again."""
    tree, above = grown(rng)
    chain = [above]
    for _ in range(MOST_EDGES):
        chain.append(tree.below(chain[-1]))
    truth = chain[-1]
    return _each_worse(m, tree.values(m, [truth], *([x] for x in reversed(chain))))


def pairing_problem(rng: np.random.Generator, m: Measure) -> bool:
    """Of two classes too many at the same depth, the one nearer to the true class is better."""
    tree, fork = grown(rng)
    near_fork = tree.below(fork)
    truth, near = tree.below(near_fork), tree.below(near_fork)
    far = tree.below(fork, 2)
    return _better(m, *tree.values(m, [truth], [truth, near], [truth, far]))


def long_distance(rng: np.random.Generator, m: Measure) -> bool:
    """Beyond twice Dmax, still further away is no worse."""
    tree, fork = grown(rng)
    truth, predicted = tree.below(fork, DMAX), tree.below(fork, DMAX)
    further = tree.below(predicted, int(rng.integers(1, 4)))
    one, other = tree.values(m, [truth], [predicted], [further])
    return one == other


def multiple_path_count(rng: np.random.Generator, m: Measure) -> bool:
    """A class more on a stretch that several ways share adds one error."""
    longer = int(rng.integers(1, 3))
    seed = int(rng.integers(0, 2**32))

    def error(steps: int) -> float:
        tree, fork = grown(np.random.default_rng(seed))
        left, right = tree.below(fork, steps), tree.below(fork)
        true = [tree.below(left), tree.below(left)]
        return tree.error(m, true, [tree.below(right), tree.below(right)])

    return error(longer + 1) == error(longer) + 1


def equal_if_coherent(rng: np.random.Generator, m: Measure) -> bool:
    """Of label sets that hold all ancestors below the root, hF is F."""
    return _f_is_hf(rng, m, coherent=True)


def equal_if_incoherent(rng: np.random.Generator, m: Measure) -> bool:
    """The same for any predictions: false, which shows that coherence is needed."""
    return _f_is_hf(rng, m, coherent=False)


def _f_is_hf(rng: np.random.Generator, m: Measure, *, coherent: bool) -> bool:
    tree, _ = grown(rng)
    hierarchy = Hierarchy.from_edges(tree.edges, classes=range(tree.n))

    def rows(closed: bool) -> list[list[Any]]:
        drawn = [rng.integers(1, tree.n, int(rng.integers(1, 4))).tolist() for _ in range(4)]
        if not closed:
            return drawn
        names = hierarchy.names
        above = {
            names[c]: {names[a] for a in hierarchy.ancestor_numbers(c).tolist()} | {names[c]}
            for c in range(tree.n)
        }
        return [sorted(set().union(*(above[x] for x in row)) - {0}) for row in drawn]

    y_true, y_pred = (LabelSets.from_labels(rows(closed), hierarchy) for closed in (True, coherent))
    flat = measure("f", **{k: v for k, v in m.options.items() if k in ("average", "beta")})
    pooled = list[float]()
    for one in (m, flat):
        pooled += partial(hierarchy, y_true, y_pred, one).scores().values()
    return pooled[0] == pooled[1]


def equal_gradients(rng: np.random.Generator, one: str, other: str) -> bool:
    """The losses of two heads have the same gradient, whatever the logits."""
    return _gradients_agree(rng, one, other, even=False)


def equal_gradients_if_even(rng: np.random.Generator, one: str, other: str) -> bool:
    """The same where each of K siblings has the logit -log(K - 1), so both give it 1/K."""
    return _gradients_agree(rng, one, other, even=True)


def _gradients_agree(rng: np.random.Generator, one: str, other: str, *, even: bool) -> bool:
    """Compare gradients for a random leaf of a random tree in which nobody is an only child."""
    tree = Growing()
    for _ in range(int(rng.integers(1, 5))):
        has_children = {above for above, _ in tree.edges}
        parent = rng.choice([v for v in range(tree.n) if v not in has_children])
        for _ in range(int(rng.integers(2, 5))):
            tree.below(int(parent))
    hierarchy = Hierarchy.from_edges(tree.edges, classes=range(tree.n))
    heads = [Head(kind, hierarchy) for kind in (one, other)]
    layout = heads[0].layout
    siblings = np.diff(layout.group_ptr)[layout.group]
    logits = -np.log(siblings - 1) if even else rng.normal(size=len(siblings))
    leaf = hierarchy.names[int(rng.choice(np.flatnonzero(np.diff(hierarchy.child_ptr) == 0)))]
    a, b = (head.loss([logits], [[leaf]])[1] for head in heads)
    return bool(np.allclose(a, b, rtol=0, atol=1e-9))


def _each_worse(m: Measure, values: list[float]) -> bool:
    return all(_better(m, one, other) for one, other in pairwise(values))


def _better(m: Measure, one: float, other: float) -> bool:
    return one > other if m.higher_is_better else one < other


PROPERTIES: dict[str, Callable[[np.random.Generator, Measure], bool]] = {
    check.__name__: check
    for check in (
        alternative_paths,
        over_specialization,
        under_specialization,
        pairing_problem,
        long_distance,
        multiple_path_count,
        equal_if_coherent,
        equal_if_incoherent,
    )
}
"""Every property by name: whether it holds for a measure on one random hierarchy."""

HEAD_PROPERTIES: dict[str, Callable[[np.random.Generator, str, str], bool]] = {
    check.__name__: check for check in (equal_gradients, equal_gradients_if_even)
}
"""Properties of two heads."""

FORMULA = re.compile(r"(holds|fails)\((\w+),\s*(.+)\)")


def is_property(text: str) -> bool:
    """Whether a text is a claim about all hierarchies, not a measure.

    >>> is_property("holds(alternative_paths, gie)"), is_property("hf")
    (True, False)
    """
    return text.partition("(")[0].strip() in ("holds", "fails")


def property_value(text: str) -> float:
    """Return 1 if a claim about a property is true, otherwise 0.

    ``holds(PROPERTY, MEASURE)``: on all random hierarchies; ``fails(PROPERTY, MEASURE)``: at least
    once. Properties of heads name two of them: ``fails(PROPERTY, HEAD, HEAD)``.

    Raises
    ------
    BadInput
        For another text or an unknown property.

    Examples
    --------
    >>> property_value("holds(alternative_paths, gie)"), property_value("holds(alternative_paths, sdl)")
    (1.0, 0.0)
    """
    word, outcomes = _tried(text)
    holds = all(outcomes)  # the first hierarchy where it does not ends it
    return float(holds if word == "holds" else not holds)


def property_outcome(text: str) -> str:
    """Return on how many random hierarchies a property fails, in words.

    >>> property_outcome("holds(alternative_paths, gie)")
    'it holds on all 100 random hierarchies'
    """
    n = sum(not holds for holds in _tried(text)[1])
    all_of = f"{TRIALS} random hierarchies"
    return f"it fails on {n} of {all_of}" if n else f"it holds on all {all_of}"


def _tried(text: str) -> tuple[str, Iterator[bool]]:
    """Return the word of a claim and whether the property holds, hierarchy by hierarchy."""
    found = FORMULA.fullmatch(text.strip())
    if found is None:
        raise BadInput(f"cannot read {text!r}; write it like holds(alternative_paths, gie)")
    word, name, about = found.groups()
    draws = (np.random.default_rng([7, k]) for k in range(TRIALS))
    if name in HEAD_PROPERTIES:
        kinds = re.split(r",\s*", about)
        if len(kinds) != 2 or not set(kinds) <= set(HEADS):
            raise BadInput(f"{name} is about two heads of {', '.join(HEADS)}; got {about!r}")
        return word, (HEAD_PROPERTIES[name](rng, *kinds) for rng in draws)
    if name in PROPERTIES:
        chosen = measure(about)
        return word, (PROPERTIES[name](rng, chosen) for rng in draws)
    known = [*PROPERTIES, *HEAD_PROPERTIES]
    raise BadInput(f"there is no property {name!r}{did_you_mean(name, known)}")
