"""Training data of Renju, and the training of the engine's network."""
