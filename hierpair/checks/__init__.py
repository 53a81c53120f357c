"""What is wrong with files, found before anything is scored."""

from hierpair.checks.findings import Finding, Report, lint

__all__ = ["Finding", "Report", "lint"]
