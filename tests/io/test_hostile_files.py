"""Files nobody thought of, and files made to do harm: read back the same, or refused by name in time.

Hypothesis makes the files: whatever is read is written and read back, and a check finds what reading refuses.
"""

import bz2
import gzip
import io
import json
import lzma
import pickle
import re
import struct
import sys
import time
import tracemalloc
import zipfile
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import hierpair
from hierpair import BadInput, Hierarchy, HierpairError, LabelSets, read_hierarchy, read_labels
from hierpair.checks import lint
from hierpair.errors import did_you_mean, first_repeated
from hierpair.io import HIERARCHY_FORMATS, LABEL_FORMATS, text, write_hierarchy, write_labels
from hierpair.io.files import OTHER_KINDS
from hierpair.io.labels import binary
from hierpair.labels import Columns
from tests import effort
from tests.reading import put, refuses

QUICK = settings(
    max_examples=effort.cases(60), deadline=None, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip

TREE = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c c"), ("r", "d/e")])

OBO = (
    "format-version: 1.2\ndefault-namespace: things\n\n[Term]\nid: a\nalt_id: a2\n\n"
    '[Term]\nid: b\nis_a: a {source="x"} ! a\nrelationship: part_of a\n\n'
    "[Term]\nid: c\nis_obsolete: true\nreplaced_by: a\n"
)
TURTLE = """\
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<a> a skos:Concept ; skos:prefLabel "A"@en ; skos:notation "1" .
<b> a skos:Concept ; skos:broader <a> .
"""
RDF = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"\n '
    'xmlns:skos="http://www.w3.org/2004/02/skos/core#">'
    '<skos:Concept rdf:about="http://x/a"><skos:prefLabel>&c;</skos:prefLabel></skos:Concept>'
    '<skos:Concept rdf:about="b"><skos:broader rdf:resource="http://x/a"/></skos:Concept></rdf:RDF>'
)
HIERARCHIES = {
    "codes": ["1\n11\tcode one\n111\n12\n", "A00\nA00.1\nA00.2\n"],
    "rcv1": [f"parent: {top} child: r child-description: R\nparent: r child: a child-description: A\n"
             for top in ("None", "r")],
    "ncbi": ["1\t|\t1\t|\tno rank\t|\n2\t|\t1\t|\tclass\t|\n"],
    "edges": ["parent\tchild\nr\ta\na\tb c\n", "r a\na b\n"],
    "weighted-edges": ["r\ta\t0.5\na\tb\t2\n", "parent child weight\nr a 1e3\n"],
    "taxonomy": ["r\ta\tb\na\tc\nd\n"], "paths": ["a/b/c\na/b/d\ne\n"],
    "csv": ["child\tparent\nr\t\na\tr\nb\tr\nb\ta\n", "child,parent\na,r\nb,a\nr,\n",
            "parent;child;weight\nr;a;0.5\na;b;2\n"],
    "obo": [OBO],
    "json": ['[["r","a"],["a","b"]]', '{"a":"r","b":["r","a"],"r":null}',
             '{"edges":[["r","a",1.5]],"classes":["r","a","z"],"aliases":{"x":"a"}}',
             '{"name":"r","children":[{"name":"a","children":["b",3]}]}'],
    "skos": [TURTLE, '<?xml version="1.0"?>\n' + RDF.replace("&c;", "A")],
}  # fmt: skip


def held(save, *things, **named):
    """The bytes that a function writes into a file."""
    out = io.BytesIO()
    save(out, *things, **named)
    return out.getvalue()


