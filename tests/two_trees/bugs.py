"""The faults of ``bugs_45a8d4a.py`` at their places in the present tree.

Names and sentences are those of the old list, and so are the texts wherever they are the same. `old` and `new`
stand here only where the line reads otherwise now; a comment says where a mechanism is gone.
"""

import runpy
from pathlib import Path

BEFORE = {
    b["name"]: b for b in runpy.run_path(str(Path(__file__).with_name("bugs_45a8d4a.py")))["BUGS"]
}
BUGS = []


def bug(name, file, *tests, old=None, new=None):
    before = BEFORE[name]
    BUGS.append({"name": name, "file": f"hierpair/{file}", "old": old or before["old"],
                 "new": before["new"] if old is None else new, "says": before["says"],
                 "named": before["named"], "tests": [f"test_{t}.py" for t in tests]})  # fmt: skip


# ------------------------------------------------------------------------------- measures
bug(
    "measures-empty-truth",
    "measures/ratios.py",
    "measures",
    "edge_values",
    "properties",
    old="np.where((n_true == 0) & (n_pred == 0), 1.0, values)",
    new="np.where(n_true == 0, 1.0, values)",
)
# Sums are made when a batch is done, no longer added to one by one.
bug(
    "measures-micro-weight",
    "evaluation/partials/totals.py",
    "scoring",
    "measures",
    "properties",
    old="sums = {name: _sum(columns[name], weight) for name in plan.summed(i)}",
    new="sums = {name: _sum(columns[name], None) for name in plan.summed(i)}",
)
bug(
    "measures-weighted-by-predicted",
    "measures/pooling.py",
    "measures",
    "scoring",
    "properties",
    old='columns[support] if m.average == "weighted"',
    new='columns.get("n_pred", columns[support]) if m.average == "weighted"',
)
bug(
    "measures-mgia-denominator",
    "measures/families/pair_measures.py",
    "measures",
    "options_everywhere",
    "verify",
    old='(size if denominator == "union" else',
    new='(size if denominator != "union" else',
)
bug(
    "measures-credit-uncut",
    "measures/recipes/contribution_sizes.py",
    "contributions",
    "reviewed",
)
bug(
    "measures-mcc",
    "measures/families/confusion_measures.py",
    "confusion_measures",
    "published_tables",
    old="(tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)",
    new="(tp + fp) * (tp + fn) * (tn + fp) * (tn + fp)",
)
bug("measures-pruned-roots", "measures/recipes/pruning.py", "measures", "properties", "explanation")

# ------------------------------------------------------------------------------- evaluation
bug("evaluate-chunk-weights", "evaluation/batches.py", "scoring", "options_everywhere")
bug(
    "evaluate-merge-strangers",
    "evaluation/partials/merging.py",
    "partials",
    "merging",
    old="if one.fingerprint != other.fingerprint:",
    new="if False:",
)
bug("evaluate-wrong-instance", "evaluation/batches.py", "scoring", "infeasible", "typed_input")
# Places are numbered among all instances in the chunk itself; merging puts them one after the other.
bug(
    "evaluate-infeasible-places",
    "evaluation/batches.py",
    "infeasible",
    "scoring",
    "left_out",
    old="infeasible[k] = np.flatnonzero(none) + job.first + lo",
    new="infeasible[k] = np.flatnonzero(none)",
)

# ------------------------------------------------------------------------------- comparison
bug("comparison-holm", "comparison/statistics/corrections.py", "comparison")
bug("comparison-p-value", "comparison/statistics/resampling.py", "comparison")
bug(
    "comparison-rank-direction",
    "comparison/comparing.py",
    "comparison",
    "compare",
    old="zip((pooled * signs).T, p_adjusted <= alpha, strict=True)",
    new="zip(pooled.T, p_adjusted <= alpha, strict=True)",
)
bug("comparison-gain-sign", "comparison/contrasts.py", "comparison", "compare")
bug("comparison-alone", "comparison/convention_results.py", "sensitivity")
bug("comparison-depth", "comparison/depth_scores.py", "comparison", "sensitivity")

# ------------------------------------------------------------------------------- pairing
bug(
    "pairing-matrix-turned",
    "pairing/costs/given_costs.py",
    "costs",
    "reviewed",
    "vocabulary",
    old="found = self._matrix(pairs.hierarchy)[pairs.predicted, pairs.true]",
    new="found = self._matrix(pairs.hierarchy)[pairs.true, pairs.predicted]",
)
bug("pairing-last-word", "pairing/constraints/bounds.py", "constraints", "vocabulary", "network")
bug(
    "pairing-max-distance",
    "pairing/constraints/vocabulary.py",
    "vocabulary",
    "constraints",
    "measures",
    old="builder.forbid(builder.pairs.distance > limit)",
    new="builder.forbid(builder.pairs.distance >= limit)",
)
# Weights are read off the network.
bug(
    "pairing-lexicographic-weight",
    "solvers/lexicographic.py",
    "in_turn",
    "lexicographic",
    old="differ = differ + weight * np.bincount(component, size * room, n)",
    new="differ = differ + weight * np.bincount(component, size * room, n) // 8",
)
bug("pairing-order-unchecked", "pairing/pair_order.py", "unordered", "vocabulary", "constraints")

