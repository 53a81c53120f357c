"""Write what editors know of the functions: ``python docs/write_functions.py``.

``hierpair/metrics/functions.pyi`` has the signature and the first words of every function that is
made from the registry (``help`` shows the rest), ``example_values.tsv`` beside it the results
of their examples.
"""

import math
from inspect import signature
from pathlib import Path

import hierpair.metrics
from hierpair import Hierarchy, NodeScores
from hierpair.measures import REGISTRY
from hierpair.metrics.functions import EXAMPLE_VALUES, example_of, registered_functions

FOLDER = Path(hierpair.metrics.__file__).parent
HEAD = """\
# Written by docs/write_functions.py from the registry of measures.
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy

__all__ = [
{names}
]
"""


def write() -> None:
    """Write both files."""
    EXAMPLE_VALUES.write_text(values(), encoding="utf-8")
    (FOLDER / "functions.pyi").write_text(stub(), encoding="utf-8")


def results() -> dict[str, float]:
    """Return the result of every example."""
    found = {}
    for function in registered_functions():
        names = {"Hierarchy": Hierarchy, "NodeScores": NodeScores, function.__name__: function}
        example = example_of(REGISTRY[function.measure], function.__name__)
        statements = example.replace("\n... ", "\n").split(">>> ")
        for statement in statements[3:-1]:
            exec(statement, names)
        found[function.__name__] = eval(statements[-1], names)
    return found


def values() -> str:
    """Return a line for every example, with its result."""
    return "".join(f"{name}\t{value!r}\n" for name, value in sorted(results().items()))


def stub() -> str:
    """Return the stub."""
    functions = list(registered_functions())
    names = "\n".join(f'    "{name}",' for name in sorted(f.__name__ for f in functions))
    return HEAD.format(names=names) + "".join(map(declared, functions))


def declared(function) -> str:
    """Return the declaration of one function, or of both kinds of its result."""
    words = function.__doc__.partition("\n\n    Parameters\n")[0]
    if signature(function).return_annotation == "float":
        return one_declared(function, "float", f'\n    r"""{words}\n    """')
    one = one_declared(function, "float", " ...", overloaded=True)
    every = one_declared(function, ARRAY, f'\n    r"""{words}\n    """', overloaded=True)
    return f"\n@overload{one}@overload{every}"


ARRAY = "NDArray[np.float64]"


def one_declared(function, result, rest, *, overloaded=False) -> str:
    """Return a declaration; an overloaded one has None for an average only if it gives arrays."""
    lines = []
    for parameter in signature(function).parameters.values():
        name, default = parameter.name, parameter.default
        if parameter.kind is parameter.KEYWORD_ONLY and "    *," not in lines:
            lines.append("    *,")
        text = "" if default is parameter.empty else f" = {default!r}"
        if isinstance(default, float) and math.isnan(default):
            text = " = ..."
        kind = parameter.annotation.replace("'", '"')
        if name == "average" and overloaded:
            kind = "None" if result == ARRAY else kind.removesuffix(" | None")
            text = "" if result == ARRAY else text
        if name == "labels" and overloaded and result == "float":
            kind = "None"
        lines.append(f"    {name}: {kind}{text.replace(chr(39), chr(34))},")
    parameters = "\n".join(lines)
    return f"\ndef {function.__name__}(\n{parameters}\n) -> {result}:{rest}\n"


if __name__ == "__main__":
    write()
