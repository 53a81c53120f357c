"""Repeat the experiment of Plaud et al. (2024) in small: ``python docs/run_wikivitals.py DATA``.

DATA is the folder of Hierarchical WikiVitals (taxonomy.tsv, hwv_val.json, hwv_test.json). Needs
scikit-learn, joblib and matplotlib. Writes docs/wikivitals.json (the numbers of every seed) and
docs/wikivitals.svg, and from the numbers docs/wikivitals.md; on two cores it takes half an hour.
The penalties are chosen only where docs/wikivitals.json does not have them for these settings yet.
Without DATA only the page is written again. The data come with the code of the paper
(github.com/RomanPlaud/revisitingHTC) under the MIT licence.
"""

import json
import sys
import time
from pathlib import Path

import joblib
import numpy as np
from linear_head import LinearHead  # beside this file
from sklearn.feature_extraction.text import TfidfVectorizer

from hierpair import LabelDistribution, LabelSets, __version__, decode, read_hierarchy, score
from hierpair.comparison import seed_interval
from hierpair.plots import plot_curves, save_picture
from hierpair.probabilistic import apply_threshold, precision_recall_curves

HERE = Path(__file__).parent
NUMBERS = HERE / "wikivitals.json"
SEEDS = (0, 1, 2, 3)
SHARE = 0.9
"""Of the training texts, drawn anew for every seed."""
WORDS, STEPS = 3000, 80
ALPHAS = (1e-5, 1e-6, 1e-7, 1e-8)
"""Penalties to choose from, by the area on a tenth of the training texts kept aside."""
NAMES = {
    "bce": "BCE",
    "champ": "CHAMP",
    "leaf_softmax": "leaf softmax",
    "conditional_softmax": "conditional softmax",
    "adjusted_softmax": "conditional softmax, logit-adjusted",
    "conditional_sigmoid": "conditional sigmoid",
}
HEADER = {
    "levels": "accuracy, mean of levels ↑",
    "leaf": "accuracy, leaves ↑",
    "sp": "shortest path ↓",
    "auc": "hF1 area ↑",
    "micro": "F1 micro at 0.5 ↑",
    "macro": "F1 macro at 0.5 ↑",
}
GAINS = {
    "hf_half": "hF1 at 0.5",
    "hf_best": "hF1 decoded",
    "hf_own": "expected hF1",
    "micro_half": "micro hF1 at 0.5",
    "micro_best": "micro hF1 decoded",
    "gie_half": "GIE at 0.5 ↓",
    "gie_best": "GIE decoded ↓",
}
DEFAULT = 3
"""Dmax of GIE: half the longest path to a leaf."""
GIE = f"gie(default={DEFAULT})"


