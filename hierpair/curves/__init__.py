"""Hierarchical precision-recall curves."""
