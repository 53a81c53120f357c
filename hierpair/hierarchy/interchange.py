"""Data frames by narwhals (to be deleted with labels)."""

from __future__ import annotations

from typing import Any

from hierpair.errors import BadInput

__all__ = ["known_frame"]


def known_frame(frame: Any) -> Any:
    """Return a data frame of any library that narwhals knows, as one of narwhals."""
    try:
        import narwhals as nw
    except ModuleNotFoundError:
        raise BadInput("data frames need narwhals: pip install 'hierpair[dataframe]'") from None
    try:
        return nw.from_native(frame, eager_only=True)
    except TypeError:
        raise BadInput(
            "expected a data frame of pandas, polars, pyarrow or another that narwhals knows, "
            f"got {type(frame).__name__}"
        ) from None
