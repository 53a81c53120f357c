"""Write the numbers of docs/cases.md from the bundled cases: ``python docs/write_cases.py``."""

import os
from itertools import groupby
from pathlib import Path

from markdown_parts import renewed

from hierpair import verify
from hierpair.verification import Verification
from hierpair.verification.cases import DATA

PAGE = Path(__file__).with_name("cases.md")


def page(found: Verification) -> str:
    """Return the whole page, from all cases without the data that do not come with hierpair."""
    by_source = groupby(found.verdicts, key=lambda v: v.case.partition("-")[0])
    sources = [f"- {source}: {Verification(tuple(some)).summary}." for source, some in by_source]
    return renewed(PAGE, "\n".join([f"{found.summary}.", "", *sources]))


if __name__ == "__main__":
    os.environ.pop(DATA, None)
    PAGE.write_text(page(verify()), encoding="utf-8")