PARQUET = pa.table({"id": ["1", "2"], "labels": [["a"], ["b", "c c"]]})
LABELS = {
    "lines": ["a b\n\nb,d/e\n"], "table": ["id\tlabels\n1\ta|b\n2\t\n3\tc c\n"],
    "long": ["1\ta\t0.5\n1\tb\t1e-3\n2\td/e\t2\n", "id\tlabel\n1\ta\n2\t\n"],
    "csv": ['id,labels\n1,"a|b"\n2,\n"3\n4",c c\n'],
    "tsv": ["id\tlabels\tmore\n1\ta|b\tx\n2\tb\ty\n"],
    "jsonl": ['{"id":"1","labels":["a","b"]}\n{"id":2,"labels":"a|c c"}\n{"id":"3","labels":null}\n'],
    "npz": [
        held(np.savez, m=np.eye(3, dtype=int), classes=np.array(["a", "b", "r"]), ids=np.arange(3)),
        held(np.savez, data=np.ones(2), indices=np.array([0, 1]), indptr=np.arange(3),
             shape=np.array([2, 2]), format=np.array("csr"), classes=np.array(["a", "b"])),
        held(np.save, np.eye(2)),
    ],
    "parquet": [held(lambda out, table: pq.write_table(table, out), PARQUET)],
}  # fmt: skip


@st.composite
def mutated(draw, known, fmt):
    """A sound file with some stretches cut, doubled, exchanged, or written over."""
    seeds = known.get(fmt) or [content for contents in known.values() for content in contents]
    seed = draw(st.sampled_from(seeds))
    data = seed if isinstance(seed, bytes) else seed.encode()
    pieces = st.one_of(
        st.binary(max_size=6),
        st.text(max_size=6).map(lambda s: s.encode("utf-8", "surrogatepass")),
        st.sampled_from([b"\t", b"\n", b"\r\n", b"|", b'"', b",", b"{", b"[", b"\0", b"\xef\xbb\xbf", b"/",
                         b"nan", b"1e999", b"null", b" ", b"\xc2\xa0", b"&x;", b"<", b"\\ud800", b"-1"]),
    )  # fmt: skip
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.integers(0, 12)))
        piece, old, bit = draw(pieces), data[at:end], 1 << draw(st.integers(0, 7))
        flipped = bytes([c ^ bit for c in old[:1]]) + old[1:]
        new = draw(st.sampled_from([b"", old + old, piece, piece + old, flipped]))
        data = data[:at] + new + data[end:]
    return data


def junk(known, fmt):
    texts = st.text(max_size=80).map(lambda s: s.encode("utf-8", "surrogatepass"))
    row = st.lists(st.text("abr1\t ,|/\"'", max_size=4), min_size=1, max_size=4).map("\t".join)
    table = st.lists(row, max_size=6).map(lambda lines: "\n".join(lines).encode())
    some = mutated(known, fmt)
    others = st.binary(max_size=80), texts, table, some.map(gzip.compress)
    return st.one_of(some, some, some, *others)


def same_hierarchy(one, two):
    """Whether both have the same classes, edges, weights."""
    both = [h.to_networkx() for h in (one, two)]
    edges = [{(str(u), str(v)): d for u, v, d in g.edges(data=True)} for g in both]
    return set(map(str, one.names)) == set(map(str, two.names)) and edges[0] == edges[1]


def written_as(path, formats, write, *things):
    """Write in every form that can hold it; return each with what is told about it."""
    for form in formats.written_forms:
        try:
            content, notes = write(*things, form)
            path.write_bytes(content if isinstance(content, bytes) else f"{content}\n".encode())
        except (BadInput, UnicodeEncodeError):
            continue  # a name or shape that the form cannot hold
        yield form, "\n".join(notes)


def hierarchies_come_back(path, hierarchy):
    for form, lost in written_as(path, HIERARCHY_FORMATS, write_hierarchy, hierarchy):
        back = read_hierarchy(path, fmt=form, roots="any")
        assert len(back) == len(hierarchy)
        if "whole path" in lost:
            continue
        both = [hierarchy, back]
        if "weights" in lost:
            both = [h.with_weights(np.zeros(len(h.parents))) for h in both]
        assert same_hierarchy(*both), form
        if "other names" not in lost:
            assert {str(k): str(v) for k, v in hierarchy.aliases.items()} == dict(back.aliases)


def labels_come_back(path, sets, hierarchy):
    for form, lost in written_as(path, LABEL_FORMATS, write_labels, sets, hierarchy):
        back = read_labels(path, hierarchy, fmt=form)
        assert np.array_equal(back.indptr, sets.indptr), form
        assert np.array_equal(back.indices, sets.indices), form
        if not lost:
            assert back.ids == (None if sets.ids is None else tuple(map(str, sets.ids))), form


