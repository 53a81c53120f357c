"""Files nobody thought of: whatever is read, it is read back the same or refused by name.

Hypothesis makes the files; files that are too much for the memory are run apart, with a limit.
"""

import gzip
import io
import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, HierpairError, LabelSets, read_hierarchy, read_labels
from hierpair.checks import lint
from hierpair.io import HIERARCHY_FORMATS, LABEL_FORMATS, text, write_hierarchy, write_labels
from hierpair.io.labels import binary as labeltables
from tests import effort

QUICK = settings(
    max_examples=effort.cases(60), deadline=None, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip

TREE = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c c"), ("r", "d/e")])

# ------------------------------------------------------------------------------ what is mutated

OBO = """\
format-version: 1.2
default-namespace: things

[Term]
id: a
alt_id: a2

[Term]
id: b
is_a: a {source="x"} ! a
relationship: part_of a

[Term]
id: c
is_obsolete: true
replaced_by: a
"""
TURTLE = """\
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<a> a skos:Concept ; skos:prefLabel "A"@en ; skos:notation "1" .
<b> a skos:Concept ; skos:broader <a> .
"""
XML = """\
<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:skos="http://www.w3.org/2004/02/skos/core#">
<skos:Concept rdf:about="http://x/a"/><skos:Concept rdf:about="b"><skos:broader rdf:resource="http://x/a"/>
</skos:Concept></rdf:RDF>
"""
HIERARCHIES = {
    "codes": ["1\n11\tcode one\n111\n12\n", "A00\nA00.1\nA00.2\n"],
    "rcv1": [
        "parent: None child: r child-description: R\nparent: r child: a child-description: A\n"
    ],
    "ncbi": ["1\t|\t1\t|\tno rank\t|\n2\t|\t1\t|\tclass\t|\n"],
    "edges": ["parent\tchild\nr\ta\na\tb c\n", "r a\na b\n"],
    "weighted-edges": ["r\ta\t0.5\na\tb\t2\n", "parent child weight\nr a 1e3\n"],
    "taxonomy": ["r\ta\tb\na\tc\nd\n"],
    "paths": ["a/b/c\na/b/d\ne\n"],
    "csv": [
        "child\tparent\nr\t\na\tr\nb\tr\nb\ta\n",
        "child,parent\na,r\nb,a\nr,\n",
        "parent;child;weight\nr;a;0.5\na;b;2\n",
    ],
    "obo": [OBO],
    "json": [
        '[["r","a"],["a","b"]]',
        '{"edges":[["r","a",1.5]],"classes":["r","a","z"],"aliases":{"x":"a"}}',
        '{"a":"r","b":["r","a"],"r":null}',
        '{"name":"r","children":[{"name":"a","children":["b",3]}]}',
    ],
    "skos": [TURTLE, XML],
}


def npz_bytes(**arrays):
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def npy_bytes(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def parquet_bytes():
    out = io.BytesIO()
    pq.write_table(pa.table({"id": ["1", "2"], "labels": [["a"], ["b", "c c"]]}), out)
    return out.getvalue()


LABELS = {
    "lines": ["a b\n\nb,d/e\n"],
    "table": ["id\tlabels\n1\ta|b\n2\t\n3\tc c\n"],
    "long": ["1\ta\t0.5\n1\tb\t1e-3\n2\td/e\t2\n", "id\tlabel\n1\ta\n2\t\n"],
    "csv": ['id,labels\n1,"a|b"\n2,\n"3\n4",c c\n'],
    "tsv": ["id\tlabels\tmore\n1\ta|b\tx\n2\tb\ty\n"],
    "jsonl": ['{"id":"1","labels":["a","b"]}\n{"id":2,"labels":"a|c c"}\n{"id":"3","labels":null}\n'],
    "npz": [
        npz_bytes(m=np.eye(3, dtype=int), classes=np.array(["a", "b", "r"]), ids=np.arange(3)),
        npz_bytes(
            data=np.ones(2), indices=np.array([0, 1]), indptr=np.arange(3), shape=np.array([2, 2]),
            format=np.array("csr"), classes=np.array(["a", "b"]),
        ),
        npy_bytes(np.eye(2)),
    ],
    "parquet": [parquet_bytes()],
}  # fmt: skip


def as_bytes(content):
    return content if isinstance(content, bytes) else content.encode()


ALL_HIERARCHIES = [content for contents in HIERARCHIES.values() for content in contents]
ALL_LABELS = [content for contents in LABELS.values() for content in contents]


@st.composite
def mutated(draw, seeds):
    """A sound file with some stretches cut, doubled, exchanged, or written over."""
    data = bytearray(as_bytes(draw(st.sampled_from(seeds))))
    pieces = st.one_of(
        st.binary(max_size=6),
        st.text(max_size=6).map(lambda s: s.encode("utf-8", "surrogatepass")),
        st.sampled_from([b"\t", b"\n", b"\r\n", b"|", b'"', b",", b"{", b"[", b"\0", b"\xef\xbb\xbf", b"/",
                         b"nan", b"1e999", b"null", b" ", b"\xc2\xa0", b"&x;", b"<", b"\\ud800", b"-1"]),
    )  # fmt: skip
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.integers(0, 12)))
        how = draw(st.sampled_from(["cut", "double", "write", "insert", "flip"]))
        if how == "cut":
            del data[at:end]
        elif how == "double":
            data[end:end] = data[at:end]
        elif how == "write":
            data[at:end] = draw(pieces)
        elif how == "insert":
            data[at:at] = draw(pieces)
        elif at < len(data):
            data[at] ^= 1 << draw(st.integers(0, 7))
    return bytes(data)


