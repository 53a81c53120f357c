"""Scores, and how they are shown."""
