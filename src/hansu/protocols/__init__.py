"""What engine protocols share: serving as an engine, and driving an external engine as a player."""
