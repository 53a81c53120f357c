"""Pairs of graphs by their numbers of classes: which of them can have the largest F."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["Outcome", "best_of", "bits_set", "measured", "undominated"]


class Outcome(NamedTuple):
    """A pair of graphs: their masks (true, predicted), sizes, and a mask of the chosen LCAs.

    ``both`` and ``size`` are the number of shared classes and of classes on both sides
    together; ``lean`` is true less predicted classes.
    """

    both: int
    size: int
    lean: int
    masks: tuple[int, int]
    chosen: int = 0

    def joined(self, other: Outcome) -> Outcome:
        """Return the union with the graphs of an independent part."""
        return Outcome(
            self.both + other.both,
            self.size + other.size,
            self.lean + other.lean,
            (self.masks[0] | other.masks[0], self.masks[1] | other.masks[1]),
            self.chosen | other.chosen,
        )

    @property
    def lcas(self) -> tuple[int, ...]:
        """The numbers of the chosen LCAs, ascending."""
        return tuple(bits_set(self.chosen))


def best_of(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome with the largest F, then the most balanced, most precise, smallest.

    F = 2 both / size is compared by cross-multiplication, so no rounding decides.
    """
    best: Outcome | None = None
    for new in outcomes:
        if best is None or _better(new, best):
            best = new
    if best is None:
        raise ValueError("no outcome")
    return best


def _better(new: Outcome, old: Outcome) -> bool:
    left, right = new.both * old.size, old.both * new.size
    if left != right:
        return left > right
    if abs(new.lean) != abs(old.lean):
        return abs(new.lean) < abs(old.lean)
    # precision = both / predicted, with predicted = (size - lean) / 2
    left, right = new.both * (old.size - old.lean), old.both * (new.size - new.lean)
    if left != right:
        return left > right
    if new.size != old.size:
        return new.size < old.size
    return (new.lcas, new.masks) < (old.lcas, old.masks)  # any fixed order; the counts are equal


def bits_set(mask: int) -> list[int]:
    """Return the numbers of the bits of a mask, ascending.

    >>> bits_set(0b1101)
    [0, 2, 3]
    """
    bits = []
    while mask:
        lowest = mask & -mask
        bits.append(lowest.bit_length() - 1)
        mask ^= lowest
    return bits


def measured(t: int, p: int) -> tuple[int, int, int]:
    """Return how many classes two masks share, how many both have, and the difference."""
    n_true, n_predicted = t.bit_count(), p.bit_count()
    return (t & p).bit_count(), n_true + n_predicted, n_true - n_predicted


def undominated(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Drop outcomes that are worse than another whatever else the graphs hold.

    With k more shared classes and j more in all, F = 2 C / S rises if k S > j C; as S ≥ 2 C,
    it does whenever k ≥ 0 and j < 2 k. Of equal numbers one is kept per lean.
    """
    if len(outcomes) == 1:
        return list(outcomes)
    distinct: dict[tuple[int, int, int], Outcome] = {}
    for o in outcomes:
        key = (o.both, o.size, o.lean)
        if key not in distinct or (o.lcas, o.masks) < (distinct[key].lcas, distinct[key].masks):
            distinct[key] = o
    pairs = {(o.both, o.size) for o in distinct.values()}
    good = {(c, s) for c, s in pairs if not any(d >= c and u - s < 2 * (d - c) for d, u in pairs)}
    return [o for key, o in distinct.items() if key[:2] in good]
