"""Real hierarchies and labels, where the data folder is there: ours against plain recomputation and each other."""

import io
import json
import re
import shlex
from contextlib import redirect_stdout
from functools import cache

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import hierpair as hp
from hierpair import BadInput, read_hierarchy, read_labels, score
from hierpair.cli import main
from tests.benchmarks import workloads
from tests.oracles import pairs_and_sets as reference
from tests.paths import SHARED

pytestmark = pytest.mark.skipif(
    not SHARED.is_dir(), reason=f"no data at {SHARED}; set HIERPAIR_DATA to a folder that has them"
)


def germeval():
    """GermEval 2019 task B: 343 classes, 4,157 books."""
    hierarchy, truth, systems = workloads.germeval()
    return hierarchy, truth, systems["LT-UHH__contender"]


def mesh():
    """MeSH 2016 (27,900 classes, a DAG) with drawn labels: near ones and far ones."""
    hierarchy, rng, true, pred = workloads.mesh(), np.random.default_rng(0), {}, {}
    names, ptr = hierarchy.names, hierarchy.parent_ptr
    for i in range(150):
        chosen = rng.choice(len(names), rng.integers(1, 9), replace=False)
        near = [names[p] for c in chosen for p in hierarchy.parents[ptr[c] : ptr[c + 1]]]
        true[i] = [names[c] for c in chosen]
        pred[i] = list({*true[i][::2], *near[1::2], *(names[c] for c in rng.choice(len(names), 2))})
    return hierarchy, true, pred


@pytest.mark.parametrize("load", [germeval, mesh])
def test_against_plain_recomputation(load):
    hierarchy, true, pred = load()
    names = ["hf(root=include)", "gie", "fnerror"]
    scores = score(hierarchy, true, {"s": pred}, names, missing="empty", unknown="drop")
    upwards = hierarchy.to_networkx().reverse()

    @cache
    def up(label):
        return nx.single_source_shortest_path_length(upwards, label)

    def best(gain):
        rows, columns = linear_sum_assignment(gain, maximize=True)
        return gain[rows, columns].sum()

    for i, name in enumerate(list(true)[:150]):
        t, p = (sorted({x for x in side.get(name, []) if x in hierarchy}) for side in (true, pred))
        grown = [{a for label in side for a in up(label)} for side in (t, p)]
        total = len(grown[0]) + len(grown[1])
        hf = 2 * len(grown[0] & grown[1]) / total if total else 1.0
        d = np.array([[reference.distance(up(a), up(b)) for b in t] for a in p])
        d = d.reshape(len(p), len(t))
        gie = 5 * (len(p) + len(t)) - best(np.maximum(0, 10 - d))
        near = [np.minimum(5, d.min(axis=k, initial=5)) for k in (1, 0)]
        error = near[0].sum() + near[1].sum() - best(np.maximum(0, near[0][:, None] + near[1] - d))
        assert scores.per_instance["s"][i].tolist() == [hf, gie, error]


GERMEVAL = "--id-column book --label-column labels --where task=B".split()  # noqa: SIM905


def test_files_as_they_come(capsys, tmp_path):
    """From the command line what Python gives: GermEval, WikiVitals one level too high."""
    hierarchy, true, pred = germeval()
    names, folder = ["hf", "gie", "hp", "symmetric_difference"], SHARED / "germeval2019"
    expected = [score(hierarchy, true, {"s": pred}, names, missing="empty", unknown="drop")]
    runs = [[*(folder / f"{name}.tsv" for name in ("hierarchy", "gold", "LT-UHH__contender")), *GERMEVAL,
             "--unknown", "drop", "--missing", "empty"]]  # fmt: skip
    wiki, texts = (SHARED / "hwv" / x for x in ("taxonomy.tsv", "hwv_val.json"))
    answer = tmp_path / "high.jsonl"
    labels = [json.loads(line)["label"] for line in texts.read_text("utf-8").splitlines()]
    high = [row[:-1] for row in labels]
    answer.write_text("\n".join(json.dumps({"label": row}) for row in high), "utf-8")
    runs.append([wiki, texts, answer])
    expected.append(score(wiki, labels, {"s": high}, names))
    for run, wanted in zip(runs, expected, strict=True):
        measures = [word for name in names for word in ("-m", name)]
        assert main(["score", *map(str, run), *measures, "--format", "json", "--quiet"]) == 0
        rows = json.loads(capsys.readouterr().out)["scores"]
        assert [row["value"] for row in rows] == wanted.values.ravel().tolist()
    assert expected[1]["s", "hp"] == 1.0
    for files in (runs[0][:2] + GERMEVAL, runs[1][:2], [SHARED / "mesh2016" / "hierarchy.txt"]):
        assert main(["check", *map(str, files)]) == 0
        assert "error" not in capsys.readouterr().out


