"""The conventions of other tools by name: what each of them computes, in our measures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from hierpair.errors import unknown
from hierpair.measures import measure

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
    own_roots
        Predicted labels outside the hierarchy are roots of their own, where labels come as names.
    undefined
        What stands for a number that is not defined.
    note
        What has to be known.
    """

    tool: str
    columns: Mapping[str, str]
    hidden_root: bool = False
    harmonic: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    needs_truth: bool = False
    scored: bool = False
    own_roots: bool = False
    undefined: float = 0.0
    note: str = ""

    @property
    def of_scores(self) -> bool:
        """Whether its numbers are measures of scores, which take predictions with scores alone."""
        return any(measure(text).of_scores for text in self.columns.values())


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
        note="a hidden node is above all classes and counts; where one prediction is empty it "
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
        note="precision is the mean over instances with a prediction; thresholds are a grid of "
        "rounded sums below 1, so Fmax over all scores (fmax) is at least as large",
    ),
    "pyevall": Preset(
        "PyEvALL 0.2.11, ICM and ICMNorm with a hierarchy",
        {"ICM": "icm", "ICMNorm": "icm_norm"},
        own_roots=True,
        undefined=math.nan,
        note="on a tree or forest; of a class with two parents the tool takes the path that its "
        "file has first. Where all truths are alike it stops, and here ICMNorm is nan",
    ),
    "hierverb": Preset(
        "HierVerb, util/eval.py (compute_based_on_path), newest public snapshot",
        {
            "c_micro_f1": "c_f",
            "c_macro_f1": "c_f(average='macro')",
            "c_precision": "c_precision",
            "c_recall": "c_recall",
            "p_ori_micro_f1": "p_ori",
            "p_ori_macro_f1": "p_ori(average='macro')",
            "p_precision": "p_precision",
            "p_recall": "p_recall",
            "p_micro_f1": "p_f",
            "p_macro_f1": "p_f(average='macro')",
            "P_acc": "subset_accuracy",
        },
        note="label sets hold all ancestors of their labels; trees and forests alone. p_micro_f1 "
        "and p_macro_f1 may exceed 1, p_ori_micro_f1 and p_ori_macro_f1 do not",
    ),
    "clus": Preset(
        "Clus (jar of pyclus 1.0.2), hierarchical multi-label classification",
        {
            "Average AUROC": "macro_auroc(one_sided=0.5)",
            "Average AUPRC": "macro_auprc(interpolation='clus')",
            "Average AUPRC (weighted)": "weighted_auprc(interpolation='clus')",
            "Pooled AUROC": "micro_auroc(least=1, one_sided=0.5)",
            "Pooled AUPRC": "micro_auprc(least=1, interpolation='clus')",
        },
        note="classes that no instance has are left out everywhere, and with them all that was "
        "wrongly predicted there; a class that every instance has counts as 0.5 in AUROC",
    ),
    "making-better-mistakes": Preset(
        "making-better-mistakes, the code of Bertinetto et al. 2020, at k = 1, 5 and 20",
        {
            f"{word}{k:02d}": measure_at.format(k)
            for word, measure_at in (
                ("accuracy_top/", "top_accuracy(k={})"),
                ("ilsvrc_dist_avg/", "ahd(k={})"),
                ("ilsvrc_dist_top/", "best_of(k={})"),
                ("ilsvrc_dist_mistakes/avg", "ahd_mistakes(k={})"),
                ("ilsvrc_dist_precision/", "similarity_precision(k={}, ideal='classes')"),
            )
            for k in (1, 5, 20)
        },
        note="ilsvrc_dist_precision is for batches of as many instances as there are leaves; the "
        "code's number is this one times batch size over number of leaves",
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
        raise unknown("preset", preset, PRESETS)
    return PRESETS[preset]
