"""The built-in games, one file or folder each. `hansu.core.registry` finds them: a new game needs no entry anywhere."""
