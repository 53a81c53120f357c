"""Write what editors know of the functions: ``python docs/write_functions.py``.

``hierpair/metrics/functions.pyi`` has the signature and the first words of every function that is
made from the registry (``help`` shows the rest), ``hierpair/metrics/example_values.py`` the results
of their examples.
"""

import math
from inspect import signature
from pathlib import Path

import hierpair.metrics
from hierpair import Hierarchy
from hierpair.metrics.example_values import EXAMPLE_VALUES
from hierpair.metrics.from_registry import example_of, registered_functions

FOLDER = Path(hierpair.metrics.__file__).parent
HEAD = """\
# Written by docs/write_functions.py from the registry of measures.
from typing import Any, Literal

from hierpair.hierarchy import Hierarchy

__all__ = [
{names}
]
"""
VALUES = '''\
"""Results of the examples in the docstrings of the functions."""

# Written by docs/write_functions.py; the examples run as tests.
EXAMPLE_VALUES: dict[str, float] = {{
{values}
}}
'''


def write() -> None:
    """Write both files: the stub holds the examples, so their results come first."""
    EXAMPLE_VALUES.update(results())
    (FOLDER / "example_values.py").write_text(values(), encoding="utf-8")
    (FOLDER / "functions.pyi").write_text(stub(), encoding="utf-8")


def results() -> dict[str, float]:
    """Return the result of every example."""
    found = {}
    for function in registered_functions():
        names = {"Hierarchy": Hierarchy, function.__name__: function}
        statements = example_of(function.__name__).replace("\n... ", "\n").split(">>> ")
        for statement in statements[3:-1]:
            exec(statement, names)
        found[function.__name__] = eval(statements[-1], names)
    return found


def values() -> str:
    """Return the module with the result of every example."""
    lines = (f'    "{name}": {value!r},' for name, value in sorted(results().items()))
    return VALUES.format(values="\n".join(lines))


def stub() -> str:
    """Return the stub."""
    functions = list(registered_functions())
    names = "\n".join(f'    "{name}",' for name in sorted(f.__name__ for f in functions))
    return HEAD.format(names=names) + "".join(map(declared, functions))


def declared(function) -> str:
    """Return the declaration of one function."""
    lines = []
    for parameter in signature(function).parameters.values():
        if parameter.name not in ("y_true", "y_pred", "hierarchy") and "    *," not in lines:
            lines.append("    *,")
        default = parameter.default
        text = "" if default is parameter.empty else f" = {default!r}"
        if isinstance(default, float) and math.isnan(default):
            text = " = ..."
        kind = parameter.annotation.replace("'", '"')
        lines.append(f"    {parameter.name}: {kind}{text.replace(chr(39), chr(34))},")
    parameters = "\n".join(lines)
    words = function.__doc__.partition("\n\n    Parameters\n")[0]
    return f'\ndef {function.__name__}(\n{parameters}\n) -> float:\n    r"""{words}\n    """\n'


if __name__ == "__main__":
    write()