def texts_of(path):
    """Return the texts and their labels."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [row["token"][0] for row in rows], [row["label"] for row in rows]


def trained(kind, hierarchy, features, labels, alpha):
    """Return a fitted head; BCE is a mean over classes, so its penalty is one too."""
    if kind == "bce":
        alpha /= len(hierarchy) - 1
    if kind == "leaf_softmax":
        deepest = np.maximum.reduceat(labels.indices, labels.indptr[:-1])
        labels = LabelSets.from_arrays(np.arange(len(labels) + 1), deepest, len(hierarchy))
    model = LinearHead(kind, hierarchy, alpha=alpha, max_iter=STEPS, beta=1e-4)
    return model.fit(features, labels)


def features_of(train, test):
    """Return TF-IDF features of training and test texts."""
    words = TfidfVectorizer(sublinear_tf=True, min_df=2, max_features=WORDS, stop_words="english")
    return words.fit_transform(train), words.transform(test)


def choose_alpha(data, kind, alpha):
    """Return the area that a penalty reaches on texts kept aside from training."""
    hierarchy = read_hierarchy(data / "taxonomy.tsv")
    texts, labels = texts_of(data / "hwv_val.json")
    order = np.random.default_rng(99).permutation(len(texts))
    cut = len(texts) // 10
    aside, rest = order[:cut], order[cut:]
    x, z = features_of([texts[i] for i in rest], [texts[i] for i in aside])
    sets = LabelSets.from_labels(labels, hierarchy)
    model = trained(kind, hierarchy, x, sets.take(rest), alpha)
    curves = precision_recall_curves(sets.take(aside), model.predict_scores(z))
    return kind, alpha, curves.mean_area()


def run_seed(data, kind, alpha, seed):
    """Train a head on a draw of the training texts and return what it reaches on the test."""
    hierarchy = read_hierarchy(data / "taxonomy.tsv")
    texts, labels = texts_of(data / "hwv_val.json")
    test_texts, test_labels = texts_of(data / "hwv_test.json")
    rng = np.random.default_rng(seed)
    drawn = np.sort(rng.choice(len(texts), int(SHARE * len(texts)), replace=False))
    x, z = features_of([texts[i] for i in drawn], test_texts)
    sets = LabelSets.from_labels(labels, hierarchy).take(drawn)
    truth = LabelSets.from_labels(test_labels, hierarchy)
    model = trained(kind, hierarchy, x, sets, alpha)
    scores = model.predict_scores(z)
    if model.head_.is_distribution:
        distribution = model.predict_distribution(z)
    else:
        distribution = distribution_over_leaves(scores)
    half = apply_threshold(scores)
    start = time.process_time()
    best = decode(distribution, "hf")
    seconds = time.process_time() - start
    systems = {
        "half": half,
        "levels": decode(scores, "level_accuracy", augment="none").sets,
        "leaf": decode(scores, "leaf_accuracy").sets,
        "best": best.sets,
        "micro": decode(distribution, "hf", average="micro").sets,
        "gie": decode(distribution, "gie", default=DEFAULT).sets,
        "tips of half": lowest(hierarchy, half),
    }
    measures = [
        "hf", "hf(average=micro)", "f(average=micro)", "f(average=macro)",
        "shortest_path(tips=sum)", "leaf_accuracy", "level_accuracy(augment=none)",
    ]  # fmt: skip
    found = score(hierarchy, truth, systems, measures)
    tips = score(hierarchy, lowest(hierarchy, truth), systems, [GIE])
    curves = precision_recall_curves(truth, scores)
    return {
        "kind": kind,
        "seed": seed,
        "alpha": alpha,
        "steps": model.n_iter_,
        "levels": found["levels", "level_accuracy(augment=none)"],
        "leaf": found["leaf", "leaf_accuracy"],
        "sp": found["half", "shortest_path(tips=sum)"],
        "auc": curves.mean_area(),
        "micro": found["half", "f(average=micro)"],
        "macro": found["half", "f(average=macro)"],
        "hf_half": found["half", "hf"],
        "hf_best": found["best", "hf"],
        "hf_own": float(best.value.mean()),
        "micro_half": found["half", "hf(average=micro)"],
        "micro_best": found["micro", "hf(average=micro)"],
        "gie_half": tips["tips of half", GIE],
        "gie_best": tips["gie", GIE],
        "decode_ms": 1000 * seconds / len(truth),
        "curves": curves if seed == SEEDS[0] else None,
    }


def distribution_over_leaves(scores):
    """Return the distribution over the leaves of a text, from scores lowered to their ancestors."""
    h = scores.hierarchy
    leaf = np.flatnonzero(np.diff(h.child_ptr) == 0)
    p = np.maximum(scores.closed("min").dense()[:, leaf], 1e-300)
    names = [h.names[c] for c in leaf]
    return LabelDistribution.from_leaves(p / p.sum(axis=1, keepdims=True), h, classes=names)


def lowest(hierarchy, sets):
    """Return the most specific classes of every set, or the root where there is none."""
    from hierpair.labels import lowest_labels

    row, node = lowest_labels(hierarchy, sets)
    lacking = np.setdiff1d(np.arange(len(sets)), row)
    row, node = np.concatenate([row, lacking]), np.concatenate([node, np.zeros_like(lacking)])
    order = np.argsort(row, kind="stable")
    pointer = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(sets)))])
    return LabelSets.from_arrays(pointer, node[order], len(hierarchy))


def cell(runs, key, percent=True):
    """Return a mean and half the width of its interval."""
    mean, half = seed_interval([run[key] for run in runs])
    return f"{100 * mean:.2f} ± {100 * half:.2f}" if percent else f"{mean:.3f} ± {half:.3f}"


def table(header, rows):
    """Return a Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "|---" + "|---:" * (len(header) - 1) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def page():
    """Return the page, from the numbers of the last run."""
    known = json.loads(NUMBERS.read_text("utf-8"))
    results, settings = known["runs"], known["settings"]
    by_kind = {kind: [r for r in results if r["kind"] == kind] for kind in NAMES}
    lengths = {"sp", "gie_half", "gie_best"}

    def rows(keys):
        return [
            [NAMES[k], *(cell(runs, key, percent=key not in lengths) for key in keys)]
            for k, runs in by_kind.items()
        ]

    gains = [
        [NAMES[k], *(difference(runs, a, b, p) for a, b, p in (
            ("hf_half", "hf_best", True), ("micro_half", "micro_best", True),
            ("gie_half", "gie_best", False),
        ))]
        for k, runs in by_kind.items()
    ]  # fmt: skip
    slowest = max(run["decode_ms"] for run in results)
    chosen = ", ".join(f"{NAMES[k]} {runs[0]['alpha']:g}" for k, runs in by_kind.items())
    steps = {run["steps"] for run in results}
    tried = sorted({trial["alpha"] for trial in known["trials"]}, reverse=True)
    return TEMPLATE.format(
        **known["data"],
        version=known["version"],
        seeds=len({run["seed"] for run in results}),
        share=f"{100 * settings['share']:.0f} %",
        words=f"{settings['words']:,}",
        steps=f"{settings['steps']}; {min(steps)} to {max(steps)} were taken",
        tried=", ".join(f"{alpha:g}" for alpha in tried),
        chosen=chosen,
        results=table(["head", *HEADER.values()], rows(HEADER)),
        decoding=table(["head", *GAINS.values()], rows(GAINS)),
        gains=table(["head", "hF1, decoded − 0.5", "micro hF1", "GIE"], gains),
        slowest=f"{slowest:.2f}",
        default=settings["default"],
    )


