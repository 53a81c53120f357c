"""A partial: what any number of instances leave behind, to be pooled or sent elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.errors import BadInput, listed, shown
from hierpair.evaluation.partials.partial_bytes import checked, packed, unpacked
from hierpair.evaluation.partials.partial_data import PartialData
from hierpair.evaluation.partials.totals import REMARKS
from hierpair.evaluation.results.score_data import NotKept
from hierpair.evaluation.results.scores import Scores
from hierpair.measures import Measure, measure
from hierpair.measures.recipes.pairings import named_pairs_of
from hierpair.pairing import OrderOfPairs

__all__ = ["Partial"]

SUMS_ALONE = (
    "there are no values of instances of {}: these scores come from a partial, which keeps sums "
    "alone; score the labels of all instances (hierpair.score) for tables by instance and "
    "explanations, or keep the worst instances (keep_worst)"
)


@dataclass(frozen=True, eq=False, repr=False)
class Partial(PartialData):
    """What instances leave behind: exact sums, without labels and without the hierarchy.

    Partials are made by :func:`partial`, added by :func:`merge`, and travel as bytes
    (:meth:`to_bytes`, :meth:`from_bytes`). Whatever the partition into parts and the order of
    merging, the result is the same to the last bit.

    Attributes
    ----------
    fingerprint, hierarchy
        :attr:`Hierarchy.fingerprint` of the classes, and what they are in one line.
    numbering
        Digest of the order of the classes, where sums are kept by class number; else ``""``.
    measures, systems
        The measures and the names of the systems, in their order.
    sums
        What every system leaves behind, in the same order.
    n_instances
        Number of instances, the same ones for every system.
    weight, n_labels
        Exact sums of the weights and of the weighted numbers of true labels, in the units of
        ``exact_sum``.
    n_unknown
        True labels that were dropped or replaced.
    parts
        Ids of the parts that were seen; a part is refused a second time.
    ids
        By part, the least and the greatest id of an instance as texts; ``""`` stands for all that
        has no part id. Where the ranges of two parts do not overlap, they share no instance.
    uneven
        By measure, instances without a possible pairing under some of the systems only.
    doubts
        What looks as if the hierarchy was misread (:attr:`Hierarchy.doubts`).
    in_order, turned
        Of the pairs of classes that rules name, those that occur as (predicted, true) under some
        system, and those that occur the other way round with an instance.
    keep_worst
        How many of the worst instances are kept by system and measure (:meth:`Scores.worst`).
    n_blocks, block_seed
        Into how many blocks instances are put by a hash of their ids, and its seed; 0 for none.
    files
        By name, digests of the files that measures read, such as weights of classes.
    """

    def __repr__(self) -> str:
        return (
            f"Partial(systems={listed(self.systems)}, measures={len(self.measures)}, "
            f"instances={self.n_instances}, parts={listed(sorted(self.parts))})"
        )

    def scores(self) -> Scores:
        """Return the pooled scores, without values of instances; nan where there is no instance.

        Raises
        ------
        BadInput
            If a pair of classes that a rule names occurs only the other way round, or if sums are
            beyond all floats, which no instances leave behind.

        Examples
        --------
        >>> from hierpair import Hierarchy
        >>> from hierpair.evaluation import partial
        >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
        >>> found = partial(tree, [["b"]], {"mine": [["c"]]}, ["hf", "gie"]).scores()
        >>> found["mine", "hf"], found["mine", "gie"]
        (0.5, 2.0)
        """
        self._check_order()
        try:
            values = [one.totals.pooled(self.plan) for one in self.sums]
            labels = [self.n_labels, *(one.n_labels for one in self.sums)]
            means = [n / self.weight if self.weight else math.nan for n in labels]
        except OverflowError:
            raise BadInput("the sums of a partial are beyond all floats") from None
        each = dict(zip(self.systems, self.sums, strict=True))
        sides = ("y_true", *self.systems)
        infeasible = self._counted("infeasible")
        return Scores(
            systems=self.systems,
            measures=self.measures,
            values=np.array(values),
            per_instance=NotKept(SUMS_ALONE),
            ids=None,
            n_instances=self.n_instances,
            n_unknown={"y_true": self.n_unknown} | {s: one.n_unknown for s, one in each.items()},
            n_missing={s: one.n_missing for s, one in each.items()},
            solved_by=self._counted("solved_by"),
            n_infeasible={at: sum(words.values()) for at, words in infeasible.items()},
            remarks=self._counted(REMARKS),
            mean_labels=dict(zip(sides, means, strict=True)),
            doubts=self.doubts,
            unused_scores=tuple(s for s, one in each.items() if one.unused_scores),
            partial=self,
        )

    def as_part(self, part: str) -> Partial:
        """Return the same under the id of a part, for what was added up batch by batch.

        Raises
        ------
        BadInput
            For an id that is no text, or where there is a part already.
        """
        if not isinstance(part, str) or not part:
            raise BadInput(f"part must be a text, got {shown(part)}")
        if self.parts:
            raise BadInput(f"these instances are of the parts {listed(sorted(self.parts))} already")
        ids = {part: self.ids[""]} if self.ids else {}
        return replace(self, parts=frozenset([part]), ids=ids)

    def to_bytes(self) -> bytes:
        """Return the partial as bytes; equal partials give equal bytes.

        The form is that of ``hierpair/evaluation/partials/partial_bytes.py``: a line with its
        version, a digest, a header in JSON, and whole numbers. Measures are kept by name; those of
        your own have to be registered where the bytes are read.

        Examples
        --------
        >>> from hierpair import Hierarchy
        >>> from hierpair.evaluation import partial
        >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
        >>> one = partial(tree, [["b"]], [["c"]], ["hf"], part="day 1")
        >>> Partial.from_bytes(one.to_bytes()).scores()["system", "hf"]
        0.5
        """
        return packed(self)

    @classmethod
    def from_bytes(cls, data: bytes, measures: Iterable[str | Measure] = ()) -> Partial:
        """Read a partial.

        Parameters
        ----------
        data
            What :meth:`to_bytes` returned.
        measures
            Measures whose names alone do not make them, such as those with a cost that is a
            callable, or with weights or annotations that are no file; the others are looked up by
            name.

        Raises
        ------
        BadInput
            For anything else, and for measures that are not known here or are of another version.
        """
        names, signatures, fields = unpacked(data)
        given = {m.signature: m for m in map(measure, measures)}
        found = []
        for name, signature in zip(names, signatures, strict=True):
            if signature not in given and ("=given(" in name or "=annotations(" in name):
                raise BadInput(
                    f"a partial is of {shown(name, 200)}, and holds but a digest of its weights; "
                    "give the measure: Partial.from_bytes(…, measures=[…]), or weigh by files"
                )
            absent = [file for file in fields["files"] if not Path(file).is_file()]
            if signature not in given and any(file in name for file in absent):
                raise BadInput(
                    f"a partial is of {shown(name, 200)}, and here {absent[0]} is no file: put it "
                    "there, since measures are read by their names"
                )
            known = given[signature] if signature in given else measure(name)
            if known.signature != signature:
                raise BadInput(
                    f"a partial is of {shown(signature, 200)}, and here {shown(name, 100)} is "
                    f"{known.signature}"
                )
            found.append(known)
        made = cls(measures=tuple(found), **fields)
        checked(made, n_named=len(_named(made)))
        return made

    def n_infeasible(self, k: int) -> int:
        """Return how often an instance has no pairing under a measure, over all systems."""
        name = self.measures[k].name
        counted = self._counted("infeasible").items()
        return sum(sum(words.values()) for (_, of), words in counted if of == name)

    def _counted(self, column: str) -> dict[tuple[str, str], dict[str, int]]:
        """Return how often a column has each word, by system and measure."""
        return {
            (system, name): dict(sorted(words.items()))
            for system, one in zip(self.systems, self.sums, strict=True)
            for name, words in one.totals.counted(self.plan, column).items()
        }

    def _check_order(self) -> None:
        """Refuse a pair of classes that occurs only the other way round."""
        named, pairs = named_pairs_of(self.measures), _named(self)
        right = {pairs[i] for i in self.in_order}
        turned = {pairs[i]: instance for i, instance in self.turned.items()}
        OrderOfPairs(set(named), right, turned).check()


def _named(one: PartialData) -> list[Any]:
    """Return the pairs of classes that rules name, by their numbers in a partial."""
    return [pair for some in named_pairs_of(one.measures) for pair in some.names]
