"""Write the reports that the pages of fields link to: small data sets, drawn anew at every build.

``python docs/write_reports.py FOLDER`` writes them into a folder.
"""

import contextlib
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from transcript import ran

TAXA = {
    "Aves": {
        "Passeriformes": {"Corvidae": {"Corvus": "corax corone frugilegus", "Pica": "pica"},
                          "Paridae": {"Parus": "major", "Cyanistes": "caeruleus"},
                          "Turdidae": {"Turdus": "merula philomelos viscivorus"}},
        "Anseriformes": {"Anatidae": {"Anas": "crecca acuta", "Anser": "anser fabalis"}},
    },
    "Insecta": {
        "Lepidoptera": {"Nymphalidae": {"Vanessa": "atalanta cardui", "Aglais": "io urticae"},
                        "Pieridae": {"Pieris": "rapae napi brassicae"}},
        "Coleoptera": {"Coccinellidae": {"Coccinella": "septempunctata", "Harmonia": "axyridis"}},
    },
}  # fmt: skip

CODES = (
    "A00.0 A00.1 A01.0 A01.1 E10.2 E10.3 E11.2 E11.3 E11.4 E66.0 E66.8 I10.0 I20.0 I20.8 I21.0 "
    "I21.1 I21.4 I50.0 I50.1 J18.0 J18.1 J44.0 J44.1 N17.0 N17.9 N18.3 N18.4 N18.5"
)

SHOP = {
    "Food": {"Cheese": "Brie Gouda Feta", "Bread": "Rye Toast Baguette", "Fruit": "Apple Pear"},
    "Tools": {"Saws": "Hacksaw Jigsaw", "Hammers": "Mallet Sledge", "Drills": "Cordless Corded"},
    "Toys": {"Games": "Chess Puzzles", "Dolls": "Plush Paper"},
}

CELLS = {
    "lymphocyte": {"T cell": "CD4|CD8|gamma-delta", "B cell": "naive B|memory B|plasma"},
    "myeloid cell": {"monocyte": "classical|non-classical", "dendritic cell": "cDC1|cDC2|pDC"},
    "granulocyte": {"neutrophil": "immature|mature", "eosinophil": "resting|activated"},
}

TERMS = {
    "binding": {"ion binding": "zinc|iron|calcium", "nucleic acid binding": "DNA|RNA"},
    "catalysis": {"hydrolase": "peptidase|lipase|nuclease", "transferase": "kinase|glycosyl"},
    "transport": {"channel": "potassium|sodium", "carrier": "sugar|amino acid"},
}

Row = tuple[str, ...]


def ways(tree: object, above: Row = (), sign: str = "|") -> Iterator[Row]:
    """Yield the ways from the top to every leaf of nested names."""
    if isinstance(tree, dict):
        for name, below in tree.items():
            yield from ways(below, (*above, name), sign)
    else:
        yield from ((*above, name) for name in str(tree).split(sign))


def guess(rng: random.Random, way: Row, every: list[Row], right: float) -> Row:
    """Return the way itself, one that leaves it at some level, or one that stops early."""
    if rng.random() < right:
        return way
    level = rng.randrange(len(way))
    near = [other for other in every if other[:level] == way[:level]]
    return rng.choice(near) if rng.random() < 0.8 else way[: max(1, level)]


Names = Callable[[Row], str]
"""Returns the class at the end of a way."""


def write_labels(
    rng: random.Random, every: list[Row], name: Names, most: int = 1, *, scored: bool = False
) -> None:
    """Write the labels of 150 instances, and what two systems say of them."""
    truth = {f"x{k}": rng.sample(every, rng.randint(1, most)) for k in range(150)}
    for system, right in (("truth", 1.0), ("first", 0.75), ("second", 0.55)):
        lines = []
        for instance, labels in truth.items():
            said = {name(guess(rng, way, every, right)): None for way in labels}
            if scored and system != "truth":
                lines += [f"{instance}\t{x}\t{rng.uniform(0.3, 1):.3f}" for x in said]
                more = name(rng.choice(every))
                lines += [f"{instance}\t{more}\t{rng.uniform(0.05, 0.6):.3f}"] * (more not in said)
            else:
                lines.append(f"{instance}\t{'|'.join(said)}")
        Path(f"{system}.tsv").write_text("\n".join(lines) + "\n", "utf-8")


