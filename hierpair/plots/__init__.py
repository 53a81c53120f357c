"""Pictures for papers: pairings as networks, hierarchies around the labels, comparisons, curves.

They need matplotlib (``pip install 'hierpair[plot]'``), draw without opening windows and leave
its global state alone.
"""

from hierpair.plots.charts.dendrogram import DendrogramDisplay
from hierpair.plots.charts.heatmaps import AgreementDisplay, DepthDisplay, SignificanceDisplay
from hierpair.plots.charts.power_curves import PowerDisplay
from hierpair.plots.charts.precision_recall import plot_curves
from hierpair.plots.charts.rankings import IntervalDisplay, RankDisplay
from hierpair.plots.charts.reliability_diagram import ReliabilityDisplay
from hierpair.plots.charts.response_chart import ResponseDisplay
from hierpair.plots.neighbourhoods import plot_neighbourhood
from hierpair.plots.networks import plot_network, plot_own_network, plot_pairing
from hierpair.plots.saving import save_picture

__all__ = [
    "AgreementDisplay",
    "DendrogramDisplay",
    "DepthDisplay",
    "IntervalDisplay",
    "PowerDisplay",
    "RankDisplay",
    "ReliabilityDisplay",
    "ResponseDisplay",
    "SignificanceDisplay",
    "plot_curves",
    "plot_neighbourhood",
    "plot_network",
    "plot_own_network",
    "plot_pairing",
    "save_picture",
]
