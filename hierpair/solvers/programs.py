"""Binary programs: which nodes to choose, where everything else is linear; HiGHS branches on it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy

from hierpair.errors import Infeasible, SolverLimit
from hierpair.solvers.flow import Array, Floats, Ints


class Chosen(NamedTuple):
    """The nodes, ascending, their worth or cost, a bound on that of any, whether it is proved."""

    nodes: Ints
    value: float
    bound: float
    optimal: bool


class BinaryProgram:
    """Choose some of n nodes, variables 0 to n - 1, so that linear costs are least.

    Variables, each from 0 to its ``upper`` bound, and constraints are added family by family.
    """

    def __init__(self, n: int) -> None:
        self.n, self._n_columns, self._n_rows = n, 0, 0
        self._columns, self._rows = list[Any](), list[Any]()
        self.variables(np.zeros(n), whole=True)

    def variables(self, cost: Floats, upper: Array | float = 1.0, whole: Any = False) -> Ints:
        """Add a variable for each of these costs, of whole numbers or any; return their numbers."""
        self._columns.append([np.broadcast_to(each, len(cost)) for each in (cost, upper, whole)])
        self._n_columns += len(cost)
        return np.arange(self._n_columns - len(cost), self._n_columns)

    def constrain(self, n: int, lower: Any, upper: Any, *terms: tuple[Any, Ints, Any]) -> None:
        """Add n constraints, each ``lower ≤ Σ factor · variable ≤ upper``.

        Terms are of whose constraint they are, from 0, their variable, and its factor.
        """
        each = [np.broadcast_arrays(row + self._n_rows, *others) for row, *others in terms]
        entries = map(np.concatenate, zip(*each, strict=True))
        self._rows.append([*entries, *(np.broadcast_to(bound, n) for bound in (lower, upper))])
        self._n_rows += n

    def solve(self, limit: float | None = None, none: str = "no choice is possible") -> Chosen:
        """Return the choice of least cost, or the best found within ``limit`` seconds.

        Infeasible says ``none``, where no choice meets the constraints; SolverLimit is raised where
        nothing was found in time.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp

        cost, most, whole = map(np.concatenate, zip(*self._columns, strict=True))
        row, column, factor, lower, upper = map(np.concatenate, zip(*self._rows, strict=True))
        shape = self._n_rows, self._n_columns
        matrix = scipy.sparse.csc_array((factor, (row, column)), shape)
        found = milp(
            cost,
            integrality=whole,
            bounds=Bounds(0, most),
            constraints=LinearConstraint(matrix, lower, upper),
            options={"mip_rel_gap": 0.0, "time_limit": limit},
        )
        if found.status == 2:
            raise Infeasible(none)
        if found.x is None:
            raise SolverLimit(f"the program was not solved ({found.message.strip()})")
        value = float(found.fun)
        bound = value if found.mip_dual_bound is None else float(found.mip_dual_bound)
        nodes = np.flatnonzero(found.x[: self.n] > 0.5)
        return Chosen(nodes, value, min(bound, value), bool(found.status == 0))
