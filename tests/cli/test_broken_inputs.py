"""Broken inputs, one row each: one message that names the place and the mend, and no trace left.

Every row runs with ``-o out.txt`` where there is an ``out.txt`` already: it must be as it was.
"""

import gzip
import io
import os
import pickle
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from hierpair.cli import main

BASE = {
    "tree.tsv": "r\ta\na\tb\na\tc\nr\td\n",
    "true.tsv": "1\tb\n2\tc|d\n",
    "true.txt": "b\nc d\n",
    "one.tsv": "2\tc\n1\tb\n",
    "out.txt": "precious",
}
"""Sound files that lie beside the broken ones."""

FOLDER = object()


class Row(NamedTuple):
    """Files to write, the command, what the message must say, the exit code, standard input."""

    name: str
    files: dict
    command: str
    says: tuple
    code: int = 2
    stdin: bytes = b""


ROWS: list[Row] = []


def row(name, files, command, *says, code=2, stdin=b""):
    assert name not in {r.name for r in ROWS}, name
    assert says, name
    ROWS.append(Row(name, files, command, says, code, stdin))


# fmt: off
# ------------------------------------------------------------------------------ hierarchies


def tree(name, content, *says, file="bad", options="", stdin=b""):
    row(f"hierarchy: {name}", {file: content}, f"convert {file} --to json {options}", *says)


def labels(name, content, *says, file="bad.tsv", options="", truth="true.tsv", **more):
    files = {file: content, **{k.replace("_", "."): v for k, v in more.items()}}
    row(f"labels: {name}", files, f"score tree.tsv {truth} {file} -m hf {options}", *says)


row("hierarchy: no such file", {}, "score none.tsv true.tsv one.tsv",
    "none.tsv: there is no such file")
row("hierarchy: a folder", {"dir": FOLDER}, "score dir true.tsv one.tsv",
    "dir: this is a folder, not a file")
row("order: labels as hierarchy", {}, "score true.tsv tree.tsv one.tsv", "true.tsv: ",
    "a hierarchy comes first, then the truth, then predictions")
row("order: hierarchy as predictions", {}, "score tree.tsv true.tsv tree.tsv",
    "tree.tsv looks like a hierarchy")
row("order: truth and predictions swapped", {"one.tsv": "1\tb\n2\tc\n3\td\n"},
    "score tree.tsv one.tsv true.tsv -m hf", "true: 1 instance has no prediction, such as '3'",
    "(--missing empty)")

tree("empty", "", "bad: the file is empty")
tree("only a byte order mark", b"\xef\xbb\xbf", "bad: the file is empty")
tree("only blank lines", "\n \n", "bad: no line holds a class")
tree("header only", "parent\tchild\n", "bad: the hierarchy is empty: give at least one class")
tree("header of parents only", "child\tparent\n", "bad: the hierarchy is empty")
tree("UTF-16", "r\ta\n".encode("utf-16"), "bad: this is UTF-16; save it as UTF-8")
tree("UTF-16 without mark", "r\ta\n".encode("utf-16-le"), "bad:1: a NUL byte")
tree("Latin-1", "r\ta\na\tcafé\n".encode("latin-1"), "bad:2: byte 0xe9 is not UTF-8", "save")
tree("CSV", "r,a\na,b\n", "bad.csv:1: which column is the class and which its parent?",
    "a header such as parent,child", file="bad.csv")
tree("CSV of another length", "parent,child\nr,a,b\n", "bad.csv:2: expected 2 fields as in the",
    file="bad.csv")
tree("CSV with a word for a blank", "id,parent\nr,NaN\na,r\n", "bad:2: the parent 'NaN'; leave",
    "blank")
tree("commas", "r,a\na,b\n", "bad:1: expected 2 fields, got 1", "a header such as parent,child")
tree("semicolons", "r;a\n", "bad:1: expected 2 fields, got 1", "tabs, not by semicolons")
tree("comment in between", "r a\n# my tree\n", "bad:2: expected 2 fields, got 3",
    "hold blanks by tabs")
tree("one column", "r a\nb\n", "bad:2: expected 2 fields, got 1")
tree("edges or paths", "food/soft cheese\nfood/hard cheese\n", "an edge, parent and child, or a",
    "format to edges or paths")
tree("weights or classes", "r\ta\t1\nr\tb\t2\n", "is the third column a weight or a class",
    "weighted-edges or taxonomy")
tree("a spreadsheet", b"PK\x03\x04\0\0", "bad.xlsx: this is a zip archive or a spreadsheet",
    "save it as CSV", file="bad.xlsx")
tree("an old spreadsheet", b"\xd0\xcf\x11\xe0", "this is an Excel file; save it as CSV")
tree("a pickle", pickle.dumps({"a": "r"}), "bad.pkl: this is a pickle, which is never opened",
    file="bad.pkl")
tree("a PDF", b"%PDF-1.4", "bad: this is a PDF file")
tree("bzip2", b"BZh91AY", "this is packed by bzip2; unpack it, or pack it by gzip")
tree("a web page", "<!DOCTYPE html>\n<html></html>", "bad: this is a web page (HTML); download")
tree("a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 2\n",
    "bad: this is only a Git LFS pointer; fetch the file: git lfs pull")
tree("gzip that is none", "r a\n", "bad.gz: the gzip file is damaged", file="bad.gz")
tree("gzip cut short", gzip.compress(b"r a\n")[:-6], "bad.gz: the gzip file is damaged",
    file="bad.gz")
tree("gzip with more behind it", gzip.compress(b"r a\n") + b"junk", "the gzip file is damaged",
    file="bad.gz")
tree("gzip in gzip", gzip.compress(gzip.compress(b"r a\n")), "packed by gzip twice; unpack it once",
    file="bad.gz")
tree("empty gzip", gzip.compress(b""), "bad.gz: the file is empty", file="bad.gz")

tree("edge twice", "r a\nr b\nr a\n", "bad:3: the edge 'r' → 'a' already occurs at bad:1", "remove")
tree("self-loop", "r a\na a\n", "bad:2: class 'a' is its own parent; remove that edge",
    "--break-cycles")
tree("cycle", "r a\na b\nb a\n", "bad:3: the hierarchy has a cycle: 'a' → 'b' → 'a'",
    "--break-cycles depth-first")
tree("unknown rule for cycles", "r a\n", "there is no rule 'all'", "depth-first",
    options="--break-cycles all")
tree("blank name", "r\ta\nr\t\n", "bad:2: a class name is missing",
    options="--hierarchy-format edges")

WEIGHTED = "--hierarchy-format weighted-edges"
tree("weight a word", "r a heavy\n", "bad:1: the edge weight must be a number, got 'heavy'",
    options=WEIGHTED)
tree("weight with a decimal comma", "r\ta\t0,5\n",
    "bad:1: the edge weight must be a number, got '0,5'", options=WEIGHTED)
tree("weight with an underscore", "r a 1_0\n", "bad:1: the edge weight must be a number, got '1_0'",
    options=WEIGHTED)
tree("weight infinite", "r a 1\nr b inf\n", "bad:2: the edge weight must be finite",
    options=WEIGHTED)
tree("weight NaN", "r a nan\n", "bad:1: the edge weight must be finite", options=WEIGHTED)
tree("weight negative", "r a -1\n", "bad:1:", "not negative, got '-1'", options=WEIGHTED)
tree("weight missing", "r a 1\nr b\n", "bad:2: expected 3 fields, got 2", options=WEIGHTED)

tree("taxonomy: child twice", "r\ta\tb\na\tx\tx\n",
    "bad:2: the edge 'a' → 'x' already occurs at bad:2")
tree("taxonomy: blank child", "r\ta\t\tb\n", "bad:1: a class name is missing")
tree("parents: three fields", "child\tparent\na\tr\tx\n", "bad:2: expected 2 fields as in the header, got 3")
tree("parents: blank child", "child\tparent\n\tr\n", "bad:2: a class name is missing")
tree("parents: twice", "child\tparent\na\tr\na\tr\n", "bad:3: the edge 'r' → 'a'", "bad:2")

PATHS = "--hierarchy-format paths"
tree("paths: two slashes", "a/b\na//c\n", "bad:2: a class name is missing between two slashes",
    options=PATHS)
tree("paths: slash in front", "/a/b\n", "bad:1: a path must not start or end with a slash",
    options=PATHS)
tree("paths: slash behind", "a/b\nb/c/\n", "bad:2: a path must not start or end with a slash",
    options=PATHS)
tree("paths: a table", "a\tb\n", "bad:1: a tab in a path; expected one class as top/middle/class",
    options=PATHS)
tree("paths: nothing", "\n\n", "bad: the hierarchy is empty", options=PATHS)


def obo(name, content, *says, options=""):
    tree(f"OBO: {name}", content, *says, file="bad.obo", options=options)


obo("no id", "[Term]\nname: a\n", "bad.obo:1: this [Term] has no id")
obo("blank id", "[Term]\nid:\n", "bad.obo:1: this [Term] has no id")
obo("id twice", "[Term]\nid: a\n\n[Term]\nid: a\n",
    "bad.obo:5: the id 'a' already occurs at bad.obo:2")
obo("two ids", "[Term]\nid: a\nid: b\n", "bad.obo:3: a second id, 'b'; every [Term] has one")
obo("unknown parent", "[Term]\nid: a\nis_a: b ! bee\n",
    "bad.obo:3: the parent 'b' of 'a' is not defined")