def test_the_data_are_those_of_the_paper():
    """Table 1: 1,186 classes on six levels, leaves at depths 2 to 6, 2,003 test texts on single paths."""
    rows = (SHARED / "hwv" / "hwv_test.json").read_text("utf-8").splitlines()
    labels = [json.loads(row)["label"] for row in rows]
    hierarchy = read_hierarchy(SHARED / "hwv" / "taxonomy.tsv")
    assert np.bincount(hierarchy.levels)[1:].tolist() == [11, 109, 381, 437, 244, 4]
    leaf = np.diff(hierarchy.child_ptr) == 0
    assert set(hierarchy.depths[leaf].tolist()) <= {2, 3, 4, 5, 6}
    sets = hp.LabelSets.from_labels(labels, hierarchy)
    assert len(sets) == 2003
    tips = np.maximum.reduceat(sets.indices, sets.indptr[:-1])
    assert leaf[tips].all()
    assert (sets.lengths == hierarchy.depths[tips]).all()


# ------------------------------------------------------------------------------ forms in the wild

WILD = SHARED / "in_the_wild"
LEVELS = ("order", "family", "genus")

SCORED = """
01_tsv_header_unknown | tree.tsv truth.tsv run.tsv | 0
03_tsv_code_description_parent | tree.tsv truth.tsv run.tsv | 0.25
05_csv_code_name_parent | tree.csv truth.tsv run.tsv | 0.25
05_csv_code_name_parent | tree.csv truth_names.tsv run_names.tsv | 1111 is called so, and labels are ids
07_csv_float_parents | tree.csv truth.csv run.csv | 0.6667
10_json_treelib | tree.json truth.tsv run.tsv | 0
11_json_leaf_index | tree.json truth.tsv run.tsv -m leaf_accuracy | 0.5
14_json_audioset_child_ids | tree.json truth.tsv run.tsv | 0.6667
16_json_parent_to_children | tree.json truth.tsv run.tsv | 3 roots .*are parent and child swapped
16_json_parent_to_children | tree.json truth.tsv run.tsv --direction parent-to-child | 0.5
18_google_taxonomy | taxonomy.en-US.txt truth.tsv run.tsv | --hierarchy-separator ' > '
18_google_taxonomy | taxonomy.en-US.txt truth.tsv run.tsv --hierarchy-format paths | 6 classes and no edge
18_google_taxonomy | taxonomy.en-US.txt truth.tsv run.tsv --hierarchy-separator ' > ' | 0.5333
24_csv_level_columns_as_hierarchy | tree.csv truth.csv run.csv LEVELS | 0.5
24_csv_level_columns_as_hierarchy | tree.csv truth.csv run.csv LEVELS --hierarchy-levels order,family,genus | 0.5
25_rcv1_topics_hier_orig | rcv1.topics.hier.orig truth.tsv run.tsv | 0.4
26_ncbi_nodes_dmp | nodes.dmp truth.tsv run.tsv | 0.65
26_ncbi_nodes_dmp | nodes.dmp truth.tsv run.tsv --break-cycles depth-first | 0.65
27_code_prefixes_ec_icd | ec.txt truth.tsv run.tsv | codes the hierarchy format codes
27_code_prefixes_ec_icd | ec.txt truth.tsv run.tsv --hierarchy-format paths | 3 classes and no edge
27_code_prefixes_ec_icd | ec.txt truth.tsv run.tsv --hierarchy-separator . | 0.75
29_inat_taxa_ancestry | taxa.csv truth.tsv run.tsv | 0.6667
37_label_header_counts_as_instance | tree.tsv truth.tsv run.tsv --unknown drop | 0
42_xmlc_and_lshtc_lines | tree.txt truth.txt run.txt | looks like label:score or feature:value
43_bioasq_json | tree.tsv gold.json run.json | one object per line
44_two_dashes_as_separator | tree.tsv gold.jsonl run.jsonl --paths=-- | 0.9
45_dots_in_file_names | tree.tsv truth.tsv bert-0.1.tsv | 0.75
46_obo_parent_outside_file | x.obo truth.tsv truth.tsv | 'IAO:0000030' .*is not defined.* drop
46_obo_parent_outside_file | x.obo truth.tsv truth.tsv --undefined drop | 1
47_obo_no_blank_before_modifier | x.obo truth.tsv run.tsv --set root=include | 0.6667
"""
"""Folder, files and options, and what hF is or the error says."""

KEYWORDS = {
    "--direction": "direction", "--hierarchy-format": "fmt", "--hierarchy-separator": "separator",
    "--hierarchy-levels": "levels", "--break-cycles": "break_cycles", "--undefined": "undefined",
}  # fmt: skip


def cases():
    levels = " ".join(f"--label-column {name}" for name in LEVELS)
    for line in SCORED.strip().splitlines():
        folder, command, expected = line.replace("LEVELS", levels).split(" | ")
        yield folder, shlex.split(command), expected


