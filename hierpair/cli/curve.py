"""Verbs on scores and probabilities: ``hierpair curve``, Fmax, and ``hierpair decode``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from hierpair._version import __version__
from hierpair.cli.looks import digits_of, draw
from hierpair.cli.options import Options, Verb
from hierpair.cli.reading import (
    HIERARCHY,
    MEASURES,
    POLICIES,
    READING,
    Inputs,
    conventions_of,
    hierarchy_of,
    namespaces_of,
    read_inputs,
)
from hierpair.errors import BadInput, counted
from hierpair.tables import Block, Content, Page, Records, number, show
from hierpair.tables.records import json_text

if TYPE_CHECKING:
    from hierpair.hierarchy import Hierarchy
    from hierpair.measures.scored.pooled_curve import PooledCurve
    from hierpair.probabilistic.decoding import Decoded

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


def run(options: Options) -> str:
    """Compute the curves, and draw them if asked."""
    from hierpair.labels.node_scores import unmatched

    if options.step is not None and not FINEST_STEP <= options.step < 1:
        raise BadInput(
            f"--step must be at least {FINEST_STEP:g} and below 1, got {options.step:g}; without "
            "it every score that occurs is a threshold"
        )
    inputs = read_inputs(options, scored=True)
    for name, scores in inputs.systems.items():
        how = ("without scores, counted as empty", "without a truth, dropped")
        for n, what in zip(unmatched(inputs.truth, scores), how, strict=True):
            if n:
                options.say(f"{name}: {counted(n, 'instance')} {what} on request")
    options.last.append(f"scored on a {inputs.hierarchy.describe()}")
    if options.preset is not None:
        return cafa_numbers(inputs, options)
    plain = _curves(inputs, options)
    heavy = plain if options.weights is None else _curves(inputs, options, options.weights)
    if not any(curve.n_instances for curve in plain.values()):
        raise BadInput("no instance has a true class that counts")
    shown = _shown(plain, heavy, options)
    if options.picture is not None:
        from hierpair.plots import plot_curves

        drawn = {", ".join(who): curve for who, curve in heavy.items() if len(curve)}
        if not drawn:
            raise BadInput(f"there is no curve to draw: {NOTHING}")
        draw(options, plot_curves(drawn, **options.take("beta")), "the curves")
    return shown


def _curves(inputs: Inputs, options: Options, weights: Any = None) -> dict[Any, PooledCurve]:
    """Return the curves by system, and by namespace if they are apart."""
    from hierpair.measures.scored.pooled_curve import multiples
    from hierpair.probabilistic.curves import pooled_curve, pooled_curves

    how = {
        **options.take("average root missing norm zero_weight"),
        "weights": weights,
        "thresholds": None if options.step is None else multiples(options.step),
        "closure": None if options.closure == "none" else options.closure,
        "classes": _classes(options.classes, inputs.hierarchy),
        "unknown": "drop" if options.unknown == "drop" else "error",
    }
    if options.by is None:
        return {(name,): pooled_curve(inputs.truth, scores, **how)
                for name, scores in inputs.systems.items()}  # fmt: skip
    by = namespaces_of(options, inputs.hierarchy)
    return {(name, str(space)): curve for name, scores in inputs.systems.items()
            for space, curve in pooled_curves(inputs.truth, scores, by, **how).items()}  # fmt: skip


def _classes(path: str | None, hierarchy: Hierarchy) -> list[str] | None:
    """Return the classes that are listed in a file."""
    if path is None:
        return None
    from hierpair.io.text import read_lines

    found = []
    for line, text in enumerate(read_lines(path), start=1):
        found += [text.strip()] if text.strip() else []
        if text.strip() and text.strip() not in hierarchy:
            raise BadInput(f"{path}:{line}: {hierarchy.unknown_message(text.strip())}")
    if not found:
        raise BadInput(f"{path}: the file names no class")
    return found


WHO = ("system", "namespace")


def _shown(plain: dict[Any, PooledCurve], heavy: dict[Any, PooledCurve], options: Options) -> str:
    """Return the best thresholds as a table, and every point as a record."""
    best, points = [], []
    for key, curve in plain.items():
        who: dict[str, Any] = dict(zip(WHO, key, strict=False))
        row = {**who, **curve.best_points(options.beta)}
        kinds: list[tuple[dict[str, str], PooledCurve]] = [({}, curve)]
        if plain is not heavy:
            kinds = [({"weights": "ones"}, curve), ({"weights": "given"}, heavy[key])]
            found = heavy[key].best_points(options.beta)
            row |= {"wfmax": found.pop("fmax"), "wfmax_threshold": found.pop("threshold")}
            row |= {name: found[name] for name in ("smin", "smin_threshold", "ru", "mi")}
        best.append(row)
        for weights, one in kinds:
            records = one.records(options.beta).to_dicts()
            points += [{**who, **weights, **record} for record in records]
    of = {key[1:]: curve.n_instances for key, curve in plain.items()}
    counts = [" in ".join([counted(n, "instance"), *space]) for space, n in of.items()]
    notes = [
        f"{', '.join(counts)} with true classes; {POOLED[options.average]}",
        "Fmax is the largest F of all thresholds; area: under the curve by steps (average "
        "precision)",
        "Smin is the smallest distance √(ru² + mi²): ru is the mean over instances of the true "
        "classes that were not predicted, mi that of the wrong classes; at threshold inf nothing "
        "is predicted",
    ]
    chosen = "".join(f",{name}={getattr(options, name)}"
                     for name in ("weights", "norm", "by", "classes", "zero_weight")
                     if options.has(f"--{name.replace('_', '-')}"))  # fmt: skip
    signature = (f"curve(average={options.average},beta={options.beta:g},root={options.root},"
                 f"closure={options.closure},step={options.step}{chosen})")  # fmt: skip
    return _best_shown(options, best, notes, signature, points)


def cafa_numbers(inputs: Inputs, options: Options) -> str:
    """Return what CAFA-evaluator calls the best of every system, and of every namespace."""
    from hierpair.io.class_tables import class_weights
    from hierpair.metrics.cafaeval_table import NOTES, cafaeval_table

    hierarchy = inputs.hierarchy
    convention = {"norm": options.norm or "cafa", "prop": options.closure or "max"}
    how: dict[str, Any] = {**convention}
    if options.by is not None:
        how["by"] = namespaces_of(options, hierarchy)
    if options.weights is not None:
        weights = class_weights(options.weights, hierarchy, unusable="zero")
        how["weights"] = dict(zip(hierarchy.names, weights.tolist(), strict=True))
    tables = {name: cafaeval_table(hierarchy, inputs.truth, scores, **how)
              for name, scores in inputs.systems.items()}  # fmt: skip
    best = [{"system": name, **row} for name, table in tables.items() for row in table.numbers()]
    if not best:
        raise BadInput(NOTHING)
    if options.by is None:
        best = [{k: x for k, x in row.items() if k != "namespace"} for row in best]
    told = ",".join(f"{name}={x}" for name, x in convention.items())
    return _best_shown(options, best, NOTES, f"cafaeval({told})")


HEADS = {
    "system": "system", "namespace": "namespace", "fmax": "Fmax ↑", "threshold": "threshold",
    "precision": "precision", "recall": "recall", "coverage": "coverage", "area": "area ↑",
    "wfmax": "wFmax ↑", "wfmax_threshold": "threshold", "smin": "Smin ↓",
    "smin_threshold": "threshold", "f": "Fmax ↑", "f_tau": "threshold", "f_w": "wFmax ↑",
    "f_w_tau": "threshold", "s": "Smin ↓", "s_tau": "threshold",
}  # fmt: skip
"""What is shown of the best thresholds, and what it is called."""


def _best_shown(
    options: Options, best: list[dict[str, Any]], notes: list[str], signature: str,
    points: list[dict[str, Any]] | None = None,
) -> str:  # fmt: skip
    """Return a table of best values with their thresholds; the records are the points, if any."""
    names = [name for name in best[0] if name in HEADS]
    cells = [[row[n] if n in WHO else number(row[n], digits_of(options)) for n in names]
             for row in best]  # fmt: skip
    signed = f"{signature}|hierpair {__version__}"
    page = Page([Block([HEADS[name] for name in names], cells)], notes, [signed])
    records = Records.from_dicts(points or best)
    data = {"signature": signed, "best" if points is None else "curves": best}
    data |= {} if points is None else {"points": points}
    return show(Content(lambda: records, lambda form: page, lambda: data), options.format)


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
                          matrix, long or jsonl [auto: by ending and content]
--closure {{max,min}}       repair a child that is more probable than its parent: lift the parent,
                          or lower the child {{with --over nodes or --over scores}}
--excess {{error,rescale}}  children that add up to more than their parent [default: error]
                          {{with --over nodes}}
--columns FILE            class of every column of a matrix, one per line
"""


