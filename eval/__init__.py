"""Grading, soundness, cost, records, statistics, reports, and the command line."""

from instances.programs import start_with
from sandboxes.exec import run

start_with(run)
