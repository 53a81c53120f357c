"""A plugin for pytest that writes down which functions of hierpair each test calls."""

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

__all__ = ["REPORT", "plain_name"]

REPORT = "HIERPAIR_REACHED"
"""The environment variable that names the file to be written."""


def plain_name(qualified: str) -> str:
    """Return the name of the function with a name, of those around a piece of code.

    >>> plain_name("Kept.clipped.<locals>.inner.<locals>.<genexpr>")
    'Kept.clipped.inner'
    """
    return ".".join(part for part in qualified.split(".") if part[0] != "<")


class _Watch:
    """Notes the code that begins to run; Python 3.12 tells once per test, older ones every time."""

    def __init__(self, top: Path) -> None:
        self.inside = f"{top / 'hierpair'}{os.sep}"
        self.top = top
        self.codes: set[CodeType] = set()
        if monitoring := getattr(sys, "monitoring", None):
            monitoring.use_tool_id(tool := monitoring.PROFILER_ID, "hierpair tests")
            monitoring.register_callback(tool, monitoring.events.PY_START, self._begun)

    def _begun(self, code: CodeType, offset: int) -> Any:
        self.codes.add(code)
        return sys.monitoring.DISABLE  # type: ignore[attr-defined, unused-ignore]

    def _called(self, frame: Any, event: str, argument: Any) -> None:
        if event == "call":
            self.codes.add(frame.f_code)

    def begin(self) -> None:
        self.codes.clear()
        if monitoring := getattr(sys, "monitoring", None):
            monitoring.restart_events()
            monitoring.set_events(monitoring.PROFILER_ID, monitoring.events.PY_START)
        else:
            sys.setprofile(self._called)

    def end(self) -> list[tuple[str, str]]:
        if monitoring := getattr(sys, "monitoring", None):
            monitoring.set_events(monitoring.PROFILER_ID, 0)
        else:
            sys.setprofile(None)
        return sorted({
            (Path(code.co_filename).relative_to(self.top).as_posix(), plain_name(code.co_qualname))
            for code in self.codes
            if code.co_filename.startswith(self.inside)
        })  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    """Begin to watch."""
    config.stash[WATCH] = _Watch(config.rootpath)
    config.stash[SEEN] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Write down what one test calls, with its fixtures, and how long it takes."""
    started = time.perf_counter()
    item.config.stash[WATCH].begin()
    try:
        return (yield)
    finally:
        called = item.config.stash[WATCH].end()
        took = round(time.perf_counter() - started, 3)
        item.config.stash[SEEN].append((item.nodeid, took, called))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Write the report."""
    Path(os.environ[REPORT]).write_text(json.dumps(config.stash[SEEN]), "utf-8")


WATCH = pytest.StashKey[_Watch]()
SEEN = pytest.StashKey[list[tuple[str, float, list[tuple[str, str]]]]]()
