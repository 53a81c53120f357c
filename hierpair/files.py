"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

__all__ = ["replace_file"]


def replace_file(target: Path, data: bytes) -> None:
    """Write a file in one step; one that was there keeps its permissions."""
    if target.exists():
        mode = stat.S_IMODE(target.stat().st_mode)
    else:
        umask = os.umask(0)
        os.umask(umask)
        mode = 0o666 & ~umask
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
