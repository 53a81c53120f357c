"""What the command line says, recorded: files of lines as typed, each with all that came of it.

A session is a line that is run in a folder with the files of :data:`FILES`, or several joined by
``;``, and what it printed, wrote and ended with. A line ``$ … --option`` below it is the same once
more with words added to the first line, or with ``$ … ; --option`` to the last one, and says which
lines of the output went (``-``, their beginnings) and came (``+``).
``python -m tests.cli.sessions VERB …`` writes anew what comes; read the difference before you keep it.
"""

import atexit
import contextlib
import difflib
import io
import json
import os
import re
import shlex
import sys
import tempfile
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np

from hierpair import __version__
from hierpair.cli import main
from hierpair.measures import REGISTRY
from tests.cli.conftest import write
from tests.report.conftest import Page

PAGES = sorted(Path(__file__).with_name("sessions").glob("*.txt"))
MORE = "… "
LONG = re.compile(r"(?<![\w.])\d+\.\d{11,}(?:e[-+]\d+)?")
"""Digits of which the last ones may depend on the processor's logarithms."""


def matrix():
    out = io.BytesIO()
    np.savez(out, m=np.eye(3, dtype=int)[[0, 1, 2, 1, 2]], ids=np.array([*"12345"]))
    return out.getvalue()


