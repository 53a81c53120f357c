"""Sixty faults for the old code: the file, the text that is replaced and its replacement.

`says` is the behaviour, so that the same fault can be planted at the corresponding place of the new
code (keep the names). `named` are tests that are tried first, then `tests`, which are files (by name,
wherever they lie); all other tests follow. Checked by `plant.py --check`: every text occurs once and the module still imports.
"""

BUGS = []


def bug(name, file, old, new, says, *tests):
    BUGS.append({"name": name, "file": f"hierpair/{file}", "old": old, "new": new, "says": says,
                 "tests": [f"test_{t}.py" for t in tests]})  # fmt: skip


# ------------------------------------------------------------------------------- measures
bug(
    "measures-empty-truth",
    "measures/ratios.py",
    "np.where(counts.n_union == 0, 1.0, values)",
    "np.where(counts.n_true == 0, 1.0, values)",
    "wherever the truth is empty a value is perfect, whatever was predicted (should: only where both sides are empty)",
    "measures",
    "edge_values",
    "properties",
)
bug(
    "measures-micro-weight",
    "measures/pooling.py",
    "self.sums[name].add(column if weight is None else column * weight)",
    "self.sums[name].add(column)",
    "micro averages forget the sample weights",
    "evaluate",
    "measures",
    "properties",
)
bug(
    "measures-weighted-by-predicted",
    "measures/registry.py",
    'weight = classes.n_true if average == "weighted"',
    'weight = classes.n_pred if average == "weighted"',
    "the weighted average over classes weighs a class by how often it was predicted, not by how often it is true",
    "measures",
    "evaluate",
    "properties",
)
bug(
    "measures-mgia-denominator",
    "measures/pair.py",
    'size = counts.n_union if denominator == "union" else',
    'size = counts.n_union if denominator != "union" else',
    "mgia: the two words of the option denominator have changed places",
    "measures",
    "options_everywhere",
    "verify",
)
bug(
    "measures-credit-uncut",
    "measures/credits.py",
    "np.clip(np.bincount(at, gain, minlength=n), -theta, theta)",
    "np.clip(np.bincount(at, gain, minlength=n), -theta, None)",
    "contributions (Sun & Lim): the sum of a class is cut at -1 below, but no longer at 1 above",
    "contributions",
    "reviewed",
)
bug(
    "measures-mcc",
    "measures/confusion.py",
    "(t.tp + t.fp) * (t.tp + t.fn) * (t.tn + t.fp) * (t.tn + t.fn)",
    "(t.tp + t.fp) * (t.tp + t.fn) * (t.tn + t.fp) * (t.tn + t.fp)",
    "hcm_mcc: one factor below the root is TN + FP a second time instead of TN + FN",
    "confusion_measures",
    "confusion_published",
)
bug(
    "measures-pruned-roots",
    "measures/pruning.py",
    "dropped = single[(n_parents > 0) & (n_shared == 0)]",
    "dropped = single[n_shared == 0]",
    "augment='pruned': parentless classes that only one side has are dropped too",
    "measures",
    "properties",
    "explanation",
)

# ------------------------------------------------------------------------------- evaluation
bug(
    "evaluate-chunk-weights",
    "chunks.py",
    "weight = None if job.weight is None else job.weight[lo:hi]",
    "weight = None if job.weight is None else job.weight[: hi - lo]",
    "every chunk of instances is weighted with the sample weights of the first chunk",
    "evaluate",
    "options_everywhere",
)
bug(
    "evaluate-merge-strangers",
    "evaluate.py",
    "if mine.fingerprint != theirs.fingerprint:",
    "if False:",
    "accumulated statistics of different hierarchies may be merged: the check of the fingerprint is lost",
    "evaluate",
    "merging",
)
bug(
    "evaluate-wrong-instance",
    "chunks.py",
    "at = lo + error.instance\n",
    "at = error.instance\n",
    "an error in a later chunk names an instance of the first chunk",
    "evaluate",
    "infeasible",
    "input",
)
bug(
    "evaluate-infeasible-places",
    "measures/pooling.py",
    "self.infeasible_at += [places + seen for places in other.infeasible_at]",
    "self.infeasible_at += list(other.infeasible_at)",
    "the places of instances without a pairing are not shifted when chunks are merged",
    "infeasible",
    "evaluate",
    "left_out",
)

