"""Write the reference of all public names: the top level first, then every package."""

import ast
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

import hierpair

FOLDER = "api"
TITLES = {
    "metrics": "Measures as functions",
    "metric": "A metric for training loops",
    "evaluation": "Scoring",
    "comparison": "Comparing systems and measures",
    "hierarchy": "Hierarchies",
    "labels": "Label sets",
    "io": "Reading and writing files",
    "measures": "The registry of measures",
    "pairing": "Pairing rules",
    "lca": "Lowest common ancestors",
    "confusion": "The hierarchical confusion matrix",
    "probabilistic": "Probabilities, curves and decoding",
    "explanation": "Explanations of instances",
    "plots": "Pictures",
    "report": "Reports",
    "verification": "Published numbers",
    "checks": "Checking files",
    "tables": "Tables and output formats",
    "solvers": "Flow networks, solvers and certificates",
    "errors": "Errors",
}
"""Package → title, in the order of the reference; other packages follow."""

TOP = {
    "Data": ("hierarchy", "labels", "io"),
    "Scoring, comparing, explaining": (
        "evaluation",
        "comparison",
        "explanation",
        "plots",
        "report",
    ),
    "Measures": ("measures",),
    "Pairing rules": ("pairing",),
    "Probabilities and decisions": ("probabilistic",),
    "Checking and verifying": ("checks", "verification"),
    "Errors": ("errors",),
}
"""Headings of the page of the top level, and the packages whose names stand below each."""

FIRST = (
    "score",
    "Scores",
    "compare",
    "explain",
    "measure",
    "Measure",
    "Rule",
    "Degree",
    "Unmatched",
    "Forbid",
    "Require",
    "MaxDistance",
    "Quota",
    "Cardinality",
    "Groups",
    "NetworkRule",
    "Hops",
    "EdgeWeights",
    "DecayedEdges",
    "AncestorDifference",
    "CostMatrix",
    "Lexicographic",
    "Bottleneck",
    "verify",
    "HierpairError",
)
"""Names of the top level in the order in which a reader needs them; the others follow."""

PLAIN = ("cli", "lca", "solvers", "tables", "errors")
"""Packages whose classes are shown without their members; that of the command line has no page."""

INDEX = """\
Python names
============

The names that most programs need are imported from ``hierpair`` itself; everything else is in a
package that is named after its subject, such as ``hierpair.metrics``. Importing ``hierpair`` is
fast: a package is loaded when one of its names is first used. ``hierpair.__version__`` is the
version.
"""


def write(docs: Path) -> None:
    """Write an index, the page of the top level, and one page per package."""
    folder = docs / FOLDER
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.rst"):
        old.unlink()
    for name, text in pages().items():
        (folder / f"{name}.rst").write_text(text, encoding="utf-8")


def packages() -> list[str]:
    """Return the packages that have a page, in the order of the reference."""
    there = [
        m.name
        for m in iter_modules(hierpair.__path__)
        if not m.name.startswith("_") and m.name != "cli"
    ]
    return sorted(there, key=lambda name: ([*TITLES, name].index(name), name))


@cache
def names_of(package: str) -> list[str]:
    """Return the public names of a package that are not documented before it."""
    before = {id(getattr(hierpair, name)) for name in hierpair.__all__}
    for earlier in packages()[: packages().index(package)]:
        module = import_module(f"hierpair.{earlier}")
        before |= {id(getattr(module, n)) for n in module.__all__ if callable(getattr(module, n))}
    module = import_module(f"hierpair.{package}")
    return [
        name
        for name in getattr(module, "__all__", ())
        if name not in hierpair.__all__ and id(getattr(module, name)) not in before
    ]


def pages() -> dict[str, str]:
    """Return the index and the pages as reStructuredText."""
    found = {"hierpair": top_level()}
    found |= {name: package_page(name) for name in packages() if names_of(name)}
    toctree = "\n".join(f"   {page}" for page in found)
    return {"index": f"{INDEX}\n.. toctree::\n   :maxdepth: 1\n\n{toctree}\n", **found}


