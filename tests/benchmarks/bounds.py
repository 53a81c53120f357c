"""Bounds that we hold ourselves to: compiled loops, hF on the same data, one process, means over instances."""

import multiprocessing
import tempfile
from functools import cache, partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import hierpair as hp
from hierpair import LabelDistribution, measure, pairing, score
from hierpair.evaluation.batches import CHUNK
from hierpair.evaluation.checked import default_measures
from hierpair.hierarchy import ancestor_closure
from hierpair.hierarchy.arrays import offsets
from hierpair.lca import extended_graphs
from hierpair.lca.links import without_ancestors
from hierpair.measures import Batch
from hierpair.measures.recipes.paths import LevelRecipe
from hierpair.measures.recipes.sets import SetRecipe
from hierpair.report import write_report
from hierpair.solvers import solve

from . import workloads
from .harness import Row, table
from .workloads import DBPEDIA, generated_hierarchy, generated_labels, germeval, leaves_of, mesh

SHAPES = ("tree", "dag19", "dag66")


@cache
def dbpedia(shape, share, mean_true=3.3, mean_pred=3.25):
    """A hierarchy and labels in the size of DBpedia Large."""
    hierarchy = generated_hierarchy(shape, DBPEDIA["classes"], DBPEDIA["depth"])
    n = int(share * DBPEDIA["instances"])
    return hierarchy, *generated_labels(hierarchy, n, mean_true, mean_pred)


def unequal(ours, theirs):
    """Both sides are different jobs, of which only the times are compared."""
    return True


def parts(hierarchy, truth, prediction):
    """Batches that remember nothing, as scoring makes them."""
    for lo in range(0, len(truth), CHUNK):
        hi = min(lo + CHUNK, len(truth))
        yield Batch(hierarchy, truth.part(lo, hi), prediction.part(lo, hi))


@table("Compiled loops, and bounds of parts")
def compiled(options):
    for shape in SHAPES:
        yield from beside_loops(shape, dbpedia(shape, options.share))
    for mean in (3.3, 12.0):
        sides = generated_labels(mesh(), int(options.share * 20_000), mean, mean)
        yield from graphs(f"MeSH, {mean} labels", (mesh(), *sides), 4)


def beside_loops(shape, data):
    """What measures are made of, each beside a tight loop for the same job."""
    from . import loops

    hierarchy, truth, prediction = data
    n, root = len(hierarchy), int(hierarchy.root_indices[0])
    args = (prediction.indptr, prediction.indices, truth.indptr, truth.indices)

    def row(what, ours, theirs, within=3, **how):
        return Row(f"{shape}: {what}", ours, theirs, within, **how)

    def our_closure():
        hierarchy.cache.clear()
        return ancestor_closure(hierarchy).indptr

    def loop_closure():
        return loops.closure(hierarchy.parent_ptr, hierarchy.parents, n)[0]

    yield row("ancestor closure", our_closure, loop_closure)
    closure = ancestor_closure(hierarchy)
    up, grown = closure.up.astype(np.uint8), (closure.indptr, closure.indices)
    pairs = np.empty(int((truth.lengths * prediction.lengths).sum()), np.int32)
    sizes, judged = np.empty((3, len(truth)), np.int64), np.empty((2, len(truth)), np.int64)
    share, costs = np.empty((2, len(truth)))

    def our_distances():
        return np.concatenate([b.pairs(None).distance for b in parts(*data)])

    def loop_distances():
        loops.distances(*grown, up, *args, n, pairs)
        return pairs

    yield row("distances of all pairs", our_distances, loop_distances, 3.5)

    def columns(recipe, *names):
        found = [recipe.compute(b) for b in parts(*data)]
        return np.array([np.concatenate([c[name] for c in found]) for name in names])

    def loop_sizes(ptr, ids, n, root):
        loops.set_sizes(ptr, ids, *args, n, root, sizes)
        return sizes

    counts, itself = ("n_true", "n_pred", "n_both"), np.arange(n + 1)
    for what, recipe, given in (
        ("sets with ancestors", SetRecipe("ancestors", "exclude"), (*grown, n, root)),
        ("flat sets", SetRecipe(), (itself, itself, n + 1, n)),
    ):
        jobs = partial(columns, recipe, *counts), partial(loop_sizes, *given)
        yield row(f"sizes of {what}", *jobs)
    levels = hierarchy.levels.astype(np.int64)
    at_level = np.bincount(levels[np.arange(n) != root], minlength=levels[-1] + 1)

    def loop_levels():
        loops.level_columns(*grown, *args, levels, at_level, root, *judged, share)
        return np.vstack([judged, share / (at_level > 0).sum()])

    our_levels = partial(columns, LevelRecipe(), "n_judged", "n_right", "wrong_share")
    yield row("levels", our_levels, loop_levels, same=partial(np.allclose, rtol=1e-12))
    default = float(measure("gie").options["default"])

    def loop_pairings():
        loops.assignments(prediction.indptr, truth.indptr, loop_distances(), default, costs)
        return costs

    def gie():
        return score(hierarchy, truth, {"s": prediction}, "gie").per_instance["s"][:, 0]

    what = "GIE beside distances and a Hungarian loop"
    yield row(what, gie, loop_pairings, 1.5, same=np.allclose)
    yield from graphs(shape, data, 2.5)


