"""``hierpair explain``: why an instance got its score."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import hierpair as hp
from hierpair.cli.looks import draw
from hierpair.cli.options import Options, Verb
from hierpair.cli.reading import (
    CASE,
    DATA,
    MEASURES,
    POLICIES,
    READING,
    conventions_of,
    measures_of,
    read_inputs,
)
from hierpair.errors import unknown

OPTIONS = """
-i, --instance ID*        an instance by its id or, without ids, its position from 0 (repeatable;
                          default: the worst one) {without --worst}
--worst K:int             the K instances that are worst by the first measure
--system NAME             only this system
--picture FILE            draw them as .svg, .pdf or .png (extra plot)
--view {network,hierarchy}
                          a picture or dot of the flow network, or of the hierarchy around the
                          labels (default: network for pair-based measures)
--names {ids,names,both}  how classes are shown that have a name beside their id, such as OBO terms
                          [default: both]
--digits N:digits         decimals [default: 4]
"""


def run(options: Options) -> str:
    """Explain, and draw if asked."""
    i = read_inputs(options)
    if options.system not in (None, *i.systems):
        raise unknown("system", options.system, i.systems)
    if options.instance:
        function: Any = partial(hp.explain, instances=options.instance)
    else:
        k = 1 if options.worst is None else options.worst
        function = partial(hp.explanation.explain_worst, k=k, on_progress=options.meter.show)
    measures = measures_of(options, ("gie", "hf"))
    how = {**conventions_of(options), **options.take("missing")}
    found: list[Any] = []
    for name in i.systems if options.system is None else [options.system]:
        found += function(i.hierarchy, i.truth, i.systems[name], measures, system=name, **how)
    fmt, view = options.format, options.view or "auto"
    if options.picture is not None:
        for why in found:
            why.network_in(view)  # refuses one that there is not
        drawn = [partial(_drawn, why, options) for why in found]
        draw(options, drawn, "; ".join(why.title for why in found))
    if fmt == "dot":
        return "\n".join(why.to_dot(view, options.names) for why in found)
    if fmt == "text":
        return "\n\n\n".join(why.to_text(options.digits, names=options.names) for why in found)
    if fmt == "json":
        return json.dumps([why.to_dict() for why in found], ensure_ascii=False, indent=2)
    return "\n".join(json.dumps(why.to_dict(), ensure_ascii=False) for why in found)


def _drawn(why: Any, options: Options, axes: Any) -> Any:
    why = why.named(options.names)
    shown = why.network_in(options.view or "auto")
    if shown is None:
        return hp.plots.plot_neighbourhood(why.neighbourhood, title=why.title, ax=axes)
    plot: Any = hp.plots.plot_own_network if shown.written else hp.plots.plot_pairing
    return plot(shown, title=why.title, digits=options.digits, ax=axes)


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
