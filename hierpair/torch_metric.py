"""The metric for training loops as one of torchmetrics, which gathers it from all processes."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torchmetrics import Metric

from hierpair.errors import BadInput
from hierpair.metric import HierarchicalMetric


class TorchMetric(Metric):  # type: ignore[misc] # torchmetrics need not be there
    """:class:`hierpair.metric.HierarchicalMetric` as a metric of torchmetrics.

    In a distributed run every process adds its own batches, and :meth:`compute` gathers what they
    left behind as bytes, so that each process gets the score of all instances.

    Parameters
    ----------
    hierarchy, measures, classes
        As for :class:`hierpair.metric.HierarchicalMetric`.
    options
        Those of torchmetrics, such as ``sync_on_compute``.
    """

    full_state_update = False
    higher_is_better = None
    is_differentiable = False

    def __init__(
        self, hierarchy: Any, measures: Any, *, classes: Any = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self.inner = HierarchicalMetric(hierarchy, measures, classes=classes)
        self.add_state("gathered", default=[], dist_reduce_fx="cat")

    def update(self, preds: Any, target: Any) -> None:
        """Add a batch, as for :meth:`hierpair.metric.HierarchicalMetric.update`."""
        self.inner.update(preds, target)

    def compute(self) -> dict[str, float]:
        """Return the scores of the batches of all processes by the names of the measures."""
        if not self._is_synced:
            return self.inner.compute()
        parts = self.gathered if isinstance(self.gathered, list) else [self.gathered]
        data = b"".join(part.cpu().numpy().tobytes() for part in parts)
        return self._empty().merge_bytes(data).compute()

    def forward(self, preds: Any, target: Any) -> dict[str, float]:
        """Add a batch and return its scores alone."""
        self.update(preds, target)
        batch = self._empty()
        batch.update(preds, target)
        return batch.compute()

    def reset(self) -> None:
        """Forget all batches."""
        super().reset()
        self.inner.reset()

    def merge_state(self, incoming_state: Any) -> None:
        """Add what another metric has seen."""
        if not isinstance(incoming_state, TorchMetric):
            raise BadInput("a TorchMetric merges with another one")
        self.inner.merge(incoming_state.inner)

    def _empty(self) -> HierarchicalMetric:
        places = self.inner.places
        classes = None if places is None else places.classes
        return HierarchicalMetric(self.inner.hierarchy, self.inner.measures, classes=classes)

    def _sync_dist(self, *args: Any, **how: Any) -> None:
        """Gather the bytes of all processes; torchmetrics calls this before it computes."""
        data = np.frombuffer(self.inner.to_bytes(), dtype=np.uint8)
        self.gathered = [torch.from_numpy(data.copy()).to(self.device)]
        super()._sync_dist(*args, **how)
