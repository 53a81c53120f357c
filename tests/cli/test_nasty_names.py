"""Names that steer terminals, break rows or run in spreadsheets, in every form of output."""

import csv
import html
import io
import json
import re
import xml.etree.ElementTree as ET

import pytest

from hierpair.cli import main
from hierpair.tables import spreadsheet_safe, text_table
from hierpair.tables.forms import latex_table, markdown_table
from hierpair.tables.records import Block

NASTY = ["a\nb", "a\r\nb", "\x1b[31mred", "<script>x</script>", "a|b", "`x` [l](http://y) *z*", "a&lt;b",
         "a\x07\x9b", "\u202eabc", "=1+1", "@x", "a\\b_%$#{}~^", "x\u2028y", "tab\tin"]  # fmt: skip
VERBS = {
    "score": ["score"],
    "per instance": ["score", "--per-instance"],
    "compare": ["compare", "--permutations", "20", "--bootstrap", "20"],
    "sensitivity": ["compare", "--vary", "root=include"],
    "differ": ["compare", "--differ"],
    "explain": ["explain"],
    "check": ["check"],
}


@pytest.mark.parametrize("name", NASTY, ids=repr)
def test_a_row_stays_a_row(name):
    rows = [[name, "1"], ["plain", "2"]]
    text = text_table(["n", "v"], rows)
    assert len(text.splitlines()) == 3
    assert all(line.isprintable() for line in text.splitlines())
    marked = markdown_table(Block(["n", "v"], rows))
    assert len(marked.splitlines()) == 4
    assert "<" not in marked
    assert marked.splitlines()[2].replace("\\|", "").count("|") == 3
    set_ = latex_table(Block(["n", "v"], rows))
    assert len(set_.splitlines()) == 8
    assert "\x1b" not in marked + set_


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.json").write_text(json.dumps([["r", x] for x in [*NASTY, "plain"]]))
    for name, label in (("y", 0), ("p", 1), ("q", 2)):
        rows = [{"id": f"i{x}", "labels": [NASTY[(i + label) % len(NASTY)].strip()]}
                for i, x in enumerate(NASTY)]  # fmt: skip
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return tmp_path


@pytest.mark.parametrize("fmt", ["text", "markdown", "latex", "csv", "json"])
@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_in_every_form(folder, capsys, verb, fmt):
    words = VERBS[verb]
    files = ["t.json", "y.jsonl", "s\x1b[1m=p.jsonl", "@1=q.jsonl"]
    if verb == "differ":
        words = [*words, "s\x1b[1m,@1"]
    known = main([*words, *files, *(["-m", "hf"] if verb != "check" else []), "--format", fmt])
    out, err = capsys.readouterr()
    assert known in (0, 1) or (verb, fmt) in {(v, f) for v in ("per instance", "explain")
                                             for f in ("markdown", "latex", "csv")} or (
        "cannot read" in err)  # fmt: skip
    assert "\x1b" not in err
    if fmt == "text":
        assert all(c.isprintable() or c == "\n" for c in out)
    if fmt == "json" and known in (0, 1):
        json.loads(out)


def test_messages_spell_out_what_steers_a_terminal(folder, capsys):
    assert main(["score", "\x1b[31mt", "y.jsonl", "p.jsonl"]) == 2
    err = capsys.readouterr().err
    assert "\\x1b[31mt: there is no such file" in err
    assert "\x1b" not in err


def test_spreadsheets_run_nothing(folder, capsys):
    files = ["t.json", "y.jsonl", "x=p.jsonl", "--per-instance", "-m", "hf", "-q"]
    assert main(["score", *files, "--format", "csv"]) == 0
    plain = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert main(["score", *files, "--format", "csv", "--csv-safe"]) == 0
    safe = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert len(plain) == len(safe) == 1 + len(NASTY)
    for form in "=+-@":
        assert spreadsheet_safe(f"a,b\n{form}x,{form}1") == (
            f"a,b\n'{form}x,{form}1" if form in "+-" else f"a,b\n'{form}x,'{form}1"
        )


# ----------------------------------------------------------------------------- other verbs

NAMES = [x.strip() for x in NASTY]
OTHERS = {
    "decode": (["decode", "t.json", "distribution.jsonl", "-m", "hf"], ["text", "csv", "tsv", "jsonl"]),
    "verify": (["verify", "claims.toml"], ["text", "markdown", "latex", "csv", "tsv", "json"]),
    "curve": (["curve", "t.json", "y.jsonl", "s\x1b[1m=s.jsonl", "@1=s.jsonl"],
              ["text", "markdown", "latex", "csv", "tsv", "json"]),
    "preset": (["score", "t.json", "y.jsonl", "s\x1b[1m=p.jsonl", "@1=q.jsonl", "--preset", "hemkit"],
               ["text", "markdown", "latex", "csv", "tsv", "json"]),
}  # fmt: skip


