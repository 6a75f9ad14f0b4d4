"""What a scenario is, the catalogue, and the engine that plays one cell."""
