"""Partials add up: those of one kin, each part once, in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hierpair.errors import BadInput, listed, shown
from hierpair.evaluation.partials.partial import Partial

__all__ = ["merge", "merge_named"]


def merge(first: Partial, *others: Partial) -> Partial:
    """Return what the instances of all partials leave behind; none of them is changed.

    Raises
    ------
    BadInput
        If they are of different hierarchies (by :attr:`Hierarchy.fingerprint`), of different
        systems, measures, options or versions, keep other things, or have a part in common;
        averages over classes are kept by class number, so for them the classes must have come in
        the same order, too.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> from hierpair.evaluation import partial
    >>> tree = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])
    >>> days = {"monday": [["b"]], "tuesday": [["c"]]}
    >>> parts = [partial(tree, [["b"]], guess, ["hf"], part=day) for day, guess in days.items()]
    >>> merge(*parts).scores()["system", "hf"]
    0.75
    """
    return merge_named(("", one) for one in (first, *others))


def merge_named(partials: Iterable[tuple[str, Partial]]) -> Partial:
    """Return the sum of partials, each with a name for errors (or ``""``); at least one.

    They are taken one by one, and no more sums are held than the logarithm of their number.

    Raises
    ------
    BadInput
        As :func:`merge`; names both partials.
    """
    first: tuple[str, Partial] | None = None
    owner: dict[str, tuple[str, frozenset[str]]] = {}
    sums = list[tuple[int, Partial]]()
    for name, one in partials:
        if not isinstance(one, Partial):
            raise BadInput(f"partials merge with each other, got {shown(one)}")
        first = first or (name, one)
        if fault := _strange(first[1], one):
            raise BadInput(f"{_both_names(first[0], name)}{fault}")
        if twice := sorted(one.parts & owner.keys()):
            other, parts = owner[twice[0]]
            raise BadInput(
                f"{_both_names(other, name)}a part is counted once: {listed(twice)} "
                f"{'is' if len(twice) == 1 else 'are'} in both partials, one of "
                f"{_parts(parts)}, the other of {_parts(one.parts)}; if these are other "
                "instances, call their part otherwise (part, --part)"
            )
        owner |= dict.fromkeys(one.parts, (name, one.parts))
        size, total = 1, one
        while sums and sums[-1][0] == size:  # sums of equally many: no long one is copied often
            size, total = 2 * size, _both(sums.pop()[1], total)
        sums.append((size, total))
    if not sums:
        raise BadInput("there is no partial to merge")
    total = sums.pop()[1]
    while sums:
        total = _both(sums.pop()[1], total)
    return total


def _strange(one: Partial, other: Partial) -> str:
    """Return why two partials do not add up, whatever their parts, or nothing."""
    if one.fingerprint != other.fingerprint:
        return (
            "partials of different hierarchies do not add up: one is of a "
            f"{_described(one)}, the other of a {_described(other)}"
        )
    ours, others = one.signatures, other.signatures
    if ours != others:
        differ = [set(ours) - set(others), set(others) - set(ours)]
        lists = [sorted(d) for d in differ] if all(differ) else [ours, others]
        first, second = map(", ".join, lists)
        return (
            "partials of different measures, options or versions do not add up: one is of "
            f"{first}, the other of {second}"
        )
    for name in one.files.keys() & other.files.keys():
        if one.files[name] != other.files[name]:
            return (
                f"partials do not add up where {name!r}, which their measures read, held "
                "something else: make all parts with the same file"
            )
    if one.systems != other.systems:
        return (
            f"partials of different systems do not add up: one is of {listed(one.systems)}, the "
            f"other of {listed(other.systems)}; give the same systems in the same order"
        )
    for what in ("keep_worst", "n_blocks", "block_seed"):
        if getattr(one, what) != getattr(other, what):
            return (
                f"partials with {what}={getattr(one, what)} and with {what}="
                f"{getattr(other, what)} do not add up; make both with the same"
            )
    if one.numbering != other.numbering:
        return (
            "both partials are of the same hierarchy, but its classes came in another order "
            f"({one.numbering[:8]} and {other.numbering[:8]}), and averages over classes are "
            "kept by class number; build both hierarchies from the same file"
        )
    return ""


def _both(one: Partial, other: Partial) -> Partial:
    """Return the sums of two; what only describes them is chosen whatever their order."""
    pairs = zip(one.sums, other.sums, strict=True)
    return Partial(
        fingerprint=one.fingerprint,
        hierarchy=min(one.hierarchy, other.hierarchy),
        numbering=one.numbering,
        measures=one.measures,
        systems=one.systems,
        sums=tuple(a.plus(b, one.measures, one.keep_worst) for a, b in pairs),
        n_instances=one.n_instances + other.n_instances,
        weight=one.weight + other.weight,
        n_labels=one.n_labels + other.n_labels,
        n_unknown=one.n_unknown + other.n_unknown,
        parts=one.parts | other.parts,
        ids=_together(one.ids, other.ids, lambda a, b: (min(a[0], b[0]), max(a[1], b[1]))),
        uneven=tuple(a + b for a, b in zip(one.uneven, other.uneven, strict=True)),
        doubts=min(one.doubts, other.doubts),
        in_order=one.in_order | other.in_order,
        turned=_together(one.turned, other.turned, min),
        keep_worst=one.keep_worst,
        n_blocks=one.n_blocks,
        block_seed=one.block_seed,
        files={**one.files, **other.files},
    )


def _together(
    one: Mapping[Any, Any], other: Mapping[Any, Any], both: Callable[[Any, Any], Any]
) -> dict[Any, Any]:
    """Return two mappings as one, and ``both`` of two values for the same key."""
    found = dict(one)
    for key, value in other.items():
        found[key] = both(found[key], value) if key in found else value
    return found


def _both_names(one: str, other: str) -> str:
    return f"{one} and {other}: " if one and other else ""


def _described(one: Partial) -> str:
    return f"{one.hierarchy} [{one.fingerprint[:8]}, parts {_parts(one.parts)}]"


def _parts(parts: frozenset[str]) -> str:
    return listed(sorted(parts)) if parts else "without a name"