obo("blank parent", "[Term]\nid: a\nis_a:\n", "bad.obo:3: the parent is missing in this is_a")
obo("relationship without a target", "[Term]\nid: a\nrelationship: part_of\n",
    "bad.obo:3: the parent is missing in this relationship")
obo("obsolete parent", "[Term]\nid: a\nis_a: b\n[Term]\nid: b\nis_obsolete: true\n",
    "bad.obo:3: the parent 'b' of 'a' is obsolete")
PART = "[Term]\nid: a\nrelationship: part_of b\n[Term]\nid: b\n"
obo("unknown relation", PART, "bad.obo: there is no relation 'partof'",
    "did you mean 'part_of'?", options="--relations partof")
obo("no is_a", PART, "bad.obo: there is no relation 'is_a'; there are part_of")
obo("blank relations", PART, "cannot read --relations ''; write is_a,part_of",
    options="--relations ''")
obo("unknown namespace", "[Term]\nid: a\nnamespace: bio\n", "there is no namespace 'boi'",
    "did you mean 'bio'?", options="--namespace boi")
obo("no terms", "format-version: 1.2\n", "bad.obo: no [Term] that is not obsolete")
obo("alt_id of two", "[Term]\nid: a\nalt_id: x\n[Term]\nid: b\nalt_id: x\n",
    "bad.obo:6: the id 'x' means two terms")
row("hierarchy: relations of no OBO", {}, "convert tree.tsv --relations part_of --to json",
    "tree.tsv: relations is for OBO files; this file was read as edges")
row("hierarchy: namespace of no OBO", {}, "convert tree.tsv --namespace x --to json",
    "tree.tsv: namespace is for OBO files")
row("hierarchy: format misspelt", {}, "convert tree.tsv --hierarchy-format edgs --to json",
    "unknown hierarchy format 'edgs'", "did you mean 'edges'?")
row("hierarchy: edges as OBO", {}, "convert tree.tsv --hierarchy-format obo --to json",
    "tree.tsv: no [Term] that is not obsolete")


def jsn(name, content, *says):
    tree(f"JSON: {name}", content, *says, file="bad.json")


jsn("cut short", '{"a": ["r"', "bad.json: not JSON: Expecting ',' delimiter (column 11)")
jsn("comma behind", '[["r","a"],\n]', "not JSON: ")  # Python names line 1 or 2
jsn("single quotes", "{'a': 'r'}", "bad.json: not JSON: Expecting property name enclosed in double")
jsn("no hierarchy: texts", '["a", "b"]', "bad.json: 2 classes and no edge, such as 'a'")
for given in ("3", '"abc"', "null", "[]", "{}"):
    jsn(f"no hierarchy: {given}", given, "bad.json: expected edges [[parent, child], …]", "got")
jsn("edge of one", '[["r","a"],["b"]]', "bad.json: edge 2: expected (parent, child[, weight]), got ['b']")
jsn("edge with null", '[["r",null]]', "bad.json: edge 1: a class name must be one value, got [None]")
jsn("edge with a list", '[["r",["a"]]]', "bad.json: edge 1: a class name must be one value, got")
jsn("edge with a blank", '[["r",""]]', "bad.json: edge 1: a class name is missing")
jsn("edge with a fraction", '[["r",1.5]]',
    "bad.json: edge 1: a class name must be one value, got [1.5]")
jsn("weight a text", '[["r","a","x"]]',
    "bad.json: edge 1: the edge weight must be a number, got 'x'")
jsn("weight true", '[["r","a",true]]',
    "bad.json: edge 1: the edge weight must be a number, got True")
jsn("weight huge", f'[["r","a",{"9" * 400}]]', "bad.json: edge 1: the edge weight must be a number")
jsn("weight NaN", '[["r","a",NaN]]', "bad.json: NaN is not a JSON number")
jsn("some weights", '[["r","a",1],["r","b"]]',
    "bad.json: some edges carry a weight and some do not")
jsn("key twice", '{"a":"r","a":"s"}', "bad.json: the key 'a' occurs twice")
jsn("nested names", '{"r":{"a":{}},"b":"r"}',
    "bad.json: 'b' has the name 'r'",
    "is that its parent, or below it?")
jsn("child without name", '{"name":"r","children":[{"children":[]}]}',
    "bad.json: a class under 'r' must be a name or have a name")
jsn("children no list", '{"name":"r","children":"a"}',
    "bad.json: a class must be a name or have a name and a list of children, got {'name': 'r'")
jsn("nodes without links", '{"nodes":[{"id":"a"}]}', "bad.json: nodes need links (or edges)")
jsn("link with other keys", '{"nodes":[{"id":"a"}],"links":[{"from":"a","to":"b"}]}',
    "bad.json: link 1: a class name must be one value, got [None]")
jsn("link to no node", '{"nodes":[{"id":"aa"}],"links":[{"source":"aa","target":"ab"}]}',
    "bad.json: link 1: 'ab' is not among the nodes")
jsn("classes no list", '{"edges":[["r","a"]],"classes":"r"}', "bad.json: classes must be a list")
jsn("alias of no class", '{"edges":[["r","a"]],"aliases":{"x":"q"}}',
    "bad.json: 'x' cannot be another name of 'q'")
jsn("aliases no map", '{"edges":[["r","a"]],"aliases":["x"]}', "bad.json: classes must be a list of names, aliases must map")
jsn("half a character", '[["r","\\ud800"]]', "bad.json: '\\ud800' is half of a character")
jsn("endless nesting", "[" * 100_000, "bad.json: the JSON is nested too deeply")
jsn("JSON lines", '{"id":1,"labels":["a"]}\n{"id":2}\n', "bad.json:2: not JSON: Extra data")

PREFIX = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
RDF = ('<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" ' 'xmlns:skos="http://www.w3.org/2004/02/skos/core#">')
tree("SKOS: cut short", PREFIX + "<a> a skos:Concept ;\n",
    "bad.ttl:3: not RDF (turtle): Bad syntax", file="bad.ttl")
tree("SKOS: broken XML", f"{RDF}\n<open></rdf:RDF>", "bad.rdf:2: not RDF (xml): mismatched tag",
    file="bad.rdf")
tree("SKOS: no concept", "<http://x/a> <http://x/b> <http://x/c> .", "bad.ttl: no skos:Concept",
    file="bad.ttl")
tree("SKOS: broader to a text", PREFIX + '<a> a skos:Concept ; skos:broader "b" .', "bad.ttl: the parent 'b' of 'a' is not",
     "defined in the file (as a skos:Concept); to go on without such terms: --undefined drop", file="bad.ttl")  # fmt: skip
tree("SKOS: cycle", PREFIX + "<a> skos:broader <b> . <b> skos:broader <a> .",
    "bad.ttl: 'a': the hierarchy has a cycle", file="bad.ttl")
tree("SKOS: entity in another file", f'<?xml version="1.0"?>\n<!DOCTYPE r [<!ENTITY x SYSTEM "tree.tsv">]>{RDF}</rdf:RDF>',
     "bad.rdf: this is XML with a document type (DTD), which could unfold into any amount of text", file="bad.rdf")  # fmt: skip
tree("SKOS: a table", "r\ta\n", "bad:1: not RDF (turtle): Bad syntax",
    options="--hierarchy-format skos")

# ------------------------------------------------------------------------------ labels

row("labels: no such file", {}, "score tree.tsv none.tsv one.tsv",
    "none.tsv: there is no such file")
labels("a folder", FOLDER, "dir: there are no files in this folder", file="dir")
labels("empty", "", "bad.tsv: the file is empty")
labels("header only", "id\tlabels\n", "bad.tsv: the file has no instances")
row("labels: truth with a header only", {"true.tsv": "id\tlabels\n"},
    "score tree.tsv true.tsv one.tsv", "true.tsv: the file has no instances")
labels("other ids", "x\tb\ny\tc\n", "bad: none of its 2 instances is in the truth", "'x'", "'1'")
labels("ids written 1.0", "1.0\tb\n2.0\tc\n", "bad: none of its 2",
    "'1.0', and the truth such as '1'")
labels("one id more", "1\tb\n2\tc\n3\tc\n", "bad: 1 instance has no truth, such as '3'",
    "remove them")
labels("one id less", "1\tb\n", "bad: 1 instance has no prediction, such as '2'", "--missing empty")
labels("one line more", "b\nc\nd\n", "y_true has 2 instances and bad has 3", "ids on both sides",
    file="bad.txt")
labels("unknown class", "1\tb\n2\tcc\n", "bad.tsv:2, instance '2': class 'cc' is not in the hierarchy",
       "did you mean 'c'?", "--unknown drop or root")  # fmt: skip
labels("other case", "1\tB\n2\tc\n", "bad.tsv:1, instance '1': class 'B'", "did you mean 'b'?")
labels("blank label", "1\tb||c\n2\tc\n", "bad.tsv:1, instance '1': a label is missing",
    "a bar too many?")
labels("separated by semicolons", "1\tb;c\n2\tc\n", "bad.tsv:1, instance '1': class 'b;c'",
    "are these several, separated by ';' (--separator)")
labels("quotes around labels", '1\t"b"\n2\t"c"\n', "bad.tsv:1, instance '1': class '\"b\"'",
    "write labels without quotes and brackets")
labels("NaN for no label", "1\tnan\n2\tc\n", "bad.tsv:1, instance '1': class 'nan'",
    "leave the field blank where there are no labels")
