"""Costs of pairs: by edges and ancestors, by similarity, from matrices, several in order."""