TABLES = """
t r_a r_b a_c a_d
y 1_c 2_b 3_d 4_b 5_a
p 1_a 2_b 3_d 4_c 5_b
q 1_c 2_b 3_a 4_b 5_a
few 1_a 2_b
none 1_zz
two 1_b|d 2_c 3_d 4_b 5_a
semi 1_c;b 2_b 3_d 4_b 5_a
paths 1_r/a/c 2_r/b 3_r/a/d 4_r/b 5_r/a
sea 1_sea 2_b 3_d 4_b 5_a
names sea_c
long 1_c 2_b 3_d 4_b 5_a 1_b
known 1_a 2_a 3_b 4_a 5_a
s 1_a_0.5 2_b_0.25 3_d_0.75 4_a_0.5 5_a_1
d 1_c_0.6 1_d_0.4 2_a_0.35 2_c_0.33 2_d_0.32
nodes 1_a_0.7 2_a_0.5 1_c_0.6 1_d_0.4
w r_0 a_0 b_2 c_0.5 d_0
g r_x a_x b_y c_x d_x
some a b c
cols c b d
arrows r>a>c r>a>d r>b
codes a b c d acd
cycle r_a r_b a_c a_d c_a
swapped c_r a_r b_r d_r
ranks.csv order,family,genus a,c,d b,,
t.csv parent,child,up,down r,a,r,a r,b,r,b a,c,r,c a,d,r,b
l.csv id,labels,other,day,key,l1,l2 1,c,b,x,1,b,c 1,b,b,y,2,a,c 3,d,b,x,3,a,d 4,b,b,x,4,b,b 5,a,b,x,5,a,a
p.csv id,label,score,how 1,a,5,1 2,b,4,2 3,d,3,3 4,c,2,4 5,b,1,5
table.csv id,truth,one,true 1,c,a,b 2,b,b,b 3,d,d,b 4,b,c,b 5,a,b,b
texts.csv id,text,more 1,u,w 2,v,x
dag r_a r_b a_c a_d b_d b_e c_f d_g e_g e_h
gold 1_f 2_g 3_h 4_c 5_d 6_e 7_f|h 8_g 9_a 10_b 11_c|e 12_h
ann 1_f 2_d 3_h 4_c 5_g 6_e 7_f|h 8_g 9_a 10_e 11_c 12_h
bob 1_c 2_g 3_e 4_f 5_d 6_h 7_f 8_e 9_c 10_b 11_c|e 12_b
eve 1_h 2_a 3_f 4_b 5_c 6_d 7_g 8_a|h 9_b 10_b 11_ 12_e
gone 1_a 3_h 7_h 11_c
inner a b d e
unseen 1_c 2_zz 3_zz|d 4_b 5_a
doubled 1_cc 2_bb 3_dd 4_bb 5_aa
sides r_x a_x b_y c_x d_x e_y f_x g_y h_y
ways r/a/c r/a/d r/b
heavy parent_child_weight r_a_1 r_b_2 a_c_3 a_d_4
wide r_a_b a_c_d
tree.json {"r":{"a":["c","d"],"b":null}}
up.json {"a":"r","b":"r","c":"a","d":"a"}
many.json {"r":["a","b"],"a":["c","d"]}
island.json {"a":"r","c":"a","lone":null}
nodes.dmp 1_|_1_|_root_| 2_|_1_|_genus_| 7_|_2_|_species_|
some.tsv id_labels_kind 1_c|b_x 2__y 3_d_x
lines c b,d a r
some.jsonl {"id":"1","labels":["c","b"]} {"id":"2","labels":[]} {"id":"3","labels":"d"}
scores.jsonl {"id":"1","scores":{"c":0.5,"b":0.25}} {"id":"2","scores":{}}
both/1.csv id,truth,ann,bob 1,f,f,c 2,g,d,g 3,h,h,e 4,c,c,f 5,d,g,d 6,e,e,h
both/2.csv id,truth,ann,bob 7,f|h,f|h,f 8,g,g,e 9,a,a,c 10,b,e,b 11,c|e,c,c|e 12,h,h,b
days/1.tsv id_labels 1_f 2_d 3_h 4_c 5_g
days/2.tsv id_labels 6_e 7_f|h 8_g 9_a 10_e 11_c 12_h
net r_a r_b a_c a_d b_e b_f c_g e_g f_h
ny 1_g 2_d 3_h 4_e 5_c|f 6_a 7_g|d 8_b 9_h 10_c 11_e|d 12_f
n1 1_g 2_d 3_h 4_e 5_c|f 6_a 7_g 8_f 9_h 10_c 11_e 12_f
n2 1_c 2_d 3_f 4_g 5_c 6_a 7_d 8_b 9_h 10_d 11_e 12_e
n4 1_b 2_a 3_b 4_b 5_b 6_a 7_a 8_b 9_b 10_a 11_b 12_b
n3 1_h 2_e 3_a 4_d 5_g 6_b 7_f 8_a 9_c 10_h 11_c 12_d
leaves 1_c_0.5 1_d_0.3 1_b_0.2 2_b_0.6 2_c_0.4 3_c_0.7 3_d_0.3 4_b_0.9 4_d_0.1 5_d_0.8 5_b_0.2
plus =u_c_1 =v_sea_1
parts.csv id,label,score,q,day,key 1,c,0.9,0.1,x,2 1,b,0.6,0.8,y,2 2,b,0.7,0.5,x,1 3,a,0.6,0.5,x,3 4,c,0.8,0.5,x,4 5,a,0.5,1,x,5
cases.jsonl {"id":"1","scenarios":[{"p":0.75,"labels":["c","b"]},{"p":0.25,"labels":["d"]}]} {"id":"2","scenarios":[{"p":1,"labels":[]}]}
web r_a r_b a_c a_d b_d b_e d_f d_g e_g e_h
wy 1_c|g 2_f 3_h 4_d|e 5_g 6_c 7_a|f|h 8_b 9_f|g|c 10_e 11_h|c 12_g|f
w1 1_c 2_g 3_e 4_f|h|c 5_f|c 6_a 7_c|d|e|g 8_h 9_d 10_f 11_g|f 12_e|d
w2 1_c|h 2_f|g 3_h 4_d 5_d 6_c|e 7_f|h 8_b 9_f|c|e 10_h 11_c 12_f|g
skip 4_f 7_d 9_g
deep r_a a_b b_c
bill true_predicted_cost f_d_2.5 g_d_1.25 c_d_4
full 1_a|c 2_b 3_a|d 4_b 5_a
@p 1_a 2_b 3_d 4_c 5_b
"""
"""The name of a file and its lines; ``_`` is a tab."""

OBO = "".join(f"[Term]\nid: {c}\nname: {c}{c}\nnamespace: {space}\n{x}\n" for c, space, x in (
    ("r", "x", ""), ("a", "x", "is_a: r"), ("b", "y", "is_a: r"), ("d", "x", "is_a: a"),
    ("c", "x", "is_a: a\nrelationship: part_of b")))  # fmt: skip
FILES = {"obo": OBO, "lost": f"{OBO}is_a: z\n", "m.npz": matrix(), "boom.py": "\nraise OSError(3)\n",
         "rcv1": "parent: None child: r child-description: R\nparent: r child: a child-description: A\n", "e.toml": (
    'hierarchy = "t"\ntruth = "y"\nmeasures = ["hp"]\n[systems]\nz = "q"\np = "p"\n[compare]\nalpha = 0.5\n')}  # fmt: skip
