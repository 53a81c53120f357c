"""Whether a measure calls nothing predicted where nothing is true perfect, or 0/0."""

from __future__ import annotations

import numpy as np

from hierpair.errors import HierpairError
from hierpair.measures.choosing import Measure

__all__ = ["empty_is_perfect"]


def empty_is_perfect(m: Measure) -> bool:
    """Return whether two empty sets have the best value whatever the convention for 0/0 is.

    It is asked of the formula, so it holds for measures of one's own too. A measure without the
    option ``zero_division`` has no 0/0 that could be meant instead: False.

    >>> from hierpair import measure
    >>> empty_is_perfect(measure("hf")), empty_is_perfect(measure("f"))
    (True, False)
    """
    if "zero_division" not in m.options:
        return False
    nothing = {name: np.zeros(1) for name in m.definition.columns}
    try:
        values = [m.with_options(zero_division=x).values(nothing)[0] for x in (0, 1)]
    except HierpairError:  # a formula of one's own that refuses empty sets
        return False
    return bool(values[0] == values[1])
