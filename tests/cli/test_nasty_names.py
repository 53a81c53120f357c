"""Names that steer terminals, break rows or run in spreadsheets, in every form of output."""

import csv
import html
import io
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from hierpair.tables import spreadsheet_safe

from .conftest import write

NASTY = ["a\nb", "a\r\nb", "\x1b[31mred", "<script>x</script>", "a|b", "`x` [l](http://y) *z*", "a&lt;b",
         "a\x07\x9b", "\u202eabc", "=1+1", "@x", "a\\b_%$#{}~^", "x\u2028y", "tab\tin"]  # fmt: skip
NAMES = [x.strip() for x in NASTY]


@pytest.fixture(autouse=True)
def folder(run):
    """Labels, probabilities, scores and claims, all with these names."""
    n = len(NASTY)

    def lines(record):
        return "\n".join(json.dumps({"id": f"i{x}"} | record(k)) for k, x in enumerate(NASTY))

    systems = "".join(f'{json.dumps(f"s{x}")} = "p.jsonl"\n' for x in NAMES)
    claims = "".join(f'[[claims]]\nsystem = {json.dumps(f"s{x}")}\nmeasure = "hf"\nvalue = "0.1"\n'
                     f"where = {json.dumps(x)}\n" for x in NAMES)  # fmt: skip
    write({
        "t.json": json.dumps([["r", x] for x in [*NASTY, "plain"]]),
        **{f"{side}.jsonl": lines(lambda k, step=step: {"labels": [NAMES[(k + step) % n]]})
           for step, side in enumerate("ypq")},
        "s.jsonl": lines(lambda k: {"scores": {NAMES[k]: 0.75, NAMES[k - 1]: 0.25}}),
        "d.jsonl": lines(lambda k: {"scenarios": [{"labels": [NAMES[k]], "p": 0.75},
                                                  {"labels": [NAMES[k - 1]], "p": 0.25}]}),
        "claims.toml": f'hierarchy = "t.json"\ntruth = "y.jsonl"\n[systems]\n{systems}{claims}',
    })  # fmt: skip


BOTH = ["t.json", "y.jsonl", "s\x1b[1m=p.jsonl", "@1=q.jsonl"]
QUICK = ["-m", "hf", "--permutations", "20", "--bootstrap", "20"]
TABLES = "text markdown latex csv tsv json"
VERBS = {
    "score": (["score", *BOTH, "-m", "hf"], TABLES),
    "per instance": (["score", *BOTH, "-m", "hf", "--per-instance"], "text csv tsv json"),
    "compare": (["compare", *BOTH, *QUICK], TABLES),
    "differ": (["compare", *BOTH, "-m", "hf", "--differ", "s\x1b[1m,@1"], TABLES),
    "explain": (["explain", *BOTH, "-m", "hf"], "text json"),
    "check": (["check", *BOTH], TABLES),
    "decode": (["decode", "t.json", "d.jsonl", "-m", "hf"], "text csv tsv jsonl"),
    "verify": (["verify", "claims.toml"], TABLES),
    "curve": (["curve", *BOTH[:2], "s\x1b[1m=s.jsonl", "@1=s.jsonl"], TABLES),
    "preset": (["score", *BOTH, "--preset", "hemkit"], TABLES),
}
SLOW = [("verify", fmt) for fmt in ("text", "latex", "tsv", "markdown", "json")]
"""Claims that are not met are tried under all conventions."""


@pytest.mark.parametrize(("verb", "fmt"), [
    pytest.param(verb, fmt, marks=pytest.mark.exhaustive if (verb, fmt) in SLOW else ())
    for verb, (_, forms) in VERBS.items() for fmt in forms.split()
])  # fmt: skip
def test_every_verb_in_every_form(run, verb, fmt):
    line = [*VERBS[verb][0], "--format", fmt]
    code, out, err = run(line, code=None)
    assert "\x1b" not in err
    if verb == "decode" and fmt != "jsonl":  # files that are read again
        assert code == 2
        assert ", which this form cannot hold" in err
        return
    assert code in (0, 1), err
    if fmt in ("text", "markdown", "latex"):
        assert all(c.isprintable() or c == "\n" for c in out)
    if fmt == "json":
        json.loads(out)
    if fmt in ("csv", "tsv"):
        assert len({len(row) for row in cells(out, fmt)}) == 1
        safe = cells(run([*line, "--csv-safe"], code=code).out, fmt)
        assert len(safe) == len(cells(out, fmt))
        assert not any(re.match(r"[=@\t\r]", c) for row in safe for c in row)


def cells(text, fmt):
    return list(csv.reader(io.StringIO(text, newline=""), delimiter="," if fmt == "csv" else "\t"))


def test_spreadsheets_run_nothing():
    for form in "=+-@":
        number = f"{form}1" if form in "+-" else f"'{form}1"
        assert spreadsheet_safe(f"a,b\n{form}x,{form}1") == f"a,b\n'{form}x,{number}"


PICTURES = {
    "pairing": ["explain", *BOTH[:2], "p.jsonl", "-m", "gie", "--worst", "14"],
    "curve": ["curve", *BOTH[:2], "s\x1b[1m=s.jsonl", "<script>=s.jsonl"],
}


@pytest.mark.parametrize("kind", PICTURES)
def test_pictures_are_sound_and_hold_whole_names(run, kind):
    pytest.importorskip("matplotlib")
    run([*PICTURES[kind], "--picture", "x.svg", "-q"])
    text = Path("x.svg").read_bytes().decode()
    assert all(c.isprintable() or c == "\n" for c in text)
    root = ET.fromstring(text, ET.XMLParser(target=ET.TreeBuilder(insert_comments=True)))
    assert root.tag.endswith("svg")
    assert not any(e.tag.endswith("script") for e in root.iter() if isinstance(e.tag, str))
    written = html.unescape("\n".join(e.text for e in root.iter() if e.tag is ET.Comment))
    for name in NAMES if kind == "pairing" else ["<script>"]:
        shown = "".join(c if c.isprintable() else " " for c in name.replace("\u202e", ""))
        assert all(part in written for part in shown.split()), name
