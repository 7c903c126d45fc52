"""The built-in games, one file or folder each. `hansu.core.registry` finds them without a list."""
