"""A linear classifier with any head, to train the heads in tests."""

import numpy as np
from scipy.optimize import minimize

from hierpair import LabelSets
from hierpair.probabilistic import Head, sibling_shares

__all__ = ["LinearHead"]


class LinearHead:
    """Logits that are linear in the features, trained by L-BFGS from 0.

    The mean loss plus ``alpha / 2`` times the sum of squared weights (not of the intercepts) is
    minimised. Nothing is drawn, so equal data give equal weights.
    """

    def __init__(self, kind, hierarchy, *, alpha=1e-4, max_iter=200, beta=1.0):
        self.kind, self.hierarchy, self.beta = kind, hierarchy, beta
        self.alpha, self.max_iter = alpha, max_iter

    def fit(self, features, labels):
        """Train on features, dense or sparse, and labels of any form; return self."""
        labels = LabelSets.from_labels(labels, self.hierarchy)
        shares = sibling_shares(self.hierarchy, labels) if self.kind == "adjusted_softmax" else None
        self.head_ = Head(self.kind, self.hierarchy, shares, beta=self.beta)
        d, k = features.shape[1], len(self.head_.classes)
        targets = self.head_.targets(labels)

        def objective(flat):
            weights = flat.reshape(d + 1, k)
            loss, gradient = self.head_.loss_of(features @ weights[:d] + weights[d], targets)
            out = np.empty_like(weights)
            out[:d] = features.T @ gradient + self.alpha * weights[:d]
            out[d] = gradient.sum(axis=0)
            return loss + self.alpha / 2 * float((weights[:d] ** 2).sum()), out.ravel()

        options = {"maxiter": self.max_iter, "gtol": 1e-5, "ftol": 0.0, "maxcor": 10}
        start = np.zeros((d + 1) * k)
        minimum = minimize(objective, start, jac=True, method="L-BFGS-B", options=options)
        weights = minimum.x.reshape(d + 1, k)
        self.coef_, self.intercept_ = weights[:d].T.copy(), weights[d].copy()
        self.n_iter_ = int(minimum.nit)
        return self

    def _logits(self, features):
        return features @ self.coef_.T + self.intercept_

    def predict_distribution(self, features):
        """Return the distribution over leaves, for the heads that have one."""
        return self.head_.distribution(self._logits(features))

    def predict_scores(self, features):
        """Return the probabilities as scores of the classes, for any head."""
        return self.head_.scores(self._logits(features))
