"""Labels in, scores out: batches, shared evidence, statistics that merge."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, Infeasible
from hierpair.hierarchy import Hierarchy, mean_ancestors
from hierpair.labels import LabelSets, Unknown, match_instances
from hierpair.measures import REGISTRY, Batch, Measure, Statistics, measure
from hierpair.scores import Scores

__all__ = ["Accumulator", "default_measures", "score"]

CHUNK = 20_000
"""Instances evaluated at a time."""

CHUNK_ANCESTORS = 20_000_000
"""Ancestors of all labels of a chunk, where the closure is built chunk by chunk."""


def default_measures() -> list[str]:
    """Return the measures that are defined for any label sets, in the order of the registry."""
    return [name for name, d in REGISTRY.items() if "total" in d.traits]


class Accumulator:
    """Statistics of any number of batches; batches and accumulators add up exactly.

    Parameters
    ----------
    hierarchy
        The classes.
    measures
        Measures or their names.
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
        self, hierarchy: Hierarchy, measures: Iterable[str | Measure], **conventions: Any
    ) -> None:
        self.hierarchy = Hierarchy.expected(hierarchy)
        named = {m.signature: m for m in (measure(m, **conventions) for m in measures)}
        self.measures = tuple(named.values())
        if not self.measures:
            raise BadInput("no measure is given")
        for option, value in conventions.items():
            having = [m for m in self.measures if option in m.options]
            if not having:
                raise BadInput(f"none of the measures has an option {option!r}")
            if option == "average" and all(m.options[option] != value for m in having):
                raise BadInput(f"none of the measures can be averaged as {value!r}")
        self.statistics = [Statistics() for _ in self.measures]

    def update(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None, *, chunk: int | None = None
    ) -> NDArray[np.float64]:
        """Add instances; return their values, shape ``(n_instances, n_measures)``.

        Raises
        ------
        BadInput
            For labels that do not fit (see :class:`LabelSets`) or bad weights.
        Infeasible
            If a pairing rule cannot be met; the message names the instance.
        """
        truth = LabelSets.from_labels(y_true, self.hierarchy, source="y_true")
        prediction = LabelSets.from_labels(y_pred, self.hierarchy, source="y_pred")
        prediction = match_instances(truth, prediction)
        weight = _check_weight(sample_weight, len(truth))
        chunk = chunk or _fitting_chunk(self.hierarchy, truth, prediction)
        out = np.empty((len(truth), len(self.measures)))
        for lo in range(0, len(truth), chunk):
            hi = min(lo + chunk, len(truth))
            part = None if weight is None else weight[lo:hi]
            batch = Batch(self.hierarchy, truth.part(lo, hi), prediction.part(lo, hi), part)
            for k, m in enumerate(self.measures):
                try:
                    out[lo:hi, k] = m.measure_batch(batch, self.statistics[k])
                except (BadInput, Infeasible) as error:
                    if error.instance is None:
                        raise type(error)(f"measure {m.name}: {error.reason}") from error
                    at = lo + int(str(error.instance))
                    name = truth.ids[at] if truth.ids else at
                    raise type(error)(f"{error.reason} (measure {m.name})", name) from error
        return out

    def merge(self, other: Accumulator) -> Accumulator:
        """Add what another accumulator has seen, and return self."""
        if [m.signature for m in self.measures] != [m.signature for m in other.measures]:
            raise BadInput("these accumulators have different measures")
        for mine, theirs in zip(self.statistics, other.statistics, strict=True):
            mine.merge(theirs)
        return self

    def result(self) -> dict[str, float]:
        """Return the pooled score of every measure."""
        pairs = zip(self.measures, self.statistics, strict=True)
        return {m.name: m.pooled(s) for m, s in pairs}


