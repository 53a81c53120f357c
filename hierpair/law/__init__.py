"""Probabilities of label sets: laws over scenarios, and scores of classes."""

from hierpair.law.law import Law
from hierpair.law.scores import CLOSURES, Closing, NodeScores

__all__ = ["CLOSURES", "Closing", "Law", "NodeScores"]
