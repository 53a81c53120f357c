"""``hierpair curve``: precision, recall and the best F over all thresholds, from scores."""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hierpair._version import __version__
from hierpair.cli.parser import Verb, check_digits, say, say_last
from hierpair.cli.pictures import check_picture
from hierpair.cli.progress import Meter
from hierpair.cli.reading import HIERARCHY, LABELS, Inputs, namespaces_of, read_inputs
from hierpair.errors import BadInput, counted

if TYPE_CHECKING:
    from hierpair.hierarchy import Hierarchy
    from hierpair.measures.scored.pooled_curve import PooledCurve
    from hierpair.tables import Records

__all__ = ["VERB"]

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
--picture FILE            draw the curves as .svg, .pdf or .png (extra plot)
--digits N:int            decimals [default: 4]
"""


def run(options: argparse.Namespace) -> str:
    """Compute the curves, and draw them if asked."""
    check_digits(options.digits)
    check_picture(options)
    if options.step is not None and not FINEST_STEP <= options.step < 1:
        raise BadInput(
            f"--step must be at least {FINEST_STEP:g} and below 1, got {options.step:g}; without "
            "it every score that occurs is a threshold"
        )
    if not (math.isfinite(options.beta) and options.beta > 0):
        raise BadInput(f"--beta must be above 0, got {options.beta:g}")
    with Meter(options.quiet) as meter:
        inputs = read_inputs(options, meter, scored=True)
        how = _how(options, inputs)
        found = [each for name in inputs.systems for each in _curves(name, inputs, options, how)]
    _tell_unmatched(inputs, options)
    for each in found:
        if not each.plain.n_instances:
            raise BadInput(f"{each.title}: no instance has a true class that counts")
        if not len(each.plain):
            say(options, f"{each.title}: {NOTHING}, so F is 0")
    shown = _show(found, options)
    if options.picture is not None:
        from hierpair.plots import plot_curves, save_picture

        drawn = {each.title: each.drawn for each in found if len(each.drawn)}
        if not drawn:
            raise BadInput(f"there is no curve to draw: {NOTHING}")
        save_picture(plot_curves(drawn, beta=options.beta), options.picture)
        say(options, f"drew the curves in {options.picture}")
    say_last(options, f"scored on a {inputs.hierarchy.describe()}")
    return shown


def _tell_unmatched(inputs: Inputs, options: argparse.Namespace) -> None:
    """Say how many instances only one side has, which was allowed."""
    from hierpair.labels.scores_of_labels import unmatched

    for name, scores in inputs.systems.items():
        absent, surplus = unmatched(inputs.truth, scores)
        if absent:
            n = counted(absent, "instance")
            say(options, f"{name}: {n} without scores, counted as empty on request")
        if surplus:
            n = counted(surplus, "instance")
            say(options, f"{name}: {n} without a truth, dropped on request")


@dataclass(frozen=True)
class Found:
    """The curve of a system, in a namespace if they are apart, and that with weights."""

    system: str
    namespace: str | None
    plain: PooledCurve
    weighted: PooledCurve | None

    @property
    def title(self) -> str:
        """What it is called."""
        return self.system if self.namespace is None else f"{self.system}, {self.namespace}"

    @property
    def drawn(self) -> PooledCurve:
        """The curve that is drawn: that with weights, if there are any."""
        return self.plain if self.weighted is None else self.weighted

    @property
    def who(self) -> dict[str, str]:
        """Whose it is, by column."""
        apart = {} if self.namespace is None else {"namespace": self.namespace}
        return {"system": self.system, **apart}


def _how(options: argparse.Namespace, inputs: Inputs) -> dict[str, Any]:
    """Return the parameters of the curves, all but the weights."""
    from hierpair.measures.scored.sweep import multiples

    return {
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


def _curves(
    name: str, inputs: Inputs, options: argparse.Namespace, how: dict[str, Any]
) -> list[Found]:
    """Return the curves of a system, one per namespace."""
    from hierpair.probabilistic.curves import pooled_curve, pooled_curves

    sides = inputs.truth, inputs.systems[name]
    heavy = None if options.weights is None else {**how, "weights": options.weights}
    if options.by is None:
        weighted = None if heavy is None else pooled_curve(*sides, **heavy)
        return [Found(name, None, pooled_curve(*sides, **how), weighted)]
    by = namespaces_of(options, inputs.hierarchy)
    apart = pooled_curves(*sides, by, **how)
    weighted_apart = {} if heavy is None else pooled_curves(*sides, by, **heavy)
    if not apart:
        raise BadInput("no namespace has an instance with true classes that count")
    return [Found(name, str(key), curve, weighted_apart.get(key)) for key, curve in apart.items()]


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


def _show(found: list[Found], options: argparse.Namespace) -> str:
    from hierpair.tables import Block, Content, Page, number, show

    chosen = "".join(
        f",{name}={value}"
        for name, value, usual in (
            ("weights", options.weights, None),
            ("norm", options.norm, "cafa"),
            ("by", options.by, None),
            ("classes", options.classes, None),
            ("zero_weight", options.zero_weight, "skip"),
        )
        if value != usual
    )
    signature = (
        f"curve(average={options.average},beta={options.beta:g},root={options.root},"
        f"closure={options.closure},step={options.step}{chosen})|hierpair {__version__}"
    )
    f = "Fmax" if options.beta == 1 else f"F{options.beta:g}max"
    best = [_best(each, options.beta) for each in found]
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
    notes = [
        *_counts(found, options.average),
        f"{f} is the largest F of all thresholds ({which}); area: under the curve by steps "
        "(average precision)",
        f"Smin is the smallest distance √(ru² + mi²){weighed}: ru true classes that were not "
        "predicted, mi wrong classes, of an instance in the mean; at threshold inf nothing is "
        "predicted",
    ]
    page = Page([Block([titles[name] for name in shown], rows)], notes, [signature])
    points = _points(found, options.beta)
    data = {"signature": signature, "curves": best}
    content = Content(
        lambda: points, lambda form: page, lambda: {**data, "points": points.to_dicts()}
    )
    return show(content, options.format)


def _counts(found: list[Found], average: str) -> list[str]:
    """Return how many instances there are, and how they are pooled."""
    of = {each.namespace: each.plain.n_instances for each in found}
    inside = [f" in {name}" if name is not None else "" for name in of]
    listed = ", ".join(
        f"{counted(n, 'instance')}{where}" for n, where in zip(of.values(), inside, strict=True)
    )
    return [f"{listed} with true classes; {POOLED[average]}"]


def _best(each: Found, beta: float) -> dict[str, Any]:
    """Return what stands at the best thresholds of a system."""
    best = {**each.who, **each.plain.best_points(beta)}
    if each.weighted is None:
        return best
    heavy = each.weighted.best_points(beta)
    distance = {name: heavy.pop(name) for name in ("smin", "smin_threshold", "ru", "mi")}
    renamed = {"wfmax" if name == "fmax" else f"wfmax_{name}": x for name, x in heavy.items()}
    return {**best, **renamed, **distance}


def _points(found: list[Found], beta: float) -> Records:
    from hierpair.tables import Records

    header: list[str] = []
    rows: list[list[Any]] = []
    for each in found:
        for weights, curve in (("ones", each.plain), ("given", each.weighted)):
            if curve is None:
                continue
            whose = {**each.who, **({} if each.weighted is None else {"weights": weights})}
            points = curve.records(beta)
            header = [*whose, *points.header]
            rows += [[*whose.values(), *point] for point in points.rows]
    return Records(header, rows)


VERB = Verb(
    "curve",
    "precision and recall at every threshold, Fmax",
    "Precision-recall curve of a data set, from predictions with scores: hierpair "
    "curve HIERARCHY TRUTH SCORES …. The table shows the best F of all thresholds (Fmax) and the "
    "smallest semantic distance (Smin), with weights of classes the weighted F, too; csv, tsv, "
    "json and jsonl have every point.",
    OPTIONS + HIERARCHY + LABELS,
    run,
)
