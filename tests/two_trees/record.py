"""Record every number of the hierpair on PYTHONPATH, as exact text.

    PYTHONPATH=TREE python tests/two_trees/record.py OUT.json [PART ...]

Parts: random cases vectors bench quick (default: random cases vectors bench quick).
Further: `random:decode` records one family of `random` alone (see FAMILIES at the end).
Names are translated by translate.py; keys of the record are the old names.
"""

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import csv  # noqa: E402
import hashlib  # noqa: E402
import io  # noqa: E402
import itertools  # noqa: E402
import json  # noqa: E402
import math  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
import warnings  # noqa: E402
from contextlib import redirect_stderr, redirect_stdout  # noqa: E402
from dataclasses import dataclass, field  # noqa: E402
from fractions import Fraction  # noqa: E402
from pathlib import Path  # noqa: E402

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np  # noqa: E402
from translate import attr, call, find, measure  # noqa: E402


def is_exhaustive(scores):
    """Whether the scores of the children of every inner class, and of the roots, add up."""
    h, p = scores.hierarchy, scores.dense()
    if h.shape == "DAG":
        raise find("BadInput")(
            "exhaustive scores are defined on trees and forests, and this is a DAG"
        )
    below = [h.children[a:b] for a, b in itertools.pairwise(h.child_ptr)]
    gaps = [p[:, h.root_indices].sum(axis=1) - 1]
    gaps += [p[:, some].sum(axis=1) - p[:, c] for c, some in enumerate(below) if len(some)]
    return bool(np.abs(gaps).max(initial=0) <= 1e-6)


DATA = Path(os.environ.get("HIERPAIR_DATA", Path(__file__).parents[3] / "shared" / "data"))
os.environ["HIERPAIR_DATA"] = str(DATA)
warnings.simplefilter("ignore")

# ------------------------------------------------------------------------- numbers as text


def num(x):
    if x is None or isinstance(x, str):
        return str(x)
    if isinstance(x, (bool, np.bool_)):
        return str(int(x))
    if isinstance(x, (int, np.integer)):
        return str(int(x))
    if isinstance(x, Fraction):
        return str(x)
    x = float(x)
    if math.isnan(x):
        return "nan"
    return (x + 0.0).hex()  # the sign of zero is not recorded


def any_roots(edges, **more):
    """A hierarchy of any roots; before they were looked at, there was no such option."""
    make = find("Hierarchy").from_edges
    try:
        return make(edges, roots="any", **more)
    except TypeError:
        return make(edges, **more)


def arr(values, most=8):
    """An array as text: all of a short one; of a long one a digest, its sum and a few values."""
    a = np.asarray(values)
    if a.dtype == object:
        a = np.array([float(v) for v in a.ravel()]).reshape(a.shape)
    if a.dtype.kind in "iub":
        a = a.astype(np.int64)
    else:
        a = a.astype(np.float64) + 0.0
        a = np.where(np.isnan(a), np.nan, a)
    flat = np.ascontiguousarray(a).ravel()
    shape = "x".join(map(str, a.shape))
    if flat.size <= most:
        return f"{shape}: " + " ".join(map(num, flat.tolist()))
    digest = hashlib.sha1(flat.tobytes()).hexdigest()[:12]
    known = flat[np.isfinite(flat)] if flat.dtype.kind == "f" else flat
    return f"{shape}: {digest} sum={num(math.fsum(known.tolist()))} " + " ".join(
        map(num, flat[:3].tolist())
    )


def sets_text(sets):
    return f"{arr(sets.indptr)} | {arr(sets.indices)}"


class Recorder:
    """Entries of one section; what fails is recorded as what it is."""

    def __init__(self, store, words):
        self.store, self.words = store, words

    def put(self, key, make, store=None):
        store = self.store if store is None else store
        assert key not in store, key
        store[key] = attempt(make)

    def word(self, key, make):
        """For what may change in words or in extent: compared loosely, by its numbers."""
        self.put(key, make, self.words)


BROKEN = []


def attempt(make):
    from hierpair.errors import HierpairError

    try:
        found = make()
    except HierpairError as error:
        return f"!{type(error).__name__}"
    except Exception as error:
        text = f"?{type(error).__name__}: {error}"[:300]
        BROKEN.append(text)
        return text
    return (
        found
        if isinstance(found, str)
        else arr(found)
        if isinstance(found, (np.ndarray, list, tuple))
        else num(found)
    )


def numbers_in(thing):
    """All numbers of nested data, in order of appearance in sorted form."""
    found = []

    def look(x):
        if isinstance(x, dict):
            for v in x.values():
                look(v)
        elif isinstance(x, (list, tuple)):
            for v in x:
                look(v)
        elif isinstance(x, (bool, int, float, np.generic)):
            found.append(num(x))

    look(thing)
    return " ".join(sorted(found))


# ------------------------------------------------------------------------- random problems


@dataclass
class Problem:
    name: str
    edges: list
    classes: list
    y_true: list
    y_pred: list
    weight: object = None
    unknown: str = "error"
    paths: bool = False
    noise: list = field(default_factory=list)

    def hierarchy(self):
        return any_roots(self.edges, classes=self.classes)

    def sides(self, hierarchy):
        LabelSets = find("LabelSets")
        form = LabelSets.from_levels if self.paths else LabelSets.from_labels
        return (
            LabelSets.from_labels(self.y_true, hierarchy, unknown=self.unknown),
            form(self.y_pred, hierarchy, unknown=self.unknown),
        )


def random_problem(name, seed, n=16, instances=14, *, parents=1, roots=1, most=4, empty=True,
                   weights=None, sample=None, leaves=False, depth=None, paths=False, chain=False,
                   foreign=None, integers=False):  # fmt: skip
    rng = np.random.default_rng(seed)
    classes = [i if integers else f"c{i}" for i in range(n)]
    edges = []
    for i in range(roots, n):
        if chain:
            ps = [i - 1 if rng.random() < 0.75 or i < 2 else int(rng.integers(0, i - 1))]
        else:
            low = 0 if depth is None else max(0, i - depth)
            few = int(rng.integers(1, min(parents, i - low) + 1))
            ps = rng.choice(np.arange(low, i), few, replace=False).tolist()
        for p in ps:
            extra = () if weights is None else (weights[int(rng.integers(len(weights)))],)
            edges.append((classes[p], classes[i], *extra))
    inner = {e[0] for e in edges}
    pool = [c for c in classes if c not in inner] if leaves else classes

    def side():
        sizes = rng.integers(0 if empty else 1, most + 1, instances)
        return [
            [pool[int(j)] for j in rng.choice(len(pool), min(int(k), len(pool)), replace=False)]
            for k in sizes
        ]

    y_true, y_pred, noise = side(), side(), side()
    for i in np.flatnonzero(rng.random(instances) < 0.25):
        y_pred[i] = y_true[i]
    if foreign:
        for rows in (y_true, y_pred):
            for i in np.flatnonzero(rng.random(instances) < 0.3):
                rows[i] = [*rows[i], f"x{i}"] if not integers else [*rows[i], 900 + int(i)]
    weight = None
    if sample == "whole":
        weight = rng.integers(0, 5, instances).astype(float)
        weight[0] = 2
    elif sample == "float":
        weight = rng.random(instances) * 3
    order = rng.permutation(len(edges))
    edges = [edges[int(k)] for k in order]
    if paths:
        above = {c: [e[0] for e in edges if e[1] == c] for c in classes}

        def walked(c):
            path = [c]
            while above[path[0]]:
                path.insert(0, above[path[0]][int(rng.integers(len(above[path[0]])))])
            return path

        y_pred = [[walked(c) for c in row] for row in y_pred]
    return Problem(name, edges, classes, y_true, y_pred, weight, foreign or "error", paths, noise)


WHOLE, FLOAT = (1, 2, 3), (0.1, 0.25, 0.5, 0.7, 1.3)


