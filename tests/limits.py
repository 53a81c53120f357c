"""Every constant that chooses another path, with its smallest and its largest sensible value.

Random comparisons with definitions take them in turns. A new one gets a line in :data:`LIMITS`, or
in :data:`NO_PATH` with the reason why no number can depend on it; tests/house/test_two_ways.py
finds those that are in neither.
"""

import importlib
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from unittest.mock import patch

HUGE = 10**12


@dataclass(frozen=True)
class Limit:
    """A constant, its extreme values, and what it chooses.

    All measures are scored at both ends; ``checks`` names what else is done (functions of
    tests/house/test_two_ways.py), ``beside`` what else has to be set for the limit to matter.
    ``rounds`` allows the last bits that docs/conventions.md allows: other instances come together.
    Of the variants of measures every ``step``-th is taken.
    """

    key: str
    least: int
    most: int
    path: str
    checks: tuple[str, ...] = ()
    beside: dict[str, object] = field(default_factory=dict, hash=False)
    rounds: bool = False
    step: int = 6

    @property
    def module(self):
        return self.key.rpartition(".")[0]

    @property
    def name(self):
        return self.key.rpartition(".")[2]

    def __str__(self):
        return self.key


@contextmanager
def set_to(limit, value):
    """Set a constant, and those beside it, for a while."""
    with ExitStack() as stack:
        for key, number in {str(limit): value, **limit.beside}.items():
            module, _, name = key.rpartition(".")
            home = importlib.import_module(f"hierpair.{module}")
            assert hasattr(home, name)
            stack.enter_context(patch.object(home, name, number))
        yield


LAZY = {"hierarchy.closure.WHOLE_LIMIT": 1}
COMPARED = ("compare", "listed")
ROUNDS = True