def junk(seeds):
    texts = st.text(max_size=80).map(lambda s: s.encode("utf-8", "surrogatepass"))
    table = st.lists(
        st.lists(st.text("abr1\t ,|/\"'", max_size=4), min_size=1, max_size=4).map("\t".join), max_size=6
    ).map(lambda lines: "\n".join(lines).encode())  # fmt: skip
    return st.one_of(
        mutated(seeds), mutated(seeds), mutated(seeds), st.binary(max_size=80), texts, table,
        mutated(seeds).map(gzip.compress),
    )  # fmt: skip


# ------------------------------------------------------------------------------ reading


def same_hierarchy(one, two):
    """Whether both have the same classes, edges, weights."""
    both = [h.to_networkx() for h in (one, two)]
    edges = [{(str(u), str(v)): d for u, v, d in g.edges(data=True)} for g in both]
    return set(map(str, one.names)) == set(map(str, two.names)) and edges[0] == edges[1]


def check_message(error, path):
    """It names the file and stays on one line."""
    assert str(path) in str(error)
    assert len(str(error).splitlines()) == 1


def read_tree_or_refuse(path, fmt):
    try:
        hierarchy = read_hierarchy(path, fmt=fmt, roots="any")
    except HierpairError as error:
        check_message(error, path)
        return
    for form in HIERARCHY_FORMATS.written_forms:
        try:
            content, notes = write_hierarchy(hierarchy, form)
        except BadInput:
            continue  # a name or shape that the form cannot hold
        again = path.with_name("again")
        again.write_text(f"{content}\n", encoding="utf-8", newline="")
        back = read_hierarchy(again, fmt=form, roots="any")
        if any("whole path" in note for note in notes):
            assert len(back) == len(hierarchy)
            continue
        if any("weights" in note for note in notes):
            back = back.with_weights(np.zeros(len(back.parents)))
            plain = hierarchy.with_weights(np.zeros(len(hierarchy.parents)))
        else:
            plain = hierarchy
        assert same_hierarchy(plain, back), form
        if not any("other names" in note for note in notes):
            assert {str(k): str(v) for k, v in plain.aliases.items()} == dict(back.aliases)


@pytest.mark.exhaustive
@pytest.mark.parametrize("fmt", HIERARCHY_FORMATS)
@QUICK
@given(data=st.data())
def test_hierarchies_are_read_back_or_refused(tmp_path, fmt, data):
    path = tmp_path / "file"
    path.write_bytes(data.draw(junk(HIERARCHIES[fmt])))
    read_tree_or_refuse(path, fmt)
    read_tree_or_refuse(path, "auto")


@pytest.mark.parametrize("fmt", HIERARCHY_FORMATS)
def test_sound_hierarchies_are_sound(tmp_path, fmt):
    for content in HIERARCHIES[fmt]:
        path = tmp_path / "file"
        path.write_bytes(as_bytes(content))
        assert len(read_hierarchy(path, fmt=fmt, roots="any")) >= 2
        read_tree_or_refuse(path, fmt)


def read_labels_or_refuse(path, fmt, unknown="error"):
    try:
        sets = read_labels(path, TREE, fmt=fmt, unknown=unknown)
    except HierpairError as error:
        check_message(error, path)
        return
    for form in LABEL_FORMATS.written_forms:
        try:
            content, notes = write_labels(sets, TREE, form)
        except BadInput:
            continue
        again = path.with_name("again")
        again.write_bytes(content if isinstance(content, bytes) else f"{content}\n".encode())
        back = read_labels(again, TREE, fmt=form)
        assert np.array_equal(back.indptr, sets.indptr), form
        assert np.array_equal(back.indices, sets.indices), form
        if not notes:
            assert back.ids == (None if sets.ids is None else tuple(map(str, sets.ids))), form


