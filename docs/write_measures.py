"""Write the tables of docs/measures.md from the registry: ``python docs/write_measures.py``."""

from pathlib import Path

from markdown_parts import renewed, table

from hierpair.measures import FAMILIES, REGISTRY

PAGE = Path(__file__).with_name("measures.md")

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


def page() -> str:
    """Return the whole page; questions that no measure answers are left out."""
    asked = [[question, ", ".join(f"`{name}`" for name in members(*names))]
             for question, names in QUESTIONS if members(*names)]  # fmt: skip
    parts = [table(["what is asked", "measures"], asked), "## All of them, by family"]
    for family, (title, tells) in FAMILIES.items():
        of = [REGISTRY[name] for name in members(family)]
        rows = [[f"`{d.name}`", d.consumes, d.summary] for d in of]
        if rows:
            parts += [f"**{title}**: {tells}.", table(["measure", "of", "what it is"], rows)]
    return renewed(PAGE, "\n\n".join(parts))


<<<<<<< HEAD
def members(*names: str) -> list[str]:
    """Return the measures of these names, or of families of these names."""
    return [d.name for name in names for d in REGISTRY.values() if name in (d.name, d.family)]
=======
AFTERWARDS = """\
A measure of labels has a value for every instance, so it can be explained, compared and added up
from parts; a measure of scores judges what comes before labels are chosen. It can be compared and
added up, too, but for those of thresholds and areas and `ace`, which see all instances at once. [Which measure?](which-measure.md) says what speaks for and against measures, with the
smallest case of each, and [is my measure sound?](howto/sound-measure.md) how to find out for one of
your own. [Coming from other tools](howto/modern-tools.md) says which option gives the number of
another tool.
"""


def members_of(family: str) -> list:
    """Return the measures of a family."""
    return [d for d in REGISTRY.values() if d.family == family]


def named(name: str) -> str:
    """Return the name of a measure, or the names of a family's."""
    members = [name] if name in REGISTRY else [d.name for d in members_of(name)]
    return ", ".join(f"`{member}`" for member in members)
>>>>>>> prob


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