def write_obo(tree: object, prefix: str) -> dict[Row, str]:
    """Write nested names as an ontology; return the ids of terms by their ways."""
    ids: dict[Row, str] = {(): f"{prefix}:0000000"}
    for way in ways(tree):
        for k in range(1, len(way) + 1):
            ids.setdefault(way[:k], f"{prefix}:{len(ids):07}")
    terms = ["format-version: 1.2\n"]
    for way, term in ids.items():
        above = f"is_a: {ids[way[:-1]]}\n" if way else ""
        title = " ".join(reversed(way[1:])) or "".join(way) or "top"
        terms.append(f"[Term]\nid: {term}\nname: {title}\n{above}")
    Path("ontology.obo").write_text("\n".join(terms), "utf-8")
    return ids


def proteins(rng: random.Random) -> str:
    """Terms with scores."""
    ids = write_obo(TERMS, "GO")
    write_labels(rng, list(ways(TERMS)), ids.__getitem__, 3, scored=True)
    return "ontology.obo truth.tsv first.tsv second.tsv --min-score 0.5 -m hf -m best_match_average"


def cells(rng: random.Random) -> str:
    """Names of cell types in place of ids."""
    ids = write_obo(CELLS, "CL")
    title = {way: " ".join(reversed(way[1:])) or "".join(way) for way in ids}
    write_labels(rng, list(ways(CELLS)), title.__getitem__)
    return "ontology.obo truth.tsv first.tsv second.tsv --other-names all"


def taxa(rng: random.Random) -> str:
    """A table with a column per rank, as Darwin Core has."""
    every = list(ways(TAXA, sign=" "))
    header = "class,order,family,genus,specificEpithet"
    Path("taxa.csv").write_text("\n".join([header, *map(",".join, every)]) + "\n", "utf-8")
    write_labels(rng, every, lambda way: " ".join(way[3:]) or way[-1])
    return "taxa.csv truth.tsv first.tsv second.tsv --roots any"


def codes(rng: random.Random) -> str:
    """Codes whose beginnings are the codes above them."""
    every = [(code[0], code[:3], code) for code in CODES.split()]
    known = sorted({code for way in every for code in way})
    Path("icd.txt").write_text("\n".join(known) + "\n", "utf-8")
    write_labels(rng, every, lambda way: way[-1], 4)
    return (
        "icd.txt truth.tsv first.tsv second.tsv --hierarchy-format codes --roots any "
        "-m 'f(average=micro)' -m hf -m 'count_f(average=micro)'"
    )


def catalogue(rng: random.Random) -> str:
    """Paths of categories."""
    every = list(ways(SHOP, sign=" "))
    Path("shop.txt").write_text("\n".join(map(" > ".join, every)) + "\n", "utf-8")
    write_labels(rng, every, " > ".join)
    return "shop.txt truth.tsv first.tsv second.tsv --hierarchy-separator ' > ' --roots any"


REPORTS = {
    "protein-function": proteins, "single-cells": cells, "biodiversity": taxa,
    "clinical-codes": codes, "product-catalogues": catalogue,
}  # fmt: skip
"""What writes the files of a field, and returns what the report is made of."""


def write(folder: Path) -> None:
    """Write a report per field into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for field, files in REPORTS.items():
        with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
            given = files(random.Random(field))
            ran(f"hierpair report {given} --quiet -o '{folder.resolve()}/{field}-report.html'")


if __name__ == "__main__":
    write(Path(sys.argv[1]).resolve())
