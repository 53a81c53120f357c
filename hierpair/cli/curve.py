"""Verbs on scores and probabilities: ``hierpair curve``, Fmax, and ``hierpair decode``."""

from __future__ import annotations

import math
from typing import Any

import hierpair as hp
from hierpair.cli.looks import draw
from hierpair.cli.options import Options, Verb
from hierpair.cli.reading import (
    COUNTING,
    HIERARCHY,
    MEASURES,
    POLICIES,
    READING,
    Inputs,
    conventions_of,
    hierarchy_of,
    measures_of,
    namespaces_of,
    read_inputs,
)
from hierpair.errors import BadInput, counted
from hierpair.tables.records import Content, pinned

POOLED = {
    "cafa": "precision is the mean over the instances with a prediction, recall over all",
    "pred": "precision and recall are means over the instances with a prediction",
    "gt": "precision and recall are means over all instances",
}

NOTHING = "no instance with true classes has a score above 0"

OPTIONS = """
FILE…                     hierarchy, truth, and a file of scores or NAME=FILE per system
--average {samples,micro}
                          samples (protein-centric): precision is the mean over the instances with
                          a prediction, recall over all; micro: over all classes [default: samples]
--beta B:float            weight of recall in F [default: 1]
--root ROOT               exclude, include, or the class that does not count [default: exclude]
--closure, --prop {max,fill,min,none}
                          scores of ancestors: max, at least those below; fill, those below where
                          a class has none; min, lower the classes below; none, as they are,
                          which is usual with --rule [default: max]
--weights WEIGHTS         weights of classes for the weighted F and the semantic distance: a file
                          with lines class TAB weight, as hierpair weights writes them, or ia or
                          ic, counted from the truth, with --by in every namespace apart
                          (default: every class weighs 1)
--norm {cafa,pred,gt}     means are over the instances with a prediction for precision, else
                          over all (cafa); over those with a prediction (pred); over all (gt)
                          [default: cafa]
--by FILE                 evaluate namespaces apart: namespace, those of the OBO file, or a file
                          with lines class TAB namespace
--zero-weight {skip,count}
                          instances whose true classes weigh nothing: skip, left out of recall, or
                          of all if no true class counts; count, with recall 0
                          [default: skip]
--step S:step             thresholds S, 2 S, … below 1, as 0.01 in CAFA (default: every score that
                          occurs)
--preset {cafaeval}       the numbers of CAFA-evaluator 1.3 at its best thresholds: the root counts,
                          and thresholds are 0.01, 0.02, … as it adds them up {without --root,
                          --average, --beta, --closure min, --closure none, --zero-weight, --step,
                          --picture}
--rule {climb,leaf_or_root,largest_coverage}
                          instead of sets of classes, one answer per instance by a rule with a
                          threshold, as in hierpair decode, from probabilities: risk over coverage
                          {without --average, --beta, --root, --weights, --norm, --by,
                          --zero-weight, --step, --preset, --ignore, --classes, --missing empty}
--risk R:float            find the threshold at which at most this share of answers is wrong
                          [default: 0.05] {with --rule}
--picture FILE            draw the curves as .svg, .pdf or .png (extra plot)
--digits N:digits         decimals [default: 4]
"""


