"""Every constant that chooses another path, with its smallest and its largest sensible value.

A new one gets a line in :data:`LIMITS`, or in :data:`NO_PATH` with the reason why no number can
depend on it; tests/house/test_two_ways.py finds those that are in neither.
"""

import importlib
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from unittest.mock import patch

HUGE = 10**12

SETS = ("hf", "symmetric_difference", "f", "descendant_f", "hamming_loss", "depth_loss", "h_loss",
        "level_accuracy", "level_hamming", "leaf_accuracy")  # fmt: skip
PAIRS = ("gie", "mgia", "fnerror", "all_pairs", "tree_induced_error", "normalised_cost", "contribution_f",
         "shortest_path")  # fmt: skip
LCA = ("lca_f", "lca_precision")
HCM = ("hcm_tn", "hcm_f", "hcm_mcc")
ALL = (*SETS, *PAIRS, *LCA, *HCM)


@dataclass(frozen=True)
class Limit:
    """A constant, its extreme values, and what it chooses.

    ``concerns`` names the measures that depend on it, ``checks`` what else does (functions of
    tests/house/test_two_ways.py), ``beside`` what else has to be set for it to matter.
    ``rounds`` allows the last bits that docs/conventions.md allows: other instances come together.
    The quick test takes every ``step``-th variant of the measures concerned, the exhaustive one
    every ``step // 6``-th of all.
    """

    module: str
    name: str
    least: int
    most: int
    path: str
    concerns: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    beside: dict[str, object] = field(default_factory=dict, hash=False)
    rounds: bool = False
    step: int = 6

    def __str__(self):
        return f"{self.module}.{self.name}"


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

