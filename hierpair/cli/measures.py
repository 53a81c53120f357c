"""Verbs on measures: ``hierpair measures``, what there is, and ``hierpair examine``."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from hierpair.cli.options import Outcome, Verb
from hierpair.cli.output import Meter, say
from hierpair.cli.reading import (
    CASE,
    DATA,
    MEASURES,
    READING,
    Inputs,
    asked_measures,
    hierarchy_of,
    read_inputs,
)
from hierpair.cli.sides import POLICIES, sides_of
from hierpair.errors import BadInput
from hierpair.tables.forms import FORMS, show
from hierpair.tables.records import json_text, listing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hierpair.tables.forms import Tabular
    from hierpair.verification.properties import Counterexample

OPTIONS = """
FILE…   measures to show in full, or a family to list; with --for the hierarchy, and the true
        labels if there are any
-m, --measures MEASURE*
        a measure to show, or with --for to compare (default: those that the needs name)
# which measure
--for   advise which measure to use for data: hierpair measures --for TREE [TRUTH]; without files
        for what is needed alone
--need NAME*
        what a measure must do, most important first: the name of a need or of a property
        (repeatable) {with --for}
--scope N:int
        classes below the root of the largest hierarchies that are gone through [default: 5]
        {with --for}
--samples N:int
        random witnesses of a property [default: 480] {with --for}
--seed N:int
        of the random witnesses [default: 0] {with --for}
--jobs N:int
        processes [default: 1] {with --for}
--unknown {error,drop,root}
        labels outside the hierarchy [default: error] {with --for}
"""


def run(options: argparse.Namespace) -> str:
    """List the measures, or advise which to use."""
    if getattr(options, "for"):
        return _advised(options)
    return _listed([*options.measures, *options.files], options.format)


def _listed(names: list[str], fmt: str) -> str:
    """List measures, or show some in full."""
    from hierpair.measures import REGISTRY, measure

    known = [*REGISTRY.values()]
    chosen = [
        d
        for name in names or [""]
        for d in ([d for d in known if name in ("", "all", d.family)] or [measure(name).definition])
    ]
    header = ["measure", "family", "of", "better", "range", "formula", "source", "options"]
    rows = [
        [d.name, d.family, d.consumes, d.direction, d.range, d.formula, d.source,
         ", ".join(f"{k}={v!r}" for k, v in d.options.items())]
        for d in chosen
    ]  # fmt: skip
    if fmt != "text":
        return show(listing(header, rows), fmt)
    if not names or len(chosen) > len(names):
        listed = [[d.name, d.family, d.consumes, d.direction, d.summary] for d in chosen]
        return show(listing(["measure", "family", "of", "better", "meaning"], listed), "text")
    parts = []
    for d, row in zip(chosen, rows, strict=True):
        entries = [*zip(header[:-1], row, strict=False)]
        if d.averages:
            entries.append(("averages", ", ".join(d.averages)))
        options = [(f"{k}={v!r}", f"{(o := d.option(k)).meaning}: {o.allowed}")
                   for k, v in d.options.items()]  # fmt: skip
        head = "conventions, such as --set NAME=VALUE or in the measure's name:"
        lines = [d.summary, "", *_aligned(entries), *(["", head] if options else [])]
        parts.append("\n".join([*lines, *_aligned(options)]))
    return "\n\n\n".join(parts)


def _aligned(pairs: list[tuple[str, str]]) -> list[str]:
    width = max((len(first) for first, _ in pairs), default=0)
    return [f"{first:<{width}}  {second}" for first, second in pairs]


def _advised(options: argparse.Namespace) -> str:
    """Read what there is, and say which measures to use."""
    from hierpair.io import read_labels
    from hierpair.verification import advise

    hierarchy, truth = None, None
    if len(options.files) > 2:
        raise BadInput(f"--for takes a hierarchy and the true labels, got {len(options.files)} "
                       f"files: {', '.join(options.files)}")  # fmt: skip
    with Meter(options.quiet) as meter:
        if options.files:
            hierarchy = hierarchy_of(options)
            side = sides_of(options).truth
            truth = side and read_labels(
                side.path, hierarchy, **side.options, unknown=options.unknown,
                on_note=lambda text: say(options, text),
            )  # fmt: skip
        advice = advise(
            hierarchy, truth, needs=options.need, measures=options.measures or None,
            scope=options.scope, samples=options.samples, seed=options.seed, n_jobs=options.jobs,
            on_progress=meter.show if meter.on else False,
        )  # fmt: skip
    return show(advice.content(), options.format)


LIST = Verb(
    "measures",
    "list the measures, or advise which to use",
    "List the measures, or show some in full with their conventions. Those of labels are computed "
    "from predicted label sets, those of scores from predictions with scores. With --for, advise "
    "which to use: ranked, with the needs that each meets, the least case of those that it does "
    "not, and cautions.",
    "hierpair measures hf gie",
    OPTIONS + READING,
    run,
)

# ------------------------------------------------------------------------------- examine

EXAMINED = f"""
FILE…               measures, and a hierarchy of which random parts are drawn (default: any
                    hierarchies); with a truth also what the measures charge for errors in these
                    labels
{MEASURES.format("none; one is needed")}
--property NAME*    a property such as add_wrong (repeatable; default: all)
                    {{without --only-labels}}
--list              list the properties, and what they say
--scope N:int       classes below the root of the largest hierarchies of which all are gone through,
                    at most 6 [default: 5]
--samples N:int     random witnesses of every property in larger hierarchies [default: 2400]
--seed N:int        seed of the random ones [default: 0]
--jobs N:int        processes [default: 1]
--cases             least violations below the table, however many they are
                    {{without --only-labels}}
