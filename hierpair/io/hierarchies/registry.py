"""Hierarchies from files and back: lines, lineages, codes, tables, dumps, JSON; the three verbs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from hierpair.errors import (
    BadInput,
    check_choice,
    check_known,
    check_unique,
    listed,
    shown,
)
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.building import Tell, refuse_fault
from hierpair.hierarchy.edge_list import (
    WHOLE,
    EdgeList,
    Record,
    collected,
    cycles_broken,
    has_role,
    is_word,
    names_edges,
    names_ranks,
    read_table,
    refuse,
    whole_numbers,
)
from hierpair.hierarchy.sources import (
    code_edges,
    edges_of,
    lineage_edges,
)
from hierpair.io.files import FilePath
from hierpair.io.formats import (
    Format,
    Formats,
    Source,
    checked,
    json_objects,
    parse_json,
    quoted_rows,
    table_rows,
    text_name,
)
from hierpair.io.hierarchies.ontologies import JSON_LD, OBO, SKOS_FORMAT
from hierpair.io.hierarchies.taxdump import NODES, TAXDUMP, in_folder
from hierpair.io.text import collector_paused

DOWN = ["parent", "child"]
WEIGHTED = [*DOWN, "weight"]
"""How the header of edges begins; it is always written, so that no class is taken for one."""

OTHER_SIGN = re.compile(r" ?(->|>|--|::) ?")
"""What stands between the classes of a lineage, where it is not a slash."""

MEND = (
    "; fields are separated by tabs (without any tab in the file, by blanks), or in a table with a "
    "header, such as parent,child, by commas; lineages need --hierarchy-separator ' > ' (in "
    "Python, separator=' > '), and codes the hierarchy format codes"
)

# ---------------------------------------------------------------- reading


def _edges(source: Source, n_fields: int = 2) -> EdgeList:
    header, at, edges = _header(source), list[int](), list[Any]()
    n_fields = 3 if header == WEIGHTED else n_fields
    for number, fields in zip(*_rows(source), strict=True):
        if len(fields) == n_fields:
            at.append(number)
            edges.append(fields)
        else:
            source.fault(number, f"expected {n_fields} fields, got {len(fields)}{MEND}")
    if edges and any(map(WHOLE.fullmatch, edges[0][:2])):
        above, below, *rest = zip(*edges, strict=True)
        columns = whole_numbers(above, below), whole_numbers(below, above)
        edges = list(zip(*columns, *rest, strict=True))
    headed, path = is_line_header(header), source.path
    told = EdgeList(edges, lambda i: f"{path}:{at[i]}", lines=not headed)
    turned = headed and has_role(header[1], "parent")
    return replace(told.led("child-to-parent"), direction="keys") if turned else told


def _taxonomy(source: Source) -> Iterator[Record]:
    for number, (parent, *children) in zip(*_rows(source), strict=True):
        while children and not children[-1]:
            children.pop()
        yield number, None, parent
        for child in children:
            yield number, parent, child


def _rows(source: Source) -> tuple[Sequence[int], list[list[str]]]:
    numbers, rows = source.rows
    if not rows:
        source.fault(0, "no line holds a class")
    first = bool(rows) and is_line_header(rows[0])
    return numbers[first:], rows[first:]


# ---------------------------------------------------------------- knowing them by their content


def is_line_header(fields: list[str]) -> bool:
    """Whether a line is a header of edges, taxonomies or parents, which these pass over."""
    if len(fields) < 2 or not names_edges(fields[:2]):
        return False
    rest = fields[2:]
    weighted = len(rest) == 1 and has_role(rest[0], "weight")
    return weighted or all(has_role(field, "child") for field in rest)


def _header(source: Source) -> list[str]:
    return [field.lower() for fields in source.rows[1][:1] for field in fields]


def _are_taxonomy(source: Source) -> bool:
    """Whether a line has more than two fields; where all have as many, it may be another table."""
    numbers, rows = source.rows
    widths = [len(fields) for fields in rows]
    if "\t" not in source.text or max(widths, default=0) < 3:
        return False
    if len(rows) > 1 and len({*widths}) == 1 and not is_line_header(rows[0]):
        raise BadInput(
            f"{source.place(numbers[0])}: is this a table, or a line per parent? Name the columns "
            "in the first line, such as id, parent (or give "
            f"--child-column, --parent-column, of {listed(rows[0])}); otherwise set the hierarchy "
            "format to taxonomy or weighted-edges"
        )
    place = source.place(numbers[widths.index(max(widths))])
    check_unique((parent for parent, *_ in rows), lambda parent: (
        f"{place}: a line of more than two fields, where lines have the same parent {parent!r}; "
        "fix it, or set the hierarchy format to taxonomy"  # which has a line per parent
    ))  # fmt: skip
    return True


# ---------------------------------------------------------------- lineages and codes


def _read_paths(source: Source) -> EdgeList:
    sign: str = source.options.get("separator", "/")
    bare, (numbers, lines) = sign.strip(), source.content
    wide = f" {bare} "  # with blanks where all lines have them
    if sign != "/" and bare and all(x.count(bare) == x.count(wide) for x in lines):
        sign = wide

    def rows() -> Iterator[tuple[int, str]]:
        for number, line in zip(numbers, lines, strict=True):
            if "\t" in line:
                source.fault(number, f"expected one class as top{sign}middle{sign}class, got a tab")
            else:
                yield number, line.strip()

    direction = source.options.get("direction")
    return lineage_edges(rows(), sign, source.place, source.trouble, direction)


def _are_paths(source: Source) -> bool:
    """Whether lines are paths such as ``top/middle/class``; edges may have slashes in names."""
    if "separator" in source.options:
        return True
    if "\t" in source.text or "/" not in source.text:
        return False
    lines = [*map(str.strip, source.content[1])]
    others = [found[0] for found in map(OTHER_SIGN.search, lines) if found]
    if 2 * len(others) > len(lines):
        raise BadInput(
            f"{source.path}: are these lineages, separated by {others[0]!r} or by '/'? Set "
            f"the separator (--hierarchy-separator '{others[0]}' or '/')"
        )
    if any(line[0] == "/" or line[-1] == "/" or "//" in line for line in lines):
        return False
    two_words = all(len(line.split()) == 2 for line in lines)
    # "food food/bread" is an edge, "food/soft cheese" a path
    if two_words and any("/" in line.split()[0] and "/" not in line.split()[1] for line in lines):
        raise BadInput(
            f"{source.path}: is {lines[0]!r} an edge, parent and child, or a path? Set the "
            "hierarchy format to edges or paths"
        )
    return not two_words


def _read_codes(source: Source) -> EdgeList:
    """Codes, each perhaps with a title after a tab: the parent is what a code begins with."""
    line_of, titles = {}, {}
    for number, line in zip(*source.content, strict=True):
        code, _, title = (field.strip() for field in line.partition("\t"))
        line_of[code] = number
        if title:
            titles[code] = title
    found = code_edges(line_of, *map(source.options.get, ("separator", "widths")))
    return replace(
        found, titles=titles, where=lambda i: source.place(line_of.get(found.edges[i][1], 0))
    )


PATHS = Format(
    "paths",
    "one class per line as top/middle/class, or with another --hierarchy-separator; a class is "
    "named by its whole path",
    _read_paths, detect=_are_paths, options=("separator",),
)  # fmt: skip
CODES = Format(
    "codes",
    "one code per line, and perhaps a title: the parent is the longest code that it begins with, "
    "or the code before the last --hierarchy-separator, or by --hierarchy-widths of levels",
    _read_codes, options=("separator", "widths"),
)  # fmt: skip

# ---------------------------------------------------------------- tables with a header

SIGNS = (",", ";", "\t")
"""What separates the fields of a table."""


def _read_table(source: Source) -> EdgeList:
    """A table of classes and their parents, or of levels; a blank parent is a root."""
    path, options = source.path, source.options
    named = options.get("child_column"), options.get("parent_column")
    sign = _header_sign(source.head, *named) or max(SIGNS, key=source.head.count)
    rows = [
        (k, [*map(str.strip, x)])
        for k, x in table_rows(source, quoted_rows(path, source.lines, sign))
    ]
    (first, header), *rows = rows

    def values(name: str) -> list[str]:
        check_known("column", name, header, str(path))
        return [fields[header.index(name)] for _, fields in rows]

    if levels := options.get("levels"):
        lineages = zip((k for k, _ in rows), zip(*map(values, levels), strict=True), strict=True)
        sign, direction = options.get("separator", "/"), options.get("direction")
        return lineage_edges(lineages, sign, source.place, source.trouble, direction, levels)
    return read_table(
        header, values, lambda i: f"{path}:{rows[i][0]}", source.trouble, named=named,
        about=f"{path}:{first}: ",
        mend="; write a header such as parent,child, or name the columns (--parent-column, "
        "--child-column, or from the top --hierarchy-levels)",
    )  # fmt: skip


def _is_edge_table(source: Source) -> bool:
    sign = _header_sign(source.head)
    header = _header(source)
    own = sign == "\t" and header[:2] == DOWN and is_line_header(header)  # not quoted
    known = sign is not None and not own
    return known or (source.ending == ".csv" and "\t" not in source.text)


def _header_sign(line: str, *named: str | None) -> str | None:
    """Return what separates the fields of a header that names parent and child, or None."""
    given = {*named} - {None}
    for sign in SIGNS:
        header = [field.strip().strip('"') for field in line.split(sign)]
        differ = len(set(header)) == len(header)  # parent, child, child is that of a taxonomy
        told = given <= {*header} if given else names_edges(header) or names_ranks(header)
        if differ and told:
            return sign
    return None


EDGE_TABLE = Format(
    "csv",
    "a table with a header, such as parent,child or id,name,parent_id, separated by commas, "
    "semicolons or tabs; a blank parent marks a root; or a column per rank, such as order, family, "
    "genus (Darwin Core); or with --hierarchy-levels a column per level",
    _read_table, detect=_is_edge_table,
    options=("parent_column", "child_column", "levels", "separator"),
)  # fmt: skip

# ---------------------------------------------------------------- dumps of known makers


DUMPED = re.compile("parent: *(.*?) +child: *(.*?)(?: +child-description: .*)?")


def _dumped(source: Source) -> Iterator[Record]:
    """Every line names a class and its parent; of a root that is itself, or None."""
    for number, text in zip(*source.content, strict=True):
        found = DUMPED.fullmatch(text.strip())
        if found is None:
            source.fault(number, f"expected parent: … child: …, got {shown(text, 40)}")
        else:
            parent, child = found.groups()
            yield number, None if parent in ("None", child) else parent, child


RCV1 = Format(
    "rcv1",
    "lines parent: … child: … child-description: …, as rcv1.topics.hier.orig",
    lambda source: collected(source.place, _dumped(source), direction="parent-to-child"),
    detect=lambda source: source.text.lstrip().startswith("parent:"),
)

# ---------------------------------------------------------------- writing


def _write_edges(hierarchy: Hierarchy) -> str:
    names = checked(hierarchy.names, "\t\n\r", "class")
    rows = hierarchy.edges_by(names)
    for alone in sorted({*names} - {name for row in rows for name in row[:2]})[:1]:
        raise BadInput(f"class {alone!r} has no edge, which edges cannot express; write json")
    header = WEIGHTED[: len(rows[0])]
    return "\n".join("\t".join(map(str, row)) for row in [header, *rows])


def _lost(hierarchy: Hierarchy) -> list[str]:
    held = {
        "other names": hierarchy.aliases,
        "names for people": hierarchy.titles,
        "ranks": hierarchy.ranks,
    }
    lost = [f"{len(of)} {what}" for what, of in held.items() if of]
    return [f"{some} of classes are lost; json keeps them" for some in lost]


EDGES = Format(
    "edges", "parent TAB child; without any tab in the file, separated by blanks", _edges,
    _write_edges, lambda source: True, notes=_lost,
)  # fmt: skip
WEIGHTED_EDGES = Format(
    "weighted-edges", "the same with a weight ≥ 0 as third field",
    lambda source: _edges(source, n_fields=3),
    detect=lambda source: _header(source) == WEIGHTED,
)  # fmt: skip
TAXONOMY = Format(
    "taxonomy", "parent TAB child TAB child …",
    lambda source: collected(source.place, _taxonomy(source), lines=True), detect=_are_taxonomy,
)  # fmt: skip

LINE_ENDINGS = (".jsonl", ".ndjson")

OBO_GRAPHS = "an ontology as OBO graphs; take its OBO file (robot convert -i FILE -o FILE.obo)"
"""Ontologies in JSON, and what to do with them."""


def _read_json(source: Source) -> EdgeList:
    """Return what a JSON file says, in one of the many forms that docs/formats.md lists."""
    path, direction = source.path, source.options.get("direction")
    by_line, trouble = source.ending in LINE_ENDINGS, partial(source.fault, 0)
    data = [x for _, x in json_objects(source)] if by_line else parse_json(path, source.text)
    if isinstance(data, dict):
        is_ld = not {"@graph", "@context"}.isdisjoint(data)
        graphs = data.get("graphs")
        if is_ld or (isinstance(graphs, list) and graphs and "nodes" in graphs[0]):
            raise BadInput(f"this is {JSON_LD if is_ld else OBO_GRAPHS}")
    separator = source.options.get("separator", "/")
    found = edges_of(data, direction, separator, text_name, trouble)
    where = found.where
    return replace(found, where=lambda i: f"{path}: {where(i)}")


def _write_json(hierarchy: Hierarchy) -> str:
    names = checked(hierarchy.names, "", "class")
    said: dict[str, Any] = {"classes": names, "edges": hierarchy.edges_by(names)}
    for key in ("aliases", "titles", "ranks"):
        if others := getattr(hierarchy, key):
            said[key] = {str(name): str(value) for name, value in others.items()}
    return json.dumps(said, ensure_ascii=False)


JSON = Format(
    "json",
    "JSON: edges, a parent map, nested dicts, nested children, or records (in .jsonl one a line)",
    _read_json, _write_json,
    lambda source: source.text.lstrip().startswith(("{", "[{", "[[", "[ ", "[\n", '["')),
    endings=(".json", *LINE_ENDINGS), options=("separator",),
)  # fmt: skip


# ---------------------------------------------------------------- the registry and its verbs

HIERARCHY_FORMATS: Formats[EdgeList] = Formats(
    "hierarchy format",
    "hierarchies",
    (
        EDGES,
        TAXONOMY,
        PATHS,
        CODES,
        EDGE_TABLE,
        WEIGHTED_EDGES,
        RCV1,
        TAXDUMP,
        OBO,
        SKOS_FORMAT,
        JSON,
    ),
)
"""Every form of hierarchies by the name that ``fmt`` takes."""


@collector_paused()
def read_hierarchy(
    path: FilePath, *, fmt: str = "auto", relations: Sequence[str] = ("is_a",),
    namespace: str | None = None, undefined: str = "error", parent_column: str | None = None,
    child_column: str | None = None, levels: Sequence[str] | None = None,
    separator: str | None = None, widths: Sequence[int] | None = None,
    direction: str | None = None, roots: str | None = None,
    break_cycles: str | None = None, names: FilePath | None = None,
    on_note: Tell | None = None,
) -> Hierarchy:  # fmt: skip
    """Read a hierarchy from a file.

    Parameters
    ----------
    path
        The file; ``-`` is standard input, ``.gz`` is unpacked. The folder of NCBI's taxdump stands
        for its nodes.dmp, beside which names.dmp and merged.dmp are read.
    fmt
        A name in ``HIERARCHY_FORMATS`` (``edges``, ``weighted-edges``, ``taxonomy``, ``paths``,
        ``codes``, ``csv``, ``obo``, ``json``, ``skos``, ``rcv1``, ``ncbi``), or ``"auto"``: by the
        ending of the file; otherwise by its content: JSON by its first character, ``obo``,
        ``skos``, ``rcv1`` and ``ncbi`` by how they begin (``[Term]``, ``<?xml``, ``@prefix``,
        ``parent:``), ``weighted-edges`` by the header ``parent``, ``child``, ``weight``, ``csv``
        by another one that names parent and child, ``paths`` if there is no tab and names stand
        between slashes, ``taxonomy`` if some line has more than two tab-separated fields, otherwise
        ``edges``. As many fields in every line, more than two, may be a table: say which.
        ``codes`` must be named.

        A first line ``parent``/``child`` in line formats is taken as a header. Empty lines, and
        lines ``# …`` at the beginning, are passed over.
    relations, namespace
        For OBO: relations that lead from a term to its parent, and the only namespace to take.
    undefined
        For OBO and SKOS: a parent that the file does not define, or that is obsolete, is an
        ``"error"``, or the edge to it is left out (``"drop"``) with a note.
    parent_column, child_column
        For ``csv``: the columns; by default those with usual names.
    levels
        For ``csv``: the columns of levels from the top, instead of these.
    separator
        Between the classes of a lineage (default: ``/``) or the parts of a code.
    widths
        For ``codes``, which it implies: how many characters each level adds, such as
        ``(2, 2, 2)`` for HS ``010121``.
    direction
        ``"parent-to-child"`` or ``"child-to-parent"``: which way edges lead, what the lists of a
        map in JSON hold, and which way lineages run.
    roots
        ``"any"``: take what looks misread, too; see :class:`hierpair.Hierarchy`.
    break_cycles
        ``"depth-first"``: leave out the edges that lead back to a class above when one walks
        down from the parentless classes, following edges in the order of the file. By default a
        cycle is an error.
    names
        Other names by which labels may call classes (:meth:`hierpair.Hierarchy.with_names`):
        ``"all"``, what the file itself says (names and exact synonyms of OBO, SKOS and NCBI,
        titles of other forms), or a file of two columns, name and class, beside these.
    on_note
        Called with a sentence for every edge and parent that is left out, and about several
        roots; of these a warning is given without it.

    Raises
    ------
    BadInput
        For a line with the wrong number of fields, a cycle, a self-loop, a duplicate edge, an
        empty or unreadable file, and what looks misread; the message names file and line.
    """
    edges = parse_hierarchy(
        path, fmt=fmt, relations=relations, namespace=namespace, undefined=undefined,
        parent_column=parent_column, child_column=child_column, levels=levels,
        separator=separator, widths=widths, direction=direction, names=names,
    )  # fmt: skip

    def note(text: str) -> None:
        if on_note is not None:
            on_note(_placed(path, text))

    for left_out in edges.notes:
        note(left_out)
    broken = cycles_broken(break_cycles, note, refuse_fault)
    try:
        built = edges.build(roots, None if on_note is None else note, broken)
    except BadInput as error:
        reason = error.reason
        if "cycle" in reason or "its own parent" in reason:
            reason = f"{reason} (or break_cycles='depth-first')"
        raise BadInput(_placed(path, reason)) from None
    return with_other_names(built, edges, names)


def with_other_names(built: Hierarchy, edges: EdgeList, names: FilePath | None) -> Hierarchy:
    """Return a hierarchy that knows other names of classes: ``"all"``, and those of a file."""
    if names is None:
        return built
    named = built.with_names("titles").with_names(edges.synonyms)
    return named if names == "all" else named.with_names(read_names(names, built))


def read_names(path: FilePath, hierarchy: Hierarchy) -> list[tuple[str, Any]]:
    """Return pairs (other name, class) from a file of two columns; a first row may be a header."""
    source, found = Source(path), list[tuple[str, Any]]()
    sign = "," if source.ending == ".csv" else "\t"
    rows = table_rows(source, quoted_rows(path, source.lines, sign), 2, wanted="a name and a class")
    for k, (number, fields) in enumerate(rows):
        name, c = map(str.strip, fields)
        if c in hierarchy:
            found.append((name, c))
        elif k or not is_word(c):
            said = hierarchy.unknown_message(c)
            source.fault(number, f"{said} (a line is a name and the class that it means)")
    return found


def parse_hierarchy(
    path: FilePath, *, fmt: str = "auto", trouble: Tell = refuse, **given: Any
) -> EdgeList:
    """Return what a hierarchy file says, unchecked; parameters as for :func:`read_hierarchy`."""
    check_choice("undefined", given.get("undefined", "error"), ("error", "drop"))
    if given.get("separator") == "":
        raise BadInput("the separator of a hierarchy must not be empty")
    usual = (None, ("is_a",), ["is_a"], "error")
    options = {name: value for name, value in given.items() if value not in usual}
    path = in_folder(path)
    source = Source(path, options, trouble)
    if fmt == "auto" and not {"parent_column", "child_column", "levels"}.isdisjoint(options):
        fmt = EDGE_TABLE.name
    if fmt == "auto" and "widths" in options:
        fmt = CODES.name
    form = HIERARCHY_FORMATS.choose(source, fmt)
    for name in options.keys() - {"direction", "names", *form.options}:
        kinds = (one.name.upper() for one in HIERARCHY_FORMATS.values() if name in one.options)
        raise BadInput(
            f"{path}: {name} is for {' and '.join(kinds)} files; this file was read as {form.name}"
        )
    try:
        return form.read(source).led(given.get("direction"))
    except BadInput as error:
        if form is TAXDUMP:  # whose files are several, and are named
            raise
        raise BadInput(_placed(path, error.reason)) from None


def _placed(path: FilePath, said: str) -> str:
    named = said.startswith((f"{path}:", str(Path(path) / NODES)))
    return said if named else f"{path}: {said}"


@takes_hierarchy
def write_hierarchy(hierarchy: Hierarchy, fmt: str) -> tuple[str | bytes, list[str]]:
    """Return a hierarchy as the content of a file, and notes about what the form cannot hold.

    Parameters
    ----------
    hierarchy
        The classes; their names are written as text.
    fmt
        A name in ``HIERARCHY_FORMATS`` of a form that can be written.

    Raises
    ------
    BadInput
        For an unknown form, or a name or a shape that the form cannot hold.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> print(write_hierarchy(tree, "edges")[0])
    parent	child
    r	a
    r	b
    """
    return HIERARCHY_FORMATS.written_as(fmt, hierarchy)