# ------------------------------------------------------------------------------- network and solvers
bug("network-fallback", "pairing/network/reduced.py", "network", "measures", "vocabulary")
bug(
    "network-total-minimum",
    "pairing/network/full.py",
    "vocabulary",
    "constraints",
    "network",
    old='bounds = dict(zip(("lower", "upper"), problem.total, strict=True))',
    new='bounds = {"upper": problem.total[1]}',
)
bug(
    "network-negative-reduced",
    "pairing/network/reduced.py",
    "network",
    "vocabulary",
    "constraints",
    old="if len(problem.cost) and not (problem.cost[problem.candidate] >= 0).all():",
    new="if False:",
)
bug("solvers-called-exact", "solvers/scaling.py", "network", "costs", "vocabulary")

# ------------------------------------------------------------------------------- minimal LCA graphs
bug("lca-dominated", "lca/outcomes.py", "graphs", "lca_solvers", "published_graphs")
bug("lca-greedy-one-pass", "lca/greedy.py", "graphs", "lca_solvers")
bug("lca-threshold-apex", "hierarchy/closure.py", "graphs", "hierarchy", "levels")

# ------------------------------------------------------------------------------- confusion matrix
bug(
    "confusion-unpaired-fn",
    "confusion/two_pairings.py",
    "matrix",
    "published_tables",
    "two_ways",
    old='builder.allow_missing("true", (0, depths, 0), classes_left)',
    new='builder.allow_missing("true", (0, 0, 0), classes_left)',
)
bug(
    "confusion-tie-order",
    "confusion/two_pairings.py",
    "matrix",
    "published_tables",
    "two_ways",
    old="np.lexsort((*-names[::-1], -best, owner))",
    new="np.lexsort((*names[::-1], -best, owner))",
)

# ------------------------------------------------------------------------------- readers and writers
bug("readers-obsolete", "io/hierarchies/obo.py", "readers", "hierarchy")
bug(
    "readers-line-number", "io/labels/label_lines.py", "label_forms", "broken_inputs", "typed_input"
)
bug(
    "readers-parents-turned",
    "io/hierarchies/line_hierarchies.py",
    "readers",
    "label_forms",
    old="edges.append((fields[1], fields[0]))",
    new="edges.append((fields[0], fields[1]))",
)
bug("writers-empty-long", "io/labels/label_lines.py", "label_forms", "readers", "fuzz")
bug(
    "writers-bar",
    "io/labels/label_lines.py",
    "label_forms",
    "nasty_names",
    old='names = label_names(sets, hierarchy, "|\\t\\n\\r")',
    new='names = label_names(sets, hierarchy, "\\t\\n\\r")',
)

# ------------------------------------------------------------------------------- labels and hierarchy
bug("labels-order", "labels/set_operations.py", "label_sets", "scoring", "typed_input")
bug("labels-several-roots", "labels/resolve.py", "label_sets", "typed_input", "edge_values")
bug("labels-broken-path", "labels/naming.py", "levels", "label_sets", "broken_inputs")
bug("hierarchy-shares", "hierarchy/weights.py", "reviewed", "properties")
bug("hierarchy-double-edge", "hierarchy/building.py", "hierarchy", "broken_inputs", "readers")

# ------------------------------------------------------------------------------- probabilities
bug(
    "decoding-h-loss-open",
    "probabilistic/decoding/by_class.py",
    "decoding",
    "decisions",
    old="taken[some] = wanted[some] & ((parent[some] < 0) | taken[parent[some]])",
    new="taken[some] = wanted[some]",
)
bug("decoding-micro-steps", "probabilistic/decoding/by_class.py", "decoding", "decisions")
bug("decisions-standard-error", "probabilistic/expectation.py", "decisions", "distributions")
bug(
    "law-top",
    "probabilistic/distributions.py",
    "distributions",
    "decisions",
    old="kept[order[before < mass - 1e-12]] = True",
    new="kept[order[running - start[rows] < mass - 1e-12]] = True",
)
bug(
    "law-closed-min",
    "labels/node_scores.py",
    "distributions",
    "curves",
    old="low = np.minimum.reduceat(scores,",
    new="low = np.maximum.reduceat(scores,",
)
bug("curves-trapezoid", "probabilistic/curves.py", "curves", "wikivitals")
bug("heads-champ", "probabilistic/heads.py", "heads", "verify")

# ------------------------------------------------------------------------------- explanation
bug("explanation-sides", "measures/recipes/set_sizes.py", "explanation", "two_ways")
bug(
    "explanation-scale",
    "measures/evidence/flow_rows.py",
    "explanation",
    "two_ways",
    old="found.optimal, gap, reduced / scale",
    new="found.optimal, gap, reduced",
)

# ------------------------------------------------------------------------------- command line
bug("cli-undefined-passes", "cli/thresholds.py", "exits", "command_line", "score_tables")
# A form says by what its values are separated; before it was asked for by its name.
bug(
    "cli-tsv-unsafe",
    "cli/main.py",
    "command_line",
    "nasty_names",
    "exits",
    old="if options.csv_safe and separator is not None:",
    new='if options.csv_safe and separator == ",":',
)
bug("cli-curve-steps", "cli/curve.py", "curves", "scored_labels", "command_line")

# ------------------------------------------------------------------------------- verification, presets
bug("verify-needless-excuse", "verification/printed.py", "verify", "claims", "errata")
bug("verify-tolerance", "verification/printed.py", "verify", "claims")
bug("presets-hidden-root", "metrics/presets.toml", "presets", old="hidden_root = true\n", new="")
bug("presets-fmax-threshold", "metrics/presets.py", "presets", "scored_labels")

# ------------------------------------------------------------------------------- checks, plots, tables
bug("linting-own-ancestor", "checks/label_checks.py", "checks", "command_line")
bug("plots-rank-order", "plots/charts/rankings.py", "charts", "diagrams")
bug("tables-small-numbers", "tables/text.py", "forms", "score_tables")
