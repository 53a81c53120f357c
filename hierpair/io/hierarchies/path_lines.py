"""Hierarchies as lineages or codes, one a line: the classes above stand in the line itself."""

from __future__ import annotations

from collections.abc import Iterator

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.sources import code_edges, lineage_edges, path_names
from hierpair.io.formats import Format, Source
from hierpair.io.hierarchies.edge_lines import Record, collected, line_format, lineage_sign
from hierpair.io.hierarchies.edge_list import EdgeList, lost_beside, named_edges
from hierpair.io.written_names import plain_names

__all__ = ["CODES", "PATHS"]


@collected("parent-to-child")
def _paths(source: Source) -> Iterator[Record]:
    """Yield the edges of every path; a class is named by its whole path."""
    sign = _sign(source)
    upwards = source.options.get("direction") == "child-to-parent"
    edges: dict[tuple[str, str], int] = {}
    tops: dict[str, None] = {}
    for number, line in source.content:
        fault = ""
        names = line.strip().split(sign)
        if "\t" in line:
            fault = "a tab in a path; expected one class as top/middle/class"
        elif not (names[0].strip() and names[-1].strip()):
            fault = f"a path must not start or end with {_called(sign)}"
        else:
            try:
                parts = path_names(names, ends_blank=False)
            except BadInput:
                fault = f"a class name is missing between two {_called(sign, 2)}"
        if fault:
            source.trouble(f"{source.path}:{number}: {fault}")
            continue
        lineage_edges(parts[::-1] if upwards else parts, sign, number, edges, tops)
    for (parent, child), number in edges.items():
        yield number, parent, child
    for top in tops:
        yield 0, None, top


def _called(sign: str, n: int = 1) -> str:
    if sign == "/":
        return "a slash" if n == 1 else "slashes"
    return repr(sign) if n == 1 else f"{sign!r}"


def _sign(source: Source) -> str:
    """Return what stands between the classes of a path, with blanks where all lines have them."""
    sign: str = source.options.get("separator", "/")
    wide = f" {sign.strip()} "
    holding = [line for _, line in source.content if sign in line]
    spaced = sign.strip() and holding and all(
        line.count(sign.strip()) == line.count(wide) for line in holding
    )  # fmt: skip
    return wide if spaced and sign != "/" else sign


def _are_paths(source: Source) -> bool:
    """Whether lines are paths such as ``top/middle/class``; edges may have slashes in names."""
    if "separator" in source.options and "levels" not in source.options:
        return True
    if "\t" in source.text or "/" not in source.text:
        return False
    lines = [line.strip() for _, line in source.content]
    other = lineage_sign(lines)
    if other.strip() in (">", "->", "--", "::"):
        raise BadInput(
            f"{source.path}: are these lineages, separated by {other!r} or by '/'? Set "
            f"--hierarchy-separator '{other}' (in Python, separator {other!r}) or '/'"
        )
    if any(line[0] == "/" or line[-1] == "/" or "//" in line for line in lines):
        return False
    fields = [line.split() for line in lines]
    if any(len(row) != 2 for row in fields):
        return True
    # Two words in every line: "food food/bread" is an edge, "food/soft cheese" a path.
    if any("/" in first and "/" not in second for first, second in fields):
        raise BadInput(
            f"{source.path}: is {lines[0]!r} an edge, parent and child, or a path? Set the "
            "hierarchy format to edges or paths"
        )
    return False


def _read_codes(source: Source) -> EdgeList:
    """Codes, each perhaps with a title after a tab: the parent is what a code begins with."""
    path = source.path
    line_of: dict[str, int] = {}
    titles: dict[str, str] = {}
    for number, line in source.content:
        code, _, title = (field.strip() for field in line.partition("\t"))
        if code in line_of:
            source.trouble(f"{path}:{number}: the code {code!r} is in line {line_of[code]} already")
            continue
        line_of[code] = number
        if title:
            titles[code] = title
    try:
        found = code_edges(line_of, source.options.get("separator"))
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    edges = found["edges"]
    where = lambda i: f"{path}:{line_of.get(edges[i][1], '')}".rstrip(":")  # noqa: E731
    return EdgeList(edges, where, list(found["classes"]), {}, titles, "parent-to-child")


def _write_paths(hierarchy: Hierarchy) -> str:
    names = plain_names(hierarchy, "\t\n\r")
    if hierarchy.shape == "DAG":
        raise BadInput("a class with several parents has no single path; write edges")
    if _are_own_paths(hierarchy, names):
        return "\n".join(names)
    plain_names(hierarchy, "/")
    paths: list[str] = []
    above = hierarchy.parent_ptr.tolist()
    for c, name in enumerate(names):  # parents come before their children
        top = above[c] == above[c + 1]
        paths.append(name if top else f"{paths[int(hierarchy.parents[above[c]])]}/{name}")
    return "\n".join(paths)


def _are_own_paths(hierarchy: Hierarchy, names: list[str]) -> bool:
    """Whether classes are called by their paths, and reading leaves these as they are."""
    by_path = all(c.rpartition("/")[0] == p for p, c in named_edges(hierarchy, names))
    if not by_path or any("/" in names[c] for c in hierarchy.root_indices.tolist()):
        return False
    return all(part and part == part.strip() for name in names for part in name.split("/"))


def _paths_lose(hierarchy: Hierarchy) -> list[str]:
    lost = lost_beside()(hierarchy)
    if not _are_own_paths(hierarchy, list(map(str, hierarchy.names))) and len(hierarchy.parents):
        lost.append("a class is called by its whole path in this form")
    return lost


PATHS = line_format(
    "paths",
    "one class per line as top/middle/class, or with another --hierarchy-separator; a class is "
    "named by its whole path",
    _paths,
    _write_paths,
    _are_paths,
    _paths_lose,
    ("separator",),
)
CODES: Format[EdgeList] = Format(
    "codes",
    "one code per line, and perhaps a title: the parent is the longest code that it begins with, "
    "or the code before the last --hierarchy-separator",
    _read_codes,
    options=("separator",),
)
