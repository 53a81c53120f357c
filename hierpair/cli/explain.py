"""``hierpair explain``: why an instance got its score."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
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
    Inputs,
    read_inputs,
)
from hierpair.errors import BadInput, unknown
from hierpair.tables import json_text

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
--constraints             instead of instances: a table of what each constraint of the rules costs
                          over all instances (default measure: gie)
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
    if options.constraints:
        return _constraints(options)
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
    return "\n\n\n".join(why.to_text(options.digits, names=options.names) for why in found)


def _constraints(options: argparse.Namespace) -> str:
    """Show which constraint costs how much."""
    from hierpair.explanation import constraint_costs

    given = {"--instance": options.instance, "--picture": options.picture is not None}
    given["--worst"] = options.worst is not None
    for flag in (flag for flag, is_given in given.items() if is_given):
        raise BadInput(f"--constraints is about all instances; leave {flag} out")
    if options.format == "dot":
        raise BadInput("--constraints is a table; take text, json or jsonl instead of dot")
    with Meter(options.quiet) as meter:
        inputs = read_inputs(options, meter)
    how = {**conventions_of(options), "missing": options.missing}
    found = [
        constraint_costs(
            inputs.hierarchy, inputs.truth, labels, options.measures or ["gie"], system=name, **how
        )
        for name, labels in _chosen(options, inputs).items()
    ]
    if options.format == "json":
        records = [row for one in found for row in one.content().records().to_dicts()]
        return json_text(records)
    between = "\n" if options.format == "jsonl" else "\n\n\n"
    return between.join(one.to_table(options.format, options.digits) for one in found)


def _chosen(options: argparse.Namespace, inputs: Inputs) -> Mapping[str, Any]:
    """Return the labels of the systems that are asked for."""
    if options.system is None:
        return inputs.systems
    if options.system not in inputs.systems:
        raise unknown("system", options.system, inputs.systems)
    return {options.system: inputs.systems[options.system]}


def _explained(options: argparse.Namespace, meter: Meter) -> list[Explanation]:
    from hierpair.explanation import explain, explain_worst

    inputs = read_inputs(options, meter)
    how = {**conventions_of(options), "missing": options.missing}
    measures = options.measures or ["gie", "hf"]
    found: list[Explanation] = []
    for name, labels in _chosen(options, inputs).items():
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
        why.network_in(options.view)
    save_picture(stacked([partial(_drawn, why, options) for why in found]), options.picture)
    say(options, f"drew {'; '.join(why.title for why in found)} in {options.picture}")


def _drawn(why: Explanation, options: argparse.Namespace, axes: Any) -> Any:
    from hierpair.plots import plot_neighbourhood, plot_own_network, plot_pairing

    why = why.named(options.names)
    shown = why.network_in(options.view)
    if shown is None:
        return plot_neighbourhood(why.neighbourhood, title=why.title, ax=axes)
    plot = plot_own_network if shown.written else plot_pairing
    return plot(shown, title=why.title, digits=options.digits, ax=axes)


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