labels("no tab", "1\tb\n2\n", "bad.tsv:2: expected id TAB label|label, got 1 field", "a tab stands")
labels("labels by tabs", "1\tb\tc\n2\tc\td\n",
    "bad.tsv:1: expected id TAB label|label, got 3 fields", "separate labels by bars")
labels("id twice", "1\tb\n2\tb\n1\tc\n", "bad.tsv:3: instance '1' already occurs at bad.tsv:1",
    "for one label per line use the format long")
labels("id twice with several labels", "1\tb|c\n1\tc\n", "bad.tsv:2: instance '1'",
    "keep one of them")
labels("no id", "\tb\n2\tc\n", "bad.tsv:1: the instance id is missing")
labels("lines: ids before commas", "1,b\n2,c\n", "bad.txt:1: class '1' is not in the hierarchy",
    "ids, and names with blanks, need tabs", file="bad.txt")
labels("lines: bars", "b|c\nd\n", "bad.txt:1: class 'b|c'", "labels separated by blanks or commas",
    file="bad.txt")
labels("lines: a least score", "b\nc\n", "bad.txt: this file was read as lines", "no scores",
    file="bad.txt", options="--min-score 0.5")
labels("numbers written 12.5", "id,labels\n1,12.5\n", "bad.csv:2, instance '1': class '12.5'",
    file="bad.csv", tree_tsv="r\t12\n", true_tsv="1\t12\n")
labels("long: score NaN", "1\tb\tnan\n2\tc\t0.2\n",
    "bad.tsv:1: a score must be a finite number, got 'nan'")
labels("long: score infinite", "1\tb\t1\n2\tc\tinf\n", "bad.tsv:2: a score must be a finite number")
LONG = {"true_tsv": "1\tb\n2\tc\n", "options": "--label-format long"}
labels("long: score a word", "1\tb\thigh\n2\tc\t1\n", "bad.tsv:1: a score must be", "'high'",
    **LONG)
labels("long: some scores", "1\tb\t0.3\n2\tc\n",
    "bad.tsv:2: a score must be a finite number, got ''", **LONG)
labels("long: four fields", "1\tb\t1\tx\n", "bad.tsv:1: expected id TAB label [TAB score], got 4",
    **LONG)
labels("long: no id", "\tb\t0.3\n", "bad.tsv:1: the instance id is missing", **LONG)
labels("long: two scores", "1\tb\t0.3\n1\tb\t0.4\n",
    "bad.tsv:2: instance '1' has the label 'b' with another", "bad.tsv:1")
labels("least score without scores", "1\tb\n2\tc\n", "bad.tsv: there is no column score",
    "name the score column", options="--min-score 0.5")


def csv(name, content, *says, **more):
    more = {"true_tsv": "id\tlabels\tl1\tl2\n1\tb\ta\tb\n2\tc\ta\tc\n", **more}
    labels(f"CSV: {name}", content, *says, file="bad.csv", **more)


csv("empty", "", "bad.csv: the file is empty")
csv("blank lines", "\n\n", "bad.csv: the file has no header")
csv("header only", "id,labels\n", "bad.csv: the file has no instances")
csv("no header", "1,b\n2,c\n", "bad.csv: there is no column 'labels'; there are 1, b")
csv("semicolons", "id;labels\n1;b\n", "bad.csv: there is no column 'labels'; did you mean 'id;labels'")
csv("semicolons after sep=", "sep=;\nid;labels\n1;b\n",
    "bad.csv: there is no column 'labels'; there are sep=;")
csv("tabs", "id\tlabels\n1\tb\n", r"bad.csv: there is no column 'labels'; did you mean 'id\tlabels'")
csv("column twice", "id,labels,labels\n1,b,c\n", "bad.csv:1: two columns are called 'labels'")
csv("short line", "id,labels\n1,b\n2\n", "bad.csv:3: expected 2 fields as in the header, got 1")
csv("long line", "id,labels\n1,b,c\n", "bad.csv:2: expected 2 fields as in the header, got 3")
csv("open quote", 'id,labels\n1,"b\n2,c\n', "bad.csv:2: not CSV: a quotation mark opens here")
csv("text behind a quote", 'id,labels\n1,"b"x\n', "bad.csv:2: not CSV: ',' expected after '\"'")
csv("id column misspelt", "id,labels\n1,b\n2,c\n", "there is no column 'idd'; did you mean 'id'?",
    "name the id column", options="--id-column idd")
csv("label column misspelt", "id,labels\n1,b\n", "there is no column 'lables'; did you mean 'labels'?",
    "name the label column", options="--label-column lables")  # fmt: skip
csv("no label column", "id,pred\n1,b\n", "bad.csv: there is no column 'labels'; there are id, pred")
csv("two label columns", "id,label,labels\n1,b,c\n", "which column is meant, 'labels' or 'label'?",
    "--label-column")
csv("no id", "id,labels\n,b\n2,c\n", "bad.csv:2: the instance id is missing")
csv("id twice", "id,labels\n1,b\n1,c\n", "bad.csv:3: instance '1' already occurs at bad.csv:2")
csv("where without a value", "id,labels\n1,b\n", "cannot read --where 'split'; write COLUMN=VALUE",
    options="--where split")
csv("where of no column", "id,labels\n1,b\n", "there is no column 'lbels'",
    "did you mean 'labels'?", options="--where lbels=b")
csv("where of no row", "id,labels\n1,b\n2,c\n", "true.tsv: no row has id=9", options="--where id=9")
csv("a Python list", "id,labels\n1,\"['b', 'c']\"\n", "bad.csv:2, instance '1': class \"['b', 'c']\"",
    "write labels without quotes and brackets, as a|b")  # fmt: skip
csv("UTF-16", "id,labels\n1,b\n".encode("utf-16"), "bad.csv: this is UTF-16; save it as UTF-8")
csv("Latin-1", "id,labels\n1,é\n".encode("latin-1"), "bad.csv:2: byte 0xe9 is not UTF-8")
csv("a spreadsheet", b"PK\x03\x04\0", "bad.csv: this is a zip archive or a spreadsheet (.xlsx)")
LEVELS = "--label-column l1 --label-column l2"
csv("gap in a path", "id,l1,l2\n1,,b\n", "bad.csv:2, instance '1': level 1 of the path is blank",
    options=LEVELS)
csv("wrong way in a path", "id,l1,l2\n1,d,b\n",
    "bad.csv:2, instance '1': 'b' is not a child of 'd'", options=LEVELS)
csv("level twice", "id,l1,l2\n1,a,b\n", "'a' is not a child of 'a'",
    options="--label-column l1 --label-column l1")
labels("TSV: column twice", "id\tx\tx\n1\tb\tc\n", "bad.tsv:1: two columns are called 'x'")
labels("TSV: short line", "id\tlabels\tx\n1\tb\n",
    "bad.tsv:2: expected 3 fields as in the header, got 2")
labels("TSV: no label column", "id\tpred\tx\n1\tb\tc\n", "bad.tsv: there is no column 'labels'")


def jsonl(name, content, *says, **more):
    labels(f"JSON lines: {name}", content, *says, file="bad.jsonl", **more)


GOOD = '{"id":"1","labels":["b"]}\n'
jsonl("an array", '[{"id":"1","labels":["b"]}]',
    "bad.jsonl:1: every line must hold one whole JSON object")
labels("JSON: an array", '[\n{"id":"1","labels":["b"]}\n]',
    "bad.json:1: every line must hold one whole", file="bad.json")
jsonl("an object over several lines", '{\n"id": "1"}\n',
    "bad.jsonl:1: every line must hold one whole")
jsonl("cut short", GOOD + '{"id":"2","lab', "bad.jsonl:2: not JSON: Unterminated string")
jsonl("list in a list", '{"id":"1","labels":[["b"]]}',
    "bad.jsonl:1, instance '1': a label must be a name, got ['b']")
jsonl("label a fraction", '{"id":"1","labels":[1.5]}',
    "bad.jsonl:1, instance '1': a label must be a name")
jsonl("label true", '{"id":"1","labels":true}',
    "bad.jsonl:1, instance '1': a label must be a name, got True")
jsonl("label an object", '{"id":"1","labels":{"b":1}}',
    "bad.jsonl:1, instance '1': a label must be a name")
jsonl("label null", '{"id":"1","labels":["b",null]}',
    "bad.jsonl:1, instance '1': a label is missing")
jsonl("key misspelt", GOOD + '{"id":"2","lables":["c"]}', "bad.jsonl:2: no 'labels' in this object",
    "did you mean 'lables'?")
jsonl("no id", GOOD + '{"labels":["c"]}', "bad.jsonl:2: the instance id is missing")
jsonl("id a list", '{"id":["1"],"labels":["b"]}',
    "bad.jsonl:1: an instance id must be a text or a whole")
jsonl("id a fraction", '{"id":1.0,"labels":["b"]}', "bad.jsonl:1: an instance id must be",
    "got 1.0")
jsonl("key twice", '{"id":"1","id":"2","labels":["b"]}', "bad.jsonl:1: the key 'id' occurs twice")
jsonl("NaN", '{"id":"1","labels":["b"],"score":NaN}', "bad.jsonl:1: NaN is not a JSON number")
jsonl("blank lines", "\n\n", "bad.jsonl: no line holds a JSON object")
jsonl("numbers", "1\n2\n", "bad.jsonl:1: expected a JSON object, got 1")
jsonl("endless nesting", '{"labels":' + "[" * 100_000, "bad.jsonl:1: the JSON is nested too deeply")
jsonl("number of 5000 digits", f'{{"id":{"9" * 5000},"labels":[]}}',
    "bad.jsonl:1: Exceeds the limit")
