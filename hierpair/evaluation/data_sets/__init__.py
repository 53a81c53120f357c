"""Data sets of any size: scored part by part, in one or many processes."""
