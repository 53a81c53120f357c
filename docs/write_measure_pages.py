"""Write one page per measure from the registry; every number on it is computed while writing."""

import re
from pathlib import Path

from markdown_parts import bullets, escaped, listed, number, table
from scored_examples import ANSWERS as SCORES
from scored_examples import many_scores, scored_example
from scored_examples import values as values_of_scores
from worked_examples import EDGES, PATH_TRUTH, TRUTH, cases, hierarchy, worked_example

from hierpair import HierpairError, measure, score
from hierpair.measures import REGISTRY, Definition, measures_of

FOLDER = "measures"

ANSWERS = (
    ("exactly right", "exact", TRUTH, TRUTH),
    ("a sibling", "sibling", TRUTH, ("gouda", "saw")),
    ("too high: the parent", "parent", TRUTH, ("cheese", "saw")),
    ("too deep: a child", "child", ("cheese", "saw"), TRUTH),
    ("another branch", "branch", TRUTH, ("drill", "saw")),
    ("one label missing", "missing", TRUTH, ("saw",)),
    ("one superfluous label nearby", "extra", TRUTH, ("brie", "gouda", "saw")),
    ("only the classes at the top level", "top", TRUTH, ("food", "tools")),
    ("every class", "every", TRUTH, tuple(dict.fromkeys(name for edge in EDGES for name in edge))),
    ("nothing", "nothing", TRUTH, ()),
)
"""Words, a short word, truth and prediction: the same for every measure, to be compared."""

PATH_ANSWERS = (
    *((words, short, PATH_TRUTH if truth == TRUTH else PATH_TRUTH[:-1], answer)
      for (words, short, truth, _), answer in zip(ANSWERS, (
        PATH_TRUTH, ("food", "cheese", "gouda"), ("food", "cheese"), PATH_TRUTH,
        ("tools", "saw"), ("food", "brie"), ("food", "cheese", "brie", "gouda"), ("food",),
        ANSWERS[8][3], ()), strict=True)),
)  # fmt: skip
"""The same of one whole path, for measures of paths."""

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
        "It has no fixed scale: the largest value depends on the hierarchy and on the number of "
        "labels. Instances with many labels dominate a mean, and values of two data sets cannot be "
        "compared.",
    ),
    "total": (
        "it is defined for any label sets",
        "It is not defined for every instance: for some label sets there is no value, and scoring "
        "stops with a message that names the instance.",
    ),
}
"""Trait → its meaning, and what its absence means."""

OF_SCORES = {
    "perfect": (
        "scores of 1 for the truth and what is above it, and 0 for all else, get the best value",
        "Scores of 1 for the truth and what is above it, and 0 for all else, do not always get the "
        "best value.",
    ),
    "bounded": (
        "values lie in [0, 1]",
        "It has no fixed scale: values of two data sets cannot be compared.",
    ),
    "total": (
        "it is defined for all scores",
        "It is not defined for all scores and truths: where there is no value it is nan, or "
        "scoring stops with a message.",
    ),
}
"""The same for measures of scores."""


def traits_of(d: Definition) -> dict[str, tuple[str, str]]:
    """Return the traits that a measure may have."""
    return OF_SCORES if d.consumes == "scores" else TRAITS


def write(docs: Path) -> None:
    """Write all pages and their pictures, and nothing else into their folder."""
    folder = docs / FOLDER
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.*"):
        old.unlink()
    for d in REGISTRY.values():
        (folder / f"{d.name}.md").write_text(page(d, folder), encoding="utf-8")


def linked(overview: str) -> str:
    """Return the overview with links to the pages, and a table of contents."""
    known = "|".join(REGISTRY)
    overview = re.sub(rf"`({known})`(?=[ ,])", rf"[\1]({FOLDER}/\1.md)", overview)
    entries = "\n".join(f"{FOLDER}/{name}" for name in REGISTRY)
    toctree = f"```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{entries}\n```"
    return "\n\n".join(
        [
            overview.rstrip(),
            "## The same predictions under all measures",
            side_by_side(),
            scores_side_by_side(),
            toctree,
        ]
    )


def scores_side_by_side() -> str:
    """Return the values of all tables of scores under all measures of scores."""
    legend = "; ".join(f"*{short}*, {words}" for words, short, _ in SCORES if short != words)
    header = ["", *(short for _, short, _ in SCORES)]
    rows = [
        [
            f"[{d.name}]({FOLDER}/{d.name}.md)\u00a0{'↑' if d.direction == 'higher' else '↓'}",
            *("–" if x is None else number(x, 2) for x in values_of_scores(d)),
        ]
        for d in measures_of("scores").values()
    ]
    if not rows:
        return ""
    return (
        "Measures of scores see all instances at once. The table shows ten tables of scores of the "
        f"same four instances, each with one true class. Columns: {legend}. A dash means that "
        f"there is no value.\n\n{table(header, rows)}"
    )


def side_by_side() -> str:
    """Return the values of all answers under all measures of label sets."""
    legend = "; ".join(f"*{short}*, {words}" for words, short, *_ in ANSWERS if short != words)
    header = ["", *(short for _, short, *_ in ANSWERS)]
    rows = [
        [
            f"[{d.name}]({FOLDER}/{d.name}.md)\u00a0{'↑' if d.direction == 'higher' else '↓'}",
            *("–" if value is None else number(value, 2) for value in values(d)),
        ]
        for d in measures_of("labels").values()
    ]
    return (
        f"The table shows ten predictions for the truth {listed(TRUTH)} in one small hierarchy. "
        f"The page of each measure draws the hierarchy and lists the predictions. Columns: "
        f"{legend}. A dash means that the measure is not defined. Measures of whole paths are "
        f"shown with the truth {listed(PATH_TRUTH)} and such predictions.\n\n{table(header, rows)}"
    )


