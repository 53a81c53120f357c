"""Files of a user's own that register measures."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from hierpair.errors import BadInput

__all__ = ["load_plugins"]


def load_plugins(paths: Sequence[str]) -> None:
    """Import files that register measures."""
    for path in paths:
        if not Path(path).is_file():
            raise BadInput(f"{path}: there is no such file")
        name = f"hierpair_plugin_{Path(path).stem}"
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise BadInput(f"{path}: a plugin is a Python file (.py)")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BadInput as error:
            raise BadInput(f"{path}: {error}") from None
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            lines = [f.lineno for f in frames if Path(f.filename).resolve() == Path(path).resolve()]
            line = getattr(error, "lineno", None) or (lines[-1] if lines else None)
            place = f"{path}:{line}" if line else path
            raise BadInput(f"{place}: {type(error).__name__}: {error}") from None
