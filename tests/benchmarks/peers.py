"""Peers: scikit-learn, hiclass, the package of the confusion matrix's authors, CAFA-evaluator and HEMKit."""

import os
import resource
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import scipy.sparse as sp
from sklearn import metrics as flat

from hierpair import Hierarchy, LabelSets, NodeScores, read_hierarchy, read_labels, score
from hierpair.hierarchy import ancestor_closure
from hierpair.hierarchy.arrays import offsets
from hierpair.io.class_tables import class_weights
from hierpair.labels import match_instances
from hierpair.measures.scored.curves import class_areas
from hierpair.measures.scored.pooled_curve import threshold_sweep
from hierpair.measures.scored.system import counted_classes
from hierpair.metrics import hierarchical_confusion_matrix
from hierpair.probabilistic import precision_recall_curves
from hierpair.probabilistic.probability_files import read_scored_labels
from tests.paths import SHARED

from .harness import Row, table
from .workloads import generated_hierarchy, generated_labels, germeval, leaves_of, mesh, single


def close(a, b):
    return np.allclose(a, b, rtol=1e-9, equal_nan=True)


@table("scikit-learn and hiclass")
def flat_and_paths(options):
    """All get what they take without conversion: label sets here, matrices and arrays there."""
    n, n_classes, rng = int(options.share * 200_000), 10_000, np.random.default_rng(0)
    tree = Hierarchy.from_edges([("root", f"c{i}") for i in range(n_classes)])
    for k in (1, 3):
        draws = [
            np.sort(rng.integers(0, n_classes - k, (n, k)), axis=1) + np.arange(k) for _ in range(2)
        ]
        sides = draws[0], np.where(rng.random((n, 1)) < 0.6, *draws)
        ptr = offsets(np.full(n, k))
        sets = [LabelSets.from_arrays(ptr, x.ravel() + 1, len(tree)) for x in sides]
        matrices = [
            sp.csr_matrix((np.ones(n * k, dtype=int), x.ravel(), ptr), shape=(n, n_classes))
            for x in sides
        ]
        occur = len(np.union1d(*sides)) / n_classes  # of the others scikit-learn counts 0
        for average in ("macro", "micro", "samples"):
            names = [f"{m}(average={average})" for m in ("precision", "recall", "f")]
            if average == "samples":
                names = ["precision", "recall", "f"]

            def ours(share, sets=sets, names=names):
                return score(tree, sets[0], {"s": sets[1]}, names).values[0] * share

            forms = {"matrices": matrices}
            if k == 1 and average != "samples":
                forms["arrays"] = [x[:, 0] for x in sides]
            for form, given in forms.items():
                how = {"average": average, "zero_division": 0}
                share = occur if (average, form) == ("macro", "matrices") else 1
                yield Row(f"P, R, F of {k} labels, {average}, beside {form}", within=1, same=close,
                          ours=lambda ours=ours, share=share: ours(share),
                          theirs=lambda given=given, how=how: flat.precision_recall_fscore_support(*given, **how)[:3])  # fmt: skip
    yield from hiclass(options)
    yield from curves(options)


def hiclass(options):
    from hiclass import metrics

    width, levels = 6, [[("root",)]]
    for _ in range(4):
        levels.append([(*path, f"{path[-1]}.{i}") for path in levels[-1] for i in range(width)])
    tree = Hierarchy.from_edges([path[-2:] for level in levels[1:] for path in level])
    leaves, rng, n = (
        np.array(levels[-1])[:, 1:],
        np.random.default_rng(1),
        int(options.share * 20_000),
    )
    true = rng.integers(0, len(leaves), n)
    pred = np.where(rng.random(n) < 0.6, true, rng.integers(0, len(leaves), n))
    paths = leaves[true], leaves[pred]
    sets = [LabelSets.from_labels(y[:, -1], tree) for y in paths]
    wanted = [*(f"{m}(average=micro)" for m in ("hf", "hp", "hr")), "symmetric_difference"]

    def ours(given):
        tree.cache.clear()
        return score(tree, given[0], {"s": given[1]}, wanted).values[0, 0]

    def theirs():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return metrics.f1(*paths, average="micro")

    names = [y[:, -1] for y in paths]
    for form, given in (("label sets", sets), ("names", names)):
        yield Row(f"hP, hR, hF, symmetric difference from {form}, beside hiclass's micro F1 alone",
                  lambda given=given: ours(given), theirs, faster=1, same=close)  # fmt: skip