def run(options: Options) -> Content:
    """Compute the curves, and draw them if asked."""
    from hierpair.labels.node_scores import unmatched

    if (options.average, options.norm) == ("micro", "gt"):
        raise BadInput("--norm gt is about means over instances, and --average micro has none")
    inputs = read_inputs(options, scored=True)
    for name, scores in inputs.systems.items():
        if options.preset is None:  # which is told of this system, before what was asked for
            inputs.systems[name] = hp.labels.match_instances(
                inputs.truth, scores, missing=options.missing, system=name,
                surplus="drop" if options.unknown == "drop" else "error",
            )  # fmt: skip
        how = ("without scores, counted as empty", "without a truth, dropped")
        for n, what in zip(unmatched(inputs.truth, scores), how, strict=True):
            if n:
                options.say(f"{name}: {counted(n, 'instance')} {what} on request")
    options.last.append(f"scored on a {inputs.hierarchy.describe()}")
    if options.preset is not None:
        return cafa_numbers(inputs, options)
    if options.rule is not None:
        return _selective(inputs, options)
    plain = _curves(inputs, options)
    heavy = plain if options.weights is None else _curves(inputs, options, options.weights)
    if not any(curve.n_instances for curve in plain.values()):
        raise BadInput("no instance has a true class that counts")
    if options.picture is not None:
        drawn = {", ".join(who): curve for who, curve in heavy.items() if len(curve)}
        if not drawn:
            raise BadInput(f"there is no curve to draw: {NOTHING}")
        draw(options, hp.plots.plot_curves(drawn, **options.take("beta")), "the curves")
    return _shown(plain, heavy, options)


def _curves(inputs: Inputs, options: Options, weights: Any = None) -> dict[Any, Any]:
    """Return the curves by system, or by system and namespace."""
    from hierpair.measures.scored.pooled_curve import multiples

    how = {
        **options.take("average root norm zero_weight"),
        "weights": weights,
        "thresholds": None if options.step is None else multiples(options.step),
        "closure": None if options.closure == "none" else options.closure,
    }
    by, found = namespaces_of(options, inputs.hierarchy), dict[Any, Any]()
    for name, scores in inputs.systems.items():
        if by is None:
            found[(name,)] = hp.probabilistic.pooled_curve(inputs.truth, scores, **how)
        else:
            spaces = hp.probabilistic.pooled_curves(inputs.truth, scores, by, **how)
            for space, curve in spaces.items():
                if curve.n_instances:
                    found[(name, str(space))] = curve
                else:
                    options.say(f"{space}: left out, since no true class there counts")
    return found


WHO = ("system", "namespace")
SEMANTIC = ("smin", "smin_threshold", "ru", "mi")
SAID = "average beta root closure step weights norm by classes ignore zero_weight"


def _shown(plain: dict[Any, Any], heavy: dict[Any, Any], options: Options) -> Content:
    """Return the best thresholds as a table, and every point as a record."""
    from hierpair.tables.result import of_points

    best, points = [], []
    for key, curve in plain.items():
        who, weighted = dict(zip(WHO, key, strict=False)), heavy[key].best_points(options.beta)
        row = {**who, **curve.best_points(options.beta)}
        kinds = {"": curve}
        if plain is not heavy:
            kinds = {"ones": curve, "given": heavy[key]}
            row |= {"wfmax": weighted["fmax"], "wfmax_threshold": weighted["threshold"]}
            row |= {name: weighted[name] for name in SEMANTIC}
        best.append(row)
        for kind, one in kinds.items():
            of = {**who, "weights": kind} if kind else who
            points += [of | record for record in one.records(options.beta).to_dicts()]
    counts = dict.fromkeys(" in ".join([counted(curve.n_instances, "instance"), *key[1:]])
                           for key, curve in plain.items())  # fmt: skip
    by_class = options.average == "micro"
    pooled = "classes are counted over all instances" if by_class else POOLED[options.norm]
    mean = "the mean over instances"
    if options.norm == "pred":
        mean = "the sum over instances, divided by the number of those with a prediction,"
    notes = [
        f"{', '.join(counts)} with true classes; {pooled}",
        "Fmax is the largest F of all thresholds; area: under the curve by steps (average "
        "precision)",
        f"Smin is the smallest distance √(ru² + mi²): ru is {mean} of the true "
        "classes that were not predicted, mi that of the wrong classes; at threshold inf nothing "
        "is predicted",
    ]
    kept = "no" if options.ignore_ancestors == "no" else None
    signature = pinned("curve", **options.take(SAID), ignore_ancestors=kept)
    return of_points(best, points, options.digits, notes, [signature], HEADS)


