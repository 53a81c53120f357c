"""What goes wrong on workers: functions that run there and change what a task does."""

import os
import signal
import time
from pathlib import Path

from hierpair import _version
from hierpair.evaluation import dataset as parts

original = parts.PartJob.__call__


def set_version(version):
    """Make this process look as if another hierpair was installed."""
    parts.__version__ = version
    _version.__version__ = version


def restore():
    parts.PartJob.__call__ = original


def die_once(marker):
    """The first task that ends a part dies after its side effects, before it is reported."""

    def dies(job, part, on_rows=None):
        content = original(job, part)
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return content
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    parts.PartJob.__call__ = dies


def do_twice():
    """Every task is done twice, the second time with what the first one left behind."""

    def twice(job, part, on_rows=None):
        first = original(job, part)
        assert original(job, part) == first
        return first

    parts.PartJob.__call__ = twice


def count_loads(folder):
    """Leave a file for each time that a job, and its hierarchy, is made from its bytes."""
    made = parts.PartJob

    def counted(**fields):
        Path(folder, f"{os.getpid()}.{time.monotonic_ns()}").touch()
        return made(**fields)

    parts.PartJob = counted
