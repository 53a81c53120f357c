"""Probabilities, losses and gradients of classifiers on a hierarchy."""

from hierpair.heads.linear import LinearHead
from hierpair.heads.losses import HEADS, Head, sibling_shares

__all__ = ["HEADS", "Head", "LinearHead", "sibling_shares"]
