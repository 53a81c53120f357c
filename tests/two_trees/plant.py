"""Plant bugs, one at a time, in a copy of a tree and see which tests find them.

    python tests/two_trees/plant.py --check TREE BUGS.py            does each apply, and does the module import?
    python tests/two_trees/plant.py TREE BUGS.py OUT.json [NAME ...] [--quick] [--exhaustive] [--jobs 2] [--again]
    python tests/two_trees/plant.py --table BEFORE.json AFTER.json

For each bug the tests that the list names for it run with -x, with the doctests of its module, then the likely test files, then
all the others (tests and doctests), until a test fails. With --exhaustive the tests marked so follow last. Before
the first bug the named tests run without any, and before the first bug that they do not find all tests do; what fails
then is left out later. With --quick only the named tests run, and a bug that they do not find is not recorded. OUT.json is
written after every bug; what stands there is not run again (--again does). A bug that no test finds costs the whole
suite: several minutes.
"""

import argparse
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PYTHON = sys.executable
LIMIT = 3600  # seconds for one run of pytest; longer is a hang, which is found too


def environment(copy):
    return {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "HIERPAIR_DATA": os.environ.get("HIERPAIR_DATA", str(Path(__file__).parents[3] / "shared" / "data")),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": ""}  # fmt: skip


def copied(tree):
    copy = Path(tempfile.mkdtemp(prefix="plant-")) / "tree"
    shutil.copytree(tree, copy, symlinks=True, ignore=shutil.ignore_patterns(
        "__pycache__", ".hypothesis", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".venv", "_build"))  # fmt: skip
    if not (copy / ".git").is_dir():  # a worktree's pointer would lead to the real one
        (copy / ".git").unlink(missing_ok=True)
        for command in (
            ["init", "-q"],
            ["add", "-A"],
            ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "copy"],
        ):
            subprocess.run(["git", *command], cwd=copy, check=True, capture_output=True)
    return copy


def imported(copy, file):
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    code = f"import hierpair, {module}; assert hierpair.__file__.startswith({str(copy)!r}), hierpair.__file__"
    return subprocess.run(
        [PYTHON, "-c", code],
        cwd=tempfile.gettempdir(),
        env=environment(copy),
        capture_output=True,
        text=True,
    )


def put(copy, bug):
    path = copy / bug["file"]
    text = path.read_text("utf-8")
    count = text.count(bug["old"])
    if count != 1:
        raise ValueError(f"the text occurs {count} times in {bug['file']}")
    path.write_text(text.replace(bug["old"], bug["new"]), "utf-8")
    return path, text


def named(copy, bugs):
    """The tests that a list names for some bugs, by their files, and the doctests of their modules.

    A name may begin with that of its file. A tree need not have all of them.
    """
    wanted, found = {name for b in bugs for name in b["named"]}, []
    for file in sorted((copy / "tests").rglob("test_*.py")):
        tests = re.findall(r"^def (test_\w+)\(", file.read_text("utf-8"), re.MULTILINE)
        meant = [test for test in tests if {test, f"{file.name}::{test}"} & wanted]
        found += [f"{file.relative_to(copy)}::{test}" for test in meant]
    return [*found, *dict.fromkeys(b["file"] for b in bugs)]


def check(tree, bugs):
    copy, bad = copied(tree), 0
    for b in bugs:
        try:
            path, text = put(copy, b)
        except (ValueError, OSError) as error:
            print(f"{b['name']}: {error}")
            bad += 1
            continue
        done = imported(copy, b["file"])
        path.write_text(text, "utf-8")
        if done.returncode:
            print(f"{b['name']}: does not import: {done.stderr.strip().splitlines()[-1]}")
            bad += 1
        for name in b["tests"]:
            if not list((copy / "tests").rglob(name)):
                print(f"{b['name']}: no test file {name} (only tried later)")
        if b["named"] and len(named(copy, [b])) == 1:
            print(f"{b['name']}: none of its named tests is here ({' '.join(b['named'])})")
    shutil.rmtree(copy.parent)
    names = [b["name"] for b in bugs]
    assert len(set(names)) == len(names)
    print(f"{len(bugs) - bad} of {len(bugs)} apply and import")
    return bad


