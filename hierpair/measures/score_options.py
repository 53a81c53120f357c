"""The options of measures of scores; :data:`OPTIONS` holds them beside those of label sets."""

from __future__ import annotations

import math

from hierpair.hierarchy.building import LARGEST_NUMBER
from hierpair.measures.option import Option
from hierpair.measures.scored.rankings import TIES

__all__ = ["SCORE_OPTIONS"]

SCORE_OPTIONS = (
    Option(
        "interpolation",
        "how the points of a precision-recall curve are joined: every gain of recall has the "
        "precision of its point ('step', average precision), trapezoids between single hits "
        "('clus', Davis & Goadrich), or straight lines ('trapezoid', optimistic)",
        {"step": 1, "clus": 1, "trapezoid": 1},
        heading="{} areas".format,
        told={
            "step": "areas are by steps (average precision)",
            "clus": "areas are by trapezoids between single hits, as Clus has them",
            "trapezoid": "areas are by straight lines between thresholds, which are optimistic",
        },
    ),
    Option(
        "least",
        "true instances that a class must have to be counted",
        {0: 1, 1: 1, 10: 3},
        kind=int,
        domain="a whole number ≥ 0",
        check=lambda x: x >= 0,
        heading="≥ {} true".format,
        told={0: "", ...: "only classes with at least {} true instances are counted"},
    ),
    Option(
        "closure",
        "scores are taken as they are ('none'), or every class gets the highest score below it "
        "('max')",
        {"none": 1, "max": 1},
        heading="closure = {}".format,
        told={"none": "", "max": "every class has the highest score of those below it"},
    ),
    Option(
        "one_sided",
        "area under the ROC curve of a class that no or every instance has, or of pairs that are "
        "all true: nan, which is left out of means, or 0.5",
        {math.nan: 1, 0.5: 2},
        kind=float,
        domain="0.5 or nan",
        check=lambda x: x == 0.5 or math.isnan(x),
        heading="one-sided = {}".format,
        told={math.nan: "", ...: "a class that no or every instance has counts as {}"},
    ),
    Option(
        "bins",
        "bins of equal width, or ranges of equally many instances, into which probabilities are "
        "put",
        {10: 1, 15: 1, 5: 3, 20: 3},
        kind=int,
        domain="a whole number from 1 to 100000",
        check=lambda x: 1 <= x <= 100_000,
        heading="{} bins".format,
        told={...: "probabilities are put into {} bins"},
    ),
    Option(
        "clip",
        "probabilities are moved to at least this and at most 1 less this before their logarithm "
        "is taken; 0 takes them as they are",
        {0: 1},
        kind=float,
        domain="a number ≥ 0 and < 0.5",
        check=lambda x: 0 <= x < 0.5,
        heading="clip = {}".format,
        told={0: "", ...: "probabilities are clipped by {}"},
    ),
    Option(
        "over_levels",
        "the values of the levels are averaged, whatever their sizes ('mean'), or added ('sum')",
        {"mean": 1, "sum": 2},
        heading="{} of levels".format,
        told={
            "mean": "the score is the mean over levels",
            "sum": "the score is the sum over levels",
        },
    ),
    Option(
        "k",
        "how many of the first classes of a ranking count",
        {1: 2, 5: 3, 10: 3, 20: 3},
        kind=int,
        domain="a whole number ≥ 1",
        check=lambda x: x >= 1,
        heading="@{}".format,
        told={...: "the first {} of a ranking count"},
    ),
    Option(
        "ties",
        "where equal scores leave open which classes are among the first k: an error "
        "('error'), or they are taken by name ('name')",
        dict.fromkeys(TIES, 2),
        told={
            "error": "",
            "name": "classes of equal scores are ranked by name",
        },
    ),
    Option(
        "candidates",
        "which classes are ranked: those without children ('leaves'), or all but a single "
        "root ('all')",
        {"leaves": 2, "all": 3},
        told={
            "leaves": "leaves are ranked",
            "all": "all classes but a single root are ranked",
        },
    ),
    Option(
        "largest",
        "the distance D that is no similarity at all; None: the largest between two classes "
        "that can be ranked",
        kind=float,
        domain="a finite number > 0",
        check=lambda x: 0 < x < LARGEST_NUMBER,
        words=(None,),
        told={None: "", ...: "a distance of {} is no similarity at all"},
    ),
    Option(
        "ideal",
        "similarities are compared with those of the best ranking for the true class of every "
        "instance ('instances'), or with the mean over all classes ('classes')",
        {"instances": 2, "classes": 4},
        told={
            "instances": "the best rankings are those for the true classes",
            "classes": "the best rankings are those for all classes, once each",
        },
    ),
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
