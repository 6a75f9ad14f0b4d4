"""What other data sets' files say, read and checked as texts; what follows of it is measured elsewhere."""
