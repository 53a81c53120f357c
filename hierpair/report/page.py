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
from hierpair.report.instances import TextOf, instances_data
from hierpair.report.packing import Section, packed_text, section, small_json
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
    text_of: TextOf,
    vary: bool,
    curves: Mapping[str, Curves | PooledCurve],
    warnings: Sequence[str],
) -> tuple[dict[str, Any], str]:
    """Return the data of a page: what it shows at once, and the container that it unpacks.

    ``worst`` instances are in a list, ``text_of`` tells their texts, conventions are varied or not,
    and the warnings are those from before there were scores.
    """
    labels, sections, hierarchy = subject.labels, list[Section](), None
    has_instances = labels is not None and subject.has_instances
    if labels is not None:
        h = labels.hierarchy
        came = labels.truth, *labels.systems.values()
        truth, *systems = (that_count(h, labels.truth, side) for side in came)
        tree, most = drawn_tree(h), MOST_CONFUSIONS // len(systems)
        mistakes = [confusions(truth, sets, most) for sets in systems]
        sections += tree.sections(h)
        sections += class_sections(*class_counts(h, truth, systems, tree), tree)
        sections += confusion_sections(mistakes, tree)
        hierarchy = {
            "text": h.describe(","),
            "n_classes": len(h),
            "shape": "directed acyclic graph" if h.shape == "DAG" else h.shape,
            "drawn": tree.sentence,
        }
        if has_instances:
            found = instances_data(subject, labels, worst, tree.place, text_of)
            sections.append(section("instances", found))
    tables, drawn = beside_the_scores(subject, vary=vary, curves=curves)
    sections += drawn
    doubts, notes = warnings_and_notes(subject)
    scores = subject.scores
    main = {
        "title": title,
        "version": __version__,
        "hierarchy": hierarchy,
        "n_instances": scores.n_instances,
        "n_labels": scores.mean_labels or None,
        "systems": subject.systems,
        "measures": [measure_record(m) for m in subject.measures],
        "warnings": [*warnings, *doubts],
        "notes": notes,
        "scores": subject.values,
        "comparison": comparison_block(subject),
        "tables": tables,
        "has": {"classes": labels is not None, "instances": has_instances, "charts": bool(drawn)},
        "absent": subject.absent,
    }
    return main, packed_text(sections)


LONGEST_NAME = 121
"""Characters of a name in the part without scripts, which has no way to show more on demand."""


def page_html(main: dict[str, Any], packed: str) -> str:
    """Return the whole file."""
    marks = {
        "title": _text(main["title"]),
        "csp": _policy(),
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


@cache
def style() -> str:
    """Return all style sheets as one, that of the page first."""
    names = sorted(name for name in _names() if name.endswith(".css"))
    names.sort(key=lambda name: name != "page.css")
    return "\n".join(_file(name) for name in names)


@cache
def script() -> str:
    """Return all scripts as one function: what others need first, what starts them last."""
    names = sorted(name for name in _names("js") if name.endswith(".js"))
    names.sort(key=lambda name: (name != "dom.js") + 2 * (name == "main.js"))
    parts = [_file("js", name) for name in names]
    return "\n".join(["(() => {", '"use strict";', *parts, "})();"])


@cache
def loader() -> str:
    """Return the script that unpacks the others, which would be two thirds of a small page."""
    return _file("loader.js")


@cache
def _code() -> str:
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.b64encode(deflate.compress(script().encode()) + deflate.flush()).decode()


def _policy() -> str:
    """Return the content security policy: nothing but what stands in the file."""
    own = " ".join(f"'sha256-{_digest(text)}'" for text in (loader(), script()))
    return (
        f"default-src 'none'; script-src {own}; style-src 'sha256-{_digest(style())}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _names(*folder: str) -> list[str]:
    return [entry.name for entry in files(__package__).joinpath(*folder).iterdir()]


def _file(*path: str) -> str:
    return files(__package__).joinpath(*path).read_text("utf-8").replace("\r\n", "\n")


# ---------------------------------------------------------------- without scripts


def _static(main: Mapping[str, Any]) -> str:
    """Return title, scores, each with its full value, and what is said, where no script runs."""
    hierarchy, comparison = main["hierarchy"], main["comparison"]
    lead = counted(main["n_instances"], "instance", ",")
    lead += f"; {hierarchy['text']}" if hierarchy else ""
    caption, rows = "Scores; ↑ higher is better, ↓ lower is better", list[str]()
    caption += "; † significantly worse than the best" if comparison else ""
    heads = [f"{_text(m['label'])} {'↑' if m['higher'] else '↓'}" for m in main["measures"]]
    for i, name in enumerate(main["systems"]):
        cells = [f'<th scope="row">{_text(name)}</th>']
        for k, x in enumerate(map(float, main["scores"][i])):
            mark = "†" if comparison and comparison["worse"][i][k] else ""
            shown = "–" if isnan(x) else number(x, 4)
            cells.append(f'<td class="num"><data value="{x!r}">{shown}</data>{mark}</td>')
        rows.append(f"<tr>{''.join(cells)}</tr>")
    head = "".join(f'<th scope="col" class="num">{text}</th>' for text in heads)
    told = [f"{m['label']}: {m['meaning']} {m['conventions']}" for m in main["measures"]]
    lists = {"Warnings": main["warnings"], "Measures": told, "Not on this page": main["absent"]}
    said = [
        f'<section class="{"warnings" if title == "Warnings" else "panel"}"><h2>{title}</h2><ul>'
        + "".join(f"<li>{html_text(line)}</li>" for line in lines) + "</ul></section>"
        for title, lines in lists.items() if lines
    ]  # fmt: skip
    return "\n".join(
        [
            f'<div id="static"><h1>{_text(main["title"])}</h1>',
            f'<p class="lead">{html_text(lead)}</p>',
            *said[: bool(main["warnings"])],
            '<section class="panel"><div class="scroll">',
            f'<table class="plain scores"><caption>{html_text(caption)}</caption>',
            f'<thead><tr><th scope="col">system</th>{head}</tr></thead><tbody>',
            *rows,
            "</tbody></table></div></section>",
            *said[bool(main["warnings"]) :],
            "</div>",
        ]
    )


def _text(name: str) -> str:
    """Return a name as HTML, a long one cut; signs that would reorder the line are spelled out."""
    return html_text(shortened(name, LONGEST_NAME))
