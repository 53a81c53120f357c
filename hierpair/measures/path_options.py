"""The options of measures of levels and whole paths; :data:`OPTIONS` holds them beside others."""

from __future__ import annotations

from hierpair.measures.option import Option

__all__ = ["PATH_OPTIONS"]

PATH_OPTIONS = (
    Option(
        "at_level",
        "the level whose classes count, 0 for classes without parents; None for all classes",
        {None: 2, 1: 3, 2: 3},
        kind=int,
        domain="a whole number ≥ 0",
        check=lambda x: x >= 0,
        words=(None,),
        heading="level {}".format,
        told={None: "", ...: "only classes of level {} count"},
    ),
    Option(
        "inconsistent",
        "a predicted label whose ancestors are not predicted is wrong ('wrong'), or it is no "
        "label ('drop')",
        {"wrong": 2, "drop": 2},
        told={
            "wrong": "a predicted label without its ancestors is wrong",
            "drop": "a predicted label without its ancestors is dropped",
        },
    ),
    Option(
        "parents",
        "a label with several parents needs all its ancestors ('all'), or one way from a root "
        "('any')",
        {"all": 2, "any": 3},
        told={
            "all": "a label needs all its ancestors",
            "any": "a label needs one way from a root",
        },
    ),
)
"""The records of these options."""
