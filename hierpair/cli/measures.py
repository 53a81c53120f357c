"""``hierpair measures``, ``examine`` and ``explain``: what there is, what it is like, and why."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import hierpair as hp
from hierpair.cli.looks import draw
from hierpair.cli.options import Answer, Options, Verb
from hierpair.cli.reading import (
    CASE,
    DATA,
    FOLDER,
    MEASURES,
    OF_INTEREST,
    OF_TRUTH,
    POLICIES,
    READING,
    UNKNOWN,
    asked_measures,
    conventions_of,
    hierarchy_of,
    labels_of,
    measures_of,
    read_inputs,
    sides_of,
)
from hierpair.errors import BadInput, check_known, did_you_mean
from hierpair.tables.forms import FORMS
from hierpair.tables.records import Content, json_text, listing
from hierpair.tables.text import text_table

OPTIONS = """
NAME…   measures to show in full, or a family to list; with --for the files of the hierarchy and,
        if there are any, the true labels
-m, --measures MEASURE*
        a measure to show, or with --for to compare (default: those that the needs name)
# which measure
--for   advise which measure to use for data: hierpair measures --for TREE [TRUTH]; without files
        for what is needed alone
--need NAME*
        what a measure must do, most important first: the name of a need or of a property
        (repeatable) {with --for}
--scope N:int
        try all hierarchies of up to N classes below the root [default: 5] {with --for}
--samples N:int
        random cases in larger hierarchies, for each property [default: 480] {with --for}
--seed N:int
        seed of the random cases [default: 0] {with --for}
--jobs N:int
        number of processes [default: 1] {with --for}
--unknown {error,drop,root}
        labels outside the hierarchy [default: error] {with --for}
"""


def run(options: Options) -> str | Content:
    """List the measures, show some in full, or advise which to use."""
    if getattr(options, "for"):
        return _advised(options)
    chosen, names = dict[hp.Measure, None](), [*options.measures, *options.files]
    known = hp.measures.REGISTRY.values()
    families = {"all", *(d.family for d in known)}
    for name in names or ["all"]:
        some = [d.name for d in known if name in ("all", d.family)]
        chosen |= dict.fromkeys(map(hp.measure, some or [name]))
    records = [
        {"measure": m.name, "family": d.family, "of": d.consumes, "better": d.direction,
         "meaning": d.summary, "range": d.range, "formula": d.formula, "source": d.source,
         "options": ", ".join(f"{k}={v!r}" for k, v in m.options.items()),
         "traits": ", ".join(sorted(d.traits)) or "none"}
        for m, d in ((m, m.definition) for m in chosen)
    ]  # fmt: skip
    if options.format == "text" and names and not families.intersection(names):
        return "\n\n\n".join(map(_in_full, chosen, records))
    header = [*records[0]][: 5 if options.format == "text" else None]
    return listing(header, [[record[name] for name in header] for record in records])


def _in_full(m: hp.Measure, record: dict[str, str]) -> str:
    d = m.definition
    facts = {k: x for k, x in record.items() if k not in ("options", "meaning")}
    if d.averages:
        facts["averages"] = ", ".join(d.averages)
    told = {
        f"{k}={v!r}": f"{d.option(k).meaning} ({d.option(k).allowed})" for k, v in m.options.items()
    }
    parts = [d.summary, _aligned(facts)]
    if d.cautions:
        parts.append("\n- ".join(["where it misleads:", *d.cautions]))
    if told:
        told_in = "conventions, to be set by --set NAME=VALUE or in the measure's name:\n"
        parts.append(told_in + _aligned(told))
    return "\n\n".join(parts)


def _aligned(pairs: dict[str, str]) -> str:
    first, *rest = pairs.items()
    return text_table(first, rest, "ll")


def _advised(options: Options) -> Content:
    """Read what there is, and say which measures to use."""
    if len(options.files) > 2:
        raise BadInput(f"--for takes a hierarchy and the true labels, got {len(options.files)} "
                       f"files: {', '.join(options.files)}")  # fmt: skip
    hierarchy = truth = None
    if options.files:
        hierarchy, side = hierarchy_of(options), sides_of(options).get(None)
        truth = side and labels_of(options, hierarchy, side)
    return hp.advise(
        hierarchy, truth, measures=options.measures or None,
        on_progress=partial(options.meter.show, unit="parts"),
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
    OPTIONS + OF_TRUTH,
    run,
)


EXAMINED = f"""
NAME…               measures, and files of a hierarchy and a truth: what the measures charge for
                    errors in it
{MEASURES.format("none; one is needed")}
--property NAME*    a property such as add_wrong (repeatable; default: all)
                    {{without --only-labels}}
