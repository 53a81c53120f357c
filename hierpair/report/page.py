"""The HTML file: data, template, style and script, and what is shown without scripts."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import isnan
from typing import Any

from hierpair._version import __version__
from hierpair.errors import counted, shortened
from hierpair.labels.sets import that_count
from hierpair.probabilistic.curves import Curves, PooledCurve
from hierpair.report.counts import (
    MOST_CONFUSIONS,
    class_counts,
    class_sections,
    confusion_sections,
    confusions,
)
from hierpair.report.drawn_tree import drawn_tree
from hierpair.report.instances import instances_data
from hierpair.report.packing import packed_text, small_json
from hierpair.report.subject import Subject, comparison_block, measure_record, warnings_and_notes
from hierpair.report.tables import beside_the_scores
from hierpair.tables.forms import html_text
from hierpair.tables.records import json_text
from hierpair.tables.text import number


def report_data(
    subject: Subject,
    *,
    title: str,
    worst: int,
    texts: Mapping[str, str],
    vary: bool,
    curves: Mapping[str, Curves | PooledCurve],
    warnings: Sequence[str],
) -> tuple[dict[str, Any], str]:
    """Return the data of a page: what it shows at once, and the container that it unpacks.

    ``worst`` instances are in a list, texts are by id, conventions are varied or not, and the
    warnings are those from before there were scores.
    """
    labels, sections, hierarchy = subject.labels, dict[str, Any](), None
    if labels is not None:
        h = labels.hierarchy
        came = labels.truth, *labels.systems.values()
        truth, *systems = (that_count(h, labels.truth, side) for side in came)
        tree, most = drawn_tree(h), MOST_CONFUSIONS // len(systems)
        sections |= tree.sections(h)
        sections |= class_sections(*class_counts(h, truth, systems, tree), tree)
        sections |= confusion_sections([confusions(truth, s, most) for s in systems], tree)
        hierarchy = {
            "text": h.describe(","),
            "n_classes": len(h),
            "shape": "directed acyclic graph" if h.shape == "DAG" else h.shape,
            "drawn": tree.sentence,
        }
        if subject.has_instances:
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
        "warnings": [*warnings, *doubts],
        "notes": notes,
        "scores": subject.values,
        "comparison": comparison_block(subject, notes),
        "tables": tables,
        "has": {"classes": labels is not None} | {name: name in sections for name in has},
        "absent": subject.absent,
    }
    return main, packed_text(sections)


LONGEST_NAME = 121
"""Characters of a name in the part without scripts, which has no way to show more on demand."""


def page_html(main: dict[str, Any], packed: str) -> str:
    """Return the whole file; its policy allows nothing but what stands in it."""
    digests = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (loader(), script(), style())
    ]
    load, run, look = (f"'sha256-{digest}'" for digest in digests)
    marks = {
        "title": _text(main["title"]),
        "csp": f"default-src 'none'; script-src {load} {run}; style-src {look}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'",
        "style": style(),
        "static": _static(main),
        "data": embedded_json(main),
        "packed": packed,
        "code": _code(),
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


@cache
def _code() -> str:
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.b64encode(deflate.compress(script().encode()) + deflate.flush()).decode()


def _file(*path: str) -> str:
    return files(__package__).joinpath(*path).read_text("utf-8").replace("\r\n", "\n")


# ---------------------------------------------------------------- without scripts


def _static(main: Mapping[str, Any]) -> str:
    """Return title, scores, each with its full value, and what is said, where no script runs."""
    hierarchy, comparison, measures = main["hierarchy"], main["comparison"], main["measures"]
    lead = counted(main["n_instances"], "instance", ",")
    lead += f"; {hierarchy['text']}" if hierarchy else ""
    caption, worse = "Scores; ↑ higher is better, ↓ lower is better", main["scores"] * 0
    if comparison:
        caption, worse = f"{caption}; † significantly worse than the best", comparison["worse"]
    head = "".join(
        f'<th scope="col" class="num">{_text(m["label"])} {"↓↑"[m["higher"]]}</th>'
        for m in measures
    )
    rows = ""
    for name, scores, marks in zip(main["systems"], main["scores"], worse, strict=True):
        rows += f'<tr><th scope="row">{_text(name)}</th>'
        for x, mark in zip(scores.tolist(), marks, strict=True):
            value = "–" if isnan(x) else number(x, 4)
            rows += f'<td class="num"><data value="{x!r}">{value}</data>{"†" * bool(mark)}</td>'
        rows += "</tr>\n"
    told = [f"{m['label']}: {m['meaning']} {m['conventions']}" for m in measures]
    lists = {"Warnings": main["warnings"], "Measures": told, "Not on this page": main["absent"]}
    said = {
        title: f'<section class="{"warnings" if title == "Warnings" else "panel"}"><h2>{title}</h2>'
        f"<ul>{''.join(f'<li>{html_text(line)}</li>' for line in lines)}</ul></section>\n"
        for title, lines in lists.items()
        if lines
    }
    return f"""<div id="static"><h1>{_text(main["title"])}</h1>
<p class="lead">{html_text(lead)}</p>
{said.pop("Warnings", "")}<section class="panel"><div class="scroll">
<table class="plain scores"><caption>{html_text(caption)}</caption>
<thead><tr><th scope="col">system</th>{head}</tr></thead><tbody>
{rows}</tbody></table></div></section>
{"".join(said.values())}</div>"""


def _text(name: str) -> str:
    """Return a name as HTML, a long one cut; signs that would reorder the line are spelled out."""
    return html_text(shortened(name, LONGEST_NAME))
