"""Real forms of data: each gives its right value or is refused in words, as a file and in memory."""

import io
import json
import re
import shlex
from contextlib import redirect_stdout

import pytest

from hierpair import BadInput, read_hierarchy, score
from hierpair.checks import lint
from hierpair.cli import main
from hierpair.io import read_labels
from hierpair.labels import Columns
from tests.paths import SHARED

WILD = SHARED / "in_the_wild"

pytestmark = [
    pytest.mark.skipif(not WILD.is_dir(), reason="real data are not here; set HIERPAIR_DATA"),
    pytest.mark.filterwarnings("ignore::hierpair.errors.HierarchyWarning"),
]

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
37_label_header_counts_as_instance | tree.tsv truth.tsv run.tsv --unknown drop | looks like a header: category
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
    for line in SCORED.strip().splitlines():
        folder, command, expected = line.split(" | ")
        levels = " ".join(f"--label-column {name}" for name in LEVELS)
        yield folder, shlex.split(command.replace("LEVELS", levels)), expected


def in_python(files, options):
    """Return hF by the functions, with the keywords that say what the options say."""
    given = dict(zip(options[::2], options[1::2], strict=True))
    about = {word: given[option] for option, word in KEYWORDS.items() if option in given}
    if "levels" in about:
        about["levels"] = about["levels"].split(",")
    columns = Columns(
        labels=LEVELS if "--label-column" in given else (), paths=given.get("--paths")
    )
    tree = read_hierarchy(files[0], **about)
    truth, run = (
        read_labels(x, tree, columns=columns, unknown=given.get("--unknown", "error"))
        for x in files[1:]
    )
    measure = given.get("-m", "hf") + ("(root='include')" if "--set" in given else "")
    return score(tree, truth, {"run": run}, measures=[measure])["run", measure]


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
        assert json.loads(said.out)["scores"][0]["value"] == pytest.approx(
            float(expected), abs=5e-5
        )
        assert in_python(command[:3], options) == pytest.approx(float(expected), abs=5e-5)
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


@pytest.mark.parametrize("folder", SAID)
def test_things_in_memory_give_their_value_or_are_refused(folder):
    """The lines of a user, as they are."""
    script, out = WILD / folder / "t.py", io.StringIO()
    with redirect_stdout(out):
        exec(compile(script.read_text(), script, "exec"), {"__name__": "__main__"})
    assert re.match(SAID[folder], out.getvalue()), out.getvalue()


OTHERS = {
    "check 31_skos_jsonld/v.jsonld": (1, "JSON-LD; save it as Turtle"),
    "check 49_skos_deprecated_parent/v.ttl": (1, "parent 'http://ex.org/z' .*is obsolete"),
    "check 44_two_dashes_as_separator/tree.tsv 44_two_dashes_as_separator/gold.jsonl "
    "--separator=--": (1, "'CCAT--C15' is not in the hierarchy"),
    "curve 40_cafa_submission_header/tree.tsv 40_cafa_submission_header/truth.tsv "
    "40_cafa_submission_header/sub.txt": (2, "a CAFA submission; remove the lines around"),
    "curve 40_cafa_submission_header/tree.tsv 40_cafa_submission_header/truth.tsv "
    "40_cafa_submission_header/blank.txt": (0, r"blank +1.0000 +0.8000"),
    "curve 42_xmlc_and_lshtc_lines/tree.txt 42_xmlc_and_lshtc_lines/plain.txt "
    "42_xmlc_and_lshtc_lines/scores.txt": (2, "not label:score"),
    "score 45_dots_in_file_names/tree.tsv 45_dots_in_file_names/truth.tsv "
    "45_dots_in_file_names/bert-0.1.tsv 45_dots_in_file_names/bert-0.2.tsv -m hf":
        (0, r"bert-0.1 +0.7500\s+bert-0.2 +1.0000"),
    "explain 48_obo_name_escapes/x.obo 48_obo_name_escapes/truth.tsv 48_obo_name_escapes/run.tsv "
    "-m hf": (0, r"a, b \{c\} \(X:1\)"),
}  # fmt: skip


@pytest.mark.parametrize("command", OTHERS)
def test_other_verbs(command, monkeypatch, capsys):
    code, expected = OTHERS[command]
    monkeypatch.chdir(WILD)
    assert main(command.split()) == code
    said = capsys.readouterr()
    assert re.search(expected, said.out + said.err), said


def test_ontologies_are_refused_in_python_as_on_the_command_line():
    for path, said in ((WILD / "31_skos_jsonld/v.jsonld", "JSON-LD"),
                       (WILD / "49_skos_deprecated_parent/v.ttl", "is obsolete")):  # fmt: skip
        with pytest.raises(BadInput, match=said):
            read_hierarchy(path)
        assert lint(path).count("error") == 1


def test_every_case_is_here():
    here = {folder for folder, *_ in cases()} | {*SAID}
    here |= {name for command in OTHERS for name in re.findall(r"\d\d_\w+", command)}
    assert here == {path.name for path in WILD.iterdir() if path.is_dir()}
