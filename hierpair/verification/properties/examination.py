"""What an examination of measures found, as a table in every form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hierpair._version import __version__
from hierpair.errors import BadInput, counted, did_you_mean
from hierpair.hierarchy import Hierarchy
from hierpair.measures import Measure
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Form, Page, Records
from hierpair.verification.properties.outcomes import Outcome
from hierpair.verification.properties.small_posets import small_worlds
from hierpair.verification.properties.statement import KINDS, Property

__all__ = ["Claim", "Examination"]

MOST_CASES = 40
"""Least cases below the table, at most; the records have all."""

TRAITS = {
    "symmetric": ("symmetric",),
    "perfect": ("identity", "constant_optimum"),
    "bounded": ("bounded",),
}
"""Traits of the registry, and the properties that say the same; ``total`` is read from what is
undefined."""


@dataclass(frozen=True)
class Claim:
    """Whether a measure has a trait, and whether the registry says so.

    Attributes
    ----------
    measure, trait
        The measure, and ``"symmetric"``, ``"perfect"``, ``"bounded"`` or ``"total"``.
    declared, found
        Whether the registry says so, and whether no witness speaks against it.
    sentence
        The least witness against it.
    """

    measure: Measure
    trait: str
    declared: bool
    found: bool
    sentence: str = ""

    def __str__(self) -> str:
        if self.declared and not self.found:
            return f"{self.measure.name} is declared {self.trait} and is not: {self.sentence}"
        if self.found and not self.declared:
            return f"{self.measure.name} is {self.trait} as far as was looked, and not declared so"
        return f"{self.measure.name} is {'' if self.found else 'not '}{self.trait}, as declared"


@dataclass(frozen=True, eq=False, repr=False)
class Examination(Tabular):
    """Verdicts of measures and properties: ``found[measure, property]`` is an :class:`Outcome`.

    Attributes
    ----------
    measures, properties
        What was examined.
    outcomes
        By the number of the measure and the name of the property.
    scope, samples, seed, hierarchy
        What was gone through and drawn.
    """

    measures: tuple[Measure, ...]
    properties: tuple[Property, ...]
    outcomes: Mapping[tuple[int, str], Outcome]
    scope: int
    samples: int
    seed: int
    hierarchy: Hierarchy | None = None

    def __repr__(self) -> str:
        sides = counted(len(self.measures), "measure"), len(self.properties)
        return f"Examination({sides[0]}, {sides[1]} properties)"

    def __getitem__(self, key: tuple[str | Measure, str]) -> Outcome:
        """Return what became of one property of one measure.

        Raises
        ------
        BadInput
            For a measure or a property that was not examined.
        """
        named, stated = key
        names = {m.name: m for m in self.measures}
        m = named if isinstance(named, Measure) else names.get(named)
        properties = [p.name for p in self.properties]
        if m is None or m not in self.measures:
            raise BadInput(f"{named} was not examined{did_you_mean(named, names)}")
        if stated not in properties:
            raise BadInput(
                f"the property {stated!r} was not examined{did_you_mean(stated, properties)}"
            )
        return self.outcomes[self.measures.index(m), stated]

    def __iter__(self) -> Iterator[Outcome]:
        """Yield all outcomes, property by property."""
        return (self[m, p.name] for p in self.properties for m in self.measures)

    @property
    def signature(self) -> str:
        """What was gone through and drawn, in one line."""
        of = "" if self.hierarchy is None else f",hierarchy={self.hierarchy.fingerprint[:8]}"
        return (
            f"examine(scope={self.scope},samples={self.samples},seed={self.seed}{of})"
            f"|hierpair {__version__}"
        )

    @property
    def claims(self) -> list[Claim]:
        """What the registry says of the measures, checked in both directions."""
        seen = {p.name for p in self.properties}
        found = []
        for m in self.measures:
            for trait, names in TRAITS.items():
                parts = [self[m, name] for name in names if name in seen]
                if len(parts) < len(names) or not all(part.n for part in parts):
                    continue
                bad = next((part for part in parts if part.n_violated), None)
                least = str(bad.counterexample) if bad and trait in m.definition.traits else ""
                found.append(self._claim(m, trait, bad is None, least))
            if "bounded" in seen:  # its witnesses are all cells
                cells = self[m, "bounded"]
                found.append(self._claim(m, "total", not cells.n_undefined, cells.reason))
        return found

    def _claim(self, m: Measure, trait: str, found: bool, sentence: str) -> Claim:
        declared = trait in m.definition.traits if not m.chosen else found
        return Claim(m, trait, declared, found, sentence)

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the table."""
        n = sum(len(small_worlds(k)) for k in range(1, self.scope + 1))
        said = [
            f"gone through: all {n} hierarchies of a root and at most {self.scope} classes, every "
            "pair of label sets; shares are of these where they have witnesses with violations, "
            "and exact",
        ] * bool(self.scope)
        if self.samples:
            held = [o.interval[1] for o in self if o.verdict == "holds" and o.drawn.n]
            sure = (
                f"; where it holds, fewer than {100 * max(held):.1f} % violate it" if held else ""
            )
            said.append(
                f"drawn: up to {self.samples} random witnesses of a property"
                f"{' in parts of your hierarchy' if self.hierarchy else ''}, seed {self.seed}; "
                f"their shares depend on how they are drawn{sure} (95 %)"
            )
        kinds = dict.fromkeys(p.kind for p in self.properties)
        said.append("kinds: " + "; ".join(f"{k} {KINDS[k]}" for k in kinds))
        if any(o.verdict == "vacuous" for o in self):
            said.append("vacuous: it holds, as the measure cannot see the difference")
        said += [str(c) for c in self.claims if c.declared != c.found]
        for m in self.measures:
            without = [self[m, p.name] for p in self.properties if self[m, p.name].n_undefined]
            if without:
                total = sum(o.n_undefined for o in without)
                said.append(f"{m.name}: {total:,} witnesses have no value: {without[0].reason}")
        return said

    @property
    def records(self) -> Records:
        """One record per measure and property."""
        header = ["measure", "property", "kind", "verdict", "share", "low", "high", "n"]
        header += ["n_violated", "n_undefined", "n_hierarchies", "where", "counterexample"]
        rows = [
            [
                o.measure.name, o.stated.name, o.stated.kind, o.verdict, o.share, *o.interval, o.n,
                o.n_violated, o.n_undefined, o.n_hierarchies, o.where,
                str(o.counterexample or ""), o.measure.signature, self.signature,
            ]
            for o in self
        ]  # fmt: skip
        return Records([*header, "signature", "examination"], rows)

    def content(self, digits: int | None = None, *, cases: bool | None = None) -> Content:
        """Return what is shown.

        Parameters
        ----------
        digits
            Decimals of shares in per cent; by default one below 10, otherwise none.
        cases
            Whether least cases stand below the table; by default where they are not too many.
        """
        return Content(
            lambda: self.records, lambda form: self._page(form, digits, cases), self._data
        )

    def _page(self, form: Form, digits: int | None, cases: bool | None) -> Page:
        heads = [m.label if form.typeset else m.name for m in self.measures]
        rows = [
            [p.name, p.kind, *(_cell(self[m, p.name], digits) for m in self.measures)]
            for p in self.properties
        ]
        blocks = [Block(["property", "kind", *heads], rows, fold=True)]
        found = [o for o in self if o.n_violated]
        if found and (len(found) <= MOST_CASES if cases is None else cases):
            listed = [[o.measure.name, o.stated.name, str(o.counterexample)] for o in found]
            header = ["measure", "property", "least violation"]
            blocks.append(Block(header, listed, "Least violations", align="lll", prose=True))
        signatures = [*(m.signature for m in self.measures), self.signature]
        return Page(blocks, self.notes, signatures)

    def _data(self) -> dict[str, Any]:
        outcomes = []
        for o in self:
            domains = {
                name: {"verdict": c.verdict, "n": c.n, "n_violated": c.n_violated}
                for name, c in o.by_domain.items()
            }
            case = o.counterexample and o.counterexample.to_dict()
            outcomes.append(
                {
                    "measure": o.measure.name, "property": o.stated.name, "verdict": o.verdict,
                    "share": o.share, "interval": o.interval, "n": o.n,
                    "n_violated": o.n_violated, "n_undefined": o.n_undefined,
                    "n_hierarchies": o.n_hierarchies, "by_domain": domains, "reason": o.reason,
                    "counterexample": case,
                }
            )  # fmt: skip
        stated = [
            {"name": p.name, "kind": p.kind, "statement": p.statement, "source": p.source}
            for p in self.properties
        ]
        return {
            "examination": self.signature,
            "measures": [m.signature for m in self.measures],
            "properties": stated,
            "outcomes": outcomes,
            "notes": self.notes,
        }


def _cell(o: Outcome, digits: int | None) -> str:
    """Return a verdict in a word or as a share."""
    if o.verdict == "undefined":
        return "–"
    if o.verdict != "violated":
        return o.verdict.removesuffix(" violated")
    share = 100 * o.share
    decimals = (1 if share < 9.95 else 0) if digits is None else digits
    text = f"{share:.{decimals}f} %"
    if not float(text[:-2]):
        text = f"< {10.0**-decimals:.{decimals}f} %"
    if share < 100 and text == f"{100:.{decimals}f} %":
        text = f"> {100 - 10.0**-decimals:.{decimals}f} %"
    return f"{text} ({o.where})" if o.where else text
