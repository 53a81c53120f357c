"""Put small faults into the code, one at a time, and say which ones no test notices.

    python tests/mutation/run.py --count 60 --seed 1 --out mutants.json

Which tests run which function is measured first, once per test file, and kept in ``--reached``. Then
the tests that run the function of a fault are run, the quickest first, until one fails, in a fork of
this process in which the function has the fault; where none fails, once more in a fork that imports
the module with it. No file is changed; what tests start as another program runs without the fault.
What has been tried stands in ``--out`` and is not tried again. Exit code 1: there are survivors that
nobody has judged.
"""

import argparse
import importlib
import json
import sys
import time
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP))

from tests.mutation.faults import choose, room  # noqa: E402
from tests.mutation.forks import LINE, Collected, Reached, in_fork, run_tests  # noqa: E402

JUDGED = Path(__file__).with_name("equivalent.toml")
START = 60.0
"""Seconds that pytest may take to begin."""

LIBRARIES = "numpy scipy.optimize scipy.sparse.csgraph scipy.stats pandas pyarrow sklearn.metrics matplotlib.pyplot"
LIBRARIES += " ortools.graph.python.min_cost_flow ortools.sat.python.cp_model hypothesis pytest"
"""What is imported once, before the forks, rather than in each."""


def picked(tests, budget, most):
    """Return tests within a budget of seconds: the quickest of each file first, in turns."""
    by_file, chosen = {}, []
    for seconds, test in tests:
        by_file.setdefault(test.partition("::")[0], []).append((seconds, test))
    while by_file and len(chosen) < most:
        for file, waiting in list(by_file.items()):
            seconds, test = waiting.pop(0)
            if seconds <= budget:
                budget -= seconds
                chosen.append(test)
            if not waiting or seconds > budget:
                del by_file[file]
    return chosen[:most]


def try_one(fault, tests, collected, timeout):
    """Run tests with a fault until one fails: with the functions changed, and if none does, imported anew.

    Where a fault changes the cases, so that pytest does not find the named ones, it runs their files.
    """
    started = time.monotonic()
    found = collected.killer(fault, tests, timeout)
    if found and not found["failed"]:
        files = sorted({test.partition("::")[0] for test in tests})
        found = in_fork(run_tests, collected.top, [tests, files], fault, timeout=timeout)
    outcome = "timeout" if found is None else "killed" if found["failed"] else "survived"
    by = found["failed"] if found else ""
    return {"outcome": outcome, "by": by, "seconds": round(time.monotonic() - started, 1)}


class Campaign:
    """Faults, what became of them, and the file that remembers it."""

    def __init__(self, options):
        self.options = options
        self.reached = Reached(TOP, options.reached, options.jobs)
        self.judged = tomllib.loads(JUDGED.read_text("utf-8"))
        self.results = json.loads(options.out.read_text("utf-8")) if options.out.exists() else {}

    def run(self, faults, collected):
        """Try every fault that has not been tried, as many at the same time as there are jobs."""
        self.collected = collected
        waiting = [f for f in faults if f.name not in self.results or self.options.again]
        with ThreadPoolExecutor(self.options.jobs) as pool:
            for fault, result in zip(waiting, pool.map(self._one, waiting), strict=True):
                entry = {"room": room(fault.path), "kind": fault.kind, "line": fault.line}
                self.results[fault.name] = entry | result
                self.options.out.write_text(json.dumps(self.results, indent=1), "utf-8")
                print(self._line(fault), flush=True)

    def _one(self, fault):
        reaching = self.reached.tests(fault.path, fault.function)
        tests = picked(reaching, self.options.budget, self.options.most)
        result = {"outcome": "survived", "by": "", "seconds": 0.0}
        if tests:
            expected = sum(s for s, test in reaching if test in set(tests))
            result = try_one(fault, tests, self.collected, START + 5 * expected)
        return result | {"tests": len(tests), "of": len(reaching)}

    def outcome(self, fault):
        """Return what became of a fault; a survivor that was judged is equivalent."""
        found = self.results[fault.name]["outcome"]
        return "equivalent" if found == "survived" and self.judged.get(fault.name) else found

    def _line(self, fault):
        result = self.results[fault.name]
        by = result["by"] or f"{result['tests']} of {result['of']} tests"
        return f"{self.outcome(fault):10} {fault.listed}  [{by}]"

    def summary(self, faults):
        """Return a table by folder and the survivors, and whether every survivor was judged."""
        rows = {}
        for fault in faults:
            rows.setdefault(room(fault.path), Counter())[self.outcome(fault)] += 1
        survivors = [self._line(f) for f in faults if self.outcome(f) == "survived"]
        whole = rows["all"] = sum(rows.values(), Counter())
        heads = ("killed", "timeout", "equivalent", "survived")
        lines = [f"{'folder':14}" + "".join(f"{h:>12}" for h in heads)]
        lines += [f"{n:14}" + "".join(f"{c[h]:12}" for h in heads) for n, c in rows.items()]
        noticed, real = whole["killed"] + whole["timeout"], whole.total() - whole["equivalent"]
        said = f"{noticed} of {real} faults that are not known to make no difference were noticed"
        return "\n".join([*lines, said, "", *survivors]), not survivors


OPTIONS = {
    "--count": {"type": int, "default": 60, "help": "number of faults (default: 60)"},
    "--seed": {"type": int, "default": 1, "help": "which ones (default: 1)"},
    "--only": {"metavar": "PART", "help": "one folder of hierpair/, or one module, such as io or lca/search.py"},
    "--kind": {"help": "one kind of fault, such as comparison, or left out: what the code could do without"},
    "--jobs": {"type": int, "default": 2, "help": "faults tried at the same time (default: 2)"},
    "--budget": {"type": float, "default": 20, "help": "seconds of tests per fault"},
    "--most": {"type": int, "default": 200, "help": "number of tests per fault"},
    "--again": {"action": "store_true", "help": "try also what was tried before"},
    "--no-measure": {"action": "store_true", "help": "take what was measured, even if tests changed"},
    "--list": {"action": "store_true", "help": "only list the faults"},
    "--out": {"type": Path, "default": TOP / ".mutation" / "results.json"},
    "--reached": {"type": Path, "default": TOP / ".mutation" / "reached.json"},
}  # fmt: skip


def main():
    """Run from the command line."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    for word, how in OPTIONS.items():
        parser.add_argument(word, **how)
    options = parser.parse_args()
    faults = choose(TOP, options.count, options.seed, options.only, options.kind)
    if options.list:
        print("\n".join(f.listed for f in faults))
        return 0
    for file in (options.out, options.reached):
        file.parent.mkdir(parents=True, exist_ok=True)
    for library in LIBRARIES.split():
        with suppress(ImportError):
            importlib.import_module(library)
    campaign = Campaign(options)
    if not options.no_measure:
        campaign.reached.measure()
    pytest.main(
        [*LINE, f"--rootdir={TOP}", "-s"], plugins=[Collected(TOP, partial(campaign.run, faults))]
    )
    text, judged = campaign.summary(faults)
    print(f"\n{text}")
    return 0 if judged else 1


if __name__ == "__main__":
    sys.exit(main())
