"""A linear classifier with any head, trained by L-BFGS; in the habit of scikit-learn."""

from __future__ import annotations

import inspect
from typing import Any, Self

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import NodeScores
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.probabilistic.heads.losses import Head, sibling_shares

__all__ = ["LinearHead"]


class LinearHead:
    """Logits that are linear in the features, with a head of your choice.

    The mean loss plus ``alpha / 2`` times the sum of squared weights (not of the intercepts) is
    minimised by SciPy's L-BFGS, from 0. Nothing is drawn, so equal data give equal weights.

    Parameters
    ----------
    kind
        A name in ``HEADS``; see :class:`Head`.
    hierarchy
        The classes. Without one the labels of the training data form a single level.
    alpha
        Strength of the penalty, ≥ 0.
    max_iter
        Steps of L-BFGS, at most.
    tol
        The largest entry of the gradient at which it ends.
    tau, beta
        Options of the heads ``adjusted_softmax`` and ``champ``.

    Attributes
    ----------
    classes_
        Class of every column of ``predict_proba``: all of the hierarchy, or the labels seen.
    head_
        The head.
    coef_, intercept_
        Shapes ``(n_columns, n_features)`` and ``(n_columns,)``, in the order of
        ``head_.classes``.
    n_features_in_, n_iter_
        Number of features; steps taken.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> X = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> model = LinearHead("conditional_softmax", tree, alpha=0.01).fit(X, [["b"], ["c"], ["d"]])
    >>> model.predict(X).tolist()
    ['b', 'c', 'd']
    >>> model.predict_distribution(X).is_single_path
    True
    """

    _estimator_type = "classifier"

    def __init__(
        self,
        kind: str = "conditional_softmax",
        hierarchy: Hierarchy | None = None,
        *,
        alpha: float = 1e-4,
        max_iter: int = 200,
        tol: float = 1e-5,
        tau: float = 1.0,
        beta: float = 1.0,
    ) -> None:
        self.kind = kind
        self.hierarchy = hierarchy
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.tau = tau
        self.beta = beta

    def __repr__(self) -> str:
        return f"LinearHead({', '.join(f'{k}={v!r}' for k, v in self.get_params().items())})"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""
        names = list(inspect.signature(type(self).__init__).parameters)[1:]
        return {name: getattr(self, name) for name in names}

    def set_params(self, **params: Any) -> Self:
        """Change parameters and return self."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"LinearHead has no parameter {name!r}; it has {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __sklearn_clone__(self) -> Self:
        """Return an unfitted copy; the hierarchy is shared, since it does not change."""
        return type(self)(**self.get_params())

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what kind of estimator this is."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(sparse=True),
        )

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803 - scikit-learn's name
        """Train.

        Parameters
        ----------
        X
            Features, dense or sparse, shape ``(n_instances, n_features)``.
        y
            Labels, as :func:`hierpair.score` takes them; ancestors are added.

        Raises
        ------
        BadInput
            For features or labels that do not fit, or parameters out of range.
        """
        if not (np.isfinite(self.alpha) and self.alpha >= 0):
            raise BadInput(f"alpha must be a finite number ≥ 0, got {self.alpha!r}")
        if not isinstance(self.max_iter, (int, np.integer)) or self.max_iter < 1:
            raise BadInput(f"max_iter must be a whole number ≥ 1, got {self.max_iter!r}")
        features = _features(X)
        hierarchy, labels = self._labels(y, features.shape[0])
        shares = sibling_shares(hierarchy, labels) if self.kind == "adjusted_softmax" else None
        self.head_ = Head(self.kind, hierarchy, shares, self.tau, self.beta)
        self.n_features_in_ = features.shape[1]
        d, k = features.shape[1], len(self.head_.layout.columns)
        targets = self.head_.targets(labels)
        turned = features.T.tocsr() if scipy.sparse.issparse(features) else features.T

        def objective(flat: Floats) -> tuple[float, Floats]:
            weights = flat.reshape(d + 1, k)
            loss, gradient = self.head_.loss_of(features @ weights[:d] + weights[d], targets)
            out = np.empty_like(weights)
            out[:d] = turned @ gradient + self.alpha * weights[:d]
            out[d] = gradient.sum(axis=0)
            return loss + self.alpha / 2 * float((weights[:d] ** 2).sum()), out.ravel()

        from scipy.optimize import minimize

        options = {"maxiter": int(self.max_iter), "gtol": self.tol, "ftol": 0.0, "maxcor": 10}
        start = np.zeros((d + 1) * k)
        minimum = minimize(objective, start, jac=True, method="L-BFGS-B", options=options)
        weights = minimum.x.reshape(d + 1, k)
        self.coef_, self.intercept_ = weights[:d].T.copy(), weights[d].copy()
        self.n_iter_ = int(minimum.nit)
        self.loss_ = float(minimum.fun)
        return self

    def _labels(self, y: Any, n: int) -> tuple[Hierarchy, LabelSets]:
        """Return the hierarchy and the labels, and set ``classes_``."""
        if y is None:
            raise ValueError("fit requires y to be passed, but the target y is None")
        if self.hierarchy is not None:
            hierarchy = Hierarchy.of(self.hierarchy)
            labels = LabelSets.from_labels(y, hierarchy, source="y")
            self.classes_ = np.empty(len(hierarchy), dtype=object)
            self.classes_[:] = hierarchy.names
        else:
            self.classes_, place = np.unique(_single_labels(y), return_inverse=True)
            hierarchy = Hierarchy.from_edges(
                [(-1, c) for c in range(len(self.classes_))], roots="any"
            )
            numbers = hierarchy.index(place.tolist())
            labels = LabelSets.from_arrays(np.arange(len(numbers) + 1), numbers, len(hierarchy))
        if len(labels) != n:
            raise BadInput(f"y has {len(labels)} instances and X has {n} rows")
        return hierarchy, labels

    def decision_function(self, X: Any) -> Floats:  # noqa: N803
        """Return the logits, shape ``(n_instances, n_columns)``, in the order of ``head_.classes``.

        Without a hierarchy that is the order of ``classes_``; for two labels one column, of the
        second one against the first.
        """
        logits = self._logits(X)
        if self.hierarchy is None and len(self.classes_) == 2:
            out: Floats = logits[:, 1] - logits[:, 0]
            return out
        return logits

    def _logits(self, X: Any) -> Floats:  # noqa: N803
        if not hasattr(self, "coef_"):
            raise _not_fitted()
        features = _features(X)
        if features.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {features.shape[1]} features, but LinearHead is expecting "
                f"{self.n_features_in_} features as input"
            )
        logits: Floats = features @ self.coef_.T + self.intercept_
        return logits

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the probability of every class, shape ``(n_instances, n_classes)``.

        The columns are ``classes_``. With a hierarchy these are all its classes, whose
        probabilities do not add up to 1: a class has what its children have.
        """
        p = self.head_.probabilities(self._logits(X)) if hasattr(self, "coef_") else self._logits(X)
        if self.hierarchy is not None:
            return p
        labels = self.head_.hierarchy.index(range(len(self.classes_)))
        return p[:, labels]

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the most probable leaf of every instance, shape ``(n_instances,)``.

        That is best for accuracy at the leaves only; for other measures decode the distribution.
        """
        p = self.predict_proba(X)
        if self.hierarchy is None:
            best: NDArray[Any] = self.classes_[p.argmax(axis=1)]
            return best
        leaf = np.flatnonzero(np.diff(self.hierarchy.child_ptr) == 0)
        leaves: NDArray[Any] = self.classes_[leaf[p[:, leaf].argmax(axis=1)]]
        return leaves

    def predict_distribution(self, X: Any, ids: Any = None) -> LabelDistribution:  # noqa: N803
        """Return the distribution over leaves, for the heads that have one."""
        return self.head_.distribution(self._logits(X), ids)

    def predict_scores(self, X: Any, ids: Any = None) -> NodeScores:  # noqa: N803
        """Return the probabilities as scores of the classes, for any head."""
        return self.head_.scores(self._logits(X), ids)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """Return accuracy at the leaves: the share of instances whose leaf is predicted."""
        from hierpair.evaluation.scoring import score

        predicted = self.predict(X)
        if self.hierarchy is None:
            right = (predicted == np.asarray(_single_labels(y))).astype(np.float64)
            return float(np.average(right, weights=sample_weight))
        labels = [[name] for name in predicted]
        scores = score(self.hierarchy, y, labels, ["leaf_accuracy"], sample_weight=sample_weight)
        return float(scores.values[0, 0])


def _not_fitted() -> Exception:
    """Return scikit-learn's error where scikit-learn is there, otherwise our own."""
    message = "this LinearHead is not fitted yet; call fit first"
    try:
        from sklearn.exceptions import NotFittedError
    except ModuleNotFoundError:
        return BadInput(message)
    error: Exception = NotFittedError(message)
    return error


