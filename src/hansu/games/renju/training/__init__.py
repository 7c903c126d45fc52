"""Samples from game files, and the training of the engine's network."""
