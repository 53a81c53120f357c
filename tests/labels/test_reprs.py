"""What a notebook shows: small tables, everything escaped, no arrays."""

import pandas as pd
import pytest

from hierpair import BadInput, Hierarchy, LabelSets, lint
from hierpair.labels import Columns

EVIL = "<script>alert(1)</script>"


def test_everything_is_escaped_and_short():
    tree = Hierarchy.from_edges(
        [(EVIL, "a&b"), (EVIL, "c\x1b[31m")], titles={"a&b": EVIL}, aliases={"other": "a&b"}
    )
    sets = LabelSets.from_labels({EVIL: ["a&b"], "y": []}, tree)
    columns = Columns(ids=EVIL, where=((EVIL, "a&b"),))
    for thing in (sets, columns, Columns()):
        html = thing._repr_html_()
        assert html.startswith("<table>")
        assert "<script>" not in html
        assert "\x1b" not in html
        assert "array" not in html + repr(thing)
        assert len(html) < 2000
        assert "\n" not in repr(thing)
    assert "2, with ids" in sets._repr_html_()
    assert repr(Columns()) == "Columns()"
    assert repr(Columns(long=True)) == "Columns(long=True)"


def test_large_things_stay_small():
    names = [f"class {i}" * 20 for i in range(5000)]
    forest = Hierarchy.from_edges([(f"{name} top", name) for name in names], roots="any")
    sets = LabelSets.from_labels([names] * 3, forest)
    assert len(sets._repr_html_()) < 1000
    assert len(repr(sets)) < 100
    empty = LabelSets.from_labels([], forest)
    assert "0, by position" in empty._repr_html_()


def test_a_report_shows_itself(tmp_path):
    (tmp_path / "tree.tsv").write_text("a\tb\nb\ta\n<b>\t<b>\n")
    report = lint(tmp_path / "tree.tsv")
    assert repr(report).startswith("Report(2 errors, ")
    html = report._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert "self-loop" in str(report)


def test_a_frame_of_levels():
    frame = pd.DataFrame(
        {"one": ["food", "food", "tools"], "two": ["cheese", "bread", None], "n": [1, 2, 3]}
    )
    tree = Hierarchy.from_frame(frame, levels=["one", "two"], roots="any")
    assert set(tree.names) == {"food", "tools", "food/cheese", "food/bread"}
    sets = LabelSets.from_levels(frame[["one", "two"]], tree)
    assert [sets.names_of(i, tree) for i in range(3)] == [
        ["food/cheese"],
        ["food/bread"],
        ["tools"],
    ]
    dotted = Hierarchy.from_frame(frame, levels=["one", "two"], separator=".", roots="any")
    assert "food.bread" in dotted.names
    with pytest.raises(BadInput, match="there is no column 'tow'; did you mean 'two'"):
        Hierarchy.from_frame(frame, levels=["one", "tow"])
    with pytest.raises(BadInput, match="levels must be a list of columns"):
        Hierarchy.from_frame(frame, levels="one")
    with pytest.raises(BadInput, match="either levels or child"):
        Hierarchy.from_frame(frame, levels=["one"], child="two")
    gap = pd.DataFrame({"one": ["a"], "two": [None], "three": ["c"]})
    with pytest.raises(BadInput, match="path 1: a class name is missing"):
        Hierarchy.from_frame(gap, levels=["one", "two", "three"])
