"""Tests in forks of this process: what they run, and whether they fail with a fault."""

import gc
import hashlib
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, FunctionType

import pytest

FORK = multiprocessing.get_context("fork")
LINE = ["-n0", "-q", "-x", "--tb=no", "-pno:cacheprovider", "--hypothesis-seed=0",
        "-Wignore::pytest.PytestAssertRewriteWarning"]  # fmt: skip


def in_fork(work, *given, timeout):
    """Return what a function returns in a fork; ``None`` if it takes longer than so many seconds."""
    here, there = FORK.Pipe(duplex=False)
    fork = FORK.Process(target=_answer, args=(there, work, *given))
    fork.start()
    there.close()
    found = None
    with here, suppress(EOFError):
        if here.poll(timeout):
            found = {"failed": "the process ended"}
            found = here.recv()
    fork.kill()
    fork.join()
    return found


def _answer(there, work, *given):
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    there.send(work(*given))


def run_tests(top, several, fault=None, plugins=()):
    """Run tests anew, or the next ones where pytest does not find them; return the first that fails."""
    os.chdir(top)
    sys.path[:0] = [str(top)]
    if fault is not None:
        sys.meta_path.insert(0, _Faulty(top, fault))
    for name in [name for name in sys.modules if name.partition(".")[0] in ("hierpair", "tests")]:
        del sys.modules[name]
    first = _First()
    for tests in several:
        code = pytest.main([*LINE, f"--rootdir={top}", *tests], plugins=[first, *plugins])
        if first.failed or code in (0, 5):
            break
    return {"failed": first.failed or (f"pytest ended with {code}" if code else "")}


class Collected:
    """Tests that pytest has collected and this process has not run, and the functions of the project."""

    def __init__(self, top, work):
        self.top, self.work, self.sound = top, work, {}

    def pytest_runtestloop(self, session):
        """Work with what was collected, instead of running it."""
        self.config, self.items = session.config, {item.nodeid: item for item in session.items}
        self.functions = {}
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType):
                code = thing.__code__
                at = code.co_filename, code.co_qualname, code.co_firstlineno
                self.functions.setdefault(at, []).append(thing)
        self.work(self)
        return True

    def killer(self, fault, tests, timeout):
        """Return a test that fails with a fault, and without it does not; ``None`` if it takes too long."""
        found = in_fork(self._first_failing, tests, fault, timeout=timeout)
        test = found and found["failed"]
        if test and test not in self.sound:
            without = in_fork(self._first_failing, [test], None, timeout=timeout)
            self.sound[test] = without is not None and not without["failed"]
        return found and {"failed": test if self.sound.get(test) else ""}

    def _first_failing(self, tests, fault):
        if fault is not None:
            self._put_in(fault)
        self.config._tmp_path_factory._basetemp = Path(tempfile.mkdtemp())
        self.config.pluginmanager.register(first := _First())
        items = [self.items[test] for test in sorted(tests) if test in self.items]
        for item, following in zip(items, [*items[1:], None], strict=True):
            self.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if first.failed:
                break
        shutil.rmtree(self.config._tmp_path_factory._basetemp, ignore_errors=True)
        return {"failed": first.failed}

    def _put_in(self, fault):
        """Give the functions of a module the code that they have with the fault."""
        path = str(self.top / fault.path)
        source = Path(path).read_bytes()
        old, new = (
            list(_codes(compile(text, path, "exec"))) for text in (source, fault.put_into(source))
        )
        for was, code in zip(old, new, strict=len(old) == len(new)):
            for function in self.functions.get((path, was.co_qualname, was.co_firstlineno), ()):
                if function.__code__.co_freevars == code.co_freevars:
                    function.__code__ = code


def _codes(code):
    """Yield a piece of code and all within it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


class _First:
    """Notes the first test, or file of tests, that fails."""

    failed = ""

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed = self.failed or report.nodeid

    pytest_collectreport = pytest_runtest_logreport


class _Faulty(SourceFileLoader):
    """Finds the module of a fault, and loads it with the fault."""

    def __init__(self, top, fault):
        path = top / fault.path
        module = fault.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        super().__init__(module, str(path))
        self.fault, self.inside = fault, [str(path.parent)] * (path.name == "__init__.py")

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        inside = self.inside or None
        return spec_from_file_location(
            name, self.path, loader=self, submodule_search_locations=inside
        )

    def get_code(self, fullname):
        return self.source_to_code(self.fault.put_into(self.get_data(self.path)), self.path)


class Reached:
    """For each function of a project, the tests that run it; ``store`` keeps what was measured."""

    def __init__(self, top, store, jobs=1):
        self.top, self.store, self.jobs = top, store, jobs
        self.files = json.loads(store.read_text("utf-8")) if store.exists() else {}

    def measure(self, only=None):
        """Measure what has not been measured since the code or the test changed; doctests are one file."""
        code = b"".join(p.read_bytes() for p in sorted(self.top.glob("hierpair/**/*.py")))
        tests = sorted(self.top.glob("tests/**/test_*.py"))
        digests = {}
        for file in only or [*(p.relative_to(self.top).as_posix() for p in tests), "hierpair"]:
            path = self.top / file
            content = path.read_bytes() if path.is_file() else b"doctests"
            digests[file] = hashlib.sha256(code + content).hexdigest()[:16]
        files = [
            file for file, of in digests.items() if self.files.get(file, {}).get("digest") != of
        ]
        with ThreadPoolExecutor(self.jobs) as pool:
            for file, seen in zip(files, pool.map(self._seen, files), strict=True):
                reached = {}
                for test, _, called in seen:
                    for path, function in called:
                        reached.setdefault(path, {}).setdefault(function, []).append(test)
                seconds = {test: took for test, took, _ in seen}
                self.files[file] = {"digest": digests[file], "seconds": seconds, "reached": reached}
                self.store.write_text(json.dumps(self.files), "utf-8")
                print(f"measured {file}", file=sys.stderr, flush=True)

    def _seen(self, file):
        return in_fork(_watched, self.top, file, timeout=None)

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


def _watched(top, file):
    watch = _Watch(top)
    run_tests(top, [[file, "--maxfail=0"]], plugins=[watch])
    return watch.seen


def plain_name(qualified):
    """Return the name of the function with a name, of those around a piece of code.

    >>> plain_name("Kept.clipped.<locals>.inner.<locals>.<genexpr>")
    'Kept.clipped.inner'
    """
    return ".".join(part for part in qualified.split(".") if part[0] != "<")


class _Watch:
    """Notes the code that begins to run, test by test."""

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