jsonl("half a character", '{"id":"1","labels":["\\udc00"]}', "bad.jsonl:1: '\\udc00' is half")

NAMES = np.array(["r", "a", "b", "c", "d"])
MATRIX = np.array([[0, 0, 1, 0, 0], [0, 0, 0, 1, 0]])


def packed(**arrays):
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def alone(array):
    out = io.BytesIO()
    np.save(out, array, allow_pickle=True)
    return out.getvalue()


def sparse(matrix):
    out = io.BytesIO()
    sp.save_npz(out, matrix)
    return out.getvalue()


def npz(name, content, *says, file="bad.npz", **more):
    labels(f"NumPy: {name}", content, *says, file=file, truth="true.txt", **more)


npz("no classes", packed(m=MATRIX), "bad.npz: which class is which column?", "--columns")
npz("sparse without classes", sparse(sp.csr_array(MATRIX)), "bad.npz: which class is which column?")
COLUMNS = {"options": "--columns cols.txt"}
npz("too few columns", packed(m=MATRIX), "bad.npz: 3 classes for 5 columns",
    cols_txt="r\na\nb\n", **COLUMNS)
npz("column twice", packed(m=MATRIX), "bad.npz: two columns of the matrix are called 'b'",
    cols_txt="r\na\nb\nb\nd\n", **COLUMNS)
npz("column of no class", packed(m=MATRIX), "bad.npz: row 1: class 'bb' is not",
    "did you mean 'b'?", cols_txt="r\na\nbb\nc\nd\n", **COLUMNS)
npz("names twice", packed(m=MATRIX, classes=NAMES), "bad.npz: the file itself gives the class",
    "cols.txt says otherwise", cols_txt="r\na\nb\nd\nc\n", **COLUMNS)
npz("no file of columns", packed(m=MATRIX), "cols.txt: there is no such file", **COLUMNS)
npz("classes are objects", packed(m=MATRIX, classes=NAMES.astype(object)),
    "bad.npz: no matrix of NumPy or scipy.sparse", "allow_pickle=False", "names are texts, dtype str")  # fmt: skip
npz("classes are bytes", packed(m=MATRIX, classes=NAMES.astype("S")),
    "bad.npz: row 1: class \"b'b'\" is not in the hierarchy")
npz("classes are numbers of columns", packed(m=MATRIX, classes=np.arange(5)),
    "bad.npz: row 1: class '2'")
npz("scores", packed(m=MATRIX * 0.7, classes=NAMES), "column 'b': an indicator matrix must hold 0 and 1, got 0.7",
    "scores go into measures of scores")  # fmt: skip
npz("NaN", packed(m=np.where(MATRIX, np.nan, 0), classes=NAMES), "must hold 0 and 1, got nan")
npz("signs", packed(m=MATRIX * 2 - 1, classes=NAMES), "column 'r'", "must hold 0 and 1, got -1")
npz("texts", packed(m=MATRIX.astype(str), classes=NAMES),
    "bad.npz: a matrix must hold equally long rows of numbers")
npz("one dimension", packed(m=np.array([2, 3]), classes=NAMES), "bad.npz: no matrix",
    "names are texts")
npz("two matrices", packed(y_true=MATRIX, y_pred=MATRIX, classes=NAMES), "expected one matrix",
    "y_true, y_pred")
npz("something else", packed(m=MATRIX, classes=NAMES, scores=np.ones(2)),
    "expected one matrix beside classes and ids, got m, classes, scores")
npz("too few ids", packed(m=MATRIX, classes=NAMES, ids=np.array(["1"])),
    "bad.npz: ids must be a text for each of 2 rows")
npz("blank id", packed(m=MATRIX, classes=NAMES, ids=np.array(["1", ""])),
    "bad.npz: ids must be a text for each of 2 rows")
npz("id twice", packed(m=MATRIX, classes=NAMES, ids=np.array(["1", "1"])),
    "bad.npz: row 2: instance '1' already occurs")
npz("rows for columns", packed(m=MATRIX.T, classes=NAMES), "bad.npz: 5 classes for 2 columns")
npz("one row less", packed(m=MATRIX[:1], classes=NAMES), "y_true has 2 instances and bad has 1")
npz("coordinates", sparse(sp.coo_array(MATRIX)), "bad.npz: which class is which column?")
npz("broken CSR", packed(data=np.ones(2), indices=np.array([0, 99]), indptr=np.arange(3),
    shape=np.array([2, 5]), format=np.array("csr"), classes=NAMES), "bad.npz: no matrix of NumPy or scipy.sparse", "indices must be < 5")  # fmt: skip
npz("a text", b"hello", "bad.npz: no matrix of NumPy or scipy.sparse")
npz("cut short", packed(m=MATRIX, classes=NAMES)[:-30],
    "bad.npz: no matrix of NumPy or scipy.sparse")
npz("empty", b"", "bad.npz: no matrix of NumPy or scipy.sparse")
npz("nothing in it", packed(), "bad.npz: no matrix", "expected one matrix")
npz("npy without columns", alone(MATRIX), "bad.npy: which class is which column?", file="bad.npy")
npz("npy of lists", alone(np.array([["a"], ["b", "c"]], dtype=object)),
    "bad.npy: no matrix of NumPy", "names are texts", file="bad.npy")
row("labels: columns without npz", {}, "score tree.tsv true.tsv one.tsv --columns none.txt",
    "--columns goes with npz files")


def table(**columns):
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def parquet(name, content, *says, **more):
    labels(f"Parquet: {name}", content, *says, file="bad.parquet", **more)


parquet("a CSV", b"id,labels\n1,b\n", "bad.parquet: not a Parquet file", "--label-format")
parquet("empty", b"", "bad.parquet: not a Parquet file")
parquet("cut short", table(id=["1", "2"], labels=["b", "c"])[:-20],
    "bad.parquet: not a Parquet file")
parquet("no label column", table(id=["1"], pred=["b"]),
    "bad.parquet: there is no column 'labels'; there are id, pred")
parquet("labels are fractions", table(id=["1"], labels=[1.5]),
    "bad.parquet: row 1, instance '1': a label must be a name")
parquet("labels are bytes", table(id=["1"], labels=[b"b"]),
    "bad.parquet: row 1, instance '1': a label must be a name")
parquet("lists in lists", table(id=["1"], labels=[[["b"]]]),
    "bad.parquet: row 1, instance '1': a label must be a name")
parquet("no id", table(id=["1", None], labels=["b", "c"]),
    "bad.parquet: row 2: the instance id is missing")
parquet("ids are fractions", table(id=[1.0], labels=["b"]),
    "bad.parquet: row 1: an instance id must be", "got 1.0")
parquet("unknown class", table(id=["1", "2"], labels=["b", "cc"]),
    "bad.parquet: row 2, instance '2': class 'cc'")
parquet("no rows", table(id=pa.array([], pa.string()), labels=pa.array([], pa.string())),
    "bad.parquet: the file has no instances")
row("hierarchy: Parquet", {"bad.parquet": table(parent=["r"], child=["a"])},
    "convert bad.parquet --to json", "bad.parquet: this is a Parquet file, which only labels")

# ------------------------------------------------------------------------------ standard input

row("stdin: twice", {}, "score - - one.tsv", "only one file can be read from standard input")
row("stdin: twice with a name", {}, "score tree.tsv - x=-", "only one file can be read")
row("stdin: twice in check", {}, "check - -", "only one file can be read", stdin=b"r\ta\n")
row("stdin: twice in convert", {}, "convert - - --to lines", "only one file can be read")
row("stdin: also the columns", {"bad.npz": packed(m=MATRIX)},
    "score tree.tsv - bad.npz --columns -", "only one file can be read")
row("stdin: empty", {}, "score tree.tsv - one.tsv", "-: the file is empty")
row("stdin: NUL", {}, "score tree.tsv - one.tsv", "-:1: a NUL byte", stdin=b"1\tb\0")
row("stdin: unknown class", {}, "score tree.tsv true.tsv -", "-:2, instance '2': class 'cc'",
    stdin=b"1\tb\n2\tcc\n")
row("stdin: gzip cut short", {}, "score tree.tsv - one.tsv", "-: the gzip file is damaged",
    stdin=gzip.compress(b"1\tb\n")[:-4])

# ------------------------------------------------------------------------------ options


def score(options, *says, files=None):
    row(f"score: {options}", files or {}, f"score tree.tsv true.tsv one.tsv {options}", *says)


row("verb missing", {}, "", "name a verb, such as score; see hierpair --help")
row("verb misspelt", {}, "scor tree.tsv", "there is no verb 'scor'; did you mean 'score'?")
row("score: no files", {}, "score",
    "give a hierarchy, a truth and at least one file of predictions")
row("score: two files", {}, "score tree.tsv true.tsv", "at least one file of predictions")
score("--mesures hf", "unrecognized arguments: --mesures; did you mean '--measures'?",
    "see hierpair")
score("--m hf", "unrecognized arguments: --m")
for verb in ("score", "explain"):
    row(f"{verb}: digits below 0", {}, f"{verb} tree.tsv true.tsv one.tsv --digits -1",
        "digits must be at least 0", "got -1")
    row(f"{verb}: endless digits", {}, f"{verb} tree.tsv true.tsv one.tsv --digits 9999999999",
        "digits must be at least 0 and at most 100")