def graphs(name, data, bound):
    """Extended graphs against a compiled loop that starts from the same pruned labels."""
    from . import loops

    hierarchy, truth, _ = data
    ways = hierarchy.parent_ptr, hierarchy.parents
    closure, members = loops.closure(*ways, len(hierarchy)), without_ancestors(*data)
    true, pred = np.split(members.classes, [members.n_true])
    out = np.empty((2, len(truth)), dtype=np.int64)

    def theirs():
        ptr, other = members.ptr
        loops.extended_graphs(closure, *ways, ptr, true, other, pred, len(hierarchy), out)
        return out

    def ours():
        found = [extended_graphs(hierarchy, b.y_true, b.y_pred, "full") for b in parts(*data)]
        return np.concatenate([[g.n_true, g.n_predicted] for g in found], axis=1)

    yield Row(f"{name}: extended graphs", ours, theirs, within=bound)


PLAIN = [m for m in default_measures() if not m.startswith("lca_")]


@table("In all, at the size of DBpedia Large")
def whole(options):
    for shape in SHAPES:
        hierarchy, truth, prediction = data = dbpedia(shape, options.share)

        def job(*names, cold=True, hierarchy=hierarchy, truth=truth, prediction=prediction):
            if cold:
                hierarchy.cache.clear()
            return score(hierarchy, truth, {"s": prediction}, list(names))

        what = "measures of pairs, sets and levels, closure included"
        yield Row(f"{shape}: {what}", partial(job, *PLAIN))
        yield Row(f"{shape}: `hf` alone, closure included", partial(job, "hf"))
        hf = partial(job, "hf", cold=False)
        bounds = {"lca_f": {"tree": 30, "dag19": 120}.get(shape), "hcm_f": 30}
        for name, bound in bounds.items():
            if name == "lca_f" or shape == "tree":
                ours = partial(job, name, cold=False)
                yield Row(f"{shape}: exact `{name}` beside hF", ours, hf, bound, same=unequal)
        yield from families(shape, *data, hf, options)
    for mean, bound in ((3.3, 150e-6), (12.0, 450e-6)):
        truth, prediction = generated_labels(mesh(), int(options.share * 20_000), mean, mean)
        ours = partial(score, mesh(), truth, {"s": prediction}, "lca_f")
        yield Row(f"MeSH, {mean} labels: exact `lca_f`", ours, within=bound * len(truth))
    ours = partial(score, *germeval(), PLAIN, unknown="drop", missing="empty")
    yield Row("GermEval B: measures of pairs and sets, five systems", ours)


