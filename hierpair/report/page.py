"""The HTML file: data, template, style and script, and what is shown without scripts."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from hierpair._version import __version__
from hierpair.labels.sets import that_count
from hierpair.probabilistic.curves import Curves, PooledCurve
from hierpair.report.counts import (
    MOST_CONFUSIONS,
    class_sections,
    confusion_sections,
    confusions,
)
from hierpair.report.drawn_tree import drawn_tree
from hierpair.report.instances import instances_data
from hierpair.report.packing import packed_text, small_json
from hierpair.report.subject import Subject, comparison_block, measure_record, warnings_and_notes
from hierpair.report.tables import beside_the_scores
from hierpair.tables.forms import FORMS, html_text, small_page
from hierpair.tables.records import json_text


def report_data(
    subject: Subject,
    *,
    title: str,
    worst: int,
    texts: Mapping[str, str],
    vary: bool,
    curves: Mapping[str, Curves | PooledCurve],
    warnings: Sequence[str],
) -> tuple[dict[str, Any], str, str]:
    """Return the data of a page: what it shows at once, the container that it unpacks, and HTML.

    The HTML is for where no script runs. ``worst`` instances are in a list, texts are by id,
    conventions are varied or not, and the warnings are those from before there were scores.
    """
    labels, sections, hierarchy = subject.labels, dict[str, Any](), None
    if labels is not None:
        h = labels.hierarchy
        came = labels.truth, *labels.systems.values()
        truth, *systems = (that_count(h, labels.truth, side) for side in came)
        tree, most = drawn_tree(h), MOST_CONFUSIONS // len(systems)
        sections |= tree.sections(h)
        sections |= class_sections(h, truth, systems, tree)
        sections |= confusion_sections([confusions(truth, s, most) for s in systems], tree)
        hierarchy = {
            "text": h.describe(","),
            "n_classes": len(h),
            "shape": "directed acyclic graph" if h.shape == "DAG" else h.shape,
            "drawn": tree.sentence,
        }
        if subject.paired:
            sections["instances"] = instances_data(subject, worst, tree.place, texts)
    tables, charts = beside_the_scores(subject, vary=vary, curves=curves)
    sections |= {"charts": charts} if charts else {}
    doubts, notes = warnings_and_notes(subject)
    scores, has = subject.scores, ("instances", "charts")
    main = {
        "title": title,
        "version": __version__,
        "hierarchy": hierarchy,
        "n_instances": scores.n_instances,
        "n_labels": scores.mean_labels or None,
        "systems": subject.systems,
        "measures": [measure_record(m) for m in scores.measures],
        "warnings": [*dict.fromkeys([*warnings, *doubts])],
        "notes": notes,
        "scores": subject.values,
        "comparison": comparison_block(subject, notes),
        "tables": tables,
        "has": {"classes": labels is not None} | {name: name in sections for name in has},
        "absent": subject.absent,
    }
    return main, packed_text(sections), without_scripts(subject, main)


def page_html(main: dict[str, Any], packed: str, static: str) -> str:
    """Return the whole file; its policy allows nothing but what stands in it.

    ``static`` is what it shows without scripts.
    """
    digests = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (loader(), script(), style())
    ]
    load, run, look = (f"'sha256-{digest}'" for digest in digests)
    marks = {
        "title": html_text(main["title"]),
        "csp": f"default-src 'none'; script-src {load} {run}; style-src {look}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'",
        "style": style(),
        "static": static,
        "data": embedded_json(main),
        "packed": packed,
        "code": base64.b64encode(zlib.compress(script().encode(), 9, -zlib.MAX_WBITS)).decode(),
        "script": loader(),
    }
    return re.sub(r"@(\w+)@", lambda found: marks[found[1]], _file("page.html"))


def embedded_json(data: Any) -> str:
    r"""Return JSON that cannot end the element it stands in, whatever texts it holds.

    >>> embedded_json({"name": "</script><!--"})
    '{"name":"\\u003c/script>\\u003c!--"}'
    """
    text = small_json(json.loads(json_text(data, indent=None))).decode()
    for sign in "<\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


STYLES = ("page", "classes", "views")
"""Style sheets, that of the page first;"""

SCRIPTS = """dom class_chart class_counts class_details classes container explanations instances
measures mistakes overview search main"""
"""and scripts: what others need first, what starts them last."""


@cache
def style() -> str:
    """Return all style sheets as one."""
    return "\n".join(_file(f"{name}.css") for name in STYLES)


@cache
def script() -> str:
    """Return all scripts as one function."""
    parts = [_file("js", f"{name}.js") for name in SCRIPTS.split()]
    return "\n".join(["(() => {", '"use strict";', *parts, "})();"])


@cache
def loader() -> str:
    """Return the script that unpacks the others, which would be two thirds of a small page."""
    return _file("loader.js")


def _file(*path: str) -> str:
    return files(__package__).joinpath(*path).read_text("utf-8").replace("\r\n", "\n")


# ---------------------------------------------------------------- without scripts


def without_scripts(subject: Subject, main: Mapping[str, Any]) -> str:
    """Return title, tables of the scores, and what has to be known, where no script runs."""
    shown = (subject.comparison or subject.scores).content().page(FORMS["html"])
    told = [*dict.fromkeys([*main["warnings"], *shown.notes, *main["absent"]])]
    tables = small_page(replace(shown, notes=told))
    tables = re.sub('style="text-align: (left|right)"', r'class="\1"', tables)  # by the policy
    return (
        f'<div id="static"><h1>{html_text(main["title"])}</h1>'
        f'<section class="panel"><div class="scroll">{tables}</div></section></div>'
    )
