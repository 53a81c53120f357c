"""``hierpair examine``: which properties measures have, with the least counterexamples."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hierpair.cli.conventions import asked_measures
from hierpair.cli.parser import Outcome, Verb, say
from hierpair.cli.pictures import check_picture
from hierpair.cli.progress import Meter
from hierpair.cli.reading import hierarchy_of
from hierpair.cli.responses import (
    FILES,
    ON_LABELS,
    check_on_labels,
    draw_responses,
    labels_of,
    on_labels,
    shown_together,
)
from hierpair.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hierpair.hierarchy import Hierarchy
    from hierpair.verification.properties import Counterexample, Examination

__all__ = ["VERB"]

FAILED = 1
"""Exit code when a demanded property is violated."""

OPTIONS = f"""{FILES}
-m, --measures MEASURE*
                   a measure such as hf or 'hf(beta=2)' (may be repeated)
--property NAME*   a property such as add_wrong (may be repeated); default: all
--list             list the properties, and what they say
--scope N:int      classes below the root of the largest hierarchies of which all are gone through,
                   at most 6 [default: 5]
--samples N:int    random witnesses of every property in larger hierarchies [default: 2400]
--seed N:int       seed of the random ones [default: 0]
--jobs N:int       processes [default: 1]
--cases            least violations below the table, however many they are
--picture FILE     draw the least violation of a single measure and property (.svg, .pdf or .png)
--fail-if-violated NAMES*
                   exit code 1 if a measure violates one of these properties, separated by commas
                   (may be repeated)
{ON_LABELS}"""


def run(options: argparse.Namespace) -> str | Outcome:
    """Examine measures."""
    from hierpair.verification.properties import PROPERTIES, examine, property_named

    if options.list:
        return _listed(options.format)
    if not options.measures:
        raise BadInput("name the measures to examine with -m, such as -m hf")
    check_picture(options)
    check_on_labels(options)
    if options.only_labels:
        with Meter(options.quiet) as meter:
            inputs = labels_of(options, meter)
            parts = on_labels(options, inputs, asked_measures(options), meter)
        draw_responses(parts, options)
        return shown_together(parts, options)
    demanded = [name for given in options.fail_if_violated for name in given.split(",")]
    for name in demanded:
        property_named(name)
    wanted = options.property or [*PROPERTIES]
    stray = next((name for name in demanded if name not in wanted), None)
    if stray is not None:
        raise BadInput(f"--fail-if-violated {stray}: it is not examined; add --property {stray}")
    measures = asked_measures(options)
    if options.picture is not None and len(measures) * len(set(wanted)) > 1:
        raise BadInput("--picture draws one case: name a single measure and a single --property")
    with Meter(options.quiet) as meter:
        inputs = labels_of(options, meter)
        hierarchy = _hierarchy(options) if inputs is None else inputs.hierarchy
        parts = on_labels(options, inputs, measures, meter)
        found = examine(
            measures,
            properties=wanted,
            hierarchy=hierarchy,
            scope=options.scope,
            samples=options.samples,
            seed=options.seed,
            n_jobs=options.jobs,
            on_progress=lambda name, done, whole: meter.show(name, done, whole, "parts"),
        )
    case = next(iter(found)).counterexample if len(measures) * len(set(wanted)) == 1 else None
    if options.picture is not None:
        _draw(case, options)
    shown = _shown(found, case, options)
    if parts and options.format == "json":
        shown = shown_together({"properties": found, **parts}, options)
    elif parts:
        shown = f"{shown}\n\n\n{shown_together(parts, options)}"
    return Outcome(shown, FAILED if _failed(found, demanded, options) else 0)


def _hierarchy(options: argparse.Namespace) -> Hierarchy | None:
    return hierarchy_of(options, lambda text: say(options, text)) if options.files else None


def _listed(fmt: str) -> str:
    from hierpair.tables import listing, show
    from hierpair.tables.text import terminal_width, wrapped_table
    from hierpair.verification.properties import PROPERTIES

    rows = [[p.name, p.kind, p.statement, p.source] for p in PROPERTIES.values()]
    header = ["property", "kind", "statement", "source"]
    if fmt == "text":
        return wrapped_table(header, rows, "llll", terminal_width())
    return show(listing(header, rows), fmt)


def _shown(found: Examination, case: Counterexample | None, options: argparse.Namespace) -> str:
    """Return the table; below it, of a single case, the evidence of its cells."""
    table = found.to_table(options.format, cases=True if options.cases else None)
    if case is None or options.format != "text":
        return table
    return "\n\n\n".join([table, *(why.to_text() for why in case.explain())])


def _draw(case: Counterexample | None, options: argparse.Namespace) -> None:
    from hierpair.plots import save_picture

    if case is None:
        say(options, "no violation was found, so there is nothing to draw")
        return
    save_picture(case.plot(), options.picture)
    say(options, f"drew the least violation in {options.picture}")


def _failed(found: Examination, demanded: Sequence[str], options: argparse.Namespace) -> bool:
    """Say which demanded properties are violated, and return whether one is."""
    bad = [found[m, name] for m in found.measures for name in dict.fromkeys(demanded)]
    bad = [outcome for outcome in bad if outcome.n_violated]
    for outcome in bad:
        say(options, f"{outcome.measure.name} violates {outcome.stated.name}: "
                     f"{outcome.counterexample}")  # fmt: skip
    return bool(bad)


VERB = Verb(
    "examine",
    "tell what measures are like",
    "Examine which properties measures have, by trying them on all small hierarchies and on random "
    "ones: a table of verdicts, with the least case that violates each. With labels (HIERARCHY "
    "TRUTH) also what they charge for errors in these, with predictions how they agree and their "
    "discriminative power. A measure of your own (--plugin) is examined alike. Exit code 1 if one "
    "violates a property of --fail-if-violated.",
    OPTIONS,
    run,
    has_measures=True,
)