def families(shape, hierarchy, truth, prediction, hf, options):
    """Families of measures beside hF on the same labels."""
    n, rng = len(hierarchy), np.random.default_rng(0)
    at = rng.integers(0, 300, 10 * n), np.repeat(np.arange(n), 10)
    vectors = sp.coo_array((rng.random(10 * n), at[::-1]), shape=(n, 300)).tocsr()
    given = dict(zip(hierarchy.names, rng.random(n).tolist(), strict=True))
    con = [measure(f"contribution_{m}") for m in ("precision", "recall", "f", "accuracy", "error")]
    similar = {"cost": pairing.CosineDistance(vectors), "theta": "mean"}
    several = {
        "contributions": con, "contributions by class": [m.with_options(average="macro") for m in con],
        "contributions by category similarity": [m.with_options(**similar) for m in con],
        "depth": ["depth_loss", "depth_euclidean", "depth_accuracy"], "H-loss": ["h_loss", "h_loss(costs=subtree)"],
        "descendants": [f"descendant_{m}" for m in ("precision", "recall", "f")],
        **{f"`contribution_f` by {cost}": [measure("contribution_f", cost=cost, theta=0.5)]
           for cost in ("decayed", "ancestors", "wu_palmer", "lin", "resnik")},
        "`hf` with weights": [measure("hf", weights=given)], "`simgic` with weights": [measure("simgic", weights=given)],
        "`icm`": [measure("icm", reference=truth)],
    }  # fmt: skip

    def job(labels, measures):
        return partial(score, hierarchy, labels[0], {"s": labels[1]}, measures)

    def row(name, *both, within=5):
        return Row(f"{shape}: {name} beside hF", *both, within, same=unequal)

    for name, measures in several.items():
        bound = 1.5 if "weights" in name or "icm" in name else 5
        yield row(name, job((truth, prediction), measures), hf, within=bound)
    alone = dbpedia(shape, options.share, 1, 1)[1:]
    rows = np.concatenate([alone[0].indices, np.repeat(np.arange(n), 10)])
    columns = np.concatenate([alone[1].indices, rng.integers(0, n, 10 * n)])
    wrong = rows != columns
    cost = rng.integers(1, 10, wrong.sum()).astype(float)
    table = sp.coo_array((cost, (rows[wrong], columns[wrong])), shape=(n, n)).tocsr().T
    names = ("total_cost", "mean_cost", "normalised_cost")
    kinds = [measure(m, cost=pairing.CostMatrix(table)) for m in names]
    yield row("costs of a sparse matrix", job(alone, kinds), job(alone, ["hf"]))


@table("Two processes")
def processes(options):
    hierarchy, truth, prediction = dbpedia("tree", options.share)
    names = ["hp", "hr", "hf", "symmetric_difference", "f", "gie", "mgia"]

    def scored(n_jobs=1):
        hierarchy.cache.clear()
        return score(hierarchy, truth, {"s": prediction}, names, n_jobs=n_jobs).values

    def apart(n):
        """The whole job in so many processes that know nothing of one another, all at once."""
        jobs = [multiprocessing.get_context("fork").Process(target=scored) for _ in range(n)]
        for job in jobs:
            job.start()
        for job in jobs:
            job.join()

    yield Row("two processes beside one", partial(scored, 2), scored, faster=1.7, wall=True)
    yield Row("two jobs at once beside one: what the machine gives", partial(apart, 2), partial(apart, 1),
              wall=True, same=unequal, note="2 / ratio times as fast")  # fmt: skip


MANY = ["subset_accuracy", "f", "hp", "hr", "hf", "hf(average=micro)", "f(average=micro)",
        "hp(average=micro)", "hr(average=micro)", "symmetric_difference"]  # fmt: skip


