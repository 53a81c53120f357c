"""Probabilities, losses and gradients of classifiers on a hierarchy."""

from hierpair.probabilistic.heads.linear_head import LinearHead
from hierpair.probabilistic.heads.losses import HEADS, Head, sibling_shares

__all__ = ["HEADS", "Head", "LinearHead", "sibling_shares"]
