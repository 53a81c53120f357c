"""Batches of Arrow sorted by DuckDB in bounded memory: what does not fit goes to disk."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput

__all__ = ["no_room", "sorted_batches", "with_duckdb"]


def with_duckdb() -> tuple[Any, Any]:
    """Return DuckDB and pyarrow, or say what to install."""
    try:
        import duckdb
        import pyarrow
    except ModuleNotFoundError:
        raise BadInput(
            "joining by id needs DuckDB and pyarrow: pip install 'hierpair[join]'"
        ) from None
    return duckdb, pyarrow


def sorted_batches(
    schema: Any,
    batches: Iterable[Any],
    by: Sequence[str],
    folder: Path,
    *,
    memory: int,
    threads: int,
    batch_rows: int,
) -> Generator[Any, None, None]:
    """Yield all rows in the order of some columns, texts by their code points.

    Parameters
    ----------
    schema, batches
        What is sorted; each batch is asked for once, and none of them is kept.
    by
        The columns; where they tell all rows apart, the order is always the same.
    folder
        Where rows go that do not fit in memory.
    memory
        Bytes that sorting may take.
    threads
        How many threads sort.
    batch_rows
        Rows of a yielded batch, about.

    Raises
    ------
    BadInput
        Without DuckDB or pyarrow; for a folder that is full or gone; for too little memory. What
        ``batches`` raises is raised as it is.
    """
    duckdb, pa = with_duckdb()
    raised: list[BaseException] = []

    def fed() -> Iterator[Any]:
        try:
            yield from batches
        except BaseException as error:  # DuckDB would pass on nothing but its text
            raised.append(error)
            raise

    settings = {
        "memory_limit": f"{memory}B",
        "temp_directory": str(folder),
        "threads": threads,
        "preserve_insertion_order": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    connection = duckdb.connect(":memory:", config=settings)
    try:
        connection.register("unsorted", pa.RecordBatchReader.from_batches(schema, fed()))
        query = connection.sql(f"SELECT * FROM unsorted ORDER BY {', '.join(by)}")
        read = getattr(query, "to_arrow_reader", None) or query.fetch_arrow_reader
        yield from read(batch_rows)
    except (duckdb.Error, pa.ArrowException, OSError, RuntimeError) as error:
        if raised:
            raise raised[0] from None
        if "interrupt" in str(error).lower():  # what DuckDB makes of Ctrl-C
            raise KeyboardInterrupt from None
        raise no_room(folder, error) from None
    finally:
        connection.close()


def no_room(folder: Path, error: BaseException) -> BadInput:
    """Return the error for a folder or a memory into which the rows do not fit."""
    told = getattr(error, "strerror", None) or next(iter(str(error).strip().splitlines()), "")
    return BadInput(
        f"{folder}: joining by id failed here: {told[:200]}; make room, name another folder for "
        "temporary files, or allow more memory"
    )
