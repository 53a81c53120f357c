"""Write docs/measures.md from the registry: ``python docs/write_measures.py``."""

from pathlib import Path

from hierpair.measures import FAMILIES, REGISTRY

INTRO = """\
<!-- Written by python docs/write_measures.py; do not edit. -->

# Measures

The name of a measure is its complete specification: `hf(beta=2, average=micro)`. Options that are
not given have their defaults. Y is the true set of an instance and Ŷ the predicted set (in the
pair-based family also T and P, of sizes N and M); Y_aug and Ŷ_aug are these sets after
augmentation; d(ŷ, y) is the cost of a pair, by default the number of edges on the shortest path
through a common ancestor. The options are explained in [conventions](conventions.md) and
[pairing rules](pairing.md). `hierpair measures hf` tells formula, source, options and traits of a
measure, and where it misleads; in the documentation every measure has a page, with examples.

*Traits* are properties that the tests check with default options, in both directions (a trait that
is not listed fails in some case): *symmetric*, exchanging truth and prediction does not change the
value; *perfect*, a perfect prediction gets the best value; *bounded*, values lie in [0, 1];
*total*, the measure is defined for any label sets. Of a measure of scores: *perfect*, a score of 1
for the truth and what is above it, and 0 for all else, gets the best value; *total*, it is defined
for all scores.
"""


def page() -> str:
    """Return the whole page."""
    parts = [INTRO, "## Which measure?\n", questions(), "## All of them, by family"]
    for family, (title, tells) in FAMILIES.items():
        rows = [f"| `{d.name}` | {d.consumes} | {d.summary} |" for d in members_of(family)]
        if rows:
            header = ["| measure | of | what it is |", "| --- | --- | --- |"]
            parts.append("\n".join([f"\n**{title}**: {tells}.\n", *header, *rows]))
    return "\n".join([*parts, ""])


QUESTIONS = (
    ("one number for label sets, comparable with most papers", ("hf",)),
    ("how far off the wrong labels are, each explained by a partner", ("gie", "mgia")),
    ("a distance that splits labels where the numbers differ", ("tree_wasserstein",)),
    ("classes that matter more: rare, informative, or by a file", ("simgic", "icm")),
    ("mistakes near the top are worse", ("depth_loss", "h_loss")),
    ("one class per level, by heads of their own", ("full_path_accuracy", "tice", "wap")),
    ("labels whose ancestors may be lacking", ("constrained_f", "scaled_path_f")),
    ("how bad the mistakes of an image classifier are", ("mistake_severity",)),
    ("a ranking: the first k classes", ("ranking",)),
    ("scores, before a threshold is chosen", ("threshold",)),
    ("scores class by class, rare classes too", ("area",)),
    ("probabilities that somebody will rely on", ("calibration",)),
    ("true negatives count", ("hcm_mcc", "hcm_balanced_accuracy")),
)
"""What is asked, and measures or families that answer it."""


def questions() -> str:
    """Return a table of questions and measures; those that there are not are left out."""
    rows = [
        f"| {asked} | {', '.join(map(named, known))} |"
        for asked, names in QUESTIONS
        if (known := [n for n in names if n in REGISTRY or members_of(n)])
    ]
    return "\n".join(["| what is asked | measures |", "| --- | --- |", *rows, "", AFTERWARDS])


AFTERWARDS = """\
A measure of labels has a value for every instance, so it can be explained, compared and added up
from parts; a measure of scores judges what comes before labels are chosen. It can be compared and
added up, too, but for those of thresholds and areas and `ace`, which see all instances at once.
[Which measure?](which-measure.md) says what speaks for and against measures, with the smallest case
of each, and [is my measure sound?](howto/sound-measure.md) how to find out for one of your own.
[Coming from other tools](howto/modern-tools.md) says which option gives the number of another tool.
"""


def members_of(family: str) -> list:
    """Return the measures of a family."""
    return [d for d in REGISTRY.values() if d.family == family]


def named(name: str) -> str:
    """Return the name of a measure, or the names of a family's."""
    members = [name] if name in REGISTRY else [d.name for d in members_of(name)]
    return ", ".join(f"`{member}`" for member in members)


if __name__ == "__main__":
    Path(__file__).with_name("measures.md").write_text(page(), encoding="utf-8")
