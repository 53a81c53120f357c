"""Write the tables of docs/measures.md from the registry: ``python docs/write_measures.py``."""

from pathlib import Path

from markdown_parts import bullets, renewed, table

from hierpair.measures import FAMILIES, REGISTRY

PAGE = Path(__file__).with_name("measures.md")

QUESTIONS = (
    ("one number for label sets, comparable with most papers", ("hf",)),
    ("how far off the wrong labels are, each explained by a partner", ("gie", "mgia")),
    ("a distance that splits labels where the numbers differ", ("tree_wasserstein",)),
    ("classes that matter more: rare, informative, or by a file", ("simgic", "icm")),
    ("mistakes near the top are worse", ("depth_loss", "h_loss")),
    ("how much of an inner class was found, label by label", ("count_f",)),
    ("an answer may leave several classes open", ("answer",)),
    (
        "one class per level, by heads of their own",
        ("full_path_accuracy", "tree_inconsistency"),
    ),
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
        if of:
            parts += [f"**{title}**: {tells}.", bullets([f"`{d.name}`: {d.summary}" for d in of])]
    return renewed(PAGE, "\n\n".join(parts))


def members(*names: str) -> list[str]:
    """Return the measures of these names, or of families of these names."""
    return [d.name for name in names for d in REGISTRY.values() if name in (d.name, d.family)]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
