"""What the command line says, recorded: files of lines as typed, each with all that came of it.

A session is a line that is run in a folder with the files of :data:`FILES`, or several joined by
``;``, and what it printed, wrote and ended with. A line ``$ … --option`` below it is the same once
more with words added to the line, and says which lines of the output went (``-``) and came (``+``).
``python -m tests.cli.sessions VERB …`` writes anew what comes; read the difference before you keep it.
"""

import contextlib
import difflib
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

import numpy as np

from hierpair import __version__
from hierpair.cli import main
from hierpair.measures import REGISTRY
from tests.cli.conftest import write

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
web r_a r_b a_c a_d b_d b_e d_f d_g e_g e_h
wy 1_c|g 2_f 3_h 4_d|e 5_g 6_c 7_a|f|h 8_b 9_f|g|c 10_e 11_h|c 12_g|f
w1 1_c 2_g 3_e 4_f|h|c 5_f|c 6_a 7_c|d|e|g 8_h 9_d 10_f 11_g|f 12_e|d
w2 1_c|h 2_f|g 3_h 4_d 5_d 6_c|e 7_f|h 8_b 9_f|c|e 10_h 11_c 12_f|g
skip 4_f 7_d 9_g
deep r_a a_b b_c
bill true_predicted_cost f_d_2.5 g_d_1.25 c_d_4
many r/a_1_c a_1_c
loop a_b b_c c_a
full 1_a|c 2_b 3_a|d 4_b 5_a
@p 1_a 2_b 3_d 4_c 5_b
"""
"""The name of a file and its lines; ``_`` is a tab."""

OBO = "".join(f"[Term]\nid: {c}\nname: {c}{c}\nnamespace: {space}\n{x}\n" for c, space, x in (
    ("r", "x", ""), ("a", "x", "is_a: r"), ("b", "y", "is_a: r"), ("d", "x", "is_a: a"),
    ("c", "x", "is_a: a\nrelationship: part_of b")))  # fmt: skip
FILES = {"obo": OBO, "lost": f"{OBO}is_a: z\n", "m.npz": matrix(), "e.toml": (
    'hierarchy = "t"\ntruth = "y"\nmeasures = ["hp"]\n[systems]\nz = "q"\np = "p"\n')}  # fmt: skip
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
        found = ended(" ; ".join([f"{line} {words.removeprefix(MORE)}", *then]))
        changes = [*difflib.unified_diff(plain, found, n=0, lineterm="")][2:]
        parts += [f"$ {words}", *(x for x in changes if not x.startswith("@@"))]
    return "".join(f"{line}\n" for line in parts)


SLOW_CHARTS = patch("hierpair.report.tables.find_spec", lambda name: None)
OWN = patch.dict(REGISTRY)  # what a --plugin declares is gone afterwards
NO_DATA = patch.dict(os.environ, {"HIERPAIR_DATA": "", "COLUMNS": ""})


def ended(line: str) -> list[str]:
    """Return what comes of a line: what is printed, errors after ``!``, files after ``>``."""
    said = list[str]()
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place), SLOW_CHARTS, NO_DATA, OWN:
        write(FILES)
        for command in line.split(" ; "):
            out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = main(shlex.split(command))
            out.flush()
            said += [f"! {text}" for text in err.getvalue().splitlines()]
            said += [f"! exit code {code}"] * (code != 0)
            said += as_lines(
                out.buffer.getvalue(), "out.html" if command.startswith("report ") else ""
            )
        for path in sorted(Path().rglob("*")):
            if path.is_file() and str(path) not in FILES:
                said += [f"> {path}", *as_lines(path.read_bytes(), path.name)]
    return [LONG.sub(lambda x: f"{float(x[0]):.10g}", text.replace(__version__, "VERSION")).rstrip()
            for text in said]  # fmt: skip


def as_lines(content: bytes, name: str) -> list[str]:
    """Return the lines of a text, or the texts of a picture or page."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return ["(not text)"]
    if name.endswith((".svg", ".html")):
        text = re.sub(r"(?s)<(script|style)\b.*?</\1>", "", text)
        text = re.sub(r"\s*(<[^>]*>\s*)+", "\n", text).strip()
    return text.splitlines()


if __name__ == "__main__":
    for page in PAGES:
        if page.stem in (sys.argv[1:] or page.stem):
            text = "".join(map(said, blocks(page)))
            page.write_text(text, "utf-8")
