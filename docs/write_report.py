"""Write the report that pages link to, of a case that comes with hierpair."""

from pathlib import Path

from hierpair import score
from hierpair.report import write_report
from hierpair.verification import load_case

__all__ = ["NAME", "write"]

NAME = "transposon-report.html"
"""Beside the pages."""

MEASURES = ["hf", "gie", "mgia", "lca_f", "subset_accuracy"]


def write(folder: Path) -> None:
    """Write the report into the folder of the HTML pages."""
    case = load_case("transposon")
    scores = score(case.hierarchy, case.y_true, dict(case.systems), MEASURES)
    write_report(scores, folder / NAME, title=case.title, paired=case.paired)
