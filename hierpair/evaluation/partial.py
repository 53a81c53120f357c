r"""A partial: exact sums over any number of instances, to be added up, pooled or sent.

As bytes, without pickle, it is (version 6)::

    hierpair partial 6\n
    32 hexadecimal digits: BLAKE2b (16 bytes) of all that follows, and \n
    arrays in the form of NumPy (npz)

The array ``header`` holds the bytes of a JSON object: the fields of :class:`Partial`, of its sums
and of their tables by name, measures by name and signature. ``{"$array": 3}`` in it stands for
the array ``arr_3``, ``{"$fraction": "1/2"}`` for a number.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np

from hierpair.errors import BadInput, listed, shortened, shown, visible
from hierpair.evaluation.batches import System, Task, found_of, matched, task_of
from hierpair.evaluation.checked import asked_to_count, chosen_measures, refuse_counting
from hierpair.evaluation.progress import OnProgress, shown_progress
from hierpair.evaluation.scores import NotKept, Scores
from hierpair.evaluation.sums import REMARKS, ClassSums, Keeping, SumPlan, Sums, exact_sum
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.io.text import read_bytes
from hierpair.labels import Unknown
from hierpair.labels.naming import Missing
from hierpair.labels.node_scores import unmatched
from hierpair.measures import OPTIONS, Measure, measure
from hierpair.measures.recipes.solved import check_named_pairs, pairs_seen
from hierpair.pairing import cost_named

SUMS_ALONE = (
    "there are no values of instances of {}: these scores come from a partial, which keeps sums "
    "alone; score the labels of all instances (hierpair.score) for tables by instance and "
    "explanations, or keep the worst instances (keep_worst)"
)

MAGIC = b"hierpair partial 6"

MAY_BE_FILES = ("weights", "reference")
"""Options of the library whose value may be the name of a file."""


@dataclass(frozen=True, eq=False, repr=False)
class Partial:
    """Exact sums over instances, from which scores follow, without labels and hierarchy.

    Partials are made by :func:`partial`, added by :func:`merge`, and travel as bytes
    (:meth:`to_bytes`, :meth:`from_bytes`). Whatever the partition into parts and the order of
    merging, the result is the same to the last bit.

    Attributes
    ----------
    measures, systems
        The measures and the names of the systems, in their order.
    truth, sums
        What is known of the instances whatever the system, and what every system leaves behind
        (``hierpair.evaluation.sums.Sums``).
    fingerprint
        :attr:`Hierarchy.fingerprint` of the classes.
    numbering
        Digest of the order of the classes, where sums are kept by class number, and of the files
        that measures read, such as weights of classes.
    parts
        Ids of the parts that were seen; a part is refused a second time.
    kept
        How many of the worst instances are kept by system and measure (:meth:`Scores.worst`), and
        into how many blocks instances are put.
    """

    measures: tuple[Measure, ...]
    systems: tuple[str, ...]
    truth: Sums
    sums: tuple[Sums, ...]
    fingerprint: str = ""
    numbering: str = ""
    parts: frozenset[str] = frozenset()
    kept: Keeping = field(default_factory=Keeping)

    @cached_property
    def plan(self) -> SumPlan:
        """What is added up."""
        return SumPlan(self.measures)

    @property
    def signatures(self) -> tuple[str, ...]:
        """One line per measure that pins all its conventions and the version."""
        return tuple(m.signature for m in self.measures)

    @property
    def n_instances(self) -> int:
        """Number of instances, the same ones for every system."""
        return int(self.sums[0]["instances"])

    @property
    def n_blocks(self) -> int:
        """Into how many blocks instances are put by a hash of their ids; 0 for none."""
        return self.kept.blocks

    @property
    def hierarchy(self) -> str:
        """What the classes are, in one line."""
        return str(self.truth.most["hierarchy"])

    def scores(self) -> Scores:
        """Return the pooled scores, without values of instances; nan where there is no instance.

        A pair that rules name is refused if, of all instances, only the other order is one.

        Examples
        --------
        >>> from hierpair import Hierarchy
        >>> from hierpair.evaluation import partial
        >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
        >>> found = partial(tree, [["b"]], {"mine": [["c"]]}, ["hf", "gie"]).scores()
        >>> found["mine", "hf"], found["mine", "gie"]
        (0.5, 2.0)
        """
        sides = dict(zip(("y_true", *self.systems), (self.truth, *self.sums), strict=True))
        weight = self.sums[0]["weight"]
        means = {s: float(x["labels"] / weight) if weight else np.nan for s, x in sides.items()}
        check_named_pairs((m.recipe for m in self.measures), self.truth.most)
        infeasible, every = self.counted("infeasible"), range(len(self.measures))
        return Scores(
            systems=self.systems,
            measures=self.measures,
            values=np.array([[one.pooled(self.plan, k) for k in every] for one in self.sums]),
            per_instance=NotKept(SUMS_ALONE),
            ids=None,
            n_instances=self.n_instances,
            n_unknown={side: one["unknown"] for side, one in sides.items()},
            n_missing={side: one["missing"] for side, one in sides.items() if side != "y_true"},
            solved_by=self.counted("solved_by"),
            n_infeasible={at: sum(words.values()) for at, words in infeasible.items()},
            remarks=self.counted(REMARKS),
            mean_labels=means,
            doubts=tuple(self.truth.most["doubts"]),
            unused_scores=tuple(s for s, x in sides.items() if x.most.get("unused_scores")),
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
        return replace(self, parts=frozenset([part]))

    def to_bytes(self) -> bytes:
        """Return the partial as bytes; equal partials give equal bytes.

        The form is told in ``hierpair/evaluation/partial.py``: a line with its version, a digest,
        and arrays of NumPy. Measures are kept by name; those of your own have to be
        registered where the bytes are read.

        Examples
        --------
        >>> from hierpair import Hierarchy
        >>> from hierpair.evaluation import partial
        >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
        >>> one = partial(tree, [["b"]], [["c"]], ["hf"], part="day 1")
        >>> Partial.from_bytes(one.to_bytes()).scores()["system", "hf"]
        0.5
        """
        arrays = list[Any]()

        def plain(thing: Any) -> Any:
            if isinstance(thing, np.ndarray):
                arrays.append(thing)
                return {"$array": len(arrays) - 1}
            return {"$fraction": str(thing)} if isinstance(thing, Fraction) else vars(thing)

        header = {field.name: getattr(self, field.name) for field in fields(self)} | {
            "measures": [(m.name, m.signature) for m in self.measures],
            "parts": sorted(self.parts),
        }
        text = json.dumps(header, default=plain, separators=(",", ":"), sort_keys=True).encode()
        file = io.BytesIO()
        np.savez(file, *arrays, header=np.frombuffer(text, dtype=np.uint8))
        body = file.getvalue()
        return b"\n".join([MAGIC, _digest(body), body])

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
        first, _, rest = data.partition(b"\n")
        if first != MAGIC:
            raise BadInput(
                "these bytes are no partial of version 6, which this hierpair reads: they begin "
                f"with {data[:20]!r}; make it again with hierpair partial"
            )
        digest, _, body = rest.partition(b"\n")
        if digest != _digest(body):
            raise BadInput("the bytes of a partial are damaged: their digest is another one")
        arrays = np.load(io.BytesIO(body), allow_pickle=False)

        def made(found: dict[str, Any]) -> Any:
            if "$array" in found:  # no column is called so
                return arrays[f"arr_{found['$array']}"]
            return Fraction(found["$fraction"]) if "$fraction" in found else found

        header = json.loads(arrays["header"].tobytes(), object_hook=made)
        return cls(**header | {
            "measures": tuple(_known_measures(header["measures"], measures)),
            "systems": tuple(header["systems"]),
            "truth": _made_sums(header["truth"]),
            "sums": tuple(map(_made_sums, header["sums"])),
            "parts": frozenset(header["parts"]),
            "kept": Keeping(**header["kept"]),
        })  # fmt: skip

    def counted(self, column: str) -> dict[tuple[str, str], dict[str, int]]:
        """Return how often a column has each word, by system and measure that have any."""
        found = {}
        for system, one in zip(self.systems, self.sums, strict=True):
            for m, i in zip(self.measures, self.plan.place, strict=True):
                start, every = f"counted {i} {column} ", sorted(one.numbers.items())
                if words := {x.removeprefix(start): n for x, n in every if x.startswith(start)}:
                    found[system, m.name] = words
        return found


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).hexdigest().encode("ascii")


def _made_sums(found: dict[str, Any]) -> Sums:
    tables = {name: ClassSums(**table) for name, table in found["tables"].items()}
    worst = {k: tuple(map(tuple, some)) for k, some in found["worst"].items()}
    return Sums(**found | {"tables": tables, "worst": worst})


def _known_measures(
    named: Sequence[Sequence[str]], measures: Iterable[str | Measure]
) -> Iterator[Measure]:
    """Yield measures by name and signature; those that are given are not looked up by name."""
    given = {m.signature: m for m in map(measure, measures)}
    for name, signature in named:
        told = f"a partial is of {shown(signature, 200)}, and here"
        try:
            known = given.get(signature) or measure(name)
        except BadInput as error:
            raise BadInput(
                f"{told} no name makes it ({error.reason}); put files that it reads there, and "
                "give what is held in memory: Partial.from_bytes(…, measures=[…])"
            ) from None
        if known.signature != signature:
            raise BadInput(f"{told} {shown(name, 100)} is {known.signature}")
        yield known


# ------------------------------------------------------------------------------- of labels


@takes_hierarchy
def partial(
    hierarchy: Hierarchy,
    y_true: Any,
    systems: Any,
    measures: Iterable[str | Measure] | str | Measure,
    *,
    part: str | None = None,
    sample_weight: Any = None,
    unknown: Unknown = "error",
    missing: Missing = "error",
    ignore: Any = None,
    ignore_ancestors: bool = True,
    classes: Any = None,
    on_infeasible: Literal["raise", "nan"] = "raise",
    chunk: int | None = None,
    n_jobs: int = 1,
    on_progress: OnProgress = None,
    keep_worst: int = 0,
    blocks: int = 0,
    **conventions: Any,
) -> Partial:
    """Return the exact sums over the instances of one part.

    Parameters
    ----------
    hierarchy
        The classes.
    y_true, systems
        Labels of this part, as for :func:`hierpair.score`: ``{name: y_pred}``, or one ``y_pred``
        (not a dict), which is called ``system``.
    measures
        Measures or their names.
    part
        An id of the part, by which merging notices that it comes a second time; without one
        nothing can be noticed.
    sample_weight, unknown, missing, ignore, ignore_ancestors, classes, on_infeasible, chunk, \
    n_jobs, on_progress, conventions
        As for :func:`hierpair.score`.
    keep_worst
        How many instances with the worst values are kept by system and measure, for
        :meth:`Scores.worst`; of equal values, those whose ids come first as texts.
    blocks
        Put every instance into one of so many blocks (up to 2²⁰), by a hash of its id,
        and keep exact sums by block, of means over instances and micro averages,
        so that :func:`hierpair.compare` can compare the systems. Averages over classes keep none.

    Raises
    ------
    BadInput
        For labels that do not fit (see :class:`LabelSets`), bad weights, or worst instances and
        blocks of instances without ids.
    Infeasible
        If a pairing rule cannot be met, unless ``on_infeasible="nan"``; the message names the
        instance.

    Examples
    --------
    >>> from hierpair.evaluation import merge
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> one = partial(tree, [["b"]], {"mine": [["b"]]}, ["hf", "gie"], part="monday")
    >>> two = partial(tree, [["b"]], {"mine": [["c"]]}, ["hf", "gie"], part="tuesday")
    >>> found = merge(one, two).scores()
    >>> found["mine", "hf"], found["mine", "gie"]
    (0.75, 1.0)
    """
    counting, conventions = asked_to_count(ignore, ignore_ancestors, classes, conventions)
    counting = replace(counting, of_whole=False)
    chosen = chosen_measures(measures, conventions, of_scores="sums")
    refuse_counting(chosen)
    kept = Keeping(keep_worst, blocks)
    with shown_progress(on_progress, "instance") as tell:
        task = task_of(
            hierarchy, chosen, y_true, systems, sample_weight, unknown, counting, missing=missing,
            on_infeasible=on_infeasible, kept=kept, chunk=chunk, n_jobs=n_jobs, on_progress=tell,
        )  # fmt: skip
        names = task.truth.ids
        kept.check(has_ids=names is not None)
        whole, _ = summed(replace(task, ids=[*map(str, names or ())]))
    whole = to_merge(whole, task.hierarchy)
    return whole if part is None else whole.as_part(part)


def to_merge(one: Partial, hierarchy: Hierarchy) -> Partial:
    """Return a partial with the digests by which merging tells others, which take their time."""
    known = [hierarchy.numbering] if any(one.plan.by_class) else []
    known += [
        f"{name} {_digest(read_bytes(name)).decode()}"  # a signature has but the name
        for name in sorted({name for m in one.measures for name in _files_of(m)})
    ]
    return replace(one, fingerprint=hierarchy.fingerprint, numbering=", ".join(known))


def _files_of(m: Measure) -> list[str]:
    """Return the files that options of a measure and of its cost name; words of it are none."""
    cost = cost_named(dict(m.chosen).get("cost", "hops"))
    kinds = getattr(cost, "__dataclass_fields__", {})
    texts = [getattr(cost, name) for name in kinds if "Literal" not in str(kinds[name].type)]
    texts += [x for name, x in m.chosen if name in MAY_BE_FILES or name not in OPTIONS]
    words = OPTIONS["weights"].told
    texts = [x for x in texts if isinstance(x, str) and x not in words]
    return list(filter(os.path.isfile, texts))


def summed(task: Task) -> tuple[Partial, list[System]]:
    """Return the sums of all systems together with the truth that they share, and of each."""
    hierarchy, truth, measures = task.hierarchy, task.truth, task.adding
    found = list[System]()
    for name, labels in task.systems.items():
        given, prediction = matched(task, name, labels)
        one = found_of(task, prediction, name)
        counts = {
            "unknown": prediction.n_unknown,
            "missing": unmatched(truth, given)[0],
            "labels": exact_sum(prediction.lengths, task.weight),
        }
        sums = one.sums.plus(Sums(counts, {"unused_scores": given.unused_scores}))
        found.append(one._replace(sums=sums))
    numbers: dict[str, Any] = {
        "labels": exact_sum(truth.lengths, task.weight),
        "unknown": truth.n_unknown,
    }
    for k in range(len(measures)):
        left_out = [one.infeasible.get(k, np.zeros(0, np.int64)) for one in found]
        times = np.unique(np.concatenate(left_out), return_counts=True)[1]
        numbers[f"uneven {k}"] = int((times < len(found)).sum())
    most: dict[str, Any] = {"hierarchy": hierarchy.describe(), "doubts": list(hierarchy.doubts)}
    labels = [one.prediction for one in found]
    most |= pairs_seen([m.recipe for m in measures], hierarchy, truth, labels)
    whole = Partial(
        measures,
        tuple(one.name for one in found),
        Sums(numbers, most),
        tuple(one.sums for one in found),
        kept=task.kept,
    )
    return whole, found


# -------------------------------------------------------------------------------- added up


def merge(first: Partial, *others: Partial) -> Partial:
    """Return the exact sums over the instances of all partials; none of them is changed.

    Raises
    ------
    BadInput
        If they are of different hierarchies (by :attr:`Hierarchy.fingerprint`), of different
        systems, measures, options or versions, keep other things, or have a part in common;
        averages over classes are kept by class number, so for them the classes must have come in
        the same order, too.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> from hierpair.evaluation import partial
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> days = {"monday": [["b"]], "tuesday": [["c"]]}
    >>> parts = [partial(tree, [["b"]], guess, ["hf"], part=day) for day, guess in days.items()]
    >>> merge(*parts).scores()["system", "hf"]
    0.75
    """
    return merge_named(("", one) for one in (first, *others))


def merge_named(partials: Iterable[tuple[str, Partial]]) -> Partial:
    """Return the sum of partials, each with a name for errors (or ``""``); at least one.

    They are taken one by one, so that no more than two are held.
    """
    first: tuple[str, Partial] | None = None
    owner, sums = dict[str, str](), list[Sums]()
    for name, one in partials:
        if not isinstance(one, Partial):
            raise BadInput(f"partials merge with each other, got {shown(one)}")
        first = first or (name, one)
        _check_alike(*first, name, one)
        if twice := sorted(one.parts & owner.keys()):
            raise BadInput(
                f"{_both_names(owner[twice[0]], name)}a part is counted once: {listed(twice)}, "
                "which both partials have; leave one of them out, or, if these are other "
                "instances, give their part another name (part, --part)"
            )
        owner |= dict.fromkeys(one.parts, name)
        new = one.truth, *one.sums
        sums = [*map(Sums.plus, sums, new)] if sums else [*new]
    if first is None:
        raise BadInput("there is no partial to merge")
    return replace(first[1], truth=sums[0], sums=(*sums[1:],), parts=frozenset(owner))


def _both_names(one: str, other: str) -> str:
    return f"{one} and {other}: " if one and other else ""


def _check_alike(name: str, one: Partial, other_name: str, other: Partial) -> None:
    """Refuse two partials that differ in what both must have in common, and say in what."""
    every = _kin(other)
    for what, ours in _kin(one).items():
        if ours != (theirs := every[what]):
            sides = [x for x in ours if x not in theirs], [x for x in theirs if x not in ours]
            some = sides if all(sides) else (ours, theirs)
            first, second = (visible(shortened(", ".join(map(str, x)), 400)) for x in some)
            raise BadInput(
                f"{_both_names(name, other_name)}partials of different {what} do not add up: one "
                f"is of {first}, the other of {second}; make both alike"
            )


def _kin(one: Partial) -> dict[str, Sequence[Any]]:
    """Return what partials that add up have in common, by what it is called."""
    return {
        "hierarchies": [f"a {one.hierarchy} [{one.fingerprint}]"],
        "measures, options or versions": one.signatures,
        "systems": one.systems,
        "orders of the classes, or files that measures read,": [one.numbering],
        **{name: [n] for name, n in vars(one.kept).items()},
    }
