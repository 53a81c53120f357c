"""What people call a measure at the head of a table: hF, GIE, LCA F (micro)."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["heading", "is_share"]

WORDS = {
    "acc": "accuracy",
    "con": "Contribution",
    "euclidean": "Euclidean",
    "f": "F",
    "hamming": "Hamming",
    "hf": "hF",
    "hp": "hP",
    "hr": "hR",
    "jaccard": "Jaccard",
    "fnerror": "fnerror",
} | {
    word: word.upper()
    for word in [
        "fn",
        "fnr",
        "fp",
        "fpr",
        "gie",
        "hcm",
        "lca",
        "mcc",
        "mgia",
        "ppv",
        "sdl",
        "tn",
        "tnr",
        "tp",
        "tpr",
    ]
}
"""Words of names that are written otherwise than in small letters,"""

PHRASES = {"h_loss": "H-loss", "tree_induced_error": "Tree-induced error"}
"""and names that are not their words in a row."""


def heading(name: str, label: str, options: Sequence[str]) -> str:
    """Return a heading with the options that differ from the defaults.

    Parameters
    ----------
    name, label
        The measure's name, and its label if one was declared.
    options
        Options that are not the defaults, as their records write them.

    Examples
    --------
    >>> heading("hf", "", ["micro", "β = 2"])
    'hF (micro, β = 2)'
    >>> heading("tree_induced_error", "", []), heading("my_own_f", "", [])
    ('Tree-induced error', 'My own F')
    """
    shown = label or PHRASES.get(name) or _in_words(name)
    return f"{shown} ({', '.join(options)})" if options else shown


def _in_words(name: str) -> str:
    words = [WORDS.get(word, word) for word in name.split("_") if word]
    if words and words[0] not in WORDS.values():
        words[0] = words[0][0].upper() + words[0][1:]
    return " ".join(words)


def is_share(range_text: str) -> bool:
    """Whether values in this range are shares of 1, which can be written in per cent.

    >>> is_share("[0, 1]"), is_share("[-1, 1]"), is_share("[0, 2]"), is_share("[0, ∞)")
    (True, True, False, False)
    """
    return re.fullmatch(r"\[(0|[-−]1), 1\]", range_text) is not None