score("--digits 1.5", "argument --digits: must be a whole number, got '1.5'")
score("--jobs 0", "n_jobs must be at least 1, got 0")
score("--jobs -2", "n_jobs must be at least 1, got -2")
score("--jobs many", "argument --jobs: must be a whole number, got 'many'")
for given in ("3", "0", "-2"):
    score(f"--set threshold={given}", "threshold must be an even whole number ≥ 2", given)
score("--set threshold=2.5", "threshold must be an even whole number ≥ 2 or None, got '2.5'")
for given in ("-1", "nan", "inf"):
    score(f"--set beta={given}", "f: beta must be a finite number ≥ 0", given)
for given in ("nan", "0", "-1", "inf"):
    score(f"--set default={given}", "gie: default must be a finite number > 0", given)
score("--set default=five", "default must be a finite number > 0, got 'five'")
score("--set denominator=x", "mgia: denominator must be one of 'union', 'symdiff', got 'x'")
score("--set augment=ancestor", "augment must be one of", "did you mean 'ancestors'?")
for given in ("-1", "nan"):
    score(f"--set max_distance={given}", "max_distance must be a number ≥ 0 or None", given)
score("--set zero_division=2", "zero_division must be 0, 1 or nan, got 2")
score("--set root=x", "class 'x' is not in the hierarchy", "root='x'")
score("--set average=mean",
    "average must be one of 'samples', 'micro', 'macro', 'weighted', got 'mean'")
score("-m gie --set average=macro", "none of the measures can be averaged as 'macro'")
score("-m hf --set denominator=union", "none of the measures has an option 'denominator'")
score("-m gie --set beta=2", "none of the measures has an option 'beta'")
score("--set cost=hop", "unknown cost 'hop'", "did you mean 'hops'?")
score("--set cost=weights", "needs a hierarchy with edge weights; it has none")
score("--set 'cost=decayed(w0=nan)'", "cannot read the cost")
score("--set 'cost=decayed(w0=2)'", "w0 must be in (0, 1], got 2")
score("--set 'cost=decayed(w0=-0.5)'", "w0 must be in (0, 1], got -0.5")
for given in ("decayed(w0=", "decayed(w1=1)", "decayed" + "(" * 300):
    score(f"--set 'cost={given}'", "cannot read the cost",
        "write it like decayed(w0=0.5)")
score("--set 'cost=hops()x'", "cannot read the cost 'hops()x'; write it like decayed")
for given in ("0", "-1", "nan", "inf", "near"):
    score(f"-m con_f --set theta={given}", "must be a finite number > 0 or 'mean'", given)
score("-m con_f --set theta=mean", "theta='mean' needs a cost that knows its mean", "as a number")
score("-m con_f --set classes=some", "classes must be one of 'seen', 'all', got 'some'")
for given in ("0", "-1", "2", "nan"):
    score(f"-m depth_loss --set w0={given}", "depth_loss: w0 must be a number > 0 and ≤ 1", given)
score("-m depth_loss --set w0=half", "w0 must be a number > 0 and ≤ 1, got 'half'")
score("-m depth_loss --set depth=median", "depth must be one of", "'mean', 'sum', got 'median'")
score("-m depth_loss --set normalise=yes", "normalise must be one of 'none', 'max-path', 'path'")
score("-m h_loss --set costs=free", "costs must be one of 'sibling', 'ones', 'subtree', got 'free'")
score("-m hf --set theta=2", "none of the measures has an option 'theta'")
score("-m mean_cost", "2 true classes", "instance '2'")
score("--set cost=matrix", "a cost from a file like matrix('FILE')")
score("""-m gie --set "cost=matrix('gone.tsv')\"""", "gone.tsv: there is no such file")
score("""-m gie --set "cost=lin('dir')\"""", "dir: this is a folder", files={"dir": FOLDER})
for kind, content, says in (
    ("matrix", "", "bad.tsv: the file is empty"),
    ("matrix", "true\tpredicted\tcost\nb\tc\tnan\n", "bad.tsv:2: 'nan' is not a finite number"),
    ("matrix", "true\tpredicted\tcost\nb\tc\t-2\n", "bad.tsv:2: the cost -2 is negative"),
    ("matrix", "true\tpredicted\tcost\nb\tx\t2\n", "bad.tsv:2: class 'x' is not in the hierarchy"),
    ("matrix", "true\tpredicted\tcost\nb\tc\t2\n", "bad.tsv has no cost for true 'd'"),
    ("matrix", "-\tb\tc\nb\t0\n", "bad.tsv:2: expected a class and 2 costs, got 2 fields"),
    ("cosine", "b\t1\tnan\n", "bad.tsv:1: 'nan' is not a finite number"),
    ("cosine", "b\t1\t2\nc\t1\n", "bad.tsv:2: 1 numbers, but 2 in lines before"),
    ("lin", "b\t-1\n", "bad.tsv:1: the count -1 is negative"),
    ("lin", "b\t1\n", "class 'c' and all below it have the count 0"),
    ("lin", b"b\t1\n\xff\n", "bad.tsv:2: byte 0xff is not UTF-8"),
):  # fmt: skip
    row(f"score: {kind}, {says}", {"bad.tsv": content},
        f"""score tree.tsv true.tsv one.tsv -m gie --set "cost={kind}('bad.tsv')\"""", says)
score("-m hff", "there is no measure 'hff'; did you mean", "hierpair measures lists all")
score("-m f1", "there is no measure 'f1' alone; say which of them: ", "hf")
score("-m hf,gie", "cannot read the measure 'hf,gie'; write one at a time")
score("-m 'hf(betta=2)'", "hf has no option 'betta'; did you mean 'beta'?")
score("-m 'hf(beta=two)'", "hf: beta must be a finite number ≥ 0, got 'two'")
score("""-m 'hf(beta=__import__("os"))'""", "hf: beta must be a finite number ≥ 0, got")
score("-m 'hf(beta=True)'", "hf: beta must be a finite number ≥ 0, got True")
score("-m 'hf(beta=[1])'", "hf: beta must be a single value, got [1]")
score("-m 'hf(beta=1,beta=2)'", "gives an option twice")
for given in ("hf(beta=1+1)", "hf(2)", "hf(beta=2", "", "hf hp"):
    score(f"-m '{given}'", "cannot read the measure",
        "write it like hf or hf(beta=2, average='micro')")
score(f"-m 'gie(default={'9' * 400})'", "gie: default must be a finite number > 0, got 999")
score("-m 'gie(default=1e90)'", "measure gie(default=1e+90)",
    "more than the solver can carry exactly")
score("-m 'hf(augment=none, threshold=2)'", "a path threshold cuts ancestors", "augment='none'")
score("-m 'gie(cost=decayed, threshold=2)'",
    "a path threshold counts edges; use it with cost='hops'")
score("-m tree_induced_error", "instance '2': the true classes 'd', 'c' must have at least 2 partners",
      "1 predicted and 2 true classes", "measure tree_induced_error", "system one")  # fmt: skip
score("--format yaml", "got 'yaml'", "markdown")
score("--format json --percent",
    "--percent goes with tables to read (text, markdown, latex and html")
score("--per-instance --transpose", "--per-instance goes without --transpose")
score("--unknown skip", "argument --unknown: must be one of error, drop, root, got 'skip'")
score("--missing drop", "argument --missing: must be one of error, empty, got 'drop'")
score("--unknown root -m hf", "needs a single root; this hierarchy has 2",
    files={"tree.tsv": "r\tb\nr\tc\nq\td\nq\te\n", "one.tsv": "1\tx\n2\tc\n"})
score("--min-score nan", "the least score must be a finite number, got nan")
score("--min-score high", "--min-score must be a number, got 'high'")
score("--separator ''", "the separator of labels must not be empty")
score("--label-format cvs", "unknown label format 'cvs'", "did you mean 'csv'?")
score("--label-format npz", "true.tsv: no matrix of NumPy or scipy.sparse")
score("--label-format parquet", "true.tsv: not a Parquet file")
score("--label-format jsonl", "true.tsv:1: not JSON")
score("--label-format table --long",
    "true.tsv: this file was read as table, which has no named columns")
score("--label-format lines", "true.tsv:1: class '1' is not in the hierarchy", "read as lines")
score("--hierarchy-format json", "tree.tsv:1: not JSON")
row("case: unknown", {}, "score --case transposons",
    "there is no case 'transposons'; did you mean 'transposon'?")
row("case: outside", {}, "score --case ../transposon", "there is no case '../transposon'")
row("case: and files", {}, "score --case transposon tree.tsv", "--case goes without FILE")
row("system: name twice", {}, "score tree.tsv true.tsv one.tsv one.tsv",
    "two systems are called 'one'; name them: one-2=one.tsv")
row("system: no name", {}, "score tree.tsv true.tsv =one.tsv",
    "cannot read the system '=one.tsv'; write NAME=FILE")
row("system: no file", {}, "score tree.tsv true.tsv a=",
    "cannot read the system 'a='; write NAME=FILE")
row("system: y_true", {}, "score tree.tsv true.tsv y_true=one.tsv",
    "a system cannot be called y_true")
row("system: no such file", {}, "score tree.tsv true.tsv a=none.tsv",
    "none.tsv: there is no such file")