def top_level() -> str:
    """Return the page of the names of ``hierpair`` itself."""
    left = dict(hierpair.HOMES)
    sections = {
        title: sorted(
            (name for module in modules for name in left.pop(module, [])),
            key=lambda name: [*FIRST, name].index(name),
        )
        for title, modules in TOP.items()
    }
    sections["Others"] = [name for names in left.values() for name in names]
    parts = [headed("hierpair", "="), ".. module:: hierpair\n"]
    values = {n for names in sections.values() for n in names if not callable(getattr(hierpair, n))}
    for title, names in sections.items():
        parts.append(summary(hierpair, [n for n in names if n not in values], title))
    texts = described(hierpair) if values else {}
    for title, names in sections.items():
        if names:
            parts.append(headed(title, "-"))
        parts += [data(n, texts) if n in values else entry(hierpair, n) for n in names]
    return "\n".join(parts)


def package_page(package: str) -> str:
    """Return the page of one package: what it is, a table of its names, then each in full."""
    module = import_module(f"hierpair.{package}")
    names = names_of(package)
    values = [n for n in names if not callable(getattr(module, n))]
    things = [n for n in names if n not in values]
    about = (module.__doc__ or "").strip().splitlines()[0]
    parts = [
        headed(TITLES.get(package, package), "="),
        f"``hierpair.{package}``: {about[:1].lower()}{about[1:]}\n",
        f".. module:: hierpair.{package}\n",
        summary(module, things),
    ]
    homes = hierpair.HOMES.get(package, [])
    if homes:
        links = ", ".join(f":py:obj:`~hierpair.{name}`" for name in homes)
        parts.append(f"Imported from ``hierpair`` itself: {links}.\n")
    parts += [entry(module, name, package not in PLAIN) for name in things]
    texts = described(module) if values else {}
    parts += [data(name, texts) for name in values]
    return "\n".join(parts)


def headed(title: str, sign: str) -> str:
    """Return a heading."""
    return f"{title}\n{sign * len(title)}\n"


def summary(module: ModuleType, names: list[str], title: str = "") -> str:
    """Return a table of names with the first line of each."""
    if not names:
        return ""
    table = ".. autosummary::\n\n" + "\n".join(f"   {name}" for name in names) + "\n"
    return f"**{title}**\n\n{table}" if title else table


def entry(module: ModuleType, name: str, members: bool = True) -> str:
    """Return the directive that documents one name."""
    thing = getattr(module, name)
    if isinstance(thing, type) and issubclass(thing, Exception):
        return f".. autoexception:: {name}\n   :show-inheritance:\n"
    if isinstance(thing, type):
        return f".. autoclass:: {name}\n" + ("   :members:\n" if members else "")
    return f".. autofunction:: {name}\n"


def data(name: str, texts: dict[str, str]) -> str:
    """Return the directive that documents a value, by the text that stands below it."""
    return f".. data:: {name}\n\n   {texts.get(name, '')}".rstrip() + "\n"


def described(package: ModuleType) -> dict[str, str]:
    """Return the texts that stand below the values of a package."""
    found: dict[str, str] = {}
    for path in sorted(p for top in package.__path__ for p in Path(top).rglob("*.py")):
        body = ast.parse(path.read_text("utf-8")).body
        for value, text in pairwise(body):
            if not isinstance(value, (ast.Assign, ast.AnnAssign)):
                continue
            if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
                targets = value.targets if isinstance(value, ast.Assign) else [value.target]
                words = " ".join(str(text.value.value).split())
                found |= {t.id: words for t in targets if isinstance(t, ast.Name)}
    return found


def public_target(target: str) -> str | None:
    """Return the name under which an object of the package is documented, or None."""
    name = target.rpartition(".")[2]
    if name in hierpair.__all__:
        return f"hierpair.{name}"
    return next((f"hierpair.{p}.{name}" for p in packages() if name in names_of(p)), None)


if __name__ == "__main__":
    write(Path(__file__).parent)
