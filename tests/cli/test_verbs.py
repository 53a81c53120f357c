"""What holds of every verb and option: exit codes, streams, forms, endings, help, hostile lines and names."""

import csv
import html
import io
import json
import random
import re
import sys
import xml.etree.ElementTree as ET
from contextlib import nullcontext
from itertools import groupby
from pathlib import Path
from unittest.mock import Mock

import pytest

from hierpair import __version__
from hierpair.cli.main import VERBS, main
from hierpair.cli.options import KINDS
from hierpair.cli.reading import name_of
from hierpair.evaluation import progress
from hierpair.io import LABEL_FORMATS
from hierpair.measures import REGISTRY
from hierpair.tables import FORMS, spreadsheet_safe

from .conftest import write

FILES = {
    "t": "r\ta\nr\tb\na\tc\n", "y": "1\tc\n2\tb\n", "p": "1\ta\n2\tb\n", "q": "1\tc\n2\tb\n",
    "s": "1\ta\t0.5\n2\tb\t0.25\n", "d": "1\ta\t0.6\n1\tb\t0.4\n",
    "table.csv": "id,truth,one\n1,c,a\n2,b,b\n",
    "e.toml": 'hierarchy = "t"\ntruth = "y"\nsystems = {p = "p"}\n',
    "claims.toml": 'hierarchy = "t"\ntruth = "y"\nsystems = {s = "p"}\n[[claims]]\nsystem = "s"\n'
                   'measure = "hf"\nvalue = "0.8333"\n',
}  # fmt: skip
GOOD = {
    "score": "t y p -m hf", "partial": "t y p -m hf", "merge": "z.hp", "report": "t y p -m hf",
    "compare": "t y p q -m hf --permutations 9 --bootstrap 9", "explain": "t y p", "curve": "t y s",
    "decode": "t d -m hf", "check": "t y p", "verify": "claims.toml",
    "convert": "t --to json", "weights": "t y", "measures": "hf",
    "examine": "hf --property flood --scope 2 --samples 0",
}  # fmt: skip
"""A line of every verb that ends well."""

HOSTILE = ("", "--", "-", "x", "0", "-1", "nan", "1e999", "=", ":", "a=", "=b", "a=b", "t", "y:",
           "truth:", "p:x", ",", "a,b", "\x00", "\x1b[31m", "hf(", "hf(beta=", "é" * 400,
           "99999999999999999999", "9223372036854775807", "root=", "beta=x", "/dev/null", ".", "..",
           "z.svg", "[", "{}", "'", "%s", "%", "$HOME", "*", "p.hp", "none.toml", "x" * 100_000)  # fmt: skip
USUAL = ("hf", "json", "csv", "z.svg", "1", "2", "0.5", "id", "label", "root=include", "p", "all",
         "e.toml", "p,q", "hf=0.5")  # fmt: skip
"""Values that some option or other takes."""

SLOW = ("--engine", "--workers", "--scheduler", "--debug", "--for")
LINES = {"score": 110, "compare": 90, "explain": 60, "examine": 40, "check": 40, "report": 8}
"""How many hostile lines of a verb; of the others 20."""

DESCRIBED = "scored on a tree of 4 classes and 3 edges, root 'r', 2 levels below"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(FILES)
    main(["partial", *GOOD["partial"].split(), "--part", "x", "-q", "-o", "z.hp"])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"1\tc\n2\tb\n")))


def entries(verb):
    return {entry.word: entry for entry in VERBS[verb].entries.values()}.values()


def is_one_message(err):
    """An error is one line that is no trace, and not endless; what was said before may stand."""
    errors = [line for line in err.splitlines() if line.startswith("hierpair: ")]
    assert len(errors) == 1, err[:500]
    assert err.splitlines()[-1] == errors[0]
    assert len(errors[0]) < 1500
    for unwanted in ("Traceback", "internal error", "\x1b"):
        assert unwanted not in err


# ------------------------------------------------------------------------------ hostile lines


def words_of(entry, draw):
    """Return an option with a value that it can have, or with one that it cannot."""
    if entry.kind == "switch":
        return [entry.word]
    if entry.choices and draw.random() < 0.8:
        return [entry.word, draw.choice(entry.choices)]
    return [f"{entry.word}={draw.choice(HOSTILE if draw.random() < 0.6 else USUAL)}"]


