"""Hierarchical precision-recall curves: all their points, areas and means."""

from hierpair.curves.points import AREAS, Curves, precision_recall_curves

__all__ = ["AREAS", "Curves", "precision_recall_curves"]
