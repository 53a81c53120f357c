"""Files of a user's own that register measures, costs, decoders or formats."""

from __future__ import annotations

import importlib.util
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hierpair.errors import BadInput
from hierpair.io.files import file_state, note_read


@contextmanager
def plugins(paths: Sequence[str], *, debug: bool) -> Iterator[None]:
    """Import files for one run, in which no warning about a plugin's numbers is shown."""
    quiet = bool(paths) and not debug and not sys.warnoptions
    with warnings.catch_warnings():
        if quiet:
            warnings.simplefilter("ignore")
            os.environ["PYTHONWARNINGS"] = "ignore"  # of the processes of --jobs
        try:
            for path in paths:
                _load(path)
            yield
        finally:
            if quiet:
                del os.environ["PYTHONWARNINGS"]


def _load(path: str) -> None:
    """Import one file."""
    file_state(path)  # refuses what is none
    note_read(path)
    name = f"hierpair_plugin_{Path(path).stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BadInput(f"{path}: a plugin is a Python file (.py)")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # nothing is left beside it
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


def _fault(path: str, error: BaseException) -> str:
    """Return what went wrong in a plugin, and in which of its lines."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f.lineno for f in frames if Path(f.filename).resolve() == Path(path).resolve()]
    line = getattr(error, "lineno", None) or (lines[-1] if lines else None)
    place = f"{path}:{line}" if line else path
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{place}: {type(error).__name__}: {said}"
