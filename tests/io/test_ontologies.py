"""Ontologies mean the same in every form; parents that are not there are never lost in silence."""

import json
import re
import time

import pytest

from hierpair import BadInput, LabelSets, read_hierarchy
from hierpair.checks import lint
from hierpair.cli import main
from hierpair.io import parse_hierarchy
from hierpair.io.hierarchies.ontologies import obo_namespaces

pytest.importorskip("rdflib")

IRI, RDF = "http://x.org/", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
PREFIXES = (
    "@prefix s: <http://www.w3.org/2004/02/skos/core#> .\n"
    "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n@prefix d: <http://purl.org/dc/terms/> .\n"
)


def as_obo(terms):
    lines = ["format-version: 1.2"]
    for name, about in terms.items():
        lines += ["", "[Term]", f"id: {name}", f"name: {about.get('title', 'no ' + name)}"]
        lines += [f"is_a: {parent} ! it" for parent in about.get("parents", ())]
        lines += ["is_obsolete: true"] * about.get("obsolete", False)
        lines += [f"replaced_by: {x}" for x in about.get("replaced_by", ())]
    return "\n".join(lines) + "\n"


def as_turtle(terms):
    lines = [f"@base <{IRI}> .\n{PREFIXES}"]
    for name, about in terms.items():
        lines.append(f'<{name}> a s:Concept ; s:prefLabel "{about.get("title", "no " + name)}" .')
        lines += [f"<{name}> s:broader <{parent}> ." for parent in about.get("parents", ())]
        lines += [f"<{name}> owl:deprecated true ."] * about.get("obsolete", False)
        lines += [f"<{name}> d:isReplacedBy <{x}> ." for x in about.get("replaced_by", ())]
    return "\n".join(lines) + "\n"


def graph_of(terms):
    import rdflib

    return rdflib.Graph().parse(data=as_turtle(terms), format="turtle")


def as_narrower(terms):
    return re.sub("(<[^>]+>) s:broader (<[^>]+>)", r"\2 s:narrower \1", as_turtle(terms))


FORMS = {
    "obo": as_obo, "turtle": as_turtle, "narrower": as_narrower,
    "xml": lambda terms: graph_of(terms).serialize(format="xml"),
    "nt": lambda terms: graph_of(terms).serialize(format="nt"),
}  # fmt: skip
ENDINGS = {"obo": [".obo"], "xml": [".rdf", ".owl", ".xml"], "nt": [".nt", ".ttl"]}

SOUND = {
    "a": {},
    "b": {"parents": ["a"], "title": "two words"},
    "c": {"parents": ["a", "b"]},
    "old": {"obsolete": True, "replaced_by": ["b"], "parents": ["a"]},
    "gone": {"obsolete": True},
}


def short(name):
    return str(name).removeprefix(IRI)


@pytest.mark.parametrize("form", FORMS)
def test_an_ontology_means_the_same_in_every_form(tmp_path, form):
    for ending in ["", *ENDINGS.get(form, [".ttl", ".n3"])]:
        path = tmp_path / f"file{ending}"
        path.write_text(FORMS[form](SOUND))
        tree = read_hierarchy(path)
        found = {tuple(map(short, edge)) for edge in tree.to_networkx().edges}
        assert found == {("a", "b"), ("a", "c"), ("b", "c")}
        assert {short(other): short(name) for other, name in tree.aliases.items()}["old"] == "b"
        assert {short(name): title for name, title in tree.titles.items()}["b"] == "two words"


@pytest.mark.parametrize("parents", [["x"], ["a", "x"], ["x", "b"]])
@pytest.mark.parametrize("state", ["undefined", "obsolete"])
@pytest.mark.parametrize("form", FORMS)
def test_a_parent_that_is_not_there(tmp_path, form, state, parents, capsys):
    """It is an error that names the option; with it, what was left out is told."""
    terms = {"a": {}, "b": {"parents": ["a"]}, "c": {"parents": parents}}
    if state == "obsolete":
        terms["x"] = {"obsolete": True, "parents": ["a"]}
    path = tmp_path / "file"
    path.write_text(FORMS[form](terms))
    why = "is obsolete" if state == "obsolete" else "is not defined in the file"
    with pytest.raises(BadInput, match=rf"x' of '.*c' {why}.*: undefined='drop'$"):
        read_hierarchy(path)
    notes = []
    tree = read_hierarchy(path, undefined="drop", on_note=notes.append)
    left = {("a", "b")} | {(parent, "c") for parent in parents if parent != "x"}
    assert {tuple(map(short, edge)) for edge in tree.to_networkx().edges} == left
    [note] = [note for note in notes if " roots " not in note]
    said = r"1 term left out, obsolete or not defined in the file.*: (http://x.org/)?x(;|$)"
    assert re.search(said, note)
    report = lint(path, hierarchy_options={"undefined": "drop"})
    assert [f.rule for f in report.findings if f.level == "warning"][:1] == ["left out"]
    assert not report.count("error")
    assert main(["convert", str(path), "--to", "json", "--undefined", "drop"]) == 0
    out, err = capsys.readouterr()
    assert (len(json.loads(out)["edges"]), "1 term left out" in err) == (len(left), True)


