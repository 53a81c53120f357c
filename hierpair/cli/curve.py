"""Verbs on scores and probabilities: ``hierpair curve``, Fmax, and ``hierpair decode``."""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hierpair._version import __version__
from hierpair.cli.options import Verb
from hierpair.cli.output import Meter, say, say_last
from hierpair.cli.reading import (
    HIERARCHY,
    MEASURES,
    READING,
    Inputs,
    conventions_of,
    hierarchy_of,
    namespaces_of,
    read_inputs,
)
from hierpair.cli.sides import POLICIES
from hierpair.errors import BadInput, counted

if TYPE_CHECKING:
    from hierpair.hierarchy import Hierarchy
    from hierpair.measures.scored.pooled_curve import PooledCurve
    from hierpair.probabilistic.decoding import Decoded
    from hierpair.tables import Records

POOLED = {
    "samples": "precision is the mean over the instances with a prediction, recall over all",
    "micro": "classes are counted over all instances",
}

FINEST_STEP = 1e-6
"""A million thresholds."""

NOTHING = "no instance with true classes has a score above 0"

OPTIONS = """
FILE…                     hierarchy, truth, and a file of scores or NAME=FILE per system
--average {samples,micro}
                          samples (protein-centric): precision is the mean over the instances with
                          a prediction, recall over all; micro: counts first [default: samples]
--beta B:float            weight of recall in F [default: 1]
--root ROOT               exclude, include, or the class that does not count [default: exclude]
--closure, --prop {max,fill,min,none}
                          scores of ancestors: max, at least those below; fill, those below where
                          a class has none; min, lower the classes below; none, as they are
                          [default: max]
--weights WEIGHTS         weights of classes for the weighted F and the semantic distance: a file
                          with lines class TAB weight, as hierpair weights writes them, or ia or
                          ic, counted from the truth, with --by in every namespace apart
                          (default: every class weighs 1)
--norm {cafa,pred,gt}     what means are over: cafa, precision over the instances with a
                          prediction, the rest over all; pred, all over those with a prediction;
                          gt, all over all instances [default: cafa]
--by FILE                 evaluate namespaces apart: namespace, those of the OBO file, or a file
                          with lines class TAB namespace
--classes FILE            a class a line: only these count, once sets have their ancestors
--zero-weight {skip,count}
                          instances whose true classes weigh nothing: skip, not in recall, and
                          without a true class that counts not at all; count, with recall 0
                          [default: skip]
--step S:float            thresholds S, 2 S, … below 1, as 0.01 in CAFA (default: every score that
                          occurs)
--preset {cafaeval}       the numbers of CAFA-evaluator 1.3 at its best thresholds: the root counts,
                          and thresholds are 0.01, 0.02, … as it adds them up {without --root,
                          --average, --beta, --closure min, --closure none, --classes,
                          --zero-weight, --step, --picture}
--picture FILE            draw the curves as .svg, .pdf or .png (extra plot)
--digits N:digits         decimals [default: 4]
"""


def run(options: argparse.Namespace) -> str:
    """Compute the curves, and draw them if asked."""
    if options.step is not None and not FINEST_STEP <= options.step < 1:
        raise BadInput(
            f"--step must be at least {FINEST_STEP:g} and below 1, got {options.step:g}; without "
            "it every score that occurs is a threshold"
        )
    with Meter(options.quiet) as meter:
        inputs = read_inputs(options, meter, scored=True)
        found = _curves(inputs, options) if options.preset is None else []
    _tell_unmatched(inputs, options)
    if options.preset is not None:
        say_last(options, f"scored on a {inputs.hierarchy.describe()}")
        return cafa_numbers(inputs, options, norm=options.norm, prop=options.closure)
    for each in found:
        if not each.plain.n_instances:
            raise BadInput(f"{each.title}: no instance has a true class that counts")
        if not len(each.plain):
            say(options, f"{each.title}: {NOTHING}, so F is 0")
    shown = _shown(found, options)
    if options.picture is not None:
        from hierpair.plots import plot_curves, save_picture

        drawn = {each.title: each.heavy for each in found if len(each.heavy)}
        if not drawn:
            raise BadInput(f"there is no curve to draw: {NOTHING}")
        save_picture(plot_curves(drawn, beta=options.beta), options.picture)
        say(options, f"drew the curves in {options.picture}")
    say_last(options, f"scored on a {inputs.hierarchy.describe()}")
    return shown


def _tell_unmatched(inputs: Inputs, options: argparse.Namespace) -> None:
    """Say how many instances only one side has, which was allowed."""
    from hierpair.labels.node_scores import unmatched

    how = ("without scores, counted as empty", "without a truth, dropped")
    for name, scores in inputs.systems.items():
        for n, what in zip(unmatched(inputs.truth, scores), how, strict=True):
            if n:
                say(options, f"{name}: {counted(n, 'instance')} {what} on request")