LIMITS = tuple(Limit(*row) for row in (
    ("hierarchy.closure.WHOLE_LIMIT", 1, HUGE, "closure whole, or of the classes in use",
     ("decode", "compare", "differ")),
    ("hierarchy.closure.BYTE_DEPTH", 1, 255, "distances of 8 or 32 bits"),
    ("hierarchy.closure.BYTE_DEPTH", 1, 255, "the same of closures built lazily", (), LAZY),
    ("hierarchy.closure.FEW_ROWS", 0, HUGE, "rows gathered with or without a matrix"),
    ("hierarchy.closure.SAMPLED_CLASSES", 1, 10_000, "the estimate that cuts chunks", ("decode",),
     {**LAZY, "evaluation.batches.CHUNK_ANCESTORS": 50}, ROUNDS, 18),
    ("hierarchy.closure.BLOCK_ENTRIES", 1, HUGE, "blocks of pairs", (), {}, False, 18),
    ("hierarchy.closure.EXPONENT_ROOM", 0, 126, "distances from exponents or sums", ("decode",)),
    ("evaluation.batches.CHUNK", 1, HUGE, "instances at a time", ("compare",), {}, ROUNDS, 18),
    ("evaluation.batches.CHUNK_PAIRS", 1, HUGE, "pairs at a time", ("compare",), {}, ROUNDS, 18),
    ("evaluation.batches.CHUNK_ANCESTORS", 1, HUGE, "ancestors at a time", ("compare",), LAZY, ROUNDS, 18),
    ("evaluation.batches.CHUNK_LEVELS", 1, HUGE, "instances times levels at a time", (), {}, ROUNDS, 18),
    ("measures.recipes.augmentation.BLOCK_ENTRIES", 1, HUGE, "blocks of augmented sets", ("compare",)),
    ("measures.recipes.augmentation.MANY_ENTRIES", 0, HUGE, "classes of an instance sorted or marked", (),
     {"measures.recipes.augmentation.CLASSES_PER_ENTRY": HUGE}),
    ("measures.recipes.augmentation.CLASSES_PER_ENTRY", 1, HUGE, "the same in large hierarchies", (),
     {"measures.recipes.augmentation.MANY_ENTRIES": 0}),
    ("measures.recipes.augmentation.LONG_ROW", 0, HUGE, "marks with or without a copy", (),
     {"measures.recipes.augmentation.MANY_ENTRIES": 0, "measures.recipes.augmentation.CLASSES_PER_ENTRY": HUGE}),
    ("measures.recipes.augmentation.ROW_BITS", 1, 40, "instances that a short key holds"),
    ("measures.recipes.batch.KEPT_ENTRIES", 0, HUGE, "cells that are kept or sorted anew", ("compare",)),
    ("confusion.paths.BLOCK_ENTRIES", 1, HUGE, "siblings of paths in blocks"),
    ("confusion.paths.BLOCK_PAIRS", 1, HUGE, "pairs of paths and classes in blocks"),
    ("pairing.costs.BLOCK_PAIRS", 1, HUGE, "pairs tried for the largest cost"),
    ("lca.search.MOST_STATES", 0, HUGE, "LCAs by enumeration or CP-SAT"),
    ("lca.search.MOST_WORK", 0, HUGE, "LCAs by enumeration or CP-SAT"),
    ("lca.encoding.MOST_PATHS", 0, HUGE, "LCAs by enumeration or CP-SAT"),
    ("solvers.cover.QUICK", 0, 1, "CP-SAT without or with relaxations", (), {"lca.search.MOST_WORK": 0}),
    ("solvers.flow.BLOCK_ARCS", 1, HUGE, "arcs in one call of the solver", (), {}, ROUNDS),
    ("solvers.flow.COMBINED_LIMIT", 0, 2**50, "lexicographic costs as one number or one by one"),
    ("solvers.flow.FINEST_EXACT", 0, 40, "costs exact or rounded", (), {}, ROUNDS),
    ("solvers.flow.LARGEST_SCALED", 2**40, 2**47, "rounded costs", (), {}, ROUNDS),
    ("comparison.samples.CACHED_CELLS", 1, HUGE, "values of classes in blocks", COMPARED),
    ("comparison.samples.MOST_STATES", 0, 2**15 - 1, "classes by table or by formula", COMPARED),
    ("comparison.samples.ALL_STATES", 0, HUGE, "how many classes have tables", COMPARED),
    ("comparison.samples.STATES_AT_A_TIME", 1, HUGE, "states in blocks", COMPARED),
    ("comparison.samples.LARGEST_EXACT", 0, 2**52, "sums by table or by formula", COMPARED),
    ("comparison.samples.CACHED_PLACES", 1, HUGE, "places looked up in blocks", COMPARED),
    ("comparison.samples.MOVED_CELLS", 1, HUGE, "exchanges in blocks", COMPARED),
    ("comparison.samples.POOLED_CELLS", 1, HUGE, "resamples in blocks", COMPARED),
    ("comparison.samples.PAIR_CELLS", 1, HUGE, "pairs of systems in blocks", COMPARED),
    ("comparison.samples.BLOCK_CELLS", 1, HUGE, "numbered exchanges in blocks", ("listed",)),
    ("comparison.samples.LEAST_ROWS", 1, 100, "numbered exchanges in blocks", ("listed",),
     {"comparison.samples.BLOCK_CELLS": 1}),
    ("comparison.perturbation.CELLS", 1, HUGE, "labels at a time whose unrelated classes are looked up",
     ("responses",)),
    ("probabilistic.expectation.BLOCK", 1, HUGE, "scenarios at a time", ("decode",)),
    ("probabilistic.decoding.pairings.CELLS", 1, HUGE, "instances at a time", ("decode",)),
    ("probabilistic.decoding.by_class.CELLS", 1, HUGE, "instances and classes at a time", ("decode",)),
    ("probabilistic.decoding.by_size.CELLS", 1, HUGE, "instances at a time", ("decode",)),
    ("errors.LONGEST_COMPARED", 10, HUGE, "how long names that are compared may be", ("hint",)),
    ("hierarchy.closure.MOST_KEPT", 1, HUGE, "what a hierarchy remembers", ("decode",)),
    ("errors.MOST_COMPARED", 50, HUGE, "names that a misspelled one is compared with", ("hint",)),
    ("labels.annotation_counts.BLOCK_ENTRIES", 1, HUGE, "annotations counted in blocks", ("weights",)),
    ("labels.node_scores.CELLS", 1, HUGE, "scores handed to ancestors in blocks", ("scored",)),
    ("measures.scored.rankings.BLOCK_PAIRS", 1, HUGE, "pairs of classes in blocks", ("scored",)),
    ("hierarchy.arrays.PADDED", 0, HUGE, "rows sorted as a table, or with all values", ("scored", "decode")),
    ("hierarchy.arrays.SHORT_ROWS", 0, 2**16, "rows sorted by 16 bits, or by more", ("scored", "decode", "compare")),
    ("measures.scored.rankings.MOST_WAYS", 0, 2**40, "heights by the ways down, or by ancestors", ("scored",)),
    ("labels.node_scores.NUMBERS", 1, HUGE, "rows of a matrix in blocks", ("scored",)),
    ("measures.limbs.LARGEST_DIVISOR", 1, 2**31, "means of exact sums, rounded once", ("rounded",)),
))  # fmt: skip


