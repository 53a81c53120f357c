"""How tables of scores are shown: which way round, what headings, per cent."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hierpair.errors import BadInput, check_unique, did_you_mean, there_are, unknown
from hierpair.measures import Measure, measure
from hierpair.tables.text import number


@dataclass(frozen=True)
class TableLook:
    """How a table of scores is shown, by the options of :meth:`Scores.content`.

    Data forms such as CSV do not depend on it.
    """

    digits: int | None = None
    percent: bool = False
    transpose: bool = False
    rename: Mapping[str, str] = field(default_factory=dict)
    caption: str | None = None
    label: str | None = None

    def __post_init__(self) -> None:
        if self.digits is not None and self.digits < 0:
            raise BadInput(f"digits must be at least 0, got {self.digits}")
        if self.label is not None and not re.fullmatch(r"[\w:.+/-]+", self.label, re.ASCII):
            raise BadInput(f"a label is one word, such as tab:scores, got {self.label!r}")

    @property
    def decimals(self) -> int:
        """Decimals of shares; see :meth:`cell`."""
        return (2 if self.percent else 4) if self.digits is None else self.digits

    def checked(self, systems: Sequence[str], measures: Sequence[Measure]) -> TableLook:
        """Return the look with old names as the table spells them, or refuse what is not in it."""
        if self.percent and not any(m.is_share for m in measures):
            raise BadInput("none of the measures is a share of 1, so none is shown in per cent")
        names = [*systems, *(m.name for m in measures)]
        renamed = {}
        for old, new in self.rename.items():
            try:  # the name of a measure may be written in several ways
                known = old if old in names else measures[number_of(old, measures, "")].name
            except BadInput:
                raise unknown("system or measure", old, names) from None
            renamed[known] = new
        for what, named in {"systems": systems, "measures": names[len(systems) :]}.items():
            said = f"two {what} would be called {{!r}}".format
            check_unique([renamed.get(name, name) for name in named if renamed], said)
        return replace(self, rename=renamed)

    def name(self, system: str) -> str:
        """Return the name of a system."""
        return self.rename.get(system, system)

    def heading(self, m: Measure, *, typeset: bool = False, arrow: bool = True) -> str:
        """Return how a measure heads a table: as it is typed, or ``typeset`` as in papers."""
        name = self.rename.get(m.name, m.label if typeset else m.name)
        unit = " [%]" if self.percent and m.is_share else ""
        return f"{name}{unit}{(' ↑' if m.higher_is_better else ' ↓') if arrow else ''}"

    def cell(self, m: Measure, value: float, *, sign: bool = False) -> str:
        """Return a value of a measure."""
        share = self.percent and m.is_share
        digits = self.decimals if share or self.digits is not None else 4
        shown = 100 * value if share else value
        return f"{shown:+.{digits}f}" if sign else number(shown, digits)


def number_of(wanted: str | Measure, measures: Sequence[Measure], done: str) -> int:
    """Return which of the measures for which that was ``done`` is meant, or refuse it."""
    names, word = [m.name for m in measures], str(wanted)
    if names.count(word) == 1:  # one that holds weights in memory does not parse back
        return names.index(word)
    m = measure(wanted)
    for alike in ([x == m for x in measures], [x.definition.name == word for x in measures]):
        if alike.count(True) == 1:
            return alike.index(True)
    raise BadInput(f"{m.name!r} was not {done}{did_you_mean(m.name, names)} ({there_are(names)})")


def heading_of(name: str, *, typeset: bool) -> str:
    """Return what a measure is called in a heading, by its name; see :class:`TableLook`."""
    try:
        return measure(name).label if typeset else name
    except BadInput:  # a name with a function of the user's own does not parse back
        return name
