"""Names as text, refused where a form would read them back differently."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from hierpair.errors import BadInput, first_repeated
from hierpair.hierarchy import Hierarchy

__all__ = ["checked", "plain_names"]

SAID = {
    "\0": "a NUL", "\t": "a tab", "\n": "a line end", "\r": "a line end", " ": "a blank",
    ",": "a comma",
    "\ufeff": "a byte order mark",
}  # fmt: skip


def plain_names(hierarchy: Hierarchy, forbidden: str) -> list[str]:
    """Return the class names as text, none of which may hold these characters."""
    return checked(hierarchy.names, forbidden, "class")


def checked(names: Sequence[Hashable], forbidden: str, what: str) -> list[str]:
    """Return names as text; each must be unique, not blank, and without these characters."""
    texts = [str(name) for name in names]
    if len(set(texts)) < len(set(names)):
        twice = first_repeated(dict(zip(names, texts, strict=True)).values())
        raise BadInput(f"two different names are written {twice!r}")
    for text in texts:
        odd = next((c for c in f"\0\ufeff{forbidden}" if c in text), None)
        if odd is None and " " in forbidden:  # where blanks separate, all kinds of blanks do
            odd = next((c for c in text if c.isspace()), None)
        if odd is not None:
            raise BadInput(
                f"{what} {text!r} holds {SAID.get(odd, repr(odd))}, which this form cannot hold"
            )
        if not text or text != text.strip():
            raise BadInput(f"{what} {text!r} starts or ends with a blank, which would be lost")
    return texts