def refused(come_back, read, path, *given, **how):
    """Read a file, write what it holds in every form, compare; whether it is refused."""
    try:
        thing = read(path, *given, **how)
    except HierpairError as error:
        said = str(error)
    else:
        come_back(path.with_name("again"), thing, *given)
        return False
    assert str(path) in said
    assert len(said.splitlines()) == 1
    return True


@pytest.mark.parametrize("fmt", [*HIERARCHY_FORMATS, "auto"])
@QUICK
@given(data=st.data())
def test_hierarchies_are_read_back_or_refused_as_a_check_says(tmp_path, fmt, data):
    path = put(tmp_path / "file", data.draw(junk(HIERARCHIES, fmt)))
    refused(hierarchies_come_back, read_hierarchy, path, fmt=fmt, roots="any")
    unread = refused(hierarchies_come_back, read_hierarchy, path, fmt=fmt)
    report = lint(path, hierarchy_options={"fmt": fmt})
    assert bool(report.count("error")) == unread, report


@pytest.mark.parametrize("fmt", [*LABEL_FORMATS, "auto"])
@QUICK
@given(data=st.data())
def test_labels_are_read_back_or_refused_as_a_check_says(tmp_path, fmt, data):
    path, tree = tmp_path / "file", tmp_path / "tree"
    path.write_bytes(data.draw(junk(LABELS, fmt)))
    tree.write_text(write_hierarchy(TREE, "edges")[0])
    unread, *_ = (refused(labels_come_back, read_labels, path, TREE, fmt=form, unknown=unknown)
                  for form, unknown in ((fmt, "error"), (fmt, "drop"), ("auto", "root")))  # fmt: skip
    report = lint(tree, path, label_options={"fmt": fmt})
    assert bool(report.count("error")) == unread, report


def test_sound_files_are_sound(tmp_path):
    path, bare = tmp_path / "file", LABELS["npz"][2]  # an npy file has no names of its own
    assert (HIERARCHIES.keys(), LABELS.keys()) == (HIERARCHY_FORMATS.keys(), LABEL_FORMATS.keys())
    for known, *how in ((HIERARCHIES, hierarchies_come_back, partial(read_hierarchy, roots="any"), path),
                        (LABELS, labels_come_back, read_labels, path, TREE)):  # fmt: skip
        for fmt, content in ((fmt, x) for fmt, contents in known.items() for x in contents):
            put(path, content)
            assert refused(*how, fmt=fmt) == (content is bare), fmt


NAMES = st.text(max_size=8).filter(lambda s: s.isprintable() or len(s) < 3)
ODD = ["x/y x", "a\0 a", "\ufeffa a", "# 0", "## 0", "0 NAME", "a\u2028b a", "a|b a", "a,b a", "a\tb a",
       "a\nb a", "a\rb a"]  # fmt: skip


def with_examples(test):
    for names in [*(odd.split(" ") for odd in ODD), ["# a", "0"], ["a b", "a"], ["a\u2028b", " a"]]:
        test = example(names=names)(test)
    return test


@QUICK
@given(names=st.lists(NAMES, min_size=2, max_size=6, unique=True))
@with_examples
def test_any_names_are_written_and_read_back_or_refused(tmp_path, names):
    """Names from anywhere, such as a user's program, not only from files."""
    try:
        hierarchy = Hierarchy.from_edges([(names[0], name) for name in names[1:]], roots="any")
    except BadInput:
        assert "" in names
        return
    for tree in (hierarchy, Hierarchy.from_edges([], classes=names, roots="any")):
        hierarchies_come_back(tmp_path / "file", tree)
    sets = LabelSets.from_labels(dict.fromkeys(names, names[:2]), hierarchy)
    labels_come_back(tmp_path / "file", sets, hierarchy)


