"""Labels in, scores out: batches, partials that add up, and the result."""

from hierpair.evaluation.data_sets.dataset_scoring import score_dataset
from hierpair.evaluation.partials.merging import merge
from hierpair.evaluation.partials.partial import Partial
from hierpair.evaluation.partials.summing import partial
from hierpair.evaluation.results.scores import Scores
from hierpair.evaluation.scoring import score

__all__ = ["Partial", "Scores", "merge", "partial", "score", "score_dataset"]
