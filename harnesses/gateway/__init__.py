"""A loopback server in front of any model that LiteLLM knows, for a program that speaks one vendor's protocol only."""
