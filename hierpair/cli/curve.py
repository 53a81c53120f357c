"""``hierpair curve``: precision, recall and the best F over all thresholds, from scores."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

from hierpair._version import __version__
from hierpair.cli.parser import Verb, check_digits, say
from hierpair.cli.pictures import check_picture
from hierpair.cli.progress import Meter
from hierpair.cli.reading import HIERARCHY, LABELS, read_inputs
from hierpair.errors import BadInput, counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hierpair.probabilistic.pooled_curves import PooledCurve
    from hierpair.tables import Records

__all__ = ["VERB"]

POOLED = {
    "samples": "precision is the mean over the instances with a prediction, recall over all",
    "micro": "classes are counted over all instances",
}

FINEST_STEP = 1e-6
"""A million thresholds."""


OPTIONS = """
FILE…                     hierarchy, truth, and a file of scores or NAME=FILE per system
--average {samples,micro}
                          samples (protein-centric): precision is the mean over the instances with
                          a prediction, recall over all; micro: counts first [default: samples]
--beta B:float            weight of recall in F [default: 1]
--root ROOT               exclude, include, or the class that does not count [default: exclude]
--closure {max,min,none}  scores of ancestors: max, at least those below; min, lower the classes
                          below; none, as they are [default: max]
--step S:float            thresholds S, 2 S, … below 1, as 0.01 in CAFA (default: every score that
                          occurs)
--picture FILE            draw the curves as .svg, .pdf or .png (extra plot)
--digits N:int            decimals [default: 4]
"""


def run(options: argparse.Namespace) -> str:
    """Compute the curves, and draw them if asked."""
    from hierpair.probabilistic.pooled_curves import pooled_curve

    check_digits(options.digits)
    check_picture(options)
    if options.step is not None and not FINEST_STEP <= options.step < 1:
        raise BadInput(
            f"--step must be at least {FINEST_STEP:g} and below 1, got {options.step:g}; without "
            "it every score that occurs is a threshold"
        )
    if not (math.isfinite(options.beta) and options.beta > 0):
        raise BadInput(f"--beta must be above 0, got {options.beta:g}")
    thresholds = None if options.step is None else _multiples(options.step)
    with Meter(options.quiet) as meter:
        inputs = read_inputs(options, meter, scored=True)
        curves = {
            name: pooled_curve(
                inputs.truth,
                scores,
                thresholds=thresholds,
                average=options.average,
                closure=None if options.closure == "none" else options.closure,
                root=options.root,
                missing=options.missing,
            )
            for name, scores in inputs.systems.items()
        }
    for name, scores in inputs.systems.items():
        absent = len(inputs.truth) - len(scores)
        if absent:
            say(
                options,
                f"{name}: {counted(absent, 'instance')} without scores, "
                "counted as empty on request",
            )
    for name, curve in curves.items():
        if not len(curve):
            raise BadInput(f"{name}: no instance with true classes has a score above 0")
    shown = _show(curves, options)
    if options.picture is not None:
        from hierpair.plots import plot_curves, save_picture

        save_picture(plot_curves(curves, beta=options.beta), options.picture)
        say(options, f"drew the curves in {options.picture}")
    say(options, f"scored on a {inputs.hierarchy.describe()}")
    return shown


def _show(curves: dict[str, PooledCurve], options: argparse.Namespace) -> str:
    from hierpair.tables import Block, Content, Page, number, show

    signature = (
        f"curve(average={options.average},beta={options.beta:g},root={options.root},"
        f"closure={options.closure},step={options.step})|hierpair {__version__}"
    )
    f = "Fmax" if options.beta == 1 else f"F{options.beta:g}max"
    rows = []
    for best in _best(curves, options.beta):
        name, *values = best.values()
        rows.append([str(name), *(number(x, options.digits) for x in values)])
    n = next(iter(curves.values())).n_instances
    which = "every score that occurs" if options.step is None else f"multiples of {options.step:g}"
    notes = [
        f"{counted(n, 'instance')} with true classes; {POOLED[options.average]}",
        f"{f} is the largest F of all thresholds ({which}); area: under the curve by steps "
        "(average precision)",
    ]
    header = ["system", f"{f} ↑", "threshold", "precision", "recall", "coverage", "area ↑"]
    page = Page([Block(header, rows)], notes, [signature])
    points = _points(curves, options.beta)
    data = {"signature": signature, "curves": _best(curves, options.beta)}
    content = Content(
        lambda: points, lambda form: page, lambda: {**data, "points": points.to_dicts()}
    )
    return show(content, options.format)


def _multiples(step: float) -> NDArray[np.float64]:
    """Return the multiples of a step below 1, as they are read: 0.3, not three times 0.1."""
    import numpy as np

    count = np.ceil(round(1 / step, 9))
    thresholds: NDArray[np.float64] = np.round(np.arange(1, count) * step, 12)
    return thresholds


def _best(curves: dict[str, PooledCurve], beta: float) -> list[dict[str, Any]]:
    """Return what stands at the best threshold of every system."""
    listed: list[dict[str, Any]] = []
    for name, curve in curves.items():
        k = curve.best(beta)
        listed.append(
            {
                "system": name,
                "fmax": float(curve.f(beta)[k]),
                "threshold": float(curve.threshold[k]),
                "precision": float(curve.precision[k]),
                "recall": float(curve.recall[k]),
                "coverage": float(curve.coverage[k]),
                "area": curve.area(),
            }
        )
    return listed


def _points(curves: dict[str, PooledCurve], beta: float) -> Records:
    from hierpair.tables import Records

    header = ["system", "threshold", "precision", "recall", "f", "n_predicted", "coverage"]
    rows = []
    for name, curve in curves.items():
        columns = (
            curve.threshold,
            curve.precision,
            curve.recall,
            curve.f(beta),
            curve.n_predicted,
            curve.coverage,
        )
        numbers = zip(*(column.tolist() for column in columns), strict=True)
        rows += [[name, *point] for point in numbers]
    return Records(header, rows)


VERB = Verb(
    "curve",
    "precision and recall at every threshold, Fmax",
    "Precision-recall curve of a data set, from predictions with scores: hierpair "
    "curve HIERARCHY TRUTH SCORES …. The table shows the best F of all thresholds (Fmax); "
    "csv, tsv, json and jsonl have every point.",
    OPTIONS + HIERARCHY + LABELS,
    run,
)
