"""Costs of pairs: by name, by where two classes stand in the hierarchy, and composed of others."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np

from hierpair.errors import BadInput, check_choice, did_you_mean, shown
from hierpair.hierarchy import (
    DEPTHS,
    Closure,
    Hierarchy,
    ancestor_closure,
    common_ancestor_depths,
    common_ancestor_sums,
    depth_weights,
    descendant_sums,
    grown_weights,
    highest_common_ancestors,
    least_ways,
)
from hierpair.hierarchy.arrays import Floats, Indices, pieces, ratio, row_numbers
from hierpair.hierarchy.building import LARGEST_NUMBER
from hierpair.io.class_tables import class_counts
from hierpair.io.files import file_state
from hierpair.labels import LabelSets
from hierpair.pairing.pairs import Array, Pairs, checked_cost

Cost = Callable[[Pairs], Array]
"""What a pair costs: takes all pairs, returns a number for each (inf: impossible)."""

NAMED: dict[str, Callable[..., Cost]] = {}
"""Costs that a measure's name can spell, such as ``gie(cost=decayed(w0=0.5))``."""

CostClass = TypeVar("CostClass", bound=Callable[..., Cost])


def named_cost(name: str) -> Callable[[CostClass], CostClass]:
    """Let measures spell a class of costs: all that a cost needs to be known everywhere.

    Parameters
    ----------
    name
        What it is called, as in ``gie(cost=name(option=1))``. A later class of the same name
        takes its place.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @named_cost("flat")
    ... @dataclass(frozen=True)
    ... class Flat:
    ...     height: float = 1
    ...     def __call__(self, pairs):
    ...         return self.height * (pairs.predicted != pairs.true)
    >>> cost_text("flat"), NAMED.pop("flat")(2)
    ('flat(height=1)', Flat(height=2))
    """

    def known(cost: CostClass) -> CostClass:
        NAMED[name] = cost
        return cost

    return known


def cost_text(cost: str | Cost) -> str | Cost:
    """Return the complete text of a named cost; a callable passes through.

    >>> cost_text("wu_palmer"), cost_text(" wu_palmer( depth = max )")
    ("wu_palmer(depth='min')", "wu_palmer(depth='max')")
    """
    if not isinstance(cost, str):
        return cost
    options = ",".join(f"{k}={plain_number(v)!r}" for k, v in vars(cost_named(cost)).items())
    name = _split(cost)[0]
    return f"{name}({options})" if options else name