@table("Comparing")
def comparing(options):
    hierarchy = generated_hierarchy("dag19", 5_000, depth=8)
    truth, noise = generated_labels(hierarchy, int(options.share * 20_000), 2.0, 2.0)
    systems = {f"system {k}": workloads.mixed(truth, noise, k) for k in range(20)}
    scores = score(hierarchy, truth, systems, MANY)
    what = "20 systems, 10 measures, 190 pairs, 10,000 exchanges, 2,000 resamples"
    yield Row(what, partial(hp.compare, scores), within=60)
    few = {name: systems[name] for name in list(systems)[:6]}
    for name, data, size in (
        ("5,000 classes", (hierarchy, truth, few), {"n_permutations": 1_000, "n_bootstrap": 200}),
        ("GermEval, 343 classes", germeval(), {}),
    ):
        how, measures = {"keep_classes": True, "missing": "empty"}, ("hf(average=macro)", "hf")
        jobs = [partial(hp.compare, score(*data, m, **how), **size) for m in measures]
        yield Row(f"averages over {name} beside means", *jobs, within=5, same=unequal)


@table("Decoding and pages")
def alone(options):
    """Without a peer: seconds, and bounds of our own."""
    hierarchy = generated_hierarchy("tree", 1_186)
    leaves, n, rng = leaves_of(hierarchy), int(options.share * 2_000), np.random.default_rng(0)
    z = np.exp(3 * rng.normal(size=(n, len(leaves))))
    distribution = LabelDistribution.from_leaves(z / z.sum(axis=1, keepdims=True), hierarchy)
    for name in ("hf", "symmetric_difference", "shortest_path", "leaf_accuracy", "gie"):
        few, bound = n // 10 if name == "gie" else n, 0.01 * n if name == "hf" else None
        ours = partial(hp.decode, distribution.part(0, few), name)
        yield Row(f"decoding `{name}` of {few:,} instances", ours, within=bound)
    hierarchy, n = generated_hierarchy("tree", DBPEDIA["classes"]), int(options.share * 450_000)
    tips = np.sort(rng.choice(leaves_of(hierarchy), (n, 5)), axis=1).ravel()
    p = rng.dirichlet(np.ones(5), n).ravel()
    sets = workloads.single(tips, len(hierarchy))
    sparse = LabelDistribution.from_sets(hierarchy, offsets(np.full(n, 5)), p, sets)
    ours = partial(hp.decode, sparse, "hf")
    yield Row(f"decoding `hf` of {n:,} instances with 5 scenarios", ours)
    yield from quotas(int(options.share * 100_000))
    hierarchy, truth, said = dbpedia("tree", options.share)
    rolled = {f"s{k}": np.roll(said.indices, k) for k in range(5)}
    sets = hp.LabelSets.from_arrays
    systems = {name: sets(said.indptr, c, len(hierarchy)) for name, c in rolled.items()}
    scores = score(hierarchy, truth, systems, ["hf", "gie"])
    with tempfile.TemporaryDirectory() as folder:
        ours = partial(write_report, scores, Path(folder, "page.html"))
        yield Row(f"a page of {len(truth):,} instances, five systems", ours)


def quotas(n):
    """Bounds over the data set that nearly all of 1,000 classes reach: the hard case."""
    groups = [("r", f"g{i}") for i in range(30)]
    hierarchy = hp.Hierarchy.from_edges(groups + [(f"g{i % 30}", f"c{i}") for i in range(1000)])
    truth, prediction = generated_labels(hierarchy, n, 2.5, 2.5)
    pairs = pairing.Pairs.between(hierarchy, truth, prediction)
    each = int(3 * n / len(hierarchy))
    sides = ("predicted", "true")
    labels = [c for s in sides for c in (pairing.Degree(s, 1, 1), pairing.Unmatched(s, 3))]

    def job(said):
        problem = pairing.formulate(pairing.Rule(pairing.Hops(), (*labels, *said)), pairs)
        network, meaning = pairing.build(problem)
        return pairing.read(solve(network), meaning, problem)

    for name, said in {
        "no quota": [], "all pairs": [pairing.Quota(upper=n)],
        "classes of both sides": [pairing.Quota(s, upper=each) for s in sides],
    }.items():  # fmt: skip
        yield Row(f"quotas over {n:,} instances: {name}", partial(job, said))
