"""Cost of a report: python -m tests.benchmarks.report [tree|dag19|dag66] [single] [page FILE]

Classes are named by words of the articles in HIERPAIR_DATA. Prints CPU seconds of every step, peak
memory, and for every section of the page its bytes and what it adds to the page (deflated, as
text). ``single`` gives every instance one label. With ``page`` the systems are scored, and the whole
page is written to a file, comparing included.
"""

import json
import os
import re
import resource
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from hierpair import score
from hierpair.hierarchy.arrays import offsets, row_numbers
from hierpair.labels import LabelSets
from hierpair.report import write_report
from hierpair.report.counts import (
    MOST_CONFUSIONS,
    class_counts,
    class_sections,
    confusion_sections,
    confusions,
)
from hierpair.report.drawn_tree import drawn_tree
from hierpair.report.packing import packed_text, section

from .workloads import DBPEDIA, _random_neighbour, generated_hierarchy, generated_labels

N_SYSTEMS = 5
DATA = Path(os.environ.get("HIERPAIR_DATA", Path(__file__).parents[3] / "shared" / "data"))


def named(hierarchy, seed=0):
    """The same classes, named by one to four words that follow each other in articles; half of them
    end in words that they share with their siblings, as "Bridges in Poland" and "Castles in Poland" do."""
    words = []
    for part in ("test", "val"):
        for line in (DATA / "hwv" / f"hwv_{part}.json").read_text("utf-8").splitlines():
            words += re.findall(r"[\w'’-]+", json.loads(line)["token"][0])
    rng = np.random.default_rng(seed)
    n = len(hierarchy)
    start, length = rng.integers(0, len(words) - 4, n), 1 + rng.binomial(3, 0.3, n)
    joint = rng.choice([" in ", " of ", " by ", ", "], n, p=[0.4, 0.3, 0.15, 0.15])
    parents = np.where(
        np.diff(hierarchy.parent_ptr) > 0,
        hierarchy.parents[hierarchy.parent_ptr[:-1].clip(max=len(hierarchy.parents) - 1)],
        -1,
    )
    alike = rng.random(n) < 0.5
    names, taken = [], set()
    for c, p in enumerate(parents.tolist()):
        name = " ".join(words[start[c] : start[c] + length[c]]).capitalize()
        if alike[c] and p >= 0:
            name += joint[p] + " ".join(words[start[p] : start[p] + 1])
        while name in taken:
            name += " " + words[int(rng.integers(len(words)))]
        taken.add(name)
        names.append(name)
    return replace(hierarchy, names=tuple(names))


class Clock:
    """CPU seconds of steps."""

    def __init__(self):
        self.all = 0.0

    def __call__(self, what, call):
        start = time.process_time()
        found = call()
        spent = time.process_time() - start
        self.all += spent
        print(f"{what:40} {spent:6.2f} s   peak {peak():6.0f} MB", flush=True)
        return found


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    kind = next((a for a in sys.argv[1:] if a in ("tree", "dag19", "dag66")), "tree")
    mean = 1 if "single" in sys.argv else 3.3
    hierarchy = named(generated_hierarchy(kind, DBPEDIA["classes"]))
    n = DBPEDIA["instances"]
    y_true, _ = generated_labels(hierarchy, n, mean, mean)
    systems = {f"s{k}": predicted(hierarchy, y_true, k) for k in range(N_SYSTEMS)}
    length = np.mean([len(name) for name in hierarchy.names])
    plain = len(packed_text([section("names", hierarchy.names)])) * 13 / 16 / len(hierarchy)
    print(
        f"{hierarchy.describe()}; names of {length:.1f} characters, deflated {plain:.1f} bytes, such as {hierarchy.names[len(hierarchy) // 2]!r}"
    )
    print(
        f"{n:,} instances x {len(systems)} systems; {len(y_true.indices):,} true labels; peak so far {peak():.0f} MB"
    )
    clock = Clock()
    if "page" in sys.argv:
        whole_page(hierarchy, y_true, systems, clock, sys.argv[sys.argv.index("page") + 1])
        return
    tree = clock("drawn tree", lambda: drawn_tree(hierarchy))
    counts = clock(
        "class counts", lambda: class_counts(hierarchy, y_true, [*systems.values()], tree)
    )
    most = MOST_CONFUSIONS // len(systems)
    found = clock("confusions", lambda: [confusions(y_true, s, most) for s in systems.values()])
    sections = clock(
        "sections",
        lambda: [
            *tree.sections(hierarchy),
            *class_sections(*counts, tree),
            *confusion_sections(found, tree),
        ],
    )
    text = clock("packed", lambda: packed_text(sections))
    print(f"{'all':40} {clock.all:6.2f} s")
    print(f"in the page {len(text):,} bytes")
    for s in sections:
        size = len(packed_text([s]))
        print(f"  {s.name:14} {len(s.data):10,} bytes {size:10,} in the page")
    for k, (pairs, n_all) in enumerate(found):
        share = pairs[2].sum() / max(1, n_all)
        print(
            f"system {k}: {pairs.shape[1]:,} pairs kept, {pairs[2].sum():,} of {n_all:,} confusions ({share:.1%})"
        )
    print(json.dumps({"cpu": round(clock.all, 2), "page": len(text), "peak_mb": round(peak())}))


def whole_page(hierarchy, y_true, systems, clock, path):
    """Score and write, comparing included; what counts is the last step."""
    scores = clock("score", lambda: score(hierarchy, y_true, systems, ["hf", "gie"]))
    before = clock.all
    clock("page", lambda: write_report(scores, path))
    n_bytes = Path(path).stat().st_size
    print(
        json.dumps({"cpu": round(clock.all - before, 2), "page": n_bytes, "peak_mb": round(peak())})
    )


def predicted(hierarchy, y_true, seed):
    """Predictions of one system: each label is right, near (up or sideways), random or left out."""
    rng = np.random.default_rng(seed)
    true, n = y_true.indices.astype(np.int64), len(hierarchy)
    kind = rng.random(len(true)) + 0.03 * (seed % 3)
    parent = _random_neighbour(hierarchy.parent_ptr, hierarchy.parents, true, rng)
    sibling = _random_neighbour(hierarchy.child_ptr, hierarchy.children, parent, rng)
    anywhere = rng.integers(1, n, len(true))
    labels = np.select([kind < 0.45, kind < 0.6, kind < 0.8], [true, parent, sibling], anywhere)
    there = rng.random(len(true)) < 0.96
    length = np.bincount(row_numbers(y_true.indptr)[there], minlength=len(y_true))
    return LabelSets.from_arrays(offsets(length), labels[there], n)


if __name__ == "__main__":
    main()
