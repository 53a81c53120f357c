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

PLAIN = ("cli", "lca", "solvers", "tables", "errors")
"""Packages whose classes are shown without their members; that of the command line has no page."""

INDEX = """\
Python names
============

The names that most programs need are imported from ``hierpair`` itself; everything else is in a
package that is named after its subject, such as ``hierpair.metrics``. Importing ``hierpair`` is
fast: a package is loaded when one of its names is first used. ``hierpair.__version__`` is the
version.

.. toctree::
   :maxdepth: 1

"""


def write(docs: Path) -> None:
    """Write an index, the page of the top level, and one page per package."""
    folder = docs / FOLDER
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.rst"):
        old.unlink()
    for name, text in pages().items():
        (folder / f"{name}.rst").write_text(text, encoding="utf-8")


@cache
def names() -> dict[str, list[str]]:
    """Return the public names of every package that are not documented before it."""
    there = [m.name for m in iter_modules(hierpair.__path__) if not m.name.startswith("_")]
    known = {id(getattr(hierpair, name)) for name in hierpair.__all__}
    found: dict[str, list[str]] = {}
    for package in sorted(there, key=lambda name: ([*TITLES, name].index(name), name)):
        module = import_module(f"hierpair.{package}")
        own = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
        found[package] = [
            n for n, thing in own.items() if n not in hierpair.__all__ and id(thing) not in known
        ]
        known |= {id(thing) for thing in own.values() if callable(thing)}
    found.pop("cli")
    return {package: own for package, own in found.items() if own}


def pages() -> dict[str, str]:
    """Return the index and the pages as reStructuredText."""
    order = [*TITLES, *hierpair.HOMES]
    homes = sorted(hierpair.HOMES, key=order.index)
    sections = [section(hierpair, hierpair.HOMES[home], TITLES[home]) for home in homes]
    found = {"hierpair": "\n".join([headed("hierpair", "="), ".. module:: hierpair\n", *sections])}
    found |= {package: package_page(package) for package in names()}
    return {"index": INDEX + "".join(f"   {page}\n" for page in found), **found}


def package_page(package: str) -> str:
    """Return the page of one package: what it is, and its names."""
    module = import_module(f"hierpair.{package}")
    about = (module.__doc__ or "").strip().splitlines()[0]
    parts = [
        headed(TITLES.get(package, package), "="),
        f"``hierpair.{package}``: {about[:1].lower()}{about[1:]}\n",
        f".. module:: hierpair.{package}\n",
    ]
    if homes := hierpair.HOMES.get(package):
        links = ", ".join(f":py:obj:`~hierpair.{name}`" for name in homes)
        parts.append(f"Imported from ``hierpair`` itself: {links}.\n")
    return "\n".join([*parts, section(module, names()[package], members=package not in PLAIN)])


def headed(title: str, sign: str) -> str:
    """Return a heading."""
    return f"{title}\n{sign * len(title)}\n"


def section(module: ModuleType, own: list[str], title: str = "", members: bool = True) -> str:
    """Return a table of names with the first line of each, then each in full."""
    values = [name for name in own if not callable(getattr(module, name))]
    things = [name for name in own if name not in values]
    parts = [headed(title, "-")] if title else []
    if things:
        parts.append(".. autosummary::\n\n" + "".join(f"   {name}\n" for name in things))
    parts += [entry(module, name, members) for name in things]
    texts = described(module) if values else {}
    parts += [f".. data:: {name}\n\n   {texts.get(name, '')}".rstrip() + "\n" for name in values]
    return "\n".join(parts)


def entry(module: ModuleType, name: str, members: bool) -> str:
    """Return the directive that documents one name."""
    thing = getattr(module, name)
    if not isinstance(thing, type):
        return f".. autofunction:: {name}\n"
    if issubclass(thing, Exception):
        return f".. autoexception:: {name}\n   :show-inheritance:\n"
    return f".. autoclass:: {name}\n" + "   :members:\n" * members


def described(package: ModuleType) -> dict[str, str]:
    """Return the texts that stand below the values of a package."""
    found: dict[str, str] = {}
    for path in sorted(p for top in package.__path__ for p in Path(top).rglob("*.py")):
        for value, text in pairwise(ast.parse(path.read_text("utf-8")).body):
            is_text = isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
            if is_text and isinstance(value, (ast.Assign, ast.AnnAssign)):
                targets = value.targets if isinstance(value, ast.Assign) else [value.target]
                words = " ".join(str(text.value.value).split())
                found |= {t.id: words for t in targets if isinstance(t, ast.Name)}
    return found


def public_target(target: str) -> str | None:
    """Return the name under which an object of the package is documented, or None."""
    name = target.rpartition(".")[2]
    if name in hierpair.__all__:
        return f"hierpair.{name}"
    return next((f"hierpair.{package}.{name}" for package in names() if name in names()[package]),
                None)  # fmt: skip
