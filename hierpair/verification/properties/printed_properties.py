"""Claims about all hierarchies, tried on random ones: Table 9, equal measures, equal gradients."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, pairwise
from typing import Any

import numpy as np

from hierpair.errors import BadInput, did_you_mean
from hierpair.evaluation import partial as partial_of
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets
from hierpair.measures import Batch, Measure, measure
from hierpair.probabilistic.heads import HEADS, Head
from hierpair.verification.properties.examination import examine
from hierpair.verification.properties.statement import PROPERTIES

__all__ = ["is_property", "property_outcome", "property_value"]

TRIALS = 100
"""Random hierarchies on which a property is tried."""

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

    @property
    def hierarchy(self) -> Hierarchy:
        """The tree as it is now."""
        return Hierarchy.from_edges(self.edges, classes=range(self.n), roots="any")

    def values(self, m: Measure, true: list[int], *predicted: list[int]) -> list[float]:
        """Return the value of every prediction of one truth."""
        return [float(x) for x in m.values(self._columns(m, true, *predicted))]

    def error(self, m: Measure, true: list[int], predicted: list[int]) -> float:
        """Return the cost of the pairing, or the classes that only one of both sets has."""
        c = self._columns(m, true, predicted)
        found = c["cost"] if "cost" in c else c["n_true"] + c["n_pred"] - 2 * c["n_both"]
        return float(found[0])

    def _columns(self, m: Measure, true: list[int], *predicted: list[int]) -> Mapping[str, Any]:
        hierarchy = self.hierarchy
        sides = [true] * len(predicted), predicted
        y_true, y_pred = (LabelSets.from_labels(list(rows), hierarchy) for rows in sides)
        return Batch(hierarchy, y_true, y_pred).columns(m.recipe)


def grown(rng: np.random.Generator) -> tuple[Growing, int]:
    """Return a random tree, and a class that is at least two steps below the root."""
    tree = Growing()
    for _ in range(int(rng.integers(0, 8))):
        tree.below(int(rng.integers(0, tree.n)))
    return tree, tree.below(int(rng.integers(0, tree.n)), int(rng.integers(2, 4)))


def specialization(rng: np.random.Generator, m: Measure, step: int) -> bool:
    """Too deep (or, with a step of -1, too high) is worse than right, every edge further again."""
    tree, top = grown(rng)
    chain = [top]
    for _ in range(MOST_EDGES):
        chain.append(tree.below(chain[-1]))
    values = tree.values(m, [chain[::step][0]], *([x] for x in chain[::step]))
    return all(_better(m, one, other) for one, other in pairwise(values))


def pairing_problem(rng: np.random.Generator, m: Measure) -> bool:
    """Of two classes too many at the same depth, the one nearer to the true class is better."""
    tree, fork = grown(rng)
    near_fork = tree.below(fork)
    truth, near = tree.below(near_fork), tree.below(near_fork)
    far = tree.below(fork, 2)
    return _better(m, *tree.values(m, [truth], [truth, near], [truth, far]))


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


def f_is_hf(rng: np.random.Generator, m: Measure, *, coherent: bool) -> bool:
    """Of label sets that hold all ancestors below the root, hF is F.

    It is not for any predictions, which shows that coherence is needed.
    """
    tree, _ = grown(rng)
    hierarchy = tree.hierarchy

    def rows(closed: bool) -> list[list[Any]]:
        drawn = [rng.integers(1, tree.n, int(rng.integers(1, 4))).tolist() for _ in range(4)]
        for row in drawn if closed else ():
            above = [hierarchy.ancestor_numbers(c).tolist() for c in hierarchy.index(row)]
            every = {hierarchy.names[a] for numbers in above for a in numbers}
            row[:] = sorted({*row, *every} - {0})
        return drawn

    y_true, y_pred = (LabelSets.from_labels(rows(closed), hierarchy) for closed in (True, coherent))
    flat = measure("f", **{k: v for k, v in m.options.items() if k in ("average", "beta")})
    pooled = list[float]()
    for one in (m, flat):
        pooled += partial_of(hierarchy, y_true, y_pred, one).scores().values[0].tolist()
    return pooled[0] == pooled[1]


def gradients_agree(rng: np.random.Generator, one: str, other: str, *, even: bool) -> bool:
    """The losses of two heads have the same gradient, for a random leaf of a random tree in which
    nobody is an only child, whatever the logits; or if they are ``even``: where each of K siblings
    has -log(K - 1), so both heads give it 1/K.
    """
    tree = Growing()
    for _ in range(int(rng.integers(1, 5))):
        has_children = {above for above, _ in tree.edges}
        parent = rng.choice([v for v in range(tree.n) if v not in has_children])
        for _ in range(int(rng.integers(2, 5))):
            tree.below(int(parent))
    hierarchy = tree.hierarchy
    heads = [Head(kind, hierarchy) for kind in (one, other)]
    siblings = np.bincount(heads[0].group)[heads[0].group]
    logits = -np.log(siblings - 1) if even else rng.normal(size=len(siblings))
    leaf = hierarchy.names[int(rng.choice(np.flatnonzero(np.diff(hierarchy.child_ptr) == 0)))]
    a, b = (head.loss([logits], [[leaf]])[1] for head in heads)
    return bool(np.allclose(a, b, rtol=0, atol=1e-9))


def _better(m: Measure, one: float, other: float) -> bool:
    return one > other if m.higher_is_better else one < other


GRADED: dict[str, tuple[str, ...]] = {
    "alternative_paths": ("alternative_path",),
    "over_specialization": ("over_graded", "over_beats_unrelated"),
    "under_specialization": ("under_graded", "under_beats_unrelated"),
}
"""What else a problem of Table 9 asks: properties of the table, which flat measures do not pass."""

SCOPE, SAMPLES = 4, 240
"""What is gone through and drawn for a property of the table."""

LAWS: dict[str, Callable[[np.random.Generator, Measure], bool]] = {
    "over_specialization": partial(specialization, step=1),
    "under_specialization": partial(specialization, step=-1),
    "pairing_problem": pairing_problem,
    "multiple_path_count": multiple_path_count,
    "equal_if_coherent": partial(f_is_hf, coherent=True),
    "equal_if_incoherent": partial(f_is_hf, coherent=False),
}
"""By name, whether it holds for a measure on one random tree: what the table does not say."""

HEAD_PROPERTIES: dict[str, Callable[[np.random.Generator, str, str], bool]] = {
    "equal_gradients": partial(gradients_agree, even=False),
    "equal_gradients_if_even": partial(gradients_agree, even=True),
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

    ``holds(PROPERTY, MEASURE)``: in all small hierarchies and all random ones; ``fails(PROPERTY,
    MEASURE)``: at least once, or only because the measure cannot see the difference. The problems
    of Table 9 are asked in their strict form: by distance, and better than an unrelated class.
    Properties of heads name two of them: ``fails(PROPERTY, HEAD, HEAD)``.

    Raises
    ------
    BadInput
        For another text or an unknown property, or one that says nothing of the measure.

    Examples
    --------
    >>> [property_value(f"holds(alternative_paths, {name})") for name in ("gie", "sdl", "f")]
    [1.0, 0.0, 0.0]
    """
    word, outcomes = _tried(text)
    holds = not any(outcomes)  # the first that speaks against it ends it
    return float(holds if word == "holds" else not holds)