# ------------------------------------------------------------------------------- comparison
bug(
    "comparison-holm",
    "comparison/corrections.py",
    "np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))",
    "np.maximum.accumulate(p[order] * np.arange(len(p) - 1, -1, -1))",
    "Holm's correction multiplies by one comparison too few",
    "comparison",
)
bug(
    "comparison-p-value",
    "comparison/resampling.py",
    "(extreme + 1) / (rounds + 1)",
    "extreme / rounds",
    "the p-value of drawn exchanges is b/B instead of (b+1)/(B+1)",
    "comparison",
)
bug(
    "comparison-rank-direction",
    "comparison/comparing.py",
    "ranked(s * column, q <= alpha)",
    "ranked(column, q <= alpha)",
    "ranks of errors and losses are upside down: the direction of the measure is forgotten",
    "comparison",
    "compare_cli",
    "exchanges",
)
bug(
    "comparison-gain-sign",
    "comparison/differing.py",
    "gain = np.nan_to_num(sign * (sides[0] - sides[1]))",
    "gain = np.nan_to_num(sides[0] - sides[1])",
    "differ(): under a measure where lower is better gains have the wrong sign",
    "comparison",
    "compare_cli",
)
bug(
    "comparison-alone",
    "comparison/sensitivity.py",
    "if sum(v.chosen[o] != given.chosen[o] for o in v.chosen) == 1",
    "if sum(v.chosen[o] != given.chosen[o] for o in v.chosen) >= 1",
    "sensitivity: a conclusion is said to depend on an option though it changed only together with others",
    "sensitivity",
)
bug(
    "comparison-depth",
    "comparison/differing.py",
    "np.maximum.at(deepest, row_numbers(truth.indptr), hierarchy.depths[truth.indices])",
    "np.maximum.at(deepest, row_numbers(truth.indptr), hierarchy.levels[truth.indices])",
    "by_depth(): depth is the longest instead of the shortest way from a root (only DAGs differ)",
    "comparison",
    "sensitivity",
)

# ------------------------------------------------------------------------------- pairing
bug(
    "pairing-matrix-turned",
    "pairing/matrices.py",
    "found: NDArray[Any] = matrix[pairs.predicted, pairs.true]",
    "found: NDArray[Any] = matrix[pairs.true, pairs.predicted]",
    "a dense matrix of costs is read with the true class as row: the sides are swapped",
    "prices",
    "reviewed",
    "vocabulary",
)
bug(
    "pairing-last-word",
    "pairing/bounds.py",
    "np.minimum(self.upper, upper, out=self.upper, where=where)",
    "np.copyto(self.upper, upper, where=where)",
    "of repeated upper bounds the last one holds instead of the smallest",
    "constraints",
    "vocabulary",
    "network",
)
bug(
    "pairing-max-distance",
    "pairing/demands.py",
    "draft.forbid(draft.pairs.distance > limit)",
    "draft.forbid(draft.pairs.distance >= limit)",
    "a pair that is exactly the largest distance apart is forbidden too",
    "vocabulary",
    "constraints",
    "measures",
)
bug(
    "pairing-lexicographic-weight",
    "pairing/turns.py",
    "later += 2 * weight * worth",
    "later += (weight * worth) // 8",
    "lexicographic costs: one unit of an earlier cost may weigh less than all later ones together",
    "turns",
    "confusion",
)
bug(
    "pairing-order-unchecked",
    "pairing/order.py",
    "if (true, predicted) in named.names:  # both orders are meant",
    "if True:",
    "a named pair that occurs only the other way round is no error any more",
    "unordered",
    "vocabulary",
    "constraints",
)

