"""A user's claims: met, or wrong with the convention that gives the number; faults by name."""

import re

import pytest

from hierpair import BadInput, measure
from hierpair.cli import main
from hierpair.verification import Published, verify_claims
from hierpair.verification.claims import _candidates, nearest_readings

HEAD = 'hierarchy = "tree.tsv"\ntruth = "truth.tsv"\n[systems]\nmine = "run.tsv"\n'


@pytest.fixture
def folder(tmp_path):
    edges = "root food|food cheese|cheese brie|cheese gouda|food bread|root tools|tools saw"
    (tmp_path / "tree.tsv").write_text(edges.replace(" ", "\t").replace("|", "\n") + "\n")
    (tmp_path / "truth.tsv").write_text("a\tbrie|saw\nb\tbread\nc\tgouda\n")
    (tmp_path / "run.tsv").write_text("a\tgouda\nb\ttools|bread\nc\tcheese\n")
    return tmp_path


def claims(folder, *rows, head=HEAD):
    path = folder / "claims.toml"
    path.write_text(head + "".join(f"[[claims]]\n{row}\n" for row in rows))
    return verify_claims(path)


def claim(name, value, *rest):
    return "\n".join([f'system = "mine"\nmeasure = "{name}"\nvalue = "{value}"', *rest])


@pytest.mark.parametrize(("name", "value", "why"), [
    ("hf", "0.667", "hf(average='micro') gives 0.666667"),
    ("hf", "0.771", "hf(root='include') gives 0.771429"),
    ("hf", "0.73", "F of the mean hp and the mean hr gives 0.73064"),
    ("gie", "3.00", "gie(default=3) gives 3"),
    ("hf", "0.123", "no declared convention gives it ("),
    ("hf", "70.0", 'in per cent (unit = "%") it is 0.7 and met; no declared convention'),
])  # fmt: skip
def test_the_convention_that_gives_a_number_is_named(folder, name, value, why):
    [verdict] = claims(folder, claim(name, value)).verdicts
    assert verdict.verdict == "wrong"
    assert verdict.why.startswith(why)
    if why.startswith("no"):
        assert re.search(r"\(\d+ readings tried\); nearest: hf\(.*\) gives 0", verdict.why)
    if why.startswith(name):  # what is named gives the number, computed anew from the files
        named = why.partition(" gives ")[0]
        assert claims(folder, claim(named, value)).tally == {"met": 1}


def test_three_conventions_may_differ_and_a_fit_may_be_chance(folder):
    several = "hf(average='micro',root='include',beta=2)"
    [verdict] = claims(folder, claim(several, "0.5")).verdicts
    [found] = claims(folder, claim("hf", f"{verdict.computed:.6f}")).verdicts
    assert re.search(r" gives .*readings tried; it may be chance\)$", found.why)


def test_percent_places_and_properties(folder):
    rows = ['measure = "holds(long_distance, gie)"\nvalue = "1"']
    found = claims(folder, claim("hf", "70.0", 'unit = "%"', 'where = "Table 2"'), *rows)
    assert found.tally == {"met": 2}
    assert all(told in found.to_text() for told in ("Table 2", "70.0 %"))


ONE = HEAD + "[[claims]]\n"
SEVEN = claim("hf", "0.7")


