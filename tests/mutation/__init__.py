"""Mutation testing: do the tests notice a small fault? ``python tests/mutation/run.py --help``."""