def lines_of(verb):
    draw = random.Random(verb)
    known = [entry for entry in entries(verb) if entry.word not in SLOW]
    for k in range(LINES.get(verb, 20)):
        line = [verb, *GOOD[verb].split()]
        if k % 7 == 0:  # files that are too many, too few, or strange
            line = line[: draw.randint(1, len(line))]
            line += draw.choices(HOSTILE, k=draw.randint(0, 2))
        for entry in (known[k % len(known)], *draw.choices(known, k=draw.randint(0, 3))):
            line += words_of(entry, draw)
        yield line


@pytest.mark.exhaustive
@pytest.mark.parametrize("verb", GOOD)
def test_no_line_ends_in_an_internal_error(verb, monkeypatch, capfdbinary):
    for line in lines_of(verb):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"1\tc\n2\tb\n")))
        code = main(line)
        err = capfdbinary.readouterr().err.decode()
        assert code in (0, 1, 2), (line, err)
        if code == 2:
            is_one_message(err)


WRONG = {"int": "1.5", "some": "0", "positive": "0", "step": "1", "digits": "101", "float": "x", "numbers": "1,x",
         "pair": "x", "lists": "x", "two": "a,a", "threshold": "hf=nan", "least": "1=0.5,1=0.6"}  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_says_what_its_value_must_be(verb, capsys):
    """Of every kind and choice; without a value, and as a switch with one; ``--`` is a value."""
    good = [verb, *GOOD[verb].split()]
    for entry in entries(verb):
        if entry.kind == "switch":
            wrong, says = [f"{entry.word}=x"], "takes no value"
        elif entry.choices:
            wrong, says = [f"{entry.word}=x"], f"must be one of {entry.choices[0]}"
        elif entry.kind not in ("", "names"):
            wrong, says = [f"{entry.word}={WRONG[entry.kind]}"], f"must be {KINDS[entry.kind][-1]}"
        else:
            wrong, says = [entry.word], "needs a value"
            given = VERBS[verb].read([*good[1:], f"{entry.word}=--"])
            assert "--" in str(getattr(given, entry.name))
        assert main([*good, *wrong]) == 2
        err = capsys.readouterr().err
        assert f"hierpair: {entry.word} " in err
        assert says in err
        assert err.endswith(f"; see hierpair {verb} --help\n")
        is_one_message(err)


TYPED = {"": "x", "int": "3", "some": "3", "float": "3", "digits": "3", "pair": "a=b", "numbers": "1,2",
         "lists": "a=b,c", "two": "p,q", "threshold": "hf=1", "names": "a,b", "step": "0.5",
         "positive": "3", "least": "0.4"}  # fmt: skip


def typed(entry):
    value = entry.choices[-1] if entry.choices else TYPED.get(entry.kind)
    return [entry.word] if entry.kind == "switch" else [f"{entry.word}={value}"]


@pytest.mark.parametrize("verb", VERBS)
def test_what_goes_with_what_is_said_of_every_option(verb):
    """Each rule of an option beside others, broken once, is a message that names both."""
    verb, good = VERBS[verb], GOOD[verb].split(" -")[0].split()
    broken = 0
    for group in verb.groups:
        for entry in (e for e in group.entries if e.words):
            for rule in (*entry.rules, *group.rules):
                how, _, what = rule.partition(" ")
                other = verb.entries.get(what.split(", ")[0].split(" or ")[0].split(" ")[0])
                if other is None or (how == "without" and " " in what.split(", ")[0]):
                    continue
                given = [*good, *typed(entry), *(typed(other) if how == "without" else [])]
                says = f"({entry.word}|{other.word}) (needs|cannot be) "
                with pytest.raises(ValueError, match=says):
                    verb.check(verb.read(given))
                broken += 1
    assert broken or verb.name in ("verify", "convert")


# ------------------------------------------------------------------------------ streams and forms


@pytest.mark.parametrize("verb", GOOD)
def test_results_go_to_stdout_or_a_file_and_messages_to_stderr(verb, capfdbinary):
    good = [verb, *GOOD[verb].split()]
    assert main(good) == 0
    loud = capfdbinary.readouterr()
    assert main([*good, "-q"]) == 0
    quiet = capfdbinary.readouterr()
    assert quiet.err == b""
    if verb not in ("check", "report"):  # -q leaves notes out; a page has its date
        assert quiet.out == loud.out
    assert main([*good, "-q", "-o", "out"]) == 0
    assert capfdbinary.readouterr() == (b"", b"")
    assert Path("out").read_bytes()[:200] == quiet.out[:200]
    assert main([*good, "-q", "-o", "-"]) == 0
    assert not Path("-").exists()


