"""The options of the library's measures, a record of each.

All that lists or reads options has them from here: the parser, the command line, the functions of
:mod:`hierpair.metrics`, headings, documentation, and the comparison of conventions. That of a
user's own measure is a record above its function.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hierpair.hierarchy import DEPTHS
from hierpair.hierarchy.building import LARGEST_NUMBER
from hierpair.measures.class_weights import (
    COUNTED,
    WORDS,
    InMemoryData,
    annotations_given,
    weights_given,
)
from hierpair.measures.option import OPTIONS, RARE, Option
from hierpair.pairing import NAMED, cost_named, cost_text

AVERAGES = ("samples", "micro", "macro", "weighted")
"""Ways to pool."""


POSITIVE: dict[str, Any] = {
    "kind": float,
    "domain": "a finite number > 0",
    "check": lambda x: 0 < x < LARGEST_NUMBER,
}


def is_level(value: Any) -> bool:
    """Whether something can be a level of a hierarchy: its number, or the word of a rank."""
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) >= 0


ROOTS = {"include": "with root", "exclude": "without root"}

RECORDS = (
    Option(
        "root",
        usual={"exclude": 1, "include": 1},
        kind=object,
        domain="'exclude', 'include' or the name of a class",
        varied=("exclude", "include"),
        heading=lambda x: ROOTS.get(x, f"without {x}"),
        told="""
            exclude: a single root does not count
            include: the root counts
            ...: the class {} does not count
        """,
    ),
    Option(
        "average",
        "how the values of instances or classes become one score",
        {"samples": 1, "micro": 1, "weighted": 4},
        varied=("samples", "micro"),
        heading=str,
        told="""
            samples: the score is the mean over instances
            micro: all instances are counted together before the formula is applied
            macro: the score is the mean over classes
            weighted: the score is the mean over classes, weighted by how often they are true
        """,
    ),
    Option(
        "beta",
        "weight of recall in F; 2 counts it twice as much as precision",
        {0.5: 4, 1: 2, 2: 4},
        kind=float,
        domain="a finite number ≥ 0",
        check=lambda x: 0 <= x < LARGEST_NUMBER,
        heading="β = {}".format,
        told="""
            1: precision and recall weigh the same
            ...: recall weighs {} times as much as precision
        """,
    ),
    Option(
        "default",
        "Dmax, the cost of a class without a partner, such as one that nothing is predicted for",
        dict.fromkeys(range(1, 11), RARE) | {5: 2},
        **POSITIVE,
        varied=(2, 5, 10),
        heading="Dmax = {}".format,
        needless=lambda options: options["default"] is None,
        told="...: a class without a partner costs {}",
    ),
    Option(
        "denominator",
        told="""
            union: the largest possible error is that of the classes of both sets
            symdiff: the largest possible error is that of the classes that one set alone has
        """,
    ),
    Option(
        "augment",
        usual={"none": 3, "descendants": 5, "pruned": 5},
        told="""
            none: label sets are taken as they are
            ancestors: label sets are completed by all ancestors
            descendants: label sets are completed by all descendants
            pruned: label sets are completed by all ancestors, without classes of which the other
              set has no parent
        """,
    ),
    Option(
        "deeper",
        "a predicted label below true ones is a label like any other ('wrong'), or is replaced by "
        "the lowest of these ('right')",
        usual={"right": 3},
        needless=lambda options: options["deeper"] == "wrong",
        told="""
            wrong:
            right: a predicted label below true ones is these, as far as the truth goes
        """,
    ),
    Option(
        "extension",
        usual={"full": 4},
        heading=str,
        told="""
            exact: graphs have the fewest lowest common ancestors
            greedy: graphs are those of the published greedy Algorithm 1
            full: graphs are the extended ones, without reduction
        """,
    ),
    Option(
        "limit",
        "seconds per instance; None: as much work as takes about a minute, the same on every "
        "machine; after that, the best graphs found so far are used",
        kind=float,
        domain="a number of seconds > 0",
        check=lambda x: 0 < x < LARGEST_NUMBER,
        words=(None,),
        told="...: after {} seconds the best graphs so far are used",
    ),
    Option(
        "pairing",
        varied=("exact", "published"),
        heading=str,
        told="""
            exact: paths are paired for the most TP, then the fewest FN, then the most TN
            published: paths are paired by the published static greedy algorithm
        """,
    ),
    Option(
        "empty",
        told="""
            root: a prediction without labels is the path of the root alone
            none: a prediction without labels has no path
        """,
    ),
    Option(
        "nested",
        usual={"keep": 3},
        told="""
            drop: labels that are ancestors of others of their set are dropped
            keep: labels that are ancestors of others of their set are kept
        """,
    ),
    Option(
        "blank",
        usual={"count": 3},
        told="""
            ignore: blank labels do not count
            count: a blank label counts as a path to an unknown class
        """,
    ),
    Option(
        "cost",
        "cost of a pair: 'hops', 'weights', 'decayed(w0=0.75)', 'ancestors', 'wu_palmer', "
        "'lin', 'resnik', 'height', 'climb', 'cosine(FILE)' or 'matrix(FILE)', or in Python "
        "any callable",
        dict.fromkeys(NAMED, RARE) | {"hops": 2, "weights": 3},
        kind=object,
        domain="a name or a callable",
        check=lambda cost: (isinstance(cost, str) or callable(cost)) and bool(cost_named(cost)),
        resolve=cost_text,
        heading=str,
        told="""
            hops: a pair costs the edges between its classes
            weights: a pair costs the weights of the edges between its classes
            ...: a pair costs {}
        """,
    ),
    Option(
        "weights",
        "what a class weighs: 1 ('ones'), what it says beyond its parents ('ia', information "
        "accretion), how seldom it is ('ic', information content), how far it narrows down the "
        "leaves ('leaves'), or its line in a file; in Python also a mapping",
        {"ones": 1},
        kind=object,
        domain=f"{', '.join(map(repr, WORDS))}, a file of weights or a mapping",
        check=lambda x: isinstance(x, (str, InMemoryData)),
        resolve=weights_given,
        needless=lambda options: options["weights"] == "ones",
        told="""
            ones:
            ia: a class weighs what it says beyond its parents, in bits
            ic: a class weighs how seldom it is, in bits
            icm: a class weighs what it says beyond its parents, as ICM counts it
            leaves: a class weighs the bits by which it narrows down the leaves
            ...: classes weigh as {} says
        """,
    ),
    Option(
        "smooth",
        "added to both counts of the weights 'ia' and 'ic': 1, as if one more instance had all "
        "classes, or 0, where a class that is never seen has no finite weight",
        {1: 1},
        kind=int,
        domain="0 or 1",
        check=lambda x: x in (0, 1),
        needless=lambda options: options.get("weights") not in ("ia", "ic"),
        told="""
            1:
            ...: {} is added to the counts of classes
        """,
    ),
    Option(
        "reference",
        "annotations from which weights are counted: a file of labels, or in Python any "
        "labels; None: the truth that is evaluated",
        {None: 1},
        kind=object,
        domain="a file of labels or label sets",
        words=(None,),
        resolve=annotations_given,
        needless=lambda options: options.get("weights", "icm") not in COUNTED,
        told="...: weights are counted from {}",
    ),
    Option(
        "theta",
        "acceptable distance: a wrong class at this distance contributes 0; 'mean' is the "
        "mean over all pairs of classes",
        dict.fromkeys(range(1, 7), RARE),
        **POSITIVE,
        words=("mean",),
        heading="θ = {}".format,
        told="""
            mean: a wrong class at the mean distance of all classes contributes nothing
            ...: a wrong class at a distance of {} contributes nothing
        """,
    ),
    Option(
        "classes",
        told="""
            seen: means over classes are over those that occur
            all: means over classes are over all that count
        """,
    ),
    Option(
        "w0",
        "weight of one level: a class at depth d weighs w0 to the power of d",
        {0.5: 2, 0.75: 2},
        kind=float,
        domain="a number > 0 and ≤ 1",
        check=lambda x: 0 < x <= 1,
        told="...: a class at depth d weighs {} to the power of d",
    ),
    Option(
        "depth",
        usual=dict.fromkeys(DEPTHS, 3) | {"sum": 4},
        told="""
            min: a class with several parents weighs by its fewest edges from the root
            max: a class with several parents weighs by its most edges from the root
            mean: a class with several parents weighs by the mean of their weights
            sum: a class with several parents weighs by the sum of their weights
        """,
    ),
    Option(
        "normalise",
        usual={"path": 4},
        told="""
            none: weighted paths are taken as they are
            max-path: weighted paths are relative to the longest possible one
            path: weighted paths are relative to those from the root to the classes of the instance
        """,
    ),
    Option(
        "costs",
        usual={"subtree": 3},
        told="""
            sibling: a wrong class costs an even share of its parent's cost
            ones: every wrong class costs 1
            subtree: a wrong class costs the fraction of all classes that it and those below it are
        """,
    ),
    Option(
        "absent_level",
        usual={"none-class": 3},
        told="""
            skip: an instance is not judged at levels where it has no true class
            none-class: where an instance has no true class of a level, none is the right answer
        """,
    ),
    Option(
        "tips",
        usual={"sum": 3, "single": 3},
        told="""
            best: the most specific classes of both sides are paired at the least cost
            sum: the most specific classes of both sides are paired all with all
            single: each side has a single most specific class
        """,
    ),
    Option(
        "max_distance",
        "pairs of classes further apart, in edges, cannot be chosen",
        kind=float,
        domain="a number ≥ 0",
        check=lambda x: x >= 0,
        words=(None,),
        told="...: pairs more than {} edges apart cannot be chosen",
    ),
    Option(
        "threshold",
        "longest path between two classes, in edges; ancestors further up are cut off",
        {None: 2, 2: RARE, 4: RARE, 6: RARE, 8: RARE},
        kind=int,
        domain="an even whole number ≥ 2",
        check=lambda x: 2 <= x < 2**31 and x % 2 == 0,
        words=(None,),
        varied=(None, 4),
        told="...: paths between two classes have at most {} edges",
    ),
    Option(
        "zero_division",
        "value of 0/0: 0, 1, or nan, which is excluded from means",
        {0: 2, 1: 2, math.nan: RARE},
        kind=float,
        domain="0, 1 or nan",
        check=lambda x: x in (0, 1) or not x <= math.inf,  # nan
        heading="0/0 = {}".format,
        told="""
            nan: 0/0 is left out of means
            ...: 0/0 counts as {}
        """,
    ),
    Option(
        "at_level",
        "the level whose classes count, 0 for classes without parents, or their rank in a "
        "hierarchy that has ranks, such as genus; None for all classes",
        {None: 2, 1: 3, 2: 3},
        kind=object,
        domain="a whole number ≥ 0, the rank of classes",
        check=is_level,
        resolve=lambda x: int(x) if isinstance(x, str) and x.isdecimal() else x,
        words=(None,),
        heading=lambda x: f"level {x}" if x.isdecimal() else x,
        told="...: only classes of the level {} count",
    ),
    Option(
        "lengths",
        usual={"weights": 2, "depth": 3},
        heading=str,
        told="""
            ones: every edge has the length 1
            weights: edges have the lengths that the hierarchy gives them
            depth: the edge above a class has the length 1 / depth
        """,
    ),
    Option(
        "utility",
        told="""
            1/s: an answer of s leaves is worth 1/s
            u65: an answer of s leaves is worth 1.6/s − 0.6/s²
            u80: an answer of s leaves is worth 2.2/s − 1.2/s²
        """,
    ),
    Option(
        "inconsistent",
        told="""
            wrong: a predicted label without its ancestors is wrong
            drop: a predicted label without its ancestors is dropped
        """,
    ),
    Option(
        "parents",
        usual={"any": 3},
        told="""
            all: a label needs all its ancestors
            any: a label needs one way from a root
        """,
    ),
    Option(
        "interpolation",
        "how the points of a precision-recall curve are joined: every gain of recall has the "
        "precision of its point ('step', average precision), trapezoids between single hits "
        "('clus', Davis & Goadrich), or straight lines ('trapezoid', optimistic)",
        {"step": 1, "clus": 1, "trapezoid": 1},
        heading="{} areas".format,
        told="""
            step: areas are by steps (average precision)
            clus: areas are by trapezoids between single hits, as Clus has them
            trapezoid: areas are by straight lines between thresholds, which are optimistic
        """,
    ),
    Option(
        "least",
        "true instances that a class must have to be counted",
        {0: 1, 1: 1, 10: 3},
        kind=int,
        domain="a whole number ≥ 0",
        check=lambda x: x >= 0,
        heading="≥ {} true".format,
        told="""
            0:
            ...: only classes with at least {} true instances are counted
        """,
    ),
    Option(
        "closure",
        "scores are taken as they are ('none'), or every class gets the highest score below it "
        "('max')",
        {"none": 1, "max": 1},
        told="""
            none:
            max: every class has the highest score of those below it
        """,
    ),
    Option(
        "one_sided",
        "area under the ROC curve of a class that no or every instance has, or of pairs that are "
        "all true: nan, which is left out of means, or 0.5",
        {math.nan: 1, 0.5: 2},
        kind=float,
        domain="0.5 or nan",
        check=lambda x: x == 0.5 or not x <= math.inf,  # nan
        heading="one-sided = {}".format,
        told="""
            nan:
            ...: a class that no or every instance has counts as {}
        """,
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
        told="...: probabilities are put into {} bins",
    ),
    Option(
        "clip",
        "probabilities are moved to at least this and at most 1 less this before their logarithm "
        "is taken; 0 takes them as they are",
        {0: 1},
        kind=float,
        domain="a number ≥ 0 and < 0.5",
        check=lambda x: 0 <= x < 0.5,
        told="""
            0:
            ...: probabilities are clipped by {}
        """,
    ),
    Option(
        "over_levels",
        usual={"mean": 1},
        heading="{} of levels".format,
        told="""
            mean: the score is the mean over levels
            sum: the score is the sum over levels
        """,
    ),
    Option(
        "k",
        "how many of the first classes of a ranking count",
        {1: 2, 5: 3, 10: 3, 20: 3},
        kind=int,
        domain="a whole number ≥ 1",
        check=lambda x: x >= 1,
        heading="@{}".format,
        told="...: the first {} of a ranking count",
    ),
    Option(
        "ties",
        "where equal scores leave open which classes are among the first k: an error "
        "('error'), or they are taken by name ('name')",
        told="""
            error:
            name: classes of equal scores are ranked by name
        """,
    ),
    Option(
        "candidates",
        usual={"all": 3},
        told="""
            leaves: leaves are ranked
            all: all classes but a single root are ranked
        """,
    ),
    Option(
        "largest",
        "the distance D that is no similarity at all; None: the largest between two classes "
        "that can be ranked",
        **POSITIVE,
        words=(None,),
        told="...: a distance of {} is no similarity at all",
    ),
    Option(
        "ideal",
        usual={"classes": 4},
        told="""
            instances: the best rankings are those for the true classes
            classes: the best rankings are those for all classes, once each
        """,
    ),
    Option(
        "norm",
        "means are over the instances with a prediction for precision, else over all ('cafa'); "
        "over those with a prediction ('pred'); over all ('gt')",
        {"cafa": 1, "pred": 3},
        told="""
            cafa:
            pred: means are over the instances with a prediction, so that systems that predict for
              different instances cannot be compared
            gt: means are over all instances, with precision 0 where nothing is predicted
        """,
    ),
    Option(
        "prop",
        "a class gets the highest score below it, if that is higher ('max') or if it has none of "
        "its own ('fill')",
        {"max": 1},
        told="""
            max:
            fill: only a class without a score of its own has the highest of its children
        """,
    ),
    Option(
        "zero_weight",
        "instances whose true classes weigh nothing are left out of recall, or of all means if no "
        "true class counts ('skip'); they have recall 0 ('count')",
        {"skip": 1},
        heading="zero weight: {}".format,
        told="""
            skip:
            count: an instance whose true classes weigh nothing has the recall 0
        """,
    ),
    Option(
        "thresholds",
        "every score that occurs is a threshold ('distinct'), or the multiples of a step below 1",
        {"distinct": 1, 0.01: 2},
        kind=float,
        domain="a number ≥ 0.000001 and < 1",
        check=lambda x: 1e-6 <= x < 1,
        words=("distinct",),
        told="""
            distinct:
            ...: thresholds are the multiples of {}
        """,
    ),
)

OPTIONS |= {option.name: option for option in RECORDS}
