"""What people call a measure at the head of a table: hF, GIE, LCA F (micro)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["heading", "is_share"]

WORDS = {
    "acc": "accuracy", "con": "Contribution", "euclidean": "Euclidean", "f": "F", "fn": "FN",
    "fnerror": "fnerror", "fnr": "FNR", "fp": "FP", "fpr": "FPR", "gie": "GIE", "hamming":
    "Hamming", "hcm": "HCM", "hf": "hF", "hp": "hP", "hr": "hR", "jaccard": "Jaccard", "lca": "LCA",
    "mcc": "MCC", "mgia": "MGIA", "ppv": "PPV", "sdl": "SDL", "tn": "TN", "tnr": "TNR", "tp": "TP",
    "tpr": "TPR",
}  # fmt: skip
"""Words of names that are written otherwise than in small letters,"""

PHRASES = {"h_loss": "H-loss", "tree_induced_error": "Tree-induced error"}
"""and names that are not their words in a row."""

OPTIONS: dict[str, Callable[[str], str]] = {
    "average": str,
    "beta": "β = {}".format,
    "default": "Dmax = {}".format,
    "extension": str,
    "pairing": str,
    "cost": str,
    "root": lambda value: {"include": "with root", "exclude": "without root"}.get(
        value, f"without {value}"
    ),
    "theta": "θ = {}".format,
    "zero_division": "0/0 = {}".format,
}
"""How an option that is not the default is written; any other one as ``name = value``."""


def heading(name: str, label: str, options: Mapping[str, Any], texts: Mapping[str, str]) -> str:
    """Return a heading with the options that differ from the defaults.

    Parameters
    ----------
    name, label
        The measure's name, and its label if one was declared.
    options
        Options that are not the defaults.
    texts
        Their values as text.

    Examples
    --------
    >>> heading("hf", "", {"average": "micro", "beta": 2}, {"average": "micro", "beta": "2"})
    'hF (micro, β = 2)'
    >>> heading("tree_induced_error", "", {}, {}), heading("my_own_f", "", {}, {})
    ('Tree-induced error', 'My own F')
    """
    shown = label or PHRASES.get(name) or _in_words(name)
    said = []
    for option in options:
        as_text = OPTIONS.get(option, f"{option.replace('_', ' ')} = {{}}".format)
        said.append(as_text(texts[option]))
    return f"{shown} ({', '.join(said)})" if said else shown


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