def cafa_numbers(inputs: Inputs, options: Options) -> Content:
    """Return what CAFA-evaluator calls the best of every system, and of every namespace."""
    from hierpair.io.class_tables import class_weights
    from hierpair.measures.class_weights import COUNTED
    from hierpair.metrics import CafaTable
    from hierpair.tables.result import of_points

    hierarchy, weights = inputs.hierarchy, None
    if options.weights is not None:
        if options.weights in COUNTED:
            raise BadInput(
                "--preset takes weights from a file; hierpair weights writes those that are "
                "counted from a truth"
            )
        given = class_weights(options.weights, hierarchy, unusable="zero")
        weights = dict(zip(hierarchy.names, given.tolist(), strict=True))
    how: Any = {"norm": options.norm or "cafa", "prop": options.closure or "max"}
    by = namespaces_of(options, hierarchy)
    best = [
        {"system": name} | {k: x for k, x in row.items() if by or k != "namespace"}
        for name, scores in inputs.systems.items()
        for row in hp.metrics.cafaeval_table(
            hierarchy, inputs.truth, scores, weights=weights, by=by, **how
        ).numbers()
    ]
    if not best:
        raise BadInput(NOTHING)
    signature = pinned("cafaeval", **how, **options.take("weights by classes ignore"))
    return of_points(best, None, options.digits, CafaTable.notes, [signature], HEADS)


def _selective(inputs: Inputs, options: Options) -> Content:
    """Return risk over coverage of answers by a rule, and the thresholds that keep to a risk."""
    from hierpair.probabilistic import level_thresholds, selective_curve
    from hierpair.probabilistic.selective import as_scores
    from hierpair.tables.result import of_points

    best, points, curves = [], [], dict[str, Any]()
    asked = "closure" in options.typed and options.closure != "none"
    closure = options.closure if asked else None
    for name, scores in inputs.systems.items():
        try:
            sides = inputs.truth, as_scores(scores, inputs.hierarchy, closure)
        except BadInput as error:
            raise BadInput(f"{name}: {error}") from None
        plain, curve = (selective_curve(*sides, rule) for rule in ("leaf_or_root", options.rule))
        row = {"system": name, **curve.summary(options.risk), "gain": curve.gain(plain)}
        if options.rule == "climb":
            found = level_thresholds(*sides, options.risk)
            row["by level"] = ",".join(f"{level}={x!r}" for level, x in found.items())
        best.append(row)
        curves[name] = curve
        points += [{"system": name, **record} for record in curve.records().to_dicts()]
    if options.picture is not None:
        draw(options, hp.plots.plot_risk(curves, risk=options.risk), "the curves")
    levels = ("by level: the least at which no more of the answers there are wrong; "
              if options.rule == "climb" else "")  # fmt: skip
    notes = [
        f"{counted(len(inputs.truth), 'instance')}; hAURC ↓: area under risk over coverage; gain: "
        "by what share it is smaller than that of leaf_or_root",
        f"threshold: of the largest coverage at a risk of at most {options.risk:g}; {levels}choose "
        "it on other instances than those that are answered (hierpair decode --rule … "
        "--threshold …)",
    ]
    signature = pinned("selective_curve", **options.take("rule risk"), closure=closure)
    return of_points(best, points, options.digits, notes, [signature])


SHOWN = (
    "system|namespace|fmax=Fmax ↑|threshold|precision|recall|coverage|area=area ↑|wfmax=wFmax ↑|"
    "wfmax_threshold=threshold|smin=Smin ↓|smin_threshold=threshold|f=Fmax ↑|f_tau=threshold|"
    "f_w=wFmax ↑|f_w_tau=threshold|s=Smin ↓|s_tau=threshold"
)
HEADS = {name: head or name for name, _, head in (x.partition("=") for x in SHOWN.split("|"))}
"""What is shown of the best thresholds, and what it is called."""


