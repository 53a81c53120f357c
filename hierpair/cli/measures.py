"""``hierpair measures``: what there is, and each in full."""

from __future__ import annotations

import argparse
from typing import get_args

from hierpair.cli.parser import Verb

__all__ = ["VERB"]


def run(options: argparse.Namespace) -> str:
    """List the measures."""
    from hierpair.measures import REGISTRY, measure
    from hierpair.measures.registry import Family
    from hierpair.tables import listing, show

    by_family = sorted(REGISTRY.values(), key=lambda d: get_args(Family).index(d.family))
    chosen = [measure(options.name).definition] if options.name else by_family
    header = ["measure", "better", "range", "formula", "source", "options"]
    rows = [
        [d.name, d.direction, d.range, d.formula, d.source,
         ", ".join(f"{k}={v!r}" for k, v in d.options.items())]
        for d in chosen
    ]  # fmt: skip
    if options.format != "text":
        return show(listing(header, rows), options.format)
    if options.name:
        width = max(map(len, header))
        entries = [*zip(header, rows[0], strict=True), ("averages", ", ".join(chosen[0].averages))]
        return "\n".join([chosen[0].summary, "", *(f"{k:<{width}}  {v}" for k, v in entries)])
    listed = [[d.name, d.direction, d.summary] for d in chosen]
    return show(listing(["measure", "better", "what it says"], listed), "text")


VERB = Verb(
    "measures",
    "list the measures",
    "List the measures, or show one in full.",
    "[NAME]  a measure to show in full",
    run,
)
