"""Where the files of a case are, which of them are used, and which instances they lack."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput, did_you_mean
from hierpair.io.text import read_text

__all__ = ["DATA", "case_folder", "case_names", "case_text", "data_folder", "unlisted_files"]

DATA = "HIERPAIR_DATA"
"""Environment variable that names the folder of data that we must not give away."""

KINDS = ("files", "statistics")
"""Tables of case.toml that may name a folder of such data."""

KEYS = ("title", "citation", "licence", "origin", "notes")
"""What every case.toml says, in texts."""

TABLES = {
    "files": ("hierarchy",),
    "systems": (),
    "labels": (),
    "missing": (),
    "tables": ("scores",),
    "statistics": ("data", "hierarchy"),
}
"""Tables that it may have, and what each must say."""


def case_folder(name: str) -> Path:
    """Return the folder of a case: in an installed wheel, or beside it in a checkout."""
    here = Path(__file__).parents[1]
    installed = here / "cases"
    return (installed if installed.is_dir() else here.parent / "cases") / name


def case_names() -> list[str]:
    """Return the names of all cases."""
    return sorted(path.parent.name for path in case_folder("").glob("*/case.toml"))


def case_text(name: str) -> dict[str, Any]:
    """Return what case.toml says.

    Raises
    ------
    BadInput
        If there is no such case, or its case.toml is damaged.
    """
    known = case_names()
    if name not in known:
        raise BadInput(
            f"there is no case {name!r}{did_you_mean(name, known)}; hierpair verify --list shows "
            f"all {len(known)}"
        )
    path = case_folder(name) / "case.toml"
    try:
        about = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path}: this is no TOML: {error}") from None
    for key in KEYS:
        if not isinstance(about.get(key), str):
            raise BadInput(f"{path}: {key!r} is missing; it is a text in quotes")
    for table, needed in TABLES.items():
        entries = about.get(table, {})
        if not isinstance(entries, dict):
            raise BadInput(f"{path}: {table!r} must be a table; write [{table}]")
        for key in needed if entries else ():
            if not isinstance(entries.get(key), str):
                raise BadInput(f"{path}: [{table}] must name {key!r} in quotes")
    if "files" in about and not {"truth", "counts"} & set(about["files"]):
        raise BadInput(f"{path}: [files] must name 'truth' or 'counts'")
    return about


def wanted_folder(about: Mapping[str, Any]) -> str | None:
    """Return the folder of data that a case needs beside its own, or None."""
    for kind in KINDS:
        if "data" in about.get(kind, {}):
            return str(about[kind]["data"])
    return None


def data_folder(name: str, wanted: str, data: str | Path | None) -> Path:
    """Return the folder of data that do not come with hierpair.

    Raises
    ------
    BadInput
        If it is not there, or nothing says where.
    """
    top = data if data is not None else os.environ.get(DATA)
    remedy = (
        f"the data of case {name!r} do not come with hierpair (its case.toml says why and where "
        f"they are); put them into a folder {wanted!r} and name the folder above it with --data "
        f"or {DATA}"
    )
    if top is None:
        raise BadInput(remedy)
    folder = Path(top) / wanted
    if not folder.is_dir():
        raise BadInput(f"there is no folder {folder}: {remedy}")
    return folder


def unlisted_files(name: str, about: Mapping[str, Any], folder: Path) -> list[str]:
    """Return the files beside those of the systems of a case that no case lists.

    Only files that end like those of the systems are looked at; cases may share a folder.
    """
    if not about.get("systems"):
        return []
    wanted = wanted_folder(about)
    listed = set(_files(about)) | {"published.tsv"}
    for other in case_names() if wanted is not None else ():
        if other != name:
            text = case_text(other)
            listed |= set(_files(text)) if wanted_folder(text) == wanted else set()
    endings = {Path(file).suffix for file in about["systems"].values()}
    return sorted(
        path.name
        for path in folder.iterdir()
        if path.is_file() and path.suffix in endings and path.name not in listed
    )


def _files(about: Mapping[str, Any]) -> Iterator[str]:
    for kind in (*KINDS, "systems", "tables"):
        yield from (x for x in about.get(kind, {}).values() if isinstance(x, str))