def peak_of_refusal(read, path):
    """Return the most bytes that Python and NumPy held while a file was refused."""
    tracemalloc.start()
    refuses(str(path), read, path, TREE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("nest", [
    lambda n: "[" * n + "]" * n, lambda n: '{"name":"a","children":[' * n + "]}" * n,
    lambda n: '{"name":' * n + "1" + "}" * n,
], ids=["lists", "children", "objects"])  # fmt: skip
def test_endless_nesting(tmp_path, nest):
    path = tmp_path / "file"
    for depth in (*range(300, 1100, 200), 5000, 200_000):
        path.write_text(nest(depth))
        refuses(str(path), read_hierarchy, path, fmt="json")
        path.write_text('{"id":"1","labels":' + nest(depth) + "}\n")
        refuses(f"{path}:1", read_labels, path, TREE, fmt="jsonl")


def test_a_parquet_file_that_promises_too_much(tmp_path, monkeypatch):
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table({"labels": ["a"] * 3000}), path)
    assert len(read_labels(path, TREE)) == 3000
    # the file says 3001, its groups 3000
    more = path.read_bytes().replace(b"\x16\xf0\x2e", b"\x16\xf2\x2e", 1)
    other = put(tmp_path / "x.pq", more)
    refuses("not a Parquet file: 'labels' has 3000 rows", read_labels, other, TREE)
    matrix = tmp_path / "file.npz"
    np.savez_compressed(matrix, m=np.ones((3000, 1), dtype=bool), classes=np.array(["a"]))
    assert len(read_labels(matrix, TREE)) == 3000
    bomb = {"MOST_ROWS": 10_000, "BOMB_BYTES": 2, "BOMB_RATIO": 0.01}
    for limits, said in (({"ROWS_PER_BYTE": 1, "MOST_ROWS": 2000}, "bytes promise 3,000 rows"),
                         (bomb, "bytes once they are unpacked")):  # fmt: skip
        for name, limit in limits.items():
            monkeypatch.setattr(binary, name, limit)
        for file in (path, matrix):
            refuses(said, read_labels, file, TREE)


def test_pickles_are_never_opened(tmp_path):
    """Unpickling them would make a file."""

    class Payload:
        def __reduce__(self):
            return Path.touch, (target,)

    target = tmp_path / "made"
    pickled = pickle.dumps(Payload())
    pickle.loads(pickled)
    target.unlink()  # so the payload works
    objects = np.array([Payload()], dtype=object)
    np.save(tmp_path / "a.npy", objects, allow_pickle=True)
    np.savez(tmp_path / "b.npz", m=np.eye(1), classes=objects, ids=objects)
    for name in ("c.npz", "d.npy", "e.pkl", "f.parquet"):
        put(tmp_path / name, pickled)
    for path in sorted(tmp_path.iterdir()):
        refuses(str(path), read_labels, path, TREE)
        refuses(str(path), read_hierarchy, path)
    assert not target.exists()


NESTED = '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&#38;a;&#38;a;"><!ENTITY c "&#38;b;&#38;b;">'
DTDS = [
    "<!DOCTYPE r>", '<!DOCTYPE rdf:RDF [<!ENTITY c "a">]>', f"<!DOCTYPE r [{NESTED}]>",
    f'<!DOCTYPE r [<!ENTITY c "{"a" * 900}">]>', f"<!DOCTYPE\n r\t[\n{NESTED}\n]\n>",
    f"<!-- <!DOCTYPE --><!-- > --><!DOCTYPE r [<!-- ' -->{NESTED}]>", f"<?x <!-- ?><!DOCTYPE r [{NESTED}]>",
    '<!DOCTYPE r SYSTEM "file:///etc/passwd">', '<!DOCTYPE r PUBLIC "x" "http://127.0.0.1:9/x.dtd">',
    '<!DOCTYPE r [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>',
]  # fmt: skip


@pytest.mark.parametrize("dtd", DTDS, ids=range(len(DTDS)))
def test_xml_with_a_document_type_is_refused(tmp_path, dtd):
    for name, declared in (("tree.rdf", ""), ("tree", '<?xml version="1.0"?>\n'),
                           ("tree.ttl", '<?xml version="1.0" encoding="latin-1"?>')):  # fmt: skip
        path, began = put(tmp_path / name, declared + dtd + RDF), time.process_time()
        said = rf"{path}: this is XML with a document type \(DTD\), which could"
        refuses(said, read_hierarchy, path, fmt="skos")
        assert time.process_time() - began < 20


