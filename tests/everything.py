"""Every measure with its averages and options, on random trees, forests and DAGs."""

import itertools
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from hierpair import Hierarchy, LabelSets, score
from hierpair.errors import HierpairError
from hierpair.measures import REGISTRY, measure, measures_of
from hierpair.measures.recipes.paths import LevelPathRecipe

COST_FORMS = (
    "hops", "weights", "decayed(w0=0.5)", "decayed(depth='min',normalise='path')",
    "decayed(w0=0.9,depth='max',normalise='max-path')", "decayed(depth='sum')", "ancestors",
    "ancestors(w0=0.3,depth='max',normalise='path')", "ancestors(normalise='max-path')",
    "wu_palmer", "wu_palmer(depth='max')", "lin(smooth=1)", "resnik(smooth=1)", "height",
    "height(normalise='root')", "climb", "climb(by='information',smooth=1)",
)  # fmt: skip
"""Named costs that need no file."""

OTHER = {
    "root": ("exclude", "include", "c3"), "max_distance": (None, 2), "cost": COST_FORMS,
    "weights": ("ones", "ia", "ic"),
}  # fmt: skip
"""Values of options whose alternatives are not all that there is to try."""

TOGETHER = ("augment", "root", "threshold")
"""Options that are tried in all combinations; the others one at a time."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A random hierarchy with labels of two sides, by names, and weights of the instances."""

    name: str
    edges: list
    classes: list
    y_true: list
    y_pred: list
    weight: np.ndarray | None
    paths: bool = False

    def fresh(self):
        """Hierarchy and labels that remember nothing; predictions may be root paths."""
        hierarchy = Hierarchy.from_edges(self.edges, classes=self.classes)
        form = LabelSets.from_levels if self.paths else LabelSets.from_labels
        truth = LabelSets.from_labels(self.y_true, hierarchy)
        return hierarchy, truth, form(self.y_pred, hierarchy)


def random_problem(
    name, seed, n=24, instances=30, *, parents=1, roots=1, most=4, empty=True, weights=None,
    sample_weights=False, leaves=False, depth=None, paths=False,
):  # fmt: skip
    """Draw a problem: up to ``parents`` parents, ``most`` labels a side; edge weights from a list."""
    rng = np.random.default_rng(seed)
    classes = [f"c{i}" for i in range(n)]
    edges = []
    for i in range(roots, n):
        low = 0 if depth is None else max(0, i - depth)
        few = int(rng.integers(1, min(parents, i - low) + 1))
        for p in rng.choice(np.arange(low, i), few, replace=False):
            extra = () if weights is None else (float(rng.choice(weights)),)
            edges.append((classes[p], classes[i], *extra))
    pool = [c for c in classes if not leaves or c not in {e[0] for e in edges}]

    def side():
        sizes = rng.integers(0 if empty else 1, most + 1, instances)
        return [rng.choice(pool, min(int(k), len(pool)), replace=False).tolist() for k in sizes]

    y_true, y_pred = side(), side()
    for i in np.flatnonzero(rng.random(instances) < 0.2):
        y_pred[i] = y_true[i]
    weight = rng.random(instances) * 3 if sample_weights else None
    rng.shuffle(edges)
    if paths:
        above = {c: [e[0] for e in edges if e[1] == c] for c in classes}
        y_pred = [[_walked(rng, above, c) for c in row] for row in y_pred]
    return Problem(name, list(map(tuple, edges)), classes, y_true, y_pred, weight, paths)


def _walked(rng, above, c):
    """A random path from a root down to a class."""
    path = [c]
    while above[path[0]]:
        path.insert(0, str(rng.choice(above[path[0]])))
    return path


PROBLEMS = {
    name: random_problem(name, seed, **how)
    for seed, (name, how) in enumerate({
        "tree": {},
        "dag": {"parents": 3, "weights": (0.25, 0.5, 1, 2.75)},
        "forest": {"roots": 3, "sample_weights": True},
        "one label": {"most": 1, "empty": False, "leaves": True},
        "paths": {"n": 30, "parents": 2, "depth": 3, "most": 3, "sample_weights": True, "paths": True},
        "weights": {"parents": 2, "weights": (0.1, 0.2, 0.3, 0.7), "most": 5},
    }.items(), 1)
}  # fmt: skip