def property_outcome(text: str) -> str:
    """Return what speaks against a property, in words: the least case, or how often it fails.

    >>> property_outcome("holds(pairing_problem, mgia)")
    'it holds on all 100 random hierarchies'
    >>> property_outcome("holds(add_right, gie)")
    'violated: 0→1, 0→2: expected gie({1}, {1, 2}) ≤ gie({1}, {2}); is 5 > 2'
    """
    against = list(_tried(text)[1])
    told = next((why for why in against if why and why != LAW), "")
    if told:
        return told
    n, all_of = against.count(LAW), f"{TRIALS} random hierarchies"
    if n:
        return f"it fails on {n} of {all_of}"
    return (
        f"it holds on all {all_of}" if len(against) >= TRIALS else "it holds wherever it was tried"
    )


LAW = "it fails on a random hierarchy"


def _tried(text: str) -> tuple[str, Iterator[str]]:
    """Return the word of a claim and what speaks against the property, an empty text if nothing."""
    found = FORMULA.fullmatch(text.strip())
    if found is None:
        raise BadInput(f"cannot read {text!r}; write it like holds(alternative_paths, gie)")
    word, name, about = found.groups()
    draws = (np.random.default_rng([7, k]) for k in range(TRIALS))
    if name in HEAD_PROPERTIES:
        kinds = re.split(r",\s*", about)
        if len(kinds) != 2 or not set(kinds) <= set(HEADS):
            raise BadInput(f"{name} is about two heads of {', '.join(HEADS)}; got {about!r}")
        return word, ("" if HEAD_PROPERTIES[name](rng, *kinds) else LAW for rng in draws)
    stated = GRADED.get(name, (name,) if name in PROPERTIES else ())
    if not stated and name not in LAWS:
        known = dict.fromkeys((*GRADED, *LAWS, *HEAD_PROPERTIES, *PROPERTIES))
        raise BadInput(f"there is no property {name!r}{did_you_mean(name, known)}")
    chosen = measure(about)
    laws = ("" if LAWS[name](rng, chosen) else LAW for rng in draws) if name in LAWS else ()
    graded = _against(chosen, stated, trees=name in LAWS) if stated else ()
    return word, chain(graded, laws)


def _against(m: Measure, names: Sequence[str], *, trees: bool) -> Iterator[str]:
    """Yield what speaks against a measure having properties of the table.

    Parameters
    ----------
    m, names
        The measure and the properties.
    trees
        Whether only trees count, on which the paper states its problems.
    """
    found = examine(m, properties=names, scope=SCOPE, samples=SAMPLES, on_progress=False)
    for name in names:
        outcome = found[m, name]
        counts = [c for d, c in outcome.by_domain.items() if d.startswith("tree") or not trees]
        if not sum(c.n for c in counts):
            why = outcome.reason or "there is no witness of it in small hierarchies"
            raise BadInput(f"{name} says nothing of {m.name}: {why}")
        if outcome.verdict == "vacuous":
            yield f"vacuous: {m.name} never prefers a near miss to a far one, so it cannot see it"
        elif any(c.n_violated for c in counts):
            yield f"{outcome.verdict}: {outcome.counterexample}"
        else:
            yield ""
