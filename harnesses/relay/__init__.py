"""A loopback server between a lane's program and its provider: the provider's key stays outside of the lane."""
