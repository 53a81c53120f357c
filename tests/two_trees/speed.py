"""CPU time and peak memory of the workloads of docs/performance.md, two trees in turn in one run.

    python tests/two_trees/speed.py pair OLD_TREE NEW_TREE [WORKLOAD ...]
    python tests/two_trees/speed.py --list
    PYTHONPATH=TREE python tests/two_trees/speed.py serve WORKLOAD             (one side: "go" on stdin runs it once)

Each side is one process that prepares the data once; then both run in turn, REPEAT times. Caches of the
hierarchy are cleared before a run unless the workload says "warm". Names go through translate.py.
"""

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import resource  # noqa: E402
import statistics  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

REPEAT = int(os.environ.get("PERF_REPEAT", "5"))
PYTHON = sys.executable

WORKLOADS = {}


def workload(name, warm=False):
    def add(prepare):
        WORKLOADS[name] = prepare, warm
        return prepare

    return add


def generated(kind, classes, n, true=3.3, pred=3.25):
    import record

    h = record.generated_hierarchy(kind, classes)
    return h, *record.generated_labels(h, n, true, pred)


def scoring(h, y, texts, **how):
    import record
    from translate import call

    ms = [record.measure_of_text(t) if isinstance(t, str) else t for t in texts]
    return h, lambda: call("score", h, y[0], {"s": y[1]}, ms, **how)


def plain():
    """The default measures less those of graphs."""
    return ["subset_accuracy", "precision", "recall", "f", "hamming_loss", "level_accuracy", "level_hamming",
            "gie", "mgia", "fnerror", "hp", "hr", "hf", "sdl"]  # fmt: skip


for kind, classes, n in (
    ("tree", 60_000, 60_000),
    ("dag19", 40_000, 40_000),
    ("dag66", 8_000, 8_000),
):

    @workload(f"defaults {kind}")
    def _(kind=kind, classes=classes, n=n):
        h, *y = generated(kind, classes, n)
        return scoring(h, y, plain())


@workload("defaults tree warm", warm=True)
def _():
    h, *y = generated("tree", 60_000, 60_000)
    return scoring(h, y, plain())


@workload("sets tree", warm=True)
def _():
    h, *y = generated("tree", 60_000, 100_000)
    return scoring(h, y, ["hp", "hr", "hf", "sdl"])


@workload("sets dag19", warm=True)
def _():
    h, *y = generated("dag19", 40_000, 60_000)
    return scoring(h, y, ["hp", "hr", "hf", "sdl"])


@workload("flat and levels", warm=True)
def _():
    h, *y = generated("tree", 60_000, 60_000)
    return scoring(
        h,
        y,
        [
            "precision",
            "recall",
            "f",
            "subset_accuracy",
            "hamming_loss",
            "level_accuracy",
            "leaf_accuracy",
            "level_hamming",
        ],
    )


@workload("everything dag19")
def _():
    h, *y = generated("dag19", 20_000, 15_000)
    return scoring(h, y, [*plain(), "precision(average=micro)", "f(average=macro)", "hp(average=micro)", "hf(average=macro)",
                          "hf(augment=descendants)", "hf(augment=pruned)", "hf(threshold=4)", "sdl(threshold=4)", "gie(threshold=4)",
                          "mgia(threshold=4)", "gie(price=decayed)", "gie(max_distance=4)", "mgia(denominator=symdiff)"])  # fmt: skip


@workload("closure dag19")
def _():
    from translate import call

    h, *_ = generated("dag19", 60_000, 10)
    return h, lambda: call("ancestor_closure", h)


@workload("gie and mgia tree", warm=True)
def _():
    h, *y = generated("tree", 60_000, 60_000)
    return scoring(h, y, ["gie", "mgia"])


@workload("gie and mgia dag19", warm=True)
def _():
    h, *y = generated("dag19", 20_000, 40_000)
    return scoring(h, y, ["gie", "mgia"])


@workload("gie float costs", warm=True)
def _():
    h, *y = generated("tree", 20_000, 30_000)
    return scoring(h, y, ["gie(price=decayed)", "gie(price=lin)"])


@workload("mesh 12 labels")
def _():
    import record
    from translate import call

    h = call("read_hierarchy", record.DATA / "mesh2016" / "hierarchy.txt")
    return scoring(h, record.generated_labels(h, 4000, 12, 12), plain())


