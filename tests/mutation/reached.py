"""Which tests run which functions: measured once per test file, kept until that file or the code changes.

The module is also the plugin with which pytest writes down what each test calls (``-p reached``).
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

REPORT = "HIERPAIR_REACHED"
"""The environment variable that names the file that the plugin writes."""


def environment(top):
    """Return the environment in which tests of a copy run: its own code, nothing written."""
    path = os.pathsep.join([str(top), str(Path(__file__).parent)])
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


class Reached:
    """For each function of a project, the tests that run it; ``store`` keeps what was measured."""

    def __init__(self, top, store):
        self.top, self.store = top, store
        self.files = json.loads(store.read_text("utf-8")) if store.exists() else {}

    def measure(self, only=None):
        """Measure what has not been measured since the code or the test changed; doctests are one file."""
        code = b"".join(p.read_bytes() for p in sorted(self.top.glob("hierpair/**/*.py")))
        tests = sorted(self.top.glob("tests/**/test_*.py"))
        for file in only or [*(p.relative_to(self.top).as_posix() for p in tests), "hierpair"]:
            path = self.top / file
            content = path.read_bytes() if path.is_file() else b"doctests"
            digest = hashlib.sha256(code + content).hexdigest()[:16]
            if self.files.get(file, {}).get("digest") != digest:
                print(f"measuring {file}", file=sys.stderr, flush=True)
                self.files[file] = {"digest": digest, **self._measured(file)}
                self.store.write_text(json.dumps(self.files), "utf-8")

    def tests(self, path, function):
        """Return the tests that run a function, the quickest first, as (seconds, test).

        For what no test calls, because it runs when the module is imported: those that run
        anything else in the module.
        """
        found = {}
        exactly = any(function in f["reached"].get(path, {}) for f in self.files.values())
        for of_file in self.files.values():
            for name, tests in of_file["reached"].get(path, {}).items():
                if name == function or not exactly:
                    found |= {test: of_file["seconds"][test] for test in tests}
        return sorted((seconds, test) for test, seconds in found.items())

    def _measured(self, file):
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder, "reached.json")
            words = "-m pytest -n0 -q -p no:cacheprovider -p reached".split()  # noqa: SIM905
            how = {"cwd": self.top, "env": environment(self.top) | {REPORT: str(report)}}
            done = subprocess.run(
                [sys.executable, *words, file], check=False, capture_output=True, text=True, **how
            )
            if done.returncode not in (0, 1, 5):  # 1: a test failed, 5: there is none
                raise RuntimeError(f"{file} cannot be measured:\n{done.stdout}{done.stderr}")
            seen = json.loads(report.read_text("utf-8"))
        reached = {}
        for test, _, called in seen:
            for path, function in called:
                reached.setdefault(path, {}).setdefault(function, []).append(test)
        return {"seconds": {test: took for test, took, _ in seen}, "reached": reached}


# ------------------------------------------------------------------------------ the plugin


def plain_name(qualified):
    """Return the name of the function with a name, of those around a piece of code.

    >>> plain_name("Kept.clipped.<locals>.inner.<locals>.<genexpr>")
    'Kept.clipped.inner'
    """
    return ".".join(part for part in qualified.split(".") if part[0] != "<")


class _Watch:
    """Notes the code that begins to run."""

    def __init__(self, top):
        self.top, self.codes, self.seen = top, set(), []

    def _called(self, frame, event, argument):
        if event == "call":
            self.codes.add(frame.f_code)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        """Write down what one test calls, with its fixtures, and how long it takes."""
        started = time.perf_counter()
        self.codes.clear()
        sys.setprofile(self._called)
        try:
            return (yield)
        finally:
            sys.setprofile(None)
            within = self.top / "hierpair"
            own = [c for c in self.codes if Path(c.co_filename).is_relative_to(within)]
            files = [Path(c.co_filename).relative_to(self.top).as_posix() for c in own]
            called = {*zip(files, (plain_name(c.co_qualname) for c in own), strict=True)}
            self.seen.append((item.nodeid, round(time.perf_counter() - started, 3), sorted(called)))

    def pytest_unconfigure(self):
        """Write the report."""
        Path(os.environ[REPORT]).write_text(json.dumps(self.seen), "utf-8")


def pytest_configure(config):
    """Begin to watch."""
    config.pluginmanager.register(_Watch(config.rootpath))
