"""Generated hierarchies and labels of the shape and size of real ones."""

import csv
from functools import cache

import numpy as np

from hierpair import read_hierarchy
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets, ragged_ranges
from hierpair.labels import LabelSets
from tests.paths import SHARED

DBPEDIA = {"classes": 325_056, "depth": 14, "instances": 452_167}
EXTRA_PARENTS = {"tree": 0.0, "dag19": 0.24, "dag66": 0.533}
"""Mean number of parents beyond the first; gives about 8, 19 and 66 ancestors per class."""


@cache
def generated_hierarchy(kind: str, classes: int, depth: int = 14, seed: int = 0) -> Hierarchy:
    """Classes on ``depth`` levels (most in the middle); parents stand one level higher."""
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
    return Hierarchy.from_edges(pairs.tolist())


def generated_labels(hierarchy, instances, mean_true, mean_pred, seed=0):
    """True and predicted sets: predictions are right, near (up or sideways), or random."""
    rng = np.random.default_rng(seed)
    n = len(hierarchy)
    n_true = 1 + rng.poisson(mean_true - 1, instances)
    true = rng.integers(1, n, n_true.sum()).astype(np.int64)
    true_ptr = offsets(n_true)
    n_pred = np.where(rng.random(instances) < 0.08, 0, 1 + rng.poisson(mean_pred - 1, instances))
    copied = np.where(n_pred == 0, n_true, n_pred)
    owner = np.repeat(np.arange(instances), copied)
    within = ragged_ranges(np.zeros(instances, np.int64), copied)
    model = true[true_ptr[owner] + within % n_true[owner]]
    kind = rng.random(len(owner))
    kind[n_pred[owner] == 0] = 0
    parent = _random_neighbour(hierarchy.parent_ptr, hierarchy.parents, model, rng)
    sibling = _random_neighbour(hierarchy.child_ptr, hierarchy.children, parent, rng)
    chosen = [kind < 0.45, kind < 0.6, kind < 0.8], [model, parent, sibling]
    pred = np.select(*chosen, rng.integers(1, n, len(owner)))
    sides = (true_ptr, true), (offsets(copied), pred)
    return tuple(LabelSets.from_arrays(*side, n) for side in sides)


def _random_neighbour(ptr, idx, nodes, rng):
    count = ptr[nodes + 1] - ptr[nodes]
    pick = ptr[nodes] + (rng.random(len(nodes)) * count).astype(np.int64)
    return np.where(count > 0, idx[np.minimum(pick, len(idx) - 1)], nodes).astype(np.int64)


@cache
def mesh():
    """MeSH 2016, a DAG of 27,900 classes."""
    return read_hierarchy(SHARED / "mesh2016" / "hierarchy.txt")


@cache
def germeval():
    """Hierarchy, truth and systems of GermEval 2019 task B."""
    folder = SHARED / "germeval2019"

    def labels(path):
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            books = {r["book"]: r["labels"] for r in rows if r["task"] == "B"}
        return {book: [x for x in said.split("|") if x] for book, said in books.items()}

    files = [p for p in sorted(folder.glob("*.tsv")) if p.stem not in ("gold", "hierarchy")]
    systems = {p.stem: found for p in files if (found := labels(p))}
    return read_hierarchy(folder / "hierarchy.tsv"), labels(folder / "gold.tsv"), systems


def leaves_of(hierarchy):
    return np.flatnonzero(np.diff(hierarchy.child_ptr) == 0)


def single(labels, n_classes):
    """Label sets of one class each."""
    return LabelSets.from_arrays(np.arange(len(labels) + 1), np.asarray(labels), n_classes)


def mixed(truth, noise, k):
    """Truth with a share of other predictions that grows with the number of the system."""
    wrong = np.random.default_rng(k).random(len(truth)) < 0.2 + 0.01 * k
    rows = [(noise if w else truth).part(i, i + 1).indices for i, w in enumerate(wrong)]
    lengths = np.where(wrong, noise.lengths, truth.lengths)
    return LabelSets.from_arrays(offsets(lengths), np.concatenate(rows), truth.n_classes)