def difference(runs, before, after, percent):
    """Return the mean gain over the seeds with its interval."""
    mean, half = seed_interval([run[after] - run[before] for run in runs])
    return f"{100 * mean:+.2f} ± {100 * half:.2f}" if percent else f"{mean:+.3f} ± {half:.3f}"


TEMPLATE = """\
<!-- Written by python docs/run_wikivitals.py with hierpair {version}; do not edit. -->

# Heads and decisions on Hierarchical WikiVitals

This page repeats the experiment of Plaud et al. (2024) on a small scale: the same data and heads, with linear
models on words where the paper trains BERT. So the numbers are far lower than the paper's; what can be compared
is the order of the heads, and the effect of a decision rule on the same probabilities.

- Data: Hierarchical WikiVitals, published with [the code of the paper](https://github.com/RomanPlaud/revisitingHTC)
  (MIT licence); {classes} classes, {leaves} of them leaves at depths {depths}. The
  {train} texts of the validation part are used for training and {test} texts for testing. {unseen}
  of the test texts have a leaf that no training text has.
- Features: TF-IDF of the {words} most frequent words that occur in at least two texts.
- Each head is trained by L-BFGS (steps at most {steps}) on {share} of the training texts, drawn anew
  for each of {seeds} seeds. Its penalty was chosen before, by the hF1 area on a held-out tenth of the
  training texts, out of {tried}:
  {chosen}.
  (The loss of BCE is a mean over classes, and its penalty is divided by their number.)
- The number after ± is half the width of the 95 % interval over the seeds (Student's t, three degrees of
  freedom). It reflects the choice of training texts, not other test texts.

## Heads

All columns except the path are in percent. Accuracy is that of the most probable class of a level, or of the
most probable leaf; a level is judged only if the truth has a class there. The path is between the classes above
0.5 and the truth, summed over all pairs as in the paper. The area is the mean over texts, by the trapezoidal
rule. F1 is that of the classes above 0.5.

{results}

![Mean precision by recall of every head, first seed.](wikivitals.svg)

Mean of the interpolated precision over the test texts, first seed. The number beside each name is the area as in
the table.

## Decisions

The table compares two decisions on the same probabilities, the threshold 0.5 and the decoder that is exact for
the measure, by the mean hF1 of the texts, micro hF1, and GIE with Dmax = {default} (between the true leaf and
the most specific classes above 0.5, or the root if there are none). The probabilities of BCE, CHAMP and the
conditional sigmoid are not a distribution; for these heads the probability of each leaf was lowered to those of
its ancestors, and all were divided by their sum, since every text has one leaf. Part of their gain is due to this
knowledge. *Expected hF1* is the value that the decoder computes: if it differs from the value reached, the
probabilities are not calibrated, and the best decision for them need not be the best for the texts.

{decoding}

Gain of decoding over the threshold 0.5:

{gains}

Decoding hF1 took at most {slowest} ms of processor time per text, on {classes} classes.
"""  # noqa: E501 - lines of the page


