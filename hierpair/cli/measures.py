"""Verbs on measures: ``hierpair measures``, what there is, and ``hierpair examine``."""

from __future__ import annotations

from typing import Any

import hierpair as hp
from hierpair.cli.looks import draw, list_shown
from hierpair.cli.options import Options, Outcome, Verb
from hierpair.cli.reading import (
    CASE,
    DATA,
    MEASURES,
    POLICIES,
    READING,
    asked_measures,
    hierarchy_of,
    labels_of,
    read_inputs,
    sides_of,
)
from hierpair.errors import BadInput
from hierpair.tables.forms import FORMS
from hierpair.tables.records import Content, listing

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


def run(options: Options) -> str | Content:
    """List the measures, or advise which to use."""
    return _advised(options) if getattr(options, "for") else _listed(options)


def _listed(options: Options) -> str | Content:
    """List measures, or show some in full."""
    chosen, names = [], [*options.measures, *options.files]
    families = {"all", *(d.family for d in hp.measures.REGISTRY.values())}
    for name in names or ["all"]:
        if name in families:
            chosen += [d for d in hp.measures.REGISTRY.values() if name in ("all", d.family)]
        else:
            chosen.append(hp.measure(name).definition)
    records = [
        {"measure": d.name, "family": d.family, "of": d.consumes, "better": d.direction,
         "meaning": d.summary, "range": d.range, "formula": d.formula, "source": d.source,
         "options": ", ".join(f"{k}={v!r}" for k, v in d.options.items())} for d in chosen
    ]  # fmt: skip
    if options.format != "text" or not names or families.intersection(names):
        header = [*records[0]][: 5 if options.format == "text" else None]
        return listing(header, [[record[name] for name in header] for record in records])
    parts = []
    for d, record in zip(chosen, records, strict=True):
        del record["options"], record["meaning"]
        if d.averages:
            record["averages"] = ", ".join(d.averages)
        lines = [d.summary, "", *_aligned(record)]
        if d.options:
            lines += ["", "conventions, such as --set NAME=VALUE or in the measure's name:"]
        told = ((f"{k}={v!r}", d.option(k)) for k, v in d.options.items())
        lines += _aligned({text: f"{o.meaning}: {o.allowed}" for text, o in told})
        parts.append("\n".join(lines))
    return "\n\n\n".join(parts)


def _aligned(pairs: dict[str, str]) -> list[str]:
    width = max(map(len, pairs), default=0)
    return [f"{first:<{width}}  {second}" for first, second in pairs.items()]


def _advised(options: Options) -> Content:
    """Read what there is, and say which measures to use."""
    if len(options.files) > 2:
        raise BadInput(f"--for takes a hierarchy and the true labels, got {len(options.files)} "
                       f"files: {', '.join(options.files)}")  # fmt: skip
    hierarchy = hierarchy_of(options) if options.files else None
    side = sides_of(options)[0] if options.files else None
    truth = None if side is None else labels_of(options, hierarchy, side)
    return hp.advise(
        hierarchy, truth, measures=options.measures or None,
        on_progress=options.meter.show if options.meter.on else False,
        **options.take("needs=need scope samples seed n_jobs=jobs"),
    ).content()  # fmt: skip


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


def run_examine(options: Options) -> str | Content | Outcome:
    """Examine measures: their properties, and what they charge for errors in labels."""
    from hierpair.comparison.perturbation import DEFAULT_STEPS, read_steps
    from hierpair.verification.properties import PROPERTIES, property_named

    if options.list:
        stated = [[p.name, p.kind, p.statement, p.source] for p in PROPERTIES.values()]
        return list_shown(options, ["property", "kind", "statement", "source"], stated)
    if not options.measures:
        raise BadInput("name the measures to examine, such as hf")
    given = [name for names in options.fail_if_violated for name in names.split(",")]
    demanded = [property_named(name).name for name in given]
    wanted = [*(options.property or PROPERTIES), *demanded]
    measures = asked_measures(options)
    single = len(measures) * len({*wanted}) == 1
    if options.picture is not None and not (single or options.only_labels):
        raise BadInput("--picture draws one case: name a single measure and a single --property")
    if len(options.files) > 2:
        raise BadInput("examine takes a hierarchy and a truth; how measures agree on predictions: "
                       "hierpair compare --agreement, or --power")  # fmt: skip
    steps = [s.strip() for s in options.steps.split(",")] if options.steps else DEFAULT_STEPS
    read_steps(steps)  # before properties are examined, which takes seconds
    inputs = None
    if len(options.files) > 1 or options.case is not None:
        if not options.only_labels and not FORMS[options.format].paper:
            raise BadInput(
                f"{options.format} holds one table, and here are two; take --only-labels"
            )
        inputs = read_inputs(options, needs_systems=False)
    parts: list[str] = []
    code = 0
    if not options.only_labels:
        hierarchy = inputs.hierarchy if inputs else hierarchy_of(options) if options.files else None
        code = _examined(options, parts, measures, hierarchy, wanted, {*demanded})
    if inputs is not None:
        parts.append(_charged(options, inputs, measures, steps))
    return Outcome("\n\n\n".join(parts), code)


def _examined(
    options: Options, parts: list[str], measures: Any, hierarchy: Any, wanted: Any, demanded: Any
) -> int:
    """Add the properties of measures; say which demanded ones are violated, for the exit code."""
    found = hp.examine(
        measures, properties=wanted, hierarchy=hierarchy,
        **options.take("scope samples seed n_jobs=jobs"),
        on_progress=lambda name, done, whole: options.meter.show(name, done, whole, "parts"),
    )  # fmt: skip
    parts.append(found.to_table(options.format))
    bad = [o for o in (found[m, name] for m in found.measures for name in demanded) if o.n_violated]
    for o in bad:
        options.say(f"{o.measure.name} violates {o.stated.name}: {o.counterexample}")
    case = next(iter(found)).counterexample if len({*wanted}) * len(measures) == 1 else None
    if case is not None and options.format == "text":
        parts += [why.to_text() for why in case.explain()]
    if options.picture is not None and case is not None:
        draw(options, case.plot(), "the least violation")
    elif options.picture is not None:
        options.say("no violation was found, so there is nothing to draw")
    return int(bool(bad))


def _charged(options: Options, inputs: Any, measures: Any, steps: Any) -> str:
    """Return what measures charge for errors in labels, and draw it if that alone is asked for."""
    found = hp.respond(inputs.hierarchy, inputs.truth, measures, steps=steps,
                    **options.take("rounds seed n_jobs=jobs"))  # fmt: skip
    if options.picture is not None and options.only_labels:
        draw(options, hp.plots.ResponseDisplay.from_response(found), "the responses")
    return found.to_table(options.format)


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