def curves(options):
    n, rng = int(options.share * 2_000), np.random.default_rng(0)
    tree = generated_hierarchy("tree", 1_000)
    tips = rng.choice(leaves_of(tree), n)
    truth, p = single(tips, len(tree)), rng.random((n, len(tree)))
    scores = NodeScores.from_array(p, tree)
    closure = ancestor_closure(tree)
    true = closure.with_data(np.ones(len(closure.indices)))[tips].toarray()

    def ours():
        found = class_areas(truth, scores)
        return np.array([found.auprc, found.auroc])

    def theirs():
        areas, found = (
            (flat.average_precision_score, flat.roc_auc_score),
            np.full((2, len(tree) - 1), np.nan),
        )
        for c in range(1, len(tree)):
            if 0 < true[:, c].sum() < n:
                found[:, c - 1] = [area(true[:, c], p[:, c]) for area in areas]
        return found

    def equal(a, b):
        return close(*(x[:, ~np.isnan(b).any(axis=0)] for x in (a, b)))

    def one_by_one():
        found = (flat.precision_recall_curve(true[i, 1:], p[i, 1:])[:2] for i in range(n))
        return np.array([flat.auc(recall, precision) for precision, recall in found])

    yield Row(
        "areas of 1,000 classes, beside scikit-learn class by class",
        ours,
        theirs,
        faster=10,
        same=equal,
    )
    yield Row("precision-recall curves of instances, beside scikit-learn one by one",
              lambda: precision_recall_curves(truth, scores).areas(), one_by_one, faster=10, same=close)  # fmt: skip


@table("The confusion package")
def confusion(options, system="Averbis__BOHB_CNN"):
    """GermEval B, from label sets to counts; the package gets paths that are found beforehand."""
    from hierarchical_confusion_matrix import determineHierarchicalConfusionMatrix

    hierarchy, truth, systems = germeval()
    few = list(truth)[: int(options.share * len(truth))]
    truth = {book: truth[book] for book in few}
    prediction = {book: systems[system].get(book, []) for book in few}
    graph = hierarchy.to_networkx()
    above = {x: nx.ancestors(graph, x) | {x} for x in graph}
    path = {x: nx.shortest_path(graph, "root", x) for x in graph}

    def cover(labels):
        """Labels in the order of the published scripts: most newly covered first, then as given."""
        left, open_, taken = list(dict.fromkeys(labels)), set(labels), []
        while open_:
            best = max(left, key=lambda x: len(above[x] & open_))
            left.remove(best)
            open_ -= above[best]
            taken.append(best)
        return taken

    def theirs():
        found = []
        for book, labels in truth.items():
            leaves = cover(prediction[book])
            listed = [path[x] for x in set(prediction[book]) if x in leaves] or [["root"]]
            found.append(determineHierarchicalConfusionMatrix(graph, cover(labels), listed))
        return np.array(found)

    def ours(pairing):
        hierarchy.cache.clear()
        how = {"per": "instance", "pairing": pairing}
        return np.array(hierarchical_confusion_matrix(truth, prediction, hierarchy, **how)).T

    for pairing in ("published", "exact"):
        same = np.array_equal if pairing == "published" else (lambda a, b: True)
        yield Row(f"counts of {len(few):,} books, {pairing} pairing", lambda pairing=pairing: ours(pairing), theirs,
                  faster=100, same=same)  # fmt: skip


# ------------------------------------------------------------------------------ CAFA-evaluator

SCORED, TRUE = 30, 4
GRID = np.arange(0.1, 1, 0.1)


