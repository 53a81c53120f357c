"""What ``hierpair examine`` says of measures on labels: responses, agreement, power."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from hierpair.cli.parser import say
from hierpair.cli.reading import DATA, HIERARCHY, LABELS, Inputs, read_inputs
from hierpair.errors import BadInput
from hierpair.tables.forms import FORMS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hierpair.cli.progress import Meter
    from hierpair.measures import Measure
    from hierpair.tables.forms import Tabular

__all__ = [
    "FILES",
    "ON_LABELS",
    "check_on_labels",
    "draw_responses",
    "labels_of",
    "on_labels",
    "shown_together",
]

FILES = """
FILE…               a hierarchy of which random parts are drawn (default: any hierarchies); with
                    a truth also what the measures charge for errors in these labels, with files
                    of predictions how they agree on these, and their discriminative power
"""
"""The files."""

ON_LABELS = f"""
# on labels
--case NAME         a bundled case instead of files
--steps NAMES       errors, separated by commas, such as up1,sibling,unrelated (default: relatives
                    in place of a label and beside it, and labels left out)
--rounds N:int      draws of every instance [default: 1]
--only-labels       without the properties; --picture then draws the responses
{DATA}{HIERARCHY}{LABELS}"""
"""What is done to their labels, and how they are read."""


def has_labels(options: argparse.Namespace) -> bool:
    """Whether there are labels, by files or by a case."""
    return len(options.files) > 1 or options.case is not None


def labels_of(options: argparse.Namespace, meter: Meter) -> Inputs | None:
    """Return the labels that were given, if any."""
    return read_inputs(options, meter, needs_systems=False) if has_labels(options) else None


def check_on_labels(options: argparse.Namespace) -> None:
    """Refuse options about labels where there are none, and forms that hold one table only."""
    if has_labels(options):
        several = not options.only_labels or len(options.files) > 2 or options.case is not None
        if several and not FORMS[options.format].paper and options.format != "json":
            raise BadInput(
                f"{options.format} holds one table, and here are several; take json, or give a "
                "hierarchy and a truth alone with --only-labels"
            )
        about = {"--property": options.property, "--cases": options.cases,
                 "--fail-if-violated": options.fail_if_violated}  # fmt: skip
        used = next((option for option, value in about.items() if value), None)
        if options.only_labels and used is not None:
            raise BadInput(f"{used} is about properties, and --only-labels leaves these out")
        return
    given = {"--steps": options.steps is not None, "--rounds": options.rounds != 1,
             "--only-labels": options.only_labels}  # fmt: skip
    used = next((option for option, value in given.items() if value), None)
    if used is not None:
        raise BadInput(f"{used} is about labels: give a hierarchy and a truth, or --case NAME")


def on_labels(
    options: argparse.Namespace, inputs: Inputs | None, measures: Sequence[Measure], meter: Meter
) -> dict[str, Tabular]:
    """Return the responses of measures to errors; of several systems agreement and power, too."""
    if inputs is None:
        return {}
    from hierpair.comparison import agreement, discrimination, respond

    steps = None if options.steps is None else [s.strip() for s in options.steps.split(",")]
    how = {"seed": options.seed, "n_jobs": options.jobs}
    found: dict[str, Tabular] = {
        "responses": respond(
            inputs.hierarchy, inputs.truth, measures, steps=steps, rounds=options.rounds, **how
        )
    }
    if len(inputs.systems) == 1:
        say(options, "one system: agreement and power need two of them")
    if len(inputs.systems) < 2:
        return found
    if not inputs.paired:
        say(options, "the instances are not the same objects for all systems: responses alone")
        return found
    from hierpair.evaluation.scoring import score

    scores = score(
        inputs.hierarchy, inputs.truth, inputs.systems, measures, sample_weight=inputs.weight,
        unknown=options.unknown, missing=options.missing, n_jobs=options.jobs, keep_classes=True,
        on_progress=meter.show,
    )  # fmt: skip
    if inputs.weight is None:
        found["agreement on instances"] = agreement(scores, of="instances")
    found["agreement on systems"] = agreement(scores, **how)
    found["power"] = discrimination(scores, **how)
    return found


def shown_together(parts: Mapping[str, Tabular], options: argparse.Namespace) -> str:
    """Return several results in the form that was asked for."""
    if len(parts) == 1:
        return next(iter(parts.values())).to_table(options.format)
    if options.format == "json":
        from hierpair.tables.records import json_text

        return json_text({name: json.loads(part.to_json()) for name, part in parts.items()})
    pairs: dict[str, Any] = {"agreement on systems": {"pairs": True}}
    return "\n\n\n".join(
        part.to_table(options.format, **pairs.get(name, {})) for name, part in parts.items()
    )


def draw_responses(parts: Mapping[str, Tabular], options: argparse.Namespace) -> None:
    """Draw what the measures charge, if a picture was asked for."""
    from hierpair.plots import ResponseDisplay, save_picture

    if options.picture is not None:
        found: Any = parts["responses"]
        save_picture(ResponseDisplay.from_response(found), options.picture)
        say(options, f"drew the responses in {options.picture}")
