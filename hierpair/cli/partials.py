"""``hierpair partial`` and ``hierpair merge``: the sums of parts, as files that add up."""

from __future__ import annotations

import argparse
import hashlib
import os
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING

from hierpair.cli.looks import LOOK, THRESHOLDS, missed, thresholds_of, told
from hierpair.cli.options import Outcome, Verb
from hierpair.cli.output import Meter, say_last
from hierpair.cli.reading import READING, Inputs, asked_measures, conventions_of, read_inputs
from hierpair.cli.score import CHOSEN, SCORING, scoring_of
from hierpair.errors import BadInput, HierpairError, counted, visible
from hierpair.tables.forms import FORMS

if TYPE_CHECKING:
    from hierpair.evaluation.partial import Partial
    from hierpair.evaluation.scores import Scores
    from hierpair.hierarchy import Hierarchy
    from hierpair.labels import LabelSets

SUMS = "hp"
"""The format, and the ending, of a file of sums."""


# ------------------------------------------------------------------------------- files of sums


def all_partials(files: Sequence[str]) -> bool:
    """Whether files are partials.

    Raises
    ------
    BadInput
        If only some are.
    """
    sums = [path for path in files if _is_partial(path)]
    others = [path for path in files if path not in sums]
    if sums and others:
        raise BadInput(
            f"{others[0]}: this is no partial, and {sums[0]} is one; a partial needs neither "
            "hierarchy nor labels beside it, and of labels hierpair partial makes one"
        )
    return bool(sums)


def _is_partial(path: str) -> bool:
    """Whether a file begins like a partial, or is called like one; no pipe is read for that."""
    from hierpair.evaluation.partial_bytes import MAGIC

    if path.endswith((f".{SUMS}", f".{SUMS}.gz")):
        return True
    try:
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False


def read_partials(files: Sequence[str]) -> Iterator[tuple[str, Partial]]:
    """Yield the partials of files with their names, which errors tell."""
    from hierpair.evaluation.partial import Partial
    from hierpair.io.text import read_bytes

    for path in files:
        data = read_bytes(path, binary=True)
        try:
            one = Partial.from_bytes(data)
        except HierpairError as error:
            raise BadInput(f"{path}: {error.reason}") from None
        yield path, one


def partial_scores(options: argparse.Namespace) -> tuple[Scores, Partial]:
    """Return the scores of partials under the measures that were asked for, or all, and the sum.

    Partials of other systems on the same parts are put beside each other. They are read one by
    one; neighbours with the same systems are added up as they come.

    Raises
    ------
    BadInput
        For measures or conventions that the partials were not made with.
    """
    from hierpair.comparison.common_scores import under
    from hierpair.evaluation.partial import beside, merge_named

    sums: dict[tuple[str, ...], list[tuple[str, Partial]]] = {}
    for systems, some in groupby(read_partials(options.files), key=lambda named: named[1].systems):
        first = next(some)
        part = merge_named(chain([first], some))  # noqa: B031 - taken once
        sums.setdefault(systems, []).append((first[0], part))
    total = beside(*(merge_named(named) for named in sums.values()))
    say_last(options, f"{_how_many(options, total)}, scored on a {total.hierarchy}")
    scores = total.scores()
    if options.measures:
        places = map(scores.measure_number, asked_measures(options))
        scores = under(scores, [scores.measures[k] for k in dict.fromkeys(places)])
    elif conventions_of(options):
        raise BadInput(
            f"--set {options.set[0]} makes other measures, and a partial has those that it was "
            "made with; choose some of them with -m, or score the labels"
        )
    return scores, total


def _how_many(options: argparse.Namespace, total: Partial) -> str:
    return f"{counted(len(options.files), 'partial')}, {counted(len(total.parts), 'part')}"


# ------------------------------------------------------------------------------- partial

OPTIONS = """
FILE…                  hierarchy, truth, and one file or NAME=FILE per system; systems have the
                       same names in all parts
--part NAME            what the part is called, so that it is counted once (default: its first and
                       last id, or without ids the file of the truth, and a digest of its
                       instances)
--keep-worst K:int     keep the K worst instances by system and measure; needs ids [default: 0]
--blocks K:int         keep sums by block, for hierpair compare: every instance is put into one of
                       K by its id; 1000 are enough for most data [default: 0]
--block-seed N:int     seed of the blocks [default: 0] {with --blocks}
"""


def run(options: argparse.Namespace) -> Outcome:
    """Make the partial, and say on stderr what it is of."""
    from hierpair.evaluation import partial

    with Meter(options.quiet) as meter:
        asked = asked_measures(options, of_scores="sums")
        inputs = read_inputs(options, meter, scored=asked[0].of_scores or None)
        part = part_name(options, inputs) if options.part is None else options.part
        made = partial(
            inputs.hierarchy, inputs.truth, inputs.systems, asked, part=part,
            keep_worst=options.keep_worst, blocks=options.blocks, block_seed=options.block_seed,
            **scoring_of(options, inputs, meter),
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


PARTIAL = Verb(
    "partial",
    "add up the scores of one part",
    "Score one part of a data set, and write the sums that hierpair merge adds up. The file holds "
    "no labels and no hierarchy.",
    "hierpair partial tree.tsv day1.tsv run=run1.tsv -o day1.hp",
    OPTIONS + CHOSEN + SCORING + READING,
    run,
    formats=(),
)

# ------------------------------------------------------------------------------- merge

MERGED = f"""
FILE…   what hierpair partial wrote, in any order; a sum is written as --format {SUMS}, or to a
        file -o NAME.{SUMS}
"""


def run_merge(options: argparse.Namespace) -> Outcome:
    """Add the partials up, and show their scores or write their sum."""
    from hierpair.evaluation.partial import merge_named

    total = merge_named(read_partials(options.files))
    parts = _how_many(options, total)
    if options.format == SUMS:
        say_last(
            options, f"{parts}: {counted(total.n_instances, 'instance')} on a {total.hierarchy}"
        )
        return Outcome(total.to_bytes())
    say_last(options, f"{parts}, scored on a {total.hierarchy}")
    thresholds = thresholds_of(options, total.measures, total.systems)
    scores = total.scores()
    return Outcome(told(scores, options), missed(scores, thresholds, options))


WITHOUT_SUMS = f" {{without --format {SUMS}}}"

MERGE = Verb(
    "merge",
    "scores of all parts together",
    "Add up what hierpair partial wrote, and show the scores of all instances. They are those of "
    f"scoring all instances at once, to the last bit. With -o NAME.{SUMS} the sum is written, "
    "which can be merged again.",
    "hierpair merge day1.hp day2.hp",
    MERGED
    + THRESHOLDS.format(mark="#", rules=WITHOUT_SUMS)
    + LOOK.format(mark="#", rules=WITHOUT_SUMS),
    run_merge,
    formats=(*FORMS, SUMS),
)
