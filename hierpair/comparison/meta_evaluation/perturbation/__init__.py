"""Controlled errors: label sets in which one label is replaced, added or left out by a rule."""

from hierpair.comparison.meta_evaluation.perturbation.perturbed import Draw, drawn, noise
from hierpair.comparison.meta_evaluation.perturbation.relatives import Relatives
from hierpair.comparison.meta_evaluation.perturbation.steps import (
    DEFAULT_STEPS,
    UNIT,
    Step,
    read_steps,
)
from hierpair.comparison.meta_evaluation.perturbation.tips import Tips, one_below_the_other

__all__ = [
    "DEFAULT_STEPS",
    "UNIT",
    "Draw",
    "Relatives",
    "Step",
    "Tips",
    "drawn",
    "noise",
    "one_below_the_other",
    "read_steps",
]