LIMITS = (
    Limit("hierarchy.closure", "WHOLE_LIMIT", 1, HUGE, "closure whole, or of the classes in use",
          ALL, ("decode", "compare", "differ")),
    Limit("hierarchy.closure", "BYTE_DEPTH", 1, 255, "distances of 8 or 32 bits", ALL),
    Limit("hierarchy.closure", "BYTE_DEPTH", 1, 255, "the same of closures built lazily", ALL,
          beside=LAZY),
    Limit("hierarchy.closure", "FEW_ROWS", 0, HUGE, "rows gathered with or without a matrix", ALL),
    Limit("hierarchy.closure", "SAMPLED_CLASSES", 1, 10_000, "the estimate that cuts chunks", SETS,
          ("decode",), {**LAZY, "evaluation.batches.CHUNK_ANCESTORS": 50}, rounds=True, step=18),
    Limit("lca.links", "BLOCK_ENTRIES", 1, HUGE, "ways looked at in blocks", LCA,
          beside=LAZY),
    Limit("hierarchy.closure", "BLOCK_ENTRIES", 1, HUGE, "blocks of pairs", (*PAIRS, *LCA), step=18),
    Limit("hierarchy.closure", "EXPONENT_ROOM", 0, 1022, "distances from exponents or sums",
          (*PAIRS, *LCA), ("decode",)),
    Limit("evaluation.batches", "CHUNK", 1, HUGE, "instances at a time", ALL, ("compare",), rounds=True, step=18),
    Limit("evaluation.batches", "CHUNK_PAIRS", 1, HUGE, "pairs at a time", ALL, ("compare",), rounds=True, step=18),
    Limit("evaluation.batches", "CHUNK_ANCESTORS", 1, HUGE, "ancestors at a time", ALL, ("compare",), LAZY,
          rounds=True, step=18),
    Limit("evaluation.batches", "CHUNK_LEVELS", 1, HUGE, "instances times levels at a time",
          ("level_accuracy", "level_hamming"), rounds=True, step=18),
    Limit("measures.recipes.augmentation", "BLOCK_ENTRIES", 1, HUGE, "blocks of augmented sets", SETS,
          ("compare",)),
    Limit("measures.recipes.augmentation", "MANY_ENTRIES", 0, HUGE, "classes of an instance sorted or marked", SETS,
          beside={"measures.recipes.augmentation.CLASSES_PER_ENTRY": HUGE}),
    Limit("measures.recipes.augmentation", "CLASSES_PER_ENTRY", 1, HUGE, "the same in large hierarchies", SETS,
          beside={"measures.recipes.augmentation.MANY_ENTRIES": 0}),
    Limit("measures.recipes.augmentation", "ROW_BITS", 1, 40, "instances that a short key holds", SETS),
    Limit("measures.recipes.batch", "KEPT_ENTRIES", 0, HUGE, "cells that are kept or sorted anew", SETS,
          ("compare",)),
    Limit("evaluation.sums", "PLAIN_SUM", 0, 2**60, "sums by class as integers or fractions", HCM),
    Limit("confusion.paths", "BLOCK_ENTRIES", 1, HUGE, "siblings of paths in blocks", HCM),
    Limit("confusion.paths", "BLOCK_PAIRS", 1, HUGE, "pairs of paths and classes in blocks", HCM),
    Limit("pairing.costs", "BLOCK_PAIRS", 1, HUGE, "pairs tried for the largest cost",
          ("normalised_cost",)),
    Limit("lca.search", "MOST_STATES", 0, HUGE, "LCAs by enumeration or CP-SAT", LCA),
    Limit("lca.search", "MOST_WORK", 0, HUGE, "LCAs by enumeration or CP-SAT", LCA),
    Limit("lca.encoding", "MOST_PATHS", 0, HUGE, "LCAs by enumeration or CP-SAT", LCA),
    Limit("lca.encoding", "BLOCK_CLASSES", 1, HUGE, "edges of links looked up in blocks", LCA),
    Limit("solvers.cover", "QUICK", 0, 1, "CP-SAT without or with relaxations", LCA,
          beside={"lca.search.MOST_WORK": 0}),
    Limit("solvers.flow", "BLOCK_ARCS", 1, HUGE, "arcs in one call of the solver", PAIRS,
          rounds=True),
    Limit("solvers.flow", "COMBINED_LIMIT", 0, 2**50, "lexicographic costs as one number or one by one",
          HCM),
    Limit("solvers.flow", "FINEST_EXACT", 0, 40, "costs exact or rounded", PAIRS, rounds=True),
    Limit("solvers.flow", "LARGEST_SCALED", 2**40, 2**47, "rounded costs", PAIRS, rounds=True),
    Limit("comparison.samples", "CACHED_CELLS", 1, HUGE, "values of classes in blocks",
          checks=("compare", "listed")),
    Limit("comparison.samples", "MOST_STATES", 0, 2**15 - 1, "classes by table or by formula",
          checks=("compare", "listed")),
    Limit("comparison.samples", "ALL_STATES", 0, HUGE, "how many classes have tables",
          checks=("compare", "listed")),
    Limit("comparison.samples", "STATES_AT_A_TIME", 1, HUGE, "states in blocks",
          checks=("compare", "listed")),
    Limit("comparison.samples", "LARGEST_EXACT", 0, 2**52, "sums by table or by formula",
          checks=("compare", "listed")),
    Limit("comparison.samples", "CACHED_PLACES", 1, HUGE, "places looked up in blocks",
          checks=("compare", "listed")),
    Limit("comparison.samples", "MOVED_CELLS", 1, HUGE, "exchanges in blocks",
          checks=("compare", "listed")),
    Limit("comparison.samples", "POOLED_CELLS", 1, HUGE, "resamples in blocks",
          checks=("compare", "listed")),
    Limit("comparison.samples", "PAIR_CELLS", 1, HUGE, "pairs of systems in blocks",
          checks=("compare", "listed")),
    Limit("comparison.samples", "BLOCK_CELLS", 1, HUGE, "numbered exchanges in blocks",
          checks=("listed",)),
    Limit("comparison.samples", "LEAST_ROWS", 1, 100, "numbered exchanges in blocks",
          checks=("listed",), beside={"comparison.samples.BLOCK_CELLS": 1}),
    Limit("comparison.perturbation", "CELLS", 1, HUGE,
          "labels at a time whose unrelated classes are looked up", checks=("responses",)),
    Limit("probabilistic.expectation", "BLOCK", 1, HUGE, "scenarios at a time", checks=("decode",)),
    Limit("probabilistic.decoding.pairings", "CELLS", 1, HUGE, "instances at a time", checks=("decode",)),
    Limit("probabilistic.decoding.by_class", "CELLS", 1, HUGE, "instances and classes at a time",
          checks=("decode",)),
    Limit("probabilistic.decoding.by_size", "CELLS", 1, HUGE, "instances at a time", checks=("decode",)),
    Limit("errors", "LONGEST_COMPARED", 10, HUGE, "how long names that are compared may be",
          checks=("hint",)),
    Limit("hierarchy.closure", "MOST_KEPT", 1, HUGE, "what a hierarchy remembers", ALL, ("decode",)),
    Limit("errors", "MOST_COMPARED", 50, HUGE, "names that a misspelled one is compared with",
          checks=("hint",)),
    Limit("labels.annotation_counts", "BLOCK_ENTRIES", 1, HUGE, "annotations counted in blocks",
          checks=("weights",)),
    Limit("labels.node_scores", "CELLS", 1, HUGE, "scores handed to ancestors in blocks",
          checks=("scored",)),
    Limit("measures.scored.rankings", "BLOCK_PAIRS", 1, HUGE, "pairs of classes in blocks",
          checks=("scored",)),
    Limit("hierarchy.arrays", "SHORT_ROWS", 0, 2**16, "rows sorted by 16 bits, or by more",
          checks=("scored", "decode")),
    Limit("measures.scored.rankings", "MOST_WAYS", 0, 2**40, "heights by the ways down, or by ancestors",
          checks=("scored",)),
    Limit("measures.scored.top", "NUMBERS", 1, HUGE, "rows of a matrix in blocks",
          checks=("scored",)),
    Limit("measures.scored.rankings", "LIKELY_BELOW", 1, HUGE, "true classes in blocks",
          checks=("scored",)),
    Limit("measures.limbs", "LARGEST_DIVISOR", 1, 2**31, "means of exact sums, rounded once",
          checks=("rounded",)),
)  # fmt: skip

