"""Files that are made to fill the memory, to take for ever, or to fetch others."""

import io
import json
import struct
import subprocess
import sys
import time
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, read_hierarchy, read_labels, read_scores
from hierpair.io import text as hierpair_text
from hierpair.io.labels import binary as indicatorfiles

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
RDF = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:skos="http://www.w3.org/2004/02/skos/core#">'
    '<skos:Concept rdf:about="http://x/a"><skos:prefLabel>{}</skos:prefLabel></skos:Concept>'
    "</rdf:RDF>"
)


def peak_of(action):
    """Return the most bytes that Python and NumPy held while something was refused or done."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# ---------------------------------------------------------------- XML

NESTED = '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&#38;a;&#38;a;"><!ENTITY c "&#38;b;&#38;b;">'
DTDS = {
    "nested": f"<!DOCTYPE r [{NESTED}]>",
    "long": f'<!DOCTYPE r [<!ENTITY c "{"a" * 900}">]>',
    "harmless": '<!DOCTYPE rdf:RDF [<!ENTITY c "a">]>',
    "after a comment": f"<!-- <!DOCTYPE --><!-- > --><!DOCTYPE r [<!-- ' -->{NESTED}]>",
    "in odd letters": f"<!DOCTYPE\n r\t[\n{NESTED}\n]\n>",
    "external": '<!DOCTYPE r SYSTEM "file:///etc/passwd">',
    "public": '<!DOCTYPE r PUBLIC "x" "http://127.0.0.1:9/x.dtd">',
    "external entity": '<!DOCTYPE r [<!ENTITY c SYSTEM "file:///etc/passwd">]>',
    "parameter entity": '<!DOCTYPE r [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>',
    "no entity": "<!DOCTYPE r>",
    "after an instruction": f"<?x <!-- ?><!DOCTYPE r [{NESTED}]>",
}


@pytest.mark.parametrize("declared", ["", '<?xml version="1.0"?>\n',
                                      '<?xml version="1.0" encoding="latin-1"?>'])  # fmt: skip
@pytest.mark.parametrize("name", ["tree.rdf", "tree", "tree.ttl", "tree.RDF"])
@pytest.mark.parametrize("kind", DTDS)
def test_xml_with_a_document_type_is_refused(tmp_path, kind, name, declared):
    path = tmp_path / name
    path.write_text(declared + DTDS[kind] + RDF.format("&c;"))
    began = time.process_time()
    with pytest.raises(BadInput, match=r"not RDF|document type \(DTD\)"):
        read_hierarchy(path, fmt="skos")
    assert time.process_time() - began < 20
    if declared or name == "tree.rdf":
        with pytest.raises(
            BadInput, match=rf"{path}: this is XML with a document type \(DTD\), which could"
        ):
            read_hierarchy(path, fmt="skos")


# ---------------------------------------------------------------- NumPy and Parquet


def packed_npz(path, members, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as out:
        for name, array in members.items():
            data = io.BytesIO()
            np.save(data, array)
            out.writestr(f"{name}.npy", data.getvalue())


def forge_sizes(path, size):
    """Let the archive say that each member unpacks to so many bytes."""
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        place = data.find(mark)
        while place >= 0:
            data[place + at : place + at + 4] = struct.pack("<I", size)
            place = data.find(mark, place + 4)
    path.write_bytes(bytes(data))


@pytest.fixture
def small_limit(monkeypatch):
    """What is refused beyond 2**28 bytes is refused beyond 2**22: the tests are faster so."""
    monkeypatch.setattr(indicatorfiles, "BOMB_BYTES", 2**22)


def check_bomb(tmp_path, forged, size):
    path = tmp_path / "bomb.npz"
    packed_npz(path, {"m": np.zeros(size, dtype=np.int8)})
    assert path.stat().st_size < size / 900
    if forged is not None:
        forge_sizes(path, forged)
    for read in (read_labels, read_scores):

        def refused(read=read):
            with pytest.raises(BadInput, match=str(path)):
                read(path, TREE)

        assert peak_of(refused) < size / 2


@pytest.mark.parametrize("forged", [None, 128, 2**31 - 1])
def test_an_npz_bomb_is_bounded_by_what_is_read(tmp_path, forged, small_limit):
    """A small file that unpacks to a thousand times as much, whatever it says of itself."""
    check_bomb(tmp_path, forged, 20_000_000)


SMALL = {
    "ones": {"m": np.ones((5_000_000, 3), dtype=np.int8), "classes": np.array(["a", "b", "c"])},
    "rows": {"m": np.zeros((5_000_000, 3), dtype=np.int8), "classes": np.array(["a", "b", "c"])},
    "cells": {"m": np.zeros((30_000, 2500), dtype=np.int8)},
    "names": {"m": np.zeros((2, 3), dtype=np.int8), "classes": np.full(5_000_000, "a")},
    "sparse rows": {
        "format": np.array("csr"), "shape": np.array([5_000_000, 3]),
        "data": np.ones(0, dtype=np.int8), "indices": np.zeros(0, dtype=np.int32),
        "indptr": np.zeros(5_000_001, dtype=np.int32), "classes": np.array(["a", "b", "c"]),
    },
    "sparse columns": {
        "format": np.array("csc"), "shape": np.array([2_000_000_000, 3]),
        "data": np.ones(1, dtype=np.int8), "indices": np.zeros(1, dtype=np.int64),
        "indptr": np.array([0, 1, 1, 1], dtype=np.int64), "classes": np.array(["a", "b", "c"]),
    },
    "no width": {"m": np.zeros((2, 3), dtype=np.int8), "classes": np.empty(3, dtype="U0")},
}  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", SMALL)
def test_a_small_file_does_not_become_large_objects(tmp_path, kind):
    path = tmp_path / "small.npz"
    packed_npz(path, SMALL[kind])

    def refused():
        with pytest.raises(BadInput, match=str(path)):
            read_labels(path, TREE)

    assert peak_of(refused) < 300_000_000


# ---------------------------------------------------------------- what never ends


def refused_on_the_command_line(*arguments, seconds=60, **how):
    done = subprocess.run(
        [sys.executable, "-m", "hierpair", *map(str, arguments)],
        capture_output=True, text=True, timeout=seconds, check=False, **how,
    )  # fmt: skip
    assert done.returncode == 2, done
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


@pytest.mark.exhaustive
def test_devices_are_refused(tmp_path):
    device = "/dev/zero"
    (tmp_path / "t").write_text("r\ta\n")
    said = refused_on_the_command_line("convert", device, "--to", "json")
    assert f"{device}:" in said
    assert "a NUL byte" in said
    arguments = [tmp_path / "t", device, "--label-format", "npz"]
    said = refused_on_the_command_line("convert", *arguments, "--to", "json")
    assert f"{device}: no matrix of NumPy" in said
    with Path(device).open("rb") as stdin:
        said = refused_on_the_command_line("convert", "-", "--to", "json", stdin=stdin)
    assert "a NUL byte" in said


@pytest.mark.parametrize("binary", [False, True])
def test_an_endless_pipe_is_bounded(monkeypatch, binary):
    monkeypatch.setattr(hierpair_text, "STREAM_BYTES", 3 * 2**20)

    class Endless(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, into):
            into[:] = ((b"PK\x03\x04" if binary else b"y\n") * len(into))[: len(into)]
            return len(into)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Endless(), 2**16)))
    with pytest.raises(BadInput, match="the pipe brought more than 3,145,728 bytes"):
        hierpair_text.read_bytes("-", binary=binary)


# ---------------------------------------------------------------- JSON


@pytest.mark.parametrize("text", ['{"a": NaN}', '[["r", "a", 1e999]]', '[["r", "a", Infinity]]',
                                  f'[["r", {"9" * 5000}]]'])  # fmt: skip
def test_numbers_that_are_none(tmp_path, text):
    path = tmp_path / "t.json"
    path.write_text(text)
    with pytest.raises(BadInput, match=str(path)):
        read_hierarchy(path)


@pytest.mark.parametrize(
    "text", ['[["r", "a\\u0000b"]]', '{"a\\u0000": "r"}', '{"name": "r", "children": ["\\u0000"]}']
)
def test_nul_in_json_is_refused(tmp_path, text):
    path = tmp_path / "t.json"
    path.write_text(text)
    with pytest.raises(BadInput, match="a NUL character"):
        read_hierarchy(path)
    path.write_text('{"id": "x", "labels": ["a\\u0000"]}\n')
    with pytest.raises(BadInput, match=r"t\.json:1: a NUL character"):
        read_labels(path, TREE, fmt="jsonl")


def test_a_backslash_before_the_letters_u0000_is_no_nul(tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps([["r", "a\\u0000"]]))
    assert read_hierarchy(path).names == ("r", "a\\u0000")
