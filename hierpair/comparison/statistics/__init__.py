"""Tests, intervals, ranks and corrections for the values of several systems."""