REFUSAL = "what is larger is refused with a message; no number depends on it"
SHOWN = "how much is shown, not what it is"
STATED = "part of what the method is, as documented"
BOUNDED = "what is not proved is said, with a range that holds it; tests/lca/test_graphs.py"

NO_PATH = {
    **{
        f"measures.recipes.augmentation.{x}": "parts of a key"
        for x in ("SIDE_BITS", "TRUE", "BOTH", "PREDICTED")
    },
    "plots.": "sizes and limits of drawings",
    "tables.": "widths of tables in letters, and rows of a page",
    "verification.properties.examination.MOST_CASES": "rows of a page",
    "verification.properties.worlds.": "classes of random hierarchies, and of parts that are drawn",
    "verification.properties.counting.": "hierarchies that share witnesses, or a process",
    "verification.properties.statement.CLASSES": "classes of a random hierarchy that are looked at",
    "evaluation.batches.FIRST_HERE": "instances done before processes share memory; tests/evaluation/test_processes.py",
    "evaluation.progress.": "seconds until progress is shown, and between its steps",
    "measures.families.ranking_measures.NOISE": "what is nothing but rounding; tests/measures/test_ranked.py",
    "metrics.presets.FINEST_STEP": REFUSAL,
    "metric.WAITING": "instances added up at a time; tests/evaluation/test_metric.py crosses it",
    "probabilistic.selective.CELLS": "candidates sorted at a time; tests/probabilistic/test_curves.py sets it",
    "metrics.class_tables.LONGEST_NAME": SHOWN,
    "evaluation.cluster.": "seconds until workers are given up, and between looks at them",
    "io.datasets.paths.WHOLE_BYTES": "files read whole or in parts; tests/cli/test_inputs.py sets it",
    "io.datasets.sides.": "parts, memory and threads of a join; tests/io/test_joining.py varies all three",
    "io.datasets.tables.": "rows and bytes at a time; tests/io/test_data_sets.py and tests of evaluation vary them",
    "io.formats.BATCH_CHARACTERS": "lines at a time; tests/io/test_data_sets.py sets it",
    "io.formats.STEP": "lines at a time; tests/io/test_data_sets.py sets it",
    "report.counts.": "labels and pairs at a time, bits of a key; tests/report/test_sections.py sets them",
    "report.packing.": "the form of the container; tests/report/test_sections.py reads it back",
    "report.subject.": "what a page of large data leaves out, and its blocks; tests/report/test_page.py sets all three",
    "report.": SHOWN,
    "cli.": "exit codes, digits and progress",
    "verification.": "how published numbers are searched and shown, and what they state",
    "comparison.statistics.MOST_EXACT": STATED,
    "comparison.statistics.DIFFERENCE_BITS": STATED,
    "comparison.samples.MOST_LISTED": "2**60 exchanges are more than anybody asks for",
    "comparison.samples.EXCHANGES": "the name of a stream of random numbers",
    "comparison.samples.RESAMPLES": "the name of a stream of random numbers",
    "comparison.samples.TIE": STATED,
    "comparison.samples.GUARD_BITS": STATED,
    "evaluation.sums.MOST_KEPT": REFUSAL,
    "comparison.conventions.MOST_VARIANTS": REFUSAL,
    "comparison.perturbation.GUESSES": "draws before all are looked up, equally likely "
    "either way; part of what a seed means, tests/comparison/test_responses.py",
    "comparison.perturbation.LABELS": "the name of a stream of random numbers",
    "comparison.perturbation.RELATIVES": "the name of a stream of random numbers",
    "comparison.perturbation.NOISE": "the name of a stream of random numbers",
    "comparison.responses.MOST_ROUNDS": REFUSAL,
    "comparison.agreements.ROUNDED": STATED,
    "comparison.power.FIRST_SIZE": STATED,
    "comparison.power.PLANTED": "the name of a stream of random numbers",
    "comparison.samples.SPLITS": "the name of a stream of random numbers",
    "comparison.agreements.MANY_SYSTEMS": STATED,
    "comparison.agreements.SYSTEMS": "the name of a stream of random numbers",
    "comparison.statistics.LEAST_PERMUTATIONS": STATED,
    "probabilistic.decoding.by_size.SLACK": STATED,
    "probabilistic.decoding.pairings.SLACK": STATED,
    "probabilistic.decoding.weighted_sets.": "how long is searched; the certificate says whether all was",
    "probabilistic.decoding.by_size.ALL": "more than can be",
    "metrics.functions.WIDTH": "the width of docstrings",
    "measures.option.RARE": "a rank of how usual a value is",
    "measures.option.USUAL": "a rank of how usual a value is",
    "measures.evidence.": SHOWN,
    "measures.class_weights.DIGEST": "the length of a digest in signatures",
    "measures.limbs.BITS": "sums are exact, however long a limb is",
    "measures.scored.rankings.MOST_PAIRS": REFUSAL,
    "measures.scored.calibration.TOLERANCE": STATED,
    "pairing.transport.FINEST": "units into which masses are cut, as documented",
    "pairing.transport.FLOW_BITS": "the same",
    "pairing.units.": "units into which masses are cut, as documented; sums of shares "
    "beyond floats are rounded as the gap says",
    "pairing.pairings.EXACT": "quotients of whole numbers are the nearest float either way; "
    "tests/pairing/test_networks.py has both",
    "solvers.cover.MOST_EFFORT": BOUNDED,
    "solvers.cover.AIMS": BOUNDED,
    "solvers.cover.BOUND": BOUNDED,
    "hierarchy.building.LARGEST_NUMBER": REFUSAL,
    "probabilistic.distributions.TOLERANCE": STATED,
    "labels.node_scores.TOLERANCE": STATED,
    "labels.node_scores.SUMS_TO_ONE": STATED,
    "checks.findings.MOST_SHOWN": SHOWN,
    "checks.findings.MOST_TRIED": "names that are compared, of very many classes; which class is meant is never decided by it",
    "pairing.pairings.MOST_NAMES": SHOWN,
    "pairing.pairs.OPEN": "a mark, not a size: bounds beyond it are none",
    "pairing.rules.AS_MANY_AS_THERE_ARE": "a mark, not a size",
    "solvers.certificate.MOST_TRIALS": "how short a message about an instance without pairing is; "
    "tests/pairing/test_constraints.py sets it to 0",
    "pairing.costs.MOST_PAIRS": REFUSAL,
    "hierarchy.closure.MOST_HELD": REFUSAL,
    "io.labels.binary.": REFUSAL,
    "io.text.BLOCK": "bytes read at a time; tests/io/test_data_sets.py varies them",
    "io.text.": REFUSAL,
    "solvers.programs.FINEST_COST": "the scale of costs, of which HiGHS tells a millionth apart",
    "solvers.flow.COST_LIMIT": REFUSAL,
    "solvers.flow.EXACT_LIMIT": REFUSAL,
    "pairing.what_if.MOST_NODES": REFUSAL,
    "pairing.what_if.NO_WAY": "the cost of a way that is not there, beyond those that OR-Tools takes",
    "pairing.own_networks.LARGEST_FLOW": REFUSAL,
    "pairing.own_networks.MOST_NAMED": SHOWN,
    "pairing.network.PAIR": "what arcs of pairs have as their count",
    "solvers.flow.LARGEST_POWER": "beyond it a power of two is no float",
}
"""Constants, or whole modules and rooms, that no number depends on, and why."""