def test_nothing_is_fetched(tmp_path, monkeypatch):
    """Neither a DTD, nor a context, nor anything else that a file names."""

    def refuse(*arguments, **_):
        raise AssertionError(f"the network was asked: {arguments}")

    monkeypatch.setattr("socket.socket.connect", refuse)
    monkeypatch.setattr("socket.getaddrinfo", refuse)
    monkeypatch.setattr("urllib.request.urlopen", refuse)
    far = "http://example.invalid/"
    for name, content, said in (
        ("a.rdf", f'<!DOCTYPE rdf:RDF SYSTEM "{far}x.dtd">{RDF}', "a document type"),
        ("b.jsonld", f'{{"@context": "{far}c", "@id": "x", "@type": "Concept"}}', r"b\.jsonld"),
        ("c.n3", f"@prefix log: <http://www.w3.org/2000/10/swap/log#> .\n{TURTLE}<{far}b> log:semantics <{far}c> .", None),
        ("d.ttl", f"{TURTLE}<b> <http://www.w3.org/2002/07/owl#imports> <{far}> .", None),
    ):  # fmt: skip
        path = put(tmp_path / name, f"{content}\n")
        if said is None:
            assert set(read_hierarchy(path).names) == {"a", "b"}
        else:
            refuses(said, read_hierarchy, path, fmt="skos")


def forge_sizes(path, size):
    """Let the archive say that each member unpacks to so many bytes."""
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        for place in [found.start() + at for found in re.finditer(re.escape(mark), data)]:
            data[place : place + 4] = struct.pack("<I", size)
    path.write_bytes(bytes(data))


def zeros(*shape, dtype=np.int8):
    return np.zeros(shape, dtype)


ABC = np.array(["a", "b", "c"])
SMALL = [
    {"m": zeros(5_000_000, 3) + 1, "classes": ABC}, {"m": zeros(5_000_000, 3), "classes": ABC},
    {"m": zeros(30_000, 2500)}, {"m": zeros(2, 3), "classes": np.full(5_000_000, "a")},
    {"format": np.array("csr"), "shape": np.array([5_000_000, 3]), "data": zeros(0), "classes": ABC,
     "indices": zeros(0, dtype=np.int32), "indptr": zeros(5_000_001, dtype=np.int32)},
    {"format": np.array("csc"), "shape": np.array([2_000_000_000, 3]), "data": zeros(1) + 1, "classes": ABC,
     "indices": zeros(1, dtype=np.int64), "indptr": np.array([0, 1, 1, 1], dtype=np.int64)},
    {"m": zeros(2, 3), "classes": np.empty(3, dtype="U0")},
]  # fmt: skip


@pytest.mark.parametrize("forged", [None, 128, 2**31 - 1])
def test_an_npz_bomb_is_bounded_by_what_is_read(tmp_path, forged, monkeypatch):
    """A small file that unpacks to a thousand times as much, whatever it says of itself."""
    monkeypatch.setattr(binary, "BOMB_BYTES", 2**22)  # of 2**28: the test is faster so
    size, path = 20_000_000, tmp_path / "bomb.npz"
    np.savez_compressed(path, m=np.zeros(size, dtype=np.int8))
    assert path.stat().st_size < size / 900
    if forged is not None:
        forge_sizes(path, forged)
    for read in (read_labels, hierpair.read_scores):
        assert peak_of_refusal(read, path) < size / 2
    path = tmp_path / "swapped.parquet"  # a truth before the hierarchy
    path.write_bytes(b"PAR1" + bytes(size))
    assert peak_of_refusal(lambda path, _: hierpair.read_hierarchy(path), path) < size / 2


@pytest.mark.exhaustive
@pytest.mark.parametrize("arrays", SMALL, ids=range(len(SMALL)))
def test_a_small_file_does_not_become_large_objects(tmp_path, arrays):
    np.savez_compressed(tmp_path / "small.npz", **arrays)
    assert peak_of_refusal(read_labels, tmp_path / "small.npz") < 300_000_000


