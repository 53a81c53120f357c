"""Best predictions under a law: one decoder per kind of measure."""
