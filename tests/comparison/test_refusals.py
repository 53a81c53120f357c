"""What cannot be compared, ranked, told apart or perturbed, and what the one line says of it."""

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelSets, compare, score
from hierpair.comparison import agreement, by_depth, differ, discrimination, respond, sensitivity
from hierpair.comparison.statistics import differences_of, ranked, seed_interval
from tests.comparison import TREE, labels, part_of

ROOTED = Hierarchy.from_edges([("r", "a"), ("r", "b")])
MEASURES = ["hf", "gie", "hf(average=macro)"]
TRUTH, SYSTEMS = labels(60, 3, seed=4)


def scored(measures=MEASURES, truth=TRUTH, systems=SYSTEMS, **how):
    return score(TREE, truth, systems, measures, keep_classes=True, **how)


def part(systems=SYSTEMS, measures=("hf", "gie"), some=range(60), rows=TRUTH, **how):
    how = {"blocks": 40, "part": f"part {[*some]}"} | how
    return part_of(rows, systems, measures, some, **how)


ALL, LONE = scored(), scored(systems={"s0": SYSTEMS["s0"]})
WEIGHTED = scored("hf", sample_weight=np.arange(60.0))
NOBODY = score(ROOTED, [[], []], {"x": [[], []], "y": [["a"], []]}, "recall(zero_division=nan)")
PAIRED = score(
    Hierarchy.from_edges([("r", "a"), ("a", "c"), ("a", "d")]), [["c"], ["c"]],
    {"one": [["c", "d"], ["c"]], "other": [["c"], ["c", "d"]]}, "tree_induced_error", on_infeasible="nan",
)  # fmt: skip
BY_CLASS = ["hf(average=macro)", "hp(average=weighted)"]
SAID = {"i": {"a": 0.9}, "j": {"b": 0.9}}
OF_SCORES = score(ROOTED, {"i": "a", "j": "b"}, {"x": SAID, "y": SAID}, "macro_auprc")
COMPARED = [
    ({"test": "permutations"}, "did you mean 'permutation'"),
    ({"correction": "hochberg"}, "correction must be one of"), ({"alpha": 5}, "alpha must be between 0 and 1"),
    ({"n_permutations": 0}, "at least 1, got 0"), ({"seed": -1}, "seed must be"), ({"n_jobs": 0}, "n_jobs"),
    ({"interval": "bca"}, "not offered for averages over classes"), ({"test": "runs"}, "needs several runs"),
    ({"baseline": "x"}, "baseline: there is no system 'x'"),
    ({"level": 0}, "level must be between 0 and 1"), ({"family": "none"}, "family must be one of"),
    *(({"blocks": n}, f"blocks must be a whole number from 2 to 60, got {n}") for n in (1, True, 2.0, 61)),
    *(({"blocks": 5, **how}, "here are sums of blocks")
      for how in ({"test": "sign"}, {"interval": "bca"}, {"effect": "cliffs_delta"})),
    *(({"runs": runs}, message) for runs, message in (
        ({"A": ["s0", "s1"]}, "'s2' must be one of one system, and is named in none"),
        ({"A": ["s0", "q"]}, "no run 'q'"),
        ({"A": ["s0", "s1"], "B": ["s2", "s0"]}, "'s0' must be one of one system, and is named 2 times"),
        ({"A": ["s0", "s1"], "B": ["s2"]}, "same number of runs"),
    )),
]  # fmt: skip
GIVEN = [
    (lambda: score(TREE, TRUTH, SYSTEMS, MEASURES), "keep_classes=True"),
    (lambda: NOBODY, r"recall\(zero_division=nan\) of x is not defined"),
    (lambda: PAIRED, "no instance has a pairing under all systems by tree_ind"),
    *((lambda of=of: of, f"one score.. of all systems returned, or one partial.*; got {kind}")
      for of, kind in ((3, "int"), ([ALL, PAIRED], "list"), ([part(), "s1"], "list"))),
    (lambda: part(measures=["recall(zero_division=nan)"], rows=[[]] * 60), r"of s0 is not defined \(nan\)"),
    (lambda: part(blocks=0), r"sums of 0 blocks of instances.*blocks=1000, --blocks 1000"),
    (lambda: part(blocks=1), "sums of 1 block of instances, and at least two are needed"),
    (lambda: part(measures=BY_CLASS), r"macro.*weighted.*no sums by block are kept of averages"),
]  # fmt: skip
OTHERS = [
    (lambda: compare(WEIGHTED, test="wilcoxon"), "does not count sample weights"),
    (lambda: compare(LONE), "comparing needs at least two systems, and there is only 's0'"),
    (lambda: compare(OF_SCORES), "macro_auprc is a measure of scores"),
    (lambda: discrimination(OF_SCORES), "macro_auprc is a measure of scores"),
    (lambda: compare(part(), blocks=5), "leave blocks out"),
    (lambda: compare(part(), test="runs"), "needs several runs per system"),
    *((lambda how=how: compare(part(), **how), "here are sums of blocks")
      for how in ({"test": "sign"}, {"test": "sign_normal"}, {"test": "wilcoxon"}, {"test": "t"},
                  {"interval": "bca"}, {"effect": "cliffs_delta"})),
    (lambda: agreement(part(), of="instances"), "a partial keeps sums; use of='systems'"),
    (lambda: agreement(WEIGHTED, of="instances"), "counts every instance once"),
    (lambda: agreement(ALL, of="classes"), "of must be one of systems, instances"),
    (lambda: agreement(ALL, of="instances", coefficient="spearman"), "over instances the coef"),
    (lambda: agreement(ALL, "tau"), "no coefficient 'tau'"),
    (lambda: agreement(ALL, n_bootstrap=-1), "n_bootstrap must be"),
    (lambda: agreement(ALL, n_bootstrap=0, n_jobs=0), "n_jobs must be at least 1"),
    (lambda: agreement(ALL, n_bootstrap=0)["hf", "hg"], "no measure 'hg'"),
    (lambda: discrimination(part().scores()), "a partial keeps sums alone"),
    (lambda: discrimination(LONE), "at least two of them"),
    (lambda: discrimination(score(TREE, TRUTH[:1], {s: y[:1] for s, y in SYSTEMS.items()}, "hf")),
     "needs at least two instances with values, got 1"),
    (lambda: discrimination(ALL, sizes=[70]), "a size must be a whole number from 2 to 60, got 70"),
    (lambda: discrimination(ALL, planted=[2]), "a planted share must be between 0 and 1"),
    (lambda: discrimination(ALL, alpha=2), "alpha must be between 0 and 1"),
    (lambda: discrimination(ALL, splits=0), "splits must be a whole number"),
    (lambda: differ(ALL, "s0", "s9", TREE, TRUTH), "no system 's9'"),
    (lambda: differ(ALL, "s1", "s1", TREE, TRUTH), "two different systems are needed, and both are 's1'"),
    (lambda: differ(ALL, "s0", "s1", TREE, TRUTH, measure="hp"), "'hp' was not scored"),
    (lambda: differ(ALL, "s0", "s1", TREE, TRUTH, k=0), "k must be"),
    (lambda: differ(part().scores(), "s0", "s1", TREE, TRUTH), "no values of instances of s0"),
    (lambda: by_depth(ALL, TREE, TRUTH[1:]), "other instances"),
    (lambda: by_depth(ALL, TREE, {f"i{k}": y for k, y in enumerate(TRUTH)}), "other instances"),
    *((lambda of=of: seed_interval(of), "at least two finite numbers")
      for of in ([0.5], [[0.5], [0.6]], [0.5, np.nan], [[0.5, 0.6], [np.inf, 0.5]])),
    (lambda: ranked([2, 1], [[0]]), r"significant must have shape \(2, 2\), got \(1, 1\)"),
    (lambda: differences_of([1, 2], [1, 2, 3]), r"a value per instance each, got \(2,\), \(3,\)"),
    (lambda: sensitivity(TREE, TRUTH, SYSTEMS, "hf", vary={"dmax": [1]}), "no.* an option 'dmax'"),
    (lambda: sensitivity(TREE, TRUTH, SYSTEMS, "hf", vary={"beta": [*range(1, 600)]}), "more than 500 conv"),
    (lambda: sensitivity(TREE, TRUTH, SYSTEMS, "hf", vary={"average": ["micro", "mirco"]}),
     "average must be one of samples, micro, macro, weighted, got 'mirco'"),
    (lambda: sensitivity(TREE, TRUTH, SYSTEMS, "hf", vary={"root": "include"}), "the values of root must be a list"),
    (lambda: sensitivity(TREE, TRUTH, SYSTEMS, "hf", test="tt"), "test must be one of"),
    *((lambda how=how: respond(**{"hierarchy": ROOTED, "y_true": ["a", "b"], "measures": "hf"} | how), message)
      for how, message in (
        ({"y_true": LabelSets.from_labels(["a", "b"], ROOTED).ignoring([["a"], []], ROOTED)}, "none can be ignored"),
        ({"steps": ["uncle"]}, r"there is no step 'uncle': a step is up<k>"),
        ({"steps": ["up1", "up1"]}, "'up1' is named twice"),
        ({"steps": []}, "no step is given"), ({"steps": {"up1"}}, "steps must have an order"),
        ({"steps": ["noise_2"]}, "the rate of 'noise_2' must be"),
        ({"steps": ["cousin", "sibling"]}, "no label has all these steps: of 2 labels there is cousin"),
        ({"n_bootstrap": 0}, "n_bootstrap must be a whole number"),
        ({"measures": ["hf(weights=ia)"]}, "reference"),
        ({"measures": ["fmax"]}, "fmax is a measure of scores"),
        ({"y_true": [[], []]}, "all instances are empty"),
    )),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), [
    *((lambda how=how: compare(ALL, **how), message) for how, message in COMPARED),
    *((lambda given=given: compare(given()), message) for given, message in GIVEN),
    *OTHERS,
])  # fmt: skip
def test_what_is_refused(call, message):
    with pytest.raises(BadInput, match=message):
        call()