# ------------------------------------------------------------------------------- network and solvers
bug(
    "network-fallback",
    "network/reduced.py",
    "pair[problem.default[side] < nearest] = -1",
    "pair[problem.default[side] > nearest] = -1",
    "reduced networks: a label without an arc takes its cheapest pair where staying alone is cheaper, and the other way round",
    "network",
    "measures",
    "vocabulary",
)
bug(
    "network-total-minimum",
    "network/full.py",
    "lower=problem.total[0], upper=problem.total[1]",
    "lower=np.zeros(n, dtype=np.int64), upper=problem.total[1]",
    "a least number of pairs of an instance is ignored, only the largest holds",
    "vocabulary",
    "constraints",
    "network",
)
bug(
    "network-negative-reduced",
    "network/reduced.py",
    "if len(problem.price) and not (problem.price[problem.candidate] >= 0).all():",
    "if False:",
    "problems with negative costs are reduced although the reductions are proved for costs >= 0 only",
    "network",
    "vocabulary",
    "constraints",
)
bug(
    "solvers-called-exact",
    "solvers/scaling.py",
    "for p in floats], scale, exact=False)",
    "for p in floats], scale, exact=True)",
    "costs that had to be rounded for the solver are called exact: the gap is 0 and the value that of the rounded costs",
    "network",
    "prices",
    "vocabulary",
)

# ------------------------------------------------------------------------------- minimal LCA graphs
bug(
    "lca-dominated",
    "extension/search.py",
    "u - s < 2 * (d - c)",
    "u - s < 3 * (d - c)",
    "enumeration drops partial graphs as dominated that can still have the larger F",
    "extension",
    "lca_solvers",
    "extension_published",
)
bug(
    "lca-greedy-one-pass",
    "extension/greedy.py",
    "for forward in (True, False):",
    "for forward in ():",
    "greedy LCA graphs: LCAs that are not needed are no longer dropped",
    "extension",
    "lca_solvers",
)
bug(
    "lca-threshold-apex",
    "hierarchy/closure.py",
    "artificial = np.full(n_rows, hops + 1, dtype=np.int64)",
    "artificial = np.full(n_rows, hops, dtype=np.int64)",
    "path threshold: the artificial class on top stands one edge too near",
    "extension",
    "hierarchy",
    "levels",
)

# ------------------------------------------------------------------------------- confusion matrix
bug(
    "confusion-unpaired-fn",
    "confusion/matching.py",
    'Default("true", (0, Counted(depth), 0)',
    'Default("true", (0, 0, 0)',
    "exact confusion matrix: the FN of a true class that stays unpaired do not count when the pairs are chosen",
    "confusion",
    "confusion_published",
    "two_ways",
)
bug(
    "confusion-tie-order",
    "confusion/published.py",
    "np.lexsort((-_text_ranks(o.hierarchy, o.paths), -best, owner))",
    "np.lexsort((_text_ranks(o.hierarchy, o.paths), -best, owner))",
    "published confusion matrix: of equal overlaps the smaller list of names chooses first",
    "confusion",
    "confusion_published",
    "two_ways",
)

# ------------------------------------------------------------------------------- readers and writers
bug(
    "readers-obsolete",
    "readers/obo.py",
    'term.obsolete = value == "true"',
    'term.obsolete = value == "yes"',
    "OBO: obsolete terms stay classes",
    "readers",
    "hierarchy",
)
bug(
    "readers-line-number",
    "readers/labellines.py",
    'return LabelRows(rows, lambda i, k: f"{path}:{i + 1}", hint=LINES_HINT)',
    'return LabelRows(rows, lambda i, k: f"{path}:{i}", hint=LINES_HINT)',
    "errors in files of label lines name the line before",
    "readers",
    "broken_inputs",
    "input",
)
bug(
    "readers-parents-turned",
    "readers/edgelines.py",
    "found.append((fields[1], fields[0]))",
    "found.append((fields[0], fields[1]))",
    "tables of child and parent: the columns are swapped",
    "readers",
    "forms",
)
bug(
    "writers-empty-long",
    "writers/labelsets.py",
    'for label in (row or [""])]',
    "for label in row]",
    "label sets written one label a line: instances without labels are lost",
    "forms",
    "readers",
    "fuzz",
)
bug(
    "writers-bar",
    "writers/labelsets.py",
    '_rows(sets, hierarchy, "|\\t\\n\\r"), strict=True)\n    return "\\n".join(["id\\tlabels"',
    '_rows(sets, hierarchy, "\\t\\n\\r"), strict=True)\n    return "\\n".join(["id\\tlabels"',
    "a class whose name holds a bar is written into a table of labels joined by bars",
    "forms",
    "nasty_names",
)

