"""Pacman: a maze, dots, and ghosts that take turns; the course's game of several agents."""
