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
ARRAY = "NDArray[np.float64]"
HEAD = """\
# Written by docs/write_functions.py from the registry of measures.
from collections.abc import Callable
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy

__all__ = [
{names}
]

function_of: Callable[..., Callable[..., float | NDArray[np.float64]]]
by_position: Callable[..., tuple[Any, Any, Any]]
chosen_classes: Callable[..., NDArray[np.int64] | None]
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
    """Return the declaration of one function; of one that gives arrays too, one of each kind."""
    words = function.__doc__.partition("\n\n    Parameters\n")[0]
    rest = f'\n    r"""{words}\n    """'
    if signature(function).return_annotation == "float":
        return one_declared(function, {}, "float", rest)
    kinds = {p.name: p.annotation.removesuffix(" | None")
             for p in signature(function).parameters.values() if p.name == "average"}  # fmt: skip
    one = one_declared(function, kinds | {"labels": "None"}, "float", " ...")
    every = one_declared(function, {"average": "None", "required": "average"}, ARRAY, rest)
    return f"\n@overload{one}\n@overload{every}"


def one_declared(function, kinds, result, rest) -> str:
    """Return a declaration in which some parameters have kinds of their own."""
    lines = []
    for p in signature(function).parameters.values():
        needed = p.default is p.empty or p.name == kinds.get("required")
        text = "" if needed else f" = {p.default!r}"
        text = " = ..." if isinstance(p.default, float) and math.isnan(p.default) else text
        lines += ["*"] * (p.kind is p.KEYWORD_ONLY and "*" not in lines)
        lines.append(f"{p.name}: {kinds.get(p.name, p.annotation)}{text}")
    parameters = "".join(f"    {line},\n" for line in lines).replace("'", '"')
    return f"\ndef {function.__name__}(\n{parameters}) -> {result}:{rest}\n"


if __name__ == "__main__":
    write()
