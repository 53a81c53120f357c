"""The library's measures by family, imported in the order in which lists have them."""

# isort: off
from hierpair.measures.families import set_measures, path_measures, pair_measures
from hierpair.measures.families import amount_measures
from hierpair.measures.families import nearness_measures, confusion_measures
from hierpair.measures.families import curve_measures, ranking_measures, calibration_measures

__all__ = [
    "amount_measures", "calibration_measures", "confusion_measures", "curve_measures",
    "nearness_measures", "pair_measures", "path_measures", "ranking_measures", "set_measures",
]  # fmt: skip
