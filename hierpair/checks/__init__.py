"""What is wrong with files, found before anything is scored."""

from hierpair.checks.findings import Finding, Names, Report, UnknownLabel, lint

__all__ = ["Finding", "Names", "Report", "UnknownLabel", "lint"]
