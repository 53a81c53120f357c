"""Best predictions under a distribution of labels: one decoder per kind of measure."""
