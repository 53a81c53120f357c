"""One row per comparison: both sides give the same, then are timed in turn, and the ratio is held to its bound."""

import os
import platform
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

import numpy as np

from hierpair import __version__

TABLES = {}
"""Title of a table → the function that yields its rows from the options."""


@dataclass
class Row:
    """What is compared: two jobs, and how many times as long the first one may take.

    ``faster`` is a bound the other way round: so many times as fast the first one has to be.
    Without ``theirs`` seconds are shown alone, and ``within`` is a bound of seconds. ``same`` looks at
    both results; ``wall`` takes seconds on the wall in place of CPU seconds; jobs that measure
    themselves, in processes of their own, are ``told`` (they return seconds and a result).
    """

    name: str
    ours: Callable
    theirs: Callable | None = None
    within: float | None = None
    faster: float | None = None
    same: Callable = np.array_equal
    wall: bool = False
    told: bool = False
    note: str = ""


def table(title):
    """Register a function that yields the rows of a table."""

    def register(function):
        TABLES[title] = function
        return function

    return register


def seconds(job, row):
    """CPU seconds (user and system) of a job, and what it returns."""
    if row.told:
        return job()
    clock = time.perf_counter if row.wall else time.process_time
    start = clock()
    found = job()
    return clock() - start, found


def measured(row, runs):
    """The cells of a row: least seconds of both jobs in turn, the ratio, and whether the bound is kept."""
    jobs = [row.ours] if row.theirs is None else [row.ours, row.theirs]
    found = [seconds(job, row)[1] for job in jobs]  # what is made once is made now
    assert len(jobs) == 1 or row.same(*found), f"{row.name}: both sides differ"
    del found
    each = [[seconds(job, row)[0] for job in jobs] for _ in range(runs)]
    best = np.min(each, axis=0).tolist()
    value, ratio, kept, bound = best[0], "", True, ""
    if row.theirs is not None:
        value = best[0] / best[1]
        ratio = f"{value:.2f}" if row.faster is None and value > 0.1 else f"1/{1 / value:.1f}"
    if row.within is not None:
        kept, bound = value <= row.within, f"{row.within:g}" + " s" * (row.theirs is None)
    if row.faster is not None:
        kept, bound = 1 / value >= row.faster, f"1/{row.faster}"
    shown = [f"{x:.3g} s" for x in best] + [""] * (2 - len(best))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [row.name, *shown, ratio, bound + " ✗" * (not kept), row.note, f"{peak:,.0f} MB"]


def run(options):
    """Print all tables that are asked for."""
    print(f"hierpair {__version__}, {date.today():%d %B %Y}, Python {platform.python_version()}, "
          f"NumPy {np.__version__}, {os.cpu_count()} cores, {platform.machine()}; least of {options.runs} "
          f"runs in turn; share of the instances: {options.share:g}")  # fmt: skip
    for title, rows in TABLES.items():
        if options.words and not any(word in title for word in options.words):
            continue
        print(f"\n## {title}\n\n| what | hierpair | beside | ratio | bound | | peak |\n"
              "|---|---:|---:|---:|---:|---|---:|")  # fmt: skip
        try:
            for row in rows(options):
                print("| " + " | ".join(measured(row, options.runs)) + " |", flush=True)
        except (FileNotFoundError, ModuleNotFoundError) as error:
            print(f"\nNot measured: {error}")
