"""The commands that Renju adds to `hansu`."""
