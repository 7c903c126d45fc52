"""The experiment of the original report: the UCI data, and classifiers trained on it."""
