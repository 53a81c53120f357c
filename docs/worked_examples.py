"""The worked examples of measures, of labels and of scores, and other answers to the same truth."""

import json
import math
from functools import cache
from pathlib import Path

from markdown_parts import escaped, listed, number, table

from hierpair import Hierarchy, HierpairError, Infeasible, NodeScores, explain, score
from hierpair.measures import Definition
from hierpair.plots import plot_neighbourhood, plot_pairing, save_picture

EDGES = (
    ("shop", "food"), ("food", "cheese"), ("cheese", "brie"), ("cheese", "gouda"),
    ("food", "bread"), ("bread", "rye"), ("shop", "tools"), ("tools", "saw"), ("tools", "drill"),
)  # fmt: skip
SHOP = Hierarchy.from_edges(EDGES)

Answers = tuple[tuple[str, tuple, tuple], ...]
"""Words, truth and prediction (or scores): the same for every measure of a kind."""

TRUTH = ("brie", "saw")
PREDICTIONS = (("gouda", "rye", "saw"), ("gouda", "drill"))
EVERY = tuple(dict.fromkeys(name for edge in EDGES for name in edge))
LABELS: Answers = (
    ("exactly right", TRUTH, TRUTH),
    ("a sibling", TRUTH, ("gouda", "saw")),
    ("too high: the parent", TRUTH, ("cheese", "saw")),
    ("too deep: a child", ("cheese", "saw"), TRUTH),
    ("another branch", TRUTH, ("drill", "saw")),
    ("one label missing", TRUTH, ("saw",)),
    ("one superfluous label nearby", TRUTH, ("brie", "gouda", "saw")),
    ("only the classes at the top level", TRUTH, ("food", "tools")),
    ("every class", TRUTH, EVERY),
    ("nothing", TRUTH, ()),
)
PATH_TRUTH = ("food", "cheese", "brie")
PATH_PREDICTIONS = (("food", "bread", "brie"),)
PATHS: Answers = tuple(
    (words, PATH_TRUTH if truth == TRUTH else PATH_TRUTH[:-1], answer)
    for (words, truth, _), answer in zip(LABELS, (
        PATH_TRUTH, ("food", "cheese", "gouda"), ("food", "cheese"), PATH_TRUTH, ("tools", "saw"),
        ("food", "brie"), ("food", "cheese", "brie", "gouda"), ("food",), EVERY, (),
    ), strict=True)
)  # fmt: skip
"""The same of one whole path, for measures of paths: labels with all that is above them."""

LISTS: Answers = tuple((words, truth[:1], answer) for words, truth, answer in LABELS)
"""The same as lists of what was retrieved for one class."""

LEAVES = ("brie", "gouda", "rye", "saw", "drill")
INNER = {"food": LEAVES[:3], "cheese": LEAVES[:2], "bread": LEAVES[2:3], "tools": LEAVES[3:]}
SCORED_TRUTH = ("brie", "saw", "rye", "gouda")
SIBLING = {"brie": "gouda", "gouda": "brie", "rye": "gouda", "saw": "drill", "drill": "saw"}
BRANCH = {"brie": "drill", "gouda": "drill", "rye": "saw", "saw": "rye", "drill": "rye"}
EXAMPLE = (
    (0.52, 0.25, 0.13, 0.06, 0.04),
    (0.05, 0.08, 0.03, 0.34, 0.5),
    (0.12, 0.07, 0.61, 0.15, 0.05),
    (0.17, 0.21, 0.11, 0.06, 0.45),
)
"""Scores of the leaves: right; a sibling first; right; another branch first."""


def law(first: str, second: str) -> tuple[float, ...]:
    """Return scores of the leaves with these two in front."""
    left = iter((0.17, 0.11, 0.06))
    known = {first: 0.4, second: 0.26}
    return tuple(known[leaf] if leaf in known else next(left) for leaf in LEAVES)


def certain(leaf: str) -> tuple[float, ...]:
    """Return the score 1 for one leaf."""
    return tuple(float(leaf == other) for other in LEAVES)


SCORES: Answers = tuple(
    (words, SCORED_TRUTH, tuple(laws))
    for words, laws in (
        ("those of the worked example", EXAMPLE),
        ("certain and right", map(certain, SCORED_TRUTH)),
        ("right, but unsure", [law(t, SIBLING[t]) for t in SCORED_TRUTH]),
        ("a sibling first, then the truth", [law(SIBLING[t], t) for t in SCORED_TRUTH]),
        ("another branch first, then the truth", [law(BRANCH[t], t) for t in SCORED_TRUTH]),
        ("certain, and wrong: a sibling", [certain(SIBLING[t]) for t in SCORED_TRUTH]),
        ("certain, and wrong: another branch", [certain(BRANCH[t]) for t in SCORED_TRUTH]),
        ("the same for all instances", [(0.26, 0.24, 0.23, 0.22, 0.05)] * 4),
        ("half of each score of the example", [[p / 2 for p in row] for row in EXAMPLE]),
        ("no score at all", [(0.0,) * 5] * 4),
    )
)  # fmt: skip


