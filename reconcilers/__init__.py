"""What combines the lanes' edits into one tree."""
