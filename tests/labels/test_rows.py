"""Instances taken from label sets keep their labels as these were written."""

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelSets, read_labels
from hierpair.checks import lint
from hierpair.labels.naming import AsWritten
from hierpair.labels.node_scores import scores_of_labels

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])


def test_paths_and_blanks_go_with_their_instances():
    paths = [[["a", "c"], ["b", "c"]], [["b"]], [], [["b", "c"]]]
    whole = LabelSets.from_levels(paths, TREE)
    for rows in ([0, 1, 2, 3], [3, -1, 0, 0], [2], []):
        taken = whole.take(np.array(rows, dtype=np.int64))
        again = LabelSets.from_levels([[] if i < 0 else paths[i] for i in rows], TREE)
        for sets in (taken, taken.part(0, len(rows))):
            assert sets.indptr.tolist() == again.indptr.tolist()
            assert sets.indices.tolist() == again.indices.tolist()
            for name in ("ptr", "classes", "node_ptr", "nodes"):
                mine, other = (getattr(x.as_written, name) for x in (sets, again))
                assert mine.tolist() == other.tolist(), (name, rows)
    part = whole.part(1, 4)
    assert part.as_written.nodes.tolist() == whole.as_written.nodes.tolist()[4:]


@pytest.mark.parametrize("field", ["c,d", "c;d", "['c', 'd']", '["c"]', "{'c'}"])
def test_a_label_made_of_known_ones_is_not_dropped(tmp_path, field):
    tree = Hierarchy.from_edges([("r", "c"), ("r", "d")])
    path = tmp_path / "t.tsv"
    path.write_text(f"y\td\nx\t{field}\n")
    with pytest.raises(BadInput, match="not in the hierarchy"):
        read_labels(path, tree, unknown="drop")
    path.write_text("y\td\nx\tgone\n")
    assert len(read_labels(path, tree, unknown="drop")) == 2


def test_blank_labels_go_with_their_instances_and_no_instance_has_none():
    kept = AsWritten(np.array([0, 1, 1]), np.array([2], np.int32), n_blank=np.array([1, 3]))
    assert kept.take(np.array([1, -1, 0])).n_blank.tolist() == [3, 0, 1]


def test_of_two_scores_of_a_class_the_higher_one_counts():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")], aliases={"A": "a"})
    for given in ({"a": 0.25, "A": 0.75}, {"A": 0.75, "a": 0.25}):
        assert scores_of_labels({"x": given}, tree).dense().tolist() == [[0, 0.75, 0]]


def test_two_blank_labels_are_blank_and_not_repeated(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("id\tlabels\nx\ta||\n")
    (tmp_path / "tree.tsv").write_text("r\ta\nr\tb\n")
    found = lint(tmp_path / "tree.tsv", path).findings
    assert {one.rule for one in found if one.level != "note"} == {"blank label"}
