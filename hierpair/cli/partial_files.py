"""Files that ``hierpair partial`` wrote: which ones they are, reading them, and their sum."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING

from hierpair.cli.arguments import add_options
from hierpair.cli.conventions import asked_measures, conventions_of
from hierpair.errors import BadInput, HierpairError, counted

if TYPE_CHECKING:
    from hierpair.evaluation.partial import Partial
    from hierpair.evaluation.scores import Scores

__all__ = ["SUMS", "are_partials", "asked_of", "beside_each_other", "how_many", "read_partials",
           "refuse_unused"]  # fmt: skip

SUMS = "hp"
"""The format, and the ending, of a file of sums."""


def are_partials(files: Sequence[str]) -> bool:
    """Whether files are partials.

    Raises
    ------
    BadInput
        If only some are.
    """
    others = [path for path in files if not _is_partial(path)]
    if others and len(others) < len(files):
        raise BadInput(
            f"{others[0]}: this is no partial, and {next(p for p in files if p not in others)} is "
            "one; a partial needs neither hierarchy nor labels beside it, and of labels hierpair "
            "partial makes one"
        )
    return bool(files) and not others


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


def beside_each_other(files: Sequence[str]) -> Partial:
    """Return the sum of partials; those of other systems on the same parts are put beside it.

    They are read one by one; neighbours with the same systems are added up as they come.
    """
    from hierpair.evaluation.partial import beside, merge_named

    sums: dict[tuple[str, ...], list[tuple[str, Partial]]] = {}
    for systems, some in groupby(read_partials(files), key=lambda named: named[1].systems):
        first = next(some)
        total = merge_named(chain([first], some))  # noqa: B031 - taken once
        sums.setdefault(systems, []).append((first[0], total))
    return beside(*(merge_named(named) for named in sums.values()))


def how_many(files: Sequence[str], total: Partial) -> str:
    """Return of how many partials and parts a sum is."""
    return f"{counted(len(files), 'partial')}, {counted(len(total.parts), 'part')}"


def asked_of(options: argparse.Namespace, scores: Scores) -> Scores:
    """Return the scores of a partial under the measures that were asked for, or all of them.

    Raises
    ------
    BadInput
        For measures or conventions that the partial was not made with.
    """
    from hierpair.comparison.block_samples import under

    if options.measures:
        places = map(scores.measure_number, asked_measures(options))
        return under(scores, [scores.measures[k] for k in dict.fromkeys(places)])
    given = next(iter(conventions_of(options)), None)
    if given is not None:
        raise BadInput(
            f"--{given.replace('_', '-')} makes other measures, and a partial has those that it "
            "was made with; choose some of them with -m, or score the labels"
        )
    return scores


def refuse_unused(options: argparse.Namespace, text: str, used: Sequence[str]) -> None:
    """Refuse options of a text that are without effect on partials, except those that are used."""
    parser = argparse.ArgumentParser(add_help=False)
    add_options(parser, text)
    for action in parser._actions:
        word = action.option_strings[-1]
        if word not in used and getattr(options, action.dest) != action.default:
            raise BadInput(
                f"{word} is about reading and scoring labels, which a partial has behind it; give "
                "it to hierpair partial"
            )
