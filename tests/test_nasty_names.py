"""Names that steer terminals, break rows or run in spreadsheets, in every form of output."""

import csv
import io
import json

import pytest

from hierpair.cli import main
from hierpair.report import latex_table, markdown_table, spreadsheet_safe, text_table

NASTY = ["a\nb", "a\r\nb", "\x1b[31mred", "<script>x</script>", "a|b", "`x` [l](http://y) *z*", "a&lt;b",
         "a\x07\x9b", "\u202eabc", "=1+1", "@x", "a\\b_%$#{}~^", "x\u2028y", "tab\tin"]  # fmt: skip
VERBS = {
    "score": ["score"],
    "per instance": ["score", "--per-instance"],
    "compare": ["compare", "--permutations", "20", "--bootstrap", "20"],
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
    marked = markdown_table(["n", "v"], rows)
    assert len(marked.splitlines()) == 4
    assert "<" not in marked
    assert marked.splitlines()[2].replace("\\|", "").count("|") == 3
    set_ = latex_table(["n", "v"], rows)
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
    files = ["t.json", "y.jsonl", "s\x1b[1m=p.jsonl", "=1+1=q.jsonl"]
    if verb == "differ":
        words = [*words, "s\x1b[1m,=1+1"]
    known = main([*words, *files, *(["-m", "hf"] if verb != "check" else []), "--format", fmt])
    out, err = capsys.readouterr()
    assert known in (0, 1) or (verb, fmt) in {(v, f) for v in ("per instance", "explain")
                                             for f in ("markdown", "latex", "csv")} or (
        "two systems" in err or "cannot read" in err)  # fmt: skip
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