@pytest.mark.parametrize("verb", [
    pytest.param(x, marks=pytest.mark.exhaustive if x in ("compare", "examine", "report", "verify") else ()) for x in GOOD
])  # fmt: skip
def test_every_form_is_written_and_told_by_its_ending(verb, capsys):
    good = [verb, *GOOD[verb].split(), "-q"]
    formats = VERBS[verb].formats
    for fmt in ("json", "csv", "jsonl", "markdown") if formats is FORMS else formats:
        ending = {"markdown": "md", "latex": "tex"}.get(fmt, fmt)
        assert main([*good, "--format", fmt, "-o", "plain"]) == 0, capsys.readouterr().err
        assert main([*good, "-o", f"told.{ending.upper()}"]) == 0
        assert Path(f"told.{ending.upper()}").read_bytes() == Path("plain").read_bytes()
        if fmt == "json":
            json.loads(Path("plain").read_text())
    if formats != ():
        assert main([*good, "--format", "xml"]) == 2
        assert "--format must be one of" in capsys.readouterr().err
        assert main([*good, "-o", "x.csv", "--format", "text"]) == 0
        known = "csv" in formats
        assert main([*good, "-o", "y.csv"]) == (0 if known else 2)
        assert known or f"{verb} does not write csv" in capsys.readouterr().err


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_every_verb(verb, capsys):
    assert main([verb, "--help"]) == 0
    out = capsys.readouterr().out
    assert len(out.splitlines()) <= 100  # two screens of 50
    assert all(len(line) <= 80 for line in out.splitlines())
    assert f"example:\n  hierpair {verb} " in out
    rare = any(group.rare for group in VERBS[verb].groups)
    assert (f"mean: hierpair {verb} --help-all" in out) == rare
    assert main([verb, "--help-all"]) == 0
    everything = capsys.readouterr().out
    for entry in entries(verb):
        assert entry.word in out
        assert f"  {entry.shown}" in everything
    example = VERBS[verb].example.split(" ", 2)[2].replace("'", "").split()
    VERBS[verb].check(VERBS[verb].read(example))


def test_the_overview_and_the_version(capsys):
    assert main(["--help"]) == main(["-h"]) == main(["--version"]) == 0
    out = capsys.readouterr().out
    assert all(verb.help in out for verb in VERBS.values())
    assert out.endswith(f"hierpair {__version__}\n")


def test_the_list_of_measures(capsys):
    def listed(*words):
        return (main(["measures", *words]), capsys.readouterr().out)[1]

    names = [line.split()[0] for line in listed().splitlines()[1:]]
    assert sorted(names) == sorted(REGISTRY)
    families = [REGISTRY[name].family for name in names]
    assert len(list(groupby(families))) == len(set(families))  # one after the other
    for d in (REGISTRY[name] for name in names if name[0] in "ghm"):
        [record] = json.loads(listed(d.name, "--format", "json"))
        assert record["traits"] == (", ".join(sorted(d.traits)) or "none")
        same = [line.split()[0] for line in listed(d.family).splitlines()[1:]]
        assert same == [name for name in names if REGISTRY[name].family == d.family]
    assert "Kosmopoulos et al. 2014, §2.3.3" in listed("mgia")
    assert listed("gie", "mgia") == listed("-m", "gie", "-m", "mgia")


def test_nothing_is_said_to_be_done_before_an_error(capsys):
    faults = "score --rename x=y | score -o no/x | compare --picture no/x.svg"
    for verb, *fault in map(str.split, faults.split(" | ")):
        for words, code in ((fault, 2), ([], 0)):
            assert main([verb, *GOOD[verb].split(), *words]) == code
            assert (DESCRIBED in capsys.readouterr().err) == (code == 0)


def test_two_dashes_as_a_separator_and_before_files_and_endings_of_names(capsys):
    write({"gold": '{"id":"x","labels":["a","a--c"]}\n', "run": '{"id":"x","labels":["a--c"]}\n'})
    line = "score -m hf --format=csv -q --paths=-- --label-format jsonl -- t gold run"
    assert main(line.split()) == 0
    assert "run,hf,1.0" in capsys.readouterr().out
    known = {"", ".txt", ".TSV", ".json"}.union(*(f.endings for f in LABEL_FORMATS.values()))
    for name in ("bert-0.1", "model_v1.2", "a", "2024.05.01-run", "x.y", ".hidden"):
        for ending in known:
            for packed in ("", ".gz"):
                assert name_of(f"some/where.else/{name}{ending}{packed}") == name


# ------------------------------------------------------------------------------ other endings


