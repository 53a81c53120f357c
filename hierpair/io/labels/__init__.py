"""The forms of label files: read, written, and told from each other."""
