"""``hierpair partial`` and ``hierpair merge``: what they print is what scoring all at once prints."""

import json
from pathlib import Path

import pytest

from hierpair import Partial
from hierpair.cli import main

TREE = "r\ta\nr\tb\na\tc\na\td\nb\te\n"
ROWS = {
    "1": ("c", "c", "e"),
    "2": ("d|e", "d", "d|e"),
    "3": ("e", "d", "?"),
    "4": ("a", "c|d", "a"),
}
CUTS = {"one": "12", "two": "3", "three": "4"}
HOW = ["-m", "hf", "-m", "gie", "-m", "hf(average=macro)", "-m", "tree_induced_error",
       "--on-infeasible", "nan", "--unknown", "drop"]  # fmt: skip


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("tree.tsv").write_text(TREE)
    for part, keys in {**CUTS, "all": "1234"}.items():
        Path(part).mkdir()
        for k, name in enumerate(("truth", "bert", "svm")):
            Path(part, f"{name}.tsv").write_text("".join(f"{i}\t{ROWS[i][k]}\n" for i in keys))
        sides = [{i: ROWS[i][k].split("|") for i in keys} for k in range(3)]
        table = {"id": list(keys), **dict(zip(("gold", "bert", "svm"), sides, strict=True))}
        lines = [{name: table[name][i] if name != "id" else i for name in table} for i in keys]
        Path(part, "table.jsonl").write_text("".join(json.dumps(x) + "\n" for x in lines))

    def command(*words, code=0):
        assert main([str(word) for word in words]) == code
        return capsys.readouterr()

    return command


def files(part):
    return ["tree.tsv", *(f"{part}/{name}.tsv" for name in ("truth", "bert", "svm"))]


@pytest.fixture
def parts(run):
    for part in CUTS:
        run("partial", *files(part), *HOW, "-o", f"{part}.hp", "--keep-worst", "2")
    return [f"{part}.hp" for part in CUTS]


@pytest.mark.parametrize("look", [
    [], ["--format", "markdown", "--percent", "--transpose"], ["--format", "csv"],
    ["--format", "latex", "--rename", "bert=B"], ["--digits", "2", "--fail-under", "bert:hf=0.9"],
    ["--format", "tsv"], ["--format", "html"], ["--format", "jsonl"],
])  # fmt: skip
def test_the_same_as_scoring_all_at_once(run, look):
    for part in CUTS:
        run("partial", *files(part), *HOW, "-o", f"{part}.hp")
    code = int("--fail-under" in look)
    whole = run("score", *files("all"), *HOW, *look, code=code)
    merged = run("merge", *(f"{part}.hp" for part in CUTS), *look, code=code)
    assert merged.out == whole.out
    assert merged.err == whole.err.replace("scored on", "3 partials, 3 parts, scored on")


def test_a_sum_is_written_and_merged_again(run, parts):
    run("merge", *parts[:2], "-o", "first.hp")
    run("merge", parts[2], "first.hp", "-q", "--format", "hp", "-o", "all.sums")
    run("merge", *parts, "-o", "all.hp")
    assert Path("all.hp").read_bytes() == Path("all.sums").read_bytes()
    assert run("merge", "all.hp").out == run("merge", *parts).out
    total = Partial.from_bytes(Path("all.hp").read_bytes())
    assert total.n_instances == 4
    assert sorted(total.ids.values()) == [("1", "2"), ("3", "3"), ("4", "4")]


def test_the_worst_instances_are_shown(run, parts):
    shown = run("merge", *parts, "--format", "json").out
    worst = [
        (row["instance"], row["value"])
        for row in json.loads(shown)["worst"]
        if (row["system"], row["measure"]) == ("bert", "gie")
    ]
    each = json.loads(run("score", *files("all"), *HOW, "--per-instance", "--format", "json").out)
    (name,) = (m for m in each["per_instance"][0] if m.startswith("gie"))
    values = [
        (row[name], row["instance"]) for row in each["per_instance"] if row["system"] == "bert"
    ]
    wanted = sorted(values, key=lambda one: (-one[0], one[1]))[:2]
    assert worst == [(i, value) for value, i in wanted]
    assert "worst instances" in run("merge", *parts).out


def test_systems_in_the_order_of_a_measure_keep_what_is_theirs(run, parts):
    plain, turned = (json.loads(run("merge", *parts, *sort, "-q", "--format", "json").out)
                     for sort in ([], ["--sort", "tree_induced_error"]))  # fmt: skip
    assert [row["system"] for row in turned["scores"]] != [row["system"] for row in plain["scores"]]
    for table in ("scores", "worst"):
        assert sorted(map(str, turned[table])) == sorted(map(str, plain[table]))


