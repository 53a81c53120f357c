"""The worked example of a measure: picture, evidence, value, and the code that gives it."""

import json
import math
import re
from pathlib import Path

from markdown_parts import escaped, listed, number, table

from hierpair import Hierarchy, Infeasible, LabelSets, explain, score
from hierpair.explanation import (
    Explanation,
    FieldEvidence,
    FlowEvidence,
)
from hierpair.measures import Batch, Definition
from hierpair.plots import plot_neighbourhood, plot_pairing, save_picture
from hierpair.tables import Block

EDGES = (
    ("shop", "food"), ("food", "cheese"), ("cheese", "brie"), ("cheese", "gouda"),
    ("food", "bread"), ("bread", "rye"), ("shop", "tools"), ("tools", "saw"), ("tools", "drill"),
)  # fmt: skip
TRUTH = ("brie", "saw")
PREDICTIONS = (("gouda", "rye", "saw"), ("gouda", "drill"))
PATH_TRUTH = ("food", "cheese", "brie")
PATH_PREDICTIONS = (("food", "bread", "brie"),)
"""The worked example takes the first prediction for which the measure is defined; measures of
paths take labels with all that is above them."""


def hierarchy() -> Hierarchy:
    """Return the hierarchy of the examples."""
    return Hierarchy.from_edges(EDGES)


def cases(d: Definition) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the truth and the predictions of a measure's examples."""
    return (PATH_TRUTH, PATH_PREDICTIONS) if d.family == "path" else (TRUTH, PREDICTIONS)


def example(d: Definition) -> tuple[tuple[str, ...], Explanation]:
    """Return the prediction of the worked example of a measure, and its explanation."""
    truth, predictions = cases(d)
    for prediction in predictions:
        try:
            why = explain(hierarchy(), [truth], [prediction], d.name)[0]
        except Infeasible:
            continue
        if not why.no_pairing:
            return prediction, why
    raise AssertionError(f"no worked example fits {d.name}; add a prediction")


def worked_example(d: Definition, folder: Path) -> list[str]:
    """Return picture, evidence, value, and the code that gives it."""
    prediction, why = example(d)
    truth, predictions = cases(d)
    parts = [f"Truth {listed(truth)}, prediction {listed(prediction)}."]
    if prediction != predictions[0]:
        parts[0] += (
            f" (The prediction {listed(predictions[0])} of the other pages has no value under "
            "this measure: the numbers of labels differ.)"
        )
    parts += drawn(why, folder)
    if isinstance(why.evidence, FlowEvidence):
        parts += (moves if why.evidence.whole else pairing)(why.evidence)
    elif isinstance(why.evidence, FieldEvidence):
        parts += fields(why.evidence)
    parts += [f"**{escaped(d.name)} = {inserted(d, why)}**", code(d, prediction)]
    return parts


def drawn(why: Explanation, folder: Path) -> list[str]:
    """Draw the hierarchy and the pairing, if there is one; return the Markdown that shows them."""
    name = why.measure.definition.name
    true, predicted = listed(why.y_true), listed(why.y_pred)
    save_picture(plot_neighbourhood(why.neighbourhood), folder / f"{name}.svg")
    parts = [f"![The classes around true {true} and predicted {predicted}]({name}.svg)"]
    if isinstance(why.evidence, FlowEvidence):
        save_picture(plot_pairing(why.evidence), folder / f"{name}-network.svg")
        parts.append(
            f"![The pairing of predicted {predicted} with true {true}]({name}-network.svg)"
        )
    return parts


def pairing(e: FlowEvidence) -> list[str]:
    """Return the cost of every pair, which were chosen, and what the cost is made of."""
    cost = {p.of: cell(p.cost, p.units) for p in e.pairs}
    header = ["predicted", *(f"true: {row.name}" for row in e.true), "no partner"]
    rows = [
        [
            str(row.name),
            *(cost[row.of + other.of] for other in e.true),
            cell(row.cost, row.missing),
        ]
        for row in e.predicted
    ]
    rows.append(["no partner", *(cell(row.cost, row.missing) for row in e.true), ""])
    about = "The cost of every pair and of every unmatched label"
    if all(math.isinf(row.cost) for row in e.counted):  # nobody may stay alone
        header.pop()
        rows = [row[:-1] for row in rows[:-1]]
        about = "The cost of every pair"
    proof = (
        f"{about}; the chosen ones are bold. The pairing costs {number(e.cost)}, and none costs "
        f"less: the dual prices of the flow prove a lower bound of {number(e.bound)}."
    )
    return [table(header, rows), proof]


