"""The perfect solver: search, opening book, the player."""
