"""How many random cases a test draws: a share in the quick run, all where exhaustive ones are asked for."""

SHARE, LEAST = 16, 15

exhaustive = False
"""Set by conftest.py before tests are imported."""


def cases(n):
    """Return how many of n random cases are drawn."""
    return n if exhaustive else min(n, max(LEAST, n // SHARE))