--list              list the properties, and what they say
                    {{without FILE, --case, --measures, --property, --fail-if-violated, --picture}}
--scope N:int       try all hierarchies of up to N ≤ 6 classes below the root [default: 5]
--samples N:int     random cases in larger hierarchies, for each property [default: 2400]
--seed N:int        seed of the random cases [default: 0]
--jobs N:int        number of processes [default: 1]
--picture FILE      draw the least violation of a single measure and property, or with --only-labels
                    the responses (.svg, .pdf or .png)
--fail-if-violated NAMES:names*
                    exit code 1 if a measure violates one of these properties, separated by commas
                    (repeatable) {{without --only-labels}}
# on labels {{with labels}}{CASE}\
--steps NAMES:names
                    errors, separated by commas, such as up1,sibling,unrelated (default: relatives
                    in place of a label and beside it, and labels left out)
--rounds N:int      errors drawn for every instance [default: 1]
--only-labels       leave the properties out
{UNKNOWN}{OF_INTEREST}{FOLDER}"""


def run_examine(options: Options) -> str | Content | Answer:
    """Examine measures: their properties, and what they charge for errors in labels."""
    from hierpair.verification.properties import PROPERTIES, property_named

    if options.list:
        stated = [[p.name, p.kind, p.statement, p.source] for p in PROPERTIES.values()]
        return listing(["property", "kind", "statement", "source"], stated)
    for word in options.files:
        if word != "-" and not os.path.lexists(word):
            known = hp.measures.REGISTRY
            raise BadInput(f"there is no measure and no file {word!r}{did_you_mean(word, known)}")
    if not options.measures:
        raise BadInput("name the measures to examine, such as hf")
    demanded = {property_named(name).name: None
                for names in options.fail_if_violated for name in names}  # fmt: skip
    wanted = dict.fromkeys(options.property or PROPERTIES) | demanded
    measures, fmt, picture = asked_measures(options), options.format, options.picture
    single = len(measures) * len(wanted) == 1
    if picture is not None and not (single or options.only_labels):
        raise BadInput("--picture draws one case: name a single measure and a single --property")
    responses = _charged(options, measures)
    charged = [] if responses is None else [responses.to_table(fmt)]
    if options.only_labels:
        if picture is not None:
            kinds = dict.fromkeys("replaced" if s.kind == "replace" else "others"
                                  for s in responses.steps)  # fmt: skip
            chart: Any = partial(hp.plots.plot_responses, responses)
            draw(options, [partial(chart, show=kind) for kind in kinds], "the responses")
        return str(charged[0])
    found = hp.examine(
        measures, properties=[*wanted], **options.take("scope samples seed n_jobs=jobs"),
        on_progress=partial(options.meter.show, unit="parts"),
    )  # fmt: skip
    bad = [o for o in (found[m, name] for m in found.measures for name in demanded) if o.n_violated]
    for o in bad:
        options.say(f"{o.measure.name} violates {o.stated.name}: {o.counterexample}")
    parts = [found.to_table(fmt)]
    case = next(iter(found)).counterexample if single else None
    if case is not None and fmt == "text":
        parts += [why.to_text() for why in case.explain()]
    if picture is not None and case is not None:
        draw(options, case.plot(), "the least violation")
    elif picture is not None:
        options.say("no violation was found, so there is nothing to draw")
    return Answer("\n\n\n".join([*parts, *charged]), int(bool(bad)))


def _charged(options: Options, measures: Any) -> Any:
    """Return what measures charge for errors in labels, if these are given."""
    if len(options.files) not in (0, 2):
        raise BadInput("examine takes a hierarchy and a truth; how measures agree on predictions: "
                       "hierpair compare --agreement, or --power")  # fmt: skip
    if not options.files and options.case is None:
        return None
    if not options.only_labels and not FORMS[options.format].paper:
        raise BadInput(f"{options.format} holds one table, and here are two; take --only-labels")
    inputs = read_inputs(options, needs_systems=False)
    how = options.take("rounds seed n_jobs=jobs") | (options.take("steps") if options.steps else {})
    return hp.respond(inputs.hierarchy, inputs.truth, measures, **how)


EXAMINE = Verb(
    "examine",
    "tell what measures are like",
    "Examine which properties measures have, by trying them on all small hierarchies and on random "
    "ones: a table of verdicts, with the least case that violates each. With labels (HIERARCHY "
    "TRUTH) also what they charge for errors in these. A measure of your own (--plugin) is "
    "examined alike. Exit code 1 if one violates a property of --fail-if-violated.",
    "hierpair examine hf gie --property add_wrong",
    EXAMINED + OF_TRUTH,
    run_examine,
)

EXPLAINED = """
-i, --instance ID*        an instance by its id or, without ids, its position from 0 (repeatable;
                          default: the worst one) {without --worst}
