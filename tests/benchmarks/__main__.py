"""Measure all that docs/performance.md shows, in one run, as tables in Markdown.

    OPENBLAS_NUM_THREADS=1 python -m tests.benchmarks [WORD…] [--share S] [--runs N] [--hemkit BINARY]

A word chooses the tables whose title holds it; --share 0.01 takes a hundredth of all instances, to try
it out. Needs the extras ``bench`` and ``test``; HEMKit (Kosmopoulos et al. 2014), compiled with -O2, is
no part of this project. What needs data that is not there is left out, and said.
"""

import argparse

from . import bounds, peers
from .harness import TABLES, run


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*")
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--hemkit")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    assert {table.__module__ for table in TABLES.values()} == {bounds.__name__, peers.__name__}
    if options.list:
        print(*TABLES, sep="\n")
        return
    run(options)


if __name__ == "__main__":
    main()
