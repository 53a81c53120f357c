"""Claims about all hierarchies: properties of the table, and laws of all small hierarchies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from hierpair.errors import BadInput, check_known
from hierpair.evaluation.scoring import score
from hierpair.measures import Batch, Measure, measure
from hierpair.probabilistic.heads import HEADS, Head
from hierpair.verification.formulas import call_of
from hierpair.verification.properties.examination import examine
from hierpair.verification.properties.statement import CLAIMED, DOMAINS, PROPERTIES, Property
from hierpair.verification.properties.worlds import World, below, small_worlds

SCOPE, SAMPLES = 4, 240
"""What is gone through and drawn for a property of the table."""

PROBLEMS: dict[str, tuple[str | Property, ...]] = {
    "over_specialization": (CLAIMED["three_edges_over"], "over_graded", "over_beats_unrelated"),
    "under_specialization": (CLAIMED["three_edges_under"], "under_graded", "under_beats_unrelated"),
    "pairing_problem": (CLAIMED["nearer_extra"],),
    "alternative_paths": ("alternative_path",),
}
"""Problems of the paper: what must hold of a measure that handles them, stricter than there."""

ON_TREES = ("over_specialization", "under_specialization", "pairing_problem")
"""Those that the paper states on trees."""


def multiple_path_count(world: World, m: Measure) -> bool:
    """A class more on a stretch that several ways share adds one error: a unit of the cost of the
    pairing, or a class that only one of both sets has.
    """
    errors = []
    for steps in (1, 2):
        tree = world.tree
        ends = below(tree, world.n - 1, steps), below(tree, world.n - 1)
        sides = [sum(1 << below(tree, end) for _ in range(2)) for end in ends]
        grown = World.grown(tree)
        true, said = (grown.label_sets(np.array([side])) for side in sides)
        c = Batch(grown.hierarchy, true, said).columns(m.recipe)
        errors.append(c["cost"] if "cost" in c else c["n_true"] + c["n_pred"] - 2 * c["n_both"])
    return bool(errors[1] == errors[0] + 1)


def f_is_hf(world: World, m: Measure, *, coherent: bool) -> bool:
    """Of label sets that hold all ancestors below the root, hF is F.

    It is not for any predictions, which shows that coherence is needed.
    """
    closed = np.unique(world.closure(world.sets))
    said = closed if coherent else world.sets
    truth = world.label_sets(np.repeat(closed, len(said)))
    systems = {"s": world.label_sets(np.tile(said, len(closed)))}
    flat = measure("f", **{k: v for k, v in m.options.items() if k in ("average", "beta")})
    one, other = score(world.hierarchy, truth, systems, [m, flat]).values[0]
    return bool(one == other)


def gradients_agree(world: World, *heads: str, even: bool) -> bool:
    """The losses of two heads have the same gradient, for every leaf of a tree in which nobody is
    an only child, whatever the logits; or if they are ``even``: where each of K siblings has
    -log(K - 1), so both heads give it 1/K.
    """
    if not world.is_tree or (world.parent.sum(axis=1) == 1).any():
        return True
    one, other = (Head(kind, world.hierarchy) for kind in heads)
    siblings = np.bincount(one.group)[one.group]
    random = np.random.default_rng(7).normal(size=len(siblings))
    logits = -np.log(siblings - 1) if even else random

    def gradient(head: Head, leaf: int) -> Any:
        return head.loss([logits], [[leaf]])[1]

    return all(
        np.allclose(gradient(one, leaf), gradient(other, leaf), rtol=0, atol=1e-9)
        for leaf in np.flatnonzero(world.leaf).tolist()
    )


LAWS: dict[str, Callable[..., bool]] = {
    "multiple_path_count": multiple_path_count,
    "equal_if_coherent": partial(f_is_hf, coherent=True),
    "equal_if_incoherent": partial(f_is_hf, coherent=False),
    "equal_gradients": partial(gradients_agree, even=False),
    "equal_gradients_if_even": partial(gradients_agree, even=True),
}
"""What the table does not say: whether it holds in one hierarchy, for a measure or two heads."""


def is_property(text: str) -> bool:
    """Whether a text is a claim about all hierarchies, not a measure."""
    return text.partition("(")[0].strip() in ("holds", "fails")


def against(text: str) -> Iterator[str]:
    """Yield what speaks against a property, the least cases in words; nothing where it holds.

    ``holds(PROPERTY, MEASURE)`` and ``fails(PROPERTY, MEASURE)`` are asked of all small hierarchies
    and all random ones; a property that a measure cannot see fails. The problems of Table 9 are
    asked in their strict form: by distance, and better than an unrelated class. Properties of heads
    name two of them: ``fails(PROPERTY, HEAD, HEAD)``.

    Raises
    ------
    BadInput
        For another text or an unknown property, or one that says nothing of the measure.

    Examples
    --------
    >>> [any(against(f"holds(alternative_paths, {m})")) for m in ("gie", "symmetric_difference")]
    [False, True]
    >>> next(against("holds(add_right, gie)"))
    'violated: 0→1, 0→2: expected gie({1}, {1, 2}) ≤ gie({1}, {2}); is 5 > 2'
    """
    name, *of = call_of(text).parts or ("",)
    if not of:
        raise BadInput(f"cannot read {text!r}; write it like holds(alternative_paths, gie)")
    if name in LAWS:
        heads = "gradients" in name
        if heads and (len(of) != 2 or not {*of} <= {*HEADS}):
            raise BadInput(f"{name} is about two heads of {', '.join(HEADS)}; got {of}")
        parts: list[Any] = of if heads else [measure(of[0])]
        for world in (world for n in range(1, SCOPE + 1) for world in small_worlds(n)):
            if not LAWS[name](world, *parts):
                yield f"it fails in {world.parents}, the parents of each class"
        return
    check_known("property", name, dict.fromkeys((*PROBLEMS, *LAWS, *PROPERTIES)))
    m, stated = measure(of[0]), PROBLEMS.get(name, (name,))
    domains = DOMAINS[:2] if name in ON_TREES else DOMAINS
    for outcome in examine(m, properties=stated, scope=SCOPE, samples=SAMPLES, on_progress=False):
        count = outcome.inside(domains)
        if not count.n:
            why = outcome.reason or "there is no witness of it in small hierarchies"
            raise BadInput(f"{outcome.stated.name} says nothing of {m.name}: {why}")
        if outcome.verdict == "vacuous":
            yield f"vacuous: {m.name} never prefers a near miss to a far one, so it cannot see it"
        elif count.n_violated:
            yield f"{outcome.verdict}: {outcome.counterexample}"
