"""``hierpair explain``: why an instance got its score."""

from __future__ import annotations

import argparse
import json
from functools import partial
from typing import TYPE_CHECKING, Any

from hierpair.cli.conventions import conventions_of
from hierpair.cli.parser import Verb, check_digits, say
from hierpair.cli.pictures import check_picture
from hierpair.cli.progress import Meter
from hierpair.cli.reading import (
    DATA,
    HIERARCHY,
    LABELS,
    read_inputs,
)
from hierpair.errors import BadInput, did_you_mean, listed

if TYPE_CHECKING:
    from hierpair.explanation import Explanation

__all__ = ["VERB"]

OPTIONS = """
FILE…                     hierarchy, truth, and one file or NAME=FILE per system
--case NAME               a bundled case instead of files
-i, --instance ID*        an instance by its id or, without ids, its position from 0 (may be
                          repeated; default: the worst one)
--worst K:int             the K instances that are worst by the first measure
--system NAME             only this system
-m, --measures MEASURE*
                          a measure such as hf or 'hf(beta=2)' (may be repeated);
                          default: gie and hf
--picture FILE            draw them as .svg, .pdf or .png (extra plot)
--view {auto,network,hierarchy}
                          picture or DOT of the flow network or of the hierarchy around the labels
                          [auto: network for pair-based measures]
--names {ids,names,both}  how classes are shown that have a name beside their id, such as OBO terms
                          [default: both]
--digits N:int            decimals [default: 4]
"""


def run(options: argparse.Namespace) -> str:
    """Explain, and draw if asked."""
    if options.instance and options.worst is not None:
        raise BadInput("give either --instance or --worst, not both")
    check_digits(options.digits)
    check_picture(options, default_view="auto")
    with Meter(options.quiet) as meter:
        found = _explained(options, meter)
    if options.picture is not None:
        _draw(found, options)
    if options.format == "json":
        return json.dumps([why.to_dict() for why in found], ensure_ascii=False, indent=2)
    if options.format == "jsonl":
        return "\n".join(json.dumps(why.to_dict(), ensure_ascii=False) for why in found)
    if options.format == "dot":
        return "\n".join(why.to_dot(options.view, options.names) for why in found)
    return "\n\n\n".join(why.to_text(options.digits, options.names) for why in found)


def _explained(options: argparse.Namespace, meter: Meter) -> list[Explanation]:
    from hierpair.explanation import explain, explain_worst

    inputs = read_inputs(options, meter)
    systems = inputs.systems
    if options.system is not None:
        if options.system not in systems:
            near = did_you_mean(options.system, systems)
            raise BadInput(
                f"there is no system {options.system!r}{near}; there are {listed(systems)}"
            )
        systems = {options.system: systems[options.system]}
    how = {**conventions_of(options), "missing": options.missing}
    measures = options.measures or ["gie", "hf"]
    found: list[Explanation] = []
    for name, labels in systems.items():
        if options.instance:
            found += explain(
                inputs.hierarchy,
                inputs.truth,
                labels,
                measures,
                system=name,
                instances=options.instance,
                **how,
            )
        else:
            found += explain_worst(
                inputs.hierarchy,
                inputs.truth,
                labels,
                measures,
                system=name,
                k=1 if options.worst is None else options.worst,
                on_progress=meter.show,
                **how,
            )
    return found


def _draw(found: list[Explanation], options: argparse.Namespace) -> None:
    """Draw all explanations, one below the other."""
    from hierpair.plots import save_picture
    from hierpair.plots.saving import stacked

    for why in found:
        why.pairing_in(options.view)
    save_picture(stacked([partial(_drawn, why, options) for why in found]), options.picture)
    say(options, f"drew {'; '.join(why.title for why in found)} in {options.picture}")


def _drawn(why: Explanation, options: argparse.Namespace, axes: Any) -> Any:
    from hierpair.plots import plot_neighbourhood, plot_pairing

    why = why.named(options.names)
    if pairing := why.pairing_in(options.view):
        return plot_pairing(pairing, title=why.title, digits=options.digits, ax=axes)
    return plot_neighbourhood(why.neighbourhood, title=why.title, ax=axes)


VERB = Verb(
    "explain",
    "show why an instance got its score",
    "Explain one instance, or the worst ones: hierpair explain HIERARCHY TRUTH "
    "PREDICTIONS … --instance ID. Pairs with costs, what was paid by default, and the proof "
    "that no pairing is cheaper; or the augmented sets and what they share.",
    DATA + OPTIONS + HIERARCHY + LABELS,
    run,
    ("text", "json", "jsonl", "dot"),
    has_measures=True,
)
