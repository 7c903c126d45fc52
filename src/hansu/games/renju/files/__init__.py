"""Renju game files: one module for each format, `formats.py` for all of them, `game_record.py` for a game."""