row("measures: unknown", {}, "measures hff", "there is no measure 'hff'; did you mean")
row("measures: bad option", {}, "measures 'hf(beta=-1)'",
    "hf: beta must be a finite number ≥ 0, got -1")
row("measures: the second", {}, "measures hf gei", "there is no measure 'gei'; did you mean 'gie'?")
row("measures: unknown need", {}, "measures --for --need top_mistake",
    "there is no need 'top_mistake'; did you mean 'top_mistakes'")
row("measures: needs that exclude each other", {},
    "measures --for --need top_mistakes --need depth_ignored", "exclude each other")
row("measures: need without for", {}, "measures --need silence", "--need goes with --for")
row("measures: predictions", {}, "measures --for tree.tsv true.tsv one.tsv", "got 3 files")
row("measures: no such tree", {}, "measures --for none.tsv", "none.tsv: there is no such file")
row("measures: form", {}, "measures --format yaml", "got 'yaml'")

CONVERT = "convert tree.tsv"
row("convert: no form", {}, CONVERT, "arguments are required: --to")
row("convert: form misspelt", {}, f"{CONVERT} --to jsn", "cannot be written as 'jsn'",
    "did you mean 'json'?")
row("convert: three files", {}, f"{CONVERT} true.tsv one.tsv --to csv",
    "a hierarchy and one file of labels")
row("convert: labels as a hierarchy's form", {}, f"{CONVERT} true.tsv --to json",
    "labels cannot be written as 'json'")
row("convert: a form that is only read", {}, f"{CONVERT} --to paths",
    "cannot be written as 'paths'; it is one of edges, json")
row("convert: lone class as edges", {"dag": "child\tparent\na\t\n"}, "convert dag --to edges",
    "class 'a' has no edge", "write json")
row("convert: blank in a name", {"dag": "r\ta b\n", "l.tsv": "1\ta b\n"},
    "convert dag l.tsv --to lines", "class 'a b' holds ' '")
row("convert: unknown label", {"l.tsv": "1\tx\n"}, "convert tree.tsv l.tsv --to csv",
    "l.tsv:1, instance '1': class 'x'")

EXPLAIN = "explain tree.tsv true.tsv one.tsv"
row("explain: instance and worst", {}, f"{EXPLAIN} -i 1 --worst 2",
    "--instance goes without --worst")
for given in ("0", "-1"):
    row(f"explain: worst {given}", {}, f"{EXPLAIN} --worst {given}",
        "number of instances must be at least 1")
row("explain: worst of a word", {}, f"{EXPLAIN} --worst x",
    "argument --worst: must be a whole number, got 'x'")
row("explain: no such id", {}, f"{EXPLAIN} -i 9",
    "there is no instance '9'; there are 2, such as '1'")
row("explain: no such position", {}, "explain tree.tsv true.txt true.txt -i 2",
    "there is no instance '2'; there are 2, such as 0")
row("explain: no such system", {}, f"{EXPLAIN} --system onee",
    "there is no system 'onee'; did you mean 'one'?")
row("explain: form", {}, f"{EXPLAIN} --format csv", "got 'csv'")
row("explain: view", {}, f"{EXPLAIN} --view tree", "got 'tree'")
row("explain: constraints of one instance", {}, f"{EXPLAIN} --constraints -i 1",
    "--constraints goes without --instance")
row("explain: constraints as a graph", {}, f"{EXPLAIN} --constraints --format dot",
    "--constraints goes without --format dot")
row("explain: constraints of sets", {}, f"{EXPLAIN} --constraints -m hf", "hf has no rule of pairs")
row("explain: measure", {}, f"{EXPLAIN} -m hff", "there is no measure 'hff'")
row("explain: option of no measure", {}, f"{EXPLAIN} -m hf --set denominator=union",
    "none of the measures has an option")
row("explain: picture in no folder", {}, f"{EXPLAIN} --picture no/x.svg",
    "no/x.svg: cannot be written; name a file in a folder")
row("explain: picture over an input", {"one.svg": "1\tb\n2\tc\n"},
    "explain tree.tsv true.tsv one.svg --picture one.svg", "one.svg: this file is read")
row("explain: picture over the output", {}, f"{EXPLAIN} --picture ./x.svg -o x.svg",
    "the picture and the output are the same file")
row("explain: picture with another ending", {}, f"{EXPLAIN} --picture x.jpg", "x.jpg",
    "a picture must end in", ".svg")
row("explain: picture without an ending", {}, f"{EXPLAIN} --picture x", "a picture must end in",
    ".png")
row("explain: network of sets", {}, f"{EXPLAIN} -m hf --picture x.svg --view network",
    "hf has no pairing to draw; take --view hierarchy")
row("explain: picture over the columns", {"cols.svg": "a", "x.npz": packed(m=MATRIX)},
    "explain tree.tsv true.txt x.npz --columns cols.svg --picture cols.svg", "cols.svg: this file is read")  # fmt: skip

SCORE = "score tree.tsv true.tsv one.tsv -m hf"
row("output: a folder", {"dir": FOLDER}, f"{SCORE} -o dir",
    "dir: cannot be written; name a file in a folder that exists")
row("output: in no folder", {}, f"{SCORE} -o no/out.txt", "no/out.txt: cannot be written")
row("output: an input", {}, f"{SCORE} -o ./true.tsv",
    "./true.tsv: this file is read; write the output elsewhere")
row("output: an input with a name", {}, "score tree.tsv true.tsv a=one.tsv -o one.tsv",
    "one.tsv: this file is read")
row("output: the columns", {"cols.txt": "\n".join(NAMES), "x.npz": packed(m=MATRIX)},
    "score tree.tsv true.txt x.npz --columns cols.txt -o cols.txt", "cols.txt: this file is read")
row("output: no name", {}, f"{SCORE} -o ''", "'' cannot be written; name a file")
row("output: 300 letters", {}, f"{SCORE} -o {'x' * 300}", "cannot be written; name a file")

row("check: no files", {}, "check",
    "give a hierarchy to check, and labels, or a file that names them (--config)")
row("check: policies", {}, "check tree.tsv true.tsv --unknown drop",
    "unrecognized arguments: --unknown")
row("check: format misspelt", {}, "check tree.tsv true.tsv --label-format cvs",
    "unknown label format 'cvs'")
row("check: hierarchy format misspelt", {}, "check tree.tsv --hierarchy-format tre",
    "unknown hierarchy format 'tre'")
row("check: where", {}, "check tree.tsv true.tsv --where a", "cannot read --where 'a'")
row("check: rule for cycles", {}, "score tree.tsv true.tsv one.tsv --break-cycles all",
    "there is no rule 'all'")
row("check: name twice", {}, "check tree.tsv true.tsv one.tsv one.tsv",
    "two systems are called 'one'")


def found(name, files, command, *says):
    row(f"check finds: {name}", files, f"check {command} --format tsv", *says, code=1)


found("no file", {}, "none.tsv", "error\tformat\tnone.tsv\tthere is no such file")
found("unknown class", {"bad.tsv": "1\tbb\n2\tc\n"}, "tree.tsv true.tsv bad.tsv",
    "error\tunknown label\tbad.tsv:1\tinstance '1': class 'bb' is not", "did you mean 'b'?")
found("header only", {"bad.tsv": "parent\tchild\n"}, "bad.tsv",
    "error\thierarchy\tbad.tsv\tthe hierarchy is empty")
found("labels with a header only", {"bad.tsv": "id\tlabels\n"}, "tree.tsv bad.tsv",
    "error\tinstances\tbad.tsv")
found("cycle", {"bad.tsv": "r a\na b\nb a\n"}, "bad.tsv",
    "error\tcycle\tbad.tsv:3\tthe hierarchy has a cycle: 'a' → 'b' → 'a'", "--break-cycles")
found("columns swapped", {"bad.tsv": "b\ta\nc\ta\na\tr\n"}, "bad.tsv", "error\tmisread",
    "are parent and child swapped?")
found("broken lines, all of them", {"bad.tsv": "1\n2\n"}, "tree.tsv bad.tsv --label-format table",
    "bad.tsv:1: expected id TAB label|label", "bad.tsv:2: expected id TAB label|label")
found("entity", {"bad.rdf": f'<!DOCTYPE r [<!ENTITY x "&y;">]>{RDF}</rdf:RDF>'}, "bad.rdf",
    "XML with a document type (DTD)")

row("a ragged line among edges", {"tree.tsv": "r\ta\nr\td\tb\na\tc\n"},
    "score tree.tsv true.tsv one.tsv -m hf", "tree.tsv:2: a line of more than two fields",
    "lines 1 and 2 have the same parent 'r'", "set the hierarchy format to taxonomy")

DAG = {"dag.tsv": "r\ta\nr\tb\na\tc\nb\tc\nc\td\n", "t.tsv": "1\td\n", "p.tsv": "1\td\n"}
HCM = "score dag.tsv t.tsv p.tsv -m hcm_f"
row("a class with several root paths", DAG, HCM, "instance '1'", "'d' has 2 paths from the root",
    "give the path", "--paths")
row("a path that is none", {**DAG, "p.tsv": "1\tr/d\n"}, f"{HCM} --paths /",
    "p.tsv:1, instance '1'", "'d' is not a child of 'r'")
row("a path that does not start at the top", {**DAG, "p.tsv": "1\tc/d\n"}, f"{HCM} --paths /",
    "instance '1'", "'c/d' must start at the root 'r' or at a child of it")
