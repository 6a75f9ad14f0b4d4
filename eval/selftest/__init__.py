"""The cheat suite: attacks that each work on an unprotected control, played through the real engine and grading."""
