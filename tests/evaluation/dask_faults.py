"""What goes wrong on workers: functions that run there and change what a task does."""

import importlib
import os
import signal
import time
from pathlib import Path

from hierpair import _version
from hierpair.evaluation.data_sets import dask_engine
from hierpair.evaluation.data_sets import part_scoring as streaming

original = streaming.partial_of_part


def set_version(version):
    """Make this process look as if another hierpair was installed."""
    importlib.import_module("hierpair.evaluation.data_sets.dask_cluster").__version__ = version
    _version.__version__ = version


def restore():
    dask_engine.partial_of_part = original


def die_once(marker):
    """The first task that ends a part dies after its side effects, before it is reported."""

    def dies(job, part, number):
        content = original(job, part, number)
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return content
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    dask_engine.partial_of_part = dies


def do_twice():
    """Every task is done twice, the second time with what the first one left behind."""

    def twice(job, part, number):
        first = original(job, part, number)
        assert original(job, part, number) == first
        return first

    dask_engine.partial_of_part = twice


def be_slow(part_number, seconds):
    """One part takes long, wherever it is done."""

    def slow(job, part, number):
        if number == part_number:
            time.sleep(seconds)
        return original(job, part, number)

    dask_engine.partial_of_part = slow


def count_loads(folder):
    """Leave a file for each time that a hierarchy is made from its bytes or its file."""
    module = importlib.import_module("hierpair.evaluation.data_sets.hierarchy_once")
    read, pickle_loads = module.read_hierarchy, module.pickle.loads

    def counted(function):
        def called(*args, **options):
            Path(folder, f"{os.getpid()}.{time.monotonic_ns()}").touch()
            return function(*args, **options)

        return called

    class Loads:
        loads = staticmethod(counted(pickle_loads))

    module.read_hierarchy, module.pickle = counted(read), Loads
