"""Probabilities, losses and gradients of classifiers on a hierarchy."""
