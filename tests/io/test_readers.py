"""Files in: every format, and every broken file refused with file and line."""

import gc
import gzip

import pytest

from hierpair import BadInput, read_hierarchy, read_labels

EDGES = {("r", "a"), ("r", "b"), ("a", "x y"), ("b", "x y")}


def edges_of(hierarchy):
    return set(hierarchy.to_networkx().edges)


@pytest.fixture
def write(tmp_path):
    def write_file(text, name="file.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write_file


@pytest.mark.parametrize(("text", "fmt"), [
    ("r\ta\nr\tb\na\tx y\nb\tx y\n", "edges"),
    ("parent\tchild\nr\ta\r\nr\tb\r\n\r\na\tx y\r\nb\tx y", "edges"),
    ("r\ta\tb\na\tx y\nb\tx y\n", "taxonomy"),
    ("r\ta\tb\t\t\na\tx y\nb\tx y\nx y\n", "taxonomy"),
    ("child\tparent\nr\t\na\tr\nb\tr\nx y\ta\nx y\tb\n", "csv"),
    ("\ufeffr\ta\nr\tb\na\tx y\nb\tx y\n", "edges"),
])  # fmt: skip
def test_hierarchy_formats(write, text, fmt):
    for chosen in ("auto", fmt):
        assert edges_of(read_hierarchy(write(text), fmt=chosen)) == EDGES


def test_weighted_edges_and_gzip(write):
    path = write(gzip.compress(b"r a 0.5\nr b 2\n"), "tree.txt.gz")
    hierarchy = read_hierarchy(path, fmt="weighted-edges")
    assert hierarchy.distance("a", "b") == 2.5


TREE = "r\tcat\nr\tdog\ncat\tlion\n"


@pytest.fixture
def tree(write):
    return read_hierarchy(write(TREE, "tree.tsv"))


def names(sets, tree):
    return [sets.names_of(i, tree) for i in range(len(sets))]


BROKEN = [
    ("a b\nb c d\n", "auto", "file.txt:2: expected 2 fields, got 3; fields are separated by tabs"),
    ("a b\n\na b\n", "auto", "file.txt:3: the edge 'a' → 'b' already occurs at file.txt:1"),
    ("a\tb\nc\t\n", "edges", "file.txt:2: a class name is missing"),
    ("a\tb\t\tc\n", "taxonomy", "file.txt:1: a class name is missing"),
    ("a b -2\n", "weighted-edges", "file.txt:1: the edge weight must be finite and not negative"),
    ("a b nan\n", "weighted-edges", "must be a number, got 'nan'"),
    ("[Term]\nid: a\nis_a: b\n", "obo", "txt:3: the parent 'b' of 'a' is not defined in the file"),
    ("[Term]\nid: a\nis_a: b\n[Term]\nid: b\nis_obsolete: true\n", "obo",
     "file.txt:3: the parent 'b' of 'a' is obsolete"),
    ("[Term]\nid: a\nis_a: b\n[Term]\nid: b\nis_a: a\n", "obo",
     "file.txt:6: the hierarchy has a cycle: 'b' → 'a' → 'b'"),
    ("d1\tcat\nd2\tdog\n\nd1\tcat\n", "labels", "txt:4: instance 'd1' already occurs at file.txt:1"),
    ("d1\tcat\n\nd2\tdgo\n", "labels", "file.txt:3, instance 'd2': class 'dgo'"),
    ("d1,cat\n", "labels", "need tabs: id TAB label"),
]  # fmt: skip
"""What tests/cli/test_broken_inputs.py does not have: places, above all."""


@pytest.mark.parametrize(("text", "fmt", "message"), BROKEN)
def test_broken_files(write, tree, text, fmt, message):
    path = write(text)
    with pytest.raises(BadInput) as caught:
        read_labels(path, tree) if fmt == "labels" else read_hierarchy(path, fmt=fmt)
    assert message in str(caught.value).replace(f"{path.parent}/", "")


def test_weights_or_classes_have_to_be_told_apart(write):
    path = write("r\ta\t0.5\nr\tb\t2\n")
    with pytest.raises(BadInput, match="is the third column a weight or a class"):
        read_hierarchy(path)
    assert read_hierarchy(path, fmt="weighted-edges").distance("a", "b") == 2.5
    assert len(read_hierarchy(path, fmt="taxonomy")) == 5


def test_line_ends_blank_lines_and_hidden_gzip(write, tree):
    sets = read_labels(write("d1\tcat\t\r\rd2\tdog\r"), tree)
    assert (sets.ids, names(sets, tree)) == (("d1", "d2"), [["cat"], ["dog"]])
    packed = read_labels(write(gzip.compress(b"cat\n")), tree)
    assert names(packed, tree) == [["cat"]]


def test_blank_labels_can_be_dropped_on_request(write, tree):
    sets = read_labels(write("d1\tcat||dog|\n"), tree, unknown="drop")
    assert (names(sets, tree), sets.n_unknown) == ([["cat", "dog"]], 2)


def test_slash_paths(write):
    hierarchy = read_hierarchy(write("a/b/c\na/b/d\n\ne\n"), fmt="paths", roots="any")
    assert edges_of(hierarchy) == {("a", "a/b"), ("a/b", "a/b/c"), ("a/b", "a/b/d")}
    assert hierarchy.roots == ["a", "e"]
    with pytest.raises(
        BadInput, match=r"file.txt:2: a class name is missing on the way to another"
    ):
        read_hierarchy(write("a/b\na//b\n"), fmt="paths")


OBO = """\
format-version: 1.2
default-namespace: things

[Term]
id: X:1
name: root

[Term]
id: X:2
name: left ! a comment
alt_id: X:20
alt_id: X:21
is_a: X:1 ! root

[Term]
id: X:3
is_a: X:1 {source="somebody", note="a ! in here"} ! root
relationship: part_of X:2 {source="x"} ! left
is_a: X:2

[Term]
id: X:4
is_obsolete: true
replaced_by: X:21
is_a: X:1

[Term]
id: X:5
is_obsolete: true
replaced_by: X:2
replaced_by: X:3

[Term]
id: X:6
relationship: part_of X:3

[Typedef]
id: part_of
is_transitive: true
"""


def test_obo(write):
    path = write(OBO, "small.obo")
    is_a = read_hierarchy(path)
    assert edges_of(is_a) == {("X:1", "X:2"), ("X:1", "X:3"), ("X:2", "X:3")}
    assert set(is_a.roots) == {"X:1", "X:6"}
    both = read_hierarchy(path, relations=("is_a", "part_of"))
    assert edges_of(both) - edges_of(is_a) == {("X:3", "X:6")}
    sets = read_labels(write("X:20 X:4\nX:3\n"), is_a)
    assert names(sets, is_a) == [["X:2"], ["X:3"]]
    assert "X:5" not in is_a
    packed = write(gzip.compress(OBO.encode()), "small.obo.gz")
    assert edges_of(read_hierarchy(packed)) == edges_of(is_a)
    assert edges_of(read_hierarchy(write(OBO), fmt="obo")) == edges_of(is_a)


def test_the_garbage_collector_is_as_it_was(write, tree):
    for switch in (gc.disable, gc.enable):
        switch()
        before = gc.isenabled()
        read_labels(write("cat\n"), tree)
        with pytest.raises(BadInput):
            read_hierarchy(write("a b c\n"))
        assert gc.isenabled() == before
