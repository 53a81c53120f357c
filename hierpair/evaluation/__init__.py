"""Labels in, scores out: batches, statistics that add up, and the result."""

from hierpair.evaluation.scores import Scores
from hierpair.evaluation.scoring import Accumulator, score

__all__ = ["Accumulator", "Scores", "score"]