@workload("germeval five systems")
def _():
    import record
    from translate import call, measure

    h, truth, systems = record.germeval()
    ms = [measure(m) for m in plain()]
    return h, lambda: call("score", h, truth, systems, ms, unknown="drop", missing="empty")


@workload("names, micro sets")
def _():
    import numpy as np
    import record
    from translate import call, find

    w = 6
    edges, leaves = [("root", f"{a}") for a in range(w)], []
    for a in range(w):
        for b in range(w):
            edges.append((f"{a}", f"{a}.{b}"))
            for c in range(w):
                edges.append((f"{a}.{b}", f"{a}.{b}.{c}"))
                for d in range(w):
                    edges.append((f"{a}.{b}.{c}", f"{a}.{b}.{c}.{d}"))
                    leaves.append(f"{a}.{b}.{c}.{d}")
    h = find("Hierarchy").from_edges(edges)
    rng = np.random.default_rng(1)
    true = rng.integers(0, len(leaves), 60_000)
    pred = np.where(rng.random(60_000) < 0.6, true, rng.integers(0, len(leaves), 60_000))
    y = np.array(leaves)[true], np.array(leaves)[pred]
    ms = [
        record.measure_of_text(t)
        for t in ("hp(average=micro)", "hr(average=micro)", "hf(average=micro)", "sdl")
    ]
    return h, lambda: call("score", h, y[0], {"s": y[1]}, ms)


for kind, classes, n in (("tree", 60_000, 40_000), ("dag19", 20_000, 8_000)):

    @workload(f"lca exact {kind}", warm=True)
    def _(kind=kind, classes=classes, n=n):
        h, *y = generated(kind, classes, n)
        return scoring(h, y, ["lca_f"])


@workload("lca full and greedy", warm=True)
def _():
    h, *y = generated("dag19", 20_000, 6_000)
    return scoring(h, y, ["lca_f(extension=full)", "lca_f(extension=greedy)"])


for labels, n in ((2, 5000), (3.3, 5000), (12, 2500)):
    for extension in ("exact", "greedy"):

        @workload(f"lca {extension} mesh {labels}", warm=True)
        def _(labels=labels, n=n, extension=extension):
            import record
            from translate import call

            h = call("read_hierarchy", record.DATA / "mesh2016" / "hierarchy.txt")
            name = f"lca_f(extension={extension})"
            return scoring(h, record.generated_labels(h, n, labels, labels), [name])


@workload("confusion germeval")
def _():
    import record
    from translate import call, measure

    h, truth, systems = record.germeval()
    ms = [measure("hcm_f"), measure("hcm_f", pairing="published"), measure("hcm_mcc")]
    return h, lambda: call("score", h, truth, systems, ms, unknown="drop", missing="empty")


@workload("confusion tree", warm=True)
def _():
    h, *y = generated("tree", 60_000, 40_000)
    return scoring(h, y, ["hcm_f"])


@workload("confusion mesh paths", warm=True)
def _():
    import numpy as np
    import record
    from translate import call, find

    h = call("read_hierarchy", record.DATA / "mesh2016" / "hierarchy.txt")
    truth, pred = record.generated_labels(h, 1500, 12, 12)
    rng = np.random.default_rng(0)

    def path(c):
        found = [c]
        while True:
            above = h.parents[h.parent_ptr[c] : h.parent_ptr[c + 1]]
            if not len(above):
                return tuple(h.names[x] for x in reversed(found))
            c = int(rng.choice(above))
            found.append(c)

    known = {}
    rows = [
        [
            known.setdefault(c, path(c))
            for c in pred.indices[pred.indptr[i] : pred.indptr[i + 1]].tolist()
        ]
        for i in range(len(pred))
    ]
    paths = find("LabelSets").from_levels(rows, h)
    return scoring(h, (truth, paths), ["hcm_f", "hcm_f(pairing=published)"])


@workload("contributions", warm=True)
def _():
    h, *y = generated("tree", 60_000, 60_000)
    return scoring(h, y, ["con_precision", "con_recall", "con_f", "con_accuracy", "con_error"])


@workload("contributions macro", warm=True)
def _():
    h, *y = generated("tree", 60_000, 60_000)
    return scoring(
        h,
        y,
        ["con_precision(average=macro)", "con_f(average=macro)", "con_accuracy(average=macro)"],
    )


@workload("contributions similarities", warm=True)
def _():
    h, *y = generated("tree", 20_000, 30_000)
    return scoring(
        h,
        y,
        [
            f"con_f(price={p},theta=0.5)"
            for p in ("decayed", "ancestors", "wu_palmer", "lin", "resnik")
        ],
    )


