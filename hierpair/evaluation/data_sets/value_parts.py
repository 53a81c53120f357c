"""Values of instances as Parquet parts in a folder: each is complete, or is not there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, listed
from hierpair.io.files import replacing
from hierpair.io.labels.parquet import with_pyarrow
from hierpair.measures import Measure

__all__ = ["ValueParts", "Write"]

Write = Callable[[Any, str, NDArray[np.float64]], None]
"""Takes what the instances are called, the system, and their values, a column per measure."""


@dataclass(frozen=True)
class ValueParts:
    """A folder of files ``part-00000.parquet`` and so on, one for each part of a data set.

    Their columns are those of :meth:`Scores.to_csv` with ``per_instance``: ``system``,
    ``instance``, and one per measure, headed by its signature.
    """

    folder: str

    def check_apart(self, source: str) -> None:
        """Refuse a folder in one of labels that is read: it would be part of the data next time."""
        folder, read = (Path(os.path.realpath(path)) for path in (self.folder, source))
        if read.is_dir() and folder.is_relative_to(read):
            raise BadInput(
                f"{self.folder}: this folder is in {source}, which is read; values of instances go "
                "elsewhere"
            )

    def prepare(self) -> None:
        """Make the folder.

        Raises
        ------
        BadInput
            If it cannot be made or holds anything: parts of another run would be taken for this
            run's.
        """
        folder = Path(self.folder)
        with self._writing():
            folder.mkdir(parents=True, exist_ok=True)
            inside = sorted(path.name for path in folder.iterdir())
        if inside:
            raise BadInput(
                f"{self.folder}: this folder holds {listed(inside, 3)}; values of instances go "
                "into a folder of their own, which is empty or not there yet"
            )
        with_pyarrow()

    def clear(self) -> None:
        """Remove what processes that ended halfway have left."""
        for path in Path(self.folder).glob(".part-*"):
            path.unlink(missing_ok=True)

    @contextmanager
    def part(self, number: int, measures: Sequence[Measure]) -> Iterator[Write]:
        """Give a function that writes values of instances into a part, which is then complete."""
        pa, pq = with_pyarrow()
        places = {m.of_instance: k for k, m in enumerate(measures)}
        coded = pa.dictionary(pa.int32(), pa.string())
        schema = pa.schema(
            [("system", coded), ("instance", pa.large_string())]
            + [(head, pa.float64()) for head in places]
        )
        with (
            self._writing(),
            replacing(Path(self.folder) / f"part-{number:05}.parquet") as file,
            pq.ParquetWriter(file, schema, use_dictionary=["system"]) as writer,
        ):

            def write(names: Any, system: str, values: NDArray[np.float64]) -> None:
                ids = pa.array(names) if isinstance(names, list) else names
                called = pa.DictionaryArray.from_arrays(
                    pa.array(np.zeros(len(values), np.int32)), pa.array([system])
                )
                columns = [pa.array(values[:, k]) for k in places.values()]
                arrays = [called, ids.cast(pa.large_string()), *columns]
                with self._writing():
                    writer.write_table(pa.table(arrays, schema=schema))

            yield write

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Say what cannot be written, and why."""
        try:
            yield
        except BadInput:
            raise
        except OSError as error:
            reason = error.strerror or " ".join(str(error).split())[:160]
            raise BadInput(
                f"{self.folder}: the values of instances cannot be written ({reason})"
            ) from None
