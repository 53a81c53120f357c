"""What does not count: classes to ignore by instance and classes of interest, in every family."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hierpair as hp
from hierpair import BadInput, Hierarchy, NodeScores, explain, score
from hierpair.cli.main import main
from hierpair.evaluation import merge, partial
from hierpair.measures import REGISTRY, measure, measures_of
from hierpair.measures.recipes.batch import NOTHING_LEFT
from hierpair.metrics import function_of
from tests.strategies import problems

EDGES = [tuple(x) for x in ("ra", "rb", "ac", "ad", "bd", "be", "cf", "dg")]
DAG = Hierarchy.from_edges(EDGES)
TRUTH = {"x": ["f"], "y": ["g", "e"], "z": ["c"]}
MINE = {"x": ["c", "e"], "y": ["d"], "z": ["f", "g"]}
KNOWN = {"x": ["c"], "z": ["c"]}


def above(h, labels):
    """Labels with all ancestors, as names."""
    return {*labels, *(a for c in labels for a in h.ancestors(c))}


@st.composite
def ignoring(draw):
    """A hierarchy, what is left out, and of every instance both sides and the classes that count."""
    h, _, truth, predicted = draw(problems(instances=5, single_root=True))
    some = st.lists(st.sampled_from(h.names), max_size=2, unique=True)
    known, ancestors = [draw(some) for _ in truth], draw(st.booleans())
    interest = draw(st.none() | st.lists(st.sampled_from(h.names), min_size=1, unique=True))
    gone = (above(h, labels) if ancestors else {*labels} for labels in known)
    there = [{*(h.names if interest is None else interest)} - of for of in gone]
    how = {"ignore": known, "ignore_ancestors": ancestors, "classes": interest}
    return h, how, [*zip(truth, predicted, there, strict=True)]


def scored(h, rows, names, **how):
    truth, predicted, _ = zip(*rows, strict=True)
    return score(h, [*truth], {"s": [*predicted]}, names, **how)


GROWN = {
    "hp": lambda t, p: len(t & p) / len(p) if p else 0,
    "hr": lambda t, p: len(t & p) / len(t),
    "hf": lambda t, p: 2 * len(t & p) / (len(t) + len(p)),
    "symmetric_difference": lambda t, p: len(t ^ p),
    "depth_loss(w0=1)": lambda t, p: len(t ^ p),
}


@given(ignoring())
def test_completed_sets_are_cut_as_the_definition_says(case):
    """They are completed first, then cut; where nothing true is left the instance is left out."""
    h, how, rows = case
    pooled = ["hf(average=micro)", "hf(average=macro)"]
    found = scored(h, rows, [*GROWN, *pooled], root="include", **how)
    sets = [(above(h, t) & there, above(h, p) & there) for t, p, there in rows]
    for k, of in enumerate(GROWN.values()):
        got = found.per_instance["s"][:, k]
        for x, (t, _, _), (true, said) in zip(got, rows, sets, strict=True):
            if true or t:
                assert x == pytest.approx(of(true, said) if true else np.nan, nan_ok=True)
        known = got[~np.isnan(got)]
        mean = known.mean() if len(known) else np.nan
        assert found.values[0, k] == pytest.approx(mean, nan_ok=True)
    kept = [pair for pair, (t, _, _) in zip(sets, rows, strict=True) if pair[0] or not t]
    by_class = {c: [0, 0] for t, p in kept for c in t | p}
    for t, p in kept:
        for c in t | p:
            by_class[c][0] += 2 * (c in t & p)
            by_class[c][1] += (c in t) + (c in p)
    if by_class:
        micro, macro = found.values[0, len(GROWN) :]
        both, either = map(sum, zip(*by_class.values(), strict=True))
        assert micro == pytest.approx(both / either)
        assert macro == pytest.approx(np.mean([b / e for b, e in by_class.values()]))


LABELS = ("gie", "mgia", "fnerror", "tree_wasserstein(default=3)", "lca_f", "hcm_f(average=samples)",
          "contribution_f(average=samples)", "f", "shortest_path")  # fmt: skip


@given(ignoring())
def test_labels_that_do_not_count_take_no_part(case):
    h, how, rows = case
    names = [name for name in LABELS if h.shape == "tree" or not name.startswith("hcm")]
    how["on_infeasible"] = "nan"
    found = scored(h, rows, names, **how).per_instance["s"]
    cut = [([c for c in t if c in of], [c for c in p if c in of], of) for t, p, of in rows]
    plain = scored(h, cut, names, on_infeasible="nan").per_instance["s"]
    plain[[bool(t) and not left for (t, _, _), (left, _, _) in zip(rows, cut, strict=True)]] = (
        np.nan
    )
    assert np.array_equal(found, plain, equal_nan=True)


INDUCED = ("hp", "hf(average=macro)", "hf(average=weighted)", "hamming_loss", "simgic", "mi",
           "specificity", "hf(average=micro)", "level_f(classes=all, average=macro)")  # fmt: skip
SCORED = ("fmax", "fmax(average=micro)", "smin", "coverage", "micro_auprc", "macro_auroc",
          "micro_auroc", "macro_auprc(closure=max)", "node_brier")  # fmt: skip


@given(problems(instances=4, single_root=True), st.data())
def test_what_nobody_counts_might_as_well_not_be_there(problem, data):
    """Ignoring an upper part everywhere is scoring in the hierarchy without it, labels and scores."""
    h, edges, truth, predicted = problem
    top = above(h, data.draw(st.lists(st.sampled_from(h.names), min_size=1, max_size=2)))
    rest = [c for c in h.names if c not in top]
    if not rest or not all(any(c in rest for c in labels) for labels in truth):
        return
    inner = [(p, c) for p, c in edges if p in rest and c in rest]
    smaller = Hierarchy.from_edges(inner, classes=rest, roots="any")
    sides = [[[c for c in labels if c in rest] for labels in side] for side in (truth, predicted)]
    number = st.sampled_from([0, 0.25, 0.5, 0.75, 1])
    row = st.lists(number, min_size=len(h), max_size=len(h))
    p = np.array(data.draw(st.lists(row, min_size=len(truth), max_size=len(truth))))
    kept = [c in rest for c in h.names]
    whole = NodeScores.from_array(p, h, classes=h.names, with_root=False)
    part = NodeScores.from_array(p[:, kept], smaller, classes=np.array(h.names)[kept].tolist(),
                                 with_root=False)  # fmt: skip
    for names, all_, some in (
        (INDUCED, predicted, sides[1]), *(([name], whole, part) for name in SCORED),
    ):  # fmt: skip
        how = {"measures": names, "root": "include"}
        how |= {"augment": "ancestors"} if names is INDUCED else {}
        try:
            expected = score(smaller, sides[0], some, **how).values
        except BadInput:
            continue
        for cut in ({"classes": rest}, {"ignore": [sorted(top)] * len(truth)}):
            found = score(h, truth, all_, **how, **cut).values
            assert np.allclose(found, expected, equal_nan=True), (names, cut)


def fmax_with_known(truth, scores, known, h):
    """CAFA's partial knowledge: per protein the terms known before, with ancestors, are no terms."""
    best = 0.0
    for t in sorted({x for row in scores for x in row.values()}):
        p, r = [], []
        for labels, row, gone in zip(truth, scores, known, strict=True):
            true = above(h, labels) - above(h, gone)
            said = above(h, [c for c, x in row.items() if x >= t]) - above(h, gone)
            if true:
                r.append(len(true & said) / len(true))
                p += [len(true & said) / len(said)] if said else []
        precision, recall = (np.mean(p) if p else 0.0), np.mean(r)
        if precision + recall:
            best = max(best, 2 * precision * recall / (precision + recall))
    return best