@workload("depth and h_loss", warm=True)
def _():
    h, *y = generated("dag19", 30_000, 40_000)
    return scoring(
        h,
        y,
        [
            "depth_loss",
            "depth_euclidean",
            "depth_accuracy",
            "depth_loss(normalise=path)",
            "h_loss",
            "h_loss(costs=subtree)",
        ],
    )


@workload("descendants", warm=True)
def _():
    h, *y = generated("tree", 60_000, 60_000)
    return scoring(h, y, ["descendant_precision", "descendant_recall", "descendant_f"])


@workload("costs", warm=True)
def _():
    h, *y = generated("tree", 60_000, 100_000, 1, 1)
    return scoring(
        h,
        y,
        [
            f"{m}(price={p})"
            for m in ("mean_cost", "total_cost")
            for p in ("hops", "decayed", "wu_palmer", "lin")
        ],
    )


@workload("macro averages", warm=True)
def _():
    h, *y = generated("tree", 60_000, 60_000)
    return scoring(
        h, y, ["hf(average=macro)", "hp(average=weighted)", "f(average=macro)"], keep_classes=True
    )


def systems_of(n, k, classes):
    import record

    h = record.generated_hierarchy("dag19", classes, depth=8)
    truth, _ = record.generated_labels(h, n, 2, 2)
    return h, truth, {f"s{i}": record.generated_labels(h, n, 2, 2, i)[1] for i in range(k)}


@workload("comparing", warm=True)
def _():
    import record
    from translate import call

    h, truth, systems = systems_of(8000, 10, 5000)
    ms = [
        record.measure_of_text(t)
        for t in (
            "subset_accuracy",
            "f",
            "hp",
            "hr",
            "hf",
            "hf(average=micro)",
            "f(average=micro)",
            "hp(average=micro)",
            "sdl",
        )
    ]
    scores = call("score", h, truth, systems, ms)
    return h, lambda: call("compare", scores, n_permutations=2000, n_bootstrap=500)


@workload("comparing macro", warm=True)
def _():
    import record
    from translate import call

    h, truth, systems = systems_of(4000, 4, 2000)
    scores = call(
        "score", h, truth, systems, [record.measure_of_text("hf(average=macro)")], keep_classes=True
    )
    return h, lambda: call("compare", scores, n_permutations=300, n_bootstrap=100)


def law_of(n):
    import numpy as np
    import record
    from translate import call, find

    h = call("read_hierarchy", record.DATA / "hwv" / "taxonomy.tsv")
    leaves = np.flatnonzero(np.diff(h.child_ptr) == 0)
    rng = np.random.default_rng(0)
    z = np.exp(3 * rng.normal(size=(n, len(leaves))))
    law = call(find("Law").from_leaves, z / z.sum(axis=1, keepdims=True), h)
    return (
        h,
        law,
        find("LabelSets").from_arrays(
            np.arange(n + 1), leaves[rng.integers(0, len(leaves), n)], len(h)
        ),
    )


@workload("curves")
def _():
    from translate import call

    h, law, truth = law_of(2003)
    scores = law.marginals()
    return (
        h,
        lambda: (
            [
                call("precision_recall_curves", truth, scores, drop_intermediate=d).areas()
                for d in (False, True)
            ]
            * 5
        ),
    )


@workload("decode sets")
def _():
    import record
    from translate import call

    h, law, _ = law_of(500)
    return h, lambda: [call("decode", law=law, measure=record.measure_of_text(m)) for m in
                       ("hf", "hf(beta=2)", "sdl", "shortest_path", "leaf_accuracy", "hf(average=micro)")]  # fmt: skip


@workload("decode gie")
def _():
    from translate import call, measure

    h, law, _ = law_of(60)
    return h, lambda: call("decode", law=law, measure=measure("gie"))


@workload("explain", warm=True)
def _():
    from translate import call, measure

    h, *y = generated("dag19", 5_000, 200)
    return h, lambda: call(
        "explain",
        h,
        y[0],
        y[1],
        [measure(m) for m in ("gie", "hf", "lca_f", "mgia")],
        instances=range(40),
    )


@workload("verify")
def _():
    from translate import call

    os.environ.setdefault("HIERPAIR_DATA", str(HERE.parents[2] / "shared" / "data"))
    return None, lambda: call(
        "verify",
        [n for n in call("case_names") if n.startswith(("germeval2019-b", "plaud", "transposon"))],
    )


