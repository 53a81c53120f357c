"""How many random cases a test draws: a share in the quick run, all where exhaustive ones are asked for.

CI, which leaves out what is marked ``release``, draws a share between the two.
"""

SHARES, LEAST = {"quick": 16, "ci": 4, "all": 1}, 6

exhaustive = False
"""Whether every case is tried; set by conftest.py before tests are imported."""

share = SHARES["quick"]


def ask_for(words):
    """Take over what the words of ``pytest -m`` ask for."""
    global exhaustive, share  # noqa: PLW0603
    asked = "exhaustive" in words and "not exhaustive" not in words
    ci = asked and "not release" in words
    exhaustive = asked and not ci
    share = SHARES["ci" if ci else "all" if asked else "quick"]
    return asked


def cases(n):
    """Return how many of n random cases are drawn."""
    return min(n, max(LEAST, n // share))
