"""Every option of every verb changes something, and is by default what the function takes by default."""

import inspect
import io
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import hierpair as hp
from hierpair.cli.main import VERBS
from hierpair.labels import information_accretion
from hierpair.probabilistic import pooled_curve
from hierpair.report import report_html

FUNCTIONS = {
    "score": [hp.score], "partial": [hp.evaluation.partial], "compare": [hp.compare, hp.comparison.differ],
    "report": [report_html, hp.compare], "explain": [hp.explain], "curve": [pooled_curve],
    "decode": [hp.decode, hp.read_distribution], "weights": [information_accretion], "check": [], "convert": [],
    "measures": [hp.advise], "examine": [hp.examine, hp.respond],
}  # fmt: skip
CALLED = {"jobs": "n_jobs", "top": "k", "bootstrap": "n_bootstrap", "hierarchy_format": "fmt",
          "distribution_format": "fmt", "names": "", "threshold": ""}  # fmt: skip


@pytest.mark.parametrize("verb", FUNCTIONS)
def test_a_default_is_that_of_the_function(verb):
    for entry in VERBS[verb].entries.values():
        for function in (*FUNCTIONS[verb], hp.read_hierarchy, hp.read_labels):
            known = inspect.signature(function).parameters
            found = known.get(CALLED.get(entry.name, entry.name))
            if found is not None and entry.default not in (None, False, "yes"):
                assert (entry.name, entry.default) == (entry.name, found.default)


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
"""
"""The name of a file and its lines; ``_`` is a tab."""

OBO = "".join(f"[Term]\nid: {c}\nname: {c}{c}\nnamespace: {space}\n{x}\n" for c, space, x in (
    ("r", "x", ""), ("a", "x", "is_a: r"), ("b", "y", "is_a: r"), ("d", "x", "is_a: a"),
    ("c", "x", "is_a: a\nrelationship: part_of b")))  # fmt: skip
FILES = {"obo": OBO, "lost": f"{OBO}is_a: z\n", "m.npz": matrix(), "e.toml": (
    'hierarchy = "t"\ntruth = "y"\nmeasures = ["hp"]\n[systems]\nz = "q"\np = "p"\n')}  # fmt: skip
for name, *rows in map(str.split, TABLES.strip().splitlines()):
    FILES[name] = "\n".join(rows).replace("_", "\t") + "\n"

LINES = """
score t y p q -m hf | set root=include | measures hp | fail-under hf=1 | sort hf | percent | transpose | rename hf=other
score t y p q -m hf | signatures | digits 2 | per-instance | quiet | output o | format csv | jobs 0 | classes some | ignore known
score t y p q -m hf | hierarchy-format paths | direction child-to-parent | label-format lines | plugin p.py | hierarchy-separator :
score t y p q -m gie | fail-over gie=0 | values v | by level
score t y p q | preset hemkit
score t y s --preset cafaeval | by g | weights w
score t y few -m hf | missing empty
score t y none -m hf | unknown drop
score t two p -m tree_induced_error | on-infeasible nan
score t y few -m hf --values v | missing empty
score t y none -m hf --missing empty --values v | unknown drop
score t two p -m tree_induced_error --values v | on-infeasible nan
score t y p -m hf --values v | set root=include | ignore known | classes some
score t y p -m hf --values v --ignore known | ignore-ancestors no
score t y p q -m hf --format latex | caption x | label x
score t y p q -m hf --ignore known | ignore-ancestors no
score -m hf | case kosmopoulos2014-figure11a | config e.toml
score -m hf --case germeval2019-a | data no
score obo y p -m hf | relations part_of | namespace x
score lost y p -m hf | undefined drop
score t.csv y p -m hf | parent-column up | child-column down
score ranks.csv y p -m hf | hierarchy-levels order,genus
score arrows y p -m hf | hierarchy-separator >
score codes y p -m hf --hierarchy-format codes --roots any | hierarchy-widths 1,1,1
score t sea p -m hf | other-names names
score swapped y p -m hf | roots any
score cycle y p -m hf | break-cycles depth-first
score t y l.csv -m hf | id-column l:key
score t y l.csv -m hf --id-column l:key | label-column l:other | where l:day=x
score t l.csv p --id-column truth:key --label-column truth:l1 --label-column truth:l2 -m hf | each-level
score t table.csv -m hf | truth-column true | system-columns true
score t semi p -m hf | separator truth:;
score t paths p -m hf | paths truth:/
score t long p -m hf | rows truth:label | label-format truth:long
score t long long -m hf | long
score t y p.csv -m hf | min-score 2.5
score t y p.csv -m hf --min-score 2.5 | score-column how | amounts
score t y m.npz -m hf | columns cols
partial t y few -m hf -o o | missing empty
partial t y none -m hf -o o | unknown drop
partial t two p -m tree_induced_error -o o | on-infeasible nan
partial t y p -m hf -o o --ignore known | ignore-ancestors no
partial t y p -m hf -o o | classes some | direction child-to-parent | label-format lines
partial t y p -m hf -o o | part x | keep-worst 1 | blocks 2 | set beta=2 | ignore known | jobs 0
compare t y p q -m hf -m gie --permutations 20 --bootstrap 20 | pairs | agreement kendall_a | power | vary root=include
compare t y p q -m hf -m gie --permutations 20 --bootstrap 20 | differ p,q | view intervals | test sign | level 0.5
compare t y p q -m hf -m gie --permutations 20 --bootstrap 20 | correction bonferroni | alpha 0.5 | seed 3 | family all | interval bca
compare t y p q -m hf -m gie --permutations 20 --bootstrap 20 | permutations 9 | bootstrap 9 | baseline p
compare t y p q -m hf -m gie --permutations 20 --bootstrap 20 | runs A=p,q | fail-under hf=1 | jobs 0 | signatures
compare t y p few -m hf --bootstrap 9 --permutations 9 | missing empty
compare t y p none -m hf --bootstrap 9 --permutations 9 | unknown drop
compare t two p q -m tree_induced_error --bootstrap 9 --permutations 9 | on-infeasible nan
compare t y p q -m hf --bootstrap 9 --permutations 9 | classes some | direction child-to-parent | set beta=2
compare t y p q -m hf --bootstrap 9 --permutations 9 --ignore known | ignore-ancestors no
compare t y p q -m hf -m gie --bootstrap 9 --agreement | of instances
compare t y p q -m hf -m gie --bootstrap 9 --agreement --of instances --format json | agreement spearman
compare t y p q -m hf --bootstrap 9 --permutations 9 --power --format json | sizes 2,3 | seed 3 | alpha 0.9 | bootstrap 20
compare t y p q -m hf --differ p,q --format latex | top 1 | caption x | digits 1 | format csv
compare t y p q -m hf --permutations 9 --bootstrap 9 --format latex | intervals | caption x | label x
compare t y p q -m hf --vary root=include | measures gie
compare t y p q -m hf -m hp --bootstrap 9 --permutations 9 --format latex --agreement spearman | caption x | label x
compare t y p q -m hf -m hp --format latex --sensitivity | caption x | label x
compare t y p q -m hf --bootstrap 9 --permutations 9 --pairs --format latex | effect cliffs_delta | caption x | label x | rename p=x
score t y p q --preset hemkit --format latex | caption x | label x
report t y p q -m hf --permutations 9 --bootstrap 9 --no-sensitivity | title x | worst 1 | texts texts.csv | runs A=p,q | seed 3
report t y p q -m hf --no-sensitivity --texts texts.csv | text-column more
explain t y p q -m gie | instance 2 | worst 2 | system q | picture x.svg | digits 1 | format json | set default=2 | measures hf
explain t y p q -m gie --picture x.svg | view hierarchy
explain obo y p q -m gie | names ids | names names
explain t y few | missing empty
explain t y none | unknown drop
explain t y p -m hf | ignore known | direction child-to-parent
explain t y p -m hf --instance 3 | classes some
explain t y p -m hf --ignore known | ignore-ancestors no
curve t y s | average micro | beta 2 | root include | closure none | step 0.3 | weights w | norm gt | by g | picture x.svg | digits 2
curve t y s --weights w | zero-weight count | beta 2 | by g
curve t y s --preset cafaeval | norm gt | closure fill | by g | weights w | digits 2
curve t y s | rule climb
curve t y s | ignore known | classes some | direction child-to-parent
curve t y s --ignore known --root include | ignore-ancestors no
curve t none s | unknown drop
decode t d -m hf | labels one | over nodes | distribution-format jsonl | set beta=2 | digits 1 | format csv | labels path | measures gie
decode t d | rule climb | measures gie
decode t d --rule climb | threshold 0.7 | threshold 1=0.9
decode t nodes -m hf --over nodes | excess rescale
decode t d -m hf --over nodes | closure max | closure min
decode t d -m hamming_loss --over scores | closure max
check t y p | names | format json | quiet | direction child-to-parent
check t long p | rows truth:label
check cycle y p | break-cycles depth-first
check t none p | names
verify t y p -m hf --value 0.6 | value 0.7 | format csv
verify kosmopoulos2014-figure11a | list | open
convert t y | to table | to jsonl
convert t none --to table | unknown drop | label-format lines
weights t y | kind ic | smooth 0 | by g
weights t none | unknown drop
measures | for | measures hf
measures --for t y --scope 2 --samples 0 | need silence | scope 1 | samples 9 | measures hf | jobs 0
measures --for t none --scope 2 --samples 0 | unknown drop
measures --for t y --scope 1 --samples 9 | seed 3
examine hf --scope 2 --samples 0 | property add_wrong | scope 1 | samples 9 | list | jobs 0
examine hf --property flood --scope 1 --samples 9 | seed 3
examine mgia --property add_wrong --scope 3 --samples 0 | fail-if-violated add_wrong | picture x.svg
examine t y gie --only-labels | steps up1 | rounds 2 | seed 3 | picture x.svg | format csv
examine t y gie --only-labels --steps up1 --rounds 1 | ignore known | classes some | direction child-to-parent
examine t none gie --only-labels --steps up1 --rounds 1 | unknown drop
examine t y gie --property add_wrong --scope 1 --samples 0 | steps up1
"""
"""A line and options, each of which changes what comes of it."""

ELSEWHERE = "sensitivity no-sensitivity fail-if-worse csv-safe debug engine scheduler workers risk limit-seconds strict only-labels"


@pytest.mark.parametrize("row", LINES.strip().splitlines())
def test_every_option_changes_something(run, row, monkeypatch):
    monkeypatch.setattr("hierpair.report.tables.find_spec", lambda name: None)  # slow charts

    def ended(line):
        for path in {*Path().iterdir()} - {*map(Path, FILES)}:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        said = run(line, code=None, files=FILES)
        said = said._replace(
            out=re.sub(r"(?m)^(curve|compare)\(.*$", "", said.out)
        )  # what was asked for
        return said, {p: p.read_bytes() for p in Path().rglob("*") if p.is_file()}

    line, *options = row.split(" | ")
    plain = ended(line)
    for option in options:
        found = ended(f"{line} --{option.replace(' ', '=', 1)}")
        assert found != plain, option
        assert "there is no option" not in found[0].err


def test_no_option_is_left_out():
    """Others are tested elsewhere: they need a cluster, a slow solver, odd names, or what ends a run."""
    tried = re.findall(r" [|] ([\w-]+)", LINES)
    every = {e.word for verb in VERBS.values() for e in verb.entries.values()}
    assert every - {f"--{x}" for x in tried} == {f"--{x}" for x in ELSEWHERE.split()}
