"""Verbs on measures: ``hierpair measures``, what there is, and ``hierpair examine``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hierpair.cli.looks import draw, list_shown
from hierpair.cli.options import Options, Outcome, Verb
from hierpair.cli.reading import (
    CASE,
    DATA,
    MEASURES,
    POLICIES,
    READING,
    Inputs,
    asked_measures,
    hierarchy_of,
    read_inputs,
    sides_of,
)
from hierpair.errors import BadInput
from hierpair.tables.forms import FORMS, show
from hierpair.tables.records import listing

if TYPE_CHECKING:
    from hierpair.measures import Measure

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


def run(options: Options) -> str:
    """List the measures, or advise which to use."""
    return _advised(options) if getattr(options, "for") else _listed(options)


def _listed(options: Options) -> str:
    """List measures, or show some in full."""
    from hierpair.measures import REGISTRY, measure

    known = [*REGISTRY.values()]
    names = [*options.measures, *options.files]
    chosen, single = [], bool(names)
    for name in names or ["all"]:
        found = [d for d in known if name in ("all", d.family)]
        single = single and not found
        chosen += found or [measure(name).definition]
    records = [
        {"measure": d.name, "family": d.family, "of": d.consumes, "better": d.direction,
         "meaning": d.summary, "range": d.range, "formula": d.formula, "source": d.source,
         "options": ", ".join(f"{k}={v!r}" for k, v in d.options.items())} for d in chosen
    ]  # fmt: skip
    if options.format != "text" or not single:
        header = [*records[0]][: 5 if options.format == "text" else None]
        rows = [[record[name] for name in header] for record in records]
        return show(listing(header, rows), options.format)
    parts = []
    for d, record in zip(chosen, records, strict=True):
        del record["options"], record["meaning"]
        if d.averages:
            record["averages"] = ", ".join(d.averages)
        values = {f"{k}={v!r}": f"{(o := d.option(k)).meaning}: {o.allowed}"
                  for k, v in d.options.items()}  # fmt: skip
        head = "conventions, such as --set NAME=VALUE or in the measure's name:"
        lines = [d.summary, "", *_aligned(record), *(["", head] if values else [])]
        parts.append("\n".join([*lines, *_aligned(values)]))
    return "\n\n\n".join(parts)


def _aligned(pairs: dict[str, str]) -> list[str]:
    width = max(map(len, pairs), default=0)
    return [f"{first:<{width}}  {second}" for first, second in pairs.items()]


def _advised(options: Options) -> str:
    """Read what there is, and say which measures to use."""
    from hierpair.io import read_labels
    from hierpair.verification import advise

    hierarchy, truth = None, None
    if len(options.files) > 2:
        raise BadInput(f"--for takes a hierarchy and the true labels, got {len(options.files)} "
                       f"files: {', '.join(options.files)}")  # fmt: skip
    if options.files:
        hierarchy, side = hierarchy_of(options), sides_of(options).truth
        if side is not None:
            how = {**side.options, **options.take("unknown"), "on_note": options.say}
            truth = read_labels(side.path, hierarchy, **how)
    advice = advise(
        hierarchy, truth, measures=options.measures or None,
        on_progress=options.meter.show if options.meter.on else False,
        **options.take("needs=need scope samples seed n_jobs=jobs"),
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


def run_examine(options: Options) -> str | Outcome:
    """Examine measures."""
    from hierpair.comparison import respond
    from hierpair.comparison.perturbation import DEFAULT_STEPS, read_steps
    from hierpair.verification.properties import PROPERTIES, examine

    if options.list:
        stated = [[p.name, p.kind, p.statement, p.source] for p in PROPERTIES.values()]
        return list_shown(options, ["property", "kind", "statement", "source"], stated)
    measures, wanted, demanded = _asked(options)
    single = len(measures) * len({*wanted}) == 1
    if options.picture is not None and not (single or options.only_labels):
        raise BadInput("--picture draws one case: name a single measure and a single --property")
    steps = [s.strip() for s in options.steps.split(",")] if options.steps else DEFAULT_STEPS
    read_steps(steps)  # before properties are examined, which takes seconds
    inputs = _labels(options)
    how, code, parts = options.take("seed n_jobs=jobs"), 0, []
    if not options.only_labels:
        hierarchy = inputs.hierarchy if inputs else None
        if options.files and inputs is None:
            hierarchy = hierarchy_of(options)
        found = examine(
            measures, properties=wanted, hierarchy=hierarchy,
            **options.take("scope samples"), **how,
            on_progress=lambda name, done, whole: options.meter.show(name, done, whole, "parts"),
        )  # fmt: skip
        parts.append(found.to_table(options.format))
        for outcome in (found[m, name] for m in found.measures for name in {*demanded}):
            if outcome.n_violated:
                code = 1
                options.say(f"{outcome.measure.name} violates {outcome.stated.name}: "
                            f"{outcome.counterexample}")  # fmt: skip
        case = next(iter(found)).counterexample if single else None
        if case is not None and options.format == "text":
            parts += [why.to_text() for why in case.explain()]
        if case is not None and options.picture is not None:
            draw(options, case.plot(), "the least violation")
        elif options.picture is not None:
            options.say("no violation was found, so there is nothing to draw")
    if inputs is not None:
        responses = respond(inputs.hierarchy, inputs.truth, measures, steps=steps,
                            **options.take("rounds"), **how)  # fmt: skip
        parts.append(responses.to_table(options.format))
        if options.picture is not None and options.only_labels:
            from hierpair.plots import ResponseDisplay

            draw(options, ResponseDisplay.from_response(responses), "the responses")
    return Outcome("\n\n\n".join(parts), code)


def _asked(options: Options) -> tuple[tuple[Measure, ...], list[str], list[str]]:
    """Return measures, properties, and those of the properties that are demanded."""
    from hierpair.verification.properties import PROPERTIES, property_named

    if not options.measures:
        raise BadInput("name the measures to examine, such as hf")
    given = [name for names in options.fail_if_violated for name in names.split(",")]
    demanded = [property_named(name).name for name in given]
    return asked_measures(options), [*(options.property or PROPERTIES), *demanded], demanded


def _labels(options: Options) -> Inputs | None:
    """Return the true labels that were given, if any, where the form can hold both tables."""
    with_labels = len(options.files) > 1 or options.case is not None
    if len(options.files) > 2:
        raise BadInput("examine takes a hierarchy and a truth; how measures agree on predictions: "
                       "hierpair compare --agreement, or --power")  # fmt: skip
    if with_labels and not options.only_labels and not FORMS[options.format].paper:
        raise BadInput(f"{options.format} holds one table, and here are two; take --only-labels")
    return read_inputs(options, needs_systems=False) if with_labels else None


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
