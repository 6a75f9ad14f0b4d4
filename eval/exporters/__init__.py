"""Runs in other tools' forms: trajectories, prediction files, task folders."""