row("a blank path", {**DAG, "p.tsv": "1\ta|\n"}, f"{HCM} --paths /", "p.tsv:1",
    "a label is missing")
row("a path of unknown classes", {**DAG, "p.tsv": "1\ta/x\n"}, f"{HCM} --paths /",
    "p.tsv:1, instance '1'", "'x' is not in the hierarchy")
row("an empty separator of paths", DAG, f"{HCM} --paths ''", "need a separator of their own")
row("paths and labels with one separator", DAG, f"{HCM} --paths '|'",
    "need a separator of their own, got '|'")
row("several roots and root paths", {"dag.tsv": "a\tb\na\te\nc\td\n", "t.tsv": "1\td\n",
    "p.tsv": "1\td\n"}, HCM, "one root, and the hierarchy has 2 ('a', 'c'", "add a class above")
for option, value, words in [
    ("pairing", "greedy", "'exact', 'published'"), ("empty", "zero", "'root', 'none'"),
    ("nested", "all", "'drop', 'keep'"), ("blank", "yes", "'ignore', 'count'"),
]:  # fmt: skip
    row(f"{option} {value}", DAG, f"{HCM} --set {option}={value}",
        f"{option} must be one of {words}, got {value!r}")
row("a measure of two words", {}, "score tree.tsv true.tsv one.tsv -m 'hcm(mcc, tpr)'",
    "cannot read the measure")
row("a field that is none", {}, "score tree.tsv true.tsv one.tsv -m 'hcm(xyz)'",
    "there is no measure 'hcm_xyz'")
row("a case without its data", {}, "score --case germeval2019-a --data .",
    "there is no folder germeval2019", "do not come with hierpair", "--data or HIERPAIR_DATA")

# ------------------------------------------------------------------------------ plugins and constraints


def plugin(name, content, *says, options="-m mine", **files):
    row(f"plugin: {name}", {"p.py": content, **files},
        f"score tree.tsv true.tsv one.tsv --plugin p.py {options}", *says)  # fmt: skip


score("--plugin none.py", "none.py: there is no such file")
score("--plugin dir", "dir: this is a folder", files={"dir": FOLDER})
score("--plugin one.tsv", "one.tsv: a plugin is a Python file (.py)")
plugin("syntax", "x = 1\ndef f(:\n", "p.py:2: SyntaxError: invalid syntax")
plugin("raises", "\nraise RuntimeError('boom')\n", "p.py:2: RuntimeError: boom")
plugin("raises in several lines", "raise ValueError('a\\nb')\n", "p.py:1: ValueError: a b")
plugin("imports what is not there", "import nosuchmodule\n", "p.py:1: ModuleNotFoundError",
    "nosuchmodule")
plugin("no measure", "x = 1\n", "p.py: it registers no measure", "pair_measure", options="-m hf")
plugin("exits", "import sys\nsys.exit(0)\n", "p.py:2: SystemExit", options="-m hf")
plugin("NUL", b"\0", "Error: source code string cannot contain null bytes")
plugin("twice", "from hierpair import *\n@pair_measure\ndef mine(): return Rule(Hops(), ())\n",
    "p.py: there is already a measure 'mine'", options="-m mine --plugin p.py")


def registered(name, arguments, signature, *says):
    plugin(name, f"from hierpair import *\n@pair_measure({arguments})\ndef mine({signature}):\n"
           "    return Rule(Hops(), ())\n", *says)  # fmt: skip


registered("name of two words", "name='my measure'", "", "p.py: a measure's name must be one word",
    "'my measure'")
registered("name taken", "name='hf'", "",
    "p.py: there is already a measure 'hf'; choose another name")
registered("option without default", "", "weight",
    "p.py: option 'weight' of measure 'mine' needs a default")
registered("any options", "", "**options",
    "p.py: option 'options' of measure 'mine' needs a default")
registered("direction", "direction='up'", "",
    "p.py: direction must be 'higher' or 'lower', got 'up'")
registered("no averages", "averages=()", "",
    "p.py: averages of measure 'mine' must be some of samples, micro")
registered("unknown average", "averages=('mean',)", "", "p.py: averages of measure 'mine'",
    "('mean',)")
registered("average by class of pairs", "averages=('macro',)", "",
    "must be some of samples, micro, got ('macro',)")


def rule(name, cost, constraints, *says, extra="", **files):
    plugin(name, "from hierpair import *; from hierpair.pairing import *\nimport numpy as np\n@pair_measure\ndef mine():\n"
           f"    return Rule({cost}, {constraints}{extra})\n", *says, **files)  # fmt: skip


MINE = "measure mine"
plugin("no rule", "from hierpair import *\n@pair_measure\ndef mine(): pass\n", MINE,
    "must return a Rule or a NetworkRule, got None")
plugin("its function fails", "from hierpair import *\n@pair_measure\ndef mine(): 1 / 0\n", MINE,
    "ZeroDivisionError", "p.py:3")
plugin("its function exits",
    "from hierpair import *\n@pair_measure\ndef mine(): raise SystemExit\n",
    "a plugin ended the run")
rule("cost is none", "None", "()", MINE, "a cost must be callable, got None")
rule("cost is a text", "'hops'", "()", MINE, "a cost must be callable, got 'hops'")
rule("constraint is a number", "Hops()", "(3,)", MINE, "a constraint must be callable, got 3")
rule("constraint without comma", "Hops()", "(Cardinality(1))", MINE,
    "constraints come as a tuple, (…,) for a single one")


def constraint(text, *says, **files):
    rule(f"constraint {text}", "Hops()", f"({text},)", MINE, *says, **files)


constraint("Degree('pred', 1)", "side must be 'predicted' or 'true', got 'pred'")
constraint("Degree('true', -2)", "lower must be a number ≥ 0, got -2")
constraint("Degree('true', 2, 1)", "cannot have at least 2 and at most 1 partners")
constraint("Degree('true', 1.5)", "lower of the true class 'b' is 1.5; it must be a whole number")
constraint("Degree('true', '1')", "lower must be a number ≥ 0, got '1'")
constraint("Degree('true', 3)",
    "instance '1': the true class 'b' must have at least 3 partners and can get only 1")
constraint("Degree('true', 1, where='b')", "give several names as a tuple, got 'b'")
constraint("Degree('true', 1, where=('zz',))", "class 'zz' is not in the hierarchy")
constraint("Degree('true', 1, where=lambda labels: np.ones(9, bool))",
    "expected one truth value per label (3,)")
constraint("Degree('true', 1, where=lambda labels: labels.classes)",
    "one truth value per label (3,), got int32")
constraint("Degree('true', 1, where=lambda labels: labels.x)", "Degree failed: AttributeError",
    "p.py:5")
constraint("Degree('true', 2), Degree('predicted', 0, 0)", "instance '1': the true class 'b' must have at least 2",
       "can get only 1: it may be paired with 'b' only")  # fmt: skip
constraint("Unmatched('true', -1)", "a default cost must be a number ≥ 0, got -1")
constraint("Unmatched('true', float('nan'))", "a default cost must be a number ≥ 0, got nan")
constraint("Unmatched('true', 'x')", "a default cost must be a number ≥ 0, got 'x'")
constraint("Unmatched('true', None)", "a default cost must be a number ≥ 0, got None")
constraint("Unmatched('pred', 3)", "side must be 'predicted' or 'true', got 'pred'")
constraint("Unmatched('true', np.ones(3))",
    "a default cost must be a number, an array of 5 by class, or a function of Labels",
    "got an array of shape (3,)")
constraint("Forbid(True)", "forbid by a callable on pairs, or by a tuple", "got True")
constraint("Forbid(lambda pairs: 1 / 0)", "Forbid failed: ZeroDivisionError", "p.py:5")
constraint("Forbid(lambda pairs: pairs.distance)",
    "expected one truth value per pair (3,), got float64")
constraint("Forbid(lambda pairs: np.ones(1, bool))",
    "expected one truth value per pair (3,), got bool of shape (1,)")
constraint("Degree('true', 1), Forbid(lambda pairs: pairs.distance >= 0)",
    "instance '1': the true class 'b' must", "can get only 0")
constraint("Require('b')", "require by a callable on pairs, or by a tuple", "got 'b'")
constraint("Require(('b', 'c'))", "by a tuple of (predicted, true) pairs of names, got ('b', 'c')")
constraint("Require((('b', 'zz'),))", "class 'zz' is not in the hierarchy")
constraint("Require((('b', 'b'),)), Forbid(lambda pairs: pairs.distance == 0)",
    "instance '1': the pair ('b', 'b') is required and cannot be chosen")
constraint("Degree('predicted', 0, 0), Require((('b', 'b'),))",
    "instance '1': these cannot hold together: the pair ('b', 'b') is required")
constraint("MaxDistance(-1)", "a largest distance must be a number ≥ 0, got -1")
constraint("MaxDistance(float('nan'))", "a largest distance must be a number ≥ 0, got nan")
constraint("MaxDistance('2')", "a largest distance must be a number ≥ 0, got '2'")
constraint("Degree('true', 1), MaxDistance(1)",
    "instance '2': the true class 'c' must have at least 1 partner", **{"one.tsv": "1\tb\n2\td\n"})