# ------------------------------------------------------------------------------- labels and hierarchy
bug(
    "labels-order",
    "labels/matching.py",
    "return replace(y_pred.take(order), ids=y_true.ids)",
    "return replace(y_pred.take(np.sort(order)), ids=y_true.ids)",
    "predictions with ids are not put into the order of the truth",
    "labels",
    "evaluate",
    "input",
)
bug(
    "labels-several-roots",
    "labels/settling.py",
    "numbers = np.where(numbers < 0, single_root(hierarchy), numbers)",
    "numbers = np.where(numbers < 0, hierarchy.root_indices[0], numbers)",
    "unknown='root' in a forest takes the first root instead of being refused",
    "labels",
    "input",
    "edge_values",
)
bug(
    "labels-broken-path",
    "labels/levels.py",
    "if numbers[k - 1] not in above:",
    "if False:",
    "a path of labels whose classes are not parent and child is accepted",
    "levels",
    "labels",
    "broken_inputs",
)
bug(
    "hierarchy-shares",
    "hierarchy/weights.py",
    "share[hierarchy.root_indices] = 1 / len(hierarchy.root_indices)",
    "share[hierarchy.root_indices] = 1.0",
    "H-loss by shares: in a forest every root has the whole share instead of an equal part",
    "reviewed",
    "properties",
)
bug(
    "hierarchy-double-edge",
    "hierarchy/building.py",
    "if len(double):",
    "if False:",
    "a duplicate edge of a hierarchy is no error any more",
    "hierarchy",
    "broken_inputs",
    "readers",
)

# ------------------------------------------------------------------------------- probabilities
bug(
    "decoding-h-loss-open",
    "decoding/separable.py",
    "taken[some] = (top[some] | taken[np.maximum(parent, 0)]) & (predict[some] < leave[some])",
    "taken[some] = predict[some] < leave[some]",
    "decoding H-loss: a class may be predicted without its parent",
    "decoding",
    "decisions",
)
bug(
    "decoding-micro-steps",
    "decoding/micro.py",
    "MOST_STEPS = 1000",
    "MOST_STEPS = 1",
    "decoding micro hF stops after the first step",
    "decoding",
    "decisions",
)
bug(
    "decisions-standard-error",
    "decisions/expecting.py",
    "(n - 1) * n, out=",
    "n * n, out=",
    "standard errors of sampled expected values divide by n instead of n - 1",
    "decisions",
    "law",
)
bug(
    "law-top",
    "law/law.py",
    "keep = np.sort(order[before < mass - 1e-12])",
    "keep = np.sort(order[running - start[rows] < mass - 1e-12])",
    "the fewest most probable scenarios of a mass: the one that reaches it is left out",
    "law",
    "decisions",
)
bug(
    "law-closed-min",
    "law/scores.py",
    "low = np.minimum.reduceat(found, offsets(length)[:-1])",
    "low = np.maximum.reduceat(found, offsets(length)[:-1])",
    "closure 'min' of scores takes the highest score above a class",
    "law",
    "curves",
)
bug(
    "curves-trapezoid",
    "curves/points.py",
    "height = (height + self.precision[end - 1]) / 2",
    "height = self.precision[end - 1]",
    "the area by trapezoids takes the precision of the left point alone",
    "curves",
    "wikivitals",
)
bug(
    "heads-champ",
    "heads/losses.py",
    "nearest * (1 + head.beta * ((scaled + 1) ** 2 - 1))",
    "nearest * (1 + head.beta * scaled**2)",
    "champ: the weight of a false positive is 1 + beta d^2 instead of 1 + beta ((d + 1)^2 - 1)",
    "heads",
    "verify",
)

# ------------------------------------------------------------------------------- explanation
bug(
    "explanation-sides",
    "explanation/sets.py",
    "        named(np.setdiff1d(true, predicted)),\n        named(np.setdiff1d(predicted, true)),",
    "        named(np.setdiff1d(predicted, true)),\n        named(np.setdiff1d(true, predicted)),",
    "explanations of sets: classes of the truth alone and of the prediction alone have changed places",
    "explanation",
    "two_ways",
    "tables",
)
bug(
    "explanation-scale",
    "explanation/pairs.py",
    "reduced = (network.cost + y[network.tail] - y[network.head]) / scale",
    "reduced = (network.cost + y[network.tail] - y[network.head]) / 1",
    "explanations of pairings: dual prices and slacks are not divided by the scale of the costs (fractions)",
    "explanation",
    "two_ways",
)

