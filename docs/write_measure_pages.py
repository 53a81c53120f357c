"""Write one page per measure from the registry; every number on it is computed while writing."""

import re
from pathlib import Path

from markdown_parts import bullets, escaped, listed, number, table
from worked_examples import EVERY, answers, values, worked_example

from hierpair import measure
from hierpair.measures import FAMILIES, REGISTRY, Definition
from hierpair.metrics.functions import registered_functions

FOLDER = "measures"

TRAITS = {
    "symmetric": (
        "exchanging truth and prediction does not change the value",
        "Exchanging truth and prediction changes the value: predicting too much and predicting too "
        "little are judged differently. Report it together with a measure of the opposite kind.",
    ),
    "perfect": (
        "a perfect prediction gets the best value",
        "A perfect prediction does not always get the best value.",
    ),
    "bounded": (
        "values lie in [0, 1]",
        "It has no fixed scale: values of two data sets cannot be compared, and where the largest "
        "one grows with the number of labels, instances with many labels dominate a mean.",
    ),
    "total": (
        "it is defined for all label sets, or scores",
        "It is not defined for everything: where there is no value it is nan, or scoring stops "
        "with a message that names the instance.",
    ),
}
"""Trait → its meaning, and what its absence means; scores are perfect as measures.md says."""


def traits_of(d: Definition) -> dict[str, tuple[str, str]]:
    """Return the traits that a measure may have: scores and labels cannot change places."""
    return {t: TRAITS[t] for t in TRAITS if d.consumes == "labels" or t != "symmetric"}


def write(docs: Path) -> None:
    """Write all pages and their pictures, and nothing else into their folder."""
    folder = docs / FOLDER
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.*"):
        old.unlink()
    for d in REGISTRY.values():
        (folder / f"{d.name}.md").write_text(page(d, folder), encoding="utf-8")


def linked(overview: str) -> str:
    """Return the overview with all measures by family, and links to their pages."""
    listed_by_family = []
    for family, (title, tells) in FAMILIES.items():
        if of := [d for d in REGISTRY.values() if d.family == family]:
            entries = bullets([f"`{d.name}`: {d.summary}" for d in of])
            listed_by_family += [f"**{title}**: {tells}.", entries]
    whole = "\n\n".join([overview.rpartition("\n\n")[0], *listed_by_family])
    entries = "\n".join(f"{FOLDER}/{name}" for name in REGISTRY)
    linked = re.sub(rf"`({'|'.join(REGISTRY)})`(?=[:, ])", rf"[\1]({FOLDER}/\1.md)", whole)
    return f"{linked}\n\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{entries}\n```"


def page(d: Definition, folder: Path) -> str:
    """Return the page of one measure."""
    of_scores = d.consumes == "scores"
    heading = "The same instances, other scores" if of_scores else "One truth, many predictions"
    parts = [
        f"# {d.name}",
        d.summary,
        facts(d),
        "## Options",
        options(d),
        f"With all defaults the signature is\n\n```text\n{measure(d.name).signature}\n```",
        "## Worked example",
        *worked_example(d, folder),
        f"## {heading}",
        *many_answers(d),
        "## Where it misleads",
        *failure_modes(d),
        "## See also",
        see_also(d),
        *in_python(d),
    ]
    return "\n\n".join([*parts, ""])


READS = {
    ("labels", "all"): "label sets, instance by instance",
    ("scores", "all"): "scores of classes, all instances at once",
    ("scores", "leaves"): "scores of leaves, all instances at once",
}


def facts(d: Definition) -> str:
    """Return formula, range, direction, averages, source and traits as a table."""
    traits = traits_of(d)
    kept = [f"*{t}*: {traits[t][0]}" for t in traits if t in d.traits]
    rows = {
        "Formula": escaped(d.formula),
        "Computed from": READS[d.consumes, d.scored_classes],
        "Direction": f"{d.direction} is better",
        "Range": escaped(d.range),
        "Averages": ", ".join(f"`{a}`" for a in d.averages),
        "Traits": "; ".join(kept) or "none",
        "Source": escaped(d.source),
    }
    return "{.facts}\n" + table(["", ""], [[name, said] for name, said in rows.items() if said])


def options(d: Definition) -> str:
    """Return the options with their defaults and meanings."""
    if not d.options:
        return "None."
    rows = [[f"`{k}`", f"`{v!r}`", escaped(d.option(k).meaning)] for k, v in d.options.items()]
    told = "[Conventions](../conventions.md) explains these options."
    return f"{table(['option', 'default', 'meaning'], rows)}\n\n{told}"


def many_answers(d: Definition) -> list[str]:
    """Return the values of the same ten answers, and which of them get the same."""
    found, given = values(d), answers(d)
    shown = [(words, "no value" if x is None else number(x))
             for (words, *_), x in zip(given, found, strict=True)]  # fmt: skip
    if d.consumes == "scores":
        told = "Every page of a measure of scores shows these scores of the same four instances"
        return [f"{told}; here {d.direction} is better.", table(["scores", d.name], shown)]
    rows = [
        [words, listed(truth), "all ten" if answer == EVERY else listed(answer), value]
        for (words, value), (_, truth, answer) in zip(shown, given, strict=True)
    ]
    sign = 1 if d.direction == "higher" else -1
    groups: dict[float, list[str]] = {}
    better = []
    for (words, truth, _), x in zip(given, found, strict=True):
        if x is not None:
            groups.setdefault(round(x, 12), []).append(words)
            if truth == given[0][2] and found[0] is not None and sign * (x - found[0]) > 1e-12:
                better.append(words)
    notes = [f"Better than the exact prediction: {'; '.join(better)}."] if better else []
    notes += [f"The same value, {number(value)}: {'; '.join(words)}."
              for value, words in groups.items() if len(words) > 1]  # fmt: skip
    told = f"Every page shows these predictions; here {d.direction} is better."
    return [told, table(["", "truth", "prediction", d.name], rows), bullets(notes)]


def failure_modes(d: Definition) -> list[str]:
    """Return its cautions, and what follows from the traits that it lacks."""
    parts = [bullets([escaped(caution) for caution in d.cautions])] if d.cautions else []
    traits = traits_of(d).items()
    lacking = [f"Not *{t}*. {words}" for t, (_, words) in traits if t not in d.traits]
    about = ["Consequences of the traits that it lacks:", bullets(lacking)]
    return [*parts, *(about if lacking else [])]


def see_also(d: Definition) -> str:
    """Return where to read on."""
    family = [n for n, other in REGISTRY.items() if other.family == d.family and other is not d]
    links = [f"The same family: {', '.join(f'[{n}]({n}.md)' for n in family) or 'none'}"]
    if d.rule is not None:
        links.append("[Pairing rules](../pairing.md): the constraints and costs of this measure")
    return bullets([
        *links,
        "[All measures](../measures.md), [conventions](../conventions.md)",
        f"On the command line: `hierpair measures {d.name}`, `hierpair score … -m {d.name}`",
    ])  # fmt: skip


def in_python(d: Definition) -> list[str]:
    """Return the functions that compute it, in full."""
    names = [f.__name__ for f in registered_functions() if f.measure == d.name]
    directives = "\n".join(f".. autofunction:: hierpair.metrics.{name}" for name in names)
    return ["## In Python", f"```{{eval-rst}}\n{directives}\n```"] if names else []