constraint("Cardinality(3, 1)", "the instance cannot have at least 3 and at most 1 pairs")
constraint("Cardinality(-1)", "lower must be a number ≥ 0, got -1")
constraint("Cardinality(1.5)", "lower of the instance is 1.5; it must be a whole number")
constraint("Cardinality(5)", "instance '1': these cannot hold together: the instance must have at least 5 pairs")
constraint("Groups('both', by_level, 1)", "side must be 'predicted' or 'true', got 'both'")
constraint("Groups('true', 3, 1)", "groups must be a callable on labels, got 3")
constraint("Groups('true', lambda labels: labels.classes / 2, 1)",
    "must be one whole number per label (3,), got float64")
constraint("Groups('true', lambda labels: np.zeros(1, int), 1)",
    "must be one whole number per label (3,), got int64 of shape (1,)")
constraint("Groups('true', by_level, -1)", "upper must be a number ≥ 0, got -1")
constraint("Groups('true', by_level, 1, 2)", "the true group 2 cannot have at least 2 and at most 1 pairs")
constraint("Groups('true', by_level, 1, of='pairs')", "of must be one of 'labels', 'partners', got 'pairs'")
constraint("CountCost('true', (0, 'x'))", "a table of costs holds numbers and None, got 'x'")
constraint("Degree('true', 1, under=-1)", "the cost 'under' must be a number ≥ 0, got -1")
constraint("Mass('true', -1)", "the mass must be a number ≥ 0, got -1")
constraint("Mass('true', {'b': 1, 'zz': 2})", "class 'zz' is not in the hierarchy")
constraint("Mass('true', 1, share='yes')", "share must be one of True, False, got 'yes'")
constraint("Mass('true', 1), Mass('predicted', 0.5)",
    "the masses of the predicted side add up to 1/2 and those of the true side to 1",
    "take their shares of the sum, Mass(…, share=True)")
constraint("Capacity(lambda pairs: -pairs.distance - 1)", "the capacity of the pair ",
    "it must be a")
constraint("Capacity([1, 2])", "a capacity is a number, an array [predicted, true] by class")
constraint("Degree('true', 1, 1), Groups('true', by_level, 0)",
    "instance '1': the true class 'b' must have at least 1", "can get only 0")
constraint("Groups('true', by_subtree(-1), 1)",
    "by_subtree takes a depth, a whole number ≥ 0, got -1")
constraint("Groups('true', by_subtree(1), 1)", "class 'b' lies in several subtrees at depth 1",
    **{"tree.tsv": "r\ta\nr\td\na\tb\nd\tb\na\tc\n"})
constraint("lambda builder: builder.cuont(3)", "has no attribute 'cuont'")


def cost(text, *says, extra=""):
    rule(
        f"cost {text}{extra}",
        text,
        "(Degree('true', 1), Degree('predicted', 1))",
        MINE,
        *says,
        extra=extra,
    )


cost("lambda pairs: pairs.distance - 9", "instance '1': the pair ('b', 'b') has the cost -9.0",
    "number ≥ 0")
cost("lambda pairs: pairs.distance * np.nan", "instance '1': the pair ('b', 'b') has the cost nan")
cost("lambda pairs: pairs.distance * 0 - np.inf", "the cost -inf", extra=", signed=True")
cost("lambda pairs: np.ones(1)", "must return one number per pair (3,), got shape (1,)")
cost("lambda pairs: 3", "must return one number per pair (3,), got shape ()")
cost("lambda pairs: np.array(['x'] * 3)", "<lambda> must be a number ≥ 0, got array(['x'")
cost("lambda pairs: pairs.distance * 1j", "<lambda> must be a number ≥ 0, got array([0.+0.j")
cost("lambda pairs: pairs.x", "<lambda> failed: AttributeError", "p.py:5")
cost("lambda pairs: pairs.distance + 1e90", "more than the solver can carry exactly")
cost("lambda pairs: pairs.distance + 1e300", "has the cost 1e+300 from <lambda>; a cost must be")
cost("CostMatrix(np.ones((2, 2)))", "expected a 5 × 5 cost matrix, got shape (2, 2)")
cost("CostMatrix(-np.ones((5, 5)))",
    "instance '1': the pair ('b', 'b') has the cost -1.0 from CostMatrix")
cost("CosineDistance(np.ones((2, 2)))", "expected one vector per class (5), got 2")
cost("CosineDistance(np.full((5, 2), np.nan))", "class vectors must be finite")
cost("DecayedEdges(0)", "w0 must be in (0, 1], got 0")
cost("DecayedEdges(1, 'median')", "depth must be one of 'min', 'max', 'mean', 'sum', got 'median'")


def formula(name, body, *says):
    plugin(f"formula {name}", "from hierpair import *\n@set_measure(formula='', source='', direction='lower', "
           f"range='')\ndef mine(n_true):\n    return {body}\n", MINE, *says)  # fmt: skip


formula("fails", "1 / 0", "its formula failed: ZeroDivisionError", "p.py:4")
formula("gives one number", "1", "must give one finite number (or nan) per entry (2,)")
formula("gives a text", "'abc'", "its formula failed: ValueError")
formula("gives infinity", "n_true + float('inf')", "must give one finite number")

# fmt: on
# ------------------------------------------------------------------------------ the tests


def snapshot():
    """All files below the working folder, and what they hold."""
    return {p: p.read_bytes() if p.is_file() else None for p in Path().rglob("*")}


def lay_out(files):
    for name, content in {**BASE, **files}.items():
        if content is FOLDER:
            Path(name).mkdir()
        else:
            Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())


def test_there_are_many_rows():
    assert len(ROWS) > 300


@pytest.mark.parametrize("given", ROWS, ids=lambda r: r.name)
def test_a_broken_input_is_one_message_and_leaves_no_trace(given, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lay_out(given.files)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given.stdin)))
    before = snapshot()
    arguments = shlex.split(given.command)
    if given.code == 2 and arguments and "-o" not in arguments:
        arguments += ["-o", "out.txt"]
    code = main(arguments)
    out, err = capsys.readouterr()
    assert code == given.code, err
    assert snapshot() == before
    for unwanted in ("Traceback", "internal error", " at 0x", "<unknown>", "<frozen"):
        assert unwanted not in err
    if given.code == 2:
        assert out == ""
        lines = err.splitlines()
        assert [line.startswith("hierpair: ") for line in lines].count(True) == 1
        assert lines[-1].startswith("hierpair: ")
        assert len(lines[-1]) < 700
        shown = lines[-1]
    else:
        assert "hierpair: " not in err
        shown = out
    for part in given.says:
        assert part in shown


def start(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "hierpair", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lay_out({})
    return tmp_path


def test_real_standard_input(folder):
    before = snapshot()
    process = start("score", "tree.tsv", "true.tsv", "-", "-o", "out.txt", stdin=subprocess.PIPE)
    out, err = process.communicate(b"1\tb\n2\tcc\n", timeout=60)
    assert (process.returncode, out) == (2, b"")
    assert b"hierpair: -:2, instance '2': class 'cc' is not in the hierarchy" in err
    assert len(err.splitlines()) == 1
    assert snapshot() == before


def test_closed_standard_input(folder):
    process = start("score", "tree.tsv", "true.tsv", "-", stdin=subprocess.DEVNULL)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, b"")
    assert err == b"hierpair: -: the file is empty\n"


@pytest.mark.parametrize("verb", ["measures", "convert tree.tsv true.tsv --to parquet"])
def test_closed_output_pipe(folder, verb):
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [sys.executable, "-m", "hierpair", *verb.split()], stdout=writing, stderr=subprocess.PIPE
    )
    os.close(writing)
    _, err = process.communicate(timeout=60)
    assert b"Traceback" not in err
    assert b"BrokenPipe" not in err
    assert process.returncode == 0


def test_folder_that_cannot_be_written(folder):
    closed = folder / "closed"
    closed.mkdir()
    closed.chmod(0o555)
    if os.access(closed, os.W_OK):  # nothing is closed to root but the kernel's own
        closed = Path("/proc")
    process = start("score", "tree.tsv", "true.tsv", "one.tsv", "-q", "-o", str(closed / "out.txt"))
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, b"")
    assert b"out.txt: cannot be written (" in err
    assert len(err.splitlines()) == 1


ENDLESS = """
import time
from pathlib import Path
from hierpair import Rule, pair_measure

def cost(pairs):
    Path("started").touch()
    for _ in range(600):
        time.sleep(0.1)
    return pairs.distance

@pair_measure
def endless():
    return Rule(cost, ())
"""


@pytest.mark.parametrize(
    ("jobs", "everybody"),
    [
        pytest.param("1", False, id="kill-1"),
        pytest.param("2", True, id="terminal-2"),
        pytest.param("1", True, id="terminal-1", marks=pytest.mark.exhaustive),
        pytest.param("2", False, id="kill-2", marks=pytest.mark.exhaustive),
    ],
)
def test_interrupted_run(folder, jobs, everybody):
    """Ctrl-C reaches all processes of a terminal; kill reaches the first one alone."""
    Path("p.py").write_text(ENDLESS)
    before = snapshot()
    process = start("score", "tree.tsv", "true.tsv", "one.tsv", "--plugin", "p.py", "-m", "endless",
                    "--jobs", jobs, "-o", "out.txt", start_new_session=True)  # fmt: skip
    try:
        end = time.monotonic() + 60
        while not Path("started").exists() and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.3)
        (os.killpg if everybody else os.kill)(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, out) == (130, b"")
    assert err == b"hierpair: interrupted\n"
    assert snapshot() == before | {Path("started"): b""}
