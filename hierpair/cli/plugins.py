"""Files of a user's own that register measures."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from hierpair.errors import BadInput
from hierpair.io.files import note_read

__all__ = ["load_plugins"]


def load_plugins(paths: Sequence[str]) -> None:
    """Import files that register measures."""
    from hierpair.measures import REGISTRY

    loaded: dict[Path, str] = {}
    for path in paths:
        known = loaded.get(Path(path).resolve())
        if known is not None:
            raise BadInput(f"{path}: there is already a measure {known!r}; name a plugin once")
        if not Path(path).is_file():
            folder = Path(path).is_dir()
            raise BadInput(f"{path}: {'this is a folder' if folder else 'there is no such file'}")
        note_read(path)
        name = f"hierpair_plugin_{Path(path).stem}"
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise BadInput(f"{path}: a plugin is a Python file (.py)")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        before, written = dict(REGISTRY), sys.dont_write_bytecode
        sys.dont_write_bytecode = True  # nothing is left in a user's folder
        try:
            spec.loader.exec_module(module)
        except BadInput as error:
            raise BadInput(f"{path}: {error}") from None
        except BaseException as error:
            if type(error) is KeyboardInterrupt:
                raise
            raise BadInput(_fault(path, error)) from None
        finally:
            sys.dont_write_bytecode = written
        new = [name for name, d in REGISTRY.items() if before.get(name) is not d]
        if not new:
            raise BadInput(
                f"{path}: it registers no measure; decorate a function by pair_measure or "
                "set_measure"
            )
        loaded[Path(path).resolve()] = new[0]


def _fault(path: str, error: BaseException) -> str:
    """Return what went wrong in a plugin, and in which of its lines."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f.lineno for f in frames if Path(f.filename).resolve() == Path(path).resolve()]
    line = getattr(error, "lineno", None) or (lines[-1] if lines else None)
    place = f"{path}:{line}" if line else path
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{place}: {type(error).__name__}: {said}"
