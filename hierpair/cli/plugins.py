"""Files of a user's own that register measures, costs or decoders."""

from __future__ import annotations

import importlib.util
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput
from hierpair.io.files import file_state, note_read


class Plugins:
    """The plugins of one run.

    Used as a context. From the first plugin to its end warnings are silent, so that none about a
    plugin's numbers stands before the message about them.
    """

    def __init__(self, debug: bool) -> None:
        self.debug = debug
        self.quiet = ExitStack()

    def __enter__(self) -> Plugins:
        return self

    def __exit__(self, *_: object) -> None:
        self.quiet.close()

    def load(self, paths: Sequence[str]) -> None:
        """Import the files, each once."""
        if paths and not self.debug and not sys.warnoptions:
            self.quiet.enter_context(_without_warnings())
        loaded: dict[Path, str] = {}
        for path in paths:
            file_state(path)  # refuses what is none
            place = Path(path).resolve()
            if place in loaded:
                name = loaded[place]
                raise BadInput(f"{path}: there is already a measure {name!r}; name a plugin once")
            loaded[place] = _loaded(path)


@contextmanager
def _without_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.environ["PYTHONWARNINGS"] = "ignore"  # of the processes of --jobs
        try:
            yield
        finally:
            del os.environ["PYTHONWARNINGS"]


def _loaded(path: str) -> str:
    """Import a file that adds measures, decoders or formats; return the name of the first."""
    note_read(path)
    name = f"hierpair_plugin_{Path(path).stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BadInput(f"{path}: a plugin is a Python file (.py)")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    before, written = _registered(), sys.dont_write_bytecode
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
    new = [key for key, thing in _registered().items() if before.get(key) is not thing]
    if not new and not _serves_decoding(name):
        raise BadInput(
            f"{path}: it registers no measure; decorate a function by pair_measure or set_measure, "
            "or by decoder, a class of costs by named_cost, or add a format to "
            "HIERARCHY_FORMATS or "
            "LABEL_FORMATS, or a form of output by add_form"
        )
    return new[0][1] if new else Path(path).stem


def _serves_decoding(plugin: str) -> bool:
    """Whether a plugin adds a decoder or a format of probabilities; their modules load late."""
    room = sys.modules.get("hierpair.probabilistic")
    if room is None:
        return False
    functions = [known.decode for known in room.DECODERS]
    functions += [form.read for form in room.DISTRIBUTION_FORMATS.values()]
    return any(function.__module__ == plugin for function in functions)


def _registered() -> dict[tuple[str, str], Any]:
    """Return everything that a plugin can add to, by kind and name."""
    from hierpair.io import HIERARCHY_FORMATS, LABEL_FORMATS
    from hierpair.measures import REGISTRY
    from hierpair.pairing import NAMED
    from hierpair.tables import FORMS

    kinds: dict[str, Mapping[str, Any]] = {
        "measure": REGISTRY,
        "cost": NAMED,
        "hierarchy": HIERARCHY_FORMATS,
        "labels": LABEL_FORMATS,
        "form": FORMS,
    }
    return {(kind, name): x for kind, known in kinds.items() for name, x in known.items()}


def _fault(path: str, error: BaseException) -> str:
    """Return what went wrong in a plugin, and in which of its lines."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f.lineno for f in frames if Path(f.filename).resolve() == Path(path).resolve()]
    line = getattr(error, "lineno", None) or (lines[-1] if lines else None)
    place = f"{path}:{line}" if line else path
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{place}: {type(error).__name__}: {said}"
