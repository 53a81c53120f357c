"""What is wrong with files, found before anything is scored."""

from hierpair.checks.files import lint
from hierpair.checks.findings import Finding, Report

__all__ = ["Finding", "Report", "lint"]
