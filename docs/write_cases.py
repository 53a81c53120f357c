"""Write docs/cases.md from the bundled cases: ``python docs/write_cases.py``."""

import os
from itertools import groupby
from pathlib import Path

from hierpair import verify
from hierpair.verification import Verification
from hierpair.verification.cases import DATA

INTRO = """\
<!-- Written by python docs/write_cases.py; do not edit. -->

# Published numbers, recomputed

`hierpair verify` recomputes every number below from its data and exits with code 1 if one is
wrong. A number is *met* if the computed one is within half a unit of its last decimal (a number
printed without decimals is meant exactly). Some numbers were truncated instead of rounded, or
were computed from truncated numbers. A number *in error* has a reason and a reading that gives
the printed number; the reading is recomputed too. *Not decided* are numbers that do not follow
from the printed numbers but need not be errors, such as ranks that rest on a sign test. *Needs
models* are numbers that require the models, or predictions that are not public. A set of classes
is met if it is the same. The [errata](errata.md) page explains each error, and
`hierpair verify --open` lists every number that is not simply met, with the reason.

```bash
hierpair verify                              # everything that comes with hierpair
hierpair verify kosmopoulos2014-figure17a    # one case; the beginning of a name is enough
hierpair verify --open                       # numbers that are not simply met
hierpair verify --list                       # what the cases are
hierpair explain --case riehl2023-figure4c --view hierarchy --picture figure.svg
hierpair verify --data DIR                   # with labels that do not come with hierpair
hierpair score --case transposon             # the data of a case, under any measure
```

The label data of GermEval 2019 are CC BY-NC, and those of Hierarchical WikiVitals are large, so
they do not come with hierpair; `cases/germeval2019.toml` and `cases/plaud2024.toml` state which
files the data folder needs. Without them
only those numbers are recomputed that follow from other printed numbers, as below.

A damaged file does not stop the other cases: the case is reported as an error, with the message,
and the exit code is 2. Findings about files are listed before the table: instances that are
missing in a system's file (exit code 1), and systems without a file.
Text is at most 100 columns wide, or as wide as `COLUMNS` says (at least 60); CSV, JSON and the
other forms have one row per number.
"""


def page(found: Verification) -> str:
    """Return the whole page, from all cases without the data that do not come with hierpair."""
    by_source = groupby(found.verdicts, key=lambda v: v.case.partition("-")[0])
    sources = [f"- {source}: {Verification(tuple(some)).summary}." for source, some in by_source]
    return "\n".join([INTRO, f"{found.summary}.", "", *sources, ""])


if __name__ == "__main__":
    os.environ.pop(DATA, None)
    Path(__file__).with_name("cases.md").write_text(page(verify()), encoding="utf-8")