def write_proteins(folder, n_terms, n_targets):
    """Write an ontology, a truth, scores with three decimals and weights, all drawn."""
    rng, hierarchy = np.random.default_rng(0), generated_hierarchy("dag19", n_terms)
    n = len(hierarchy)
    with Path(folder, "o.obo").open("w") as file:
        file.write("format-version: 1.2\n\n")
        for c, parents in enumerate(np.split(hierarchy.parents, hierarchy.parent_ptr[1:-1])):
            rows = "".join(f"is_a: T:{p}\n" for p in parents)
            file.write(f"[Term]\nid: T:{c}\nname: t{c}\nnamespace: all\n{rows}\n")
    weights = np.append(0.0, rng.gamma(1.0, 2.0, n - 1)).tolist()
    Path(folder, "ia.tsv").write_text("".join(f"T:{c}\t{w!r}\n" for c, w in enumerate(weights)))
    Path(folder, "pred").mkdir()
    for name, each in (("gt.tsv", TRUE), ("pred/s.tsv", SCORED)):
        said = {(i // each, int(c)): int(x) / 1000 for i, (c, x) in
                enumerate(zip(rng.integers(1, n, n_targets * each), rng.integers(1, 1000, n_targets * each), strict=True))}  # fmt: skip
        lines = (
            f"p{i}\tT:{c}" + f"\t{x!r}" * (each == SCORED) + "\n" for (i, c), x in said.items()
        )
        Path(folder, name).write_text("".join(lines))


def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def their_curve(weighted):
    """CPU seconds of CAFA-evaluator for the curve and handing scores up, twice; with reading."""
    from cafaeval import parser
    from cafaeval.evaluation import evaluate_prediction

    terms = parser.obo_parser("o.obo", ("is_a", "part_of"), "ia.tsv" if weighted else None)
    truth = parser.gt_parser("gt.tsv", terms)
    spans, handing_up = [], parser.propagate

    def timed(*given, **how):
        begin = used()
        handing_up(*given, **how)
        spans.append(used() - begin)

    parser.propagate = timed
    start = used()
    prediction = parser.pred_parser("pred/s.tsv", terms, truth, "max")
    begin = used()
    found = evaluate_prediction(prediction, truth, terms, GRID, n_cpu=1)
    curve = used() - begin + sum(spans)
    return curve, used() - start, curve, found["f_w" if weighted else "f"].max()


def our_curve(weighted):
    """CPU seconds of all thresholds, of nine with reading and alone; the largest F of the nine."""
    hierarchy = read_hierarchy("o.obo")
    truth = read_labels("gt.tsv", hierarchy)
    weights = class_weights("ia.tsv", hierarchy) if weighted else None
    start = used()
    scores = match_instances(truth, read_scored_labels("pred/s.tsv", hierarchy))
    read = used()
    counts, spans = counted_classes(hierarchy, "include"), []
    for thresholds in (None, GRID):
        begin = used()
        for w in [None] if weights is None else [None, weights]:
            found = threshold_sweep(
                truth, scores, counts, zero_weight="count", weights=w, thresholds=thresholds
            )
        spans.append(used() - begin)
    return spans[0], spans[1] + read - start, spans[1], found.fmax()


@table("CAFA-evaluator")
def cafaeval(options):
    """Each in a process of its own on the same files."""
    with tempfile.TemporaryDirectory() as folder:
        write_proteins(folder, 22_000, int(options.share * 20_000))

        def apart(which, at):
            def job():
                code = (f"import warnings; warnings.simplefilter('ignore'); from tests.benchmarks import peers; "
                        f"print(*peers.{which}(False))")  # fmt: skip
                env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
                done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=env, check=True,
                                      capture_output=True, text=True)  # fmt: skip
                told = [float(x) for x in done.stdout.split()]
                return told[at], told[3]

            return job

        for at, what, bound in (
            (2, "the curve of 22,000 terms, nine thresholds each", 50),
            (0, "all thresholds beside nine", None),
            (1, "nine thresholds and reading the scores", None),
        ):
            yield Row(what, apart("our_curve", at),
                      apart("their_curve", at), faster=bound, same=close, told=True)  # fmt: skip


# ------------------------------------------------------------------------------ HEMKit

SETS = ["hp", "hr", "hf", "symmetric_difference"]
LCA = ["lca_f", "lca_precision", "lca_recall"]
KINDS = {
    "exact graphs": [*SETS, "mgia", *LCA],
    "greedy graphs, as HEMKit": [*SETS, "mgia", *(f"{name}(extension=greedy)" for name in LCA)],
}
FEW = 200


@table("HEMKit")
def hemkit(options):
    """Eight measures on MeSH; of HEMKit what more instances take beyond a few, so that reading does not count."""
    if not options.hemkit:
        raise FileNotFoundError("name the compiled program, --hemkit BINARY")
    hierarchy, n = mesh(), FEW + int(options.share * 10_000)
    with tempfile.TemporaryDirectory() as folder:
        for mean in (2.0, 3.3, 12.0):
            sides = generated_labels(hierarchy, n, mean, mean)
            paths = {k: [written(hierarchy, side.part(0, k), Path(folder) / f"{name}{k}")
                         for name, side in zip("tp", sides, strict=True)] for k in (n, FEW)}  # fmt: skip

            def theirs(paths=paths):
                (all_, printed), (few, _) = (of_hemkit(options.hemkit, paths[k]) for k in (n, FEW))
                return all_ - few, printed["SDL with all ancestors"]

            for kind, measures in KINDS.items():

                def ours(sides=sides, measures=measures):
                    begin = used()
                    found = score(hierarchy, sides[0], {"s": sides[1]}, measures)
                    return (used() - begin) * (n - FEW) / n, found["s", "symmetric_difference"]

                yield Row(f"MeSH, {mean} labels, {kind}", ours, theirs, faster=8, told=True,
                          same=lambda a, b: np.isclose(a, b, rtol=1e-5))  # fmt: skip


def written(hierarchy, side, path):
    """Write the labels, a line per instance."""
    rows = np.split(side.indices, side.indptr[1:-1])
    path.write_text("".join(" ".join(str(hierarchy.names[c]) for c in row) + "\n" for row in rows))
    return path


def of_hemkit(binary, paths):
    """CPU seconds of a run, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    line = [binary, SHARED / "mesh2016" / "hierarchy.txt", *paths, "100000", "5"]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    pairs = (line.rpartition(" = ") for line in done.stdout.splitlines() if " = " in line)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, {name: float(value) for name, _, value in pairs}
