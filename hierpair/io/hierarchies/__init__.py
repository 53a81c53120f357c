"""The forms of hierarchy files: read, written, and told from each other."""
