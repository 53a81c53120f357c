"""``hierpair verify``: published numbers, recomputed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from hierpair.cli.parser import Outcome, Verb, say
from hierpair.cli.reading import DATA
from hierpair.errors import BadInput, HierpairError

if TYPE_CHECKING:
    from hierpair.verification import Finding, Verdict, Verification

__all__ = ["VERB"]


OPTIONS = """
CASE…        cases (default: all); the beginning of a name selects all that begin so; or
             FILE.toml with claims of your own; or HIERARCHY TRUTH RUN with --value
-m, --measures MEASURE*
             with --value: what is claimed, such as hf or 'hf(beta=2)' (may be repeated)
--value X*   a number that is claimed of the run, as it is printed; one for each measure
--list       list the cases with their titles
--open       show only numbers that are not simply met
--show FILE  draw the hierarchy of a single case with its labels (.svg, .pdf or .png)
"""


def run(options: argparse.Namespace) -> str | Outcome:
    """Verify, list or draw cases."""
    from hierpair.verification import verify

    if options.value or options.measures:
        return _told(_values(options), options)
    files = [name for name in options.files if name.endswith(".toml")]
    if files and (options.list or options.show is not None or len(files) < len(options.files)):
        raise BadInput("verify a file of claims by itself, without cases, --list and --show")
    if files:
        return _told(_claims(files), options)
    names = _chosen(options.files)
    if options.list:
        return _listed(names, options.format)
    if options.show is not None:
        _draw(names, options)
    return _told(verify(names, data=options.data), options)


def _claims(files: list[str]) -> Verification:
    """Verify files of claims; of several a damaged one does not stop the others."""
    from hierpair.verification import Finding, Verification, verify_claims

    verdicts: list[Verdict] = []
    findings: list[Finding] = []
    for file in files:
        try:
            found = verify_claims(file)
        except HierpairError as error:
            if len(files) == 1:
                raise
            findings.append(Finding(Path(file).name, "error", " ".join(str(error).split())))
            continue
        verdicts += found.verdicts
        findings += found.findings
    return Verification(tuple(verdicts), tuple(findings))


def _values(options: argparse.Namespace) -> Verification:
    """Verify numbers that are claimed of one file of predictions."""
    from hierpair.verification import verify_values

    if len(options.files) != 3 or options.list or options.show is not None:
        raise BadInput("--value is about three files: HIERARCHY TRUTH RUN; name these alone")
    if len(options.value) != len(options.measures):
        raise BadInput(
            f"there are {len(options.measures)} measures (-m) and {len(options.value)} numbers "
            "(--value); name a number for each measure, such as -m hf --value 0.71"
        )
    hierarchy, truth, run = options.files
    claimed = dict(zip(options.measures, options.value, strict=True))
    return verify_values(hierarchy, truth, run, claimed)


def _told(found: Verification, options: argparse.Namespace) -> Outcome:
    if options.format != "text":
        content = found.to_table(options.format)
        for finding in found.findings:
            say(options, str(finding))
        say(options, found.summary)
    else:
        content = found.to_text(every=not options.open)
    return Outcome(content, 2 if found.damaged else 0 if found.sound else 1)


def _chosen(given: list[str]) -> list[str]:
    """Return the cases that are named, or whose name begins so."""
    from hierpair.errors import did_you_mean
    from hierpair.verification import case_names

    known = case_names()
    chosen: dict[str, None] = {}
    for name in given:
        found = [name] if name in known else [k for k in known if name and k.startswith(name)]
        if not found:
            raise BadInput(
                f"there is no case {name!r}{did_you_mean(name, known)}; hierpair verify --list "
                "tells what there is"
            )
        chosen |= dict.fromkeys(found)
    return list(chosen) or known


def _listed(names: list[str], fmt: str) -> str:
    from hierpair.tables import listing, show
    from hierpair.tables.text import terminal_width, wrapped_table
    from hierpair.verification import read_published
    from hierpair.verification.cases import case_text

    rows = []
    for name in names:
        try:
            rows.append([name, str(len(read_published(name))), case_text(name)["title"]])
        except BadInput as error:
            rows.append([name, "", f"damaged: {error}"])
    header = ["case", "numbers", "what it is"]
    if fmt == "text":
        return wrapped_table(header, rows, "lll", terminal_width())
    return show(listing(header, rows), fmt)


def _draw(names: list[str], options: argparse.Namespace) -> None:
    from hierpair.cli.output import check_target
    from hierpair.explanation import neighbourhood
    from hierpair.io.files import same_file
    from hierpair.plots import plot_neighbourhood, save_picture
    from hierpair.plots.saving import check_ending
    from hierpair.verification import load_case

    if len(names) > 1:
        raise BadInput(f"--show draws one case, and {len(names)} are named; name one")
    check_ending(options.show)
    check_target(options.show, [])
    if options.output and same_file(options.show, options.output):
        raise BadInput("the picture and the output are the same file")
    case = load_case(names[0], options.data)
    system, labels = next(iter(case.systems.items()))
    one = case.y_true.part(0, 1).indices, labels.part(0, 1).indices
    axes = plot_neighbourhood(neighbourhood(case.hierarchy, *one), title=case.title)
    save_picture(axes, options.show)
    say(options, f"drew the first instance of {case.name}, system {system}, in {options.show}")


VERB = Verb(
    "verify",
    "recompute published numbers",
    "Recompute the numbers that papers print for the bundled cases, and report "
    "for each whether it is met, truncated, or in error and why. Exit code 1 if one is wrong or "
    "instances are missing, 2 if a file is damaged; the other cases are verified all the same.",
    DATA + OPTIONS,
    run,
)
