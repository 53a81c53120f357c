"""Pictures for papers: pairings as networks, hierarchies around the labels, comparisons, curves.

They need matplotlib (``pip install 'hierpair[plot]'``), draw without opening windows and leave
its global state alone.
"""

from hierpair.plots.charts.heatmaps import AgreementDisplay, DepthDisplay, SignificanceDisplay
from hierpair.plots.charts.precision_recall import plot_curves
from hierpair.plots.charts.rankings import IntervalDisplay, RankDisplay
from hierpair.plots.diagrams.neighbourhood_diagram import plot_neighbourhood
from hierpair.plots.diagrams.pairing_diagram import plot_pairing
from hierpair.plots.saving import save_picture

__all__ = [
    "AgreementDisplay",
    "DepthDisplay",
    "IntervalDisplay",
    "RankDisplay",
    "SignificanceDisplay",
    "plot_curves",
    "plot_neighbourhood",
    "plot_pairing",
    "save_picture",
]
