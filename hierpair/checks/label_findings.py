"""What is found in the labels of a file, gathered over its rows however many come at a time."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.checks.findings import MOST_SHOWN, FileReport, Level
from hierpair.errors import instances_have, shown
from hierpair.hierarchy import Hierarchy
from hierpair.labels import Fault, LabelRows, LabelSets
from hierpair.labels.coded import all_distinct
from hierpair.labels.resolve import remedy_for, unknown_message

__all__ = ["Findings", "FirstRows", "LabelSizes", "Unknown"]

RULES = ("path", "truth value", "blank label", "header", "repeated label")
"""In the order in which they are told, before unknown labels."""


@dataclass
class Unknown:
    """A label that is no class: where it stands first, in which instance, and how often."""

    place: str
    who: str
    times: int


@dataclass
class Many:
    """Findings of one rule: the first few, and how many there are."""

    level: Level
    first: list[tuple[str, str]] = field(default_factory=list)
    n: int = 0


@dataclass
class LabelSizes:
    """How many instances and labels there are.

    Attributes
    ----------
    n_instances, n_labels, most, n_empty
        Instances, labels of all of them, the most labels of one, and instances without any.
    classes
        Which classes occur.
    """

    classes: NDArray[np.bool_]
    n_instances: int = 0
    n_labels: int = 0
    most: int = 0
    n_empty: int = 0

    @classmethod
    def of(cls, sets: LabelSets) -> LabelSizes:
        """Return the sizes of some label sets."""
        found = cls(np.zeros(sets.n_classes, dtype=bool))
        found.add(sets)
        return found

    def add(self, sets: LabelSets) -> None:
        """Count some more instances."""
        lengths = sets.lengths
        self.classes[sets.indices] = True
        self.n_instances += len(lengths)
        self.n_labels += int(lengths.sum())
        self.most = max(self.most, int(lengths.max(initial=0)))
        self.n_empty += int((lengths == 0).sum())


@dataclass
class Findings:
    """What was found so far."""

    hierarchy: Hierarchy
    hint: str = ""
    many: dict[str, Many] = field(default_factory=dict)
    unknown: dict[Any, Unknown] = field(default_factory=dict)
    n_nested: int = 0
    nested: str = ""

    def add(self, level: Level, rule: str, faults: Sequence[tuple[str, str]], n: int) -> None:
        """Add the first findings of a rule, of ``n`` in some rows."""
        known = self.many.setdefault(rule, Many(level))
        known.first += faults[: max(0, MOST_SHOWN - len(known.first))]
        known.n += n

    def note(self, fault: Fault, source: LabelRows) -> None:
        """Add what is wrong with some labels; the first few are spelled out."""

        def at(entry: int) -> tuple[str, str]:
            """Return where a label stands, and how what is said of it begins."""
            i = source.coded.row_of(entry)[0]
            who = "" if source.ids is None else f"instance {shown(source.ids[i])}: "
            return source.place(entry), who

        if fault.rule != "unknown label":
            faults = []
            for entry in fault.entries[:MOST_SHOWN].tolist():
                place, who = at(entry)
                faults.append((place, f"{who}{fault.message(entry)}"))
            level: Level = "warning" if fault.rule == "repeated label" else "error"
            self.add(level, fault.rule, faults, len(fault.entries))
        elif fault.label in self.unknown:
            self.unknown[fault.label].times += len(fault.entries)
        else:
            few = len(self.unknown) < MOST_SHOWN
            place, who = at(int(fault.entries[0])) if few else ("", "")
            self.unknown[fault.label] = Unknown(place, who, len(fault.entries))

    def tell(self, about: FileReport, first: FirstRows) -> None:
        """Put everything into a report."""
        for rule in RULES:
            if rule in self.many:
                found = self.many[rule]
                about.add_all(found.level, rule, found.first, found.n)
        faults = [self._message(*item) for item in list(self.unknown.items())[:MOST_SHOWN]]
        about.add_all("error", "unknown label", faults, len(self.unknown))
        about.add_all("error", "duplicate id", first.faults, first.n_repeated)
        if self.n_nested:
            about.add("warning", "nested labels", (
                f"{instances_have(self.n_nested)} a label that is an ancestor of another one, such "
                f"as {self.nested}; pair-based and flat measures count both"
            ))  # fmt: skip

    def _message(self, label: Any, found: Unknown) -> tuple[str, str]:
        remedy = remedy_for(label, self.hierarchy, by_blanks=bool(self.hint))
        many = f" ({found.times} times in all)" if found.times > 1 else ""
        unknown = unknown_message(label, self.hierarchy)
        return found.place, f"{found.who}{unknown}{remedy}{many}{self.hint}"


class FirstRows:
    """Which rows have an id that comes for the first time.

    Parameters
    ----------
    suspects
        Tells of some ids which may come twice; None: any may. Only these are remembered.
    """

    def __init__(self, suspects: Callable[[Sequence[Hashable]], Sequence[int]] | None = None):
        self.suspects = suspects
        self.seen: dict[Hashable, str] = {}
        self.faults: list[tuple[str, str]] = []
        self.n_repeated = 0

    def of(
        self, ids: Sequence[Hashable] | None, where: Callable[[int, int], str]
    ) -> NDArray[np.int64] | None:
        """Return the rows with ids that come for the first time; None for all of them."""
        if ids is None:
            return None
        if self.suspects is None:
            if not self.seen and all_distinct(list(ids)):
                return None
            rows: Sequence[int] = range(len(ids))
        else:
            rows = self.suspects(ids)
        again = []
        for i in rows:
            name = ids[i]
            if name not in self.seen:
                self.seen[name] = where(i, 0)
                continue
            again.append(i)
            if len(self.faults) < MOST_SHOWN:
                message = f"instance {shown(name)} already occurs at {self.seen[name]}"
                self.faults.append((where(i, 0), message))
        self.n_repeated += len(again)
        return np.delete(np.arange(len(ids)), again) if again else None
