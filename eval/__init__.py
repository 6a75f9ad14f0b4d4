"""Grading, soundness, cost, records, statistics, reports, and the command line."""