@dataclass(frozen=True)
class Found:
    """The curve of a system, in a namespace if they are apart, and that with weights.

    Without weights both are the same.
    """

    who: dict[str, str]
    plain: PooledCurve
    heavy: PooledCurve

    @property
    def title(self) -> str:
        """What it is called."""
        return ", ".join(self.who.values())

    @property
    def curves(self) -> dict[str, PooledCurve]:
        """The curves by how classes weigh."""
        both = {"ones": self.plain, "given": self.heavy}
        return {"ones": self.plain} if self.plain is self.heavy else both

    def best(self, beta: float) -> dict[str, Any]:
        """Return what stands at the best thresholds."""
        best = {**self.who, **self.plain.best_points(beta)}
        if self.plain is self.heavy:
            return best
        heavy = self.heavy.best_points(beta)
        distance = {name: heavy.pop(name) for name in ("smin", "smin_threshold", "ru", "mi")}
        renamed = {"wfmax" if name == "fmax" else f"wfmax_{name}": x for name, x in heavy.items()}
        return {**best, **renamed, **distance}


def _curves(inputs: Inputs, options: argparse.Namespace) -> list[Found]:
    """Return the curves of all systems, one per namespace."""
    from hierpair.measures.scored.pooled_curve import multiples
    from hierpair.probabilistic.curves import pooled_curve, pooled_curves

    how: dict[str, Any] = {
        "thresholds": None if options.step is None else multiples(options.step),
        "average": options.average,
        "closure": None if options.closure == "none" else options.closure,
        "root": options.root,
        "missing": options.missing,
        "norm": options.norm,
        "zero_weight": options.zero_weight,
        "classes": _classes(options.classes, inputs.hierarchy),
        "unknown": "drop" if options.unknown == "drop" else "error",
    }
    by = None if options.by is None else namespaces_of(options, inputs.hierarchy)

    def curves(name: str, weights: Any = None) -> dict[Any, PooledCurve]:
        scores = inputs.systems[name]
        if by is None:
            return {None: pooled_curve(inputs.truth, scores, weights=weights, **how)}
        return pooled_curves(inputs.truth, scores, by, weights=weights, **how)

    found = []
    for name in inputs.systems:
        plain = curves(name)
        heavy = plain if options.weights is None else curves(name, options.weights)
        if not plain:
            raise BadInput("no namespace has an instance with true classes that count")
        for space, curve in plain.items():
            apart = {} if space is None else {"namespace": str(space)}
            found.append(Found({"system": name, **apart}, curve, heavy[space]))
    return found


def cafa_numbers(inputs: Inputs, options: argparse.Namespace, **how: Any) -> str:
    """Return what CAFA-evaluator calls the best of every system, and of every namespace."""
    from hierpair.io.class_tables import class_weights
    from hierpair.metrics.cafaeval_table import CRITERIA, NOTES, cafaeval_table
    from hierpair.tables import Block, Content, Page, Records, number, show

    hierarchy = inputs.hierarchy
    if options.by is not None:
        how["by"] = namespaces_of(options, hierarchy)
    if options.weights is not None:
        weights = class_weights(options.weights, hierarchy, unusable="zero")
        how["weights"] = dict(zip(hierarchy.names, weights.tolist(), strict=True))
    shown = [criterion for criterion in ("f", "f_w", "s") if "weights" in how or criterion != "f_w"]
    titles = {"f": "Fmax ↑", "f_w": "wFmax ↑", "s": "Smin ↓"}
    records: dict[tuple[str, str], dict[str, Any]] = {}
    for name, scores in inputs.systems.items():
        best = cafaeval_table(hierarchy, inputs.truth, scores, **how).best
        for criterion in CRITERIA:
            for row in best.get(criterion, []) if criterion in shown else []:
                found = records.setdefault((name, str(row["namespace"])), {})
                found |= {criterion: row[criterion], f"{criterion}_tau": row["tau"]}
                found |= {"coverage": row["cov_max"]} if criterion == "f" else {}
    if not records:
        raise BadInput(NOTHING)
    who = ["system", "namespace"] if options.by is not None else ["system"]
    names = [x for c in shown for x in (c, f"{c}_tau")] + ["coverage"]
    rows = [[*key[: len(who)], *(found[n] for n in names)] for key, found in records.items()]
    digits = 4 if options.digits is None else options.digits
    cells = [[x if isinstance(x, str) else number(x, digits) for x in row] for row in rows]
    header = who + [titles.get(n, "threshold" if n.endswith("_tau") else n) for n in names]
    told = ",".join(f"{name}={how[name]}" for name in ("norm", "prop") if name in how)
    signature = f"cafaeval({told})|hierpair {__version__}"
    page = Page([Block(header, cells)], [*NOTES], [signature])
    found_records = Records([*who, *names], rows)
    data = {"signature": signature, "best": found_records.to_dicts()}
    return show(Content(lambda: found_records, lambda form: page, lambda: data), options.format)


