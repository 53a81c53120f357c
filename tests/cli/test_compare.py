"""``compare``, ``partial``, ``merge``, ``examine`` and ``report``: they print what the functions give."""

import gzip
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from hierpair import Partial, compare, load_case, read_hierarchy, read_labels, score
from hierpair.comparison import agreement, differ, discrimination, respond, sensitivity
from hierpair.evaluation import merge
from tests.report.conftest import Page

SYSTEMS = {"good": 0.1, "fair": 0.12, "bad": 0.9}
FILES = ["tree.tsv", "truth.tsv", *(f"{name}.tsv" for name in SYSTEMS)]
MEASURES = ["hf", "gie", "hp"]
COMPARE = f"compare {' '.join(FILES)}"
LINE = f"{COMPARE} -q -m hf -m gie -m hp"
QUICK = "--permutations 50 --bootstrap 50"
CUTS = {"one": range(25), "two": range(25, 32), "three": range(32, 60), "whole": range(60)}


@pytest.fixture(autouse=True)
def rows(run):
    """A truth and three systems of 60 instances, whole and in three folders with parts."""
    rng = np.random.default_rng(0)
    truth = rng.choice(list("abcde"), 60).tolist()
    sides = {"truth": truth}
    for name, rate in SYSTEMS.items():
        wrong = rng.random(60) < rate
        sides[name] = [rng.choice(list("abcde")) if w else t for t, w in zip(truth, wrong, strict=True)]  # fmt: skip
    for folder, ids in {**CUTS, ".": CUTS["whole"]}.items():
        Path(folder).mkdir(exist_ok=True)
        for name, labels in sides.items():
            lines = [f"i{i:02}\t{labels[i]}\n" for i in ids]
            Path(folder, f"{name}.tsv").write_text("".join(lines))
    return sides


def scored(measures=MEASURES, **how):
    tree = read_hierarchy("tree.tsv")
    truth, *systems = (read_labels(name, tree) for name in FILES[1:])
    return score(tree, truth, dict(zip(SYSTEMS, systems, strict=True)), measures, **how)


QUESTIONS = {
    "--pairs --permutations 50 --bootstrap 50 --seed 3":
        lambda scores, tree, truth: compare(scores, n_permutations=50, n_bootstrap=50, seed=3).to_csv(pairs=True),
    "--agreement --of systems --bootstrap 50 --seed 3": lambda scores, *_: agreement(scores, n_bootstrap=50, seed=3).to_csv(),
    "--agreement --of instances": lambda scores, *_: agreement(scores, of="instances").to_csv(),
    "--power --sizes 10,30 --alpha 0.1 --permutations 99 --bootstrap 20": lambda scores, *_: discrimination(
        scores, alpha=0.1, sizes=[10, 30], n_permutations=99, n_bootstrap=20).to_csv(),
    "--vary root=include --test sign": lambda scores, tree, truth: sensitivity(
        tree, truth, scores.scored.systems, MEASURES, vary={"root": ["include"]}, test="sign").to_csv(),
    "--differ good,bad": lambda scores, tree, truth: differ(scores, "good", "bad", tree, truth, measure="hf").to_csv(),
}  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_is_answered_as_by_its_function(run, question):
    tree = read_hierarchy("tree.tsv")
    wanted = QUESTIONS[question](scored(keep_classes=True), tree, read_labels("truth.tsv", tree))
    assert run(f"{LINE} {question} --format csv").out.strip() == wanted.strip()
    json.loads(run(f"{LINE} {question} --format json").out)


BAR = f"{COMPARE} -q -m hf --bootstrap 50 --fail-if-worse"
CASE = "compare --case transposon -m hf"


@pytest.mark.parametrize(("line", "code", "says", "not_says"), [
    (f"{LINE} --agreement spearman --of systems --bootstrap 9", 0, "one left out", "†"),
    (f"{CASE} --vary root=include -q", 0, "scores alone, no test", "†"),
    (f"{CASE} -m gie --agreement", 0, "Kendall's tau-b between rankings of 6 systems", "interval"),
    (f"{COMPARE} -m hf -m gie --differ good,bad --format csv", 0, "only the first of 2 measures, hf; -m (in Python measure=…)", "gie,"),
    (f"{BAR} good,bad", 0, "good", "bad is"), (f"{BAR} fair,good", 0, "fair", "bad is"),
])  # fmt: skip
def test_what_lines_say(run, line, code, says, not_says):
    said = run(line, code=code)
    assert says in said.out + said.err
    assert not_says not in said.out + said.err


def test_runs_of_systems(run):
    for name in ("good", "bad"):
        shutil.copy(f"{name}.tsv", f"{name}2.tsv")
    out = run("compare tree.tsv truth.tsv good.tsv good2.tsv bad.tsv bad2.tsv -m hf --format csv "
              "--runs G=good,good2 --runs B=bad,bad2").out  # fmt: skip
    assert [line.split(",")[0] for line in out.splitlines()] == ["system", "G", "B"]


