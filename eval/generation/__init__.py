"""Pairs that a model proposes: each proposal goes through soundness and lint, and comes back with the evidence where it fails."""