CURVE = Verb(
    "curve",
    "precision and recall at every threshold, Fmax",
    "Precision-recall curve of a data set, from predictions with scores. The table shows the best "
    "F of all thresholds (Fmax) and the smallest semantic distance (Smin), with weights of classes "
    "the weighted F, too; csv, tsv, json and jsonl have every point.",
    "hierpair curve tree.tsv truth.tsv scores.tsv --picture curve.svg",
    OPTIONS + POLICIES + COUNTING + READING,
    run,
)


DECODING = f"""
FILE…                     hierarchy, and probabilities
{MEASURES.format("none; one is needed")}
--rule {{climb,leaf_or_root,largest_coverage}}
                          instead of a measure, one class per instance: the most specific one that
                          is probable enough, of the most probable leaf and what is above it
                          (climb), of that leaf and the root, or of all {{without --measures, --set,
                          --labels, --samples, --seed, --limit-seconds}}
--threshold T:least       the least probability of an answer, or by level as in 1=0.9,2=0.8, where
                          it is 0 at other levels [default: 0.5] {{with --rule}}
--labels {{any,one,path}}   any set of classes, one class, or one with all that are above it
                          [default: any]
--limit-seconds S:positive   time limit per instance, where a solver decodes
--samples N:int           scenarios drawn per instance, where candidates are compared (default: all
                          are evaluated)
--seed N:int              seed of these draws [default: 0] {{with --samples}}
--digits N:digits         decimals on standard error [default: 4]
# reading probabilities
--over {{leaves,nodes,scores}}
                          the numbers are probabilities of a class to be the only label (leaves) or
                          to be on the path (nodes), or scores, which need not be a distribution
                          [default: leaves]
--distribution-format FORMAT
                          matrix, long or jsonl; auto is by ending and content [default: auto]
--closure {{max,min}}       repair a child that is more probable than its parent: raise the
                          parent, or lower the child {{with --over nodes or --over scores}}
--excess {{error,rescale}}  children that exceed their parent in sum [default: error]
                          {{with --over nodes}}
--columns FILE            class of every column of a matrix, one per line
"""


def run_decode(options: Options) -> str:
    """Decode, and tell on standard error how."""
    measures = measures_of(options, ())
    if len(options.files) != 2 or len(measures) != (options.rule is None):
        raise BadInput(
            "give a hierarchy and a file of probabilities, and one measure (-m hf) or a --rule"
        )
    hierarchy = hierarchy_of(options)
    how = options.take("fmt=distribution_format column_names=columns")
    if options.over == "scores":
        given: Any = hp.read_scores(options.files[1], hierarchy, **how).closed(options.closure)
    else:
        how |= options.take("over closure excess")
        given = hp.read_distribution(options.files[1], hierarchy, **how)
    how = {**options.take("labels samples seed limit=limit_seconds"), **conventions_of(options)}
    if options.rule is not None:
        how = options.take("rule threshold")
    found = hp.decode(given, *measures, **how)
    [measure] = measures or ["probability"]
    known = [v for v in found.value.tolist() if not math.isnan(v)]
    mean = f"{sum(known) / len(known):.{options.digits}f}" if known else "undefined"
    of = "" if found.is_pooled else " of an instance, on average"
    arrow = "↑" if found.direction == "higher" else "↓"
    proof = "exact" if found.is_exact else "not proved to be the best"
    options.say(f"expected {measure}{of} {arrow} {mean}; {found.certificate.method} ({proof})")
    if found.note:
        options.say(f"note: {found.note}")
    fmt = "table" if options.format == "text" else options.format
    content, notes = hp.write_labels(found.sets, hierarchy, fmt)
    options.say(*notes)
    return str(content)


DECODE = Verb(
    "decode",
    "the best predictions for a measure",
    "Predict what has the best expected value of a measure. The output is a file of predictions "
    "for hierpair score; how it was found, and whether it is exact, goes to standard error.",
    "hierpair decode tree.tsv probabilities.tsv -m hf -o best.tsv",
    DECODING + HIERARCHY,
    run_decode,
    ("text", "csv", "tsv", "jsonl"),
)