def main():
    """Run everything and write the page."""
    data = Path(sys.argv[1])
    parallel = joblib.Parallel(n_jobs=2, verbose=20)
    settings = {"words": WORDS, "steps": STEPS, "share": SHARE, "default": DEFAULT}
    before = json.loads(NUMBERS.read_text("utf-8")) if NUMBERS.exists() else {}
    if before.get("settings") == settings:
        trials = [(t["kind"], t["alpha"], t["area"]) for t in before["trials"]]
    else:
        trials = parallel(
            joblib.delayed(choose_alpha)(data, kind, alpha) for kind in NAMES for alpha in ALPHAS
        )
    best = {k: max((t for t in trials if t[0] == k), key=lambda t: t[2])[1] for k in NAMES}
    runs = parallel(
        joblib.delayed(run_seed)(data, kind, best[kind], seed) for kind in NAMES for seed in SEEDS
    )
    curves = {NAMES[r["kind"]]: r["curves"] for r in runs if r["curves"] is not None}
    axes = plot_curves(curves)
    axes.figure.set_size_inches(5.2, 3.6)
    save_picture(axes, HERE / "wikivitals.svg")
    known = {
        "version": __version__,
        "settings": settings,
        "data": described(data),
        "trials": [{"kind": k, "alpha": a, "area": v} for k, a, v in trials],
        "runs": [{k: v for k, v in run.items() if k != "curves"} for run in runs],
    }
    NUMBERS.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def described(data):
    """Return the facts about the data that the page states."""
    hierarchy = read_hierarchy(data / "taxonomy.tsv")
    sets = [
        LabelSets.from_labels(texts_of(data / f"hwv_{part}.json")[1], hierarchy)
        for part in ("val", "test")
    ]
    tips = [np.maximum.reduceat(s.indices, s.indptr[:-1]) for s in sets]
    leaf = np.diff(hierarchy.child_ptr) == 0
    depths = sorted(set(hierarchy.depths[leaf].tolist()))
    return {
        "classes": f"{len(hierarchy) - 1:,}",
        "leaves": int(leaf.sum()),
        "depths": f"{depths[0]} to {depths[-1]}",
        "train": f"{len(sets[0]):,}",
        "test": f"{len(sets[1]):,}",
        "unseen": f"{100 * float(np.mean(~np.isin(tips[1], tips[0]))):.1f} %",
    }


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main()
    (HERE / "wikivitals.md").write_text(page(), encoding="utf-8")