FILES["c.toml"] = """
hierarchy = "t"
truth = "y"
systems = {p = "p", q = "q", few = "few"}
claims = [
  {system = "p", measure = "hf", value = "0.53", where = "Table 1"},
  {system = "q", measure = "subset_accuracy", value = "99.0", unit = "%"},
  {system = "few", measure = "hf", value = "0.2"},
  {measure = "holds(identity, f)", value = "1"},
  {measure = "fails(add_wrong, gie)", value = "0"},
]
"""
FILES["rules.py"] = """
from hierpair import *
from hierpair.pairing import *

one = tuple(x for side in ("predicted", "true") for x in (Degree(side, 1, 1), Unmatched(side, 5)))

def rule(name, summary, cost, *constraints):
    def mine():
        return Rule(cost, constraints)
    mine.__name__, mine.__doc__ = name, summary
    pair_measure(source="here")(mine)

def wrong(pairs):
    return (pairs.predicted != pairs.true).astype(int)

rule("levels", "One pair for each level.", Hops(), *one, Groups("true", by_level, upper=1))
rule("named", "Pairs by name.", Hops(), *one, Forbid([("d", "f")]), Require([("d", "c")]))
rule("turns", "Exact matches first.", Lexicographic((wrong, Hops())), *(x for side in (
    "predicted", "true") for x in (Degree(side, 1, 1), Unmatched(side, (1, 5)))))
rule("fair", "Nothing dearer than need be.", Bottleneck(Hops()), *one)
rule("moved", "Even shares, little at a time.", Hops(), *(x for side in ("predicted", "true") for x in (
    Mass(side, 1, share=True), Unmatched(side, 3))), Capacity(0.25))
rule("rising", "Every further partner costs more.", Hops(), Degree("true", 1, 1), Unmatched("true", 5),
    CountCost("predicted", (0, 0, 1, 3)), Cardinality(1, 2, over=0.5))
rule("kinds", "One partner at every level.", Hops(), Degree("true", 1, 1), Unmatched("true", 5),
    Groups("predicted", by_level, upper=1, of="partners"))
rule("strict", "Three pairs.", Hops(), Degree("predicted", 0, 1), Degree("true", 0, 1), Cardinality(3))

@pair_measure
def desk() -> NetworkRule:
    "A second look at every predicted label costs 3."
    def write(pairs, net):
        labels = pairs.labels("predicted")
        out, look = (net.nodes(len(labels.ptr) - 1, name) for name in ("source", "desk"))
        own = net.nodes(labels.instance, "label")
        net.supply(out, labels.ptr[1:] - labels.ptr[:-1])
        net.supply(look, labels.ptr[:-1] - labels.ptr[1:])
        net.arcs(out[labels.instance], own, says="{} is there", of=labels)
        net.arcs(own, look[labels.instance], cost=3, says="second look at {}", of=labels)
    return NetworkRule(write)
"""
for name, *rows in map(str.split, TABLES.strip().splitlines()):
    FILES[name] = "\n".join(rows).replace("_", "\t") + "\n"


def blocks(page: Path) -> list[str]:
    """Return the parts of a page: a line that is typed first, and all that follows from it."""
    return re.split(f"(?m)^(?=[$] (?!{MORE}))", page.read_text("utf-8"))[1:]


def said(block: str) -> str:
    """Return what a block says when its lines are run now."""
    first, *more = re.findall(r"(?m)^[$] (.*)$", block)
    line, *then = first.split(" ; ")
    plain = ended(first)
    parts = [f"$ {first}", *plain]
    for words in more:
        added, last = words.removeprefix(MORE), words.startswith(f"{MORE};")
        found = ended(f"{first}{added[1:]}" if last else " ; ".join([f"{line} {added}", *then]))
        changes = [*difflib.unified_diff(plain, found, n=0, lineterm="")][2:]
        parts += [f"$ {words}", *(x if x[0] == "+" else begun(x) for x in changes if x[:2] != "@@")]
    return "".join(f"{line}\n" for line in parts)


def begun(line: str) -> str:
    """Return how a line begins that stands above as a whole."""
    return line if len(line) <= 40 else f"{line[:39].rstrip()}…"


