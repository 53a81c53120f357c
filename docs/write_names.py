"""Write the reference of all public names, grouped by where they live in the package."""

from importlib import import_module
from pathlib import Path
from types import ModuleType

import hierpair

FOLDER = "api"
GROUPS = {
    "evaluate": ("Scoring", ("evaluation",)),
    "comparison": ("Comparing", ("comparison",)),
    "functions": ("Functions in the habit of scikit-learn", ("metrics",)),
    "data": ("Hierarchies and labels", ("hierarchy", "labels", "verification")),
    "files": ("Files in and out", ("io",)),
    "measures": ("Measures", ("measures",)),
    "probabilities": ("From probabilities to decisions", ("probabilistic",)),
    "pairing": ("Pairing rules", ("pairing",)),
    "network": ("Flow networks and their proof", ("solvers",)),
    "errors": ("Errors", ("errors",)),
}
"""Page → title and modules; a module that is not here gets a page of its own."""

FURTHER = (
    "labels.match_instances", "comparison.ranked", "comparison.cliques", "comparison.adjusted",
    "comparison.kendall_tau", "comparison.spearman_rho", "comparison.sign_test",
    "comparison.signed_rank_test", "comparison.t_test", "comparison.rank_biserial",
    "comparison.cliffs_delta",
)  # fmt: skip
"""Functions beside the public ones that their documentation refers to."""

OPEN = ("pairing.Builder", "io.EdgeList")
"""Classes beside the public ones whose methods are for users."""

INDEX = """\
Python names
============

Every name below is imported from ``hierpair``; a few more, which public names take or return, are
shown with the package that they live in. Importing ``hierpair`` is quick: a name brings its module
with it when it is first used. ``hierpair.__version__`` is the version.
"""


def write(docs: Path) -> None:
    """Write an index and one page per group."""
    folder = docs / FOLDER
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.rst"):
        old.unlink()
    for name, text in pages().items():
        (folder / f"{name}.rst").write_text(text, encoding="utf-8")


def groups() -> dict[str, tuple[str, list[str]]]:
    """Return page → title and public names; every name of ``hierpair.__all__`` is on one."""
    left = dict(hierpair.HOMES)
    found = {}
    for page, (title, modules) in GROUPS.items():
        names = [name for module in modules for name in left.pop(module, [])]
        if names:
            found[page] = (title, names)
    for module, names in left.items():
        about = (import_module(f"hierpair.{module}").__doc__ or module).strip().splitlines()[0]
        title = about.partition(":")[0].rstrip(".")
        found[module] = (title, list(names))
    return found


def pages() -> dict[str, str]:
    """Return the index and the pages as reStructuredText."""
    found = {page: text(page, title, names) for page, (title, names) in groups().items()}
    toctree = "\n".join(f"   {page}" for page in found)
    return {"index": f"{INDEX}\n.. toctree::\n   :maxdepth: 2\n\n{toctree}\n", **found}


def text(page: str, title: str, names: list[str]) -> str:
    """Return one page: a table of its names, then each in full."""
    listed = [name for name in names if name != "__version__"]
    parts = [
        f"{title}\n{'=' * len(title)}\n",
        ".. currentmodule:: hierpair\n",
        ".. autosummary::\n\n" + "\n".join(f"   {name}" for name in listed) + "\n",
        *(entry(hierpair, name) for name in listed),
    ]
    beside = further()
    for module in dict.fromkeys(
        home for home, listed in hierpair.HOMES.items() if set(listed) & set(names)
    ):
        more = [dotted for dotted in beside if dotted.startswith(f"{module}.")]
        if more:
            parts.append(f".. currentmodule:: hierpair.{module}\n")
        parts += [
            entry(import_module(f"hierpair.{module}"), d.partition(".")[2], d in OPEN) for d in more
        ]
    return "\n".join(parts)


def further() -> list[str]:
    """Return the classes beside the public ones in their packages: public names pass them on."""
    modules = {home: import_module(f"hierpair.{home}") for home in hierpair.HOMES}
    return [
        f"{home}.{name}"
        for home, module in modules.items()
        for name in module.__all__
        if name not in hierpair.__all__
        and (isinstance(getattr(module, name), type) or f"{home}.{name}" in FURTHER)
    ]


def entry(module: ModuleType, name: str, members: bool = True) -> str:
    """Return the directive that documents one name."""
    thing = getattr(module, name)
    if isinstance(thing, type) and issubclass(thing, Exception):
        return f".. autoexception:: {name}\n   :show-inheritance:\n"
    if isinstance(thing, type):
        return f".. autoclass:: {name}\n" + ("   :members:\n" if members else "")
    return f".. {'autofunction' if callable(thing) else 'autodata'}:: {name}\n"


def public_target(target: str) -> str | None:
    """Return the name under which an object of the package is documented, or None."""
    name = target.rpartition(".")[2]
    if name in hierpair.__all__:
        return f"hierpair.{name}"
    return next((f"hierpair.{d}" for d in further() if d.rpartition(".")[2] == name), None)


if __name__ == "__main__":
    write(Path(__file__).parent)