def turn(k, keys):
    """Set one of the limits whose keys begin so to one of its ends: the k-th, in turns."""
    some = [limit for limit in LIMITS if limit.key.startswith(keys)]
    limit = some[k // 2 % len(some)]
    return set_to(limit, (limit.least, limit.most)[k % 2])


REFUSAL = "what is larger is refused with a message; no number depends on it"
SHOWN = "how much is shown, not what it is"
STATED = "part of what the method is, as documented"
BOUNDED = "what is not proved is said, with a range that holds it; tests/lca/test_graphs.py"
STREAM = "the name of a stream of random numbers"

SAME = {
    "parts of a key": (
        "measures.recipes.augmentation.SIDE_BITS", "measures.recipes.augmentation.TRUE",
        "measures.recipes.augmentation.BOTH", "measures.recipes.augmentation.PREDICTED"
    ),
    REFUSAL: (
        "metrics.presets.FINEST_STEP", "evaluation.sums.MOST_KEPT", "comparison.conventions.MOST_VARIANTS",
        "measures.scored.rankings.MOST_PAIRS", "hierarchy.building.LARGEST_NUMBER", "pairing.costs.MOST_PAIRS", "hierarchy.closure.MOST_HELD",
        "io.labels.binary.", "io.text.", "solvers.flow.COST_LIMIT", "solvers.flow.EXACT_LIMIT",
        "pairing.what_if.MOST_NODES", "pairing.own_networks.LARGEST_FLOW"
    ),
    SHOWN: (
        "metrics.class_tables.LONGEST_NAME", "report.", "measures.evidence.", "checks.findings.MOST_SHOWN",
        "pairing.pairings.MOST_NAMED"
    ),
    "lines at a time; tests/io/test_data_sets.py sets it": ("io.formats.BATCH_CHARACTERS", "io.formats.STEP"),
    STATED: (
        "comparison.statistics.MOST_EXACT", "comparison.statistics.DIFFERENCE_BITS", "comparison.samples.TIE",
        "comparison.samples.GUARD_BITS", "comparison.agreements.ROUNDED", "comparison.power.FIRST_SIZE",
        "comparison.agreements.MANY_SYSTEMS", "comparison.statistics.LEAST_PERMUTATIONS",
        "probabilistic.decoding.by_size.SLACK", "probabilistic.decoding.pairings.SLACK",
        "measures.scored.calibration.TOLERANCE", "probabilistic.distributions.TOLERANCE",
        "labels.node_scores.TOLERANCE", "labels.node_scores.SUMS_TO_ONE"
    ),
    STREAM: (
        "comparison.samples.EXCHANGES", "comparison.samples.RESAMPLES", "comparison.perturbation.LABELS",
        "comparison.perturbation.RELATIVES", "comparison.perturbation.NOISE", "comparison.power.PLANTED",
        "comparison.samples.SPLITS", "comparison.agreements.SYSTEMS"
    ),
    "a rank of how usual a value is": ("measures.option.RARE", "measures.option.USUAL"),
    BOUNDED: ("solvers.cover.MOST_EFFORT",),
}  # fmt: skip

NO_PATH = {name: why for why, names in SAME.items() for name in names} | {
    "plots.": "sizes and limits of drawings",
    "tables.": "widths of tables in letters, and rows of a page",
    "verification.properties.examination.MOST_CASES": "rows of a page",
    "verification.properties.worlds.": "classes of random hierarchies",
    "verification.properties.counting.": "hierarchies that share witnesses, or a process",
    "verification.properties.statement.CLASSES": "classes of a random hierarchy that are looked at",
    "evaluation.batches.FIRST_HERE": "instances done before processes share memory; tests/evaluation/test_processes.py",
    "evaluation.progress.": "seconds until progress is shown, and between its steps",
    "measures.families.ranking_measures.NOISE": "what is nothing but rounding; tests/measures/test_ranked.py",
    "metric.WAITING": "instances added up at a time; tests/evaluation/test_metric.py crosses it",
    "probabilistic.selective.CELLS": "candidates sorted at a time; tests/probabilistic/test_curves.py sets it",
    "evaluation.cluster.": "seconds until workers are given up, and between looks at them",
    "io.datasets.tables.WHOLE_BYTES": "files read whole or in parts; tests/cli/test_inputs.py sets it",
    "io.datasets.sides.": "parts, memory and threads of a join; tests/io/test_data_sets.py varies all three",
    "io.datasets.tables.": "rows and bytes at a time; tests/io/test_data_sets.py and tests of evaluation vary them",
    "report.counts.": "labels and pairs at a time, bits of a key; tests/report/test_sections.py sets them",
    "report.subject.": "what a page of large data leaves out, and its blocks; tests/report/test_page.py sets all three",
    "cli.": "exit codes, digits and progress",
    "verification.": "how published numbers are searched and shown, and what they state",
    "comparison.samples.MOST_LISTED": "2**60 exchanges are more than anybody asks for",
    "comparison.perturbation.GUESSES": "draws before all are looked up, equally likely "
    "either way; part of what a seed means, tests/comparison/test_judging_measures.py",
    "probabilistic.decoding.weighted_sets.": "how long is searched; the certificate says whether all was",
    "probabilistic.decoding.by_size.ALL": "more than can be",
    "metrics.functions.WIDTH": "the width of docstrings",
    "measures.class_weights.DIGEST": "the length of a digest in signatures",
    "measures.limbs.BITS": "sums are exact, however long a limb is",
    "pairing.transport.FINEST": "units into which masses are cut, as documented",
    "pairing.transport.FLOW_BITS": "the same",
    "pairing.network.ALWAYS": "a kind of arcs",
    "pairing.units.": "units into which masses are cut, as documented; "
    "sums of shares beyond floats are rounded as the gap says",
    "pairing.pairings.EXACT": "quotients of whole numbers are the nearest float either way; "
    "tests/pairing/test_networks.py has both",
    "checks.findings.MOST_TRIED": "names that are compared, of very many classes; "
    "which class is meant is never decided by it",
    "pairing.pairs.OPEN": "a mark, not a size: bounds beyond it are none",
    "solvers.certificate.MOST_TRIALS": "how short a message about an instance without pairing is; "
    "tests/pairing/test_constraints.py sets it to 0",
    "io.text.BLOCK": "bytes read at a time; tests/io/test_data_sets.py varies them",
    "probabilistic.decoding.by_size.FINEST_COST": "the scale of costs, of which HiGHS tells a millionth apart",
    "pairing.what_if.NO_WAY": "the cost of a way that is not there, beyond those that OR-Tools takes",
    "pairing.network.PAIR": "what arcs of pairs have as their count",
    "solvers.flow.LARGEST_POWER": "beyond it a power of two is no float",
}
"""Constants, or whole modules and rooms, that no number depends on, and why."""