# ------------------------------------------------------------------------------- command line
bug(
    "cli-undefined-passes",
    "cli/thresholds.py",
    "good = value >= t.bound if m.higher_is_better else value <= t.bound",
    "good = not value < t.bound if m.higher_is_better else not value > t.bound",
    "--fail-under and --fail-over: an undefined score passes",
    "exits",
    "cli",
    "score_tables",
)
bug(
    "cli-tsv-unsafe",
    "cli/main.py",
    'if options.csv_safe and fmt in ("csv", "tsv"):',
    'if options.csv_safe and fmt == "csv":',
    "--csv-safe does nothing for TSV",
    "cli",
    "nasty_names",
    "exits",
)
bug(
    "cli-curve-steps",
    "cli/curve.py",
    "np.round(np.arange(1, count) * step, 12)",
    "np.round(np.arange(1, count + 1) * step, 12)",
    "hierpair curve --step: the threshold 1 (or beyond) is among them",
    "curves",
    "scored",
    "cli",
)

# ------------------------------------------------------------------------------- verification, presets
bug(
    "verify-needless-excuse",
    "casebook/published.py",
    'return "wrong"  # it needs no explanation any more',
    'return "met"',
    "a number that is expected to be an erratum but follows after all is no longer reported",
    "verify",
    "claims",
    "errata",
)
bug(
    "verify-tolerance",
    "casebook/published.py",
    "near = 0.0 if exact else 0.5 * 10 ** -_decimals(row)",
    "near = 0.0 if exact else 1.0 * 10 ** -_decimals(row)",
    "a printed number is met within a whole unit of its last decimal instead of half a unit",
    "verify",
    "claims",
)
bug(
    "presets-hidden-root",
    "presets.py",
    "        hidden_root=True,\n",
    "",
    "the preset hemkit no longer counts the hidden root",
    "presets",
)
bug(
    "presets-fmax-threshold",
    "presets.py",
    "for k in sorted(lowest.values(), reverse=True):",
    "for k in sorted(lowest.values()):",
    "the preset cafaeval: of thresholds with the same F the highest instead of the lowest is taken",
    "presets",
    "scored",
)

# ------------------------------------------------------------------------------- checks, plots, tables
bug(
    "linting-own-ancestor",
    "linting/labels.py",
    "hit = np.flatnonzero((mine[at] == key) & ~own)",
    "hit = np.flatnonzero(mine[at] == key)",
    "hierpair check: every set of several labels is said to hold nested labels",
    "linting",
    "cli",
)
bug(
    "plots-rank-order",
    "plots/rankings.py",
    'order = np.argsort(-up, kind="stable").tolist()\n        bars',
    'order = np.argsort(up, kind="stable").tolist()\n        bars',
    "the picture of ranks writes the systems in the wrong order: worst first",
    "charts",
    "plots",
)
bug(
    "tables-small-numbers",
    "report.py",
    'tiny = value != 0 and float(f"{value:.{digits}f}") == 0',
    "tiny = False",
    "a small value that is not 0 is printed as 0.0000",
    "tables",
    "score_tables",
    "forms",
)