@pytest.mark.exhaustive
def test_devices_are_refused(tmp_path, ran):
    (tmp_path / "t").write_text("r\ta\n")
    for words, said in (("/dev/zero", "/dev/zero:1: a NUL byte"), (
        f"{tmp_path}/t /dev/zero --label-format npz", "/dev/zero: no matrix of NumPy")):  # fmt: skip
        assert said in ran(f"convert {words} --to json", 2).err


@pytest.mark.parametrize("binary", [False, True])
def test_an_endless_pipe_is_bounded(monkeypatch, binary):
    monkeypatch.setattr(text, "STREAM_BYTES", 3 * 2**20)

    class Endless(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, into):
            into[:] = ((b"PK\x03\x04" if binary else b"y\n") * len(into))[: len(into)]
            return len(into)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Endless(), 2**16)))
    refuses("the pipe brought more than 3,145,728 bytes", text.read_bytes, "-")


@pytest.mark.parametrize(("content", "said"), [
    *((x, "") for x in ('{"a": NaN}', '[["r", "a", 1e999]]', '[["r", "a", Infinity]]', f'[["r", {"9" * 5000}]]')),
    *((x, "a NUL character") for x in ('[["r", "a\\u0000b"]]', '{"a\\u0000": "r"}', '{"name": "r", "children": ["\\u0000"]}')),
    ('{"a": "r", "a": "r"}', "occurs twice"), ('[["r", "a\\ud800b"]]', "half of a character"),
], ids=range(9))  # fmt: skip
def test_json_without_meaning(tmp_path, content, said):
    path = put(tmp_path / "t.json", content)
    refuses(f"{path}.*{said}", read_hierarchy, path)
    path.write_text('{"id": "x", "labels": ["a\\u0000"]}\n')
    refuses(r"t\.json:1: a NUL character", read_labels, path, TREE, fmt="jsonl")
    path.write_text(json.dumps([["r", "a\\u0000"]]))  # a backslash before letters is none
    assert read_hierarchy(path).names == ("r", "a\\u0000")


FACTOR, MOST = 8, 24
"""An input of eight times the size may take 24 times as long; a square would take 64."""


def over(word, last="", sign="\n"):
    return lambda n: sign.join(word.format(i, i + 1) for i in range(n)) + last.format(n)


def twice(word, sign=",", around="{}"):
    """The last but one comes again."""
    return lambda n: around.format(
        sign.join(word.replace("#", f"name {i}") for i in [*range(n), n - 2])
    )


def labels_of(path, **how):
    return read_labels(path, TREE, columns=Columns(**how))


GROWING = {
    "repeated keys": (3_000, "t.json", twice('"#": "r"', around="{{{}}}"), read_hierarchy, "twice in one JSON object"),
    "different keys": (1_000, "y.jsonl", over('{{"id": "{0}", "labels": ["a"], "k{0}": 1}}'), labels_of, None),
    "repeated header": (3_000, "y.csv", twice("#"), labels_of, "two columns are called"),
    "repeated instances": (2_000, "s.jsonl", twice('{"id": "#", "scores": {"a": 1}}', "\n"),
                           lambda path: hierpair.read_scores(path, TREE), "already occurs"),
    "replaced terms": (1_000, "t.obo", over("[Term]\nid: {0}\nis_obsolete: true\nreplaced_by: {1}", "\n[Term]\nid: {0}\n"),
                       read_hierarchy, None),
    "strange paths": (500, "y", over("r/{}x"), lambda path: labels_of(path, paths="/", separator=";"), "not in the hier"),
    "repeated columns": (2_000, "y", over("{} ", "0 0", ""), lambda path: LabelSets.from_indicator(
        np.zeros((1, len(path.read_text().split()))), TREE, classes=path.read_text().split()), "two columns"),
    "many measures": (10, "y", over("hf(beta={1})"), lambda path: hierpair.score(
        TREE, ["a"], ["b"], path.read_text().splitlines()), None),
}  # fmt: skip
"""Size, file, its text, what is done, and the error that comes."""


