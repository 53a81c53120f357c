"""Case studies that come with the package, and the numbers that were published for them."""

from hierpair.casebook.cases import Case, load_case
from hierpair.casebook.claims import verify_claims
from hierpair.casebook.exchanges import sufficient_changes
from hierpair.casebook.folders import case_folder, case_names
from hierpair.casebook.published import Published, read_published
from hierpair.casebook.verdicts import Finding, Verdict, Verification
from hierpair.casebook.verifying import verify

__all__ = [
    "Case",
    "Finding",
    "Published",
    "Verdict",
    "Verification",
    "case_folder",
    "case_names",
    "load_case",
    "read_published",
    "sufficient_changes",
    "verify",
    "verify_claims",
]