@pytest.mark.parametrize(("kind", "code", "says"), [
    (RuntimeError, 3, "internal error: RuntimeError: boom"), (KeyboardInterrupt, 130, "interrupted"),
    (MemoryError, 2, "out of memory"),
])  # fmt: skip
def test_faults_and_interrupts_have_codes_of_their_own(kind, code, says, capsys, monkeypatch):
    monkeypatch.setattr("hierpair.evaluation.score", Mock(side_effect=kind("boom")))
    assert main(["score", "t", "y", "p", "-o", "out.txt"]) == code
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"hierpair: {says}")
    assert not Path("out.txt").exists()
    write(
        {"own.py": f"raise {kind.__name__}"}
    )  # only an interrupt of a plugin is no fault of its own
    assert main(["measures", "--plugin", "own.py"]) == (130 if code == 130 else 2)
    with pytest.raises(RuntimeError, match="boom") if kind is RuntimeError else nullcontext():
        main(["score", "t", "y", "p", "--debug"])


@pytest.mark.parametrize(("words", "watched"), [([], True), (["-q"], True), ([], False)])
def test_progress_is_seen_where_somebody_looks(monkeypatch, capsys, words, watched):
    for name in ("QUIET_SECONDS", "PAUSE_SECONDS"):
        monkeypatch.setattr(progress, name, -1.0)
    seen, moves = io.StringIO(), watched and not words
    seen.isatty = lambda: watched
    monkeypatch.setattr(sys, "stderr", seen)
    assert main(["score", "t", "y", "p", "-m", "hf", *words]) == 0
    for step in ("reading t", "reading y", "p: 2 of 2 instances"):
        assert (step in seen.getvalue()) == moves
    assert main(["compare", "t", "y", "p", "q", "-m", "hf", "--bootstrap", "20", *words]) == 0
    assert ("bootstrap: 1 of 1 steps" in seen.getvalue()) == moves
    assert ("\r" in seen.getvalue()) == moves
    if moves:
        assert seen.getvalue().rpartition("\r\x1b[K")[2] == f"{DESCRIBED}\n"
    assert capsys.readouterr().out.startswith("system")


# ------------------------------------------------------------------------------ nasty names

NASTY = ["a\nb", "a\r\nb", "\x1b[31mred", "<script>x</script>", "a|b", "`x` [l](http://y) *z*", "a&lt;b",
         "a\x07\x9b", "\u202eabc", "=1+1", "@x", "a\\b_%$#{}~^", "x\u2028y", "tab\tin"]  # fmt: skip
NAMES = [x.strip() for x in NASTY]


@pytest.fixture
def nasty(run):
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


SIDES = ["t.json", "y.jsonl", "s\x1b[1m=p.jsonl", "@1=q.jsonl"]
QUICK = ["-m", "hf", "--permutations", "20", "--bootstrap", "20"]
TABLES = "text markdown latex csv tsv json"
LINES_OF = {
    "score": (["score", *SIDES, "-m", "hf"], TABLES),
    "per instance": (["score", *SIDES, "-m", "hf", "--per-instance"], "text csv tsv json"),
    "compare": (["compare", *SIDES, *QUICK], TABLES),
    "differ": (["compare", *SIDES, "-m", "hf", "--differ", "s\x1b[1m,@1"], TABLES),
    "explain": (["explain", *SIDES, "-m", "hf"], "text json"),
    "check": (["check", *SIDES], TABLES),
    "decode": (["decode", "t.json", "d.jsonl", "-m", "hf"], "text csv tsv jsonl"),
    "verify": (["verify", "claims.toml"], TABLES),
    "curve": (["curve", *SIDES[:2], "s\x1b[1m=s.jsonl", "@1=s.jsonl"], TABLES),
    "preset": (["score", *SIDES, "--preset", "hemkit"], TABLES),
}
FORM_OF = [(verb, fmt) for verb, (_, forms) in LINES_OF.items() for fmt in forms.split()]


@pytest.mark.parametrize(("verb", "fmt"), [
    # claims that are not met are tried under all conventions, which takes its time
    pytest.param(*x, marks=pytest.mark.exhaustive if x[0] == "verify" and x[1] != "csv" else ()) for x in FORM_OF
])  # fmt: skip
def test_every_verb_in_every_form(run, nasty, verb, fmt):
    line = [*LINES_OF[verb][0], "--format", fmt]
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
        assert verb != "score" or ["@1"] in [row[:1] for row in cells(out, fmt)]  # as it is, unless
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
    "pairing": ["explain", *SIDES[:2], "p.jsonl", "-m", "gie", "--worst", "14"],
    "curve": ["curve", *SIDES[:2], "s\x1b[1m=s.jsonl", "<script>=s.jsonl"],
}


@pytest.mark.parametrize("kind", PICTURES)
def test_pictures_are_sound_and_hold_whole_names(run, nasty, kind):
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