@pytest.mark.release
@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", GROWING)
def test_time_grows_with_the_size(tmp_path, kind):
    """The least CPU time of three runs: others on the machine only add to it."""
    n, name, text_of, act, error = GROWING[kind]
    path, least = tmp_path / name, []
    for size in (n, n * FACTOR):
        path.write_text(text_of(size))
        least.append(60)
        for _ in range(3):
            began = time.process_time()
            with pytest.raises(BadInput, match=error) if error else nullcontext():
                act(path)
            least[-1] = min(least[-1], time.process_time() - began)
    assert least[1] < MOST * max(least[0], 0.003), least


def written(write, *given):
    """Return what a writer of another kind of files writes."""
    file = io.BytesIO()
    write(file, *given)
    return file.getvalue()


def zipped(file):
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("tree.tsv", "r\ta\n")


ROWS = "r\ta\nr\tb\n"
KINDS = [
    (written(zipped), "a zip archive or a spreadsheet"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel file"),
    (written(lambda file: pq.write_table(pa.table({"id": ["x"]}), file)), "a Parquet file"),
    (written(np.save, np.eye(2)), "a NumPy file"),
    (b"\x89HDF\r\n\x1a\n\0\0", "an HDF5 file"), (b"%PDF-1.7\n%\xe2\xe3\n", "a PDF file"),
    *((pickle.dumps(ROWS, protocol), "a pickle, which is never opened") for protocol in (3, 4, 5)),
    *((mark + ROWS.encode(code), "UTF-16; save it as UTF-8") for mark, code in (
        (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))),
    (gzip.compress(gzip.compress(ROWS.encode())), "packed by gzip twice"),
    (bz2.compress(ROWS.encode()), "compressed with bzip2"), (lzma.compress(ROWS.encode()), "packed by xz"),
    (b"\x28\xb5\x2f\xfd\x04\x00", "packed by zstd"),
    (hierpair.evaluation.partial(TREE, ["b"], {"s": ["b"]}, "hf").to_bytes(), "a partial, the sums of scores"),
    (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n", "only a Git LFS pointer"),
    *((page, "a web page") for page in (b"\n<!DOCTYPE html>\n<p>", b"<html><p>", b'<HTML lang="en"><p>')),
    *((mark + b"2.2\nUniProtKB\tP1\n", "a file of GO annotations") for mark in (b"!gaf-version: ", b"!gpa-version: ")),
    (b"% by hand\n@RELATION r\n", "an ARFF file"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "kind"), KINDS, ids=range(len(KINDS)))  # some hold the time
def test_files_of_other_kinds_are_called_by_their_names(tmp_path, data, kind):
    for name, content in (("x.txt", data), ("x.txt.gz", gzip.compress(data))):
        path = put(tmp_path / name, content)
        for read in (read_hierarchy, partial(read_labels, hierarchy=TREE)):
            refuses(f"{name}: this is {kind}", read, path)


def test_all_known_beginnings_of_files_are_tried():
    heads = [data.lstrip().lower() for data, _ in KINDS]
    assert [
        x for x in OTHER_KINDS if not any(h.startswith(x.lower()) or x in h for h in heads)
    ] == []


SPORTS = ["Sports", "Spots", "Pots", "Potts"]
IDS = [f"sku-{k:03d}" for k in range(60)]
WORD = "".join(chr(97 + i * i % 26) for i in range(3_000))


@pytest.mark.parametrize(("word", "known", "meant"), [
    ("pots", SPORTS, "Pots"), ("POTS", SPORTS, "Pots"),  # capitals before similar words
    ("sku-999", IDS, None), ("SKU-999", IDS, None), ("SKU-007", IDS, "sku-007"),  # of ids equally near none
    ("dog1", ["dog12", "cat"], "dog12"), ("recal", ["recall1", "recall2", "x"], "recall2"),
    ("abcd" * 40, ["abcd" * 40 + "e"], "abcd" * 40 + "e"),
    (WORD, [WORD[:-k] for k in range(1, 300)], None),  # too long to be compared
], ids=range(9))  # fmt: skip
def test_what_is_meant(word, known, meant):
    began = time.process_time()
    assert did_you_mean(word, known) == ("" if meant is None else f"; did you mean {meant!r}?")
    assert time.process_time() - began < 2
    assert first_repeated([1, 2, 3, 2, 1]) == 2
    assert first_repeated([]) is None
