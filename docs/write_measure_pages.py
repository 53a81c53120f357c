"""Write one page per measure from the registry; every number on it is computed while writing."""

import json
import re
from pathlib import Path

from hierpair import Hierarchy, HierpairError, Infeasible, LabelSets, explain, measure, score
from hierpair.explanation import Explanation, PairEvidence, SetEvidence
from hierpair.measures import REGISTRY, Batch, Definition
from hierpair.measures.options import MEANINGS
from hierpair.plots import plot_neighbourhood, plot_pairing, save_picture

FOLDER = "measures"

EDGES = (
    ("shop", "food"), ("food", "cheese"), ("cheese", "brie"), ("cheese", "gouda"),
    ("food", "bread"), ("bread", "rye"), ("shop", "tools"), ("tools", "saw"), ("tools", "drill"),
)  # fmt: skip
TRUTH = ("brie", "saw")
PREDICTIONS = (("gouda", "rye", "saw"), ("gouda", "drill"))
"""The worked example takes the first prediction for which the measure is defined."""

ANSWERS = (
    ("exactly right", "exact", TRUTH, TRUTH),
    ("a sibling", "sibling", TRUTH, ("gouda", "saw")),
    ("too high, the parent", "parent", TRUTH, ("cheese", "saw")),
    ("too deep, a child", "child", ("cheese", "saw"), TRUTH),
    ("another branch", "branch", TRUTH, ("drill", "saw")),
    ("one label missing", "missing", TRUTH, ("saw",)),
    ("one near label too many", "extra", TRUTH, ("brie", "gouda", "saw")),
    ("only the classes at the top", "top", TRUTH, ("food", "tools")),
    ("every class", "every", TRUTH, tuple(dict.fromkeys(name for edge in EDGES for name in edge))),
    ("nothing", "nothing", TRUTH, ()),
)
"""Words, a short word, truth and prediction: the same for every measure, to be compared."""

TRAITS = {
    "symmetric": (
        "truth and prediction may change places",
        "Truth and prediction cannot change places: saying too much and saying too little are "
        "judged differently. Read it together with a measure that looks the other way.",
    ),
    "perfect": (
        "a perfect prediction gets the best value",
        "A perfect prediction does not always get the best value.",
    ),
    "bounded": (
        "values lie in [0, 1]",
        "It has no fixed scale: the largest value depends on the hierarchy and on the number of "
        "labels. A mean is led by instances with many labels, and values of two data sets cannot "
        "be compared.",
    ),
    "total": (
        "it is defined for any label sets",
        "It is not defined for every instance: where the labels do not fit there is no value, and "
        "scoring stops with a message that names the instance.",
    ),
}
"""Trait → what it promises, and what its absence means."""


def write(docs: Path) -> None:
    """Write all pages and their pictures, and nothing else into their folder."""
    folder = docs / FOLDER
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.*"):
        old.unlink()
    for d in REGISTRY.values():
        (folder / f"{d.name}.md").write_text(page(d, folder), encoding="utf-8")


def linked(overview: str) -> str:
    """Return the overview with links from its sections to the pages, and a table of contents."""
    for name in REGISTRY:
        heading = re.compile(rf"^### {name}$", re.MULTILINE)
        overview = heading.sub(
            f"### {name}\n\n[Worked example and failure modes]({FOLDER}/{name}.md)", overview
        )
    entries = "\n".join(f"{FOLDER}/{name}" for name in REGISTRY)
    toctree = f"```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{entries}\n```"
    return "\n\n".join(
        [overview.rstrip(), "## The same answers under all measures", side_by_side(), toctree]
    )


def side_by_side() -> str:
    """Return the values of all answers under all measures."""
    legend = "; ".join(f"*{short}*, {words}" for words, short, *_ in ANSWERS if short != words)
    header = ["", *(short for _, short, *_ in ANSWERS)]
    rows = [
        [
            f"[{d.name}]({FOLDER}/{d.name}.md)\u00a0{'↑' if d.direction == 'higher' else '↓'}",
            *("–" if value is None else number(value, 2) for value in values(d.name)),
        ]
        for d in REGISTRY.values()
    ]
    return (
        f"One small hierarchy, the truth {listed(TRUTH)}, and ten answers to it; every page draws "
        f"the hierarchy and lists the answers. Short words: {legend}. A dash: the measure is not "
        f"defined.\n\n{table(header, rows)}"
    )


