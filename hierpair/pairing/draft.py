"""The draft that demands write on: its verbs are the whole vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, did_you_mean, shown
from hierpair.pairing.pairs import Labels, Pairs, Side

__all__ = ["Draft", "Grouping"]


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of labels of one side that share a bound; ``group`` is -1 for no group."""

    side: Side
    group: NDArray[np.int64]
    at_least: int
    at_most: int


class Draft:
    """A pairing problem in the making; its verbs are all that a demand can say.

    Every verb has an exact place in a flow network, so whatever can be said can be solved. A
    verb that is not here fails by name.

    Attributes
    ----------
    pairs
        All pairs of the batch.
    """

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs
        sides: tuple[Side, Side] = ("predicted", "true")
        count = {s: len(self.labels(s).classes) for s in sides}
        self.candidate = np.ones(len(pairs.instance), dtype=bool)
        self.required = np.zeros(len(pairs.instance), dtype=bool)
        self.at_least = {s: np.zeros(count[s], dtype=np.int64) for s in sides}
        self.at_most = {s: self.others(s) for s in sides}
        self.default: dict[Side, NDArray[Any]] = {s: np.full(count[s], np.inf) for s in sides}
        self.default_in_turn: dict[Side, dict[int, NDArray[Any]]] = {s: {} for s in sides}
        self.total_bounds: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
        self.groupings: list[Grouping] = []

    def __getattr__(self, verb: str) -> NoReturn:
        if verb.startswith("__"):
            raise AttributeError(verb)
        known = [name for name in vars(Draft) if not name.startswith("_")]
        raise BadInput(
            f"a pairing has no verb {verb!r}; it has {', '.join(known)}"
            f"{did_you_mean(verb, known)} (what a flow network cannot say has no verb)"
        )

    def labels(self, side: Side) -> Labels:
        """Return the labels of a side."""
        if side not in ("predicted", "true"):
            raise BadInput(f"side must be 'predicted' or 'true', got {side!r}")
        return self.pairs.predicted_labels if side == "predicted" else self.pairs.true_labels

    def others(self, side: Side) -> NDArray[np.int64]:
        """Return, per label, how many labels the other side of its instance has."""
        other = self.labels("true" if side == "predicted" else "predicted")
        count: NDArray[np.int64] = np.diff(other.ptr)[self.labels(side).instance]
        return count

    def bound(
        self,
        side: Side,
        at_least: int | NDArray[np.int64],
        at_most: int | NDArray[np.int64] | None,
        where: NDArray[np.bool_] | None = None,
    ) -> None:
        """Bound the number of partners of labels; ``at_most=None`` leaves it open."""
        chosen = np.ones(len(self.at_least[side]), dtype=bool) if where is None else where
        others = self.others(side)
        at_least, at_most = _whole(at_least, "at_least"), _whole(at_most, "at_most")
        highest = np.maximum(others, at_least) if at_most is None else at_most + 0 * others
        lowest = at_least + 0 * others
        bad = np.flatnonzero(chosen & ((lowest < 0) | (lowest > highest)))
        if len(bad):
            raise BadInput(
                f"a label cannot have at least {lowest[bad[0]]} and at most {highest[bad[0]]} "
                "partners; the bounds must be whole numbers with 0 ≤ at_least ≤ at_most"
            )
        highest = np.minimum(highest, np.maximum(others, lowest))  # more is never used
        self.at_least[side][chosen] = lowest[chosen]
        self.at_most[side][chosen] = highest[chosen]

    def allow_missing(self, side: Side, price: Any, where: NDArray[np.bool_] | None = None) -> None:
        """Let labels lack partners at a price each; a tuple is a price for every turn."""
        chosen = slice(None) if where is None else where
        first, *later = price if isinstance(price, tuple) and price else (price,)
        prices = self._default_prices(side, first)
        if prices.dtype == object and self.default[side].dtype != object:
            self.default[side] = self.default[side].astype(object)
        self.default[side][chosen] = prices[chosen]
        for turn, one in enumerate(later, start=1):
            known = self.default_in_turn[side]
            known.setdefault(turn, np.zeros(len(prices)))[chosen] = self._default_prices(side, one)[
                chosen
            ]

    def _default_prices(self, side: Side, price: Any) -> NDArray[Any]:
        try:
            prices = np.broadcast_to(np.asarray(price), self.default[side].shape)
            values = prices.astype(np.float64)
        except (TypeError, ValueError):
            raise BadInput(f"a default price must be a number ≥ 0, got {shown(price)}") from None
        if np.isnan(values).any() or (values < 0).any():
            raise BadInput(f"a default price must be a number ≥ 0, got {price!r}")
        return prices

    def forbid(self, where: NDArray[np.bool_]) -> None:
        """Take pairs out."""
        self.candidate &= ~self._mask(where)

    def require(self, where: NDArray[np.bool_]) -> None:
        """Choose these pairs in any case."""
        self.required |= self._mask(where)

    def total(self, at_least: int, at_most: int | None) -> None:
        """Bound the number of chosen pairs of every instance."""
        n = len(self.pairs.ptr) - 1
        at_least, at_most = _whole(at_least, "at_least"), _whole(at_most, "at_most")
        count = np.diff(self.pairs.ptr)
        most = count if at_most is None else np.minimum(count, at_most)
        if at_least < 0 or (at_most is not None and at_most < at_least):
            most_said = "open" if at_most is None else f"at most {at_most}"
            raise BadInput(f"a total cannot be at least {at_least} and {most_said}")
        self.total_bounds = (np.full(n, at_least), np.maximum(most, at_least))

    def within(self, side: Side, group: NDArray[np.int64], at_most: int, at_least: int = 0) -> None:
        """Bound the pairs of each group of labels (-1: no group); groups must be nested."""
        labels = self.labels(side)
        at_least, at_most = _whole(at_least, "at_least"), _whole(at_most, "at_most")
        if group.shape != labels.classes.shape:
            raise BadInput(f"expected one group per label {labels.classes.shape}, "
                           f"got shape {group.shape}")  # fmt: skip
        if at_least < 0 or at_most < at_least:
            raise BadInput(f"a group cannot have at least {at_least} and at most {at_most} pairs")
        most = max(at_least, min(at_most, len(self.pairs.instance)))
        self.groupings.append(Grouping(side, group.astype(np.int64), at_least, most))

    def _mask(self, where: Any) -> NDArray[np.bool_]:
        mask = np.asarray(where)
        if mask.dtype != bool or mask.shape != self.candidate.shape:
            raise BadInput(
                f"expected one truth value per pair {self.candidate.shape}, "
                f"got {mask.dtype} of shape {mask.shape}"
            )
        return mask


def _whole(bound: Any, name: str) -> Any:
    """Refuse a bound that is not a whole number (or an array of them, or None)."""
    good = bound is None or (not isinstance(bound, bool) and np.asarray(bound).dtype.kind in "iu")
    if not good:
        raise BadInput(f"{name} must be a whole number, got {shown(bound)}")
    return bound