def cell(cost: float, paid: int) -> str:
    """Return a cost, bold if it is paid; a dash where nothing may be paid."""
    if math.isinf(cost):
        return "–"
    return f"**{number(cost)}**" if paid else number(cost)


def fields(e: FieldEvidence) -> list[str]:
    """Return the tables of the fields, and what has to be known of them."""
    found = []
    for part in e.parts(4):
        if isinstance(part, Block):
            found += [table(part.header, part.rows), *map(escaped, part.foot)]
        else:
            found.append(part.split("\n")[0])
    return found


def moves(e: FlowEvidence) -> list[str]:
    """Return what is moved at what cost, and what proves that nothing is cheaper."""
    rows = [[*map(str, m.of), e.mass_text(m.units), number(m.cost)] for m in e.pairs if m.units]
    proof = (
        f"All that is moved costs {number(e.cost)}, and nothing costs less: the prices of the flow "
        f"prove a lower bound of {number(e.bound)}."
    )
    return [table(["from predicted", "to true", "mass", "cost of 1"], rows), proof]


def inserted(d: Definition, why: Explanation) -> str:
    """Return the formula with its numbers where they can be put in, and the value."""
    value = number(why.value)
    e = why.evidence
    if isinstance(e, FlowEvidence) and not e.whole and e.cost == why.value:
        paid = [p.cost for p in e.pairs if p.units]
        paid += [row.cost for row in e.counted for _ in range(row.missing)]
        return f"{' + '.join(map(number, paid)) or '0'} = {value}"
    formula = d.formula.removesuffix(" over the minimal LCA graphs")
    text = re.sub(r"([)²|]) (?=\|)", r"\1 · ", formula)
    for words, known in sorted(sizes(d, why).items(), key=lambda item: -len(item[0])):
        text = text.replace(words, number(known))
    return value if re.search(r"[A-Za-zŶΔβ]", text) else f"{text} = {value}"


def sizes(d: Definition, why: Explanation) -> dict[str, float]:
    """Return what the words of formulas stand for in the example."""
    sides = (LabelSets.from_labels([x], hierarchy()) for x in (why.y_true, why.y_pred))
    columns = Batch(hierarchy(), *sides).columns(why.measure.recipe)
    sums = {name: float(column[0]) for name, column in columns.items()}
    known = {
        "β²": float(why.measure.options.get("beta", 1)) ** 2,
        "Dmax": float(why.measure.options.get("default") or 0),
    }
    if "n_classes" in sums:
        known["number of classes"] = sums["n_classes"]
    if "cost" in sums:
        known["fnerror"] = sums["cost"]
    if not {"n_true", "n_pred", "n_both"} <= set(sums):
        return known
    true, predicted, both = (sums[name] for name in ("n_true", "n_pred", "n_both"))
    aug = "_aug" if "_aug" in d.formula else ""
    return known | {
        f"|Ŷ{aug} ∩ Y{aug}|": both,
        f"|Ŷ{aug} Δ Y{aug}|": true + predicted - 2 * both,
        f"|Ŷ{aug}|": predicted,
        f"|Y{aug}|": true,
        "|V_pred ∩ V_true|": both,
        "|V_pred|": predicted,
        "|V_true|": true,
        "|P ∪ T|": true + predicted - both,
    }


def code(d: Definition, prediction: tuple[str, ...]) -> str:
    """Return lines that compute the value again; a test runs them."""
    edges = [f'("{a}", "{b}"),' for a, b in EDGES]
    lines = [" ".join(edges[i : i + 3]) for i in range(0, len(edges), 3)]
    truth, _ = cases(d)
    first, second = json.dumps(truth), json.dumps(prediction)
    value = score(hierarchy(), [truth], {"mine": [prediction]}, [d.name])["mine", d.name]
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
