"""Where a lane runs, and the recorder that watches it from outside."""
