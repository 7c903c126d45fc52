"""Algorithms over any game, each written once and run interpreted or compiled."""