def page(d: Definition, folder: Path) -> str:
    """Return the page of one measure."""
    return "\n\n".join(
        [
            f"# {d.name}",
            d.summary,
            facts(d),
            "## Options",
            options(d),
            f"With all defaults its signature is\n\n```text\n{measure(d.name).signature}\n```",
            "## Worked example",
            *worked_example(d, folder),
            "## One truth, many answers",
            *many_answers(d),
            "## Where it misleads",
            *failure_modes(d),
            "## See also",
            see_also(d),
            "",
        ]
    )


# ------------------------------------------------------------------------------ what it is


def facts(d: Definition) -> str:
    """Return formula, range, direction, averages, source and traits as a table."""
    kept = [f"*{t}*: {TRAITS[t][0]}" for t in TRAITS if t in d.traits]
    return "{.facts}\n" + table(
        ["", ""],
        [
            ["Formula", escaped(d.formula)],
            ["Direction", f"{d.direction} is better"],
            ["Range", escaped(d.range)],
            ["Averages", ", ".join(f"`{a}`" for a in d.averages)],
            ["Traits", "; ".join(kept) or "none"],
            ["Source", escaped(d.source)],
        ],
    )


def options(d: Definition) -> str:
    """Return the options with their defaults and what they say."""
    if not d.options:
        return "None."
    rows = [
        [f"`{name}`", f"`{default!r}`", escaped(MEANINGS.get(name, "an option of this measure"))]
        for name, default in d.options.items()
    ]
    return (
        table(["option", "default", "meaning"], rows)
        + "\n\nThe decisions behind them are on the page of [conventions](../conventions.md)."
    )


# ------------------------------------------------------------------------------ worked example


def hierarchy() -> Hierarchy:
    """Return the hierarchy of the examples."""
    return Hierarchy.from_edges(EDGES)


def example(name: str) -> tuple[tuple[str, ...], Explanation]:
    """Return the prediction of the worked example of a measure, and its explanation."""
    for prediction in PREDICTIONS:
        try:
            return prediction, explain(hierarchy(), [TRUTH], [prediction], name)[0]
        except Infeasible:
            continue
    raise AssertionError(f"no worked example fits {name}; add a prediction")


def worked_example(d: Definition, folder: Path) -> list[str]:
    """Return picture, evidence, value, and the code that gives it."""
    prediction, why = example(d.name)
    parts = [f"Truth {listed(TRUTH)}, prediction {listed(prediction)}."]
    if prediction != PREDICTIONS[0]:
        parts[0] += (
            f" (The prediction {listed(PREDICTIONS[0])} of the other pages has no value here: "
            "the numbers of labels differ.)"
        )
    parts += drawn(why, folder)
    if isinstance(why.evidence, PairEvidence):
        parts += pairing(why.evidence)
    elif isinstance(why.evidence, SetEvidence):
        parts += sets(why.evidence)
    parts += [f"**{escaped(d.name)} = {inserted(d, why)}**", code(d, prediction)]
    return parts


def drawn(why: Explanation, folder: Path) -> list[str]:
    """Draw the hierarchy and the pairing, if there is one; return the Markdown that shows them."""
    name = why.measure.definition.name
    true, predicted = listed(why.y_true), listed(why.y_pred)
    save_picture(plot_neighbourhood(why.neighbourhood), folder / f"{name}.svg")
    parts = [f"![The classes around true {true} and predicted {predicted}]({name}.svg)"]
    if isinstance(why.evidence, PairEvidence):
        save_picture(plot_pairing(why.evidence), folder / f"{name}-network.svg")
        parts.append(
            f"![The pairing of predicted {predicted} with true {true}]({name}-network.svg)"
        )
    return parts


