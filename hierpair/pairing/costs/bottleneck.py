"""The largest cost that is paid as what is minimised first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.pairing.costs.lexicographic import Lexicographic
from hierpair.pairing.costs.named_costs import Cost
from hierpair.pairing.pairs import Pairs

__all__ = ["Bottleneck"]


@dataclass(frozen=True)
class Bottleneck:
    """The least largest cost: of all pairings those whose dearest pair is as cheap as can be.

    Among these the sum of the costs is minimised, and it is the cost of the pairing. Costs of
    missing partners (``Unmatched``) count like those of pairs; costs of numbers of pairs are part
    of the sum only.

    Parameters
    ----------
    cost
        A cost of pairs, ≥ 0; or a :class:`Lexicographic`, of whose first cost the largest counts,
        and which decides among pairings of the same largest cost.

    Examples
    --------
    >>> from hierpair import Degree, Hops, Rule
    >>> rule = Rule(Bottleneck(Hops()), (Degree("true", 1, 1), Degree("predicted", 1, 1)))
    """

    cost: Cost | Lexicographic

    def __post_init__(self) -> None:
        if not callable(self.cost) or isinstance(self.cost, Bottleneck):
            raise BadInput(f"a bottleneck is that of a cost of pairs, got {shown(self.cost)}")

    def __call__(self, pairs: Pairs) -> NDArray[Any]:
        """Return the costs."""
        costs: NDArray[Any] = self.cost(pairs)
        return costs
