"""Case studies that come with the package, and the numbers that were published for them."""

from hierpair.verification.cases import Case, case_folder, case_names, load_case
from hierpair.verification.claims import verify_claims
from hierpair.verification.printed_tables import sufficient_changes
from hierpair.verification.published_numbers import Published, read_published
from hierpair.verification.verdicts import Finding, Verdict, Verification
from hierpair.verification.verifying import verify

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
