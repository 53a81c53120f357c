"""The library's messages name options as in Python; a command line shows them as they are typed."""

from __future__ import annotations

import re
from collections.abc import Collection

__all__ = ["as_typed"]

CALL = r"\w\((?:[^()]|\([^()]*\))*\)"
"""A measure, a cost or a function with its options: written like this everywhere."""

VALUE = r"(?:'[\w.-]+'|\d[\w.]*)"
OPTION = rf"\b(?P<name>[a-z]\w*)=(?P<values>{VALUE}(?: or {VALUE})*)"


def as_typed(message: str, flags: Collection[str]) -> str:
    """Return a message in which the options that a verb has are spelled as they are typed.

    >>> as_typed("to go on without it: unknown='drop' or 'root'", ["--unknown"])
    'to go on without it: --unknown drop or root'
    >>> as_typed("hf(root='include') has no value", ["--root"])
    "hf(root='include') has no value"
    """

    def typed(found: re.Match[str]) -> str:
        flag = f"--{(found['name'] or '').replace('_', '-')}"
        if flag not in flags:
            return found[0]
        return f"{flag} {found['values'].replace(chr(39), '')}"

    return re.sub(f"{CALL}|{OPTION}", typed, message)
