"""The conventions of other tools by name: what each of them computes, in our measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hierpair.errors import BadInput, did_you_mean

__all__ = ["PRESETS", "Preset", "preset_named"]


@dataclass(frozen=True)
class Preset:
    """What a tool computes, in our measures.

    Attributes
    ----------
    tool
        What it reproduces, and the version that it was compared with.
    columns
        The tool's word for each number, and the measure that it is.
    hidden_root
        A class above all parentless ones counts, too.
    harmonic
        Further columns: the harmonic mean of two others.
    needs_truth
        Instances without true labels are unknown to the tool.
    scored
        The tool chooses among thresholds on the scores of predictions, by its column ``f``.
    note
        What has to be known.
    """

    tool: str
    columns: Mapping[str, str]
    hidden_root: bool = False
    harmonic: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    needs_truth: bool = False
    scored: bool = False
    note: str = ""


PRESETS: dict[str, Preset] = {
    "hiclass-micro": Preset(
        "hiclass 5.0, hiclass.metrics with average='micro'",
        {
            "precision": "hp(average='micro')",
            "recall": "hr(average='micro')",
            "f1": "hf(average='micro')",
        },
        note="paths have no class for everything, so a single root does not count",
    ),
    "hiclass-macro": Preset(
        "hiclass 5.0, hiclass.metrics with average='macro'",
        {"precision": "hp", "recall": "hr", "f1": "hf"},
        note="its macro is a mean over instances, samples here; a single root does not count",
    ),
    "sklearn-hierarchical-classification": Preset(
        "sklearn-hierarchical-classification 1.3, h_precision_score, h_recall_score, h_fbeta_score",
        {
            "h_precision": "hp(average='micro')",
            "h_recall": "hr(average='micro')",
            "h_fbeta": "hf(average='micro')",
        },
        note="its ROOT is the single root here and does not count; where paths to the root differ "
        "in length it stops with an IndexError",
    ),
    "hemkit": Preset(
        "HEMKit, as BioASQ uses it",
        {
            "hP": "hp(root='include')",
            "hR": "hr(root='include')",
            "hF": "hf(root='include')",
            "SDL": "sdl(root='include')",
        },
        hidden_root=True,
        note="a hidden node stands above all classes and counts; where one prediction is empty it "
        "prints nan for all, and here that instance counts as 0",
    ),
    "cafaeval": Preset(
        "CAFA-evaluator 1.3 with norm='cafa', its defaults",
        {
            "pr": "hp(root='include', zero_division=nan)",
            "rc": "hr(root='include')",
            "pr_micro": "hp(average='micro', root='include')",
            "rc_micro": "hr(average='micro', root='include')",
            "f_micro": "hf(average='micro', root='include')",
        },
        harmonic={"f": ("pr", "rc")},
        needs_truth=True,
        scored=True,
        note="precision is the mean over instances with a prediction",
    ),
}
"""Every preset by name."""


def preset_named(preset: str) -> Preset:
    """Return a preset by its name.

    Raises
    ------
    BadInput
        For an unknown one.
    """
    if preset not in PRESETS:
        raise BadInput(
            f"there is no preset {preset!r}{did_you_mean(preset, PRESETS)}; there are "
            f"{', '.join(PRESETS)}"
        )
    return PRESETS[preset]
