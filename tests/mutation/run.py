"""Put small faults into the code, one at a time, and say which ones no test notices.

    python tests/mutation/run.py --count 60 --seed 1 --out mutants.json

Which tests run which function is measured first, once per test file (about as long as all quick
tests take with coverage), and kept in ``--reached``. Then each fault is put into a copy of the
project, and the tests that run the function are run, the quickest first, until one fails. What has
been tried stands in ``--out`` and is not tried again. Exit code 1: there are survivors that nobody
has judged.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP))

from tests.mutation.faults import choose, room  # noqa: E402
from tests.mutation.reached import Reached, environment  # noqa: E402

COPIED = "hierpair tests cases docs conftest.py README.md pyproject.toml .gitignore .github .ci"
JUDGED = Path(__file__).with_name("equivalent.toml")
START = 60.0
"""Seconds that pytest may take to begin."""


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


def try_one(fault, tests, copy, timeout):
    """Put one fault into a copy, run tests until one fails, and take it out again.

    Where a fault changes the cases, so that pytest does not find the named ones, it runs their files.
    """
    target = copy / fault.path
    whole, started, by = target.read_bytes(), time.monotonic(), ""
    line = [sys.executable, "-m", "pytest", "-n0", "-q", "-x", "--no-header", "--tb=no",
            "-p", "no:cacheprovider", "--hypothesis-seed=0"]  # fmt: skip
    how = {"cwd": copy, "env": environment(copy), "timeout": timeout, "text": True}
    try:
        target.write_bytes(fault.put_into(whole))
        for named in (tests, sorted({test.partition("::")[0] for test in tests})):
            done = subprocess.run([*line, *named], check=False, capture_output=True, **how)
            told = done.stdout + done.stderr
            failed = re.search(r"^(?:FAILED|ERROR|ImportError while) (\S+)", told, re.MULTILINE)
            if failed or done.returncode == 0:
                break
        outcome, by = ("killed", failed[1]) if failed else ("survived", by)
    except subprocess.TimeoutExpired:
        outcome = "timeout"
    finally:
        target.write_bytes(whole)
    return {"outcome": outcome, "by": by, "seconds": round(time.monotonic() - started, 1)}


class Campaign:
    """Faults, what became of them, and the file that remembers it."""

    def __init__(self, options):
        self.options = options
        self.reached = Reached(TOP, options.reached)
        self.judged = tomllib.loads(JUDGED.read_text("utf-8"))
        self.results = json.loads(options.out.read_text("utf-8")) if options.out.exists() else {}

    def run(self, faults):
        """Try every fault that has not been tried, in as many copies as there are jobs."""
        copies = SimpleQueue()
        ignored = shutil.ignore_patterns("__pycache__", "_build", ".hypothesis")
        with tempfile.TemporaryDirectory() as folder:
            for i in range(self.options.jobs):
                copies.put(copy := Path(folder, str(i)))
                copy.mkdir()
                for name in COPIED.split():
                    if (TOP / name).is_dir():
                        shutil.copytree(TOP / name, copy / name, ignore=ignored)
                    else:
                        shutil.copy(TOP / name, copy / name)
            waiting = [f for f in faults if f.name not in self.results or self.options.again]
            with ThreadPoolExecutor(self.options.jobs) as pool:
                for fault, result in pool.map(lambda f: (f, self._one(f, copies)), waiting):
                    entry = {"room": room(fault.path), "kind": fault.kind, "line": fault.line}
                    self.results[fault.name] = entry | result
                    self.options.out.write_text(json.dumps(self.results, indent=1), "utf-8")
                    print(self._line(fault), flush=True)

    def _one(self, fault, copies):
        reaching = self.reached.tests(fault.path, fault.function)
        tests = picked(reaching, self.options.budget, self.options.most)
        result = {"outcome": "survived", "by": "", "seconds": 0.0}
        if tests:
            copy = copies.get()
            try:
                expected = sum(s for s, test in reaching if test in set(tests))
                result = try_one(fault, tests, copy, START + 5 * expected)
            finally:
                copies.put(copy)
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
    "--jobs": {"type": int, "default": 1, "help": "copies tried at the same time"},
    "--budget": {"type": float, "default": 60, "help": "seconds of tests per fault"},
    "--most": {"type": int, "default": 400, "help": "number of tests per fault"},
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
    faults = choose(TOP, options.count, options.seed, options.only)
    if options.list:
        print("\n".join(f.listed for f in faults))
        return 0
    for file in (options.out, options.reached):
        file.parent.mkdir(parents=True, exist_ok=True)
    campaign = Campaign(options)
    if not options.no_measure:
        campaign.reached.measure()
    campaign.run(faults)
    text, judged = campaign.summary(faults)
    print(f"\n{text}")
    return 0 if judged else 1


if __name__ == "__main__":
    sys.exit(main())
