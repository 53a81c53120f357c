"""``hierpair compare`` of what ``hierpair partial --blocks`` wrote."""

import gzip
import json
import random
from pathlib import Path

import pytest

from hierpair import Partial, compare
from hierpair.cli import main
from hierpair.evaluation import merge

TREE = "r\ta\nr\tb\na\tc\na\td\nb\te\n"
LEAVES = "cde"
CUTS = {"one": range(70), "two": range(70, 90), "three": range(90, 200)}
HOW = ["-m", "hf", "-m", "gie", "-m", "hf(average=micro)"]
QUICK = ["--permutations", "200", "--bootstrap", "100"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("partials")
    rng = random.Random(3)
    (folder / "tree.tsv").write_text(TREE)
    truth = [rng.choice(LEAVES) for _ in range(200)]
    sides = {"truth": truth}
    for name, errors in (("bert", 0.1), ("svm", 0.2), ("knn", 0.6)):
        sides[name] = [rng.choice(LEAVES) if rng.random() < errors else y for y in truth]
    for part, rows in {**CUTS, "all": range(200)}.items():
        (folder / part).mkdir()
        for name, labels in sides.items():
            lines = "".join(f"i{i}\t{labels[i]}\n" for i in rows)
            (folder / part / f"{name}.tsv").write_text(lines)
    return folder


@pytest.fixture
def run(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)

    def command(*words, code=0):
        assert main([str(word) for word in words]) == code
        return capsys.readouterr()

    return command


@pytest.fixture
def made(run):
    def made(part, name=None, systems=("bert", "svm", "knn"), how=HOW, blocks=50):
        path = f"{name or part}.hp"
        sides = (f"{part}/{system}.tsv" for system in ("truth", *systems))
        run("partial", "tree.tsv", *sides, *how, "--blocks", blocks, "-q", "-o", path)
        return path

    return made


@pytest.fixture
def parts(made):
    return [made(part) for part in CUTS]


def refused(run, *words):
    return run(*words, code=2).err.splitlines()[-1].removeprefix("hierpair: ")


def read(*paths):
    return merge(*(Partial.from_bytes(Path(path).read_bytes()) for path in paths))


def test_the_same_as_in_python_for_any_parts(run, parts, made):
    found = compare(read(*parts), n_permutations=200, n_bootstrap=100)
    shown = run("compare", *parts, *QUICK)
    assert run("compare", *parts, *QUICK, "--signatures").out == found.to_text() + "\n"
    assert shown.out.splitlines()[-1].startswith("hf, gie, hf(average='micro')|hierpair")
    assert shown.err.startswith("3 partials, 3 parts, scored on a tree of 6 classes")
    assert f"exchanged are {found.n_blocks} blocks of instances" in shown.out
    whole = run("compare", made("all"), *QUICK, "--pairs")
    assert run("compare", *reversed(parts), *QUICK, "--pairs").out == whole.out
    run("merge", *parts, "-q", "-o", "sum.hp")
    assert run("compare", "sum.hp", *QUICK, "--pairs", "--jobs", "2").out == whole.out
    Path("packed.bin").write_bytes(gzip.compress(Path("sum.hp").read_bytes()))
    Path("packed.bin").rename("packed.hp.gz")
    assert run("compare", "packed.hp.gz", *QUICK, "--pairs").out == whole.out


def test_systems_whose_partials_were_made_apart(run, parts, made):
    wanted = run("compare", *parts, *QUICK, "--format", "json").out
    old = [made(part, f"old-{part}", ["bert", "svm"]) for part in CUTS]
    new = [made(part, f"new-{part}", ["knn"]) for part in CUTS]
    assert run("compare", *old, *new, *QUICK, "--format", "json").out == wanted
    mixed = [path for pair in zip(old, new, strict=True) for path in pair]
    assert run("compare", *mixed, *QUICK, "--format", "json").out == wanted
    said = refused(run, "compare", *old, *new[:2])
    assert said.startswith("the partials of bert, svm and of knn are of different parts: ")
    turned = made("two", "turned", ["svm", "bert"])
    said = refused(run, "compare", old[0], turned)
    assert said.startswith("two systems are called 'svm', in the partials of bert, svm and of svm,")
    again = refused(run, "compare", *old, *new, old[0])
    assert again.startswith("old-one.hp and old-one.hp: a part is counted once")


def test_systems_in_the_order_of_a_measure_keep_their_blocks(run, parts):
    sort = ["--sort", "gie", "--format", "json"]
    plain = json.loads(run("compare", *parts[::-1], *QUICK, "--format", "json").out)["scores"]
    turned = json.loads(run("compare", *parts[::-1], *QUICK, *sort).out)["scores"]
    values = [{(r["system"], r["measure"]): r["value"] for r in rows} for rows in (plain, turned)]
    assert values[0] == values[1]
    best = min((v, s) for (s, m), v in values[0].items() if m == "gie")[1]
    assert turned[0]["system"] == best


def test_measures_are_chosen_from_those_of_the_partial(run, parts):
    found = json.loads(run("compare", *parts, *QUICK, "-m", "gie", "--format", "json").out)
    assert {row["measure"] for row in found["scores"]} == {"gie"}
    assert "'hp' was not scored; there are hf, gie" in refused(run, "compare", *parts, "-m", "hp")
    said = refused(run, "compare", *parts, "--set", "beta=2")
    assert said.startswith(
        "--set beta=2 makes other measures, and a partial has those that it was made"
    )


def test_what_was_left_out_is_said(run, made):
    path = made("all", "classes", how=["-m", "hf", "-m", "hf(average=macro)"])
    found = run("compare", path, *QUICK, "--format", "csv")
    line = "hf(average='macro'): not compared, since no sums by block are kept"
    assert line in found.err
    assert {row.split(",")[1] for row in found.out.splitlines()[1:]} == {"hf"}
    gate = ["--fail-if-worse", "knn,bert"]
    said = refused(run, "compare", path, *QUICK, *gate)
    assert said.startswith(f"--fail-if-worse: {line}")
    worse = run("compare", path, *QUICK, *gate, "-m", "hf", "-q", code=1)
    assert "knn" in worse.out
    run("compare", path, *QUICK, "--fail-if-worse", "bert,knn", "-m", "hf", "-q")
    run("compare", path, *QUICK, "--fail-under", "hf(average=macro)=0.99", "-q", code=1)


@pytest.mark.exhaustive
def test_pictures_and_agreement(run, parts, made):
    pytest.importorskip("matplotlib")
    for view in ("ranks", "intervals", "significance", "agreement"):
        run("compare", *parts, *QUICK, "--picture", f"{view}.svg", "--view", view, "-q")
        assert Path(f"{view}.svg").stat().st_size > 1_000
    plain = made("all", "plain-sums", blocks=0)
    assert "kendall" in run("compare", plain, "--agreement").out.lower()
    assert refused(run, "compare", plain).startswith("these scores come from a partial that keeps")


@pytest.mark.parametrize(("words", "says"), [
    (["--sensitivity"], "--sensitivity needs labels"),
    (["--vary", "beta=1,2"], "--vary needs labels"),
    (["--differ", "bert,svm"], "--differ needs labels"),
    (["--picture", "x.svg", "--view", "depth"], "--view depth needs labels"),
    (["--test", "wilcoxon"], "tests of values of instances, other effect sizes and BCa intervals need every instance"),
    (["--interval", "bca"], "tests of values of instances, other effect sizes and BCa intervals"),
    (["--effect", "cliffs_delta"], "tests of values of instances, other effect sizes and BCa intervals"),
    (["--unknown", "drop"], "--unknown needs labels"),
    (["--on-infeasible", "nan"], "--on-infeasible needs labels"),
    (["--label-format", "csv"], "--label-format needs files of labels"),
    (["--hierarchy-format", "obo"], "--hierarchy-format needs files of labels"),
    (["--case", "transposon"], "--case cannot be given with FILE"),
    (["tree.tsv"], "tree.tsv: these bytes are no partial"),
    (["none.hp"], "none.hp: there is no such file"),
    (["--fail-under", "hf=0.5", "--agreement"], "--fail-under cannot be given with --agreement"),
])  # fmt: skip
def test_what_partials_do_not_tell_is_refused(run, parts, words, says):
    assert refused(run, "compare", *parts, *words).startswith(says)
