"""Computations over the scores of all instances of a system: one module per idea."""
