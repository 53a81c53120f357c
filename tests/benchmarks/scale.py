"""Cost of large data sets: CPU time, memory and bytes of a run in one process and on Dask workers.

    python -m tests.benchmarks.scale make FOLDER ROWS     # a tree of 10^5 classes, parts of 500,000 rows
    python -m tests.benchmarks.scale run FOLDER [one | dask WORKERS | arrays] [MEASURE…]

``arrays`` reads names into class numbers first, and scores label sets in memory. A run prints CPU
seconds (user and system, with all processes), seconds on the wall, and the peak memory of this
process and of the largest other one.
"""

import os
import resource
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hierpair import Hierarchy, LabelSets, score
from hierpair.evaluation import score_dataset
from hierpair.io import read_hierarchy, write_hierarchy

CLASSES, ROWS_PER_FILE = 100_000, 500_000
MEASURES = ["hf", "hp", "hr", "gie", "mgia"]


def make(folder, n_rows):
    """One label per row and side; half of the predictions are right, the others near or anywhere."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    parents = np.array(
        [rng.integers(k // 12, max(1, k // 6)) if k > 12 else 0 for k in range(1, CLASSES)]
    )
    names = np.array([f"class-{k:06}" for k in range(CLASSES)])
    tree = Hierarchy.from_edges(list(zip(names[parents].tolist(), names[1:].tolist(), strict=True)))
    (folder / "tree.tsv").write_text(write_hierarchy(tree, "edges")[0])
    above = np.concatenate([[0], parents])
    (folder / "parts").mkdir()
    for k, start in enumerate(range(0, n_rows, ROWS_PER_FILE)):
        n = min(ROWS_PER_FILE, n_rows - start)
        truth = rng.integers(CLASSES // 10, CLASSES, n)
        draw = rng.random(n)
        guess = np.where(
            draw < 0.5, truth, np.where(draw < 0.8, above[truth], rng.integers(0, CLASSES, n))
        )
        table = pa.table({
            "id": pa.array([f"{i:011}" for i in range(start, start + n)]),
            "truth": pa.array(names[truth]),
            "system": pa.array(names[guess]),
        })  # fmt: skip
        pq.write_table(table, folder / "parts" / f"{k:05}.parquet", row_group_size=125_000)


def run(folder, how, workers, measures):
    data, tree = folder / "parts", folder / "tree.tsv"
    engine = {"engine": "dask", "n_workers": workers} if how == "dask" else {}
    return score_dataset(tree, data, measures=measures, **engine)


def numbers_in(folder, column, names):
    """The classes of a column of all files, by their places among the names."""
    files = sorted((folder / "parts").glob("*.parquet"))
    found = [
        pc.index_in(pq.read_table(path, columns=[column])[column], value_set=names)
        for path in files
    ]
    return np.concatenate([one.to_numpy() for one in found])


def run_on_arrays(folder, measures):
    """Score the same rows as arrays; the CPU of reading and that of scoring are printed."""
    tree = read_hierarchy(folder / "tree.tsv")
    before = time.process_time()
    names = pa.array(tree.names)
    columns = [numbers_in(folder, column, names) for column in ("truth", "system")]
    y_true, y_pred = (
        LabelSets.from_arrays(np.arange(len(column) + 1), column, len(tree)) for column in columns
    )
    read = time.process_time()
    scores = score(tree, y_true, {"system": y_pred}, measures)
    print(f"reading {read - before:.1f} s, score {time.process_time() - read:.1f} s of CPU")
    return scores


def main():
    verb, folder, *more = sys.argv[1:]
    if verb == "make":
        make(Path(folder), int(more[0]))
        return
    how = more.pop(0) if more else "one"
    workers = int(more.pop(0)) if how == "dask" else 0
    began = time.monotonic()
    chosen = more or MEASURES
    if how == "arrays":
        scores = run_on_arrays(Path(folder), chosen)
    else:
        scores = run(Path(folder), how, workers, chosen)
    wall, cpu = time.monotonic() - began, os.times()
    peaks = [
        resource.getrusage(who).ru_maxrss / 1e3
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    size = len(scores.partial.to_bytes()) if scores.partial else 0
    print(
        f"{how} {workers}: {scores.n_instances:,} rows, CPU {sum(cpu[:2]):.1f} s here and "
        f"{sum(cpu[2:4]):.1f} s in others, {wall:.1f} s on the wall, peak {peaks[0]:.0f} MB here and "
        f"{peaks[1]:.0f} MB in another, partial {size:,} bytes"
    )
    print([f"{v:.12f}" for v in scores.values[0]])


if __name__ == "__main__":
    main()
