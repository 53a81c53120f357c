"""Labels as they were written: a part shares arrays, and is what taking its rows gives."""

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, read_labels
from hierpair.hierarchy.arrays import offsets
from hierpair.labels.rows import AsWritten

FIELDS = ("ptr", "classes", "node_ptr", "nodes", "n_blank")


def written(seed, paths, blank):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 4, 12)
    classes = rng.integers(0, 9, lengths.sum()).astype(np.int32)
    sizes = rng.integers(0, 5, len(classes))
    nodes = rng.integers(0, 9, sizes.sum()).astype(np.int32)
    return AsWritten(
        offsets(lengths),
        classes,
        offsets(sizes) if paths else None,
        nodes if paths else None,
        rng.integers(0, 2, len(lengths)) if blank else None,
    )


@pytest.mark.parametrize("blank", [False, True])
@pytest.mark.parametrize("paths", [False, True])
def test_a_part_is_what_taking_its_rows_gives(paths, blank):
    for seed in range(20):
        whole = written(seed, paths, blank)
        for lo, hi in ((0, 12), (3, 7), (5, 5), (11, 12), (0, 0)):
            part, taken = whole.part(lo, hi), whole.take(np.arange(lo, hi))
            for name in FIELDS:
                one, other = getattr(part, name), getattr(taken, name)
                if other is None:
                    assert one is None, name
                else:
                    assert one.tolist() == other.tolist(), (name, lo, hi)


@pytest.mark.parametrize("field", ["c,d", "c;d", "['c', 'd']", '["c"]', "{'c'}"])
def test_a_label_made_of_known_ones_is_not_dropped(tmp_path, field):
    tree = Hierarchy.from_edges([("r", "c"), ("r", "d")])
    path = tmp_path / "t.tsv"
    path.write_text(f"y\td\nx\t{field}\n")
    with pytest.raises(BadInput, match="not in the hierarchy"):
        read_labels(path, tree, unknown="drop")
    path.write_text("y\td\nx\tgone\n")
    assert len(read_labels(path, tree, unknown="drop")) == 2