@pytest.mark.parametrize("fmt", LABEL_FORMATS)
@QUICK
@given(data=st.data())
def test_labels_are_read_back_or_refused(tmp_path, fmt, data):
    path = tmp_path / "file"
    path.write_bytes(data.draw(junk(LABELS[fmt])))
    read_labels_or_refuse(path, fmt)
    read_labels_or_refuse(path, fmt, unknown="drop")
    read_labels_or_refuse(path, "auto", unknown="root")


@pytest.mark.parametrize("fmt", LABEL_FORMATS)
def test_sound_labels_are_sound(tmp_path, fmt):
    for content in LABELS[fmt]:
        path = tmp_path / "file"
        path.write_bytes(as_bytes(content))
        if content is not LABELS["npz"][2]:  # an npy file has no names of its own
            assert len(read_labels(path, TREE, fmt=fmt)) >= 2
        read_labels_or_refuse(path, fmt)


def refused(read):
    """Whether a reader refuses its file."""
    try:
        read()
    except HierpairError:
        return True
    return False


@pytest.mark.parametrize("fmt", [*HIERARCHY_FORMATS, "auto"])
@QUICK
@given(data=st.data())
def test_a_check_finds_what_reading_a_hierarchy_refuses(tmp_path, fmt, data):
    path = tmp_path / "file"
    path.write_bytes(data.draw(junk(HIERARCHIES.get(fmt) or ALL_HIERARCHIES)))
    report = lint(path, hierarchy_options={"fmt": fmt})
    assert bool(report.count("error")) == refused(lambda: read_hierarchy(path, fmt=fmt)), report


@pytest.mark.parametrize("fmt", [*LABEL_FORMATS, "auto"])
@QUICK
@given(data=st.data())
def test_a_check_finds_what_reading_labels_refuses(tmp_path, fmt, data):
    tree = tmp_path / "tree"
    tree.write_text(write_hierarchy(TREE, "edges")[0])
    path = tmp_path / "file"
    path.write_bytes(data.draw(junk(LABELS.get(fmt) or ALL_LABELS)))
    report = lint(tree, path, label_options={"fmt": fmt})
    assert bool(report.count("error")) == refused(lambda: read_labels(path, TREE, fmt=fmt)), report


NAMES = st.text(max_size=8).filter(lambda s: s.isprintable() or len(s) < 3)


@QUICK
@given(names=st.lists(NAMES, min_size=2, max_size=6, unique=True), data=st.data())
@example(names=["x/y", "x"], data=None)
@example(names=["a\0", "a"], data=None)
@example(names=["\ufeffa", "a"], data=None)
@example(names=["#", "0"], data=None)
@example(names=["# a", "0"], data=None)
@example(names=["##", "0"], data=None)
@example(names=["0", "NAME"], data=None)
@example(names=["a\u2028b", " a"], data=None)
def test_any_names_are_written_and_read_back_or_refused(tmp_path, names, data):
    """Names from anywhere, such as a user's program, not only from files."""
    try:
        hierarchy = Hierarchy.from_edges([(names[0], name) for name in names[1:]], roots="any")
    except BadInput:
        assert "" in names
        return
    lone = Hierarchy.from_edges([], classes=names, roots="any")
    for tree in (hierarchy, lone):
        for form in HIERARCHY_FORMATS.written_forms:
            try:
                content, notes = write_hierarchy(tree, form)
                written = f"{content}\n".encode()
            except (BadInput, UnicodeEncodeError):
                continue
            path = tmp_path / "tree"
            path.write_bytes(written)
            back = read_hierarchy(path, fmt=form, roots="any")
            assert len(back) == len(tree)
            assert same_hierarchy(tree, back) or "whole path" in notes[-1], form
    sets = LabelSets.from_labels(dict.fromkeys(names, names[:2]), hierarchy)
    for form in LABEL_FORMATS.written_forms:
        try:
            content, _ = write_labels(sets, hierarchy, form)
            written = content if isinstance(content, bytes) else f"{content}\n".encode()
        except (BadInput, UnicodeEncodeError):
            continue
        path = tmp_path / "labels"
        path.write_bytes(written)
        back = read_labels(path, hierarchy, fmt=form)
        assert np.array_equal(back.indices, sets.indices), form


# ------------------------------------------------------------------------------ too much


def nested(depth, kind):
    """JSON that is nested so deep, as a list, as children, or as an object."""
    if kind == "lists":
        return "[" * depth + "]" * depth
    if kind == "children":
        return '{"name":"a","children":[' * depth + "]}" * depth
    return '{"name":' * depth + "1" + "}" * depth


@pytest.mark.parametrize("kind", ["lists", "children", "objects"])
def test_endless_nesting(tmp_path, kind):
    path = tmp_path / "file"
    for depth in (*range(300, 1100, 200), 5000, 200_000):
        path.write_text(nested(depth, kind))
        with pytest.raises(BadInput, match=str(path)):
            read_hierarchy(path, fmt="json")
        path.write_text('{"id":"1","labels":' + nested(depth, kind) + "}\n")
        with pytest.raises(BadInput, match=f"{path}:1"):
            read_labels(path, TREE, fmt="jsonl")


