"""Measure scoring in two processes against one: python -m tests.benchmarks.processes [tree|dag19] [all].

Seconds on the wall, on two cores with nothing else to do, one process and two in turn. What the machine can give is
measured in the same run: two processes that share nothing but its caches and memory each do the whole job, and both
together are so many times as fast as one alone.
"""

import argparse
import multiprocessing
import os
import time

from hierpair import score

from .workloads import DBPEDIA, generated_hierarchy, generated_labels

CHEAPEST = ["hp", "hr", "hf", "symmetric_difference", "f", "gie", "mgia"]
MORE = ["lca_f", "level_accuracy"]
BOUND = 1.7
"""How many times as fast as one process two have to be."""


def wall(job):
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def apart(job, n):
    """Do a job in so many processes that know nothing of one another, all at once."""
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=job) for _ in range(n)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0


def main(runs=5):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", nargs="?", choices=["tree", "dag19"], default="tree")
    parser.add_argument("which", nargs="?", choices=["cheapest", "all"], default="cheapest")
    options = parser.parse_args()
    names = CHEAPEST + MORE * (options.which == "all")
    hierarchy = generated_hierarchy(options.kind, DBPEDIA["classes"], DBPEDIA["depth"])
    truth, predicted = generated_labels(hierarchy, DBPEDIA["instances"], 3.3, 3.0)

    def scored(n_jobs=1):
        hierarchy.cache.clear()
        return score(hierarchy, truth, predicted, names, n_jobs=n_jobs)

    assert scored(2).values.tolist() == scored().values.tolist()
    jobs = {
        "one process": scored,
        "two processes": lambda: scored(2),
        "one apart": lambda: apart(scored, 1),
        "two apart": lambda: apart(scored, 2),
    }
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(runs):
        for name, job in jobs.items():
            best[name] = min(best[name], wall(job))
    for name, seconds in best.items():
        print(f"{name:14} {seconds:6.2f} s")
    ratio = best["one process"] / best["two processes"]
    print(f"{os.cpu_count()} cores: {ratio:.2f} times as fast, bound {BOUND}: "
          f"{'kept' if ratio >= BOUND else 'MISSED'}; the machine gives "
          f"{2 * best['one apart'] / best['two apart']:.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
