"""Labels in, scores out: batches, shared evidence, statistics that merge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, Infeasible, SolverLimit, did_you_mean, listed, shown
from hierpair.evaluation.batches import Job, check_jobs, ranges_of, run, work
from hierpair.evaluation.kept_columns import joined
from hierpair.evaluation.scores import Scores
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets, Unknown, match_instances
from hierpair.labels.naming import check_order
from hierpair.measures import REGISTRY, Counts, Measure, Statistics, measure
from hierpair.measures.pooling import ClassEntries
from hierpair.measures.recipes.pairings import named_pairs_of
from hierpair.pairing import OrderOfPairs

__all__ = ["Accumulator", "chosen_measures", "default_measures", "score"]


def default_measures() -> list[str]:
    """Return the measures that are defined for any label sets, in the order of the registry.

    Measures that ask for a choice first, such as a distance that is acceptable, are left out.
    """
    return [name for name, d in REGISTRY.items() if "total" in d.traits and d.by_default]


LEAVE_OUT = " (to score the others: on_infeasible='nan')"
"""Stands after what is wrong with an instance that has no pairing."""


def chosen_measures(
    measures: Iterable[str | Measure] | str | Measure, conventions: Mapping[str, Any]
) -> tuple[Measure, ...]:
    """Return measures with the conventions that each of them has.

    Raises
    ------
    BadInput
        For no measure, a convention that none of them has, or two that share a signature.
    """
    if isinstance(measures, (str, Measure)):
        measures = [measures]
    check_order(measures, "measures")
    chosen = tuple(dict.fromkeys(measure(m, **conventions) for m in measures))
    signatures = [m.signature for m in chosen]
    double = next((s for s in signatures if signatures.count(s) > 1), None)
    if double is not None:
        raise BadInput(
            f"two different measures would both be called {double}; give their costs "
            "names of their own (a function's name is used)"
        )
    if not chosen:
        raise BadInput("no measure is given")
    for option, value in conventions.items():
        having = [m for m in chosen if option in m.options]
        if not having:
            raise BadInput(f"none of the measures has an option {option!r}")
        if option == "average" and all(m.options[option] != value for m in having):
            raise BadInput(f"none of the measures can be averaged as {value!r}")
    return chosen


class Accumulator:
    """Statistics of any number of batches; batches and accumulators add up exactly.

    Parameters
    ----------
    hierarchy
        The classes.
    measures
        Measures or their names.
    on_infeasible
        As for :func:`score`: an instance without a pairing is an error, or with ``"nan"`` has
        that value and is left out of pooled scores; :attr:`n_infeasible` counts them.
    conventions
        Options for all measures that have them, such as ``root="include"``.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> total = Accumulator(tree, ["hf", "gie"])
    >>> _ = total.update([["b"]], [["b"]])
    >>> _ = total.update([["b"]], [["c"]])
    >>> total.result()
    {'hf': 0.75, 'gie': 1.0}
    """

    def __init__(
        self,
        hierarchy: Hierarchy,
        measures: Iterable[str | Measure],
        *,
        on_infeasible: Literal["raise", "nan"] = "raise",
        **conventions: Any,
    ) -> None:
        _check_policy(on_infeasible)
        self.hierarchy = Hierarchy.expected(hierarchy)
        self.on_infeasible = on_infeasible
        self.measures = chosen_measures(measures, conventions)
        self.statistics = [Statistics() for _ in self.measures]
        self.order = OrderOfPairs()

    def update(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None, *, chunk: int | None = None
    ) -> NDArray[np.float64]:
        """Add instances; return their values, shape ``(n_instances, n_measures)``.

        Raises
        ------
        BadInput
            For labels that do not fit (see :class:`LabelSets`) or bad weights.
        Infeasible
            If a pairing rule cannot be met, unless ``on_infeasible="nan"``; the message names the
            instance.
        """
        truth = LabelSets.from_labels(y_true, self.hierarchy, source="y_true")
        prediction = LabelSets.from_labels(y_pred, self.hierarchy, source="y_pred")
        prediction = match_instances(truth, prediction)
        weight = _check_weight(sample_weight, len(truth))
        job = Job(
            self.hierarchy,
            self.measures,
            truth,
            prediction,
            weight,
            ranges_of(self.hierarchy, truth, prediction, chunk),
            on_infeasible=self.on_infeasible,
        )
        statistics, values, _ = work(job)
        self.order.look(named_pairs_of(self.measures), truth, prediction, self.hierarchy)
        self._add(statistics)  # only now: what fails leaves the accumulator as it was
        return values

    def _add(self, statistics: list[Statistics]) -> None:
        for mine, theirs in zip(self.statistics, statistics, strict=True):
            mine.merge(theirs)

    def merge(self, other: Accumulator) -> Accumulator:
        """Add what another accumulator has seen, and return self.

        Raises
        ------
        BadInput
            If the other is of another hierarchy (by :attr:`Hierarchy.fingerprint`) or has other
            measures or options. Averages over classes are kept by class number, so for them the
            classes must have come in the same order, too.
        """
        if not isinstance(other, Accumulator):
            raise BadInput(f"an accumulator merges with another one, got {shown(other)}")
        mine, theirs = self.hierarchy, other.hierarchy
        if mine.fingerprint != theirs.fingerprint:
            first, second = (f"{h.describe()} [{h.fingerprint[:8]}]" for h in (mine, theirs))
            raise BadInput(
                "accumulators of different hierarchies do not add up: this one is of a "
                f"{first}, the other of a {second}"
            )
        ours, others = ([m.signature for m in a.measures] for a in (self, other))
        if ours != others:
            differ = [set(ours) - set(others), set(others) - set(ours)]
            lists = [sorted(d) for d in differ] if all(differ) else [ours, others]
            first, second = map(", ".join, lists)
            raise BadInput(
                "accumulators of different measures or options do not add up: this one is of "
                f"{first}, the other of {second}"
            )
        by_class = any(s.by_class for s in (*self.statistics, *other.statistics))
        if by_class and mine.numbering != theirs.numbering:
            raise BadInput(
                "both accumulators are of the same hierarchy, but its classes came in another "
                "order, and averages over classes are kept by class number; build both "
                "hierarchies from the same file"
            )
        self._add(other.statistics)
        self.order.merge(other.order)
        return self

    def result(self) -> dict[str, float]:
        """Return the pooled score of every measure."""
        names = [m.name for m in self.measures]
        return dict(zip(names, self.pooled(), strict=True))

    @property
    def found_by(self) -> dict[str, dict[int, int]]:
        """By LCA measure, how many instances were solved in which way."""
        return self.told("found_by")

    @property
    def n_infeasible(self) -> dict[str, int]:
        """By measure, instances without a possible pairing that were left out."""
        return self.told("n_infeasible")

    def told(self, what: str) -> dict[str, Any]:
        """Return one thing that statistics tell, by measure, where there is something to tell."""
        pairs = zip(self.measures, self.statistics, strict=True)
        return {m.name: found for m, s in pairs if (found := copy(getattr(s, what)))}

    def pooled(self) -> list[float]:
        """Return the pooled scores in the order of the measures."""
        self.order.check()
        pairs = zip(self.measures, self.statistics, strict=True)
        return [m.pooled(s) for m, s in pairs]


def score(
    hierarchy: Hierarchy,
    y_true: Any,
    systems: Any,
    measures: Sequence[str | Measure] | str | None = None,
    *,
    sample_weight: Any = None,
    unknown: Unknown = "error",
    missing: Literal["error", "empty"] = "error",
    on_infeasible: Literal["raise", "nan"] = "raise",
    chunk: int | None = None,
    n_jobs: int = 1,
    keep_classes: bool = False,
    on_progress: Callable[[str, int, int], None] | None = None,
    **conventions: Any,
) -> Scores:
    """Score systems under measures.

    Parameters
    ----------
    hierarchy
        The classes.
    y_true
        True labels: :class:`LabelSets`, a list with one label or collection per instance, or
        ``{id: labels}``; or the name of a column, where systems are a data frame.
    systems
        ``{name: y_pred}``, or one ``y_pred`` (not a dict); or a data frame in which every column
        but the ids and the truth is a system (:meth:`LabelSets.from_columns`).
    measures
        Measures or their names; by default all that are defined for any label sets.
    sample_weight
        One weight ≥ 0 per instance.
    unknown, missing
        See :meth:`LabelSets.from_labels` and :func:`hierpair.labels.match_instances`.
    on_infeasible
        What is done with an instance that has no pairing under a rule: ``"raise"`` an error that
        says why, or ``"nan"`` for its value. Pooled scores then leave it out, and
        :attr:`Scores.n_infeasible` and the notes say of how many instances.
    chunk
        Instances evaluated at a time, at most; chosen to fit in memory by default. The scores
        do not depend on it.
    n_jobs
        Processes (needs the extra ``parallel``); the scores do not depend on it.
    keep_classes
        Keep what every instance adds to every class, about eleven bytes each, where a measure is
        averaged over classes: :func:`hierpair.compare` needs it for such measures.
    on_progress
        Called with system, instances done, and all instances: first with 0, then chunk by chunk.
    conventions
        Options for all measures that have them, such as ``root="include"``.

    Returns
    -------
    Scores
        Pooled and per-instance values.

    Raises
    ------
    BadInput
        For any input that cannot be used as it is.
    Infeasible
        If a pairing rule cannot be met for some instance, unless ``on_infeasible="nan"``; names
        constraints that cannot hold together there.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> scores = score(tree, [["b"], ["c"]], {"mine": [["b"], ["b"]]}, ["hf", "gie"])
    >>> scores["mine", "hf"], scores["mine", "gie"]
    (0.75, 1.0)
    """
    if hasattr(systems, "columns"):
        y_true, systems = _of_frame(hierarchy, y_true, systems, unknown)
    named = _named_systems(systems)
    check_jobs(n_jobs)
    check_order(measures, "measures")
    _check_policy(on_infeasible)
    measures = default_measures() if measures is None else measures
    chosen = [measures] if isinstance(measures, (str, Measure)) else list(measures)
    truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
    if not len(truth):
        raise BadInput("y_true has no instances")
    plain = not any(isinstance(labels, LabelSets) for labels in named.values())
    if plain and truth.ids and set(named) == set(map(str, truth.ids)):
        raise BadInput(
            "the keys of systems are instance ids; wrap one system's labels: {'name': y_pred}"
        )
    weight = _check_weight(sample_weight, len(truth))
    if weight is not None and not weight.any():
        raise BadInput("all sample weights are 0")
    n_unknown, n_missing, unused_scores = {"y_true": truth.n_unknown}, {}, list[str]()
    values, per_instance = [], {}
    evidence: dict[tuple[str, int], Counts | ClassEntries] = {}
    mean_labels = {"y_true": _mean(truth.lengths, weight)}
    told: dict[str, dict[tuple[str, str], Any]] = {
        "found_by": {},
        "n_infeasible": {},
        "infeasible_at": {},
        "remarks": {},
    }
    order = OrderOfPairs()
    for name, labels in named.items():
        prediction = LabelSets.from_labels(labels, hierarchy, unknown=unknown, source=name)
        unused_scores += [name] * prediction.unused_scores
        n_missing[name] = 0 if prediction.ids is None else len(truth) - len(prediction)
        prediction = match_instances(truth, prediction, missing=missing, system=name)
        n_unknown[name] = prediction.n_unknown
        total = Accumulator(hierarchy, chosen, **conventions)
        whole = Job(
            hierarchy,
            total.measures,
            truth,
            prediction,
            weight,
            ranges_of(hierarchy, truth, prediction, chunk),
            keep="classes" if keep_classes else "counts",
            on_infeasible=on_infeasible,
        )
        mean_labels[name] = _mean(prediction.lengths, weight)
        rows, kept = [], []
        if on_progress is not None:
            on_progress(name, 0, len(truth))
        try:
            for statistics, found, part in run(whole, n_jobs):
                total._add(statistics)
                rows.append(found)
                kept.append(part)
                if on_progress is not None:
                    on_progress(name, sum(map(len, rows)), len(truth))
        except (BadInput, Infeasible, SolverLimit) as error:
            said = f" (system {name}){LEAVE_OUT if isinstance(error, Infeasible) else ''}"
            raise type(error)(f"{error.reason}{said}", error.instance) from error
        per_instance[name] = np.concatenate(rows)
        evidence |= {(name, k): whole_of for k, whole_of in joined(kept).items()}
        for what, known in told.items():
            known |= {(name, key): found for key, found in total.told(what).items()}
        order.look(named_pairs_of(total.measures), truth, prediction, hierarchy)
        values.append(total.pooled())
    order.check()
    return Scores(
        systems=tuple(named),
        measures=total.measures,
        values=np.array(values),
        per_instance=per_instance,
        ids=truth.ids,
        n_instances=len(truth),
        n_unknown=n_unknown,
        n_missing=n_missing,
        infeasible_at={at: np.concatenate(x) for at, x in told.pop("infeasible_at").items()},
        **told,
        weight=weight,
        mean_labels=mean_labels,
        evidence=evidence,
        doubts=tuple(hierarchy.doubts),
        unused_scores=tuple(unused_scores),
    )


def _check_policy(on_infeasible: Any) -> None:
    if on_infeasible not in ("raise", "nan"):
        raise BadInput(f"on_infeasible must be 'raise' or 'nan', got {shown(on_infeasible)}")


def _mean(numbers: NDArray[Any], weight: NDArray[np.float64] | None) -> float:
    """Return the (weighted) mean number of labels."""
    return float(np.average(numbers, weights=weight))


def _of_frame(
    hierarchy: Hierarchy, y_true: Any, frame: Any, unknown: Unknown
) -> tuple[Any, dict[str, LabelSets]]:
    """Return truth and systems that are columns of one data frame."""
    if not isinstance(y_true, str):
        raise BadInput(
            "where systems are the columns of a data frame, y_true is the name of one of them, "
            f"got {shown(y_true, 40)}"
        )
    if y_true not in frame.columns:
        raise BadInput(
            f"the frame: there is no column {y_true!r}{did_you_mean(y_true, frame.columns)}; "
            f"there are {listed(frame.columns)}"
        )
    sets = LabelSets.from_columns(frame, Hierarchy.expected(hierarchy), unknown=unknown)
    truth = sets.pop(y_true, None)
    if truth is None:
        raise BadInput(f"the column {y_true!r} holds the instance ids, not labels")
    return truth, sets


def _named_systems(systems: Any) -> dict[str, Any]:
    named = dict(systems) if isinstance(systems, Mapping) else {"system": systems}
    if not named:
        raise BadInput("no system is given")
    texts = {str(name): labels for name, labels in named.items()}
    if len(texts) < len(named):
        raise BadInput(f"two systems have the same name: {', '.join(map(str, named))}")
    if "y_true" in texts:
        raise BadInput("a system cannot be called y_true; choose another name")
    return texts


def _check_weight(sample_weight: Any, n: int) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    try:
        weight = np.array(sample_weight, dtype=np.float64)  # of our own: the scores keep it
    except (TypeError, ValueError):
        raise BadInput("sample_weight must hold one number per instance") from None
    if weight.shape != (n,):
        raise BadInput(f"sample_weight must have shape ({n},), got {weight.shape}")
    bad = np.flatnonzero(~((weight >= 0) & (weight < 1e100)))
    if len(bad):
        raise BadInput(
            f"sample_weight of instance {bad[0]} is {weight[bad[0]]}; weights must be finite "
            "and not negative"
        )
    weight.setflags(write=False)
    return weight