def _classes(path: str | None, hierarchy: Hierarchy) -> list[Any] | None:
    """Return the classes that are listed in a file."""
    if path is None:
        return None
    from hierpair.io.text import read_lines

    known = {str(name): name for name in hierarchy.names}
    known |= {str(other): name for other, name in hierarchy.aliases.items()}
    found = []
    for line, text in enumerate(read_lines(path), start=1):
        name = text.strip()
        if name and name not in known:
            raise BadInput(f"{path}:{line}: {hierarchy.unknown_message(name)}")
        found += [known[name]] if name else []
    if not found:
        raise BadInput(f"{path}: the file names no class")
    return found


def _shown(found: list[Found], options: argparse.Namespace) -> str:
    from hierpair.tables import Block, Content, Page, number, show

    signature = _signature(options)
    f = "Fmax" if options.beta == 1 else f"F{options.beta:g}max"
    best = [each.best(options.beta) for each in found]
    titles = {
        "system": "system", "namespace": "namespace", "fmax": f"{f} ↑", "threshold": "threshold",
        "precision": "precision", "recall": "recall", "coverage": "coverage", "area": "area ↑",
        "wfmax": f"w{f} ↑", "wfmax_threshold": "threshold", "smin": "Smin ↓",
        "smin_threshold": "threshold",
    }  # fmt: skip
    shown = [name for name in titles if name in best[0]]
    rows = [
        [x if isinstance(x, str) else number(x, options.digits) for x in (each[k] for k in shown)]
        for each in best
    ]
    which = "every score that occurs" if options.step is None else f"multiples of {options.step:g}"
    weighed = " with weights" if options.weights is not None else ""
    of = {each.who.get("namespace"): each.plain.n_instances for each in found}
    counts = [counted(n, "instance") + (f" in {x}" if x is not None else "") for x, n in of.items()]
    notes = [
        f"{', '.join(counts)} with true classes; {POOLED[options.average]}",
        f"{f} is the largest F of all thresholds ({which}); area: under the curve by steps "
        "(average precision)",
        f"Smin is the smallest distance √(ru² + mi²){weighed}: ru is the mean over instances of "
        "the true classes that were not predicted, mi that of the wrong classes; at threshold inf "
        "nothing is predicted",
    ]
    page = Page([Block([titles[name] for name in shown], rows)], notes, [signature])
    points = _points(found, options.beta)
    data = {"signature": signature, "curves": best}
    content = Content(
        lambda: points, lambda form: page, lambda: {**data, "points": points.to_dicts()}
    )
    return show(content, options.format)


def _signature(options: argparse.Namespace) -> str:
    names = ("weights", "norm", "by", "classes", "zero_weight")
    given = {name: getattr(options, name) for name in names}
    chosen = "".join(f",{k}={v}" for k, v in given.items() if v != options.defaults[k])
    return (
        f"curve(average={options.average},beta={options.beta:g},root={options.root},"
        f"closure={options.closure},step={options.step}{chosen})|hierpair {__version__}"
    )


def _points(found: list[Found], beta: float) -> Records:
    from hierpair.tables import Records

    header: list[str] = []
    rows: list[list[Any]] = []
    for each in found:
        for weights, curve in each.curves.items():
            whose = {**each.who, **({"weights": weights} if len(each.curves) > 1 else {})}
            points = curve.records(beta)
            header = [*whose, *points.header]
            rows += [[*whose.values(), *point] for point in points.rows]
    return Records(header, rows)


CURVE = Verb(
    "curve",
    "precision and recall at every threshold, Fmax",
    "Precision-recall curve of a data set, from predictions with scores. The table shows the best "
    "F of all thresholds (Fmax) and the smallest semantic distance (Smin), with weights of classes "
    "the weighted F, too; csv, tsv, json and jsonl have every point.",
    "hierpair curve tree.tsv truth.tsv scores.tsv --picture curve.svg",
    OPTIONS + POLICIES + READING,
    run,
)

# ------------------------------------------------------------------------------- decode