def page(d: Definition, folder: Path) -> str:
    """Return the page of one measure."""
    of_scores = d.consumes == "scores"
    heading = "The same instances, other scores" if of_scores else "One truth, many predictions"
    return "\n\n".join(
        [
            f"# {d.name}",
            d.summary,
            facts(d),
            "## Options",
            options(d),
            f"With all defaults the signature is\n\n```text\n{measure(d.name).signature}\n```",
            "## Worked example",
            *(scored_example(d) if of_scores else worked_example(d, folder)),
            f"## {heading}",
            *(many_scores(d) if of_scores else many_answers(d)),
            "## Where it misleads",
            *failure_modes(d),
            "## See also",
            see_also(d),
            "",
        ]
    )


# ------------------------------------------------------------------------------ what it is


READS = {
    ("labels", "all"): "label sets, instance by instance",
    ("scores", "all"): "scores of classes, all instances at once",
    ("scores", "leaves"): "scores of leaves, all instances at once",
}


def facts(d: Definition) -> str:
    """Return formula, range, direction, averages, source and traits as a table."""
    traits = traits_of(d)
    kept = [f"*{t}*: {traits[t][0]}" for t in traits if t in d.traits]
    return "{.facts}\n" + table(
        ["", ""],
        [
            ["Formula", escaped(d.formula)],
            ["Computed from", READS[d.consumes, d.scored_classes]],
            ["Direction", f"{d.direction} is better"],
            ["Range", escaped(d.range)],
            *([["Averages", ", ".join(f"`{a}`" for a in d.averages)]] if d.averages else []),
            ["Traits", "; ".join(kept) or "none"],
            ["Source", escaped(d.source)],
        ],
    )


def options(d: Definition) -> str:
    """Return the options with their defaults and meanings."""
    if not d.options:
        return "None."
    rows = [
        [f"`{name}`", f"`{default!r}`", escaped(d.option(name).meaning)]
        for name, default in d.options.items()
    ]
    return (
        table(["option", "default", "meaning"], rows)
        + "\n\n[Conventions](../conventions.md) explains these options."
    )


# ------------------------------------------------------------------------------ many answers


def answers(d: Definition) -> tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...]:
    """Return the answers that are shown of a measure."""
    return PATH_ANSWERS if d.family == "path" else ANSWERS


def values(d: Definition) -> list[float | None]:
    """Return the value of every answer, None where the measure is not defined."""
    found: list[float | None] = []
    for *_, truth, answer in answers(d):
        try:
            found.append(score(hierarchy(), [truth], {"s": [answer]}, [d.name])["s", d.name])
        except HierpairError:
            found.append(None)
    return found


def many_answers(d: Definition) -> list[str]:
    """Return the values of the same ten answers, and which of them get the same."""
    found = values(d)
    rows = [
        [
            words,
            listed(truth),
            "all ten" if len(answer) == len(hierarchy()) else listed(answer),
            "no value" if value is None else number(value),
        ]
        for (words, _, truth, answer), value in zip(answers(d), found, strict=True)
    ]
    intro = f"Every page shows these predictions; here {d.direction} is better."
    parts = [intro, table(["", "truth", "prediction", d.name], rows)]
    notes = [*better_than_right(d, found), *equal_values(found)]
    return [*parts, bullets(notes)] if notes else parts


def better_than_right(d: Definition, found: list[float | None]) -> list[str]:
    """Return a sentence on answers that are valued above the exact one."""
    right = found[0]
    sign = 1 if d.direction == "higher" else -1
    better = [
        words
        for (words, _, truth, _), value in zip(answers(d), found, strict=True)
        if None not in (value, right) and truth == cases(d)[0] and sign * (value - right) > 1e-12
    ]
    if not better:
        return []
    return [f"Better than the exact prediction: {'; '.join(better)}."]


def equal_values(found: list[float | None]) -> list[str]:
    """Return a sentence per group of answers with the same value."""
    groups: dict[float, list[str]] = {}
    for (words, *_), value in zip(ANSWERS, found, strict=True):
        if value is not None:
            groups.setdefault(round(value, 12), []).append(words)
    return [
        f"The same value, {number(value)}: {'; '.join(words)}."
        for value, words in groups.items()
        if len(words) > 1
    ]


def failure_modes(d: Definition) -> list[str]:
    """Return its cautions, and what follows from the traits that it lacks."""
    parts = [bullets([escaped(caution) for caution in d.cautions])] if d.cautions else []
    lacking = [
        f"Not *{trait}*. {words}"
        for trait, (_, words) in traits_of(d).items()
        if trait not in d.traits
    ]
    return [
        *parts,
        *(["Consequences of the traits that it lacks:", bullets(lacking)] if lacking else []),
    ]


def see_also(d: Definition) -> str:
    """Return where to read on."""
    family = ", ".join(
        f"[{other.name}]({other.name}.md)"
        for other in REGISTRY.values()
        if other.family == d.family and other is not d
    )
    rules = "- [Pairing rules](../pairing.md): the constraints and costs of this measure\n"
    return (
        f"- The same family: {family or 'none'}\n"
        + (rules if d.rule is not None else "")
        + "- [All measures](../measures.md), [conventions](../conventions.md)\n"
        f"- On the command line: `hierpair measures {d.name}`, `hierpair score … -m {d.name}`"
    )


if __name__ == "__main__":
    write(Path(__file__).parent)
