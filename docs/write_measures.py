"""Write docs/measures.md from the registry: ``python docs/write_measures.py``."""

from pathlib import Path

from hierpair.measures import REGISTRY

INTRO = """\
# Measures

Written from the registry by `python docs/write_measures.py`; do not edit by hand.

A measure's name is its complete specification: `hf(beta=2, average=micro)`. Options that are not
given have the defaults below. Y is the true set of an instance and Ŷ the predicted one (in the
pair-based family also T and P, of sizes N and M); Y_aug and Ŷ_aug are these sets after
augmentation; d(ŷ, y) is the cost of a pair, by default the edges on the shortest way through a
common ancestor. What the options mean is said in [conventions](conventions.md) and
[pairing rules](pairing.md).

*Traits* are laws that the tests check with default options, in both directions (a trait that is
not listed fails somewhere): *symmetric*, truth and prediction may change places; *perfect*, a
perfect prediction gets the best value; *bounded*, in [0, 1]; *total*, defined for any label sets.
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
