"""Claims about all hierarchies: properties of the table, and laws that random trees must obey."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from hierpair.errors import BadInput, did_you_mean
from hierpair.evaluation.scoring import score
from hierpair.measures import Batch, Measure, measure
from hierpair.probabilistic.heads import HEADS, Head
from hierpair.verification.formulas import call_of
from hierpair.verification.properties.examination import BOTH, examine
from hierpair.verification.properties.statement import DOMAINS, PROPERTIES, Property
from hierpair.verification.properties.worlds import Growing, World, mask_of

TRIALS = 100
"""Random trees on which a law is tried."""

SCOPE, SAMPLES = 4, 240
"""What is gone through and drawn for a property of the table."""

_of_table_9 = partial(Property, kind="D", source="Kosmopoulos et al. 2014, Table 9", relation=">")

PROBLEMS: dict[str, tuple[str | Property, ...]] = {
    "over_specialization": (
        _of_table_9(
            name="three_edges_over", statement="every edge further down is worse",
            cells="t|t t|c t|g t|h", when="parent t c, parent c g, parent g h",
        ),
        "over_graded", "over_beats_unrelated",
    ),
    "under_specialization": (
        _of_table_9(
            name="three_edges_under", statement="every edge further up is worse",
            cells="t|t t|c t|g t|h", when="parent h g, parent g c, parent c t",
        ),
        "under_graded", "under_beats_unrelated",
    ),
    "pairing_problem": (
        _of_table_9(
            name="nearer_extra", statement="of two classes too many the nearer one is better",
            cells="t|t+s t|t+x", when="near t s, level s x, four_away t x",
        ),
    ),
    "alternative_paths": ("alternative_path",),
}  # fmt: skip
"""Problems of the paper: what must hold of a measure that handles them, stricter than there."""

ON_TREES = ("over_specialization", "under_specialization", "pairing_problem")
"""Those that the paper states on trees."""


def grown(rng: np.random.Generator) -> tuple[Growing, int]:
    """Return a random tree, and a class that is at least two steps below the root."""
    tree = Growing(World(((),)))
    for _ in range(int(rng.integers(0, 8))):
        tree.below(int(rng.integers(len(tree.parents))))
    return tree, tree.below(int(rng.integers(len(tree.parents))), int(rng.integers(2, 4)))


def multiple_path_count(rng: np.random.Generator, m: Measure) -> bool:
    """A class more on a stretch that several ways share adds one error: a unit of the cost of the
    pairing, or a class that only one of both sets has.
    """
    steps, seed = int(rng.integers(1, 3)), int(rng.integers(0, 2**32))
    errors = []
    for extra in (0, 1):
        tree, fork = grown(np.random.default_rng(seed))
        ends = tree.below(fork, steps + extra), tree.below(fork)
        sides = [np.array([mask_of(tree.below(end) for _ in range(2))]) for end in ends]
        world = tree.finished()[0]
        true, said = map(world.label_sets, sides)
        c = Batch(world.hierarchy, true, said).columns(m.recipe)
        cost = c["cost"] if "cost" in c else c["n_true"] + c["n_pred"] - 2 * c["n_both"]
        errors.append(float(cost[0]))
    return errors[1] == errors[0] + 1


def f_is_hf(rng: np.random.Generator, m: Measure, *, coherent: bool) -> bool:
    """Of label sets that hold all ancestors below the root, hF is F.

    It is not for any predictions, which shows that coherence is needed.
    """
    world = grown(rng)[0].finished()[0]

    def drawn(closed: bool) -> Any:
        chosen = (rng.integers(1, world.n, int(rng.integers(1, 4))) for _ in range(4))
        masks = np.array([mask_of(row) for row in chosen])
        return world.label_sets(world.closure(masks) if closed else masks)

    true, said = drawn(True), drawn(coherent)
    flat = measure("f", **{k: v for k, v in m.options.items() if k in ("average", "beta")})
    one, other = score(world.hierarchy, true, {"s": said}, [m, flat]).values[0]
    return bool(one == other)


def gradients_agree(rng: np.random.Generator, one: str, other: str, *, even: bool) -> bool:
    """The losses of two heads have the same gradient, for a random leaf of a random tree in which
    nobody is an only child, whatever the logits; or if they are ``even``: where each of K siblings
    has -log(K - 1), so both heads give it 1/K.
    """
    tree = Growing(World(((),)))
    for _ in range(int(rng.integers(1, 5))):
        inner = {p for above in tree.parents for p in above}
        parent = rng.choice([v for v in range(len(tree.parents)) if v not in inner])
        for _ in range(int(rng.integers(2, 5))):
            tree.below(int(parent))
    hierarchy = tree.finished()[0].hierarchy
    heads = [Head(kind, hierarchy) for kind in (one, other)]
    siblings = np.bincount(heads[0].group)[heads[0].group]
    logits = -np.log(siblings - 1) if even else rng.normal(size=len(siblings))
    leaf = hierarchy.names[int(rng.choice(np.flatnonzero(np.diff(hierarchy.child_ptr) == 0)))]
    a, b = (head.loss([logits], [[leaf]])[1] for head in heads)
    return bool(np.allclose(a, b, rtol=0, atol=1e-9))


LAWS: dict[str, Callable[..., bool]] = {
    "multiple_path_count": multiple_path_count,
    "equal_if_coherent": partial(f_is_hf, coherent=True),
    "equal_if_incoherent": partial(f_is_hf, coherent=False),
    "equal_gradients": partial(gradients_agree, even=False),
    "equal_gradients_if_even": partial(gradients_agree, even=True),
}
"""What the table does not say: whether it holds on one random tree, for a measure or two heads."""


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
    >>> names = "gie", "symmetric_difference", "f"
    >>> [property_value(f"holds(alternative_paths, {name})") for name in names]
    [1.0, 0.0, 0.0]
    """
    fails = any(_against(text))  # the first that speaks against it ends it
    return float(fails == text.strip().startswith("fails"))


