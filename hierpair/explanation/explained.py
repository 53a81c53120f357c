"""One explained instance: its evidence as text, as a page's HTML and as plain data."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hierpair.errors import BadInput, check_choice, shortened, shown, visible, visible_lines
from hierpair.explanation.class_titles import names_in, renamed, shown_names
from hierpair.measures import Measure
from hierpair.measures.evidence import (
    ConfusionEvidence,
    Evidence,
    Neighbourhood,
    NetworkEvidence,
    PairEvidence,
    hierarchy_digraph,
    network_digraph,
    own_network_digraph,
)
from hierpair.measures.evidence.base import listed_classes
from hierpair.tables import Block, json_text
from hierpair.tables.dot import dot_text
from hierpair.tables.forms import LONGEST_LINE, MOST_ROWS, html_text, small_table
from hierpair.tables.text import number, text_table

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["VIEWS", "Explanation"]

VIEWS = ("auto", "network", "hierarchy")
"""What a picture shows: the flow network of a pairing or the hierarchy around the labels."""


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Why one instance of one system got its value under one measure.

    Attributes
    ----------
    system, instance
        Whose prediction, and the id (or position) of the instance.
    measure
        The measure.
    value
        The value of the instance.
    y_true, y_pred
        Its labels.
    evidence
        The pairing, the augmented sets, the graphs, or the confusion matrix.
    neighbourhood
        The part of the hierarchy around the labels.
    titles
        What people call the classes that occur, such as the names of terms: name → title.
    """

    system: str
    instance: Hashable
    measure: Measure
    value: float
    y_true: tuple[Hashable, ...]
    y_pred: tuple[Hashable, ...]
    evidence: Evidence
    neighbourhood: Neighbourhood
    titles: Mapping[Hashable, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Explanation({self.measure.name} of {shown(self.instance)}: {self.value!r})"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the tables of :meth:`to_text`, of many rows the first."""
        parts = []
        for part in self._parts(4, "both"):
            if isinstance(part, Block):
                parts.append(small_table(part))
            lines = part.foot if isinstance(part, Block) else part.split("\n")
            texts = [html_text(shortened(line, LONGEST_LINE)) for line in lines[:MOST_ROWS]]
            texts += ["…"] if lines[MOST_ROWS:] else []
            parts += [f"<p>{'<br/>'.join(texts)}</p>"] if lines else []
        return "\n".join(["<div>", *parts, "</div>"])

    @property
    def title(self) -> str:
        """System, instance, measure and value in one line."""
        obstacle = self.evidence.obstacle
        value = f": no {obstacle}" if obstacle else f" = {self.value:.4g}"
        return f"{self.system}, instance {self.instance}: {self.measure.name}{value}"

    def named(self, names: str = "both") -> Explanation:
        """Return the explanation with other names of classes, such as for a picture.

        Parameters
        ----------
        names
            ``"ids"``: as labels are written; ``"names"``: what people call the classes, where
            the hierarchy has titles; ``"both"``.
        """
        known = shown_names(self._classes(), self.titles, names)
        return self if not self.titles or names == "ids" else self._called(known)

    def to_text(self, digits: int = 4, names: str = "both") -> str:
        """Return tables of the evidence, followed by the signature; ``names`` as in named().

        Line ends and signs that steer a terminal are spelled out.
        """
        parts = [
            "\n".join([text_table(part.header, part.rows, part.align).lstrip("\n"), *part.foot])
            if isinstance(part, Block)
            else part
            for part in self._parts(digits, names)
        ]
        return visible_lines("\n\n".join(parts))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; infinite and undefined numbers become None."""
        data = {
            "system": self.system,
            "instance": self.instance,
            "measure": self.measure.name,
            "value": self.value,
            "y_true": self.y_true,
            "y_pred": self.y_pred,
            **({"titles": dict(self.titles)} if self.titles else {}),
            self.evidence.kind: asdict(self.evidence),
            "hierarchy": asdict(self.neighbourhood),
            "signature": self.measure.of_instance,
        }
        plain: dict[str, Any] = json.loads(json_text(data, indent=None))
        return plain

    def network_in(self, view: str = "auto") -> PairEvidence | NetworkEvidence | None:
        """Return the pairing or network that a view shows; None if it shows the hierarchy.

        Parameters
        ----------
        view
            As for :meth:`to_networkx`.

        Raises
        ------
        BadInput
            For the network of a measure that pairs nothing at least cost.
        """
        check_choice("view", view, VIEWS)
        found: Evidence | None = self.evidence
        if isinstance(found, ConfusionEvidence) and view == "network":
            found = found.proof
        if isinstance(found, (PairEvidence, NetworkEvidence)) and view != "hierarchy":
            return found
        if view == "network":
            raise BadInput(f"{self.measure.name} has no pairing to draw; take view='hierarchy'")
        return None

    def to_networkx(self, view: str = "auto") -> nx.DiGraph[Any]:
        """Return what a picture of it shows as a networkx graph.

        Parameters
        ----------
        view
            ``"network"``: the flow network of a pairing with its flow and costs
            (``hierpair.measures.evidence.network_digraph``); ``"hierarchy"``: the part of
            the hierarchy around the labels
            (``hierpair.measures.evidence.hierarchy_digraph``); ``"auto"``: the network for
            a pair-based measure, else the hierarchy.

        Raises
        ------
        BadInput
            For the network of a measure that pairs nothing at least cost.

        Examples
        --------
        >>> from hierpair import Hierarchy, explain
        >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
        >>> why = explain(tree, [["a"]], [["b"]], "gie")[0]
        >>> why.to_networkx().edges[("predicted", 0), ("true", 0)]["cost"]
        2.0
        """
        found = self.network_in(view)
        graph: nx.DiGraph[Any]
        if isinstance(found, NetworkEvidence):
            graph = own_network_digraph(found)
        else:
            graph = network_digraph(found) if found else hierarchy_digraph(self.neighbourhood)
        graph.graph.update(name=self.title, label=self.title)
        return graph

    def to_dot(self, view: str = "auto", names: str = "both") -> str:
        """Return :meth:`to_networkx` as DOT text for Graphviz; ``names`` as in :meth:`named`."""
        return dot_text(self.named(names).to_networkx(view))

    def to_json(self) -> str:
        """Return :meth:`to_dict` as JSON."""
        return json_text(self.to_dict())

    def _parts(self, digits: int, names: str) -> list[str | Block]:
        """Return all that is shown, with names of classes in one line each."""
        named = self.named(names)
        known = {name: visible(str(name)) for name in named._classes()}
        if any(text != name for name, text in known.items()):
            named = named._called(known)
        obstacle = self.evidence.obstacle
        value = (
            f"has no value: no {obstacle} is possible"
            if obstacle
            else f"= {number(self.value, digits)}"
        )
        arrow = "higher is better" if self.measure.higher_is_better else "lower is better"
        labels = [
            ["true", listed_classes(named.y_true)],
            ["predicted", listed_classes(named.y_pred)],
        ]
        return [
            f"{self.measure.name} {value} ({arrow}) "
            f"for instance {visible(str(self.instance))} of {visible(str(self.system))}",
            Block(["", ""], labels, align="ll"),
            *named.evidence.parts(digits),
            f"formula: {self.measure.definition.formula}\n{self.measure.of_instance}",
        ]

    def _classes(self) -> set[Hashable]:
        parts = (self.evidence, self.neighbourhood)
        return {*self.y_true, *self.y_pred}.union(*map(names_in, parts))

    def _called(self, known: Mapping[Hashable, str]) -> Explanation:
        evidence, around = (renamed(part, known) for part in (self.evidence, self.neighbourhood))
        true, pred = (tuple(known[c] for c in side) for side in (self.y_true, self.y_pred))
        return replace(
            self, y_true=true, y_pred=pred, evidence=evidence, neighbourhood=around, titles={}
        )