def test_a_small_limit_of_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "LONGEST_LINE", 100)
    path = tmp_path / "file"
    path.write_text("a\n" + "b " * 51 + "\n")
    for fmt in ("lines", "auto"):
        with pytest.raises(BadInput, match="file:2: a line of 102 characters; this is not a text"):
            read_labels(path, TREE, fmt=fmt)
    with pytest.raises(BadInput, match="file:2: a line of 102 characters"):
        read_hierarchy(path)


def test_a_parquet_file_that_promises_too_much(tmp_path, monkeypatch):
    path = tmp_path / "file.parquet"
    out = io.BytesIO()
    many = pa.array(["a"] * 3000)
    pq.write_table(pa.table({"labels": many}), out)
    path.write_bytes(out.getvalue())
    assert len(read_labels(path, TREE)) == 3000
    monkeypatch.setattr(labeltables, "ROWS_PER_BYTE", 1)
    monkeypatch.setattr(labeltables, "MOST_ROWS", 2000)
    with pytest.raises(BadInput, match=r"bytes promise 3,000 rows"):
        read_labels(path, TREE)
    monkeypatch.setattr(labeltables, "MOST_ROWS", 10_000)
    monkeypatch.setattr(labeltables, "BOMB_BYTES", 2)
    monkeypatch.setattr(labeltables, "BOMB_RATIO", 0.01)
    with pytest.raises(BadInput, match="bytes once they are unpacked"):
        read_labels(path, TREE)


class Payload:
    """Unpickling it would make a file."""

    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return Path.touch, (self.target,)


def test_pickles_are_never_opened(tmp_path):
    target = tmp_path / "made"
    payload = Payload(target)
    pickle.loads(pickle.dumps(payload))
    assert target.exists()  # so the payload works
    target.unlink()
    objects = np.array([payload], dtype=object)
    out = io.BytesIO()
    np.save(out, objects, allow_pickle=True)
    files = {
        "a.npy": out.getvalue(),
        "b.npz": None,
        "c.npz": pickle.dumps(payload),
        "d.npy": pickle.dumps(payload),
        "e.pkl": pickle.dumps(payload),
        "f.parquet": pickle.dumps(payload),
    }
    for name, content in files.items():
        path = tmp_path / name
        if content is None:
            np.savez(path, m=np.eye(1), classes=objects, ids=objects)
        else:
            path.write_bytes(content)
        for read in (lambda p: read_labels(p, TREE), read_hierarchy):
            with pytest.raises(BadInput, match=str(path)):
                read(path)
    assert not target.exists()


def rdf(declarations, use):
    return (
        f'<?xml version="1.0"?>\n<!DOCTYPE rdf:RDF [{declarations}]>\n'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns:skos="http://www.w3.org/2004/02/skos/core#">'
        f'<skos:Concept rdf:about="http://x/a"><skos:prefLabel>{use}</skos:prefLabel></skos:Concept>'
        "</rdf:RDF>"
    )


def test_nothing_is_fetched(tmp_path, monkeypatch):
    """Neither a DTD, nor a context, nor anything else that a file names."""

    def refuse(*arguments, **_):
        raise AssertionError(f"the network was asked: {arguments}")

    monkeypatch.setattr("socket.socket.connect", refuse)
    monkeypatch.setattr("socket.getaddrinfo", refuse)
    monkeypatch.setattr("urllib.request.urlopen", refuse)
    path = tmp_path / "scheme.rdf"
    path.write_text(rdf("", "a").replace("[]", 'SYSTEM "http://example.invalid/x.dtd"'))
    with pytest.raises(BadInput, match="a document type"):
        read_hierarchy(path)
    path = tmp_path / "scheme.n3"
    path.write_text(
        "@prefix log: <http://www.w3.org/2000/10/swap/log#> .\n"
        f"{TURTLE}<http://example.invalid/b> log:semantics <http://example.invalid/c> .\n"
    )
    assert set(read_hierarchy(path).names) == {"a", "b"}
    path = tmp_path / "scheme.jsonld"
    path.write_text('{"@context": "http://example.invalid/c", "@id": "x", "@type": "Concept"}')
    with pytest.raises(BadInput, match=r"scheme\.jsonld"):
        read_hierarchy(path, fmt="skos")
    path = tmp_path / "scheme.ttl"
    path.write_text(
        TURTLE + "<b> <http://www.w3.org/2002/07/owl#imports> <http://example.invalid/> .\n"
    )
    assert set(read_hierarchy(path).names) == {"a", "b"}


# ------------------------------------------------------------------------------ with little memory
