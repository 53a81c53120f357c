"""Peak memory of ``hierpair score`` on files, with what ``hierpair check`` said beforehand.

    python -m tests.benchmarks.memory [tree|dag19|dag66]

Scores text files of 1/10 and of all DBpedia-Large-sized instances in processes of their own.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from hierpair.io import write_hierarchy, write_labels

from .workloads import DBPEDIA, generated_hierarchy, generated_labels


def main():
    kind = sys.argv[1] if len(sys.argv) > 1 else "tree"
    hierarchy = generated_hierarchy(kind, DBPEDIA["classes"])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("tree.tsv").write_text(write_hierarchy(hierarchy, "edges")[0])
        for instances in (DBPEDIA["instances"] // 10, DBPEDIA["instances"]):
            sides = generated_labels(hierarchy, instances, 3.3, 3.0)
            for name, sets in zip(("true.tsv", "pred.tsv"), sides, strict=True):
                Path(name).write_text(write_labels(sets, hierarchy, "table")[0])
            del sides
            files = ["tree.tsv", "true.tsv", "pred.tsv"]
            empty = peak("score", *files[:1], *one_instance())[0]
            used, seconds = peak("score", *files)
            said = subprocess.run(
                [sys.executable, "-m", "hierpair", "check", *files],
                capture_output=True, text=True, check=True,
            ).stdout  # fmt: skip
            expected = float(re.search(r"needs about ([\d,]+) MB", said)[1].replace(",", ""))
            print(
                f"{kind}, {instances:,} instances: {used:,.0f} MB ({used - empty:,.0f} beyond one "
                f"instance), {seconds:.1f} s; check says {expected:,.0f} MB"
            )


def one_instance():
    """Write files with the first instance alone."""
    for name in ("true", "pred"):
        head = Path(f"{name}.tsv").read_text().splitlines()[:2]
        Path(f"{name}-1.tsv").write_text("\n".join(head))
    return "true-1.tsv", "pred-1.tsv"


def peak(*arguments):
    """Run the command line; return peak megabytes and CPU seconds."""
    process = subprocess.Popen(
        [sys.executable, "-m", "hierpair", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0
    return used.ru_maxrss / 1024, used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
