"""The perfect solver: exact search, opening book, repertoire, the player `solver`."""
