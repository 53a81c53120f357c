"""The options of the library's measures: a new one is one entry of :data:`OPTIONS`.

That of a user's own measure is a record above its function.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from hierpair.confusion import BLANKS, EMPTY, NESTED, PAIRINGS
from hierpair.hierarchy import COSTS, DEPTHS
from hierpair.hierarchy.building import LARGEST_NUMBER
from hierpair.lca import EXTENSIONS
from hierpair.measures.class_weights import (
    COUNTED,
    WORDS,
    annotations_given,
    check_reference,
    check_weights,
    weights_given,
)
from hierpair.measures.option import RARE, Option
from hierpair.measures.path_options import PATH_OPTIONS
from hierpair.measures.recipes.augmentation import AUGMENTATIONS
from hierpair.measures.score_options import SCORE_OPTIONS
from hierpair.pairing import NAMED, NORMALISATIONS, cost_named, cost_text

__all__ = ["AVERAGES", "OPTIONS"]

AVERAGES = ("samples", "micro", "macro", "weighted")
"""Ways to pool."""


def _usual(
    values: Iterable[Any], but: Mapping[Any, int] | None = None, n: int = 2
) -> dict[Any, int]:
    return {value: (but or {}).get(value, n) for value in values}


def _check_cost(cost: Any) -> bool:
    if not isinstance(cost, str) and not callable(cost):
        return False
    cost_named(cost)
    return True


def _root_heading(value: str) -> str:
    return {"include": "with root", "exclude": "without root"}.get(value, f"without {value}")


OPTIONS: dict[str, Option] = {
    option.name: option
    for option in (
        Option(
            "root",
            "a single root does not count ('exclude'), counts ('include'), or the class of this "
            "name does not count",
            {"exclude": 1, "include": 1},
            kind=object,
            domain="'exclude', 'include' or the name of a class",
            varied=("exclude", "include"),
            heading=_root_heading,
            told={
                "exclude": "a single root does not count",
                "include": "the root counts",
                ...: "the class {} does not count",
            },
        ),
        Option(
            "average",
            "how the values of instances or classes become one score",
            {"samples": 1, "micro": 1, "macro": 2, "weighted": 4},
            varied=("samples", "micro"),
            heading=str,
            told={
                "samples": "the score is the mean over instances",
                "micro": "all instances are counted together before the formula is applied",
                "macro": "the score is the mean over classes",
                "weighted": "the score is the mean over classes, weighted by how often they are "
                "true",
            },
        ),
        Option(
            "beta",
            "weight of recall in F; 2 counts it twice as much as precision",
            {0.5: 4, 1: 2, 2: 4},
            kind=float,
            domain="a finite number ≥ 0",
            check=lambda x: 0 <= x < LARGEST_NUMBER,
            heading="β = {}".format,
            told={
                1: "precision and recall weigh the same",
                ...: "recall weighs {} times as much as precision",
            },
        ),
        Option(
            "default",
            "Dmax, the cost of a class without a partner",
            _usual(range(1, 11), {5: 2}, RARE),
            kind=float,
            domain="a finite number > 0",
            check=lambda x: 0 < x < LARGEST_NUMBER,
            varied=(2, 5, 10),
            heading="Dmax = {}".format,
            told={None: "", ...: "a class without a partner costs {}"},
        ),
        Option(
            "denominator",
            "classes by which the largest possible error is computed: those of the union of both "
            "sets ('union') or of their symmetric difference ('symdiff')",
            _usual(("union", "symdiff")),
            told={
                "union": "the largest possible error is that of the classes of both sets",
                "symdiff": "the largest possible error is that of the classes that one set alone "
                "has",
            },
        ),
        Option(
            "augment",
            "how label sets are augmented: 'ancestors', 'descendants', 'pruned' or 'none'",
            _usual(AUGMENTATIONS, {"none": 3, "descendants": 5, "pruned": 5}),
            told={
                "ancestors": "label sets are completed by all ancestors",
                "descendants": "label sets are completed by all descendants",
                "pruned": "label sets are completed by all ancestors, without classes of which the "
                "other set has no parent",
                "none": "label sets are taken as they are",
            },
        ),
        Option(
            "extension",
            "graphs with the fewest LCAs ('exact'), those of Algorithm 1 ('greedy'), or the "
            "extended graphs without reduction ('full')",
            _usual(EXTENSIONS, {"full": 4}),
            heading=str,
            told={
                "exact": "graphs have the fewest lowest common ancestors",
                "greedy": "graphs are those of the published greedy Algorithm 1",
                "full": "graphs are the extended ones, without reduction",
            },
        ),
        Option(
            "limit",
            "seconds per instance, instead of a budget of about a minute that is the same on every "
            "machine; after that, the best graphs found so far are used",
            kind=float,
            domain="a number of seconds > 0",
            check=lambda x: math.isfinite(x) and x > 0,
            words=(None,),
            told={None: "", ...: "after {} seconds the best graphs so far are used"},
        ),
        Option(
            "pairing",
            "most TP, then fewest FN, then most TN ('exact'), or the published static greedy "
            "('published')",
            _usual(PAIRINGS),
            varied=("exact", "published"),
            heading=str,
            told={
                "exact": "paths are paired for the most TP, then the fewest FN, then the most TN",
                "published": "paths are paired by the published static greedy algorithm",
            },
        ),
        Option(
            "empty",
            "a prediction without labels is the path of the root alone ('root') or no path "
            "('none')",
            _usual(EMPTY),
            told={
                "root": "a prediction without labels is the path of the root alone",
                "none": "a prediction without labels has no path",
            },
        ),
        Option(
            "nested",
            "labels that are ancestors of others of their set are dropped ('drop') or kept "
            "('keep')",
            _usual(NESTED, {"keep": 3}),
            told={
                "drop": "labels that are ancestors of others of their set are dropped",
                "keep": "labels that are ancestors of others of their set are kept",
            },
        ),
        Option(
            "blank",
            "blank labels, which unknown='drop' drops, do not count ('ignore'), or each counts as "
            "a path to an unknown class ('count')",
            _usual(BLANKS, {"count": 3}),
            told={
                "ignore": "blank labels do not count",
                "count": "a blank label counts as a path to an unknown class",
            },
        ),
        Option(
            "cost",
            "cost of a pair: 'hops', 'weights', 'decayed(w0=0.75)', 'ancestors', 'wu_palmer', "
            "'lin', 'resnik', 'height', 'climb', 'cosine(FILE)' or 'matrix(FILE)', or in Python "
            "any callable",
            _usual(NAMED, {"hops": 2, "weights": 3}, RARE),
            kind=object,
            domain="a name or a callable",
            check=_check_cost,
            resolve=cost_text,
            heading=str,
            told={
                "hops": "a pair costs the edges between its classes",
                "weights": "a pair costs the weights of the edges between its classes",
                ...: "a pair costs {}",
            },
        ),
        Option(
            "weights",
            "what a class weighs: 1 ('ones'), what it says beyond its parents ('ia', information "
            "accretion), how seldom it is ('ic', information content), or its line in a file; in "
            "Python also a mapping",
            {"ones": 1},
            kind=object,
            domain=f"{', '.join(map(repr, WORDS))}, a file of weights or a mapping",
            check=check_weights,
            resolve=weights_given,
            needless=lambda options: options["weights"] == "ones",
            heading="weights = {}".format,
            told={
                "ones": "",
                "ia": "a class weighs what it says beyond its parents, in bits",
                "ic": "a class weighs how seldom it is, in bits",
                "icm": "a class weighs what it says beyond its parents, as ICM counts it",
                ...: "classes weigh as {} says",
            },
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
            told={1: "", ...: "{} is added to the counts of classes"},
        ),
        Option(
            "reference",
            "annotations from which weights are counted: a file of labels, or in Python any "
            "labels; None: the truth that is evaluated",
            {None: 1},
            kind=object,
            domain="a file of labels or label sets",
            check=check_reference,
            words=(None,),
            resolve=annotations_given,
            needless=lambda options: options.get("weights", "icm") not in COUNTED,
            told={None: "", ...: "weights are counted from {}"},
        ),
        Option(
            "theta",
            "acceptable distance: a wrong class at this distance contributes 0; 'mean' is the "
            "mean over all pairs of classes",
            _usual(range(1, 7), n=RARE),
            kind=float,
            domain="a finite number > 0",
            check=lambda x: 0 < x < LARGEST_NUMBER,
            words=("mean",),
            heading="θ = {}".format,
            told={
                "mean": "a wrong class at the mean distance of all classes contributes nothing",
                ...: "a wrong class at a distance of {} contributes nothing",
            },
        ),
        Option(
            "classes",
            "macro averages are taken over the classes that occur ('seen') or over all that count "
            "('all')",
            _usual(("seen", "all")),
            told={
                "seen": "means over classes are over those that occur",
                "all": "means over classes are over all that count",
            },
        ),
        Option(
            "w0",
            "weight of one level: a class at depth d weighs w0 to the power of d",
            _usual((0.5, 0.75)),
            kind=float,
            domain="a number > 0 and ≤ 1",
            check=lambda x: 0 < x <= 1,
            told={...: "a class at depth d weighs {} to the power of d"},
        ),
        Option(
            "depth",
            "weight of a class with several parents: by its fewest ('min') or most edges ('max') "
            "from the root, or by the mean ('mean') or sum ('sum') of its parents' weights",
            _usual(DEPTHS, {"sum": 4}, 3),
            told={
                "min": "a class with several parents weighs by its fewest edges from the root",
                "max": "a class with several parents weighs by its most edges from the root",
                "mean": "a class with several parents weighs by the mean of their weights",
                "sum": "a class with several parents weighs by the sum of their weights",
            },
        ),
        Option(
            "normalise",
            "weighted paths as they are ('none'), relative to the longest possible one "
            "('max-path'), or to the paths from the root to the classes of the instance ('path')",
            _usual(NORMALISATIONS, {"path": 4}),
            told={
                "none": "weighted paths are taken as they are",
                "max-path": "weighted paths are relative to the longest possible one",
                "path": "weighted paths are relative to those from the root to the classes of the "
                "instance",
            },
        ),
        Option(
            "costs",
            "cost of a wrong class: 1 each ('ones'), an even share of its parent's ('sibling'), "
            "or the fraction of all classes that are the class or below it ('subtree')",
            _usual(COSTS, {"subtree": 3}),
            told={
                "ones": "every wrong class costs 1",
                "sibling": "a wrong class costs an even share of its parent's cost",
                "subtree": "a wrong class costs the fraction of all classes that it and those "
                "below it are",
            },
        ),
        Option(
            "absent_level",
            "at a level where an instance has no true class: it is not judged there "
            "('skip'), or \"no class of this level\" is the right answer ('none-class')",
            _usual(("skip", "none-class"), {"none-class": 3}),
            told={
                "skip": "an instance is not judged at levels where it has no true class",
                "none-class": "where an instance has no true class of a level, none is the right "
                "answer",
            },
        ),
        Option(
            "tips",
            "the most specific classes of both sides are paired at the least cost, each with a "
            "partner ('best'), all with all ('sum'), or each side must have one ('single')",
            _usual(("best", "sum", "single"), {"best": 2}, 3),
            told={
                "best": "the most specific classes of both sides are paired at the least cost",
                "sum": "the most specific classes of both sides are paired all with all",
                "single": "each side has a single most specific class",
            },
        ),
        Option(
            "max_distance",
            "pairs of classes further apart, in edges, cannot be chosen",
            kind=float,
            domain="a number ≥ 0",
            check=lambda x: x >= 0,
            words=(None,),
            told={None: "", ...: "pairs more than {} edges apart cannot be chosen"},
        ),
        Option(
            "threshold",
            "longest path between two classes, an even number of edges",
            _usual((None, 2, 4, 6, 8), {None: 2}, RARE),
            kind=int,
            domain="an even whole number ≥ 2",
            check=lambda x: 2 <= x < 2**31 and x % 2 == 0,
            words=(None,),
            varied=(None, 4),
            told={None: "", ...: "paths between two classes have at most {} edges"},
        ),
        Option(
            "zero_division",
            "value of 0/0: 0, 1, or nan, which is excluded from means",
            {0: 2, 1: 2, math.nan: RARE},
            kind=float,
            domain="0, 1 or nan",
            check=lambda x: x in (0, 1) or math.isnan(x),
            heading="0/0 = {}".format,
            told={math.nan: "0/0 is left out of means", ...: "0/0 counts as {}"},
        ),
        *PATH_OPTIONS,
        *SCORE_OPTIONS,
    )
}
"""The options of the library's measures by name."""
