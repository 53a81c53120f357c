"""Which tests run which functions: measured once per test file, kept until that file changes."""

import ast
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

__all__ = ["Reached", "environment", "functions"]


def environment(top: Path) -> dict[str, str]:
    """Return the environment in which tests of a copy run: its own code, nothing written."""
    return {**os.environ, "PYTHONPATH": str(top), "PYTHONDONTWRITEBYTECODE": "1"}


def functions(source: bytes) -> dict[int, str]:
    """Return the qualified name of the innermost function around each line."""
    names: dict[int, str] = {}

    def walk(node: ast.AST, around: str) -> None:
        for child in ast.iter_child_nodes(node):
            name = around
            if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                name = f"{around}.{child.name}".lstrip(".")
            if isinstance(child, ast.FunctionDef):
                for line in range(child.lineno, (child.end_lineno or child.lineno) + 1):
                    names[line] = name
            walk(child, name)

    walk(ast.parse(source), "")
    return names


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
            *sorted(f"tests/{p.name}" for p in (self.top / "tests").glob("test_*.py")),
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

        For code at the top of a module: those that run anything in it.
        """
        found: dict[str, float] = {}
        for of_file in self.files.values():
            by_function = of_file["reached"].get(path, {})
            names = [function] if function in by_function else []
            if not names and function:  # a function inside a function, or one that is new
                names = [n for n in by_function if n and function.startswith(f"{n}.")]
            for name in names or ([] if function else by_function):
                for number in by_function[name]:
                    test = of_file["tests"][number]
                    found[test] = of_file["seconds"].get(test, 1.0)
        return sorted((seconds, test) for test, seconds in found.items())

    def _digest(self, file: str) -> str:
        path = self.top / file
        return hashlib.sha256(path.read_bytes() if path.is_file() else b"doctests").hexdigest()[:16]

    def _measured(self, file: str) -> dict[str, object]:
        from coverage import CoverageData

        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                [sys.executable, "-m", "pytest", "-n0", "-q", "-p", "no:cacheprovider", file,
                 "--cov=hierpair", "--cov-context=test", "--cov-report=", f"--junitxml={folder}/t.xml"],
                cwd=self.top, check=False, stdout=subprocess.DEVNULL,
                env=environment(self.top) | {"COVERAGE_FILE": f"{folder}/data"},
            )  # fmt: skip
            data = CoverageData(f"{folder}/data")
            data.read()
            seconds = self._seconds(Path(folder, "t.xml"))
            tests: dict[str, int] = {}
            reached: dict[str, dict[str, list[int]]] = {}
            for measured in data.measured_files():
                path = Path(measured).relative_to(self.top.resolve()).as_posix()
                inside = functions(Path(measured).read_bytes())
                by_function: dict[str, set[int]] = {}
                for line, contexts in data.contexts_by_lineno(measured).items():
                    for context in contexts:
                        test = context.rpartition("|")[0]
                        if test and context.endswith("|run"):
                            number = tests.setdefault(test, len(tests))
                            by_function.setdefault(inside.get(line, ""), set()).add(number)
                reached[path] = {name: sorted(numbers) for name, numbers in by_function.items()}
        return {"tests": list(tests), "seconds": seconds, "reached": reached}

    @staticmethod
    def _seconds(report: Path) -> dict[str, float]:
        found = {}
        for case in ElementTree.parse(report).iter("testcase"):
            module = case.get("classname", "")
            test = f"{module.replace('.', '/')}.py::{case.get('name', '')}"
            found[test] = float(case.get("time", 1))
        return found
