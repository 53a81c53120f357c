"""Advice which measure to use, as a table in every form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hierpair._version import __version__
from hierpair.errors import BadInput
from hierpair.measures import Measure, measure
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Form, Page, Records
from hierpair.verification.label_facts import DataFacts
from hierpair.verification.need_evidence import TOLERATED, AdvisedMeasure
from hierpair.verification.needs import EXCLUSIVE, NEEDS, Need
from hierpair.verification.properties import Examination

__all__ = ["Advice"]


@dataclass(frozen=True, eq=False, repr=False)
class Advice(Tabular):
    """Measures in the order in which they are advised; ``advice["hf"]`` is one of them.

    Attributes
    ----------
    ranked
        The measures with what speaks for and against each, the first choice first.
    needs
        What was wanted, most important first: as asked, then as the data show.
    n_asked
        How many of the needs were asked for.
    facts
        What was read from the data, or None without any.
    examination
        The evidence, or None where no need has properties.
    effort
        Scope, samples and seed of the examination.
    """

    ranked: tuple[AdvisedMeasure, ...]
    needs: tuple[Need, ...]
    n_asked: int
    facts: DataFacts | None
    examination: Examination | None
    effort: tuple[int, int, int]

    def __repr__(self) -> str:
        return f"Advice({', '.join(one.name for one in self.ranked)})"

    def __iter__(self) -> Iterator[AdvisedMeasure]:
        """Yield the measures, the first choice first."""
        return iter(self.ranked)

    def __len__(self) -> int:
        return len(self.ranked)

    def __getitem__(self, name: str | Measure) -> AdvisedMeasure:
        """Return what is said of a measure.

        Raises
        ------
        BadInput
            For an unknown measure, or one that was not compared.
        """
        for one in self.ranked:
            if name in (one.measure, one.name):
                return one
        wanted = measure(name)
        for one in self.ranked:
            if one.measure == wanted:
                return one
        compared = ", ".join(one.name for one in self.ranked)
        raise BadInput(f"{wanted.name} is not among the measures compared: {compared}")

    @property
    def best(self) -> AdvisedMeasure:
        """The first choice."""
        return self.ranked[0]

    @property
    def open_questions(self) -> list[Need]:
        """Needs that neither were asked for nor follow from data; one of them may be yours."""
        answered = {need.name for need in self.needs} | {"report"}
        answered |= {name for pair in EXCLUSIVE if answered & set(pair) for name in pair}
        by_data = {"nearness", "inner_classes", "label_counts", "alternative_paths"}
        by_data.add("coherent_labels")
        if self.facts is not None and self.facts.has_labels:
            answered |= by_data - {"inner_classes"}
        if self.facts is not None and self.facts.single:
            answered.add("near_extras")
        return [need for name, need in NEEDS.items() if name not in answered]

    @property
    def signature(self) -> str:
        """What was wanted, gone through and drawn, in one line."""
        scope, samples, seed = self.effort
        names = "+".join(need.name for need in self.needs)
        effort = f"scope={scope},samples={samples},seed={seed}"
        return f"advise(needs={names},{effort})|hierpair {__version__}"

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the table."""
        said = [f"data: {self.facts}"] if self.facts is not None else []
        rest = "from the data" if self.facts else "nothing was asked"
        origin = [
            f"{need.name} ({'asked' if k < self.n_asked else rest})"
            for k, need in enumerate(self.needs)
        ]
        said.append(f"needs, most important first: {', '.join(origin)}")
        said += [need.remark for need in self.needs if need.remark]
        untold = {e.stated for one in self for e in one.evidence if e.status == "not tried"}
        if untold:
            said.append(
                f"not tried: {', '.join(sorted(untold))}; these need a larger scope or more samples"
            )
        if self.examination is not None:
            said.append(
                "ranked by the first need that one measure meets and another does not; met: at "
                f"most {TOLERATED:.0%} of the witnesses violate each property, of those in small "
                "hierarchies and of the random ones. Shares are no scale: a measure with fewer "
                "violations is not better"
            )
        return said

    @property
    def records(self) -> Records:
        """One record per measure, need and property; of a measure without evidence one."""
        header = ["rank", "measure", "need", "property", "status", "share", "n", "counterexample"]
        rows: list[list[Any]] = []
        for one in self.ranked:
            end = [one.measure.signature, self.signature]
            rows += [
                [one.rank, one.name, e.need, e.stated, e.status, e.share, e.n,
                 str(e.case or ""), *end]
                for e in one.evidence
            ] or [[one.rank, one.name, "", "", "", float("nan"), 0, "", *end]]  # fmt: skip
        return Records([*header, "signature", "advice"], rows)

    def content(self, digits: int | None = None, *, most: int | None = None) -> Content:
        """Return what is shown.

        Parameters
        ----------
        digits
            Not used: shares are told in two digits.
        most
            Measures that are shown, by default all.
        """
        return Content(lambda: self.records, lambda form: self._page(form, most), self._data)

    def _page(self, form: Form, most: int | None) -> Page:
        shown = self.ranked[:most]
        heads = [one.measure.label if form.typeset else one.name for one in shown]
        blocks = [
            Block(
                ["rank", "measure", "meets", "does not meet"],
                [
                    [str(one.rank), head, ", ".join(one.met) or "–", ", ".join(one.violated) or "–"]
                    for head, one in zip(heads, shown, strict=True)
                ],
                prose=True,
                align="rlll",
            )
        ]
        against = [
            [head, e.need, str(e), str(e.case or "")]
            for head, one in zip(heads, shown, strict=True)
            for e in one.violations
        ]
        if against:
            header = ["measure", "need", "what was found", "least case"]
            blocks.append(Block(header, against, "What speaks against", align="llll", prose=True))
        said = [
            [head, text]
            for head, one in zip(heads, shown, strict=True)
            for text in (*one.cautions, *map(str, one.recommendations))
            if not one.violated
        ]
        if said:
            title = "Cautions, and what papers recommend"
            blocks.append(Block(["measure", "to know"], said, title, align="ll", prose=True))
        asked = [[need.name, need.question] for need in self.open_questions]
        if asked:
            title = "Questions that were not answered"
            blocks.append(Block(["need", "question"], asked, title, align="ll", prose=True))
        return Page(blocks, self.notes, [*(one.measure.signature for one in shown), self.signature])

    def _data(self) -> dict[str, Any]:
        measures = [
            {
                "rank": one.rank, "measure": one.measure.signature,
                "met": list(one.met), "violated": list(one.violated),
                "evidence": [
                    {
                        "need": e.need, "property": e.stated, "status": e.status,
                        "share": e.share, "n": e.n, "domains": list(e.domains),
                        "counterexample": e.case and e.case.to_dict(),
                    }
                    for e in one.evidence
                ],
                "cautions": list(one.cautions),
                "recommendations": [str(r) for r in one.recommendations],
            }
            for one in self.ranked
        ]  # fmt: skip
        needs = [
            {"name": n.name, "question": n.question, "properties": list(n.asked)}
            for n in self.needs
        ]
        return {
            "advice": self.signature,
            "facts": self.facts and self.facts.to_dict(),
            "needs": needs,
            "measures": measures,
            "questions": {n.name: n.question for n in self.open_questions},
            "notes": self.notes,
        }