# ------------------------------------------------------------------------------ partials

HOW = "-m hf -m gie -m hf(average=micro)"
PARTS = ("one", "two", "three")


@pytest.fixture
def made(run):
    """Write the partial of a folder; return its name."""

    def made(part, name=None, systems=SYSTEMS, how=HOW, blocks="--blocks 20"):
        path = f"{name or part}.hp"
        sides = [f"{part}/{side}.tsv" for side in ("truth", *systems)]
        run(f"partial tree.tsv {how} {blocks} -q -o {path}", *sides)
        return path

    return made


@pytest.fixture
def parts(made):
    return " ".join(map(made, PARTS))


def partial_of(path):
    return Partial.from_bytes(Path(path).read_bytes())


@pytest.mark.parametrize("look", [
    "", "--format markdown --percent --transpose", "--format latex --rename bad=B",
    "--digits 2 --fail-under bad:hf=0.9", "--format jsonl",
])  # fmt: skip
def test_merged_is_scored_all_at_once(run, look):
    how = f"{HOW} -m hf(average=macro) -m tree_induced_error --on-infeasible nan --unknown drop"
    Path("two/bad.tsv").write_text(Path("two/bad.tsv").read_text().replace("\t", "\t?|", 1))
    Path("bad.tsv").write_text("".join(Path(part, "bad.tsv").read_text() for part in PARTS))
    for part in PARTS:
        run(f"partial tree.tsv {how} -o {part}.hp", *(f"{part}/{x}" for x in FILES[1:]))
    code = int("--fail-under" in look)
    whole = run(f"score {how} {look}", *FILES, code=code)
    merged = run(f"merge three.hp one.hp two.hp {look}", code=code)
    assert merged.out == whole.out
    assert merged.err == whole.err.replace("scored on", "3 partials, 3 parts, scored on")
    assert code or not look or "?" not in merged.out


def test_sums_are_written_merged_again_and_keep_the_worst_and_the_order(run, made, parts):
    one, two, three = parts.split()
    run(f"merge -o first.hp {one} {two}")
    run(f"merge first.hp -q --format hp -o all.sums {three}")
    run(f"merge -o all.hp {parts}")
    assert Path("all.hp").read_bytes() == Path("all.sums").read_bytes()
    assert run("merge all.hp").out == run(f"merge {parts}").out
    total = partial_of("all.hp")
    assert total.n_instances == 60
    for part in PARTS:
        made(part, blocks="--keep-worst 3")
    found = json.loads(run(f"merge -q --format json --sort hf {parts}").out)
    worst = [r["instance"] for r in found["worst"] if (r["system"], r["measure"]) == ("bad", "gie")]
    assert worst == list(scored().worst("bad", "gie", 3))
    assert found["scores"][0]["system"] == "good"
    assert "worst instances" in run(f"merge {parts}").out


