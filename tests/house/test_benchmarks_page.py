"""The page that keeps tables of speed takes well-formed entries only, newest first."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.two_trees import history
from tests.two_trees.history import MARK, Entry, Row, append, check, with_entry

ROOT = Path(__file__).parents[2]
EMPTY = f"# Benchmarks\n\nWhat they are.\n\n{MARK}\n"
ENTRY = Entry(
    "2026-11-24",
    ("45a8d4a", "bf190ac with changes"),
    "A processor, 2 cores; Python 3.11.7; the least of 5 runs in turn.",
    (Row("sets tree", (0.2, 0.1), (100.0, 110.4)), Row("gie, float", (1.0, 0.5), (50.0, 40.0))),
)
TEXT = """\
## 2026-11-24: `45a8d4a` → `bf190ac` with changes

A processor, 2 cores; Python 3.11.7; the least of 5 runs in turn.

| workload | old s | new s | new / old | old MB | new MB | new / old |
|---|---:|---:|---:|---:|---:|---:|
| sets tree | 0.200 | 0.100 | 0.50 | 100 | 110 | 1.10 |
| gie, float | 1.000 | 0.500 | 0.50 | 50 | 40 | 0.80 |

2 workloads, geometric mean of the ratios of time 0.50.
"""


def test_the_page_of_the_documentation_is_well_formed():
    check((ROOT / "docs" / "benchmarks.md").read_text("utf-8"))


def test_entries_are_added_above_the_others(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(EMPTY, "utf-8")
    append(path, ENTRY)
    assert path.read_text("utf-8") == f"{EMPTY}\n{TEXT}"
    append(path, replace(ENTRY, day="2026-12-01", not_run=("curves", "verify")))
    later = TEXT.replace("11-24", "12-01") + "\nNot run: curves, verify.\n"
    assert path.read_text("utf-8") == f"{EMPTY}\n{later}\n{TEXT}"
    assert check(path.read_text("utf-8")) == "2026-12-01"


def test_an_entry_goes_through_json(tmp_path):
    assert Entry.of_json(ENTRY.json()) == ENTRY
    page, entry = tmp_path / "page.md", tmp_path / "entry.json"
    page.write_text(EMPTY, "utf-8")
    entry.write_text(ENTRY.json(), "utf-8")
    subprocess.run([sys.executable, history.__file__, page, entry], check=True)
    assert page.read_text("utf-8") == f"{EMPTY}\n{TEXT}"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (MARK, "", "not exactly one line"),
        (MARK, f"{MARK}\n{MARK}", "not exactly one line"),
        ("0.50.\n", "0.50.\n\n", "does not end with one line feed"),
        ("2 workloads", "Some workloads", "line 16: not a mean: Some"),
        ("\n2 workloads, geometric mean of the ratios of time 0.50.\n", "", "ends before a mean"),
        ("| sets tree | 0.200", "| sets tree | fast", "line 13: not a row of a table: . sets tree"),
        ("| 1.10 |", "| 1.10 | 7 |", "line 13: not a row"),
        ("| old s |", "| before |", "line 11: not a table"),
        ("A processor", "| A processor", "line 9: not a machine"),
        (
            "A processor, 2 cores; Python 3.11.7; the least of 5 runs in turn.\n\n",
            "",
            "not a machine",
        ),
        ("`45a8d4a`", "`the first`", "line 7: not an entry"),
        ("2026-11-24", "2026-13-24", "month"),
        (f"{MARK}\n\n", f"{MARK}\n", "one blank line"),
        (f"{MARK}\n\n", f"{MARK}\n\nA remark.\n\n", "line 7: not an entry: A remark"),
    ],
)
def test_a_malformed_page_is_refused_and_left_as_it_is(old, new, message, tmp_path):
    page = f"{EMPTY}\n{TEXT}"
    assert old in page
    path = tmp_path / "page.md"
    path.write_text(page.replace(old, new, 1), "utf-8")
    before = path.read_bytes()
    with pytest.raises(ValueError, match=message):
        append(path, ENTRY)
    assert path.read_bytes() == before


def test_entries_stand_newest_first():
    page = with_entry(EMPTY, ENTRY)
    with pytest.raises(ValueError, match=r"an entry of 2026-11-24, newer than 2026-11-23$"):
        with_entry(page, replace(ENTRY, day="2026-11-23"))
    with pytest.raises(ValueError, match="2026-11-24 is newer than 2026-11-20 above it"):
        check(f"{EMPTY}\n{TEXT.replace('11-24', '11-20')}\n{TEXT}")


def test_an_entry_has_a_workload_and_nothing_that_breaks_the_table():
    with pytest.raises(ValueError, match="without a workload"):
        with_entry(EMPTY, replace(ENTRY, rows=()))
    with pytest.raises(ValueError, match="not a row of a table"):
        with_entry(EMPTY, replace(ENTRY, rows=(Row("a | b", (1.0, 1.0), (1.0, 1.0)),)))
