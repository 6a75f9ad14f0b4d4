"""The data set's version and its canary string, by which leakage into training data can be found."""

DATASET_VERSION = "1.0"
CANARY = "crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e"