def command(*arguments):
    """CPU seconds and peak of a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "hierpair", *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, arguments
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


@workload("files, command line")
def _():
    h, *y = generated("tree", 30_000, 30_000)
    folder = Path(tempfile.mkdtemp())
    names = h.names
    (folder / "tree.tsv").write_text("".join(
        f"{names[p]}\t{names[c]}\n" for c in range(len(h)) for p in h.parents[h.parent_ptr[c] : h.parent_ptr[c + 1]].tolist()))  # fmt: skip
    for file, sets in (("true.tsv", y[0]), ("pred.tsv", y[1])):
        (folder / file).write_text("".join(
            f"{i}\t{'|'.join(str(names[c]) for c in sets.indices[sets.indptr[i] : sets.indptr[i + 1]])}\n" for i in range(len(sets))))  # fmt: skip
    files = [folder / f for f in ("tree.tsv", "true.tsv", "pred.tsv")]
    return None, lambda: command("score", *files)


@workload("version, command line")
def _():
    return None, lambda: command("--version")


# ----------------------------------------------------------------------------- serving and pairing


def serve(name):
    import hierpair

    prepare, warm = WORKLOADS[name]
    hierarchy, job = prepare()
    if warm:
        job()
    print(f"ready {hierpair.__file__}", flush=True)
    for line in sys.stdin:
        if line.strip() != "go":
            break
        if hierarchy is not None and not warm:
            getattr(hierarchy, "cache", getattr(hierarchy, "_cache", None)).clear()
        start = time.process_time()
        found = job()
        seconds = time.process_time() - start
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        if isinstance(found, tuple):
            seconds, own = found
        del found
        print(f"{seconds} {own}", flush=True)


class Side:
    def __init__(self, tree, name):
        env = {**os.environ, "PYTHONPATH": str(tree)}
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([PYTHON, __file__, "serve", name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True, env=env, cwd=tempfile.gettempdir())  # fmt: skip
        self.best, self.peak = float("inf"), 0.0

    def ready(self, tree):
        line = self.process.stdout.readline()
        if not line.startswith(f"ready {Path(tree).resolve()}/"):
            self.errors.seek(0)
            raise RuntimeError((line + self.errors.read())[-600:])

    def go(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            self.errors.seek(0)
            raise RuntimeError(self.errors.read()[-600:])
        seconds, peak = map(float, line.split())
        self.best, self.peak = min(self.best, seconds), max(self.peak, peak)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def pair(old, new, names):
    """Measure and print."""
    ratios = {}
    begin = time.monotonic()
    print(
        f"{'workload':28} {'old s':>8} {'new s':>8} {'ratio':>6}   {'old MB':>7} {'new MB':>7} {'ratio':>6}"
    )
    for name in names or WORKLOADS:
        sides = []
        try:
            for tree in (old, new):  # one after the other, so that preparing does not disturb
                sides.append(Side(tree, name))
                sides[-1].ready(tree)
            for k in range(REPEAT):
                for side in sides if k % 2 == 0 else reversed(sides):
                    side.go()
        except RuntimeError as error:
            print(f"{name:28} could not be run: {str(error).strip().splitlines()[-1:]}", flush=True)
            continue
        finally:
            for side in sides:
                side.end()
        a, b = sides
        slower, larger = b.best / a.best, b.peak / a.peak
        mark = " <-- slower" if slower > 1.05 else " <-- larger" if larger > 1.05 else ""
        ratios[name] = slower
        print(
            f"{name:28} {a.best:8.3f} {b.best:8.3f} {slower:6.2f}   {a.peak:7.0f} {b.peak:7.0f} {larger:6.2f}{mark}",
            flush=True,
        )
    if ratios:
        mean, worst = statistics.geometric_mean(ratios.values()), max(ratios, key=ratios.get)
        print(f"geometric mean of {len(ratios)} ratios {mean:.3f}; largest {ratios[worst]:.2f} ({worst}); "
              f"{time.monotonic() - begin:.0f} s")  # fmt: skip


if __name__ == "__main__":
    verb, *rest = sys.argv[1:] or ["--list"]
    if verb == "serve":
        serve(*rest)
    elif verb == "pair":
        old, new, *names = rest
        pair(Path(old).resolve(), Path(new).resolve(), names)
    else:
        print("\n".join(WORKLOADS))
