"""How many random cases a test draws: a share in the quick run, all where exhaustive ones are asked for.

CI, which leaves out what is marked ``release``, draws a share between the two.
"""

QUICK, CI, ALL = 16, 4, 1
share, exhaustive = QUICK, False
"""Set by conftest.py before tests are imported; ``exhaustive``: whether every case is tried."""


def ask_for(words):
    """Take over what the words of ``pytest -m`` ask for."""
    global exhaustive, share  # noqa: PLW0603
    asked = "exhaustive" in words and "not exhaustive" not in words
    exhaustive = asked and "not release" not in words
    share = ALL if exhaustive else CI if asked else QUICK
    return asked


def cases(n):
    """Return how many of n random cases are drawn."""
    return min(n, max(6, n // share))