def test_a_part_has_the_name_of_its_ids_and_a_digest_of_its_instances(run):
    def name(*words):
        run("partial", *words, "--unknown", "drop", "-m", "hf", "-q", "-o", "x.hp")
        (part,) = Partial.from_bytes(Path("x.hp").read_bytes()).parts
        return part

    first = name(*files("one"))
    assert first == "1 … 2 e77e6232c1a96935"
    assert first != name(*files("two"))
    Path("one/truth.tsv").rename("copy.tsv")
    assert name("tree.tsv", "copy.tsv", *files("one")[2:]) == first
    table = ["tree.tsv", "all/table.jsonl", "--truth-column", "gold"]
    whole, some = name(*table), name(*table, "--where", "id=2")
    assert whole != some
    assert name(*table, "--part", "é 1") == "é 1"
    for path in ("plain.txt", "same.txt"):  # without ids
        Path(path).write_text("".join(f"{label}\n" for label in "cde"))
    plain, same = (name("tree.tsv", path, "run=plain.txt") for path in ("plain.txt", "same.txt"))
    assert plain.startswith("plain.txt ")
    assert plain != same


def test_a_part_is_counted_once_whatever_the_order_of_classes(run):
    """The hierarchies are the same, so their partials add up, and the instances are the same."""
    Path("turned.tsv").write_text("".join(line + "\n" for line in TREE.split("\n")[-2::-1]))
    for name, tree in (("x.hp", "tree.tsv"), ("y.hp", "turned.tsv")):
        run("partial", tree, *files("all")[1:], *HOW[:2], "--unknown", "drop", "-q", "-o", name)
    said = refused(run, "merge", "x.hp", "y.hp")
    assert said.startswith("x.hp and y.hp: a part is counted once: 1 … 4")


def refused(run, *words):
    return run(*words, code=2).err.removeprefix("hierpair: ")


def test_what_does_not_add_up_is_named_by_file(run, parts):
    def other(name, *words, inputs=None):
        run("partial", *(inputs or files("two")), *words, "-q", "-o", name)
        return refused(run, "merge", *parts[:1], name)

    Path("flat.tsv").write_text("r\ta\nr\tb\nr\tc\nr\td\nr\te\n")
    how = [*HOW, "--keep-worst", "2"]
    flat = ["flat.tsv", *files("two")[1:]]
    assert other("h.hp", *how, inputs=flat).startswith(
        "one.hp and h.hp: partials of different hier"
    )
    assert "one.hp and m.hp: partials of different measures" in other("m.hp", *HOW[:2], *HOW[-4:])
    assert "one.hp and o.hp: partials of different measures" in other(
        "o.hp", *how, "--set", "beta=2"
    )
    systems = [*files("two")[:2], "svm=two/bert.tsv", "bert=two/svm.tsv"]
    assert "one is of bert, svm, the other of svm, bert" in other("s.hp", *how, inputs=systems)
    assert "one.hp and w.hp: partials of different keep_worst do not" in other("w.hp", *HOW)
    twice = refused(run, "merge", *parts, "two.hp")
    assert twice.startswith("two.hp and two.hp: a part is counted once: 3 … 3")
    run("merge", *parts, "-q", "-o", "all.hp")
    assert refused(run, "merge", "all.hp", "two.hp").startswith("all.hp and two.hp: a part is coun")


def test_files_that_are_no_partials(run, parts):
    whole = Path("one.hp").read_bytes()
    Path("short.hp").write_bytes(whole[:-3])
    Path("old.hp").write_bytes(whole.replace(b"partial 5", b"partial 4", 1))
    Path("empty.hp").write_bytes(b"")
    for name, says in {
        "short.hp": "short.hp: the bytes of a partial are damaged",
        "old.hp": "old.hp: these bytes are no partial of version 5",
        "empty.hp": "empty.hp: these bytes are no partial",
        "tree.tsv": "tree.tsv: these bytes are no partial",
        "none.hp": "none.hp: there is no such file",
        "one": "one: this is a folder",
    }.items():
        assert refused(run, "merge", "two.hp", name).startswith(says)
    said = refused(run, "score", "tree.tsv", "one.hp", "one/bert.tsv")
    assert said.startswith(
        "one.hp: this is a partial, the sums of scores; hierpair merge and compare"
    )


def test_options_that_are_without_effect_are_refused(run, parts):
    for words in (
        ["--percent"],
        ["--caption", "x"],
        ["--fail-under", "hf=0.1"],
        ["--rename", "a=b"],
    ):
        said = refused(run, "merge", *parts, *words, "-o", "all.hp")
        assert said.startswith((f"{words[0]} needs --", f"{words[0]} cannot be given with --"))
    assert not Path("all.hp").exists()
    assert "one.hp: this file is read" in refused(run, "merge", *parts, "-o", "one.hp")
    Path("plain.txt").write_text("c\nd\n")
    plain = ["partial", "tree.tsv", "plain.txt", "plain.txt", "--blocks", "2"]
    assert "blocks tells instances by their ids" in refused(run, *plain)
