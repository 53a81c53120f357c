"""Ontologies mean the same in every form; parents that are not there are never lost in silence."""

import json
import re
import time
from functools import partial

import networkx as nx
import pytest

from hierpair import Hierarchy, LabelSets, read_hierarchy
from hierpair.checks import lint
from hierpair.io import parse_hierarchy
from hierpair.io.hierarchies.ontologies import obo_namespaces
from tests.reading import edges_of, names_in, put, refuses

pytest.importorskip("rdflib")

IRI, RDF = "http://x.org/", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
PREFIXES = (
    "@prefix s: <http://www.w3.org/2004/02/skos/core#> .\n"
    "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n@prefix d: <http://purl.org/dc/terms/> .\n"
)


def written(head, term, parent, obsolete, replaced, terms):
    """Write terms; ``#`` stands for the name of one, and ``?`` for what is said of it."""
    lines = [head]
    for name, (parents, replaced_by) in terms.items():
        some = [term.replace("?", f"two words of {name}")]
        some += [parent.replace("?", x) for x in parents]
        some += [obsolete] * (replaced_by is not None)
        some += [replaced.replace("?", x) for x in replaced_by or ""]
        lines += [x.replace("#", name) for x in some]
    return "\n".join(lines) + "\n"


as_obo = partial(written, "format-version: 1.2", "\n[Term]\nid: #\nname: ?", "is_a: ? ! it",
                 "is_obsolete: true", "replaced_by: ?")  # fmt: skip
as_turtle = partial(
    written, f"@base <{IRI}> .\n{PREFIXES}", '<#> a s:Concept ; s:prefLabel "?" .', "<#> s:broader <?> .",
    "<#> owl:deprecated true .", "<#> d:isReplacedBy <?> .",
)  # fmt: skip


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

SOUND = {"a": ("", None), "b": ("a", None), "c": ("ab", None), "old": ("a", "b"), "gone": ("", "")}
"""Terms, their parents, and where they are obsolete what replaces them."""


def short(thing):
    return re.sub(IRI, "", repr(thing))


@pytest.mark.parametrize("form", FORMS)
def test_an_ontology_means_the_same_in_every_form(tmp_path, form):
    for ending in ["", *ENDINGS.get(form, [".ttl", ".n3"])]:
        tree = read_hierarchy(put(tmp_path / f"file{ending}", FORMS[form](SOUND)))
        assert short(edges_of(tree)) == repr([("a", "b"), ("a", "c"), ("b", "c")])
        assert "'old': 'b'" in short(dict(tree.aliases))
        assert "'b': 'two words of b'" in short(dict(tree.titles))


@pytest.mark.parametrize("parents", ["x", "ax", "xb"])
@pytest.mark.parametrize(("state", "why"), [
    ({}, "is not defined in the file"), ({"x": ("a", "")}, "is obsolete"),
])  # fmt: skip
@pytest.mark.parametrize("form", FORMS)
def test_a_parent_that_is_not_there(tmp_path, form, state, why, parents, ran):
    """It is an error that names the option; with it, what was left out is told."""
    path, notes = tmp_path / "file", []
    path.write_text(FORMS[form]({"a": ("", None), "b": ("a", None), "c": (parents, None), **state}))
    refuses(rf"x' of '.*c' {why}.*: undefined='drop'$", read_hierarchy, path)
    tree = read_hierarchy(path, undefined="drop", on_note=notes.append)
    left = [("a", "b"), *((parent, "c") for parent in parents if parent != "x")]
    assert short(edges_of(tree)) == repr(left)
    [note] = [note for note in notes if " roots " not in note]
    said = r"1 term left out, obsolete or not defined in the file.*: (http://x.org/)?x(;|$)"
    assert re.search(said, note)
    report = lint(path, hierarchy_options={"undefined": "drop"})
    assert [f.rule for f in report.findings if f.level == "warning"][:1] == ["left out"]
    assert not report.count("error")
    out, err = ran(f"convert {path} --to json --undefined drop")
    assert (len(json.loads(out)["edges"]), "1 term left out" in err) == (len(left), True)


@pytest.mark.parametrize(("text", "field", "expected"), [
    ("a s:Concept ; s:notation <b> ; s:prefLabel 7", "aliases", {"http://relative.invalid/b": "a", "7": "a"}),
    ("s:broader <b>", "names", ("b", "a")),  # without any concept the edges tell
    *((f"a s:Concept ; s:prefLabel {label}", "titles", {"a": "c"})  # an English title comes first
      for label in ('"a"@de, "b", "c"@en', '"c"@en-GB', '"b", "c"@en', '"c"')),
])  # fmt: skip
def test_what_concepts_say(tmp_path, text, field, expected):
    path = put(tmp_path / "file.ttl", f"{PREFIXES}<a> {text} .")
    assert getattr(read_hierarchy(path), field) == expected


SPACES = "".join(f"[Term]\nid: {c}\nnamespace: {n}\n" for c, n in ("ax", "by", "cx"))
SPACES += "is_a: a\nis_a: b\n"
OLD = f"{SPACES}[Term]\nid: old\nis_obsolete: true\n"


