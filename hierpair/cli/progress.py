"""A line on stderr while work takes long: rows done, rate, time left."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import TracebackType

__all__ = ["Meter"]

QUIET_SECONDS = 2.0
"""Work that takes less shows nothing,"""

PAUSE_SECONDS = 0.2
"""and the line is not written more often than this."""


LARGE_FILE = 20_000_000
"""Bytes; reading so much takes about two seconds."""


class Meter:
    """Shows progress on a terminal; elsewhere, or when it should be quiet, nothing.

    Used as a context; the line is wiped at the end, whatever happens.
    """

    def __init__(self, quiet: bool) -> None:
        self.on = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self.started = time.monotonic()
        self.written = 0.0
        self.began: dict[str, float] = {}
        self.dirty = False

    def __enter__(self) -> Meter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.wipe()

    def wipe(self) -> None:
        """Clear the line, so that a message can be written."""
        if self.dirty:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self.dirty = False

    def show(self, system: str, done: int, whole: int, unit: str = "instances") -> None:
        """Say how far a system has come."""
        now = time.monotonic()
        began = self.began.setdefault(system, now)
        if done == 0 or not self.on or now - self.started < QUIET_SECONDS:
            return
        if now - self.written < PAUSE_SECONDS and done < whole:
            return
        rate = done / max(now - began, 1e-9)
        if not whole:  # as long as nobody can tell
            self._write(f"{system}: {done:,} {unit}, {rate:,.0f}/s", now)
            return
        left = (whole - done) / rate if rate else 0.0
        self._write(
            f"{system}: {done:,} of {whole:,} {unit}, {rate:,.0f}/s, {left:.0f} s left", now
        )

    def reading(self, path: str) -> None:
        """Say which file is read, if that is going to be noticed."""
        now = time.monotonic()
        try:
            size = Path(path).stat().st_size
        except (OSError, ValueError):
            size = 0  # standard input; or the reader will say what is wrong
        if self.on and (now - self.started >= QUIET_SECONDS or size > LARGE_FILE):
            self._write(f"reading {path} ({size / 1e6:,.0f} MB)", now)

    def _write(self, text: str, now: float) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
        self.written, self.dirty = now, True