@pytest.fixture
def others(folder):
    """Probabilities, predictions with scores, and claims, all with these names."""
    rows = [(f"i{x}", NAMES[k], NAMES[k - 1]) for k, x in enumerate(NASTY)]
    distribution = [{"id": i, "scenarios": [{"labels": [a], "p": 0.75}, {"labels": [b], "p": 0.25}]}
           for i, a, b in rows]  # fmt: skip
    scored = [{"id": i, "scores": {a: 0.75, b: 0.25}} for i, a, b in rows]
    for name, records in (("distribution", distribution), ("s", scored)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)))
    head = 'hierarchy = "t.json"\ntruth = "y.jsonl"\n[systems]\n'
    systems = "".join(f'{json.dumps(f"s{x}")} = "p.jsonl"\n' for x in NAMES)
    rows = "".join(f'[[claims]]\nsystem = {json.dumps(f"s{x}")}\nmeasure = "hf"\nvalue = "0.1"\n'
                   f"where = {json.dumps(x)}\n" for x in NAMES)  # fmt: skip
    (folder / "claims.toml").write_text(head + systems + rows)
    return folder


SLOW = [("verify", "latex"), ("verify", "tsv")]
"""Claims that are not met are tried under all conventions."""


@pytest.mark.parametrize(
    ("verb", "fmt"),
    [
        pytest.param(verb, fmt, marks=pytest.mark.exhaustive if (verb, fmt) in SLOW else ())
        for verb, (_, forms) in OTHERS.items()
        for fmt in forms
    ],
)
def test_other_verbs_in_every_form(others, capsys, verb, fmt):
    known = main([*OTHERS[verb][0], "--format", fmt])
    out, err = capsys.readouterr()
    if verb == "decode" and fmt != "jsonl":  # files that are read again
        assert known == 2
        assert ", which this form cannot hold" in err
        return
    assert known in (0, 1), err
    assert "\x1b" not in err
    if fmt in ("text", "markdown", "latex") and verb != "decode":
        assert all(c.isprintable() or c == "\n" for c in out)
    if fmt == "json":
        json.loads(out)
    if fmt in ("csv", "tsv"):
        separator = "," if fmt == "csv" else "\t"
        rows = list(csv.reader(io.StringIO(out, newline=""), delimiter=separator))
        assert len({len(row) for row in rows}) == 1
        assert main([*OTHERS[verb][0], "--format", fmt, "--csv-safe"]) == known
        safe = capsys.readouterr().out
        cells = [
            c for row in csv.reader(io.StringIO(safe, newline=""), delimiter=separator) for c in row
        ]
        assert not any(re.match(r"[=@\t\r]", c) for c in cells)


# ----------------------------------------------------------------------------- from Python


# ----------------------------------------------------------------------------- pictures

PICTURES = {
    "pairing": ["explain", "t.json", "y.jsonl", "p.jsonl", "-m", "gie", "--worst", "14"],
    "sets": ["explain", "t.json", "y.jsonl", "p.jsonl", "-m", "hf", "--worst", "14"],
    "graphs": ["explain", "t.json", "y.jsonl", "p.jsonl", "-m", "lca_f", "--worst", "14"],
    "ranks": ["compare", "t.json", "y.jsonl", "s\x1b[1m=p.jsonl", "<script>=q.jsonl", "-m", "hf",
              "--permutations", "20", "--bootstrap", "20"],
    "curve": ["curve", "t.json", "y.jsonl", "s\x1b[1m=s.jsonl", "<script>=s.jsonl"],
}  # fmt: skip


@pytest.mark.parametrize(
    "kind",
    [  # these two draw nothing that the pairing does not
        pytest.param(k, marks=pytest.mark.exhaustive if k in ("sets", "graphs") else ())
        for k in PICTURES
    ],
)
def test_pictures_are_sound_and_hold_whole_names(others, capsys, kind):
    pytest.importorskip("matplotlib")
    assert main([*PICTURES[kind], "--picture", "x.svg", "-q"]) == 0, capsys.readouterr().err
    text = (others / "x.svg").read_bytes().decode()
    assert all(c.isprintable() or c == "\n" for c in text)
    root = ET.fromstring(text, ET.XMLParser(target=ET.TreeBuilder(insert_comments=True)))
    assert root.tag.endswith("svg")
    assert not any(e.tag.endswith("script") for e in root.iter() if isinstance(e.tag, str))
    written = html.unescape("\n".join(e.text for e in root.iter() if e.tag is ET.Comment))
    names = NAMES if kind in ("pairing", "sets", "graphs") else ["<script>"]
    for name in names:
        plain = " ".join(
            "".join(c if c.isprintable() else " " for c in name.replace("\u202e", "")).split()
        )
        for part in plain.split():
            assert part in written, (name, part)
