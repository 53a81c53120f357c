"""Peers: scikit-learn, hiclass, the package of the confusion matrix's authors, CAFA-evaluator and HEMKit."""

import os
import resource
import subprocess
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path

import networkx as nx
import numpy as np
import scipy.sparse as sp

from hierpair import Hierarchy, LabelSets, NodeScores, read_hierarchy, read_labels, score
from hierpair.hierarchy import ancestor_closure, counted_classes
from hierpair.hierarchy.arrays import offsets
from hierpair.labels import match_instances
from hierpair.measures.scored.curves import class_areas
from hierpair.measures.scored.pooled_curve import threshold_sweep
from hierpair.metrics import hierarchical_confusion_matrix
from hierpair.probabilistic import precision_recall_curves
from hierpair.probabilistic.probability_files import read_scored_labels
from tests.paths import ROOT, SHARED

from .harness import Row, table
from .workloads import generated_hierarchy, generated_labels, germeval, leaves_of, mesh, single


def close(a, b):
    return np.allclose(a, b, rtol=1e-9, equal_nan=True)


@table("scikit-learn and hiclass")
def flat_and_paths(options):
    """All get what they take without conversion: label sets here, matrices and arrays there."""
    from sklearn import metrics as flat  # loads OpenMP: processes are no longer forked

    n, n_classes, rng = int(options.share * 200_000), 10_000, np.random.default_rng(0)
    tree = Hierarchy.from_edges([("root", f"c{i}") for i in range(n_classes)])
    for k in (1, 3):
        draws = [np.sort(rng.integers(0, n_classes - k, (n, k))) + np.arange(k) for _ in range(2)]
        sides = draws[0], np.where(rng.random((n, 1)) < 0.6, *draws)
        ptr, ones = offsets(np.full(n, k)), np.ones(n * k, dtype=int)
        true, pred = (LabelSets.from_arrays(ptr, x.ravel() + 1, len(tree)) for x in sides)
        matrices = [sp.csr_matrix((ones, x.ravel(), ptr), shape=(n, n_classes)) for x in sides]
        occur = len(np.union1d(*sides)) / n_classes  # of the others scikit-learn counts 0
        for average in ("macro", "micro", "samples"):
            more = "" if average == "samples" else f"(average={average})"
            names = [m + more for m in ("precision", "recall", "f")]

            def ours(share, true=true, pred=pred, names=names):
                return score(tree, true, {"s": pred}, names).values[0] * share

            forms = {"matrices": matrices}
            if k == 1 and average != "samples":
                forms["arrays"] = [x[:, 0] for x in sides]
            for form, given in forms.items():
                share = occur if (average, form) == ("macro", "matrices") else 1

                def theirs(given=given, average=average):
                    how = {"average": average, "zero_division": 0}
                    return flat.precision_recall_fscore_support(*given, **how)[:3]

                yield Row(f"P, R, F of {k} labels, {average}, beside {form}", partial(ours, share), theirs,
                          within=1, same=close)  # fmt: skip
    yield from hiclass(options)
    yield from curves(options)


def hiclass(options):
    from hiclass import metrics

    width, levels = 6, [[("root",)]]
    for _ in range(4):
        levels.append([(*path, f"{path[-1]}.{i}") for path in levels[-1] for i in range(width)])
    tree = Hierarchy.from_edges([path[-2:] for level in levels[1:] for path in level])
    leaves, rng = np.array(levels[-1])[:, 1:], np.random.default_rng(1)
    n = int(options.share * 20_000)
    true = rng.integers(0, len(leaves), n)
    pred = np.where(rng.random(n) < 0.6, true, rng.integers(0, len(leaves), n))
    paths = leaves[true], leaves[pred]
    names = [y[:, -1] for y in paths]
    sets = [LabelSets.from_labels(y, tree) for y in names]
    wanted = [*(f"{m}(average=micro)" for m in ("hf", "hp", "hr")), "symmetric_difference"]

    def ours(given):
        tree.cache.clear()
        return score(tree, given[0], {"s": given[1]}, wanted).values[0, 0]

    def theirs():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return metrics.f1(*paths, average="micro")

    for form, given in (("label sets", sets), ("names", names)):
        yield Row(f"hP, hR, hF, symmetric difference from {form}, beside hiclass's micro F1 alone",
                  partial(ours, given), theirs, faster=1, same=close)  # fmt: skip


