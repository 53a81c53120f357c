"""How well measures tell systems apart: the result, in every form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair._version import __version__
from hierpair.comparison.statistics.paired_tests import sign_test
from hierpair.errors import counted
from hierpair.evaluation.looks import heading_of
from hierpair.evaluation.scores import ByName
from hierpair.hierarchy.arrays import Bools, Floats
from hierpair.measures import Measure
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Form, Page, Records
from hierpair.tables.text import number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Discrimination"]


@dataclass(frozen=True, eq=False, repr=False)
class Discrimination(ByName, Tabular):
    """Discriminative power of measures, and what they tell on fewer instances.

    Attributes
    ----------
    systems, measures
        Names of the systems, and the measures.
    pairs
        The pairs of systems, by number, shape ``(n_pairs, 2)``.
    p
        Two-sided, unadjusted p-values of the pairs, shape ``(n_measures, n_pairs)``.
    power, power_low, power_high
        Discriminative power (Sakai 2006): the share of pairs with p ≤ alpha; with intervals over
        resampled instances, nan where they cannot be told.
    sizes
        Sizes of subsamples.
    power_by_n
        Share of the pairs that are significant in subsamples, shape ``(n_measures, n_sizes)``.
    swap_rate
        Share of the pairs that two disjoint subsamples order differently (Voorhees and Buckley
        2002), of the same shape; nan where there are no two.
    minimum_size
        The least of the sizes from which on the swap rate is at most ``swap``; nan if there is
        none.
    needed
        Instances that each pair needs for power ``target``: ((z₁₋α/₂ + z_target) / d)², with d the
        mean of the paired differences over their standard deviation; inf where it is 0.
    shares, planted_power
        Shares of answers that were made wrong, and how often that was found, shape
        ``(n_measures, n_shares)``; empty where nothing was planted.
    plan
        What it depends on beside, by name: alpha, splits, rounds, seed, …
    notes
        What has to be known beside the numbers.
    signatures
        How it was computed, and the conventions of every measure.
    """

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    pairs: tuple[tuple[int, int], ...]
    p: Floats
    power: Floats
    power_low: Floats
    power_high: Floats
    sizes: tuple[int, ...]
    power_by_n: Floats
    swap_rate: Floats
    needed: Floats
    shares: tuple[float, ...]
    planted_power: Floats
    plan: dict[str, Any]
    n_instances: int
    notes: tuple[str, ...]

    done = "examined"

    def __repr__(self) -> str:
        sizes = f"{counted(len(self.systems), 'system')}, {counted(len(self.measures), 'measure')}"
        return f"Discrimination({sizes}, {self.n_instances:,} instances)"

    @property
    def signature(self) -> str:
        """One line that pins how it was computed, with the seed."""
        told = ",".join(f"{name}={value:g}" for name, value in self.plan.items())
        return f"discrimination({told})|hierpair {__version__}"

    @property
    def signatures(self) -> list[str]:
        """How it was computed, and the conventions of every measure."""
        return [self.signature, *(m.signature for m in self.measures)]

    @property
    def minimum_size(self) -> Floats:
        """The least size from which on the swap rate is small enough, by measure."""
        small = self.swap_rate <= self.plan["swap"]
        large = ~small & ~np.isnan(self.swap_rate)
        after = np.logical_or.accumulate(large[:, ::-1], axis=1)[:, ::-1]
        good = small & ~after
        return _first(good, self.sizes)

    @property
    def median_needed(self) -> Floats:
        """Instances that half of the pairs need, by measure."""
        found: Floats = np.median(self.needed, axis=1)
        return found

    @property
    def least_planted(self) -> Floats:
        """The least share of wrong answers that is found with the power asked for, by measure."""
        return _first(self.planted_power >= self.plan["target"], self.shares)

    def asl(self, measure: str | Measure | None = None) -> Floats:
        """Return the p-values of all pairs under a measure, the least first: its ASL curve."""
        return np.sort(self.p[self.measure_number(measure)])

    def contrast(self, one: str | Measure, other: str | Measure) -> float:
        """Return the p-value of an exact McNemar test on which pairs two measures find.

        Few pairs tell little, and pairs that share a system are not independent.
        """
        found = self.p <= self.plan["alpha"]
        a, b = (found[self.measure_number(name)] for name in (one, other))
        return sign_test(a.astype(np.float64) - b)

    def content(
        self, digits: int | None = None, *, caption: str | None = None, label: str | None = None
    ) -> Content:
        """Return what is shown: a row per measure, and records of every number."""
        decimals = 2 if digits is None else digits

        def page(form: Form) -> Page:
            heads = [heading_of(m.name, typeset=form.typeset) for m in self.measures]
            return Page(self._blocks(heads, decimals), self.notes, self.signatures, caption, label)

        return Content(self.records, page, self.to_dict)

    def _blocks(self, heads: Sequence[str], digits: int) -> list[Block]:
        def table(first: Sequence[str], matrix: Floats, title: str) -> Block:
            rows = [
                [name, *("–" if np.isnan(x) else number(x, digits) for x in row)]
                for name, row in zip(heads, matrix.tolist(), strict=True)
            ]
            return Block(["", *first], rows, title, fold=True)

        rows = []
        for k, name in enumerate(heads):
            low, high = self.power_low[k], self.power_high[k]
            ends = "–" if np.isnan(low) else f"{number(low, digits)} … {number(high, digits)}"
            least = self.minimum_size[k]
            share = self.least_planted[k]
            rows.append(
                [
                    *(name, number(float(self.power[k]), digits), ends),
                    _least(float(least), self._swapped(k)),
                    _whole(float(self.median_needed[k])),
                    "–" if np.isnan(share) else f"{100 * share:g} %",
                ]
            )
        header = ["", "power", "interval", "minimum size", "needed n (median)", "planted share"]
        title = f"Share of {counted(len(self.pairs), 'pair')} of systems with p ≤ α"
        blocks = [Block(header, rows, title)]
        named = [f"n = {n:,}" for n in self.sizes]
        if self.sizes:
            blocks.append(table(named, self.power_by_n, "Power by number of instances"))
            blocks.append(table(named, self.swap_rate, "Swap rate of two disjoint samples"))
        if self.shares:
            told = [f"{100 * share:g} %" for share in self.shares]
            blocks.append(table(told, self.planted_power, "Planted wrong answers that are found"))
        return blocks

    def _swapped(self, k: int) -> list[int]:
        """Return the sizes that have a swap rate."""
        known = zip(self.sizes, self.swap_rate[k].tolist(), strict=True)
        return [n for n, rate in known if not np.isnan(rate)]

    def records(self) -> Records:
        """Return a record per measure and number: what it is, and of what."""
        header = ["measure", "quantity", "of", "value", "low", "high", "signature"]
        nan = float("nan")
        rows: list[list[Any]] = []
        for k, m in enumerate(self.measures):

            def add(
                quantity: str,
                of: Any,
                value: Any,
                low: float = nan,
                high: float = nan,
                m: Measure = m,
            ) -> None:
                ends = (float(value), float(low), float(high))
                rows.append([m.name, quantity, str(of), *ends, m.signature])

            ends = self.power_low[k], self.power_high[k]
            add("discriminative_power", len(self.pairs), self.power[k], *ends)
            add("minimum_size", "", self.minimum_size[k])
            add("median_needed_n", "", self.median_needed[k])
            add("least_planted_share", "", self.least_planted[k])
            for s, n in enumerate(self.sizes):
                add("power", n, self.power_by_n[k, s])
                add("swap_rate", n, self.swap_rate[k, s])
            for q, share in enumerate(self.shares):
                add("planted_power", share, self.planted_power[k, q])
            for at, (i, j) in enumerate(self.pairs):
                of = f"{self.systems[i]} | {self.systems[j]}"
                add("p", of, self.p[k, at])
                add("needed_n", of, self.needed[k, at])
        return Records(header, rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain dicts and lists."""
        return {
            "signature": self.signature,
            "signatures": [m.signature for m in self.measures],
            "settings": self.plan,
            "systems": self.systems,
            "n_instances": self.n_instances,
            "notes": self.notes,
            "numbers": self.records().to_dicts(),
        }

    def to_dataframe(self) -> pd.DataFrame:
        """Return a pandas DataFrame: a row per measure and number."""
        return self.records().to_dataframe()


def _first(good: Bools, of: Sequence[float]) -> Floats:
    """Return the first that is good in every row, nan where none is."""
    if not of:
        return np.full(len(good), np.nan)
    return np.where(good.any(axis=1), np.array(of, dtype=np.float64)[good.argmax(axis=1)], np.nan)


def _whole(n: float) -> str:
    """Return a number of instances, rounded up."""
    if np.isnan(n):
        return "–"
    return "∞" if np.isinf(n) else f"{np.ceil(n):,.0f}"


def _least(size: float, tried: Sequence[int]) -> str:
    """Return the least size that will do, or that the largest one tried does not."""
    if not np.isnan(size):
        return f"{size:,.0f}"
    return f"> {max(tried):,}" if tried else "–"