def problems():
    found = []
    for s in range(8):
        found.append(
            random_problem(f"tree{s}", 100 + s, n=6 + 3 * s, sample=(None, "whole", "float")[s % 3])
        )
    for s in range(8):
        found.append(random_problem(f"dag{s}", 200 + s, n=7 + 3 * s, parents=3, sample=(None, "float")[s % 2],
                                    foreign=("drop", None)[s % 2]))  # fmt: skip
    for s in range(5):
        found.append(random_problem(f"forest{s}", 300 + s, n=12 + 2 * s, roots=2 + s % 3, parents=1 + s % 2,
                                    sample=("float", None)[s % 2]))  # fmt: skip
    for s in range(5):
        found.append(random_problem(f"chain{s}", 400 + s, n=14 + 9 * s, chain=True, most=3))
    for s in range(5):
        found.append(random_problem(f"whole{s}", 500 + s, parents=1 + s % 3, weights=WHOLE,
                                    sample=(None, "whole")[s % 2]))  # fmt: skip
    for s in range(5):
        found.append(random_problem(f"float{s}", 600 + s, parents=1 + s % 3, weights=FLOAT, most=5))
    for s in range(5):
        found.append(random_problem(f"one{s}", 700 + s, n=14 + s, most=1, empty=False, leaves=s % 2 == 0,
                                    parents=1 + s // 3, sample=(None, "float")[s % 2]))  # fmt: skip
    for s in range(4):
        found.append(
            random_problem(
                f"nested{s}",
                750 + s,
                n=9,
                most=7,
                parents=1 + s % 2,
                foreign=("root", "drop")[s % 2],
            )
        )
    for s in range(5):
        found.append(random_problem(f"paths{s}", 800 + s, n=18, parents=2, depth=3, most=3, paths=True,
                                    sample=(None, "float")[s % 2]))  # fmt: skip
    for s in range(5):
        found.append(
            random_problem(f"dense{s}", 900 + s, n=20, parents=5, most=6, empty=s % 2 == 0)
        )
    for s in range(3):
        found.append(random_problem(f"integers{s}", 950 + s, n=13, parents=2, integers=True))
    for s in range(2):
        found.append(random_problem(f"tiny{s}", 990 + s, n=1 + s, most=1))
    return found


QUICK = ("tree2", "dag3", "forest1", "chain1", "whole1", "float1", "one1", "paths1")

PRICES = (
    "hops", "weights", "decayed(w0=0.5)", "decayed(depth='min',normalise='path')",
    "decayed(w0=0.9,depth='max',normalise='max-path')", "decayed(depth='sum')", "ancestors",
    "ancestors(w0=0.3,depth='max',normalise='path')", "ancestors(normalise='max-path')",
    "wu_palmer", "wu_palmer(depth='max')", "lin(smooth=1)", "resnik(smooth=1)",
)  # fmt: skip
CHOICES = {
    "absent_level": ("skip", "none-class"), "augment": ("ancestors", "descendants", "pruned", "none"),
    "beta": (1, 0.5, 2), "blank": ("ignore", "count"), "classes": ("seen", "all"),
    "costs": ("sibling", "ones", "subtree"), "default": (5, 1, 2.5), "denominator": ("union", "symdiff"),
    "depth": ("mean", "min", "max", "sum"), "empty": ("root", "none"),
    "extension": ("exact", "greedy", "full"), "max_distance": (None, 2), "nested": ("drop", "keep"),
    "normalise": ("none", "max-path", "path"), "pairing": ("exact", "published"), "price": PRICES,
    "root": ("exclude", "include", "c3"), "theta": (2, 1, 3.5, "mean"), "threshold": (None, 2, 4),
    "tips": ("best", "sum", "single"), "w0": (0.75, 0.5, 1), "zero_division": (0, 1, math.nan),
}  # fmt: skip
PAIRS = (
    ("augment", "root"), ("threshold", "augment"), ("threshold", "root"), ("price", "default"),
    ("price", "max_distance"), ("max_distance", "default"), ("pairing", "empty"), ("pairing", "nested"),
    ("theta", "price"), ("classes", "root"), ("beta", "zero_division"), ("w0", "depth"),
    ("normalise", "root"), ("extension", "threshold"), ("augment", "absent_level"), ("costs", "root"),
    ("denominator", "default"), ("denominator", "threshold"),
)  # fmt: skip

HCM = ("pairing", "empty", "nested", "blank")
ALL4 = ("samples", "micro", "macro", "weighted")
CON4 = ("micro", "macro", "weighted", "samples")
MS, SM = ("micro", "samples"), ("samples", "micro")
MEASURES = {
    **{f"hcm_{m}": (HCM, MS) for m in ("tp", "tn", "fp", "fn")},
    **{f"hcm_{m}": ((*HCM, "zero_division"), MS) for m in (
        "acc", "ppv", "tpr", "fnr", "fpr", "tnr", "prevalence", "prevalence_threshold", "mcc",
        "balanced_accuracy", "informedness", "markedness", "jaccard", "kappa")},
    "hcm_f": (("beta", *HCM, "zero_division"), MS),
    "con_precision": (("theta", "price", "root", "classes", "zero_division"), CON4),
    "con_recall": (("theta", "price", "root", "classes", "zero_division"), CON4),
    "con_f": (("beta", "theta", "price", "root", "classes", "zero_division"), CON4),
    "con_accuracy": (("theta", "price", "root", "classes"), CON4),
    "con_error": (("theta", "price", "root", "classes"), CON4),
    "mean_cost": (("price", "threshold"), ("samples",)), "total_cost": (("price", "threshold"), ("micro",)),
    "normalised_cost": (("price",), MS),
    "depth_loss": (("w0", "depth", "normalise", "root"), ("samples",)),
    "depth_euclidean": (("w0", "depth", "root"), ("samples",)),
    "depth_accuracy": (("w0", "depth", "normalise", "root"), SM),
    "h_loss": (("costs", "root"), ("samples",)),
    "descendant_precision": (("root", "zero_division"), ALL4),
    "descendant_recall": (("root", "zero_division"), ALL4),
    "descendant_f": (("beta", "root", "zero_division"), ALL4),
    "subset_accuracy": ((), ("samples",)),
    "precision": (("zero_division",), ALL4), "recall": (("zero_division",), ALL4),
    "f": (("beta", "zero_division"), ALL4), "hamming_loss": (("root",), ("samples",)),
    "lca_precision": (("extension", "threshold", "zero_division"), SM),
    "lca_recall": (("extension", "threshold", "zero_division"), SM),
    "lca_f": (("beta", "extension", "threshold", "zero_division"), SM),
    "level_accuracy": (("augment", "root", "absent_level", "zero_division"), ("macro", "micro", "samples")),
    "leaf_accuracy": (("augment", "root", "zero_division"), ("samples",)),
    "level_hamming": (("augment", "root"), ("samples",)),
    "shortest_path": (("tips",), ("samples",)),
    "tree_induced_error": (("price", "max_distance", "threshold"), ("samples",)),
    "all_pairs": (("price", "threshold"), ("samples",)),
    "gie": (("default", "price", "max_distance", "threshold"), ("samples",)),
    "mgia": (("default", "price", "max_distance", "threshold", "denominator"), SM),
    "fnerror": (("default", "price", "max_distance", "threshold"), ("samples",)),
    "hp": (("augment", "root", "threshold", "zero_division"), ALL4),
    "hr": (("augment", "root", "threshold", "zero_division"), ALL4),
    "hf": (("beta", "augment", "root", "threshold", "zero_division"), ALL4),
    "sdl": (("augment", "root", "threshold"), ("samples",)),
}  # fmt: skip
DEFAULTS = [m for m in MEASURES if m not in (
    *(f"con_{x}" for x in ("precision", "recall", "f", "accuracy", "error")), "mean_cost", "total_cost",
    "normalised_cost", "depth_loss", "depth_euclidean", "depth_accuracy", "h_loss",
    "descendant_precision", "descendant_recall", "descendant_f")]  # fmt: skip


def variants(name):
    options, _ = MEASURES[name]
    found = [{}]
    found += [{o: v} for o in options for v in CHOICES[o][1:]]
    for one, other in PAIRS:
        if one in options and other in options:
            values = [*itertools.product(CHOICES[one][1:], CHOICES[other][1:])]
            found += [{one: a, other: b} for a, b in values[:: max(1, len(values) // 3)][:3]]
    return found


def text_of(name, options):
    inside = ",".join(f"{k}={v!r}" for k, v in options.items())
    return f"{name}({inside})" if inside else name


_VARIANTS = {}


def measures_of(name):
    """Old text → {average: measure} of all variants of a measure."""
    if name not in _VARIANTS:
        found = {}
        for options in variants(name):
            made = {}
            for average in MEASURES[name][1]:
                try:
                    made[average] = measure(name, **options, average=average)
                except Exception as error:
                    made[average] = error
            found[text_of(name, options)] = made
        _VARIANTS[name] = found
    return _VARIANTS[name]


def run_score(problem, hierarchy, sides, chosen, **how):
    return call("score", hierarchy, sides[0], {"s": sides[1]}, chosen, sample_weight=problem.weight,
                on_infeasible="nan", **how)  # fmt: skip


def score_in_parts(problem, hierarchy, sides, chosen, results):
    """Score measures together; where that fails, halves, so that single ones have their error."""
    if not chosen:
        return
    try:
        scores = run_score(problem, hierarchy, sides, chosen)
        results |= {m: (scores, k) for k, m in enumerate(scores.measures)}
    except Exception as error:
        if len(chosen) == 1:
            results[chosen[0]] = error, 0
            return
        half = len(chosen) // 2
        score_in_parts(problem, hierarchy, sides, chosen[:half], results)
        score_in_parts(problem, hierarchy, sides, chosen[half:], results)


def likely_refused(problem, m):
    """Scored by itself from the start, so that the others need not be tried one by one."""
    values = [*m.options.values()]
    lacking = ("weights" in values and len(problem.edges[0] if problem.edges else ()) < 3) or (
        "c3" in values and "c3" not in problem.classes)  # fmt: skip
    cut = m.options.get("threshold") is not None and any(
        str(v).startswith(("weights", "decayed")) for v in values)  # fmt: skip
    level = m.definition.name.startswith(("level", "leaf")) and m.options.get("augment") in (
        "descendants",
        "pruned",
    )
    grown = (
        m.options.get("threshold") is not None
        and m.options.get("augment", "ancestors") != "ancestors"
    )
    return lacking or cut or level or grown


def record_measures(rec, problem, names=None):
    from hierpair.errors import HierpairError

    hierarchy = problem.hierarchy()
    sides = problem.sides(hierarchy)
    for name in names or MEASURES:
        made = measures_of(name)
        flat = [m for of in made.values() for m in of.values() if not isinstance(m, Exception)]
        results = {}
        odd = [m for m in dict.fromkeys(flat) if likely_refused(problem, m)]
        score_in_parts(
            problem, hierarchy, sides, [m for m in dict.fromkeys(flat) if m not in odd], results
        )
        for m in odd:
            score_in_parts(problem, hierarchy, sides, [m], results)
        for text, of in made.items():

            def line(of=of):
                parts, values = [], None
                for average, m in of.items():
                    if isinstance(m, Exception):
                        raise m
                    scores, k = results[m]
                    if isinstance(scores, HierpairError):
                        parts.append(f"{average}=!{type(scores).__name__}")
                        continue
                    if isinstance(scores, Exception):
                        raise scores
                    parts.append(f"{average}={num(scores.values[0, k])}")
                    if values is None:
                        values = scores.per_instance["s"][:, k]
                        n_bad = sum(
                            v for (_, key), v in scores.n_infeasible.items() if key == scores.measures[k].name)  # fmt: skip
                if values is not None:
                    parts.append(f"infeasible={n_bad} values={arr(values, 0)}")
                return " ".join(parts)

            rec.put(f"{problem.name} {text}", line)


def record_default_scores(rec, name, hierarchy, y_true, systems, texts=DEFAULTS, extra=(), **how):
    """Every measure by itself in one call each family; values of all systems."""
    for text in dict.fromkeys([*texts, *extra]):

        def line(text=text):
            m = text if not isinstance(text, str) else measure_of_text(text)
            scores = call("score", hierarchy, y_true, systems, [m], on_infeasible="nan", **how)
            return f"{arr(scores.values[:, 0], 20)} " + " ".join(
                arr(scores.per_instance[s][:, 0], 0) for s in scores.systems)  # fmt: skip

        rec.put(f"{name} {text}", line)


def measure_of_text(text):
    """A measure from an old text such as gie(price=decayed): options are translated."""
    import ast

    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.Name):
        return measure(node.id)
    options = {}
    for k in node.keywords:
        v = k.value
        options[k.arg] = v.id if isinstance(v, ast.Name) else (
            ast.unparse(v) if isinstance(v, ast.Call) else ast.literal_eval(v))  # fmt: skip
    return measure(node.func.id, **options)


# ------------------------------------------------------------------------- rules of one's own


def make(old, *args, **keywords):
    return call(find(old), *args, **keywords)


def partners(side, at_least=0, at_most=None, **how):
    return make("Partners", side=side, at_least=at_least, at_most=at_most, **how)


def default(side, price, **how):
    return make("Default", side=side, price=price, **how)


def rule(price, *demands, **how):
    return make("Rule", price=price, demands=demands, **how)


def rules(h):
    """Name → function that makes a rule, for a hierarchy."""
    n, names = len(h), list(h.names)
    rng = np.random.default_rng(n)
    matrix = rng.integers(0, 9, (n, n)).astype(float)
    np.fill_diagonal(matrix, 0)
    import scipy.sparse as sp

    vectors = rng.random((n, 4)) * (rng.random((n, 4)) < 0.7)
    hops = make("Hops")
    both = [partners("predicted", 1, 1), partners("true", 1, 1)]
    five = [default("predicted", 5), default("true", 5)]
    free = [partners("predicted", 1), partners("true", 1)]
    loose = [partners("predicted", 0, 2), partners("true", 0, 2)]
    some = tuple(names[::2])
    third = tuple(names[::3])
    gain = lambda pairs: pairs.distance - 3
    everybody = find("AS_MANY_AS_THERE_ARE")
    named = [(names[i], names[j]) for i, j in rng.integers(0, n, (max(2, n), 2)).tolist()]
    fractions = lambda pairs: np.array(
        [Fraction(int(d), 3) if np.isfinite(d) else np.inf for d in pairs.distance], dtype=object
    )
    level = lambda labels: labels.hierarchy.depths[labels.classes].astype(np.int64) % 3
    by_level = find("by_level")
    found = {
        "gie": lambda: rule(hops, *both, *five),
        "mgia": lambda: rule(hops, *free, *five),
        "all": lambda: rule(hops, partners("predicted", everybody), partners("true", everybody)),
        "two": lambda: rule(hops, partners("predicted", 1, 2), partners("true", 1, 2), *five),
        "two at least": lambda: rule(hops, partners("predicted", 2, 3), partners("true", 0, 3), *five),
        "no default": lambda: rule(hops, partners("predicted", 1), partners("true", 0, 3)),
        "default true only": lambda: rule(hops, *both, default("true", 2)),
        "floats": lambda: rule(hops, *both, default("predicted", 1.3), default("true", 2.7)),
        "cheap": lambda: rule(hops, *free, default("predicted", 0), default("true", 1)),
        "bounds dict": lambda: rule(hops, partners("true", 1, {names[0]: 2, names[-1]: 1}), partners("predicted", 0, 2), *five),
        "bounds array": lambda: rule(hops, partners("true", np.arange(n) % 2, np.arange(n) % 2 + 1), *five, partners("predicted", 0, 2)),
        "bounds callable": lambda: rule(hops, partners("predicted", lambda labels: labels.classes % 2, 2), partners("true", 1, 1), *five),
        "where names": lambda: rule(hops, *loose, partners("true", 1, 1, where=some), *five),
        "where callable": lambda: rule(hops, *loose, partners("predicted", 1, where=lambda x: x.hierarchy.depths[x.classes] > 1), *five),
        "intersect": lambda: rule(hops, partners("predicted", 0, 3), partners("predicted", 1), partners("predicted", 0, 1), partners("true", 0, 2), *five),
        "contradict": lambda: rule(hops, partners("predicted", 2, 2), partners("predicted", 0, 1), *five),
        "default dict": lambda: rule(hops, *both, default("true", {c: i % 4 for i, c in enumerate(names)}), default("predicted", 3)),
        "default array": lambda: rule(hops, *both, default("true", np.arange(n) / 4), default("predicted", 3)),
        "default callable": lambda: rule(hops, *both, default("true", lambda x: x.hierarchy.depths[x.classes] + 0.5), default("predicted", 3)),
        "default where": lambda: rule(hops, *both, default("true", 1, where=some), default("true", 4, where=tuple(c for c in names if c not in some)), default("predicted", 2)),
        "default twice": lambda: rule(hops, *both, default("true", 1), default("true", 4, where=some), default("predicted", 2)),
        "default infinite": lambda: rule(hops, *both, default("true", math.inf), default("predicted", 2)),
        "fractions": lambda: rule(fractions, *both, default("true", Fraction(7, 3)), default("predicted", Fraction(5, 2))),
        "forbid callable": lambda: rule(hops, *both, *five, make("Forbid", when=lambda p: p.distance > 3)),
        "forbid named": lambda: rule(hops, *both, *five, make("Forbid", when=tuple(dict.fromkeys(named)))),
        "require callable": lambda: rule(hops, *loose, *five, make("Require", pairs=lambda p: p.predicted == p.true)),
        "require named": lambda: rule(hops, *loose, *five, make("Require", pairs=((names[-1], names[-1]), (names[0], names[0])))),
        "require and forbid": lambda: rule(hops, *loose, *five, make("Require", pairs=lambda p: p.predicted == p.true), make("Forbid", when=lambda p: p.predicted == p.true)),
        "max distance": lambda: rule(hops, *both, *five, make("MaxDistance", limit=2)),
        "max distance free": lambda: rule(hops, *free, *five, make("MaxDistance", limit=3)),
        "max distance callable": lambda: rule(hops, *both, *five, make("MaxDistance", limit=lambda p: 1 + p.hierarchy.depths[p.true] % 3)),
        "total": lambda: rule(gain, *loose, make("Total", at_least=0, at_most=2), signed=True),
        "total least": lambda: rule(hops, *loose, *five, make("Total", at_least=1, at_most=3)),
        "total array": lambda: rule(gain, *loose, make("Total", at_most=np.arange(14) % 3), signed=True),
        "total callable": lambda: rule(gain, *loose, make("Total", at_least=lambda i: np.minimum(i.n_predicted, i.n_true) // 2), signed=True),
        "signed": lambda: rule(gain, *loose, signed=True),
        "groups level": lambda: rule(gain, *loose, make("Within", side="true", groups=by_level, at_most=1), signed=True),
        "groups least": lambda: rule(hops, *loose, *five, make("Within", side="true", groups=by_level, at_most=2, at_least=1)),
        "groups least error": lambda: rule(hops, *loose, *five, make("Within", side="predicted", groups=level, at_most=None, at_least=1, absent="error")),
        "groups subtree": lambda: rule(gain, *loose, make("Within", side="predicted", groups=find("by_subtree")(1), at_most=1), signed=True),
        "groups array": lambda: rule(gain, *loose, make("Within", side="true", groups=level, at_most=np.array([1, 2, 0])), signed=True),
        "groups dict": lambda: rule(gain, *loose, make("Within", side="true", groups=level, at_most={0: 1, 2: 1}), signed=True),
        "groups callable": lambda: rule(gain, *loose, make("Within", side="true", groups=level, at_most=lambda g: np.maximum(1, g.size - 1)), signed=True),
        "groups nested": lambda: rule(gain, *loose, make("Within", side="true", groups=lambda x: 0 * x.classes, at_most=3), make("Within", side="true", groups=level, at_most=1), make("Within", side="predicted", groups=level, at_most=1), make("Total", at_most=2), signed=True),
        "lexicographic": lambda: rule(make("InTurn", prices=(hops, lambda p: (p.predicted != p.true).astype(int))), *both, *five),
        "lexicographic tuple": lambda: rule(make("InTurn", prices=(hops, lambda p: p.true % 3, lambda p: p.predicted % 2)), *free, default("predicted", (5, 1, 0)), default("true", (4, 0, 2))),
        "lexicographic total": lambda: rule(make("InTurn", prices=(hops, lambda p: p.true % 3)), *loose, *five, make("Total", at_least=1)),
        "lexicographic limit": lambda: rule(make("InTurn", prices=(lambda p: p.distance * 2.0**40, lambda p: p.true * 2.0**40)), *both, *five),
        "weights": lambda: rule(make("EdgeWeights"), *both, *five),
        "decayed": lambda: rule(make("DecayedEdges", w0=0.6, depth="max"), *both, default("predicted", 1), default("true", 1)),
        "decayed path": lambda: rule(make("DecayedEdges", w0=0.6, normalise="path"), *free, default("predicted", 1), default("true", 1)),
        "ancestors": lambda: rule(make("AncestorDifference", w0=0.9, normalise="max-path"), *both, default("predicted", 1), default("true", 1)),
        "wu palmer": lambda: rule(make("WuPalmer"), *both, default("predicted", 0.5), default("true", 0.5)),
        "lin counts": lambda: rule(make("Lin", counts={c: i % 5 + 1 for i, c in enumerate(names)}), *both, default("predicted", 0.5), default("true", 0.5)),
        "resnik": lambda: rule(make("Resnik", smooth=1), *free, default("predicted", 0.5), default("true", 0.5)),
        "matrix": lambda: rule(make("PriceMatrix", matrix), *both, *five),
        "matrix sparse": lambda: rule(make("PriceMatrix", sp.csr_array(matrix * (matrix > 4))), *free, *five),
        "matrix whole": lambda: rule(make("PriceMatrix", matrix.astype(int)), *loose, default("predicted", 3), partners("true", 1)),
        "cosine": lambda: rule(make("CosineDistance", vectors), *both, default("predicted", 0.5), default("true", 0.5)),
        "cosine sparse": lambda: rule(make("CosineDistance", sp.csr_array(vectors)), *free, default("predicted", 0.5), default("true", 0.5)),
        "where third all": lambda: rule(hops, *loose, partners("true", everybody, where=third), *five),
        "infinite": lambda: rule(lambda p: np.where(p.distance > 2, np.inf, p.distance), *both),
        "negative refused": lambda: rule(gain, *both, *five),
    }  # fmt: skip
    return found


def pairs_of(hierarchy, sides, threshold=None):
    Pairs = find("Pairs")
    return call(
        Pairs.between, hierarchy=hierarchy, y_true=sides[0], y_pred=sides[1], threshold=threshold
    )


def solved(rule_, hierarchy, sides, **how):
    problem = call("formulate", rule_, pairs_of(hierarchy, sides))
    return call("solve_pairing", problem, **how)


def record_rules(rec, problem):
    hierarchy = problem.hierarchy()
    sides = problem.sides(hierarchy)
    for name, maker in rules(hierarchy).items():

        def line(maker=maker, **how):
            found = solved(maker(), hierarchy, sides, on_infeasible="nan", **how)
            return f"cost={arr(found.cost, 20)} infeasible={arr(found.infeasible, 30)} gap={num(found.gap.max(initial=0))}"

        def chosen(maker=maker):
            found = solved(maker(), hierarchy, sides, on_infeasible="nan")
            return f"{arr(found.chosen)} {arr(attr(found, 'missing')['true'])}"

        key = f"{problem.name} rule {name}"
        rec.put(key, line)
        rec.word(key + " chosen", chosen)
        if name in (
            "gie",
            "mgia",
            "two",
            "default array",
            "max distance free",
            "all",
            "matrix sparse",
        ):
            rec.put(key + " full", lambda line=line: line(reduce=False))
    for threshold in (2, 4):
        rec.put(f"{problem.name} rule gie threshold {threshold}", lambda threshold=threshold: arr(
            call("solve_pairing", call("formulate", rules(hierarchy)["gie"](), pairs_of(hierarchy, sides, threshold))).cost, 20))  # fmt: skip


def record_own_measures(rec, problem):
    """Rules as measures: scored, compared, with what has no pairing left out or refused."""
    hierarchy = problem.hierarchy()
    sides = problem.sides(hierarchy)
    made = rules(hierarchy)
    from translate import _index  # noqa: F401

    for name in (
        "two",
        "no default",
        "total",
        "groups least",
        "lexicographic tuple",
        "matrix",
        "require named",
        "groups nested",
    ):
        registry = find("REGISTRY")
        before = dict(registry)
        try:

            def own(maker=made[name]):
                return maker()

            def line(own=own, how="nan"):
                own.__name__ = "own_rule"
                find("pair_measure")()(own)
                scores = call("score", hierarchy, sides[0], {"s": sides[1]}, ["own_rule"],
                              sample_weight=problem.weight, on_infeasible=how)  # fmt: skip
                return f"{num(scores.values[0, 0])} {arr(scores.per_instance['s'][:, 0], 20)} {sum(scores.n_infeasible.values())}"

            rec.put(f"{problem.name} own {name}", line)
            registry.clear()
            registry.update(before)
            rec.put(f"{problem.name} own {name} raise", lambda line=line: line(how="raise"))
        finally:
            registry.clear()
            registry.update(before)


# ------------------------------------------------------------------------- comparing


def several_systems(problem, k=4):
    rng = np.random.default_rng(7)
    found = {}
    for s in range(k):
        found[f"s{s}"] = [
            t if rng.random() < 0.75 - 0.15 * s else p
            for t, p in zip(problem.y_true, problem.noise, strict=True)
        ]
    return found


COMPARED = ("hf", "gie", "hf(average=micro)", "f(average=macro)", "sdl", "mgia", "lca_f",
            "hcm_f", "hp(average=weighted)", "level_accuracy", "con_f(average=macro)", "normalised_cost")  # fmt: skip


def comparison_text(found):
    parts = []
    for name in ("values", "low", "high", "ranks", "p", "p_adjusted", "difference", "difference_low",
                 "difference_high", "effect", "wins"):  # fmt: skip
        parts.append(f"{name}={arr(attr(found, name), 4)}")
    return " ".join(parts)


def record_comparing(rec, problem, quick=False):
    hierarchy = problem.hierarchy()
    systems = several_systems(problem)
    LabelSets = find("LabelSets")
    truth = LabelSets.from_labels(problem.y_true, hierarchy, unknown=problem.unknown)
    sides = {
        k: LabelSets.from_labels(v, hierarchy, unknown=problem.unknown) for k, v in systems.items()
    }
    chosen = [measure_of_text(t) for t in COMPARED]

    def fit(m, weight=None):
        try:
            call("score", hierarchy, truth, sides, [m], keep_classes=True, sample_weight=weight)
        except Exception:
            return False
        return True

    chosen = [m for m in chosen if fit(m)]
    small = {"n_permutations": 300, "n_bootstrap": 120}
    for weighted in (False, True):
        if weighted and problem.weight is None:
            continue
        weight = problem.weight if weighted else None

        def scores(weight=weight, ms=chosen):
            return call(
                "score", hierarchy, truth, sides, list(ms), keep_classes=True, sample_weight=weight
            )

        tag = f"{problem.name} compare{' weighted' if weighted else ''}"
        settings = [
            {"test": t}
            for t in ("permutation", "bootstrap", "sign", "sign_normal", "wilcoxon", "t")
        ]
        settings += [{"correction": c} for c in ("bonferroni", "bh", "none")]
        settings += [{"family": "all"}, {"interval": "bca"}, {"effect": "cliffs_delta"}, {"seed": 3},
                     {"alpha": 0.2, "level": 0.8}, {"test": "bootstrap", "interval": "bca", "family": "all"}]  # fmt: skip
        if quick or weighted:
            settings = settings[::4]
        for how in settings:
            rec.put(
                f"{tag} {how}",
                lambda how=how, scores=scores: comparison_text(
                    call("compare", scores(), **small, **how)
                ),
            )
            rec.word(
                f"{tag} {how} dict",
                lambda how=how, scores=scores: numbers_in(
                    call("compare", scores(), **small, **how).to_dict()
                ),
            )
        rec.put(f"{tag} runs", lambda scores=scores: comparison_text(
            call("compare", scores(), runs={"a": ["s0", "s1"], "b": ["s2", "s3"]}, **small)))  # fmt: skip
        rec.put(f"{tag} runs test", lambda scores=scores: comparison_text(
            call("compare", scores(), test="runs", runs={"a": ["s0", "s1"], "b": ["s2", "s3"]}, **small)))  # fmt: skip
        for coefficient in ("kendall_b", "kendall_a", "spearman"):
            rec.put(
                f"{tag} agreement {coefficient}",
                lambda c=coefficient, scores=scores: arr(call("agreement", scores(), c).values),
            )
        for m in range(len(chosen)):

            def differ(m=m, scores=scores):
                found = call("differ", scores=scores(), system="s0", other="s2", hierarchy=hierarchy,
                             y_true=truth, measure=chosen[m], k=4)  # fmt: skip
                parts = [num(attr(found, "gain"))]
                for kind in ("ahead", "behind", "classes", "subtrees"):
                    parts.append(kind + " " + " ".join(
                        f"{d.name}:{d.n}:{num(d.value)}:{num(d.other)}:{num(attr(d, 'gain'))}:{num(d.share)}"
                        for d in attr(found, kind)))  # fmt: skip
                return " ; ".join(parts)

            rec.put(
                f"{tag} differ {COMPARED[m] if len(chosen) == len(COMPARED) else chosen[m].definition.name + str(m)}",
                differ,
            )

            def depths(m=m, scores=scores):
                found = call(
                    "by_depth",
                    scores=scores(),
                    hierarchy=hierarchy,
                    y_true=truth,
                    measure=chosen[m],
                )
                return f"{arr(found.depths, 30)} {arr(found.counts, 30)} {arr(found.values)}"

            rec.put(f"{tag} by depth {m}", depths)
    if not quick:
        for how in ({"test": None}, {"test": "permutation", "comparing": small}):

            def sense(how=how):
                found = call(
                    "sensitivity",
                    hierarchy,
                    truth,
                    sides,
                    [measure("hf"), measure("gie"), measure("sdl")],
                    **how,
                )
                lines = [
                    f"{arr(v.values, 9)} {arr(v.ranks, 9)} {arr(v.outcome)}" for v in found.variants
                ]
                lines += [
                    f"{c.better}>{c.worse} {c.n_for} {c.n_none} {c.n_against}"
                    for c in found.conclusions
                ]
                return " ; ".join(lines)

            rec.put(f"{problem.name} sensitivity {sorted(how)}", sense)

    # instances without a pairing under some systems
    def holes():
        m = [
            measure("gie"),
            measure("tree_induced_error"),
            measure("tree_induced_error", max_distance=2),
        ]
        scores = call("score", hierarchy, truth, sides, m, on_infeasible="nan")
        return (
            comparison_text(call("compare", scores, **small))
            + " "
            + str(sorted(scores.n_infeasible.values()))
        )

    rec.put(f"{problem.name} compare with holes", holes)


# ------------------------------------------------------------------------- probabilities


def tip_law(problem, seed=0, n=5, leaves_only=False, none=False):
    """A distribution over single labels: Law.from_scenarios of one-label sets."""
    hierarchy = problem.hierarchy()
    rng = np.random.default_rng(seed)
    leaves = [
        c for c in range(len(hierarchy)) if hierarchy.child_ptr[c] == hierarchy.child_ptr[c + 1]
    ]
    pool = leaves if leaves_only else list(range(len(hierarchy)))
    rows = []
    for _ in range(n):
        few = rng.choice(len(pool), min(len(pool), int(rng.integers(1, 6))), replace=False)
        p = rng.dirichlet(np.ones(len(few) + 1))
        row = [(float(q), [hierarchy.names[pool[int(c)]]]) for q, c in zip(p, few, strict=False)]
        rest = 1 - sum(q for q, _ in row)
        row.append((rest, [] if none else row[0][1]))
        rows.append(row)
    return hierarchy, call(find("Law").from_scenarios, scenarios=rows, hierarchy=hierarchy)


def set_law(problem, seed=1, n=4):
    hierarchy = problem.hierarchy()
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        p = rng.dirichlet(np.ones(4))
        sets = [
            rng.choice(
                len(hierarchy), int(rng.integers(0, 4)) % (len(hierarchy) + 1), replace=False
            )
            for _ in p
        ]
        rows.append(
            [(float(q), [hierarchy.names[int(c)] for c in s]) for q, s in zip(p, sets, strict=True)]
        )
    return hierarchy, call(find("Law").from_scenarios, scenarios=rows, hierarchy=hierarchy)


def node_scores(problem, seed=2, n=6):
    hierarchy = problem.hierarchy()
    rng = np.random.default_rng(seed)
    p = np.round(rng.random((n, len(hierarchy))), 2) * (rng.random((n, len(hierarchy))) < 0.8)
    return hierarchy, call(find("NodeScores").from_array, p, hierarchy)


def decoded_text(found):
    return (f"{arr(found.value, 12)} exact={int(found.is_exact)} bound={arr(found.certificate.bound, 0)} "
            f"sets={sets_text(found.sets)}")  # fmt: skip


DECODED = [
    *DEFAULTS, "hf(beta=2)", "hf(root=include)", "hf(average=micro)", "hf(augment=none)", "hf(beta=0)",
    "hp(zero_division=1)", "f(beta=2)", "hamming_loss(root=include)", "h_loss", "h_loss(costs=ones)",
    "h_loss(costs=subtree)", "depth_loss", "depth_loss(normalise='max-path')", "depth_loss(normalise=path)",
    "depth_accuracy", "mean_cost", "total_cost", "mean_cost(price=decayed)", "con_f", "descendant_f",
    "gie(default=2)", "gie(max_distance=2)", "gie(price=weights)", "fnerror(default=2)",
    "tree_induced_error(price=weights)", "tree_induced_error(price=wu_palmer)", "level_accuracy(augment=none)",
    "level_accuracy(augment=none,average=micro)", "level_accuracy(augment=none,absent_level='none-class')",
    "level_hamming(root=include)", "sdl(root=include)", "sdl(augment=none)", "lca_f(extension=full)",
    "normalised_cost", "hf(threshold=4)",
]  # fmt: skip


def record_decoding(rec, problem, quick=False):
    for kind, maker in (("tips", tip_law), ("sets", set_law), ("leaves", lambda p: tip_law(p, 5, leaves_only=True)),
                        ("none", lambda p: tip_law(p, 6, none=True))):  # fmt: skip
        if quick and kind in ("leaves", "none"):
            continue
        try:
            hierarchy, law = maker(problem)
        except Exception as error:
            rec.put(f"{problem.name} law {kind}", lambda error=error: (_ for _ in ()).throw(error))
            continue
        rec.put(
            f"{problem.name} law {kind} marginals", lambda law=law: arr(law.marginals().dense())
        )
        if kind in ("tips", "sets"):
            rec.put(
                f"{problem.name} law {kind} label marginals",
                lambda law=law: arr(law.label_marginals().dense()),
            )
            rec.put(
                f"{problem.name} law {kind} top",
                lambda law=law: f"{arr(law.top(0.7)[0].p)} {arr(law.top(0.7)[1])}",
            )
            rec.put(f"{problem.name} law {kind} sample", lambda law=law: arr(law.sample(5, 3)))
        names = DECODED if kind in ("tips", "sets") else [
            "hf", "sdl", "shortest_path", "leaf_accuracy", "gie", "fnerror", "level_accuracy(augment=none)", "f",
            "subset_accuracy", "tree_induced_error", "h_loss", "hr", "hp"]  # fmt: skip
        for text in names:
            one_class = text.startswith(
                ("tree_induced", "mean_cost", "total_cost", "normalised", "shortest_path")
            )
            if kind in ("sets", "none") and one_class and (quick or problem.name != "tree1"):
                continue  # refused instance by instance, which takes long
            if (
                text.startswith("hcm")
                and text not in ("hcm_f", "hcm_tp", "hcm_fn")
                and (kind == "sets" or problem.name != "tree1")
            ):
                continue

            def line(text=text, law=law):
                return decoded_text(call("decode", law=law, measure=measure_of_text(text), seed=1))

            rec.put(f"{problem.name} decode {kind} {text}", line)
        if kind in ("tips", "sets"):
            guess = [[hierarchy.names[int(c)] for c in row] for row in
                     np.random.default_rng(3).integers(0, len(hierarchy), (len(law), 2))]  # fmt: skip
            for text in (
                "hf",
                "gie",
                "sdl",
                "mgia",
                "lca_f",
                "shortest_path",
                "leaf_accuracy",
                "hf(average=micro)",
                "hcm_f",
                "f",
            ):

                def line(text=text, law=law, guess=guess, **how):
                    found = call(
                        "expected", measure=measure_of_text(text), law=law, prediction=guess, **how
                    )
                    return f"{num(found.value)} {num(found.error)} {arr(found.values)} {arr(found.errors)}"

                rec.put(f"{problem.name} expected {kind} {text}", line)
                if text in ("hf", "gie", "hf(average=micro)"):
                    rec.put(
                        f"{problem.name} expected {kind} {text} sampled",
                        lambda line=line: line(samples=30, seed=2),
                    )


def record_decoders(rec, problem):
    """Decoders called directly; they may get other names (missing then, adapt THINGS)."""
    hierarchy, law = tip_law(problem, 11)
    _, sets = set_law(problem, 12)
    n = len(hierarchy)
    cost = np.random.default_rng(4).random((n, n))
    ones = np.arange(1, n + 1) / 3
    level = np.flatnonzero(hierarchy.depths == hierarchy.depths.max())
    calls = {
        "decode_hf": [dict(beta=1), dict(beta=0.5, root="include"), dict(beta=2, closed=False)],
        "decode_hp": [dict(), dict(size=2)], "decode_hr": [dict(), dict(size=2)],
        "decode_micro_hf": [dict(), dict(beta=2)],
        "decode_hamming": [dict(), dict(weights=ones), dict(root="include")],
        "decode_h_loss": [dict(), dict(costs=ones), dict(costs="subtree")],
        "decode_distance": [dict(), dict(weighted=True)],
        "decode_edge_cost": [dict(), dict(over=ones, under=2.0)],
        "decode_most_probable": [dict(classes=level), dict(classes=level, none=True)],
        "decode_node_cost": [dict(cost=cost), dict(cost=cost, candidates=level)],
        "decode_depth_cost": [dict(cost=lambda a, b, c: a + b - 2.0 * c)],
        "decode_gie": [dict(), dict(default=2, default_true=1)],
        "decode_pairing": [dict(), dict(default=2, default_true=3, at_most=None, at_most_true=2)],
        "decode_set_value": [dict(value=lambda k, a, s: s / np.maximum(1, k + a - s)),
                             dict(value=lambda k, a, s: (k + a - 2 * s) / 4, direction="lower", root="include")],
        "apply_threshold": [dict(threshold=0.3), dict(threshold=0.5, reached=True, closure="max", root="include")],
        "walk_down": [dict(), dict(stop=0.4)],
    }  # fmt: skip
    for name, hows in calls.items():
        for how in hows:
            for kind, given in (("tips", law), ("sets", sets)):

                def line(name=name, how=how, given=given):
                    function = find(name)
                    import inspect

                    first = next(iter(inspect.signature(function).parameters))
                    found = call(function, **{first: given}, **how)
                    return (
                        decoded_text(found) if hasattr(found, "certificate") else sets_text(found)
                    )

                shown = {
                    k: v if isinstance(v, (int, float, str, bool, type(None))) else "…"
                    for k, v in how.items()
                }
                rec.put(f"{problem.name} {name} {shown} {kind}", line)


def record_curves(rec, problem):
    LabelSets = find("LabelSets")
    hierarchy, scores = node_scores(problem)
    rows = [[c for c in row if c in hierarchy] for row in problem.y_true[: len(scores)]]
    truth = LabelSets.from_labels(rows, hierarchy)
    weight = np.random.default_rng(5).random(len(scores))
    for how in (
        {},
        {"closure": "max"},
        {"closure": "min"},
        {"root": "include"},
        {"drop_intermediate": True},
    ):

        def line(how=how):
            c = call("precision_recall_curves", truth, scores, **how)
            return " ".join([arr(c.threshold), arr(c.recall), arr(c.precision), arr(c.n_pred), arr(c.n_hit),
                             *(arr(c.areas(a)) for a in ("trapezoid", "step", "envelope")),
                             num(c.mean_area()), arr(c.envelope()), arr(c.mean_precision(np.arange(11) / 10))])  # fmt: skip

        rec.put(f"{problem.name} curves {how}", line)
    for how in ({}, {"average": "micro"}, {"closure": None}, {"root": "include"}, {"sample_weight": weight},
                {"thresholds": [0.2, 0.5, 0.8]}, {"average": "micro", "sample_weight": weight, "closure": "min"}):  # fmt: skip

        def line(how=how):
            c = call("pooled_curve", truth, scores, **how)
            return " ".join([arr(c.threshold), arr(c.precision), arr(c.recall), arr(c.n_predicted), num(c.n_instances),
                             arr(c.f()), arr(c.f(2)), num(c.best()), num(c.fmax()), num(c.area()), arr(c.coverage)])  # fmt: skip

        rec.put(
            f"{problem.name} pooled curve { {k: v if isinstance(v, (str, list)) else '…' for k, v in how.items()} }",
            line,
        )
    rec.put(f"{problem.name} scores", lambda: " ".join([
        arr(scores.dense()), num(scores.incoherence()[0]), arr(scores.closed("max").dense()), arr(scores.closed("min").dense()),
        sets_text(scores.above(0.5)), num(scores.is_coherent()), num(is_exhaustive(scores))]))  # fmt: skip
    rec.put(
        f"{problem.name} law from nodes",
        lambda: arr(
            call(find("Law").from_nodes, scores, hierarchy, closure="max", excess="rescale").p
        ),
    )
    rec.put(f"{problem.name} law from leaves", lambda: arr(call(find("Law").from_leaves, np.full(
        (2, int((np.diff(hierarchy.child_ptr) == 0).sum())), 1 / int((np.diff(hierarchy.child_ptr) == 0).sum())), hierarchy).p))  # fmt: skip


def record_heads(rec, problem):
    hierarchy = problem.hierarchy()
    rng = np.random.default_rng(9)
    leaves = [hierarchy.names[c] for c in np.flatnonzero(np.diff(hierarchy.child_ptr) == 0)]
    single = [[leaves[int(k)]] for k in rng.integers(0, len(leaves), 6)]
    several = [list({leaves[int(k)] for k in row}) for row in rng.integers(0, len(leaves), (6, 2))]
    X = rng.normal(size=(6, 3))
    rec.put(
        f"{problem.name} shares",
        lambda: arr(call("sibling_shares", hierarchy=hierarchy, y_true=several)),
    )
    for kind in (
        "conditional_softmax",
        "adjusted_softmax",
        "conditional_sigmoid",
        "leaf_softmax",
        "bce",
        "champ",
    ):

        def head(kind=kind):
            extra = (
                {"shares": call("sibling_shares", hierarchy=hierarchy, y_true=single)}
                if kind.startswith("adj")
                else {}
            )
            return call("Head", kind=kind, hierarchy=hierarchy, tau=0.7, beta=0.4, **extra)

        def line(head=head, labels=single):
            h = head()
            s = rng_logits(h)
            loss, gradient = h.loss(s, labels)
            return f"{arr(h.probabilities(s))} {num(loss)} {arr(gradient)}"

        def rng_logits(h):
            return np.random.default_rng(10).normal(size=(6, len(h.classes)))

        rec.put(f"{problem.name} head {kind}", line)
        rec.put(f"{problem.name} head {kind} several", lambda line=line: line(labels=several))
        if kind in ("conditional_softmax", "leaf_softmax", "champ"):

            def fitted(kind=kind):
                model = call("LinearHead", kind, hierarchy, alpha=0.01, max_iter=40).fit(X, single)
                return f"{arr(model.coef_)} {arr(model.intercept_)} {arr(model.predict_proba(X))} {num(model.score(X, single))}"

            rec.put(f"{problem.name} linear {kind}", fitted)


# ------------------------------------------------------------------------- classwise, functions, explain


def record_classwise(rec, problem):
    hierarchy = problem.hierarchy()
    y = [
        [[c for c in row if c in hierarchy] for row in side]
        for side in (problem.y_true, problem.noise)
    ]
    for options in (
        {},
        {"theta": 1, "price": "decayed"},
        {"theta": "mean"},
        {"classes": "all"},
        {"root": "include", "zero_division": 1},
    ):

        def line(options=options):
            translated = dict(options)
            found = call(
                "contributions_by_class",
                y[0],
                y[1],
                hierarchy,
                sample_weight=problem.weight,
                **translated,
            )
            return " ; ".join(f"{c} " + " ".join(num(x) for x in row) for c, row in found.items())

        rec.put(f"{problem.name} contributions {options}", line)
    for per in ("all", "instance", "class"):
        for options in ({}, {"pairing": "published"}, {"empty": "none"}, {"nested": "keep"}):

            def line(per=per, options=options):
                found = call(
                    "hierarchical_confusion_matrix", y[0], y[1], hierarchy, per=per, **options
                )
                return " ".join(arr(np.atleast_1d(x)) for x in found)

            rec.put(f"{problem.name} confusion {per} {options}", line)


FUNCTIONS = (
    "h_precision_score", "h_recall_score", "h_fbeta_score", "symmetric_difference_loss", "graph_induced_error",
    "multi_label_graph_induced_accuracy", "tree_induced_error", "all_pairs_cost", "lca_precision_score",
    "lca_recall_score", "lca_fbeta_score", "con_precision_score", "con_recall_score", "con_fbeta_score",
    "con_accuracy_score", "con_error", "depth_weighted_loss", "depth_accuracy_score",
    "descendant_precision_score", "descendant_recall_score", "descendant_fbeta_score", "h_loss",
    "misclassification_cost",
)  # fmt: skip


def record_functions(rec, problem):
    hierarchy = problem.hierarchy()
    for name in FUNCTIONS:
        rec.put(f"{problem.name} function {name}", lambda name=name: num(call(
            name, y_true=problem.y_true, y_pred=problem.y_pred, hierarchy=hierarchy,
            sample_weight=problem.weight, unknown="drop",
            **({"price": "hops"} if name == "misclassification_cost" else {}))))  # fmt: skip


EXPLAINED = [*DEFAULTS, "con_f", "con_precision", "mean_cost", "total_cost", "normalised_cost", "depth_loss",
             "depth_accuracy", "depth_euclidean", "h_loss", "descendant_f", "hf(augment=descendants)",
             "hf(augment=pruned)", "hf(threshold=4)", "gie(price=decayed)", "gie(max_distance=2)",
             "lca_f(extension=greedy)", "lca_f(extension=full)", "hcm_f(pairing=published)",
             "mgia(denominator=symdiff)", "level_accuracy(absent_level='none-class')", "shortest_path(tips=sum)"]  # fmt: skip


def record_explaining(rec, problem, quick=False):
    hierarchy = problem.hierarchy()
    sides = problem.sides(hierarchy)
    at = [0, 1, 2]
    for text in EXPLAINED:
        found = {}

        def explained(text=text, found=found):
            if "x" not in found:
                found["x"] = call(
                    "explain", hierarchy, sides[0], sides[1], measure_of_text(text), instances=at
                )
            return found["x"]

        key = f"{problem.name} explain {text}"
        rec.put(key, lambda explained=explained: arr([e.value for e in explained()]))
        rec.word(
            key, lambda explained=explained: " ".join(numbers_in(e.to_dict()) for e in explained())
        )


def record_hierarchy(rec, problem):
    hierarchy = problem.hierarchy()
    n = len(hierarchy)
    u, v = (a.ravel() for a in np.meshgrid(np.arange(n), np.arange(n)))
    closure = call("ancestor_closure", hierarchy)
    rec.put(f"{problem.name} hierarchy", lambda: " ".join([
        arr(hierarchy.depths), arr(hierarchy.levels), arr(hierarchy.root_indices), hierarchy.shape, hierarchy.fingerprint,
        arr(hierarchy.parent_ptr), arr(hierarchy.parents), arr(hierarchy.child_ptr), arr(hierarchy.children),
        arr(closure.indptr), arr(closure.indices)]))  # fmt: skip
    rec.put(
        f"{problem.name} distances", lambda: arr(hierarchy.pair_distances(u, v, weighted=False))
    )
    rec.put(
        f"{problem.name} weighted distances",
        lambda: arr(hierarchy.pair_distances(u, v, weighted=hierarchy.weights is not None)),
    )


# ------------------------------------------------------------------------- parts

FAMILIES = {
    "measures": record_measures, "hierarchy": record_hierarchy, "rules": record_rules, "own": record_own_measures,
    "compare": record_comparing, "decode": record_decoding, "decoders": record_decoders, "curves": record_curves,
    "heads": record_heads, "classwise": record_classwise, "functions": record_functions, "explain": record_explaining,
}  # fmt: skip
ON = {
    "measures": None, "hierarchy": None, "functions": ("tree2", "dag3", "forest1", "one1", "chain1", "whole1"),
    "rules": ("tree1", "tree4", "dag1", "dag3", "forest1", "chain1", "whole0", "whole1", "float0", "float1", "one0", "nested1", "dense1", "integers0"),
    "own": ("tree2", "dag3", "forest1", "dense2"),
    "compare": ("tree3", "dag3", "forest2", "whole2", "one1"),
    "decode": ("tree1", "tree2", "dag1", "forest1", "chain0", "whole0"),
    "decoders": ("tree1", "tree2", "dag1", "forest0", "whole0", "float0"),
    "curves": ("tree1", "tree3", "dag1", "dag3", "forest1", "chain1", "integers0"),
    "heads": ("tree2", "tree4", "forest1", "dag1", "chain0"),
    "classwise": ("tree2", "dag3", "forest1", "float1", "one1", "nested0"),
    "explain": ("tree2", "dag3", "forest1", "one1", "paths1", "dense2", "whole1"),
}  # fmt: skip
ON_QUICK = {
    "measures": ("tree2", "dag3", "float1", "one1", "paths1"), "hierarchy": QUICK, "functions": ("tree2",),
    "rules": ("tree4", "dag3", "whole1"), "own": ("dag3",), "compare": ("tree2",), "decode": ("tree1",),
    "decoders": ("tree1",), "curves": ("dag1",), "heads": ("tree2",), "classwise": ("dag3",),
    "explain": ("dag3", "one1"),
}  # fmt: skip


def random_part(rec, only=None, quick=False):
    known = {p.name: p for p in problems()}
    for family, record in FAMILIES.items():
        if only and family not in only:
            continue
        start = time.process_time()
        for name in (ON_QUICK if quick else ON)[family] or known:
            extra = {"quick": True} if quick and family in ("compare", "decode", "explain") else {}
            try:
                record(rec, known[name], **extra)
            except Exception as error:  # nothing of it could be recorded
                rec.put(f"{name} {family}", lambda error=error: (_ for _ in ()).throw(error))
        print(f"  {family}: {time.process_time() - start:.1f} s", file=sys.stderr, flush=True)


def run_cli(*arguments):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = find("main")([str(a) for a in arguments])
        except SystemExit as stop:
            code = stop.code
    return code, out.getvalue()


def cases_part(rec):
    from hierpair.errors import HierpairError  # noqa: F401

    found = call("verify")
    for i, v in enumerate(found.verdicts):
        value = v.computed
        text = (
            "{" + ",".join(sorted(map(str, value))) + "}"
            if isinstance(value, frozenset)
            else num(value)
        )
        rec.store[f"verify {i} {v.case} {v.published.where} {v.published.system}"] = (
            f"{text} {v.verdict}"
        )

    def told():
        code, out = run_cli("verify", "--format", "json")
        rows = json.loads(out)
        return (
            f"{code} "
            + hashlib.sha1(
                json.dumps(
                    [
                        [r["case"], r["where"], r["printed"], r["computed"], r["verdict"]]
                        for r in rows
                    ]
                ).encode()
            ).hexdigest()
        )

    rec.put("verify on the command line", told)
    for name in call("case_names"):
        try:
            case = call("load_case", name, DATA)
            systems = dict(list(case.systems.items())[:3])
        except Exception:
            continue
        if not systems:
            continue
        for preset in (
            "hiclass-micro",
            "hiclass-macro",
            "sklearn-hierarchical-classification",
            "hemkit",
            "cafaeval",
        ):
            rec.put(f"preset {preset} {name}", lambda preset=preset, case=case, systems=systems: arr(
                call("score_like", preset, case.hierarchy, case.y_true, systems, missing="empty").values, 30))  # fmt: skip
        if len(case.y_true) <= 20:
            record_default_scores(
                rec, f"case {name}", case.hierarchy, case.y_true, systems, missing="empty"
            )
    command_lines(rec)


def command_lines(rec):
    """The command line on small files: numbers of JSON and of CSV, compared loosely."""
    import tempfile

    problem = next(p for p in problems() if p.name == "tree3")
    folder = Path(tempfile.mkdtemp())
    names = lambda rows: "".join(f"i{i}\t{'|'.join(map(str, row))}\n" for i, row in enumerate(rows))
    (folder / "tree.tsv").write_text("".join(f"{a}\t{b}\n" for a, b, *_ in problem.edges))
    for name, rows in (
        ("true.tsv", problem.y_true),
        ("a.tsv", problem.y_pred),
        ("b.tsv", problem.noise),
    ):
        (folder / name).write_text(
            names([[c for c in row if c in problem.classes] for row in rows])
        )
    hierarchy, law = tip_law(problem, 3, n=len(problem.y_true))
    dense = law.marginals().dense()
    (folder / "scored.tsv").write_text("id\tlabel\tscore\n" + "".join(
        f"i{i}\t{c}\t{float(x)!r}\n" for i, row in enumerate(dense) for c, x in zip(hierarchy.names, row, strict=True) if x > 0))  # fmt: skip
    files = [folder / f for f in ("tree.tsv", "true.tsv", "a.tsv", "b.tsv")]
    runs = {
        "score": ["score", *files], "score instances": ["score", *files, "--per-instance"],
        "score options": ["score", *files, "--root", "include", "--average", "micro", "--beta", "2"],
        "compare": ["compare", *files, "-m", "hf", "-m", "gie"],
        "compare pairs": ["compare", *files, "-m", "hf", "--pairs"],
        "explain": ["explain", *files[:3], "-m", "gie", "-m", "hf", "--instance", "i1"],
        "check": ["check", *files], "measures": ["measures"],
        "curve": ["curve", files[0], files[1], folder / "scored.tsv"],
        "decode": ["decode", files[0], folder / "scored.tsv", "-m", "hf", "--over", "nodes"],
        "case": ["score", "--case", "transposon"],
    }  # fmt: skip
    for name, arguments in runs.items():
        for form in ("json", "csv"):

            def line(name=name, arguments=arguments, form=form):
                code, out = run_cli(*arguments, "--format", form, "--quiet")
                if form == "json":
                    try:
                        return f"{code} {numbers_in(json.loads(out))}"
                    except json.JSONDecodeError:
                        return f"{code}"
                if name == "decode":
                    return f"{code} {hashlib.sha1(out.encode()).hexdigest()}"
                cells = [c for row in csv.reader(io.StringIO(out)) for c in row]
                return f"{code} " + " ".join(
                    sorted(c for c in cells if c[:1].isdigit() or c[:1] == "-")
                )

            rec.word(f"cli {name} {form}", line)


def germeval(task="B"):
    folder = DATA / "germeval2019"
    hierarchy = call("read_hierarchy", folder / "hierarchy.tsv")

    def labels(path):
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            return {
                r["book"]: [x for x in r["labels"].split("|") if x]
                for r in rows
                if r["task"] == task
            }

    truth = labels(folder / "gold.tsv")
    systems = {
        p.stem: labels(p)
        for p in sorted(folder.glob("*.tsv"))
        if p.stem not in ("gold", "hierarchy")
    }
    return hierarchy, truth, {k: v for k, v in systems.items() if v}


def mesh(n=150):
    hierarchy = call("read_hierarchy", DATA / "mesh2016" / "hierarchy.txt")
    rng = np.random.default_rng(0)
    names = hierarchy.names
    true, pred = {}, {}
    for i in range(n):
        chosen = rng.choice(len(names), rng.integers(1, 9), replace=False)
        near = [
            names[p]
            for c in chosen
            for p in hierarchy.parents[hierarchy.parent_ptr[c] : hierarchy.parent_ptr[c + 1]]
        ]
        true[i] = [names[c] for c in chosen]
        pred[i] = sorted(
            {*true[i][::2], *near[1::2], *(names[c] for c in rng.choice(len(names), 2))}, key=str
        )
    return hierarchy, true, pred


def vectors_part(rec):
    LabelSets = find("LabelSets")
    for task in ("A", "B"):
        hierarchy, truth, systems = germeval(task)
        record_default_scores(rec, f"germeval {task}", hierarchy, truth, systems, missing="empty", unknown="drop",
                              extra=("hf(average=micro)", "f(average=macro)", "hcm_f(pairing=published)", "hf(root=include)"))  # fmt: skip
    hierarchy, true, pred = mesh()
    record_default_scores(rec, "mesh", hierarchy, true, {"s": pred},
                          [m for m in DEFAULTS if not m.startswith("hcm")], ("gie(price=decayed)",))  # fmt: skip
    folder = DATA / "hwv"
    hierarchy = call("read_hierarchy", folder / "taxonomy.tsv")
    rows = [
        json.loads(line)["label"]
        for line in (folder / "hwv_val.json").read_text("utf-8").splitlines()
    ]
    record_default_scores(
        rec,
        "hwv",
        hierarchy,
        rows,
        {"high": [r[:-1] for r in rows], "turned": rows[1:] + rows[:1]},
        extra=("h_loss", "depth_loss", "con_f", "descendant_f"),
    )
    for shape in ("tree", "dag"):
        data = json.loads((DATA / "lca_vectors" / f"{shape}.json").read_text("utf-8"))
        for k, given in enumerate(data["hierarchies"]):
            h = any_roots([tuple(e) for e in given["edges"]])
            y = [
                LabelSets.from_labels([r[s] for r in given["instances"]], h)
                for s in ("true", "pred")
            ]
            texts = (
                [m for m in DEFAULTS if not m.startswith("hcm")]
                if k % 5 == 0
                else ["lca_f", "lca_precision", "gie", "mgia", "hf"]
            )
            record_default_scores(
                rec,
                f"lca {shape} {k}",
                h,
                y[0],
                {"s": y[1]},
                texts,
                ("lca_f(extension=full)", "lca_f(extension=greedy)"),
            )
        base = DATA / "hemkit_set_measures" / f"{shape}_small"

        def hemkit(base=base):
            h = call("read_hierarchy", base / "hierarchy.txt")
            y = [
                [line.split() for line in (base / f).read_text().splitlines()]
                for f in ("true.txt", "pred.txt")
            ]
            return arr(call("score_like", "hemkit", h, y[0], {"s": y[1]}).values)

        rec.put(f"hemkit {shape}", hemkit)
    for case in json.loads((DATA / "kosmopoulos2014" / "cases.json").read_text("utf-8")):
        h = any_roots([tuple(e) for e in case["edges"]])
        record_default_scores(rec, f"kosmopoulos {case['id']}", h, [case["true"]], {"s": [case["pred"]]},
                              extra=("lca_f(extension=full)", "lca_f(extension=greedy)", "lca_f(threshold=2)"))  # fmt: skip
    top = call("read_hierarchy", DATA / "riehl2023" / "transposon_hierarchy.tsv")
    rows = list(
        csv.DictReader(
            (DATA / "riehl2023" / "transposon_counts.tsv").open(encoding="utf-8"), delimiter="\t"
        )
    )
    for system in dict.fromkeys(r[next(iter(r))] for r in rows):
        mine = [list(r.values()) for r in rows if next(iter(r.values())) == system]
        record_default_scores(rec, f"transposon {system}", top, [[r[1]] for r in mine], {"s": [[r[2]] for r in mine]},
                              sample_weight=[float(r[3]) for r in mine], extra=("h_loss", "depth_loss", "con_f(average=macro)", "hf(average=micro)"))  # fmt: skip
    probabilistic_vectors(rec)


def probabilistic_vectors(rec):
    """Laws on the trees of the probabilistic data, decoded; Sun & Lim's classes."""
    for name in (
        "decodings",
        "decodings_multipath",
        "worked_examples",
        "pr_curves",
        "losses",
        "sunlim",
        "depth_weights",
        "micro_hf",
    ):
        data = json.loads((DATA / "probabilistic" / f"{name}.json").read_text("utf-8"))
        trees = []

        def look(x, trees=trees):
            if isinstance(x, dict):
                if "parents" in x and isinstance(x["parents"], list):
                    trees.append(x["parents"])
                for v in x.values():
                    look(v)
            elif isinstance(x, list):
                for v in x:
                    look(v)

        look(data)
        for k, parents in enumerate(trees[:6]):

            def line(parents=parents, k=k):
                edges = [(f"n{p}", f"n{c}") for c, p in enumerate(parents) if p is not None]
                h = any_roots(edges)
                leaves = int((np.diff(h.child_ptr) == 0).sum())
                p = np.random.default_rng(k).dirichlet(np.ones(leaves), 4)
                law = call(find("Law").from_leaves, p, h)
                return " ".join(
                    decoded_text(call("decode", law=law, measure=measure_of_text(m)))
                    for m in (
                        "hf",
                        "sdl",
                        "shortest_path",
                        "gie",
                        "leaf_accuracy",
                        "h_loss",
                        "subset_accuracy",
                    )
                )

            rec.put(f"probabilistic {name} {k}", line)


# ------------------------------------------------------------------------- benchmark data

EXTRA_PARENTS = {"tree": 0.0, "dag19": 0.24, "dag66": 0.533}


def offsets(lengths):
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def generated_hierarchy(kind, classes, depth=14, seed=0):
    rng = np.random.default_rng(seed)
    shape = np.exp(-0.5 * ((np.arange(depth) - 0.52 * depth) / (0.17 * depth)) ** 2)
    sizes = np.maximum(1, np.round(shape / shape.sum() * classes)).astype(np.int64)
    sizes[0] = 1
    sizes[depth // 2] += classes - sizes.sum()
    ends = np.cumsum(sizes)
    starts = ends - sizes
    edges = []
    for level in range(1, depth):
        child = np.arange(starts[level], ends[level])
        edges.append((rng.integers(starts[level - 1], ends[level - 1], len(child)), child))
        extra = np.repeat(child, rng.poisson(EXTRA_PARENTS[kind], len(child)))
        edges.append((rng.integers(starts[level - 1], ends[level - 1], len(extra)), extra))
    parent, child = (np.concatenate(side) for side in zip(*edges, strict=True))
    pairs = np.unique(np.stack([parent, child], axis=1), axis=0)
    return any_roots(pairs.tolist())


def generated_labels(hierarchy, instances, mean_true, mean_pred, seed=0):
    rng = np.random.default_rng(seed)
    n = len(hierarchy)
    n_true = 1 + rng.poisson(mean_true - 1, instances)
    true = rng.integers(1, n, n_true.sum()).astype(np.int64)
    true_ptr = offsets(n_true)
    n_pred = np.where(rng.random(instances) < 0.08, 0, 1 + rng.poisson(mean_pred - 1, instances))
    copied = np.where(n_pred == 0, n_true, n_pred)
    owner = np.repeat(np.arange(instances), copied)
    within = np.arange(copied.sum()) - np.repeat(offsets(copied)[:-1], copied)
    model = true[true_ptr[owner] + within % n_true[owner]]
    kind = rng.random(len(owner))
    kind[n_pred[owner] == 0] = 0

    def neighbour(ptr, idx, nodes):
        count = ptr[nodes + 1] - ptr[nodes]
        pick = ptr[nodes] + (rng.random(len(nodes)) * count).astype(np.int64)
        return np.where(count > 0, idx[np.minimum(pick, len(idx) - 1)], nodes).astype(np.int64)

    parent = neighbour(hierarchy.parent_ptr, hierarchy.parents, model)
    sibling = neighbour(hierarchy.child_ptr, hierarchy.children, parent)
    pred = np.select(
        [kind < 0.45, kind < 0.6, kind < 0.8],
        [model, parent, sibling],
        rng.integers(1, n, len(owner)),
    )
    LabelSets = find("LabelSets")
    return LabelSets.from_arrays(true_ptr, true, n), LabelSets.from_arrays(offsets(copied), pred, n)


PLAIN = [m for m in DEFAULTS if not m.startswith("hcm")]
EVERYTHING = (
    "precision(average=micro)", "precision(average=macro)", "f(average=micro)", "f(average=macro)", "hp(average=micro)",
    "hp(average=macro)", "hf(average=micro)", "hf(average=macro)", "hf(average=weighted)", "hf(augment=descendants)",
    "hf(augment=pruned)", "hf(threshold=4)", "sdl(threshold=4)", "gie(threshold=4)", "mgia(threshold=4)",
    "gie(price=decayed)", "gie(price=lin)", "gie(max_distance=4)", "mgia(denominator=symdiff)", "con_precision", "con_f",
    "con_f(average=macro)", "con_f(price=wu_palmer,theta=0.5)", "depth_loss", "depth_euclidean", "depth_accuracy",
    "depth_loss(normalise=path)", "h_loss", "h_loss(costs=subtree)", "descendant_precision", "descendant_f",
    "lca_f(extension=greedy)", "lca_f(extension=full)",
)  # fmt: skip


def bench_part(rec):
    for kind, classes, n in (("tree", 20_000, 3000), ("dag19", 8000, 2000), ("dag66", 3000, 300)):
        hierarchy = generated_hierarchy(kind, classes)
        y = generated_labels(hierarchy, n, 3.3, 3.25)
        record_default_scores(rec, f"bench {kind}", hierarchy, y[0], {"s": y[1]},
                              PLAIN if kind != "dag66" else [m for m in PLAIN if not m.startswith("lca")],
                              EVERYTHING if kind != "dag66" else EVERYTHING[:-2])  # fmt: skip
        one = generated_labels(hierarchy, n, 1, 1)
        costs = (
            "mean_cost",
            "total_cost",
            "mean_cost(price=decayed)",
            "total_cost(price=lin)",
            "tree_induced_error",
            "shortest_path",
            "normalised_cost",
        )
        record_default_scores(rec, f"bench {kind} single", hierarchy, one[0], {"s": one[1]}, costs)
        if kind == "tree":
            record_default_scores(rec, "bench tree hcm", hierarchy, y[0], {"s": y[1]},
                                  [m for m in DEFAULTS if m.startswith("hcm")], ("hcm_f(pairing=published)",))  # fmt: skip
    hierarchy = call("read_hierarchy", DATA / "mesh2016" / "hierarchy.txt")
    y = generated_labels(hierarchy, 400, 12, 12)
    record_default_scores(rec, "bench mesh", hierarchy, y[0], {"s": y[1]}, PLAIN)
    hierarchy = generated_hierarchy("dag19", 3000, depth=8)
    truth, _ = generated_labels(hierarchy, 1000, 2, 2)
    systems = {f"s{k}": generated_labels(hierarchy, 1000, 2, 2, k)[1] for k in range(4)}
    ms = [
        measure_of_text(t)
        for t in (
            "subset_accuracy",
            "f",
            "hf",
            "hf(average=micro)",
            "hp(average=micro)",
            "sdl",
            "hf(average=macro)",
        )
    ]
    rec.put("bench comparing", lambda: comparison_text(call(
        "compare", call("score", hierarchy, truth, systems, ms, keep_classes=True), n_permutations=500, n_bootstrap=200)))  # fmt: skip
    hierarchy = call("read_hierarchy", DATA / "hwv" / "taxonomy.tsv")
    leaves = np.flatnonzero(np.diff(hierarchy.child_ptr) == 0)
    rng = np.random.default_rng(0)
    z = np.exp(3 * rng.normal(size=(60, len(leaves))))
    law = call(find("Law").from_leaves, z / z.sum(axis=1, keepdims=True), hierarchy)
    truth = find("LabelSets").from_arrays(
        np.arange(61), leaves[rng.integers(0, len(leaves), 60)], len(hierarchy)
    )
    rec.put(
        "bench curves", lambda: arr(call("precision_recall_curves", truth, law.marginals()).areas())
    )
    for text in ("hf", "hf(beta=2)", "sdl", "shortest_path", "leaf_accuracy", "hf(average=micro)"):
        rec.put(
            f"bench decode {text}",
            lambda text=text: decoded_text(call("decode", law=law, measure=measure_of_text(text))),
        )
    rec.put(
        "bench decode gie",
        lambda: decoded_text(call("decode", law=law.part(0, 8), measure=measure("gie"))),
    )


def main():
    out, *parts = sys.argv[1:]
    parts = parts or ["random", "cases", "vectors", "bench", "quick"]
    import hierpair

    sections = {}
    spent = {}
    print(f"recording {hierpair.__file__}", file=sys.stderr)
    for part in parts:
        name, _, only = part.partition(":")
        store, words = {}, {}
        rec = Recorder(store, words)
        start = time.process_time()
        if name in ("random", "quick"):
            random_part(rec, only.split(",") if only else None, quick=name == "quick")
        else:
            {"cases": cases_part, "vectors": vectors_part, "bench": bench_part}[name](rec)
        sections[name], sections[f"words {name}"] = store, words
        spent[name] = round(time.process_time() - start, 1)
        print(f"{part}: {len(store)} entries, {spent[name]} s CPU", file=sys.stderr, flush=True)
    data = {
        "hierpair": hierpair.__file__,
        "only": [p for p in parts if ":" in p],
        "seconds": spent,
        "sections": sections,
    }
    Path(out).write_text(json.dumps(data, ensure_ascii=False, indent=0), "utf-8")
    broken = {}
    for text in BROKEN:
        broken[text] = broken.get(text, 0) + 1
    for text, count in sorted(broken.items(), key=lambda kv: -kv[1])[:15]:
        print(f"could not be recorded, {count} times: {text}", file=sys.stderr)


if __name__ == "__main__":
    main()
