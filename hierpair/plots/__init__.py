"""Pictures for papers: pairings as networks, hierarchies around the labels, comparisons, curves.

They need matplotlib (``pip install 'hierpair[plot]'``), draw without opening windows and leave
its global state alone.
"""

from hierpair.plots.charts import (
    PowerDisplay,
    ReliabilityDisplay,
    ResponseDisplay,
    plot_curves,
    plot_risk,
)
from hierpair.plots.comparisons import (
    AgreementDisplay,
    DendrogramDisplay,
    DepthDisplay,
    IntervalDisplay,
    RankDisplay,
    SignificanceDisplay,
)
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
    "plot_risk",
    "save_picture",
]
