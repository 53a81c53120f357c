"""``hierpair measures``: what there is, each in full, and which of them to use."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hierpair.cli.parser import Verb, say
from hierpair.cli.progress import Meter
from hierpair.cli.reading import HIERARCHY, hierarchy_of
from hierpair.cli.sides import LABEL_FORM, sides_of
from hierpair.errors import BadInput

if TYPE_CHECKING:
    from hierpair.hierarchy import Hierarchy
    from hierpair.labels import LabelSets
    from hierpair.verification import Advice

__all__ = ["VERB"]

MOST_FILES = 2
"""A hierarchy and a truth: advice needs no predictions."""

OPTIONS = """
FILE…   a measure to show in full, or a family to list; with --for the hierarchy, and the true
        labels if there are any
# which measure
--for   advise which measure to use for data: hierpair measures --for TREE [TRUTH]; without files
        for what is needed alone
--need NAME*
        what a measure must do, most important first: the name of a need or of a property (may be
        repeated)
-m, --measures MEASURE*
        a measure to compare (default: those that the needs name)
--scope N:int
        classes below the root of the largest hierarchies that are gone through [default: 5]
--samples N:int
        random witnesses of a property [default: 480]
--seed N:int
        of the random witnesses [default: 0]
--jobs N:int
        processes [default: 1]
"""
READING = """\
--unknown {error,drop,root}
        labels outside the hierarchy [default: error]
"""
ADVICE_ALONE = ("need", "measures")
"""Options that say nothing without ``--for``."""


def run(options: argparse.Namespace) -> str:
    """List the measures, or advise which to use."""
    from hierpair.tables import show

    if getattr(options, "for"):
        return show(_advised(options).content(), options.format)
    given = [f"--{name}" for name in ADVICE_ALONE if getattr(options, name)]
    if given:
        raise BadInput(f"{given[0]} is for advice: hierpair measures --for [TREE [TRUTH]]")
    if len(options.files) > 1:
        raise BadInput(
            f"unrecognized arguments: {' '.join(options.files[1:])}; name one measure or family, "
            "or ask which to use: hierpair measures --for TREE TRUTH"
        )
    return _listed(options.files[0] if options.files else None, options.format)


def _listed(name: str | None, fmt: str) -> str:
    """List measures, or show one in full."""
    from hierpair.measures import FAMILIES, REGISTRY, measure
    from hierpair.tables import listing, show

    by_family = sorted(REGISTRY.values(), key=lambda d: [*FAMILIES].index(d.family))
    chosen = [d for d in by_family if d.family == name] or by_family
    of_family = name in FAMILIES and name not in REGISTRY
    if name and not of_family:
        chosen = [measure(name).definition]
    header = ["measure", "family", "of", "better", "range", "formula", "source", "options"]
    rows = [
        [d.name, d.family, d.consumes, d.direction, d.range, d.formula, d.source,
         ", ".join(f"{k}={v!r}" for k, v in d.options.items())]
        for d in chosen
    ]  # fmt: skip
    if fmt != "text":
        return show(listing(header, rows), fmt)
    if name and not of_family:
        width = max(map(len, header))
        entries = [*zip(header, rows[0], strict=True)]
        if chosen[0].averages:
            entries.append(("averages", ", ".join(chosen[0].averages)))
        return "\n".join([chosen[0].summary, "", *(f"{k:<{width}}  {v}" for k, v in entries)])
    listed = [[d.name, d.family, d.consumes, d.direction, d.summary] for d in chosen]
    return show(listing(["measure", "family", "of", "better", "meaning"], listed), "text")


def _advised(options: argparse.Namespace) -> Advice:
    """Read what there is, and say which measures to use."""
    from hierpair.verification import advise

    if len(options.files) > MOST_FILES:
        raise BadInput(
            f"--for takes a hierarchy and the true labels, got {len(options.files)} files: "
            f"{', '.join(options.files)}"
        )
    hierarchy, truth = None, None
    with Meter(options.quiet) as meter:
        if options.files:
            hierarchy = hierarchy_of(options, lambda text: say(options, text))
            truth = _truth(options, hierarchy)
        return advise(
            hierarchy,
            truth,
            needs=options.need,
            measures=options.measures or None,
            scope=options.scope,
            samples=options.samples,
            seed=options.seed,
            n_jobs=options.jobs,
            on_progress=meter.show if meter.on else False,
        )


def _truth(options: argparse.Namespace, hierarchy: Hierarchy) -> LabelSets | None:
    """Return the true labels of the files, None for a hierarchy alone."""
    from hierpair.io import read_labels

    side = sides_of(options).truth
    if side is None:
        return None
    return read_labels(
        side.path,
        hierarchy,
        **side.options,
        unknown=options.unknown,
        on_note=lambda text: say(options, text),
    )


VERB = Verb(
    "measures",
    "list the measures, or advise which to use",
    "List the measures, or show one in full. Those of labels are computed from predicted label "
    "sets, those of scores from predictions with scores. With --for, advise which to use: ranked, "
    "with the needs that each meets, the least case of those that it does not, and cautions.",
    OPTIONS + HIERARCHY + LABEL_FORM + READING,
    run,
)
