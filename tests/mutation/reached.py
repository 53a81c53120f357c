"""Which tests run which functions: measured once per test file, kept until that file changes.

The module is also the plugin with which pytest writes down what each test calls (``-p reached``).
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

__all__ = ["Reached", "environment", "plain_name"]

REPORT = "HIERPAIR_REACHED"
"""The environment variable that names the file that the plugin writes."""


def environment(top: Path) -> dict[str, str]:
    """Return the environment in which tests of a copy run: its own code, nothing written."""
    path = os.pathsep.join([str(top), str(Path(__file__).parent)])
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


class Reached:
    """For each function of a project, the tests that run it; ``store`` keeps what was measured."""

    def __init__(self, top: Path, store: Path) -> None:
        self.top, self.store = top, store
        self.files = json.loads(store.read_text("utf-8")) if store.exists() else {}

    def measure(self, only: Iterable[str] | None = None) -> None:
        """Measure what has not been measured, or has changed since; all doctests are one file."""
        tests = sorted(
            str(p.relative_to(self.top)) for p in (self.top / "tests").rglob("test_*.py")
        )
        for file in [*tests, "hierpair"] if only is None else only:
            path = self.top / file
            content = path.read_bytes() if path.is_file() else b"doctests"
            digest = hashlib.sha256(content).hexdigest()[:16]
            if self.files.get(file, {}).get("digest") != digest:
                print(f"measuring {file}", file=sys.stderr, flush=True)
                self.files[file] = {"digest": digest, **self._measured(file)}
                self.store.write_text(json.dumps(self.files), "utf-8")

    def tests(self, path: str, function: str) -> list[tuple[float, str]]:
        """Return the tests that run a function, the quickest first, as (seconds, test).

        For what no test calls, because it runs when the module is imported: those that run
        anything else in the module.
        """
        found: dict[str, float] = {}
        exactly = any(function in f["reached"].get(path, {}) for f in self.files.values())
        for of_file in self.files.values():
            for name, tests in of_file["reached"].get(path, {}).items():
                if name == function or not exactly:
                    found |= {test: of_file["seconds"][test] for test in tests}
        return sorted((seconds, test) for test, seconds in found.items())

    def _measured(self, file: str) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder, "reached.json")
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-n0", "-q", "-p", "no:cacheprovider",
                 "-p", "reached", file],
                cwd=self.top, check=False, capture_output=True, text=True,
                env=environment(self.top) | {REPORT: str(report)},
            )  # fmt: skip
            if done.returncode not in (0, 1, 5):  # 1: a test failed, 5: there is none
                raise RuntimeError(f"{file} cannot be measured:\n{done.stdout}{done.stderr}")
            seen = json.loads(report.read_text("utf-8"))
        reached: dict[str, dict[str, list[str]]] = {}
        for test, _, called in seen:
            for path, function in called:
                reached.setdefault(path, {}).setdefault(function, []).append(test)
        return {"seconds": {test: took for test, took, _ in seen}, "reached": reached}


# ------------------------------------------------------------------------------ the plugin


def plain_name(qualified: str) -> str:
    """Return the name of the function with a name, of those around a piece of code.

    >>> plain_name("Kept.clipped.<locals>.inner.<locals>.<genexpr>")
    'Kept.clipped.inner'
    """
    return ".".join(part for part in qualified.split(".") if part[0] != "<")


class _Watch:
    """Notes the code that begins to run; Python 3.12 tells once per test, older ones every time."""

    def __init__(self, top: Path) -> None:
        self.top, self.codes = top, set[CodeType]()
        self.seen: list[tuple[str, float, list[tuple[str, str]]]] = []
        if monitoring := getattr(sys, "monitoring", None):
            monitoring.use_tool_id(tool := monitoring.PROFILER_ID, "hierpair tests")
            monitoring.register_callback(tool, monitoring.events.PY_START, self._begun)

    def _begun(self, code: CodeType, offset: int) -> Any:
        self.codes.add(code)
        return sys.monitoring.DISABLE  # type: ignore[attr-defined, unused-ignore]

    def _called(self, frame: Any, event: str, argument: Any) -> None:
        if event == "call":
            self.codes.add(frame.f_code)

    def watch(self, on: bool) -> None:
        if monitoring := getattr(sys, "monitoring", None):
            monitoring.restart_events()
            monitoring.set_events(monitoring.PROFILER_ID, monitoring.events.PY_START if on else 0)
        else:
            sys.setprofile(self._called if on else None)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Write down what one test calls, with its fixtures, and how long it takes."""
        started = time.perf_counter()
        self.codes.clear()
        self.watch(True)
        try:
            return (yield)
        finally:
            self.watch(False)
            inside = f"{self.top / 'hierpair'}{os.sep}"
            own = [code for code in self.codes if code.co_filename.startswith(inside)]
            called = sorted({
                (Path(c.co_filename).relative_to(self.top).as_posix(), plain_name(c.co_qualname)) for c in own
            })  # fmt: skip
            self.seen.append((item.nodeid, round(time.perf_counter() - started, 3), called))

    def pytest_unconfigure(self) -> None:
        """Write the report."""
        Path(os.environ[REPORT]).write_text(json.dumps(self.seen), "utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to watch."""
    config.pluginmanager.register(_Watch(config.rootpath))
