"""The mark that `crosstalk new` leaves wherever an author has to write; a pair that still has one is not finished."""

MARK = "TO-WRITE"
