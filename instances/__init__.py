"""The data set of instance pairs and what reads it."""
