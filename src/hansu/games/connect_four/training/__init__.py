"""The report's experiment: the UCI data and classifiers trained on it."""
