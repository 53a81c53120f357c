"""One explained instance: its evidence as text, as a page's HTML and as plain data."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from hierpair.errors import BadInput, check_choice, shown, visible
from hierpair.measures import Measure
from hierpair.measures.evidence import (
    FieldEvidence,
    FlowEvidence,
    Neighbourhood,
    flow_digraph,
    hierarchy_digraph,
)
from hierpair.measures.evidence.base import Name, listed_classes
from hierpair.tables import Block, Content, Page, Records, Tabular, json_text
from hierpair.tables.text import number

if TYPE_CHECKING:
    import networkx as nx

VIEWS = ("auto", "network", "hierarchy")
"""What a picture shows: the flow network of a pairing or the hierarchy around the labels."""

STYLES = ("ids", "names", "both")
"""How classes are shown: by id, by what people call them, or by both."""


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Tabular):
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
    y_true: tuple[Name, ...]
    y_pred: tuple[Name, ...]
    evidence: FieldEvidence | FlowEvidence
    neighbourhood: Neighbourhood
    titles: Mapping[Hashable, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Explanation({self.measure.name} of {shown(self.instance)}: {self.value!r})"

    @property
    def no_pairing(self) -> bool:
        """Whether there is no value because no pairing is possible."""
        return isinstance(self.evidence, FlowEvidence) and bool(self.evidence.blocking)

    @property
    def title(self) -> str:
        """System, instance, measure and value in one line."""
        value = ": no pairing" if self.no_pairing else f" = {self.value:.4g}"
        return f"{self.system}, instance {self.instance}: {self.measure.name}{value}"

    def named(self, names: str = "both") -> Explanation:
        """Return the explanation with other names of classes, such as for a picture.

        Parameters
        ----------
        names
            ``"ids"``: as labels are written; ``"names"``: what people call the classes, where
            the hierarchy has titles; ``"both"``.
        """
        known = shown_names(self.classes(), self.titles, names)
        named: Explanation = _renamed(self, known.__getitem__)
        return named

    def classes(self) -> list[Hashable]:
        """Return all classes that occur."""
        found: dict[Hashable, Hashable] = {}
        _renamed(self, lambda name: found.setdefault(name, name))
        return [*found]

    def content(self, digits: int | None = None, names: str = "both") -> Content:
        """Return tables of the evidence and what it proves; ``names`` as in :meth:`named`."""
        header = ["system", "instance", "measure", "value"]
        row = [self.system, self.instance, self.measure.name, self.value]
        return Content(
            lambda: Records(header, [row]),
            lambda form: self._page(4 if digits is None else digits, names),
            self.to_dict,
        )

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

    def network_in(self, view: str = "auto") -> FlowEvidence | None:
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
        shown = self.evidence
        flow = shown if isinstance(shown, FlowEvidence) else shown.proof
        if view == "network" and flow is None:
            raise BadInput(f"{self.measure.name} has no pairing to draw; take view='hierarchy'")
        return flow if view == "network" or (view == "auto" and flow is shown) else None

    def to_networkx(self, view: str = "auto") -> nx.DiGraph[Any]:
        """Return what a picture of it shows as a networkx graph.

        Parameters
        ----------
        view
            ``"network"``: the flow network of a pairing with its flow and costs
            (``hierpair.measures.evidence.flow_digraph``); ``"hierarchy"``: the part of
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
        graph = hierarchy_digraph(self.neighbourhood) if found is None else flow_digraph(found)
        graph.graph.update(name=self.title, label=self.title)
        return graph

    def _page(self, digits: int, names: str) -> Page:
        """Return all that is shown."""
        named = self.named(names)
        is_ = "has no value: no pairing is possible"
        if not self.no_pairing:
            arrow = "higher" if self.measure.higher_is_better else "lower"
            is_ = f"= {number(self.value, digits)} ({arrow} is better)"
        title = f"{self.measure.name} {is_} for instance {self.instance} of {self.system}"
        sides = {"true": named.y_true, "predicted": named.y_pred}
        labels = [[side, listed_classes(classes)] for side, classes in sides.items()]
        blocks, notes = [Block(["", "labels"], labels, title, align="ll")], list[str]()
        for part in named.evidence.parts(digits):
            if isinstance(part, Block):
                blocks.append(replace(part, foot=()))
            notes += part.foot if isinstance(part, Block) else part.split("\n")
        notes.append(f"formula: {self.measure.definition.formula}")
        return Page(blocks, notes, [self.measure.of_instance])


def shown_names(
    names: Iterable[Hashable], titles: Mapping[Hashable, str], style: str
) -> dict[Hashable, str]:
    """Return what each class is shown as; classes of the same title keep their ids too.

    >>> shown_names(["G:1", "G:2"], {"G:1": "death"}, "both")
    {'G:1': 'death (G:1)', 'G:2': 'G:2'}
    >>> shown_names(["G:1", "G:2"], {"G:1": "death"}, "names")
    {'G:1': 'death', 'G:2': 'G:2'}
    """
    check_choice("names", style, STYLES)
    found = {name: str(name) if style == "ids" else titles.get(name, str(name)) for name in names}
    times = Counter(found.values())
    for name, title in found.items():
        if title != str(name) and (style == "both" or times[title] > 1):
            found[name] = f"{title} ({name})"
    return {name: visible(text) for name, text in found.items()}


def _renamed(thing: Any, call: Callable[[Hashable], Hashable], names: bool = False) -> Any:
    """Return a part of an explanation with other names of classes; types say where they are."""
    if is_dataclass(thing) and not isinstance(thing, Measure):
        each = {f.name: (getattr(thing, f.name), "Name" in str(f.type)) for f in fields(thing)}
        changed = {name: _renamed(part, call, has) for name, (part, has) in each.items()}
        return replace(thing, **changed)  # type: ignore[type-var]
    if isinstance(thing, tuple):
        return tuple(_renamed(x, call, names) for x in thing)
    return call(thing) if names else thing
