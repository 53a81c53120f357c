"""The options of measures that look at every threshold of scores."""

from __future__ import annotations

from hierpair.measures.option import Option

__all__ = ["THRESHOLD_OPTIONS"]

THRESHOLD_OPTIONS = (
    Option(
        "norm",
        "what means are over: precision over the instances with a prediction and all else over "
        "all instances ('cafa'), all over those with a prediction ('pred'), or all over all ('gt')",
        {"cafa": 1, "pred": 3, "gt": 2},
        heading="norm = {}".format,
        told={
            "cafa": "",
            "pred": "means are over the instances with a prediction, so that systems that predict "
            "for different instances cannot be compared",
            "gt": "means are over all instances, with precision 0 where nothing is predicted",
        },
    ),
    Option(
        "prop",
        "a class has the highest score of those below it, if that is higher ('max') or if it has "
        "none of its own ('fill')",
        {"max": 1, "fill": 2},
        heading="prop = {}".format,
        told={
            "max": "",
            "fill": "only a class without a score of its own has the highest of its children",
        },
    ),
    Option(
        "zero_weight",
        "an instance whose true classes weigh nothing is left out of recall, and one without a "
        "true class that counts altogether ('skip'), or each has the recall 0 ('count')",
        {"skip": 1, "count": 2},
        heading="zero weight: {}".format,
        told={"skip": "", "count": "an instance whose true classes weigh nothing has the recall 0"},
    ),
    Option(
        "thresholds",
        "every score that occurs is a threshold ('distinct'), or the multiples of a step below 1",
        {"distinct": 1, 0.01: 2},
        kind=float,
        domain="a number ≥ 0.000001 and < 1",
        check=lambda x: 1e-6 <= x < 1,
        words=("distinct",),
        heading="thresholds = {}".format,
        told={"distinct": "", ...: "thresholds are the multiples of {}"},
    ),
)
"""A new one is an entry here."""