--picture FILE      draw the least violation of a single measure and property, or with --only-labels
                    the responses (.svg, .pdf or .png)
--fail-if-violated NAMES*
                    exit code 1 if a measure violates one of these properties, separated by commas
                    (repeatable) {{without --only-labels}}
# on labels {{with labels}}{CASE}\
--steps NAMES       errors, separated by commas, such as up1,sibling,unrelated (default: relatives
                    in place of a label and beside it, and labels left out)
--rounds N:int      draws of every instance [default: 1]
--only-labels       without the properties
{POLICIES}{DATA}"""


def run_examine(options: argparse.Namespace) -> str | Outcome:
    """Examine measures."""
    from hierpair.comparison import respond
    from hierpair.comparison.perturbation import DEFAULT_STEPS, read_steps
    from hierpair.verification.properties import PROPERTIES, examine, property_named

    if options.list:
        return _properties(options.format)
    if not options.measures:
        raise BadInput("name the measures to examine, such as hf")
    measures, wanted = asked_measures(options), options.property or [*PROPERTIES]
    demanded = [name for given in options.fail_if_violated for name in given.split(",")]
    for name in (property_named(name).name for name in demanded):
        if name not in wanted:
            raise BadInput(f"--fail-if-violated {name}: it is not examined; add --property {name}")
    single = len(measures) * len(set(wanted)) == 1
    if options.picture is not None and not (single or options.only_labels):
        raise BadInput("--picture draws one case: name a single measure and a single --property")
    asked = options.steps.split(",") if options.steps else DEFAULT_STEPS
    steps = [step.strip() for step in asked]
    read_steps(steps)  # before properties are examined, which takes seconds
    parts: dict[str, Tabular] = {}
    case = None
    code = 0
    with Meter(options.quiet) as meter:
        inputs = _labels(options, meter)
        if not options.only_labels:
            hierarchy = hierarchy_of(options) if options.files and inputs is None else None
            found = examine(
                measures, properties=wanted, hierarchy=inputs.hierarchy if inputs else hierarchy,
                scope=options.scope, samples=options.samples, seed=options.seed,
                n_jobs=options.jobs,
                on_progress=lambda name, done, whole: meter.show(name, done, whole, "parts"),
            )  # fmt: skip
            parts["properties"] = found
            case = next(iter(found)).counterexample if single else None
            for m in found.measures:
                for outcome in (found[m, name] for name in dict.fromkeys(demanded)):
                    if outcome.n_violated:
                        code = 1
                        say(options, f"{outcome.measure.name} violates {outcome.stated.name}: "
                                     f"{outcome.counterexample}")  # fmt: skip
        if inputs is not None:
            parts["responses"] = respond(
                inputs.hierarchy, inputs.truth, measures, steps=steps, rounds=options.rounds,
                seed=options.seed, n_jobs=options.jobs,
            )  # fmt: skip
    if options.picture is not None:
        _draw(case, parts, options)
    shown = _together(parts, options)
    if case is not None and options.format == "text":
        shown = "\n\n\n".join([shown, *(why.to_text() for why in case.explain())])
    return Outcome(shown, code)


def _properties(fmt: str) -> str:
    from hierpair.tables.text import terminal_width, wrapped_table
    from hierpair.verification.properties import PROPERTIES

    rows = [[p.name, p.kind, p.statement, p.source] for p in PROPERTIES.values()]
    header = ["property", "kind", "statement", "source"]
    if fmt == "text":
        return wrapped_table(header, rows, "llll", terminal_width())
    return show(listing(header, rows), fmt)


def _labels(options: argparse.Namespace, meter: Meter) -> Inputs | None:
    """Return the true labels that were given, if any, where the form can hold all tables."""
    if len(options.files) < 2 and options.case is None:
        return None
    if len(options.files) > 2:
        raise BadInput("examine takes a hierarchy and a truth; how measures agree on predictions: "
                       "hierpair compare --agreement, or --power")  # fmt: skip
    both = not options.only_labels
    if both and not FORMS[options.format].paper and options.format != "json":
        raise BadInput(
            f"{options.format} holds one table, and here are several; take json, or --only-labels"
        )
    return read_inputs(options, meter, needs_systems=False)


def _together(parts: Mapping[str, Any], options: argparse.Namespace) -> str:
    """Return one or several results in the form that was asked for."""
    how = {"properties": {"cases": True if options.cases else None}}
    if options.format == "json" and len(parts) > 1:
        return json_text({name: json.loads(part.to_json()) for name, part in parts.items()})
    tables = (part.to_table(options.format, **how.get(name, {})) for name, part in parts.items())
    return "\n\n\n".join(tables)


def _draw(
    case: Counterexample | None, parts: Mapping[str, Any], options: argparse.Namespace
) -> None:
    from hierpair.plots import ResponseDisplay, save_picture

    if options.only_labels:
        save_picture(ResponseDisplay.from_response(parts["responses"]), options.picture)
        say(options, f"drew the responses in {options.picture}")
    elif case is None:
        say(options, "no violation was found, so there is nothing to draw")
    else:
        save_picture(case.plot(), options.picture)
        say(options, f"drew the least violation in {options.picture}")


EXAMINE = Verb(
    "examine",
    "tell what measures are like",
    "Examine which properties measures have, by trying them on all small hierarchies and on random "
    "ones: a table of verdicts, with the least case that violates each. With labels (HIERARCHY "
    "TRUTH) also what they charge for errors in these. A measure of your own (--plugin) is "
    "examined alike. Exit code 1 if one violates a property of --fail-if-violated.",
    "hierpair examine hf gie --property add_wrong",
    EXAMINED + READING,
    run_examine,
)
