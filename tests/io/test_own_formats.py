"""A form of hierarchies and one of labels, added from outside: one entry, known everywhere."""

import json

import pytest

from hierpair import io, read_hierarchy, read_labels
from hierpair.io import HIERARCHY_FORMATS, LABEL_FORMATS, Format
from hierpair.labels import LabelRows
from tests.reading import edges_of, names_in, refuses

ARROWS = "food -> bread\nfood -> cheese\ncheese -> brie\n"


def read_arrows(source):
    path, edges, numbers = source.path, [], []
    for number, line in enumerate(source.lines, start=1):
        names = [name.strip() for name in line.split("->")]
        if len(names) != 2:
            source.trouble(f"{path}:{number}: expected parent -> child")
            continue
        edges.append(names)
        numbers.append(number)
    return io.EdgeList(edges, lambda i: f"{path}:{numbers[i]}")


def write_arrows(hierarchy):
    return "\n".join(f"{p} -> {c}" for p, c in edges_of(hierarchy))


def read_plus(source):
    path = source.path
    names, labels = zip(*(line.split(": ") for line in source.lines), strict=True)
    return LabelRows([x.split("+") for x in labels], lambda i, k: f"{path}:{i + 1}", [*names])


def write_plus(sets, hierarchy):
    rows = zip(sets.ids, names_in(sets, hierarchy), strict=True)
    return "\n".join(f"{i}: {'+'.join(row)}" for i, row in rows)


OWN = [
    (HIERARCHY_FORMATS, Format("arrows", "", read_arrows, write_arrows, lambda source: "->" in source.text)),
    (LABEL_FORMATS, Format("plus", "", read_plus, write_plus,
                           lambda source: ": " in source.lines[0] and "\t" not in source.text,
                           endings=(".plus",), notes=lambda sets: ["no titles"])),
]  # fmt: skip


@pytest.fixture(autouse=True)
def files(write):
    for name, text in (("tree.txt", ARROWS), ("truth.txt", "x: brie+bread\ny: cheese\n"),
                       ("run.plus", "y: brie\nx: bread\n")):  # fmt: skip
        write(text, name)
    for formats, form in OWN:
        formats[form.name] = form
    yield
    for formats, form in OWN:
        del formats[form.name]


def test_it_is_read_by_its_name_its_content_and_its_ending():
    edges = [("cheese", "brie"), ("food", "bread"), ("food", "cheese")]
    for fmt in ("auto", "arrows"):
        tree = read_hierarchy("tree.txt", fmt=fmt)
        assert edges_of(tree) == edges
    for path in ("truth.txt", "run.plus"):
        for fmt in ("auto", "plus"):
            assert set(read_labels(path, tree, fmt=fmt).ids) == {"x", "y"}
    assert io.parse_labels("truth.txt").rows == [["brie", "bread"], ["cheese"]]
    turned = read_hierarchy("tree.txt", direction="child-to-parent", roots="any")
    assert ("bread", "food") in edges_of(turned)
    HIERARCHY_FORMATS["arrows"] = Format("arrows", "only read", read_arrows)
    assert "arrows" not in HIERARCHY_FORMATS.written_forms
    said = r"format for writing hierarchies must be one of .*, got 'arrows'"
    refuses(said, io.write_hierarchy, tree, "arrows")


def test_errors_name_what_they_always_name(write):
    for text, said in (("food -> bread\nfood bread\n", "odd.txt:2: expected parent -> child"),
                       ("a -> b\nb -> a\n", r"odd.txt:\d: the hierarchy has a cycle")):  # fmt: skip
        refuses(said, read_hierarchy, write(text, "odd.txt"))
    odd = write("x: brei\n", "odd.txt")
    refuses("odd.txt:1, instance 'x': class 'brei' is not .*'brie'", read_labels, odd, "tree.txt")
    said = "the label format must be one of.*did you mean 'plus'"
    refuses(said, read_labels, odd, "tree.txt", fmt="plsu")
    said = "{} is for {} files; this file was read as arrows".format
    refuses(said("relations", "OBO"), read_hierarchy, "tree.txt", relations=["part_of"])
    refuses(said("relation", ""), io.parse_hierarchy, "tree.txt", relation=["part_of"])


def test_the_command_line_knows_it(ran):
    def score(files, named=""):
        out = ran(f"score {files} -m hf --format json {named}").out
        return [row["value"] for row in json.loads(out)["scores"]]

    files = "tree.txt truth.txt run.plus"
    values = score(files, "--hierarchy-format arrows --label-format plus")
    assert values == score(files)
    assert "3 edges" in ran(f"check {files}").out
    ran("convert tree.txt --to edges -o tree.tsv")
    assert set(ran("convert tree.tsv --to arrows").out.splitlines()) == set(ARROWS.splitlines())
    ran("convert tree.tsv run.plus --to table -o run.tsv")
    out, err = ran("convert tree.tsv run.tsv --to plus")
    assert (out, "no titles" in err) == ("y: brie\nx: bread\n", True)
    assert score("tree.tsv truth.txt run.tsv") == values
