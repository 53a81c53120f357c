"""``hierpair partial``: what the instances of one part leave behind, as a file to be merged."""

from __future__ import annotations

import argparse
import hashlib
import os
from typing import TYPE_CHECKING

from hierpair.cli.conventions import asked_measures, conventions_of
from hierpair.cli.parser import Outcome, Verb, say_last
from hierpair.cli.progress import Meter
from hierpair.cli.reading import HIERARCHY, LABELS, Inputs, read_inputs
from hierpair.cli.score import SCORING, scoring_of
from hierpair.errors import counted, visible

if TYPE_CHECKING:
    from hierpair.hierarchy import Hierarchy
    from hierpair.labels import LabelSets

__all__ = ["VERB", "part_name"]

OPTIONS = """
FILE…                  hierarchy, truth, and one file or NAME=FILE per system; systems have the
                       same names in all parts
-m, --measures MEASURE*
                       a measure such as hf or 'hf(beta=2)' (may be repeated); default: all that
                       are defined for any label sets
--case NAME            a bundled case instead of files
--part NAME            what the part is called, so that it is counted once (default: its first and
                       last id, or without ids the file of the truth, and a digest of its
                       instances)
--keep-worst K:int     keep the K worst instances by system and measure; needs ids [default: 0]
--blocks K:int         keep sums by block, for hierpair compare: every instance is put into one of
                       K by its id; 1000 do for most [default: 0]
--block-seed N:int     seed of the blocks [default: 0]
"""


def run(options: argparse.Namespace) -> Outcome:
    """Make the partial, and say on stderr what it is of."""
    from hierpair.evaluation import partial
    from hierpair.evaluation.checked import default_measures

    with Meter(options.quiet) as meter:
        scored = asked_measures(options, of_scores="sums")[0].of_scores or None
        inputs = read_inputs(options, meter, scored=scored)
        part = part_name(options, inputs) if options.part is None else options.part
        made = partial(
            inputs.hierarchy, inputs.truth, inputs.systems,
            options.measures or default_measures(), part=part, keep_worst=options.keep_worst,
            blocks=options.blocks, block_seed=options.block_seed,
            **scoring_of(options, inputs, meter), **conventions_of(options),
        )  # fmt: skip
    say_last(
        options,
        f"part {part}: {counted(made.n_instances, 'instance')}, "
        f"{counted(len(made.systems), 'system')}, {counted(len(made.measures), 'measure')}; on a "
        f"{made.hierarchy}",
    )
    return Outcome(made.to_bytes())


def part_name(options: argparse.Namespace, inputs: Inputs) -> str:
    """Return what a part is called that has no name: its first and last id, and a digest.

    The digest is of the instances as they were read, their ids and true labels. So another file,
    folder, compression or machine changes nothing, and ``--where`` makes another part. Instances
    without ids have the name of the file of the truth, since those of two files may look the same.
    """
    if inputs.truth.ids:
        called = " … ".join(visible(str(inputs.truth.ids[k]))[:40] for k in (0, -1))
    elif options.case is not None:
        called = options.case
    else:
        called = os.path.basename(options.files[1])  # noqa: PTH119 - any text
    return f"{called} {_digest(inputs.truth, inputs.hierarchy)}"


def _digest(truth: LabelSets, hierarchy: Hierarchy) -> str:
    """Return a digest that does not depend on the order in which classes were given."""
    import numpy as np

    rank = np.empty(len(hierarchy), dtype="<i8")
    rank[sorted(range(len(hierarchy)), key=lambda k: str(hierarchy.names[k]))] = range(len(rank))
    ranks = rank[truth.indices]
    ranks = ranks[np.lexsort((ranks, np.repeat(np.arange(len(truth)), truth.lengths)))]
    digest = hashlib.blake2b(digest_size=8)
    for numbers in (truth.indptr.astype("<i8"), ranks):
        digest.update(numbers.tobytes())
    for name in truth.ids or ():
        digest.update(f"{name!r}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


VERB = Verb(
    "partial",
    "add up the scores of one part",
    "Score one part of a data set, and write the sums that hierpair merge adds up: hierpair "
    "partial HIERARCHY TRUTH PREDICTIONS … -o PART.hp. The file holds no labels and no hierarchy.",
    SCORING + OPTIONS + HIERARCHY + LABELS,
    run,
    formats=(),
    has_measures=True,
)
