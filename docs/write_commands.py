"""Write the reference of the command line from the options of its verbs: one section per verb."""

from pathlib import Path

from markdown_parts import escaped, table

from hierpair.cli.main import VERBS

FOLDER = "cli"
INTRO = """\
# Command line

This page has the same texts as `hierpair VERB --help-all`; `--help` is shorter. What stands after
*with* or *without* says with which other options one goes. Results go to standard output, messages
to standard error. Exit codes: 0 success, 1 a check found a problem, 2 wrong usage or bad input, 3
an internal error in hierpair, 130 interrupted. [Formats](../formats.md) describes the files that
are read, [results](../results.md) those that are written, [conventions](../conventions.md) the
conventions of measures (`--set`).
"""


def write(docs: Path) -> None:
    """Write the page."""
    folder = docs / FOLDER
    folder.mkdir(exist_ok=True)
    (folder / "index.md").write_text(page(), encoding="utf-8")


def page() -> str:
    """Return the whole page."""
    rows = [[f"[`{verb.name}`](#hierpair-{verb.name})", verb.help] for verb in VERBS.values()]
    return "\n\n".join([INTRO.rstrip(), table(["verb", "purpose"], rows), *map(section, VERBS), ""])


def section(name: str) -> str:
    """Return the section of one verb: what it does, an example, its arguments, which unfold."""
    verb = VERBS[name]
    parts = [f"## hierpair {name}", escaped(verb.description), f"```bash\n{verb.example}\n```"]
    parts.append("<details><summary>Arguments</summary>")
    for group in verb.groups:
        parts += [f"**{escaped(group.heading)}**"] if group.title else []
        rows = [[", ".join(f"`{part}`" for part in entry.shown.split(", ")), escaped(entry.told)]
                for entry in group.entries]  # fmt: skip
        parts.append(table(["argument", "meaning"], rows))
    parts.append("</details>")
    return "\n\n".join(parts)
