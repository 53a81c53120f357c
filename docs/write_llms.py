"""Write llms.txt: a list of all pages for readers of plain text, made from the pages themselves."""

import posixpath
import re
from pathlib import Path

from hierpair.measures import REGISTRY

__all__ = ["URL", "page", "tree"]

URL = "https://hierpair.readthedocs.io/en/latest/"
SECTIONS = {"": "Pages", "howto": "How-to guides"}
"""Headings by folder."""
WRITTEN = {"cli/index": "The command line, verb by verb", "api/index": "The Python names"}
"""Pages that only a build writes."""


def tree(docs: Path, name: str = "index") -> list[str]:
    """Return the names of a page and of all below it, in the order of the tables of contents."""
    names, path = [name], docs / f"{name}.md"
    if name in WRITTEN:
        return names
    for block in re.findall(r"^```\{toctree\}\n(.*?)^```", path.read_text("utf-8"), re.S | re.M):
        for line in block.splitlines():
            if line.strip() and not line.startswith(":"):
                names += tree(docs, beside(name, line.strip()))
    return list(dict.fromkeys(names))


def beside(name: str, target: str) -> str:
    """Return the name of a page that another one names by its relative path."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), target)).removesuffix(".md")


def plain(text: str) -> str:
    """Return text on one line, without links and escapes."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(text.split()))
    return re.sub(r"\\(.)", r"\1", text)


def title(text: str) -> str:
    """Return the heading of a page."""
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return plain(found.group(1)) if found else ""


def described(docs: Path, name: str) -> dict[str, str]:
    """Return what the lists of a page (``- [Title](page.md): words``) say about other pages."""
    text = (docs / f"{name}.md").read_text("utf-8")
    entries = re.findall(r"^- \[[^\]]*\]\(([^)#]*\.md)\)[.:] (.*(?:\n  .*)*)", text, re.MULTILINE)
    return {beside(name, target): plain(words).rstrip(".") for target, words in entries}


def page(docs: Path) -> str:
    """Return the text: the start page's summary, then a link per page, by section."""
    names = tree(docs)
    about: dict[str, str] = {}
    for name in (n for n in names if n not in WRITTEN):
        about = described(docs, name) | about  # the page that is higher up knows best
    sections: dict[str, list[str]] = {}
    for name in names[1:]:
        heading = WRITTEN.get(name) or title((docs / f"{name}.md").read_text("utf-8"))
        words = f": {about[name]}" if name in about else ""
        section = SECTIONS.get(name.partition("/")[0] if "/" in name else "", "Reference")
        sections.setdefault(section, []).append(f"- [{heading}]({URL}{name}.html){words}")
    sections["Measures"] = [
        f"- [{d.name}]({URL}measures/{d.name}.html): {d.summary}" for d in REGISTRY.values()
    ]
    start = (docs / "index.md").read_text("utf-8")
    parts = [f"# {title(start)}\n\n> {plain(start.split(chr(10) * 2)[1])}\n"]
    parts += [f"## {heading}\n\n" + "\n".join(links) + "\n" for heading, links in sections.items()]
    return "\n".join(parts)