def cost_named(cost: str | Cost) -> Cost:
    """Return the cost that a text names; a callable passes through.

    >>> cost_named("wu_palmer(depth='max')")
    WuPalmer(depth='max')
    """
    if not isinstance(cost, str):
        return cost
    name, rest = _split(cost)
    if name not in NAMED:
        raise BadInput(
            f"unknown cost {cost!r}; it is one of {', '.join(NAMED)}, or a callable"
            f"{did_you_mean(name, NAMED)}"
        )
    try:
        call = ast.parse(cost.strip() if rest else f"{name}()", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError("no call")
        options = {str(k.arg): _literal(k.value) for k in call.keywords}
        return NAMED[name](*map(_literal, call.args), **options)
    except BadInput:
        raise
    except (SyntaxError, TypeError, ValueError, RecursionError, MemoryError):
        raise BadInput(
            f"cannot read the cost {shown(cost)}; write it like decayed(w0=0.5), a cost from a "
            "file like matrix('FILE')"
        ) from None


def _split(cost: str) -> tuple[str, str]:
    """Return the name of a cost, and its options as they are written."""
    name, _, rest = cost.partition("(")
    return name.strip(), rest


def plain_number(value: Any) -> Any:
    """Return 1.0 as 1, so that equal values have one text."""
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return int(value) if whole else value


def _literal(node: ast.expr) -> Any:
    """A literal; a bare word such as ``max`` is a text, as it is in a measure."""
    if isinstance(node, ast.Name) and node.id not in ("nan", "inf"):
        return node.id
    return ast.literal_eval(node)


def check_choices(given: object, **known: Iterable[Any]) -> None:
    """Refuse options of a cost or constraint that are none of those known."""
    for option, choices in known.items():
        check_choice(option, getattr(given, option), choices)


def check_number(
    what: str,
    given: Any,
    which: str = "a finite number ≥ 0",
    right: Callable[[float], bool] = lambda x: 0 <= x < LARGEST_NUMBER,
) -> None:
    """Refuse what is no number of the kind that is wanted."""
    numeric = isinstance(given, (int, float, np.number)) and not isinstance(given, bool)
    if not (numeric and right(given)):
        raise BadInput(f"{what} must be {which}, got {shown(given)}")


NORMALISATIONS = ("none", "max-path", "path")  # what depth-weighted distances are divided by


@named_cost("hops")
@dataclass(frozen=True)
class Hops:
    """Edges on the shortest path through a common ancestor (Kosmopoulos et al. 2014, eq. 1)."""

    def __call__(self, pairs: Pairs) -> Floats:
        """Return the distances; inf without a common ancestor."""
        return pairs.distance

    def edge_lengths(self, hierarchy: Hierarchy) -> Floats:
        """Return the length of every edge, in the order of ``parents``."""
        return np.ones(len(hierarchy.parents))


@named_cost("weights")
@dataclass(frozen=True)
class EdgeWeights:
    """Least sum of the hierarchy's edge weights (Kosmopoulos et al. 2014, eq. 1)."""

    def __call__(self, pairs: Pairs) -> Floats:
        """Return the weighted distances; inf without a common ancestor."""
        self.edge_lengths(pairs.hierarchy)
        return pairs.weighted_distance

    def edge_lengths(self, hierarchy: Hierarchy) -> Floats:
        """Return the weight of every edge, in the order of ``parents``."""
        if hierarchy.weights is None and len(hierarchy.parents):
            raise BadInput("cost 'weights' needs a hierarchy with edge weights; it has none")
        return np.empty(0) if hierarchy.weights is None else hierarchy.weights


@dataclass(frozen=True)
class _ByDepth:
    """What classes weigh by their depth, and what distances are divided by."""

    w0: float = 0.75
    depth: Literal["min", "max", "mean", "sum"] = "mean"
    normalise: Literal["none", "max-path", "path"] = "none"

    def __post_init__(self) -> None:
        check_number("w0", self.w0, "in (0, 1]", lambda x: 0 < x <= 1)
        check_choices(self, depth=DEPTHS, normalise=NORMALISATIONS)

    def normalised(self, distance: Floats, way: Floats, pairs: Pairs) -> Floats:
        """Return distances as a share of twice the longest way, or of the ways to both classes."""
        if self.normalise == "none":
            return distance
        both = way[pairs.predicted] + way[pairs.true]
        longest = np.full(len(both), 2 * way.max()) if self.normalise == "max-path" else both
        share = ratio(distance, longest, 0)  # of a root and itself 0
        return np.where(np.isinf(distance), np.inf, np.minimum(share, 1))


@named_cost("decayed")
@dataclass(frozen=True)
class DecayedEdges(_ByDepth):
    """Edges weigh ``w0 ** depth`` of their child, so that errors near the top cost more.

    Blockeel et al. 2002; Holden & Freitas 2006 (Costa et al. 2007, "Depth-dependent
    measures").

    Parameters
    ----------
    w0
        Weight of one level, in (0, 1].
    depth
        Of a class with several parents: by its fewest (``"min"``) or its most edges (``"max"``)
        from a root, or w0 times the mean (``"mean"``) or the sum (``"sum"``) of the weights of
        its parents.
    normalise
        ``"none"``; ``"max-path"``: divided by twice the longest path from a root, so that the
        largest cost of a tree is 1; ``"path"``: divided by the paths from a root to both classes,
        so that a pair that only shares a root costs 1 whatever its depths. At most 1 either way.
    """

    def __call__(self, pairs: Pairs) -> Floats:
        """Return the decayed distances; inf without a common ancestor."""
        hierarchy = pairs.hierarchy
        key = ("decayed", self.w0, self.depth)

        def made() -> tuple[Hierarchy, Floats]:
            lengths = self._lengths(hierarchy)
            return hierarchy.with_weights(lengths), least_ways(hierarchy, lengths)

        decayed, way = hierarchy.cached(key, made)
        return self.normalised(pairs.distance_on(decayed), way, pairs)

    def edge_lengths(self, hierarchy: Hierarchy) -> Floats | None:
        """Return the weight of every edge; None where costs are relative to paths."""
        return self._lengths(hierarchy) if self.normalise == "none" else None

    def _lengths(self, hierarchy: Hierarchy) -> Floats:
        of_class = depth_weights(hierarchy, self.w0, self.depth)
        return of_class[row_numbers(hierarchy.parent_ptr)]


@named_cost("ancestors")
@dataclass(frozen=True)
class AncestorDifference(_ByDepth):
    """Weights of the ancestors, each class being its own, that only one of two classes has.

    Of two classes in a tree it is :class:`DecayedEdges`; in a DAG, where ways up differ, it looks
    at all ancestors, as ``depth_loss`` does (Blockeel et al. 2002). A single parentless class
    does not count. With ``w0=1`` it is the number of these classes.

    Parameters
    ----------
    w0, depth
        As for :class:`DecayedEdges`: what a class weighs.
    normalise
        ``"none"``; ``"max-path"``: divided by twice the heaviest class with its ancestors;
        ``"path"``: divided by the weights of both classes with their ancestors.
    """

    def __call__(self, pairs: Pairs) -> Floats:
        """Return the weights; finite without a common ancestor too."""
        hierarchy = pairs.hierarchy
        u, v = pairs.predicted, pairs.true
        weight = depth_weights(hierarchy, self.w0, self.depth)
        whole = grown_weights(hierarchy, self.w0, self.depth, "include")
        # a single root is an ancestor of both, so it does not matter whether it counts here
        shared = common_ancestor_sums(_closure(pairs), u, v, weight)
        differ = np.maximum(whole[u] + whole[v] - 2 * shared, 0)
        differ[u == v] = 0  # to the last bit
        way = grown_weights(hierarchy, self.w0, self.depth, "exclude")
        return self.normalised(differ, way, pairs)


@named_cost("height")
@dataclass(frozen=True)
class Height:
    """Least height of a common ancestor (Deng et al. 2010; Bertinetto et al. 2020).

    The height of a class is the longest way down to a class without children, in edges. A class
    with itself costs 0. In a tree it is an ultrametric; in a DAG it need not be one. It is not a
    number of edges between the classes: that is ``hops``.

    Parameters
    ----------
    normalise
        ``"none"``, or ``"root"``: divided by the greatest height of the hierarchy.
    """

    normalise: Literal["none", "root"] = "none"

    def __post_init__(self) -> None:
        check_choices(self, normalise=("none", "root"))

    def __call__(self, pairs: Pairs) -> Floats:
        """Return the heights; inf without a common ancestor."""
        hierarchy = pairs.hierarchy
        lowness = hierarchy.cached("lowness", lambda: -hierarchy.heights.astype(np.float64))
        height = -_highest_shared(pairs, "lowness", lowness)
        height[pairs.predicted == pairs.true] = 0
        return height / self.unit(hierarchy)

    def unit(self, hierarchy: Hierarchy) -> float:
        """Return what heights are divided by."""
        return max(1.0, float(hierarchy.heights.max())) if self.normalise == "root" else 1.0


@dataclass(frozen=True)
class _ByCounts:
    """How often classes were seen, in a form that cannot change, and the information of each."""

    counts: Any = None
    smooth: float = 0
    intrinsic: Literal["seco", "sanchez", None] = None

    def __post_init__(self) -> None:
        check_number("smooth", self.smooth)
        counts = self.counts
        check_choices(self, intrinsic=(None, "seco", "sanchez"))
        if self.intrinsic and (counts is not None or self.smooth):
            raise BadInput(f"intrinsic={self.intrinsic!r} counts classes alone; leave counts out")
        if isinstance(counts, str):
            file_state(counts)
        elif isinstance(counts, Mapping):
            for name, count in counts.items():
                check_number(f"the count of class {shown(name)}", count)
            object.__setattr__(self, "counts", tuple(counts.items()))
        elif counts is not None and not isinstance(counts, tuple):
            raise BadInput(
                f"counts are {{class: count}}, the name of a file, or None, got {shown(counts)}"
            )

    def content(self, pairs: Pairs) -> tuple[Floats, Floats]:
        """Return the content of every class, and of each pair's best common ancestor (-inf)."""
        hierarchy, counts = pairs.hierarchy, self.counts
        key = ("content", file_state(counts) if isinstance(counts, str) else counts, self.smooth)
        if self.intrinsic:
            key = ("content", self.intrinsic, 0)
            content = hierarchy.cached(key, lambda: _intrinsic(hierarchy, str(self.intrinsic)))
            return content, _highest_shared(pairs, key, content)
        content = hierarchy.cached(key, lambda: _information(hierarchy, counts, self.smooth))
        either = np.where(np.isinf(content[pairs.predicted]), pairs.predicted, pairs.true)
        pairs.refuse(
            np.isinf(content[either]),
            lambda at, _: (
                f"class {shown(hierarchy.names[either[at]])} and all below it have the "
                "count 0, so its information is infinite; give it a count, or smooth=1 to all"
            ),
        )
        return content, _highest_shared(pairs, key, content)


@named_cost("climb")
@dataclass(frozen=True)
class Climb(_ByCounts):
    """How far above the true class the two classes meet: what the answer leaves open.

    By default in levels, depth(true) - depth(a), where a is their deepest common ancestor and the
    depth of a class its longest way from a root; with ``by="information"`` IC(true) - IC(a), as
    in LCA-on-the-line (Shi et al. 2024), where a is the common ancestor with the largest IC. A
    prediction below the true class costs 0, so it is no distance.

    Parameters
    ----------
    counts, smooth, intrinsic
        With ``by="information"``, as for :class:`Lin`.
    by
        ``"depth"`` or ``"information"``.
    """

    by: Literal["depth", "information"] = "depth"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choices(self, by=("depth", "information"))
        if self.by == "depth" and (self.counts is not None or self.smooth or self.intrinsic):
            raise BadInput("counts, smooth and intrinsic are for by='information'")

    def __call__(self, pairs: Pairs) -> Floats:
        """Return the differences; inf without a common ancestor."""
        if self.by == "information":
            values, shared = self.content(pairs)
        else:
            hierarchy = pairs.hierarchy
            values = hierarchy.cached("depth of levels", lambda: hierarchy.levels.astype(float))
            shared = _highest_shared(pairs, "levels", values)
        return np.maximum(values[pairs.true] - shared, 0)


@named_cost("wu_palmer")
@dataclass(frozen=True)
class WuPalmer:
    """1 - similarity of Wu & Palmer (1994): how deep two classes meet, against their own depths.

    The similarity is the largest ``2 D / (up(u, a) + up(v, a) + 2 D)`` over the common ancestors
    a, where D is the number of classes on the way from a up to a parentless class, both included;
    0 without a common ancestor. In a tree a is the lowest common ancestor.

    Parameters
    ----------
    depth
        Where ways up differ in length: ``"min"``, the shortest, or ``"max"``, the longest.
    """

    depth: Literal["min", "max"] = "min"

    def __post_init__(self) -> None:
        check_choices(self, depth=("min", "max"))

    def __call__(self, pairs: Pairs) -> Floats:
        """Return 1 - similarity, in [0, 1]."""
        hierarchy = pairs.hierarchy
        depth = (hierarchy.depths if self.depth == "min" else hierarchy.levels) + 1
        return 1 - common_ancestor_depths(_closure(pairs), pairs.predicted, pairs.true, depth)


@named_cost("lin")
@dataclass(frozen=True)
class Lin(_ByCounts):
    """1 - similarity of Lin (1998): ``2 IC(a) / (IC(u) + IC(v))``.

    a is the common ancestor with the largest information content IC(a) = -log p(a), where p(a)
    is the share of all counts that a and its descendants have. A class is like itself (1); a pair
    without a common ancestor is not alike (0); two classes without any information, such as a
    root and its only child, are the same (1).

    Parameters
    ----------
    counts
        How often each class itself was seen: ``{class: count}`` or the name of a file with lines
        ``class TAB count``; classes that are not listed were not seen. None: every leaf once.
    smooth
        Added to the count of every class.
    intrinsic
        Information from the hierarchy alone, instead of counts, as nxontology has it: ``"seco"``,
        ``IC(c) = log N − log |D(c)|`` (Seco et al. 2004, D(c) the class and all below it, N all
        classes), or ``"sanchez"``, ``IC(c) = −log((|L(c)| / |A(c)| + 1) / (|L| + 1))`` (Sánchez et
        al. 2011, L(c) the leaves in D(c), A(c) the class and all above it, L all leaves).
    """

    def __call__(self, pairs: Pairs) -> Floats:
        """Return 1 - similarity, in [0, 1]."""
        content, shared = self.content(pairs)
        both = content[pairs.predicted] + content[pairs.true]
        similarity = np.where(shared >= 0, 1.0, 0.0)
        np.divide(2 * np.maximum(shared, 0), both, out=similarity, where=both > 0)
        return 1 - np.clip(similarity, 0, 1)


@named_cost("resnik")
@dataclass(frozen=True)
class Resnik(_ByCounts):
    """1 - similarity of Resnik (1995), as a share of the largest there is: ``IC(a) / max IC``.

    a and IC are those of :class:`Lin`. A class is like itself only as far as it says something:
    a perfect prediction of a class above the most informative ones is not free.

    Parameters
    ----------
    counts, smooth, intrinsic
        As for :class:`Lin`.
    """

    def __call__(self, pairs: Pairs) -> Floats:
        """Return 1 - similarity, in [0, 1]."""
        content, shared = self.content(pairs)
        largest = float(content[np.isfinite(content)].max(initial=0.0))
        if not largest:
            raise BadInput("no class says more than another: all information contents are 0")
        return 1 - np.clip(shared / largest, 0, 1)


def _information(hierarchy: Hierarchy, counts: Any, smooth: float) -> Floats:
    """Return IC = -log(share of all counts at a class and below it), inf where it has none."""
    if counts is None:
        own = hierarchy.is_leaf.astype(np.float64)
    elif isinstance(counts, str):
        own = class_counts(counts, hierarchy)
    else:
        own = np.zeros(len(hierarchy))
        names, values = zip(*counts, strict=True) if counts else ((), ())
        own[hierarchy.index(names)] = values
    own = own + smooth
    total = own.sum()
    if not total > 0:
        raise BadInput("all counts are 0; information content needs at least one class that is not")
    share = np.minimum(descendant_sums(hierarchy, own) / total, 1)
    content = np.full(len(hierarchy), np.inf)
    np.log(share, out=content, where=share > 0)
    return np.where(share > 0, np.abs(content), np.inf)


def _intrinsic(hierarchy: Hierarchy, how: str) -> Floats:
    """Return the information content of classes by what is below and above them."""
    n, leaf = len(hierarchy), hierarchy.is_leaf.astype(np.float64)
    if how == "seco":
        share = n / descendant_sums(hierarchy, np.ones(n))  # its inverse: the sign is left out
    else:
        n_above = ancestor_closure(hierarchy).lengths(np.arange(n))
        share = (descendant_sums(hierarchy, leaf) / n_above + 1) / (leaf.sum() + 1)
    content: Floats = np.abs(np.log(share))
    return content


def _closure(pairs: Pairs) -> Closure:
    return ancestor_closure(pairs.hierarchy, pairs.in_use)


def _highest_shared(pairs: Pairs, key: Any, values: Floats) -> Floats:
    """Return the highest value of a common ancestor of every pair, -inf without one; kept."""
    if key not in pairs.cache:
        u, v = pairs.predicted, pairs.true
        best = highest_common_ancestors(_closure(pairs), u, v, values)
        pairs.cache[key] = np.where(best >= 0, values[best], -np.inf)
    shared: Floats = pairs.cache[key]
    return shared


MOST_PAIRS = 50_000_000  # pairs tried for a cost that does not tell its largest values
BLOCK_PAIRS = 1_000_000  # pairs tried at a time


@dataclass(frozen=True)
class Lexicographic:
    """Several costs, minimised one after the other: a later one decides among equals only.

    The total of the first cost is the cost of a pairing. With it a ``Unmatched`` may have a tuple
    of costs; a single one counts as the first.

    Parameters
    ----------
    costs
        Vectorised callables like any cost; whole numbers, Fractions, or floats that are
        multiples of 2**-20.
    """

    costs: tuple[Cost, ...]

    def __post_init__(self) -> None:
        costs = tuple(self.costs) if isinstance(self.costs, (tuple, list)) else ()
        if not costs or not all(map(callable, costs)):
            raise BadInput(f"lexicographic costs are a tuple of callables, got {shown(self.costs)}")
        object.__setattr__(self, "costs", costs)

    def __call__(self, pairs: Pairs) -> Array:
        """Return the costs, shape ``(n_costs, n_pairs)``."""
        return np.stack([np.asarray(cost(pairs)) for cost in self.costs])


@dataclass(frozen=True)
class Bottleneck:
    """The least largest cost: of all pairings those whose dearest pair is as cheap as can be.

    Among these the sum of the costs is minimised, and it is the cost of the pairing. Costs of
    missing partners (``Unmatched``) count like those of pairs; costs of numbers of pairs are part
    of the sum only.

    Parameters
    ----------
    cost
        A cost of pairs, ≥ 0; or a :class:`Lexicographic`, of whose first cost the largest counts,
        and which decides among pairings of the same largest cost.

    Examples
    --------
    >>> from hierpair.pairing import Degree, Hops, Rule
    >>> rule = Rule(Bottleneck(Hops()), (Degree("true", 1, 1), Degree("predicted", 1, 1)))
    """

    cost: Cost | Lexicographic

    def __post_init__(self) -> None:
        if not callable(self.cost) or isinstance(self.cost, Bottleneck):
            raise BadInput(f"a bottleneck is that of a cost of pairs, got {shown(self.cost)}")

    def __call__(self, pairs: Pairs) -> Array:
        """Return the costs."""
        return self.cost(pairs)


@dataclass(frozen=True)
class RightIsFree:
    """A cost of pairs that has to be 0 where the predicted class is the true one."""

    cost: Cost

    def __post_init__(self) -> None:
        if isinstance(self.cost, Bottleneck):
            raise BadInput(
                "a mean or sum of costs has no bottleneck; use Rule(Bottleneck(…), …) in a rule of "
                "your own"
            )

    def __call__(self, pairs: Pairs) -> Any:
        """Return the costs, and refuse a class that costs something to get right."""
        found = checked_cost(self.cost, pairs)
        names = pairs.hierarchy.names
        pairs.refuse(
            (pairs.predicted == pairs.true) & (found != 0),
            lambda at, _: (
                f"the cost of predicting {shown(names[pairs.true[at]])} where it is true "
                f"is {found[at]}; it must be 0"
            ),
        )
        return found

    def max_cost(self, hierarchy: Hierarchy, classes: Indices) -> Floats:
        """Return the largest cost of each of these true classes."""
        return max_costs(self.cost, hierarchy, classes)


def max_costs(cost: Cost, hierarchy: Hierarchy, classes: Indices) -> Floats:
    """Return the largest finite cost of each of these true classes, over all predicted classes.

    A cost with a method ``max_cost(hierarchy, classes)`` is asked; others are tried on all classes,
    unless these are more than 50 million pairs.
    """
    if hasattr(cost, "max_cost"):
        known: Floats = cost.max_cost(hierarchy, classes)
        return known
    used, place = np.unique(classes, return_inverse=True)
    n = len(hierarchy)
    if len(used) * n > MOST_PAIRS:
        raise BadInput(
            f"the largest cost of {len(used):,} true classes would have to be looked for among "
            f"{n:,} classes each; give the costs as a matrix, or take mean_cost"
        )
    found, every = np.zeros(len(used)), np.arange(n)
    for part in pieces(len(used), BLOCK_PAIRS // n):
        both = used[part], every  # against all classes, as if both were sets of labels
        true, all_ = (LabelSets.from_arrays(np.array([0, len(x)]), x, n) for x in both)
        tried = checked_cost(cost, Pairs.between(hierarchy, true, all_)).astype(np.float64)
        tried[np.isinf(tried)] = 0
        found[part] = tried.reshape(n, -1).max(axis=0)
    return found[place]
