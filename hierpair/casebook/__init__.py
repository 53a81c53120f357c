"""Case studies that come with the package, and the numbers that were published for them."""

from hierpair.casebook.cases import Case, case_folder, case_names, load_case

__all__ = ["Case", "case_folder", "case_names", "load_case"]
