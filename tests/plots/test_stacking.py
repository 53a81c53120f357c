"""Pictures of several measures: all are drawn, each as large as alone."""

from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

from hierpair import BadInput, Hierarchy, compare, score
from hierpair.cli import main
from hierpair.plots import plot_ranks, save_picture
from hierpair.plots.saving import MOST, stacked

EDGES = [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")]
TREE = Hierarchy.from_edges(EDGES)
TRUTH = [["c"], ["d"], ["e"], ["c", "e"], ["a"]] * 4
GOOD = [["c"], ["d"], ["e"], ["c"], ["a"]] * 4
BAD = [["e"], ["c"], ["e"], ["d"], ["a"]] * 4
MEASURES = ["hf", "gie", "lca_f"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("tree.tsv").write_text("".join(f"{p}\t{c}\n" for p, c in EDGES))
    for name, labels in (("truth", TRUTH), ("good", GOOD), ("bad", BAD)):
        Path(f"{name}.tsv").write_text(
            "".join(f"x{i}\t{'|'.join(y)}\n" for i, y in enumerate(labels))
        )
    return ["tree.tsv", "truth.tsv", "good.tsv", "bad.tsv"]


def drawn(monkeypatch, args):
    """Run a command; return the texts of all axes of the picture that it saves."""
    from hierpair.plots import saving

    kept = []
    save = saving.save_picture

    def keep(picture, path, **how):
        kept.append(picture)
        save(picture, path, **how)

    monkeypatch.setattr("hierpair.plots.save_picture", keep)
    assert main(args) == 0
    figure = kept[0].figure
    return kept[0], figure


@pytest.mark.exhaustive
@pytest.mark.parametrize("view", ["ranks", "intervals", "significance", "depth"])
def test_every_measure_is_drawn(view, files, monkeypatch, capsys):
    named = [x for m in MEASURES for x in ("-m", m)]
    args = ["compare", *files, *named, "--picture", "p.svg", "--view", view, "--permutations",
            "50", "--bootstrap", "50", "--rename", "good=Ours"]  # fmt: skip
    _, figure = drawn(monkeypatch, args)
    assert f"drew {view} in p.svg, one for each of 3 measures" in capsys.readouterr().err
    assert len(figure.axes) == 3
    labels = [f"{ax.get_xlabel()} {ax.get_ylabel()}" for ax in figure.axes]
    for label, name in zip(labels, MEASURES, strict=True):
        assert name in label
    for m in MEASURES:
        assert any(
            line.startswith(f"{m}(")
            for line in "\n".join(ax.get_label() for ax in figure.axes).splitlines()
        )
    for ax in figure.axes:
        words = [t.get_text() for t in ax.texts] + [t.get_text() for t in ax.get_yticklabels()]
        words += [t.get_text() for t in ax.get_legend().get_texts()] if ax.get_legend() else []
        assert any("Ours" in word for word in words)
    assert "gie(" in Path("p.svg").read_text("utf-8")


def test_agreement_is_one_picture(files, monkeypatch):
    named = [x for m in MEASURES for x in ("-m", m)]
    _, figure = drawn(
        monkeypatch, ["compare", *files, *named, "--picture", "p.png", "--view", "agreement", "-q"]
    )
    assert len(figure.axes) == 1


@pytest.mark.exhaustive
def test_every_explanation_is_drawn(files, monkeypatch, capsys):
    args = ["explain", *files[:2], "bad.tsv", "-i", "x0", "-i", "x1", "--picture", "why.svg"]
    _, figure = drawn(monkeypatch, args)
    assert [ax.get_title() for ax in figure.axes] or len(figure.axes) == 4
    assert len(figure.axes) == 4
    err = capsys.readouterr().err
    for text in ("instance x0: gie", "instance x0: hf", "instance x1: gie", "instance x1: hf"):
        assert text in err
    assert main([*args, "--view", "network"]) == 2
    assert "hf has no pairing to draw" in capsys.readouterr().err


@pytest.mark.exhaustive
def test_parts_are_as_large_as_alone(tmp_path):
    found = compare(score(TREE, TRUTH, {"good": GOOD, "bad": BAD}, MEASURES), n_permutations=50,
                    n_bootstrap=50)  # fmt: skip
    draw = [lambda ax, m=m: plot_ranks(found, m, ax=ax) for m in MEASURES]
    alone = [one(None) for one in draw]
    stack = stacked(draw)
    figure = stack.figure
    for one, ax in zip(alone, figure.axes, strict=True):
        for axes in (one, ax):
            axes.figure.draw_without_rendering()
        want = one.get_position().size * one.figure.get_size_inches()
        got = ax.get_position().size * figure.get_size_inches()
        assert got == pytest.approx(want, rel=1e-6)
    boxes = [ax.get_tightbbox() for ax in figure.axes]
    assert all(a.y0 >= b.y1 for a, b in zip(boxes, boxes[1:], strict=False))
    assert stacked(draw[:1]).get_label().splitlines()[1].startswith("hf(")
    save_picture(stack, tmp_path / "a.svg")
    save_picture(stacked(draw), tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    with pytest.raises(BadInput, match=f"room for {MOST} parts"):
        stacked(draw * 9)