def answers(d: Definition) -> Answers:
    """Return the answers that are shown of a measure."""
    of_labels = {"path": PATHS, "ranking": LISTS}.get(d.family, LABELS)
    return SCORES if d.consumes == "scores" else of_labels


def columns(d: Definition) -> tuple[str, ...]:
    """Return the classes that have scores."""
    return LEAVES if d.scored_classes == "leaves" else (*INNER, *LEAVES)


def rows(d: Definition, laws: tuple) -> list[list[float]]:
    """Return scores of these classes: an inner class has what the leaves below it have together."""
    found = []
    for p in laws:
        of = dict(zip(LEAVES, p, strict=True))
        of |= {name: round(sum(of[leaf] for leaf in below), 12) for name, below in INNER.items()}
        found.append([of[name] for name in columns(d)])
    return found


@cache
def values(d: Definition) -> list[float | None]:
    """Return the value of every answer, None where the measure refuses it or has none."""
    found = []
    for _, truth, answer in answers(d):
        sides = [truth], [answer]
        if d.consumes == "scores":
            p = rows(d, answer)
            sides = truth, NodeScores.from_array(p, SHOP, classes=columns(d), with_root=False)
        try:
            value = score(SHOP, sides[0], {"mine": sides[1]}, [d.name])["mine", d.name]
        except HierpairError:
            value = math.nan
        found.append(None if math.isnan(value) else value)
    return found


def worked_example(d: Definition, folder: Path) -> list[str]:
    """Return pictures, what ``explain`` says, and the code that gives the value."""
    if d.consumes == "scores":
        return scored_example(d)
    truth = answers(d)[0][1]
    predictions = PATH_PREDICTIONS if d.family == "path" else PREDICTIONS
    for prediction in predictions:
        try:
            why = explain(SHOP, [truth], [prediction], d.name)[0]
        except Infeasible:
            continue
        if not why.no_pairing:
            break
    told = f"Truth {listed(truth)}, prediction {listed(prediction)}."
    if prediction != predictions[0]:
        told += f" ({listed(predictions[0])} has no value: the numbers of labels must be equal.)"
    save_picture(plot_neighbourhood(why.neighbourhood), folder / f"{d.name}.svg")
    sides = f"true {listed(truth)} and predicted {listed(prediction)}"
    pictures = [f"![The classes around {sides}]({d.name}.svg)"]
    if why.evidence.kind == "flow":
        save_picture(plot_pairing(why.evidence), folder / f"{d.name}-network.svg")
        pictures.append(f"![The pairing of {sides}]({d.name}-network.svg)")
    said = why.to_table("markdown").replace(" for instance 0 of system", "", 1)
    value = score(SHOP, [truth], {"mine": [prediction]}, [d.name])["mine", d.name]
    example = code(d, f"[{json.dumps(truth)}]", [], f"[{json.dumps(prediction)}]", value)
    return [told, *pictures, said, example]


def scored_example(d: Definition) -> list[str]:
    """Return the scores of the example, the value, and the code that gives it."""
    parents = {child: parent for parent, child in EDGES}
    shown = []
    for true, row in zip(SCORED_TRUTH, rows(d, EXAMPLE), strict=True):
        above = {true, parents[true], parents.get(parents[true])}
        cells = zip(columns(d), map(number, row), strict=True)
        shown.append([true, *(f"**{p}**" if name in above else p for name, p in cells)])
    words = "leaves" if d.scored_classes == "leaves" else "classes, without the root"
    steps = [
        ">>> p = [", *(f"...     {row}," for row in rows(d, EXAMPLE)), "... ]",
        f'>>> names = "{" ".join(columns(d))}".split()',
        ">>> mine = NodeScores.from_array(p, shop, classes=names, with_root=False)",
        f">>> truth = {list(SCORED_TRUTH)}",
    ]  # fmt: skip
    return [
        "Four instances, one true class each.",
        table(["truth", *columns(d)], shown),
        f"Scores of the {words}; those of the truth and of what is above it are bold.",
        f"**{escaped(d.name)} = {number(values(d)[0])}**",
        code(d, "truth", steps, "mine", values(d)[0]),
    ]


def code(d: Definition, truth: str, steps: list[str], given: str, value: float) -> str:
    """Return lines that compute the value again; a test runs them."""
    edges = [f'("{a}", "{b}"),' for a, b in EDGES]
    call = f'score(shop, {truth}, {{"mine": {given}}}, ["{d.name}"])["mine", "{d.name}"]'
    names = ["Hierarchy", *["NodeScores"] * bool(steps), "score"]
    lines = [
        f">>> from hierpair import {', '.join(names)}",
        ">>> shop = Hierarchy.from_edges([",
        *(f"...     {' '.join(edges[i : i + 3])}" for i in range(0, len(edges), 3)),
        "... ])",
        *steps,
    ]
    return "\n".join(["```python", *lines, f">>> {call}", repr(value), "", "```"])