def score(
    hierarchy: Hierarchy,
    y_true: Any,
    systems: Any,
    measures: Sequence[str | Measure] | str | None = None,
    *,
    sample_weight: Any = None,
    unknown: Unknown = "error",
    missing: Literal["error", "empty"] = "error",
    chunk: int | None = None,
    n_jobs: int = 1,
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
        ``{id: labels}``.
    systems
        ``{name: y_pred}``, or one ``y_pred`` (not a dict).
    measures
        Measures or their names; by default all that are defined for any label sets.
    sample_weight
        One weight ≥ 0 per instance.
    unknown, missing
        See :meth:`LabelSets.from_labels` and :func:`hierpair.labels.match_instances`.
    chunk
        Instances evaluated at a time; chosen to fit in memory by default. The scores do not
        depend on it.
    n_jobs
        Processes (needs the extra ``parallel``); the scores do not depend on it.
    on_progress
        Called with system, instances done, and all instances, chunk by chunk.
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
        If a pairing rule cannot be met for some instance.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> scores = score(tree, [["b"], ["c"]], {"mine": [["b"], ["b"]]}, ["hf", "gie"])
    >>> scores["mine", "hf"], scores["mine", "gie"]
    (0.75, 1.0)
    """
    for name, number in (("chunk", chunk), ("n_jobs", n_jobs)):
        if number is not None and number < 1:
            raise BadInput(f"{name} must be at least 1, got {number}")
    named = dict(systems) if isinstance(systems, Mapping) else {"system": systems}
    if not named:
        raise BadInput("no system is given")
    if measures is None:
        measures = default_measures()
    chosen = [measures] if isinstance(measures, (str, Measure)) else list(measures)
    truth = LabelSets.from_labels(y_true, hierarchy, unknown=unknown, source="y_true")
    if not len(truth):
        raise BadInput("y_true has no instances")
    if truth.ids and any(name in truth.ids for name in named):
        raise BadInput(
            "the keys of systems are instance ids; wrap one system's labels: {'name': y_pred}"
        )
    weight = _check_weight(sample_weight, len(truth))
    n_unknown = {"y_true": truth.n_unknown}
    n_missing: dict[str, int] = {}
    values, per_instance = [], {}
    total = Accumulator(hierarchy, chosen, **conventions)
    for name, labels in named.items():
        prediction = LabelSets.from_labels(labels, hierarchy, unknown=unknown, source=str(name))
        absent = 0 if prediction.ids is None else len(truth) - len(prediction)
        prediction = match_instances(truth, prediction, missing=missing, system=str(name))
        n_unknown[str(name)] = prediction.n_unknown
        n_missing[str(name)] = absent
        total = Accumulator(hierarchy, chosen, **conventions)
        step = chunk or _fitting_chunk(hierarchy, truth, prediction)
        if n_jobs > 1:
            step = -(-len(truth) // n_jobs)
        parts = [(lo, min(lo + step, len(truth))) for lo in range(0, len(truth), step)]
        jobs = [
            (total.hierarchy, total.measures, _with_ids(truth, lo, hi), prediction.part(lo, hi),
             None if weight is None else weight[lo:hi], chunk)
            for lo, hi in parts
        ]  # fmt: skip
        rows = []
        try:
            for (_, hi), (part, found) in zip(parts, _run(jobs, n_jobs), strict=True):
                total.merge(part)
                rows.append(found)
                if on_progress is not None:
                    on_progress(str(name), hi, len(truth))
        except (BadInput, Infeasible) as error:
            raise type(error)(f"{error.reason} (system {name})", error.instance) from error
        per_instance[str(name)] = np.concatenate(rows)
        values.append(list(total.result().values()))
    return Scores(
        systems=tuple(map(str, named)),
        measures=total.measures,
        values=np.array(values),
        per_instance=per_instance,
        ids=truth.ids,
        n_instances=len(truth),
        n_unknown=n_unknown,
        n_missing=n_missing,
    )


Job = tuple[Hierarchy, tuple[Measure, ...], LabelSets, LabelSets, Any, int | None]


def _with_ids(sets: LabelSets, lo: int, hi: int) -> LabelSets:
    part = sets.part(lo, hi)
    names = sets.ids[lo:hi] if sets.ids else tuple(range(lo, hi))
    return LabelSets(part.indptr, part.indices, part.n_classes, names)


def _work(job: Job) -> tuple[Accumulator, NDArray[np.float64]]:
    hierarchy, measures, truth, prediction, weight, chunk = job
    part = Accumulator(hierarchy, measures)
    values = part.update(truth, prediction, weight, chunk=chunk)
    return part, values


def _run(jobs: list[Job], n_jobs: int) -> Iterable[tuple[Accumulator, NDArray[np.float64]]]:
    if n_jobs == 1:
        return map(_work, jobs)
    try:
        import cloudpickle
        import joblib
    except ImportError:
        raise BadInput("n_jobs > 1 needs joblib: pip install 'hierpair[parallel]'") from None
    for m in jobs[0][1]:  # measures from a user's own file travel with their code
        module = sys.modules.get((m.definition.rule or m.definition.value).__module__)
        if module is not None and not module.__name__.startswith(("hierpair.", "__main__")):
            cloudpickle.register_pickle_by_value(module)
    found: Iterable[tuple[Accumulator, NDArray[np.float64]]] = joblib.Parallel(n_jobs=n_jobs)(
        joblib.delayed(_work)(job) for job in jobs
    )
    return found


def _fitting_chunk(hierarchy: Hierarchy, truth: LabelSets, prediction: LabelSets) -> int:
    """Return how many instances to evaluate at a time so that their ancestors fit in memory."""
    ancestors = mean_ancestors(hierarchy)
    if ancestors is None:
        return CHUNK
    labels = (len(truth.indices) + len(prediction.indices)) / max(1, len(truth))
    return max(1, min(CHUNK, int(CHUNK_ANCESTORS / max(1.0, ancestors * labels))))


def _check_weight(sample_weight: Any, n: int) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput("sample_weight must hold one number per instance") from None
    if weight.shape != (n,):
        raise BadInput(f"sample_weight must have shape ({n},), got {weight.shape}")
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if len(bad):
        raise BadInput(
            f"sample_weight of instance {bad[0]} is {weight[bad[0]]}; weights must be finite "
            "and not negative"
        )
    if n and not weight.any():
        raise BadInput("all sample weights are 0")
    return weight
