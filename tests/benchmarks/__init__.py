"""Benchmarks: ratios against a peer or a bound, measured in one run. Not part of the tests."""
