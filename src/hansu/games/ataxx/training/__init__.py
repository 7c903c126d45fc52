"""The training of the Ataxx engine's network."""