def property_outcome(text: str) -> str:
    """Return what speaks against a property, in words: the least case, or how often it fails.

    >>> property_outcome("holds(multiple_path_count, hf)")
    'it holds wherever it was tried'
    >>> property_outcome("holds(add_right, gie)")
    'violated: 0→1, 0→2: expected gie({1}, {1, 2}) ≤ gie({1}, {2}); is 5 > 2'
    """
    against = [why for why in _against(text) if why]
    if not against:
        return "it holds wherever it was tried"
    if against[0] == LAW:
        return f"it fails on {len(against)} of {TRIALS} random hierarchies"
    return against[0]


LAW = "it fails on a random hierarchy"


def _against(text: str) -> Iterator[str]:
    """Yield what speaks against the property of a claim, an empty text for what does not."""
    name, *of = call_of(text).parts or ("",)
    if not of:
        raise BadInput(f"cannot read {text!r}; write it like holds(alternative_paths, gie)")
    if name in LAWS:
        heads = "gradients" in name
        if heads and (len(of) != 2 or not set(of) <= set(HEADS)):
            raise BadInput(f"{name} is about two heads of {', '.join(HEADS)}; got {of}")
        parts = of if heads else [measure(of[0])]
        for k in range(TRIALS):
            yield "" if LAWS[name](np.random.default_rng([7, k]), *parts) else LAW
        return
    if name not in PROBLEMS and name not in PROPERTIES:
        known = dict.fromkeys((*PROBLEMS, *LAWS, *PROPERTIES))
        raise BadInput(f"there is no property {name!r}{did_you_mean(name, known)}")
    m, stated = measure(of[0]), PROBLEMS.get(name, (name,))
    domains = DOMAINS[:2] if name in ON_TREES else DOMAINS
    for outcome in examine(m, properties=stated, scope=SCOPE, samples=SAMPLES, on_progress=False):
        count = outcome.count(BOTH, domains)
        if not count.n:
            why = outcome.reason or "there is no witness of it in small hierarchies"
            raise BadInput(f"{outcome.stated.name} says nothing of {m.name}: {why}")
        if outcome.verdict == "vacuous":
            yield f"vacuous: {m.name} never prefers a near miss to a far one, so it cannot see it"
        elif count.n_violated:
            yield f"{outcome.verdict}: {outcome.counterexample}"
        else:
            yield ""