def test_namespaces(tmp_path):
    path = put(tmp_path / "t.obo", OLD)
    assert edges_of(read_hierarchy(path, namespace="x")) == [("a", "c")]
    assert obo_namespaces(path) == {"a": "x", "b": "y", "c": "x"}
    refuses("that is not obsolete", obo_namespaces, put(path, "a\tb\n"))
    default = put(path, "default-namespace: z\n" + SPACES + "[Term]\nid: d\nis_a: a\n")
    assert read_hierarchy(default, namespace="z").names == ("d",)
    part = "[Term]\nid: a\nrelationship: part_of b\n[Term]\nid: b\n"
    refuses("no relation 'is_a' .there is only part_of", read_hierarchy, put(path, part))
    refuses(":2: the term 'a' has no namespace", obo_namespaces, put(path, "[Term]\nid: a\n"))


def test_parents_come_in_one_order_whatever_their_hashes(tmp_path):
    parents = [f"p{k}" for k in range(7)]
    text = f"{PREFIXES}<z> s:broader {', '.join(f'<{p}>' for p in parents)} ."
    edges = parse_hierarchy(put(tmp_path / "file.ttl", text)).edges
    assert list(edges) == [(p, "z") for p in parents]


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
    edges, notes = [("X:1", "X:2"), ("X:1", "X:3"), ("X:2", "X:3")], []
    for path in (tmp_path / "small.obo", tmp_path / "small"):
        path.write_text(OBO)
        is_a = read_hierarchy(path, on_note=notes.append)
        assert (edges_of(is_a), set(is_a.roots)) == (edges, {"X:1", "X:6"})
        said = (
            "part_of alone leads upwards from 1 root, such as 'X:6', .* --relations is_a,part_of "
        )
        assert re.search(said, notes[0])
        notes.clear()
    both = read_hierarchy(path, relations=("is_a", "part_of"), on_note=notes.append)
    assert (edges_of(both), notes) == ([*edges, ("X:3", "X:6")], [])
    graph = nx.MultiDiGraph([("b", "a", "is_a"), ("c", "a", "part_of")])
    refuses(
        "no children.*; part_of alone leads upwards from 1 root, such as 'c'", Hierarchy.of, graph
    )
    sets = LabelSets.from_labels([["X:20", "X:4"], ["X:3"]], is_a)
    assert names_in(sets, is_a) == [["X:2"], ["X:3"]]
    assert "X:5" not in is_a


AFTER = (
    "",
    " ",
    '{x="y"}',
    ' {x="y"}',
    '{x="a ! b"}}! one',
    "! one",
    " ! one",
    '{x="y"} ! a {b} ! c',
)


@pytest.mark.parametrize("tag", ["is_a: ", "is_a:", "relationship: part_of "])
def test_what_stands_after_an_id(tmp_path, tag):
    path = tmp_path / "x.obo"
    for after in AFTER:
        path.write_text(f"[Term] ! head\nid: X:1{after}\n\n[Term]\nid: X:2\n{tag}X:1{after}\n")
        tree = read_hierarchy(path, relations=["part_of" if tag[0] == "r" else "is_a"])
        assert edges_of(tree) == [("X:1", "X:2")], after


@pytest.mark.parametrize(("written", "meant"), [
    (r"a\, b \{c\} ! comment", "a, b {c}"),
    (r"a\:b \(c\) \[d\] \"e\" \\f \! g", 'a:b (c) [d] "e" \\f ! g'), (r"a\Wb\tc\nd", "a b c d"),
    ('a {x="y"} ! z', "a"), ('2-{[4-chloro]amino}  {x="y", z="}"}', "2-{[4-chloro]amino}"),
    ("2-{[4-chloro]amino}", "2-{[4-chloro]amino}"), ("Yahoo!", "Yahoo!"),
    ("ends in \\\\\nis_a: X:0", "ends in \\"),
])  # fmt: skip
def test_escapes_and_comments_of_names(tmp_path, written, meant):
    text = f"[Term]\nid: X:0\n[Term]\nid: X:1\nname: {written}\n"
    tree = read_hierarchy(put(tmp_path / "x.obo", text))
    assert tree.titles["X:1"] == meant
    assert len(tree.to_networkx().edges) == ("is_a" in written)


W3 = "http://www.w3.org/2002/07/owl#"
OWL = f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:owl="{W3}"><owl:Class rdf:about="u:a"/></rdf:RDF>'


@pytest.mark.parametrize(("name", "text", "said", "how"), [
    ("t", "a\tb\n", "undefined must be one of error, drop, got 'dorp'", {"undefined": "dorp"}),
    ("t", "a\tb\n", "undefined is for OBO and SKOS files", {"undefined": "drop"}),
    ("t", "a\tb\n", "namespace is for OBO files; this file was read as edges", {"namespace": "x"}),
    ("t.obo", SPACES, r"there is no namespace 'z' \(there are x, y\)", {"namespace": "z"}),
    *((*row, {}) for row in (
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
        ("x.csv", "Class ID,Preferred Label,Synonyms,Parents\nhttp://x/a,a,,http://x/b|http://x/c\n", "a table of BioPortal"))),
])  # fmt: skip
def test_other_ontologies_and_options_are_refused_by_name(tmp_path, name, text, said, how):
    refuses(said, read_hierarchy, put(tmp_path / name, text), **how)


@pytest.mark.parametrize("start", ["<!-- a -->", "<!-- a --><?b ?>", "# a\n", "# \n\n \t\n"])
def test_what_a_file_is_is_found_in_linear_time(tmp_path, start):
    path, began = put(tmp_path / "x", start * 20_000 + "<a"), time.process_time()
    refuses(str(path), read_hierarchy, path)
    assert time.process_time() - began < 5
