"""Write the reports that pages of fields link to: small hierarchies, made-up labels."""

import contextlib
import random
import shutil
import tempfile
from pathlib import Path

from transcript import ran

from hierpair import read_hierarchy

DATA = Path(__file__).parent / "fields" / "data"
MICRO = "-m 'f(average=micro)' -m 'hf(average=micro)' -m 'count_f(average=micro)'"
REPORTS = {
    "protein-function": ("terms.obo", 3, {}, "-m hf -m gie -m best_match_average"),
    "single-cells": ("cells.obo", 1, {"names": "all"}, "--other-names all"),
    "biodiversity": ("taxa.csv", 1, {}, ""),
    "clinical-codes": ("icd.txt", 4, {"fmt": "codes"}, f"--hierarchy-format codes {MICRO}"),
    "product-catalogues": ("shop.txt", 1, {"separator": " > "}, "--hierarchy-separator ' > '"),
}
"""Field → hierarchy, labels at most, how it is read in Python, options of the report."""


def write_labels(rng: random.Random, ways: list[tuple[str, ...]], most: int) -> None:
    """Write labels of 150 instances, and of two systems: right, nearby, or too high."""
    truth = [rng.sample(ways, rng.randint(1, most)) for _ in range(150)]
    for system, right in (("truth", 1.0), ("first", 0.75), ("second", 0.55)):
        lines = []
        for k, labels in enumerate(truth):
            said = {}
            for way in labels:
                level = rng.randrange(len(way))
                near = rng.choice([other for other in ways if other[:level] == way[:level]])
                wrong = near if rng.random() < 0.8 else way[: max(1, level)]
                said[(way if rng.random() < right else wrong)[-1]] = None
            lines.append(f"x{k}\t{'|'.join(said)}\n")
        Path(f"{system}.tsv").write_text("".join(lines), "utf-8")


def write(folder: Path) -> None:
    """Write a report per field into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for field, (file, most, how, options) in REPORTS.items():
        hierarchy = read_hierarchy(DATA / file, roots="any", **how)
        above = {name: hierarchy.ancestors(name) for name in hierarchy.names}
        leaves = set(above).difference(*above.values())
        top = hierarchy.roots if len(hierarchy.roots) == 1 else []
        ways = [[c for c in (*above[leaf], leaf) if c not in top] for leaf in sorted(leaves)]
        called = hierarchy.titles if "names" in how else {}
        with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
            named = [tuple(called.get(c, c) for c in way) for way in ways]
            write_labels(random.Random(field), named, most)
            shutil.copy(DATA / file, file)
            given = f"{file} truth.tsv first.tsv second.tsv --roots any {options}"
            ran(f"hierpair report {given} --quiet -o '{folder.resolve()}/{field}-report.html'")
