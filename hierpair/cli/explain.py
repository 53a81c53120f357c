"""``hierpair explain``: why an instance got its score."""

from __future__ import annotations

import argparse
import json
from functools import partial
from typing import TYPE_CHECKING, Any

from hierpair.cli.options import Verb
from hierpair.cli.output import Meter, say
from hierpair.cli.reading import (
    CASE,
    DATA,
    MEASURES,
    READING,
    Inputs,
    conventions_of,
    measures_of,
    read_inputs,
)
from hierpair.cli.sides import POLICIES
from hierpair.errors import unknown
from hierpair.tables.records import json_text

if TYPE_CHECKING:
    from hierpair.explanation import Explanation

OPTIONS = """
-i, --instance ID*        an instance by its id or, without ids, its position from 0 (repeatable;
                          default: the worst one) {without --worst}
--worst K:int             the K instances that are worst by the first measure
--system NAME             only this system
--constraints             instead of instances: a table of what each constraint of the rules costs
                          over all instances (default measure: gie) {without --instance, --worst,
                          --picture, --view, --format dot}
--picture FILE            draw them as .svg, .pdf or .png (extra plot)
--view {network,hierarchy}
                          a picture or dot of the flow network, or of the hierarchy around the
                          labels (default: network for pair-based measures)
--names {ids,names,both}  how classes are shown that have a name beside their id, such as OBO terms
                          [default: both]
--digits N:digits         decimals [default: 4]
"""


def run(options: argparse.Namespace) -> str:
    """Explain, and draw if asked."""
    from hierpair.explanation import constraint_costs, explain, explain_worst

    found: list[Any] = []
    with Meter(options.quiet) as meter:
        inputs = read_inputs(options, meter)
        how = {**conventions_of(options), "missing": options.missing}
        if options.constraints:
            function: Any = constraint_costs
        elif options.instance:
            function = partial(explain, instances=options.instance)
        else:
            k = 1 if options.worst is None else options.worst
            function = partial(explain_worst, k=k, on_progress=meter.show)
        measures = measures_of(options, ("gie",) if options.constraints else ("gie", "hf"))
        for name, labels in _chosen(options, inputs).items():
            one = function(inputs.hierarchy, inputs.truth, labels, measures, system=name, **how)
            found += [one] if options.constraints else one
    if options.picture is not None:
        _draw(found, options)
    return _tables(found, options) if options.constraints else _shown(found, options)


def _chosen(options: argparse.Namespace, inputs: Inputs) -> dict[str, Any]:
    """Return the labels of the systems that are asked for."""
    if options.system is None:
        return inputs.systems
    if options.system not in inputs.systems:
        raise unknown("system", options.system, inputs.systems)
    return {options.system: inputs.systems[options.system]}


def _tables(found: list[Any], options: argparse.Namespace) -> str:
    """Return which constraint costs how much, a table per system."""
    if options.format == "json":
        return json_text([row for one in found for row in one.content().records().to_dicts()])
    between = "\n" if options.format == "jsonl" else "\n\n\n"
    return between.join(one.to_table(options.format, options.digits) for one in found)


def _shown(found: list[Explanation], options: argparse.Namespace) -> str:
    if options.format == "json":
        return json.dumps([why.to_dict() for why in found], ensure_ascii=False, indent=2)
    if options.format == "jsonl":
        return "\n".join(json.dumps(why.to_dict(), ensure_ascii=False) for why in found)
    if options.format == "dot":
        return "\n".join(why.to_dot(options.view or "auto", options.names) for why in found)
    return "\n\n\n".join(why.to_text(options.digits, names=options.names) for why in found)


def _draw(found: list[Explanation], options: argparse.Namespace) -> None:
    """Draw all explanations, one below the other."""
    from hierpair.plots import save_picture
    from hierpair.plots.saving import stacked

    for why in found:
        why.network_in(options.view or "auto")
    save_picture(stacked([partial(_drawn, why, options) for why in found]), options.picture)
    say(options, f"drew {'; '.join(why.title for why in found)} in {options.picture}")


def _drawn(why: Explanation, options: argparse.Namespace, axes: Any) -> Any:
    from hierpair.plots import plot_neighbourhood, plot_own_network, plot_pairing

    why = why.named(options.names)
    shown = why.network_in(options.view or "auto")
    if shown is None:
        return plot_neighbourhood(why.neighbourhood, title=why.title, ax=axes)
    draw: Any = plot_own_network if shown.written else plot_pairing
    return draw(shown, title=why.title, digits=options.digits, ax=axes)


EXPLAIN = Verb(
    "explain",
    "show why an instance got its score",
    "Explain one instance, or the worst ones: pairs with costs, what was paid by default, and the "
    "proof that no pairing is cheaper; or the augmented sets and what they share.",
    "hierpair explain tree.tsv truth.tsv run.tsv --instance d17 -m gie -m hf",
    "FILE…  hierarchy, truth, and one file or NAME=FILE per system"
    + CASE + MEASURES.format("gie and hf") + OPTIONS + POLICIES + DATA + READING,
    run,
    ("text", "json", "jsonl", "dot"),
)  # fmt: skip
