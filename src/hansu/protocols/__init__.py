"""Talking with programs outside: as an engine, and as a player that drives one."""
