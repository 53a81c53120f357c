"""What an explanation shows of one instance, in names instead of numbers."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

__all__ = [
    "ARTIFICIAL",
    "BlockingRow",
    "ClassNode",
    "ConfusionEvidence",
    "ConfusionRow",
    "ConstraintRow",
    "Evidence",
    "ExtensionEvidence",
    "LabelRow",
    "Neighbourhood",
    "PairEvidence",
    "PairRow",
    "SetEvidence",
]

Name = Hashable

ARTIFICIAL = "(any class)"
"""What the class that a path threshold puts on top is called."""


@dataclass(frozen=True)
class LabelRow:
    """One label of one side of a pairing.

    Attributes
    ----------
    name
        Its class.
    lower, upper
        Bounds on its partners.
    default
        Cost of one missing partner, or None where none may be missing.
    n_partners, n_missing
        Chosen pairs that it is in, and partners bought from the default class.
    dual
        Its cost in the proof of optimality: a pair is worth choosing only if it costs no more
        than the dual prices of its two labels together.
    """

    name: Name
    lower: int
    upper: int
    default: float | None
    n_partners: int
    n_missing: int
    dual: float


@dataclass(frozen=True)
class PairRow:
    """One pair of a predicted and a true label.

    Attributes
    ----------
    predicted, true
        Positions among the rows of their side.
    cost
        Its cost, inf for an impossible pair.
    allowed, required, chosen
        May be chosen, must be, and was.
    slack
        Cost less the dual prices of both labels; at an optimum ≥ 0 for a pair that was not
        chosen. Nan for a pair that is not allowed.
    """

    predicted: int
    true: int
    cost: float
    allowed: bool
    required: bool
    chosen: bool
    slack: float


@dataclass(frozen=True)
class BlockingRow:
    """One of the bounds that cannot hold together where there is no pairing.

    Attributes
    ----------
    kind
        What is counted: the pairs of a ``"label"``, of a ``"group"`` of labels, of the instance
        (``"total"``), or one ``"pair"`` that is required; ``"other"`` is told by ``text`` alone.
    side
        Of a label or group, else None.
    names
        The label, the labels of the group, or predicted and true label of the pair.
    bound, value
        ``"at least"`` or ``"at most"``, and how many.
    text
        The same in words.
    """

    kind: str
    side: str | None
    names: tuple[Name, ...]
    bound: str
    value: int
    text: str


@dataclass(frozen=True)
class PairEvidence:
    """A pairing, what it cost, and the proof that none is cheaper; or why there is none.

    Attributes
    ----------
    predicted, true
        The labels of both sides.
    pairs
        All pairs, predicted label by predicted label.
    bounds
        Further bounds of the rule in words (totals and groups), often empty.
    cost
        Cost of the chosen pairs and the missing partners.
    bound
        What the dual prices prove that every pairing costs at least; equal to ``cost`` (or to
        ``lexicographic``) up to ``gap``.
    optimal
        Whether the independent check of the flow found it feasible and optimal.
    gap
        How far ``cost`` can be from the optimum because costs had to be rounded.
    blocking
        Without a possible pairing: bounds that cannot hold together, though any of them could
        without one of the others. Then nothing is chosen, and the cost is nan.
    why
        The same in one sentence.
    lexicographic
        Where costs are minimised one after the other: the cost of the pairing with all of them
        as one whole number, which is what ``bound``, slacks and dual prices are about. Costs and
        ``cost`` are those of the first turn. None for a rule with a single cost.
    """

    predicted: tuple[LabelRow, ...]
    true: tuple[LabelRow, ...]
    pairs: tuple[PairRow, ...]
    bounds: tuple[str, ...]
    cost: float
    bound: float
    optimal: bool
    gap: float
    blocking: tuple[BlockingRow, ...] = ()
    why: str = ""
    lexicographic: float | None = None


@dataclass(frozen=True)
class SetEvidence:
    """Two augmented label sets and what they share.

    Attributes
    ----------
    augment
        How the sets grew: ``"ancestors"``, ``"descendants"``, ``"pruned"`` or ``"none"``.
    shared, only_true, only_predicted
        Classes of both augmented sets, and of one of them, parents before children.
    excluded_classes
        Classes that stand for "any class" and do not count.
    pruned
        Classes that pruning left out.
    amount, amounts
        Where classes count by numbers of their own, such as weights: what the numbers are, and
        (class, number) of each that has one.
    remarks
        What has to be known of these sets and numbers, a sentence each.
    """

    augment: str
    shared: tuple[Name, ...]
    only_true: tuple[Name, ...]
    only_predicted: tuple[Name, ...]
    excluded_classes: tuple[Name, ...]
    pruned: tuple[Name, ...] = ()
    amount: str = ""
    amounts: tuple[tuple[Name, float], ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class ConstraintRow:
    """One label and the lowest common ancestors that it has with its nearest partners.

    Attributes
    ----------
    side, name
        ``"true"`` or ``"predicted"``, and its class.
    partners
        The nearest classes of the other side.
    lcas
        Its LCAs; at least one of them has to be chosen. Empty for a label without any partner.
    """

    side: str
    name: Name
    partners: tuple[Name, ...]
    lcas: tuple[Name, ...]


@dataclass(frozen=True)
class ExtensionEvidence:
    """Two graphs that join the labels of both sides in their lowest common ancestors.

    Attributes
    ----------
    extension
        ``"exact"``, ``"greedy"`` or ``"full"``.
    constraints
        What every label requires.
    removed
        Labels that were left out as ancestors of others of their side: (side, class).
    lcas
        The chosen lowest common ancestors.
    shared, only_true, only_predicted
        Classes of both graphs, and of one of them, parents before children.
    edges_true, edges_predicted
        The edges of both graphs: (parent, child).
    optimal
        Whether the graphs are proved to be the minimal ones.
    """

    extension: str
    constraints: tuple[ConstraintRow, ...]
    removed: tuple[tuple[str, Name], ...]
    lcas: tuple[Name, ...]
    shared: tuple[Name, ...]
    only_true: tuple[Name, ...]
    only_predicted: tuple[Name, ...]
    edges_true: tuple[tuple[Name, Name], ...]
    edges_predicted: tuple[tuple[Name, Name], ...]
    optimal: bool


@dataclass(frozen=True)
class ConfusionRow:
    """A predicted path with its true class, or one of both without partner.

    Attributes
    ----------
    path
        The predicted path from the root; empty for a true class without partner.
    true
        The true class; None for a path without partner.
    tp, fp, fn, tn
        Classes in each field. The shortest true path is the root, TP, then FN.
    """

    path: tuple[Name, ...]
    true: Name | None
    tp: tuple[Name, ...]
    fp: tuple[Name, ...]
    fn: tuple[Name, ...]
    tn: tuple[Name, ...]


@dataclass(frozen=True)
class ConfusionEvidence:
    """The hierarchical confusion matrix of an instance, pair by pair.

    Attributes
    ----------
    pairing
        ``"exact"`` or ``"published"``.
    rows
        The pairs, then paths, then true classes without partner.
    """

    pairing: str
    rows: tuple[ConfusionRow, ...]


@dataclass(frozen=True)
class ClassNode:
    """One class in a neighbourhood.

    Attributes
    ----------
    name
        The class.
    level
        Longest way from a parentless class in the whole hierarchy, in edges.
    true, predicted
        Whether it is a label of that side.
    above_true, above_predicted
        Whether a true, a predicted label is the class or below it.
    alone
        Whether it is a label that paid the default cost on at least one side.
    n_hidden
        Number of its children that are not shown.
    """

    name: Name
    level: int
    true: bool
    predicted: bool
    above_true: bool
    above_predicted: bool
    alone: bool
    n_hidden: int


@dataclass(frozen=True)
class Neighbourhood:
    """The part of a hierarchy around the labels of one instance.

    Attributes
    ----------
    nodes
        The classes, parents before children.
    edges
        Pairs of positions in ``nodes``: parent, child.
    pairs
        Chosen pairs as positions in ``nodes``: predicted, true.
    n_left_out
        Ancestors of labels that were left out to keep it readable.
    lcas
        Positions in ``nodes`` of the chosen lowest common ancestors; None if the classes are
        labels and their ancestors. Otherwise they are two grown graphs, and ``above_true`` and
        ``above_predicted`` say which of them each class is in.
    fields
        The fields of the confusion matrix that each class is in, or None.
    """

    nodes: tuple[ClassNode, ...]
    edges: tuple[tuple[int, int], ...]
    pairs: tuple[tuple[int, int], ...] = ()
    n_left_out: int = 0
    lcas: tuple[int, ...] | None = None
    fields: tuple[tuple[str, ...], ...] | None = None

    @property
    def framed(self) -> tuple[bool, ...]:
        """Whether each class gets a second border: it paid the default cost, or is an LCA."""
        return tuple(node.alone or i in (self.lcas or ()) for i, node in enumerate(self.nodes))


Evidence = PairEvidence | SetEvidence | ExtensionEvidence | ConfusionEvidence
"""What a measure's value rests on, by family."""
