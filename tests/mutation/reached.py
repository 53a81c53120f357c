"""Which tests run which functions: measured once per test file, kept until that file changes."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.mutation import watch

__all__ = ["Reached", "environment"]


def environment(top: Path) -> dict[str, str]:
    """Return the environment in which tests of a copy run: its own code, nothing written."""
    path = os.pathsep.join([str(top), str(Path(__file__).parent)])
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


class Reached:
    """For each function, the tests that run it, and how long each of them takes.

    Parameters
    ----------
    top
        Top of the project.
    store
        A file that keeps what was measured; a test file is measured again when its text changes.
    """

    def __init__(self, top: Path, store: Path) -> None:
        self.top, self.store = top, store
        self.files = json.loads(store.read_text("utf-8")) if store.exists() else {}

    def test_files(self) -> list[str]:
        """Return the files with tests; all doctests count as one."""
        return [
            *sorted(str(p.relative_to(self.top)) for p in (self.top / "tests").rglob("test_*.py")),
            "hierpair",
        ]

    def measure(self, only: Iterable[str] | None = None) -> None:
        """Measure what has not been measured, or has changed since."""
        wanted = self.test_files() if only is None else only
        for file in wanted:
            digest = self._digest(file)
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
            for name, numbers in of_file["reached"].get(path, {}).items():
                if name == function or not exactly:
                    tests = [of_file["tests"][number] for number in numbers]
                    found |= {test: of_file["seconds"][test] for test in tests}
        return sorted((seconds, test) for test, seconds in found.items())

    def _digest(self, file: str) -> str:
        path = self.top / file
        return hashlib.sha256(path.read_bytes() if path.is_file() else b"doctests").hexdigest()[:16]

    def _measured(self, file: str) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder, "reached.json")
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-n0", "-q", "-p", "no:cacheprovider",
                 "-p", "watch", file],
                cwd=self.top, check=False, capture_output=True, text=True,
                env=environment(self.top) | {watch.REPORT: str(report)},
            )  # fmt: skip
            if done.returncode not in (0, 1, 5):  # 1: a test failed, 5: there is none
                raise RuntimeError(f"{file} cannot be measured:\n{done.stdout}{done.stderr}")
            seen = json.loads(report.read_text("utf-8"))
        reached: dict[str, dict[str, list[int]]] = {}
        for number, (_, _, called) in enumerate(seen):
            for path, function in called:
                reached.setdefault(path, {}).setdefault(function, []).append(number)
        seconds = {test: took for test, took, _ in seen}
        return {"tests": list(seconds), "seconds": seconds, "reached": reached}
