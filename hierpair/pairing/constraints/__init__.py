"""The vocabulary of constraints, and the builder that its words write on."""
