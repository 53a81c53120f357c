"""The families of measures, in the order in which they are listed."""

from typing import NamedTuple

__all__ = ["FAMILIES", "Family"]


class Family(NamedTuple):
    """The title of a family in lists, and what its measures tell."""

    title: str
    tells: str


FAMILIES = {
    "set": Family(
        "Set-based measures",
        "how many classes are right, of the labels as they are or with what is above or below them",
    ),
    "level": Family("Levels and paths", "what is right at each level, and where a path goes wrong"),
    "pair": Family(
        "Pair-based measures", "how far each predicted label is from the true one it is paired with"
    ),
    "lca": Family(
        "Lowest common ancestors", "what is right below the classes in which both sets meet"
    ),
    "confusion": Family(
        "The hierarchical confusion matrix",
        "hits, misses and true negatives along root paths, and all that is derived from them",
    ),
    "contribution": Family(
        "Contributions by distance (Sun & Lim)", "classes nearby are partly right"
    ),
    "depth": Family(
        "Depth-dependent measures and H-loss", "mistakes near the top cost more than those far down"
    ),
    "path": Family(
        "One class per level, and labels whose paths have to be right",
        "whether predictions are right with all that is above them, and whether they are paths",
    ),
    "transport": Family(
        "Masses that are moved (Wasserstein)", "how far labels that share one mass have to be moved"
    ),
    "threshold": Family(
        "Scores at every threshold (CAFA)", "the best that any threshold makes of scores"
    ),
    "ranking": Family("Ranked predictions", "how good the first k classes are"),
    "area": Family(
        "Areas under curves", "how well scores separate instances of a class from all others"
    ),
    "calibration": Family(
        "Calibration and proper scores", "whether probabilities are what they claim to be"
    ),
    "scores": Family("Other measures of scores", "what else scores tell"),
}
"""The word of a family, its title, and what it tells. A new family is an entry here."""