def _features(X: Any) -> Any:  # noqa: N803 - scikit-learn's name
    """Return features as a CSR matrix or a dense array of finite floats."""
    try:
        table = scipy.sparse.csr_array(X) if scipy.sparse.issparse(X) else np.asarray(X)
        is_complex = table.dtype.kind == "c"
        table = table if is_complex else table.astype(np.float64)
    except TypeError as error:
        raise TypeError(f"features must be numbers: {error}") from None
    except ValueError:
        raise BadInput("features must be a matrix of numbers, a row per instance") from None
    if is_complex:
        raise ValueError("Complex data not supported: features must be real numbers")
    if table.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {table.ndim}D array instead. Reshape your data: a row per "
            "instance, a column per feature"
        )
    for size, thing in zip(table.shape, ("sample", "feature"), strict=True):
        if size < 1:
            raise ValueError(
                f"Found array with 0 {thing}(s) (shape={table.shape}) while a minimum of 1 is "
                "required."
            )
    if not np.isfinite(table.data if scipy.sparse.issparse(table) else table).all():
        raise ValueError("Input X contains NaN or infinity; features must be finite")
    return table


def _single_labels(y: Any) -> NDArray[Any]:
    """Return one label per instance."""
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise BadInput("without a hierarchy y must hold one label per instance")
    if labels.dtype.kind == "f":
        if not np.isfinite(labels).all():
            raise ValueError("Input y contains NaN or infinity")
        if (labels != np.floor(labels)).any():
            raise ValueError(
                "Unknown label type: continuous. Labels must be names or whole numbers"
            )
    return labels
