"""What tests of files and labels ask for: edges, the names of labels, the words of an error."""

import pytest

from hierpair import BadInput


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
