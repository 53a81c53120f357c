"""The page that keeps the tables of speed.py, newest first: what an entry is, and how one is added.

    python tests/two_trees/history.py PAGE ENTRY.json       (an entry that speed.py wrote by --json)

A page is a text, then MARK, then entries. One that is not of that form is refused, so that nothing
is added to the middle of something else.
"""

import json
import re
import sys
from dataclasses import asdict, dataclass
from datetime import date
from math import exp, log
from pathlib import Path

MARK = "<!-- Entries of tests/two_trees/speed.py, newest first. -->"
HEADER = (
    "| workload | old s | new s | new / old | old MB | new MB | new / old |\n"
    "|---|---:|---:|---:|---:|---:|---:|"
)
COMMIT = r"`[0-9a-f]{7,40}`(?: with changes)?"
HEADING = re.compile(rf"## (\d{{4}}-\d\d-\d\d): {COMMIT} → {COMMIT}")
ROW = re.compile(
    r"\| [^|]*[^| ] \| \d+\.\d{3} \| \d+\.\d{3} \| \d+\.\d\d \| \d+ \| \d+ \| \d+\.\d\d \|"
)
MACHINE = re.compile(r"\w[^|#]*; the least of \d+ runs in turn\.")
MEAN = re.compile(r"\d+ workloads, geometric mean of the ratios of time \d+\.\d\d\.")
NOT_RUN = re.compile(r"Not run: [^|#]+\.")


@dataclass(frozen=True)
class Row:
    """CPU seconds and peak memory in MB of one workload in both trees."""

    workload: str
    seconds: tuple[float, float]
    peaks: tuple[float, float]

    @property
    def ratio(self):
        old, new = self.seconds
        return new / old if old else 1.0

    @property
    def larger(self):
        old, new = self.peaks
        return new / old

    def __str__(self):
        (old, new), (before, after) = self.seconds, self.peaks
        return (
            f"| {self.workload} | {old:.3f} | {new:.3f} | {self.ratio:.2f} "
            f"| {before:.0f} | {after:.0f} | {self.larger:.2f} |"
        )


def mean_ratio(rows):
    """The geometric mean of the ratios of time."""
    return exp(sum(log(row.ratio) for row in rows) / len(rows))


@dataclass(frozen=True)
class Entry:
    """One run: the day, the commits of both trees, the machine, a row per workload."""

    day: str
    commits: tuple[str, str]
    machine: str
    rows: tuple[Row, ...]
    not_run: tuple[str, ...] = ()

    def markdown(self):
        old, new = (re.sub(r"^\w+", r"`\g<0>`", commit) for commit in self.commits)
        rows = "\n".join(map(str, self.rows))
        blocks = [
            f"## {self.day}: {old} → {new}",
            self.machine,
            f"{HEADER}\n{rows}",
            f"{len(self.rows)} workloads, geometric mean of the ratios of time {mean_ratio(self.rows):.2f}.",
        ]
        if self.not_run:
            blocks.append(f"Not run: {', '.join(self.not_run)}.")
        return "\n\n".join(blocks) + "\n"

    def json(self):
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def of_json(cls, text):
        found = json.loads(text)
        rows = tuple(
            Row(r["workload"], tuple(r["seconds"]), tuple(r["peaks"])) for r in found["rows"]
        )
        return cls(
            found["day"], tuple(found["commits"]), found["machine"], rows, tuple(found["not_run"])
        )


def check(page):
    """Return the day of the newest entry, if any; refuse a page that is not of its form."""
    if page.count(MARK + "\n") != 1:
        raise ValueError(f"the page has not exactly one line {MARK}")
    if not page.endswith("\n") or page.endswith("\n\n"):
        raise ValueError("the page does not end with one line feed")
    head, _, tail = page.partition(MARK + "\n")
    line = head.count("\n") + 2
    days, place = [], "an entry"
    for block in tail.strip("\n").split("\n\n") if tail else ():
        line += 1
        place = _after(place, block, line, days)
        line += block.count("\n") + 1
    if place not in ("an entry", "an entry or what was not run"):
        raise ValueError(f"the page ends before {place}")
    if tail and not tail.startswith("\n## "):
        raise ValueError(f"after {MARK} comes one blank line and then an entry")
    return days[0] if days else None


def _after(place, block, line, days):
    """Return what has to follow a block, which has to be what is at its place."""
    if heading := HEADING.fullmatch(block):
        if not place.startswith("an entry"):
            raise ValueError(f"line {line}: {place} is missing")
        day = str(date.fromisoformat(heading[1]))
        if days and day > days[-1]:
            raise ValueError(f"line {line}: {day} is newer than {days[-1]} above it")
        days.append(day)
        return "a machine"
    if place == "a machine" and MACHINE.fullmatch(block):
        return "a table"
    if place == "a table" and block.startswith(HEADER + "\n"):
        for at, row in enumerate(block.split("\n")[2:], line + 2):
            if not ROW.fullmatch(row):
                raise ValueError(f"line {at}: not a row of a table: {row}")
        return "a mean"
    if place == "a mean" and MEAN.fullmatch(block):
        return "an entry or what was not run"
    if place == "an entry or what was not run" and NOT_RUN.fullmatch(block):
        return "an entry"
    raise ValueError(f"line {line}: not {place}: {block.splitlines()[0]}")


def with_entry(page, entry):
    """Return the page with an entry more, above the others."""
    newest = check(page)
    if newest is not None and entry.day < newest:
        raise ValueError(f"the page has an entry of {newest}, newer than {entry.day}")
    if not entry.rows:
        raise ValueError("an entry without a workload says nothing")
    head, _, tail = page.partition(MARK + "\n")
    text = f"{head}{MARK}\n\n{entry.markdown()}{tail}"
    check(text)
    return text


def append(path, entry):
    """Add an entry to the page of a file."""
    path = Path(path)
    path.write_text(with_entry(path.read_text("utf-8"), entry), "utf-8")


if __name__ == "__main__":
    append(sys.argv[1], Entry.of_json(Path(sys.argv[2]).read_text("utf-8")))
