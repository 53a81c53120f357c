"""What measures are computed from: columns of a batch, computed once and shared."""