SLOW_CHARTS = patch("hierpair.report.tables.find_spec", lambda name: None)
OWN = patch.dict(REGISTRY)  # what a --plugin declares is gone afterwards
NO_DATA = patch.dict(os.environ, {"HIERPAIR_DATA": "", "COLUMNS": ""})


@cache
def contents() -> dict[str, bytes]:
    """Return what the files hold."""
    return {name: x if isinstance(x, bytes) else x.encode() for name, x in FILES.items()}


@cache
def folder() -> str:
    """Return a folder with the files, which is gone at the end."""
    held = tempfile.TemporaryDirectory()
    atexit.register(held.cleanup)
    with contextlib.chdir(held.name):
        write(FILES)
    return held.name


def states() -> dict[str, tuple[int, ...]]:
    """Return what tells whether a file of this folder was written, for all that are in it."""
    paths = (Path(at, x) for at, _, files in os.walk(".") for x in files)
    seen = ((str(path), path.stat()) for path in paths)
    return {path: (x.st_ino, x.st_mtime_ns, x.st_size) for path, x in seen}


def ended(line: str) -> list[str]:
    """Return what comes of a line: what is printed, errors after ``!``, files after ``>``."""
    said, known = list[str](), contents()
    with contextlib.chdir(folder()), SLOW_CHARTS, NO_DATA, OWN:
        before = states()
        for command in line.split(" ; "):
            out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = main(shlex.split(command))
            out.flush()
            said += [f"! {text}" for text in err.getvalue().splitlines()]
            said += [f"! exit code {code}"] * (code != 0)
            said += as_lines(
                out.buffer.getvalue(), "report.html" if command.startswith("report ") else ""
            )
        now = states()
        for name in sorted(x for x in now if now[x] != before.get(x)):
            said += [f"> {name}", *as_lines(Path(name).read_bytes(), Path(name).name)]
            Path(name).unlink()
        write({name: known[name] for name in known if now.get(name) != before[name]})
        for path, _, _ in os.walk(".", topdown=False):
            if path != "." and not any(Path(path).iterdir()):
                Path(path).rmdir()
    whole = "\n".join(said).replace(__version__, "VERSION")
    whole = re.sub(r"… \(\d+ in all\)", "…", whole)  # other tests may have options of their own
    return [x.rstrip() for x in LONG.sub(lambda x: f"{float(x[0]):.10g}", whole).split("\n")]


def as_lines(content: bytes, name: str) -> list[str]:
    """Return the lines of a text, or the texts of a picture or page."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return ["(not text)"]
    found = list[str]()
    if name == "report.html" and text:
        found = data_of(Page(text))
    if name.endswith((".svg", ".html")):
        found += [x for x in re.findall("<!-- (.*?) -->", text) if re.search("[a-z]", x)]
        text = re.sub(r"<dc:title>Matplotlib.*", "", text)
        text = re.sub(r"(?s)<(script|style)\b.*?</\1>", "", text)
        text = re.sub(r"\s*(<[^>]*>\s*)+", "\n", text).strip()
    return text.splitlines() + found


def data_of(page: Page) -> list[str]:
    """Return what the script of a report reads, a line for each thing; of pictures the titles."""
    data = page.data
    if data["comparison"]:
        del data["comparison"]["notes"], data["comparison"]["signature"]  # they stand above
    found = [f"{name}: {dumps(value)}" for name, value in data.items()
             if name not in ("version", "measures", "title", "absent", "tables", "systems")]  # fmt: skip
    for table in data["tables"]:
        rows = [table["header"], *table["rows"]]
        found += [f"{table['id']}: {table['title']}", *map(" | ".join, rows), table["note"] or "-"]
    for name, value in page.sections.items():
        if name != "instances":
            found.append(f"{name}: {dumps(value)}")
            continue
        found += [*map(dumps, value["lists"]), value["note"]]
        for row in value["rows"]:
            told = row.pop("explained")
            found.append(dumps(row))
            for of, why in told.items():
                tables = [table["rows"] for table in why["tables"]]
                titles = [title for title, _ in why["drawings"]]
                found.append(f"{of}: {dumps([why['value'], tables, titles])}")
    return found


def dumps(value) -> str:
    """Return JSON of which the numbers have as many digits as all others."""
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    for page in PAGES:
        if page.stem in (sys.argv[1:] or page.stem):
            text = "".join(map(said, blocks(page)))
            page.write_text(text, "utf-8")