# Tests by which bugs are found at once, in this tree or in a later one; a tree need not have all of them.
NAMED = {
    "measures-empty-truth": "test_ipeirotis_and_kiritchenko_vectors",
    "measures-micro-weight": "test_weights_repeat_instances",
    "measures-weighted-by-predicted": "test_flat_measures_follow_scikit_learn",
    "measures-mgia-denominator": "test_case_studies_of_kosmopoulos_et_al",
    "measures-credit-uncut": "test_precision_of_every_class_is_within_1",
    "measures-mcc": "test_every_ratio_against_scikit_learn",
    "measures-pruned-roots": "test_set_measures_against_python_sets",
    "evaluate-chunk-weights": "test_weights_go_with_their_instances_however_these_are_cut test_scores_do_not_depend_on_orders_chunks_or_processes test_levels_against_sets",
    "evaluate-merge-strangers": "test_partials_of_different_hierarchies_do_not_merge test_accumulators_of_different_hierarchies_do_not_merge",
    "evaluate-wrong-instance": "test_infeasible_names_the_instance_across_chunks_and_processes",
    "evaluate-infeasible-places": "test_the_places_left_out_are_known_however_instances_are_cut",
    "comparison-holm": "test_laws_of_ranks_and_corrections",
    "comparison-p-value": "test_p_values_count_exchanges",
    "comparison-rank-direction": "test_direction_of_errors",
    "comparison-gain-sign": "test_differences_are_recounted",
    "comparison-alone": "test_options_that_change_a_conclusion_only_together_are_not_blamed_alone test_conclusions_count_the_variants",
    "comparison-depth": "test_depth_is_the_shortest_way_from_a_root test_depths_are_recounted",
    "pairing-matrix-turned": "test_a_users_matrix_may_be_asymmetric_and_exact",
    "pairing-last-word": "test_repeated_constraints_intersect_whatever_their_order",
    "pairing-max-distance": "test_forbid_and_max_distance",
    "pairing-lexicographic-weight": "test_against_enumeration",
    "pairing-order-unchecked": "test_pairs_are_predicted_and_true_everywhere",
    "network-fallback": "test_optimal_against_enumeration_with_every_demand",
    "network-total-minimum": "test_total_counts_real_pairs",
    "network-negative-reduced": "test_negative_costs_are_not_reduced_away test_negative_prices_are_not_reduced_away",
    "solvers-called-exact": "test_scaling_is_exact_or_says_so",
    "lca-dominated": "test_a_larger_graph_with_more_in_common_can_have_the_smaller_f test_against_exhaustive_search test_the_fewest_lcas_come_before_a_larger_f",
    "lca-greedy-one-pass": "test_a_greedy_graph_has_no_lca_that_is_not_needed test_the_solver_agrees_and_its_graphs_are_those_of_the_search test_the_fewest_lcas_come_before_a_larger_f",
    "lca-threshold-apex": "test_cut_closure_bounds_all_distances",
    "confusion-unpaired-fn": "test_a_class_without_partner_counts_as_fn_where_pairings_tie test_exact_equals_exhaustive_search",
    "confusion-tie-order": "test_the_published_pairing_step_by_step",
    "readers-obsolete": "test_obo",
    "readers-line-number": "test_broken_labels",
    "readers-parents-turned": "test_hierarchy_formats",
    "writers-empty-long": "test_every_form_gives_the_same_bits",
    "writers-bar": "test_a_name_that_holds_what_separates_labels_is_not_written test_labels_written_are_read_back_or_refused",
    "labels-order": "test_instances_are_matched_by_id",
    "labels-several-roots": "test_unknown_labels",
    "labels-broken-path": "test_level_columns",
    "hierarchy-shares": "test_h_loss_against_python_sets",
    "hierarchy-double-edge": "test_bad_hierarchies_are_refused_by_name",
    "decoding-h-loss-open": "test_h_loss_is_the_best_of_all_closed_sets",
    "decoding-micro-steps": "test_vectors_of_micro_hf",
    "decisions-standard-error": "test_the_standard_error_of_two_draws_is_half_their_difference test_samples_approach_the_enumeration",
    "law-top": "test_the_top_scenarios_hold_the_mass_that_was_asked_for",
    "law-closed-min": "test_repairs_lift_parents_or_lower_children",
    "curves-trapezoid": "test_curves.py::test_vectors",
    "heads-champ": "test_heads.py::test_vectors",
    "explanation-sides": "test_sets_are_the_counts_of_the_measure",
    "explanation-scale": "test_a_pairing_adds_up_and_its_dual_prices_prove_it",
    "cli-undefined-passes": "test_an_undefined_score_misses_every_threshold",
    "cli-tsv-unsafe": "test_other_verbs_in_every_form",
    "cli-curve-steps": "test_a_score_on_a_step_is_reached",
    "verify-needless-excuse": "test_an_erratum_needs_its_reading_and_must_still_be_one",
    "verify-tolerance": "test_judging",
    "presets-hidden-root": "test_hemkit",
    "presets-fmax-threshold": "test_of_equally_good_thresholds_a_tool_takes_the_lowest",
    "linting-own-ancestor": "test_labels",
    "plots-rank-order": "test_the_better_half_is_named_on_the_right_with_the_best_on_top test_a_bar_for_every_group_and_a_line_for_every_system",
    "tables-small-numbers": "",
}
for b in BUGS:
    b["named"] = NAMED[b["name"]].split()