@given(ignoring(), st.data())
def test_fmax_is_that_of_partial_knowledge(case, data):
    h, how, rows = case
    truth, known = [t for t, _, _ in rows], how["ignore"]
    p = st.sampled_from([0.25, 0.5, 0.75, 1.0])
    of = st.dictionaries(st.sampled_from(h.names), p, min_size=1)
    scores = [data.draw(of) for _ in rows]
    left = [above(h, t) - above(h, gone) for t, gone in zip(truth, known, strict=True)]
    if not all(truth) or not any(left):
        return
    sides = (dict(enumerate(side)) for side in (truth, scores, known))
    truth_by, scores_by, known_by = sides
    how = {"root": "include", "ignore": {**known_by, "elsewhere": h.names[:1]}}
    found = score(h, truth_by, {"s": scores_by}, "fmax", **how)
    assert found.values[0, 0] == pytest.approx(fmax_with_known(truth, scores, known, h))
    none = left.count(set())
    assert found.remarks.get(("s", "fmax(root='include')"), {}) == (
        {NOTHING_LEFT: none} if none else {}
    )


def test_rankings_leave_ignored_leaves_out():
    p = np.array([[0.5, 0.3, 0.1, 0.1], [0.6, 0.2, 0.15, 0.05]])
    tree = Hierarchy.from_edges(map(tuple, ["ra", "rb", "ac", "ad", "be", "bf"]))

    def found(names=("top_accuracy",), **how):
        return score(tree, ["d", "c"], {"s": p}, names, **how).values[0].tolist()

    assert found() == [0.5]
    cut = found(["top_accuracy", "ahd(k=3)"], ignore=[["c"], []], ignore_ancestors=False)
    assert cut == [1, pytest.approx(((0 + 2 + 2) / 3 + (0 + 1 + 2) / 3) / 2)]
    assert found(ignore=[["d"], []]) == [1]
    nearest = [
        f"{name}(k=2)" for name in ("hprecision", "similarity_precision", "h_average_precision")
    ]
    p = np.array([[0.1, 0.6, 0.2, 0.1], [0.6, 0.2, 0.15, 0.05]])  # of d, then e, nothing is nearer
    assert found(nearest, ignore=[["c"], []], ignore_ancestors=False) == [1, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(found(nearest, ignore=[["d"], ["c"]])).all()
    names = [f"c{k:02}" for k in range(20)]  # so many that only the highest are looked at
    star, p = Hierarchy.from_edges([("r", c) for c in names]), (np.linspace(1, 0, 20)[None], names)
    for how in ({"ignore": [names[:5]]}, {"classes": names[5:]}):
        assert score(star, ["c05"], {"s": p}, "top_accuracy", **how).values == 1


STAR = Hierarchy.from_edges([("r", f"c{k}") for k in range(6)])


def test_classes_without_scores_follow_by_name_but_for_those_that_are_ignored():
    said, known = [{"c3": 0.5}, {}, {"c5": 1, "c0": 0.2}], [["c0", "c5"], ["c1"], []]
    for k in range(1, 5):
        for c in (x for x in STAR.names[1:] if x not in ("c0", "c1", "c5")):
            rest = [[x for x in STAR.names[1:] if x not in [*row, *gone]]
                    for row, gone in zip(said, known, strict=True)]  # fmt: skip
            first = [[*row, *more][:k] for row, more in zip(said, rest, strict=True)]
            how = {"ignore": dict(enumerate(known)), "ignore_ancestors": False}
            found = score(STAR, dict.fromkeys(range(3), c), {"s": dict(enumerate(said))},
                          [f"top_accuracy(k={k}, ties=name)"], **how)  # fmt: skip
            assert found.per_instance["s"][:, 0].tolist() == [float(c in row) for row in first]
    with pytest.raises(BadInput, match="instance 0: fewer than 5 classes count and can be ranked"):
        score(STAR, ["c2"], {"s": {0: said[0]}}, "ahd(k=5, ties=name)", ignore=known[:1])


@pytest.mark.parametrize(("name", "true", "said", "how", "wanted"), [
    # a label is gone while what is above it counts: there is no truth for measures of labels
    ("best_match_average", "c", "f", {"ignore": [["c"]], "ignore_ancestors": False}, np.nan),
    ("answer_size", "c", "f", {"ignore": [["c"]], "ignore_ancestors": False}, np.nan),
    ("hf", "c", "f", {"ignore": [["c"]], "ignore_ancestors": False}, 2 / 3),
    ("hf", "a", "c", {"classes": ["f", "g"]}, np.nan),
    ("simgic(augment=none)", "a", "a", {"classes": ["c"]}, np.nan),
    ("simgic(augment=none)", "c", "f", {"ignore": [["c"]], "ignore_ancestors": False}, np.nan),
    ("f", "c", "f", {"ignore": [["c"]], "ignore_ancestors": False}, np.nan),
])  # fmt: skip
def test_an_instance_is_left_out_where_the_measure_has_no_truth_left(name, true, said, how, wanted):
    found = score(DAG, [true], {"s": [said]}, name, **how)
    assert found.values[0, 0] == pytest.approx(wanted, nan_ok=True)
    noted = {NOTHING_LEFT: 1} if np.isnan(wanted) else {}
    assert found.remarks.get(("s", found.measures[0].name), {}) == noted
    (why,) = explain(DAG, [true], [said], name, **how)
    assert why.value == pytest.approx(wanted, nan_ok=True)


def test_where_nothing_counts_or_can_be_ranked():
    p, how = {0: {"c0": 0.5}}, {"ignore": {0: ["c0"]}}
    assert np.isnan(score(STAR, {0: "c0"}, {"s": p}, "similarity_precision", **how).values)
    with pytest.raises(BadInput, match="k is 1, and a ranking has at most 0 classes"):
        score(STAR, {0: "r"}, {"s": p}, "h_average_precision", classes=["r"])


TOTAL = [name for name, d in measures_of("labels").items() if "total" in d.traits]


@pytest.mark.parametrize("name", TOTAL)
def test_every_measure_explains_adds_up_and_compares_what_counts(name):
    """Explanations, parts and per-instance values are those of the same sets; nothing is nothing."""
    how = {"ignore": KNOWN, "classes": ["r", "a", "c", "d", "e", "f", "g"]}
    sides = {"s": MINE, "t": TRUTH}
    whole = score(DAG, TRUTH, sides, name, keep_classes=True, **how)
    why = [x.value for x in explain(DAG, TRUTH, MINE, name, instances=TRUTH, **how)]
    assert np.allclose(why, whole.per_instance["s"][:, 0], equal_nan=True)
    if not REGISTRY[name].recipe(REGISTRY[name].options).__dict__.get("weighting"):
        parts = [partial(DAG, {x: TRUTH[x]}, {s: {x: side[x]} for s, side in sides.items()}, name, part=x, **how)
                 for x in TRUTH]  # fmt: skip
        assert merge(*parts).scores()["s", name] == whole["s", name]
        pooled = [measure(name).with_options(average=a) for a in REGISTRY[name].averages]
        pooled = [m for m in pooled if not m.by_true_class]
        rest = {i: TRUTH[i] for i in "xy"}, {"s": {i: MINE[i] for i in "xy"}}
        found = [score(DAG, *both, pooled, **how) for both in ((TRUTH, {"s": MINE}), rest)]
        assert np.allclose(found[0].values, found[1].values, equal_nan=True)  # z has nothing left
    plain, none = (score(DAG, TRUTH, {"s": MINE}, name, ignore=x).values for x in (None, {"x": []}))
    assert np.array_equal(plain, none)
    compared = hp.compare(whole, n_permutations=20, n_bootstrap=20)
    assert np.allclose(compared.scores.values, whole.values)
    assert np.isnan(whole.per_instance["s"][2, 0])  # all that is true of z was known
    assert function_of(name)(TRUTH, MINE, DAG, **how) == whole["s", name]


def test_the_notes_and_the_table_are_of_what_counts():
    found = score(DAG, TRUTH, {"s": MINE, "t": TRUTH}, ["hf", "gie"], ignore=KNOWN)
    assert found.notes[1].endswith(f"1 instance with {NOTHING_LEFT}")
    how = {"ignore": {"z": ["c"]}, "ignore_ancestors": False}  # above it hf has another class
    notes = score(DAG, TRUTH, {"s": MINE}, ["hf", "f"], **how).notes
    assert [x for x in notes if NOTHING_LEFT in x] == [f"s, f: 1 instance with {NOTHING_LEFT}"]
    assert "2 instances with classes that do not count there, as asked (ignore)" in found.notes
    rows = found.by_level().records().to_dicts()
    at = {row["level"]: row["n_instances"] for row in rows if row["system"] == "s"}
    assert at == {1: 1, 2: 1, 3: 2}  # of y b, a; d, e; g; of x f alone


def test_the_command_line_reads_what_does_not_count(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("t").write_text("".join(f"{p}\t{c}\n" for p, c in EDGES))
    Path("c").write_text("a\nc\nd\ne\nf\n")
    for name, of in (("y", TRUTH), ("p", MINE), ("known", KNOWN)):
        Path(name).write_text("".join(f"{i}\t{'|'.join(x)}\n" for i, x in of.items()))
    seen = set()
    for more, how in {"": {}, "--ignore-ancestors no": {"ignore_ancestors": False},
                      "--classes c": {"classes": list("acdef")}}.items():  # fmt: skip
        assert main(f"score t y p -m hf --ignore known --format csv {more}".split()) == 0
        value = float(capsys.readouterr().out.splitlines()[1].split(",")[2])
        assert value == score(DAG, TRUTH, {"s": MINE}, "hf", ignore=KNOWN, **how).values[0, 0]
        seen.add(value)
    assert len(seen) == 3


NUMBERS = Hierarchy.from_parents([-1, 0, 0, 1])
WITHOUT_X = [{"x": ["c1"], "y": ["c2"]}, {"s": {"x": {"c1": 1}, "y": {"c1": 0.5, "c2": 0.5}}}]


@pytest.mark.parametrize(("call", "says"), [
    (lambda: score(DAG, TRUTH, {"s": MINE}, "hf", classes=["q"]), "class 'q' is not in the hierarchy"),
    (lambda: score(DAG, {"x": ["a"]}, {"s": {"x": {"a": 0.5}}}, "h_average_precision", classes=["a"]), "a ranking has at most 0 classes"),
    (lambda: score(DAG, TRUTH, {"s": MINE}, "hf", ignore={"w": ["a"]}), "ignore: .*(have|has) no truth"),
    (lambda: score(DAG, TRUTH, {"s": MINE}, "gie", classes="all"), "none of the measures has an option 'classes'"),
    (lambda: merge(*(partial(DAG, TRUTH, {"s": MINE}, "hf", part=c, classes=["a", c]) for c in "cd")), "different hierarchies"),
    (lambda: function_of("hf")(np.array([0, 7, 1]), np.array([0, 0, 1]), DAG, classes=["c", "e"]), "class number 7 is outside 0 … 1"),
    (lambda: function_of("hf")([1, 0], [0, 1], DAG, classes=["c", "c"]), "classes has 'c' twice"),
    (lambda: function_of("hf")([2, 0], [0, 1], NUMBERS, classes=[1, 2, 3]), "0 is a class and a position"),
    *((lambda m=m: score(STAR, *WITHOUT_X, [m], ignore={"x": ["c1"]}), f"instance 'y': {said}") for m, said in (
        ("ahd", "several classes have the score 0.5"),
        (measure("ahd", k=2, ties="name", cost=lambda pairs: -pairs.distance), "the pair .* has the cost"))),
])  # fmt: skip
def test_what_cannot_be_meant_is_refused(call, says):
    with pytest.raises(BadInput, match=says):
        call()


def test_labels_are_places_in_classes():
    tree = Hierarchy.from_edges(map(tuple, ["ra", "rb", "ac", "ad", "be"]))
    names, y = ["e", "d", "c"], np.array([0, 1, 2])
    p = np.array([[0.2, 0.5, 0.3], [0.1, 0.3, 0.6], [0.1, 0.2, 0.7]])
    hf, ahd, top = (function_of(name) for name in ("hf", "ahd", "top_accuracy"))
    assert hf(names, ["d", "c", "c"], tree) == (0 + 0.5 + 1) / 3
    best = p.argmax(1)
    for true, said in ((y, best), (y.tolist(), [[1], [2], [2]]), (names, best)):
        assert hf(true, said, tree, classes=names) == (0 + 0.5 + 1) / 3
    assert ahd(y, p, tree, classes=names) == (2 + 1 + 0) / 3
    ranks = np.argsort(-p, axis=1)
    assert ahd(y, ranks, tree, classes=names, k=2) == ahd(y, p, tree, classes=names, k=2)
    assert top(y, p, tree, classes=names, k=2) == 2 / 3


def test_a_matrix_without_names_beside_classes_is_refused():
    """Are these its columns, or what counts? The pair of both says it."""
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    matrix, names = np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]]), ["c", "d", "b"]
    for ask in (score, partial):
        with pytest.raises(BadInput, match=r"which classes count.*\(matrix, columns\)"):
            ask(tree, ["c", "d"], {"s": matrix}, ["ahd(k=2)"], classes=names)
    sides = ["c", "d"], {"s": (matrix, names)}, "ahd(k=2)"
    pair, plain = (score(tree, *sides, classes=c) for c in (names, None))
    assert pair.values == plain.values