def pytest(copy, arguments, jobs, deselected, first=True):
    options = ["-x"] if first else []
    command = [PYTHON, "-m", "pytest", *options, "-q", f"-n{jobs}", "-p", "no:cacheprovider", "--no-header", "--tb=no",
               "--hypothesis-seed=0", *[f"--deselect={d}" for d in deselected], *arguments]  # fmt: skip
    start = time.monotonic()
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment(copy), capture_output=True, text=True, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        return ["(hangs)"], time.monotonic() - start, ""
    failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    if done.returncode not in (0, 5) and not failed:
        failed = [
            f"(exit code {done.returncode}: {(done.stdout + done.stderr).strip().splitlines()[-1:]})"
        ]
    return failed, time.monotonic() - start, done.stdout[-400:]


def run(options):
    bugs = runpy.run_path(options.bugs)["BUGS"]
    out = Path(options.out)
    store = (
        json.loads(out.read_text("utf-8")) if out.exists() else {"tree": options.tree, "bugs": {}}
    )
    copy = copied(options.tree)

    def save():
        whole = out.with_suffix(".part")
        whole.write_text(json.dumps(store, indent=1, ensure_ascii=False), "utf-8")
        whole.replace(out)

    def left_out(what, arguments):
        """The tests that fail without any bug, run when this is first asked for."""
        if what not in store or store[what].get("of", []) != arguments:
            failed, seconds, tail = pytest(copy, arguments, options.jobs, [], first=False)
            store[what] = {
                "failed": failed,
                "seconds": round(seconds),
                "tail": tail,
                "of": arguments,
            }
            save()
            print(f"{what} any bug: {len(failed)} tests fail, {seconds:.0f} s", flush=True)
        return [f for f in store[what]["failed"] if "::" in f]

    for b in bugs:
        if options.names and b["name"] not in options.names:
            continue
        if b["name"] in store["bugs"] and not options.again:
            continue
        likely = [
            str(f.relative_to(copy)) for name in b["tests"] for f in (copy / "tests").rglob(name)
        ]
        likely = [*dict.fromkeys(likely), b["file"]]
        phases = [("named", named(copy, [b])), ("likely", likely)]
        phases += [("rest", [f"--ignore={f}" for f in likely])]
        phases += [("exhaustive", ["-m", "exhaustive"])] if options.exhaustive else []
        start, failed = time.monotonic(), []
        for phase, arguments in phases[: 1 if options.quick else None]:
            if phase == "named":
                known = left_out("named tests without", named(copy, bugs))
            else:
                known = left_out("without", [])
            path, text = put(copy, b)
            try:
                failed = pytest(copy, arguments, options.jobs, known)[0]
            finally:
                path.write_text(text, "utf-8")
            if failed:
                break
        seconds = time.monotonic() - start
        if failed or not options.quick:
            store["bugs"][b["name"]] = {"found": bool(failed), "by": failed[:3], "phase": phase if failed else "", "says": b["says"],
                                        "seconds": round(seconds)}  # fmt: skip
            save()
        told = "found" if failed else "not yet" if options.quick else "NOT FOUND"
        print(f"{told:10} {b['name']:32} {seconds:5.0f} s  {phase}: {failed[:1]}", flush=True)
    shutil.rmtree(copy.parent)
    found = sum(r["found"] for r in store["bugs"].values())
    print(f"{found} of {len(store['bugs'])} found")


def table(before, after):
    a, b = (json.loads(Path(p).read_text("utf-8"))["bugs"] for p in (before, after))
    for name in dict.fromkeys([*a, *b]):
        told = [
            ("found" if x[name]["found"] else "NOT FOUND") if name in x else "-" for x in (a, b)
        ]
        print(
            f"{name:32} {told[0]:10} {told[1]:10}"
            + ("  <-- lost" if told == ["found", "NOT FOUND"] else "")
        )
    print(
        f"found before {sum(x['found'] for x in a.values())} of {len(a)}, after {sum(x['found'] for x in b.values())} of {len(b)}"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--check"]:
        sys.exit(check(Path(sys.argv[2]).resolve(), runpy.run_path(sys.argv[3])["BUGS"]) > 0)
    if sys.argv[1:2] == ["--table"]:
        sys.exit(table(*sys.argv[2:4]))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tree")
    parser.add_argument("bugs")
    parser.add_argument("out")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--exhaustive", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    run(parser.parse_args())
