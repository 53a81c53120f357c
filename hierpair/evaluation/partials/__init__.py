"""Exact sums that instances leave behind, which travel as bytes and add up."""
