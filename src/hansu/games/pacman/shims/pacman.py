"""`pacman`, as the course's agents know it: they name its GameState in type hints."""

from hansu.games.pacman.classic import GameState

__all__ = ["GameState"]
