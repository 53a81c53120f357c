"""The command line: a module per verb."""

from hierpair.cli.main import main

__all__ = ["main"]
