"""Write the reference of the command line from the options of its verbs: one section per verb."""

from pathlib import Path

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
    rows = [f"| [`{verb.name}`](#hierpair-{verb.name}) | {verb.help} |" for verb in VERBS.values()]
    table = "| verb | purpose |\n|---|---|\n" + "\n".join(rows) + "\n"
    return "\n".join([INTRO, table, *map(section, VERBS)])


def section(name: str) -> str:
    """Return the section of one verb: what it does, an example, its arguments by group."""
    verb = VERBS[name]
    parts = [f"## hierpair {name}\n", f"{escaped(verb.description)}\n",
             f"```bash\n{verb.example}\n```\n"]  # fmt: skip
    for group in verb.groups:
        rows = [f"| {', '.join(f'`{part}`' for part in entry.shown.split(', '))} | "
                f"{escaped(entry.told)} |" for entry in group.entries]  # fmt: skip
        title = f"**{escaped(group.heading)}**\n\n" if group.title else ""
        about = f"{escaped(group.about)}\n\n" if group.about else ""
        parts.append(f"{title}{about}| argument | meaning |\n|---|---|\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def escaped(text: str | None) -> str:
    """Return a text as Markdown that shows it letter by letter."""
    plain = " ".join((text or "").split())
    for sign in "\\|<>*[]_`":
        plain = plain.replace(sign, f"\\{sign}")
    return plain


if __name__ == "__main__":
    write(Path(__file__).parent)
