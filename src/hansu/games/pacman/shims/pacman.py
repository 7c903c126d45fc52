"""The framework's module `pacman`: agents use its GameState in type hints."""

from hansu.games.pacman.course_agents import GameState

__all__ = ["GameState"]