def test_a_part_has_the_name_of_its_ids_and_a_digest_of_its_instances(run):
    def name(words):
        run(f"partial tree.tsv {words} --unknown drop -m hf -q -o x.hp")
        (part,) = partial_of("x.hp").parts
        return part

    first = name("one/truth.tsv one/good.tsv")
    assert re.fullmatch("i00 … i24 [0-9a-f]{16}", first)
    assert first != name("two/truth.tsv two/good.tsv")
    Path("one/truth.tsv").rename("copy.tsv")
    assert name("copy.tsv one/good.tsv") == first
    assert name("truth.tsv good.tsv --part é1") == "é1"
    rows = [{"id": str(k), "gold": [c], "mine": ["c"]} for k, c in enumerate("cde")]
    Path("t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = "t.jsonl --truth-column gold"
    assert name(table) != name(f"{table} --where id=2")
    for path in ("plain.txt", "same.txt"):  # without ids
        Path(path).write_text("c\nd\ne\n")
    plain, same = (name(f"{path} run=plain.txt") for path in ("plain.txt", "same.txt"))
    assert plain.startswith("plain.txt ")
    assert plain != same


def test_partials_are_compared_as_in_python_and_in_any_order(run, parts, made):
    line = f"compare {QUICK}"
    found = compare(merge(*map(partial_of, parts.split())), n_permutations=50, n_bootstrap=50)
    shown = run(f"{line} {parts}")
    assert run(f"{line} --signatures {parts}").out == found.to_text() + "\n"
    assert shown.out.splitlines()[-1].startswith("hf, gie, hf(average='micro')|hierpair")
    assert shown.err.startswith("3 partials, 3 parts, scored on a tree of 6 classes")
    assert f"exchanged are {found.n_blocks} blocks of instances" in shown.out
    run(f"merge -q -o sum.hp {parts}")
    Path("packed.hp.gz").write_bytes(gzip.compress(Path("sum.hp").read_bytes()))
    whole = run(f"{line} --pairs {made('whole')}")
    for paths in (" ".join(parts.split()[::-1]), "sum.hp --jobs 2", "packed.hp.gz"):
        assert run(f"{line} --pairs {paths}").out == whole.out
    tables = [json.loads(run(f"{line} --format json {more} {parts}").out)["scores"]
              for more in ("", "--sort gie", "-m gie")]  # fmt: skip
    values = [{(r["system"], r["measure"]): r["value"] for r in table} for table in tables]
    assert values[0] == values[1]
    assert values[2] == {key: x for key, x in values[0].items() if key[1] == "gie"}


def test_what_was_left_out_is_said(run, made):
    path = made("whole", "classes", how="-m hf -m hf(average=macro)")
    found = run(f"compare {path} {QUICK} --format csv --picture x.svg --view agreement")
    assert Path("x.svg").stat().st_size > 1_000
    line = "hf(average='macro'): not compared, since no sums by block are kept"
    assert line in found.err
    assert {row.split(",")[1] for row in found.out.splitlines()[1:]} == {"hf"}
    bar = f"compare {path} --permutations 300 --bootstrap 50 -q --fail-if-worse"
    said = run(f"{bar} bad,good", code=2).err.splitlines()[-1]
    assert said.startswith(f"hierpair: --fail-if-worse: {line}")
    assert "bad" in run(f"{bar} bad,good -m hf", code=1).out
    run(f"{bar} good,bad -m hf")
    run(f"compare {path} {QUICK} --fail-under hf(average=macro)=0.99 -q", code=1)
    said = run("compare", made("whole", "plain", blocks=""), code=2).err.splitlines()[-1]
    assert said.startswith("hierpair: these scores come from a partial that keeps")
    assert "one left out" in run(f"compare {path} --agreement --of systems --bootstrap 9").out


# ------------------------------------------------------------------------------ examine


def test_examine_with_labels_shows_responses(run):
    tree = read_hierarchy("tree.tsv")
    found = respond(tree, read_labels("truth.tsv", tree), ["hf", "gie"],
                    steps=["up1", "unrelated", "drop"], rounds=2, seed=3)  # fmt: skip
    line = "examine tree.tsv truth.tsv -m hf -m gie -q --seed 3 --rounds 2"
    steps = "up1, unrelated,drop"
    out = run(f"{line} --only-labels --format csv --steps", steps).out
    assert out.strip() == found.to_csv().strip()
    out = run(f"{line} --property add_right --scope 2 --samples 0 --steps", steps).out
    assert "add_right" in out
    assert "intervals are over instances; csv and json have them (in Python: intervals=True)" in out
    assert found.to_text() in out
    assert "add_right" not in run(f"{line} --only-labels --picture r.svg --steps", steps).out
    assert "<svg" in Path("r.svg").read_text("utf-8")


# ------------------------------------------------------------------------------ report


@pytest.fixture
def page(run, monkeypatch):
    """Write a page without charts, which take most of the time, and take it apart."""
    monkeypatch.setattr("hierpair.report.tables.find_spec", lambda name: None)

    def written(line):
        run(f"report {line} -q -o out.html")
        return Page(Path("out.html").read_text("utf-8"))

    return written


def test_a_page_of_files(page):
    how = "--seed 4 --worst 1 --no-sensitivity --title Runs"
    found = page(f"{LINE.removeprefix('compare ')} {how}")
    assert np.array_equal(np.array(found.data["scores"]), scored().values)
    assert found.data["title"] == "Runs"
    assert "seed=4" in found.data["comparison"]["signature"]
    assert all(len(one["rows"]) == 1 for one in found.sections["instances"]["lists"])


@pytest.mark.parametrize("texts", ["{0}\tof {0}\n", '{{"id": "{0}", "text": "of {0}"}}\n'])  # fmt: skip
def test_texts_come_in_several_forms(page, texts):
    Path("t.txt").write_text("".join(texts.format(f"i{k:02}") for k in range(60)))
    rows = page("tree.tsv truth.tsv bad.tsv -m hf --texts t.txt").sections["instances"]["rows"]
    assert rows
    assert all(row["text"] == f"of {row['id']}" for row in rows)


def test_pages_of_partials_runs_and_cases(page, made, run, rows):
    made("whole", systems=["good", "bad"])
    found = page("whole.hp")
    assert found.data["systems"] == ["good", "bad"]
    assert found.data["has"]["classes"] is found.data["has"]["instances"] is False
    assert found.data["comparison"] is not None
    runs = "--test runs --runs a=good,bad --runs b=fair,two --no-sensitivity"
    found = page(f"{' '.join(FILES)} two=good.tsv -m hf {runs}")
    assert found.data["systems"] == ["a", "b"]
    Path("lines.txt").write_text("".join(f"{c}\n" for c in rows["bad"]))
    found = page("tree.tsv truth.tsv lines.txt -m hf")
    assert any("only the truth has ids" in line for line in found.data["warnings"])
    found = page("--case transposon -m hf --no-sensitivity")
    assert found.data["title"] == load_case("transposon").title
    assert any("not the same objects" in line for line in found.data["absent"])
    assert run("report -m hf -q", *FILES).out.startswith("<!doctype html>")
