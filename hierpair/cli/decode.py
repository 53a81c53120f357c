"""``hierpair decode``: the best predictions for a measure, from probabilities."""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hierpair.cli.conventions import conventions_of
from hierpair.cli.parser import Verb, check_digits, say
from hierpair.cli.reading import HIERARCHY, hierarchy_of
from hierpair.errors import BadInput

if TYPE_CHECKING:
    from hierpair.hierarchy import Hierarchy
    from hierpair.labels import LabelSets
    from hierpair.labels.node_scores import NodeScores
    from hierpair.probabilistic.decoding import Decoded
    from hierpair.probabilistic.distributions import LabelDistribution

__all__ = ["VERB"]

OPTIONS = """
FILE…                     hierarchy, and probabilities
-m, --measure MEASURE!    a measure such as hf or 'hf(beta=2)'
--labels {any,one,path}   any set of classes, one class, or one with all that are above it
                          [default: any]
--most-specific           leave out classes that are above others of the prediction
--limit-seconds S:float   time limit per instance, where a solver decodes
--samples N:int           scenarios drawn per instance, where candidates are compared (default: all
                          are evaluated)
--seed N:int              seed of these draws [default: 0]
--digits N:int            decimals on standard error [default: 4]
# reading probabilities
--over {leaves,nodes,scores}
                          the numbers are probabilities of a class to be the only label (leaves) or
                          to be on the path (nodes), or scores, which need not be a distribution
                          [default: leaves]
--distribution-format FORMAT
                          <probability formats> [auto: by ending and content]
--closure {max,min}       repair a child that is more probable than its parent: lift the parent, or
                          lower the child
--excess {error,rescale}  children that add up to more than their parent [default: error]
--columns FILE            class of every column of a matrix, one per line
"""


def run(options: argparse.Namespace) -> str:
    """Decode, and tell on standard error how."""
    from hierpair.probabilistic import decode

    check_digits(options.digits)
    if options.format not in ("text", "csv", "tsv", "json", "jsonl"):
        raise BadInput("predictions come as text, csv, tsv, json, jsonl")
    if len(options.files) != 2:
        raise BadInput("give a hierarchy and a file of probabilities")
    if options.limit_seconds is not None and not options.limit_seconds > 0:
        raise BadInput(f"--limit-seconds must be above 0, got {options.limit_seconds}")
    hierarchy = hierarchy_of(options, lambda text: say(options, text))
    distribution = _distribution(options, hierarchy)
    decoded = decode(
        distribution,
        options.measure,
        labels=options.labels,
        samples=options.samples,
        seed=options.seed,
        limit=options.limit_seconds,
        **conventions_of(options),
    )
    shown = _show(decoded, hierarchy, options)
    _tell(decoded, options)
    return shown


def _distribution(
    options: argparse.Namespace, hierarchy: Hierarchy
) -> LabelDistribution | NodeScores:
    from hierpair.probabilistic.probability_files import read_distribution, read_scores

    path, names = options.files[1], options.columns
    if options.over == "scores":
        if options.excess != "error":
            raise BadInput("--excess is for probabilities over nodes")
        scores = read_scores(path, hierarchy, fmt=options.distribution_format, column_names=names)
        return scores.closed(options.closure)
    if options.over == "leaves" and (options.closure or options.excess != "error"):
        raise BadInput("--closure and --excess are for probabilities over nodes (--over nodes)")
    return read_distribution(
        path,
        hierarchy,
        over=options.over,
        fmt=options.distribution_format,
        closure=options.closure,
        excess=options.excess,
        column_names=names,
    )


def _tell(decoded: Decoded, options: argparse.Namespace) -> None:
    """Tell what the predictions are worth and why there is nothing better."""
    known = [v for v in decoded.value.tolist() if not math.isnan(v)]
    mean = f"{sum(known) / len(known):.{options.digits}f}" if known else "undefined"
    sign = "↑" if decoded.direction == "higher" else "↓"
    exact = "exact" if decoded.is_exact else "not proved to be the best"
    what = f"expected {options.measure} {sign} {mean}"
    if not decoded.is_pooled:
        what = (
            f"expected value of an instance {sign} {mean} on average ({options.measure} itself "
            "is of the whole data set)"
        )
    say(options, f"{what}; {decoded.certificate.method} ({exact})")
    if decoded.note:
        say(options, f"note: {decoded.note}".replace("labels='", "--labels ").replace("'", ""))


def _show(decoded: Decoded, hierarchy: Hierarchy, options: argparse.Namespace) -> str:
    from hierpair.io import write_labels

    sets = _lowest(decoded.sets, hierarchy) if options.most_specific else decoded.sets
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
            record["value"] = _number(decoded.value[i])
            record["bound"] = _number(decoded.certificate.bound[i])
        records.append(record)
    if options.format == "jsonl":
        return "\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    whole = {
        "measure": options.measure,
        "method": decoded.certificate.method,
        "exact": decoded.is_exact,
        **({} if each else {"value": _number(decoded.value[0])}),
        "predictions": records,
    }
    return json.dumps(whole, ensure_ascii=False, indent=2)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _lowest(sets: LabelSets, hierarchy: Hierarchy) -> LabelSets:
    import numpy as np

    from hierpair.hierarchy.arrays import offsets
    from hierpair.labels import lowest_labels

    row, node = lowest_labels(hierarchy, sets)
    return replace(sets, indptr=offsets(np.bincount(row, minlength=len(sets))), indices=node)


VERB = Verb(
    "decode",
    "the best predictions for a measure",
    "Predict what has the best expected value of a measure: hierpair decode "
    "HIERARCHY PROBABILITIES -m MEASURE. The output is a file of predictions for hierpair "
    "score; how it was found, and whether it is exact, goes to standard error.",
    OPTIONS + HIERARCHY,
    run,
    has_measures=True,
)