def curves(options):
    from sklearn import metrics as flat  # loads OpenMP: processes are no longer forked

    n, rng = int(options.share * 2_000), np.random.default_rng(0)
    tree = generated_hierarchy("tree", 1_000)
    tips = rng.choice(leaves_of(tree), n)
    truth, p = single(tips, len(tree)), rng.random((n, len(tree)))
    scores = NodeScores.from_array(p, tree)
    closure = ancestor_closure(tree)
    true = closure.with_data(np.ones(len(closure.indices)))[tips].toarray()

    def ours():
        found = class_areas(truth, scores, scores.hierarchy)
        return np.array([found.auprc, found.auroc])

    def theirs():
        areas = flat.average_precision_score, flat.roc_auc_score
        found = np.full((2, len(tree) - 1), np.nan)
        for c in range(1, len(tree)):
            if 0 < true[:, c].sum() < n:
                found[:, c - 1] = [area(true[:, c], p[:, c]) for area in areas]
        return found

    def equal(a, b):
        return close(*(x[:, ~np.isnan(b).any(axis=0)] for x in (a, b)))

    def one_by_one():
        found = (flat.precision_recall_curve(true[i, 1:], p[i, 1:])[:2] for i in range(n))
        return np.array([flat.auc(recall, precision) for precision, recall in found])

    what = "areas of 1,000 classes, beside scikit-learn class by class"
    yield Row(what, ours, theirs, faster=10, same=equal)
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

    for pairing, same in (("published", np.array_equal), ("exact", lambda a, b: True)):
        what = f"counts of {len(few):,} books, {pairing} pairing"
        yield Row(what, partial(ours, pairing), theirs, faster=100, same=same)


# ------------------------------------------------------------------------------ CAFA-evaluator

SCORED, TRUE = 30, 4
GRID = np.arange(0.1, 1, 0.1)


def write_proteins(folder, n_terms, n_targets):
    """Write an ontology, a truth and scores with three decimals, all drawn."""
    rng, hierarchy = np.random.default_rng(0), generated_hierarchy("dag19", n_terms)
    text = "format-version: 1.2\n\n"
    for c, parents in enumerate(np.split(hierarchy.parents, hierarchy.parent_ptr[1:-1])):
        rows = "".join(f"is_a: T:{p}\n" for p in parents)
        text += f"[Term]\nid: T:{c}\nname: t{c}\nnamespace: all\n{rows}\n"
    Path(folder, "o.obo").write_text(text)
    Path(folder, "pred").mkdir()
    for name, each in (("gt.tsv", TRUE), ("pred/s.tsv", SCORED)):
        ends = len(hierarchy), 1000
        drawn = [rng.integers(1, most, n_targets * each).tolist() for most in ends]
        said = {(i // each, c): x / 1000 for i, (c, x) in enumerate(zip(*drawn, strict=True))}
        last = "\t{!r}\n" if each == SCORED else "\n"
        rows = (f"p{i}\tT:{c}" + last.format(x) for (i, c), x in said.items())
        Path(folder, name).write_text("".join(rows))


def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def their_curve():
    """CPU seconds of CAFA-evaluator for handing scores up and the curve, and the largest F."""
    from cafaeval import parser
    from cafaeval.evaluation import evaluate_prediction

    terms = parser.obo_parser("o.obo", ("is_a", "part_of"), None)
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
    return used() - begin + sum(spans), used() - start, found["f"].max()


def our_curve():
    """The same of ours."""
    hierarchy = read_hierarchy("o.obo")
    truth = read_labels("gt.tsv", hierarchy)
    start = used()
    scores = match_instances(truth, read_scored_labels("pred/s.tsv", hierarchy))
    begin = used()
    counts = counted_classes(hierarchy, "include")
    found = threshold_sweep(truth, scores, counts, zero_weight="count", thresholds=GRID)
    return used() - begin, used() - start, found.fmax()


@table("CAFA-evaluator")
def cafaeval(options):
    """Each in a process of its own on the same files, at nine thresholds."""
    with tempfile.TemporaryDirectory() as folder:
        write_proteins(folder, 22_000, int(options.share * 20_000))

        def apart(which, at):
            code = (f"import warnings; warnings.simplefilter('ignore'); from tests.benchmarks import peers; "
                    f"print(*peers.{which}())")  # fmt: skip
            env = {**os.environ, "PYTHONPATH": str(ROOT)}
            done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=env, check=True,
                                  capture_output=True, text=True)  # fmt: skip
            told = [float(x) for x in done.stdout.split()]
            return told[at], told[2]

        whats = ("the curve", 50), ("the curve and reading the scores", None)
        for at, (what, bound) in enumerate(whats):
            jobs = [partial(apart, which, at) for which in ("our_curve", "their_curve")]
            yield Row(f"{what} of 22,000 terms", *jobs, faster=bound, same=close, told=True)


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

            def ours(measures, sides=sides):
                begin = used()
                found = score(hierarchy, sides[0], {"s": sides[1]}, measures)
                return (used() - begin) * (n - FEW) / n, found["s", "symmetric_difference"]

            for kind, measures in KINDS.items():
                yield Row(f"MeSH, {mean} labels, {kind}", partial(ours, measures), theirs, faster=8, told=True,
                          same=partial(np.isclose, rtol=1e-5))  # fmt: skip


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
