"""Hierarchical precision-recall curves: of instances and of a data set, areas and means."""

from hierpair.curves.points import AREAS, Curves, precision_recall_curves
from hierpair.curves.pooled import PooledCurve, pooled_curve

__all__ = ["AREAS", "Curves", "PooledCurve", "pooled_curve", "precision_recall_curves"]