DECODING = f"""
FILE…                     hierarchy, and probabilities
{MEASURES.format("none; one is needed")}
--labels {{any,one,path}}   any set of classes, one class, or one with all that are above it
                          [default: any]
--most-specific           leave out classes that are above others of the prediction
--limit-seconds S:float   time limit per instance, where a solver decodes
--samples N:int           scenarios drawn per instance, where candidates are compared (default: all
                          are evaluated)
--seed N:int              seed of these draws [default: 0]
--digits N:digits         decimals on standard error [default: 4]
# reading probabilities
--over {{leaves,nodes,scores}}
                          the numbers are probabilities of a class to be the only label (leaves) or
                          to be on the path (nodes), or scores, which need not be a distribution
                          [default: leaves]
--distribution-format FORMAT
                          <probability formats> [auto: by ending and content]
--closure {{max,min}}       repair a child that is more probable than its parent: lift the parent,
                          or lower the child {{with --over nodes or --over scores}}
--excess {{error,rescale}}  children that add up to more than their parent [default: error]
                          {{with --over nodes}}
--columns FILE            class of every column of a matrix, one per line
"""


def run_decode(options: argparse.Namespace) -> str:
    """Decode, and tell on standard error how."""
    from hierpair.probabilistic import decode
    from hierpair.probabilistic.probability_files import read_distribution, read_scores

    if len(options.files) != 2 or len(options.measures) != 1:
        raise BadInput("give a hierarchy and a file of probabilities, and one measure (-m hf)")
    if options.limit_seconds is not None and not options.limit_seconds > 0:
        raise BadInput(f"--limit-seconds must be above 0, got {options.limit_seconds}")
    hierarchy = hierarchy_of(options)
    how: dict[str, Any] = {"fmt": options.distribution_format, "column_names": options.columns}
    if options.over == "scores":
        given: Any = read_scores(options.files[1], hierarchy, **how).closed(options.closure)
    else:
        how |= {"over": options.over, "closure": options.closure, "excess": options.excess}
        given = read_distribution(options.files[1], hierarchy, **how)
    [measure] = options.measures
    decoded = decode(
        given, measure, labels=options.labels, samples=options.samples, seed=options.seed,
        limit=options.limit_seconds, **conventions_of(options),
    )  # fmt: skip
    shown = _predictions(decoded, hierarchy, options)
    known = [v for v in decoded.value.tolist() if not math.isnan(v)]
    mean = f"{sum(known) / len(known):.{options.digits}f}" if known else "undefined"
    sign = "↑" if decoded.direction == "higher" else "↓"
    exact = "exact" if decoded.is_exact else "not proved to be the best"
    what = f"expected {measure} {sign} {mean}"
    if not decoded.is_pooled:
        what = (f"expected value of an instance {sign} {mean} on average ({measure} itself is of "
                "the whole data set)")  # fmt: skip
    say(options, f"{what}; {decoded.certificate.method} ({exact})")
    if decoded.note:
        say(options, f"note: {decoded.note}".replace("labels='", "--labels ").replace("'", ""))
    return shown


def _predictions(decoded: Decoded, hierarchy: Hierarchy, options: argparse.Namespace) -> str:
    """Return the predictions as a file of labels, or with what they are worth."""
    import numpy as np

    from hierpair.hierarchy.arrays import offsets
    from hierpair.io import write_labels
    from hierpair.labels import lowest_labels
    from hierpair.tables.records import json_text

    sets = decoded.sets
    if options.most_specific:
        row, node = lowest_labels(hierarchy, sets)
        sets = replace(sets, indptr=offsets(np.bincount(row, minlength=len(sets))), indices=node)
    if options.format in ("text", "csv", "tsv"):
        fmt = "table" if options.format == "text" else options.format
        content, notes = write_labels(sets, hierarchy, fmt)
        for note in notes:
            say(options, note)
        return str(content)
    each = len(decoded.value) == len(decoded)  # a measure of the data set has one value for all
    records = []
    for i in range(len(decoded)):
        record: dict[str, Any] = {} if sets.ids is None else {"id": str(sets.ids[i])}
        record["labels"] = [str(name) for name in sets.names_of(i, hierarchy)]
        if each:
            value, bound = decoded.value[i], decoded.certificate.bound[i]
            record |= {"value": float(value), "bound": float(bound)}
        records.append(record)
    if options.format == "jsonl":
        return "\n".join(json_text(record, indent=None) for record in records)
    return json_text({
        "measure": options.measures[0],
        "method": decoded.certificate.method,
        "exact": decoded.is_exact,
        **({} if each else {"value": float(decoded.value[0])}),
        "predictions": records,
    })  # fmt: skip


DECODE = Verb(
    "decode",
    "the best predictions for a measure",
    "Predict what has the best expected value of a measure. The output is a file of predictions "
    "for hierpair score; how it was found, and whether it is exact, goes to standard error.",
    "hierpair decode tree.tsv probabilities.tsv -m hf -o best.tsv",
    DECODING + HIERARCHY,
    run_decode,
    ("text", "csv", "tsv", "json", "jsonl"),
)
