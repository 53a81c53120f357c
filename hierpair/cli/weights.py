"""``hierpair weights``: weights of classes, counted from annotations."""

from __future__ import annotations

import argparse

from hierpair.cli.parser import Outcome, Verb, say
from hierpair.cli.reading import HIERARCHY, hierarchy_of, namespaces_of
from hierpair.cli.sides import LABEL_FORM, label_options
from hierpair.errors import BadInput, counted

__all__ = ["VERB"]


OPTIONS = """
FILE…             a hierarchy, and the annotations from which its classes are counted
--kind {ia,ic,icm}
                  information accretion, what a class says beyond its parents; information content;
                  or the weights of ICM [ia: ia]
--smooth N:int    added to both counts: 1, as CAFA 5 does, or 0, where a class that is never seen
                  has the weight inf [default: 1]
--by FILE         every namespace is counted as if it were alone: namespace, those of the OBO file,
                  or a file with lines class TAB namespace
--unknown {error,drop,root}
                  labels outside the hierarchy [default: error]
"""


def run(options: argparse.Namespace) -> Outcome:
    """Count the classes of annotations, and write a weight for each."""
    import numpy as np

    from hierpair.io import read_labels
    from hierpair.io.class_tables import weight_lines
    from hierpair.labels.annotation_counts import COUNTED_WEIGHTS, icm_weights

    def note(text: str) -> None:
        say(options, text)

    if len(options.files) != 2:
        raise BadInput("give a hierarchy, and a file of annotations")
    hierarchy = hierarchy_of(options, note)
    sets = read_labels(options.files[1], hierarchy, **label_options(options, "annotations"),
                       unknown=options.unknown, on_note=note)  # fmt: skip
    if options.kind == "icm":
        if options.by is not None or options.smooth != 1:
            raise BadInput("the weights of ICM take no smooth, and no namespaces (by)")
        weights = icm_weights(hierarchy, sets)
    else:
        by = None if options.by is None else namespaces_of(options, hierarchy)
        counted_weights = COUNTED_WEIGHTS[options.kind]
        weights = counted_weights(hierarchy, sets, smooth=options.smooth, by=by)
    note(f"weights of {counted(len(hierarchy), 'class')} from {counted(len(sets), 'instance')}")
    n_unseen = int((~np.isfinite(weights)).sum())
    if n_unseen:
        note(f"{counted(n_unseen, 'class')} never seen: the weight is inf")
    return Outcome(weight_lines(hierarchy, weights))


VERB = Verb(
    "weights",
    "weigh classes by annotations",
    "Count how often classes are annotated, and write a weight for each: hierpair weights "
    "HIERARCHY ANNOTATIONS -o ia.tsv. Lines are class TAB weight, as --weights reads them.",
    OPTIONS + HIERARCHY + LABEL_FORM,
    run,
    (),
)
