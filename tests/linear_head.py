"""A linear classifier with any head, to train the heads in tests."""

import numpy as np
from scipy.optimize import minimize

from hierpair import LabelSets
from hierpair.probabilistic import Head


class LinearHead:
    """Logits that are linear in the features, trained by L-BFGS from 0.

    The mean loss plus ``alpha / 2`` times the sum of squared weights (not of the intercepts) is
    minimised. Nothing is drawn, so equal data give equal weights.
    """

    def __init__(self, kind, hierarchy, *, alpha=1e-4, max_iter=200):
        self.head, self.hierarchy = Head(kind, hierarchy), hierarchy
        self.alpha, self.max_iter = alpha, max_iter

    def fit(self, features, labels):
        """Train on features, dense or sparse, and labels of any form; return self."""
        targets = self.head.targets(LabelSets.from_labels(labels, self.hierarchy))
        d, k = features.shape[1], len(self.head.classes)

        def objective(flat):
            weights = flat.reshape(d + 1, k)
            loss, gradient = self.head.loss_of(features @ weights[:d] + weights[d], targets)
            slope = features.T @ gradient + self.alpha * weights[:d]
            loss += self.alpha / 2 * float((weights[:d] ** 2).sum())
            return loss, np.vstack([slope, gradient.sum(axis=0)]).ravel()

        options = {"maxiter": self.max_iter, "gtol": 1e-5, "ftol": 0.0, "maxcor": 10}
        start = np.zeros((d + 1) * k)
        found = minimize(objective, start, jac=True, method="L-BFGS-B", options=options)
        self.weights = found.x.reshape(d + 1, k)
        return self

    def predict_distribution(self, features):
        """Return the distribution over leaves, for the heads that have one."""
        return self.head.distribution(features @ self.weights[:-1] + self.weights[-1])

    def predict_scores(self, features):
        """Return the probabilities as scores of the classes, for any head."""
        return self.head.scores(features @ self.weights[:-1] + self.weights[-1])
