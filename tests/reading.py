"""What tests of files and labels share: files, edges, the names of labels, the words of an error."""

import math
import re

import pytest

from hierpair import BadInput


def put(path, content):
    """Write a text, or bytes, into a file."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def edges_of(hierarchy):
    """The edges, as texts in order."""
    return sorted((str(p), str(c)) for p, c in hierarchy.to_networkx().edges)


def names_in(sets, hierarchy):
    """The names of the labels of every instance."""
    return [sets.names_of(i, hierarchy) for i in range(len(sets))]


def error_of(read, *given, **how):
    """What is said where something is refused."""
    with pytest.raises(BadInput) as caught:
        read(*given, **how)
    return str(caught.value)


def refuses(said, read, *given, **how):
    """Whether something is refused in these words, a regular expression."""
    with pytest.raises(BadInput, match=said):
        read(*given, **how)


def ends(text):
    """The ends of a range; what is no number, such as the height of the hierarchy, is no end.

    Of several ranges the first is that of the usual options.
    """
    words = text.partition(";")[0].replace("−", "-").replace("∞", "inf")[1:-1].split(", ")
    both = zip(words, (-math.inf, math.inf), strict=True)
    return [float(x) if re.fullmatch(r"-?(inf|[\d.]+)", x) else end for x, end in both]