def level_problem(name="levels", seed=7, n=24, instances=30):
    """Draw a tree, true paths down to any depth, and predictions of one class per level."""
    rng = np.random.default_rng(seed)
    drawn = random_problem(name, seed, n, instances, depth=5)
    above = {c: [] for c in drawn.classes} | {c: [p] for p, c in drawn.edges}
    level = {c: len(_walked(rng, above, c)) - 1 for c in drawn.classes}

    def said(true):
        deepest = int(np.clip(len(true) + rng.integers(-2, 3), 1, max(level.values())))
        every = ([c for c in drawn.classes if level[c] == k] for k in range(1, deepest + 1))
        right = (rng.random(deepest) < 0.5) & (np.arange(deepest) < len(true))
        return [true[k] if right[k] else str(rng.choice(some)) for k, some in enumerate(every)]

    ends = rng.choice(drawn.classes[1:], instances).tolist()
    y_true = [_walked(rng, above, c)[1:] for c in ends]
    y_true[0] = []
    return replace(drawn, y_true=y_true, y_pred=[said(true) for true in y_true])


LEVELS = level_problem()
OF_LEVELS = tuple(
    name for name in measures_of("labels") if isinstance(measure(name).recipe, LevelPathRecipe)
)
"""Measures that compare sets with one class per level, and a problem for them."""


def options_of(definition):
    """Options → the values that are tried, for those that are choices."""
    names = [o for o in definition.options if o != "average"]
    return {o: v for o in names if (v := OTHER.get(o, definition.option(o).values))}


@cache
def variants(names=None):
    """All measures of label sets (or those named): the defaults under all averages, options in turn.

    Averages are taken of what the options leave, so that not every pair of them is a path of its
    own; the turns meet all averages with every value that comes in several combinations.
    """
    found = {}
    for name in measures_of("labels") if names is None else names:
        definition = REGISTRY[name]
        known = options_of(definition)
        chosen = [{o: v} for o, values in known.items() if o not in TOGETHER for v in values]
        many = {o: known[o] for o in TOGETHER if o in known}
        chosen += [dict(zip(many, v, strict=True)) for v in itertools.product(*many.values())]
        averages = [{"average": average} for average in definition.averages
                    if average != "macro" or not definition.by_true_class]  # fmt: skip
        averages = averages if "average" in definition.options else [{}]
        n = len(averages)
        for options in averages + [o | averages[(i + i // n) % n] for i, o in enumerate(chosen)]:
            m = measure(name).with_options(**options)
            found[m.signature] = m
    return tuple(found.values())


def outcome(problem, measures, **options):
    """Score with a hierarchy that remembers nothing: pooled score and values of every measure."""
    hierarchy, truth, prediction = problem.fresh()
    found = score(
        hierarchy, truth, {"s": prediction}, list(measures), sample_weight=problem.weight,
        keep_classes=True, **options,
    )  # fmt: skip
    columns = found.per_instance["s"].T
    return {m: (v, *c) for m, v, c in zip(found.measures, found.values[0], columns, strict=True)}


def bits(numbers):
    """Numbers as texts that differ where any bit does."""
    return [x if isinstance(x, str) else float(x).hex() for x in numbers]


def trial(problem, m):
    """The outcome of one measure, or its error."""
    try:
        return outcome(problem, [m])[m]
    except HierpairError as error:
        return type(error).__name__, str(error)


@cache
def defaults(problem, names=None, step=1, start=0):
    """What the defaults give: outcomes by measure, and errors of one measure each.

    Of all variants of the measures every ``step``-th is taken, from ``start`` on.
    """
    found = {}
    for _, members in itertools.groupby(variants(names)[start::step], lambda m: m.definition):
        group = list(members)
        try:
            found |= outcome(problem, group)
        except HierpairError:
            found |= {m: trial(problem, m) for m in group}
    fine = {m: x for m, x in found.items() if not isinstance(x[0], str)}
    wrong = ((m, x) for m, x in found.items() if m not in fine)
    return fine, dict({(m.definition, x[1].replace(m.name, "")): (m, x) for m, x in wrong}.values())


def may_round(problem, m):
    """Whether a last bit may move with what is computed together (docs/conventions.md)."""
    cost = m.options.get("cost", "hops")
    if m.definition.family in ("pair", "transport") and cost != "hops":
        return True  # costs that have to be rounded for the solver
    weights = problem.weight is not None or m.definition.family == "contribution"
    return weights and m.options.get("average") in ("macro", "weighted")
