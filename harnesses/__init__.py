"""One adapter a file for each agent program."""
