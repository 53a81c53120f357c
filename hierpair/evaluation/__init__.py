"""Labels in, scores out: batches, partials that add up, and the result."""

from hierpair.evaluation.partials import Partial, merge, partial
from hierpair.evaluation.scores import Scores
from hierpair.evaluation.scoring import score

__all__ = ["Partial", "Scores", "merge", "partial", "score"]
