"""Size, shape and what a run will need in memory."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hierpair.checks.findings import FileReport, Finding, Report
from hierpair.checks.label_checks import LabelSizes
from hierpair.errors import counted
from hierpair.evaluation.batches import CHUNK, CHUNK_ANCESTORS, CHUNK_PAIRS
from hierpair.hierarchy import Hierarchy, ancestor_closure, mean_ancestors
from hierpair.io.datasets.tables import BATCH_ROWS

__all__ = ["hierarchy_notes", "label_notes", "memory_note"]

BASE_BYTES = 87e6
"""What a run needs at its peak, measured on generated data: interpreter and libraries,"""

CLASS_BYTES = 330
"""a class with its name, edges and the text that it was read from,"""

CLOSURE_BYTES = 24
"""an ancestor in the closure, with what distances are computed from,"""

INSTANCE_BYTES = 100
"""an instance with its id and line,"""

LABEL_BYTES = 30
"""a label with its text,"""

PAIR_BYTES = 128
"""and a pair of labels in the chunk that is being scored."""


def hierarchy_notes(hierarchy: Hierarchy, about: FileReport) -> None:
    """Add size, depth, branching and closure."""
    n_children = np.diff(hierarchy.child_ptr)
    inner = n_children[n_children > 0]
    leaves = n_children == 0
    depth = hierarchy.depths[leaves]
    ancestors, most = _ancestors(hierarchy)
    many = f", at most {most:,}" if most is not None else " (estimated)"
    notes = {
        "shape": hierarchy.describe(),
        "leaves": f"{leaves.sum():,}, at depth {depth.min()} to {depth.max()}, "
        f"mean {depth.mean():.1f}",
    }
    if hierarchy.titles:
        name, title = next(iter(hierarchy.titles.items()))
        n = len(hierarchy.titles)
        have = "class has" if n == 1 else "classes have"
        notes["names"] = f"{n:,} {have} a name beside their id, such as {name}: {title}"
    if len(inner):
        notes["branching"] = (
            f"an inner class has {inner.mean():.1f} children in the mean, at most {inner.max():,}"
        )
    notes["closure"] = f"a class has {ancestors:.1f} ancestors in the mean{many}, itself included"
    for rule, note in notes.items():
        about.add("note", rule, note)


def label_notes(sizes: LabelSizes, about: FileReport) -> None:
    """Add the number of instances and of labels."""
    n = sizes.n_instances
    if not n:
        about.add("error", "instances", "the file has no instances")
        return
    blank = f", {sizes.n_empty:,} without any" if sizes.n_empty else ""
    note = (
        f"{counted(n, 'instance', ',')} with {sizes.n_labels / n:.2f} labels in the mean, at most "
        f"{sizes.most:,}{blank}; {counted(int(sizes.classes.sum()), 'different class', ',')}"
    )
    about.add("note", "labels", note)


def memory_note(
    hierarchy: Hierarchy, sides: Mapping[str, LabelSizes], report: Report, *, in_parts: bool
) -> None:
    """Add what scoring these files with the default measures needs, to within a factor of two.

    ``in_parts`` tells whether only a batch of instances is in memory at a time.
    """
    ancestors, _ = _ancestors(hierarchy)
    whole = mean_ancestors(hierarchy) is None
    total = BASE_BYTES + CLASS_BYTES * len(hierarchy)
    total += CLOSURE_BYTES * (len(hierarchy) * ancestors if whole else CHUNK_ANCESTORS)
    mean: dict[str, float] = {}
    for name, s in sides.items():
        n = max(1, s.n_instances)
        share = min(1.0, BATCH_ROWS / n) if in_parts else 1.0
        total += share * (INSTANCE_BYTES * s.n_instances + LABEL_BYTES * s.n_labels)
        mean[name] = s.n_labels / n
    instances = min(CHUNK, max((s.n_instances for s in sides.values()), default=0))
    pairs = instances * mean.pop("y_true", 0.0) * max(mean.values(), default=0.0)
    total += PAIR_BYTES * min(CHUNK_PAIRS, pairs)
    note = f"scoring all with the default measures needs about {total / 1e6:,.0f} MB"
    report.findings.append(Finding("note", "memory", "all files", note))


def _ancestors(hierarchy: Hierarchy) -> tuple[float, int | None]:
    """Return mean and largest number of ancestors; the largest is None where it is too dear."""
    estimated = mean_ancestors(hierarchy)
    if estimated is not None:
        return estimated, None
    lengths = np.diff(ancestor_closure(hierarchy).indptr)
    return float(lengths.mean()), int(lengths.max())
