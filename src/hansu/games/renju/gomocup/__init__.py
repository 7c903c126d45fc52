"""The Gomocup protocol: the engine behind it, and a player that drives outside engines."""