--worst K:int             the K instances that are worst by the first measure
--system NAME             only this system
--picture FILE            draw them as .svg, .pdf or .png (extra plot)
--view {network,hierarchy}
                          a picture of the flow network, or of the hierarchy around the labels
                          (default: network for pair-based measures)
--names {ids,names,both}  how classes are shown that have a name beside their id, such as OBO terms
                          [default: both]
--digits N:digits         decimals [default: 4]
"""


def run_explain(options: Options) -> str:
    """Explain, and draw if asked."""
    i = read_inputs(options)
    if options.system is not None:
        check_known("system", options.system, i.systems)
    which: dict[str, Any] = {"instances": options.instance}
    if not options.instance:
        worst = 1 if options.worst is None else options.worst
        which = {"worst": worst, "on_progress": options.meter.show}
    measures = measures_of(options, ("gie", "hf"))
    how = {**which, **conventions_of(options), **options.take("missing")}
    found: list[Any] = []
    for name in i.systems if options.system is None else [options.system]:
        found += hp.explain(i.hierarchy, i.truth, i.systems[name], measures, system=name, **how)
    fmt = options.format
    if options.picture is not None:
        drawn = [partial(_drawn, why, options) for why in found]
        draw(options, drawn, "; ".join(why.title for why in found))
    if fmt == "text":
        return "\n\n\n".join(why.to_text(options.digits, names=options.names) for why in found)
    if fmt == "json":
        return json_text([why.to_dict() for why in found])
    return "\n".join(json_text(why.to_dict(), indent=None) for why in found)


def _drawn(why: Any, options: Options, ax: Any = None) -> Any:
    why = why.named(options.names)
    shown = why.network_in(options.view or "auto")
    if shown is None:
        return hp.plots.plot_neighbourhood(why.neighbourhood, title=why.title, ax=ax)
    return hp.plots.plot_pairing(shown, title=why.title, digits=options.digits, ax=ax)


EXPLAIN = Verb(
    "explain",
    "show why an instance got its score",
    "Explain one instance, or the worst ones: pairs with costs, what was paid by default, and the "
    "proof that no pairing is cheaper; or the augmented sets and what they share.",
    "hierpair explain tree.tsv truth.tsv run.tsv --instance d17 -m gie -m hf",
    "FILE…  hierarchy, truth, and one file or NAME=FILE per system"
    + CASE + MEASURES.format("gie and hf") + EXPLAINED + POLICIES + DATA + READING,
    run_explain,
    ("text", "json", "jsonl"),
)  # fmt: skip