def run_decode(options: Options) -> str:
    """Decode, and tell on standard error how."""
    from hierpair.io import write_labels
    from hierpair.probabilistic import decode
    from hierpair.probabilistic.probability_files import read_distribution, read_scores

    if len(options.files) != 2 or len(options.measures) != 1:
        raise BadInput("give a hierarchy and a file of probabilities, and one measure (-m hf)")
    if options.limit_seconds is not None and not options.limit_seconds > 0:
        raise BadInput(f"--limit-seconds must be above 0, got {options.limit_seconds}")
    hierarchy, [measure] = hierarchy_of(options), options.measures
    how = options.take("fmt=distribution_format column_names=columns")
    if options.over == "scores":
        given: Any = read_scores(options.files[1], hierarchy, **how).closed(options.closure)
    else:
        how |= options.take("over closure excess")
        given = read_distribution(options.files[1], hierarchy, **how)
    decoded = decode(given, measure, **options.take("labels samples seed limit=limit_seconds"),
                     **conventions_of(options))  # fmt: skip
    known = [v for v in decoded.value.tolist() if not math.isnan(v)]
    mean = f"{sum(known) / len(known):.{options.digits}f}" if known else "undefined"
    sign = "↑" if decoded.direction == "higher" else "↓"
    exact = "exact" if decoded.is_exact else "not proved to be the best"
    what = f"expected {measure} {sign} {mean}"
    if not decoded.is_pooled:
        what = (f"expected value of an instance {sign} {mean} on average ({measure} itself is of "
                "the whole data set)")  # fmt: skip
    options.say(f"{what}; {decoded.certificate.method} ({exact})")
    if decoded.note:
        options.say(f"note: {decoded.note}")
    if options.format in ("json", "jsonl"):
        return _records(decoded, hierarchy, options)
    fmt = "table" if options.format == "text" else options.format
    content, notes = write_labels(decoded.sets, hierarchy, fmt)
    for note in notes:
        options.say(note)
    return str(content)


def _records(decoded: Decoded, hierarchy: Hierarchy, options: Options) -> str:
    """Return the predictions with what they are worth."""
    sets, how = decoded.sets, decoded.certificate
    each = len(decoded.value) == len(decoded)  # a measure of the data set has one value for all
    records = []
    for i in range(len(decoded)):
        record: dict[str, Any] = {} if sets.ids is None else {"id": str(sets.ids[i])}
        record["labels"] = [str(name) for name in sets.names_of(i, hierarchy)]
        if each:
            record |= {"value": decoded.value[i], "bound": how.bound[i]}
        records.append(record)
    if options.format == "jsonl":
        return "\n".join(json_text(record, indent=None) for record in records)
    about = {"measure": options.measures[0], "method": how.method, "exact": decoded.is_exact}
    whole = {} if each else {"value": decoded.value[0]}
    return json_text({**about, **whole, "predictions": records})


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