@pytest.mark.parametrize(("text", "message"), [
    ("x = [", "claims.toml: not TOML"),
    (HEAD.replace('"run.tsv"', "7") + "[[claims]]\n" + SEVEN, "must name the file of 'mine' in quotes"),
    (ONE.replace('truth = "truth.tsv"', "") + SEVEN, "'truth' is missing; a file of claims has hier"),
    (HEAD, "'claims' is missing"),
    (HEAD.replace("truth =", "trth ="), "there is no key 'trth'; did you mean 'truth'"),
    (HEAD + '[[claims]]\nsystem = "mine"\n', "claim 1: expected system, measure and value"),
    (ONE + claim("hf", "0,7"), "claim 1: a printed number is written like"),
    (ONE + claim("hff", "0.7"), "claim 1: there is no measure 'hff'"),
    (ONE + SEVEN.replace('"0.7"', "0.7"), "claim 1: write the value in quotes"),
    (ONE + SEVEN.replace('"mine"', '"mnie"'), "claim 1: there is no system 'mnie'; did you mean"),
    (ONE + claim("hf", "0.7", 'unit = "pc"'), "unit must be '%' or left out"),
    (ONE + claim("hf", "0.7", 'wher = ""'), "claim 1: there is no key 'wher'"),
    (ONE + claim("tree_induced_error", "0.7"), "claim 1: .*tree_induced_error"),
    ('labels = {fmt = "csv"}\n' + ONE + claim("hf", "1.0"), "no key 'fmt'"),
    ('[[claims]]\nmeasure = "holds(alternative, gie)"\nvalue = "1"', "claim 1: there is no property"),
    ('[[claims]]\nmeasure = "holds(gie)"\nvalue = "1"', "claim 1: cannot read"),
    ('[[claims]]\nmeasure = "holds(silence, gee)"\nvalue = "1"', "there is no measure 'gee'"),
    ('[[claims]]\nsystem = "x"\nmeasure = "holds(silence, gie)"\nvalue = "1"', "leave system out"),
])  # fmt: skip
def test_faults_are_named(folder, text, message, capsys):
    (folder / "claims.toml").write_text(text)
    with pytest.raises(BadInput, match=message.replace("[", r"\[")):
        verify_claims(folder / "claims.toml")
    assert main(["verify", str(folder / "claims.toml")]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_two_usual_changes_come_before_a_rare_one():
    tried = _candidates(measure("hf"))
    names = [m.name if m is not None else "means" for *_, m in tried]
    assert names.index("hf(average='micro')") < names.index("hf(beta=0.5)")
    assert names.index("means") < names.index("hf(beta=2)")
    several = [cost for changes, cost, _ in tried if changes]
    assert several == sorted(several)
    assert len(names) == len(set(names))
    both = measure("hf(root=include, average=micro)").name, "hf(beta=0.5)"
    row = Published("s", "hf", "", "0.500")
    why = nearest_readings(row, measure("hf"), lambda m: 0.5 if m.name in both else 0.9)
    assert why.startswith(f"{both[0]} gives 0.5; {both[1]} gives 0.5 (")


@pytest.mark.parametrize(("text", "message"), [
    ("a\tgouda\nb\ttools|bread\n", "1 instance has no prediction, such as 'c'"),
    ("a\tgouda\nb\ttools|bread\nc\tchee", "'chee'"),
    ("a\tgouda\nb\ttools|bread\nc\tcheese\td\n", "theirs.tsv:3"),
    (None, "theirs.tsv"),
])  # fmt: skip
def test_a_damaged_system_does_not_stop_the_others(folder, capsys, text, message):
    if text is not None:
        (folder / "theirs.tsv").write_text(text)
    head, mine = HEAD + 'theirs = "theirs.tsv"\n', claim("hf", "0.700")
    found = claims(folder, mine.replace("mine", "theirs"), mine, head=head)
    assert [v.verdict for v in found.verdicts] == ["error", "met"]
    assert message in found.verdicts[0].why
    assert [f.kind for f in found.findings] == ["error"]
    assert not found.sound
    assert main(["verify", str(folder / "claims.toml")]) == 2
    assert message in " ".join(capsys.readouterr().out.split())


FILES = "tree.tsv truth.tsv run.tsv"


@pytest.mark.parametrize(("words", "code", "said"), [
    ("claims.toml", 1, "hf(average='micro') gives 0.666667"), ("none.toml", 2, "none.toml"),
    ("claims.toml transposon", 2, "verify one file of claims by itself"),
    # a number of three files is judged as a claim; it goes together with a measure
    (f"{FILES} -m hf --value 0.70", 0, "1 met"), (f"{FILES} -m hf", 2, "--measures needs --value"),
    (f"{FILES} -m hf --value 0.667", 1, "hf(average='micro') gives 0.666667"),
    ("tree.tsv truth.tsv -m hf --value 1", 2, "three files, HIERARCHY TRUTH RUN"),
    (f"{FILES} -m hff --value 1", 2, "there is no measure 'hff'"),
    (f"{FILES} -m hf --value x", 2, "a printed number is written like"),
    ("no.tsv truth.tsv run.tsv -m hf --value 1", 2, "no.tsv"),
])  # fmt: skip
def test_the_command(words, code, said, folder, capsys, monkeypatch):
    claims(folder, claim("hf", "0.700"), claim("hf", "0.667"))
    monkeypatch.chdir(folder)
    assert main(["verify", *words.split()]) == code
    assert said in "".join(capsys.readouterr())