@pytest.mark.parametrize(("text", "field", "expected"), [
    ("a s:Concept ; s:notation <b> ; s:prefLabel 7", "aliases", {"http://relative.invalid/b": "a", "7": "a"}),
    ("s:broader <b>", "names", ("b", "a")),  # without any concept the edges tell
    *((f"a s:Concept ; s:prefLabel {label}", "titles", {"a": "c"})  # an English title comes first
      for label in ('"a"@de, "b", "c"@en', '"c"@en-GB', '"b", "c"@en', '"c"')),
])  # fmt: skip
def test_what_concepts_say(tmp_path, text, field, expected):
    path = tmp_path / "file.ttl"
    path.write_text(f"{PREFIXES}<a> {text} .")
    assert getattr(read_hierarchy(path), field) == expected


SPACES = (
    "".join(f"[Term]\nid: {c}\nnamespace: {n}\n" for c, n in ("ax", "by", "cx"))
    + "is_a: a\nis_a: b\n"
)
OLD = f"{SPACES}[Term]\nid: old\nis_obsolete: true\n"


@pytest.mark.parametrize(("name", "text", "how", "said"), [
    ("t", "a\tb\n", {"undefined": "dorp"}, "undefined must be one of error, drop, got 'dorp'"),
    ("t", "a\tb\n", {"undefined": "drop"}, "undefined is for OBO and SKOS files"),
    ("t", "a\tb\n", {"namespace": "x"}, "namespace is for OBO files; this file was read as edges"),
    ("t.obo", SPACES, {"namespace": "z"}, "there is no namespace 'z'; there are x, y"),
    ("t.obo", "a\tb\n", None, "that is not obsolete"),
    ("t.obo", "[Term]\nid: a\n", None, ":2: the term 'a' has no namespace"),
])  # fmt: skip
def test_namespaces_and_other_options_of_ontologies(tmp_path, name, text, how, said):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(BadInput, match=said):
        obo_namespaces(path) if how is None else read_hierarchy(path, **how)
    path = tmp_path / "t.obo"
    path.write_text(OLD)
    assert list(read_hierarchy(path, namespace="x").to_networkx().edges) == [("a", "c")]
    assert obo_namespaces(path) == {"a": "x", "b": "y", "c": "x"}


def test_parents_come_in_one_order_whatever_their_hashes(tmp_path):
    path = tmp_path / "file.ttl"
    parents = [f"p{k}" for k in range(7)]
    path.write_text(f"{PREFIXES}<z> s:broader {', '.join(f'<{p}>' for p in parents)} .")
    assert list(parse_hierarchy(path).edges) == [(p, "z") for p in parents]


# ------------------------------------------------------------------------------ OBO

OBO = "format-version: 1.2\ndefault-namespace: things\n" + "".join(f"\n[Term]\nid: X:{n}\n{lines}" for n, lines in (
    (1, "name: root\n"),
    (2, "name: left ! a comment\nalt_id: X:20\nalt_id: X:21\nis_a: X:1 ! root\n"),
    (3, 'is_a: X:1 {source="somebody", note="a ! in here"} ! root\n'
        'relationship: part_of X:2 {source="x"} ! left\nis_a: X:2\n'),
    (4, "is_obsolete: true\nreplaced_by: X:21\nis_a: X:1\n"),
    (5, "is_obsolete: true\nreplaced_by: X:2\nreplaced_by: X:3\n"),
    (6, "relationship: part_of X:3\n"),
)) + "\n[Typedef]\nid: part_of\nis_transitive: true\n"  # fmt: skip


def test_relations_other_ids_and_what_is_obsolete(tmp_path):
    for path in (tmp_path / "small.obo", tmp_path / "small"):
        path.write_text(OBO)
        is_a = read_hierarchy(path)
        assert set(is_a.to_networkx().edges) == {("X:1", "X:2"), ("X:1", "X:3"), ("X:2", "X:3")}
        assert set(is_a.roots) == {"X:1", "X:6"}
    both = read_hierarchy(path, relations=("is_a", "part_of"))
    assert set(both.to_networkx().edges) - set(is_a.to_networkx().edges) == {("X:3", "X:6")}
    sets = LabelSets.from_labels([["X:20", "X:4"], ["X:3"]], is_a)
    assert [sets.names_of(i, is_a) for i in range(2)] == [["X:2"], ["X:3"]]
    assert "X:5" not in is_a


