"""Case studies that come with the package, and the numbers that were published for them."""

from hierpair.casebook.cases import Case, case_folder, case_names, load_case
from hierpair.casebook.claims import verify_claims
from hierpair.casebook.published import Published, read_published
from hierpair.casebook.verifying import Verdict, Verification, verify

__all__ = [
    "Case",
    "Published",
    "Verdict",
    "Verification",
    "case_folder",
    "case_names",
    "load_case",
    "read_published",
    "verify",
    "verify_claims",
]
