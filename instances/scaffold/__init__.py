"""`crosstalk new`: a pair's whole folder with guidance where an author has to write, and with the base pinned."""
