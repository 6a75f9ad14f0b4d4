"""Making instances of other data sets' tasks: what they say is measured by running it, and nothing is taken on trust."""
