"""Tables with a column per rank, as Darwin Core has them: gaps, epithets, names of two taxa."""

import json
import random

import pandas as pd
import pytest

from hierpair import BadInput, Hierarchy, read_hierarchy

RANKED = ["kingdom", "phylum", "order", "family", "genus", "specificEpithet"]


@pytest.mark.parametrize("seed", range(3))
def test_columns_of_ranks_with_gaps_are_put_together(seed, tmp_path):
    """Whatever rows leave out, in every form: parents are those of the whole lineages."""
    rng = random.Random(seed)
    whole, edges, ranks, rows = [], set(), {}, []
    for k in range(30):
        way = ["Animalia"] + [f"{x}{k % n}" for x, n in zip("POFG", (2, 4, 8, 16), strict=True)]
        whole.append([*way, f"e{k}"])
        names = [*way, f"{way[-1]} e{k}"]
        edges |= {*zip(names, names[1:], strict=False)}
        ranks |= zip(names, [*RANKED[:-1], "species"], strict=True)
    for way in whole:
        gaps = [x if x in way[4:] or rng.random() < 0.5 else "" for x in way]
        rows += rng.sample([way, gaps], 2)
    frame = pd.DataFrame(rows, columns=RANKED)
    frame.to_csv(tmp_path / "dwc.csv", index=False)
    frame.rename(columns=str.title).to_csv(tmp_path / "dwc.tsv", sep="\t", index=False)
    records = [{x: v for x, v in zip(RANKED, row, strict=True) if v} for row in rows]
    (tmp_path / "dwc.json").write_text(json.dumps(records))
    found = [read_hierarchy(tmp_path / f"dwc.{ending}") for ending in ("csv", "json")]
    for tree in (*found, Hierarchy.from_frame(frame)):
        assert set(tree.edges_by(tree.names)) == edges
        assert tree.ranks == ranks
    one = pd.DataFrame(whole[:1], columns=RANKED)
    levels = Hierarchy.from_frame(one, levels=["kingdom", "order"], roots="any")
    assert set(levels.ranks.values()) == {"kingdom", "order"}


TAXA = "kingdom\torder\tgenus\tspecies\tscientificName\ttaxonRank\n"


def test_the_taxon_of_a_row(tmp_path):
    """It has a scientific name and a rank, which may be below the columns."""
    path = tmp_path / "taxa.tsv"
    path.write_text(
        f"{TAXA}A\tO\tG\tG s\tG s Linnaeus\tSPECIES\nA\tO\tG\t\tG t\tspecies\n"
        "A\tO\t\t\tF\tfamily\nA\tO\tG\tG s\tG s u\tsubspecies\nA\t\t\t\t\t\n"
    )
    tree = read_hierarchy(path)
    assert set(tree.edges_by(tree.names)) == {
        ("A", "O"), ("O", "G"), ("G", "G s"), ("G", "G t"), ("O", "F"), ("G s", "G s u")
    }  # fmt: skip
    assert (tree.ranks["F"], tree.ranks["G t"], tree.ranks["G s u"]) == (
        "family", "species", "subspecies"
    )  # fmt: skip
    assert tree.titles == {"G s": "G s Linnaeus"}
    ids = "taxonID\tparentNameUsageID\tkingdom\torder\tscientificName\ttaxonRank\n"
    path.write_text(f"{ids}1\t\tA\t\tA\tkingdom\n2\t1\tA\tO\tO\torder\n")
    tree = read_hierarchy(path)
    assert (tree.edges_by(tree.names), tree.ranks, tree.titles) == (
        [("1", "2")], {"1": "kingdom", "2": "order"}, {"1": "A", "2": "O"}
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("A\tO\tM\t\t\t\nP\tQ\tM\t\t\t\n", "3: 'M' stands here otherwise than at .*2: are these two"),
        ("A\tO\tO\t\t\t\n", "2: 'O' stands here otherwise than at .*2: are these two taxa"),
        ("A\tO\tG\t\t\t\nA\t\tG\tG s\t\t\nB\tO\t\t\t\t\n", "'O' stands here otherwise"),
    ],
)  # fmt: skip
def test_two_taxa_of_one_name_are_refused(rows, said, tmp_path):
    path = tmp_path / "taxa.tsv"
    path.write_text(TAXA + rows)
    with pytest.raises(BadInput, match=said):
        read_hierarchy(path)