AFTER = [
    "",
    " ",
    '{x="y"}',
    ' {x="y"}',
    '{x="a ! b}"}! one',
    "! one",
    " ! one",
    '{x="y"} ! a {b} ! c',
]


@pytest.mark.parametrize("tag", ["is_a: ", "is_a:", "relationship: part_of "])
def test_what_stands_after_an_id(tmp_path, tag):
    path = tmp_path / "x.obo"
    for after in AFTER:
        path.write_text(f"[Term] ! head\nid: X:1{after}\n\n[Term]\nid: X:2\n{tag}X:1{after}\n")
        tree = read_hierarchy(path, relations=["part_of" if tag[0] == "r" else "is_a"])
        assert list(tree.to_networkx().edges) == [("X:1", "X:2")], after


@pytest.mark.parametrize(("written", "meant"), [
    (r"a\, b \{c\} ! comment", "a, b {c}"),
    (r"a\:b \(c\) \[d\] \"e\" \\f \! g", 'a:b (c) [d] "e" \\f ! g'), (r"a\Wb\tc\nd", "a b c d"),
    ('a {x="y"} ! z', "a"), ('2-{[4-chloro]amino}  {x="y", z="}"}', "2-{[4-chloro]amino}"),
    ("2-{[4-chloro]amino}", "2-{[4-chloro]amino}"), ("Yahoo!", "Yahoo!"),
    ("ends in \\\\\nis_a: X:0", "ends in \\"),
])  # fmt: skip
def test_escapes_and_comments_of_names(tmp_path, written, meant):
    path = tmp_path / "x.obo"
    path.write_text(f"[Term]\nid: X:0\n[Term]\nid: X:1\nname: {written}\n")
    tree = read_hierarchy(path)
    assert tree.titles["X:1"] == meant
    assert len(tree.to_networkx().edges) == ("is_a" in written)


# ------------------------------------------------------------------------------ others


W3 = "http://www.w3.org/2002/07/owl#"
OWL = f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:owl="{W3}"><owl:Class rdf:about="u:a"/></rdf:RDF>'


@pytest.mark.parametrize(("name", "text", "kind"), [
    ("x.owl", f'<?xml version="1.0"?>\n<Ontology xmlns="{W3}">', "OWL/XML"),
    ("x", f"{'<!-- a -->' * 999}\n<Ontology>", "OWL/XML"),
    ("x", "<!DOCTYPE Ontology [\n<!ENTITY a 'b' >\n]>\n<Ontology>", "DTD"),
    ("x.jsonld", '{"@context": {}}', "JSON-LD"), ("x.json", '{"@graph": []}', "JSON-LD"),
    ("x.json", '{"graphs": [{"nodes": [], "edges": []}]}', "OBO graphs"),
    ("x.owl", "Prefix(:=<http://x/>)\nOntology(<http://x>)", "functional syntax"),
    ("x", "Ontology(<http://x>)", "functional syntax"),
    ("x.omn", "Prefix: : <http://x/>\nOntology: <http://x>\n", "Manchester"),
    ("x.owl", OWL, "no skos:Concept; if this is OWL"),
    ("x.ttl", f"{PREFIXES}<a> a owl:Class .", "no skos:Concept; if this is OWL"),
    ("x.ttl", f"{PREFIXES}<a> a s:Concept ; <u:x#broaderGeneric> <b> .", "no skos:broader .* broaderGeneric; write these"),
    ("x.csv", "Class ID,Preferred Label,Synonyms,Parents\nhttp://x/a,a,,http://x/b|http://x/c\n", "a table of BioPortal"),
])  # fmt: skip
def test_other_ontologies_are_refused_by_name(tmp_path, name, text, kind):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(
        BadInput, match=f"{name}: .*{kind}.*(save it as|write a line|take its OBO)|{kind}"
    ):
        read_hierarchy(path)


@pytest.mark.parametrize("start", ["<!-- a -->", "<!-- a --><?b ?>", "# a\n", "# \n\n \t\n"])
def test_what_a_file_is_is_found_in_linear_time(tmp_path, start):
    path = tmp_path / "x"
    path.write_text(start * 20_000 + "<a")
    began = time.process_time()
    with pytest.raises(BadInput):
        read_hierarchy(path)
    assert time.process_time() - began < 5
