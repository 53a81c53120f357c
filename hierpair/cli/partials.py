"""``hierpair partial`` and ``hierpair merge``: the sums of parts, as files that add up."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from pathlib import Path

import hierpair as hp
from hierpair.cli.looks import LOOK, THRESHOLDS, told
from hierpair.cli.options import Options, Outcome, Verb
from hierpair.cli.reading import READING, Inputs, asked_measures, read_inputs
from hierpair.cli.score import CHOSEN, SCORING, scoring_of
from hierpair.errors import BadInput, HierpairError, counted, visible
from hierpair.tables.forms import FORMS

SUMS = "hp"
"""The format, and the ending, of a file of sums."""


def read_partials(files: Sequence[str]) -> Iterator[tuple[str, hp.Partial]]:
    """Yield the partials of files with their names, which errors tell."""
    from hierpair.io.text import read_bytes

    for path in files:
        data = read_bytes(path, binary=True)
        try:
            yield path, hp.Partial.from_bytes(data)
        except HierpairError as error:
            raise BadInput(f"{path}: {error.reason}") from None


def partial_scores(options: Options) -> tuple[hp.Scores, hp.Partial]:
    """Return the scores of partials under the measures that were asked for, or all, and the sum.

    Partials of other systems on the same parts are put beside each other. They are read one by
    one; neighbours with the same systems are added up as they come.
    """
    from hierpair.comparison.common_scores import under
    from hierpair.evaluation.partial import beside, merge_named

    sums: dict[tuple[str, ...], list[tuple[str, hp.Partial]]] = {}
    for systems, some in groupby(read_partials(options.files), key=lambda named: named[1].systems):
        first = next(some)
        part = merge_named(chain([first], some))  # noqa: B031 - taken once
        sums.setdefault(systems, []).append((first[0], part))
    total = beside(*map(merge_named, sums.values()))
    options.last.append(f"{_how_many(options, total)}, scored on a {total.hierarchy}")
    scores = total.scores()
    if options.measures:
        places = map(scores.measure_number, asked_measures(options))
        scores = under(scores, [scores.measures[k] for k in dict.fromkeys(places)])
    elif options.set:
        raise BadInput(
            f"--set {'='.join(options.set[0])} makes other measures, and a partial has those that "
            "it was made with; choose some of them with -m, or score the labels"
        )
    return scores, total


def _how_many(options: Options, total: hp.Partial) -> str:
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


def run(options: Options) -> Outcome:
    """Make the partial, and say on stderr what it is of."""
    asked = asked_measures(options, of_scores="sums")
    inputs = read_inputs(options, scored=asked[0].of_scores or None)
    part = part_name(options, inputs) if options.part is None else options.part
    made = hp.evaluation.partial(
        inputs.hierarchy, inputs.truth, inputs.systems, asked, part=part,
        **options.take("keep_worst blocks block_seed"), **scoring_of(options, inputs),
    )  # fmt: skip
    options.last.append(
        f"part {part}: {counted(made.n_instances, 'instance')}, "
        f"{counted(len(made.systems), 'system')}, {counted(len(made.measures), 'measure')}; on a "
        f"{made.hierarchy}"
    )
    return Outcome(made.to_bytes())


def part_name(options: Options, inputs: Inputs) -> str:
    """Return what a part is called that has no name: its first and last id, and a digest.

    The digest is of the ids: another file or machine changes nothing, and ``--where`` makes another
    part. Instances without ids have the name of the file of the truth, and the digest is of their
    classes.
    """
    truth = inputs.truth
    called = options.case or Path(options.files[1]).name
    if truth.ids:
        called = " … ".join(visible(str(truth.ids[k]))[:40] for k in (0, -1))
    digest = hashlib.blake2b(digest_size=8)
    for array in () if truth.ids else (truth.indptr, truth.indices):
        digest.update(array.astype("<i8").tobytes())
    for name in truth.ids or ():
        digest.update(f"{name!r}\0".encode("utf-8", "surrogatepass"))
    return f"{called} {digest.hexdigest()}"


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


def run_merge(options: Options) -> Outcome:
    """Add the partials up, and show their scores or write their sum."""
    from hierpair.evaluation.partial import merge_named

    total = merge_named(read_partials(options.files))
    parts = _how_many(options, total)
    if options.format == SUMS:
        n = counted(total.n_instances, "instance")
        options.last.append(f"{parts}: {n} on a {total.hierarchy}")
        return Outcome(total.to_bytes())
    options.last.append(f"{parts}, scored on a {total.hierarchy}")
    return told(total.scores(), options)


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
