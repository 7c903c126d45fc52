"""Files of Renju games: one module per format."""
