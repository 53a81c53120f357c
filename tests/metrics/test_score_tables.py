"""Tables behind measures of scores, in every form of input; Clus by name; refusals with exit 2."""

import pytest

from hierpair import Hierarchy, LabelDistribution, NodeScores, score
from hierpair.cli import main
from hierpair.metrics import class_areas, level_scores, reliability, score_like
from tests.measures.scored_problems import hierarchy_of_case, vectors

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
LAWS = [[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0, 0, 1]]
LEAVES = list("cde")
TRUTH = {"x": "c", "y": "d", "z": "c"}


def forms():
    law = LabelDistribution.from_leaves(LAWS, TREE, classes=LEAVES, ids=list("xyz"))
    table = law.marginals().dense()
    named = {
        name: dict(zip(TREE.names, row.tolist(), strict=True))
        for name, row in zip("xyz", table, strict=True)
    }
    turned = dict(reversed(named.items()))
    return {
        "law": law,
        "scores": law.marginals(),
        "names": named,
        "turned": turned,
        "levels": [table[:, 1:3], table[:, 3:]],
    }


@pytest.mark.parametrize("form", forms())
def test_every_form_of_scores(form):
    given, law = forms()[form], forms()["law"]
    assert class_areas(TRUTH, given, TREE).to_json() == class_areas(TRUTH, law, TREE).to_json()
    assert level_scores(TRUTH, given, TREE).to_json() == level_scores(TRUTH, law, TREE).to_json()
    found = reliability(TRUTH, given, TREE, bins=4)
    assert found.error() == pytest.approx(level_scores(TRUTH, law, TREE, bins=4).ece)


def test_tables_hold_what_the_measures_say():
    law = forms()["law"]
    names = ["micro_auprc", "macro_auprc", "weighted_auprc", "macro_auroc", "micro_auroc"]
    options = ["", "(interpolation=clus)"]
    for name in names:
        for option in options[: 2 if name.endswith("prc") else 1]:
            areas = class_areas(TRUTH, law, TREE, **({"interpolation": "clus"} if option else {}))
            value = score(TREE, TRUTH, {"s": law}, [name + option]).values[0, 0]
            assert value == getattr(areas, name)()
    levels = level_scores(TRUTH, law, TREE, bins=5, clip=0.01)
    for name, options in (
        ("brier", ""),
        ("log_loss", "clip=0.01, "),
        ("ece", "bins=5, "),
        ("sce", "bins=5, "),
        ("ace", "bins=5, "),
    ):
        called = "level_log_loss" if name == "log_loss" else name
        for how in ("mean", "sum"):
            measure = f"{called}({options}over_levels={how})"
            value = score(TREE, TRUTH, {"s": law}, [measure]).values[0, 0]
            assert value == levels.over_levels(name, how)


def test_predictions_are_matched_by_id():
    said = {"z": "c", "y": "c", "x": "c"}
    found = level_scores(TRUTH, forms()["law"], TREE, y_pred=said, preset="hiclass")
    turned = level_scores(TRUTH, forms()["turned"], TREE, y_pred=dict(TRUTH), preset="hiclass")
    assert found.ece.tolist() != turned.ece.tolist()
    again = level_scores(TRUTH, forms()["law"], TREE, y_pred=list("ccc"), preset="hiclass")
    assert again.records.to_dicts()[0]["brier"] == found.brier[0]


@pytest.mark.parametrize("case", vectors("auprc"))
def test_clus_by_name(case):
    hierarchy = hierarchy_of_case(case)
    table = [[row.get(c, 0) for c in hierarchy.names] for row in case["scores"]]
    scores = NodeScores.from_array(table, hierarchy, with_root=False)
    found, want = (
        score_like("clus", hierarchy, case["truth"], {"s": scores}),
        case["expected"]["clus"],
    )
    for column, key in (
        ("Average AUROC", "average_auroc"),
        ("Average AUPRC", "average_auprc"),
        ("Average AUPRC (weighted)", "weighted_average_auprc"),
        ("Pooled AUROC", "pooled_auroc"),
        ("Pooled AUPRC", "pooled_auprc"),
    ):
        assert found["s", column] == pytest.approx(want[key], rel=0, abs=1e-12)


def test_clus_forgets_what_is_predicted_for_a_class_that_nobody_has():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    truth, scores = ["a", "r"], [[0.9, 0.9], [0.1, 0.9]]
    given = NodeScores.from_array(scores, tree, classes=["a", "b"])
    assert score_like("clus", tree, truth, {"s": given})["s", "Pooled AUPRC"] == 1
    assert class_areas(truth, given, tree).micro_auprc() == pytest.approx(1 / 3)


def test_levels_may_have_their_classes_in_any_order():
    named = NodeScores.from_levels([[[0.5, 0.25]]], TREE, classes=[["e", "c"]], ids=["x"])
    assert named.dense()[0].tolist() == [1, 0, 0, 0.25, 0, 0.5]


def test_on_the_command_line(tmp_path, capsys):
    for name, text in (
        ("tree", "r\ta\nr\tb\n"),
        ("truth", "x\ta\ny\tb\n"),
        ("scores", "x\ta\t0.75\nx\tb\t0.5\ny\tb\t0.25\n"),
        ("nobody", "x\tr\ny\tr\n"),
        ("odd", "x\ta\t1.5\ny\ta\t1\n"),
    ):
        (tmp_path / f"{name}.tsv").write_text(text)
    files = [str(tmp_path / f"{name}.tsv") for name in ("tree", "truth", "scores")]
    main(["score", *files, "-m", "micro_auprc", "-m", "node_brier", "--format", "csv"])
    assert "0.833" in capsys.readouterr().out
    main(["score", *files, "--preset", "clus"])
    assert "Average AUPRC (weighted)" in capsys.readouterr().out
    for changed, measure, why in (
        ({1: "nobody"}, "macro_auprc", "no instance has a true class that counts"),
        ({1: "nobody"}, "ece", "has a true class that counts"),
        ({2: "odd"}, "brier", "1.5"),
        ({}, "macro_auroc(least=5)", "lower least"),
        ({}, "ece(bins=0)", "bins must be a whole number from 1"),
        ({}, "log_score(clip=0.1)", "has no option 'clip'"),
    ):
        chosen = [
            str(tmp_path / f"{changed[i]}.tsv") if i in changed else f for i, f in enumerate(files)
        ]
        with pytest.raises(SystemExit) as stopped:
            raise SystemExit(main(["score", *chosen, "-m", measure]))
        assert stopped.value.code == 2
        told = capsys.readouterr().err
        assert why in told
        assert "Traceback" not in told