def pairing(e: PairEvidence) -> list[str]:
    """Return the price of every pair, which were chosen, and what the cost is made of."""
    price = {(p.predicted, p.true): p for p in e.pairs}
    header = ["predicted", *(f"true: {row.name}" for row in e.true), "no partner"]
    rows = [
        [
            str(row.name),
            *(cell(price[i, j].price, price[i, j].chosen) for j in range(len(e.true))),
            cell(row.default, bool(row.n_missing)),
        ]
        for i, row in enumerate(e.predicted)
    ]
    rows.append(["no partner", *(cell(row.default, bool(row.n_missing)) for row in e.true), ""])
    about = "The price of every pair and of a label without partner"
    if all(row.default is None for row in (*e.predicted, *e.true)):  # nobody may stay alone
        header.pop()
        rows = [row[:-1] for row in rows[:-1]]
        about = "The price of every pair"
    proof = (
        f"{about}; what is paid is bold. It costs {number(e.cost)}, and no pairing costs less: "
        f"the dual prices of the flow prove at least {number(e.bound)}."
    )
    return [table(header, rows), proof]


def cell(price: float | None, chosen: bool) -> str:
    """Return a price, bold if it is paid; a dash where nothing may be paid."""
    if price is None:
        return "–"
    return f"**{number(price)}**" if chosen else number(price)


def sets(e: SetEvidence) -> list[str]:
    """Return both augmented sets and what they share."""
    grown = {"none": "Nothing is added to the label sets."}.get(
        e.augment, f"Both label sets with their {e.augment}"
    )
    if e.uncounted:
        grown += f"; {listed(e.uncounted)} stands for any class and does not count"
    rows = [
        ["in both", str(len(e.shared)), listed(e.shared)],
        ["only true", str(len(e.only_true)), listed(e.only_true)],
        ["only predicted", str(len(e.only_predicted)), listed(e.only_predicted)],
    ]
    return [grown.rstrip(".") + ".", table(["", "classes", ""], rows)]


def inserted(d: Definition, why: Explanation) -> str:
    """Return the formula with its numbers where they can be put in, and the value."""
    value = number(why.value)
    if isinstance(why.evidence, PairEvidence) and not d.formula.startswith("1"):
        e = why.evidence
        paid = [p.price for p in e.pairs if p.chosen]
        paid += [row.default for row in (*e.predicted, *e.true) for _ in range(row.n_missing)]
        return f"{' + '.join(map(number, paid)) or '0'} = {value}"
    text = re.sub(r"([)²|]) (?=\|)", r"\1 · ", d.formula)
    for words, known in sorted(sizes(d, why).items(), key=lambda item: -len(item[0])):
        text = text.replace(words, number(known))
    return value if re.search(r"[A-Za-zŶΔβ]", text) else f"{text} = {value}"


def sizes(d: Definition, why: Explanation) -> dict[str, float]:
    """Return what the words of formulas stand for in the example."""
    sides = (LabelSets.from_labels([x], hierarchy()) for x in (why.y_true, why.y_pred))
    counts = Batch(hierarchy(), *sides).counts(why.measure.recipe)
    true, predicted, both, union = (
        float(x[0]) for x in (counts.n_true, counts.n_pred, counts.n_both, counts.n_union)
    )
    aug = "_aug" if "_aug" in d.formula else ""
    return {
        f"|Ŷ{aug} ∩ Y{aug}|": both,
        f"|Ŷ{aug} Δ Y{aug}|": union - both,
        f"|Ŷ{aug}|": predicted,
        f"|Y{aug}|": true,
        "|P ∪ T|": union,
        "number of classes": counts.n_classes,
        "fnerror": float(counts.cost[0]),
        "β²": float(why.measure.options.get("beta", 1)) ** 2,
        "Dmax": float(why.measure.options.get("default", 0)),
    }


