"""Pictures for papers: pairings as networks, hierarchies around the labels, comparisons, curves.

They need matplotlib (``pip install 'hierpair[plot]'``), draw without opening windows and leave
its global state alone.
"""

from hierpair.plots.charts import (
    plot_curves,
    plot_power,
    plot_reliability,
    plot_responses,
    plot_risk,
)
from hierpair.plots.comparisons import (
    plot_agreement,
    plot_clusters,
    plot_depths,
    plot_intervals,
    plot_ranks,
    plot_significance,
)
from hierpair.plots.neighbourhoods import plot_neighbourhood
from hierpair.plots.networks import plot_network, plot_pairing
from hierpair.plots.saving import save_picture

__all__ = [
    "plot_agreement",
    "plot_clusters",
    "plot_curves",
    "plot_depths",
    "plot_intervals",
    "plot_neighbourhood",
    "plot_network",
    "plot_pairing",
    "plot_power",
    "plot_ranks",
    "plot_reliability",
    "plot_responses",
    "plot_risk",
    "plot_significance",
    "save_picture",
]
