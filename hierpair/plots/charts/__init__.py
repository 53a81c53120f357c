"""Pictures of comparisons: rankings, matrices, curves."""