def code(d: Definition, prediction: tuple[str, ...]) -> str:
    """Return lines that compute the value again; a test runs them."""
    edges = [f'("{a}", "{b}"),' for a, b in EDGES]
    lines = [" ".join(edges[i : i + 3]) for i in range(0, len(edges), 3)]
    first, second = json.dumps(TRUTH), json.dumps(prediction)
    value = score(hierarchy(), [TRUTH], {"mine": [prediction]}, [d.name])["mine", d.name]
    return "\n".join(
        [
            "```python",
            ">>> from hierpair import Hierarchy, score",
            ">>> shop = Hierarchy.from_edges([",
            *(f"...     {line}" for line in lines),
            "... ])",
            f'>>> score(shop, [{first}], {{"mine": [{second}]}}, ["{d.name}"])["mine", "{d.name}"]',
            repr(value),
            "",
            "```",
        ]
    )


# ------------------------------------------------------------------------------ many answers


def values(name: str) -> list[float | None]:
    """Return the value of every answer, None where the measure is not defined."""
    found: list[float | None] = []
    for *_, truth, answer in ANSWERS:
        try:
            found.append(score(hierarchy(), [truth], {"s": [answer]}, [name])["s", name])
        except HierpairError:
            found.append(None)
    return found


def many_answers(d: Definition) -> list[str]:
    """Return the values of the same ten answers, and which of them get the same."""
    found = values(d.name)
    rows = [
        [
            words,
            listed(truth),
            "all ten" if len(answer) == len(hierarchy()) else listed(answer),
            "no value" if value is None else number(value),
        ]
        for (words, _, truth, answer), value in zip(ANSWERS, found, strict=True)
    ]
    intro = f"The same answers under every measure; here {d.direction} is better."
    parts = [intro, table(["answer", "truth", "prediction", d.name], rows)]
    said = [*better_than_right(d, found), *told_apart(found)]
    return [*parts, bullets(said)] if said else parts


def better_than_right(d: Definition, found: list[float | None]) -> list[str]:
    """Return a sentence on answers that are valued above the exact one."""
    right = found[0]
    sign = 1 if d.direction == "higher" else -1
    better = [
        words
        for (words, _, truth, _), value in zip(ANSWERS, found, strict=True)
        if None not in (value, right) and truth == TRUTH and sign * (value - right) > 1e-12
    ]
    if not better:
        return []
    return [f"Better than the exact answer: {'; '.join(better)}."]


def told_apart(found: list[float | None]) -> list[str]:
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
    """Return what its author says, and what follows from the traits that it lacks."""
    parts = [bullets([escaped(caution) for caution in d.cautions])] if d.cautions else []
    lacking = [
        f"Not *{trait}*. {words}" for trait, (_, words) in TRAITS.items() if trait not in d.traits
    ]
    return [*parts, *(["From the traits that it lacks:", bullets(lacking)] if lacking else [])]


def see_also(d: Definition) -> str:
    """Return where to read on."""
    family = ", ".join(
        f"[{other.name}]({other.name}.md)"
        for other in REGISTRY.values()
        if other.family == d.family and other is not d
    )
    rules = "- [Pairing rules](../pairing.md): the demands and prices it is made of\n"
    return (
        f"- The same family: {family or 'none'}\n"
        + (rules if d.rule is not None else "")
        + "- [All measures](../measures.md), [conventions](../conventions.md)\n"
        f"- On the command line: `hierpair measures {d.name}`, `hierpair score … -m {d.name}`"
    )


# ------------------------------------------------------------------------------ small things


def number(value: float, digits: int = 4) -> str:
    """Return a number with so many decimals at most."""
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


def listed(names: tuple[object, ...]) -> str:
    """Return names as a set."""
    return "{" + ", ".join(map(str, names)) + "}"


def bullets(sentences: list[str]) -> str:
    """Return a Markdown list."""
    return "\n".join(f"- {sentence}" for sentence in sentences)


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def escaped(text: str) -> str:
    """Return a text that Markdown shows letter by letter, in a table too."""
    return re.sub(r"([\\|*_<>\[\]`])", r"\\\1", text)


if __name__ == "__main__":
    write(Path(__file__).parent)
