"""Controlled errors by name, such as ``up2`` or ``add_sibling``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hierpair.errors import BadInput, first_repeated
from hierpair.labels.naming import check_order

__all__ = ["DEFAULT_STEPS", "UNIT", "Step", "read_steps"]

UNIT = "unrelated"
"""The replacement that others are measured in."""

DEFAULT_STEPS = (
    *("up1", "up2", "sibling", "cousin", UNIT),
    *("add_up1", "add_sibling", "add_cousin", "add_unrelated", "drop", "drop_all"),
)
"""What is done to labels if nothing is asked for; descendants and noise are to be asked for, since
leaves have none of the one, and the other does not say what is wrong."""

RELATIONS = ("up", "down", "sibling", "cousin", UNIT)
"""How the class that comes in is related to the label."""

FORM = re.compile(
    r"(?P<add>add_)?(?:(?P<line>up|down)(?P<k>[1-9]\d*)"
    r"|(?:(?P<n>[1-9]\d*)_)?(?P<kin>sibling|cousin|unrelated))"
)
NOISE = re.compile(r"noise_(\d*\.?\d+)")

HELP = (
    "a step is up<k> or down<k> (its k-th ancestor, a descendant k below), sibling, cousin or "
    "unrelated in place of a label, add_ before one of these beside it (add_<n>_unrelated: n of "
    "them), drop, drop_all, or noise_<rate>"
)


@dataclass(frozen=True)
class Step:
    """One controlled error.

    Attributes
    ----------
    name
        As it is asked for.
    kind
        ``"replace"``, ``"add"``, ``"drop"``, ``"drop_all"`` or ``"noise"``.
    relation
        How the class that comes in is related to the label (:data:`RELATIONS`), or ``""``.
    amount
        How far up or down, or how many are added.
    rate
        Share of labels that are replaced by any class.
    """

    name: str
    kind: str
    relation: str = ""
    amount: int = 1
    rate: float = 0.0

    @property
    def words(self) -> str:
        """What is done, as people say it."""
        if self.kind == "noise":
            return f"noise {100 * self.rate:g} %"
        if self.kind in ("drop", "drop_all"):
            return "left out" if self.kind == "drop" else "all left out"
        other = {
            "up": {1: "parent", 2: "grandparent"}.get(self.amount, f"ancestor {self.amount} above"),
            "down": {1: "child"}.get(self.amount, f"descendant {self.amount} below"),
        }.get(self.relation, self.relation)
        if self.kind == "replace":
            return other
        return f"+ {self.amount} unrelated" if self.amount > 1 and not self.line else f"+ {other}"

    @property
    def line(self) -> bool:
        """Whether the class that comes in is above or below the label."""
        return self.relation in ("up", "down")

    @property
    def source(self) -> tuple[int, int]:
        """What its random numbers depend on; what replaces a label is also what is added to it."""
        return RELATIONS.index(self.relation), self.amount if self.line else 1


def read_step(name: str) -> Step:
    """Return the step of this name.

    >>> read_step("add_3_unrelated").words, read_step("up2").words
    ('+ 3 unrelated', 'grandparent')
    """
    if name in ("drop", "drop_all"):
        return Step(name, name)
    noise = NOISE.fullmatch(name)
    if noise:
        rate = float(noise[1])
        if not 0 < rate <= 1:
            raise BadInput(f"the rate of {name!r} must be above 0 and at most 1")
        return Step(name, "noise", rate=rate)
    found = FORM.fullmatch(name)
    several = found and found["n"] and (found["kin"] != UNIT or not found["add"])
    if not found or several:
        raise BadInput(f"there is no step {name!r}: {HELP}")
    amount = int(found["k"] or found["n"] or 1)
    kind = "add" if found["add"] else "replace"
    return Step(name, kind, found["line"] or found["kin"], amount)


def read_steps(steps: Sequence[str] | str) -> tuple[Step, ...]:
    """Return steps by their names.

    Raises
    ------
    BadInput
        For a name that says no step, one that comes twice, or no name at all.
    """
    names = [steps] if isinstance(steps, str) else steps
    check_order(names, "steps")
    found = tuple(read_step(str(name)) for name in names)
    if not found:
        raise BadInput(f"no step is given; {HELP}")
    double = first_repeated([step.name for step in found])
    if double is not None:
        raise BadInput(f"the step {double!r} is named twice")
    return found
