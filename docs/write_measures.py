"""Write docs/measures.md from the registry: ``python docs/write_measures.py``."""

from pathlib import Path

from hierpair.measures import REGISTRY

INTRO = """\
<!-- Written by python docs/write_measures.py; do not edit. -->

# Measures

The name of a measure is its complete specification: `hf(beta=2, average=micro)`. Options that are
not given have the defaults below. Y is the true set of an instance and Ŷ the predicted set (in the
pair-based family also T and P, of sizes N and M); Y_aug and Ŷ_aug are these sets after
augmentation; d(ŷ, y) is the cost of a pair, by default the number of edges on the shortest path
through a common ancestor. The options are explained in [conventions](conventions.md) and
[pairing rules](pairing.md).

*Traits* are properties that the tests check with default options, in both directions (a trait that
is not listed fails in some case): *symmetric*, exchanging truth and prediction does not change the
value; *perfect*, a perfect prediction gets the best value; *bounded*, values lie in [0, 1];
*total*, the measure is defined for any label sets.
"""
TITLES = {
    "set": "Set-based measures",
    "level": "Levels and paths",
    "pair": "Pair-based measures",
    "lca": "Lowest common ancestors",
    "confusion": "The hierarchical confusion matrix",
    "contribution": "Contributions by distance (Sun & Lim)",
    "depth": "Depth-dependent measures and H-loss",
}


def page() -> str:
    """Return the whole page."""
    parts = [INTRO]
    for family, title in TITLES.items():
        parts.append(f"## {title}\n")
        parts += [section(d) for d in REGISTRY.values() if d.family == family]
    return "\n".join(parts)


def section(d) -> str:
    """Return one measure's section."""
    options = ", ".join(f"`{k}={v!r}`" for k, v in d.options.items())
    return "\n".join(
        [
            f"### {d.name}\n",
            f"{d.summary}\n",
            f"- formula: {d.formula}",
            f"- {d.direction} is better; range {d.range}",
            f"- source: {d.source}",
            f"- options: {options}",
            f"- averages: {', '.join(d.averages)}",
            f"- traits: {', '.join(sorted(d.traits)) or 'none'}\n",
        ]
    )


if __name__ == "__main__":
    Path(__file__).with_name("measures.md").write_text(page(), encoding="utf-8")
