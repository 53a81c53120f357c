"""Write the reference of the command line from its parser: one section per verb."""

import argparse
from pathlib import Path

FOLDER = "cli"
INTRO = """\
# Command line

This page has the same texts as `hierpair --help` and `hierpair VERB --help`. Results go to standard
output, messages to standard error. Exit codes: 0 success, 1 a check found a problem, 2 wrong usage
or bad input, 3 an internal error in hierpair, 130 interrupted. [Formats](../formats.md) describes
the files that are read, [results](../results.md) those that are written,
[conventions](../conventions.md) the options of measures.
"""


def write(docs: Path) -> None:
    """Write the page."""
    folder = docs / FOLDER
    folder.mkdir(exist_ok=True)
    (folder / "index.md").write_text(page(), encoding="utf-8")


def page() -> str:
    """Return the whole page."""
    parser = the_parser()
    chosen = verbs(parser)
    helps = {c.dest: c.help for a in subparsers(parser) for c in a._choices_actions}
    rows = [f"| [`{name}`](#hierpair-{name}) | {escaped(helps.get(name))} |" for name in chosen]
    parts = [
        INTRO,
        "| verb | purpose |\n|---|---|\n" + "\n".join(rows) + "\n",
        *(section(name, verb) for name, verb in chosen.items()),
    ]
    return "\n".join(parts)


def the_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    from hierpair.cli.main import build_parser

    return build_parser()


def subparsers(parser: argparse.ArgumentParser) -> list[argparse._SubParsersAction]:
    """Return the actions that hold verbs."""
    return [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]


def verbs(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parser of every verb by its name."""
    return {name: verb for action in subparsers(parser) for name, verb in action.choices.items()}


def section(name: str, verb: argparse.ArgumentParser) -> str:
    """Return the section of one verb: what it does, its usage, its arguments by group."""
    formatter = argparse.HelpFormatter(verb.prog, width=78)
    formatter.add_usage(verb.usage, verb._actions, verb._mutually_exclusive_groups, prefix="")
    parts = [
        f"## hierpair {name}\n",
        f"{escaped(verb.description)}\n" if verb.description else "",
        f"```text\n{formatter.format_help().strip()}\n```\n",
    ]
    for group in verb._action_groups:
        shown = [a for a in group._group_actions if a.help != argparse.SUPPRESS]
        if shown:
            about = f"**{escaped((group.title or '').capitalize())}**"
            if group.description:
                about += f": {escaped(group.description)}"
            rows = [f"| {called(a)} | {meaning(a)} |" for a in shown]
            parts.append(f"{about}\n\n| argument | meaning |\n|---|---|\n" + "\n".join(rows) + "\n")
    return "\n".join(part for part in parts if part)


def called(action: argparse.Action) -> str:
    """Return how an argument is written."""
    value = action.metavar or ("" if action.nargs == 0 else action.dest.upper())
    if action.choices and not action.metavar:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    if not action.option_strings:
        return f"`{value}`"
    return ", ".join(
        "`" + f"{option} {value if action.nargs != 0 else ''}".strip() + "`"
        for option in action.option_strings
    )


def meaning(action: argparse.Action) -> str:
    """Return the meaning of an argument, with its default where that is worth knowing."""
    text = escaped((action.help or "") % vars(action))
    worth = action.default not in (None, [], False, argparse.SUPPRESS)
    return f"{text} (default: `{action.default}`)" if worth and "default" not in text else text


def escaped(text: str | None) -> str:
    """Return a text as Markdown that shows it letter by letter."""
    plain = " ".join((text or "").split())
    for sign in "\\|<>*[]_`":
        plain = plain.replace(sign, f"\\{sign}")
    return plain


if __name__ == "__main__":
    write(Path(__file__).parent)