def in_python(files, options):
    """Return hF by the functions, with the keywords that say what the options say."""
    given = dict(zip(options[::2], options[1::2], strict=True))
    about = {word: given[option] for option, word in KEYWORDS.items() if option in given}
    if "levels" in about:
        about["levels"] = about["levels"].split(",")
    levels = LEVELS if "--label-column" in given else ()
    how = {"columns": hp.labels.Columns(labels=levels, paths=given.get("--paths"))}
    tree = read_hierarchy(files[0], **about)
    how |= {"unknown": given.get("--unknown", "error")}
    truth, run = (read_labels(x, tree, **how) for x in files[1:])
    measure = given.get("-m", "hf") + "(root='include')" * ("--set" in given)
    return score(tree, truth, {"run": run}, measures=[measure])["run", measure]


@pytest.mark.filterwarnings("ignore::hierpair.errors.HierarchyWarning")
@pytest.mark.parametrize(("folder", "command", "expected"), list(cases()), ids=str)
def test_files_give_their_value_or_are_refused(folder, command, expected, monkeypatch, capsys):
    monkeypatch.chdir(WILD / folder)
    measure = [] if "-m" in command else ["-m", "hf"]
    named = [*command[:2], f"run={command[2]}", *command[3:]]
    code = main(["score", *named, *measure, "--format", "json", "--digits", "4"])
    said = capsys.readouterr()
    options = [part for word in command[3:] for part in re.split("=(?=--)", word)]
    if re.fullmatch(r"[\d.]+", expected):
        assert code == 0, said.err
        value = json.loads(said.out)["scores"][0]["value"]
        assert value == in_python(command[:3], options) == pytest.approx(float(expected), abs=5e-5)
    else:
        assert code == 2
        assert re.search(expected, said.err), said.err
        with pytest.raises(BadInput):
            in_python(command[:3], options)


SAID = {
    "09_py_frame_text_ids_number_parents": r"\(\('1', '2', '3'\), 0.0\)",
    "12_py_nested_flare": r"\('flare', 'analytics', 'graph'\)\n\['flare'\]\n\[\[2.0\]\]",
    "21_py_levels_other_separator": r"BadInput: path 1: .*separator '/'.*\n0.5\n0.0",
    "23_py_paths_of_a_frame": r"(\('Animalia', 'Animalia/Felis', 'Animalia/Canis'\)\n?){2}",
    "32_py_bool_rows": r"(BadInput: .*a truth value is no class.*\n?){3}",
    "34_py_arrow_and_tensors": r"(0.75\n?){3}",
    "35_py_bytes_labels": r"BadInput: .*'c' is, but as str, not bytes\nBadInput: .*'3' is, but as str",
    "36_py_from_parents_list_and_series": r"\('r', 'a', 'b'\)\n\(0, 1, 2, 3\)",
}


@pytest.mark.filterwarnings("ignore::hierpair.errors.HierarchyWarning")
@pytest.mark.parametrize("folder", SAID)
def test_things_in_memory_give_their_value_or_are_refused(folder):
    """The lines of a user, as they are."""
    script, out = WILD / folder / "t.py", io.StringIO()
    with redirect_stdout(out):
        exec(compile(script.read_text(), script, "exec"), {"__name__": "__main__"})
    assert re.match(SAID[folder], out.getvalue()), out.getvalue()


OTHERS = """
check 31_skos_jsonld/v.jsonld | 1 | JSON-LD; save it as Turtle
check 49_skos_deprecated_parent/v.ttl | 1 | parent 'http://ex.org/z' .*is obsolete
check 44_two_dashes_as_separator/{tree.tsv,gold.jsonl} --separator=-- | 1 | 'CCAT--C15' is not in the hierarchy
curve 40_cafa_submission_header/{tree.tsv,truth.tsv,sub.txt} | 2 | a CAFA submission; remove the lines around
curve 40_cafa_submission_header/{tree.tsv,truth.tsv,blank.txt} | 0 | blank +1.0000 +0.8000
curve 42_xmlc_and_lshtc_lines/{tree.txt,plain.txt,scores.txt} | 2 | not label:score
score 45_dots_in_file_names/{tree.tsv,truth.tsv,bert-0.1.tsv,bert-0.2.tsv} -m hf | 0 | bert-0.1 +0.7500\\s+bert-0.2 +1.0000
explain 48_obo_name_escapes/{x.obo,truth.tsv,run.tsv} -m hf | 0 | a, b \\{c\\} \\(X:1\\)
"""
"""Verb, folder with its files and options, the exit code, and what is said."""


@pytest.mark.parametrize("line", OTHERS.strip().splitlines(), ids=lambda line: line.split(".")[0])
def test_other_verbs(line, monkeypatch, capsys):
    command, code, expected = line.split(" | ")
    verb, folder, files, *options = re.split(r"[ /{}]+", command)
    monkeypatch.chdir(WILD / folder)
    assert main([verb, *files.split(","), *filter(None, options)]) == int(code)
    said = capsys.readouterr()
    assert re.search(expected, said.out + said.err), said


def test_every_case_is_here():
    here = {folder for folder, *_ in cases()} | {*SAID, *re.findall(r"\d\d_\w+", OTHERS)}
    assert here == {path.name for path in WILD.iterdir() if path.is_dir()}
