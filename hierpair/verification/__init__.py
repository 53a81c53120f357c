"""Published numbers of the case studies that come with the package; and what measures are like."""

from hierpair.verification.advice import NEEDS, Advice, AdvisedMeasure, Need, NeedEvidence, advise
from hierpair.verification.cases import Case, case_folder, case_names, load_case
from hierpair.verification.claims import verify_claims, verify_values
from hierpair.verification.formulas import sufficient_changes
from hierpair.verification.judge import verify
from hierpair.verification.printed import (
    CaseRemark,
    Published,
    Verdict,
    Verification,
    read_published,
)
from hierpair.verification.properties import (
    Claim,
    Counterexample,
    Examination,
    Outcome,
    Property,
    Relation,
    Witnesses,
    World,
    examine,
    property_of_measures,
)

__all__ = [
    "NEEDS",
    "Advice",
    "AdvisedMeasure",
    "Case",
    "CaseRemark",
    "Claim",
    "Counterexample",
    "Examination",
    "Need",
    "NeedEvidence",
    "Outcome",
    "Property",
    "Published",
    "Relation",
    "Verdict",
    "Verification",
    "Witnesses",
    "World",
    "advise",
    "case_folder",
    "case_names",
    "examine",
    "load_case",
    "property_of_measures",
    "read_published",
    "sufficient_changes",
    "verify",
    "verify_claims",
    "verify_values",
]
