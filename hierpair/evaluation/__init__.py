"""Labels in, scores out: batches, partials that add up, and the result."""

from typing import TYPE_CHECKING, Any

from hierpair.evaluation.by_level import LevelTable
from hierpair.evaluation.partial import Partial, merge, partial
from hierpair.evaluation.scores import Scores
from hierpair.evaluation.scoring import score

if TYPE_CHECKING:
    from hierpair.evaluation.dataset import score_dataset

__all__ = ["LevelTable", "Partial", "Scores", "merge", "partial", "score", "score_dataset"]


def __getattr__(name: str) -> Any:
    # What reads data sets is not loaded by those who score labels in memory.
    if name == "score_dataset":
        from hierpair.evaluation.dataset import score_dataset

        return score_dataset
    raise AttributeError(f"module 'hierpair.evaluation' has no attribute {name!r}")
