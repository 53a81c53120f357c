"""A user's claims: met, or wrong with the convention that gives the number; faults by name."""

import shutil

import pytest

from hierpair import BadInput, load_case, measure, score, verify_claims
from hierpair.casebook import case_folder
from hierpair.cli import main

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


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("hf", "0.667", "hf(average='micro') gives 0.666667"),
        ("hf", "0.771", "hf(root='include') gives 0.771429"),
        ("hf", "0.73", "F of the mean hp and the mean hr gives 0.73064"),
        ("gie", "3.00", "gie(default=3) gives 3"),
        ("hf", "0.123", "no declared convention gives it"),
    ],
)
def test_the_convention_that_gives_a_number_is_named(folder, name, value, why):
    [verdict] = claims(folder, claim(name, value)).verdicts
    assert verdict.verdict == "wrong"
    assert verdict.published.why.startswith(why)
    if why.startswith(name):
        # What is named gives the number, computed anew from the files.
        named = why.partition(" gives ")[0]
        path = folder / "claims.toml"
        path.write_text(f"{HEAD}[[claims]]\n{claim(named, value)}\n")
        assert verify_claims(path).tally == {"met": 1}


def test_every_single_convention_of_hf_is_found(folder):
    """Numbers made with one convention changed are all traced to one that gives them."""
    from hierpair import LabelSets, read_hierarchy, read_labels
    from hierpair.measures.options import alternatives

    hierarchy = read_hierarchy(folder / "tree.tsv")
    truth, run = (read_labels(folder / f"{side}.tsv", hierarchy) for side in ("truth", "run"))
    assert isinstance(run, LabelSets)
    plain = measure("hf")
    tried = 0
    for option in ("root", "average", "augment", "beta", "threshold"):
        for value in alternatives(option, plain.definition.averages):
            changed = plain.with_options(**{option: value})
            computed = score(hierarchy, truth, {"s": run}, [changed]).values[0, 0]
            [verdict] = claims(folder, claim("hf", f"{computed:.4f}")).verdicts
            assert verdict.verdict == "met" or " gives " in verdict.published.why
            tried += 1
    assert tried > 12


def test_three_conventions_may_differ_and_a_fit_may_be_chance(folder):
    several = "hf(average='micro',root='include',beta=2)"
    path = folder / "claims.toml"
    path.write_text(f"{HEAD}[[claims]]\n{claim(several, '0.5')}\n")
    [verdict] = verify_claims(path).verdicts
    [found] = claims(folder, claim("hf", f"{verdict.computed:.6f}")).verdicts
    assert " gives " in found.published.why
    assert found.published.why.endswith("readings tried; it may be chance)")


def test_percent_and_the_place(folder):
    found = claims(folder, claim("hf", "70.0", 'unit = "%"', 'where = "Table 2"'))
    assert found.tally == {"met": 1}
    assert "Table 2" in found.to_text()
    assert "70.0 %" in found.to_text()


def test_claims_of_a_published_case(tmp_path):
    for name in ("hierarchy.tsv",):
        shutil.copy(case_folder("transposon") / name, tmp_path)
    case = load_case("transposon")
    for side, sets in (("truth", case.y_true), ("rfsb", case.systems["RFSB"])):
        rows = [f"{i}\t{sets.names_of(i, case.hierarchy)[0]}" for i in range(len(sets))]
        (tmp_path / f"{side}.tsv").write_text("\n".join(rows))
    head = 'hierarchy = "hierarchy.tsv"\ntruth = "truth.tsv"\n[systems]\nmine = "rfsb.tsv"\n'
    found = claims(
        tmp_path, claim("hcm(mcc)", "74.06", 'unit = "%"'), claim("hf", "84.80", 'unit = "%"'),
        head=head,
    )  # fmt: skip
    assert [v.verdict for v in found.verdicts] == ["met", "wrong"]
    assert (
        found.verdicts[1].published.why == "hf(average='micro') gives 0.847975 (16 readings tried)"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = [", "claims.toml: this is no TOML"),
        ('hierarchy = "tree.tsv"\n', "'truth' is missing; a file of claims has hierarchy, truth"),
        (HEAD, "'claims' is missing"),
        (HEAD.replace("truth =", "trth ="), "unknown key 'trth'; did you mean 'truth'"),
        (HEAD + '[[claims]]\nsystem = "mine"\n', "claim 1: expected system, measure and value"),
        (HEAD + "[[claims]]\n" + claim("hf", "0,7"), "claim 1: a printed number is written like"),
        (HEAD + "[[claims]]\n" + claim("hff", "0.7"), "claim 1: there is no measure 'hff'"),
        (
            HEAD + "[[claims]]\n" + claim("hf", "0.7").replace('"0.7"', "0.7"),
            "claim 1: write the value in quotes",
        ),
        (
            HEAD + "[[claims]]\n" + claim("hf", "0.7").replace('"mine"', '"mnie"'),
            "claim 1: there is no system 'mnie'; did you mean 'mine'",
        ),
        (HEAD + "[[claims]]\n" + claim("hf", "0.7", 'unit = "pc"'), "unit must be '%' or left out"),
        (HEAD + "[[claims]]\n" + claim("hf", "0.7", 'wher = ""'), "claim 1: unknown key 'wher'"),
        (
            HEAD + "[[claims]]\n" + claim("tree_induced_error", "0.7"),
            "claim 1: tree_induced_error has no value for these labels",
        ),
        ('labels = {fmt = "csv"}\n' + HEAD + "[[claims]]\n" + claim("hf", "1.0"), "no key 'fmt'"),
    ],
)
def test_faults_are_named(folder, text, message, capsys):
    (folder / "claims.toml").write_text(text)
    with pytest.raises(BadInput, match=message.replace("[", r"\[")):
        verify_claims(folder / "claims.toml")
    assert main(["verify", str(folder / "claims.toml")]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_the_command(folder, capsys):
    claims(folder, claim("hf", "0.700"), claim("hf", "0.667"))
    path = str(folder / "claims.toml")
    assert main(["verify", path]) == 1
    out = capsys.readouterr().out
    assert "hf(average='micro') gives 0.666667" in out
    assert main(["verify", path, "transposon"]) == 2
    assert "verify a file of claims by itself" in capsys.readouterr().err
    assert main(["verify", str(folder / "none.toml")]) == 2
