"""From a law and a measure to a decision and its expected value."""

from hierpair.decisions.deciding import decode
from hierpair.decisions.expecting import Expected, expected

__all__ = ["Expected", "decode", "expected"]
