"""Examples of measures of scores: four instances with scores, and other scores of the same ones."""

import math

from markdown_parts import escaped, number, table
from worked_examples import EDGES, hierarchy

from hierpair import HierpairError, NodeScores, score
from hierpair.measures import Definition

LEAVES = ("brie", "gouda", "rye", "saw", "drill")
INNER = {"food": LEAVES[:3], "cheese": LEAVES[:2], "bread": LEAVES[2:3], "tools": LEAVES[3:]}
TRUTH = ("brie", "saw", "rye", "gouda")
SIBLING = {"brie": "gouda", "gouda": "brie", "rye": "gouda", "saw": "drill", "drill": "saw"}
BRANCH = {"brie": "drill", "gouda": "drill", "rye": "saw", "saw": "rye", "drill": "rye"}
"""A class of another branch."""

LAWS = (
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


ANSWERS = (
    ("those of the worked example", "example", LAWS),
    ("certain and right", "certain", tuple(map(certain, TRUTH))),
    ("right, but unsure", "unsure", tuple(law(t, SIBLING[t]) for t in TRUTH)),
    ("a sibling first, then the truth", "sibling", tuple(law(SIBLING[t], t) for t in TRUTH)),
    ("another branch first, then the truth", "branch", tuple(law(BRANCH[t], t) for t in TRUTH)),
    ("certain, and wrong: a sibling", "wrong", tuple(certain(SIBLING[t]) for t in TRUTH)),
    ("certain, and wrong: another branch", "far", tuple(certain(BRANCH[t]) for t in TRUTH)),
    ("the same for all instances", "same", ((0.26, 0.24, 0.23, 0.22, 0.05),) * 4),
    ("half of each score of the example", "half",
     tuple(tuple(p / 2 for p in row) for row in LAWS)),
    ("no score at all", "nothing", ((0.0,) * 5,) * 4),
)  # fmt: skip
"""Words, a short word and the scores of the leaves: the same for every measure."""


def columns(d: Definition) -> tuple[str, ...]:
    """Return the classes that have scores."""
    return LEAVES if d.scored_classes == "leaves" else (*INNER, *LEAVES)


def rows(d: Definition, laws: tuple[tuple[float, ...], ...]) -> list[list[float]]:
    """Return scores of these classes: an inner class has what the leaves below it have together."""
    found = []
    for p in laws:
        of = dict(zip(LEAVES, p, strict=True))
        of |= {name: round(sum(of[leaf] for leaf in below), 12) for name, below in INNER.items()}
        found.append([of[name] for name in columns(d)])
    return found


def value(d: Definition, laws: tuple[tuple[float, ...], ...]) -> float:
    """Return the value of these scores."""
    scores = NodeScores.from_array(
        rows(d, laws), hierarchy(), classes=columns(d), with_root=False
    )  # fmt: skip
    return score(hierarchy(), list(TRUTH), {"mine": scores}, [d.name])["mine", d.name]


def values(d: Definition) -> list[float | None]:
    """Return the value of every answer, None where the measure refuses it or has none."""
    found: list[float | None] = []
    for *_, laws in ANSWERS:
        try:
            x = value(d, laws)
        except HierpairError:
            x = math.nan
        found.append(None if math.isnan(x) else x)
    return found


def scored_example(d: Definition) -> list[str]:
    """Return the scores of the example, the value, and the code that gives it."""
    header = ["truth", *columns(d)]
    shown = [
        [true, *(f"**{number(p)}**" if name in above(true) else number(p)
                 for name, p in zip(columns(d), row, strict=True))]
        for true, row in zip(TRUTH, rows(d, LAWS), strict=True)
    ]  # fmt: skip
    words = "leaves" if d.scored_classes == "leaves" else "classes, without the root"
    about = f"Scores of the {words}; those of the truth and of what is above it are bold."
    found = value(d, LAWS)
    return [
        "Four instances, one true class each.",
        table(header, shown),
        about,
        f"**{escaped(d.name)} = {number(found)}**",
        code(d, found),
    ]


def above(true: str) -> set[str]:
    """Return a class and its ancestors."""
    parents = {child: parent for parent, child in EDGES}
    found = {true}
    while true in parents:
        true = parents[true]
        found.add(true)
    return found


def code(d: Definition, found: float) -> str:
    """Return lines that compute the value again; a test runs them."""
    edges = [f'("{a}", "{b}"),' for a, b in EDGES]
    lines = [" ".join(edges[i : i + 3]) for i in range(0, len(edges), 3)]
    named = " ".join(columns(d))
    return "\n".join(
        [
            "```python",
            ">>> from hierpair import Hierarchy, NodeScores, score",
            ">>> shop = Hierarchy.from_edges([",
            *(f"...     {line}" for line in lines),
            "... ])",
            ">>> p = [",
            *(f"...     {row}," for row in rows(d, LAWS)),
            "... ]",
            f'>>> names = "{named}".split()',
            ">>> mine = NodeScores.from_array(p, shop, classes=names, with_root=False)",
            f">>> truth = {list(TRUTH)}",
            f'>>> score(shop, truth, {{"mine": mine}}, ["{d.name}"])["mine", "{d.name}"]',
            repr(found),
            "",
            "```",
        ]
    )


def many_scores(d: Definition) -> list[str]:
    """Return the values of the same ten tables of scores."""
    shown = [
        [words, "no value" if x is None else number(x)]
        for (words, *_), x in zip(ANSWERS, values(d), strict=True)
    ]
    intro = (
        "Every page of a measure of scores shows these scores of the same four instances; "
        f"here {d.direction} is better."
    )
    return [intro, table(["scores", d.name], shown)]
